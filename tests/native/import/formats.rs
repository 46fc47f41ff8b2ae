//! Logs in the formats of other tools: what an import finds in them, and what it reports as
//! unknown.

use tuckbox::Json;
use tuckbox::import::model::{Findings, Kind};
use tuckbox::import::{SourceFile, import, neutral};

fn read(files: &[(&str, &str)]) -> Findings {
    let sources: Vec<SourceFile<'_>> =
        files.iter().map(|(name, text)| SourceFile { name, bytes: text.as_bytes() }).collect();
    import(&sources)
}

/// Returns the last request as lines: `role kind text`.
fn said(findings: &Findings) -> Vec<String> {
    lines(&neutral::shape(findings, false))
}

fn lines(shape: &Json) -> Vec<String> {
    let mut out = Vec::new();
    for message in shape.get("messages").unwrap().as_array().unwrap() {
        let role = message.get("role").unwrap().as_str().unwrap();
        for part in message.get("parts").unwrap().as_array().unwrap() {
            let text = |key: &str| part.get(key).map(|value| value.text_form()).unwrap_or_default();
            out.push(match text("type").as_str() {
                "text" => format!("{role} {}", text("text")),
                "reasoning" => format!("{role} thinks {} {}", text("text"), text("encrypted")),
                "tool_call" => {
                    format!("{role} calls {} {}", text("name"), part.get("arguments").unwrap())
                }
                "tool_result" => format!("{role} gives {}", text("content")),
                "image" => format!("{role} image {}{}", text("data"), text("url")),
                other => format!("{role} {other} {}", text("text")),
            });
        }
    }
    out
}

fn system(findings: &Findings) -> String {
    neutral::shape(findings, false).get("system").unwrap().to_string()
}

fn unknown(findings: &Findings) -> Vec<String> {
    let shape = neutral::shape(findings, false);
    let list = shape.get("unknown").unwrap().as_array().unwrap();
    list.iter().map(|entry| entry.get("what").unwrap().text_form()).collect()
}

fn formats(findings: &Findings) -> Vec<Option<&'static str>> {
    findings.files.iter().map(|file| file.format).collect()
}

