//! Paths that stay below the root of a package and are unambiguous.
//!
//! A package comes from another agent, so its paths are not trusted. Only relative paths with `/`
//! between plain names are accepted. A path that a file system, a shell, a browser or a decoder
//! could read differently is rejected. It is not corrected, because a corrected path would give a
//! file two names. A path is a key of the store and never follows a link.

use crate::value::arguments::Argument;
use crate::value::find::contains;
use crate::value::json::Field;
use crate::{Error, Result};
use serde::{Serialize, Serializer};
use std::fmt;

/// The maximum length of a path in bytes.
const MAX_BYTES: usize = 1024;

/// The reason why a path is rejected.
///
/// Shown by the example of [`ArtifactPath`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathFault {
    /// Empty, or only white space.
    Empty,
    /// Longer than 1,024 bytes.
    TooLong,
    /// A control character, an invisible character, or one that changes the text direction.
    Control,
    /// `\` between or inside names.
    Backslash,
    /// A drive, such as `C:`.
    Drive,
    /// A URL, such as `https://` or `file:`.
    Url,
    /// A leading `/`.
    Absolute,
    /// A `~` at the start of a name, which a shell expands.
    Home,
    /// A `..`, also with trailing dots or spaces that some systems drop.
    Parent,
    /// `.`, an empty name (`//`, a trailing `/`), a name that ends in a dot or white space, or one
    /// that starts with white space. These are second spellings of another path.
    Spelling,
    /// `%2e`, `%2f` or `%5c`: an encoded dot or separator.
    Encoded,
    /// A look-alike of `.`, `/` or `\` that some systems treat as the same character.
    LookAlike,
    /// `:` inside a name, which some systems read as another stream of a file.
    Stream,
}

impl PathFault {
    /// All reasons.
    pub const ALL: [Self; 13] = [
        Self::Empty,
        Self::TooLong,
        Self::Control,
        Self::Backslash,
        Self::Drive,
        Self::Url,
        Self::Absolute,
        Self::Home,
        Self::Parent,
        Self::Spelling,
        Self::Encoded,
        Self::LookAlike,
        Self::Stream,
    ];

    /// Returns the stable name of the reason.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong => "too_long",
            Self::Control => "control",
            Self::Backslash => "backslash",
            Self::Drive => "drive",
            Self::Url => "url",
            Self::Absolute => "absolute",
            Self::Home => "home",
            Self::Parent => "parent",
            Self::Spelling => "spelling",
            Self::Encoded => "encoded",
            Self::LookAlike => "look_alike",
            Self::Stream => "stream",
        }
    }

    /// Returns the rest of a sentence that starts with the path.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Empty => "is empty; expected a path relative to the root of the package",
            Self::TooLong => "is longer than 1024 bytes",
            Self::Control => "has a control or invisible character",
            Self::Backslash => "has a backslash; expected `/` between names",
            Self::Drive => "names a drive; expected a path relative to the root of the package",
            Self::Url => "is a URL; expected a path relative to the root of the package",
            Self::Absolute => "is absolute; expected a path relative to the root of the package",
            Self::Home => {
                "starts at a home directory; expected a path relative to the root of the package"
            }
            Self::Parent => "leaves the directory with `..`",
            Self::Spelling => "is a second spelling of another path",
            Self::Encoded => "has an encoded dot or separator",
            Self::LookAlike => "has a character that some systems read as a dot or a separator",
            Self::Stream => "has `:` inside a name",
        }
    }
}

impl Serialize for PathFault {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A relative path that satisfies every rule of this module.
///
/// ```
/// use tuckbox::handoff::{ArtifactPath, PathFault};
///
/// let dir = ArtifactPath::new("scenarios/leave/iteration_12")?;
/// let trace = dir.join(&ArtifactPath::new("execution_traces/BS_MT_001_trace.json")?)?;
/// assert_eq!(trace.as_str(), "scenarios/leave/iteration_12/execution_traces/BS_MT_001_trace.json");
/// assert_eq!(ArtifactPath::check("samples/../../secret"), Err(PathFault::Parent));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArtifactPath(String);

impl ArtifactPath {
    /// Returns a path if it satisfies the rules.
    ///
    /// # Errors
    /// `invalid_content` with the [reason](PathFault) in `details.fault`.
    pub fn new(path: impl Into<String>) -> Result<Self> {
        let path = path.into();
        match Self::check(&path) {
            Ok(()) => Ok(Self(path)),
            Err(fault) => Err(Error::invalid_content(format!(
                "the path `{}` {}",
                shown(&path),
                fault.sentence()
            ))
            .detail("fault", fault.as_str())),
        }
    }

