//! What a context sends, read from the body of its request.

use super::entry::{Content, Entry, List, Mark, Parameter, Position, Tool, short_hash};
use super::slots::{Slots, Volatile};
use super::write::{has_hidden, is_hidden};
use crate::Result;
use crate::agents::recipe::find_secrets;
use crate::prompt::cache::{self, Api, CacheMode, CacheRules, Kind, Region, Ttl, Unit};
use crate::value::json::{Field, Json, Object};

/// The maximum number of characters of an excerpt.
const MAX_EXCERPT: usize = 60;
/// The role of an item without one.
pub(super) const NO_ROLE: &str = "none";
/// Keys of messages that positions have.
const MESSAGE_KEYS: [&str; 11] = [
    "role",
    "content",
    "parts",
    "type",
    "id",
    "tool_calls",
    "function_call",
    "tool_call_id",
    "name",
    "reasoning_content",
    "refusal",
];
/// Longer values of parameters are hashed.
const MAX_VALUE: usize = 80;
/// Keys of a body that are not parameters.
const CONTENT_KEYS: [&str; 11] = [
    "model",
    "modelId",
    "messages",
    "system",
    "tools",
    "functions",
    "input",
    "instructions",
    "contents",
    "systemInstruction",
    "system_instruction",
];
/// Keys that mark a position for the cache.
const MARK_KEYS: [&str; 3] = ["cache_control", "prompt_cache_breakpoint", "cache"];
/// Keys of a definition that have the schema of its arguments.
const SCHEMA_KEYS: [&str; 5] =
    ["input_schema", "inputSchema", "parameters", "parametersJsonSchema", "schema"];

/// Returns the provider whose keys a body has.
pub(super) fn provider_of(body: &Json) -> &'static str {
    let has = |key: &str| body.get(key).is_some();
    let tools = body.get("tools").and_then(Json::as_array).unwrap_or_default();
    match () {
        () if has("contents") => "gemini",
        () if has("input") || has("instructions") => "openai_responses",
        () if has("toolConfig") || has("inferenceConfig") || has("modelId") => "bedrock",
        () if has("system") || has("anthropic_version") => "anthropic",
        () if tools.iter().any(|tool| tool.get("input_schema").is_some()) => "anthropic",
        () => "openai_chat",
    }
}

/// A position as it was read.
pub(super) struct Seen {
    pub list: List,
    pub is_another: bool,
    pub kind: String,
    pub role: String,
    pub mark: Option<Mark>,
    /// The content as hashed.
    pub content: String,
    /// The text as people read it.
    pub text: String,
    pub tokens: u64,
    pub cause: String,
}

/// A request as it was read.
pub(super) struct Context {
    pub provider: String,
    pub model: Option<String>,
    pub parameters: Vec<(String, Json)>,
    pub tools: Vec<Tool>,
    pub positions: Vec<Seen>,
    /// The secrets of tools.
    secrets: Vec<Secret>,
    is_marked: bool,
}

/// How an entry is written.
pub(super) struct Manner<'a> {
    pub volatile: &'a [Volatile],
    pub redact: bool,
}

