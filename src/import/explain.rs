//! Explanations of imported sessions: caches and compactions.
//!
//! A log with bodies is explained by them. For other logs the request is rebuilt from what the log has,
//! and the rest is listed as missing, so that no cause is invented.

use super::body::{ANTHROPIC, CHAT, GEMINI, RESPONSES};
use super::model::{Findings, Kind, Message, Request, Role, Session, UnknownSubject};
use super::neutral;
use crate::prompt::cache::{CacheExplanation, CompactionAccount, ExplainCache, ExplainCompaction};
use crate::value::Set;
use crate::value::json::{Json, Object, to_json};
use crate::{Result, Timestamp};
use std::sync::Arc;

shape! {
    /// The caches of imported sessions.
    pub struct ImportedCache {
        pub sessions: Vec<SessionCache>,
    }

    pub struct SessionCache {
        pub id: String,
        pub source: String,
        /// The numbers of the explained requests in the report of the session.
        pub numbers: Vec<usize>,
        pub explanation: CacheExplanation,
    }

    /// The compactions of imported sessions.
    pub struct ImportedCompaction {
        pub sessions: Vec<SessionCompaction>,
    }

    pub struct SessionCompaction {
        pub id: String,
        pub source: String,
        /// The numbers of the accounted requests in the report of the session.
        pub numbers: Vec<usize>,
        pub account: CompactionAccount,
    }
}

/// Returns the name of the provider whose rules hold for a session.
fn provider_of(session: &Session) -> &'static str {
    let api = session.requests.iter().find_map(|request| request.api);
    let model = session.requests.iter().find_map(|request| request.model.as_deref());
    let model = model.unwrap_or_default();
    let named = [
        ("claude", ANTHROPIC),
        ("deepseek", "deepseek"),
        ("gemini", GEMINI),
        ("mistral", "mistral"),
        ("codestral", "mistral"),
        ("gpt-", CHAT),
    ];
    let by_model = named.iter().find(|(part, _)| model.contains(part)).map(|(_, name)| *name);
    // a gateway speaks chat completions for models of any provider
    match (api, by_model) {
        (Some(CHAT), Some(name @ ("deepseek" | "mistral"))) => name,
        (Some(api), _) => api,
        (None, Some(name)) => name,
        (None, None) => "openai_compatible",
    }
}

/// Explains the caches of all sessions.
pub(super) fn caches(findings: &Findings) -> Result<Json> {
    let mut sessions = Vec::new();
    for session in &findings.sessions {
        let (numbers, explanation) = cache(session)?;
        let numbers = numbers.into_iter().collect();
        sessions.push(entry(session, numbers, "explanation", to_json(&explanation)?));
    }
    Ok(Json::from([("sessions", Json::Array(sessions))]))
}

/// Explains the cache of a session. Returns the numbers of the explained requests, too.
pub(super) fn cache(session: &Session) -> Result<(Vec<usize>, Arc<CacheExplanation>)> {
    let provider = provider_of(session);
    let is_own = |request: &&Request| matches!(request.kind, Kind::Main | Kind::Sub);
    let chosen = || session.requests.iter().enumerate().filter(|(_, request)| is_own(request));
    let has_bodies = chosen().all(|(_, request)| {
        request.body.is_some() && request.api.is_some_and(|api| api == provider)
    });
    let requests: Vec<Json> = chosen()
        .map(|(_, request)| cache_request(session, request, provider, has_bodies))
        .collect();
    let call =
        Json::from([("provider", Json::from(provider)), ("requests", Json::Array(requests))]);
    let explained = ExplainCache::from_json(&call)?;
    Ok((chosen().map(|(number, _)| number).collect(), explained.into_explanation()))
}

fn entry(session: &Session, numbers: Json, key: &str, value: Json) -> Json {
    let mut out = Object::new();
    out.insert("id".into(), session.id.as_str().into());
    out.insert("source".into(), session.source.into());
    out.insert("numbers".into(), numbers);
    out.insert(key.into(), value);
    Json::Object(out)
}

fn cache_request(session: &Session, request: &Request, provider: &str, has_body: bool) -> Json {
    let mut out = Object::new();
    let sent = request.body.as_ref().filter(|_| has_body);
    out.insert(
        "body".into(),
        sent.map_or_else(|| rebuilt(session, request, provider), |body| (**body).clone()),
    );
    if let Some(model) = &request.model {
        out.insert("model".into(), model.as_str().into());
    }
    if let Some(at) = request.at {
        out.insert("at".into(), Timestamp::from_millis(at.div_euclid(1000)).into());
    }
    if let Some(id) = &request.response_id {
        out.insert("id".into(), id.as_str().into());
    }
    let usage = request.usage;
    if let Some(input) = usage.input {
        let (read, write) = (usage.cached.unwrap_or(0), usage.written.unwrap_or(0));
        let pairs =
            [("input_tokens", input), ("cache_read_tokens", read), ("cache_write_tokens", write)];
        out.insert("usage".into(), Json::from(pairs));
    }
    let mut lacks = Set::<&str>::default();
    for unknown in request.unknown.iter() {
        lacks.insert(match unknown.what {
            UnknownSubject::System => "system",
            UnknownSubject::Tools
            | UnknownSubject::ToolDescriptions
            | UnknownSubject::ToolSchemas => "tools",
            UnknownSubject::Params => "settings",
            UnknownSubject::Messages
            | UnknownSubject::Reasoning
            | UnknownSubject::Images
            | UnknownSubject::Files
            | UnknownSubject::ToolCalls
            | UnknownSubject::ToolResults
            | UnknownSubject::Order => "messages",
        });
    }
    if sent.is_none() {
        lacks.insert("settings");
    }
    if !lacks.is_empty() {
        out.insert("lacks".into(), lacks.iter().copied().collect());
    }
    Json::Object(out)
}

