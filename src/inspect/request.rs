//! The request for a box: what the model of its receiver gets, and the cost of each part.
//!
//! [`InspectRequest`] has the subjects of [`Inspect`](super::Inspect). It finds the turn that reads
//! the box, makes its payload and counts it. All numbers come from one account: by section, by
//! source and kind, and by card. A card that the model does not get costs nothing and has a reason.

use super::picture::{self, Part, Window};
use super::problem::{Problem, Sources};
use super::row::Cards;
use super::subject::{Subject, SubjectContent};
use crate::agents::Setup;
use crate::agents::turn::{Side, Turn, TurnEntry, TurnView};
use crate::prompt::provider::{Action, Loss, Options, Payload, Prompt, Provider, draft};
use crate::prompt::tokens::{Account, CounterInput, Section, TokenCount, account, texts};
use crate::render::Became;
use crate::rule::lint::Lint;
use crate::rule::{DialectName, Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::Map as IndexMap;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::id::{AgentId, BoxId};
use crate::value::json::Json;
use crate::{Path, Result};
use serde::Serialize;
use std::sync::Arc;

arguments! {
    /// Shows the request that a model receives for a box or turn, and the cost of each part.
    ///
    /// ```
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, inspect::InspectRequest, json, rule::preview};
    ///
    /// let mut store = MemoryStore::new();
    /// store.project("p1").add_box("b1", ["c1", "c2"]);
    /// let call = json!({"box_id": "b1", "provider": "openai_chat", "window": 1000});
    /// let call = InspectRequest::from_json(&call)?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let request = preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!(request.never_sent, 2); // the store does not have the cards
    /// assert_eq!(request.parts.iter().map(|part| part.tokens).sum::<u64>(), request.tokens);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    pub struct InspectRequest {
        /// The box to show, from 0, for a call that packs several.
        pub shown: usize = 0,
        /// The size of the model's window in tokens. By default it comes from the table of models.
        pub window: Option<u64>,
        shared subject: Subject,
        shared terms: RequestTerms,
    }
}

/// A request and its cost.
///
/// Shown by the example of [`InspectRequest`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequestView {
    /// The turn that makes the request, as arguments of `turn_view`.
    pub turn: Reader,
    /// The provider.
    pub provider: Provider,
    /// The tokens of the request.
    pub tokens: u64,
    /// The price of the tokens in dollars, without a cache. `null` if no price is known.
    pub cost: Option<f64>,
    /// True if `tokens` is the model's own count, not an estimate.
    pub exact: bool,
    /// The tokens by section.
    pub sections: Vec<Section>,
    /// The tokens that are reserved for the answer.
    pub reserve: u64,
    /// The use of the window. Missing if neither the call nor the model has a size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// The tokens by source and kind, in the order in which the model reads them.
    pub parts: Vec<Part>,
    /// The result for every card of the box, in order.
    pub cards: Vec<CardCost>,
    /// The number of cards that the model does not get.
    pub never_sent: usize,
    /// The changes of the conversion to the provider.
    pub losses: Vec<Loss>,
    /// All problems of the request, the highest severity first.
    pub problems: Vec<Problem>,
}

/// The turn that reads a box.
///
/// Shown by the example of [`CardCost`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reader {
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// The context box of the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_box_id: Option<BoxId>,
    /// The output box of the turn. Empty if the turn starts without output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_box_id: Option<BoxId>,
    /// The profile of the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_box_id: Option<BoxId>,
    /// The display name of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The rule dialect.
    pub dialect: DialectName,
}

/// The result for a card, and its cost.
///
/// ```
/// use tuckbox::inspect::{Fate, InspectRequest, ProblemSource, Severity};
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::{Env, Timestamp, json, rule};
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_box("notes", ["gone"]);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let call = InspectRequest::from_json(&json!({"box_id": "notes", "provider": "openai_chat"}))?;
/// let request = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert_eq!(request.cards[0].fate, Fate::Nothing { reason: "absent" });
/// let problem = request.problems.iter().find(|problem| problem.source == ProblemSource::NeverSent).unwrap();
/// assert!(problem.severity != Severity::Info && problem.fix.is_none());
/// assert_eq!(request.turn.context_box_id.as_ref().unwrap(), "notes");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CardCost {
    /// The result.
    #[serde(flatten)]
    pub fate: Fate,
    /// The tokens.
    pub tokens: u64,
    /// True if `tokens` is the model's own count.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
}

/// What a card became in the request.
///
/// Shown by the example of [`CardCost`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "became", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fate {
    /// The message at a position of the turn.
    Message {
        /// The position, from 0.
        position: usize,
    },
    /// Fields in the system prompt.
    SystemPrompt,
    /// Tool definitions.
    Tools,
    /// Nothing: the model does not get it.
    Nothing {
        /// The reason: `absent`, `deleted`, `expired`, `call_record`, `repeated`, or the code of
        /// the conversion change that dropped it.
        reason: &'static str,
    },
}

arguments! {
    /// The options of a request, and how to count it.
    ///
    /// Shown by the example of [`InspectRequest`].
    pub struct RequestTerms {
        /// The provider.
        pub provider: Provider = Provider::Neutral,
        /// The counts of the host's own tokenizer, or how it counts.
        pub counter: Option<CounterInput>,
        shared options: Options,
        setting frame: TurnView,
        setting models: Arc<Json>,
    }
}

