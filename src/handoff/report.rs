//! The problems report, `layer1_problems_report.json`: problems of the design, their size, and
//! fixes.

use super::finding::{Findings, Kind};
use super::shape::Shape;
use crate::value::Map as IndexMap;
use crate::value::arguments::Argument;
use crate::value::json::{Field, Json, Number, Object};
use crate::value::sort::sort_by_key;
use crate::{Path, Result};
use serde::{Serialize, Serializer};
use std::cmp::Reverse;

/// The severity of a problem.
///
/// Shown by the example of [`Report`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Nothing works until it is fixed.
    Critical,
    /// Most affected samples fail.
    High,
    /// Some affected samples fail.
    Medium,
    /// A minor flaw.
    Low,
}

impl Severity {
    pub(super) const WORDS: [(&'static str, Self); 4] = [
        ("critical", Self::Critical),
        ("high", Self::High),
        ("medium", Self::Medium),
        ("low", Self::Low),
    ];

    /// Returns the severity as on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// A change that solves a problem.
///
/// Shown by the example of [`Report`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SuggestedFix {
    /// The file to change.
    pub target: String,
    /// The section of the file.
    pub section: String,
    /// The text to write there.
    pub modification: String,
    /// The reason why it helps.
    pub rationale: String,
    /// The fields that the model does not declare.
    pub extra: Object,
}

/// A problem of the design.
///
/// Shown by the example of [`Report`].
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The id of the problem within the report.
    pub problem_id: String,
    /// The kind of problem.
    pub problem_type: String,
    /// The severity.
    pub severity: Severity,
    /// A short title.
    pub title: String,
    /// One or two sentences.
    pub description: String,
    /// The samples that failed because of it. A last `...` means that the list is shortened.
    pub affected_samples: Vec<String>,
    /// The number of these samples.
    pub affected_count: u64,
    /// The evidence from these samples.
    pub evidence_summary: String,
    /// The sample to read first.
    pub typical_case_id: String,
    /// The suggested fix.
    pub suggested_fix: SuggestedFix,
    /// The fields that the model does not declare.
    pub extra: Object,
}

impl Problem {
    /// Returns true if the list of samples is shortened with `...`.
    pub fn is_elided(&self) -> bool {
        self.affected_samples.last().is_some_and(|last| matches!(last.as_str(), "..." | "…"))
    }

    /// Returns the samples that the list names.
    pub(crate) fn listed_samples(&self) -> &[String] {
        let listed = self.affected_samples.len() - usize::from(self.is_elided());
        self.affected_samples.get(..listed).unwrap_or_default()
    }

    /// Returns the problem as JSON.
    pub fn to_json(&self) -> Json {
        self.fields(true)
    }

    /// Returns the problem without its list of samples.
    pub(super) fn summary(&self) -> Json {
        self.fields(false)
    }

    fn fields(&self, with_samples: bool) -> Json {
        let samples = with_samples.then(|| self.affected_samples.clone());
        let mut problem = object(
            [
                ("problem_id", self.problem_id.as_str().into()),
                ("problem_type", self.problem_type.as_str().into()),
                ("severity", self.severity.as_str().into()),
                ("title", self.title.as_str().into()),
                ("description", self.description.as_str().into()),
                ("affected_samples", samples.into()),
                ("affected_count", self.affected_count.into()),
                ("evidence_summary", self.evidence_summary.as_str().into()),
                ("typical_case_id", self.typical_case_id.as_str().into()),
                ("suggested_fix", self.suggested_fix.to_json()),
            ],
            &self.extra,
        );
        if let (Json::Object(problem), false) = (&mut problem, with_samples) {
            problem.remove("affected_samples");
        }
        problem
    }
}

impl SuggestedFix {
    /// Returns the fix as JSON.
    pub fn to_json(&self) -> Json {
        object(
            [
                ("target", self.target.as_str().into()),
                ("section", self.section.as_str().into()),
                ("modification", self.modification.as_str().into()),
                ("rationale", self.rationale.as_str().into()),
            ],
            &self.extra,
        )
    }
}

/// The rank of a problem.
///
/// Shown by the example of [`Report`].
#[derive(Clone, Debug, PartialEq)]
pub struct Rank {
    /// The rank; 1 is the first.
    pub priority: u64,
    /// The id of the problem.
    pub problem_id: String,
    /// The effect of solving it.
    pub impact: String,
    /// The expected improvement.
    pub estimated_improvement: String,
    /// The fields that the model does not declare.
    pub extra: Object,
}

impl Rank {
    /// Returns the rank as JSON.
    pub fn to_json(&self) -> Json {
        object(
            [
                ("priority", self.priority.into()),
                ("problem_id", self.problem_id.as_str().into()),
                ("impact", self.impact.as_str().into()),
                ("estimated_improvement", self.estimated_improvement.as_str().into()),
            ],
            &self.extra,
        )
    }
}

