//! Facts of a trace besides its messages: the provider, tool runs, the order of requests, and what
//! was not recorded.

use tuckbox::import::model::{Findings, Kind, Part, Request};
use tuckbox::import::{SourceFile, import, neutral};
use tuckbox::{Json, json};

/// Returns a span: its id, the parent, the name, and its attributes. Attributes are numbers,
/// strings, lists of strings, or JSON text.
type Span<'a> = (&'a str, &'a str, &'a str, &'a [(&'a str, Json)]);

fn trace(scope: &str, spans: &[Span<'_>]) -> Findings {
    let spans: Json = spans
        .iter()
        .enumerate()
        .map(|(at, (id, above, name, attributes))| {
            let attributes: Json = attributes
                .iter()
                .map(|(key, value)| {
                    let value = match value {
                        Json::Number(number) => json!({"intValue": (number.to_string())}),
                        Json::Array(texts) if texts.iter().all(|text| text.as_str().is_some()) => {
                            let texts = texts.iter().map(|text| json!({"stringValue": (text.clone())}));
                            json!({"arrayValue": {"values": (texts.collect::<Json>())}})
                        }
                        Json::String(text) => json!({"stringValue": (text.as_str())}),
                        other => json!({"stringValue": (other.to_string())}),
                    };
                    json!({"key": (*key), "value": value})
                })
                .collect();
            json!({"spanId": (*id), "parentSpanId": (*above), "name": (*name),
                "startTimeUnixNano": (format!("{}", 1_700_000_000_000_000_000_u64 + at as u64 * 1_000)),
                "attributes": attributes})
        })
        .collect();
    let export =
        json!({"resourceSpans": [{"scopeSpans": [{"scope": {"name": scope}, "spans": spans}]}]});
    let bytes = export.to_string().into_bytes();
    import(&[SourceFile { name: "spans.json", bytes: &bytes }])
}

fn only(findings: &Findings) -> &Request {
    let [request] = &findings.sessions[0].requests[..] else { panic!("expected one request") };
    request
}

/// Returns what is unknown about a request, with the last reason.
fn lacks(findings: &Findings) -> (Vec<String>, String) {
    let shape = neutral::shape(findings, false);
    let list = shape.get("unknown").unwrap().as_array().unwrap().to_vec();
    let what = list.iter().map(|entry| entry.get("what").unwrap().text_form()).collect();
    let why = list.last().and_then(|entry| entry.get("why")).map(Json::text_form);
    (what, why.unwrap_or_default())
}

fn results(findings: &Findings) -> Vec<String> {
    let shape = neutral::shape(findings, false);
    let messages = shape.get("messages").unwrap().as_array().unwrap();
    let parts =
        messages.iter().flat_map(|message| message.get("parts").unwrap().as_array().unwrap());
    parts.filter_map(|part| Some(part.get("content")?.text_form())).collect()
}

#[test]
fn an_ai_sdk_trace_has_the_provider_and_google_results_have_the_tool_name() {
    let prompt = json!([
        {"role": "system", "content": "S"},
        {"role": "user", "content": [{"type": "text", "text": "q"}]},
        {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "t", "toolName": "f", "input": {}}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "t", "toolName": "f", "output": {"type": "text", "value": "r"}}]},
    ]);
    let tool = json!({"type": "function", "name": "f", "inputSchema": {"type": "object"}});
    let tools = json!([(tool.to_string())]);
    let called = json!([{"toolCallId": "u", "toolName": "g", "input": {"n": 1}}]);
    for (provider, api, result) in [
        ("openai.responses", Some("openai_responses"), "r"),
        ("openai.chat", Some("openai_chat"), "r"),
        ("anthropic.messages", Some("anthropic"), "r"),
        ("google.generative-ai", Some("gemini"), r#"{"name": "f", "content": "r"}"#),
        ("mine", None, "r"),
    ] {
        let found = trace(
            "ai",
            &[(
                "s",
                "",
                "ai.generateText.doGenerate",
                &[
                    ("ai.model.provider", provider.into()),
                    ("ai.model.id", "m".into()),
                    ("ai.prompt.messages", prompt.clone()),
                    ("ai.prompt.tools", tools.clone()),
                    ("ai.response.reasoning", "hm".into()),
                    ("ai.response.text", "so".into()),
                    ("ai.response.toolCalls", called.clone()),
                    ("ai.usage.inputTokens", 30_u64.into()),
                ],
            )],
        );
        let request = only(&found);
        assert_eq!((request.api, request.model.as_deref()), (api, Some("m")), "{provider}");
        assert_eq!(request.usage.input, Some(30));
        let output = neutral::shape(&found, false).get("output").unwrap().to_string();
        assert_eq!(
            output,
            r#"[{"type":"reasoning","text":"hm"},{"type":"text","text":"so"},{"type":"tool_call","id":"u","name":"g","arguments":{"n":1}}]"#
        );
        assert_eq!(results(&found), [result], "{provider}");
        let schemas = lacks(&found).0.contains(&"tool_schemas".to_owned());
        assert_eq!(schemas, api == Some("gemini"), "{provider}");
    }
}

