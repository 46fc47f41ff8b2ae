//! `imports`: logs of other tools as a report, as requests, as a project, and as a stream.

use super::Outcome;
use super::world::drive;
use tuckbox::import::Stream;
use tuckbox::store::{MemoryStore, Snapshot};
use tuckbox::{Json, Result};

pub fn run(input: &Json, _worlds: &Json) -> Vec<Outcome> {
    let import =
        |label: &'static str, more: &[(&str, Json)]| Outcome { label, actual: answer(input, more) };
    vec![
        import("report", &[]),
        import("neutral", &[("shape", "neutral".into()), ("every", true.into())]),
        import("snapshot", &[("shape", "snapshot".into())]),
        Outcome { label: "stream", actual: stream(input) },
    ]
}

/// Returns the native result as the expectation of a case.
pub fn expected(input: &Json) -> Json {
    let outcomes = run(input, &Json::Null).into_iter();
    let ok = |outcome: Outcome| {
        let found = match outcome.actual {
            Ok(value) => Json::from([("ok", value)]),
            Err(error) => Json::from([("error", Json::from([("type", error.to_string())]))]),
        };
        (outcome.label.to_owned(), found)
    };
    Json::Object(outcomes.map(ok).collect())
}

fn answer(input: &Json, more: &[(&str, Json)]) -> Result<Json> {
    let mut call = input.as_object().cloned().unwrap_or_default();
    call.insert("op".into(), "import".into());
    for (key, value) in more {
        call.insert((*key).into(), value.clone());
    }
    let outcome = drive(&Json::Object(call), &mut Snapshot::new("p1".into()), &MemoryStore::new())?;
    Json::parse(&outcome.value.to_text()?)
}

/// Streams the text files in order.
fn stream(input: &Json) -> Result<Json> {
    let mut stream = Stream::new();
    for file in input.get("files").and_then(Json::as_array).unwrap_or_default() {
        let field = |key: &str| file.get(key).and_then(Json::as_str);
        if let (Some(name), Some(text)) = (field("name"), field("text")) {
            stream.file(name, text.into());
        }
    }
    Json::parse(&stream.finish().0)
}
