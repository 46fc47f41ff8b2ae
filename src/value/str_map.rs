//! Maps with string keys, in insertion order.
//!
//! Snapshots, reads and rules look up values by id. A hash table that is compiled per value type
//! would be the largest part of the module. So one index handles the keys of all maps and knows
//! only positions; each map stores its values in a list.
//!
//! The core has no random source, so the host passes the [seed of the hash](seed) once per process
//! or module instance. An attacker who does not know the seed cannot construct colliding keys.
//! Output order never depends on hash order, so the seed does not affect results.

use foldhash::SharedSeed;
use foldhash::fast::FoldHasher;
use hashbrown::HashTable;
use indexmap::{IndexMap, IndexSet};
use sha2::{Digest, Sha256};
use std::fmt;
use std::hash::BuildHasher;
use std::sync::OnceLock;

struct Seed {
    own: u64,
    shared: SharedSeed,
}

impl Seed {
    const fn of(own: u64, shared: u64) -> Self {
        Self { own, shared: SharedSeed::from_u64(shared) }
    }
}

// not 0: the hash multiplies with it, and 0 would make all hashes equal
static FIXED: Seed = Seed::of(0x9e37_79b9_7f4a_7c15, 0);
static SEED: OnceLock<Seed> = OnceLock::new();

/// Sets the seed of all maps that are created later, from random bytes of the host.
///
/// Only the first call has an effect; existing maps keep their seed. A
/// [workspace](crate::Workspace) calls this with the entropy of its first call.
///
/// Without a call the seed is fixed. This is safe for tools that only read data of their own user.
///
/// ```
/// use tuckbox::value::{Map, seed_hashing};
///
/// seed_hashing(&[7; 32]); // random bytes, once, before creating the first map
/// let names = Map::from_iter([("b", 1), ("a", 2)]);
/// assert_eq!(names.keys().collect::<Vec<_>>(), [&"b", &"a"]);
/// ```
pub fn seed(entropy: &[u8; 32]) {
    SEED.get_or_init(|| {
        let mut hasher = Sha256::new();
        hasher.update("hash seed");
        hasher.update(entropy);
        let bytes: [u8; 32] = hasher.finalize().into();
        let mut words = bytes
            .chunks_exact(8)
            .map(|word| word.iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte)));
        Seed::of(words.next().unwrap_or(0), words.next().unwrap_or(0))
    });
}

/// The hash function of all maps. The default uses the [seed], if it is set.
///
/// ```
/// use tuckbox::value::Set;
/// use tuckbox::value::json::Hashing;
///
/// // the same hashes in every process: do not use it for untrusted keys
/// let mut seen = Set::with_hasher(Hashing::fixed());
/// assert!(seen.insert("c1"));
/// assert!(!seen.insert("c1"));
/// ```
#[derive(Clone, Copy)]
pub struct Hashing(&'static Seed);

impl Hashing {
    /// Creates a hash function with a public seed, for constants.
    pub const fn fixed() -> Self {
        Self(&FIXED)
    }
}

impl Default for Hashing {
    fn default() -> Self {
        Self(SEED.get().unwrap_or(&FIXED))
    }
}

impl BuildHasher for Hashing {
    type Hasher = FoldHasher<'static>;

    fn build_hasher(&self) -> Self::Hasher {
        FoldHasher::with_seed(self.0.own, &self.0.shared)
    }
}

impl fmt::Debug for Hashing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // the seed is a secret
        f.write_str("Hashing")
    }
}

/// A map in the order of insertion, hashed under the [seed].
///
/// The example of [`seed_hashing`](crate::value::seed_hashing) shows it.
pub type Map<K, V> = IndexMap<K, V, Hashing>;

/// A set in the order of insertion, hashed under the [seed].
///
/// The example of [`Hashing`](crate::value::json::Hashing) shows it.
pub type Set<T> = IndexSet<T, Hashing>;

/// Distinct strings in insertion order.
pub(crate) type Keys = IndexSet<Box<str>, Hashing>;

/// An index from keys to positions in a list.
///
/// Short lists are searched linearly, without an allocation or a hash.
#[derive(Clone, Default)]
pub(crate) struct Places(Option<Box<Indexed>>);

#[derive(Clone)]
struct Indexed {
    hashing: Hashing,
    places: HashTable<usize>,
}

/// Maximum number of keys for a linear search.
const MAX_LINEAR_KEYS: usize = 12;

impl Places {
    /// Creates an index without keys.
    pub const fn new() -> Self {
        Self(None)
    }