#[test]
fn openinference_has_the_body_and_the_answer_of_a_request_as_json() {
    let llm = ("openinference.span.kind", Json::from("LLM"));
    let body = json!({"model": "asked", "max_tokens": 9, "system": "S", "messages": [{"role": "user", "content": "q"}]});
    let answer = json!({"id": "r1", "content": [{"type": "text", "text": "a"}], "role": "assistant", "usage": {"input_tokens": 7}});
    let tools = json!({"tools": [{"name": "f", "input_schema": {"type": "object"}}]});
    for (counted, input) in [(None, 7), (Some(30_u64), 30)] {
        let mut attributes = vec![
            llm.clone(),
            ("input.value", body.clone()),
            ("output.value", answer.clone()),
            ("llm.invocation_parameters", tools.clone()),
        ];
        attributes.extend(counted.map(|count| ("llm.token_count.prompt", Json::from(count))));
        let found = trace("openinference", &[("s", "", "messages", &attributes)]);
        let request = only(&found);
        assert_eq!((request.api, request.model.as_deref()), (Some("anthropic"), Some("asked")));
        assert_eq!(
            request.usage.input,
            Some(input),
            "the usage of the span precedes the usage of the answer"
        );
        assert_eq!(request.tools[0].name, "f", "the tools are read from the parameters");
        assert_eq!(request.output, [Part::Text("a".into())]);
    }

    // LangChain batches prompts and wraps its messages
    let said = |class: &str, words: &str| json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", class], "kwargs": {"content": words}});
    let input = json!({"messages": [[(said("SystemMessage", "S")), (said("HumanMessage", "q"))]]});
    let output = json!({"generations": [[{"text": "a", "message": (said("AIMessage", "a"))}]]});
    let attributes = [llm.clone(), ("input.value", input), ("output.value", output)];
    let found = trace("openinference", &[("s", "", "ChatOpenAI", &attributes)]);
    let shape = neutral::shape(&found, false);
    assert_eq!(shape.get("system").unwrap(), &json!(["S"]));
    assert_eq!(
        shape.get("messages").unwrap(),
        &json!([{"role": "user", "parts": [{"type": "text", "text": "q"}]}])
    );
    assert_eq!(only(&found).output, [Part::Text("a".into())]);

    // an image in the flattened copy; a chain is not a request
    let key = |rest: &'static str| rest;
    let picture = [
        llm,
        (key("llm.input_messages.0.message.role"), "user".into()),
        (
            key("llm.input_messages.0.message.contents.0.message_content.image.image.url"),
            "https://x/y.png".into(),
        ),
        (key("llm.input_messages.1.message.role"), "user".into()),
        (key("llm.input_messages.1.message.content"), "What is it?".into()),
    ];
    let chain = [("openinference.span.kind", Json::from("CHAIN")), ("input.value", "{}".into())];
    let found = trace("openinference", &[("s", "", "llm", &picture), ("c", "", "chain", &chain)]);
    let shape = neutral::shape(&found, false);
    let first = &shape.get("messages").unwrap().as_array().unwrap()[0];
    assert_eq!(
        first.get("parts").unwrap().to_string(),
        r#"[{"type":"image","url":"https://x/y.png"}]"#
    );
    assert_eq!(found.sessions[0].requests.len(), 1);
}

