//! A workspace: the rows of a project that stay in memory between calls.
//!
//! Passing 100,000 ids across a language boundary takes longer than merging them. The snapshot
//! therefore stays here. A [`Run`] is one call on it, and a host drives the run with the loop of
//! [`rule`](crate::rule).
//!
//! - A commit detects rows that another process changed by their version.
//! - A call reads a card again after some time, because another process may have deleted it.
//! - If a call fails with `auth_failed` or `conflict` on rows of earlier calls, it reads them again
//!   and repeats the decision once.
//! - [`Workspace::refresh`] discards all rows that can change.
//!
//! ```
//! use tuckbox::store::{MemoryStore, Store};
//! use tuckbox::value::json::to_json;
//! use tuckbox::{Env, Timestamp, Workspace, json};
//!
//! let mut store = MemoryStore::new();
//! store.project("demo").add_box("notes", ["n1"]);
//! let mut workspace = Workspace::new("demo".into());
//! let call = json!({"op": "append_to_box", "box_id": "notes", "card_ids": ["n2"]});
//! let mut run = workspace.begin(call, Env::new(Timestamp::from_millis(0), [7; 32]))?;
//! while let Some(reads) = workspace.step(&mut run)? {
//! #     let answers = answer(&store, reads)?;
//!     // the host reads from its store and answers in JSON
//!     workspace.answer(&mut run, &answers)?;
//! }
//! let receipt = store.commit(&run.outcome()?.writes)?;
//! workspace.committed(&run, &to_json(&receipt)?)?;
//! assert_eq!(workspace.snapshot().card_box("notes").found()?.map(|found| found.version), Some(2));
//! # fn answer(_: &MemoryStore, reads: &tuckbox::Reads) -> tuckbox::Result<tuckbox::Json> {
//! #     let mut answers = json!({"boxes": [{"box_id": "notes", "card_ids": ["n1"], "version": 1}]});
//! #     let tuckbox::Json::Object(object) = &mut answers else { unreachable!() };
//! #     if reads.of(tuckbox::store::Kind::Boxes).next().is_none() { object.remove("boxes"); }
//! #     let rows = reads.rows().map(|row| json!({"table": row.table.name, "key": row.key.clone()}));
//! #     object.insert("missing_rows".into(), rows.collect());
//! #     let lists = reads.lists().map(|list| json!({"table": list.table.name, "index": list.index.name,
//! #         "of": list.of.clone(), "limit": list.limit as u64, "rows": []}));
//! #     object.insert("lists".into(), lists.collect());
//! #     Ok(answers)
//! # }
//! # Ok::<(), tuckbox::Error>(())
//! ```

use super::entries::take_text;
use super::settings::Settings;
use crate::agents::Setup;
use crate::rule::{AnyOutcome, Call, MAX_ROUNDS, Step, too_many_rounds};
use crate::store::{Answers, Counts, Reads, Receipt, Snapshot, store_error};
use crate::value::env::Env;
use crate::value::id::ProjectId;
use crate::value::json::{Json, ParseLimits, VALUE_BYTES, is_too_many, write_text_within};
use crate::{Code, Error, Result};
use std::cell::Cell;

/// The rows of one project that were read so far.
///
/// Shown by the [example of its module](self).
#[derive(Debug)]
pub struct Workspace {
    settings: Settings,
    snapshot: Snapshot,
    /// Incremented when rows are discarded. Answers to reads of an earlier age are ignored.
    age: u64,
    /// True for a view of uncommitted writes, whose rows cannot be read again.
    is_view: bool,
}

/// One call, from its first step to its outcome.
///
/// Shown by the [example of its module](self).
pub struct Run {
    call: Call,
    env: Env,
    pending: Option<(Reads, u64)>,
    rounds: usize,
    /// The number of rows requested so far.
    rows: usize,
    /// The length of the answers so far.
    bytes: usize,
    /// The number of values that answers can still contain.
    values_left: usize,
    /// The maximum length of the outcome's JSON.
    max_answer_bytes: usize,
    outcome: Option<AnyOutcome>,
    /// True if the decision depends on no rows of earlier calls.
    is_fresh: bool,
    /// True if the snapshot contains the writes.
    is_committed: Cell<bool>,
}

impl Run {
    /// Returns the outcome of a finished run.
    ///
    /// # Errors
    /// `bad_request` before the run is finished.
    pub fn outcome(&self) -> Result<&AnyOutcome> {
        self.outcome.as_ref().ok_or_else(|| Error::bad_request("the call is not done yet"))
    }

