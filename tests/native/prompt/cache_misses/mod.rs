//! Planted misses: a session of two or more requests has one known cause, in each of four APIs.
//!
//! A case has a kind, an API and a seed. `explain_cache` must find the cause or answer `unknown`. A
//! wrong cause is an error.

mod bad_input;
mod compactions;
mod kinds;
mod orders;
mod sessions;
mod talk;
mod text;

use crate::property::{Dice, times};
use kinds::{KINDS, Planted};
use talk::{Api, Marks, Said, Sent, Talk};
use tuckbox::prompt::cache::{CacheExplanation, Cause, ExplainCache, Region};
use tuckbox::rule::{Rule, Step};
use tuckbox::value::json::{Json, to_json};
use tuckbox::{Env, Error, Snapshot, Timestamp, json};

fn explain(provider: &str, requests: Vec<Json>) -> Result<CacheExplanation, Error> {
    let arguments = json!({"provider": provider, "requests": Json::Array(requests)});
    let call = ExplainCache::from_json(&arguments)?;
    let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env)? else {
        panic!("the call reads")
    };
    let read = text::explained(&arguments.to_string());
    assert_eq!(read, Some(to_json(&*done.value)?), "the text of the call gives another answer");
    Ok((*done.value).clone())
}

fn explain_all(api: Api, sent: &[Sent]) -> CacheExplanation {
    explain(api.name(), sent.iter().map(|sent| sent.json(api)).collect()).unwrap()
}

fn two(api: Api, first: Talk, second: Talk) -> CacheExplanation {
    explain_all(api, &[Sent::new(first, 0), Sent::new(second, 60)])
}

