use super::*;
use crate::prompt::provider::{Options, Prompt, payload};
use crate::value::message::Content;

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

fn list(text: &str) -> Vec<Json> {
    json(text).as_array().unwrap().to_vec()
}

const EVENTS: &str = r#"[
    {"type":"message_start","message":{"id":"m","model":"claude-x","content":[],"usage":{"input_tokens":5,"output_tokens":1}}},
    {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}},
    {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}},
    {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s1"}},
    {"type":"content_block_stop","index":0},
    {"type":"ping"},
    {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}},
    {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Let me "}},
    {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"see."}},
    {"type":"content_block_stop","index":1},
    {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"k","name":"file_read","input":{}}},
    {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}},
    {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\"a\"}"}},
    {"type":"content_block_stop","index":2},
    {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}},
    {"type":"message_stop"}]"#;

#[test]
fn a_stream_becomes_a_message_with_the_tools_own_names() {
    let tool =
        json(r#"{"name":"file.read","parameters":{"type":"object","properties":{"path":{}}}}"#);
    let tools = [tool.as_object().unwrap().clone()];
    let response = read_events(Provider::Anthropic, &list(EVENTS), &tools).unwrap();
    assert_eq!(
        crate::value::json::to_json(&response.message).unwrap().to_string(),
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s1"},{"type":"text","text":"Let me see."}],"tool_calls":[{"id":"k","type":"function","function":{"name":"file.read","arguments":"{\"path\":\"a\"}"}}]}"#
    );
    assert!(response.complete && response.losses.is_empty());
    assert_eq!((response.stop, response.usage.output_tokens), (Stop::ToolCalls, Some(9)));
    let text = response.card.get("content").unwrap().get("text").unwrap();
    assert_eq!(text.as_str(), Some("Let me see."));
}

#[test]
fn a_stream_that_is_cut_says_so_and_makes_no_half_call() {
    let cut = list(EVENTS)[..12].to_vec();
    let response = read_events(Provider::Anthropic, &cut, &[]).unwrap();
    assert!(!response.complete && response.message.tool_calls.is_none());
    let codes: Vec<_> = response.losses.iter().map(|loss| loss.code.as_str()).collect();
    assert_eq!(codes, ["malformed_call", "empty_dropped"]);
}

#[test]
fn events_out_of_order_and_answers_of_others_are_refused_where_they_stand() {
    let mut events = list(EVENTS);
    events.swap(1, 2);
    let error = read_events(Provider::Anthropic, &events, &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "bad_request at `events[1]`: a block continues that did not start"
    );
    let chat = json(r#"{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}"#);
    let error = read_response(Provider::Anthropic, &chat, &[]).unwrap_err();
    assert_eq!(error.to_string(), "bad_request at `response`: expected an answer of `anthropic`");
    let failed = json(r#"{"error":{"message":"overloaded"}}"#);
    let error = read_response(Provider::Gemini, &failed, &[]).unwrap_err();
    assert_eq!(error.path().to_string(), "response.error");
    assert!(read_response(Provider::Neutral, &chat, &[]).is_err());
}

#[test]
fn chunks_of_chat_completions() {
    let events = list(
        r#"[{"id":"c","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}]},
            {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"k","function":{"name":"f","arguments":""}}]}}]},
            {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\": 1}"}}]}}]},
            {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]},
            {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}]"#,
    );
    let response = read_events(Provider::OpenaiChat, &events, &[]).unwrap();
    assert_eq!(
        crate::value::json::to_json(&response.message).unwrap().to_string(),
        r#"{"role":"assistant","content":"Hi","tool_calls":[{"id":"k","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]}"#
    );
    assert_eq!(response.usage.input_tokens, Some(7));
}

#[test]
fn a_card_of_an_answer_renders_to_the_same_message() {
    let response = read_events(Provider::Anthropic, &list(EVENTS), &[]).unwrap();
    let mut card = response.card.as_object().unwrap().clone();
    card.insert("card_id".into(), "c1".into());
    let mut minter = crate::Env::new(crate::Timestamp::from_millis(0), [0; 32]).minter();
    let card = crate::Card::from_wire(&Field::root(&Json::Object(card)), &mut minter).unwrap();
    let rendered = crate::render::render_cards([&card]);
    assert_eq!(rendered.messages, [response.message]);
}

#[test]
fn what_gemini_signed_goes_back_as_it_came() {
    let parts = r#"[{"text":"hm","thought":true},{"text":"so","thoughtSignature":"t1"},{"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"t2"}]"#;
    let body = json(&format!(
        r#"{{"candidates":[{{"content":{{"role":"model","parts":{parts}}},"finishReason":"STOP"}}]}}"#
    ));
    let response = read_response(Provider::Gemini, &body, &[]).unwrap();
    let result = Message { name: Some("f".into()), ..Message::tool("", "r") };
    let prompt = Prompt::new(vec![Message::user("U"), response.message, result]);
    let again = payload(&prompt, Provider::Gemini, &Options::model("gemini-3-pro")).unwrap();
    assert!(again.body().to_string().contains(parts), "{}", again.body());
}

