//! What a reader takes out of a text, or leaves out, while it reads.

/// Takes the long lists of strings out of a text while it is read, so that no list of values is
/// made of them first.
pub(crate) trait Lift {
    /// Whether the value behind this key is taken out if it is a list of strings. Called for every
    /// key in order; `depth` counts the steps from the whole value, `row` is the last position in a
    /// list among them.
    fn takes(&mut self, depth: usize, row: Option<usize>, key: &str) -> bool;

    /// One string of the list that was taken last.
    fn take(&mut self, text: &str);

    /// The list was not one of strings: forget it. It stays in the value.
    fn give_back(&mut self);

    /// Whether the value behind this key is left out; it must be JSON nevertheless.
    fn skips(&self, _depth: usize, _key: &str) -> bool {
        false
    }
}

/// Leaves the values behind some keys of the outermost object out.
pub(super) struct Without<'a>(pub &'a [&'a str]);

impl Lift for Without<'_> {
    fn takes(&mut self, _: usize, _: Option<usize>, _: &str) -> bool {
        false
    }

    fn take(&mut self, _: &str) {}

    fn give_back(&mut self) {}

    fn skips(&self, depth: usize, key: &str) -> bool {
        depth == 1 && self.0.contains(&key)
    }
}
