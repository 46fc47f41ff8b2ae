mod options;
mod parts;

use super::*;
use crate::CardId;

fn prompt(messages: &str) -> Prompt {
    let json = Json::parse(&format!(r#"{{"messages":{messages}}}"#)).unwrap();
    Prompt::read(&Field::root(&json)).unwrap()
}

fn tools(prompt: Prompt, tools: &str) -> Prompt {
    let tools = Json::parse(tools).unwrap();
    let tools = tools.as_array().unwrap().iter().map(|tool| tool.as_object().unwrap().clone());
    prompt.with_tools(tools.collect())
}

fn made(prompt: &Prompt, provider: Provider) -> Payload {
    payload(prompt, provider, &Options { max_output_tokens: Some(9), ..Options::model("m") })
        .unwrap()
}

fn body(messages: &str, provider: Provider) -> String {
    let mut body = made(&prompt(messages), provider).body();
    if let Json::Object(body) = &mut body {
        body.remove("model");
        body.remove("max_tokens");
        body.remove("generationConfig");
        body.remove("max_completion_tokens");
        body.remove("max_output_tokens");
    }
    body.to_string()
}

fn codes(messages: &str, provider: Provider) -> Vec<String> {
    named(&made(&prompt(messages), provider))
}

fn named(payload: &Payload) -> Vec<String> {
    let name = |loss: &Loss| {
        let at = loss.position.map_or_else(|| "-".to_owned(), |at| at.to_string());
        format!("{} {at}", loss.code.as_str())
    };
    payload.losses().iter().map(name).collect()
}

const CALL: &str = r#"{"role":"assistant","content":"so","tool_calls":[{"id":"k","type":"function","function":{"name":"search","arguments":"{\"q\": 1}"}}]}"#;
const RESULT: &str = r#"{"role":"tool","tool_call_id":"k","content":"three"}"#;

#[test]
fn the_neutral_form_is_left_as_it_stands() {
    let given =
        r#"[{"role":["x"],"content":"a","why":1},{"role":"tool","tool_call_id":"k","content":""}]"#;
    assert_eq!(body(given, Provider::Neutral), format!(r#"{{"messages":{given}}}"#));
    assert!(codes(given, Provider::Neutral).is_empty());
}

#[test]
fn a_call_and_its_result_in_every_shape() {
    let talk = format!(
        r#"[{{"role":"system","content":"S"}},{{"role":"user","content":"U"}},{CALL},{RESULT}]"#
    );
    assert_eq!(body(&talk, Provider::OpenaiChat), format!(r#"{{"messages":{talk}}}"#));
    assert_eq!(
        body(&talk, Provider::OpenaiResponses),
        concat!(
            r#"{"input":[{"role":"system","content":"S"},{"role":"user","content":"U"},"#,
            r#"{"role":"assistant","content":"so"},"#,
            r#"{"type":"function_call","call_id":"k","name":"search","arguments":"{\"q\": 1}"},"#,
            r#"{"type":"function_call_output","call_id":"k","output":"three"}]}"#
        )
    );
    assert_eq!(
        body(&talk, Provider::Anthropic),
        concat!(
            r#"{"system":[{"type":"text","text":"S"}],"messages":["#,
            r#"{"role":"user","content":[{"type":"text","text":"U"}]},"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"so"},"#,
            r#"{"type":"tool_use","id":"k","name":"search","input":{"q":1}}]},"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"k","content":"three"}]}]}"#
        )
    );
    assert_eq!(
        body(&talk, Provider::Gemini),
        concat!(
            r#"{"systemInstruction":{"parts":[{"text":"S"}]},"contents":["#,
            r#"{"role":"user","parts":[{"text":"U"}]},"#,
            r#"{"role":"model","parts":[{"text":"so"},{"functionCall":{"name":"search","args":{"q":1}}}]},"#,
            r#"{"role":"user","parts":[{"functionResponse":{"name":"search","response":{"output":"three"}}}]}]}"#
        )
    );
    for &provider in Provider::ALL {
        // Bedrock wants every tool that was called defined
        let expected = match provider {
            Provider::Bedrock => vec!["tool_added 2"],
            Provider::Mistral => vec!["call_id_rewritten 2"],
            _ => vec![],
        };
        assert_eq!(codes(&talk, provider), expected, "{provider:?}");
    }
}

#[test]
fn results_without_calls_and_calls_without_results() {
    let talk = format!(
        r#"[{{"role":"user","content":"U"}},{RESULT},{CALL},{RESULT},{RESULT},{CALL},{{"role":"tool","content":"x"}}]"#
    );
    for provider in Provider::ALL.iter().copied().skip(1) {
        let codes = codes(&talk, provider);
        for expected in ["orphan_result 1", "duplicate_result 4", "call_paired 6"] {
            assert!(codes.contains(&expected.to_owned()), "{provider:?} {codes:?}");
        }
    }
    let chat = body(&talk, Provider::OpenaiChat);
    assert!(
        chat.contains(r#"{"role":"user","content":"[result of tool call k] three"}"#),
        "{chat}"
    );
    let open =
        format!(r#"[{{"role":"user","content":"U"}},{CALL},{{"role":"user","content":"x"}}]"#);
    let chat = body(&open, Provider::OpenaiChat);
    assert!(chat.contains(r#"{"role":"assistant","content":"so"}"#), "{chat}");
    assert_eq!(codes(&open, Provider::OpenaiChat), ["unanswered_call 1"]);
}

/// The results of a Gemini body, which knows order only.
fn outputs(messages: &str) -> Vec<String> {
    let body = made(&prompt(messages), Provider::Gemini).body().to_string();
    body.split(r#""output":""#).skip(1).map(|rest| rest.split('"').next().unwrap().into()).collect()
}

#[test]
fn two_calls_of_one_id_take_their_results_in_order() {
    let calls = |first: &str, second: &str| {
        format!(
            r#"{{"role":"user","content":"U"}},{{"role":"assistant","tool_calls":[{{{first}"function":{{"name":"a","arguments":"{{}}"}}}},{{{second}"function":{{"name":"b","arguments":"{{}}"}}}}]}}"#
        )
    };
    let twice = calls(r#""id":"k","#, r#""id":"k","#);
    let talk = format!(
        r#"[{twice},{{"role":"tool","tool_call_id":"k","content":"A"}},{{"role":"tool","tool_call_id":"k","content":"B"}}]"#
    );
    assert_eq!(outputs(&talk), ["A", "B"]);
    // the id of the second result names the only open call
    assert_eq!(codes(&talk, Provider::Gemini), ["call_paired 2"]);
    assert_eq!(codes(&talk, Provider::Anthropic), ["call_id_rewritten 1", "call_paired 2"]);

    let none = calls("", "");
    let ordered = format!(
        r#"[{none},{{"role":"tool","content":"A"}},{{"role":"tool","tool_call_id":"?","content":"B"}}]"#
    );
    assert_eq!(outputs(&ordered), ["A", "B"]);
    assert_eq!(codes(&ordered, Provider::Gemini), ["call_paired 2", "call_paired 3"]);
    let named = format!(
        r#"[{none},{{"role":"tool","name":"b","content":"B"}},{{"role":"function","name":"a","content":"A"}}]"#
    );
    assert_eq!(outputs(&named), ["A", "B"]);
    let strict = Options { strict: true, ..Options::model("m") };
    assert!(payload(&prompt(&named), Provider::Gemini, &strict).is_err());
    let chat = body(&ordered, Provider::OpenaiChat);
    assert!(chat.contains(r#""id":"call""#) && chat.contains(r#""id":"call_2""#), "{chat}");
}

#[test]
fn a_failed_call_is_marked_or_reported() {
    let talk = |text: &str| {
        format!(
            r#"[{{"role":"user","content":"U"}},{CALL},{{"role":"tool","tool_call_id":"k","content":{text},"is_error":true}}]"#
        )
    };
    let plain = talk(r#""no such file""#);
    assert!(
        body(&plain, Provider::Anthropic).contains(r#""content":"no such file","is_error":true"#)
    );
    assert!(body(&plain, Provider::Gemini).contains(r#""response":{"error":"no such file"}"#));
    assert_eq!(codes(&plain, Provider::OpenaiChat), ["failure_unmarked 2"]);
    let prompt = talk(r#""{\"error\": {\"code\": \"c\"}}""#);
    assert!(body(&prompt, Provider::Gemini).contains(r#""response":{"error":{"code":"c"}}"#));
    assert_eq!(codes(&prompt, Provider::OpenaiChat), Vec::<String>::new());
    assert_eq!(codes(&talk(r#""""#), Provider::Anthropic), ["empty_dropped 2"]);
}

#[test]
fn reasoning_goes_back_to_whoever_signed_it() {
    let talk = r#"[{"role":"user","content":"U"},{"role":"assistant","content":[
        {"type":"thinking","thinking":"hm","signature":"s"},{"type":"redacted_thinking","data":"d"},
        {"type":"reasoning","id":"r1","summary":[],"encrypted_content":"e"},{"type":"text","text":"so"}]},
        {"role":"user","content":"V"}]"#;
    assert!(body(talk, Provider::Anthropic).contains(
        r#"[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"redacted_thinking","data":"d"},{"type":"text","text":"so"}]"#
    ));
    assert_eq!(codes(talk, Provider::Anthropic), ["reasoning_dropped 1"]);
    assert!(body(talk, Provider::OpenaiResponses).contains(
        r#"{"type":"reasoning","id":"r1","summary":[],"encrypted_content":"e"},{"role":"assistant","content":"so"}"#
    ));
    assert_eq!(codes(talk, Provider::OpenaiChat), ["reasoning_dropped 1"; 3]);
}

#[test]
fn reasoning_kept_with_a_message_goes_back_before_its_call() {
    let blocks = r#"{"type":"reasoning","id":"r1","summary":[],"encrypted_content":"e"}"#;
    let talk = format!(
        r#"[{{"role":"user","content":"U"}},{{"role":"assistant","content":"","thinking_blocks":[{blocks}],
        "tool_calls":[{{"id":"c1","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}},
        {{"role":"tool","tool_call_id":"c1","content":"so"}}]"#
    );
    let sent = body(&talk, Provider::OpenaiResponses);
    assert!(
        sent.contains(&format!(r#"{blocks},{{"type":"function_call","call_id":"c1""#)),
        "{sent}"
    );
}

#[test]
fn what_one_provider_owns_goes_to_it_untouched_and_is_reported_elsewhere() {
    let search = r#"{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"q"}},{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}"#;
    let talk = format!(
        r#"[{{"role":"user","content":"U"}},{{"role":"assistant","content":[{search},{{"type":"text","text":"so"}}]}},{{"role":"user","content":"V"}}]"#
    );
    assert!(body(&talk, Provider::Anthropic).contains(search));
    assert_eq!(codes(&talk, Provider::Anthropic), Vec::<String>::new());
    assert_eq!(codes(&talk, Provider::Gemini), ["foreign_part 1"; 2]);
    let alone = talk.replace("tool_use_id\":\"s1", "tool_use_id\":\"s2");
    assert_eq!(codes(&alone, Provider::Anthropic), ["foreign_part 1"; 2]);
}

#[test]
fn a_result_moves_up_to_its_call_where_it_must() {
    let talk = format!(
        r#"[{{"role":"user","content":"U"}},{CALL},{{"role":"user","content":"V"}},{RESULT}]"#
    );
    let chat = body(&talk, Provider::OpenaiChat);
    assert_eq!(
        chat,
        format!(
            r#"{{"messages":[{{"role":"user","content":"U"}},{CALL},{RESULT},{{"role":"user","content":"V"}}]}}"#
        )
    );
    assert_eq!(codes(&talk, Provider::OpenaiChat), ["result_moved 3"]);
    assert_eq!(codes(&talk, Provider::OpenaiResponses), Vec::<String>::new());
    assert_eq!(codes(&talk, Provider::Anthropic), ["turns_merged 2", "result_moved 3"]);
}

#[test]
fn results_follow_the_order_of_their_calls_where_ids_do_not_travel() {
    let talk = r#"[{"role":"user","content":"U"},
        {"role":"assistant","content":null,"tool_calls":[
            {"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"b","content":"B"},{"role":"tool","tool_call_id":"a","content":"A"}]"#;
    assert_eq!(codes(talk, Provider::Gemini), ["result_reordered 2", "result_reordered 3"]);
    assert!(
        body(talk, Provider::Gemini).contains(
            r#"{"output":"A"}}},{"functionResponse":{"name":"f","response":{"output":"B"}"#
        )
    );
    assert_eq!(codes(talk, Provider::Anthropic), Vec::<String>::new());
}

#[test]
fn call_ids_become_legal_and_unique_together_with_their_results() {
    let again = format!(r#"[{{"role":"user","content":"U"}},{CALL},{RESULT},{CALL},{RESULT}]"#);
    assert_eq!(codes(&again, Provider::OpenaiChat), Vec::<String>::new());
    assert_eq!(codes(&again, Provider::Anthropic), ["call_id_rewritten 3"]);
    let anthropic = body(&again, Provider::Anthropic);
    assert!(anthropic.contains(r#""id":"k_2""#) && anthropic.contains(r#""tool_use_id":"k_2""#));

    let long = "x".repeat(50);
    let talk = format!("[{CALL},{RESULT}]").replace("\"k\"", &format!("\"{long}\""));
    assert_eq!(codes(&talk, Provider::OpenaiChat), ["call_id_rewritten 0"]);
    assert!(body(&talk, Provider::OpenaiChat).contains(&format!("\"{}\"", "x".repeat(40))));
    let signs = format!("[{CALL},{RESULT}]").replace("\"k\"", "\"call:1\"");
    assert!(body(&signs, Provider::Anthropic).contains(r#""id":"call_1""#));
}

#[test]
fn roles_that_nobody_knows_or_that_do_not_fit() {
    let talk = r#"[{"role":"human","content":"a"},{"role":"wizard","content":"b"},{"role":null,"content":"c"},
        {"role":"user","content":"d","tool_call_id":"k"}]"#;
    assert_eq!(
        codes(talk, Provider::OpenaiChat),
        [
            "role_renamed 0",
            "unknown_role 1",
            "unknown_role 2",
            "role_rewritten 3",
            "orphan_result 3"
        ]
    );
    let calls = format!("[{CALL},{RESULT}]").replace("assistant", "user");
    assert_eq!(codes(&calls, Provider::OpenaiChat), ["role_rewritten 0"]);
    let both = r#"[{"role":"assistant","content":"x","tool_call_id":"j","tool_calls":[{"id":"k","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"k","content":"r"}]"#;
    assert_eq!(codes(both, Provider::OpenaiChat), ["answer_and_calls 0"]);
}

#[test]
fn the_user_begins_and_ends_where_a_provider_demands_it() {
    let talk = r#"[{"role":"assistant","content":"hi "}]"#;
    assert_eq!(codes(talk, Provider::OpenaiChat), Vec::<String>::new());
    assert_eq!(codes(talk, Provider::Gemini), ["user_added -", "user_added -"]);
    assert_eq!(
        body(talk, Provider::Gemini),
        concat!(
            r#"{"contents":[{"role":"user","parts":[{"text":"(start)"}]},"#,
            r#"{"role":"model","parts":[{"text":"hi "}]},{"role":"user","parts":[{"text":"(continue)"}]}]}"#
        )
    );
    let options = Options { prefill: true, max_output_tokens: Some(1), ..Options::model("m") };
    let prefilled = payload(&prompt(talk), Provider::Anthropic, &options).unwrap();
    assert_eq!(named(&prefilled), ["user_added -", "space_trimmed 0"]);
    assert!(
        prefilled
            .body()
            .to_string()
            .ends_with(r#"{"role":"assistant","content":[{"type":"text","text":"hi"}]}]}"#)
    );
    let system = r#"[{"role":"developer","content":"S"}]"#;
    assert_eq!(codes(system, Provider::Anthropic), ["user_added -", "role_renamed 0"]);
}

#[test]
fn nothing_to_send_is_an_error() {
    for provider in Provider::ALL.iter().copied().skip(1) {
        let error = payload(&prompt("[]"), provider, &Options::model("m")).unwrap_err();
        assert_eq!(error.path().to_string(), "messages");
    }
    let blank = r#"[{"role":"user","content":" "},{"role":"assistant","content":null}]"#;
    assert_eq!(codes(blank, Provider::OpenaiChat), ["empty_dropped 1"]);
    assert!(payload(&prompt(blank), Provider::Anthropic, &Options::model("m")).is_err());
    let system = r#"[{"role":"system","content":"s"},{"role":"user","content":" "}]"#;
    assert_eq!(codes(system, Provider::Anthropic), ["user_added -", "empty_dropped 1"]);
}

#[test]
fn names_reasoning_and_unknown_keys() {
    let talk = r#"[{"role":"user","content":"a","name":"Ann Lee"},
        {"role":"assistant","content":"b","reasoning_content":"because","internal":true,"score":1,"none":null}]"#;
    assert_eq!(
        codes(talk, Provider::OpenaiChat),
        ["name_rewritten 0", "key_dropped 1", "reasoning_dropped 1"]
    );
    assert_eq!(
        codes(talk, Provider::OpenaiResponses),
        ["name_dropped 0", "key_dropped 1", "reasoning_dropped 1"]
    );
    let keep = Options { keep_reasoning: true, ..Options::model("m") };
    let kept = payload(&prompt(talk), Provider::OpenaiChat, &keep).unwrap();
    assert!(kept.body().to_string().contains(r#""reasoning_content":"because""#));
}

#[test]
fn a_loss_names_the_card_and_the_layer() {
    let mut given = prompt(r#"[{"role":"user","content":"u"},{"role":"system","content":"s"}]"#);
    given.origins = vec![
        Origin::default(),
        Origin { layer: Some("todo__context".into()), ..Origin::card(CardId::from("c7")) },
    ];
    let payload = made(&given, Provider::Anthropic);
    assert_eq!(
        crate::value::json::to_json(&payload.losses()[0]).unwrap().to_string(),
        r#"{"code":"system_moved","action":"move","lossy":true,"position":1,"card_id":"c7","layer":"todo__context","reason":"a system message moves before the conversation"}"#
    );
}

#[test]
fn strict_refuses_what_the_model_would_see_otherwise_and_nothing_else() {
    let talk = prompt(
        r#"[{"role":"user","content":"u"},{"role":"user","content":"v"},{"role":"assistant","content":"x","reasoning_content":"r"},{"role":"user","content":"w"}]"#,
    );
    let strict = Options { strict: true, ..Options::model("m") };
    let error = payload(&talk, Provider::Anthropic, &strict).unwrap_err();
    assert_eq!(
        error.to_string(),
        "bad_request at `messages[2]`: `anthropic` cannot accept this unchanged: reasoning is not sent to this provider; `strict` does not allow changes"
    );
    assert_eq!(error.details()["losses"].as_array().unwrap().len(), 1);
    let allowed = Options { allow: vec![Change::ReasoningDropped], ..strict };
    assert_eq!(
        named(&payload(&talk, Provider::Anthropic, &allowed).unwrap()),
        ["limit_added -", "turns_merged 1", "reasoning_dropped 2"]
    );
}

#[test]
fn further_keys_do_not_overwrite_the_payload() {
    let extra =
        |key: &str| Options { extra: object([(key, Json::from(0_u64))]), ..Options::model("m") };
    let given = prompt(r#"[{"role":"user","content":"u"}]"#);
    let body = payload(&given, Provider::OpenaiChat, &extra("temperature")).unwrap().body();
    assert!(body.to_string().ends_with(r#""temperature":0}"#));
    let error = payload(&given, Provider::Anthropic, &extra("max_tokens")).unwrap_err();
    assert_eq!(error.path().to_string(), "extra.max_tokens");
}

#[test]
fn every_code_is_its_own() {
    let mut codes: Vec<_> = Change::ALL.iter().map(|change| change.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), Change::ALL.len());
    let json = Json::from("no_such_code");
    assert!(Change::read(&Field::root(&json)).is_err());
}
