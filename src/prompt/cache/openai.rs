//! Reads bodies of OpenAI: Chat Completions and Responses.

use super::body::{INSTRUCTIONS, Kind, Parameter, Parsed, Place, Region, list, text};
use crate::value::json::Json;

fn openai_parameters<'a>(json: &'a Json, parsed: &mut Parsed<'a>) {
    let tier = json.get("service_tier");
    let is_default = |tier: &&Json| !matches!(tier.as_str(), Some("auto" | "default"));
    parsed.set(Parameter::ServiceTier, tier.filter(is_default));
    parsed.set(Parameter::CacheKey, json.get("prompt_cache_key"));
    let parallel = json.get("parallel_tool_calls");
    parsed.set(Parameter::Parallel, parallel.filter(|each| each.as_bool() != Some(true)));
    parsed.set(Parameter::ContextManagement, json.get("context_management"));
    let options = json.get("prompt_cache_options");
    let mode = options.and_then(|options| text(options, "mode"));
    parsed.is_explicit = mode == Some("explicit");
    let choice = json.get("tool_choice");
    let is_free = |choice: &&Json| {
        !matches!(choice.as_str(), Some("none" | "auto"))
            && text(choice, "type") != Some("allowed_tools")
    };
    parsed.set(Parameter::ToolChoice, choice.filter(is_free));
}

fn set_text(parsed: &mut Parsed<'_>, format: Option<&Json>, verbosity: Option<&Json>) {
    let format = format.filter(|format| text(format, "type") != Some("text"));
    parsed.set(Parameter::Format, format);
    let verbosity = verbosity.filter(|verbosity| verbosity.as_str() != Some("medium"));
    parsed.set(Parameter::Verbosity, verbosity);
}

pub(super) fn chat<'a>(json: &'a Json, parsed: &mut Parsed<'a>) {
    let tools = list(json, "tools").iter().chain(list(json, "functions"));
    for (item, tool) in tools.enumerate() {
        parsed.block(&Place { region: Region::Tools, item, role: "" }, 0, tool);
    }
    let mut region = Region::System;
    for (item, message) in list(json, "messages").iter().enumerate() {
        let role = text(message, "role").unwrap_or_default();
        let before = parsed.units.len();
        let mut count = parsed.content(&Place { region, item, role }, message.get("content"));
        region = parsed.region_of(before, role);
        let at = Place { region, item, role };
        if role == "tool" || role == "function" {
            for unit in parsed.units.iter_mut().skip(before) {
                unit.kind = Kind::ToolResult;
            }
        }
        let calls = list(message, "tool_calls").iter().chain(message.get("function_call"));
        for call in calls.filter(|call| !call.is_null()) {
            parsed.block(&at, count, call);
            if let Some(unit) = parsed.units.last_mut() {
                unit.kind = Kind::ToolUse;
            }
            count += 1;
        }
        // other keys that a model sees; `null` is the same as a missing key
        for key in ["tool_call_id", "name", "reasoning_content", "refusal"] {
            if let Some(value) = message.get(key).filter(|value| value.is_truthy()) {
                parsed.block(&at, count, value);
                if let Some(unit) = parsed.units.last_mut() {
                    unit.kind = match role {
                        "tool" | "function" => Kind::ToolResult,
                        _ if key == "reasoning_content" => Kind::Thinking,
                        _ => Kind::Other,
                    };
                }
                count += 1;
            }
        }
        if count == 0 {
            parsed.empty(&at);
        }
    }
    openai_parameters(json, parsed);
    parsed.set(Parameter::Effort, json.get("reasoning_effort"));
    set_text(parsed, json.get("response_format"), json.get("verbosity"));
}

pub(super) fn responses<'a>(json: &'a Json, parsed: &mut Parsed<'a>) {
    for (item, tool) in list(json, "tools").iter().enumerate() {
        parsed.block(&Place { region: Region::Tools, item, role: "" }, 0, tool);
    }
    let instructions = Place { region: Region::System, item: 0, role: INSTRUCTIONS };
    parsed.content(&instructions, json.get("instructions"));
    let mut region = Region::System;
    let input = json.get("input");
    if let Some(Json::String(_)) = input {
        parsed.content(&Place { region: Region::Messages, item: 0, role: "user" }, input);
    }
    for (item, entry) in list(json, "input").iter().enumerate() {
        let role = text(entry, "role").unwrap_or_default();
        let at = Place { region, item, role };
        let before = parsed.units.len();
        match text(entry, "type") {
            None | Some("message") => {
                if parsed.content(&at, entry.get("content")) == 0 {
                    parsed.empty(&at);
                }
            }
            Some(_) => parsed.block(&at, 0, entry),
        }
        region = parsed.region_of(before, role);
    }
    openai_parameters(json, parsed);
    let of = |outer: &str, key: &str| json.get(outer).and_then(|value| value.get(key));
    parsed.set(Parameter::Effort, of("reasoning", "effort"));
    set_text(parsed, of("text", "format"), of("text", "verbosity"));
    // instructions that the provider stores
    parsed.set(Parameter::Undocumented, json.get("prompt"));
}
