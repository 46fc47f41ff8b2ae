//! The allocator of the module.
//!
//! Calls of everyday size are mostly allocations, so this is compiled for speed. The rest of the
//! module is compiled for size: where it was compiled for speed too, the binding drew half of the
//! core into its exports.
#![cfg(target_arch = "wasm32")]
#![no_std]

#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();
