// Rows of declared tables: by key and in lists, under versions, and as what a batch rests on.
/** @import { Case } from "./trial.js" */
import { AT, append, boxAt, card, create, fresh, holds, same } from "./trial.js";

/** @param {string} agent_id @param {object} [more] */
const head = (agent_id, more = {}) => ({ table: "heads", key: [agent_id], row: { agent_id, status: "idle", turn_epoch: 0, ...more } });
/** @param {string} table @param {string[]} key @param {string | number | null} version */
const at = (table, key, version) => ({ table, key, version });

/** @type {readonly Case[]} */
export const rows = [
  [
    "a row is stored under its key, and its version is the operation that wrote it",
    async ({ project }) => {
      const [agent_id, operation_id] = [fresh("a"), fresh("op")];
      same(
        (await project.read({ rows: [{ table: "heads", key: [agent_id] }] })).missing_rows,
        [{ table: "heads", key: [agent_id] }],
        "missing_rows",
      );
      await project.commit({ operation_id, rows: [head(agent_id, { status: "running", turn_epoch: 7, updated_at: AT })] });
      const [found] = (await project.read({ rows: [{ table: "heads", key: [agent_id] }] })).rows;
      same([found.table, found.key, found.version], ["heads", [agent_id], operation_id], "the row");
      same(
        [found.row.agent_id, found.row.status, found.row.turn_epoch, found.row.updated_at, found.row.trace_id ?? null],
        [agent_id, "running", 7, AT, null],
        "its columns",
      );
      const next = fresh("op");
      await project.commit({ operation_id: next, rows: [head(agent_id)] });
      const [after] = (await project.read({ rows: [{ table: "heads", key: [agent_id] }] })).rows;
      same(
        [after.version, after.row.status, after.row.turn_epoch, after.row.updated_at ?? null],
        [next, "idle", 0, null],
        "the row as it was last written, whole",
      );
    },
  ],

  [
    "columns of each type are returned unchanged",
    async ({ project }) => {
      const [inbox_id, batch_task_id] = [fresh("i"), fresh("t")];
      const inbox = {
        inbox_id,
        agent_id: "a",
        message_type: "turn",
        correlation_id: fresh("c"),
        payload: { text: "é 漢", list: [1, 2.5, null], big: 123456789012345678901n },
        status: "queued",
        recursion_depth: 3,
        traceparent: "",
        created_at: AT,
      };
      const task = { batch_task_id, batch_id: "b", agent_id: "a", status: "pending", retryable: false, metadata: {}, next_retry_at: AT };
      await project.commit({
        rows: [
          { table: "inbox", key: [inbox_id], row: inbox },
          { table: "batch_tasks", key: [batch_task_id], row: task },
        ],
      });
      const { rows: found } = await project.read({
        rows: [
          { table: "batch_tasks", key: [batch_task_id] },
          { table: "inbox", key: [inbox_id] },
        ],
      });
      same(
        found.map(({ table }) => table),
        ["batch_tasks", "inbox"],
        "rows in the order asked",
      );
      for (const [row, given] of [
        [found[1].row, inbox],
        [found[0].row, task],
      ])
        for (const [name, value] of Object.entries(given)) same(row[name], value, name);
    },
  ],

  [
    "a row changes only from the version that was read",
    async ({ project }) => {
      const [agent_id, first, second] = [fresh("a"), fresh("op"), fresh("op")];
      await project.commit({ operation_id: first, rows: [{ ...head(agent_id), version: null }] });
      const again = await project.refuses({ rows: [{ ...head(agent_id), version: null }] }, "a row that must be absent");
      same(again.details, { table: "heads", key: [agent_id], expected: null, found: first }, "the details");
      await project.commit({ operation_id: second, rows: [{ ...head(agent_id, { status: "running" }), version: first }] });
      const stale = await project.refuses({ rows: [{ ...head(agent_id), version: first }] }, "an old version");
      same(stale.details, { table: "heads", key: [agent_id], expected: first, found: second }, "the details");
      await project.refuses({ rows: [{ ...head(fresh("a")), version: first }] }, "a version of a row that never was");
      await project.refuses({ rows: [{ table: "heads", key: [agent_id], version: first, row: null }] }, "an old version to take away");
      await project.commit({ rows: [{ table: "heads", key: [agent_id], version: second, row: null }] });
      same((await project.read({ rows: [{ table: "heads", key: [agent_id] }] })).rows, [], "the row that was taken away");
      await project.commit({ rows: [{ ...head(agent_id), version: null }] });
    },
  ],

  [
    "a batch can change a row only once",
    async ({ project }) => {
      const agent_id = fresh("a");
      await project.refuses({ rows: [head(agent_id), head(agent_id, { status: "running" })] }, "a row changed twice");
      same((await project.read({ rows: [{ table: "heads", key: [agent_id] }] })).rows, [], "the row");
    },
  ],

  [
    "every expectation is checked",
    async ({ project }) => {
      const [one, two, a, b] = [fresh("b"), fresh("b"), fresh("a"), fresh("a")];
      const [op_a, op_b] = [fresh("op"), fresh("op")];
      await project.commit({ operation_id: op_a, boxes: [create(one), create(two)], rows: [head(a)] });
      await project.commit({ operation_id: op_b, rows: [head(b)] });
      const good = [boxAt(one, 1), boxAt(two, 1), at("heads", [a], op_a), at("heads", [b], op_b), at("heads", [fresh("none")], null)];
      for (const [index, [wrong, found]] of [
        [boxAt(two, 2), 1],
        [at("heads", [b], op_a), op_b],
        [at("heads", [a], null), op_a],
        [at("heads", [fresh("gone")], op_a), null],
      ].entries()) {
        const made = card();
        const { details } = await project.refuses({ expects: [...good.slice(0, index + 1), wrong], cards: [made] }, `expectation ${index}`);
        same(details.found, found, "what was found");
        same((await project.read({ cards: [made.card_id] })).missing_cards, [made.card_id], "the card of the batch");
      }
      await project.commit({ expects: good, cards: [card()] });
    },
  ],

  [
    "a row that was absent when it was read must still be absent",
    async ({ project }) => {
      const [agent_id, name, path, card_id] = [fresh("a"), fresh("Profile"), `dir${fresh("f")}/a.md`, fresh("c")];
      const directory = path.split("/")[0];
      const expects = [
        at("agents", [agent_id], null),
        at("profiles", [name], null),
        at("files", [path], null),
        at("directories", [directory], null),
        at("cards", [card_id], null),
      ];
      await project.commit({ expects, cards: [card()] });
      await project.addProfiles([{ name: name.toUpperCase(), profile_box_id: "pb" }]);
      await project.commit({ agents: [{ agent_id }], files: [{ path, text: "" }], cards: [card({ card_id })] });
      for (const expected of expects)
        await project.refuses({ expects: [expected], cards: [card()] }, `\`${expected.table}\` came into being`);
      await project.commit({
        expects: [at("directories", [directory], 1), at("files", [path], "live"), at("cards", [card_id], "live")],
        cards: [card()],
      });
      await project.commit({ delete_cards: [card_id], files: [{ path: `${directory}/b.md`, text: "" }] });
      for (const expected of [at("cards", [card_id], "live"), at("directories", [directory], 1)])
        await project.refuses({ expects: [expected], cards: [card()] }, `\`${expected.table}\` changed`);
    },
  ],

  [
    "a value that is unique belongs to one row",
    async ({ project, other }) => {
      const correlation_id = fresh("corr");
      /** @param {string} inbox_id */
      const inbox = (inbox_id) => ({
        table: "inbox",
        key: [inbox_id],
        row: {
          inbox_id,
          agent_id: "a",
          message_type: "turn",
          correlation_id,
          payload: {},
          status: "queued",
          recursion_depth: 0,
          traceparent: "",
          created_at: AT,
        },
      });
      const [one, two] = [fresh("i"), fresh("i")];
      await project.commit({ rows: [inbox(one)] });
      await project.refuses({ rows: [inbox(two)] }, "the same correlation twice");
      await project.commit({ rows: [inbox(one)] });
      await other.commit({ rows: [inbox(fresh("i"))] });
      await project.commit({ rows: [{ table: "inbox", key: [one], row: null }, inbox(two)] });
    },
  ],

  [
    "rows are rejected with the rest of their batch",
    async ({ project }) => {
      const [agent_id, box_id] = [fresh("a"), fresh("b")];
      await project.refuses({ rows: [head(agent_id)], boxes: [append(box_id, ["x"])] }, "an append to nothing");
      same((await project.read({ rows: [{ table: "heads", key: [agent_id] }] })).rows, [], "the row");
      await project.refuses({ rows: [{ ...head(agent_id), version: "never" }], boxes: [create(box_id)] }, "a version that never was");
      same((await project.read({ boxes: [box_id] })).missing_boxes, [box_id], "the box");
    },
  ],

  [
    "an agent has its row of the registry, its turn and its pointers",
    async ({ project }) => {
      const agent_id = fresh("a");
      await project.commit({ rows: [head(agent_id, { status: "running", output_box_id: "o" })] });
      const [early] = (await project.read({ agents: [agent_id] })).agents;
      same([early.in_roster, early.state.output_box_id], [false, "o"], "an agent that is not registered");
      await project.commit({
        rows: [
          {
            table: "project_agents",
            key: [agent_id],
            row: { agent_id, profile_box_id: "pb", worker_target: "w", tags: ["t"], in_roster: true },
          },
          { table: "pointers", key: [agent_id], row: { agent_id, last_output_box_id: "l" } },
        ],
      });
      const [agent] = (await project.read({ agents: [agent_id] })).agents;
      same(
        [agent.in_roster, agent.profile_box_id, agent.tags, agent.state.status, agent.pointers.last_output_box_id],
        [true, "pb", ["t"], "running", "l"],
        "the agent",
      );
      await project.commit({
        rows: [{ table: "project_profiles", key: ["Écrit"], row: { name: "Écrit", profile_box_id: "pb", worker_target: "w", tags: [] } }],
      });
      const { profiles, profiles_by_box } = await project.read({ profiles: ["éCRIT"], profiles_by_box: ["pb"] });
      same([profiles[0].name, profiles_by_box[0].name], ["Écrit", "Écrit"], "the profile");
    },
  ],
];

