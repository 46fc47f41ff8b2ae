//! Errors are data: a stable code, the path of the offending value, a message, and details.
//!
//! ```
//! use tuckbox::{Code, Error, Path};
//!
//! let error = Error::not_found("no box `b7` in this project").at(Path::root().key("arguments").index(2));
//! assert_eq!(error.code(), Code::NotFound);
//! assert_eq!(error.path().to_string(), "arguments[2]");
//! assert_eq!(error.to_string(), "not_found at `arguments[2]`: no box `b7` in this project");
//! ```

use crate::value::json::{Json, Object};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// The result of any fallible function of this crate.
///
/// ```
/// fn first(text: &str) -> tuckbox::Result<char> {
///     text.chars().next().ok_or_else(|| tuckbox::Error::bad_request("`text` is empty"))
/// }
/// assert_eq!(first("ab")?, 'a');
/// assert_eq!(first("").unwrap_err().to_string(), "bad_request: `text` is empty");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of a failure. The names are stable and part of the wire format.
///
/// ```
/// use tuckbox::{Code, Error};
///
/// // a server maps each kind to an HTTP status
/// let status = |error: &Error| match error.code() {
///     Code::NotFound => 404,
///     Code::AuthFailed => 403,
///     Code::Conflict => 409,
///     Code::Store => 503,
///     _ => 400,
/// };
/// assert_eq!(status(&Error::conflict("the box has changed")), 409);
/// assert_eq!(Code::Conflict.as_str(), "conflict");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Code {
    /// The call is wrong: an argument is missing or mistyped, or a combination is not allowed.
    BadRequest,
    /// A profile, box, card or agent does not exist in this project.
    NotFound,
    /// A card, box or JSON value breaks the content rules.
    InvalidContent,
    /// The caller is not allowed to delegate to this target.
    AuthFailed,
    /// A value changed, an id belongs to other content, or a running turn holds a box.
    Conflict,
    /// A value exceeds a limit of depth, size or count.
    Limit,
    /// The host's store failed or returned an invalid answer.
    Store,
}

impl Code {
    /// Every code, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::BadRequest,
        Self::NotFound,
        Self::InvalidContent,
        Self::AuthFailed,
        Self::Conflict,
        Self::Limit,
        Self::Store,
    ];

    /// Returns the code as written on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BadRequest => "bad_request",
            Self::NotFound => "not_found",
            Self::InvalidContent => "invalid_content",
            Self::AuthFailed => "auth_failed",
            Self::Conflict => "conflict",
            Self::Limit => "limit",
            Self::Store => "store",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Maximum number of characters of a key in a path; longer keys are cut.
const MAX_KEY_CHARS: usize = 200;

/// One step of a [`Path`].
///
/// The example of [`Path`] shows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A key of an object.
    Key(Arc<str>),
    /// A position in a list.
    Index(usize),
}

/// The location of a value inside the caller's value, such as `tasks[3].target_ref`.
///
/// ```
/// use tuckbox::Path;
/// use tuckbox::value::error::Step;
///
/// let place = Path::root().key("tasks").index(3).key("target_ref");
/// assert_eq!(place.text(), "tasks[3].target_ref");
/// assert_eq!(place.steps()[1], Step::Index(3));
/// assert!(place.starts_with(&Path::root().key("tasks")));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(Option<Arc<[Step]>>);

impl Path {
    /// Returns the path of the whole value.
    pub const fn root() -> Self {
        Self(None)
    }

    /// Creates a path from steps.
    pub fn from_steps(steps: Vec<Step>) -> Self {
        Self((!steps.is_empty()).then(|| steps.into()))
    }

    /// Returns this path, one key deeper.
    #[must_use]
    pub fn key(&self, key: impl AsRef<str>) -> Self {
        // keep paths short; the value itself has the whole key
        let key = key.as_ref();
        let cut = key.char_indices().nth(MAX_KEY_CHARS).and_then(|(at, _)| key.get(..at));
        self.with(Step::Key(cut.unwrap_or(key).into()))
    }

