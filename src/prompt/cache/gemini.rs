//! Reads bodies of Gemini.

use super::body::{Kind, Parameter, Parsed, Place, Region, list, text};
use super::hash::Content;
use crate::value::json::Json;

pub(super) fn gemini<'a>(json: &'a Json, parsed: &mut Parsed<'a>) {
    let mut item = 0;
    for tool in list(json, "tools") {
        let declared =
            tool.get("functionDeclarations").or_else(|| tool.get("function_declarations"));
        let declared = declared.and_then(Json::as_array);
        for each in declared.unwrap_or(std::slice::from_ref(tool)) {
            parsed.block(&Place { region: Region::Tools, item, role: "" }, 0, each);
            item += 1;
        }
    }
    let system = json.get("systemInstruction").or_else(|| json.get("system_instruction"));
    let at = Place { region: Region::System, item: 0, role: "system" };
    let parts = system.and_then(|system| system.get("parts")).or(system);
    parsed.content(&at, parts);
    let contents = match json.get("contents") {
        Some(Json::Array(contents)) => contents.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    for (item, content) in contents.iter().enumerate() {
        let role = text(content, "role").unwrap_or("user");
        let at = Place { region: Region::Messages, item, role };
        let before = parsed.units.len();
        let parts = content.get("parts").or_else(|| content.as_str().map(|_| content));
        if parsed.content(&at, parts) == 0 {
            parsed.empty(&at);
        }
        for unit in parsed.units.iter_mut().skip(before) {
            unit.kind = gemini_kind(&unit.content);
        }
    }
    let config = json.get("generationConfig").or_else(|| json.get("generation_config"));
    for key in GEMINI_CONFIG {
        parsed.set(Parameter::Undocumented, config.and_then(|config| config.get(key)));
    }
    parsed.set(Parameter::Undocumented, json.get("toolConfig").or_else(|| json.get("tool_config")));
    let all = parsed.parameters.iter().fold(0, |all: u64, (_, hash)| all.rotate_left(7) ^ hash);
    parsed.parameters = vec![(Parameter::Undocumented, all)];
}

/// Settings of Gemini that can change the prefix. Nothing is documented about them.
const GEMINI_CONFIG: [&str; 8] = [
    "thinkingConfig",
    "thinking_config",
    "responseSchema",
    "response_schema",
    "responseJsonSchema",
    "responseMimeType",
    "response_mime_type",
    "mediaResolution",
];

fn gemini_kind(content: &Content<'_>) -> Kind {
    let Content::Block(part) = content else { return Kind::Text };
    let has = |names: [&str; 2]| names.iter().any(|name| part.contains_key(name));
    match () {
        () if has(["functionCall", "function_call"]) => Kind::ToolUse,
        () if has(["functionResponse", "function_response"]) => Kind::ToolResult,
        () if has(["inlineData", "fileData"]) => Kind::Image,
        () if part.get("thought").is_some_and(Json::is_truthy) => Kind::Thinking,
        () if part.contains_key("text") => Kind::Text,
        () => Kind::Other,
    }
}
