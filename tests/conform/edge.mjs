// Runs the recorded cases in an edge function: files in, answers out.
import * as tuckbox from "../../pkg/edge-light.js";
import { answers } from "./cases.mjs";

export default async function handler(request) {
  return new Response(await answers(await request.json(), tuckbox));
}
