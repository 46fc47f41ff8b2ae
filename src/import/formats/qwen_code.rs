//! Qwen Code: lines that name their parent. Messages are in Gemini's form, but were sent in
//! OpenAI's.

use crate::import::file::Doc;
use crate::import::history::{Entry, History};
use crate::import::message::{message, messages};
use crate::import::model::{
    Called, Draft, Findings, Message, Part, SameMessages, Session, UnknownSubject,
};
use crate::import::pick::{deep, first_time, some, text, usage};
use crate::value::json::Json;
use crate::value::str_map::StrMap;

pub fn claims(doc: &Doc) -> bool {
    super::shared::some_row(doc, |value| {
        value.get("parentUuid").is_some()
            && text(value, "uuid").is_some()
            && some(value, "message").is_some_and(|message| message.get("parts").is_some())
    })
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        let mut parents: StrMap<(Option<&str>, usize)> = StrMap::new();
        for (at, row) in doc.rows().iter().enumerate() {
            if let Some(id) = text(&row.value, "uuid") {
                parents.insert(id, (text(&row.value, "parentUuid"), at));
            }
        }
        // the path to the last line of the conversation
        let leaf = doc.rows().iter().rev().find(|row| some(&row.value, "message").is_some());
        let mut path = Vec::new();
        let mut next = leaf.and_then(|row| text(&row.value, "uuid"));
        while let Some((parent, at)) = next.and_then(|id| parents.get(id)).copied() {
            if path.len() > doc.rows().len() {
                break;
            }
            path.push(at);
            next = parent;
        }
        path.reverse();
        let mut base =
            Draft { origin: doc.whole(), api: Some(crate::import::body::CHAT), ..Draft::default() };
        super::shared::agent_lacks(&mut base, true);
        base.lacks(
            UnknownSubject::Messages,
            "two messages that open every conversation are sent and not logged",
        );
        let id =
            doc.rows().iter().find_map(|row| text(&row.value, "sessionId")).unwrap_or(&doc.name);
        let mut session = Session::new("qwen-code", id);
        let mut used = Called::default();
        let mut history = History::default();
        for row in path.into_iter().filter_map(|at| doc.rows().get(at)) {
            let value = &row.value;
            let Some(message_json) = some(value, "message") else {
                let kept = deep(value, &["systemPayload", "compressedHistory"]);
                if let Some(kept) = kept.and_then(Json::as_array) {
                    let origin = doc.origin(row).at("systemPayload").at("compressedHistory");
                    let kept = messages(kept, &origin).into_iter().map(unwrapped).collect();
                    compressed(&mut session, &mut history, kept);
                }
                continue;
            };
            for message in message(message_json, &doc.origin(row).at("message")) {
                let mut entry = Entry::new(unwrapped(message));
                entry.at = first_time(value, &["timestamp"]);
                entry.usage = some(value, "usageMetadata").map(usage).unwrap_or_default();
                entry.model = text(value, "model").map(str::to_owned);
                entry.answer = text(value, "uuid").map(str::to_owned);
                entry.message.parts.iter().for_each(|part| used.part(part));
                history.add(&mut session, entry, &base);
            }
        }
        history.end(&mut session, &base);
        session.offer(used);
        findings.sessions.push(session);
    }
}

/// Starts a new history: kept messages, and a summary of the others, which is the first new
/// message.
fn compressed(session: &mut Session, history: &mut History, kept: Vec<Message>) {
    let covered = history.tail;
    let before = SameMessages::of(session.messages(covered));
    let summary = kept.iter().position(|message| !before.hold(message));
    history.restart(session);
    for (at, message) in kept.into_iter().enumerate() {
        let place = session.node(history.tail, message);
        history.tail = Some(place);
        if summary == Some(at) {
            session.cover(place, covered);
        }
    }
}

/// Results were sent as the text inside Gemini's wrapper.
fn unwrapped(mut message: Message) -> Message {
    for part in &mut message.parts {
        if let Part::Result { content, is_error, .. } = part {
            if let Some(error) = text(content, "error") {
                *is_error = true;
                *content = Json::from(error);
            } else if let Some(output) = text(content, "output") {
                *content = Json::from(output);
            }
        }
    }
    message
}
