//! Adaptors, one per file of recorded cases. An adaptor converts the input of a case to calls, and
//! the answers to the recorded form.
//!
//! To add one, write `adaptors/NAME.rs` with a `run` function and add it to [`ADAPTORS`]. A file of
//! sequences has a `play` function and an entry in [`PLAYERS`], and needs no JavaScript. An adaptor
//! contains no rules. If it is long, the interface of the core is incomplete.

mod batch;
pub mod caller;
mod cards;
mod compose;
mod handoff;
pub mod imports;
mod lock;
mod orchestration;
mod pack;
mod recipes;
mod render;
mod scalar_text;
mod turn_view;
mod world;

use caller::{Caller, Played};
use tuckbox::{Json, Result};

/// The outcome of a call.
pub struct Outcome {
    /// The label of the recorded outcome: the dialect, or empty if there is only one.
    pub label: &'static str,
    /// The value in the form of the recorded `ok`, or the error.
    pub actual: Result<Json>,
}

impl Outcome {
    /// Returns the only outcome of a case.
    pub fn only(actual: Result<Json>) -> Vec<Self> {
        vec![Self { label: "", actual }]
    }
}

/// Runs a case with its `input` and the `worlds` of its file (`null` if there are none). No outcome
/// means that the core does not support the case, which then counts as skipped.
pub type Adaptor = fn(input: &Json, worlds: &Json) -> Vec<Outcome>;

/// The adaptors by file name.
const ADAPTORS: &[(&str, Adaptor)] = &[
    ("cards", cards::run),
    ("compose", compose::run),
    ("handoff", handoff::run),
    ("imports", imports::run),
    ("lock", lock::run),
    ("pack", pack::run),
    ("recipes", recipes::run),
    ("render", render::run),
    ("scalar_text", scalar_text::run),
    ("turn_view", turn_view::run),
];

/// Plays a case through a caller. Returns the answer in the recorded form.
pub type Player = fn(caller: &mut Caller, input: &Json) -> Played<Json>;

/// The players by file name.
const PLAYERS: &[(&str, Player)] = &[
    ("batch", batch::play),
    ("orchestration_batch", orchestration::play),
    ("orchestration_dispatch", orchestration::play),
    ("orchestration_l0", orchestration::play),
    ("orchestration_random", orchestration::play),
    ("orchestration_turn", orchestration::play),
    ("orchestration_watchdog", orchestration::play),
    ("orchestration_worker", orchestration::play),
];

/// Returns the player of a file.
pub fn player(file: &str) -> Option<Player> {
    PLAYERS.iter().find(|(name, _)| *name == file).map(|(_, player)| *player)
}

/// Returns the adaptor of a file.
pub fn find(file: &str) -> Option<Adaptor> {
    ADAPTORS.iter().find(|(name, _)| *name == file).map(|(_, adaptor)| *adaptor)
}

/// Returns the reason why a file is skipped.
pub fn skip_reason(file: &str) -> &'static str {
    match file {
        // the reference system stores lone surrogates and rounds large numbers; this crate rejects
        // surrogates and keeps every digit, as the tests of `json` check
        "json_text" => "evidence, not expectations",
        _ => "no adaptor yet",
    }
}