    /// Returns this path, one list position deeper.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(Step::Index(index))
    }

    /// Returns this path followed by `tail`.
    #[must_use]
    pub fn join(&self, tail: &Self) -> Self {
        if self.is_root() {
            return tail.clone();
        }
        Self::from_steps([self.steps(), tail.steps()].concat())
    }

    /// Returns whether this path is `outer` or lies inside it.
    pub fn starts_with(&self, outer: &Self) -> bool {
        self.steps().starts_with(outer.steps())
    }

    /// Returns the steps, outermost first.
    pub fn steps(&self) -> &[Step] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Returns whether this is [`Path::root`].
    pub fn is_root(&self) -> bool {
        self.0.is_none()
    }

    fn with(&self, step: Step) -> Self {
        Self(Some(self.steps().iter().cloned().chain([step]).collect()))
    }

    /// Returns the path as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// Appends the path to `text`.
    pub fn write(&self, text: &mut String) {
        let start = text.len();
        for step in self.steps() {
            match step {
                Step::Index(index) => {
                    text.push('[');
                    text.push_str(itoa::Buffer::new().format(*index));
                    text.push(']');
                }
                Step::Key(key) if is_plain(key) => {
                    if text.len() > start {
                        text.push('.');
                    }
                    text.push_str(key);
                }
                Step::Key(key) => {
                    text.push('[');
                    text.push_str(&Json::from(&**key).to_string());
                    text.push(']');
                }
            }
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl Serialize for Path {
    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

fn is_plain(key: &str) -> bool {
    let is_simple = |byte: u8| {
        let half = if byte < 64 { SIMPLE as u64 } else { (SIMPLE >> 64) as u64 };
        byte < 128 && half >> (byte & 63) & 1 == 1
    };
    let is_any = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    !key.is_empty() && (key.bytes().all(is_simple) || key.chars().all(is_any))
}

/// Bit set of the ASCII characters that a key can contain without quotes.
const SIMPLE: u128 = {
    let (mut simple, mut byte) = (0, 0_u8);
    while byte < 128 {
        let needs_none = byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        simple |= (needs_none as u128) << byte;
        byte += 1;
    }
    simple
};

/// An error with a code, a path, a message and details.
///
/// ```
/// use tuckbox::{Error, Path, json};
///
/// let error = Error::limit("the card is too long").detail("bytes", 70_000).within(&Path::root().key("content"));
/// assert_eq!(error.to_json(), json!({
///     "code": "limit", "path": "content", "message": "the card is too long", "details": {"bytes": 70_000}}));
/// ```
#[derive(Clone, PartialEq)]
pub struct Error(Box<Body>);

#[derive(Clone, PartialEq)]
struct Body {
    code: Code,
    path: Path,
    message: String,
    details: Object,
}

impl Error {
    /// Creates an error at the root of the value.
    ///
    /// Messages are lower case, have no final full stop, and quote the user's values in backticks.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self::with_message(code, message.into())
    }

    #[cold]
    #[inline(never)]
    fn with_message(code: Code, message: String) -> Self {
        let body = Body { code, path: Path::root(), message, details: Object::default() };
        Self(Box::new(body))
    }

    /// Creates an error with [`Code::BadRequest`].
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(Code::BadRequest, message)
    }

    /// Creates an error with [`Code::NotFound`].
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Code::NotFound, message)
    }

    /// Creates an error with [`Code::InvalidContent`].
    pub fn invalid_content(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidContent, message)
    }

    /// Creates an error with [`Code::AuthFailed`].
    pub fn auth_failed(message: impl Into<String>) -> Self {
        Self::new(Code::AuthFailed, message)
    }

    /// Creates an error with [`Code::Conflict`].
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(Code::Conflict, message)
    }

    /// Creates an error with [`Code::Limit`].
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(Code::Limit, message)
    }

    /// Creates an error with [`Code::Store`].
    pub fn store(message: impl Into<String>) -> Self {
        Self::new(Code::Store, message)
    }

    /// Sets the path of the offending value.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn at(mut self, path: Path) -> Self {
        self.0.path = path;
        self
    }

    /// Prepends `outer` to the path. Outer readers use it to add their own location.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn within(mut self, outer: &Path) -> Self {
        self.0.path = outer.join(&self.0.path);
        self
    }

    /// Prepends one key to the path; see [`Error::within`].
    #[must_use]
    #[cold]
    pub(crate) fn under(self, key: &str) -> Self {
        self.within(&Path::root().key(key))
    }

    /// Returns the same error with another code.
    #[must_use]
    pub fn as_code(mut self, code: Code) -> Self {
        self.0.code = code;
        self
    }

    /// Adds a named detail.
    #[must_use]
    pub fn detail(self, name: &str, value: impl Into<Json>) -> Self {
        self.with_detail(name, value.into())
    }

    #[cold]
    #[inline(never)]
    fn with_detail(mut self, name: &str, value: Json) -> Self {
        self.0.details.insert(name.to_owned(), value);
        self
    }

    /// Returns the kind of the failure.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Returns the path of the offending value.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns the message: one sentence for a person.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns structured facts about the failure.
    pub fn details(&self) -> &Object {
        &self.0.details
    }

    /// Returns the error as on the wire: `{"code", "path", "message", "details"}`.
    pub fn to_json(&self) -> Json {
        let mut body = Object::default();
        body.insert("code".into(), self.code().as_str().into());
        body.insert("path".into(), self.path().to_string().into());
        body.insert("message".into(), self.message().into());
        body.insert("details".into(), Json::Object(self.details().clone()));
        Json::Object(body)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path().is_root() {
            write!(f, "{}: {}", self.code(), self.message())
        } else {
            write!(f, "{} at `{}`: {}", self.code(), self.path(), self.message())
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} {}", Json::Object(self.details().clone()))
    }
}

impl std::error::Error for Error {}
