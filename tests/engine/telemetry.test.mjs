// Spans and metrics of a turn, recorded with the real OpenTelemetry SDK.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as api from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { engine } from "../../pkg/engine.js";
import { memoryStore, open } from "../../pkg/index.js";
import { telemetry } from "../../pkg/telemetry.js";
import { worker } from "../../pkg/worker.js";

const spans = new InMemorySpanExporter();
const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const meters = new MeterProvider({
  readers: [new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 })],
});
api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
api.metrics.setGlobalMeterProvider(meters);
api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

test("a turn with a tool creates a tree of spans, and its tokens are counted", async () => {
  const team = engine({ open, store: memoryStore(), projectId: "p" });
  await team.profile({ name: "Writer", system_prompt: "You write.", llm_config: { provider: "openai_chat", model: "some-model" } });
  await team.provision({ agent_id: "ann", profile: "Writer" });
  const call = { id: "c", type: "function", function: { name: "search", arguments: "{}" } };
  const answer = (message, finish_reason) => ({
    choices: [{ finish_reason, message }],
    usage: { prompt_tokens: 30, completion_tokens: 4 },
  });
  const model = (_, { step_count }) => {
    if (step_count === 0) return answer({ role: "assistant", content: "", tool_calls: [call] }, "tool_calls");
    throw Object.assign(new Error("overloaded"), { code: "http_529" });
  };
  const crew = worker({ engine: team, model, tools: { search: () => "secret result" }, telemetry: telemetry(api) });
  await team.dispatch({ agent_id: "ann", instruction: "secret question" });
  await crew.step();
  await crew.close();
  await team.close();

  const ended = spans.getFinishedSpans();
  const named = (name) => ended.filter((span) => span.name === name);
  assert.deepEqual(ended.map(({ name }) => name).sort(), [
    "chat some-model",
    "chat some-model",
    "execute_tool search",
    "invoke_agent ann",
    "invoke_agent ann",
  ]);
  const [first, second] = named("invoke_agent ann");
  const parentOf = (span) => span.parentSpanContext?.spanId;
  assert.equal(parentOf(named("execute_tool search")[0]), first.spanContext().spanId);
  assert.equal(parentOf(named("chat some-model")[1]), second.spanContext().spanId);
  assert.equal(named("chat some-model")[0].attributes["gen_ai.usage.input_tokens"], 30);
  assert.deepEqual([second.status.code, second.attributes["error.type"]], [api.SpanStatusCode.ERROR, "http_529"]);
  assert.ok(!JSON.stringify(ended.map(({ attributes }) => attributes)).includes("secret"), "spans contain no message text");

  await meters.forceFlush();
  const metrics = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  const usage = metrics.find(({ descriptor }) => descriptor.name === "gen_ai.client.token.usage");
  assert.deepEqual(usage.dataPoints.map(({ attributes, value }) => [attributes["gen_ai.token.type"], value.sum]).sort(), [
    ["input", 30],
    ["output", 4],
  ]);
  assert.ok(metrics.some(({ descriptor }) => descriptor.name === "gen_ai.client.operation.duration"));
  await meters.shutdown();
});

test("`telemetry` without the OpenTelemetry API is an error", () => {
  assert.throws(() => telemetry(undefined), { code: "bad_request", path: "api" });
});
