//! Paths that stay inside the package's root and have exactly one reading.
//!
//! A package comes from another agent, so a path in it is a claim, not a place. Only plain relative
//! paths with `/` between plain names pass; everything that a file system, a shell, a browser or a
//! careless decoder could read as somewhere else is refused, not repaired: a repaired path would
//! give one file two names. A path is a key into the store and never follows a link.

use crate::value::find::holds;
use crate::{Error, Result};
use serde::{Serialize, Serializer};
use std::fmt;

/// The longest path in bytes.
const MAX_BYTES: usize = 1024;

/// Why a path is refused.
///
/// Shown by the example of [`ArtifactPath`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathFault {
    /// Nothing, or only white space.
    Empty,
    /// Longer than 1,024 bytes.
    TooLong,
    /// U+0000, another control character, or one that is invisible or turns the reading direction.
    Control,
    /// `\` between or inside names.
    Backslash,
    /// `C:` and the like.
    Drive,
    /// `https://`, `file:` and the like.
    Url,
    /// A leading `/`.
    Absolute,
    /// `~` at the beginning of a name that a shell expands.
    Home,
    /// A `..`, also where trailing dots and spaces would be dropped to make one.
    Parent,
    /// `.`, an empty name (`//`, a trailing `/`), or a name that ends in a dot or white space or
    /// begins with white space: a second spelling of another path.
    Spelling,
    /// `%2e`, `%2f` or `%5c`: a dot or separator behind an encoding.
    Encoded,
    /// A look-alike of `.`, `/` or `\` that some systems fold into it.
    LookAlike,
    /// `:` inside a name, which is a second stream of a file on some systems.
    Stream,
}

impl PathFault {
    /// Every fault.
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

    /// The stable name of the fault.
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

    /// What is wrong, to follow the path in a sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Empty => "is empty; a path relative to the package's root is due",
            Self::TooLong => "is longer than 1024 bytes",
            Self::Control => "holds a control or invisible character",
            Self::Backslash => "holds a backslash; names are separated by `/`",
            Self::Drive => "names a drive; a path relative to the package's root is due",
            Self::Url => "is a URL; a path relative to the package's root is due",
            Self::Absolute => "is absolute; a path relative to the package's root is due",
            Self::Home => {
                "begins at a home directory; a path relative to the package's root is due"
            }
            Self::Parent => "leaves the directory with `..`",
            Self::Spelling => "is a second spelling of another path",
            Self::Encoded => "hides a dot or a separator behind an encoding",
            Self::LookAlike => "holds a character that some systems read as a dot or a separator",
            Self::Stream => "holds `:` inside a name",
        }
    }
}

impl Serialize for PathFault {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A relative path that passed every rule of this module.
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
    /// Takes a path if it passes.
    ///
    /// # Errors
    /// `invalid_content` with the [fault](PathFault) in `details.fault`.
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

    /// Takes a path, or the fault.
    pub(super) fn take(path: &str) -> Result<Self, PathFault> {
        Self::check(path).map(|()| Self(path.to_owned()))
    }

    /// The first rule that `path` breaks.
    ///
    /// # Errors
    /// The fault.
    pub fn check(path: &str) -> Result<(), PathFault> {
        if path.len() > MAX_BYTES {
            return Err(PathFault::TooLong);
        }
        // most paths need no look at single characters
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
        if holds(path, "\\") {
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

    /// The path.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `tail` inside this directory.
    ///
    /// # Errors
    /// `invalid_content` when the two together are too long.
    pub fn join(&self, tail: &Self) -> Result<Self> {
        let joined = format!("{}/{}", self.0, tail.0);
        if joined.len() > MAX_BYTES { Self::new(joined) } else { Ok(Self(joined)) }
    }

    /// This path as seen from `dir`, if it is inside.
    pub fn inside(&self, dir: &Self) -> Option<Self> {
        let rest = self.0.strip_prefix(dir.as_str())?.strip_prefix('/')?;
        Some(Self(rest.to_owned()))
    }

    /// The last name.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

impl fmt::Display for ArtifactPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for ArtifactPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// The rules for one name between separators; also those for a name that becomes part of a file
/// name, such as a sample id.
pub(super) fn check_name(name: &str) -> Result<(), PathFault> {
    if name.len() > MAX_BYTES {
        return Err(PathFault::TooLong);
    }
    if name.chars().any(is_hidden) {
        return Err(PathFault::Control);
    }
    if holds(name, "\\") {
        return Err(PathFault::Backslash);
    }
    let dots = name.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    if dots.is_empty() && holds(name, "..") {
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
    if holds(name, ":") {
        return Err(PathFault::Stream);
    }
    Ok(())
}

/// A path as it may stand in a message: hidden characters escaped, long ones cut.
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
        // `%25` is a percent sign: `%252e` becomes a dot when it is decoded twice.
        matches!(code.as_str(), "2e" | "2f" | "5c" | "3a" | "00" | "25")
            || code.starts_with('u')
            || code.starts_with(['c', 'e', 'f']) && code.len() == 2 && overlong(&code)
    })
}

/// The first byte of an overlong encoding of an ASCII character.
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
