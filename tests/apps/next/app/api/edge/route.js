// A route on the edge runtime, which compiles no code from bytes. An app has `httpStore` here.
import { memoryStore, open } from "tuckbox";
import { handOver } from "../../lib/hand-over.js";

export const runtime = "edge";

export async function GET() {
  const store = memoryStore();
  store.project("demo").addProfile({ name: "Writer", profile_box_id: "pb_writer" });
  return Response.json(await handOver(open, store));
}
