//! A budget: the part of a prompt that fits into a number of tokens.
//!
//! **Messages are dropped in one fixed order; the limit decides how many.** Lower priorities are
//! dropped first, and within a priority the oldest message. A call and its results are dropped
//! together. The system prompt and the query are never dropped. A larger budget therefore never drops
//! a message that a smaller one kept, and no drop is unnecessary.
//!
//! ```
//! use tuckbox::Message;
//! use tuckbox::prompt::budget::{Budget, fit};
//! use tuckbox::prompt::provider::{Options, Prompt, Provider};
//! use tuckbox::prompt::tokens::Estimate;
//!
//! let prompt = Prompt::new(vec![
//!     Message::system("Be brief."),
//!     Message::user("What is the capital of France, and since when?"),
//!     Message::assistant("Paris, since 987, with interruptions."),
//!     Message::user("And before?"),
//! ]);
//! let fitted = fit(&prompt, Provider::OpenaiChat, &Options::default(), &Budget::new(35), &Estimate)?;
//! assert_eq!(fitted.kept, [0, 2, 3]);
//! assert_eq!(fitted.dropped[0].position, 1);
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod order;
mod rule;
#[cfg(test)]
mod tests;

pub use order::Priorities;
pub use rule::FitBudget;

use crate::prompt::provider::{Options, Origin, Prompt, Provider, Trial, draft};
use crate::prompt::tokens::{Account, Counter, TokenCount, account, turns_total};
use crate::value::Map as IndexMap;
use crate::value::limits::within;
use crate::value::message::SharedText;
use crate::{CardId, Error, Path, Result};
use serde::Serialize;
use std::cell::RefCell;

/// The maximum size of a prompt, and the priorities of its messages.
///
/// Shown by the example of [`fit`].
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// The maximum number of tokens, as [`account`] counts them.
    pub limit: u64,
    /// The priorities of layers.
    pub priorities: Priorities,
    /// Other limits for which only [the numbers](Fit) are computed.
    pub also: Vec<u64>,
}

impl Budget {
    /// Returns a budget with the default priorities.
    pub fn new(limit: u64) -> Self {
        Self { limit, priorities: Priorities::default(), also: Vec::new() }
    }
}

/// A prompt within a budget.
///
/// Shown by the example of [`fit`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fitted {
    /// The prompt without the dropped messages.
    pub prompt: Prompt,
    /// The positions of the kept messages in the given prompt.
    pub kept: Vec<usize>,
    /// The dropped messages, in the order of the drops.
    pub dropped: Vec<Dropped>,
    /// The limit.
    pub limit: u64,
    /// The tokens of the messages that are never dropped, including framing, which is always an estimate.
    pub protected_tokens: u64,
    /// The tokens of the kept messages by source.
    pub account: Account,
    /// The numbers for each of the other limits. `None` if the messages that are never dropped do not
    /// fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Option<Fit>>,
}

/// The numbers of the same prompt for another limit. Of two limits, the smaller one drops the same
/// messages as the larger one, and then more.
///
/// Shown by the example of [`fit`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// The limit.
    pub limit: u64,
    /// The number of dropped messages.
    pub dropped: usize,
    /// The tokens of the kept messages.
    pub tokens: u64,
    /// The price of these tokens in dollars, without a cache. `null` if no price is known.
    pub cost: Option<f64>,
}

/// The maximum number of messages times other limits: each limit visits all messages.
const MAX_LIMITS_TIMES_MESSAGES: usize = 40_000;

/// A dropped message.
///
/// Shown by the example of [`fit`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// The position in the given prompt.
    pub position: usize,
    /// The card of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<CardId>,
    /// The layer of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// The tokens of its strings.
    pub tokens: u64,
    /// True if the count is exact.
    pub exact: bool,
    /// The priority.
    pub priority: u64,
    /// The reason.
    pub reason: Reason,
}

/// The reason why a message was dropped.
///
/// Shown by the example of [`fit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The prompt exceeded the limit, and the message was the next in order.
    OverBudget,
    /// It belongs to a dropped message: a call and its results are dropped together.
    WithItsCall {
        /// The first message of the group.
        first: usize,
    },
}