#[test]
fn requests_below_a_tool_are_a_sub_agent_and_a_span_completes_its_logs() {
    let said =
        |words: &str| json!([{"role": "user", "parts": [{"type": "text", "content": words}]}]);
    let chat = |words: &str| {
        [("gen_ai.operation.name", Json::from("chat")), ("gen_ai.input.messages", said(words))]
    };
    for tool in [
        ("execute_tool f", vec![]),
        ("ai.toolCall", vec![]),
        ("x", vec![("gen_ai.operation.name", Json::from("execute_tool"))]),
        ("x", vec![("openinference.span.kind", Json::from("TOOL"))]),
        ("x", vec![("traceloop.span.kind", Json::from("tool"))]),
    ] {
        let found = trace(
            "t",
            &[
                ("a", "", "chat m", &chat("outer")),
                ("b", "", tool.0, &tool.1),
                ("c", "b", "step", &[]),
                ("d", "c", "chat m", &chat("inner")),
            ],
        );
        let kinds: Vec<Kind> =
            found.sessions.iter().flat_map(|s| &s.requests).map(|r| r.kind).collect();
        assert_eq!(kinds, [Kind::Main, Kind::Sub], "{tool:?}");
    }
    // spans that are parents of each other end the search
    let found = trace("t", &[("a", "b", "chat m", &chat("q")), ("b", "a", "step", &[])]);
    assert_eq!(only(&found).kind, Kind::Main);

    // the text of a repeated answer comes from the request that got it
    let call = json!({"type": "tool_call", "id": "t", "name": "f", "arguments": {}});
    let first = [
        ("gen_ai.input.messages", said("q")),
        (
            "gen_ai.output.messages",
            json!([{"role": "assistant", "parts": [{"type": "text", "content": "Let me see."}, (call.clone())]}]),
        ),
    ];
    let second = [(
        "gen_ai.input.messages",
        json!([{"role": "user", "parts": [{"type": "text", "content": "q"}]}, {"role": "assistant", "parts": [call]},
            {"role": "tool", "parts": [{"type": "tool_call_response", "id": "t", "response": "r"}]}]),
    )];
    let found = trace("t", &[("a", "", "chat m", &first), ("b", "", "chat m", &second)]);
    assert_eq!(
        neutral::shape(&found, false).get("messages").unwrap().as_array().unwrap()[1].to_string(),
        r#"{"role":"assistant","parts":[{"type":"text","text":"Let me see."},{"type":"tool_call","id":"t","name":"f","arguments":{}}]}"#
    );
}

#[test]
fn missing_content_of_a_trace_has_a_reason() {
    let chat = ("gen_ai.operation.name", Json::from("chat"));
    let bare = "the trace was recorded without content";
    let tooled = "the trace has tool calls without content";
    let input = "the trace lost the input of this request, as it does for turns with pictures";
    let several = "the trace lost the content of a user turn with several parts";
    let answer = json!([{"role": "assistant", "parts": [{"type": "text", "content": "a"}]}]);
    let silent = json!([{"role": "user", "parts": []}]);
    for (attributes, what, why) in [
        (vec![chat.clone()], vec!["system", "messages"], bare),
        (vec![("llm.request.type", "chat".into())], vec!["system", "messages"], bare),
        (
            vec![chat.clone(), ("gen_ai.response.finish_reasons", json!(["tool_calls"]))],
            vec!["system", "messages", "tool_calls", "tools", "tool_results"],
            tooled,
        ),
        (
            vec![chat.clone(), ("gen_ai.output.messages", answer)],
            vec!["system", "messages", "images"],
            input,
        ),
        (vec![chat, ("gen_ai.input.messages", silent)], vec!["messages", "images"], several),
    ] {
        let found = trace("t", &[("s", "", "chat m", &attributes)]);
        let (mut lost, _) = lacks(&found);
        lost.retain(|what| what != "params");
        assert_eq!(lost, what, "{attributes:?}");
        let shape = neutral::shape(&found, false).get("unknown").unwrap().to_string();
        assert!(shape.contains(why), "{shape}");
    }
    let embedding = [("gen_ai.operation.name", "embeddings".into())];
    assert!(
        trace("t", &[("s", "", "e", &embedding)]).sessions.iter().all(|s| s.requests.is_empty())
    );
}

#[test]
fn incremental_requests_continue_the_previous_one_with_the_same_system_prompt() {
    let request = |id: &str, said: Json| {
        [
            ("gen_ai.request.model", Json::from("m")),
            ("gen_ai.response.id", Json::from(id)),
            ("gen_ai.system_instructions", json!([{"type": "text", "content": "S"}])),
            ("gen_ai.input.messages", said),
        ]
    };
    let first =
        request("resp_1", json!([{"role": "user", "parts": [{"type": "text", "content": "q"}]}]));
    let second = request(
        "resp_2",
        json!([{"role": "tool", "parts": [{"type": "tool_call_response", "id": "t", "response": "r"}]}]),
    );
    let found = trace("t", &[("a", "", "chat m", &first), ("b", "", "chat m", &second)]);
    let shape = neutral::shape(&found, false);
    let roles: Vec<String> = shape
        .get("messages")
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message.get("role").unwrap().text_form())
        .collect();
    assert_eq!(roles, ["user", "tool"]);
    assert!(lacks(&found).0.contains(&"order".to_owned()));
}
