//! Values as the core reads them: what a caller asks to see before it sends them anywhere.
//!
//! Nothing is stored. A value that breaks the rules is refused here with the very error that a
//! call would have, and one that keeps them comes back in the form in which it would be kept.
//!
//! ```
//! use tuckbox::{Json, Limits, cards::validate};
//!
//! let call = Json::parse(r#"{"content": {"__type__": "JsonContent", "data": {"bb": 1, "a": 2}}}"#)?;
//! assert_eq!(
//!     validate::read_content(&call, &Limits::default())?.value().to_string(),
//!     r#"{"type":"JsonContent","content":{"data":{"a":2,"bb":1},"__type__":"JsonContent"},"text":"{\"a\": 2, \"bb\": 1}"}"#
//! );
//! # Ok::<(), tuckbox::Error>(())
//! ```

use crate::rule::{Immediate, Outcome, Rule, Step};
use crate::store::Snapshot;
use crate::value::boxes::WireBox;
use crate::value::card::{Card, Content, NewCard};
use crate::value::env::Env;
use crate::value::id::{CardId, ProjectId};
use crate::value::json::{Field, Json};
use crate::value::limits::Limits;
use crate::{Code, Path, Result};

shape! {
    /// What `text_form` answers.
    pub struct TextForm {
        pub text: String,
        pub json: String,
    }

    /// What `read_content` answers.
    pub struct ContentRead {
        pub r#type: ContentType,
        pub content: Content,
        pub text: String,
    }

    /// What `read_card` answers.
    pub struct CardRead {
        pub card: crate::value::card::wire::WireCard,
        pub text: String,
    }

    /// What `read_new_card` answers.
    pub struct NewCardRead {
        pub stored: crate::value::card::wire::WireCard,
        pub r#type: String,
        /// `unknown` where nobody is named.
        pub author_id: String,
        /// `public` where the card names none.
        pub project_id: String,
    }

    /// What `read_box` answers.
    pub struct BoxRead {
        pub r#box: WireBox,
    }

    fn text_form() -> TextForm;
    fn read_content() -> ContentRead;
    fn read_card() -> CardRead;
    fn read_new_card() -> NewCardRead;
    fn read_box() -> BoxRead;
}

/// `text_form`: the text that a `value` becomes as a text card, and its JSON as a model reads it.
///
/// # Errors
/// `bad_request` without a `value`.
///
/// ```
/// use tuckbox::cards::validate;
/// use tuckbox::json;
///
/// let answer = validate::text_form(&json!({"value": null}))?;
/// assert_eq!(answer.value().to_string(), r#"{"text":"None","json":"null"}"#);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn text_form(call: &Json) -> Result<Immediate> {
    let fields = Field::root(call).object()?;
    fields.only(&["op", "value"])?;
    let value = fields.required("value")?.json();
    let json = value.spaced();
    // a list or an object becomes its JSON
    let is_whole = matches!(value, Json::Array(_) | Json::Object(_));
    let text = if is_whole { json.clone() } else { value.text_form() };
    Ok(Immediate::new(Json::from([("text", text), ("json", json)])))
}

/// `read_content`: a `content` in canonical form, its type, and the text a model reads.
///
/// # Errors
/// `invalid_content` or `limit` with the path of the value.
///
/// ```
/// use tuckbox::cards::validate;
/// use tuckbox::{Limits, json};
///
/// let call = json!({"content": {"__type__": "JsonContent", "data": 5}});
/// let error = validate::read_content(&call, &Limits::default()).unwrap_err();
/// assert_eq!(error.path().to_string(), "content.data");
/// ```
pub fn read_content(call: &Json, limits: &Limits) -> Result<Immediate> {
    let fields = Field::new(call, Code::InvalidContent).object()?;
    fields.only(&["op", "content"])?;
    let given = fields.required("content")?;
    let content =
        Content::from_wire(&given)?.made(limits).map_err(|error| error.within(&given.path()))?;
    Ok(Immediate::new(Json::from([
        ("type", Json::from(content.type_name())),
        ("content", content.to_wire()),
        ("text", Json::from(content.text_view())),
    ])))
}

/// `read_box`: a `box` as callers send it.
///
/// # Errors
/// `invalid_content` with the path of the value.
///
/// ```
/// use tuckbox::cards::validate;
/// use tuckbox::json;
///
/// let call = json!({"box": {"card_ids": ["n1"], "parent_ids": ["notes", null, "notes"]}});
/// let answer = validate::read_box(&call)?;
/// assert!(answer.value().to_string().contains(r#""parent_ids":["notes"]"#));
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn read_box(call: &Json) -> Result<Immediate> {
    let fields = Field::new(call, Code::InvalidContent).object()?;
    fields.only(&["op", "box"])?;
    let given = WireBox::from_wire(&fields.required("box")?)?;
    Ok(Immediate::new(Json::from([("box", given.to_wire())])))
}

