// The real command line with files, standard input and a server.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import operations from "../../pkg/generated/operations.js";
import { fetchHandler, nodeListener } from "../../pkg/http.js";
import { memoryStore, open } from "../../pkg/index.js";
import { COMMANDS } from "../../pkg/lib/cli/commands.js";
import { main } from "../../pkg/lib/cli/main.js";
import { table, widthOf } from "../../pkg/lib/cli/paint.js";
import { GUARD_MS } from "../support/until.mjs";
import { batches, identities } from "./run_calls.mjs";
import { samples } from "./samples.mjs";

const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tuckbox-cli-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program as a process in the folder of this test. */
function tuckbox(args, { input = "", env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const { TUCKBOX_STORE, TUCKBOX_PROJECT, TUCKBOX_TOKEN, NO_COLOR, FORCE_COLOR, ...rest } = process.env;
    const child = spawn(process.execPath, [program, ...args], { cwd: folder, env: { ...rest, ...env } });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (output[name] += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...output }));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** Runs the program in this process, which is faster. */
async function inside(args, { input = "", env = {} } = {}) {
  const output = { stdout: "", stderr: "" };
  const stream = (name) => ({ write: (text) => (output[name] += text) });
  const code = await main(args, {
    stdin: [Buffer.from(input)],
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    env,
    cwd: () => folder,
  });
  return { code, ...output };
}

async function done(args, { by = inside, ...options } = {}) {
  const ran = await by(args, options);
  assert.equal(ran.code, 0, `tuckbox ${args.join(" ")}\n${ran.stdout}${ran.stderr}`);
  return ran.stdout;
}

function file(name, value) {
  writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
  return name;
}

const note = (card_id, text) => ({
  card_id,
  type: "note",
  author_id: "me",
  metadata: { role: "user" },
  content: { __type__: "TextContent", text },
});

/** Creates a project file with a writer and a box of notes. */
function projectFile(name) {
  const store = memoryStore();
  const row = ({ card_id, type, author_id, content, metadata }) => ({ card_id, content, metadata: { ...metadata, type, author_id } });
  store
    .project("demo")
    .addProfile({ name: "Writer", profile_box_id: "pb_writer" })
    .addCard({
      card_id: "prof",
      content: { __type__: "JsonContent", data: { name: "Writer", system_prompt_template: "You write." } },
      metadata: { type: "sys.profile" },
    })
    .addCard(row(note("n1", "Cards never change.")))
    .addCard(row(note("n2", "\u001b[31mred\u001b[0m \u202egnp.exe")))
    .addBox({ box_id: "pb_writer", card_ids: ["prof"] })
    .addBox({ box_id: "notes", card_ids: ["n1", "n2", "n1"] })
    .addProfile({ name: "Lead", profile_box_id: "pb_lead", delegation_policy: { target_profiles: ["Writer"] } })
    .addAgent({ agent_id: "lead", profile_box_id: "pb_lead" })
    .addAgent({ agent_id: "wendy", profile_box_id: "pb_writer", state: { status: "running", context_box_id: "notes" } });
  return file(name, store.export());
}

