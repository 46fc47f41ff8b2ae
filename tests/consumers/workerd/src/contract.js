// Runs the store contract in a real Durable Object and returns the failed cases as JSON.
import { DurableObject } from "cloudflare:workers";
// the core decides the commits of a store
import "tuckbox";
import { durableObjectStore } from "tuckbox/stores/durable-object";
import { storeContract } from "tuckbox/testing";

export class Contract extends DurableObject {
  async fetch() {
    const cases = storeContract(() => durableObjectStore(this.ctx.storage));
    const failed = [];
    for (const { name, run } of cases) await run().catch((error) => failed.push(`${name}: ${error.stack}`));
    return Response.json({ cases: cases.length, failed });
  }
}

export default {
  fetch: (request, env) => env.CONTRACT.getByName("any").fetch(request),
};
