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

/// Every format; the first that claims a file reads it.
pub const FORMATS: &[Format] = &[
    Format { name: "otlp", claims: traces::claims, read: traces::read, together: true },
    Format {
        name: "ai-sdk-devtools",
        claims: devtools::claims,
        read: devtools::read,
        together: false,
    },
    Format { name: "har", claims: har::claims, read: har::read, together: false },
    Format {
        name: "openai-agents-trace",
        claims: agents::claims_trace,
        read: agents::read_trace,
        together: false,
    },
    Format {
        name: "openai-agents-runstate",
        claims: agents::claims_state,
        read: agents::read_state,
        together: false,
    },
    Format {
        name: "openai-agents-session",
        claims: agents::claims_session,
        read: agents::read_session,
        together: false,
    },
    Format { name: "codex", claims: codex::claims, read: codex::read, together: false },
    Format { name: "qwen-code", claims: qwen_code::claims, read: qwen_code::read, together: false },
    Format {
        name: "claude-code",
        claims: claude_code::claims,
        read: claude_code::read,
        together: false,
    },
    Format {
        name: "gemini-cli",
        claims: gemini_cli::claims,
        read: gemini_cli::read,
        together: false,
    },
    Format { name: "opencode", claims: opencode::claims, read: opencode::read, together: false },
    Format { name: "pi", claims: pi::claims, read: pi::read, together: false },
    Format { name: "aider", claims: aider::claims, read: aider::read, together: true },
    Format { name: "sdk-debug-log", claims: sdk_log::claims, read: sdk_log::read, together: false },
    Format { name: "litellm", claims: litellm::claims, read: litellm::read, together: false },
    Format {
        name: "langgraph-checkpoint",
        claims: langgraph::claims,
        read: langgraph::read,
        together: false,
    },
    Format { name: "provider-batch", claims: batch::claims, read: batch::read, together: true },
    Format { name: "raw-requests", claims: bodies::claims, read: bodies::read, together: false },
    Format { name: "messages", claims: lists::claims, read: lists::read, together: false },
    Format { name: "json", claims: generic::claims, read: generic::read, together: false },
];
