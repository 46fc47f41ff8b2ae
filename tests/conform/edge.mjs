// The recorded cases in an edge function: files come in, answers go out.
import * as tuckbox from "../../pkg/edge-light.js";
import { answers } from "./cases.mjs";

export default async function handler(request) {
  return new Response(await answers(await request.json(), tuckbox));
}
