//! The rows of a project.

use crate::import::model::Origin;
use crate::rule::ledger::BoxLedger;
use crate::store::{Agent, Profile};
use crate::value::card::Card;
use crate::value::json::Json;
use crate::{CardBox, ProjectId};

/// A card that was rejected, and why.
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
pub struct RejectedCard {
    /// The origin.
    pub origin: Origin,
    /// The reason.
    pub message: String,
}

/// The rows of a project.
///
/// Shown by the [example of its module](super).
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// Every card once, in the order of the log.
    pub cards: Vec<Card>,
    /// The boxes of profiles, requests and answers.
    pub boxes: Vec<CardBox>,
    /// One profile for each system prompt, model and list of settings.
    pub profiles: Vec<Profile>,
    /// One agent for each session.
    pub agents: Vec<Agent>,
    /// The cards that were rejected.
    pub refused: Vec<RejectedCard>,
    /// The cause of every card in its box: its place in the log, or the previous request that has
    /// it.
    pub accounts: Vec<BoxLedger>,
}

impl Project {
    /// Returns the project as a snapshot that every store accepts.
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
