//! `lock`: the lockfile of contexts, and the verdict on edited contexts.

use super::Outcome;
use super::world::drive;
use tuckbox::store::{MemoryStore, Snapshot};
use tuckbox::value::json::Object;
use tuckbox::{Json, Result};

pub fn run(input: &Json, _worlds: &Json) -> Vec<Outcome> {
    vec![
        Outcome { label: "lock", actual: lock(input) },
        Outcome { label: "verdict", actual: verdict(input) },
    ]
}

/// Returns the text of the lockfile.
fn lock(input: &Json) -> Result<Json> {
    let entries = entries(input, "contexts")?;
    let updated = answer("lock_update", Object::from_iter([("entries".into(), entries)]))?;
    Ok(updated.get("lock").cloned().unwrap_or_default())
}

/// Returns the verdict on the edited contexts, with the arguments of `check`.
fn verdict(input: &Json) -> Result<Json> {
    let mut call = input.get("check").and_then(Json::as_object).cloned().unwrap_or_default();
    call.insert("lock".into(), lock(input)?);
    call.insert("entries".into(), entries(input, "edited")?);
    answer("lock_check", call)
}

fn entries(input: &Json, key: &str) -> Result<Json> {
    let contexts = input.get(key).and_then(Json::as_array).unwrap_or_default();
    let entry =
        |context: &Json| answer("lock_entry", context.as_object().cloned().unwrap_or_default());
    contexts.iter().map(entry).collect::<Result<Vec<Json>>>().map(Json::Array)
}

fn answer(op: &str, mut call: Object) -> Result<Json> {
    call.insert("op".into(), op.into());
    let outcome = drive(&Json::Object(call), &mut Snapshot::new("p1".into()), &MemoryStore::new())?;
    Json::parse(&outcome.value.to_text()?)
}
