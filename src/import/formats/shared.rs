//! What readers of several formats ask of a file, and what their logs never hold.

use crate::import::file::Doc;
use crate::import::model::{Draft, What};
use crate::value::json::Json;

/// The share of a file's values that a question is true for is more than a half.
pub(super) fn mostly(doc: &Doc, question: impl Fn(&Json) -> bool) -> bool {
    let seen = doc.head().iter().take(200);
    let yes = seen.clone().filter(|row| question(&row.value)).count();
    yes > 0 && yes * 2 > seen.count()
}

/// Some value of a file answers a question.
pub(super) fn some_row(doc: &Doc, question: impl Fn(&Json) -> bool) -> bool {
    doc.head().iter().any(|row| question(&row.value))
}

pub(super) const HISTORY: &str =
    "the log is the history of a conversation; this was never part of it";
pub(super) const ONLY_NAMES: &str = "the log has only the names of tools that were called";

/// What is never in a bare history: the system prompt, settings, and all of the tools but the
/// names of those that were called.
pub(super) fn history_lacks(draft: &mut Draft, uses_tools: bool) {
    if draft.system.is_empty() {
        draft.lacks(What::System, HISTORY);
    }
    if uses_tools {
        draft.lacks(What::Tools, ONLY_NAMES);
        draft.lacks(What::ToolDescriptions, ONLY_NAMES);
        draft.lacks(What::ToolSchemas, ONLY_NAMES);
    }
    draft.lacks(What::Params, HISTORY);
}

/// What the log of a coding agent never has.
pub(super) fn agent_lacks(draft: &mut Draft, system: bool) {
    if system {
        draft.lacks(
            What::System,
            "the agent builds its system prompt anew for every request and does not log it",
        );
    }
    draft.lacks(What::Tools, "the agent offers tools of its own that it does not log");
    draft.lacks(What::Params, "the agent does not log the settings of its requests");
}
