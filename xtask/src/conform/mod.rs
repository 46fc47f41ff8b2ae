//! `cargo xtask conform`: does Tuckbox do what the recorded systems did?
//!
//! Every file of recorded cases goes through its adaptor, natively or in Node through the npm
//! package, and the [comparator](compare) judges each outcome. Through Node the answers must also
//! be byte for byte those of the native core.

mod adaptors;
mod answers;
mod compare;
mod differences;
mod exempt;
mod node;
mod report;
mod vectors;

use crate::tree;
use answers::Answer;
use anyhow::Result;
use clap::{Parser, ValueEnum};
use report::{Failure, FileReport, Report};
use std::path::PathBuf;
use std::process::ExitCode;
use vectors::{Case, VectorFile};

/// Run the recorded cases through the core and compare the answers.
///
/// Prints passed, failed and skipped cases of every file and the first failures with their
/// differences. A file without an adaptor is skipped and named. Exits with 1 on any failure.
#[derive(Parser)]
pub struct Args {
    /// The folder with the recorded cases (`*.json`) [default: tests/vectors]
    pub dir: Option<PathBuf>,
    /// Where the cases run: in the native core, or in Node through the npm package
    #[arg(long, value_enum, default_value_t = Through::Native)]
    pub through: Through,
    /// Print one object, {"files": {"NAME": {"passed": n, "failed": n, "skipped": n}}}, and nothing else
    #[arg(long)]
    pub json: bool,
    /// How many failures to show in full
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub show: usize,
}

/// Where the cases run.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Through {
    Native,
    Node,
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

/// Runs every case and judges the answers.
pub fn check(args: &Args) -> Result<Report> {
    let dir = args.dir.clone().unwrap_or_else(|| tree::root().join("tests/vectors"));
    let files = vectors::read_all(&dir)?;
    let native: Vec<Option<Vec<Answer>>> = files.iter().map(answers::native).collect();
    let reports = match args.through {
        Through::Native => {
            let judged = files.iter().zip(&native);
            judged.map(|(file, answers)| judge_file(file, answers.as_deref(), None)).collect()
        }
        Through::Node => {
            let through_node = node::answers(&dir, &files)?;
            let judged = files.iter().zip(&native).zip(&through_node);
            judged
                .map(|((file, native), answers)| {
                    judge_file(file, answers.as_deref(), native.as_deref())
                })
                .collect()
        }
    };
    Ok(Report { files: reports })
}

/// Judges the answers of one file; `twin` holds the native answers that the same bytes are
/// expected of.
fn judge_file(
    file: &VectorFile,
    answers: Option<&[Answer]>,
    twin: Option<&[Answer]>,
) -> FileReport {
    let mut report = FileReport::new(&file.name);
    let Some(answers) = answers else {
        report.skipped = file.cases.len();
        report.note = Some(adaptors::why_skipped(&file.name).into());
        return report;
    };
    for (at, case) in file.cases.iter().enumerate() {
        let answer = answers.get(at).unwrap_or(&Answer::Skipped);
        let twin = twin.and_then(|twin| twin.get(at));
        judge_case(&mut report, case, answer, twin);
    }
    report
}

fn judge_case(report: &mut FileReport, case: &Case, answer: &Answer, twin: Option<&Answer>) {
    let outcomes = match answer {
        Answer::Skipped => {
            report.skipped += 1;
            return;
        }
        Answer::Crashed(message) => {
            report.fail(vec![Failure::note(case, "", format!("the adaptor crashed: {message}"))]);
            return;
        }
        Answer::Outcomes(outcomes) => outcomes,
    };
    let tagged = case.tags.iter().any(|tag| tag == "py_repr");
    let python_repr = tagged || differences::prints_python(&report.name, &case.input);
    let options = compare::Options { python_repr };
    let mut failures = Vec::new();
    let mut excuses = Vec::new();
    for (label, expected) in &case.expected {
        let Some((_, actual)) = outcomes.iter().find(|(named, _)| named == label) else {
            failures.push(Failure::note(case, label, "no outcome under this label".into()));
            continue;
        };
        let mut mismatches = compare::compare(expected, actual, options);
        mismatches.retain(|mismatch| !exempt::is_exempt(&report.name, &mismatch.path));
        if mismatches.is_empty() {
            continue;
        }
        match differences::explain(&report.name, case, expected, actual) {
            Some(difference) => excuses.push(difference),
            None => failures.push(Failure::mismatch(case, label, mismatches)),
        }
    }
    if let Some(Answer::Outcomes(native)) = twin {
        failures.extend(answers::other_bytes(case, outcomes, native));
    }
    if failures.is_empty() {
        report.pass(&excuses);
    } else {
        report.fail(failures);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuckbox::Json;
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

    fn counts(case: &Case, answer: &Answer, twin: Option<&Answer>) -> (usize, usize, usize) {
        let mut report = FileReport::new("f");
        judge_case(&mut report, case, answer, twin);
        (report.passed, report.failed, report.skipped)
    }

    #[test]
    fn a_case_passes_only_when_every_label_does() {
        let case = case(vec![("a", 1), ("b", 2)]);
        assert_eq!(counts(&case, &answer(vec![("a", 1), ("b", 2)]), None), (1, 0, 0));
        assert_eq!(counts(&case, &answer(vec![("a", 1), ("b", 3)]), None), (0, 1, 0));
        assert_eq!(counts(&case, &answer(vec![("a", 1)]), None), (0, 1, 0));
        assert_eq!(counts(&case, &Answer::Skipped, None), (0, 0, 1));
        assert_eq!(counts(&case, &Answer::Crashed("boom".into()), None), (0, 1, 0));
    }

    #[test]
    fn answers_through_node_must_have_the_native_bytes() {
        let case = case(vec![("", 1)]);
        let float = Answer::Outcomes(vec![(String::new(), Ok(Json::parse("1.0").unwrap()))]);
        assert_eq!(counts(&case, &float, Some(&float)), (1, 0, 0));
        assert_eq!(counts(&case, &float, Some(&answer(vec![("", 1)]))), (0, 1, 0));
    }
}
