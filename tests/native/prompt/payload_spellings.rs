//! Parts and options in a request: every accepted spelling, and every option that is dropped, with
//! the reason.

use tuckbox::agents::Setup;
use tuckbox::rule::{AnyOutcome, Step};
use tuckbox::{Env, Error, Json, Result, Snapshot, Timestamp, json};

fn run(call: &Json) -> Result<AnyOutcome> {
    let call = Setup::default().read_call(call)?;
    let env = Env::new(Timestamp::from_millis(0), [0; 32]);
    match call.step(&Snapshot::new("p1".into()), &env)? {
        Step::Done(outcome) => Ok(outcome),
        Step::Need(_) => panic!("the call reads"),
    }
}

fn with(base: &Json, more: &Json) -> Json {
    let mut members = base.as_object().unwrap().clone();
    for (key, value) in more.as_object().unwrap() {
        members.insert(key.clone(), value.clone());
    }
    Json::Object(members)
}

fn payload(provider: &str, messages: Json, more: &Json) -> Json {
    with(&json!({"op": "payload", "provider": provider, "model": "m", "messages": messages}), more)
}

/// Returns the body of a request, and its losses as `code: reason`.
fn made(call: &Json) -> (Json, Vec<String>) {
    let value = run(call).unwrap().value.to_json().unwrap();
    let losses = value.get("losses").and_then(Json::as_array).unwrap().iter();
    let text = |loss: &Json, key: &str| loss.get(key).map(Json::text_form).unwrap_or_default();
    let reasons = losses.map(|loss| format!("{}: {}", text(loss, "code"), text(loss, "reason")));
    (value.get("body").unwrap().clone(), reasons.collect())
}

fn refused(call: &Json) -> Error {
    match run(call) {
        Err(error) => error,
        Ok(_) => panic!("the call succeeds: {call}"),
    }
}

/// Returns the content blocks of the last message for Anthropic.
fn blocks(messages: Json) -> (String, Vec<String>) {
    let (body, losses) = made(&payload("anthropic", messages, &json!({"max_output_tokens": 9})));
    let last = body.get("messages").unwrap().as_array().unwrap().last().unwrap().clone();
    (last.get("content").unwrap().to_string(), losses)
}

