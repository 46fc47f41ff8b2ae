//! The binding: the exports of the WebAssembly module. It contains no rules.
//!
//! A JavaScript host drives a [`Run`] with the loop of [`rule`](tuckbox::rule). `start` returns the
//! first reads. `answer` adds the answers, and `step` returns the next reads until the run is done.
//! Large values stay in WebAssembly memory until the host requests them.
//!
//! Values cross in the form that was measured to be fastest:
//! - cards, values and batches as JSON text, which keeps every digit and the order of keys;
//! - small typed values (stats, lints, receipts, dropped values) as JavaScript values;
//! - ledgers as columns (`columns`): one string and one list of numbers, read from memory;
//! - errors as real `Error` objects with `code`, `path` and `details`.
//!
//! Any other exception is a trap. The host must not use the instance again.
//!
//! The module is delivered in [parts](tuckbox::call::Part). A call that needs a part that is not
//! [`linked`] throws the list of missing parts and has no other effect.

#![cfg(target_arch = "wasm32")]
#![forbid(unsafe_code)]

mod columns;
mod cross;
mod run;

pub use cross::{Decoder, Exception, decode_with};
pub use run::Run;

use cross::{text, value};
use js_sys::Array;
use serde::Serialize;
use std::cell::Cell;
use tuckbox::call::settings::Settings;
use tuckbox::call::{self, Part, Parts, operations, parts};
use tuckbox::import::Streaming;
use tuckbox::import::timeline::TimelineReading;
use tuckbox::prompt::provider::{BodyChange, GrowingBody};
use tuckbox::store::{Counts, table};
use tuckbox::value::json::{Field, Json};
use tuckbox::{Env, Error, Timestamp};
use tuckbox_allocator as _;
use wasm_bindgen::prelude::*;

thread_local! {
    static LINKED: Cell<Parts> = const { Cell::new(Parts::CORE) };
}

/// Sets the parts that are linked, by name. The core is always linked.
#[wasm_bindgen]
pub fn linked(names: &Array) {
    let names: Vec<String> = names.iter().filter_map(|name| name.as_string()).collect();
    LINKED.set(Parts::CORE.and_named(names.iter().map(String::as_str)));
}

fn need(parts: Parts) -> Result<(), Exception> {
    let missing: Vec<&'static str> = parts.beyond(LINKED.get()).map(|part| part.as_str()).collect();
    if missing.is_empty() { Ok(()) } else { Err(Exception::Parts(missing)) }
}

/// Returns the exports of this instance. Other parts of the module are linked against them.
#[wasm_bindgen]
pub fn instance_exports() -> JsValue {
    wasm_bindgen::exports()
}

/// The content of the module.
#[derive(Serialize)]
struct Catalogue {
    parts: Vec<&'static str>,
    operations: Vec<&'static str>,
}

/// Returns the names of all parts and operations, for the build of the package.
#[wasm_bindgen]
pub fn catalogue() -> Result<JsValue, Exception> {
    let parts = Part::ALL.iter().map(|part| part.as_str()).collect();
    value(&Catalogue { parts, operations: operations().collect() })
}

/// The parts that a commit needs.
const COMMIT: Parts = Parts::CORE.with(Part::Commit);

/// Returns the rows that a store needs to `decide` a batch, as the JSON text of reads.
#[wasm_bindgen]
pub fn touched(batch: &str) -> Result<String, Exception> {
    need(COMMIT)?;
    Ok(call::touched(batch.as_bytes())?)
}

/// Decides a commit: returns the rows to write and the receipt. It takes the JSON text of the batch
/// and of the answers to [`touched`].
#[wasm_bindgen]
pub fn decide(batch: &str, rows: &str) -> Result<String, Exception> {
    need(COMMIT)?;
    Ok(call::decide(batch.as_bytes(), rows.as_bytes())?)
}

/// Selects the rows of a list from rows of its table, in order, as JSON text.
#[wasm_bindgen]
pub fn select_rows(list: &str, rows: &str) -> Result<String, Exception> {
    need(COMMIT)?;
    Ok(call::select_rows(list.as_bytes(), rows.as_bytes())?)
}

/// Returns the parts that an import needs: a table of models is checked by the part of prompts.
fn parts_of_import(has_models: bool) -> Parts {
    let parts = Parts::CORE.with(Part::Import);
    if has_models { parts.with(Part::Prompt) } else { parts }
}

