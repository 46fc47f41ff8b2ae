//! The steps of a test run.

use super::{Args, Counts, api, fence, javascript, order, python, rust, schema, wasm};
use crate::licenses;
use anyhow::Result;

/// A step of a test run.
pub struct Step {
    pub name: &'static str,
    pub title: &'static str,
    pub when: When,
    pub run: fn(&Args) -> Result<Counts>,
    /// True for a step that runs only with `--deep`.
    pub is_deep: bool,
    /// True if `--name` can select single tests.
    pub takes_names: bool,
}

/// When a step can start.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// At once.
    Anytime,
    /// When no other such step runs, because cargo runs one build at a time.
    Cargo,
    /// When the native code is compiled.
    Compiled,
    /// When the package is built.
    Built,
}

/// The name of the step that builds the package.
pub const BUILD: &str = "build";

/// The name of the step that compiles the native code.
pub const COMPILE: &str = "lints";

/// The steps of `--quick`.
pub const QUICK: [&str; 8] =
    ["fmt", "order", "schema", "fence", "rust", "conform", "javascript", "node"];

const fn step(
    name: &'static str,
    title: &'static str,
    when: When,
    run: fn(&Args) -> Result<Counts>,
) -> Step {
    Step { name, title, when, run, is_deep: false, takes_names: false }
}

impl Step {
    const fn deep(self) -> Self {
        Self { is_deep: true, ..self }
    }

    const fn named(self) -> Self {
        Self { takes_names: true, ..self }
    }
}

/// All steps in the order in which they start, the longest first.
pub const STEPS: &[Step] = &[
    step(BUILD, "the npm package and the page build", When::Anytime, javascript::build),
    step("install", "the programs and packages of the other steps", When::Anytime, |args| {
        javascript::install(args)
    }),
    step("fmt", "the code is formatted", When::Cargo, rust::format),
    step(COMPILE, "the native code compiles without lints", When::Cargo, rust::lint),
    step("rust", "the native tests", When::Compiled, rust::test).named(),
    step("page", "the page in headless Chromium", When::Built, javascript::test_page).named(),
    step("stores", "the contract of a store, on every store", When::Built, javascript::test_stores)
        .named(),
    step(
        "engine",
        "the contract of an engine, on every store",
        When::Built,
        javascript::test_engine,
    )
    .named(),
    step("conform", "the recorded cases, natively and through JavaScript", When::Built, |args| {
        javascript::conform(args)
    }),
    step(
        "doc",
        "the documentation of the library and its examples",
        When::Compiled,
        rust::test_examples,
    ),
    step("node", "the npm package in Node", When::Built, javascript::test_package).named(),
    step("consumers", "the packed package in runtimes and bundlers", When::Built, |args| {
        javascript::test_consumers(args)
    })
    .named(),
    step("types", "the TypeScript types", When::Built, javascript::test_types),
    step("javascript", "the format, lints and types of the JavaScript", When::Built, |args| {
        javascript::check_sources(args)
    }),
    step("simulate", "orchestration with failing hosts", When::Compiled, rust::simulate),
    step("examples", "the programs in `examples/`", When::Compiled, rust::run_examples),
    step("python", "the Python package", When::Compiled, python::test).named(),
    step("fence", "the core does not use its binding", When::Compiled, fence::check),
    step("licenses", "every dependency has an allowed license", When::Compiled, |_| {
        licenses::check().map(Counts::holds)
    }),
    step("api", "the public API matches `tests/public_api.txt`", When::Anytime, api::check),
    step("schema", "types, schema and reference match the declarations", When::Anytime, |args| {
        schema::check(args)
    }),
    step("order", "no group of the core imports a higher one", When::Anytime, order::check),
    step("wasm", "the tests of the binding, in Node and Chromium", When::Cargo, wasm::test).deep(),
    step(
        "properties",
        "the properties with up to two million cases",
        When::Cargo,
        rust::test_properties,
    )
    .deep()
    .named(),
    step("sqlite", "the Rust store in a file of SQLite", When::Cargo, rust::test_sqlite)
        .deep()
        .named(),
    step("slow-page", "the page with delays and a throttled CPU", When::Built, |args| {
        javascript::test_slow_page(args)
    })
    .deep()
    .named(),
    step(
        "apps",
        "web frameworks, versions of Node, and the first steps of users",
        When::Built,
        javascript::test_apps,
    )
    .deep()
    .named(),
    step("busy", "stores, engine and package next to a busy thread", When::Built, |args| {
        javascript::test_busy(args)
    })
    .deep()
    .named(),
    step(
        "mcp",
        "the MCP server with the official client and conformance suite",
        When::Built,
        javascript::test_mcp,
    )
    .deep()
    .named(),
    step("release", "the workflows, the packed files and the extension", When::Built, |args| {
        javascript::test_release(args)
    })
    .deep()
    .named(),
    step("site", "the documentation site in headless Chromium", When::Built, |args| {
        javascript::test_site(args)
    })
    .deep()
    .named(),
    step("component", "the component in Node and in wasmtime", When::Built, |args| {
        javascript::test_component(args)
    })
    .deep()
    .named(),
];
