use super::*;

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
fn marks_reach_new_models_of_openai_and_keep_their_lifetime_at_bedrock() {
    let talk = r#"[{"role":"system","content":[{"type":"text","text":"S","cache":"1h"}]},{"role":"user","content":"U"}]"#;
    let made = |provider, model: &str| {
        payload(&prompt(talk), provider, &Options::model(model)).unwrap().body().to_string()
    };
    let mark = r#""text":"S","prompt_cache_breakpoint":{"mode":"explicit"}}"#;
    assert!(made(Provider::OpenaiChat, "gpt-5.6-sol").contains(mark));
    assert!(made(Provider::OpenaiResponses, "gpt-6-astra").contains(mark));
    assert!(!made(Provider::OpenaiChat, "gpt-5.4").contains("prompt_cache_breakpoint"));
    assert!(!made(Provider::Mistral, "mistral-large").contains("prompt_cache_breakpoint"));
    let point = r#"{"cachePoint":{"type":"default","ttl":"1h"}}"#;
    assert!(made(Provider::Bedrock, "anthropic.claude-opus-5-5").contains(point));
}

#[test]
fn a_strategy_marks_places_that_stay() {
    let body = |turns: usize, json: &str| {
        let mut messages = vec![r#"{"role":"system","content":"S"}"#.to_owned()];
        for at in 0..turns {
            messages.push(format!(r#"{{"role":"user","content":"u{at}"}}"#));
            messages.push(format!(r#"{{"role":"assistant","content":"a{at}"}}"#));
        }
        messages.push(r#"{"role":"user","content":"last"}"#.to_owned());
        let options = Json::parse(json).unwrap();
        let options = Options::read(&Field::root(&options)).unwrap();
        let given = prompt(&format!("[{}]", messages.join(",")));
        let made = payload(&given, Provider::Anthropic, &options).unwrap();
        assert!(made.losses().iter().all(|loss| loss.code.as_str() != "cache_mark_dropped"));
        made.body().to_string()
    };
    let auto = r#"{"model":"claude-opus-5-5","cache":{"strategy":"auto","ttl":"1h"}}"#;
    let is_marked = |body: &str, text: &str| {
        body.contains(&format!(
            r#""text":"{text}","cache_control":{{"type":"ephemeral","ttl":"1h"}}"#
        ))
    };
    for turns in [8, 10, 14] {
        let body = body(turns, auto);
        assert_eq!(body.matches("cache_control").count(), 3);
        let stays = ["S", "a7", "last"].iter().all(|text| is_marked(&body, text));
        assert!(stays, "{body}");
    }
    let system = r#"{"model":"claude-opus-5-5","cache":{"strategy":"system"}}"#;
    assert_eq!(body(3, system).matches("cache_control").count(), 1);
    let manual = r#"{"model":"claude-opus-5-5","cache":{"strategy":"manual"}}"#;
    assert_eq!(body(3, manual).matches("cache_control").count(), 0);
}

#[test]
fn a_longer_lifetime_never_follows_a_shorter_one() {
    let talk = r#"[{"role":"system","content":[{"type":"text","text":"S","cache":"5m"}]},{"role":"user","content":[{"type":"text","text":"U","cache":"1h"}]}]"#;
    let body = body(talk, Provider::Anthropic);
    assert!(!body.contains("1h") && body.matches("cache_control").count() == 2, "{body}");
    assert_eq!(codes(talk, Provider::Anthropic), ["cache_mark_dropped 1"]);
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
    let options = Options::read(&Field::root(&json)).unwrap();
    let made = |provider| payload(&given, provider, &options).unwrap().body().to_string();
    let chat = made(Provider::OpenaiChat);
    for part in [
        r#""tool_choice":{"type":"function","function":{"name":"a_b"}},"parallel_tool_calls":false"#,
        r#""temperature":0.5,"stop":["END"],"response_format":{"type":"json_schema""#,
        r#""reasoning_effort":"low","metadata":{"user_id":"u1"}"#,
    ] {
        assert!(chat.contains(part), "{chat}");
    }
    let anthropic = made(Provider::Anthropic);
    assert!(anthropic.contains(
        r#""tool_choice":{"type":"tool","name":"a_b","disable_parallel_tool_use":true}"#
    ));
    assert!(anthropic.contains(r#""stop_sequences":["END"]"#), "{anthropic}");
    let gemini = made(Provider::Gemini);
    for part in [
        r#""functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["a.b"]}"#,
        r#""temperature":0.5,"stopSequences":["END"],"responseMimeType":"application/json""#,
        r#""thinkingConfig":{"thinkingLevel":"LOW"}"#,
    ] {
        assert!(gemini.contains(part), "{gemini}");
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
    let json = Json::parse(include_str!("../models.json")).unwrap();
    let read = Models::from_json(&Field::root(&json)).unwrap();
    assert_eq!(&read, Models::shared());
    let wrong =
        Json::parse(r#"{"version":"1","models":[{"provider":"x","model":"y","thinking":"hard"}]}"#);
    let error = Models::from_json(&Field::root(&wrong.unwrap())).unwrap_err();
    assert_eq!(error.path().to_string(), "models[0].thinking");
}

#[test]
fn every_correction_is_in_the_table() {
    let corrections = Json::parse(include_str!("../corrections.json")).unwrap();
    let table = Json::parse(include_str!("../models.json")).unwrap();
    let models = table.get("models").and_then(Json::as_array).unwrap();
    for correction in corrections.as_array().unwrap() {
        let facts = correction.as_object().unwrap();
        let named = |model: &&Json| {
            ["provider", "model"].iter().all(|key| model.get(key) == facts.get(key))
        };
        let model = models.iter().find(named).unwrap_or_else(|| panic!("{correction} is missing"));
        for (key, fact) in facts.iter().filter(|(key, _)| *key != "source") {
            assert_eq!(
                model.get(key),
                Some(fact),
                "`{key}` of {correction}: run `cargo xtask models`"
            );
        }
    }
}

#[test]
fn an_entry_names_a_model_and_its_dated_versions() {
    for model in
        ["gpt-5", "GPT-5", "gpt-5-2025-08-07", "gpt-5-20250807", "gpt-5@20250807", "gpt-5-latest"]
    {
        assert!(names_model("gpt-5", model), "{model}");
    }
    for model in ["gpt-5-mini", "gpt-5.1", "gpt-50", "gpt", "gpt-5-mini-2025-08-07", "gpt-5-1"] {
        assert!(!names_model("gpt-5", model), "{model}");
    }
    assert!(names_model("anthropic.claude-opus-4-6", "anthropic.claude-opus-4-6-v1:0"));
    assert!(
        names_model("gemini-3*", "gemini-3.9-ultra") && !names_model("gemini-3*", "gemini-2.5")
    );
}

#[test]
fn a_price_depends_on_the_threshold_and_is_none_without_a_number() {
    let price = ModelPrice {
        input: Some(2.0),
        output: Some(10.0),
        above: vec![PriceAbove { tokens: 100, input: Some(4.0), ..PriceAbove::default() }],
        ..ModelPrice::default()
    };
    let cost =
        |fresh, read, output| price.cost(&TokenUse { fresh, read, output, ..TokenUse::default() });
    assert_eq!(cost(100, 0, 0), Some(0.0002));
    assert_eq!(cost(101, 0, 0), Some(101.0 * 4.0 / 1e6));
    assert_eq!(cost(101, 0, 1), Some(101.0 * 4.0 / 1e6 + 10.0 / 1e6));
    assert_eq!(cost(1, 1, 0), None);
}

#[test]
fn a_temperature_goes_to_the_models_of_anthropic_that_take_one() {
    let given = prompt(r#"[{"role":"user","content":"u"}]"#);
    let made = |model: &str| {
        let temperature = Some(1_u64.into());
        let options = Options { temperature, max_output_tokens: Some(9), ..Options::model(model) };
        payload(&given, Provider::Anthropic, &options).unwrap()
    };
    for model in ["claude-3-5-haiku-latest", "claude-sonnet-4-5", "claude-opus-4-6"] {
        assert!(made(model).body().get("temperature").is_some(), "{model}");
        assert!(made(model).losses().is_empty(), "{model}");
    }
    for model in ["claude-opus-4-8", "some-model"] {
        assert!(made(model).body().get("temperature").is_none(), "{model}");
        assert_eq!(named(&made(model)), ["option_dropped -"], "{model}");
    }
}
