//! Every known spelling of a message part, a tool and an answer in logs.

use tuckbox::import::model::{Findings, Kind};
use tuckbox::import::{Import, SourceFile, import, neutral};
use tuckbox::prompt::provider::MakePayload;
use tuckbox::rule::{Rule, Step};
use tuckbox::value::json::to_json;
use tuckbox::{Env, Json, Limits, Snapshot, Timestamp, json};

fn read(text: &str) -> Findings {
    import(&[SourceFile { name: "log", bytes: text.as_bytes() }])
}

fn shape(text: &str, key: &str) -> String {
    neutral::shape(&read(text), false).get(key).unwrap().to_string()
}

/// Returns the lines of a log.
fn lines(rows: &[Json]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

#[test]
fn a_part_is_read_in_any_spelling() {
    for (block, expected) in [
        (json!(7), json!([{"type": "text", "text": "7"}])),
        (json!(true), json!([{"type": "text", "text": "true"}])),
        (json!(null), json!([])),
        (json!(""), json!([])),
        (json!({"type": "text", "text": ""}), json!([])),
        (json!({"type": "refusal", "refusal": "No."}), json!([{"type": "text", "text": "No."}])),
        (json!({"text": "hm", "thought": true}), json!([{"type": "reasoning", "text": "hm"}])),
        (json!({"text": ""}), json!([])),
        (json!({"type": "thinking", "thinking": ""}), json!([])),
        (
            json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}], "encrypted_content": "e"}),
            json!([{"type": "reasoning", "text": "a\n\nb", "encrypted": "e"}]),
        ),
        (
            json!({"toolUse": {"toolUseId": "t", "name": "f", "input": {"n": 1}}}),
            json!([{"type": "tool_call", "id": "t", "name": "f", "arguments": {"n": 1}}]),
        ),
        (
            json!({"type": "function_call", "namespace": "mcp", "call_id": "t", "name": "f", "arguments": " "}),
            json!([{"type": "tool_call", "id": "t", "name": "mcp.f", "arguments": {}}]),
        ),
        (
            json!({"toolResult": {"toolUseId": "t", "content": [{"text": "r"}]}}),
            json!([{"type": "tool_result", "id": "t", "content": "r"}]),
        ),
        (
            json!({"type": "tool-result", "toolCallId": "t", "output": {"type": "execution-denied", "reason": "no"}}),
            json!([{"type": "tool_result", "id": "t", "content": "no"}]),
        ),
        (
            json!({"type": "tool-result", "toolCallId": "t", "output": {"type": "text", "text": "r"}}),
            json!([{"type": "tool_result", "id": "t", "content": "r"}]),
        ),
        (
            json!({"type": "tool-result", "toolCallId": "t", "output": {"type": "row", "n": 1}}),
            json!([{"type": "tool_result", "id": "t", "content": {"type": "row", "n": 1}}]),
        ),
        (
            json!({"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "r"}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}]}),
            json!([{"type": "tool_result", "id": "t", "content": "r"}, {"type": "image", "data": "AAAA"}]),
        ),
        // plain data, and an empty value
        (
            json!({"type": "tool_result", "tool_use_id": "t", "content": [{"type": "row", "n": 1}]}),
            json!([{"type": "tool_result", "id": "t", "content": [{"type": "row", "n": 1}]}]),
        ),
        (
            json!({"type": "tool_result", "tool_use_id": "t", "content": []}),
            json!([{"type": "tool_result", "id": "t", "content": []}]),
        ),
        (
            json!({"type": "tool_result", "tool_use_id": "t"}),
            json!([{"type": "tool_result", "id": "t", "content": ""}]),
        ),
        (
            json!({"inlineData": {"mimeType": "image/png", "data": "-_A="}}),
            json!([{"type": "image", "data": "+/A="}]),
        ),
        (
            json!({"type": "image", "image": "data:;base64,AAAA", "mediaType": "image/gif"}),
            json!([{"type": "image", "data": "AAAA"}]),
        ),
        (
            json!({"modality": "image", "uri": "https://x/y"}),
            json!([{"type": "image", "url": "https://x/y"}]),
        ),
        (json!({"type": "text"}), json!([{"type": "other", "text": r#"{"type":"text"}"#}])),
        (json!({"type": "tool_use"}), json!([{"type": "other", "text": r#"{"type":"tool_use"}"#}])),
        (json!({"type": "image"}), json!([{"type": "other", "text": r#"{"type":"image"}"#}])),
        (json!({"toolUse": {}}), json!([{"type": "other", "text": r#"{"toolUse":{}}"#}])),
        (json!({"fileData": {}}), json!([{"type": "other", "text": r#"{"fileData":{}}"#}])),
    ] {
        let log = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": [(block.clone())]}, {"role": "user", "content": "end"}]);
        let shape = neutral::shape(&read(&log.to_string()), false);
        let messages = shape.get("messages").unwrap().as_array().unwrap();
        // results and their images are in separate messages
        let between = &messages[1..messages.len() - 1];
        let found: Json = between
            .iter()
            .flat_map(|message| message.get("parts").unwrap().as_array().unwrap())
            .map(|part| {
                let members = part.as_object().unwrap().iter();
                let compared = members.filter(|(key, _)| *key != "media_type" && *key != "mime");
                Json::Object(compared.map(|(key, value)| (key.clone(), value.clone())).collect())
            })
            .collect();
        assert_eq!(found, expected, "{block}");
    }
}

#[test]
fn a_failed_result_is_an_error_for_imports_and_for_payloads() {
    let call = json!({"type": "tool_use", "id": "t", "name": "f", "input": {}});
    for result in [
        json!({"type": "tool_result", "tool_use_id": "t", "content": "r", "status": "failed"}),
        json!({"type": "tool_result", "tool_use_id": "t", "content": "r", "status": "failure"}),
        json!({"type": "tool_result", "tool_use_id": "t", "content": "r", "status": "error"}),
        json!({"type": "tool_result", "tool_use_id": "t", "content": "r", "is_error": true}),
        json!({"type": "tool-result", "toolCallId": "t", "isError": true, "output": "r"}),
        json!({"type": "tool-result", "toolCallId": "t", "output": {"type": "error-text", "value": "r"}}),
        json!({"type": "tool-result", "toolCallId": "t", "result": {"type": "error-json", "value": {"r": 1}}}),
        json!({"type": "function_call_output", "call_id": "t", "output": {"error": "r"}}),
        json!({"functionResponse": {"id": "t", "name": "f", "response": {"error": "r"}}}),
        json!({"toolResult": {"toolUseId": "t", "status": "error", "content": [{"text": "r"}]}}),
    ] {
        let messages = json!([
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": [(call.clone())]},
            {"role": "user", "content": [(result.clone())]},
        ]);
        let imported = neutral::shape(&read(&messages.to_string()), false).to_string();
        assert!(imported.contains(r#""is_error":true"#), "{result}: {imported}");

        let call = json!({"provider": "anthropic", "model": "m", "max_output_tokens": 9, "messages": (messages)});
        let payload = MakePayload::from_json(&call).unwrap();
        let env = Env::new(Timestamp::from_millis(0), [7; 32]);
        let Step::Done(made) = payload.step(&Snapshot::new("p1".into()), &env).unwrap() else {
            panic!("a payload of messages must not read");
        };
        let body = made.value.body().to_string();
        assert!(body.contains(r#""is_error":true"#), "{result}: {body}");
    }
}

#[test]
fn a_tool_is_read_in_any_spelling() {
    let schema = json!({"type": "object"});
    for (tools, expected) in [
        (json!(["f"]), r#"[{"name":"f"}]"#),
        (
            json!({"f": {"description": "D", "inputSchema": {"jsonSchema": (schema.clone())}, "type": "function"}}),
            r#"[{"name":"f","description":"D","schema":{"type":"object"}}]"#,
        ),
        (
            json!([{"type": "namespace", "name": "mcp", "tools": ["f", {"name": "g", "parameters": (schema.to_string())}]}]),
            r#"[{"name":"mcp.f"},{"name":"mcp.g","schema":{"type":"object"}}]"#,
        ),
        (
            json!([{"functionDeclarations": [{"name": "f"}], "googleSearch": {}}]),
            r#"[{"name":"f"},{"name":"googleSearch"}]"#,
        ),
        (json!([{"googleSearch": {}}]), r#"[{"name":"googleSearch"}]"#),
        (json!([{"type": "web_search"}]), r#"[{"name":"web_search"}]"#),
        (json!([7]), "[]"),
        (json!(7), "[]"),
    ] {
        let body = json!({"model": "m", "messages": [{"role": "user", "content": "q"}], "tools": (tools.clone())});
        assert_eq!(shape(&body.to_string(), "tools"), expected, "{tools}");
    }
}

#[test]
fn answers_of_four_providers_have_the_same_content() {
    let said = r#"[{"type":"text","text":"a"}]"#;
    for answer in [
        json!({"choices": [{"message": {"role": "assistant", "content": "a"}}]}),
        json!({"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]}]}),
        json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "a"}]}}]}),
        json!({"role": "assistant", "content": [{"type": "text", "text": "a"}]}),
    ] {
        let log = json!({"request": {"model": "m", "messages": [{"role": "user", "content": "q"}]}, "response": (answer.clone())});
        assert_eq!(shape(&log.to_string(), "output"), said, "{answer}");
    }
    // the required limit distinguishes two providers with similar bodies
    for (body, api) in [
        (json!({"model": "claude", "max_tokens": 9}), "anthropic"),
        (json!({"model": "gpt-4o", "max_tokens": 9}), "openai_chat"),
        (json!({"model": "claude", "max_tokens": 9, "n": 1}), "openai_chat"),
        (json!({"model": "claude"}), "openai_chat"),
    ] {
        let mut body = body.as_object().unwrap().clone();
        body.insert("messages".into(), json!([{"role": "user", "content": "q"}]));
        let body = Json::Object(body);
        let found = read(&body.to_string());
        assert_eq!(found.sessions[0].requests[0].api, Some(api), "{body}");
    }
}

#[test]
fn bodies_and_messages_are_found_at_any_place() {
    let body =
        |words: &str| json!({"model": "m", "messages": [{"role": "user", "content": words}]});
    // requests are ordered by time if all have one
    let log = json!({"runs": [{"deep": {"sent": (body("two"))}, "timestamp": "2026-01-01T00:00:02Z"}, {"deep": {"sent": (body("one"))}, "timestamp": "2026-01-01T00:00:01Z"}], "n": 1});
    let found = read(&log.to_string());
    assert_eq!(found.files[0].format, Some("json"));
    assert_eq!(found.sessions[0].requests.len(), 2);
    assert!(shape(&log.to_string(), "messages").contains("two"));
    // wrapped messages, on lines and in a list, with other keys
    let wrapped = |role: &str, words: &str| json!({"id": 1, "entry": {"role": role, "content": words}, "at": null});
    let rows = [wrapped("user", "q"), wrapped("assistant", "a"), wrapped("user", "r")];
    let inside = json!({"x": {"log": (rows.iter().cloned().collect::<Json>()), "systemPrompt": "S", "tools": ["f"]}});
    for (log, system, tools) in
        [(lines(&rows), "[]", "[]"), (inside.to_string(), r#"["S"]"#, r#"[{"name":"f"}]"#)]
    {
        let shape = neutral::shape(&read(&log), false);
        let texts: Vec<String> = shape
            .get("messages")
            .unwrap()
            .as_array()
            .unwrap()
            .iter()
            .map(|message| {
                message.get("parts").unwrap().as_array().unwrap()[0]
                    .get("text")
                    .unwrap()
                    .text_form()
            })
            .collect();
        assert_eq!(texts, ["q", "a", "r"]);
        assert_eq!(shape.get("system").unwrap().to_string(), system);
        assert_eq!(shape.get("tools").unwrap().to_string(), tools);
    }
    // very deep values are not searched
    let mut deep = body("q");
    for _ in 0..60 {
        deep = json!({"in": deep});
    }
    assert_eq!(read(&deep.to_string()).files[0].format, None);
    let called = json!({"x": {"turns": [{"role": "user", "content": "q"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "r"}]}]}});
    let unknown = shape(&called.to_string(), "unknown");
    assert!(unknown.contains("tool_schemas"), "{unknown}");
}

#[test]
fn codex_logs_have_token_counts_and_the_parent_of_a_thread() {
    let row = |kind: &str, payload: Json| json!({"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload});
    let said = |role: &str, words: &str| {
        row(
            "response_item",
            json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": words}]}),
        )
    };
    let meta = |more: Json| row("session_meta", more);
    for (counted, input) in [
        (row("token_usage_record", json!({"usage": {"input_tokens": 7}})), 7),
        (
            row(
                "event_msg",
                json!({"type": "token_count", "info": {"last_token_usage": {"input_tokens": 8}}}),
            ),
            8,
        ),
    ] {
        let log = [
            meta(json!({"id": "t", "parent_thread_id": "p", "agent_nickname": "Kit"})),
            said("developer", "D"),
            said("developer", "D"),
            row("response_item", json!({"type": "ghost_snapshot"})),
            said("user", "q"),
            said("assistant", "a"),
            counted,
            row("compacted", json!({"message": "so far"})),
            said("user", "r"),
            said("assistant", "b"),
        ];
        let found = read(&lines(&log));
        let session = &found.sessions[0];
        assert_eq!(session.parent.as_deref(), Some("p"));
        assert_eq!(session.agent.as_deref(), Some("Kit"));
        assert_eq!(session.requests[0].usage.input, Some(input));
        assert!(session.requests.iter().all(|request| request.kind == Kind::Sub));
        let shape = neutral::shape(&found, false);
        let first = &shape.get("messages").unwrap().as_array().unwrap()[0];
        assert_eq!(
            first.to_string(),
            r#"{"role":"user","parts":[{"type":"text","text":"so far"}]}"#
        );
        assert_eq!(shape.get("system").unwrap().to_string(), r#"["D"]"#);
        assert!(shape.get("unknown").unwrap().to_string().contains("the log has no instructions"));
    }
    let own = meta(json!({"id": "t", "base_instructions": {"text": "B"}}));
    let unknown = shape(&lines(&[own, said("user", "q"), said("assistant", "a")]), "unknown");
    assert!(unknown.contains("sections of the default prompt"), "{unknown}");
}

#[test]
fn opencode_logs_have_compactions_cleared_results_and_children() {
    let message = |id: &str, role: &str, more: Json, parts: Json| {
        let mut info = more.as_object().unwrap().clone();
        info.insert("id".into(), id.into());
        info.insert("role".into(), role.into());
        json!({"info": (Json::Object(info)), "parts": parts})
    };
    let text = |words: &str| json!([{"type": "text", "text": words}]);
    let tool = json!([{"type": "tool", "callID": "c", "tool": "f", "state": {"status": "completed", "input": {}, "output": "r", "time": {"compacted": 1}}}]);
    let log = json!({"info": {"id": "s", "parentID": "p"}, "messages": [
        (message("1", "user", json!({}), text("q"))),
        (message("2", "assistant", json!({"modelID": "m"}), tool)),
        (message("3", "user", json!({}), json!([{"type": "compaction"}]))),
        (message("4", "assistant", json!({"summary": true}), text("sum"))),
        (message("5", "user", json!({}), text("r"))),
        (message("6", "assistant", json!({}), text("b"))),
    ]});
    let found = read(&log.to_string());
    let session = &found.sessions[0];
    let kinds: Vec<Kind> = session.requests.iter().map(|request| request.kind).collect();
    assert_eq!(session.parent.as_deref(), Some("p"));
    assert!(kinds.contains(&Kind::Compaction) && kinds.contains(&Kind::Sub), "{kinds:?}");
    let shape = neutral::shape(&found, false);
    let messages = shape.get("messages").unwrap().to_string();
    assert!(messages.starts_with(r#"[{"role":"user","parts":[{"type":"text","text":"What did we do so far?"}]},{"role":"assistant","parts":[{"type":"text","text":"sum"}]}"#), "{messages}");
    assert!(shape.get("unknown").unwrap().to_string().contains("tool_results"));
}

#[test]
fn tokens_next_to_the_input_are_part_of_a_request() {
    let text = |words: &str| json!([{"type": "text", "text": words}]);
    let tokens = json!({"input": 3, "output": 5, "cache": {"read": 12000, "write": 797}});
    let log = json!({"info": {"id": "s"}, "messages": [
        {"info": {"id": "1", "role": "user"}, "parts": (text("q"))},
        {"info": {"id": "2", "role": "assistant", "modelID": "m", "tokens": tokens}, "parts": (text("a"))},
    ]});
    let usage = read(&log.to_string()).sessions[0].requests[0].usage;
    assert_eq!((usage.input, usage.cached), (Some(12_800), Some(12_000)));

    let usage = json!({"input": 3, "output": 5, "cacheRead": 12000, "cacheWrite": 797, "totalTokens": 12805});
    let pi = [
        json!({"type": "session", "id": "s", "cwd": "/"}),
        json!({"type": "message", "id": "a", "parentId": null, "message": {"role": "user", "content": "q"}}),
        json!({"type": "message", "id": "b", "parentId": "a", "message": {"role": "assistant", "content": (text("a")), "model": "m", "usage": usage}}),
    ];
    let usage = read(&lines(&pi)).sessions[0].requests[0].usage;
    assert_eq!((usage.input, usage.cached), (Some(12_800), Some(12_000)));
}

#[test]
fn explain_cache_works_on_imported_sessions() {
    let explained = |log: &str, shape: &str| {
        let call = json!({"files": [{"name": "log", "text": log}], "shape": shape});
        let rule = Import::from_json(&call).unwrap().read(&Limits::default()).unwrap();
        let env = Env::new(Timestamp::from_millis(0), [7; 32]);
        let Step::Done(done) = rule.step(&Snapshot::new("p1".into()), &env).unwrap() else {
            panic!("reads")
        };
        to_json(&done.value).unwrap().get("sessions").unwrap().as_array().unwrap()[0].clone()
    };
    let entry = |id: &str, parent: Option<&str>, at: u32, message: Json| json!({"type": "message", "id": id, "parentId": parent, "timestamp": format!("2026-01-01T00:{at:02}:00Z"), "message": message});
    let user = |text: &str| json!({"role": "user", "content": text});
    let answer = |text: &str, read: u64, write: u64| {
        json!({"role": "assistant", "content": [{"type": "text", "text": text}],
        "model": "claude-sonnet-4-5", "usage": {"input": 3, "output": 5, "cacheRead": read, "cacheWrite": write}})
    };
    let pi = [
        json!({"type": "session", "id": "s", "cwd": "/"}),
        entry("1", None, 0, user("q1")),
        entry("2", Some("1"), 0, answer("a1", 0, 9_000)),
        entry("3", Some("2"), 1, user("q2")),
        entry("4", Some("3"), 1, answer("a2", 9_000, 100)),
        entry("5", Some("4"), 20, user("q3")),
        entry("6", Some("5"), 20, answer("a3", 0, 9_200)),
        entry("7", Some("6"), 21, user("q4")),
        entry("8", Some("7"), 21, answer("a4", 0, 9_300)),
    ];
    let found = explained(&lines(&pi), "cache");
    let requests = found.get("explanation").unwrap().get("requests").unwrap().as_array().unwrap();
    let causes: Vec<&str> =
        requests.iter().map(|request| request.get("cause").unwrap().as_str().unwrap()).collect();
    // the last miss has no cause in the log, which has no system prompt and no tools
    assert_eq!(causes, ["first", "appended", "expired", "unknown"]);

    let mut compacted = pi[..7].to_vec();
    compacted.extend([
        json!({"type": "compaction", "id": "c", "parentId": "6", "summary": "sum", "firstKeptEntryId": "5"}),
        entry("9", Some("c"), 22, user("q5")),
        entry("10", Some("9"), 22, answer("a5", 0, 300)),
    ]);
    let account = explained(&lines(&compacted), "compaction");
    let totals = account.get("account").unwrap().get("totals").unwrap().to_string();
    assert!(
        totals.starts_with(r#"{"messages":5,"kept":1,"covered":4,"dropped":0,"unknown":0,"#),
        "{totals}"
    );

    // a summary that replaces nothing yet
    compacted[7] = json!({"type": "compaction", "id": "c", "parentId": "6", "summary": "sum", "firstKeptEntryId": "1"});
    let kept = explained(&lines(&compacted), "compaction");
    let totals = kept.get("account").unwrap().get("totals").unwrap().to_string();
    assert!(
        totals.starts_with(r#"{"messages":5,"kept":5,"covered":0,"dropped":0,"unknown":0,"#),
        "{totals}"
    );
    compacted[7] = json!({"type": "compaction", "id": "c", "parentId": "6", "summary": "sum", "firstKeptEntryId": "5"});

    // the first version of the format: no ids, and an index of the first entry that is kept
    let first = |row: &Json| {
        let mut row = row.as_object().unwrap().clone();
        match row.get("type").and_then(Json::as_str) {
            Some("session") => drop(row.insert("modelId".into(), "claude-sonnet-4-5".into())),
            _ => drop(row.remove("id")),
        }
        row.remove("parentId");
        if row.remove("firstKeptEntryId").is_some() {
            row.insert("firstKeptEntryIndex".into(), 5.into());
        }
        Json::Object(row)
    };
    let old: Vec<Json> = compacted.iter().map(first).collect();
    let found = explained(&lines(&old), "compaction");
    assert_eq!(found.get("source"), Some(&"pi".into()));
    assert_eq!(found.get("account"), account.get("account"));
}

#[test]
fn a_langgraph_summary_is_a_compaction() {
    let say = |kind: &str, id: &str, words: &str| json!({"type": kind, "id": id, "content": words});
    let summary = json!({"type": "human", "id": "s", "content": "Here is a summary of the conversation to date:\n\nsum",
        "additional_kwargs": {"lc_source": "summarization"}});
    let state = |messages: Json, at: &str| {
        json!({"values": {"messages": messages}, "created_at": at,
        "config": {"configurable": {"thread_id": "t"}}, "metadata": {}})
    };
    let log = json!([
        (state(json!([(say("human", "1", "q")), (say("ai", "2", "a"))]), "2026-01-01T00:00:00Z")),
        (state(
            json!([summary, (say("human", "3", "r")), (say("ai", "4", "b"))]),
            "2026-01-01T00:01:00Z"
        )),
    ]);
    let found = read(&log.to_string());
    let session = &found.sessions[0];
    let [summary] = session.summaries()[..] else { panic!("expected one summary") };
    assert_eq!(session.covered(summary), session.requests[0].tail);
}

#[test]
fn litellm_logs_name_the_provider_and_lack_truncated_images() {
    let row = |provider: &str, messages: Json| {
        json!({"call_type": "completion", "status": "success", "startTime": 1_767_000_000, "model": "m", "custom_llm_provider": provider,
            "messages": messages, "model_parameters": {"instructions": "S"}})
    };
    for (provider, api) in [
        ("azure", Some("openai_chat")),
        ("anthropic", Some("anthropic")),
        ("vertex_ai", Some("gemini")),
        ("groq", None),
    ] {
        let failed = json!({"call_type": "completion", "status": "failure", "model_parameters": {}, "messages": []});
        let found = read(&lines(&[row(provider, json!("q")), failed]));
        assert_eq!(found.files[0].format, Some("litellm"));
        let [request] = &found.sessions[0].requests[..] else { panic!("expected one request") };
        assert_eq!(request.api, api, "{provider}");
        let shape = neutral::shape(&found, false);
        assert_eq!(shape.get("system").unwrap().to_string(), r#"["S"]"#);
        assert_eq!(
            shape.get("messages").unwrap().to_string(),
            r#"[{"role":"user","parts":[{"type":"text","text":"q"}]}]"#
        );
    }
    for url in [
        "data:image/png;base64,AAA... (litellm_truncated 9 chars)",
        "https://x/(litellm_truncated 9)",
    ] {
        let picture = json!([{"role": "user", "content": [{"type": "text", "text": "q"}, {"type": "image_url", "image_url": {"url": url}}]}]);
        let log = lines(&[row("openai", picture)]);
        assert!(!shape(&log, "messages").contains("image"));
        assert!(shape(&log, "unknown").contains("images"));
    }
}

#[test]
fn a_claude_code_side_chain_has_the_name_of_its_agent_and_counts_attachments() {
    let line = |id: &str, parent: Json, kind: &str, more: Json| {
        let mut row = more.as_object().unwrap().clone();
        for (key, value) in [("uuid", id.into()), ("parentUuid", parent), ("type", kind.into())] {
            row.insert(key.into(), value);
        }
        Json::Object(row)
    };
    let said = |role: &str, words: &str| json!({"sessionId": "s", "agentId": "a7", "isSidechain": true, "message": {"id": words, "role": role, "content": words}});
    let log = [
        line("1", json!(null), "user", said("user", "q")),
        line("2", json!("1"), "attachment", said("user", "file")),
        line("3", json!("2"), "progress", said("user", "p")),
        line("4", json!("3"), "assistant", said("assistant", "a")),
        line("5", json!("4"), "user", said("user", "r")),
    ];
    let found = read(&lines(&log));
    let session = &found.sessions[0];
    assert_eq!((session.id.as_str(), session.parent.as_deref()), ("s/a7", Some("s")));
    assert_eq!(session.agent.as_deref(), Some("a7"));
    let messages = shape(&lines(&log), "messages");
    assert_eq!(
        messages.matches("role").count(),
        3,
        "other rows do not interrupt the messages: {messages}"
    );
    assert!(found.notes[0].message.starts_with("1 attachment was rendered"));
}