/// Drops messages until a prompt fits into a budget.
///
/// # Errors
/// `limit` if the messages that are never dropped do not fit, or if there are too many other limits;
/// `bad_request` as [`payload`](crate::prompt::provider::payload).
///
/// ```
/// use tuckbox::prompt::budget::{Budget, Reason, fit};
/// use tuckbox::prompt::provider::{Options, Prompt, Provider};
/// use tuckbox::prompt::tokens::Estimate;
/// use tuckbox::{Code, Message};
///
/// let long = "a long story ".repeat(40);
/// let prompt = Prompt::new(vec![Message::system("Be brief."), Message::user(long), Message::user("And?")]);
/// let budget = Budget { also: vec![1_000], ..Budget::new(40) };
/// let fitted = fit(&prompt, Provider::OpenaiChat, &Options::default(), &budget, &Estimate)?;
/// assert_eq!((fitted.kept, fitted.dropped[0].reason.clone()), (vec![0, 2], Reason::OverBudget));
/// assert_eq!(fitted.also[0].as_ref().unwrap().dropped, 0, "1,000 tokens are enough for all of it");
///
/// let error = fit(&prompt, Provider::OpenaiChat, &Options::default(), &Budget::new(1), &Estimate);
/// assert_eq!(error.unwrap_err().code(), Code::Limit);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn fit(
    prompt: &Prompt,
    provider: Provider,
    options: &Options,
    budget: &Budget,
    counter: &dyn Counter,
) -> Result<Fitted> {
    check_also(budget.also.len(), prompt.messages.len())?;
    // conversion errors are not errors of the budget
    let options = Options { strict: false, ..options.clone() };
    let counter = &Recalled { counter, known: RefCell::default() };
    let given = draft(prompt.shown(), provider, &options)?;
    let whole = account(&given, counter);
    // the tokens outside of turns do not depend on the drops
    let fixed = whole.tokens - turns_total(given.turns(), provider, counter);
    let trial = Trial::of(prompt, provider, &options);
    let mut order = order::drop_order(prompt, trial.groups(), &budget.priorities);
    let costs = Costs::of(&whole, prompt.messages.len());
    let ranks = order.ranks(prompt.messages.len());
    let all = order.droppable.len();
    let sums = RefCell::new(vec![None; all + 1]);
    // the search needs only sums, and searches for several limits need the same ones
    let sum = |drops: usize| -> Option<u64> {
        if let Some(&Some(known)) = sums.borrow().get(drops) {
            return known;
        }
        let turns = trial.turns(|at| ranks.get(at).is_none_or(|&rank| rank >= drops));
        let found = turns.map(|turns| fixed + turns_total(&turns, provider, counter));
        if let Some(slot) = sums.borrow_mut().get_mut(drops) {
            *slot = Some(found);
        }
        found
    };

    let least = sum(all).unwrap_or(0);
    let fewest = |limit: u64| {
        search(all, |drops| match drops {
            0 => whole.tokens <= limit,
            _ => sum(drops).is_some_and(|tokens| tokens <= limit),
        })
    };
    let Some(drops) = fewest(budget.limit) else {
        return Err(too_small(budget.limit, least, &order.protected));
    };
    let left = |drops| without(prompt, |at| ranks.get(at).is_some_and(|&rank| rank < drops));
    let counted =
        |prompt: &Prompt| Ok(account(&draft(prompt.shown(), provider, &options)?, counter));
    let fit = |limit: u64| -> Result<Option<Fit>> {
        let Some(drops) = fewest(limit) else { return Ok(None) };
        let tokens = match sum(drops).filter(|_| trial.turns_are_all()) {
            _ if drops == 0 => whole.tokens,
            Some(tokens) => tokens,
            None => counted(&left(drops).0)?.tokens,
        };
        let gone = order.droppable.iter().take(drops);
        let dropped = gone.map(|unit| unit.positions.len()).sum();
        Ok(Some(Fit { limit, dropped, tokens, cost: given.model().input_cost(tokens) }))
    };
    let also = budget.also.iter().map(|&limit| fit(limit)).collect::<Result<_>>()?;
    let (kept_prompt, kept) = left(drops);
    let account = match drops {
        0 => whole,
        _ => counted(&kept_prompt)?,
    };
    order.droppable.truncate(drops);
    Ok(Fitted {
        dropped: order.droppable.iter().flat_map(|unit| dropped(unit, prompt, &costs)).collect(),
        prompt: kept_prompt,
        kept,
        limit: budget.limit,
        protected_tokens: least,
        account,
        also,
    })
}

