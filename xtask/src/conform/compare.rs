//! Compares answers with recorded ones.
//!
//! JSON is compared by value: the order of keys does not matter, `1.0` equals `1`, strings and
//! lists are exact. Ids and times are new in every run, so the recording has placeholders: `$id1`,
//! `$box1`, `$now`, also inside longer strings. A placeholder has the same value everywhere in an
//! outcome, and two ids never have the same value.

use super::vectors::Expected;
use std::collections::BTreeMap;
use tuckbox::{Json, Path};

/// The recorder adds the original scalar to a text card. Only the text is compared.
const NOTE: &str = "py_str";

/// An answer: the value, or the error in its wire form.
pub type Actual = Result<Json, Json>;

/// A place where an answer differs from the recorded one.
#[derive(Debug, PartialEq)]
pub struct Mismatch {
    pub path: Path,
    pub expected: String,
    pub actual: String,
}

/// Options of the comparison of strings.
#[derive(Clone, Copy, Default)]
pub struct Options {
    /// Tag `py_repr`: accepts our JSON text for a value that Python printed.
    pub python_repr: bool,
    /// Recorded with a mock dispatcher, whose [ids](CONSTANTS) are placeholders.
    pub replaced_dispatcher: bool,
}

/// The values that the mock dispatcher returns under `result` instead of new ids. The recordings
/// number their own placeholders from 1.
const CONSTANTS: [(&str, &str); 3] =
    [("turn_child", "turn_$id0"), ("batch_1", "batch_$id0"), ("box_child_out", "$box0")];

/// Returns every place where `actual` differs from the recorded answer.
pub fn compare(expected: &Expected, actual: &Actual, options: Options) -> Vec<Mismatch> {
    match (expected, actual) {
        (Expected::Ok(expected), Ok(actual)) => {
            let mut walk = Walk { options, bound: BTreeMap::new(), found: Vec::new() };
            walk.value(&Path::root(), expected, actual);
            walk.found
        }
        (Expected::Error { kind, errors }, Err(error)) => compare_errors(kind, errors, error),
        (Expected::Ok(expected), Err(error)) => {
            vec![Mismatch::whole(format!("ok {expected}"), format!("error {error}"))]
        }
        (Expected::Error { kind, .. }, Ok(actual)) => {
            vec![Mismatch::whole(format!("error `{kind}`"), format!("ok {actual}"))]
        }
    }
}

/// Compares errors. The kind `internal` is a crash of the reference system and accepts any typed
/// error.
fn compare_errors(kind: &str, errors: &Option<Json>, actual: &Json) -> Vec<Mismatch> {
    let code = actual.get("code").and_then(Json::as_str).unwrap_or_default();
    if code.is_empty() || (kind != code && kind != "internal") {
        return vec![Mismatch::whole(format!("error `{kind}`"), format!("error {actual}"))];
    }
    let Some(expected) = errors else { return Vec::new() };
    let path = Path::root().key("details").key("errors");
    match actual.get("details").and_then(|details| details.get("errors")) {
        Some(actual) if actual.same_value(expected) => Vec::new(),
        actual => vec![Mismatch {
            path,
            expected: expected.to_string(),
            actual: actual.map_or("nothing".to_owned(), Json::to_string),
        }],
    }
}

impl Mismatch {
    fn whole(expected: String, actual: String) -> Self {
        Self { path: Path::root(), expected, actual }
    }
}

struct Walk {
    options: Options,
    /// The value of each placeholder in this outcome.
    bound: BTreeMap<String, String>,
    found: Vec<Mismatch>,
}

impl Walk {
    fn value(&mut self, path: &Path, expected: &Json, actual: &Json) {
        match (expected, actual) {
            (Json::Object(expected), Json::Object(actual)) => {
                for (key, value) in expected {
                    match actual.get(key) {
                        None if key == NOTE => {}
                        Some(actual) => self.value(&path.key(key), value, actual),
                        None => self.report(&path.key(key), Some(value), None),
                    }
                }
                for (key, value) in actual.iter().filter(|(key, _)| !expected.contains_key(key)) {
                    self.report(&path.key(key), None, Some(value));
                }
            }
            (Json::Array(expected), Json::Array(actual)) => {
                for at in 0..expected.len().max(actual.len()) {
                    let path = path.index(at);
                    match (expected.get(at), actual.get(at)) {
                        (Some(expected), Some(actual)) => self.value(&path, expected, actual),
                        (expected, actual) => self.report(&path, expected, actual),
                    }
                }
            }
            (Json::String(pattern), Json::String(text)) => {
                if !self.text(self.named(path, pattern), text) {
                    self.report(path, Some(expected), Some(actual));
                }
            }
            (expected, actual) => {
                if !expected.same_value(actual) {
                    self.report(path, Some(expected), Some(actual));
                }
            }
        }
    }

