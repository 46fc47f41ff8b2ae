//! What runs: the operation `run_state`.

use crate::run::queue::inbox::OPEN;
use crate::run::rows::{Batch, Edge, Head, Inbox, Row, StepRow, Task, UnreadableRow, Waiting};
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::object;
use crate::value::arguments::arguments;
use crate::value::json::Json;

/// What runs in a project, at one agent, or in one batch.
type RunState = Json;

shape! {
    /// What runs in a project, at one agent, or in one batch.
    #[serde(untagged)]
    pub enum RunState {
        Project {
            agents: Vec<crate::run::rows::Head>,
            queued: Vec<crate::run::rows::Inbox>,
            batches: Vec<crate::run::rows::Batch>,
            /// Rows that cannot be read, and so are not shown.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            unreadable: Vec<crate::run::rows::UnreadableRow>,
        },
        Agent {
            agents: Vec<crate::run::rows::Head>,
            queued: Vec<crate::run::rows::Inbox>,
            waiting: Vec<crate::run::rows::Waiting>,
            steps: Vec<crate::run::rows::StepRow>,
        },
        Batch {
            batches: Vec<crate::run::rows::Batch>,
            tasks: Vec<crate::run::rows::Task>,
            edges: Vec<crate::run::rows::Edge>,
        },
    }
}

arguments! {
    /// Shows what runs: in the project, at one agent, or in one batch.
    ///
    /// ```
    /// use tuckbox::run::ReadRunState;
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = ReadRunState::from_json(&json!({}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let state = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert_eq!(state, json!({"agents": [], "queued": [], "batches": []}));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReadRunState {
        /// The only agent to show.
        pub agent_id: Option<String>,
        /// The only batch to show.
        pub batch_id: Option<String>,
        /// The maximum number of rows of each kind.
        pub limit: usize = 100,
        shared terms: RunTerms,
    }
}

perform! {
    ReadRunState -> RunState { |call, tx| call.run(tx) }
}

fn shown<R: Row>(rows: &[R]) -> Json {
    rows.iter().map(|row| Json::Object(row.write())).collect()
}

impl ReadRunState {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<RunState> {
        let limit = self.limit.min(tx.row_limit());
        match (&self.batch_id, &self.agent_id) {
            (Some(batch_id), _) => of_batch(tx, batch_id, limit),
            (None, Some(agent)) => of_agent(tx, agent, limit),
            (None, None) => of_project(tx, limit),
        }
    }
}

fn of_batch(tx: &mut Transaction<'_>, batch_id: &str, limit: usize) -> Run<Json> {
    tx.want::<Batch>(&[batch_id]);
    for phase in ["request", "response"] {
        tx.want_list::<Edge>("by_correlation", &[batch_id, phase], limit);
    }
    let tasks = tx.list::<Task>("by_batch", &[batch_id], limit)?;
    let batches: Vec<Batch> = tx.get::<Batch>(&[batch_id])?.into_iter().collect();
    let mut edges = Vec::new();
    for phase in ["request", "response"] {
        edges.extend(tx.list::<Edge>("by_correlation", &[batch_id, phase], limit)?);
    }
    Ok(Json::Object(object! {
        "batches" => shown(&batches), "tasks" => shown(&tasks), "edges" => shown(&edges),
    }))
}

fn of_agent(tx: &mut Transaction<'_>, agent: &str, limit: usize) -> Run<Json> {
    for status in OPEN {
        tx.want_list::<Inbox>("in_order", &[agent, status], limit);
    }
    tx.want_list::<Waiting>("by_agent", &[agent], limit);
    let heads: Vec<Head> = tx.get::<Head>(&[agent])?.into_iter().collect();
    let turn = heads.first().and_then(|head| head.active_agent_turn_id.clone()).unwrap_or_default();
    let steps = tx.list::<StepRow>("by_turn", &[agent, &turn], limit)?;
    let mut queued = Vec::new();
    for status in OPEN {
        queued.extend(tx.list::<Inbox>("in_order", &[agent, status], limit)?);
    }
    let waiting = tx.list::<Waiting>("by_agent", &[agent], limit)?;
    Ok(Json::Object(object! {
        "agents" => shown(&heads), "queued" => shown(&queued), "waiting" => shown(&waiting),
        "steps" => shown(&steps),
    }))
}

fn of_project(tx: &mut Transaction<'_>, limit: usize) -> Run<Json> {
    let statuses = ["dispatched", "running", "suspended", "idle"];
    for status in statuses {
        tx.want_list::<Head>("by_status", &[status], limit);
    }
    tx.want_list::<Batch>("by_status", &["running"], limit);
    let queued = tx.list_readable::<Inbox>("by_status", &["queued"], limit)?;
    let mut heads = Vec::new();
    for status in statuses {
        heads.extend(tx.list_readable::<Head>("by_status", &[status], limit)?);
    }
    let batches = tx.list_readable::<Batch>("by_status", &["running"], limit)?;
    let mut state = object! {
        "agents" => shown(&heads), "queued" => shown(&queued), "batches" => shown(&batches),
    };
    let unreadable: Json = std::mem::take(&mut tx.unreadable).into_iter().map(unread).collect();
    if unreadable.as_array().is_some_and(|rows| !rows.is_empty()) {
        state.insert("unreadable".into(), unreadable);
    }
    Ok(Json::Object(state))
}

fn unread(row: UnreadableRow) -> Json {
    let key: Json = row.key.into_iter().map(Json::from).collect();
    Json::Object(object! { "table" => row.table, "key" => key, "error" => row.error })
}