#[test]
fn bodies_of_four_providers_give_the_same_conversation() {
    let chat = r#"{"model":"m","messages":[{"role":"developer","content":"Be kind."},{"role":"user","content":"Time?"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"clock","arguments":"{\"zone\": \"UTC\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"noon"}],"tools":[{"type":"function","function":{"name":"clock","description":"Tells it.","parameters":{"type":"object"}}}]}"#;
    let responses = r#"{"model":"m","instructions":"Be kind.","input":[{"role":"user","content":[{"type":"input_text","text":"Time?"}]},{"type":"function_call","call_id":"c1","name":"clock","arguments":"{\"zone\":\"UTC\"}"},{"type":"function_call_output","call_id":"c1","output":"noon"}],"tools":[{"type":"function","name":"clock","description":"Tells it.","parameters":{"type":"object"}}]}"#;
    let anthropic = r#"{"model":"m","max_tokens":9,"system":[{"type":"text","text":"Be kind."}],"messages":[{"role":"user","content":"Time?"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"clock","input":{"zone":"UTC"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"noon"}]}]}],"tools":[{"name":"clock","description":"Tells it.","input_schema":{"type":"object"}}]}"#;
    let gemini = r#"{"systemInstruction":{"parts":[{"text":"Be kind."}]},"contents":[{"role":"user","parts":[{"text":"Time?"}]},{"role":"model","parts":[{"functionCall":{"name":"clock","args":{"zone":"UTC"}}}]},{"role":"user","parts":[{"functionResponse":{"name":"clock","response":{"output":"noon"}}}]}],"tools":[{"functionDeclarations":[{"name":"clock","description":"Tells it.","parametersJsonSchema":{"type":"object"}}]}]}"#;
    for (body, api, result) in [
        (chat, "openai_chat", "noon"),
        (responses, "openai_responses", "noon"),
        (anthropic, "anthropic", "noon"),
        (gemini, "gemini", r#"{"output": "noon"}"#),
    ] {
        let found = read(&[("some.json", body)]);
        assert_eq!(system(&found), r#"["Be kind."]"#, "{api}");
        let expected = [
            "user Time?".to_owned(),
            r#"assistant calls clock {"zone":"UTC"}"#.to_owned(),
            format!("tool gives {result}"),
        ];
        assert_eq!(said(&found), expected, "{api}");
        let request = &found.sessions[0].requests[0];
        assert_eq!(request.api, Some(api));
        assert_eq!(request.tools[0].description.as_deref(), Some("Tells it."));
        assert!(unknown(&found).is_empty(), "{api}");
    }
}

#[test]
fn an_identical_request_is_a_retry() {
    let body = r#"{"model":"m","messages":[{"role":"user","content":"a"}]}"#;
    let more = r#"{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}"#;
    let found = read(&[("log.jsonl", &format!("{body}\n{body}\n{more}\n"))]);
    let requests = &found.sessions[0].requests;
    assert_eq!(requests.iter().map(|request| request.retries).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(
        requests.iter().map(|request| request.index).collect::<Vec<_>>(),
        [Some(1), Some(2)]
    );
    // a common prefix is shared
    let paths: Vec<Vec<usize>> =
        requests.iter().map(|request| found.sessions[0].path(request.tail)).collect();
    assert_eq!(paths[0][..], paths[1][..1]);
}

#[test]
fn chained_responses_are_joined_and_their_answers_are_unknown() {
    let first = r#"{"model":"m","input":"a","tools":[]}"#;
    let second = r#"{"model":"m","input":[{"type":"function_call_output","call_id":"c9","output":"x"}],"previous_response_id":"r1","tools":[]}"#;
    let found = read(&[("chain.jsonl", &format!("{first}\n{second}"))]);
    assert_eq!(said(&found), ["user a", "tool gives x"]);
    assert_eq!(unknown(&found), ["messages", "tool_calls"]);
}

#[test]
fn a_sub_agent_between_two_requests_is_not_part_of_the_conversation() {
    let main = |rest: &str| {
        format!(
            r#"{{"model":"m","messages":[{{"role":"system","content":"M"}},{{"role":"user","content":"q"}}{rest}]}}"#
        )
    };
    let sub = r#"{"model":"m","messages":[{"role":"system","content":"S"},{"role":"user","content":"inner"}]}"#;
    let log = format!(
        "{}\n{sub}\n{}",
        main(""),
        main(r#",{"role":"assistant","content":"then"},{"role":"user","content":"go"}"#)
    );
    let found = read(&[("x", &log)]);
    let kinds: Vec<Kind> = found.sessions[0].requests.iter().map(|request| request.kind).collect();
    assert_eq!(kinds, [Kind::Main, Kind::Sub, Kind::Main]);
}

#[test]
fn message_lists_of_frameworks_are_read() {
    let model = r#"[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"reasoning","text":"hm","providerOptions":{"anthropic":{"signature":"sig"}}},{"type":"tool-call","toolCallId":"t","toolName":"f","input":{"a":1}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"t","toolName":"f","output":{"type":"json","value":[1]}}]},{"role":"assistant","content":"end"}]"#;
    let ui = r#"[{"id":"u","role":"user","parts":[{"type":"text","text":"q"}]},{"id":"a","role":"assistant","parts":[{"type":"step-start"},{"type":"reasoning","text":"hm","providerMetadata":{"anthropic":{"signature":"sig"}}},{"type":"tool-f","toolCallId":"t","state":"output-available","input":{"a":1},"output":[1]},{"type":"step-start"},{"type":"text","text":"end"}]}]"#;
    for list in [model, ui] {
        let found = read(&[("m.json", list)]);
        assert_eq!(
            said(&found),
            ["user q", "assistant thinks hm sig", r#"assistant calls f {"a":1}"#, "tool gives [1]"]
        );
        assert_eq!(
            unknown(&found),
            ["system", "tools", "tool_descriptions", "tool_schemas", "params"]
        );
        let output = neutral::shape(&found, false).get("output").unwrap().to_string();
        assert_eq!(output, r#"[{"type":"text","text":"end"}]"#);
    }
    let dict = r#"[{"type":"human","data":{"content":"q"}},{"type":"ai","data":{"content":[{"type":"text","text":"so"},{"type":"tool_use","id":"t","name":"f","input":{}}],"tool_calls":[{"name":"f","args":{},"id":"t"}]}},{"type":"tool","data":{"content":"r","tool_call_id":"t"}}]"#;
    let dumped = r#"[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"q"}},{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"so","tool_calls":[{"name":"f","args":{},"id":"t"}]}},{"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],"kwargs":{"content":"r","tool_call_id":"t"}}]"#;
    for list in [dict, dumped] {
        assert_eq!(
            said(&read(&[("m.json", list)])),
            ["user q", "assistant so", "assistant calls f {}", "tool gives r"]
        );
    }
}

#[test]
fn a_trace_is_ordered_by_start_and_empty_spans_are_not_requests() {
    let attribute = |key: &str, value: &str| {
        format!(r#"{{"key":"{key}","value":{{"stringValue":{}}}}}"#, Json::from(value))
    };
    let span = |id: &str, start: u64, attributes: &str| {
        format!(
            r#"{{"spanId":"{id}","name":"chat m","startTimeUnixNano":"{start}","attributes":[{attributes}]}}"#
        )
    };
    let chat = attribute("gen_ai.operation.name", "chat");
    let first = format!(
        "{chat},{},{}",
        attribute(
            "gen_ai.input.messages",
            r#"[{"role":"user","parts":[{"type":"text","content":"one"}]}]"#
        ),
        attribute("gen_ai.system_instructions", r#"[{"type":"text","content":"S"}]"#)
    );
    let second = format!(
        "{chat},{}",
        attribute(
            "gen_ai.input.messages",
            r#"[{"role":"user","parts":[{"type":"text","content":"two"}]},{"role":"assistant","parts":[{"type":"tool_call","id":"t","name":"f","arguments":{"n":1}}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"t","response":"r"}]}]"#
        )
    );
    let spans = [
        span("b", 1_700_000_000_000_002_000, &second),
        span("a", 1_700_000_000_000_000_000, &first),
        span("c", 1_700_000_000_900_000_000, &chat),
    ];
    let export = format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"scope":{{"name":"x"}},"spans":[{}]}}]}}]}}"#,
        spans.join(",")
    );
    let found = read(&[("spans.json", &export)]);
    assert_eq!(found.sessions[0].requests.len(), 2);
    assert_eq!(said(&found), ["user two", r#"assistant calls f {"n":1}"#, "tool gives r"]);
    assert_eq!(unknown(&found), ["tools", "tool_descriptions", "tool_schemas", "params"]);
}

#[test]
fn numbered_attributes_are_sorted_as_numbers() {
    let mut attributes: Vec<String> = (0..12)
        .rev()
        .flat_map(|at| {
            let role = if at % 2 == 0 { "user" } else { "assistant" };
            [
                format!(
                    r#"{{"key":"gen_ai.prompt.{at}.role","value":{{"stringValue":"{role}"}}}}"#
                ),
                format!(
                    r#"{{"key":"gen_ai.prompt.{at}.content","value":{{"stringValue":"m{at}"}}}}"#
                ),
            ]
        })
        .collect();
    attributes.push(r#"{"key":"gen_ai.prompt.12.role","value":{"stringValue":"user"}},{"key":"gen_ai.prompt.12.content","value":{"stringValue":"m12"}}"#.to_owned());
    let export = format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"spanId":"s","name":"openai.chat","startTimeUnixNano":"5","attributes":[{}]}}]}}]}}]}}"#,
        attributes.join(",")
    );
    let texts: Vec<String> = said(&read(&[("t.json", &export)]))
        .iter()
        .filter_map(|line| line.split(' ').nth(1).map(str::to_owned))
        .collect();
    let expected: Vec<String> = (0..13).map(|at| format!("m{at}")).collect();
    assert_eq!(texts, expected);
}

