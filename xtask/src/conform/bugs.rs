//! The places of recorded steps that show a recorded bug.
//!
//! From the first step with a tagged bug on, places of a step can differ. All other places of these
//! steps are compared. `bugs.txt` has the places, so that a further one fails the run.
//! `tests/vectors/orchestration.md` describes the bugs.

use super::compare::{Actual, Options, compare};
use super::vectors::{Case, Expected};
use tuckbox::value::error::Step;
use tuckbox::{Json, Path};

/// A place of a step that differs: the number of the step, and `ok`, `messages` or a table.
pub type Place = (usize, String);

/// The known places, a line for each file and bug.
const KNOWN: &str = include_str!("bugs.txt");

/// Returns the lines of `found` that are not known, and the known lines that were not found.
pub fn changes(found: &[String]) -> Vec<String> {
    let known: Vec<&str> = KNOWN.lines().filter(|line| !line.starts_with('#')).collect();
    let new = found.iter().filter(|line| !known.contains(&line.as_str()));
    let gone = known.iter().filter(|line| !found.iter().any(|found| found == *line));
    new.map(|line| format!("+ {line}")).chain(gone.map(|line| format!("- {line}"))).collect()
}

/// Returns the number of the first step with a recorded bug.
pub fn first_step(case: &Json) -> usize {
    let step =
        case.get("bug_from_step").and_then(Json::as_number).and_then(|number| number.whole());
    step.and_then(|step| usize::try_from(step).ok()).unwrap_or(usize::MAX)
}

/// Replaces the places of recorded steps that differ from the first bug on by ours, and returns them.
pub fn take(case: &Case, theirs: &mut [Json], ours: &[Json], options: Options) -> Vec<Place> {
    let first = first_step(&case.input);
    let mut taken: Vec<Place> = Vec::new();
    if first >= theirs.len() {
        return taken;
    }
    loop {
        let recorded = Expected::Ok(theirs.iter().cloned().collect());
        let found: Actual = Ok(ours.iter().cloned().collect());
        let mismatches = compare(&recorded, &found, options);
        let places = mismatches.iter().filter_map(|mismatch| place_of(&mismatch.path));
        let mut places = places.filter(|(step, _)| *step >= first);
        // an earlier place can bind placeholders of a later one
        let Some(place) = places.find(|place| !taken.contains(place)) else { return taken };
        if let (Some(theirs), Some(ours)) = (theirs.get_mut(place.0), ours.get(place.0)) {
            replace(theirs, ours, &place.1);
        }
        taken.push(place);
    }
}

fn place_of(path: &Path) -> Option<Place> {
    let mut steps = path.steps().iter();
    let Some(Step::Index(step)) = steps.next() else { return None };
    let mut keys = steps.filter_map(|step| match step {
        Step::Key(key) => Some(&**key),
        Step::Index(_) => None,
    });
    let place = match keys.next()? {
        "changes" => keys.next()?,
        "error" => "ok",
        place => place,
    };
    Some((*step, place.to_owned()))
}

fn replace(theirs: &mut Json, ours: &Json, place: &str) {
    let (Json::Object(theirs), Some(ours)) = (theirs, ours.as_object()) else { return };
    let keys = if place == "ok" { vec!["ok", "error"] } else { vec![place] };
    let is_table = !matches!(place, "ok" | "messages");
    for key in keys {
        if is_table {
            let ours = ours.get("changes").and_then(|changes| changes.get(key));
            let Some(Json::Object(theirs)) = theirs.get_mut("changes") else { continue };
            match ours {
                Some(ours) => _ = theirs.insert(key.to_owned(), ours.clone()),
                None => _ = theirs.remove(key),
            }
        } else {
            match ours.get(key) {
                Some(ours) => _ = theirs.insert(key.to_owned(), ours.clone()),
                None => _ = theirs.remove(key),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_place_is_found() {
        let known: Vec<String> =
            KNOWN.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
        assert_eq!(changes(&known), Vec::<String>::new());
        let (first, others) = known.split_first().unwrap();
        assert_eq!(changes(others), [format!("- {first}")]);
        let more = [known.as_slice(), &["f b: 1 cases, 1 steps: ok 1".to_owned()]].concat();
        assert_eq!(changes(&more), ["+ f b: 1 cases, 1 steps: ok 1"]);
    }

    #[test]
    fn steps_are_compared_except_at_the_places_of_a_bug() {
        let input = Json::parse(r#"{"upstream_bug": "b", "bug_from_step": 1}"#).unwrap();
        let case = Case { name: "c".into(), input, tags: Vec::new(), expected: Vec::new() };
        let steps =
            |text: &str| -> Vec<Json> { Json::parse(text).unwrap().as_array().unwrap().to_vec() };
        let step = |ok: i64, messages: i64| {
            format!(
                r#"{{"ok": {ok}, "changes": {{"t": {{"insert": [1]}}}}, "messages": [{messages}]}}"#
            )
        };
        let all = |list: [String; 3]| steps(&format!("[{}]", list.join(",")));
        let ours = all([step(1, 1), step(1, 1), step(1, 1)]);
        let mut theirs = all([step(1, 1), step(1, 2), step(1, 1)]);
        let taken = take(&case, &mut theirs, &ours, Options::default());
        assert_eq!(taken, [(1, "messages".to_owned())]);
        assert_eq!(theirs, ours);
        // before the bug, every place counts
        let mut theirs = all([step(2, 1), step(1, 1), step(1, 1)]);
        assert_eq!(take(&case, &mut theirs, &ours, Options::default()), []);
        assert_ne!(theirs, ours);
    }
}
