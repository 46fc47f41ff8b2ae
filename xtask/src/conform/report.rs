//! The report of a run: counts of every file, and readable failures.

use super::bugs::{self, Place};
use super::compare::Mismatch;
use super::differences::Difference;
use super::vectors::Case;
use std::collections::{BTreeMap, BTreeSet};
use tuckbox::Json;
use tuckbox::value::json::Object;

/// The counts and failures of every file.
pub struct Report {
    pub files: Vec<FileReport>,
    /// The places where the cases ran, each with its counts.
    places: Vec<(&'static str, Counts)>,
    /// The places that show a recorded bug and differ from the known ones.
    changed_bugs: Vec<String>,
}

/// The counts of cases.
#[derive(Default)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

/// The counts and failures of a file. A case passes if it passes everywhere.
pub struct FileReport {
    name: String,
    counts: Counts,
    /// The reason why the whole file was skipped.
    pub note: Option<String>,
    failures: Vec<Failure>,
    /// The recorded steps with a place that shows a recorded bug.
    bugs: BugCounts,
    /// The number of cases that pass by a deliberate difference, and by each one.
    excused: usize,
    differences: Vec<(&'static Difference, usize)>,
}

/// The places of recorded sequences that are not compared, because they show a recorded bug.
#[derive(Default)]
struct BugCounts {
    cases: usize,
    steps: usize,
    /// All steps.
    all: usize,
    bugs: BTreeMap<String, OfBug>,
}

/// The counts of one recorded bug.
#[derive(Default)]
struct OfBug {
    cases: usize,
    steps: usize,
    /// The number of differences at each place.
    places: BTreeMap<String, usize>,
}

impl std::fmt::Display for OfBug {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { cases, steps, places } = self;
        let places: Vec<String> =
            places.iter().map(|(place, count)| format!("{place} {count}")).collect();
        write!(f, "{cases} cases, {steps} steps: {}", places.join(", "))
    }
}

/// The result of a case.
pub enum Verdict {
    Skipped,
    /// Passed, with the deliberate differences that apply and the places that show a recorded bug.
    Passed(Vec<&'static Difference>, Vec<Place>),
    Failed(Vec<Failure>),
}

/// An outcome that differs from the expected one.
pub struct Failure {
    /// The places of the failure, if the cases ran in several.
    places: String,
    case: String,
    label: String,
    what: String,
    mismatches: Vec<Mismatch>,
}

impl Failure {
    /// Creates a failure with a description.
    pub fn note(case: &Case, label: &str, what: String) -> Self {
        let (places, case) = (String::new(), case.name.clone());
        Self { places, case, label: label.into(), what, mismatches: Vec::new() }
    }

    /// Creates a failure for an answer that differs from the recorded one.
    pub fn mismatch(case: &Case, label: &str, mismatches: Vec<Mismatch>) -> Self {
        Self { mismatches, ..Self::note(case, label, "differs from the recorded answer".into()) }
    }

    /// Creates a failure for an answer of a runtime with other bytes than the native one.
    pub fn other_bytes(case: &Case, label: &str, mismatch: Mismatch) -> Self {
        let what = "bytes differ from the native core (expected)".into();
        Self { mismatches: vec![mismatch], ..Self::note(case, label, what) }
    }
}

impl FileReport {
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            counts: Counts::default(),
            note: None,
            failures: Vec::new(),
            bugs: BugCounts::default(),
            excused: 0,
            differences: Vec::new(),
        }
    }

    /// Counts the steps of a sequence.
    pub fn count_steps(&mut self, all: usize) {
        self.bugs.all += all;
    }

    /// Counts the places of a case that show a recorded bug.
    pub fn count_bugs(&mut self, case: &Case, places: &[Place]) {
        if places.is_empty() {
            return;
        }
        let steps: BTreeSet<usize> = places.iter().map(|(step, _)| *step).collect();
        self.bugs.cases += 1;
        self.bugs.steps += steps.len();
        let bug = case.input.get("upstream_bug").and_then(Json::as_str).unwrap_or_default();
        let of_bug = self.bugs.bugs.entry(bug.to_owned()).or_default();
        of_bug.cases += 1;
        of_bug.steps += steps.len();
        for (_, place) in places {
            *of_bug.places.entry(place.clone()).or_default() += 1;
        }
    }

    /// Counts a case that passed, with the deliberate differences that apply.
    fn pass(&mut self, excuses: &[&'static Difference]) {
        self.counts.passed += 1;
        self.excused += usize::from(!excuses.is_empty());
        let mut counted = Vec::new();
        for difference in excuses {
            if counted.contains(&difference.name) {
                continue;
            }
            counted.push(difference.name);
            match self.differences.iter_mut().find(|(known, _)| known.name == difference.name) {
                Some((_, count)) => *count += 1,
                None => self.differences.push((difference, 1)),
            }
        }
    }
}

impl Counts {
    fn add(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Skipped => self.skipped += 1,
            Verdict::Passed(..) => self.passed += 1,
            Verdict::Failed(_) => self.failed += 1,
        }
    }

