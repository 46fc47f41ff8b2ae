//! One call and what came of it.

use crate::columns;
use crate::cross::{Thrown, string, value};
use tuckbox::Error;
use tuckbox::call::workspace::Run as Begun;
use tuckbox::rule::AnyOutcome;
use tuckbox::value::json::write_text;
use wasm_bindgen::prelude::*;

/// One call on its way, and its outcome once it is done. It can be used for one call after the other:
/// an object that JavaScript has to finalise costs more than what it holds.
#[wasm_bindgen]
#[derive(Default)]
pub struct Run(pub(crate) Option<Begun>);

impl Run {
    pub(crate) fn begun(&self) -> Result<&Begun, Thrown> {
        self.0.as_ref().ok_or_else(not_begun)
    }

    pub(crate) fn begun_mut(&mut self) -> Result<&mut Begun, Thrown> {
        self.0.as_mut().ok_or_else(not_begun)
    }

    fn outcome(&self) -> Result<&AnyOutcome, Thrown> {
        Ok(self.begun()?.outcome()?)
    }
}

fn not_begun() -> Thrown {
    Error::bad_request("no call was begun").into()
}

#[wasm_bindgen]
impl Run {
    /// No call yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the call and its outcome.
    pub fn clear(&mut self) {
        self.0 = None;
        columns::forget();
    }

    /// What was asked for, as JSON text.
    pub fn value(&self) -> Result<JsValue, Thrown> {
        let run = self.begun()?;
        string(|out| run.write_value(out))
    }

    /// The batch that a commit sends, as JSON text.
    pub fn writes(&self) -> Result<JsValue, Thrown> {
        let run = self.begun()?;
        string(|out| run.write_writes(out))
    }

    /// What names the batch: the same batch under the same name is committed once.
    pub fn operation_id(&self) -> Result<String, Thrown> {
        Ok(self.outcome()?.writes.operation_id.as_str().to_owned())
    }

    /// True when there is nothing to commit.
    pub fn writes_nothing(&self) -> Result<bool, Thrown> {
        Ok(self.outcome()?.writes.is_empty())
    }

    /// The warnings.
    pub fn lints(&self) -> Result<JsValue, Thrown> {
        value(&self.outcome()?.lints)
    }

    /// The hash of the cards and boxes that a commit makes.
    pub fn content_hash(&self) -> Result<String, Thrown> {
        Ok(self.outcome()?.content_hash()?.to_string())
    }

    /// Where the boxes of the ledger are in this memory, in columns: until the next columns are asked
    /// for, or a run is cleared.
    pub fn accounts(&self) -> Result<u32, Thrown> {
        Ok(columns::accounts(&self.outcome()?.ledger.boxes))
    }

    /// What never became a card.
    pub fn dropped(&self) -> Result<JsValue, Thrown> {
        value(&self.outcome()?.ledger.dropped)
    }

    /// Who packed what from where, as JSON text: a batch has a record for each of its tasks.
    pub fn audit(&self) -> Result<JsValue, Thrown> {
        let found = &self.outcome()?.ledger.audit;
        string(|out| write_text(found, out))
    }

    /// Why each row changed, as JSON text: a batch changes many.
    pub fn transitions(&self) -> Result<JsValue, Thrown> {
        let found = &self.outcome()?.ledger.transitions;
        string(|out| write_text(found, out))
    }

    /// As [`Run::accounts`], the entries of a range of positions in one box of the ledger.
    pub fn entries(&self, box_index: u32, from: u32, to: u32) -> Result<u32, Thrown> {
        let accounts = &self.outcome()?.ledger.boxes;
        let range = from as usize..to as usize;
        match accounts.get(box_index as usize) {
            Some(account) => Ok(columns::entries(&account.columns(range))),
            None => Err(Error::not_found(format!("the ledger has no box {box_index}")).into()),
        }
    }
}
