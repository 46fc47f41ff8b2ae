//! The rows of orchestration, typed. [`table`] declares their tables.
//!
//! A store can return rows without the columns that the documented tables lack; no rule requires them.

pub(super) mod selections;
pub(super) mod status;

use crate::store::table::{self, Table};
use crate::value::json::{Json, Object};
use crate::{Error, Result, Timestamp};
use serde::Serialize;
use status::{
    BatchStatus, HeadStatus, InboxStatus, LedgerStatus, StepStatus, TaskStatus, WaitStatus,
};

/// The value of a column.
pub(crate) trait Column: Sized {
    /// Reads a value; a missing column is `null`.
    fn read(json: &Json) -> Option<Self>;
    /// Writes a value; the row omits `null`.
    fn write(&self) -> Json;
}

impl Column for String {
    fn read(json: &Json) -> Option<Self> {
        match json {
            Json::Null => Some(Self::new()),
            Json::String(text) => Some(text.clone()),
            Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => None,
        }
    }
    fn write(&self) -> Json {
        self.as_str().into()
    }
}

impl Column for i64 {
    fn read(json: &Json) -> Option<Self> {
        if json.is_null() { Some(0) } else { json.as_number()?.whole() }
    }
    fn write(&self) -> Json {
        (*self).into()
    }
}

impl Column for bool {
    fn read(json: &Json) -> Option<Self> {
        json.as_bool()
    }
    fn write(&self) -> Json {
        (*self).into()
    }
}

impl Column for Timestamp {
    fn read(json: &Json) -> Option<Self> {
        match json {
            Json::Null => Some(Self::default()),
            Json::String(text) => Self::parse(text),
            Json::Number(millis) => millis.whole().map(Self::from_millis),
            Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
        }
    }
    fn write(&self) -> Json {
        (*self).into()
    }
}

impl Column for Object {
    fn read(json: &Json) -> Option<Self> {
        if json.is_null() { Some(Self::default()) } else { json.as_object().cloned() }
    }
    fn write(&self) -> Json {
        Json::Object(self.clone())
    }
}

impl Column for Json {
    fn read(json: &Json) -> Option<Self> {
        Some(json.clone())
    }
    fn write(&self) -> Json {
        self.clone()
    }
}

impl<T: Column> Column for Option<T> {
    fn read(json: &Json) -> Option<Self> {
        if json.is_null() { Some(None) } else { T::read(json).map(Some) }
    }
    fn write(&self) -> Json {
        self.as_ref().map_or(Json::Null, T::write)
    }
}

/// A typed row of a table.
pub(crate) trait Row: Clone {
    /// The table.
    const TABLE: &'static Table;
    /// Reads a stored row.
    fn read(row: &Object) -> Result<Self>;
    /// Returns the row as a store keeps it.
    fn write(&self) -> Object;
}

/// A row that cannot be read.
///
/// The example of [`ListDue`](crate::run::ListDue) shows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct UnreadableRow {
    /// The table.
    pub table: String,
    /// The key.
    pub key: Vec<String>,
    /// Why it cannot be read.
    pub error: String,
}

