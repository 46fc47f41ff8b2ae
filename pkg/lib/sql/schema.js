// The tables. A migration is one statement, so it is one transaction with every driver.
/** @import { Index, Names } from "./names.js" */
import { TuckboxError } from "../error.js";
import { own } from "../options.js";
import { TYPES } from "./columns.js";
import { commitFunctions } from "./commit.js";
import { DECLARED, literal, namesIn, schemasOf } from "./names.js";

/** The version of the tables. */
const VERSION = 5;

/**
 * Returns a statement whose `answers` are those of `work` if the tables have the version of this package. Otherwise it
 * does nothing and returns the found version, in the same transaction.
 *
 * @param {Names} t
 * @param {string} work
 */
export function atVersion(t, work) {
  return `select case when v.version = ${VERSION} then (${work}) else '{"fault":"version","found":' || v.version || '}' end as answers
  from (select coalesce(max(version), 0) as version from ${t.tuckbox_schema}) v`;
}

/**
 * Returns the error for tables of another version.
 *
 * @param {number} found
 */
export function otherVersion(found) {
  const [expected, isNewer] = [`this package has version ${VERSION}`, found > VERSION];
  const message = isNewer
    ? `the tables of the database have version ${found}, made by a newer version of this package; ${expected}: use a newer one`
    : `the tables of the database have version ${found}, and ${expected}; run \`migrate()\` of the store once, or \`npx tuckbox migrate --commit\``;
  const details = { reason: isNewer ? "newer" : "not_migrated", found, expected: VERSION };
  return new TuckboxError("store", message, { path: "store", details });
}

/**
 * Returns the statement that creates or updates the tables. It is idempotent. The database can be empty, or have the
 * tables of the documents, or those of an earlier version.
 *
 * @param {{ schema?: string, rekey?: boolean }} [options]
 */
export function migration(options) {
  const { schema, rekey = false } = own(options);
  if (typeof rekey !== "boolean") throw new TuckboxError("bad_request", "`rekey` must be `true` or `false`", { path: "rekey" });
  const t = namesIn(schema);
  const steps = [tables(t), "", "", declaredTables(t), commitFunctions(t)];
  return `do $migration$
declare
  done integer := 0;
  alone record;
begin
  perform pg_advisory_xact_lock(hashtextextended('tuckbox migration', 0));
  perform set_config('client_min_messages', 'warning', true);
  ${schemasOf(schema)
    .map((name) => `create schema if not exists ${name};`)
    .join("\n  ")}
  create table if not exists ${t.tuckbox_schema} (
    version integer primary key,
    applied_at timestamptz not null default now()
  );
  select coalesce(max(version), 0) into done from ${t.tuckbox_schema};
  if done > ${VERSION} then
    raise exception 'the tables are at version %, and this program knows version ${VERSION}; use a newer one', done;
  end if;
${steps.map((step, index) => migrationStep(t, index + 1, step)).join("\n")}${rekey ? ownKeys(t) : ""}
end
$migration$`;
}

/** @param {Names} t @param {number} version @param {string} text */
function migrationStep(t, version, text) {
  return `  if done < ${version} then
${text}
    insert into ${t.tuckbox_schema} (version) values (${version});
  end if;`;
}

/**
 * Creates the tables of cards and boxes. Other software can have created and use them already.
 *
 * @param {Names} t
 */
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
      content: "jsonb",
      tool_calls: "jsonb",
      tool_call_id: "text",
      ttl_seconds: "bigint",
      expires_at: "timestamptz",
      deleted_at: "timestamptz",
      metadata: "jsonb",
      created_at: "timestamptz default now()",
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
      card_ids: "jsonb not null default '[]'",
      parent_ids: "jsonb",
      version: "bigint not null default 1",
      deleted_at: "timestamptz",
      created_at: "timestamptz default now()",
      updated_at: "timestamptz default now()",
    })}
    -- ids do not compress, and every append writes the list again
    alter table ${t.card_boxes} alter column card_ids set storage external;

    -- counts changes of other software that do not set the version
    create or replace function ${t.tuckbox_box_changed}() returns trigger language plpgsql as $changed$
    begin
      new.version := old.version + 1;
      return new;
    end
    $changed$;
    drop trigger if exists tuckbox_box_changed on ${t.card_boxes};
    create trigger tuckbox_box_changed before update on ${t.card_boxes}
      for each row when (new.version = old.version) execute function ${t.tuckbox_box_changed}();

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

