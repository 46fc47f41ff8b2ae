use super::{Check, demand, list, only, schema, text, unique, word};
use tuckbox::Json;

/// Messages.
pub fn messages(body: &Json) -> Check {
    only(body, &["model", "max_tokens", "system", "messages", "tools"])?;
    let limit = body.get("max_tokens").and_then(Json::as_number).and_then(|limit| limit.whole());
    demand(limit.is_some_and(|limit| limit >= 1), "`max_tokens`", body)?;
    if body.get("system").is_some() {
        for block in list(body, "system")? {
            demand(text(block, "type")? == "text", "a system block", block)?;
            words(block)?;
        }
    }
    let messages = list(body, "messages")?;
    let mut ids = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        only(message, &["role", "content"])?;
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        demand(text(message, "role")? == role, "users and assistants take turns", body)?;
        let mut talked = false;
        let mut answered = Vec::new();
        let mut called = Vec::new();
        for block in list(message, "content")? {
            match (role, text(block, "type")?) {
                (_, "text") => {
                    words(block)?;
                    talked = true;
                }
                ("user", "image") => {
                    media(block, &["image/png", "image/jpeg", "image/gif", "image/webp"])?;
                    talked = true;
                }
                ("user", "document") => {
                    media(block, &["application/pdf"])?;
                    talked = true;
                }
                ("user", "tool_result") => {
                    only(block, &["type", "tool_use_id", "content"])?;
                    demand(!talked, "results come first", message)?;
                    answered.push(text(block, "tool_use_id")?);
                    for inner in block.get("content").and_then(Json::as_array).unwrap_or_default() {
                        match text(inner, "type")? {
                            "text" => words(inner)?,
                            "image" => media(
                                inner,
                                &["image/png", "image/jpeg", "image/gif", "image/webp"],
                            )?,
                            "document" => media(inner, &["application/pdf"])?,
                            other => return Err(format!("`{other}` in a result: {block}")),
                        }
                    }
                }
                ("assistant", "tool_use") => {
                    only(block, &["type", "id", "name", "input"])?;
                    demand(word(text(block, "id")?, 64, ""), "a call's id", block)?;
                    demand(word(text(block, "name")?, 128, ""), "a tool's name", block)?;
                    demand(block.get("input").and_then(Json::as_object).is_some(), "input", block)?;
                    called.push(text(block, "id")?);
                }
                (_, other) => return Err(format!("`{other}` in a message of `{role}`: {block}")),
            }
        }
        demand(unique(&answered), "two results of one call", message)?;
        demand(answered.len() == open.len(), "every call and its result", message)?;
        demand(answered.iter().all(|id| open.contains(id)), "a result without a call", message)?;
        ids.extend(called.iter().copied());
        open = called;
    }
    demand(open.is_empty(), "a call without a result", body)?;
    demand(messages.len() % 2 == 1, "the user speaks last", body)?;
    demand(unique(&ids), "two calls of one id", body)?;
    let Some(_) = body.get("tools") else { return Ok(()) };
    let mut names = Vec::new();
    for tool in list(body, "tools")? {
        only(tool, &["name", "description", "input_schema", "strict"])?;
        demand(word(text(tool, "name")?, 128, ""), "a tool's name", tool)?;
        schema(tool.get("input_schema").ok_or("no schema")?)?;
        names.push(text(tool, "name")?);
    }
    demand(unique(&names), "two tools of one name", body)
}

fn words(block: &Json) -> Check {
    only(block, &["type", "text"])?;
    demand(!text(block, "text")?.trim().is_empty(), "a block without a word", block)
}

fn media(block: &Json, types: &[&str]) -> Check {
    only(block, &["type", "source"])?;
    let source = block.get("source").unwrap();
    match text(source, "type")? {
        "url" => demand(text(source, "url")?.starts_with("http"), "an address", block),
        "base64" => demand(types.contains(&text(source, "media_type")?), "a type", block),
        other => Err(format!("a source of type `{other}`: {block}")),
    }
}
