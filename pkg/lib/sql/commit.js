// A commit is one call of one function: one round trip and one transaction with every driver, pooled or not. The
// function rolls back a batch that it rejects, and returns the reason.
//
// It does what `decide` of the core does; a test sends random batches to both.
/** @import { Names } from "./names.js" */
import { agentObject, impliedVersion, isProfile, profileObject, rowVersion } from "./columns.js";
import { columnOf, DECLARED, literal } from "./names.js";

const SHAPE = { has: () => true };

/**
 * Returns the definitions of the functions.
 *
 * @param {Names} t
 */
export function commitFunctions(t) {
  return `${versionFunction(t)}\n${putFunction(t)}\n${commitFunction(t)}`;
}

/** @param {Names} t @param {string} id */
function boxKey(t, id) {
  return `(jsonb_populate_record(null::${t.card_boxes}, jsonb_build_object('box_id', ${id}))).box_id`;
}

/**
 * Returns the function that locks a row and returns its version; null for a missing row.
 *
 * @param {Names} t
 */
function versionFunction(t) {
  /** @param {string} name @param {string} alias @param {string} where */
  const locked = (name, alias, where) => `
        if strong then
          perform from ${t.rows[name]} ${alias} where ${where} for update;
        else
          perform from ${t.rows[name]} ${alias} where ${where} for share;
        end if;`;
  const tables = DECLARED.map((table) => {
    const keys = table.key.map((name, at) => {
      if (table.name === "project_profiles") return isProfile(SHAPE, "folded");
      const { type } = columnOf(table, name);
      return type === "text" ? `r.${name}::text = key->>${at}` : `r.${name} = (key->>${at})::bigint`;
    });
    const where = `r.project_id = project and ${keys.join(" and ")}`;
    return `
      when ${literal(table.name)} then${locked(table.name, "r", where)}
        select to_jsonb(${rowVersion(true)}) into version from ${t.rows[table.name]} r where ${where} limit 1;`;
  });
  const agent = "agent_id = key->>0";
  /** @param {string} where */
  const profile = (where) => `${locked("project_profiles", "r", `r.project_id = project and ${where}`)}
        select to_jsonb(${impliedVersion(profileObject(SHAPE))}) into version from ${t.rows.project_profiles} r
          where r.project_id = project and ${where} order by r.name collate "C" limit 1;`;
  return `
    create or replace function ${t.tuckbox_version}(project text, place text, key jsonb, folded text, strong boolean) returns jsonb language plpgsql as $version$
    declare
      version jsonb;
      n bigint;
    begin
      case place
      when 'boxes' then
        select to_jsonb(b.version) into version from ${t.card_boxes} b
          where b.tenant_id = project and b.deleted_at is null and b.box_id = ${boxKey(t, "key->>0")} for share;
      when 'cards' then
        select to_jsonb(case when c.deleted_at is null then 'live' else 'deleted' end) into version from ${t.cards} c
          where c.tenant_id = project and c.card_id = key->>0 for share;
      when 'files' then
        select '"live"'::jsonb into version from ${t.tuckbox_files} f where f.tenant_id = project and f.path = key->>0;
      when 'directories' then
        select count(*) into n from ${t.tuckbox_files} f
          where f.tenant_id = project and f.path > (key->>0) || '/' and f.path < (key->>0) || '0';
        if n > 0 then
          version := to_jsonb(n);
        end if;
      when 'agents' then${["project_agents", "heads", "pointers"].map((name) => locked(name, "r", `r.project_id = project and r.${agent}`)).join("")}
        select to_jsonb(${impliedVersion(agentObject({ key: "key->>0", has: SHAPE.has }))}) into version
          from (select 1) one
          left join ${t.rows.project_agents} a on a.project_id = project and a.${agent}
          left join ${t.rows.heads} h on h.project_id = project and h.${agent}
          left join ${t.rows.pointers} p on p.project_id = project and p.${agent}
          where coalesce(a.agent_id, h.agent_id, p.agent_id) is not null;
      when 'profiles' then${profile(isProfile(SHAPE, "folded"))}
      when 'profiles_by_box' then${profile("r.profile_box_id::text = key->>0")}${tables.join("")}
      else
        raise exception 'there is no table %', place;
      end case;
      return version;
    end
    $version$;`;
}

