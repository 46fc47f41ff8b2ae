// Runs the simulator of the shell: `node tests/shell/run.mjs [--seed N] [--runs N] [--minutes M] [--store NAME]
// [--rounds N] [--trace] [--twice] [--all]`.
//
// Prints the seed of the first run that breaks an invariant, and the end of its events. `--store all` runs each seed on
// every store. `--twice` checks that a seed gives the same events again. `--all` continues after a failure.
// `--rounds` is the number of turns, random by default.
import { parseArgs } from "node:util";
import { installDisk } from "./disk.mjs";
import { install } from "./world.mjs";

install();
installDisk();
const { simulate } = await import("./scenario.mjs");
const { STORES } = await import("./stores.mjs");

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    runs: { type: "string", default: "20" },
    minutes: { type: "string" },
    store: { type: "string" },
    rounds: { type: "string" },
    trace: { type: "boolean", default: false },
    twice: { type: "boolean", default: false },
    all: { type: "boolean", default: false },
  },
});
const first = Number(values.seed ?? Date.now() % 1_000_000_000);
const end = values.minutes === undefined ? Infinity : Date.now() + Number(values.minutes) * 60_000;
const runs = values.minutes === undefined ? Number(values.runs) : Infinity;
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
const names = values.store === "all" ? Object.keys(STORES) : [values.store];
const started = Date.now();
console.log(`seeds from ${first}`);

// a first run loads all parts of the module, so that the order of later runs does not depend on it
for (const store of ["memory", "file"]) await simulate({ seed: 0, store }).catch(() => {});
const sums = { turns: 0, notes: 0, thoughts: 0, events: 0 };
const stores = {};
const failures = new Map();
let done = 0;
for (; done < runs && Date.now() < end; done += 1) {
  const [seed, store] = [first + Math.floor(done / names.length), names[done % names.length]];
  try {
    const ran = await simulate({ seed, store, rounds });
    for (const name of Object.keys(sums)) sums[name] += ran[name];
    stores[ran.store] = (stores[ran.store] ?? 0) + 1;
    if (values.twice) {
      const again = await simulate({ seed, store, rounds });
      if (again.world.digest !== ran.world.digest) throw Object.assign(new Error("two runs of the seed differ"), { world: ran.world });
    }
    if (values.trace) console.log(ran.world.trace.join("\n"));
  } catch (error) {
    const line = `seed ${seed}: ${error.message}`;
    if (!values.all) {
      console.log((error.world?.trace ?? []).slice(values.trace ? 0 : -60).join("\n"));
      console.log(error.invariant === undefined ? error.stack : "");
      console.log(line);
      console.log(`again: node tests/shell/run.mjs --seed ${seed} --runs 1${store === undefined ? "" : ` --store ${store}`} --trace`);
      process.exit(1);
    }
    console.log(line);
    failures.set(error.invariant ?? "error", (failures.get(error.invariant ?? "error") ?? 0) + 1);
  }
}
const seconds = (Date.now() - started) / 1000;
const counts = Object.entries(sums).map(([name, count]) => `${count} ${name}`);
const kinds = Object.entries(stores).map(([name, count]) => `${count} on ${name}`);
console.log(`${done} runs of the shell in ${seconds.toFixed(1)} s: ${counts.join(", ")}; ${kinds.join(", ")}`);
if (failures.size > 0) {
  console.log(`broken: ${[...failures].map(([invariant, count]) => `${count} × ${invariant}`).join(", ")}`);
  process.exit(1);
}
process.exit(0);
