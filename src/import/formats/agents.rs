//! OpenAI Agents SDK: sessions in a database, run states, and traces.

use crate::import::file::Doc;
use crate::import::history::{self, Entry, History};
use crate::import::message::{message, messages};
use crate::import::model::{
    CalledUpTo, Draft, Findings, Kind, Message, Origin, Part, Role, Session, Tool, UnknownSubject,
    called,
};
use crate::import::pick::{arguments, deep, deep_text, first_time, list, open, some, text, usage};
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
                history::read_messages(&mut session, found, base, history::Entry::new);
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
        let mut spans: Vec<(&Json, Origin)> = doc
            .rows()
            .iter()
            .filter(|row| text(&row.value, "object") == Some("trace.span"))
            .map(|row| (&row.value, doc.origin(row)))
            .collect();
        spans.sort_by_key(|(span, _)| first_time(span, &["started_at"]));
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
        let mut turn: Vec<ToolRun> = Vec::new();
        for (span, origin) in &spans {
            let data = span.get("span_data").unwrap_or(&Json::Null);
            let agent = above(&by_id, span, "agent");
            let handoffs = agent.is_some_and(|agent| !list(agent, "handoffs").is_empty());
            let mut draft = draft_of(span, origin, agent, handoffs);
            if above(&by_id, span, "function").is_some() {
                draft.kind = Some(Kind::Sub);
            }
            match text(data, "type") {
                Some("generation") => {
                    draft.messages =
                        messages(list(data, "input"), &origin.at("span_data").at("input"));
                    draft.lead_system();
                    draft.model = text(data, "model").map(str::to_owned);
                    // an entry is a message, or a response with items
                    let items = list(data, "output").iter().flat_map(|entry| {
                        let items = list(entry, "output");
                        if items.is_empty() { std::slice::from_ref(entry) } else { items }
                    });
                    let answers = messages(&items.cloned().collect::<Vec<_>>(), origin);
                    draft.output = answers.into_iter().flat_map(|message| message.parts).collect();
                    session.push(draft);
                }
                Some("response") => {
                    for message in messages_of(std::mem::take(&mut turn)) {
                        ran = Some(session.node(ran, message));
                    }
                    draft.lacks(UnknownSubject::System, IDS_ONLY);
                    draft.lacks(UnknownSubject::Messages, IDS_ONLY);
                    if handoffs {
                        draft.lacks(UnknownSubject::ToolCalls, IDS_ONLY);
                        draft.lacks(UnknownSubject::ToolResults, IDS_ONLY);
                    }
                    draft.response_id = text(data, "response_id").map(str::to_owned);
                    used.push(&mut session, ran, draft);
                }
                Some("function") => {
                    turn.push(tool_run(span, data, origin));
                }
                Some(_) | None => {}
            }
        }
        findings.sessions.push(session);
    }
}

/// Returns the facts that every span of a request has.
fn draft_of(span: &Json, origin: &Origin, agent: Option<&Json>, handoffs: bool) -> Draft {
    let mut draft = Draft {
        at: first_time(span, &["started_at"]),
        origin: origin.clone(),
        agent: agent.and_then(|agent| text(agent, "name")).map(str::to_owned),
        usage: deep(span, &["span_data", "usage"]).map(usage).unwrap_or_default(),
        ..Draft::default()
    };
    draft.tools =
        agent.map(|agent| crate::import::tools::tools(agent.get("tools").unwrap_or(&Json::Null)));
    if handoffs || draft.tools.as_ref().is_some_and(|tools| !tools.is_empty()) {
        let why = "the trace has only the names of tools and of agents to hand over to";
        if handoffs {
            draft.lacks(UnknownSubject::Tools, why);
        }
        draft.lacks(UnknownSubject::ToolDescriptions, why);
        draft.lacks(UnknownSubject::ToolSchemas, why);
    }
    draft
}

/// A call, its result and their origin.
type ToolRun = (Part, Part, Origin);

fn tool_run(span: &Json, data: &Json, origin: &Origin) -> ToolRun {
    let name = text(data, "name").unwrap_or("").to_owned();
    let call = Part::Call { id: None, name, arguments: arguments(some(data, "input")) };
    let content = data.get("output").cloned().unwrap_or_default();
    let result = Part::Result { id: None, content, is_error: some(span, "error").is_some() };
    (call, result, origin.clone())
}

/// Returns the messages of tool runs. The calls of one answer precede all their results.
fn messages_of(turn: Vec<ToolRun>) -> impl Iterator<Item = Message> {
    let one = |(call, result, origin): ToolRun| {
        let call = Message::one(Role::Assistant, call, origin.clone());
        (call, Message::one(Role::Tool, result, origin))
    };
    let (calls, results): (Vec<_>, Vec<_>) = turn.into_iter().map(one).unzip();
    calls.into_iter().chain(results)
}

/// Returns the data of the nearest parent span of a kind.
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
