//! Tests of the core in WebAssembly: its results equal the native ones byte for byte.

use tuckbox::{Code, Json};
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn json_keeps_digits_and_canonical_bytes() {
    let value = Json::parse(r#"{"total":123456789012345678901234567890,"a":[1.0,"é"]}"#).unwrap();
    let canonical = r#"{"a":[1.0,"é"],"total":123456789012345678901234567890}"#;
    assert_eq!(value.canonical().unwrap().to_string(), canonical);
}

#[wasm_bindgen_test]
fn text_forms_of_floats_match_the_recorded_ones() {
    let recorded = Json::parse(include_str!("../../../../tests/vectors/scalar_text.json")).unwrap();
    let cases = recorded.get("cases").and_then(Json::as_array).unwrap();
    assert!(cases.len() > 100);
    for case in cases {
        let value = case.get("input").and_then(|input| input.get("value")).unwrap();
        let text = case.get("expect").and_then(|expect| expect.get("python_str"));
        assert_eq!(text.and_then(Json::as_str), Some(value.text_form().as_str()));
    }
}

#[wasm_bindgen_test]
fn deep_input_is_an_error_and_the_instance_stays_usable() {
    let deep = "[".repeat(100_000);
    assert_eq!(Json::parse(&deep).unwrap_err().code(), Code::Limit);
    assert_eq!(Json::parse("[1]").unwrap().to_string(), "[1]");
}

/// Allocates blocks of all cached sizes and larger ones, more than the allocator caches, and frees
/// them in another order.
#[wasm_bindgen_test]
fn block_has_one_owner_after_any_order_of_frees() {
    let filled = |size: usize| vec![size as u8; size];
    let is_whole = |block: &[u8], size: usize| block.iter().all(|byte| *byte == size as u8);
    for _ in 0..3 {
        let mut blocks: Vec<Vec<u8>> = (1..=600).chain(1..=600).map(filled).collect();
        for (at, block) in blocks.iter_mut().enumerate().filter(|(at, _)| at % 3 == 0) {
            let size = at % 600 + 1;
            block.reserve_exact(7 * (at % 64));
            assert!(is_whole(block, size));
            block.truncate(size / 2);
            block.shrink_to_fit();
            assert!(is_whole(block, size));
        }
        for at in (0..1_200).filter(|at| at % 7 == 0) {
            blocks[at] = filled(at % 600 + 1);
        }
        for (at, block) in blocks.iter().enumerate() {
            assert!(is_whole(block, at % 600 + 1), "{at}");
        }
    }
    let many: Vec<Box<[u64; 4]>> = (0..10_000).map(|at| Box::new([at; 4])).collect();
    drop(many);
    let again: Vec<Box<[u64; 4]>> = (0..10_000).map(|at| Box::new([at; 4])).collect();
    assert!(again.iter().enumerate().all(|(at, block)| **block == [at as u64; 4]));
}
