//! The codes of the lints of this group.

crate::rule::lint::lint_codes! {
    /// The lints of composing, memory and payloads.
    ///
    /// Shown by the [example of lints](crate::rule::lint).
    pub enum PromptLint {
        /// The system prompt is blank.
        BlankSystemPrompt = "blank_system_prompt",
        /// The query is blank.
        BlankQuery = "blank_query",
        /// The prompt has no query: neither the call nor the checkpoint has a human message.
        NoQuery = "no_query",
        /// Two human messages have the same text, and no message answers the first.
        DuplicateQuery = "duplicate_query",
        /// Sharing is off, so the summary of compacted messages is omitted.
        SummaryNotShared = "summary_not_shared",
        /// A context block is not text.
        BlockNotText = "block_not_text",
        /// The key of a context block looks like that of a layer and is not: it is placed by its key.
        LookalikeKey = "lookalike_key",
        /// A remembered conversation has a system message.
        SystemInCheckpoint = "system_in_checkpoint",
        /// An internal message, which is for one call only, was remembered.
        InternalInCheckpoint = "internal_in_checkpoint",
        /// A message has neither content nor calls.
        EmptyMessage = "empty_message",
        /// A tool's result answers no call before it.
        OrphanToolResult = "orphan_tool_result",
        /// A call has no result.
        UnansweredToolCall = "unanswered_tool_call",
        /// A switch is set that changes nothing in this call.
        SwitchWithoutEffect = "switch_without_effect",
        /// Two messages have the same id.
        DuplicateMessageId = "duplicate_message_id",
        /// The model is not in the table of models; the general rules of the provider apply.
        UnknownModel = "unknown_model",
        /// A request and the reserve for its answer exceed the window of the model.
        OverWindow = "over_window",
        /// The query of this call is remembered already.
        RepeatedQuery = "repeated_query",
        /// A message is replaced that was compacted before.
        ReplacedTooLate = "replaced_too_late",
        /// A part of a remembered state cannot be read as memory.
        NotMemory = "not_memory",
        /// No record states which messages a summary covers.
        SummaryWithoutRecord = "summary_without_record",
        /// The summary of the call differs from that of memory.
        SummaryNotRemembered = "summary_not_remembered",
        /// A compaction covers messages that do not follow each other.
        CoversWithGap = "covers_with_gap",
        /// A compaction separates a call from its result.
        CallWithoutResult = "call_without_result",
    }
}
