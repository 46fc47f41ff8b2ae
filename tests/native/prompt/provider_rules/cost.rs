//! The cost and the texts of a body, computed from the body alone.

use tuckbox::Json;
use tuckbox::prompt::provider::Provider;
use tuckbox::prompt::tokens::Counter;

/// A counter of one token for each character.
pub struct Characters;

impl Counter for Characters {
    fn count(&self, text: &str) -> u64 {
        text.chars().count() as u64
    }

    fn exact(&self) -> bool {
        true
    }
}

/// Returns the cost of a body under [`Characters`].
pub fn walked(provider: Provider, body: &Json) -> u64 {
    let framing = provider.framing();
    let mut tokens = framing.reply;
    let tools: Vec<&Json> = items(body, "tools")
        .iter()
        .flat_map(|tool| match items(tool, "functionDeclarations") {
            [] => vec![tool],
            several => several.iter().collect(),
        })
        .collect();
    if !tools.is_empty() {
        let written = tools.iter().map(|tool| framing.tool + Characters.count(&tool.to_string()));
        tokens += framing.tools + written.sum::<u64>();
    }
    for_each_item(provider, body, &mut |item| {
        tokens += match item {
            Item::Message => framing.message,
            Item::Text(text) => Characters.count(text),
            Item::Words(words) => Characters.count(&words),
            Item::File(cost) => cost,
            Item::Call { name, arguments } => {
                framing.call + Characters.count(name) + Characters.count(&arguments)
            }
            Item::Answer => framing.answer,
        }
    });
    tokens
}

/// Returns the texts of a body in order, without calls.
pub fn said(provider: Provider, body: &Json) -> Vec<String> {
    let mut texts = Vec::new();
    for_each_item(provider, body, &mut |item| {
        if let Item::Text(text) = item {
            texts.push(text.to_owned());
        }
    });
    texts
}

/// Returns the calls of a body: the name, and the arguments as [`written`] writes them.
pub fn called(provider: Provider, body: &Json) -> Vec<(String, String)> {
    let mut calls = Vec::new();
    for_each_item(provider, body, &mut |item| {
        if let Item::Call { name, arguments } = item {
            calls.push((name.to_owned(), written(&arguments)));
        }
    });
    calls
}

/// Returns arguments in one spelling, without regard to white space.
pub fn written(arguments: &str) -> String {
    Json::parse(arguments).map_or_else(|_| arguments.to_owned(), |value| value.to_string())
}

/// An item of a body that has a cost.
enum Item<'a> {
    Message,
    Text(&'a str),
    /// An item that counts and is not the text of a message.
    Words(String),
    File(u64),
    Call {
        name: &'a str,
        arguments: String,
    },
    Answer,
}

fn items<'a>(value: &'a Json, key: &str) -> &'a [Json] {
    value.get(key).and_then(Json::as_array).unwrap_or_default()
}

fn for_each_item<'a>(provider: Provider, body: &'a Json, see: &mut dyn FnMut(Item<'a>)) {
    let string =
        |value: &'a Json, key: &str| value.get(key).and_then(Json::as_str).unwrap_or_default();
    match provider {
        Provider::OpenaiChat => {
            for message in items(body, "messages") {
                see(Item::Message);
                if let Some(name) = message.get("name").and_then(Json::as_str) {
                    see(Item::Text(name));
                }
                if message.get("tool_call_id").is_some() {
                    see(Item::Answer);
                }
                content(provider, message.get("content"), see);
                for call in items(message, "tool_calls") {
                    let function = call.get("function").unwrap();
                    let arguments = string(function, "arguments").to_owned();
                    see(Item::Call { name: string(function, "name"), arguments });
                }
            }
        }
        Provider::OpenaiResponses => {
            for item in items(body, "input") {
                match item.get("type").and_then(Json::as_str) {
                    Some("function_call") => {
                        let arguments = string(item, "arguments").to_owned();
                        see(Item::Call { name: string(item, "name"), arguments });
                    }
                    Some("function_call_output") => {
                        see(Item::Answer);
                        content(provider, item.get("output"), see);
                    }
                    Some("reasoning") => {
                        let summary = items(item, "summary").iter();
                        let texts = summary.map(|part| string(part, "text"));
                        see(Item::Words(texts.collect::<Vec<_>>().join("\n\n")));
                    }
                    Some(_) => see(Item::Words(item.to_string())),
                    None => {
                        see(Item::Message);
                        content(provider, item.get("content"), see);
                    }
                }
            }
        }
        Provider::Anthropic => {
            content(provider, body.get("system"), see);
            for message in items(body, "messages") {
                // system messages have the same cost before and in the conversation
                if string(message, "role") != "system" {
                    see(Item::Message);
                }
                content(provider, message.get("content"), see);
            }
        }
        Provider::Gemini => {
            let system = body.get("systemInstruction").and_then(|system| system.get("parts"));
            content(provider, system, see);
            for message in items(body, "contents") {
                see(Item::Message);
                content(provider, message.get("parts"), see);
            }
        }
        other => unreachable!("`{}` is not supported", other.as_str()),
    }
}

