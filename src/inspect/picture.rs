//! A box as parts of a window: by source and kind, in the order in which they begin.

use super::CardKind;
use super::row::Cards;
use super::subject::Seat;
use crate::Result;
use crate::rule::ledger::Cause;
use crate::value::id::BoxId;
use crate::value::str_map::StrMap;
use serde::Serialize;

/// One box, summed up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoxView {
    /// Which box.
    pub box_id: BoxId,
    /// How many positions it has.
    pub cards: usize,
    /// How many later duplicates were left out.
    pub swallowed: usize,
    /// How many of its cards cannot be read.
    pub gone: usize,
    /// What it costs.
    pub tokens: u64,
    /// True when `tokens` are the model's own count, not an estimate.
    pub exact: bool,
    /// How full the window is; absent when no window was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// The parts, by source and kind, in the order in which they begin.
    pub parts: Vec<Part>,
}

/// How full a model's window is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Window {
    /// How many tokens fit.
    pub size: u64,
    /// How many are left.
    pub free: u64,
    /// How many do not fit.
    pub over: u64,
    /// How worried to be.
    pub level: Level,
}

/// How worried to be about a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Below 70 %.
    Calm,
    /// From 70 % on.
    High,
    /// From 90 % on.
    Full,
    /// More than fits.
    Over,
}

impl Window {
    /// A window of `size` tokens of which `used` are taken.
    ///
    /// ```
    /// use tuckbox::inspect::{Level, Window};
    ///
    /// assert_eq!(Window::new(1000, 699).level, Level::Calm);
    /// assert_eq!(Window::new(1000, 700).level, Level::High);
    /// assert_eq!(Window::new(1000, 900).level, Level::Full);
    /// assert_eq!(Window::new(1000, 1001).over, 1);
    /// ```
    pub fn new(size: u64, used: u64) -> Self {
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

/// Where the cards of a part come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Source {
    /// Made from arguments of the call.
    Argument,
    /// Inherited from a box.
    Inherited {
        /// Which box.
        box_id: BoxId,
    },
    /// The parent pointer.
    Parent,
    /// They stand in the box that is looked at.
    Stored,
}

/// Cards of one kind from one source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Where they come from.
    pub source: Source,
    /// What they are.
    pub kind: CardKind,
    /// The first position among them.
    pub first: usize,
    /// How many they are.
    pub cards: usize,
    /// What they cost.
    pub tokens: u64,
}

pub(super) fn of(
    seat: &Seat,
    cards: &Cards<'_>,
    window: Option<u64>,
    parts: bool,
) -> Result<BoxView> {
    let mut view = BoxView {
        box_id: seat.box_id.clone(),
        cards: seat.card_ids.len(),
        swallowed: seat.account.as_ref().map_or(0, |account| account.swallowed()),
        gone: 0,
        tokens: 0,
        exact: cards.exact(),
        window: None,
        parts: Vec::new(),
    };
    if !parts {
        return Ok(view);
    }
    let mut sources = seat
        .account
        .as_ref()
        .map(|account| account.entries(0..account.len()))
        .unwrap_or_default()
        .into_iter()
        .map(|entry| match entry.cause {
            Cause::Argument { .. } => Source::Argument,
            Cause::Inherited { box_id, .. } => Source::Inherited { box_id },
            Cause::Parent { .. } => Source::Parent,
        });
    let mut grouped = Grouped::default();
    for (first, card_id) in seat.card_ids.iter().enumerate() {
        let source = sources.next().unwrap_or(Source::Stored);
        let (kind, tokens) = cards.weight(card_id)?;
        if kind == CardKind::Missing {
            view.gone += 1;
        }
        view.tokens += tokens;
        grouped.add(Part { source, kind, first, cards: 1, tokens });
    }
    view.window = window.map(|size| Window::new(size, view.tokens));
    view.parts = grouped.by_source.into_values().into_iter().flatten().collect();
    Ok(view)
}

/// Sources in the order in which they begin, and within a source its kinds.
#[derive(Default)]
struct Grouped {
    by_source: StrMap<Vec<Part>>,
    /// The source that was met last, and its key: most cards come from where the last one did.
    last: Option<Source>,
    key: String,
}

impl Grouped {
    /// Adds one card.
    fn add(&mut self, card: Part) {
        if self.last.as_ref() != Some(&card.source) {
            self.last = Some(card.source.clone());
            self.key = card.source.key();
            self.by_source.insert_new(self.key.as_str(), Vec::new());
        }
        let Some(parts) = self.by_source.get_mut(&self.key) else { return };
        match parts.iter_mut().find(|part| part.kind == card.kind) {
            Some(part) => {
                part.cards += card.cards;
                part.tokens += card.tokens;
            }
            None => parts.push(card),
        }
    }
}

impl Source {
    /// Text that no other source has.
    fn key(&self) -> String {
        match self {
            Self::Argument => "argument".to_owned(),
            Self::Inherited { box_id } => format!("inherited {box_id}"),
            Self::Parent => "parent".to_owned(),
            Self::Stored => "stored".to_owned(),
        }
    }
}