fn block(message: &Message) -> Json {
    message.parts.iter().map(neutral::part).collect()
}

fn role(message: &Message, is_claude: bool) -> &'static str {
    match message.role {
        Role::System => "system",
        Role::Assistant => "assistant",
        Role::Tool if !is_claude => "tool",
        Role::User | Role::Tool => "user",
    }
}

/// Returns a body with what the log has. Its tool calls and files are in the neutral form.
fn rebuilt(session: &Session, request: &Request, provider: &str) -> Json {
    let is_claude = provider == ANTHROPIC;
    let key = if provider == GEMINI { "parts" } else { "content" };
    let said = |message: &&Message| {
        Json::from([("role", Json::from(role(message, is_claude))), (key, block(message))])
    };
    let messages: Vec<Json> = session.messages(request.tail).iter().map(said).collect();
    let tools = request.tools.iter().map(|tool| {
        let name = Json::from(tool.name.as_str());
        let about = Json::from(tool.description.as_deref());
        Json::from([
            ("name", name),
            ("description", about),
            ("parameters", tool.schema.clone().into()),
        ])
    });
    let texts = || request.system.iter().map(|text| Json::from([("type", "text"), ("text", text)]));
    let mut body = Object::new();
    body.insert("tools".into(), tools.collect());
    match provider {
        ANTHROPIC => {
            body.insert("system".into(), texts().collect());
            body.insert("messages".into(), Json::Array(messages));
            // the log does not have the marks; usage shows whether there were any
            body.insert("cache_control".into(), Json::from([("type", "ephemeral")]));
        }
        GEMINI => {
            body.insert(
                "systemInstruction".into(),
                Json::from([("parts", texts().collect::<Json>())]),
            );
            body.insert("contents".into(), Json::Array(messages));
        }
        _ => {
            let system = texts().map(|text| {
                Json::from([("role", Json::from("system")), ("content", Json::Array(vec![text]))])
            });
            let key = if provider == RESPONSES { "input" } else { "messages" };
            body.insert(key.into(), system.chain(messages).collect());
        }
    }
    Json::Object(body)
}

/// Accounts for the compactions of all sessions.
pub(super) fn compactions(findings: &Findings) -> Result<Json> {
    let mut sessions = Vec::new();
    for session in &findings.sessions {
        let (numbers, account) = compaction(session)?;
        let numbers = numbers.into_iter().collect();
        sessions.push(entry(session, numbers, "account", to_json(&account)?));
    }
    Ok(Json::from([("sessions", Json::Array(sessions))]))
}

/// Accounts for the compactions of a session. Returns the numbers of the accounted requests, too.
pub(super) fn compaction(session: &Session) -> Result<(Vec<usize>, Arc<CompactionAccount>)> {
    let mut requests = Vec::new();
    let mut numbers = Vec::new();
    let mut before: Option<usize> = None;
    let mut seen = 0;
    for (number, request) in session.requests.iter().enumerate() {
        let mut out = Object::new();
        match request.kind {
            Kind::Side => continue,
            Kind::Compaction => drop(out.insert("kind".into(), "compaction".into())),
            Kind::Main | Kind::Sub => {
                let path = session.path(request.tail);
                let summary = path.iter().rev().find_map(|at| session.covered(*at));
                // pi does not log whether a later summary covers what an earlier one kept
                let is_known = session.source != "pi" || seen == 0;
                if let Some(end) = summary.filter(|_| is_known) {
                    let input: Set<usize> = session.path(Some(end)).into_iter().collect();
                    let were = session.path(before);
                    let count = were.iter().take_while(|at| input.contains(*at)).count();
                    out.insert("covered".into(), [0, count].into_iter().collect());
                }
                if summary.is_some() && before.is_some_and(|before| !path.contains(&before)) {
                    seen += 1;
                }
                before = request.tail;
            }
        }
        out.insert("body".into(), rebuilt(session, request, ANTHROPIC));
        requests.push(Json::Object(out));
        numbers.push(number);
    }
    let call =
        Json::from([("provider", Json::from(ANTHROPIC)), ("requests", Json::Array(requests))]);
    Ok((numbers, ExplainCompaction::from_json(&call)?.into_account()))
}
