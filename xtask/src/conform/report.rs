//! What a run of the recorded cases is told as: counts a file, and readable failures.

use super::compare::Mismatch;
use super::differences::Difference;
use super::vectors::Case;
use tuckbox::Json;
use tuckbox::json::Object;

/// The counts and failures of every file.
pub struct Report {
    pub files: Vec<FileReport>,
}

/// The counts and failures of one file.
pub struct FileReport {
    pub name: String,
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
    /// Why the file as a whole was skipped.
    pub note: Option<String>,
    failures: Vec<Failure>,
    excused: Vec<(&'static Difference, usize)>,
}

/// One outcome that is not what it should be.
pub struct Failure {
    case: String,
    label: String,
    what: String,
    mismatches: Vec<Mismatch>,
}

impl Failure {
    /// A failure that one sentence describes.
    pub fn note(case: &Case, label: &str, what: String) -> Self {
        Self { case: case.name.clone(), label: label.into(), what, mismatches: Vec::new() }
    }

    /// An answer that is not what was recorded.
    pub fn mismatch(case: &Case, label: &str, mismatches: Vec<Mismatch>) -> Self {
        Self { mismatches, ..Self::note(case, label, "not what was recorded".into()) }
    }

    /// An answer through Node that has other bytes than the native one.
    pub fn other_bytes(case: &Case, label: &str, mismatch: Mismatch) -> Self {
        let what = "other bytes than the native core (expected)".into();
        Self { mismatches: vec![mismatch], ..Self::note(case, label, what) }
    }
}

impl FileReport {
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            passed: 0,
            failed: 0,
            skipped: 0,
            note: None,
            failures: Vec::new(),
            excused: Vec::new(),
        }
    }

    /// Counts a case that passed, by which deliberate differences if any.
    pub fn pass(&mut self, excuses: &[&'static Difference]) {
        self.passed += 1;
        let Some(difference) = excuses.first() else { return };
        match self.excused.iter_mut().find(|(known, _)| known.name == difference.name) {
            Some((_, count)) => *count += 1,
            None => self.excused.push((difference, 1)),
        }
    }

    /// Counts a case that failed.
    pub fn fail(&mut self, failures: Vec<Failure>) {
        self.failed += 1;
        self.failures.extend(failures);
    }
}

impl Report {
    /// The failed cases of all files.
    pub fn failed(&self) -> usize {
        self.files.iter().map(|file| file.failed).sum()
    }

    /// The passed cases of all files.
    pub fn passed(&self) -> usize {
        self.files.iter().map(|file| file.passed).sum()
    }

    /// The files that were skipped as a whole, and why.
    pub fn skipped(&self) -> Vec<String> {
        let named = |file: &FileReport| Some(format!("{} ({})", file.name, file.note.as_ref()?));
        self.files.iter().filter_map(named).collect()
    }

    /// `{"files": {"NAME": {"passed": n, "failed": n, "skipped": n}}}`
    pub fn to_json(&self) -> Json {
        let counts = |file: &FileReport| {
            let mut counts = Object::new();
            counts.insert("passed".into(), file.passed.into());
            counts.insert("failed".into(), file.failed.into());
            counts.insert("skipped".into(), file.skipped.into());
            (file.name.clone(), Json::Object(counts))
        };
        let files: Object = self.files.iter().map(counts).collect();
        let mut report = Object::new();
        report.insert("files".into(), Json::Object(files));
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
            println!(
                "{:<14}{:>6} passed{:>6} failed{:>6} skipped{note}",
                file.name, file.passed, file.failed, file.skipped
            );
            for (difference, count) in &file.excused {
                println!("{:<14}{count:>6} by a deliberate difference: {}", "", difference.name);
                println!("{:<20} {}", "", difference.reason);
            }
        }
    }
}

fn print_failure(file: &str, failure: &Failure) {
    let label = if failure.label.is_empty() { "" } else { " under " };
    println!("FAILED {file}: {}{label}{}: {}", failure.case, failure.label, failure.what);
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

/// Long texts are cut to the place where they part.
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
    fn the_json_report_has_exactly_the_documented_shape() {
        let mut file = FileReport::new("pack");
        file.pass(&[]);
        file.skipped = 2;
        let report = Report { files: vec![file, FileReport::new("cards")] };
        assert_eq!(
            report.to_json().to_string(),
            r#"{"files":{"pack":{"passed":1,"failed":0,"skipped":2},"cards":{"passed":0,"failed":0,"skipped":0}}}"#
        );
    }

    #[test]
    fn long_texts_are_shown_around_the_place_where_they_part() {
        let same = "é".repeat(500);
        let (expected, actual) = around_the_difference(&format!("{same}a"), &format!("{same}b"));
        assert!(expected.starts_with("...é") && expected.ends_with("éa"), "{expected}");
        assert!(actual.ends_with("éb") && actual.chars().count() < 70, "{actual}");
        assert_eq!(around_the_difference("a", "b"), ("a".into(), "b".into()));
    }
}
