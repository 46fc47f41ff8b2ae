//! Findings about a package: a stable type, a path and a message.

use crate::rule::lint::lint_codes;
use crate::value::error::Step;
use crate::value::json::Json;
use crate::{Code, Error, Lint, Path, Result};
use serde::Serialize;

/// The weight of a finding.
///
/// Shown by the example of [`Findings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// The value is rejected.
    Error,
    /// The value is accepted, but should be checked.
    Lint,
}

lint_codes! {
    /// The kind of a finding. The names are stable and part of the wire format. Kinds of the
    /// reference systems have their names.
    ///
    /// Shown by the example of [`Findings`].
    pub enum Kind {
        /// A required field is missing.
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
        /// A version that is not supported.
        UnsupportedVersion = "unsupported_version",
        /// A path that leaves the root of the package or is ambiguous.
        UnsafePath = "unsafe_path",
        /// A name that cannot be part of a file name.
        UnsafeName = "unsafe_name",
        /// Two index entries for one sample.
        DuplicateSample = "duplicate_sample",
        /// Two problems, or two ranks, with the same name.
        DuplicateProblem = "duplicate_problem",
        /// A count that does not agree with the items.
        CountMismatch = "count_mismatch",
        /// A rate that does not agree with its counts.
        RateMismatch = "rate_mismatch",
        /// A reference to a problem that is not in the report.
        UnknownProblem = "unknown_problem",
        /// A reference to a sample that is not in the index.
        UnknownSample = "unknown_sample",
        /// A safe path that differs from the layout.
        OutsideLayout = "outside_layout",
        /// Fewer samples in the index than failed.
        IndexIncomplete = "index_incomplete",
        /// A list shortened with `...`.
        ListElided = "list_elided",
        /// Not three to five suggestions.
        SuggestionCount = "suggestion_count",
        /// A problem without a rank.
        UnrankedProblem = "unranked_problem",
        /// A field that is still blank.
        BlankField = "blank_field",
        /// A package over its token estimate.
        PackageTooLarge = "package_too_large",
        /// Content in the package that belongs in a file.
        InlineContent = "inline_content",
        /// A reference to a file that is not stored.
        Dangling = "dangling",
        /// A file that the layout requires and that is not stored.
        FileMissing = "file_missing",
        /// A stored file that belongs to no sample.
        Orphan = "orphan",
        /// A stored file that cannot be read as its kind.
        Unreadable = "unreadable",
    }
}

/// A finding about a package.
///
/// Shown by the example of [`Findings`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Whether the value is rejected.
    pub weight: Weight,
    /// The kind of the finding.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The path of the value.
    pub path: Path,
    /// A sentence that describes the finding.
    pub message: String,
    /// Structured details.
    #[serde(skip_serializing_if = "Json::is_null")]
    pub details: Json,
}

impl Finding {
    /// Returns the finding as an entry of `details.errors`, as the reference systems write it.
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

/// All findings about a value, in the order of the value.
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
    /// Returns an empty list.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds an error.
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

    /// Adds the findings of `other`, whose paths are below `outer`.
    pub fn absorb(&mut self, other: Self, outer: &Path) {
        self.0.extend(
            other.0.into_iter().map(|found| Finding { path: outer.join(&found.path), ..found }),
        );
    }

    /// Returns the findings with other paths.
    pub(super) fn relocate(self, place: impl Fn(&Path) -> Path) -> Self {
        let moved = self.0.into_iter().map(|found| Finding { path: place(&found.path), ..found });
        Self(moved.collect())
    }

    /// Returns the findings.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.0.iter()
    }

    /// Returns the errors.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.0.iter().filter(|found| found.weight == Weight::Error)
    }

    /// Returns the lints.
    pub fn lints(&self) -> impl Iterator<Item = &Finding> {
        self.0.iter().filter(|found| found.weight == Weight::Lint)
    }

    /// Returns the lints as lints of a rule.
    pub(crate) fn to_lints(&self) -> Vec<Lint> {
        let lint =
            |found: &Finding| Lint::new(found.kind, found.path.clone(), found.message.clone());
        self.lints().map(lint).collect()
    }

    /// Returns true if there are no findings.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if there are no errors.
    pub fn is_accepted(&self) -> bool {
        self.errors().next().is_none()
    }

    /// Returns the lints if there are no errors.
    ///
    /// # Errors
    /// `invalid_content` at the first error. `details.errors` lists every error as `{loc, type}`,
    /// and `details.messages` has their messages.
    pub fn accepted(self, what: &str) -> Result<Self> {
        if self.is_accepted() { Ok(self) } else { Err(self.refusal(what)) }
    }

    /// Returns the error of [`accepted`](Self::accepted).
    pub fn refusal(&self, what: &str) -> Error {
        let mut errors = self.errors();
        let first = errors.next();
        let reason = first.map_or("it has an error", |found| found.message.as_str());
        let message = match errors.count() {
            0 => format!("{what} is invalid: {reason}"),
            more => format!("{what} is invalid: {reason}; and {more} more"),
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
