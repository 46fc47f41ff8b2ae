// Exports of OpenTelemetry that the proxy receives: JSON and protobuf, present and earlier GenAI conventions.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { openTimeline } from "../../pkg/index.js";
import { recorder } from "../../pkg/lib/proxy/recorder.js";
import { serveProxy } from "../../pkg/lib/proxy/server.js";

const folder = mkdtempSync(join(tmpdir(), "tuckbox-otlp-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Encodes a message of protobuf: each field is its number, and a string, a message, a list of both, or a bigint. */
function encoded(fields) {
  const varint = (value) => {
    const bytes = [];
    for (let left = value; ; left >>= 7n) {
      if (left < 128n) return Buffer.from([...bytes, Number(left)]);
      bytes.push(Number(left & 127n) | 128);
    }
  };
  const one = (number, value) => {
    if (typeof value === "bigint") {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(value);
      return Buffer.concat([varint((BigInt(number) << 3n) | 1n), bytes]);
    }
    if (typeof value === "number") return Buffer.concat([varint(BigInt(number) << 3n), varint(BigInt(value))]);
    const bytes = typeof value === "string" ? Buffer.from(value) : value instanceof Uint8Array ? value : encoded(value);
    return Buffer.concat([varint((BigInt(number) << 3n) | 2n), varint(BigInt(bytes.length)), bytes]);
  };
  return Buffer.concat(Object.entries(fields).flatMap(([number, value]) => [value].flat().map((item) => one(Number(number), item))));
}

const pair = (key, value) => ({ 1: key, 2: typeof value === "number" ? { 3: value } : { 1: value } });
const message = (role, text) => ({ role, parts: [{ type: "text", content: text }] });

/** A span of the present conventions, and one of a database. */
const spans = (time) => ({
  1: {
    1: { 1: [pair("host.name", "my-laptop")] },
    2: {
      1: { 1: "my.app" },
      2: [
        {
          1: Buffer.from("0102030405060708090a0b0c0d0e0f10", "hex"),
          2: Buffer.from("0102030405060708", "hex"),
          5: "chat gpt-5",
          7: time,
          9: [
            pair("gen_ai.operation.name", "chat"),
            pair("gen_ai.provider.name", "openai"),
            pair("gen_ai.request.model", "gpt-5"),
            pair("gen_ai.response.id", "chatcmpl-1"),
            pair("gen_ai.usage.input_tokens", 1_200),
            pair("gen_ai.input.messages", JSON.stringify([message("user", "Where is the gate?")])),
            pair("gen_ai.output.messages", JSON.stringify([message("assistant", "At pier 3.")])),
          ],
        },
        { 5: "SELECT passwords", 7: time, 9: [pair("db.system", "postgresql")] },
      ],
    },
  },
});

/** A span whose messages are events, as in conventions before version 1.28. */
const earlier = {
  resourceSpans: [
    {
      scopeSpans: [
        {
          scope: { name: "old.app" },
          spans: [
            {
              spanId: "aa",
              name: "chat",
              startTimeUnixNano: "1771000000000000000",
              attributes: [
                { key: "gen_ai.system", value: { stringValue: "anthropic" } },
                { key: "gen_ai.request.model", value: { stringValue: "claude-sonnet-4-5" } },
              ],
              events: [
                {
                  name: "gen_ai.content.prompt",
                  attributes: [
                    { key: "gen_ai.prompt", value: { stringValue: JSON.stringify([{ role: "user", content: "And the boat?" }]) } },
                  ],
                },
                {
                  name: "gen_ai.content.completion",
                  attributes: [
                    { key: "gen_ai.completion", value: { stringValue: JSON.stringify([{ role: "assistant", content: "At 23:52." }]) } },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
  ],
};

test("spans about models are recorded from protobuf and JSON, and nothing else", async () => {
  const limits = { keep: 100, maxBytes: 1 << 20, maxDisk: 1 << 30 };
  const recording = recorder({ folder: join(folder, "a"), otlp: true, ...limits });
  const proxy = await serveProxy({
    port: 0,
    isExact: true,
    routes: new Map(),
    otlp: "/key",
    maxBytes: limits.maxBytes,
    record: recording.record,
  });
  const send = async (path, body, headers) => {
    const response = await fetch(proxy.origin + path, { method: "POST", body, headers });
    await response.arrayBuffer();
    return response.status;
  };
  const protobuf = { "content-type": "application/x-protobuf" };
  assert.equal(await send("/key/v1/traces", encoded(spans(1_770_000_000_000_000_000n)), protobuf), 200);
  const packed = gzipSync(JSON.stringify(earlier));
  assert.equal(await send("/key/v1/traces", packed, { "content-type": "application/json", "content-encoding": "gzip" }), 200);
  assert.equal(await send("/key/v1/metrics", encoded({}), protobuf), 200);
  // broken ones are skipped, with a reason
  assert.equal(await send("/key/v1/traces", Buffer.from([10, 200, 1, 1]), protobuf), 200);
  assert.equal(await send("/v1/traces", encoded({}), protobuf), 404);
  await proxy.close();
  await recording.close();
  const { recorded, skipped, reason } = recording.account();
  assert.deepEqual([recorded, skipped, reason], [2, 1, "the export is not valid protobuf"]);
  const text = readFileSync(recording.paths[1], "utf8");
  assert.doesNotMatch(text, /laptop|passwords/);
  const timeline = await openTimeline([{ name: "spans.otlp.jsonl", bytes: new TextEncoder().encode(text) }]);
  const { steps, prompts } = timeline.ask();
  timeline.dispose();
  assert.deepEqual(
    steps.map(({ provider, model, recorded: usage, did }) => [provider, model, usage.input, did[0].target]),
    [
      ["openai_chat", "gpt-5", 1_200, "At pier 3."],
      ["anthropic", "claude-sonnet-4-5", null, "At 23:52."],
    ],
  );
  assert.deepEqual(
    prompts.map(({ text: words }) => words),
    ["Where is the gate?", "And the boat?"],
  );
});
