//! The codes of the lints of this group.

crate::rule::lint::lint_codes! {
    /// What importing a log noticed.
    ///
    /// Shown by the example of [`import`](super::import()).
    pub enum ImportLint {
        /// A file is neither text nor a database.
        NotText = "not_text",
        /// A file is not whole JSON.
        BrokenJson = "broken_json",
        /// A line is not JSON.
        BrokenLine = "broken_line",
        /// A database cannot be read.
        UnreadableDatabase = "unreadable_database",
        /// A file has none of the known formats.
        NotRecognised = "not_recognised",
        /// An entry holds no request.
        NotARequest = "not_a_request",
        /// An entry is there more than once and counts once.
        Repeated = "repeated",
        /// Something in the log belongs to no conversation and is left out.
        LeftOut = "left_out",
        /// A message could not become a card.
        CardRefused = "card_refused",
        /// The log does not say what the last request held here.
        CannotBeKnown = "cannot_be_known",
        /// The last request had more tokens than its log explains.
        TokensNotInLog = "tokens_not_in_log",
    }
}
