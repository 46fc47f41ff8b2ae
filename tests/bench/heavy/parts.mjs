// Values that the heavy calls share.
import { cardId } from "../worlds.mjs";

export const list = (length, make) => Array.from({ length }, (_, at) => make(at));
export const text = (card_id, words) => ({
  card_id,
  type: "note",
  author_id: "me",
  content: { __type__: "TextContent", text: words },
  metadata: { role: "user" },
});
export const message = (at, words = "x") => ({ role: at % 2 === 0 ? "user" : "assistant", content: `${words} ${at}` });
export const nested = (depth) => list(depth, () => "[").join("") + list(depth, () => "]").join("");
export const people = {
  profiles: [
    { name: "Lead", profile_box_id: "pb", delegation_policy: {} },
    { name: "Writer", profile_box_id: "pb" },
  ],
  agents: [{ agent_id: "lead", profile_box_id: "pb" }],
};
export const large = { box_id: "large", card_ids: list(200_000, cardId), parent_ids: [], version: 1 };
export const task = (at, context_box_id) => ({ target_strategy: "new", target_ref: "Writer", instruction: `part ${at}`, context_box_id });
export const odd = (card_id, words) => ({ ...text(card_id, words), metadata: {} });
export const again = (count) => list(count, () => "c");
export const standing = (card) => ({ cards: [card], boxes: [{ box_id: "b", card_ids: again(25_000) }] });
export const stored = (count, size) => ({
  cards: list(count, (at) => text(`c${at}`, "word ".repeat(size / 5))),
  boxes: [{ box_id: "b", card_ids: list(count, (at) => `c${at}`) }],
});
export const numbers = (count) => `{"a":[${"1,".repeat(count)}1]}`;
export const callOf = (args) => ({ id: "c", type: "function", function: { name: "f", arguments: args } });
