//! The laws of payloads, token accounts and budgets, over random prompts.
//!
//! What a provider takes and what a body costs is written down a second time in `provider_rules`,
//! without a line of the core.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    reason = "a failing law should panic"
)]

mod payload_world;
mod provider_rules;

use payload_world::Dice;
use provider_rules::{Letters, called, said, walked, written};
use tuckbox::prompt::budget::{Budget, Dropped, Fitted, Reason, fit};
use tuckbox::prompt::provider::{Change, Options, Payload, Prompt, Provider, payload};
use tuckbox::prompt::tokens::{Account, Part, account};
use tuckbox::value::json::Json;
use tuckbox::value::message::{Content, Message};

const CASES: u64 = 50_000;

/// Holds a law against many prompts, each for one provider after the other; a broken one is shown
/// with its number. The law says whether there was something to hold it against.
fn hold(law: impl Fn(&mut Dice, &Prompt, Provider) -> bool) {
    let mut held = 0;
    for case in 0.. {
        let mut dice = Dice::of(case);
        let prompt = dice.prompt();
        let provider = Provider::ALL[(case % 5) as usize];
        let law = std::panic::AssertUnwindSafe(|| law(&mut dice, &prompt, provider));
        match std::panic::catch_unwind(law) {
            Ok(counts) => held += u64::from(counts),
            Err(_) => {
                let prompt = tuckbox::value::json::to_json(&prompt).unwrap();
                panic!("case {case}, {provider:?}: {prompt}");
            }
        }
        if held == CASES {
            return;
        }
        assert!(case < 2 * CASES, "most prompts should have a payload");
    }
}

/// A payload; nothing for a prompt in which nobody says anything.
fn made(prompt: &Prompt, provider: Provider) -> Option<Payload> {
    match payload(prompt, provider, &Options::default()) {
        Ok(payload) => Some(payload),
        Err(error) => {
            assert_eq!(error.path().to_string(), "messages");
            None
        }
    }
}

/// The texts of a message, each by itself.
fn texts(message: &Message) -> Vec<&str> {
    match &message.content {
        Content::Text(text) => vec![text],
        Content::Parts(parts) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect()
        }
        Content::Absent | Content::Null => Vec::new(),
    }
}

#[test]
fn a_payload_is_legal_its_changes_are_told_and_its_tokens_are_each_in_one_bucket() {
    hold(|dice, prompt, provider| {
        let Some(payload) = made(prompt, provider) else { return false };
        let body = payload.body();
        assert_eq!(provider_rules::check(provider, &body), Ok(()));
        let account = account(&payload, &Letters);
        sums(&account);
        if provider != Provider::Neutral {
            assert_eq!(walked(provider, &body), account.tokens, "{body}");
            tells(prompt, &payload, &body);
        }
        if dice.roll(2) == 0 {
            refuses(prompt, &payload);
        }
        true
    });
}

/// Every bucket is in the sum once, and every message in one bucket.
fn sums(account: &Account) {
    let buckets: u64 = account.buckets.iter().map(|bucket| bucket.tokens).sum();
    assert_eq!(buckets, account.tokens);
    let mut positions: Vec<_> =
        account.buckets.iter().flat_map(|bucket| &bucket.positions).collect();
    positions.sort_unstable();
    let costs: Vec<_> = account.messages.iter().map(|cost| &cost.position).collect();
    assert_eq!(positions, costs);
    let of = |part: &Part| {
        let bucket = account.buckets.iter().find(|bucket| bucket.part == *part);
        bucket.map_or(0, |bucket| bucket.tokens)
    };
    let messages: u64 = account.messages.iter().map(|cost| cost.tokens).sum();
    assert_eq!(messages + of(&Part::Tools) + of(&Part::Framing), account.tokens);
    assert_eq!(account.exact, account.buckets.iter().all(|bucket| bucket.exact));
}

