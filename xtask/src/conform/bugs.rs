//! The places of recorded steps that show a recorded bug.
//!
//! From the first step with a tagged bug on, a place of a step can differ if the bug shows there. All
//! other places of these steps are compared. `tests/vectors/orchestration.md` describes the bugs.

use super::compare::{Actual, Options, compare};
use super::recorded::text;
use super::vectors::{Case, Expected};
use tuckbox::value::error::Step;
use tuckbox::{Json, Path};

/// A place of a step that differs: the number of the step, and `ok`, `messages` or a table.
pub type Place = (usize, String);

/// Returns the number of the first step with a recorded bug.
pub fn first_step(case: &Json) -> usize {
    let step =
        case.get("bug_from_step").and_then(Json::as_number).and_then(|number| number.whole());
    step.and_then(|step| usize::try_from(step).ok()).unwrap_or(usize::MAX)
}

/// Returns the bugs of a case.
fn bugs(case: &Json) -> Vec<&str> {
    let further = case.get("also_bugs").and_then(Json::as_array).unwrap_or_default();
    let further = further.iter().filter_map(Json::as_str);
    std::iter::once(text(case, "upstream_bug")).chain(further).collect()
}

fn shows(case: &Json, place: &str) -> bool {
    if std::env::var_os("ALL_PLACES").is_some() {
        return true;
    }
    let of = |bug: &&str| BUGS.iter().find(|(name, _)| name == bug).map_or(&[][..], |(_, of)| of);
    bugs(case).iter().any(|bug| of(bug).contains(&place))
}

/// Replaces the places of recorded steps that show a bug by ours, and returns them.
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
        let mut places = places.filter(|(step, place)| *step >= first && shows(&case.input, place));
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
    let keys = if place == "ok" { &["ok", "error"][..] } else { &[place][..] };
    let is_table = !matches!(place, "ok" | "messages");
    for key in keys {
        if is_table {
            let changes = ours.get("changes").and_then(|changes| changes.get(key));
            let Some(Json::Object(theirs)) = theirs.get_mut("changes") else { continue };
            match changes {
                Some(ours) => _ = theirs.insert((*key).to_owned(), ours.clone()),
                None => _ = theirs.remove(*key),
            }
        } else {
            match ours.get(key) {
                Some(ours) => _ = theirs.insert((*key).to_owned(), ours.clone()),
                None => _ = theirs.remove(*key),
            }
        }
    }
}

/// The recorded bugs, and the places where each can show.
const BUGS: &[(&str, &[&str])] = &[];
