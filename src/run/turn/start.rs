//! The start of a turn, or of its next step.

use super::finish::{End, end_turn};
use super::reads::want_output;
use super::work::TurnWork;
use crate::agents::Setup;
use crate::agents::turn::TurnFrame;
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::run::rows::Head;
use crate::run::rows::status::{HeadStatus, StepStatus};
use crate::run::settings::older;
use crate::run::terms::RunTerms;
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{object, present};
use crate::run::wire::events::{state_event, step_event};
use crate::run::wire::trace;
use crate::store::{Before, List, RowChange, RowKey, Snapshot, TableRow, Writes, table};
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::id::CardId;
use crate::value::json::Json;
use crate::{Result, Timestamp};
use serde::Serialize;

arguments! {
    /// Starts a turn, or its next step.
    ///
    /// ```
    /// use tuckbox::run::TurnStart;
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = TurnStart::from_json(&json!({"agent_id": "ann", "agent_turn_id": "t1", "turn_epoch": 1,
    ///     "output_box_id": null}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let started = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert_eq!((started.entered, started.stage), (false, Some("guard")));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct TurnStart {
        /// The content of the message. The operation ignores it.
        pub payload: Option<Json>,
        /// Records what the model of the step will see, as `turn_view` with `record` does. The view
        /// has the id of the step.
        pub record: Option<TurnFrame>,
        shared work: TurnWork,
        shared terms: RunTerms,
        setting setup: Setup,
    }
}

impl TurnStart {
    /// Returns the call under the settings of a project.
    #[must_use]
    pub fn with_setup(mut self, setup: &Setup) -> Self {
        self.terms.set_defaults(&setup.defaults);
        self.setup = setup.clone();
        self
    }
}

impl Rule for TurnStart {
    type Value = TurnStarted;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<TurnStarted>>> {
        let mut started = ready!(self.terms.step(snapshot, env, |tx| start(tx, &self.work))?);
        if let (Some(frame), Some(step_id)) = (&self.record, started.value.step_id.clone()) {
            let recorded = ready!(self.view(frame, &step_id, &started, snapshot, env)?);
            if let Some(recorded) = recorded {
                started.writes.cards.extend(recorded.cards);
                started.writes.rows.extend(recorded.rows);
                started.writes.delete_cards.extend(recorded.delete_cards);
                started.value.view_id = Some(step_id);
            }
        }
        Ok(Step::Done(started))
    }
}

/// The maximum number of old views that one step deletes.
const OLD_VIEWS: usize = 2;

impl TurnStart {
    /// Returns the writes that record the view of a step; `None` if the turn cannot be shown. The
    /// worker then finds the reason.
    fn view(
        &self,
        frame: &TurnFrame,
        step_id: &str,
        started: &Outcome<TurnStarted>,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<Option<Writes>>> {
        let TurnWork { agent_id, context_box_id, profile_box_id, .. } = &self.work;
        let mut call = object! {
            "op" => "turn_view", "record" => true, "view_id" => step_id,
            "agent_id" => agent_id.as_str(), "context_box_id" => context_box_id.clone(),
            "profile_box_id" => profile_box_id.clone(),
            "output_box_id" => started.value.output_box_id.clone(),
            "system_append" => frame.system_append.clone(),
            "downstream_desc" => frame.downstream_desc.clone(),
        };
        call.insert("tools".into(), frame.tools.iter().cloned().map(Json::Object).collect());
        let call = self.setup.take_call(Json::Object(call))?;
        let mut after = snapshot.clone();
        after.apply(&started.writes);
        // the step used the ids of the call
        let mut entropy = env.entropy;
        entropy.iter_mut().for_each(|byte| *byte ^= 0xA5);
        let mut cursor = Cursor::new(snapshot);
        let old = self.old_views(&mut cursor, env.now)?;
        let seen = match call.step(&after, &Env::new(env.now, entropy)) {
            Ok(Step::Need(reads)) => {
                cursor.want_reads(&reads);
                return Ok(cursor.need());
            }
            Ok(Step::Done(seen)) => seen,
            Err(_) => return Ok(Step::Done(None)),
        };
        ready!(cursor.step());
        let mut writes = seen.writes;
        for row in old {
            let before = Before::At(row.version.clone());
            let cards = ["prompt_card_id", "tools_card_id"].into_iter();
            let cards = cards.filter_map(|column| row.text(column)).map(CardId::from);
            writes.delete_cards.extend(cards);
            let key = row.text("view_id").unwrap_or_default();
            let of = RowKey::new(&table::TURN_VIEWS, [key]);
            writes.rows.push(RowChange { of, before, row: None });
        }
        Ok(Step::Done(Some(writes)))
    }

    /// Returns views of the agent that are older than the setting allows.
    fn old_views<'a>(&self, cursor: &mut Cursor<'a>, now: Timestamp) -> Result<Vec<&'a TableRow>> {
        let settings = &self.terms.settings;
        let seconds = settings.view_retention_seconds;
        let of = [self.work.agent_id.as_str()];
        let list = List::new(&table::TURN_VIEWS, "by_agent", of, OLD_VIEWS);
        let Some(list) = list.filter(|_| seconds > 0) else { return Ok(Vec::new()) };
        let rows = cursor.list(&list)?.found().map(Vec::as_slice).unwrap_or_default();
        let at = |row: &TableRow| row.text("at").and_then(Timestamp::parse);
        let is_old = |row: &&TableRow| at(row).is_some_and(|at| older(at, now, seconds));
        Ok(rows.iter().filter(is_old).collect())
    }
}

/// Whether a turn, or its next step, started.
///
/// The example of [`TurnStart`] shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TurnStarted {
    /// True if the worker can continue.
    pub entered: bool,
    /// The step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// The box for the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_box_id: Option<String>,
    /// What refused the step: `guard` or `depth_or_steps`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<&'static str>,
    /// The id of the recorded view: that of the step. Missing if the turn cannot be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_id: Option<String>,
}

