//! The hashes of the prefixes of a request, which requests on one path share.

use std::ops::Deref;
use std::rc::Rc;

/// The hash of each prefix, by the number of units.
pub(super) struct Prefixes {
    hashes: Rc<Vec<u64>>,
    len: usize,
}

impl Deref for Prefixes {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        self.hashes.get(..self.len).unwrap_or_default()
    }
}

impl Prefixes {
    /// Takes the prefixes of the first units.
    pub fn new(hashes: Rc<Vec<u64>>, units: usize) -> Self {
        Self { hashes, len: units + 1 }
    }

    /// Returns the number of equal prefixes. Each hash contains the one before.
    pub fn common(&self, other: &Self) -> usize {
        let most = self.len.min(other.len);
        if Rc::ptr_eq(&self.hashes, &other.hashes) {
            return most;
        }
        let (mut least, mut most) = (0, most);
        while least < most {
            let middle = least + (most - least) / 2;
            if self.get(middle) == other.get(middle) {
                least = middle + 1;
            } else {
                most = middle;
            }
        }
        least
    }
}
