//! A resident workspace: what was read stays, calls send little, results are fetched when looked
//! at.
//!
//! Crossing a language boundary with 100,000 ids costs more than merging them. So the snapshot
//! lives here, a [`Run`] is one call on it, and a host drives the run with the loop of
//! [`rule`](crate::rule). What changed elsewhere is caught by its version at commit; a card that was
//! read some time ago is read again, because it may have been deleted; a refusal on rows that were
//! read before its call is decided once more on rows that are read now;
//! [`Workspace::refresh`] forgets everything that can change.
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
//!     // the host asks its store, and answers in JSON
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

use super::settings::Settings;
use crate::agents::Setup;
use crate::rule::{AnyOutcome, Call, MAX_ROUNDS, Step, too_many_rounds};
use crate::store::{Answers, Counts, Reads, Receipt, Snapshot, store_fault};
use crate::value::env::Env;
use crate::value::id::ProjectId;
use crate::value::json::{Json, ParseLimits, VALUE_BYTES, is_too_many, write_text_within};
use crate::{Code, Error, Result};
use std::cell::Cell;

/// What was read so far in one project.
///
/// Shown by the [example of its module](self).
#[derive(Debug)]
pub struct Workspace {
    settings: Settings,
    snapshot: Snapshot,
    /// Goes up whenever something is forgotten: answers that were asked for before come too late.
    age: u64,
    /// True for a view of writes that are not committed: nothing of it can be read again.
    is_view: bool,
}

/// One call on its way from the question to the outcome.
///
/// Shown by the [example of its module](self).
pub struct Run {
    call: Call,
    env: Env,
    pending: Option<(Reads, u64)>,
    rounds: usize,
    /// How many rows were asked for so far.
    rows: usize,
    /// How long the answers were so far.
    bytes: usize,
    /// How many values answers may still hold.
    values_left: usize,
    /// How long the JSON of its outcome may be.
    max_answer_bytes: usize,
    outcome: Option<AnyOutcome>,
    /// Nothing that it rests on was read before it began.
    is_fresh: bool,
    /// The writes are in the snapshot.
    is_committed: Cell<bool>,
}

impl Run {
    /// The outcome, once the run is done.
    ///
    /// # Errors
    /// `bad_request` before that.
    pub fn outcome(&self) -> Result<&AnyOutcome> {
        self.outcome.as_ref().ok_or_else(|| Error::bad_request("the call is not done yet"))
    }

    /// Writes the JSON of the outcome's value behind what stands in a text already.
    ///
    /// # Errors
    /// As [`Run::outcome`]; `limit` when it is longer than `max_answer_bytes` allows.
    pub fn write_value(&self, out: &mut String) -> Result<()> {
        self.outcome()?.value.write_text_within(out, self.max_answer_bytes)
    }

    /// Writes the JSON of the batch that a commit sends behind what stands in a text already.
    ///
    /// # Errors
    /// As [`Run::write_value`].
    pub fn write_writes(&self, out: &mut String) -> Result<()> {
        write_text_within(&self.outcome()?.writes, out, self.max_answer_bytes)
    }

    /// The reads that wait for answers, and since when.
    fn asked(&mut self) -> Result<(Reads, u64)> {
        self.pending.take().ok_or_else(|| Error::store("answers came, but nothing was asked"))
    }
}

/// The error for rows that are short and hold too much.
fn too_many_values(most: usize) -> Error {
    Error::limit(format!(
        "the call reads more than {} values: each counts as {VALUE_BYTES} bytes, and \
         `max_read_bytes` allows {most}",
        most / VALUE_BYTES
    ))
    .detail("max_read_bytes", most)
}

/// True for errors that other rows would have prevented.
fn is_refusal(code: Code) -> bool {
    matches!(code, Code::AuthFailed | Code::Conflict)
}

impl Workspace {
    /// An empty workspace.
    pub fn new(project_id: ProjectId) -> Self {
        Self::with_settings(Settings::new(project_id))
    }

    /// An empty workspace whose calls get these defaults.
    pub fn with_settings(settings: Settings) -> Self {
        let snapshot = Snapshot::new(settings.project_id.clone());
        Self { settings, snapshot, age: 0, is_view: false }
    }

    /// What is resident.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// What calls get where they do not say otherwise.
    pub fn setup(&self) -> &Setup {
        &self.settings.setup
    }

