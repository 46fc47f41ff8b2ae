//! Answers of the AI SDK: the `content` of a result.

use super::answer::{Answer, Joined, Reader, Texts, call, owned, tokens};
use crate::Result;
use crate::value::json::{Field, Json};

pub(in crate::prompt::provider) const READER: Reader = Reader { whole, join };

fn whole(body: &Json, answer: &mut Answer) -> Option<()> {
    let parts = body.get("content")?.as_array()?;
    answer.stop_reason = owned(body, "finishReason");
    let usage = body.get("usage");
    answer.usage.input_tokens = tokens(usage, &["inputTokens"]);
    answer.usage.output_tokens = tokens(usage, &["outputTokens"]);
    // the second names are those before version 7
    answer.usage.cache_read_tokens = tokens(usage, &["inputTokenDetails", "cacheReadTokens"])
        .or_else(|| tokens(usage, &["cachedInputTokens"]));
    answer.usage.cache_write_tokens = tokens(usage, &["inputTokenDetails", "cacheWriteTokens"]);
    answer.usage.reasoning_tokens = tokens(usage, &["outputTokenDetails", "reasoningTokens"])
        .or_else(|| tokens(usage, &["reasoningTokens"]));
    for part in parts {
        match part.get("type")?.as_str()? {
            "text" if options(part).is_none() => {
                answer.text(part.get("text")?.as_str()?);
            }
            "tool-call" => {
                let name = owned(part, "toolName")?;
                let mut call = call(owned(part, "toolCallId"), name, part.get("input")?);
                if let Some(kept) = options(part) {
                    call.metadata_mut().options = Some(kept.clone());
                }
                answer.part(call);
            }
            _ => answer.stood(part),
        }
    }
    Some(())
}

/// Returns the provider options of a part. Answers and messages have them under different names.
fn options(part: &Json) -> Option<&Json> {
    part.get("providerMetadata").or_else(|| part.get("providerOptions"))
}

/// A host has the parts in hand when its own client has streamed them.
fn join(events: &[Field<'_>], _: &Texts) -> Result<Joined> {
    let content = events.iter().map(|event| event.json().clone()).collect::<Vec<Json>>();
    let whole = Json::from([("content", Json::Array(content))]);
    Ok(Joined { whole, complete: true })
}
