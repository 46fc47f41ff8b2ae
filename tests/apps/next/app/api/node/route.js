// A route on Node, with a store in memory. An app has `pgStore` or `sqliteStore` here.
import { memoryStore, open } from "tuckbox";
import { handOver } from "../../lib/hand-over.js";

export const dynamic = "force-dynamic";

export async function GET() {
  const store = memoryStore();
  store.project("demo").addProfile({ name: "Writer", profile_box_id: "pb_writer" });
  return Response.json(await handOver(open, store));
}
