//! Readers of content fields with the coercions of the reference systems.
//!
//! Text must be text. A whole number can also be `"5"`, `5.0` or `true`.

use crate::Result;
use crate::value::json::{Field, Fields, Json, Number, Object, plain_double, read_double};

/// Reads required text.
pub(super) fn text(fields: &Fields<'_>, key: &str) -> Result<String> {
    fields.required(key)?.string().map(str::to_owned)
}

/// Reads optional text.
pub(super) fn optional_text(fields: &Fields<'_>, key: &str) -> Result<Option<String>> {
    fields.optional(key).map(|field| field.string().map(str::to_owned)).transpose()
}

/// Reads a list of objects.
pub(super) fn objects(field: &Field<'_>) -> Result<Vec<Object>> {
    field.list()?.iter().map(|item| item.object().map(|object| object.json().clone())).collect()
}

/// Reads an optional whole number that is greater than 0.
pub(super) fn optional_positive(fields: &Fields<'_>, key: &str) -> Result<Option<Number>> {
    let Some(field) = fields.optional(key) else { return Ok(None) };
    let number = whole(&field)?;
    if number.as_str().starts_with('-') || number.is_zero() {
        return Err(field.error(format!("`{key}` must be greater than 0, found `{number}`")));
    }
    Ok(Some(number))
}

/// Reads an optional whole number that is not negative.
pub(super) fn optional_count(fields: &Fields<'_>, key: &str) -> Result<Option<Number>> {
    let Some(field) = fields.optional(key) else { return Ok(None) };
    let number = whole(&field)?;
    if number.as_str().starts_with('-') {
        return Err(field.error(format!("`{key}` must not be negative, found `{number}`")));
    }
    Ok(Some(number))
}

/// Reads an optional number that is greater than 0.
pub(super) fn optional_duration(fields: &Fields<'_>, key: &str) -> Result<Option<f64>> {
    let Some(field) = fields.optional(key) else { return Ok(None) };
    let value = real(&field)?;
    if value > 0.0 {
        return Ok(Some(value));
    }
    Err(field.error(format!("`{key}` must be greater than 0, found `{}`", plain_double(value))))
}

/// Reads an optional number that is not negative.
pub(super) fn optional_position(fields: &Fields<'_>, key: &str) -> Result<Option<f64>> {
    let Some(field) = fields.optional(key) else { return Ok(None) };
    let value = real(&field)?;
    if value >= 0.0 {
        return Ok(Some(value));
    }
    Err(field.error(format!("`{key}` must not be negative, found `{}`", plain_double(value))))
}

/// Reads a whole number of any size: `5`, `5.0`, `"5"`, `" +5.00 "`, `"5_000"`, `true`.
pub(super) fn whole(field: &Field<'_>) -> Result<Number> {
    let number = match field.json() {
        Json::Bool(value) => Some(Number::from(i64::from(*value))),
        Json::Number(number) if number.is_integer() => number.canonical().ok(),
        // a number with a point or an exponent is a double
        Json::Number(number) => whole_double(number.as_f64()),
        Json::String(text) => whole_text(text),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    };
    number.ok_or_else(|| mismatch(field, "a whole number"))
}

/// Reads a finite number; accepts the forms of [`whole`] and fractions.
pub(super) fn real(field: &Field<'_>) -> Result<f64> {
    let value = match field.json() {
        Json::Bool(value) => Some(f64::from(u8::from(*value))),
        Json::Number(number) => Some(number.as_f64()),
        Json::String(text) => join_digits(text.trim()).and_then(|text| read_double(&text)),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    };
    value.filter(|value| value.is_finite()).ok_or_else(|| mismatch(field, "a finite number"))
}

fn mismatch(field: &Field<'_>, what: &str) -> crate::Error {
    match field.json() {
        Json::String(text) => field.error(format!("expected {what}, found the string `{text}`")),
        Json::Number(number) => field.error(format!("expected {what}, found `{number}`")),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => field.expected(what),
    }
}

/// Maximum length of text that is read as a whole number.
const MAX_DIGITS: usize = 4300;

fn whole_text(text: &str) -> Option<Number> {
    let text = text.trim();
    if text.len() > MAX_DIGITS {
        return None;
    }
    let (digits, zeros) = text.split_once('.').unwrap_or((text, "0"));
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits.strip_prefix('+').unwrap_or(digits)),
    };
    let digits = join_digits(digits)?;
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || zeros.is_empty() || !zeros.bytes().all(|byte| byte == b'0') {
        return None;
    }
    match digits.trim_start_matches('0') {
        "" => Some(Number::from(0_i64)),
        digits => Some(Number::from_grammar(&format!("{sign}{digits}"))),
    }
}

/// Converts a double to a whole number, if it has no fraction and fits into 64 bits.
fn whole_double(value: f64) -> Option<Number> {
    const END: f64 = 9_223_372_036_854_775_808.0;
    (value.fract() == 0.0 && value.abs() < END).then_some(Number::from(value as i64))
}

/// Removes the underscores between digits; returns `None` if there are other underscores.
fn join_digits(text: &str) -> Option<String> {
    let mut joined = String::with_capacity(text.len());
    let mut last = '_';
    for c in text.chars() {
        if (c == '_' && !last.is_ascii_digit())
            || (last == '_' && !c.is_ascii_digit() && !joined.is_empty())
        {
            return None;
        }
        if c != '_' {
            joined.push(c);
        }
        last = c;
    }
    (last != '_').then_some(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_many_notations() {
        for (given, read) in [
            ("5", "5"),
            ("-0", "0"),
            ("1.0", "1"),
            ("1e2", "100"),
            ("true", "1"),
            ("false", "0"),
            (r#"" 7\n""#, "7"),
            (r#""+007.00""#, "7"),
            (r#""-1_000""#, "-1000"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
        ] {
            let value = Json::parse(given).unwrap();
            assert_eq!(whole(&Field::root(&value)).unwrap().as_str(), read, "{given}");
        }
        for refused in [
            "1.5",
            "1e400",
            "1e30",
            "null",
            "[]",
            r#""""#,
            r#""abc""#,
            r#""1.5""#,
            r#""1.""#,
            r#""1.0_0""#,
            r#""1__0""#,
            r#""_1""#,
            r#""1_""#,
            r#""1e2""#,
            r#""--1""#,
        ] {
            let value = Json::parse(refused).unwrap();
            assert!(whole(&Field::root(&value)).is_err(), "{refused}");
        }
    }

    #[test]
    fn real_numbers_are_finite() {
        for (given, read) in [
            ("5", 5.0),
            ("true", 1.0),
            (r#"" 2.5 ""#, 2.5),
            (r#""1e3""#, 1000.0),
            (r#""1_0.5""#, 10.5),
        ] {
            let value = Json::parse(given).unwrap();
            assert_eq!(real(&Field::root(&value)).unwrap(), read, "{given}");
        }
        for refused in ["1e400", r#""inf""#, r#""nan""#, r#""x""#, r#""""#, "null", "{}"] {
            let value = Json::parse(refused).unwrap();
            assert!(real(&Field::root(&value)).is_err(), "{refused}");
        }
    }
}
