//! JSON objects: pairs in insertion order.
//!
//! Nearly all objects are small. A small object is one list that is searched linearly; a large
//! object also has an index.

use super::Json;
use crate::value::str_map::Places;
use serde::ser::{Serialize, Serializer};
use std::fmt;

/// A JSON object in its own key order.
///
/// ```
/// use tuckbox::value::json::{Json, Object};
///
/// let mut object = Object::new();
/// object.insert("b".into(), Json::from(1));
/// object.insert("a".into(), Json::from(2));
/// object.insert("b".into(), Json::from(3));
/// assert_eq!(Json::Object(object).to_string(), r#"{"b":3,"a":2}"#);
/// ```
#[derive(Clone, Default)]
pub struct Object {
    pairs: Vec<(String, Json)>,
    places: Places,
}

/// Returns a function from a position to its key.
fn key_at<'a>(pairs: &'a [(String, Json)]) -> impl Fn(usize) -> &'a str {
    |place| pairs.get(place).map_or("", |(key, _)| key.as_str())
}

impl Object {
    /// Creates an empty object.
    pub const fn new() -> Self {
        Self { pairs: Vec::new(), places: Places::new() }
    }

    /// Creates an empty object with capacity for `pairs` pairs.
    pub fn with_capacity(pairs: usize) -> Self {
        Self { pairs: Vec::with_capacity(pairs), places: Places::new() }
    }

    /// Reserves capacity for `pairs` more pairs.
    pub(crate) fn reserve(&mut self, pairs: usize) {
        self.pairs.reserve(pairs);
    }

    /// Returns the number of pairs.
    pub const fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns whether there are no pairs.
    pub const fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    fn place(&self, key: &str) -> Option<usize> {
        self.places.find(key, self.pairs.len(), key_at(&self.pairs))
    }

    /// Returns the value of `key`.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.place(key).and_then(|place| self.pairs.get(place)).map(|(_, value)| value)
    }

    /// Returns the value of `key` for changes.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json> {
        self.place(key).and_then(|place| self.pairs.get_mut(place)).map(|(_, value)| value)
    }

    /// Returns whether the object has `key`.
    pub fn contains_key(&self, key: &str) -> bool {
        self.place(key).is_some()
    }

    /// Returns the first pair.
    pub fn first(&self) -> Option<(&String, &Json)> {
        self.iter().next()
    }

    /// Sets the value of `key` and returns the previous value. A new key goes to the end.
    pub fn insert(&mut self, key: String, value: Json) -> Option<Json> {
        if let Some(there) = self.get_mut(&key) {
            return Some(std::mem::replace(there, value));
        }
        self.pairs.push((key, value));
        self.places.record_push(self.pairs.len(), key_at(&self.pairs));
        None
    }

    /// Returns the value of `key` for changes; `make` creates it if it is missing.
    pub fn get_or_insert_with(&mut self, key: &str, make: impl FnOnce() -> Json) -> &mut Json {
        let place = self.place(key).unwrap_or_else(|| {
            self.insert(key.to_owned(), make());
            self.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "the pair is found or inserted above")]
        &mut self.pairs[place].1
    }

    /// Removes `key` and returns its value; later pairs move up.
    pub fn remove(&mut self, key: &str) -> Option<Json> {
        let place = self.place(key)?;
        let (_, value) = self.pairs.remove(place);
        self.places.record_moves(self.pairs.len(), key_at(&self.pairs));
        Some(value)
    }

    /// Keeps the pairs for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&String, &mut Json) -> bool) {
        self.pairs.retain_mut(|(key, value)| keep(key, value));
        self.places.record_moves(self.pairs.len(), key_at(&self.pairs));
    }

    /// Keeps the first `pairs` pairs.
    pub(crate) fn truncate(&mut self, pairs: usize) {
        self.pairs.truncate(pairs);
        self.places.record_moves(self.pairs.len(), key_at(&self.pairs));
    }

    /// Passes all pairs to `order`, which sorts them.
    pub(super) fn reorder(&mut self, order: impl FnOnce(&mut Vec<(String, Json)>)) {
        order(&mut self.pairs);
        self.places.record_moves(self.pairs.len(), key_at(&self.pairs));
    }

    /// Returns the pairs in order.
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.pairs.iter())
    }

    /// Returns the pairs in order, with values for changes.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&String, &mut Json)> {
        self.pairs.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// Returns the keys in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &String> + DoubleEndedIterator {
        self.pairs.iter().map(|(key, _)| key)
    }

    /// Returns the values in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Json> + DoubleEndedIterator {
        self.pairs.iter().map(|(_, value)| value)
    }

    /// Returns the values in order, for changes.
    pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut Json> + DoubleEndedIterator {
        self.pairs.iter_mut().map(|(_, value)| value)
    }
}

