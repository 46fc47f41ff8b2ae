//! Neutral messages to turns.

use super::loss::{Change, Losses, unknown_keys};
use super::parts;
use super::turn::{Answer, Arguments, Block, Body, Call, Speaker, Turn};
use crate::render::REASONING;
use crate::value::json::Json;
use crate::value::message::{Content, Message, Role};

/// Keys of a message that are read elsewhere, or are bookkeeping and never meant for a model.
const OURS: [&str; 2] = ["internal", REASONING];

/// Reads every message. Each becomes exactly one turn, at the same position.
pub(super) fn read(messages: &[Message], losses: &mut Losses) -> Vec<Turn> {
    messages.iter().enumerate().map(|(at, message)| turn(message, at, losses)).collect()
}

fn turn(message: &Message, at: usize, losses: &mut Losses) -> Turn {
    let has_calls = message.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
    let answers = message.tool_call_id.as_deref().filter(|id| !id.is_empty());
    if has_calls && answers.is_some() {
        let reason = "a message that makes calls cannot answer one; its `tool_call_id` is gone";
        losses.message(Change::AnswerAndCalls, at, reason);
    }
    let answers = answers.filter(|_| !has_calls);
    let speaker = speaker(message, at, has_calls, answers.is_some(), losses);
    for key in unknown_keys(Some(&message.extra), &OURS) {
        let reason = format!("no provider takes the key `{key}` of a message");
        losses.message(Change::KeyDropped, at, reason);
    }
    let said = content(&message.content, at, losses);
    if let Some(call_id) = answers {
        let call_id = call_id.to_owned();
        let answer = Answer { call_id, tool_name: String::new(), blocks: said };
        let blocks = vec![block(at, Body::Answer(answer))];
        return Turn { at: Some(at), speaker, name: message.name.clone(), blocks };
    }
    let reasoning = message.extra.get(REASONING).and_then(Json::as_str);
    let reasoning = reasoning.map(|text| block(at, Body::Reasoning(text.into())));
    let said = said.into_iter().map(|body| block(at, body));
    let mut blocks: Vec<_> = reasoning.into_iter().chain(said).collect();
    for call in message.tool_calls.iter().flatten() {
        match read_call(call, at, losses) {
            Some(call) => blocks.push(block(at, Body::Call(call))),
            None => {
                losses.message(Change::MalformedCall, at, "a call without a name cannot be made");
            }
        }
    }
    Turn { at: Some(at), speaker, name: message.name.clone(), blocks }
}

fn block(at: usize, body: Body) -> Block {
    Block { at: Some(at), body }
}

fn speaker(
    message: &Message,
    at: usize,
    calls: bool,
    answers: bool,
    losses: &mut Losses,
) -> Speaker {
    let said = match &message.role {
        Role::System => Speaker::System,
        Role::Developer => Speaker::Developer,
        Role::User => Speaker::User,
        Role::Assistant => Speaker::Assistant,
        Role::Tool => Speaker::Tool,
        Role::Other(role) => {
            let known = match role.as_str() {
                Some("human") => Some(Speaker::User),
                Some("ai" | "model") => Some(Speaker::Assistant),
                Some(_) | None => None,
            };
            let name = known.unwrap_or(Speaker::User).as_str();
            let (change, why) = match known {
                Some(_) => (Change::RoleRenamed, "goes as"),
                None => (Change::UnknownRole, "is not known and goes as"),
            };
            losses.message(change, at, format!("the role `{}` {why} `{name}`", role.text_form()));
            known.unwrap_or(Speaker::User)
        }
    };
    let needed = match (calls, answers) {
        (true, _) => Speaker::Assistant,
        (false, true) => Speaker::Tool,
        (false, false) => return said,
    };
    if said != needed {
        let (said, needed) = (said.as_str(), needed.as_str());
        let what = if calls { "makes calls" } else { "answers a call" };
        let reason = format!("a message of `{said}` that {what} goes as `{needed}`");
        losses.message(Change::RoleRewritten, at, reason);
    }
    needed
}

fn content(content: &Content, at: usize, losses: &mut Losses) -> Vec<Body> {
    match content {
        Content::Absent | Content::Null => Vec::new(),
        Content::Text(text) => vec![Body::Text(text.clone())],
        Content::Parts(given) => given.iter().map(|part| parts::read(part, at, losses)).collect(),
    }
}

/// Reads `{"id", "function": {"name", "arguments"}}`, and the flat `{"id", "name", "args"}`.
fn read_call(call: &Json, at: usize, losses: &mut Losses) -> Option<Call> {
    let function = call.get("function").unwrap_or(call);
    let name = function.get("name")?.as_str().filter(|name| !name.is_empty())?;
    let arguments = function.get("arguments").or_else(|| function.get("args"));
    let arguments = match arguments {
        Some(Json::String(text)) => Arguments::Text(text.as_str().into()),
        None | Some(Json::Null) => {
            let reason = format!("`{name}` is called with nothing: an empty object");
            losses.message(Change::ArgumentsRewritten, at, reason);
            Arguments::Text("{}".into())
        }
        Some(value) => {
            let reason = format!("the arguments of `{name}` are a value and go as JSON text");
            losses.message(Change::ArgumentsRewritten, at, reason);
            Arguments::Text(value.to_string().into())
        }
    };
    let flat = ["id", "type", "index", "name", "arguments", "args"];
    match call.get("function") {
        None => losses.keys(at, call, &flat, "a call"),
        Some(function) => {
            losses.keys(at, call, &["id", "type", "index", "function"], "a call");
            losses.keys(at, function, &["name", "arguments", "args"], "a call's function");
        }
    }
    let id = call.get("id").and_then(Json::as_str).unwrap_or_default();
    Some(Call { id: id.to_owned(), name: name.to_owned(), arguments })
}
