//! The lint codes of this group.

crate::rule::lint::lint_codes! {
    /// A lint of an import.
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
        /// The format of a file is unknown.
        NotRecognised = "not_recognised",
        /// An entry has no request.
        NotARequest = "not_a_request",
        /// An entry occurs more than once and counts once.
        Repeated = "repeated",
        /// An entry belongs to no conversation and is omitted.
        LeftOut = "left_out",
        /// A message cannot become a card.
        CardRefused = "card_refused",
        /// The log does not have this part of the last request.
        CannotBeKnown = "cannot_be_known",
        /// The last request has more tokens than its log explains.
        TokensNotInLog = "tokens_not_in_log",
    }
}
