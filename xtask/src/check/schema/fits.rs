//! Checks a value against its shape.

use super::shape::{Field, Results, Shape, substitute};
use std::borrow::Cow;
use tuckbox::Json;
use tuckbox::value::json::Object;

/// The fields of an object, and whether it can have others.
#[derive(Clone, Default)]
pub(super) struct Members {
    pub fields: Vec<Field>,
    pub is_open: bool,
}

impl Results {
    /// Returns the first mismatch between an answer and its shape.
    pub fn misfit(&self, operation: &str, answer: &Json) -> Option<String> {
        match self.answers.iter().find(|(known, _)| known == operation) {
            None => Some(format!("`{operation}` is not an operation")),
            Some((_, shape)) => self.wrong(shape, answer, operation),
        }
    }

    fn wrong(&self, shape: &Shape, value: &Json, path: &str) -> Option<String> {
        let is = |holds: bool, what: &str| {
            (!holds).then(|| format!("`{path}` is not {what}: {}", short(value)))
        };
        match shape {
            Shape::Json
            | Shape::Parameter(_)
            | Shape::Loose(_)
            | Shape::Outside("json", "Json") => None,
            Shape::Null => is(value.is_null(), "null"),
            Shape::Text | Shape::Base64 | Shape::Id | Shape::Code(..) => {
                is(value.as_str().is_some(), "a string")
            }
            Shape::Number | Shape::NonNegative | Shape::Whole(..) => {
                is(value.as_number().is_some(), "a number")
            }
            Shape::Bool => is(matches!(value, Json::Bool(_)), "a boolean"),
            Shape::Object | Shape::Outside(..) => is(value.as_object().is_some(), "an object"),
            Shape::Is(wanted) => is(*value == Json::Bool(*wanted), &wanted.to_string()),
            Shape::Word(word) => is(value.as_str() == Some(word), &format!("`{word}`")),
            Shape::List(held) => {
                let Some(items) = value.as_array() else { return is(false, "a list") };
                let mut each = items.iter().enumerate();
                each.find_map(|(at, item)| self.wrong(held, item, &format!("{path}[{at}]")))
            }
            Shape::Pair(parts) => {
                let Some(items) = value.as_array() else { return is(false, "a list") };
                if items.len() != parts.len() {
                    return is(false, &format!("a list of {}", parts.len()));
                }
                let mut each = parts.iter().zip(items);
                each.find_map(|(part, item)| self.wrong(part, item, path))
            }
            Shape::Map(_, held) => {
                let Some(object) = value.as_object() else { return is(false, "an object") };
                let mut each = object.iter();
                each.find_map(|(key, item)| self.wrong(held, item, &format!("{path}.{key}")))
            }
            Shape::Named(name, generics) => match self.named(name, generics) {
                None => Some(format!("`{name}` is not a type")),
                Some(shape) => self.wrong(&shape, value, path),
            },
            Shape::Any(shapes) => {
                let mut mismatches = Vec::new();
                for shape in shapes {
                    mismatches.push(self.wrong(shape, value, path)?);
                }
                Some(mismatches.join("; or "))
            }
            Shape::Fields(_) | Shape::All(_) => {
                let Some(object) = value.as_object() else { return is(false, "an object") };
                let mut mismatches = Vec::new();
                for members in self.members(shape) {
                    mismatches.push(self.wrong_object(&members, object, path)?);
                }
                Some(mismatches.join("; or "))
            }
        }
    }

    /// Returns the shape of a named type with these type arguments.
    pub(super) fn named(&self, name: &str, generics: &[Shape]) -> Option<Cow<'_, Shape>> {
        let typed = self.types.get(name)?;
        Some(if typed.parameters.is_empty() {
            Cow::Borrowed(&typed.shape)
        } else {
            Cow::Owned(substitute(typed.shape.clone(), &typed.parameters, generics))
        })
    }

    fn wrong_object(&self, members: &Members, object: &Object, path: &str) -> Option<String> {
        for field in &members.fields {
            let path = format!("{path}.{}", field.key);
            match object.get(&field.key) {
                None if field.optional => {}
                None => return Some(format!("`{path}` is missing")),
                Some(value) => {
                    if let Some(mismatch) = self.wrong(&field.shape, value, &path) {
                        return Some(mismatch);
                    }
                }
            }
        }
        let is_known = |key: &str| members.fields.iter().any(|field| field.key == key);
        let unknown = object.iter().find(|(key, _)| !members.is_open && !is_known(key));
        unknown.map(|(key, _)| format!("`{path}.{key}` is not declared"))
    }

    /// Returns the members of an object of this shape, one entry for each of its forms.
    pub(super) fn members(&self, shape: &Shape) -> Vec<Members> {
        match shape {
            Shape::Fields(fields) => vec![Members { fields: fields.clone(), is_open: false }],
            Shape::Any(shapes) => shapes.iter().flat_map(|shape| self.members(shape)).collect(),
            Shape::Named(name, generics) => match self.named(name, generics) {
                Some(shape) => self.members(&shape),
                None => Vec::new(),
            },
            Shape::All(shapes) => {
                let mut ways = vec![Members::default()];
                for shape in shapes {
                    let more = self.members(shape);
                    let both = |way: &Members| {
                        let way = way.clone();
                        more.iter().map(move |more| Members {
                            fields: [way.fields.clone(), more.fields.clone()].concat(),
                            is_open: way.is_open || more.is_open,
                        })
                    };
                    ways = ways.iter().flat_map(|way| both(way).collect::<Vec<_>>()).collect();
                }
                ways
            }
            _ => vec![Members { fields: Vec::new(), is_open: true }],
        }
    }
}

fn short(value: &Json) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
