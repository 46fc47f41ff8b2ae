//! The report of an import: what was recognised, what was left out and why, and what cannot be
//! known; with the tokens that were recorded against those that the log accounts for.

use super::model::{Findings, Request, Session, Unknown, What};
use super::project::{Names, place};
use super::sums::Sums;
use crate::import::lint::ImportLint;
use crate::prompt::tokens::Calibration;
use crate::value::json::{Json, Object};
use crate::{Lint, Path};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the report says about one session. Of a large import this is all that is kept.
#[derive(Debug)]
pub struct Told {
    /// The JSON text of the session up to its requests.
    head: String,
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
    /// The JSON text of its members behind the number and before the estimate.
    text: String,
    unknown: Arc<Vec<Unknown>>,
    file: usize,
    model: Option<Box<str>>,
    estimated: u64,
    /// The recorded tokens, where something that costs tokens is not in the log.
    lacking: Option<u64>,
}

impl Told {
    /// Tells about a session.
    pub fn of(findings: &Findings, session: &Session) -> Self {
        let mut sums = Sums::of(session);
        let names = Names::of(session);
        let mut out = Object::default();
        out.insert("id".into(), session.id.as_str().into());
        out.insert("source".into(), session.source.into());
        if let Some(parent) = &session.parent {
            out.insert("parent".into(), parent.as_str().into());
        }
        if let Some(agent) = &session.agent {
            out.insert("agent".into(), agent.as_str().into());
        }
        let mut before = None;
        let mut rows = Vec::with_capacity(session.requests.len());
        let mut models: BTreeMap<String, Calibration> = BTreeMap::new();
        for (at, request) in session.requests.iter().enumerate() {
            let estimated = sums.estimated(request);
            let lacks = lacks(request);
            rows.push(Row {
                text: members(&row(findings, &names, at, request, before, &sums)),
                unknown: Arc::clone(&request.unknown),
                file: request.origin.file,
                model: request.model.as_deref().map(Into::into),
                estimated,
                lacking: request.usage.input.filter(|_| lacks),
            });
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
            Some((unknown_lints(last), at))
        });
        Self { head: members(&out), rows, models, is_main, last }
    }

    /// How many requests the session has.
    pub fn requests(&self) -> usize {
        self.rows.len()
    }
}

/// The JSON text of the members of an object.
fn members(object: &Object) -> String {
    let text = Json::Object(object.clone()).to_string();
    text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or_default().to_owned()
}

/// What is known about the models over all sessions.
type Models<'a> = BTreeMap<&'a str, Calibration>;

fn models(told: &[Told]) -> Models<'_> {
    let mut models: Models<'_> = BTreeMap::new();
    for (model, more) in told.iter().flat_map(|told| &told.models) {
        models.entry(model).or_default().extend(more);
    }
    models
}

impl Row {
    /// The estimate as the model counts, where that is known.
    fn calibrated(&self, models: &Models<'_>) -> Option<u64> {
        let scaled = models.get(self.model.as_deref()?)?.scaled()?;
        Some(scaled.of(self.estimated))
    }

    /// The recorded tokens that are not in the log, where it lacks something that costs tokens.
    fn residual(&self, models: &Models<'_>) -> Option<u64> {
        let known = self.calibrated(models).unwrap_or(self.estimated);
        self.lacking?.checked_sub(known).filter(|rest| *rest > 0)
    }
}

/// The whole report.
pub fn report(findings: &Findings) -> Json {
    let told: Vec<Told> =
        findings.sessions.iter().map(|session| Told::of(findings, session)).collect();
    // it was written here just now
    Json::parse(&assemble(findings, &told)).unwrap_or_default()
}

