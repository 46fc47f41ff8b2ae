//! Every public result can be written by any serializer.

use tuckbox::Json;

#[test]
fn numbers_that_a_serializer_cannot_represent_become_strings() {
    for (given, expected) in [
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
        assert_eq!(written, format!(r#"{{"n":[{expected},null,true,"x"]}}"#));
    }
}
