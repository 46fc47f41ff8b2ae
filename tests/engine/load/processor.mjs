// Measures the CPU time of a process and its descendants on Linux. Unlike wall time, it does not depend on other
// processes of the machine.
import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";

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

/**
 * Returns the CPU seconds of all programs of the machine since its start. Those of niced programs, which yield, count
 * only if this process is niced too. Returns `undefined` on other systems.
 */
export function machineSeconds() {
  try {
    const [line] = readFileSync("/proc/stat", "utf8").split("\n");
    // user, niced user, system, idle, waiting for disks, interrupts, soft interrupts, stolen by the host
    const [user, niced, system, , , irq, softirq, stolen] = line.split(/ +/).slice(1).map(Number);
    return (user + (getPriority() > 0 ? niced : 0) + system + irq + softirq + stolen) / TICKS_A_SECOND;
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
