//! `cargo xtask site`: builds the documentation as a static site.

use crate::package::Form;
use crate::process::timed;
use crate::{cargo, inspect, npm, package, tree};
use anyhow::Result;
use clap::Parser;
use std::process::ExitCode;

/// Build the documentation as a static site in `target/site`.
#[derive(Parser)]
pub struct Args {
    /// Use the quick form of the package, whose module is larger
    #[arg(long)]
    quick: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    print!("{}", build(if args.quick { Form::Quick } else { Form::Small })?);
    Ok(ExitCode::SUCCESS)
}

/// Builds the package, the Rust API and the site. Returns the summary of the site.
pub fn build(form: Form) -> Result<String> {
    package::build(form)?;
    inspect::bundle_into_package()?;
    npm::install(&tree::root().join("site"))?;
    let mut doc = cargo::cargo(["doc", "--package", "tuckbox", "--no-deps", "--locked"]);
    // the wrapper of the lints does not document
    doc.env("RUSTC_WORKSPACE_WRAPPER", "");
    timed("document the Rust API", || cargo::program(doc).succeed("`cargo doc`"))?;
    let mut command = npm::node();
    command.arg("site/build.mjs").arg(cargo::target_dir()?.join("doc"));
    timed("build the site", || npm::program(command).succeed("building the site"))
}
