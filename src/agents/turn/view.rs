//! The assembly of a turn view.

use super::merge::{Merged, Seat, Side};
use super::profile::TurnProfile;
use crate::agents::lint::AgentLint;
use crate::render::{Became, Hidden, Rendered, Showing, lists, write_became, write_card_id};
use crate::rule::Cursor;
use crate::rule::lint::Lint;
use crate::store::ResidentCard;
use crate::store::{Kind, LookedUp, Lookup, Overlay};
use crate::value::CachedMessage;
use crate::value::card::{Card, Content, FieldSchema, Liveness, NewCard};
use crate::value::env::Env;
use crate::value::id::{AgentId, BoxId, CardId};
use crate::value::json::{CLOSE, Object, Raw, raw, trim, write_whole};
use crate::value::limits::Limits;
use crate::value::message::Message;
use crate::value::str_map::StrMap;
use crate::{Error, Path, Result};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// The request of a turn, and the cards that it is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The id of this view, if it is recorded: [`TurnView`](super::TurnView) returns it again.
    pub view_id: Option<String>,
    /// The agent, if it is known.
    pub agent_id: Option<AgentId>,
    /// The profile.
    pub profile: Option<TurnProfile>,
    /// The box that the turn reads.
    pub context_box_id: Option<BoxId>,
    /// The box that the turn writes to.
    pub output_box_id: Option<BoxId>,
    /// The request to the model.
    pub request: Request,
    /// Every card of the request and what it became, in order: the recorded prompt and tools, then
    /// the cards of the boxes. Cards that were moved to the prompt are omitted. In JSON the ids are
    /// also in `source_card_ids`.
    pub entries: Vec<TurnEntry>,
    /// The fields that the result must have, as the prompt lists them.
    pub result_fields: Vec<ResultField>,
    /// Cards of the boxes that cannot be read.
    pub missing: Vec<MissingCard>,
    /// Repetitions that the merge of the boxes removed.
    pub swallowed: Vec<Seat>,
    /// Tools of the host that the profile does not allow.
    pub tools_left_out: Vec<String>,
}

impl Turn {
    /// Returns every card of the request, in order.
    ///
    /// ```
    /// # use tuckbox::agents::turn::Turn;
    /// fn is_seen(turn: &Turn, card_id: &str) -> bool {
    ///     turn.source_card_ids().any(|id| id.as_str() == card_id)
    /// }
    /// ```
    pub fn source_card_ids(&self) -> impl ExactSizeIterator<Item = &CardId> {
        self.entries.iter().map(|entry| &entry.card_id)
    }
}

shape! {
    /// The request of a turn, and the cards that it is made from.
    pub struct Turn {
        /// The id of this view, if it is recorded: `turn_view` returns it again.
        pub view_id: Maybe<String>,
        /// The agent, if it is known.
        pub agent_id: Option<AgentId>,
        /// The profile.
        pub profile: Option<TurnProfile>,
        /// The box that the turn reads.
        pub context_box_id: Option<BoxId>,
        /// The box that the turn writes to.
        pub output_box_id: Option<BoxId>,
        /// The request to the model.
        pub request: Request,
        /// Every card of the request, in order: the recorded prompt and tools, then the cards of
        /// the boxes. Cards that were moved to the prompt are omitted.
        pub source_card_ids: Vec<CardId>,
        /// The result for each of these cards, in the same order.
        pub entries: Vec<TurnEntry>,
        /// The fields that the result must have, as the prompt lists them.
        pub result_fields: Maybe<Vec<ResultField>>,
        /// Cards of the boxes that cannot be read.
        pub missing: Maybe<Vec<MissingCard>>,
        /// Repetitions that the merge of the boxes removed.
        pub swallowed: Maybe<Vec<Seat>>,
        /// Tools of the host that the profile does not allow.
        pub tools_left_out: Maybe<Vec<String>>,
    }
}

impl Serialize for Turn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (ids, entries) =
            lists(&self.entries, 136, |entry| &entry.card_id, TurnEntry::write_rest);
        let mut fields = serializer.serialize_struct("Turn", 12)?;
        if let Some(view_id) = &self.view_id {
            fields.serialize_field("view_id", view_id)?;
        }
        fields.serialize_field("agent_id", &self.agent_id)?;
        fields.serialize_field("profile", &self.profile)?;
        fields.serialize_field("context_box_id", &self.context_box_id)?;
        fields.serialize_field("output_box_id", &self.output_box_id)?;
        fields.serialize_field("request", &self.request)?;
        fields.serialize_field("source_card_ids", &Raw(&ids))?;
        fields.serialize_field("entries", &Raw(&entries))?;
        if !self.result_fields.is_empty() {
            fields.serialize_field("result_fields", &self.result_fields)?;
        }
        if !self.missing.is_empty() {
            fields.serialize_field("missing", &self.missing)?;
        }
        if !self.swallowed.is_empty() {
            fields.serialize_field("swallowed", &self.swallowed)?;
        }
        if !self.tools_left_out.is_empty() {
            fields.serialize_field("tools_left_out", &self.tools_left_out)?;
        }
        fields.end()
    }
}

