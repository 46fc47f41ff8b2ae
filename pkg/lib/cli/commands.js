// The commands: what each takes, an example, and what it does.
import operations from "../../generated/operations.js";
import { TuckboxError } from "../error.js";
import { PROVIDERS } from "../providers.js";
import { items, members } from "../raw.js";
import { budget } from "./budget.js";
import { given, needed, number, objectText, text } from "./calls.js";
import { ENGINE } from "./engine.js";
import { HANDOFF } from "./handoff.js";
import { IMPORT } from "./import.js";
import { line, table } from "./paint.js";
import { RUN } from "./run.js";
import { UI } from "./ui.js";
import { UsageError } from "./usage.js";
import { boxView, composedView, diffView, jsonView, lintsView, lossesView, turnView } from "./views.js";

const PACK = {
  summary: "Pack a context for another agent",
  usage: "[CALL.json] [--to PROFILE --instruction TEXT [--from BOX]..]",
  about: "CALL.json is a call of `pack_context`, or of any operation that its `op` names. Without it, the\noptions make one: an instruction, the cards of some boxes, and who hands over.",
  options: {
    to: { value: "PROFILE", help: "who receives: the name of a profile" },
    instruction: { value: "TEXT", short: "i", help: "what the receiver is told" },
    from: { value: "BOX", multiple: true, help: "a box whose cards go along; again for more" },
    by: { value: "AGENT", help: "who hands over; `cli` by default" },
    window: { value: "TOKENS", help: "how many tokens fit into the receiver's window" },
  },
  writes: true,
  examples: ["tuckbox pack --store project.json --to writer --instruction 'Draft it.' --from notes", "tuckbox pack call.json --store postgres://localhost/agents --project demo --commit"],
  async run(session, [file], values) {
    const [op, args] = await packCall(session, file, values);
    const preview = await session.preview(op, args);
    const window = given([["window", values.window && number(values.window, "--window")]]);
    return { preview, view: () => packedView(session, op, args, window) };
  },
};

/** What a call packs, and what the model of the receiver gets of it. */
async function packedView(session, op, args, window = new Map()) {
  const call = ["call", objectText(new Map(args).set("op", text(op)))];
  return lookView(session, new Map([call]), window);
}

async function lookView(session, subject, window) {
  const { value } = await session.preview("inspect", subject);
  const request = await session.preview("inspect_request", new Map([...subject, ...window]));
  return boxView(value, request.value, session);
}

async function packCall(session, file, { to, instruction, from = [], by = "cli" }) {
  if (file !== undefined) {
    const args = await session.object(file, "the call");
    const op = args.has("op") ? JSON.parse(args.get("op")) : "pack_context";
    return [op, args];
  }
  if (to === undefined || instruction === undefined) throw new UsageError("pass a call, or `--to` and `--instruction`");
  return ["pack_context_with_instruction", given([["tool_suffix", "cli"], ["source_agent_id", by], ["profile_name", to], ["instruction", instruction], ["inherit_box_ids", from]])];
}

