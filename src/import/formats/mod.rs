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

use super::file::{Doc, Row};
use super::model::Findings;

/// A format: what tells it, and how its files are read.
pub struct Format {
    /// Its name in reports.
    pub name: &'static str,
    /// Whether a file is one of this format.
    pub claims: fn(&Doc) -> bool,
    /// How its files are read.
    pub how: How,
}

/// How the files of a format are read.
pub enum How {
    /// Each by itself, all of it at once.
    Whole(fn(&[&Doc], &mut Findings)),
    /// All of them together: a session may stand in several.
    Together(fn(&[&Doc], &mut Findings)),
    /// Each by itself, a line after the other, as they come in.
    Lines(fn(file: usize, name: &str) -> Box<dyn LineReader>),
}

/// What reads the values of a file one after the other and needs none of them again.
pub trait LineReader: std::fmt::Debug {
    /// Reads the next value.
    fn line(&mut self, row: Row, findings: &mut Findings);

    /// How many requests were found so far.
    fn requests(&self) -> usize;

    /// There are no more: the sessions are found.
    fn end(self: Box<Self>, findings: &mut Findings);
}

impl Format {
    const fn new(name: &'static str, claims: fn(&Doc) -> bool, how: How) -> Self {
        Self { name, claims, how }
    }
}

/// Every format; the first that claims a file reads it.
pub const FORMATS: &[Format] = &[
    Format::new("otlp", traces::claims, How::Together(traces::read)),
    Format::new("ai-sdk-devtools", devtools::claims, How::Whole(devtools::read)),
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
    Format::new("litellm", litellm::claims, How::Whole(litellm::read)),
    Format::new("langgraph-checkpoint", langgraph::claims, How::Whole(langgraph::read)),
    Format::new("provider-batch", batch::claims, How::Together(batch::read)),
    Format::new("raw-requests", bodies::claims, How::Whole(bodies::read)),
    Format::new("messages", lists::claims, How::Whole(lists::read)),
    Format::new("json", generic::claims, How::Whole(generic::read)),
];