/// What the report leaves unsaid did not happen.
fn tells(prompt: &Prompt, payload: &Payload, body: &Json) {
    let said = said(payload.provider(), body);
    let called = called(payload.provider(), body);
    for loss in payload.losses() {
        assert!(!loss.reason.is_empty());
        match (loss.position, loss.tool) {
            (Some(position), None) => {
                assert!(position < prompt.messages.len());
                let origin = prompt.origin(position);
                assert_eq!((&loss.card_id, &loss.layer), (&origin.card_id, &origin.layer));
            }
            (None, Some(tool)) => assert!(tool < prompt.tools.len()),
            (None, None) => assert!([Change::UserAdded, Change::LimitAdded].contains(&loss.code)),
            (Some(_), Some(_)) => panic!("a message or a tool: {loss:?}"),
        }
    }
    let told = |position| payload.losses().iter().any(|loss| loss.position == Some(position));
    for (position, message) in prompt.messages.iter().enumerate().filter(|(at, _)| !told(*at)) {
        let mut words = texts(message).into_iter();
        assert!(words.all(|words| said.iter().any(|said| said == words)), "{position}");
        for call in message.tool_calls.iter().flatten() {
            let text =
                |key: &str| call.get("function").unwrap().get(key).unwrap().as_str().unwrap();
            let made = (text("name").to_owned(), written(text("arguments")));
            assert!(called.contains(&made), "{position}: {call}");
        }
    }
    // words stay words of the same speakers in the same order
    let names = |message: &Message| {
        let known = payload.provider() == Provider::OpenaiChat;
        message.name.clone().filter(|_| known).into_iter().collect::<Vec<_>>()
    };
    if payload.losses().iter().all(|loss| !loss.lossy && loss.code != Change::EmptyDropped) {
        let given = prompt.messages.iter().flat_map(|message| {
            names(message).into_iter().chain(texts(message).into_iter().map(str::to_owned))
        });
        assert_eq!(given.collect::<Vec<_>>(), said);
    }
}

/// A strict payload is the prompt as it stands, or an error that names every change.
fn refuses(prompt: &Prompt, free: &Payload) {
    let strict = Options { strict: true, ..Options::default() };
    let lossy = free.losses().iter().filter(|loss| loss.lossy).count();
    match payload(prompt, free.provider(), &strict) {
        Ok(strict) => assert!(lossy == 0 && strict.body() == free.body()),
        Err(error) => {
            let named = error.details().get("losses").and_then(Json::as_array).unwrap().len();
            assert!(lossy > 0 && named == lossy);
        }
    }
}

#[test]
fn a_larger_budget_never_drops_what_a_smaller_one_kept() {
    hold(|dice, prompt, provider| {
        let Some(whole) = made(prompt, provider) else { return false };
        let whole = account(&whole, &Letters).tokens;
        let small = whole * dice.roll(110) as u64 / 100;
        let large = small + whole * (dice.roll(60) as u64 + 1) / 100;
        let fitted =
            |limit| fit(prompt, provider, &Options::default(), &Budget::new(limit), &Letters);
        let (less, more) = (fitted(small), fitted(large));
        if let Ok(less) = &less {
            let more = more.as_ref().unwrap();
            assert!(less.kept.iter().all(|position| more.kept.contains(position)));
            // the larger one stops earlier in the same order
            let order = |fit: &Fitted| fit.dropped.iter().map(|dropped| dropped.position).collect();
            let (all, earlier): (Vec<_>, Vec<_>) = (order(less), order(more));
            assert!(all.starts_with(&earlier));
        }
        if dice.roll(8) == 0 {
            assert_eq!(less, fitted(small));
        }
        let check = dice.roll(2) == 0;
        for (fit, limit) in [(less, small), (more, large)] {
            match fit {
                Ok(fit) => {
                    fits(prompt, &fit, limit, whole);
                    if check {
                        needed(prompt, provider, &fit);
                    }
                }
                Err(error) => {
                    assert!(limit < whole);
                    assert_eq!(error.path().to_string(), "limit");
                }
            }
        }
        true
    });
}

