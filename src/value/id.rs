//! Ids: opaque strings, compared byte by byte, cheap to clone.
//!
//! ```
//! use tuckbox::{BoxId, CardId};
//!
//! let card = CardId::from("01995e7d3f6a7cc09b5c2f6a1d2e3f40");
//! assert_eq!(card.as_str().len(), 32);
//! // ids are never normalized: these are two boxes
//! assert_ne!(BoxId::from("B1"), BoxId::from("b1"));
//! ```

use crate::Result;
use crate::value::json::{Field, Json};
use serde::{Serialize, Serializer};
use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $word:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Creates an id from any string, without checks. Ids from a store need none.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// Reads a new id that a caller chose.
            ///
            /// # Errors
            /// Returns an error if the value is not a string, is empty, or contains U+0000.
            pub fn parse(field: &Field<'_>) -> Result<Self> {
                id_text(field, $word).map(Self::from)
            }

            /// Returns the id as a string slice.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                &*self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                &*self.0 == *other
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(
                &self,
                serializer: S,
            ) -> std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl From<&$name> for Json {
            fn from(id: &$name) -> Self {
                Self::from(id.as_str())
            }
        }

        impl From<$name> for Json {
            fn from(id: $name) -> Self {
                Self::from(id.as_str())
            }
        }
    )*};
}

ids! {
    /// The id of a project, the isolation key of all data. Stored as `tenant_id`.
    ///
    /// ```
    /// use tuckbox::ProjectId;
    /// use tuckbox::store::Snapshot;
    /// assert_eq!(Snapshot::new(ProjectId::from("demo")).project_id(), "demo");
    /// ```
    ProjectId, "project";
    /// The id of a card: 32 hex digits if Tuckbox mints it.
    ///
    /// ```
    /// use tuckbox::CardId;
    /// use std::collections::BTreeMap;
    /// // a map with id keys can be searched with `&str`
    /// let tokens = BTreeMap::from([(CardId::from("c1"), 120)]);
    /// assert_eq!(tokens.get("c1"), Some(&120));
    /// ```
    CardId, "card";
    /// The id of a box: a hyphenated UUID if Tuckbox mints it.
    ///
    /// ```
    /// use tuckbox::value::json::Field;
    /// use tuckbox::{BoxId, json};
    /// // `parse` checks a new id from a caller; `from` accepts any string
    /// let error = BoxId::parse(&Field::root(&json!(""))).unwrap_err();
    /// assert_eq!(error.message(), "a new box id must not be empty");
    /// assert_eq!(BoxId::from("").as_str(), "");
    /// ```
    BoxId, "box";
    /// The id of an agent in the roster.
    ///
    /// ```
    /// use tuckbox::{AgentId, json};
    /// assert_eq!(json!({"agent_id": AgentId::from("lead")}).to_string(), r#"{"agent_id":"lead"}"#);
    /// ```
    AgentId, "agent";
    /// The id of one turn of an agent.
    ///
    /// ```
    /// use tuckbox::TurnId;
    /// assert_eq!(TurnId::new("turn_7").to_string(), "turn_7");
    /// ```
    TurnId, "turn";
    /// The id of a batch of delegated tasks.
    ///
    /// ```
    /// use tuckbox::BatchId;
    /// assert!(BatchId::from("batch_1") < BatchId::from("batch_2"), "ids compare byte by byte");
    /// ```
    BatchId, "batch";
    /// The id of an operation: committing it twice applies it once.
    ///
    /// ```
    /// use tuckbox::OperationId;
    /// assert_eq!(OperationId::from(String::from("op_1")), "op_1");
    /// ```
    OperationId, "operation";
}

fn id_text<'a>(field: &Field<'a>, word: &str) -> Result<&'a str> {
    let text = field.string()?;
    if text.is_empty() {
        return Err(field.error(format!("a new {word} id must not be empty")));
    }
    if text.as_bytes().contains(&0) {
        return Err(field.error(format!("a new {word} id must not contain U+0000")));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn new_ids_must_not_be_empty_or_contain_nul() {
        for (given, message) in [
            (Json::from(""), "a new box id must not be empty"),
            (Json::from("a\0"), "a new box id must not contain U+0000"),
            (Json::from(5_i64), "expected a string, found a number"),
        ] {
            let error = BoxId::parse(&Field::root(&given)).unwrap_err();
            assert_eq!((error.code(), error.message()), (crate::Code::BadRequest, message));
        }
        let odd = Json::from(" Ä ");
        assert_eq!(BoxId::parse(&Field::root(&odd)).unwrap(), " Ä ");
    }

    #[test]
    fn maps_with_id_keys_can_be_searched_with_text() {
        let map = BTreeMap::from([(CardId::from("a"), 1)]);
        assert_eq!(map.get("a"), Some(&1));
    }
}
