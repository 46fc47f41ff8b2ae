// The context lockfile: mutations of the sample project, other runtimes, merges, and the GitHub action.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { contexts, shared } from "../../examples/lock/contexts.mjs";
import sampleConfig from "../../examples/lock/tuckbox.config.mjs";
import { memoryStore, open } from "../../pkg/index.js";
import { deep, onlyDeep, times } from "../support/deep.mjs";

const sample = fileURLToPath(new URL("../../examples/lock/", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "tuckbox-lock-"));
after(() => rmSync(root, { recursive: true, force: true }));

describe("the sample project", () => {
  /** Mutations of the shared parts: the change, the cause, and the agents whose contexts change. */
  const all = ["reviewer", "support", "writer"];
  const both = ["reviewer", "writer"];
  const edit = (change) => (random) => {
    const given = structuredClone(shared);
    return change(given, random) ?? given;
  };
  const prompt = (agent, change) =>
    edit((given, random) => {
      given.prompts[agent] = change(given.prompts[agent], word(random));
    });
  const tool = (at, change) =>
    edit((given) => {
      change(given.tools[at]);
    });
  const word = (random) => `w${Math.floor(random() * 1e9).toString(36)}`;
  const MUTATIONS = [
    ["model", "model", all, edit((given) => ({ ...given, model: "claude-sonnet-5-5" }))],
    ["parameter", "parameter temperature", all, edit((given, random) => ({ ...given, temperature: 0.3 + Math.floor(random() * 5) / 10 }))],
    ["tools_reordered", "tools", both, edit((given) => ({ ...given, tools: given.tools.toReversed() }))],
    [
      "tool_added",
      "tool extra",
      both,
      edit((given) => ({ ...given, tools: [...given.tools, { name: "extra", input_schema: { type: "object" } }] })),
      "tools",
    ],
    ["tool_removed", "tool read_page", both, edit((given) => ({ ...given, tools: given.tools.slice(0, 1) }))],
    ["tool_edited", "tool search", both, tool(0, (found) => (found.description += " Fast."))],
    ["schema_edited", "tool search", both, tool(0, (found) => (found.input_schema.properties.limit.type = "number"))],
    ["schema_edited", "tool read_page", both, tool(1, (found) => (found.input_schema.required = ["id"]))],
    ...["writer", "reviewer", "support"].flatMap((agent) => [
      ["edited", "system prompt", [agent], prompt(agent, (text, more) => `${text} ${more}`)],
      ["edited", "system prompt", [agent], prompt(agent, (text, more) => `${more} ${text}`)],
      ["edited", "system prompt", [agent], prompt(agent, (text) => `${text} ${new Date().toISOString()}`)],
    ]),
    ["volatile_range", "system prompt", all, edit((given) => ({ ...given, date: given.date.repeat(40) }))],
    ...[0, 1, 2].flatMap((at) => [
      ["removed", "user message", all, edit((given) => ({ ...given, notes: given.notes.toSpliced(at, 1) }))],
      ["added", "user message", all, edit((given, random) => ({ ...given, notes: given.notes.toSpliced(at, 0, word(random)) }))],
      [
        "edited",
        "user message",
        all,
        edit((given, random) => ({ ...given, notes: given.notes.with(at, `${given.notes[at]} ${word(random)}`) })),
      ],
      [
        "edited",
        "user message",
        all,
        edit((given) => ({ ...given, notes: given.notes.with(at, "key sk-abcdefghij0123456789xyz") })),
        "excludes",
      ],
    ]),
    ["moved", "user message", all, edit((given) => ({ ...given, notes: given.notes.toReversed() }))],
    // a budget is crossed
    ["edited", "system prompt", ["writer"], prompt("writer", (text) => `${text} `.repeat(150)), "max_tokens"],
  ];
  /** Changes of bodies after they were made. */
  const bodies = (change) => () => {
    const made = contexts();
    for (const { request: found } of Object.values(made)) change(found.body);
    return made;
  };
  const WHOLE = [
    ["mark_changed", "system prompt", all, bodies((made) => delete made.system[0].cache_control)],
    ["mark_changed", "system prompt", all, bodies((made) => (made.system[0].cache_control.ttl = "1h"))],
    [
      "mark_changed",
      "user message",
      all,
      bodies(({ system: [first], messages: [{ content }] }) => {
        content.at(-1).cache_control = first.cache_control;
        delete first.cache_control;
      }),
    ],
    ["volatile_missing", "system prompt", all, bodies((made) => made.system.pop())],
    ["removed", "tool result", all, bodies((made) => made.messages.pop())],
    ["retyped", "assistant message", all, bodies((made) => (made.messages[0].role = "assistant"))],
    ["edited", "tool call", all, bodies((made) => (made.messages[1].content[0].input.query += "!"))],
    ["edited", "tool result", all, bodies((made) => (made.messages[2].content[0].content = "3 pages"))],
    ["parameter", "parameter max_tokens", all, bodies((made) => (made.max_tokens = 2000))],
    ["parameter", "parameter thinking", all, bodies((made) => (made.thinking = { type: "enabled", budget_tokens: 1024 }))],
    ["added", "user message", all, bodies((made) => made.messages.push({ role: "user", content: "More." }))],
  ];

  const entriesOf = async (project, given) => {
    const made = [];
    for (const [name, context] of Object.entries(given)) made.push(await project.lock.entry({ name, ...context }));
    return made;
  };

  test("each mutation has its verdict, cause and contexts", async () => {
    const project = await open(memoryStore(), { projectId: "p" });
    const locked = await entriesOf(project, contexts());
    const { lock: text } = await project.lock.update({ entries: locked });
    assert.equal(text, readFileSync(join(sample, "tuckbox.lock"), "utf8"), "`EDIT= npx tuckbox lock update` in examples/lock");
    const mutations = [
      ...MUTATIONS.map(([kind, cause, agents, change, failed]) => [kind, cause, agents, (random) => contexts(change(random)), failed]),
      ...WHOLE,
    ];
    assert.ok(mutations.length >= 40, `${mutations.length}`);
    let seed = 7;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    const { assertions } = sampleConfig.lock;
    for (const [at, [kind, cause, agents, change, failed]] of mutations.entries()) {
      const verdict = await project.lock.check({ lock: text, entries: await entriesOf(project, change(random)), assertions });
      const names = Object.keys(contexts())
        .filter((name) => agents.includes(name.split("/")[0]))
        .sort();
      const group = verdict.groups.find((each) => each.change === kind && each.cause === cause);
      assert.ok(group, `${at} ${kind} ${cause}: ${JSON.stringify(verdict.groups.map(({ title }) => title))}`);
      assert.deepEqual(group.entries, names, `${at} ${kind} ${cause}`);
      assert.deepEqual(
        verdict.entries.map(({ name }) => name),
        names,
        `${at} ${kind} ${cause}`,
      );
      assert.equal(verdict.status, "changed");
      assert.deepEqual(
        verdict.failures.map(({ name, assertion }) => [name, assertion]),
        failed === undefined ? [] : names.map((name) => [name, failed]),
        `${at} ${kind} ${cause}`,
      );
    }
  });

  test("unchanged contexts never differ", async () => {
    const project = await open(memoryStore(), { projectId: "p" });
    const text = readFileSync(join(sample, "tuckbox.lock"), "utf8");
    for (let run = 0; run < times(5, 1000); run += 1) {
      const { exit_code: code } = await project.lock.check({
        lock: text,
        entries: await entriesOf(project, contexts({ ...shared, date: `Today is ${run}.` })),
      });
      assert.equal(code, 0);
    }
  });

  test("the passing and the failing config have their exit codes, in another locale and time zone", async () => {
    const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));
    const run = (env) =>
      spawnSync(process.execPath, [program, "lock", "check"], {
        cwd: sample,
        encoding: "utf8",
        env: { ...process.env, LC_ALL: "tr_TR.UTF-8", TZ: "Asia/Tokyo", ...env },
      });
    const same = deep ? run({ EDIT: "" }) : { status: 0 };
    assert.equal(same.status, 0, `${same.stdout}${same.stderr}`);
    const edited = run({ EDIT: "1" });
    assert.equal(edited.status, 1, edited.stderr);
    assert.match(
      edited.stdout,
      /^4 of 9 contexts changed\n- system prompt edited: 4 contexts, \+\d+ tokens each, prefix lost from \/system\/0 \(\d+ tokens, too few for a cache\), about \$\d+\.\d\d per 1,000 turns\n/,
    );
  });

  test("Node, Deno and Bun write the same bytes in two locales and time zones", onlyDeep("starts other runtimes"), () => {
    const script = fileURLToPath(new URL("../support/lock_bytes.mjs", import.meta.url));
    const program = (name) => fileURLToPath(new URL(`../consumers/deep/node_modules/.bin/${name}`, import.meta.url));
    const text = readFileSync(join(sample, "tuckbox.lock"), "utf8");
    for (const env of [
      { LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8", TZ: "Asia/Tokyo" },
      { LC_ALL: "de_DE.UTF-8", LANG: "de_DE.UTF-8", TZ: "America/New_York" },
    ]) {
      for (const [name, command, ...args] of [
        ["node", process.execPath],
        ["deno", program("deno"), "run", "--no-prompt", "--quiet", "--allow-read", "--allow-env"],
        ["bun", program("bun")],
      ]) {
        const made = spawnSync(command, [...args, script, "500"], { encoding: "utf8", env: { ...process.env, ...env } });
        assert.equal(made.stdout, text, `${name} ${env.TZ}: ${made.stderr}${made.error ?? ""}`);
      }
    }
  });

  test("git merges two independent edits", async () => {
    const project = await open(memoryStore(), { projectId: "p" });
    const file = async (name, changed) => {
      const given = contexts();
      for (const key of changed) given[key].request.body.max_tokens = 5;
      const { lock: text } = await project.lock.update({ entries: await entriesOf(project, given) });
      writeFileSync(join(root, name), text);
    };
    await file("base", []);
    await file("ours", ["reviewer/1"]);
    await file("theirs", ["reviewer/2", "writer/4"]);
    await file("both", ["reviewer/1", "reviewer/2", "writer/4"]);
    const merged = execFileSync("git", ["merge-file", "-p", "ours", "base", "theirs"], { cwd: root, encoding: "utf8" });
    assert.equal(merged, readFileSync(join(root, "both"), "utf8"));
    // `merge=union` keeps two new entries at one place
    const base = readFileSync(join(root, "base"), "utf8");
    const entry = async (name) =>
      project.lock.entry({
        name,
        request: { provider: "openai_chat", body: { model: "gpt-5", messages: [{ role: "system", content: `Be ${name}.` }] } },
      });
    for (const [file, name] of [
      ["ours", "s/1"],
      ["theirs", "s/2"],
    ])
      writeFileSync(join(root, file), (await project.lock.update({ lock: base, entries: [await entry(name)] })).lock);
    const union = execFileSync("git", ["merge-file", "-p", "--union", "ours", "base", "theirs"], { cwd: root, encoding: "utf8" });
    const names = (await project.lock.read({ lock: union })).entries.map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => name.startsWith("s/")),
      ["s/1", "s/2"],
    );
  });

  test("one change among contexts of 50 cards is found", async () => {
    const project = await open(memoryStore(), { projectId: "p" });
    const messages = (at) =>
      Array.from({ length: 50 }, (_, card) => ({
        role: card % 2 === 0 ? "user" : "assistant",
        content: `Card ${card} of context ${at}. `.repeat(8),
      }));
    const given = (length) =>
      Object.fromEntries(
        Array.from({ length }, (_, at) => [`c${at}`, { context: { provider: "openai_chat", model: "gpt-5", messages: messages(at) } }]),
      );
    const size = times(20, 1000);
    const entries = await entriesOf(project, given(size));
    const { lock: text } = await project.lock.update({ entries });
    const verdict = await project.lock.check({
      lock: text,
      entries: await entriesOf(project, {
        ...given(size),
        c7: { context: { provider: "openai_chat", model: "gpt-5", messages: messages(0) } },
      }),
    });
    assert.deepEqual(
      verdict.entries.map(({ name }) => name),
      ["c7"],
    );
  });
});

