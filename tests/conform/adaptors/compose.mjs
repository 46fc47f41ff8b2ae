// `compose`: the composer, the collector's view of a state, and the process table.
import { env, fields, objectText, outcome } from "../world.mjs";

const OPERATIONS = {
  compose_agent: composeAgent,
  compose_simple: composeSimple,
  extract_context_blocks: extractContextBlocks,
  allowed_contexts: allowedContexts,
};

export async function run({ input, inputText }, tuckbox) {
  const work = OPERATIONS[input.op];
  return work === undefined ? [] : [await outcome("", () => work(fields(inputText), input, tuckbox))];
}

async function value(op, args, { jsonText, memoryStore, open }) {
  const workspace = await open(memoryStore(), { projectId: "p1", dialect: "v1r3", referenceBehavior: true });
  return fields((await workspace.preview(op, jsonText(objectText(args)), env)).valueText);
}

/**
 * Composes a prompt. The recorded composer takes the query from the checkpoint if there is one; our operation has an
 * argument for it. The recorded composer also accepts a missing query.
 */
function composeAgent(text, { query, checkpoint_messages: messages }, tuckbox) {
  const runtime = Boolean(query) && !(Array.isArray(messages) ? messages.length > 0 : messages);
  return composed(
    {
      process: '"react"',
      system_prompt: text("system_prompt"),
      contexts: text("contexts"),
      checkpoint_messages: text("checkpoint_messages"),
      human_message: text("human_message"),
      query: runtime ? text("query") : '{"in_checkpoint":true}',
    },
    tuckbox,
  );
}

function composeSimple(text, _, tuckbox) {
  return composed(
    {
      process: '"react"',
      system_prompt: text("system_prompt"),
      contexts: text("contexts"),
      query: text("human_content"),
    },
    tuckbox,
  );
}

async function composed(args, tuckbox) {
  return objectText({ messages: (await value("compose", args, tuckbox))("messages") });
}

async function extractContextBlocks(text, _, tuckbox) {
  const collected = await value("collect_contexts", { state: text("state") }, tuckbox);
  return objectText({ contexts: collected("contexts") });
}

async function allowedContexts(text, { scenario }, tuckbox) {
  // the recorded scenario `agent` covers every process except map-reduce
  const process = scenario === "agent" ? '"sequential"' : text("scenario");
  const args = { process, enable_share_context: text("share_agent_context") };
  const keys = JSON.parse((await value("allowed_contexts", args, tuckbox))("keys"));
  return objectText({ keys: JSON.stringify(keys.sort()) });
}
