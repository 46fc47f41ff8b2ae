//! The binding: the exports of the WebAssembly module, and nothing decided here.
//!
//! A host in JavaScript drives a [`Run`] with the loop of [`rule`](tuckbox::rule): `start` names what
//! to read, `answer` takes it in and `step` names what to read next, until nothing is left to ask.
//! Everything large stays on this side; a result crosses when it is looked at.
//!
//! How a value crosses depends on what it is, as measured:
//! - cards, values and batches as JSON text, which keeps every digit and the order of keys;
//! - what is small and typed (stats, lints, receipts, what was dropped) as JavaScript values;
//! - ledgers as columns (`columns`): one text and one list of numbers, read where they lie;
//! - errors as real `Error` objects with `code`, `path` and `details`.
//!
//! Anything else that comes out of here as an exception is a trap, and the instance is not to be
//! used again.
//!
//! The module is delivered in [parts](tuckbox::call::Part). A call that needs a part that the host
//! has not [`linked`] yet throws the list of the missing ones, and nothing has happened.

#![cfg(target_arch = "wasm32")]
#![forbid(unsafe_code)]

mod columns;
mod cross;
mod run;

pub use cross::{Decoder, Thrown, decode_with};
pub use run::Run;

use cross::{text, value};
use js_sys::Array;
use serde::Serialize;
use std::cell::Cell;
use tuckbox::call::settings::Settings;
use tuckbox::call::{self, Part, Parts, operations, parts};
use tuckbox::import::Streaming;
use tuckbox::store::{Counts, table};
use tuckbox::value::json::{Field, Json};
use tuckbox::{Env, Error, Timestamp};
use tuckbox_allocator as _;
use wasm_bindgen::prelude::*;

thread_local! {
    static LINKED: Cell<Parts> = const { Cell::new(Parts::CORE) };
}

/// Says which parts of the module are there beside the core, by their names.
#[wasm_bindgen]
pub fn linked(names: &Array) {
    let names: Vec<String> = names.iter().filter_map(|name| name.as_string()).collect();
    LINKED.set(Parts::CORE.and_named(names.iter().map(String::as_str)));
}

fn need(parts: Parts) -> Result<(), Thrown> {
    let missing: Vec<&'static str> = parts.beyond(LINKED.get()).map(|part| part.as_str()).collect();
    if missing.is_empty() { Ok(()) } else { Err(Thrown::Parts(missing)) }
}

/// The exports of this instance, which the other parts of the module are linked against.
#[wasm_bindgen]
pub fn instance_exports() -> JsValue {
    wasm_bindgen::exports()
}

/// What the module can do.
#[derive(Serialize)]
struct Catalogue {
    parts: Vec<&'static str>,
    operations: Vec<&'static str>,
}

/// The names of all parts and operations, for whoever builds the package.
#[wasm_bindgen]
pub fn catalogue() -> Result<JsValue, Thrown> {
    let parts = Part::ALL.iter().map(|part| part.as_str()).collect();
    value(&Catalogue { parts, operations: operations().collect() })
}

/// What a commit needs.
const COMMIT: Parts = Parts::CORE.with(Part::Commit);

/// What a store must look up before it can `decide` a batch, as the JSON text of reads.
#[wasm_bindgen]
pub fn touched(batch: &str) -> Result<String, Thrown> {
    need(COMMIT)?;
    Ok(call::touched(batch.as_bytes())?)
}

/// What a commit of a batch puts and answers, from the JSON text of the batch and of the answers to
/// [`touched`].
#[wasm_bindgen]
pub fn decide(batch: &str, rows: &str) -> Result<String, Thrown> {
    need(COMMIT)?;
    Ok(call::decide(batch.as_bytes(), rows.as_bytes())?)
}

/// The rows of a list among rows of its table, in order: JSON text in and out.
#[wasm_bindgen]
pub fn select_rows(list: &str, rows: &str) -> Result<String, Thrown> {
    need(COMMIT)?;
    Ok(call::select_rows(list.as_bytes(), rows.as_bytes())?)
}

/// An import of one file after the other, each handed over in pieces.
#[wasm_bindgen]
pub struct ImportStream(Box<dyn Streaming>);

