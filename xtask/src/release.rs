//! `cargo xtask release`: checks whether this commit can be released, and sets its version.

use crate::package::Form;
use crate::process::{Program, timed};
use crate::{cargo, extension, inspect, npm, package, python, tree};
use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use std::process::{Command, ExitCode, Stdio};

/// Check whether this commit can be released, or set its version.
#[derive(Parser)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Build all packages and check versions, changelog, contents, licenses, secrets and links
    Check {
        /// The tag of the release: the changelog must have its date
        #[arg(long, value_name = "TAG")]
        tag: Option<String>,
        /// Check a new clone of this commit, so that only committed files are used
        #[arg(long)]
        clone: bool,
        /// Check what is already built, without a wheel
        #[arg(long, conflicts_with = "clone")]
        built: bool,
    },
    /// Write the version or the address of the repository into every manifest
    Set {
        /// The new version
        #[arg(long, value_name = "VERSION")]
        version: Option<String>,
        /// The new address, such as https://github.com/owner/name
        #[arg(long, value_name = "URL")]
        repository: Option<String>,
    },
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    npm::need_node()?;
    let mut command = npm::node();
    match &args.action {
        Action::Check { tag, clone: true, .. } => return check_clone(tag.as_deref()),
        Action::Check { tag, built, .. } => {
            command.arg("tests/release/check.mjs");
            if let Some(tag) = tag {
                command.args(["--tag", tag]);
            }
            if !built {
                package::build(Form::Small)?;
                extension::assemble(&inspect::build(Form::Small)?)?;
                inspect::bundle_into_package()?;
                let environment = python::environment("python-wheel-build", true)?;
                python::install(&environment, &[python::MATURIN])?;
                let wheel = timed("build the wheel", || python::wheel(&environment, false))?;
                command.arg("--wheels").arg(wheel.parent().context("a wheel is in a folder")?);
            }
        }
        Action::Set { version, repository } => {
            command.arg("tests/release/set.mjs");
            for (name, value) in [("--version", version), ("--repository", repository)] {
                command.args(value.iter().flat_map(|value| [name, value]));
            }
        }
    }
    let status = command.stdin(Stdio::null()).status().context("cannot start Node")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Clones this commit and checks the clone. Both share the compiled dependencies.
fn check_clone(tag: Option<&str>) -> Result<ExitCode> {
    let folder = cargo::scratch("release")?.join("clone");
    let _ = std::fs::remove_dir_all(&folder);
    let mut clone = Command::new("git");
    clone.args(["clone", "--quiet", "--local", "--no-hardlinks", "."]).arg(&folder);
    clone.current_dir(tree::root());
    Program::new(clone, "install git").succeed("`git clone`")?;
    let mut check = cargo::cargo(["xtask", "release", "check"]);
    check.current_dir(&folder).env("CARGO_TARGET_DIR", cargo::target_dir()?);
    check.args(tag.iter().flat_map(|tag| ["--tag", tag]));
    let status = check.status().context("cannot start cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
