// `cards`: reads content, cards and boxes and writes them back.

import { items } from "../raw.mjs";
import { env, fields, objectText, outcome } from "../world.mjs";

const OPERATIONS = { content, card, schema_card: madeCard, box };

export async function run({ input, inputText }, tuckbox) {
  const work = OPERATIONS[input.op];
  return work === undefined ? [] : [await outcome("", () => work(fields(inputText), tuckbox))];
}

async function value(op, name, text, { jsonText, memoryStore, open }) {
  const workspace = await open(memoryStore(), { projectId: "p1" });
  return (await workspace.preview(op, { [name]: jsonText(text) }, env)).valueText;
}

async function content(input, tuckbox) {
  const read = (wire) => value("read_content", "content", wire, tuckbox);
  const once = await read(input("wire"));
  const twice = await read(fields(once)("content"));
  return objectText({
    class: fields(once)("type"),
    round_trip_stable: String(once === twice),
    wire: fields(once)("content"),
  });
}

async function card(input, tuckbox) {
  const read = fields(await value("read_card", "card", input("card"), tuckbox));
  return objectText({ text: read("text"), card: read("card") });
}

function box(input, tuckbox) {
  return value("read_box", "box", input("box"), tuckbox);
}

/** Puts a card and reads it back from a store. */
async function madeCard(input, tuckbox) {
  const { jsonText, memoryStore, open } = tuckbox;
  const { card_id, project_id } = JSON.parse(input("card"));
  if (typeof project_id !== "string" || project_id === "") return withoutProject(input, tuckbox);
  const store = memoryStore();
  const put = await (await open(store, { projectId: project_id, dialect: "v1r3", referenceBehavior: true })).preview(
    "put_cards",
    { cards: [jsonText(input("card"))] },
    env,
  );
  await put.commit();
  const stored = fields(items(fields(put.writesText)("cards"))[0]);
  const wire = ["card_id", "content", "metadata", "tool_calls", "tool_call_id", "ttl_seconds"];

  const fresh = await open(store, { projectId: project_id });
  const got = await fresh.preview("get_cards", { card_ids: [card_id] }, env);
  const reloaded = fields(items(fields(got.valueText)("cards"))[0]);
  const metadata = fields(reloaded("metadata"));
  return objectText({
    stored: objectText(Object.fromEntries(wire.map((column) => [column, stored(column)]))),
    reloaded: objectText({
      type: metadata("type"),
      author_id: ['""', "null"].includes(metadata("author_id")) ? '"unknown"' : metadata("author_id"),
      project_id: reloaded("tenant_id"),
      metadata: reloaded("metadata"),
    }),
  });
}

/** Reads a card of a project without a name. A store cannot keep such a project. */
async function withoutProject(input, tuckbox) {
  const read = fields(await value("read_new_card", "card", input("card"), tuckbox));
  const reloaded = { type: read("type"), author_id: read("author_id"), project_id: read("project_id") };
  return objectText({
    stored: read("stored"),
    reloaded: objectText({ ...reloaded, metadata: fields(read("stored"))("metadata") }),
  });
}
