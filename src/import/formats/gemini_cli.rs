//! Gemini CLI: records and patches of a history. A patch can replace the whole list; a record
//! replaces the one with its id.

use crate::import::file::Doc;
use crate::import::history::{Entry, History};
use crate::import::message::split;
use crate::import::model::{Draft, Findings, Message, Origin, Part, Role, Session, called};
use crate::import::parts::{call, parts};
use crate::import::pick::{deep, first_time, list, some, text, usage};
use crate::value::json::Json;
use crate::value::str_map::StrMap;

pub fn claims(doc: &Doc) -> bool {
    super::shared::some_row(doc, |value| {
        text(value, "sessionId").is_some() && value.get("projectHash").is_some()
    }) || super::shared::some_row(doc, |value| deep(value, &["$set", "messages"]).is_some())
}

type Record = (Json, Origin);

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        let id =
            doc.rows().iter().find_map(|row| text(&row.value, "sessionId")).unwrap_or(&doc.name);
        let mut session = Session::new("gemini-cli", id);
        let mut records: Vec<Record> = Vec::new();
        // the first record of every id
        let mut places: StrMap<usize> = StrMap::new();
        let mut covered = None;
        for row in doc.rows() {
            let value = &row.value;
            let origin = doc.origin(row);
            let set = deep(value, &["$set", "messages"]).or_else(|| value.get("messages"));
            if let Some(items) = set.and_then(Json::as_array) {
                let place =
                    if value.get("$set").is_some() { origin.at("$set") } else { origin.clone() };
                let new: Vec<Record> = items
                    .iter()
                    .enumerate()
                    .map(|(at, item)| (item.clone(), place.at("messages").at(at)))
                    .collect();
                let mut there: StrMap<usize> = StrMap::new();
                for (at, (item, _)) in new.iter().enumerate() {
                    if let Some(id) = text(item, "id") {
                        there.insert_new(id, at);
                    }
                }
                let is_there = |id| there.contains_key(id);
                let kept = records.iter().all(|(old, _)| text(old, "id").is_some_and(is_there));
                if !kept {
                    // the earlier messages were compressed: their requests come first
                    covered = add(&mut session, &records, doc, covered);
                }
                (records, places) = (new, there);
            } else if text(value, "type").is_some() && value.get("content").is_some() {
                let id = text(value, "id");
                let there = id.and_then(|id| records.get_mut(*places.get(id)?));
                match there {
                    Some(there) => there.0 = value.clone(),
                    None => {
                        if let Some(id) = id {
                            places.insert_new(id, records.len());
                        }
                        records.push((value.clone(), origin));
                    }
                }
            }
        }
        add(&mut session, &records, doc, covered);
        findings.sessions.push(session);
    }
}

/// Adds the requests of a history whose first message summarizes everything up to `covered`.
/// Returns its last message.
fn add(
    session: &mut Session,
    records: &[Record],
    doc: &Doc,
    covered: Option<usize>,
) -> Option<usize> {
    let mut base =
        Draft { origin: doc.whole(), api: Some(crate::import::body::GEMINI), ..Draft::default() };
    super::shared::agent_lacks(&mut base, true);
    let mut entries: Vec<Entry> = Vec::new();
    for (at, (record, origin)) in records.iter().enumerate() {
        let answered = records.get(at + 1).is_some_and(|(next, _)| {
            next.get("content")
                .is_some_and(|content| content.to_string().contains("\"functionResponse\""))
        });
        for message in read_record(record, origin, answered) {
            let mut entry = Entry::new(message);
            entry.at = first_time(record, &["timestamp"]);
            entry.usage = some(record, "tokens").map(usage).unwrap_or_default();
            entry.model = text(record, "model").map(str::to_owned);
            entry.answer = text(record, "id").map(str::to_owned);
            entries.push(entry);
        }
    }
    let messages: Vec<Message> = entries.iter().map(|entry| entry.message.clone()).collect();
    base.tools = Some(called(&messages));
    let mut history = History::default();
    for (at, entry) in entries.into_iter().enumerate() {
        history.add(session, entry, &base);
        if at == 0 && covered.is_some() {
            history.cover(session, covered);
        }
    }
    let last = history.tail;
    history.end(session, &base);
    last
}

/// Returns the messages of a record. `answered` is true if the next record has the results of its
/// calls.
fn read_record(record: &Json, origin: &Origin, answered: bool) -> Vec<Message> {
    let role = match text(record, "type") {
        Some("user") => Role::User,
        Some("gemini" | "model") => Role::Assistant,
        Some(_) | None => return Vec::new(),
    };
    let mut found = parts(record.get("content").unwrap_or(&Json::Null));
    let mut results: Vec<Part> = Vec::new();
    for made in list(record, "toolCalls") {
        found.extend(call(made));
        if !answered {
            results.extend(parts(made.get("result").unwrap_or(&Json::Null)));
        }
    }
    let mut out = split(role, found, origin);
    if !results.is_empty() {
        out.push(Message { role: Role::Tool, parts: results, origin: origin.clone() });
    }
    out
}
