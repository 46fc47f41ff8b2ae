// A model of an engine on one machine: how many turns per second a number of lanes reaches.
//
// A turn needs CPU time on one of the cores, and it waits for other things: disks, the network, polls. `cores` can be a
// fraction: the cores that other programs leave free. This is a closed
// queueing network with one station of several cores and a delay. Mean value analysis solves it (Reiser and
// Lavenberg, 1980), with the approximation of Seidmann for several cores.

/** Returns turns per second for `lanes` turns at a time. `cpu` and `wait` are seconds per turn. */
export function rate({ cpu, wait, cores, lanes }) {
  // a station of n cores is one core with 1/n of the time, and a delay for the rest
  const service = cpu / cores;
  const delay = wait + Math.max(0, (cpu * (cores - 1)) / cores);
  let queue = 0;
  let found = 0;
  for (let busy = 1; busy <= lanes; busy += 1) {
    const response = service * (1 + queue);
    found = busy / (response + delay);
    queue = found * response;
  }
  return found;
}

/** Returns the seconds per turn that explain a measurement. */
export function calibrate({ cpu_ms, cores, workers, lanes, turns_per_second }) {
  const cpu = cpu_ms / 1000;
  const of = (wait) => rate({ cpu, wait, cores, lanes: workers * lanes });
  // more waiting means fewer turns, so the interval can be halved
  let [low, high] = [0, (workers * lanes) / turns_per_second];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (of(middle) > turns_per_second) low = middle;
    else high = middle;
  }
  return { cpu, wait: (low + high) / 2, cores };
}

/** Returns the predicted turns per second of other workers, lanes and free cores, from a measurement. */
export function predict(measured, { workers, lanes, cores = measured.cores }) {
  return rate({ ...calibrate(measured), cores, lanes: workers * lanes });
}

/** The share of the maximum rate that a plan uses, so that peaks and repairs have room. */
export const HEADROOM = 0.6;

const SECONDS_A_DAY = 86_400;

/** Returns the turns per second of one database. Bare commits are its limit; a read needs about as much as a commit. */
const databaseRate = (measured) => (measured.bare_commits_per_second / (measured.commits + measured.reads)) * HEADROOM;

/** Returns what a number of turns per day needs. `peak` is the busiest second relative to the average. */
export function plan(measured, { turnsPerDay, peak = 4, keepDays = 30, callMs = 5000 }) {
  const average = turnsPerDay / SECONDS_A_DAY;
  const atPeak = average * peak;
  const { cpu } = calibrate(measured);
  return {
    turns_per_second: { average, peak: atPeak },
    store: { reads_per_second: atPeak * measured.reads, commits_per_second: atPeak * measured.commits },
    databases: Math.max(1, Math.ceil(atPeak / databaseRate(measured))),
    cores: Math.max(1, Math.ceil((atPeak * cpu) / HEADROOM)),
    // turns that wait for a model at the same time
    lanes: Math.ceil(atPeak * (callMs / 1000 + cpu)),
    gigabytes_per_day: (turnsPerDay * measured.kilobytes) / 2 ** 20,
    gigabytes_kept: (turnsPerDay * keepDays * measured.kilobytes) / 2 ** 20,
  };
}

/** The number of lanes of a worker, by default. */
const LANES = 4;
/** The size at which vacuum and backups of a database take hours, in kilobytes. */
const LARGE = 2 ** 30;

/** Returns the turns per day at which each limit is met, in the order in which they are met. */
export function limits(measured, { peak = 4, keepDays = 30, callMs = 5000 }) {
  const { cpu, cores } = calibrate(measured);
  const perDay = (rate) => (rate / peak) * SECONDS_A_DAY;
  const turn = callMs / 1000 + cpu;
  return [
    ["one agent that always works", SECONDS_A_DAY / turn],
    [`one worker with ${LANES} lanes`, perDay(LANES / turn)],
    [`the ${cores} cores of the measured machine`, perDay((cores / cpu) * HEADROOM)],
    ["the commits of one database on it", perDay(databaseRate(measured))],
    [`1 TB in one database, with ${keepDays} days kept`, LARGE / keepDays / measured.kilobytes],
  ].sort(([, a], [, b]) => a - b);
}
