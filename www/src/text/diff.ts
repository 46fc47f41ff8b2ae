// Compares two strings word by word.

export interface Piece {
  change: "kept" | "removed" | "added";
  text: string;
}

/** Longer strings are compared line by line, or not at all. */
const MOST = 1_500;

/** Returns the pieces of both strings in order. */
export function diff(before: string, after: string): Piece[] {
  for (const cut of [/(\s+)/, /(\n)/]) {
    const [one, other] = [before.split(cut), after.split(cut)];
    if (one.length <= MOST && other.length <= MOST) return joined(longest(one, other));
  }
  return before === after ? [{ change: "kept", text: before }] : [{ change: "removed", text: before }, { change: "added", text: after }];
}

/** Returns the changes along the longest common subsequence. */
function longest(one: string[], other: string[]): Piece[] {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = one[i] === other[j] ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
    }
  }
  const pieces: Piece[] = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      pieces.push({ change: "kept", text: one[i] ?? "" });
      [i, j] = [i + 1, j + 1];
    } else if (i < one.length && (j === other.length || (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))) {
      pieces.push({ change: "removed", text: one[i] ?? "" });
      i += 1;
    } else {
      pieces.push({ change: "added", text: other[j] ?? "" });
      j += 1;
    }
  }
  return pieces;
}

function joined(pieces: Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (last?.change === piece.change) last.text += piece.text;
    else all.push({ ...piece });
  }
  return all;
}
