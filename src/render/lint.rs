//! The codes of the lints of this group.

crate::rule::lint::lint_codes! {
    /// The lints of rendering.
    ///
    /// Shown by the example of [`render_cards`](super::render_cards).
    pub enum RenderLint {
        /// The model does not see a card that does not exist, was deleted or has expired.
        MissingCard = "missing_card",
        /// The model does not see a card that cannot be read.
        UnreadableCard = "unreadable_card",
        /// A card of other software has content without `__type__`.
        UntypedContent = "untyped_content",
        /// The role is one that no model knows.
        UnknownRole = "unknown_role",
        /// A card without a role is shown as a user's.
        DefaultRole = "default_role",
        /// A card makes calls and answers one; the answer's `tool_call_id` is not shown.
        TwoCallRoles = "two_call_roles",
        /// The calls of a card are not shown.
        ToolCallsHidden = "tool_calls_hidden",
        /// A tool's result names no call.
        ResultWithoutCall = "result_without_call",
        /// A failed call has a partial result, which is not shown with the error.
        PartialResultHidden = "partial_result_hidden",
        /// The reasoning of a card is not shown.
        ReasoningHidden = "reasoning_hidden",
    }
}
