// The contract of a store on a real Deno KV: the cases that failed, one line of JSON.
// a store decides its commits with the core
import "tuckbox";
import { denoKvStore } from "tuckbox/stores/deno-kv";
import { storeContract } from "tuckbox/testing";

const kv = await Deno.openKv(":memory:");
const cases = storeContract(() => denoKvStore(kv));
const failed = [];
for (const { name, run } of cases) await run().catch((error) => failed.push(`${name}: ${error.stack}`));
console.log(JSON.stringify({ cases: cases.length, failed }));
kv.close();
