// A page of an extension. Extensions do not allow inline scripts, so the package is imported by path.
import { open } from "./tuckbox/index.js";
import { indexedDbStore } from "./tuckbox/stores/indexeddb.js";

const store = indexedDbStore("notes");
await store.addProfiles("demo", [{ name: "Writer", profile_box_id: "pb_writer" }]);

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

// another tab reads the same cards
const reader = await open(indexedDbStore("notes"), { projectId: "demo" });
const { cards } = await reader.boxes.getCards({ box_id: preview.value.packed.context_box_id });
const read = cards.map(({ content }) => content.text ?? content.data);
document.querySelector("output").textContent = JSON.stringify({ why, read });
