// The command line with a real PostgreSQL server. Some commands run as processes. The others run in this process, which
// is faster.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { main } from "../../pkg/lib/cli/main.js";
import { startPostgres } from "./server.mjs";

const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));
const server = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), "tuckbox-cli-"));
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

// the command loads the driver from its working directory, here the packages of the tests
const cwd = fileURLToPath(new URL("..", import.meta.url));

function tuckbox(...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { cwd });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (output[name] += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...output }));
    child.stdin.end();
  });
}

/** Runs a command in this process. */
async function inside(...args) {
  const output = { stdout: "", stderr: "" };
  const stream = (name) => ({ write: (text) => (output[name] += text) });
  const code = await main(args, { stdin: [], stdout: stream("stdout"), stderr: stream("stderr"), env: {}, cwd: () => cwd });
  return { code, ...output };
}

const done = (...args) => succeeded(inside, args);
const real = (...args) => succeeded(tuckbox, args);

async function succeeded(by, args) {
  const ran = await by(...args);
  assert.equal(ran.code, 0, `tuckbox ${args.join(" ")}\n${ran.stdout}${ran.stderr}`);
  return ran.stdout;
}

test("commands migrate a database, fill it, pack from it and read it", async () => {
  const where = ["--store", server.url, "--project", "demo"];
  const early = await inside("inspect", "notes", ...where);
  assert.equal(early.code, 4);
  assert.match(early.stderr, /^error store/);
  assert.match(await done("migrate", ...where), /create table/i);
  assert.equal((await inside("inspect", "notes", ...where)).code, 4, "a preview of a migration changes nothing");
  assert.match(await real("migrate", ...where, "--commit"), /^migrated/);

  const profileBox = join(folder, "profile_box.json");
  writeFileSync(profileBox, JSON.stringify({ box_id: "pb_writer", card_ids: [] }));
  await done("call", "create_box", profileBox, ...where, "--commit");
  await done("profile", "register", "Writer", "pb_writer", ...where, "--commit");
  await done("agent", "register", "ann", "Writer", "--name", "Ann", ...where, "--commit");
  assert.match(await done("agent", "list", ...where), /"display_name": "Ann"/);
  const cards = join(folder, "cards.json");
  writeFileSync(
    cards,
    JSON.stringify({
      cards: [{ card_id: "n1", type: "note", author_id: "me", content: { __type__: "TextContent", text: "Cards never change." } }],
    }),
  );
  await done("call", "put_cards", cards, ...where, "--commit");
  const box = join(folder, "box.json");
  writeFileSync(box, JSON.stringify({ box_id: "notes", card_ids: ["n1"] }));
  await done("call", "create_box", box, ...where, "--commit");
  const packed = JSON.parse(
    await real("pack", ...where, "--to", "writer", "--instruction", "Draft it.", "--from", "notes", "--commit", "--json"),
  );
  const shown = await done("inspect", packed.value.packed.context_box_id, ...where);
  assert.match(shown, /0 +user[^\n]+Draft it\.\n[^\n]+Cards never change\./);
});

test("the error for an unreachable database does not contain the password", async () => {
  const { code, stdout, stderr } = await tuckbox(
    "inspect",
    "notes",
    "--store",
    "postgres://me:hunter2@127.0.0.1:1/none",
    "--project",
    "demo",
  );
  assert.equal(code, 4);
  assert.match(stderr, /^error store at store\.read: the database failed/);
  assert.ok(!`${stdout}${stderr}`.includes("hunter2"));
});
