// The commands that call the operations of a project, and `recipes` and `migrate`.
/** @import { Args } from "./calls.js" */
/** @import { Session } from "./session.js" */
/** @import { Command, Option, Values } from "./usage.js" */
import operations from "../../generated/operations.js";
import { PROVIDERS } from "../providers.js";
import { items, members } from "../raw.js";
import { SCHEMA as SQLITE_SCHEMA } from "../sqlite.js";
import { budget } from "./budget.js";
import { given, needed, number, objectText, text } from "./calls.js";
import { line, table } from "./paint.js";
import { isSqlitePath } from "./stores.js";
import { UsageError } from "./usage.js";
import { boxView, composedView, diffView, jsonView, lintsView, lossesView, turnView } from "./views.js";

/** @type {Command} */
export const PACK = {
  summary: "Pack a context for another agent",
  usage: "[CALL.json] [--to PROFILE --instruction TEXT [--from BOX]..]",
  about:
    "CALL.json contains the arguments of `pack_context`, or of the operation in `op`. Without it, the options\ndescribe the call: an instruction, boxes to inherit, and the sender.",
  options: {
    to: { value: "PROFILE", help: "name of the receiving profile" },
    instruction: { value: "TEXT", short: "i", help: "instruction for the receiver" },
    from: { value: "BOX", multiple: true, help: "box to inherit; can be repeated" },
    by: { value: "AGENT", help: "sending agent; `cli` by default" },
    window: { value: "TOKENS", help: "context window of the receiver, in tokens" },
  },
  writes: true,
  examples: [
    "tuckbox pack --store project.json --to writer --instruction 'Draft it.' --from notes",
    "tuckbox pack call.json --store postgres://localhost/agents --project demo --commit",
  ],
  async run(session, [file], values) {
    const [op, args] = await packCall(session, file, values);
    const preview = await session.preview(op, args);
    const window = given([["window", values.window && number(values.window, "--window")]]);
    return { preview, view: () => packedView(session, op, args, window) };
  },
};

/**
 * Shows what a call packs, and the request to the receiver's model.
 *
 * @param {Session} session
 * @param {string} op
 * @param {Args} args
 * @param {Args} [window]
 */
async function packedView(session, op, args, window = new Map()) {
  return lookView(session, new Map([["call", objectText(new Map(args).set("op", text(op)))]]), window);
}

/** @param {Session} session @param {Args} subject @param {Args} window */
async function lookView(session, subject, window) {
  const { value } = await session.preview("inspect", subject);
  const request = await session.preview("inspect_request", new Map([...subject, ...window]));
  return boxView(value, request.value, session);
}

/** @param {Session} session @param {string | undefined} file @param {Values} values @returns {Promise<[op: string, args: Args]>} */
async function packCall(session, file, { to, instruction, from = [], by = "cli" }) {
  if (file !== undefined) {
    const args = await session.object(file, "the call");
    const op = JSON.parse(args.get("op") ?? text("pack_context"));
    return [op, args];
  }
  if (to === undefined || instruction === undefined) throw new UsageError("pass a call, or `--to` and `--instruction`");
  return [
    "pack_context_with_instruction",
    given([
      ["tool_suffix", "cli"],
      ["source_agent_id", by],
      ["profile_name", to],
      ["instruction", instruction],
      ["inherit_box_ids", from],
    ]),
  ];
}

/** @type {Command} */
export const TURN = {
  summary: "Show what the model of a turn will see",
  usage: "[AGENT] [--context BOX] [--output BOX] [--profile BOX] [--record] | --recorded VIEW",
  writes: true,
  options: {
    context: { value: "BOX", help: "context box of the turn; by default that of the agent" },
    output: { value: "BOX", help: "output box of the turn" },
    profile: { value: "BOX", help: "the box of the profile" },
    append: { value: "TEXT", help: "text to append to the system prompt" },
    tools: { value: "FILE", help: "a list of the tools of the host" },
    after: { value: "CALL.json", help: "show the turn as if this call were committed" },
    record: { help: "store the view, with --commit, to show it again later" },
    recorded: { value: "VIEW", help: "show a recorded view, byte for byte" },
  },
  examples: [
    "tuckbox turn agent_b --store project.json",
    "tuckbox turn --context ctx1 --after call.json --store project.json",
    "tuckbox turn agent_b --record --store project.json --commit",
  ],
  async run(session, [agent_id], { context, output, profile, append, tools, after, record, recorded }) {
    const args = given([
      ["agent_id", agent_id],
      ["context_box_id", context],
      ["output_box_id", output],
      ["profile_box_id", profile],
      ["system_append", append],
      ["record", record],
      ["recorded", recorded],
    ]);
    if (tools !== undefined) args.set("tools", String(await session.json(tools, "the tools")));
    if (after !== undefined) {
      const call = await session.object(after, "the call");
      if (!call.has("op")) call.set("op", text("pack_context"));
      args.set("after", objectText(call));
    }
    const preview = await session.preview("turn_view", args);
    return { preview, view: () => [...turnView(preview.value, session), ...lintsView(preview.lints, session.paint)] };
  },
};

