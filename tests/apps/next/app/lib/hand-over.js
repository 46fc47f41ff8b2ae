/** Packs a context for a writer in a store. Returns why each card is in it, and the cards. */
export async function handOver(open, store) {
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
  return { why, read: cards.map(({ content }) => content.text ?? content.data) };
}
