//! Codex CLI: items of the Responses API among other lines. A compaction states the new history.

use super::LineReader;
use crate::import::file::{Doc, Row};
use crate::import::history::{Entry, History};
use crate::import::message::{message, messages};
use crate::import::model::{
    Called, Draft, Findings, Kind, Message, Origin, Part, Role, Session, UnknownSubject,
};
use crate::import::pick::{deep, deep_text, first_time, list, some, text, usage};
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

/// Reads a file of such lines.
pub fn reader(file: usize, name: &str) -> Box<dyn LineReader> {
    let mut base = Draft {
        origin: Origin { file, ..Origin::default() },
        api: Some(crate::import::body::RESPONSES),
        ..Draft::default()
    };
    super::shared::agent_lacks(&mut base, false);
    Box::new(Rollout {
        file,
        session: Session::new("codex", name),
        base,
        history: History::default(),
        leading: true,
        used: Called::default(),
    })
}

/// A file is one thread.
#[derive(Debug)]
struct Rollout {
    file: usize,
    session: Session,
    base: Draft,
    history: History,
    /// True if only instructions were read so far.
    leading: bool,
    used: Called,
}

impl LineReader for Rollout {
    fn line(&mut self, row: Row, _: &mut Findings) {
        let value = &row.value;
        let payload = value.get("payload").unwrap_or(&Json::Null);
        let at = first_time(value, &["timestamp"]);
        let origin = row.origin(self.file).at("payload");
        match text(value, "type") {
            Some("session_meta") => meta(&mut self.session, &mut self.base, payload),
            Some("turn_context") => {
                if let Some(model) = text(payload, "model") {
                    self.base.model = Some(model.to_owned());
                }
            }
            Some("token_usage_record") => {
                tokens(&mut self.history, &mut self.session, some(payload, "usage"));
            }
            Some("event_msg") if text(payload, "type") == Some("token_count") => {
                let counted = deep(payload, &["info", "last_token_usage"]);
                tokens(&mut self.history, &mut self.session, counted);
            }
            Some("compacted") => self.compacted(payload, &origin, at),
            Some("response_item")
                if !matches!(
                    text(payload, "type"),
                    Some("ghost_snapshot" | "compaction_trigger")
                ) =>
            {
                let mut system = Vec::new();
                for message in message(payload, &origin) {
                    message.parts.iter().for_each(|part| self.used.part(part));
                    self.add(message, at, &mut system);
                }
                self.base.system.extend(system);
            }
            Some(_) | None => {}
        }
    }

    fn requests(&self) -> usize {
        self.session.requests.len()
    }

    fn end(mut self: Box<Self>, findings: &mut Findings) {
        self.history.end(&mut self.session, &self.base);
        self.session.offer(self.used);
        if self.session.parent.is_some() {
            self.session.requests.iter_mut().for_each(|request| request.kind = Kind::Sub);
        }
        findings.sessions.push(self.session);
    }
}

impl Rollout {
    /// The history from here on.
    fn compacted(&mut self, payload: &Json, origin: &Origin, at: Option<i64>) {
        let covered = self.history.tail;
        self.history.restart(&mut self.session);
        // its answer is the last one before this line
        if let Some(last) = self.session.requests.last_mut() {
            last.kind = Kind::Compaction;
        }
        let kept = list(payload, "replacement_history");
        let mut kept = messages(kept, &origin.at("replacement_history"));
        if kept.is_empty()
            && let Some(summary) = text(payload, "message")
        {
            kept.push(Message::text(Role::User, summary, origin.at("message")));
        }
        self.leading = true;
        for message in kept {
            // the instructions were read before
            self.add(message, at, &mut Vec::new());
        }
        self.history.cover(&mut self.session, covered);
    }

    fn add(&mut self, message: Message, at: Option<i64>, system: &mut Vec<String>) {
        if self.leading && message.role == Role::System {
            for part in message.parts {
                if let Part::Text(text) = part
                    && !self.base.system.contains(&text)
                {
                    system.push(text);
                }
            }
            return;
        }
        self.leading = false;
        let mut entry = Entry::new(message);
        entry.at = at;
        self.history.add(&mut self.session, entry, &self.base);
    }
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
    let instructions = deep_text(payload, &["base_instructions", "text"]);
    if let Some(words) = instructions
        && base.system.is_empty()
    {
        base.system.push(words.to_owned());
    }
    let own = deep_text(payload, &["base_instructions", "provenance", "type"]) == Some("custom");
    if instructions.is_none() {
        base.lacks(UnknownSubject::System, "the log has no instructions");
    } else if !own {
        base.lacks(UnknownSubject::System, "sections of the default prompt are removed before sending if their tools are not offered");
    }
}