/** @type {Command} */
export const COMPOSE = {
  summary: "Compose a prompt from its layers",
  usage: "FILE.json",
  about: "FILE.json contains `process`, `system_prompt`, `contexts`, `checkpoint_messages` and `query`. It needs no store.",
  examples: ["tuckbox compose prompt.json", "tuckbox compose prompt.json --json | jq .value.messages"],
  async run(session, [file]) {
    const preview = await session.preview("compose", await session.object(needed(file, "FILE.json"), "the prompt"));
    return { preview, view: () => [...composedView(preview.value, session), ...lintsView(preview.lints, session.paint)] };
  },
};

const PROVIDER = { value: "NAME", help: PROVIDERS.map((name) => `\`${name}\``).join(", ") };

/** @type {Command} */
export const DIFF = {
  summary: "Compare two prompts: where they first differ, and what a cache can reuse",
  usage: "BEFORE AFTER --provider NAME",
  about: "BEFORE and AFTER are files with `messages` (and `tools`), or `box:ID` for the cards of a box.",
  options: { provider: PROVIDER },
  examples: [
    "tuckbox diff before.json after.json --provider anthropic",
    "tuckbox diff box:ctx1 box:ctx2 --provider openai_chat --store project.json",
  ],
  async run(session, [before, after], { provider }) {
    const args = given([["provider", needed(provider, "--provider")]]);
    args
      .set("before", objectText(await promptIn(session, needed(before, "BEFORE"))))
      .set("after", objectText(await promptIn(session, needed(after, "AFTER"))));
    const preview = await session.preview("diff_payloads", args);
    return { preview, view: () => diffView(preview.value, session) };
  },
};

/**
 * Reads a prompt: the messages of a file, or the cards of a box.
 *
 * @param {Session} session
 * @param {string} name
 * @returns {Promise<Args>}
 */
async function promptIn(session, name) {
  if (name.startsWith("box:")) return given([["box_id", name.slice("box:".length)]]);
  const prompt = await session.json(name, "the prompt");
  return String(prompt).trimStart().startsWith("[") ? new Map([["messages", String(prompt)]]) : session.object(name, "the prompt");
}

/** @type {Command} */
export const INSPECT = {
  summary: "Show a box, or what a call would pack, with the reason for every card",
  usage: "BOX | --call CALL.json",
  options: {
    call: { value: "CALL.json", help: "the arguments of `pack_context`, or of the operation in `op`" },
    window: { value: "TOKENS", help: "context window of the model, in tokens" },
    shown: { value: "N", help: "index of the box, if a call packs several; 0 by default" },
  },
  examples: ["tuckbox inspect notes --store project.json", "tuckbox inspect --call call.json --window 128000 --store project.json"],
  async run(session, [box_id], { call, window, shown }) {
    if ((box_id === undefined) === (call === undefined)) throw new UsageError("pass a box, or `--call`");
    const args = given([
      ["box_id", box_id],
      ["shown", shown && number(shown, "--shown")],
    ]);
    const room = given([["window", window && number(window, "--window")]]);
    if (call !== undefined) {
      const members = await session.object(call, "the call");
      if (!members.has("op")) members.set("op", text("pack_context"));
      args.set("call", objectText(members));
    }
    return { preview: await session.preview("inspect", args), view: () => lookView(session, args, room) };
  },
};

