//! The tables of a project other than cards and boxes, declared as data.
//!
//! A row of a table is a JSON object. Its key columns identify it inside its project. Its version
//! is the operation id of the batch that last wrote it. An index selects rows and sorts them.
//!
//! To add a table or an index, add an entry here. [`Reads`](super::Reads),
//! [`Snapshot`](super::Snapshot), [`Writes`](super::Writes) and all stores use this list.
//!
//! ```
//! use tuckbox::store::table;
//!
//! let heads = table::named("heads").unwrap();
//! assert_eq!(heads.key, ["agent_id"]);
//! assert_eq!(heads.index("by_status").unwrap().order, ["updated_at"]);
//! ```

use crate::value::json::{Json, Object};
use serde::Serialize;
use std::cmp::Ordering;

/// The type of a column. Columns outside of the key can also be `null` or absent.
///
/// The example of [`Table`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ColumnType {
    /// Text.
    Text,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A timestamp in RFC 3339, in UTC with milliseconds.
    Time,
    /// Any JSON value.
    Json,
}

/// A column of a [`Table`].
///
/// The example of [`Table`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// The name of the column.
    pub name: &'static str,
    /// The type of the column.
    #[serde(rename = "type")]
    pub column_type: ColumnType,
}

/// An index of a [`Table`]: selects rows by columns other than the key.
///
/// ```
/// use tuckbox::store::table;
/// use tuckbox::json;
///
/// let by_status = table::HEADS.index("by_status").unwrap();
/// assert_eq!((by_status.of, by_status.order), (&["status"][..], &["updated_at"][..]));
/// let row = json!({"agent_id": "a1", "status": "idle"}).as_object().cloned().unwrap();
/// assert!(by_status.selects(&row, &["idle".to_owned()]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Index {
    /// The name, unique in the table.
    pub name: &'static str,
    /// The columns that select rows.
    pub of: &'static [&'static str],
    /// The columns that sort the selected rows: ascending, `null` last, then by key.
    pub order: &'static [&'static str],
    /// Whether at most one row can have the same values in `of`.
    ///
    /// Rows with `null` in one of them do not count.
    pub unique: bool,
}

/// A declared table. Tables with the same name are equal.
///
/// ```
/// use tuckbox::store::table::{self, ColumnType};
/// use tuckbox::json;
///
/// let row = json!({"agent_id": "a1", "status": "idle"}).as_object().cloned().unwrap();
/// assert_eq!(table::HEADS.key_of(&row), Some(vec!["a1".to_owned()]));
/// let epoch = table::HEADS.columns.iter().find(|column| column.name == "turn_epoch").unwrap();
/// assert_eq!(epoch.column_type, ColumnType::Integer);
/// ```
#[derive(Debug, Serialize)]
pub struct Table {
    /// The name on the wire.
    pub name: &'static str,
    /// The name in databases with the documented schema, if they have the table.
    pub documented: Option<&'static str>,
    /// The columns of the key, without the project, which is always a part of it.
    pub key: &'static [&'static str],
    /// All columns, those of the key first.
    pub columns: &'static [Column],
    /// The indexes of the table.
    pub indexes: &'static [Index],
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.name == other.name
    }
}

impl Eq for Table {}

impl Table {
    /// Returns the index with this name.
    pub fn index(&self, name: &str) -> Option<&'static Index> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// Returns the key of a row; `None` if a key column is absent or `null`.
    pub fn key_of(&self, row: &Object) -> Option<Vec<String>> {
        self.key.iter().map(|column| column_text(row, column)).collect()
    }
}

impl Index {
    /// Returns whether a row has the values `of` in the selecting columns.
    pub fn selects(&self, row: &Object, of: &[String]) -> bool {
        self.of.len() == of.len()
            && self
                .of
                .iter()
                .zip(of)
                .all(|(column, text)| column_text(row, column).as_ref() == Some(text))
    }

    /// Returns the values of the selecting columns; `None` if one is absent or `null`.
    pub fn values_of(&self, row: &Object) -> Option<Vec<String>> {
        self.of.iter().map(|column| column_text(row, column)).collect()
    }