/// Reads the host's random bytes and seeds the hash with them.
fn seed_hashing(entropy: &[u8]) -> Result<[u8; 32], Error> {
    let Ok(entropy) = entropy.try_into() else {
        return Err(Error::bad_request("`entropy` must be 32 bytes long"));
    };
    tuckbox::value::seed_hashing(&entropy);
    Ok(entropy)
}

/// An import of one file after another, each in chunks.
#[wasm_bindgen]
pub struct ImportStream(Box<dyn Streaming>);

#[wasm_bindgen]
impl ImportStream {
    /// Creates an empty import. `entropy` is 32 random bytes, `models` the host's own table of models as
    /// JSON text.
    #[wasm_bindgen(constructor)]
    pub fn new(entropy: &[u8], models: Option<String>) -> Result<Self, Exception> {
        need(parts_of_import(models.is_some()))?;
        seed_hashing(entropy)?;
        match call::import_stream(models.as_deref())? {
            Some(stream) => Ok(Self(stream)),
            None => Err(Error::bad_request("imports are not available").into()),
        }
    }

    /// Begins a file. `bytes` is its approximate size and only affects speed.
    pub fn begin(&mut self, name: &str, bytes: u32) {
        self.0.begin(name, bytes as usize);
    }

    /// Adds the next bytes of the file. Returns the number of requests found so far.
    pub fn push(&mut self, bytes: &[u8]) -> Result<u32, Exception> {
        self.0.push(bytes)?;
        Ok(self.requests())
    }

    /// Ends the file. Returns the number of requests found so far.
    pub fn end(&mut self) -> u32 {
        self.0.end();
        self.requests()
    }

    /// Ends the import. Returns the report without its sessions, and its lints, each as JSON text.
    pub fn finish(&mut self) -> Vec<String> {
        self.0.finish().into()
    }

    /// Returns the JSON text of the next part of the report: a session, or more of its requests.
    pub fn piece(&mut self) -> Option<String> {
        self.0.piece()
    }
}

impl ImportStream {
    fn requests(&self) -> u32 {
        u32::try_from(self.0.counts().1).unwrap_or(u32::MAX)
    }
}

/// The timeline of log files, which stays in memory.
#[wasm_bindgen]
pub struct Timeline(Box<dyn TimelineReading>);

#[wasm_bindgen]
impl Timeline {
    /// Creates a timeline without files. `entropy` is 32 random bytes, `models` the host's own table of
    /// models as JSON text.
    #[wasm_bindgen(constructor)]
    pub fn new(entropy: &[u8], models: Option<String>) -> Result<Self, Exception> {
        need(parts_of_import(models.is_some()))?;
        seed_hashing(entropy)?;
        match call::timeline(models.as_deref())? {
            Some(reader) => Ok(Self(reader)),
            None => Err(Error::bad_request("imports are not available").into()),
        }
    }

    /// Begins a file. `bytes` is its approximate size and only affects speed.
    pub fn begin(&mut self, name: &str, bytes: u32) {
        self.0.begin(name, bytes as usize);
    }

    /// Adds the next bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Exception> {
        Ok(self.0.push(bytes)?)
    }

    /// Ends the file.
    pub fn end(&mut self) {
        self.0.end();
    }

    /// Answers a question, both as JSON text.
    pub fn ask(&mut self, question: &str) -> Result<String, Exception> {
        Ok(self.0.ask(question)?)
    }
}

/// The body of a conversation that grows. Only new messages cross to it, and only new text back.
#[wasm_bindgen]
pub struct ResidentBody {
    body: Box<dyn GrowingBody>,
    change: Option<BodyChange<String>>,
}

#[wasm_bindgen]
impl ResidentBody {
    /// Appends messages, as the UTF-8 JSON text of a list, and returns the text of the new messages.
    pub fn append(&mut self, messages: &[u8]) -> Result<String, Exception> {
        let text = core::str::from_utf8(messages)
            .map_err(|_| Error::invalid_content("the messages are not UTF-8"))?;
        let change = self.change.insert(self.body.append(text)?);
        Ok(core::mem::take(&mut change.items))
    }

    /// Returns the text before the first message, if the whole body is new.
    pub fn head(&mut self) -> Option<String> {
        self.change.as_mut()?.head.take()
    }

    /// Returns the text after the last message, if it changed.
    pub fn end(&mut self) -> Option<String> {
        self.change.as_mut()?.end.take()
    }

    /// Returns all changes of messages as JSON text, if they changed.
    pub fn losses(&mut self) -> Option<String> {
        self.change.as_mut()?.losses.take()
    }
}

