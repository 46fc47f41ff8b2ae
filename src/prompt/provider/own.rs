//! What belongs to one provider: its own parts, signatures, citations and cache marks.

use super::loss::{Change, Losses};
use super::part::{CacheMark, Own, OwnRole, Part};
use super::turn::{Block, Speaker, Turn};
use super::{Origin, Provider, Tool};
use crate::value::Set as IndexSet;
use crate::value::json::Json;

/// Drops what another provider owns, and what its owner would not take at its place.
pub(super) fn legalise(turns: &mut [Turn], provider: Provider, losses: &mut Losses) {
    parts(turns, provider, losses);
    for turn in &mut *turns {
        let at = turn.at.unwrap_or_default();
        let speaker = turn.speaker;
        for block in &mut turn.blocks {
            settle_beside(block, speaker, provider, at, losses);
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
                format!("a `{kind}` of `{}` means nothing here", own.provider.as_str())
            } else if own.value.as_object().is_none() || !stands(own, speaker, in_answer) {
                format!("a `{kind}` cannot stand in a message of `{}`", speaker.as_str())
            } else if !paired.has(own) {
                format!("a `{kind}` stands without its call or its result")
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
fn stands(own: &Own, speaker: Speaker, in_answer: bool) -> bool {
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

/// The ids of calls that a provider's own tools made, and of what they answered.
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

/// Signatures and citations that another provider wrote.
fn settle_beside(
    block: &mut Block,
    speaker: Speaker,
    provider: Provider,
    at: usize,
    losses: &mut Losses,
) {
    let Some(metadata) = &mut block.item.metadata else { return };
    // the AI SDK hands it on to Gemini
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
        let reason = format!("`{}` does not take citations back here", losses.provider());
        losses.message(Change::CitationsDropped, at, reason);
    }
}

/// Marks the last message of every layer after which the cache may end.
pub(super) fn mark_layers(turns: &mut [Turn], origins: &[Origin], layers: &[String]) {
    for layer in layers {
        let is_of = |origin: &Origin| origin.layer.as_ref() == Some(layer);
        let Some(position) = origins.iter().rposition(is_of) else { continue };
        let mut blocks = turns.iter_mut().flat_map(|turn| turn.blocks.iter_mut()).rev();
        if let Some(block) = blocks.find(|block| block.at == Some(position)) {
            let mark = block.item.cache().unwrap_or(CacheMark::Default);
            block.item.metadata_mut().cache = Some(mark);
        }
    }
}

/// Keeps the last marks where a provider takes only so many, and none on what cannot carry one.
pub(super) fn marks(turns: &mut [Turn], tools: &mut [Tool], most: usize, losses: &mut Losses) {
    let mut left = most;
    for (index, tool) in tools.iter_mut().enumerate().rev() {
        if tool.cache.is_some() && left == 0 {
            tool.cache = None;
            let reason = format!("`{}` takes {most} cache marks", losses.provider());
            losses.tool(Change::CacheMarkDropped, index, reason);
        } else if tool.cache.is_some() {
            left -= 1;
        }
    }
    for turn in turns.iter_mut().rev() {
        let at = turn.at.unwrap_or_default();
        for block in turn.blocks.iter_mut().rev() {
            if block.item.cache().is_none() {
                continue;
            }
            let carries = match &block.item.part {
                Part::Reasoning(_) => false,
                Part::Text(text) => !text.trim().is_empty(),
                Part::Media(_) | Part::ToolCall(_) | Part::ToolResult(_) | Part::Refusal(_) => true,
                // the part is sent verbatim, with its own mark
                Part::Own(_) => false,
            };
            if carries && left > 0 {
                left -= 1;
                continue;
            }
            block.item.metadata_mut().cache = None;
            let provider = losses.provider();
            let reason = match most {
                0 => format!("`{provider}` has no mark for where its cache ends"),
                _ => format!("`{provider}` takes {most} cache marks, on blocks that say something"),
            };
            losses.message(Change::CacheMarkDropped, at, reason);
        }
    }
}

/// Anthropic's mark.
pub(super) fn cache_control(mark: CacheMark) -> Json {
    match mark {
        CacheMark::Default => Json::from([("type", "ephemeral")]),
        CacheMark::Hour => Json::from([("type", "ephemeral"), ("ttl", "1h")]),
    }
}