#[test]
fn usage_has_what_went_into_the_cache() {
    let read = |provider, body: &str| read_response(provider, &json(body), &[]).unwrap();
    let usage = |provider, body: &str| read(provider, body).usage;
    let claude = r#"{"content": [], "diagnostics": {"cache_miss_reason": {"type": "tools_changed"}},
        "usage": {"input_tokens": 3, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 7,
        "cache_creation": {"ephemeral_5m_input_tokens": 5, "ephemeral_1h_input_tokens": 2}}}"#;
    let found = usage(Provider::Anthropic, claude);
    assert_eq!((found.input_tokens, found.cache_write_tokens), (Some(20), Some(7)));
    assert_eq!((found.cache_write_5m_tokens, found.cache_write_1h_tokens), (Some(5), Some(2)));
    let report = read(Provider::Anthropic, claude).cache_diagnostics.unwrap();
    assert_eq!(report.to_string(), r#"{"cache_miss_reason":{"type":"tools_changed"}}"#);

    let chat = |usage: &str| {
        format!(r#"{{"choices": [{{"message": {{"content": "Hi"}}}}], "usage": {usage}}}"#)
    };
    let details = r#"{"prompt_tokens": 20, "prompt_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 6}}"#;
    let found = usage(Provider::OpenaiChat, &chat(details));
    assert_eq!((found.cache_read_tokens, found.cache_write_tokens), (Some(8), Some(6)));
    let hits =
        r#"{"prompt_tokens": 20, "prompt_cache_hit_tokens": 12, "prompt_cache_miss_tokens": 8}"#;
    let found = usage(Provider::OpenaiCompatible, &chat(hits));
    assert_eq!((found.input_tokens, found.cache_read_tokens), (Some(20), Some(12)));

    let responses = r#"{"output": [], "prompt_cache_diagnostics": {"type": "cache_miss", "reason": "input_changed"},
        "usage": {"input_tokens": 20, "input_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 6}}}"#;
    let found = read(Provider::OpenaiResponses, responses);
    assert_eq!(found.usage.cache_write_tokens, Some(6));
    assert!(found.cache_diagnostics.is_some());

    let bedrock = r#"{"output": {"message": {"content": []}}, "usage": {"inputTokens": 3, "cacheReadInputTokens": 10,
        "cacheWriteInputTokens": 7, "cacheDetails": [{"ttl": "1h", "inputTokens": 7}]}}"#;
    let found = usage(Provider::Bedrock, bedrock);
    assert_eq!((found.input_tokens, found.cache_write_1h_tokens), (Some(20), Some(7)));
}

#[test]
fn the_deltas_of_a_stream_add_up_to_its_message() {
    let tool =
        json(r#"{"name":"file.read","parameters":{"type":"object","properties":{"path":{}}}}"#);
    let tools = [tool.as_object().unwrap().clone()];
    let deltas = read_deltas(Provider::Anthropic, &list(EVENTS), &tools).unwrap();
    let mut text = String::new();
    let mut arguments = String::new();
    let mut names = Vec::new();
    let mut last = Usage::default();
    for delta in deltas {
        match delta {
            Delta::Text { text: more } => text.push_str(&more),
            Delta::Reasoning { text } => assert_eq!(text, "hm"),
            Delta::ToolCall { index, name, arguments: more, .. } => {
                assert_eq!(index, Some(2));
                names.extend(name);
                arguments.push_str(&more);
            }
            Delta::Usage { usage } => last = usage,
            Delta::Refusal { .. } => panic!("the stream has no refusal"),
        }
    }
    assert_eq!((text.as_str(), arguments.as_str()), ("Let me see.", r#"{"path":"a"}"#));
    assert_eq!(names, ["file.read"]);
    assert_eq!(last.output_tokens, Some(9));
}

#[test]
fn a_stream_of_the_ai_sdk_is_joined_by_ids_and_has_its_last_step() {
    let events = list(
        r#"[{"type":"start-step"},{"type":"text-start","id":"0"},{"type":"text-delta","id":"0","text":"old"},
            {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":1,"outputTokens":1}},
            {"type":"start-step"},{"type":"reasoning-start","id":"1"},{"type":"text-start","id":"2"},
            {"type":"text-delta","id":"2","text":"Hel"},{"type":"reasoning-delta","id":"1","text":"hm"},
            {"type":"text-delta","id":"2","text":"lo"},{"type":"text-end","id":"2"},
            {"type":"finish","finishReason":{"unified":"stop"},"usage":{"inputTokens":{"total":9},"outputTokens":{"total":2}}}]"#,
    );
    let response = read_events(Provider::AiSdk, &events, &[]).unwrap();
    assert!(response.complete);
    assert_eq!((response.stop, response.usage.input_tokens), (Stop::End, Some(9)));
    let Content::Parts(parts) = &response.message.content else { panic!("no parts") };
    assert_eq!(
        Json::Array(parts.clone()).to_string(),
        r#"[{"type":"reasoning","text":"hm"},{"type":"text","text":"Hello"}]"#
    );
    assert!(!read_events(Provider::AiSdk, &events[..11], &[]).unwrap().losses.is_empty());
}
