//! Explanations of imported sessions: caches and compactions.
//!
//! A log with bodies is explained by them. For other logs the request is rebuilt from what the log has,
//! and the rest is listed as missing, so that no cause is invented.

use super::body::{ANTHROPIC, CHAT, GEMINI, RESPONSES};
use super::model::{Findings, Kind, Message, Request, Role, Session, UnknownSubject};
use super::neutral;
use crate::Result;
use crate::prompt::cache::{
    CacheExplanation, CompactionAccount, ExplainCompaction, SessionHead, SessionMessages,
    SessionRequest, explain_session,
};
use crate::value::Set;
use crate::value::json::{Json, Object, to_json};
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
pub(super) fn provider_of(session: &Session) -> &'static str {
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
        let (numbers, explanation) = session_cache(session)?;
        let numbers = numbers.into_iter().collect();
        sessions.push(entry(session, numbers, "explanation", to_json(&explanation)?));
    }
    Ok(Json::from([("sessions", Json::Array(sessions))]))
}

/// Explains the cache of a session. Returns the indexes of the explained requests, and their
/// explanation. Each message is read once.
pub(super) fn session_cache(session: &Session) -> Result<(Vec<usize>, CacheExplanation)> {
    let provider = provider_of(session);
    let is_own = |request: &&Request| matches!(request.kind, Kind::Main | Kind::Sub);
    let chosen = || session.requests.iter().enumerate().filter(|(_, request)| is_own(request));
    let has_bodies = chosen().all(|(_, request)| {
        request.body.is_some() && request.api.is_some_and(|api| api == provider)
    });
    let mut heads: Vec<Json> = Vec::new();
    let mut head_of: Vec<usize> = Vec::new();
    let (mut bodies, mut parents) = (Vec::new(), Vec::new());
    if !has_bodies {
        let mut last: Option<&Request> = None;
        for (_, request) in chosen() {
            let is_same = last.is_some_and(|last| {
                Arc::ptr_eq(&last.system, &request.system)
                    && Arc::ptr_eq(&last.tools, &request.tools)
            });
            if !is_same {
                heads.push(head(request, provider));
            }
            head_of.push(heads.len().saturating_sub(1));
            last = Some(request);
        }
        let key = list_key(provider);
        for (message, parent) in session.all() {
            let mut body = Object::new();
            body.insert(key.into(), Json::Array(vec![message_of(message, provider)]));
            bodies.push(Json::Object(body));
            parents.push(parent);
        }
    }
    let mut shared = head_of.into_iter();
    let mut model = None;
    let requests = chosen().map(|(_, request)| {
        // a request without an answer has no model in most logs; that is not a change
        model = request.model.as_deref().or(model);
        let sent = request.body.as_deref().filter(|_| has_bodies);
        let head = match sent {
            Some(body) => SessionHead::Body(body),
            None => SessionHead::Shared(shared.next().unwrap_or_default()),
        };
        let usage = request.usage;
        SessionRequest {
            head,
            tail: request.tail,
            model,
            at: request.at.map(|at| at.div_euclid(1000)),
            usage: usage.input.map(|input| {
                (input, usage.cached.unwrap_or_default(), usage.written.unwrap_or_default())
            }),
            id: request.response_id.as_deref(),
            lacks: lacks(request, sent.is_some()),
        }
    });
    let requests: Vec<_> = requests.collect();
    let messages = SessionMessages { heads: &heads, bodies: &bodies, parents: &parents };
    let explanation = explain_session(provider, &messages, requests, &session.own_models)?;
    Ok((chosen().map(|(number, _)| number).collect(), explanation))
}

fn entry(session: &Session, numbers: Json, key: &str, value: Json) -> Json {
    let mut out = Object::new();
    out.insert("id".into(), session.id.as_str().into());
    out.insert("source".into(), session.source.into());
    out.insert("numbers".into(), numbers);
    out.insert(key.into(), value);
    Json::Object(out)
}

