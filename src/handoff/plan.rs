//! Load plans: what to read, in which order, at which level, what it costs, and what is omitted.
//!
//! A plan needs only the package and a budget, and can use the report. A [`Guess`] estimates files
//! without a measured size; pass `sizes` if the sizes are known.

use super::check;
use super::detail::Detail;
use super::excerpt::Excerpt;
use super::finding::Findings;
use super::items::{Costs, KnownCost, items};
use super::layout::Part;
use super::order::{Climb, Depth, HandoffPart, Item, Reason, climb};
use super::package::Package;
use super::path::ArtifactPath;
use super::report::Report;
use super::sample::FailureSample;
use crate::Result;
use crate::prompt::tokens::Counter;
use crate::value::Map as IndexMap;
use crate::value::arguments::{OrText, arguments};
use serde::Serialize;

/// The budget that the protocol suggests, in tokens.
///
/// Shown by the example of [`Plan`].
pub const DEFAULT_BUDGET: u64 = 40_000;

/// The estimated tokens of files without a measured size.
///
/// ```
/// use tuckbox::handoff::Guess;
///
/// // the turns of this host are long
/// let guess = Guess { turn: 600, ..Guess::default() };
/// assert!(guess.turn > Guess::default().turn && guess.turns == Guess::default().turns);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guess {
    /// A sample.
    pub sample: u64,
    /// An evaluation.
    pub evaluation: u64,
    /// An attribution.
    pub attribution: u64,
    /// One turn of a conversation.
    pub turn: u64,
    /// The number of turns, if an index entry does not have it.
    pub turns: u64,
    /// A report that was not read.
    pub report: u64,
    /// A design artifact.
    pub artifact: u64,
}

impl Default for Guess {
    fn default() -> Self {
        Self {
            sample: 400,
            evaluation: 300,
            attribution: 400,
            turn: 120,
            turns: 12,
            report: 2_000,
            artifact: 2_000,
        }
    }
}

impl Guess {
    /// Returns the levels of a part, whose tokens can be known.
    pub(super) fn part(&self, part: Part, sample: &FailureSample, size: Option<u64>) -> Detail {
        match part {
            Part::Sample => Detail::Text { tokens: size.unwrap_or(self.sample) },
            Part::Evaluation => Detail::Text { tokens: size.unwrap_or(self.evaluation) },
            Part::Attribution => Detail::Text { tokens: size.unwrap_or(self.attribution) },
            Part::Trace => {
                let turns = sample.conversation_turns.unwrap_or(self.turns);
                let tokens = size.unwrap_or_else(|| turns.saturating_mul(self.turn));
                Detail::Turns { turns, tokens }
            }
        }
    }
}

arguments! {
    /// Plans what to read of a handoff package within a token budget.
    ///
    /// ```
    /// use tuckbox::Json;
    /// use tuckbox::handoff::PlanHandoff;
    /// use tuckbox::prompt::tokens::Estimate;
    ///
    /// let call = Json::parse(r#"{"budget": 3000, "package": {
    ///   "handoff_type": "execute_to_init", "timestamp": "t", "execution_output_dir": "out",
    ///   "trigger_reason": "r", "iteration_summary": {}, "layer1_problems_report_path": "layer1_problems_report.json",
    ///   "modification_suggestions_summary": ["a", "b", "c"],
    ///   "failure_samples_index": [{"sample_id": "S1", "trace_path": "execution_traces/S1_trace.json",
    ///                              "conversation_turns": 400, "priority": "high"}]}}"#)?;
    /// let plan = PlanHandoff::from_json(&call)?.plan(&Estimate)?;
    /// assert!(plan.spent <= 3000);
    /// assert_eq!(plan.steps[1].path.as_ref().unwrap().as_str(), "out/layer1_problems_report.json");
    /// assert_eq!(plan.steps[3].path.as_ref().unwrap().as_str(), "out/execution_traces/S1_trace.json");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct PlanHandoff {
        /// The package.
        pub package: Package,
        /// The report that the package refers to.
        pub report: Option<OrText<Report>>,
        /// The maximum number of tokens.
        pub budget: u64 = DEFAULT_BUDGET,
        /// How much of the package to read.
        pub depth: Depth = Depth::AllCases,
        /// The measured tokens of files, by path from the root of the package. Other files are estimated.
        pub sizes: IndexMap<String, u64> = IndexMap::default(),
        setting guess: Guess,
    }
}

/// A step of a plan.
///
/// Shown by the [example of the module](super).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadStep {
    /// The part to read.
    pub read: HandoffPart,
    /// The path, relative to the root of the package. Missing for content of the package itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<ArtifactPath>,
    /// The sample or artifact that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The excerpt to keep.
    pub cut: Excerpt,
    /// The tokens of the excerpt.
    pub tokens: u64,
    /// The tokens of the whole part.
    pub whole_tokens: u64,
    /// The reason for its position.
    pub reason: Reason,
}

