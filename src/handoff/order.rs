//! The fixed reading order of a package.
//!
//! A plan is the longest prefix of this order that fits the budget. So a larger budget never loads
//! less, and no item is skipped in favor of a later one.

use super::detail::Detail;
use super::layout::Part;
use super::path::ArtifactPath;
use super::report::Report;
use super::sample::{FailureSample, Priority};
use crate::Result;
use crate::value::Map as IndexMap;
use crate::value::arguments::{Argument, read_word};
use crate::value::json::Field;
use crate::value::sort::sort_by_key;
use serde::Serialize;
use std::cmp::Reverse;

/// How much of a package to read.
///
/// Shown by the example of [`Plan`](super::Plan).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// The package and the problems of the report.
    ReportSummary,
    /// Also the typical case of each problem.
    TypicalCases,
    /// Also every other failed sample that fits the budget.
    #[default]
    AllCases,
}

impl Argument for Depth {
    fn read(field: &Field<'_>) -> Result<Self> {
        read_word(
            field,
            &[
                ("report_summary", Self::ReportSummary),
                ("typical_cases", Self::TypicalCases),
                ("all_cases", Self::AllCases),
            ],
        )
    }
}

/// A part of a handoff.
///
/// Shown by the [example of the module](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HandoffPart {
    /// The package itself.
    Package,
    /// The problems report.
    Report,
    /// An entry of the failure index.
    Entry,
    /// A failed sample.
    Sample,
    /// The trace of a sample.
    Trace,
    /// The evaluation of a sample.
    Evaluation,
    /// The attribution of a failure.
    Attribution,
    /// A design artifact.
    Artifact,
}

impl HandoffPart {
    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::Report => "report",
            Self::Entry => "entry",
            Self::Sample => "sample",
            Self::Trace => "trace",
            Self::Evaluation => "evaluation",
            Self::Attribution => "attribution",
            Self::Artifact => "artifact",
        }
    }
}

impl From<Part> for HandoffPart {
    fn from(part: Part) -> Self {
        match part {
            Part::Sample => Self::Sample,
            Part::Trace => Self::Trace,
            Part::Evaluation => Self::Evaluation,
            Part::Attribution => Self::Attribution,
        }
    }
}

/// The reason for a position in the order.
///
/// Shown by the [example of the module](super).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The problem whose typical case this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub typical_of: Option<String>,
    /// The priority of the sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// The number of samples that its largest problem affects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affected_count: Option<u64>,
}

/// A failed sample in the order.
#[derive(Clone, Debug)]
pub(super) struct Case<'a> {
    /// Its position in the index.
    pub(super) index: usize,
    pub(super) sample: &'a FailureSample,
    pub(super) reason: Reason,
}

impl Case<'_> {
    pub(super) fn is_typical(&self) -> bool {
        self.reason.typical_of.is_some()
    }
}

/// Returns the typical cases in the order of their problems, then the others. These are ordered by
/// priority, by the number of samples that their problem affects, and by index.
pub(super) fn cases<'a>(samples: &'a [FailureSample], report: Option<&Report>) -> Vec<Case<'a>> {
    let mut affected: IndexMap<&str, u64> = IndexMap::default();
    let mut typical: IndexMap<&str, &str> = IndexMap::default();
    for problem in report.map(Report::in_order).unwrap_or_default() {
        for id in problem.listed_samples() {
            let count = affected.entry(id).or_default();
            *count = (*count).max(problem.affected_count);
        }
        typical.entry(&problem.typical_case_id).or_insert(&problem.problem_id);
    }
    let mut cases: Vec<Case<'_>> = samples
        .iter()
        .enumerate()
        .map(|(index, sample)| {
            let id = sample.sample_id.as_str();
            let reason = Reason {
                typical_of: typical.get(id).map(|problem| (*problem).to_owned()),
                priority: Some(sample.priority),
                affected_count: affected.get(id).copied(),
            };
            Case { index, sample, reason }
        })
        .collect();
    sort_by_key(&mut cases, |case| {
        let place = typical.get_index_of(case.sample.sample_id.as_str()).unwrap_or(usize::MAX);
        (place, case.sample.priority, Reverse(case.reason.affected_count))
    });
    cases
}