    /// Appends the JSON of the outcome's value to `out`.
    ///
    /// # Errors
    /// Those of [`Run::outcome`]; `limit` when the JSON is longer than `max_answer_bytes`.
    pub fn write_value(&self, out: &mut String) -> Result<()> {
        self.outcome()?.value.write_text_within(out, self.max_answer_bytes)
    }

    /// Appends the JSON of the batch that a commit sends to `out`.
    ///
    /// # Errors
    /// Those of [`Run::write_value`].
    pub fn write_writes(&self, out: &mut String) -> Result<()> {
        write_text_within(&self.outcome()?.writes, out, self.max_answer_bytes)
    }

    /// Takes the reads that wait for answers, and their age.
    fn take_pending(&mut self) -> Result<(Reads, u64)> {
        self.pending
            .take()
            .ok_or_else(|| Error::store("unexpected answers: the call has no pending reads"))
    }
}

/// Returns the error for answers with too many values.
fn too_many_values(max: usize) -> Error {
    Error::limit(format!(
        "the call reads more than {} values: each counts as {VALUE_BYTES} bytes, and \
         `max_read_bytes` allows {max}",
        max / VALUE_BYTES
    ))
    .detail("max_read_bytes", max)
}

/// Returns true for errors that other rows can prevent.
fn is_refusal(code: Code) -> bool {
    matches!(code, Code::AuthFailed | Code::Conflict)
}

impl Workspace {
    /// Creates an empty workspace.
    pub fn new(project_id: ProjectId) -> Self {
        Self::with_settings(Settings::new(project_id))
    }

    /// Creates an empty workspace with these settings.
    pub fn with_settings(settings: Settings) -> Self {
        let snapshot = Snapshot::new(settings.project_id.clone());
        Self { settings, snapshot, age: 0, is_view: false }
    }

    /// Returns the rows in memory.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Returns the defaults and recipes of calls.
    pub fn setup(&self) -> &Setup {
        &self.settings.setup
    }

    /// Reads a call and creates a run. The run reads rows again that were absent or failed before.
    ///
    /// # Errors
    /// `bad_request` when the JSON is not a call.
    pub fn begin(&mut self, call: Json, env: Env) -> Result<Run> {
        let call = self.settings.setup.take_call(call)?;
        Ok(self.begin_call(call, env))
    }

    /// Does the same as [`Workspace::begin`] for an operation with a [`text_part`](super::text_part),
    /// from the JSON text of its arguments. Returns nothing where the JSON must be read instead.
    pub fn begin_arguments(&mut self, op: &str, arguments: &[u8], env: &Env) -> Option<Run> {
        let limits = self.call_limits();
        let call = take_text(op, arguments, &limits, &self.settings.setup)?;
        Some(self.begin_call(call, env.clone()))
    }

    fn begin_call(&mut self, call: Call, env: Env) -> Run {
        self.snapshot.evict_unsettled();
        let resident = self.settings.resident;
        if self.snapshot.bytes() > resident.max_bytes {
            self.snapshot.evict_all();
            self.age += 1;
        }
        self.snapshot.set_time(env.now, resident.max_card_age_seconds);
        Run {
            call,
            env,
            pending: None,
            rounds: 0,
            rows: 0,
            bytes: 0,
            values_left: self.settings.setup.defaults.limits.max_read_bytes / VALUE_BYTES,
            max_answer_bytes: self.settings.setup.defaults.limits.max_answer_bytes,
            outcome: None,
            is_fresh: self.is_view || self.snapshot.counts() == Counts::default(),
            is_committed: Cell::new(false),
        }
    }

    /// Does the same as [`Workspace::begin`], from JSON text.
    ///
    /// # Errors
    /// Those of [`Workspace::begin`]; `invalid_content` or `limit` when the text is not JSON.
    pub fn begin_text(&mut self, call: &[u8], env: Env) -> Result<Run> {
        crate::value::str_map::seed(&env.entropy);
        self.begin(self.read_call(call)?, env)
    }

    /// Parses the JSON of a call under the limits of this workspace.
    ///
    /// # Errors
    /// `invalid_content` or `limit` when the text is not JSON.
    pub fn read_call(&self, call: &[u8]) -> Result<Json> {
        Json::parse_bytes(call, &self.call_limits())
    }

    fn call_limits(&self) -> ParseLimits {
        let max_values = self.settings.setup.defaults.limits.max_values;
        ParseLimits { max_values, ..self.settings.parse_limits() }
    }

