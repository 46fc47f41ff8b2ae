//! How much the files of one import may hold.
//!
//! What a file costs is decided by how many values it holds, not by its length: a file of 8 MB can be one
//! long text, or four million numbers.

use crate::Result;
use crate::value::json::{Json, is_too_many, parse_without, values_in_texts};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// How many JSON values may still be read. All copies count together.
#[derive(Clone, Debug)]
pub struct Allowance {
    left: Arc<AtomicUsize>,
    /// The file in which a value was too much, counted from 1.
    spent_in: Arc<AtomicUsize>,
}

impl Default for Allowance {
    /// Any number.
    fn default() -> Self {
        Self::of(usize::MAX)
    }
}

impl Allowance {
    /// So many values.
    pub fn of(values: usize) -> Self {
        Self { left: Arc::new(AtomicUsize::new(values)), spent_in: Arc::default() }
    }

    /// The file that holds the first value beyond what is allowed.
    pub fn spent_in(&self) -> Option<usize> {
        self.spent_in.load(Relaxed).checked_sub(1)
    }

    /// Whether so many more may come of a file: lines of a text, rows of a table, messages that stand in
    /// several places.
    pub fn take(&self, file: usize, count: usize) -> bool {
        if self.spent_in().is_some() {
            return false;
        }
        let left = self.left.load(Relaxed).checked_sub(count);
        self.left.store(left.unwrap_or_default(), Relaxed);
        if left.is_none() {
            self.spent_in.store(file + 1, Relaxed);
        }
        left.is_some()
    }

    /// Reads a value of a file, without the members that have one of these keys. Nothing is read any
    /// more once there was too much.
    pub fn parse(
        &self,
        file: usize,
        text: &str,
        without: &[&str],
        room: &mut String,
    ) -> Option<Result<Json>> {
        // the value itself is one too, and all of what is no JSON
        if !self.take(file, 1) {
            return None;
        }
        let mut left = self.left.load(Relaxed);
        let value = parse_without(text, without, room, &mut left);
        match &value {
            // logs hold JSON in texts, and some of it in texts again
            Ok(value) => {
                self.left.store(left, Relaxed);
                if !self.take(file, values_in_texts(value)) {
                    return None;
                }
            }
            Err(error) if is_too_many(error) => {
                self.spent_in.store(file + 1, Relaxed);
                return None;
            }
            Err(_) => {}
        }
        Some(value)
    }
}
