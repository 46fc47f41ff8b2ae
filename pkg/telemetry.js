// Spans and metrics of workers, over the host's own `@opentelemetry/api`.
//
//   import * as api from "@opentelemetry/api";
//   import { telemetry } from "tuckbox/telemetry";
//   const crew = worker({ engine: team, model, telemetry: telemetry(api) });
//
// Names follow the semantic conventions for generative AI where they define one. Spans contain no prompt and no answer.
/** @import { Telemetry } from "./types/telemetry.js" */
import { codeOf, messageOf, TuckboxError } from "./lib/error.js";
import { own } from "./lib/options.js";

/** The operation of each kind of work, with which the name of its span starts. */
const KINDS = { step: "invoke_agent", model: "chat", tool: "execute_tool" };

/** @type {typeof import("./types/telemetry.js").telemetry} */
export function telemetry(api, options) {
  const { name = "tuckbox" } = own(options);
  if (typeof api?.trace?.getTracer !== "function")
    throw new TuckboxError("bad_request", "`api` is missing: pass the package `@opentelemetry/api`", { path: "api" });
  const { SpanStatusCode, context, metrics, propagation, trace } = api;
  const tracer = trace.getTracer(name);
  const meter = metrics.getMeter(name);
  const duration = meter.createHistogram("gen_ai.client.operation.duration", {
    unit: "s",
    description: "Duration of model calls, tool calls and steps.",
  });
  const tokens = meter.createHistogram("gen_ai.client.token.usage", {
    unit: "{token}",
    description: "Tokens of requests and answers, as counted by the provider.",
  });
  /** @type {Telemetry} */
  const recorder = {
    /** Does `work(report)` inside a span. `report` adds attributes. */
    around(kind, subject, attributes, headers, work) {
      const operation = KINDS[kind];
      const known = /** @type {typeof attributes} */ ({ "gen_ai.operation.name": operation, ...attributes });
      const active = context.active();
      // the parent of a step is the span that asked for its turn; models and tools are inside the step
      const parent = kind === "step" ? propagation.extract(active, headers ?? {}) : active;
      const started = performance.now();
      return tracer.startActiveSpan(`${operation} ${subject}`, { attributes: known }, parent, async (/** @type {any} */ span) => {
        const measured = /** @type {{ [name: string]: unknown }} */ ({
          "gen_ai.operation.name": operation,
          ...(known["gen_ai.request.model"] === undefined ? {} : { "gen_ai.request.model": known["gen_ai.request.model"] }),
        });
        /** @param {{ readonly [name: string]: unknown }} more */
        const report = (more) => {
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
          return await work(report);
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error).slice(0, 500) });
          const code = codeOf(error);
          measured["error.type"] = typeof code === "string" ? code : "error";
          span.setAttribute("error.type", measured["error.type"]);
          throw error;
        } finally {
          duration.record((performance.now() - started) / 1000, measured);
          span.end();
        }
      });
    },
  };
  return recorder;
}
