//! Property tests of payloads, token accounts and budgets with random prompts.
//!
//! `provider_rules` computes the rules of providers and the cost of a body without code of the
//! core.
use crate::prompt::provider_rules::{Characters, called, said, walked, written};
use crate::prompt::world::Dice;
use crate::property;
use std::cell::Cell;
use tuckbox::agents::Setup;
use tuckbox::prompt::budget::{Budget, Dropped, Fit, Fitted, Reason, fit};
use tuckbox::prompt::provider::{
    Change, Options, Payload, Prompt, Provider, ResidentBody, payload,
};
use tuckbox::prompt::tokens::{Account, BucketKind, account};
use tuckbox::value::json::{Field, Json, to_json};
use tuckbox::value::message::{Content, Message};

/// Checks a property with many prompts, each for a random provider.
fn hold<H: property::CaseCount>(
    property: &str,
    holds: impl Fn(&mut Dice<'_>, &Prompt, Provider) -> H,
) {
    property::hold(property, |dice| {
        let provider = Provider::ALL[dice.below(Provider::ALL.len())];
        let dice = &mut Dice::new(dice);
        let prompt = dice.prompt();
        holds(dice, &prompt, provider)
    });
}

/// Returns a payload, or nothing for a prompt without content.
fn made(prompt: &Prompt, provider: Provider, options: &Options) -> Option<Payload> {
    match payload(prompt, provider, options) {
        Ok(payload) => Some(payload),
        Err(error) => {
            let path = error.path().to_string();
            assert!(["messages", "tool_choice"].contains(&path.as_str()), "{error}");
            None
        }
    }
}

fn plain() -> Options {
    Options::model("some-model")
}

/// Returns the unique words of a value.
fn marks(value: &Json) -> Vec<String> {
    let text = value.to_string();
    let after = text.split("zq").skip(1);
    after.map(|rest| format!("zq{}x", rest.split('x').next().unwrap())).collect()
}

/// Returns the texts of a message.
fn texts(message: &Message) -> Vec<&str> {
    let mut texts: Vec<&str> = match &message.content {
        Content::Text(text) => vec![text],
        Content::Parts(parts) => {
            let said = |part| Json::get(part, "text").or_else(|| Json::get(part, "refusal"));
            parts.iter().filter_map(|part| said(part)?.as_str()).collect()
        }
        Content::Absent | Content::Null => Vec::new(),
    };
    texts.extend(message.extra.get("refusal").and_then(Json::as_str));
    texts
}

#[test]
fn a_payload_is_legal_reports_its_changes_and_counts_each_token_once() {
    let property = "a payload is legal, reports its changes and counts each token once";
    hold(property, |dice, prompt, provider| {
        let options = dice.options();
        let Some(payload) = made(prompt, provider, &options) else { return false };
        let body = payload.body();
        assert_eq!(crate::prompt::provider_rules::check(provider, &body), Ok(()));
        let account = account(&payload, &Characters);
        sums(&account);
        if provider != Provider::Neutral {
            reports_missing_words(prompt, &payload, &body);
        }
        if WALKED.contains(&provider) {
            assert_eq!(walked(provider, &body), account.tokens, "{body}");
            reports_all_changes(prompt, &payload, &body);
        }
        if dice.roll(2) == 0 {
            strict_refuses_losses(prompt, &payload, &options);
        }
        true
    });
}

/// Checks that the buckets add up, and that every message is in one bucket.
fn sums(account: &Account) {
    let buckets: u64 = account.buckets.iter().map(|bucket| bucket.tokens).sum();
    assert_eq!(buckets, account.tokens);
    let mut positions: Vec<_> =
        account.buckets.iter().flat_map(|bucket| &bucket.positions).collect();
    positions.sort_unstable();
    let costs: Vec<_> = account.messages.iter().map(|cost| &cost.position).collect();
    assert_eq!(positions, costs);
    let of = |kind: &BucketKind| {
        let bucket = account.buckets.iter().find(|bucket| bucket.kind == *kind);
        bucket.map_or(0, |bucket| bucket.tokens)
    };
    let messages: u64 = account.messages.iter().map(|cost| cost.tokens).sum();
    assert_eq!(messages + of(&BucketKind::Tools) + of(&BucketKind::Framing), account.tokens);
    assert_eq!(account.exact, account.buckets.iter().all(|bucket| bucket.exact));
}

/// The providers whose bodies the independent counter supports.
const WALKED: [Provider; 4] =
    [Provider::OpenaiChat, Provider::OpenaiResponses, Provider::Anthropic, Provider::Gemini];

/// Checks that each unique word of the prompt is in the body, or that the payload reports a loss.
fn reports_missing_words(prompt: &Prompt, payload: &Payload, body: &Json) {
    let whole = body.to_string();
    let is_reported =
        |position| payload.losses().iter().any(|loss| loss.position == Some(position));
    for (position, message) in prompt.messages.iter().enumerate() {
        let message = tuckbox::value::json::to_json(message).unwrap();
        for mark in marks(&message) {
            assert!(
                whole.contains(&mark) || is_reported(position),
                "`{mark}` of {position}: {whole}"
            );
        }
    }
    for (index, tool) in prompt.tools.iter().enumerate() {
        for mark in marks(&Json::Object(tool.clone())) {
            let reported = payload.losses().iter().any(|loss| loss.tool == Some(index));
            assert!(whole.contains(&mark) || reported, "`{mark}` of the tool {index}: {whole}");
        }
    }
}

/// Checks that the payload changes nothing besides the reported losses.
fn reports_all_changes(prompt: &Prompt, payload: &Payload, body: &Json) {
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
            (None, None) => {
                let whole = [
                    Change::UserAdded,
                    Change::LimitAdded,
                    Change::OptionDropped,
                    Change::OptionRewritten,
                    Change::AssistantAdded,
                ];
                assert!(whole.contains(&loss.code), "{loss:?}");
            }
            (Some(_), Some(_)) => panic!("a loss names a message and a tool: {loss:?}"),
        }
    }
    let reported = |position| payload.losses().iter().any(|loss| loss.position == Some(position));
    for (position, message) in prompt.messages.iter().enumerate().filter(|(at, _)| !reported(*at)) {
        let mut words = texts(message).into_iter();
        assert!(words.all(|words| said.iter().any(|said| said == words)), "{position}");
        for call in message.tool_calls.iter().flatten() {
            let text =
                |key: &str| call.get("function").unwrap().get(key).unwrap().as_str().unwrap();
            let made = (text("name").to_owned(), written(text("arguments")));
            assert!(called.contains(&made), "{position}: {call}");
        }
    }
    // without a lossy change, all texts are kept in order
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