    /// Returns the position of `key` among `count` keys; `at` returns the key at a position.
    pub fn find<'a>(
        &self,
        key: &str,
        count: usize,
        at: impl Fn(usize) -> &'a str,
    ) -> Option<usize> {
        match &self.0 {
            // ids of one project often share their start, so compare the last byte first
            None => (0..count).find(|place| {
                let known = at(*place);
                known.len() == key.len()
                    && known.as_bytes().last() == key.as_bytes().last()
                    && known == key
            }),
            Some(index) => {
                let hash = index.hashing.hash_one(key);
                index.places.find(hash, |place| at(*place) == key).copied()
            }
        }
    }

    /// Updates the index after a key is appended; `count` is the new number of keys.
    pub fn record_push<'a>(&mut self, count: usize, at: impl Fn(usize) -> &'a str) {
        match &mut self.0 {
            None if count > MAX_LINEAR_KEYS => self.rebuild(count, at),
            None => {}
            Some(index) => index.insert(count - 1, &at),
        }
    }

    /// Updates the index after keys are moved or removed; `count` is the new number of keys.
    pub fn record_moves<'a>(&mut self, count: usize, at: impl Fn(usize) -> &'a str) {
        match &self.0 {
            None => {}
            Some(_) if count > MAX_LINEAR_KEYS => self.rebuild(count, at),
            Some(_) => self.0 = None,
        }
    }

    /// Updates the index before the last of `count` keys replaces the key at `gone`.
    pub fn record_swap_remove<'a>(
        &mut self,
        gone: usize,
        count: usize,
        at: impl Fn(usize) -> &'a str,
    ) {
        let Some(index) = &mut self.0 else { return };
        let last = count - 1;
        let Indexed { hashing, places } = &mut **index;
        if let Ok(entry) = places.find_entry(hashing.hash_one(at(gone)), |place| *place == gone) {
            entry.remove();
        }
        if let Some(place) = places.find_mut(hashing.hash_one(at(last)), |place| *place == last) {
            *place = gone;
        }
    }

    fn rebuild<'a>(&mut self, count: usize, at: impl Fn(usize) -> &'a str) {
        let places = HashTable::with_capacity(2 * count);
        let mut index = Indexed { hashing: Hashing::default(), places };
        (0..count).for_each(|place| index.insert(place, &at));
        self.0 = Some(Box::new(index));
    }
}

impl Indexed {
    fn insert<'a>(&mut self, place: usize, at: &impl Fn(usize) -> &'a str) {
        let Self { hashing, places } = self;
        places.insert_unique(hashing.hash_one(at(place)), place, |place| {
            hashing.hash_one(at(*place))
        });
    }
}

/// A map with string keys, in insertion order. Equality ignores the order.
#[derive(Clone)]
pub(crate) struct StrMap<T> {
    keys: Vec<Box<str>>,
    places: Places,
    /// One value per key, in the order of the keys.
    things: Vec<T>,
}

/// Returns a function from a position to its key.
fn key_at<'a>(keys: &'a [Box<str>]) -> impl Fn(usize) -> &'a str {
    |place| keys.get(place).map_or("", |key| &**key)
}

impl<T> StrMap<T> {
    /// Creates an empty map.
    pub fn new() -> Self {
        Self { keys: Vec::new(), places: Places::new(), things: Vec::new() }
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.things.len()
    }

    /// Returns whether the map has `key`.
    pub fn contains_key(&self, key: &str) -> bool {
        self.place(key).is_some()
    }

    /// Returns the value of `key`.
    pub fn get(&self, key: &str) -> Option<&T> {
        self.things.get(self.place(key)?)
    }

    fn place(&self, key: &str) -> Option<usize> {
        // avoids hashing: a batch rarely writes a card that a turn shows
        if self.keys.is_empty() {
            return None;
        }
        self.places.find(key, self.keys.len(), key_at(&self.keys))
    }

    /// Returns the value of `key` and its position.
    ///
    /// Callers that look up many keys pass the position after the last one as `guess`. Lookups
    /// mostly follow the insertion order.
    pub fn get_near(&self, key: &str, guess: usize) -> Option<(usize, &T)> {
        let there = self.keys.get(guess).is_some_and(|there| **there == *key);
        let at = if there { guess } else { self.place(key)? };
        Some((at, self.things.get(at)?))
    }

