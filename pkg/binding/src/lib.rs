//! The binding: JSON text in, JSON text out, and nothing decided here.
//!
//! A host in JavaScript drives a [`Run`] with the loop of [`rule`](tuckbox::rule): `step` names what
//! to read, `answer` takes it in, until `step` has nothing left to ask. Everything large stays on
//! this side; a result crosses when it is looked at. What fails is thrown as the JSON text of an
//! [`Error`]. Anything else that comes out of here as an exception is a trap, and the instance is
//! not to be used again.
//!
//! The module is delivered in [parts](tuckbox::call::Part). A call that needs a part that the host
//! has not [`linked`] yet throws the list of the missing ones, and nothing has happened.

#![cfg(target_arch = "wasm32")]
#![forbid(unsafe_code)]

use serde::Serialize;
use std::cell::Cell;
use tuckbox::call::settings::Settings;
use tuckbox::call::{Parts, parts};
use tuckbox::store::{decide, table};
use tuckbox::value::json::{Field, Json, to_json, to_text};
use tuckbox::{Env, Error, Result, Timestamp};
use wasm_bindgen::prelude::*;

/// What is thrown: the JSON text of an error, or of the list of the parts to link first.
#[derive(Debug)]
pub struct Thrown(Json);

impl From<Error> for Thrown {
    fn from(error: Error) -> Self {
        Self(error.to_json())
    }
}

impl From<Thrown> for JsValue {
    fn from(Thrown(json): Thrown) -> Self {
        json.to_string().into()
    }
}

thread_local! {
    static LINKED: Cell<Parts> = const { Cell::new(Parts::CORE) };
}

/// Says which parts of the module are there beside the core, as a JSON list of names.
#[wasm_bindgen]
pub fn linked(names: &str) -> Result<(), Thrown> {
    let names = Json::parse(names)?;
    LINKED.set(Parts::CORE.and_named(Field::root(&names).strings()?));
    Ok(())
}

fn need(parts: Parts) -> Result<(), Thrown> {
    let missing: Json = parts.beyond(LINKED.get()).map(|part| part.as_str()).collect();
    match missing.as_array() {
        Some([]) | None => Ok(()),
        Some(_) => Err(Thrown(missing)),
    }
}

/// The exports of this instance, which the other parts of the module are linked against.
#[wasm_bindgen]
pub fn instance_exports() -> JsValue {
    wasm_bindgen::exports()
}

fn text(value: &impl Serialize) -> Result<String, Thrown> {
    Ok(to_text(value)?)
}

/// What a store must look up before it can [`decide`] a batch, as the JSON text of reads.
#[wasm_bindgen]
pub fn touched(batch: &str) -> Result<String, Thrown> {
    Ok(decide::touched_text(batch.as_bytes())?)
}

/// What a commit of a batch puts and answers, from the JSON text of the batch and of the answers to
/// [`touched`].
#[wasm_bindgen]
pub fn decide(batch: &str, rows: &str) -> Result<String, Thrown> {
    Ok(decide::decide_text(batch.as_bytes(), rows.as_bytes())?)
}

/// The declared tables, as JSON text.
#[wasm_bindgen]
pub fn tables() -> Result<String, Thrown> {
    text(&table::ALL)
}

/// What was read so far in one project.
#[wasm_bindgen]
pub struct Workspace(tuckbox::Workspace);

/// One call on its way, and its outcome once it is done.
#[wasm_bindgen]
pub struct Run(tuckbox::call::workspace::Run);

