// Runs programs of npm packages.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { awaited } from "../../support/until.mjs";

/** Returns the path of a program, from the packages of the fast or the deep tests. */
export function program(name) {
  const file = process.platform === "win32" ? `${name}.cmd` : name;
  const places = ["..", "../deep"].map((folder) => fileURLToPath(new URL(`${folder}/node_modules/.bin/${file}`, import.meta.url)));
  const found = places.find((place) => existsSync(place));
  if (found === undefined)
    throw new Error(`\`${name}\` is missing: run \`npm install --no-save\` in \`tests/consumers\` and in \`tests/consumers/deep\``);
  return found;
}

/** Runs a program with `input` on its standard input and returns its standard output. */
export function run(program, args, { input = "", ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], ...options });
    const output = { stdout: [], stderr: [] };
    for (const stream of ["stdout", "stderr"]) child[stream].on("data", (chunk) => output[stream].push(chunk));
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const [stdout, stderr] = [output.stdout, output.stderr].map((chunks) => Buffer.concat(chunks).toString("utf8"));
      if (code === 0) resolve(stdout);
      else reject(new Error(`\`${program} ${args.join(" ")}\` ended with ${code ?? signal}\n${stdout}${stderr}`));
    });
    // a program that ends early does not read all input
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** Starts a long-running program. Resolves when its output matches, with the match and a function that stops it. */
export function startTalking(program, args, wanted, options = {}) {
  let heard = "";
  const started = new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    const ended = new Promise((done) => child.once("exit", done));
    const stop = (signal = "SIGINT") => {
      child.kill(signal);
      return ended;
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        heard += chunk;
        const said = wanted.exec(heard)?.[0];
        if (said !== undefined) resolve({ said, stop, pid: child.pid });
      });
    }
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`\`${program} ${args.join(" ")}\` ended with ${code}\n${heard}`)));
  });
  return awaited(`\`${program}\` prints ${wanted}`, started, () => heard);
}
