//! OpenAI's Chat Completions and Responses. The rules come from their references and error
//! messages.

use super::{
    Check, Dialect, base64, demand, list, number, object, only, picture_address, response_schema,
    schema, strict, text, unique, word,
};
use tuckbox::Json;

/// Checks a body of Chat Completions.
pub fn chat(body: &Json) -> Check {
    only(
        body,
        &[
            "model",
            "messages",
            "tools",
            "max_completion_tokens",
            "tool_choice",
            "parallel_tool_calls",
            "temperature",
            "top_p",
            "stop",
            "response_format",
            "reasoning_effort",
            "metadata",
        ],
    )?;
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
                    demand(
                        text(call, "type")? == "function",
                        "a call is not a function call",
                        call,
                    )?;
                    let function = call.get("function").unwrap();
                    only(function, &["name", "arguments"])?;
                    demand(
                        word(text(function, "name")?, 64, ""),
                        "the name of a tool is invalid",
                        call,
                    )?;
                    text(function, "arguments")?;
                    let id = text(call, "id")?;
                    let length = id.chars().count();
                    demand((1..=40).contains(&length), "the length of an id is invalid", call)?;
                    open.push(id);
                }
                demand(unique(&open), "two calls have the same id", message)?;
                // the results of all calls follow directly, in any order
                while !open.is_empty() {
                    let answer =
                        messages.get(at).ok_or(format!("a call has no result: {message}"))?;
                    demand(text(answer, "role")? == "tool", "a call has no result", answer)?;
                    only(answer, &["role", "content", "tool_call_id"])?;
                    content(answer, "tool")?;
                    let id = text(answer, "tool_call_id")?;
                    let known = open.iter().position(|open| *open == id);
                    open.remove(known.ok_or(format!("a result has no call: {answer}"))?);
                    at += 1;
                }
            }
            role => return Err(format!("unexpected role `{role}`: {message}")),
        }
        if let Some(name) = message.get("name") {
            let name = name.as_str().unwrap_or_default();
            let legal = |c: char| !c.is_whitespace() && !"<|\\/>".contains(c);
            let length = name.chars().count();
            demand(
                (1..=64).contains(&length) && name.chars().all(legal),
                "a name is invalid",
                message,
            )?;
        }
    }
    if let Some(format) = body.get("response_format") {
        let inner = object(format, "json_schema")?;
        let (name, schema) = (inner.get("name").unwrap(), inner.get("schema").unwrap());
        response_schema(name, schema, inner.get("strict"))?;
    }
    // the reference: "up to 4 sequences"
    let stops = body.get("stop").and_then(Json::as_array).unwrap_or_default();
    demand(stops.len() <= 4, "more than 4 stop sequences", body)?;
    settings(body)?;
    let Some(_) = body.get("tools") else { return no_tools(body) };
    let mut names = Vec::new();
    for tool in list(body, "tools")? {
        if text(tool, "type")? == "custom" {
            names.push(text(object(tool, "custom")?, "name")?);
            continue;
        }
        only(tool, &["type", "function"])?;
        let function = object(tool, "function")?;
        only(function, &["name", "description", "parameters", "strict"])?;
        demand(word(text(function, "name")?, 64, ""), "the name of a tool is invalid", tool)?;
        names.push(text(function, "name")?);
        function.get("parameters").map_or(Ok(()), |given| schema(given, Dialect::Openai))?;
        if let (Some(Json::Bool(true)), Some(given)) =
            (function.get("strict"), function.get("parameters"))
        {
            strict(given, true)?;
        }
    }
    let named = body.get("tool_choice").and_then(|choice| choice.get("function")?.get("name"));
    chosen(body, named, &names)
}

/// Checks the error "'tool_choice' is only allowed when 'tools' are specified".
fn no_tools(body: &Json) -> Check {
    demand(body.get("tool_choice").is_none(), "a choice is set without tools", body)?;
    demand(body.get("parallel_tool_calls").is_none(), "parallel calls are set without tools", body)
}

