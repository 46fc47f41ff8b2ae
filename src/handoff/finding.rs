//! What is wrong or odd about a package, each with a stable type and the place of the value.

use crate::rule::lint::lint_codes;
use crate::value::error::Step;
use crate::value::json::Json;
use crate::{Code, Error, Lint, Path, Result};
use serde::Serialize;

/// How much a finding matters.
///
/// Shown by the example of [`Findings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// The value is refused.
    Error,
    /// The value is accepted; a person should look.
    Lint,
}

lint_codes! {
    /// What kind of finding it is. The names are stable and part of the wire format; those that
    /// the recorded systems know are theirs.
    ///
    /// Shown by the example of [`Findings`].
    pub enum Kind {
        /// A required field is not there.
        Missing = "missing",
        /// The whole value is not an object.
        ModelType = "model_type",
        /// Not a string.
        StringType = "string_type",
        /// Not an object.
        DictType = "dict_type",
        /// Not a list.
        ListType = "list_type",
        /// Not a whole number.
        IntType = "int_type",
        /// Not a number.
        FloatType = "float_type",
        /// Not one of the allowed words.
        LiteralError = "literal_error",
        /// A number below zero.
        GreaterThanEqual = "greater_than_equal",
        /// A version that this protocol does not speak.
        UnsupportedVersion = "unsupported_version",
        /// A path that leaves the package's root or has no single reading.
        UnsafePath = "unsafe_path",
        /// A name that cannot be part of a file name.
        UnsafeName = "unsafe_name",
        /// Two index entries for one sample.
        DuplicateSample = "duplicate_sample",
        /// Two problems, or two ranks, under one name.
        DuplicateProblem = "duplicate_problem",
        /// A count that does not fit what it counts.
        CountMismatch = "count_mismatch",
        /// A rate that does not fit its counts.
        RateMismatch = "rate_mismatch",
        /// A reference to a problem that the report does not hold.
        UnknownProblem = "unknown_problem",
        /// A reference to a sample that the index does not hold.
        UnknownSample = "unknown_sample",
        /// A path that is safe but not where the layout puts such a file.
        OutsideLayout = "outside_layout",
        /// Fewer samples in the index than have failed.
        IndexIncomplete = "index_incomplete",
        /// A list shortened with `...`.
        ListElided = "list_elided",
        /// Not three to five suggestions.
        SuggestionCount = "suggestion_count",
        /// A problem that no rank mentions.
        UnrankedProblem = "unranked_problem",
        /// A field that a person still has to write.
        BlankField = "blank_field",
        /// A package above its token estimate.
        PackageTooLarge = "package_too_large",
        /// Text that belongs on disk stands in the package.
        InlineContent = "inline_content",
        /// Something points at a file that is not stored.
        Dangling = "dangling",
        /// A file that the layout asks for is not stored.
        FileMissing = "file_missing",
        /// A stored file that belongs to nothing.
        Orphan = "orphan",
        /// A stored file that is not what its place promises.
        Unreadable = "unreadable",
    }
}

/// One thing that is wrong or odd, and where.
///
/// Shown by the example of [`Findings`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Whether the value is refused.
    pub weight: Weight,
    /// What kind of finding it is.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The place of the value.
    pub path: Path,
    /// One sentence for a person.
    pub message: String,
    /// Structured facts beside the sentence.
    #[serde(skip_serializing_if = "Json::is_null")]
    pub details: Json,
}

impl Finding {
    /// The finding as one entry of an error's `details.errors`, as the recorded systems write it.
    fn entry(&self) -> Json {
        let loc: Vec<Json> = self
            .path
            .steps()
            .iter()
            .map(|step| match step {
                Step::Key(key) => Json::from(&**key),
                Step::Index(index) => Json::from(*index),
            })
            .collect();
        Json::from([("loc", Json::Array(loc)), ("type", self.kind.as_str().into())])
    }
}

/// All findings about one value, in the order of the value.
///
/// ```
/// use tuckbox::Path;
/// use tuckbox::handoff::{Findings, Kind, Weight};
///
/// let mut findings = Findings::new();
/// findings.lint(Kind::BlankField, Path::root().key("title"), "`title` is still to be written");
/// assert!(findings.is_accepted());
/// findings.error(Kind::Missing, Path::root().key("timestamp"), "`timestamp` is missing");
/// assert_eq!(findings.errors().next().map(|found| found.weight), Some(Weight::Error));
/// assert_eq!(findings.accepted("the report").unwrap_err().code(), tuckbox::Code::InvalidContent);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Nothing found yet.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a refusal.
    pub fn error(&mut self, kind: Kind, path: Path, message: impl Into<String>) {
        self.add(Weight::Error, kind, path, message.into(), Json::Null);
    }

    /// Adds a lint.
    pub fn lint(&mut self, kind: Kind, path: Path, message: impl Into<String>) {
        self.add(Weight::Lint, kind, path, message.into(), Json::Null);
    }

    /// Adds a finding with details.
    pub fn add(&mut self, weight: Weight, kind: Kind, path: Path, message: String, details: Json) {
        self.0.push(Finding { weight, kind, path, message, details });
    }

    /// Adds everything in `other`, seen from `outer`.
    pub fn absorb(&mut self, other: Self, outer: &Path) {
        self.0.extend(
            other.0.into_iter().map(|found| Finding { path: outer.join(&found.path), ..found }),
        );
    }

    /// The same findings at other places.
    pub(super) fn relocate(self, place: impl Fn(&Path) -> Path) -> Self {
        let moved = self.0.into_iter().map(|found| Finding { path: place(&found.path), ..found });
        Self(moved.collect())
    }

    /// The findings.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.0.iter()
    }

    /// The refusals.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.0.iter().filter(|found| found.weight == Weight::Error)
    }

    /// The lints.
    pub fn lints(&self) -> impl Iterator<Item = &Finding> {
        self.0.iter().filter(|found| found.weight == Weight::Lint)
    }

    /// The lints as any other rule reports them.
    pub fn to_lints(&self) -> Vec<Lint> {
        let lint =
            |found: &Finding| Lint::new(found.kind, found.path.clone(), found.message.clone());
        self.lints().map(lint).collect()
    }

    /// True when nothing was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True when nothing was refused.
    pub fn is_accepted(&self) -> bool {
        self.errors().next().is_none()
    }

    /// The lints if nothing was refused.
    ///
    /// # Errors
    /// `invalid_content` at the first refusal; `details.errors` lists every one as
    /// `{loc, type}`, `details.messages` the sentences beside them.
    pub fn accepted(self, what: &str) -> Result<Self> {
        if self.is_accepted() { Ok(self) } else { Err(self.refusal(what)) }
    }

    /// The error that [`accepted`](Self::accepted) answers.
    pub fn refusal(&self, what: &str) -> Error {
        let mut errors = self.errors();
        let first = errors.next();
        let reason = first.map_or("something in it is wrong", |found| found.message.as_str());
        let message = match errors.count() {
            0 => format!("{what} is refused: {reason}"),
            more => format!("{what} is refused: {reason}; and {more} more"),
        };
        let entries: Vec<Json> = self.errors().map(Finding::entry).collect();
        Error::new(Code::InvalidContent, message)
            .at(first.map_or_else(Path::root, |found| found.path.clone()))
            .detail("errors", Json::Array(entries))
            .detail(
                "messages",
                self.errors().map(|found| found.message.clone()).collect::<Vec<_>>(),
            )
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