/// The problems report of one iteration.
///
/// ```
/// use tuckbox::handoff::{Report, Severity, example};
/// use tuckbox::value::json::{Field, Json};
///
/// let report = Report::from_json(&Field::root(&Json::parse(example::LAYER1_PROBLEMS_REPORT)?))?;
/// let first = report.in_order()[0];
/// assert_eq!(first.problem_id, report.modification_priority[0].problem_id);
/// assert!(first.severity != Severity::Low && first.is_elided());
/// assert!(!first.suggested_fix.modification.is_empty());
/// assert!(!report.modification_priority[0].estimated_improvement.is_empty());
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The version of the report's schema.
    pub report_version: String,
    /// The creation time. Its format is not checked.
    pub generated_at: String,
    /// The number of the iteration.
    pub iteration: u64,
    /// The number of samples.
    pub total_samples: u64,
    /// The number of failed samples.
    pub failed_samples: u64,
    /// The share of failed samples, with the digits that the report has.
    pub failure_rate: Number,
    /// The problems.
    pub layer1_problems: Vec<Problem>,
    /// The order in which to solve them.
    pub modification_priority: Vec<Rank>,
    /// The fields that the model does not declare.
    pub extra: Object,
}

impl Report {
    /// Reads a report.
    ///
    /// # Errors
    /// `invalid_content` with every wrong field in `details.errors`.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        Self::read(field.json(), field.path())
    }

    /// Reads a report whose path is `path`.
    pub(super) fn read(json: &Json, path: Path) -> Result<Self> {
        let mut shape = Shape::of(json, path, Kind::ModelType)
            .map_err(|findings| findings.refusal("the report"))?;
        let report = Self {
            report_version: shape.string("report_version"),
            generated_at: shape.string("generated_at"),
            iteration: shape.count("iteration"),
            total_samples: shape.count("total_samples"),
            failed_samples: shape.count("failed_samples"),
            failure_rate: shape.rate("failure_rate"),
            layer1_problems: each(&mut shape, "layer1_problems", problem),
            modification_priority: each(&mut shape, "modification_priority", rank),
            extra: shape.extra(&[
                "report_version",
                "generated_at",
                "iteration",
                "total_samples",
                "failed_samples",
                "failure_rate",
                "layer1_problems",
                "modification_priority",
            ]),
        };
        shape.into_findings().accepted("the report")?;
        Ok(report)
    }

    /// Returns the report as JSON, extra fields last.
    pub fn to_json(&self) -> Json {
        let problems = self.layer1_problems.iter().map(Problem::to_json).collect();
        let ranks = self.modification_priority.iter().map(Rank::to_json).collect();
        let mut report = self.numbers();
        report.insert("layer1_problems".to_owned(), Json::Array(problems));
        report.insert("modification_priority".to_owned(), Json::Array(ranks));
        report.extend(self.extra.clone());
        Json::Object(report)
    }

    /// Returns the numbers of the report, without problems and ranks.
    pub(super) fn head(&self) -> Json {
        let mut head = self.numbers();
        head.extend(self.extra.clone());
        Json::Object(head)
    }

    fn numbers(&self) -> Object {
        Object::from_iter([
            ("report_version".to_owned(), self.report_version.as_str().into()),
            ("generated_at".to_owned(), self.generated_at.as_str().into()),
            ("iteration".to_owned(), self.iteration.into()),
            ("total_samples".to_owned(), self.total_samples.into()),
            ("failed_samples".to_owned(), self.failed_samples.into()),
            ("failure_rate".to_owned(), Json::Number(self.failure_rate.clone())),
        ])
    }

    /// Returns the problems in reading order: by rank, then by severity, then by the number of
    /// samples, then by position.
    pub fn in_order(&self) -> Vec<&Problem> {
        let ranks: IndexMap<&str, u64> = self
            .modification_priority
            .iter()
            .rev()
            .map(|rank| (rank.problem_id.as_str(), rank.priority))
            .collect();
        let mut problems: Vec<&Problem> = self.layer1_problems.iter().collect();
        sort_by_key(&mut problems, |problem| {
            let rank = ranks.get(problem.problem_id.as_str()).copied().unwrap_or(u64::MAX);
            (rank, problem.severity, Reverse(problem.affected_count))
        });
        problems
    }
}

impl Argument for Report {
    fn read(field: &Field<'_>) -> Result<Self> {
        Self::from_json(field)
    }
}

