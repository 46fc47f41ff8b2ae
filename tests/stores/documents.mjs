// A database of the documented system, with the tables and rows that its own software creates.

const UUID = (n) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;

export const TABLES = `
create schema resource;
create schema state;
create table cards (
  card_id text primary key, tenant_id text not null, content jsonb, tool_calls jsonb, tool_call_id text, ttl_seconds integer,
  expires_at timestamptz, deleted_at timestamptz, metadata jsonb, created_at timestamptz default now());
create table card_boxes (
  box_id uuid primary key, tenant_id text not null, card_ids jsonb not null default '[]', parent_ids jsonb,
  created_at timestamptz default now(), updated_at timestamptz default now());
create table resource.project_agents (
  project_id text not null, agent_id text not null, profile_box_id uuid not null, worker_target text not null, tags jsonb not null default '[]',
  display_name text, owner_agent_id text, status text not null default 'active', metadata jsonb not null default '{}',
  created_at timestamptz default now(), last_seen_at timestamptz, primary key (project_id, agent_id));
create table resource.profiles (
  project_id text not null, profile_box_id text not null, name text not null, worker_target text not null, tags jsonb not null default '[]',
  system_prompt_compiled text, updated_at timestamptz default now(), primary key (project_id, profile_box_id), unique (project_id, name));
create table resource.tools (
  project_id text not null, tool_name text not null, description text, parameters jsonb not null default '{}', target_subject text,
  after_execution text, options jsonb not null default '{}', primary key (project_id, tool_name));
create table state.agent_state_head (
  project_id text not null, agent_id text not null, status text default 'idle', active_agent_turn_id text, active_channel_id text,
  turn_epoch bigint default 0, active_recursion_depth int default 0, updated_at timestamptz default now(), parent_step_id text, trace_id text,
  profile_box_id uuid, context_box_id uuid, output_box_id uuid, expecting_correlation_id text, waiting_tool_count int not null default 0,
  resume_deadline timestamptz, primary key (project_id, agent_id));
create table state.agent_state_pointers (
  project_id text not null, agent_id text not null, memory_context_box_id uuid, last_output_box_id uuid, updated_at timestamptz default now(),
  primary key (project_id, agent_id));
create table state.agent_inbox (
  inbox_id text primary key, project_id text not null, agent_id text not null, message_type text not null, enqueue_mode text, correlation_id text,
  recursion_depth int not null, traceparent text not null, tracestate text, trace_id text, parent_step_id text, source_agent_id text,
  source_step_id text, payload jsonb not null default '{}', status text not null default 'pending', processed_at timestamptz,
  archived_at timestamptz, created_at timestamptz default now());
create unique index on state.agent_inbox (project_id, message_type, md5(correlation_id));`;

/** Ten kinds of `cards` rows that the core cannot read. */
export const BROKEN = [
  { content: null },
  { content: { kind: "of no type" } },
  { content: { __type__: "Hologram", text: "x" } },
  { content: true },
  { content: 42 },
  { content: ["a", "list"] },
  { content: { __type__: "TextContent", text: "x", colour: "red" } },
  { content: { __type__: "TextContent", text: 7 } },
  { content: { __type__: "TextContent", text: "x" }, metadata: "odd" },
  { content: { __type__: "TextContent", text: "x" }, metadata: {}, tool_calls: "odd" },
];

export const PROJECT = "documents";
export const BOX = (n) => UUID(1000 + n);
export const PROFILE_BOX = UUID(1);
export const CONTEXT_BOX = BOX(0);
export const OUTPUT_BOX = UUID(2);

const cardId = (n) => `card${String(n).padStart(5, "0")}`;

/** Returns the ids of the unreadable cards among `of` cards. Every box has some. */
export function brokenIds(of, count) {
  return Array.from({ length: count }, (_, at) => cardId(Math.floor((at * of) / count)));
}

/**
 * Fills the tables: `cards` cards in boxes of 100, a profile, two agents and a turn. `broken` of the cards are
 * unreadable.
 */
export async function fill(pool, { cards, broken }) {
  const odd = new Map(brokenIds(cards, broken).map((id, at) => [id, BROKEN[at % BROKEN.length]]));
  const all = Array.from({ length: cards }, (_, n) => {
    const card_id = cardId(n);
    const good = { content: { __type__: "TextContent", text: `text of ${card_id}` }, metadata: { type: "task.instruction", role: "user" } };
    return { card_id, tenant_id: PROJECT, metadata: null, tool_calls: null, ...(odd.get(card_id) ?? good) };
  });
  const boxes = Array.from({ length: Math.ceil(cards / 100) }, (_, n) => ({
    box_id: BOX(n),
    tenant_id: PROJECT,
    card_ids: all.slice(n * 100, n * 100 + 100).map(({ card_id }) => card_id),
  }));
  const profile = {
    card_id: "profile_card",
    tenant_id: PROJECT,
    tool_calls: null,
    metadata: { type: "sys.profile", role: "system" },
    content: {
      __type__: "JsonContent",
      data: { name: "Writer", system_prompt_template: "You write.", delegation_policy: { target_profiles: ["Writer"] } },
    },
  };
  boxes.push(
    { box_id: PROFILE_BOX, tenant_id: PROJECT, card_ids: ["profile_card"] },
    { box_id: OUTPUT_BOX, tenant_id: PROJECT, card_ids: [] },
  );
  await pool.query(
    "insert into cards (card_id, tenant_id, content, metadata, tool_calls) select card_id, tenant_id, nullif(content, 'null'), nullif(metadata, 'null'), nullif(tool_calls, 'null') from jsonb_to_recordset($1::jsonb) as x (card_id text, tenant_id text, content jsonb, metadata jsonb, tool_calls jsonb)",
    [JSON.stringify([...all, profile])],
  );
  await pool.query(
    "insert into card_boxes (box_id, tenant_id, card_ids) select box_id, tenant_id, card_ids from jsonb_to_recordset($1::jsonb) as x (box_id uuid, tenant_id text, card_ids jsonb)",
    [JSON.stringify(boxes)],
  );
  await pool.query(
    "insert into resource.profiles (project_id, profile_box_id, name, worker_target, tags) values ($1, $2, 'Writer', 'worker.writer', '[\"text\"]')",
    [PROJECT, PROFILE_BOX],
  );
  await pool.query(
    "insert into resource.project_agents (project_id, agent_id, profile_box_id, worker_target, display_name) values ($1, 'ann', $2, 'worker.writer', 'Ann'), ($1, 'bob', $2, 'worker.writer', 'Bob')",
    [PROJECT, PROFILE_BOX],
  );
  await pool.query(
    "insert into state.agent_state_head (project_id, agent_id, status, turn_epoch, profile_box_id, context_box_id, output_box_id) values ($1, 'ann', 'running', 3, $2, $3, $4)",
    [PROJECT, PROFILE_BOX, CONTEXT_BOX, OUTPUT_BOX],
  );
  await pool.query("insert into state.agent_state_pointers (project_id, agent_id, last_output_box_id) values ($1, 'bob', $2)", [
    PROJECT,
    BOX(1),
  ]);
}
