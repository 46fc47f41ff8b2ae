//! The report of an import: what was read, what was omitted and why, and what is unknown. It
//! compares recorded tokens with those that the log explains.
//!
//! ```
//! use tuckbox::import::{SourceFile, import, report};
//! use tuckbox::Json;
//!
//! let log = br#"{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}"#;
//! let found_report = report::report(&import(&[SourceFile { name: "request.json", bytes: log }]));
//! assert_eq!(found_report.get("sessions").and_then(Json::as_array).map(|sessions| sessions.len()), Some(1));
//! ```

mod lints;
mod members;

pub use lints::lints;
pub(super) use lints::lints_of;

use self::members::Members;
use super::cost::{cost, model_info};
use super::model::{Findings, Kind, Origin, Request, Session, Unknown, UnknownSubject, Usage};
use super::project::{Names, place};
use super::sums::Sums;
use crate::Lint;
use crate::prompt::tokens::Calibration;
use crate::value::json::{Json, Object};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The report of one session. A large import keeps only this.
///
/// ```
/// use tuckbox::import::model::{Draft, Session};
/// use tuckbox::import::report::SessionReport;
///
/// let mut session = Session::new("my_tool", "s1");
/// session.push(Draft::default());
/// assert_eq!(SessionReport::of(&session).requests(), 1);
/// ```
#[derive(Debug)]
pub struct SessionReport {
    id: String,
    source: &'static str,
    parent: Option<String>,
    agent: Option<String>,
    names: Names,
    rows: Vec<Row>,
    /// The calibration of each model, from requests that the log has completely.
    models: BTreeMap<String, Calibration>,
    is_main: bool,
    /// The lints of the last request, and its row.
    last: Option<(Vec<Lint>, usize)>,
}

/// The report of one request, before its number and the calibration are known.
#[derive(Debug)]
struct Row {
    kind: Kind,
    has_answer: bool,
    model: Option<Arc<str>>,
    api: Option<&'static str>,
    agent: Option<Arc<str>>,
    at: Option<i64>,
    origin: Origin,
    messages: usize,
    tools: usize,
    shared: usize,
    went: usize,
    compacted: bool,
    summary: Option<usize>,
    retries: usize,
    recorded: Usage,
    cost: Option<f64>,
    estimated: u64,
    unknown: Arc<Vec<Unknown>>,
    /// The recorded tokens, if the log lacks something that costs tokens.
    lacking: Option<u64>,
}

impl SessionReport {
    /// Makes the report of a session.
    pub fn of(session: &Session) -> Self {
        let mut sums = Sums::of(session);
        let mut before = None;
        let mut rows: Vec<Row> = Vec::with_capacity(session.requests.len());
        let mut models: BTreeMap<String, Calibration> = BTreeMap::new();
        let (mut model, mut info) = (None, None);
        for request in &session.requests {
            let estimated = sums.estimated(request);
            let lacks = lacks(request);
            if model != request.model.as_deref() {
                model = request.model.as_deref();
                info = model_info(session, request);
            }
            let cost = cost(info.as_deref(), &request.usage);
            rows.push(Row { cost, ..Row::of(request, before, &sums, estimated, rows.last()) });
            before = request.tail;
            if let (Some(model), Some(input)) = (request.model.as_deref(), request.usage.input)
                && !lacks
                && !sums.has_media(request.tail)
            {
                match models.get_mut(model) {
                    Some(known) => known.add(input, estimated),
                    None => {
                        let mut known = Calibration::default();
                        known.add(input, estimated);
                        models.insert(model.to_owned(), known);
                    }
                }
            }
        }
        let (is_main, last) = super::neutral::last_of(session);
        let last = last.and_then(|last| {
            let at = session.requests.iter().position(|request| std::ptr::eq(request, last))?;
            Some((lints::unknown_lints(last), at))
        });
        Self {
            id: session.id.clone(),
            source: session.source,
            parent: session.parent.clone(),
            agent: session.agent.clone(),
            names: Names::of(session),
            rows,
            models,
            is_main,
            last,
        }
    }

    /// Returns the number of requests.
    pub fn requests(&self) -> usize {
        self.rows.len()
    }
}

