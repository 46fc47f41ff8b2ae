//! Tool definitions, and the names of tools in a payload.

use super::demands::{SchemaRules, StrictRules, Token, Tried};
use super::loss::{Change, Losses, unknown_keys};
use super::part::{Arguments, CacheMark, Part};
use super::schema::{self, Shape};
use super::turn::Turn;
use super::{Provider, part, strict};
use crate::value::json::{Json, Object};
use crate::value::{Map as IndexMap, Set as IndexSet};
use serde::Serialize;

/// A tool, with the parts that all providers have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tool {
    pub name: String,
    pub description: Option<String>,
    /// The JSON schema of an object; `None` if the tool has no arguments.
    pub schema: Option<Json>,
    pub strict: Option<bool>,
    /// A cache mark after this definition.
    pub cache: Option<CacheMark>,
    /// Keys that only its provider knows.
    pub more: Object,
    /// The definition of a tool that the provider runs, verbatim.
    pub own: Option<Json>,
}

/// A tool whose calls differ from its definition: a host restores them.
///
/// ```
/// use tuckbox::{Message, json};
/// use tuckbox::prompt::provider::{Options, Prompt, Provider, payload};
///
/// let tool = json!({"name": "file.read", "parameters": {"type": "string"}});
/// let mut prompt = Prompt::new(vec![Message::user("Read it.")]);
/// prompt.tools.push(tool.as_object().cloned().unwrap());
/// let made = payload(&prompt, Provider::Anthropic, &Options::model("m"))?;
/// let renamed = &made.renamed_tools()[0];
/// assert_eq!((renamed.given.as_str(), renamed.sent.as_str(), renamed.wrapped), ("file.read", "file_read", true));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Renamed {
    /// The name in the prompt.
    pub given: String,
    /// The name in the payload, and in the model's answers.
    pub sent: String,
    /// The arguments are wrapped in an object, under `value`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub wrapped: bool,
    /// Renamed properties.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<RenamedProperty>,
}

/// A property of a tool that has another name in the payload.
///
/// Shown by the example of [`Renamed`], whose names are read in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RenamedProperty {
    /// The name in the prompt.
    pub given: String,
    /// The name in the payload, and in the model's answers.
    pub sent: String,
}

/// Reads definitions, makes them legal, and renames the calls of renamed tools.
pub(super) fn legalise(
    given: &[Object],
    turns: &mut [Turn],
    provider: Provider,
    losses: &mut Losses,
) -> (Vec<Tool>, Names) {
    let (tools, mut names) = define(given, provider, losses);
    names.name_calls(turns, losses);
    let mut tools = tools;
    if provider.demands().called_tools {
        define_called(&mut tools, turns, losses);
    }
    (tools, names)
}

/// Adds a definition of each called tool without one.
fn define_called(tools: &mut Vec<Tool>, turns: &[Turn], losses: &mut Losses) {
    let mut defined: IndexSet<String> = tools.iter().map(|tool| tool.name.clone()).collect();
    for turn in turns {
        for call in turn.calls() {
            if !defined.insert(call.name.clone()) {
                continue;
            }
            let reason = format!(
                "`{}` is called but not defined; a definition that accepts any arguments is added",
                call.name
            );
            losses.message(Change::ToolAdded, turn.at.unwrap_or_default(), reason);
            tools.push(Tool { name: call.name.clone(), ..Tool::default() });
        }
    }
}

