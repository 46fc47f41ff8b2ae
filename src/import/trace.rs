//! Requests out of spans and log records: the AI SDK's own attributes, OpenInference, the gen_ai
//! conventions in their generations, and Traceloop's numbered attributes.

use super::body;
use super::message::{message, messages};
use super::model::{Draft, Kind, Message, Origin, Part, Role, Tool, Usage, What};
use super::otlp::Record;
use super::parts::{opened_parts, parts};
use super::pick::{self, count, list, opened, some, text};
use super::tools::tools;
use crate::value::json::{Json, Object};
use std::collections::BTreeMap;

const NO_TOOLS: &str =
    "the trace has no tool definitions, only the names of tools that were called";

/// A request that a trace holds, and the span it belongs to.
#[derive(Debug)]
pub struct Traced {
    /// The request.
    pub draft: Draft,
    /// The id of its span.
    pub span: Option<String>,
}

/// The requests of a trace in the order they began.
pub fn requests(records: &[Record]) -> Vec<Traced> {
    let mut found: Vec<Traced> = Vec::new();
    let mut empty: Vec<Traced> = Vec::new();
    for record in records {
        if let Some(draft) = request(record) {
            // an event that repeats what its span holds is the same request
            let known = found.iter().any(|there| there.span.is_some() && there.span == record.span);
            if !known {
                found.push(Traced { draft, span: record.span.clone() });
            }
        } else if is_call(record) {
            empty.push(Traced { draft: without_content(record), span: record.span.clone() });
        }
    }
    found.extend(from_events(records, &found));
    for traced in &mut found {
        if let Some(span) = traced.span.as_deref()
            && let Some(bare) = empty.iter().find(|bare| bare.span.as_deref() == Some(span))
        {
            fill(&mut traced.draft, &bare.draft);
        }
        if below_a_tool(records, traced.span.as_deref()) {
            traced.draft.kind = Some(Kind::Sub);
        }
    }
    if found.is_empty() {
        let tooled = empty.iter().any(|bare| {
            bare.draft.uses_tools() || bare.draft.unknown.iter().any(|u| u.what == What::ToolCalls)
        });
        for bare in &mut empty {
            if tooled {
                for what in [What::Tools, What::ToolCalls, What::ToolResults] {
                    bare.draft
                        .lacks(what, "the trace shows that tools were called, but no content");
                }
            }
        }
        found = empty;
    }
    found.sort_by_key(|traced| traced.draft.at.unwrap_or(i64::MAX));
    whole_answers(&mut found);
    follow_on(&mut found);
    found
}

/// Some writers leave the text out of an answer with calls when they repeat it as history; the
/// request that got the answer has it.
fn whole_answers(found: &mut [Traced]) {
    for at in 1..found.len() {
        let (earlier, rest) = found.split_at_mut(at);
        let Some(traced) = rest.first_mut() else { continue };
        let mut follows = false;
        for message in &mut traced.draft.messages {
            let goes_on = std::mem::replace(&mut follows, message.role == Role::Assistant);
            let spoken = goes_on || message.parts.iter().any(|part| matches!(part, Part::Text(_)));
            let Some(call) = message.parts.iter().find_map(id_of_call).filter(|_| !spoken) else {
                continue;
            };
            let answer = earlier.iter().rev().map(|earlier| &earlier.draft.output).find(|output| {
                output.iter().filter_map(id_of_call).any(|id| id == call)
                    && output.iter().any(|part| matches!(part, Part::Text(_)))
            });
            if let Some(answer) = answer {
                message.parts.clone_from(answer);
            }
        }
    }
}

fn id_of_call(part: &Part) -> Option<String> {
    match part {
        Part::Call { id, .. } => id.clone(),
        Part::Text(_)
        | Part::Reasoning { .. }
        | Part::Result { .. }
        | Part::Image(_)
        | Part::File(_)
        | Part::Unknown(_) => None,
    }
}

