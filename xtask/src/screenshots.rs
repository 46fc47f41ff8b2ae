//! `cargo xtask screenshots`: pictures of the inspector's main views, from real Chromium.

use crate::package::Form;
use crate::process::timed;
use crate::{chromium, inspect, npm, tree};
use anyhow::{Context, Result};
use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;

/// Write pictures of the inspector's main views into a folder.
#[derive(Parser)]
pub struct Args {
    /// Where to [default: target/screenshots]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Only these views
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let dir = args.dir.clone().unwrap_or_else(|| tree::root().join("target/screenshots"));
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
    let dir = dir.canonicalize()?;
    let mut command = npm::node();
    command.arg("tests/browser/screenshots.mjs").arg(&dir).args(&args.only);
    let _page = chromium::serve_to(&mut command, inspect::build(Form::Small)?)?;
    let written = timed("take the pictures", || npm::program(command).succeed("the pictures"))?;
    print!("{written}");
    Ok(ExitCode::SUCCESS)
}
