// The token estimate in plain JavaScript, only for text in the Latin alphabet, as in the measured logs. It throws an
// error for other characters.

const [LOWER, UPPER, ACCENTED, DIGIT, BREAK, SPACE, SIGN] = [0, 1, 2, 3, 4, 5, 6];

const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code === 10 || code === 13) return BREAK;
  return code === 32 || code === 9 ? SPACE : SIGN;
});

function classOf(code) {
  if (code < 128) return ASCII[code];
  if (code >= 0xc0 && code <= 0x24f && code !== 0xd7 && code !== 0xf7) return ACCENTED;
  throw new RangeError(`U+${code.toString(16)} is not supported by this estimate`);
}

const isLetter = (kind) => kind <= ACCENTED;

/** Hundredths of a token for 1 to 12 characters, and for each further character: `[before][shape]`. */
const WORDS = [
  // at the start: lower case, title case, upper case
  [
    [[100, 100, 118, 112, 115, 121, 131, 152, 158, 168, 172, 178], 20],
    [[100, 108, 118, 121, 121, 121, 122, 126, 138, 148, 152, 160], 25],
    [[100, 103, 141, 162, 187, 195, 205, 255, 300, 330, 350, 370], 30],
  ],
  // after a space
  [
    [[100, 100, 100, 101, 102, 102, 103, 107, 110, 112, 116, 122], 15],
    [[100, 101, 105, 105, 108, 111, 115, 124, 134, 150, 155, 165], 20],
    [[100, 101, 125, 136, 180, 192, 195, 205, 270, 280, 300, 320], 30],
  ],
  // after a punctuation character
  [
    [[101, 107, 120, 122, 132, 143, 150, 170, 190, 200, 205, 212], 25],
    [[110, 160, 158, 150, 155, 165, 178, 180, 191, 220, 235, 245], 25],
    [[109, 136, 151, 155, 165, 185, 195, 235, 255, 265, 280, 300], 30],
  ],
];
const WITH_ACCENTS = [[100, 105, 110, 120, 140, 160, 180, 200, 215, 230, 245, 260], 20];
const SIGNS = [[100, 106, 132, 187, 256, 310, 350, 410, 470, 520, 570, 620], 45];

const at = ([short, more], length) => short[Math.min(Math.max(length, 1), 12) - 1] + Math.max(length - 12, 0) * more;

const CAPITALS = new Set(
  "SELECT FROM WHERE ORDER GROUP LIMIT INSERT UPDATE DELETE CREATE TABLE INDEX VALUES COUNT NULL NOT AND JOIN LEFT INNER DESC ASC INTO SET PRIMARY KEY GET POST PUT HTTP JSON TRUE FALSE ERROR INFO WARN DEBUG TODO API URL".split(
    " ",
  ),
);

const isData = (code) =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 43 ||
  code === 47 ||
  code === 45 ||
  code === 95;

const JSON_MARK = Uint8Array.from({ length: 128 }, (_, code) => ('{}[]":,\\'.includes(String.fromCharCode(code)) ? 1 : 0));

/** The sum so far and the start of the next piece. They are module variables, so that pieces allocate nothing. */
let sum = 0;
let start = 0;

/** Returns the estimated number of tokens of a string. */
export function estimate(text) {
  if (text === "") return 0;
  const foreign = foreignness(text);
  sum = 0;
  start = 0;
  while (start < text.length) {
    const code = text.charCodeAt(start);
    const kind = classOf(code);
    if (kind !== SIGN && kind !== BREAK && kind !== SPACE && code < 128) {
      const end = blobEnd(text, start);
      if (end > start) {
        sum += 68 * (end - start);
        start = end;
        continue;
      }
    }
    const next = start + 1 < text.length ? classOf(text.charCodeAt(start + 1)) : -1;
    if (isLetter(kind)) word(text, start, 0, foreign);
    else if (kind === DIGIT) {
      let end = start + 1;
      while (end < text.length && end < start + 3 && classOf(text.charCodeAt(end)) === DIGIT) end += 1;
      sum += 100;
      start = end;
    } else if (kind === SPACE && next !== -1 && isLetter(next)) word(text, start + 1, code === 9 ? 2 : 1, foreign);
    else if (kind === SIGN && next !== -1 && isLetter(next)) word(text, start + 1, 2, foreign);
    else if (kind === SPACE && code === 32 && next === SIGN) signs(text, start + 1);
    else if (kind === SIGN) signs(text, start);
    else white(text);
  }
  return Math.max(Math.floor((sum + 50) / 100), 1);
}

