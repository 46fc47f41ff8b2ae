//! The law of budgets, against the slow way: take one message after the other away until the rest
//! fits.

use crate::law::{Dice, hold};
use crate::provider_rules::Letters;
use tuckbox::Message;
use tuckbox::prompt::budget::{Budget, fit};
use tuckbox::prompt::provider::{Options, Prompt, Provider};

const CASES: u64 = 2_000_000;

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

/// What these messages cost: letters, and what stands around them.
fn cost(prompt: &Prompt, positions: &[usize]) -> u64 {
    let framing = Provider::OpenaiChat.framing();
    let letters = |at: &usize| prompt.messages[*at].content.words().unwrap().chars().count() as u64;
    framing.reply + positions.iter().map(|at| framing.message + letters(at)).sum::<u64>()
}

#[test]
fn a_budget_keeps_what_the_slow_way_keeps() {
    let options = Options::model("some-model");
    hold("a budget keeps what the slow way keeps", CASES, |dice| {
        let prompt = prompt(dice);
        let limit = dice.below(60) as u64;
        let last = prompt.messages.len() - 1;
        let has_system = prompt.messages[0].role.to_json().as_str() == Some("system");
        let mut kept: Vec<usize> = (0..=last).collect();
        let first = usize::from(has_system);
        let mut tokens = cost(&prompt, &kept);
        while tokens > limit && kept.len() > first + 1 {
            // the oldest that may go: not the system prompt, and not the question
            kept.remove(first);
            tokens = cost(&prompt, &kept);
        }
        match fit(&prompt, Provider::OpenaiChat, &options, &Budget::new(limit), &Letters) {
            Ok(fitted) => {
                assert_eq!((&fitted.kept, fitted.account.tokens), (&kept, tokens), "{prompt:?}");
                assert!(tokens <= limit);
            }
            Err(error) => {
                assert_eq!(error.path().to_string(), "limit");
                assert!(tokens > limit, "{prompt:?} fits");
            }
        }
    });
}
