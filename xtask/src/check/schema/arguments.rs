//! Reads the shapes of arguments from the `arguments!` of the crate.

use super::attributes::{doc_of, snake};
use super::macros::{ArgumentField, ArgumentStruct, Operation};
use super::names;
use super::read::{Place, without_null};
use super::shape::{Field, Results, Shape, any};
use super::source::{Declared, Source};
use anyhow::{Context, Result, anyhow, bail};
use syn::Expr;

impl Results {
    /// Reads the arguments of all operations. Returns the names of operations that do not declare
    /// theirs.
    pub fn arguments(source: &Source) -> Result<(Self, Vec<String>)> {
        let mut found = Self { is_input: true, ..Self::default() };
        let mut pending = Vec::new();
        for operation in &source.operations {
            let name = &operation.name;
            match found
                .argument(source, operation)
                .with_context(|| format!("arguments of `{name}`"))?
            {
                Some(shape) => found.answers.push((name.clone(), shape)),
                None => pending.push(name.clone()),
            }
        }
        for operation in source.arguments.keys() {
            if !source.operations.iter().any(|known| known.name == *operation) {
                bail!(
                    "a `shape!` states the arguments of `{operation}`, which is not an operation"
                );
            }
        }
        Ok((found, pending))
    }

    fn argument(&mut self, source: &Source, operation: &Operation) -> Result<Option<Shape>> {
        if let Some((module, of)) = source.arguments.get(&operation.name) {
            return self.shape(&Place { source, module, parameters: &[] }, of).map(Some);
        }
        let home = vec!["call".to_owned(), "operations".to_owned()];
        let is_type = |name: &String| name.starts_with(char::is_uppercase);
        let length = operation.reader.iter().position(is_type).map_or(0, |at| at + 1);
        let path = operation.reader.get(..length).unwrap_or_default();
        let Some((module, name)) = source.resolve(&home, path) else { return Ok(None) };
        let declared = source.modules.get(&module).and_then(|module| module.items.get(&name));
        match declared {
            Some(declared @ Declared::Arguments(_)) => {
                self.declared(source, &module, &name, declared, Vec::new()).map(Some)
            }
            Some(_) | None => Ok(None),
        }
    }

    /// Returns the name of a type in TypeScript. Structs of arguments have the same name as in
    /// Rust.
    pub(super) fn name_of(&self, whole: &str, name: &str, declared: &Declared) -> Option<String> {
        match (names::typescript(whole, self.is_input), declared) {
            (Some(ts), _) => Some(ts.to_owned()),
            (None, Declared::Arguments(_)) if !names::UNNAMED_ARGUMENTS.contains(&whole) => {
                Some(name.to_owned())
            }
            (None, _) => None,
        }
    }

    /// Returns the members of a struct of arguments, including shared structs.
    pub(super) fn argument_fields(
        &mut self,
        place: &Place<'_>,
        of: &ArgumentStruct,
    ) -> Result<Shape> {
        let mut fields = Vec::new();
        for field in &of.fields {
            let name = &field.name;
            fields.push(self.argument_field(place, field).with_context(|| format!("`{name}`"))?);
        }
        let mut shapes = Vec::new();
        for shared in &of.shared {
            shapes.push(self.shape(place, shared)?);
        }
        if shapes.is_empty() {
            return Ok(Shape::Fields(fields));
        }
        if !fields.is_empty() {
            shapes.insert(0, Shape::Fields(fields));
        }
        Ok(match <[Shape; 1]>::try_from(shapes) {
            Ok([one]) => one,
            Err(shapes) => Shape::All(shapes),
        })
    }

    fn argument_field(&mut self, place: &Place<'_>, field: &ArgumentField) -> Result<Field> {
        let shape = self.shape(place, &field.of)?;
        let (shape, is_option) = match shape {
            // the documentation requires the value, and the reader accepts its absence
            Shape::Loose(held) if is_loose(&field.of) => {
                (Shape::Loose(Box::new(without_null(*held))), false)
            }
            shape if is_nullable(&field.of) => (shape, true),
            Shape::Any(mut shapes) if shapes.last() == Some(&Shape::Null) => {
                shapes.pop();
                (any(shapes), true)
            }
            shape => (shape, false),
        };
        let shape = match (&field.bounds, shape) {
            (None, shape) => shape,
            (Some(bounds), Shape::Whole(..)) => {
                let end = |end: &Option<Box<Expr>>| {
                    end.as_deref().map(|end| whole(place, end)).transpose()
                };
                Shape::Whole(end(&bounds.start)?, end(&bounds.end)?)
            }
            (Some(_), _) => bail!("only whole numbers have bounds"),
        };
        let default = match &field.default {
            Some(default) if !is_loose(&field.of) => default_json(place, default)?,
            Some(_) | None => None,
        };
        let key = field.name.to_string().trim_start_matches("r#").to_owned();
        // a loose value with a default is documented as required, because the operation refuses its
        // absence
        let optional = is_option || (field.default.is_some() && !is_loose(&field.of));
        let doc = doc_of(&field.doc);
        Ok(Field { key, doc, optional, nullable: optional, shape, default })
    }
}

/// Returns true for an argument with `null` as a value.
fn is_nullable(of: &syn::Type) -> bool {
    is_named(of, "Nullable")
}

/// Returns true for an argument whose reader accepts more than its documentation states.
fn is_loose(of: &syn::Type) -> bool {
    is_named(of, "Loose")
}

fn is_named(of: &syn::Type, name: &str) -> bool {
    matches!(of, syn::Type::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == name))
}

fn whole(place: &Place<'_>, of: &Expr) -> Result<i64> {
    match constant(place, of) {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => Ok(number.base10_parse()?),
        _ => bail!("a bound must be a whole number"),
    }
}

/// Returns the value of a constant. Other expressions are returned unchanged.
fn constant<'a>(place: &Place<'a>, of: &'a Expr) -> &'a Expr {
    match of {
        Expr::Path(path) => place.source.constant(place.module, &path.path).unwrap_or(of),
        _ => of,
    }
}

/// Returns the JSON of a default, or nothing for a default that only the documentation states.
fn default_json(place: &Place<'_>, of: &Expr) -> Result<Option<String>> {
    Ok(match constant(place, of) {
        Expr::Lit(literal) => Some(match &literal.lit {
            syn::Lit::Int(number) => number.base10_digits().to_owned(),
            syn::Lit::Float(number) => number.base10_digits().to_owned(),
            syn::Lit::Bool(is) => is.value.to_string(),
            syn::Lit::Str(text) => tuckbox::Json::from(text.value()).to_string(),
            _ => bail!("unsupported kind of default"),
        }),
        // the variant of an enum of words
        Expr::Path(path) if path.path.segments.len() == 2 => {
            let last = path.path.segments.last().ok_or_else(|| anyhow!("a path is empty"))?;
            Some(tuckbox::Json::from(snake(&last.ident.to_string())).to_string())
        }
        Expr::Call(call) if call.args.is_empty() => match &*call.func {
            Expr::Path(path) if path.path.segments.first().is_some_and(|of| of.ident == "Vec") => {
                Some("[]".to_owned())
            }
            Expr::Path(path)
                if path
                    .path
                    .segments
                    .last()
                    .is_some_and(|of| of.ident == "new" || of.ident == "default") =>
            {
                Some(if path.path.segments.first().is_some_and(|of| of.ident == "String") {
                    "\"\"".to_owned()
                } else {
                    "{}".to_owned()
                })
            }
            _ => None,
        },
        Expr::MethodCall(call) if call.method == "into" => default_json(place, &call.receiver)?,
        _ => None,
    })
}