/// A request to a model, independent of the provider.
///
/// Shown by the [example of the module](super).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Request {
    /// The messages, the system prompt first.
    pub messages: Vec<CachedMessage>,
    /// The tool definitions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Object>,
}

/// The result for a card of a turn.
///
/// Shown by the example of [`TurnView`](super::TurnView).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnEntry {
    /// The card.
    pub card_id: CardId,
    /// Its position; missing for the recorded prompt and tools.
    pub seat: Option<Place>,
    /// The result.
    pub became: Became,
}

impl TurnEntry {
    /// Writes the members after the id.
    fn write_rest(&self, out: &mut String) {
        if let Some(Place { side, position }) = self.seat {
            out.push_str(match side {
                Side::Context => r#","seat":{"side":"context","position":"#,
                Side::Output => r#","seat":{"side":"output","position":"#,
            });
            write_whole(position, out);
            out.push(CLOSE);
        }
        write_became(self.became, out);
    }
}

shape! {
    /// The result for a card of a turn, and its position. A recorded prompt is in no box.
    pub struct TurnEntry {
        pub card_id: CardId,
        pub seat: Maybe<Place>,
        #[serde(flatten)]
        pub became: Became,
    }
}

impl Serialize for TurnEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::new();
        write_card_id(&self.card_id, &mut text);
        self.write_rest(&mut text);
        raw(&text, serializer)
    }
}

/// A position in one of the two boxes.
///
/// Shown by the example of [`TurnView`](super::TurnView).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The box.
    pub side: Side,
    /// The index in that box, from 0.
    pub position: usize,
}

/// A result field that was moved from a card to the prompt.
///
/// Shown by the example of [`TurnView`](super::TurnView).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResultField {
    /// The card that requires it.
    pub card_id: CardId,
    /// Its name.
    pub name: String,
    /// The description; can be empty.
    pub description: String,
}

/// A card of a box that cannot be read.
///
/// Shown by the [example of the module](super).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MissingCard {
    /// The card.
    #[serde(flatten)]
    pub seat: Seat,
    /// Why it is hidden.
    pub reason: Hidden,
    /// The error of a card that exists and cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The parts of a turn other than its cards.
pub(super) struct Frame<'a> {
    pub agent_id: Option<AgentId>,
    pub profile: Option<TurnProfile>,
    /// The prompt of the profile, filled in.
    pub prompt: Option<String>,
    pub tools: Vec<Object>,
    pub tools_left_out: Vec<String>,
    pub system_append: Option<&'a str>,
    /// Stores the prompt and the tools as cards.
    pub record: bool,
    pub limits: Limits,
}

/// A view and the cards to write.
pub(super) struct Assembled {
    pub turn: Turn,
    pub cards: Vec<Card>,
    pub lints: Vec<Lint>,
}

/// Looks up the cards of all seats, in order, and requests those that are not read.
pub(super) fn look_up<'a>(
    merged: &Merged,
    overlay: &'a Overlay<'_>,
    cursor: &mut Cursor<'_>,
) -> Vec<LookedUp<'a>> {
    let seats = &merged.seats;
    let mut all = Vec::with_capacity(seats.len());
    all.extend(overlay.cards(seats.iter().map(|seat| seat.card_id.as_str())));
    for (seat, (found, _)) in seats.iter().zip(&all) {
        if let Lookup::NotRead = found {
            cursor.want(Kind::Cards, seat.card_id.as_str());
        }
    }
    all
}

