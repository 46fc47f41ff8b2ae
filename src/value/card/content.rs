//! The content of cards: 13 content types.

use super::{FileRef, ToolCall, ToolResult, coerce};
use crate::value::json::{Field, Fields, Json, Object, check_storable, listed, sort_keys, trim};
use crate::{Code, Error, Limits, Path, Result};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// The content of a card.
///
/// New content goes through [`Content::into_canonical`]: it checks the limits and converts JSON to
/// canonical form. Stored content is only read and keeps its key order.
///
/// ```
/// use tuckbox::{Content, Json};
/// use tuckbox::value::json::Field;
///
/// let wire = Json::parse(r#"{"__type__": "FieldsSchemaContent", "fields": [{"name": " sum "}]}"#)?;
/// let content = Content::from_wire(&Field::root(&wire))?;
/// assert_eq!(content.type_name(), "FieldsSchemaContent");
/// assert_eq!(content.text_view(), r#"[{"name": "sum", "description": ""}]"#);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// `TextContent`
    Text(String),
    /// `JsonContent`: an object or a list.
    Json(Json),
    /// `FieldsSchemaContent`: the fields that a result must have.
    Fields(Vec<FieldSchema>),
    /// `FileContent` and its five variants.
    File(Box<FileRef>),
    /// `MultiFileContent`: at least one file.
    Files(Vec<FileRef>),
    /// `ToolContent`: tool definitions.
    Tools(Vec<Object>),
    /// `ToolCallContent`
    ToolCall(ToolCall),
    /// `ToolResultContent`
    ToolResult(ToolResult),
}

/// A field that a result must have.
///
/// ```
/// use tuckbox::value::json::Field;
/// use tuckbox::{Content, json};
///
/// let contract = json!([{"name": " total ", "description": "in cents"}]);
/// let Content::Fields(fields) = Content::fields(&Field::root(&contract))? else { panic!() };
/// assert_eq!((fields[0].name.as_str(), fields[0].description.as_str()), ("total", "in cents"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldSchema {
    /// The name, trimmed and not blank.
    pub name: String,
    /// The description, trimmed; can be empty.
    pub description: String,
}

impl Content {
    /// Creates plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Creates structured data: an object or a list.
    ///
    /// # Errors
    /// Returns `invalid_content` for any other value.
    pub fn json(data: Json) -> Result<Self> {
        match data {
            Json::Array(_) | Json::Object(_) => Ok(Self::Json(data)),
            other => Err(Error::invalid_content(format!(
                "expected an object or a list, found {}",
                other.kind()
            ))),
        }
    }

    /// Reads the fields of a result contract from a list of `{"name", "description"}`.
    ///
    /// # Errors
    /// Returns `invalid_content` with the path of the item.
    pub fn fields(list: &Field<'_>) -> Result<Self> {
        let list = list.as_code(Code::InvalidContent);
        list.list()?.iter().map(FieldSchema::read).collect::<Result<_>>().map(Self::Fields)
    }

    /// Reads a content object from the wire or a store.
    ///
    /// # Errors
    /// Returns `invalid_content` with the path of the value, such as `content.fields[2].name`.
    pub fn from_wire(field: &Field<'_>) -> Result<Self> {
        let field = field.as_code(Code::InvalidContent);
        let fields = field.object()?;
        let type_field = fields.required("__type__")?;
        let type_name = type_field.string()?;
        if let Some(file) = FileRef::read(type_name, &fields) {
            return file.map(|file| Self::File(Box::new(file)));
        }
        match type_name {
            "TextContent" => {
                fields.only(&["__type__", "text"])?;
                coerce::text(&fields, "text").map(Self::Text)
            }
            "JsonContent" => {
                fields.only(&["__type__", "data"])?;
                let data = fields.required("data")?;
                Self::json(data.json().clone()).map_err(|error| error.at(data.path()))
            }
            "FieldsSchemaContent" => {
                fields.only(&["__type__", "fields"])?;
                Self::fields(&fields.required("fields")?)
            }
            "MultiFileContent" => read_files(&fields).map(Self::Files),
            "ToolContent" => {
                fields.only(&["__type__", "tools"])?;
                coerce::objects(&fields.required("tools")?).map(Self::Tools)
            }
            "ToolCallContent" => ToolCall::read(&fields).map(Self::ToolCall),
            "ToolResultContent" => ToolResult::read(&fields).map(Self::ToolResult),
            other => Err(type_field.error(format!("`{other}` is not a content type"))),
        }
    }

    /// Reads the content of a stored row. Content of other software can have no `__type__`: text, a
    /// tool call with `tool_name`, or a tool result with `status`. Returns true for it.
    pub(super) fn from_row(field: &Field<'_>) -> Result<(Self, bool)> {
        let untyped = match field.json() {
            Json::String(text) => Some(Self::Text(text.clone())),
            Json::Object(object) if !object.contains_key("__type__") => Self::untyped(object),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => None,
        };
        untyped.map_or_else(|| Ok((Self::from_wire(field)?, false)), |content| Ok((content, true)))
    }