    /// Reads a call and gets ready to drive it. What was absent or failed so far is asked for
    /// again: it may have come since.
    ///
    /// # Errors
    /// `bad_request` when it is not a call.
    pub fn begin(&mut self, call: Json, env: Env) -> Result<Run> {
        let call = self.settings.setup.take_call(call)?;
        self.snapshot.forget_unsettled();
        let resident = self.settings.resident;
        if self.snapshot.bytes() > resident.max_bytes {
            self.snapshot.forget_all();
            self.age += 1;
        }
        self.snapshot.set_time(env.now, resident.max_card_age_seconds);
        Ok(Run {
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
        })
    }

    /// As [`Workspace::begin`], from JSON text.
    ///
    /// # Errors
    /// As [`Workspace::begin`]; `invalid_content` or `limit` when the text is not JSON.
    pub fn begin_text(&mut self, call: &[u8], env: Env) -> Result<Run> {
        crate::value::str_map::seed(&env.entropy);
        self.begin(self.read_call(call)?, env)
    }

    /// The JSON of a call, under the limits of this workspace.
    ///
    /// # Errors
    /// `invalid_content` or `limit` when the text is not JSON.
    pub fn read_call(&self, call: &[u8]) -> Result<Json> {
        let max_values = self.settings.setup.defaults.limits.max_values;
        let limits = ParseLimits { max_values, ..self.settings.parse_limits() };
        Json::parse_bytes(call, &limits)
    }

    /// Drives a run: the reads it needs, or nothing once it is done.
    ///
    /// # Errors
    /// Whatever the rule says; `limit` when it keeps asking. `auth_failed` and `conflict` rest on
    /// rows that were read since the run began.
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

    /// Takes in a host's answers to the reads of a run.
    ///
    /// # Errors
    /// `store` when they are no answers to those reads; nothing was taken in.
    pub fn answer(&mut self, run: &mut Run, answers: &Json) -> Result<()> {
        let (reads, age) = run.asked()?;
        let answers = Answers::from_json(answers, &reads)?;
        self.take_in(&reads, age, answers)
    }

    fn take_in(&mut self, reads: &Reads, age: u64, answers: Answers) -> Result<()> {
        if age != self.age {
            // something was forgotten meanwhile: the run asks again
            return Ok(());
        }
        self.snapshot.absorb_late(reads, answers)
    }

    /// As [`Workspace::answer`], from JSON text.
    ///
    /// # Errors
    /// As [`Workspace::answer`], also when the text is not JSON; `limit` when the run has read more than
    /// `max_read_bytes` allows.
    pub fn answer_text(&mut self, run: &mut Run, answers: &[u8]) -> Result<()> {
        let (reads, age) = run.asked()?;
        run.bytes += answers.len();
        self.settings.setup.defaults.limits.check_read_bytes(run.bytes)?;
        let limits = self.settings.parse_limits();
        let left = &mut run.values_left;
        let most = self.settings.setup.defaults.limits.max_read_bytes;
        let answers = self
            .snapshot
            .read_answers(answers, &limits, &reads, left)
            .map_err(|error| if is_too_many(&error) { too_many_values(most) } else { error })?;
        self.take_in(&reads, age, answers)
    }

    /// Takes in that the writes of a run were committed.
    ///
    /// # Errors
    /// `store` when the receipt is none for them.
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

    /// As [`Workspace::committed`], from JSON text.
    ///
    /// # Errors
    /// As [`Workspace::committed`], also when the text is not JSON.
    pub fn committed_text(&mut self, run: &Run, receipt: &[u8]) -> Result<Receipt> {
        let receipt = Json::parse_bytes(receipt, &self.settings.parse_limits())
            .map_err(|error| store_fault(error, "receipt"))?;
        self.committed(run, &receipt)
    }

    /// Takes in that the writes of a run were not committed, or that nobody knows: what they rest
    /// on is read again by the next call.
    ///
    /// # Errors
    /// `bad_request` when the run is not done.
    pub fn refused(&mut self, run: &Run) -> Result<()> {
        self.snapshot.forget_touched(&run.outcome()?.writes);
        self.age += 1;
        Ok(())
    }

    /// Forgets everything that can change, so that the next call reads it again.
    pub fn refresh(&mut self) {
        self.snapshot.forget_changeable();
        self.age += 1;
    }

    /// Looks at the project as if the writes of a run were committed, in a workspace of its own. Writes
    /// that were committed are not applied twice.
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
