//! Limits of size and depth, checked before any code walks or copies a value.
//!
//! ```
//! use tuckbox::{Limits, Path, json};
//!
//! let limits = Limits { max_depth: 2, ..Limits::default() };
//! let error = limits.check(&json!({"a": {"b": {"c": 1}}}), &Path::root()).unwrap_err();
//! assert_eq!(error.path().to_string(), "a.b");
//! ```

use super::error::Step;
use crate::value::find::replace;
use crate::value::json::{Json, Number, plain_length};
use crate::{Error, Path, Result};

/// The limits of a call.
///
/// ```
/// use tuckbox::{Code, Json, Limits, Path};
///
/// let limits = Limits { max_content_bytes: 100, ..Limits::default() };
/// let value = Json::parse(r#"{"a": 1e90, "b": [1e90]}"#)?;
/// let error = limits.check(&value, &Path::root().key("content")).unwrap_err();
/// assert_eq!((error.code(), error.path().to_string()), (Code::Limit, "content".to_owned()));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum nesting depth of lists and objects in the content or metadata of a card.
    pub max_depth: usize,
    /// Maximum size of the content, metadata or tool calls of a card, in bytes of canonical JSON.
    pub max_content_bytes: usize,
    /// Maximum number of tasks of a call, calls of a turn, and rows of an orchestration list.
    ///
    /// It also bounds the limits that a call sets.
    pub max_tasks: usize,
    /// Maximum number of card ids that a call writes to new boxes, merges or searches.
    pub max_ids: usize,
    /// Maximum bytes of new content in a call.
    ///
    /// It counts new cards, content that orchestration writes to rows and messages, and the answer
    /// of an import.
    pub max_bytes: usize,
    /// Maximum number of list items and object members in a call and its files.
    ///
    /// Lines of text count, and so does JSON inside strings of files and answers.
    pub max_values: usize,
    /// Maximum number of rows that a call reads.
    pub max_rows: usize,
    /// Maximum number of messages in a call and its files, and of cards shown to a model.
    pub max_messages: usize,
    /// Maximum number of requests that an import finds in its files.
    pub max_requests: usize,
    /// Maximum bytes of rows that a call reads, where each value counts at least 16 bytes.
    ///
    /// Also the maximum bytes of cards that it shows; a card counts each time it appears.
    pub max_read_bytes: usize,
    /// Maximum bytes of JSON that a call returns, and that it writes.
    pub max_answer_bytes: usize,
}

impl Default for Limits {
    /// Returns the default limits:
    ///
    /// - 128 levels and 1 MiB of content per card
    /// - 1,000 tasks, 1,200,000 ids and 64 MiB of new content per call
    /// - 250,000 values, 60,000 rows, 25,000 messages and 3,000 requests per call
    /// - 32 MiB read and 96 MiB returned per call
    fn default() -> Self {
        Self {
            max_depth: 128,
            max_content_bytes: 1 << 20,
            max_tasks: 1_000,
            max_ids: 1_200_000,
            max_bytes: 64 << 20,
            max_values: 250_000,
            max_rows: 60_000,
            max_messages: 25_000,
            max_requests: 3_000,
            max_read_bytes: 32 << 20,
            max_answer_bytes: 96 << 20,
        }
    }
}

impl Limits {
    /// Upper bound of [`max_depth`](Self::max_depth), because the code after the check recurses.
    pub const MAX_DEPTH: usize = 512;

    /// Returns an error if a value is too deep or its canonical text is too long.
    ///
    /// # Errors
    /// Returns `limit`. A depth error has the path of the nested value, a size error has `path`.
    pub fn check(&self, value: &Json, path: &Path) -> Result<()> {
        self.check_all([value], path)
    }

    /// Returns an error if a string is too long.
    ///
    /// # Errors
    /// Returns `limit` with `path`.
    pub(crate) fn check_text(&self, text: &str, path: &Path) -> Result<()> {
        Walk::new(self).text(text).map_err(|stop| stop.error(self, path))
    }

    /// Returns an error if a call has too many tasks.
    ///
    /// # Errors
    /// Returns `limit` with `path`.
    pub(crate) fn check_tasks(&self, tasks: usize, path: &Path) -> Result<()> {
        within(tasks, self.max_tasks, "max_tasks", "the call has {} tasks", path)
    }

    /// Returns an error if a call puts too many ids into new boxes.
    ///
    /// # Errors
    /// Returns `limit` with `path`.
    pub(crate) fn check_ids(&self, ids: usize, path: &Path) -> Result<()> {
        within(ids, self.max_ids, "max_ids", "the call puts {} card ids into new boxes", path)
    }

