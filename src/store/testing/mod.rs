//! The contract of [`Store`] as tests for any store.
//!
//! Each [`Case`] runs in an empty project of a store and reports what the store does wrong. The
//! JavaScript contract has the same cases: atomicity, versions, deletion, operations, rows, reads
//! and load.
//!
//! ```
//! use tuckbox::store::{MemoryStore, testing};
//!
//! for case in testing::CASES {
//!     case.run(&mut MemoryStore::new(), "p1").unwrap();
//! }
//! ```

mod cases;
mod trial;

use super::Store;
use cases::*;
use trial::Trial;

/// The result of a case: an error describes how the store breaks the contract.
///
/// ```
/// use tuckbox::store::{MemoryStore, testing};
///
/// // a test of your own store: each case needs an empty project
/// let first: testing::Outcome = testing::CASES[0].run(&mut MemoryStore::new(), "p1");
/// assert_eq!(first, Ok(()));
/// ```
pub type Outcome = Result<(), String>;

/// A test of a store.
///
/// The [example of its module](self) shows it.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The group: `atomicity`, `versions`, `deletion`, `operations`, `rows`, `reads` or `load`.
    pub group: &'static str,
    /// The behavior that it checks.
    pub name: &'static str,
    test: fn(&mut Trial<'_>) -> Outcome,
}

impl Case {
    /// Runs the case in an empty project of `store`.
    ///
    /// # Errors
    /// Returns the actual and the expected behavior of the store.
    pub fn run(&self, store: &mut dyn Store, project_id: &str) -> Outcome {
        let mut trial = Trial { store, project_id: project_id.into(), count: 0 };
        (self.test)(&mut trial).map_err(|problem| format!("{}: {problem}", self.name))
    }
}

/// All cases.
///
/// The [example of the module](self) shows them.
pub const CASES: &[Case] = &[
    Case { group: "atomicity", name: "a rejected batch writes nothing", test: refused },
    Case { group: "atomicity", name: "a rejected operation can be repeated", test: tried_again },
    Case { group: "versions", name: "each change increases the version", test: versions },
    Case { group: "versions", name: "changes of one batch apply in order", test: in_order },
    Case { group: "versions", name: "every expectation is checked", test: second },
    Case { group: "versions", name: "a box id is used once, even after a delete", test: once },
    Case { group: "versions", name: "a row that was absent must still be absent", test: absent },
    Case {
        group: "versions",
        name: "agents, profiles, cards and directories are expected",
        test: kinds,
    },
    Case {
        group: "deletion",
        name: "a deleted card stays readable, with the time of its deletion",
        test: deleted_card,
    },
    Case { group: "deletion", name: "an erased card has no content", test: erased_card },
    Case { group: "deletion", name: "a deleted box cannot be changed", test: deleted_box },
    Case { group: "operations", name: "an operation applies once", test: applies_once },
    Case {
        group: "operations",
        name: "another batch under a used id is a conflict",
        test: other_batch,
    },
    Case {
        group: "operations",
        name: "one card twice in a batch is one card",
        test: twice_in_a_batch,
    },
    Case { group: "rows", name: "a row is put, changed under its version and deleted", test: rows },
    Case { group: "rows", name: "a list has the first rows of an index in order", test: lists },
    Case { group: "rows", name: "a unique index has one row for a value", test: unique },
    Case {
        group: "rows",
        name: "a turn that is written as a row is read with its agent",
        test: joined,
    },
    Case { group: "reads", name: "each key is returned once", test: answered },
    Case { group: "reads", name: "a project cannot read data of another", test: apart },
    Case { group: "load", name: "a large batch is atomic", test: large },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Answers, Before, MemoryStore, Reads, Receipt, Writes};

    #[test]
    fn the_memory_store_keeps_the_contract() {
        for case in CASES {
            case.run(&mut MemoryStore::new(), "p1").unwrap();
        }
    }

    /// A store with one defect.
    struct Broken(MemoryStore, fn(&mut Writes));

    impl Store for Broken {
        fn read(&self, reads: &Reads) -> crate::Result<Answers> {
            self.0.read(reads)
        }

        fn commit(&mut self, writes: &Writes) -> crate::Result<Receipt> {
            let mut writes = writes.clone();
            (self.1)(&mut writes);
            self.0.commit(&writes)
        }
    }

    #[test]
    fn a_store_that_breaks_the_contract_fails() {
        type Defect = fn(&mut Writes);
        let defects: [(&str, Defect); 7] = [
            ("versions", |writes| writes.expects.clear()),
            ("versions", |writes| writes.expects.truncate(1)),
            ("operations", |writes| writes.operation_id = format!("{:p}", writes)),
            ("deletion", |writes| writes.delete_cards.clear()),
            ("deletion", |writes| writes.erase_cards.clear()),
            ("rows", |writes| writes.rows.truncate(1)),
            ("rows", |writes| {
                writes.rows.iter_mut().for_each(|change| change.before = Before::Any);
            }),
        ];
        for (group, defect) in defects {
            let of_group = CASES.iter().filter(|case| case.group == group);
            let mut kept =
                of_group.map(|case| case.run(&mut Broken(MemoryStore::new(), defect), "p"));
            assert!(kept.any(|outcome| outcome.is_err()), "{group}");
        }
    }
}
