//! Loads a package: carries out the plan and returns the text that a model reads. The answer
//! accounts for every piece, and for everything that is omitted.
//!
//! The result depends only on the files, never on guessed sizes: items are loaded in reading order
//! with measured costs until the budget is used. Guesses only decide how many files one round
//! requests. The first round requests the report, the second the plan of twice the budget, and each
//! further round four times as much. Two rounds are usual and seven the maximum, for any number of
//! cases.

use super::check;
use super::detail::Detail;
use super::excerpt::{self, Conversation, Excerpt};
use super::finding::{Findings, Kind as FindingKind};
use super::items::{Costs, KnownCost, header, items, report_text};
use super::layout::Part;
use super::order::{Climb, Depth, End, HandoffPart, Item, climb};
use super::package::{ExecuteToInit, Package};
use super::path::ArtifactPath;
use super::plan::{DEFAULT_BUDGET, Guess, LoadStep, Omission, PlanHandoff, describe};
use super::report::Report;
use super::sample::FailureSample;
use crate::prompt::tokens::Counter;
use crate::rule::{Cursor, Step, ready};
use crate::store::{Kind, Lookup, Presence, Reads, Snapshot};
use crate::value::Map as IndexMap;
use crate::value::arguments::arguments;
use crate::value::json::{Json, Object};
use crate::{Error, Path, Result};
use serde::Serialize;

arguments! {
    /// Loads a handoff package within a token budget. The answer accounts for every piece.
    ///
    /// ```
    /// use tuckbox::handoff::{LoadHandoff, Package, example};
    /// use tuckbox::value::json::{Field, Json};
    /// use tuckbox::rule::preview;
    /// use tuckbox::store::{MemoryStore, Snapshot, StoredFile};
    /// use tuckbox::{Env, Timestamp};
    ///
    /// let given = Json::parse(example::INIT_TO_EXECUTE)?;
    /// let load = LoadHandoff::new(Package::from_json(&Field::root(&given))?);
    /// let mut store = MemoryStore::new();
    /// store.project("p1").add_file(StoredFile::new("scenarios/leave_application/BusinessRules.md", "# Rules"));
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let loaded = preview(&load, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert!(loaded.text().ends_with("# Rules"));
    /// assert_eq!(loaded.missing.len(), 2); // the store does not have the other two artifacts
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct LoadHandoff {
        /// The package.
        pub package: Package,
        /// The maximum number of tokens.
        pub budget: u64 = DEFAULT_BUDGET,
        /// How much of the package to read.
        pub depth: Depth = Depth::AllCases,
    }
}

/// A piece of the loaded context.
///
/// ```
/// use tuckbox::handoff::{LoadHandoff, HandoffPart};
/// # use tuckbox::handoff::{Package, example};
/// # use tuckbox::store::{MemoryStore, Snapshot};
/// # use tuckbox::value::json::{Field, Json};
/// # use tuckbox::{Env, Timestamp, rule};
/// # let package = Package::from_json(&Field::root(&Json::parse(example::INIT_TO_EXECUTE)?))?;
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// # let store = MemoryStore::new();
/// let loaded = rule::preview(&LoadHandoff::new(package), &mut Snapshot::new("p1".into()), &env, &store)?.value;
/// let first = &loaded.pieces[0];
/// assert_eq!(first.step.read, HandoffPart::Package);
/// assert!(first.text.contains("init_to_execute"));
/// assert_eq!(loaded.missing[0].read, HandoffPart::Artifact);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Piece {
    /// The text that a model reads: a heading and the content.
    pub text: String,
    /// The step of the plan: the part, its path, its excerpt and its reason.
    #[serde(flatten)]
    pub step: LoadStep,
}

/// A file that the package refers to and the store does not have.
///
/// Shown by the example of [`Piece`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MissingFile {
    /// The part that the file has.
    pub read: HandoffPart,
    /// The path of the file, relative to the root of the package.
    pub path: ArtifactPath,
    /// The sample or artifact that it belongs to.
    pub name: String,
}

