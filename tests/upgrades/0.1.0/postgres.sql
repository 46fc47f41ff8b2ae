do $migration$
declare
  done integer := 0;
  alone record;
begin
  perform pg_advisory_xact_lock(hashtextextended('tuckbox migration', 0));
  perform set_config('client_min_messages', 'warning', true);
  create schema if not exists state;
  create schema if not exists resource;
  create table if not exists tuckbox_schema (
    version integer primary key,
    applied_at timestamptz not null default now()
  );
  select coalesce(max(version), 0) into done from tuckbox_schema;
  if done > 4 then
    raise exception 'the tables are at version %, and this program knows version 4; use a newer one', done;
  end if;
  if done < 1 then

    create table if not exists cards (
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
    alter table cards add column if not exists content jsonb, add column if not exists tool_calls jsonb, add column if not exists tool_call_id text, add column if not exists ttl_seconds bigint, add column if not exists expires_at timestamptz, add column if not exists deleted_at timestamptz, add column if not exists metadata jsonb, add column if not exists created_at timestamptz default now();
    create table if not exists card_boxes (
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
    alter table card_boxes add column if not exists card_ids jsonb not null default '[]', add column if not exists parent_ids jsonb, add column if not exists version bigint not null default 1, add column if not exists deleted_at timestamptz, add column if not exists created_at timestamptz default now(), add column if not exists updated_at timestamptz default now();
    -- ids do not compress, and every append writes the list again
    alter table card_boxes alter column card_ids set storage external;

    -- counts changes of other software that do not set the version
    create or replace function tuckbox_box_changed() returns trigger language plpgsql as $changed$
    begin
      new.version := old.version + 1;
      return new;
    end
    $changed$;
    drop trigger if exists tuckbox_box_changed on card_boxes;
    create trigger tuckbox_box_changed before update on card_boxes
      for each row when (new.version = old.version) execute function tuckbox_box_changed();

    create table if not exists tuckbox_files (
      tenant_id text not null,
      path text collate "C" not null,
      text text not null,
      created_at timestamptz not null default now(),
      primary key (tenant_id, path)
    );
    create table if not exists tuckbox_operations (
      tenant_id text not null,
      operation_id text not null,
      applied_at timestamptz not null,
      boxes jsonb not null default '[]',
      primary key (tenant_id, operation_id)
    );
    if exists (
      select from pg_attribute where attrelid = 'card_boxes'::regclass
        and attname = 'card_ids' and atttypid <> 'jsonb'::regtype and not attisdropped
    ) then
      raise exception 'the column card_ids of card_boxes is not jsonb';
    end if;
    insert into tuckbox_schema (version) values (1);
  end if;
  if done < 2 then

    insert into tuckbox_schema (version) values (2);
  end if;
  if done < 3 then

    insert into tuckbox_schema (version) values (3);
  end if;
  if done < 4 then

    alter table tuckbox_operations add column if not exists batch_hash text;
    -- a change of other software makes a new version of the row
    create or replace function tuckbox_row_changed() returns trigger language plpgsql as $changed$
    begin
      -- one operation can write a row twice
      if new.tuckbox_version is distinct from nullif(current_setting('tuckbox.operation', true), '') then
        new.tuckbox_version := null;
      end if;
      return new;
    end
    $changed$;

    if to_regclass('state.agent_state_head') is null then
      create table state.agent_state_head (project_id text not null, agent_id text not null, status text, active_agent_turn_id text, active_channel_id text, turn_epoch bigint, active_recursion_depth bigint, updated_at timestamptz, parent_step_id text, trace_id text, profile_box_id text, context_box_id text, output_box_id text, expecting_correlation_id text, waiting_tool_count bigint, resume_deadline timestamptz, rung_at timestamptz, tuckbox_version text, primary key (project_id, agent_id));
      create index if not exists tuckbox_heads_all on state.agent_state_head (project_id, agent_id);
      create index if not exists tuckbox_heads_by_status on state.agent_state_head (project_id, status, updated_at);
      create index if not exists tuckbox_heads_by_deadline on state.agent_state_head (project_id, status, resume_deadline);
      create index if not exists tuckbox_heads_by_context on state.agent_state_head (project_id, context_box_id, agent_id);
      create index if not exists tuckbox_heads_by_output on state.agent_state_head (project_id, output_box_id, agent_id);
    else
      alter table state.agent_state_head add column if not exists agent_id text, add column if not exists status text, add column if not exists active_agent_turn_id text, add column if not exists active_channel_id text, add column if not exists turn_epoch bigint, add column if not exists active_recursion_depth bigint, add column if not exists updated_at timestamptz, add column if not exists parent_step_id text, add column if not exists trace_id text, add column if not exists profile_box_id text, add column if not exists context_box_id text, add column if not exists output_box_id text, add column if not exists expecting_correlation_id text, add column if not exists waiting_tool_count bigint, add column if not exists resume_deadline timestamptz, add column if not exists rung_at timestamptz, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_heads_all on state.agent_state_head (project_id, agent_id);
      create index if not exists tuckbox_heads_by_status on state.agent_state_head (project_id, status, updated_at);
      create index if not exists tuckbox_heads_by_deadline on state.agent_state_head (project_id, status, resume_deadline);
      create index if not exists tuckbox_heads_by_context on state.agent_state_head (project_id, context_box_id, agent_id);
      create index if not exists tuckbox_heads_by_output on state.agent_state_head (project_id, output_box_id, agent_id);
    end if;
    drop trigger if exists tuckbox_row_changed on state.agent_state_head;
    create trigger tuckbox_row_changed before update on state.agent_state_head
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('tuckbox_box_turns') is null then
      create table tuckbox_box_turns (project_id text not null, box_id text not null, agent_id text, agent_turn_id text, taken_at timestamptz, tuckbox_version text, primary key (project_id, box_id));
      
    else
      alter table tuckbox_box_turns add column if not exists box_id text, add column if not exists agent_id text, add column if not exists agent_turn_id text, add column if not exists taken_at timestamptz, add column if not exists tuckbox_version text;
      
    end if;
    drop trigger if exists tuckbox_row_changed on tuckbox_box_turns;
    create trigger tuckbox_row_changed before update on tuckbox_box_turns
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('tuckbox_turn_views') is null then
      create table tuckbox_turn_views (project_id text not null, view_id text not null, agent_id text, agent_turn_id text, at timestamptz, dialect text, context_box_id text, context_version bigint, context_card_ids jsonb, output_box_id text, output_version bigint, output_card_ids jsonb, prompt_card_id text, tools_card_id text, profile jsonb, missing jsonb, tools_left_out jsonb, content_hash text, tuckbox_version text, primary key (project_id, view_id));
      create index if not exists tuckbox_turn_views_all on tuckbox_turn_views (project_id, at);
      create index if not exists tuckbox_turn_views_by_agent on tuckbox_turn_views (project_id, agent_id, at);
      create index if not exists tuckbox_turn_views_by_turn on tuckbox_turn_views (project_id, agent_turn_id, at);
    else
      alter table tuckbox_turn_views add column if not exists view_id text, add column if not exists agent_id text, add column if not exists agent_turn_id text, add column if not exists at timestamptz, add column if not exists dialect text, add column if not exists context_box_id text, add column if not exists context_version bigint, add column if not exists context_card_ids jsonb, add column if not exists output_box_id text, add column if not exists output_version bigint, add column if not exists output_card_ids jsonb, add column if not exists prompt_card_id text, add column if not exists tools_card_id text, add column if not exists profile jsonb, add column if not exists missing jsonb, add column if not exists tools_left_out jsonb, add column if not exists content_hash text, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_turn_views_all on tuckbox_turn_views (project_id, at);
      create index if not exists tuckbox_turn_views_by_agent on tuckbox_turn_views (project_id, agent_id, at);
      create index if not exists tuckbox_turn_views_by_turn on tuckbox_turn_views (project_id, agent_turn_id, at);
    end if;
    drop trigger if exists tuckbox_row_changed on tuckbox_turn_views;
    create trigger tuckbox_row_changed before update on tuckbox_turn_views
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('state.agent_state_pointers') is null then
      create table state.agent_state_pointers (project_id text not null, agent_id text not null, memory_context_box_id text, last_output_box_id text, updated_at timestamptz, tuckbox_version text, primary key (project_id, agent_id));
      
    else
      alter table state.agent_state_pointers add column if not exists agent_id text, add column if not exists memory_context_box_id text, add column if not exists last_output_box_id text, add column if not exists updated_at timestamptz, add column if not exists tuckbox_version text;
      
    end if;
    drop trigger if exists tuckbox_row_changed on state.agent_state_pointers;
    create trigger tuckbox_row_changed before update on state.agent_state_pointers
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('state.agent_inbox') is null then
      create table state.agent_inbox (project_id text not null, inbox_id text not null, agent_id text, message_type text, enqueue_mode text, correlation_id text, recursion_depth bigint, traceparent text, tracestate text, trace_id text, parent_step_id text, source_agent_id text, source_step_id text, payload jsonb, status text, processed_at timestamptz, archived_at timestamptz, created_at timestamptz, channel_id text, agent_turn_id text, turn_epoch bigint, context_headers jsonb, retry_count bigint, next_retry_at timestamptz, last_error text, defer_reason text, seq bigint, tuckbox_version text, primary key (project_id, inbox_id));
      create index if not exists tuckbox_inbox_by_agent on state.agent_inbox (project_id, agent_id, status, created_at, seq);
      create index if not exists tuckbox_inbox_by_agent_type on state.agent_inbox (project_id, agent_id, message_type, status, created_at, seq);
      create index if not exists tuckbox_inbox_by_status on state.agent_inbox (project_id, status, created_at, seq);
      create index if not exists tuckbox_inbox_by_processed on state.agent_inbox (project_id, status, processed_at);
      create index if not exists tuckbox_inbox_by_retry on state.agent_inbox (project_id, agent_id, status, next_retry_at, created_at);
      create unique index if not exists tuckbox_inbox_by_correlation on state.agent_inbox (project_id, message_type, correlation_id);
      create index if not exists tuckbox_inbox_by_turn on state.agent_inbox (project_id, agent_id, agent_turn_id, created_at, seq);
      create index if not exists tuckbox_inbox_queue on state.agent_inbox (project_id, agent_id, status, message_type, seq);
      create index if not exists tuckbox_inbox_in_order on state.agent_inbox (project_id, agent_id, status, seq);
      create index if not exists tuckbox_inbox_of_turn on state.agent_inbox (project_id, agent_turn_id, seq);
    else
      alter table state.agent_inbox add column if not exists inbox_id text, add column if not exists agent_id text, add column if not exists message_type text, add column if not exists enqueue_mode text, add column if not exists correlation_id text, add column if not exists recursion_depth bigint, add column if not exists traceparent text, add column if not exists tracestate text, add column if not exists trace_id text, add column if not exists parent_step_id text, add column if not exists source_agent_id text, add column if not exists source_step_id text, add column if not exists payload jsonb, add column if not exists status text, add column if not exists processed_at timestamptz, add column if not exists archived_at timestamptz, add column if not exists created_at timestamptz, add column if not exists channel_id text, add column if not exists agent_turn_id text, add column if not exists turn_epoch bigint, add column if not exists context_headers jsonb, add column if not exists retry_count bigint, add column if not exists next_retry_at timestamptz, add column if not exists last_error text, add column if not exists defer_reason text, add column if not exists seq bigint, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_inbox_by_agent on state.agent_inbox (project_id, agent_id, status, created_at, seq);
      create index if not exists tuckbox_inbox_by_agent_type on state.agent_inbox (project_id, agent_id, message_type, status, created_at, seq);
      create index if not exists tuckbox_inbox_by_status on state.agent_inbox (project_id, status, created_at, seq);
      create index if not exists tuckbox_inbox_by_processed on state.agent_inbox (project_id, status, processed_at);
      create index if not exists tuckbox_inbox_by_retry on state.agent_inbox (project_id, agent_id, status, next_retry_at, created_at);
      create index if not exists tuckbox_inbox_by_turn on state.agent_inbox (project_id, agent_id, agent_turn_id, created_at, seq);
      create index if not exists tuckbox_inbox_queue on state.agent_inbox (project_id, agent_id, status, message_type, seq);
      create index if not exists tuckbox_inbox_in_order on state.agent_inbox (project_id, agent_id, status, seq);
      create index if not exists tuckbox_inbox_of_turn on state.agent_inbox (project_id, agent_turn_id, seq);
    end if;
    drop trigger if exists tuckbox_row_changed on state.agent_inbox;
    create trigger tuckbox_row_changed before update on state.agent_inbox
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('tuckbox_agent_queues') is null then
      create table tuckbox_agent_queues (project_id text not null, agent_id text not null, last_seq bigint, last_epoch bigint, active_agent_turn_id text, output_box_id text, channel_id text, status text, tuckbox_version text, primary key (project_id, agent_id));
      create index if not exists tuckbox_agent_queues_by_status on tuckbox_agent_queues (project_id, status, agent_id);
    else
      alter table tuckbox_agent_queues add column if not exists agent_id text, add column if not exists last_seq bigint, add column if not exists last_epoch bigint, add column if not exists active_agent_turn_id text, add column if not exists output_box_id text, add column if not exists channel_id text, add column if not exists status text, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_agent_queues_by_status on tuckbox_agent_queues (project_id, status, agent_id);
    end if;
    drop trigger if exists tuckbox_row_changed on tuckbox_agent_queues;
    create trigger tuckbox_row_changed before update on tuckbox_agent_queues
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('state.execution_edges') is null then
      create table state.execution_edges (project_id text not null, edge_id text not null, channel_id text, primitive text, edge_phase text, source_agent_id text, source_agent_turn_id text, source_step_id text, target_agent_id text, target_agent_turn_id text, correlation_id text, enqueue_mode text, recursion_depth bigint, trace_id text, parent_step_id text, metadata jsonb, created_at timestamptz, seq bigint, tuckbox_version text, primary key (project_id, edge_id));
      create index if not exists tuckbox_execution_edges_by_correlation on state.execution_edges (project_id, correlation_id, edge_phase, created_at, seq);
      create unique index if not exists tuckbox_execution_edges_by_primitive on state.execution_edges (project_id, correlation_id, primitive, edge_phase);
      create index if not exists tuckbox_execution_edges_by_source on state.execution_edges (project_id, source_agent_id, created_at, seq);
      create index if not exists tuckbox_execution_edges_by_target on state.execution_edges (project_id, target_agent_id, created_at, seq);
      create index if not exists tuckbox_execution_edges_by_trace on state.execution_edges (project_id, trace_id, created_at, seq);
    else
      alter table state.execution_edges add column if not exists edge_id text, add column if not exists channel_id text, add column if not exists primitive text, add column if not exists edge_phase text, add column if not exists source_agent_id text, add column if not exists source_agent_turn_id text, add column if not exists source_step_id text, add column if not exists target_agent_id text, add column if not exists target_agent_turn_id text, add column if not exists correlation_id text, add column if not exists enqueue_mode text, add column if not exists recursion_depth bigint, add column if not exists trace_id text, add column if not exists parent_step_id text, add column if not exists metadata jsonb, add column if not exists created_at timestamptz, add column if not exists seq bigint, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_execution_edges_by_source on state.execution_edges (project_id, source_agent_id, created_at, seq);
      create index if not exists tuckbox_execution_edges_by_target on state.execution_edges (project_id, target_agent_id, created_at, seq);
      create index if not exists tuckbox_execution_edges_by_trace on state.execution_edges (project_id, trace_id, created_at, seq);
    end if;
    drop trigger if exists tuckbox_row_changed on state.execution_edges;
    create trigger tuckbox_row_changed before update on state.execution_edges
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('state.identity_edges') is null then
      create table state.identity_edges (project_id text not null, edge_id text not null, channel_id text, action text, source_agent_id text, target_agent_id text, trace_id text, parent_step_id text, metadata jsonb, created_at timestamptz, seq bigint, tuckbox_version text, primary key (project_id, edge_id));
      create index if not exists tuckbox_identity_edges_by_target on state.identity_edges (project_id, target_agent_id, created_at, seq);
      create index if not exists tuckbox_identity_edges_by_source on state.identity_edges (project_id, source_agent_id, created_at, seq);
    else
      alter table state.identity_edges add column if not exists edge_id text, add column if not exists channel_id text, add column if not exists action text, add column if not exists source_agent_id text, add column if not exists target_agent_id text, add column if not exists trace_id text, add column if not exists parent_step_id text, add column if not exists metadata jsonb, add column if not exists created_at timestamptz, add column if not exists seq bigint, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_identity_edges_by_target on state.identity_edges (project_id, target_agent_id, created_at, seq);
      create index if not exists tuckbox_identity_edges_by_source on state.identity_edges (project_id, source_agent_id, created_at, seq);
    end if;
    drop trigger if exists tuckbox_row_changed on state.identity_edges;
    create trigger tuckbox_row_changed before update on state.identity_edges
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('state.turn_waiting_tools') is null then
      create table state.turn_waiting_tools (project_id text not null, agent_id text not null, agent_turn_id text not null, turn_epoch bigint not null, tool_call_id text not null, step_id text, tool_name text, wait_status text, tool_result_card_id text, received_at timestamptz, applied_at timestamptz, created_at timestamptz, updated_at timestamptz, seq bigint, tuckbox_version text, primary key (project_id, agent_id, agent_turn_id, turn_epoch, tool_call_id));
      create index if not exists tuckbox_waiting_tools_by_turn on state.turn_waiting_tools (project_id, agent_id, agent_turn_id, turn_epoch, seq, created_at);
      create index if not exists tuckbox_waiting_tools_by_agent on state.turn_waiting_tools (project_id, agent_id, created_at, seq);
      create index if not exists tuckbox_waiting_tools_by_status on state.turn_waiting_tools (project_id, wait_status, created_at, seq);
    else
      alter table state.turn_waiting_tools add column if not exists agent_id text, add column if not exists agent_turn_id text, add column if not exists turn_epoch bigint, add column if not exists tool_call_id text, add column if not exists step_id text, add column if not exists tool_name text, add column if not exists wait_status text, add column if not exists tool_result_card_id text, add column if not exists received_at timestamptz, add column if not exists applied_at timestamptz, add column if not exists created_at timestamptz, add column if not exists updated_at timestamptz, add column if not exists seq bigint, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_waiting_tools_by_turn on state.turn_waiting_tools (project_id, agent_id, agent_turn_id, turn_epoch, seq, created_at);
      create index if not exists tuckbox_waiting_tools_by_agent on state.turn_waiting_tools (project_id, agent_id, created_at, seq);
      create index if not exists tuckbox_waiting_tools_by_status on state.turn_waiting_tools (project_id, wait_status, created_at, seq);
    end if;
    drop trigger if exists tuckbox_row_changed on state.turn_waiting_tools;
    create trigger tuckbox_row_changed before update on state.turn_waiting_tools
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('state.turn_resume_ledger') is null then
      create table state.turn_resume_ledger (project_id text not null, agent_id text not null, agent_turn_id text not null, turn_epoch bigint not null, tool_call_id text not null, tool_result_card_id text not null, status text, attempt_count bigint, next_retry_at timestamptz, lease_owner text, lease_expires_at timestamptz, last_error text, payload jsonb, created_at timestamptz, updated_at timestamptz, tuckbox_version text, primary key (project_id, agent_id, agent_turn_id, turn_epoch, tool_call_id, tool_result_card_id));
      create index if not exists tuckbox_resume_ledger_by_turn on state.turn_resume_ledger (project_id, agent_id, agent_turn_id, turn_epoch, created_at);
      create index if not exists tuckbox_resume_ledger_by_status on state.turn_resume_ledger (project_id, status, next_retry_at);
      create index if not exists tuckbox_resume_ledger_by_lease on state.turn_resume_ledger (project_id, status, lease_expires_at);
    else
      alter table state.turn_resume_ledger add column if not exists agent_id text, add column if not exists agent_turn_id text, add column if not exists turn_epoch bigint, add column if not exists tool_call_id text, add column if not exists tool_result_card_id text, add column if not exists status text, add column if not exists attempt_count bigint, add column if not exists next_retry_at timestamptz, add column if not exists lease_owner text, add column if not exists lease_expires_at timestamptz, add column if not exists last_error text, add column if not exists payload jsonb, add column if not exists created_at timestamptz, add column if not exists updated_at timestamptz, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_resume_ledger_by_turn on state.turn_resume_ledger (project_id, agent_id, agent_turn_id, turn_epoch, created_at);
      create index if not exists tuckbox_resume_ledger_by_status on state.turn_resume_ledger (project_id, status, next_retry_at);
      create index if not exists tuckbox_resume_ledger_by_lease on state.turn_resume_ledger (project_id, status, lease_expires_at);
    end if;
    drop trigger if exists tuckbox_row_changed on state.turn_resume_ledger;
    create trigger tuckbox_row_changed before update on state.turn_resume_ledger
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('state.agent_steps') is null then
      create table state.agent_steps (project_id text not null, agent_id text not null, step_id text not null, agent_turn_id text, channel_id text, parent_step_id text, trace_id text, status text, profile_box_id text, context_box_id text, output_box_id text, request_box_id text, api_log_id bigint, tool_call_ids jsonb, error text, metadata jsonb, started_at timestamptz, ended_at timestamptz, seq bigint, outcome text, tuckbox_version text, primary key (project_id, agent_id, step_id));
      create index if not exists tuckbox_steps_by_turn on state.agent_steps (project_id, agent_id, agent_turn_id, started_at, seq);
    else
      alter table state.agent_steps add column if not exists agent_id text, add column if not exists step_id text, add column if not exists agent_turn_id text, add column if not exists channel_id text, add column if not exists parent_step_id text, add column if not exists trace_id text, add column if not exists status text, add column if not exists profile_box_id text, add column if not exists context_box_id text, add column if not exists output_box_id text, add column if not exists request_box_id text, add column if not exists api_log_id bigint, add column if not exists tool_call_ids jsonb, add column if not exists error text, add column if not exists metadata jsonb, add column if not exists started_at timestamptz, add column if not exists ended_at timestamptz, add column if not exists seq bigint, add column if not exists outcome text, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_steps_by_turn on state.agent_steps (project_id, agent_id, agent_turn_id, started_at, seq);
    end if;
    drop trigger if exists tuckbox_row_changed on state.agent_steps;
    create trigger tuckbox_row_changed before update on state.agent_steps
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('tuckbox_step_cards') is null then
      create table tuckbox_step_cards (project_id text not null, card_id text not null, step_id text, tool_call_id text, card_type text, created_at timestamptz, seq bigint, calls boolean, status text, after_execution text, tuckbox_version text, primary key (project_id, card_id));
      create index if not exists tuckbox_step_cards_by_step on tuckbox_step_cards (project_id, step_id, created_at, seq);
      create index if not exists tuckbox_step_cards_by_call on tuckbox_step_cards (project_id, tool_call_id, created_at, seq);
    else
      alter table tuckbox_step_cards add column if not exists card_id text, add column if not exists step_id text, add column if not exists tool_call_id text, add column if not exists card_type text, add column if not exists created_at timestamptz, add column if not exists seq bigint, add column if not exists calls boolean, add column if not exists status text, add column if not exists after_execution text, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_step_cards_by_step on tuckbox_step_cards (project_id, step_id, created_at, seq);
      create index if not exists tuckbox_step_cards_by_call on tuckbox_step_cards (project_id, tool_call_id, created_at, seq);
    end if;
    drop trigger if exists tuckbox_row_changed on tuckbox_step_cards;
    create trigger tuckbox_row_changed before update on tuckbox_step_cards
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('state.pmo_batches') is null then
      create table state.pmo_batches (project_id text not null, batch_id text not null, parent_agent_id text, parent_agent_turn_id text, parent_tool_call_id text, parent_turn_epoch bigint, parent_channel_id text, task_count bigint, status text, deadline_at timestamptz, metadata jsonb, created_at timestamptz, updated_at timestamptz, open_count bigint, events bigint, tuckbox_version text, primary key (project_id, batch_id));
      create index if not exists tuckbox_batches_by_status on state.pmo_batches (project_id, status, created_at);
      create index if not exists tuckbox_batches_by_deadline on state.pmo_batches (project_id, status, deadline_at);
      create index if not exists tuckbox_batches_by_parent on state.pmo_batches (project_id, parent_agent_id, parent_agent_turn_id, created_at);
    else
      alter table state.pmo_batches add column if not exists batch_id text, add column if not exists parent_agent_id text, add column if not exists parent_agent_turn_id text, add column if not exists parent_tool_call_id text, add column if not exists parent_turn_epoch bigint, add column if not exists parent_channel_id text, add column if not exists task_count bigint, add column if not exists status text, add column if not exists deadline_at timestamptz, add column if not exists metadata jsonb, add column if not exists created_at timestamptz, add column if not exists updated_at timestamptz, add column if not exists open_count bigint, add column if not exists events bigint, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_batches_by_status on state.pmo_batches (project_id, status, created_at);
      create index if not exists tuckbox_batches_by_deadline on state.pmo_batches (project_id, status, deadline_at);
      create index if not exists tuckbox_batches_by_parent on state.pmo_batches (project_id, parent_agent_id, parent_agent_turn_id, created_at);
    end if;
    drop trigger if exists tuckbox_row_changed on state.pmo_batches;
    create trigger tuckbox_row_changed before update on state.pmo_batches
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('state.pmo_batch_tasks') is null then
      create table state.pmo_batch_tasks (project_id text not null, batch_task_id text not null, batch_id text, agent_id text, status text, retryable boolean, next_retry_at timestamptz, attempt_count bigint, current_agent_turn_id text, current_turn_epoch bigint, payload_hash text, profile_box_id text, context_box_id text, output_box_id text, error_box_id text, error_detail text, metadata jsonb, created_at timestamptz, updated_at timestamptz, seq bigint, tuckbox_version text, primary key (project_id, batch_task_id));
      create index if not exists tuckbox_batch_tasks_by_batch on state.pmo_batch_tasks (project_id, batch_id, created_at, seq);
      create index if not exists tuckbox_batch_tasks_by_status on state.pmo_batch_tasks (project_id, status, next_retry_at, created_at, seq);
      create index if not exists tuckbox_batch_tasks_by_age on state.pmo_batch_tasks (project_id, status, updated_at, created_at, seq);
      create index if not exists tuckbox_batch_tasks_by_turn on state.pmo_batch_tasks (project_id, current_agent_turn_id, created_at, seq);
    else
      alter table state.pmo_batch_tasks add column if not exists batch_task_id text, add column if not exists batch_id text, add column if not exists agent_id text, add column if not exists status text, add column if not exists retryable boolean, add column if not exists next_retry_at timestamptz, add column if not exists attempt_count bigint, add column if not exists current_agent_turn_id text, add column if not exists current_turn_epoch bigint, add column if not exists payload_hash text, add column if not exists profile_box_id text, add column if not exists context_box_id text, add column if not exists output_box_id text, add column if not exists error_box_id text, add column if not exists error_detail text, add column if not exists metadata jsonb, add column if not exists created_at timestamptz, add column if not exists updated_at timestamptz, add column if not exists seq bigint, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_batch_tasks_by_batch on state.pmo_batch_tasks (project_id, batch_id, created_at, seq);
      create index if not exists tuckbox_batch_tasks_by_status on state.pmo_batch_tasks (project_id, status, next_retry_at, created_at, seq);
      create index if not exists tuckbox_batch_tasks_by_age on state.pmo_batch_tasks (project_id, status, updated_at, created_at, seq);
      create index if not exists tuckbox_batch_tasks_by_turn on state.pmo_batch_tasks (project_id, current_agent_turn_id, created_at, seq);
    end if;
    drop trigger if exists tuckbox_row_changed on state.pmo_batch_tasks;
    create trigger tuckbox_row_changed before update on state.pmo_batch_tasks
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('tuckbox_outbox') is null then
      create table tuckbox_outbox (project_id text not null, message_id text not null, subject text, payload jsonb, headers jsonb, core boolean, status text, attempt_count bigint, next_retry_at timestamptz, last_error text, created_at timestamptz, sent_at timestamptz, seq bigint, tuckbox_version text, primary key (project_id, message_id));
      create index if not exists tuckbox_outbox_by_status on tuckbox_outbox (project_id, status, created_at, seq);
      create index if not exists tuckbox_outbox_by_retry on tuckbox_outbox (project_id, status, next_retry_at, created_at, seq);
    else
      alter table tuckbox_outbox add column if not exists message_id text, add column if not exists subject text, add column if not exists payload jsonb, add column if not exists headers jsonb, add column if not exists core boolean, add column if not exists status text, add column if not exists attempt_count bigint, add column if not exists next_retry_at timestamptz, add column if not exists last_error text, add column if not exists created_at timestamptz, add column if not exists sent_at timestamptz, add column if not exists seq bigint, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_outbox_by_status on tuckbox_outbox (project_id, status, created_at, seq);
      create index if not exists tuckbox_outbox_by_retry on tuckbox_outbox (project_id, status, next_retry_at, created_at, seq);
    end if;
    drop trigger if exists tuckbox_row_changed on tuckbox_outbox;
    create trigger tuckbox_row_changed before update on tuckbox_outbox
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('resource.project_agents') is null then
      create table resource.project_agents (project_id text not null, agent_id text not null, profile_box_id text, worker_target text, tags jsonb, display_name text, owner_agent_id text, status text, metadata jsonb, created_at timestamptz, last_seen_at timestamptz, in_roster boolean, state jsonb, pointers jsonb, tuckbox_version text, primary key (project_id, agent_id));
      create index if not exists tuckbox_project_agents_all on resource.project_agents (project_id, agent_id);
      create index if not exists tuckbox_project_agents_by_profile on resource.project_agents (project_id, profile_box_id, agent_id);
      create index if not exists tuckbox_project_agents_by_owner on resource.project_agents (project_id, owner_agent_id, agent_id);
    else
      alter table resource.project_agents add column if not exists agent_id text, add column if not exists profile_box_id text, add column if not exists worker_target text, add column if not exists tags jsonb, add column if not exists display_name text, add column if not exists owner_agent_id text, add column if not exists status text, add column if not exists metadata jsonb, add column if not exists created_at timestamptz, add column if not exists last_seen_at timestamptz, add column if not exists in_roster boolean, add column if not exists state jsonb, add column if not exists pointers jsonb, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_project_agents_all on resource.project_agents (project_id, agent_id);
      create index if not exists tuckbox_project_agents_by_profile on resource.project_agents (project_id, profile_box_id, agent_id);
      create index if not exists tuckbox_project_agents_by_owner on resource.project_agents (project_id, owner_agent_id, agent_id);
    end if;
    drop trigger if exists tuckbox_row_changed on resource.project_agents;
    create trigger tuckbox_row_changed before update on resource.project_agents
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('resource.profiles') is null then
      create table resource.profiles (project_id text not null, name text not null, profile_box_id text, worker_target text, tags jsonb, delegation_policy jsonb, system_prompt_compiled text, updated_at timestamptz, tuckbox_version text, name_key text collate "C", primary key (project_id, name_key));
      create index if not exists tuckbox_project_profiles_all on resource.profiles (project_id, name);
      create index if not exists tuckbox_project_profiles_by_box on resource.profiles (project_id, profile_box_id, name);
    else
      alter table resource.profiles add column if not exists name text, add column if not exists profile_box_id text, add column if not exists worker_target text, add column if not exists tags jsonb, add column if not exists delegation_policy jsonb, add column if not exists system_prompt_compiled text, add column if not exists updated_at timestamptz, add column if not exists tuckbox_version text, add column if not exists name_key text collate "C";
      create index if not exists tuckbox_project_profiles_all on resource.profiles (project_id, name);
      create index if not exists tuckbox_project_profiles_by_box on resource.profiles (project_id, profile_box_id, name);
    end if;
    drop trigger if exists tuckbox_row_changed on resource.profiles;
    create trigger tuckbox_row_changed before update on resource.profiles
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('resource.tools') is null then
      create table resource.tools (project_id text not null, tool_name text not null, description text, parameters jsonb, target_subject text, after_execution text, options jsonb, tuckbox_version text, primary key (project_id, tool_name));
      create index if not exists tuckbox_project_tools_all on resource.tools (project_id, tool_name);
    else
      alter table resource.tools add column if not exists tool_name text, add column if not exists description text, add column if not exists parameters jsonb, add column if not exists target_subject text, add column if not exists after_execution text, add column if not exists options jsonb, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_project_tools_all on resource.tools (project_id, tool_name);
    end if;
    drop trigger if exists tuckbox_row_changed on resource.tools;
    create trigger tuckbox_row_changed before update on resource.tools
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    if to_regclass('tuckbox_audit') is null then
      create table tuckbox_audit (project_id text not null, audit_id text not null, at timestamptz, action text, actor_id text, subject text, operation_id text, data jsonb, seq bigint, tuckbox_version text, primary key (project_id, audit_id));
      create index if not exists tuckbox_audit_all on tuckbox_audit (project_id, at, seq);
      create index if not exists tuckbox_audit_by_subject on tuckbox_audit (project_id, subject, at, seq);
      create index if not exists tuckbox_audit_by_actor on tuckbox_audit (project_id, actor_id, at, seq);
    else
      alter table tuckbox_audit add column if not exists audit_id text, add column if not exists at timestamptz, add column if not exists action text, add column if not exists actor_id text, add column if not exists subject text, add column if not exists operation_id text, add column if not exists data jsonb, add column if not exists seq bigint, add column if not exists tuckbox_version text;
      create index if not exists tuckbox_audit_all on tuckbox_audit (project_id, at, seq);
      create index if not exists tuckbox_audit_by_subject on tuckbox_audit (project_id, subject, at, seq);
      create index if not exists tuckbox_audit_by_actor on tuckbox_audit (project_id, actor_id, at, seq);
    end if;
    drop trigger if exists tuckbox_row_changed on tuckbox_audit;
    create trigger tuckbox_row_changed before update on tuckbox_audit
      for each row when (new.tuckbox_version is not distinct from old.tuckbox_version) execute function tuckbox_row_changed();

    create or replace function tuckbox_version_4(project text, place text, key jsonb, folded text, strong boolean) returns jsonb language plpgsql as $version$
    declare
      version jsonb;
      n bigint;
    begin
      case place
      when 'boxes' then
        select to_jsonb(b.version) into version from card_boxes b
          where b.tenant_id = project and b.deleted_at is null and b.box_id = (jsonb_populate_record(null::card_boxes, jsonb_build_object('box_id', key->>0))).box_id for share;
      when 'cards' then
        select to_jsonb(case when c.deleted_at is null then 'live' else 'deleted' end) into version from cards c
          where c.tenant_id = project and c.card_id = key->>0 for share;
      when 'files' then
        select '"live"'::jsonb into version from tuckbox_files f where f.tenant_id = project and f.path = key->>0;
      when 'directories' then
        select count(*) into n from tuckbox_files f
          where f.tenant_id = project and f.path > (key->>0) || '/' and f.path < (key->>0) || '0';
        if n > 0 then
          version := to_jsonb(n);
        end if;
      when 'agents' then
        if strong then
          perform from resource.project_agents r where r.project_id = project and r.agent_id = key->>0 for update;
        else
          perform from resource.project_agents r where r.project_id = project and r.agent_id = key->>0 for share;
        end if;
        if strong then
          perform from state.agent_state_head r where r.project_id = project and r.agent_id = key->>0 for update;
        else
          perform from state.agent_state_head r where r.project_id = project and r.agent_id = key->>0 for share;
        end if;
        if strong then
          perform from state.agent_state_pointers r where r.project_id = project and r.agent_id = key->>0 for update;
        else
          perform from state.agent_state_pointers r where r.project_id = project and r.agent_id = key->>0 for share;
        end if;
        select to_jsonb(encode(substr(sha256(convert_to((jsonb_build_object('agent_id', key->>0, 'in_roster', a.agent_id is not null and coalesce(a.in_roster, true), 'profile_box_id', a.profile_box_id::text, 'display_name', a.display_name, 'tags', coalesce(a.tags, '[]'), 'worker_target', a.worker_target, 'state', case when h.agent_id is null then a.state else jsonb_build_object('status', coalesce(h.status, ''), 'profile_box_id', h.profile_box_id::text, 'context_box_id', h.context_box_id::text, 'output_box_id', h.output_box_id::text) end, 'pointers', case when p.agent_id is null then a.pointers else jsonb_build_object('last_output_box_id', p.last_output_box_id::text, 'memory_context_box_id', p.memory_context_box_id::text) end))::text, 'UTF8')), 1, 16), 'hex')) into version
          from (select 1) one
          left join resource.project_agents a on a.project_id = project and a.agent_id = key->>0
          left join state.agent_state_head h on h.project_id = project and h.agent_id = key->>0
          left join state.agent_state_pointers p on p.project_id = project and p.agent_id = key->>0
          where coalesce(a.agent_id, h.agent_id, p.agent_id) is not null;
      when 'profiles' then
        if strong then
          perform from resource.profiles r where r.project_id = project and coalesce(r.name_key, lower(r.name)) = folded for update;
        else
          perform from resource.profiles r where r.project_id = project and coalesce(r.name_key, lower(r.name)) = folded for share;
        end if;
        select to_jsonb(encode(substr(sha256(convert_to((jsonb_build_object('name', r.name, 'profile_box_id', r.profile_box_id::text, 'tags', coalesce(r.tags, '[]'), 'worker_target', r.worker_target, 'delegation_policy', r.delegation_policy))::text, 'UTF8')), 1, 16), 'hex')) into version from resource.profiles r
          where r.project_id = project and coalesce(r.name_key, lower(r.name)) = folded order by r.name collate "C" limit 1;
      when 'profiles_by_box' then
        if strong then
          perform from resource.profiles r where r.project_id = project and r.profile_box_id::text = key->>0 for update;
        else
          perform from resource.profiles r where r.project_id = project and r.profile_box_id::text = key->>0 for share;
        end if;
        select to_jsonb(encode(substr(sha256(convert_to((jsonb_build_object('name', r.name, 'profile_box_id', r.profile_box_id::text, 'tags', coalesce(r.tags, '[]'), 'worker_target', r.worker_target, 'delegation_policy', r.delegation_policy))::text, 'UTF8')), 1, 16), 'hex')) into version from resource.profiles r
          where r.project_id = project and r.profile_box_id::text = key->>0 order by r.name collate "C" limit 1;
      when 'heads' then
        if strong then
          perform from state.agent_state_head r where r.project_id = project and r.agent_id::text = key->>0 for update;
        else
          perform from state.agent_state_head r where r.project_id = project and r.agent_id::text = key->>0 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from state.agent_state_head r where r.project_id = project and r.agent_id::text = key->>0 limit 1;
      when 'box_turns' then
        if strong then
          perform from tuckbox_box_turns r where r.project_id = project and r.box_id::text = key->>0 for update;
        else
          perform from tuckbox_box_turns r where r.project_id = project and r.box_id::text = key->>0 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from tuckbox_box_turns r where r.project_id = project and r.box_id::text = key->>0 limit 1;
      when 'turn_views' then
        if strong then
          perform from tuckbox_turn_views r where r.project_id = project and r.view_id::text = key->>0 for update;
        else
          perform from tuckbox_turn_views r where r.project_id = project and r.view_id::text = key->>0 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from tuckbox_turn_views r where r.project_id = project and r.view_id::text = key->>0 limit 1;
      when 'pointers' then
        if strong then
          perform from state.agent_state_pointers r where r.project_id = project and r.agent_id::text = key->>0 for update;
        else
          perform from state.agent_state_pointers r where r.project_id = project and r.agent_id::text = key->>0 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from state.agent_state_pointers r where r.project_id = project and r.agent_id::text = key->>0 limit 1;
      when 'inbox' then
        if strong then
          perform from state.agent_inbox r where r.project_id = project and r.inbox_id::text = key->>0 for update;
        else
          perform from state.agent_inbox r where r.project_id = project and r.inbox_id::text = key->>0 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from state.agent_inbox r where r.project_id = project and r.inbox_id::text = key->>0 limit 1;
      when 'agent_queues' then
        if strong then
          perform from tuckbox_agent_queues r where r.project_id = project and r.agent_id::text = key->>0 for update;
        else
          perform from tuckbox_agent_queues r where r.project_id = project and r.agent_id::text = key->>0 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from tuckbox_agent_queues r where r.project_id = project and r.agent_id::text = key->>0 limit 1;
      when 'execution_edges' then
        if strong then
          perform from state.execution_edges r where r.project_id = project and r.edge_id::text = key->>0 for update;
        else
          perform from state.execution_edges r where r.project_id = project and r.edge_id::text = key->>0 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from state.execution_edges r where r.project_id = project and r.edge_id::text = key->>0 limit 1;
      when 'identity_edges' then
        if strong then
          perform from state.identity_edges r where r.project_id = project and r.edge_id::text = key->>0 for update;
        else
          perform from state.identity_edges r where r.project_id = project and r.edge_id::text = key->>0 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from state.identity_edges r where r.project_id = project and r.edge_id::text = key->>0 limit 1;
      when 'waiting_tools' then
        if strong then
          perform from state.turn_waiting_tools r where r.project_id = project and r.agent_id::text = key->>0 and r.agent_turn_id::text = key->>1 and r.turn_epoch = (key->>2)::bigint and r.tool_call_id::text = key->>3 for update;
        else
          perform from state.turn_waiting_tools r where r.project_id = project and r.agent_id::text = key->>0 and r.agent_turn_id::text = key->>1 and r.turn_epoch = (key->>2)::bigint and r.tool_call_id::text = key->>3 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from state.turn_waiting_tools r where r.project_id = project and r.agent_id::text = key->>0 and r.agent_turn_id::text = key->>1 and r.turn_epoch = (key->>2)::bigint and r.tool_call_id::text = key->>3 limit 1;
      when 'resume_ledger' then
        if strong then
          perform from state.turn_resume_ledger r where r.project_id = project and r.agent_id::text = key->>0 and r.agent_turn_id::text = key->>1 and r.turn_epoch = (key->>2)::bigint and r.tool_call_id::text = key->>3 and r.tool_result_card_id::text = key->>4 for update;
        else
          perform from state.turn_resume_ledger r where r.project_id = project and r.agent_id::text = key->>0 and r.agent_turn_id::text = key->>1 and r.turn_epoch = (key->>2)::bigint and r.tool_call_id::text = key->>3 and r.tool_result_card_id::text = key->>4 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from state.turn_resume_ledger r where r.project_id = project and r.agent_id::text = key->>0 and r.agent_turn_id::text = key->>1 and r.turn_epoch = (key->>2)::bigint and r.tool_call_id::text = key->>3 and r.tool_result_card_id::text = key->>4 limit 1;
      when 'steps' then
        if strong then
          perform from state.agent_steps r where r.project_id = project and r.agent_id::text = key->>0 and r.step_id::text = key->>1 for update;
        else
          perform from state.agent_steps r where r.project_id = project and r.agent_id::text = key->>0 and r.step_id::text = key->>1 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from state.agent_steps r where r.project_id = project and r.agent_id::text = key->>0 and r.step_id::text = key->>1 limit 1;
      when 'step_cards' then
        if strong then
          perform from tuckbox_step_cards r where r.project_id = project and r.card_id::text = key->>0 for update;
        else
          perform from tuckbox_step_cards r where r.project_id = project and r.card_id::text = key->>0 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from tuckbox_step_cards r where r.project_id = project and r.card_id::text = key->>0 limit 1;
      when 'batches' then
        if strong then
          perform from state.pmo_batches r where r.project_id = project and r.batch_id::text = key->>0 for update;
        else
          perform from state.pmo_batches r where r.project_id = project and r.batch_id::text = key->>0 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from state.pmo_batches r where r.project_id = project and r.batch_id::text = key->>0 limit 1;
      when 'batch_tasks' then
        if strong then
          perform from state.pmo_batch_tasks r where r.project_id = project and r.batch_task_id::text = key->>0 for update;
        else
          perform from state.pmo_batch_tasks r where r.project_id = project and r.batch_task_id::text = key->>0 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from state.pmo_batch_tasks r where r.project_id = project and r.batch_task_id::text = key->>0 limit 1;
      when 'outbox' then
        if strong then
          perform from tuckbox_outbox r where r.project_id = project and r.message_id::text = key->>0 for update;
        else
          perform from tuckbox_outbox r where r.project_id = project and r.message_id::text = key->>0 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from tuckbox_outbox r where r.project_id = project and r.message_id::text = key->>0 limit 1;
      when 'project_agents' then
        if strong then
          perform from resource.project_agents r where r.project_id = project and r.agent_id::text = key->>0 for update;
        else
          perform from resource.project_agents r where r.project_id = project and r.agent_id::text = key->>0 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from resource.project_agents r where r.project_id = project and r.agent_id::text = key->>0 limit 1;
      when 'project_profiles' then
        if strong then
          perform from resource.profiles r where r.project_id = project and coalesce(r.name_key, lower(r.name)) = folded for update;
        else
          perform from resource.profiles r where r.project_id = project and coalesce(r.name_key, lower(r.name)) = folded for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from resource.profiles r where r.project_id = project and coalesce(r.name_key, lower(r.name)) = folded limit 1;
      when 'project_tools' then
        if strong then
          perform from resource.tools r where r.project_id = project and r.tool_name::text = key->>0 for update;
        else
          perform from resource.tools r where r.project_id = project and r.tool_name::text = key->>0 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from resource.tools r where r.project_id = project and r.tool_name::text = key->>0 limit 1;
      when 'audit' then
        if strong then
          perform from tuckbox_audit r where r.project_id = project and r.audit_id::text = key->>0 for update;
        else
          perform from tuckbox_audit r where r.project_id = project and r.audit_id::text = key->>0 for share;
        end if;
        select to_jsonb(coalesce(r.tuckbox_version, md5(to_jsonb(r)::text))) into version from tuckbox_audit r where r.project_id = project and r.audit_id::text = key->>0 limit 1;
      else
        raise exception 'there is no table %', place;
      end case;
      return version;
    end
    $version$;

    create or replace function tuckbox_put_4(project text, place text, key jsonb, after jsonb, version text, folded text, only_columns text[]) returns boolean language plpgsql as $put$
    declare
      spec jsonb := '{"heads":{"name":"state.agent_state_head","key":["agent_id"],"columns":["agent_id","status","active_agent_turn_id","active_channel_id","turn_epoch","active_recursion_depth","updated_at","parent_step_id","trace_id","profile_box_id","context_box_id","output_box_id","expecting_correlation_id","waiting_tool_count","resume_deadline","rung_at"]},"box_turns":{"name":"tuckbox_box_turns","key":["box_id"],"columns":["box_id","agent_id","agent_turn_id","taken_at"]},"turn_views":{"name":"tuckbox_turn_views","key":["view_id"],"columns":["view_id","agent_id","agent_turn_id","at","dialect","context_box_id","context_version","context_card_ids","output_box_id","output_version","output_card_ids","prompt_card_id","tools_card_id","profile","missing","tools_left_out","content_hash"]},"pointers":{"name":"state.agent_state_pointers","key":["agent_id"],"columns":["agent_id","memory_context_box_id","last_output_box_id","updated_at"]},"inbox":{"name":"state.agent_inbox","key":["inbox_id"],"columns":["inbox_id","agent_id","message_type","enqueue_mode","correlation_id","recursion_depth","traceparent","tracestate","trace_id","parent_step_id","source_agent_id","source_step_id","payload","status","processed_at","archived_at","created_at","channel_id","agent_turn_id","turn_epoch","context_headers","retry_count","next_retry_at","last_error","defer_reason","seq"]},"agent_queues":{"name":"tuckbox_agent_queues","key":["agent_id"],"columns":["agent_id","last_seq","last_epoch","active_agent_turn_id","output_box_id","channel_id","status"]},"execution_edges":{"name":"state.execution_edges","key":["edge_id"],"columns":["edge_id","channel_id","primitive","edge_phase","source_agent_id","source_agent_turn_id","source_step_id","target_agent_id","target_agent_turn_id","correlation_id","enqueue_mode","recursion_depth","trace_id","parent_step_id","metadata","created_at","seq"]},"identity_edges":{"name":"state.identity_edges","key":["edge_id"],"columns":["edge_id","channel_id","action","source_agent_id","target_agent_id","trace_id","parent_step_id","metadata","created_at","seq"]},"waiting_tools":{"name":"state.turn_waiting_tools","key":["agent_id","agent_turn_id","turn_epoch","tool_call_id"],"columns":["agent_id","agent_turn_id","turn_epoch","tool_call_id","step_id","tool_name","wait_status","tool_result_card_id","received_at","applied_at","created_at","updated_at","seq"]},"resume_ledger":{"name":"state.turn_resume_ledger","key":["agent_id","agent_turn_id","turn_epoch","tool_call_id","tool_result_card_id"],"columns":["agent_id","agent_turn_id","turn_epoch","tool_call_id","tool_result_card_id","status","attempt_count","next_retry_at","lease_owner","lease_expires_at","last_error","payload","created_at","updated_at"]},"steps":{"name":"state.agent_steps","key":["agent_id","step_id"],"columns":["agent_id","step_id","agent_turn_id","channel_id","parent_step_id","trace_id","status","profile_box_id","context_box_id","output_box_id","request_box_id","api_log_id","tool_call_ids","error","metadata","started_at","ended_at","seq","outcome"]},"step_cards":{"name":"tuckbox_step_cards","key":["card_id"],"columns":["card_id","step_id","tool_call_id","card_type","created_at","seq","calls","status","after_execution"]},"batches":{"name":"state.pmo_batches","key":["batch_id"],"columns":["batch_id","parent_agent_id","parent_agent_turn_id","parent_tool_call_id","parent_turn_epoch","parent_channel_id","task_count","status","deadline_at","metadata","created_at","updated_at","open_count","events"]},"batch_tasks":{"name":"state.pmo_batch_tasks","key":["batch_task_id"],"columns":["batch_task_id","batch_id","agent_id","status","retryable","next_retry_at","attempt_count","current_agent_turn_id","current_turn_epoch","payload_hash","profile_box_id","context_box_id","output_box_id","error_box_id","error_detail","metadata","created_at","updated_at","seq"]},"outbox":{"name":"tuckbox_outbox","key":["message_id"],"columns":["message_id","subject","payload","headers","core","status","attempt_count","next_retry_at","last_error","created_at","sent_at","seq"]},"project_agents":{"name":"resource.project_agents","key":["agent_id"],"columns":["agent_id","profile_box_id","worker_target","tags","display_name","owner_agent_id","status","metadata","created_at","last_seen_at","in_roster","state","pointers"]},"project_profiles":{"name":"resource.profiles","key":["name"],"columns":["name","profile_box_id","worker_target","tags","delegation_policy","system_prompt_compiled","updated_at"]},"project_tools":{"name":"resource.tools","key":["tool_name"],"columns":["tool_name","description","parameters","target_subject","after_execution","options"]},"audit":{"name":"tuckbox_audit","key":["audit_id"],"columns":["audit_id","at","action","actor_id","subject","operation_id","data","seq"]}}'::jsonb -> place;
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
    $put$;

    create or replace function tuckbox_commit_4(project text, batch_text text, folds_text text) returns text language plpgsql as $commit$
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
      one card_boxes.box_id%type;
      stale record;
    begin
      -- a second transaction with the same operation waits here for the first
      insert into tuckbox_operations (tenant_id, operation_id, applied_at, batch_hash)
        values (project, batch->>'operation_id', moment, hash) on conflict do nothing;
      if not found then
        select boxes, batch_hash into stale from tuckbox_operations
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
      if pg_typeof((null::card_boxes).box_id) = 'uuid'::regtype then
        select jsonb_build_object('fault', 'not_uuid', 'box_id', e->>'box_id')::text into fault
          from jsonb_array_elements(named) e
          where e->>'box_id' !~* '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' limit 1;
        if found then
          raise sqlstate 'TB409' using detail = fault;
        end if;
      end if;

      -- rows are locked in the order of their keys, which prevents deadlocks
      if exists (select from jsonb_array_elements(batch->'boxes') e where e->>'change' <> 'create') then
        perform from card_boxes b
          where b.tenant_id = project and b.box_id in (select k.box_id from jsonb_populate_recordset(null::card_boxes, named) k)
          order by b.box_id for update;
      else
        perform from card_boxes b
          where b.tenant_id = project and b.box_id in (select k.box_id from jsonb_populate_recordset(null::card_boxes, named) k)
          order by b.box_id for share;
      end if;
      select jsonb_object_agg(x.place || ' ' || x.key::text, tuckbox_version_4(project, x.place, x.key, folds->>(x.key->>0), x.strong)) into versions from (
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

      insert into cards (card_id, tenant_id, content, tool_calls, tool_call_id, ttl_seconds, expires_at, deleted_at, metadata, created_at)
        select c.card_id, project, c.content, c.tool_calls, c.tool_call_id, c.ttl_seconds, c.expires_at, c.deleted_at, c.metadata, moment
        from rows from (jsonb_to_recordset(batch->'cards') as (card_id text, content jsonb, tool_calls jsonb, tool_call_id text,
            ttl_seconds bigint, expires_at timestamptz, deleted_at timestamptz, metadata jsonb)) with ordinality
          as c (card_id, content, tool_calls, tool_call_id, ttl_seconds, expires_at, deleted_at, metadata, n)
        order by c.card_id, c.n
        on conflict do nothing;
      get diagnostics made = row_count;
      wanted := coalesce(jsonb_array_length(batch->'cards'), 0);
      if made < wanted then
        select jsonb_build_object('fault', 'taken', 'card_id', c.card_id)::text into fault
          from rows from (jsonb_to_recordset(batch->'cards') as (card_id text, content jsonb, tool_calls jsonb, tool_call_id text,
            ttl_seconds bigint, expires_at timestamptz, deleted_at timestamptz, metadata jsonb)) with ordinality
          as c (card_id, content, tool_calls, tool_call_id, ttl_seconds, expires_at, deleted_at, metadata, n)
          left join cards there on there.tenant_id = project and there.card_id = c.card_id
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
        perform from cards c
          where c.tenant_id = project and c.card_id in (select jsonb_array_elements_text(batch->'delete_cards'))
          order by c.card_id for update;
        update cards c set deleted_at = moment
          where c.tenant_id = project and c.deleted_at is null
            and c.card_id in (select jsonb_array_elements_text(batch->'delete_cards'));
      end if;

      insert into tuckbox_files (tenant_id, path, text, created_at)
        select project, f.path, f.text, moment
        from rows from (jsonb_to_recordset(batch->'files') as (path text, text text)) with ordinality as f (path, text, n)
        order by f.path collate "C", f.n
        on conflict do nothing;
      get diagnostics made = row_count;
      if made < coalesce(jsonb_array_length(batch->'files'), 0) then
        select jsonb_build_object('fault', 'other_text', 'path', f.path)::text into fault
          from rows from (jsonb_to_recordset(batch->'files') as (path text, text text)) with ordinality as f (path, text, n)
          join tuckbox_files there on there.tenant_id = project and there.path = f.path
          where there.text <> f.text collate "C"
          order by f.n limit 1;
        if found then
          raise sqlstate 'TB409' using detail = fault;
        end if;
      end if;

      for change in select e from jsonb_array_elements(batch->'agents') with ordinality x (e, n) order by e->>'agent_id', n loop
        change := change || jsonb_build_object('in_roster', coalesce(nullif(change->'in_roster', 'null'), 'true'));
        if not tuckbox_put_4(project, 'project_agents', jsonb_build_array(change->'agent_id'), change, batch->>'operation_id', null,
            '{agent_id,in_roster,profile_box_id,display_name,tags,worker_target,state,pointers}') then
          raise sqlstate 'TB409' using detail = jsonb_build_object('fault', 'row_taken', 'table', 'project_agents', 'key', jsonb_build_array(change->'agent_id'))::text;
        end if;
      end loop;

      for change in select e from jsonb_array_elements(batch->'boxes') e loop
        if change->>'change' = 'create' then
          insert into card_boxes (box_id, tenant_id, card_ids, parent_ids, version, deleted_at, created_at, updated_at)
            select k.box_id, project, coalesce(k.card_ids, '[]'), coalesce(k.parent_ids, '[]'), coalesce(k.version, 1), k.deleted_at, moment, moment
            from jsonb_populate_record(null::card_boxes, change->'box') k
            on conflict do nothing;
          if not found then
            raise sqlstate 'TB409' using detail = jsonb_build_object('fault', 'exists', 'box_id', change->'box'->>'box_id')::text;
          end if;
        else
          one := (jsonb_populate_record(null::card_boxes, jsonb_build_object('box_id', change->>'box_id'))).box_id;
          update card_boxes b set
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
            select b.version into stale from card_boxes b
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
        if not tuckbox_put_4(project, change->>'table', change->'key', change->'row', batch->>'operation_id', folds->>(change->'key'->>0), null) then
          raise sqlstate 'TB409' using detail = jsonb_build_object('fault', 'row_taken', 'table', change->>'table', 'key', change->'key')::text;
        end if;
      end loop;

      select coalesce(jsonb_agg(jsonb_build_object('box_id', ids.id, 'version', b.version) order by ids.n), '[]') into receipt
        from (
          select coalesce(e->'box'->>'box_id', e->>'box_id') as id, min(n) as n
          from jsonb_array_elements(batch->'boxes') with ordinality x (e, n) group by 1
        ) ids
        join card_boxes b on b.tenant_id = project and b.box_id = (jsonb_populate_record(null::card_boxes, jsonb_build_object('box_id', ids.id))).box_id;
      update tuckbox_operations set boxes = receipt
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
    $commit$;
    insert into tuckbox_schema (version) values (4);
  end if;
end
$migration$