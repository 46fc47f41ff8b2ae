//! The facts about a request that every dialect has.

use crate::import::body;
use crate::import::model::{Draft, Part, Usage};
use crate::import::otlp::Record;
use crate::import::pick::count;

pub(super) const NO_TOOLS: &str =
    "the trace has no tool definitions, only the names of tools that were called";

/// A request of a trace and its span.
#[derive(Debug)]
pub struct Traced {
    /// The request.
    pub draft: Draft,
    /// The id of the span.
    pub span: Option<String>,
}

/// The facts about a request that every span has.
pub(super) fn base(record: &Record) -> Draft {
    let number = |keys: &[&str]| keys.iter().find_map(|key| record.get(key).and_then(count));
    let model = ["gen_ai.request.model", "ai.model.id", "llm.model_name", "gen_ai.response.model"]
        .iter()
        .find_map(|key| record.text(key));
    Draft {
        model: model.map(str::to_owned),
        api: api(record),
        at: record.start,
        origin: record.origin.clone(),
        agent: record.text("gen_ai.agent.name").map(str::to_owned),
        response_id: record
            .text("gen_ai.response.id")
            .or_else(|| record.text("ai.response.id"))
            .map(str::to_owned),
        usage: Usage {
            input: number(&[
                "gen_ai.usage.input_tokens",
                "gen_ai.usage.prompt_tokens",
                "ai.usage.inputTokens",
                "ai.usage.promptTokens",
                "llm.token_count.prompt",
            ]),
            output: number(&[
                "gen_ai.usage.output_tokens",
                "gen_ai.usage.completion_tokens",
                "ai.usage.outputTokens",
                "ai.usage.completionTokens",
                "llm.token_count.completion",
            ]),
            cached: number(&[
                "gen_ai.usage.cache_read.input_tokens",
                "gen_ai.usage.cache_read_input_tokens",
                "ai.usage.cachedInputTokens",
                "llm.token_count.prompt_details.cache_read",
            ]),
            written: number(&[
                "gen_ai.usage.cache_creation.input_tokens",
                "gen_ai.usage.cache_creation_input_tokens",
                "llm.token_count.prompt_details.cache_write",
            ]),
        },
        ..Draft::default()
    }
}

/// Returns the API by the name of the provider. The two of OpenAI have other ids of responses.
fn api(record: &Record) -> Option<&'static str> {
    let keys = ["gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system"];
    let name = keys.iter().find_map(|key| record.text(key))?.to_ascii_lowercase();
    let id = record.text("gen_ai.response.id").unwrap_or_default();
    match name.as_str() {
        "anthropic" => Some(body::ANTHROPIC),
        "gcp.gemini" | "gcp.vertex_ai" | "gemini" | "google" | "vertexai" => Some(body::GEMINI),
        _ if !name.contains("openai") => None,
        _ if id.starts_with("resp_") => Some(body::RESPONSES),
        _ if id.starts_with("chatcmpl") => Some(body::CHAT),
        _ => None,
    }
}

/// Returns the id of a call.
pub(super) fn id_of_call(part: &Part) -> Option<String> {
    match part {
        Part::Call { id, .. } => id.clone(),
        Part::Text(_)
        | Part::Reasoning { .. }
        | Part::Result { .. }
        | Part::Image(_)
        | Part::File(_)
        | Part::Unknown(_) => None,
    }
}
