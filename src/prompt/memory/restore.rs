//! From a checkpoint to memory, and back.

use super::change::{append_one, never_remembered, remark_on_role};
use super::compaction::Compacted;
use super::effect::{Effect, Step};
use super::{IdStatus, Memory};
use crate::prompt::compose::Layer;
use crate::prompt::lint::PromptLint;
use crate::value::Map as IndexMap;
use crate::value::arguments::Argument;
use crate::value::json::{Field, Fields, trim};
use crate::value::message::Message;
use crate::{Lint, Path, Result};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// The keys of memory in the state.
pub(super) const MESSAGES: &str = "messages";
/// The key of the records of memory: compactions, repeats, replaced ids.
pub(super) const RECORDS: &str = "memory_records";

/// The memory of a checkpoint.
///
/// Shown by the example of [`restore`].
#[derive(Clone, Debug, Serialize)]
pub struct Restored {
    /// The memory.
    pub memory: Memory,
    /// The effect on each message of the checkpoint, unless it stayed unchanged.
    pub ledger: Vec<Step>,
    /// Warnings about accepted values.
    pub lints: Vec<Lint>,
}

/// The state of a call. Reading it restores memory.
pub(super) type State = Restored;

impl Argument for State {
    fn read(field: &Field<'_>) -> Result<Self> {
        restore(field)
    }
}

/// Reads memory from a state: `messages`, `compression__context` and `memory_records`. Other keys are
/// kept unchanged.
///
/// Messages are restored by the rule of appending. A checkpoint of another system cannot repeat a
/// question. Its system and internal messages are omitted, each with an entry.
///
/// ```
/// use tuckbox::value::json::{Field, Json};
/// use tuckbox::prompt::memory::restore;
///
/// let state = Json::parse(r#"{"goal": "ship", "compression__context": "They met.", "messages": [
///     {"id": "m1", "role": "user", "content": "go"},
///     {"id": "m2", "role": "user", "content": "go"}]}"#)?;
/// let restored = restore(&Field::root(&state))?;
/// assert_eq!(restored.memory.messages().count(), 1);
/// assert_eq!(restored.memory.summary(), Some("They met."));
/// # Ok::<(), tuckbox::Error>(())
/// ```
///
/// # Errors
/// With the path of:
/// - a value that is missing or mistyped
/// - a message without an id, or the second of two equal ids
/// - a message that is both remembered and covered, or covered twice
/// - a summary that is missing, or does not include the one before it
pub fn restore(state: &Field<'_>) -> Result<Restored> {
    let fields = state.object()?;
    let mut restored = Restored { memory: Memory::new(), ledger: Vec::new(), lints: Vec::new() };
    let memory = &mut restored.memory;
    let records = fields.optional(RECORDS);
    if let Some(records) = &records {
        read_records(memory, &records.object()?)?;
    }
    read_summary(&mut restored, state)?;
    if let Some(messages) = fields.optional(MESSAGES) {
        let mut seen = IndexMap::default();
        let path = messages.path();
        for (index, field) in messages.list()?.iter().enumerate() {
            let place = path.index(index);
            read_message(&mut restored, field, &place, &mut seen, records.is_some())?;
        }
    }
    let memory = &mut restored.memory;
    if let Some((id, of)) = memory.repeats.iter().find(|(_, of)| !memory.knows(of)) {
        let text = format!("`{id}` repeats `{of}`, which does not exist");
        return Err(state.error(text).at(fields.path().key(RECORDS).key("repeats")));
    }
    let own = [MESSAGES, RECORDS, Layer::Compression.key()];
    let rest = fields.json().iter().filter(|(key, _)| !own.contains(&key.as_str()));
    memory.rest = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
    Ok(restored)
}