/// Returns the declared tables as JSON text.
#[wasm_bindgen]
pub fn tables() -> Result<String, Exception> {
    text(&table::ALL)
}

/// The rows of one project that were read so far.
#[wasm_bindgen]
pub struct Workspace(tuckbox::Workspace);

/// The size of the rows in memory and of the instance's memory.
#[derive(Serialize)]
struct Stats {
    #[serde(flatten)]
    counts: Counts,
    memory_bytes: usize,
}

#[wasm_bindgen]
impl Workspace {
    /// Creates an empty workspace with [`Settings`] as JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(settings: &str) -> Result<Self, Exception> {
        let settings = Json::parse(settings)?;
        need(Parts::of_settings(&settings))?;
        let settings = Settings::from_json(&Field::root(&settings))?;
        Ok(Self(tuckbox::Workspace::with_settings(settings)))
    }

    /// Does the same as [`Workspace::new`] for `{"project_id": project_id}`, without parsing JSON.
    pub fn of_project(project_id: &str) -> Result<Self, Exception> {
        Ok(Self(tuckbox::Workspace::with_settings(Settings::of_project(project_id)?)))
    }

    /// Starts a call and returns the reads that it needs, or `None` when it is done. `op` is the
    /// operation, or empty if the arguments contain it. The call is UTF-8 text, because hosts
    /// encode it faster than they copy a string.
    pub fn start(
        &mut self,
        run: &mut Run,
        op: &str,
        call: &[u8],
        now_ms: f64,
        entropy: &[u8],
    ) -> Result<Option<String>, Exception> {
        // the hash maps are seeded before any untrusted input is read
        let entropy = seed_hashing(entropy)?;
        let env = Env::new(Timestamp::from_millis(now_ms as i64), entropy);
        if let Some(part) = call::text_part(op) {
            need(Parts::CORE.with(part))?;
            if let Some(begun) = self.0.begin_arguments(op, call, &env) {
                return self.0.step(run.0.insert(begun))?.map(text).transpose();
            }
        }
        let mut call = self.0.read_call(call)?;
        if let (false, Json::Object(fields)) = (op.is_empty(), &mut call) {
            fields.insert("op".to_owned(), op.into());
        }
        need(parts(&call, self.0.setup()))?;
        let run = run.0.insert(self.0.begin(call, env)?);
        self.0.step(run)?.map(text).transpose()
    }

    /// Adds a store's answers.
    pub fn answer(&mut self, run: &mut Run, answers: &[u8]) -> Result<(), Exception> {
        Ok(self.0.answer_text(run.started_mut()?, answers)?)
    }

    /// Returns the reads that a run needs after its answers, or `None` when it is done. It is
    /// separate from `answer`, so that the host can free its copy of the answers first.
    pub fn step(&mut self, run: &mut Run) -> Result<Option<String>, Exception> {
        self.0.step(run.started_mut()?)?.map(text).transpose()
    }

    /// Records that the writes of a run were committed.
    pub fn committed(&mut self, run: &Run, receipt: &str) -> Result<JsValue, Exception> {
        need(COMMIT)?;
        value(&call::committed(&mut self.0, run.started()?, receipt.as_bytes())?)
    }

    /// Records that the writes of a run were not committed, or that the result is unknown.
    pub fn refused(&mut self, run: &Run) -> Result<(), Exception> {
        need(COMMIT)?;
        Ok(call::refused(&mut self.0, run.started()?)?)
    }

    /// Returns a workspace that sees the project as if the writes of a run were committed.
    pub fn after(&self, run: &Run) -> Result<Self, Exception> {
        need(COMMIT)?;
        Ok(Self(call::after(&self.0, run.started()?)?))
    }

    /// Creates the body of a conversation that grows, from the arguments of `payload` without a prompt.
    pub fn body(&self, call: &[u8]) -> Result<ResidentBody, Exception> {
        let call = self.0.read_call(call)?;
        need(Parts::CORE.with(Part::Prompt))?;
        Ok(ResidentBody { body: call::resident_body(&call, self.0.setup())?, change: None })
    }

    /// Discards all rows that can change.
    pub fn refresh(&mut self) {
        self.0.refresh();
    }

    /// Returns the size of the rows in memory and of the instance's memory.
    pub fn stats(&self) -> Result<JsValue, Exception> {
        let memory_bytes = core::arch::wasm32::memory_size::<0>() * 65_536;
        value(&Stats { counts: self.0.snapshot().counts(), memory_bytes })
    }
}