/// Returns the regions that the log does not have.
fn lacks(request: &Request, has_body: bool) -> Vec<&'static str> {
    let mut lacks = Vec::new();
    let mut add = |region| {
        if !lacks.contains(&region) {
            lacks.push(region);
        }
    };
    for unknown in request.unknown.iter() {
        add(match unknown.what {
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
    if !has_body {
        add("settings");
    }
    lacks
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

/// Returns a message of a body. Its tool calls and files are in the neutral form.
fn message_of(message: &Message, provider: &str) -> Json {
    let key = if provider == GEMINI { "parts" } else { "content" };
    let role = role(message, provider == ANTHROPIC);
    Json::from([("role", Json::from(role)), (key, block(message))])
}

/// Returns the key of the messages of a body.
fn list_key(provider: &str) -> &'static str {
    match provider {
        GEMINI => "contents",
        RESPONSES => "input",
        _ => "messages",
    }
}

/// Returns a body with what the log has, without messages.
fn head(request: &Request, provider: &str) -> Json {
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
    let key = list_key(provider).to_owned();
    match provider {
        ANTHROPIC => {
            body.insert("system".into(), texts().collect());
            body.insert(key, Json::Array(Vec::new()));
            // the log does not have the marks; usage shows whether there were any
            body.insert("cache_control".into(), Json::from([("type", "ephemeral")]));
        }
        GEMINI => {
            let system = Json::from([("parts", texts().collect::<Json>())]);
            body.insert("systemInstruction".into(), system);
            body.insert(key, Json::Array(Vec::new()));
        }
        _ => {
            let system = texts().map(|text| {
                Json::from([("role", Json::from("system")), ("content", Json::Array(vec![text]))])
            });
            body.insert(key, system.collect());
        }
    }
    Json::Object(body)
}

/// Returns a body with what the log has.
fn rebuilt(session: &Session, request: &Request, provider: &str) -> Json {
    let mut body = head(request, provider);
    let messages = session.messages(request.tail);
    if let Some(Json::Array(list)) = body.get_mut(list_key(provider)) {
        list.extend(messages.into_iter().map(|message| message_of(message, provider)));
    }
    body
}

/// Accounts for the compactions of all sessions.
pub(super) fn compactions(findings: &Findings) -> Result<Json> {
    let mut sessions = Vec::new();
    for session in &findings.sessions {
        let (numbers, account) = whole_account(session)?;
        let numbers = numbers.into_iter().collect();
        sessions.push(entry(session, numbers, "account", to_json(&account)?));
    }
    Ok(Json::from([("sessions", Json::Array(sessions))]))
}

/// Accounts for the compactions of a session.
pub(super) fn whole_account(session: &Session) -> Result<(Vec<usize>, Arc<CompactionAccount>)> {
    let numbers: Vec<usize> = (0..session.requests.len()).collect();
    account(session, &numbers)
}

/// Accounts for the compactions between some requests of a session. Returns the indexes of the
/// accounted requests, and the account.
pub(super) fn account(
    session: &Session,
    chosen: &[usize],
) -> Result<(Vec<usize>, Arc<CompactionAccount>)> {
    let mut requests = Vec::new();
    let mut numbers = Vec::new();
    let mut before: Option<usize> = None;
    let mut seen = 0;
    for number in chosen {
        let Some(request) = session.requests.get(*number) else { continue };
        let mut out = Object::new();
        match request.kind {
            Kind::Side => continue,
            Kind::Compaction => drop(out.insert("kind".into(), "compaction".into())),
            Kind::Main | Kind::Sub => {
                let path = session.path(request.tail);
                let place = path.iter().rposition(|at| session.covered(*at).is_some());
                let at = place.and_then(|place| path.get(place).copied());
                let summary = at.and_then(|at| session.covered(at));
                // the log marks the summary, which need not have the words of one
                if let Some(place) = place {
                    out.insert("summary".into(), place.into());
                }
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
        numbers.push(*number);
    }
    let call =
        Json::from([("provider", Json::from(ANTHROPIC)), ("requests", Json::Array(requests))]);
    let account = ExplainCompaction::from_json(&call)?.into_account();
    Ok((numbers, account))
}
