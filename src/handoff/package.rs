//! The packages that two agents exchange. Unknown fields are kept.

use super::base::{ContextPackage, HandoffType};
use super::finding::Kind;
use super::shape::Shape;
use crate::Result;
use crate::value::Map as IndexMap;
use crate::value::arguments::Argument;
use crate::value::json::{Field, Json, Object};

/// A package from the design agent to the execution agent.
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
    /// The fields that every package has.
    pub base: ContextPackage,
    /// The request of the user, verbatim.
    pub user_requirement: String,
    /// The path of each artifact by its name, relative to the root of the package.
    pub design_artifacts: IndexMap<String, String>,
    /// The reasons for the design.
    pub design_rationale: Option<String>,
    /// The earlier versions of the design.
    pub design_iterations: Option<Vec<Object>>,
    /// The constraints that the design must satisfy.
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
    /// Returns a package with the required fields.
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

    /// Returns the package as it was read, without defaults.
    pub fn to_json(&self) -> Json {
        self.base.write(self.own(), false)
    }

    /// Returns the package with every default written out.
    pub fn dump(&self) -> Json {
        self.base.write(self.own(), true)
    }
}

/// A package from the execution agent to the design agent.
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
    /// The fields that every package has.
    pub base: ContextPackage,
    /// The directory of the iteration's files, relative to the root of the package.
    pub execution_output_dir: String,
    /// The reason why the package is sent back.
    pub trigger_reason: String,
    /// Counts and quality measurements of the iteration.
    pub iteration_summary: Object,
    /// One entry for each failed sample: ids, paths below the output directory and numbers.
    pub failure_samples_index: Vec<Object>,
    /// The path of the problems report, below the output directory.
    pub layer1_problems_report_path: String,
    /// The three to five most important changes.
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
    /// Returns a package with its paths.
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

    /// Returns the package without its index, whose entries are read case by case.
    pub(super) fn head(&self) -> Json {
        self.base.write(self.own(false), false)
    }

    /// Returns the package as it was read, without defaults.
    pub fn to_json(&self) -> Json {
        self.base.write(self.own(true), false)
    }

    /// Returns the package with every default written out.
    pub fn dump(&self) -> Json {
        self.base.write(self.own(true), true)
    }
}

/// A package of either type.
///
/// Shown by the [example of the module](super).
#[derive(Clone, Debug, PartialEq)]
pub enum Package {
    /// From the design agent to the execution agent.
    InitToExecute(InitToExecute),
    /// From the execution agent to the design agent.
    ExecuteToInit(ExecuteToInit),
}

impl Package {
    /// Reads a package by its `handoff_type`.
    ///
    /// # Errors
    /// `invalid_content` with every wrong field in `details.errors`. For an unknown type these are
    /// the fields that every package has.
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
                // unreachable: without a known type the base is rejected
                Ok(base) => Err(field.error(format!(
                    "a package of type `{}` needs its own fields",
                    base.handoff_type.as_str()
                ))),
            },
        }
    }

    /// Returns the fields that every package has.
    pub fn base(&self) -> &ContextPackage {
        match self {
            Self::InitToExecute(package) => &package.base,
            Self::ExecuteToInit(package) => &package.base,
        }
    }

    /// Returns the package as it was read, without defaults.
    pub fn to_json(&self) -> Json {
        match self {
            Self::InitToExecute(package) => package.to_json(),
            Self::ExecuteToInit(package) => package.to_json(),
        }
    }

    /// Returns the package with every default written out.
    pub fn dump(&self) -> Json {
        match self {
            Self::InitToExecute(package) => package.dump(),
            Self::ExecuteToInit(package) => package.dump(),
        }
    }
}

impl Argument for Package {
    fn read(field: &Field<'_>) -> Result<Self> {
        Self::from_json(field)
    }
}

shape! {
    /// A package from the design agent to the execution agent. Unknown fields are kept.
    pub struct InitToExecute {
        /// The version of the protocol, `2.0` by default. Only `read_handoff` accepts another one.
        pub version: Maybe<String>,
        pub handoff_type: Word<"init_to_execute">,
        /// The creation time. Its format is not checked.
        pub timestamp: String,
        /// Anything else that the sender records.
        pub metadata: Maybe<Object>,
        /// The request of the user, verbatim.
        pub user_requirement: String,
        /// The path of each artifact by its name, relative to the root of the package.
        pub design_artifacts: IndexMap<String, String>,
        /// The reasons for the design.
        pub design_rationale: Maybe<Option<String>>,
        /// The earlier versions of the design.
        pub design_iterations: Maybe<Option<Vec<Object>>>,
        /// The constraints that the design must satisfy.
        pub known_constraints: Maybe<Option<Vec<String>>>,
        #[serde(flatten)]
        pub extra: Object,
    }

    /// A package from the execution agent to the design agent. Unknown fields are kept.
    pub struct ExecuteToInit {
        /// The version of the protocol, `2.0` by default. Only `read_handoff` accepts another one.
        pub version: Maybe<String>,
        pub handoff_type: Word<"execute_to_init">,
        /// The creation time. Its format is not checked.
        pub timestamp: String,
        /// Anything else that the sender records.
        pub metadata: Maybe<Object>,
        /// The directory of the iteration's files, relative to the root of the package.
        pub execution_output_dir: String,
        /// The reason why the package is sent back.
        pub trigger_reason: String,
        /// Counts and quality measurements of the iteration.
        pub iteration_summary: Object,
        /// One entry for each failed sample.
        pub failure_samples_index: Vec<IndexEntry>,
        /// The path of the problems report, below the output directory.
        pub layer1_problems_report_path: String,
        /// The three to five most important changes.
        pub modification_suggestions_summary: Vec<String>,
        #[serde(flatten)]
        pub extra: Object,
    }

    /// A handoff package.
    #[serde(untagged)]
    pub enum Package {
        InitToExecute(InitToExecute),
        ExecuteToInit(ExecuteToInit),
        Text(JsonText),
    }
}

super::base::serialize_as_given!(InitToExecute, ExecuteToInit, Package);
