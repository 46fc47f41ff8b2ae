//! System prompts with placeholders, filled in as the reference systems do.
//!
//! `{name}` becomes a value, and an unknown name stays verbatim. `{{` and `}}` are braces.
//! `{name!r}` quotes a value; `{name:>8.3}` pads and truncates it. Everything else is an error,
//! because the reference systems fail on it during a turn.

use crate::value::Set as IndexSet;
use crate::{Error, Path, Result};

/// A template with its values.
pub(super) struct Filled {
    pub text: String,
    /// The unknown names, each once.
    pub unknown: IndexSet<String>,
}

/// Fills in a template.
///
/// # Errors
/// `bad_request` at `path` for a single brace without its pair, for a placeholder without a name,
/// and for an unknown format.
pub(super) fn fill(template: &str, values: &[(&str, &str)], path: &Path) -> Result<Filled> {
    let error = |why: String| Error::bad_request(why).at(path.clone());
    let mut filled = String::with_capacity(template.len());
    let mut unknown = IndexSet::default();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        filled.push_str(before);
        if let Some(after) = from.strip_prefix("{{") {
            filled.push('{');
            rest = after;
        } else if let Some(after) = from.strip_prefix("}}") {
            filled.push('}');
            rest = after;
        } else if let Some(after) = from.strip_prefix('{') {
            let Some((field, after)) = after.split_once('}') else {
                return Err(error("`{` is not closed; write `{{` for a brace".into()));
            };
            filled.push_str(&placeholder(field, values, &mut unknown).map_err(error)?);
            rest = after;
        } else {
            return Err(error("`}` has no opening brace; write `}}` for a brace".into()));
        }
    }
    filled.push_str(rest);
    Ok(Filled { text: filled, unknown })
}

fn placeholder(
    field: &str,
    values: &[(&str, &str)],
    unknown: &mut IndexSet<String>,
) -> std::result::Result<String, String> {
    let (head, format) = field.split_once(':').unwrap_or((field, ""));
    let (name, conversion) = match head.split_once('!') {
        Some((name, conversion)) => (name, Some(conversion)),
        None => (head, None),
    };
    if name.is_empty() || name.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("placeholder `{{{field}}}` must have a name"));
    }
    if name.contains(['.', '[', '{']) || format.as_bytes().contains(&b'{') {
        return Err(format!("placeholder `{{{field}}}` must be a plain name"));
    }
    let known = values.iter().find(|(key, _)| *key == name);
    if known.is_none() {
        unknown.insert(name.to_owned());
    }
    let value = known.map_or_else(|| format!("{{{name}}}"), |(_, value)| (*value).to_owned());
    let value = match conversion {
        None | Some("s") => value,
        Some("r" | "a") => quoted(&value, conversion == Some("a")),
        Some(other) => {
            return Err(format!(
                "unknown conversion `{other}` in `{{{field}}}`; expected `r`, `s` or `a`"
            ));
        }
    };
    formatted(&value, format).ok_or_else(|| format!("unknown format `{format}` in `{{{field}}}`"))
}

/// Returns text as a quoted literal.
fn quoted(text: &str, ascii: bool) -> String {
    let quote = if text.as_bytes().contains(&b'\'') && !text.as_bytes().contains(&b'"') {
        '"'
    } else {
        '\''
    };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c if c.is_ascii() && c.is_ascii_control() => {
                out.push_str(&format!("\\x{:02x}", u32::from(c)));
            }
            c if ascii && !c.is_ascii() => out.push_str(&match u32::from(c) {
                code @ 0..=0xff => format!("\\x{code:02x}"),
                code @ 0x100..=0xffff => format!("\\u{code:04x}"),
                code => format!("\\U{code:08x}"),
            }),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// Returns text in a format: fill and alignment, width, maximum length.
fn formatted(text: &str, format: &str) -> Option<String> {
    if format.is_empty() {
        return Some(text.to_owned());
    }
    let mut chars = format.chars().peekable();
    let (mut fill, mut align) = (' ', '<');
    let mut overlay = format.chars();
    let (first, second) = (overlay.next(), overlay.next());
    if let (Some(given), Some(side @ ('<' | '>' | '^'))) = (first, second) {
        (fill, align) = (given, side);
        chars.next();
        chars.next();
    } else if let Some(side @ ('<' | '>' | '^')) = first {
        align = side;
        chars.next();
    } else if first == Some('0') {
        fill = '0';
        chars.next();
    }
    let number = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| {
        let mut digits = String::new();
        while let Some(digit) = chars.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        digits
    };
    let width = number(&mut chars);
    let max_length = match chars.next_if_eq(&'.') {
        Some(_) => Some(number(&mut chars).parse::<usize>().ok()?),
        None => None,
    };
    chars.next_if_eq(&'s');
    if chars.next().is_some() {
        return None;
    }
    let cut: String = text.chars().take(max_length.unwrap_or(usize::MAX)).collect();
    let width = if width.is_empty() { 0 } else { width.parse::<u16>().ok()?.into() };
    let missing = usize::saturating_sub(width, cut.chars().count());
    let left = match align {
        '>' => missing,
        '^' => missing / 2,
        _ => 0,
    };
    let pad = |count: usize| std::iter::repeat_n(fill, count);
    Some(pad(left).chain(cut.chars()).chain(pad(missing - left)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &str) -> Result<String> {
        let values = [("display_name", "Wendy"), ("empty", "")];
        Ok(fill(template, &values, &Path::root().key("t"))?.text)
    }

    #[test]
    fn names_are_filled_in_and_unknown_names_stay() {
        for (template, text) in [
            ("You are {display_name}.", "You are Wendy."),
            ("x {unknown} y", "x {unknown} y"),
            ("{ display_name }", "{ display_name }"),
            ("{{display_name}} {empty}|", "{display_name} |"),
            ("{display_name!r:>9}|", "  'Wendy'|"),
            ("{display_name:-^9.3}|", "---Wen---|"),
            ("{display_name:7}|", "Wendy  |"),
            ("{display_name!s}", "Wendy"),
        ] {
            assert_eq!(filled(template).unwrap(), text, "{template}");
        }
    }

    #[test]
    fn a_template_that_fails_in_a_turn_is_an_error() {
        for template in
            ["x {unclosed", "x {} y", "{0}", "}", "{a.b}", "{a[0]}", "{a!x}", "{a: d}", "{a:{b}}"]
        {
            let error = filled(template).unwrap_err();
            assert_eq!(error.path().to_string(), "t", "{template}");
            assert_eq!(error.code(), crate::Code::BadRequest, "{template}");
        }
    }
}
