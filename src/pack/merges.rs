//! Merges that several contexts share.

use crate::rule::ledger::Inherited;
use crate::rule::merge::{MergeResult, Merger};
use crate::value::ids::Symbol;
use crate::value::str_map::StrMap;
use std::sync::Arc;

/// The merges of one call. Contexts that inherit the same boxes share one merge.
#[derive(Default)]
pub(crate) struct Merges {
    merger: Merger,
    made: StrMap<Arc<MergeResult>>,
}

impl Merges {
    /// Merges the lists of these boxes.
    pub fn merge(
        &mut self,
        boxes: &[Inherited],
        lists: &[&[Symbol]],
        names: usize,
    ) -> Arc<MergeResult> {
        let mut key = String::new();
        for Inherited { box_id, .. } in boxes {
            // the length makes the key unambiguous: no id looks like two
            key.push_str(itoa::Buffer::new().format(box_id.as_str().len()));
            key.push(':');
            key.push_str(box_id.as_str());
        }
        if let Some(made) = self.made.get(&key) {
            return Arc::clone(made);
        }
        let merged = Arc::new(self.merger.merge(lists, names));
        self.made.insert(key, Arc::clone(&merged));
        merged
    }
}
