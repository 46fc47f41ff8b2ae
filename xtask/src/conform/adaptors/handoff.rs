//! `handoff`: which packages the recorded models accept, and every location of what they refuse.

use super::Outcome;
use tuckbox::handoff::Reading;
use tuckbox::value::json::{Field, Json, to_json};

pub fn run(input: &Json, _worlds: &Json) -> Vec<Outcome> {
    let read = Reading::from_json(&Field::root(input)).and_then(|reading| reading.read());
    Outcome::only(read.and_then(|package| to_json(&package)))
}
