//! Anthropic's Messages API. The rules come from its reference, its guides and its error messages.

use super::{
    Check, Dialect, PICTURES, base64, demand, list, number, object, only, schema, strict, text,
    unique, word,
};
use tuckbox::Json;

/// Checks a body. Source of the keys: the reference of `POST /v1/messages`.
pub fn messages(body: &Json) -> Check {
    only(
        body,
        &[
            "model",
            "max_tokens",
            "system",
            "messages",
            "tools",
            "tool_choice",
            "temperature",
            "top_p",
            "stop_sequences",
            "thinking",
            "output_config",
            "metadata",
        ],
    )?;
    demand(!text(body, "model")?.is_empty(), "`model` is required", body)?;
    let limit = body.get("max_tokens").and_then(Json::as_number).and_then(|limit| limit.whole());
    demand(limit.is_some_and(|limit| limit >= 1), "`max_tokens` is required", body)?;
    let mut marks = 0;
    if body.get("system").is_some() {
        for block in list(body, "system")? {
            demand(text(block, "type")? == "text", "a system block is not text", block)?;
            words(block, &mut marks)?;
        }
    }
    conversation(list(body, "messages")?, body, &mut marks)?;
    tools(body, &mut marks)?;
    // the guide to prompt caching: "up to 4 cache breakpoints"
    demand(marks <= 4, "more than 4 cache marks", body)?;
    settings(body, limit.unwrap_or_default())
}

/// The models that accept system messages inside a conversation: Opus 4.8 is the first.
const MID_CONVERSATION: [&str; 6] = [
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-sonnet-5",
    "claude-haiku-5-5",
    "claude-fable-5",
    "claude-mythos-5",
];

fn conversation(messages: &[Json], body: &Json, marks: &mut usize) -> Check {
    let mut ids = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut expected = "user";
    let mut last = "";
    for message in messages {
        only(message, &["role", "content"])?;
        let role = text(message, "role")?;
        if role == "system" {
            // "Mid-conversation system messages": after a user message, on models that support them
            let model = text(body, "model")?;
            let accepts = MID_CONVERSATION.iter().any(|known| model.starts_with(known));
            demand(accepts, "the model does not accept a system message here", message)?;
            demand(last == "user", "a system message does not follow a user message", message)?;
            for block in list(message, "content")? {
                words(block, marks)?;
            }
            last = role;
            continue;
        }
        demand(role == expected, "user and assistant messages do not alternate", body)?;
        expected = if role == "user" { "assistant" } else { "user" };
        last = role;
        let mut talked = false;
        let mut answered = Vec::new();
        let mut called = Vec::new();
        let mut served: Vec<&str> = Vec::new();
        for block in list(message, "content")? {
            if block.get("cache_control").is_some() {
                // the guide to prompt caching: thinking blocks cannot be marked
                demand(
                    !text(block, "type")?.contains("thinking"),
                    "a reasoning block has a cache mark",
                    block,
                )?;
            }
            match (role, text(block, "type")?) {
                (_, "text") => {
                    words(block, marks)?;
                    talked = true;
                }
                ("user", "image") => {
                    media(block, &["type", "source"], marks)?;
                    talked = true;
                }
                ("user", "document") => {
                    let keys = ["type", "source", "title", "context", "citations"];
                    media(block, &keys, marks)?;
                    talked = true;
                }
                ("user", "search_result" | "container_upload") => talked = true,
                ("user", "tool_result") => {
                    // the guide to tool use: results are first in the user's message
                    demand(!talked, "a result follows other content", message)?;
                    answered.push(text(block, "tool_use_id")?);
                    result(block, marks)?;
                }
                ("assistant", "tool_use") => {
                    mark(block, &["type", "id", "name", "input"], marks)?;
                    // the error "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
                    demand(word(text(block, "id")?, 64, ""), "the id of a call is invalid", block)?;
                    demand(
                        word(text(block, "name")?, 128, ""),
                        "the name of a tool is invalid",
                        block,
                    )?;
                    object(block, "input")?;
                    called.push(text(block, "id")?);
                }
                ("assistant", "thinking") => {
                    // the reference of `ThinkingBlockParam`: both are required
                    only(block, &["type", "thinking", "signature"])?;
                    text(block, "thinking")?;
                    demand(!text(block, "signature")?.is_empty(), "a signature is empty", block)?;
                }
                ("assistant", "redacted_thinking") => {
                    only(block, &["type", "data"])?;
                    text(block, "data")?;
                }
                ("assistant", "server_tool_use") => served.push(text(block, "id")?),
                ("assistant", kind) if kind.ends_with("_tool_result") => {
                    let id = text(block, "tool_use_id")?;
                    demand(
                        ids.contains(&id) || served.contains(&id),
                        "a result has no call",
                        block,
                    )?;
                }
                (_, other) => {
                    return Err(format!(
                        "`{other}` is not allowed in a message of `{role}`: {block}"
                    ));
                }
            }
        }
        // the error "final assistant content cannot end with trailing whitespace" and similar
        // errors
        let thinks = |block: &Json| {
            block.get("type").and_then(Json::as_str).is_some_and(|kind| kind.contains("thinking"))
        };
        let blocks = list(message, "content")?;
        demand(!blocks.iter().all(thinks), "a message has only reasoning", message)?;
        // the error "tool_use ids were found without tool_result blocks immediately after"
        demand(unique(&answered), "a call has two results", message)?;
        demand(answered.len() == open.len(), "calls and results do not match", message)?;
        demand(answered.iter().all(|id| open.contains(id)), "a result has no call", message)?;
        ids.extend(called.iter().copied());
        ids.extend(served);
        open = called;
    }
    demand(open.is_empty(), "a call has no result", body)?;
    demand(expected == "assistant", "the last message is not from the user", body)?;
    // the error "`tool_use` ids must be unique"
    demand(unique(&ids), "two calls have the same id", body)
}

