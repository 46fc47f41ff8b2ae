//! The operation that renders cards. Resident cards are not copied.

use super::{Hidden, Rendered, Showing};
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::{Kind, Lookup, Presence, Snapshot};
use crate::value::Map as IndexMap;
use crate::value::arguments::{Arguments, arguments};
use crate::value::env::Env;
use crate::value::json::{Field, Fields};
use crate::value::limits::Limits;
use crate::{BoxId, Card, CardId, Error, Liveness, Path, Result};

arguments! {
    /// Renders cards as messages, in order. An id that occurs twice is shown twice.
    ///
    /// ```
    /// use tuckbox::render::{Became, Hidden, Render, Source};
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::{Env, Timestamp, rule};
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_box("notes", ["gone"]);
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = Render::new(Source::Box("notes".into()));
    /// let rendered = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert!(rendered.messages.is_empty());
    /// assert_eq!(rendered.entries[0].became, Became::Nothing { reason: Hidden::Absent });
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct Render {
        shared source: Source,
        setting limits: Limits,
    }
}

/// The cards to render.
///
/// Shown by the example of [`Render`].
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// The cards of a box.
    Box(BoxId),
    /// Stored cards.
    Stored(Vec<CardId>),
    /// Cards of the call.
    Given {
        /// The cards.
        cards: Vec<Card>,
        /// The order.
        card_ids: Vec<CardId>,
    },
}

shape! {
    /// The cards to render: those of a box, stored ones, or cards that come with the call.
    #[serde(untagged)]
    pub enum Source {
        Box {
            /// The box whose cards are rendered.
            box_id: BoxId,
        },
        Stored {
            /// The ids of stored cards, in order.
            card_ids: Vec<String>,
            /// Not allowed with stored cards.
            cards: Maybe<()>,
        },
        Given {
            /// Cards that come with the call.
            cards: Vec<GivenCard>,
            /// The ids in the order to render. The order of `cards` by default.
            card_ids: Maybe<Option<Vec<String>>>,
        },
    }

    /// A card that comes with the call, as a store keeps it. Unknown keys are ignored.
    pub struct GivenCard {
        pub card_id: String,
        pub content: Loose<Object>,
        /// Other keys, such as `role`.
        pub metadata: Maybe<Object>,
        #[serde(flatten)]
        pub more: Object,
    }
}

impl Arguments for Source {
    fn has_key(key: &str) -> bool {
        matches!(key, "box_id" | "card_ids" | "cards")
    }

    fn add_keys(keys: &mut Vec<&'static str>) {
        keys.extend(["box_id", "card_ids", "cards"]);
    }

    fn from_fields(call: &Fields<'_>) -> Result<Self> {
        let card_ids = |field: Field<'_>| -> Result<Vec<CardId>> {
            Ok(field.strings()?.into_iter().map(CardId::from).collect())
        };
        let (box_id, ids, cards) =
            (call.optional("box_id"), call.optional("card_ids"), call.optional("cards"));
        match (box_id, ids, cards) {
            (Some(box_id), None, None) => Ok(Self::Box(BoxId::parse(&box_id)?)),
            (None, Some(ids), None) => Ok(Self::Stored(card_ids(ids)?)),
            (None, ids, Some(cards)) => {
                let cards = cards.list()?.iter().map(Card::from_row).collect::<Result<Vec<_>>>()?;
                let card_ids = match ids {
                    Some(ids) => card_ids(ids)?,
                    None => cards.iter().map(|card| card.card_id.clone()).collect(),
                };
                Ok(Self::Given { cards, card_ids })
            }
            (Some(box_id), _, _) => {
                Err(box_id.error("`box_id` excludes `card_ids` and `cards`; pass one of them"))
            }
            (None, None, None) => {
                Err(Error::bad_request("no cards to render; pass `box_id`, `card_ids` or `cards`")
                    .at(call.path().key("box_id")))
            }
        }
    }
}

impl Render {
    /// Returns a call with the default limits.
    pub fn new(source: Source) -> Self {
        Self { source, limits: Limits::default() }
    }

    /// Returns the call with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

impl Render {
    /// Returns the rendered cards, or the reads that are needed first.
    pub(crate) fn rendered(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Rendered>> {
        match &self.source {
            Source::Box(box_id) => {
                let mut cursor = Cursor::new(snapshot);
                let found = cursor.card_box(box_id.as_str())?;
                let Presence::Read(found) = found else { return Ok(cursor.need()) };
                let Some(card_box) = found else {
                    let project = snapshot.project_id();
                    return Err(Error::not_found(format!(
                        "no box `{box_id}` in project `{project}`"
                    ))
                    .at(Path::root().key("box_id"))
                    .detail("box_id", box_id.as_str()));
                };
                stored(snapshot, env, card_box.card_ids.iter(), self.limits)
            }
            Source::Stored(ids) => {
                stored(snapshot, env, ids.iter().map(CardId::as_str), self.limits)
            }
            Source::Given { cards, card_ids } => {
                Ok(Step::Done(given(cards, card_ids, self.limits)?))
            }
        }
    }
}

impl Rule for Render {
    type Value = Rendered;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Rendered>>> {
        let mut value = ready!(self.rendered(snapshot, env)?);
        let lints = std::mem::take(&mut value.lints);
        Ok(Step::Done(Outcome::answer(value, lints, snapshot, env)))
    }
}

fn stored<'a>(
    snapshot: &'a Snapshot,
    env: &Env,
    card_ids: impl ExactSizeIterator<Item = &'a str>,
    limits: Limits,
) -> Result<Step<Rendered>> {
    let mut cursor = Cursor::new(snapshot);
    let mut failed = None;
    let mut showing = Showing::of(card_ids.len(), "card_ids", limits)?;
    for (card_id, found) in snapshot.resident_cards(card_ids) {
        if let Some(why) = found.unreadable() {
            showing.rendered.push_unreadable(CardId::from(card_id), why);
            continue;
        }
        let reason = match found {
            Lookup::NotRead => {
                cursor.want(Kind::Cards, card_id);
                continue;
            }
            Lookup::Failed(error) => {
                failed.get_or_insert(error);
                continue;
            }
            Lookup::Absent => Hidden::Absent,
            Lookup::Present(kept) => match kept.liveness(env.now) {
                Liveness::Live => {
                    showing.push_resident(kept, kept.card_id())?;
                    continue;
                }
                Liveness::Deleted => Hidden::Deleted,
                Liveness::Expired => Hidden::Expired,
            },
        };
        showing.rendered.push_missing(CardId::from(card_id), reason);
    }
    ready!(cursor.step());
    match failed {
        Some(error) => Err(error.clone()),
        None => Ok(Step::Done(showing.rendered)),
    }
}

fn given(cards: &[Card], card_ids: &[CardId], limits: Limits) -> Result<Rendered> {
    let cards: IndexMap<&str, &Card> =
        cards.iter().map(|card| (card.card_id.as_str(), card)).collect();
    let mut showing = Showing::of(card_ids.len(), "card_ids", limits)?;
    for card_id in card_ids {
        match cards.get(card_id.as_str()) {
            Some(card) => showing.push(card)?,
            None => showing.rendered.push_missing(card_id.clone(), Hidden::Absent),
        }
    }
    Ok(showing.rendered)
}