/** Returns how unusual the text is for the encoding. 0: common; 1: long compound words; 2: uncommon letters. */
function foreignness(text) {
  let [far, compound, letters] = [0, 0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) letters += 1;
    else if (code < 128) continue;
    else if ((code >= 0x100 && code <= 0x17f) || code === 0xf8 || code === 0xe5 || code === 0xe6 || code === 0xd8 || code === 0xc5)
      far += 1;
    else if (code === 0xe4 || code === 0xf6 || code === 0xfc || code === 0xdf) compound += 1;
  }
  if (far * 90 > letters) return 2;
  return compound * 90 > letters ? 1 : 0;
}

function blobEnd(text, start) {
  if (start + 24 > text.length || !isData(text.charCodeAt(start + 23))) return start;
  let end = start;
  let [changes, last, lower, upper] = [0, -1, false, false];
  while (end < text.length && isData(text.charCodeAt(end))) {
    const code = text.charCodeAt(end);
    const kind = code >= 97 && code <= 122 ? 0 : code >= 65 && code <= 90 ? 1 : code >= 48 && code <= 57 ? 2 : 3;
    if (last !== -1 && kind !== last) changes += 1;
    lower ||= kind === 0;
    upper ||= kind === 1;
    last = kind;
    end += 1;
  }
  const length = end - start;
  return length >= 24 && lower && upper && changes * 2 > length ? end : start;
}

function word(text, from, before, foreign) {
  let end = from;
  while (end < text.length && classOf(text.charCodeAt(end)) === UPPER) end += 1;
  const upper = end - from;
  let accents = false;
  while (end < text.length) {
    const kind = classOf(text.charCodeAt(end));
    if (kind === ACCENTED) accents = true;
    else if (kind !== LOWER) break;
    end += 1;
  }
  const length = end - from;
  const shape = accents ? 3 : upper === 0 ? 0 : upper === length ? 2 : 1;
  let cost = shape === 3 ? at(WITH_ACCENTS, length) : at(WORDS[before][shape], length);
  if (shape === 2 && CAPITALS.has(text.slice(start, end).trimStart())) cost = 100;
  if (foreign === 1) cost += 9 * Math.max(length - 6, 0);
  else if (foreign === 2 && shape !== 2) cost += 18 * Math.min(Math.max(length - 3, 0), 8);
  sum += cost;
  start = end;
}

function signs(text, from) {
  let end = from;
  let same = true;
  while (end < text.length && classOf(text.charCodeAt(end)) === SIGN) {
    same &&= text.charCodeAt(end) === text.charCodeAt(from);
    end += 1;
  }
  const length = end - from;
  while (end < text.length && classOf(text.charCodeAt(end)) === BREAK) end += 1;
  sum += length > 3 && same ? Math.min(100 + 5 * length, 300) : signCost(text, end, length);
  start = end;
}

function signCost(text, end, length) {
  for (let index = start; index < end; index += 1) {
    if (JSON_MARK[text.charCodeAt(index)] !== 1) return at(SIGNS, length);
  }
  return 100 + 22 * Math.max(length - 3, 0);
}

function white(text) {
  let end = start;
  let lastBreak = -1;
  while (end < text.length) {
    const kind = classOf(text.charCodeAt(end));
    if (kind === BREAK) lastBreak = end;
    else if (kind !== SPACE) break;
    end += 1;
  }
  if (lastBreak !== -1) {
    let [breaks, returns] = [0, false];
    for (let index = start; index <= lastBreak; index += 1) {
      breaks += text.charCodeAt(index) === 10 ? 1 : 0;
      returns ||= text.charCodeAt(index) === 13;
    }
    const length = lastBreak + 1 - start;
    const cost = breaks === length ? 100 + 100 * Math.floor(length / 17) : Math.max((returns ? 25 : 50) * breaks, 100);
    sum += cost;
    start = lastBreak + 1;
    return;
  }
  let length = end - start;
  if (length > 1 && end < text.length && classOf(text.charCodeAt(end)) !== DIGIT) {
    length -= 1;
    end -= 1;
  }
  const each = text.charCodeAt(start) === 9 ? 17 : 110;
  sum += 100 + 100 * Math.floor(length / each);
  start = end;
}
