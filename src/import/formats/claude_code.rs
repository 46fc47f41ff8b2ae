//! Claude Code: lines that name their parent. An answer has one line for each block. Results of
//! parallel calls are on different lines and were sent together.

use super::LineReader;
use crate::import::file::{Doc, Row};
use crate::import::lint::ImportLint;
use crate::import::message::taken_message;
use crate::import::model::{
    Called, Draft, Findings, Kind, Note, Origin, Owners, Role, Session, UnknownSubject, Usage,
};
use crate::import::pick::{deep, first_time, list, some, text, usage, yes};
use crate::value::json::Json;
use crate::value::str_map::StrMap;

pub fn claims(doc: &Doc) -> bool {
    super::shared::some_row(doc, |value| {
        value.get("parentUuid").is_some()
            && text(value, "uuid").is_some()
            && some(value, "message").is_some_and(|message| message.get("content").is_some())
    })
}

/// Reads a file of such lines.
pub fn reader(file: usize, name: &str) -> Box<dyn LineReader> {
    Box::new(Talks { file, name: name.to_owned(), main: None, sub: None })
}

/// The conversation, and the messages of its sub-agents in the same file.
#[derive(Debug)]
struct Talks {
    file: usize,
    name: String,
    main: Option<Talk>,
    sub: Option<Talk>,
}

impl LineReader for Talks {
    fn line(&mut self, mut row: Row, findings: &mut Findings) {
        // the content is moved out of its line
        let message_json = row.value.get_mut("message").map(std::mem::take).unwrap_or_default();
        let Some(id) = text(&row.value, "uuid") else { return };
        let side = yes(&row.value, "isSidechain");
        let talk = if side { &mut self.sub } else { &mut self.main };
        let talk = talk.get_or_insert_with(|| Talk::new(self.file, &self.name, side));
        talk.line(&row, message_json, id, &mut findings.owners);
    }

    fn requests(&self) -> usize {
        [&self.main, &self.sub].into_iter().flatten().map(|talk| talk.session.requests.len()).sum()
    }

    fn end(self: Box<Self>, findings: &mut Findings) {
        for talk in [self.main, self.sub].into_iter().flatten() {
            let session = talk.end(&mut findings.notes);
            if !session.requests.is_empty() {
                findings.sessions.push(session);
            }
        }
    }
}

/// The metadata of a compaction, in the line before its summary.
#[derive(Clone, Debug)]
struct Boundary {
    covers: Option<String>,
    keeps: Vec<String>,
}

/// The result of a line.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// Its last message.
    place: Option<usize>,
    /// The number of messages.
    count: usize,
    /// The answer that it is part of.
    answer: Option<usize>,
}

/// An answer of the model and the results of its calls.
#[derive(Debug)]
struct Answer {
    /// The last message so far.
    end: Option<usize>,
    /// The request that it belongs to.
    request: Option<usize>,
}

#[derive(Debug)]
struct Talk {
    file: usize,
    side: bool,
    session: Session,
    is_named: bool,
    base: Draft,
    lines: StrMap<Line>,
    /// The lines that start a compaction.
    boundaries: StrMap<Boundary>,
    answers: Vec<Answer>,
    /// The indexes of answers by their ids.
    answer_ids: StrMap<usize>,
    last_user: Option<usize>,
    waiting: bool,
    /// The number of omitted attachments, and the origin of the last one.
    left_out: usize,
    left_at: Origin,
}

impl Talk {
    fn new(file: usize, name: &str, side: bool) -> Self {
        let whole = Origin { file, ..Origin::default() };
        let mut base = Draft { origin: whole.clone(), ..Draft::default() };
        super::shared::agent_lacks(&mut base, true);
        base.lacks(UnknownSubject::Messages, "a reminder with the date and the project rules is sent before the first text and not logged");
        Self {
            file,
            side,
            session: Session::new("claude-code", name),
            is_named: false,
            base,
            lines: StrMap::new(),
            boundaries: StrMap::new(),
            answers: Vec::new(),
            answer_ids: StrMap::new(),
            last_user: None,
            waiting: false,
            left_out: 0,
            left_at: whole,
        }
    }

    fn line(&mut self, row: &Row, message_json: Json, id: &str, owners: &mut Owners) {
        let value = &row.value;
        if let Some(session_id) = text(value, "sessionId") {
            self.own(session_id, value, id, owners);
        }
        let line = match text(value, "type") {
            Some("user") => {
                let line = self.user(row, message_json);
                self.last_user = line.place;
                self.waiting = true;
                line
            }
            Some("assistant") if yes(value, "isApiErrorMessage") => self.pass(value),
            Some("assistant") => {
                self.waiting &= text(&message_json, "model") == Some("<synthetic>");
                self.assistant(row, message_json, id)
            }
            Some("system") if text(value, "subtype") == Some("compact_boundary") => {
                let kept = deep(value, &["compactMetadata", "preservedMessages"]);
                let kept = kept.map(|kept| list(kept, "uuids")).unwrap_or(&[]);
                let boundary = Boundary {
                    covers: text(value, "logicalParentUuid").map(str::to_owned),
                    keeps: kept.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
                };
                self.boundaries.insert(id, boundary);
                Line::default()
            }
            Some("attachment") => {
                self.left_out += 1;
                self.left_at = row.origin(self.file);
                self.pass(value)
            }
            Some(_) | None => self.pass(value),
        };
        self.lines.insert(id, line);
    }

