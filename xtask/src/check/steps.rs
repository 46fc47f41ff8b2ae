//! The steps of a test run.

use super::{Args, Counts, api, fence, javascript, order, results, rust, wasm};
use crate::licences;
use anyhow::Result;

/// One step.
pub struct Step {
    pub name: &'static str,
    pub title: &'static str,
    pub when: When,
    pub run: fn(&Args) -> Result<Counts>,
    /// True for a step that runs only with `--deep`.
    pub is_deep: bool,
    /// True where `--name` chooses single tests.
    pub takes_names: bool,
}

/// When a step can start.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// At once.
    Anytime,
    /// When no other of these runs: cargo builds for one command at a time.
    Cargo,
    /// When the package is built.
    Built,
}

/// The name of the step that builds the package.
pub const BUILD: &str = "build";

/// The steps of `--quick`.
pub const QUICK: [&str; 7] = ["fmt", "order", "results", "fence", "rust", "conform", "node"];

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

/// Every step, in the order in which they start where nothing delays them: the longest first.
pub const STEPS: &[Step] = &[
    step(BUILD, "the npm package and the page build", When::Anytime, javascript::build),
    step("fmt", "the code is formatted", When::Cargo, rust::format),
    step("lints", "the native code compiles and its lints hold", When::Cargo, rust::lint),
    step("rust", "the native tests", When::Cargo, rust::test).named(),
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
    step("doc", "the pages of the library, and their examples", When::Cargo, rust::test_examples),
    step("node", "the npm package in Node", When::Built, javascript::test_package).named(),
    step("consumers", "the packed package in runtimes and bundlers", When::Built, |args| {
        javascript::test_consumers(args)
    })
    .named(),
    step("types", "the TypeScript types", When::Built, javascript::test_types),
    step("simulate", "orchestration under hosts that fail", When::Cargo, rust::simulate),
    step("examples", "the programs in `examples/`", When::Cargo, rust::run_examples),
    step("fence", "the core knows nothing of its binding", When::Cargo, fence::check),
    step("licences", "every dependency has an allowed licence", When::Cargo, |_| {
        licences::check().map(Counts::holds)
    }),
    step("api", "the public surface is the one on record", When::Anytime, api::check),
    step("results", "the TypeScript types of results match the crate", When::Anytime, |args| {
        results::check(args)
    }),
    step("order", "no group of the core imports a higher one", When::Anytime, order::check),
    step("wasm", "the tests of the binding, in Node and Chromium", When::Cargo, wasm::test).deep(),
    step("laws", "the properties with up to two million cases", When::Cargo, rust::test_laws)
        .deep()
        .named(),
    step("slow-page", "the page, late and with a throttled processor", When::Built, |args| {
        javascript::test_slow_page(args)
    })
    .deep()
    .named(),
    step("busy", "stores, engine and package beside a busy thread", When::Built, |args| {
        javascript::test_busy(args)
    })
    .deep()
    .named(),
];
