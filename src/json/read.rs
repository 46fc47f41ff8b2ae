//! Reading typed values out of JSON, with errors that name the place.
//!
//! ```
//! use tuckbox::json::{Field, Json};
//!
//! let call = Json::parse(r#"{"project_id": "p1", "tags": ["a", 7]}"#)?;
//! let call = Field::root(&call).object()?;
//! assert_eq!(call.required("project_id")?.string()?, "p1");
//! let error = call.required("tags")?.list()?.get(1).unwrap().string().unwrap_err();
//! assert_eq!(error.to_string(), "bad_request at `tags[1]`: expected a string, found a number");
//! # Ok::<(), tuckbox::Error>(())
//! ```

use super::{Json, Object};
use crate::{Code, Error, Path, Result};

/// One value and where it stands.
#[derive(Clone, Debug)]
pub struct Field<'a> {
    value: &'a Json,
    path: Path,
    code: Code,
}

impl<'a> Field<'a> {
    /// The whole of a caller's value; mistakes are `bad_request`.
    pub fn root(value: &'a Json) -> Self {
        Self::new(value, Path::root(), Code::BadRequest)
    }

    /// A value at `path` whose mistakes carry `code`.
    pub fn new(value: &'a Json, path: Path, code: Code) -> Self {
        Self { value, path, code }
    }

    /// The value itself.
    pub fn json(&self) -> &'a Json {
        self.value
    }

    /// Where it stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An error at this place.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::new(self.code, message).at(self.path.clone())
    }

    /// The error for a value of the wrong type.
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
        Ok(items
            .iter()
            .enumerate()
            .map(|(index, item)| Self::new(item, self.path.index(index), self.code))
            .collect())
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
        Ok(Fields { object, path: self.path.clone(), code: self.code })
    }
}

/// The fields of an object and where it stands.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    object: &'a Object,
    path: Path,
    code: Code,
}

impl<'a> Fields<'a> {
    /// The object itself.
    pub fn json(&self) -> &'a Object {
        self.object
    }

    /// Where it stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The field `key`, if it is there (it may be `null`).
    pub fn present(&self, key: &str) -> Option<Field<'a>> {
        let value = self.object.get(key)?;
        Some(Field::new(value, self.path.key(key), self.code))
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
        self.present(key).ok_or_else(|| {
            Error::new(self.code, format!("`{key}` is missing")).at(self.path.key(key))
        })
    }

    /// Refuses every key that is not in `known`.
    ///
    /// # Errors
    /// At the first unknown key.
    pub fn only(&self, known: &[&str]) -> Result<()> {
        match self.object.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => Err(Error::new(
                self.code,
                format!("unknown key `{key}`; known are {}", listed(known)),
            )
            .at(self.path.key(key))),
        }
    }
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
