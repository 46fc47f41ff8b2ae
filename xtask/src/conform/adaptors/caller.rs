//! Makes the calls of a sequence in order, on one store.
//!
//! A sequence is played once in the native core. Its script has the stored rows and the calls, and
//! every JavaScript runtime performs it. Playing the sequence again with the answers of a runtime
//! checks that runtime.

use crate::conform::shapes;
use std::collections::VecDeque;
use tuckbox::rule::Step;
use tuckbox::store::table::{self, Table};
use tuckbox::store::{MemoryStore, Profile, Snapshot, Store};
use tuckbox::value::json::{Field, Object, to_json};
use tuckbox::{Card, Env, Error, Json};

/// A refused call: the error as JSON.
pub struct Refused(pub Json);

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self(error.to_json())
    }
}

/// The answer of a sequence or of one of its calls.
pub type Played<T> = Result<T, Refused>;

/// The source of the answers.
enum AnswersFrom {
    Core(Box<MemoryStore>),
    Runtime(VecDeque<Json>),
}

/// A caller of one store.
pub struct Caller {
    from: AnswersFrom,
    script: Vec<Json>,
    answers: Vec<Json>,
}

/// The answer and the writes of a call.
pub struct CallResult {
    pub value: Json,
    pub writes: Json,
    pub transitions: Json,
}

impl Caller {
    /// Creates a caller of an empty store in the native core.
    pub fn native() -> Self {
        let from = AnswersFrom::Core(Box::new(MemoryStore::new()));
        Self { from, script: Vec::new(), answers: Vec::new() }
    }

    /// Creates a caller with the answers of a runtime.
    pub fn answered(answers: &[Json]) -> Self {
        let from = AnswersFrom::Runtime(answers.iter().cloned().collect());
        Self { from, script: Vec::new(), answers: Vec::new() }
    }

    /// Returns everything that was done, in order, as a script for a runtime.
    pub fn script(&self) -> Json {
        self.script.iter().cloned().collect()
    }

    /// Returns all answers, in order.
    pub fn answers(&self) -> Json {
        self.answers.iter().cloned().collect()
    }

    /// Returns the number of unused answers of a runtime.
    pub fn left(&self) -> usize {
        match &self.from {
            AnswersFrom::Core(_) => 0,
            AnswersFrom::Runtime(answers) => answers.len(),
        }
    }

    fn put(&mut self, project: &str, kind: &str, more: Vec<(&str, Json)>) {
        let first = [("put", kind.into()), ("project_id", project.into())];
        let entries = first.into_iter().chain(more).map(|(key, value)| (key.to_owned(), value));
        self.script.push(Json::Object(entries.collect()));
    }

    /// Puts a card into the store verbatim.
    pub fn put_card(&mut self, project: &str, card: &Json) -> Played<()> {
        if let AnswersFrom::Core(store) = &mut self.from {
            store.project(project).add_card(Card::from_row(&Field::root(card))?);
        }
        self.put(project, "card", vec![("row", card.clone())]);
        Ok(())
    }

    /// Puts a box into the store.
    pub fn put_box(&mut self, project: &str, box_id: &str, card_ids: &[Json]) {
        if let AnswersFrom::Core(store) = &mut self.from {
            store.project(project).add_box(box_id, card_ids.iter().filter_map(Json::as_str));
        }
        let ids = card_ids.iter().filter(|id| id.as_str().is_some()).cloned().collect();
        let row = Json::from([("box_id", Json::from(box_id)), ("card_ids", ids)]);
        self.put(project, "box", vec![("row", row)]);
    }

    /// Puts a profile into the store.
    pub fn put_profile(&mut self, project: &str, row: &Json) -> Played<()> {
        let Json::Object(row) = to_json(&Profile::from_row(&Field::root(row))?)? else {
            return Ok(());
        };
        self.put_row(project, &table::PROJECT_PROFILES, row);
        Ok(())
    }

    /// Puts a row of a table into the store verbatim.
    pub fn put_row(&mut self, project: &str, table: &'static Table, row: Object) {
        let key = table.key_of(&row);
        let mut more = vec![("table", table.name.into()), ("row", Json::Object(row.clone()))];
        if let AnswersFrom::Core(store) = &mut self.from {
            let tables = store.project(project).add_row(table, row);
            let kept = tables.rows(table).find(|kept| Some(&kept.key) == key.as_ref());
            more.push(("version", kept.map(|kept| kept.version.clone()).into()));
        }
        self.put(project, "row", more);
    }

    /// Makes a call and commits its writes.
    pub fn call(&mut self, project: &str, env: &Env, call: Json) -> Played<CallResult> {
        let answer = match &mut self.from {
            AnswersFrom::Core(store) => perform(store, project, env, &call),
            AnswersFrom::Runtime(answers) => answers.pop_front().unwrap_or_else(|| {
                Json::from([(
                    "error",
                    Json::from([("message", "the runtime did not make this call")]),
                )])
            }),
        };
        let entropy: String = env.entropy.iter().map(|byte| format!("{byte:02x}")).collect();
        self.script.push(Json::from([
            ("call", call),
            ("project_id", project.into()),
            ("now", env.now.as_millis().into()),
            ("entropy", entropy.into()),
        ]));
        self.answers.push(answer.clone());
        match answer.get("error") {
            Some(error) => Err(Refused(error.clone())),
            None => Ok(CallResult {
                value: member(&answer, "value"),
                writes: member(&answer, "writes"),
                transitions: member(&answer, "transitions"),
            }),
        }
    }
}

/// Makes a call in the native core. Returns `{value, writes, transitions}` or `{error}`.
fn perform(store: &mut MemoryStore, project: &str, env: &Env, call: &Json) -> Json {
    let mut answer = || -> Result<Json, Error> {
        let read = super::world::reference().read_call(call)?;
        let mut snapshot = Snapshot::new(project.into());
        let outcome = loop {
            match read.step(&snapshot, env)? {
                Step::Done(outcome) => break outcome,
                Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads)?)?,
            }
        };
        if !outcome.writes.is_empty() {
            store.commit(&outcome.writes)?;
        }
        let value = outcome.value.to_json()?;
        shapes::check_call(call, &value);
        Ok(Json::from([
            ("value", value),
            ("writes", to_json(&outcome.writes)?),
            ("transitions", to_json(&outcome.ledger.transitions)?),
        ]))
    };
    answer().unwrap_or_else(|error| Json::from([("error", error.to_json())]))
}

pub fn member(value: &Json, key: &str) -> Json {
    value.get(key).cloned().unwrap_or_default()
}

pub fn text<'a>(value: &'a Json, key: &str) -> &'a str {
    value.get(key).and_then(Json::as_str).unwrap_or_default()
}
