// Runs the recorded cases in an edge function. Receives the files and returns the answers.
import * as tuckbox from "../../pkg/edge-light.js";
import { answers } from "./cases.mjs";

export default async function handler(request) {
  return new Response(await answers(await request.json(), tuckbox));
}
