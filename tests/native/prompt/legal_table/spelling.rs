//! Converts bodies of other libraries to the spelling of the rules. Providers accept several
//! spellings, and Tuckbox writes one of them. The conversion repairs nothing that a provider would
//! refuse.
use tuckbox::prompt::provider::Provider;
use tuckbox::value::json::{Json, Object};

/// Keys about delivery or filtering of an answer.
const ASIDE: [&str; 6] =
    ["stream", "stream_options", "store", "extra_body", "safetySettings", "safety_settings"];

/// Returns the request in the spelling of the rules.
pub fn spelled(provider: Provider, body: &Json) -> Json {
    let body = match provider {
        Provider::Gemini => camels(body),
        _ => body.clone(),
    };
    let Json::Object(mut body) = body else { return body };
    for key in ASIDE {
        body.remove(key);
    }
    match provider {
        Provider::Anthropic => anthropic(&mut body),
        Provider::Gemini => gemini(&mut body),
        Provider::OpenaiChat => chat(&mut body),
        Provider::OpenaiResponses => responses(&mut body),
        _ => {}
    }
    Json::Object(body)
}

fn each(of: &mut Object, key: &str, change: impl FnMut(&mut Object)) {
    let Some(Json::Array(items)) = of.get_mut(key) else { return };
    let objects = items.iter_mut().filter_map(|item| match item {
        Json::Object(object) => Some(object),
        _ => None,
    });
    objects.for_each(change);
}

/// "Consecutive turns of one role are combined into one": the references of Anthropic's Messages
/// and of Gemini's contents.
fn combine(of: &mut Object, messages: &str, parts: &str) {
    let Some(Json::Array(given)) = of.get(messages).cloned() else { return };
    let mut combined: Vec<Json> = Vec::new();
    for message in given {
        if let Some(Json::Object(last)) = combined.last_mut()
            && last.get("role") == message.get("role")
            && let (Some(Json::Array(before)), Some(Json::Array(more))) =
                (last.get_mut(parts), message.get(parts))
        {
            before.extend(more.iter().cloned());
            continue;
        }
        combined.push(message);
    }
    of.insert(messages.to_owned(), Json::Array(combined));
}

/// "A string is shorthand for one text block": the reference of Anthropic's Messages.
fn anthropic(body: &mut Object) {
    let listed = |of: &mut Object, key: &str| {
        if let Some(Json::String(text)) = of.get(key) {
            let block = Json::from([("type", "text"), ("text", text.as_str())]);
            of.insert(key.to_owned(), Json::Array(vec![block]));
        }
    };
    listed(body, "system");
    each(body, "messages", |message| listed(message, "content"));
    combine(body, "messages", "content");
    // this model continues a message of the assistant, unless it ends with white space
    if let Some(Json::Array(messages)) = body.get_mut("messages")
        && let Some(last) = messages.last()
        && last.get("role") == Some(&"assistant".into())
        && let Some(text) = last.get("content").and_then(Json::as_array).and_then(<[Json]>::last)
        && text.get("text").and_then(Json::as_str).is_some_and(|text| text.trim_end() == text)
    {
        let block = Json::from([("type", "text"), ("text", "go on")]);
        let content = Json::Array(vec![block]);
        messages.push(Json::from([("role", Json::from("user")), ("content", content)]));
    }
}

