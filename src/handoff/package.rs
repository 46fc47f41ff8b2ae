//! The packages that two agents pass: read, kept and written back without losing a field.

use super::base::{ContextPackage, HandoffType};
use super::finding::Kind;
use super::shape::Shape;
use crate::Result;
use crate::value::Map as IndexMap;
use crate::value::json::{Field, Json, Object};

/// What the designing agent hands to the running agent.
///
/// ```
/// use tuckbox::handoff::InitToExecute;
/// use tuckbox::value::json::{Field, Json};
///
/// let given = Json::parse(r#"{
///   "handoff_type": "init_to_execute", "timestamp": "2026-01-04T10:30:00",
///   "user_requirement": "leave requests", "design_artifacts": {"rules": "leave/BusinessRules.md"},
///   "ticket": 7}"#)?;
/// let package = InitToExecute::from_json(&Field::root(&given))?;
/// assert_eq!(package.design_artifacts["rules"], "leave/BusinessRules.md");
/// assert!(package.to_json().same_value(&given));      // `ticket` travels along
/// assert!(package.dump().get("metadata").is_some());  // defaults written out
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct InitToExecute {
    /// What every package has.
    pub base: ContextPackage,
    /// What the user asked for, word for word.
    pub user_requirement: String,
    /// Name to path, relative to the package's root.
    pub design_artifacts: IndexMap<String, String>,
    /// Why the design is as it is.
    pub design_rationale: Option<String>,
    /// How the design came to be.
    pub design_iterations: Option<Vec<Object>>,
    /// What must hold.
    pub known_constraints: Option<Vec<String>>,
}

const INIT_FIELDS: [&str; 9] = [
    "version",
    "handoff_type",
    "timestamp",
    "metadata",
    "user_requirement",
    "design_artifacts",
    "design_rationale",
    "design_iterations",
    "known_constraints",
];

impl InitToExecute {
    /// A package with the required fields; set the others on the value.
    pub fn new(timestamp: impl Into<String>, user_requirement: impl Into<String>) -> Self {
        let mut base = ContextPackage::new(HandoffType::InitToExecute, timestamp);
        base.unset.extend(INIT_FIELDS.into_iter().skip(6));
        Self {
            base,
            user_requirement: user_requirement.into(),
            design_artifacts: IndexMap::default(),
            design_rationale: None,
            design_iterations: None,
            known_constraints: None,
        }
    }

    /// Reads a package.
    ///
    /// # Errors
    /// `invalid_content` with every wrong field in `details.errors`.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let mut shape = Shape::of(field.json(), field.path(), Kind::ModelType)
            .map_err(|findings| findings.refusal("the package"))?;
        let only = Some(HandoffType::InitToExecute);
        let mut base = ContextPackage::read(&mut shape, only, &INIT_FIELDS);
        base.unset.extend(INIT_FIELDS.into_iter().skip(6).filter(|key| !shape.has(key)));
        let package = Self {
            base,
            user_requirement: shape.string("user_requirement"),
            design_artifacts: shape.strings_by_name("design_artifacts"),
            design_rationale: shape.maybe_string("design_rationale"),
            design_iterations: shape.maybe_dicts("design_iterations"),
            known_constraints: shape.maybe_strings("known_constraints"),
        };
        shape.into_findings().accepted("the package")?;
        Ok(package)
    }

    fn own(&self) -> Vec<(&'static str, Json)> {
        let artifacts = self.design_artifacts.iter();
        vec![
            ("user_requirement", self.user_requirement.as_str().into()),
            (
                "design_artifacts",
                Json::Object(artifacts.map(|(k, v)| (k.clone(), v.as_str().into())).collect()),
            ),
            ("design_rationale", self.design_rationale.clone().into()),
            ("design_iterations", self.design_iterations.clone().into()),
            ("known_constraints", self.known_constraints.clone().into()),
        ]
    }

    /// The package as it was given: fields left to their default stay away.
    pub fn to_json(&self) -> Json {
        self.base.write(self.own(), false)
    }

    /// The package with every default written out.
    pub fn dump(&self) -> Json {
        self.base.write(self.own(), true)
    }
}

/// What the running agent hands back to the designing agent.
///
/// ```
/// use tuckbox::handoff::{ExecuteToInit, Package};
/// # use tuckbox::handoff::example;
/// # use tuckbox::value::json::{Field, Json};
/// let made = ExecuteToInit::new("2026-01-04T15:30:00", "leave/execution_outputs/iteration_12");
/// assert!(made.failure_samples_index.is_empty());
///
/// let given = Json::parse(example::EXECUTE_TO_INIT)?;
/// let Package::ExecuteToInit(package) = Package::from_json(&Field::root(&given))? else { panic!() };
/// assert_eq!(package.failure_samples_index.len(), 2);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ExecuteToInit {
    /// What every package has.
    pub base: ContextPackage,
    /// Where the iteration's files are, relative to the package's root.
    pub execution_output_dir: String,
    /// Why it comes back.
    pub trigger_reason: String,
    /// Counts and qualities of the iteration.
    pub iteration_summary: Object,
    /// One entry a failed sample: ids, paths below the output directory and key figures.
    pub failure_samples_index: Vec<Object>,
    /// Where the problems report is, below the output directory.
    pub layer1_problems_report_path: String,
    /// The three to five changes that matter most.
    pub modification_suggestions_summary: Vec<String>,
}

