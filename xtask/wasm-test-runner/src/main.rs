//! Runs a WebAssembly test program: `wasm-bindgen-test-runner` as a program of this repository, so
//! that nothing is installed by hand. Cargo calls it as its runner.
#![forbid(unsafe_code)]

use anyhow::Result;
use std::ffi::OsString;

fn main() -> Result<()> {
    let name = OsString::from("wasm-bindgen-test-runner");
    let arguments = std::iter::once(name).chain(std::env::args_os().skip(1));
    wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(arguments)
}
