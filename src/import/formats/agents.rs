//! OpenAI Agents SDK: sessions in a database, run states, and traces.

use crate::import::file::Doc;
use crate::import::history::{self, Entry, History};
use crate::import::message::{message, messages};
use crate::import::model::{
    CalledUpTo, Draft, Findings, Kind, Message, Part, Role, Session, Tool, What, called,
};
use crate::import::pick::{arguments, deep_text, first_moment, list, open, some, text, usage};
use crate::import::sqlite::Cell;
use crate::value::json::Json;
use crate::value::str_map::StrMap;
use std::collections::BTreeMap;

pub fn claims_session(doc: &Doc) -> bool {
    doc.tables().iter().any(|table| table.has(&["session_id", "message_data"]))
}

pub fn read_session(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        for table in doc.tables().iter().filter(|table| table.has(&["session_id", "message_data"]))
        {
            let mut sessions: BTreeMap<String, Vec<Message>> = BTreeMap::new();
            for (at, row) in table.rows.iter().enumerate() {
                let id = table.cell(row, "session_id").and_then(Cell::text).unwrap_or("");
                let data = table.cell(row, "message_data").and_then(Cell::text).and_then(open);
                let found = sessions.entry(id.to_owned()).or_default();
                if let Some(data) = data {
                    found.extend(message(&data, &doc.whole().at(&table.name).at(at)));
                }
            }
            for (id, found) in sessions {
                let mut base = Draft { origin: doc.whole(), ..Draft::default() };
                super::shared::history_lacks(&mut base, history::uses_tools(&found));
                let mut session = Session::new("openai-agents-session", id);
                history::read_messages(&mut session, found, base);
                findings.sessions.push(session);
            }
        }
    }
}

pub fn claims_state(doc: &Doc) -> bool {
    doc.value().is_some_and(|value| {
        value.get("$schemaVersion").is_some() && value.get("original_input").is_some()
    })
}

pub fn read_state(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        let Some(value) = doc.value() else { continue };
        let mut found = match value.get("original_input") {
            Some(Json::Array(items)) => messages(items, &doc.whole().at("original_input")),
            Some(Json::String(words)) => {
                vec![Message::text(Role::User, words.clone(), doc.whole().at("original_input"))]
            }
            Some(_) | None => Vec::new(),
        };
        let mut added = list(value, "generated_items");
        if added.is_empty() {
            added = list(value, "session_items");
        }
        let mut tools: StrMap<Tool> = StrMap::new();
        for (at, item) in added.iter().enumerate() {
            let origin = doc.whole().at("generated_items").at(at).at("raw_item");
            found.extend(message(item.get("raw_item").unwrap_or(item), &origin));
            if let (Some(name), Some(words)) = (text(item, "tool_name"), text(item, "description"))
            {
                let description = Some(words.to_owned());
                tools.insert_new(name, Tool { name: name.to_owned(), description, schema: None });
            }
        }
        for tool in called(&found) {
            tools.insert_new(tool.name.clone(), tool);
        }
        let tools = tools.into_values();
        let mut base = Draft { origin: doc.whole(), tools: Some(tools), ..Draft::default() };
        base.agent = deep_text(value, &["current_agent", "name"]).map(str::to_owned);
        super::shared::history_lacks(&mut base, history::uses_tools(&found));
        let mut session = Session::new("openai-agents-runstate", doc.name.clone());
        let mut history = History::default();
        for message in found {
            history.add(&mut session, Entry::new(message), &base);
        }
        history.end(&mut session, &base);
        // the responses of the last run belong to the last requests
        let responses = list(value, "model_responses");
        for (request, response) in session.requests.iter_mut().rev().zip(responses.iter().rev()) {
            if let Some(tokens) = some(response, "usage") {
                request.usage = usage(tokens);
            }
        }
        findings.sessions.push(session);
    }
}

pub fn claims_trace(doc: &Doc) -> bool {
    super::shared::mostly(doc, |value| {
        matches!(text(value, "object"), Some("trace" | "trace.span"))
    })
}

const IDS_ONLY: &str =
    "a trace of a Responses model has only the ids of its responses; the platform keeps the rest";

