// Two ways to do one job, by turns in one process, so that both have the same weather. Nothing is collected by force:
// whoever makes garbage pays for it, as in a host.

const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];

/**
 * Medians of both, after a few rounds to warm up. Each side gets at least `rounds` rounds and
 * about `budget_ms` of time. What a side makes is handed to `check` once: both must agree.
 */
export async function compare({ ours, plain, check, rounds = 15, budget_ms = 600 }) {
  check(await ours(), await plain());
  const ourTimes = [];
  const plainTimes = [];
  for (let round = 0; round < 3; round += 1) {
    await ours();
    await plain();
  }
  const deadline = performance.now() + 2 * budget_ms;
  while (ourTimes.length < rounds || (performance.now() < deadline && ourTimes.length < 400)) {
    ourTimes.push(await time(ours));
    plainTimes.push(await time(plain));
  }
  const ours_ms = median(ourTimes);
  const js_ms = median(plainTimes);
  return { ours_ms, js_ms, ratio: js_ms / ours_ms };
}

async function time(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
