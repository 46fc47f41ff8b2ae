//! The report of an import: what was recognised, what was left out and why, and what cannot be
//! known; with the tokens that were recorded against those that the log accounts for.
//!
//! ```
//! use tuckbox::import::{SourceFile, import, report};
//! use tuckbox::Json;
//!
//! let log = br#"{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}"#;
//! let said = report::report(&import(&[SourceFile { name: "request.json", bytes: log }]));
//! assert_eq!(said.get("sessions").and_then(Json::as_array).map(|sessions| sessions.len()), Some(1));
//! ```

mod lints;

pub use lints::lints;
pub(super) use lints::lints_of;

use super::model::{Findings, Kind, Origin, Request, Session, Unknown, Usage, What};
use super::project::{Names, place};
use super::sums::Sums;
use crate::Lint;
use crate::prompt::tokens::Calibration;
use crate::value::json::{Json, Object, write_string, write_whole};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// What the report says about one session. Of a large import this is all that is kept.
///
/// ```
/// use tuckbox::import::model::{Draft, Session};
/// use tuckbox::import::report::Told;
///
/// let mut session = Session::new("my_tool", "s1");
/// session.push(Draft::default());
/// assert_eq!(Told::of(&session).requests(), 1);
/// ```
#[derive(Debug)]
pub struct Told {
    id: String,
    source: &'static str,
    parent: Option<String>,
    agent: Option<String>,
    names: Names,
    rows: Vec<Row>,
    /// What is known about each model, where the log holds requests whole.
    models: BTreeMap<String, Calibration>,
    is_main: bool,
    /// What cannot be known of the last request, and its row.
    last: Option<(Vec<Lint>, usize)>,
}

/// What the report says about one request, before its number and the calibration are known.
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
    estimated: u64,
    unknown: Arc<Vec<Unknown>>,
    /// The recorded tokens, where something that costs tokens is not in the log.
    lacking: Option<u64>,
}

impl Told {
    /// Tells about a session.
    pub fn of(session: &Session) -> Self {
        let mut sums = Sums::of(session);
        let mut before = None;
        let mut rows: Vec<Row> = Vec::with_capacity(session.requests.len());
        let mut models: BTreeMap<String, Calibration> = BTreeMap::new();
        for request in &session.requests {
            let estimated = sums.estimated(request);
            let lacks = lacks(request);
            rows.push(Row::of(request, before, &sums, estimated, rows.last()));
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

    /// How many requests the session has.
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
            estimated,
            unknown: Arc::clone(&request.unknown),
            lacking: request.usage.input.filter(|_| lacks(request)),
        }
    }
}

/// A name, which mostly is the one before again.
fn again(name: Option<&str>, last: Option<&Arc<str>>) -> Option<Arc<str>> {
    match (name, last) {
        (Some(name), Some(last)) if **last == *name => Some(Arc::clone(last)),
        (name, _) => name.map(Arc::from),
    }
}

/// What is known about the models over all sessions.
type Models = BTreeMap<String, Calibration>;