shape! {
    /// Whether a turn, or its next step, started.
    #[serde(untagged)]
    pub enum TurnStarted {
        Entered {
            entered: Word<true>,
            step_id: String,
            output_box_id: String,
            /// The id of the recorded view: that of the step. Missing if the turn cannot be shown.
            #[serde(skip_serializing_if = "Option::is_none")]
            view_id: Option<String>,
        },
        Outside { entered: Word<false>, stage: Word<"guard", "depth_or_steps"> },
    }
}

/// Starts a turn or its next step. The answer states whether the worker can continue.
fn start(tx: &mut Transaction<'_>, work: &TurnWork) -> Run<TurnStarted> {
    want_view(tx, work);
    if may_run(tx, work).is_err() {
        work.want_end(tx);
    }
    work.want_message(tx);
    let started = started(tx, work)?;
    // the commit that ends the step consumes the message of a turn that continues
    if !started.entered {
        work.consume(tx)?;
    }
    Ok(started)
}

/// Requests what a step reads: the head of the turn, and what the model will see.
fn want_view(tx: &mut Transaction<'_>, work: &TurnWork) {
    if present(work.output_box_id.as_deref()).is_none() {
        want_output(tx, &work.agent_id);
    }
    tx.want::<Head>(&[&work.agent_id]);
    for box_id in [&work.output_box_id, &work.context_box_id, &work.profile_box_id] {
        tx.want_box(box_id.as_deref());
    }
    tx.want_agent(&work.agent_id);
}

/// An error that ends the turn, with its stable code.
type Refusal = (String, Option<&'static str>);

/// Returns the depth of a step that can run, or the error that ends its turn. Needs no read.
fn may_run(tx: &Transaction<'_>, work: &TurnWork) -> std::result::Result<i64, Refusal> {
    let limit = tx.settings.max_recursion_depth;
    match trace::depth_of(&work.headers) {
        None => Err(("missing CG-Recursion-Depth header".to_owned(), Some("protocol_violation"))),
        Some(depth) if depth >= limit => Err((
            format!("recursion_depth_exceeded (depth={depth}, max={limit})"),
            Some("recursion_depth_exceeded"),
        )),
        Some(_) if work.step_count >= tx.settings.max_steps => {
            Err((format!("max_steps_reached (max_steps={})", tx.settings.max_steps), None))
        }
        Some(depth) => Ok(depth),
    }
}

fn started(tx: &mut Transaction<'_>, work: &TurnWork) -> Run<TurnStarted> {
    let refused = |stage| TurnStarted { stage: Some(stage), ..TurnStarted::default() };
    let Some(head) = work.head(tx)? else { return Ok(refused("guard")) };
    let wanted = if work.continuation { HeadStatus::Running } else { HeadStatus::Dispatched };
    if head.status != wanted {
        return Ok(refused("guard"));
    }
    let step_id = tx.mint("step_");
    match may_run(tx, work) {
        Ok(depth) => enter(tx, work, head, step_id, depth),
        Err(refusal) => {
            end_before_step(tx, work, &head, &step_id, refusal)?;
            Ok(refused("depth_or_steps"))
        }
    }
}

/// Starts the step.
fn enter(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    mut head: Head,
    step_id: String,
    depth: i64,
) -> Run<TurnStarted> {
    let output = work.output_box(tx, &head)?;
    head.status = HeadStatus::Running;
    head.active_recursion_depth = depth;
    if present(work.context_box_id.as_deref()).is_some() {
        head.context_box_id.clone_from(&work.context_box_id);
    }
    head.output_box_id = Some(output.clone());
    head.updated_at = tx.now();
    let guard = if work.continuation { "status = running" } else { "status = dispatched" };
    tx.put(&head, "start", guard)?;
    let work = TurnWork { output_box_id: Some(output.clone()), ..work.clone() };
    let scope = work.scope(&head);
    let step = work.step_row(tx, &scope, &step_id, StepStatus::Started);
    tx.put(&step, "start", guard)?;
    step_event(tx, &scope, &step_id, "started", &[]);
    state_event(tx, &scope, "running", object! { "activity" => "thinking" });
    let (step_id, output_box_id) = (Some(step_id), Some(output));
    Ok(TurnStarted { entered: true, step_id, output_box_id, ..TurnStarted::default() })
}

/// Ends a turn whose step cannot run.
fn end_before_step(
    tx: &mut Transaction<'_>,
    work: &TurnWork,
    head: &Head,
    step_id: &str,
    (error, code): Refusal,
) -> Run<()> {
    let scope = work.scope(head);
    step_event(tx, &scope, step_id, "started", &[]);
    let step = work.step_row(tx, &scope, step_id, StepStatus::Started);
    tx.put(&step, "start", "a step that cannot run")?;
    let end = End { rule: "start", ..End::failure(&error, code, Vec::new()) };
    end_turn(tx, work, head, step_id, end)
}
