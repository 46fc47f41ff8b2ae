//! The codes of the lints of this group.

crate::rule::lint::lint_codes! {
    /// The code of a lint of operations on cards.
    ///
    /// Shown by the example of [`PutCards`](super::PutCards).
    pub enum CardLint {
        /// The role of a card is not the role of its type.
        RoleMismatch = "role_mismatch",
    }
}