/**
 * Returns the function that stores or deletes a row of a declared table. It returns false if another row has the key
 * or a unique value.
 *
 * @param {Names} t
 */
function putFunction(t) {
  const specs = Object.fromEntries(
    DECLARED.map(({ name, key, columns }) => [name, { name: t.rows[name], key, columns: columns.map((column) => column.name) }]),
  );
  return `
    create or replace function ${t.tuckbox_put}(project text, place text, key jsonb, after jsonb, version text, folded text, only_columns text[]) returns boolean language plpgsql as $put$
    declare
      spec jsonb := ${literal(JSON.stringify(specs))}::jsonb -> place;
      place_name text := spec->>'name';
      keys text := case place when 'project_profiles' then 'coalesce(r.name_key, lower(r.name)) = $4'
        else (select string_agg(format('r.%I = k.%I', c, c), ' and ') from jsonb_array_elements_text(spec->'key') c) end;
      key_row jsonb := (select jsonb_object_agg(c, key->>(n - 1)::int) from jsonb_array_elements_text(spec->'key') with ordinality x (c, n));
      given text[];
      absent text[];
      sets text;
      made integer;
    begin
      perform set_config('tuckbox.operation', version, true);
      if after is null or after = 'null' then
        execute format('delete from %s r using jsonb_populate_record(null::%s, $2) k where r.project_id = $1 and %s', place_name, place_name, keys)
          using project, key_row, version, folded;
        return true;
      end if;
      select coalesce(array_agg(c) filter (where coalesce(after->c, 'null') <> 'null'), '{}'),
          coalesce(array_agg(c) filter (where coalesce(after->c, 'null') = 'null'), '{}')
        into given, absent from unnest(coalesce(only_columns, array(select jsonb_array_elements_text(spec->'columns')))) c;
      select string_agg(s, ', ') into sets from (
        select format('%I = k.%I', c, c) as s from unnest(given) c
        union all select format('%I = default', c) from unnest(absent) c
        union all select 'name_key = $4' where place = 'project_profiles') x;
      execute format('update %s r set %s, tuckbox_version = $3 from jsonb_populate_record(null::%s, $2) k where r.project_id = $1 and %s', place_name, sets, place_name, keys)
        using project, after, version, folded;
      get diagnostics made = row_count;
      if made > 0 then
        return true;
      end if;
      select string_agg(format('%I', c), ', '), string_agg(format('k.%I', c), ', ') into sets, keys from unnest(given) c;
      execute format('insert into %s (project_id, tuckbox_version, %s%s) select $1, $3, %s%s from jsonb_populate_record(null::%s, $2) k on conflict do nothing',
          place_name, sets, case place when 'project_profiles' then ', name_key' else '' end, keys, case place when 'project_profiles' then ', $4' else '' end, place_name)
        using project, after, version, folded;
      get diagnostics made = row_count;
      return made > 0;
    end
    $put$;`;
}