fn result(block: &Json, marks: &mut usize) -> Check {
    mark(block, &["type", "tool_use_id", "content", "is_error"], marks)?;
    let content = block.get("content");
    for inner in content.and_then(Json::as_array).unwrap_or_default() {
        match text(inner, "type")? {
            "text" => words(inner, marks)?,
            "image" => media(inner, &["type", "source"], marks)?,
            "document" => {
                media(inner, &["type", "source", "title", "context", "citations"], marks)?;
            }
            "search_result" | "tool_reference" => {}
            other => return Err(format!("`{other}` is not allowed in a result: {block}")),
        }
    }
    // the error "content cannot be empty if `is_error` is true"
    let failed = block.get("is_error") == Some(&Json::Bool(true));
    demand(!failed || content.is_some_and(Json::is_truthy), "a failed result has no content", block)
}

fn tools(body: &Json, marks: &mut usize) -> Check {
    let Some(_) = body.get("tools") else {
        return demand(body.get("tool_choice").is_none(), "a choice is set without tools", body);
    };
    let mut names = Vec::new();
    for tool in list(body, "tools")? {
        names.push(text(tool, "name")?);
        if tool.get("type").is_some() {
            continue;
        }
        let own = ["defer_loading", "allowed_callers", "input_examples", "eager_input_streaming"];
        let keys = [&["name", "description", "input_schema", "strict"][..], &own].concat();
        mark(tool, &keys, marks)?;
        demand(word(text(tool, "name")?, 128, ""), "the name of a tool is invalid", tool)?;
        let given = tool.get("input_schema").ok_or("a schema is missing")?;
        schema(given, Dialect::Anthropic)?;
        if tool.get("strict") == Some(&Json::Bool(true)) {
            strict(given, false)?;
        }
    }
    demand(unique(&names), "two tools have the same name", body)?;
    let Some(choice) = body.get("tool_choice") else { return Ok(()) };
    only(choice, &["type", "name", "disable_parallel_tool_use"])?;
    match text(choice, "type")? {
        "auto" | "any" | "none" => Ok(()),
        "tool" => demand(
            names.contains(&text(choice, "name")?),
            "the choice names an unknown tool",
            choice,
        ),
        other => Err(format!("unknown choice type `{other}`: {choice}")),
    }
}

