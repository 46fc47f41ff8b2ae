//! The positions of a card in boxes.

use crate::Result;
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::{Kind, Snapshot};
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::id::BoxId;
use crate::value::str_map::Keys;
use serde::Serialize;

arguments! {
    /// Finds every position of a card in boxes. Boxes that do not exist are skipped.
    ///
    /// ```
    /// use tuckbox::inspect::FindCards;
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # store.project("p1").add_box("a", ["n1", "n2", "n1"]).add_box("b", ["n2"]);
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = FindCards::from_json(&json!({"card_id": "n1", "box_ids": ["a", "b", "gone"]}))?;
    /// let found = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!((found.len(), found[0].positions.as_slice()), (1, &[0, 2][..]));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct FindCards {
        /// The id of the card.
        pub card_id: String,
        /// The ids of the boxes.
        pub box_ids: Vec<String>,
    }
}

/// A box that has the card.
///
/// Shown by the example of [`FindCards`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// The box.
    pub box_id: BoxId,
    /// The positions of the card in it, from 0.
    pub positions: Vec<usize>,
}

impl Rule for FindCards {
    type Value = Vec<Found>;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Vec<Found>>>> {
        let box_ids: Keys = self.box_ids.iter().map(|id| Box::from(id.as_str())).collect();
        let keys = box_ids.iter().map(|id| &**id);
        ready!(Cursor::new(snapshot).want_all(Kind::Boxes, keys).step());
        let mut value = Vec::new();
        for box_id in &box_ids {
            let card_ids = match snapshot.card_box(box_id).found()? {
                Some(card_box) => &card_box.card_ids,
                None => continue,
            };
            let here = card_ids.iter().enumerate().filter(|(_, id)| *id == self.card_id);
            let positions: Vec<usize> = here.map(|(position, _)| position).collect();
            if !positions.is_empty() {
                value.push(Found { box_id: BoxId::from(&**box_id), positions });
            }
        }
        Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
    }
}
