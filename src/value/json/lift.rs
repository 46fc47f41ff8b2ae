//! Extraction of string lists from JSON text during parsing.

/// An extractor of long string lists.
///
/// The parser passes their strings to it and does not build a list of values.
pub(crate) trait Lift {
    /// Returns whether to extract the value of `key` if it is a list of strings.
    ///
    /// The parser calls it for each key in order. `depth` counts the steps from the root, and `row`
    /// is the innermost list position among them.
    fn selects(&mut self, depth: usize, row: Option<usize>, key: &str) -> bool;

    /// Receives one string of the list that was selected last.
    fn push(&mut self, text: &str);

    /// Discards the selected list: it has a value that is not a string.
    ///
    /// The list stays in the JSON value.
    fn discard(&mut self);

    /// Returns whether to omit the value of `key`. The value must still be valid JSON.
    fn skips(&self, _depth: usize, _key: &str) -> bool {
        false
    }
}

/// An extractor that omits the values of some keys of the outermost object.
pub(super) struct Omit<'a>(pub &'a [&'a str]);

impl Lift for Omit<'_> {
    fn selects(&mut self, _: usize, _: Option<usize>, _: &str) -> bool {
        false
    }

    fn push(&mut self, _: &str) {}

    fn discard(&mut self) {}

    fn skips(&self, depth: usize, key: &str) -> bool {
        depth == 1 && self.0.contains(&key)
    }
}
