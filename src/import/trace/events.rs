//! The gen_ai conventions as log records: one for each message, one for each answer.

use super::span::{NO_TOOLS, Traced, base};
use crate::import::message::message;
use crate::import::model::{Draft, UnknownSubject};
use crate::import::otlp::Record;
use crate::import::pick::some;
use crate::import::tools::tools;
use crate::value::json::Json;
use crate::value::str_map::StrMap;
use std::collections::BTreeSet;

/// Makes requests from log records with one message each, except for spans that are `known`.
pub(super) fn from_events(records: &[Record], known: &StrMap<()>) -> Vec<Traced> {
    let mut groups = Groups::default();
    for record in records.iter().filter(|record| record.is_log) {
        let Some(kind) = record.name.strip_prefix("gen_ai.") else { continue };
        let kind = kind.strip_suffix(".message").unwrap_or(kind);
        if !matches!(kind, "system" | "user" | "assistant" | "tool" | "choice") {
            continue;
        }
        if record.span.as_deref().is_some_and(|span| known.contains_key(span)) {
            continue;
        }
        groups.add(record, kind);
    }
    groups.all.into_iter().map(Group::traced).collect()
}

/// Requests that are being assembled.
#[derive(Default)]
struct Groups {
    all: Vec<Group>,
    /// The last request of every span.
    of_span: StrMap<usize>,
    /// The requests without an answer.
    open: BTreeSet<usize>,
}

impl Groups {
    /// Returns the request of a record: the last one of its span, or the last of all without a
    /// span. A record that is not an answer belongs only to a request without one. Otherwise a new
    /// request starts.
    fn add(&mut self, record: &Record, kind: &str) {
        let is_answer = kind == "choice";
        let last = match &record.span {
            Some(span) => self.of_span.get(span).copied(),
            None if is_answer => self.all.len().checked_sub(1),
            None => self.open.last().copied(),
        };
        let last = last.filter(|at| is_answer || self.open.contains(at));
        let at = last.unwrap_or_else(|| self.begin(record));
        if is_answer {
            self.open.remove(&at);
        }
        if let Some(group) = self.all.get_mut(at) {
            group.add(record, kind);
        }
    }

    fn begin(&mut self, record: &Record) -> usize {
        let at = self.all.len();
        self.all.push(Group { draft: base(record), span: record.span.clone() });
        self.open.insert(at);
        if let Some(span) = &record.span {
            self.of_span.insert(span.as_str(), at);
        }
        at
    }
}

struct Group {
    draft: Draft,
    span: Option<String>,
}

impl Group {
    fn add(&mut self, record: &Record, kind: &str) {
        let body = &record.body;
        if kind == "choice" {
            let message_json = some(body, "message").unwrap_or(body);
            let mut fields = message_json.as_object().cloned().unwrap_or_default();
            fields.insert("role".into(), "assistant".into());
            if let Some(calls) = some(body, "tool_calls") {
                fields.insert("tool_calls".into(), calls.clone());
            }
            let message_json = message(&Json::Object(fields), &record.origin);
            self.draft.output.extend(message_json.into_iter().flat_map(|m| m.parts));
            return;
        }
        let content = body.get("content");
        if let Some(defined) = content.and_then(|content| content.get("tools")) {
            self.draft.tools = Some(tools(defined));
            return;
        }
        if content.is_none() && body.get("tool_calls").is_none() {
            let what = match kind {
                "system" => UnknownSubject::System,
                "tool" => UnknownSubject::ToolResults,
                _ => UnknownSubject::Messages,
            };
            self.draft.lacks(what, "the trace was recorded without content");
            return;
        }
        let mut fields = body.as_object().cloned().unwrap_or_default();
        fields.insert("role".into(), kind.into());
        self.draft.messages.extend(message(&Json::Object(fields), &record.origin));
    }

    fn traced(mut self) -> Traced {
        self.draft.lead_system();
        if self.draft.tools.is_none() && self.draft.uses_tools() {
            for what in [
                UnknownSubject::Tools,
                UnknownSubject::ToolDescriptions,
                UnknownSubject::ToolSchemas,
            ] {
                self.draft.lacks(what, NO_TOOLS);
            }
        }
        Traced { draft: self.draft, span: self.span }
    }
}
