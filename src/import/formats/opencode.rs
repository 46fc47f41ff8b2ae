//! opencode: an export of a session. A tool part has the call and the result.

use crate::import::file::Doc;
use crate::import::history::{Entry, History};
use crate::import::message::message;
use crate::import::model::{Called, Draft, Findings, Kind, Message, Session, UnknownSubject};
use crate::import::pick::{deep, deep_text, list, some, text, usage, yes};
use crate::value::json::{Json, Object};

pub fn claims(doc: &Doc) -> bool {
    doc.value().is_some_and(|value| {
        value.get("info").is_some()
            && list(value, "messages")
                .iter()
                .any(|entry| entry.get("info").is_some() && entry.get("parts").is_some())
    })
}

/// The text that the model reads in place of a compaction.
const COMPACTED: &str = "What did we do so far?";

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        let Some(value) = doc.value() else { continue };
        let mut session =
            Session::new("opencode", deep_text(value, &["info", "id"]).unwrap_or(&doc.name));
        session.parent = deep_text(value, &["info", "parentID"]).map(str::to_owned);
        let mut base = Draft { origin: doc.whole(), ..Draft::default() };
        super::shared::agent_lacks(&mut base, true);
        if session.parent.is_some() {
            base.kind = Some(Kind::Sub);
        }
        let mut history = History::default();
        let mut used = Called::default();
        let mut compacting = false;
        for (at, entry) in list(value, "messages").iter().enumerate() {
            let origin = doc.whole().at("messages").at(at);
            let info = entry.get("info").unwrap_or(&Json::Null);
            if list(entry, "parts").iter().any(|part| text(part, "type") == Some("compaction")) {
                let covered = history.tail;
                history.restart(&mut session);
                let asked = Message::text(crate::import::model::Role::User, COMPACTED, origin);
                history.add(&mut session, Entry::new(asked), &base);
                history.cover(&mut session, covered);
                compacting = true;
                continue;
            }
            let mut fields = Object::default();
            fields.insert("role".into(), info.get("role").cloned().unwrap_or_default());
            let shown = list(entry, "parts").iter().filter(|part| !yes(part, "ignored"));
            fields.insert("parts".into(), shown.cloned().collect());
            if list(entry, "parts")
                .iter()
                .any(|part| deep(part, &["state", "time", "compacted"]).is_some())
            {
                base.lacks(
                    UnknownSubject::ToolResults,
                    "results of old tool calls were cleared before later requests",
                );
            }
            let found = message(&Json::Object(fields), &origin);
            found.iter().flat_map(|message| &message.parts).for_each(|part| used.part(part));
            let before = session.requests.len();
            for message in found {
                let mut next_entry = Entry::new(message);
                next_entry.at =
                    deep(info, &["time", "created"]).and_then(crate::import::pick::time);
                next_entry.usage = some(info, "tokens").map(usage).unwrap_or_default();
                next_entry.model = text(info, "modelID").map(str::to_owned);
                next_entry.answer = text(info, "id").map(str::to_owned);
                history.add(&mut session, next_entry, &base);
            }
            if yes(info, "summary") && compacting {
                history.close(&mut session);
                compacting = false;
                if let Some(request) = session.requests.get_mut(before) {
                    request.kind = Kind::Compaction;
                }
            }
        }
        history.end(&mut session, &base);
        session.offer(used);
        findings.sessions.push(session);
    }
}
