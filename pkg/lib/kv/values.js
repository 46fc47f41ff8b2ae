// How a row stands in a key-value database whose values and commits have limits.
//
// A value is the text of a row; or `#`, which says where the parts of a long text are; or `~`, a row
// that counts once its operation is there, for batches that are larger than one commit.

/** How many bytes a text may take: in UTF-8, or as a runtime keeps it, which may be two bytes a sign. */
export function sizeOf(text) {
  return text.length * widthOf(text);
}

/** A text in pieces of at most `bytes`; none ends inside a sign. */
export function pieces(text, bytes) {
  const length = Math.max(2, Math.floor(bytes / widthOf(text)));
  const found = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + length, text.length);
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to -= 1;
    found.push(text.slice(from, to));
    from = to;
  }
  return found;
}

/** What stands in the place of a text that is kept in parts. */
export function pointer(name, count) {
  return `#${count} ${name}`;
}

/** Where the parts of a text are; nothing when the value is no pointer. */
export function partsOf(value) {
  const found = /^#(\d+) ([^]*)$/.exec(value ?? "");
  return found === null ? undefined : { count: Number(found[1]), name: found[2] };
}

/** A value that counts once the operation is there with this attempt. */
export function staged(operation_id, attempt, value) {
  const mark = JSON.stringify([operation_id, attempt]);
  return `~${mark.length} ${mark}${value}`;
}

/** What a staged value waits for; nothing when the value waits for nothing. */
export function stageOf(value) {
  const found = /^~(\d+) /.exec(value ?? "");
  if (found === null) return undefined;
  const [from, to] = [found[0].length, found[0].length + Number(found[1])];
  const [operation_id, attempt] = JSON.parse(value.slice(from, to));
  return { operation_id, attempt, value: value.slice(to) };
}

function widthOf(text) {
  return /[^\u0000-\u007f]/.test(text) ? 3 : 2;
}

function isHighSurrogate(unit) {
  return unit >= 0xd800 && unit <= 0xdbff;
}
