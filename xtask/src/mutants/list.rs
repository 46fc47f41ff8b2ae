//! Reads and checks the lists of mutants.

use anyhow::{Context, Result, bail};

/// One planted bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// A description of the bug.
    pub what: String,
    /// The changed places.
    pub sites: Vec<Site>,
    /// The tests that must detect it.
    pub tests: Vec<String>,
}

/// An expression that a mutant replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The file, from the root of the repository.
    pub file: String,
    /// The text before the expression, the expression, and the text after it.
    pub at: (String, String, String),
    /// The expression that replaces it.
    pub to: String,
    /// True for a part of a template literal.
    pub is_template: bool,
}

const OPEN: &str = "«";
const CLOSE: &str = "»";

/// Reads a list. An entry is a line `= what`, then lines `file`, `at` and `to` for each place, then a
/// line `tests`. In `at` the expression is between `«` and `»`, and `\n` is a line break. A line `text`
/// instead of `to` replaces a part of a template literal.
pub fn read(text: &str) -> Result<Vec<Mutant>> {
    let mut mutants = Vec::new();
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let mut entry: Vec<&str> = Vec::new();
    for line in lines {
        if line.starts_with("= ") && !entry.is_empty() {
            mutants.push(mutant(&entry)?);
            entry.clear();
        }
        entry.push(line);
    }
    if !entry.is_empty() {
        mutants.push(mutant(&entry)?);
    }
    Ok(mutants)
}

fn mutant(lines: &[&str]) -> Result<Mutant> {
    let (mut what, mut file, mut at, mut tests) = (None, None, None, Vec::new());
    let mut sites = Vec::new();
    for line in lines {
        let (name, value) = line.split_once(' ').with_context(|| format!("no value: `{line}`"))?;
        let value = value.trim();
        match name {
            "=" => what = Some(value.to_owned()),
            "file" => file = Some(value.to_owned()),
            "at" => at = Some(place(value)?),
            "to" | "text" => sites.push(Site {
                file: file.clone().with_context(|| format!("no `file` before `{line}`"))?,
                at: at.take().with_context(|| format!("no `at` before `{line}`"))?,
                to: value.to_owned(),
                is_template: name == "text",
            }),
            "tests" => tests = value.split_whitespace().map(str::to_owned).collect(),
            _ => bail!("`{name}` is not part of an entry: {lines:?}"),
        }
    }
    if at.is_some() || sites.is_empty() || tests.is_empty() {
        bail!("incomplete entry: {lines:?}");
    }
    let what = what.with_context(|| format!("an entry without `=`: {lines:?}"))?;
    Ok(Mutant { what, sites, tests })
}

fn place(text: &str) -> Result<(String, String, String)> {
    let text = text.replace("\\n", "\n");
    let (before, rest) =
        text.split_once(OPEN).with_context(|| format!("no `{OPEN}` in `{text}`"))?;
    let (from, after) =
        rest.split_once(CLOSE).with_context(|| format!("no `{CLOSE}` in `{text}`"))?;
    Ok((before.to_owned(), from.to_owned(), after.to_owned()))
}

impl Mutant {
    /// Returns the files that it changes.
    pub fn files(&self) -> Vec<&str> {
        let mut files: Vec<&str> = self.sites.iter().map(|site| site.file.as_str()).collect();
        files.dedup();
        files
    }

    /// Returns true if the description or a file contains this text.
    pub fn mentions(&self, text: &str) -> bool {
        self.what.contains(text) || self.files().iter().any(|file| file.contains(text))
    }

    /// Returns true if it changes JavaScript.
    pub fn is_script(&self) -> bool {
        self.files().iter().any(|file| !file.ends_with(".rs"))
    }
}

