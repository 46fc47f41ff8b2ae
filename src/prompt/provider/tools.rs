//! Tool definitions, and the names that tools go under.

use super::Provider;
use super::demands::Token;
use super::loss::{Change, Losses, unknown_keys};
use super::turn::{Body, Turn};
use crate::value::json::{Json, Object};
use indexmap::IndexMap;
use serde::Serialize;

/// One tool, in the parts that every provider has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tool {
    pub name: String,
    pub description: Option<String>,
    /// The JSON schema of an object; nothing where the tool takes nothing.
    pub schema: Option<Json>,
    pub strict: Option<bool>,
}

/// A tool that goes under another name than it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Renamed {
    /// The name in the prompt.
    pub given: String,
    /// The name in the payload, and in the model's answers.
    pub sent: String,
}

/// Reads definitions and makes them legal; gives every call the name its tool goes under.
pub(super) fn legalise(
    given: &[Object],
    turns: &mut [Turn],
    provider: Provider,
    losses: &mut Losses,
) -> (Vec<Tool>, Vec<Renamed>) {
    let (tools, mut names) = define(given, provider, losses);
    names.name_calls(turns, losses);
    let renamed = names.sent.into_iter().filter(|(given, sent)| given != sent);
    (tools, renamed.map(|(given, sent)| Renamed { given, sent }).collect())
}

/// Reads definitions and makes them legal, with the names that they go under.
pub(super) fn define(
    given: &[Object],
    provider: Provider,
    losses: &mut Losses,
) -> (Vec<Tool>, Names) {
    let mut tools: Vec<(usize, Tool)> = Vec::new();
    let mut seen: IndexMap<String, &Object> = IndexMap::new();
    for (at, object) in given.iter().enumerate() {
        let Some(tool) = read(object, at, provider, losses) else { continue };
        match seen.get(&tool.name) {
            Some(other) if *other == object => {
                let reason = format!("the tool `{}` is defined twice", tool.name);
                losses.tool(Change::DuplicateTool, at, reason);
            }
            Some(_) => {
                let reason = format!("another tool named `{}` is defined before", tool.name);
                losses.tool(Change::ConflictingTool, at, reason);
            }
            None => {
                seen.insert(tool.name.clone(), object);
                tools.push((at, tool));
            }
        }
    }
    let mut names = Names {
        token: provider.demands().tool_name,
        given: seen.keys().cloned().collect(),
        sent: IndexMap::new(),
    };
    for (at, tool) in &mut tools {
        let given = tool.name.clone();
        tool.name = names.legal(&given, |sent| {
            let reason = format!("the tool `{given}` goes under the name `{sent}`");
            losses.tool(Change::ToolNameRewritten, *at, reason);
        });
    }
    (tools.into_iter().map(|(_, tool)| tool).collect(), names)
}

/// The names that tools go under.
#[derive(Clone)]
pub(super) struct Names {
    token: Option<Token>,
    given: Vec<String>,
    sent: IndexMap<String, String>,
}

impl Names {
    /// Gives every call the name its tool goes under.
    pub fn name_calls(&mut self, turns: &mut [Turn], losses: &mut Losses) {
        for turn in turns {
            let at = turn.at.unwrap_or_default();
            for block in &mut turn.blocks {
                match &mut block.body {
                    Body::Call(call) => {
                        let sent = self.legal(&call.name, |_| {});
                        if sent != call.name {
                            let given = &call.name;
                            let reason =
                                format!("the call of `{given}` goes under the name `{sent}`");
                            losses.message(Change::ToolNameRewritten, at, reason);
                        }
                        call.name = sent;
                    }
                    Body::Answer(answer) if !answer.tool_name.is_empty() => {
                        answer.tool_name = self.legal(&answer.tool_name, |_| {});
                    }
                    Body::Answer(_) | Body::Text(_) | Body::Media(_) | Body::Reasoning(_) => {}
                }
            }
        }
    }

    fn legal(&mut self, name: &str, note: impl FnOnce(&str)) -> String {
        if let Some(sent) = self.sent.get(name) {
            return sent.clone();
        }
        let sent = match self.token {
            Some(token) if !token.allows(name) => {
                let taken = |sent: &str| {
                    self.sent.values().any(|other| other == sent)
                        || self.given.iter().any(|other| other == sent)
                };
                let sent = token.nearest(name, taken);
                note(&sent);
                sent
            }
            Some(_) | None => name.to_owned(),
        };
        self.sent.insert(name.to_owned(), sent.clone());
        sent
    }
}