fn read_summary(restored: &mut Restored, state: &Field<'_>) -> Result<()> {
    let fields = state.object()?;
    let key = Layer::Compression.key();
    let memory = &mut restored.memory;
    if let Some(summary) = fields.optional(key) {
        let text = summary.string()?;
        memory.summary = (!trim(text).is_empty()).then(|| text.to_owned());
    }
    match (memory.compactions.keys().next_back(), &memory.summary) {
        (Some(last), None) => {
            let text = format!("the summary of `{last}` is missing; its messages would be lost");
            return Err(state.error(text).at(fields.path().key(key)));
        }
        (None, Some(_)) => restored.lints.push(Lint::new(
            PromptLint::SummaryWithoutRecord,
            fields.path().key(key),
            "no record states which messages the summary covers",
        )),
        (Some(_), Some(_)) | (None, None) => {}
    }
    Ok(())
}

fn read_message(
    restored: &mut Restored,
    field: &Field<'_>,
    place: &Path,
    seen: &mut IndexMap<String, Path>,
    has_records: bool,
) -> Result<()> {
    let message = Message::from_json(field)?;
    if let Some((key, why)) = never_remembered(&message) {
        let id = message.id.unwrap_or_default();
        restored.ledger.push(Step { id, effect: Effect::NotRemembered });
        restored.lints.push(Lint::new(PromptLint::NotMemory, place.key(key), why));
        return Ok(());
    }
    let at = place.key("id");
    let refuse = |why: String| Err(field.error(why).at(at.clone()));
    let Some(id) = message.id.clone().filter(|id| !trim(id).is_empty()) else {
        return refuse("a remembered message must have an id".to_owned());
    };
    if let Some(first) = seen.insert(id.clone(), at.clone()) {
        return refuse(format!("the message id `{id}` occurs twice, at `{first}` and at `{at}`"));
    }
    let memory = &mut restored.memory;
    match memory.id_status(&id) {
        IdStatus::CoveredBy(by) => {
            return refuse(format!("the message `{id}` is remembered, but `{by}` covers it"));
        }
        IdStatus::RepeatOf(of) => {
            return refuse(format!("the message `{id}` is remembered, but repeats `{of}`"));
        }
        IdStatus::Compaction => {
            return refuse(format!("the id `{id}` belongs to a compaction"));
        }
        IdStatus::Here(_) | IdStatus::Unknown => {}
    }
    // With records, equal neighbors result from a compaction that covered the answer between them.
    // Without records, they were appended like this.
    if has_records {
        remark_on_role(&message, place, &mut restored.lints);
        memory.messages.insert(id, message);
        return Ok(());
    }
    let effect = append_one(memory, &message, &id, place, &mut restored.lints)?;
    match effect {
        Effect::Repeat { .. } => restored.ledger.push(Step { id, effect }),
        Effect::Appended { .. }
        | Effect::AlreadyThere { .. }
        | Effect::AlreadyCovered { .. }
        | Effect::Replaced { .. }
        | Effect::Left { .. }
        | Effect::Cleared
        | Effect::NotRemembered => {}
    }
    Ok(())
}

fn read_records(memory: &mut Memory, records: &Fields<'_>) -> Result<()> {
    records.only(&["compactions", "repeats", "replaced"])?;
    let list = |key: &str| records.present(key).map_or(Ok(Vec::new()), |field| field.list());
    let compactions = list("compactions")?;
    let mut ids: IndexMap<&str, usize> = IndexMap::default();
    for (index, record) in compactions.iter().enumerate() {
        let id = record.object()?.required("id")?;
        if ids.insert(id.string()?, index).is_some() {
            return Err(id.error(format!("the compaction `{}` occurs twice", id.string()?)));
        }
    }
    for (index, record) in compactions.iter().enumerate() {
        read_compaction(memory, &record.object()?, index, &ids)?;
    }
    for record in list("repeats")? {
        let fields = record.object()?;
        fields.only(&["id", "of"])?;
        let (id, of) = (fields.required("id")?, fields.required("of")?);
        if id.string()? == of.string()? {
            return Err(of.error(format!("`{}` repeats itself", of.string()?)));
        }
        memory.repeats.insert(id.string()?.to_owned(), of.string()?.to_owned());
    }
    if let Some(replaced) = records.present("replaced") {
        memory.replaced = replaced.strings()?.into_iter().map(str::to_owned).collect();
    }
    Ok(())
}

