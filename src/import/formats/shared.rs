//! Checks that several formats share, and what their logs never have.

use crate::import::file::Doc;
use crate::import::model::{Draft, UnknownSubject};
use crate::value::json::Json;

/// Returns true if more than half of a file's values satisfy a check.
pub(super) fn mostly(doc: &Doc, question: impl Fn(&Json) -> bool) -> bool {
    let seen = doc.head().iter().take(200);
    let yes = seen.clone().filter(|row| question(&row.value)).count();
    yes > 0 && yes * 2 > seen.count()
}

/// Returns true if a value of a file satisfies a check.
pub(super) fn some_row(doc: &Doc, question: impl Fn(&Json) -> bool) -> bool {
    doc.head().iter().any(|row| question(&row.value))
}

pub(super) const HISTORY: &str =
    "the log is the history of a conversation; this was never part of it";
pub(super) const ONLY_NAMES: &str = "the log has only the names of tools that were called";

/// The unknown parts of a bare history: system prompt, settings, and the tools except the names of
/// called ones.
pub(super) fn history_lacks(draft: &mut Draft, uses_tools: bool) {
    if draft.system.is_empty() {
        draft.lacks(UnknownSubject::System, HISTORY);
    }
    if uses_tools {
        draft.lacks(UnknownSubject::Tools, ONLY_NAMES);
        draft.lacks(UnknownSubject::ToolDescriptions, ONLY_NAMES);
        draft.lacks(UnknownSubject::ToolSchemas, ONLY_NAMES);
    }
    draft.lacks(UnknownSubject::Params, HISTORY);
}

/// The unknown parts of the log of a coding agent.
pub(super) fn agent_lacks(draft: &mut Draft, system: bool) {
    if system {
        draft.lacks(
            UnknownSubject::System,
            "the agent builds its system prompt anew for every request and does not log it",
        );
    }
    draft.lacks(UnknownSubject::Tools, "the agent offers its own tools and does not log them");
    draft.lacks(UnknownSubject::Params, "the agent does not log the settings of its requests");
}
