//! The fence around the core: nothing in it names the binding, and without the binding it is
//! still whole.

use super::{Args, Counts};
use crate::{cargo, tree};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The names that only `src/wasm` may use.
const BINDING: [&str; 4] = ["wasm_bindgen", "js_sys", "web_sys", "serde_wasm_bindgen"];

/// What a copy of the repository needs to compile its native tests.
const PARTS: [&str; 10] = [
    "Cargo.toml",
    "Cargo.lock",
    "README.md",
    "CHANGELOG.md",
    "src",
    "tests",
    "benches",
    "examples",
    "xtask",
    "pkg",
];

pub fn check(args: &Args) -> Result<Counts> {
    let root = tree::root();
    let binding = root.join("src/wasm");
    let mut offences = Vec::new();
    for file in files_below(&root.join("src"))? {
        let is_binding = file.starts_with(&binding) || file == root.join("src/wasm.rs");
        if file.extension().is_some_and(|extension| extension == "rs") && !is_binding {
            let text = fs::read_to_string(&file)?;
            offences
                .extend(names_in(&text).map(|name| format!("  {}: `{name}`", tree::shown(&file))));
        }
    }
    if !offences.is_empty() {
        bail!("names of the binding outside `src/wasm`:\n{}", offences.join("\n"));
    }
    let manual = fs::read_to_string(root.join("src/lib.rs"))?;
    if !manual.contains("forbid(unsafe_code)") {
        bail!("`src/lib.rs` no longer forbids unsafe code");
    }
    without_binding(args, &root)?;
    Ok(Counts { passed: 2, ..Counts::default() })
}

fn names_in(text: &str) -> impl Iterator<Item = &'static str> {
    BINDING.into_iter().filter(move |name| text.contains(name)).collect::<Vec<_>>().into_iter()
}

/// Compiles the native tests in a copy of the repository that has no `src/wasm`. They are the same
/// programs as with it, since the same files go in: where they compile here, what the step `rust`
/// says about them holds here too.
fn without_binding(args: &Args, root: &Path) -> Result<()> {
    let copy = cargo::scratch("fence")?;
    let mut kept = BTreeSet::new();
    for part in PARTS {
        let from = root.join(part);
        let files = if from.is_dir() { files_below(&from)? } else { vec![from] };
        for file in files.iter().filter(|file| file.is_file()) {
            let name = file.strip_prefix(root)?.to_path_buf();
            if name.starts_with("src/wasm") || name == Path::new("src/wasm.rs") {
                continue;
            }
            copy_changed(file, &copy.join(&name))?;
            kept.insert(copy.join(name));
        }
    }
    for stale in files_below(&copy)?.iter().filter(|file| !kept.contains(*file)) {
        fs::remove_file(stale)?;
    }
    let mut command = cargo::cargo(["check", "--workspace", "--tests", "--locked"]);
    command.current_dir(&copy).env("CARGO_TARGET_DIR", cargo::target_dir()?);
    let what = "compiling the native tests without `src/wasm`";
    cargo::program(command).stream(args.verbose).succeed(what).map(drop)
}

/// Copies a file unless the copy is the same: cargo goes by the time of a file.
fn copy_changed(from: &Path, to: &Path) -> Result<()> {
    let bytes = fs::read(from).with_context(|| format!("cannot read `{}`", tree::shown(from)))?;
    if fs::read(to).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    if let Some(dir) = to.parent() {
        fs::create_dir_all(dir)?;
    }
    fs::write(to, bytes).with_context(|| format!("cannot write `{}`", to.display()))
}

/// Every file below a folder, without what tools put there.
fn files_below(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(dir) = open.pop() {
        let shown = tree::shown(&dir);
        for entry in fs::read_dir(&dir).with_context(|| format!("cannot list `{shown}`"))? {
            let entry = entry?;
            let name = entry.file_name();
            if entry.file_type()?.is_dir() {
                if !["node_modules", "target", ".cache", "generated"]
                    .iter()
                    .any(|tool| name == *tool)
                {
                    open.push(entry.path());
                }
            } else {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binding_is_found_by_its_names() {
        assert_eq!(names_in("use wasm_bindgen::prelude::*;").collect::<Vec<_>>(), ["wasm_bindgen"]);
        assert_eq!(names_in("mod wasm;").count(), 0);
    }
}