#[test]
fn planted_misses_are_named_by_region_and_cause() {
    let (mut cases, mut right) = (0, 0);
    let mut wrong = Vec::new();
    for api in Api::ALL {
        let own = KINDS.iter().filter(|kind| (kind.plant)(api, &mut Dice::of(0)).is_some()).count();
        assert!(own >= 20, "{} has {own} kinds", api.name());
    }
    for seed in 0..times(1, 60) {
        for api in Api::ALL {
            for kind in KINDS {
                let mut dice = Dice::of(seed * 7_919 + 11);
                let Some(Planted { sent, cause, region }) = (kind.plant)(api, &mut dice) else {
                    continue;
                };
                let answer = explain_all(api, &sent);
                let last = answer.requests.last().unwrap();
                cases += 1;
                if last.cause == cause && last.region == region {
                    right += 1;
                } else if last.cause != Cause::Unknown {
                    let found = format!(
                        "{:?}, {:?} for {cause:?}: {:?}",
                        last.cause, last.region, last.reason
                    );
                    wrong.push(format!("{} on {}, seed {seed}: {found}", kind.name, api.name()));
                }
                for request in &answer.requests {
                    let text = to_json(request).unwrap();
                    assert!(
                        text.get("ttl").is_some() && text.get("price").is_some(),
                        "{}",
                        kind.name
                    );
                    assert_eq!(
                        text.get("price").unwrap().get("checked").and_then(Json::as_str),
                        Some("2026-11-17")
                    );
                    if let Some(recorded) = request.recorded {
                        let expected = request.expected;
                        assert_eq!(
                            expected.read + expected.write + expected.fresh,
                            recorded.total(),
                            "{}",
                            kind.name
                        );
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong causes in {cases} cases:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(right * 100 >= cases * 95, "{right} of {cases}");
}

#[test]
fn sure_is_set_only_for_documented_rules() {
    let mut dice = Dice::of(1);
    let talk = Talk::new(Api::Gemini, &mut dice);
    let mut other = talk.next(&mut dice);
    other.system.insert_str(0, "New. ");
    let answer = two(Api::Gemini, talk.clone(), other);
    assert_eq!((answer.requests[1].cause, answer.requests[1].sure), (Cause::SystemChanged, false));
    let talk = Talk::new(Api::Anthropic, &mut dice);
    let answer = two(Api::Anthropic, talk.clone(), talk.next(&mut dice));
    assert_eq!((answer.requests[1].cause, answer.requests[1].sure), (Cause::Appended, true));
    let talk = Talk::new(Api::Chat, &mut dice);
    let answer = two(Api::Chat, talk.clone(), talk.next(&mut dice));
    assert_eq!((answer.requests[1].cause, answer.requests[1].sure), (Cause::Appended, false));
}

#[test]
fn the_expected_read_uses_the_usage_of_the_previous_request() {
    let mut dice = Dice::of(2);
    let talk = Talk::new(Api::Anthropic, &mut dice);
    let mut sent = vec![Sent::new(talk.clone(), 0), Sent::new(talk.next(&mut dice), 60)];
    sent[0].usage = Some([0, 12_700, 3]);
    sent[1].usage = Some([12_700, 90, 3]);
    let second = &explain_all(Api::Anthropic, &sent).requests[1];
    assert_eq!((second.cause, second.sure, second.lost_tokens), (Cause::Appended, true, 0));
    let expected = second.expected;
    assert_eq!((expected.read, expected.read + expected.write + expected.fresh), (12_700, 12_793));
    assert_eq!(second.price.read, Some(0.05));
}

#[test]
fn a_partial_miss_is_an_unexplained_miss() {
    let mut dice = Dice::of(3);
    let talk = Talk::new(Api::Anthropic, &mut dice);
    let mut sent = vec![Sent::new(talk.clone(), 0), Sent::new(talk.next(&mut dice), 60)];
    sent[0].usage = Some([0, 12_700, 3]);
    sent[1].usage = Some([9_000, 3_790, 3]);
    let second = &explain_all(Api::Anthropic, &sent).requests[1];
    assert_eq!((second.cause, second.lost_tokens), (Cause::UnexplainedMiss, 3_700));
}

#[test]
fn several_causes_have_the_order_of_the_provider() {
    let mut dice = Dice::of(4);
    let talk = Talk::new(Api::Anthropic, &mut dice);
    let mut other = talk.next(&mut dice);
    other.model = Api::Anthropic.other_model().into();
    other.tools.swap(0, 1);
    other.system.push_str(" More.");
    other.said[0] = Said::User("Another question".into());
    let second = &two(Api::Anthropic, talk, other).requests[1];
    assert_eq!(second.cause, Cause::ModelChanged);
    let also: Vec<Cause> = second.also.iter().map(|also| also.cause).collect();
    assert_eq!(also, [Cause::ToolsChanged, Cause::SystemChanged, Cause::MessagesChanged]);
    assert!(second.also[0].lost_tokens > second.also[2].lost_tokens);
}

#[test]
fn positions_are_exact() {
    let mut dice = Dice::of(5);
    let talk = Talk::new(Api::Chat, &mut dice);
    let mut other = talk.next(&mut dice);
    other.tools[1].schema = json!({"type": "object", "properties": {
        "q": {"type": "string", "description": "Other."}, "limit": {"type": "integer"}}, "required": ["q"]});
    let second = &two(Api::Chat, talk.clone(), other).requests[1];
    assert_eq!(second.at.tool.as_deref(), Some("tool_1"));
    assert_eq!(second.at.path.as_deref(), Some("function.parameters.properties.q.description"));
    assert_eq!(second.at.change, Some("schema"));

    let mut other = talk.next(&mut dice);
    other.said[2] = Said::Assistant("Edited.".into());
    let second = &two(Api::Chat, talk, other).requests[1];
    // the developer message is message 0 of the body
    assert_eq!((second.region, second.at.message), (Region::Messages, Some(3)));
}

#[test]
fn a_request_can_extend_an_older_request() {
    let mut dice = Dice::of(6);
    let talk = Talk::new(Api::Anthropic, &mut dice);
    let mut aside = talk.clone();
    aside.model = Api::Anthropic.other_model().into();
    let sent =
        [Sent::new(talk.clone(), 0), Sent::new(aside, 10), Sent::new(talk.next(&mut dice), 20)];
    let answer = explain_all(Api::Anthropic, &sent);
    assert_eq!(answer.requests[1].cause, Cause::ModelChanged);
    assert_eq!(
        (answer.requests[2].cause, answer.requests[2].compared_with),
        (Cause::Appended, Some(0))
    );
}

#[test]
fn a_read_renews_the_lifetime_of_a_cache_entry() {
    let mut dice = Dice::of(7);
    let first = Talk::new(Api::Anthropic, &mut dice);
    let second = first.next(&mut dice);
    let third = second.next(&mut dice);
    let sent = [Sent::new(first.clone(), 0), Sent::new(second, 250), Sent::new(third.clone(), 500)];
    let answer = explain_all(Api::Anthropic, &sent);
    assert_eq!(answer.requests[2].cause, Cause::Appended);
    assert_eq!(answer.requests[2].ttl.left_seconds, Some(50));
    let answer = explain_all(Api::Anthropic, &[Sent::new(first, 0), Sent::new(third, 500)]);
    assert_eq!(answer.requests[1].cause, Cause::Expired);
    assert_eq!(answer.requests[1].at.found, Some(500));
}

#[test]
fn refusals_are_reported_for_the_first_request() {
    let mut dice = Dice::of(9);
    let mut talk = Talk::new(Api::Anthropic, &mut dice);
    talk.marks = Marks::Five;
    let answer = explain_all(Api::Anthropic, &[Sent::new(talk, 0)]);
    assert_eq!(answer.requests[0].also[0].cause, Cause::TooManyBreakpoints);
}

#[test]
fn a_part_that_the_log_lacks_is_not_a_cause() {
    let mut dice = Dice::of(10);
    let talk = Talk::new(Api::Anthropic, &mut dice);
    let mut sent = [Sent::new(talk.clone(), 0), Sent::new(talk.next(&mut dice), 60)];
    for (sent, usage) in sent.iter_mut().zip([[0, 12_000, 3], [0, 12_100, 3]]) {
        sent.talk.tools.clear();
        sent.usage = Some(usage);
        sent.more = vec![("lacks", json!(["tools", "system"]))];
    }
    let second = &explain_all(Api::Anthropic, &sent).requests[1];
    assert_eq!((second.cause, second.lost_tokens), (Cause::Unknown, 12_000));
    assert_eq!(second.reason.as_deref(), Some("the log does not have: tools, system"));
}

#[test]
fn the_diagnostics_of_a_provider_name_the_cause() {
    let mut dice = Dice::of(11);
    let talk = Talk::new(Api::Anthropic, &mut dice);
    let mut sent = [Sent::new(talk.clone(), 0), Sent::new(talk.next(&mut dice), 60)];
    sent[0].usage = Some([0, 12_000, 3]);
    sent[1].usage = Some([0, 12_100, 3]);
    sent[1].more = vec![(
        "diagnostics",
        json!({"cache_miss_reason": {"type": "tools_changed", "cache_missed_input_tokens": 12_000}}),
    )];
    let second = &explain_all(Api::Anthropic, &sent).requests[1];
    assert_eq!((second.cause, second.sure), (Cause::ToolsChanged, true));
}

#[test]
fn deepseek_reads_whole_units_only() {
    let words = |text: &str| text.repeat(300);
    let body = |last: &str| {
        json!({"model": "deepseek-v4-pro", "messages": [
        {"role": "system", "content": words("Be brief. ")}, {"role": "user", "content": last}]})
    };
    let requests = ["one", "two", "three"].map(|last| json!({"body": body(last)}));
    let answer = explain("deepseek", requests.to_vec()).unwrap();
    assert_eq!(answer.requests[1].cause, Cause::MessagesChanged);
    assert_eq!(answer.requests[1].expected.read, 0);
    assert!(
        answer.requests[2].expected.read > 500,
        "the third request does not read the shared prefix"
    );
}
