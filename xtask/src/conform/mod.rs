//! `cargo xtask conform`: compares Tuckbox with the recorded cases of reference systems.
//!
//! Every file of recorded cases has an adaptor, native or through the npm package in a JavaScript
//! runtime. The [comparator](compare) checks each outcome. Answers of a runtime must also equal the
//! native ones byte for byte. Sequences of calls are translated once, natively, and the runtimes
//! perform the calls.

pub mod adaptors;
mod answers;
mod bugs;
mod compare;
mod differences;
mod recorded;
mod report;
mod runtimes;
mod sequence;
mod shapes;
mod vectors;

use crate::tree;
use answers::{Answer, Native};
use anyhow::Result;
use clap::{Parser, ValueEnum};
use report::{Failure, FileReport, Report, Verdict};
use runtimes::Runtime;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tuckbox::Json;
use vectors::{Case, VectorFile};

/// Run the recorded cases through the core and compare the answers.
///
/// Prints the passed, failed and skipped cases of every file, and the first failures with their
/// differences. Names files without an adaptor, which are skipped. Exits with 1 on any failure.
#[derive(Parser)]
pub struct Args {
    /// The folder with the recorded cases (`*.json`) [default: tests/vectors]
    pub dir: Option<PathBuf>,
    /// Run the cases through the npm package in a runtime too, through Python, through the
    /// component, or everywhere
    #[arg(long, value_enum, default_value_t = Through::Native)]
    pub through: Through,
    /// Print one object, {"files": {"NAME": {"passed": n, "failed": n, "skipped": n}}}, and nothing
    /// else
    #[arg(long)]
    pub json: bool,
    /// Number of failures to show in full
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub show: usize,
}

/// The runtimes that run the cases.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Through {
    Native,
    Node,
    Deno,
    Bun,
    Workerd,
    EdgeRuntime,
    Chromium,
    Python,
    Component,
    All,
}

