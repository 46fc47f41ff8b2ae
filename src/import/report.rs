//! The report of an import: what was recognised, what was left out and why, and what cannot be
//! known; with the tokens that were recorded against those that the log accounts for.

use super::model::{Findings, Part, Request, Session, What};
use super::project::{box_id, place};
use crate::import::lint::ImportLint;
use crate::prompt::tokens::{Counter, Estimate};
use crate::value::json::{Json, Object};
use crate::{Lint, Path};
use std::collections::BTreeMap;

/// An estimate of the tokens of what the log holds of a request.
pub fn estimated(session: &Session, request: &Request) -> u64 {
    let system: u64 = request.system.iter().map(|words| Estimate.count(words)).sum();
    let tools: u64 = request
        .tools
        .iter()
        .filter(|tool| tool.schema.is_some() || tool.description.is_some())
        .map(|tool| {
            let schema = tool.schema.as_ref().map(Json::to_string).unwrap_or_default();
            Estimate.count(&tool.name)
                + Estimate.count(tool.description.as_deref().unwrap_or(""))
                + Estimate.count(&schema)
        })
        .sum();
    let said: u64 = session
        .messages(request.tail)
        .iter()
        .flat_map(|message| &message.parts)
        .map(part_tokens)
        .sum();
    system + tools + said
}

fn part_tokens(part: &Part) -> u64 {
    match part {
        Part::Text(text) | Part::Reasoning { text, .. } => Estimate.count(text),
        Part::Call { name, arguments, .. } => {
            Estimate.count(name) + Estimate.count(&arguments.to_string())
        }
        Part::Result { content: Json::String(text), .. } => Estimate.count(text),
        Part::Result { content, .. } => Estimate.count(&content.to_string()),
        // what a picture costs is the provider's secret
        Part::Image(_) | Part::File(_) => 0,
        Part::Unknown(value) => Estimate.count(&value.to_string()),
    }
}

/// The tokens of a request that were recorded and are not in the log, where it lacks something
/// that costs tokens.
pub fn residual(request: &Request, estimated: u64) -> Option<u64> {
    let rest = request.usage.input?.checked_sub(estimated)?;
    (lacks(request) && rest > 0).then_some(rest)
}

/// The whole report.
pub fn report(findings: &Findings) -> Json {
    let files = findings.files.iter().map(|file| {
        Json::from([("name", Json::from(file.name.as_str())), ("format", Json::from(file.format))])
    });
    let mut number = 0;
    let sessions = findings.sessions.iter().map(|session| {
        let mut out = Object::default();
        out.insert("id".into(), session.id.as_str().into());
        out.insert("source".into(), session.source.into());
        if let Some(parent) = &session.parent {
            out.insert("parent".into(), parent.as_str().into());
        }
        if let Some(agent) = &session.agent {
            out.insert("agent".into(), agent.as_str().into());
        }
        let mut before: Vec<usize> = Vec::new();
        let requests = session.requests.iter().enumerate().map(|(at, request)| {
            let path = session.path(request.tail);
            let row = row(findings, session, request, at, number, &before, &path);
            before = path;
            number += 1;
            row
        });
        out.insert("requests".into(), requests.collect());
        Json::Object(out)
    });
    let sessions: Json = sessions.collect();
    let notes = findings.notes.iter().map(|note| {
        let mut out = Object::default();
        out.insert("code".into(), note.code.as_str().into());
        out.insert("origin".into(), place(&note.origin, findings));
        out.insert("message".into(), note.message.as_str().into());
        Json::Object(out)
    });
    Json::from([
        ("files", files.collect()),
        ("sessions", sessions),
        ("notes", notes.collect::<Json>()),
        ("calibration", calibration(findings)),
    ])
}

