//! A JSON parser whose errors have the path of the offending value.

#[cfg(test)]
mod tests;

use super::lift::{Lift, Omit};
use super::scan::plain_length;
use super::{Json, Number, Object};
use crate::value::error::Step;
use crate::{Error, Path, Result};
use std::borrow::Cow;
use std::ops::Range;

/// The limits of the JSON parser.
///
/// ```
/// use tuckbox::value::json::{Json, ParseLimits};
///
/// let limits = ParseLimits { max_depth: 2, ..ParseLimits::default() };
/// assert!(Json::parse_bytes(b"[[1]]", &limits).is_ok());
/// assert_eq!(Json::parse_bytes(b"[[[1]]]", &limits).unwrap_err().code(), tuckbox::Code::Limit);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseLimits {
    /// Maximum nesting depth of lists and objects.
    pub max_depth: usize,
    /// Maximum length of the text in bytes.
    pub max_bytes: usize,
    /// Maximum number of list items and object members at all levels together.
    pub max_values: usize,
}

impl Default for ParseLimits {
    /// Returns 160 levels (128 for content, 32 for its wrapper), 256 MiB, and any number of values.
    fn default() -> Self {
        Self { max_depth: 160, max_bytes: 256 << 20, max_values: usize::MAX }
    }
}

impl Json {
    /// Parses JSON text under the [default limits](ParseLimits::default).
    ///
    /// # Errors
    /// Returns `invalid_content` with the path of the first invalid value. Lone surrogates and
    /// U+0000 are invalid too.
    /// Returns `limit` if the text exceeds a limit.
    pub fn parse(text: &str) -> Result<Self> {
        let limits = ParseLimits::default();
        parse_in(&mut String::new(), &mut { limits.max_values }, text, &limits, None)
    }

    /// Parses JSON bytes under explicit limits.
    ///
    /// # Errors
    /// Returns the errors of [`Json::parse`], and `invalid_content` for bytes that are not UTF-8.
    pub fn parse_bytes(bytes: &[u8], limits: &ParseLimits) -> Result<Self> {
        parse(bytes, limits)
    }
}

/// Parses JSON text and omits the members of the outermost object with one of these keys.
///
/// Omitted members must be valid JSON too. Callers that parse many texts share `buffer`, which holds
/// strings with escapes, and `values_left`.
pub(crate) fn parse_without(
    text: &str,
    keys: &[&str],
    buffer: &mut String,
    values_left: &mut usize,
) -> Result<Json> {
    let limits = ParseLimits { max_values: *values_left, ..ParseLimits::default() };
    parse_in(buffer, values_left, text, &limits, Some(&mut Omit(keys)))
}

fn parse(bytes: &[u8], limits: &ParseLimits) -> Result<Json> {
    parse_counted(bytes, limits, &mut { limits.max_values })
}

/// Parses JSON bytes. `values_left` is the number of values that are still allowed.
pub(crate) fn parse_counted(
    bytes: &[u8],
    limits: &ParseLimits,
    values_left: &mut usize,
) -> Result<Json> {
    parse_in(&mut String::new(), values_left, utf8(bytes, limits)?, limits, None)
}

/// Parses JSON and extracts lists of strings; see [`parse`].
///
/// Extracted lists are empty in the returned value. `values_left` is the number of values that are
/// still allowed.
pub(crate) fn parse_lifting(
    bytes: &[u8],
    limits: &ParseLimits,
    values_left: &mut usize,
    lift: &mut dyn Lift,
) -> Result<Json> {
    parse_in(&mut String::new(), values_left, utf8(bytes, limits)?, limits, Some(lift))
}

fn utf8<'a>(bytes: &'a [u8], limits: &ParseLimits) -> Result<&'a str> {
    check_length(bytes.len(), limits)?;
    std::str::from_utf8(bytes).map_err(|error| {
        Error::invalid_content("the bytes are not UTF-8").detail("offset", error.valid_up_to())
    })
}

