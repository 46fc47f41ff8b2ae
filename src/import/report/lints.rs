//! The lints of an import.

use super::{SessionReport, costs, models, sessions_of};
use crate::import::lint::ImportLint;
use crate::import::model::{Findings, Request, Unknown};
use crate::{Lint, Path};

/// Returns the lints of an import: every note, and what is unknown about the last request.
///
/// ```
/// use tuckbox::import::{ImportLint, SourceFile, import, report};
///
/// let found = import(&[SourceFile { name: "broken.json", bytes: br#"{"model": "gpt-5", "messages": ["# }]);
/// assert!(report::lints(&found).iter().any(|lint| lint.code == ImportLint::BrokenJson));
/// ```
pub fn lints(findings: &Findings) -> Vec<Lint> {
    lints_of(findings, &sessions_of(findings))
}

/// As [`lints`], from the reports of the sessions.
pub(in crate::import) fn lints_of(findings: &Findings, sessions: &[SessionReport]) -> Vec<Lint> {
    let notes = findings.notes.iter().map(|note| {
        let name = findings.files.get(note.origin.file).map_or("", |file| file.name.as_str());
        let line = note.origin.line.map(|line| format!(":{line}")).unwrap_or_default();
        Lint::new(note.code, file(note.origin.file), format!("{name}{line}: {}", note.message))
    });
    let mut lints: Vec<Lint> = notes.collect();
    let models = models(sessions);
    let last = sessions.iter().rfind(|session| session.is_main).or(sessions.last());
    let unknown = last.and_then(|session| Some((session, session.last.as_ref()?)));
    if let Some((session, (unknown, at))) = unknown {
        lints.extend(unknown.iter().cloned());
        if let Some(row) = session.rows.get(*at)
            && let Some(rest) = row.residual(&models)
        {
            let costly = row.unknown.iter().filter(|unknown| costs(unknown.what));
            let what = costly.map(|unknown| unknown.what.as_str()).collect::<Vec<_>>().join(", ");
            let message = format!("{rest} tokens of the last request are not in the log: {what}");
            lints.push(Lint::new(ImportLint::TokensNotInLog, file(row.origin.file), message));
        }
    }
    lints
}

fn file(at: usize) -> Path {
    Path::root().key("files").index(at)
}

/// Returns what is unknown about a request.
pub(super) fn unknown_lints(request: &Request) -> Vec<Lint> {
    let lint = |unknown: &Unknown| {
        let message = format!("`{}` is unknown: {}", unknown.what.as_str(), unknown.why);
        Lint::new(ImportLint::CannotBeKnown, file(request.origin.file), message)
    };
    request.unknown.iter().map(lint).collect()
}
