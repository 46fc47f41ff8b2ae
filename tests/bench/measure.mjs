// Compares implementations of one job. They alternate in one process, so that load affects all of them equally. Garbage
// collection is not forced, so its time is part of the measurement.

const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];

/** The warm-up time of each implementation, in milliseconds, for the JIT compiler. */
const WARM_MS = 1_000;

/**
 * Returns the median times after the warm-up. Each implementation runs at least `rounds` times and for about
 * `budget_ms`. `check` compares the results once. `careful` is optional.
 */
export async function compare({ ours, plain, careful, check, rounds = 15, budget_ms = 600, most = 400 }) {
  const ways = [ours, plain, ...(careful === undefined ? [] : [careful])];
  const made = await ours();
  for (const way of ways.slice(1)) check(made, await way());
  for (const way of ways) {
    for (let spent = 0, round = 0; spent < WARM_MS || round < 3; round += 1) spent += await time(way);
  }
  const times = ways.map(() => []);
  const deadline = performance.now() + ways.length * budget_ms;
  while (times[0].length < rounds || (performance.now() < deadline && times[0].length < most)) {
    for (const [index, way] of ways.entries()) times[index].push(await time(way));
  }
  const [ours_ms, js_ms, careful_ms] = times.map(median);
  const found = { ours_ms, js_ms, ratio: js_ms / ours_ms };
  return careful === undefined ? found : { ...found, careful_ms, careful_ratio: careful_ms / ours_ms };
}

async function time(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