/// Checks the error "Tool choice not found in 'tools' parameter" and the error "array too long.
/// Expected an array with maximum length 128".
fn chosen(body: &Json, named: Option<&Json>, names: &[&str]) -> Check {
    demand(unique(names), "two tools have the same name", body)?;
    demand(names.len() <= 128, "more than 128 tools", body)?;
    match (body.get("tool_choice"), named) {
        (None, _) => Ok(()),
        (Some(_), Some(name)) => demand(
            names.contains(&name.as_str().unwrap_or_default()),
            "the choice names an unknown tool",
            body,
        ),
        (Some(choice), None) => {
            let word = choice.as_str().unwrap_or_default();
            demand(["auto", "none", "required"].contains(&word), "a choice is invalid", body)
        }
    }
}

fn settings(body: &Json) -> Check {
    demand(!text(body, "model")?.is_empty(), "`model` is required", body)?;
    number(body, "temperature", 0.0, 2.0)?;
    number(body, "top_p", 0.0, 1.0)?;
    // the reference: "Set of 16 key-value pairs", strings of 512 characters
    let metadata = body.get("metadata").and_then(Json::as_object);
    let pairs: Vec<_> = metadata.into_iter().flatten().collect();
    let legal = |value: &Json| value.as_str().is_some_and(|text| text.chars().count() <= 512);
    let fits = pairs.len() <= 16 && pairs.iter().all(|(_, value)| legal(value));
    demand(fits, "metadata", body)
}

fn content(message: &Json, role: &str) -> Check {
    match message.get("content") {
        Some(Json::String(_)) => return Ok(()),
        Some(Json::Array(_)) => {}
        _ => return Err(format!("a message has no content: {message}")),
    }
    for part in list(message, "content")? {
        let kind = text(part, "type")?;
        let refused = role == "assistant" && kind == "refusal";
        demand(
            role == "user" || kind == "text" || refused,
            "only users can send this part",
            message,
        )?;
        match kind {
            "text" => drop(text(part, "text")?),
            "refusal" => drop(text(part, "refusal")?),
            "image_url" => {
                let url = text(part.get("image_url").unwrap(), "url")?;
                demand(picture_address(url), "the URL of an image is invalid", part)?;
            }
            "input_audio" => {
                let audio = part.get("input_audio").unwrap();
                demand(
                    ["wav", "mp3"].contains(&text(audio, "format")?),
                    "the format of a sound is invalid",
                    part,
                )?;
                demand(base64(text(audio, "data")?), "base64", part)?;
            }
            "file" => {
                let file = object(part, "file")?;
                if file.get("file_id").is_some() {
                    only(file, &["file_id"])?;
                    continue;
                }
                let data = text(file, "file_data")?.strip_prefix("data:application/pdf;base64,");
                let pdf = data.is_some_and(base64);
                demand(pdf && !text(file, "filename")?.is_empty(), "a file is invalid", part)?;
            }
            other => return Err(format!("unknown part type `{other}`: {part}")),
        }
    }
    Ok(())
}

