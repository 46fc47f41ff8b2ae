// Checks lockfiles: contexts of 50 cards are built and compared, as `tuckbox lock check` does.
//
//   node lock.mjs      (`cargo xtask bench lock` builds the package and runs this)
import assert from "node:assert/strict";
import { memoryStore, open } from "../../pkg/index.js";
import { buildEntries } from "../../pkg/lib/lock/build.js";

const project = await open(memoryStore(), { projectId: "bench" });
const CARDS = 50;
/** The repeats after the first one, which compiles the module. */
const ROUNDS = 5;

const messages = (context) =>
  Array.from({ length: CARDS }, (_, card) => ({
    role: card % 2 === 0 ? "user" : "assistant",
    content: `Card ${card} of context ${context}. `.repeat(8),
  }));

const config = (count, changed) => ({
  entries: Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `c${at}`,
      { context: { provider: "openai_chat", model: "gpt-5", messages: messages(at === changed ? -1 : at) } },
    ]),
  ),
});

const build = async (given) => (await buildEntries(given, Object.keys(given.entries), async () => project)).entries;

for (const count of [100, 1_000]) {
  const { lock } = await project.lock.update({ entries: await build(config(count)) });
  const changed = config(count, 7);
  const times = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const start = performance.now();
    const entries = await build(changed);
    const built = performance.now();
    const verdict = await project.lock.check({ lock, entries, formats: ["text"] });
    times.push([built - start, performance.now() - built]);
    assert.deepEqual(
      verdict.entries.map(({ name }) => name),
      ["c7"],
    );
  }
  const [built, compared] = [0, 1].map((part) => Math.min(...times.slice(1).map((time) => time[part])));
  console.log(`${count} contexts of ${CARDS} cards: ${Math.round(built)} ms to build, ${Math.round(compared)} ms to compare`);
}
