//! Calls in steps.

use crate::bindings::exports::tuckbox::core::steps as exported;
use crate::bindings::tuckbox::core::types;
use crate::{Component, Exported, env};
use std::cell::{Ref, RefCell, RefMut};
use std::rc::Rc;
use tuckbox::call::workspace::Run as StartedRun;
use tuckbox::rule::AnyOutcome;
use tuckbox::rule::ledger::BoxLedger;
use tuckbox::value::json::{Field, Json, to_text};
use tuckbox::{Env, Error, Result, Settings, Workspace as Rows};

impl exported::Guest for Component {
    type Workspace = Workspace;
    type Run = Run;
}

/// The rows of one project, shared with the runs on them.
#[derive(Clone)]
pub struct Workspace(Rc<RefCell<Rows>>);

/// Returns the error for a host that enters the component while it runs.
fn busy() -> Error {
    Error::conflict("another call of this project is running")
}

impl Workspace {
    /// Creates an empty workspace with settings as JSON text.
    pub fn open(settings: &str) -> Result<Self> {
        let settings = Json::parse(settings)?;
        let settings = Settings::from_json(&Field::root(&settings))?;
        Ok(Self(Rc::new(RefCell::new(Rows::with_settings(settings)))))
    }

    /// Returns the rows, to change them.
    pub fn rows(&self) -> Result<RefMut<'_, Rows>> {
        self.0.try_borrow_mut().map_err(|_| busy())
    }

    /// Parses JSON text under the limits of this workspace.
    pub fn parse(&self, text: &str) -> Result<Json> {
        self.rows()?.read_call(text.as_bytes())
    }

    /// Begins a call.
    pub fn begin(&self, call: Json, env: Env) -> Result<Run> {
        let run = self.rows()?.begin(call, env)?;
        Ok(Run { workspace: self.clone(), run: RefCell::new(run) })
    }
}

impl exported::GuestWorkspace for Workspace {
    fn open(settings: String) -> Exported<exported::Workspace> {
        Ok(exported::Workspace::new(Self::open(&settings)?))
    }

    fn start(&self, call: String, of: types::Env) -> Exported<exported::Run> {
        let env = env(of)?;
        Ok(exported::Run::new(self.begin(self.parse(&call)?, env)?))
    }

    fn refresh(&self) -> Exported<()> {
        self.rows()?.refresh();
        Ok(())
    }
}

/// One call on a workspace.
pub struct Run {
    workspace: Workspace,
    run: RefCell<StartedRun>,
}

impl Run {
    /// Returns true for a run on this workspace.
    pub fn is_on(&self, workspace: &Workspace) -> bool {
        Rc::ptr_eq(&self.workspace.0, &workspace.0)
    }

    /// Returns the reads that the call needs, or `None` when it is done.
    pub fn step(&self) -> Result<Option<String>> {
        let mut run = self.run.try_borrow_mut().map_err(|_| busy())?;
        self.workspace.rows()?.step(&mut run)?.map(to_text).transpose()
    }

    /// Adds the answers of a store.
    pub fn answer(&self, answers: &str) -> Result<()> {
        let mut run = self.run.try_borrow_mut().map_err(|_| busy())?;
        self.workspace.rows()?.answer_text(&mut run, answers.as_bytes())
    }

    /// Records that the writes were committed. Returns the receipt.
    pub fn committed(&self, receipt: &str) -> Result<String> {
        let run = self.started()?;
        to_text(&self.workspace.rows()?.committed_text(&run, receipt.as_bytes())?)
    }

    /// Records that the writes were not committed, or that the result is unknown.
    pub fn refused(&self) -> Result<()> {
        let run = self.started()?;
        self.workspace.rows()?.refused(&run)
    }

    /// Returns the value of the outcome as JSON text.
    pub fn value(&self) -> Result<String> {
        let mut out = String::new();
        self.started()?.write_value(&mut out)?;
        Ok(out)
    }

    /// Returns the batch that a commit sends, as JSON text.
    pub fn writes(&self) -> Result<String> {
        let mut out = String::new();
        self.started()?.write_writes(&mut out)?;
        Ok(out)
    }

    /// Reads from the outcome.
    pub fn outcome<T>(&self, read: impl FnOnce(&AnyOutcome) -> Result<T>) -> Result<T> {
        read(self.started()?.outcome()?)
    }

    fn started(&self) -> Result<Ref<'_, StartedRun>> {
        self.run.try_borrow().map_err(|_| busy())
    }
}

fn account(of: &BoxLedger) -> exported::BoxAccount {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    exported::BoxAccount {
        box_id: of.box_id().as_str().to_owned(),
        length: count(of.len()),
        duplicates: count(of.swallowed()),
    }
}

impl exported::GuestRun for Run {
    fn step(&self) -> Exported<Option<String>> {
        Ok(self.step()?)
    }

    fn answer(&self, answers: String) -> Exported<()> {
        Ok(self.answer(&answers)?)
    }

    fn committed(&self, receipt: String) -> Exported<String> {
        Ok(self.committed(&receipt)?)
    }

    fn refused(&self) -> Exported<()> {
        Ok(self.refused()?)
    }

    fn value(&self) -> Exported<String> {
        Ok(self.value()?)
    }

    fn writes(&self) -> Exported<String> {
        Ok(self.writes()?)
    }

    fn operation_id(&self) -> Exported<String> {
        Ok(self.outcome(|of| Ok(of.writes.operation_id.as_str().to_owned()))?)
    }

    fn writes_nothing(&self) -> Exported<bool> {
        Ok(self.outcome(|of| Ok(of.writes.is_empty()))?)
    }

    fn content_hash(&self) -> Exported<String> {
        Ok(self.outcome(|of| Ok(of.content_hash()?.to_string()))?)
    }

    fn lints(&self) -> Exported<String> {
        Ok(self.outcome(|of| to_text(&of.lints))?)
    }

    fn dropped(&self) -> Exported<String> {
        Ok(self.outcome(|of| to_text(&of.ledger.dropped))?)
    }

    fn audit(&self) -> Exported<String> {
        Ok(self.outcome(|of| to_text(&of.ledger.audit))?)
    }

    fn transitions(&self) -> Exported<String> {
        Ok(self.outcome(|of| to_text(&of.ledger.transitions))?)
    }

    fn boxes(&self) -> Exported<Vec<exported::BoxAccount>> {
        Ok(self.outcome(|of| Ok(of.ledger.boxes.iter().map(account).collect()))?)
    }

    fn entries(&self, box_index: u32, start: u32, end: u32) -> Exported<String> {
        let range = start as usize..end as usize;
        Ok(self.outcome(|of| match of.ledger.boxes.get(box_index as usize) {
            Some(account) => to_text(&account.entries(range)),
            None => Err(Error::not_found(format!("the ledger has no box {box_index}"))),
        })?)
    }
}
