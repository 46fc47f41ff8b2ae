//! What should be known about an import.

use super::{Told, costs, models, told};
use crate::import::lint::ImportLint;
use crate::import::model::{Findings, Request, Unknown};
use crate::{Lint, Path};

/// What should be known about an import: every note, and what the last request lacks.
///
/// ```
/// use tuckbox::import::{ImportLint, SourceFile, import, report};
///
/// let found = import(&[SourceFile { name: "broken.json", bytes: br#"{"model": "gpt-5", "messages": ["# }]);
/// assert!(report::lints(&found).iter().any(|lint| lint.code == ImportLint::BrokenJson));
/// ```
pub fn lints(findings: &Findings) -> Vec<Lint> {
    lints_of(findings, &told(findings))
}

/// As [`lints`], from what was told.
pub(in crate::import) fn lints_of(findings: &Findings, told: &[Told]) -> Vec<Lint> {
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
            lints.push(Lint::new(ImportLint::TokensNotInLog, file(row.origin.file), message));
        }
    }
    lints
}

fn file(at: usize) -> Path {
    Path::root().key("files").index(at)
}

/// What cannot be known of a request.
pub(super) fn unknown_lints(request: &Request) -> Vec<Lint> {
    let lint = |unknown: &Unknown| {
        let message = format!("`{}` cannot be known: {}", unknown.what.as_str(), unknown.why);
        Lint::new(ImportLint::CannotBeKnown, file(request.origin.file), message)
    };
    request.unknown.iter().map(lint).collect()
}