impl Site {
    /// Adds the replacement with a switch that the number of the mutant selects.
    pub fn plant(&self, source: &str, number: usize) -> Result<String> {
        let (before, from, after) = &self.at;
        let whole = format!("{before}{from}{after}");
        match source.matches(&whole).count() {
            1 => {}
            count => bail!("found {count} times in `{}`, expected once: `{whole}`", self.file),
        }
        let to = &self.to;
        let is_selected = format!("globalThis.process?.env.TUCKBOX_MUTANT === \"{number}\"");
        let switched = if self.file.ends_with(".rs") {
            format!("(if crate::planted({number}) {{ {to} }} else {{ {from} }})")
        } else if self.is_template {
            format!("${{{is_selected} ? `{to}` : `{from}`}}")
        } else {
            format!("({is_selected} ? ({to}) : ({from}))")
        };
        Ok(source.replacen(&whole, &format!("{before}{switched}{after}"), 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::Stdio;
    use tuckbox::Json;

    const TEXT: &str = "# a remark\n= the end counts\nfile src/a.rs\nat if «end <= now» {\nto end < now\ntests lib laws\n";

    #[test]
    fn an_entry_is_read_and_planted_behind_its_number() {
        let list = read(&TEXT.repeat(2)).unwrap();
        assert_eq!(list.len(), 2);
        assert_eq!(list[0].tests, ["lib", "laws"]);
        assert_eq!(
            list[0].sites[0].plant("x\nif end <= now { 1 }", 7).unwrap(),
            "x\nif (if crate::planted(7) { end < now } else { end <= now }) { 1 }"
        );
    }

    #[test]
    fn an_entry_can_change_several_places() {
        let more =
            TEXT.replacen("tests", "at «1» + 1\nto 2\nfile src/b.rs\nat «x»\nto y\ntests", 1);
        let list = read(&more).unwrap();
        assert_eq!(list[0].sites.len(), 3);
        assert_eq!(list[0].files(), ["src/a.rs", "src/b.rs"]);
    }

    #[test]
    fn a_part_of_a_template_literal_stays_in_it() {
        let entry = "= no check\nfile pkg/a.js\nat where «a = ${b}»;\ntext true\ntests a.mjs\n";
        let planted = read(entry).unwrap()[0].sites[0].plant("`where a = ${b};`", 3).unwrap();
        let switch = "globalThis.process?.env.TUCKBOX_MUTANT === \"3\"";
        assert_eq!(planted, format!("`where ${{{switch} ? `true` : `a = ${{b}}`}};`"));
    }

    #[test]
    fn a_place_that_is_not_found_exactly_once_is_an_error() {
        let list = read(TEXT).unwrap();
        for source in ["", "if end <= now { if end <= now {"] {
            assert!(list[0].sites[0].plant(source, 1).is_err());
        }
    }

    #[test]
    fn an_incomplete_entry_is_an_error() {
        for line in ["file src/a.rs\n", "to end < now\n", "tests lib laws\n", "«"] {
            assert!(read(&TEXT.replacen(line, "", 1)).is_err(), "{line}");
        }
    }

    #[test]
    fn the_lists_are_long_enough_and_every_place_is_found() {
        let all = crate::mutants::all().unwrap();
        assert!(all.len() >= 200, "{}", all.len());
        let scripts = all.iter().filter(|mutant| mutant.is_script()).count();
        assert!(scripts >= 100, "{scripts}");
        let changed = crate::mutants::copy::changed(&all).unwrap();
        let scripts: Vec<Json> = changed
            .into_iter()
            .filter(|(file, _)| file.ends_with(".js"))
            .map(|(file, text)| Json::Array(vec![file.into(), text.into()]))
            .collect();
        assert_eq!(unreadable(scripts), "");
    }

    /// Returns the errors of JavaScript modules that Node cannot parse; each is a name and a text.
    fn unreadable(scripts: Vec<Json>) -> String {
        const PARSE: &str = "const { readFileSync } = require('node:fs');
            const { SourceTextModule } = require('node:vm');
            for (const [identifier, text] of JSON.parse(readFileSync(0, 'utf8')))
              try { new SourceTextModule(text, { identifier }); } catch (error) { console.log(identifier, error.message); }";
        let mut node = crate::npm::node()
            .args(["--experimental-vm-modules", "--no-warnings", "--eval", PARSE])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        node.stdin.take().unwrap().write_all(Json::Array(scripts).to_string().as_bytes()).unwrap();
        let done = node.wait_with_output().unwrap();
        assert!(done.status.success());
        String::from_utf8(done.stdout).unwrap()
    }

    #[test]
    fn a_script_that_cannot_be_parsed_is_named() {
        let script = |text: &str| vec![Json::Array(vec!["a.js".into(), text.into()])];
        assert_eq!(unreadable(script("export const a = [...b];")), "");
        assert!(unreadable(script("const a = [(...b)];")).starts_with("a.js Unexpected token"));
    }
}