    /// Returns the value of `key` for changes.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut T> {
        self.place(key).and_then(|place| self.things.get_mut(place))
    }

    /// Sets the value of `key` and returns the previous one.
    pub fn insert(&mut self, key: impl Into<Box<str>>, thing: T) -> Option<T> {
        let key = key.into();
        if let Some(there) = self.get_mut(&key) {
            return Some(std::mem::replace(there, thing));
        }
        self.push(key, thing);
        None
    }

    /// Adds a key that is not in the map yet.
    fn push(&mut self, key: Box<str>, thing: T) {
        self.keys.push(key);
        self.things.push(thing);
        self.places.record_push(self.keys.len(), key_at(&self.keys));
    }

    /// Sets the value of `key` if the map does not have it; returns whether it did.
    pub fn insert_new(&mut self, key: impl Into<Box<str>>, thing: T) -> bool {
        let key = key.into();
        let new = !self.contains_key(&key);
        if new {
            self.push(key, thing);
        }
        new
    }

    /// Removes `key`; the last entry moves to its position.
    pub fn swap_remove(&mut self, key: &str) -> Option<T> {
        let place = self.place(key)?;
        self.places.record_swap_remove(place, self.keys.len(), key_at(&self.keys));
        self.keys.swap_remove(place);
        Some(self.things.swap_remove(place))
    }

    /// Keeps only the entries for which `keep` returns true, in order.
    pub fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        let keys = std::mem::take(&mut self.keys);
        let things = std::mem::take(&mut self.things);
        self.places = Places::new();
        for (key, thing) in keys.into_iter().zip(things).filter(|(_, thing)| keep(thing)) {
            self.push(key, thing);
        }
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// Returns the keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|key| &**key)
    }

    /// Returns the values in order.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.things.iter()
    }

    /// Returns the entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.keys().zip(&self.things)
    }

    /// Returns the entries in order, with values for changes.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut T)> {
        self.keys.iter().map(|key| &**key).zip(&mut self.things)
    }

    /// Returns the values in order.
    pub fn into_values(self) -> Vec<T> {
        self.things
    }
}

impl<T> Default for StrMap<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for StrMap<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<T: PartialEq> PartialEq for StrMap<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(key, thing)| other.get(key) == Some(thing))
    }
}

impl<'a, T> FromIterator<(&'a str, T)> for StrMap<T> {
    fn from_iter<I: IntoIterator<Item = (&'a str, T)>>(entries: I) -> Self {
        let mut keyed = Self::new();
        for (key, thing) in entries {
            keyed.insert(key, thing);
        }
        keyed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_their_order_and_position() {
        let mut keyed: StrMap<u32> = [("b", 1), ("a", 2), ("b", 3)].into_iter().collect();
        assert_eq!(keyed.iter().collect::<Vec<_>>(), [("b", &3), ("a", &2)]);
        assert_eq!(keyed.insert("c", 4), None);
        assert_eq!(keyed.insert("a", 5), Some(2));
        assert!(!keyed.insert_new("a", 9) && keyed.insert_new("d", 6));
        assert_eq!(keyed.swap_remove("b"), Some(3));
        assert_eq!(keyed.swap_remove("b"), None);
        assert_eq!(keyed.iter().collect::<Vec<_>>(), [("d", &6), ("a", &5), ("c", &4)]);
        assert_eq!((keyed.get("c"), keyed.get("b"), keyed.len()), (Some(&4), None, 3));
        for guess in [0, 2, 9] {
            assert_eq!(keyed.get_near("c", guess), Some((2, &4)), "right or wrong");
            assert_eq!(keyed.get_near("b", guess), None);
        }
        for (_, thing) in keyed.iter_mut() {
            *thing += 1;
        }
        assert_eq!(keyed.clone().into_values(), [7, 6, 5]);
        assert_eq!(keyed, [("c", 5), ("d", 7), ("a", 6)].into_iter().collect());
        keyed.clear();
        assert!(keyed.len() == 0 && !keyed.contains_key("a"));
    }

    #[test]
    fn numbers_do_not_collide_next_to_a_zero() {
        let hashes = (0..1_000_u64).map(|at| Hashing::fixed().hash_one((None::<usize>, at)));
        assert_eq!(hashes.collect::<std::collections::BTreeSet<_>>().len(), 1_000);
    }

    #[test]
    fn entries_are_found_after_removals() {
        let mut keyed: StrMap<usize> = StrMap::new();
        for at in 0..100 {
            assert!(keyed.insert_new(format!("key {at}"), at));
        }
        for at in (0..100).step_by(3) {
            assert_eq!(keyed.swap_remove(&format!("key {at}")), Some(at));
        }
        for at in 0..100 {
            let there = keyed.get(&format!("key {at}"));
            assert_eq!(there, (at % 3 != 0).then_some(&at));
        }
        keyed.retain(|thing| thing % 2 == 0);
        assert!(
            (0..100)
                .all(|at| keyed.contains_key(&format!("key {at}")) == (at % 3 != 0 && at % 2 == 0))
        );
        keyed.retain(|thing| *thing == 2);
        assert_eq!((keyed.get("key 2"), keyed.get("key 4")), (Some(&2), None));
    }
}