/// Requests that name an earlier response hold only what is new, and a trace does not keep the
/// name. One that begins with the result of a call shows that this is so; then the requests with
/// the same system prompt are taken to follow each other.
fn follow_on(found: &mut [Traced]) {
    let responses =
        |draft: &Draft| draft.response_id.as_deref().is_some_and(|id| id.starts_with("resp_"));
    let begins_with_result =
        |draft: &Draft| draft.messages.first().is_some_and(|first| first.role == Role::Tool);
    if !found.iter().any(|traced| responses(&traced.draft) && begins_with_result(&traced.draft)) {
        return;
    }
    for at in 1..found.len() {
        let (earlier, rest) = found.split_at_mut(at);
        let Some(traced) = rest.first_mut() else { continue };
        let draft = &mut traced.draft;
        let answered = draft.messages.iter().any(|message| message.role == Role::Assistant);
        if answered || !responses(draft) {
            continue;
        }
        let before = earlier.iter().rev().find(|before| {
            before.draft.system == draft.system
                && before.draft.model == draft.model
                && before.draft.kind == draft.kind
        });
        let Some(before) = before else { continue };
        let mut all = before.draft.messages.clone();
        let output = before.draft.output.clone();
        all.push(Message {
            role: Role::Assistant,
            parts: output,
            origin: before.draft.origin.clone(),
        });
        all.append(&mut draft.messages);
        draft.messages = all;
        draft.lacks(
            What::Order,
            "the trace does not name the earlier response; requests with the same system prompt are taken to follow each other",
        );
    }
}

fn fill(draft: &mut Draft, bare: &Draft) {
    if draft.model.is_none() {
        draft.model.clone_from(&bare.model);
    }
    if draft.usage == Usage::default() {
        draft.usage = bare.usage;
    }
    draft.at = draft.at.or(bare.at);
}

/// True when some span above is the run of a tool.
fn below_a_tool(records: &[Record], span: Option<&str>) -> bool {
    let mut next = span;
    for _ in 0..64 {
        let Some(id) = next else { return false };
        let Some(record) = records.iter().find(|r| !r.is_log && r.span.as_deref() == Some(id))
        else {
            return false;
        };
        if record.name.starts_with("execute_tool")
            || record.name == "ai.toolCall"
            || record.text("gen_ai.operation.name") == Some("execute_tool")
            || record.text("openinference.span.kind") == Some("TOOL")
            || record.text("traceloop.span.kind") == Some("tool")
        {
            return true;
        }
        next = record.parent.as_deref();
    }
    false
}

/// True for a span of a call to a model.
fn is_call(record: &Record) -> bool {
    if record.is_log {
        return false;
    }
    match record.text("gen_ai.operation.name") {
        Some(name) => matches!(name, "chat" | "generate_content" | "text_completion" | "responses"),
        None => {
            record.text("openinference.span.kind") == Some("LLM")
                || record.text("llm.request.type").is_some()
                || record.get("gen_ai.request.model").is_some()
                    && record.get("gen_ai.agent.name").is_none()
        }
    }
}

/// What is known of every request of a span.
fn base(record: &Record) -> Draft {
    let number = |keys: &[&str]| keys.iter().find_map(|key| record.get(key).and_then(count));
    let model = ["gen_ai.request.model", "ai.model.id", "llm.model_name", "gen_ai.response.model"]
        .iter()
        .find_map(|key| record.text(key));
    Draft {
        model: model.map(str::to_owned),
        at: record.start,
        origin: record.origin.clone(),
        agent: record.text("gen_ai.agent.name").map(str::to_owned),
        response_id: record
            .text("gen_ai.response.id")
            .or_else(|| record.text("ai.response.id"))
            .map(str::to_owned),
        usage: Usage {
            input: number(&[
                "gen_ai.usage.input_tokens",
                "gen_ai.usage.prompt_tokens",
                "ai.usage.inputTokens",
                "ai.usage.promptTokens",
                "llm.token_count.prompt",
            ]),
            output: number(&[
                "gen_ai.usage.output_tokens",
                "gen_ai.usage.completion_tokens",
                "ai.usage.outputTokens",
                "ai.usage.completionTokens",
                "llm.token_count.completion",
            ]),
            cached: number(&[
                "gen_ai.usage.cache_read.input_tokens",
                "gen_ai.usage.cache_read_input_tokens",
                "ai.usage.cachedInputTokens",
                "llm.token_count.prompt_details.cache_read",
            ]),
        },
        ..Draft::default()
    }
}

