//! Operations that return a value as the core reads it.
//!
//! They read and write nothing. A value that breaks the rules fails with the error of a call that uses
//! it. Any other value is returned in its stored form.
//!
//! ```
//! use tuckbox::cards::validate::ReadContent;
//! use tuckbox::{Json, json};
//!
//! let call = json!({"content": {"__type__": "JsonContent", "data": {"bb": 1, "a": 2}}});
//! let read = ReadContent::from_json(&call)?.read()?;
//! assert_eq!(read.content.to_wire().to_string(), r#"{"data":{"a":2,"bb":1},"__type__":"JsonContent"}"#);
//! assert_eq!(read.text, r#"{"a": 2, "bb": 1}"#);
//! # Ok::<(), tuckbox::Error>(())
//! ```

use crate::rule::{Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::arguments::arguments;
use crate::value::boxes::WireBox;
use crate::value::card::{Card, Content, NewCard};
use crate::value::env::{Env, Minter};
use crate::value::id::{CardId, ProjectId};
use crate::value::json::{Field, Json};
use crate::value::limits::Limits;
use crate::value::time::Timestamp;
use crate::{Code, Path, Result};
use serde::{Serialize, Serializer};

/// Returns an answer that changes nothing.
fn answer<V>(value: V, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<V>>> {
    Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
}

arguments! {
    /// Returns the text of a value on a text card, and its JSON as a model reads it.
    ///
    /// ```
    /// use tuckbox::cards::validate::TextForm;
    /// use tuckbox::json;
    ///
    /// let form = TextForm::from_json(&json!({"value": null}))?.form();
    /// assert_eq!((form.text.as_str(), form.json.as_str()), ("None", "null"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct TextForm {
        /// The value.
        pub value: Json,
    }
}

/// The answer of [`TextForm`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FormattedValue {
    /// The text on a text card.
    pub text: String,
    /// The JSON as a model reads it.
    pub json: String,
}

impl TextForm {
    /// Returns both forms.
    pub fn form(&self) -> FormattedValue {
        let json = self.value.spaced();
        // the text of a list or an object is its JSON
        let is_whole = matches!(self.value, Json::Array(_) | Json::Object(_));
        let text = if is_whole { json.clone() } else { self.value.text_form() };
        FormattedValue { text, json }
    }
}

impl Rule for TextForm {
    type Value = FormattedValue;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<FormattedValue>>> {
        answer(self.form(), snapshot, env)
    }
}

arguments! {
    /// Returns a content in canonical form, its type, and the text that a model reads.
    ///
    /// ```
    /// use tuckbox::cards::validate::{ContentTypeName, ReadContent};
    /// use tuckbox::json;
    ///
    /// let call = json!({"content": {"__type__": "TextContent", "text": "Clause 9"}});
    /// let read = ReadContent::from_json(&call)?.read()?;
    /// assert_eq!(read.content_type, ContentTypeName("TextContent"));
    /// let call = json!({"content": {"__type__": "JsonContent", "data": 5}});
    /// let error = ReadContent::from_json(&call)?.read().unwrap_err();
    /// assert_eq!(error.path().to_string(), "content.data");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReadContent {
        /// The content, as on the wire.
        pub content: Json,
        setting limits: Limits,
    }
}

/// The answer of [`ReadContent`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadableContent {
    /// The type of the content.
    #[serde(rename = "type")]
    pub content_type: ContentTypeName,
    /// The content in canonical form.
    #[serde(serialize_with = "content_to_wire")]
    pub content: Content,
    /// The text that a model reads.
    pub text: String,
}

/// The name of a content type, as in `__type__`.
///
/// Shown by the example of [`ReadContent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ContentTypeName(pub &'static str);

shape! {
    pub type ContentTypeName = ContentType;
}

impl ReadContent {
    /// Returns the call under other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Reads the content.
    ///
    /// # Errors
    /// `invalid_content` or `limit` with the path of the value.
    pub fn read(&self) -> Result<ReadableContent> {
        let content = Content::from_wire(&Field::root(&self.content))
            .and_then(|content| content.into_canonical(&self.limits))
            .map_err(|error| error.within(&Path::root().key("content")))?;
        let (content_type, text) = (ContentTypeName(content.type_name()), content.text_view());
        Ok(ReadableContent { content_type, content, text })
    }
}

impl Rule for ReadContent {
    type Value = ReadableContent;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<ReadableContent>>> {
        answer(self.read()?, snapshot, env)
    }
}

