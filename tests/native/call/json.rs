//! Values in the hands of other serialisers: every public result can be written by any host.

use tuckbox::Json;

#[test]
fn other_serializers_get_numbers_as_far_as_they_have_them() {
    for (given, told) in [
        ("-3", "-3"),
        ("18446744073709551615", "18446744073709551615"),
        ("0.5", "0.5"),
        ("1e2", "100.0"),
        ("123456789012345678901234567890", r#""123456789012345678901234567890""#),
        ("0.1000000000000000055", r#""0.1000000000000000055""#),
        ("1e999", r#""1e999""#),
    ] {
        let value = Json::parse(&format!(r#"{{"n": [{given}, null, true, "x"]}}"#)).unwrap();
        let written = serde_json::to_string(&value).unwrap();
        assert_eq!(written, format!(r#"{{"n":[{told},null,true,"x"]}}"#));
    }
}
