// The component with the part of the npm package's surface that the adaptors use. The host does the reads and commits
// of each step, with the stores of the npm package.

import { memoryStore } from "../../pkg/index.js";
import { JsonText, parseJson, toText } from "../../pkg/lib/json.js";
import { errorOf, load } from "../component/host.mjs";

/** Returns the text of a value, which can contain `jsonText`. */
const text = (value) => toText(value, "bad_request");

/** Returns the text of a store's answer, which can be text. */
const answerText = (answer) => (typeof answer === "string" ? answer : toText(answer, "store"));

/** Loads the component and returns the package. */
export async function componentPackage(path) {
  const { steps } = await (await load(path)).start();
  const attempt = (work) => {
    try {
      return work();
    } catch (thrown) {
      throw errorOf(thrown);
    }
  };

  async function open(store, { projectId: project_id, dialect, authority, referenceBehavior: reference_behavior }) {
    const settings = JSON.stringify({ project_id, dialect, authority, reference_behavior });
    const workspace = attempt(() => steps.Workspace.open(settings));
    return { preview: (...given) => previewOf(workspace, store, ...given) };
  }

  async function previewOf(workspace, store, first, second, third) {
    const isNamed = typeof first === "string";
    const { now, entropy } = isNamed ? third : second;
    const call = isNamed ? withOperation(first, text(second)) : text(first);
    const run = attempt(() => workspace.start(call, { nowMs: BigInt(now), entropy }));
    for (;;) {
      const reads = attempt(() => run.step());
      if (reads === undefined) break;
      const answers = answerText(await store.read(parseJson(reads)));
      attempt(() => run.answer(answers));
    }
    const entries = attempt(() => run.boxes()).map(({ length }, at) => JSON.parse(run.entries(at, 0, length)));
    const [valueText, writesText] = attempt(() => [run.value(), run.writes()]);
    return {
      valueText,
      writesText,
      value: JSON.parse(valueText),
      writes: JSON.parse(writesText),
      ledger: {
        transitions: JSON.parse(run.transitions()),
        boxes: entries.map((of) => ({ entries: () => of })),
      },
      commit: async () => {
        if (run.writesNothing()) return;
        try {
          const receipt = answerText(await store.commit(parseJson(writesText), { text: writesText }));
          attempt(() => run.committed(receipt));
        } catch (error) {
          run.refused();
          throw error;
        }
      },
    };
  }

  /** Reads files with the operation `import`. The component has no stream of its own. */
  async function importStream(sources) {
    const files = [];
    for (const { name, chunks } of sources) files.push({ name, text: Buffer.concat([...chunks]).toString() });
    const workspace = await open(memoryStore(), { projectId: "p1" });
    const { valueText } = await workspace.preview("import", { files }, { now: 0, entropy: new Uint8Array(32) });
    return { text: valueText };
  }

  return { memoryStore, open, importStream, jsonText: (given) => new JsonText(given) };
}

/** Returns the text of a call from its operation and the text of its arguments. */
function withOperation(op, args) {
  const members = args.trim().slice(1, -1).trim();
  return `{"op":${JSON.stringify(op)}${members === "" ? "" : `,${members}`}}`;
}
