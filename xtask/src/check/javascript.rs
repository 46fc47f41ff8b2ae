//! The npm package and the page.

use super::log::{Runner, counted};
use super::{Args, Counts};
use crate::conform::{self, Through};
use crate::{chromium, extension, inspect, nats, npm, package, tree};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// Builds the package, the page and the extension; with `--deep` in their shipped form.
pub fn build(args: &Args) -> Result<Counts> {
    let package = package::build(args.form())?;
    npm::install(&tree::root().join("tests"))?;
    let page = inspect::build(args.form())?;
    inspect::bundle_into_package()?;
    extension::assemble(&page)?;
    if args.deep {
        package.print_sizes()?;
    }
    Ok(Counts::holds(""))
}

pub fn test_package(args: &Args) -> Result<Counts> {
    package::build(args.form())?;
    inspect::bundle_into_package()?;
    node_tests(args, "node", "tests/node", &[], &[])
}

pub fn test_stores(args: &Args) -> Result<Counts> {
    package::build(args.form())?;
    let chromium = chromium::need()?.browser;
    node_tests(args, "stores", "tests/stores", &[], &[("CHROMIUM", chromium)])
}

pub fn test_engine(args: &Args) -> Result<Counts> {
    package::build(args.form())?;
    let server = nats::need()?;
    // servers and hosts wait more than they work: two files at a time
    node_tests(
        args,
        "engine",
        "tests/engine",
        &["--test-concurrency=2"],
        &[("NATS_SERVER", server)],
    )
}

pub fn test_consumers(args: &Args) -> Result<Counts> {
    package::build(args.form())?;
    inspect::bundle_into_package()?;
    npm::install(&tree::root().join("tests/consumers"))?;
    let chromium = chromium::need()?.browser;
    node_tests(args, "consumers", "tests/consumers", &[], &[("CHROMIUM", chromium)])
}

pub fn test_types(args: &Args) -> Result<Counts> {
    let project = tree::root().join("tests/types/tsconfig.json");
    if !project.is_file() {
        bail!("there are no type tests: `{}` is missing", tree::shown(&project));
    }
    let mut command = npm::node();
    command.arg(npm::tool("typescript/bin/tsc")?);
    command.args(["--noEmit", "--pretty", "false", "--project"]).arg(project);
    let mut counts = counted(args, "types", npm::program(command), Runner::Whole)?;
    inspect::check_types()?;
    counts.passed += 1;
    if counts.failed == 0 {
        // payloads are made by the package, and compiled against the providers' own types
        package::build(args.form())?;
        counts.add(node_tests(args, "provider-types", "tests/types", &[], &[])?);
    }
    Ok(counts)
}

pub fn test_page(args: &Args) -> Result<Counts> {
    page_tests(args, "page", &[])
}

/// Runs the page's tests with late files and answers, and with a processor that is 6 and 20 times as slow.
pub fn test_slow_page(args: &Args) -> Result<Counts> {
    let mut counts = Counts::default();
    for (name, value) in [("TUCKBOX_LATE", "400"), ("TUCKBOX_CPU", "6"), ("TUCKBOX_CPU", "20")] {
        let log = format!("page-{}-{value}", name.to_lowercase());
        counts.add(page_tests(args, &log, &[(name, PathBuf::from(value))])?);
    }
    Ok(counts)
}

fn page_tests(args: &Args, log: &str, environment: &[(&str, PathBuf)]) -> Result<Counts> {
    let page = inspect::build(args.form())?;
    inspect::bundle_into_package()?;
    let extension = extension::assemble(&page)?;
    // a page waits more than it works: two files at a time, also where Node would take one
    let mut command = node_command(args, "tests/browser", &["--test-concurrency=2"])?;
    command.env("TUCKBOX_EXTENSION", &extension);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    let _page = chromium::serve_to(&mut command, page)?;
    counted(args, log, npm::program(command), Runner::Node)
}

/// Runs the tests of stores, engine and package while another thread keeps a core busy.
pub fn test_busy(args: &Args) -> Result<Counts> {
    package::build(args.form())?;
    let environment = [("CHROMIUM", chromium::need()?.browser), ("NATS_SERVER", nats::need()?)];
    let mut counts = Counts::default();
    for step in ["stores", "engine", "node"] {
        let (log, dir) = (format!("busy-{step}"), format!("tests/{step}"));
        let busy = ["--import", "./tests/support/busy.mjs"];
        counts.add(node_tests(args, &log, &dir, &busy, &environment)?);
    }
    Ok(counts)
}

/// Kills hosts and servers while batches run.
pub fn chaos(args: &Args) -> Result<Counts> {
    let command = crate::chaos::program(&crate::chaos::Args { kills: 200, workers: 3 })?;
    counted(args, "chaos", npm::program(command), Runner::Whole)
}

/// Runs the recorded cases, and logs of our own: natively and in Node, with `--deep` in every runtime.
pub fn conform(args: &Args) -> Result<Counts> {
    let through = if args.deep {
        Through::All
    } else if args.quick {
        Through::Native
    } else {
        Through::Node
    };
    let mut counts = Counts::default();
    for dir in [None, Some(tree::root().join("tests/imports"))] {
        let report = conform::check(&conform::Args { dir, through, json: false, show: 10 })?;
        if report.failed() > 0 {
            report.print(10);
        }
        counts.passed += report.passed();
        counts.failed += report.failed();
        let skipped = report.skipped();
        if counts.note.is_empty() {
            counts.note = format!("in {}", report.places().collect::<Vec<_>>().join(", "));
        }
        if !skipped.is_empty() {
            counts.note = format!("{}; skipped: {}", counts.note, skipped.join(", "));
        }
    }
    Ok(counts)
}

fn node_tests(
    args: &Args,
    log: &str,
    dir: &str,
    flags: &[&str],
    environment: &[(&str, PathBuf)],
) -> Result<Counts> {
    npm::install(&tree::root().join("tests"))?;
    let mut command = node_command(args, dir, flags)?;
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    counted(args, log, npm::program(command), Runner::Node)
}

/// A file of tests that takes longer hangs: a guard, not a measure.
const GUARD: &str = "--test-timeout=1800000";

/// `node --test` over the `*.test.mjs` files of a folder. Node 20 expands no patterns itself.
fn node_command(args: &Args, dir: &str, flags: &[&str]) -> Result<Command> {
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
    if args.deep {
        command.env("TUCKBOX_DEEP", "1");
    }
    command.args(flags).args(["--test", "--test-force-exit", "--test-reporter=spec", GUARD]);
    for name in &args.name {
        command.arg(format!("--test-name-pattern=^{}$", escaped(name)));
    }
    command.args(files);
    Ok(command)
}

/// Escapes what has a meaning in a regular expression.
fn escaped(name: &str) -> String {
    let mut escaped = String::new();
    for c in name.chars() {
        if r"\^$.|?*+()[]{}/".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
