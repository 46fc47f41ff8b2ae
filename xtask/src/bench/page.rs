//! The page in headless Chromium: how soon it shows something, and how smoothly it moves.

use crate::package::Form;
use crate::{chromium, inspect, npm, tree};
use anyhow::{Result, bail};

pub fn run() -> Result<()> {
    let mut command = npm::node();
    command.arg("tests/browser/bench.mjs");
    let _page = chromium::serve_to(&mut command, inspect::build(Form::Small)?)?;
    inspect::bundle_into_package()?;
    npm::install(&tree::root().join("tests/consumers"))?;
    if !command.status()?.success() {
        bail!("the page is slower or larger than it may be");
    }
    Ok(())
}