#[test]
fn a_claude_code_log_gives_the_path_to_the_leaf_with_parallel_results() {
    let line = |id: &str, parent: &str, kind: &str, message: &str| {
        format!(
            r#"{{"uuid":"{id}","parentUuid":{parent},"sessionId":"s","isSidechain":false,"type":"{kind}","timestamp":"2026-01-01T00:00:00Z","message":{message}}}"#
        )
    };
    let log = [
        line("1", "null", "user", r#"{"role":"user","content":"q"}"#),
        line(
            "2",
            r#""1""#,
            "assistant",
            r#"{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"a","name":"Read","input":{}}]}"#,
        ),
        line(
            "3",
            r#""2""#,
            "assistant",
            r#"{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"b","name":"Bash","input":{}}]}"#,
        ),
        line(
            "4",
            r#""2""#,
            "user",
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ra"}]}"#,
        ),
        line(
            "5",
            r#""3""#,
            "user",
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"rb"}]}"#,
        ),
        line(
            "6",
            r#""5""#,
            "assistant",
            r#"{"id":"m2","role":"assistant","content":[{"type":"text","text":"left"}],"usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}"#,
        ),
        line(
            "7",
            r#""1""#,
            "assistant",
            r#"{"id":"m3","role":"assistant","content":[{"type":"text","text":"another branch"}]}"#,
        ),
        line("8", r#""6""#, "user", r#"{"role":"user","content":"next"}"#),
        line(
            "9",
            r#""8""#,
            "assistant",
            r#"{"id":"m4","role":"assistant","content":[{"type":"text","text":"end"}]}"#,
        ),
    ];
    let found = read(&[("x.jsonl", &log.join("\n"))]);
    assert_eq!(formats(&found), [Some("claude-code")]);
    assert_eq!(
        said(&found),
        [
            "user q",
            "assistant calls Read {}",
            "assistant calls Bash {}",
            "tool gives ra",
            "tool gives rb",
            "assistant left",
            "user next"
        ]
    );
    assert_eq!(found.sessions[0].requests.len(), 4, "each answer of every branch is a request");
    assert_eq!(found.sessions[0].requests[1].usage.input, Some(10));
}

