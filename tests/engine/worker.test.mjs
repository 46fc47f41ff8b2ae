// The tools of a worker: lost turns, repeated steps, and results of any size.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engine } from "../../pkg/engine.js";
import { memoryStore, open } from "../../pkg/index.js";
import { trackedHost, VirtualClock } from "../../pkg/lib/contract/clock.js";
import { worker } from "../../pkg/worker.js";

/** Returns the answer of a model that calls tools. All calls have the same id. */
const calling = (...calls) => ({
  text: "",
  tool_calls: calls.map(([name, args = {}]) => ({ id: "c", type: "function", function: { name, arguments: JSON.stringify(args) } })),
});

/** Tests a team with one agent on a virtual clock. */
function teamTest(name, work, more = {}) {
  test(name, async () => {
    const clock = new VirtualClock();
    const team = engine({ ...trackedHost(clock, { open, store: memoryStore() }), projectId: "p", ...more });
    await clock.run(async () => {
      await team.profile({ name: "Writer", system_prompt: "You write.", llm_config: { model: "m" } });
      await team.provision({ agent_id: "ann", profile: "Writer" });
      await work(team, clock);
      await team.close();
    });
  });
}

/** Returns the deliverable of a turn by field. */
async function delivered(team, turn) {
  const { content } = await team.result(turn);
  return Object.fromEntries(content.data.fields.map(({ name, value }) => [name, value]));
}

const toolMessages = ({ body }) => body.messages.filter(({ role }) => role === "tool").map(({ content }) => content);

teamTest("a tool that answers later is not started for a turn that was stopped", async (team) => {
  const started = [];
  const model = async () => {
    assert.equal(await team.stop({ agent_id: "ann" }), true);
    return calling(["order"]);
  };
  const log = [];
  const tools = { order: { start: (_, { tool_call_id }) => void started.push(tool_call_id) } };
  const crew = worker({ engine: team, model, tools, log: (entry) => log.push(entry.event) });
  await team.dispatch({ agent_id: "ann", instruction: "Go on." });
  await crew.step();
  assert.deepEqual(started, []);
  assert.ok(log.includes("turn_lost"), log.join(" "));
});

teamTest("calls have ids of their own, although a model repeats its ids", async (team) => {
  const ids = [];
  const tools = { search: (_, { tool_call_id }) => void ids.push(tool_call_id) };
  const model = (_, { step_count }) => (step_count < 2 ? calling(["search"], ["search"]) : "done");
  const turns = [];
  for (let at = 0; at < 2; at += 1) {
    turns.push(await team.dispatch({ agent_id: "ann", instruction: "Go on." }));
    await worker({ engine: team, model, tools }).step();
  }
  for (const turn of turns) assert.equal((await delivered(team, turn)).output, "done");
  assert.equal(new Set(ids).size, 8, ids.join(" "));
});

let ring;
const transport = {
  publish() {},
  async wakeups(handler) {
    ring = handler;
    return () => {};
  },
};
const otherKind = async (team) => {
  await team.provision({ agent_id: "gil", profile: "Writer", worker_target: "gpu" });
  await team.dispatch({ agent_id: "gil", instruction: "Go on." });
  const asked = [];
  const crew = worker({ engine: team, model: (_, { agent_id }) => void asked.push(agent_id), targets: ["generic"] });
  await crew.start();
  // the kind of the agent changed after the wakeup was sent
  await ring({ kind: "wakeup", agent_id: "gil", worker_target: "generic", isMine: true });
  await crew.close();
  assert.deepEqual(asked, []);
  assert.deepEqual(
    (await team.rows.pending()).map(({ agent_id }) => agent_id),
    ["gil"],
  );
};
teamTest("a worker does not claim an agent of another kind, even after a wakeup", otherKind, { transport });

