//! Bodies of requests as units in the order of the prefix: tools, system, messages.
//!
//! A unit is a tool, a block of the system prompt or a block of a message. Marks of a cache are not
//! part of its content, and text is the same in a string and in a block.

use super::hash::{Content, Hash};
use super::reading::{Reading, reading};
use super::units::Units;
use crate::value::json::{Json, Object};
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

    pub(super) fn is_call(&self) -> bool {
        self.kind == Kind::ToolUse
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
    pub units: Units<'a>,
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
    pub(super) fn mark_last(&mut self, ttl: Ttl) {
        if let Some(last) = self.units.last_mut() {
            last.mark = Some(ttl);
        }
    }

    /// Returns the region of the message whose units start at `from`, and of what follows it. The
    /// units were added to the region of the message before.
    pub(super) fn region_of(&mut self, from: usize, role: &str) -> Region {
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
        let has_calls = self.region(Region::Messages).iter().any(Unit::is_call);
        self.finish(api, has_calls);
    }

    /// As [`Parsed::complete`], where it is known whether messages have calls.
    pub(super) fn finish(&mut self, api: Api, has_calls: bool) {
        self.lacks_tools =
            has_calls && self.tools == 0 && self.parameter(Parameter::WebSearch) == 0;
        self.parameters.retain(|(parameter, _)| *parameter != Parameter::Images);
        if self.images > 0 && matches!(api, Api::Anthropic | Api::Bedrock) {
            self.parameters.push((Parameter::Images, self.images as u64));
        }
    }

    pub(super) fn set(&mut self, parameter: Parameter, value: Option<&Json>) {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            self.parameters.push((parameter, Hash::of(value)));
        }
    }
}

/// Returns the number of images of a unit.
pub(super) fn images_of(kind: Kind, content: &Content<'_>) -> usize {
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

pub(super) fn ttl_of(mark: &Json) -> Ttl {
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

/// Where a block is.
pub(super) struct Place<'a> {
    pub region: Region,
    pub item: usize,
    pub role: &'a str,
}

impl<'a> Parsed<'a> {
    /// Adds a block, or a string.
    pub(super) fn block(&mut self, at: &Place<'a>, block: usize, json: &'a Json) {
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
    pub(super) fn content(&mut self, at: &Place<'a>, content: Option<&'a Json>) -> usize {
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
    pub(super) fn empty(&mut self, at: &Place<'a>) {
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