fn request(record: &Record) -> Option<Draft> {
    let mut draft = ai_sdk(record)
        .or_else(|| open_inference(record))
        .or_else(|| gen_ai(record))
        .or_else(|| numbered(record))?;
    draft.lead_system();
    let google = ["ai.model.provider", "gen_ai.provider.name", "gen_ai.system"].iter().any(|key| {
        record.text(key).is_some_and(|name| name.contains("google") || name.contains("gemini"))
    });
    if record.scope == "ai" && google {
        draft.api = Some(body::GEMINI);
        super::parts::wrap_for_google(&mut draft.messages);
        if draft.tools.as_ref().is_some_and(|tools| !tools.is_empty()) {
            draft.lacks(
                What::ToolSchemas,
                "the AI SDK converts schemas for Google; the trace has them from before",
            );
        }
    }
    if draft.tools.is_none() && draft.uses_tools() {
        let mut all: Vec<Tool> = super::model::called(&draft.messages);
        let output = Message {
            role: Role::Assistant,
            parts: draft.output.clone(),
            origin: Origin::default(),
        };
        for tool in super::model::called([&output]) {
            if !all.contains(&tool) {
                all.push(tool);
            }
        }
        draft.tools = Some(all);
        for what in [What::Tools, What::ToolDescriptions, What::ToolSchemas] {
            draft.lacks(what, NO_TOOLS);
        }
    }
    Some(draft)
}

/// The inner spans of AI SDK 5, and of 7 with its older telemetry.
fn ai_sdk(record: &Record) -> Option<Draft> {
    let prompt = opened(record.get("ai.prompt.messages")?).into_owned();
    let mut draft = base(record);
    draft.messages = messages(prompt.as_array()?, &record.origin.at("ai.prompt.messages"));
    draft.tools = Some(record.get("ai.prompt.tools").map(tools).unwrap_or_default());
    if let Some(words) = record.text("ai.response.reasoning").filter(|words| !words.is_empty()) {
        draft.output.push(Part::Reasoning { text: words.to_owned(), sealed: None });
    }
    if let Some(words) = record.text("ai.response.text").filter(|words| !words.is_empty()) {
        draft.output.push(Part::Text(words.to_owned()));
    }
    if let Some(calls) = record.get("ai.response.toolCalls") {
        draft
            .output
            .extend(opened(calls).as_array().unwrap_or(&[]).iter().filter_map(super::parts::call));
    }
    draft.api = record.text("ai.model.provider").and_then(api_of);
    Some(draft)
}

fn api_of(provider: &str) -> Option<&'static str> {
    match provider {
        _ if provider.starts_with("openai.responses") => Some(body::RESPONSES),
        _ if provider.starts_with("openai") => Some(body::CHAT),
        _ if provider.starts_with("anthropic") => Some(body::ANTHROPIC),
        _ if provider.starts_with("google") => Some(body::GEMINI),
        _ => None,
    }
}

/// OpenInference: the request as JSON in `input.value`, else its flattened copy.
fn open_inference(record: &Record) -> Option<Draft> {
    if record.text("openinference.span.kind")? != "LLM" {
        return None;
    }
    let origin = record.origin.at("input.value");
    let input = record.get("input.value").map(opened);
    let mut draft = match input.as_deref() {
        Some(value) if body::api(value).is_some() && value.get("lc").is_none() => {
            let mut found = body::draft(value, &origin);
            if body::api(value) != Some(body::GEMINI) && value.get("tools").is_none() {
                found.tools = None;
            }
            let known = base(record);
            Draft {
                at: known.at,
                usage: known.usage,
                model: known.model.or(found.model.take()),
                response_id: known.response_id,
                origin: record.origin.clone(),
                ..found
            }
        }
        Some(value) if !list(value, "messages").is_empty() => {
            let mut draft = base(record);
            let spoken = list(value, "messages");
            // LangChain batches prompts: a list of lists
            let spoken = spoken.first().and_then(Json::as_array).unwrap_or(spoken);
            draft.messages = messages(spoken, &origin.at("messages").at(0));
            draft
        }
        Some(_) | None => {
            let mut draft = base(record);
            draft.messages = flattened(record, "llm.input_messages");
            draft
        }
    };
    if draft.tools.as_ref().is_none_or(Vec::is_empty) {
        let listed: Vec<Json> = numbered_values(record, "llm.tools.")
            .into_values()
            .filter_map(|tool| {
                tool.get("tool.json_schema").map(|schema| opened(schema).into_owned())
            })
            .collect();
        let params = record.get("llm.invocation_parameters").map(opened);
        let found = if listed.is_empty() {
            params.as_deref().and_then(|params| params.get("tools")).map(tools).unwrap_or_default()
        } else {
            tools(&Json::Array(listed))
        };
        draft.tools = Some(found);
    }
    let output = record.get("output.value").map(opened);
    if let Some(value) = output.as_deref() {
        if let Some(made) =
            list(value, "generations").first().and_then(Json::as_array).and_then(<[Json]>::first)
        {
            if let Some(said) = made.get("message") {
                draft.output =
                    message(said, &record.origin).into_iter().flat_map(|m| m.parts).collect();
            }
        } else {
            let usage = draft.usage;
            body::answer(value, &mut draft);
            if usage != Usage::default() {
                draft.usage = usage;
            }
        }
    }
    if draft.output.is_empty() {
        draft.output =
            flattened(record, "llm.output_messages").into_iter().flat_map(|m| m.parts).collect();
    }
    Some(draft)
}