/// Reads a definition as chat completions write it, or as a bare function, with the schema under
/// `parameters`, `input_schema` or `inputSchema`.
fn read(object: &Object, at: usize, provider: Provider, losses: &mut Losses) -> Option<Tool> {
    let kind = object.get("type").and_then(Json::as_str);
    let function = object.get("function").and_then(Json::as_object);
    if let Some(other) = kind.filter(|kind| !["function", "custom"].contains(kind))
        && function.is_none()
        && provider != Provider::Neutral
    {
        losses.tool(Change::ForeignTool, at, format!("a tool of type `{other}` is no function"));
        return None;
    }
    if function.is_some() {
        note_keys(object, &["type", "function"], at, losses);
    }
    let function = function.unwrap_or(object);
    let Some(name) = function.get("name").and_then(Json::as_str).filter(|name| !name.is_empty())
    else {
        losses.tool(Change::MalformedTool, at, "a tool without a name cannot be called");
        return None;
    };
    let schemas = ["parameters", "input_schema", "inputSchema"];
    let schema_key = schemas.into_iter().find(|key| function.contains_key(*key));
    let schema = schema_key.and_then(|key| function.get(key)).filter(|schema| !schema.is_null());
    let schema = match schema {
        None => None,
        Some(Json::Object(schema)) => Some(legal_schema(schema, name, at, losses)),
        Some(other) => {
            let reason = format!("the schema of `{name}` is {}, not an object", other.kind());
            losses.tool(Change::MalformedTool, at, reason);
            return None;
        }
    };
    let strict = function.get("strict").and_then(Json::as_bool);
    if strict == Some(true) && provider == Provider::Gemini {
        let reason = format!("`gemini` has no `strict` for `{name}`");
        losses.tool(Change::KeyDropped, at, reason);
    }
    let description = function.get("description").and_then(Json::as_str).map(str::to_owned);
    let mut known = vec!["type", "name"];
    known.extend(schema_key);
    known.extend(strict.map(|_| "strict"));
    known.extend(description.as_ref().map(|_| "description"));
    note_keys(function, &known, at, losses);
    Some(Tool { name: name.to_owned(), description, schema, strict })
}

fn note_keys(object: &Object, known: &[&str], at: usize, losses: &mut Losses) {
    for key in unknown_keys(Some(object), known) {
        let reason = format!("no provider takes the key `{key}` of a tool");
        losses.tool(Change::KeyDropped, at, reason);
    }
}

/// Every provider wants the schema of an object at the top, without alternatives.
fn legal_schema(schema: &Object, name: &str, at: usize, losses: &mut Losses) -> Json {
    let kind = schema.get("type");
    let object = kind.and_then(Json::as_str) == Some("object");
    let among = kind.and_then(Json::as_array).is_some_and(|kinds| kinds.contains(&"object".into()));
    let alternatives =
        ["anyOf", "oneOf", "allOf", "enum", "not"].iter().any(|key| schema.contains_key(*key));
    if object && !alternatives {
        return Json::Object(schema.clone());
    }
    if !alternatives && (kind.is_none() || among) {
        let reason = format!("the schema of `{name}` is one of an object and says so");
        losses.tool(Change::SchemaRewritten, at, reason);
        let mut typed = Object::default();
        typed.insert("type".into(), "object".into());
        typed.extend(
            schema.iter().filter(|(key, _)| *key != "type").map(|(k, v)| (k.clone(), v.clone())),
        );
        typed.entry("properties".into()).or_insert_with(|| Json::Object(Object::default()));
        return Json::Object(typed);
    }
    let reason = format!("the schema of `{name}` is no object's and stands in one, under `value`");
    losses.tool(Change::SchemaWrapped, at, reason);
    Json::from([
        ("type", Json::from("object")),
        ("properties", Json::from([("value", schema.clone())])),
        ("required", Json::from(vec!["value"])),
    ])
}

/// The schema of a tool that takes nothing.
pub(super) fn no_parameters() -> Json {
    Json::from([("type", Json::from("object")), ("properties", Json::Object(Object::default()))])
}
