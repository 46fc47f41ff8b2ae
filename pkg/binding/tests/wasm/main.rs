//! Tests that run in WebAssembly. `cargo xtask test` runs them in Node and in headless Chromium.
//! They are one program, because each program links all of the core.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod binding;
mod core;
