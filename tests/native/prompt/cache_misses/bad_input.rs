//! Bad input: a typed error with its path, or `unknown` with the reason.

use super::talk::{Api, Sent, Talk};
use super::{Dice, explain, explain_all, two};
use tuckbox::json;
use tuckbox::prompt::cache::Cause;
use tuckbox::value::json::Json;

#[test]
fn bad_input_is_an_error_with_its_path_or_unknown() {
    let mut dice = Dice::of(8);
    let talk = Talk::new(Api::Anthropic, &mut dice);
    let error = |provider: &str, request: Json| {
        let error = explain(provider, vec![request]).unwrap_err();
        (error.code().as_str(), error.path().to_string())
    };
    for (provider, api, key) in [
        ("anthropic", Api::Chat, "tools"),
        ("anthropic", Api::Gemini, "contents"),
        ("anthropic", Api::Responses, "input"),
        ("openai_chat", Api::Anthropic, "system"),
        ("openai_responses", Api::Chat, "messages"),
        ("gemini", Api::Chat, "messages"),
    ] {
        let (code, path) = error(provider, json!({"body": talk.body(api)}));
        assert_eq!((code, path), ("bad_request", format!("requests[0].body.{key}")), "{provider}");
    }
    assert_eq!(error("nobody", json!({"body": {}})).1, "provider");
    let wrong_time = json!({"body": talk.body(Api::Anthropic), "at": "noon"});
    assert_eq!(error("anthropic", wrong_time).1, "requests[0].at");
    assert_eq!(error("anthropic", json!({"body": {}, "tiem": 1})).1, "requests[0].tiem");

    // the usage is contradictory
    let mut sent = [Sent::new(talk.clone(), 0), Sent::new(talk.next(&mut dice), 60)];
    sent[1].more = vec![(
        "usage",
        json!({"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 20}}),
    )];
    let answer = explain_all(Api::Chat, &sent);
    assert_eq!(answer.requests[1].cause, Cause::Unknown);
    assert!(answer.requests[1].reason.as_ref().unwrap().contains("contradicts"));

    // the timestamps are not in order
    let mut sent = [Sent::new(talk.clone(), 100), Sent::new(talk.next(&mut dice), 0)];
    sent[0].usage = Some([0, 12_000, 3]);
    sent[1].usage = Some([0, 12_100, 3]);
    let second = &explain_all(Api::Anthropic, &sent).requests[1];
    assert_eq!(second.cause, Cause::Unknown);
    assert!(second.reason.as_ref().unwrap().contains("backwards"));

    // the session is not in order
    for api in Api::ALL {
        let talk = Talk::new(api, &mut dice);
        let sent = [Sent::new(talk.next(&mut dice), 60), Sent::new(talk, 0)];
        let second = &explain_all(api, &sent).requests[1];
        assert_eq!((second.cause, second.sure), (Cause::Unknown, false), "{}", api.name());
        assert!(second.reason.as_ref().unwrap().contains("backwards"));
    }

    // the model is unknown
    let mut odd = talk.clone();
    odd.model = "claude-opus-9".into();
    let second = &two(Api::Anthropic, odd.clone(), odd.next(&mut dice)).requests[1];
    assert_eq!((second.cause, second.sure, second.price.read), (Cause::Appended, false, None));

    // there are no requests, or only one
    assert!(explain("anthropic", Vec::new()).unwrap().requests.is_empty());
    let one = explain_all(Api::Anthropic, &[Sent::new(talk, 0)]);
    assert_eq!(one.requests[0].cause, Cause::First);
}

/// Returns the code, the path and the message of the error of a body.
fn refused(provider: &str, body: Json) -> (String, String, String) {
    let error = explain(provider, vec![json!({"body": body})]).unwrap_err();
    (error.code().as_str().to_owned(), error.path().to_string(), error.message().to_owned())
}

#[test]
fn a_body_of_another_provider_is_an_error() {
    let said = |content: Json| json!([{"role": "user", "content": content}]);
    let calls = json!([{"role": "user", "content": "Hi"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c1"}]}]);
    for (provider, body, key, of) in [
        (
            "anthropic",
            json!({"messages": [], "reasoning_effort": "low"}),
            "reasoning_effort",
            "openai_chat",
        ),
        (
            "anthropic",
            json!({"messages": [], "response_format": {}}),
            "response_format",
            "openai_chat",
        ),
        ("anthropic", json!({"messages": calls}), "messages", "openai_chat"),
        ("anthropic", json!({"messages": said(json!([{"text": "Hi"}]))}), "messages", "bedrock"),
        ("anthropic", json!({"messages": [], "inferenceConfig": {}}), "messages", "bedrock"),
        ("bedrock", json!({"messages": said("Hi".into())}), "messages", "anthropic"),
        (
            "bedrock",
            json!({"messages": said(json!([{"type": "text", "text": "Hi"}]))}),
            "messages",
            "anthropic",
        ),
        ("bedrock", json!({"messages": [], "tools": []}), "tools", "anthropic"),
        ("bedrock", json!({"contents": []}), "contents", "gemini"),
        (
            "openai_chat",
            json!({"messages": said(json!([{"type": "tool_use"}]))}),
            "messages",
            "anthropic",
        ),
        ("openai_chat", json!({"messages": [], "toolConfig": {}}), "messages", "bedrock"),
        ("mistral", json!({"input": "Hi"}), "input", "openai_responses"),
        ("deepseek", json!({"contents": []}), "contents", "gemini"),
        ("openai_compatible", json!({"messages": [], "system": "S"}), "system", "anthropic"),
        ("openai_responses", json!({"contents": []}), "contents", "gemini"),
        ("gemini", json!({"input": []}), "input", "openai_responses"),
    ] {
        let (code, path, message) = refused(provider, body.clone());
        assert_eq!(
            (code.as_str(), path),
            ("bad_request", format!("requests[0].body.{key}")),
            "{body}"
        );
        assert!(message.contains(&format!("`{of}`")), "{message}");
    }
}

#[test]
fn messages_that_are_no_list_of_objects_are_an_error() {
    for (provider, body, path, message) in [
        ("anthropic", json!({}), "messages", "`messages` is missing"),
        ("openai_responses", json!({"model": "gpt-5"}), "input", "`input` is missing"),
        ("anthropic", json!({"messages": "Hi"}), "messages", "`messages` must be a list"),
        ("openai_chat", json!({"messages": 1}), "messages", "`messages` must be a list"),
        ("bedrock", json!({"messages": {}}), "messages", "`messages` must be a list"),
        ("gemini", json!({"contents": true}), "contents", "`contents` must be a list"),
        ("openai_responses", json!({"input": {}}), "input", "`input` must be a list"),
        (
            "openai_chat",
            json!({"messages": [{}, 7]}),
            "messages[1]",
            "an item of `messages` must be an object",
        ),
        (
            "openai_responses",
            json!({"input": [[]]}),
            "input[0]",
            "an item of `input` must be an object",
        ),
    ] {
        let found = refused(provider, body);
        assert_eq!((found.1, found.2.as_str()), (format!("requests[0].body.{path}"), message));
    }
    let error = |request: Json| explain("anthropic", vec![request]).unwrap_err().path().to_string();
    assert_eq!(error(json!({"body": []})), "requests[0].body");
    assert_eq!(error(json!({"at": 1})), "requests[0].body");
    assert_eq!(error(7.into()), "requests[0]");
    let body = || json!({"messages": []});
    assert_eq!(error(json!({"body": body(), "lacks": ["all"]})), "requests[0].lacks[0]");
    assert_eq!(error(json!({"body": body(), "usage": 7})), "requests[0].usage");
    assert_eq!(error(json!({"body": body(), "model": 7})), "requests[0].model");
    assert_eq!(
        error(json!({"body": body(), "at": 2, "first_token_at": 1})),
        "requests[0].first_token_at"
    );
}

#[test]
fn a_usage_that_cannot_be_is_unknown() {
    let mut dice = Dice::of(12);
    let talk = Talk::new(Api::Anthropic, &mut dice);
    let most = u64::MAX;
    for usage in [
        json!({"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 20}}),
        json!({"prompt_tokens": most, "prompt_tokens_details": {"cached_tokens": most, "cache_write_tokens": 1}}),
        json!({"prompt_cache_hit_tokens": most, "prompt_cache_miss_tokens": 1}),
        json!({"input_tokens": most, "cache_read_input_tokens": most}),
        json!({"input_tokens": 1, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 5,
            "cache_creation": {"ephemeral_5m_input_tokens": most, "ephemeral_1h_input_tokens": most}}),
        json!({"read": most, "write": most, "fresh": most}),
        json!({"promptTokenCount": 3, "cachedContentTokenCount": 4}),
    ] {
        let mut sent = [Sent::new(talk.clone(), 0), Sent::new(talk.next(&mut dice), 60)];
        sent.iter_mut().for_each(|sent| sent.more = vec![("usage", usage.clone())]);
        let second = &explain_all(Api::Anthropic, &sent).requests[1];
        // a sum that is too large to be counted is a usage without tokens
        let is_silent = second.reason.is_none() && second.recorded.is_none();
        assert!(is_silent || second.cause == Cause::Unknown, "{usage}: {second:?}");
        assert!(second.recorded.is_none(), "{usage}");
    }
    // what no usage has is not a usage
    for usage in [json!({}), json!({"input_tokens": -1}), json!({"prompt_tokens": "many"})] {
        let mut sent = [Sent::new(talk.clone(), 0), Sent::new(talk.next(&mut dice), 60)];
        sent[1].more = vec![("usage", usage)];
        let second = &explain_all(Api::Anthropic, &sent).requests[1];
        assert_eq!((second.cause, second.recorded), (Cause::Appended, None));
    }
}