/// Reads definitions, makes them legal and names them.
pub(super) fn define(
    given: &[Object],
    provider: Provider,
    losses: &mut Losses,
) -> (Vec<Tool>, Names) {
    let demands = provider.demands();
    let mut tools: Vec<(usize, Tool, Shape)> = Vec::new();
    let mut seen: IndexMap<String, &Json> = IndexMap::default();
    let mut room = schema::MAX_INLINED_BYTES;
    let listed: Vec<(usize, Json)> = given
        .iter()
        .enumerate()
        .flat_map(|(at, object)| listed(object).into_iter().map(move |tool| (at, tool)))
        .collect();
    for (at, definition) in &listed {
        let (at, Some(object)) = (*at, definition.as_object()) else { continue };
        let Some((tool, shape)) = read(object, at, provider, &mut room, losses) else { continue };
        match seen.get(&tool.name) {
            Some(other) if *other == definition => {
                let reason = format!("the tool `{}` is defined twice", tool.name);
                losses.tool(Change::DuplicateTool, at, reason);
            }
            Some(_) => {
                let reason = format!("an earlier tool has the name `{}`", tool.name);
                losses.tool(Change::ConflictingTool, at, reason);
            }
            None if tools.len() >= demands.most_tools => {
                let (name, most) = (losses.provider(), demands.most_tools);
                let reason = format!("`{name}` accepts {most} tools; `{}` is omitted", tool.name);
                losses.tool(Change::TooManyTools, at, reason);
            }
            None => {
                seen.insert(tool.name.clone(), definition);
                tools.push((at, tool, shape));
            }
        }
    }
    let mut names = Names {
        token: demands.tool_name,
        given: seen.keys().cloned().collect(),
        ..Names::default()
    };
    for (at, tool, shape) in &mut tools {
        let given = tool.name.clone();
        if tool.own.is_none() {
            let sent = names.legal(&given, |sent| {
                let reason = format!("the tool `{given}` is sent under the name `{sent}`");
                losses.tool(Change::ToolNameRewritten, *at, reason);
            });
            tool.name = sent.to_owned();
        }
        if !shape.is_plain() {
            names.shapes.insert(given, std::mem::take(shape));
        }
    }
    (tools.into_iter().map(|(_, tool, _)| tool).collect(), names)
}

/// Returns the definitions of an entry. Gemini lists several in one.
fn listed(object: &Object) -> Vec<Json> {
    let lists = ["functionDeclarations", "function_declarations"];
    let Some(list) = lists.iter().find_map(|key| object.get(key)?.as_array()) else {
        return vec![Json::Object(object.clone())];
    };
    let mut rest = object.clone();
    rest.retain(|key, _| !lists.contains(&key.as_str()));
    let rest = (!rest.is_empty()).then_some(Json::Object(rest));
    list.iter().cloned().chain(rest).collect()
}

/// The names of tools in the payload, and the conversions of their arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Names {
    token: Option<Token>,
    given: IndexSet<String>,
    sent: IndexMap<String, String>,
    /// The names in `sent`, and those that were tried.
    taken: IndexSet<String>,
    tried: Tried,
    shapes: IndexMap<String, Shape>,
}

impl Names {
    /// Sets the name and the arguments of each call to those of its tool in the payload.
    pub fn name_calls(&mut self, turns: &mut [Turn], losses: &mut Losses) {
        for turn in turns {
            let at = turn.at.unwrap_or_default();
            for block in &mut turn.blocks {
                match &mut block.item.part {
                    Part::ToolCall(call) => {
                        if let Some(shape) = self.shapes.get(&call.name) {
                            shape_call(shape, &call.name, &mut call.arguments, at, losses);
                        }
                        let sent = self.legal(&call.name, |_| {});
                        if sent != call.name {
                            let given = &call.name;
                            let reason =
                                format!("the call of `{given}` is sent under the name `{sent}`");
                            losses.message(Change::ToolNameRewritten, at, reason);
                            call.name = sent.to_owned();
                        }
                    }
                    Part::ToolResult(answer) if !answer.tool_name.is_empty() => {
                        let sent = self.legal(&answer.tool_name, |_| {});
                        if sent != answer.tool_name {
                            answer.tool_name = sent.to_owned();
                        }
                    }
                    Part::ToolResult(_)
                    | Part::Text(_)
                    | Part::Media(_)
                    | Part::Reasoning(_)
                    | Part::Refusal(_)
                    | Part::Own(_) => {}
                }
            }
        }
    }

    /// Returns the name of a tool of the prompt in the payload; nothing for an unknown tool.
    pub fn of_tool(&self, given: &str) -> Option<&str> {
        let known = self.given.get(given)?;
        Some(self.sent.get(given).unwrap_or(known))
    }

