//! Arguments that a model writes, read as the reference systems read them.

use crate::agents::lint::AgentLint;
use crate::pack::PackLint;
use crate::rule::lint::Lint;
use crate::value::json::{Field, Fields, Json, listed, trim};
use crate::{Error, Path, Result};

/// Returns a value as a string, or `None` if it is missing, `null` or empty. White space is kept.
pub(super) fn text(value: Option<&Json>) -> Option<String> {
    let value = value.filter(|value| !value.is_null())?;
    Some(value.text_form()).filter(|text| !text.is_empty())
}

/// Returns a required argument as a string.
pub(super) fn required(arguments: &Fields<'_>, key: &str) -> Result<String> {
    text(arguments.json().get(key)).ok_or_else(|| missing(&arguments.path(), key))
}

/// Returns an instruction as a string. A list or an object is an error, because its JSON is not an
/// instruction.
pub(super) fn instruction(
    arguments: &Fields<'_>,
    key: &str,
    lints: &mut Vec<Lint>,
) -> Result<String> {
    let Some(field) = arguments.optional(key) else {
        return Err(missing(&arguments.path(), key));
    };
    match field.json() {
        Json::String(text) if text.is_empty() => Err(missing(&arguments.path(), key)),
        Json::String(text) => Ok(text.clone()),
        value @ (Json::Null | Json::Bool(_) | Json::Number(_)) => {
            lints.push(Lint::new(
                PackLint::CoercedValue,
                field.path(),
                format!("{} becomes the string `{}`", value.kind(), value.text_form()),
            ));
            Ok(value.text_form())
        }
        Json::Array(_) | Json::Object(_) => Err(field.expected("a string")),
    }
}

/// Returns the error for a member of the object at `path` that is missing or empty.
pub(super) fn missing(path: &Path, key: &str) -> Error {
    Error::bad_request(format!("`{key}` is required")).at(path.key(key))
}

/// Returns a lint for every argument that a recipe does not know.
pub(super) fn unknown<'a>(
    arguments: &'a Fields<'_>,
    known: &'a [&str],
) -> impl Iterator<Item = Lint> + 'a {
    arguments.json().keys().filter(|key| !known.contains(&key.as_str())).map(|key| {
        Lint::new(
            AgentLint::IgnoredArgument,
            arguments.path().key(key),
            format!("unknown argument `{key}` is ignored; expected one of {}", listed(known)),
        )
    })
}

/// Returns the truth of a value. A string such as `"false"` counts as true, with a lint.
pub(super) fn truth(field: Option<Field<'_>>, lints: &mut Vec<Lint>) -> bool {
    let Some(field) = field.filter(|field| field.json().is_truthy()) else { return false };
    if let Json::String(text) = field.json()
        && matches!(trim(text).to_lowercase().as_str(), "false" | "no" | "off" | "0" | "")
    {
        lints.push(Lint::new(
            PackLint::TruthyText,
            field.path(),
            format!("the string `{text}` counts as true; use `false`"),
        ));
    }
    true
}

/// Reads a boolean, which can be a number or a string such as `yes` or `off`.
pub(super) fn switch(field: Option<Field<'_>>) -> Result<bool> {
    let Some(field) = field else { return Ok(false) };
    match field.json() {
        Json::Bool(value) => Ok(*value),
        value @ Json::Number(_) => Ok(value.is_truthy()),
        Json::String(text) => match trim(text).to_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(true),
            "false" | "0" | "no" | "off" | "" => Ok(false),
            _ => Err(field.error(format!("expected a boolean, found the string `{text}`"))),
        },
        Json::Null | Json::Array(_) | Json::Object(_) => Err(field.expected("a boolean")),
    }
}

/// Reads a number of seconds, which can be a string.
pub(super) fn seconds(field: Option<Field<'_>>) -> Result<Option<f64>> {
    let Some(field) = field else { return Ok(None) };
    let value = match field.json() {
        Json::Number(number) => Some(number.as_f64()),
        Json::String(text) => digits(text).and_then(|text| text.parse().ok()),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    };
    value.map(Some).ok_or_else(|| field.expected("a number of seconds"))
}

/// Returns a recursion depth, which can be a string.
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

/// Returns a number in plain digits. White space around it and underscores between digits are
/// removed; digits of any script become ASCII.
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

/// The code point of the zero of each script. The other digits follow it.
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

/// Returns the members of the arguments of a tool call, which must be an object.
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