/// Nothing is lost, the sum is kept, and what is protected stays.
fn fits(prompt: &Prompt, fit: &Fitted, limit: u64, whole: u64) {
    assert!(fit.account.tokens <= limit);
    assert!(limit < whole || fit.dropped.is_empty());
    sums(&fit.account);
    let dropped = fit.dropped.iter().map(|dropped| dropped.position);
    let mut all: Vec<_> = fit.kept.iter().copied().chain(dropped).collect();
    all.sort_unstable();
    assert_eq!(all, (0..prompt.messages.len()).collect::<Vec<_>>());
    for (position, kept) in fit.kept.iter().zip(&fit.prompt.messages) {
        assert_eq!(kept, &prompt.messages[*position]);
    }
    let asked = prompt.origins.iter().position(|origin| origin.is_query);
    let query = asked.or_else(|| {
        let human = |message: &Message| is(message, ["user", "human"]);
        prompt.messages.iter().rposition(human)
    });
    for dropped in &fit.dropped {
        let origin = prompt.origin(dropped.position);
        assert!(!origin.protected && origin.layer.as_deref() != Some("system_prompt"));
        assert!(Some(dropped.position) != query);
        let first = is(&prompt.messages[0], ["system", "developer"]);
        assert!(dropped.position > 0 || origin.layer.is_some() || !first);
        assert_eq!((&dropped.card_id, &dropped.layer), (&origin.card_id, &origin.layer));
        if let Reason::WithItsCall { first } = dropped.reason {
            assert!(first < dropped.position && !fit.kept.contains(&first));
        }
    }
    for (call, result) in pairs(prompt) {
        assert_eq!(fit.kept.contains(&call), fit.kept.contains(&result), "{call} and {result}");
    }
}

/// The last drop was needed: with what it took back in its place, the prompt is over the limit.
fn needed(prompt: &Prompt, provider: Provider, fit: &Fitted) {
    let Some(last) = fit.dropped.last() else { return };
    let first = |dropped: &Dropped| match dropped.reason {
        Reason::WithItsCall { first } => first,
        Reason::OverBudget => dropped.position,
    };
    let back = fit.dropped.iter().filter(|dropped| first(dropped) == first(last));
    let mut positions = fit.kept.clone();
    positions.extend(back.map(|dropped| dropped.position));
    positions.sort_unstable();
    let more = Prompt {
        messages: positions.iter().map(|at| prompt.messages[*at].clone()).collect(),
        origins: positions.iter().map(|at| prompt.origin(*at)).collect(),
        tools: prompt.tools.clone(),
    };
    let more = made(&more, provider).map(|payload| account(&payload, &Letters).tokens);
    assert!(more.is_none_or(|tokens| tokens > fit.limit), "{more:?} would fit");
}

fn is(message: &Message, roles: [&str; 2]) -> bool {
    message.role.to_json().as_str().is_some_and(|role| roles.contains(&role))
}

/// Every call and the message that answers it: the nearest call before it that has its id and no
/// result yet.
fn pairs(prompt: &Prompt) -> Vec<(usize, usize)> {
    let mut open: Vec<(&str, usize)> = Vec::new();
    let mut pairs = Vec::new();
    for (position, message) in prompt.messages.iter().enumerate() {
        let calls = message.tool_calls.as_deref().unwrap_or_default();
        for call in calls.iter().filter(|call| call.get("function").is_some()) {
            open.push((call.get("id").and_then(Json::as_str).unwrap(), position));
        }
        let answered =
            message.tool_call_id.as_deref().filter(|id| calls.is_empty() && !id.is_empty());
        if let Some(at) = open.iter().rposition(|(id, _)| answered == Some(*id)) {
            pairs.push((open.remove(at).1, position));
        }
    }
    pairs
}
