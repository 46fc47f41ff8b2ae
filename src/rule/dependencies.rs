//! The rows that a decision depends on.

use crate::store::{Expectation, Kind, Snapshot};
use crate::value::str_map::StrMap;

/// The rows that a rule depends on, each once, in order of first use. They become the expectations
/// of the batch: **a commit succeeds only if the same call on a fresh read has the same outcome.**
#[derive(Clone, Debug, Default)]
pub(crate) struct Dependencies(StrMap<Expectation>);

impl Dependencies {
    /// Adds the row of this key, present or absent. Keys that were not read are ignored.
    pub fn on(&mut self, snapshot: &Snapshot, kind: Kind, key: &str) -> &mut Self {
        self.on_all(snapshot.expectation(kind, key))
    }

    /// Adds all of these expectations.
    pub fn on_all(&mut self, expectations: impl IntoIterator<Item = Expectation>) -> &mut Self {
        for expected in expectations {
            self.0.insert_new(expected.id(), expected);
        }
        self
    }

    /// Returns the expectations of the batch.
    pub fn into_expects(self) -> Vec<Expectation> {
        self.0.into_values()
    }
}
