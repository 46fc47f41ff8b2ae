// From prompt layers to the request of a provider, with the package.
import assert from "node:assert/strict";
import { test } from "node:test";
import { project } from "./support.mjs";

const talk = [
  { role: "system", content: "one" },
  { role: "user", content: "a" },
  { role: "system", content: "two" },
  { role: "user", content: "b" },
];

test("a strict payload refuses with all changes it would make, and accepts allowed ones", async () => {
  const { workspace } = await project();
  const call = {
    provider: "anthropic",
    model: "some-model",
    messages: talk,
    origins: [null, null, { card_id: "c7" }],
    max_output_tokens: 9,
  };
  await assert.rejects(workspace.payload({ ...call, strict: true }), (error) => {
    assert.equal(error.code, "bad_request");
    assert.equal(error.path, "messages[2]");
    const [{ reason, ...loss }, ...rest] = error.details.losses;
    assert.deepEqual(loss, { code: "system_moved", action: "move", lossy: true, position: 2, card_id: "c7" });
    assert.ok(reason.length > 0 && rest.length === 0);
    return true;
  });
  const { losses } = await workspace.payload({ ...call, strict: true, allow: ["system_moved"] });
  assert.deepEqual(
    losses.map(({ code, position }) => [code, position]),
    [
      ["system_moved", 2],
      ["turns_merged", 3],
    ],
  );
});

test("invalid prompts are refused with their path", async () => {
  const { workspace } = await project();
  const compose = { process: "react", system_prompt: "s", query: "q" };
  const refusals = [
    ["compose", { ...compose, contexts: { todo: "x" } }, "bad_request", "contexts.todo"],
    ["compose", { ...compose, process: "swarm" }, "bad_request", "process"],
    ["compose", { ...compose, checkpoint_messages: [{ role: "user", content: "q" }] }, "bad_request", "query"],
    [
      "payload",
      { provider: "neutral", messages: talk, origins: [{ is_query: true }, { is_query: true }] },
      "bad_request",
      "origins[0].is_query",
    ],
    ["budget", { provider: "gemini", messages: talk, limit: 1 }, "limit", "limit"],
    [
      "change_memory",
      {
        state: {
          messages: [
            { id: "m", role: "user" },
            { id: "m", role: "user" },
          ],
        },
        changes: [],
      },
      "bad_request",
      "state.messages[1].id",
    ],
  ];
  for (const [op, args, code, path] of refusals) await assert.rejects(workspace.call(op, args), { code, path }, op);
  const lints = async (args) => (await workspace.preview("payload", args)).lints.map(({ code, path }) => [code, path]);
  const odd = [
    { role: "wizard", content: "x", id: "m" },
    { role: "tool", content: "r", tool_call_id: "k", id: "m" },
  ];
  assert.deepEqual(await lints({ provider: "neutral", messages: odd }), [
    ["duplicate_message_id", "messages[1].id"],
    ["unknown_role", "messages[0].role"],
    ["orphan_tool_result", "messages[1]"],
  ]);
});