    fn to_json(&self) -> Json {
        let mut counts = Object::default();
        counts.insert("passed".into(), self.passed.into());
        counts.insert("failed".into(), self.failed.into());
        counts.insert("skipped".into(), self.skipped.into());
        Json::Object(counts)
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { passed, failed, skipped } = self;
        write!(f, "{passed:>6} passed{failed:>6} failed{skipped:>6} skipped")
    }
}

impl Report {
    /// Creates an empty report of cases that run in these places.
    pub fn new(places: impl IntoIterator<Item = &'static str>) -> Self {
        let places = places.into_iter().map(|place| (place, Counts::default()));
        Self { files: Vec::new(), places: places.collect(), changed_bugs: Vec::new() }
    }

    /// Counts the results of a case of a file, in all places.
    pub fn count(&mut self, file: &mut FileReport, verdicts: Vec<(&[&'static str], Verdict)>) {
        let everywhere = self.places.len() == 1;
        let mut failures = Vec::new();
        let mut excuses = Vec::new();
        let mut is_skipped = false;
        for (places, verdict) in verdicts {
            for (place, counts) in &mut self.places {
                if places.contains(place) {
                    counts.add(&verdict);
                }
            }
            match verdict {
                Verdict::Skipped => is_skipped = true,
                Verdict::Passed(by, _) => excuses.extend(by),
                Verdict::Failed(found) => failures.extend(found.into_iter().map(|failure| {
                    let places = if everywhere { String::new() } else { places.join(", ") };
                    Failure { places, ..failure }
                })),
            }
        }
        if !failures.is_empty() {
            file.counts.failed += 1;
            file.failures.extend(failures);
        } else if is_skipped {
            file.counts.skipped += 1;
        } else {
            file.pass(&excuses);
        }
    }

    /// Returns the number of failed cases, and of changed places that show a recorded bug.
    pub fn failed(&self) -> usize {
        let failed: usize = self.files.iter().map(|file| file.counts.failed).sum();
        failed + self.changed_bugs.len()
    }

    /// Compares the places that show a recorded bug with the known ones.
    pub fn check_bugs(&mut self) {
        let found: Vec<String> = self
            .files
            .iter()
            .flat_map(|file| {
                let bugs = file.bugs.bugs.iter();
                bugs.map(|(bug, counts)| format!("{} {bug}: {counts}", file.name))
            })
            .collect();
        self.changed_bugs = bugs::changes(&found);
    }

    /// Returns the number of passed cases.
    pub fn passed(&self) -> usize {
        self.files.iter().map(|file| file.counts.passed).sum()
    }

    /// Returns the skipped files and the reasons.
    pub fn skipped(&self) -> Vec<String> {
        let named = |file: &FileReport| Some(format!("{} ({})", file.name, file.note.as_ref()?));
        self.files.iter().filter_map(named).collect()
    }

    /// Returns the places where the cases ran.
    pub fn places(&self) -> impl Iterator<Item = &'static str> {
        self.places.iter().map(|(place, _)| *place)
    }

    /// Returns `{"files": {"NAME": {"passed": n, "failed": n, "skipped": n}}}`, and `"through"`
    /// with the same counts for every place if there are several.
    pub fn to_json(&self) -> Json {
        let files = self.files.iter().map(|file| (file.name.clone(), file.counts.to_json()));
        let mut report = Object::default();
        report.insert("files".into(), Json::Object(files.collect()));
        if self.places.len() > 1 {
            let places = self.places.iter();
            let places = places.map(|(place, counts)| ((*place).to_owned(), counts.to_json()));
            report.insert("through".into(), Json::Object(places.collect()));
        }
        Json::Object(report)
    }

    /// Prints the first `show` failures and the counts of every file.
    pub fn print(&self, show: usize) {
        let failures = self.files.iter().flat_map(|file| {
            file.failures.iter().map(move |failure| (file.name.as_str(), failure))
        });
        let total = failures.clone().count();
        for (file, failure) in failures.take(show) {
            print_failure(file, failure);
        }
        if total > show {
            println!("... and {} more failures (--show N shows more)\n", total - show);
        }
        for file in &self.files {
            let note = file.note.as_ref().map_or(String::new(), |note| format!("  ({note})"));
            println!("{:<14}{}{note}", file.name, file.counts);
            let BugCounts { cases, steps, all, bugs } = &file.bugs;
            if *cases > 0 {
                println!("{:<14}{cases:>6} show a recorded bug, in {steps} of {all} steps", "");
            }
            for (bug, counts) in bugs {
                println!("{:<20} {bug}: {counts}", "");
            }
            for (difference, count) in &file.differences {
                println!("{:<14}{count:>6} by a deliberate difference: {}", "", difference.name);
                println!("{:<20} {}", "", difference.reason);
            }
        }
        if self.places.len() > 1 {
            println!("\nwith the same bytes through");
            for (place, counts) in &self.places {
                println!("{place:<14}{counts}");
            }
        }
        if !self.changed_bugs.is_empty() {
            println!(
                "\nthe places that show a recorded bug differ from `xtask/src/conform/bugs.txt`"
            );
            self.changed_bugs.iter().for_each(|line| println!("{line}"));
        }
        println!("\n{}", self.summary());
    }

    /// Returns the cases that pass by a deliberate difference and the skipped files, in sentences.
    fn summary(&self) -> String {
        let excused: usize = self.files.iter().map(|file| file.excused).sum();
        let skipped = self.skipped();
        let sum = |of: fn(&BugCounts) -> usize| {
            self.files.iter().map(|file| of(&file.bugs)).sum::<usize>()
        };
        let (cases, steps, all) =
            (sum(|bugs| bugs.cases), sum(|bugs| bugs.steps), sum(|bugs| bugs.all));
        let listed = |names: &[String]| match names {
            [] => "none".to_owned(),
            names => format!("{} ({})", names.len(), names.join("; ")),
        };
        format!(
            "{} passed, {excused} of them by a deliberate difference; {} failed\n\
             {cases} show a recorded bug, which `tests/vectors/orchestration.md` describes: \
             {steps} of {all} steps are compared except where it shows\n\
             skipped files: {}",
            self.passed(),
            self.failed(),
            listed(&skipped)
        )
    }
}

fn print_failure(file: &str, failure: &Failure) {
    let label = if failure.label.is_empty() { "" } else { " under " };
    let place = if failure.places.is_empty() { "" } else { " through " };
    println!(
        "FAILED {file}: {}{label}{}{place}{}: {}",
        failure.case, failure.label, failure.places, failure.what
    );
    for mismatch in failure.mismatches.iter().take(5) {
        let (expected, actual) = around_the_difference(&mismatch.expected, &mismatch.actual);
        if !mismatch.path.is_root() {
            println!("  at `{}`", mismatch.path);
        }
        println!("    expected {expected}\n    actual   {actual}");
    }
    if failure.mismatches.len() > 5 {
        println!("  ... and {} more places", failure.mismatches.len() - 5);
    }
    println!();
}

/// Cuts long strings to the text around their first difference.
fn around_the_difference(expected: &str, actual: &str) -> (String, String) {
    const BEFORE: usize = 60;
    const SHOWN: usize = 240;
    let same = expected.chars().zip(actual.chars()).take_while(|(a, b)| a == b).count();
    let start = if expected.chars().count().max(actual.chars().count()) <= SHOWN {
        0
    } else {
        same.saturating_sub(BEFORE)
    };
    let cut = |text: &str| {
        let length = text.chars().count();
        let shown: String = text.chars().skip(start).take(SHOWN).collect();
        let before = if start > 0 { "..." } else { "" };
        let after = if start + SHOWN < length { "..." } else { "" };
        format!("{before}{shown}{after}")
    };
    (cut(expected), cut(actual))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_report_has_the_documented_form() {
        let mut file = FileReport::new("pack");
        let mut report = Report::new(["node"]);
        for verdict in [Verdict::Skipped, Verdict::Passed(Vec::new(), Vec::new()), Verdict::Skipped]
        {
            report.count(&mut file, vec![(["node"].as_slice(), verdict)]);
        }
        report.files = vec![file, FileReport::new("cards")];
        assert_eq!(
            report.to_json().to_string(),
            r#"{"files":{"pack":{"passed":1,"failed":0,"skipped":2},"cards":{"passed":0,"failed":0,"skipped":0}}}"#
        );
    }

    #[test]
    fn summary_lists_differences_and_skipped_files() {
        let mut report = Report::new(["native"]);
        let mut file = FileReport::new("recipes");
        let [one, two, ..] = super::super::differences::DIFFERENCES else { panic!("two") };
        let verdict = Verdict::Passed(vec![one, two, one], Vec::new());
        report.count(&mut file, vec![(["native"].as_slice(), verdict)]);
        let skipped = FileReport { note: Some("no adaptor".into()), ..FileReport::new("other") };
        let counts: Vec<usize> = file.differences.iter().map(|(_, count)| *count).collect();
        assert_eq!(counts, [1, 1]);
        report.files = vec![file, skipped];
        let summary = report.summary();
        assert!(summary.starts_with("1 passed, 1 of them by a deliberate difference; 0 failed"));
        assert!(summary.contains("skipped files: 1 (other (no adaptor))"), "{summary}");
        assert!(Report::new(["native"]).summary().ends_with("skipped files: none"));
    }

    #[test]
    fn long_strings_are_cut_around_their_difference() {
        let same = "é".repeat(500);
        let (expected, actual) = around_the_difference(&format!("{same}a"), &format!("{same}b"));
        assert!(expected.starts_with("...é") && expected.ends_with("éa"), "{expected}");
        assert!(actual.ends_with("éb") && actual.chars().count() < 70, "{actual}");
        assert_eq!(around_the_difference("a", "b"), ("a".into(), "b".into()));
    }
}