/// How far the estimate is off for each model, over the requests that their log holds whole: what
/// was recorded, what is estimated, and what to multiply an estimate with, in hundredths.
fn calibration(findings: &Findings) -> Json {
    let mut models: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
    for session in &findings.sessions {
        for request in &session.requests {
            let (Some(model), Some(input)) = (request.model.as_deref(), request.usage.input) else {
                continue;
            };
            if !lacks(request) {
                let sums = models.entry(model).or_default();
                *sums = (sums.0 + 1, sums.1 + input, sums.2 + estimated(session, request));
            }
        }
    }
    let rows = models.into_iter().map(|(model, (requests, recorded, estimated))| {
        Json::from([
            ("model", Json::from(model)),
            ("requests", requests.into()),
            ("recorded", recorded.into()),
            ("estimated", estimated.into()),
            ("factor_percent", (recorded * 100).checked_div(estimated).into()),
        ])
    });
    rows.collect()
}

/// True when something that costs tokens cannot be known of a request.
fn lacks(request: &Request) -> bool {
    let costs = |what: What| what != What::Params && what != What::Order;
    let media = |part: &Part| matches!(part, Part::Image(_) | Part::File(_));
    request.unknown.iter().any(|unknown| costs(unknown.what)) || request.output.iter().any(media)
}

fn row(
    findings: &Findings,
    session: &Session,
    request: &Request,
    at: usize,
    number: usize,
    before: &[usize],
    path: &[usize],
) -> Json {
    let estimated = estimated(session, request);
    let shared = before.iter().zip(path).take_while(|(a, b)| a == b).count();
    let compacted = path.iter().any(|at| session.covered(*at).is_some()) && shared < before.len();
    let mut out = Object::default();
    let mut put = |key: &str, value: Json| out.insert(key.to_owned(), value);
    put("request", number.into());
    put("kind", request.kind.as_str().into());
    put("box_id", box_id(session, at).into());
    if !request.output.is_empty() {
        put("answer_box_id", format!("{}_answer", box_id(session, at)).into());
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
    put("messages", path.len().into());
    put("tools", request.tools.len().into());
    put("shared", shared.into());
    put("came", (path.len() - shared).into());
    put("went", (before.len() - shared).into());
    put("compacted", compacted.into());
    put("retries", request.retries.into());
    put(
        "recorded",
        Json::from([
            ("input", request.usage.input),
            ("output", request.usage.output),
            ("cached", request.usage.cached),
        ]),
    );
    put("estimated", estimated.into());
    put("residual", residual(request, estimated).into());
    let unknown = request
        .unknown
        .iter()
        .map(|unknown| Json::from([("what", unknown.what.as_str()), ("why", unknown.why)]));
    put("unknown", unknown.collect());
    Json::Object(out)
}

/// What should be known about an import: every note, and what the last request lacks.
pub fn lints(findings: &Findings) -> Vec<Lint> {
    let file = |at: usize| Path::root().key("files").index(at);
    let mut lints: Vec<Lint> = findings
        .notes
        .iter()
        .map(|note| {
            let name = findings.files.get(note.origin.file).map_or("", |file| file.name.as_str());
            let line = note.origin.line.map(|line| format!(":{line}")).unwrap_or_default();
            Lint::new(note.code, file(note.origin.file), format!("{name}{line}: {}", note.message))
        })
        .collect();
    if let Some((session, request)) = super::neutral::last(findings) {
        let at = file(request.origin.file);
        for unknown in request.unknown.iter() {
            let message = format!("`{}` cannot be known: {}", unknown.what.as_str(), unknown.why);
            lints.push(Lint::new(ImportLint::CannotBeKnown, at.clone(), message));
        }
        if let Some(rest) = residual(request, estimated(session, request)) {
            let what: Vec<&str> = request
                .unknown
                .iter()
                .filter(|unknown| unknown.what != What::Params && unknown.what != What::Order)
                .map(|unknown| unknown.what.as_str())
                .collect();
            let message = format!(
                "{rest} tokens of the last request are not in the log: {}",
                what.join(", ")
            );
            lints.push(Lint::new(ImportLint::TokensNotInLog, at, message));
        }
    }
    lints
}