arguments! {
    /// Returns a box as it would be read.
    ///
    /// ```
    /// use tuckbox::cards::validate::ReadBox;
    /// use tuckbox::json;
    ///
    /// let call = json!({"box": {"card_ids": ["n1"], "parent_ids": ["notes", null, "notes"]}});
    /// let read = ReadBox::from_json(&call)?.read()?;
    /// assert_eq!(read.card_box.parent_ids, ["notes"]);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReadBox {
        /// The box, as on the wire.
        pub r#box: Json,
    }
}

/// The answer of [`ReadBox`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReadableBox {
    /// The box, without empty and repeated parents.
    #[serde(rename = "box", serialize_with = "box_to_wire")]
    pub card_box: WireBox,
}

impl ReadBox {
    /// Reads the box.
    ///
    /// # Errors
    /// `invalid_content` with the path of the value.
    pub fn read(&self) -> Result<ReadableBox> {
        let card_box = WireBox::from_wire(&Field::root(&self.r#box))
            .map_err(|error| error.within(&Path::root().key("box")))?;
        Ok(ReadableBox { card_box })
    }
}

impl Rule for ReadBox {
    type Value = ReadableBox;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<ReadableBox>>> {
        answer(self.read()?, snapshot, env)
    }
}

arguments! {
    /// Returns a card as it would be read, and the text that a model reads. A card without an id gets a
    /// new one.
    ///
    /// ```
    /// use tuckbox::cards::validate::ReadCard;
    /// # use tuckbox::{Env, Timestamp, json};
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = json!({"card": {"content": {"__type__": "TextContent", "text": "Hi"}}});
    /// assert_eq!(ReadCard::from_json(&call)?.read(&mut env.minter())?.text, "Hi");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReadCard {
        /// The card, as on the wire.
        pub card: Json,
    }
}

/// The answer of [`ReadCard`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadableCard {
    /// The card with every field present.
    #[serde(serialize_with = "card_to_wire")]
    pub card: Card,
    /// The text that a model reads.
    pub text: String,
}

shape! {
    pub struct ReadableCard {
        /// The card with every field present.
        pub card: crate::value::card::wire::WireCard,
        /// The text that a model reads.
        pub text: String,
    }
}

impl ReadCard {
    /// Reads the card.
    ///
    /// # Errors
    /// `invalid_content` with the path of the value.
    pub fn read(&self, minter: &mut Minter) -> Result<ReadableCard> {
        let card = Card::from_wire(&Field::root(&self.card), minter)
            .map_err(|error| error.within(&Path::root().key("card")))?;
        Ok(ReadableCard { text: card.content.text_view(), card })
    }
}

impl Rule for ReadCard {
    type Value = ReadableCard;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<ReadableCard>>> {
        answer(self.read(&mut env.minter())?, snapshot, env)
    }
}

arguments! {
    /// Returns a card as it would be stored, and what a reader of the stored card sees.
    ///
    /// ```
    /// use tuckbox::cards::validate::ReadNewCard;
    /// use tuckbox::{Code, Limits, Timestamp, json};
    ///
    /// let card = json!({"card_id": "n1", "project_id": "p1", "type": "note", "author_id": "agent_a",
    ///     "content": {"__type__": "TextContent", "text": "too long"}});
    /// let limits = Limits { max_content_bytes: 5, ..Limits::default() };
    /// let call = ReadNewCard::from_json(&json!({"card": card}))?.with_limits(limits);
    /// assert_eq!(call.read(Timestamp::from_millis(0)).unwrap_err().code(), Code::Limit);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReadNewCard {
        /// The card as in `put_cards`, with `card_id` and `project_id`.
        pub card: Json,
        setting limits: Limits,
    }
}

/// The answer of [`ReadNewCard`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StorableCard {
    /// The card as it would be stored.
    #[serde(serialize_with = "card_to_wire")]
    pub stored: Card,
    /// The semantic type.
    #[serde(rename = "type")]
    pub card_type: Option<String>,
    /// The author; `unknown` if the card names none.
    pub author_id: String,
    /// The project; `public` if the card names none.
    pub project_id: String,
}

shape! {
    pub struct StorableCard {
        /// The card as it would be stored.
        pub stored: crate::value::card::wire::WireCard,
        /// The semantic type.
        pub r#type: String,
        /// The author; `unknown` if the card names none.
        pub author_id: String,
        /// The project; `public` if the card names none.
        pub project_id: String,
    }
}

impl ReadNewCard {
    /// Returns the call under other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Makes the card as of a time, and reads it as a row.
    ///
    /// # Errors
    /// `invalid_content` or `limit` with the path of the value.
    pub fn read(&self, now: Timestamp) -> Result<StorableCard> {
        let stored = self.make(now).map_err(|error| error.within(&Path::root().key("card")))?;
        let read = Card::from_row(&Field::root(&stored.row()))?;
        Ok(StorableCard {
            card_type: read.card_type().map(str::to_owned),
            author_id: read.author().to_owned(),
            project_id: read.project().to_owned(),
            stored,
        })
    }

