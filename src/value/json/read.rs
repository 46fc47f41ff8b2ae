//! Reading typed values out of JSON, with errors that name the place.

use super::{Json, Object};
use crate::value::error::Step;
use crate::{Code, Error, Path, Result};

/// One value and where it stands. Nothing is kept about the place: whoever asks for it, for an
/// error as a rule, has the whole searched for the value, so that reading costs no more than
/// looking.
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
    /// The whole of a caller's value; mistakes are `bad_request`.
    pub fn root(value: &'a Json) -> Self {
        Self::new(value, Code::BadRequest)
    }

    /// The whole of a value whose mistakes carry `code`.
    pub fn new(value: &'a Json, code: Code) -> Self {
        Self { whole: value, value, code }
    }

    /// The same value; its mistakes carry `code`.
    #[must_use]
    pub fn as_code(self, code: Code) -> Self {
        Self { code, ..self }
    }

    fn inside(&self, value: &'a Json) -> Self {
        Self { value, ..*self }
    }

    /// The value itself.
    pub fn json(&self) -> &'a Json {
        self.value
    }

    /// Where it stands. Takes as long as the whole is large.
    #[cold]
    pub fn path(&self) -> Path {
        let mut steps = Vec::new();
        find(self.whole, self.value, &mut steps);
        steps.reverse();
        Path::from_steps(steps)
    }

    /// An error at this place.
    #[cold]
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::new(self.code, message).at(self.path())
    }

    /// The error for a value of the wrong type.
    #[cold]
    #[inline(never)]
    pub fn expected(&self, what: &str) -> Error {
        self.error(format!("expected {what}, found {}", self.value.kind()))
    }

    /// The text of a string.
    ///
    /// # Errors
    /// When it is not a string.
    pub fn string(&self) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.expected("a string"))
    }

    /// A boolean.
    ///
    /// # Errors
    /// When it is not a boolean.
    pub fn boolean(&self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.expected("a boolean"))
    }

    /// A whole number that is not negative.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn count(&self) -> Result<u64> {
        self.value
            .as_number()
            .and_then(|number| number.whole())
            .and_then(|whole| u64::try_from(whole).ok())
            .ok_or_else(|| self.expected("a whole number that is not negative"))
    }

    /// The items of a list.
    ///
    /// # Errors
    /// When it is not a list.
    pub fn list(&self) -> Result<Vec<Field<'a>>> {
        let items = self.value.as_array().ok_or_else(|| self.expected("a list"))?;
        Ok(items.iter().map(|item| self.inside(item)).collect())
    }

    /// A list of strings.
    ///
    /// # Errors
    /// When it is not a list, or holds something else.
    pub fn strings(&self) -> Result<Vec<&'a str>> {
        self.list()?.iter().map(Field::string).collect()
    }

    /// The fields of an object.
    ///
    /// # Errors
    /// When it is not an object.
    pub fn object(&self) -> Result<Fields<'a>> {
        let object = self.value.as_object().ok_or_else(|| self.expected("an object"))?;
        Ok(Fields { object, field: *self })
    }
}

/// The fields of an object and where it stands.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::value::json::Field;
///
/// let call = json!({"box_id": "notes", "note": null});
/// let fields = Field::root(&call).object()?;
/// assert!(fields.present("note").is_some() && fields.optional("note").is_none());
/// let error = fields.only(&["box_id"]).unwrap_err();
/// assert_eq!(error.message(), "unknown key `note`; known are `box_id`");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    object: &'a Object,
    field: Field<'a>,
}

impl<'a> Fields<'a> {
    /// The object itself.
    pub fn json(&self) -> &'a Object {
        self.object
    }

    /// Where it stands. Takes as long as the whole is large.
    pub fn path(&self) -> Path {
        self.field.path()
    }

    /// The field `key`, if it is there (it may be `null`).
    pub fn present(&self, key: &str) -> Option<Field<'a>> {
        self.object.get(key).map(|value| self.field.inside(value))
    }

    /// The field `key`, if it is there and not `null`.
    pub fn optional(&self, key: &str) -> Option<Field<'a>> {
        self.present(key).filter(|field| !field.json().is_null())
    }

    /// The field `key`.
    ///
    /// # Errors
    /// When it is not there.
    pub fn required(&self, key: &str) -> Result<Field<'a>> {
        self.present(key).ok_or_else(|| self.error(key, format!("`{key}` is missing")))
    }

    /// Refuses every key that is not in `known`.
    ///
    /// # Errors
    /// At the first unknown key.
    pub fn only(&self, known: &[&str]) -> Result<()> {
        match self.object.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => {
                let text = format!("unknown key `{key}`; known are {}", listed(known));
                Err(self.error(key, text))
            }
        }
    }

    /// An error at the place of `key`, which need not be there.
    #[cold]
    fn error(&self, key: &str, message: String) -> Error {
        Error::new(self.field.code, message).at(self.path().key(key))
    }
}

/// Finds `value` itself, not one that is equal, in `whole`; the steps to it, from the inside out.
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

/// Names as a message lists them.
pub(crate) fn listed(names: &[&str]) -> String {
    let mut text = String::new();
    for name in names {
        text.push_str(if text.is_empty() { "`" } else { ", `" });
        text.push_str(name);
        text.push('`');
    }
    text
}
