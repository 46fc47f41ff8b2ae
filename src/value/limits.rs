//! How large and how deep a value may be, checked before anything walks or copies it.
//!
//! ```
//! use tuckbox::{Limits, Path, json};
//!
//! let limits = Limits { max_depth: 2, ..Limits::default() };
//! let error = limits.check(&json!({"a": {"b": {"c": 1}}}), &Path::root()).unwrap_err();
//! assert_eq!(error.path().to_string(), "a.b");
//! ```

use super::error::Step;
use crate::value::find::replaced;
use crate::value::json::{Json, Number, plain_length};
use crate::{Error, Path, Result};

/// The limits under which cards are made.
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
    /// The deepest nesting of lists and objects inside a card's content or metadata.
    pub max_depth: usize,
    /// The longest content, metadata or tool calls of a card, in bytes of canonical JSON.
    pub max_content_bytes: usize,
    /// The most tasks of one call, calls of one turn, and rows of a list of orchestration, whatever the
    /// call itself allows.
    pub max_tasks: usize,
    /// The most card ids that one call puts into new boxes, or finds in the boxes that it puts
    /// together or searches.
    pub max_ids: usize,
    /// The most bytes of content that one call makes new cards of, that a call of orchestration puts into
    /// rows and messages, or that an import of every request answers.
    pub max_bytes: usize,
    /// The most items of lists and members of objects in what one call is given and in the files that
    /// it imports, all together; lines of a text count too, and JSON in the texts of files and of answers.
    pub max_values: usize,
    /// The most rows that one call reads.
    pub max_rows: usize,
    /// The most messages that one call brings along, also in the files that it imports, and the most
    /// cards that it shows to a model.
    pub max_messages: usize,
    /// The most requests that one import finds in its files.
    pub max_requests: usize,
    /// The most bytes of rows that one call reads, where every value counts as 16 at least; and the most
    /// bytes that it shows of its cards, each as often as it is shown.
    pub max_read_bytes: usize,
    /// The most bytes of JSON that one call answers, and that it writes.
    pub max_answer_bytes: usize,
}

impl Default for Limits {
    /// 128 levels and 1 MiB of content; 1,000 tasks, 1,200,000 ids, 64 MiB of new content, 250,000
    /// values, 60,000 rows, 25,000 messages and 3,000 requests of a log for one call, which reads
    /// 32 MiB and answers 96 MiB.
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
    /// No setting allows deeper nesting: what follows the check recurses.
    pub const DEEPEST: usize = 512;

    /// Refuses a value that is too deep or whose canonical text is too long.
    ///
    /// # Errors
    /// `limit`: for depth with the path of the place, for size with `path`.
    pub fn check(&self, value: &Json, path: &Path) -> Result<()> {
        self.check_all([value], path)
    }

    /// Refuses text that is too long.
    ///
    /// # Errors
    /// `limit` with `path`.
    pub fn check_text(&self, text: &str, path: &Path) -> Result<()> {
        Walk::new(self).text(text).map_err(|stop| stop.error(self, path))
    }

    /// Refuses a call with too many tasks.
    ///
    /// # Errors
    /// `limit` with `path`.
    pub(crate) fn check_tasks(&self, tasks: usize, path: &Path) -> Result<()> {
        within(tasks, self.max_tasks, "max_tasks", "the call has {} tasks", path)
    }

    /// Refuses a call that puts too many ids into new boxes.
    ///
    /// # Errors
    /// `limit` with `path`.
    pub(crate) fn check_ids(&self, ids: usize, path: &Path) -> Result<()> {
        within(ids, self.max_ids, "max_ids", "the call puts {} card ids into new boxes", path)
    }

    /// Refuses a call that makes too much content.
    ///
    /// # Errors
    /// `limit` with `path`.
    pub(crate) fn check_bytes(&self, bytes: usize, path: &Path) -> Result<()> {
        within(bytes, self.max_bytes, "max_bytes", "the call makes {} bytes of content", path)
    }

    /// Refuses a call that reads too much.
    ///
    /// # Errors
    /// `limit`.
    pub(crate) fn check_rows(&self, rows: usize) -> Result<()> {
        within(rows, self.max_rows, "max_rows", "the call reads {} rows", &Path::root())
    }