impl Through {
    const fn runtimes(self) -> &'static [Runtime] {
        match self {
            Self::Native => &[],
            Self::Node => &[Runtime::Node],
            Self::Deno => &[Runtime::Deno],
            Self::Bun => &[Runtime::Bun],
            Self::Workerd => &[Runtime::Workerd],
            Self::EdgeRuntime => &[Runtime::Edge],
            Self::Chromium => &[Runtime::Chromium],
            Self::Python => &[Runtime::Python],
            Self::Component => &[Runtime::Component],
            Self::All => &Runtime::ALL,
        }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let report = check(args)?;
    if args.json {
        println!("{}", report.to_json());
    } else {
        report.print(args.show);
    }
    Ok(if report.failed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A set of answers to all files, and the runtimes that returned it.
struct AnswerSet<'a> {
    places: Vec<&'static str>,
    answers: &'a [Option<Vec<Answer>>],
    /// The native answers, which must have the same bytes.
    twin: Option<&'a [Option<Vec<Answer>>]>,
}

/// Runs every case and judges the answers.
pub fn check(args: &Args) -> Result<Report> {
    let dir = args.dir.clone().unwrap_or_else(|| tree::root().join("tests/vectors"));
    let files = vectors::read_all(&dir)?;
    let native: Vec<Native> = files.iter().map(answers::native).collect();
    let scripts = files.iter().zip(&native);
    let scripts = scripts.filter_map(|(file, of)| Some((file.name.as_str(), of.scripts.as_ref()?)));
    let others = read_answers(args.through.runtimes(), &dir, &files, &scripts.collect::<Vec<_>>())?;
    let native: Vec<Option<Vec<Answer>>> = native.into_iter().map(|of| of.answers).collect();
    let mut answer_sets = vec![AnswerSet { places: vec!["native"], answers: &native, twin: None }];
    answer_sets.extend(others.iter().map(|(places, answers)| AnswerSet {
        places: places.clone(),
        answers,
        twin: Some(&native),
    }));
    let mut report = Report::new(answer_sets.iter().flat_map(|set| set.places.iter().copied()));
    for (at, file) in files.iter().enumerate() {
        judge_file(&mut report, file, at, &answer_sets);
    }
    // other recordings show the bugs at other places
    if args.dir.is_none() {
        report.check_bugs();
    }
    Ok(report)
}

type AnswersByPlaces = Vec<(Vec<&'static str>, Vec<Option<Vec<Answer>>>)>;

/// Returns the different answers of the runtimes. Equal texts are read and checked once.
fn read_answers(
    runtimes: &[Runtime],
    dir: &Path,
    files: &[VectorFile],
    scripts: &[(&str, &Json)],
) -> Result<AnswersByPlaces> {
    if runtimes.is_empty() {
        return Ok(Vec::new());
    }
    let mut texts: Vec<(Vec<&'static str>, String)> = Vec::new();
    for (runtime, text) in runtimes.iter().zip(runtimes::lines(runtimes, dir, scripts)?) {
        match texts.iter_mut().find(|(_, known)| *known == text) {
            Some((places, _)) => places.push(runtime.name()),
            None => texts.push((vec![runtime.name()], text)),
        }
    }
    let read = |(places, text): (Vec<&'static str>, String)| {
        runtimes::read(&text, files).map(|answers| (places, answers))
    };
    texts.into_iter().map(read).collect()
}

/// Checks the answers to the file at index `at`.
fn judge_file(report: &mut Report, file: &VectorFile, at: usize, answer_sets: &[AnswerSet<'_>]) {
    let mut counts = FileReport::new(&file.name);
    if answer_sets.iter().any(|set| set.answers.get(at).is_none_or(Option::is_none)) {
        counts.note = Some(adaptors::skip_reason(&file.name).into());
    }
    for (number, case) in file.cases.iter().enumerate() {
        if let Some(steps) = case.input.get("steps").and_then(Json::as_array) {
            counts.count_steps(steps.len());
        }
        let verdicts = answer_sets.iter().map(|set| {
            let twin = set.twin.and_then(|twin| answer_at(twin, at, number));
            let verdict = match answer_at(set.answers, at, number) {
                Some(answer) => judge(file, case, answer, twin),
                None => Verdict::Skipped,
            };
            (set.places.as_slice(), verdict)
        });
        let verdicts: Vec<_> = verdicts.collect();
        if let Some((_, Verdict::Passed(_, bugs))) = verdicts.first() {
            counts.count_bugs(case, bugs);
        }
        report.count(&mut counts, verdicts);
    }
    report.files.push(counts);
}

fn answer_at(answers: &[Option<Vec<Answer>>], file: usize, case: usize) -> Option<&Answer> {
    answers.get(file)?.as_ref()?.get(case)
}

fn judge(of: &VectorFile, case: &Case, answer: &Answer, twin: Option<&Answer>) -> Verdict {
    let file = of.name.as_str();
    let outcomes = match answer {
        Answer::Skipped => return Verdict::Skipped,
        Answer::Crashed(message) => {
            let what = format!("the adaptor crashed: {message}");
            return Verdict::Failed(vec![Failure::note(case, "", what)]);
        }
        Answer::Outcomes(outcomes) => outcomes,
    };
    let tagged = case.tags.iter().any(|tag| tag == "py_repr");
    let python_repr = tagged || differences::prints_python(file, &case.input);
    let replaced_dispatcher = file == "recipes";
    let options = compare::Options { python_repr, replaced_dispatcher };
    let mut failures = Vec::new();
    let (mut excuses, mut bugs) = (Vec::new(), Vec::new());
    for (label, expected) in &case.expected {
        let Some((_, actual)) = outcomes.iter().find(|(named, _)| named == label) else {
            failures.push(Failure::note(case, label, "the label has no outcome".into()));
            continue;
        };
        if file.starts_with("orchestration_") {
            match sequence::judge(case, expected, actual, options) {
                Ok(passed) => {
                    excuses.extend(passed.differences);
                    bugs.extend(passed.bugs);
                }
                Err(mismatches) => failures.push(Failure::mismatch(case, label, mismatches)),
            }
            continue;
        }
        let mut mismatches = compare::compare(expected, actual, options);
        let world = of.world(case);
        excuses.extend(differences::take_placed(file, world, expected, actual, &mut mismatches));
        if mismatches.is_empty() {
            continue;
        }
        match differences::explain(file, case, expected, actual, &mismatches) {
            Some(difference) => excuses.push(difference),
            None => failures.push(Failure::mismatch(case, label, mismatches)),
        }
    }
    if let Some(Answer::Outcomes(native)) = twin {
        failures.extend(answers::other_bytes(case, outcomes, native));
    }
    match failures.is_empty() {
        true => Verdict::Passed(excuses, bugs),
        false => Verdict::Failed(failures),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vectors::Expected;

    fn case(expected: Vec<(&str, i64)>) -> Case {
        let named = |(label, value): (&str, i64)| (label.to_owned(), Expected::Ok(value.into()));
        Case {
            name: "c".into(),
            input: Json::Null,
            tags: Vec::new(),
            expected: expected.into_iter().map(named).collect(),
        }
    }

    fn answer(outcomes: Vec<(&str, i64)>) -> Answer {
        let named = |(label, value): (&str, i64)| (label.to_owned(), Ok(value.into()));
        Answer::Outcomes(outcomes.into_iter().map(named).collect())
    }

    fn file(cases: Vec<Case>) -> VectorFile {
        VectorFile { name: "f".into(), worlds: Json::Null, cases }
    }

    fn passes(case: &Case, answer: &Answer, twin: Option<&Answer>) -> bool {
        matches!(judge(&file(Vec::new()), case, answer, twin), Verdict::Passed(..))
    }

    #[test]
    fn case_passes_only_if_every_label_passes() {
        let case = case(vec![("a", 1), ("b", 2)]);
        assert!(passes(&case, &answer(vec![("a", 1), ("b", 2)]), None));
        assert!(!passes(&case, &answer(vec![("a", 1), ("b", 3)]), None));
        assert!(!passes(&case, &answer(vec![("a", 1)]), None));
        assert!(!passes(&case, &Answer::Crashed("boom".into()), None));
        let skipped = judge(&file(Vec::new()), &case, &Answer::Skipped, None);
        assert!(matches!(skipped, Verdict::Skipped));
    }

    #[test]
    fn runtime_answers_must_have_the_native_bytes() {
        let case = case(vec![("", 1)]);
        let float = Answer::Outcomes(vec![(String::new(), Ok(Json::parse("1.0").unwrap()))]);
        assert!(passes(&case, &float, Some(&float)));
        assert!(!passes(&case, &float, Some(&answer(vec![("", 1)]))));
    }

    #[test]
    fn case_passes_only_if_it_passes_everywhere() {
        let cases = vec![case(vec![("", 1)]), case(vec![("", 2)]), case(vec![("", 3)])];
        let file = file(cases);
        let native =
            vec![Some(vec![answer(vec![("", 1)]), answer(vec![("", 2)]), answer(vec![("", 3)])])];
        let elsewhere =
            vec![Some(vec![answer(vec![("", 1)]), answer(vec![("", 9)]), Answer::Skipped])];
        let answer_sets = [
            AnswerSet { places: vec!["native"], answers: &native, twin: None },
            AnswerSet { places: vec!["deno", "bun"], answers: &elsewhere, twin: Some(&native) },
        ];
        let mut report = Report::new(["native", "deno", "bun"]);
        judge_file(&mut report, &file, 0, &answer_sets);
        assert_eq!(
            report.to_json().to_string(),
            r#"{"files":{"f":{"passed":1,"failed":1,"skipped":1}},"through":{"native":{"passed":3,"failed":0,"skipped":0},"deno":{"passed":1,"failed":1,"skipped":1},"bun":{"passed":1,"failed":1,"skipped":1}}}"#
        );
    }
}
