//! Finds and reads the files of recorded cases.

use crate::tree;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use tuckbox::Json;

/// A file of recorded cases.
pub struct VectorFile {
    /// The file's name without `.json`; it also names the adaptor.
    pub name: String,
    /// The worlds that cases share. `null` if there are none.
    pub worlds: Json,
    /// The cases in the order of the file.
    pub cases: Vec<Case>,
}

impl VectorFile {
    /// Returns the world of a case. `null` if it names none.
    pub fn world(&self, case: &Case) -> &Json {
        let named = case.input.get("world").and_then(Json::as_str);
        named.and_then(|name| self.worlds.get(name)).unwrap_or(&Json::Null)
    }
}

/// A recorded case.
pub struct Case {
    pub name: String,
    pub input: Json,
    pub tags: Vec<String>,
    /// The expected outcome of each label. The label is empty if the case has only one outcome.
    pub expected: Vec<(String, Expected)>,
}

/// A recorded outcome.
pub enum Expected {
    Ok(Json),
    Error { kind: String, errors: Option<Json> },
}

/// Reads every `*.json` file of `dir`, in the order of their names.
pub fn read_all(dir: &Path) -> Result<Vec<VectorFile>> {
    let mut paths = Vec::new();
    let entries = std::fs::read_dir(dir)
        .with_context(|| format!("cannot list the folder `{}`", tree::shown(dir)))?;
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") && path.is_file() {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        bail!("the folder `{}` has no `*.json` file of recorded cases", tree::shown(dir));
    }
    paths.sort();
    paths.iter().map(read).collect()
}

fn read(path: &PathBuf) -> Result<VectorFile> {
    let shown = tree::shown(path);
    let bytes = std::fs::read(path).with_context(|| format!("cannot read `{shown}`"))?;
    let json = Json::parse_bytes(&bytes, &tuckbox::value::json::ParseLimits::default())
        .with_context(|| format!("cannot parse `{shown}`"))?;
    let cases = json
        .get("cases")
        .and_then(Json::as_array)
        .with_context(|| format!("`{shown}` has no list `cases`"))?;
    let cases = cases
        .iter()
        .enumerate()
        .map(|(at, case)| read_case(case).with_context(|| format!("`cases[{at}]` of `{shown}`")))
        .collect::<Result<Vec<_>>>()?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    Ok(VectorFile {
        name: name.unwrap_or_default(),
        worlds: json.get("worlds").cloned().unwrap_or_default(),
        cases,
    })
}

fn read_case(case: &Json) -> Result<Case> {
    let name = case.get("name").and_then(Json::as_str).context("a case has no string `name`")?;
    if case.get("steps").is_some() {
        return Ok(Case {
            name: name.to_owned(),
            input: case.clone(),
            tags: Vec::new(),
            expected: vec![(String::new(), Expected::Ok(super::recorded::expected(case)))],
        });
    }
    let input = case.get("input").context("a case has no `input`")?;
    let expect = case.get("expect").context("a case has no `expect`")?;
    let tags = case.get("tags").and_then(Json::as_array).unwrap_or_default();
    Ok(Case {
        name: name.to_owned(),
        input: input.clone(),
        tags: tags.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        expected: read_expect(expect),
    })
}

/// Reads `{"ok"|"error": ...}` as one outcome, and an object of such values as one outcome per key.
/// Any other value (`scalar_text`) is the value of one successful outcome.
fn read_expect(expect: &Json) -> Vec<(String, Expected)> {
    if let Some(outcome) = read_outcome(expect) {
        return vec![(String::new(), outcome)];
    }
    let labelled = expect.as_object().and_then(|outcomes| {
        outcomes
            .iter()
            .map(|(label, outcome)| Some((label.clone(), read_outcome(outcome)?)))
            .collect::<Option<Vec<_>>>()
    });
    match labelled {
        Some(outcomes) if !outcomes.is_empty() => outcomes,
        _ => vec![(String::new(), Expected::Ok(expect.clone()))],
    }
}

fn read_outcome(outcome: &Json) -> Option<Expected> {
    if let Some(ok) = outcome.get("ok") {
        return Some(Expected::Ok(ok.clone()));
    }
    let error = outcome.get("error")?;
    let kind = error.get("kind").and_then(Json::as_str)?;
    Some(Expected::Error { kind: kind.to_owned(), errors: error.get("errors").cloned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(expect: &str) -> Vec<String> {
        read_expect(&Json::parse(expect).unwrap()).into_iter().map(|(label, _)| label).collect()
    }

    #[test]
    fn single_outcome_has_no_label() {
        assert_eq!(labels(r#"{"ok": 1}"#), [""]);
        assert_eq!(labels(r#"{"error": {"kind": "internal"}}"#), [""]);
        assert_eq!(
            labels(r#"{"v1r3": {"ok": 1}, "v1r4": {"error": {"kind": "x"}}}"#),
            ["v1r3", "v1r4"]
        );
        assert_eq!(labels(r#"{"python_str": "None"}"#), [""]);
    }
}