/// A secret in a context: its slot and its kind.
pub(super) type Secret = (String, &'static str);

impl Context {
    /// Reads the body of a request.
    pub fn read(provider: &str, model: Option<&str>, body: &Json) -> Result<Self> {
        let api = match provider {
            "anthropic" => Api::Anthropic,
            "openai_responses" => Api::Responses,
            "gemini" => Api::Gemini,
            "bedrock" => Api::Bedrock,
            _ => Api::Chat,
        };
        let parsed = cache::parse(api, &Field::root(body))?;
        let mut positions: Vec<(usize, Seen)> = Vec::new();
        for unit in parsed.region(Region::System).iter().chain(parsed.region(Region::Messages)) {
            let mut seen = Seen::of(unit);
            if let Some((item, last)) = positions.last() {
                seen.is_another = *item != unit.item && last.joins(&seen);
            }
            match positions.last_mut() {
                // the id of a result is a unit of its own
                Some((item, last)) if *item == unit.item && is_one_result(last, &seen) => {
                    last.content.push('\n');
                    last.content.push_str(&seen.content);
                    last.tokens += seen.tokens;
                }
                _ => positions.push((unit.item, seen)),
            }
        }
        let (tools, secrets) = tools(body);
        let positions: Vec<Seen> = positions.into_iter().map(|(_, seen)| seen).collect();
        let is_marked = CacheRules::of(provider, model.or(parsed.model)).mode == CacheMode::Marked
            && parsed.automatic.is_none();
        Ok(Self {
            provider: provider.to_owned(),
            model: model.or(parsed.model).map(str::to_owned),
            parameters: parameters(body),
            tools,
            positions,
            secrets,
            is_marked,
        })
    }

    /// Returns the entry, and the secrets of its positions.
    pub fn entry(
        &self,
        name: &str,
        manner: &Manner<'_>,
        slots: &mut Slots,
    ) -> (Entry, Vec<Secret>) {
        let mut secrets = self.secrets.clone();
        let mut counts = [0_usize; 2];
        let mut positions = Vec::with_capacity(self.positions.len());
        for seen in &self.positions {
            let [system, messages] = &mut counts;
            let count = if seen.list == List::System { system } else { messages };
            let slot = seen.list.slot(*count);
            *count += 1;
            let kinds = find_secrets(&seen.text);
            positions.push(slots.position(&slot, seen, manner, !kinds.is_empty()));
            secrets.extend(kinds.into_iter().map(|kind| (slot.clone(), kind)));
        }
        for (name, value) in &self.parameters {
            let kinds = find_secrets(&value.to_string()).into_iter();
            secrets.extend(kinds.map(|kind| (format!("/parameters/{name}"), kind)));
        }
        let mut parameters: Vec<Parameter> = self
            .parameters
            .iter()
            .map(|(name, value)| Parameter {
                name: name.clone(),
                value: match slots.is_volatile(manner.volatile, &format!("/parameters/{name}"), "")
                {
                    true => "~".to_owned(),
                    false => parameter_value(value, manner.redact),
                },
            })
            .collect();
        parameters.sort_by(|a, b| a.name.cmp(&b.name));
        let prefix = self.prefix(&positions);
        let entry = Entry {
            name: name.to_owned(),
            from: None,
            provider: self.provider.clone(),
            model: self.model.clone(),
            parameters,
            tools: self.tools.clone(),
            positions,
            findings: Vec::new(),
            prefix,
        };
        (entry, secrets)
    }

    /// Returns the tokens of the prefix that a cache can reuse. It ends before the first volatile
    /// position. If the provider needs marks, it ends at the last mark before.
    fn prefix(&self, positions: &[Position]) -> u64 {
        let (mut tokens, mut marked) = (0, 0);
        for tool in &self.tools {
            tokens += tool.tokens;
            marked = if tool.mark.is_some() { tokens } else { marked };
        }
        for position in positions {
            if position.content.is_volatile() {
                break;
            }
            tokens += position.content.tokens();
            marked = if position.mark.is_some() { tokens } else { marked };
        }
        if self.is_marked { marked } else { tokens }
    }
}

impl Seen {
    fn of(unit: &Unit<'_>) -> Self {
        let (content, text) = match unit.content {
            cache::Content::Text(text) => (text.to_owned(), text.to_owned()),
            cache::Content::Block(block) => {
                (Json::Object(without_marks(block)).to_string(), gist(block))
            }
            cache::Content::Value(value) => (value.to_string(), value.text_form()),
        };
        Self {
            list: if unit.region == Region::System { List::System } else { List::Messages },
            is_another: false,
            kind: kind(unit),
            role: if unit.role.is_empty() { NO_ROLE.to_owned() } else { unit.role.to_owned() },
            mark: unit.mark.map(mark),
            content,
            text,
            tokens: unit.content.tokens(),
            cause: String::new(),
        }
    }

    /// Returns true if the next position could be in the same message.
    fn joins(&self, next: &Self) -> bool {
        let is_joined = |seen: &Self| {
            seen.list == List::Messages && seen.role != NO_ROLE && seen.kind != "tool_result"
        };
        self.role == next.role && is_joined(self) && is_joined(next)
    }

    /// Returns true for the system prompt, wherever it is.
    pub fn is_system(&self) -> bool {
        self.list == List::System || matches!(self.role.as_str(), "system" | "developer")
    }

    /// Returns the position with fixed content.
    pub fn fixed(&self, content: &str, tokens: u64, excerpt: Option<String>) -> Position {
        Position {
            list: self.list,
            is_another: self.is_another,
            kind: self.kind.clone(),
            role: self.role.clone(),
            content: Content::Fixed { tokens, hash: short_hash(content) },
            cause: self.cause.clone(),
            mark: self.mark,
            excerpt,
        }
    }
}

fn is_one_result(last: &Seen, next: &Seen) -> bool {
    last.kind == "tool_result"
        && next.kind == "tool_result"
        && last.role == next.role
        && matches!(last.role.as_str(), "tool" | "function")
}

fn kind(unit: &Unit<'_>) -> String {
    let own = match unit.content {
        cache::Content::Block(block) => block.get("type").and_then(Json::as_str),
        cache::Content::Text(_) | cache::Content::Value(_) => None,
    };
    match unit.kind {
        Kind::Text => "text",
        Kind::Image => "image",
        Kind::ToolUse => "tool_call",
        Kind::ToolResult => "tool_result",
        Kind::Thinking => "thinking",
        Kind::Summary => "summary",
        Kind::Other => match own {
            Some("tool-call") => "tool_call",
            Some("tool-result") => "tool_result",
            Some(own) => own,
            None => "other",
        },
    }
    .to_owned()
}

fn mark(ttl: Ttl) -> Mark {
    match ttl {
        Ttl::Default => Mark::Default,
        Ttl::Hour => Mark::Hour,
    }
}

fn without_marks(block: &Object) -> Object {
    let kept = block.iter().filter(|(key, _)| !MARK_KEYS.contains(&key.as_str()));
    kept.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Returns the text of a block that people read first.
fn gist(block: &Object) -> String {
    let inner = ["function", "functionCall", "toolUse", "toolResult", "functionResponse"];
    let block = inner.iter().find_map(|key| block.get(key)?.as_object()).unwrap_or(block);
    let of = |keys: &[&str]| keys.iter().find_map(|key| block.get(key)).map(Json::text_form);
    let name = of(&["name", "toolName"]);
    let value = of(&["input", "arguments", "args", "output", "content", "response", "result"]);
    match (of(&["text", "thinking"]), name, value) {
        (Some(text), _, _) => text,
        (None, Some(name), Some(value)) => format!("{name} {value}"),
        (None, None, Some(value)) => value,
        (None, Some(_) | None, None) => Json::Object(block.clone()).to_string(),
    }
}

/// Returns the start of a text on one line.
pub(super) fn excerpt(text: &str) -> String {
    let mut line = String::new();
    let mut count = 0;
    'words: for word in text.split_whitespace() {
        let space = (count > 0).then_some(' ');
        for c in space.into_iter().chain(word.chars().filter(|c| !is_hidden(*c))) {
            line.push(c);
            count += 1;
            if count > MAX_EXCERPT {
                break 'words;
            }
        }
    }
    if count > MAX_EXCERPT
        && let Some((end, _)) = line.char_indices().nth(MAX_EXCERPT - 1)
    {
        line.truncate(end);
        line.push('…');
    }
    line
}

fn parameters(body: &Json) -> Vec<(String, Json)> {
    let Some(body) = body.as_object() else { return Vec::new() };
    let mut found = Vec::new();
    for (key, value) in body {
        if CONTENT_KEYS.contains(&key.as_str()) || value.is_null() {
            continue;
        }
        match (key.as_str(), value) {
            ("toolConfig" | "tool_config", Json::Object(config)) => {
                let kept = config.iter().filter(|(key, _)| *key != "tools");
                let kept: Object = kept.map(|(k, v)| (k.clone(), v.clone())).collect();
                if !kept.is_empty() {
                    found.push((key.clone(), Json::Object(kept)));
                }
            }
            _ => found.push((key.clone(), value.clone())),
        }
    }
    for list in ["messages", "contents"] {
        let messages = body.get(list).and_then(Json::as_array).unwrap_or_default();
        for (at, message) in messages.iter().enumerate() {
            for (key, value) in message.as_object().into_iter().flatten() {
                if !MESSAGE_KEYS.contains(&key.as_str())
                    && !MARK_KEYS.contains(&key.as_str())
                    && !value.is_null()
                {
                    found.push((format!("{list}/{at}/{key}"), value.clone()));
                }
            }
        }
    }
    found
}

fn parameter_value(value: &Json, redact: bool) -> String {
    let text = value.to_string();
    let is_scalar = matches!(value, Json::Bool(_) | Json::Number(_) | Json::Null);
    let is_long = text.len() > MAX_VALUE || has_hidden(&text);
    match is_long || (redact && !is_scalar) || !find_secrets(&text).is_empty() {
        true => format!("#{}", short_hash(&text)),
        false => text,
    }
}

/// Returns the tools of a body, and their secrets.
fn tools(body: &Json) -> (Vec<Tool>, Vec<Secret>) {
    let mut found: Vec<Tool> = Vec::new();
    let mut secrets: Vec<Secret> = Vec::new();
    let list = |key: &str| body.get(key).and_then(Json::as_array).unwrap_or_default();
    let config = ["toolConfig", "tool_config"].iter().find_map(|key| body.get(key)?.get("tools"));
    let configured = config.and_then(Json::as_array).unwrap_or_default();
    let mut add = |name: Option<&str>, json: &Json, found: &mut Vec<Tool>| {
        let tool = tool_of(name, json);
        let kinds = find_secrets(&json.to_string()).into_iter();
        secrets.extend(kinds.map(|kind| (format!("/tools/{}", tool.name), kind)));
        found.push(tool);
    };
    for tool in list("tools").iter().chain(list("functions")).chain(configured) {
        if let Some(point) = tool.get("cachePoint") {
            if let Some(last) = found.last_mut() {
                last.mark = Some(mark_of(point));
            }
            continue;
        }
        let declared = ["functionDeclarations", "function_declarations"];
        match declared.iter().find_map(|key| tool.get(key)?.as_array()) {
            Some(declared) => declared.iter().for_each(|tool| add(None, tool, &mut found)),
            None => add(None, tool, &mut found),
        }
    }
    // the AI SDK has an object of tools
    for (name, tool) in body.get("tools").and_then(Json::as_object).into_iter().flatten() {
        add(Some(name.as_str()), tool, &mut found);
    }
    (found, secrets)
}

fn mark_of(json: &Json) -> Mark {
    let is_hour = json.get("ttl").and_then(Json::as_str) == Some("1h");
    if is_hour { Mark::Hour } else { Mark::Default }
}

fn tool_of(name: Option<&str>, tool: &Json) -> Tool {
    let content = cache::Content::of(tool);
    let mut rest = tool.as_object().map(without_marks).unwrap_or_default();
    let mut schema = take_schema(&mut rest);
    for key in ["function", "toolSpec"] {
        if let Some(Json::Object(inner)) = rest.get_mut(key) {
            schema = schema.or_else(|| take_schema(inner));
        }
    }
    let mark = tool.get("cache_control").filter(|mark| !mark.is_null()).map(mark_of);
    Tool {
        name: name.map(str::to_owned).or_else(|| cache::tool_name(&content)).unwrap_or_default(),
        tokens: content.tokens(),
        hash: short_hash(&Json::Object(rest).to_string()),
        schema: short_hash(&schema.unwrap_or_default().to_string()),
        mark,
    }
}

fn take_schema(definition: &mut Object) -> Option<Json> {
    SCHEMA_KEYS.iter().find_map(|key| definition.remove(key))
}
