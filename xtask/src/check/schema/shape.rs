//! What results look like.

use std::collections::BTreeMap;

/// What a value looks like.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Text,
    /// A string that is not empty and has no U+0000.
    Id,
    /// Bytes as base64.
    Base64,
    Number,
    /// A value that is coerced: callers should hand in this shape, and others are read too.
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
    /// A text that has a type of its own in a file that is not made here: the file, the name.
    Code(&'static str, &'static str),
    /// An object whose type is that of an argument.
    Outside(&'static str, &'static str),
    Word(String),
    /// `true`, or `false`.
    Is(bool),
    List(Box<Self>),
    /// What the keys are, and what stands under them.
    Map(Box<Self>, Box<Self>),
    Pair(Vec<Self>),
    Fields(Vec<Field>),
    Any(Vec<Self>),
    /// One object with what all of them say.
    All(Vec<Self>),
    /// A type by its name, with what it is told.
    Named(String, Vec<Self>),
    /// What the type that it stands in is told.
    Told(String),
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
    pub told: Vec<String>,
    pub shape: Shape,
}

/// Every result, and the types that they are made of.
#[derive(Default)]
pub struct Results {
    pub types: BTreeMap<String, Typed>,
    /// What each operation answers, in the order of the operations.
    pub answers: Vec<(String, Shape)>,
    /// True for arguments, false for answers.
    pub is_input: bool,
    /// Which declaration has a name.
    pub owners: BTreeMap<String, String>,
    /// The declarations without a name that are being read.
    pub open: Vec<String>,
}

impl Results {
    /// Every shape: those of types, then those of operations.
    pub fn shapes(&self) -> impl Iterator<Item = &Shape> {
        let types = self.types.values().map(|typed| &typed.shape);
        types.chain(self.answers.iter().map(|(_, shape)| shape))
    }
}

/// One of them; a single one is itself.
pub fn any(shapes: Vec<Shape>) -> Shape {
    match <[Shape; 1]>::try_from(shapes) {
        Ok([one]) => one,
        Err(shapes) => Shape::Any(shapes),
    }
}

/// A shape with what its type is told put in.
pub fn telling(shape: Shape, names: &[String], told: &[Shape]) -> Shape {
    if names.is_empty() {
        return shape;
    }
    let each = |shapes: Vec<Shape>| {
        shapes.into_iter().map(|shape| telling(shape, names, told)).collect::<Vec<_>>()
    };
    match shape {
        Shape::Told(name) => {
            let at = names.iter().position(|known| *known == name);
            at.and_then(|at| told.get(at)).cloned().unwrap_or(Shape::Told(name))
        }
        Shape::List(held) => Shape::List(Box::new(telling(*held, names, told))),
        Shape::Loose(held) => Shape::Loose(Box::new(telling(*held, names, told))),
        Shape::Map(key, held) => Shape::Map(key, Box::new(telling(*held, names, told))),
        Shape::Pair(shapes) => Shape::Pair(each(shapes)),
        Shape::Any(shapes) => Shape::Any(each(shapes)),
        Shape::All(shapes) => Shape::All(each(shapes)),
        Shape::Named(name, shapes) => Shape::Named(name, each(shapes)),
        Shape::Fields(fields) => {
            let put = |field: Field| Field { shape: telling(field.shape, names, told), ..field };
            Shape::Fields(fields.into_iter().map(put).collect())
        }
        shape => shape,
    }
}
