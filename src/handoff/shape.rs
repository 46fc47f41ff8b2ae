//! Reads an object as a whole: every wrong field becomes a finding. Findings are in the order of
//! the model and have the names of the reference systems.

use super::finding::{Findings, Kind};
use crate::value::json::{Json, Number, Object};
use crate::{Path, Result};

/// An object and its findings so far.
pub(super) struct Shape<'a> {
    object: &'a Object,
    path: Path,
    findings: Findings,
}

impl<'a> Shape<'a> {
    /// Returns the object at `path`, or a finding if there is none.
    pub(super) fn of(value: &'a Json, path: Path, kind: Kind) -> Result<Self, Findings> {
        match value {
            Json::Object(object) => Ok(Self { object, path, findings: Findings::new() }),
            other => {
                let mut findings = Findings::new();
                findings.error(kind, path, expected("an object", other));
                Err(findings)
            }
        }
    }

    pub(super) fn object(&self) -> &'a Object {
        self.object
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.object.contains_key(key)
    }

    pub(super) fn into_findings(self) -> Findings {
        self.findings
    }

    pub(super) fn absorb(&mut self, findings: Findings) {
        self.findings.absorb(findings, &Path::root());
    }

    /// Returns the members whose keys are not in `known`.
    pub(super) fn extra(&self, known: &[&str]) -> Object {
        self.object
            .iter()
            .filter(|(key, _)| !known.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    pub(super) fn missing(&mut self, key: &str) {
        self.findings.error(Kind::Missing, self.path.key(key), format!("`{key}` is missing"));
    }

    pub(super) fn wrong(&mut self, key: &str, kind: Kind, what: &str, found: &Json) {
        let message = format!("invalid `{key}`: {}", expected(what, found));
        self.findings.error(kind, self.path.key(key), message);
    }

    fn required(&mut self, key: &str) -> Option<&'a Json> {
        let value = self.object.get(key);
        if value.is_none() {
            self.missing(key);
        }
        value
    }

    pub(super) fn string(&mut self, key: &str) -> String {
        let Some(value) = self.required(key) else { return String::new() };
        self.text(key, value)
    }

    pub(super) fn string_or(&mut self, key: &str, default: &str) -> String {
        let Some(value) = self.object.get(key) else { return default.to_owned() };
        self.text(key, value)
    }

    /// Reads a string or `null`.
    pub(super) fn maybe_string(&mut self, key: &str) -> Option<String> {
        let value = self.object.get(key).filter(|value| !value.is_null())?;
        Some(self.text(key, value))
    }

    fn text(&mut self, key: &str, value: &Json) -> String {
        match value.as_str() {
            Some(text) => text.to_owned(),
            None => {
                self.wrong(key, Kind::StringType, "a string", value);
                String::new()
            }
        }
    }

    pub(super) fn dict(&mut self, key: &str) -> Object {
        let Some(value) = self.required(key) else { return Object::default() };
        self.as_dict(key, value)
    }

    pub(super) fn dict_or_empty(&mut self, key: &str) -> Object {
        let Some(value) = self.object.get(key) else { return Object::default() };
        self.as_dict(key, value)
    }

    fn as_dict(&mut self, key: &str, value: &Json) -> Object {
        match value.as_object() {
            Some(object) => object.clone(),
            None => {
                self.wrong(key, Kind::DictType, "an object", value);
                Object::default()
            }
        }
    }

    /// Reads an object whose values are strings.
    pub(super) fn strings_by_name(&mut self, key: &str) -> crate::value::Map<String, String> {
        let Some(value) = self.required(key) else { return Default::default() };
        let Some(object) = value.as_object() else {
            self.wrong(key, Kind::DictType, "an object", value);
            return Default::default();
        };
        let mut strings =
            crate::value::Map::with_capacity_and_hasher(object.len(), Default::default());
        for (name, value) in object {
            match value.as_str() {
                Some(text) => {
                    strings.insert(name.clone(), text.to_owned());
                }
                None => self.findings.error(
                    Kind::StringType,
                    self.path.key(key).key(name),
                    format!("invalid `{name}`: {}", expected("a string", value)),
                ),
            }
        }
        strings
    }

    /// Reads a list.
    pub(super) fn items(&mut self, key: &str) -> &'a [Json] {
        let Some(value) = self.required(key) else { return &[] };
        self.as_items(key, value)
    }

    fn as_items(&mut self, key: &str, value: &'a Json) -> &'a [Json] {
        match value.as_array() {
            Some(items) => items,
            None => {
                self.wrong(key, Kind::ListType, "a list", value);
                &[]
            }
        }
    }

    pub(super) fn strings(&mut self, key: &str) -> Vec<String> {
        let items = self.items(key);
        self.each(key, items, Kind::StringType, "a string", |item| item.as_str().map(str::to_owned))
    }

    pub(super) fn dicts(&mut self, key: &str) -> Vec<Object> {
        let items = self.items(key);
        self.each(key, items, Kind::DictType, "an object", |item| item.as_object().cloned())
    }

    /// Reads a list of strings or `null`.
    pub(super) fn maybe_strings(&mut self, key: &str) -> Option<Vec<String>> {
        self.maybe_list(key)?;
        Some(self.strings(key))
    }

    /// Reads a list of objects or `null`.
    pub(super) fn maybe_dicts(&mut self, key: &str) -> Option<Vec<Object>> {
        self.maybe_list(key)?;
        Some(self.dicts(key))
    }

    fn maybe_list(&self, key: &str) -> Option<&'a Json> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    fn each<T>(
        &mut self,
        key: &str,
        items: &[Json],
        kind: Kind,
        what: &str,
        read: impl Fn(&Json) -> Option<T>,
    ) -> Vec<T> {
        let mut values = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match read(item) {
                Some(value) => values.push(value),
                None => self.findings.error(
                    kind,
                    self.path.key(key).index(index),
                    format!("invalid `{key}[{index}]`: {}", expected(what, item)),
                ),
            }
        }
        values
    }

    /// Reads one of several words.
    pub(super) fn literal<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let value = self.required(key)?;
        let found = words.iter().find(|(word, _)| value.as_str() == Some(word));
        if found.is_none() {
            let listed: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            let found = match value.as_str() {
                Some(text) => format!("`{}`", super::path::shown(text)),
                None => value.kind().to_owned(),
            };
            let message =
                format!("invalid `{key}`: expected {}, found {found}", listed.join(" or "));
            self.findings.error(Kind::LiteralError, self.path.key(key), message);
        }
        found.map(|(_, value)| *value)
    }

    /// Reads a whole number from 0.
    pub(super) fn count(&mut self, key: &str) -> u64 {
        let Some(value) = self.required(key) else { return 0 };
        let Some(whole) = value.as_number().and_then(Number::whole) else {
            self.wrong(key, Kind::IntType, "a whole number", value);
            return 0;
        };
        u64::try_from(whole).unwrap_or_else(|_| {
            self.wrong(key, Kind::GreaterThanEqual, "a number from 0", value);
            0
        })
    }

    /// Reads a finite number from 0.
    pub(super) fn rate(&mut self, key: &str) -> Number {
        let zero = Number::from(0_i64);
        let Some(value) = self.required(key) else { return zero };
        let Some(number) = value.as_number().filter(|number| number.as_f64().is_finite()) else {
            self.wrong(key, Kind::FloatType, "a number", value);
            return zero;
        };
        if number.as_f64() < 0.0 {
            self.wrong(key, Kind::GreaterThanEqual, "a number from 0", value);
        }
        number.clone()
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

fn expected(what: &str, found: &Json) -> String {
    format!("expected {what}, found {}", found.kind())
}