teamTest("a step that another worker repeats has the same tool call ids, and finished results are used", async (team, clock) => {
  const ran = [];
  const model = (payload, { step_count }) =>
    step_count === 0 ? calling(["pay", { euros: 5 }], ["slow"]) : toolMessages(payload).join(" ");
  const toolsOf = (worker_name) => ({
    pay: (_, { tool_call_id }) => {
      ran.push([worker_name, "pay", tool_call_id]);
      return "paid once";
    },
    slow: (_, { tool_call_id, signal }) => {
      ran.push([worker_name, "slow", tool_call_id]);
      if (worker_name === "second") return "was slow";
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  const first = worker({ engine: team, model, tools: toolsOf("first") });
  await first.start();
  const turn = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
  await clock.until("both tools run", () => ran.length === 2);
  await first.close({ graceMs: 20 });
  await worker({ engine: team, model, tools: toolsOf("second") }).step();
  const { output } = await delivered(team, turn);
  assert.match(output, /paid once.*was slow/);
  const names = ran.map(([by, name]) => `${by} ${name}`);
  assert.deepEqual(names, ["first pay", "first slow", "second slow"]);
  assert.equal(ran[1][2], ran[2][2], "the id of the repeated call");
});

teamTest("a large result is stored on cards, the model sees an excerpt and their ids, and other calls are unaffected", async (team) => {
  const rows = Array.from({ length: 40_000 }, (_, at) => ({ at, text: `row ${at} \u{1f30a}\u0001` }));
  const text = `${"tide \u{1f30a} ".repeat(300_000)}end`;
  const circle = {};
  circle.circle = circle;
  const deep = JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`);
  let seen;
  const model = (payload, { step_count }) => {
    if (step_count === 0) return calling(["rows"], ["text"], ["later"], ["small"], ["circle"], ["deep"]);
    seen = toolMessages(payload);
    return "done";
  };
  const tools = {
    rows: () => rows,
    text: () => text,
    later: { start: () => rows },
    small: () => "small",
    circle: () => circle,
    deep: () => deep,
  };
  const turn = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
  await worker({ engine: team, model, tools }).step();
  assert.equal((await delivered(team, turn)).output, "done");
  assert.equal(seen.length, 6);
  for (const message of seen) assert.ok(message.length < 20_000, `${message.length} characters`);
  const find = (part) => seen.find((message) => message.includes(part));
  assert.ok(find('"small"') ?? find("small"));
  assert.ok(find("circular"), "the error of a result that is not JSON");
  assert.ok(find("128 levels") ?? find("deep"), seen.join("\n").slice(0, 2000));
  for (const [start, whole, count] of [
    ["tide ", text, 1],
    ["row 0", JSON.stringify(rows), 2],
  ]) {
    const found = seen.filter((one) => one.includes(start));
    assert.equal(found.length, count, start);
    for (const message of found) {
      const card_ids = /"card_ids":\s*(\[[^\]]*\])/.exec(message)?.[1];
      const { cards } = await team.call("get_cards", { card_ids: JSON.parse(card_ids) });
      assert.equal(cards.map(({ content }) => content.text).join(""), whole);
    }
  }
});

teamTest("results that do not fit into one commit are stored in several", async (team) => {
  const large = "x".repeat(17 << 20);
  let seen;
  const model = (payload, { step_count }) => {
    if (step_count === 0) return calling(["large"], ["large"], ["small"]);
    seen = toolMessages(payload);
    return "done";
  };
  const turn = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
  await worker({ engine: team, model, tools: { large: () => large, small: () => "small" } }).step();
  assert.equal((await delivered(team, turn)).output, "done");
  assert.deepEqual(
    seen.map((message) => [message.includes("is_excerpt"), message.includes("small")]),
    [
      [true, false],
      [true, false],
      [false, true],
    ],
  );
});

teamTest("a worker runs as many turns as its concurrency", async (team, clock) => {
  const agents = ["a1", "a2", "a3", "a4", "a5", "a6"];
  let [now, most] = [0, 0];
  const model = async () => {
    now += 1;
    most = Math.max(most, now);
    await clock.sleep(3000);
    now -= 1;
    return "done";
  };
  const crew = worker({ engine: team, model, concurrency: 2 });
  for (const agent_id of agents) await team.provision({ agent_id, profile: "Writer" });
  const turns = [];
  for (const agent_id of agents) turns.push(await team.dispatch({ agent_id, instruction: "Go on." }));
  await crew.start();
  for (const turn of turns) assert.equal((await delivered(team, turn)).output, "done");
  await crew.close();
  assert.equal(most, 2);
});

teamTest("a worker loses a turn that has another epoch", async (team, clock) => {
  let [lost, lost_at] = [];
  const model = (_, turn) =>
    new Promise((_, reject) => {
      turn.signal.addEventListener("abort", () => {
        lost ??= turn.signal.reason;
        lost_at ??= clock.now();
        reject(turn.signal.reason);
      });
      const { agent_id, agent_turn_id, turn_epoch, step_id } = turn;
      held ??= { agent_id, agent_turn_id, turn_epoch, step_id };
    });
  let held;
  const crew = worker({ engine: team, model });
  await crew.start();
  const turn = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
  await clock.until("the model is asked", () => held !== undefined);
  const start = await team.rows.startOf(turn.agent_turn_id);
  const { given_back } = await team.run("turn_give_back", { ...held, inbox_id: start.inbox_id });
  assert.equal(given_back, true);
  const given_back_at = clock.now();
  await clock.until("the signal fires", () => lost !== undefined);
  assert.deepEqual([lost.code, lost.details.turn_epoch], ["conflict", held.turn_epoch]);
  assert.ok(lost_at - given_back_at <= 2000, "at the next check");
  await crew.close({ graceMs: 10 });
});

teamTest("an answer that ends too early fails the turn", async (team) => {
  const model = async function* () {
    yield { choices: [{ index: 0, delta: { role: "assistant", content: "half of" } }] };
  };
  const turn = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
  await worker({ engine: team, model }).step();
  assert.match((await delivered(team, turn)).error, /ends too early/);
});

teamTest("the model's request of each step can be shown again byte for byte", async (team) => {
  const sent = [];
  const steps = [];
  const model = ({ body }, { step_id, step_count }) => {
    sent.push(JSON.stringify(body));
    steps.push(step_id);
    return step_count < 2 ? calling(["search"]) : "done";
  };
  const tools = { search: { description: "Searches.", run: () => ({ rows: steps.length }) } };
  const crew = worker({ engine: team, model, tools, systemAppend: "Be brief." });
  const turn = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
  await crew.step();
  assert.equal((await delivered(team, turn)).output, "done");
  // the boxes and the profile change after the turn
  await team.call("append_to_box", { box_id: turn.output_box_id, card_ids: ["other"] });
  await team.profile({ name: "Writer", system_prompt: "You sum up.", llm_config: { model: "m" } });
  assert.equal(new Set(steps).size, 3);
  const shown = [];
  for (const recorded of steps) {
    const { body } = await team.call("payload", { provider: "openai_chat", model: "m", turn: { recorded } });
    shown.push(JSON.stringify(body));
  }
  assert.deepEqual(shown, sent);
});

teamTest("a worker with `record: false` stores no views", async (team) => {
  const crew = worker({ engine: team, model: () => "done", record: false });
  const turn = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
  await crew.step();
  assert.equal((await delivered(team, turn)).output, "done");
  assert.deepEqual((await team.call("list_turn_views", { agent_id: "ann" })).rows, []);
});
