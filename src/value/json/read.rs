//! Typed readers of JSON values, with errors that have the path of the value.

use super::{Json, Object};
use crate::value::error::Step;
use crate::{Code, Error, Path, Result};

/// A value and its location inside a larger value.
///
/// A field does not store its path, so reading is cheap. [`Field::path`] searches the larger value
/// for it, which is needed for errors only.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::value::json::Field;
///
/// let call = json!({"tasks": [{"retries": 2}, {"retries": "two"}]});
/// let tasks = Field::root(&call).object()?.required("tasks")?.list()?;
/// assert_eq!(tasks[0].object()?.required("retries")?.count()?, 2);
/// let error = tasks[1].object()?.required("retries")?.count().unwrap_err();
/// assert_eq!(error.path().to_string(), "tasks[1].retries");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    whole: &'a Json,
    value: &'a Json,
    code: Code,
}

impl<'a> Field<'a> {
    /// Creates the field of a caller's whole value. Its errors are `bad_request`.
    pub fn root(value: &'a Json) -> Self {
        Self::new(value, Code::BadRequest)
    }

    /// Creates the field of a whole value. Its errors have `code`.
    pub fn new(value: &'a Json, code: Code) -> Self {
        Self { whole: value, value, code }
    }

    /// Returns the same field with `code` for its errors.
    #[must_use]
    pub fn as_code(self, code: Code) -> Self {
        Self { code, ..self }
    }

    fn inside(&self, value: &'a Json) -> Self {
        Self { value, ..*self }
    }

    /// Returns the value itself.
    pub fn json(&self) -> &'a Json {
        self.value
    }

    /// Finds the path of the value. Takes time linear in the size of the whole value.
    #[cold]
    pub fn path(&self) -> Path {
        let mut steps = Vec::new();
        find(self.whole, self.value, &mut steps);
        steps.reverse();
        Path::from_steps(steps)
    }

    /// Creates an error at this path.
    #[cold]
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::new(self.code, message).at(self.path())
    }

    /// Creates the error for a value of the wrong type.
    #[cold]
    #[inline(never)]
    pub fn expected(&self, what: &str) -> Error {
        self.error(format!("expected {what}, found {}", self.value.kind()))
    }

    /// Returns the text of a string.
    ///
    /// # Errors
    /// Returns an error if the value is not a string.
    pub fn string(&self) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.expected("a string"))
    }

    /// Returns a boolean.
    ///
    /// # Errors
    /// Returns an error if the value is not a boolean.
    pub fn boolean(&self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.expected("a boolean"))
    }

    /// Returns a non-negative integer.
    ///
    /// # Errors
    /// Returns an error for any other value.
    pub fn count(&self) -> Result<u64> {
        self.value
            .as_number()
            .and_then(|number| number.whole())
            .and_then(|whole| u64::try_from(whole).ok())
            .ok_or_else(|| self.expected("a whole number that is not negative"))
    }

    /// Returns the items of a list.
    ///
    /// # Errors
    /// Returns an error if the value is not a list.
    pub fn list(&self) -> Result<Vec<Field<'a>>> {
        let items = self.value.as_array().ok_or_else(|| self.expected("a list"))?;
        Ok(items.iter().map(|item| self.inside(item)).collect())
    }

    /// Returns a list of strings.
    ///
    /// # Errors
    /// Returns an error if the value is not a list or has an item that is not a string.
    pub fn strings(&self) -> Result<Vec<&'a str>> {
        self.list()?.iter().map(Field::string).collect()
    }

    /// Returns the fields of an object.
    ///
    /// # Errors
    /// Returns an error if the value is not an object.
    pub fn object(&self) -> Result<Fields<'a>> {
        let object = self.value.as_object().ok_or_else(|| self.expected("an object"))?;
        Ok(Fields { object, field: *self })
    }
}

/// The fields of an object, and its location inside a larger value.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::value::json::Field;
///
/// let call = json!({"box_id": "notes", "note": null});
/// let fields = Field::root(&call).object()?;
/// assert!(fields.present("note").is_some() && fields.optional("note").is_none());
/// let error = fields.only(&["box_id"]).unwrap_err();
/// assert_eq!(error.message(), "unknown key `note`; expected one of `box_id`");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    object: &'a Object,
    field: Field<'a>,
}

impl<'a> Fields<'a> {
    /// Returns the object itself.
    pub fn json(&self) -> &'a Object {
        self.object
    }

    /// Finds the path of the object. Takes time linear in the size of the whole value.
    pub fn path(&self) -> Path {
        self.field.path()
    }

    /// Returns the field `key`, if it exists. It can be `null`.
    pub fn present(&self, key: &str) -> Option<Field<'a>> {
        self.object.get(key).map(|value| self.field.inside(value))
    }

    /// Returns the field `key`, if it exists and is not `null`.
    pub fn optional(&self, key: &str) -> Option<Field<'a>> {
        self.present(key).filter(|field| !field.json().is_null())
    }

    /// Returns the field `key`.
    ///
    /// # Errors
    /// Returns an error if it is missing.
    pub fn required(&self, key: &str) -> Result<Field<'a>> {
        self.present(key).ok_or_else(|| self.error(key, format!("`{key}` is missing")))
    }

    /// Returns an error for a key that is not in `known`.
    ///
    /// # Errors
    /// Returns an error at the first unknown key.
    pub fn only(&self, known: &[&str]) -> Result<()> {
        match self.object.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => {
                let text = format!("unknown key `{key}`; expected one of {}", listed(known));
                Err(self.error(key, text))
            }
        }
    }

    /// Creates an error at the path of `key`, which can be missing.
    #[cold]
    fn error(&self, key: &str, message: String) -> Error {
        Error::new(self.field.code, message).at(self.path().key(key))
    }
}

/// Finds `value` in `whole` by its memory location; `steps` receives the path, innermost first.
fn find(whole: &Json, value: &Json, steps: &mut Vec<Step>) -> bool {
    if std::ptr::eq(whole, value) {
        return true;
    }
    let step = match whole {
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        Json::Array(items) => {
            items.iter().position(|item| find(item, value, steps)).map(Step::Index)
        }
        Json::Object(object) => object
            .iter()
            .find(|(_, item)| find(item, value, steps))
            .map(|(key, _)| Step::Key(key.as_str().into())),
    };
    let found = step.is_some();
    steps.extend(step);
    found
}

/// Returns names in backticks, separated by commas, for messages.
pub(crate) fn listed(names: &[&str]) -> String {
    let mut text = String::new();
    for name in names {
        text.push_str(if text.is_empty() { "`" } else { ", `" });
        text.push_str(name);
        text.push('`');
    }
    text
}
