use super::*;
use crate::prompt::provider::{Options, Prompt, payload};
use crate::prompt::tokens::Estimate;
use crate::value::arguments::Argument;
use crate::value::json::{Field, Json};

fn made(json: &str, provider: Provider) -> Payload {
    let json = Json::parse(json).unwrap();
    let prompt = Prompt::read(&Field::root(&json)).unwrap();
    payload(&prompt, provider, &Options::model("m")).unwrap()
}

fn compared(before: &str, after: &str) -> PayloadDiff {
    let provider = Provider::OpenaiChat;
    let policy = CachePolicy { least_tokens: 4, ..CachePolicy::of(provider) };
    diff_payloads(&made(before, provider), &made(after, provider), &Estimate, &policy).unwrap()
}

const TALK: &str = r#"{"messages":[{"role":"system","content":"S"},{"role":"user","content":"hello there"},{"role":"assistant","content":"x"}]}"#;

#[test]
fn the_same_payload_has_no_difference_and_is_kept_whole() {
    let diff = compared(TALK, TALK);
    assert_eq!(diff.first_difference, None);
    assert_eq!((diff.same_messages, diff.before_tokens), (3, diff.after_tokens));
    assert!(diff.same_tokens.tokens <= diff.after_tokens);
}

#[test]
fn every_reason_to_part() {
    let part = |after: &str| {
        let diff = compared(TALK, after);
        let found = diff.first_difference.unwrap();
        (
            found.why,
            found.before.and_then(|place| place.position),
            found.after.and_then(|place| place.position),
            diff.same_messages,
        )
    };
    assert_eq!(
        part(
            r#"{"messages":[{"role":"system","content":"S"},{"role":"user","content":"hello you"},{"role":"assistant","content":"x"}]}"#
        ),
        (Why::Changed, Some(1), Some(1), 1)
    );
    assert_eq!(
        part(
            r#"{"messages":[{"role":"system","content":"S"},{"role":"user","content":"new"},{"role":"user","content":"hello there"},{"role":"assistant","content":"x"}]}"#
        ),
        (Why::Inserted, Some(1), Some(1), 1)
    );
    assert_eq!(
        part(
            r#"{"messages":[{"role":"system","content":"S"},{"role":"assistant","content":"x"}]}"#
        ),
        (Why::Removed, Some(1), Some(1), 1)
    );
    assert_eq!(
        part(r#"{"messages":[{"role":"system","content":"S"}]}"#),
        (Why::Shortened, Some(1), None, 1)
    );
    assert_eq!(
        part(
            r#"{"messages":[{"role":"system","content":"S"},{"role":"user","content":"hello there"},{"role":"assistant","content":"x"},{"role":"user","content":"y"}]}"#
        ),
        (Why::Appended, None, Some(3), 3)
    );
    assert_eq!(
        part(r#"{"messages":[{"role":"system","content":"S"},{"role":"user","content":"hello there"},{"role":"assistant","content":"x"}],"tools":[{"name":"f"}]}"#).0,
        Why::ToolsChanged
    );
}

#[test]
fn another_card_at_the_same_place_is_a_replacement() {
    let one = r#"{"messages":[{"role":"user","content":"a b c"}],"origins":[{"card_id":"c1"}]}"#;
    let other = r#"{"messages":[{"role":"user","content":"a b d"}],"origins":[{"card_id":"c2"}]}"#;
    let found = compared(one, other).first_difference.unwrap();
    assert_eq!(found.why, Why::Replaced);
    assert_eq!(found.same_characters, 4);
    assert_eq!(found.after.unwrap().card_id.unwrap(), "c2");
    let same = other.replace("c2", "c1");
    assert_eq!(compared(one, &same).first_difference.unwrap().why, Why::Changed);
}

#[test]
fn a_cache_keeps_whole_steps_above_its_least() {
    let long = "many words ".repeat(600);
    let talk = |tail: &str| {
        format!(
            r#"{{"messages":[{{"role":"system","content":[{{"type":"text","text":"{long}","cache":true}}]}},{{"role":"user","content":"{tail}"}}]}}"#
        )
    };
    for &provider in Provider::ALL {
        let (before, after) = (made(&talk("one"), provider), made(&talk("two"), provider));
        let diff = diff_payloads(&before, &after, &Estimate, &CachePolicy::of(provider)).unwrap();
        let Forecast { policy, kept_tokens, fresh_tokens, .. } = diff.cache;
        assert!(kept_tokens >= policy.least_tokens, "{provider:?}");
        assert_eq!(kept_tokens % policy.step, 0);
        assert_eq!(kept_tokens + fresh_tokens, diff.after_tokens);
    }
    assert_eq!(
        compared(r#"{"messages":[{"role":"user","content":"a"}]}"#, TALK).cache.kept_tokens,
        0
    );
}

#[test]
fn nothing_is_kept_without_an_entry() {
    let long = "many words ".repeat(3_000);
    let talk = |mark: &str, tool: &str| {
        format!(
            r#"{{"messages":[{{"role":"system","content":[{{"type":"text","text":"{long}"{mark}}}]}},{{"role":"user","content":"q"}}],"tools":[{{"name":"f"{tool}}}]}}"#
        )
    };
    let (plain, marked) = (talk("", ""), talk(r#","cache":true"#, ""));
    let kept = |before: &str, after: &str, model: &str| {
        let provider = Provider::Anthropic;
        let json = Json::parse(after).unwrap();
        let after = Prompt::read(&Field::root(&json)).unwrap();
        let after = payload(&after, provider, &Options::model(model)).unwrap();
        diff_payloads(&made(before, provider), &after, &Estimate, &CachePolicy::of(provider))
            .unwrap()
    };
    assert_eq!(kept(&plain, &plain, "m").cache.kept_tokens, 0, "no mark");
    assert!(kept(&marked, &marked, "m").cache.kept_tokens > 0);
    assert_eq!(kept(&marked, &marked, "n").cache.kept_tokens, 0, "another model");
    let moved = kept(&marked, &talk("", r#","cache":true"#), "m");
    assert_eq!(moved.first_difference, None, "a mark is not content");
}

#[test]
fn payloads_of_two_providers_are_not_compared() {
    let (before, after) = (made(TALK, Provider::OpenaiChat), made(TALK, Provider::Gemini));
    assert!(diff_payloads(&before, &after, &Estimate, &CachePolicy::of(Provider::Gemini)).is_err());
}
