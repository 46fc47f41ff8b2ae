//! The codes of the lints of this group.

crate::rule::lint::lint_codes! {
    /// What packing noticed.
    ///
    /// Shown by the examples of [`Lint`](crate::Lint) and [`LintCode`](crate::rule::lint::LintCode).
    pub enum PackLint {
        /// A value of the handover has a type that packing does not use, and is passed over.
        IgnoredValue = "ignored_value",
        /// A value that is not text becomes its text.
        CoercedValue = "coerced_value",
        /// Text such as `"false"` counts as true.
        TruthyText = "truthy_text",
        /// An instruction is blank: the receiver is told nothing.
        BlankInstruction = "blank_instruction",
        /// A result field has no description: the model sees its name only.
        FieldWithoutDescription = "field_without_description",
        /// An inherited card does not exist.
        InheritedCardAbsent = "inherited_card_absent",
        /// An inherited card was deleted.
        InheritedCardDeleted = "inherited_card_deleted",
        /// An inherited card has expired.
        InheritedCardExpired = "inherited_card_expired",
        /// An inherited card is there and cannot be read.
        InheritedCardUnreadable = "inherited_card_unreadable",
    }
}
