//! Streams of OpenAI Responses and Gemini. A whole stream equals the answer. A truncated stream
//! gives what arrived. Events of another provider are refused.

use tuckbox::prompt::provider::{Provider, Response, read_events, read_response};
use tuckbox::{Code, Json, json};

/// Returns the message and the stop reason of an answer.
fn content(response: &Response) -> String {
    let message = tuckbox::value::json::to_json(&response.message).unwrap();
    format!("{message} {:?}", response.stop_reason)
}

#[test]
fn a_responses_stream_equals_its_answer_and_a_truncated_one_is_partial() {
    let said = json!({"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "Let me see.", "annotations": []}]});
    let call = json!({"type": "function_call", "id": "f1", "call_id": "c1", "name": "look_up", "arguments": "{\"city\": \"Lisbon\"}"});
    let whole = json!({"id": "r1", "model": "m", "status": "completed", "output": [(said.clone()), (call.clone())], "usage": {"input_tokens": 9, "output_tokens": 4}});
    let begun = json!({"id": "r1", "model": "m", "status": "in_progress", "output": []});
    let events = [
        json!({"type": "response.created", "response": (begun.clone())}),
        json!({"type": "keepalive"}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "id": "m1", "role": "assistant", "content": []}}),
        json!({"type": "response.output_text.delta", "output_index": 0, "delta": "Let me"}),
        json!({"type": "response.output_text.delta", "output_index": 0, "delta": " see."}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": said}),
        json!({"type": "response.output_item.added", "output_index": 1, "item": {"type": "function_call", "id": "f1", "call_id": "c1", "name": "look_up", "arguments": ""}}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{\"city\": "}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "\"Lisbon\"}"}),
        json!({"type": "response.output_item.done", "output_index": 1, "item": call}),
        json!({"type": "response.completed", "response": (whole.clone())}),
    ];
    let read = |events: &[Json]| read_events(Provider::OpenaiResponses, events, &[]);
    let answer = read_response(Provider::OpenaiResponses, &whole, &[]).unwrap();
    let streamed = read(&events).unwrap();
    assert!(streamed.complete);
    assert_eq!(content(&streamed), content(&answer));
    for end in 1..events.len() {
        let cut = read(&events[..end]).unwrap();
        assert!(!cut.complete && !cut.losses.is_empty(), "{end}");
        let message = tuckbox::value::json::to_json(&cut.message).unwrap().to_string();
        assert_eq!(message.contains("Let me see."), end > 4, "{end}: {message}");
        // a call appears only with all its arguments; one that has just started looks like a call
        // without arguments
        if end != 7 {
            assert_eq!(message.contains("look_up"), end > 8, "{end}: {message}");
        }
    }
    let failed = [
        events[0].clone(),
        json!({"type": "error", "code": "overloaded", "message": "Try again."}),
    ];
    let error = read(&failed).unwrap_err();
    assert_eq!(error.path().to_string(), "events.error");
    assert!(error.message().contains("Try again."), "{error}");
    for (wrong, path) in [
        (json!({"type": "message_start"}), "events[1]"),
        (json!({"type": "response.output_item.added", "output_index": 3, "item": {}}), "events[1]"),
        (
            json!({"type": "response.output_text.delta", "output_index": 0, "delta": "x"}),
            "events[1]",
        ),
    ] {
        let error = read(&[events[0].clone(), wrong]).unwrap_err();
        assert_eq!((error.code(), error.path().to_string()), (Code::BadRequest, path.to_owned()));
    }
}

#[test]
fn a_gemini_stream_equals_its_answer_and_a_blocked_prompt_has_a_reason() {
    let part = |words: &str| json!({"text": words});
    let call = json!({"functionCall": {"name": "look_up", "args": {"city": "Lisbon"}}, "thoughtSignature": "s"});
    let chunk = |part: Json| json!({"responseId": "r1", "modelVersion": "m", "candidates": [{"content": {"role": "model", "parts": [part]}}]});
    let mut last = chunk(call.clone());
    if let Json::Object(members) = &mut last {
        members.insert(
            "usageMetadata".to_owned(),
            json!({"promptTokenCount": 9, "candidatesTokenCount": 4}),
        );
        members.insert("candidates".to_owned(), json!([{"content": {"role": "model", "parts": [(call.clone())]}, "finishReason": "STOP"}]));
    }
    let events = [
        chunk(json!({"text": "Hm", "thought": true})),
        chunk(json!({"text": "m.", "thought": true})),
        chunk(part("Let me")),
        chunk(part(" see.")),
        last,
    ];
    let whole = json!({"responseId": "r1", "modelVersion": "m", "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4},
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hmm.", "thought": true}, (part("Let me see.")), call]}, "finishReason": "STOP"}]});
    let read = |events: &[Json]| read_events(Provider::Gemini, events, &[]);
    let streamed = read(&events).unwrap();
    assert!(streamed.complete);
    let answer = read_response(Provider::Gemini, &whole, &[]).unwrap();
    assert_eq!(content(&streamed), content(&answer));
    assert!(!read(&events[..4]).unwrap().complete);

    let blocked = read(&[json!({"promptFeedback": {"blockReason": "SAFETY"}})]).unwrap();
    assert_eq!((blocked.complete, blocked.stop_reason.as_deref()), (true, Some("SAFETY")));
    let error = read(&[events[0].clone(), json!({"type": "ping"})]).unwrap_err();
    assert_eq!(
        (error.code(), error.path().to_string()),
        (Code::BadRequest, "events[1]".to_owned())
    );
}
