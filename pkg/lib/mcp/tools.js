// The tools: arguments to operations, and answers to text and structured content.
/** @import { Receipt } from "../../types/results.js" */
/** @import { Preview } from "../../types/workspace.js" */
/** @import { Args } from "../cli/calls.js" */
/** @import { Context } from "./protocol.js" */
/** @import { ToolName } from "./definitions.js" */
/** @import { Questions } from "./sessions.js" */
import { text } from "../cli/calls.js";
import { messageOf, TuckboxError } from "../error.js";
import { cleaned, fenced, Handles } from "./answers.js";
import { withPage } from "./app.js";
import { definitions, isTool, toolOf } from "./definitions.js";
import { CODES, clipped, isObject, RpcError } from "./protocol.js";

/** The key of the question in an elicitation. */
const CONFIRM = "confirm";

/** An error in the arguments of a tool, which a model can correct. */
class ArgumentError extends Error {}

/**
 * Returns the methods of the tools.
 *
 * @param {Questions} questions
 * @param {{ commits: boolean, showsSecrets: boolean }} options
 */
export function toolMethods(questions, { commits, showsSecrets }) {
  const tools = definitions({ commits });
  /** @type {Handles<{ name: ToolName, args: Args, from: number }>} */
  const pages = new Handles("h_");
  /** @type {Handles<Preview<any>>} */
  const previews = new Handles("c_");

  /** @param {ToolName} name @param {Args} args @param {number} from */
  const ask = async (name, args, from) => {
    const { op, call, takes } = toolOf(name);
    const page = new Map(args).set("from", text(from));
    if (name === "sessions") return questions.list(page);
    if (call === undefined) return questions.about(op, page);
    const own = new Map([...args].filter(([key]) => key !== "max_tokens" && takes.includes(key)));
    const inner = new Map([["op", text(call)], ["tool_suffix", text("mcp")], ["source_agent_id", text("mcp")], ...own]);
    const outer = new Map([...page].filter(([key]) => key === "from" || key === "max_tokens"));
    return questions.handover(inner, outer, commits && from === 0);
  };

  /** @param {ToolName} name @param {Args} args @param {number} from @param {object | undefined} owner */
  const answered = async (name, args, from, owner) => {
    const { text: found, next, preview } = await ask(name, args, from);
    const { next: _, ...answer } = cleaned(found, showsSecrets);
    if (next !== undefined) answer.more = pages.add({ name, args, from: next }, owner);
    if (preview !== undefined) answer.commit = previews.add(preview, owner);
    return result(summary(name, answer), answer);
  };

  /** @param {any} params @param {Context} context */
  const called = async ({ name, arguments: given = {}, inputResponses }, context) => {
    if (typeof name !== "string" || !isTool(name)) throw new RpcError(CODES.params, `unknown tool: ${clipped(name)}`);
    try {
      if (!isObject(given)) throw new ArgumentError("`arguments` must be an object");
      const allowed = [...toolOf(name).takes, "more", ...(commits && name === "preview" ? ["commit"] : [])];
      const unknown = Object.keys(given).find((key) => !allowed.includes(key));
      if (unknown !== undefined) throw new ArgumentError(`unknown argument \`${clipped(unknown)}\`; expected one of ${allowed.join(", ")}`);
      if (given.commit !== undefined) return await commit(given.commit, inputResponses, context);
      if (given.more === undefined) {
        const args = new Map(Object.entries(given).map(([key, value]) => [key, text(value)]));
        return await answered(name, args, 0, ownerOf(context));
      }
      const page = typeof given.more === "string" ? pages.get(given.more, ownerOf(context)) : undefined;
      if (page?.name !== name)
        throw new ArgumentError(`unknown handle \`${clipped(given.more)}\`: call \`${name}\` again without \`more\``);
      return await answered(page.name, page.args, page.from, ownerOf(context));
    } catch (error) {
      if (!(error instanceof ArgumentError || error instanceof TuckboxError)) throw error;
      return failed(error);
    }
  };

  /**
   * Commits a preview. A client that can ask its user does so first.
   *
   * @param {unknown} handle
   * @param {any} responses
   * @param {Context} context
   */
  const commit = async (handle, responses, context) => {
    const { capabilities, isModern, ask: request } = context;
    const preview = typeof handle === "string" ? previews.get(handle, ownerOf(context)) : undefined;
    if (preview === undefined) throw new ArgumentError(`unknown preview \`${clipped(handle)}\`: call \`preview\` again`);
    if (capabilities.elicitation !== undefined) {
      const question = { method: "elicitation/create", params: asked(preview) };
      const response = isModern ? responses?.[CONFIRM] : await request(question.method, question.params);
      if (response === undefined) return { resultType: "input_required", inputRequests: { [CONFIRM]: question } };
      if (response.action !== "accept") throw new ArgumentError("the user did not accept the commit: nothing is written");
      // another call can have committed it while the user decided
      if (previews.get(/** @type {string} */ (handle), ownerOf(context)) === undefined)
        throw new ArgumentError(`unknown preview \`${clipped(handle)}\`: call \`preview\` again`);
    }
    previews.delete(/** @type {string} */ (handle));
    const receipt = /** @type {Receipt} */ (await preview.commit());
    preview.dispose();
    return result("Committed.", cleaned(JSON.stringify({ receipt }), showsSecrets));
  };

  /** @param {any} _ @param {Context} context */
  const list = (_, { capabilities }) => ({ tools: withPage(tools, capabilities) });

  return { "tools/list": list, "tools/call": called };
}

/**
 * Returns the session that handles belong to. Revision 2026-07-28 has no sessions.
 *
 * @param {Context} context
 */
function ownerOf({ isModern, peer }) {
  return !isModern && peer.isReady === true ? peer : undefined;
}

/** @param {Preview<any>} preview */
function asked({ writes }) {
  const boxes = writes.boxes?.length ?? 0;
  const cards = writes.cards?.length ?? 0;
  return {
    mode: "form",
    message: `Write this handover to the store: ${boxes} boxes and ${cards} cards?`,
    requestedSchema: { type: "object", properties: {} },
  };
}

/** @param {string} line @param {any} answer */
function result(line, answer) {
  return { content: [{ type: "text", text: fenced(line, answer) }], structuredContent: answer };
}

/** @param {unknown} error */
function failed(error) {
  const place = error instanceof TuckboxError ? `${error.code}${error.path === "" ? "" : ` at ${clipped(error.path)}`}: ` : "";
  return { content: [{ type: "text", text: `${place}${clipped(messageOf(error))}` }], isError: true };
}

/** @param {ToolName} name @param {any} answer */
function summary(name, answer) {
  const rest = answer.more === undefined ? "" : ` Pass more: "${answer.more}" for the rest.`;
  const lines = {
    sessions: () => `${counted(answer.total, "session")}.`,
    explain: () => `Request ${answer.request} of ${answer.requests}.`,
    diff: () => `Requests ${answer.before} and ${answer.after}: ${counted(answer.came, "message")} came, ${answer.went} went.`,
    cache: () => `${counted(answer.requests, "request")}, ${counted(answer.lost_tokens, "token")} lost.`,
    compaction: () => `${counted(answer.compactions, "compaction")}.`,
    preview: () =>
      `The receiver sees ${counted(answer.shared + answer.added, "card")}; not passed on: ${answer.not_passed_on}. Nothing is written.`,
  };
  return `${lines[name]()}${rest}`;
}

/** @param {number} count @param {string} noun */
const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
