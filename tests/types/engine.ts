// Compiles uses of the engine and worker types. Nothing here runs.
import { memoryStore, open } from "tuckbox";
import { type Clock, type Engine, engine } from "tuckbox/engine";
import { durableObjectEngine } from "tuckbox/engines/durable-object";
import { natsTransport } from "tuckbox/engines/nats";
import { notifyTransport } from "tuckbox/engines/postgres";
import { telemetry } from "tuckbox/telemetry";
import { engineContract, testEngine } from "tuckbox/testing";
import { recipe, type StandardSchema, submitResult, tool, worker } from "tuckbox/worker";

export async function runs(): Promise<void> {
  const store = memoryStore();
  const team: Engine = engine({
    open,
    store,
    projectId: "p1",
    settings: { max_steps: 3 },
    transport: { publish: ({ subject }) => void subject },
  });
  const clock: Clock = { now: () => 0, setTimeout: (work, ms) => [work, ms], clearTimeout: () => {} };
  for (const given of [clock, () => 0]) engine({ open, store, projectId: "p1", clock: given });
  team.clock.clearTimeout(team.clock.setTimeout(() => {}, 5));
  // @ts-expect-error a clock must have timers
  engine({ open, store, projectId: "p1", clock: { now: () => 0 } });
  await team.provision({ agent_id: "ann", profile_box_id: "pb" });
  const turn = await team.dispatch({ agent_id: "ann", instruction: "go on" });
  const result = await team.result(turn);
  if (result.status === "failed") result.error.message.length;
  else result.content.__type__ satisfies string;
  const { fields } = await team.result(await team.dispatch({ agent_id: "ann", instruction: "go on", conversation: "talk" }));
  fields.output?.length;
  for await (const event of team.events(turn, { after: 1 })) {
    if (event.kind === "end") event.result.status satisfies "success" | "failed";
    if (event.kind === "delta" && event.delta.type === "text") event.delta.text.length;
  }
  const schema: StandardSchema<{ city: string }> = {
    "~standard": { version: 1, vendor: "own", validate: () => ({ value: { city: "Oslo" } }) },
  };
  const weather = tool({ name: "weather", schema, parameters: { type: "object" }, run: ({ city }) => city.length });
  worker({
    engine: team,
    model: () => "done",
    tools: [weather, tool({ name: "any", schema: { type: "object" }, run: (args) => args.city })],
  });
  // @ts-expect-error: the schema has no such argument
  tool({ name: "weather", schema, run: ({ town }) => town });
  const { changed, version } = await team.profile({ name: "Writer", allowed_tools: ["weather"] });
  changed.length + version;
  // @ts-expect-error: a conversation has its own boxes
  await team.dispatch({ agent_id: "ann", context_box_id: "b", conversation: "talk" });
  const { made, failed } = await team.tick(0);
  if (made > failed.length) await team.send();
  for await (const event of team.watch({ kinds: ["task"] })) if (event.kind !== "lagged") event.payload.status;
  const crew = worker({
    engine: team,
    agents: (agent_id) => agent_id !== "bob",
    targets: ["generic", "gpu"],
    provider: (profile) => (profile?.name === "Lead" ? "anthropic" : undefined),
    model: ({ body, provider }, { signal, step_count }) => ({
      text: `${provider} ${step_count} ${signal.aborted} ${Object.keys(body).length}`,
    }),
    tools: {
      fork_join: recipe("fork_join"),
      submit_result: submitResult(),
      search: ({ query }: { query: string }, { tool_call_id }) => `${query} ${tool_call_id}`,
      order: {
        description: "Orders it.",
        parameters: { type: "object" },
        timeoutSeconds: 60,
        start: async (_args, { handle }) => void (await team.answer(handle, { result: 1 })),
      },
    },
  });
  await crew.start();
  await crew.close({ graceMs: 5 });
  const settled = await team.run("turn_complete", { agent_id: "ann", agent_turn_id: "t", turn_epoch: 1 });
  const ended: boolean = settled.ended;
  const given = await team.run("turn_give_back", { agent_id: "ann", agent_turn_id: "t", turn_epoch: 1, step_count: 2 });
  const epoch: number = given.given_back ? given.turn_epoch : 0;
  const { items } = await team.run("claim_inbox", { agent_id: "ann", worker_targets: ["gpu"] });
  for (const item of items) if (item.kind === "turn") await team.run("turn_start", { ...item, turn_epoch: epoch, consume: true });
  await team.hold(async (session) => session.call("get_boxes", { box_ids: [String(ended)] }));
  engineContract(() => ({ open, store }));
  testEngine(
    () => {},
    "memory",
    async () => ({ open, store }),
  );
  // @ts-expect-error the recipe does not exist
  recipe("fork");
  // @ts-expect-error a worker must have a model
  worker({ engine: team });
  // @ts-expect-error a turn must have a context or an instruction
  await team.dispatch({ agent_id: "ann" });
}

export async function transports(
  pool: { connect(): Promise<unknown>; query(text: string, params: unknown[]): Promise<unknown> },
  packages: Parameters<typeof natsTransport>[0],
): Promise<void> {
  const store = memoryStore();
  const transport = await natsTransport({ ...packages, connect: { servers: "nats://127.0.0.1" } });
  engine({ open, store, projectId: "p1", transport });
  engine({ open, store, projectId: "p1", transport: await notifyTransport(pool, { channel: "wakeups" }) });
  worker({
    engine: engine({ open, store, projectId: "p1" }),
    model: () => "done",
    telemetry: telemetry({ trace: {}, metrics: {}, context: {}, propagation: {}, SpanStatusCode: {} }),
  });
  await transport.close();
  const storage = {
    get: async () => new Map(),
    transaction: async () => {},
    getAlarm: async () => null,
    setAlarm: async () => {},
    deleteAlarm: async () => {},
  };
  const team = durableObjectEngine({ storage, open, projectId: "p1", worker: { model: () => "done" } });
  await team.alarm();
  // @ts-expect-error `storage` replaces `store`
  durableObjectEngine({ storage, open, store, projectId: "p1" });
}
