//! Claude Code: lines that name their parent. One answer is split over a line a block; results of
//! parallel calls hang on different lines and were sent together.

use crate::import::file::{Doc, Row};
use crate::import::lint::ImportLint;
use crate::import::message::message;
use crate::import::model::{
    Draft, Findings, Kind, Message, Note, Session, Tool, Usage, What, called,
};
use crate::import::pick::{deep, deep_text, first_moment, list, some, text, usage, yes};
use crate::value::json::Json;
use crate::value::str_map::StrMap;

pub fn claims(doc: &Doc) -> bool {
    super::shared::some_row(doc, |value| {
        value.get("parentUuid").is_some()
            && text(value, "uuid").is_some()
            && some(value, "message").is_some_and(|message| message.get("content").is_some())
    })
}

pub fn read(docs: &[&Doc], findings: &mut Findings) {
    let mut owners: StrMap<String> = StrMap::new();
    for doc in docs {
        let sides = doc.rows().iter().any(|row| yes(&row.value, "isSidechain"));
        let mains =
            doc.rows().iter().any(|row| is_line(&row.value) && !yes(&row.value, "isSidechain"));
        for side in [false, true] {
            if side && !sides || !side && !mains {
                continue;
            }
            let session = Reader::new(doc, side).read(findings, &mut owners);
            if !session.requests.is_empty() {
                findings.sessions.push(session);
            }
        }
    }
}

fn is_line(value: &Json) -> bool {
    text(value, "uuid").is_some()
}

struct Reader<'a> {
    doc: &'a Doc,
    side: bool,
    session: Session,
    base: Draft,
    /// The message that a line became.
    places: StrMap<Option<usize>>,
    /// The lines, for what a compaction kept.
    lines: StrMap<&'a Row>,
    /// The last message of an answer and its results.
    ends: StrMap<Option<usize>>,
    /// The answer that a line is part of.
    answers: StrMap<String>,
    /// The request that an answer belongs to.
    asked: StrMap<usize>,
}

impl<'a> Reader<'a> {
    fn new(doc: &'a Doc, side: bool) -> Self {
        Self {
            doc,
            side,
            session: Session::new("claude-code", doc.name.clone()),
            base: Draft { origin: doc.whole(), ..Draft::default() },
            places: StrMap::new(),
            lines: StrMap::new(),
            ends: StrMap::new(),
            answers: StrMap::new(),
            asked: StrMap::new(),
        }
    }

    fn read(mut self, findings: &mut Findings, owners: &mut StrMap<String>) -> Session {
        super::shared::agent_lacks(&mut self.base, true);
        self.base.lacks(What::Messages, "a reminder with the date and the rules of the project is sent before the first text and not logged");
        let mut left_out = 0;
        let mut last_user = None;
        let mut waiting = false;
        let mut left_at = self.doc.whole();
        for row in self.doc.rows() {
            let value = &row.value;
            let Some(id) = text(value, "uuid") else { continue };
            if yes(value, "isSidechain") != self.side {
                continue;
            }
            if let Some(session_id) = text(value, "sessionId") {
                self.own(session_id, value, id, owners);
            }
            self.lines.insert(id, row);
            match text(value, "type") {
                Some("user") => {
                    self.user(row, value, id);
                    last_user = self.places.get(id).copied().flatten();
                    waiting = true;
                }
                Some("assistant") => {
                    if yes(value, "isApiErrorMessage") {
                        self.pass(value, id);
                    } else {
                        waiting &= deep_text(value, &["message", "model"]) == Some("<synthetic>");
                        self.assistant(row, value, id);
                    }
                }
                Some("system") if text(value, "subtype") == Some("compact_boundary") => {
                    self.places.insert(id, None);
                }
                Some(kind) => {
                    if kind == "attachment" {
                        left_out += 1;
                        left_at = self.doc.origin(row);
                    }
                    self.pass(value, id);
                }
                None => self.pass(value, id),
            }
        }
        if waiting {
            let draft = self.base.clone();
            self.session.push_at(last_user, draft);
        }
        if left_out > 0 {
            let message = format!(
                "{left_out} attachments were rendered into messages by the agent; the log has only what they were made of"
            );
            findings.notes.push(Note { code: ImportLint::LeftOut, origin: left_at, message });
        }
        let used: Vec<Tool> = {
            let lines =
                self.session.requests.iter().flat_map(|request| request.output.iter().cloned());
            let all = Message {
                role: crate::import::model::Role::Assistant,
                parts: lines.collect(),
                origin: self.doc.whole(),
            };
            called([&all])
        };
        let used = std::sync::Arc::new(used);
        for request in &mut self.session.requests {
            request.tools = std::sync::Arc::clone(&used);
        }
        self.session
    }

