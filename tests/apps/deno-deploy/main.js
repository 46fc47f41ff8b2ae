// A server in the form of Deno Deploy: it has the network and Deno KV, and no files.
import { open } from "tuckbox";
import { fetchHandler } from "tuckbox/http";
import { denoKvStore } from "tuckbox/stores/deno-kv";

// Deno Deploy has one database per app, and takes no path
const store = denoKvStore(await Deno.openKv(Deno.env.get("DENO_DEPLOYMENT_ID") === undefined ? ":memory:" : undefined));
await store.addProfiles("demo", [{ name: "Writer", profile_box_id: "pb_writer" }]);

// an app checks the user of the request here
export default { fetch: fetchHandler({ open, store, authorize: ({ projectId }) => projectId === "demo" }) };
