//! Codex CLI: items of the Responses API among other lines; a compaction says what the history is
//! from there on.

use crate::import::file::Doc;
use crate::import::history::{Entry, History};
use crate::import::message::{message, messages};
use crate::import::model::{Called, Draft, Findings, Kind, Message, Part, Role, Session, What};
use crate::import::pick::{deep, deep_text, first_moment, list, some, text, usage};
use crate::value::json::Json;

pub fn claims(doc: &Doc) -> bool {
    super::shared::some_row(doc, |value| {
        value.get("payload").is_some()
            && matches!(
                text(value, "type"),
                Some("session_meta" | "response_item" | "turn_context")
            )
    })
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    for doc in docs {
        findings.sessions.push(read_one(doc));
    }
}

fn read_one(doc: &Doc) -> Session {
    let mut session = Session::new("codex", doc.name.clone());
    let mut base = Draft {
        origin: doc.whole(),
        api: Some(crate::import::body::RESPONSES),
        ..Draft::default()
    };
    super::shared::agent_lacks(&mut base, false);
    let mut history = History::default();
    let mut leading = true;
    let mut used = Called::default();
    for row in doc.each() {
        let value = &row.value;
        let payload = value.get("payload").unwrap_or(&Json::Null);
        let at = first_moment(value, &["timestamp"]);
        let origin = doc.origin(&row).at("payload");
        match text(value, "type") {
            Some("session_meta") => meta(&mut session, &mut base, payload),
            Some("turn_context") => {
                base.model = text(payload, "model").map(str::to_owned).or(base.model)
            }
            Some("token_usage_record") => {
                tokens(&mut history, &mut session, some(payload, "usage"))
            }
            Some("event_msg") if text(payload, "type") == Some("token_count") => {
                tokens(&mut history, &mut session, deep(payload, &["info", "last_token_usage"]));
            }
            Some("compacted") => {
                let covered = history.tail;
                history.restart(&mut session);
                // its answer is the last one before this line
                if let Some(last) = session.requests.last_mut() {
                    last.kind = Kind::Compaction;
                }
                let kept = list(payload, "replacement_history");
                let mut kept = messages(kept, &origin.at("replacement_history"));
                if kept.is_empty()
                    && let Some(summary) = text(payload, "message")
                {
                    kept.push(Message::text(Role::User, summary, origin.at("message")));
                }
                leading = true;
                let mut system = base.system.clone();
                for message in kept {
                    add(
                        &mut history,
                        &mut session,
                        &mut base,
                        &mut leading,
                        message,
                        at,
                        &mut system,
                    );
                }
                history.cover(&mut session, covered);
            }
            Some("response_item")
                if !matches!(
                    text(payload, "type"),
                    Some("ghost_snapshot" | "compaction_trigger")
                ) =>
            {
                let mut system = Vec::new();
                for message in message(payload, &origin) {
                    message.parts.iter().for_each(|part| used.part(part));
                    add(
                        &mut history,
                        &mut session,
                        &mut base,
                        &mut leading,
                        message,
                        at,
                        &mut system,
                    );
                }
                base.system.extend(system);
            }
            Some(_) | None => {}
        }
    }
    history.end(&mut session, &base);
    session.offer(used);
    if session.parent.is_some() {
        session.requests.iter_mut().for_each(|request| request.kind = Kind::Sub);
    }
    session
}

fn add(
    history: &mut History,
    session: &mut Session,
    base: &mut Draft,
    leading: &mut bool,
    message: Message,
    at: Option<i64>,
    system: &mut Vec<String>,
) {
    if *leading && message.role == Role::System {
        for part in message.parts {
            if let Part::Text(text) = part
                && !base.system.contains(&text)
            {
                system.push(text);
            }
        }
        return;
    }
    *leading = false;
    let mut entry = Entry::new(message);
    entry.at = at;
    history.add(session, entry, base);
}

fn tokens(history: &mut History, session: &mut Session, counted: Option<&Json>) {
    history.close(session);
    if let (Some(counted), Some(last)) = (counted, session.requests.last_mut()) {
        last.usage = usage(counted);
    }
}

fn meta(session: &mut Session, base: &mut Draft, payload: &Json) {
    if let Some(id) = text(payload, "id") {
        session.id = id.to_owned();
    }
    let parent = deep_text(payload, &["source", "subagent", "thread_spawn", "parent_thread_id"])
        .or_else(|| text(payload, "parent_thread_id"));
    session.parent = parent.map(str::to_owned);
    session.agent = text(payload, "agent_nickname").map(str::to_owned);
    base.agent.clone_from(&session.agent);
    let told = deep_text(payload, &["base_instructions", "text"]);
    if let Some(words) = told
        && base.system.is_empty()
    {
        base.system.push(words.to_owned());
    }
    let own = deep_text(payload, &["base_instructions", "provenance", "type"]) == Some("custom");
    if told.is_none() {
        base.lacks(What::System, "the log has no instructions");
    } else if !own {
        base.lacks(What::System, "sections of the default prompt for tools that are not offered are taken out before it is sent");
    }
}