/// Calls may have ids, and `VALIDATED` is a mode: the reference of Gemini's function calling.
fn gemini(body: &mut Object) {
    each(body, "contents", |content| {
        each(content, "parts", |part| {
            for key in ["functionCall", "functionResponse"] {
                if let Some(Json::Object(inner)) = part.get_mut(key) {
                    inner.remove("id");
                }
            }
            if let Some(Json::Object(inner)) = part.get_mut("functionResponse")
                && let Some(given @ Json::Object(_)) = inner.get("response").cloned()
            {
                // a response can be any object
                let wrapped = Json::from([("output", given.to_string())]);
                inner.insert("response".into(), wrapped);
            }
            if let Some(Json::Object(inner)) = part.get_mut("inlineData")
                && let Some(data) = inner.get("data").and_then(Json::as_str)
            {
                // protocol buffers accept both alphabets of base64
                let data = data.replace('-', "+").replace('_', "/");
                inner.insert("data".into(), data.into());
            }
        });
    });
    each(body, "tools", |tool| {
        each(tool, "functionDeclarations", |function| {
            // a schema has two possible keys; types under the older key can be in upper case
            if let Some(schema) = function.remove("parameters") {
                function.insert("parametersJsonSchema".into(), lower(&schema));
            }
        });
    });
    combine(body, "contents", "parts");
    if let Some(Json::Object(config)) = body.get_mut("toolConfig")
        && let Some(Json::Object(calling)) = config.get_mut("functionCallingConfig")
        && calling.get("mode") == Some(&"VALIDATED".into())
    {
        calling.insert("mode".into(), "AUTO".into());
    }
}

fn lower(schema: &Json) -> Json {
    match schema {
        Json::Array(items) => items.iter().map(lower).collect(),
        Json::Object(object) => {
            let lowered = object.iter().map(|(key, inner)| match inner.as_str() {
                Some(name) if key == "type" => (key.clone(), name.to_ascii_lowercase().into()),
                Some(_) | None => (key.clone(), lower(inner)),
            });
            Json::Object(lowered.collect())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => schema.clone(),
    }
}

/// "Required unless `tool_calls` is specified": the reference of chat completions on `content`.
fn chat(body: &mut Object) {
    each(body, "messages", |message| {
        if message.contains_key("tool_calls") {
            message.get_or_insert_with("content", || Json::Null);
        }
    });
}

/// The reference of OpenAI's Responses: `instructions` are a system message before the input. A
/// message can have a type. Texts of an assistant can be a list. `detail` is `auto` by default.
/// `strict` is optional, and `parameters` can be null.
fn responses(body: &mut Object) {
    if let Some(Json::String(text)) = body.remove("instructions")
        && let Some(Json::Array(input)) = body.get_mut("input")
    {
        input.insert(0, Json::from([("role", "system"), ("content", text.as_str())]));
    }
    each(body, "tools", |tool| {
        if tool.get("strict").is_none_or(Json::is_null) {
            tool.insert("strict".into(), Json::Bool(false));
        }
        if tool.get("parameters").is_some_and(Json::is_null) {
            let nothing = Json::Object(Object::default());
            let schema = Json::from([("type", Json::from("object")), ("properties", nothing)]);
            tool.insert("parameters".into(), schema);
        }
    });
    each(body, "input", |item| {
        if item.get("role") == Some(&"assistant".into())
            && let Some(Json::Array(parts)) = item.get("content")
            && parts.iter().all(|part| part.get("type") == Some(&"output_text".into()))
        {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Json::as_str));
            let text: String = texts.collect();
            item.insert("content".into(), text.into());
        }
        if item.get("type") == Some(&"message".into()) {
            item.remove("type");
        }
        for key in ["content", "output"] {
            each(item, key, |part| {
                if part.get("type") == Some(&"input_image".into()) {
                    part.get_or_insert_with("detail", || "auto".into());
                }
            });
        }
    });
}

/// Converts `snake_case` keys to `camelCase`. JSON of protocol buffers accepts both. Names that the
/// host chose are kept.
fn camels(value: &Json) -> Json {
    match value {
        Json::Array(items) => items.iter().map(camels).collect(),
        Json::Object(object) => Json::Object(
            object
                .iter()
                .map(|(key, inner)| {
                    let own = ["args", "response", "parameters", "properties"];
                    let inner =
                        if own.contains(&key.as_str()) { inner.clone() } else { camels(inner) };
                    (camel(key), inner)
                })
                .collect(),
        ),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => value.clone(),
    }
}

fn camel(key: &str) -> String {
    let mut words = key.split('_');
    let mut out = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    out
}