/// A card of the boxes, as far as it can be read.
enum Found<'a> {
    Live(&'a Card, Option<&'a ResidentCard>),
    Lifted(&'a Card),
    Missing(Hidden),
    Unreadable(&'a Error),
}

/// The time of a view.
pub(super) enum Sight<'a> {
    /// Now.
    Now(&'a Env),
    /// When it was recorded.
    Then {
        /// By card: why it was hidden. All others were live.
        missing: &'a StrMap<Hidden>,
        /// The prompt and the tools.
        cards: Vec<Card>,
    },
}

impl Sight<'_> {
    /// Returns why an existing card is hidden.
    fn hides(&self, card: &Card, kept: Option<&ResidentCard>) -> Option<Hidden> {
        match self {
            Self::Now(env) => {
                let liveness = |card: &Card| card.liveness(env.now);
                match kept.map_or_else(|| liveness(card), |kept| kept.liveness(env.now)) {
                    Liveness::Deleted => Some(Hidden::Deleted),
                    Liveness::Expired => Some(Hidden::Expired),
                    Liveness::Live => None,
                }
            }
            Self::Then { missing, .. } => missing.get(card.card_id.as_str()).copied(),
        }
    }

    /// Classifies a card. A resident card is enough: then the card itself is not read.
    fn of<'a>(&self, found: Lookup<'a, Card>, kept: Option<&'a ResidentCard>) -> Result<Found<'a>> {
        Ok(match found {
            Lookup::Failed(error) if found.unreadable().is_some() => Found::Unreadable(error),
            Lookup::Failed(error) => return Err(error.clone()),
            Lookup::Absent | Lookup::NotRead => Found::Missing(Hidden::Absent),
            Lookup::Present(card) => match self.hides(card, kept) {
                Some(reason) => Found::Missing(reason),
                None if kept.map_or_else(|| card.is_contract(), ResidentCard::is_contract) => {
                    Found::Lifted(card)
                }
                None => Found::Live(card, kept),
            },
        })
    }
}

/// Assembles a turn. Every card of `merged` must have been read.
pub(super) fn assemble(
    frame: Frame<'_>,
    merged: Merged,
    looked_up: Vec<LookedUp<'_>>,
    overlay: &Overlay<'_>,
    sight: Sight<'_>,
) -> Result<Assembled> {
    let Merged { seats, swallowed, mut lints } = merged;
    let mut showing = Showing::of(seats.len(), "source_card_ids", frame.limits)?;
    let cards = seats.iter().zip(looked_up);
    let Classified { found, result_fields, missing } =
        classify(cards, &sight, &mut showing, &mut lints)?;
    let prompt = system_prompt(frame.prompt.as_deref(), &result_fields, frame.system_append);
    let mut cards = Vec::new();
    if frame.record {
        cards = match sight {
            Sight::Now(env) => record(&frame, prompt.unwrap_or_default(), overlay, env)?,
            Sight::Then { cards, .. } => cards,
        };
        cards.iter().for_each(|card| showing.rendered.push(card));
    } else {
        showing.rendered.messages.extend(prompt.map(Message::system).map(CachedMessage::from));
        showing.rendered.tools = frame.tools;
    }
    let recorded = showing.rendered.entries.len();
    for (seat, card) in &found {
        show(seat, card, &mut showing)?;
    }
    let Rendered { messages, tools, entries, lints: of_cards } = showing.rendered;
    lints.extend(of_cards.into_iter().map(in_source_cards));
    let places = std::iter::repeat_n(None, recorded).chain(
        found.iter().map(|(seat, _)| Some(Place { side: seat.side, position: seat.position })),
    );
    let entries = entries
        .into_iter()
        .zip(places)
        .map(|(entry, seat)| TurnEntry { card_id: entry.card_id, seat, became: entry.became })
        .collect();
    let turn = Turn {
        view_id: None,
        agent_id: frame.agent_id,
        profile: frame.profile,
        context_box_id: None,
        output_box_id: None,
        request: Request { messages, tools },
        entries,
        result_fields,
        missing,
        swallowed,
        tools_left_out: frame.tools_left_out,
    };
    Ok(Assembled { turn, cards, lints })
}

/// The cards of a turn.
struct Classified<'a> {
    /// The cards in order, without those that were moved to the prompt.
    found: Vec<(&'a Seat, Shown<'a>)>,
    result_fields: Vec<ResultField>,
    missing: Vec<MissingCard>,
}

/// Moves contracts to the prompt and lists the cards that cannot be read.
fn classify<'a>(
    cards: impl ExactSizeIterator<Item = (&'a Seat, LookedUp<'a>)>,
    sight: &Sight<'_>,
    showing: &mut Showing,
    lints: &mut Vec<Lint>,
) -> Result<Classified<'a>> {
    let mut found = Vec::with_capacity(cards.len());
    let mut result_fields = Vec::new();
    let mut missing = Vec::new();
    for (seat, (card, kept)) in cards {
        match sight.of(card, kept)? {
            Found::Lifted(card) => {
                let before = result_fields.len();
                lift(card, seat, &mut result_fields, lints);
                let lifted = result_fields.iter().skip(before);
                showing.spend(lifted.map(|one| one.name.len() + one.description.len()).sum())?;
            }
            Found::Live(card, kept) => found.push((seat, Ok((card, kept)))),
            Found::Missing(reason) => {
                missing.push(MissingCard { seat: seat.clone(), reason, why: None });
                found.push((seat, Err((reason, None))));
            }
            Found::Unreadable(error) => {
                let (reason, why) = (Hidden::Unreadable, Some(error.message().to_owned()));
                missing.push(MissingCard { seat: seat.clone(), reason, why });
                found.push((seat, Err((reason, Some(error)))));
            }
        }
    }
    Ok(Classified { found, result_fields, missing })
}