impl Row {
    fn of(
        request: &Request,
        before: Option<usize>,
        sums: &Sums,
        estimated: u64,
        last: Option<&Self>,
    ) -> Self {
        let (messages, were) = (sums.messages(request.tail), sums.messages(before));
        let shared = sums.shared(before, request.tail);
        let summary = sums.summary(request.tail);
        Self {
            kind: request.kind,
            has_answer: !request.output.is_empty(),
            model: again(request.model.as_deref(), last.and_then(|last| last.model.as_ref())),
            api: request.api,
            agent: again(request.agent.as_deref(), last.and_then(|last| last.agent.as_ref())),
            at: request.at,
            origin: request.origin.clone(),
            messages,
            tools: request.tools.len(),
            shared,
            went: were - shared,
            compacted: summary.is_some() && shared < were,
            summary,
            retries: request.retries,
            recorded: request.usage,
            cost: None,
            estimated,
            unknown: Arc::clone(&request.unknown),
            lacking: request.usage.input.filter(|_| lacks(request)),
        }
    }
}

/// Shares a name with the previous row, which usually has the same.
fn again(name: Option<&str>, last: Option<&Arc<str>>) -> Option<Arc<str>> {
    match (name, last) {
        (Some(name), Some(last)) if **last == *name => Some(Arc::clone(last)),
        (name, _) => name.map(Arc::from),
    }
}

/// The calibration of each model, over all sessions.
type Models = BTreeMap<String, Calibration>;

fn models(sessions: &[SessionReport]) -> Models {
    let mut models = Models::new();
    for (model, more) in sessions.iter().flat_map(|session| &session.models) {
        match models.get_mut(model) {
            Some(known) => known.extend(more),
            None => {
                models.insert(model.clone(), more.clone());
            }
        }
    }
    models
}

impl Row {
    /// Returns the estimate scaled to the model, if the model is calibrated.
    fn calibrated(&self, models: &Models) -> Option<u64> {
        let scaled = models.get(self.model.as_deref()?)?.scaled()?;
        Some(scaled.of(self.estimated))
    }

    /// Returns the recorded tokens that the log does not explain, if it lacks something that costs
    /// tokens.
    fn residual(&self, models: &Models) -> Option<u64> {
        let known = self.calibrated(models).unwrap_or(self.estimated);
        self.lacking?.checked_sub(known).filter(|rest| *rest > 0)
    }
}

/// Returns the whole report.
///
/// ```
/// use tuckbox::import::{SourceFile, import, report};
///
/// let found_report = report::report(&import(&[SourceFile { name: "shopping.txt", bytes: b"milk, eggs" }]));
/// assert!(found_report.to_string().contains("shopping.txt"));
/// ```
pub fn report(findings: &Findings) -> Json {
    // the text was written by this module
    Json::parse(&assemble(findings, &sessions_of(findings))).unwrap_or_default()
}

/// Returns the reports of all sessions.
pub(super) fn sessions_of(findings: &Findings) -> Vec<SessionReport> {
    findings.sessions.iter().map(SessionReport::of).collect()
}

/// The report as JSON text in pieces: the frame, and the sessions one by one.
#[derive(Debug)]
pub(super) struct Pieces {
    findings: Findings,
    models: Models,
    sessions: std::vec::IntoIter<SessionReport>,
    /// The current session, and the number of its written requests.
    begun: Option<(SessionReport, usize)>,
    number: usize,
}

impl Pieces {
    /// Starts the pieces of a report.
    pub fn new(findings: Findings, sessions: Vec<SessionReport>) -> Self {
        let sessions = sessions.into_iter();
        Self { models: models(sessions.as_slice()), findings, sessions, begun: None, number: 0 }
    }

    /// Returns the next piece: a session with its first requests, or a list of its next requests.
    /// `unknown` is `null` if it equals that of the previous request.
    pub fn piece(&mut self) -> Option<String> {
        let (session, from) = match self.begun.take() {
            Some(begun) => begun,
            None => (self.sessions.next()?, 0),
        };
        let end = session.rows.len().min(from + PIECE);
        let mut text = String::with_capacity((end - from) * ROOM);
        let is_first = from == 0;
        if is_first {
            session.write_head(&mut text);
        }
        let (models, findings) = (&self.models, &self.findings);
        session.write_rows(from..end, true, findings, models, &mut self.number, &mut text);
        text.push_str(if is_first { "}" } else { "" });
        if end < session.rows.len() {
            self.begun = Some((session, end));
        }
        Some(text)
    }

    /// Returns the JSON text of the frame, with an empty list of sessions.
    pub fn around(&self) -> String {
        let (start, end) = around(&self.findings, &self.models);
        start + &end
    }

    /// Returns the JSON text of the whole report.
    pub fn whole(self) -> String {
        assemble_with(&self.findings, self.sessions.as_slice(), &self.models)
    }
}

/// The approximate length of a request in bytes.
const ROOM: usize = 900;

/// The maximum number of requests in one piece.
const PIECE: usize = 1000;