/// A loaded package.
///
/// Shown by the example of [`LoadHandoff`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadedHandoff {
    /// The maximum number of tokens.
    pub budget: u64,
    /// The tokens of all pieces.
    pub spent: u64,
    /// The requested depth.
    pub depth: Depth,
    /// The pieces, in reading order.
    pub pieces: Vec<Piece>,
    /// The parts that were not loaded.
    pub left_out: Vec<Omission>,
    /// The files that the store does not have.
    pub missing: Vec<MissingFile>,
    /// The findings.
    pub findings: Findings,
}

impl LoadedHandoff {
    /// Returns the whole context as one string.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.pieces.iter().map(|piece| piece.text.as_str()).collect();
        texts.join("\n\n")
    }
}

impl LoadHandoff {
    /// Returns a call for the whole package, with the default budget.
    pub fn new(package: Package) -> Self {
        Self { package, budget: DEFAULT_BUDGET, depth: Depth::default() }
    }

    /// Returns the reads that are missing, or the loaded context.
    ///
    /// # Errors
    /// `invalid_content` for a package or report that [`verify`](super::verify) rejects,
    /// `not_found` if the report is not stored, `store` if the store failed.
    pub fn load(&self, snapshot: &Snapshot, counter: &dyn Counter) -> Result<Step<LoadedHandoff>> {
        check::verify_call(&self.package, None)?;
        let report = match &self.package {
            Package::InitToExecute(_) => None,
            Package::ExecuteToInit(package) => Some(ready!(stored_report(package, snapshot)?)),
        };
        let findings = check::verify_call(&self.package, report.as_ref())?;
        for round in 0..ROUNDS {
            let asked = self.asked(round, report.as_ref(), snapshot, counter)?;
            ready!(Cursor::new(snapshot).want_reads(&asked).step());
            let shelf = Shelf { snapshot, asked: &asked, load: self, counter };
            let items = items(&self.package, report.as_ref(), counter, &shelf)?;
            let climbed = climb(&items, self.budget, self.depth);
            match climbed.end {
                End::NotAtHand => {}
                End::Top | End::Budget => {
                    let texts = Texts::new(self, snapshot, report.as_ref(), counter);
                    return self.assemble(&items, &climbed, &texts, findings).map(Step::Done);
                }
            }
        }
        Err(Error::store("the store returned every file, but some texts are missing"))
    }

    /// The files that a round requests. The last round requests all.
    fn asked(
        &self,
        round: u32,
        report: Option<&Report>,
        snapshot: &Snapshot,
        counter: &dyn Counter,
    ) -> Result<Reads> {
        let is_last = round + 1 == ROUNDS;
        let budget = if is_last { u64::MAX } else { self.budget.saturating_mul(2 << (2 * round)) };
        let mut planning = PlanHandoff::new(self.package.clone(), report.cloned());
        planning.budget = budget;
        planning.depth = self.depth;
        let mut reads = Reads::new(snapshot.project_id().clone());
        for path in planning.plan(counter)?.steps.into_iter().filter_map(|step| step.path) {
            if let Lookup::Failed(error) = snapshot.file(path.as_str()) {
                return Err(error.clone());
            }
            reads.add(Kind::Files, path.as_str());
        }
        Ok(reads)
    }

    fn assemble(
        &self,
        items: &[Item],
        climbed: &Climb,
        texts: &Texts<'_>,
        mut findings: Findings,
    ) -> Result<LoadedHandoff> {
        let mut pieces = Vec::new();
        for (item, level) in items.iter().zip(&climbed.levels) {
            if let Some(level) = level {
                pieces.push(texts.of(item, *level)?);
            }
        }
        let missing = missing(&self.package, texts.snapshot, &mut findings)?;
        let plan = describe(items, climbed, self.budget, self.depth, findings);
        let pieces = pieces.into_iter().zip(plan.steps);
        Ok(LoadedHandoff {
            budget: self.budget,
            spent: plan.spent,
            depth: self.depth,
            pieces: pieces.map(|(text, step)| Piece { text, step }).collect(),
            left_out: plan.left_out,
            missing,
            findings: plan.findings,
        })
    }
}

