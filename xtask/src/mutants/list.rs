//! The list of mutants: `mutants.txt`, read and checked.

use anyhow::{Context, Result, bail};

/// One planted bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// What is wrong under it.
    pub what: String,
    /// The file that it is in, from the root of the repository.
    pub file: String,
    /// The text before the expression, the expression, and the text after it.
    pub at: (String, String, String),
    /// The expression that takes its place.
    pub to: String,
    /// The test programs that must notice.
    pub tests: Vec<String>,
}

const OPEN: &str = "«";
const CLOSE: &str = "»";

/// Reads the list. An entry is a line `= what`, and lines `file`, `at`, `to` and `tests`; in `at`
/// the expression stands between `«` and `»`, and `\n` is a line break.
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
    let named = |name: &str| {
        let found = lines.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        found.map(str::trim).with_context(|| format!("an entry without `{name}`: {lines:?}"))
    };
    let at = named("at")?.replace("\\n", "\n");
    let (before, rest) = at.split_once(OPEN).with_context(|| format!("no `{OPEN}` in `{at}`"))?;
    let (from, after) =
        rest.split_once(CLOSE).with_context(|| format!("no `{CLOSE}` in `{at}`"))?;
    let tests: Vec<String> = named("tests")?.split_whitespace().map(str::to_owned).collect();
    Ok(Mutant {
        what: named("=")?.to_owned(),
        file: named("file")?.to_owned(),
        at: (before.to_owned(), from.to_owned(), after.to_owned()),
        to: named("to")?.to_owned(),
        tests,
    })
}

impl Mutant {
    /// Puts the mutant behind the switch: under its number the one expression, else the other.
    pub fn plant(&self, source: &str, number: usize) -> Result<String> {
        let (before, from, after) = &self.at;
        let whole = format!("{before}{from}{after}");
        match source.matches(&whole).count() {
            1 => {}
            count => bail!("`{}` stands {count} times in `{}`: `{whole}`", self.what, self.file),
        }
        let to = &self.to;
        let switched = if self.file.ends_with(".rs") {
            format!("(if crate::planted({number}) {{ {to} }} else {{ {from} }})")
        } else {
            format!("(globalThis.process?.env.TUCKBOX_MUTANT === \"{number}\" ? ({to}) : ({from}))")
        };
        Ok(source.replacen(&whole, &format!("{before}{switched}{after}"), 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# a remark\n= the end counts\nfile src/a.rs\nat if «end <= now» {\nto end < now\ntests lib laws\n";

    #[test]
    fn an_entry_is_read_and_planted_behind_its_number() {
        let list = read(&TEXT.repeat(2)).unwrap();
        assert_eq!(list.len(), 2);
        assert_eq!(list[0].tests, ["lib", "laws"]);
        assert_eq!(
            list[0].plant("x\nif end <= now { 1 }", 7).unwrap(),
            "x\nif (if crate::planted(7) { end < now } else { end <= now }) { 1 }"
        );
    }

    #[test]
    fn a_place_that_is_not_there_exactly_once_is_an_error() {
        let list = read(TEXT).unwrap();
        for source in ["", "if end <= now { if end <= now {"] {
            assert!(list[0].plant(source, 1).is_err());
        }
    }

    #[test]
    fn an_incomplete_entry_is_an_error() {
        for line in ["file src/a.rs\n", "to end < now\n", "tests lib laws\n", "«"] {
            assert!(read(&TEXT.replacen(line, "", 1)).is_err(), "{line}");
        }
    }

    #[test]
    fn the_list_is_long_enough_and_every_place_is_there() {
        let root = crate::tree::root();
        let list = read(include_str!("mutants.txt")).unwrap();
        assert!(list.len() >= 60, "{}", list.len());
        let mut sources = std::collections::BTreeMap::new();
        for (at, mutant) in list.iter().enumerate() {
            let file = root.join(&mutant.file);
            let source = sources
                .entry(&mutant.file)
                .or_insert_with(|| std::fs::read_to_string(&file).unwrap());
            *source = mutant.plant(source, at + 1).unwrap();
            assert!(!mutant.tests.is_empty(), "{}", mutant.what);
        }
    }
}
