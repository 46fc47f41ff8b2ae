use super::*;
use crate::Code;

fn refused(text: &str) -> Error {
    Json::parse(text).unwrap_err()
}

fn without_x(text: &str) -> Result<Json> {
    parse_without(text, &["x"], &mut String::new(), &mut { usize::MAX })
}

#[test]
fn text_survives_unchanged() {
    for text in [
        "null",
        "[]",
        "{}",
        r#"[0,-1,1.50,1E+5,-0.0,123456789012345678901234567890]"#,
        r#"{"b":1,"a":{"__proto__":[true,false,null]},"10":"é😀\n\"\\"}"#,
    ] {
        assert_eq!(Json::parse(text).unwrap().to_string(), text);
    }
    assert_eq!(Json::parse(r#""\ud83d\ude00\/\u00e9""#).unwrap(), Json::from("😀/é"));
}

#[test]
fn omitted_members_must_be_valid_json() {
    let text = r#"{"a":1,"x":[{"b":"\n\u00e9 \ud83d\ude00"},[],-1.5e3,null],"c":{"x":2},"x":"y"}"#;
    assert_eq!(without_x(text).unwrap().to_string(), r#"{"a":1,"c":{"x":2}}"#);
    assert_eq!(without_x(r#"{"x":{}}"#).unwrap().to_string(), "{}");
    for broken in [
        "{}x",
        "[1,]",
        "{\"a\"}",
        "{a:1}",
        "[1 2]",
        "\"\\x\"",
        "\"\\ud800\"",
        "\"\n\"",
        "01",
        "[",
        "",
    ] {
        let text = format!("{{\"x\":{broken}}}");
        assert!(Json::parse(&text).is_err(), "{text}");
        assert!(without_x(&text).is_err(), "{text}");
    }
    // omitted values count, and `left` has the rest
    let mut left = 9;
    assert!(parse_without(text, &["x"], &mut String::new(), &mut left).is_err());
    let mut left = 20;
    parse_without(text, &["x"], &mut String::new(), &mut left).unwrap();
    assert_eq!(left, 10);
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(500), "]".repeat(500));
    assert_eq!(without_x(&deep).unwrap_err().code(), Code::Limit);
}

#[test]
fn the_last_of_two_equal_keys_wins() {
    assert_eq!(Json::parse(r#"{"b":1,"a":2,"b":3}"#).unwrap().to_string(), r#"{"b":3,"a":2}"#);
}

#[test]
fn invalid_text_is_an_error_with_its_path() {
    for text in [
        "",
        "nul",
        "01",
        "1.",
        "1e",
        "-",
        "+1",
        "NaN",
        "[1,]",
        "{\"a\":1,}",
        "{a:1}",
        "[1 2]",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u+123\"",
        "\"abc",
        "\"\n\"",
        "1 1",
        "[",
        "{\"a\"",
        "'a'",
    ] {
        assert_eq!(refused(text).code(), Code::InvalidContent, "{text}");
    }
    assert_eq!(refused(r#"{"a":[1,{"b":tru}]}"#).path().to_string(), "a[1].b");
}

#[test]
fn surrogates_and_nul_are_errors_with_their_path() {
    for text in [r#"["\ud800"]"#, r#"["\udc00x"]"#, r#"["\ud800A"]"#, r#"["a\u0000"]"#] {
        let error = refused(text);
        assert_eq!(error.path().to_string(), "[0]", "{text}");
        assert_eq!(error.code(), Code::InvalidContent);
    }
}

#[test]
fn depth_is_checked_before_recursion() {
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert!(Json::parse(&deep(160)).is_ok());
    assert_eq!(refused(&deep(162)).code(), Code::Limit);
    assert_eq!(refused(&"[".repeat(1_000_000)).code(), Code::Limit);
}