/**
 * Creates the tables that the core declares. Existing tables get the columns that they lack.
 *
 * @param {Names} t
 */
function declaredTables(t) {
  const texts = DECLARED.map((table) => {
    const name = t.rows[table.name];
    const isProfiles = table.name === "project_profiles";
    const columns = table.columns.map((column) => [column.name, TYPES[column.type]]);
    const own = [["tuckbox_version", "text"], ...(isProfiles ? [["name_key", 'text collate "C"']] : [])];
    const made = [
      ["project_id", "text not null"],
      ...columns.map(([column, type]) => [column, table.key.includes(column) ? `${type} not null` : type]),
      ...own,
    ];
    const key = ["project_id", ...(isProfiles ? ["name_key"] : table.key)];
    /** @param {readonly Index[]} wanted */
    const indexes = (wanted) =>
      wanted
        .map((index) => {
          const parts = new Set(["project_id", ...index.of, ...(index.unique ? [] : index.order)]);
          const kind = index.unique ? "unique index" : "index";
          return `create ${kind} if not exists tuckbox_${table.name}_${index.name} on ${name} (${[...parts].join(", ")});`;
        })
        .join("\n      ");
    // in tables of other software a correlation id can be too long for an index, and can repeat
    const bounded = table.indexes.filter((index) => !index.unique && !index.of.includes("correlation_id"));
    return `
    if to_regclass(${literal(name)}) is null then
      create table ${name} (${made.map(([column, type]) => `${column} ${type}`).join(", ")}, primary key (${key.join(", ")}));
      ${indexes(table.indexes)}
    else
      alter table ${name} ${[...columns, ...own].map(([column, type]) => `add column if not exists ${column} ${type}`).join(", ")};
      ${indexes(bounded)}
    end if;
    drop trigger if exists tuckbox_row_changed on ${name};
    create trigger tuckbox_row_changed before update on ${name}
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function ${t.tuckbox_row_changed}();`;
  });
  return `
    alter table ${t.tuckbox_operations} add column if not exists batch_hash text;
    -- a change of other software makes a new version of the row
    create or replace function ${t.tuckbox_row_changed}() returns trigger language plpgsql as $changed$
    begin
      -- one operation can write a row twice
      if new.tuckbox_version is distinct from nullif(current_setting('tuckbox.operation', true), '') then
        new.tuckbox_version := null;
      end if;
      return new;
    end
    $changed$;
${texts.join("\n")}`;
}

/**
 * Makes ids unique within their project. A key on the id alone shows a project which ids other projects use.
 *
 * @param {Names} t
 */
function ownKeys(t) {
  /** @type {[name: string, project: string, key: string[]][]} */
  const tables = [
    [t.cards, "tenant_id", ["card_id"]],
    [t.card_boxes, "tenant_id", ["box_id"]],
    ...DECLARED.filter(({ name }) => name !== "project_profiles").map(
      ({ name, key }) => /** @type {[string, string, string[]]} */ ([t.rows[name], "project_id", key]),
    ),
  ];
  return tables
    .map(
      ([name, project, key]) => `
  for alone in select c.conname, case c.contype when 'p' then 'primary key' else 'unique' end as kind from pg_constraint c where c.conrelid = ${literal(name)}::regclass and c.contype in ('p', 'u')
      and (select array_agg(a.attname::text order by a.attname) from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any (c.conkey))
        = array[${[...key].sort().map(literal).join(", ")}]::text[]
  loop
    execute format('alter table ${name} drop constraint %I, add constraint %I %s (${[project, ...key].join(", ")})', alone.conname, alone.conname, alone.kind);
  end loop;`,
    )
    .join("");
}

/** @param {string} table @param {{ [name: string]: string }} columns */
function missingColumns(table, columns) {
  const parts = Object.entries(columns).map(([name, type]) => `add column if not exists ${name} ${type}`);
  return `alter table ${table} ${parts.join(", ")};`;
}