    /// Returns a call of a model with the original name and arguments of the tool.
    pub fn restored(&self, sent: &str, arguments: Json) -> (String, Json) {
        let given = self.sent.iter().find(|(_, name)| *name == sent).map(|(given, _)| given);
        let given = given.cloned().unwrap_or_else(|| sent.to_owned());
        match self.shapes.get(&given) {
            None => (given, arguments),
            Some(shape) => {
                let arguments = shape.restored(arguments);
                (given, arguments)
            }
        }
    }

    /// Returns the tools whose calls differ from the definition.
    pub fn renamed(&self) -> Vec<Renamed> {
        let differs = |(given, sent): &(&String, &String)| {
            given != sent || self.shapes.contains_key(given.as_str())
        };
        let renamed = |(given, sent): (&String, &String)| {
            let shape = self.shapes.get(given).cloned().unwrap_or_default();
            let property = |(given, sent)| RenamedProperty { given, sent };
            Renamed {
                given: given.clone(),
                sent: sent.clone(),
                wrapped: shape.wrapped,
                properties: shape.properties.into_iter().map(property).collect(),
            }
        };
        self.sent.iter().filter(differs).map(renamed).collect()
    }

    fn legal(&mut self, name: &str, note: impl FnOnce(&str)) -> &str {
        let place = match self.sent.get_index_of(name) {
            Some(place) => place,
            None => self.name(name, note),
        };
        self.sent.get_index(place).map_or("", |(_, sent)| sent)
    }

    /// Finds a name for a tool and returns its position.
    fn name(&mut self, name: &str, note: impl FnOnce(&str)) -> usize {
        let sent = match self.token {
            Some(token) if !token.allows(name) => {
                let (given, taken) = (&self.given, &self.taken);
                let taken = |sent: &str| taken.contains(sent) || given.contains(sent);
                let sent = token.nearest(name, &mut self.tried, taken);
                note(&sent);
                sent
            }
            Some(_) | None => name.to_owned(),
        };
        self.taken.insert(sent.clone());
        self.sent.insert_full(name.to_owned(), sent).0
    }
}

/// Converts the arguments of a call to the schema of its tool in the payload.
fn shape_call(
    shape: &Shape,
    name: &str,
    arguments: &mut Arguments,
    at: usize,
    losses: &mut Losses,
) {
    let value = match &*arguments {
        Arguments::Value(value) => value.clone(),
        Arguments::Text(text) => match Json::parse(text) {
            Ok(value) => value,
            Err(_) => return,
        },
    };
    let change = if shape.wrapped { Change::ArgumentsWrapped } else { Change::PropertyRenamed };
    let reason = format!("the arguments of `{name}` are changed like the schema of its tool");
    losses.message(change, at, reason);
    let sent = shape.sent(value);
    *arguments = match arguments {
        Arguments::Value(_) => Arguments::Value(sent),
        Arguments::Text(_) => Arguments::Text(sent.to_string().into()),
    };
}

/// The maximum length of a tool name in messages: longer than any provider accepts.
const LONGEST_SHOWN: usize = 200;
/// The position of the schema in a definition.
const SCHEMAS: [&str; 5] =
    ["parameters", "input_schema", "inputSchema", "parametersJsonSchema", "schema"];
/// Keys of the Model Context Protocol that describe a tool for people and hosts.
const FOR_HOSTS: [&str; 7] =
    ["title", "annotations", "outputSchema", "output_schema", "_meta", "icons", "execution"];
/// Keys that only Anthropic knows.
const ANTHROPIC: [&str; 4] =
    ["defer_loading", "allowed_callers", "input_examples", "eager_input_streaming"];

