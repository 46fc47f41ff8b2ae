// A custom store in TypeScript: two methods around a memory store, with a delay.
import { memoryStore, type NewCard, open, type Reads, type Receipt, type Store, TuckboxError, type Writes } from "tuckbox";

class SlowStore implements Store {
  readonly tables = memoryStore();

  async read(reads: Reads): Promise<string> {
    await this.#wait();
    return this.tables.read(reads);
  }

  async commit(writes: Writes, more: { readonly text: string }): Promise<Receipt> {
    await this.#wait();
    return this.tables.commit(writes, more);
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const store = new SlowStore();
store.tables.project("demo").addProfile({ name: "Writer", profile_box_id: "pb_writer" });

using project = await open(store, { projectId: "demo", signal: AbortSignal.timeout(10_000) });
const note = (text: string): NewCard => ({ type: "note", author_id: "me", content: { __type__: "TextContent", text } });
const { card_ids } = await project.cards.put({ cards: [note("Cards never change."), note("Boxes keep their order.")] });
const notes = await project.boxes.create({ card_ids });

// a preview writes nothing; `using` frees the memory of the core at the end of the block
using preview = await project.preview("pack_context_with_instruction", {
  tool_suffix: "delegate",
  source_agent_id: "agent_a",
  profile_name: "writer",
  instruction: "Draft it.",
  inherit_box_ids: [notes.box_id],
});
const why = preview.ledger.boxes[0]?.entries().map(({ cause }) => cause.kind);
await preview.commit();

using reader = await open(store, { projectId: "demo" });
const { cards } = await reader.boxes.getCards({ box_id: preview.value.packed.context_box_id });
const read = cards.map(({ content }) => (content.__type__ === "TextContent" ? content.text : "data" in content ? content.data : null));

// errors have a code
const failure: unknown = await project.boxes.getCards({ box_id: "none" }).catch((error: unknown) => error);
if (!(failure instanceof TuckboxError) || failure.code !== "not_found") throw new Error("a missing box was read");
console.log(JSON.stringify({ why, read }));
