//! `cargo xtask screenshots`: takes screenshots of the inspector in Chromium.

use crate::package::Form;
use crate::process::timed;
use crate::{chromium, inspect, npm, tree};
use anyhow::{Context, Result};
use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;

/// Write screenshots of the inspector's main views into a folder.
#[derive(Parser)]
pub struct Args {
    /// Folder for the screenshots [default: target/screenshots]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Only these views
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let dir = args.dir.clone().unwrap_or_else(|| tree::root().join("target/screenshots"));
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create `{}`", dir.display()))?;
    let dir = dir.canonicalize()?;
    let mut command = npm::node();
    command.arg("tests/browser/screenshots.mjs").arg(&dir).args(&args.only);
    let _page = chromium::serve_to(&mut command, inspect::build(Form::Small)?)?;
    let written =
        timed("take the screenshots", || npm::program(command).succeed("taking the screenshots"))?;
    print!("{written}");
    Ok(ExitCode::SUCCESS)
}
