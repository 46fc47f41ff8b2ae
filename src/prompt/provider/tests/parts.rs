use super::*;

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
fn a_call_under_another_name_is_reported_with_its_path() {
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
fn a_file_by_id_goes_to_whose_id_it_is() {
    let file = |kind: &str, owner: &str| {
        format!(r#"[{{"role":"user","content":[{{"type":"{kind}","file_id":"a.b/c"{owner}}}]}}]"#)
    };
    let anthropic = file("image", r#","provider":"anthropic""#);
    assert!(
        body(&anthropic, Provider::Anthropic)
            .contains(r#"{"type":"image","source":{"type":"file","file_id":"a.b/c"}}"#)
    );
    assert_eq!(codes(&anthropic, Provider::OpenaiResponses), ["media_as_text 0"]);
    let openai = file("document", r#","provider":"openai""#);
    assert!(
        body(&openai, Provider::OpenaiResponses)
            .contains(r#"{"type":"input_file","file_id":"a.b/c"}"#)
    );
    assert!(codes(&openai, Provider::Anthropic).contains(&"media_as_text 0".to_owned()));
    for unclear in [file("image", ""), file("image", r#","provider":"acme""#)] {
        assert!(codes(&unclear, Provider::OpenaiResponses).contains(&"media_as_text 0".to_owned()));
    }
    let keys = codes(&file("image", r#","provider":"acme""#), Provider::OpenaiResponses);
    assert!(keys.contains(&"key_dropped 0".to_owned()), "{keys:?}");
}

#[test]
fn the_ai_sdk_hands_on_what_gemini_signed() {
    let signed = r#"[{"role":"user","content":"U"},{"role":"assistant","content":[{"type":"text","text":"A","thoughtSignature":"t1"}]},{"role":"user","content":"V"}]"#;
    assert!(
        body(signed, Provider::AiSdk)
            .contains(r#""providerOptions":{"google":{"thoughtSignature":"t1"}}"#)
    );
    assert!(codes(signed, Provider::AiSdk).is_empty());
    assert_eq!(codes(signed, Provider::OpenaiChat), ["signature_dropped 1"]);
}