pub fn read_trace(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        let mut spans: Vec<(&Json, crate::import::model::Origin)> = doc
            .rows()
            .iter()
            .filter(|row| text(&row.value, "object") == Some("trace.span"))
            .map(|row| (&row.value, doc.origin(row)))
            .collect();
        spans.sort_by_key(|(span, _)| first_moment(span, &["started_at"]));
        let mut by_id: StrMap<&Json> = StrMap::new();
        for (span, _) in &spans {
            if let Some(id) = text(span, "id") {
                by_id.insert_new(id, *span);
            }
        }
        let mut session = Session::new("openai-agents-trace", doc.name.clone());
        // the last of the calls and results so far
        let mut ran: Option<usize> = None;
        let mut used = CalledUpTo::default();
        let mut turn: Vec<(Part, Part, crate::import::model::Origin)> = Vec::new();
        for (span, origin) in &spans {
            let data = span.get("span_data").unwrap_or(&Json::Null);
            let mut draft = Draft {
                at: first_moment(span, &["started_at"]),
                origin: origin.clone(),
                ..Draft::default()
            };
            let agent = above(&by_id, span, "agent");
            draft.agent = agent.and_then(|agent| text(agent, "name")).map(str::to_owned);
            if above(&by_id, span, "function").is_some() {
                draft.kind = Some(Kind::Sub);
            }
            if let Some(tokens) = some(data, "usage") {
                draft.usage = usage(tokens);
            }
            let offered = agent.map(|agent| {
                crate::import::tools::tools(agent.get("tools").unwrap_or(&Json::Null))
            });
            let handoffs = agent.is_some_and(|agent| !list(agent, "handoffs").is_empty());
            let names_only = offered.as_ref().is_some_and(|tools| !tools.is_empty()) || handoffs;
            draft.tools = offered;
            if names_only {
                let why =
                    "the trace lists the names of tools and of agents to hand over to, and no more";
                if handoffs {
                    draft.lacks(What::Tools, why);
                }
                draft.lacks(What::ToolDescriptions, why);
                draft.lacks(What::ToolSchemas, why);
            }
            match text(data, "type") {
                Some("generation") => {
                    draft.messages =
                        messages(list(data, "input"), &origin.at("span_data").at("input"));
                    draft.lead_system();
                    draft.model = text(data, "model").map(str::to_owned);
                    let said = messages(list(data, "output"), origin);
                    draft.output = said.into_iter().flat_map(|message| message.parts).collect();
                    session.push(draft);
                }
                Some("response") => {
                    // the calls of one answer stand before all of their results
                    let (calls, results): (Vec<_>, Vec<_>) = turn
                        .drain(..)
                        .map(|(call, result, origin)| {
                            (
                                Message::one(Role::Assistant, call, origin.clone()),
                                Message::one(Role::Tool, result, origin),
                            )
                        })
                        .unzip();
                    for message in calls.into_iter().chain(results) {
                        ran = Some(session.node(ran, message));
                    }
                    draft.lacks(What::System, IDS_ONLY);
                    draft.lacks(What::Messages, IDS_ONLY);
                    if handoffs {
                        draft.lacks(What::ToolCalls, IDS_ONLY);
                        draft.lacks(What::ToolResults, IDS_ONLY);
                    }
                    draft.response_id = text(data, "response_id").map(str::to_owned);
                    used.push(&mut session, ran, draft);
                }
                Some("function") => {
                    let name = text(data, "name").unwrap_or("").to_owned();
                    let call =
                        Part::Call { id: None, name, arguments: arguments(some(data, "input")) };
                    let content = data.get("output").cloned().unwrap_or_default();
                    let result =
                        Part::Result { id: None, content, is_error: some(span, "error").is_some() };
                    turn.push((call, result, origin.clone()));
                }
                Some(_) | None => {}
            }
        }
        findings.sessions.push(session);
    }
}

/// The data of the nearest span above that is of a kind.
fn above<'a>(spans: &StrMap<&'a Json>, span: &'a Json, kind: &str) -> Option<&'a Json> {
    let mut below = span;
    for _ in 0..64 {
        let found = *spans.get(text(below, "parent_id")?)?;
        let data = found.get("span_data")?;
        if text(data, "type") == Some(kind) {
            return Some(data);
        }
        below = found;
    }
    None
}
