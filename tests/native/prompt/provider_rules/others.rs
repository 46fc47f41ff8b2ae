//! Bedrock's Converse, Mistral, servers with the chat completions API, and the AI SDK.

use super::{
    Check, Dialect, base64, demand, list, number, object, only, schema, text, unique, word,
};
use tuckbox::Json;

/// The reference of `Converse` in the Amazon Bedrock Runtime API.
pub fn converse(body: &Json) -> Check {
    only(body, &["system", "messages", "inferenceConfig", "toolConfig", "requestMetadata"])?;
    let mut ids = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let messages = list(body, "messages")?;
    for (at, message) in messages.iter().enumerate() {
        only(message, &["role", "content"])?;
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        // the error "A conversation must alternate between user and assistant roles"
        demand(
            text(message, "role")? == role,
            "user and assistant messages do not alternate",
            body,
        )?;
        let mut called = Vec::new();
        let mut answered = Vec::new();
        let mut has = (false, false);
        for block in list(message, "content")? {
            let (kind, value) = block.as_object().unwrap().first().unwrap();
            match (role, kind.as_str()) {
                (_, "text") => {
                    // the error "The text field in the ContentBlock object is blank"
                    demand(!text(block, "text")?.trim().is_empty(), "a text is blank", block)?;
                    has.0 = true;
                }
                (_, "cachePoint") => {
                    only(value, &["type", "ttl"])?;
                    let ttl = value.get("ttl").and_then(Json::as_str).unwrap_or("5m");
                    demand(
                        ["5m", "1h"].contains(&ttl),
                        "the lifetime of a cache is invalid",
                        block,
                    )?;
                }
                ("user", "image" | "document") => {
                    has.1 |= kind == "document";
                    media(kind, value)?;
                }
                ("user", "toolResult") => {
                    only(value, &["toolUseId", "content", "status"])?;
                    answered.push(text(value, "toolUseId")?);
                    list(value, "content")?;
                }
                ("assistant", "toolUse") => {
                    only(value, &["toolUseId", "name", "input"])?;
                    demand(
                        word(text(value, "toolUseId")?, 64, ""),
                        "the id of a call is invalid",
                        block,
                    )?;
                    demand(
                        word(text(value, "name")?, 64, ""),
                        "the name of a tool is invalid",
                        block,
                    )?;
                    object(value, "input")?;
                    called.push(text(value, "toolUseId")?);
                }
                ("assistant", "reasoningContent") => {}
                (_, other) => {
                    return Err(format!(
                        "`{other}` is not allowed in a message of `{role}`: {block}"
                    ));
                }
            }
        }
        // the guide to documents: every document needs a text in the same message
        demand(!has.1 || has.0, "a document has no text next to it", message)?;
        demand(
            unique(&answered) && answered.len() == open.len(),
            "calls and results do not match",
            message,
        )?;
        demand(answered.iter().all(|id| open.contains(id)), "a result has no call", message)?;
        ids.extend(called.iter().copied());
        open = called;
    }
    demand(
        open.is_empty() && unique(&ids),
        "a call has no result, or two calls have the same id",
        body,
    )?;
    demand(messages.len() % 2 == 1, "the last message is not from the user", body)?;
    let Some(config) = body.get("toolConfig") else {
        // the error "The toolConfig field must be defined when using toolUse and toolResult"
        return demand(ids.is_empty(), "calls need `toolConfig`", body);
    };
    let mut names = Vec::new();
    for tool in list(config, "tools")? {
        let Some(tool) = tool.get("toolSpec") else { continue };
        only(tool, &["name", "description", "inputSchema"])?;
        demand(word(text(tool, "name")?, 64, ""), "the name of a tool is invalid", tool)?;
        schema(object(object(tool, "inputSchema")?, "json")?, Dialect::Anthropic)?;
        names.push(text(tool, "name")?);
    }
    demand(unique(&names), "two tools have the same name", body)
}

fn media(kind: &str, value: &Json) -> Check {
    let formats = match kind {
        "image" => &["png", "jpeg", "gif", "webp"][..],
        _ => &["pdf", "csv", "html", "txt", "md"],
    };
    demand(formats.contains(&text(value, "format")?), "a format is invalid", value)?;
    if kind == "document" {
        let legal = |c: char| c.is_ascii_alphanumeric() || " -()[]".contains(c);
        demand(
            text(value, "name")?.chars().all(legal),
            "the name of a document is invalid",
            value,
        )?;
    }
    let source = object(value, "source")?;
    let bytes = source.get("bytes").and_then(Json::as_str).is_some_and(base64);
    let stored = source.get("s3Location").is_some();
    demand(bytes || stored, "a source is invalid", value)
}