/// Returns the JSON text of the report.
pub(super) fn assemble(findings: &Findings, sessions: &[SessionReport]) -> String {
    assemble_with(findings, sessions, &models(sessions))
}

fn assemble_with(findings: &Findings, sessions: &[SessionReport], models: &Models) -> String {
    let (mut text, end) = around(findings, models);
    let mut number = 0;
    for (at, session) in sessions.iter().enumerate() {
        text.push_str(if at > 0 { "," } else { "" });
        session.write_head(&mut text);
        let all = 0..session.rows.len();
        session.write_rows(all, false, findings, models, &mut number, &mut text);
        text.push('}');
    }
    text + &end
}

/// Returns the text before and after the sessions.
fn around(findings: &Findings, models: &Models) -> (String, String) {
    let files: Json = findings
        .files
        .iter()
        .map(|file| {
            Json::from([
                ("name", Json::from(file.name.as_str())),
                ("format", Json::from(file.format)),
            ])
        })
        .collect();
    let notes: Json = findings
        .notes
        .iter()
        .map(|note| {
            let mut out = Object::default();
            out.insert("code".into(), note.code.as_str().into());
            out.insert("origin".into(), place(&note.origin, findings));
            out.insert("message".into(), note.message.as_str().into());
            Json::Object(out)
        })
        .collect();
    let calibration: Json = models.iter().map(|(model, known)| known.row(model)).collect();
    let end = format!(r#"],"notes":{notes},"calibration":{calibration}}}"#);
    (format!(r#"{{"files":{files},"sessions":["#), end)
}

impl SessionReport {
    /// Writes everything before the list of requests.
    fn write_head(&self, text: &mut String) {
        text.push('{');
        let mut head = Members { out: text, is_first: true };
        head.text("id", Some(&self.id));
        head.text("source", Some(self.source));
        for (key, name) in [("parent", &self.parent), ("agent", &self.agent)] {
            if name.is_some() {
                head.text(key, name.as_deref());
            }
        }
        head.key("requests");
    }

    /// Writes a list of requests.
    fn write_rows(
        &self,
        range: Range<usize>,
        briefly: bool,
        findings: &Findings,
        models: &Models,
        number: &mut usize,
        text: &mut String,
    ) {
        text.push('[');
        let mut before = range.start.checked_sub(1).and_then(|at| self.rows.get(at));
        let rows = self.rows.iter().enumerate();
        for (at, row) in rows.skip(range.start).take(range.len()) {
            text.push_str(if at > range.start { ",{" } else { "{" });
            row.write(findings, &self.names, at, *number, models, text);
            match before.filter(|before| briefly && before.unknown == row.unknown) {
                Some(_) => text.push_str("null"),
                None => row.write_unknown(text),
            }
            text.push('}');
            before = Some(row);
            *number += 1;
        }
        text.push(']');
    }
}

shape! {
    /// The report of an import.
    pub struct ImportReport {
        pub files: Vec<ImportedFile>,
        /// The sessions, the one with the newest request last.
        pub sessions: Vec<ImportedSession>,
        /// The calibration of each model: recorded and estimated tokens of the requests that the
        /// log has completely, and their factor.
        pub calibration: Vec<Calibration>,
        pub notes: Vec<ImportNote>,
    }

    pub struct ImportedFile {
        pub name: String,
        pub format: Option<String>,
    }

    pub struct ImportedSession {
        pub id: String,
        pub source: String,
        pub parent: Maybe<String>,
        pub agent: Maybe<String>,
        pub requests: Vec<ImportedRequest>,
    }

    pub struct Calibration {
        pub model: String,
        pub requests: usize,
        pub recorded: u64,
        pub estimated: u64,
        /// The tokens of the model for 100 estimated ones. `null` without an estimate.
        pub factor_percent: Option<u64>,
        /// The error of single estimates, in percent of the recorded tokens.
        pub off_percent: Option<u64>,
        /// The same after scaling by the factor.
        pub off_percent_scaled: Option<u64>,
    }

    pub struct ImportNote {
        pub code: crate::import::lint::ImportLint,
        pub origin: ImportOrigin,
        pub message: String,
    }

    /// The place that a value was read from.
    pub struct ImportOrigin {
        pub file: Option<String>,
        /// The line, from 1. Missing if the file is one value.
        pub line: Maybe<u64>,
        /// A JSON pointer. Missing for the whole value.
        pub pointer: Maybe<String>,
    }

    /// One request of a session.
    pub struct ImportedRequest {
        /// The number of the request in the import, from 0.
        pub request: usize,
        pub kind: Word<"main", "sub", "compaction", "side">,
        /// The box with the context of the request, as far as the log has it.
        pub box_id: String,
        /// The box with the answer. Missing if the log has no answer.
        pub answer_box_id: Maybe<String>,
        pub model: Option<String>,
        pub api: Option<Word<"openai_chat", "openai_responses", "anthropic", "gemini">>,
        pub agent: Option<String>,
        pub at: Option<String>,
        pub origin: ImportOrigin,
        pub messages: usize,
        pub tools: usize,
        /// The number of messages in common with the start of the previous request.
        pub shared: usize,
        pub came: usize,
        pub went: usize,
        /// True if a summary replaces removed messages.
        pub compacted: bool,
        /// The box of that summary, which covers the boxes of earlier requests. Missing without a
        /// compaction.
        pub summary_box_id: Maybe<String>,
        /// The number of retries after a failure.
        pub retries: usize,
        /// The tokens that the log recorded.
        pub recorded: RecordedTokens,
        /// The cost in dollars, input and output. `null` without recorded tokens or prices.
        pub cost: Option<f64>,
        /// The estimated tokens of what the log has.
        pub estimated: u64,
        /// The estimate scaled to the model. `null` if `calibration` does not have the model.
        pub calibrated: Option<u64>,
        /// Recorded tokens that the log does not explain. `null` if nothing is missing.
        pub residual: Option<u64>,
        pub unknown: Vec<ImportUnknown>,
    }

    pub struct RecordedTokens {
        pub input: Option<u64>,
        pub output: Option<u64>,
        pub cached: Option<u64>,
    }

    /// Something that the log does not have, and why.
    pub struct ImportUnknown {
        pub what: UnknownSubject,
        pub why: String,
    }

    /// A part of a request that a log may not have.
    pub type UnknownSubject = Word<
        "system",
        "tools",
        "tool_descriptions",
        "tool_schemas",
        "messages",
        "reasoning",
        "images",
        "files",
        "tool_calls",
        "tool_results",
        "order",
        "params",
    >;
}

impl Row {
    fn write(
        &self,
        findings: &Findings,
        names: &Names,
        at: usize,
        number: usize,
        models: &Models,
        out: &mut String,
    ) {
        let mut to = Members { out, is_first: true };
        to.whole("request", number);
        to.text("kind", Some(self.kind.as_str()));
        let name = names.request(at);
        to.text("box_id", Some(&name));
        if self.has_answer {
            to.text("answer_box_id", Some(&format!("{name}_answer")));
        }
        to.text("model", self.model.as_deref());
        to.text("api", self.api);
        to.text("agent", self.agent.as_deref());
        let timestamp = |micros: i64| crate::Timestamp::from_millis(micros.div_euclid(1000));
        to.text("at", self.at.map(|micros| timestamp(micros).to_string()).as_deref());
        to.key("origin").push_str(&place(&self.origin, findings).to_string());
        to.whole("messages", self.messages);
        to.whole("tools", self.tools);
        to.whole("shared", self.shared);
        to.whole("came", self.messages - self.shared);
        to.whole("went", self.went);
        to.key("compacted").push_str(if self.compacted { "true" } else { "false" });
        if let Some(summary) = self.summary {
            to.text("summary_box_id", Some(&names.summary(summary)));
        }
        to.whole("retries", self.retries);
        let mut recorded = Members { out: to.key("recorded"), is_first: true };
        recorded.out.push('{');
        recorded.count("input", self.recorded.input);
        recorded.count("output", self.recorded.output);
        recorded.count("cached", self.recorded.cached);
        recorded.out.push('}');
        to.number("cost", self.cost);
        to.count("estimated", Some(self.estimated));
        to.count("calibrated", self.calibrated(models));
        to.count("residual", self.residual(models));
        to.key("unknown");
    }

    /// Writes what is unknown about the request.
    fn write_unknown(&self, out: &mut String) {
        out.push('[');
        for (at, one) in self.unknown.iter().enumerate() {
            out.push_str(if at > 0 { ",{" } else { "{" });
            let mut to = Members { out, is_first: true };
            to.text("what", Some(one.what.as_str()));
            to.text("why", Some(one.why));
            out.push('}');
        }
        out.push(']');
    }
}

/// Returns true for a part that costs tokens.
const fn costs(what: UnknownSubject) -> bool {
    !matches!(what, UnknownSubject::Params | UnknownSubject::Order)
}

/// Returns true if something that costs tokens is unknown about a request.
fn lacks(request: &Request) -> bool {
    request.unknown.iter().any(|unknown| costs(unknown.what))
}
