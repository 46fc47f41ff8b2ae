//! Requests from spans and log records: attributes of the AI SDK, OpenInference, all versions of
//! the gen_ai conventions, and numbered attributes of Traceloop.

mod events;
mod gen_ai;
mod numbered;
mod open_inference;
mod span;

pub use span::Traced;

use super::body;
use super::message::messages;
use super::model::{Called, Draft, Kind, Part, Role, UnknownSubject, Usage};
use super::otlp::Record;
use super::pick::opened;
use super::tools::tools;
use crate::value::json::Json;
use crate::value::str_map::StrMap;
use span::{NO_TOOLS, base, id_of_call};

/// Returns the requests of a trace by start time.
pub fn requests(records: &[Record]) -> Vec<Traced> {
    let mut found: Vec<Traced> = Vec::new();
    let mut empty: Vec<Traced> = Vec::new();
    // the spans with requests, and the origins of empty ones
    let (mut known, mut bare) = (StrMap::new(), StrMap::new());
    for record in records {
        let span = record.span.clone();
        if let Some(draft) = request(record) {
            // an event that repeats its span is the same request
            if record.span.as_deref().is_none_or(|span| known.insert_new(span, ())) {
                found.push(Traced { draft, span });
            }
        } else if is_call(record) {
            if let Some(span) = &record.span {
                bare.insert_new(span.as_str(), empty.len());
            }
            empty.push(Traced { draft: without_content(record), span });
        }
    }
    found.extend(events::from_events(records, &known));
    let spans = Spans::of(records);
    for traced in &mut found {
        let Some(span) = traced.span.as_deref() else { continue };
        if let Some(bare) = bare.get(span).and_then(|at| empty.get(*at)) {
            fill(&mut traced.draft, &bare.draft);
        }
        if spans.is_below_a_tool(span) {
            traced.draft.kind = Some(Kind::Sub);
        }
    }
    if found.is_empty() {
        let tooled = empty.iter().any(|bare| {
            bare.draft.uses_tools()
                || bare.draft.unknown.iter().any(|u| u.what == UnknownSubject::ToolCalls)
        });
        for bare in &mut empty {
            if tooled {
                for what in
                    [UnknownSubject::Tools, UnknownSubject::ToolCalls, UnknownSubject::ToolResults]
                {
                    bare.draft.lacks(what, "the trace has tool calls without content");
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

/// Some writers omit the text of an answer with calls when they repeat it as history. It is taken
/// from the request that got the answer.
fn whole_answers(found: &mut [Traced]) {
    // the last earlier request whose answer has a call of that id, and text
    let mut answered: StrMap<usize> = StrMap::new();
    for at in 0..found.len() {
        let (earlier, rest) = found.split_at_mut(at);
        let Some(traced) = rest.first_mut() else { continue };
        let mut follows = false;
        for message in &mut traced.draft.messages {
            let goes_on = std::mem::replace(&mut follows, message.role == Role::Assistant);
            if goes_on || is_spoken(&message.parts) {
                continue;
            }
            let Some(call) = message.parts.iter().find_map(id_of_call) else { continue };
            if let Some(before) = answered.get(&call).and_then(|at| earlier.get(*at)) {
                message.parts.clone_from(&before.draft.output);
            }
        }
        let output = &traced.draft.output;
        if is_spoken(output) {
            for call in output.iter().filter_map(id_of_call) {
                answered.insert(call, at);
            }
        }
    }
}

fn is_spoken(parts: &[Part]) -> bool {
    parts.iter().any(|part| matches!(part, Part::Text(_)))
}

/// A request that names an earlier response has only new messages, and a trace omits that name. If
/// a request starts with the result of a call, requests with the same system prompt are linked.
fn follow_on(found: &mut [Traced]) {
    let responses =
        |draft: &Draft| draft.response_id.as_deref().is_some_and(|id| id.starts_with("resp_"));
    let begins_with_result =
        |draft: &Draft| draft.messages.first().is_some_and(|first| first.role == Role::Tool);
    if !found.iter().any(|traced| responses(&traced.draft) && begins_with_result(&traced.draft)) {
        return;
    }
    // the last earlier request with that system prompt, model and kind
    let mut last: StrMap<usize> = StrMap::new();
    for (at, Traced { draft, .. }) in found.iter_mut().enumerate() {
        let mut like = format!("{:?} {:?}", draft.kind, draft.model);
        for part in &draft.system {
            like.push_str(&format!(" {} {part}", part.len()));
        }
        let before = last.insert(like, at);
        let is_answered = draft.messages.iter().any(|message| message.role == Role::Assistant);
        if before.is_some() && !is_answered && responses(draft) {
            draft.after = before;
            draft.lacks(
                UnknownSubject::Order,
                "the trace does not name the earlier response; requests with the same system prompt are taken to follow each other",
            );
        }
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

/// The spans of a trace by id.
struct Spans<'a>(StrMap<&'a Record>);

impl<'a> Spans<'a> {
    fn of(records: &'a [Record]) -> Self {
        let mut spans = StrMap::new();
        for record in records.iter().filter(|record| !record.is_log) {
            if let Some(span) = &record.span {
                spans.insert_new(span.as_str(), record);
            }
        }
        Self(spans)
    }

    /// Returns true if the span or one of its parents is a tool run.
    fn is_below_a_tool(&self, span: &str) -> bool {
        let mut next = Some(span);
        for _ in 0..64 {
            let Some(record) = next.and_then(|id| self.0.get(id)) else { return false };
            if is_tool(record) {
                return true;
            }
            next = record.parent.as_deref();
        }
        false
    }
}

fn is_tool(record: &Record) -> bool {
    record.name.starts_with("execute_tool")
        || record.name == "ai.toolCall"
        || record.text("gen_ai.operation.name") == Some("execute_tool")
        || record.text("openinference.span.kind") == Some("TOOL")
        || record.text("traceloop.span.kind") == Some("tool")
}

/// Returns true for a span of a model call.
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

fn request(record: &Record) -> Option<Draft> {
    let mut draft = ai_sdk(record)
        .or_else(|| open_inference::open_inference(record))
        .or_else(|| gen_ai::gen_ai(record))
        .or_else(|| numbered::numbered(record))?;
    draft.lead_system();
    let google = ["ai.model.provider", "gen_ai.provider.name", "gen_ai.system"].iter().any(|key| {
        record.text(key).is_some_and(|name| name.contains("google") || name.contains("gemini"))
    });
    if record.scope == "ai" && google {
        draft.api = Some(body::GEMINI);
        super::parts::wrap_for_google(&mut draft.messages);
        if draft.tools.as_ref().is_some_and(|tools| !tools.is_empty()) {
            draft.lacks(
                UnknownSubject::ToolSchemas,
                "the AI SDK converts schemas for Google; the trace has them from before",
            );
        }
    }
    if draft.tools.is_none() && draft.uses_tools() {
        let mut called = Called::default();
        let parts = draft.messages.iter().flat_map(|message| &message.parts);
        parts.chain(&draft.output).for_each(|part| called.part(part));
        draft.tools = Some(called.tools().to_vec());
        for what in
            [UnknownSubject::Tools, UnknownSubject::ToolDescriptions, UnknownSubject::ToolSchemas]
        {
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
    draft.api = record.text("ai.model.provider").and_then(api_of).or(draft.api);
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

/// A call without content.
fn without_content(record: &Record) -> Draft {
    let mut draft = base(record);
    let why = "the trace was recorded without content";
    draft.lacks(UnknownSubject::System, why);
    draft.lacks(UnknownSubject::Messages, why);
    let reasons =
        record.get("gen_ai.response.finish_reasons").map(Json::to_string).unwrap_or_default();
    if reasons.contains("tool") {
        draft.lacks(UnknownSubject::ToolCalls, why);
    }
    draft
}
