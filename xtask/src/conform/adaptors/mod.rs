//! One adaptor a file of recorded cases: it turns a case's input into calls of the core and the
//! answers into the shape of the recording.
//!
//! To add one: write `adaptors/NAME.rs` with a `run` function and add its line to [`ADAPTORS`]. A
//! file of sequences has a `play` function and its line in [`PLAYERS`]; it needs nothing in
//! JavaScript.
//! An adaptor computes nothing the core should compute; where it is longer than a screen, the
//! core's interface is missing something.

mod batch;
pub mod caller;
mod cards;
mod compose;
mod handoff;
pub mod imports;
mod orchestration;
mod pack;
mod recipes;
mod render;
mod scalar_text;
mod turn_view;
mod world;

use caller::{Caller, Played};
use tuckbox::{Json, Result};

/// What one call answered.
pub struct Outcome {
    /// Which of the recorded outcomes this is: the dialect, or empty where there is only one.
    pub label: &'static str,
    /// The value in the shape of the recording's `ok`, or the error.
    pub actual: Result<Json>,
}

impl Outcome {
    /// The only outcome of a case.
    pub fn only(actual: Result<Json>) -> Vec<Self> {
        vec![Self { label: "", actual }]
    }
}

/// Runs one case: its `input`, and the `worlds` of its file (`null` where there are none). No
/// outcome at all means that the core cannot do this yet; the case is counted as skipped.
pub type Adaptor = fn(input: &Json, worlds: &Json) -> Vec<Outcome>;

/// File name to adaptor.
const ADAPTORS: &[(&str, Adaptor)] = &[
    ("cards", cards::run),
    ("compose", compose::run),
    ("handoff", handoff::run),
    ("imports", imports::run),
    ("pack", pack::run),
    ("recipes", recipes::run),
    ("render", render::run),
    ("scalar_text", scalar_text::run),
    ("turn_view", turn_view::run),
];

/// Plays one case through a caller: the answer, in the shape of the recording.
pub type Player = fn(caller: &mut Caller, input: &Json) -> Played<Json>;

/// File name to player.
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

/// The player of a file.
pub fn player(file: &str) -> Option<Player> {
    PLAYERS.iter().find(|(name, _)| *name == file).map(|(_, player)| *player)
}

/// The adaptor of a file.
pub fn find(file: &str) -> Option<Adaptor> {
    ADAPTORS.iter().find(|(name, _)| *name == file).map(|(_, adaptor)| *adaptor)
}

/// Why a file is skipped as a whole.
pub fn why_skipped(file: &str) -> &'static str {
    match file {
        // raw JSON text at the edges: the recorded system stores lone surrogates and rounds large
        // numbers, we refuse the ones and keep the others; the tests of `json` hold our rules
        "json_text" => "evidence, not expectations",
        _ => "no adaptor yet",
    }
}
