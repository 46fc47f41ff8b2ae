//! The codes of the lints of this group.

crate::rule::lint::lint_codes! {
    /// The code of a lint of packing.
    ///
    /// Shown by the examples of [`Lint`](crate::Lint) and [`LintCode`](crate::rule::lint::LintCode).
    pub enum PackLint {
        /// A value of the handover has a type that packing does not use. It is ignored.
        IgnoredValue = "ignored_value",
        /// A handover has a key that packing does not know. It is ignored.
        UnknownKey = "unknown_key",
        /// A value that is not a string becomes a string.
        CoercedValue = "coerced_value",
        /// A string such as `"false"` counts as true.
        TruthyText = "truthy_text",
        /// An instruction is blank.
        BlankInstruction = "blank_instruction",
        /// A result field has no description: the model sees only its name.
        FieldWithoutDescription = "field_without_description",
        /// An inherited card does not exist.
        InheritedCardAbsent = "inherited_card_absent",
        /// An inherited card was deleted.
        InheritedCardDeleted = "inherited_card_deleted",
        /// An inherited card has expired.
        InheritedCardExpired = "inherited_card_expired",
        /// An inherited card exists and cannot be read.
        InheritedCardUnreadable = "inherited_card_unreadable",
    }
}
