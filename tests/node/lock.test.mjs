// The context lockfile: commands, config, and tests that lock.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, win32 } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { memoryStore, open } from "../../pkg/index.js";
import { main } from "../../pkg/lib/cli/main.js";
import { slashed } from "../../pkg/lib/lock/file.js";
import { assertContext, assertThatContext, recordContexts } from "../../pkg/node-test.js";
import { contextMatchers } from "../../pkg/vitest.js";
import { deep, times } from "../support/deep.mjs";

const root = mkdtempSync(join(tmpdir(), "tuckbox-lock-"));
after(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
/** Creates a folder with files. */
function folder(files = {}) {
  count += 1;
  const path = join(root, String(count));
  mkdirSync(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), typeof text === "string" ? text : JSON.stringify(text));
  return path;
}

/** Runs the command in this process. */
async function lock(cwd, args, env = {}) {
  const output = { stdout: "", stderr: "" };
  const stream = (name) => ({ write: (text) => (output[name] += text) });
  const code = await main(["lock", ...args], { stdin: [], stdout: stream("stdout"), stderr: stream("stderr"), env, cwd: () => cwd });
  return { code, ...output };
}

const body = (system) => ({
  model: "gpt-5",
  messages: [
    { role: "system", content: system },
    { role: "user", content: "Hello" },
  ],
});
const request = (system) => ({ request: { provider: "openai_chat", body: body(system) } });
const config = (entries, more = {}) => ({ lock: { entries, ...more } });

