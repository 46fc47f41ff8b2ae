// Runs the recorded cases in a Worker: files in, answers out.
import * as tuckbox from "../../pkg/workerd.js";
import { answers } from "./cases.mjs";

export default {
  async fetch(request) {
    return new Response(await answers(await request.json(), tuckbox));
  },
};
