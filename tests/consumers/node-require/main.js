// CommonJS: a server with the routes of `tuckbox/http`, and a client.
const { createServer } = require("node:http");
const { memoryStore, open } = require("tuckbox");
const { fetchHandler, nodeListener } = require("tuckbox/http");
const { httpStore } = require("tuckbox/stores/http");

const TOKEN = "a secret of server and client";

/** Starts a server with a memory store. Callers with the token have full access. */
async function startServer() {
  const store = memoryStore();
  store.project("demo").addProfile({ name: "Writer", profile_box_id: "pb_writer" });
  const authorize = ({ request }) => request.headers.get("authorization") === `Bearer ${TOKEN}`;
  const server = createServer(nodeListener(fetchHandler({ open, store, authorize })));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

async function main() {
  const server = await startServer();
  const store = httpStore(`http://127.0.0.1:${server.address().port}`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const project = await open(store, { projectId: "demo" });

  const note = (text) => ({ type: "note", author_id: "me", content: { __type__: "TextContent", text } });
  const { card_ids } = await project.cards.put({ cards: [note("Cards never change."), note("Boxes keep their order.")] });
  const notes = await project.boxes.create({ card_ids });

  const preview = await project.preview("pack_context_with_instruction", {
    tool_suffix: "delegate",
    source_agent_id: "agent_a",
    profile_name: "writer",
    instruction: "Draft it.",
    inherit_box_ids: [notes.box_id],
  });
  const why = preview.ledger.boxes[0].entries().map(({ cause }) => cause.kind);
  await preview.commit();

  const reader = await open(store, { projectId: "demo" });
  const { cards } = await reader.boxes.getCards({ box_id: preview.value.packed.context_box_id });
  const read = cards.map(({ content }) => content.text ?? content.data);
  console.log(JSON.stringify({ why, read }));
  server.close();
}

main();