/// The maximum number of rounds that read files after the report.
const ROUNDS: u32 = 6;

/// Returns the report of a package.
pub(super) fn stored_report(package: &ExecuteToInit, snapshot: &Snapshot) -> Result<Step<Report>> {
    let dir = ArtifactPath::new(&*package.execution_output_dir)?;
    let path = dir.join(&ArtifactPath::new(&*package.layer1_problems_report_path)?)?;
    let mut cursor = Cursor::new(snapshot);
    match cursor.file(path.as_str())? {
        Presence::Unread => Ok(cursor.need()),
        Presence::Read(None) => Err(Error::not_found(format!("the report `{path}` is not stored"))
            .at(Path::root().key("package").key("layer1_problems_report_path"))
            .detail("path", path.as_str())),
        Presence::Read(Some(file)) => {
            let at = Path::root().key("report");
            let json = Json::parse(&file.text).map_err(|error| error.within(&at))?;
            Ok(Step::Done(Report::read(&json, at)?))
        }
    }
}

/// Returns the files that the store does not have, each with a finding.
fn missing(
    package: &Package,
    snapshot: &Snapshot,
    findings: &mut Findings,
) -> Result<Vec<MissingFile>> {
    let mut missing = Vec::new();
    for reference in super::refer::references(package)? {
        if snapshot.file(reference.file.as_str()) == Lookup::Absent {
            findings.lint(
                FindingKind::Dangling,
                Path::root().key("package").join(&reference.path),
                format!("`{}` is not stored", reference.file),
            );
            missing.push(MissingFile {
                read: reference.what,
                path: reference.file,
                name: reference.name,
            });
        }
    }
    Ok(missing)
}

/// The costs of the files that were read.
struct Shelf<'a> {
    snapshot: &'a Snapshot,
    asked: &'a Reads,
    load: &'a LoadHandoff,
    counter: &'a dyn Counter,
}

impl Shelf<'_> {
    /// Measures only the levels that can fit, and the whole.
    fn levels(&self, header: &str, text: &str, conversation: Option<&Conversation>) -> Detail {
        let count = |body: &str| self.counter.count(&format!("{header}\n{body}"));
        let whole = count(text);
        let mut costs = Vec::new();
        for level in 0..excerpt::MAX_LEVEL {
            let cost = match conversation {
                Some(conversation) => count(&conversation.cut(level, self.counter).0),
                None => count(&excerpt::text(text, excerpt::TEXT_TOKENS << level, self.counter)),
            };
            if cost >= whole || cost > self.load.budget {
                break;
            }
            costs.push(cost);
        }
        costs.push(whole);
        Detail::Measured { costs, is_turns: conversation.is_some() }
    }

    fn known(
        &self,
        path: &ArtifactPath,
        what: HandoffPart,
        name: &str,
        guess: Detail,
        checkers: Option<&[String]>,
    ) -> Option<KnownCost> {
        // files that another call read do not count, so that the answer does not depend on them
        if !self.asked.contains(Kind::Files, path.as_str()) {
            return Some(KnownCost { detail: guess, at_hand: false });
        }
        match self.snapshot.file(path.as_str()) {
            Lookup::Absent => None,
            Lookup::NotRead | Lookup::Failed(_) => {
                Some(KnownCost { detail: guess, at_hand: false })
            }
            Lookup::Present(file) => {
                let conversation = checkers.and_then(|checkers| conversation(&file.text, checkers));
                let header = header(what, Some(name), Some(path));
                let detail = self.levels(&header, &file.text, conversation.as_ref());
                Some(KnownCost { detail, at_hand: true })
            }
        }
    }
}

