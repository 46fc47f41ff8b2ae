//! The request behind a box: what the model of its receiver gets, and what every part of it costs.
//!
//! [`InspectRequest`] takes what [`Inspect`](super::Inspect) takes, finds the turn that reads the
//! box, makes its payload and counts it. One account follows, and every view shows it: by section,
//! by source and kind, card by card. A card that the model never gets costs nothing, and says why
//! the model does not get it.

use super::picture::{self, Part, Window};
use super::problem::{Found, Problem};
use super::row::Cards;
use super::subject::{Seen, Subject};
use crate::agents::Setup;
use crate::agents::turn::{Side, Turn, TurnEntry, TurnView};
use crate::prompt::provider::{Action, Loss, Options, Payload, Prompt, Provider, draft};
use crate::prompt::tokens::{Account, CounterInput, Figure, Section, account, texts};
use crate::render::Became;
use crate::rule::lint::Lint;
use crate::rule::{DialectName, Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::Map as IndexMap;
use crate::value::env::Env;
use crate::value::id::{AgentId, BoxId};
use crate::value::json::{Field, Fields, Json};
use crate::{Path, Result};
use serde::Serialize;

/// Asks for the request behind a box.
///
/// ```
/// use tuckbox::agents::Setup;
/// use tuckbox::store::{MemoryStore, Snapshot};
/// use tuckbox::{Env, Json, Timestamp, inspect::InspectRequest, rule::preview};
///
/// let mut store = MemoryStore::new();
/// store.project("p1").add_box("b1", ["c1", "c2"]);
/// let call = Json::parse(r#"{"box_id": "b1", "provider": "openai_chat", "window": 1000}"#)?;
/// let look = InspectRequest::from_json(&call, &Setup::default())?;
/// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let request = preview(&look, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert_eq!(request.never_sent, 2);                     // no such cards
/// assert_eq!(request.parts.iter().map(|part| part.tokens).sum::<u64>(), request.tokens);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub struct InspectRequest {
    subject: Subject,
    shown: usize,
    window: Option<u64>,
    terms: Terms,
}

/// A request, counted.
///
/// Shown by the example of [`InspectRequest`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequestView {
    /// The turn that makes it, as a call of `turn_view`.
    pub turn: Reader,
    /// To whom it goes.
    pub provider: Provider,
    /// What it costs.
    pub tokens: u64,
    /// True when `tokens` are the model's own count, not an estimate.
    pub exact: bool,
    /// The tokens by what they are for.
    pub sections: Vec<Section>,
    /// What is kept free for the answer.
    pub reserve: u64,
    /// How full the window is: the one that was named, or that of the model; absent without either.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// The tokens by source and kind, in the order in which the model meets them.
    pub parts: Vec<Part>,
    /// What became of every card of the box, in order.
    pub cards: Vec<CardCost>,
    /// How many of the cards the model never gets.
    pub never_sent: usize,
    /// What was changed on the way to the provider.
    pub losses: Vec<Loss>,
    /// Everything that was noticed, left out, changed or never sent, the worst first.
    pub problems: Vec<Problem>,
}

/// Whose turn reads a box, and with what else.
///
/// Shown by the example of [`CardCost`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reader {
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// What the turn reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_box_id: Option<BoxId>,
    /// What the turn has put out; empty when it starts with nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_box_id: Option<BoxId>,
    /// The profile under which it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_box_id: Option<BoxId>,
    /// How people call the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The rule dialect.
    pub dialect: DialectName,
}

/// What became of a card, and what that costs.
///
/// ```
/// use tuckbox::agents::Setup;
/// use tuckbox::inspect::{Fate, InspectRequest, ProblemSource, Severity};
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::{Env, Timestamp, json, rule};
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_box("notes", ["gone"]);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let call = InspectRequest::from_json(&json!({"box_id": "notes", "provider": "openai_chat"}), &Setup::default())?;
/// let request = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert_eq!(request.cards[0].fate, Fate::Nothing { reason: "absent" });
/// let problem = request.problems.iter().find(|problem| problem.source == ProblemSource::NeverSent).unwrap();
/// assert!(problem.severity != Severity::Info && problem.fix.is_none());
/// assert_eq!(request.turn.context_box_id.as_ref().unwrap(), "notes");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CardCost {
    /// What became of it.
    #[serde(flatten)]
    pub fate: Fate,
    /// How many tokens.
    pub tokens: u64,
    /// True when it is the model's own count.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
}

