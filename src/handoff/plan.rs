//! The load plan: what to read, in which order, how deep, what it costs, what is left out.
//!
//! A plan needs nothing but the package, the report if it is at hand, and a budget. Files that
//! nobody has measured are costed by a [`Guess`]; give `sizes` where the store knows better.

use super::check;
use super::detail::Detail;
use super::excerpt::Excerpt;
use super::finding::Findings;
use super::items::{Costs, Known, items};
use super::layout::Part;
use super::order::{Climbed, Depth, Item, Reason, What, climb};
use super::package::Package;
use super::path::ArtifactPath;
use super::report::Report;
use super::sample::FailureSample;
use crate::Result;
use crate::prompt::tokens::Counter;
use crate::value::Map as IndexMap;
use crate::value::json::Field;
use serde::Serialize;

/// The budget that the protocol suggests.
///
/// Shown by the example of [`Plan`].
pub const DEFAULT_BUDGET: u64 = 40_000;

/// What a file costs that nobody has measured, in tokens.
///
/// ```
/// use tuckbox::handoff::Guess;
///
/// // a host whose conversations have long turns says so
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
    /// The turns of a conversation whose entry does not count them.
    pub turns: u64,
    /// A report that is not at hand.
    pub report: u64,
    /// A design artefact.
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
    /// The levels of a part whose tokens may be known.
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

/// What to plan.
///
/// ```
/// use tuckbox::handoff::Planning;
/// use tuckbox::value::json::{Field, Json};
/// use tuckbox::prompt::tokens::Estimate;
///
/// let call = Json::parse(r#"{"budget": 3000, "package": {
///   "handoff_type": "execute_to_init", "timestamp": "t", "execution_output_dir": "out",
///   "trigger_reason": "r", "iteration_summary": {}, "layer1_problems_report_path": "layer1_problems_report.json",
///   "modification_suggestions_summary": ["a", "b", "c"],
///   "failure_samples_index": [{"sample_id": "S1", "trace_path": "execution_traces/S1_trace.json",
///                              "conversation_turns": 400, "priority": "high"}]}}"#)?;
/// let plan = Planning::from_json(&Field::root(&call))?.plan(&Estimate)?;
/// assert!(plan.spent <= 3000);
/// assert_eq!(plan.steps[1].path.as_ref().unwrap().as_str(), "out/layer1_problems_report.json");
/// assert_eq!(plan.steps[3].path.as_ref().unwrap().as_str(), "out/execution_traces/S1_trace.json");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Planning {
    /// The package.
    pub package: Package,
    /// The report, if it has been read already.
    pub report: Option<Report>,
    /// The most tokens that may be spent.
    pub budget: u64,
    /// How far to read.
    pub depth: Depth,
    /// Tokens of files that were measured, by path from the package's root.
    pub sizes: IndexMap<String, u64>,
    /// Tokens of files that were not.
    pub guess: Guess,
}

/// One thing to read.
///
/// Shown by the [example of the module](super).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadStep {
    /// What it is.
    pub read: What,
    /// Where it is, from the package's root; nothing for what the package itself holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<ArtifactPath>,
    /// The sample or artefact it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How much of it is kept.
    pub cut: Excerpt,
    /// What that costs.
    pub tokens: u64,
    /// What all of it would cost.
    pub whole_tokens: u64,
    /// Why it has its place.
    pub reason: Reason,
}

/// Why something is not in the plan.
///
/// Shown by the example of [`Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LeftOutBecause {
    /// The budget was used up before it.
    Budget,
    /// The plan was not to go that deep.
    Depth,
}

/// What is not read of one sample, or of the package.
///
/// Shown by the example of [`Plan`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeftOut {
    /// The sample or artefact it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What is not read.
    pub parts: Vec<What>,
    /// What reading all of it would cost.
    pub tokens: u64,
    /// Why.
    pub because: LeftOutBecause,
}