/// Checks a body of Responses.
pub fn responses(body: &Json) -> Check {
    only(
        body,
        &[
            "model",
            "input",
            "tools",
            "max_output_tokens",
            "tool_choice",
            "parallel_tool_calls",
            "temperature",
            "top_p",
            "text",
            "reasoning",
            "metadata",
            "previous_response_id",
        ],
    )?;
    let mut calls = Vec::new();
    let mut open = Vec::new();
    let items = list(body, "input")?;
    for (at, item) in items.iter().enumerate() {
        match item.get("type").and_then(Json::as_str) {
            Some("function_call") => {
                only(item, &["type", "call_id", "name", "arguments"])?;
                demand(word(text(item, "name")?, 64, ""), "the name of a tool is invalid", item)?;
                text(item, "arguments")?;
                let id = text(item, "call_id")?;
                demand(
                    (1..=64).contains(&id.chars().count()),
                    "the length of an id is invalid",
                    item,
                )?;
                demand(!calls.contains(&id), "two calls have the same id", item)?;
                calls.push(id);
                open.push(id);
            }
            Some("function_call_output") => {
                only(item, &["type", "call_id", "output"])?;
                let id = text(item, "call_id")?;
                let known = open.iter().position(|open| *open == id);
                open.remove(known.ok_or(format!("an output has no call: {item}"))?);
                parts(item, "output", true)?;
            }
            Some("reasoning") => {
                // the error "Item of type 'reasoning' was provided without its required following
                // item"
                let next = items.get(at + 1).ok_or(format!("no item follows reasoning: {item}"))?;
                let role = next.get("role").and_then(Json::as_str);
                let output = role.is_none_or(|role| role == "assistant");
                demand(output, "reasoning is not followed by output", item)?;
                text(item, "id")?;
            }
            Some("web_search_call") => drop(text(item, "id")?),
            Some(other) => return Err(format!("unknown item type `{other}`: {item}")),
            None => {
                only(item, &["role", "content"])?;
                let role = text(item, "role")?;
                let known = ["user", "assistant", "system", "developer"];
                demand(known.contains(&role), "a role is invalid", item)?;
                if role == "assistant" {
                    text(item, "content")?;
                } else {
                    parts(item, "content", role == "user")?;
                }
            }
        }
    }
    demand(open.is_empty(), "a call has no output", body)?;
    settings(body)?;
    if let Some(format) = body.get("text").and_then(|text| text.get("format")) {
        let (name, schema) = (format.get("name").unwrap(), format.get("schema").unwrap());
        response_schema(name, schema, format.get("strict"))?;
    }
    let Some(_) = body.get("tools") else { return no_tools(body) };
    let mut names = Vec::new();
    for tool in list(body, "tools")? {
        if text(tool, "type")? != "function" {
            names.push(tool.get("name").and_then(Json::as_str).unwrap_or(text(tool, "type")?));
            continue;
        }
        only(tool, &["type", "name", "description", "parameters", "strict"])?;
        demand(word(text(tool, "name")?, 64, ""), "the name of a tool is invalid", tool)?;
        demand(tool.get("strict").and_then(Json::as_bool).is_some(), "`strict` is missing", tool)?;
        let given = tool.get("parameters").ok_or("the parameters are missing")?;
        schema(given, Dialect::Openai)?;
        if tool.get("strict") == Some(&Json::Bool(true)) {
            strict(given, true)?;
        }
        names.push(text(tool, "name")?);
    }
    chosen(body, body.get("tool_choice").and_then(|choice| choice.get("name")), &names)
}

fn parts(item: &Json, key: &str, media: bool) -> Check {
    if item.get(key).and_then(Json::as_str).is_some() {
        return Ok(());
    }
    for part in list(item, key)? {
        match text(part, "type")? {
            "input_text" => drop(text(part, "text")?),
            "input_image" if media => {
                text(part, "detail")?;
                if part.get("file_id").is_none() {
                    demand(
                        picture_address(text(part, "image_url")?),
                        "the URL of an image is invalid",
                        part,
                    )?;
                }
            }
            "input_file" if media => {
                let web = part.get("file_url").and_then(Json::as_str).is_some_and(picture_address);
                let data = part.get("file_data").and_then(Json::as_str);
                let data = data.and_then(|data| data.strip_prefix("data:application/pdf;base64,"));
                let pdf = data.is_some_and(base64);
                let id = part.get("file_id").is_some();
                demand(
                    id || web || (pdf && part.get("filename").is_some()),
                    "a file is invalid",
                    part,
                )?;
            }
            other => return Err(format!("unknown part type `{other}`: {item}")),
        }
    }
    Ok(())
}