/// The reason why a part is omitted.
///
/// Shown by the example of [`Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OmissionReason {
    /// The budget is used up before it.
    Budget,
    /// The requested depth excludes it.
    Depth,
}

/// The parts of a sample or of the package that are omitted.
///
/// Shown by the example of [`Plan`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Omission {
    /// The sample or artifact that they belong to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The omitted parts.
    pub parts: Vec<HandoffPart>,
    /// The tokens of the whole parts.
    pub tokens: u64,
    /// The reason.
    pub because: OmissionReason,
}

/// A load plan. `spent` is the sum of its steps and at most `budget`.
///
/// ```
/// use tuckbox::handoff::{DEFAULT_BUDGET, Depth, OmissionReason, PlanHandoff};
/// use tuckbox::prompt::tokens::Estimate;
/// # use tuckbox::handoff::{Package, example};
/// # use tuckbox::value::json::{Field, Json};
/// # let package = Package::from_json(&Field::root(&Json::parse(example::EXECUTE_TO_INIT)?))?;
/// let planning = PlanHandoff::new(package, None);
/// assert_eq!((planning.budget, planning.depth), (DEFAULT_BUDGET, Depth::AllCases));
/// let plan = PlanHandoff { depth: Depth::ReportSummary, ..planning }.plan(&Estimate)?;
/// assert!(plan.spent <= plan.budget);
/// assert_eq!(plan.left_out[0].because, OmissionReason::Depth);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// The maximum number of tokens.
    pub budget: u64,
    /// The tokens of all steps.
    pub spent: u64,
    /// The requested depth.
    pub depth: Depth,
    /// The steps, in order.
    pub steps: Vec<LoadStep>,
    /// The parts that are omitted.
    pub left_out: Vec<Omission>,
    /// The findings.
    pub findings: Findings,
}

impl PlanHandoff {
    /// Returns a call for the whole package, with the default budget.
    pub fn new(package: Package, report: Option<Report>) -> Self {
        Self {
            package,
            report,
            budget: DEFAULT_BUDGET,
            depth: Depth::default(),
            sizes: IndexMap::default(),
            guess: Guess::default(),
        }
    }

    /// Makes the plan. The same input gives the same plan, and a larger budget never reads less.
    ///
    /// # Errors
    /// `invalid_content` for a package or report that [`verify`](super::verify) rejects.
    pub fn plan(&self, counter: &dyn Counter) -> Result<Plan> {
        let findings = check::verify_call(&self.package, self.report.as_ref())?;
        let items = items(&self.package, self.report.as_ref(), counter, self)?;
        let climbed = climb(&items, self.budget, self.depth);
        Ok(describe(&items, &climbed, self.budget, self.depth, findings))
    }
}

impl Costs for PlanHandoff {
    fn part(&self, path: &ArtifactPath, part: Part, sample: &FailureSample) -> Option<KnownCost> {
        let size = self.sizes.get(path.as_str()).copied();
        Some(KnownCost { detail: self.guess.part(part, sample, size), at_hand: true })
    }

    fn artifact(&self, path: &ArtifactPath, _: &str) -> Option<KnownCost> {
        let tokens = self.sizes.get(path.as_str()).copied().unwrap_or(self.guess.artifact);
        Some(KnownCost { detail: Detail::Text { tokens }, at_hand: true })
    }

    fn report(&self, path: &ArtifactPath) -> Detail {
        let tokens = self.sizes.get(path.as_str()).copied().unwrap_or(self.guess.report);
        Detail::Text { tokens }
    }
}

pub(super) fn describe(
    items: &[Item],
    climbed: &Climb,
    budget: u64,
    depth: Depth,
    findings: Findings,
) -> Plan {
    let mut steps = Vec::new();
    let mut left_out: Vec<Omission> = Vec::new();
    for (item, level) in items.iter().zip(&climbed.levels) {
        match level {
            Some(level) => steps.push(LoadStep {
                read: item.what,
                path: item.path.clone(),
                name: item.name.clone(),
                cut: item.detail.cut(*level),
                tokens: item.detail.cost(*level),
                whole_tokens: item.detail.whole(),
                reason: item.reason.clone(),
            }),
            None => leave_out(item, depth, &mut left_out),
        }
    }
    Plan { budget, spent: climbed.spent, depth, steps, left_out, findings }
}

fn leave_out(item: &Item, depth: Depth, left_out: &mut Vec<Omission>) {
    let because = if item.depth > depth { OmissionReason::Depth } else { OmissionReason::Budget };
    let tokens = item.detail.whole();
    match left_out.last_mut() {
        Some(last) if item.name.is_some() && last.name == item.name => {
            last.parts.push(item.what);
            last.tokens = last.tokens.saturating_add(tokens);
        }
        Some(_) | None => left_out.push(Omission {
            name: item.name.clone(),
            parts: vec![item.what],
            tokens,
            because,
        }),
    }
}