    fn make(&self, now: Timestamp) -> Result<Card> {
        let card = Field::new(&self.card, Code::InvalidContent);
        let fields = card.object()?;
        let card_id = CardId::from(fields.required("card_id")?.string()?);
        let project_id = ProjectId::from(fields.required("project_id")?.string()?);
        Card::make(NewCard::from_wire(&card)?, &project_id, card_id, now, &self.limits)
    }
}

impl Rule for ReadNewCard {
    type Value = StorableCard;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<StorableCard>>> {
        answer(self.read(env.now)?, snapshot, env)
    }
}

fn content_to_wire<S: Serializer>(content: &Content, to: S) -> Result<S::Ok, S::Error> {
    content.to_wire().serialize(to)
}

fn card_to_wire<S: Serializer>(card: &Card, to: S) -> Result<S::Ok, S::Error> {
    card.to_wire().serialize(to)
}

fn box_to_wire<S: Serializer>(card_box: &WireBox, to: S) -> Result<S::Ok, S::Error> {
    card_box.to_wire().serialize(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::Setup;

    fn answer(call: &str) -> Result<String> {
        let call = Setup::default().read_call(&Json::parse(call)?)?;
        let env = Env::new(crate::Timestamp::from_millis(0), [7; 32]);
        match call.step(&Snapshot::new("p1".into()), &env)? {
            Step::Need(_) => Err(crate::Error::bad_request("the call reads nothing")),
            Step::Done(outcome) => Ok(outcome.value.to_json()?.to_string()),
        }
    }

    #[test]
    fn values_are_returned_in_their_stored_form() {
        for (call, expected) in [
            (
                r#"{"op": "text_form", "value": [1.0, null]}"#,
                r#"{"text":"[1.0, null]","json":"[1.0, null]"}"#,
            ),
            (r#"{"op": "text_form", "value": null}"#, r#"{"text":"None","json":"null"}"#),
            (
                r#"{"op": "read_box", "box": {"card_ids": ["a"], "parent_ids": []}}"#,
                r#"{"box":{"card_ids":["a"]}}"#,
            ),
            (
                r#"{"op": "read_card", "card": {"card_id": "c", "content": {"__type__": "TextContent", "text": "x"}}}"#,
                r#"{"card":{"card_id":"c","content":{"text":"x","__type__":"TextContent"},"metadata":{},"tool_calls":null,"tool_call_id":null,"ttl_seconds":null},"text":"x"}"#,
            ),
        ] {
            assert_eq!(answer(call).unwrap(), expected);
        }
    }

    #[test]
    fn a_stored_card_without_a_project_is_read_as_public_and_null_is_refused() {
        let read = |project: &str| {
            answer(&format!(
                r#"{{"op": "read_new_card", "card": {{"card_id": "c", "project_id": {project}, "type": "t",
                    "author_id": "", "ttl_seconds": 0, "content": {{"__type__": "TextContent", "text": "x"}}}}}}"#
            ))
        };
        for (given, seen) in [(r#""""#, "public"), (r#""p9""#, "p9"), (r#"" ""#, " ")] {
            let answer = Json::parse(&read(given).unwrap()).unwrap();
            assert_eq!(answer.get("project_id").and_then(Json::as_str), Some(seen));
            assert_eq!(answer.get("author_id").and_then(Json::as_str), Some("unknown"));
            let stored = answer.get("stored").and_then(|card| card.get("metadata")).unwrap();
            assert_eq!(stored.get("project_id").unwrap().to_string(), given);
        }
        for given in ["null", "7"] {
            let error = read(given).unwrap_err();
            assert_eq!(
                (error.code(), error.path().to_string()),
                (Code::InvalidContent, "card.project_id".to_owned())
            );
        }
    }

    #[test]
    fn a_wrong_value_fails_as_in_a_call_that_uses_it() {
        for (call, expected) in [
            (r#"{"op": "text_form"}"#, "bad_request at `value`: `value` is missing"),
            (
                r#"{"op": "read_content", "content": {"__type__": "Nothing"}}"#,
                "invalid_content at `content.__type__`: `Nothing` is not a content type",
            ),
            (
                r#"{"op": "read_card", "card": {"content": 7}}"#,
                "invalid_content at `card.content`: expected an object, found a number",
            ),
            (
                r#"{"op": "read_box", "box": {"card_ids": [7]}}"#,
                "invalid_content at `box.card_ids[0]`: expected a string, found a number",
            ),
        ] {
            assert_eq!(answer(call).unwrap_err().to_string(), expected);
        }
    }
}