#[test]
fn a_result_is_read_in_any_spelling() {
    let failed = r#","is_error":true"#;
    let flat = ["unknown_part: a result can have only text and files; another part becomes text"];
    for (answer, content, is_error, losses) in [
        (json!({"type": "tool_result", "tool_use_id": "k", "content": "r"}), "r", "", &[][..]),
        (json!({"type": "tool_result", "tool_use_id": "k", "content": null}), "", "", &[]),
        (json!({"type": "tool_result", "tool_use_id": "k", "content": 7}), "7", "", &[]),
        (json!({"type": "tool_result", "tool_use_id": "k", "content": [1, 2]}), "[1, 2]", "", &[]),
        (
            json!({"type": "tool-result", "toolCallId": "k", "output": {"type": "text", "value": "r"}}),
            "r",
            "",
            &[],
        ),
        (
            json!({"type": "tool-result", "toolCallId": "k", "output": {"type": "json", "value": {"n": 1}}}),
            r#"{\"n\": 1}"#,
            "",
            &[],
        ),
        (
            json!({"type": "tool-result", "toolCallId": "k", "output": {"type": "error-text", "value": "no"}}),
            "no",
            failed,
            &[],
        ),
        (
            json!({"type": "tool-result", "toolCallId": "k", "output": {"type": "content", "value": [{"type": "text", "text": "r"}]}}),
            "r",
            "",
            &[],
        ),
        (
            json!({"functionResponse": {"id": "k", "name": "f", "response": {"output": "r"}}}),
            "r",
            "",
            &[],
        ),
        (
            json!({"functionResponse": {"id": "k", "name": "f", "response": {"error": "no"}}}),
            "no",
            failed,
            &[],
        ),
        (
            json!({"functionResponse": {"id": "k", "name": "f", "response": {"a": 1, "b": 2}}}),
            r#"{\"a\": 1, \"b\": 2}"#,
            "",
            &[],
        ),
        (
            json!({"toolResult": {"toolUseId": "k", "content": [{"text": "r"}], "status": "error"}}),
            "r",
            failed,
            &[],
        ),
        // parts that a result cannot have
        (
            json!({"type": "tool_result", "tool_use_id": "k", "content": [{"type": "tool_use", "id": "z", "name": "g", "input": {"n": 1}}]}),
            r#"[call of g] {\"n\":1}"#,
            "",
            &flat,
        ),
        (
            json!({"type": "tool_result", "tool_use_id": "k", "content": [{"type": "tool_result", "tool_use_id": "z", "content": "inner"}]}),
            "inner",
            "",
            &flat,
        ),
        (
            json!({"type": "tool_result", "tool_use_id": "k", "content": [{"type": "refusal", "refusal": "no"}]}),
            "no",
            "",
            &flat,
        ),
    ] {
        let call = json!({"role": "assistant", "tool_calls": [{"id": "k", "type": "function", "function": {"name": "f", "arguments": "{}"}}]});
        let talk = json!([{"role": "user", "content": "q"}, call, {"role": "user", "content": [(answer.clone())]}]);
        let (found, reported) = blocks(talk);
        let expected = match content {
            "" => format!(r#"[{{"type":"tool_result","tool_use_id":"k"{is_error}}}]"#),
            content => format!(
                r#"[{{"type":"tool_result","tool_use_id":"k","content":"{content}"{is_error}}}]"#
            ),
        };
        assert_eq!(
            (found, reported),
            (expected, losses.iter().map(|loss| (*loss).to_owned()).collect()),
            "{answer}"
        );
    }
}

#[test]
fn a_file_is_read_in_any_spelling() {
    let text = |data: &str| {
        format!(
            r#"{{"type":"document","source":{{"type":"text","media_type":"text/plain","data":"{data}"}}}}"#
        )
    };
    let url = |kind: &str, url: &str| {
        format!(r#"{{"type":"{kind}","source":{{"type":"url","url":"{url}"}}}}"#)
    };
    let png =
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}"#;
    for (part, expected) in [
        (
            json!({"type": "document", "source": {"type": "content", "content": "words"}}),
            text("words"),
        ),
        (
            json!({"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}),
            text("a\\nb"),
        ),
        (
            json!({"type": "file", "mediaType": "image/png", "data": {"type": "data", "data": "AAAA"}}),
            png.to_owned(),
        ),
        (
            json!({"type": "file", "mediaType": "image/png", "data": {"type": "url", "url": "https://h/a"}}),
            url("image", "https://h/a"),
        ),
        (json!({"type": "file", "data": {"type": "text", "text": "words"}}), text("words")),
        (
            json!({"type": "file", "file": {"file_id": "https://h/a.pdf"}}),
            url("document", "https://h/a.pdf"),
        ),
        (
            json!({"type": "file", "file": {"file_id": "h/a.pdf"}}),
            r#"{"type":"text","text":"[file h/a.pdf (application/pdf)]"}"#.to_owned(),
        ),
        (
            json!({"type": "file", "file": {"file_id": "f1", "provider": "anthropic", "format": "application/pdf"}}),
            r#"{"type":"document","source":{"type":"file","file_id":"f1"}}"#.to_owned(),
        ),
        (json!({"type": "media", "mimeType": "image/png", "image": "AAAA"}), png.to_owned()),
        (json!({"type": "image-data", "mediaType": "image/png", "data": "AAAA"}), png.to_owned()),
        (json!("words"), r#"{"type":"text","text":"words"}"#.to_owned()),
    ] {
        let (found, _) = blocks(json!([{"role": "user", "content": [(part.clone())]}]));
        assert_eq!(found, format!("[{expected}]"), "{part}");
    }
    // a file without a known source is sent as text
    for part in [
        json!({"type": "document", "source": {"type": "hologram"}}),
        json!({"type": "file", "data": {"type": "hologram"}}),
        json!({"type": "file", "name": "a"}),
    ] {
        let (found, reported) = blocks(json!([{"role": "user", "content": [(part.clone())]}]));
        assert!(found.starts_with(r#"[{"type":"text","text":"{\"type\":"#), "{found}");
        assert!(reported[0].starts_with("unknown_part"), "{reported:?}");
    }
    for (ending, mime) in [
        ("mov", "video/quicktime"),
        ("webm", "video/webm"),
        ("txt", "text/plain"),
        ("md", "text/markdown"),
        ("csv", "text/csv"),
        ("html", "text/html"),
        ("HEIC", "image/heic"),
    ] {
        let part =
            json!({"type": "file", "file": {"file_id": (format!("https://h/a.{ending}?x#y"))}});
        let (body, _) =
            made(&payload("gemini", json!([{"role": "user", "content": [part]}]), &json!({})));
        assert!(body.to_string().contains(&format!(r#""mimeType":"{mime}""#)), "{ending}: {body}");
    }
}

#[test]
fn quirks_adapt_the_body_to_a_server() {
    let talk = json!([{"role": "user", "content": "q"}, {"role": "developer", "content": "D"}, {"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"},
        {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}]);
    let tools = json!([{"name": "f"}]);
    for (quirks, has, has_not) in [
        (json!([]), r#""max_tokens":9"#, "max_completion_tokens"),
        (json!(["max_completion_tokens"]), r#""max_completion_tokens":9"#, r#""max_tokens""#),
        (json!(["text_content"]), r#"{"role":"user","content":"one\n\ntwo"}"#, r#""type":"text""#),
        (json!(["developer"]), r#"{"role":"developer","content":"D"}"#, r#""role":"system""#),
        (json!(["system_first"]), r#""messages":[{"role":"system","content":"D"}"#, "developer"),
        (json!(["vllm"]), r#""messages":[{"role":"system","content":"D"}"#, "developer"),
        (
            json!(["llama_cpp"]),
            r#""messages":[{"role":"system","content":"D"},{"role":"user","content":"q"},{"role":"assistant","content":"#,
            r#"}]},{"role":"assistant""#,
        ),
        (json!(["ollama"]), r#""tools""#, "tool_choice"),
    ] {
        let more = json!({"quirks": (quirks.clone()), "max_output_tokens": 9, "tools": (tools.clone()), "tool_choice": "required"});
        let (body, losses) = made(&payload("openai_compatible", talk.clone(), &more));
        let body = body.to_string();
        assert!(body.contains(has) && !body.contains(has_not), "{quirks}: {body}");
        let gone = losses.iter().any(|loss| loss.contains("the server does not support it"));
        assert_eq!(gone, quirks == json!(["ollama"]), "{losses:?}");
    }
    let error =
        refused(&payload("openai_compatible", talk, &json!({"quirks": ["system_first", "shy"]})));
    assert_eq!(error.path().to_string(), "quirks[1]");
    assert!(
        error
            .message()
            .starts_with("unknown quirk `shy`; expected one of `system_first`, `alternate`"),
        "{}",
        error.message()
    );
}

#[test]
fn conflicts_of_thinking_and_other_options_are_reported() {
    let asked = json!([{"role": "user", "content": "q"}]);
    let begun = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "So"}]);
    let call = json!({"type": "tool_use", "id": "k", "name": "f", "input": {}});
    let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k", "content": "r"}]});
    let looped = |first: Json| json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": first}, (result.clone())]);
    let bare = looped(json!([(call.clone())]));
    let thought = looped(json!([{"type": "thinking", "thinking": "hm", "signature": "s"}, call]));
    let budget = json!({"model_info": {"thinking": "budget", "temperature": true}, "tools": [{"name": "f"}], "keep_reasoning": true});
    for (messages, options, tokens, reason) in [
        (asked.clone(), json!({"effort": "max"}), Some(32_000), ""),
        (asked.clone(), json!({"effort": "minimal"}), Some(1_024), ""),
        (asked.clone(), json!({"thinking_tokens": 9}), Some(1_024), "1024"),
        (
            asked.clone(),
            json!({"thinking_tokens": 5_000, "max_output_tokens": 3_000}),
            Some(2_999),
            "2999",
        ),
        (
            asked.clone(),
            json!({"effort": "low", "max_output_tokens": 500}),
            None,
            "the number must be at least 1024 and less than `max_tokens`",
        ),
        (
            asked.clone(),
            json!({"effort": "low", "temperature": 1}),
            Some(2_048),
            "it cannot be combined with thinking",
        ),
        (
            asked.clone(),
            json!({"effort": "low", "tool_choice": "required"}),
            None,
            "thinking cannot be combined with a forced `tool_choice`",
        ),
        (
            begun,
            json!({"effort": "low", "prefill": true, "model_info": {"thinking": "budget", "prefill": true}}),
            None,
            "thinking cannot be combined with a started answer",
        ),
        (bare, json!({"effort": "low"}), None, "the model made the open calls without thinking"),
        (thought, json!({"effort": "low"}), Some(2_048), ""),
        (
            asked.clone(),
            json!({"temperature": 0.5, "top_p": 0.5}),
            None,
            "it cannot be combined with `temperature`",
        ),
        (asked, json!({"effort": "none"}), None, ""),
    ] {
        let call = payload("anthropic", messages, &with(&budget, &options));
        let (body, losses) = made(&call);
        let thinks = body.get("thinking").and_then(|thinking| thinking.get("budget_tokens"));
        assert_eq!(
            thinks.map(Json::to_string),
            tokens.map(|tokens| tokens.to_string()),
            "{options}: {body}"
        );
        let gone: Vec<&String> =
            losses.iter().filter(|loss| !loss.starts_with("limit_added")).collect();
        match reason {
            "" => assert!(gone.is_empty(), "{options}: {gone:?}"),
            reason => assert!(gone.iter().any(|loss| loss.contains(reason)), "{options}: {gone:?}"),
        }
    }
}

#[test]
fn invalid_options_are_refused_with_their_path() {
    let talk = json!([{"role": "user", "content": "q"}]);
    for (more, path, words) in [
        (
            json!({"effort": "heroic"}),
            "effort",
            "unknown effort `heroic`; expected one of `none`, `minimal`",
        ),
        (json!({"temperature": "warm"}), "temperature", "a number"),
        (json!({"allow": ["anything"]}), "allow[0]", "`anything`"),
        (json!({"extra": {"messages": []}}), "extra.messages", "the payload sets `messages`"),
        (json!({"extra": {"tool_choice": 7}}), "extra.tool_choice", ""),
    ] {
        let error = refused(&payload("anthropic", talk.clone(), &more));
        assert_eq!(error.path().to_string(), path, "{}", error.message());
        assert!(error.message().contains(words), "{}", error.message());
    }
    // `tool_choice` in `extra` is read as the option of that name
    let more = json!({"tools": [{"name": "f"}], "extra": {"tool_choice": {"type": "any", "disable_parallel_tool_use": true}}});
    let (body, _) = made(&payload("anthropic", talk, &more));
    assert_eq!(
        body.get("tool_choice").unwrap().to_string(),
        r#"{"type":"any","disable_parallel_tool_use":true}"#
    );
}

#[test]
fn cache_marks_and_options_of_a_part_are_read_or_reported() {
    let part = |more: Json| json!([{"role": "user", "content": [(with(&json!({"type": "text", "text": "q"}), &more))]}]);
    for (more, mark) in [
        (
            json!({"providerOptions": {"anthropic": {"cacheControl": {"type": "ephemeral", "ttl": "1h"}}}}),
            r#""cache_control":{"type":"ephemeral","ttl":"1h"}"#,
        ),
        (json!({"prompt_cache_breakpoint": true}), r#""cache_control":{"type":"ephemeral"}"#),
        (json!({"cache": "1h"}), r#""cache_control":{"type":"ephemeral","ttl":"1h"}"#),
    ] {
        let (found, reported) = blocks(part(more.clone()));
        assert_eq!(
            (found, reported),
            (format!(r#"[{{"type":"text","text":"q",{mark}}}]"#), Vec::new()),
            "{more}"
        );
    }
    let (_, reported) = blocks(part(json!({"providerOptions": {"acme": {"x": 1}}})));
    assert_eq!(
        reported,
        ["key_dropped: `anthropic` does not take the key `providerOptions` of a part"]
    );
}

#[test]
fn a_diff_uses_the_cache_rules_of_the_call() {
    let side = |words: &str| json!({"model": "m", "max_output_tokens": 9, "messages": [{"role": "system", "content": (words.repeat(400))}, {"role": "user", "content": words}]});
    let call = |cache: Json| json!({"op": "diff_payloads", "provider": "openai_chat", "before": (side("same ")), "after": (side("same ")), "cache": cache});
    let read = |cache: Json| {
        let value = run(&call(cache)).unwrap().value.to_json().unwrap();
        value.get("cache").unwrap_or(&value).to_string()
    };
    let little = read(json!({"least_tokens": 1, "step": 1, "whole_blocks": false}));
    let much = read(json!({"least_tokens": 1_000_000}));
    assert_ne!(little, much);
    for (cache, path) in [
        (json!({"least": 1}), "cache.least"),
        (json!({"step": "x"}), "cache.step"),
        (json!({"whole_blocks": 1}), "cache.whole_blocks"),
    ] {
        assert_eq!(refused(&call(cache)).path().to_string(), path);
    }
}