    /// As [`new`](Self::new), with the reason as the error.
    pub(super) fn take(path: &str) -> Result<Self, PathFault> {
        Self::check(path).map(|()| Self(path.to_owned()))
    }

    /// Checks a path and returns the first rule that it breaks.
    ///
    /// # Errors
    /// The reason.
    pub fn check(path: &str) -> Result<(), PathFault> {
        if path.len() > MAX_BYTES {
            return Err(PathFault::TooLong);
        }
        // fast path: most paths are plain
        if path.bytes().all(is_plain) && path.split('/').all(is_plain_name) {
            return Ok(());
        }
        if path.chars().any(is_hidden) {
            return Err(PathFault::Control);
        }
        if path.trim().is_empty() {
            return Err(PathFault::Empty);
        }
        scheme(path)?;
        if contains(path, "\\") {
            return Err(PathFault::Backslash);
        }
        if path.starts_with('/') {
            return Err(PathFault::Absolute);
        }
        if path.starts_with('~') {
            return Err(PathFault::Home);
        }
        path.split('/').try_for_each(check_name)
    }

    /// Returns the path.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `tail` below this directory.
    ///
    /// # Errors
    /// `invalid_content` if the joined path is too long.
    pub fn join(&self, tail: &Self) -> Result<Self> {
        let joined = format!("{}/{}", self.0, tail.0);
        if joined.len() > MAX_BYTES { Self::new(joined) } else { Ok(Self(joined)) }
    }

    /// Returns this path relative to `dir`, if it is below it.
    pub fn inside(&self, dir: &Self) -> Option<Self> {
        let rest = self.0.strip_prefix(dir.as_str())?.strip_prefix('/')?;
        Some(Self(rest.to_owned()))
    }

