//! All problems of a request in one list: lints, dropped values, conversion changes, cards that are
//! not sent, and the window.

use super::picture::Window;
use super::place::{Place, place_of};
use super::request::{CardCost, Fate};
use super::subject::SubjectBox;
use crate::Path;
use crate::prompt::provider::Loss;
use crate::render::RenderLint;
use crate::rule::ledger::Dropped;
use crate::rule::lint::Lint;
use crate::value::{Map, Set};
use serde::Serialize;

/// A problem of a request.
///
/// Shown by the example of [`CardCost`](super::CardCost).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The severity.
    pub severity: Severity,
    /// The source of the problem.
    pub source: ProblemSource,
    /// The code of the problem, in `snake_case`. Codes are stable.
    pub code: &'static str,
    /// A sentence that describes the problem.
    pub message: String,
    /// The path of the value. Missing without a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Path>,
    /// The position of the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<String>,
    /// A fix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

/// The severity of a problem.
///
/// Shown by the example of [`CardCost`](super::CardCost).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The request does not work.
    Error,
    /// The model gets less than the sender may expect, or something else.
    Warning,
    /// Information only.
    Info,
}

/// The source of a problem.
///
/// Shown by the example of [`CardCost`](super::CardCost).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProblemSource {
    /// A lint of a rule.
    Lint,
    /// A value of the call that did not become a card.
    LeftOut,
    /// A change of the conversion to the provider.
    Loss,
    /// A card that the model does not get.
    NeverSent,
    /// The window.
    Window,
}

/// A fix of a problem.
///
/// ```
/// use tuckbox::inspect::{Fix, InspectRequest};
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::value::json::Field;
/// # use tuckbox::{Card, Env, Timestamp, json, rule};
/// # let mut store = MemoryStore::new();
/// # store.project("p1").add_box("notes", ["n1"]).add_card(Card::from_row(&Field::root(&json!({"card_id": "n1", "metadata": {"role": "user"},
/// #     "content": {"__type__": "TextContent", "text": "far more words than there is room for"}})))?);
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let call = json!({"box_id": "notes", "provider": "openai_chat", "window": 5});
/// let call = InspectRequest::from_json(&call)?;
/// let request = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// assert!(request.problems.iter().any(|problem| problem.fix == Some(Fix::Fit)));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fix {
    /// Remove this value from the call.
    Remove {
        /// The path of the value.
        path: Path,
    },
    /// Fit the request into a budget.
    Fit,
}

/// Everything that the list is made from.
pub(super) struct Sources<'a> {
    pub seats: &'a [SubjectBox],
    pub shown: usize,
    pub lints: &'a [Lint],
    pub turn_lints: &'a [Lint],
    pub dropped: &'a [Dropped],
    pub losses: &'a [Loss],
    pub cards: &'a [CardCost],
    pub window: Option<Window>,
}

impl Sources<'_> {
    /// Returns the list, the highest severity first.
    pub fn problems(&self) -> Vec<Problem> {
        let mut all = Vec::new();
        if let Some(window) = self.window.filter(|window| window.over > 0) {
            let message =
                format!("the request is {} tokens over the window of {}", window.over, window.size);
            all.push(Problem {
                fix: Some(Fix::Fit),
                ..bare(Severity::Error, ProblemSource::Window, "over_window", message)
            });
        }
        let lints = self.lints.iter().map(|lint| (lint, lint.path.clone()));
        // a card that cannot be read is listed below, with its position
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
        // if several cards become one message, the problem is listed at the first
        let cards: Map<usize, usize> = messages.rev().collect();
        all.extend(self.losses.iter().map(|loss| self.loss(loss, &cards)));
        for Dropped { path, reason } in self.dropped {
            let message = format!("`{path}` is dropped: {}", reason.as_str().replace('_', " "));
            all.push(Problem {
                path: Some(path.clone()),
                fix: Some(Fix::Remove { path: path.clone() }),
                ..bare(Severity::Info, ProblemSource::LeftOut, reason.as_str(), message)
            });
        }
        all.sort_by_key(|problem| problem.severity);
        all
    }

    /// The conversion changes, each at the card that became the message.
    fn loss(&self, loss: &Loss, cards: &Map<usize, usize>) -> Problem {
        let severity = if loss.lossy { Severity::Warning } else { Severity::Info };
        let position = loss.position.and_then(|message| cards.get(&message).copied());
        Problem {
            place: position.map(|position| Place { shown: self.shown, position }),
            card_id: loss.card_id.as_ref().map(ToString::to_string),
            ..bare(severity, ProblemSource::Loss, loss.code.as_str(), loss.reason.clone())
        }
    }

    /// The cards that the model does not get, except those that a lint names.
    fn never_sent(&self, all: &mut Vec<Problem>) {
        let Some(seat) = self.seats.get(self.shown) else { return };
        let lost = self.losses.iter().filter_map(|loss| loss.card_id.as_ref());
        let listed = all.iter().filter_map(|problem| problem.card_id.clone());
        let known: Set<String> = listed.chain(lost.map(ToString::to_string)).collect();
        for (position, (card_id, card)) in seat.card_ids.iter().zip(self.cards).enumerate() {
            let Fate::Nothing { reason } = card.fate else { continue };
            let severity = match reason {
                // the message of the assistant has the call itself
                "call_record" => continue,
                "unreadable" => Severity::Error,
                "repeated" => Severity::Info,
                _ => Severity::Warning,
            };
            if known.contains(card_id) {
                continue;
            }
            let message = format!("card `{card_id}` is not sent to the model: {reason}");
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
