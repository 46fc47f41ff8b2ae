//! Properties of budgets, compared with the slow way: take one message after the other away until the rest
//! fits.

use crate::prompt::provider_rules::Letters;
use crate::property::{Dice, hold};
use tuckbox::Message;
use tuckbox::prompt::budget::{Budget, Fit, fit};
use tuckbox::prompt::provider::{Options, Prompt, Provider};

/// How many limits each prompt is held to: making a prompt and taking it apart is the dear part.
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

/// What these messages cost: letters, and what stands around them.
fn cost(prompt: &Prompt, positions: &[usize]) -> u64 {
    let framing = Provider::OpenaiChat.framing();
    let letters = |at: &usize| prompt.messages[*at].content.words().unwrap().chars().count() as u64;
    framing.reply + positions.iter().map(|at| framing.message + letters(at)).sum::<u64>()
}

/// What the slow way keeps, and what that costs.
fn slow(prompt: &Prompt, limit: u64) -> (Vec<usize>, u64) {
    let has_system = prompt.messages[0].role.to_json().as_str() == Some("system");
    let first = usize::from(has_system);
    let mut kept: Vec<usize> = (0..prompt.messages.len()).collect();
    let mut tokens = cost(prompt, &kept);
    while tokens > limit && kept.len() > first + 1 {
        // the oldest that may go: not the system prompt, and not the question
        kept.remove(first);
        tokens = cost(prompt, &kept);
    }
    (kept, tokens)
}

/// The figures of a limit that is looked at beside another.
fn figures(prompt: &Prompt, limit: u64) -> Option<Fit> {
    let (kept, tokens) = slow(prompt, limit);
    let dropped = prompt.messages.len() - kept.len();
    (tokens <= limit).then_some(Fit { limit, dropped, tokens })
}

#[test]
fn a_budget_keeps_what_the_slow_way_keeps() {
    let options = Options::model("some-model");
    hold("a budget keeps what the slow way keeps", |dice| {
        let prompt = prompt(dice);
        let limits = [(); SHARED].map(|()| dice.below(60) as u64);
        for (at, &limit) in limits.iter().enumerate() {
            let budget = Budget { also: limits[at + 1..].to_vec(), ..Budget::new(limit) };
            let (kept, tokens) = slow(&prompt, limit);
            match fit(&prompt, Provider::OpenaiChat, &options, &budget, &Letters) {
                Ok(fitted) => {
                    let found = (&fitted.kept, fitted.account.tokens);
                    assert_eq!(found, (&kept, tokens), "{limit} of {prompt:?}");
                    assert!(tokens <= limit);
                    let also: Vec<_> =
                        budget.also.iter().map(|&limit| figures(&prompt, limit)).collect();
                    assert_eq!(fitted.also, also, "{prompt:?}");
                    break;
                }
                // the others are asked for themselves
                Err(error) => {
                    assert_eq!(error.path().to_string(), "limit");
                    assert!(tokens > limit, "{limit}: {prompt:?} fits");
                }
            }
        }
        limits.len()
    });
}
