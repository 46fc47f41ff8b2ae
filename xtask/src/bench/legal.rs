//! Comparison of requests that other libraries build from the same unusual conversations.

use crate::{cargo, npm, tree};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Installs the other libraries for this run only, builds their requests and prints a table. It has
/// the legal, refused and illegal requests by provider, as judged by `tests/native/prompt/provider_rules`.
pub fn run() -> Result<()> {
    npm::need_node()?;
    let peers = tree::root().join("tests/peers");
    let scratch = cargo::scratch("peers")?;
    fs::remove_dir_all(&scratch).context("cannot empty the scratch folder")?;
    let bodies = scratch.join("bodies");
    fs::create_dir_all(&bodies).context("cannot create the folder of the bodies")?;
    for name in ["package.json", "ai_sdk.mjs"] {
        fs::copy(peers.join(name), scratch.join(name))
            .with_context(|| format!("cannot copy `{name}`"))?;
    }
    let conversations = peers.join("conversations.json");

    let mut install = Command::new("npm");
    done(install.args(["install", "--no-audit", "--no-fund"]).current_dir(&scratch), "npm")?;
    let mut build = npm::node();
    build.arg("ai_sdk.mjs").arg(&conversations).arg(bodies.join("AI SDK.json"));
    done(build.current_dir(&scratch), "the AI SDK")?;

    let python = scratch.join("py");
    done(Command::new("python3").args(["-m", "venv"]).arg(&python), "python3")?;
    let bin = python.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let mut install = Command::new(bin.join("pip"));
    done(install.args(["install", "--quiet", "-r"]).arg(peers.join("requirements.txt")), "pip")?;
    let mut build = Command::new(bin.join("python"));
    build.arg(peers.join("python.py")).arg(&conversations).arg(&bodies);
    done(&mut build, "LiteLLM and LangChain")?;

    judge(&bodies)
}

fn judge(bodies: &Path) -> Result<()> {
    let mut command = cargo::cargo(["test", "--package", "tuckbox", "--test", "native"]);
    command.args(["legal_table", "--", "--nocapture"]).env("TUCKBOX_PEERS", bodies);
    done(&mut command, "judging the requests")
}

pub(super) fn done(command: &mut Command, what: &str) -> Result<()> {
    let status = command.stdin(Stdio::null()).status();
    if !status.with_context(|| format!("cannot start {what}"))?.success() {
        bail!("{what} failed");
    }
    Ok(())
}
