// `imports`: logs of other tools as a report, as requests, as a project, and as a stream.
import { env, outcome } from "../world.mjs";

const SHAPES = { report: {}, neutral: { shape: "neutral", every: true }, snapshot: { shape: "snapshot" } };

export async function run({ input }, { importStream, memoryStore, open }) {
  const outcomes = [];
  for (const [label, more] of Object.entries(SHAPES)) {
    outcomes.push(
      await outcome(label, async () => {
        const workspace = await open(memoryStore(), { projectId: "p1" });
        return (await workspace.preview("import", { ...input, ...more }, env)).valueText;
      }),
    );
  }
  outcomes.push(await outcome("stream", async () => (await importStream(sources(input.files))).text));
  return outcomes;
}

/** Streams the text files in order, in small chunks. */
function* sources(files) {
  for (const { name, text } of files) {
    if (text === undefined) continue;
    const bytes = new TextEncoder().encode(text);
    yield { name, size: bytes.length, chunks: pieces(bytes) };
  }
}

function* pieces(bytes) {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}
