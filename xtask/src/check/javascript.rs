//! The npm package and the page.

use super::log::{count_node, count_one, count_quick, counted};
use super::{Args, Counts};
use crate::package::Form;
use crate::{chromium, extension, inspect, nats, npm, package, tree};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;

pub fn build(_args: &Args) -> Result<Counts> {
    package::build(Form::Small)?.print_sizes()?;
    Ok(Counts::holds(""))
}

pub fn test_package(args: &Args) -> Result<Counts> {
    let package = package::build(args.form())?;
    npm::install(&tree::root().join("tests"))?;
    let mut without = Vec::new();
    if args.quick {
        without.push("inspector");
    } else {
        inspect::bundle_into_package()?;
    }
    if !package.is_cut() {
        without.push("parts");
    }
    let mut command = node_tests("tests/node", &[])?;
    command.env("TUCKBOX_WITHOUT", without.join(","));
    counted(args, "node", npm::program(command), count_quick)
}

pub fn test_stores(args: &Args) -> Result<Counts> {
    let chromium = chromium::need()?;
    package::build(Form::Small)?;
    let mut command = node_tests("tests/stores", &[])?;
    command.env("CHROMIUM", &chromium.browser);
    counted(args, "stores", npm::program(command), count_node)
}

pub fn test_engine(args: &Args) -> Result<Counts> {
    let server = nats::need()?;
    package::build(Form::Small)?;
    // servers and hosts wait more than they work: two files at a time
    let mut command = node_tests("tests/engine", &["--test-concurrency=2"])?;
    command.env("NATS_SERVER", server);
    counted(args, "engine", npm::program(command), count_node)
}

pub fn test_consumers(args: &Args) -> Result<Counts> {
    let chromium = chromium::need()?;
    package::build(Form::Small)?;
    inspect::bundle_into_package()?;
    npm::install(&tree::root().join("tests/consumers"))?;
    let mut command = node_tests("tests/consumers", &[])?;
    command.env("CHROMIUM", &chromium.browser);
    counted(args, "consumers", npm::program(command), count_node)
}

pub fn test_types(args: &Args) -> Result<Counts> {
    let project = tree::root().join("tests/types/tsconfig.json");
    if !project.is_file() {
        bail!("there are no type tests: `{}` is missing", tree::shown(&project));
    }
    let mut command = npm::node();
    command.arg(npm::tool("typescript/bin/tsc")?);
    command.args(["--noEmit", "--pretty", "false", "--project"]).arg(project);
    let counts = counted(args, "types", npm::program(command), count_one)?;
    if counts.failed > 0 {
        return Ok(counts);
    }
    // payloads are made by the package, and compiled against the providers' own types
    package::build(Form::Small)?;
    let command = npm::program(node_tests("tests/types", &[])?);
    let made = counted(args, "provider-types", command, count_node)?;
    Ok(Counts { passed: made.passed + 1, ..made })
}

pub fn test_page(args: &Args) -> Result<Counts> {
    let page = inspect::build(Form::Small)?;
    inspect::bundle_into_package()?;
    let extension = extension::assemble(&page)?;
    // a page waits more than it works: two files at a time, also where Node would take one
    let mut command = node_tests("tests/browser", &["--test-concurrency=2"])?;
    command.env("TUCKBOX_EXTENSION", &extension);
    let _page = chromium::serve_to(&mut command, page)?;
    counted(args, "page", npm::program(command), count_node)
}

/// A file of tests that takes longer is stuck, and failed: the longest takes 3 minutes on a slow machine.
const STUCK: &str = "--test-timeout=900000";

/// `node --test` over the `*.test.mjs` files of a folder. Node 20 expands no patterns itself.
fn node_tests(dir: &str, flags: &[&str]) -> Result<Command> {
    npm::need_node()?;
    let folder = tree::root().join(dir);
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot list `{dir}`"))? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            files.push(path);
        }
    }
    if files.is_empty() {
        bail!("there are no tests: `{dir}/*.test.mjs` matches nothing");
    }
    files.sort();
    let mut command = npm::node();
    command.args(["--test", "--test-force-exit", "--test-reporter=spec", STUCK]);
    command.args(flags).args(files);
    Ok(command)
}
