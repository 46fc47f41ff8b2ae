//! Bodies of requests as units in the order of the prefix: tools, system, messages.
//!
//! A unit is a tool, a block of the system prompt or a block of a message. Marks of a cache are not
//! part of its content, and text is the same in a string and in a block.

use super::foreign::check;
use super::hash::{Content, Hash};
use super::reading::{Reading, reading};
use crate::Result;
use crate::value::json::{Field, Json, Object};
use serde::Serialize;

/// A region of a request.
///
/// Shown by the example of [`ExplainCache`](super::ExplainCache).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Region {
    /// The tool definitions.
    Tools,
    /// The system prompt.
    System,
    /// The conversation.
    Messages,
    /// A parameter or a mark of the request.
    Request,
    /// The time of the request.
    Time,
    /// No region.
    None,
}

/// The API that a body is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    Anthropic,
    Chat,
    Responses,
    Gemini,
    Bedrock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Image,
    ToolUse,
    ToolResult,
    Thinking,
    Summary,
    Other,
}

/// The lifetime that a mark asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ttl {
    Default,
    Hour,
}

#[derive(Clone, Copy)]
pub(crate) struct Unit<'a> {
    pub region: Region,
    /// The tool, the block of the system prompt, or the message.
    pub item: usize,
    pub block: usize,
    pub role: &'a str,
    pub kind: Kind,
    pub content: Content<'a>,
    pub hash: u64,
    pub mark: Option<Ttl>,
    /// The estimated tokens, where they are known already.
    pub tokens: Option<u64>,
}

impl Unit<'_> {
    /// Estimates the tokens of the unit and of its frame.
    pub fn estimate(&self) -> u64 {
        self.content.tokens() + 3
    }
}

/// The role of the instructions, which are not an item of the input.
pub(super) const INSTRUCTIONS: &str = "instructions";

/// Parameters that can change the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    ServiceTier,
    CacheKey,
    Effort,
    Thinking,
    Format,
    Verbosity,
    Parallel,
    ContextManagement,
    ToolChoice,
    Speed,
    WebSearch,
    Citations,
    Images,
    Undocumented,
}

#[derive(Clone)]
pub(crate) struct Parsed<'a> {
    pub model: Option<&'a str>,
    pub units: Vec<Unit<'a>>,
    /// The number of units of tools, and of tools and system.
    pub tools: usize,
    pub system: usize,
    pub automatic: Option<Ttl>,
    /// True if only explicit breakpoints count (OpenAI).
    pub is_explicit: bool,
    pub retention: Option<&'a str>,
    /// The version of the API, which names its platform.
    pub version: Option<&'a str>,
    pub previous_response: Option<&'a str>,
    /// The id of a conversation that the provider stores.
    pub conversation: Option<&'a str>,
    pub cached_content: Option<&'a str>,
    /// The hash of each parameter; 0 where it has its default.
    pub parameters: Vec<(Parameter, u64)>,
    pub images: usize,
    /// True if messages call tools that the body does not define.
    pub lacks_tools: bool,
}

impl<'a> Parsed<'a> {
    pub fn parameter(&self, parameter: Parameter) -> u64 {
        self.parameters.iter().find(|(known, _)| *known == parameter).map_or(0, |(_, hash)| *hash)
    }

    /// Returns true if the provider stores the messages before those of the body.
    pub fn is_stored(&self) -> bool {
        self.previous_response.is_some() || self.conversation.is_some()
    }

    pub fn region(&self, region: Region) -> &[Unit<'a>] {
        let range = match region {
            Region::Tools => 0..self.tools,
            Region::System => self.tools..self.system,
            Region::Messages | Region::Request | Region::Time | Region::None => {
                self.system..self.units.len()
            }
        };
        self.units.get(range).unwrap_or_default()
    }

    fn push(&mut self, mut unit: Unit<'a>) {
        let mut hash = Hash::new();
        hash.text(unit.role);
        unit.content.write(&mut hash);
        unit.hash = hash.finish();
        match unit.region {
            Region::Tools => {
                self.tools += 1;
                self.system += 1;
            }
            Region::System => self.system += 1,
            Region::Messages | Region::Request | Region::Time | Region::None => {}
        }
        self.images += images_of(unit.kind, &unit.content);
        self.units.push(unit);
    }

    /// Marks the last unit, for a mark that is a block of its own.
    fn mark_last(&mut self, ttl: Ttl) {
        if let Some(last) = self.units.last_mut() {
            last.mark = Some(ttl);
        }
    }

    /// Returns the region of the message whose units start at `from`, and of what follows it. The
    /// units were added to the region of the message before.
    fn region_of(&mut self, from: usize, role: &str) -> Region {
        let units = self.units.get(from..).unwrap_or_default();
        let was_leading =
            units.first().map_or(self.system == from, |unit| unit.region == Region::System);
        if was_leading && leads(role, units, from > self.tools) {
            return Region::System;
        }
        self.system = self.system.min(from);
        for unit in self.units.iter_mut().skip(from) {
            unit.region = Region::Messages;
        }
        Region::Messages
    }

