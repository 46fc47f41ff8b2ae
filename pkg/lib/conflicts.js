// The conflicts of a commit, the same from every store.
import { TuckboxError } from "./error.js";

/** A box that moved on, or is gone. Without an expected version it only has to be there. */
export function stale(box_id, expected = null, found = null) {
  const now = found === null ? "is gone" : `is at version ${found}`;
  const read = expected === null ? "" : ` was read at version ${expected} and now`;
  return conflict(`box \`${box_id}\`${read} ${now}`, { box_id, expected, found });
}

export function exists(box_id) {
  return conflict(`there is a box \`${box_id}\` already`, { box_id });
}

export function taken(card_id) {
  return conflict(`card \`${card_id}\` exists with other content; a card never changes, make a new one`, { card_id });
}

export function otherText(path) {
  return conflict(`there is a file \`${path}\` already, with another text`, { path });
}

function conflict(message, details) {
  return new TuckboxError("conflict", message, { details });
}