#[test]
fn a_compaction_starts_a_new_history() {
    let codex = [
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"t","base_instructions":{"text":"B","provenance":{"type":"custom"}}}}"#,
        r#"{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"old"}]}}"#,
        r#"{"timestamp":"2026-01-01T00:00:02Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"sum"}]}}"#,
        r#"{"timestamp":"2026-01-01T00:00:03Z","type":"compacted","payload":{"replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"short"}]}]}}"#,
        r#"{"timestamp":"2026-01-01T00:00:04Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"new"}]}}"#,
        r#"{"timestamp":"2026-01-01T00:00:05Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"end"}]}}"#,
    ];
    let found = read(&[("r.jsonl", &codex.join("\n"))]);
    assert_eq!(said(&found), ["user short", "user new"]);
    assert_eq!(system(&found), r#"["B"]"#);
    assert_eq!(found.sessions[0].requests[0].kind, Kind::Compaction);
    assert_eq!(unknown(&found), ["tools", "params"]);
}

#[test]
fn a_compressed_history_covers_its_messages_and_keeps_earlier_requests() {
    let line = |id: &str, parent: &str, role: &str, words: &str| {
        format!(
            r#"{{"uuid":"{id}","parentUuid":{parent},"sessionId":"s","type":"{role}","message":{{"role":"{role}","parts":[{{"text":"{words}"}}]}}}}"#
        )
    };
    let kept =
        |role: &str, words: &str| format!(r#"{{"role":"{role}","parts":[{{"text":"{words}"}}]}}"#);
    let history = [
        kept("user", "SUMMARY"),
        kept("model", "Got it."),
        kept("user", "two"),
        kept("model", "b"),
    ];
    let log = [
        line("1", "null", "user", "one"),
        line("2", "\"1\"", "model", "a"),
        line("3", "\"2\"", "user", "two"),
        line("4", "\"3\"", "model", "b"),
        format!(
            r#"{{"uuid":"5","parentUuid":"4","sessionId":"s","type":"system","subtype":"chat_compression","systemPayload":{{"compressedHistory":[{}]}}}}"#,
            history.join(",")
        ),
        line("6", "\"5\"", "user", "three"),
        line("7", "\"6\"", "model", "c"),
    ];
    let found = read(&[("q.jsonl", &log.join("\n"))]);
    assert_eq!(formats(&found), [Some("qwen-code")]);
    let [session] = &found.sessions[..] else { panic!("expected one session") };
    assert_eq!(session.requests.len(), 3);
    assert_eq!(
        said(&found),
        ["user SUMMARY", "assistant Got it.", "user two", "assistant b", "user three"]
    );
    let [summary] = session.summaries()[..] else { panic!("expected one summary") };
    let covered = session.messages(session.covered(summary));
    assert_eq!(covered.len(), 4);
    assert_eq!(session.parent(summary), None);
}

#[test]
fn patches_replace_records_and_lists() {
    let log = [
        r#"{"sessionId":"s","projectHash":"h","startTime":"2026-01-01T00:00:00Z"}"#,
        r#"{"$set":{"messages":[{"id":"0","type":"user","content":[{"text":"context"}]}]}}"#,
        r#"{"id":"1","type":"user","content":[{"text":"q"}]}"#,
        r#"{"id":"2","type":"gemini","content":"draft"}"#,
        r#"{"id":"2","type":"gemini","content":"kept","toolCalls":[{"id":"c","name":"f","args":{},"result":[{"functionResponse":{"id":"c","name":"f","response":{"output":"r"}}}]}]}"#,
        r#"{"id":"3","type":"gemini","content":"end"}"#,
    ];
    let found = read(&[("s.jsonl", &log.join("\n"))]);
    assert_eq!(
        said(&found),
        [
            "user context",
            "user q",
            "assistant kept",
            "assistant calls f {}",
            r#"tool gives {"output": "r"}"#
        ]
    );
}

#[test]
fn bodies_in_python_notation_are_read_from_debug_logs() {
    let log = "[2026-01-01 00:00:00 - openai._base_client:1 - DEBUG] Request options: {'method': 'post', 'hook': <function f at 0x1>, 'json_data': {'model': 'm', 'messages': [{'role': 'user', 'content': \"it's\\n\\u4e2d\"}], 'stream': False, 'stop': None}}\n";
    let found = read(&[("debug.log", log)]);
    assert_eq!(said(&found), ["user it's\n中"]);
    let bare = "[2026-01-01 00:00:00 - openai:1 - DEBUG] HTTP Response: POST https://x/v1/chat/completions \"200 OK\" Headers({})\n";
    assert_eq!(unknown(&read(&[("debug.log", bare)])), ["system", "messages", "tools", "params"]);
}

#[test]
fn batch_requests_are_independent_and_repeated_files_count_once() {
    let line = r#"{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"x"}]}}"#;
    let found = read(&[("one.jsonl", line), ("two.jsonl", line)]);
    assert_eq!(found.sessions.len(), 1);
    assert_eq!(found.notes[0].code.as_str(), "repeated");
    let gemini = r#"{"key":"k","request":{"contents":[{"parts":[{"text":"hi"}]}]}}"#;
    assert_eq!(said(&read(&[("b.jsonl", &format!("{gemini}\n{gemini}"))])), ["user hi"]);
}

#[test]
fn chats_and_llm_logs_of_aider_are_read() {
    let chat = "# aider chat started at 2026-01-01 00:00:00\n\n> Aider v0\n\n#### fix it  \n\nDone.\n\n> Tokens\n\n#### thanks\n";
    let found = read(&[("c.md", chat)]);
    assert_eq!(said(&found), ["user fix it", "assistant Done.", "user thanks"]);
    assert_eq!(unknown(&found), ["system", "messages", "params"]);
    let sent = "TO LLM 2026-01-01T00:00:00\n-------\nSYSTEM Be\nSYSTEM good.\n-------\nUSER a\nUSER \nUSER b\nLLM RESPONSE 2026-01-01T00:00:01\nASSISTANT c\n";
    let found = read(&[("c.md", chat), ("l", sent)]);
    assert_eq!(said(&found), ["user a\n\nb"]);
    assert_eq!(system(&found), "[\"Be\\ngood.\"]");
}

#[test]
fn the_last_checkpoint_wins_and_earlier_checkpoints_are_requests() {
    let message = |id: &str, kind: &str, text: &str| {
        format!(r#"{{"type":"{kind}","content":"{text}","id":"{id}"}}"#)
    };
    let state = |at: usize, messages: &[String]| {
        format!(
            r#"{{"values":{{"messages":[{}]}},"metadata":{{"step":{at}}},"created_at":"2026-01-01T00:00:0{at}Z","config":{{"configurable":{{"thread_id":"t"}}}}}}"#,
            messages.join(",")
        )
    };
    let (q, a, r, b) = (
        message("1", "human", "q"),
        message("2", "ai", "a"),
        message("3", "human", "r"),
        message("4", "ai", "b"),
    );
    let history = format!(
        "[{},{},{}]",
        state(3, &[q.clone(), a.clone(), r, b]),
        state(2, &[q.clone(), a]),
        state(1, &[q])
    );
    let found = read(&[("h.json", &history)]);
    assert_eq!(said(&found), ["user q", "assistant a", "user r"]);
    assert_eq!(found.sessions[0].requests.len(), 2);
}

#[test]
fn an_unknown_format_is_read_by_its_shape() {
    let log = r#"{"run": {"steps": [{"blob": "{\"turns\": [{\"role\": \"user\", \"content\": \"q\"}, {\"role\": \"assistant\", \"content\": \"a\"}, {\"role\": \"user\", \"content\": \"r\"}]}"}]}}"#;
    let found = read(&[("weird.json", log)]);
    assert_eq!(formats(&found), [Some("json")]);
    assert_eq!(said(&found), ["user q", "assistant a", "user r"]);
    assert_eq!(unknown(&found), ["system", "params"]);
}

#[test]
fn logs_of_other_frameworks_are_read_by_their_shape() {
    let kinded = r#"[{"kind":"request","parts":[{"part_kind":"system-prompt","content":"S"},{"part_kind":"user-prompt","content":"q"}]},{"kind":"response","parts":[{"part_kind":"tool-call","tool_name":"f","args":"{\"n\":1}","tool_call_id":"t"}]},{"kind":"request","parts":[{"part_kind":"tool-return","tool_name":"f","content":"r","tool_call_id":"t"}]}]"#;
    let found = read(&[("p.json", kinded)]);
    assert_eq!(said(&found), ["user q", r#"assistant calls f {"n":1}"#, "tool gives r"]);
    assert_eq!(system(&found), r#"["S"]"#);
    let requests = r#"{"role":"user","content":[{"type":"text","text":"q"}]}
{"role":"assistant","content":[{"type":"toolRequest","id":"t","toolCall":{"status":"success","value":{"name":"f","arguments":{"n":1}}}}]}
{"role":"user","content":[{"type":"toolResponse","id":"t","toolResult":{"status":"success","value":[{"type":"text","text":"r"}]}}]}"#;
    let found = read(&[("g.jsonl", requests)]);
    assert_eq!(said(&found), ["user q", r#"assistant calls f {"n":1}"#, "tool gives r"]);
    let mapping = r#"{"title":"x","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["q"]}}},"b":{"message":{"author":{"role":"assistant"},"content":{"content_type":"text","parts":["a"]}}},"c":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["r"]}}}}}"#;
    assert_eq!(said(&read(&[("c.json", mapping)])), ["user q", "assistant a", "user r"]);
}

#[test]
fn an_unknown_block_is_kept_verbatim() {
    let body = r#"{"model":"m","max_tokens":1,"system":"s","messages":[{"role":"user","content":[{"type":"hologram","beams":[1,2]}]}]}"#;
    assert_eq!(
        said(&read(&[("b.json", body)])),
        [r#"user other {"type":"hologram","beams":[1,2]}"#]
    );
}

#[test]
fn roles_and_texts_can_have_other_key_names() {
    for log in [
        r#"{"ts":1767225600,"speaker":"human","utterance":"Is it open?"}
{"ts":1767225601,"speaker":"bot","utterance":"Yes."}
{"ts":1767225602,"speaker":"human","utterance":"Until when?"}"#,
        r#"[{"conversations":[{"from":"human","value":"Is it open?"},{"from":"gpt","value":"Yes."},{"from":"human","value":"Until when?"}]}]"#,
    ] {
        let found = read(&[("talk", log)]);
        assert_eq!(said(&found), ["user Is it open?", "assistant Yes.", "user Until when?"]);
        assert_eq!(unknown(&found), ["system", "params"]);
    }
    // a log of program events is not a conversation
    let log = r#"{"type":"system","message":"started"}
{"type":"user","message":"logged in"}"#;
    assert_eq!(formats(&read(&[("app.log", log)])), [None]);
}

#[test]
fn a_body_inside_a_string_is_read_with_its_answer() {
    let log = r#"{"level":"info","request":{"method":"POST","body":"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"},"response":{"status":200,"body":"{\"id\":\"r\",\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"Hello.\"}}],\"usage\":{\"prompt_tokens\":9}}"}}"#;
    let found = read(&[("log.jsonl", log)]);
    assert_eq!(said(&found), ["user Hi"]);
    let request = &found.sessions[0].requests[0];
    assert_eq!((request.usage.input, request.output.len()), (Some(9), 1));
}

#[test]
fn bodies_in_base64_are_read_from_har_files_and_compressed_ones_are_reported() {
    let entry = |text: &str| {
        format!(
            r#"{{"request":{{"postData":{{"encoding":"base64","text":"{text}"}}}},"response":{{}}}}"#
        )
    };
    // {"model":"m","messages":[{"role":"user","content":"Hi"}]}
    let body = "eyJtb2RlbCI6Im0iLCJtZXNzYWdlcyI6W3sicm9sZSI6InVzZXIiLCJjb250ZW50IjoiSGkifV19";
    let log =
        format!(r#"{{"log":{{"entries":[{},{}]}}}}"#, entry(body), entry("H4sIAAAAAAAAA6tWKg=="));
    let found = read(&[("log.har", &log)]);
    assert_eq!(said(&found), ["user Hi"]);
    let notes: Vec<&str> = found.notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(notes, ["the body of entry `1` is compressed; record it before compression"]);
}
