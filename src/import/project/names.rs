//! Names of boxes and cards, from their content.

use crate::import::model::Session;
use crate::value::hex::hex;
use sha2::{Digest, Sha256};

/// The author of imported cards, for audit.
pub(super) const AUTHOR: &str = "import";

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
    pub(super) session: String,
    summaries: Vec<usize>,
}

impl Names {
    /// Returns the names for a session.
    pub fn of(session: &Session) -> Self {
        Self { session: slug(session), summaries: session.summaries() }
    }

    /// Returns the box of a request.
    pub fn request(&self, at: usize) -> String {
        request_box(&self.session, at)
    }

    /// Returns the box of a summary, which covers the boxes of earlier requests.
    pub fn summary(&self, at: usize) -> String {
        let place = self.summaries.binary_search(&at).unwrap_or_default();
        format!("{}_summary_{}", self.session, place + 1)
    }
}

pub(super) fn request_box(session: &str, at: usize) -> String {
    format!("{session}_{}", at + 1)
}

pub(super) fn slug(session: &Session) -> String {
    let name = format!("{}_{}", session.source, short(&[session.source, &session.id]));
    // another session with the same id
    if session.copy > 0 { format!("{name}_copy{}", session.copy) } else { name }
}

pub(super) fn short(texts: &[&str]) -> String {
    TextHash::of(texts).hex(5)
}

/// A hash of strings, each preceded by its length.
#[derive(Clone)]
pub(super) struct TextHash(Sha256);

impl TextHash {
    pub fn of(texts: &[&str]) -> Self {
        texts.iter().fold(Self(Sha256::new()), |hash, text| hash.with(text))
    }

    pub fn with(mut self, text: &str) -> Self {
        // lengths have the same width on every machine
        self.0.update((text.len() as u64).to_be_bytes());
        self.0.update(text);
        self
    }

    /// Returns the first bytes.
    pub fn hex(self, bytes: usize) -> String {
        hex(self.0.finalize().get(..bytes).unwrap_or_default())
    }
}
