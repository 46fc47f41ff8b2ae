// Runs the engine contract in a real Durable Object and returns the failed cases as JSON.
import { DurableObject } from "cloudflare:workers";
import { open } from "tuckbox";
import { durableObjectStore } from "tuckbox/stores/durable-object";
import { engineContract } from "tuckbox/testing";

export class Contract extends DurableObject {
  async fetch() {
    const store = durableObjectStore(this.ctx.storage);
    const cases = engineContract(() => ({ open, store }));
    const failed = [];
    for (const { name, run } of cases) await run().catch((error) => failed.push(`${name}: ${error.stack}`));
    return Response.json({ cases: cases.length, failed });
  }
}

export default {
  fetch: (request, env) => env.CONTRACT.getByName("any").fetch(request),
};