describe("help and usage errors", () => {
  test("every command has help with valid examples", async () => {
    const general = await inside(["--help"]);
    assert.equal(general.code, 0);
    for (const [name, command] of Object.entries(COMMANDS)) {
      const { examples } = await command();
      assert.match(general.stdout, new RegExp(`^  ${name} `, "m"));
      const own = await inside([name, "--help"]);
      assert.equal(own.code, 0);
      assert.match(own.stdout, new RegExp(`Usage: tuckbox ${name} .+\\n[\\s\\S]+--store STORE[\\s\\S]+Examples?:\\n  tuckbox ${name}`));
      assert.equal((await inside(["help", name])).stdout, own.stdout);
      for (const example of examples) {
        const [, command, ...args] = example
          .split(/ [>|] /)[0]
          .match(/'[^']*'|\S+/g)
          .map((word) => word.replaceAll("'", ""));
        // arguments after `--` belong to another program
        const read = await inside([command, "--help", ...args]);
        assert.equal(read.code, 0, `${example}\n${read.stderr}`);
      }
    }
  });

  test("the help of an operation lists its arguments from the schema", async () => {
    const { stdout } = await inside(["call", "fork_box", "--help"]);
    assert.match(stdout, /\n {2}box_id: string +The box to copy\.\n/);
    assert.match(stdout, /\n {2}take\?: integer +How many cards/);
    assert.match(stdout, /\nAnswer: BoxRow\nErrors: bad_request, /);
    assert.match((await inside(["call", "fork_bax", "--help"])).stdout, /^Run any operation by name/);
  });

  test("a usage error ends with exit code 2 and states the fix", async () => {
    projectFile("wrong.json");
    file("two.json", { projects: [{ project_id: "a" }, { project_id: "b" }] });
    const wrong = [
      [[], /Usage/],
      [["pck"], /unknown command `pck`; expected one of pack, /],
      [["pack", "--stor", "x"], /unknown option `--stor`; `tuckbox pack --help`/],
      [["pack", "-s", "wrong.json"], /pass a call, or `--to` and `--instruction`/],
      [["compose"], /FILE.json is missing/],
      [["compose", "absent.json"], /the prompt cannot be read/],
      [["compose", file("broken.json", "{")], /the prompt in `broken.json`: not JSON/],
      [["compose", file("list.json", "[]")], /must be an object/],
      [["handoff", "chekc", "x"], /expected `handoff` and one of `read`, `check`/],
      [["inspect"], /pass a box, or `--call`/],
      [["inspect", "notes", "-s", "wrong.json", "--window", "-1x"], /option|whole number/],
      [["inspect", "notes", "-s", "two.json"], /the project is missing: `--project ID`; expected one of `a`, `b`/],
      [["inspect", "notes", "-s", "ftp://u:secret@h/x"], /`ftp:\/\/\*\*\*@h\/x` is not a store/],
      [["migrate", "-s", "wrong.json"], /the store must be a database or a file of SQLite/],
      [["inspect", "notes", "-s", "https://localhost:1", "-p", "x", "--header", "nonsense"], /`name: value`/],
    ];
    for (const [args, message] of wrong) {
      const { code, stdout, stderr } = await inside(args);
      assert.equal(code, 2, args.join(" "));
      assert.match(`${stdout}${stderr}`, message);
    }
    const { code, stdout, stderr } = await inside(["compose", "absent.json", "--json"]);
    assert.deepEqual([code, stderr, JSON.parse(stdout).error.code], [2, "", "usage"]);
  });
});

test("columns are aligned and truncated at the width, also with wide characters", () => {
  const rows = [
    ["0", "用户", "写一份报告，然后交给审阅者"],
    ["10", "user", "short"],
  ];
  const lines = table(rows, [{ right: true }, {}, {}], 30);
  assert.deepEqual(lines, [" 0  用户  写一份报告，然后交…", "10  user  short"]);
  for (const line of lines) assert.ok(widthOf(line) <= 30, line);
});