#[wasm_bindgen]
impl Workspace {
    /// An empty workspace under [`Settings`] as JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(settings: &str) -> Result<Self, Thrown> {
        let settings = Json::parse(settings)?;
        need(Parts::of_settings(&settings))?;
        let settings = Settings::from_json(&Field::root(&settings))?;
        Ok(Self(tuckbox::Workspace::with_settings(settings)))
    }

    /// As [`Workspace::new`] for `{"project_id": project_id}`, without JSON: opening a project is
    /// done before anything is parsed.
    pub fn of_project(project_id: &str) -> Result<Self, Thrown> {
        Ok(Self(tuckbox::Workspace::with_settings(Settings::of_project(project_id)?)))
    }

    /// Reads a call and gets ready to drive it.
    pub fn start(&mut self, call: &str, now_ms: f64, entropy: &[u8]) -> Result<Run, Thrown> {
        let Ok(entropy) = entropy.try_into() else {
            return Err(Error::bad_request("`entropy` is 32 bytes long").into());
        };
        let env = Env::new(Timestamp::from_millis(now_ms as i64), entropy);
        let call = self.0.read_call(call.as_bytes())?;
        need(parts(&call, self.0.setup()))?;
        Ok(Run(self.0.begin(&call, env)?))
    }

    /// The reads that the run needs, or nothing once it is done.
    pub fn step(&self, run: &mut Run) -> Result<Option<String>, Thrown> {
        self.0.step(&mut run.0)?.map(text).transpose()
    }

    /// Takes in a store's answers.
    pub fn answer(&mut self, run: &mut Run, answers: &str) -> Result<(), Thrown> {
        Ok(self.0.answer_text(&mut run.0, answers.as_bytes())?)
    }

    /// Takes in a store's answers as the bytes they came in.
    pub fn answer_bytes(&mut self, run: &mut Run, answers: &[u8]) -> Result<(), Thrown> {
        Ok(self.0.answer_text(&mut run.0, answers)?)
    }

    /// Takes in that the writes of a run were committed.
    pub fn committed(&mut self, run: &Run, receipt: &str) -> Result<String, Thrown> {
        text(&self.0.committed_text(&run.0, receipt.as_bytes())?)
    }

    /// Takes in that the writes of a run were not committed, or that nobody knows.
    pub fn refused(&mut self, run: &Run) -> Result<(), Thrown> {
        Ok(self.0.refused(&run.0)?)
    }

    /// A workspace that sees the project as if the writes of a run were committed.
    pub fn after(&self, run: &Run) -> Result<Self, Thrown> {
        Ok(Self(self.0.after(&run.0)?))
    }

    /// Forgets everything that can change.
    pub fn refresh(&mut self) {
        self.0.refresh();
    }

    /// How much is resident, and how large the memory of the whole instance is.
    pub fn stats(&self) -> Result<String, Thrown> {
        let mut stats = to_json(&self.0.snapshot().counts())?;
        if let Json::Object(stats) = &mut stats {
            let bytes = core::arch::wasm32::memory_size::<0>() * 65_536;
            stats.insert("memory_bytes".into(), bytes.into());
        }
        Ok(stats.to_string())
    }
}

#[wasm_bindgen]
impl Run {
    /// What was asked for.
    pub fn value(&self) -> Result<String, Thrown> {
        Ok(self.0.outcome()?.value.to_text()?)
    }

    /// The batch that a commit sends.
    pub fn writes(&self) -> Result<String, Thrown> {
        text(&self.0.outcome()?.writes)
    }

    /// True when there is nothing to commit.
    pub fn writes_nothing(&self) -> Result<bool, Thrown> {
        Ok(self.0.outcome()?.writes.is_empty())
    }

    /// What was followed but should be known.
    pub fn lints(&self) -> Result<String, Thrown> {
        text(&self.0.outcome()?.lints)
    }

    /// The hash of the cards and boxes that a commit makes.
    pub fn content_hash(&self) -> Result<String, Thrown> {
        Ok(self.0.outcome()?.content_hash()?.to_string())
    }

    /// The account without its entries: what each box holds, what was dropped, who packed it.
    pub fn ledger(&self) -> Result<String, Thrown> {
        let ledger = &self.0.outcome()?.ledger;
        let boxes = ledger.boxes.iter().map(|account| {
            Json::from([
                ("box_id", Json::from(account.box_id())),
                ("length", account.len().into()),
                ("swallowed", account.swallowed().into()),
            ])
        });
        let (dropped, audit) = (to_json(&ledger.dropped)?, to_json(&ledger.audit)?);
        let parts = [("boxes", boxes.collect()), ("dropped", dropped), ("audit", audit)];
        Ok(Json::from(parts).to_string())
    }

    /// The entries of a range of positions in one box of the account.
    pub fn entries(&self, box_index: u32, from: u32, to: u32) -> Result<String, Thrown> {
        let accounts = &self.0.outcome()?.ledger.boxes;
        match accounts.get(box_index as usize) {
            Some(account) => text(&account.entries(from as usize..to as usize)),
            None => Err(Error::not_found(format!("the account has no box {box_index}")).into()),
        }
    }
}
