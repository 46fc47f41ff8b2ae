//! Compares what operations declare with what their calls do.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use tuckbox::agents::Setup;
use tuckbox::rule::{MAX_ROUNDS, Step};
use tuckbox::store::{MemoryStore, Reads, Snapshot, Store};
use tuckbox::value::json::{Object, to_json};
use tuckbox::{Env, Error, Json};

static SCHEMA: LazyLock<Json> =
    LazyLock::new(|| Json::parse(include_str!("../../pkg/schema/operations.json")).unwrap());

/// Returns the published schema.
pub fn schema() -> &'static Json {
    &SCHEMA
}

/// Returns the declarations of all operations.
pub fn operations() -> &'static Object {
    SCHEMA.get("operations").and_then(Json::as_object).unwrap()
}

fn declares(operation: &str, list: &str, word: &str) -> bool {
    let words = operations().get(operation).and_then(|entry| entry.get(list));
    words.and_then(Json::as_array).unwrap().contains(&word.into())
}

/// The undeclared behavior of operations.
#[derive(Debug, Default)]
pub struct Undeclared(pub BTreeSet<String>);

impl Undeclared {
    /// Notes kinds of rows that an operation requests and does not declare.
    pub fn reads(&mut self, operation: &str, reads: &Reads) {
        let json = to_json(reads).unwrap();
        for key in json.as_object().unwrap().keys() {
            let kind = match key.as_str() {
                // the keys of further reads are in rows that are requested too
                "project_id" | "follow" => continue,
                "profiles_by_box" => "profiles",
                "lists" => "rows",
                kind => kind,
            };
            if !declares(operation, "reads", kind) {
                self.0.insert(format!("`{operation}` reads {kind}"));
            }
        }
    }

    /// Notes the code of an error that an operation does not declare.
    pub fn error(&mut self, operation: &str, error: &Error) {
        let code = error.code().as_str();
        if !declares(operation, "errors", code) {
            self.0.insert(format!("`{operation}` fails with {code}"));
        }
    }

    /// Runs a call on a store, and notes what its operation does not declare.
    pub fn call(&mut self, operation: &str, call: &Json, store: &MemoryStore, env: &Env) {
        let rule = match Setup::default().read_call(call) {
            Ok(rule) => rule,
            Err(error) => return self.error(operation, &error),
        };
        let mut snapshot = Snapshot::new("p1".into());
        for _ in 0..MAX_ROUNDS {
            match rule.step(&snapshot, env) {
                Ok(Step::Done(outcome)) => {
                    let declared = operations().get(operation).unwrap().get("writes").unwrap();
                    if !outcome.writes.is_empty() && *declared != Json::Bool(true) {
                        self.0.insert(format!("`{operation}` writes"));
                    }
                    return;
                }
                Ok(Step::Need(reads)) => {
                    self.reads(operation, &reads);
                    snapshot.absorb(&reads, store.read(&reads).unwrap()).unwrap();
                }
                Err(error) => return self.error(operation, &error),
            }
        }
        panic!("`{operation}` reads too often: {call}");
    }
}