    /// Returns the content of an object without `__type__`; `None` if its keys are those of no type.
    fn untyped(object: &Object) -> Option<Self> {
        let (name, defaults): (&str, &[(&str, Json)]) = if object.contains_key("tool_name") {
            let arguments = Json::Object(Object::default());
            ("ToolCallContent", &[("arguments", arguments), ("status", "called".into())])
        } else if object.contains_key("status") {
            ("ToolResultContent", &[("after_execution", "suspend".into())])
        } else if object.contains_key("text") {
            ("TextContent", &[])
        } else {
            return None;
        };
        let mut typed = object.clone();
        typed.insert("__type__".into(), name.into());
        for (key, value) in defaults {
            if !typed.contains_key(key) {
                typed.insert((*key).to_owned(), value.clone());
            }
        }
        Self::from_wire(&Field::root(&Json::Object(typed))).ok()
    }

    /// Returns the content on the wire, with every field and with its own keys in `jsonb` order.
    ///
    /// JSON inside (`data`, `arguments`, ...) keeps its key order.
    pub fn to_wire(&self) -> Json {
        let mut out = match self {
            Self::Text(text) => one("text", text.as_str()),
            Self::Json(data) => one("data", data.clone()),
            Self::Fields(fields) => {
                one("fields", fields.iter().map(FieldSchema::write).collect::<Vec<_>>())
            }
            Self::File(file) => return file.write().into(),
            Self::Files(files) => {
                one("files", files.iter().map(FileRef::write).collect::<Vec<_>>())
            }
            Self::Tools(tools) => one("tools", tools.clone()),
            Self::ToolCall(call) => call.write(),
            Self::ToolResult(result) => result.write(),
        };
        out.insert("__type__".into(), self.type_name().into());
        sort_keys(&mut out);
        Json::Object(out)
    }

    /// Returns the value of `__type__`.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "TextContent",
            Self::Json(_) => "JsonContent",
            Self::Fields(_) => "FieldsSchemaContent",
            Self::File(file) => file.type_name(),
            Self::Files(_) => "MultiFileContent",
            Self::Tools(_) => "ToolContent",
            Self::ToolCall(_) => "ToolCallContent",
            Self::ToolResult(_) => "ToolResultContent",
        }
    }

    /// Returns the content as text: text verbatim, data as JSON, files as their URIs.
    pub fn text_view(&self) -> String {
        self.shown_text().into_owned()
    }

    /// Returns the [text view](Content::text_view) and borrows it if possible.
    pub(crate) fn shown_text(&self) -> Cow<'_, str> {
        Cow::Owned(match self {
            Self::Text(text) => return Cow::Borrowed(text),
            Self::Json(data) => data.spaced(),
            Self::Fields(fields) => {
                Json::from(fields.iter().map(FieldSchema::write).collect::<Vec<_>>()).spaced()
            }
            Self::File(file) => file.uri.clone(),
            Self::Files(files) => {
                files.iter().map(|file| file.uri.as_str()).collect::<Vec<_>>().join(", ")
            }
            Self::Tools(_) | Self::ToolCall(_) | Self::ToolResult(_) => self.to_wire().spaced(),
        })
    }

    /// Checks the content of a new card and converts its JSON to canonical form. Idempotent.
    ///
    /// # Errors
    /// Returns `limit` if the content is too deep or too long.
    /// Returns `invalid_content` for U+0000, which stores do not support.
    /// Both errors have the path inside the content.
    pub fn into_canonical(self, limits: &Limits) -> Result<Self> {
        let text = |text: &str| {
            limits.check_text(text, &Path::root())?;
            check_storable(text, &Path::root())
        };
        let under = |key: &'static str| move |error: Error| error.under(key);
        Ok(match self {
            Self::Text(given) => {
                text(&given).map_err(under("text"))?;
                Self::Text(given)
            }
            Self::Json(data) => Self::Json(canonical(data, limits).map_err(under("data"))?),
            Self::Fields(_) | Self::File(_) | Self::Files(_) => {
                // these have no free-form JSON, so only check sizes and characters
                canonical(self.to_wire(), limits)?;
                self
            }
            Self::Tools(tools) => {
                Self::Tools(canonical_objects(tools, limits).map_err(under("tools"))?)
            }
            Self::ToolCall(call) => {
                let arguments =
                    canonical_object(call.arguments, limits).map_err(under("arguments"))?;
                let rest = ToolCall { arguments: Object::default(), ..call };
                canonical(Json::Object(rest.write()), limits)?;
                Self::ToolCall(ToolCall { arguments, ..rest })
            }
            Self::ToolResult(given) => {
                let result = canonical(given.result, limits).map_err(under("result"))?;
                let error = given.error.map(|error| canonical_object(error, limits)).transpose();
                let error = error.map_err(under("error"))?;
                text(&given.status).map_err(under("status"))?;
                Self::ToolResult(ToolResult { result, error, ..given })
            }
        })
    }
}

