//! The hash of the cards and boxes that a call creates. It is the same before and after the commit.
//!
//! ```
//! use tuckbox::cards::CreateBox;
//! use tuckbox::rule::hash::ContentHash;
//! use tuckbox::rule::{Rule, Step};
//! use tuckbox::store::Snapshot;
//! use tuckbox::{Env, Timestamp, json};
//!
//! let call = CreateBox::from_json(&json!({"card_ids": ["n1"]}))?;
//! let env = Env::new(Timestamp::from_millis(0), [7; 32]);
//! let Step::Done(outcome) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
//! assert_eq!(outcome.content_hash()?, ContentHash::of([], [&outcome.value])?);
//! # Ok::<(), tuckbox::Error>(())
//! ```

use crate::Result;
use crate::store::{BoxChange, Writes};
use crate::value::boxes::CardBox;
use crate::value::card::Card;
use crate::value::hex::hex;
use crate::value::json::{Json, Object};
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::fmt;

/// SHA-256 over the canonical JSON of cards and boxes.
///
/// ```
/// use tuckbox::rule::hash::ContentHash;
/// use tuckbox::value::boxes::CardBox;
///
/// let one = CardBox::new("b1", ["c1", "c2"].into_iter().collect());
/// let two = CardBox::new("b1", ["c2", "c1"].into_iter().collect());
/// assert_ne!(ContentHash::of([], [&one])?, ContentHash::of([], [&two])?);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Hashes cards and boxes in this order. Versions and deletions are state of the store, so they
    /// are not hashed.
    ///
    /// # Errors
    /// When a store cannot keep the content of a card.
    pub fn of<'a>(
        cards: impl IntoIterator<Item = &'a Card>,
        boxes: impl IntoIterator<Item = &'a CardBox>,
    ) -> Result<Self> {
        let mut hasher = Sha256::new();
        hash_cards_and_boxes(&mut hasher, cards, boxes)?;
        Ok(Self(hasher.finalize().into()))
    }

    /// Hashes all cards, boxes and files that a batch creates.
    ///
    /// # Errors
    /// Those of [`ContentHash::of`].
    pub(crate) fn of_writes(writes: &Writes) -> Result<Self> {
        let created = writes.boxes.iter().filter_map(|change| match change {
            BoxChange::Create { card_box } => Some(card_box),
            BoxChange::Append { .. } | BoxChange::Replace { .. } | BoxChange::Delete { .. } => None,
        });
        let mut hasher = Sha256::new();
        hash_cards_and_boxes(&mut hasher, &writes.cards, created)?;
        for file in &writes.files {
            hash_line(&mut hasher, "file", &file.path);
            hash_line(&mut hasher, "text", &file.text);
        }
        Ok(Self(hasher.finalize().into()))
    }
}

fn hash_cards_and_boxes<'a>(
    hasher: &mut Sha256,
    cards: impl IntoIterator<Item = &'a Card>,
    boxes: impl IntoIterator<Item = &'a CardBox>,
) -> Result<()> {
    for card in cards {
        hasher.update(card_content(card).into_canonical()?.to_string());
        hasher.update("\n");
    }
    for card_box in boxes {
        hash_box(hasher, card_box);
    }
    Ok(())
}

fn hash_line(hasher: &mut Sha256, label: &str, text: &str) {
    hasher.update(label);
    hasher.update((text.len() as u64).to_le_bytes());
    hasher.update(text);
}

fn card_content(card: &Card) -> Json {
    let mut row: Object = match card.row() {
        Json::Object(row) => row,
        other => Object::from_iter([("card".to_owned(), other)]),
    };
    row.remove("deleted_at");
    Json::Object(row)
}

/// Hashes the ids of a box one by one, because boxes are long.
fn hash_box(hasher: &mut Sha256, card_box: &CardBox) {
    let mut line = |label: &str, text: &str| hash_line(hasher, label, text);
    line("box", card_box.box_id.as_str());
    for parent in &card_box.parent_ids {
        line("parent", parent.as_str());
    }
    for card_id in card_box.card_ids.iter() {
        line("card", card_id);
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoredFile;
    use crate::value::ids::CardIds;
    use crate::{BoxId, Timestamp};

    fn of_box(parents: &[&str], cards: &[&str]) -> ContentHash {
        let mut card_box =
            CardBox::new(BoxId::from("b"), cards.iter().copied().collect::<CardIds>());
        card_box.parent_ids = parents.iter().map(|id| BoxId::from(*id)).collect();
        ContentHash::of([], [&card_box]).unwrap()
    }

    #[test]
    fn hash_depends_on_parents_cards_and_order() {
        let hash = of_box(&["p1", "p2"], &["c1", "c2"]);
        assert_eq!(hash, of_box(&["p1", "p2"], &["c1", "c2"]));
        for (parents, cards) in [
            (&["p1", "p3"][..], &["c1", "c2"][..]),
            (&["p2", "p1"], &["c1", "c2"]),
            (&["p1"], &["c1", "c2"]),
            (&["p1", "p2"], &["c1", "c3"]),
            (&["p1", "p2"], &["c2", "c1"]),
            (&["p1", "p2"], &["c1", "c2", "c2"]),
        ] {
            assert_ne!(hash, of_box(parents, cards), "{parents:?} {cards:?}");
        }
    }

    #[test]
    fn hash_depends_on_string_boundaries() {
        assert_ne!(of_box(&[], &["acardb"]), of_box(&[], &["a", "b"]));
        let of_file = |path: &str, text: &str| {
            let mut writes = Writes::new("p1".into(), "op", Timestamp::from_millis(0));
            writes.files.push(StoredFile { path: path.to_owned(), text: text.to_owned() });
            ContentHash::of_writes(&writes).unwrap()
        };
        assert_ne!(of_file("a", "one"), of_file("a", "two"));
        assert_ne!(of_file("atextb", "c"), of_file("a", "btextc"));
    }
}
