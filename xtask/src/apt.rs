//! Programs of the system: finds them, or installs their packages if possible.

use crate::process::{Program, timed};
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns the path of a program on the `PATH`.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let name = if cfg!(windows) { format!("{name}.exe") } else { name.to_owned() };
    std::env::split_paths(&path).map(|dir| dir.join(&name)).find(|file| file.is_file())
}

/// Installs packages without prompting. `remedy` is the error text if that is not possible.
pub fn install(packages: &[&str], remedy: &'static str) -> Result<()> {
    let names = packages.join(" ");
    let Some(apt) = on_path("apt-get") else { bail!("`{names}` is missing; {remedy}") };
    let prefix: &[&str] = if is_root() {
        &[]
    } else if can_sudo() {
        &["sudo", "-n"]
    } else {
        bail!("`{names}` is missing; {remedy}")
    };
    timed(&format!("apt-get install {names}"), || {
        as_root(prefix, &apt, &["update"], remedy)?;
        let words = [&["install", "-y", "--no-install-recommends"], packages].concat();
        as_root(prefix, &apt, &words, remedy)
    })
}

/// Installs an optional package if the system offers it. Returns whether it did.
pub fn install_if_offered(package: &str) -> bool {
    let Some(cache) = on_path("apt-cache") else { return false };
    let mut known = Command::new(cache);
    known.args(["show", package]).stdout(Stdio::null()).stderr(Stdio::null());
    known.status().is_ok_and(|status| status.success()) && install(&[package], "").is_ok()
}

fn as_root(prefix: &[&str], apt: &Path, words: &[&str], remedy: &'static str) -> Result<()> {
    let mut command = match prefix.split_first() {
        None => Command::new(apt),
        Some((sudo, rest)) => {
            let mut command = Command::new(sudo);
            command.args(rest).arg(apt);
            command
        }
    };
    command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
    Program::new(command, remedy).succeed("`apt-get`").map(drop)
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

fn can_sudo() -> bool {
    let mut sudo = Command::new("sudo");
    sudo.args(["-n", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    sudo.status().is_ok_and(|status| status.success())
}
