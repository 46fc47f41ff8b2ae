//! The lints of a delegation.

use super::secrets;
use crate::Path;
use crate::agents::lint::AgentLint;
use crate::agents::turn::Turn;
use crate::rule::audit::{Audit, Authority};
use crate::rule::ledger::Cause;
use crate::rule::lint::Lint;
use crate::store::{Lookup, Overlay};
use crate::value::Map as IndexMap;
use crate::value::card::{Card, Content};
use crate::value::json::{Json, trim};
use std::borrow::Cow;

/// The number of cards from which a box can be far larger than the rest.
const LARGE_BOX: usize = 50;
/// The factor by which it is larger.
const FAR_LARGER: usize = 10;
/// The number of characters from which an instruction inside of another text counts as repeated.
const LONG_INSTRUCTION: usize = 24;

/// The number of bytes that are searched for repeated instructions. With few cards that is every
/// instruction, with many at least the first.
const MAX_SEARCHED: usize = 64 << 20;

/// The input of the lints.
pub(super) struct LintInput<'a> {
    pub turn: &'a Turn,
    pub cards: &'a Overlay<'a>,
    pub causes: &'a IndexMap<String, Cause>,
    pub audit: Option<&'a Audit>,
    pub own_boxes: Vec<String>,
    pub takes_files: Option<bool>,
}

impl LintInput<'_> {
    /// Returns every lint, in a fixed order.
    pub fn lints(&self) -> Vec<Lint> {
        let mut lints = Vec::new();
        self.foreign_boxes(&mut lints);
        self.large_box(&mut lints);
        self.instructions(&mut lints);
        let takes_files = self.takes_files.or_else(|| self.profile_takes_files());
        for (position, card) in self.shown() {
            let path = Path::root().key("receiver").key("source_card_ids").index(position);
            let text = card.content.shown_text();
            for kind in secrets::find(&text) {
                lints.push(Lint::new(
                    AgentLint::SecretLookingText,
                    path.clone(),
                    format!("card `{}` contains text that looks like {kind}", card.card_id),
                ));
            }
            if takes_files == Some(false)
                && matches!(card.content, Content::File(_) | Content::Files(_))
            {
                lints.push(Lint::new(
                    AgentLint::FileNotTaken,
                    path,
                    format!(
                        "card `{}` is a file, and the receiver's model does not take files",
                        card.card_id
                    ),
                ));
            }
        }
        lints
    }

    /// Returns the readable cards of the receiver's request, each once.
    fn shown(&self) -> impl Iterator<Item = (usize, &Card)> {
        let mut seen = crate::value::Set::default();
        let ids = self.turn.source_card_ids().enumerate();
        // missing cards are skipped
        seen.extend(self.turn.missing.iter().map(|gone| gone.seat.card_id.as_str()));
        ids.filter(move |(_, id)| seen.insert(id.as_str()))
            .filter_map(|(position, id)| Some((position, self.card(id.as_str())?)))
    }

    fn card(&self, card_id: &str) -> Option<&Card> {
        match self.cards.card(card_id) {
            Lookup::Present(card) => Some(card),
            Lookup::NotRead | Lookup::Absent | Lookup::Failed(_) => None,
        }
    }

    fn profile_takes_files(&self) -> Option<bool> {
        let profile = self.turn.profile.as_ref()?;
        profile.llm_config.get("takes_files").and_then(Json::as_bool)
    }

    /// Adds lints for boxes that a dialect with authority would reject.
    fn foreign_boxes(&self, lints: &mut Vec<Lint>) {
        let Some(audit) = self.audit else { return };
        for source in &audit.sources {
            let own = self.own_boxes.iter().any(|own| own == source.box_id.as_str());
            let cloned = source.path.to_string().ends_with("target_ref");
            if source.authority == Authority::Project && !own && !cloned {
                lints.push(Lint::new(
                    AgentLint::UnauthorisedBox,
                    Path::root().key("call").join(&source.path),
                    format!(
                        "box `{}` is not the sender's own; a dialect that checks authority would \
                         reject it",
                        source.box_id
                    ),
                ));
            }
        }
    }

    /// Adds a lint for a box that is far larger than the rest.
    fn large_box(&self, lints: &mut Vec<Lint>) {
        let Some(audit) = self.audit else { return };
        let Some(largest) = audit.sources.iter().max_by_key(|source| source.cards) else { return };
        let inherited: usize = audit.sources.iter().map(|source| source.cards).sum();
        let made = self.causes.values().filter(|cause| match cause {
            Cause::Argument { .. } | Cause::Parent { .. } | Cause::Imported(_) => true,
            Cause::Inherited { .. } => false,
        });
        let rest = inherited - largest.cards + made.count();
        if largest.cards >= LARGE_BOX && largest.cards > rest.saturating_mul(FAR_LARGER) {
            lints.push(Lint::new(
                AgentLint::LopsidedContext,
                Path::root().key("call").join(&largest.path),
                format!(
                    "box `{}` has {} cards and the rest of the context {rest}; inherit fewer cards",
                    largest.box_id, largest.cards
                ),
            ));
        }
    }

    /// Adds lints for a missing instruction and for repeated ones.
    fn instructions(&self, lints: &mut Vec<Lint>) {
        let made = |card: &Card| {
            matches!(self.causes.get(card.card_id.as_str()), Some(Cause::Argument { .. }))
        };
        let texts: Vec<(usize, &Card, Cow<'_, str>)> = self
            .shown()
            .map(|(position, card)| (position, card, card.content.shown_text()))
            .collect();
        let bytes: usize = texts.iter().map(|(_, _, text)| text.len() + 16).sum();
        let mut left = (MAX_SEARCHED / bytes.max(1)).max(1);
        let mut has_instruction = false;
        for (_, card, text) in &texts {
            if !made(card) || card.card_type() != Some("task.instruction") {
                continue;
            }
            let text = trim(text);
            has_instruction |= !text.is_empty();
            let Some(fewer) = left.checked_sub(1) else { continue };
            left = fewer;
            let repeated = |other: &str| {
                !text.is_empty()
                    && (other == text
                        || (text.chars().count() >= LONG_INSTRUCTION && other.contains(text)))
            };
            let again = texts
                .iter()
                .filter(|(_, other, words)| other.card_id != card.card_id && repeated(trim(words)));
            for (position, other, _) in again {
                lints.push(Lint::new(
                    AgentLint::RepeatedInstruction,
                    Path::root().key("receiver").key("source_card_ids").index(*position),
                    format!("card `{}` repeats the instruction `{}`", other.card_id, card.card_id),
                ));
            }
        }
        if !has_instruction {
            lints.push(Lint::new(
                AgentLint::EmptyInstruction,
                Path::root().key("receiver"),
                "the context has no instruction",
            ));
        }
    }
}