    /// Compares two rows of `table`. Whole numbers come before other numbers.
    pub fn compare(&self, table: &Table, a: &Object, b: &Object) -> Ordering {
        let columns = self.order.iter().chain(table.key);
        let mut orders = columns.map(|column| compare(a.get(column), b.get(column)));
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}

/// Returns the value of a column as text for keys and selections.
///
/// Text stays verbatim; numbers and booleans are JSON text.
///
/// ```
/// use tuckbox::store::table::column_text;
/// use tuckbox::json;
///
/// let row = json!({"status": "idle", "turn_epoch": 3, "trace_id": null}).as_object().cloned().unwrap();
/// assert_eq!(column_text(&row, "status").as_deref(), Some("idle"));
/// assert_eq!(column_text(&row, "turn_epoch").as_deref(), Some("3"));
/// assert_eq!(column_text(&row, "trace_id"), None);
/// ```
pub fn column_text(row: &Object, column: &str) -> Option<String> {
    match row.get(column)? {
        Json::String(text) => Some(text.clone()),
        value @ (Json::Number(_) | Json::Bool(_)) => Some(value.to_string()),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

fn compare(a: Option<&Json>, b: Option<&Json>) -> Ordering {
    match (a, b) {
        (Some(Json::String(a)), Some(Json::String(b))) => a.as_bytes().cmp(b.as_bytes()),
        (Some(Json::Number(a)), Some(Json::Number(b))) => match (a.whole(), b.whole()) {
            (Some(a), Some(b)) => a.cmp(&b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => a.to_string().cmp(&b.to_string()),
        },
        (Some(Json::Bool(a)), Some(Json::Bool(b))) => a.cmp(b),
        (a, b) => rank(a).cmp(&rank(b)),
    }
}

/// Returns the rank of a type in the order of values; `null` is last.
fn rank(value: Option<&Json>) -> u8 {
    match value {
        Some(Json::Bool(_)) => 0,
        Some(Json::Number(_)) => 1,
        Some(Json::String(_)) => 2,
        Some(Json::Array(_) | Json::Object(_)) => 3,
        Some(Json::Null) | None => 4,
    }
}

/// Returns the table with this name.
///
/// ```
/// use tuckbox::store::table;
/// assert_eq!(table::named("heads").and_then(|heads| heads.documented), Some("state.agent_state_head"));
/// assert!(table::named("tails").is_none());
/// ```
pub fn named(name: &str) -> Option<&'static Table> {
    ALL.iter().copied().find(|table| table.name == name)
}

macro_rules! documented {
    () => {
        None
    };
    ($name:literal) => {
        Some($name)
    };
}

macro_rules! unique {
    () => {
        false
    };
    (unique) => {
        true
    };
}

macro_rules! tables {
    ($(
        $(#[$doc:meta])*
        static $id:ident = $name:literal $(documented $documented:literal)? {
            key { $($key:ident: $key_type:ident),* $(,)? }
            $($column:ident: $column_type:ident),* $(,)?
        }
        $(indexes { $($index:ident [$($of:ident),*] by [$($order:ident),*] $($unique:ident)?;)* })?
    )*) => {
        $(
            $(#[$doc])*
            ///
            /// ```
            #[doc = concat!("let table = &tuckbox::store::table::", stringify!($id), ";")]
            #[doc = concat!("assert_eq!(table.name, ", stringify!($name), ");")]
            #[doc = concat!("assert_eq!(table.key, [", $("\"", stringify!($key), "\", ",)* "]);")]
            /// ```
            pub static $id: Table = Table {
                name: $name,
                documented: documented!($($documented)?),
                key: &[$(stringify!($key)),*],
                columns: &[
                    $(Column { name: stringify!($key), column_type: ColumnType::$key_type },)*
                    $(Column { name: stringify!($column), column_type: ColumnType::$column_type },)*
                ],
                indexes: &[
                    $($(Index {
                        name: stringify!($index),
                        of: &[$(stringify!($of)),*],
                        order: &[$(stringify!($order)),*],
                        unique: unique!($($unique)?),
                    },)*)?
                ],
            };
        )*

        /// All tables.
        ///
        /// ```
        /// use tuckbox::store::table;
        ///
        /// // the tables that a host creates in its database
        /// let names: Vec<_> = table::ALL.iter().map(|table| table.name).collect();
        /// assert!(names.contains(&"heads") && names.contains(&"outbox"));
        /// ```
        pub static ALL: &[&Table] = &[$(&$id,)*];
    };
}

tables! {
    /// The state of an agent's current turn and its lease: one row per agent.
    static HEADS = "heads" documented "state.agent_state_head" {
        key { agent_id: Text }
        status: Text, active_agent_turn_id: Text, active_channel_id: Text, turn_epoch: Integer,
        active_recursion_depth: Integer, updated_at: Time, parent_step_id: Text, trace_id: Text,
        profile_box_id: Text, context_box_id: Text, output_box_id: Text,
        expecting_correlation_id: Text, waiting_tool_count: Integer, resume_deadline: Time,
        rung_at: Time,
    }
    indexes {
        all [] by [agent_id];
        by_status [status] by [updated_at];
        by_deadline [status] by [resume_deadline];
        by_context [context_box_id] by [agent_id];
        by_output [output_box_id] by [agent_id];
    }

    /// The turn that last used a box as its context or output.
    ///
    /// An operation that gives a box to a turn writes this row, so that a concurrent change of the
    /// box conflicts.
    static BOX_TURNS = "box_turns" {
        key { box_id: Text }
        agent_id: Text, agent_turn_id: Text, taken_at: Time,
    }

    /// The cards and box versions that the model of a turn saw. Rows never change.
    static TURN_VIEWS = "turn_views" {
        key { view_id: Text }
        agent_id: Text, agent_turn_id: Text, at: Time, dialect: Text,
        context_box_id: Text, context_version: Integer, context_card_ids: Json,
        output_box_id: Text, output_version: Integer, output_card_ids: Json,
        prompt_card_id: Text, tools_card_id: Text, profile: Json, missing: Json,
        tools_left_out: Json, content_hash: Text,
    }
    indexes {
        all [] by [at];
        by_agent [agent_id] by [at];
        by_turn [agent_turn_id] by [at];
    }

    /// The pointers that an agent keeps between turns.
    static POINTERS = "pointers" documented "state.agent_state_pointers" {
        key { agent_id: Text }
        memory_context_box_id: Text, last_output_box_id: Text, updated_at: Time,
    }

    /// Messages to agents.
    static INBOX = "inbox" documented "state.agent_inbox" {
        key { inbox_id: Text }
        agent_id: Text, message_type: Text, enqueue_mode: Text, correlation_id: Text,
        recursion_depth: Integer, traceparent: Text, tracestate: Text, trace_id: Text,
        parent_step_id: Text, source_agent_id: Text, source_step_id: Text, payload: Json,
        status: Text, processed_at: Time, archived_at: Time, created_at: Time,
        channel_id: Text, agent_turn_id: Text, turn_epoch: Integer, context_headers: Json,
        retry_count: Integer, next_retry_at: Time, last_error: Text, defer_reason: Text, seq: Integer,
    }
    indexes {
        by_agent [agent_id, status] by [created_at, seq];
        by_agent_type [agent_id, message_type, status] by [created_at, seq];
        by_status [status] by [created_at, seq];
        by_processed [status] by [processed_at];
        by_retry [agent_id, status] by [next_retry_at, created_at];
        by_correlation [message_type, correlation_id] by [created_at, seq] unique;
        by_turn [agent_id, agent_turn_id] by [created_at, seq];
        queue [agent_id, status, message_type] by [seq];
        in_order [agent_id, status] by [seq];
        of_turn [agent_turn_id] by [seq];
    }

    /// The order of an agent's queue and its highest epoch.
    ///
    /// Every enqueue and every lease writes this row, so that concurrent uses of the queue
    /// conflict.
    static AGENT_QUEUES = "agent_queues" {
        key { agent_id: Text }
        last_seq: Integer, last_epoch: Integer, active_agent_turn_id: Text, output_box_id: Text,
        channel_id: Text, status: Text,
    }
    indexes {
        by_status [status] by [agent_id];
    }

    /// Requests between agents and their responses. Rows never change.
    static EXECUTION_EDGES = "execution_edges" documented "state.execution_edges" {
        key { edge_id: Text }
        channel_id: Text, primitive: Text, edge_phase: Text, source_agent_id: Text,
        source_agent_turn_id: Text, source_step_id: Text, target_agent_id: Text,
        target_agent_turn_id: Text, correlation_id: Text, enqueue_mode: Text,
        recursion_depth: Integer, trace_id: Text, parent_step_id: Text, metadata: Json,
        created_at: Time, seq: Integer,
    }
    indexes {
        by_correlation [correlation_id, edge_phase] by [created_at, seq];
        by_primitive [correlation_id, primitive, edge_phase] by [created_at, seq] unique;
        by_source [source_agent_id] by [created_at, seq];
        by_target [target_agent_id] by [created_at, seq];
        by_trace [trace_id] by [created_at, seq];
    }

    /// The creation and changes of agents, with their actors.
    static IDENTITY_EDGES = "identity_edges" documented "state.identity_edges" {
        key { edge_id: Text }
        channel_id: Text, action: Text, source_agent_id: Text, target_agent_id: Text,
        trace_id: Text, parent_step_id: Text, metadata: Json, created_at: Time, seq: Integer,
    }
    indexes {
        by_target [target_agent_id] by [created_at, seq];
        by_source [source_agent_id] by [created_at, seq];
    }

    /// The tool calls for which a suspended turn waits.
    static WAITING_TOOLS = "waiting_tools" documented "state.turn_waiting_tools" {
        key { agent_id: Text, agent_turn_id: Text, turn_epoch: Integer, tool_call_id: Text }
        step_id: Text, tool_name: Text, wait_status: Text, tool_result_card_id: Text,
        received_at: Time, applied_at: Time, created_at: Time, updated_at: Time, seq: Integer,
    }
    indexes {
        by_turn [agent_id, agent_turn_id, turn_epoch] by [seq, created_at];
        by_agent [agent_id] by [created_at, seq];
        by_status [wait_status] by [created_at, seq];
    }

    /// Tool results that are not yet applied to a suspended turn.
    static RESUME_LEDGER = "resume_ledger" documented "state.turn_resume_ledger" {
        key {
            agent_id: Text, agent_turn_id: Text, turn_epoch: Integer, tool_call_id: Text,
            tool_result_card_id: Text,
        }
        status: Text, attempt_count: Integer, next_retry_at: Time, lease_owner: Text,
        lease_expires_at: Time, last_error: Text, payload: Json, created_at: Time, updated_at: Time,
    }
    indexes {
        by_turn [agent_id, agent_turn_id, turn_epoch] by [created_at];
        by_status [status] by [next_retry_at];
        by_lease [status] by [lease_expires_at];
    }

    /// The steps of turns, for audit.
    static STEPS = "steps" documented "state.agent_steps" {
        key { agent_id: Text, step_id: Text }
        agent_turn_id: Text, channel_id: Text, parent_step_id: Text, trace_id: Text, status: Text,
        profile_box_id: Text, context_box_id: Text, output_box_id: Text, request_box_id: Text,
        api_log_id: Integer, tool_call_ids: Json, error: Text, metadata: Json, started_at: Time,
        ended_at: Time, seq: Integer, outcome: Text,
    }
    indexes {
        by_turn [agent_id, agent_turn_id] by [started_at, seq];
    }

    /// The cards of a step of a turn, so that they are found without reading all cards.
    static STEP_CARDS = "step_cards" {
        key { card_id: Text }
        step_id: Text, tool_call_id: Text, card_type: Text, created_at: Time, seq: Integer,
        calls: Boolean, status: Text, after_execution: Text,
    }
    indexes {
        by_step [step_id] by [created_at, seq];
        by_call [tool_call_id] by [created_at, seq];
    }

    /// Batches of tasks; one tool call starts each.
    static BATCHES = "batches" documented "state.pmo_batches" {
        key { batch_id: Text }
        parent_agent_id: Text, parent_agent_turn_id: Text, parent_tool_call_id: Text,
        parent_turn_epoch: Integer, parent_channel_id: Text, task_count: Integer, status: Text,
        deadline_at: Time, metadata: Json, created_at: Time, updated_at: Time,
        open_count: Integer, events: Integer,
    }
    indexes {
        by_status [status] by [created_at];
        by_deadline [status] by [deadline_at];
        by_parent [parent_agent_id, parent_agent_turn_id] by [created_at];
    }

    /// The tasks of batches.
    static BATCH_TASKS = "batch_tasks" documented "state.pmo_batch_tasks" {
        key { batch_task_id: Text }
        batch_id: Text, agent_id: Text, status: Text, retryable: Boolean, next_retry_at: Time,
        attempt_count: Integer, current_agent_turn_id: Text, current_turn_epoch: Integer,
        payload_hash: Text, profile_box_id: Text, context_box_id: Text, output_box_id: Text,
        error_box_id: Text, error_detail: Text, metadata: Json, created_at: Time, updated_at: Time,
        seq: Integer,
    }
    indexes {
        by_batch [batch_id] by [created_at, seq];
        by_status [status] by [next_retry_at, created_at, seq];
        by_age [status] by [updated_at, created_at, seq];
        by_turn [current_agent_turn_id] by [created_at, seq];
    }

    /// Committed messages that are not yet sent.
    static OUTBOX = "outbox" {
        key { message_id: Text }
        subject: Text, payload: Json, headers: Json, core: Boolean, status: Text,
        attempt_count: Integer,
        next_retry_at: Time, last_error: Text, created_at: Time, sent_at: Time, seq: Integer,
    }
    indexes {
        by_status [status] by [created_at, seq];
        by_retry [status] by [next_retry_at, created_at, seq];
    }

    /// Agents of the project: the registry for reads of the kind `agents`.
    static PROJECT_AGENTS = "project_agents" documented "resource.project_agents" {
        key { agent_id: Text }
        profile_box_id: Text, worker_target: Text, tags: Json, display_name: Text,
        owner_agent_id: Text, status: Text, metadata: Json, created_at: Time, last_seen_at: Time,
        in_roster: Boolean, state: Json, pointers: Json,
    }
    indexes {
        all [] by [agent_id];
        by_profile [profile_box_id] by [agent_id];
        by_owner [owner_agent_id] by [agent_id];
    }

    /// Profiles by name: the registry for reads of the kind `profiles`.
    ///
    /// Case does not matter in names.
    static PROJECT_PROFILES = "project_profiles" documented "resource.profiles" {
        key { name: Text }
        profile_box_id: Text, worker_target: Text, tags: Json, delegation_policy: Json,
        system_prompt_compiled: Text, updated_at: Time,
    }
    indexes {
        all [] by [name];
        by_box [profile_box_id] by [name];
    }

    /// Tools of the project.
    static PROJECT_TOOLS = "project_tools" documented "resource.tools" {
        key { tool_name: Text }
        description: Text, parameters: Json, target_subject: Text, after_execution: Text,
        options: Json,
    }
    indexes {
        all [] by [tool_name];
    }

    /// Actions and their actors, for later audits.
    static AUDIT = "audit" {
        key { audit_id: Text }
        at: Time, action: Text, actor_id: Text, subject: Text, operation_id: Text, data: Json,
        seq: Integer,
    }
    indexes {
        all [] by [at, seq];
        by_subject [subject] by [at, seq];
        by_actor [actor_id] by [at, seq];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_use_columns_of_their_table_and_names_are_unique() {
        for (at, table) in ALL.iter().enumerate() {
            assert!(ALL[at + 1..].iter().all(|other| other.name != table.name), "{}", table.name);
            let has = |name: &str| table.columns.iter().any(|column| column.name == name);
            for (at, index) in table.indexes.iter().enumerate() {
                for column in index.of.iter().chain(index.order) {
                    assert!(has(column), "{}.{} names `{column}`", table.name, index.name);
                }
                let others = &table.indexes[at + 1..];
                assert!(others.iter().all(|other| other.name != index.name), "{}", index.name);
            }
            for (at, column) in table.columns.iter().enumerate() {
                let others = &table.columns[at + 1..];
                assert!(others.iter().all(|other| other.name != column.name), "{}", column.name);
            }
        }
    }

    #[test]
    fn rows_sort_by_number_text_and_key_with_null_last() {
        let index = Index { name: "i", of: &[], order: &["n"], unique: false };
        let row = |text: &str| match Json::parse(text) {
            Ok(Json::Object(row)) => row,
            _ => Object::default(),
        };
        let mut rows: Vec<Object> = [
            r#"{"agent_id": "a", "n": null}"#,
            r#"{"agent_id": "b", "n": 10}"#,
            r#"{"agent_id": "c", "n": 9}"#,
            r#"{"agent_id": "d", "n": "x"}"#,
            r#"{"agent_id": "0", "n": 9}"#,
        ]
        .map(row)
        .into();
        rows.sort_by(|a, b| index.compare(&HEADS, a, b));
        let ids: Vec<_> = rows.iter().map(|row| column_text(row, "agent_id").unwrap()).collect();
        assert_eq!(ids, ["0", "c", "b", "d", "a"]);
    }
}
