// The tables. A migration is one statement, so that it is one transaction over every driver.
import { commitFunction } from "./commit.js";
import { literal, namesIn, quoted } from "./names.js";

/**
 * The statement that brings a database up to date, whatever it has: nothing, the tables of the
 * documents alone, or an older version of ours. Running it again changes nothing.
 */
export function migration({ schema } = {}) {
  const t = namesIn(schema);
  const steps = [tables(t), commitFunction(t)];
  return `do $migration$
declare
  done integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('tuckbox migration', 0));
  perform set_config('client_min_messages', 'warning', true);
  ${schema === undefined ? "" : `create schema if not exists ${quoted(schema)};`}
  create table if not exists ${t.tuckbox_schema} (
    version integer primary key,
    applied_at timestamptz not null default now()
  );
  select coalesce(max(version), 0) into done from ${t.tuckbox_schema};
${steps.map((step, index) => migrationStep(t, index + 1, step)).join("\n")}
end
$migration$`;
}

function migrationStep(t, version, text) {
  return `  if done < ${version} then
${text}
    insert into ${t.tuckbox_schema} (version) values (${version});
  end if;`;
}

/** `cards` and `card_boxes` may be there already, with other software reading and writing them. */
function tables(t) {
  return `
    create table if not exists ${t.cards} (
      card_id text not null,
      tenant_id text not null,
      content jsonb,
      tool_calls jsonb,
      tool_call_id text,
      ttl_seconds bigint,
      expires_at timestamptz,
      deleted_at timestamptz,
      metadata jsonb,
      created_at timestamptz default now(),
      primary key (tenant_id, card_id)
    );
    ${missingColumns(t.cards, {
      content: "jsonb", tool_calls: "jsonb", tool_call_id: "text", ttl_seconds: "bigint", expires_at: "timestamptz",
      deleted_at: "timestamptz", metadata: "jsonb", created_at: "timestamptz default now()",
    })}
    create table if not exists ${t.card_boxes} (
      box_id text not null,
      tenant_id text not null,
      card_ids jsonb not null default '[]',
      parent_ids jsonb,
      version bigint not null default 1,
      deleted_at timestamptz,
      created_at timestamptz default now(),
      updated_at timestamptz default now(),
      primary key (tenant_id, box_id)
    );
    ${missingColumns(t.card_boxes, {
      card_ids: "jsonb not null default '[]'", parent_ids: "jsonb", version: "bigint not null default 1",
      deleted_at: "timestamptz", created_at: "timestamptz default now()", updated_at: "timestamptz default now()",
    })}
    -- ids do not compress, and every append writes the list again
    alter table ${t.card_boxes} alter column card_ids set storage external;

    -- whoever changes a box without counting its version is counted for
    create or replace function ${t.tuckbox_box_changed}() returns trigger language plpgsql as $changed$
    begin
      new.version := old.version + 1;
      return new;
    end
    $changed$;
    drop trigger if exists tuckbox_box_changed on ${t.card_boxes};
    create trigger tuckbox_box_changed before update on ${t.card_boxes}
      for each row when (new.version = old.version) execute function ${t.tuckbox_box_changed}();

    create table if not exists ${t.tuckbox_profiles} (
      tenant_id text not null,
      name_key text collate "C" not null,
      name text not null,
      profile_box_id text,
      tags jsonb,
      worker_target text,
      delegation_policy jsonb,
      primary key (tenant_id, name_key)
    );
    create index if not exists tuckbox_profiles_by_box on ${t.tuckbox_profiles} (tenant_id, profile_box_id);
    create table if not exists ${t.tuckbox_agents} (
      tenant_id text not null,
      agent_id text not null,
      in_roster boolean not null default true,
      profile_box_id text,
      display_name text,
      tags jsonb,
      worker_target text,
      state jsonb,
      pointers jsonb,
      primary key (tenant_id, agent_id)
    );
    create table if not exists ${t.tuckbox_files} (
      tenant_id text not null,
      path text collate "C" not null,
      text text not null,
      created_at timestamptz not null default now(),
      primary key (tenant_id, path)
    );
    create table if not exists ${t.tuckbox_operations} (
      tenant_id text not null,
      operation_id text not null,
      applied_at timestamptz not null,
      boxes jsonb not null default '[]',
      primary key (tenant_id, operation_id)
    );
    if exists (
      select from pg_attribute where attrelid = ${literal(t.card_boxes)}::regclass
        and attname = 'card_ids' and atttypid <> 'jsonb'::regtype and not attisdropped
    ) then
      raise exception 'the column card_ids of card_boxes is not jsonb';
    end if;`;
}

function missingColumns(table, columns) {
  const parts = Object.entries(columns).map(([name, type]) => `add column if not exists ${name} ${type}`);
  return `alter table ${table} ${parts.join(", ")};`;
}
