//! Checks the licenses of all dependencies against `deny.toml`, and that npm locks name no
//! registry.
//!
//! `cargo deny check` reads the same file and also checks security advisories, which needs the
//! network. It does not read npm locks, and a fresh clone has to compile it first.

use crate::{cargo, tree};
use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;
use spdx::{Expression, LicenseReq, Licensee, ParseMode};
use tuckbox::Json;

/// Licenses that are also allowed for packages that only build or test. Weak copyleft applies to
/// distribution, and these packages are not distributed.
const TOOLS_ONLY: [&str; 1] = ["MPL-2.0"];

struct Dependency {
    name: String,
    license: String,
    /// True if it only builds or tests, and is not part of a published package.
    is_tool: bool,
}

/// Checks every dependency. Returns the number of dependencies, or an error with the licenses that
/// are not allowed.
pub fn check() -> Result<String> {
    let allowed = allowed(&std::fs::read_to_string(tree::root().join("deny.toml"))?)?;
    let crates = crates()?;
    let packages = npm_packages()?;
    let refused: Vec<String> = crates
        .iter()
        .chain(&packages)
        .filter(|dependency| !may_be_used(&allowed, dependency))
        .map(|dependency| format!("  {}: `{}`", dependency.name, dependency.license))
        .collect();
    if !refused.is_empty() {
        bail!("licenses that `deny.toml` does not allow:\n{}", refused.join("\n"));
    }
    Ok(format!("{} crates and {} npm packages", crates.len(), packages.len()))
}

fn may_be_used(allowed: &[Licensee], dependency: &Dependency) -> bool {
    let tools = TOOLS_ONLY.iter().filter(|_| dependency.is_tool);
    let tools: Vec<Licensee> = tools.filter_map(|name| licensee(name).ok()).collect();
    // old manifests write `MIT/Apache-2.0`
    let expression = Expression::parse_mode(&dependency.license, ParseMode::LAX);
    let is_allowed =
        |asked: &LicenseReq| allowed.iter().chain(&tools).any(|license| license.satisfies(asked));
    expression.is_ok_and(|expression| expression.evaluate(is_allowed))
}

/// Returns the licenses that `deny.toml` allows.
fn allowed(deny: &str) -> Result<Vec<Licensee>> {
    let deny: toml::Table = deny.parse().context("`deny.toml` is not TOML")?;
    let list = deny.get("licenses").and_then(|licenses| licenses.get("allow"));
    let list = list.and_then(toml::Value::as_array);
    let list = list.context("`deny.toml` has no list `allow` under [licenses]")?;
    list.iter().map(|name| licensee(name.as_str().unwrap_or_default())).collect()
}

fn licensee(name: &str) -> Result<Licensee> {
    Licensee::parse(name).map_err(|error| anyhow!("`{name}` is not a license: {error}"))
}

/// Returns every crate in the lock.
fn crates() -> Result<Vec<Dependency>> {
    let metadata = cargo::metadata(true)?;
    let packages = metadata.get("packages").and_then(Value::as_array).into_iter().flatten();
    let text = |package: &Value, field: &str| {
        package.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let dependency = |package: &Value| Dependency {
        name: text(package, "name"),
        license: text(package, "license"),
        is_tool: false,
    };
    Ok(packages.map(dependency).collect())
}

/// Returns every package in the npm locks of the tests and the page.
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
            bail!("`{shown}` names a registry; write it again with the `.npmrc` of `tests`");
        }
        let lock = Json::parse(&contents)?;
        let packages = lock.get("packages").and_then(Json::as_object);
        for (place, package) in packages.into_iter().flatten() {
            let is = |flag: &str| package.get(flag).and_then(Json::as_bool) == Some(true);
            if let Some((_, name)) = place.rsplit_once("node_modules/")
                && !is("link")
            {
                let license = text(package, "license");
                found.push(Dependency {
                    name: format!("{name} (npm)"),
                    license,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn may(names: &[&str], license: &str, is_tool: bool) -> bool {
        let allowed: Vec<_> = names.iter().map(|name| licensee(name).unwrap()).collect();
        may_be_used(&allowed, &Dependency { name: "n".into(), license: license.into(), is_tool })
    }

    #[test]
    fn expression_is_allowed_if_allowed_licenses_satisfy_it() {
        let names = ["MIT", "Apache-2.0 WITH LLVM-exception"];
        for yes in [
            "MIT",
            "GPL-3.0-only OR MIT",
            "MIT/GPL-3.0",
            "(MIT OR GPL-3.0-only) AND MIT",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(may(&names, yes, false), "{yes}");
        }
        for no in ["", "GPL-3.0-only", "MIT AND GPL-3.0-only", "Apache-2.0", "MIT OR", "(MIT"] {
            assert!(!may(&names, no, false), "{no}");
        }
    }

    #[test]
    fn weak_copyleft_is_allowed_only_for_tools() {
        assert!(may(&["MIT"], "MPL-2.0", true) && !may(&["MIT"], "MPL-2.0", false));
        assert!(may(&["MIT"], "MIT", false) && !may(&["MIT"], "GPL-3.0-only", true));
    }

    #[test]
    fn list_is_read_only_from_its_section() {
        let deny = "[bans]\nallow = [\"no\"]\n[licenses]\nallow = [\n  \"MIT\",\n  \"ISC\",\n]\n";
        assert_eq!(allowed(deny).unwrap().len(), 2);
        assert!(allowed("[bans]\n").is_err());
        assert!(allowed("[licenses]\nallow = [\"no such license\"]\n").is_err());
    }
}
