//! The number of values that the files of one import can have.
//!
//! The cost of a file depends on its number of values, not on its length: 8 MB can be one long
//! string or four million numbers.

use crate::Result;
use crate::value::json::{Json, is_too_many, parse_without, values_in_texts};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The number of JSON values that can still be read. All copies share it.
#[derive(Clone, Debug)]
pub struct Allowance {
    left: Arc<AtomicUsize>,
    /// The file that exceeded it, from 1.
    spent_in: Arc<AtomicUsize>,
}

impl Default for Allowance {
    /// Returns an allowance without a limit.
    fn default() -> Self {
        Self::of(usize::MAX)
    }
}

impl Allowance {
    /// Returns an allowance of this many values.
    pub fn of(values: usize) -> Self {
        Self { left: Arc::new(AtomicUsize::new(values)), spent_in: Arc::default() }
    }

    /// Returns the file that exceeded the allowance.
    pub fn spent_in(&self) -> Option<usize> {
        self.spent_in.load(Relaxed).checked_sub(1)
    }

    /// Takes more values of a file: lines of text, rows of a table, messages that are stored
    /// several times. Returns false if there are too many.
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

    /// Reads a value of a file, without the members that have one of these keys. After the
    /// allowance is used up, nothing is read.
    pub fn parse(
        &self,
        file: usize,
        text: &str,
        without: &[&str],
        room: &mut String,
    ) -> Option<Result<Json>> {
        // the value itself counts as one, and so does text that is not JSON
        if !self.take(file, 1) {
            return None;
        }
        let mut left = self.left.load(Relaxed);
        let value = parse_without(text, without, room, &mut left);
        match &value {
            // logs have JSON inside strings, on several levels
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