/// The JSON text of the report.
pub(super) fn assemble(findings: &Findings, told: &[Told]) -> String {
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
    let models = models(told);
    let mut text = format!(r#"{{"files":{files},"sessions":["#);
    let mut number = 0;
    for (at, session) in told.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        text.push_str(&format!(r#"{comma}{{{},"requests":["#, session.head));
        for (at, row) in session.rows.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            let Row { text: said, estimated, .. } = row;
            let unknown = unknown(&row.unknown);
            let calibrated = Json::from(row.calibrated(&models));
            let residual = Json::from(row.residual(&models));
            text.push_str(&format!(r#"{comma}{{"request":{number},{said},"estimated":{estimated},"calibrated":{calibrated},"residual":{residual},"unknown":{unknown}}}"#));
            number += 1;
        }
        text.push_str("]}");
    }
    let calibration: Json = models.iter().map(|(model, known)| known.row(model)).collect();
    text.push_str(&format!(r#"],"notes":{notes},"calibration":{calibration}}}"#));
    text
}

/// Whether something that may be missing costs tokens.
const fn costs(what: What) -> bool {
    !matches!(what, What::Params | What::Order)
}

/// True when something that costs tokens cannot be known of a request.
fn lacks(request: &Request) -> bool {
    request.unknown.iter().any(|unknown| costs(unknown.what))
}

fn row(
    findings: &Findings,
    names: &Names,
    at: usize,
    request: &Request,
    before: Option<usize>,
    sums: &Sums,
) -> Object {
    let (messages, were) = (sums.messages(request.tail), sums.messages(before));
    let shared = sums.shared(before, request.tail);
    let summary = sums.summary(request.tail);
    let compacted = summary.is_some() && shared < were;
    let mut out = Object::default();
    let mut put = |key: &str, value: Json| out.insert(key.to_owned(), value);
    put("kind", request.kind.as_str().into());
    put("box_id", names.request(at).into());
    if !request.output.is_empty() {
        put("answer_box_id", format!("{}_answer", names.request(at)).into());
    }
    put("model", request.model.as_deref().into());
    put("api", request.api.into());
    put("agent", request.agent.as_deref().into());
    put(
        "at",
        request
            .at
            .map(|micros| crate::Timestamp::from_millis(micros.div_euclid(1000)).to_string())
            .into(),
    );
    put("origin", place(&request.origin, findings));
    put("messages", messages.into());
    put("tools", request.tools.len().into());
    put("shared", shared.into());
    put("came", (messages - shared).into());
    put("went", (were - shared).into());
    put("compacted", compacted.into());
    if let Some(summary) = summary {
        put("summary_box_id", names.summary(summary).into());
    }
    put("retries", request.retries.into());
    put(
        "recorded",
        Json::from([
            ("input", request.usage.input),
            ("output", request.usage.output),
            ("cached", request.usage.cached),
        ]),
    );
    out
}

fn unknown(unknown: &[Unknown]) -> Json {
    unknown.iter().map(|one| Json::from([("what", one.what.as_str()), ("why", one.why)])).collect()
}

/// What should be known about an import: every note, and what the last request lacks.
pub fn lints(findings: &Findings) -> Vec<Lint> {
    let told: Vec<Told> =
        findings.sessions.iter().map(|session| Told::of(findings, session)).collect();
    lints_of(findings, &told)
}

/// As [`lints`], from what was told.
pub(super) fn lints_of(findings: &Findings, told: &[Told]) -> Vec<Lint> {
    let notes = findings.notes.iter().map(|note| {
        let name = findings.files.get(note.origin.file).map_or("", |file| file.name.as_str());
        let line = note.origin.line.map(|line| format!(":{line}")).unwrap_or_default();
        Lint::new(note.code, file(note.origin.file), format!("{name}{line}: {}", note.message))
    });
    let mut lints: Vec<Lint> = notes.collect();
    let models = models(told);
    let last = told.iter().rfind(|told| told.is_main).or(told.last());
    if let Some((told, (unknown, at))) = last.and_then(|told| Some((told, told.last.as_ref()?))) {
        lints.extend(unknown.iter().cloned());
        if let Some(row) = told.rows.get(*at)
            && let Some(rest) = row.residual(&models)
        {
            let costly = row.unknown.iter().filter(|unknown| costs(unknown.what));
            let what = costly.map(|unknown| unknown.what.as_str()).collect::<Vec<_>>().join(", ");
            let message = format!("{rest} tokens of the last request are not in the log: {what}");
            lints.push(Lint::new(ImportLint::TokensNotInLog, file(row.file), message));
        }
    }
    lints
}

fn file(at: usize) -> Path {
    Path::root().key("files").index(at)
}

/// What cannot be known of a request.
fn unknown_lints(request: &Request) -> Vec<Lint> {
    let lint = |unknown: &Unknown| {
        let message = format!("`{}` cannot be known: {}", unknown.what.as_str(), unknown.why);
        Lint::new(ImportLint::CannotBeKnown, file(request.origin.file), message)
    };
    request.unknown.iter().map(lint).collect()
}