shape! {
    /// The content of a card, as the core returns it.
    #[serde(tag = "__type__")]
    pub enum Content {
        TextContent { text: String },
        JsonContent { data: ObjectOrList },
        FieldsSchemaContent { fields: Vec<FieldSchema> },
        #[serde(untagged)]
        File(FileContent),
        MultiFileContent { files: Vec<FileContent> },
        ToolContent { tools: Vec<Object> },
        ToolCallContent {
            tool_name: String,
            arguments: Object,
            status: String,
            target_subject: Option<String>,
        },
        ToolResultContent {
            status: String,
            after_execution: Word<"suspend", "terminate">,
            result: Json,
            error: Option<Object>,
        },
    }

    #[serde(untagged)]
    pub enum ObjectOrList {
        Object(Object),
        List(Vec<Json>),
    }

    /// A file that a card refers to.
    pub struct FileContent {
        pub __type__: Word<
            "FileContent",
            "ImageFileContent",
            "PdfFileContent",
            "TextFileContent",
            "VideoFileContent",
            "AudioFileContent",
        >,
        pub uri: String,
        pub checksum: String,
        #[serde(flatten)]
        pub more: Object,
    }
}

/// Serializes content [as on the wire](Content::to_wire), without a copy for the most common types.
impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let name = self.type_name();
        match self {
            Self::Text(text) => serialize_one(serializer, "text", text.as_str(), name),
            Self::Json(data) => serialize_one(serializer, "data", data, name),
            Self::Fields(_)
            | Self::File(_)
            | Self::Files(_)
            | Self::Tools(_)
            | Self::ToolCall(_)
            | Self::ToolResult(_) => self.to_wire().serialize(serializer),
        }
    }
}

fn serialize_one<S: Serializer>(
    serializer: S,
    key: &str,
    held: &(impl Serialize + ?Sized),
    type_name: &str,
) -> std::result::Result<S::Ok, S::Error> {
    let mut wire = serializer.serialize_map(Some(2))?;
    wire.serialize_entry(key, held)?;
    wire.serialize_entry("__type__", type_name)?;
    wire.end()
}

impl FieldSchema {
    fn read(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&["name", "description"])?;
        let name = fields.required("name")?;
        if trim(name.string()?).is_empty() {
            return Err(name.error("`name` must not be blank"));
        }
        let description = fields.present("description").map(|field| field.string()).transpose()?;
        Ok(Self {
            name: trim(name.string()?).to_owned(),
            description: trim(description.unwrap_or("")).to_owned(),
        })
    }

    fn write(&self) -> Json {
        Json::from([("name", self.name.as_str()), ("description", self.description.as_str())])
    }
}

fn read_files(fields: &Fields<'_>) -> Result<Vec<FileRef>> {
    fields.only(&["__type__", "files"])?;
    let list = fields.required("files")?;
    let files = list
        .list()?
        .iter()
        .map(|item| {
            let inner = item.object()?;
            let type_field = inner.required("__type__")?;
            let type_name = type_field.string()?;
            FileRef::read(type_name, &inner).unwrap_or_else(|| {
                Err(type_field.error(format!(
                    "`{type_name}` is not a file type; expected one of {}",
                    listed(&FileRef::TYPES)
                )))
            })
        })
        .collect::<Result<Vec<_>>>()?;
    if files.is_empty() {
        return Err(list.error("`files` must not be empty"));
    }
    Ok(files)
}

fn one(key: &str, value: impl Into<Json>) -> Object {
    Object::from_iter([(key.to_owned(), value.into())])
}

fn canonical(value: Json, limits: &Limits) -> Result<Json> {
    limits.check(&value, &Path::root())?;
    value.into_canonical()
}

/// Checks an object against `limits` and converts it to canonical form.
pub(super) fn canonical_object(object: Object, limits: &Limits) -> Result<Object> {
    match canonical(Json::Object(object), limits)? {
        Json::Object(object) => Ok(object),
        other => Err(Error::invalid_content(format!("expected an object, found {}", other.kind()))),
    }
}

/// Checks and converts a list of objects that counts as one value; see [`canonical_object`].
pub(super) fn canonical_objects(objects: Vec<Object>, limits: &Limits) -> Result<Vec<Object>> {
    let Json::Array(items) = canonical(Json::from(objects), limits)? else {
        return Ok(Vec::new());
    };
    let object = |item| if let Json::Object(object) = item { Some(object) } else { None };
    Ok(items.into_iter().filter_map(object).collect())
}
