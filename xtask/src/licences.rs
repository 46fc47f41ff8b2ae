//! The licences of all dependencies against the list in `deny.toml`, and locks that name no
//! registry: every machine uses its own.
//!
//! Architecture note: advisories are not checked, because that needs the network at the time of
//! asking; `deny.toml` says more.

use crate::{cargo, tree};
use anyhow::{Context, Result, bail};
use tuckbox::Json;

/// Checks every dependency; says how many there are, or which have a licence nobody allowed.
pub fn check() -> Result<String> {
    let allowed = allowed(&std::fs::read_to_string(tree::root().join("deny.toml"))?)?;
    let crates = crates()?;
    let packages = npm_packages()?;
    let refused: Vec<String> = crates
        .iter()
        .chain(&packages)
        .filter(|(_, licence)| !permits(&allowed, licence))
        .map(|(name, licence)| format!("  {name}: `{licence}`"))
        .collect();
    if !refused.is_empty() {
        bail!("licences that `deny.toml` does not allow:\n{}", refused.join("\n"));
    }
    Ok(format!("{} crates and {} npm packages", crates.len(), packages.len()))
}

/// The strings of `allow = [...]` in the section `[licenses]`.
fn allowed(deny: &str) -> Result<Vec<String>> {
    let section = deny.split("\n[licenses]").nth(1).context("`deny.toml` has no [licenses]")?;
    let list = section.split("allow = [").nth(1).and_then(|list| list.split(']').next());
    let list = list.context("`deny.toml` has no list `allow` under [licenses]")?;
    Ok(list.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

/// Name and licence of every crate in the lock.
fn crates() -> Result<Vec<(String, String)>> {
    let metadata = cargo::metadata(true)?;
    let packages = metadata.get("packages").and_then(Json::as_array).unwrap_or_default();
    Ok(packages.iter().map(|package| name_and_licence(package, "name")).collect())
}

/// Name and licence of every package in the npm locks of the tests and the page.
fn npm_packages() -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for dir in ["tests", "www"] {
        let lock = tree::root().join(dir).join("package-lock.json");
        if !lock.is_file() {
            continue;
        }
        let text = std::fs::read_to_string(&lock)?;
        if text.contains("\"resolved\": \"http") {
            bail!(
                "`{}` names a registry: write it again with the `.npmrc` of `tests`",
                tree::shown(&lock)
            );
        }
        let lock = Json::parse(&text)?;
        let packages = lock.get("packages").and_then(Json::as_object);
        for (place, package) in packages.into_iter().flatten() {
            let linked = package.get("link").and_then(Json::as_bool) == Some(true);
            if let Some((_, name)) = place.rsplit_once("node_modules/")
                && !linked
            {
                let (_, licence) = name_and_licence(package, "name");
                found.push((format!("{name} (npm)"), licence));
            }
        }
    }
    Ok(found)
}

fn name_and_licence(package: &Json, name: &str) -> (String, String) {
    let field =
        |name: &str| package.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    (field(name), field("license"))
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
    fn the_list_is_read_from_its_section_only() {
        let deny =
            "# x\n[bans]\nallow = [\"no\"]\n[licenses]\nallow = [\n  \"MIT\",\n  \"ISC\",\n]\n";
        assert_eq!(allowed(deny).unwrap(), ["MIT", "ISC"]);
        assert!(allowed("[bans]\n").is_err());
    }
}