macro_rules! rows {
    ($($(#[$doc:meta])* $row:ident in $table:ident { $($col:ident: $ty:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Default, PartialEq)]
            pub(crate) struct $row {
                $(pub $col: $ty,)*
            }

            impl Row for $row {
                const TABLE: &'static Table = &table::$table;
                fn read(row: &Object) -> Result<Self> {
                    let get = |name: &str| row.get(name).unwrap_or(&Json::Null);
                    Ok(Self {
                        $($col: Column::read(get(stringify!($col)))
                            .ok_or_else(|| wrong(Self::TABLE.name, stringify!($col), get(stringify!($col))))?,)*
                    })
                }
                fn write(&self) -> Object {
                    let mut row = Object::default();
                    $(
                        let value = self.$col.write();
                        if !value.is_null() {
                            row.insert(stringify!($col).to_owned(), value);
                        }
                    )*
                    row
                }
            }
        )*
    };
}

fn wrong(table: &str, column: &str, found: &Json) -> Error {
    Error::store(format!("column `{column}` of a row of `{table}` holds {}", found.kind()))
        .at(crate::Path::root().key(column))
}

rows! {
    /// An agent of the roster.
    Roster in PROJECT_AGENTS {
        agent_id: String,
        in_roster: Option<bool>,
        profile_box_id: Option<String>,
        worker_target: Option<String>,
        tags: Option<Json>,
        display_name: Option<String>,
        owner_agent_id: Option<String>,
        status: Option<String>,
        metadata: Object,
        created_at: Option<Timestamp>,
    }
    /// The head of an agent: the lease of its turn.
    Head in HEADS {
        agent_id: String,
        status: HeadStatus,
        active_agent_turn_id: Option<String>,
        active_channel_id: Option<String>,
        turn_epoch: i64,
        active_recursion_depth: i64,
        updated_at: Timestamp,
        parent_step_id: Option<String>,
        trace_id: Option<String>,
        profile_box_id: Option<String>,
        context_box_id: Option<String>,
        output_box_id: Option<String>,
        expecting_correlation_id: Option<String>,
        waiting_tool_count: i64,
        resume_deadline: Option<Timestamp>,
        rung_at: Option<Timestamp>,
    }
    /// *Own*: the turn that last used a box.
    BoxTurn in BOX_TURNS {
        box_id: String,
        agent_id: Option<String>,
        agent_turn_id: Option<String>,
        taken_at: Timestamp,
    }
    /// The boxes that an agent keeps between turns.
    Pointers in POINTERS {
        agent_id: String,
        memory_context_box_id: Option<String>,
        last_output_box_id: Option<String>,
        updated_at: Timestamp,
    }
    /// *Own*: the order of an agent's queue and its highest epoch. Every enqueue of a turn and every
    /// lease writes it, so that a call that relies on the queue conflicts.
    Queue in AGENT_QUEUES {
        agent_id: String,
        last_seq: i64,
        last_epoch: i64,
        active_agent_turn_id: Option<String>,
        output_box_id: Option<String>,
        channel_id: Option<String>,
        status: Option<String>,
    }
    /// A message to an agent.
    Inbox in INBOX {
        inbox_id: String,
        agent_id: String,
        message_type: String,
        enqueue_mode: Option<String>,
        correlation_id: Option<String>,
        recursion_depth: i64,
        traceparent: Option<String>,
        tracestate: Option<String>,
        trace_id: Option<String>,
        parent_step_id: Option<String>,
        source_agent_id: Option<String>,
        source_step_id: Option<String>,
        payload: Json,
        status: InboxStatus,
        processed_at: Option<Timestamp>,
        archived_at: Option<Timestamp>,
        created_at: Timestamp,
        seq: i64,
        agent_turn_id: Option<String>,
    }
    /// A request between agents, or its answer.
    Edge in EXECUTION_EDGES {
        edge_id: String,
        channel_id: Option<String>,
        primitive: String,
        edge_phase: String,
        source_agent_id: Option<String>,
        source_agent_turn_id: Option<String>,
        source_step_id: Option<String>,
        target_agent_id: Option<String>,
        target_agent_turn_id: Option<String>,
        correlation_id: String,
        enqueue_mode: Option<String>,
        recursion_depth: Option<i64>,
        trace_id: Option<String>,
        parent_step_id: Option<String>,
        metadata: Object,
        created_at: Timestamp,
        seq: i64,
    }
    /// A change of the roster.
    IdentityEdge in IDENTITY_EDGES {
        edge_id: String,
        channel_id: Option<String>,
        action: String,
        source_agent_id: Option<String>,
        target_agent_id: Option<String>,
        trace_id: Option<String>,
        parent_step_id: Option<String>,
        metadata: Object,
        created_at: Timestamp,
        seq: i64,
    }
    /// A tool call that a suspended turn waits for.
    Waiting in WAITING_TOOLS {
        agent_id: String,
        agent_turn_id: String,
        turn_epoch: i64,
        step_id: String,
        tool_call_id: String,
        tool_name: String,
        wait_status: WaitStatus,
        tool_result_card_id: Option<String>,
        received_at: Option<Timestamp>,
        applied_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
        seq: i64,
    }
    /// A result that arrived, and its state.
    Resumption in RESUME_LEDGER {
        agent_id: String,
        agent_turn_id: String,
        turn_epoch: i64,
        tool_call_id: String,
        tool_result_card_id: String,
        status: LedgerStatus,
        attempt_count: i64,
        next_retry_at: Timestamp,
        lease_owner: Option<String>,
        lease_expires_at: Option<Timestamp>,
        last_error: Option<String>,
        payload: Object,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
    /// A step of a turn.
    StepRow in STEPS {
        agent_id: String,
        step_id: String,
        agent_turn_id: String,
        channel_id: Option<String>,
        parent_step_id: Option<String>,
        trace_id: Option<String>,
        status: StepStatus,
        profile_box_id: Option<String>,
        context_box_id: Option<String>,
        output_box_id: Option<String>,
        error: Option<String>,
        metadata: Object,
        started_at: Timestamp,
        ended_at: Option<Timestamp>,
        outcome: Option<String>,
    }
    /// *Own*: a card of a step, so that a rule finds it without reading every card.
    StepCard in STEP_CARDS {
        card_id: String,
        step_id: Option<String>,
        tool_call_id: Option<String>,
        card_type: String,
        created_at: Timestamp,
        seq: i64,
        calls: Option<bool>,
        status: Option<String>,
        after_execution: Option<String>,
    }
    /// *Own*: what the model of a turn saw.
    View in TURN_VIEWS {
        view_id: String,
        at: Timestamp,
        prompt_card_id: Option<String>,
        tools_card_id: Option<String>,
    }
    /// Tasks that are dispatched together.
    Batch in BATCHES {
        batch_id: String,
        parent_agent_id: String,
        parent_agent_turn_id: String,
        parent_tool_call_id: String,
        parent_turn_epoch: i64,
        parent_channel_id: Option<String>,
        task_count: i64,
        status: BatchStatus,
        deadline_at: Option<Timestamp>,
        metadata: Object,
        created_at: Timestamp,
        updated_at: Timestamp,
        open_count: Option<i64>,
        events: Option<i64>,
    }
    /// One task of a batch.
    Task in BATCH_TASKS {
        batch_task_id: String,
        batch_id: String,
        agent_id: String,
        status: TaskStatus,
        retryable: Option<bool>,
        next_retry_at: Timestamp,
        attempt_count: i64,
        current_agent_turn_id: Option<String>,
        current_turn_epoch: Option<i64>,
        payload_hash: Option<String>,
        profile_box_id: Option<String>,
        context_box_id: Option<String>,
        output_box_id: Option<String>,
        error_box_id: Option<String>,
        error_detail: Option<String>,
        metadata: Object,
        created_at: Timestamp,
        updated_at: Timestamp,
        seq: i64,
    }
    /// A tool of the project.
    Tool in PROJECT_TOOLS {
        tool_name: String,
        after_execution: Option<String>,
    }
    /// *Own*: a message to send, written with the changes that it reports.
    Outgoing in OUTBOX {
        message_id: String,
        subject: String,
        payload: Json,
        headers: Option<Object>,
        core: Option<bool>,
        status: String,
        attempt_count: i64,
        next_retry_at: Option<Timestamp>,
        last_error: Option<String>,
        created_at: Timestamp,
        sent_at: Option<Timestamp>,
        seq: i64,
    }
}
