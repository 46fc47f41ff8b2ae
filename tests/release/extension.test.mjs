// `npx tuckbox extension` unpacks a panel that a browser loads.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { launchWithExtension } from "../browser/chromium.mjs";

const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));

test("the unpacked extension loads, and its panel starts", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-extension-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const printed = execFileSync(process.execPath, [program, "extension", "panel"], { cwd: folder, encoding: "utf8" });
  assert.match(printed, /chrome:\/\/extensions[\s\S]*Load unpacked/);
  // again: the earlier version is replaced
  execFileSync(process.execPath, [program, "extension", "panel"], { cwd: folder });

  const context = await launchWithExtension(join(folder, "panel"));
  t.after(() => context.close());
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  const panel = await context.newPage();
  const logged = [];
  panel.on("console", (message) => message.type() === "error" && logged.push(message.text()));
  panel.on("pageerror", (error) => logged.push(String(error)));
  await panel.goto(worker.url().replace("background.js", "panel.html?tab=1"));
  await panel.locator(".panel-state").waitFor();
  assert.deepEqual(logged, []);
});

test("a folder with other files is refused", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-extension-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "thesis.txt"), "mine");
  const { status, stderr } = spawnSync(process.execPath, [program, "extension", "."], { cwd: folder, encoding: "utf8" });
  assert.equal(status, 2);
  assert.match(stderr, /the folder `\.` is not empty, and it is not this extension/);
});
