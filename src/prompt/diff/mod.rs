//! The difference of two payloads, and the part that a provider's prefix cache can reuse.
//!
//! Providers cache the beginning of a prompt: tools, then the system prompt, then the messages, up
//! to the first token that differs. A comparison therefore finds the first difference and its reason.
//!
//! ```
//! use tuckbox::Message;
//! use tuckbox::prompt::diff::{CachePolicy, Why, diff_payloads};
//! use tuckbox::prompt::provider::{Options, Prompt, Provider, payload};
//! use tuckbox::prompt::tokens::Estimate;
//!
//! let provider = Provider::OpenaiChat;
//! let make = |messages| payload(&Prompt::new(messages), provider, &Options::model("m"));
//! let before = make(vec![Message::system("Be brief."), Message::user("Hello")])?;
//! let after = make(vec![Message::system("Be brief."), Message::user("Hello"), Message::assistant("Hi")])?;
//! let diff = diff_payloads(&before, &after, &Estimate, &CachePolicy::of(provider))?;
//! assert_eq!(diff.same_messages, 2);
//! assert_eq!(diff.first_difference.unwrap().why, Why::Appended);
//! assert_eq!(diff.cache.kept_tokens, 0); // below the least that is cached
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod cache;
mod rule;
#[cfg(test)]
mod tests;

pub use cache::{CacheOptions, CachePolicy};
pub use rule::{DiffPayloads, PayloadSide};

use crate::prompt::provider::turn::Turn;
use crate::prompt::provider::{Origin, Payload, Provider, Tool};
use crate::prompt::tokens::{
    Counter, Leaf, LeafKind, Owner, TokenCount, account, leaves, turn_framing,
};
use crate::value::json::Json;
use crate::{CardId, Error, Result};
use serde::Serialize;

/// The first difference of two payloads, and the tokens that a cache can reuse.
///
/// Shown by the example of [`diff_payloads`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PayloadDiff {
    /// The provider of both payloads.
    pub provider: Provider,
    /// The number of equal messages at the start. Messages are counted as the provider sees them.
    pub same_messages: usize,
    /// The number of equal tokens at the start.
    pub same_tokens: TokenCount,
    /// The tokens of the payload before, including framing, which is always an estimate.
    pub before_tokens: u64,
    /// The tokens of the payload after, including framing.
    pub after_tokens: u64,
    /// The first difference. Missing if the payloads are equal.
    pub first_difference: Option<Difference>,
    /// The tokens that a prefix cache can reuse.
    pub cache: Forecast,
}

/// The first difference of two payloads.
///
/// Shown by the example of [`diff_payloads`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The reason.
    pub why: Why,
    /// The message of the payload before. Missing at its end.
    pub before: Option<Place>,
    /// The message of the payload after. Missing at its end.
    pub after: Option<Place>,
    /// The number of equal characters at the start of both strings.
    pub same_characters: usize,
}

/// The reason of a difference.
///
/// Shown by the example of [`diff_payloads`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Why {
    /// The tool definitions differ.
    ToolsChanged,
    /// The content of a message, a card or a layer changed.
    Changed,
    /// A message was inserted.
    Inserted,
    /// A message was removed.
    Removed,
    /// A message was replaced.
    Replaced,
    /// Messages were appended.
    Appended,
    /// Messages at the end were removed.
    Shortened,
}

/// A place in a payload.
///
/// Shown by the example of [`diff_payloads`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Place {
    /// The position of the message in the payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<usize>,
    /// The position of the message in the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
    /// The card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<CardId>,
    /// The layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
}

/// The tokens of the payload after that a prefix cache has from the payload before.
///
/// Shown by the example of [`diff_payloads`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Forecast {
    /// The rules of the cache.
    pub policy: CachePolicy,
    /// Tokens that are read from the cache.
    pub kept_tokens: u64,
    /// Tokens that are not read from the cache.
    pub fresh_tokens: u64,
    /// True if all counts are exact.
    pub exact: bool,
}