/** @param {Names} t */
function commitFunction(t) {
  return `
    create or replace function ${t.tuckbox_commit}(project text, batch_text text, folds_text text) returns text language plpgsql as $commit$
    declare
      batch jsonb := batch_text::jsonb;
      folds jsonb := folds_text::jsonb;
      moment timestamptz := batch->>'at';
      hash text := encode(sha256(convert_to(batch::text, 'UTF8')), 'hex');
      named jsonb;
      versions jsonb;
      receipt jsonb;
      fault text;
      wanted integer;
      made integer;
      change jsonb;
      one ${t.card_boxes}.box_id%type;
      stale record;
    begin
      -- a second transaction with the same operation waits here for the first
      insert into ${t.tuckbox_operations} (tenant_id, operation_id, applied_at, batch_hash)
        values (project, batch->>'operation_id', moment, hash) on conflict do nothing;
      if not found then
        select boxes, batch_hash into stale from ${t.tuckbox_operations}
          where tenant_id = project and operation_id = batch->>'operation_id';
        if stale.batch_hash <> hash then
          return jsonb_build_object('fault', 'other_batch')::text;
        end if;
        return jsonb_build_object('repeated', true, 'boxes', stale.boxes)::text;
      end if;

      -- a missing row cannot be locked, so a batch that expects one locks the project
      if exists (select from jsonb_array_elements(batch->'expects') e where e->>'version' is null or e->>'table' = 'directories') then
        perform pg_advisory_xact_lock(hashtextextended('tuckbox ' || project, 0));
      else
        perform pg_advisory_xact_lock_shared(hashtextextended('tuckbox ' || project, 0));
      end if;

      select jsonb_agg(distinct jsonb_build_object('box_id', ids.id)) into named from (
        select e->'key'->>0 as id from jsonb_array_elements(batch->'expects') e where e->>'table' = 'boxes'
        union all
        select coalesce(e->'box'->>'box_id', e->>'box_id') from jsonb_array_elements(batch->'boxes') e
      ) ids;
      if pg_typeof((null::${t.card_boxes}).box_id) = 'uuid'::regtype then
        select jsonb_build_object('fault', 'not_uuid', 'box_id', e->>'box_id')::text into fault
          from jsonb_array_elements(named) e
          where e->>'box_id' !~* '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' limit 1;
        if found then
          raise sqlstate 'TB409' using detail = fault;
        end if;
      end if;

      -- rows are locked in the order of their keys, which prevents deadlocks
      if exists (select from jsonb_array_elements(batch->'boxes') e where e->>'change' <> 'create') then
        perform from ${t.card_boxes} b
          where b.tenant_id = project and b.box_id in (select k.box_id from jsonb_populate_recordset(null::${t.card_boxes}, named) k)
          order by b.box_id for update;
      else
        perform from ${t.card_boxes} b
          where b.tenant_id = project and b.box_id in (select k.box_id from jsonb_populate_recordset(null::${t.card_boxes}, named) k)
          order by b.box_id for share;
      end if;
      select jsonb_object_agg(x.place || ' ' || x.key::text, ${t.tuckbox_version}(project, x.place, x.key, folds->>(x.key->>0), x.strong)) into versions from (
        select place, key, bool_or(strong) as strong from (
          select e->>'table' as place, e->'key' as key, false as strong from jsonb_array_elements(batch->'expects') e
          union all
          select e->>'table', e->'key', true from jsonb_array_elements(batch->'rows') e
        ) all_keys group by place, key order by place, key::text
      ) x;
      select jsonb_build_object('fault', 'stale_row', 'table', e->>'table', 'key', e->'key', 'expected', e->'version', 'found', versions->((e->>'table') || ' ' || (e->'key')::text))::text into fault
        from jsonb_array_elements(batch->'expects') with ordinality x (e, n)
        where nullif(e->'version', 'null') is distinct from nullif(versions->((e->>'table') || ' ' || (e->'key')::text), 'null')
        order by n limit 1;
      if found then
        raise sqlstate 'TB409' using detail = fault;
      end if;

      insert into ${t.cards} (card_id, tenant_id, content, tool_calls, tool_call_id, ttl_seconds, expires_at, deleted_at, metadata, created_at)
        select c.card_id, project, c.content, c.tool_calls, c.tool_call_id, c.ttl_seconds, c.expires_at, c.deleted_at, c.metadata, moment
        from ${cardRows}
        order by c.card_id, c.n
        on conflict do nothing;
      get diagnostics made = row_count;
      wanted := coalesce(jsonb_array_length(batch->'cards'), 0);
      if made < wanted then
        select jsonb_build_object('fault', 'taken', 'card_id', c.card_id)::text into fault
          from ${cardRows}
          left join ${t.cards} there on there.tenant_id = project and there.card_id = c.card_id
          where there.card_id is null
            or there.content is distinct from c.content
            or there.tool_calls is distinct from c.tool_calls
            or there.tool_call_id is distinct from c.tool_call_id
            or there.ttl_seconds is distinct from c.ttl_seconds
            or coalesce(there.metadata, '{}') - 'created_at' is distinct from coalesce(c.metadata, '{}') - 'created_at'
          order by c.n limit 1;
        if found then
          raise sqlstate 'TB409' using detail = fault;
        end if;
      end if;
      if batch ? 'delete_cards' then
        perform from ${t.cards} c
          where c.tenant_id = project and c.card_id in (select jsonb_array_elements_text(batch->'delete_cards'))
          order by c.card_id for update;
        update ${t.cards} c set deleted_at = moment
          where c.tenant_id = project and c.deleted_at is null
            and c.card_id in (select jsonb_array_elements_text(batch->'delete_cards'));
      end if;
      if batch ? 'erase_cards' then
        perform from ${t.cards} c
          where c.tenant_id = project and c.card_id in (select jsonb_array_elements_text(batch->'erase_cards'))
          order by c.card_id for update;
        update ${t.cards} c set
            content = '{"__type__": "TextContent", "text": ""}',
            metadata = coalesce((
              select jsonb_object_agg(m.key, m.value) from jsonb_each(c.metadata) m
              where m.key in ('type', 'role', 'project_id', 'created_at')
            ), '{}') || '{"erased": true}',
            tool_calls = null,
            tool_call_id = null,
            deleted_at = coalesce(c.deleted_at, moment)
          where c.tenant_id = project
            and c.card_id in (select jsonb_array_elements_text(batch->'erase_cards'));
      end if;

      insert into ${t.tuckbox_files} (tenant_id, path, text, created_at)
        select project, f.path, f.text, moment
        from ${fileRows}
        order by f.path collate "C", f.n
        on conflict do nothing;
      get diagnostics made = row_count;
      if made < coalesce(jsonb_array_length(batch->'files'), 0) then
        select jsonb_build_object('fault', 'other_text', 'path', f.path)::text into fault
          from ${fileRows}
          join ${t.tuckbox_files} there on there.tenant_id = project and there.path = f.path
          where there.text <> f.text collate "C"
          order by f.n limit 1;
        if found then
          raise sqlstate 'TB409' using detail = fault;
        end if;
      end if;

      for change in select e from jsonb_array_elements(batch->'agents') with ordinality x (e, n) order by e->>'agent_id', n loop
        change := change || jsonb_build_object('in_roster', coalesce(nullif(change->'in_roster', 'null'), 'true'));
        if not ${t.tuckbox_put}(project, 'project_agents', jsonb_build_array(change->'agent_id'), change, batch->>'operation_id', null,
            '{agent_id,in_roster,profile_box_id,display_name,tags,worker_target,state,pointers}') then
          raise sqlstate 'TB409' using detail = jsonb_build_object('fault', 'row_taken', 'table', 'project_agents', 'key', jsonb_build_array(change->'agent_id'))::text;
        end if;
      end loop;

      for change in select e from jsonb_array_elements(batch->'boxes') e loop
        if change->>'change' = 'create' then
          insert into ${t.card_boxes} (box_id, tenant_id, card_ids, parent_ids, version, deleted_at, created_at, updated_at)
            select k.box_id, project, coalesce(k.card_ids, '[]'), coalesce(k.parent_ids, '[]'), coalesce(k.version, 1), k.deleted_at, moment, moment
            from jsonb_populate_record(null::${t.card_boxes}, change->'box') k
            on conflict do nothing;
          if not found then
            raise sqlstate 'TB409' using detail = jsonb_build_object('fault', 'exists', 'box_id', change->'box'->>'box_id')::text;
          end if;
        else
          one := ${boxKey(t, "change->>'box_id'")};
          update ${t.card_boxes} b set
              card_ids = case change->>'change'
                when 'append' then b.card_ids || (change->'card_ids')
                when 'replace' then change->'card_ids'
                else b.card_ids
              end,
              deleted_at = case change->>'change' when 'delete' then moment end,
              version = b.version + 1,
              updated_at = moment
            where b.tenant_id = project and b.box_id = one and b.deleted_at is null
              and b.version = coalesce((change->>'version')::numeric, b.version);
          if not found then
            select b.version into stale from ${t.card_boxes} b
              where b.tenant_id = project and b.box_id = one and b.deleted_at is null;
            raise sqlstate 'TB409' using detail = jsonb_build_object(
              'fault', 'stale', 'box_id', change->>'box_id', 'expected', change->'version', 'found', stale.version)::text;
          end if;
        end if;
      end loop;

      select jsonb_build_object('fault', 'twice', 'table', min(e->>'table'), 'key', min((e->'key')::text)::jsonb)::text into fault
        from jsonb_array_elements(batch->'rows') e
        group by e->>'table', case e->>'table' when 'project_profiles' then to_jsonb(folds->>(e->'key'->>0)) else e->'key' end having count(*) > 1 limit 1;
      if found then
        raise sqlstate 'TB409' using detail = fault;
      end if;
      for change in select e from jsonb_array_elements(batch->'rows') e loop
        if change ? 'version' and nullif(change->'version', 'null') is distinct from nullif(versions->((change->>'table') || ' ' || (change->'key')::text), 'null') then
          raise sqlstate 'TB409' using detail = jsonb_build_object('fault', 'stale_row', 'table', change->>'table', 'key', change->'key',
            'expected', change->'version', 'found', versions->((change->>'table') || ' ' || (change->'key')::text))::text;
        end if;
      end loop;
      -- deletes come first, because they free keys
      for change in select e from jsonb_array_elements(batch->'rows') e order by (e->'row' <> 'null'), e->>'table', e->'key' loop
        if not ${t.tuckbox_put}(project, change->>'table', change->'key', change->'row', batch->>'operation_id', folds->>(change->'key'->>0), null) then
          raise sqlstate 'TB409' using detail = jsonb_build_object('fault', 'row_taken', 'table', change->>'table', 'key', change->'key')::text;
        end if;
      end loop;

      select coalesce(jsonb_agg(jsonb_build_object('box_id', ids.id, 'version', b.version) order by ids.n), '[]') into receipt
        from (
          select coalesce(e->'box'->>'box_id', e->>'box_id') as id, min(n) as n
          from jsonb_array_elements(batch->'boxes') with ordinality x (e, n) group by 1
        ) ids
        join ${t.card_boxes} b on b.tenant_id = project and b.box_id = ${boxKey(t, "ids.id")};
      update ${t.tuckbox_operations} set boxes = receipt
        where tenant_id = project and operation_id = batch->>'operation_id' and receipt <> '[]';
      return jsonb_build_object('repeated', false, 'boxes', receipt)::text;
    exception
      when sqlstate 'TB409' then
        get stacked diagnostics fault = pg_exception_detail;
        return fault;
      when unique_violation then
        get stacked diagnostics fault = table_name;
        return jsonb_build_object('fault', 'not_unique', 'table', fault)::text;
    end
    $commit$;`;
}

const cardRows = `rows from (jsonb_to_recordset(batch->'cards') as (card_id text, content jsonb, tool_calls jsonb, tool_call_id text,
            ttl_seconds bigint, expires_at timestamptz, deleted_at timestamptz, metadata jsonb)) with ordinality
          as c (card_id, content, tool_calls, tool_call_id, ttl_seconds, expires_at, deleted_at, metadata, n)`;

const fileRows = `rows from (jsonb_to_recordset(batch->'files') as (path text, text text)) with ordinality as f (path, text, n)`;
