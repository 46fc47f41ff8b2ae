//! The tokens of a payload by source and by section.

use super::{Counter, Held, LeafKind, Owner, TokenCount, leaves, turn_leaves};
use crate::CardId;
use crate::prompt::compose::Layer;
use crate::prompt::provider::part::Part;
use crate::prompt::provider::turn::Turn;
use crate::prompt::provider::{Payload, Provider};
use crate::value::Map as IndexMap;
use crate::value::sort::sort_by_key;
use serde::Serialize;
use std::collections::BTreeMap;

/// The tokens of a payload by source and by section. The buckets add up to the whole.
///
/// Shown by the example of [`account`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Account {
    /// The provider.
    pub provider: Provider,
    /// All tokens.
    pub tokens: u64,
    /// The price of the tokens in dollars, without a cache. `null` if no price is known.
    pub cost: Option<f64>,
    /// True if all counts are exact.
    pub exact: bool,
    /// The buckets: sources in the order of their first message, then tools, then framing.
    pub buckets: Vec<Bucket>,
    /// The same tokens by section. They add up to the whole.
    pub sections: Vec<Section>,
    /// The tokens that are reserved for the answer. The whole does not include them.
    pub reserve: u64,
    /// The tokens of each message of the prompt that is in the payload, without framing.
    pub messages: Vec<MessageCost>,
    /// The tokens of each tool definition.
    pub tools: Vec<ToolCost>,
}

/// The tokens of one source.
///
/// Shown by the example of [`account`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// The source.
    #[serde(flatten)]
    pub kind: BucketKind,
    /// The number of tokens.
    pub tokens: u64,
    /// True if the count is exact.
    pub exact: bool,
    /// The positions of its messages in the prompt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<usize>,
}

/// The source of tokens.
///
/// Shown by the example of [`account`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum BucketKind {
    /// A card.
    Card {
        /// The id.
        card_id: CardId,
    },
    /// A layer of a composed prompt.
    Layer {
        /// The name.
        layer: String,
    },
    /// A message without a card or a layer.
    Message {
        /// The position.
        position: usize,
    },
    /// Tool definitions.
    Tools,
    /// The framing of the provider, and text that the conversion added.
    Framing,
}

/// The tokens of a section.
///
/// Shown by the example of [`account`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Section {
    /// The section.
    pub section: SectionKind,
    /// The number of tokens.
    pub tokens: u64,
    /// True if the count is exact.
    pub exact: bool,
}

/// The sections of a request.
///
/// Shown by the example of [`account`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SectionKind {
    /// The layer `system_prompt`, from the profile or the composer.
    SystemPrompt,
    /// Tool definitions.
    Tools,
    /// Files in messages.
    Media,
    /// The rest of the messages.
    Messages,
    /// The framing of the provider, and text that the conversion added.
    Framing,
}

impl SectionKind {
    /// All sections, in order.
    pub const ALL: [Self; 5] =
        [Self::SystemPrompt, Self::Tools, Self::Media, Self::Messages, Self::Framing];
}

/// Tokens by section.
#[derive(Default)]
struct Sections(BTreeMap<SectionKind, TokenCount>);

impl Sections {
    fn add(&mut self, section: SectionKind, count: TokenCount) {
        *self.0.entry(section).or_insert(TokenCount::ZERO) += count;
    }

    fn list(&self) -> Vec<Section> {
        let of = |section| {
            let TokenCount { tokens, exact } =
                self.0.get(&section).copied().unwrap_or(TokenCount::ZERO);
            Section { section, tokens, exact }
        };
        SectionKind::ALL.map(of).to_vec()
    }
}

/// The tokens of a message of the prompt.
///
/// Shown by the example of [`account`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MessageCost {
    /// The position.
    pub position: usize,
    /// The number of tokens.
    pub tokens: u64,
    /// True if the count is exact.
    pub exact: bool,
}

/// The tokens of a tool definition.
///
/// Shown by the example of [`account`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolCost {
    /// The name in the payload.
    pub name: String,
    /// The number of tokens.
    pub tokens: u64,
    /// Always false: no provider documents how it shows tools to a model.
    pub exact: bool,
}

impl Account {
    /// Returns the tokens of the request and of the reserve for its answer.
    pub(crate) fn needed(&self) -> u64 {
        self.tokens.saturating_add(self.reserve)
    }

    /// Returns the account of an empty request.
    pub fn empty(provider: Provider) -> Self {
        Self {
            provider,
            tokens: 0,
            cost: Some(0.0),
            exact: true,
            buckets: Vec::new(),
            sections: Sections::default().list(),
            reserve: 0,
            messages: Vec::new(),
            tools: Vec::new(),
        }
    }
}