/// Visits one text, or a list of parts in the format of the provider.
fn content<'a>(provider: Provider, value: Option<&'a Json>, see: &mut dyn FnMut(Item<'a>)) {
    let list = match value {
        Some(Json::String(text)) => return see(Item::Text(text)),
        Some(Json::Array(list)) => list,
        _ => return,
    };
    let image = match provider {
        Provider::Neutral | Provider::OpenaiChat | Provider::OpenaiResponses => 765,
        Provider::Anthropic => 1_500,
        Provider::Gemini => 258,
        other => unreachable!("`{}` is not supported", other.as_str()),
    };
    for part in list {
        let kind = match part {
            // a result of Gemini with several texts
            Json::String(text) => {
                see(Item::Text(text));
                continue;
            }
            // a part of Gemini has one key, which is its kind
            part => part.get("type").and_then(Json::as_str).unwrap_or_else(|| {
                let mut keys = part.as_object().unwrap().keys();
                keys.find(|key| *key != "thoughtSignature").unwrap()
            }),
        };
        let inner = |key: &str| part.get(kind).unwrap().get(key);
        match kind {
            "text" | "input_text" => see(Item::Text(part.get("text").unwrap().as_str().unwrap())),
            "refusal" => see(Item::Text(part.get("refusal").unwrap().as_str().unwrap())),
            "thinking" => see(Item::Words(part.get("thinking").unwrap().as_str().unwrap().into())),
            "redacted_thinking" => {}
            "image_url" | "input_image" | "image" => see(Item::File(image)),
            "input_audio" => see(Item::File(1_000)),
            // the content of an id is unknown
            "file" | "input_file" if part.to_string().contains("\"file_id\"") => {
                see(Item::File(1_000));
            }
            "document"
                if part.get("source").unwrap().get("media_type") == Some(&"text/plain".into()) =>
            {
                see(Item::File(1_000));
            }
            "file" | "input_file" | "document" => see(Item::File(4 * image)),
            "inlineData" | "fileData" => {
                see(Item::File(match inner("mimeType").unwrap().as_str().unwrap() {
                    "application/pdf" => 4 * image,
                    mime if mime.starts_with("image/") => image,
                    mime if mime.starts_with("video/") => 8_000,
                    _ => 1_000,
                }));
            }
            "tool_use" => {
                let arguments = part.get("input").unwrap().to_string();
                see(Item::Call { name: part.get("name").unwrap().as_str().unwrap(), arguments });
            }
            "functionCall" => {
                let arguments = inner("args").unwrap().to_string();
                see(Item::Call { name: inner("name").unwrap().as_str().unwrap(), arguments });
            }
            "tool_result" => {
                see(Item::Answer);
                content(provider, part.get("content"), see);
            }
            "functionResponse" => {
                see(Item::Answer);
                let response = inner("response").unwrap();
                match response.get("error") {
                    Some(Json::Object(_)) => see(Item::Words(response.to_string())),
                    Some(error) => content(provider, Some(error), see),
                    None => content(provider, response.get("output"), see),
                }
                content(provider, inner("parts"), see);
            }
            // parts that only this provider has
            _ => see(Item::Words(part.to_string())),
        }
    }
}
