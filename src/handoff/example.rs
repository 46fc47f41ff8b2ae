//! The examples of the protocol document.
//!
//! ```
//! use tuckbox::handoff::{CheckHandoff, example, Package, Report};
//! use tuckbox::value::json::{Field, Json};
//! use tuckbox::prompt::tokens::Estimate;
//!
//! let package = Json::parse(example::EXECUTE_TO_INIT)?;
//! let report = Json::parse(example::LAYER1_PROBLEMS_REPORT)?;
//! let checking = CheckHandoff {
//!     package: Package::from_json(&Field::root(&package))?,
//!     report: Some(Report::from_json(&Field::root(&report))?),
//! };
//! let checked = checking.check(&Estimate);
//! assert!(checked.accepted);
//! // the document prints 2 of its 18 failed samples and shortens a list with `...`
//! let lints: Vec<&str> = checked.findings.lints().map(|found| found.kind.as_str()).collect();
//! assert_eq!(lints, ["index_incomplete", "list_elided"]);
//! # Ok::<(), tuckbox::Error>(())
//! ```

/// A package from the design agent to the execution agent.
///
/// Shown by the [example of the group](super).
pub const INIT_TO_EXECUTE: &str = include_str!("example/init_to_execute.json");
/// A package from the execution agent to the design agent.
///
/// Shown by the [example of its module](self).
pub const EXECUTE_TO_INIT: &str = include_str!("example/execute_to_init.json");
/// The report of the second package.
///
/// Shown by the [example of its module](self).
pub const LAYER1_PROBLEMS_REPORT: &str = include_str!("example/layer1_problems_report.json");