/// OpenInference's copy of the messages in numbered attributes.
fn flattened(record: &Record, prefix: &str) -> Vec<Message> {
    let mut out = Vec::new();
    for (at, entry) in numbered_values(record, &format!("{prefix}.")) {
        let entry = nested(&entry, "message.");
        let origin = record.origin.at(prefix).at(at);
        let role = text(&entry, "role").and_then(Role::read).unwrap_or(Role::User);
        let mut found: Vec<Part> = Vec::new();
        if let Some(content) = some(&entry, "content") {
            found.extend(parts(content));
        }
        for block in list(&entry, "contents") {
            let block = block.get("message_content").unwrap_or(block);
            if let Some(image) = pick::deep_text(block, &["image", "image", "url"]) {
                found.extend(super::parts::media(&Json::from([("type", "image"), ("url", image)])));
            } else if text(block, "type") != Some("tool_use") {
                found.extend(super::parts::part(block));
            }
        }
        for call in list(&entry, "tool_calls") {
            found.extend(super::parts::call(call.get("tool_call").unwrap_or(call)));
        }
        if role == Role::Tool {
            let id = text(&entry, "tool_call_id").map(str::to_owned);
            let content = entry.get("content").cloned().unwrap_or_default();
            out.push(Message::one(role, Part::Result { id, content, is_error: false }, origin));
        } else {
            out.push(Message { role, parts: found, origin });
        }
    }
    out
}

/// The gen_ai conventions: lists of messages, as JSON text or as structures.
fn gen_ai(record: &Record) -> Option<Draft> {
    let operation = record.text("gen_ai.operation.name").unwrap_or("chat");
    if !matches!(operation, "chat" | "generate_content" | "text_completion" | "responses") {
        return None;
    }
    let input = record.get("gen_ai.input.messages").map(opened);
    let output = record.get("gen_ai.output.messages").map(opened);
    if input.is_none() && output.is_none() {
        return None;
    }
    let mut draft = base(record);
    if let Some(system) = record.get("gen_ai.system_instructions") {
        draft.system.extend(body::texts(&opened(system)));
    }
    match input.as_deref().and_then(Json::as_array) {
        Some(items) => {
            draft.messages = messages(items, &record.origin.at("gen_ai.input.messages"));
            let silent = items.iter().any(|item| {
                matches!(text(item, "role"), Some("user" | "system"))
                    && item.get("parts").is_some()
                    && list(item, "parts").is_empty()
            });
            if silent {
                draft.lacks(
                    What::Messages,
                    "the trace lost the content of a user turn with several parts",
                );
                draft.lacks(
                    What::Images,
                    "the trace lost the content of a user turn with several parts",
                );
            }
        }
        None => {
            if draft.system.is_empty() {
                draft.lacks(What::System, "the trace lost the input of this request");
            }
            draft.lacks(What::Messages, "the trace lost the input of this request");
            draft.lacks(
                What::Images,
                "the trace lost the input of this request, as it does for turns with pictures",
            );
        }
    }
    if let Some(items) = output.as_deref().and_then(Json::as_array) {
        draft.output = messages(items, &record.origin).into_iter().flat_map(|m| m.parts).collect();
    }
    draft.tools = record.get("gen_ai.tool.definitions").map(|defined| tools(&opened(defined)));
    if record.scope.ends_with(".langchain") {
        for message in &mut draft.messages {
            blocks_in_text(&mut message.parts);
        }
        blocks_in_text(&mut draft.output);
    }
    let chat = record.text("gen_ai.provider.name") == Some("openai")
        && record.text("openai.api.type") != Some("responses");
    if chat {
        for message in &mut draft.messages {
            text_first(&mut message.parts);
        }
        text_first(&mut draft.output);
    }
    Some(draft)
}

