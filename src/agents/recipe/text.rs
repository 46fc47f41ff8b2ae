//! What a model writes into arguments, read as the recorded systems read it.

use crate::agents::lint::AgentLint;
use crate::pack::PackLint;
use crate::rule::lint::Lint;
use crate::value::json::{Field, Fields, Json, trim};
use crate::value::lower::lower;
use crate::{Error, Path, Result};

/// A value as text: `null` and absence are nothing, everything else is its text form, and empty
/// text is nothing too. White space counts as text.
pub(super) fn text(value: Option<&Json>) -> Option<String> {
    let value = value.filter(|value| !value.is_null())?;
    Some(value.text_form()).filter(|text| !text.is_empty())
}

/// The text of an argument that must be there.
pub(super) fn required(arguments: &Fields<'_>, key: &str) -> Result<String> {
    text(arguments.json().get(key)).ok_or_else(|| missing(arguments, key))
}

/// The text of an instruction: a list or an object is refused, because nobody means to send the
/// source text of a data structure.
pub(super) fn instruction(
    arguments: &Fields<'_>,
    key: &str,
    lints: &mut Vec<Lint>,
) -> Result<String> {
    let Some(field) = arguments.optional(key) else { return Err(missing(arguments, key)) };
    match field.json() {
        Json::String(text) if text.is_empty() => Err(missing(arguments, key)),
        Json::String(text) => Ok(text.clone()),
        value @ (Json::Null | Json::Bool(_) | Json::Number(_)) => {
            lints.push(Lint::new(
                PackLint::CoercedValue,
                field.path(),
                format!("{} becomes the text `{}`", value.kind(), value.text_form()),
            ));
            Ok(value.text_form())
        }
        Json::Array(_) | Json::Object(_) => Err(field.expected("text")),
    }
}

fn missing(arguments: &Fields<'_>, key: &str) -> Error {
    Error::bad_request(format!("`{key}` is required")).at(arguments.path().key(key))
}

/// The lints for arguments that a recipe does not know.
pub(super) fn unknown<'a>(
    arguments: &'a Fields<'_>,
    known: &'a [&str],
) -> impl Iterator<Item = Lint> + 'a {
    arguments.json().keys().filter(|key| !known.contains(&key.as_str())).map(|key| {
        Lint::new(
            AgentLint::IgnoredArgument,
            arguments.path().key(key),
            format!("`{key}` is not an argument of this recipe: it is ignored"),
        )
    })
}

/// A switch that counts by its truth; text that says no is told apart in a lint.
pub(super) fn truth(field: Option<Field<'_>>, lints: &mut Vec<Lint>) -> bool {
    let Some(field) = field.filter(|field| field.json().is_truthy()) else { return false };
    if let Json::String(text) = field.json()
        && matches!(lower(trim(text)).as_str(), "false" | "no" | "off" | "0" | "")
    {
        lints.push(Lint::new(
            PackLint::TruthyText,
            field.path(),
            format!("`{text}` is text, and text counts as true; use `false`"),
        ));
    }
    true
}

/// A switch that may be written as text: `yes`, `on`, `0`, ...
pub(super) fn switch(field: Option<Field<'_>>) -> Result<bool> {
    let Some(field) = field else { return Ok(false) };
    match field.json() {
        Json::Bool(value) => Ok(*value),
        value @ Json::Number(_) => Ok(value.is_truthy()),
        Json::String(text) => match lower(trim(text)).as_str() {
            "true" | "1" | "yes" | "on" => Ok(true),
            "false" | "0" | "no" | "off" | "" => Ok(false),
            _ => Err(field.error(format!("`{text}` is neither true nor false"))),
        },
        Json::Null | Json::Array(_) | Json::Object(_) => Err(field.expected("a boolean")),
    }
}

/// A number of seconds above zero, which may be written as text. Infinity is no deadline.
pub(super) fn seconds(field: Option<Field<'_>>) -> Result<Option<f64>> {
    let Some(field) = field else { return Ok(None) };
    let value = match field.json() {
        Json::Number(number) => Some(number.as_f64()),
        Json::String(text) => digits(text).and_then(|text| text.parse().ok()),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    };
    match value {
        Some(seconds) if seconds > 0.0 && f64::is_finite(seconds) => Ok(Some(seconds)),
        Some(_) | None => Err(field.error(format!(
            "`{}` is not a finite number of seconds above zero",
            field.json().text_form()
        ))),
    }
}

/// How deep a caller stands, which may be written as text.
pub(super) fn depth(value: &Json) -> Option<u64> {
    match value {
        Json::Number(number) => number.whole().and_then(|whole| u64::try_from(whole).ok()),
        Json::String(text) => {
            let text = digits(text)?;
            text.strip_prefix('+').unwrap_or(&text).parse().ok()
        }
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

/// The text of a number in plain digits: white space around it goes, digits of any script become
/// those of ASCII, an underscore between two digits is none.
fn digits(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut underscore = false;
    for c in trim(text).chars() {
        if c == '_' {
            if underscore || !plain.ends_with(|last: char| last.is_ascii_digit()) {
                return None;
            }
            underscore = true;
            continue;
        }
        let c = ascii_digit(c).unwrap_or(c);
        if underscore && !c.is_ascii_digit() {
            return None;
        }
        underscore = false;
        plain.push(c);
    }
    (!underscore).then_some(plain)
}

/// Where the digits of each script start, zero to nine in a row.
const ZEROS: [u32; 37] = [
    0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66,
    0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90,
    0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
    0x104a0,
];

fn ascii_digit(c: char) -> Option<char> {
    let code = u32::from(c);
    let zero = ZEROS.iter().find(|&&zero| (zero..zero + 10).contains(&code))?;
    char::from_digit(code - zero, 10)
}

/// The arguments of a tool call; anything but an object counts as none at all.
pub(super) fn arguments(value: &Json) -> Result<Fields<'_>> {
    Field::root(value).object().map_err(|error| error.at(Path::root().key("arguments")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_be_written_in_any_script() {
        for (given, plain) in [
            ("1_000", Some("1000")),
            (" ١٢ ", Some("12")),
            ("１０.5", Some("10.5")),
            ("_1", None),
            ("1__0", None),
            ("1_", None),
            ("1_.5", None),
        ] {
            assert_eq!(digits(given).as_deref(), plain, "{given}");
        }
    }

    #[test]
    fn depth_is_a_whole_number_that_is_not_negative() {
        let read = |text: &str| depth(&Json::parse(text).unwrap());
        assert_eq!(read("3"), Some(3));
        assert_eq!(read(r#"" +3 ""#), Some(3));
        for bad in ["-1", r#""-1""#, r#""""#, r#""abc""#, "null", "true", "1.5", r#""1.0""#] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
