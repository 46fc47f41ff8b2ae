//! LangGraph checkpoints: the state after every step, as JSON or in a database.

use crate::import::file::Doc;
use crate::import::message::messages;
use crate::import::model::{Called, Draft, Findings, Message, Origin, Role, Session};
use crate::import::pick::{deep, first_text, first_time, some, usage};
use crate::import::sqlite::{Cell, Table};
use crate::import::{history, msgpack};
use crate::value::json::Json;
use crate::value::str_map::StrMap;

pub fn claims(doc: &Doc) -> bool {
    states(doc).is_some()
}

/// A state: its messages, its time and its origin.
struct State {
    messages: Vec<Json>,
    at: Option<i64>,
    origin: Origin,
    thread: String,
}

fn states(doc: &Doc) -> Option<Vec<State>> {
    if let Some(table) =
        doc.tables().iter().find(|table| table.has(&["thread_id", "checkpoint_id", "checkpoint"]))
    {
        return Some(from_table(doc, table));
    }
    let items = match doc.value() {
        Some(Json::Array(items)) => items.as_slice(),
        Some(value) if value.get("values").is_some() => std::slice::from_ref(value),
        Some(_) | None => return None,
    };
    let is_state = |item: &Json| {
        item.get("values").is_some()
            && (item.get("metadata").is_some() || item.get("config").is_some())
    };
    if items.is_empty() || !items.iter().all(is_state) {
        return None;
    }
    let mut out: Vec<State> = items
        .iter()
        .enumerate()
        .map(|(at, item)| State {
            messages: deep(item, &["values", "messages"])
                .and_then(Json::as_array)
                .unwrap_or(&[])
                .to_vec(),
            at: first_time(item, &["created_at"]),
            origin: doc.whole().at(at).at("values").at("messages"),
            thread: deep(item, &["config", "configurable", "thread_id"])
                .and_then(Json::as_str)
                .unwrap_or("")
                .to_owned(),
        })
        .collect();
    // usually the newest is first
    out.reverse();
    out.sort_by_key(|state| state.at);
    Some(out)
}

fn from_table(doc: &Doc, table: &Table) -> Vec<State> {
    let mut rows: Vec<(String, State)> = Vec::new();
    for (at, row) in table.rows.iter().enumerate() {
        let cell = |column: &str| table.cell(row, column);
        if cell("checkpoint_ns").and_then(Cell::text).is_some_and(|namespace| !namespace.is_empty())
        {
            continue;
        }
        let state = match cell("checkpoint") {
            Some(Cell::Blob(bytes)) => msgpack::read(bytes).or_else(|| {
                std::str::from_utf8(bytes).ok().and_then(|text| Json::parse(text).ok())
            }),
            Some(Cell::Json(Json::String(text))) => Json::parse(text).ok(),
            Some(Cell::Json(_)) | None => None,
        };
        let Some(state) = state else { continue };
        let messages = deep(&state, &["channel_values", "messages"])
            .and_then(Json::as_array)
            .unwrap_or(&[])
            .to_vec();
        let id = cell("checkpoint_id").and_then(Cell::text).unwrap_or("").to_owned();
        rows.push((
            id,
            State {
                messages,
                at: first_time(&state, &["ts"]),
                origin: doc.whole().at(&table.name).at(at),
                thread: cell("thread_id").and_then(Cell::text).unwrap_or("").to_owned(),
            },
        ));
    }
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    rows.into_iter().map(|(_, state)| state).collect()
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        let Some(states) = states(doc) else { continue };
        let mut threads: StrMap<Vec<&State>> = StrMap::new();
        for state in &states {
            match threads.get_mut(&state.thread) {
                Some(mine) => mine.push(state),
                None => _ = threads.insert(state.thread.as_str(), vec![state]),
            }
        }
        for (thread, mine) in threads.iter() {
            let id = if thread.is_empty() { &doc.name } else { thread };
            let mut session = Session::new("langgraph-checkpoint", id);
            let mut answered: StrMap<()> = StrMap::new();
            let mut open: Option<Vec<Message>> = None;
            let mut known = Called::default();
            for message in mine.iter().flat_map(|state| messages(&state.messages, &state.origin)) {
                message.parts.iter().for_each(|part| known.part(part));
            }
            for state in mine {
                let read = messages(&state.messages, &state.origin);
                let Some(last) = read.last() else { continue };
                if last.role != Role::Assistant {
                    open = Some(read);
                    continue;
                }
                open = None;
                let raw = state.messages.last().unwrap_or(&Json::Null);
                let key = message_id(raw).unwrap_or_else(|| raw.to_string());
                if !answered.insert_new(key, ()) {
                    continue;
                }
                let before = read.len() - 1;
                let mut draft = base(&read, &known, state);
                draft.output.clone_from(&last.parts);
                let fields = fields(raw);
                if let Some(tokens) = some(fields, "usage_metadata") {
                    draft.usage = usage(tokens);
                }
                draft.model = fields
                    .get("response_metadata")
                    .and_then(|meta| first_text(meta, &["model_name", "model"]))
                    .map(str::to_owned);
                draft.messages = read.into_iter().take(before).collect();
                draft.lead_system();
                push(&mut session, draft, state);
            }
            if let (Some(read), Some(state)) = (open, mine.last()) {
                let mut draft = base(&read, &known, state);
                draft.messages = read;
                draft.lead_system();
                push(&mut session, draft, state);
            }
            session.offer(known);
            findings.sessions.push(session);
        }
    }
}

/// Adds a request. The message of the summarization middleware covers the request before.
fn push(session: &mut Session, draft: Draft, state: &State) {
    let before = session.requests.last().and_then(|last| last.tail);
    session.push(draft);
    let source = |raw: &&Json| {
        let source = deep(fields(raw), &["additional_kwargs", "lc_source"]);
        source.and_then(Json::as_str) == Some("summarization")
    };
    let Some(raw) = state.messages.iter().find(source) else { return };
    let Some(summary) = messages(std::slice::from_ref(raw), &state.origin).pop() else { return };
    let tail = session.requests.last().and_then(|last| last.tail);
    let is_it = |at: &usize| session.message(*at).is_some_and(|message| message.same(&summary));
    let place = session.path(tail).into_iter().find(is_it);
    if let Some(at) = place.filter(|at| session.covered(*at).is_none()) {
        session.cover(at, before);
    }
}

/// Returns the fields of a message, which serializers put under a key.
fn fields(raw: &Json) -> &Json {
    raw.get("kwargs").or_else(|| raw.get("data")).unwrap_or(raw)
}

fn message_id(raw: &Json) -> Option<String> {
    fields(raw).get("id").and_then(Json::as_str).map(str::to_owned)
}

fn base(read: &[Message], known: &Called, state: &State) -> Draft {
    let mut draft = Draft { at: state.at, origin: state.origin.clone(), ..Draft::default() };
    // all requests get the tools that any of them calls
    draft.tools = Some(Vec::new());
    if read.first().is_none_or(|first| first.role != Role::System) {
        super::shared::history_lacks(
            &mut draft,
            !known.tools().is_empty() || history::uses_tools(read),
        );
    }
    draft
}
