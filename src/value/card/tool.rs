//! Tool calls and their results.

use super::coerce;
use crate::Result;
use crate::value::json::{Field, Fields, Json, Object, trim};

/// A request to call a tool.
///
/// ```
/// use tuckbox::value::json::Field;
/// use tuckbox::{Content, json};
///
/// let wire = json!({"__type__": "ToolCallContent", "tool_name": "search",
///     "arguments": {"q": "tides"}, "status": "called"});
/// let Content::ToolCall(call) = Content::from_wire(&Field::root(&wire))? else { panic!() };
/// assert_eq!((call.tool_name.as_str(), &call.arguments["q"]), ("search", &json!("tides")));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The name of the tool.
    pub tool_name: String,
    /// The arguments of the call.
    pub arguments: Object,
    /// The state of the call; any text.
    pub status: String,
    /// The subject to which the call is sent.
    pub target_subject: Option<String>,
}

impl ToolCall {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self> {
        fields.only(&["__type__", "tool_name", "arguments", "status", "target_subject"])?;
        Ok(Self {
            tool_name: coerce::text(fields, "tool_name")?,
            arguments: fields.required("arguments")?.object()?.json().clone(),
            status: coerce::text(fields, "status")?,
            target_subject: coerce::optional_text(fields, "target_subject")?,
        })
    }

    pub(super) fn write(&self) -> Object {
        let mut out = Object::default();
        out.insert("tool_name".into(), self.tool_name.as_str().into());
        out.insert("arguments".into(), self.arguments.clone().into());
        out.insert("status".into(), self.status.as_str().into());
        out.insert("target_subject".into(), self.target_subject.as_deref().into());
        out
    }
}

/// The result of a tool call.
///
/// ```
/// use tuckbox::value::card::AfterExecution;
/// use tuckbox::value::json::Field;
/// use tuckbox::{Content, json};
///
/// let wire = json!({"__type__": "ToolResultContent", "status": "failed", "after_execution": "suspend",
///     "result": null, "error": {"code": "timeout", "message": "no answer in 30 s"}});
/// let Content::ToolResult(result) = Content::from_wire(&Field::root(&wire))? else { panic!() };
/// assert_eq!(result.after_execution, AfterExecution::Suspend);
/// assert_eq!(result.error.unwrap()["code"], json!("timeout"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// `success`, or any other word for a call that did not succeed; trimmed and not blank.
    pub status: String,
    /// The next step of the agent.
    pub after_execution: AfterExecution,
    /// The result; `null` if there is none.
    pub result: Json,
    /// The error of a call that did not succeed, with `code` and `message`.
    pub error: Option<Object>,
}

/// The next step of an agent after a tool result.
///
/// The example of [`ToolResult`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterExecution {
    /// The agent waits for more.
    Suspend,
    /// The turn of the agent ends.
    Terminate,
}

impl AfterExecution {
    /// Returns the word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Suspend => "suspend",
            Self::Terminate => "terminate",
        }
    }

    fn read(field: &Field<'_>) -> Result<Self> {
        match trim(field.string()?) {
            "suspend" => Ok(Self::Suspend),
            "terminate" => Ok(Self::Terminate),
            other => Err(field.error(format!(
                "`after_execution` must be `suspend` or `terminate`, found `{other}`"
            ))),
        }
    }
}

impl ToolResult {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self> {
        fields.only(&["__type__", "status", "after_execution", "result", "error"])?;
        let status = fields.required("status")?;
        let status_text = trim(status.string()?);
        if status_text.is_empty() {
            return Err(status.error("`status` must not be blank"));
        }
        Ok(Self {
            status: status_text.to_owned(),
            after_execution: AfterExecution::read(&fields.required("after_execution")?)?,
            result: fields.present("result").map_or(Json::Null, |field| field.json().clone()),
            error: read_error(fields, status_text)?,
        })
    }

    pub(super) fn write(&self) -> Object {
        let mut out = Object::default();
        out.insert("status".into(), self.status.as_str().into());
        out.insert("after_execution".into(), self.after_execution.as_str().into());
        out.insert("result".into(), self.result.clone());
        out.insert("error".into(), self.error.clone().into());
        out
    }
}

fn read_error(fields: &Fields<'_>, status: &str) -> Result<Option<Object>> {
    let error = fields.optional("error");
    if status == "success" {
        return match error {
            None => Ok(None),
            Some(error) => Err(error.error("a result with status `success` must not have `error`")),
        };
    }
    let error = match error {
        Some(error) => error.object()?,
        None => fields.required("error")?.object()?,
    };
    for key in ["code", "message"] {
        let part = error.required(key)?;
        if !part.json().is_truthy() {
            return Err(part.error(format!("`{key}` of the error must not be empty")));
        }
    }
    Ok(Some(error.json().clone()))
}