impl RequestTerms {
    /// Sets the dialect, the limits and the models of the project.
    pub(super) fn with_setup(self, setup: &Setup) -> Result<Self> {
        let (dialect, limits) = (setup.defaults.dialect, setup.defaults.limits);
        let options = self.options.with_setup(self.provider, setup)?;
        let models = Arc::clone(&setup.models);
        Ok(Self { frame: TurnView { dialect, limits, ..self.frame }, options, models, ..self })
    }

    pub(super) fn model(&self) -> Option<&str> {
        self.options.model.as_deref()
    }

    pub(super) fn models(&self) -> &Json {
        &self.models
    }

    pub(super) fn provider_name(&self) -> &'static str {
        self.provider.as_str()
    }

    /// Returns the payload of a turn, if a message has content.
    fn payload(&self, turn: Turn) -> Result<Option<Payload>> {
        match draft(Prompt::from(turn).shown(), self.provider, &self.options) {
            Ok(payload) => Ok(Some(payload)),
            // a turn without content is common; every other error is returned
            Err(error) if *error.path() == Path::root().key("messages") => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn account(&self, payload: Option<&Payload>) -> Result<Account> {
        let Some(payload) = payload else { return Ok(Account::empty(self.provider)) };
        let (counter, model) = (self.counter.as_ref(), self.options.model.as_deref());
        let counter = CounterInput::counter(counter, self.provider, model, || texts(payload))?;
        Ok(account(payload, counter.as_ref()))
    }
}

/// Returns the body of the request for a box, or none if no message has content.
pub(super) fn body_of(
    seen: &mut SubjectContent,
    shown: usize,
    terms: &RequestTerms,
    snapshot: &Snapshot,
    env: &Env,
) -> Result<Step<Option<Json>>> {
    let (turn, _) = ready!(seen.turn(shown, &terms.frame, snapshot, env)?);
    Ok(Step::Done(terms.payload(turn)?.map(|payload| payload.body())))
}

/// The parts of a request that every view uses.
pub(super) struct Request {
    pub account: Account,
    /// The result for every card of the box, in order.
    pub cards: Vec<CardCost>,
    /// The output box of the receiver, the number of its cards, and their cost.
    pub output: Option<(BoxId, usize, TokenCount)>,
    pub losses: Vec<Loss>,
    /// The lints of the turn.
    pub lints: Vec<Lint>,
}

impl Request {
    /// Makes the request for a box.
    pub fn of(
        seen: &mut SubjectContent,
        shown: usize,
        terms: &RequestTerms,
        snapshot: &Snapshot,
        env: &Env,
    ) -> Result<Step<Self>> {
        let is_turn = seen.is_turn();
        let (mut turn, lints) = ready!(seen.turn(shown, &terms.frame, snapshot, env)?);
        let entries = std::mem::take(&mut turn.entries);
        let repeated: Vec<_> = turn.swallowed.iter().map(|s| (s.side, s.position)).collect();
        let output_box_id = turn.output_box_id.clone();
        // the prompt finds its cards by the entries
        turn.entries.clone_from(&entries);
        let payload = terms.payload(turn)?;
        let account = terms.account(payload.as_ref())?;
        let losses = payload.map_or_else(Vec::new, |payload| payload.losses().to_vec());
        let costs = Costs::new(&account, &losses);
        let length = seen.seat(shown)?.card_ids.len();
        let mut output = TokenCount::ZERO;
        let mut put_out = 0;
        let cards = if is_turn {
            entries.iter().map(|entry| costs.of(entry)).collect()
        } else {
            // a card that is neither an entry nor repeated is part of the system prompt
            let lifted = CardCost { fate: Fate::SystemPrompt, tokens: 0, exact: true };
            let mut cards = vec![lifted; length];
            for entry in &entries {
                let Some(place) = entry.seat else { continue };
                let cost = costs.of(entry);
                match place.side {
                    Side::Context => put(&mut cards, place.position, cost),
                    Side::Output => {
                        output += TokenCount { tokens: cost.tokens, exact: cost.exact };
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

/// The costs of messages by position.
struct Costs<'a> {
    messages: IndexMap<usize, TokenCount>,
    dropped: IndexMap<usize, &'a Loss>,
}

impl<'a> Costs<'a> {
    fn new(account: &Account, losses: &'a [Loss]) -> Self {
        let messages = account.messages.iter().map(|message| {
            (message.position, TokenCount { tokens: message.tokens, exact: message.exact })
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
                        let TokenCount { tokens, exact } =
                            found.copied().unwrap_or(TokenCount::ZERO);
                        CardCost { fate: Fate::Message { position }, tokens, exact }
                    }
                }
            }
            // tool definitions are counted as a part of their own
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
    /// Reads the call of the subject with the settings of the project.
    ///
    /// # Errors
    /// Any error of the call, with a path below `call` or `turn`.
    pub fn with_setup(self, setup: &Setup) -> Result<Self> {
        let terms = self.terms.with_setup(setup)?;
        Ok(Self { subject: self.subject.with_view(setup)?, terms, ..self })
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
        let Account { provider, tokens, cost, exact, sections, reserve, .. } = account;
        let RequestTerms { provider: asked, options, .. } = &self.terms;
        let size = self.window.or_else(|| options.known_model(*asked).context_window);
        let window = size.map(|size| Window::new(size, tokens, reserve));
        let found = Sources {
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
            cost,
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