describe("the GitHub action", () => {
  /** Runs the action with a fake event and a fake API. */
  async function act(cwd, { comments, edit, status = 200 }) {
    const calls = [];
    const server = createServer(async (asked, answer) => {
      let text = "";
      for await (const piece of asked) text += piece;
      calls.push(`${asked.method} ${asked.url}`);
      if (status === 200 && text !== "") {
        const id = Number(asked.url.split("/").at(-1));
        const known = comments.find((each) => each.id === id);
        if (known === undefined) comments.push({ id: comments.length + 1, ...JSON.parse(text) });
        else Object.assign(known, JSON.parse(text));
      }
      answer.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(asked.method === "GET" ? comments : {}));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const summary = join(cwd, "summary.md");
    writeFileSync(summary, "");
    writeFileSync(join(cwd, "event.json"), JSON.stringify({ pull_request: { number: 12 } }));
    const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));
    const child = spawn(process.execPath, [fileURLToPath(new URL("../../action/run.mjs", import.meta.url))], {
      cwd: sample,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        EDIT: edit ? "1" : "",
        CI: "true",
        LOCK_COMMAND: `${process.execPath} ${program}`,
        LOCK_TOKEN: "t",
        GITHUB_API_URL: `http://127.0.0.1:${server.address().port}`,
        GITHUB_EVENT_PATH: join(cwd, "event.json"),
        GITHUB_REPOSITORY: "o/r",
        GITHUB_STEP_SUMMARY: summary,
      },
    });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
    const code = await new Promise((resolve) => child.once("close", resolve));
    server.close();
    return { code, calls, stdout, summary: readFileSync(summary, "utf8") };
  }

  test("it comments once, updates the comment, and writes nothing without changes", async () => {
    const cwd = mkdtempSync(join(root, "action-"));
    const comments = [];
    if (deep) {
      const quiet = await act(cwd, { comments });
      assert.deepEqual([quiet.code, quiet.summary, comments.length], [0, "", 0]);
    }
    const edited = await act(cwd, { comments, edit: true });
    assert.equal(edited.code, 1);
    assert.match(edited.stdout, /^::warning file=tuckbox\.lock,line=\d+,title=Context::system prompt edited: 4 contexts/);
    assert.match(edited.summary, /^### Context: 4 of 9 contexts changed/);
    assert.match(comments[0].body, /^<!-- tuckbox-lock -->\n### Context: 4 of 9/);
    if (!deep) return;
    const same = await act(cwd, { comments });
    assert.deepEqual([same.code, same.calls.at(-1)], [0, "PATCH /repos/o/r/issues/comments/1"]);
    assert.match(comments[0].body, /9 contexts, no changes/);
    assert.equal(comments.length, 1);
  });

  test("a fork without the right to write has the summary", onlyDeep("starts two processes"), async () => {
    const forked = await act(mkdtempSync(join(root, "action-")), { comments: [], edit: true, status: 403 });
    assert.equal(forked.code, 1);
    assert.match(forked.stdout, /no comment: GET .*: 403/);
    assert.match(forked.summary, /4 of 9 contexts changed/);
  });
});