/// A plan. `spent` is the sum of its steps and never above `budget`.
///
/// ```
/// use tuckbox::handoff::{DEFAULT_BUDGET, Depth, LeftOutBecause, Planning};
/// use tuckbox::prompt::tokens::Estimate;
/// # use tuckbox::handoff::{Package, example};
/// # use tuckbox::value::json::{Field, Json};
/// # let package = Package::from_json(&Field::root(&Json::parse(example::EXECUTE_TO_INIT)?))?;
/// let planning = Planning::new(package, None);
/// assert_eq!((planning.budget, planning.depth), (DEFAULT_BUDGET, Depth::AllCases));
/// let plan = Planning { depth: Depth::ReportSummary, ..planning }.plan(&Estimate)?;
/// assert!(plan.spent <= plan.budget);
/// assert_eq!(plan.left_out[0].because, LeftOutBecause::Depth);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// The most tokens that may be spent.
    pub budget: u64,
    /// What the steps cost together.
    pub spent: u64,
    /// How far it was to read.
    pub depth: Depth,
    /// What to read, in order.
    pub steps: Vec<LoadStep>,
    /// What is not read.
    pub left_out: Vec<LeftOut>,
    /// What a person should look at.
    pub findings: Findings,
}

impl Planning {
    /// The whole of a package within the suggested budget.
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

    /// Reads `{package, report?, budget?, depth?, sizes?}`.
    ///
    /// # Errors
    /// `bad_request` for what is unknown or mistyped, `invalid_content` for a package or report
    /// that cannot be read.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&["op", "package", "report", "budget", "depth", "sizes"])?;
        let package = Package::from_json(&fields.required("package")?)?;
        let report = fields.optional("report").as_ref().map(Report::from_json).transpose()?;
        let mut planning = Self::new(package, report);
        if let Some(budget) = fields.optional("budget") {
            planning.budget = budget.count()?;
        }
        if let Some(depth) = fields.optional("depth") {
            planning.depth = read_depth(&depth)?;
        }
        if let Some(sizes) = fields.optional("sizes") {
            let sizes = sizes.object()?;
            for path in sizes.json().keys() {
                planning.sizes.insert(path.clone(), sizes.required(path)?.count()?);
            }
        }
        Ok(planning)
    }

    /// Makes the plan. The same input gives the same plan, and a larger budget never reads less of
    /// anything.
    ///
    /// # Errors
    /// `invalid_content` for a package or report that [`verify`](super::verify) refuses.
    pub fn plan(&self, counter: &dyn Counter) -> Result<Plan> {
        let findings = check::verify_call(&self.package, self.report.as_ref())?;
        let items = items(&self.package, self.report.as_ref(), counter, self)?;
        let climbed = climb(&items, self.budget, self.depth);
        Ok(describe(&items, &climbed, self.budget, self.depth, findings))
    }
}

pub(super) fn read_depth(field: &Field<'_>) -> Result<Depth> {
    let word = field.string()?;
    let found = Depth::WORDS.iter().find(|(name, _)| *name == word).map(|(_, depth)| *depth);
    found.ok_or_else(|| {
        field.error(format!(
            "there is no depth `{word}`; `report_summary`, `typical_cases` and `all_cases` are"
        ))
    })
}

impl Costs for Planning {
    fn part(&self, path: &ArtifactPath, part: Part, sample: &FailureSample) -> Option<Known> {
        let size = self.sizes.get(path.as_str()).copied();
        Some(Known { detail: self.guess.part(part, sample, size), at_hand: true })
    }

    fn artifact(&self, path: &ArtifactPath, _: &str) -> Option<Known> {
        let tokens = self.sizes.get(path.as_str()).copied().unwrap_or(self.guess.artifact);
        Some(Known { detail: Detail::Text { tokens }, at_hand: true })
    }

    fn report(&self, path: &ArtifactPath) -> Detail {
        let tokens = self.sizes.get(path.as_str()).copied().unwrap_or(self.guess.report);
        Detail::Text { tokens }
    }
}

pub(super) fn describe(
    items: &[Item],
    climbed: &Climbed,
    budget: u64,
    depth: Depth,
    findings: Findings,
) -> Plan {
    let mut steps = Vec::new();
    let mut left_out: Vec<LeftOut> = Vec::new();
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

fn leave_out(item: &Item, depth: Depth, left_out: &mut Vec<LeftOut>) {
    let because = if item.depth > depth { LeftOutBecause::Depth } else { LeftOutBecause::Budget };
    let tokens = item.detail.whole();
    match left_out.last_mut() {
        Some(last) if item.name.is_some() && last.name == item.name => {
            last.parts.push(item.what);
            last.tokens = last.tokens.saturating_add(tokens);
        }
        Some(_) | None => left_out.push(LeftOut {
            name: item.name.clone(),
            parts: vec![item.what],
            tokens,
            because,
        }),
    }
}
