//! Parts, signatures and citations that belong to one provider.

use super::Provider;
use super::loss::{Change, Losses};
use super::part::{Own, OwnRole, Part};
use super::turn::{Block, Speaker, Turn};
use crate::value::Set as IndexSet;
use crate::value::json::Json;

/// Drops what belongs to another provider, and what its provider would refuse at its position.
pub(super) fn legalise(turns: &mut [Turn], provider: Provider, losses: &mut Losses) {
    parts(turns, provider, losses);
    for turn in &mut *turns {
        let at = turn.at.unwrap_or_default();
        let speaker = turn.speaker;
        for block in &mut turn.blocks {
            settle_metadata(block, speaker, provider, at, losses);
        }
    }
}

fn parts(turns: &mut [Turn], provider: Provider, losses: &mut Losses) {
    let paired = Paired::of(turns);
    for turn in turns {
        let at = turn.at.unwrap_or_default();
        let speaker = turn.speaker;
        let mut takes = |own: &Own, in_answer: bool| {
            let kind = own.value.get("type").and_then(Json::as_str).unwrap_or("part");
            let why = if own.provider != provider {
                format!("a `{kind}` of `{}` is not supported here", own.provider.as_str())
            } else if own.value.as_object().is_none() || !is_allowed(own, speaker, in_answer) {
                format!("a `{kind}` cannot be in a message of `{}`", speaker.as_str())
            } else if !paired.has(own) {
                format!("a `{kind}` has no call or no result")
            } else {
                return true;
            };
            losses.message(Change::ForeignPart, at, why);
            false
        };
        turn.blocks.retain(|block| block.item.part.as_own().is_none_or(|own| takes(own, false)));
        if let Some(answer) = turn.answer_mut() {
            answer.parts.retain(|part| part.as_own().is_none_or(|own| takes(own, true)));
        }
    }
}

/// Returns true for a part that this speaker can have.
fn is_allowed(own: &Own, speaker: Speaker, in_answer: bool) -> bool {
    let kind = own.value.get("type").and_then(Json::as_str).unwrap_or_default();
    match kind {
        "search_result" => in_answer || speaker == Speaker::User,
        "tool_reference" => in_answer,
        _ if in_answer => false,
        "container_upload" => speaker == Speaker::User,
        kind if kind.ends_with("_call_output") || kind == "mcp_approval_response" => true,
        _ => speaker == Speaker::Assistant,
    }
}

/// Returns the ids of calls of a provider's own tools, and of their results.
struct Paired {
    calls: IndexSet<(Provider, String)>,
    results: IndexSet<(Provider, String)>,
}

impl Paired {
    fn of(turns: &[Turn]) -> Self {
        let mut paired = Self { calls: IndexSet::default(), results: IndexSet::default() };
        for block in turns.iter().flat_map(|turn| &turn.blocks) {
            let Part::Own(own) = &block.item.part else { continue };
            match own.role() {
                OwnRole::Call(id) => paired.calls.insert((own.provider, id.to_owned())),
                OwnRole::Result(id) => paired.results.insert((own.provider, id.to_owned())),
                OwnRole::Alone => false,
            };
        }
        paired
    }

    fn has(&self, own: &Own) -> bool {
        match own.role() {
            OwnRole::Call(id) => self.results.contains(&(own.provider, id.to_owned())),
            OwnRole::Result(id) => self.calls.contains(&(own.provider, id.to_owned())),
            OwnRole::Alone => true,
        }
    }
}

/// Drops signatures and citations of another provider.
fn settle_metadata(
    block: &mut Block,
    speaker: Speaker,
    provider: Provider,
    at: usize,
    losses: &mut Losses,
) {
    let Some(metadata) = &mut block.item.metadata else { return };
    // the AI SDK passes it to Gemini
    let reads = matches!(provider, Provider::Gemini | Provider::AiSdk);
    if metadata.signature.is_some() && !(reads && speaker == Speaker::Assistant) {
        metadata.signature = None;
        let reason = format!("`{}` cannot read this signature", losses.provider());
        losses.message(Change::SignatureDropped, at, reason);
    }
    let cited = metadata.citations.as_ref().map(|citations| citations.of);
    let keeps =
        cited == Some(provider) && provider == Provider::Anthropic && speaker == Speaker::Assistant;
    if cited.is_some() && !keeps {
        metadata.citations = None;
        let reason = format!("`{}` does not accept citations here", losses.provider());
        losses.message(Change::CitationsDropped, at, reason);
    }
}