    /// Refuses boxes that hold too many ids for one new box, duplicates counted.
    ///
    /// # Errors
    /// `limit` with `path`.
    pub(crate) fn check_merged(&self, ids: usize, path: &Path) -> Result<()> {
        within(ids, self.max_ids, "max_ids", "the boxes hold {} card ids", path)
    }

    /// Refuses a call that says the same so often that it says too much.
    ///
    /// # Errors
    /// `limit` with `path`.
    pub(crate) fn check_values(&self, values: usize, path: &Path) -> Result<()> {
        within(values, self.max_values, "max_values", "the call names {} values", path)
    }

    /// Refuses a call that reads rows that are too long.
    ///
    /// # Errors
    /// `limit`.
    pub(crate) fn check_read_bytes(&self, bytes: usize) -> Result<()> {
        let said = "the call reads {} bytes";
        within(bytes, self.max_read_bytes, "max_read_bytes", said, &Path::root())
    }

    /// Refuses a call that brings too many messages along.
    ///
    /// # Errors
    /// `limit` with `path`.
    pub(crate) fn check_messages(&self, messages: usize, path: &Path) -> Result<()> {
        within(messages, self.max_messages, "max_messages", "the call has {} messages", path)
    }

    /// Refuses an import of too many requests.
    ///
    /// # Errors
    /// `limit` with `path`.
    pub(crate) fn check_requests(&self, requests: usize, path: &Path) -> Result<()> {
        within(requests, self.max_requests, "max_requests", "the files hold {} requests", path)
    }

    /// How many bytes a value makes as content, as far as that is no more than allowed.
    pub(crate) fn size(&self, value: &Json) -> usize {
        let mut walk = Walk::new(self);
        // one that is too large is refused when the card is made
        drop(walk.value(value));
        self.max_content_bytes - walk.bytes_left
    }

    /// As [`Limits::check`], for several values that count together.
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

/// Refuses more than `max`, which is called `name`; `what` says what was found, with its number for
/// `{}`.
///
/// # Errors
/// `limit` with `path`.
pub(crate) fn within(found: usize, max: usize, name: &str, what: &str, path: &Path) -> Result<()> {
    if found <= max {
        return Ok(());
    }
    let what = replaced(what, "{}", &found.to_string());
    Err(Error::limit(format!("{what}, and `{name}` allows {max}"))
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
                let max = limits.max_depth.min(Limits::DEEPEST);
                // the first steps say which value it is; a hundred more would not help
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
            depth_left: limits.max_depth.min(Limits::DEEPEST),
            bytes_left: limits.max_content_bytes,
        }
    }

    fn value(&mut self, value: &Json) -> Result<(), Stop> {
        match value {
            Json::Null => self.spend(4),
            Json::Bool(value) => self.spend(if *value { 4 } else { 5 }),
            Json::Number(number) => self.spend(expanded(number)),
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

/// How many bytes longer JSON writes this byte of a string.
fn escape(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 1,
        0..32 => 5,
        _ => 0,
    }
}

/// How long a number is once its exponent is written out; a little more at most.
fn expanded(number: &Number) -> usize {
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
    fn depth_is_counted_from_the_value_itself() {
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
    fn no_setting_allows_nesting_without_end() {
        let limits = Limits { max_depth: usize::MAX, ..Limits::default() };
        let error = limits.check(&nested(Limits::DEEPEST + 1), &Path::root()).unwrap_err();
        assert_eq!(error.code(), Code::Limit);
    }

    #[test]
    fn size_is_that_of_the_canonical_text() {
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
    fn a_short_number_that_would_grow_is_counted_at_its_full_length() {
        let many = Json::Array(vec![Json::parse("1e131000").unwrap(); 100]);
        let error = Limits::default().check(&many, &Path::root()).unwrap_err();
        assert_eq!(error.message(), "the value is longer than 1048576 bytes");
        let far = Json::parse("1e99999999999999999999999").unwrap();
        assert!(Limits::default().check(&far, &Path::root()).is_err());
    }
}
