//! The parts of a request: by source and kind, in the order in which they start.

use super::CardKind;
use super::request::Request;
use super::row::Cards;
use super::subject::SubjectBox;
use crate::Result;
use crate::prompt::tokens::{SectionKind, TokenCount};
use crate::rule::ledger::{self, Cause};
use crate::value::id::BoxId;
use crate::value::str_map::StrMap;
use serde::Serialize;

/// A box in numbers.
///
/// Shown by the [example of the module](super).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoxView {
    /// The box.
    pub box_id: BoxId,
    /// The number of its positions.
    pub cards: usize,
    /// The number of later duplicates that were dropped.
    pub swallowed: usize,
}

impl From<&SubjectBox> for BoxView {
    fn from(seat: &SubjectBox) -> Self {
        Self {
            box_id: seat.box_id.clone(),
            cards: seat.card_ids.len(),
            swallowed: seat.account.as_ref().map_or(0, |account| account.swallowed()),
        }
    }
}

/// The use of a model's window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Window {
    /// The size in tokens.
    pub size: u64,
    /// The tokens that are left after the reserve for the answer.
    pub free: u64,
    /// The tokens over the size.
    pub over: u64,
    /// The fill level.
    pub level: Level,
}

/// The fill level of a window.
///
/// Shown by the example of [`Window`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Below 70%.
    Calm,
    /// From 70%.
    High,
    /// From 90%.
    Full,
    /// Over 100%.
    Over,
}

impl Window {
    /// Returns a window of `size` tokens, of which `tokens` are used and `reserve` is kept for the
    /// answer.
    ///
    /// ```
    /// use tuckbox::inspect::{Level, Window};
    ///
    /// assert_eq!(Window::new(1000, 699, 0).level, Level::Calm);
    /// assert_eq!(Window::new(1000, 600, 100).level, Level::High);
    /// assert_eq!(Window::new(1000, 900, 0).level, Level::Full);
    /// assert_eq!(Window::new(1000, 901, 100).over, 1);
    /// ```
    pub fn new(size: u64, tokens: u64, reserve: u64) -> Self {
        let used = tokens.saturating_add(reserve);
        let tenths = |n: u64| u128::from(used) * 10 >= u128::from(size) * u128::from(n);
        let level = if used > size {
            Level::Over
        } else if tenths(9) {
            Level::Full
        } else if tenths(7) {
            Level::High
        } else {
            Level::Calm
        };
        Self { size, free: size.saturating_sub(used), over: used.saturating_sub(size), level }
    }
}

