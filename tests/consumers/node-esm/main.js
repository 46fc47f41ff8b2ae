// Hand notes and an instruction to a writer: look first, commit, read back what the writer gets.
// The project is kept in a file: `node main.js project.json`.
import { open } from "tuckbox";
import { fileStore } from "tuckbox/stores/file";

const [, , file = "project.json"] = process.argv;
const store = fileStore(file);
await store.addProfiles("demo", [{ name: "Writer", profile_box_id: "pb_writer" }]);

const project = await open(store, { project_id: "demo" });
const note = (text) => ({ type: "note", author_id: "me", content: { __type__: "TextContent", text } });
const { card_ids } = await project.putCards({ cards: [note("Cards never change."), note("Boxes keep their order.")] });
const notes = await project.createBox({ card_ids });

// nothing is written by looking
const preview = await project.preview("pack_context_with_instruction", {
  tool_suffix: "delegate",
  source_agent_id: "agent_a",
  profile_name: "writer",
  instruction: "Draft it.",
  inherit_box_ids: [notes.box_id],
});
const why = preview.ledger.boxes[0].entries().map(({ cause }) => cause.kind);

// one atomic batch, applied once however often it is sent
await preview.commit();

// somebody else who has the file
const reader = await open(fileStore(file), { project_id: "demo" });
const { cards } = await reader.getBoxCards({ box_id: preview.value.packed.context_box_id });
const read = cards.map(({ content }) => content.text ?? content.data);
console.log(JSON.stringify({ why, read }));