#[wasm_bindgen]
impl ImportStream {
    /// Nothing read yet. `entropy` is 32 random bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(entropy: &[u8]) -> Result<Self, Thrown> {
        need(Parts::CORE.with(Part::Import))?;
        let Ok(entropy) = entropy.try_into() else {
            return Err(Error::bad_request("`entropy` is 32 bytes long").into());
        };
        tuckbox::value::seed_hashing(&entropy);
        match call::import_stream() {
            Some(stream) => Ok(Self(stream)),
            None => Err(Error::bad_request("an import cannot begin").into()),
        }
    }

    /// Begins a file of about so many bytes. A wrong figure does no harm.
    pub fn begin(&mut self, name: &str, bytes: u32) {
        self.0.begin(name, bytes as usize);
    }

    /// The next bytes of the file. Answers how many requests were found so far.
    pub fn push(&mut self, bytes: &[u8]) -> Result<u32, Thrown> {
        self.0.push(bytes)?;
        Ok(self.requests())
    }

    /// The file is whole. Answers how many requests were found so far.
    pub fn end(&mut self) -> u32 {
        self.0.end();
        self.requests()
    }

    /// There are no more files. Answers the report without its sessions, and its lints, each as JSON
    /// text.
    pub fn finish(&mut self) -> Vec<String> {
        self.0.finish().into()
    }

    /// The JSON text of the next piece of the report: a session, or more requests of it.
    pub fn piece(&mut self) -> Option<String> {
        self.0.piece()
    }
}

impl ImportStream {
    fn requests(&self) -> u32 {
        u32::try_from(self.0.counts().1).unwrap_or(u32::MAX)
    }
}

/// The declared tables, as JSON text.
#[wasm_bindgen]
pub fn tables() -> Result<String, Thrown> {
    text(&table::ALL)
}

/// What was read so far in one project.
#[wasm_bindgen]
pub struct Workspace(tuckbox::Workspace);

/// How much is resident, and how large the memory of the whole instance is.
#[derive(Serialize)]
struct Stats {
    #[serde(flatten)]
    counts: Counts,
    memory_bytes: usize,
}

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

    /// Reads a call into a run and begins it: the reads that it needs, or nothing once it is done.
    /// An operation that is not among its arguments is `op`; otherwise that is empty. The call is text in
    /// UTF-8, as answers are: hosts write that quicker than a string is copied.
    pub fn start(
        &mut self,
        run: &mut Run,
        op: &str,
        call: &[u8],
        now_ms: f64,
        entropy: &[u8],
    ) -> Result<Option<String>, Thrown> {
        let Ok(entropy) = entropy.try_into() else {
            return Err(Error::bad_request("`entropy` is 32 bytes long").into());
        };
        // before anything that a stranger wrote is read
        tuckbox::value::seed_hashing(&entropy);
        let env = Env::new(Timestamp::from_millis(now_ms as i64), entropy);
        let mut call = self.0.read_call(call)?;
        if let (false, Json::Object(fields)) = (op.is_empty(), &mut call) {
            fields.insert("op".to_owned(), op.into());
        }
        need(parts(&call, self.0.setup()))?;
        let run = run.0.insert(self.0.begin(call, env)?);
        self.0.step(run)?.map(text).transpose()
    }

    /// Takes in a store's answers.
    pub fn answer(&mut self, run: &mut Run, answers: &[u8]) -> Result<(), Thrown> {
        Ok(self.0.answer_text(run.begun_mut()?, answers)?)
    }

    /// The reads that a run needs once its answers were taken in, or nothing when it is done. A
    /// crossing of its own: until then the answers are in memory twice.
    pub fn step(&mut self, run: &mut Run) -> Result<Option<String>, Thrown> {
        self.0.step(run.begun_mut()?)?.map(text).transpose()
    }

    /// Takes in that the writes of a run were committed.
    pub fn committed(&mut self, run: &Run, receipt: &str) -> Result<JsValue, Thrown> {
        need(COMMIT)?;
        value(&call::committed(&mut self.0, run.begun()?, receipt.as_bytes())?)
    }

    /// Takes in that the writes of a run were not committed, or that nobody knows.
    pub fn refused(&mut self, run: &Run) -> Result<(), Thrown> {
        need(COMMIT)?;
        Ok(call::refused(&mut self.0, run.begun()?)?)
    }

    /// A workspace that sees the project as if the writes of a run were committed.
    pub fn after(&self, run: &Run) -> Result<Self, Thrown> {
        need(COMMIT)?;
        Ok(Self(call::after(&self.0, run.begun()?)?))
    }

    /// Forgets everything that can change.
    pub fn refresh(&mut self) {
        self.0.refresh();
    }

    /// How much is resident, and how large the memory of the whole instance is.
    pub fn stats(&self) -> Result<JsValue, Thrown> {
        let memory_bytes = core::arch::wasm32::memory_size::<0>() * 65_536;
        value(&Stats { counts: self.0.snapshot().counts(), memory_bytes })
    }
}
