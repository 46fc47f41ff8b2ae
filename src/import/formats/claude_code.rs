//! Claude Code: lines that name their parent. One answer is split over a line a block; results of
//! parallel calls hang on different lines and were sent together.

use crate::import::file::{Doc, Row};
use crate::import::lint::ImportLint;
use crate::import::message::message;
use crate::import::model::{
    Called, Draft, Findings, Kind, Note, Origin, Owners, Session, Usage, What,
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
    for doc in docs {
        // the conversation, and what its sub-agents said in the same file
        let mut talks: [Option<Reader<'_>>; 2] = [None, None];
        for row in doc.each() {
            let Some(id) = text(&row.value, "uuid") else { continue };
            let side = yes(&row.value, "isSidechain");
            let [main, sub] = &mut talks;
            let talk = if side { sub } else { main };
            talk.get_or_insert_with(|| Reader::new(doc, side)).line(&row, id, &mut findings.owners);
        }
        for talk in talks.into_iter().flatten() {
            let session = talk.end(&mut findings.notes);
            if !session.requests.is_empty() {
                findings.sessions.push(session);
            }
        }
    }
}

/// What a compaction says about itself, in the line before its summary.
#[derive(Clone, Debug)]
struct Boundary {
    covers: Option<String>,
    keeps: Vec<String>,
}

struct Reader<'a> {
    doc: &'a Doc,
    side: bool,
    session: Session,
    base: Draft,
    /// The message that a line became.
    places: StrMap<Option<usize>>,
    /// How many messages a line became.
    counts: StrMap<usize>,
    /// The lines that begin a compaction.
    boundaries: StrMap<Boundary>,
    /// The last message of an answer and its results.
    ends: StrMap<Option<usize>>,
    /// The answer that a line is part of.
    answers: StrMap<String>,
    /// The request that an answer belongs to.
    asked: StrMap<usize>,
    last_user: Option<usize>,
    waiting: bool,
    /// How many attachments were left out, and where the last one stands.
    left_out: usize,
    left_at: Origin,
}

impl<'a> Reader<'a> {
    fn new(doc: &'a Doc, side: bool) -> Self {
        let mut base = Draft { origin: doc.whole(), ..Draft::default() };
        super::shared::agent_lacks(&mut base, true);
        base.lacks(What::Messages, "a reminder with the date and the rules of the project is sent before the first text and not logged");
        Self {
            doc,
            side,
            session: Session::new("claude-code", doc.name.clone()),
            base,
            places: StrMap::new(),
            counts: StrMap::new(),
            boundaries: StrMap::new(),
            ends: StrMap::new(),
            answers: StrMap::new(),
            asked: StrMap::new(),
            last_user: None,
            waiting: false,
            left_out: 0,
            left_at: doc.whole(),
        }
    }

    fn line(&mut self, row: &Row, id: &str, owners: &mut Owners) {
        let value = &row.value;
        if let Some(session_id) = text(value, "sessionId") {
            self.own(session_id, value, id, owners);
        }
        match text(value, "type") {
            Some("user") => {
                self.user(row, value, id);
                self.last_user = self.places.get(id).copied().flatten();
                self.waiting = true;
            }
            Some("assistant") => {
                if yes(value, "isApiErrorMessage") {
                    self.pass(value, id);
                } else {
                    self.waiting &= deep_text(value, &["message", "model"]) == Some("<synthetic>");
                    self.assistant(row, value, id);
                }
            }
            Some("system") if text(value, "subtype") == Some("compact_boundary") => {
                self.places.insert(id, None);
                let kept = deep(value, &["compactMetadata", "preservedMessages"]);
                let kept = kept.map(|kept| list(kept, "uuids")).unwrap_or(&[]);
                let boundary = Boundary {
                    covers: text(value, "logicalParentUuid").map(str::to_owned),
                    keeps: kept.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
                };
                self.boundaries.insert(id, boundary);
            }
            Some(kind) => {
                if kind == "attachment" {
                    self.left_out += 1;
                    self.left_at = self.doc.origin(row);
                }
                self.pass(value, id);
            }
            None => self.pass(value, id),
        }
    }

    fn end(mut self, notes: &mut Vec<Note>) -> Session {
        if self.waiting {
            let draft = self.base.clone();
            self.session.push_at(self.last_user, draft);
        }
        if self.left_out > 0 {
            let message = format!(
                "{} attachments were rendered into messages by the agent; the log has only what they were made of",
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

    /// Whose session it is: the first file that has a line owns it, a fork repeats it.
    fn own(&mut self, session_id: &str, value: &Json, id: &str, owners: &mut Owners) {
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
        let owner = owners.of(id, &self.session.id);
        if owner != self.session.id && self.session.parent.is_none() {
            self.session.parent = Some(owner.to_owned());
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
        self.counts.insert(id, found.len());
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
        let boundary = text(value, "parentUuid").and_then(|id| self.boundaries.get(id).cloned());
        let Some(Boundary { covers, keeps }) = boundary else { return Some(at) };
        let covered = covers.and_then(|id| self.places.get(&id).copied().flatten());
        self.session.cover(at, covered);
        let mut place = Some(at);
        for id in keeps {
            let count = self.counts.get(&id).copied().unwrap_or(0);
            let end = self.places.get(&id).copied().flatten();
            for message in self.session.last_messages(end, count) {
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
        self.counts.insert(id, found.len());
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
