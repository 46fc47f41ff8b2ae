//! Answers of the AI SDK: the `content` of a result.

use super::{Answer, Joined, Part, Reader, owned, tokens};
use crate::Result;
use crate::value::json::{Field, Json};

pub(in crate::prompt::provider) const READER: Reader = Reader { whole, join };

fn whole(body: &Json, answer: &mut Answer) -> Option<()> {
    let parts = body.get("content")?.as_array()?;
    answer.stop_reason = owned(body, "finishReason");
    let usage = body.get("usage");
    answer.usage.input_tokens = tokens(usage, &["inputTokens"]);
    answer.usage.output_tokens = tokens(usage, &["outputTokens"]);
    answer.usage.cache_read_tokens = tokens(usage, &["cachedInputTokens"]);
    answer.usage.reasoning_tokens = tokens(usage, &["reasoningTokens"]);
    for part in parts {
        match part.get("type")?.as_str()? {
            "text" if part.get("providerMetadata").is_none() => {
                answer.text(part.get("text")?.as_str()?);
            }
            "tool-call" => answer.parts.push(Part::Call {
                id: owned(part, "toolCallId").unwrap_or_default(),
                name: owned(part, "toolName")?,
                arguments: part.get("input")?.clone(),
                signature: None,
            }),
            _ => answer.part(part),
        }
    }
    Some(())
}

/// A host has the parts in hand when its own client has streamed them.
fn join(events: &[Field<'_>]) -> Result<Joined> {
    let content = events.iter().map(|event| event.json().clone()).collect::<Vec<Json>>();
    let whole = Json::from([("content", Json::Array(content))]);
    Ok(Joined { whole, complete: true })
}
