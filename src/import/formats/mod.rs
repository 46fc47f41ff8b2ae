//! The known formats, detected by the content of files.

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
mod langfuse;
mod langgraph;
mod lhar;
mod lists;
mod litellm;
mod mitmproxy;
mod opencode;
mod pi;
mod qwen_code;
mod sdk_log;
mod shared;
mod traces;

use super::file::{Doc, Row};
use super::model::Findings;

/// A format: how to detect it, and how to read its files.
pub struct Format {
    /// The name in reports.
    pub name: &'static str,
    /// Returns true if a file has this format.
    pub claims: fn(&Doc) -> bool,
    /// How its files are read.
    pub how: How,
}

/// The way in which the files of a format are read.
pub enum How {
    /// Each file on its own, as a whole.
    Whole(fn(&[&Doc], &mut Findings)),
    /// All files together: a session can be in several files.
    Together(fn(&[&Doc], &mut Findings)),
    /// Each file on its own, line by line as it arrives.
    Lines(fn(file: usize, name: &str) -> Box<dyn LineReader>),
}

/// A reader that gets the values of a file one by one.
pub trait LineReader: std::fmt::Debug + Send {
    /// Reads the next value.
    fn line(&mut self, row: Row, findings: &mut Findings);

    /// Returns the number of requests so far.
    fn requests(&self) -> usize;

    /// Ends the file and adds its sessions.
    fn end(self: Box<Self>, findings: &mut Findings);
}

impl Format {
    const fn new(name: &'static str, claims: fn(&Doc) -> bool, how: How) -> Self {
        Self { name, claims, how }
    }
}

/// Every format. The first one that accepts a file reads it.
pub const FORMATS: &[Format] = &[
    Format::new("otlp", traces::claims, How::Together(traces::read)),
    Format::new("ai-sdk-devtools", devtools::claims, How::Whole(devtools::read)),
    Format::new("mitmproxy", mitmproxy::claims, How::Whole(mitmproxy::read)),
    Format::new("har", har::claims, How::Whole(har::read)),
    Format::new("openai-agents-trace", agents::claims_trace, How::Whole(agents::read_trace)),
    Format::new("openai-agents-runstate", agents::claims_state, How::Whole(agents::read_state)),
    Format::new("openai-agents-session", agents::claims_session, How::Whole(agents::read_session)),
    Format::new("codex", codex::claims, How::Lines(codex::reader)),
    Format::new("qwen-code", qwen_code::claims, How::Whole(qwen_code::read)),
    Format::new("claude-code", claude_code::claims, How::Lines(claude_code::reader)),
    Format::new("gemini-cli", gemini_cli::claims, How::Whole(gemini_cli::read)),
    Format::new("opencode", opencode::claims, How::Whole(opencode::read)),
    Format::new("pi", pi::claims, How::Whole(pi::read)),
    Format::new("aider", aider::claims, How::Together(aider::read)),
    Format::new("sdk-debug-log", sdk_log::claims, How::Whole(sdk_log::read)),
    Format::new("lhar", lhar::claims, How::Whole(lhar::read)),
    Format::new("langfuse", langfuse::claims, How::Whole(langfuse::read)),
    Format::new("litellm", litellm::claims, How::Whole(litellm::read)),
    Format::new("langgraph-checkpoint", langgraph::claims, How::Whole(langgraph::read)),
    Format::new("provider-batch", batch::claims, How::Together(batch::read)),
    Format::new("raw-requests", bodies::claims, How::Whole(bodies::read)),
    Format::new("messages", lists::claims, How::Whole(lists::read)),
    Format::new("json", generic::claims, How::Whole(generic::read)),
];

/// Returns true if all files of a format are read together.
pub(super) fn is_read_together(name: &str) -> bool {
    FORMATS.iter().any(|format| format.name == name && matches!(format.how, How::Together(_)))
}
