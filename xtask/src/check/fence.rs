//! Checks that the library and its dependencies do not use JavaScript or its binding.

use super::{Args, Counts};
use crate::{cargo, tree};
use anyhow::{Result, bail};
use std::fs;

/// The crates that only `pkg/binding` can use.
const BINDING: [&str; 5] =
    ["wasm_bindgen", "js_sys", "web_sys", "serde_wasm_bindgen", "tuckbox_binding"];

pub fn check(_: &Args) -> Result<Counts> {
    let root = tree::root();
    let mut offences = Vec::new();
    for file in tree::files_below(&root.join("src"), &[])? {
        if file.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&file)?;
            offences
                .extend(names_in(&text).map(|name| format!("  {}: `{name}`", tree::shown(&file))));
        }
    }
    if !offences.is_empty() {
        bail!("names that are allowed only in `pkg/binding`:\n{}", offences.join("\n"));
    }
    let manual = fs::read_to_string(root.join("src/lib.rs"))?;
    if !manual.contains("forbid(unsafe_code)") {
        bail!("`src/lib.rs` must contain `#![forbid(unsafe_code)]`");
    }
    let found = bound(&dependencies()?);
    if !found.is_empty() {
        bail!("`tuckbox` must not depend on {}", found.join(", "));
    }
    Ok(Counts { passed: 2, ..Counts::default() })
}

fn names_in(text: &str) -> impl Iterator<Item = &'static str> {
    BINDING.into_iter().filter(move |name| text.contains(name)).collect::<Vec<_>>().into_iter()
}

/// Returns the dependencies of a program that uses the library on any target, one crate per line.
fn dependencies() -> Result<String> {
    let mut command =
        cargo::cargo(["tree", "--package", "tuckbox", "--locked", "--prefix", "none"]);
    command.args(["--edges", "normal,build", "--target", "all"]);
    cargo::program(command).succeed("`cargo tree`")
}

/// Returns the crates of the binding in the output of `cargo tree`.
fn bound(tree: &str) -> Vec<String> {
    let names = tree.lines().filter_map(|line| line.split_whitespace().next());
    let of_binding = |name: &&str| BINDING.contains(&name.replace('-', "_").as_str());
    names.filter(of_binding).map(|name| format!("`{name}`")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_binding_are_found() {
        assert_eq!(names_in("use wasm_bindgen::prelude::*;").collect::<Vec<_>>(), ["wasm_bindgen"]);
        assert_eq!(names_in("mod wasm;").count(), 0);
    }

    #[test]
    fn crates_of_the_binding_are_found() {
        let tree = "tuckbox v0.1.0 (/here)\nserde v1.0.0\njs-sys v0.3.1\nserde v1.0.0 (*)\n";
        assert_eq!(bound(tree), ["`js-sys`"]);
        assert!(bound("tuckbox v0.1.0\nserde v1.0.0\n").is_empty());
    }
}