/// `read_card`: a `card` as callers send it, and the text a model reads. One without an id gets
/// one, which is why this is not known before there is an [`Env`].
///
/// ```
/// use tuckbox::cards::validate::ReadCard;
/// use tuckbox::rule::{Rule, Step};
/// use tuckbox::store::Snapshot;
/// use tuckbox::{Env, Timestamp, json};
///
/// let call = json!({"card": {"content": {"__type__": "TextContent", "text": "Hi"}}});
/// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let Step::Done(read) = ReadCard::from_json(&call)?.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// assert_eq!(read.value.get("text"), Some(&json!("Hi")));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ReadCard {
    card: Json,
}

impl ReadCard {
    /// Reads `{"card": {..}}`.
    ///
    /// # Errors
    /// `invalid_content` without a card; the card itself is read by the rule.
    pub fn from_json(call: &Json) -> Result<Self> {
        let fields = Field::new(call, Code::InvalidContent).object()?;
        fields.only(&["op", "card"])?;
        Ok(Self { card: fields.required("card")?.json().clone() })
    }
}

impl Rule for ReadCard {
    type Value = Json;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Json>>> {
        let card = Card::from_wire(&Field::root(&self.card), &mut env.minter())
            .map_err(|error| error.within(&Path::root().key("card")))?;
        let text = Json::from(card.content.text_view());
        let value = Json::from([("card", card.to_wire()), ("text", text)]);
        Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
    }
}

/// `read_new_card`: a `card` as it is given to `put_cards`, in the form in which it would be stored
/// under the `project_id` that it names, and what a reader of the stored card sees.
///
/// ```
/// use tuckbox::cards::validate::ReadNewCard;
/// use tuckbox::{Limits, json};
///
/// let card = json!({"card_id": "n1", "project_id": "p1", "type": "note", "author_id": "agent_a",
///     "content": {"__type__": "TextContent", "text": "too long"}});
/// let limits = Limits { max_content_bytes: 5, ..Limits::default() };
/// let error = ReadNewCard::from_json(&json!({"card": card}), &limits).and_then(|call| {
/// #     use tuckbox::rule::Rule;
/// #     let env = tuckbox::Env::new(tuckbox::Timestamp::from_millis(0), [7; 32]);
///     call.step(&tuckbox::Snapshot::new("p1".into()), &env).map(drop)
/// });
/// assert_eq!(error.unwrap_err().code(), tuckbox::Code::Limit);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ReadNewCard {
    card_id: CardId,
    project_id: ProjectId,
    card: NewCard,
    limits: Limits,
}

impl ReadNewCard {
    /// Reads `{"card": {"card_id", "project_id", "type", "author_id", "content", ..}}`.
    ///
    /// # Errors
    /// `invalid_content` with the path of the value.
    pub fn from_json(call: &Json, limits: &Limits) -> Result<Self> {
        let fields = Field::new(call, Code::InvalidContent).object()?;
        fields.only(&["op", "card"])?;
        let given = fields.required("card")?;
        let card = given.object()?;
        Ok(Self {
            card_id: CardId::from(card.required("card_id")?.string()?),
            project_id: ProjectId::from(card.required("project_id")?.string()?),
            card: NewCard::from_wire(&given)?,
            limits: *limits,
        })
    }
}

impl Rule for ReadNewCard {
    type Value = Json;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Json>>> {
        let (new, id) = (self.card.clone(), self.card_id.clone());
        let made = Card::make(new, &self.project_id, id, env.now, &self.limits)
            .map_err(|error| error.within(&Path::root().key("card")))?;
        let read = Card::from_row(&Field::root(&made.row()))?;
        let value = Json::from([
            ("stored", made.to_wire()),
            ("type", Json::from(read.card_type())),
            ("author_id", Json::from(read.author())),
            ("project_id", Json::from(read.project())),
        ]);
        Ok(Step::Done(Outcome::answer(value, Vec::new(), snapshot, env)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::Setup;

    fn answer(call: &str) -> Result<String> {
        let call = Setup::default().read_call(&Json::parse(call)?)?;
        let env = Env::new(crate::Timestamp::from_millis(0), [7; 32]);
        match call.step(&Snapshot::new("p1".into()), &env)? {
            Step::Need(_) => Err(crate::Error::bad_request("a plain call needs nothing")),
            Step::Done(outcome) => Ok(outcome.value.to_json()?.to_string()),
        }
    }

    #[test]
    fn values_come_back_as_they_would_be_kept() {
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
    fn a_refusal_is_the_one_of_the_call_that_would_use_the_value() {
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
