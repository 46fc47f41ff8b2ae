//! The formats that are known, each told by what is in its files.

mod agents;
mod aider;
mod batch;
mod bodies;
mod claude_code;
mod codex;
mod devtools;
mod gemini_cli;
mod generic;
mod har;
mod langgraph;
mod lists;
mod litellm;
mod opencode;
mod pi;
mod qwen_code;
mod sdk_log;
mod shared;
mod traces;

use super::file::Doc;
use super::model::Findings;

/// A format: what tells it, and how its files are read.
pub struct Format {
    /// Its name in reports.
    pub name: &'static str,
    /// Whether a file is one of this format.
    pub claims: fn(&Doc) -> bool,
    /// Reads files of the format.
    pub read: fn(&[&Doc], &mut Findings),
    /// Whether a session may stand in several files, so that all of them are read together.
    pub together: bool,
}

impl Format {
    const fn new(
        name: &'static str,
        claims: fn(&Doc) -> bool,
        read: fn(&[&Doc], &mut Findings),
    ) -> Self {
        Self { name, claims, read, together: false }
    }

    /// The format whose sessions may stand in several files.
    const fn together(self) -> Self {
        Self { together: true, ..self }
    }
}

/// Every format; the first that claims a file reads it.
pub const FORMATS: &[Format] = &[
    Format::new("otlp", traces::claims, traces::read).together(),
    Format::new("ai-sdk-devtools", devtools::claims, devtools::read),
    Format::new("har", har::claims, har::read),
    Format::new("openai-agents-trace", agents::claims_trace, agents::read_trace),
    Format::new("openai-agents-runstate", agents::claims_state, agents::read_state),
    Format::new("openai-agents-session", agents::claims_session, agents::read_session),
    Format::new("codex", codex::claims, codex::read),
    Format::new("qwen-code", qwen_code::claims, qwen_code::read),
    Format::new("claude-code", claude_code::claims, claude_code::read),
    Format::new("gemini-cli", gemini_cli::claims, gemini_cli::read),
    Format::new("opencode", opencode::claims, opencode::read),
    Format::new("pi", pi::claims, pi::read),
    Format::new("aider", aider::claims, aider::read).together(),
    Format::new("sdk-debug-log", sdk_log::claims, sdk_log::read),
    Format::new("litellm", litellm::claims, litellm::read),
    Format::new("langgraph-checkpoint", langgraph::claims, langgraph::read),
    Format::new("provider-batch", batch::claims, batch::read).together(),
    Format::new("raw-requests", bodies::claims, bodies::read),
    Format::new("messages", lists::claims, lists::read),
    Format::new("json", generic::claims, generic::read),
];