/// Returns whether the error is about too many values.
pub(crate) fn is_too_many(error: &Error) -> bool {
    error.details().get("max_values").is_some()
}

/// Reads the string that begins at `at`. Returns its value and the position after it; nothing if it
/// is invalid. `buffer` is used for escapes.
pub(crate) fn string_at<'a>(
    text: &'a str,
    at: usize,
    buffer: &'a mut String,
) -> Option<(Cow<'a, str>, usize)> {
    let bytes = text.as_bytes();
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let (limits, places) = (&ANY, Vec::new());
    let mut parser = Parser { text, bytes, at, places, values_left: 0, limits, lift: None, buffer };
    let value = parser.text().ok()?;
    Some((value, parser.at))
}

/// Limits that every text keeps.
const ANY: ParseLimits =
    ParseLimits { max_bytes: usize::MAX, max_depth: usize::MAX, max_values: usize::MAX };

fn check_length(length: usize, limits: &ParseLimits) -> Result<()> {
    if length > limits.max_bytes {
        return Err(Error::limit(format!(
            "the JSON text is {length} bytes long; at most {} bytes are allowed",
            limits.max_bytes
        )));
    }
    Ok(())
}

fn parse_in<'a>(
    buffer: &'a mut String,
    values_left: &mut usize,
    text: &'a str,
    limits: &'a ParseLimits,
    lift: Option<&'a mut dyn Lift>,
) -> Result<Json> {
    check_length(text.len(), limits)?;
    let bytes = text.as_bytes();
    let places = Vec::new();
    let mut parser =
        Parser { text, bytes, at: 0, places, values_left: *values_left, limits, lift, buffer };
    let value = parser.all();
    *values_left = parser.values_left;
    value
}

/// A step of the path to the current value.
///
/// Keys are ranges of the text, because the path is only needed for errors.
#[derive(Clone)]
enum Place {
    /// The range of the key in the text, with its quotes.
    Key(Range<usize>),
    Index(usize),
}

/// Initial capacity of a list or an object that is not empty.
const INITIAL_CAPACITY: usize = 4;

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    places: Vec<Place>,
    values_left: usize,
    limits: &'a ParseLimits,
    lift: Option<&'a mut dyn Lift>,
    buffer: &'a mut String,
}

impl<'a> Parser<'a> {
    /// Parses the whole text as one value.
    fn all(&mut self) -> Result<Json> {
        self.space();
        let value = self.value()?;
        self.space();
        if self.at < self.bytes.len() {
            return Err(self.error("expected the end of the text"));
        }
        Ok(value)
    }

    fn error(&self, what: &str) -> Error {
        Error::invalid_content(format!("not JSON: {what}"))
            .at(self.path(usize::MAX))
            .detail("offset", self.at)
    }

