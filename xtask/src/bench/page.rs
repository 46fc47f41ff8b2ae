//! The page in headless Chromium: how soon it shows something, and how smoothly it moves.

use crate::serve::Port;
use crate::{chromium, inspect, npm, tree};
use anyhow::{Result, bail};

pub fn run() -> Result<()> {
    let chromium = chromium::need()?;
    npm::install(&tree::root().join("tests"))?;
    let running = inspect::serve_page(Port::Any, inspect::build()?)?;
    let mut command = npm::node();
    command.arg("tests/browser/bench.mjs");
    command.env("CHROMIUM", &chromium.browser).env("TUCKBOX_PAGE", &running.address);
    if !command.status()?.success() {
        bail!("the page is slower or larger than it may be");
    }
    Ok(())
}
