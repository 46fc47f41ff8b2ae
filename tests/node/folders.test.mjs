// Folders of logs: links must stay inside, and an unreadable file does not affect the others.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { main } from "../../pkg/lib/cli/main.js";

const folder = mkdtempSync(join(tmpdir(), "tuckbox-folders-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const body = (content) => JSON.stringify({ model: "m", messages: [{ role: "user", content }] });

async function tuckbox(...args) {
  const output = { stdout: "", stderr: "" };
  const stream = (name) => ({ write: (text) => (output[name] += text) });
  const code = await main(args, { stdin: [], stdout: stream("stdout"), stderr: stream("stderr"), env: {}, cwd: () => folder });
  return { code, ...output };
}

/** Runs a function as a user without privileges, because root can read every file. */
async function unprivileged(run) {
  if (process.geteuid() !== 0) return run();
  process.seteuid(65534);
  try {
    return await run();
  } finally {
    process.seteuid(0);
  }
}

test("links out of a folder, broken links, unreadable files, pipes and sockets are skipped with a note", async () => {
  chmodSync(folder, 0o755);
  const inside = (name) => join(folder, "logs", name);
  mkdirSync(inside("sub"), { recursive: true });
  mkdirSync(join(folder, "outside"));
  mkdirSync(join(folder, "logs-2"));
  writeFileSync(join(folder, "outside", "secret.json"), body("a secret"));
  writeFileSync(join(folder, "logs-2", "secret.json"), body("a secret"));
  writeFileSync(inside("a.json"), body("first"));
  writeFileSync(inside("sub/z.json"), body("last"));
  writeFileSync(inside("denied.json"), body("denied"));
  chmodSync(inside("denied.json"), 0);
  mkdirSync(inside("closed"), { mode: 0 });
  symlinkSync("../outside/secret.json", inside("file-link.json"));
  symlinkSync("../logs-2", inside("folder-link"));
  symlinkSync("../../outside", inside("sub/up"));
  symlinkSync("nowhere", inside("nowhere.json"));
  symlinkSync("circle.json", inside("circle.json"));
  symlinkSync("..", inside("sub/cycle"));
  execFileSync("mkfifo", [inside("pipe.json")]);
  const server = createServer();
  await new Promise((resolve) => server.listen(inside("socket.json"), resolve));
  try {
    // load the parts of the package before dropping the privileges
    await tuckbox("import", "logs/a.json", "--json");
    await tuckbox("import", "logs/a.json", "--list", "--json");
    for (const more of [[], ["--list"]]) {
      const { code, stdout, stderr } = await unprivileged(() => tuckbox("import", "logs", "--json", ...more));
      assert.equal(code, 0, stderr);
      const report = JSON.parse(stdout);
      const { files } = report.value ?? report;
      assert.deepEqual(
        files.map(({ name }) => name),
        ["logs/a.json", "logs/sub/z.json"],
      );
      const skipped = stderr.trim().split("\n");
      const expected = [
        /`logs\/circle\.json` is skipped: ELOOP/,
        /`logs\/closed` is skipped: EACCES/,
        /`logs\/denied\.json` is skipped: EACCES/,
        /`logs\/file-link\.json` is skipped: the link leads out of the folder/,
        /`logs\/folder-link` is skipped: the link leads out of the folder/,
        /`logs\/nowhere\.json` is skipped: ENOENT/,
        /`logs\/pipe\.json` is skipped: it is not a regular file/,
        /`logs\/socket\.json` is skipped: it is not a regular file/,
        /`logs\/sub\/up` is skipped: the link leads out of the folder/,
      ];
      assert.equal(skipped.length, expected.length, stderr);
      for (const [at, pattern] of expected.entries()) assert.match(skipped[at], pattern);
    }
  } finally {
    server.close();
  }
});

test("a path of the caller can be a link to a file or a folder", async () => {
  mkdirSync(join(folder, "real"));
  writeFileSync(join(folder, "real", "a.json"), body("first"));
  symlinkSync("real", join(folder, "link"));
  symlinkSync("real/a.json", join(folder, "link.json"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  for (const path of ["link", "link.json"]) {
    const { code, stdout } = await tuckbox("import", path, "--json");
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).value.files.length, 1);
  }
  const { code, stderr } = await tuckbox("import", "pipe");
  assert.equal(code, 2);
  assert.match(stderr, /`pipe` cannot be read: it is neither a file nor a folder/);
});
