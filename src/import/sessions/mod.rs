//! Questions about the sessions of logs, with answers of a limited size.
//!
//! An answer has a head and a list. The list ends where the answer has `max_tokens`; `next` is then
//! the `from` of the call that continues it. Text of a log is an excerpt. It never ends inside of a
//! word, so that a host can find and mask secrets in it.
//!
//! ```
//! use tuckbox::import::sessions::ExplainRequest;
//! # use tuckbox::rule::{Rule, Step};
//! # use tuckbox::{Env, Limits, Snapshot, Timestamp, json};
//! # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! let log = json!({"model": "gpt-5", "messages": [
//!     {"role": "system", "content": "You help. ".repeat(500)}, {"role": "user", "content": "Hi"}]});
//! let call = json!({"files": [{"name": "request.json", "text": log.to_string()}], "max_tokens": 200});
//! let call = ExplainRequest::read(&call, &Limits::default())?;
//! let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
//! assert!(done.value.tokens.estimated > 1_000, "the request is larger than the answer");
//! assert_eq!(done.value.buckets[0].kind, "system");
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod changes;
mod excerpt;
mod list;
mod losses;
mod misses;
mod request;
mod rows;
#[cfg(test)]
mod tests;

pub use changes::{CompareRequests, RequestChange, RequestChanges};
pub use list::{ListSessions, SessionEntry, SessionPage};
pub use losses::{CompactionPage, ExplainCompactions, LostMessage};
pub use misses::{CacheMiss, CachePage, ExplainMisses};
pub use request::{ExplainRequest, RequestBucket, RequestExplanation, RequestNote, RequestTokens};
pub use rows::MessageRow;

use super::model::{Request, Session};
use super::rule::ImportFile;
use super::{SourceFile, explain, import_within, neutral};
use crate::import::allowance::Allowance;
use crate::prompt::cache::RequestCache;
use crate::prompt::tokens::estimate_by_table;
use crate::value::arguments::arguments;
use crate::value::json::to_json;
use crate::{Error, Limits, Path, Result};
pub(crate) use excerpt::excerpt;
use excerpt::short;
use serde::Serialize;

/// The default size of an answer, in tokens.
pub(crate) const MAX_TOKENS: u64 = 2_000;

/// The tokens that a host adds to an answer, such as a fence.
const RESERVE: u64 = 150;

arguments! {
    /// The log, the session and the size of the answer.
    ///
    /// Shown by the example of [`ExplainRequest`].
    #[derive(Clone, Debug)]
    pub struct SessionQuestion {
        /// The files to read together.
        pub files: Vec<ImportFile>,
        /// The session. By default the newest one.
        pub session: Option<String>,
        /// The first entry of the list, from 0.
        pub from: usize = 0,
        /// The maximum size of the answer in tokens.
        pub max_tokens: u64 [200..=100_000] = MAX_TOKENS,
    }
}

/// A session that was found.
struct Found {
    session: Session,
    name: String,
    from: usize,
    max_tokens: u64,
}

impl SessionQuestion {
    /// Reads the files and returns the session.
    fn find(self, limits: &Limits) -> Result<Found> {
        let at_files = || Path::root().key("files");
        let sources: Vec<_> = self
            .files
            .iter()
            .map(|ImportFile { name, bytes }| SourceFile { name, bytes })
            .collect();
        let allowance = Allowance::of(limits.max_values);
        let findings = import_within(&sources, allowance.clone());
        if let Some(file) = allowance.spent_in() {
            let max = limits.max_values;
            let message = format!("the files have more values than `max_values`, {max}");
            return Err(Error::limit(message).at(at_files().index(file)).detail("max_values", max));
        }
        let count = findings.sessions.len();
        let mut newest_first = findings.sessions.into_iter().rev();
        let session = match &self.session {
            Some(name) => newest_first.find(|session| short(&session.id) == *name),
            None => newest_first.find(|session| !session.requests.is_empty()),
        };
        let session = session.ok_or_else(|| {
            let message = match &self.session {
                Some(name) => format!("no session `{}`; the files have {count}", short(name)),
                None => "the files have no session with a request".to_owned(),
            };
            Error::not_found(message).at(Path::root().key("session"))
        })?;
        let bytes = neutral::size_of(&session, limits);
        limits.check_bytes(bytes, &at_files())?;
        let name = short(&session.id);
        Ok(Found { session, name, from: self.from, max_tokens: self.max_tokens })
    }
}

impl Found {
    /// Returns a request by its number in the session; by default the last one of the conversation.
    fn request(&self, number: Option<usize>, key: &str) -> Result<(usize, &Request)> {
        let requests = &self.session.requests;
        let last = || {
            let last = neutral::last_of(&self.session).1?;
            requests.iter().position(|request| std::ptr::eq(request, last))
        };
        let found = number.or_else(last).and_then(|at| Some((at, requests.get(at)?)));
        found.ok_or_else(|| {
            let given = number.map(|number| format!(" `{number}`")).unwrap_or_default();
            let count = requests.len();
            Error::not_found(format!("no request{given}; the session has {count}, numbered from 0"))
                .at(Path::root().key(key))
        })
    }

    /// Returns why a request was not read from the cache; nothing for a request that is not part of
    /// the conversation.
    fn cache_of(&self, number: usize) -> Result<Option<RequestCache>> {
        let (numbers, explanation) = explain::session_cache(&self.session)?;
        let at = numbers.iter().position(|known| *known == number);
        Ok(at.and_then(|at| explanation.requests.get(at).cloned()))
    }

    /// Returns a page of entries. See [`page`].
    fn page<T: Serialize>(
        &self,
        head: &impl Serialize,
        entries: impl IntoIterator<Item = T>,
    ) -> Result<(Vec<T>, Option<usize>)> {
        page(head, entries, self.from, self.max_tokens)
    }
}

/// Returns the entries from `from` that fit next to the head of an answer, at least one, and the number
/// of the next one.
pub(crate) fn page<T: Serialize>(
    head: &impl Serialize,
    entries: impl IntoIterator<Item = T>,
    from: usize,
    max_tokens: u64,
) -> Result<(Vec<T>, Option<usize>)> {
    let mut left = max_tokens.saturating_sub(RESERVE).saturating_sub(tokens_of(head)?);
    let mut page = Vec::new();
    for (at, entry) in entries.into_iter().enumerate().skip(from) {
        // with the comma
        let tokens = tokens_of(&entry)? + 1;
        if tokens > left && !page.is_empty() {
            return Ok((page, Some(at)));
        }
        left = left.saturating_sub(tokens);
        page.push(entry);
    }
    Ok((page, None))
}

fn tokens_of(value: &impl Serialize) -> Result<u64> {
    Ok(estimate_by_table(&to_json(value)?.to_string()))
}
