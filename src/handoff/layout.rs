//! The layout of an iteration's files.

use super::path::{ArtifactPath, check_name, shown};
use crate::value::find::contains;
use crate::{Error, Result};
use serde::Serialize;

/// The path of the problems report, below the output directory.
///
/// Shown by the example of [`FAILURE_SUMMARY`].
pub const REPORT: &str = "layer1_problems_report.json";
/// The path of the summary of failed samples, below the output directory.
///
/// ```
/// use tuckbox::handoff::{ArtifactPath, FAILURE_SUMMARY, Place, REPORT};
///
/// assert_eq!(Place::of(&ArtifactPath::new(FAILURE_SUMMARY)?), Some(Place::FailureSummary));
/// assert_eq!(Place::of(&ArtifactPath::new(REPORT)?), Some(Place::Report));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub const FAILURE_SUMMARY: &str = "failure_summary.json";

/// One of the four files of a sample.
///
/// ```
/// use tuckbox::handoff::{ArtifactPath, Place, Part};
///
/// let trace = Part::Trace.path("BS_MT_001")?;
/// assert_eq!(trace.as_str(), "execution_traces/BS_MT_001_trace.json");
/// assert_eq!(Place::of(&trace), Some(Place::Sample(Part::Trace, "BS_MT_001".into())));
/// assert_eq!(Place::of(&ArtifactPath::new("notes/todo.txt")?), None);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The sample itself.
    Sample,
    /// The trace: conversation, tool calls, states.
    Trace,
    /// The results of the checkers and the judge.
    Evaluation,
    /// The cause of the failure.
    Attribution,
}

impl Part {
    /// All four, in the order of the layout.
    pub const ALL: [Self; 4] = [Self::Sample, Self::Trace, Self::Evaluation, Self::Attribution];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sample => "sample",
            Self::Trace => "trace",
            Self::Evaluation => "evaluation",
            Self::Attribution => "attribution",
        }
    }

    /// Returns the field of an index entry that has the path of this part.
    pub const fn path_field(self) -> &'static str {
        match self {
            Self::Sample => "sample_path",
            Self::Trace => "trace_path",
            Self::Evaluation => "evaluation_path",
            Self::Attribution => "attribution_path",
        }
    }

    /// Returns the directory below the output directory.
    pub const fn directory(self) -> &'static str {
        match self {
            Self::Sample => "samples",
            Self::Trace => "execution_traces",
            Self::Evaluation => "evaluation_results",
            Self::Attribution => "attribution_analysis",
        }
    }

    /// The part of the file name after the sample id.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Sample => ".json",
            Self::Trace => "_trace.json",
            Self::Evaluation => "_eval.json",
            Self::Attribution => "_attribution.json",
        }
    }

    /// Returns the path of this part of `sample_id`, below the output directory.
    ///
    /// # Errors
    /// `invalid_content` for an id that cannot be part of a file name.
    pub fn path(self, sample_id: &str) -> Result<ArtifactPath> {
        if !is_file_name(sample_id) {
            return Err(Error::invalid_content(format!(
                "the sample id `{}` cannot be part of a file name",
                shown(sample_id)
            )));
        }
        ArtifactPath::new(format!("{}/{sample_id}{}", self.directory(), self.suffix()))
    }
}

impl Part {
    /// Returns true if `path` is the path of this part of `sample_id` in the layout.
    pub(super) fn is_at(self, sample_id: &str, path: &str) -> bool {
        let name = path.strip_prefix(self.directory()).and_then(|rest| rest.strip_prefix('/'));
        let id = name.and_then(|name| name.strip_suffix(self.suffix()));
        id == Some(sample_id)
    }
}

/// Returns true if `name` can be part of a file name.
pub(super) fn is_file_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !name.is_empty() && name.len() < 256 && name.bytes().all(is_plain) {
        return true;
    }
    !contains(name, "/") && check_name(name).is_ok()
}

/// The role of a path in the layout, below the output directory.
///
/// Shown by the example of [`Part`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A part of a sample.
    Sample(Part, String),
    /// The summary of failed samples.
    FailureSummary,
    /// The problems report.
    Report,
}

impl Place {
    /// Returns the role of a path below the output directory, if it has one.
    pub fn of(path: &ArtifactPath) -> Option<Self> {
        match path.as_str() {
            REPORT => Some(Self::Report),
            FAILURE_SUMMARY => Some(Self::FailureSummary),
            path => {
                let (directory, name) = path.split_once('/')?;
                let part = Part::ALL.into_iter().find(|part| part.directory() == directory)?;
                let id = name.strip_suffix(part.suffix())?;
                is_file_name(id).then(|| Self::Sample(part, id.to_owned()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_finds_back_to_its_sample() {
        for part in Part::ALL {
            let path = part.path("BS_MT_001").unwrap();
            assert_eq!(Place::of(&path), Some(Place::Sample(part, "BS_MT_001".to_owned())));
        }
        assert_eq!(Place::of(&ArtifactPath::new(REPORT).unwrap()), Some(Place::Report));
    }

    #[test]
    fn an_id_that_would_leave_its_directory_has_no_path() {
        for id in ["", "..", "a/b", "a\\b", "../x", "a\0", " a", "a:b"] {
            assert!(Part::Trace.path(id).is_err(), "{id:?}");
        }
        assert_eq!(Place::of(&ArtifactPath::new("samples/deep/x.json").unwrap()), None);
    }
}
