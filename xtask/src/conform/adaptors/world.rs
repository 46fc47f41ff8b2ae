//! Shared code of adaptors: the environment, and cards in the recorded form.

use crate::conform::shapes;
use tuckbox::agents::Setup;
use tuckbox::agents::recipe::Recipes;
use tuckbox::rule::ledger::Cause;
use tuckbox::rule::{AnyOutcome, Defaults, Dialect, Step};
use tuckbox::store::{MemoryStore, Snapshot, Store, Tables};
use tuckbox::value::json::Object;
use tuckbox::{Card, Env, Json, Outcome, PackContext, Packed, Result, Timestamp};

/// Returns the time and the entropy of every recorded call, the same natively and in JavaScript.
pub fn env() -> Env {
    Env { now: Timestamp::from_millis(1_767_522_600_000), entropy: [7; 32] }
}

/// Returns the settings of the reference systems.
pub fn reference() -> Setup {
    let defaults =
        Defaults { reference_behavior: true, dialect: Dialect::V1R3, ..Defaults::default() };
    Setup::new(defaults, Recipes::default())
}

/// Runs a call through the JSON caller over a store in memory.
pub fn drive(call: &Json, snapshot: &mut Snapshot, store: &MemoryStore) -> Result<AnyOutcome> {
    let read = reference().read_call(call)?;
    loop {
        match read.step(snapshot, &env())? {
            Step::Done(outcome) => {
                shapes::check_call(call, &outcome.value.to_json()?);
                return Ok(outcome);
            }
            Step::Need(reads) => snapshot.absorb(&reads, store.read(&reads)?)?,
        }
    }
}

/// Adds the boxes of a recorded world.
pub fn add_boxes(tables: &mut Tables, world: &Json) {
    for (box_id, ids) in world.get("boxes").and_then(Json::as_object).into_iter().flatten() {
        let ids = ids.as_array().unwrap_or_default();
        tables.add_box(box_id.as_str(), ids.iter().filter_map(Json::as_str));
    }
}

/// Returns the requested metadata of each new card, without reserved keys.
pub fn given_metadata(outcome: &Outcome<Packed>, call: &PackContext) -> Vec<Object> {
    let rules = call
        .handover
        .json()
        .get("context_packing_config")
        .and_then(|config| config.get("pack_arguments"))
        .and_then(Json::as_array)
        .unwrap_or_default();
    let entries = outcome.ledger.boxes.iter().flat_map(|account| account.entries(0..account.len()));
    let mut given = Vec::new();
    for entry in entries {
        match entry.cause {
            Cause::Parent { .. } => given.push(Object::from_iter([role("system")])),
            Cause::Argument { path, .. } => {
                let rule = rules.iter().enumerate().find(|(index, _)| {
                    path.steps().last() == Some(&tuckbox::value::error::Step::Index(*index))
                });
                let metadata = rule.and_then(|(_, rule)| rule.get("card_metadata"));
                let mut metadata = metadata.and_then(Json::as_object).cloned().unwrap_or_default();
                let (key, user) = role("user");
                metadata.get_or_insert_with(&key, || user);
                given.push(metadata);
            }
            Cause::Inherited { .. } | Cause::Imported(_) => {}
        }
    }
    given
}

fn role(role: &str) -> (String, Json) {
    ("role".to_owned(), role.into())
}

/// Returns a new card in the recorded form.
pub fn new_card(card: &Card, given: Object) -> Json {
    let stored = |key: &str| card.metadata.get(key).cloned().unwrap_or_default();
    Json::from([
        ("card_id", Json::from(&card.card_id)),
        ("tenant_id", card.tenant_id.clone().into()),
        ("type", stored("type")),
        ("author_id", stored("author_id")),
        ("created_at", stored("created_at")),
        ("content", card.content.to_wire()),
        ("metadata", Json::Object(given)),
        ("stored_metadata", Json::Object(card.metadata.clone())),
        ("tool_calls", card.tool_calls.clone().into()),
        ("tool_call_id", card.tool_call_id.as_deref().into()),
        ("ttl_seconds", card.ttl_seconds.into()),
    ])
}