    /// Sets what depends on all units.
    pub fn complete(&mut self, api: Api) {
        let calls = self.region(Region::Messages).iter().any(|unit| unit.kind == Kind::ToolUse);
        self.lacks_tools = calls && self.tools == 0 && self.parameter(Parameter::WebSearch) == 0;
        self.parameters.retain(|(parameter, _)| *parameter != Parameter::Images);
        if self.images > 0 && matches!(api, Api::Anthropic | Api::Bedrock) {
            self.parameters.push((Parameter::Images, self.images as u64));
        }
    }

    fn set(&mut self, parameter: Parameter, value: Option<&Json>) {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            self.parameters.push((parameter, Hash::of(value)));
        }
    }
}

/// Returns the number of images of a unit.
fn images_of(kind: Kind, content: &Content<'_>) -> usize {
    match (kind, content) {
        (Kind::Image, _) => 1,
        (Kind::ToolResult, Content::Block(block)) => images_inside(block),
        (_, _) => 0,
    }
}

fn images_inside(block: &Object) -> usize {
    let result = block.get("toolResult").and_then(Json::as_object).unwrap_or(block);
    let items = result.get("content").and_then(Json::as_array).unwrap_or_default();
    let is_image =
        |item: &&Json| text(item, "type") == Some("image") || item.get("image").is_some();
    items.iter().filter(is_image).count()
}

pub(super) fn text<'a>(json: &'a Json, key: &str) -> Option<&'a str> {
    json.get(key)?.as_str()
}

pub(super) fn list<'a>(json: &'a Json, key: &str) -> &'a [Json] {
    json.get(key).and_then(Json::as_array).unwrap_or_default()
}

/// Reads a body, or returns why it is not one of this API.
pub(crate) fn parse<'a>(api: Api, body: &Field<'a>) -> Result<Parsed<'a>> {
    body.object()?;
    let json = body.json();
    check(api, body)?;
    let mut parsed = Parsed {
        model: text(json, "model").or_else(|| text(json, "modelId")),
        units: Vec::new(),
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

fn ttl_of(mark: &Json) -> Ttl {
    if text(mark, "ttl") == Some("1h") { Ttl::Hour } else { Ttl::Default }
}

fn mark_of(block: &Json) -> Option<Ttl> {
    let mark = block.get("cache_control").or_else(|| block.get("prompt_cache_breakpoint"));
    mark.filter(|mark| !mark.is_null()).map(ttl_of)
}

fn kind_of(block: &Json) -> Kind {
    match text(block, "type").unwrap_or_default() {
        "text" | "input_text" | "output_text" => Kind::Text,
        "image" | "image_url" | "input_image" => Kind::Image,
        "tool_use" | "server_tool_use" => Kind::ToolUse,
        "tool_result" => Kind::ToolResult,
        kind if kind.ends_with("_call") => Kind::ToolUse,
        kind if kind.ends_with("_call_output") => Kind::ToolResult,
        "thinking" | "redacted_thinking" | "reasoning" => Kind::Thinking,
        "compaction" | "compaction_summary" | "summary" => Kind::Summary,
        _ => Kind::Other,
    }
}

struct Place<'a> {
    region: Region,
    item: usize,
    role: &'a str,
}

impl<'a> Parsed<'a> {
    /// Adds a block, or a string.
    fn block(&mut self, at: &Place<'a>, block: usize, json: &'a Json) {
        self.push(Unit {
            region: at.region,
            item: at.item,
            block,
            role: at.role,
            kind: if json.as_str().is_some() { Kind::Text } else { kind_of(json) },
            content: Content::of(json),
            hash: 0,
            mark: mark_of(json),
            tokens: None,
        });
    }

    /// Adds content that is a string or a list of blocks. Returns the number of units.
    fn content(&mut self, at: &Place<'a>, content: Option<&'a Json>) -> usize {
        match content {
            Some(Json::Array(blocks)) => {
                for (index, block) in blocks.iter().enumerate() {
                    self.block(at, index, block);
                }
                blocks.len()
            }
            Some(Json::String(text)) if text.is_empty() => 0,
            None | Some(Json::Null) => 0,
            Some(one) => {
                self.block(at, 0, one);
                1
            }
        }
    }

    /// Keeps the place of a message without content.
    fn empty(&mut self, at: &Place<'a>) {
        self.push(Unit {
            region: at.region,
            item: at.item,
            block: 0,
            role: at.role,
            kind: Kind::Text,
            content: Content::Text(""),
            hash: 0,
            mark: None,
            tokens: None,
        });
    }
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

/// Returns true for the role of a message that can belong to the system prompt.
pub(super) fn is_system(role: &str) -> bool {
    matches!(role, "system" | "developer")
}

/// Returns true for a message at the start that belongs to the system prompt. A summary after other
/// instructions belongs to the conversation.
pub(super) fn leads(role: &str, units: &[Unit<'_>], has_system: bool) -> bool {
    let is_summary = |unit: &Unit<'_>| {
        let text = unit.content.text();
        unit.kind == Kind::Summary || text.is_some_and(|text| reading(text) == Reading::Summary)
    };
    is_system(role) && !(has_system && units.iter().any(is_summary))
}

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

fn chat<'a>(json: &'a Json, parsed: &mut Parsed<'a>) {
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

fn responses<'a>(json: &'a Json, parsed: &mut Parsed<'a>) {
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

fn gemini<'a>(json: &'a Json, parsed: &mut Parsed<'a>) {
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