    /// Returns the first `steps` steps of the current path.
    fn path(&self, steps: usize) -> Path {
        let step = |place: &Place| match place {
            Place::Index(index) => Step::Index(*index),
            Place::Key(range) => {
                let text = self.text.get(range.clone()).unwrap_or_default();
                match parse(text.as_bytes(), &ParseLimits::default()) {
                    Ok(Json::String(key)) => Step::Key(key.into()),
                    Ok(_) | Err(_) => Step::Key(text.into()),
                }
            }
        };
        Path::from_steps(self.places.iter().take(steps).map(step).collect())
    }

    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self) -> Result<Json> {
        match self.peek() {
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) => Err(self.error("expected a value")),
            None => Err(self.error("expected a value, found the end of the text")),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json> {
        if self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.error("expected a value"))
        }
    }

    fn enter(&mut self, place: Place) -> Result<()> {
        if self.places.len() >= self.limits.max_depth {
            let max = self.limits.max_depth;
            return Err(Error::limit(format!("the JSON is nested more than {max} levels deep"))
                .at(self.path(8))
                .detail("max_depth", max));
        }
        self.places.push(place);
        match self.values_left.checked_sub(1) {
            Some(left) => self.values_left = left,
            None => return Err(self.too_many()),
        }
        Ok(())
    }

    #[cold]
    fn too_many(&self) -> Error {
        let max = self.limits.max_values;
        Error::limit(format!("the JSON has too many values; `max_values` allows {max}"))
            .at(self.path(8))
            .detail("max_values", max)
    }

    fn array(&mut self) -> Result<Json> {
        self.at += 1;
        self.space();
        if self.take(b']') {
            return Ok(Json::Array(Vec::new()));
        }
        let mut items = Vec::with_capacity(INITIAL_CAPACITY);
        loop {
            self.enter(Place::Index(items.len()))?;
            self.space();
            items.push(self.value()?);
            self.places.pop();
            self.space();
            if self.take(b']') {
                return Ok(Json::Array(items));
            }
            if !self.take(b',') {
                return Err(self.error("expected `,` or `]`"));
            }
        }
    }

    fn object(&mut self) -> Result<Json> {
        self.at += 1;
        self.space();
        if self.take(b'}') {
            return Ok(Json::Object(Object::default()));
        }
        let mut object = Object::with_capacity(INITIAL_CAPACITY);
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.error("expected a key in double quotes"));
            }
            let start = self.at;
            let key = self.text()?;
            let place = Place::Key(start..self.at);
            self.space();
            if !self.take(b':') {
                return Err(self.error("expected `:`"));
            }
            self.enter(place)?;
            self.space();
            if self.lift.as_ref().is_some_and(|lift| lift.skips(self.places.len(), &key)) {
                self.skip()?;
                self.places.pop();
                self.space();
                if self.take(b'}') {
                    return Ok(Json::Object(object));
                }
                if !self.take(b',') {
                    return Err(self.error("expected `,` or `}`"));
                }
                continue;
            }
            let value = match self.is_selected(&key) && self.lift_list() {
                true => Json::Array(Vec::new()),
                false => self.value()?,
            };
            self.places.pop();
            // of two equal keys, the last one is used
            object.insert(key.into_owned(), value);
            self.space();
            if self.take(b'}') {
                return Ok(Json::Object(object));
            }
            if !self.take(b',') {
                return Err(self.error("expected `,` or `}`"));
            }
        }
    }

    /// Skips a value.
    fn skip(&mut self) -> Result<()> {
        let close = match self.peek() {
            Some(b'"') => return self.skip_string(),
            Some(b'{') => b'}',
            Some(b'[') => b']',
            Some(_) | None => return self.value().map(drop),
        };
        self.at += 1;
        self.space();
        if self.take(close) {
            return Ok(());
        }
        loop {
            self.enter(Place::Index(0))?;
            self.space();
            if close == b'}' {
                if self.peek() != Some(b'"') {
                    return Err(self.error("expected a key in double quotes"));
                }
                self.skip_string()?;
                self.space();
                if !self.take(b':') {
                    return Err(self.error("expected `:`"));
                }
                self.space();
            }
            self.skip()?;
            self.places.pop();
            self.space();
            if self.take(close) {
                return Ok(());
            }
            if !self.take(b',') {
                return Err(self.error("expected `,` or the end of a list or an object"));
            }
        }
    }

    fn skip_string(&mut self) -> Result<()> {
        self.at += 1;
        loop {
            self.run();
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => drop(self.escape()?),
                Some(_) => return Err(self.error("control character in a string; escape it")),
                None => return Err(self.error("string without a closing quote")),
            }
        }
    }

    fn is_selected(&mut self, key: &str) -> bool {
        let Some(lift) = &mut self.lift else { return false };
        let row = self.places.iter().rev().find_map(|place| match place {
            Place::Index(index) => Some(*index),
            Place::Key(_) => None,
        });
        lift.selects(self.places.len(), row, key)
    }

    /// Extracts a list of strings from the text; returns whether it did.
    ///
    /// The parser reads any other value as usual.
    fn lift_list(&mut self) -> bool {
        let start = self.at;
        let is_lifted = self.lift_strings().is_some();
        if !is_lifted {
            if let Some(lift) = &mut self.lift {
                lift.discard();
            }
            self.at = start;
        }
        is_lifted
    }

    /// Extracts the strings of a list.
    ///
    /// Returns `None` for a string with escapes; the regular parser reads it.
    fn lift_strings(&mut self) -> Option<()> {
        self.expect(b'[')?;
        self.space();
        if self.take(b']') {
            return Some(());
        }
        loop {
            self.space();
            self.expect(b'"')?;
            let text = self.run();
            self.expect(b'"')?;
            if let Some(lift) = &mut self.lift {
                lift.push(text);
            }
            self.space();
            if self.take(b']') {
                return Some(());
            }
            self.expect(b',')?;
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.take(byte).then_some(())
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at > start
    }

    fn number(&mut self) -> Result<Json> {
        let start = self.at;
        self.take(b'-');
        let whole = if self.take(b'0') { true } else { self.digits() };
        let fraction = !self.take(b'.') || self.digits();
        let exponent = if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()
        } else {
            true
        };
        if !(whole && fraction && exponent) || matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.error("malformed number"));
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        Ok(Json::Number(Number::from_grammar(text)))
    }

    /// Reads the characters up to the next quote, backslash or control character.
    fn run(&mut self) -> &'a str {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let start = self.at;
        self.at += plain_length(rest);
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn string(&mut self) -> Result<String> {
        self.text().map(Cow::into_owned)
    }

    fn text(&mut self) -> Result<Cow<'a, str>> {
        self.at += 1;
        let plain = self.run();
        if self.take(b'"') {
            return Ok(Cow::Borrowed(plain));
        }
        // all strings with escapes share one buffer, so each string has its exact capacity
        let mut out = std::mem::take(self.buffer);
        out.clear();
        out.push_str(plain);
        let text = self.escaped(&mut out).map(|()| Cow::Owned(out.as_str().to_owned()));
        *self.buffer = out;
        text
    }

    /// Reads the rest of a string with escapes.
    fn escaped(&mut self, out: &mut String) -> Result<()> {
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(self.error("control character in a string; escape it")),
                None => return Err(self.error("string without a closing quote")),
            }
            out.push_str(self.run());
        }
    }

    /// Reads an escape and returns its character.
    fn escape(&mut self) -> Result<char> {
        let byte = self.bytes.get(self.at + 1).copied();
        let plain = match byte {
            Some(b'n') => '\n',
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(_) | None => return self.long_escape(byte),
        };
        self.at += 2;
        Ok(plain)
    }

    #[cold]
    fn long_escape(&mut self, byte: Option<u8>) -> Result<char> {
        self.at += 1;
        if byte.is_none() {
            return Err(self.error("string without a closing quote"));
        }
        self.at += 1;
        if byte != Some(b'u') {
            return Err(self.error("unknown escape sequence in a string"));
        }
        self.unicode()
    }

    fn unicode(&mut self) -> Result<char> {
        let first = self.hex4()?;
        let scalar = if (0xd800..0xdc00).contains(&first) {
            let paired = self.take(b'\\') && self.take(b'u');
            let second = if paired { self.hex4()? } else { 0 };
            if !(0xdc00..0xe000).contains(&second) {
                return Err(self.lone_surrogate(first));
            }
            0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
        } else {
            first
        };
        if scalar == 0 {
            return Err(Error::invalid_content(
                "the text contains U+0000, which stores do not support; remove it",
            )
            .at(self.path(usize::MAX)));
        }
        char::from_u32(scalar).ok_or_else(|| self.lone_surrogate(scalar))
    }

    fn lone_surrogate(&self, unit: u32) -> Error {
        Error::invalid_content(format!(
            "the text contains the lone surrogate U+{unit:04X}, which is not a character"
        ))
        .at(self.path(usize::MAX))
    }

    fn hex4(&mut self) -> Result<u32> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or_default();
        let value = u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'));
        let Some(value) = value else {
            return Err(self.error("`\\u` must be followed by 4 hex digits"));
        };
        self.at += 4;
        Ok(value)
    }
}
