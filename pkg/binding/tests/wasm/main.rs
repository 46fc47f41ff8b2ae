//! What runs in WebAssembly, as small as it is shipped. `cargo xtask test` runs it in Node and in headless
//! Chromium. One program: linking one takes as long as linking the module.
#![cfg(target_arch = "wasm32")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test says what went wrong by panicking"
)]

mod binding;
mod core;