/** @type {Command} */
export const PAYLOAD = {
  summary: "Build the request body for a provider",
  usage: "PROMPT --provider NAME [--model NAME]",
  about:
    "PROMPT is a file with `messages` (and `tools`), or `box:ID` for the cards of a box. The body is printed\nas JSON; conversion changes are printed on standard error.",
  options: {
    provider: PROVIDER,
    model: { value: "NAME", help: "the model" },
    "max-output-tokens": { value: "N", help: "maximum length of the answer" },
    strict: { help: "reject a prompt that the provider cannot represent exactly" },
  },
  examples: ["tuckbox payload box:ctx1 --provider anthropic --model some-model --store project.json > body.json"],
  async run(session, [prompt], { provider, model, "max-output-tokens": most, strict }) {
    const args = new Map([
      ...(await promptIn(session, needed(prompt, "PROMPT"))),
      ...given([
        ["provider", needed(provider, "--provider")],
        ["model", model],
        ["max_output_tokens", most && number(most, "--max-output-tokens")],
        ["strict", strict],
      ]),
    ]);
    const preview = await session.preview("payload", args);
    const view = () => {
      for (const loss of lossesView(preview.value.losses, session)) session.note(loss);
      return jsonView(new Map(members(preview.valueText)).get("body") ?? "");
    };
    return { preview, view };
  },
};

/** @type {Command} */
export const RECIPES = {
  summary: "List, check or run recipes",
  usage: "[list] | check FILE.json | run NAME ARGUMENTS.json --by AGENT",
  about: "`--recipes FILE` registers your own recipes: a list of definitions. `check` takes one definition.",
  options: { by: { value: "AGENT", help: "sending agent" } },
  writes: true,
  examples: [
    "tuckbox recipes check review.json",
    "tuckbox recipes run delegate_async task.json --by agent_a --store project.json --commit",
  ],
  async run(session, [action = "list", name, file], { by, recipes }) {
    if (action === "list")
      return {
        value: await known(session, recipes),
        view: (value) =>
          table(
            value.map((/** @type {(typeof BUILT_IN)[number]} */ { name, description }) => [line(name), line(description)]),
            [{ paint: session.paint.bold }, {}],
            session.width,
          ),
      };
    if (action === "check") {
      const preview = await session.preview(
        "check_recipe",
        new Map([["recipe", String(await session.json(needed(name, "FILE.json"), "the recipe"))]]),
      );
      return {
        preview,
        view: () => [session.paint.green(`\`${line(preview.value.name)}\` can be registered`), ...lintsView(preview.lints, session.paint)],
      };
    }
    if (action !== "run") throw new UsageError("expected `recipes list`, `recipes check` or `recipes run`");
    const args = given([
      ["source_agent_id", needed(by, "--by")],
      ["tool_suffix", "cli"],
    ]);
    args.set("arguments", String(await session.json(needed(file, "ARGUMENTS.json"), "the arguments")));
    const op = BUILT_IN.some((recipe) => recipe.name === needed(name, "NAME")) ? name : "run_recipe";
    if (op === "run_recipe") args.set("recipe", text(name));
    const preview = await session.preview(op, args);
    return { preview, view: () => packedView(session, op, args) };
  },
};

const BUILT_IN = [
  { name: "delegate_async", description: "delegate one task to a new, a reused or a cloned agent" },
  { name: "fork_join", description: "delegate many tasks in one batch" },
  { name: "launch_principal", description: "delegate to a new agent with a profile: a form of `delegate_async`" },
  { name: "ask_expert", description: "ask a new agent with an expert profile: a form of `delegate_async`" },
];

/** @param {Session} session @param {string | undefined} file */
async function known(session, file) {
  const own = file === undefined ? [] : items(String(await session.json(file, "the recipes"))).map((recipe) => JSON.parse(recipe));
  return [...BUILT_IN, ...own.map(({ name, description = "" }) => ({ name, description }))];
}

/** @type {Command} */
export const CALL = {
  summary: "Run any operation by name",
  usage: "OPERATION [ARGUMENTS.json]",
  about: "Without an operation, it lists all of them. `tuckbox call OPERATION --help` prints its arguments.",
  writes: true,
  examples: [
    "tuckbox call",
    "tuckbox call put_cards --help",
    "tuckbox call put_cards cards.json --store project.json --project demo --commit",
  ],
  async run(session, [op, file]) {
    if (op === undefined) return { value: operations, view: (value) => value };
    const preview = await session.preview(op, file === undefined ? new Map() : await session.object(file, "the arguments"));
    return { preview, view: () => [...jsonView(preview.valueText), ...lintsView(preview.lints, session.paint)] };
  },
};