    /// Returns a recorded string, or its placeholder.
    fn named<'a>(&self, path: &Path, pattern: &'a str) -> &'a str {
        let result = Path::root().key("result");
        let is_result = path.steps().first() == result.steps().first();
        let known = CONSTANTS.iter().find(|(constant, _)| *constant == pattern);
        match known.filter(|_| self.options.replaced_dispatcher && is_result) {
            Some((_, placeholder)) => placeholder,
            None => pattern,
        }
    }

    fn text(&mut self, pattern: &str, text: &str) -> bool {
        let pattern = &self.with_tails(pattern);
        if let Some(bound) = unify(&pieces(pattern), text, self.bound.clone(), true) {
            self.bound = bound;
            return true;
        }
        self.options.python_repr
            && Json::parse(text)
                .is_ok_and(|value| super::differences::python_repr(&value) == *pattern)
    }

    /// Replaces `{last 8 of $id3}` by the end of a known id.
    fn with_tails(&self, pattern: &str) -> String {
        let Some((before, rest)) = pattern.split_once("{last 8 of ") else {
            return pattern.to_owned();
        };
        let Some((name, after)) = rest.split_once('}') else { return pattern.to_owned() };
        let known = self.bound.get(name).map_or("", String::as_str);
        let tail = known.get(known.len().saturating_sub(8)..).unwrap_or_default();
        format!("{before}{tail}{after}")
    }

    fn report(&mut self, path: &Path, expected: Option<&Json>, actual: Option<&Json>) {
        let text = |side: Option<&Json>| side.map_or("nothing".to_owned(), Json::to_string);
        self.found.push(Mismatch {
            path: path.clone(),
            expected: text(expected),
            actual: text(actual),
        });
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Piece<'a> {
    Literal(&'a str),
    Placeholder(&'a str),
}

/// Splits a recorded string into literals and placeholders.
fn pieces(pattern: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    let mut literal_end = 0;
    while let Some((before, from)) = rest.split_at_checked(literal_end) {
        let Some(offset) = from.find('$') else { break };
        let start = before.len() + offset;
        let Some((literal, candidate)) = rest.split_at_checked(start) else { break };
        let length = placeholder_length(candidate);
        if length == 0 {
            literal_end = start + 1;
            continue;
        }
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        let Some((placeholder, tail)) = candidate.split_at_checked(length) else { break };
        pieces.push(Piece::Placeholder(placeholder));
        rest = tail;
        literal_end = 0;
    }
    if !rest.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Literal(rest));
    }
    pieces
}

fn placeholder_length(text: &str) -> usize {
    if text.starts_with("$now") {
        return "$now".len();
    }
    if text.starts_with("$hash") {
        return "$hash".len();
    }
    for kind in ["$id", "$box", "$span"] {
        if let Some(tail) = text.strip_prefix(kind) {
            let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
            return if digits == 0 { 0 } else { kind.len() + digits };
        }
    }
    0
}