fn conversation(text: &str, checkers: &[String]) -> Option<Conversation> {
    Json::parse(text).ok().and_then(|trace| Conversation::read(&trace, checkers))
}

impl Costs for Shelf<'_> {
    fn part(&self, path: &ArtifactPath, part: Part, sample: &FailureSample) -> Option<KnownCost> {
        let guess = Guess::default().part(part, sample, None);
        let checkers = (part == Part::Trace).then_some(sample.checkers_failed.as_slice());
        self.known(path, part.into(), &sample.sample_id, guess, checkers)
    }

    fn artifact(&self, path: &ArtifactPath, name: &str) -> Option<KnownCost> {
        let guess = Detail::Text { tokens: Guess::default().artifact };
        self.known(path, HandoffPart::Artifact, name, guess, None)
    }

    fn report(&self, _: &ArtifactPath) -> Detail {
        Detail::Text { tokens: Guess::default().report }
    }
}

/// The texts of the pieces.
struct Texts<'a> {
    load: &'a LoadHandoff,
    snapshot: &'a Snapshot,
    report: Option<&'a Report>,
    counter: &'a dyn Counter,
    entries: IndexMap<&'a str, &'a Object>,
}

impl<'a> Texts<'a> {
    fn new(
        load: &'a LoadHandoff,
        snapshot: &'a Snapshot,
        report: Option<&'a Report>,
        counter: &'a dyn Counter,
    ) -> Self {
        let index = match &load.package {
            Package::InitToExecute(_) => &[],
            Package::ExecuteToInit(package) => package.failure_samples_index.as_slice(),
        };
        let named = |entry: &'a Object| Some((entry.get("sample_id")?.as_str()?, entry));
        let entries = index.iter().filter_map(named).collect();
        Self { load, snapshot, report, counter, entries }
    }

    fn of(&self, item: &Item, level: u32) -> Result<String> {
        let name = item.name.as_deref();
        let body = match item.what {
            HandoffPart::Package => match &self.load.package {
                Package::InitToExecute(package) => package.to_json().spaced(),
                Package::ExecuteToInit(package) => package.head().spaced(),
            },
            HandoffPart::Report => match self.report {
                Some(report) => return Ok(report_text(report, item, level)),
                None => String::new(),
            },
            HandoffPart::Entry => {
                let entry = name.and_then(|name| self.entries.get(name));
                entry.map(|entry| Json::Object((*entry).clone()).spaced()).unwrap_or_default()
            }
            HandoffPart::Trace => self.file(item, level, self.checkers(name))?,
            HandoffPart::Sample
            | HandoffPart::Evaluation
            | HandoffPart::Attribution
            | HandoffPart::Artifact => self.file(item, level, None)?,
        };
        Ok(format!("{}\n{body}", header(item.what, name, item.path.as_ref())))
    }

    fn checkers(&self, name: Option<&str>) -> Option<Vec<String>> {
        let entry = name.and_then(|name| self.entries.get(name))?;
        let listed = entry.get("checkers_failed").and_then(Json::as_array).unwrap_or_default();
        Some(listed.iter().filter_map(Json::as_str).map(str::to_owned).collect())
    }

    fn file(&self, item: &Item, level: u32, checkers: Option<Vec<String>>) -> Result<String> {
        let Some(path) = &item.path else { return Ok(String::new()) };
        let text = match self.snapshot.file(path.as_str()).found()? {
            Some(file) => file.text.as_str(),
            None => return Ok(String::new()),
        };
        Ok(match item.detail.cut(level) {
            Excerpt::Whole | Excerpt::Head | Excerpt::Summary { .. } => text.to_owned(),
            Excerpt::HeadAndTail { tokens } => excerpt::text(text, tokens, self.counter),
            Excerpt::Turns { .. } => match conversation(text, &checkers.unwrap_or_default()) {
                Some(conversation) => conversation.cut(level, self.counter).0,
                None => text.to_owned(),
            },
        })
    }
}