/// A compaction. Each except the first includes the summary before it.
fn read_compaction(
    memory: &mut Memory,
    fields: &Fields<'_>,
    index: usize,
    ids: &IndexMap<&str, usize>,
) -> Result<()> {
    fields.only(&["id", "covers", "replaces"])?;
    let id = fields.required("id")?.string()?;
    let replaces = fields.present("replaces");
    let before = index.checked_sub(1).and_then(|at| ids.get_index(at)).map(|(id, _)| *id);
    match &replaces {
        Some(field) => {
            let named = field.string()?;
            let first_of_all = before.is_none() && named == Layer::Compression.key();
            match ids.get(named) {
                Some(&at) if at >= index => {
                    return Err(
                        field.error(format!("`{id}` includes `{named}`, which is not older"))
                    );
                }
                Some(_) if before == Some(named) => {}
                None if first_of_all => {}
                Some(_) | None => {
                    let text = format!("`{named}` was not the summary when `{id}` was written");
                    return Err(field.error(text));
                }
            }
        }
        None => {
            if let Some(before) = before {
                let text = format!("`{id}` must include `{before}`; set `replaces`");
                return Err(fields.required("id")?.error(text));
            }
        }
    }
    let mut covers = Vec::new();
    for field in fields.required("covers")?.list()? {
        let cover = field.string()?;
        if ids.contains_key(cover) {
            return Err(field.error(format!("`{cover}` is a compaction, not a message")));
        }
        if let Some(by) = memory.covered.insert(cover.to_owned(), id.to_owned()) {
            return Err(field.error(format!("`{cover}` is covered twice, by `{by}` and by `{id}`")));
        }
        covers.push(cover.to_owned());
    }
    let replaces = replaces.map(|field| Ok(field.string()?.to_owned())).transpose()?;
    memory.compactions.insert(id.to_owned(), Compacted { covers, replaces });
    Ok(())
}

impl Memory {
    fn knows(&self, id: &str) -> bool {
        self.messages.contains_key(id) || self.covered.contains_key(id)
    }

    fn records(&self) -> Records<'_> {
        Records {
            compactions: self
                .compactions
                .iter()
                .map(|(id, compacted)| Record { id, compacted })
                .collect(),
            repeats: self.repeats.iter().map(|(id, of)| Repeat { id, of }).collect(),
            replaced: self.replaced.iter().map(String::as_str).collect(),
        }
    }
}

#[derive(Serialize)]
struct Records<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    compactions: Vec<Record<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repeats: Vec<Repeat<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replaced: Vec<&'a str>,
}

#[derive(Serialize)]
struct Record<'a> {
    id: &'a str,
    #[serde(flatten)]
    compacted: &'a Compacted,
}

#[derive(Serialize)]
struct Repeat<'a> {
    id: &'a str,
    of: &'a str,
}

shape! {
    /// A state with memory: the remembered messages, the summary of covered messages, the records, and
    /// the other keys.
    pub struct Memory {
        pub messages: Vec<Message>,
        pub compression__context: Maybe<String>,
        pub memory_records: Maybe<Records>,
        #[serde(flatten)]
        pub more: Object,
    }

    /// The state of a call: the keys of memory, and any others.
    pub type State = OrText<StateKeys>;

    pub struct StateKeys {
        /// The remembered messages, each with an id.
        pub messages: Maybe<Option<Vec<Message>>>,
        /// The summary of covered messages.
        pub compression__context: Maybe<Option<String>>,
        /// The records of covered messages.
        pub memory_records: Maybe<Option<Records>>,
        #[serde(flatten)]
        pub more: Object,
    }
}

impl Serialize for Memory {
    /// Returns the state that [`restore`] reads: the keys of memory, then the others.
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(MESSAGES, &self.messages().collect::<Vec<_>>())?;
        if let Some(summary) = &self.summary {
            map.serialize_entry(Layer::Compression.key(), summary)?;
        }
        let records = self.records();
        let empty = records.compactions.is_empty()
            && records.repeats.is_empty()
            && records.replaced.is_empty();
        if !empty {
            map.serialize_entry(RECORDS, &records)?;
        }
        for (key, value) in &self.rest {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}