/// An item that can be read at one of several levels.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) what: HandoffPart,
    pub(super) path: Option<ArtifactPath>,
    /// The name of the sample or artifact.
    pub(super) name: Option<String>,
    pub(super) reason: Reason,
    pub(super) detail: Detail,
    /// The lowest depth that reads it.
    pub(super) depth: Depth,
    /// False if the text was requested and is not read yet.
    pub(super) at_hand: bool,
}

impl Item {
    pub(super) fn new(what: HandoffPart, detail: Detail, depth: Depth) -> Self {
        Self {
            what,
            path: None,
            name: None,
            reason: Reason::default(),
            detail,
            depth,
            at_hand: true,
        }
    }

    /// True for a report that is read problem by problem.
    fn is_report(&self) -> bool {
        matches!(self.detail, Detail::Report { .. })
    }

    /// The parts that are read of every case first. Other parts of a case follow.
    fn is_brief(&self) -> bool {
        match self.what {
            HandoffPart::Package
            | HandoffPart::Report
            | HandoffPart::Entry
            | HandoffPart::Evaluation
            | HandoffPart::Attribution => true,
            HandoffPart::Sample | HandoffPart::Trace | HandoffPart::Artifact => false,
        }
    }
}

/// The reason why no level was raised further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Every item is whole.
    Top,
    /// The next step is over the budget.
    Budget,
    /// The text of the next step is not read yet.
    NotAtHand,
}

/// The level of each item, and the total cost.
#[derive(Clone, Debug)]
pub(super) struct Climb {
    pub(super) end: End,
    /// The level of each item. `None` for an item that is not read.
    pub(super) levels: Vec<Option<u32>>,
    pub(super) spent: u64,
}

/// Raises the levels of the items in a fixed order until the next step is over the budget:
///
/// 1. the package, the numbers of the report, its problems one by one;
/// 2. the typical cases, each with all its parts;
/// 3. the evaluation and the attribution of every other case;
/// 4. the sample and the trace of every other case;
/// 5. the whole report;
/// 6. everything that was cut, twice as large at each pass, until it is whole.
pub(super) fn climb(items: &[Item], budget: u64, depth: Depth) -> Climb {
    let mut climber = Climber {
        items,
        budget,
        depth,
        climbed: Climb { end: End::Top, levels: vec![None; items.len()], spent: 0 },
    };
    if let Err(end) = climber.all() {
        climber.climbed.end = end;
    }
    climber.climbed
}

struct Climber<'a> {
    items: &'a [Item],
    budget: u64,
    depth: Depth,
    climbed: Climb,
}

impl Climber<'_> {
    fn all(&mut self) -> Result<(), End> {
        self.pass(0, |item| item.depth == Depth::ReportSummary)?;
        let report = self.items.iter().position(Item::is_report);
        let whole =
            report.and_then(|at| self.items.get(at)).map_or(0, |item| item.detail.levels() - 1);
        for level in 1..whole {
            self.step(report, level)?;
        }
        self.pass(0, |item| item.depth == Depth::TypicalCases)?;
        self.pass(0, |item| item.depth == Depth::AllCases && item.is_brief())?;
        self.pass(0, |item| item.depth == Depth::AllCases && !item.is_brief())?;
        if whole > 0 {
            self.step(report, whole)?;
        }
        let cut = self.items.iter().filter(|item| item.depth <= self.depth && !item.is_report());
        let levels = cut.map(|item| item.detail.levels()).max().unwrap_or(0);
        (1..levels).try_for_each(|level| self.pass(level, |item| !item.is_report()))
    }

    fn pass(&mut self, level: u32, wanted: impl Fn(&Item) -> bool) -> Result<(), End> {
        for at in 0..self.items.len() {
            if self.items.get(at).is_some_and(&wanted) {
                self.step(Some(at), level)?;
            }
        }
        Ok(())
    }

    fn step(&mut self, at: Option<usize>, level: u32) -> Result<(), End> {
        let Some(at) = at else { return Ok(()) };
        let (Some(item), Some(reached)) = (self.items.get(at), self.climbed.levels.get_mut(at))
        else {
            return Ok(());
        };
        if item.depth > self.depth || level >= item.detail.levels() {
            return Ok(());
        }
        let now = reached.map_or(0, |level| item.detail.cost(level));
        let then = (self.climbed.spent - now).saturating_add(item.detail.cost(level));
        if !item.at_hand {
            return Err(End::NotAtHand);
        }
        if then > self.budget {
            return Err(End::Budget);
        }
        self.climbed.spent = then;
        *reached = Some(level);
        Ok(())
    }
}
