//! Which tool a model calls, and what shape its answer has.

use crate::Result;
use crate::value::json::{Field, Json};

/// Whether and which tool the model calls.
///
/// ```
/// use tuckbox::prompt::provider::ToolChoice;
/// use tuckbox::value::json::Field;
/// use tuckbox::json;
///
/// assert_eq!(ToolChoice::from_json(&Field::root(&json!("required")))?, ToolChoice::Required);
/// let search = json!({"tool": "search"});
/// assert_eq!(ToolChoice::from_json(&Field::root(&search))?, ToolChoice::Tool("search".into()));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// As the model likes.
    Auto,
    /// None.
    None,
    /// At least one.
    Required,
    /// This one, under the name that the prompt gives it.
    Tool(String),
}

impl ToolChoice {
    /// Reads `"auto"`, `"none"`, `"required"`, `{"tool": name}`, and the forms of the providers.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let word = |word: &str| match word.to_ascii_lowercase().as_str() {
            "auto" => Some(Self::Auto),
            "none" => Some(Self::None),
            "required" | "any" => Some(Self::Required),
            _ => None,
        };
        let json = field.json();
        let text = |of: &Json, key: &str| of.get(key).and_then(Json::as_str).map(str::to_owned);
        let named = || {
            let inner = ["function", "tool", "custom"].iter().find_map(|key| json.get(key));
            let name = inner.and_then(|inner| match inner {
                Json::String(name) => Some(name.clone()),
                other => text(other, "name"),
            });
            name.or_else(|| text(json, "name")).or_else(|| text(json, "toolName"))
        };
        let read = match json {
            Json::String(given) => word(given),
            Json::Object(_) => {
                let kind = text(json, "type").or_else(|| text(json, "mode"));
                named().map(Self::Tool).or_else(|| kind.as_deref().and_then(word))
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) => None,
        };
        read.ok_or_else(|| {
            field.error("a tool choice is `auto`, `none`, `required` or `{\"tool\": name}`")
        })
    }
}

/// The schema of an answer.
///
/// ```
/// use tuckbox::prompt::provider::ResponseSchema;
/// use tuckbox::value::json::Field;
/// use tuckbox::json;
///
/// let given = json!({"name": "verdict", "schema": {"type": "object"}, "strict": true});
/// let schema = ResponseSchema::from_json(&Field::root(&given))?;
/// assert_eq!((schema.name.as_str(), schema.strict), ("verdict", Some(true)));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseSchema {
    /// A name for it, where a provider wants one.
    pub name: String,
    /// The JSON schema.
    pub schema: Json,
    /// Whether the answer is held to it exactly; the provider decides where nobody says.
    pub strict: Option<bool>,
}

impl ResponseSchema {
    /// Reads `{"name"?, "schema", "strict"?}`.
    ///
    /// # Errors
    /// With the path of whatever is wrong.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&["name", "schema", "strict"])?;
        let schema = fields.required("schema")?;
        schema.object()?;
        let name = fields.optional("name").map(|name| name.string()).transpose()?;
        Ok(Self {
            name: name.unwrap_or("answer").to_owned(),
            schema: schema.json().clone(),
            strict: fields.optional("strict").map(|strict| strict.boolean()).transpose()?,
        })
    }
}