/// Compares two payloads of one provider.
///
/// # Errors
/// `bad_request` if the payloads have different providers, which share no cache.
///
/// ```
/// use tuckbox::Message;
/// use tuckbox::prompt::diff::{CachePolicy, Why, diff_payloads};
/// use tuckbox::prompt::provider::{Options, Prompt, Provider, payload};
/// use tuckbox::prompt::tokens::Estimate;
///
/// let make = |text| payload(&Prompt::new(vec![Message::system("Be brief."), Message::user(text)]), Provider::OpenaiChat, &Options::model("m"));
/// let policy = CachePolicy { least_tokens: 0, step: 1, ..CachePolicy::of(Provider::OpenaiChat) };
/// let diff = diff_payloads(&make("Hello")?, &make("Help")?, &Estimate, &policy)?;
/// assert!(diff.cache.kept_tokens > 0);
/// let difference = diff.first_difference.unwrap();
/// assert_eq!((difference.why, difference.same_characters), (Why::Changed, 3));
/// assert_eq!(difference.before.unwrap().position, Some(1));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn diff_payloads(
    before: &Payload,
    after: &Payload,
    counter: &dyn Counter,
    policy: &CachePolicy,
) -> Result<PayloadDiff> {
    if before.provider() != after.provider() {
        return Err(Error::bad_request(format!(
            "a payload for `{}` and one for `{}` cannot be compared; use one provider",
            before.provider().as_str(),
            after.provider().as_str()
        )));
    }
    let (old, new) = (leaves(before), leaves(after));
    let same = old.iter().zip(&new).take_while(|(old, new)| alike(before, old, after, new)).count();
    let mut tokens = TokenCount::ZERO;
    for leaf in new.iter().take(same) {
        tokens += leaf_tokens(leaf, after, counter);
    }
    let same_messages = same_turns(before.turns(), after.turns());
    let framing: u64 = after
        .turns()
        .iter()
        .take(same_messages)
        .map(|turn| turn_framing(turn, after.provider(), counter))
        .sum();
    if framing > 0 {
        tokens += TokenCount::estimated(framing);
    }
    let whole = tokens;
    let first_difference = difference((before, &old), (after, &new), same);
    if let Some((text, characters)) = first_difference
        .as_ref()
        .zip(new.get(same))
        .map(|(difference, leaf)| (&leaf.text, difference.same_characters))
        && characters > 0
    {
        let common: String = text.chars().take(characters).collect();
        // the last token of the common prefix can include a part of the difference
        tokens += TokenCount::estimated(counter.count(&common).saturating_sub(1));
    }
    let after_tokens = account(after, counter).tokens;
    let reach = if policy.whole_blocks { whole } else { tokens };
    let steps = reach.tokens / policy.step.max(1) * policy.step.max(1);
    let is_cached = reach.tokens >= policy.least_tokens && has_entry(before, after, policy);
    let kept = if is_cached { steps.min(after_tokens) } else { 0 };
    Ok(PayloadDiff {
        provider: after.provider(),
        same_messages,
        same_tokens: tokens,
        before_tokens: account(before, counter).tokens,
        after_tokens,
        first_difference,
        cache: Forecast {
            policy: *policy,
            kept_tokens: kept,
            fresh_tokens: after_tokens - kept,
            exact: reach.exact,
        },
    })
}

/// Returns true if the earlier request can write a cache entry for the later one. Both need the
/// same model and, where the provider requires it, marks.
fn has_entry(before: &Payload, after: &Payload, policy: &CachePolicy) -> bool {
    let is_marked = |payload: &Payload| {
        let mut blocks = payload.turns().iter().flat_map(|turn| &turn.blocks);
        payload.tools().iter().any(|tool| tool.cache.is_some())
            || blocks.any(|block| block.item.cache().is_some())
            || payload.extra("cache_control").is_some_and(Json::is_truthy)
    };
    before.model_name() == after.model_name()
        && (!policy.marked || is_marked(before) && is_marked(after))
}

/// Returns true if two definitions differ at most in their marks.
fn same_tool(before: &Payload, old: &Leaf<'_>, after: &Payload, new: &Leaf<'_>) -> bool {
    let (Owner::Tool(old), Owner::Tool(new)) = (old.owner, new.owner) else { return false };
    let tool = |payload: &Payload, at: usize| {
        let tool = payload.tools().get(at)?;
        Some(payload.written_tool(&Tool { cache: None, ..tool.clone() }))
    };
    tool(before, old) == tool(after, new)
}

