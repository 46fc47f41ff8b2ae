//! Property test of budgets. The naive algorithm drops one message after the other until the rest
//! fits.

use crate::prompt::provider_rules::Characters;
use crate::property::{Dice, hold};
use tuckbox::Message;
use tuckbox::prompt::budget::{Budget, Fit, fit};
use tuckbox::prompt::provider::{Options, Prompt, Provider};

/// The number of limits for each prompt. Creating a prompt takes longer than fitting it.
const SHARED: usize = 8;

const WORDS: [&str; 6] =
    ["go", "see the otters", "请假", "again, tomorrow", "x", "quickly and well"];

fn prompt(dice: &mut Dice) -> Prompt {
    let mut messages = dice.fewer(5, |dice| {
        let words = dice.pick(&WORDS);
        if dice.percent(50) { Message::user(words) } else { Message::assistant(words) }
    });
    messages.push(Message::user(dice.pick(&WORDS)));
    if dice.percent(50) {
        messages.insert(0, Message::system(dice.pick(&WORDS)));
    }
    Prompt::new(messages)
}

/// Returns the cost of these messages: their characters and the framing.
fn cost(prompt: &Prompt, positions: &[usize]) -> u64 {
    let framing = Provider::OpenaiChat.framing();
    let letters = |at: &usize| prompt.messages[*at].content.words().unwrap().chars().count() as u64;
    framing.reply + positions.iter().map(|at| framing.message + letters(at)).sum::<u64>()
}

/// Returns the positions that the naive algorithm keeps, and their cost.
fn naive(prompt: &Prompt, limit: u64) -> (Vec<usize>, u64) {
    let has_system = prompt.messages[0].role.to_json().as_str() == Some("system");
    let first = usize::from(has_system);
    let mut kept: Vec<usize> = (0..prompt.messages.len()).collect();
    let mut tokens = cost(prompt, &kept);
    while tokens > limit && kept.len() > first + 1 {
        // drops the oldest message that is neither the system prompt nor the question
        kept.remove(first);
        tokens = cost(prompt, &kept);
    }
    (kept, tokens)
}

/// Returns the expected result of an additional limit.
fn expected_fit(prompt: &Prompt, limit: u64) -> Option<Fit> {
    let (kept, tokens) = naive(prompt, limit);
    let dropped = prompt.messages.len() - kept.len();
    (tokens <= limit).then_some(Fit { limit, dropped, tokens, cost: None })
}

#[test]
fn a_budget_keeps_what_the_naive_algorithm_keeps() {
    let options = Options::model("some-model");
    hold("a budget keeps what the naive algorithm keeps", |dice| {
        let prompt = prompt(dice);
        let limits = [(); SHARED].map(|()| dice.below(60) as u64);
        for (at, &limit) in limits.iter().enumerate() {
            let budget = Budget { also: limits[at + 1..].to_vec(), ..Budget::new(limit) };
            let (kept, tokens) = naive(&prompt, limit);
            match fit(&prompt, Provider::OpenaiChat, &options, &budget, &Characters) {
                Ok(fitted) => {
                    let found = (&fitted.kept, fitted.account.tokens);
                    assert_eq!(found, (&kept, tokens), "{limit} of {prompt:?}");
                    assert!(tokens <= limit);
                    let also: Vec<_> =
                        budget.also.iter().map(|&limit| expected_fit(&prompt, limit)).collect();
                    assert_eq!(fitted.also, also, "{prompt:?}");
                    break;
                }
                // the next iteration checks the other limits
                Err(error) => {
                    assert_eq!(error.path().to_string(), "limit");
                    assert!(tokens > limit, "{limit}: {prompt:?} fits");
                }
            }
        }
        limits.len()
    });
}