const EXECUTE_FIELDS: [&str; 10] = [
    "version",
    "handoff_type",
    "timestamp",
    "metadata",
    "execution_output_dir",
    "trigger_reason",
    "iteration_summary",
    "failure_samples_index",
    "layer1_problems_report_path",
    "modification_suggestions_summary",
];

impl ExecuteToInit {
    /// A package with its places; set the others on the value.
    pub fn new(timestamp: impl Into<String>, execution_output_dir: impl Into<String>) -> Self {
        Self {
            base: ContextPackage::new(HandoffType::ExecuteToInit, timestamp),
            execution_output_dir: execution_output_dir.into(),
            trigger_reason: String::new(),
            iteration_summary: Object::default(),
            failure_samples_index: Vec::new(),
            layer1_problems_report_path: super::layout::REPORT.to_owned(),
            modification_suggestions_summary: Vec::new(),
        }
    }

    /// Reads a package.
    ///
    /// # Errors
    /// `invalid_content` with every wrong field in `details.errors`.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let mut shape = Shape::of(field.json(), field.path(), Kind::ModelType)
            .map_err(|findings| findings.refusal("the package"))?;
        let only = Some(HandoffType::ExecuteToInit);
        let package = Self {
            base: ContextPackage::read(&mut shape, only, &EXECUTE_FIELDS),
            execution_output_dir: shape.string("execution_output_dir"),
            trigger_reason: shape.string("trigger_reason"),
            iteration_summary: shape.dict("iteration_summary"),
            failure_samples_index: shape.dicts("failure_samples_index"),
            layer1_problems_report_path: shape.string("layer1_problems_report_path"),
            modification_suggestions_summary: shape.strings("modification_suggestions_summary"),
        };
        shape.into_findings().accepted("the package")?;
        Ok(package)
    }

    fn own(&self, with_index: bool) -> Vec<(&'static str, Json)> {
        let index = with_index
            .then(|| ("failure_samples_index", self.failure_samples_index.clone().into()));
        let mut fields = vec![
            ("execution_output_dir", self.execution_output_dir.as_str().into()),
            ("trigger_reason", self.trigger_reason.as_str().into()),
            ("iteration_summary", Json::Object(self.iteration_summary.clone())),
        ];
        fields.extend(index);
        fields.extend([
            ("layer1_problems_report_path", self.layer1_problems_report_path.as_str().into()),
            (
                "modification_suggestions_summary",
                self.modification_suggestions_summary.clone().into(),
            ),
        ]);
        fields
    }

    /// The package without its index, whose entries are read case by case.
    pub(super) fn head(&self) -> Json {
        self.base.write(self.own(false), false)
    }

    /// The package as it was given: fields left to their default stay away.
    pub fn to_json(&self) -> Json {
        self.base.write(self.own(true), false)
    }

    /// The package with every default written out.
    pub fn dump(&self) -> Json {
        self.base.write(self.own(true), true)
    }
}

/// A package of either type.
///
/// Shown by the [example of the module](super).
#[derive(Clone, Debug, PartialEq)]
pub enum Package {
    /// From the designing to the running agent.
    InitToExecute(InitToExecute),
    /// From the running back to the designing agent.
    ExecuteToInit(ExecuteToInit),
}

impl Package {
    /// Reads a package by its `handoff_type`.
    ///
    /// # Errors
    /// `invalid_content` with every wrong field in `details.errors`; under an unknown type these
    /// are the fields that every package has.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let named = field.json().get("handoff_type").and_then(Json::as_str);
        match HandoffType::WORDS.iter().find(|(word, _)| Some(*word) == named) {
            Some((_, HandoffType::InitToExecute)) => {
                InitToExecute::from_json(field).map(Self::InitToExecute)
            }
            Some((_, HandoffType::ExecuteToInit)) => {
                ExecuteToInit::from_json(field).map(Self::ExecuteToInit)
            }
            None => match ContextPackage::from_json(field) {
                Err(error) => Err(error),
                // a base without a known type does not pass
                Ok(base) => Err(field.error(format!(
                    "a package of type `{}` needs its own fields",
                    base.handoff_type.as_str()
                ))),
            },
        }
    }

    /// What every package has.
    pub fn base(&self) -> &ContextPackage {
        match self {
            Self::InitToExecute(package) => &package.base,
            Self::ExecuteToInit(package) => &package.base,
        }
    }

    /// The package as it was given: fields left to their default stay away.
    pub fn to_json(&self) -> Json {
        match self {
            Self::InitToExecute(package) => package.to_json(),
            Self::ExecuteToInit(package) => package.to_json(),
        }
    }

    /// The package with every default written out.
    pub fn dump(&self) -> Json {
        match self {
            Self::InitToExecute(package) => package.dump(),
            Self::ExecuteToInit(package) => package.dump(),
        }
    }
}

super::base::serialize_as_given!(InitToExecute, ExecuteToInit, Package);