    /// Returns the last name.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

impl fmt::Display for ArtifactPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Argument for ArtifactPath {
    fn read(field: &Field<'_>) -> Result<Self> {
        Self::new(field.string()?).map_err(|error| error.at(field.path()))
    }
}

impl Serialize for ArtifactPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Checks one name between separators, or a name that becomes part of a file name, such as a sample
/// id.
pub(super) fn check_name(name: &str) -> Result<(), PathFault> {
    if name.len() > MAX_BYTES {
        return Err(PathFault::TooLong);
    }
    if name.chars().any(is_hidden) {
        return Err(PathFault::Control);
    }
    if contains(name, "\\") {
        return Err(PathFault::Backslash);
    }
    let dots = name.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    if dots.is_empty() && contains(name, "..") {
        return Err(PathFault::Parent);
    }
    if name.is_empty() || dots.len() < name.len() || name.starts_with(char::is_whitespace) {
        return Err(PathFault::Spelling);
    }
    if name.starts_with('~') && name.chars().nth(1).is_none() {
        return Err(PathFault::Home);
    }
    if has_encoding(name) {
        return Err(PathFault::Encoded);
    }
    if name.chars().any(is_look_alike) {
        return Err(PathFault::LookAlike);
    }
    if contains(name, ":") {
        return Err(PathFault::Stream);
    }
    Ok(())
}

/// Returns a path for a message: hidden characters are escaped, long paths are cut.
pub(super) fn shown(path: &str) -> String {
    let mut text = String::new();
    for (at, c) in path.chars().enumerate() {
        if at == 120 {
            text.push('…');
            break;
        }
        if is_hidden(c) { text.extend(c.escape_unicode()) } else { text.push(c) }
    }
    text
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/')
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && !name.ends_with('.')
}

fn scheme(path: &str) -> Result<(), PathFault> {
    let Some((head, rest)) = path.split_once(':') else { return Ok(()) };
    let mut chars = head.chars();
    let begins = chars.next().is_some_and(|c| c.is_ascii_alphabetic());
    if !begins || !chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')) {
        return Ok(());
    }
    if head.len() == 1 {
        return Err(PathFault::Drive);
    }
    let known = ["data", "file", "javascript", "mailto", "urn", "blob", "about"];
    if rest.starts_with('/') || known.contains(&head.to_ascii_lowercase().as_str()) {
        return Err(PathFault::Url);
    }
    Ok(())
}

fn has_encoding(name: &str) -> bool {
    name.split('%').skip(1).any(|after| {
        let code: String = after.chars().take(2).collect::<String>().to_ascii_lowercase();
        // `%25` is a percent sign: `%252e` becomes a dot after two decodings
        matches!(code.as_str(), "2e" | "2f" | "5c" | "3a" | "00" | "25")
            || code.starts_with('u')
            || code.starts_with(['c', 'e', 'f']) && code.len() == 2 && overlong(&code)
    })
}

/// Returns true for the first byte of an overlong encoding of an ASCII character.
fn overlong(code: &str) -> bool {
    matches!(code, "c0" | "c1" | "e0" | "f0" | "f8" | "fc")
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn is_look_alike(c: char) -> bool {
    matches!(
        c,
        '\u{2024}'
            | '\u{2025}'
            | '\u{2044}'
            | '\u{2215}'
            | '\u{2216}'
            | '\u{29f8}'
            | '\u{29f9}'
            | '\u{fe52}'
            | '\u{fe68}'
            | '\u{ff0e}'
            | '\u{ff0f}'
            | '\u{ff3c}'
            | '\u{ff61}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_paths_may_be_too_long_together() {
        let path = |bytes: usize| ArtifactPath::new("a".repeat(bytes)).unwrap();
        assert_eq!(path(500).join(&path(523)).unwrap().as_str().len(), 1024);
        assert!(path(500).join(&path(524)).is_err());
    }

    #[test]
    fn plain_relative_paths_pass() {
        for path in [
            "a",
            "scenarios/leave_application/BusinessRules.md",
            "场景/请假.yaml",
            ".hidden/x",
            "a b/c d.json",
            "a..b/c...d",
            "samples/50%_done.json",
            "x~y/backup~",
            "请假：规则…….md",
        ] {
            assert_eq!(ArtifactPath::check(path), Ok(()), "{path}");
        }
    }

    #[test]
    fn every_way_out_is_refused_with_its_own_fault() {
        use PathFault::*;
        let long = "a/".repeat(600) + "b";
        for (path, fault) in [
            ("", Empty),
            ("   ", Empty),
            (long.as_str(), TooLong),
            ("a\0b", Control),
            ("a\nb", Control),
            ("a\u{202e}gpj.exe", Control),
            ("samples\\x.json", Backslash),
            ("..\\x", Backslash),
            ("\\\\host\\share", Backslash),
            ("C:/x", Drive),
            ("c:x", Drive),
            ("https://example.org/x", Url),
            ("file:///etc/passwd", Url),
            ("s3://bucket/key", Url),
            ("FILE:x", Url),
            ("/etc/passwd", Absolute),
            ("//host/share", Absolute),
            ("~/x", Home),
            ("~root/x", Home),
            ("..", Parent),
            ("a/../b", Parent),
            ("a/.. /b", Parent),
            ("a/.../b", Parent),
            ("./a", Spelling),
            ("a//b", Spelling),
            ("a/", Spelling),
            ("a./b", Spelling),
            ("a /b", Spelling),
            (" a/b", Spelling),
            ("a/%2e%2e/b", Encoded),
            ("a%2Fb", Encoded),
            ("a%252e%252e", Encoded),
            ("%c0%ae%c0%ae/x", Encoded),
            ("．．/x", LookAlike),
            ("a／b", LookAlike),
            ("a/b:stream", Stream),
        ] {
            assert_eq!(ArtifactPath::check(path), Err(fault), "{path:?}");
            let error = ArtifactPath::new(path).unwrap_err();
            assert_eq!(error.code(), crate::Code::InvalidContent);
            assert_eq!(error.details()["fault"].as_str(), Some(fault.as_str()));
            assert!(!error.message().contains(['\0', '\n']), "{error}");
        }
    }

    #[test]
    fn a_path_is_seen_from_its_directory() {
        let dir = ArtifactPath::new("a/b").unwrap();
        let inside = ArtifactPath::new("a/b/c.json").unwrap();
        assert_eq!(inside.inside(&dir).unwrap().as_str(), "c.json");
        assert_eq!(inside.name(), "c.json");
        assert!(ArtifactPath::new("a/bc/d").unwrap().inside(&dir).is_none());
    }
}
