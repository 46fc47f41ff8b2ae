// Measures the CPU time of a process and its descendants on Linux. Unlike wall time, it does not depend on other
// processes of the machine.
import { readdirSync, readFileSync } from "node:fs";

const TICKS_A_SECOND = 100;

/** Returns the CPU seconds of `pid` and its descendants, including ended ones. Returns `undefined` on other systems. */
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
    // the program name is in parentheses and can contain any character
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const pid = Number(name);
    return [[pid, { pid, parent: Number(fields[1]), ticks: fields.slice(11, 15).reduce((whole, ticks) => whole + Number(ticks), 0) }]];
  } catch {
    // the process has ended
    return [];
  }
}