fn models(told: &[Told]) -> Models {
    let mut models = Models::new();
    for (model, more) in told.iter().flat_map(|told| &told.models) {
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
    /// The estimate as the model counts, where that is known.
    fn calibrated(&self, models: &Models) -> Option<u64> {
        let scaled = models.get(self.model.as_deref()?)?.scaled()?;
        Some(scaled.of(self.estimated))
    }

    /// The recorded tokens that are not in the log, where it lacks something that costs tokens.
    fn residual(&self, models: &Models) -> Option<u64> {
        let known = self.calibrated(models).unwrap_or(self.estimated);
        self.lacking?.checked_sub(known).filter(|rest| *rest > 0)
    }
}

/// The whole report.
///
/// ```
/// use tuckbox::import::{SourceFile, import, report};
///
/// let said = report::report(&import(&[SourceFile { name: "shopping.txt", bytes: b"milk, eggs" }]));
/// assert!(said.to_string().contains("shopping.txt"));
/// ```
pub fn report(findings: &Findings) -> Json {
    // it was written here just now
    Json::parse(&assemble(findings, &told(findings))).unwrap_or_default()
}

/// What there is to tell about every session.
pub(super) fn told(findings: &Findings) -> Vec<Told> {
    findings.sessions.iter().map(Told::of).collect()
}

/// The report as JSON text, in pieces: what stands around the sessions, and one after the other.
#[derive(Debug)]
pub(super) struct Pieces {
    findings: Findings,
    models: Models,
    sessions: std::vec::IntoIter<Told>,
    /// The session that is being told, and how many of its requests were.
    begun: Option<(Told, usize)>,
    number: usize,
}

impl Pieces {
    /// The report of what was told.
    pub fn new(findings: Findings, told: Vec<Told>) -> Self {
        let sessions = told.into_iter();
        Self { models: models(sessions.as_slice()), findings, sessions, begun: None, number: 0 }
    }

    /// The JSON text of the next piece: a session with its first requests, or a list of more
    /// requests of it. Where of a request the same is unknown as of the one before, that is `null`.
    pub fn piece(&mut self) -> Option<String> {
        let (told, from) = match self.begun.take() {
            Some(begun) => begun,
            None => (self.sessions.next()?, 0),
        };
        let end = told.rows.len().min(from + PIECE);
        let mut text = String::with_capacity((end - from) * ROOM);
        let is_first = from == 0;
        if is_first {
            told.write_head(&mut text);
        }
        let (models, findings) = (&self.models, &self.findings);
        told.write_rows(from..end, true, findings, models, &mut self.number, &mut text);
        text.push_str(if is_first { "}" } else { "" });
        if end < told.rows.len() {
            self.begun = Some((told, end));
        }
        Some(text)
    }

    /// The JSON text of everything else, with an empty list of sessions.
    pub fn around(&self) -> String {
        let (start, end) = around(&self.findings, &self.models);
        start + &end
    }

    /// The JSON text of the whole report.
    pub fn whole(self) -> String {
        assemble_with(&self.findings, self.sessions.as_slice(), &self.models)
    }
}

/// About how long the text of a request is.
const ROOM: usize = 900;

/// How many requests cross to a host at once.
const PIECE: usize = 1000;

/// The JSON text of the report, from what was told.
pub(super) fn assemble(findings: &Findings, told: &[Told]) -> String {
    assemble_with(findings, told, &models(told))
}

fn assemble_with(findings: &Findings, told: &[Told], models: &Models) -> String {
    let (mut text, end) = around(findings, models);
    let mut number = 0;
    for (at, session) in told.iter().enumerate() {
        text.push_str(if at > 0 { "," } else { "" });
        session.write_head(&mut text);
        let all = 0..session.rows.len();
        session.write_rows(all, false, findings, models, &mut number, &mut text);
        text.push('}');
    }
    text + &end
}

/// What stands before and behind the sessions.
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

impl Told {
    /// Everything before the list of requests.
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

    /// A list of requests.
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
    /// What an import found.
    pub struct ImportReport {
        pub files: Vec<ImportedFile>,
        /// The one with the newest request last.
        pub sessions: Vec<ImportedSession>,
        /// For each model, over the requests that their log holds whole: what was recorded, what is
        /// estimated, and the factor between them.
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
        /// What 100 estimated tokens are for the model; `null` where nothing is estimated.
        pub factor_percent: Option<u64>,
        /// How far the estimates of single requests are off, in hundredths of what was recorded.
        pub off_percent: Option<u64>,
        /// The same with every estimate multiplied by the factor.
        pub off_percent_scaled: Option<u64>,
    }

    pub struct ImportNote {
        pub code: crate::import::lint::ImportLint,
        pub origin: ImportOrigin,
        pub message: String,
    }

    /// Where something was read.
    pub struct ImportOrigin {
        pub file: Option<String>,
        /// From 1; absent where the file is one value.
        pub line: Maybe<u64>,
        /// A JSON pointer; absent for the whole.
        pub pointer: Maybe<String>,
    }

    /// One request of a session.
    pub struct ImportedRequest {
        /// Its number among all requests of the import, from 0.
        pub request: usize,
        pub kind: Word<"main", "sub", "compaction", "side">,
        /// The box with everything the request held, as far as the log has it.
        pub box_id: String,
        /// The box with the answer; absent where the log has none.
        pub answer_box_id: Maybe<String>,
        pub model: Option<String>,
        pub api: Option<Word<"openai_chat", "openai_responses", "anthropic", "gemini">>,
        pub agent: Option<String>,
        pub at: Option<String>,
        pub origin: ImportOrigin,
        pub messages: usize,
        pub tools: usize,
        /// How many messages it begins with as the request before did.
        pub shared: usize,
        pub came: usize,
        pub went: usize,
        /// True when a summary stands for what went.
        pub compacted: bool,
        /// The box of the summary that stands for what went, over the boxes that it covers; absent
        /// where nothing was compacted.
        pub summary_box_id: Maybe<String>,
        /// How often it was repeated after a failure.
        pub retries: usize,
        /// Tokens as the log recorded them.
        pub recorded: RecordedTokens,
        /// An estimate of the tokens of what the log holds.
        pub estimated: u64,
        /// The estimate as the model counts; `null` where `calibration` does not know the model.
        pub calibrated: Option<u64>,
        /// Recorded tokens that are not in the log; `null` where nothing is missing.
        pub residual: Option<u64>,
        pub unknown: Vec<ImportUnknown>,
    }

    pub struct RecordedTokens {
        pub input: Option<u64>,
        pub output: Option<u64>,
        pub cached: Option<u64>,
    }

    /// Something that cannot be known from the log, and why.
    pub struct ImportUnknown {
        pub what: UnknownWhat,
        pub why: String,
    }

    /// What of a request a log may not hold.
    pub type UnknownWhat = Word<
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

/// The members of an object that is written: a report is mostly thousands of them.
struct Members<'a> {
    out: &'a mut String,
    is_first: bool,
}

impl Members<'_> {
    fn key(&mut self, key: &str) -> &mut String {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(',');
        }
        write_string(key, self.out);
        self.out.push(':');
        self.out
    }

    fn text(&mut self, key: &str, value: Option<&str>) {
        let out = self.key(key);
        match value {
            Some(value) => write_string(value, out),
            None => out.push_str("null"),
        }
    }

    fn count(&mut self, key: &str, value: Option<u64>) {
        let out = self.key(key);
        match value {
            Some(value) => write_whole(value, out),
            None => out.push_str("null"),
        }
    }

    fn whole(&mut self, key: &str, value: usize) {
        self.count(key, Some(value as u64));
    }
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
        let moment = |micros: i64| crate::Timestamp::from_millis(micros.div_euclid(1000));
        to.text("at", self.at.map(|micros| moment(micros).to_string()).as_deref());
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
        to.count("estimated", Some(self.estimated));
        to.count("calibrated", self.calibrated(models));
        to.count("residual", self.residual(models));
        to.key("unknown");
    }

    /// What cannot be known of the request.
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

/// Whether something that may be missing costs tokens.
const fn costs(what: What) -> bool {
    !matches!(what, What::Params | What::Order)
}

/// True when something that costs tokens cannot be known of a request.
fn lacks(request: &Request) -> bool {
    request.unknown.iter().any(|unknown| costs(unknown.what))
}