describe("commands", () => {
  test("`update` writes, `check` compares, `show` and `diff` print", async () => {
    const cwd = folder({ "tuckbox.config.json": config({ "b/2": request("Two."), "a/1": request("One.") }) });
    assert.equal((await lock(cwd, ["check"])).code, 1, "without a lockfile every context is new");
    assert.match((await lock(cwd, ["update"])).stdout, /2 added, 0 changed/);
    const text = readFileSync(join(cwd, "tuckbox.lock"), "utf8");
    assert.ok(text.indexOf('entry "a/1"') < text.indexOf('entry "b/2"'));
    assert.deepEqual(await lock(cwd, ["check"]), { code: 0, stdout: "2 contexts, no changes\n", stderr: "" });
    assert.match((await lock(cwd, ["update"])).stdout, /0 added, 0 changed, 0 removed/);
    assert.equal(readFileSync(join(cwd, "tuckbox.lock"), "utf8"), text);
    assert.match((await lock(cwd, ["show", "a/1"])).stdout, /^entry "a\/1"\n {2}provider openai_chat "gpt-5"\n/);
    const diff = await lock(cwd, ["diff", "a/1", "b/2"]);
    assert.equal(diff.code, 1);
    assert.match(diff.stdout, /system prompt edited at \/system\/0: "One\." -> "Two\."/);
    assert.deepEqual(readdirSync(cwd), ["tuckbox.config.json", "tuckbox.lock"]);
  });

  test("a change has exit code 1, and reports go to files", async () => {
    const cwd = folder({ "tuckbox.config.json": config({ a: request("One."), b: request("One."), c: request("Three.") }) });
    await lock(cwd, ["update"]);
    writeFileSync(
      join(cwd, "tuckbox.config.json"),
      JSON.stringify(config({ a: request("Won."), b: request("Won."), c: request("Three.") })),
    );
    const { code, stdout } = await lock(cwd, [
      "check",
      "--reporter",
      "text",
      "--reporter",
      "markdown=s.md",
      "--reporter",
      "junit=j.xml",
      "--reporter",
      "json=v.json",
    ]);
    assert.equal(code, 1);
    assert.match(stdout, /^2 of 3 contexts changed\n- system prompt edited: 2 contexts/);
    assert.match(readFileSync(join(cwd, "s.md"), "utf8"), /^### Context: 2 of 3 contexts changed/);
    assert.match(readFileSync(join(cwd, "j.xml"), "utf8"), /tests="3" failures="2"/);
    assert.equal(JSON.parse(readFileSync(join(cwd, "v.json"), "utf8")).groups[0].entries.length, 2);
    assert.match((await lock(cwd, ["check", "c"])).stdout, /1 context, no changes/);
    assert.equal((await lock(cwd, ["check", "nothing"])).code, 2);
    cpSync(join(cwd, "tuckbox.lock"), join(cwd, "old.lock"));
    await lock(cwd, ["update", "a"]);
    assert.match((await lock(cwd, ["diff", "old.lock", "tuckbox.lock"])).stdout, /1 of 3 contexts changed/);
  });

  test("SARIF has a result for each cause, at the line of its first entry", async () => {
    const cwd = folder({ "tuckbox.config.json": config({ a: request("One."), b: request("One.") }) });
    await lock(cwd, ["update"]);
    writeFileSync(join(cwd, "tuckbox.config.json"), JSON.stringify(config({ a: request("Won."), b: request("Won.") })));
    const { code, stdout } = await lock(cwd, ["check", "--reporter", "sarif"]);
    assert.equal(code, 1);
    const { version, runs } = JSON.parse(stdout);
    assert.deepEqual(
      [version, runs[0].tool.driver.rules, runs[0].invocations],
      ["2.1.0", [{ id: "edited" }], [{ executionSuccessful: true, exitCode: 1 }]],
    );
    const [{ ruleId, level, message, locations }] = runs[0].results;
    assert.deepEqual([ruleId, level], ["edited", "warning"]);
    assert.match(message.text, /^system prompt edited: 2 contexts/);
    assert.deepEqual(locations, [{ physicalLocation: { artifactLocation: { uri: "tuckbox.lock" }, region: { startLine: 3 } } }]);
  });

  test("a lockfile with the line ends of Windows is the same", async () => {
    const cwd = folder({ "tuckbox.config.json": config({ a: request("One.") }) });
    await lock(cwd, ["update"]);
    const text = readFileSync(join(cwd, "tuckbox.lock"), "utf8");
    writeFileSync(join(cwd, "tuckbox.lock"), text.replaceAll("\n", "\r\n"));
    assert.equal((await lock(cwd, ["check"])).code, 0);
    assert.equal(slashed(win32.relative("C:\\project", "C:\\project\\tests\\a.test.js"), win32.sep), "tests/a.test.js");
  });

  test("the cache of texts has the words that differ, without secrets and entries that are gone", async () => {
    const long = "You write reports. ".repeat(9);
    const given = (end, key = "") => config({ a: request(`${long}${end}`), b: request(`Key${key}.`) });
    const cwd = folder({ "tuckbox.config.json": given("Be brief.", " sk-abcdefghij0123456789xyz") });
    mkdirSync(join(cwd, "node_modules"));
    await lock(cwd, ["update"]);
    const cache = () => Object.values(JSON.parse(readFileSync(join(cwd, "node_modules/.cache/tuckbox/lock.json"), "utf8")));
    assert.deepEqual(cache(), [`${long}Be brief.`, "Hello"]);
    writeFileSync(join(cwd, "tuckbox.config.json"), JSON.stringify(given("Be long.")));
    const { stdout } = await lock(cwd, ["check"]);
    assert.match(stdout, /system prompt edited at \/system\/0[^\n]*: "[^"]*brief[^"]*" -> "[^"]*long[^"]*"/);
    assert.match(stdout, /"\[secret\]" -> "Key\."/);
    await lock(cwd, ["update"]);
    assert.deepEqual(cache(), [`${long}Be long.`, "Hello", "Key."]);
  });

  test("readers never see a part of an update", async () => {
    const cwd = folder({ "tuckbox.config.json": config({ a: request("One.") }) });
    await lock(cwd, ["update"]);
    let isDone = false;
    const reading = (async () => {
      let reads = 0;
      while (!isDone) {
        assert.match(await readFile(join(cwd, "tuckbox.lock"), "utf8"), /^# tuckbox\.lock v1.*\n# end\n$/s);
        reads += 1;
      }
      return reads;
    })();
    for (let run = 0; run < times(3, 50); run += 1) {
      writeFileSync(join(cwd, "tuckbox.config.json"), JSON.stringify(config({ a: request(`One ${run}.`.repeat(1 + (run % 3) * 50)) })));
      assert.equal((await lock(cwd, ["update"])).code, 0);
    }
    isDone = true;
    assert.ok((await reading) > 0);
    assert.deepEqual(readdirSync(cwd), ["tuckbox.config.json", "tuckbox.lock"]);
  });

  test("entries of a deleted test file are obsolete", async () => {
    process.env.CI = "";
    const cwd = folder({ "tuckbox.config.json": config({ a: request("One.") }), "b.test.js": "" });
    await lock(cwd, ["update"]);
    await assertContext(body("Two."), "b", { cwd, test: join(cwd, "b.test.js") });
    assert.equal((await lock(cwd, ["check"])).code, 0);
    rmSync(join(cwd, "b.test.js"));
    assert.match((await lock(cwd, ["check"])).stdout, /only in the lockfile: b/);
    assert.match((await lock(cwd, ["update"])).stdout, /removed b/);
  });

  test("`update` is refused in CI", async () => {
    const cwd = folder({ "tuckbox.config.json": config({ a: request("One.") }) });
    const refused = await lock(cwd, ["update"], { CI: "true" });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /`CI` is set/);
    assert.equal(existsSync(join(cwd, "tuckbox.lock")), false);
    assert.equal((await lock(cwd, ["update", "--force-in-ci"], { CI: "true" })).code, 0);
    assert.equal((await lock(cwd, ["check"], { CI: "true" })).code, 0);
  });

  test("what cannot be decided has exit code 2, and nothing is written", async () => {
    const good = folder({ "tuckbox.config.json": config({ a: request("One."), b: request("Two.") }) });
    await lock(good, ["update"]);
    const text = readFileSync(join(good, "tuckbox.lock"), "utf8");
    const cases = {
      "is not resolved": { "tuckbox.lock": `${text}<<<<<<< HEAD\n` },
      truncated: { "tuckbox.lock": text.slice(0, -40) },
      "unsupported version": { "tuckbox.lock": text.replace("v1", "v9") },
      "edited by hand": { "tuckbox.lock": text.replace("One.", "Won.") },
      "two entries": { "tuckbox.lock": text.replace("# end", `${text.slice(text.indexOf("entry"), text.indexOf("# end"))}# end`) },
      boom: { "tuckbox.config.mjs": 'throw new Error("boom");', "tuckbox.config.json": "" },
      "must be an object": { "tuckbox.config.mjs": "export default 7;" },
      "the default export": { "tuckbox.config.mjs": "export const lock = {};" },
      "`lock.timeoutMs` must be a number of milliseconds": { "tuckbox.config.json": { lock: { timeoutMs: "1" } } },
      "`lock.volatile` must be a list of slots": { "tuckbox.config.json": { lock: { volatile: "/system/0" } } },
      "`lock.now` must be a time": { "tuckbox.config.json": { lock: { now: "today" } } },
      "name it `tuckbox.config.mjs`": { "tuckbox.config.js": "export default {};", "package.json": { type: "commonjs" } },
      "unknown key `lock.entires`": { "tuckbox.config.mjs": "export default { lock: { entires: {} } };" },
      "took more than 50 ms": {
        "tuckbox.config.mjs": "export default { lock: { timeoutMs: 50, entries: { a: () => new Promise(() => {}) } } };",
      },
      "took more than 60 ms": { "tuckbox.config.mjs": "export default { lock: { timeoutMs: 60, entries: { a: () => { for (;;); } } } };" },
      "`a`: no": { "tuckbox.config.mjs": 'export default { lock: { entries: { a: () => { throw new Error("no"); } } } };' },
      "must be an object with `context`": { "tuckbox.config.mjs": "export default { lock: { entries: { a: () => 7 } } };" },
      "unknown key `mesages`": { "tuckbox.config.mjs": "export default { lock: { entries: { a: { context: { mesages: [] } } } } };" },
    };
    for (const [index, [message, files]] of Object.entries(cases).entries()) {
      const cwd = folder({ "tuckbox.config.json": config({ a: request("One."), b: request("Two.") }), "tuckbox.lock": text, ...files });
      const before = readFileSync(join(cwd, "tuckbox.lock"), "utf8");
      for (const action of deep ? ["update", "check"] : [index % 2 === 0 ? "check" : "update"]) {
        const { code, stdout, stderr } = await lock(cwd, [action]);
        assert.equal(code, 2, `${action} ${message}: ${stdout}${stderr}`);
        // the place: a line of the lockfile, the path of the config, or the name of the context
        if ("tuckbox.lock" in files) assert.match(stderr, /line \d+/, message);
        assert.ok(
          `${stdout}${stderr}`.includes(action === "check" ? message.replace("`a`", "a") : message),
          `${message}: ${stdout}${stderr}`,
        );
      }
      assert.equal(readFileSync(join(cwd, "tuckbox.lock"), "utf8"), before);
    }
    assert.equal((await lock(folder(), ["check"])).code, 2, "a folder without a config");
    assert.equal((await lock(good, ["chekc"])).code, 2);
  });

  test("a context that differs between two processes is unstable", async () => {
    // modules read the clock when they are loaded, and when a context is built
    const text = `const started = process.hrtime.bigint(); const body = (user) => ({ request: { provider: "openai_chat", body: { model: "m", messages: [
      { role: "system", content: "Be brief." }, { role: "user", content: user }] } } });
      export default { lock: { entries: { a: () => body("request " + started), b: body("request " + started), c: body("Hello") } } };`;
    const cwd = folder({ "tuckbox.config.mjs": text });
    const { stdout } = await lock(cwd, ["update"]);
    for (const name of ["a", "b"])
      assert.match(
        stdout,
        new RegExp(`unstable ${name} /messages/0 differs between two builds; declare \`volatile: \\["/messages/0"\\]\``),
      );
    assert.doesNotMatch(stdout, /unstable c/);
    writeFileSync(join(cwd, "edited.mjs"), text.replaceAll("request ", "call "));
    assert.match((await lock(cwd, ["check", "b", "--config", "edited.mjs"])).stdout, /unstable: b: \/messages\/0 \(user message, a \w+\)/);
  });

  test("a config that loops, ends its process or leaves a timer is never the same", async () => {
    const cwd = folder({ "tuckbox.config.json": config({ a: request("One.") }) });
    await lock(cwd, ["update"]);
    const text = readFileSync(join(cwd, "tuckbox.lock"), "utf8");
    const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));
    const context = JSON.stringify(request("One."));
    const cases = [
      [0, /1 context, no changes/, `setInterval(() => {}, 1000); export default { lock: { entries: { a: () => (${context}) } } };`],
      [2, /the function of `a` ended the process with exit code 0/, "export default { lock: { entries: { a: () => process.exit(0) } } };"],
      [
        2,
        /the function of `a` took more than 50 ms; see `lock.timeoutMs`/,
        "export default { lock: { timeoutMs: 50, entries: { a: async () => { await null; for (;;); } } } };",
      ],
      ...(deep
        ? [
            [2, /tuckbox\.config\.mjs` ended the process with exit code 0/, "process.exit(0);"],
            [2, /tuckbox\.config\.mjs` took more than 10000 ms/, "for (;;);"],
            [
              2,
              /ended the process/,
              `Promise.reject(new Error("late")); export default { lock: { entries: { a: async () => { await new Promise((done) => setTimeout(done, 500)); return ${context}; } } } };`,
            ],
          ]
        : []),
    ];
    for (const [code, message, config] of cases) {
      writeFileSync(join(cwd, "tuckbox.config.mjs"), config);
      const ran = spawnSync(process.execPath, [program, "lock", "check"], { cwd, encoding: "utf8" });
      assert.equal(ran.status, code, `${config}: ${ran.stdout}${ran.stderr}`);
      assert.match(`${ran.stdout}${ran.stderr}`, message);
      assert.equal(readFileSync(join(cwd, "tuckbox.lock"), "utf8"), text);
    }
  });

  test("`add` locks a request of a log", async () => {
    const log = [body("One."), body("Two.")].map((each) => JSON.stringify(each)).join("\n");
    const cwd = folder({ "log.jsonl": log });
    assert.match((await lock(cwd, ["add", "first", "log.jsonl#0"])).stdout, /added first/);
    assert.match(readFileSync(join(cwd, "tuckbox.lock"), "utf8"), /from "log\.jsonl#0"\n {2}provider openai_chat "gpt-5"/);
    assert.equal((await lock(cwd, ["check"])).code, 0);
    writeFileSync(join(cwd, "log.jsonl"), log.replace("One.", "Won."));
    assert.match((await lock(cwd, ["check"])).stdout, /system prompt edited/);
    rmSync(join(cwd, "log.jsonl"));
    assert.equal((await lock(cwd, ["check"])).code, 2);
    assert.equal((await lock(cwd, ["add", "x", "nothing.jsonl"])).code, 2);
  });

  test("a turn of a project has the causes of its profile and cards", async () => {
    const store = memoryStore();
    store
      .project("demo")
      .addProfile({ name: "Writer", profile_box_id: "pb" })
      .addCard({
        card_id: "prof",
        metadata: { type: "sys.profile" },
        content: { __type__: "JsonContent", data: { name: "Writer", system_prompt_template: "You write." } },
      })
      .addBox({ box_id: "pb", card_ids: ["prof"] })
      .addCard({
        card_id: "n1",
        metadata: { type: "note", author_id: "me", role: "user" },
        content: { __type__: "TextContent", text: "Hello" },
      })
      .addBox({ box_id: "notes", card_ids: ["n1"] });
    const project = await open(store, { projectId: "demo" });
    const turn = { context_box_id: "notes", profile_box_id: "pb" };
    const { block, details } = await project.lock.entry({ name: "t", context: { turn, provider: "anthropic", model: "claude-opus-5-5" } });
    assert.match(block, /system text system \d+ [0-9a-f]{12} "system prompt of profile Writer" "You write\./);
    assert.match(block, /message text user \d+ [0-9a-f]{12} "card note" "Hello"/);
    assert.deepEqual(details.boxes, ["notes"]);
  });
});