fn settings(body: &Json, limit: i64) -> Check {
    number(body, "temperature", 0.0, 1.0)?;
    number(body, "top_p", 0.0, 1.0)?;
    // the error "`temperature` and `top_p` cannot both be specified for this model"
    let both = body.get("temperature").is_some() && body.get("top_p").is_some();
    demand(!both, "`temperature` and `top_p` are both set", body)?;
    for stop in body.get("stop_sequences").and_then(Json::as_array).unwrap_or_default() {
        // the error "each stop sequence must contain non-whitespace"
        demand(
            stop.as_str().is_some_and(|stop| !stop.trim().is_empty()),
            "a stop sequence is blank",
            body,
        )?;
    }
    if let Some(metadata) = body.get("metadata") {
        only(metadata, &["user_id"])?;
    }
    if let Some(config) = body.get("output_config") {
        only(config, &["effort", "format"])?;
        if let Some(format) = config.get("format") {
            demand(text(format, "type")? == "json_schema", "a format is invalid", format)?;
            strict(format.get("schema").ok_or("a schema is missing")?, false)?;
        }
    }
    let Some(thinking) = body.get("thinking") else { return Ok(()) };
    // the guide to extended thinking: no forced tools, no temperature, at least 1024 tokens
    let forced = body.get("tool_choice").and_then(|choice| choice.get("type")?.as_str());
    demand(!matches!(forced, Some("any" | "tool")), "a forced choice is set with thinking", body)?;
    demand(body.get("temperature").is_none(), "`temperature` is set with thinking", body)?;
    match text(thinking, "type")? {
        "adaptive" => only(thinking, &["type"]),
        "enabled" => {
            let budget = thinking.get("budget_tokens").and_then(Json::as_number);
            let budget = budget.and_then(|budget| budget.whole()).unwrap_or_default();
            demand(budget >= 1_024 && budget < limit, "a budget is invalid", body)
        }
        other => Err(format!("unknown thinking type `{other}`: {body}")),
    }
}

/// Checks the keys and the cache mark of a block. Source: the guide to prompt caching.
fn mark(block: &Json, keys: &[&str], marks: &mut usize) -> Check {
    only(block, &[keys, &["cache_control"]].concat())?;
    let Some(control) = block.get("cache_control") else { return Ok(()) };
    *marks += 1;
    only(control, &["type", "ttl"])?;
    demand(text(control, "type")? == "ephemeral", "a cache mark is invalid", block)?;
    let ttl = control.get("ttl").and_then(Json::as_str).unwrap_or("5m");
    demand(["5m", "1h"].contains(&ttl), "the lifetime of a cache is invalid", block)
}

/// The error "text content blocks must contain non-whitespace text".
fn words(block: &Json, marks: &mut usize) -> Check {
    mark(block, &["type", "text", "citations"], marks)?;
    demand(!text(block, "text")?.trim().is_empty(), "a text block is blank", block)
}

/// The guides to vision and to PDF support, and the error "Only HTTPS URLs are supported".
fn media(block: &Json, keys: &[&str], marks: &mut usize) -> Check {
    mark(block, keys, marks)?;
    let source = object(block, "source")?;
    let image = text(block, "type")? == "image";
    match text(source, "type")? {
        "url" => demand(text(source, "url")?.starts_with("https://"), "a URL is invalid", block),
        "file" => demand(!text(source, "file_id")?.is_empty(), "a file is invalid", block),
        "text" if !image => {
            demand(text(source, "media_type")? == "text/plain", "a type is invalid", block)?;
            demand(!text(source, "data")?.trim().is_empty(), "a document is blank", block)
        }
        "base64" => {
            let types = if image { &PICTURES[..] } else { &["application/pdf"] };
            demand(types.contains(&text(source, "media_type")?), "a type is invalid", block)?;
            demand(base64(text(source, "data")?), "base64", block)
        }
        other => Err(format!("unknown source type `{other}`: {block}")),
    }
}