/// Reads a definition as chat completions write it, as a bare function, or as one of the tools
/// that a provider runs itself.
fn read(
    object: &Object,
    at: usize,
    provider: Provider,
    room: &mut usize,
    losses: &mut Losses,
) -> Option<(Tool, Shape)> {
    let kind = object.get("type").and_then(Json::as_str);
    let inner = |key: &str| object.get(key).and_then(Json::as_object);
    let function = inner("function").or_else(|| inner("toolSpec"));
    if function.is_none()
        && let Some((owner, own)) = owned(object, kind)
    {
        return own_tool(own, owner, at, provider, losses).map(|tool| (tool, Shape::default()));
    }
    if function.is_some() {
        note_keys(object, &["type", "function", "toolSpec", "cache_control", "cache"], at, losses);
    }
    let outer = object;
    let function = function.unwrap_or(object);
    let Some(name) = function.get("name").and_then(Json::as_str).filter(|name| !name.is_empty())
    else {
        losses.tool(Change::MalformedTool, at, "a tool without a name cannot be called");
        return None;
    };
    let schema_key = SCHEMAS.into_iter().find(|key| function.contains_key(key));
    let given = schema_key.and_then(|key| function.get(key));
    let rules = provider.demands().schema;
    let (schema, shape) = schema_of(name, given, at, &rules, room, losses)?;
    let strict = function.get("strict").and_then(Json::as_bool);
    let description = function.get("description").and_then(Json::as_str).map(str::to_owned);
    let mut more = Object::default();
    if provider == Provider::Anthropic {
        let own = function.iter().filter(|(key, _)| ANTHROPIC.contains(&key.as_str()));
        more.extend(own.map(|(key, value)| (key.clone(), value.clone())));
    }
    let mut known = vec!["type", "name", "cache_control", "cache"];
    known.extend(FOR_HOSTS);
    known.extend(schema_key);
    known.extend(strict.map(|_| "strict"));
    known.extend(description.as_ref().map(|_| "description"));
    known.extend(more.keys().map(String::as_str));
    note_keys(function, &known, at, losses);
    let marked = |object: &Object| {
        let has = object.contains_key("cache_control") || object.contains_key("cache");
        has.then(|| part::cache_mark(&Json::Object(object.clone()))).flatten()
    };
    let cache = marked(function).or_else(|| marked(outer));
    let mut tool =
        Tool { name: name.to_owned(), description, schema, strict, cache, more, own: None };
    if tool.cache.is_some() && provider.demands().cache_marks == 0 {
        tool.cache = None;
        let reason = format!("`{}` has no cache marks", losses.provider());
        losses.tool(Change::CacheMarkDropped, at, reason);
    }
    strictly(&mut tool, rules.strict, rules.checked, at, losses);
    Some((tool, shape))
}

/// Returns the schema of a tool in the form of the provider; `None` for a tool that is dropped.
fn schema_of(
    name: &str,
    given: Option<&Json>,
    at: usize,
    rules: &SchemaRules,
    room: &mut usize,
    losses: &mut Losses,
) -> Option<(Option<Json>, Shape)> {
    let Some(given) = given.filter(|schema| !schema.is_null()) else {
        return Some((None, Shape::default()));
    };
    // Bedrock puts the schema under one more key
    let schema = match given.as_object() {
        Some(object) if object.len() == 1 => object.get("json").unwrap_or(given),
        Some(_) | None => given,
    };
    let Json::Object(schema) = schema else {
        let reason = format!("the schema of `{name}` is {}, not an object", schema.kind());
        losses.tool(Change::MalformedTool, at, reason);
        return None;
    };
    // an unbounded name would be repeated for each part of the schema
    let shown: String = name.chars().take(LONGEST_SHOWN).collect();
    let mut note = |change: Change, what: &str| {
        losses.tool(change, at, format!("the schema of `{shown}` {what}"));
    };
    let legal = schema::legal(schema, rules, room, &mut note);
    Some((legal.schema, legal.shape))
}