/// What became of a card.
///
/// Shown by the example of [`CardCost`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "became", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fate {
    /// The message at this position of the turn.
    Message {
        /// Which, counted from 0.
        position: usize,
    },
    /// Fields that the system prompt asks for.
    SystemPrompt,
    /// Tool definitions.
    Tools,
    /// Nothing that the model gets.
    Nothing {
        /// Why: `absent`, `deleted`, `expired`, `call_record`, `repeated`, or the code of the
        /// change that dropped it on the way to the provider.
        reason: &'static str,
    },
}

/// How a request is made and counted.
pub(super) struct Terms {
    provider: Provider,
    options: Options,
    counter: CounterInput,
    frame: TurnView,
}

impl Terms {
    /// The keys that [`Terms::from_fields`] reads.
    pub fn keys() -> Vec<&'static str> {
        [&["provider", "counter"][..], &Options::KEYS].concat()
    }

    /// Reads `provider?`, which is `neutral` by default, the options of a payload, and `counter?`.
    pub fn from_fields(fields: &Fields<'_>, setup: &Setup) -> Result<Self> {
        Ok(Self {
            provider: match fields.optional("provider") {
                Some(provider) => Provider::from_json(&provider)?,
                None => Provider::Neutral,
            },
            options: Options::from_fields(fields)?,
            counter: CounterInput::from_fields(fields)?,
            frame: TurnView {
                dialect: setup.defaults.dialect,
                limits: setup.defaults.limits,
                ..TurnView::default()
            },
        })
    }

    /// The payload of a turn; nothing where nobody says anything.
    fn payload(&self, turn: Turn) -> Result<Option<Payload>> {
        match draft(Prompt::from(turn).shown(), self.provider, &self.options) {
            Ok(payload) => Ok(Some(payload)),
            // a turn without words is seen every day; everything else is a fault of the terms
            Err(error) if *error.path() == Path::root().key("messages") => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn account(&self, payload: Option<&Payload>) -> Result<Account> {
        let Some(payload) = payload else { return Ok(Account::empty(self.provider)) };
        let counter = self.counter.counter(self.provider, || texts(payload))?;
        Ok(account(payload, counter.as_ref()))
    }
}

/// A request as far as it is known to everything that shows it.
pub(super) struct Request {
    pub account: Account,
    /// What became of every card of the box, in order.
    pub cards: Vec<CardCost>,
    /// What the receiver's own output costs, where it goes on with one.
    pub output: Option<(BoxId, usize, Figure)>,
    pub losses: Vec<Loss>,
    /// What was noticed about the turn.
    pub lints: Vec<Lint>,
}

impl Request {
    /// The request behind a box.
    pub fn of(
        seen: &mut Seen,
        shown: usize,
        terms: &Terms,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<Self>> {
        let is_turn = seen.is_turn();
        let (mut turn, lints) = ready!(seen.turn(shown, &terms.frame, snapshot, env)?);
        let entries = std::mem::take(&mut turn.entries);
        let repeated: Vec<_> = turn.swallowed.iter().map(|s| (s.side, s.position)).collect();
        let output_box_id = turn.output_box_id.clone();
        // a prompt finds its cards by the entries
        turn.entries.clone_from(&entries);
        let payload = terms.payload(turn)?;
        let account = terms.account(payload.as_ref())?;
        let losses = payload.map_or_else(Vec::new, |payload| payload.losses().to_vec());
        let costs = Costs::new(&account, &losses);
        let length = seen.seat(shown)?.card_ids.len();
        let mut output = Figure::ZERO;
        let mut put_out = 0;
        let cards = if is_turn {
            entries.iter().map(|entry| costs.of(entry)).collect()
        } else {
            // what is neither seen nor repeated was lifted into the prompt
            let lifted = CardCost { fate: Fate::SystemPrompt, tokens: 0, exact: true };
            let mut cards = vec![lifted; length];
            for entry in &entries {
                let Some(place) = entry.seat else { continue };
                let cost = costs.of(entry);
                match place.side {
                    Side::Context => put(&mut cards, place.position, cost),
                    Side::Output => {
                        output += Figure { tokens: cost.tokens, exact: cost.exact };
                        put_out += 1;
                    }
                }
            }
            for (_, position) in repeated.iter().filter(|(side, _)| *side == Side::Context) {
                put(&mut cards, *position, CardCost::nothing("repeated"));
            }
            cards
        };
        let output = output_box_id.filter(|_| put_out > 0).map(|id| (id, put_out, output));
        Ok(Step::Done(Self { account, cards, output, losses, lints }))
    }
}

fn put(cards: &mut [CardCost], position: usize, cost: CardCost) {
    if let Some(slot) = cards.get_mut(position) {
        *slot = cost;
    }
}

/// The costs of messages by their position.
struct Costs<'a> {
    messages: IndexMap<usize, Figure>,
    dropped: IndexMap<usize, &'a Loss>,
}

impl<'a> Costs<'a> {
    fn new(account: &Account, losses: &'a [Loss]) -> Self {
        let messages = account.messages.iter().map(|message| {
            (message.position, Figure { tokens: message.tokens, exact: message.exact })
        });
        let dropped = losses.iter().filter(|loss| loss.action == Action::Drop);
        Self {
            messages: messages.collect(),
            dropped: dropped.filter_map(|loss| Some((loss.position?, loss))).collect(),
        }
    }

    fn of(&self, entry: &TurnEntry) -> CardCost {
        match entry.became {
            Became::Message { position } => {
                match (self.messages.get(&position), self.dropped.get(&position)) {
                    (None, Some(loss)) => CardCost::nothing(loss.code.as_str()),
                    (found, _) => {
                        let Figure { tokens, exact } = found.copied().unwrap_or(Figure::ZERO);
                        CardCost { fate: Fate::Message { position }, tokens, exact }
                    }
                }
            }
            // the definitions are a part of their own
            Became::Tools { .. } => CardCost { fate: Fate::Tools, tokens: 0, exact: true },
            Became::Nothing { reason } => CardCost::nothing(reason.as_str()),
        }
    }
}

impl CardCost {
    const fn nothing(reason: &'static str) -> Self {
        Self { fate: Fate::Nothing { reason }, tokens: 0, exact: true }
    }
}

impl InspectRequest {
    /// Reads `{"call": {..} | "box_id": ".." | "turn": {..}, "shown"?, "window"?, "provider"?,
    /// "counter"?}` and the options of a payload.
    ///
    /// # Errors
    /// `bad_request` with the path of what is missing, mistyped or unknown; a fault in the wrapped
    /// call has its path below `call`.
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        let fields = Field::root(json).object()?;
        let own = ["op", "call", "box_id", "turn", "shown", "window"];
        fields.only(&[&own[..], &Terms::keys()].concat())?;
        let number = |key| fields.optional(key).map(|field| field.count()).transpose();
        Ok(Self {
            subject: Subject::read_with_view(&fields, setup)?,
            shown: usize::try_from(number("shown")?.unwrap_or(0)).unwrap_or(usize::MAX),
            window: number("window")?,
            terms: Terms::from_fields(&fields, setup)?,
        })
    }
}

