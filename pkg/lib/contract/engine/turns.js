// One turn: it runs, waits for tools, fails, is stopped, moves to another worker.
/** @import { ToolHandle } from "../../../types/engine.js" */
/** @import { Case } from "./team.js" */
import { holds, same } from "../trial.js";
import { calls } from "./team.js";

/** @param {any} payload */
const lastMessage = (payload) => payload.body.messages.at(-1);

/** @type {readonly Case[]} */
export const turns = [
  [
    "a turn runs from its message to its deliverable",
    async (team) => {
      await team.engine.start();
      await team.worker((payload) => `You said: ${lastMessage(payload).content}`).start();
      const turn = await team.ask("ann", "Good morning.");
      same(await team.delivered(turn).then(({ output }) => output), "You said: Good morning.", "the deliverable");
      same(team.thoughts.length, 1, "calls of the model");
      await team.rest();
    },
  ],
  [
    "the turns of one agent run once each, in the order of their requests",
    async (team) => {
      await team.engine.start();
      const order = /** @type {string[]} */ ([]);
      let now = 0;
      await team
        .worker(async (payload) => {
          holds((now += 1) === 1, "two turns of one agent run at once");
          order.push(lastMessage(payload).content);
          await team.clock.sleep(5);
          now -= 1;
          return "done";
        })
        .start();
      const words = ["one", "two", "three", "four", "five"];
      const asked = [];
      for (const word of words) asked.push(await team.ask("ann", word));
      for (const turn of asked) same((await team.delivered(turn)).output, "done", "the deliverable");
      same(order, words, "the order of the turns");
      await team.rest();
    },
  ],
  [
    "a tool that answers at once answers within the turn",
    async (team) => {
      await team.engine.start();
      const tools = {
        search: (/** @type {any} */ { query }, /** @type {any} */ { tool_call_id }) => ({ hits: [query], tool_call_id }),
        broken: () => {
          throw new Error("no network");
        },
      };
      /** @param {any} payload @param {any} turn */
      const think = (payload, { step_count }) => {
        if (step_count === 0) return calls(["search", { query: "tides" }], ["broken", {}], ["unknown", {}]);
        if (step_count === 1)
          return { text: "Once more.", tool_calls: [{ id: "c0", function: { name: "search", arguments: "{no json" } }] };
        const messages = /** @type {any[]} */ (payload.body.messages);
        const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
        return `${results.length} results: ${results.join(" ")}`;
      };
      await team.worker(think, { tools }).start();
      const { output } = await team.delivered(await team.ask("ann", "Look it up."));
      for (const part of ["4 results", "tides", "no network", "unknown tool `unknown`", "are not JSON"])
        holds(output.includes(part), `\`${part}\` is not in: ${output}`);
      await team.rest();
    },
  ],
  [
    "a tool that answers twice, later, is answered once",
    async (team) => {
      await team.engine.start();
      const handles = /** @type {ToolHandle[]} */ ([]);
      const tools = {
        order: {
          start: (/** @type {unknown} */ _, /** @type {{ handle: ToolHandle }} */ call) => {
            handles.push(call.handle);
          },
        },
      };
      await team
        .worker((payload, { step_count }) => (step_count === 0 ? calls(["order", { what: "tea" }]) : lastMessage(payload).content), {
          tools,
        })
        .start();
      const turn = await team.ask("ann", "Order tea.");
      await team.clock.until("the tool is started", () => handles.length > 0);
      const [handle] = handles;
      same((await team.engine.answer(handle, { result: "first" })).accepted, true, "the first answer");
      await team.engine.answer(JSON.parse(JSON.stringify(handle)), { result: "second" });
      const { output } = await team.delivered(turn);
      holds(output.includes("first") && !output.includes("second"), `the turn went on with: ${output}`);
      await team.engine.answer(handle, { result: "third" });
      await team.rest();
      same(team.thoughts.length, 2, "calls of the model");
      const results = (await team.output(turn)).filter(({ metadata }) => metadata.type === "tool.result");
      same(results.length, 1, "result cards");
    },
  ],
  [
    "a tool that cannot start fails its call, not the turn",
    async (team) => {
      await team.engine.start();
      const tools = { order: { start: () => Promise.reject(new Error("the shop is closed")) } };
      await team
        .worker((payload, { step_count }) => (step_count === 0 ? calls(["order", {}]) : lastMessage(payload).content), { tools })
        .start();
      const { output } = await team.delivered(await team.ask("ann", "Order tea."));
      holds(output.includes("the shop is closed"), `the model saw: ${output}`);
      await team.rest();
    },
  ],
  [
    "a deliverable ends the turn",
    async (team) => {
      await team.engine.start();
      /** @param {unknown} _ @param {any} turn */
      const think = (_, { step_count }) =>
        step_count === 0
          ? calls(["submit_result", { summary: "s", output: "o" }], ["submit_result", { summary: "t", output: "p" }])
          : calls(["submit_result", { summary: "short", output: { pages: 3 } }]);
      await team.worker(think).start();
      const fields = await team.delivered(await team.ask("ann", "Write it."));
      same(fields, { summary: "short", output: '{"pages":3}' }, "the deliverable");
      await team.rest();
    },
  ],
  [
    "a model that throws, hangs, or returns an unreadable or too long answer fails only its turn",
    async (team) => {
      await team.engine.start();
      /** @type {{ [word: string]: () => any }} */
      const answers = {
        throws: () => {
          throw new Error("overloaded");
        },
        hangs: () => new Promise(() => {}),
        nothing: () => undefined,
        number: () => 7,
        nonsense: () => ({ choices: "none" }),
        much: () => "x".repeat(5000),
        stream: async function* () {
          for (;;) yield { choices: [{ delta: { content: "again and again " } }] };
        },
        calls: () => calls(...Array.from({ length: 40 }, () => /** @type {[string, object]} */ (["search", {}]))),
        circle: () => {
          const one = {};
          return Object.assign(one, { one });
        },
      };
      await team
        .worker((payload) => answers[lastMessage(payload).content]?.() ?? (lastMessage(payload).content in answers ? undefined : "well"), {
          modelTimeoutMs: 400,
          maxAnswerBytes: 4000,
        })
        .start();
      /** @type {{ [word: string]: string }} */
      const codes = {
        throws: "overloaded",
        hangs: "did not answer",
        nothing: "must be a string",
        number: "must be a string",
        nonsense: "cannot be read",
        much: "longer than",
        stream: "longer than",
        calls: "40 calls",
        circle: "not JSON",
      };
      const asked = [];
      for (const word of [...Object.keys(answers), "last"]) asked.push([word, await team.ask("ann", word)]);
      for (const [word, turn] of asked) {
        const { output, error } = await team.delivered(turn);
        if (word === "last") same(output, "well", "the turn after the failures");
        else holds(String(error).includes(codes[word]), `\`${word}\` failed with: ${error}`);
      }
      await team.rest();
    },
  ],
  [
    "a model can answer with a stream",
    async (team) => {
      await team.engine.start();
      await team
        .worker(async function* () {
          yield { choices: [{ index: 0, delta: { role: "assistant", content: "piece " } }] };
          yield { choices: [{ index: 0, delta: { content: "by piece" } }] };
          yield { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
        })
        .start();
      same((await team.delivered(await team.ask("ann", "Tell me."))).output, "piece by piece", "the deliverable");
    },
  ],
  [
    "stopping a turn fires the signal of its model, and the next turn runs",
    async (team) => {
      await team.engine.start();
      const fired = /** @type {any[]} */ ([]);
      /** @param {any} payload @param {any} turn */
      const think = (payload, { signal }) =>
        lastMessage(payload).content === "short"
          ? "done"
          : new Promise((_, reject) =>
              signal.addEventListener("abort", () => {
                fired.push(signal.reason);
                reject(signal.reason);
              }),
            );
      await team.worker(think).start();
      const long = await team.ask("ann", "long");
      const short = await team.ask("ann", "short");
      await team.clock.until("the model is asked", () => team.thoughts.length > 0);
      same(await team.engine.stop({ agent_id: "ann", agent_turn_id: "another" }), false, "the stop of another turn");
      same(await team.engine.stop({ agent_id: "ann", reason: "changed my mind" }), true, "the stop");
      holds((await team.delivered(long)).error.includes("changed my mind"), "the reason is kept");
      same((await team.delivered(short)).output, "done", "the next turn");
      await team.clock.until("the signal fires", () => fired.length > 0);
      same(fired[0].code, "conflict", "the reason of the signal");
      await team.rest();
    },
  ],
  [
    "a worker that shuts down releases its turn to the next worker",
    async (team) => {
      await team.engine.start();
      const first = team.worker(
        (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      );
      await first.start();
      const turn = await team.ask("ann", "Go on.");
      await team.clock.until("the model is asked", () => team.thoughts.length > 0);
      await first.close({ graceMs: 20 });
      same(first.running, 0, "what it still works on");
      await team.worker(() => "by the second").start();
      same((await team.delivered(turn)).output, "by the second", "the deliverable");
      same(team.thoughts.length, 2, "calls of the model");
      await team.rest();
    },
  ],
  [
    "a turn that is released after its first step continues there, at the next epoch",
    async (team) => {
      await team.engine.start();
      const tools = { search: () => "the tides" };
      /** @param {any} turn */
      const hanging = ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      const seen = /** @type {number[][]} */ ([]);
      const first = team.worker(
        (_, turn) => {
          seen.push([turn.turn_epoch, turn.step_count]);
          return turn.step_count === 0 ? calls(["search", {}]) : hanging(turn);
        },
        { tools },
      );
      await first.start();
      const turn = await team.ask("ann", "Go on.");
      await team.clock.until("the model is asked twice", () => seen.length === 2);
      await first.close({ graceMs: 20 });
      const head = await team.engine.rows.head("ann");
      same([head?.status, head?.turn_epoch], ["dispatched", seen[1][0] + 1], "the head of a turn that was released");
      const late = { agent_id: "ann", agent_turn_id: turn.agent_turn_id, turn_epoch: seen[1][0] };
      same(await team.engine.run("turn_complete", { ...late, thought: { text: "too late" } }), { ended: false }, "an earlier worker");
      same(await team.engine.run("turn_give_back", late), { given_back: false }, "releasing it again");
      await team
        .worker(
          (payload, { step_count, turn_epoch }) => {
            seen.push([turn_epoch, step_count]);
            const messages = /** @type {any[]} */ (payload.body.messages);
            return `after ${messages.filter(({ role }) => role === "tool").map(({ content }) => content)}`;
          },
          { tools },
        )
        .start();
      holds((await team.delivered(turn)).output.includes("the tides"), "the second worker sees what the first one appended");
      same(
        seen,
        [
          [1, 0],
          [1, 1],
          [2, 1],
        ],
        "epochs and steps",
      );
      await team.rest();
    },
  ],
  [
    "a worker claims only turns of the kinds that it serves",
    async (team) => {
      await team.engine.start();
      await team.engine.provision({ agent_id: "gil", profile: "Researcher", worker_target: "gpu" });
      const ran = /** @type {string[][]} */ ([]);
      /** @param {string[]} targets */
      const serving = (targets) =>
        team.worker(
          (_, { agent_id }) => {
            ran.push([targets[0], agent_id]);
            return "done";
          },
          { targets },
        );
      const plain = serving(["generic"]);
      await plain.start();
      const [mine, other] = [await team.ask("ann", "mine"), await team.ask("gil", "other")];
      await team.delivered(mine);
      same(await plain.step(), 0, "messages that it takes of another kind");
      same(
        await team.engine.run("claim_inbox", { agent_id: "gil", worker_targets: ["generic"] }),
        { items: [] },
        "a claim for another kind",
      );
      same(ran, [["generic", "ann"]], "turns that ran");
      await serving(["gpu"]).start();
      await team.delivered(other);
      same(
        ran,
        [
          ["generic", "ann"],
          ["gpu", "gil"],
        ],
        "turns that ran",
      );
      await team.rest();
    },
  ],
  [
    "the turn of a lost worker runs again, and then the next turn",
    async (team) => {
      const gone = team.another();
      const lost = await team.ask("ann", "lost");
      const [item] = (await gone.run("claim_inbox", { agent_id: "ann" })).items;
      same((await gone.run("turn_start", item)).entered, true, "the turn is entered");
      const next = await team.ask("ann", "next");
      await team.worker(() => "done").start();
      team.clock.advance(16_000);
      await team.engine.tick();
      same((await team.delivered(lost)).output, "done", "the lost turn");
      same((await team.delivered(next)).output, "done", "the next turn");
      const late = await gone.run("turn_complete", { ...item, step_id: "s", thought: { text: "too late" } });
      same(late.ended, false, "what the lost worker writes");
      await team.engine.tick();
      await team.rest();
    },
  ],
];
