//! `handoff`: the packages that the recorded models accept, and the locations of all errors.

use super::Outcome;
use tuckbox::handoff::ReadHandoff;
use tuckbox::value::json::{Json, to_json};

pub fn run(input: &Json, _worlds: &Json) -> Vec<Outcome> {
    let read = ReadHandoff::from_json(input).and_then(|call| call.read());
    Outcome::only(read.and_then(|package| to_json(&package)))
}