/// Checks that a strict payload equals the usual one, or is an error that names every lossy change.
fn strict_refuses_losses(prompt: &Prompt, free: &Payload, options: &Options) {
    let strict = Options { strict: true, ..options.clone() };
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
fn additional_limits_have_the_same_result_as_single_limits() {
    hold("additional limits have the same result as single limits", |dice, prompt, provider| {
        let Some(whole) = made(prompt, provider, &plain()) else { return 0 };
        let whole = account(&whole, &Characters).tokens;
        let also: Vec<u64> = (0..4).map(|_| whole * dice.roll(110) as u64 / 100).collect();
        let budget = Budget { also: also.clone(), ..Budget::new(whole) };
        let together = fit(prompt, provider, &plain(), &budget, &Characters).unwrap().also;
        for (limit, found) in also.into_iter().zip(together) {
            let alone = fit(prompt, provider, &plain(), &Budget::new(limit), &Characters).ok();
            let fit_of = |alone: Fitted| Fit {
                limit,
                dropped: alone.dropped.len(),
                tokens: alone.account.tokens,
                cost: alone.account.cost,
            };
            assert_eq!(found, alone.map(fit_of));
        }
        budget.also.len()
    });
}

/// The number of limits for each prompt. Each pair of limits is a case.
const LIMITS: usize = 5;

#[test]
fn a_larger_budget_never_drops_what_a_smaller_one_kept() {
    hold("a larger budget never drops what a smaller one kept", |dice, prompt, provider| {
        // Bedrock needs tool definitions for calls, so the cost does not depend on messages alone
        if provider == Provider::Bedrock {
            return 0;
        }
        let Some(whole) = made(prompt, provider, &plain()) else { return 0 };
        let whole = account(&whole, &Characters).tokens;
        let mut limits: Vec<u64> =
            (0..LIMITS).map(|_| whole * dice.roll(140) as u64 / 100).collect();
        limits.sort_unstable();
        limits.dedup();
        let fitted = |limit| fit(prompt, provider, &plain(), &Budget::new(limit), &Characters);
        let fits_of: Vec<_> = limits.iter().map(|limit| (*limit, fitted(*limit))).collect();
        let order =
            |fit: &Fitted| -> Vec<_> { fit.dropped.iter().map(|one| one.position).collect() };
        let mut pairs = 0;
        for (at, (_, less)) in fits_of.iter().enumerate() {
            for (_, more) in &fits_of[at + 1..] {
                pairs += 1;
                let Ok(less) = less else { continue };
                let more = more.as_ref().unwrap();
                assert!(less.kept.iter().all(|position| more.kept.contains(position)));
                // a larger budget stops earlier in the same order
                assert!(order(less).starts_with(&order(more)));
            }
        }
        if dice.roll(8) == 0 {
            assert_eq!(fits_of[0].1, fitted(limits[0]));
        }
        let check = dice.roll(2) == 0;
        for (limit, fit) in fits_of {
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
        pairs
    });
}

/// Checks that no message is lost, the sums are right, and protected messages stay.
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

/// Checks that the last drop is necessary: without it, the prompt exceeds the limit.
fn needed(prompt: &Prompt, provider: Provider, fit: &Fitted) {
    let Some(last) = fit.dropped.last() else { return };
    let first = |dropped: &Dropped| match dropped.reason {
        Reason::WithItsCall { first } => first,
        _ => dropped.position,
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
    let more = made(&more, provider, &plain()).map(|payload| account(&payload, &Characters).tokens);
    assert!(more.is_none_or(|tokens| tokens > fit.limit), "{more:?} would fit");
}

fn is(message: &Message, roles: [&str; 2]) -> bool {
    message.role.to_json().as_str().is_some_and(|role| roles.contains(&role))
}

/// Returns the pairs of a call and the message that answers it. Only ids that occur once as a call
/// and once as a result count. Parts that call or answer override the `tool_call_id` of their
/// message.
fn pairs(prompt: &Prompt) -> Vec<(usize, usize)> {
    let written = |message: &Message| tuckbox::value::json::to_json(message).unwrap().to_string();
    let all: String = prompt.messages.iter().map(written).collect();
    let mut pairs = Vec::new();
    for (position, message) in prompt.messages.iter().enumerate() {
        for id in message.tool_calls.iter().flatten().filter_map(|call| call.get("id")?.as_str()) {
            if id.is_empty() || all.matches(&format!("\"{id}\"")).count() != 2 {
                continue;
            }
            let answers = |(_, message): &(usize, &Message)| {
                let calls = message.tool_calls.as_deref().unwrap_or_default();
                let parts = ["\"tool_use\"", "\"tool_result\""];
                let has_parts = parts.iter().any(|part| written(message).contains(part));
                message.tool_call_id.as_deref() == Some(id) && calls.is_empty() && !has_parts
            };
            let later = prompt.messages.iter().enumerate().skip(position + 1);
            if let Some((answer, _)) = later.clone().find(answers) {
                pairs.push((position, answer));
            }
        }
    }
    pairs
}

/// Returns the next messages of a conversation: mostly those of a usual loop.
fn grown(dice: &mut Dice<'_>, at: usize) -> Vec<Json> {
    let texts = ["words", "words", "a \"b\" é\n", "", " ", r#"{"error": "no"}"#];
    let mut said = |role: &str| {
        let text = texts[dice.roll(texts.len())];
        Json::from([("role", role), ("content", text)])
    };
    let (user, system, assistant) = (said("user"), said("system"), said("assistant"));
    let long = "c".repeat(50);
    let id = |dice: &mut Dice<'_>, index: usize| match dice.roll(30) {
        0 => "same".to_owned(),
        1 => long.clone(),
        2 => String::new(),
        3 => "a b".to_owned(),
        // Mistral takes ids of 9 letters and digits
        _ => format!("c{:08}", at * 10 + index),
    };
    match dice.roll(12) {
        0 => vec![user],
        1 | 2 => vec![assistant, user],
        3 => vec![assistant],
        4 if dice.roll(3) == 0 => vec![system],
        5 if dice.roll(3) == 0 => vec![user, system, assistant],
        _ => {
            let ids: Vec<String> = (0..1 + dice.roll(3)).map(|index| id(dice, index)).collect();
            let call = |id: &String| {
                let function = Json::from([("name", "weather"), ("arguments", r#"{"a":1}"#)]);
                let (id, kind) = (Json::from(id.as_str()), Json::from("function"));
                Json::from([("id", id), ("type", kind), ("function", function)])
            };
            let calls: Json = ids.iter().map(call).collect();
            let Json::Object(mut message) = assistant else { unreachable!() };
            message.insert("tool_calls".into(), calls);
            let mut results: Vec<Json> = ids
                .iter()
                .map(|id| Json::from([("role", "tool"), ("tool_call_id", id), ("content", "x")]))
                .collect();
            match dice.roll(12) {
                0 => results.reverse(),
                1 => drop(results.pop()),
                2 => results.push(user),
                _ => {}
            }
            std::iter::once(Json::Object(message)).chain(results).collect()
        }
    }
}

#[test]
fn a_resident_body_has_the_text_and_the_changes_of_the_whole_payload() {
    let (appended, continued) = (Cell::new(0), Cell::new(0));
    let property = "a resident body equals the payload of all its messages";
    hold(property, |dice, prompt, provider| {
        let options = if dice.roll(3) == 0 { dice.options() } else { plain() };
        let tools = if dice.roll(2) == 0 { prompt.tools.clone() } else { Vec::new() };
        let setup = Setup::default();
        let resident = ResidentBody::new(provider, tools.clone(), options.clone(), &setup);
        let mut body = resident.expect("the options name a model");
        let mut given = Prompt { tools, ..Prompt::new(Vec::new()) };
        let (mut head, mut items, mut end) = (String::new(), String::new(), String::new());
        let mut losses = Vec::new();
        for _ in 0..1 + dice.roll(8) {
            let new = match dice.roll(8) {
                0 => prompt.messages.iter().take(2).map(|one| to_json(one).unwrap()).collect(),
                _ => grown(dice, given.messages.len()),
            };
            let read = |message: &Json| Message::from_json(&Field::root(message)).unwrap();
            given.messages.extend(new.iter().map(read));
            let change = body.append(&Json::from(new).to_string());
            let (expected, change) = match (payload(&given, provider, &options), change) {
                (Ok(expected), Ok(change)) => (expected, change),
                (Err(expected), Err(found)) => {
                    assert_eq!(found.to_string(), expected.to_string());
                    return true;
                }
                (expected, found) => panic!("{expected:?}, {found:?}"),
            };
            appended.set(appended.get() + 1);
            match change.head {
                Some(new) => (head, items) = (new, change.items),
                None => {
                    continued.set(continued.get() + 1);
                    items += &change.items;
                }
            }
            end = change.end.unwrap_or(end);
            losses = change.losses.unwrap_or(losses);
            assert_eq!(format!("{head}{items}{end}"), expected.body().to_string(), "{provider:?}");
            assert_eq!(losses, expected.losses(), "{provider:?}");
        }
        true
    });
    // often enough, only new messages are written
    let (continued, appended) = (continued.get(), appended.get());
    assert!(continued * 8 > appended, "{continued} of {appended}");
}
