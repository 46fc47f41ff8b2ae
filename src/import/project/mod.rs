//! A project out of what was found: one box a request, one for each answer, cards that histories
//! share, a profile for every way in which requests were made, an agent for every session.
//!
//! Ids come from content alone: the same log gives the same project, and a message that two
//! requests hold is one card in two boxes. Every card says where it was read, in `origin` of its
//! metadata.
//!
//! ```
//! use tuckbox::import::{SourceFile, import, project};
//! use tuckbox::{Limits, Timestamp};
//!
//! let log = br#"{"model":"gpt-5","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}"#;
//! let found = import(&[SourceFile { name: "request.json", bytes: log }]);
//! let made = project::project(&found, &"p1".into(), Timestamp::from_millis(0), &Limits::default())?;
//! assert_eq!((made.profiles.len(), made.agents.len(), made.refused.len()), (1, 1, 0));
//! assert!(made.cards.iter().any(|card| card.content.text_view() == "Hi"));
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod cards;
mod maker;
mod setup;
mod trail;

pub(super) use cards::held;
pub use cards::place;

use super::model::{Findings, Origin, Session};
use crate::rule::ledger::BoxLedger;
use crate::store::{Agent, Profile};
use crate::value::card::Card;
use crate::value::hex::hex;
use crate::value::json::Json;
use crate::{CardBox, Limits, ProjectId, Result, Timestamp};
use maker::Maker;
use sha2::{Digest, Sha256};

/// Who made the cards, for audit.
const AUTHOR: &str = "import";

/// A card that was refused, and why.
///
/// ```
/// use tuckbox::import::{SourceFile, import, project::project};
/// use tuckbox::{Limits, Timestamp};
///
/// let log = br#"{"model":"gpt-5","messages":[{"role":"user","content":"far too long for a card"}]}"#;
/// let found = import(&[SourceFile { name: "request.json", bytes: log }]);
/// let limits = Limits { max_content_bytes: 10, ..Limits::default() };
/// let made = project(&found, &"p1".into(), Timestamp::from_millis(0), &limits)?;
/// assert!(!made.refused[0].message.is_empty());
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Refused {
    /// Where it was read.
    pub origin: Origin,
    /// Why.
    pub message: String,
}

/// The rows of a project.
///
/// Shown by the [example of its module](self).
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// Every card once, in the order it was first met.
    pub cards: Vec<Card>,
    /// The boxes: of profiles, of requests, of answers.
    pub boxes: Vec<CardBox>,
    /// One for each system prompt, model and list of settings.
    pub profiles: Vec<Profile>,
    /// One for each session.
    pub agents: Vec<Agent>,
    /// What a card may not hold.
    pub refused: Vec<Refused>,
    /// Why every card is in its box: where it was read, or the request before that held it too.
    pub accounts: Vec<BoxLedger>,
}

/// The names of the boxes of a session.
///
/// ```
/// use tuckbox::import::model::Session;
/// use tuckbox::import::project::Names;
///
/// let names = Names::of(&Session::new("my_tool", "s1"));
/// assert_ne!(names.request(0), names.request(1));
/// assert_eq!(names.request(0), Names::of(&Session::new("my_tool", "s1")).request(0));
/// ```
#[derive(Clone, Debug)]
pub struct Names {
    session: String,
    summaries: Vec<usize>,
}

impl Names {
    /// The names for a session.
    pub fn of(session: &Session) -> Self {
        Self { session: slug(session), summaries: session.summaries() }
    }

    /// The box of a request.
    pub fn request(&self, at: usize) -> String {
        request_box(&self.session, at)
    }

    /// The box of a summary, which covers the boxes of the requests before it.
    pub fn summary(&self, at: usize) -> String {
        let place = self.summaries.binary_search(&at).unwrap_or_default();
        format!("{}_summary_{}", self.session, place + 1)
    }
}

fn request_box(session: &str, at: usize) -> String {
    format!("{session}_{}", at + 1)
}

fn slug(session: &Session) -> String {
    let name = format!("{}_{}", session.source, short(&[session.source, &session.id]));
    // another one under the same id
    if session.copy > 0 { format!("{name}_copy{}", session.copy) } else { name }
}

fn short(texts: &[&str]) -> String {
    Hashed::of(texts).hex(5)
}

/// A hash over texts, each after its length.
#[derive(Clone)]
struct Hashed(Sha256);

impl Hashed {
    fn of(texts: &[&str]) -> Self {
        texts.iter().fold(Self(Sha256::new()), |hash, text| hash.with(text))
    }

    fn with(mut self, text: &str) -> Self {
        // of one width on every machine
        self.0.update((text.len() as u64).to_be_bytes());
        self.0.update(text);
        self
    }

    /// The first bytes.
    fn hex(self, bytes: usize) -> String {
        hex(self.0.finalize().get(..bytes).unwrap_or_default())
    }
}

/// Makes the project of everything that was found.
///
/// # Errors
/// `limit` when its boxes would list more cards than allowed: each request lists its whole context.
///
/// ```
/// use tuckbox::import::{SourceFile, import, project::project};
/// use tuckbox::{Code, Limits, Timestamp};
///
/// let log = br#"{"model":"gpt-5","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]}"#;
/// let found = import(&[SourceFile { name: "request.json", bytes: log }]);
/// let limits = Limits { max_ids: 1, ..Limits::default() };
/// let error = project(&found, &"p1".into(), Timestamp::from_millis(0), &limits).unwrap_err();
/// assert_eq!(error.code(), Code::Limit);
/// ```
pub fn project(
    findings: &Findings,
    project_id: &ProjectId,
    now: Timestamp,
    limits: &Limits,
) -> Result<Project> {
    let mut maker = Maker::new(findings, project_id, now, limits);
    findings.sessions.iter().try_for_each(|session| maker.session(session))?;
    Ok(maker.out)
}

impl Project {
    /// The project as a snapshot that every store takes.
    pub fn snapshot(&self, project_id: &ProjectId) -> Json {
        let rows = |rows: Vec<Json>| Json::Array(rows);
        let json = |value: crate::Result<Json>| value.unwrap_or_default();
        let project = Json::from([
            ("project_id", Json::from(project_id)),
            ("cards", rows(self.cards.iter().map(Card::row).collect())),
            ("boxes", rows(self.boxes.iter().map(CardBox::row).collect())),
            (
                "profiles",
                rows(
                    self.profiles
                        .iter()
                        .map(|row| json(crate::value::json::to_json(row)))
                        .collect(),
                ),
            ),
            (
                "agents",
                rows(
                    self.agents.iter().map(|row| json(crate::value::json::to_json(row))).collect(),
                ),
            ),
        ]);
        Json::from([("projects", Json::Array(vec![project]))])
    }
}