shape! {
    /// The problems report: `layer1_problems_report.json`. Unknown fields are kept.
    pub struct Report {
        /// The version of the report's schema.
        pub report_version: String,
        /// The creation time. Its format is not checked.
        pub generated_at: String,
        /// The number of the iteration.
        pub iteration: u64,
        /// The number of samples.
        pub total_samples: u64,
        /// The number of failed samples.
        pub failed_samples: u64,
        /// The share of failed samples.
        pub failure_rate: NonNegative,
        /// The problems.
        pub layer1_problems: Vec<Problem>,
        /// The order in which to solve them.
        pub modification_priority: Vec<Rank>,
        #[serde(flatten)]
        pub extra: Object,
    }

    /// A problem of the design. Unknown fields are kept.
    pub struct Problem {
        /// The id of the problem within the report.
        pub problem_id: String,
        /// The kind of problem.
        pub problem_type: String,
        pub severity: Severity,
        pub title: String,
        pub description: String,
        /// The ids of the affected samples. A last `...` means that the list is shortened.
        pub affected_samples: Vec<String>,
        /// The number of affected samples.
        pub affected_count: u64,
        pub evidence_summary: String,
        /// The sample to read first.
        pub typical_case_id: String,
        pub suggested_fix: SuggestedFix,
        #[serde(flatten)]
        pub extra: Object,
    }

    pub struct SuggestedFix {
        pub target: String,
        pub section: String,
        pub modification: String,
        pub rationale: String,
        #[serde(flatten)]
        pub extra: Object,
    }

    pub struct Rank {
        pub priority: u64,
        pub problem_id: String,
        pub impact: String,
        pub estimated_improvement: String,
        #[serde(flatten)]
        pub extra: Object,
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

fn each<T>(
    shape: &mut Shape<'_>,
    key: &str,
    read: fn(&Json, Path) -> Result<T, Findings>,
) -> Vec<T> {
    let path = shape.path().key(key);
    let mut values = Vec::new();
    for (index, item) in shape.items(key).iter().enumerate() {
        match read(item, path.index(index)) {
            Ok(value) => values.push(value),
            Err(findings) => shape.absorb(findings),
        }
    }
    values
}

fn sound<T>(value: T, shape: Shape<'_>) -> Result<T, Findings> {
    let findings = shape.into_findings();
    if findings.is_accepted() { Ok(value) } else { Err(findings) }
}

fn problem(value: &Json, path: Path) -> Result<Problem, Findings> {
    let mut shape = Shape::of(value, path, Kind::DictType)?;
    let problem = Problem {
        problem_id: shape.string("problem_id"),
        problem_type: shape.string("problem_type"),
        // a wrong word is a finding, so the value is not used
        severity: shape.literal("severity", &Severity::WORDS).unwrap_or(Severity::Low),
        title: shape.string("title"),
        description: shape.string("description"),
        affected_samples: shape.strings("affected_samples"),
        affected_count: shape.count("affected_count"),
        evidence_summary: shape.string("evidence_summary"),
        typical_case_id: shape.string("typical_case_id"),
        suggested_fix: fix(&mut shape),
        extra: shape.extra(&[
            "problem_id",
            "problem_type",
            "severity",
            "title",
            "description",
            "affected_samples",
            "affected_count",
            "evidence_summary",
            "typical_case_id",
            "suggested_fix",
        ]),
    };
    sound(problem, shape)
}

fn fix(outer: &mut Shape<'_>) -> SuggestedFix {
    let Some(value) = outer.object().get("suggested_fix") else {
        outer.missing("suggested_fix");
        return SuggestedFix::default();
    };
    let read = Shape::of(value, outer.path().key("suggested_fix"), Kind::DictType);
    let read = read.and_then(|mut shape| {
        let fix = SuggestedFix {
            target: shape.string("target"),
            section: shape.string("section"),
            modification: shape.string("modification"),
            rationale: shape.string("rationale"),
            extra: shape.extra(&["target", "section", "modification", "rationale"]),
        };
        sound(fix, shape)
    });
    read.unwrap_or_else(|findings| {
        outer.absorb(findings);
        SuggestedFix::default()
    })
}

fn rank(value: &Json, path: Path) -> Result<Rank, Findings> {
    let mut shape = Shape::of(value, path, Kind::DictType)?;
    let rank = Rank {
        priority: shape.count("priority"),
        problem_id: shape.string("problem_id"),
        impact: shape.string("impact"),
        estimated_improvement: shape.string("estimated_improvement"),
        extra: shape.extra(&["priority", "problem_id", "impact", "estimated_improvement"]),
    };
    sound(rank, shape)
}

fn object<const N: usize>(known: [(&str, Json); N], extra: &Object) -> Json {
    let mut object = Object::default();
    object.extend(known.into_iter().map(|(key, value)| (key.to_owned(), value)));
    object.extend(extra.clone());
    Json::Object(object)
}
