//! What runs in WebAssembly. `cargo xtask test` runs it in Node and in headless Chromium.
//! One program: all of the core is linked into each.
#![cfg(target_arch = "wasm32")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test says what went wrong by panicking"
)]

mod binding;
mod core;
