//! A decoder of answers that reads card ids directly from text.
//!
//! A read of 100 boxes can have 100,000 ids, and known ids need no new strings. So the ids of boxes
//! go from the text into the names of the snapshot. The rest of an answer is small and is parsed as
//! a value.

use super::store_error;
use super::{Answers, Reads, Snapshot};
use crate::Result;
use crate::value::ids::{CardIds, Interner, Symbol};
use crate::value::json::{Lift, ParseLimits, parse_lifting};

/// The `card_ids` of the rows in `boxes`.
struct BoxIds<'a> {
    names: &'a mut Interner,
    is_in_boxes: bool,
    /// The lists, each with the position of its row.
    lists: Vec<(usize, Vec<Symbol>)>,
}

impl Lift for BoxIds<'_> {
    fn selects(&mut self, depth: usize, row: Option<usize>, key: &str) -> bool {
        if depth == 1 {
            self.is_in_boxes = key == "boxes";
            if self.is_in_boxes {
                // of two equal keys, the last one is used
                self.lists.clear();
            }
        }
        match row {
            Some(row) if depth == 3 && self.is_in_boxes && key == "card_ids" => {
                self.lists.retain(|(earlier, _)| *earlier != row);
                self.lists.push((row, Vec::new()));
                true
            }
            Some(_) | None => false,
        }
    }

    fn push(&mut self, text: &str) {
        let symbol = self.names.intern(text);
        if let Some((_, list)) = self.lists.last_mut() {
            list.push(symbol);
        }
    }

    fn discard(&mut self) {
        self.lists.pop();
    }
}

impl Snapshot {
    /// Reads a host's answers to `reads` from text.
    ///
    /// The snapshot changes only in its unused id names and its byte count. `values_left`
    /// decreases.
    ///
    /// # Errors
    /// Returns `store`, with the path inside the answer, for text that is not JSON. Also returns
    /// the errors of [`Answers::from_json`].
    pub(crate) fn read_answers(
        &mut self,
        text: &[u8],
        limits: &ParseLimits,
        reads: &Reads,
        values_left: &mut usize,
    ) -> Result<Answers> {
        let mut ids = BoxIds { names: &mut self.ids, is_in_boxes: false, lists: Vec::new() };
        let json = parse_lifting(text, limits, values_left, &mut ids)
            .map_err(|error| store_error(error, "answers"))?;
        let lists = ids.lists;
        self.bytes += text.len();
        let mut answers = Answers::from_json(&json, reads)?;
        // both are in row order; an unreadable row has ids, but it is not in `answers`
        let mut lists = lists.into_iter().peekable();
        for (row, card_box) in answers.boxes_mut() {
            while lists.next_if(|(earlier, _)| *earlier < row).is_some() {}
            if let Some((_, list)) = lists.next_if(|(at, _)| *at == row) {
                card_box.card_ids = CardIds::new(self.ids.names().clone(), list);
            }
        }
        Ok(answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::Json;

    const LIMITS: ParseLimits =
        ParseLimits { max_depth: 64, max_bytes: 1 << 20, max_values: usize::MAX };

    /// Reads answers directly and by way of a JSON value.
    fn both(text: &str) -> (Result<Answers>, Result<Answers>) {
        let reads = Reads::new("p1".into());
        let straight =
            Snapshot::new("p1".into())
                .read_answers(text.as_bytes(), &LIMITS, &reads, &mut { usize::MAX });
        let value = Json::parse(text).map_err(|error| store_error(error, "answers"));
        (straight, value.and_then(|json| Answers::from_json(&json, &reads)))
    }

    #[test]
    fn direct_decoding_matches_decoding_from_a_value() {
        for text in [
            r#"{"boxes": [{"box_id": "b", "card_ids": ["a", "b", "a"]}, {"box_id": "c"}]}"#,
            r#"{"boxes": [{"box_id": "b", "card_ids": [ ]}, {"box_id": "c", "card_ids": ["\u0061", "é"]}]}"#,
            r#"{"boxes": [{"card_ids": ["x"], "box_id": "b", "card_ids": ["y" , "z"]}]}"#,
            r#"{"boxes": [{"box_id": "b", "card_ids": ["x"], "card_ids": null}]}"#,
            r#"{"boxes": [{"box_id": "b", "card_ids": ["x"]}], "boxes": [{"box_id": "c"}]}"#,
            r#"{"boxes": [{"box_id": "b", "card_ids": {"card_ids": ["x"]}}]}"#,
            r#"{"boxes": [{"box_id": "b", "card_ids": ["x", 7]}]}"#,
            r#"{"boxes": [{"box_id": "a", "card_ids": ["w"], "version": -1}, {"box_id": "b", "card_ids": ["x", 7]}, {"box_id": "c", "card_ids": ["y"]}]}"#,
            r#"{"boxes": [{"box_id": "b", "card_ids": ["x", ]}]}"#,
            r#"{"boxes": [{"box_id": "b", "card_ids": ["x" "y"]}]}"#,
            r#"{"boxes": [{"box_id": "b", "card_ids": ["x"#,
            r#"{"boxes": [{"box_id": "b", "card_ids": ["\ud800"]}]}"#,
            r#"{"boxes": {"box_id": "b", "card_ids": ["x"]}}"#,
            r#"{"boxes": [[{"box_id": "b", "card_ids": ["x"]}]]}"#,
            r#"{"cards": [{"card_id": "b", "card_ids": ["x"]}], "missing_boxes": ["b"]}"#,
        ] {
            let (straight, through) = both(text);
            assert_eq!(straight, through, "{text}");
        }
    }

    #[test]
    fn known_ids_keep_their_symbols() {
        let mut snapshot = Snapshot::new("p1".into());
        let reads = Reads::new("p1".into());
        let mut read = |text: &str| {
            let mut answers = snapshot
                .read_answers(text.as_bytes(), &LIMITS, &reads, &mut { usize::MAX })
                .unwrap();
            answers.boxes_mut().next().unwrap().1.card_ids.symbols().to_vec()
        };
        let first = read(r#"{"boxes": [{"box_id": "b", "card_ids": ["x", "y"]}]}"#);
        let second = read(r#"{"boxes": [{"box_id": "c", "card_ids": ["y", "new", "x"]}]}"#);
        assert_eq!([second[0], second[2]], [first[1], first[0]]);
    }
}
