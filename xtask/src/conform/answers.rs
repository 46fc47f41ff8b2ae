//! Answers to recorded cases, native or through a JavaScript runtime.

use super::adaptors::caller::{Caller, Refused};
use super::adaptors::{self, Player};
use super::compare::{Actual, Mismatch};
use super::report::Failure;
use super::vectors::{Case, VectorFile};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tuckbox::{Error, Json, Path};

/// The answer to a case.
pub enum Answer {
    /// The core does not have the rule of this case yet.
    Skipped,
    /// The adaptor or the core crashed. This is always a failure.
    Crashed(String),
    /// The outcomes by label.
    Outcomes(Vec<(String, Actual)>),
}

/// The native answers to a file, and the calls for the runtimes.
pub struct Native {
    /// `None` if the file has no adaptor.
    pub answers: Option<Vec<Answer>>,
    /// The calls of every case, if the file has sequences.
    pub scripts: Option<Json>,
}

/// Runs every case of a file in the native core.
pub fn native(file: &VectorFile) -> Native {
    if let Some(player) = adaptors::player(&file.name) {
        let played = file.cases.iter().map(|case| {
            let mut caller = Caller::native();
            let answer = play(player, &case.input, &mut caller);
            let script =
                Json::from([("name", case.name.as_str().into()), ("input", caller.script())]);
            (answer, script)
        });
        let (answers, scripts): (Vec<Answer>, Vec<Json>) = played.unzip();
        let scripts = Json::from([("cases", Json::Array(scripts))]);
        return Native { answers: Some(answers), scripts: Some(scripts) };
    }
    let answers = adaptors::find(&file.name).map(|adaptor| {
        let answer = |case: &Case| {
            let ran = catch_unwind(AssertUnwindSafe(|| adaptor(&case.input, &file.worlds)));
            match ran {
                Err(panic) => Answer::Crashed(panic_text(panic.as_ref())),
                Ok(outcomes) if outcomes.is_empty() => Answer::Skipped,
                Ok(outcomes) => Answer::Outcomes(
                    outcomes
                        .into_iter()
                        .map(|outcome| {
                            let actual = outcome.actual.map_err(|error: Error| error.to_json());
                            (outcome.label.to_owned(), actual)
                        })
                        .collect(),
                ),
            }
        };
        file.cases.iter().map(answer).collect()
    });
    Native { answers, scripts: None }
}

/// Plays a sequence through a caller. Its outcome also has the answer of each call, so that a
/// runtime is compared byte for byte.
fn play(player: Player, input: &Json, caller: &mut Caller) -> Answer {
    match catch_unwind(AssertUnwindSafe(|| player(caller, input))) {
        Err(panic) => Answer::Crashed(panic_text(panic.as_ref())),
        Ok(_) if caller.left() > 0 => {
            Answer::Crashed(format!("{} calls belong to no step", caller.left()))
        }
        Ok(played) => Answer::Outcomes(vec![
            (String::new(), played.map_err(|Refused(error)| error)),
            ("calls".to_owned(), Ok(caller.answers())),
        ]),
    }
}

/// Returns the outcome of a sequence from a runtime's answers to its calls.
pub fn replayed(player: Player, case: &Case, answer: Answer) -> Answer {
    match answer {
        Answer::Outcomes(outcomes) => match outcomes.as_slice() {
            [(_, Ok(Json::Array(answers)))] => {
                play(player, &case.input, &mut Caller::answered(answers))
            }
            _ => Answer::Crashed("the answers to calls must be a list".into()),
        },
        Answer::Skipped | Answer::Crashed(_) => answer,
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
}

/// Returns the outcomes with other bytes than the native ones.
pub fn other_bytes(
    case: &Case,
    outcomes: &[(String, Actual)],
    native: &[(String, Actual)],
) -> Vec<Failure> {
    let text = |actual: &Actual| match actual {
        Ok(value) => format!("ok {value}"),
        Err(error) => format!("error {error}"),
    };
    let mut failures = Vec::new();
    for (label, actual) in outcomes {
        let twin = native.iter().find(|(named, _)| named == label);
        let expected = twin.map_or("no native outcome".to_owned(), |(_, actual)| text(actual));
        let actual = text(actual);
        if expected != actual {
            let path = Path::root();
            let mismatch = Mismatch { path, expected, actual };
            failures.push(Failure::other_bytes(case, label, mismatch));
        }
    }
    failures
}

/// A line of a JavaScript runtime: a case and its answer under one label.
pub struct Line {
    pub file: String,
    /// `None` if the line is about the whole file.
    pub case: Option<String>,
    pub content: LineContent,
}

/// The content of a line.
pub enum LineContent {
    Skipped,
    Crashed(String),
    Outcome(String, Actual),
}

impl Line {
    /// Reads `{file, case?, label, ok|error|skipped|crash}`.
    pub fn read(text: &str) -> Option<Self> {
        let json = Json::parse(text).ok()?;
        let field = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
        let content = if let Some(ok) = json.get("ok") {
            LineContent::Outcome(field("label").unwrap_or_default(), Ok(ok.clone()))
        } else if let Some(error) = json.get("error") {
            LineContent::Outcome(field("label").unwrap_or_default(), Err(error.clone()))
        } else if let Some(message) = field("crash") {
            LineContent::Crashed(message)
        } else {
            json.get("skipped")?;
            LineContent::Skipped
        };
        Some(Self { file: field("file")?, case: field("case"), content })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes two calls. The second contains the answer to the first.
    fn player(caller: &mut Caller, input: &Json) -> adaptors::caller::Played<Json> {
        let env = tuckbox::Env::new(tuckbox::Timestamp::from_millis(0), [1; 32]);
        let call = |value: Json| Json::from([("op", Json::from("text_form")), ("value", value)]);
        let first = caller.call("p1", &env, call(input.clone()))?.value;
        Ok(caller.call("p1", &env, call(first))?.value)
    }

    fn outcomes(answer: &Answer) -> &[(String, Actual)] {
        match answer {
            Answer::Outcomes(outcomes) => outcomes,
            Answer::Skipped | Answer::Crashed(_) => &[],
        }
    }

    #[test]
    fn sequence_is_compared_with_every_native_answer() {
        let case =
            Case { name: "c".into(), input: 7.into(), tags: Vec::new(), expected: Vec::new() };
        let mut caller = Caller::native();
        let native = play(player, &case.input, &mut caller);
        assert_eq!(caller.script().as_array().map(<[Json]>::len), Some(2));
        let answers = caller.answers().as_array().unwrap().to_vec();
        let heard = |answers: Vec<Json>| {
            let answer = Answer::Outcomes(vec![(String::new(), Ok(Json::Array(answers)))]);
            replayed(player, &case, answer)
        };
        let differs = |answers: Vec<Json>| {
            let heard = heard(answers);
            !other_bytes(&case, outcomes(&heard), outcomes(&native)).is_empty()
        };
        assert!(!outcomes(&native).is_empty() && !differs(answers.clone()));
        let other = Json::from([("value", Json::from(8)), ("writes", Json::Null)]);
        assert!(differs(vec![other.clone(), answers[1].clone()]));
        assert!(differs(vec![answers[0].clone(), other]));
        assert!(differs(answers[..1].to_vec()));
        let more = [&answers[..], &answers[..1]].concat();
        assert!(matches!(heard(more), Answer::Crashed(_)));
    }
}
