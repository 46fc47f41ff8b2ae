//! A profile as its host declares it: created, changed or left as it is.

use super::{batch, done};
use crate::agents::profile;
use crate::rule::{Cursor, Outcome, Rule, Step};
use crate::store::{Before, BoxChange, RowChange, RowKey, Snapshot, table};
use crate::value::arguments::arguments;
use crate::value::boxes::CardBox;
use crate::value::card::{Card, Content, NewCard};
use crate::value::env::Env;
use crate::value::id::{BoxId, CardId};
use crate::value::ids::CardIds;
use crate::value::json::{Json, Object, check_storable};
use crate::value::limits::Limits;
use crate::{Error, Path, Result};
use serde::Serialize;

arguments! {
    /// Declares a profile: its card, its box and its entry. A profile that differs from the
    /// declaration changes, in one batch. The next step of every turn with this profile uses it.
    ///
    /// ```
    /// use tuckbox::agents::registry::PutProfile;
    /// # use tuckbox::store::{MemoryStore, Snapshot, Store};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let mut store = MemoryStore::new();
    /// # let env = |seed| Env::new(Timestamp::from_millis(0), [seed; 32]);
    /// let declare = |prompt: &str| PutProfile::from_json(&json!({"name": "Writer", "system_prompt": prompt}));
    /// let made = rule::preview(&declare("You write.")?, &mut Snapshot::new("p1".into()), &env(1), &store)?;
    /// assert!(made.value.made);
    /// store.commit(&made.writes)?;
    ///
    /// let other = rule::preview(&declare("Be brief.")?, &mut Snapshot::new("p1".into()), &env(2), &store)?;
    /// assert_eq!(other.value.changed, ["system_prompt_template"]);
    /// assert_eq!((other.value.made, other.value.version), (false, 2));
    ///
    /// let same = rule::preview(&declare("You write.")?, &mut Snapshot::new("p1".into()), &env(3), &store)?;
    /// assert!(same.value.changed.is_empty() && same.writes.is_empty());
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct PutProfile {
        /// The name. Calls find it in any case.
        pub name: String,
        /// The system prompt. It can have placeholders.
        pub system_prompt: Option<String>,
        /// The profiles that its agents can delegate to. None by default.
        pub delegation_policy: Option<Json>,
        /// The tags that delegation policies can require.
        pub tags: Option<Vec<String>>,
        /// The subject of the worker that runs its agents.
        pub worker_target: String = "generic".into(),
        /// Further keys of the profile's card, such as `llm_config` and `allowed_tools`.
        pub config: Object = Object::default(),
        /// The author of the card.
        pub author_id: String = "host".into(),
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
    }
}

/// A profile after its declaration.
///
/// Shown by the example of [`PutProfile`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProfilePut {
    /// The box of the profile.
    pub profile_box_id: BoxId,
    /// True if the profile is new.
    pub made: bool,
    /// The keys of an existing profile that changed.
    pub changed: Vec<String>,
    /// The version of the box.
    pub version: u64,
}

shape! {
    fn put_profile() -> ProfilePut;
}

impl PutProfile {
    /// Checks the declaration, and returns the configuration on the card.
    fn configuration(&self) -> Result<Object> {
        let path = Path::root().key("name");
        if self.name.trim().is_empty() {
            return Err(Error::bad_request("`name` must not be blank").at(path));
        }
        check_storable(&self.name, &path)?;
        let mut data = Object::default();
        data.insert("name".into(), self.name.as_str().into());
        let prompt = self.system_prompt.as_deref().map(Json::from);
        for (key, value) in [
            ("system_prompt_template", prompt),
            ("delegation_policy", self.delegation_policy.clone()),
            ("tags", self.tags()),
        ] {
            if let Some(value) = value {
                data.insert(key.into(), value);
            }
        }
        for (key, value) in self.config.iter() {
            if data.contains_key(key.as_str()) {
                let path = Path::root().key("config").key(key);
                let message = format!("`{key}` must be set outside of `config`");
                return Err(Error::bad_request(message).at(path));
            }
            data.insert(key.clone(), value.clone());
        }
        match Json::Object(data).into_canonical()? {
            Json::Object(data) => Ok(data),
            _ => Ok(Object::default()),
        }
    }

    fn tags(&self) -> Option<Json> {
        let tags = self.tags.as_ref()?;
        Some(Json::Array(tags.iter().map(|tag| tag.as_str().into()).collect()))
    }

    /// Sets the columns of an entry, and returns the keys that changed.
    fn fill(&self, row: &mut Object) -> Vec<String> {
        let before = row.clone();
        for (name, value) in self.columns() {
            match value {
                Some(value) => drop(row.insert(name.into(), value)),
                None if row.get(name).is_some_and(|known| !known.is_null()) => {
                    drop(row.insert(name.into(), Json::Null));
                }
                None => {}
            }
        }
        differing(&before, row)
    }

