//! Reasoning, with the proof that its provider needs to accept it again.

use super::read::{first, read_options};
use super::{Proof, Reasoning};
use crate::value::json::Json;

/// Reads reasoning: the neutral form (`text`, with `signature?` or `encrypted?`), Anthropic's
/// `thinking` and `redacted_thinking`, an item of OpenAI Responses, Gemini's thoughts, or Mistral's
/// lists.
pub(super) fn read(part: &Json, kind: Option<&str>) -> Option<Reasoning> {
    let words = |keys: &[&str]| first(part, keys).unwrap_or_default().to_owned();
    let (text, proof) = match kind {
        Some("thinking") => match part.get("thinking").and_then(Json::as_array) {
            Some(texts) => (texts.iter().filter_map(text).collect(), Proof::Chunk(part.clone())),
            None => (words(&["thinking", "text"]), signed(part)),
        },
        Some("redacted_thinking" | "redacted-reasoning") => {
            (String::new(), Proof::Redacted(first(part, &["data", "encrypted"])?.to_owned()))
        }
        Some("reasoning") if part.get("summary").is_some() => {
            (summary(part), Proof::Item(part.clone()))
        }
        Some("reasoning") => match first(part, &["encrypted", "data"]).or_else(|| redacted(part)) {
            Some(data) => (words(&["text"]), Proof::Redacted(data.to_owned())),
            None => (words(&["text", "reasoning", "content"]), signed(part)),
        },
        Some(_) => return None,
        None if part.get("thought") == Some(&Json::Bool(true)) => {
            (words(&["text"]), Proof::Thought)
        }
        None => {
            let inner = part.get("reasoningContent")?;
            match inner.get("reasoningText") {
                Some(text) => (first(text, &["text"])?.to_owned(), signed(text)),
                None => {
                    let data = first(inner, &["redactedContent"])?;
                    (String::new(), Proof::Redacted(data.to_owned()))
                }
            }
        }
    };
    Some(Reasoning { text: text.into(), proof })
}

fn text(of: &Json) -> Option<&str> {
    first(of, &["text"])
}

fn redacted(part: &Json) -> Option<&str> {
    read_options(part, "anthropic", "redactedData")?.as_str()
}

fn signed(part: &Json) -> Proof {
    let own = read_options(part, "anthropic", "signature").and_then(Json::as_str);
    match first(part, &["signature"]).or(own).filter(|signature| !signature.is_empty()) {
        Some(signature) => Proof::Signature(signature.to_owned()),
        None => Proof::None,
    }
}

fn summary(item: &Json) -> String {
    let texts = |key: &str| {
        let parts = item.get(key).and_then(Json::as_array).unwrap_or_default();
        parts.iter().filter_map(|part| first(part, &["text"])).collect::<Vec<_>>().join("\n\n")
    };
    texts("summary")
}