/// Counts a payload.
///
/// ```
/// use tuckbox::prompt::provider::{Options, Prompt, Provider, payload};
/// use tuckbox::prompt::tokens::{BucketKind, Estimate, SectionKind, account};
/// use tuckbox::{Message, json};
///
/// let mut prompt = Prompt::new(vec![Message::user("Hello there")]);
/// prompt.tools.push(json!({"name": "search"}).as_object().cloned().unwrap());
/// let account = account(&payload(&prompt, Provider::OpenaiChat, &Options::model("m"))?, &Estimate);
/// assert_eq!(account.buckets[0].kind, BucketKind::Message { position: 0 });
/// assert_eq!((account.messages[0].position, account.messages[0].tokens), (0, 2));
/// assert_eq!((account.tools[0].name.as_str(), account.tools[0].exact), ("search", false));
/// let tools = account.sections.iter().find(|part| part.section == SectionKind::Tools).unwrap();
/// assert_eq!(tools.tokens, account.tools[0].tokens);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn account(payload: &Payload, counter: &dyn Counter) -> Account {
    let mut messages: IndexMap<usize, TokenCount> = IndexMap::default();
    let mut tools = Vec::new();
    let mut framing = TokenCount::estimated(framing(payload, counter));
    let mut sections = Sections::default();
    for leaf in leaves(payload) {
        let count = leaf.token_count(payload.provider(), counter);
        match leaf.owner {
            Owner::Message(position) => {
                *messages.entry(position).or_insert(TokenCount::ZERO) += count;
                sections.add(section(payload, position, leaf.kind), count);
            }
            Owner::Added => framing += count,
            Owner::Tool(index) => {
                let name = payload.tools().get(index).map(|tool| tool.name.clone());
                let name = name.unwrap_or_default();
                tools.push(ToolCost { name, tokens: count.tokens, exact: false });
            }
        }
    }
    let mut messages: Vec<(usize, TokenCount)> = messages.into_iter().collect();
    sort_by_key(&mut messages, |(position, _)| *position);
    let mut buckets: IndexMap<BucketKind, (TokenCount, Vec<usize>)> = IndexMap::default();
    for &(position, count) in &messages {
        let bucket =
            buckets.entry(kind_of(payload, position)).or_insert((TokenCount::ZERO, Vec::new()));
        bucket.0 += count;
        bucket.1.push(position);
    }
    if !tools.is_empty() {
        let tokens = tools.iter().map(|tool| tool.tokens).sum();
        let count = TokenCount::estimated(tokens);
        sections.add(SectionKind::Tools, count);
        buckets.insert(BucketKind::Tools, (count, Vec::new()));
    }
    sections.add(SectionKind::Framing, framing);
    buckets.insert(BucketKind::Framing, (framing, Vec::new()));
    let mut total = TokenCount::ZERO;
    let buckets = buckets.into_iter().map(|(kind, (count, positions))| {
        total += count;
        Bucket { kind, tokens: count.tokens, exact: count.exact, positions }
    });
    let buckets = buckets.collect();
    let cost = |(position, TokenCount { tokens, exact })| MessageCost { position, tokens, exact };
    Account {
        provider: payload.provider(),
        tokens: total.tokens,
        cost: payload.model().input_cost(total.tokens),
        exact: total.exact,
        buckets,
        sections: sections.list(),
        reserve: payload.reserve(),
        messages: messages.into_iter().map(cost).collect(),
        tools,
    }
}

/// Returns the cost of turns: the strings and their framing.
pub(crate) fn turns_total(turns: &[Turn], provider: Provider, counter: &dyn Counter) -> u64 {
    let mut tokens = turns.iter().map(|turn| turn_framing(turn, provider, counter)).sum();
    turn_leaves(turns, &mut |leaf| tokens += leaf.token_count(provider, counter).tokens);
    tokens
}

fn section(payload: &Payload, position: usize, kind: LeafKind) -> SectionKind {
    if payload.layer(position) == Some(Layer::SystemPrompt.key()) {
        return SectionKind::SystemPrompt;
    }
    match kind {
        LeafKind::Media(_) => SectionKind::Media,
        LeafKind::Tool
        | LeafKind::Name
        | LeafKind::Text
        | LeafKind::Call
        | LeafKind::Arguments
        | LeafKind::Answer
        | LeafKind::Reasoning
        | LeafKind::Own => SectionKind::Messages,
    }
}

fn kind_of(payload: &Payload, position: usize) -> BucketKind {
    let origin = payload.origin(position);
    match (origin.card_id, origin.layer) {
        (Some(card_id), _) => BucketKind::Card { card_id },
        (None, Some(layer)) => BucketKind::Layer { layer },
        (None, None) => BucketKind::Message { position },
    }
}

fn framing(payload: &Payload, counter: &dyn Counter) -> u64 {
    let provider = payload.provider();
    let turns = payload.turns().iter().map(|turn| turn_framing(turn, provider, counter));
    turns.sum::<u64>() + counter.marks(provider.marks_of_request(payload.tools().len() as u64))
}

/// The marks around one turn, its calls and its results.
pub(crate) fn turn_framing(turn: &Turn, provider: Provider, counter: &dyn Counter) -> u64 {
    let (mut texts, mut calls, mut answers) = (0, 0, 0);
    for block in &turn.blocks {
        match &block.item.part {
            Part::ToolCall(_) => calls += 1,
            Part::ToolResult(_) => answers += 1,
            Part::Text(_) | Part::Media(_) | Part::Refusal(_) => texts += 1,
            Part::Reasoning(_) | Part::Own(_) => {}
        }
    }
    counter.marks(provider.marks(Held { speaker: turn.speaker, texts, calls, answers }))
}
