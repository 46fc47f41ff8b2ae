//! `pack`: `pack_context` in the three dialects.

use super::Outcome;
use super::world::{self, env};
use crate::conform::shapes;
use tuckbox::store::{MemoryStore, Profile, Snapshot};
use tuckbox::value::json::Object;
use tuckbox::value::json::to_json;
use tuckbox::{Dialect, Json, PackContext, Result, rule};

pub fn run(input: &Json, _worlds: &Json) -> Vec<Outcome> {
    Dialect::REFERENCE
        .into_iter()
        .map(|dialect| Outcome { label: dialect.name, actual: pack(input, dialect) })
        .collect()
}

fn pack(input: &Json, dialect: Dialect) -> Result<Json> {
    let text = |key| input.get(key).and_then(Json::as_str).unwrap_or_default();
    let store = store(input);
    let mut snapshot = Snapshot::new(dialect.project_id(text("project_id"))?);
    let mut call = PackContext::new(
        text("tool_suffix"),
        text("source_agent_id"),
        input.get("arguments").cloned().unwrap_or_default(),
        input.get("handover").cloned().unwrap_or_default(),
    );
    call.dialect = Some(dialect);
    let outcome = rule::preview(&call, &mut snapshot, &env(), &store)?;
    shapes::check("pack_context", &to_json(&outcome.value)?);

    let project = snapshot.project_id();
    let mut context = Object::default();
    context.insert("box_id".into(), (&outcome.value.context_box_id).into());
    context.insert("tenant_id".into(), project.into());
    context.insert(
        "card_ids".into(),
        tuckbox::value::json::to_json(&outcome.value.attached_card_ids)?,
    );
    let given = world::given_metadata(&outcome, &call);
    let cards = outcome.writes.cards.iter().zip(given);
    Ok(Json::from([
        ("context_box", Json::Object(context)),
        ("profile_box_id", (&outcome.value.target_profile_box_id).into()),
        ("new_cards", cards.map(|(card, given)| world::new_card(card, given)).collect()),
    ]))
}

fn store(input: &Json) -> MemoryStore {
    let mut store = MemoryStore::new();
    let own = input.get("project_id").and_then(Json::as_str).unwrap_or_default();
    fill(&mut store, own, input);
    let others = input.get("other_projects").and_then(Json::as_object);
    for (project, tables) in others.into_iter().flatten() {
        fill(&mut store, project, tables);
    }
    store
}

fn fill(store: &mut MemoryStore, project: &str, tables: &Json) {
    let store = store.project(project);
    for (name, box_id) in tables.get("profiles").and_then(Json::as_object).into_iter().flatten() {
        let mut profile = Profile::new(name, box_id.text_form());
        if !box_id.is_truthy() {
            profile.profile_box_id = None;
        }
        store.add_profile(profile);
    }
    world::add_boxes(store, tables);
}