    /// Returns an error if a call adds too much content.
    ///
    /// # Errors
    /// Returns `limit` with `path`.
    pub(crate) fn check_bytes(&self, bytes: usize, path: &Path) -> Result<()> {
        within(bytes, self.max_bytes, "max_bytes", "the call makes {} bytes of content", path)
    }

    /// Returns an error if a call reads too many rows.
    ///
    /// # Errors
    /// Returns `limit`.
    pub(crate) fn check_rows(&self, rows: usize) -> Result<()> {
        within(rows, self.max_rows, "max_rows", "the call reads {} rows", &Path::root())
    }

    /// Returns an error if boxes have too many ids for one new box. Duplicates count.
    ///
    /// # Errors
    /// Returns `limit` with `path`.
    pub(crate) fn check_merged(&self, ids: usize, path: &Path) -> Result<()> {
        within(ids, self.max_ids, "max_ids", "the boxes hold {} card ids", path)
    }

    /// Returns an error if a call has too many values.
    ///
    /// # Errors
    /// Returns `limit` with `path`.
    pub(crate) fn check_values(&self, values: usize, path: &Path) -> Result<()> {
        within(values, self.max_values, "max_values", "the call names {} values", path)
    }

    /// Returns an error if a call reads too many bytes of rows.
    ///
    /// # Errors
    /// Returns `limit`.
    pub(crate) fn check_read_bytes(&self, bytes: usize) -> Result<()> {
        let what = "the call reads {} bytes";
        within(bytes, self.max_read_bytes, "max_read_bytes", what, &Path::root())
    }

    /// Returns an error if a call has too many messages.
    ///
    /// # Errors
    /// Returns `limit` with `path`.
    pub(crate) fn check_messages(&self, messages: usize, path: &Path) -> Result<()> {
        within(messages, self.max_messages, "max_messages", "the call has {} messages", path)
    }

    /// Returns an error if an import finds too many requests.
    ///
    /// # Errors
    /// Returns `limit` with `path`.
    pub(crate) fn check_requests(&self, requests: usize, path: &Path) -> Result<()> {
        within(requests, self.max_requests, "max_requests", "the files hold {} requests", path)
    }

    /// Returns the size of a value as content in bytes, at most `max_content_bytes`.
    pub(crate) fn size(&self, value: &Json) -> usize {
        let mut walk = Walk::new(self);
        // `Limits::check` rejects values that are too large
        drop(walk.value(value));
        self.max_content_bytes - walk.bytes_left
    }

    /// Checks several values that count together; see [`Limits::check`].
    pub(crate) fn check_all<'a>(
        &self,
        values: impl IntoIterator<Item = &'a Json>,
        path: &Path,
    ) -> Result<()> {
        let mut walk = Walk::new(self);
        values
            .into_iter()
            .try_for_each(|value| walk.value(value))
            .map_err(|stop| stop.error(self, path))
    }
}

/// Returns an error if `found` is greater than `max`, the limit called `name`.
///
/// `what` describes the finding; `{}` in it is replaced by the number.
///
/// # Errors
/// Returns `limit` with `path`.
pub(crate) fn within(found: usize, max: usize, name: &str, what: &str, path: &Path) -> Result<()> {
    if found <= max {
        return Ok(());
    }
    let what = replace(what, "{}", &found.to_string());
    Err(Error::limit(format!("{what}; `{name}` allows {max}"))
        .at(path.clone())
        .detail("found", found)
        .detail(name, max))
}

enum Stop {
    Deep(Vec<Step>),
    Long,
}

impl Stop {
    fn inside(mut self, step: impl FnOnce() -> Step) -> Self {
        if let Self::Deep(steps) = &mut self {
            steps.push(step());
        }
        self
    }

    fn error(self, limits: &Limits, path: &Path) -> Error {
        match self {
            Self::Deep(inside_out) => {
                let max = limits.max_depth.min(Limits::MAX_DEPTH);
                // the first steps identify the value; keep the path short
                let steps = inside_out.into_iter().rev().take(8).collect();
                Error::limit(format!("the value is nested more than {max} levels deep"))
                    .at(path.join(&Path::from_steps(steps)))
                    .detail("max_depth", max)
            }
            Self::Long => {
                let max = limits.max_content_bytes;
                Error::limit(format!("the value is longer than {max} bytes"))
                    .at(path.clone())
                    .detail("max_content_bytes", max)
            }
        }
    }
}

