//! The gen_ai conventions as log records: one for each message, one for each answer.

use super::span::{NO_TOOLS, Traced, base};
use crate::import::message::message;
use crate::import::model::{Draft, What};
use crate::import::otlp::Record;
use crate::import::pick::some;
use crate::import::tools::tools;
use crate::value::json::Json;

/// Requests out of log records with one message each.
pub(super) fn from_events(records: &[Record], found: &[Traced]) -> Vec<Traced> {
    let mut groups: Vec<Group> = Vec::new();
    for record in records.iter().filter(|record| record.is_log) {
        let Some(kind) = record.name.strip_prefix("gen_ai.") else { continue };
        let kind = kind.strip_suffix(".message").unwrap_or(kind);
        if !matches!(kind, "system" | "user" | "assistant" | "tool" | "choice") {
            continue;
        }
        let known = found.iter().any(|there| there.span.is_some() && there.span == record.span);
        if known {
            continue;
        }
        let choice = kind == "choice";
        let at = groups.iter().rposition(|group| {
            let same = record.span.is_none() || group.span == record.span;
            same && (choice || !group.answered)
        });
        let at = match at {
            Some(at) => at,
            None => {
                groups.push(Group::new(record));
                groups.len() - 1
            }
        };
        if let Some(group) = groups.get_mut(at) {
            group.add(record, kind);
        }
    }
    groups.into_iter().map(Group::traced).collect()
}

struct Group {
    draft: Draft,
    span: Option<String>,
    answered: bool,
}

impl Group {
    fn new(record: &Record) -> Self {
        Self { draft: base(record), span: record.span.clone(), answered: false }
    }

    fn add(&mut self, record: &Record, kind: &str) {
        let body = &record.body;
        if kind == "choice" {
            self.answered = true;
            let said = some(body, "message").unwrap_or(body);
            let mut fields = said.as_object().cloned().unwrap_or_default();
            fields.insert("role".into(), "assistant".into());
            if let Some(calls) = some(body, "tool_calls") {
                fields.insert("tool_calls".into(), calls.clone());
            }
            let said = message(&Json::Object(fields), &record.origin);
            self.draft.output.extend(said.into_iter().flat_map(|m| m.parts));
            return;
        }
        let content = body.get("content");
        if let Some(defined) = content.and_then(|content| content.get("tools")) {
            self.draft.tools = Some(tools(defined));
            return;
        }
        if content.is_none() && body.get("tool_calls").is_none() {
            let what = match kind {
                "system" => What::System,
                "tool" => What::ToolResults,
                _ => What::Messages,
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
            for what in [What::Tools, What::ToolDescriptions, What::ToolSchemas] {
                self.draft.lacks(what, NO_TOOLS);
            }
        }
        Traced { draft: self.draft, span: self.span }
    }
}
