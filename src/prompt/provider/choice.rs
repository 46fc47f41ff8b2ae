//! The tool that a model calls, and the schema of its answer.

use crate::Result;
use crate::value::arguments::{Argument, arguments};
use crate::value::json::{Field, Json, Object};

/// Whether the model calls a tool, and which one.
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
    /// The model decides.
    Auto,
    /// No tool.
    None,
    /// At least one tool.
    Required,
    /// This tool, under the name that the prompt gives it.
    Tool(String),
}

shape! {
    /// Whether the model calls a tool, and which one. The forms of providers are read too.
    #[serde(untagged)]
    pub enum ToolChoice {
        Word(Word<"auto", "none", "required", "any", "AUTO", "NONE", "ANY">),
        Tool {
            /// The name of the tool in the prompt.
            tool: ToolName,
            #[serde(flatten)]
            more: Object,
        },
        Function {
            function: NamedTool,
            #[serde(flatten)]
            more: Object,
        },
        Name {
            name: String,
            #[serde(flatten)]
            more: Object,
        },
        SdkName {
            #[serde(rename = "toolName")]
            tool_name: String,
            #[serde(flatten)]
            more: Object,
        },
        Type {
            r#type: Word<"auto", "none", "required", "any">,
            #[serde(flatten)]
            more: Object,
        },
        Mode {
            mode: Word<"auto", "none", "required", "any", "AUTO", "NONE", "ANY">,
            #[serde(flatten)]
            more: Object,
        },
    }

    #[serde(untagged)]
    pub enum ToolName {
        Text(String),
        Named(NamedTool),
    }

    pub struct NamedTool {
        pub name: String,
        #[serde(flatten)]
        pub more: Object,
    }
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
            field.error(
                "unknown tool choice; expected `auto`, `none`, `required` or `{\"tool\": name}`",
            )
        })
    }
}

impl Argument for ToolChoice {
    fn read(field: &Field<'_>) -> Result<Self> {
        Self::from_json(field)
    }
}

arguments! {
    /// The schema of an answer.
    ///
    /// ```
    /// use tuckbox::prompt::provider::ResponseSchema;
    /// use tuckbox::json;
    ///
    /// let given = json!({"name": "verdict", "schema": {"type": "object"}, "strict": true});
    /// let schema = ResponseSchema::from_json(&given)?;
    /// assert_eq!((schema.name.as_str(), schema.strict), ("verdict", Some(true)));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ResponseSchema {
        /// A name for the schema, for providers that need one.
        pub name: String = "answer".into(),
        /// The JSON Schema.
        pub schema: Object,
        /// Whether the answer follows the schema exactly. The provider decides by default.
        pub strict: Option<bool>,
    }
}