/// Over LangChain a block that the writer does not know stands as its JSON in a text part.
fn blocks_in_text(parts: &mut Vec<Part>) {
    let mut out: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts.drain(..) {
        let block = match &part {
            Part::Text(text) => pick::open(text).filter(text_of_type),
            _ => None,
        };
        let read = match block {
            Some(block) => super::parts::part(&block),
            None => vec![part],
        };
        for part in read {
            let id = id_of_call(&part);
            let known = id.is_some() && out.iter().any(|there| id_of_call(there) == id);
            if !known {
                out.push(part);
            }
        }
    }
    *parts = out;
}

fn text_of_type(block: &Json) -> bool {
    matches!(
        text(block, "type"),
        Some(
            "thinking"
                | "redacted_thinking"
                | "reasoning"
                | "tool_use"
                | "function_call"
                | "image"
                | "image_url"
        )
    )
}

/// In a chat message the text stands before the calls, in whatever order a writer lists them.
fn text_first(parts: &mut [Part]) {
    parts.sort_by_key(|part| matches!(part, Part::Call { .. }));
}

/// Traceloop before 0.50: every field an attribute with its position in its name.
fn numbered(record: &Record) -> Option<Draft> {
    let prompts = numbered_values(record, "gen_ai.prompt.");
    let answers = numbered_values(record, "gen_ai.completion.");
    if prompts.is_empty() && answers.is_empty() {
        return None;
    }
    let mut draft = base(record);
    let mut next = 0;
    for (at, entry) in &prompts {
        if *at != next {
            let why = "the trace skips a message, as it does for turns with pictures";
            draft.lacks(What::Messages, why);
            draft.lacks(What::Images, why);
        }
        next = at + 1;
        draft.messages.extend(numbered_message(entry, &record.origin.at("gen_ai.prompt").at(at)));
    }
    let open_end = draft.messages.last().is_none_or(|last| {
        last.role == Role::System
            || last.role == Role::Assistant
                && !last.parts.iter().any(|part| matches!(part, Part::Call { .. }))
    });
    if open_end {
        let why = "the trace has no user turn before the answer, as it loses turns with pictures";
        draft.lacks(What::Messages, why);
        draft.lacks(What::Images, why);
    }
    for entry in answers.values() {
        let said = numbered_message(entry, &record.origin);
        draft.output.extend(said.into_iter().flat_map(|m| m.parts));
    }
    let functions: Vec<Json> = numbered_values(record, "llm.request.functions.")
        .into_values()
        .map(|entry| nested(&entry, ""))
        .collect();
    draft.tools = Some(tools(&Json::Array(functions)));
    Some(draft)
}

fn numbered_message(entry: &Object, origin: &Origin) -> Vec<Message> {
    let entry = nested(entry, "");
    let role = text(&entry, "role").unwrap_or("user");
    let content = entry.get("content").unwrap_or(&Json::Null);
    if role == "thinking" {
        let words = content.as_str().unwrap_or("").to_owned();
        return vec![Message::one(
            Role::Assistant,
            Part::Reasoning { text: words, sealed: None },
            origin.clone(),
        )];
    }
    let role = Role::read(role).unwrap_or(Role::User);
    if role == Role::Tool {
        let id = text(&entry, "tool_call_id").map(str::to_owned);
        let (content, _) = super::parts::result_content(content);
        return vec![Message::one(
            role,
            Part::Result { id, content, is_error: false },
            origin.clone(),
        )];
    }
    let mut found = opened_parts(content);
    for call in list(&entry, "tool_calls") {
        let Some(call) = super::parts::call(call) else { continue };
        let known = found.iter().any(|there| match (there, &call) {
            (Part::Call { id: a, .. }, Part::Call { id: b, .. }) => a == b,
            _ => false,
        });
        if !known {
            found.push(call);
        }
    }
    super::message::split(role, found, origin)
}

/// The attributes under `prefix` by the number that follows it, in the order of the numbers.
fn numbered_values(record: &Record, prefix: &str) -> BTreeMap<usize, Object> {
    let mut out: BTreeMap<usize, Object> = BTreeMap::new();
    for (key, value) in &record.attributes {
        let Some((number, rest)) = key.strip_prefix(prefix).and_then(|rest| rest.split_once('.'))
        else {
            continue;
        };
        let Ok(number) = number.parse::<usize>() else { continue };
        out.entry(number).or_default().insert(rest.to_owned(), value.clone());
    }
    out
}

/// Attributes with dots in their names as nested objects and lists.
fn nested(entry: &Object, strip: &str) -> Json {
    let mut root = Json::Object(Object::default());
    for (key, value) in entry {
        let key = key.strip_prefix(strip).unwrap_or(key);
        put(&mut root, key, value.clone());
    }
    lists(root)
}

