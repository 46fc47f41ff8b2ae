//! The core inside WebAssembly: the same bytes as natively.

use tuckbox::{Code, Json};
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn json_keeps_its_digits_and_has_the_native_canonical_bytes() {
    let value = Json::parse(r#"{"total":123456789012345678901234567890,"a":[1.0,"é"]}"#).unwrap();
    let canonical = r#"{"a":[1.0,"é"],"total":123456789012345678901234567890}"#;
    assert_eq!(value.canonical().unwrap().to_string(), canonical);
}

#[wasm_bindgen_test]
fn text_forms_of_floats_are_those_of_the_recording() {
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
fn deep_input_is_an_error_and_the_instance_still_works() {
    let deep = "[".repeat(100_000);
    assert_eq!(Json::parse(&deep).unwrap_err().code(), Code::Limit);
    assert_eq!(Json::parse("[1]").unwrap().to_string(), "[1]");
}
