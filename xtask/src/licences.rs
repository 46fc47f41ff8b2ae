//! The licences of all dependencies against the list in `deny.toml`, and locks that name no
//! registry: every machine uses its own.
//!
//! Architecture note: advisories are not checked, because that needs the network at the time of
//! asking; `deny.toml` says more.

use crate::{cargo, tree};
use anyhow::{Context, Result, bail};
use tuckbox::Json;

/// Allowed beside the list in packages that only build or test and never leave this repository:
/// weak copyleft asks something of those who pass the files on, and nobody does.
const TOOLS_ONLY: [&str; 1] = ["MPL-2.0"];

struct Dependency {
    name: String,
    licence: String,
    /// Builds or tests something, and is part of nothing that is published.
    is_tool: bool,
}

/// Checks every dependency; says how many there are, or which have a licence nobody allowed.
pub fn check() -> Result<String> {
    let allowed = allowed(&std::fs::read_to_string(tree::root().join("deny.toml"))?)?;
    let crates = crates()?;
    let packages = npm_packages()?;
    let refused: Vec<String> = crates
        .iter()
        .chain(&packages)
        .filter(|dependency| !may_be_used(&allowed, dependency))
        .map(|dependency| format!("  {}: `{}`", dependency.name, dependency.licence))
        .collect();
    if !refused.is_empty() {
        bail!("licences that `deny.toml` does not allow:\n{}", refused.join("\n"));
    }
    Ok(format!("{} crates and {} npm packages", crates.len(), packages.len()))
}

fn may_be_used(allowed: &[String], dependency: &Dependency) -> bool {
    let mut allowed = allowed.to_vec();
    if dependency.is_tool {
        allowed.extend(TOOLS_ONLY.map(str::to_owned));
    }
    permits(&allowed, &dependency.licence)
}

/// The strings of `allow = [...]` in the section `[licenses]`.
fn allowed(deny: &str) -> Result<Vec<String>> {
    let section = deny.split("\n[licenses]").nth(1).context("`deny.toml` has no [licenses]")?;
    let list = section.split("allow = [").nth(1).and_then(|list| list.split(']').next());
    let list = list.context("`deny.toml` has no list `allow` under [licenses]")?;
    Ok(list.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

/// Every crate in the lock.
fn crates() -> Result<Vec<Dependency>> {
    let metadata = cargo::metadata(true)?;
    let packages = metadata.get("packages").and_then(Json::as_array).unwrap_or_default();
    let dependency = |package: &Json| Dependency {
        name: text(package, "name"),
        licence: text(package, "license"),
        is_tool: false,
    };
    Ok(packages.iter().map(dependency).collect())
}

/// Every package in the npm locks of the tests and the page.
fn npm_packages() -> Result<Vec<Dependency>> {
    let mut found = Vec::new();
    for dir in ["tests", "www"] {
        let lock = tree::root().join(dir).join("package-lock.json");
        if !lock.is_file() {
            continue;
        }
        let contents = std::fs::read_to_string(&lock)?;
        if contents.contains("\"resolved\": \"http") {
            let shown = tree::shown(&lock);
            bail!("`{shown}` names a registry: write it again with the `.npmrc` of `tests`");
        }
        let lock = Json::parse(&contents)?;
        let packages = lock.get("packages").and_then(Json::as_object);
        for (place, package) in packages.into_iter().flatten() {
            let is = |flag: &str| package.get(flag).and_then(Json::as_bool) == Some(true);
            if let Some((_, name)) = place.rsplit_once("node_modules/")
                && !is("link")
            {
                let licence = text(package, "license");
                found.push(Dependency {
                    name: format!("{name} (npm)"),
                    licence,
                    is_tool: is("dev"),
                });
            }
        }
    }
    Ok(found)
}

fn text(package: &Json, field: &str) -> String {
    package.get(field).and_then(Json::as_str).unwrap_or_default().to_owned()
}

/// True when an SPDX expression can be satisfied with the allowed licences. `AND` binds tighter
/// than `OR`; the old `/` means `OR`.
fn permits(allowed: &[String], expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let permitted = any_of(allowed, &mut rest);
    permitted == Some(true) && rest.is_empty()
}

fn any_of(allowed: &[String], rest: &mut &[&str]) -> Option<bool> {
    let mut permitted = all_of(allowed, rest)?;
    while take(rest, "OR") {
        permitted |= all_of(allowed, rest)?;
    }
    Some(permitted)
}

fn all_of(allowed: &[String], rest: &mut &[&str]) -> Option<bool> {
    let mut permitted = one(allowed, rest)?;
    while take(rest, "AND") {
        permitted &= one(allowed, rest)?;
    }
    Some(permitted)
}

fn one(allowed: &[String], rest: &mut &[&str]) -> Option<bool> {
    if take(rest, "(") {
        let permitted = any_of(allowed, rest)?;
        return take(rest, ")").then_some(permitted);
    }
    let (name, tail) = rest.split_first()?;
    *rest = tail;
    let mut name = (*name).to_owned();
    if take(rest, "WITH") {
        let (exception, tail) = rest.split_first()?;
        *rest = tail;
        name = format!("{name} WITH {exception}");
    }
    Some(allowed.contains(&name))
}

fn take(rest: &mut &[&str], word: &str) -> bool {
    match rest.split_first() {
        Some((first, tail)) if *first == word => {
            *rest = tail;
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read_like_spdx() {
        let allowed = ["MIT".to_owned(), "Apache-2.0 WITH LLVM-exception".to_owned()];
        for yes in [
            "MIT",
            "GPL-3.0 OR MIT",
            "MIT/GPL-3.0",
            "(MIT OR GPL-3.0) AND MIT",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(permits(&allowed, yes), "{yes}");
        }
        for no in ["", "GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "MIT OR", "(MIT", "MIT MIT"] {
            assert!(!permits(&allowed, no), "{no}");
        }
    }

    #[test]
    fn weak_copyleft_is_for_tools_only() {
        let dependency = |licence: &str, is_tool| {
            let allowed = ["MIT".to_owned()];
            may_be_used(
                &allowed,
                &Dependency { name: "n".into(), licence: licence.into(), is_tool },
            )
        };
        assert!(dependency("MPL-2.0", true) && !dependency("MPL-2.0", false));
        assert!(dependency("MIT", false) && !dependency("GPL-3.0", true));
    }

    #[test]
    fn the_list_is_read_from_its_section_only() {
        let deny =
            "# x\n[bans]\nallow = [\"no\"]\n[licenses]\nallow = [\n  \"MIT\",\n  \"ISC\",\n]\n";
        assert_eq!(allowed(deny).unwrap(), ["MIT", "ISC"]);
        assert!(allowed("[bans]\n").is_err());
    }
}
