// Runs the store contract on a real Deno KV and prints the failed cases as one line of JSON. The import of `tuckbox`
// loads the core, which decides the commits of a store.
import "tuckbox";
import { denoKvStore } from "tuckbox/stores/deno-kv";
import { storeContract } from "tuckbox/testing";

const kv = await Deno.openKv(":memory:");
const cases = storeContract(() => denoKvStore(kv));
const failed = [];
for (const { name, run } of cases) await run().catch((error) => failed.push(`${name}: ${error.stack}`));
console.log(JSON.stringify({ cases: cases.length, failed }));
kv.close();
