//! The project of an import. Each request and each answer has a box, and requests share cards. Each
//! configuration is a profile, each session an agent.
//!
//! Ids come from content alone. The same log gives the same project, and a message of two requests
//! is one card in two boxes. Every card has its place in the log under `origin` of its metadata.
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
mod names;
mod rows;
mod setup;
mod trail;

pub(super) use cards::held;
pub use cards::place;
pub use names::Names;
pub use rows::{Project, RejectedCard};
pub(super) use setup::definition;
pub(super) use setup::settings;

use super::model::Findings;
use crate::{Limits, ProjectId, Result, Timestamp};
use maker::Maker;

/// Makes the project of an import.
///
/// # Errors
/// `limit` if its boxes have more card ids than allowed. Each request lists its whole context.
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