/// The source of the cards of a part.
///
/// ```
/// use tuckbox::inspect::{InspectRequest, Source};
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::value::json::Field;
/// # use tuckbox::{Card, Env, Timestamp, json, rule};
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_box("notes", ["n1"]).add_card(Card::from_row(&Field::root(&json!({"card_id": "n1", "metadata": {"role": "user"},
/// #     "content": {"__type__": "TextContent", "text": "Clause 9"}})))?);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let call = json!({"box_id": "notes", "provider": "openai_chat"});
/// let call = InspectRequest::from_json(&call)?;
/// let request = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// let sources: Vec<_> = request.parts.iter().map(|part| part.source.clone()).collect();
/// assert_eq!(sources, [Source::Stored, Source::Framing]);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Source {
    /// Made from arguments of the call.
    Argument,
    /// Inherited from a box.
    Inherited {
        /// The box.
        box_id: BoxId,
    },
    /// The parent pointer.
    Parent,
    /// Cards of the box itself.
    Stored,
    /// The earlier output of the receiver.
    Output {
        /// The output box.
        box_id: BoxId,
    },
    /// The system prompt.
    SystemPrompt,
    /// Tool definitions.
    Tools,
    /// The framing tokens of the provider.
    Framing,
}

/// The tokens of one source and, for cards, of one kind.
///
/// Shown by the example of [`InspectRequest`](super::InspectRequest).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The source.
    pub source: Source,
    /// The kind of the cards. Missing for parts that are not cards of the box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<CardKind>,
    /// The first position of the cards. Missing for parts that are not cards of the box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<usize>,
    /// The number of cards.
    pub cards: usize,
    /// The tokens.
    pub tokens: u64,
    /// True if `tokens` is the model's own count.
    pub exact: bool,
}

impl Part {
    fn outside(source: Source, cards: usize, count: TokenCount) -> Self {
        let TokenCount { tokens, exact } = count;
        Self { source, kind: None, first: None, cards, tokens, exact }
    }
}

/// Returns the parts of a request: system prompt, tools, cards of the box, output of the receiver
/// and framing. Their sum is the request.
pub(super) fn parts(seat: &SubjectBox, cards: &Cards<'_>, request: &Request) -> Result<Vec<Part>> {
    let section = |kind: SectionKind| {
        let found = request.account.sections.iter().find(|section| section.section == kind);
        found.map_or(TokenCount::ZERO, |s| TokenCount { tokens: s.tokens, exact: s.exact })
    };
    let mut all = Vec::new();
    for (source, kind) in
        [(Source::SystemPrompt, SectionKind::SystemPrompt), (Source::Tools, SectionKind::Tools)]
    {
        let count = section(kind);
        if count.tokens > 0 {
            all.push(Part::outside(source, 0, count));
        }
    }
    let columns = seat.account.as_ref().map(|account| account.columns(0..account.len()));
    // each source once, for any number of cards
    let sources = columns.iter().flat_map(|columns| columns.sources.iter().map(Source::of));
    let sources: Vec<Source> = sources.collect();
    let mut origins = columns.iter().flat_map(|columns| &columns.origins);
    let mut grouped = Grouped::default();
    for (position, card_id) in seat.card_ids.iter().enumerate() {
        let source = origins.next().and_then(|origin| sources.get(origin.list as usize));
        let count = match request.cards.get(position) {
            Some(card) => TokenCount { tokens: card.tokens, exact: card.exact },
            None => TokenCount::ZERO,
        };
        let source = source.unwrap_or(&Source::Stored);
        grouped.add(source, cards.kind(card_id)?, position, count);
    }
    all.extend(grouped.by_source.into_values().into_iter().flatten());
    if let Some((box_id, cards, count)) = &request.output {
        all.push(Part::outside(Source::Output { box_id: box_id.clone() }, *cards, *count));
    }
    let framing = section(SectionKind::Framing);
    if framing.tokens > 0 {
        all.push(Part::outside(Source::Framing, 0, framing));
    }
    Ok(all)
}

/// Sources in the order in which they start, each with its kinds.
#[derive(Default)]
struct Grouped {
    by_source: StrMap<Vec<Part>>,
    /// Cache of the last source and its key; the next card usually has the same one.
    last: Option<Source>,
    key: String,
}

impl Grouped {
    /// Adds one card.
    fn add(&mut self, source: &Source, kind: CardKind, position: usize, count: TokenCount) {
        if self.last.as_ref() != Some(source) {
            self.last = Some(source.clone());
            self.key = source.key();
            self.by_source.insert_new(self.key.as_str(), Vec::new());
        }
        let Some(parts) = self.by_source.get_mut(&self.key) else { return };
        let TokenCount { tokens, exact } = count;
        match parts.iter_mut().find(|part| part.kind == Some(kind)) {
            Some(part) => {
                part.cards += 1;
                part.tokens += tokens;
                part.exact &= exact;
            }
            None => parts.push(Part {
                source: source.clone(),
                kind: Some(kind),
                first: Some(position),
                cards: 1,
                tokens,
                exact,
            }),
        }
    }
}

impl Source {
    /// The source of cards, from a source of a ledger.
    fn of(source: &ledger::Source<'_>) -> Self {
        match source {
            ledger::Source::Inherited(from) => Self::Inherited { box_id: from.box_id.clone() },
            ledger::Source::Made(cause) => match cause {
                Cause::Argument { .. } => Self::Argument,
                Cause::Inherited { box_id, .. } => Self::Inherited { box_id: box_id.clone() },
                Cause::Parent { .. } => Self::Parent,
                Cause::Imported(_) => Self::Stored,
            },
        }
    }

    /// Returns a string that differs from every other source.
    fn key(&self) -> String {
        match self {
            Self::Argument => "argument".to_owned(),
            Self::Inherited { box_id } => format!("inherited {box_id}"),
            Self::Parent => "parent".to_owned(),
            Self::Stored => "stored".to_owned(),
            Self::Output { box_id } => format!("output {box_id}"),
            Self::SystemPrompt => "system_prompt".to_owned(),
            Self::Tools => "tools".to_owned(),
            Self::Framing => "framing".to_owned(),
        }
    }
}
