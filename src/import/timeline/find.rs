//! Messages of a timeline: one by its id, or those with some text.

use super::Timeline;
use super::answer::{MessageDetail, PartKind, TimelineHit, TimelineHits, TimelineOrigin};
use super::detail::{answer_row, message_row, system_row};
use super::index::{Index, Member};
use super::words::{kind_of, readable};
use crate::import::model::{Message, Origin, Part, Role};

/// The maximum number of matches that are listed.
const MAX_HITS: usize = 200;
/// The number of characters around a match.
const AROUND: usize = 60;

impl Timeline {
    pub(super) fn place(&self, origin: &Origin) -> TimelineOrigin {
        let file = self.files.get(origin.file).cloned().unwrap_or_default();
        TimelineOrigin { file, line: origin.line, pointer: origin.pointer.clone() }
    }

    /// Returns everything about a message.
    pub(super) fn message(&self, index: &Index, id: &str) -> Option<MessageDetail> {
        let (form, number) = id.split_at_checked(1)?;
        let number: usize = number.parse().ok()?;
        match form {
            "m" => self.node(index, number),
            "a" => self.answer_detail(index, number.checked_sub(1)?),
            "s" => self.system_detail(index, number.checked_sub(1)?),
            _ => None,
        }
    }

    fn node(&self, index: &Index, number: usize) -> Option<MessageDetail> {
        let holds = |member: &&Member| {
            number.checked_sub(member.first_node).is_some_and(|at| at < member.nodes.len())
        };
        let member = index.members.iter().find(holds)?;
        let at = number - member.first_node;
        let message = member.session.message(at)?;
        let row = message_row(member, at, None)?;
        let node = member.node(Some(at));
        let last = node.last_step.and_then(|last| index.steps.get(last.checked_sub(1)?));
        let made_by = match message.role {
            // an answer is sent first by the step after its own
            Role::Assistant => {
                let first =
                    node.first_step.and_then(|first| index.steps.get(first.checked_sub(1)?));
                first.and_then(|first| first.before)
            }
            Role::Tool => {
                let first =
                    node.first_step.and_then(|first| index.steps.get(first.checked_sub(1)?));
                first.and_then(|first| first.before)
            }
            Role::System | Role::User => None,
        };
        let has = |kind: PartKind| row.parts.iter().any(|part| part.kind == kind);
        let reason = match message.role {
            _ if has(PartKind::Summary) => "summary",
            Role::System => "system",
            Role::Assistant => "answer",
            _ if has(PartKind::ToolResult) => "result",
            _ if has(PartKind::User) => "prompt",
            Role::Tool | Role::User => "attachment",
        };
        Some(MessageDetail {
            origin: self.place(&message.origin),
            first_step: node.first_step,
            last_step: node.last_step,
            dropped_step: last.and_then(|last| last.after).map(|at| at + 1),
            times: node.times,
            resent_tokens: row.tokens * node.times as u64,
            reason,
            made_by: made_by.map(|at| at + 1),
            message: row,
        })
    }

    fn answer_detail(&self, index: &Index, at: usize) -> Option<MessageDetail> {
        let step = index.steps.get(at)?;
        let (_, request) = index.request(step)?;
        Some(MessageDetail {
            message: answer_row(index, at, None)?,
            origin: self.place(&request.origin),
            first_step: step.after.map(|after| after + 1),
            last_step: None,
            dropped_step: None,
            times: 0,
            resent_tokens: 0,
            reason: "answer",
            made_by: Some(at + 1),
        })
    }

    fn system_detail(&self, index: &Index, at: usize) -> Option<MessageDetail> {
        let step = index.steps.get(at)?;
        let (member, request) = index.request(step)?;
        let row = system_row(index, at, None)?;
        let same = index.steps.iter().enumerate().filter_map(|(at, other)| {
            let (other_member, other_request) = index.request(other)?;
            let is_same = other_member.first_node == member.first_node
                && other_request.system == request.system;
            is_same.then_some(at + 1)
        });
        let same: Vec<usize> = same.collect();
        Some(MessageDetail {
            origin: self.place(&request.origin),
            first_step: same.first().copied(),
            last_step: same.last().copied(),
            dropped_step: None,
            times: same.len(),
            resent_tokens: row.tokens * same.len() as u64,
            reason: "system",
            made_by: None,
            message: row,
        })
    }

    /// Finds text in all messages, ignoring case.
    pub(super) fn find(&self, index: &Index, text: &str) -> TimelineHits {
        let wanted = text.to_lowercase();
        let mut found = TimelineHits { hits: Vec::new(), count: 0 };
        if wanted.trim().is_empty() {
            return found;
        }
        for member in &index.members {
            for (at, (message, _)) in member.session.all().enumerate() {
                let is_summary = member.session.covered(at).is_some();
                let Some(step) = member.node(Some(at)).first_step else { continue };
                for part in &message.parts {
                    let kind = kind_of(part, message, is_summary);
                    let id = || format!("m{}", member.first_node + at);
                    found.look(member, part, kind, step, id, &wanted);
                }
            }
        }
        // answers that no later step repeats, and system prompts
        let spoken =
            Message { role: Role::Assistant, parts: Vec::new(), origin: Origin::default() };
        let mut systems: Vec<&std::sync::Arc<Vec<String>>> = Vec::new();
        for (at, step) in index.steps.iter().enumerate() {
            let Some((member, request)) = index.request(step) else { continue };
            if step.after.is_none() {
                for part in &request.output {
                    let kind = kind_of(part, &spoken, false);
                    found.look(member, part, kind, at + 1, || format!("a{}", at + 1), &wanted);
                }
            }
            if systems.iter().any(|known| std::sync::Arc::ptr_eq(known, &request.system)) {
                continue;
            }
            systems.push(&request.system);
            for text in request.system.iter() {
                let part = Part::Text(text.clone());
                found.look(
                    member,
                    &part,
                    PartKind::System,
                    at + 1,
                    || format!("s{}", at + 1),
                    &wanted,
                );
            }
        }
        found.hits.sort_by_key(|hit| hit.step);
        found
    }
}

impl TimelineHits {
    fn look(
        &mut self,
        member: &Member,
        part: &Part,
        kind: PartKind,
        step: usize,
        id: impl Fn() -> String,
        wanted: &str,
    ) {
        let text = readable(part);
        let lower = text.to_lowercase();
        let Some(at) = lower.find(wanted) else { return };
        self.count += 1;
        if self.hits.len() >= MAX_HITS {
            return;
        }
        // lower case can have another length, so positions are those of characters
        let from = lower.get(..at).map_or(0, |start| start.chars().count());
        let length = wanted.chars().count();
        let chars = |skip: usize, take: usize| text.chars().skip(skip).take(take).collect();
        let start = from.saturating_sub(AROUND);
        let call = member.call_of(part);
        self.hits.push(TimelineHit {
            message: id(),
            step,
            kind,
            tool: call.map(|call| call.tool.clone()),
            target: call.and_then(|call| call.words.target.clone()),
            before: chars(start, from - start),
            found: chars(from, length),
            after: chars(from + length, AROUND),
        });
    }
}
