//! Handoff packages: pass paths, load on demand, lose nothing.

mod base;
mod check;
mod finding;
mod layout;
mod package;
mod path;
mod reading;
mod report;
mod sample;
mod shape;
mod size;

pub use base::{ContextPackage, HandoffType, VERSION};
pub use check::{Checked, Checking, verify};
pub use finding::{Finding, Findings, Kind, Weight};
pub use layout::{FAILURE_SUMMARY, Part, Place, REPORT};
pub use package::{ExecuteToInit, InitToExecute, Package};
pub use path::{ArtifactPath, PathFault};
pub use reading::{Model, ReadPackage, Reading};
pub use report::{Problem, Rank, Report, Severity, SuggestedFix};
pub use sample::{FailureSample, Priority, failure_samples};
pub use size::{Contributor, Fit, Size, size};
