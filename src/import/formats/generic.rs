//! JSON of an unknown format: finds request bodies and lists of messages anywhere, also in JSON
//! text. A note states that the rest is unknown.

use crate::import::body;
use crate::import::file::{Body, Doc};
use crate::import::history;
use crate::import::message::{is_message, message, messages};
use crate::import::model::{Draft, Findings, Message, Origin, Role, Session, UnknownSubject};
use crate::import::pick::{first_time, open, some, text};
use crate::import::sqlite::Cell;
use crate::import::{requests, tools};
use crate::value::json::Json;

const GUESSED: &str = "the format is not known; this was found by its shape";

pub fn claims(doc: &Doc) -> bool {
    let mut found = Found::default();
    look_at(doc, &mut found);
    !found.bodies.is_empty()
        || found.lists.iter().any(|(list, _)| list.len() > 1)
        || found.lines.len() > 1
}

#[derive(Default)]
struct Found {
    bodies: Vec<(Json, Origin, Option<i64>)>,
    lists: Vec<(Vec<Json>, Origin)>,
    lines: Vec<(Json, Origin)>,
    tools: Option<Json>,
    system: Option<Json>,
}

fn look_at(doc: &Doc, found: &mut Found) {
    match &doc.body {
        Body::Value(_) | Body::Lines(_) => {
            for row in doc.each() {
                let origin = doc.origin(&row);
                if row.line.is_some()
                    && let Some(conversation) = line_message(&row.value)
                {
                    found.lines.push((conversation, origin));
                    continue;
                }
                let at = first_time(
                    &row.value,
                    &[
                        "timestamp",
                        "time",
                        "created_at",
                        "start_time",
                        "startTime",
                        "started_at",
                        "ts",
                    ],
                );
                look(&row.value, &origin, at, 0, found);
            }
        }
        Body::Tables(tables) => {
            for table in tables {
                for (at, row) in table.rows.iter().enumerate() {
                    let origin = doc.whole().at(&table.name).at(at);
                    let cell = |name: &str| table.cell(row, name).and_then(Cell::text);
                    let words = ["content", "text", "message", "body", "parts"]
                        .iter()
                        .find_map(|name| cell(name));
                    if let (Some(role), Some(words)) = (cell("role"), words)
                        && Role::read(role).is_some()
                    {
                        let content = open(words).unwrap_or_else(|| Json::from(words));
                        found.lines.push((
                            Json::from([("role", Json::from(role)), ("content", content)]),
                            origin,
                        ));
                        continue;
                    }
                    for value in row.iter().filter_map(Cell::text).filter_map(open) {
                        match line_message(&value) {
                            Some(conversation) => found.lines.push((conversation, origin.clone())),
                            None => look(&value, &origin, None, 0, found),
                        }
                    }
                }
            }
        }
        Body::Text(_) | Body::Other => {}
    }
}

/// Returns the message of a line: the line itself, or the value of a usual key.
fn line_message(value: &Json) -> Option<Json> {
    if is_message(value) && !body::is_body(value) {
        return Some(value.clone());
    }
    ["message", "payload", "data", "item", "entry", "content"]
        .iter()
        .filter_map(|key| some(value, key))
        .find(|inner| is_message(inner))
        .cloned()
}

fn look(value: &Json, origin: &Origin, at: Option<i64>, depth: usize, found: &mut Found) {
    if depth > 40 {
        return;
    }
    if body::is_body(value) {
        found.bodies.push((value.clone(), origin.clone(), at));
        return;
    }
    match value {
        Json::Array(items) => {
            let good = items.iter().filter(|item| is_message(item)).count();
            if good > 0 && good * 2 > items.len() {
                found.lists.push((items.clone(), origin.clone()));
                return;
            }
            // one wrapped message in each entry
            let wrapped: Vec<Json> = items.iter().filter_map(line_message).collect();
            if wrapped.len() > 1 && wrapped.len() * 2 > items.len() {
                found.lists.push((wrapped, origin.clone()));
                return;
            }
            for (step, item) in items.iter().enumerate() {
                look(item, &origin.at(step), at, depth + 1, found);
            }
        }
        // messages by their ids
        Json::Object(object)
            if object.len() > 1
                && object.values().filter(|item| line_message(item).is_some()).count() * 2
                    > object.len()
                && !is_message(value) =>
        {
            let spoken: Vec<Json> = object.values().filter_map(line_message).collect();
            found.lists.push((spoken, origin.clone()));
        }
        Json::Object(object) => {
            let at = first_time(
                value,
                &["timestamp", "start_time", "startTime", "created_at", "started_at"],
            )
            .or(at);
            for (key, item) in object {
                if key == "tools" && item.as_array().is_some() && found.tools.is_none() {
                    found.tools = Some(item.clone());
                }
                if matches!(
                    key.as_str(),
                    "system_prompt" | "systemPrompt" | "instructions" | "system"
                ) && found.system.is_none()
                    && !item.is_null()
                {
                    found.system = Some(item.clone());
                }
                look(item, &origin.at(key), at, depth + 1, found);
            }
        }
        Json::String(text) => {
            if let Some(inner) = open(text) {
                look(&inner, origin, at, depth + 1, found);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        let mut found = Found::default();
        look_at(doc, &mut found);
        let mut session = Session::new("json", doc.name.clone());
        if !found.bodies.is_empty() {
            let mut drafts: Vec<Draft> = found
                .bodies
                .iter()
                .map(|(sent, origin, at)| Draft { at: *at, ..body::draft(sent, origin) })
                .collect();
            if drafts.iter().all(|draft| draft.at.is_some()) {
                drafts.sort_by_key(|draft| draft.at);
            }
            requests::add(&mut session, drafts);
        } else if found.lines.len() > 1 {
            let conversation =
                found.lines.iter().flat_map(|(value, origin)| message(value, origin)).collect();
            guessed(&mut session, conversation, &found, doc);
        } else {
            // logs repeat the same history: the longest one, and those that are not a prefix of
            // another
            let longest = found.lists.iter().max_by_key(|(list, _)| list.len());
            if let Some((items, origin)) = longest {
                guessed(&mut session, messages(items, origin), &found, doc);
            }
        }
        findings.sessions.push(session);
    }
}

fn guessed(session: &mut Session, conversation: Vec<Message>, found: &Found, doc: &Doc) {
    let mut base = Draft { origin: doc.whole(), ..Draft::default() };
    let system = found.system.as_ref().map(body::texts).unwrap_or_default();
    let leads = conversation.first().is_some_and(|first| first.role == Role::System);
    if !leads {
        base.system = system;
    }
    match &found.tools {
        Some(defined) => base.tools = Some(tools::tools(defined)),
        None if history::uses_tools(&conversation) => {
            for what in [
                UnknownSubject::Tools,
                UnknownSubject::ToolDescriptions,
                UnknownSubject::ToolSchemas,
            ] {
                base.lacks(what, GUESSED);
            }
        }
        None => {}
    }
    if !leads && base.system.is_empty() {
        base.lacks(UnknownSubject::System, GUESSED);
    }
    base.lacks(UnknownSubject::Params, GUESSED);
    base.model = doc.value().and_then(|value| text(value, "model")).map(str::to_owned);
    history::read_messages(session, conversation, base, history::Entry::new);
}