describe("on a file", { concurrency: 2 }, () => {
  test("commands build a project from an empty store, and write nothing without `--commit`", async () => {
    // the first commands and the last are processes; the others run in this process
    const real = (args) => done(args, { by: tuckbox });
    const store = ["--store", "new.json"];
    file(
      "cards.json",
      `{"cards":[${JSON.stringify(note("n1", "one"))},{"card_id":"n2","type":"note","author_id":"me","content":{"__type__":"JsonContent","data":{"n":12345678901234567890,"f":1.0}}}]}`,
    );
    file("box.json", { box_id: "notes", card_ids: ["n1", "n2"] });
    assert.match(
      await real(["call", "put_cards", "cards.json", ...store, "--project", "demo"]),
      /preview: 2 cards not written; add `--commit` to write/,
    );
    assert.throws(() => readFileSync(join(folder, "new.json")));
    assert.match(await real(["call", "put_cards", "cards.json", ...store, "--project", "demo", "--commit"]), /committed 2 cards/);
    await done(["call", "create_box", "box.json", ...store, "--commit"]);
    file("profile_box.json", { box_id: "pb_writer", card_ids: [] });
    await done(["call", "create_box", "profile_box.json", ...store, "--commit"]);
    assert.match(await done(["profile", "register", "Writer", "pb_writer", "--tag", "text", ...store, "--commit"]), /"name": "Writer"/);
    assert.match(
      await done(["agent", "register", "ann", "writer", "--name", "Ann", ...store, "--commit"]),
      /"profile_box_id": "pb_writer"/,
    );
    assert.match(await done(["agent", "list", ...store]), /"display_name": "Ann"/);
    assert.match(await done(["agent", "remove", "ann", ...store, "--commit"]), /"row": null/);
    const before = readFileSync(join(folder, "new.json"), "utf8");
    const pack = ["pack", ...store, "--to", "writer", "--instruction", "Draft it.", "--from", "notes"];
    const seen = await done(pack);
    assert.match(seen, /3 cards, ~\d+ tokens/);
    assert.match(seen, /0 +user +task\.instruction +\d+ +argument instruction +Draft it\./);
    assert.match(seen, /2 +- +note +\d+ +from notes\[1\] +\{"f": 1\.0, "n": 12345678901234567890\}/);
    assert.equal(readFileSync(join(folder, "new.json"), "utf8"), before);
    const committed = await real([...pack, "--commit", "--json"]);
    assert.ok(committed.includes('"receipt":{"operation_id"'));
    const { value, ledger, receipt } = JSON.parse(committed);
    assert.deepEqual(
      ledger.boxes[0].entries.map(({ cause }) => cause.kind),
      ["argument", "inherited", "inherited"],
    );
    assert.deepEqual(receipt.boxes, [{ box_id: value.packed.context_box_id, version: 1 }]);
    const cards = await real(["call", "get_box_cards", file("get.json", { box_id: value.packed.context_box_id }), ...store]);
    assert.ok(cards.includes('"n": 12345678901234567890') && cards.includes('"f": 1.0'), cards);
  });

  test("a view escapes control characters, and has colors only if enabled", async () => {
    projectFile("view.json");
    const plain = await done(["inspect", "notes", "--store", "view.json", "--window", "1000"]);
    assert.ok(!/[\u001b\u202e]/.test(plain), JSON.stringify(plain));
    assert.match(plain, /\\u001b\[31mred\\u001b\[0m \\u202egnp\.exe/);
    assert.match(plain, /box notes +3 cards, ~\d+ tokens, cost unknown, \d+ free of 1000/);
    const coloured = await done(["inspect", "notes", "--store", "view.json"], { env: { FORCE_COLOR: "1" }, by: tuckbox });
    assert.ok(coloured.includes("\u001b[1mbox notes\u001b[0m"));
    assert.ok(!(await done(["inspect", "notes", "--store", "view.json", "--no-color"], { env: { FORCE_COLOR: "1" } })).includes("\u001b"));
    assert.ok(!(await done(["inspect", "notes", "--store", "view.json"], { env: { FORCE_COLOR: "1", NO_COLOR: "1" } })).includes("\u001b"));
  });

  test("a recorded turn is shown unchanged", async () => {
    projectFile("seen.json");
    const store = ["--store", "seen.json"];
    const recorded = JSON.parse(await done(["turn", "wendy", "--record", "--commit", "--json", ...store]));
    const { view_id } = recorded.value;
    await done(["call", "replace_box", file("empty.json", { box_id: recorded.value.context_box_id, card_ids: [] }), "--commit", ...store]);
    const again = JSON.parse(await done(["turn", "--recorded", view_id, "--json", ...store]));
    assert.deepEqual(again.value, recorded.value);
    assert.match(await done(["turn", "--recorded", view_id, ...store]), new RegExp(`^view ${view_id}\nsystem .*\n  You write\\.`));
    const now = JSON.parse(await done(["turn", "wendy", "--json", ...store]));
    assert.notDeepEqual(now.value.request, recorded.value.request);
  });

  test("a turn is shown, also after an uncommitted call", async () => {
    projectFile("turn.json");
    const turn = await done(["turn", "wendy", "--store", "turn.json"]);
    assert.match(turn, /^system\n {2}You write\.\nuser +n1\n {2}Cards never change\.\n/);
    file("more.json", { op: "append_to_box", box_id: "notes", card_ids: ["gone"] });
    const later = await done(["turn", "wendy", "--after", "more.json", "--store", "turn.json"]);
    assert.match(later, /missing gone \(context\[3\]\): absent/);
  });

  test("errors have a code, a path and a message, and each kind has its own exit code", async () => {
    projectFile("errors.json");
    const store = ["--store", "errors.json"];
    const refused = await tuckbox(["pack", ...store, "--to", "nobody", "--instruction", "x"]);
    assert.deepEqual(
      [refused.code, refused.stdout, refused.stderr],
      [1, "", "error not_found at arguments.profile_name: no profile `nobody` in project `demo`\n"],
    );
    const asJson = await tuckbox(["pack", ...store, "--to", "nobody", "--instruction", "x", "--json"]);
    const { error } = JSON.parse(asJson.stdout);
    assert.deepEqual([asJson.code, error.code, error.path], [1, "not_found", "arguments.profile_name"]);

    const taken = await inside(["call", "create_box", file("taken.json", { box_id: "notes", card_ids: [] }), ...store, "--commit"]);
    assert.equal(taken.code, 3, taken.stderr);
    assert.match(taken.stderr, /^error conflict/);

    const broken = await inside(["inspect", "b", "--store", file("no_store.json", "{ nothing"), "--project", "demo"]);
    assert.equal(broken.code, 4, broken.stderr);
    assert.match(broken.stderr, /^error store at store\.read: `.+no_store\.json` is not a store/);

    // no server listens on port 1
    const nobody = await inside(["inspect", "b", "--store", "http://127.0.0.1:1", "--project", "demo"]);
    assert.equal(nobody.code, 4, nobody.stderr);
  });

  test("`run` shows agents, messages, batches, edges, due calls and unsent messages", async () => {
    const store = ["--store", projectFile("run.json")];
    const made = {};
    for (const [op, args] of [...identities, ...batches.slice(0, 3)]) {
      const call = file("run_call.json", typeof args === "function" ? args(made) : args);
      made[op] = JSON.parse(await done(["call", op, call, ...store, "--commit", "--json"])).value;
    }
    const { batch_id } = made.create_batch;
    const all = await done(["run", "ls", ...store]);
    assert.match(all, /^agents\n(?: {2}.+\n)* {2}runner +dispatched +p1 @\d+/m);
    assert.match(all, new RegExp(`^batches\\n  ${batch_id} +running +2 of 2 open +for runner p1 @\\d+ +until 20`, "m"));
    const agent = await done(["run", "show", "helper", ...store]);
    assert.match(
      agent,
      /^agents\n {2}helper +dispatched +turn_\w+ @\d+ [\s\S]+^messages\n {2}helper +pending +turn +turn_\w+ [\s\S]+^waits for none\nsteps none\n$/m,
    );
    const batch = await done(["run", "show", batch_id, ...store]);
    assert.match(
      batch,
      /^tasks\n {2}helper +dispatched +turn_\w+ @\d+ +1 tried\s+\S+ +dispatched [\s\S]+^edges\n {2}join +request +runner to runner +batch_/m,
    );
    const shown = JSON.parse(await done(["run", "show", batch_id, "--json", ...store]));
    assert.deepEqual(
      shown.value.tasks.map(({ status }) => status),
      ["dispatched", "dispatched"],
    );
    assert.equal(await done(["run", "due", ...store]), "nothing is due\n");
    assert.match(await done(["run", "outbox", "--limit", "1", ...store]), /^\S+ +cg\.v1r3\.demo\.public\.\S+ +\{"agent_id":.+\n$/);
    for (const [args, code, message] of [
      [["show", "nobody"], 1, /`nobody` is neither an agent with turns nor a batch/],
      [["show"], 2, /AGENT or BATCH is missing/],
      [["go"], 2, /expected `run` and one of `ls`, `show`, `due`, `outbox`/],
    ]) {
      const ran = await inside(["run", ...args, ...store]);
      assert.equal(ran.code, code, ran.stderr);
      assert.match(ran.stderr, message);
    }
  });

  test("standard input is a store or a call, not both, and is read-only", async () => {
    const snapshot = readFileSync(join(folder, projectFile("piped.json")), "utf8");
    assert.match(await done(["inspect", "notes", "--store", "-"], { input: snapshot, by: tuckbox }), /box notes/);
    const call = JSON.stringify({
      tool_suffix: "t",
      source_agent_id: "a",
      arguments: { profile_name: "writer", what: "go" },
      handover: { context_packing_config: { pack_arguments: [{ arg_key: "what" }] } },
    });
    assert.match(await done(["pack", "-", "--store", "piped.json"], { input: call }), /argument what +go/);
    assert.equal((await inside(["pack", "-", "--store", "-"], { input: snapshot })).code, 2);
    const unwritable = await inside(["pack", "--to", "writer", "--instruction", "x", "--store", "-", "--commit"], { input: snapshot });
    assert.equal(unwritable.code, 2);
    assert.match(unwritable.stderr, /`--commit` needs a store that can write/);
  });
});

describe("without a store", { concurrency: 2 }, () => {
  test("`compose`, `payload` and `diff` work together on one prompt", async () => {
    file("prompt.json", samples.compose[0]);
    assert.match(await done(["compose", "prompt.json"]), /^system +system_prompt\n {2}You review\.\n/);
    file("before.json", {
      messages: [
        { role: "system", content: "You write." },
        { role: "user", content: "go" },
      ],
    });
    file("after.json", [
      { role: "system", content: "You write." },
      { role: "user", content: "stop" },
    ]);
    const diff = await done(["diff", "before.json", "after.json", "--provider", "openai_chat"]);
    assert.match(diff, /same 1 messages[\s\S]+first difference changed after \d+ characters/);
    const body = await inside([
      "payload",
      file(
        "exact.json",
        '{"messages":[{"role":"system","content":"a"},{"role":"user","content":"b"},{"role":"user","content":"c"}],"extra":{"seed":12345678901234567890}}',
      ),
      "--provider",
      "anthropic",
      "--model",
      "some-model",
    ]);
    assert.equal(body.code, 0, body.stderr);
    assert.equal(JSON.parse(body.stdout).model, "some-model");
    assert.ok(body.stdout.includes('"seed": 12345678901234567890'));
    assert.match(body.stderr, /merge turns_merged/);
  });

  test("caches and compactions of logs and of requests in a file are explained", async () => {
    const [call] = samples.explain_cache;
    const cached = await done(["cache", file("requests.json", { requests: call.requests }), "--provider", "anthropic"]);
    assert.match(cached, /1 {2}system_changed {2}system/);
    const answer = JSON.parse(await done(["cache", "requests.json", "--provider", "anthropic", "--json"]));
    assert.equal(answer.value.requests[1].at.volatile, "date");
    const bodies = call.requests.map(({ body }) => JSON.stringify(body)).join("\n");
    assert.match(await done(["cache", file("bodies.jsonl", bodies)]), /2 requests/);
    const [{ requests }] = samples.explain_compaction;
    const account = await done(["compaction", file("compaction.json", { requests }), "--provider", "openai_chat"]);
    assert.match(account, /request 0 -> 2: 3 messages, 1 kept, 2 covered, 0 dropped, 0 unknown/);
    assert.match(await done(["compaction", "bodies.jsonl"]), /0 compactions/);
  });

  test("a package is checked, planned, and refused with an exit code", async () => {
    const [{ package: handoff, report }] = samples.check_handoff;
    file("handoff.json", handoff);
    file("report.json", report);
    assert.match(await done(["handoff", "check", "handoff.json", "--report", "report.json"]), /^accepted\n/);
    assert.match(
      await done(["handoff", "plan", "handoff.json", "--report", "report.json", "--budget", "900"]),
      /^budget \d+ of 900 tokens/,
    );
    const old = await inside(["handoff", "check", file("old.json", { ...handoff, version: "3.0" })]);
    assert.equal(old.code, 1);
    assert.match(old.stdout, /^rejected\n[\s\S]*error /);
  });

  test("a package is loaded only from its own folder", async () => {
    const [{ package: handoff, files }] = samples.store_handoff;
    const run = join(folder, "run");
    for (const { path, text } of files) {
      mkdirSync(join(run, dirname(path)), { recursive: true });
      writeFileSync(join(run, path), text);
    }
    file("secret.json", { passed: "a secret outside" });
    const [evaluation] = files.filter(({ path }) => path.includes("evaluation_results"));
    file("lying.json", handoff);
    const loaded = await done(["handoff", "load", "lying.json", "--store", "run", "--budget", "9000"]);
    assert.match(loaded, /^budget \d+ of 9000 tokens/);
    assert.match(loaded, /turn 0 turn 0/);
    rmSync(join(run, evaluation.path));
    symlinkSync(join(folder, "secret.json"), join(run, evaluation.path));
    const linked = await done(["handoff", "load", "lying.json", "--store", "run", "--budget", "9000"]);
    assert.ok(!linked.includes("secret") && linked.includes(`missing ${evaluation.path}`), linked);
    assert.equal((await inside(["handoff", "cards", "lying.json", "--store", "run", "--commit"])).code, 2);
  });

  test("a named pipe in a folder is reported as missing, without a wait", {
    timeout: GUARD_MS,
    skip: process.platform === "win32",
  }, async () => {
    const [{ package: handoff, files }] = samples.store_handoff;
    const run = join(folder, "piped");
    for (const { path, text } of files) {
      mkdirSync(join(run, dirname(path)), { recursive: true });
      writeFileSync(join(run, path), text);
    }
    const [evaluation] = files.filter(({ path }) => path.includes("evaluation_results"));
    rmSync(join(run, evaluation.path));
    execFileSync("mkfifo", [join(run, evaluation.path)]);
    file("piped_handoff.json", handoff);
    const loaded = await done(["handoff", "load", "piped_handoff.json", "--store", "piped", "--budget", "9000"]);
    assert.ok(loaded.includes(`missing ${evaluation.path}`), loaded);
  });

  test("`--json` escapes control characters", async () => {
    const odd = "a\u009b31mb\u007f\u202ec\u2028";
    const { stdout } = await inside(["call", "text_form", "-", "--json"], { input: JSON.stringify({ value: odd }) });
    assert.doesNotMatch(stdout, /[\u007f-\u009f\u2028-\u202e]/);
    assert.equal(JSON.parse(stdout).value.text ?? JSON.parse(stdout).value, odd);
    const refused = await inside(["call", odd, "--json"]);
    assert.doesNotMatch(refused.stdout, /[\u007f-\u009f\u2028-\u202e]/);
  });

  test("recipes are listed, checked and run", async () => {
    projectFile("recipes_project.json");
    const recipe = {
      name: "ask_for_review",
      description: "Somebody else looks at it.",
      arguments: [
        { name: "what", type: "text" },
        { name: "drafts", type: "box_ids", required: false },
      ],
      handover: {
        target_profile_config: { profile_name: "Writer" },
        context_packing_config: {
          pack_arguments: [{ arg_key: "what" }],
          inherit_context: { include_boxes_from_args: ["drafts"], include_parent: true },
        },
      },
    };
    file("recipe.json", recipe);
    file("recipes.json", [recipe]);
    file("arguments.json", { what: "Is it true?", drafts: ["notes"] });
    assert.match(await done(["recipes", "--recipes", "recipes.json"]), /^delegate_async [\s\S]+ask_for_review +Somebody else/);
    assert.match(await done(["recipes", "check", "recipe.json"]), /`ask_for_review` can be registered/);
    const wrong = await inside([
      "recipes",
      "check",
      file("wrong_recipe.json", { ...recipe, arguments: [{ name: "what", type: "words" }] }),
    ]);
    assert.deepEqual([wrong.code, /^error bad_request at recipe/.test(wrong.stderr)], [1, true], wrong.stderr);
    const run = [
      "recipes",
      "run",
      "ask_for_review",
      "arguments.json",
      "--recipes",
      "recipes.json",
      "--store",
      "recipes_project.json",
      "--commit",
    ];
    assert.match(await done([...run, "--by", "lead"]), /argument what +Is it true\?[\s\S]+committed /);
    const refused = await inside([...run, "--by", "wendy"]);
    assert.deepEqual([refused.code, /^error auth_failed/.test(refused.stderr)], [1, true], refused.stderr);
    assert.match(
      await done([
        "recipes",
        "run",
        "delegate_async",
        file("task.json", { target_strategy: "new", target_ref: "Writer", instruction: "go" }),
        "--by",
        "lead",
        "--store",
        "recipes_project.json",
      ]),
      /preview: /,
    );
  });

  test("every operation can be called by name", async () => {
    const names = (await done(["call"])).trim().split("\n");
    await open(memoryStore(), { projectId: "any" });
    assert.deepEqual(names, operations);
    assert.match(await done(["call", "text_form", file("value.json", { value: true })]), /"text": "True"/);
    assert.equal((await inside(["call", "pack_contxt", "value.json"])).code, 1);
  });
});

test("a server is a store for callers with its token", async () => {
  const store = memoryStore(readFileSync(join(folder, projectFile("server.json")), "utf8"));
  const authorize = ({ request }) => request.headers.get("authorization") === "Bearer right";
  const server = createServer(nodeListener(fetchHandler({ open, store, authorize })));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const where = ["--store", `http://127.0.0.1:${server.address().port}`, "--project", "demo"];
  const pack = ["pack", ...where, "--to", "writer", "--instruction", "Draft it.", "--from", "notes", "--commit"];
  try {
    assert.match(await done(pack, { env: { TUCKBOX_TOKEN: "right" } }), /committed 1 card, 1 box/);
    const refused = await inside(pack, { env: { TUCKBOX_TOKEN: "wrong" } });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^error auth_failed/);
    assert.ok(!refused.stderr.includes("wrong"), refused.stderr);
    assert.match(await done(["inspect", "notes", ...where, "--header", "authorization: Bearer right"]), /box notes/);
  } finally {
    server.close();
  }
});
