//! The columns that the invariants read, typed by the simulator itself: it shares no code with the rules.

use tuckbox::Json;
use tuckbox::store::table::{self, Table};
use tuckbox::value::json::Object;

/// The value of a column.
trait Column: Default {
    /// Reads a value; a missing column has the default.
    fn read(json: &Json) -> Self;
}

impl Column for String {
    fn read(json: &Json) -> Self {
        json.as_str().unwrap_or_default().to_owned()
    }
}

impl Column for Option<String> {
    fn read(json: &Json) -> Self {
        json.as_str().map(str::to_owned)
    }
}

impl Column for i64 {
    fn read(json: &Json) -> Self {
        json.as_number().and_then(|number| number.whole()).unwrap_or(0)
    }
}

impl Column for Json {
    fn read(json: &Json) -> Self {
        json.clone()
    }
}

/// A row of a table.
pub trait Row: Clone {
    /// The table.
    const TABLE: &'static Table;
    /// Reads the columns from a stored row.
    fn read(row: &Object) -> Self;
}

macro_rules! rows {
    ($($row:ident in $table:ident { $($column:ident: $type:ty,)* })*) => {
        $(
            #[derive(Clone, Debug, Default)]
            pub struct $row {
                $(pub $column: $type,)*
            }

            impl Row for $row {
                const TABLE: &'static Table = &table::$table;
                fn read(row: &Object) -> Self {
                    Self {
                        $($column: row.get(stringify!($column)).map(Column::read).unwrap_or_default(),)*
                    }
                }
            }
        )*
    };
}

rows! {
    Head in HEADS {
        agent_id: String,
        status: String,
        active_agent_turn_id: Option<String>,
        turn_epoch: i64,
        output_box_id: Option<String>,
        waiting_tool_count: i64,
        resume_deadline: Json,
        updated_at: Json,
    }
    Inbox in INBOX {
        inbox_id: String,
        agent_id: String,
        agent_turn_id: Option<String>,
        message_type: String,
        correlation_id: String,
        status: String,
        payload: Json,
        seq: i64,
    }
    Waiting in WAITING_TOOLS {
        agent_id: String,
        agent_turn_id: String,
        turn_epoch: i64,
        tool_call_id: String,
        wait_status: String,
    }
    Batch in BATCHES {
        batch_id: String,
        parent_tool_call_id: String,
        status: String,
        metadata: Json,
        updated_at: Json,
    }
    Task in BATCH_TASKS {
        batch_task_id: String,
        batch_id: String,
        status: String,
        current_agent_turn_id: Option<String>,
    }
    Edge in EXECUTION_EDGES {
        correlation_id: String,
        primitive: String,
        edge_phase: String,
    }
}

impl Head {
    /// Returns true if the agent has no turn.
    pub fn is_idle(&self) -> bool {
        self.status.is_empty() || self.status == "idle"
    }
}

impl Inbox {
    /// Returns true while the message waits or a worker has it.
    pub fn is_open(&self) -> bool {
        matches!(self.status.as_str(), "queued" | "pending" | "processing")
    }
}

impl Waiting {
    /// Returns true while the call has no result.
    pub fn is_open(&self) -> bool {
        matches!(self.wait_status.as_str(), "waiting" | "received")
    }
}

impl Task {
    /// Returns true while the task can change.
    pub fn is_open(&self) -> bool {
        matches!(self.status.as_str(), "pending" | "dispatched")
    }
}
