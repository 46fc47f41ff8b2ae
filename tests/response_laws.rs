//! Round trips: what a provider answers, read and sent again, is the same, byte for byte; and a
//! stream of it reads as the whole does.
use tuckbox::prompt::provider::{
    Options, Prompt, Provider, Response, payload, read_events, read_response,
};
use tuckbox::value::json::{Json, Object};
use tuckbox::value::message::Message;

const CASES: u64 = 20_000;

/// A small generator: the same seed gives the same answers everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn words(&mut self) -> String {
        let words = ["otters", "\"quoted\"", "\\n", "请假", "é", "a b"];
        let words: Vec<_> = (0..=self.roll(4)).map(|_| words[self.roll(words.len())]).collect();
        format!("{} {}", words.join(" "), self.roll(100))
    }

    fn arguments(&mut self) -> Json {
        let text = ["{}", r#"{"q":1}"#, r#"{"big":1e400,"n":{"x":[null,true]}}"#];
        Json::parse(text[self.roll(text.len())]).unwrap()
    }
}

fn text(value: impl Into<String>) -> Json {
    Json::from(value.into())
}

/// The content blocks of an answer of Anthropic.
fn anthropic(dice: &mut Dice) -> Vec<Json> {
    let mut blocks = Vec::new();
    for at in 0..=dice.roll(5) {
        let words = dice.words();
        blocks.push(match dice.roll(6) {
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
                ("input", dice.arguments()),
            ]),
        });
    }
    // a message of nothing but thoughts goes nowhere
    blocks.push(Json::from([("type", "text"), ("text", "so")]));
    blocks
}

fn whole_anthropic(blocks: &[Json]) -> Json {
    Json::from([("role", text("assistant")), ("content", Json::Array(blocks.to_vec()))])
}

/// The same answer as events, every text in two pieces.
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

/// The payload that goes on from an answer, with a result for each of its calls.
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
fn what_anthropic_answers_goes_back_byte_for_byte_whole_or_streamed() {
    for case in 0..CASES {
        let blocks = anthropic(&mut Dice(case.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let whole = read_response(Provider::Anthropic, &whole_anthropic(&blocks), &[]).unwrap();
        let body = sent_again(Provider::Anthropic, &whole);
        let again = body.get("messages").unwrap().as_array().unwrap()[1].get("content").unwrap();
        assert_eq!(again.to_string(), Json::Array(blocks.clone()).to_string(), "case {case}");
        let streamed = read_events(Provider::Anthropic, &stream(&blocks), &[]).unwrap();
        assert_eq!(streamed.message, whole.message, "case {case}");
        assert!(streamed.complete && streamed.losses.is_empty());
    }
}

#[test]
fn what_gemini_answers_goes_back_byte_for_byte() {
    for case in 0..CASES {
        let mut dice = Dice(case.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut parts: Vec<Json> = Vec::new();
        for at in 0..=dice.roll(4) {
            let words = dice.words();
            let signature = text(format!("t{at}"));
            parts.push(match dice.roll(5) {
                0 => Json::from([("text", text(words))]),
                1 => Json::from([("text", text(words)), ("thought", Json::from(true))]),
                2 => Json::from([("text", text(words)), ("thoughtSignature", signature)]),
                _ => {
                    let call = [("name", text("f")), ("args", dice.arguments())];
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
        assert_eq!(again.to_string(), Json::Array(parts).to_string(), "case {case}");
    }
}

#[test]
fn what_openai_answers_goes_back_byte_for_byte() {
    for case in 0..CASES {
        let mut dice = Dice(case.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let words = dice.words();
        // Responses: reasoning, words, calls
        let reasoning = Json::parse(
            r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"e=="}"#,
        )
        .unwrap();
        let call = Json::from([
            ("type", text("function_call")),
            ("call_id", text("k1")),
            ("name", text("f")),
            ("arguments", text(dice.arguments().to_string())),
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
        assert_eq!(Json::Array(input[1..4].to_vec()).to_string(), expected, "case {case}");

        // Chat Completions: words and calls in one message
        let function = [("name", text("f")), ("arguments", text(dice.arguments().to_string()))];
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
        assert_eq!(again.to_string(), message.to_string(), "case {case}");
    }
}

#[test]
fn a_stream_that_is_cut_anywhere_is_read_without_a_half_call() {
    for case in 0..500 {
        let blocks = anthropic(&mut Dice(case));
        let events = stream(&blocks);
        for end in 1..events.len() {
            let cut = read_events(Provider::Anthropic, &events[..end], &[]).unwrap();
            assert!(!cut.complete && !cut.losses.is_empty());
            let mut calls = cut.message.calls();
            let whole = |arguments: &str| Json::parse(arguments).is_ok_and(|json| !json.is_null());
            assert!(calls.all(|call| call.arguments.is_some_and(whole)), "{:?}", cut.message);
        }
    }
}
