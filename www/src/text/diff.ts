// Compares two strings word by word.

export interface Piece {
  change: "unchanged" | "removed" | "added";
  text: string;
}

/** Longer strings are compared line by line, or not at all. */
const MAX_PARTS = 1_500;

/** Returns the pieces of both strings in order. */
export function diff(before: string, after: string): Piece[] {
  for (const cut of [/(\s+)/, /(\n)/]) {
    const [one, other] = [before.split(cut), after.split(cut)];
    if (one.length <= MAX_PARTS && other.length <= MAX_PARTS) return mergeNeighbors(commonSubsequence(one, other));
  }
  return before === after
    ? [{ change: "unchanged", text: before }]
    : [
        { change: "removed", text: before },
        { change: "added", text: after },
      ];
}

/** Returns the changes along the longest common subsequence. */
function commonSubsequence(one: string[], other: string[]): Piece[] {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        one[i] === other[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
    }
  }
  const pieces: Piece[] = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      pieces.push({ change: "unchanged", text: one[i] ?? "" });
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

function mergeNeighbors(pieces: Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (last?.change === piece.change) last.text += piece.text;
    else all.push({ ...piece });
  }
  return all;
}