/// Matches `text` against the pieces. Returns the values of the placeholders.
fn unify(
    pieces: &[Piece<'_>],
    text: &str,
    bound: BTreeMap<String, String>,
    whole: bool,
) -> Option<BTreeMap<String, String>> {
    let Some((first, rest)) = pieces.split_first() else {
        return text.is_empty().then_some(bound);
    };
    let placeholder = match first {
        Piece::Literal(literal) => {
            return unify(rest, text.strip_prefix(literal)?, bound, false);
        }
        Piece::Placeholder(placeholder) => *placeholder,
    };
    if let Some(known) = bound.get(placeholder).filter(|_| placeholder != "$hash") {
        let tail = text.strip_prefix(known.as_str())?;
        return unify(rest, tail, bound, false);
    }
    let alone = whole && rest.is_empty();
    // the longest candidate first, because an id ends before the next literal
    let ends: Vec<usize> = text.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
    ends.into_iter().rev().find_map(|end| {
        let (candidate, tail) = text.split_at_checked(end)?;
        if !fits(placeholder, candidate, alone) || is_taken(&bound, placeholder, candidate) {
            return None;
        }
        let mut bound = bound.clone();
        bound.insert(placeholder.to_owned(), candidate.to_owned());
        unify(rest, tail, bound, false)
    })
}

fn is_taken(bound: &BTreeMap<String, String>, placeholder: &str, candidate: &str) -> bool {
    let same =
        |(other, text): (&String, &String)| kind(other) == kind(placeholder) && text == candidate;
    placeholder != "$hash" && bound.iter().any(same)
}

fn kind(placeholder: &str) -> &str {
    placeholder.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// Returns true if `text` has the form of the placeholder. Inside a longer string an id can be
/// shortened (agent ids end in a part of one).
fn fits(placeholder: &str, text: &str, alone: bool) -> bool {
    let hex = |text: &str| text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    match kind(placeholder) {
        "$span" => text.len() == 16 && hex(text),
        "$hash" => text.len() == 64 && hex(text),
        "$id" if alone => text.len() == 32 && hex(text),
        "$id" => !text.is_empty() && hex(text),
        "$box" => {
            let groups: Vec<&str> = text.split('-').collect();
            groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
                && groups.iter().all(|group| hex(group))
        }
        _ => is_time(text),
    }
}

fn is_time(text: &str) -> bool {
    let shape = text.bytes().map(|b| if b.is_ascii_digit() { b'0' } else { b });
    let shape: Vec<u8> = shape.collect();
    shape.starts_with(b"0000-00-00T00:00:00")
        && shape.iter().skip(19).all(|b| matches!(b, b'0' | b'.' | b':' | b'+' | b'-' | b'Z'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID_A: &str = "0190aaaaaaaa7aaaaaaaaaaaaaaaaaaa";
    const ID_B: &str = "0190bbbbbbbb7bbbbbbbbbbbbbbbbbbb";
    const BOX_A: &str = "0190aaaa-aaaa-7aaa-aaaa-aaaaaaaaaaaa";

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    fn places(expected: &str, actual: &str) -> Vec<String> {
        let found = compare(&Expected::Ok(json(expected)), &Ok(json(actual)), Options::default());
        found.iter().map(|mismatch| mismatch.path.to_string()).collect()
    }

    fn error(kind: &str) -> Expected {
        Expected::Error { kind: kind.into(), errors: None }
    }

    fn failed(code: &str) -> Actual {
        Err(json(&format!(r#"{{"code":"{code}","path":"","message":"m","details":{{}}}}"#)))
    }

    #[test]
    fn key_order_and_number_format_do_not_matter() {
        assert!(places(r#"{"a":1,"b":[2.0]}"#, r#"{"b":[2],"a":1.0}"#).is_empty());
    }

    #[test]
    fn other_differences_are_reported_with_their_path() {
        assert_eq!(places(r#"{"a":[1,2]}"#, r#"{"a":[2,1]}"#), ["a[0]", "a[1]"]);
        assert_eq!(places(r#"{"a":[1]}"#, r#"{"a":[1,2]}"#), ["a[1]"]);
        assert_eq!(places(r#"{"a":null}"#, "{}"), ["a"]);
        assert_eq!(places("{}", r#"{"a":null}"#), ["a"]);
        assert_eq!(places(r#""x""#, r#""x ""#), [""]);
        assert_eq!(places("1", r#""1""#), [""]);
        assert_eq!(places("true", "1"), [""]);
    }

    #[test]
    fn placeholder_has_one_value_in_an_outcome() {
        let same = format!(r#"["{ID_A}","{ID_A}"]"#);
        let two = format!(r#"["{ID_A}","{ID_B}"]"#);
        assert!(places(r#"["$id1","$id1"]"#, &same).is_empty());
        assert_eq!(places(r#"["$id1","$id1"]"#, &two), ["[1]"]);
        assert!(places(r#"["$id1","$id2"]"#, &two).is_empty());
        assert_eq!(places(r#"["$id1","$id2"]"#, &same), ["[1]"]);
    }

    #[test]
    fn placeholder_accepts_only_its_form() {
        assert_eq!(places(r#""$id1""#, r#""$id1""#), [""]);
        assert_eq!(places(r#""$id1""#, r#""card_7""#), [""]);
        assert_eq!(places(r#""$box1""#, &format!(r#""{ID_A}""#)), [""]);
        assert!(places(r#""$box1""#, &format!(r#""{BOX_A}""#)).is_empty());
        assert_eq!(places(r#""$now""#, r#""yesterday""#), [""]);
        assert!(places(r#""$now""#, r#""2026-01-04T10:30:00.000000+00:00""#).is_empty());
    }

    #[test]
    fn placeholders_match_inside_longer_strings() {
        let text = format!(r#"["pb_writer_{ID_A} at {BOX_A}.","{ID_A}"]"#);
        assert!(places(r#"["pb_writer_$id3 at $box1.","$id3"]"#, &text).is_empty());
        assert_eq!(places(r#"["pb_reader_$id3 at $box1.","$id3"]"#, &text), ["[0]"]);
        assert!(places(r#"["costs $5 or $idea"]"#, r#"["costs $5 or $idea"]"#).is_empty());
        assert_eq!(places(r#"["costs $5"]"#, r#"["costs $6"]"#), ["[0]"]);
    }

    #[test]
    fn ids_of_the_mock_dispatcher_are_placeholders() {
        let options = Options { replaced_dispatcher: true, ..Options::default() };
        let places = |expected: &str, actual: &str, options| {
            let found = compare(&Expected::Ok(json(expected)), &Ok(json(actual)), options);
            found.iter().map(|mismatch| mismatch.path.to_string()).collect::<Vec<_>>()
        };
        let recorded =
            r#"{"result":{"agent_turn_id":"turn_child","output_box_id":"box_child_out"}}"#;
        let ours =
            format!(r#"{{"result":{{"agent_turn_id":"turn_{ID_A}","output_box_id":"{BOX_A}"}}}}"#);
        assert!(places(recorded, &ours, options).is_empty());
        assert_eq!(places(recorded, &ours, Options::default()).len(), 2);
        assert_eq!(places(recorded, recorded, options).len(), 2);
        let text = r#"{"instruction":"batch_1"}"#;
        assert!(places(text, text, options).is_empty());
    }

    #[test]
    fn pieces_of_strings_with_special_characters() {
        assert_eq!(
            pieces("a$$id12x$now"),
            [
                Piece::Literal("a$"),
                Piece::Placeholder("$id12"),
                Piece::Literal("x"),
                Piece::Placeholder("$now"),
            ]
        );
        assert_eq!(pieces(""), [Piece::Literal("")]);
        assert_eq!(pieces("é$"), [Piece::Literal("é$")]);
    }

    #[test]
    fn error_kinds_are_exact_unless_the_reference_crashed() {
        let options = Options::default();
        assert!(compare(&error("bad_request"), &failed("bad_request"), options).is_empty());
        assert_eq!(compare(&error("bad_request"), &failed("not_found"), options).len(), 1);
        assert!(compare(&error("internal"), &failed("limit"), options).is_empty());
        assert_eq!(compare(&error("internal"), &Ok(Json::Null), options).len(), 1);
        assert_eq!(compare(&error("bad_request"), &Ok(Json::Null), options).len(), 1);
        let expected = Expected::Ok(Json::Null);
        assert_eq!(compare(&expected, &failed("bad_request"), options).len(), 1);
        assert_eq!(compare(&error("internal"), &Err(json("{}")), options).len(), 1);
    }

    #[test]
    fn recorded_error_locations_are_compared() {
        let errors = json(r#"[{"loc":["a"],"type":"missing"}]"#);
        let expected =
            Expected::Error { kind: "invalid_content".into(), errors: Some(errors.clone()) };
        assert_eq!(compare(&expected, &failed("invalid_content"), Options::default()).len(), 1);
        let mut body = failed("invalid_content").unwrap_err();
        let Json::Object(fields) = &mut body else { panic!("an object") };
        let details = [("errors".to_owned(), errors)].into_iter().collect();
        fields.insert("details".into(), Json::Object(details));
        assert!(compare(&expected, &Err(body), Options::default()).is_empty());
    }

    #[test]
    fn python_repr_is_accepted_only_with_its_option() {
        let expected = Expected::Ok(json(r#"{"t":"['l', None]"}"#));
        let actual = Ok(json(r#"{"t":"[\"l\", null]"}"#));
        assert_eq!(compare(&expected, &actual, Options::default()).len(), 1);
        let options = Options { python_repr: true, ..Options::default() };
        assert!(compare(&expected, &actual, options).is_empty());
        let other = Ok(json(r#"{"t":"[\"m\", null]"}"#));
        assert_eq!(compare(&expected, &other, options).len(), 1);
    }
}
