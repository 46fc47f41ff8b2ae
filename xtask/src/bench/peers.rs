//! Comparison of the time from messages to a request's body with other libraries.

use super::legal::done;
use crate::package::Form;
use crate::{npm, package, tree};
use anyhow::Result;
use std::process::Command;

/// Builds the published package, installs the frameworks of `tests/frameworks` and prints a table.
pub fn run() -> Result<()> {
    package::build(Form::Small)?;
    npm::need_node()?;
    let folder = tree::root().join("tests/frameworks");
    let mut install = Command::new("npm");
    // the frameworks name different versions of each other as peers
    install.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"]);
    done(install.current_dir(&folder), "npm")?;
    let mut measure = npm::node();
    done(measure.arg("speed.mjs").current_dir(&folder), "the benchmark")
}
