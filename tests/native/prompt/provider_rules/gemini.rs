//! Google's `generateContent`. The rules come from its reference and its guides.

use super::{
    Check, Dialect, base64, demand, list, number, object, only, schema, text, unique, word,
};
use tuckbox::Json;

/// The types in the guides to images, audio, video and documents.
const TYPES: [&str; 22] = [
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/heic",
    "image/heif",
    "audio/wav",
    "audio/mpeg",
    "audio/aiff",
    "audio/aac",
    "audio/ogg",
    "audio/flac",
    "audio/mp4",
    "video/mp4",
    "video/mpeg",
    "video/mov",
    "video/quicktime",
    "video/avi",
    "video/x-flv",
    "video/mpg",
    "video/webm",
    "video/wmv",
    "video/3gpp",
];

/// Checks a body of `generateContent`.
pub fn generate_content(body: &Json) -> Check {
    only(body, &["systemInstruction", "contents", "tools", "toolConfig", "generationConfig"])?;
    if let Some(system) = body.get("systemInstruction") {
        only(system, &["parts"])?;
        for part in list(system, "parts")? {
            only(part, &["text"])?;
            demand(!text(part, "text")?.is_empty(), "a part is empty", part)?;
        }
    }
    let contents = list(body, "contents")?;
    let mut open: Vec<&str> = Vec::new();
    for (at, content) in contents.iter().enumerate() {
        only(content, &["role", "parts"])?;
        let role = if at % 2 == 0 { "user" } else { "model" };
        demand(text(content, "role")? == role, "user and model contents do not alternate", body)?;
        let mut called = Vec::new();
        let mut answered = Vec::new();
        for (place, part) in list(content, "parts")?.iter().enumerate() {
            let object = part.as_object().unwrap();
            // the reference of `Part`: it has one kind of data, and can have a signature
            let data: Vec<_> =
                object.iter().filter(|(key, _)| *key != "thoughtSignature").collect();
            demand(data.len() == 1, "a part must have one kind of data", part)?;
            let signed = object.contains_key("thoughtSignature");
            demand(!signed || role == "model", "a user part has a signature", part)?;
            let (kind, value) = data[0];
            match (role, kind.as_str()) {
                (_, "text") => demand(!text(part, "text")?.is_empty(), "a part is empty", part)?,
                ("user", "inlineData") => {
                    mime(value, part)?;
                    demand(base64(text(value, "data")?), "base64", part)?;
                }
                ("user", "fileData") => {
                    mime(value, part)?;
                    let uri = text(value, "fileUri")?;
                    let known = uri.starts_with("https://") || uri.starts_with("gs://");
                    demand(known, "a URL is invalid", part)?;
                }
                ("user", "functionResponse") => {
                    demand(place == answered.len(), "a result follows other content", content)?;
                    response(value, part)?;
                    answered.push(text(value, "name")?);
                }
                ("model", "functionCall") => {
                    only(value, &["name", "args"])?;
                    super::object(value, "args")?;
                    called.push(text(value, "name")?);
                }
                ("model", "executableCode" | "codeExecutionResult") => {}
                (_, other) => {
                    return Err(format!(
                        "`{other}` is not allowed in a content of `{role}`: {part}"
                    ));
                }
            }
        }
        // the guide to function calling: as many responses as calls, directly after them
        demand(answered == open, "calls and results do not match in order", body)?;
        for name in &called {
            demand(tool_name(name), "the name of a tool is invalid", content)?;
        }
        open = called;
    }
    demand(open.is_empty(), "a call has no result", body)?;
    demand(contents.len() % 2 == 1, "the last message is not from the user", body)?;
    tools(body)?;
    config(body)
}

fn mime(value: &Json, part: &Json) -> Check {
    let mime = text(value, "mimeType")?;
    let known = TYPES.contains(&mime) || mime == "application/pdf" || mime.starts_with("text/");
    demand(known && !mime.contains('*'), "a type is invalid", part)
}

fn response(value: &Json, part: &Json) -> Check {
    only(value, &["name", "response", "parts"])?;
    let response = object(value, "response")?;
    // the reference of `FunctionResponse`: `output` or `error`
    only(response, &["output", "error"])?;
    demand(
        response.as_object().unwrap().len() == 1,
        "a response needs either `output` or `error`",
        part,
    )
}

fn tools(body: &Json) -> Check {
    let Some(_) = body.get("tools") else {
        return demand(body.get("toolConfig").is_none(), "a choice is set without tools", body);
    };
    let mut names = Vec::new();
    for tools in list(body, "tools")? {
        if tools.get("functionDeclarations").is_none() {
            only(tools, &["googleSearch", "codeExecution", "urlContext"])?;
            continue;
        }
        only(tools, &["functionDeclarations"])?;
        for tool in list(tools, "functionDeclarations")? {
            only(tool, &["name", "description", "parametersJsonSchema"])?;
            demand(tool_name(text(tool, "name")?), "the name of a tool is invalid", tool)?;
            tool.get("parametersJsonSchema").map_or(Ok(()), |s| schema(s, Dialect::Gemini))?;
            names.push(text(tool, "name")?);
        }
    }
    demand(unique(&names), "two tools have the same name", body)?;
    demand(names.len() <= 512, "more than 512 functions", body)?;
    let Some(config) = body.get("toolConfig") else { return Ok(()) };
    let config = object(config, "functionCallingConfig")?;
    demand(["AUTO", "NONE", "ANY"].contains(&text(config, "mode")?), "a mode is invalid", config)?;
    for name in config.get("allowedFunctionNames").and_then(Json::as_array).unwrap_or_default() {
        demand(
            names.contains(&name.as_str().unwrap_or_default()),
            "the choice names an unknown tool",
            config,
        )?;
    }
    Ok(())
}

fn config(body: &Json) -> Check {
    let Some(config) = body.get("generationConfig") else { return Ok(()) };
    only(
        config,
        &[
            "maxOutputTokens",
            "temperature",
            "topP",
            "stopSequences",
            "responseMimeType",
            "responseJsonSchema",
            "thinkingConfig",
        ],
    )?;
    // the reference of `GenerationConfig`
    number(config, "temperature", 0.0, 2.0)?;
    let stops = config.get("stopSequences").and_then(Json::as_array).unwrap_or_default();
    demand(stops.len() <= 5, "more than 5 stop sequences", config)?;
    let json = config.get("responseMimeType").and_then(Json::as_str) == Some("application/json");
    demand(
        json || config.get("responseJsonSchema").is_none(),
        "a schema is set without JSON output",
        config,
    )?;
    let Some(thinking) = config.get("thinkingConfig") else { return Ok(()) };
    // the guide to thinking: a level or a budget, never both
    only(thinking, &["thinkingLevel", "thinkingBudget"])?;
    demand(thinking.as_object().unwrap().len() == 1, "a level and a budget are both set", config)
}

/// Returns true for a valid name. The reference of `FunctionDeclaration`: at most 128 letters,
/// digits, underscores, dots, colons and dashes, starting with a letter or an underscore.
fn tool_name(name: &str) -> bool {
    word(name, 128, ".:") && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}
