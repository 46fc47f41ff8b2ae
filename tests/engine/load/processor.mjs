// The processor time of a process and everything it started, where the system tells (Linux): what a crowded machine
// does to clocks it does not do to this.
import { readdirSync, readFileSync } from "node:fs";

const TICKS_A_SECOND = 100;

/** Seconds that `pid`, its descendants and those of them that have ended have used; nothing where nobody tells. */
export function processorSeconds(pid = process.pid) {
  try {
    const stats = new Map(
      readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .flatMap(readStat),
    );
    const children = new Map();
    for (const one of stats.values()) children.set(one.parent, [...(children.get(one.parent) ?? []), one]);
    const sum = (one) => one.ticks + (children.get(one.pid) ?? []).reduce((whole, child) => whole + sum(child), 0);
    return stats.has(pid) ? sum(stats.get(pid)) / TICKS_A_SECOND : undefined;
  } catch {
    return undefined;
  }
}

function readStat(name) {
  try {
    const text = readFileSync(`/proc/${name}/stat`, "utf8");
    // the name of a program may hold anything, and stands in brackets
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const pid = Number(name);
    return [[pid, { pid, parent: Number(fields[1]), ticks: fields.slice(11, 15).reduce((whole, ticks) => whole + Number(ticks), 0) }]];
  } catch {
    // it has ended
    return [];
  }
}
