// Spans and metrics of workers, over the host's own `@opentelemetry/api`.
//
//   import * as api from "@opentelemetry/api";
//   import { telemetry } from "tuckbox/telemetry";
//   const crew = worker({ engine: team, model, telemetry: telemetry(api) });
//
// Names are those of the semantic conventions for generative AI where there is one. No text of a prompt or an answer is told.
import { TuckboxError, messageOf } from "./lib/error.js";

/** What each kind of work is called, and the beginning of its span's name. */
const KINDS = { step: "invoke_agent", model: "chat", tool: "execute_tool" };

export function telemetry(api, { name = "tuckbox" } = {}) {
  if (typeof api?.trace?.getTracer !== "function") throw new TuckboxError("bad_request", "`api` is missing: pass the package `@opentelemetry/api`", { path: "api" });
  const { SpanStatusCode, context, metrics, propagation, trace } = api;
  const tracer = trace.getTracer(name);
  const meter = metrics.getMeter(name);
  const duration = meter.createHistogram("gen_ai.client.operation.duration", { unit: "s", description: "How long models, tools and steps took." });
  const tokens = meter.createHistogram("gen_ai.client.token.usage", { unit: "{token}", description: "Tokens of requests and answers, as the provider counts them." });
  return {
    /** Does `work(tell)` inside a span; `tell` adds attributes that are known later. */
    around(kind, subject, attributes, headers, work) {
      const operation = KINDS[kind];
      const known = { "gen_ai.operation.name": operation, ...attributes };
      const active = context.active();
      // a step belongs to whoever asked for its turn; models and tools belong to the step
      const parent = kind === "step" ? propagation.extract(active, headers ?? {}) : active;
      const started = performance.now();
      return tracer.startActiveSpan(`${operation} ${subject}`, { attributes: known }, parent, async (span) => {
        const measured = { "gen_ai.operation.name": operation, ...(known["gen_ai.request.model"] === undefined ? {} : { "gen_ai.request.model": known["gen_ai.request.model"] }) };
        const tell = (more) => {
          span.setAttributes(more);
          if (more["error.type"] !== undefined) {
            span.setStatus({ code: SpanStatusCode.ERROR });
            measured["error.type"] = more["error.type"];
          }
          for (const side of ["input", "output"]) {
            const count = more[`gen_ai.usage.${side}_tokens`];
            if (count !== undefined) tokens.record(count, { ...measured, "gen_ai.token.type": side });
          }
        };
        try {
          return await work(tell);
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error).slice(0, 500) });
          measured["error.type"] = typeof error?.code === "string" ? error.code : "error";
          span.setAttribute("error.type", measured["error.type"]);
          throw error;
        } finally {
          duration.record((performance.now() - started) / 1000, measured);
          span.end();
        }
      });
    },
  };
}
