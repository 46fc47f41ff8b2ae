//! One call and its outcome.

use crate::columns;
use crate::cross::{Exception, string, value};
use tuckbox::Error;
use tuckbox::call::workspace::Run as StartedRun;
use tuckbox::rule::AnyOutcome;
use tuckbox::value::json::write_text;
use wasm_bindgen::prelude::*;

/// One call, and its outcome when it is done. A host reuses a run for many calls, because
/// finalizers of JavaScript objects are expensive.
#[wasm_bindgen]
#[derive(Default)]
pub struct Run(pub(crate) Option<StartedRun>);

impl Run {
    pub(crate) fn started(&self) -> Result<&StartedRun, Exception> {
        self.0.as_ref().ok_or_else(not_started)
    }

    pub(crate) fn started_mut(&mut self) -> Result<&mut StartedRun, Exception> {
        self.0.as_mut().ok_or_else(not_started)
    }

    fn outcome(&self) -> Result<&AnyOutcome, Exception> {
        Ok(self.started()?.outcome()?)
    }
}

fn not_started() -> Exception {
    Error::bad_request("no call was started").into()
}

#[wasm_bindgen]
impl Run {
    /// Creates a run without a call.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Discards the call and its outcome.
    pub fn clear(&mut self) {
        self.0 = None;
        columns::free();
    }

    /// Returns the value of the outcome as JSON text.
    pub fn value(&self) -> Result<JsValue, Exception> {
        let run = self.started()?;
        string(|out| run.write_value(out))
    }

    /// Returns the batch that a commit sends, as JSON text.
    pub fn writes(&self) -> Result<JsValue, Exception> {
        let run = self.started()?;
        string(|out| run.write_writes(out))
    }

    /// Returns the id of the batch. A store commits a batch with the same id once.
    pub fn operation_id(&self) -> Result<String, Exception> {
        Ok(self.outcome()?.writes.operation_id.as_str().to_owned())
    }

    /// Returns true when there is nothing to commit.
    pub fn writes_nothing(&self) -> Result<bool, Exception> {
        Ok(self.outcome()?.writes.is_empty())
    }

    /// Returns the lints.
    pub fn lints(&self) -> Result<JsValue, Exception> {
        value(&self.outcome()?.lints)
    }

    /// Returns the hash of the cards and boxes that a commit creates.
    pub fn content_hash(&self) -> Result<String, Exception> {
        Ok(self.outcome()?.content_hash()?.to_string())
    }

    /// Returns the address of the ledger's boxes, in columns. It is valid until the next columns
    /// are requested or a run is cleared.
    pub fn accounts(&self) -> Result<u32, Exception> {
        Ok(columns::accounts(&self.outcome()?.ledger.boxes))
    }

    /// Returns the values that did not become cards.
    pub fn dropped(&self) -> Result<JsValue, Exception> {
        value(&self.outcome()?.ledger.dropped)
    }

    /// Returns the audit records as JSON text: a batch has one for each of its tasks.
    pub fn audit(&self) -> Result<JsValue, Exception> {
        let found = &self.outcome()?.ledger.audit;
        string(|out| write_text(found, out))
    }

    /// Returns the reason for each changed row as JSON text: a batch changes many.
    pub fn transitions(&self) -> Result<JsValue, Exception> {
        let found = &self.outcome()?.ledger.transitions;
        string(|out| write_text(found, out))
    }

    /// Does the same as [`Run::accounts`] for the entries of a range of positions in one box of the
    /// ledger.
    pub fn entries(&self, box_index: u32, from: u32, to: u32) -> Result<u32, Exception> {
        let accounts = &self.outcome()?.ledger.boxes;
        let range = from as usize..to as usize;
        match accounts.get(box_index as usize) {
            Some(account) => Ok(columns::entries(&account.columns(range))),
            None => Err(Error::not_found(format!("the ledger has no box {box_index}")).into()),
        }
    }
}
