use super::*;
use crate::CardId;

fn prompt(messages: &str) -> Prompt {
    let json = Json::parse(&format!(r#"{{"messages":{messages}}}"#)).unwrap();
    Prompt::from_fields(&Field::root(&json).object().unwrap()).unwrap()
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
    // the second result has one open call left, and its id says which
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
    let said = talk(r#""{\"error\": {\"code\": \"c\"}}""#);
    assert!(body(&said, Provider::Gemini).contains(r#""response":{"error":{"code":"c"}}"#));
    assert_eq!(codes(&said, Provider::OpenaiChat), Vec::<String>::new());
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
fn reasoning_kept_beside_a_message_goes_back_before_its_call() {
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
fn cache_marks_stand_where_they_were_put_and_at_most_four() {
    let part = |n: usize| {
        format!(r#"{{"type":"text","text":"t{n}","cache_control":{{"type":"ephemeral"}}}}"#)
    };
    let parts = (0..6).map(part).collect::<Vec<_>>().join(",");
    let talk = format!(r#"[{{"role":"user","content":[{parts}]}}]"#);
    let anthropic = body(&talk, Provider::Anthropic);
    assert_eq!(anthropic.matches("cache_control").count(), 4);
    assert!(anthropic.contains(r#"{"type":"text","text":"t1"},{"type":"text","text":"t2","cache"#));
    assert_eq!(codes(&talk, Provider::Anthropic), ["cache_mark_dropped 0"; 2]);

    let mut given = prompt(r#"[{"role":"system","content":"S"},{"role":"user","content":"U"}]"#);
    given.origins = vec![Origin::layer("system_prompt"), Origin::layer("query")];
    let options =
        Options { cache_after: vec!["system_prompt".into()], ..Options::model("some-model") };
    let body = payload(&given, Provider::Anthropic, &options).unwrap().body().to_string();
    assert!(body.contains(r#"{"type":"text","text":"S","cache_control":{"type":"ephemeral"}}"#));
}

#[test]
fn options_that_providers_share_go_where_each_has_them() {
    let given = tools(prompt(r#"[{"role":"user","content":"u"}]"#), r#"[{"name":"a.b"}]"#);
    let json = Json::parse(
        r#"{"model":"m","temperature":0.5,"stop":["END"],"effort":"low","tool_choice":{"tool":"a.b"},
            "parallel_tool_calls":false,"metadata":{"user_id":"u1"},"max_output_tokens":9,
            "response_schema":{"schema":{"type":"object","properties":{}}}}"#,
    )
    .unwrap();
    let options = Options::from_fields(&Field::root(&json).object().unwrap()).unwrap();
    let made = |provider| payload(&given, provider, &options).unwrap().body().to_string();
    let chat = made(Provider::OpenaiChat);
    for said in [
        r#""tool_choice":{"type":"function","function":{"name":"a_b"}},"parallel_tool_calls":false"#,
        r#""temperature":0.5,"stop":["END"],"response_format":{"type":"json_schema""#,
        r#""reasoning_effort":"low","metadata":{"user_id":"u1"}"#,
    ] {
        assert!(chat.contains(said), "{chat}");
    }
    let anthropic = made(Provider::Anthropic);
    assert!(anthropic.contains(
        r#""tool_choice":{"type":"tool","name":"a_b","disable_parallel_tool_use":true}"#
    ));
    assert!(anthropic.contains(r#""stop_sequences":["END"]"#), "{anthropic}");
    let gemini = made(Provider::Gemini);
    for said in [
        r#""functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["a.b"]}"#,
        r#""temperature":0.5,"stopSequences":["END"],"responseMimeType":"application/json""#,
        r#""thinkingConfig":{"thinkingLevel":"LOW"}"#,
    ] {
        assert!(gemini.contains(said), "{gemini}");
    }
    let unknown = Options { tool_choice: Some(ToolChoice::Tool("c".into())), ..options.clone() };
    let error = payload(&given, Provider::OpenaiChat, &unknown).unwrap_err();
    assert_eq!(error.path().to_string(), "tool_choice");
}

#[test]
fn further_keys_of_an_object_join_the_payloads_own() {
    let given = prompt(r#"[{"role":"user","content":"u"}]"#);
    let extra = |config: &str| {
        let config = Json::parse(config).unwrap();
        let extra = object([("generationConfig", config)]);
        let options = Options { max_output_tokens: Some(9), extra, ..Options::model("m") };
        payload(&given, Provider::Gemini, &options)
    };
    let body = extra(r#"{"topK":3}"#).unwrap().body().to_string();
    assert!(body.contains(r#""generationConfig":{"maxOutputTokens":9,"topK":3}"#));
    let error = extra(r#"{"maxOutputTokens":3}"#).unwrap_err();
    assert_eq!(error.path().to_string(), "extra.generationConfig.maxOutputTokens");
}

#[test]
fn a_payload_needs_a_model() {
    let given = prompt(r#"[{"role":"user","content":"u"}]"#);
    for &provider in Provider::ALL.iter().skip(1) {
        let error = payload(&given, provider, &Options::default()).unwrap_err();
        assert_eq!(error.path().to_string(), "model");
    }
    assert!(payload(&given, Provider::Neutral, &Options::default()).is_ok());
}

#[test]
fn gemini_3_gets_a_stand_in_for_a_signature_that_is_not_there() {
    let talk = prompt(&format!(r#"[{{"role":"user","content":"U"}},{CALL},{RESULT}]"#));
    let made = payload(&talk, Provider::Gemini, &Options::model("gemini-3-pro")).unwrap();
    assert_eq!(named(&made), ["signature_added 1"]);
    assert!(
        made.body()
            .to_string()
            .contains(r#""thoughtSignature":"skip_thought_signature_validator""#)
    );
}

#[test]
fn a_model_that_takes_system_messages_in_the_conversation_keeps_them_there() {
    let talk = prompt(
        r#"[{"role":"user","content":"U"},{"role":"system","content":"S"},{"role":"assistant","content":"A"},{"role":"user","content":"V"}]"#,
    );
    let made = |model: &str| {
        let options = Options { max_output_tokens: Some(9), ..Options::model(model) };
        payload(&talk, Provider::Anthropic, &options).unwrap()
    };
    assert_eq!(named(&made("claude-opus-4-8")), Vec::<String>::new());
    assert!(
        made("claude-opus-4-8")
            .body()
            .to_string()
            .contains(r#"{"role":"system","content":[{"type":"text","text":"S"}]}"#)
    );
    assert_eq!(named(&made("claude-opus-4-7")), ["system_moved 1"]);
}

#[test]
fn schemas_are_mended_and_calls_restored() {
    let given = r##"[{"name":"find","parameters":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}],
        "$defs":{"A":{"type":"object","properties":{"große Zahl":{"type":"array"},"next":{"$ref":"#"}}}}}}]"##;
    let talk = r#"[{"role":"user","content":"U"},{"role":"assistant","tool_calls":[{"id":"k","function":{"name":"find","arguments":"{\"große Zahl\":[1]}"}}]},
        {"role":"tool","tool_call_id":"k","content":"r"}]"#;
    let made = made(&tools(prompt(talk), given), Provider::Anthropic);
    let body = made.body().to_string();
    assert!(
        body.contains(
            r##""properties":{"value":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}}"##
        ),
        "{body}"
    );
    assert!(
        body.contains(
            r##""gro_e_Zahl":{"type":"array","items":{}},"next":{"$ref":"#/properties/value"}"##
        ),
        "{body}"
    );
    assert!(body.contains(r#""input":{"value":{"gro_e_Zahl":[1]}}"#), "{body}");
    let tools = Json::parse(given).unwrap();
    let tools: Vec<Object> =
        tools.as_array().unwrap().iter().map(|tool| tool.as_object().unwrap().clone()).collect();
    let call = Json::parse(r#"{"value":{"gro_e_Zahl":[1]}}"#).unwrap();
    let (name, arguments) = restore_call(Provider::Anthropic, &tools, "find", call);
    assert_eq!((name.as_str(), arguments.to_string().as_str()), ("find", r#"{"große Zahl":[1]}"#));
}

#[test]
fn the_table_of_models_is_read_whole() {
    let json = Json::parse(include_str!("models.json")).unwrap();
    let read = Models::from_json(&Field::root(&json)).unwrap();
    assert_eq!(&read, Models::shared());
    let wrong =
        Json::parse(r#"{"version":"1","models":[{"provider":"x","model":"y","thinking":"hard"}]}"#);
    let error = Models::from_json(&Field::root(&wrong.unwrap())).unwrap_err();
    assert_eq!(error.path().to_string(), "models[0].thinking");
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
fn files_and_pictures_go_where_they_can() {
    let file = |uri: &str, mime: &str| {
        format!(
            r#"[{{"role":"user","content":[{{"type":"text","text":"see"}},{{"type":"file","file":{{"file_id":"{uri}","format":{mime}}}}}]}}]"#
        )
    };
    let picture = file("https://h/a.png", "null");
    assert!(
        body(&picture, Provider::OpenaiChat)
            .contains(r#"{"type":"image_url","image_url":{"url":"https://h/a.png"}}"#)
    );
    assert!(body(&picture, Provider::OpenaiResponses).contains(r#""type":"input_image""#));
    assert!(
        body(&picture, Provider::Anthropic)
            .contains(r#"{"type":"image","source":{"type":"url","url":"https://h/a.png"}}"#)
    );
    assert!(
        body(&picture, Provider::Gemini)
            .contains(r#"{"fileData":{"mimeType":"image/png","fileUri":"https://h/a.png"}}"#)
    );

    let pdf = file("https://h/a", r#""application/pdf""#);
    assert_eq!(codes(&pdf, Provider::OpenaiChat), ["media_as_text 0"]);
    assert!(
        body(&pdf, Provider::OpenaiResponses)
            .contains(r#"{"type":"input_file","file_url":"https://h/a"}"#)
    );
    assert!(body(&pdf, Provider::Anthropic).contains(r#""type":"document""#));

    let bucket = file("s3://b/k", r#""image/png""#);
    assert!(body(&bucket, Provider::Bedrock).contains(r#"{"s3Location":{"uri":"s3://b/k"}}"#));
    let others = |provider: &Provider| *provider != Provider::Bedrock;
    for provider in Provider::ALL.iter().copied().skip(1).filter(others) {
        assert_eq!(codes(&bucket, provider), ["media_as_text 0"]);
        assert!(body(&bucket, provider).contains("[file s3://b/k (image/png)]"));
    }
    let assistant = picture.replace("user", "assistant");
    assert!(codes(&assistant, Provider::OpenaiChat).contains(&"media_as_text 0".to_owned()));
}

#[test]
fn media_of_every_encoding() {
    let media = |mime: &str, encoding: &str| {
        format!(
            r#"[{{"role":"user","content":[{{"type":"media_placeholder","media_info":{{"mime_type":"{mime}","encoding":"{encoding}","content":"AAAA"}}}}]}}]"#
        )
    };
    let png = media("image/png", "base64");
    assert!(body(&png, Provider::OpenaiChat).contains("data:image/png;base64,AAAA"));
    assert!(
        body(&png, Provider::Anthropic)
            .contains(r#"{"type":"base64","media_type":"image/png","data":"AAAA"}"#)
    );
    assert!(
        body(&png, Provider::Gemini)
            .contains(r#"{"inlineData":{"mimeType":"image/png","data":"AAAA"}}"#)
    );
    let sound = media("audio/mpeg", "base64");
    assert!(
        body(&sound, Provider::OpenaiChat)
            .contains(r#""input_audio":{"data":"AAAA","format":"mp3"}"#)
    );
    assert_eq!(codes(&sound, Provider::Anthropic), ["media_as_text 0"]);
    let odd = media("image/png", "hex");
    assert!(body(&odd, Provider::OpenaiChat).contains("[file of 4 characters in hex (image/png)]"));
    let url = r#"[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://h/p"}},{"type":"poem","lines":[1]}]}]"#;
    assert_eq!(codes(url, Provider::Anthropic), ["unknown_part 0"]);
    assert_eq!(codes(url, Provider::Gemini), ["unknown_part 0", "media_as_text 0"]);
    assert!(body(url, Provider::OpenaiChat).contains(r#"{\"type\": \"poem\", \"lines\": [1]}"#));
}

#[test]
fn arguments_that_are_no_object() {
    let talk = |arguments: &str| {
        format!(
            r#"[{{"role":"user","content":"u"}},{{"role":"assistant","tool_calls":[{{"id":"k","function":{{"name":"f","arguments":{arguments}}}}}]}},{RESULT}]"#
        )
    };
    assert_eq!(codes(&talk(r#""""#), Provider::Anthropic), ["arguments_rewritten 1"]);
    assert_eq!(codes(&talk(r#""[1]""#), Provider::Anthropic), ["arguments_wrapped 1"]);
    assert!(
        body(&talk(r#""not json""#), Provider::Gemini)
            .contains(r#""args":{"arguments":"not json"}"#)
    );
    assert_eq!(codes(&talk(r#"{"q":1}"#), Provider::OpenaiChat), ["arguments_rewritten 1"]);
    let flat = format!(
        r#"[{{"role":"user","content":"u"}},{{"role":"ai","tool_calls":[{{"id":"k","name":"f","args":{{"q":1e400}}}},{{"odd":1}}]}},{RESULT}]"#
    );
    assert_eq!(
        codes(&flat, Provider::Anthropic),
        ["role_renamed 1", "arguments_rewritten 1", "malformed_call 1"]
    );
    assert!(body(&flat, Provider::Anthropic).contains(r#""input":{"q":1e400}"#));
}

#[test]
fn tools_in_every_shape() {
    let given = tools(
        prompt(r#"[{"role":"user","content":"u"}]"#),
        r#"[{"type":"function","function":{"name":"a","description":"d","parameters":{"type":"object","properties":{}},"strict":true}},
            {"name":"b","input_schema":{"properties":{"x":{"type":"string"}}}},
            {"type":"function","function":{"name":"a","description":"d","parameters":{"type":"object","properties":{}},"strict":true}},
            {"type":"function","function":{"name":"a"}},
            {"type":"web_search"},{"description":"nameless"},
            {"name":"c","parameters":{"type":"string"}},{"name":"d.e/f"},{"name":"g","parameters":[]}]"#,
    );
    let payload = made(&given, Provider::OpenaiResponses);
    assert_eq!(
        payload
            .losses()
            .iter()
            .map(|loss| (loss.code.as_str(), loss.tool.unwrap()))
            .collect::<Vec<_>>(),
        [
            ("schema_rewritten", 0),
            ("schema_rewritten", 1),
            ("schema_rewritten", 2),
            ("duplicate_tool", 2),
            ("conflicting_tool", 3),
            ("malformed_tool", 5),
            ("schema_wrapped", 6),
            ("tool_name_rewritten", 7),
            ("malformed_tool", 8),
        ]
    );
    assert_eq!(
        payload.renamed_tools(),
        [
            Renamed { given: "c".into(), sent: "c".into(), wrapped: true, properties: vec![] },
            Renamed {
                given: "d.e/f".into(),
                sent: "d_e_f".into(),
                wrapped: false,
                properties: vec![]
            }
        ]
    );
    let body = payload.body().to_string();
    assert!(body.contains(r#"{"type":"function","name":"d_e_f","parameters":{"type":"object","properties":{}},"strict":false}"#), "{body}");
    let gemini = made(&given, Provider::Gemini);
    assert!(gemini.losses().iter().any(|loss| loss.code == Change::StrictDropped));
    assert!(gemini.body().to_string().contains(r#"{"name":"d.e_f"}"#));
    assert!(
        made(&given, Provider::Anthropic)
            .body()
            .to_string()
            .contains(r#""input_schema":{"type":"object","properties":{"x":{"type":"string"}}}"#)
    );
}

#[test]
fn two_names_that_become_one_stay_two() {
    let given = tools(
        prompt(r#"[{"role":"user","content":"u"}]"#),
        r#"[{"name":"a.b"},{"name":"a/b"},{"name":"a_b"}]"#,
    );
    let sent: Vec<_> = made(&given, Provider::OpenaiChat)
        .renamed_tools()
        .iter()
        .map(|tool| tool.sent.clone())
        .collect();
    assert_eq!(sent, ["a_b_2", "a_b_3"]);
}

#[test]
fn a_call_under_another_name_is_told_where_it_stands() {
    let call = |id: &str| {
        format!(
            r#"{{"role":"assistant","tool_calls":[{{"id":"{id}","function":{{"name":"a.b","arguments":"{{}}"}}}}]}},
            {{"role":"tool","tool_call_id":"{id}","content":"r"}}"#
        )
    };
    let talk = format!(r#"[{{"role":"user","content":"u"}},{},{}]"#, call("k"), call("l"));
    let given = tools(prompt(&talk), r#"[{"name":"a.b"}]"#);
    let losses = named(&made(&given, Provider::OpenaiChat));
    assert_eq!(losses, ["tool_name_rewritten 1", "tool_name_rewritten 3", "tool_name_rewritten -"]);
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
        r#"{"code":"system_moved","action":"move","lossy":true,"position":1,"card_id":"c7","layer":"todo__context","reason":"a system message stands before the conversation, not in it"}"#
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
        "bad_request at `messages[2]`: `anthropic` cannot take this as it stands: reasoning is not taken back here; `strict` refuses to change it"
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
    assert!(Change::from_json(&Field::root(&json)).is_err());
}