/// The reference of Mistral's chat completions, and its error messages.
pub fn mistral(body: &Json) -> Check {
    only(
        body,
        &[
            "model",
            "messages",
            "tools",
            "max_tokens",
            "tool_choice",
            "parallel_tool_calls",
            "temperature",
            "top_p",
            "stop",
            "response_format",
        ],
    )?;
    let mut last = "";
    let mut open: Vec<&str> = Vec::new();
    let mut talked = false;
    for message in list(body, "messages")? {
        only(message, &["role", "content", "tool_calls", "tool_call_id"])?;
        let role = text(message, "role")?;
        // the error "Expected last role User or Tool (or Assistant with prefix True)"
        match role {
            "system" => demand(!talked, "a system message follows other messages", body)?,
            // the error "Unexpected role 'user' after role 'tool'"
            "user" => demand(
                last != "tool" && last != "user",
                "a user message follows a user or tool message",
                body,
            )?,
            "assistant" => demand(
                last != "assistant",
                "an assistant message follows an assistant message",
                body,
            )?,
            "tool" => {
                let id = text(message, "tool_call_id")?;
                let at = open.iter().position(|open| *open == id);
                open.remove(at.ok_or(format!("a result has no call: {message}"))?);
            }
            other => return Err(format!("unknown role `{other}`: {message}")),
        }
        demand(role == "tool" || open.is_empty(), "a call has no result", body)?;
        for call in message.get("tool_calls").and_then(Json::as_array).unwrap_or_default() {
            let id = text(call, "id")?;
            // the error "Tool call id has to be defined in a-z, A-Z, 0-9 with a length of 9"
            let legal = id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric());
            demand(legal, "the id of a call is invalid", call)?;
            open.push(id);
        }
        for part in message.get("content").and_then(Json::as_array).unwrap_or_default() {
            let kind = text(part, "type")?;
            if kind == "thinking" {
                demand(role == "assistant", "reasoning is not in an assistant message", message)?;
                list(part, "thinking")?;
                continue;
            }
            let known = ["text", "image_url", "document_url"];
            demand(known.contains(&kind), "a part has an unknown type", part)?;
        }
        talked |= role != "system";
        last = role;
    }
    demand(
        open.is_empty() && last != "assistant",
        "the last message is not from the user or a tool",
        body,
    )?;
    functions(body, true)
}

fn functions(body: &Json, must_define: bool) -> Check {
    demand(!text(body, "model")?.is_empty(), "`model` is required", body)?;
    number(body, "temperature", 0.0, 2.0)?;
    let Some(_) = body.get("tools") else { return Ok(()) };
    let mut names = Vec::new();
    for tool in list(body, "tools")? {
        let function = object(tool, "function")?;
        demand(word(text(function, "name")?, 64, ""), "the name of a tool is invalid", tool)?;
        let given = function.get("parameters");
        demand(given.is_some() || !must_define, "a function has no `parameters`", tool)?;
        given.map_or(Ok(()), |given| schema(given, Dialect::Openai))?;
        names.push(text(function, "name")?);
    }
    demand(unique(&names), "two tools have the same name", body)
}

/// Checks the common rules of servers with the chat completions API. They have no names, no role
/// `developer` and no metadata, and the limit is `max_tokens`.
pub fn compatible(body: &Json) -> Check {
    demand(body.get("max_completion_tokens").is_none(), "max_completion_tokens", body)?;
    let messages = list(body, "messages")?;
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        only(message, &["role", "content", "tool_calls", "tool_call_id"])?;
        let role = text(message, "role")?;
        demand(
            ["system", "user", "assistant", "tool"].contains(&role),
            "a role is invalid",
            message,
        )?;
        if role == "tool" {
            let id = text(message, "tool_call_id")?;
            let at = open.iter().position(|open| *open == id);
            open.remove(at.ok_or(format!("a result has no call: {message}"))?);
        } else {
            demand(open.is_empty(), "a call has no result", message)?;
        }
        for call in message.get("tool_calls").and_then(Json::as_array).unwrap_or_default() {
            open.push(text(call, "id")?);
        }
    }
    demand(open.is_empty(), "a call has no result", body)?;
    functions(body, false)
}

/// The reference of `ModelMessage` in the AI SDK.
pub fn ai_sdk(body: &Json) -> Check {
    let settings = ["toolChoice", "maxOutputTokens", "temperature", "topP", "stopSequences"];
    only(body, &[&["model", "messages", "tools"][..], &settings].concat())?;
    let mut open: Vec<&str> = Vec::new();
    let mut talked = false;
    for message in list(body, "messages")? {
        only(message, &["role", "content", "providerOptions"])?;
        let role = text(message, "role")?;
        let parts = message.get("content").and_then(Json::as_array).unwrap_or_default();
        match role {
            "system" => {
                demand(!talked, "a system message follows other messages", body)?;
                text(message, "content")?;
            }
            "user" => {}
            "assistant" => {}
            "tool" => drop(list(message, "content")?),
            other => return Err(format!("unknown role `{other}`: {message}")),
        }
        talked |= role != "system";
        if role != "tool" {
            demand(open.is_empty(), "a call has no result", message)?;
        }
        for part in parts {
            match (role, text(part, "type")?) {
                ("user" | "assistant", "text") => drop(text(part, "text")?),
                ("user", "image") => drop(text(part, "image")?),
                ("user", "file") => {
                    text(part, "data")?;
                    text(part, "mediaType")?;
                }
                ("assistant", "reasoning") => drop(text(part, "text")?),
                ("assistant", "tool-call") => {
                    text(part, "toolName")?;
                    open.push(text(part, "toolCallId")?);
                }
                ("tool", "tool-result") => {
                    let id = text(part, "toolCallId")?;
                    let at = open.iter().position(|open| *open == id);
                    open.remove(at.ok_or(format!("a result has no call: {message}"))?);
                    object(part, "output")?;
                }
                (_, other) => {
                    return Err(format!(
                        "`{other}` is not allowed in a message of `{role}`: {part}"
                    ));
                }
            }
        }
    }
    demand(open.is_empty(), "a call has no result", body)
}
