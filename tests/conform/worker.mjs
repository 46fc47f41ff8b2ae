// Runs the recorded cases in a Worker. Receives the files and returns the answers.
import * as tuckbox from "../../pkg/workerd.js";
import { answers } from "./cases.mjs";

export default {
  async fetch(request) {
    return new Response(await answers(await request.json(), tuckbox));
  },
};