    fn end(mut self, notes: &mut Vec<Note>) -> Session {
        if self.waiting {
            let draft = self.base.clone();
            self.session.push_at(self.last_user, draft);
        }
        if self.left_out > 0 {
            let (subject, source) = match self.left_out {
                1 => ("attachment was", "its source"),
                _ => ("attachments were", "their sources"),
            };
            let message = format!(
                "{} {subject} rendered into messages by the agent; the log contains only {source}",
                self.left_out
            );
            notes.push(Note { code: ImportLint::LeftOut, origin: self.left_at, message });
        }
        let mut used = Called::default();
        for part in self.session.requests.iter().flat_map(|request| &request.output) {
            used.part(part);
        }
        self.session.offer(used);
        self.session
    }

    /// Returns the owner of a session: the first file that has a line owns it, a fork repeats it.
    fn own(&mut self, session_id: &str, value: &Json, id: &str, owners: &mut Owners) {
        if !self.is_named {
            self.is_named = true;
            self.session.id = match text(value, "agentId").filter(|_| self.side) {
                Some(agent) => {
                    self.session.parent = Some(session_id.to_owned());
                    self.session.agent = Some(agent.to_owned());
                    format!("{session_id}/{agent}")
                }
                None => session_id.to_owned(),
            };
        }
        let owner = owners.of(id, &self.session.id);
        if owner != self.session.id && self.session.parent.is_none() {
            self.session.parent = Some(owner.to_owned());
        }
    }

    /// Returns the result of the parent line.
    fn parent(&self, value: &Json) -> Line {
        let parent = text(value, "parentUuid").and_then(|id| self.lines.get(id));
        parent.copied().unwrap_or_default()
    }

    /// A line that is not a message: its children follow its parent.
    fn pass(&self, value: &Json) -> Line {
        Line { place: self.parent(value).place, ..Line::default() }
    }

    fn user(&mut self, row: &Row, message_json: Json) -> Line {
        let value = &row.value;
        let origin = row.origin(self.file).at("message");
        let found = taken_message(message_json, &origin);
        let parent = self.parent(value);
        let is_result = found.iter().any(|m| m.role == Role::Tool);
        let answer = parent.answer.filter(|_| is_result);
        let end = answer.and_then(|at| self.answers.get(at)).and_then(|answer| answer.end);
        let mut place = end.or(parent.place);
        let count = found.len();
        for message in found {
            place = Some(self.session.node(place, message));
        }
        if let Some(answer) = answer.and_then(|at| self.answers.get_mut(at)) {
            answer.end = place;
        }
        if yes(value, "isCompactSummary")
            && let Some(at) = place
        {
            place = self.summary(value, at);
        }
        Line { place, count, answer }
    }

    /// A summary covers the messages before it; messages that the compaction kept come after it.
    fn summary(&mut self, value: &Json, at: usize) -> Option<usize> {
        let boundary = text(value, "parentUuid").and_then(|id| self.boundaries.get(id).cloned());
        let Some(Boundary { covers, keeps }) = boundary else { return Some(at) };
        let covered = covers.and_then(|id| self.lines.get(&id)).and_then(|line| line.place);
        self.session.cover(at, covered);
        let mut place = Some(at);
        for id in keeps {
            let line = self.lines.get(&id).copied().unwrap_or_default();
            for message in self.session.last_messages(line.place, line.count) {
                place = Some(self.session.node(place, message));
            }
        }
        place
    }

    fn assistant(&mut self, row: &Row, message_json: Json, id: &str) -> Line {
        let value = &row.value;
        let answer_id = text(&message_json, "id").unwrap_or(id).to_owned();
        let answer_id = answer_id.as_str();
        let model = text(&message_json, "model").map(str::to_owned);
        let tokens = some(&message_json, "usage").map(usage).unwrap_or_default();
        let origin = row.origin(self.file).at("message");
        let known = self.answer_ids.get(answer_id).copied();
        let start = match known.and_then(|at| self.answers.get(at)) {
            Some(answer) => answer.end,
            None => self.parent(value).place,
        };
        let mut place = start;
        let found = taken_message(message_json, &origin);
        let parts: Vec<_> = found.iter().flat_map(|message| message.parts.clone()).collect();
        let count = found.len();
        for message in found {
            place = Some(self.session.node(place, message));
        }
        let at = known.unwrap_or_else(|| {
            self.answers.push(Answer { end: None, request: None });
            self.answer_ids.insert(answer_id, self.answers.len() - 1);
            self.answers.len() - 1
        });
        let line = Line { place, count, answer: Some(at) };
        let Some(answer) = self.answers.get_mut(at) else { return line };
        answer.end = place;
        if model.as_deref() == Some("<synthetic>") {
            return line;
        }
        if known.is_none() {
            let draft = Draft {
                output: parts,
                at: first_time(value, &["timestamp"]),
                origin,
                model,
                api: Some(crate::import::body::ANTHROPIC),
                usage: tokens,
                kind: self.side.then_some(Kind::Sub),
                agent: self.session.agent.clone(),
                ..self.base.clone()
            };
            answer.request = Some(self.session.requests.len());
            self.session.push_at(start, draft);
        } else if let Some(request) =
            answer.request.and_then(|at| self.session.requests.get_mut(at))
        {
            request.output.extend(parts);
            if tokens != Usage::default() {
                request.usage = tokens;
            }
        }
        line
    }
}