impl Rule for InspectRequest {
    type Value = RequestView;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<RequestView>>> {
        let mut seen = ready!(self.subject.see(snapshot, env)?);
        let reader = Reader::from(&seen.reader(self.shown, &self.subject, &self.terms.frame)?);
        let request = ready!(Request::of(&mut seen, self.shown, &self.terms, snapshot, env)?);
        let cards = Cards::new(seen.made(), snapshot, env);
        let seat = seen.seat(self.shown)?;
        ready!(cards.read(seat.card_ids.iter()));
        let parts = picture::parts(seat, &cards, &request)?;
        let Request { account, cards, losses, lints, output: _ } = request;
        let Account { provider, tokens, exact, sections, reserve, .. } = account;
        let Terms { provider: asked, options, .. } = &self.terms;
        let size = self.window.or_else(|| options.known_model(*asked).context_window);
        let window = size.map(|size| Window::new(size, tokens, reserve));
        let found = Found {
            seats: &seen.boxes,
            shown: self.shown,
            lints: &seen.lints,
            turn_lints: &lints,
            dropped: &seen.dropped,
            losses: &losses,
            cards: &cards,
            window,
        };
        let problems = found.problems();
        let value = RequestView {
            turn: reader,
            provider,
            tokens,
            exact,
            sections,
            reserve,
            window,
            parts,
            never_sent: cards.iter().filter(|card| card.fate.is_nothing()).count(),
            cards,
            losses,
            problems,
        };
        let lints: Vec<Lint> = options.model_lint(*asked).into_iter().collect();
        Ok(Step::Done(Outcome::answer(value, lints, snapshot, env)))
    }
}

impl Fate {
    const fn is_nothing(self) -> bool {
        match self {
            Self::Nothing { .. } => true,
            Self::Message { .. } | Self::SystemPrompt | Self::Tools => false,
        }
    }
}

impl From<&TurnView> for Reader {
    fn from(view: &TurnView) -> Self {
        Self {
            agent_id: view.agent_id.clone(),
            context_box_id: view.context_box_id.clone(),
            output_box_id: view.output_box_id.clone(),
            profile_box_id: view.profile_box_id.clone(),
            display_name: view.display_name.clone(),
            dialect: view.dialect.name,
        }
    }
}
