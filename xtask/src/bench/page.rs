//! The page in headless Chromium: how soon it shows something, and how smoothly it moves.

use crate::{inspect, npm};
use anyhow::{Result, bail};

pub fn run() -> Result<()> {
    let mut command = npm::node();
    command.arg("tests/browser/bench.mjs");
    let _page = inspect::serve_to(&mut command, inspect::build()?)?;
    if !command.status()?.success() {
        bail!("the page is slower or larger than it may be");
    }
    Ok(())
}
