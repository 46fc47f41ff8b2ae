//! `compose`: the composer, the collector's view of a state, and the process table.

use super::Outcome;
use tuckbox::prompt::collect::operations::collect_contexts;
use tuckbox::prompt::compose::{ComposeInput, Process, compose};
use tuckbox::rule::{Defaults, Dialect};
use tuckbox::value::arguments::Argument;
use tuckbox::value::json::{Field, to_json};
use tuckbox::{Json, Result};

pub fn run(input: &Json, _worlds: &Json) -> Vec<Outcome> {
    match input.get("op").and_then(Json::as_str) {
        Some("compose_agent") => Outcome::only(compose_agent(input)),
        Some("compose_simple") => Outcome::only(compose_simple(input)),
        Some("extract_context_blocks") => Outcome::only(extract_context_blocks(input)),
        Some("allowed_contexts") => Outcome::only(allowed_contexts(input)),
        Some(_) | None => Vec::new(),
    }
}

/// Composes a prompt. The recorded composer takes the query from the checkpoint if there is one,
/// and ours gets the same choice as an argument. The recorded one also allows no query.
fn compose_agent(input: &Json) -> Result<Json> {
    let given = |key: &str| input.get(key).cloned().unwrap_or_default();
    let query = given("query");
    let runtime = query.is_truthy() && !given("checkpoint_messages").is_truthy();
    messages(Json::from([
        ("process", Json::from("react")),
        ("system_prompt", given("system_prompt")),
        ("contexts", given("contexts")),
        ("checkpoint_messages", given("checkpoint_messages")),
        ("human_message", given("human_message")),
        ("query", if runtime { query } else { Json::from([("in_checkpoint", true)]) }),
    ]))
}

fn compose_simple(input: &Json) -> Result<Json> {
    let given = |key: &str| input.get(key).cloned().unwrap_or_default();
    messages(Json::from([
        ("process", Json::from("react")),
        ("system_prompt", given("system_prompt")),
        ("contexts", given("contexts")),
        ("query", given("human_content")),
    ]))
}

fn messages(input: Json) -> Result<Json> {
    let composed = compose(&ComposeInput::from_json(&input)?)?;
    Ok(Json::from([("messages", to_json(&composed.messages)?)]))
}

fn extract_context_blocks(input: &Json) -> Result<Json> {
    let state = input.get("state").cloned().unwrap_or_default();
    let input = Json::from([("state", state)]);
    let defaults =
        Defaults { reference_behavior: true, dialect: Dialect::V1R3, ..Defaults::default() };
    let collected = collect_contexts(&input, &defaults)?;
    Ok(Json::from([("contexts", Json::from(collected.value().contexts.clone()))]))
}

fn allowed_contexts(input: &Json) -> Result<Json> {
    let fields = Field::root(input).object()?;
    let scenario = fields.required("scenario")?;
    // the recorded scenario `agent` covers every process except map-reduce
    let process = match scenario.json().as_str() {
        Some("agent") => Process::Sequential,
        Some(_) | None => Process::read(&scenario)?,
    };
    let share = fields.required("share_agent_context")?.boolean()?;
    let layers = process.rule().allowed_contexts(share);
    let mut keys: Vec<_> = layers.iter().map(|layer| layer.key().to_owned()).collect();
    keys.sort();
    Ok(Json::from([("keys", keys)]))
}
