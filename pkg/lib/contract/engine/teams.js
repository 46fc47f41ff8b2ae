// Batches, several hosts, and lost wakeups.
/** @import { Engine } from "../../../types/engine.js" */
/** @import { Case } from "./team.js" */
import { holds, same } from "../trial.js";
import { fork } from "./team.js";

/** @param {any} payload */
const lastMessage = (payload) => payload.body.messages.at(-1);

/**
 * Returns a model: the lead forks and sums up, the others answer.
 *
 * @param {string[]} tasks
 * @returns {(payload: any, turn: any) => any}
 */
function script(...tasks) {
  return (payload, { profile, step_count }) => {
    if (profile.name !== "Lead")
      return `found ${payload.body.messages.find((/** @type {any} */ { role }) => role === "user")?.content ?? "nothing"}`;
    return step_count === 0 ? fork(...tasks) : lastMessage(payload).content;
  };
}

/** @param {string} output @param {readonly string[]} tasks */
function joined(output, tasks) {
  for (const task of tasks) holds(output.includes(`found ${task}`), `\`${task}\` is not in: ${output}`);
}

/** @type {readonly Case[]} */
export const teams = [
  [
    "a lead forks three researchers and continues once with their results",
    async (team) => {
      await team.engine.start();
      const tasks = ["tides", "winds", "stars"];
      await team.worker(script(...tasks)).start();
      const { output } = await team.delivered(await team.ask("lead", "Find out."));
      joined(output, tasks);
      same(team.thoughts.length, 5, "calls of the model");
      same(new Set(team.thoughts).size, 5, "different steps");
      await team.rest();
    },
  ],
  [
    "the model receives the error of a rejected fork",
    async (team) => {
      await team.engine.start();
      const bad = fork("x");
      bad.choices[0].message.tool_calls[0].function.arguments = JSON.stringify({
        tasks: [{ target_strategy: "new", target_ref: "Nobody", instruction: "x" }],
      });
      await team.worker((payload, { step_count }) => (step_count === 0 ? bad : lastMessage(payload).content)).start();
      const { output } = await team.delivered(await team.ask("lead", "Find out."));
      holds(/Nobody/.test(output), `the model saw: ${output}`);
      await team.rest();
    },
  ],
  [
    "another worker starts a fork that its worker did not start",
    async (team) => {
      const gone = team.another();
      const turn = await team.ask("lead", "Find out.");
      const [item] = (await gone.run("claim_inbox", { agent_id: "lead" })).items;
      const started = await gone.run("turn_start", item);
      if (!started.entered) throw new Error("the turn is not entered");
      const [call] = fork("tides", "winds").choices[0].message.tool_calls;
      await gone.run("turn_tools", {
        ...item,
        step_id: started.step_id,
        output_box_id: started.output_box_id,
        thought: { text: "", tool_calls: [{ ...call, id: "c1" }] },
        tool_calls: [{ id: "c1", name: "fork_join", outcome: "suspend" }],
      });
      await team.engine.start();
      await team.worker(script(), { takeUpMs: 1000 }).start();
      joined((await team.delivered(turn)).output, ["tides", "winds"]);
      same(team.thoughts.length, 3, "calls of the model");
      await team.rest();
    },
  ],
  [
    "without wakeups, ticks complete all work",
    async (team) => {
      const deaf = team.another({ transport: { publish() {} } });
      const tasks = ["tides", "winds", "stars"];
      const crew = team.worker(script(...tasks), { engine: deaf });
      const turn = await deaf.dispatch({ agent_id: "lead", instruction: "Find out." });
      for (let round = 0; round < 20 && (await team.busy(deaf)).length > 0; round += 1) {
        await crew.step();
        await deaf.tick();
      }
      joined((await team.delivered(turn)).output, tasks);
      same(team.thoughts.length, 5, "calls of the model");
      await team.rest();
    },
  ],
  [
    "without any message, the watchdog joins batches",
    async (team) => {
      const tasks = ["tides", "winds"];
      const crew = team.worker(script(...tasks));
      const turn = await team.ask("lead", "Find out.");
      for (let round = 0; round < 20 && (await team.busy()).length > 0; round += 1) {
        await crew.step();
        team.clock.advance(20_000);
        const { calls } = await team.engine.look("due", {});
        for (const { op, ...args } of calls) if (op !== "take_up_results") await team.engine.run(op, /** @type {any} */ (args));
      }
      joined((await team.delivered(turn)).output, tasks);
      await team.rest();
    },
  ],
  [
    "two engines, three watchdogs and three workers give the same results",
    async (team) => {
      const tasks = ["tides", "winds", "stars"];
      // every write of the other engines makes the watchdogs tick
      const dogs = [team.another(), team.another(), team.another()];
      const ticking = new Map();
      const failures = /** @type {{ op: string, error: any }[]} */ ([]);
      /** @param {Engine} dog */
      const tick = async (dog) => {
        const { failed } = await dog.tick().catch((error) => ({ failed: [{ op: "tick", error }] }));
        failures.push(...failed);
      };
      const onWrite = () => {
        for (const dog of dogs)
          if (!ticking.has(dog))
            ticking.set(
              dog,
              tick(dog).finally(() => ticking.delete(dog)),
            );
      };
      const engines = [team.another({ onWrite }), team.another({ onWrite })];
      await Promise.all(engines.map((one) => one.start()));
      const think = script(...tasks);
      for (const engine of [...engines, dogs[0]]) await team.worker(think, { engine }).start();
      const asked = [await team.ask("lead", "first"), await team.ask("lead", "second"), await team.ask("ann", "third")];
      for (const turn of asked.slice(0, 2)) joined((await team.delivered(turn)).output, tasks);
      holds((await team.delivered(asked[2])).output.startsWith("found"), "the turn of another agent");
      await Promise.all(ticking.values());
      same(
        failures.map(({ op, error }) => `${op}: ${error?.message}`),
        [],
        "failures of the watchdogs",
      );
      same(team.thoughts.length, 11, "calls of the model");
      same(new Set(team.thoughts).size, 11, "different steps");
      await team.rest();
    },
  ],
  [
    "a watcher receives the events of every turn",
    async (team) => {
      const seen = /** @type {unknown[]} */ ([]);
      const watching = (async () => {
        for await (const event of team.engine.watch({ kinds: ["state", "task"] })) {
          if (event.kind === "lagged") continue;
          const { kind, agent_id, payload } = event;
          seen.push(kind === "task" ? `${agent_id} ${payload.status}` : payload.status);
          if (kind === "task") return;
        }
      })();
      await team.engine.start();
      await team.worker(() => "done").start();
      await team.ask("ann", "Go on.");
      await watching;
      same(seen, ["running", "idle", "ann success"], "what was heard");
      await team.rest();
    },
  ],
];