fn put(target: &mut Json, key: &str, value: Json) {
    let Json::Object(object) = target else { return };
    match key.split_once('.') {
        None => {
            object.insert(key.to_owned(), value);
        }
        Some((first, rest)) => {
            let inner =
                object.entry(first.to_owned()).or_insert_with(|| Json::Object(Object::default()));
            put(inner, rest, value);
        }
    }
}

/// Objects whose keys are all numbers are lists in the order of the numbers.
fn lists(value: Json) -> Json {
    let Json::Object(object) = value else { return value };
    let numbers = object.keys().all(|key| key.parse::<usize>().is_ok());
    if numbers && !object.is_empty() {
        let sorted: BTreeMap<usize, Json> = object
            .into_iter()
            .filter_map(|(key, item)| Some((key.parse().ok()?, lists(item))))
            .collect();
        return Json::Array(sorted.into_values().collect());
    }
    Json::Object(object.into_iter().map(|(key, item)| (key, lists(item))).collect())
}

/// A call of which only the frame is there.
fn without_content(record: &Record) -> Draft {
    let mut draft = base(record);
    let why = "the trace was recorded without content";
    draft.lacks(What::System, why);
    draft.lacks(What::Messages, why);
    let reasons =
        record.get("gen_ai.response.finish_reasons").map(Json::to_string).unwrap_or_default();
    if reasons.contains("tool") {
        draft.lacks(What::ToolCalls, why);
    }
    draft
}

/// Requests out of log records with one message each.
fn from_events(records: &[Record], found: &[Traced]) -> Vec<Traced> {
    let mut groups: Vec<Group> = Vec::new();
    for record in records.iter().filter(|record| record.is_log) {
        let Some(kind) = record.name.strip_prefix("gen_ai.") else { continue };
        let kind = kind.strip_suffix(".message").unwrap_or(kind);
        if !matches!(kind, "system" | "user" | "assistant" | "tool" | "choice") {
            continue;
        }
        let known = found.iter().any(|there| there.span.is_some() && there.span == record.span);
        if known {
            continue;
        }
        let choice = kind == "choice";
        let at = groups.iter().rposition(|group| {
            let same = record.span.is_none() || group.span == record.span;
            same && (choice || !group.answered)
        });
        let at = match at {
            Some(at) => at,
            None => {
                groups.push(Group::new(record));
                groups.len() - 1
            }
        };
        if let Some(group) = groups.get_mut(at) {
            group.add(record, kind);
        }
    }
    groups.into_iter().map(Group::traced).collect()
}

struct Group {
    draft: Draft,
    span: Option<String>,
    answered: bool,
}

impl Group {
    fn new(record: &Record) -> Self {
        Self { draft: base(record), span: record.span.clone(), answered: false }
    }

    fn add(&mut self, record: &Record, kind: &str) {
        let body = &record.body;
        if kind == "choice" {
            self.answered = true;
            let said = some(body, "message").unwrap_or(body);
            let mut fields = said.as_object().cloned().unwrap_or_default();
            fields.insert("role".into(), "assistant".into());
            if let Some(calls) = some(body, "tool_calls") {
                fields.insert("tool_calls".into(), calls.clone());
            }
            let said = message(&Json::Object(fields), &record.origin);
            self.draft.output.extend(said.into_iter().flat_map(|m| m.parts));
            return;
        }
        let content = body.get("content");
        if let Some(defined) = content.and_then(|content| content.get("tools")) {
            self.draft.tools = Some(tools(defined));
            return;
        }
        if content.is_none() && body.get("tool_calls").is_none() {
            let what = match kind {
                "system" => What::System,
                "tool" => What::ToolResults,
                _ => What::Messages,
            };
            self.draft.lacks(what, "the trace was recorded without content");
            return;
        }
        let mut fields = body.as_object().cloned().unwrap_or_default();
        fields.insert("role".into(), kind.into());
        self.draft.messages.extend(message(&Json::Object(fields), &record.origin));
    }

    fn traced(mut self) -> Traced {
        self.draft.lead_system();
        if self.draft.tools.is_none() && self.draft.uses_tools() {
            for what in [What::Tools, What::ToolDescriptions, What::ToolSchemas] {
                self.draft.lacks(what, NO_TOOLS);
            }
        }
        Traced { draft: self.draft, span: self.span }
    }
}
