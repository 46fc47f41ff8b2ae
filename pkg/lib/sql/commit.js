// A commit is one call of one function: one round trip and one transaction over every driver,
// pooled or not. What it refuses it undoes itself and answers as data.

/** The text of the function. `t` are the names of the tables. */
export function commitFunction(t) {
  const boxKey = (id) => `(jsonb_populate_record(null::${t.card_boxes}, jsonb_build_object('box_id', ${id}))).box_id`;
  return `
    create or replace function ${t.tuckbox_commit}(project text, batch_text text) returns text language plpgsql as $commit$
    declare
      batch jsonb := batch_text::jsonb;
      moment timestamptz := batch->>'at';
      named jsonb;
      receipt jsonb;
      fault text;
      wanted integer;
      made integer;
      change jsonb;
      one ${t.card_boxes}.box_id%type;
      stale record;
    begin
      -- whoever sends the same operation at the same time waits here for the first
      insert into ${t.tuckbox_operations} (tenant_id, operation_id, applied_at)
        values (project, batch->>'operation_id', moment) on conflict do nothing;
      if not found then
        select boxes into receipt from ${t.tuckbox_operations}
          where tenant_id = project and operation_id = batch->>'operation_id';
        return jsonb_build_object('repeated', true, 'boxes', receipt)::text;
      end if;

      -- rows are locked in the order of their keys, so that batches wait for each other and not in a circle
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

      insert into ${t.tuckbox_agents} (tenant_id, agent_id, in_roster, profile_box_id, display_name, tags, worker_target, state, pointers)
        select distinct on (a.agent_id) project, a.agent_id, coalesce(a.in_roster, true), a.profile_box_id, a.display_name, a.tags, a.worker_target, a.state, a.pointers
        from ${agentRows}
        order by a.agent_id, a.n desc
        on conflict (tenant_id, agent_id) do update set
          in_roster = excluded.in_roster, profile_box_id = excluded.profile_box_id, display_name = excluded.display_name,
          tags = excluded.tags, worker_target = excluded.worker_target, state = excluded.state, pointers = excluded.pointers;

      select jsonb_agg(distinct jsonb_build_object('box_id', ids.id)) into named from (
        select coalesce(e->>'box_id', e->'key'->>0) as id from jsonb_array_elements(batch->'expects') e
          where coalesce(e->>'table', 'boxes') = 'boxes'
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
      if exists (select from jsonb_array_elements(batch->'boxes') e where e->>'change' <> 'create') then
        perform from ${t.card_boxes} b
          where b.tenant_id = project and b.box_id in (select k.box_id from jsonb_populate_recordset(null::${t.card_boxes}, named) k)
          order by b.box_id for update;
      else
        perform from ${t.card_boxes} b
          where b.tenant_id = project and b.box_id in (select k.box_id from jsonb_populate_recordset(null::${t.card_boxes}, named) k)
          order by b.box_id for share;
      end if;

      select jsonb_build_object('fault', 'stale', 'box_id', e.box_id, 'expected', e.version, 'found', b.version)::text into fault
        from (
          select coalesce(x->>'box_id', x->'key'->>0) as box_id, (x->>'version')::numeric as version, n
          from jsonb_array_elements(batch->'expects') with ordinality as x (x, n)
          where coalesce(x->>'table', 'boxes') = 'boxes'
        ) e
        left join ${t.card_boxes} b on b.tenant_id = project and b.deleted_at is null and b.box_id = ${boxKey("e.box_id")}
        where b.version is distinct from e.version
        order by e.n limit 1;
      if found then
        raise sqlstate 'TB409' using detail = fault;
      end if;

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
          one := ${boxKey("change->>'box_id'")};
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

      select coalesce(jsonb_agg(jsonb_build_object('box_id', ids.id, 'version', b.version) order by ids.n), '[]') into receipt
        from (
          select coalesce(e->'box'->>'box_id', e->>'box_id') as id, min(n) as n
          from jsonb_array_elements(batch->'boxes') with ordinality x (e, n) group by 1
        ) ids
        join ${t.card_boxes} b on b.tenant_id = project and b.box_id = ${boxKey("ids.id")};
      update ${t.tuckbox_operations} set boxes = receipt
        where tenant_id = project and operation_id = batch->>'operation_id' and receipt <> '[]';
      return jsonb_build_object('repeated', false, 'boxes', receipt)::text;
    exception when sqlstate 'TB409' then
      get stacked diagnostics fault = pg_exception_detail;
      return fault;
    end
    $commit$;`;
}

const cardRows = `rows from (jsonb_to_recordset(batch->'cards') as (card_id text, content jsonb, tool_calls jsonb, tool_call_id text,
            ttl_seconds bigint, expires_at timestamptz, deleted_at timestamptz, metadata jsonb)) with ordinality
          as c (card_id, content, tool_calls, tool_call_id, ttl_seconds, expires_at, deleted_at, metadata, n)`;

const fileRows = `rows from (jsonb_to_recordset(batch->'files') as (path text, text text)) with ordinality as f (path, text, n)`;

const agentRows = `rows from (jsonb_to_recordset(batch->'agents') as (agent_id text, in_roster boolean, profile_box_id text, display_name text,
            tags jsonb, worker_target text, state jsonb, pointers jsonb)) with ordinality
          as a (agent_id, in_roster, profile_box_id, display_name, tags, worker_target, state, pointers, n)`;
