//! Where a card stands: every place of it in a list of boxes.

use crate::Result;
use crate::rule::{Cursor, Outcome, Rule, Step, ready};
use crate::store::{Kind, Snapshot};
use crate::value::env::Env;
use crate::value::id::{BoxId, CardId};
use crate::value::json::{Field, Json};
use crate::value::str_map::Keys;
use serde::Serialize;

/// Looks for one card in many boxes. Boxes that are not there are passed over: whoever lists the
/// boxes of a project may be late.
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
    card_id: CardId,
    box_ids: Keys,
}

/// A box in which the card stands.
///
/// Shown by the example of [`FindCards`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// Which box.
    pub box_id: BoxId,
    /// Where in it, counted from 0.
    pub positions: Vec<usize>,
}

impl FindCards {
    /// Reads `{"card_id", "box_ids": [..]}`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "card_id", "box_ids"])?;
        let box_ids = call.required("box_ids")?.strings()?.into_iter().map(Box::from);
        Ok(Self {
            card_id: CardId::from(call.required("card_id")?.string()?),
            box_ids: box_ids.collect(),
        })
    }
}

impl Rule for FindCards {
    type Value = Vec<Found>;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Vec<Found>>>> {
        let keys = self.box_ids.iter().map(|id| &**id);
        ready!(Cursor::new(snapshot).want_all(Kind::Boxes, keys).step());
        let mut value = Vec::new();
        for box_id in &self.box_ids {
            let card_ids = match snapshot.card_box(box_id).found()? {
                Some(card_box) => &card_box.card_ids,
                None => continue,
            };
            let here = card_ids.iter().enumerate().filter(|(_, id)| *id == self.card_id.as_str());
            let positions: Vec<usize> = here.map(|(position, _)| position).collect();
            if !positions.is_empty() {
                value.push(Found { box_id: BoxId::from(&**box_id), positions });
            }
        }
        Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
    }
}
