//! `cargo xtask screenshots`: pictures of the inspector's main views, from real Chromium.

use crate::process::timed;
use crate::serve::Port;
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
    let chromium = chromium::need()?;
    npm::install(&tree::root().join("tests"))?;
    let running = inspect::serve_page(Port::Any, inspect::build()?)?;
    let mut command = npm::node();
    command.arg("tests/browser/screenshots.mjs").arg(&dir).args(&args.only);
    command.env("CHROMIUM", &chromium.browser).env("TUCKBOX_PAGE", &running.address);
    let written = timed("take the pictures", || npm::program(command).succeed("the pictures"))?;
    print!("{written}");
    Ok(ExitCode::SUCCESS)
}
