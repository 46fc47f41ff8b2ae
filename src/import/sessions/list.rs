//! The list of sessions of a report.

use super::excerpt::short;
use super::{MAX_TOKENS, page};
use crate::import::formats::is_read_together;
use crate::import::pick::{count, deep, list, text};
use crate::rule::{Immediate, Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::arguments::{OrText, arguments};
use crate::value::env::Env;
use crate::value::json::Json;
use crate::{Error, Path, Result};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

arguments! {
    /// Lists the sessions of an import report, the newest first.
    #[derive(Clone, Debug)]
    struct ListSessionsArguments {
        /// The report of an import.
        pub report: OrText<Json>,
        /// Text that the name, source, agent, model, prompt or file of a session has, ignoring case.
        pub find: Option<String>,
        /// Only this session, with the files that it needs.
        pub session: Option<String>,
        /// The first session of the list, from 0.
        pub from: usize = 0,
        /// The maximum size of the answer in tokens.
        pub max_tokens: u64 [200..=100_000] = MAX_TOKENS,
    }
}

/// Lists the sessions of an import report, the newest first.
///
/// ```
/// use tuckbox::import::sessions::ListSessions;
/// use tuckbox::import::{SourceFile, import, report};
/// # use tuckbox::rule::{Rule, Step};
/// # use tuckbox::{Env, Snapshot, Timestamp, json};
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let log = br#"{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}"#;
/// let report = report::report(&import(&[SourceFile { name: "request.json", bytes: log }]));
/// let call = ListSessions::from_json(&json!({"report": report, "find": "GPT"}))?;
/// let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// assert_eq!((done.value.total, done.value.sessions[0].requests), (1, 1));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ListSessions(Immediate<SessionPage>);

shape! {
    fn list_sessions(arguments: ListSessionsArguments) -> SessionPage;
}

/// A page of sessions.
///
/// Shown by the example of [`ListSessions`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SessionPage {
    /// The sessions, the newest first.
    pub sessions: Vec<SessionEntry>,
    /// The number of sessions that match.
    pub total: usize,
    /// The `from` of the next page. Missing on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<usize>,
}

/// A session.
///
/// Shown by the example of [`ListSessions`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SessionEntry {
    /// The name of the session.
    pub session: String,
    /// The format of the log.
    pub source: String,
    /// The agent, for a session of a sub-agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The session that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The number of requests.
    pub requests: usize,
    /// The model of the last request that names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The time of the last request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The tokens of the largest request: recorded, otherwise estimated.
    pub largest: u64,
    /// The number of compactions.
    pub compactions: usize,
    /// The files to read for questions about the session. Only if the call names it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

impl ListSessions {
    /// Reads a call from JSON.
    ///
    /// # Errors
    /// `not_found` if the report does not have the session of the call.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = ListSessionsArguments::from_json(json)?;
        let needle = call.find.as_deref().unwrap_or_default().to_lowercase();
        let mut found: Vec<(&Json, SessionEntry)> = list(&call.report, "sessions")
            .iter()
            .filter(|session| !list(session, "requests").is_empty())
            .map(|session| (session, entry(session)))
            .filter(|(session, entry)| match &call.session {
                Some(name) => entry.session == *name,
                None => needle.is_empty() || matches(session, entry, &needle),
            })
            .collect();
        // sessions without a time keep the order of the report, in which the newest is the last
        found.reverse();
        found.sort_by(|(_, a), (_, b)| b.at.cmp(&a.at));
        if let Some(name) = &call.session {
            let Some((session, first)) = found.first_mut() else {
                let message = format!("no session `{}`", short(name));
                return Err(Error::not_found(message).at(Path::root().key("session")));
            };
            first.files = files_of(&call.report, session);
            found.truncate(1);
        }
        let mut value = SessionPage { total: found.len(), ..SessionPage::default() };
        let entries = found.into_iter().map(|(_, entry)| entry);
        (value.sessions, value.next) = page(&value, entries, call.from, call.max_tokens)?;
        Ok(Self(Immediate::new(value)))
    }
}

fn entry(session: &Json) -> SessionEntry {
    let requests = list(session, "requests");
    let last = |key: &str| requests.iter().rev().find_map(|request| text(request, key));
    let tokens = |request: &Json| {
        let recorded = deep(request, &["recorded", "input"]).and_then(count);
        recorded.or_else(|| count(request.get("estimated")?)).unwrap_or_default()
    };
    let is_compacted = |request: &&Json| request.get("compacted") == Some(&Json::Bool(true));
    SessionEntry {
        session: short(text(session, "id").unwrap_or_default()),
        source: short(text(session, "source").unwrap_or_default()),
        agent: text(session, "agent").map(short),
        parent: text(session, "parent").map(short),
        requests: requests.len(),
        model: last("model").map(short),
        at: requests.iter().filter_map(|request| text(request, "at")).max().map(short),
        largest: requests.iter().map(tokens).max().unwrap_or_default(),
        compactions: requests.iter().filter(is_compacted).count(),
        files: Vec::new(),
    }
}

fn origins(session: &Json) -> BTreeSet<&str> {
    let requests = list(session, "requests").iter();
    requests.filter_map(|request| text(request.get("origin")?, "file")).collect()
}

fn matches(session: &Json, entry: &SessionEntry, needle: &str) -> bool {
    let own =
        [Some(&entry.session), Some(&entry.source), entry.agent.as_ref(), entry.model.as_ref()];
    own.into_iter().flatten().any(|text| text.to_lowercase().contains(needle))
        || origins(session).iter().any(|file| file.to_lowercase().contains(needle))
}

/// Returns the files of a session, and for formats that are read together all files of the format.
fn files_of(report: &Json, session: &Json) -> Vec<String> {
    let own = origins(session);
    let files = || list(report, "files").iter();
    let format = |file: &Json| text(file, "format").map(ToOwned::to_owned);
    let is_own = |file: &&Json| text(file, "name").is_some_and(|name| own.contains(name));
    let together: BTreeSet<String> =
        files().filter(is_own).filter_map(format).filter(|name| is_read_together(name)).collect();
    let is_needed = |file: &&Json| {
        is_own(file) || text(file, "format").is_some_and(|format| together.contains(format))
    };
    files().filter(is_needed).filter_map(|file| text(file, "name")).map(ToOwned::to_owned).collect()
}

impl Rule for ListSessions {
    type Value = Arc<SessionPage>;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Arc<SessionPage>>>> {
        self.0.step(snapshot, env)
    }
}
