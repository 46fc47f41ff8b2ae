//! The text of a call has the same answer as its JSON. Messages that requests repeat are parsed once.

use super::talk::{Api, Talk};
use super::{Dice, Json, times};
use tuckbox::prompt::cache::ExplainCache;
use tuckbox::rule::{Rule, Step};
use tuckbox::value::json::to_json;
use tuckbox::{Env, Snapshot, Timestamp, Workspace, json};

fn env() -> Env {
    Env::new(Timestamp::from_millis(0), [7; 32])
}

/// Returns the answer to the text of a call, or nothing if its JSON must be read.
pub(super) fn explained(arguments: &str) -> Option<Json> {
    let mut workspace = Workspace::new("p1".into());
    let mut run = workspace.begin_arguments("explain_cache", arguments.as_bytes(), &env())?;
    assert!(workspace.step(&mut run).unwrap().is_none(), "the call reads");
    let mut text = String::new();
    run.write_value(&mut text).unwrap();
    Some(Json::parse(&text).unwrap())
}

fn from_json(arguments: &str) -> Json {
    let call = ExplainCache::from_json(&Json::parse(arguments).unwrap()).unwrap();
    let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env()).unwrap() else {
        panic!("the call reads")
    };
    to_json(&*done.value).unwrap()
}

#[test]
fn every_spelling_of_a_call_has_the_answer_of_its_json() {
    let message = |text: &str| json!({"role": "user", "content": text});
    let body = |model: &str, messages: &[Json]| {
        json!({"model": model, "system": "Be brief.", "messages": Json::from_iter(messages.to_vec()),
            "max_tokens": 10})
    };
    let cited = json!({"role": "user", "content": [{"type": "document", "citations": {"enabled": true},
        "source": {"type": "text", "data": "x"}}]});
    let talk = [message("one"), message("two \u{e9}\u{1f600} \"quoted\""), cited, message("three")];
    let bodies = [
        body("claude-opus-5-5", &talk[..1]),
        body("claude-opus-5-5", &talk[..2]),
        body("claude-opus-5-5", &talk[..3]),
        body("claude-opus-4-8", &talk[..3]),
        body("claude-opus-4-8", &[talk[0].clone(), talk[2].clone(), talk[3].clone()]),
        body("claude-opus-4-8", &[]),
        body("claude-opus-4-8", &talk),
    ];
    let texts: Vec<String> = bodies.iter().map(|body| format!("{{\"body\":{body}}}")).collect();
    let compact = texts.join(",");
    let spaced =
        texts.join(" ,\n ").replace("\"messages\":[", "\"messages\" : [ ").replace("}]", "} ] ");
    let timed = texts.join(",").replace("{\"body\"", "{\"at\":5,\"body\"");
    for list in [&compact, &spaced, &timed] {
        for call in [
            format!("{{\"provider\":\"anthropic\",\"requests\":[{list}]}}"),
            format!(" {{ \"requests\" : [ {list} ] , \"provider\" : \"anthropic\" }} "),
        ] {
            assert_eq!(explained(&call), Some(from_json(&call)), "{call}");
        }
    }
    let responses = json!({"provider": "openai_responses", "requests": [
        {"body": {"model": "gpt-5.6", "instructions": "Be brief.", "input": [
            {"role": "developer", "content": "a"}, {"role": "user", "content": "b"}]}},
        {"body": {"model": "gpt-5.6", "instructions": "Be brief.", "input": [
            {"role": "developer", "content": "a"}, {"role": "user", "content": "c"}]}},
        {"body": {"model": "gpt-5.6", "instructions": "Be brief.", "input": "text"}}]})
    .to_string();
    assert_eq!(explained(&responses), Some(from_json(&responses)));
}

#[test]
fn an_unusual_or_invalid_text_is_left_to_the_reader_of_json() {
    let call = |request: &str| format!("{{\"provider\":\"anthropic\",\"requests\":[{request}]}}");
    let usual = r#"{"body":{"model":"m","messages":[{"role":"user","content":"a"}]}}"#;
    assert!(explained(&call(usual)).is_some());
    for unusual in [
        // an escaped key, two lists, two bodies, an item without an end of its own
        r#"{"b\u006fdy":{"messages":[]}}"#,
        r#"{"body":{"messages":[],"messages":[]}}"#,
        r#"{"body":{"messages":[]},"body":{"messages":[]}}"#,
        r#"{"body":{"messages":[1]}}"#,
        // no JSON
        r#"{"body":{"messages":[{"a":1,}]}}"#,
        r#"{"body":{"messages":[{"a":1}}}]"#,
        r#"{"body":{"messages":[],"a":[}]}}"#,
        r#"{"body":{"messages":[{"a":"\x"}]}}"#,
        "{\"body\":{\"messages\":[{\"a\":\"\u{1}\"}]}}",
        r#"{"body":{"messages":[],}}"#,
        r#"{"body":{"messages":[]}"#,
        // another body, no body, another key
        r#"{"body":{"contents":[]}}"#,
        r#"{"at":1}"#,
        r#"{"body":{"messages":[]},"att":1}"#,
        r#"{"body":{"messages":[]},"at":{}}"#,
    ] {
        assert!(explained(&call(unusual)).is_none(), "{unusual}");
        // the start of the body is that of the request before
        assert!(explained(&call(&format!("{usual},{unusual}"))).is_none(), "{unusual}");
    }
    for text in ["", "{}", "[]", "{\"provider\":\"anthropic\"}", "{\"requests\":[]}"] {
        assert!(explained(text).is_none(), "{text}");
    }
    assert!(explained(&(call(usual) + "x")).is_none());
}

#[test]
fn a_damaged_text_never_has_another_answer() {
    let mut dice = Dice::of(5);
    for api in Api::ALL {
        let mut talk = Talk::new(api, &mut dice);
        let mut requests = Vec::new();
        for at in 0..4 {
            requests.push(super::Sent::new(talk.clone(), at * 60).json(api));
            talk = talk.next(&mut dice);
        }
        let call = json!({"provider": api.name(), "requests": Json::Array(requests)}).to_string();
        for _ in 0..times(20, 500) {
            let mut damaged = call.clone().into_bytes();
            let at = dice.below(damaged.len());
            let byte = b"{}[]\",:\\ a1"[dice.below(11)];
            damaged[at] = byte;
            let Ok(text) = String::from_utf8(damaged) else { continue };
            let Some(found) = explained(&text) else { continue };
            assert_eq!(found, from_json(&text), "{} with `{}` at {at}", api.name(), byte as char);
        }
    }
}
