//! Handoff packages: pass paths, load on demand, lose nothing.

mod base;
mod build;
mod check;
mod check_report;
mod cut;
pub mod example;
mod finding;
mod items;
mod ladder;
mod layout;
mod order;
mod package;
mod path;
mod plan;
mod reading;
mod record;
mod report;
mod sample;
mod shape;
mod size;
mod skeleton;

pub use base::{ContextPackage, HandoffType, VERSION};
pub use build::{ArtifactFile, Built, Iteration};
pub use check::{Checked, Checking, verify};
pub use cut::Cut;
pub use finding::{Finding, Findings, Kind, Weight};
pub use layout::{FAILURE_SUMMARY, Part, Place, REPORT};
pub use order::{Depth, Reason, What};
pub use package::{ExecuteToInit, InitToExecute, Package};
pub use path::{ArtifactPath, PathFault};
pub use plan::{DEFAULT_BUDGET, Guess, LeftOut, LeftOutBecause, LoadStep, Plan, Planning};
pub use reading::{Model, ReadPackage, Reading};
pub use record::SampleRecord;
pub use report::{Problem, Rank, Report, Severity, SuggestedFix};
pub use sample::{FailureSample, Priority, failure_samples};
pub use size::{Contributor, Fit, Size, size};
