//! Builds the JSON of a call from typed arguments.

use crate::project::Project;
use tuckbox::value::json::{Field, Json, Object};
use tuckbox::{Path, Result};

/// The members of a call, or of a value in it.
pub struct Arguments<'a> {
    project: &'a Project,
    path: Path,
    fields: Object,
}

impl<'a> Arguments<'a> {
    /// Begins a call.
    pub fn new(project: &'a Project, op: &str) -> Self {
        Self::inside(project, Path::root()).with("op", op)
    }

    /// Begins a value at a path of a call.
    pub fn inside(project: &'a Project, path: Path) -> Self {
        Self { project, path, fields: Object::default() }
    }

    /// Adds a member.
    pub fn with(mut self, key: &str, value: impl Into<Json>) -> Self {
        self.fields.insert(key.to_owned(), value.into());
        self
    }

    /// Adds a member that can be missing.
    pub fn maybe(self, key: &str, value: Option<impl Into<Json>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Adds a member from JSON text.
    pub fn json(self, key: &str, text: &str) -> Result<Self> {
        let parsed = self.project.parse(text);
        let value = parsed.map_err(|error| error.within(&self.path.key(key)))?;
        Ok(self.with(key, value))
    }

    /// Adds a member from JSON text that can be missing.
    pub fn maybe_json(self, key: &str, text: Option<String>) -> Result<Self> {
        match text {
            Some(text) => self.json(key, &text),
            None => Ok(self),
        }
    }

    /// Adds the members of an object from JSON text that can be missing. `key` is its name in errors.
    pub fn members(mut self, key: &str, text: Option<String>) -> Result<Self> {
        let Some(text) = text else { return Ok(self) };
        let outer = self.path.key(key);
        let value = self.project.parse(&text).map_err(|error| error.within(&outer))?;
        let found = Field::root(&value).object().map_err(|error| error.within(&outer))?;
        for (name, value) in found.json().iter() {
            self.fields.insert(name.clone(), value.clone());
        }
        Ok(self)
    }

    /// Returns the object.
    pub fn object(self) -> Json {
        Json::Object(self.fields)
    }
}