/// Returns the messages of a unit that is dropped.
fn dropped(unit: &order::Unit, prompt: &Prompt, costs: &Costs) -> impl Iterator<Item = Dropped> {
    unit.positions.iter().enumerate().map(|(index, &position)| {
        let Origin { card_id, layer, .. } = prompt.origin(position);
        let first = unit.positions.first().copied().unwrap_or_default();
        let reason = if index == 0 { Reason::OverBudget } else { Reason::WithItsCall { first } };
        let TokenCount { tokens, exact } = costs.of_message(position);
        Dropped { position, card_id, layer, tokens, exact, priority: unit.priority, reason }
    })
}

/// A counter that counts a string once: the prompts that are tried are nearly equal.
struct Recalled<'a> {
    counter: &'a dyn Counter,
    known: RefCell<IndexMap<String, TokenCount>>,
}

impl Counter for Recalled<'_> {
    fn count(&self, text: &str) -> u64 {
        self.token_count(text).tokens
    }

    fn exact(&self) -> bool {
        self.counter.exact()
    }

    fn token_count(&self, text: &str) -> TokenCount {
        if let Some(count) = self.known.borrow().get(text) {
            return *count;
        }
        let count = self.counter.token_count(text);
        self.known.borrow_mut().insert(text.to_owned(), count);
        count
    }

    fn marks(&self, estimated: u64) -> u64 {
        self.counter.marks(estimated)
    }

    fn recall(&self, words: &SharedText) -> Option<TokenCount> {
        self.counter.recall(words)
    }
}

/// Returns the fewest drops that fit, by binary search. A drop can make a payload longer. The
/// larger of two budgets still never drops more. Both searches visit the same numbers of drops
/// until one of them fits only the larger budget.
fn search(all: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    if fits(0) {
        return Some(0);
    }
    let mut found = None;
    let (mut low, mut high) = (1, all);
    while low < high {
        let middle = low.midpoint(high);
        if fits(middle) {
            found = Some(middle);
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    found.or_else(|| fits(all).then_some(all))
}

/// Refuses too many other limits. The product of limits and messages is bounded.
fn check_also(limits: usize, messages: usize) -> Result<()> {
    let most = MAX_LIMITS_TIMES_MESSAGES / messages.max(1);
    within(limits, most, "also", "the call has {} other limits", &Path::root().key("also"))
}

fn too_small(limit: u64, least: u64, protected: &[usize]) -> Error {
    let message = if protected.is_empty() {
        format!("no part of the prompt fits into a budget of {limit} tokens")
    } else {
        format!(
            "the system prompt, the query and the tools need {least} tokens; the budget is {limit}"
        )
    };
    Error::limit(message)
        .at(Path::root().key("limit"))
        .detail("limit", limit)
        .detail("protected_tokens", least)
        .detail("protected_positions", protected.to_vec())
}

/// Returns the prompt without some messages, and the positions of the others.
fn without(prompt: &Prompt, is_gone: impl Fn(usize) -> bool) -> (Prompt, Vec<usize>) {
    let kept: Vec<usize> = (0..prompt.messages.len()).filter(|&at| !is_gone(at)).collect();
    let messages = kept.iter().filter_map(|&at| prompt.messages.get(at).cloned()).collect();
    let origins = kept.iter().map(|&at| prompt.origin(at)).collect();
    (Prompt { messages, origins, tools: prompt.tools.clone() }, kept)
}

/// The tokens of single messages.
struct Costs(Vec<TokenCount>);

impl Costs {
    fn of(whole: &Account, messages: usize) -> Self {
        let mut costs = vec![TokenCount::ZERO; messages];
        for cost in &whole.messages {
            if let Some(known) = costs.get_mut(cost.position) {
                *known = TokenCount { tokens: cost.tokens, exact: cost.exact };
            }
        }
        Self(costs)
    }

    fn of_message(&self, position: usize) -> TokenCount {
        self.0.get(position).copied().unwrap_or(TokenCount::ZERO)
    }
}
