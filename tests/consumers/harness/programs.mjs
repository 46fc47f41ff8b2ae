// Programs that came from npm, started and listened to.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { awaited } from "../../support/until.mjs";

/** Returns where the program of a tool is: among those of the fast tests, or of the deep ones. */
export function program(name) {
  const file = process.platform === "win32" ? `${name}.cmd` : name;
  const places = ["..", "../deep"].map((folder) => fileURLToPath(new URL(`${folder}/node_modules/.bin/${file}`, import.meta.url)));
  const found = places.find((place) => existsSync(place));
  if (found === undefined)
    throw new Error(`there is no \`${name}\`: run \`npm install --no-save\` in \`tests/consumers\` and in \`tests/consumers/deep\``);
  return found;
}

/** Runs a program to its end, with `input` on its standard input; gives what it printed. */
export function run(program, args, { input = "", ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], ...options });
    const said = { stdout: [], stderr: [] };
    for (const stream of ["stdout", "stderr"]) child[stream].on("data", (chunk) => said[stream].push(chunk));
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const [stdout, stderr] = [said.stdout, said.stderr].map((chunks) => Buffer.concat(chunks).toString("utf8"));
      if (code === 0) resolve(stdout);
      else reject(new Error(`\`${program} ${args.join(" ")}\` ended with ${code ?? signal}\n${stdout}${stderr}`));
    });
    // a program that ends early does not read to the end
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** Starts a program that goes on; resolves with what it says once that matches, and with how to end it. */
export function startTalking(program, args, wanted, options = {}) {
  let heard = "";
  const started = new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    const ended = new Promise((done) => child.once("exit", done));
    const stop = () => {
      child.kill("SIGINT");
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
