// One limit for every wait of the page's tests. Tests wait for a state; the limit only ends a test that can never pass,
// on any machine. Its error contains what the test waited for and what the page showed.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";

/** The limit of one wait. */
export const GUARD_MS = 5 * 60_000;
/** The limit of a whole test, for what Playwright does not limit: expressions that the page evaluates. */
const TEST_MS = 3 * GUARD_MS;
/** The interval between two reads of a state outside the page. */
const EVERY_MS = 25;

/** Waits until `read` returns `expected`; fails with what it returned last. */
export async function becomes(read, expected) {
  const found = await readUntil(read, (value) => isDeepStrictEqual(value, expected));
  assert.deepEqual(found, expected);
}

/** Waits until the text of an element matches; fails with what it was last. */
export async function showsText(locator, pattern) {
  assert.match(
    await readUntil(
      () => locator.textContent(),
      (text) => pattern.test(text),
    ),
    pattern,
  );
}

/** Reads until what was read is good, or the limit is over; returns what was read last. */
export async function readUntil(read, isGood) {
  for (const end = performance.now() + GUARD_MS; ; ) {
    const found = await read();
    if (isGood(found) || performance.now() > end) return found;
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

/** Applies the limit to everything that a context waits for. */
export function limited(context) {
  context.setDefaultTimeout(GUARD_MS);
  context.setDefaultNavigationTimeout(GUARD_MS);
  return context;
}

/** Runs a test on some pages; adds to its error what they show. `pages` returns those that are open then. */
export async function guarded(pages, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the test did not end within ${TEST_MS / 60_000} minutes`)), TEST_MS);
  });
  try {
    return await Promise.race([work(), late]);
  } catch (cause) {
    const shown = await Promise.all(pages().map(excerpt));
    throw new Error(`${cause.message}\n${shown.join("\n")}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

const EXCERPT = 700;
/** How long a page that may be stuck has to answer. */
const ANSWER_MS = 10_000;

/** The URL of a page and the beginning of its text. */
async function excerpt(page) {
  const read = page.evaluate((length) => {
    const root = document.querySelector("tuckbox-inspector")?.shadowRoot ?? document;
    const app = root.querySelector("#app");
    const text = (app ?? document.body).innerText.replaceAll(/\s+/g, " ").slice(0, length);
    return `${text} (settled: ${app?.dataset.settled ?? "unknown"})`;
  }, EXCERPT);
  const none = new Promise((resolve) => setTimeout(resolve, ANSWER_MS, "it does not answer").unref());
  const text = await Promise.race([read.catch((error) => error.message.split("\n")[0]), none]);
  return `the page at ${page.url().slice(0, 200)} showed: ${text}`;
}