/// A card to show, or why it is hidden.
type Shown<'a> = Result<(&'a Card, Option<&'a ResidentCard>), (Hidden, Option<&'a Error>)>;

/// Renders a card, or reports that it is hidden.
fn show(seat: &Seat, card: &Shown<'_>, showing: &mut Showing) -> Result<()> {
    match card {
        Ok((card, None)) => showing.push(card)?,
        Ok((_, Some(kept))) => showing.push_resident(kept, &seat.card_id)?,
        Err((_, Some(why))) => showing.rendered.push_unreadable(seat.card_id.clone(), why),
        Err((reason, None)) => showing.rendered.push_missing(seat.card_id.clone(), *reason),
    }
    Ok(())
}

/// Returns a lint of rendering with its path in `source_card_ids`. Its own path starts at a list of
/// cards.
fn in_source_cards(lint: Lint) -> Lint {
    let inside = lint.path.steps().iter().skip(1).cloned().collect();
    let path = Path::root().key("source_card_ids").join(&Path::from_steps(inside));
    Lint { path, ..lint }
}

/// Moves the fields of a card to the prompt. A card without fields is omitted, with a lint.
fn lift(card: &Card, seat: &Seat, fields: &mut Vec<ResultField>, lints: &mut Vec<Lint>) {
    if let Content::Fields(schema) = &card.content {
        fields.extend(schema.iter().map(|FieldSchema { name, description }| ResultField {
            card_id: card.card_id.clone(),
            name: name.clone(),
            description: description.clone(),
        }));
        return;
    }
    let key = match seat.side {
        Side::Context => "context_box_id",
        Side::Output => "output_box_id",
    };
    lints.push(Lint::new(
        AgentLint::ResultFieldsWithoutFields,
        Path::root().key(key),
        format!(
            "card `{}` at position {} is a result contract without fields; the model does not see it",
            card.card_id, seat.position
        ),
    ));
}

/// Returns the system prompt: that of the profile, the required fields and the appended text; `None`
/// if there is neither a profile nor text.
fn system_prompt(
    prompt: Option<&str>,
    fields: &[ResultField],
    append: Option<&str>,
) -> Option<String> {
    let mut text = trim(prompt.unwrap_or_default()).to_owned();
    if !fields.is_empty() {
        let lines: Vec<String> = fields
            .iter()
            .map(|field| match field.description.as_str() {
                "" => format!("- {}", field.name),
                description => format!("- {}: {description}", field.name),
            })
            .collect();
        let contract = format!("Required result fields:\n{}", lines.join("\n"));
        text = if text.is_empty() { contract } else { format!("{text}\n\n{contract}") };
        text = trim(&text).to_owned();
    }
    if let Some(append) = append.filter(|append| !append.is_empty()) {
        text = match text.as_str() {
            "" => trim(append).to_owned(),
            text => trim(&format!("{text}\n\n{append}")).to_owned(),
        };
    }
    (prompt.is_some() || !text.is_empty()).then_some(text)
}

/// Returns the prompt and the tools as cards, for a recorded view.
fn record(
    frame: &Frame<'_>,
    prompt: String,
    overlay: &Overlay<'_>,
    env: &Env,
) -> Result<Vec<Card>> {
    let mut minter = env.minter();
    let _operation = minter.operation_id();
    let role = |metadata: &mut Object| drop(metadata.insert("role".into(), "system".into()));
    let mut make = |mut new: NewCard| {
        role(&mut new.metadata);
        let project = overlay.snapshot().project_id();
        Card::make(new, project, minter.card_id(), env.now, &frame.limits)
    };
    let mut prompt = NewCard::new("sys.rendered_prompt", "system_assembler", Content::text(prompt));
    if let Some(profile) = &frame.profile {
        prompt.metadata.insert("profile_id".into(), (&profile.card_id).into());
    }
    let mut cards = vec![make(prompt)?];
    if !frame.tools.is_empty() {
        let tools = Content::Tools(frame.tools.clone());
        cards.push(make(NewCard::new("sys.tools", "system_assembler", tools))?);
    }
    Ok(cards)
}
