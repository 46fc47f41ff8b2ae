// Erases a card, and checks that no file of a folder has its content any more.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { open } from "../../pkg/index.js";

const SECRET = "Jane Doe, born in 1979. ".repeat(400);

/** Returns the names of the files that contain the secret. */
function leaks(folder) {
  return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes("Jane Doe"));
}

/** Stores a card in a store with files in `folder`, and erases it. */
export async function checkErasure(store, folder) {
  const project = await open(store, { projectId: "p" });
  const content = { __type__: "TextContent", text: SECRET };
  await project.cards.put({ cards: [{ card_id: "c1", type: "note", author_id: "Jane Doe", content }] });
  await project.boxes.create({ box_id: "b1", card_ids: ["c1"] });
  assert.notDeepEqual(leaks(folder), []);
  const erased = await project.cards.erase({ card_ids: ["c1"], source_agent_id: "dpo", reason: "request 17" });
  assert.deepEqual(erased, { card_ids: ["c1"] });
  assert.deepEqual(leaks(folder), [], "files with the content");
  const { rows } = await project.agents.listAudit({ agent_id: "dpo" });
  assert.deepEqual(
    rows.map(({ action, data }) => [action, data]),
    [["erase_cards", { card_ids: ["c1"], reason: "request 17" }]],
  );
  await assert.rejects(project.cards.put({ cards: [{ card_id: "c1", type: "note", author_id: "a", content }] }), { code: "conflict" });
}
