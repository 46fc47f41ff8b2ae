//! The rows that a decision rests on.

use crate::store::{Expectation, Kind, Snapshot};
use crate::value::str_map::StrMap;

/// What a rule looked at and could have decided otherwise by, each row once, in the order in which it
/// was first looked at. It becomes the expectations of the batch: **a commit succeeds only if the
/// same call on a fresh read would have the same outcome.**
#[derive(Clone, Debug, Default)]
pub(crate) struct Relied(StrMap<Expectation>);

impl Relied {
    /// The decision rests on what was read under this key, present or absent. What was not read
    /// cannot have been looked at.
    pub fn on(&mut self, snapshot: &Snapshot, kind: Kind, key: &str) -> &mut Self {
        self.on_all(snapshot.expectation(kind, key))
    }

    /// The decision rests on all of these.
    pub fn on_all(&mut self, expectations: impl IntoIterator<Item = Expectation>) -> &mut Self {
        for expected in expectations {
            self.0.insert_new(expected.id(), expected);
        }
        self
    }

    /// The expectations of the batch.
    pub fn into_expects(self) -> Vec<Expectation> {
        self.0.into_values()
    }
}
