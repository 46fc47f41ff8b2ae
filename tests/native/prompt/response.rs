//! Round trips: the answer of a provider is read and sent again byte for byte. A stream gives the
//! same message as the whole answer.
use crate::property::{Dice, hold};
use tuckbox::prompt::provider::{
    Options, Prompt, Provider, Response, payload, read_events, read_response,
};
use tuckbox::value::json::{Json, Object};
use tuckbox::value::message::Message;

fn words(dice: &mut Dice) -> String {
    let words = ["otters", "\"quoted\"", "\\n", "请假", "é", "a b"];
    let words: Vec<_> = (0..=dice.below(4)).map(|_| dice.pick(&words)).collect();
    format!("{} {}", words.join(" "), dice.below(100))
}

fn arguments(dice: &mut Dice) -> Json {
    let text = ["{}", r#"{"q":1}"#, r#"{"big":1e400,"n":{"x":[null,true]}}"#];
    Json::parse(dice.pick(&text)).unwrap()
}

fn text(value: impl Into<String>) -> Json {
    Json::from(value.into())
}

/// Returns the content blocks of an Anthropic answer.
fn anthropic(dice: &mut Dice) -> Vec<Json> {
    let mut blocks = Vec::new();
    for at in 0..=dice.below(5) {
        let words = words(dice);
        blocks.push(match dice.below(6) {
            0 | 1 => Json::from([("type", text("text")), ("text", text(words))]),
            2 => Json::from([
                ("type", text("thinking")),
                ("thinking", text(words)),
                ("signature", text(format!("sig{at}=="))),
            ]),
            3 => Json::from([("type", text("redacted_thinking")), ("data", text(words))]),
            4 => Json::from([
                ("type", text("text")),
                ("text", text(words)),
                ("citations", Json::Array(vec![Json::from([("type", "char_location")])])),
            ]),
            _ => Json::from([
                ("type", text("tool_use")),
                ("id", text(format!("k{at}"))),
                ("name", text("read_file")),
                ("input", arguments(dice)),
            ]),
        });
    }
    // a message needs a block besides reasoning
    blocks.push(Json::from([("type", "text"), ("text", "so")]));
    blocks
}

fn whole_anthropic(blocks: &[Json]) -> Json {
    Json::from([("role", text("assistant")), ("content", Json::Array(blocks.to_vec()))])
}

/// Returns the answer as events, with every text in two chunks.
fn stream(blocks: &[Json]) -> Vec<Json> {
    let object = |text: &str| Json::parse(text).unwrap();
    let mut events = vec![object(r#"{"type":"message_start","message":{"role":"assistant"}}"#)];
    for (at, block) in blocks.iter().enumerate() {
        let mut start = block.as_object().unwrap().clone();
        let mut deltas = Vec::new();
        let mut pieces = |start: &mut Object, key: &str, kind: &str, sent: &str| {
            let Some(value) = start.get(key).cloned() else { return };
            let whole = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let half = whole.chars().count() / 2;
            let (first, second): (String, String) =
                (whole.chars().take(half).collect(), whole.chars().skip(half).collect());
            let empty = if key == "input" { object("{}") } else { text("") };
            start.insert(key.to_owned(), empty);
            for piece in [first, second] {
                deltas.push(Json::from([("type", text(kind)), (sent, text(piece))]));
            }
        };
        match block.get("type").unwrap().as_str().unwrap() {
            "text" => pieces(&mut start, "text", "text_delta", "text"),
            "thinking" => {
                pieces(&mut start, "thinking", "thinking_delta", "thinking");
                pieces(&mut start, "signature", "signature_delta", "signature");
            }
            "tool_use" => pieces(&mut start, "input", "input_json_delta", "partial_json"),
            _ => {}
        }
        let index = Json::from(at);
        events.push(Json::from([
            ("type", text("content_block_start")),
            ("index", index.clone()),
            ("content_block", Json::Object(start)),
        ]));
        for delta in deltas {
            let kind = text("content_block_delta");
            events.push(Json::from([("type", kind), ("index", index.clone()), ("delta", delta)]));
        }
        events.push(Json::from([("type", text("content_block_stop")), ("index", index)]));
    }
    events.push(object(r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#));
    events.push(object(r#"{"type":"message_stop"}"#));
    events
}

/// Returns the next payload after an answer, with a result for each of its calls.
fn sent_again(provider: Provider, response: &Response) -> Json {
    let mut messages = vec![Message::user("U"), response.message.clone()];
    let listed = response.message.calls().filter_map(|call| call.id.map(str::to_owned));
    let inline = match response.message.content.to_json() {
        Some(Json::Array(parts)) => parts,
        _ => Vec::new(),
    };
    let inline = inline.iter().filter(|part| part.get("type") == Some(&"tool_call".into()));
    let inline = inline.map(|part| part.get("id").unwrap().as_str().unwrap().to_owned());
    let ids: Vec<String> = listed.chain(inline).collect();
    messages.extend(ids.iter().map(|id| Message::tool(id, "done")));
    messages.push(Message::user("go on"));
    let prompt = Prompt::new(messages);
    payload(&prompt, provider, &Options::model("some-model")).unwrap().body()
}

#[test]
fn an_anthropic_answer_is_sent_back_byte_for_byte_whole_or_streamed() {
    hold("an anthropic answer is sent back byte for byte, whole or streamed", |dice| {
        let blocks = anthropic(dice);
        let whole = read_response(Provider::Anthropic, &whole_anthropic(&blocks), &[]).unwrap();
        let body = sent_again(Provider::Anthropic, &whole);
        let again = body.get("messages").unwrap().as_array().unwrap()[1].get("content").unwrap();
        assert_eq!(again.to_string(), Json::Array(blocks.clone()).to_string());
        let streamed = read_events(Provider::Anthropic, &stream(&blocks), &[]).unwrap();
        assert_eq!(streamed.message, whole.message);
        assert!(streamed.complete && streamed.losses.is_empty());
    });
}

#[test]
fn a_gemini_answer_is_sent_back_byte_for_byte() {
    hold("a gemini answer is sent back byte for byte", |dice| {
        let mut parts: Vec<Json> = Vec::new();
        for at in 0..=dice.below(4) {
            let words = words(dice);
            let signature = text(format!("t{at}"));
            parts.push(match dice.below(5) {
                0 => Json::from([("text", text(words))]),
                1 => Json::from([("text", text(words)), ("thought", Json::from(true))]),
                2 => Json::from([("text", text(words)), ("thoughtSignature", signature)]),
                _ => {
                    let call = [("name", text("f")), ("args", arguments(dice))];
                    Json::from([
                        ("functionCall", Json::from(call)),
                        ("thoughtSignature", signature),
                    ])
                }
            });
        }
        parts.push(Json::from([("text", text("so"))]));
        let content = Json::from([("role", text("model")), ("parts", Json::Array(parts.clone()))]);
        let candidate = [("content", content), ("finishReason", text("STOP"))];
        let candidates = Json::Array(vec![Json::from(candidate)]);
        let body = Json::from([("candidates", candidates)]);
        let response = read_response(Provider::Gemini, &body, &[]).unwrap();
        let calls = parts.iter().filter(|part| part.get("functionCall").is_some()).count();
        let mut messages = vec![Message::user("U"), response.message];
        for _ in 0..calls {
            messages.push(Message::tool("", "done"));
        }
        messages.push(Message::user("go on"));
        let again =
            payload(&Prompt::new(messages), Provider::Gemini, &Options::model("m")).unwrap();
        let body = again.body();
        let again = body.get("contents").unwrap().as_array().unwrap()[1].get("parts").unwrap();
        assert_eq!(again.to_string(), Json::Array(parts).to_string());
    });
}

#[test]
fn an_openai_answer_is_sent_back_byte_for_byte() {
    hold("an openai answer is sent back byte for byte", |dice| {
        let words = words(dice);
        // Responses: reasoning, text and calls
        let reasoning = Json::parse(
            r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"e=="}"#,
        )
        .unwrap();
        let call = Json::from([
            ("type", text("function_call")),
            ("call_id", text("k1")),
            ("name", text("f")),
            ("arguments", text(arguments(dice).to_string())),
        ]);
        let part = Json::from([("type", text("output_text")), ("text", text(words.clone()))]);
        let message = Json::from([("type", text("message")), ("content", Json::Array(vec![part]))]);
        let output = vec![reasoning.clone(), message, call.clone()];
        let body = Json::from([("output", Json::Array(output)), ("status", text("completed"))]);
        let response = read_response(Provider::OpenaiResponses, &body, &[]).unwrap();
        let body = sent_again(Provider::OpenaiResponses, &response);
        let said = Json::from([("role", text("assistant")), ("content", text(words.clone()))]);
        let input = body.get("input").unwrap().as_array().unwrap();
        let expected = Json::Array(vec![reasoning, said, call]).to_string();
        assert_eq!(Json::Array(input[1..4].to_vec()).to_string(), expected);

        // Chat Completions: text and calls in one message
        let function = [("name", text("f")), ("arguments", text(arguments(dice).to_string()))];
        let call = Json::from([
            ("id", text("k1")),
            ("type", text("function")),
            ("function", Json::from(function)),
        ]);
        let message = Json::from([
            ("role", text("assistant")),
            ("content", text(words)),
            ("tool_calls", Json::Array(vec![call])),
        ]);
        let choice = [("message", message.clone()), ("finish_reason", text("tool_calls"))];
        let body = Json::from([("choices", Json::Array(vec![Json::from(choice)]))]);
        let response = read_response(Provider::OpenaiChat, &body, &[]).unwrap();
        let body = sent_again(Provider::OpenaiChat, &response);
        let again = &body.get("messages").unwrap().as_array().unwrap()[1];
        assert_eq!(again.to_string(), message.to_string());
    });
}

/// Returns the message that `sent_again` made from the answer.
fn second(body: &Json) -> &Json {
    &body.get("messages").unwrap().as_array().unwrap()[1]
}

/// Returns the content blocks of a Bedrock answer.
fn bedrock(dice: &mut Dice) -> Vec<Json> {
    let mut blocks = Vec::new();
    for at in 0..=dice.below(5) {
        let words = words(dice);
        blocks.push(match dice.below(4) {
            0 => Json::from([("text", text(words))]),
            1 => {
                let inner = [("text", text(words)), ("signature", text(format!("sig{at}==")))];
                let inner = Json::from([("reasoningText", Json::from(inner))]);
                Json::from([("reasoningContent", inner)])
            }
            2 => {
                let inner = Json::from([("redactedContent", text(words))]);
                Json::from([("reasoningContent", inner)])
            }
            _ => {
                let call = [
                    ("toolUseId", text(format!("k{at}"))),
                    ("name", text("read_file")),
                    ("input", arguments(dice)),
                ];
                Json::from([("toolUse", Json::from(call))])
            }
        });
    }
    blocks.push(Json::from([("text", "so")]));
    blocks
}

/// Returns the answer as events of `ConverseStream`, with every text in two chunks.
fn bedrock_stream(blocks: &[Json]) -> Vec<Json> {
    let halves = |whole: &str| {
        let half = whole.chars().count() / 2;
        let first: String = whole.chars().take(half).collect();
        [text(first), text(whole.chars().skip(half).collect::<String>())]
    };
    let mut events = vec![Json::parse(r#"{"messageStart":{"role":"assistant"}}"#).unwrap()];
    for (at, block) in blocks.iter().enumerate() {
        let index = ("contentBlockIndex", Json::from(at));
        let mut deltas: Vec<Json> = Vec::new();
        if let Some(call) = block.get("toolUse") {
            let mut start = call.as_object().unwrap().clone();
            let input = start.remove("input").unwrap().to_string();
            let start = Json::from([("toolUse", Json::Object(start))]);
            let begun = Json::from([("start", start), index.clone()]);
            events.push(Json::from([("contentBlockStart", begun)]));
            let pieces = halves(&input);
            deltas.extend(
                pieces.map(|piece| Json::from([("toolUse", Json::from([("input", piece)]))])),
            );
        } else if let Some(thought) = block.get("reasoningContent") {
            let inner = |key: &str| thought.get("reasoningText")?.get(key)?.as_str();
            let reasoning = |key: &str, value: Json| {
                Json::from([("reasoningContent", Json::from([(key, value)]))])
            };
            match thought.get("redactedContent") {
                Some(data) => deltas.push(reasoning("redactedContent", data.clone())),
                None => {
                    deltas.extend(halves(inner("text").unwrap()).map(|t| reasoning("text", t)));
                    deltas.push(reasoning("signature", text(inner("signature").unwrap())));
                }
            }
        } else {
            let pieces = halves(block.get("text").unwrap().as_str().unwrap());
            deltas.extend(pieces.map(|piece| Json::from([("text", piece)])));
        }
        for delta in deltas {
            let delta = Json::from([("delta", delta), index.clone()]);
            events.push(Json::from([("contentBlockDelta", delta)]));
        }
        events.push(Json::from([("contentBlockStop", Json::from([index]))]));
    }
    events.push(Json::parse(r#"{"messageStop":{"stopReason":"end_turn"}}"#).unwrap());
    events
}

#[test]
fn a_bedrock_answer_is_sent_back_byte_for_byte_whole_or_streamed() {
    hold("a bedrock answer is sent back byte for byte, whole or streamed", |dice| {
        let blocks = bedrock(dice);
        let content = Json::from([("content", Json::Array(blocks.clone()))]);
        let body = Json::from([("output", Json::from([("message", content)]))]);
        let whole = read_response(Provider::Bedrock, &body, &[]).unwrap();
        assert_eq!(whole.losses, []);
        let body = sent_again(Provider::Bedrock, &whole);
        let again = second(&body).get("content").unwrap();
        assert_eq!(again.to_string(), Json::Array(blocks.clone()).to_string());
        let streamed = read_events(Provider::Bedrock, &bedrock_stream(&blocks), &[]).unwrap();
        assert_eq!(streamed.message, whole.message);
        assert!(streamed.complete && streamed.losses.is_empty());
    });
}

#[test]
fn a_mistral_answer_is_sent_back_byte_for_byte() {
    hold("a mistral answer is sent back byte for byte", |dice| {
        let mut chunks: Vec<Json> = Vec::new();
        for _ in 0..dice.below(3) {
            let texts = (0..=dice.below(2))
                .map(|_| Json::from([("type", text("text")), ("text", text(words(dice)))]));
            let texts = Json::Array(texts.collect());
            let mut chunk = vec![("type", text("thinking")), ("thinking", texts)];
            if dice.below(2) == 0 {
                chunk.push(("signature", text("sig==")));
                chunk.push(("closed", Json::from(true)));
            }
            chunks.push(Json::Object(
                chunk.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            ));
        }
        let words = words(dice);
        let content = if chunks.is_empty() {
            text(words)
        } else {
            chunks.push(Json::from([("type", text("text")), ("text", text(words))]));
            Json::Array(chunks)
        };
        let mut message = Object::default();
        message.insert("role".into(), text("assistant"));
        message.insert("content".into(), content);
        let calls: Vec<Json> = (0..dice.below(3))
            .map(|at| {
                let function =
                    [("name", text("f")), ("arguments", text(arguments(dice).to_string()))];
                Json::from([
                    ("id", text(format!("abcdefgh{at}"))),
                    ("type", text("function")),
                    ("function", Json::from(function)),
                ])
            })
            .collect();
        if !calls.is_empty() {
            message.insert("tool_calls".into(), Json::Array(calls));
        }
        let message = Json::Object(message);
        let choice = [("message", message.clone()), ("finish_reason", text("stop"))];
        let body = Json::from([("choices", Json::Array(vec![Json::from(choice)]))]);
        let response = read_response(Provider::Mistral, &body, &[]).unwrap();
        assert_eq!(response.losses, []);
        let body = sent_again(Provider::Mistral, &response);
        assert_eq!(second(&body).to_string(), message.to_string());
    });
}

/// Returns values that a provider of the AI SDK needs back. Answers have them as
/// `providerMetadata`, messages as `providerOptions`.
fn kept(dice: &mut Dice) -> Json {
    let options = [
        r#"{"openai":{"itemId":"rs_1","reasoningEncryptedContent":"e=="}}"#,
        r#"{"google":{"thoughtSignature":"t=="}}"#,
        r#"{"anthropic":{"signature":"sig=="}}"#,
        r#"{"anthropic":{"redactedData":"ZW5j"},"own":{"key":[1,null]}}"#,
    ];
    Json::parse(dice.pick(&options)).unwrap()
}

#[test]
fn an_ai_sdk_answer_is_sent_back_byte_for_byte() {
    hold("an ai sdk answer is sent back byte for byte", |dice| {
        let mut answered: Vec<Json> = Vec::new();
        let mut expected: Vec<Json> = Vec::new();
        for at in 0..=dice.below(4) {
            let part = match dice.below(3) {
                0 => vec![("type", text("text")), ("text", text(words(dice)))],
                1 => vec![("type", text("reasoning")), ("text", text(words(dice)))],
                _ => vec![
                    ("type", text("tool-call")),
                    ("toolCallId", text(format!("k{at}"))),
                    ("toolName", text("f")),
                    ("input", arguments(dice)),
                ],
            };
            let mut part: Object =
                part.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            let mut again = part.clone();
            if dice.below(2) == 0 {
                let options = kept(dice);
                part.insert("providerMetadata".into(), options.clone());
                again.insert("providerOptions".into(), options);
            }
            answered.push(Json::Object(part));
            expected.push(Json::Object(again));
        }
        let last = Json::from([("type", "text"), ("text", "so")]);
        answered.push(last.clone());
        expected.push(last);
        let body =
            Json::from([("content", Json::Array(answered)), ("finishReason", text("tool-calls"))]);
        let response = read_response(Provider::AiSdk, &body, &[]).unwrap();
        assert_eq!(response.losses, []);
        let body = sent_again(Provider::AiSdk, &response);
        let again = match second(&body).get("content").unwrap() {
            // a single text part becomes a string
            Json::String(text) => {
                Json::Array(vec![Json::from([("type", "text"), ("text", text.as_str())])])
            }
            parts => parts.clone(),
        };
        assert_eq!(again.to_string(), Json::Array(expected).to_string());
    });
}

#[test]
fn a_truncated_stream_gives_no_partial_call() {
    hold("a truncated stream gives no partial call", |dice| {
        let blocks = anthropic(dice);
        let events = stream(&blocks);
        for end in 1..events.len() {
            let cut = read_events(Provider::Anthropic, &events[..end], &[]).unwrap();
            assert!(!cut.complete && !cut.losses.is_empty());
            let mut calls = cut.message.calls();
            let whole = |arguments: &str| Json::parse(arguments).is_ok_and(|json| !json.is_null());
            assert!(calls.all(|call| call.arguments.is_some_and(whole)), "{:?}", cut.message);
        }
        // each position of the end is a case
        events.len() - 1
    });
}
