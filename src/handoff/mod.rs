//! Handoff packages: two agents exchange paths and indexes, and load files on demand.
//!
//! One agent designs; another agent executes the design and reports failures. **All content is in
//! the store. The package that they exchange has only paths and indexes.** The receiver reads as
//! much as its budget allows, in a fixed order.
//!
//! | input | result | API |
//! |---|---|---|
//! | JSON | a package, or all errors at once | [`ReadHandoff`], [`Package::from_json`] |
//! | a package and its report | findings | [`verify`], [`CheckHandoff`] |
//! | the records of an iteration | files, index, report, package | [`Iteration::build`] |
//! | a package and its files | one batch for the store | [`StoreHandoff`] |
//! | a package and the stored files | dangling references, missing files, orphans | [`AuditHandoff`] |
//! | a package and a token budget | what to read, in which order, at which level | [`PlanHandoff::plan`] |
//! | a package, a budget and a store | the context, with an account | [`LoadHandoff`] |
//! | a package | a box of cards for the prompt of the receiver | [`MakeHandoffCards`] |
//!
//! # From the design agent to the execution agent
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
//! # From the execution agent to the design agent
//!
//! ```
//! use tuckbox::handoff::{example, Excerpt, Package, PlanHandoff, Report, HandoffPart};
//! use tuckbox::value::json::{Field, Json};
//! use tuckbox::prompt::tokens::Estimate;
//!
//! // the protocol's own second example, and its report
//! let package = Json::parse(example::EXECUTE_TO_INIT)?;
//! let report = Json::parse(example::LAYER1_PROBLEMS_REPORT)?;
//! let package = Package::from_json(&Field::root(&package))?;
//! let report = Report::from_json(&Field::root(&report))?;
//!
//! let plan = PlanHandoff::new(package, Some(report)).plan(&Estimate)?;
//! assert!(plan.spent <= 40_000 && plan.left_out.is_empty());
//! let read: Vec<HandoffPart> = plan.steps.iter().take(4).map(|step| step.read).collect();
//! assert_eq!(read, [HandoffPart::Package, HandoffPart::Report, HandoffPart::Entry, HandoffPart::Evaluation]);
//! // the typical case of the first problem comes first
//! assert_eq!(plan.steps[3].reason.typical_of.as_deref(), Some("L1P_001"));
//! assert_eq!(plan.steps[3].cut, Excerpt::Whole);
//! # Ok::<(), tuckbox::Error>(())
//! ```
//!
//! *Architecture invariant:* reading is lenient, as in the reference systems. Plans, loads and
//! stores reject a package that [`verify`] rejects. Paths never leave the root of the package: see
//! [`ArtifactPath`].

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

pub use audit::{AuditHandoff, HandoffAudit, audit};
pub use base::{ContextPackage, HandoffType, VERSION};
pub use build::{ArtifactFile, BuiltHandoff, Iteration};
pub use cards::{CardContent, HandoffBox, MakeHandoffCards};
pub use check::{CheckHandoff, HandoffCheck, verify};
pub use excerpt::Excerpt;
pub use finding::{Finding, Findings, Kind, Weight};
pub use layout::{FAILURE_SUMMARY, Part, Place, REPORT};
pub use load::{LoadHandoff, LoadedHandoff, MissingFile, Piece};
pub use order::{Depth, HandoffPart, Reason};
pub use package::{ExecuteToInit, InitToExecute, Package};
pub use path::{ArtifactPath, PathFault};
pub use persist::{StoreHandoff, StoredHandoff};
pub use plan::{DEFAULT_BUDGET, Guess, LoadStep, Omission, OmissionReason, Plan, PlanHandoff};
pub use record::SampleRecord;
pub use refer::{Reference, references};
pub use report::{Problem, Rank, Report, Severity, SuggestedFix};
pub use sample::{FailureSample, Priority, failure_samples};
pub use size::{Contributor, Fit, Size, size};
pub use validate::{Model, ReadHandoff, ReadPackage};
