//! Requests out of spans and log records: the AI SDK's own attributes, OpenInference, the gen_ai
//! conventions in their generations, and Traceloop's numbered attributes.

mod events;
mod gen_ai;
mod numbered;
mod open_inference;
mod span;

pub use span::Traced;

use super::body;
use super::message::messages;
use super::model::{Draft, Kind, Message, Origin, Part, Role, Tool, Usage, What};
use super::otlp::Record;
use super::pick::opened;
use super::tools::tools;
use crate::value::json::Json;
use span::{NO_TOOLS, base, id_of_call};

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
    found.extend(events::from_events(records, &found));
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