    /// Whose session it is: the first file that has a line owns it, a fork repeats it.
    fn own(&mut self, session_id: &str, value: &Json, id: &str, owners: &mut StrMap<String>) {
        if self.session.id == self.doc.name {
            self.session.id = match text(value, "agentId").filter(|_| self.side) {
                Some(agent) => {
                    self.session.parent = Some(session_id.to_owned());
                    self.session.agent = Some(agent.to_owned());
                    format!("{session_id}/{agent}")
                }
                None => session_id.to_owned(),
            };
        }
        match owners.get(id) {
            Some(owner) if *owner != self.session.id && self.session.parent.is_none() => {
                self.session.parent = Some(owner.clone());
            }
            Some(_) => {}
            None => {
                owners.insert(id, self.session.id.clone());
            }
        }
    }

    fn parent(&self, value: &Json) -> Option<usize> {
        text(value, "parentUuid").and_then(|id| self.places.get(id).copied().flatten())
    }

    /// A line that is no message: what follows it follows its parent.
    fn pass(&mut self, value: &Json, id: &str) {
        let place = self.parent(value);
        self.places.insert(id, place);
    }

    fn user(&mut self, row: &Row, value: &Json, id: &str) {
        let origin = self.doc.origin(row).at("message");
        let found = message(value.get("message").unwrap_or(&Json::Null), &origin);
        let parent_id = text(value, "parentUuid").unwrap_or("");
        let answer = self.answers.get(parent_id).cloned();
        let is_result = found.iter().any(|m| m.role == crate::import::model::Role::Tool);
        let mut place = match answer.as_ref().filter(|_| is_result) {
            Some(answer) => self.ends.get(answer).copied().flatten().or_else(|| self.parent(value)),
            None => self.parent(value),
        };
        for message in found {
            place = Some(self.session.node(place, message));
        }
        if let Some(answer) = answer.filter(|_| is_result) {
            self.ends.insert(answer.as_str(), place);
            self.answers.insert(id, answer);
        }
        if yes(value, "isCompactSummary")
            && let Some(at) = place
        {
            place = self.summary(value, at);
        }
        self.places.insert(id, place);
    }

    /// A summary covers what stood before it; what the compaction kept comes after it.
    fn summary(&mut self, value: &Json, at: usize) -> Option<usize> {
        let boundary = text(value, "parentUuid").and_then(|id| self.lines.get(id).copied());
        let Some(boundary) = boundary else { return Some(at) };
        let covered = text(&boundary.value, "logicalParentUuid")
            .and_then(|id| self.places.get(id).copied().flatten());
        self.session.cover(at, covered);
        let mut place = Some(at);
        let kept = deep(&boundary.value, &["compactMetadata", "preservedMessages"])
            .map(|kept| list(kept, "uuids"))
            .unwrap_or(&[]);
        for id in kept.iter().filter_map(Json::as_str) {
            let Some(row) = self.lines.get(id).copied() else { continue };
            let origin = self.doc.origin(row).at("message");
            for message in message(row.value.get("message").unwrap_or(&Json::Null), &origin) {
                place = Some(self.session.node(place, message));
            }
        }
        place
    }

    fn assistant(&mut self, row: &Row, value: &Json, id: &str) {
        let said = value.get("message").unwrap_or(&Json::Null);
        let answer = text(said, "id").unwrap_or(id).to_owned();
        let origin = self.doc.origin(row).at("message");
        let begins = self.ends.get(&answer).is_none();
        let start =
            if begins { self.parent(value) } else { self.ends.get(&answer).copied().flatten() };
        let mut place = start;
        let found = message(said, &origin);
        let parts: Vec<_> = found.iter().flat_map(|message| message.parts.clone()).collect();
        for message in found {
            place = Some(self.session.node(place, message));
        }
        self.places.insert(id, place);
        self.ends.insert(answer.as_str(), place);
        self.answers.insert(id, answer.clone());
        if text(said, "model") == Some("<synthetic>") {
            return;
        }
        let tokens = some(said, "usage").map(usage).unwrap_or_default();
        if begins {
            let draft = Draft {
                output: parts,
                at: first_moment(value, &["timestamp"]),
                origin,
                model: text(said, "model").map(str::to_owned),
                api: Some(crate::import::body::ANTHROPIC),
                usage: tokens,
                kind: self.side.then_some(Kind::Sub),
                agent: self.session.agent.clone(),
                ..self.base.clone()
            };
            self.asked.insert(answer.as_str(), self.session.requests.len());
            self.session.push_at(start, draft);
        } else if let Some(request) =
            self.asked.get(&answer).copied().and_then(|at| self.session.requests.get_mut(at))
        {
            request.output.extend(parts);
            if tokens != Usage::default() {
                request.usage = tokens;
            }
        }
    }
}
