//! Handoff packages: pass paths, load on demand, lose nothing.
//!
//! Two agents work on the same design: one designs, the other runs it and comes back with what
//! failed. **Everything real lies in storage; what passes between them is a small package of paths
//! and indexes.** The receiver reads what it can afford, in an order that is always the same.
//!
//! | from | to | with |
//! |---|---|---|
//! | JSON | a package, every fault at once | [`Reading`], [`Package::from_json`] |
//! | a package and its report | what a person would object to | [`verify`], [`Checking`] |
//! | an iteration's records | files, index, report, package | [`Iteration::build`] |
//! | a package and its files | one batch for the store | [`Persist`] |
//! | a package and what is stored | dangling, missing, orphans | [`Audit`] |
//! | a package and a token budget | what to read, in which order, how deep | [`Planning::plan`] |
//! | a package, a budget and a store | the context, with an account | [`Load`] |
//! | a package | a box of cards for the receiver's prompt | [`ToCards`] |
//!
//! # Out: from the designing to the running agent
//!
//! ```
//! use tuckbox::handoff::{example, verify, Package, InitToExecute};
//! use tuckbox::value::json::{Field, Json};
//!
//! // the protocol's own first example
//! let given = Json::parse(example::INIT_TO_EXECUTE)?;
//! let package = Package::from_json(&Field::root(&given))?;
//! verify(&package, None).accepted("the package")?;
//! assert_eq!(package.to_json().canonical_text()?, given.canonical_text()?);
//!
//! // the same, made in Rust
//! let mut made = InitToExecute::new("2026-01-04T10:30:00", "生成请假申请场景的评测样本");
//! for (name, file) in [
//!     ("unified_scenario_design_path", "unified_scenario_design.yaml"),
//!     ("business_rules_path", "BusinessRules.md"),
//!     ("format_specifications_path", "format_specifications.json"),
//! ] {
//!     made.design_artifacts.insert(name.into(), format!("scenarios/leave_application/{file}"));
//! }
//! assert!(made.dump().same_value(&package.dump()));
//! # Ok::<(), tuckbox::Error>(())
//! ```
//!
//! # Back: from the running to the designing agent
//!
//! ```
//! use tuckbox::handoff::{example, Excerpt, Package, Planning, Report, What};
//! use tuckbox::value::json::{Field, Json};
//! use tuckbox::prompt::tokens::Estimate;
//!
//! // the protocol's own second example, and its report
//! let package = Json::parse(example::EXECUTE_TO_INIT)?;
//! let report = Json::parse(example::LAYER1_PROBLEMS_REPORT)?;
//! let package = Package::from_json(&Field::root(&package))?;
//! let report = Report::from_json(&Field::root(&report))?;
//!
//! let plan = Planning::new(package, Some(report)).plan(&Estimate)?;
//! assert!(plan.spent <= 40_000 && plan.left_out.is_empty());
//! let read: Vec<What> = plan.steps.iter().take(4).map(|step| step.read).collect();
//! assert_eq!(read, [What::Package, What::Report, What::Entry, What::Evaluation]);
//! // the typical case of the first problem comes first
//! assert_eq!(plan.steps[3].reason.typical_of.as_deref(), Some("L1P_001"));
//! assert_eq!(plan.steps[3].cut, Excerpt::Whole);
//! # Ok::<(), tuckbox::Error>(())
//! ```
//!
//! *Architecture invariant:* reading is lenient, as the recorded systems are; [`verify`] is the
//! strict door behind it, and nothing is planned, loaded or stored from a package that it refuses.
//! No path ever leaves the package's root: see [`ArtifactPath`].

mod audit;
mod base;
mod build;
mod cards;
mod check;
mod check_report;
mod detail;
pub mod example;
mod excerpt;
mod finding;
mod items;
mod layout;
mod load;
mod operations;
mod order;
mod package;
mod path;
mod persist;
mod plan;
mod record;
mod refer;
mod report;
mod sample;
mod shape;
mod size;
mod skeleton;
mod validate;

pub use audit::{Audit, Audited, audit};
pub use base::{ContextPackage, HandoffType, VERSION};
pub use build::{ArtifactFile, Built, Iteration};
pub use cards::{CardContent, HandoffBox, ToCards};
pub use check::{Checked, Checking, verify};
pub use excerpt::Excerpt;
pub use finding::{Finding, Findings, Kind, Weight};
pub use layout::{FAILURE_SUMMARY, Part, Place, REPORT};
pub use load::{Load, Loaded, MissingFile, Piece};
pub use order::{Depth, Reason, What};
pub use package::{ExecuteToInit, InitToExecute, Package};
pub use path::{ArtifactPath, PathFault};
pub use persist::{Persist, Persisted};
pub use plan::{DEFAULT_BUDGET, Guess, LeftOut, LeftOutBecause, LoadStep, Plan, Planning};
pub use record::SampleRecord;
pub use refer::{Reference, references};
pub use report::{Problem, Rank, Report, Severity, SuggestedFix};
pub use sample::{FailureSample, Priority, failure_samples};
pub use size::{Contributor, Fit, Size, size};
pub use validate::{Model, ReadPackage, Reading};
