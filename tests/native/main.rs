//! The tests of the core as its users see it. They are one program, because each program compiles the
//! whole core again. The folders are the groups of `src/`: `cargo test --test native pack::merge` runs
//! one suite.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "a test panics to say what went wrong"
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
