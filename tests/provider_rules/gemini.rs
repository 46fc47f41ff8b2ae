use super::{Check, demand, list, only, schema, text, unique, word};
use tuckbox::Json;

/// The body of `generateContent`.
pub fn generate_content(body: &Json) -> Check {
    only(body, &["systemInstruction", "contents", "tools", "generationConfig"])?;
    if let Some(system) = body.get("systemInstruction") {
        only(system, &["parts"])?;
        for part in list(system, "parts")? {
            only(part, &["text"])?;
            demand(!text(part, "text")?.is_empty(), "an empty part", part)?;
        }
    }
    let contents = list(body, "contents")?;
    let mut open: Vec<&str> = Vec::new();
    for (at, content) in contents.iter().enumerate() {
        only(content, &["role", "parts"])?;
        let role = if at % 2 == 0 { "user" } else { "model" };
        demand(text(content, "role")? == role, "users and models take turns", body)?;
        let mut called = Vec::new();
        let mut answered = Vec::new();
        for (place, part) in list(content, "parts")?.iter().enumerate() {
            let object = part.as_object().unwrap();
            demand(object.len() == 1, "a part is one thing", part)?;
            let (kind, value) = object.first().unwrap();
            match (role, kind.as_str()) {
                (_, "text") => demand(!text(part, "text")?.is_empty(), "an empty part", part)?,
                ("user", "inlineData") => {
                    demand(text(value, "mimeType")?.contains('/'), "a type", part)?;
                    text(value, "data")?;
                }
                ("user", "fileData") => {
                    let mime = text(value, "mimeType")?;
                    demand(mime.contains('/') && !mime.contains('*'), "a type", part)?;
                    let uri = text(value, "fileUri")?;
                    demand(
                        uri.starts_with("http") || uri.starts_with("gs://"),
                        "an address",
                        part,
                    )?;
                }
                ("user", "functionResponse") => {
                    demand(place == answered.len(), "results come first", content)?;
                    only(value, &["name", "response"])?;
                    demand(
                        value.get("response").and_then(Json::as_object).is_some(),
                        "a response",
                        part,
                    )?;
                    answered.push(text(value, "name")?);
                }
                ("model", "functionCall") => {
                    only(value, &["name", "args"])?;
                    demand(value.get("args").and_then(Json::as_object).is_some(), "args", part)?;
                    called.push(text(value, "name")?);
                }
                (_, other) => return Err(format!("`{other}` in a content of `{role}`: {part}")),
            }
        }
        demand(answered == open, "every call and its result, in order", body)?;
        for name in &called {
            demand(tool_name(name), "a tool's name", content)?;
        }
        open = called;
    }
    demand(open.is_empty(), "a call without a result", body)?;
    demand(contents.len() % 2 == 1, "the user speaks last", body)?;
    let Some(_) = body.get("tools") else { return Ok(()) };
    let mut names = Vec::new();
    for tools in list(body, "tools")? {
        only(tools, &["functionDeclarations"])?;
        for tool in list(tools, "functionDeclarations")? {
            only(tool, &["name", "description", "parametersJsonSchema"])?;
            demand(tool_name(text(tool, "name")?), "a tool's name", tool)?;
            tool.get("parametersJsonSchema").map_or(Ok(()), schema)?;
            names.push(text(tool, "name")?);
        }
    }
    demand(unique(&names), "two tools of one name", body)
}

fn tool_name(name: &str) -> bool {
    word(name, 128, ".:") && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}
