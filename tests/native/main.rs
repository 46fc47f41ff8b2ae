//! Tests of the public interface of the core. All suites are one program, because each program
//! compiles the whole core again. The folders are those of `src/`.
//! `cargo test --test native pack::merge` runs one suite.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "a test reports a failure by a panic"
)]

mod declared;
mod property;
#[path = "../sim/mod.rs"]
mod sim;

mod call;
mod handoff;
mod import;
mod pack;
mod prompt;
mod run;
mod store;
