//! Templates: `{name}` is replaced by a value, `{{` and `}}` are braces.

use crate::value::json::{Json, Object};
use crate::{Error, Limits, Path, Result};

/// Fills the placeholders of a template.
///
/// Values are not read as templates. Strings are inserted verbatim, lists and objects as JSON text, other
/// values in their text form.
///
/// ```
/// use tuckbox::prompt::collect::fill;
/// use tuckbox::{Json, Path};
///
/// let values = Json::parse(r#"{"goal": "ship {it}", "left": 3}"#)?;
/// let values = values.as_object().unwrap();
/// assert_eq!(fill("{goal}: {left} {{open}}", values, &Path::root())?, "ship {it}: 3 {open}");
/// let error = fill("{gaol}", values, &Path::root().key("template")).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "bad_request at `template`: unknown placeholder `{gaol}`; expected one of `{goal}`, `{left}`"
/// );
/// # Ok::<(), tuckbox::Error>(())
/// ```
///
/// # Errors
/// `bad_request` at `at` for a placeholder without a value or with a `null`, and for a single brace
/// without its pair.
pub fn fill(template: &str, values: &Object, at: &Path) -> Result<String> {
    fill_within(
        template,
        values,
        at,
        &mut 0,
        &Limits { max_bytes: usize::MAX, ..Limits::default() },
    )
}

/// As [`fill`], with `filled` as the sum of all inserted bytes.
pub(super) fn fill_within(
    template: &str,
    values: &Object,
    at: &Path,
    filled: &mut usize,
    limits: &Limits,
) -> Result<String> {
    let refuse = |message: String| Error::bad_request(message).at(at.clone());
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, brace, after)) = next_brace(rest) {
        text.push_str(before);
        if let Some(after) = after.strip_prefix(brace) {
            text.push(brace);
            rest = after;
            continue;
        }
        if brace == '}' {
            return Err(refuse("`}` has no opening brace; write `}}` for a brace".to_owned()));
        }
        let (name, after) = after
            .split_once('}')
            .ok_or_else(|| refuse("`{` has no closing brace; write `{{` for a brace".to_owned()))?;
        match values.get(name) {
            None => return Err(refuse(unknown(name, values))),
            Some(Json::Null) => return Err(refuse(format!("the value of `{{{name}}}` is null"))),
            Some(value) => {
                let value = value.text_form();
                *filled += value.len();
                limits.check_bytes(*filled, at)?;
                text.push_str(&value);
            }
        }
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

fn next_brace(text: &str) -> Option<(&str, char, &str)> {
    let at = text.find(['{', '}'])?;
    let (before, from) = text.split_at_checked(at)?;
    let mut chars = from.chars();
    let brace = chars.next()?;
    Some((before, brace, chars.as_str()))
}

fn unknown(name: &str, values: &Object) -> String {
    let known: Vec<_> = values.keys().map(|key| format!("`{{{key}}}`")).collect();
    match known.as_slice() {
        [] => format!("unknown placeholder `{{{name}}}`; there are no values"),
        known => {
            let known = known.join(", ");
            format!("unknown placeholder `{{{name}}}`; expected one of {known}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &str) -> Result<String> {
        let values = Json::parse(r#"{"a": "{b}", "b": [1, "x"], "n": null, "t": true}"#).unwrap();
        fill(template, values.as_object().unwrap(), &Path::root().key("template"))
    }

    #[test]
    fn values_go_in_once_and_braces_can_be_written() {
        assert_eq!(filled("").unwrap(), "");
        assert_eq!(filled("{a}{a}").unwrap(), "{b}{b}");
        assert_eq!(filled("é{b}é").unwrap(), "é[1, \"x\"]é");
        assert_eq!(filled("{{{t}}}").unwrap(), "{True}");
        assert_eq!(filled("{{a}}").unwrap(), "{a}");
    }

    #[test]
    fn what_cannot_be_filled_is_refused() {
        for (template, part) in [
            ("{n}", "the value of `{n}` is null"),
            ("{}", "unknown placeholder `{}`"),
            ("{ a}", "unknown placeholder `{ a}`"),
            ("{a", "has no closing brace"),
            ("a}", "has no opening brace"),
        ] {
            let error = filled(template).unwrap_err();
            assert!(error.message().contains(part), "{error}");
            assert_eq!(error.path().to_string(), "template");
        }
    }
}
