//! Tests of the npm package and the page.

use super::log::{Runner, counted};
use super::{Args, Counts};
use crate::component::Operations;
use crate::conform::{self, Through};
use crate::{chromium, component, extension, inspect, nats, npm, package, python, site, tree};
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// Installs what the other steps need. Downloads take long, and the compiler is busy meanwhile. A step
/// that runs alone installs what it needs.
pub fn install(_: &Args) -> Result<Counts> {
    for folder in ["tests", "www", "tests/consumers"] {
        npm::install(&tree::root().join(folder))?;
    }
    chromium::environment()?;
    nats::need()?;
    python::environment("python", false)?;
    Ok(Counts::holds(""))
}

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

/// Checks the format, the lints and the types of the JavaScript. The types include the generated glue.
pub fn check_sources(args: &Args) -> Result<Counts> {
    let mut biome = npm::offline_node();
    biome.arg(npm::tool("@biomejs/biome/bin/biome")?);
    biome.args(["check", "--error-on-warnings", "--max-diagnostics=200"]);
    let mut counts = counted(args, "biome", npm::program(biome), Runner::Whole)?;
    package::build(args.form())?;
    let mut typescript = npm::offline_node();
    typescript.arg(npm::tool("typescript/bin/tsc")?).args(["--project", "pkg"]);
    counts.add(counted(args, "typescript", npm::program(typescript), Runner::Whole)?);
    Ok(counts)
}

pub fn test_package(args: &Args) -> Result<Counts> {
    if args.deep {
        inspect::bundle_into_package()?;
        // other runtimes
        npm::install(&tree::root().join("tests/consumers/deep"))?;
    }
    node_tests(args, "node", &[])
}

pub fn test_stores(args: &Args) -> Result<Counts> {
    if args.deep {
        // a driver of SQLite
        npm::install(&tree::root().join("tests/consumers/deep"))?;
    }
    node_tests(args, "stores", &chromium::environment()?)
}

pub fn test_engine(args: &Args) -> Result<Counts> {
    if args.deep {
        // a driver of SQLite
        npm::install(&tree::root().join("tests/consumers/deep"))?;
    }
    node_tests(args, "engine", &[("NATS_SERVER", nats::need()?)])
}

pub fn test_consumers(args: &Args) -> Result<Counts> {
    let consumers = tree::root().join("tests/consumers");
    npm::install(&consumers)?;
    if args.deep {
        inspect::bundle_into_package()?;
        npm::install(&consumers.join("deep"))?;
    }
    node_tests(args, "consumers", &chromium::environment()?)
}

/// Builds and serves apps of web frameworks, runs the package in every supported version of Node, and
/// follows the pages as a new user does.
pub fn test_apps(args: &Args) -> Result<Counts> {
    let tests = tree::root().join("tests");
    inspect::bundle_into_package()?;
    npm::install(&tests.join("apps"))?;
    // a runtime
    npm::install(&tests.join("consumers"))?;
    npm::install(&tests.join("consumers/deep"))?;
    node_tests(args, "apps", &chromium::environment()?)
}

/// Runs the tests of the MCP server with packages of the protocol's authors.
pub fn test_mcp(args: &Args) -> Result<Counts> {
    npm::install(&tree::root().join("tests/mcp"))?;
    node_tests(args, "mcp", &chromium::environment()?)
}

/// Runs the tests of the release: workflows, packed files and the unpacked extension.
pub fn test_release(args: &Args) -> Result<Counts> {
    extension::assemble(&inspect::build(args.form())?)?;
    inspect::bundle_into_package()?;
    npm::install(&tree::root().join("tests/release"))?;
    node_tests(args, "release", &chromium::environment()?)
}

/// Builds the site, and runs its examples and checks its pages.
pub fn test_site(args: &Args) -> Result<Counts> {
    site::build(args.form())?;
    node_tests(args, "site", &chromium::environment()?)
}

/// Runs the tests of the component in Node, in Chromium and in Python. With `--deep`, they use the
/// published form.
pub fn test_component(args: &Args) -> Result<Counts> {
    let mut environment = chromium::environment()?;
    for (name, operations) in
        [("COMPONENT_CORE", Operations::Core), ("COMPONENT", Operations::Full)]
    {
        environment.push((name, component::build(args.form(), operations)?));
    }
    environment.push(("PYTHON", python::with_wasmtime()?));
    node_tests(args, "component", &environment)
}

pub fn test_types(args: &Args) -> Result<Counts> {
    inspect::check_types()?;
    let mut counts = node_tests(args, "types", &[])?;
    counts.passed += 1;
    Ok(counts)
}

pub fn test_page(args: &Args) -> Result<Counts> {
    page_tests(args, "page", &[])
}

/// Runs the page's tests with delayed files and answers, and with the CPU 6 and 20 times slower.
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
    npm::install(&tree::root().join("tests"))?;
    let mut command = npm::offline_node();
    command.arg("--test-reporter=spec").args(names(args)).arg("tests/browser/all.mjs");
    if args.deep {
        command.env("TUCKBOX_DEEP", "1");
    }
    command.env("TUCKBOX_EXTENSION", &extension);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    let _page = chromium::serve_to(&mut command, page)?;
    counted(args, log, npm::program(command), Runner::Node)
}

/// Runs the tests of stores, engine and package next to a busy thread.
pub fn test_busy(args: &Args) -> Result<Counts> {
    let mut environment = chromium::environment()?;
    environment.push(("NATS_SERVER", nats::need()?));
    let mut counts = Counts::default();
    for folder in ["stores", "engine", "node"] {
        let mut command = command(args, folder)?;
        command.arg("--busy").env_remove("TUCKBOX_DEEP");
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        counts.add(counted(args, &format!("busy-{folder}"), npm::program(command), Runner::Node)?);
    }
    // rename the counts, because the same tests also run without the thread
    counts.only_deep.clear();
    Ok(counts)
}

/// Runs the recorded cases and logs of this repository: natively and in Node, with `--deep` in
/// every runtime.
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

/// Runs the tests of a folder of `tests/`.
fn node_tests(args: &Args, folder: &str, environment: &[(&str, PathBuf)]) -> Result<Counts> {
    let mut command = command(args, folder)?;
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    counted(args, folder, npm::program(command), Runner::Node)
}

/// Returns the runner of a folder's tests, with the package built and everything installed.
fn command(args: &Args, folder: &str) -> Result<Command> {
    package::build(args.form())?;
    npm::install(&tree::root().join("tests"))?;
    // these install packages
    let mut command =
        if ["apps", "consumers"].contains(&folder) { npm::node() } else { npm::offline_node() };
    command.arg("tests/support/run.mjs").arg(folder);
    if args.deep {
        command.env("TUCKBOX_DEEP", "1");
    }
    command.args(names(args));
    Ok(command)
}

/// Returns the flags that choose the tests of `--name`.
fn names(args: &Args) -> impl Iterator<Item = String> {
    args.name.iter().map(|name| format!("--test-name-pattern=^{}$", escaped(name)))
}

/// Escapes the special characters of a regular expression.
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