/** @type {readonly Case[]} */
export const lists = [
  [
    "a list has the first rows of a selection in the order of its index",
    async ({ project, other }) => {
      const agent_id = fresh("a");
      /** @param {string} inbox_id @param {string} created_at @param {number | null} [seq] @param {object} [more] */
      const inbox = (inbox_id, created_at, seq, more) => ({
        table: "inbox",
        key: [inbox_id],
        row: {
          inbox_id,
          agent_id,
          message_type: "turn",
          correlation_id: inbox_id,
          payload: {},
          status: "queued",
          recursion_depth: 0,
          traceparent: "",
          created_at,
          seq,
          ...more,
        },
      });
      const [early, late] = ["2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"];
      const ids = Object.fromEntries(["b", "a", "c", "d", "e", "f"].map((name) => [name, `${name}_${agent_id}`]));
      await project.commit({
        rows: [
          inbox(ids.d, late, 1),
          inbox(ids.c, early, 10),
          inbox(ids.b, early, 9),
          inbox(ids.a, early, 9),
          inbox(ids.e, late, null),
          inbox(ids.f, early, 1, { status: "consumed" }),
        ],
      });
      await other.commit({ rows: [inbox(`x_${agent_id}`, early, 0)] });
      const list = { table: "inbox", index: "by_agent", of: [agent_id, "queued"], limit: 10 };
      /** @param {object} one */
      const keys = async (one) => (await project.read({ lists: [one] })).lists[0].rows.map((/** @type {any} */ { key }) => key[0]);
      same(await keys(list), [ids.a, ids.b, ids.c, ids.d, ids.e], "rows by time, then by number, then by key, those without last");
      same(await keys({ ...list, limit: 2 }), [ids.a, ids.b], "the first two");
      same(await keys({ ...list, skip_locked: true }), [ids.a, ids.b, ids.c, ids.d, ids.e], "all rows without a concurrent write");
      same(await keys({ ...list, of: [agent_id, "error"] }), [], "a selection without rows");
      const { lists: both } = await project.read({
        lists: [
          { ...list, limit: 1 },
          { table: "heads", index: "all", of: [], limit: 5 },
        ],
      });
      same(
        both.map(({ table, index, of, limit }) => ({ table, index, of, limit })),
        [
          { ...list, limit: 1 },
          { table: "heads", index: "all", of: [], limit: 5 },
        ],
        "the names of the lists",
      );
      holds(typeof both[0].rows[0].version === "string" && both[0].rows[0].row.seq === 9, "a row in a list has its version and columns");
      await project.commit({ rows: [{ table: "inbox", key: [ids.a], row: null }] });
      same(await keys(list), [ids.b, ids.c, ids.d, ids.e], "after a row was taken away");
    },
  ],

  [
    "one read returns hundreds of lists",
    async ({ project }) => {
      const ids = Array.from({ length: 150 }, () => fresh("a"));
      const asked = ids.map((agent_id, at) => ({
        table: "inbox",
        index: "by_agent",
        of: [agent_id, at % 2 === 0 ? "queued" : "pending"],
        limit: 3 + (at % 2),
      }));
      /** @param {string} inbox_id @param {string} agent_id @param {string} status */
      const row = (inbox_id, agent_id, status) => ({
        table: "inbox",
        key: [inbox_id],
        row: {
          inbox_id,
          agent_id,
          message_type: "turn",
          correlation_id: inbox_id,
          payload: {},
          status,
          recursion_depth: 0,
          traceparent: "",
          created_at: "2026-01-01T00:00:00.000Z",
          seq: 1,
        },
      });
      await project.commit({ rows: [row(ids[0], ids[0], "queued"), row(ids[149], ids[149], "pending"), row(ids[3], ids[3], "queued")] });
      const { lists: found } = await project.read({ lists: asked });
      same(
        found.map(({ of, limit }) => ({ of, limit })),
        asked.map(({ of, limit }) => ({ of, limit })),
        "the lists in the order asked",
      );
      same(
        found.flatMap(({ rows }, at) => rows.map((/** @type {any} */ { key }) => [at, key[0]])),
        [
          [0, ids[0]],
          [149, ids[149]],
        ],
        "the rows of each",
      );
    },
  ],

  [
    "rows that follow from other rows are in the same answer, once each",
    async ({ project, other }) => {
      const [agent_id, idle, turn, box_id, gone, batch_id] = [
        fresh("a"),
        fresh("a"),
        fresh("t"),
        crypto.randomUUID(),
        crypto.randomUUID(),
        fresh("b"),
      ];
      /** @param {string} tool_call_id @param {number} turn_epoch */
      const wait = (tool_call_id, turn_epoch) => ({
        table: "waiting_tools",
        key: [agent_id, turn, String(turn_epoch), tool_call_id],
        row: {
          agent_id,
          agent_turn_id: turn,
          turn_epoch,
          tool_call_id,
          step_id: "s",
          tool_name: "t",
          wait_status: "waiting",
          created_at: "2026-01-01T00:00:00.000Z",
          updated_at: "2026-01-01T00:00:00.000Z",
          seq: 1,
        },
      });
      /** @param {string} batch_task_id @param {object} more */
      const task = (batch_task_id, more) => ({
        table: "batch_tasks",
        key: [batch_task_id],
        row: {
          batch_task_id,
          batch_id,
          agent_id,
          status: "dispatched",
          next_retry_at: "2026-01-01T00:00:00.000Z",
          created_at: "2026-01-01T00:00:00.000Z",
          updated_at: "2026-01-01T00:00:00.000Z",
          attempt_count: 0,
          metadata: {},
          seq: 1,
          ...more,
        },
      });
      const [one, two] = [`1_${batch_id}`, `2_${batch_id}`];
      const rows = [
        head(agent_id, { status: "suspended", active_agent_turn_id: turn, turn_epoch: 3, output_box_id: box_id }),
        head(idle, { turn_epoch: 3 }),
        wait("c1", 3),
        wait("c2", 3),
        wait("c3", 2),
        task(one, { output_box_id: gone, current_agent_turn_id: turn }),
        task(two, { output_box_id: box_id }),
      ];
      await project.commit({ boxes: [{ change: "create", box: { box_id, card_ids: [] } }], rows });
      await other.commit({ rows: [wait("x", 3)] });
      /** @param {string} name */
      const column = (name) => ({ column: name });
      const calls = {
        table: "waiting_tools",
        index: "by_turn",
        of: [column("agent_id"), column("active_agent_turn_id"), column("turn_epoch")],
        limit: 10,
      };
      const tasks = { table: "batch_tasks", index: "by_batch", of: [batch_id], limit: 10 };
      const heads = [agent_id, idle, "nobody"].map((id) => ({ table: "heads", key: [id] }));
      const follow = [
        ...heads.map((from) => ({ from, to: [calls, { box: column("output_box_id") }] })),
        {
          from: tasks,
          to: [
            { table: "heads", key: [column("agent_id")] },
            { table: "batches", key: [column("batch_id")] },
            { box: column("output_box_id") },
            { table: "inbox", index: "by_correlation", of: ["stop", column("current_agent_turn_id")], limit: 1 },
          ],
        },
      ];
      const answers = await project.read({ rows: heads, lists: [tasks], follow });
      same(
        answers.rows.map(({ table, key }) => [table, key[0]]).sort(),
        [
          ["heads", agent_id],
          ["heads", idle],
        ].sort(),
        "the rows, each once",
      );
      same(
        answers.missing_rows.map(({ table, key }) => [table, key[0]]).sort(),
        [
          ["batches", batch_id],
          ["heads", "nobody"],
        ],
        "missing rows",
      );
      same(
        answers.boxes.map((box) => box.box_id),
        [box_id],
        "the box, once",
      );
      same(answers.missing_boxes, [gone], "a missing box");
      const found = answers.lists.map(({ table, index, of, limit, rows: those }) => [
        table,
        index,
        of,
        limit,
        those.map((/** @type {any} */ { key }) => key.at(-1)),
      ]);
      same(
        found.sort(([a], [b]) => (a < b ? -1 : 1)),
        [
          ["batch_tasks", "by_batch", [batch_id], 10, [one, two]],
          ["inbox", "by_correlation", ["stop", turn], 1, []],
          ["waiting_tools", "by_turn", [agent_id, turn, "3"], 10, ["c1", "c2"]],
        ],
        "the lists",
      );
      const alone = await project.read({ rows: [heads[0]], follow: [follow[0]] });
      same([alone.lists.length, alone.boxes.length], [1, 1], "what follows from a row alone");
    },
  ],

  [
    "rows of another project are neither returned nor changed",
    async ({ project, other }) => {
      const agent_id = fresh("a");
      const operation_id = fresh("op");
      await other.commit({
        operation_id,
        rows: [head(agent_id, { status: "running" })],
        agents: [{ agent_id: "kept", display_name: "Other" }],
      });
      const key = [{ table: "heads", key: [agent_id] }];
      same((await project.read({ rows: key })).missing_rows, key, "missing_rows");
      same((await project.read({ lists: [{ table: "heads", index: "all", of: [], limit: 9 }] })).lists[0].rows, [], "a list");
      await project.refuses(
        { expects: [at("heads", [agent_id], operation_id)], cards: [card()] },
        "an expectation of a row of another project",
      );
      await project.commit({ rows: [{ table: "heads", key: [agent_id], row: null }] });
      await project.commit({ rows: [{ ...head(agent_id), version: null }] });
      const [found] = (await other.read({ rows: key })).rows;
      same([found.version, found.row.status], [operation_id, "running"], "the row of the other project");
    },
  ],
];
