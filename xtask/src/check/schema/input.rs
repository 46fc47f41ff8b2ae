//! The types of arguments in TypeScript and in the schema. Callers can pass any JSON also as text.
//! A type that differs between arguments and answers has a name for each.

use super::shape::{Field, Results, Shape, Typed};

impl Results {
    /// Returns the arguments with the types that callers pass.
    #[must_use]
    pub fn as_input(&self, results: &Self) -> Self {
        let mut input = Self { is_input: true, ..Self::default() };
        for (name, typed) in &self.types {
            if !self.is_shared(name, results) {
                let shape = self.input(&typed.shape, results);
                input
                    .types
                    .insert(self.input_name(name, results), Typed { shape, ..typed.clone() });
            }
        }
        let answers = self.answers.iter();
        input.answers =
            answers.map(|(name, shape)| (name.clone(), self.input(shape, results))).collect();
        input
    }

    /// Returns true for a type that is the same in arguments and answers.
    fn is_shared(&self, name: &str, results: &Self) -> bool {
        let (Some(own), Some(other)) = (self.types.get(name), results.types.get(name)) else {
            return false;
        };
        own == other && !self.holds_json(&own.shape)
    }

    fn input_name(&self, name: &str, results: &Self) -> String {
        let is_taken = results.types.contains_key(name);
        if is_taken { format!("{name}Input") } else { name.to_owned() }
    }

    fn holds_json(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Json | Shape::Object | Shape::Outside("json", "Json") => true,
            Shape::List(held) | Shape::Map(_, held) => self.holds_json(held),
            Shape::Pair(shapes) | Shape::Any(shapes) | Shape::All(shapes) => {
                shapes.iter().any(|shape| self.holds_json(shape))
            }
            Shape::Fields(fields) => fields.iter().any(|field| self.holds_json(&field.shape)),
            Shape::Named(name, generics) => {
                let held = self.types.get(name);
                held.is_some_and(|held| self.holds_json(&held.shape))
                    || generics.iter().any(|shape| self.holds_json(shape))
            }
            _ => false,
        }
    }

    fn input(&self, shape: &Shape, results: &Self) -> Shape {
        let each =
            |shapes: &[Shape]| shapes.iter().map(|shape| self.input(shape, results)).collect();
        match shape {
            Shape::Json => Shape::Outside("json", "JsonInput"),
            Shape::Object => Shape::Outside("json", "JsonObjectInput"),
            Shape::Outside("json", "Json") => Shape::Any(vec![
                Shape::Outside("payload", "MessagePart"),
                Shape::Outside("json", "JsonInput"),
            ]),
            // an object with members and any others
            Shape::All(shapes) if shapes.contains(&Shape::Object) => {
                let parts = shapes.iter().map(|shape| match shape {
                    Shape::Object => Shape::Outside("json", "JsonMembers"),
                    shape => self.input(shape, results),
                });
                Shape::All(parts.collect())
            }
            Shape::List(held) => Shape::List(Box::new(self.input(held, results))),
            Shape::Loose(held) => Shape::Loose(Box::new(self.input(held, results))),
            Shape::Map(key, held) => Shape::Map(key.clone(), Box::new(self.input(held, results))),
            Shape::Pair(shapes) => Shape::Pair(each(shapes)),
            Shape::Any(shapes) => Shape::Any(each(shapes)),
            Shape::All(shapes) => Shape::All(each(shapes)),
            Shape::Fields(fields) => {
                let field = |field: &Field| Field {
                    shape: self.input(&field.shape, results),
                    ..field.clone()
                };
                Shape::Fields(fields.iter().map(field).collect())
            }
            Shape::Named(name, generics) if !self.is_shared(name, results) => {
                Shape::Named(self.input_name(name, results), each(generics))
            }
            shape => shape.clone(),
        }
    }
}