/// Returns true if a model sees the same at both places: the same text in the same role.
fn alike(before: &Payload, old: &Leaf<'_>, after: &Payload, new: &Leaf<'_>) -> bool {
    old.kind == new.kind
        && old.turn == new.turn
        && (old.text == new.text || same_tool(before, old, after, new))
        && role(before, old.turn) == role(after, new.turn)
}

fn same_turns(before: &[Turn], after: &[Turn]) -> usize {
    let same = |(old, new): &(&Turn, &Turn)| {
        old.speaker == new.speaker
            && old.name == new.name
            && old.blocks.len() == new.blocks.len()
            && old.blocks.iter().zip(&new.blocks).all(|(old, new)| old.item.part == new.item.part)
    };
    before.iter().zip(after).take_while(same).count()
}

fn leaf_tokens(leaf: &Leaf<'_>, payload: &Payload, counter: &dyn Counter) -> TokenCount {
    let count = leaf.token_count(payload.provider(), counter);
    // no provider documents how it shows tools to a model
    if leaf.kind == LeafKind::Tool { TokenCount::estimated(count.tokens) } else { count }
}

fn difference(
    (before, old): (&Payload, &[Leaf<'_>]),
    (after, new): (&Payload, &[Leaf<'_>]),
    same: usize,
) -> Option<Difference> {
    let (old_leaf, new_leaf) = (old.get(same), new.get(same));
    let place = |payload: &Payload, leaf: Option<&Leaf<'_>>| leaf.map(|leaf| place(payload, leaf));
    let (was, is) = (place(before, old_leaf), place(after, new_leaf));
    let is_later = |leaves: &[Leaf<'_>], leaf: &Leaf<'_>| {
        leaves.iter().skip(same + 1).any(|other| other.kind == leaf.kind && other.text == leaf.text)
    };
    let mut same_characters = 0;
    let why = match (old_leaf, new_leaf) {
        (None, None) => return None,
        (None, Some(_)) => Why::Appended,
        (Some(_), None) => Why::Shortened,
        (Some(old_leaf), Some(new_leaf)) => {
            let tools = [old_leaf, new_leaf].iter().any(|leaf| leaf.kind == LeafKind::Tool);
            let same_place = old_leaf.turn == new_leaf.turn && old_leaf.kind == new_leaf.kind;
            if same_place && role(before, old_leaf.turn) == role(after, new_leaf.turn) {
                let pairs = old_leaf.text.chars().zip(new_leaf.text.chars());
                same_characters = pairs.take_while(|(old, new)| old == new).count();
            }
            if tools {
                Why::ToolsChanged
            } else if is_later(new, old_leaf) {
                Why::Inserted
            } else if is_later(old, new_leaf) {
                Why::Removed
            } else if same_source(before, old_leaf, after, new_leaf) {
                Why::Changed
            } else {
                Why::Replaced
            }
        }
    };
    Some(Difference { why, before: was, after: is, same_characters })
}

/// Returns true if both are of the same card or layer, or at the same position if they have neither.
fn same_source(before: &Payload, old: &Leaf<'_>, after: &Payload, new: &Leaf<'_>) -> bool {
    let (Owner::Message(old), Owner::Message(new)) = (old.owner, new.owner) else { return false };
    let (was, is) = (before.origin(old), after.origin(new));
    match (was.card_id, is.card_id, was.layer, is.layer) {
        (Some(was), Some(is), _, _) => was == is,
        (None, None, Some(was), Some(is)) => was == is,
        (None, None, None, None) => old == new,
        (_, _, _, _) => false,
    }
}

fn role(payload: &Payload, turn: Option<usize>) -> Option<&'static str> {
    turn.and_then(|turn| payload.turns().get(turn)).map(|turn| turn.speaker.as_str())
}

fn place(payload: &Payload, leaf: &Leaf<'_>) -> Place {
    let role = role(payload, leaf.turn);
    match leaf.owner {
        Owner::Tool(index) => {
            let tool = payload.tools().get(index).map(|tool| tool.name.clone());
            Place { tool, ..Place::default() }
        }
        Owner::Added => Place { message: leaf.turn, role, ..Place::default() },
        Owner::Message(position) => {
            let Origin { card_id, layer, .. } = payload.origin(position);
            let (message, position) = (leaf.turn, Some(position));
            Place { message, position, card_id, layer, role, ..Place::default() }
        }
    }
}