const TAGS = { tag: { value: "TAG", multiple: true, help: "tag for delegation policies; can be repeated" } };
const WORKER = { worker: { value: "TARGET", help: "kind of worker that runs it" } };

/**
 * Returns a command that registers, updates, removes or lists entries of a registry.
 *
 * @param {"profile" | "agent" | "tool"} kind
 * @param {{ key: string, places: string[], options: { [name: string]: Option }, columns: (rest: string[], values: Values) => object, example: string }} entry
 * @returns {Command}
 */
function registry(kind, { key, places, options, columns, example }) {
  return {
    summary: `Register, update, remove or list ${kind}s`,
    usage: `register|update NAME${places.map((place) => ` [${place.toUpperCase()}]`).join("")} | remove NAME | list`,
    options,
    writes: true,
    examples: [example, `tuckbox ${kind} list --store project.json --project demo`],
    async run(session, [action, name, ...rest], values) {
      if (!["register", "update", "remove", "list"].includes(action))
        throw new UsageError(`the action is missing: \`tuckbox ${kind} register|update|remove|list\``);
      const args = action === "list" ? {} : { [key]: needed(name, "NAME"), ...(action === "remove" ? {} : columns(rest, values)) };
      const preview = await session.preview(`${action}_${kind}${action === "list" ? "s" : ""}`, given(Object.entries(args)));
      return { preview, view: () => jsonView(preview.valueText) };
    },
  };
}

export const PROFILE = registry("profile", {
  key: "name",
  places: ["box"],
  options: { ...TAGS, ...WORKER, policy: { value: "JSON", help: "delegation policy of its agents, as JSON" } },
  columns: ([profile_box_id], { tag, worker, policy }) => ({
    profile_box_id,
    tags: tag,
    worker_target: worker,
    delegation_policy: policy === undefined ? undefined : jsonOption(policy, "--policy"),
  }),
  example: "tuckbox profile register Writer pb_writer --store project.json --project demo --commit",
});

export const AGENT = registry("agent", {
  key: "agent_id",
  places: ["profile"],
  options: { ...TAGS, ...WORKER, name: { value: "TEXT", help: "display name" } },
  columns: ([profile_name], { tag, worker, name }) => ({ profile_name, tags: tag, worker_target: worker, display_name: name }),
  example: "tuckbox agent register ann Writer --name Ann --store project.json --project demo --commit",
});

export const TOOL = registry("tool", {
  key: "tool_name",
  places: [],
  options: { about: { value: "TEXT", help: "description" }, parameters: { value: "JSON", help: "parameters, as JSON Schema" } },
  columns: (_, { about, parameters }) => ({
    description: about,
    parameters: parameters === undefined ? undefined : jsonOption(parameters, "--parameters"),
  }),
  example: "tuckbox tool register search --about 'Looks it up.' --store project.json --project demo --commit",
});

/** @param {string} text @param {string} name */
function jsonOption(text, name) {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${name} is not JSON`);
  }
}

/** @type {Command} */
export const MIGRATE = {
  summary: "Create or update the tables of a database or of a file of SQLite",
  usage: "--store postgres://.. | project.db",
  about:
    "The command is idempotent. Existing tables only get missing columns.\nWith `--rekey`, ids in tables of other software become unique within their project instead of the whole table.",
  writes: true,
  options: { rekey: { help: "change keys on an id to keys on the project and the id" } },
  examples: ["tuckbox migrate --store postgres://localhost/agents --commit", "tuckbox migrate --store project.db --commit"],
  async run(session, _, { commit, schema, store: name, rekey = false }) {
    const value = { migrated: commit === true };
    if (name !== undefined && isSqlitePath(name, session.cwd)) {
      if (schema !== undefined || rekey) throw new UsageError("a file of SQLite takes neither `--schema` nor `--rekey`");
      // opening a file creates its table
      if (commit) await session.opened();
      return { value, view: () => (commit ? ["migrated"] : [SQLITE_SCHEMA]) };
    }
    const { store } = await session.opened();
    if (!("migrate" in store) || typeof store.migrate !== "function")
      throw new UsageError("the store must be a database or a file of SQLite: `--store postgres://..` or `--store project.db`");
    const { migration } = await import("../../stores/sql.js");
    if (commit) await store.migrate({ rekey });
    return { value, view: () => (commit ? ["migrated"] : [migration({ schema, rekey })]) };
  },
};

export const BUDGET = budget(promptIn, PROVIDER);
