//! Benchmark of the page in headless Chromium: time to first paint, and responsiveness.

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
        bail!("the page is slower or larger than its limits");
    }
    Ok(())
}