    /// Returns the card with the configuration.
    fn card(&self, data: Object, snapshot: &Snapshot, card_id: CardId, env: &Env) -> Result<Card> {
        let content = Content::json(Json::Object(data))?;
        let mut new = NewCard::new("sys.profile", &self.author_id, content);
        new.metadata.insert("role".into(), "system".into());
        Card::make(new, snapshot.project_id(), card_id, env.now, &Limits::default())
    }

    /// Returns the columns of the entry.
    fn columns(&self) -> [(&'static str, Option<Json>); 3] {
        [
            ("worker_target", Some(self.worker_target.as_str().into())),
            ("delegation_policy", self.delegation_policy.clone()),
            ("tags", self.tags()),
        ]
    }
}

/// Puts a card into a new box, or into the box of the profile in place of the card `old`.
fn boxed(made: &Card, card_box: Option<&CardBox>, old: Option<&str>, box_id: &BoxId) -> BoxChange {
    let ids = [made.card_id.as_str()].into_iter();
    match card_box {
        None => {
            BoxChange::Create { card_box: CardBox::new(box_id.clone(), ids.collect::<CardIds>()) }
        }
        Some(found) => {
            let rest = found.card_ids.iter().filter(|id| Some(*id) != old);
            BoxChange::Replace {
                box_id: found.box_id.clone(),
                card_ids: ids.chain(rest).collect(),
                version: found.version,
            }
        }
    }
}

/// Returns the keys whose values differ, each once. A missing value is `null`.
fn differing(before: &Object, after: &Object) -> Vec<String> {
    let value = |object: &Object, key: &str| object.get(key).cloned().unwrap_or_default();
    let mut keys: Vec<String> = Vec::new();
    for key in after.keys().chain(before.keys()) {
        if !keys.contains(key) && !value(before, key).same_value(&value(after, key)) {
            keys.push(key.clone());
        }
    }
    keys
}

impl Rule for PutProfile {
    type Value = ProfilePut;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<ProfilePut>>> {
        let data = self.configuration()?;
        let key = RowKey::new(&table::PROJECT_PROFILES, [self.name.as_str()]);
        let mut cursor = Cursor::new(snapshot);
        cursor.want_row(&key);
        if cursor.waits() {
            return Ok(cursor.need());
        }
        let entry = snapshot.row_of(&key).found()?;
        let mut row = entry.map_or_else(Object::default, |entry| Object::clone(&entry.row));
        let box_id = row.get("profile_box_id").and_then(Json::as_str).map(str::to_owned);
        let mut card_box = None;
        let mut card = None;
        if let Some(box_id) = &box_id {
            let cards = profile::cards(&mut cursor, box_id, env.now)?;
            let Some(cards) = cards else { return Ok(cursor.need()) };
            card = profile::profile_card(&cards);
            card_box = snapshot.card_box(box_id).found()?;
        }
        let mut changed = match card {
            Some(card) => differing(profile::configuration(card)?, &data),
            None => data.keys().cloned().collect(),
        };
        let is_new_card = !changed.is_empty();
        let of_row = self.fill(&mut row);
        let is_new_row = entry.is_none() || card_box.is_none() || !of_row.is_empty();
        for key in of_row {
            if !changed.contains(&key) {
                changed.push(key);
            }
        }
        let mut minter = env.minter();
        let _operation = minter.operation_id();
        let profile_box_id = card_box.map_or_else(|| minter.box_id(), |found| found.box_id.clone());
        let version = card_box.map_or(1, |found| found.version + u64::from(is_new_card));
        let mut writes = batch(self.operation_id.as_deref(), snapshot, env);
        if is_new_card {
            let made = self.card(data, snapshot, minter.card_id(), env)?;
            let old = card.map(|card| card.card_id.as_str());
            writes.boxes.push(boxed(&made, card_box, old, &profile_box_id));
            writes.cards.push(made);
        }
        if is_new_row {
            row.insert("name".into(), self.name.as_str().into());
            row.insert("profile_box_id".into(), (&profile_box_id).into());
            row.insert("updated_at".into(), env.now.into());
            let condition = entry.map_or(Before::Absent, |entry| Before::At(entry.version.clone()));
            let row = Some(row.into());
            writes.rows.push(RowChange { of: key, before: condition, row });
        } else if is_new_card {
            writes.expects.extend(snapshot.row_expectation(&key));
        }
        let made = entry.is_none();
        let changed = if made { Vec::new() } else { changed };
        done(ProfilePut { profile_box_id, made, changed, version }, writes)
    }
}
