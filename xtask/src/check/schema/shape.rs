//! The shapes of arguments and results.

use std::collections::BTreeMap;

/// The form of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Text,
    /// A string that is not empty and has no U+0000.
    Id,
    /// Bytes as base64.
    Base64,
    Number,
    /// A coerced value. Callers should pass this shape; others are also read.
    Loose(Box<Self>),
    /// A number from 0.
    NonNegative,
    /// A whole number, with its bounds.
    Whole(Option<i64>, Option<i64>),
    Bool,
    Null,
    /// Any JSON.
    Json,
    /// Any JSON object.
    Object,
    /// A string with a type in a file that is not generated: the file and the name.
    Code(&'static str, &'static str),
    /// A type in another file: the file and the name.
    Outside(&'static str, &'static str),
    Word(String),
    /// `true`, or `false`.
    Is(bool),
    List(Box<Self>),
    /// The shape of the keys, and the shape of the values.
    Map(Box<Self>, Box<Self>),
    Pair(Vec<Self>),
    Fields(Vec<Field>),
    Any(Vec<Self>),
    /// An object with the members of all shapes.
    All(Vec<Self>),
    /// A named type with its type arguments.
    Named(String, Vec<Self>),
    /// A generic parameter of the enclosing type.
    Parameter(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub key: String,
    pub doc: String,
    pub optional: bool,
    /// True for an argument that can be `null`, which counts as missing.
    pub nullable: bool,
    pub shape: Shape,
    /// The JSON of the default of an argument.
    pub default: Option<String>,
}

/// A type with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Typed {
    pub doc: String,
    pub parameters: Vec<String>,
    pub shape: Shape,
}

/// Every result, and the types that they are made of.
#[derive(Default)]
pub struct Results {
    pub types: BTreeMap<String, Typed>,
    /// The answer of each operation, in the order of the operations.
    pub answers: Vec<(String, Shape)>,
    /// True for arguments, false for answers.
    pub is_input: bool,
    /// The declaration of each name.
    pub owners: BTreeMap<String, String>,
    /// The unnamed declarations that are being read.
    pub open: Vec<String>,
}

impl Results {
    /// Returns all shapes: those of types, then those of operations.
    pub fn shapes(&self) -> impl Iterator<Item = &Shape> {
        let types = self.types.values().map(|typed| &typed.shape);
        types.chain(self.answers.iter().map(|(_, shape)| shape))
    }
}

/// Returns a union of shapes. A single shape is returned unchanged.
pub fn any(shapes: Vec<Shape>) -> Shape {
    match <[Shape; 1]>::try_from(shapes) {
        Ok([one]) => one,
        Err(shapes) => Shape::Any(shapes),
    }
}

/// Replaces the generic parameters of a shape by type arguments.
pub fn substitute(shape: Shape, names: &[String], generics: &[Shape]) -> Shape {
    if names.is_empty() {
        return shape;
    }
    let each = |shapes: Vec<Shape>| {
        shapes.into_iter().map(|shape| substitute(shape, names, generics)).collect::<Vec<_>>()
    };
    match shape {
        Shape::Parameter(name) => {
            let at = names.iter().position(|known| *known == name);
            at.and_then(|at| generics.get(at)).cloned().unwrap_or(Shape::Parameter(name))
        }
        Shape::List(held) => Shape::List(Box::new(substitute(*held, names, generics))),
        Shape::Loose(held) => Shape::Loose(Box::new(substitute(*held, names, generics))),
        Shape::Map(key, held) => Shape::Map(key, Box::new(substitute(*held, names, generics))),
        Shape::Pair(shapes) => Shape::Pair(each(shapes)),
        Shape::Any(shapes) => Shape::Any(each(shapes)),
        Shape::All(shapes) => Shape::All(each(shapes)),
        Shape::Named(name, shapes) => Shape::Named(name, each(shapes)),
        Shape::Fields(fields) => {
            let put =
                |field: Field| Field { shape: substitute(field.shape, names, generics), ..field };
            Shape::Fields(fields.into_iter().map(put).collect())
        }
        shape => shape,
    }
}