describe("in tests", () => {
  test("`assertContext` adds, compares and updates", async (t) => {
    const cwd = folder({ "package.json": "{}" });
    const env = { CI: process.env.CI, TUCKBOX_LOCK: process.env.TUCKBOX_LOCK };
    t.after(() => {
      for (const [name, value] of Object.entries(env)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    });
    process.env.CI = "1";
    await assert.rejects(assertContext(body("One."), "a", { cwd }), /not in the lockfile: a/);
    process.env.CI = "";
    await assertContext(body("One."), "a", { cwd });
    await assert.rejects(assertContext(body("Two."), "a", { cwd }), /system prompt edited: 1 context/);
    process.env.TUCKBOX_LOCK = "update";
    await assertContext(body("Two."), "a", { cwd });
    process.env.TUCKBOX_LOCK = "";
    await assertContext(body("Two."), "a", { cwd });
    await assertThatContext(body("Two."), { max_tokens: 100, contains: [{ role: "user" }] });
    await assert.rejects(assertThatContext(body("Two."), { max_tokens: 1 }), /max_tokens at \/system\/0: \d+ tokens; expected at most 1/);
  });

  test("workers that add entries at once lose none", async () => {
    process.env.CI = "";
    const cwd = folder({ "package.json": "{}" });
    const names = Array.from({ length: 12 }, (_, at) => `e${at}`);
    await Promise.all(names.map((name) => assertContext(body(name), name, { cwd })));
    const { entries } = await (await open(memoryStore(), { projectId: "p" })).lock.read({
      lock: readFileSync(join(cwd, "tuckbox.lock"), "utf8"),
    });
    assert.equal(entries.length, names.length);
  });

  test("recorded requests are entries", async () => {
    process.env.CI = "";
    const cwd = folder({ "package.json": "{}" });
    const answer = async () => new Response("{}");
    const ask = (system) => (recorder) => recorder.fetch("http://localhost/v1", { method: "POST", body: JSON.stringify(body(system)) });
    await recordContexts("r", ask("One."), { cwd, fetch: answer });
    await assert.rejects(recordContexts("r", ask("Two."), { cwd, fetch: answer }), /system prompt edited/);
    assert.match(readFileSync(join(cwd, "tuckbox.lock"), "utf8"), /entry "r\/1"\n {2}from "test:"/);
  });

  test("requests of the global `fetch`, of clients and of models are entries", async (t) => {
    process.env.CI = "";
    const cwd = folder({ "package.json": "{}" });
    const own = globalThis.fetch;
    t.after(() => {
      globalThis.fetch = own;
    });
    const sent = [];
    const answers = {
      "/v1/chat/completions": {
        id: "c",
        object: "chat.completion",
        created: 1,
        model: "gpt-5",
        choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi" } }],
      },
      "/v1/messages": {
        id: "m",
        type: "message",
        role: "assistant",
        model: "claude-opus-5-5",
        content: [{ type: "text", text: "Hi" }],
        stop_reason: "end_turn",
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    };
    const answer = async (input) => {
      const { pathname } = new URL(typeof input === "string" ? input : input.url);
      sent.push(pathname);
      return Response.json(answers[pathname] ?? {});
    };
    globalThis.fetch = answer;
    const openai = new OpenAI({ apiKey: "k" });
    const anthropic = new Anthropic({ apiKey: "k" });
    const messages = [{ role: "user", content: "Hello" }];
    const model = {
      specificationVersion: "v3",
      provider: "test",
      modelId: "test-1",
      supportedUrls: {},
      doGenerate: async () => ({ content: [{ type: "text", text: "Hi" }], finishReason: "stop", usage: {}, warnings: [] }),
    };
    const { text } = await recordContexts(
      "r",
      async ({ wrap }) => {
        await fetch("http://localhost/search", { method: "POST", body: JSON.stringify({ query: "not a model" }) });
        await fetch("http://localhost/v1/chat/completions", { method: "POST", body: JSON.stringify(body("One.")) });
        await wrap(openai).chat.completions.create({ model: "gpt-5", messages });
        await new OpenAI({ apiKey: "k" }).chat.completions.create({ model: "gpt-5", messages });
        await wrap(anthropic).messages.create({ model: "claude-opus-5-5", max_tokens: 10, messages });
        const wrapped = wrap(model);
        assert.equal(wrapped.modelId, "test-1");
        return wrapped
          .doGenerate({ prompt: [{ role: "user", content: [{ type: "text", text: "Hello" }] }] })
          .then(() => ({ text: "done" }));
      },
      { cwd, volatile: [] },
    );
    assert.equal(text, "done");
    assert.deepEqual(sent, ["/search", "/v1/chat/completions", "/v1/chat/completions", "/v1/chat/completions", "/v1/messages"]);
    const { entries } = await (await open(memoryStore(), { projectId: "p" })).lock.read({
      lock: readFileSync(join(cwd, "tuckbox.lock"), "utf8"),
    });
    assert.deepEqual(
      entries.map(({ name, model, positions }) => [name, model, positions]),
      [
        ["r/1", "gpt-5", 2],
        ["r/2", "gpt-5", 1],
        ["r/3", "gpt-5", 1],
        ["r/4", "claude-opus-5-5", 1],
        ["r/5", "test-1", 1],
      ],
    );
    assert.equal(globalThis.fetch, answer, "the global function is restored");
    await assert.rejects(
      recordContexts("s", () => openai.chat.completions.create({ model: "gpt-5", messages }), { cwd }),
      /`s` sent no request to a model; a client that was created before needs `wrap\(client\)`/,
    );
    await assert.rejects(
      recordContexts("s", ({ wrap }) => wrap({}), { cwd }),
      /`wrap` takes a client of/,
    );
  });

  test("matchers follow the mode of the runner", async () => {
    const cwd = folder({ "package.json": "{}" });
    const old = process.cwd();
    process.chdir(cwd);
    try {
      const match = (mode, given) =>
        contextMatchers.toMatchContext.call({ testPath: join(cwd, "a.test.js"), snapshotState: { _updateSnapshot: mode } }, given, "a");
      assert.equal((await match("none", body("One."))).pass, false);
      assert.equal((await match("new", body("One."))).pass, true);
      const changed = await match("new", body("Two."));
      assert.equal(changed.pass, false);
      assert.match(changed.message(), /system prompt edited/);
      assert.equal((await match("all", body("Two."))).pass, true);
      assert.match(readFileSync(join(cwd, "tuckbox.lock"), "utf8"), /from "test:a\.test\.js"/);
      assert.equal((await contextMatchers.toFitBudget(body("One."), 1)).pass, false);
      assert.equal((await contextMatchers.toContainCard(body("One."), { role: "user" })).pass, true);
      assert.equal((await contextMatchers.toHaveStablePrefix(body("One."), 3)).pass, true);
      const context = { context: { messages: [{ role: "user", content: "Hi" }], provider: "openai_chat", model: "gpt-5" } };
      assert.equal((await contextMatchers.toBeLegalFor(context, "gemini")).pass, true);
      // a body is converted from the messages that it has
      assert.equal((await contextMatchers.toBeLegalFor(body("One."), "anthropic")).pass, true);
      const spoken = { role: "user", content: [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }] };
      const loud = { model: "gpt-5", messages: [spoken] };
      assert.equal((await contextMatchers.toBeLegalFor(loud, "openai_chat")).pass, true);
      const illegal = await contextMatchers.toBeLegalFor(loud, "anthropic");
      assert.equal(illegal.pass, false);
      assert.match(illegal.message(), /legal_for/);
    } finally {
      process.chdir(old);
    }
  });
});
