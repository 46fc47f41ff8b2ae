// The project in which the example of each operation runs: its rows before the call, the time, and the recipes.
import { open } from "../pkg/index.js";
import { callAll, fixedEntropy } from "../tests/node/all_calls.mjs";
import { review } from "../tests/node/samples.mjs";
import { filled } from "../tests/node/support.mjs";

/**
 * Returns `{ recipes, rows, samples }`. A sample has the time of its call and its project. Most samples share most
 * rows, so a row of a project is a position in `rows`. `examples` has the arguments of each operation.
 */
export async function samplesOf(examples) {
  const store = filled();
  const recipes = [review];
  const project = await open(store, { projectId: "p1", recipes });
  const entropy = fixedEntropy();
  const positions = new Map();
  const positionOf = (row) => {
    const text = JSON.stringify(row);
    if (!positions.has(text)) positions.set(text, positions.size);
    return positions.get(text);
  };
  const samples = {};
  await callAll(async (op, args, now) => {
    if (samples[op] === undefined && JSON.stringify(args) === JSON.stringify(examples[op])) {
      const [rows] = JSON.parse(store.export()).projects;
      const shared = Object.entries(rows).map(([name, list]) => [name, Array.isArray(list) ? list.map(positionOf) : list]);
      samples[op] = { now, project: Object.fromEntries(shared) };
    }
    const preview = await project.preview(op, args, { entropy, now });
    await preview.commit();
    return preview.value;
  });
  return { recipes, rows: [...positions.keys()].map((text) => JSON.parse(text)), samples };
}
