//! The codes of the lints of this group.

crate::rule::lint::lint_codes! {
    /// What recipes, handover previews and turns noticed.
    ///
    /// Shown by the example of [`PreviewHandover`](crate::agents::recipe::PreviewHandover).
    pub enum AgentLint {
        /// A recipe does not know an argument and ignores it.
        IgnoredArgument = "ignored_argument",
        /// A recipe declares an argument and makes nothing of it.
        UnusedArgument = "unused_argument",
        /// A recipe makes no card and names no box: the receiver is told nothing.
        EmptyHandover = "empty_handover",
        /// A handover packs no instruction.
        EmptyInstruction = "empty_instruction",
        /// A card says again what the instruction says.
        RepeatedInstruction = "repeated_instruction",
        /// A box is none of the sender's own; a dialect with authority would refuse it.
        UnauthorisedBox = "unauthorised_box",
        /// One box brings far more cards than everything else.
        LopsidedContext = "lopsided_context",
        /// A card holds what looks like a password, a key or a token.
        SecretLookingText = "secret_looking_text",
        /// A card is a file, and the receiver's model takes none.
        FileNotTaken = "file_not_taken",
        /// A box of the turn is not there.
        MissingBox = "missing_box",
        /// The turn has no profile, or its profile's box is not there or empty.
        MissingProfile = "missing_profile",
        /// The profile's card is there and cannot be read.
        UnreadableProfile = "unreadable_profile",
        /// Nobody fills in a placeholder of the system prompt: the model reads it as it is.
        UnfilledPlaceholder = "unfilled_placeholder",
        /// The system prompt lists every profile of the project, and `downstream_desc` is not given.
        DownstreamNotListed = "downstream_not_listed",
        /// A result contract names no fields: the model does not see it.
        ResultFieldsWithoutFields = "result_fields_without_fields",
    }
}