/// An iterator over the pairs of an [`Object`], in order.
#[derive(Clone, Debug)]
pub struct Iter<'a>(std::slice::Iter<'a, (String, Json)>);

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a String, &'a Json);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for Iter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(key, value)| (key, value))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'a> IntoIterator for &'a Object {
    type Item = (&'a String, &'a Json);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Object {
    type Item = (String, Json);
    type IntoIter = std::vec::IntoIter<(String, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.pairs.into_iter()
    }
}

/// Returns the value of a key, or `null` if it is missing.
impl std::ops::Index<&str> for Object {
    type Output = Json;

    fn index(&self, key: &str) -> &Json {
        self.get(key).unwrap_or(&Json::Null)
    }
}

impl Extend<(String, Json)> for Object {
    fn extend<I: IntoIterator<Item = (String, Json)>>(&mut self, pairs: I) {
        for (key, value) in pairs {
            self.insert(key, value);
        }
    }
}

impl FromIterator<(String, Json)> for Object {
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter();
        let mut object = Self::with_capacity(pairs.size_hint().0);
        object.extend(pairs);
        object
    }
}

/// Compares objects; key order does not count.
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(key, value)| other.get(key) == Some(value))
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize) -> Object {
        (0..count).map(|at| (format!("key {at}"), Json::from(at))).collect()
    }

    #[test]
    fn small_and_large_objects_behave_alike() {
        for count in [0, 1, 12, 13, 100] {
            let mut object = numbered(count);
            assert_eq!(object.get("key"), None);
            for at in 0..count {
                assert_eq!(object.get(&format!("key {at}")), Some(&Json::from(at)), "{count}");
            }
            assert_eq!(object.insert("key 0".into(), Json::Null).is_some(), count > 0);
            assert_eq!(object.remove("key 0"), Some(Json::Null));
            assert_eq!(object.len(), count.saturating_sub(1));
            let rest: Vec<String> = (1..count).map(|at| format!("key {at}")).collect();
            assert!(object.keys().eq(&rest), "{count}");
            assert!(rest.iter().all(|key| object.contains_key(key)), "{count}");
        }
    }

    #[test]
    fn pairs_are_found_after_retain_and_reorder() {
        let mut object = numbered(40);
        object.retain(|_, value| value.as_number().and_then(|number| number.whole()) > Some(9));
        assert_eq!((object.len(), object.get("key 9")), (30, None));
        object.reorder(|pairs| pairs.reverse());
        assert_eq!(object.first().map(|(key, _)| key.as_str()), Some("key 39"));
        assert_eq!(object.get("key 12"), Some(&Json::from(12)));
        object.retain(|key, _| key == "key 12");
        assert_eq!(object.get("key 12"), Some(&Json::from(12)));
    }

    #[test]
    fn equality_ignores_key_order() {
        let forwards = numbered(30);
        let mut backwards = forwards.clone();
        backwards.reorder(|pairs| pairs.reverse());
        assert_eq!(forwards, backwards);
        backwards.insert("key 3".into(), Json::Null);
        assert_ne!(forwards, backwards);
    }
}
