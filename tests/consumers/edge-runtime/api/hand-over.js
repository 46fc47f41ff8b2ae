// An edge function without its own storage. It works on a project of a server.
// POST { "instruction": "..", "notes": [".."] } packs a context for a writer and returns its cards.
import { open, TuckboxError } from "tuckbox";
import { httpStore } from "tuckbox/stores/http";

export const config = { runtime: "edge" };

export default async function handler(request) {
  const { instruction, notes } = await request.json().catch(() => ({}));
  if (!Array.isArray(notes)) return refusal(400, { code: "bad_request", path: "notes", message: "`notes` must be a list of strings" });
  const { TUCKBOX_URL, TUCKBOX_TOKEN } = process.env;
  const store = httpStore(TUCKBOX_URL, { headers: { authorization: `Bearer ${TUCKBOX_TOKEN}` } });
  try {
    const project = await open(store, { projectId: "demo", signal: request.signal });
    return Response.json(await handOver(project, instruction, notes));
  } catch (error) {
    if (error instanceof TuckboxError) return refusal(error.code === "store" ? 502 : 400, error);
    throw error;
  }
}

function refusal(status, { code, path, message }) {
  return Response.json({ error: { code, path, message } }, { status });
}

async function handOver(project, instruction, notes) {
  const cards = notes.map((text) => ({ type: "note", author_id: "me", content: { __type__: "TextContent", text } }));
  const { card_ids } = await project.cards.put({ cards });
  const box = await project.boxes.create({ card_ids });

  // a preview writes nothing
  const preview = await project.preview("pack_context_with_instruction", {
    tool_suffix: "delegate",
    source_agent_id: "agent_a",
    profile_name: "writer",
    instruction,
    inherit_box_ids: [box.box_id],
  });
  const why = preview.ledger.boxes[0].entries().map(({ cause }) => cause.kind);
  await preview.commit();

  project.refresh();
  const written = await project.boxes.getCards({ box_id: preview.value.packed.context_box_id });
  return { why, read: written.cards.map(({ content }) => content.text ?? content.data) };
}
