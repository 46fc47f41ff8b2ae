use super::{Check, demand, list, only, picture_address, schema, text, unique, word};
use tuckbox::Json;

/// Chat Completions.
pub fn chat(body: &Json) -> Check {
    only(body, &["model", "messages", "tools", "max_completion_tokens"])?;
    let messages = list(body, "messages")?;
    let mut at = 0;
    while let Some(message) = messages.get(at) {
        at += 1;
        match text(message, "role")? {
            role @ ("system" | "developer") => {
                only(message, &["role", "content", "name"])?;
                content(message, role)?;
            }
            "user" => {
                only(message, &["role", "content", "name"])?;
                content(message, "user")?;
            }
            "assistant" => {
                only(message, &["role", "content", "name", "tool_calls"])?;
                let Some(_) = message.get("tool_calls") else {
                    content(message, "assistant")?;
                    continue;
                };
                if message.get("content") != Some(&Json::Null) {
                    content(message, "assistant")?;
                }
                let calls = list(message, "tool_calls")?;
                let mut open = Vec::new();
                for call in calls {
                    only(call, &["id", "type", "function"])?;
                    demand(text(call, "type")? == "function", "a call of another type", call)?;
                    let function = call.get("function").unwrap();
                    only(function, &["name", "arguments"])?;
                    demand(word(text(function, "name")?, 64, ""), "a tool's name", call)?;
                    text(function, "arguments")?;
                    let id = text(call, "id")?;
                    let length = id.chars().count();
                    demand((1..=40).contains(&length), "the length of an id", call)?;
                    open.push(id);
                }
                demand(unique(&open), "two calls of one id", message)?;
                // each call is answered directly behind, in any order
                while !open.is_empty() {
                    let answer = messages.get(at).ok_or(format!("no answer: {message}"))?;
                    demand(text(answer, "role")? == "tool", "a call without an answer", answer)?;
                    only(answer, &["role", "content", "tool_call_id"])?;
                    content(answer, "tool")?;
                    let id = text(answer, "tool_call_id")?;
                    let known = open.iter().position(|open| *open == id);
                    open.remove(known.ok_or(format!("an answer without a call: {answer}"))?);
                    at += 1;
                }
            }
            role => return Err(format!("the role `{role}` stands alone: {message}")),
        }
        if let Some(name) = message.get("name") {
            let name = name.as_str().unwrap_or_default();
            let legal = |c: char| !c.is_whitespace() && !"<|\\/>".contains(c);
            let length = name.chars().count();
            demand((1..=64).contains(&length) && name.chars().all(legal), "a name", message)?;
        }
    }
    let Some(_) = body.get("tools") else { return Ok(()) };
    let mut names = Vec::new();
    for tool in list(body, "tools")? {
        only(tool, &["type", "function"])?;
        let function = tool.get("function").unwrap();
        only(function, &["name", "description", "parameters", "strict"])?;
        demand(word(text(function, "name")?, 64, ""), "a tool's name", tool)?;
        names.push(text(function, "name")?);
        function.get("parameters").map_or(Ok(()), schema)?;
    }
    demand(unique(&names), "two tools of one name", body)
}

fn content(message: &Json, role: &str) -> Check {
    match message.get("content") {
        Some(Json::String(_)) => return Ok(()),
        Some(Json::Array(_)) => {}
        _ => return Err(format!("no content: {message}")),
    }
    for part in list(message, "content")? {
        let kind = text(part, "type")?;
        demand(role == "user" || kind == "text", "a part that only users have", message)?;
        match kind {
            "text" => drop(text(part, "text")?),
            "image_url" => {
                let url = text(part.get("image_url").unwrap(), "url")?;
                demand(picture_address(url), "a picture's address", part)?;
            }
            "input_audio" => {
                let audio = part.get("input_audio").unwrap();
                demand(["wav", "mp3"].contains(&text(audio, "format")?), "a sound's format", part)?;
            }
            "file" => {
                let file = part.get("file").unwrap();
                let pdf = text(file, "file_data")?.starts_with("data:application/pdf;base64,");
                demand(pdf && !text(file, "filename")?.is_empty(), "a file", part)?;
            }
            other => return Err(format!("a part of type `{other}`: {part}")),
        }
    }
    Ok(())
}

/// Responses.
pub fn responses(body: &Json) -> Check {
    only(body, &["model", "input", "tools", "max_output_tokens"])?;
    let mut calls = Vec::new();
    let mut open = Vec::new();
    for item in list(body, "input")? {
        match item.get("type").and_then(Json::as_str) {
            Some("function_call") => {
                only(item, &["type", "call_id", "name", "arguments"])?;
                demand(word(text(item, "name")?, 64, ""), "a tool's name", item)?;
                text(item, "arguments")?;
                let id = text(item, "call_id")?;
                demand((1..=64).contains(&id.chars().count()), "the length of an id", item)?;
                demand(!calls.contains(&id), "a second call of one id", item)?;
                calls.push(id);
                open.push(id);
            }
            Some("function_call_output") => {
                only(item, &["type", "call_id", "output"])?;
                let id = text(item, "call_id")?;
                let known = open.iter().position(|open| *open == id);
                open.remove(known.ok_or(format!("an output without a call: {item}"))?);
                parts(item, "output", true)?;
            }
            Some(other) => return Err(format!("an item of type `{other}`: {item}")),
            None => {
                only(item, &["role", "content"])?;
                let role = text(item, "role")?;
                let known = ["user", "assistant", "system", "developer"];
                demand(known.contains(&role), "a role", item)?;
                if role == "assistant" {
                    text(item, "content")?;
                } else {
                    parts(item, "content", role == "user")?;
                }
            }
        }
    }
    demand(open.is_empty(), "a call without an output", body)?;
    let Some(_) = body.get("tools") else { return Ok(()) };
    let mut names = Vec::new();
    for tool in list(body, "tools")? {
        only(tool, &["type", "name", "description", "parameters", "strict"])?;
        demand(text(tool, "type")? == "function", "a tool's type", tool)?;
        demand(word(text(tool, "name")?, 64, ""), "a tool's name", tool)?;
        demand(tool.get("strict").and_then(Json::as_bool).is_some(), "`strict` unsaid", tool)?;
        schema(tool.get("parameters").ok_or("no parameters")?)?;
        names.push(text(tool, "name")?);
    }
    demand(unique(&names), "two tools of one name", body)
}

fn parts(item: &Json, key: &str, media: bool) -> Check {
    if item.get(key).and_then(Json::as_str).is_some() {
        return Ok(());
    }
    for part in list(item, key)? {
        match text(part, "type")? {
            "input_text" => drop(text(part, "text")?),
            "input_image" if media => {
                demand(picture_address(text(part, "image_url")?), "a picture's address", part)?;
                text(part, "detail")?;
            }
            "input_file" if media => {
                let web = part.get("file_url").and_then(Json::as_str).is_some_and(picture_address);
                let data = part.get("file_data").and_then(Json::as_str);
                let pdf = data.is_some_and(|data| data.starts_with("data:application/pdf;base64,"));
                demand(web || (pdf && part.get("filename").is_some()), "a file", part)?;
            }
            other => return Err(format!("a part of type `{other}`: {item}")),
        }
    }
    Ok(())
}
