//! Everything about a request that a careful person would want to know, in one list: what was
//! noticed, what was left out, what changed on the way, what the model never gets.

use super::picture::Window;
use super::place::{Place, place_of};
use super::request::{CardCost, Fate};
use super::subject::Seat;
use crate::Path;
use crate::prompt::provider::Loss;
use crate::render::RenderLint;
use crate::rule::ledger::Dropped;
use crate::rule::lint::Lint;
use crate::value::{Map, Set};
use serde::Serialize;

/// One entry of the list.
///
/// Shown by the example of [`CardCost`](super::CardCost).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// Which part of the product says so.
    pub source: ProblemSource,
    /// What it is about. Stable, `snake_case`.
    pub code: &'static str,
    /// One sentence for a person.
    pub message: String,
    /// The value it is about; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Path>,
    /// Where the card stands that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The card it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<String>,
    /// What would end it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

/// How bad something is.
///
/// Shown by the example of [`CardCost`](super::CardCost).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The request cannot do what it is for.
    Error,
    /// The model gets less than somebody may think, or something else.
    Warning,
    /// Good to know.
    Info,
}

/// Which part of the product found something.
///
/// Shown by the example of [`CardCost`](super::CardCost).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProblemSource {
    /// A rule noticed it.
    Lint,
    /// It was named in the call and never became a card.
    LeftOut,
    /// It was changed on the way to the provider.
    Loss,
    /// A card that the model never gets.
    NeverSent,
    /// The window.
    Window,
}

/// What would end a problem.
///
/// ```
/// use tuckbox::agents::Setup;
/// use tuckbox::inspect::{Fix, InspectRequest};
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::value::json::Field;
/// # use tuckbox::{Card, Env, Timestamp, json, rule};
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_box("notes", ["n1"]).add_card(Card::from_row(&Field::root(&json!({"card_id": "n1", "metadata": {"role": "user"},
/// #     "content": {"__type__": "TextContent", "text": "far more words than there is room for"}})))?);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let call = json!({"box_id": "notes", "provider": "openai_chat", "window": 5});
/// let call = InspectRequest::from_json(&call, &Setup::default())?;
/// let request = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert!(request.problems.iter().any(|problem| problem.fix == Some(Fix::Fit)));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fix {
    /// Take this value out of the call.
    Remove {
        /// Which value.
        path: Path,
    },
    /// Fit the request into a budget.
    Fit,
}

/// What the list is made from.
pub(super) struct Found<'a> {
    pub seats: &'a [Seat],
    pub shown: usize,
    pub lints: &'a [Lint],
    pub turn_lints: &'a [Lint],
    pub dropped: &'a [Dropped],
    pub losses: &'a [Loss],
    pub cards: &'a [CardCost],
    pub window: Option<Window>,
}

impl Found<'_> {
    /// The list, the worst first.
    pub fn problems(&self) -> Vec<Problem> {
        let mut all = Vec::new();
        if let Some(window) = self.window.filter(|window| window.over > 0) {
            let message =
                format!("{} tokens more than the window of {} holds", window.over, window.size);
            all.push(Problem {
                fix: Some(Fix::Fit),
                ..bare(Severity::Error, ProblemSource::Window, "over_window", message)
            });
        }
        let lints = self.lints.iter().map(|lint| (lint, lint.path.clone()));
        // a card that cannot be seen is told of below, with its place
        let turn = self.turn_lints.iter().filter(|lint| lint.code != RenderLint::MissingCard);
        let turn = turn.map(|lint| (lint, Path::root().key("turn")));
        for (lint, path) in lints.chain(turn.map(|(lint, at)| (lint, at.join(&lint.path)))) {
            all.push(Problem {
                path: Some(path),
                place: place_of(lint, self.seats),
                card_id: lint.card_id.clone(),
                ..bare(
                    Severity::Warning,
                    ProblemSource::Lint,
                    lint.code.as_str(),
                    lint.message.clone(),
                )
            });
        }
        self.never_sent(&mut all);
        let messages = self.cards.iter().enumerate().filter_map(|(at, card)| match card.fate {
            Fate::Message { position } => Some((position, at)),
            Fate::SystemPrompt | Fate::Tools | Fate::Nothing { .. } => None,
        });
        // of several cards in one message the first is meant
        let cards: Map<usize, usize> = messages.rev().collect();
        all.extend(self.losses.iter().map(|loss| self.loss(loss, &cards)));
        for Dropped { path, reason } in self.dropped {
            let message = format!("`{path}` was left out: {}", reason.as_str().replace('_', " "));
            all.push(Problem {
                path: Some(path.clone()),
                fix: Some(Fix::Remove { path: path.clone() }),
                ..bare(Severity::Info, ProblemSource::LeftOut, reason.as_str(), message)
            });
        }
        all.sort_by_key(|problem| problem.severity);
        all
    }

    /// What was changed, at the card that became the message.
    fn loss(&self, loss: &Loss, cards: &Map<usize, usize>) -> Problem {
        let severity = if loss.lossy { Severity::Warning } else { Severity::Info };
        let position = loss.position.and_then(|message| cards.get(&message).copied());
        Problem {
            place: position.map(|position| Place { shown: self.shown, position }),
            card_id: loss.card_id.as_ref().map(ToString::to_string),
            ..bare(severity, ProblemSource::Loss, loss.code.as_str(), loss.reason.clone())
        }
    }

    /// The cards that the model never gets, unless a rule has spoken of them already.
    fn never_sent(&self, all: &mut Vec<Problem>) {
        let Some(seat) = self.seats.get(self.shown) else { return };
        let lost = self.losses.iter().filter_map(|loss| loss.card_id.as_ref());
        let told = all.iter().filter_map(|problem| problem.card_id.clone());
        let known: Set<String> = told.chain(lost.map(ToString::to_string)).collect();
        for (position, (card_id, card)) in seat.card_ids.iter().zip(self.cards).enumerate() {
            let Fate::Nothing { reason } = card.fate else { continue };
            let severity = match reason {
                // the assistant's message holds the call itself
                "call_record" => continue,
                "unreadable" => Severity::Error,
                "repeated" => Severity::Info,
                _ => Severity::Warning,
            };
            if known.contains(card_id) {
                continue;
            }
            let message = format!("the model never gets card `{card_id}`: {reason}");
            all.push(Problem {
                place: Some(Place { shown: self.shown, position }),
                card_id: Some(card_id.to_owned()),
                ..bare(severity, ProblemSource::NeverSent, reason, message)
            });
        }
    }
}

fn bare(severity: Severity, source: ProblemSource, code: &'static str, message: String) -> Problem {
    Problem { severity, source, code, message, path: None, place: None, card_id: None, fix: None }
}
