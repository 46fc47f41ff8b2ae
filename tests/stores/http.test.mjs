// The HTTP store satisfies the contract, over real sockets.
import { createServer } from "node:http";
import { test } from "node:test";
import { fetchHandler, nodeListener } from "../../pkg/http.js";
import { memoryStore, open } from "../../pkg/index.js";
import { httpStore } from "../../pkg/stores/http.js";
import { testStore } from "../../pkg/testing.js";
import { sizes } from "./sizes.mjs";

const inner = memoryStore();
const handler = fetchHandler({ open, store: inner, authorize: ({ request }) => request.headers.get("authorization") === "Bearer t0ken" });
const server = createServer(nodeListener(handler));
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
test.after(() => server.close());

const store = httpStore(`http://127.0.0.1:${server.address().port}/`, { headers: async () => ({ authorization: "Bearer t0ken" }) });
testStore(test, "http", () => store, {
  sizes,
  addProfiles: (_, project_id, rows) => rows.map((row) => inner.project(project_id).addProfile(row)),
});
