//! The codes of the lints of this group.

crate::rule::lint::lint_codes! {
    /// The code of a lint of recipes, delegation previews and turns.
    ///
    /// Shown by the example of [`PreviewHandover`](crate::agents::recipe::PreviewHandover).
    pub enum AgentLint {
        /// A recipe does not know an argument. It is ignored.
        IgnoredArgument = "ignored_argument",
        /// A recipe declares an argument and does not use it.
        UnusedArgument = "unused_argument",
        /// A recipe makes no card and inherits no box: the context is empty.
        EmptyHandover = "empty_handover",
        /// A delegation packs no instruction.
        EmptyInstruction = "empty_instruction",
        /// A card repeats the instruction.
        RepeatedInstruction = "repeated_instruction",
        /// A box is not the sender's own. A dialect that checks authority would reject it.
        UnauthorisedBox = "unauthorised_box",
        /// One box has far more cards than the rest of the context.
        LopsidedContext = "lopsided_context",
        /// A card contains text that looks like a password, a key or a token.
        SecretLookingText = "secret_looking_text",
        /// A card is a file, and the receiver's model does not take files.
        FileNotTaken = "file_not_taken",
        /// A box of the turn does not exist.
        MissingBox = "missing_box",
        /// The turn has no profile, or the box of its profile is missing or empty.
        MissingProfile = "missing_profile",
        /// The card of the profile exists and cannot be read.
        UnreadableProfile = "unreadable_profile",
        /// A placeholder of the system prompt has no value. The model sees it verbatim.
        UnfilledPlaceholder = "unfilled_placeholder",
        /// The system prompt lists every profile of the project, and `downstream_desc` is missing.
        DownstreamNotListed = "downstream_not_listed",
        /// A tool has no description. The model sees only its name and its parameters.
        ToolWithoutDescription = "tool_without_description",
        /// A result contract has no fields. The model does not see it.
        ResultFieldsWithoutFields = "result_fields_without_fields",
    }
}
