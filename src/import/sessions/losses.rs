//! What the compactions of a session removed from the context.

use super::SessionQuestion;
use super::excerpt::excerpt;
use super::request::word;
use super::rows::parts_of;
use crate::import::explain;
use crate::prompt::cache::{FateTotals, MessageFate};
use crate::rule::{Immediate, Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::json::Json;
use crate::{Limits, Result};
use serde::Serialize;
use std::sync::Arc;

arguments! {
    /// Lists the messages that the compactions of a session removed from the context.
    #[derive(Clone, Debug)]
    struct ExplainCompactionsArguments {
        /// Only this compaction, from 0.
        pub compaction: Option<usize>,
        shared question: SessionQuestion,
    }
}

/// Lists the messages that the compactions of a session removed from the context.
///
/// ```
/// use tuckbox::import::sessions::ExplainCompactions;
/// # use tuckbox::rule::{Rule, Step};
/// # use tuckbox::{Env, Limits, Snapshot, Timestamp, json};
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let log = r#"{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}"#;
/// let call = json!({"files": [{"name": "request.json", "text": log}]});
/// let call = ExplainCompactions::read(&call, &Limits::default())?;
/// let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// assert_eq!(done.value.compactions, 0);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExplainCompactions(Immediate<CompactionPage>);

shape! {
    fn explain_compactions(arguments: ExplainCompactionsArguments) -> CompactionPage;
}

/// The compactions of a session.
///
/// Shown by the example of [`ExplainCompactions`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CompactionPage {
    /// The session.
    pub session: String,
    /// The number of compactions.
    pub compactions: usize,
    /// The totals of the listed compactions.
    pub totals: FateTotals,
    /// The messages that were not kept, in order.
    pub lost: Vec<LostMessage>,
    /// The `from` of the next page. Missing on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<usize>,
}

/// A message that a compaction removed from the context.
///
/// Shown by the example of [`ExplainCompactions`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LostMessage {
    /// The compaction, from 0.
    pub compaction: usize,
    /// The request before the compaction, by its number in the session.
    pub request: usize,
    /// The position of the message in that request, from 0.
    pub message: usize,
    /// The role.
    pub role: String,
    /// What happened to it: `covered`, `dropped` or `unknown`.
    pub fate: String,
    /// The tokens, estimated.
    pub tokens: u64,
    /// An excerpt, as the log has it.
    pub text: String,
}

impl ExplainCompactions {
    /// Reads a call from JSON, and its files.
    ///
    /// # Errors
    /// `not_found` for another session, `limit` for files that are too large.
    pub fn read(json: &Json, limits: &Limits) -> Result<Self> {
        let ExplainCompactionsArguments { compaction: only, question } =
            ExplainCompactionsArguments::from_json(json)?;
        let found = question.find(limits)?;
        let (numbers, account) = explain::whole_account(&found.session)?;
        let chosen = account.compactions.iter().enumerate();
        let chosen: Vec<_> = chosen.filter(|(at, _)| only.is_none_or(|only| only == *at)).collect();
        let mut value = CompactionPage {
            session: found.name.clone(),
            compactions: account.compactions.len(),
            totals: match (only, chosen.first()) {
                (None, _) => account.totals,
                (Some(_), Some((_, compaction))) => compaction.totals,
                (Some(_), None) => FateTotals::default(),
            },
            ..CompactionPage::default()
        };
        let mut lost = Vec::new();
        for (at, compaction) in chosen {
            let Some(&request) = numbers.get(compaction.before) else { continue };
            let tail = found.session.requests.get(request).and_then(|request| request.tail);
            let parts = parts_of(&found.session, tail);
            for message in &compaction.messages {
                if message.fate == MessageFate::Kept {
                    continue;
                }
                let own = parts.iter().filter(|part| part.message == message.message);
                let texts: Vec<String> = own.map(|part| part.row().text).collect();
                lost.push(LostMessage {
                    compaction: at,
                    request,
                    message: message.message,
                    role: message.role.clone(),
                    fate: word(&message.fate)?,
                    tokens: message.tokens,
                    text: excerpt(&texts.join(" ")),
                });
            }
        }
        (value.lost, value.next) = found.page(&value, lost)?;
        Ok(Self(Immediate::new(value)))
    }
}

impl Rule for ExplainCompactions {
    type Value = Arc<CompactionPage>;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Arc<CompactionPage>>>> {
        self.0.step(snapshot, env)
    }
}
