// The package with `import` and with `require`, in one version of Node.
import { createRequire } from "node:module";
import { memoryStore, open } from "tuckbox";
import { handOver } from "../next/app/lib/hand-over.js";

const required = createRequire(import.meta.url)("tuckbox");
if (required.open !== open) throw new Error("`require` loads another module than `import`");

const store = memoryStore();
store.project("demo").addProfile({ name: "Writer", profile_box_id: "pb_writer" });
console.log(JSON.stringify(await handOver(open, store)));
