// The answer of a tool that answers later: its card, and the report to the turn that waits for it.
/** @import { EngineCallOptions, EngineSession, ToolAnswer, ToolHandle } from "../../types/engine.js" */
/** @import { NewCard } from "../../types/index.js" */
import { codeOf } from "../error.js";
import { MAX_RESULT_BYTES, resultOnCard } from "./results.js";

/**
 * Stores and reports an answer. The first one wins.
 *
 * @param {Pick<EngineSession, "run"> & { hold(work: (session: EngineSession) => Promise<void>): Promise<void> }} engine
 * @param {ToolHandle} call
 * @param {ToolAnswer} answer
 * @param {EngineCallOptions} [options]
 */
export async function answerCall(engine, call, answer, options) {
  const { status = "success", result = null, error = null, after_execution = "suspend" } = answer;
  const { agent_id, agent_turn_id, turn_epoch, step_id, tool_call_id, tool_name, recursion_depth = 0, channel_id = "public" } = call;
  const card_id = `result_${tool_call_id}`;
  const author_id = `tool.${tool_name}`;
  const metadata = { role: "tool", step_id, agent_turn_id, tool_call_id, function_name: tool_name };
  await engine.hold(async (session) => {
    try {
      const shown = await resultOnCard(session, result, { author_id, metadata }, MAX_RESULT_BYTES, options);
      /** @type {NewCard["content"]} */
      const content = { __type__: "ToolResultContent", status, after_execution, result: shown, error };
      await session.call("put_cards", { cards: [{ card_id, type: "tool.result", author_id, content, metadata, tool_call_id }] }, options);
    } catch (thrown) {
      // the first answer wins
      if (codeOf(thrown) !== "conflict") throw thrown;
    }
  });
  const source = { source_agent_id: agent_id, source_agent_turn_id: agent_turn_id, source_step_id: step_id };
  await engine.run("tool_call", { correlation_id: tool_call_id, recursion_depth, channel_id, ...source }, options);
  const payload = { tool_call_id, agent_turn_id, turn_epoch, agent_id, status, after_execution, tool_result_card_id: card_id, step_id };
  const report = { target_agent_id: agent_id, message_type: "tool_result", correlation_id: tool_call_id, channel_id, recursion_depth };
  const sent = await engine.run("report", { ...report, source_agent_id: author_id, payload }, options);
  return { accepted: sent.status === "accepted" };
}
