//! Node, npm and the tools that come from npm.

use crate::process::{Installer, Program, installing, timed};
use crate::tree;
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;

const REMEDY: &str = "install Node.js 20.19 or newer (npm comes with it) from https://nodejs.org";

/// The oldest Node version that can `require` a module.
const OLDEST: (u32, u32) = (20, 19);

/// Returns a Node command that runs at the root of the repository.
pub fn node() -> Command {
    let mut command = Command::new("node");
    command.current_dir(tree::root());
    command
}

/// Returns a Node command for tests that use no server of others. Without the certificates of
/// `NODE_EXTRA_CA_CERTS`, which some machines set, each start of Node takes 0.1 s less.
pub fn offline_node() -> Command {
    let mut command = node();
    command.env_remove("NODE_EXTRA_CA_CERTS");
    command
}

/// Returns the name of npm on this system.
pub const fn npm() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

/// Returns a Node command as a [`Program`].
pub fn program(command: Command) -> Program {
    Program::new(command, REMEDY)
}

/// Checks that Node is installed and recent enough.
pub fn need_node() -> Result<()> {
    let mut command = node();
    command.arg("--version");
    let version = program(command).succeed("`node --version`")?;
    match parse_version(&version) {
        Some(found) if found >= OLDEST => Ok(()),
        _ => bail!("Node {} is too old; {REMEDY}", version.trim()),
    }
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim().trim_start_matches('v').split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Installs the packages of `dir/package-lock.json` if it changed since the last time.
pub fn install(dir: &Path) -> Result<()> {
    need_node()?;
    let _guard = installing(Installer::Npm);
    let shown = tree::shown(dir);
    let stamp = dir.join("node_modules/.installed");
    let wanted = fingerprint(&[dir.join("package.json"), dir.join("package-lock.json")])?;
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    let run = |words: &[&str]| {
        let mut command = Command::new(npm());
        command.args(words).args(["--no-audit", "--no-fund"]).current_dir(dir);
        program(command).succeed(&format!("`npm {}` in `{shown}`", words.join(" ")))
    };
    // npm omits native packages of other platforms from the lock if the registry lacks one of them,
    // and then `ci` rejects its own lock. `install --no-save` installs the same versions
    timed(&format!("npm ci in `{shown}`"), || {
        run(&["ci"]).or_else(|_| run(&["install", "--no-save"]))
    })?;
    std::fs::write(&stamp, wanted).with_context(|| format!("cannot write in `{shown}`"))
}

/// Returns the path of a script of a tool in `tests/`.
pub fn tool(script: &str) -> Result<PathBuf> {
    let tests = tree::root().join("tests");
    install(&tests)?;
    let path = tests.join("node_modules").join(script);
    if !path.is_file() {
        bail!("`{}` is missing although `npm ci` succeeded", tree::shown(&path));
    }
    Ok(path)
}

/// Returns a hash of the names and contents of files.
pub fn fingerprint(files: &[PathBuf]) -> Result<String> {
    let mut hash = Sha256::new();
    for file in files {
        let shown = tree::shown(file);
        let bytes = std::fs::read(file).with_context(|| format!("cannot read `{shown}`"))?;
        hash.update(shown.as_bytes());
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(&bytes);
    }
    Ok(hex(&hash.finalize()))
}

/// Returns bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_versions_are_compared_by_number() {
        assert_eq!(parse_version("v20.19.0\n"), Some((20, 19)));
        assert!(parse_version("v9.99.1").unwrap() < OLDEST);
        assert!(parse_version("v22.0.0").unwrap() > OLDEST);
        assert_eq!(parse_version("not found"), None);
    }
}
