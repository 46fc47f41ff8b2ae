//! A copy of the repository that contains every mutant.

use super::list::Mutant;
use crate::{cargo, tree};
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use tuckbox::Json;

/// The environment variable that selects a mutant by its number.
pub const SWITCH: &str = "TUCKBOX_MUTANT";

/// The parts of the repository in the copy.
const PARTS: [&str; 13] = [
    "Cargo.toml",
    "Cargo.lock",
    "README.md",
    "src",
    "tests",
    "benches",
    "examples",
    "docs",
    "xtask",
    "pkg",
    "component",
    "python",
    "wit",
];

/// Folders that are not copied. The copy has its own.
const NOT_COPIED: [&str; 3] = ["node_modules", "target", ".cache"];

/// The function that is added to the copy.
const PLANTED: &str = r#"
/// Returns true if the mutant of this number is selected.
#[doc(hidden)]
pub fn planted(number: u32) -> bool {
    static SELECTED: std::sync::OnceLock<Option<u32>> = std::sync::OnceLock::new();
    let selected = SELECTED.get_or_init(|| std::env::var("TUCKBOX_MUTANT").ok()?.parse().ok());
    *selected == Some(number)
}
"#;

/// Returns the changed files. The number of a mutant is its position in the list, from 1.
pub fn changed(mutants: &[Mutant]) -> Result<BTreeMap<String, String>> {
    let root = tree::root();
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    for (at, mutant) in mutants.iter().enumerate() {
        for site in &mutant.sites {
            let source = match sources.get(&site.file) {
                Some(source) => source.clone(),
                None => fs::read_to_string(root.join(&site.file))
                    .with_context(|| format!("cannot read `{}`", site.file))?,
            };
            let source = site.plant(&source, at + 1).context(mutant.what.clone())?;
            sources.insert(site.file.clone(), source);
        }
    }
    Ok(sources)
}

/// Creates the copy. Returns its folder.
pub fn make(mutants: &[Mutant]) -> Result<PathBuf> {
    let root = tree::root();
    let copy = cargo::scratch("mutants")?.join("copy");
    let mut sources = changed(mutants)?;
    let manual = fs::read_to_string(root.join("src/lib.rs"))?;
    sources.insert("src/lib.rs".to_owned(), manual + PLANTED);
    for part in PARTS {
        let from = root.join(part);
        let files = match from.is_dir() {
            true => tree::files_below(&from, &NOT_COPIED)?,
            false => vec![from],
        };
        let mut copied = BTreeSet::new();
        for file in files {
            let name = file.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
            let bytes = match sources.get(&name) {
                Some(text) => text.clone().into_bytes(),
                None => fs::read(&file)?,
            };
            let to = copy.join(&name);
            // cargo compares modification times
            tree::write_changed(&to, &bytes)?;
            copied.insert(to);
        }
        // delete files that the repository no longer has
        if copy.join(part).is_dir() {
            for old in tree::files_below(&copy.join(part), &NOT_COPIED)? {
                if !copied.contains(&old) {
                    fs::remove_file(&old)?;
                }
            }
        }
    }
    for tools in ["tests/node_modules", "pkg/node_modules"] {
        let (from, to) = (root.join(tools), copy.join(tools));
        if from.is_dir() && !to.exists() {
            link(&from, &to)?;
        }
    }
    Ok(copy)
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> Result<()> {
    std::os::unix::fs::symlink(from, to).with_context(|| format!("cannot link `{}`", to.display()))
}

#[cfg(not(unix))]
fn link(from: &Path, _: &Path) -> Result<()> {
    bail!("mutants in JavaScript need a link to `{}`, which only Unix systems make", from.display())
}

/// Compiles test programs in the copy. Returns their files by name; `lib` has the unit tests.
pub fn build(
    copy: &Path,
    needed: &BTreeSet<&str>,
    profile: &str,
) -> Result<BTreeMap<String, PathBuf>> {
    let mut programs = BTreeMap::new();
    if needed.is_empty() {
        return Ok(programs);
    }
    let target = cargo::scratch("mutants")?.join("target");
    let mut command = cargo::cargo(["test", "--package", "tuckbox", "--no-run"]);
    command
        .args(["--profile", profile, "--message-format=json-render-diagnostics"])
        .current_dir(copy)
        .env("CARGO_TARGET_DIR", target);
    for program in needed {
        match *program {
            "lib" => command.arg("--lib"),
            name => command.args(["--test", name]),
        };
    }
    let done = command.output().context("cannot start cargo")?;
    if !done.status.success() {
        bail!("the mutants do not compile\n{}", String::from_utf8_lossy(&done.stderr));
    }
    for line in String::from_utf8_lossy(&done.stdout).lines() {
        let Ok(note) = Json::parse(line) else { continue };
        let Some(program) = note.get("executable").and_then(Json::as_str) else { continue };
        let target = note.get("target");
        let name = target.and_then(|target| target.get("name")).and_then(Json::as_str);
        let name = match name {
            Some("tuckbox") => "lib",
            Some(name) => name,
            None => continue,
        };
        programs.insert(name.to_owned(), PathBuf::from(program));
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::PARTS;
    use crate::tree;
    use std::fs;

    #[test]
    fn the_copy_has_every_member_of_the_workspace() {
        let manifest = fs::read_to_string(tree::root().join("Cargo.toml")).unwrap();
        let members = manifest.lines().find_map(|line| line.strip_prefix("members = ")).unwrap();
        let members: Vec<&str> = members.split('"').skip(1).step_by(2).collect();
        assert!(members.contains(&"xtask"), "the manifest has another form: {members:?}");
        for member in members {
            let part = member.split('/').next().unwrap();
            assert!(part == "." || PARTS.contains(&part), "the copy lacks `{member}`");
        }
    }
}
