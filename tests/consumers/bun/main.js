// Bun serves a project, and a client works on it over HTTP.
import { memoryStore, open } from "tuckbox";
import { fetchHandler } from "tuckbox/http";
import { httpStore } from "tuckbox/stores/http";

const TOKEN = "a secret of server and client";

const tables = memoryStore();
tables.project("demo").addProfile({ name: "Writer", profile_box_id: "pb_writer" });
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: fetchHandler({
    open,
    store: tables,
    authorize: ({ request, projectId }) => projectId === "demo" && request.headers.get("authorization") === `Bearer ${TOKEN}`,
  }),
});

const store = httpStore(server.url, { headers: { authorization: `Bearer ${TOKEN}` } });
const project = await open(store, { projectId: "demo" });
const note = (text) => ({ type: "note", author_id: "me", content: { __type__: "TextContent", text } });
const { card_ids } = await project.cards.put({ cards: [note("Cards never change."), note("Boxes keep their order.")] });
const notes = await project.boxes.create({ card_ids });

// a preview writes nothing
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
server.stop();
