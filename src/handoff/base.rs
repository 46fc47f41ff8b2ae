//! The fields that every package has.

use super::finding::Kind;
use super::shape::Shape;
use crate::Result;
use crate::value::json::{Field, Json, Object};
use serde::Serialize;
use std::collections::BTreeSet;

/// The supported version of the protocol.
///
/// Shown by the example of [`ContextPackage`].
pub const VERSION: &str = "2.0";

/// The direction of a package.
///
/// Shown by the example of [`ContextPackage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffType {
    /// From the design agent to the execution agent.
    InitToExecute,
    /// From the execution agent to the design agent.
    ExecuteToInit,
}

impl HandoffType {
    pub(super) const WORDS: [(&'static str, Self); 2] =
        [("init_to_execute", Self::InitToExecute), ("execute_to_init", Self::ExecuteToInit)];

    /// Returns the type as on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InitToExecute => "init_to_execute",
            Self::ExecuteToInit => "execute_to_init",
        }
    }
}

/// The fields that every package has.
///
/// ```
/// use tuckbox::handoff::{ContextPackage, HandoffType, VERSION};
///
/// let base = ContextPackage::new(HandoffType::InitToExecute, "2026-01-04T10:30:00");
/// assert_eq!((base.version.as_str(), base.handoff_type.as_str()), (VERSION, "init_to_execute"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ContextPackage {
    /// The version of the schema, `2.0` by default. Any string is read; [`verify`](super::verify)
    /// accepts only `2.0`.
    pub version: String,
    /// The direction.
    pub handoff_type: HandoffType,
    /// The creation time. Its format is not checked.
    pub timestamp: String,
    /// Anything else that the sender records.
    pub metadata: Object,
    /// The fields that the model does not declare, in order.
    pub extra: Object,
    /// The declared fields that the package does not have. They are not written.
    pub(super) unset: BTreeSet<&'static str>,
}

const BASE_FIELDS: [&str; 4] = ["version", "handoff_type", "timestamp", "metadata"];

impl ContextPackage {
    /// Returns a package that has only its type and time.
    pub fn new(handoff_type: HandoffType, timestamp: impl Into<String>) -> Self {
        Self {
            version: VERSION.to_owned(),
            handoff_type,
            timestamp: timestamp.into(),
            metadata: Object::default(),
            extra: Object::default(),
            unset: BTreeSet::from(["metadata"]),
        }
    }

    /// Reads the base of any package. Fields of its type become extra fields.
    ///
    /// # Errors
    /// `invalid_content` with every wrong field in `details.errors`.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let mut shape = Shape::of(field.json(), field.path(), Kind::ModelType)
            .map_err(|findings| findings.refusal("the package"))?;
        let base = Self::read(&mut shape, None, &BASE_FIELDS);
        shape.into_findings().accepted("the package")?;
        Ok(base)
    }

    pub(super) fn read(shape: &mut Shape<'_>, only: Option<HandoffType>, known: &[&str]) -> Self {
        let version = shape.string_or("version", VERSION);
        let handoff_type = match only {
            None => shape.literal("handoff_type", &HandoffType::WORDS),
            Some(only) if shape.has("handoff_type") => {
                shape.literal("handoff_type", &[(only.as_str(), only)])
            }
            Some(only) => Some(only),
        };
        let timestamp = shape.string("timestamp");
        let metadata = shape.dict_or_empty("metadata");
        Self {
            version,
            // a wrong literal is a finding, so the value is not used
            handoff_type: handoff_type.or(only).unwrap_or(HandoffType::InitToExecute),
            timestamp,
            metadata,
            extra: shape.extra(known),
            unset: BASE_FIELDS.into_iter().filter(|key| !shape.has(key)).collect(),
        }
    }

    pub(super) fn write(&self, own: Vec<(&'static str, Json)>, all: bool) -> Json {
        let mut fields = vec![
            ("version", self.version.as_str().into()),
            ("handoff_type", self.handoff_type.as_str().into()),
            ("timestamp", self.timestamp.as_str().into()),
            ("metadata", Json::Object(self.metadata.clone())),
        ];
        fields.extend(own);
        let mut object = Object::default();
        for (key, value) in fields {
            let is_default = match key {
                "version" => value.as_str() == Some(VERSION),
                "metadata" => self.metadata.is_empty(),
                "handoff_type" => true,
                _ => value.is_null(),
            };
            if all || !is_default || !self.unset.contains(key) {
                object.insert(key.to_owned(), value);
            }
        }
        object.extend(self.extra.clone());
        Json::Object(object)
    }

    /// Returns the package as it was read, without defaults.
    pub fn to_json(&self) -> Json {
        self.write(Vec::new(), false)
    }

    /// Returns the package with every default written out.
    pub fn dump(&self) -> Json {
        self.write(Vec::new(), true)
    }
}

macro_rules! serialize_as_given {
    ($($name:ty),+) => {$(
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                self.to_json().serialize(serializer)
            }
        }
    )+};
}

pub(super) use serialize_as_given;

serialize_as_given!(ContextPackage);
