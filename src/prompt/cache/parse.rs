//! Reads the bodies of requests. The parts for Anthropic and Bedrock are in this file.

use super::body::{Api, Kind, Parameter, Parsed, Place, Region, images_of, list, text, ttl_of};
use super::foreign::check;
use super::gemini::gemini;
use super::hash::Hash;
use super::openai::{chat, responses};
use super::units::Units;
use crate::Result;
use crate::value::json::{Field, Json, Object};

/// Reads a body, or returns why it is not one of this API.
pub(crate) fn parse<'a>(api: Api, body: &Field<'a>) -> Result<Parsed<'a>> {
    body.object()?;
    let json = body.json();
    check(api, body)?;
    let mut parsed = Parsed {
        model: text(json, "model").or_else(|| text(json, "modelId")),
        units: Units::default(),
        tools: 0,
        system: 0,
        automatic: None,
        is_explicit: false,
        retention: text(json, "prompt_cache_retention"),
        version: text(json, "anthropic_version"),
        previous_response: text(json, "previous_response_id"),
        conversation: json
            .get("conversation")
            .and_then(|own| own.as_str().or_else(|| text(own, "id"))),
        cached_content: text(json, "cachedContent").or_else(|| text(json, "cached_content")),
        parameters: Vec::new(),
        images: 0,
        lacks_tools: false,
    };
    match api {
        Api::Anthropic => anthropic(json, &mut parsed),
        Api::Chat => chat(json, &mut parsed),
        Api::Responses => responses(json, &mut parsed),
        Api::Gemini => gemini(json, &mut parsed),
        Api::Bedrock => bedrock(json, &mut parsed),
    }
    parsed.complete(api);
    Ok(parsed)
}

fn anthropic<'a>(json: &'a Json, parsed: &mut Parsed<'a>) {
    let is_search =
        |tool: &&Json| text(tool, "type").is_some_and(|kind| kind.starts_with("web_search"));
    let tools = list(json, "tools");
    for (item, tool) in tools.iter().filter(|tool| !is_search(tool)).enumerate() {
        parsed.block(&Place { region: Region::Tools, item, role: "" }, 0, tool);
    }
    if let Some(search) = tools.iter().find(is_search) {
        parsed.parameters.push((Parameter::WebSearch, Hash::of(search)));
    }
    parsed.content(&Place { region: Region::System, item: 0, role: "system" }, json.get("system"));
    let mut cites = false;
    for (item, message) in list(json, "messages").iter().enumerate() {
        let role = text(message, "role").unwrap_or_default();
        let at = Place { region: Region::Messages, item, role };
        if parsed.content(&at, message.get("content")) == 0 {
            parsed.empty(&at);
        }
        cites |= list(message, "content").iter().any(|block| {
            let enabled = block.get("citations").and_then(|citations| citations.get("enabled"));
            enabled.and_then(Json::as_bool) == Some(true)
        });
    }
    if cites {
        parsed.parameters.push((Parameter::Citations, 1));
    }
    parsed.automatic = json.get("cache_control").filter(|mark| !mark.is_null()).map(ttl_of);
    let choice = json.get("tool_choice");
    let is_auto = choice.is_some_and(|choice| {
        text(choice, "type") == Some("auto")
            && choice.get("disable_parallel_tool_use").is_none_or(|off| !off.is_truthy())
    });
    parsed.set(Parameter::ToolChoice, choice.filter(|_| !is_auto));
    let thinking = json.get("thinking");
    parsed.set(Parameter::Thinking, thinking.filter(|each| text(each, "type") != Some("disabled")));
    let effort = json.get("output_config").and_then(|config| config.get("effort"));
    parsed.set(Parameter::Effort, effort.filter(|effort| effort.as_str() != Some("high")));
    let format = json.get("output_config").and_then(|config| config.get("format"));
    let others = [format, json.get("context_management"), json.get("mcp_servers")];
    if let Some(other) = Hash::of_all(others.into_iter().flatten()) {
        parsed.parameters.push((Parameter::Undocumented, other));
    }
    let speed = json.get("speed");
    parsed.set(Parameter::Speed, speed.filter(|speed| speed.as_str() != Some("standard")));
}

fn bedrock<'a>(json: &'a Json, parsed: &mut Parsed<'a>) {
    let point = |block: &Json| block.get("cachePoint").map(ttl_of);
    let tools = json.get("toolConfig");
    let mut item = 0;
    for tool in tools.map_or(&[][..], |tools| list(tools, "tools")) {
        match point(tool) {
            Some(ttl) => parsed.mark_last(ttl),
            None => {
                parsed.block(&Place { region: Region::Tools, item, role: "" }, 0, tool);
                item += 1;
            }
        }
    }
    let blocks = |at: &Place<'a>, content: &'a [Json], parsed: &mut Parsed<'a>| {
        for (index, block) in content.iter().enumerate() {
            match point(block) {
                Some(ttl) => parsed.mark_last(ttl),
                None => {
                    parsed.block(at, index, block);
                    if let Some(unit) = parsed.units.last_mut() {
                        unit.kind = match block.as_object().and_then(Object::first) {
                            Some((key, _)) => match key.as_str() {
                                "text" => Kind::Text,
                                "image" => Kind::Image,
                                "toolUse" => Kind::ToolUse,
                                "toolResult" => Kind::ToolResult,
                                "reasoningContent" => Kind::Thinking,
                                _ => Kind::Other,
                            },
                            None => Kind::Other,
                        };
                        parsed.images += images_of(unit.kind, &unit.content);
                    }
                }
            }
        }
    };
    let at = Place { region: Region::System, item: 0, role: "system" };
    blocks(&at, list(json, "system"), parsed);
    for (item, message) in list(json, "messages").iter().enumerate() {
        let role = text(message, "role").unwrap_or_default();
        blocks(&Place { region: Region::Messages, item, role }, list(message, "content"), parsed);
    }
    parsed.set(
        Parameter::ToolChoice,
        tools
            .and_then(|tools| tools.get("toolChoice"))
            .filter(|choice| choice.get("auto").is_none()),
    );
    let more = json.get("additionalModelRequestFields");
    let of = |key: &str| more.and_then(|more| more.get(key));
    let is_on = |each: &&Json| text(each, "type") != Some("disabled");
    parsed.set(Parameter::Thinking, of("thinking").filter(is_on));
    let effort = of("output_config").and_then(|config| config.get("effort"));
    parsed.set(Parameter::Effort, effort.filter(|effort| effort.as_str() != Some("high")));
    let names = ["thinking", "output_config"];
    let others = more.and_then(Json::as_object).into_iter().flatten();
    let others = others.filter(|(key, _)| !names.contains(&key.as_str())).map(|(_, value)| value);
    if let Some(other) = Hash::of_all(others) {
        parsed.parameters.push((Parameter::Undocumented, other));
    }
}