/// Sets `strict` if the provider supports it.
fn strictly(tool: &mut Tool, rules: StrictRules, checked: bool, at: usize, losses: &mut Losses) {
    if tool.strict != Some(true) || !checked {
        return;
    }
    let none = no_parameters();
    let closed = strict::strict(tool.schema.as_ref().unwrap_or(&none), rules);
    let Some(closed) = closed else {
        tool.strict = match rules {
            StrictRules::None => None,
            StrictRules::AllRequired | StrictRules::Closed => Some(false),
        };
        let why = match rules {
            StrictRules::None => "the provider has no `strict`",
            StrictRules::AllRequired => "its schema does not have what `strict` requires",
            StrictRules::Closed => "its schema has keywords that `strict` does not allow",
        };
        let reason =
            format!("`{}` gets `{}` without `strict`: {why}", losses.provider(), tool.name);
        losses.tool(Change::StrictDropped, at, reason);
        return;
    };
    if tool.schema.as_ref() != Some(&closed) {
        let reason = format!(
            "the schema of `{}` gets `additionalProperties: false`, as `strict` requires",
            tool.name
        );
        losses.tool(Change::SchemaRewritten, at, reason);
        tool.schema = Some(closed);
    }
}

/// Returns the provider that runs a tool itself, and the definition of the tool.
fn owned<'a>(object: &'a Object, kind: Option<&str>) -> Option<(Provider, &'a Object)> {
    if kind == Some("provider") {
        let name = object.get("provider")?.as_str()?;
        let provider = Provider::ALL.iter().copied().find(|known| known.as_str() == name)?;
        return Some((provider, object.get("value")?.as_object()?));
    }
    let gemini = [
        "googleSearch",
        "google_search",
        "codeExecution",
        "code_execution",
        "urlContext",
        "url_context",
        "googleMaps",
        "googleSearchRetrieval",
        "fileSearch",
        "computerUse",
        "enterpriseWebSearch",
    ];
    let Some(kind) = kind else {
        let own = !object.contains_key("name") && gemini.iter().any(|key| object.contains_key(key));
        return own.then_some((Provider::Gemini, object));
    };
    let dated = kind.rsplit_once('_').is_some_and(|(_, date)| {
        date.len() == 8 && date.bytes().all(|digit| digit.is_ascii_digit())
    });
    if dated || kind == "mcp_toolset" {
        return Some((Provider::Anthropic, object));
    }
    let has_schema = SCHEMAS.iter().any(|key| object.contains_key(key));
    match kind {
        "function" => None,
        "custom" if object.contains_key("custom") => Some((Provider::OpenaiChat, object)),
        "custom" if object.contains_key("format") && !has_schema => {
            Some((Provider::OpenaiResponses, object))
        }
        "custom" => None,
        _ if has_schema => None,
        _ => Some((Provider::OpenaiResponses, object)),
    }
}

/// Keeps a tool that a provider runs unchanged for that provider, and drops it for others.
fn own_tool(
    definition: &Object,
    owner: Provider,
    at: usize,
    provider: Provider,
    losses: &mut Losses,
) -> Option<Tool> {
    let kind = definition.get("type").and_then(Json::as_str);
    let first = definition.keys().next().map_or("", String::as_str);
    let kind = kind.unwrap_or(first);
    if owner != provider && provider != Provider::Neutral {
        let reason = format!("a tool of type `{kind}` belongs to `{}`", owner.as_str());
        losses.tool(Change::ForeignTool, at, reason);
        return None;
    }
    let custom = definition.get("custom").and_then(|custom| custom.get("name"));
    let name = definition.get("name").or(custom).and_then(Json::as_str).unwrap_or(kind);
    let own = Some(Json::Object(definition.clone()));
    Some(Tool { name: name.to_owned(), own, ..Tool::default() })
}

fn note_keys(object: &Object, known: &[&str], at: usize, losses: &mut Losses) {
    for key in unknown_keys(Some(object), known) {
        let reason = format!("`{}` does not take the key `{key}` of a tool", losses.provider());
        losses.tool(Change::KeyDropped, at, reason);
    }
}

/// Returns the schema of a tool without arguments.
pub(super) fn no_parameters() -> Json {
    Json::from([("type", Json::from("object")), ("properties", Json::Object(Object::default()))])
}