const TURN = {
  summary: "Show what the model of a turn will see",
  usage: "[AGENT] [--context BOX] [--output BOX] [--profile BOX] [--record] | --recorded VIEW",
  writes: true,
  options: {
    context: { value: "BOX", help: "what the turn reads; that of the agent's state by default" },
    output: { value: "BOX", help: "what the turn has put out" },
    profile: { value: "BOX", help: "the box of the profile" },
    append: { value: "TEXT", help: "what the host puts behind the prompt" },
    tools: { value: "FILE", help: "a list of the tools that the host offers" },
    after: { value: "CALL.json", help: "a call that is not committed yet, to look behind it" },
    record: { help: "keep what is seen, with --commit, so that it can be shown again" },
    recorded: { value: "VIEW", help: "a view that was recorded: the same bytes, whatever happened since" },
  },
  examples: ["tuckbox turn agent_b --store project.json", "tuckbox turn --context ctx1 --after call.json --store project.json", "tuckbox turn agent_b --record --store project.json --commit"],
  async run(session, [agent_id], { context, output, profile, append, tools, after, record, recorded }) {
    const args = given([["agent_id", agent_id], ["context_box_id", context], ["output_box_id", output], ["profile_box_id", profile], ["system_append", append], ["record", record], ["recorded", recorded]]);
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

const COMPOSE = {
  summary: "Put the layers of a prompt into their order",
  usage: "FILE.json",
  about: "FILE.json holds `process`, `system_prompt`, `contexts`, `checkpoint_messages` and `query`. It needs no store.",
  examples: ["tuckbox compose prompt.json", "tuckbox compose prompt.json --json | jq .value.messages"],
  async run(session, [file]) {
    const preview = await session.preview("compose", await session.object(needed(file, "FILE.json"), "the prompt"));
    return { preview, view: () => [...composedView(preview.value, session), ...lintsView(preview.lints, session.paint)] };
  },
};

const PROVIDER = { value: "NAME", help: PROVIDERS.map((name) => `\`${name}\``).join(", ") };

const DIFF = {
  summary: "Say where two prompts part, and what a prefix cache keeps",
  usage: "BEFORE AFTER --provider NAME",
  about: "BEFORE and AFTER are files with `messages` (and `tools`), or `box:ID` for the cards of a box.",
  options: { provider: PROVIDER },
  examples: ["tuckbox diff before.json after.json --provider anthropic", "tuckbox diff box:ctx1 box:ctx2 --provider openai_chat --store project.json"],
  async run(session, [before, after], { provider }) {
    const args = given([["provider", needed(provider, "--provider")]]);
    args.set("before", objectText(await promptIn(session, needed(before, "BEFORE")))).set("after", objectText(await promptIn(session, needed(after, "AFTER"))));
    const preview = await session.preview("diff_payloads", args);
    return { preview, view: () => diffView(preview.value, session) };
  },
};

/** A prompt as it is named: the messages of a file, or the cards of a box. */
async function promptIn(session, name) {
  if (name.startsWith("box:")) return given([["box_id", name.slice("box:".length)]]);
  const prompt = await session.json(name, "the prompt");
  return String(prompt).trimStart().startsWith("[") ? new Map([["messages", String(prompt)]]) : session.object(name, "the prompt");
}

const INSPECT = {
  summary: "Show a box, or what a call would pack, with the reason for every card",
  usage: "BOX | --call CALL.json",
  options: {
    call: { value: "CALL.json", help: "a call of `pack_context`, or of any operation that its `op` names" },
    window: { value: "TOKENS", help: "how many tokens fit into the model's window" },
    shown: { value: "N", help: "which box, where a call packs several; 0 by default" },
  },
  examples: ["tuckbox inspect notes --store project.json", "tuckbox inspect --call call.json --window 128000 --store project.json"],
  async run(session, [box_id], { call, window, shown }) {
    if ((box_id === undefined) === (call === undefined)) throw new UsageError("pass a box, or `--call`");
    const args = given([["box_id", box_id], ["shown", shown && number(shown, "--shown")]]);
    const room = given([["window", window && number(window, "--window")]]);
    if (call !== undefined) {
      const members = await session.object(call, "the call");
      if (!members.has("op")) members.set("op", text("pack_context"));
      args.set("call", objectText(members));
    }
    return { preview: await session.preview("inspect", args), view: () => lookView(session, args, room) };
  },
};

const PAYLOAD = {
  summary: "Make the request body for a provider",
  usage: "PROMPT --provider NAME [--model NAME]",
  about: "PROMPT is a file with `messages` (and `tools`), or `box:ID` for the cards of a box. The body is printed\nas JSON; what was changed on the way is said on standard error.",
  options: {
    provider: PROVIDER,
    model: { value: "NAME", help: "the model" },
    "max-output-tokens": { value: "N", help: "how long the answer may be" },
    strict: { help: "refuse instead of changing what the model would see" },
  },
  examples: ["tuckbox payload box:ctx1 --provider anthropic --model some-model --store project.json > body.json"],
  async run(session, [prompt], { provider, model, "max-output-tokens": most, strict }) {
    const args = new Map([...(await promptIn(session, needed(prompt, "PROMPT"))), ...given([["provider", needed(provider, "--provider")], ["model", model], ["max_output_tokens", most && number(most, "--max-output-tokens")], ["strict", strict]])]);
    const preview = await session.preview("payload", args);
    const view = () => {
      for (const loss of lossesView(preview.value.losses, session)) session.note(loss);
      return jsonView(new Map(members(preview.valueText)).get("body"));
    };
    return { preview, view };
  },
};

const RECIPES = {
  summary: "List, check or run recipes",
  usage: "[list] | check FILE.json | run NAME ARGUMENTS.json --by AGENT",
  about: "`--recipes FILE` registers recipes of your own: a list of definitions. `check` takes one definition.",
  options: { by: { value: "AGENT", help: "who hands over" } },
  writes: true,
  examples: ["tuckbox recipes check review.json", "tuckbox recipes run delegate_async task.json --by agent_a --store project.json --commit"],
  async run(session, [action = "list", name, file], { by, recipes }) {
    if (action === "list") return { value: await known(session, recipes), view: (value) => table(value.map(({ name, description }) => [line(name), line(description)]), [{ paint: session.paint.bold }, {}], session.width) };
    if (action === "check") {
      const preview = await session.preview("check_recipe", new Map([["recipe", String(await session.json(needed(name, "FILE.json"), "the recipe"))]]));
      return { preview, view: () => [session.paint.green(`\`${line(preview.value.name)}\` can be registered`), ...lintsView(preview.lints, session.paint)] };
    }
    if (action !== "run") throw new UsageError("`recipes` can `list`, `check` and `run`");
    const args = given([["source_agent_id", needed(by, "--by")], ["tool_suffix", "cli"]]);
    args.set("arguments", String(await session.json(needed(file, "ARGUMENTS.json"), "the arguments")));
    const op = BUILT_IN.some((recipe) => recipe.name === needed(name, "NAME")) ? name : "run_recipe";
    if (op === "run_recipe") args.set("recipe", text(name));
    const preview = await session.preview(op, args);
    return { preview, view: () => packedView(session, op, args) };
  },
};

const BUILT_IN = [
  { name: "delegate_async", description: "one task for a new, a reused or a cloned agent" },
  { name: "fork_join", description: "many tasks in one batch" },
  { name: "launch_principal", description: "start a principal: a kind of `delegate_async`" },
  { name: "ask_expert", description: "ask an expert: a kind of `delegate_async`" },
];

async function known(session, file) {
  const own = file === undefined ? [] : items(String(await session.json(file, "the recipes"))).map((recipe) => JSON.parse(recipe));
  return [...BUILT_IN, ...own.map(({ name, description = "" }) => ({ name, description }))];
}

const CALL = {
  summary: "Do any operation by its name",
  usage: "OPERATION [ARGUMENTS.json]",
  about: "Without an operation it lists them all.",
  writes: true,
  examples: ["tuckbox call", "tuckbox call put_cards cards.json --store project.json --project demo --commit"],
  async run(session, [op, file]) {
    if (op === undefined) return { value: operations, view: (value) => value };
    const preview = await session.preview(op, file === undefined ? new Map() : await session.object(file, "the arguments"));
    return { preview, view: () => [...jsonView(preview.valueText), ...lintsView(preview.lints, session.paint)] };
  },
};

const TAGS = { tag: { value: "TAG", multiple: true, help: "a tag that a delegation policy can ask for" } };
const WORKER = { worker: { value: "TARGET", help: "which kind of worker runs it" } };

/** A command that registers, updates, removes or lists one kind of thing. */
function registry(kind, { key, places, options, columns, example }) {
  return {
    summary: `Register, update, remove or list ${kind}s`,
    usage: `register|update NAME${places.map((place) => ` [${place.toUpperCase()}]`).join("")} | remove NAME | list`,
    options,
    writes: true,
    examples: [example, `tuckbox ${kind} list --store project.json --project demo`],
    async run(session, [action, name, ...rest], values) {
      if (!["register", "update", "remove", "list"].includes(action)) throw new UsageError(`say what to do: \`tuckbox ${kind} register|update|remove|list\``);
      const args = action === "list" ? {} : { [key]: needed(name, "NAME"), ...(action === "remove" ? {} : columns(rest, values)) };
      const given = Object.entries(args).filter(([, value]) => value !== undefined).map(([column, value]) => [column, JSON.stringify(value)]);
      const preview = await session.preview(`${action}_${kind}${action === "list" ? "s" : ""}`, new Map(given));
      return { preview, view: () => jsonView(preview.valueText) };
    },
  };
}

const PROFILE = registry("profile", {
  key: "name", places: ["box"], options: { ...TAGS, ...WORKER, policy: { value: "JSON", help: "whom its agents may hand over to, as JSON" } },
  columns: ([profile_box_id], { tag, worker, policy }) => ({ profile_box_id, tags: tag, worker_target: worker, delegation_policy: policy === undefined ? undefined : jsonOption(policy, "--policy") }),
  example: "tuckbox profile register Writer pb_writer --store project.json --project demo --commit",
});

const AGENT = registry("agent", {
  key: "agent_id", places: ["profile"], options: { ...TAGS, ...WORKER, name: { value: "TEXT", help: "how people call it" } },
  columns: ([profile_name], { tag, worker, name }) => ({ profile_name, tags: tag, worker_target: worker, display_name: name }),
  example: "tuckbox agent register ann Writer --name Ann --store project.json --project demo --commit",
});

const TOOL = registry("tool", {
  key: "tool_name", places: [], options: { about: { value: "TEXT", help: "what it does" }, parameters: { value: "JSON", help: "its parameters, as JSON Schema" } },
  columns: (_, { about, parameters }) => ({ description: about, parameters: parameters === undefined ? undefined : jsonOption(parameters, "--parameters") }),
  example: "tuckbox tool register search --about 'Looks it up.' --store project.json --project demo --commit",
});

function jsonOption(text, name) {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${name} is not JSON`);
  }
}

const MIGRATE = {
  summary: "Make the tables of a database, or bring them up to date",
  usage: "--store postgres://..",
  about: "Running it again changes nothing. Tables that are there are only added to.\nWith --rekey, ids in tables of other software become unique within their project instead of in the whole table.",
  writes: true,
  options: { rekey: { help: "keys on an id alone become keys on the project and the id" } },
  examples: ["tuckbox migrate --store postgres://localhost/agents --commit"],
  async run(session, _, { commit, schema, rekey = false }) {
    const { store } = await session.opened();
    if (typeof store.migrate !== "function") throw new UsageError("only databases have tables: `--store postgres://..`");
    const { migration } = await import("../../stores/sql.js");
    if (commit) await store.migrate({ rekey });
    return { value: { migrated: commit === true }, view: () => (commit ? ["migrated"] : [migration({ schema, rekey })]) };
  },
};

export const COMMANDS = { pack: PACK, turn: TURN, compose: COMPOSE, handoff: HANDOFF, import: IMPORT, diff: DIFF, inspect: INSPECT, payload: PAYLOAD, budget: budget(promptIn, PROVIDER), recipes: RECIPES, call: CALL, profile: PROFILE, agent: AGENT, tool: TOOL, run: RUN, engine: ENGINE, ui: UI, migrate: MIGRATE };