    /// Drives a run. Returns the reads that it needs, or `None` when it is done.
    ///
    /// # Errors
    /// Returns the errors of the rule; `limit` after too many rounds. `auth_failed` and `conflict`
    /// depend only on rows that were read since the run began.
    pub fn step<'run>(&mut self, run: &'run mut Run) -> Result<Option<&'run Reads>> {
        if run.outcome.is_some() {
            return Ok(None);
        }
        let step = match run.call.step(&self.snapshot, &run.env) {
            Err(error) if !run.is_fresh && is_refusal(error.code()) => {
                run.is_fresh = true;
                self.refresh();
                run.call.step(&self.snapshot, &run.env)
            }
            step => step,
        };
        match step? {
            Step::Done(outcome) => {
                run.pending = None;
                run.outcome = Some(outcome);
                Ok(None)
            }
            Step::Need(_) if run.rounds >= MAX_ROUNDS => Err(too_many_rounds()),
            Step::Need(reads) => {
                run.rounds += 1;
                run.rows += reads.len();
                self.settings.setup.defaults.limits.check_rows(run.rows)?;
                let (reads, _) = run.pending.insert((reads, self.age));
                Ok(Some(reads))
            }
        }
    }

    /// Adds a host's answers to the reads of a run.
    ///
    /// # Errors
    /// `store` when the answers do not match the reads. Then the workspace does not change.
    pub fn answer(&mut self, run: &mut Run, answers: &Json) -> Result<()> {
        let (reads, age) = run.take_pending()?;
        let answers = Answers::from_json(answers, &reads)?;
        self.take_in(&reads, age, answers)
    }

    fn take_in(&mut self, reads: &Reads, age: u64, answers: Answers) -> Result<()> {
        if age != self.age {
            // rows were discarded since the read, so the run reads again
            return Ok(());
        }
        self.snapshot.absorb_late(reads, answers)
    }

    /// Does the same as [`Workspace::answer`], from JSON text.
    ///
    /// # Errors
    /// Those of [`Workspace::answer`], also when the text is not JSON; `limit` when the run has
    /// read more than `max_read_bytes`.
    pub fn answer_text(&mut self, run: &mut Run, answers: &[u8]) -> Result<()> {
        let (reads, age) = run.take_pending()?;
        run.bytes += answers.len();
        self.settings.setup.defaults.limits.check_read_bytes(run.bytes)?;
        let limits = self.settings.parse_limits();
        let left = &mut run.values_left;
        let max = self.settings.setup.defaults.limits.max_read_bytes;
        let answers = self
            .snapshot
            .read_answers(answers, &limits, &reads, left)
            .map_err(|error| if is_too_many(&error) { too_many_values(max) } else { error })?;
        self.take_in(&reads, age, answers)
    }

    /// Records that the writes of a run were committed.
    ///
    /// # Errors
    /// `store` when the receipt does not match the writes.
    pub fn committed(&mut self, run: &Run, receipt: &Json) -> Result<Receipt> {
        let writes = &run.outcome()?.writes;
        let receipt = Receipt::from_json(receipt, writes)?;
        if receipt.repeated {
            self.age += 1;
        }
        self.snapshot.committed(writes, &receipt);
        run.is_committed.set(true);
        Ok(receipt)
    }

    /// Does the same as [`Workspace::committed`], from JSON text.
    ///
    /// # Errors
    /// Those of [`Workspace::committed`], also when the text is not JSON.
    pub fn committed_text(&mut self, run: &Run, receipt: &[u8]) -> Result<Receipt> {
        let receipt = Json::parse_bytes(receipt, &self.settings.parse_limits())
            .map_err(|error| store_error(error, "receipt"))?;
        self.committed(run, &receipt)
    }

    /// Records that the writes of a run were not committed, or that the result is unknown. The next
    /// call reads their rows again.
    ///
    /// # Errors
    /// `bad_request` when the run is not done.
    pub fn refused(&mut self, run: &Run) -> Result<()> {
        self.snapshot.evict_touched(&run.outcome()?.writes);
        self.age += 1;
        Ok(())
    }

    /// Discards all rows that can change, so that the next call reads them again.
    pub fn refresh(&mut self) {
        self.snapshot.evict_changeable();
        self.age += 1;
    }

    /// Returns a workspace that sees the project as if the writes of a run were committed. Writes
    /// that were committed are not applied again.
    ///
    /// # Errors
    /// `bad_request` when the run is not done.
    pub fn after(&self, run: &Run) -> Result<Self> {
        let mut snapshot = self.snapshot.clone();
        let writes = &run.outcome()?.writes;
        if !run.is_committed.get() {
            snapshot.apply(writes);
        }
        Ok(Self { settings: self.settings.clone(), snapshot, age: 0, is_view: true })
    }
}