struct Walk {
    depth_left: usize,
    bytes_left: usize,
}

impl Walk {
    fn new(limits: &Limits) -> Self {
        Self {
            depth_left: limits.max_depth.min(Limits::MAX_DEPTH),
            bytes_left: limits.max_content_bytes,
        }
    }

    fn value(&mut self, value: &Json) -> Result<(), Stop> {
        match value {
            Json::Null => self.spend(4),
            Json::Bool(value) => self.spend(if *value { 4 } else { 5 }),
            Json::Number(number) => self.spend(expanded_length(number)),
            Json::String(text) => self.text(text),
            Json::Array(items) => {
                self.enter()?;
                self.spend(2 + items.len().saturating_sub(1))?;
                for (index, item) in items.iter().enumerate() {
                    self.value(item).map_err(|stop| stop.inside(|| Step::Index(index)))?;
                }
                self.depth_left += 1;
                Ok(())
            }
            Json::Object(object) => {
                self.enter()?;
                self.spend(2 + object.len() + object.len().saturating_sub(1))?;
                for (key, item) in object {
                    self.text(key)?;
                    self.value(item)
                        .map_err(|stop| stop.inside(|| Step::Key(key.as_str().into())))?;
                }
                self.depth_left += 1;
                Ok(())
            }
        }
    }

    fn enter(&mut self) -> Result<(), Stop> {
        self.depth_left = self.depth_left.checked_sub(1).ok_or_else(|| Stop::Deep(Vec::new()))?;
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), Stop> {
        self.spend(text.len() + 2)?;
        let plain = plain_length(text.as_bytes());
        self.spend(text.bytes().skip(plain).map(escape).sum())
    }

    fn spend(&mut self, bytes: usize) -> Result<(), Stop> {
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or(Stop::Long)?;
        Ok(())
    }
}

/// Returns how many bytes escaping adds to a byte of a string.
fn escape(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 1,
        0..32 => 5,
        _ => 0,
    }
}

/// Returns an upper bound of the length of a number without an exponent.
fn expanded_length(number: &Number) -> usize {
    let text = number.as_str();
    match text.split_once(['e', 'E']) {
        None => text.len(),
        Some((mantissa, exponent)) => {
            let places = exponent.trim_start_matches(['+', '-']).parse().unwrap_or(usize::MAX);
            mantissa.len().saturating_add(places)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    fn nested(levels: usize) -> Json {
        (1..levels).fold(Json::Array(Vec::new()), |inner, _| Json::from([("a", inner)]))
    }

    #[test]
    fn depth_counts_from_the_value_itself() {
        let limits = Limits { max_depth: 3, ..Limits::default() };
        let path = Path::root().key("content");
        assert!(limits.check(&nested(3), &path).is_ok());
        let error = limits.check(&nested(4), &path).unwrap_err();
        assert_eq!(
            error.to_string(),
            "limit at `content.a.a.a`: the value is nested more than 3 levels deep"
        );
        assert_eq!(error.details().get("max_depth"), Some(&Json::from(3_usize)));
    }

    #[test]
    fn no_setting_allows_unlimited_nesting() {
        let limits = Limits { max_depth: usize::MAX, ..Limits::default() };
        let error = limits.check(&nested(Limits::MAX_DEPTH + 1), &Path::root()).unwrap_err();
        assert_eq!(error.code(), Code::Limit);
    }

    #[test]
    fn size_is_the_length_of_the_canonical_text() {
        for text in [r#"{"a":[1,true,null,"é\n\u0001"],"b":{}}"#, "[]", "\"x\"", "[1e20]"] {
            let value = Json::parse(text).unwrap();
            let size = value.canonical_text().unwrap().len();
            let limits = |max| Limits { max_content_bytes: max, ..Limits::default() };
            assert!(limits(size).check(&value, &Path::root()).is_ok(), "{text}");
            let error = limits(size - 1).check(&value, &Path::root()).unwrap_err();
            assert_eq!(error.code(), Code::Limit, "{text}");
        }
    }

    #[test]
    fn a_number_with_an_exponent_counts_at_its_full_length() {
        let many = Json::Array(vec![Json::parse("1e131000").unwrap(); 100]);
        let error = Limits::default().check(&many, &Path::root()).unwrap_err();
        assert_eq!(error.message(), "the value is longer than 1048576 bytes");
        let far = Json::parse("1e99999999999999999999999").unwrap();
        assert!(Limits::default().check(&far, &Path::root()).is_err());
    }
}
