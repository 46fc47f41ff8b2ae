// A handler with a filled store, for the tests of the HTTP routes.
import { fetchHandler } from "../../pkg/http.js";
import { jsonText, memoryStore, open, parseJson } from "../../pkg/index.js";

export const at = "2026-01-04T10:30:00.000Z";

export function filled() {
  const store = memoryStore();
  const text = (card_id, text) => ({
    card_id,
    content: { __type__: "TextContent", text },
    metadata: { type: "note", role: "user" },
    tenant_id: "p1",
  });
  store
    .project("p1")
    .addProfile({ name: "Writer", profile_box_id: "pb" })
    .addCard(text("c1", "one"))
    .addCard(text("c/2", "two"))
    .addCard(jsonText('{"card_id":"c3","content":{"__type__":"JsonContent","data":{"n":12345678901234567890,"d":1.0}},"metadata":{}}'))
    .addBox({ box_id: "b1", card_ids: ["c1", "c3", "c1", "gone"] })
    .addBox({ box_id: "b2", card_ids: [] });
  store
    .project("p2")
    .addCard({ ...text("secret", "of p2"), tenant_id: "p2" })
    .addBox({ box_id: "hidden", card_ids: ["secret"] })
    .addProfile({ name: "Spy", profile_box_id: "pb2" })
    .addAgent({ agent_id: "agent2" })
    .addFile({ path: "s/f", text: "of p2" });
  return store;
}

export function server(options = {}) {
  const store = options.store ?? filled();
  const told = [];
  const handler = fetchHandler({ open, authorize: () => true, onError: (error) => told.push(error), ...options, store });
  const call = async (method, path, body, headers = {}) => {
    const init =
      body === undefined
        ? { method, headers }
        : {
            method,
            headers: { "content-type": "application/json", ...headers },
            body: typeof body === "string" ? body : JSON.stringify(body),
          };
    const response = await handler(new Request(`http://host${path}`, init));
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: text === "" ? undefined : parseJson(text) };
  };
  return { store, handler, told, call, get: (path) => call("GET", path), post: (path, body, headers) => call("POST", path, body, headers) };
}
