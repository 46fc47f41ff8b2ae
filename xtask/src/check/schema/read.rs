//! Reads shapes from the declarations of the crate, as serde writes them.

use super::attributes::{Serde, derives_serialize, doc_of, serde_of, snake};
use super::macros::Row;
use super::names;
use super::shape::{Field, Results, Shape, Typed, any, substitute};
use super::source::{Declared, ModulePath, Source};
use anyhow::{Context, Result, anyhow, bail};
use syn::{Fields, GenericArgument, GenericParam, Item, PathArguments, Type};

/// The module of a type, and the generic parameters in scope.
pub(super) struct Place<'a> {
    pub source: &'a Source,
    pub module: &'a ModulePath,
    pub parameters: &'a [String],
}

impl Results {
    /// Reads the answers of every operation of the crate.
    pub fn of(source: &Source) -> Result<Self> {
        let mut results = Self::default();
        results.read_answers(source)?;
        for whole in names::ALSO {
            let path: Vec<String> = whole.split("::").map(str::to_owned).collect();
            let (module, name) = source
                .resolve(&Vec::new(), &path)
                .ok_or_else(|| anyhow!("`{whole}` is not found"))?;
            if let Some(declared) = source.modules.get(&module).and_then(|of| of.items.get(&name)) {
                results.declared(source, &module, &name, declared, Vec::new())?;
            }
        }
        for (whole, ts) in names::NAMES {
            if results.owners.get(*ts).is_none_or(|owner| owner != whole) {
                bail!("`names.rs` names `{whole}`, which is not part of a result");
            }
        }
        Ok(results)
    }

    /// Reads the answers of operations.
    pub fn read_answers(&mut self, source: &Source) -> Result<()> {
        let mut errors = Vec::new();
        for operation in &source.operations {
            let name = &operation.name;
            match self.answer(source, name, &operation.reader) {
                Ok(shape) => self.answers.push((name.clone(), shape)),
                Err(error) => errors.push(format!("the answer of `{name}`: {error:#}")),
            }
        }
        if !errors.is_empty() {
            bail!("{}", errors.join("\n"));
        }
        for operation in source.answers.keys() {
            if !source.operations.iter().any(|known| known.name == *operation) {
                bail!("a `shape!` declares the answer of `{operation}`, which is not an operation");
            }
        }
        Ok(())
    }

    fn answer(&mut self, source: &Source, operation: &str, reader: &[String]) -> Result<Shape> {
        if let Some((module, answer)) = source.answers.get(operation) {
            return self.shape(&Place { source, module, parameters: &[] }, answer);
        }
        let (module, answer) = value_of(source, reader)?;
        let shape = self.shape(&Place { source, module: &module, parameters: &[] }, &answer)?;
        if shape == Shape::Json {
            bail!("the answer is untyped JSON; declare it in a `shape!`");
        }
        Ok(shape)
    }

    pub(super) fn shape(&mut self, place: &Place<'_>, of: &Type) -> Result<Shape> {
        match of {
            Type::Reference(found) => self.shape(place, &found.elem),
            Type::Slice(found) => Ok(Shape::List(Box::new(self.shape(place, &found.elem)?))),
            Type::Array(found) => Ok(Shape::List(Box::new(self.shape(place, &found.elem)?))),
            Type::Tuple(found) if found.elems.is_empty() => Ok(Shape::Null),
            Type::Tuple(found) => {
                let parts = found.elems.iter().map(|part| self.shape(place, part));
                Ok(Shape::Pair(parts.collect::<Result<_>>()?))
            }
            Type::Path(found) => self.path(place, &found.path),
            _ => bail!("unsupported kind of type"),
        }
    }

    fn path(&mut self, place: &Place<'_>, path: &syn::Path) -> Result<Shape> {
        let last = path.segments.last().ok_or_else(|| anyhow!("a path is empty"))?;
        let name = last.ident.to_string();
        let mut generics = Vec::new();
        let mut words = Vec::new();
        if let PathArguments::AngleBracketed(arguments) = &last.arguments {
            for argument in &arguments.args {
                match argument {
                    GenericArgument::Type(of) => generics.push(self.shape(place, of)?),
                    GenericArgument::Const(syn::Expr::Lit(literal)) => match &literal.lit {
                        syn::Lit::Str(word) => words.push(Shape::Word(word.value())),
                        syn::Lit::Bool(is) => words.push(Shape::Is(is.value)),
                        _ => bail!("a word must be a string, `true` or `false`"),
                    },
                    _ => {}
                }
            }
        }
        let first = |generics: Vec<Shape>| {
            generics
                .into_iter()
                .next()
                .map(Box::new)
                .ok_or_else(|| anyhow!("`{name}` needs a type argument"))
        };
        match name.as_str() {
            "Option" | "OrNull" | "Nullable" => {
                return Ok(Shape::Any(vec![*first(generics)?, Shape::Null]));
            }
            "Arc" | "Rc" | "Box" | "Cow" | "Maybe" => return Ok(*first(generics)?),
            // a value that is coerced, in a `shape!`
            "Loose" => return Ok(Shape::Loose(first(generics)?)),
            // an object that callers can also pass as JSON text, in a `shape!`
            "OrText" => {
                return Ok(Shape::Any(vec![*first(generics)?, Shape::Outside("json", "JsonText")]));
            }
            "Vec" | "IndexSet" | "BTreeSet" => return Ok(Shape::List(first(generics)?)),
            "IndexMap" | "BTreeMap" | "HashMap" => {
                let Ok([key, held]) = <[Shape; 2]>::try_from(generics) else {
                    bail!("a map needs two type arguments")
                };
                return Ok(Shape::Map(Box::new(key), Box::new(held)));
            }
            // one of some words, in a `shape!`
            "Word" => return Ok(any(words)),
            "StrMap" => return Ok(Shape::Map(Box::new(Shape::Text), first(generics)?)),
            _ => {}
        }
        if place.parameters.contains(&name) {
            return Ok(Shape::Parameter(name));
        }
        let segments: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let Some((module, name)) = place.source.resolve(place.module, &segments) {
            let whole = format!("{}::{name}", module.join("::"));
            if let Some(leaf) = names::leaf_at(&whole, self.is_input) {
                return Ok(leaf);
            }
            let declared = place.source.modules.get(&module).and_then(|module| {
                let input = module.inputs.get(&name).filter(|_| self.is_input);
                input.or_else(|| module.items.get(&name))
            });
            if let Some(declared) = declared {
                return self.declared(place.source, &module, &name, declared, generics);
            }
        }
        names::leaf(&name).ok_or_else(|| {
            anyhow!("`{}` is not known in `{}`", segments.join("::"), place.module.join("::"))
        })
    }

    pub(super) fn declared(
        &mut self,
        source: &Source,
        module: &ModulePath,
        name: &str,
        declared: &Declared,
        generics: Vec<Shape>,
    ) -> Result<Shape> {
        let whole = format!("{}::{name}", module.join("::"));
        let Some(ts) = self.name_of(&whole, name, declared) else {
            // a type without a name is written inline
            if self.open.contains(&whole) {
                bail!("`{whole}` contains itself; give it a name in `names.rs`");
            }
            self.open.push(whole.clone());
            let typed = self.typed(source, module, declared, &whole);
            self.open.pop();
            let typed = typed.with_context(|| format!("`{whole}`"))?;
            return Ok(substitute(typed.shape, &typed.parameters, &generics));
        };
        let ts = ts.as_str();
        match self.owners.get(ts) {
            Some(owner) if *owner == whole => {}
            Some(owner) => {
                bail!(
                    "`{whole}` and `{owner}` have the same name `{ts}`; give one a name in `names.rs`"
                )
            }
            None => {
                self.owners.insert(ts.to_owned(), whole.clone());
                let typed = self
                    .typed(source, module, declared, &whole)
                    .with_context(|| format!("`{whole}`"))?;
                self.types.insert(ts.to_owned(), typed);
            }
        }
        Ok(Shape::Named(ts.to_owned(), generics))
    }

    fn typed(
        &mut self,
        source: &Source,
        module: &ModulePath,
        declared: &Declared,
        whole: &str,
    ) -> Result<Typed> {
        let plain = |doc: String, shape| Typed { doc, parameters: Vec::new(), shape };
        let item = match declared {
            Declared::Codes => {
                let union = names::codes(whole)
                    .ok_or_else(|| anyhow!("`{whole}` has no name in `codes.d.ts`"))?;
                return Ok(plain(String::new(), Shape::Code("codes", union)));
            }
            Declared::Words(doc, words) => {
                let words = words.iter().cloned().map(Shape::Word).collect();
                return Ok(plain(doc_of(doc), Shape::Any(words)));
            }
            Declared::Arguments(found) => {
                let place = Place { source, module, parameters: &[] };
                return Ok(plain(doc_of(&found.doc), self.argument_fields(&place, found)?));
            }
            Declared::Row(row) => {
                let place = Place { source, module, parameters: &[] };
                return Ok(plain(doc_of(&row.doc), self.row(&place, row)?));
            }
            Declared::Item(item) => {
                if !derives_serialize(item) {
                    bail!("`{whole}` has its own serializer; declare it in a `shape!` next to it");
                }
                item
            }
            Declared::Shape(item, _) => item,
        };
        // names resolve in the file of the `shape!`
        let module = if let Declared::Shape(_, file) = declared { file } else { module };
        let (attributes, generics) = match item {
            Item::Struct(found) => (&found.attrs, &found.generics),
            Item::Enum(found) => (&found.attrs, &found.generics),
            Item::Type(found) => (&found.attrs, &found.generics),
            _ => bail!("`{whole}` is neither a struct nor an enum"),
        };
        let names = generics.params.iter().filter_map(|param| match param {
            GenericParam::Type(param) => Some(param.ident.to_string()),
            GenericParam::Lifetime(_) | GenericParam::Const(_) => None,
        });
        let parameters: Vec<String> = names.collect();
        let place = Place { source, module, parameters: &parameters };
        let serde = serde_of(attributes)?;
        let shape = match item {
            Item::Struct(found) => self.fields(&place, &found.fields, &serde)?,
            Item::Enum(found) => self.variants(&place, found, &serde)?,
            Item::Type(found) => self.shape(&place, &found.ty)?,
            _ => bail!("`{whole}` is neither a struct nor an enum"),
        };
        let doc = doc_of(attributes);
        Ok(Typed { doc, parameters, shape })
    }

    fn row(&mut self, place: &Place<'_>, row: &Row) -> Result<Shape> {
        let mut fields = Vec::new();
        for (column, of) in &row.columns {
            let (shape, optional) = match self.shape(place, of)? {
                Shape::Any(mut shapes) if shapes.last() == Some(&Shape::Null) => {
                    shapes.pop();
                    (any(shapes), true)
                }
                Shape::Json => (Shape::Json, true),
                shape => (shape, false),
            };
            fields.push(Field {
                key: column.to_string(),
                doc: String::new(),
                optional,
                nullable: false,
                shape,
                default: None,
            });
        }
        Ok(Shape::Fields(fields))
    }

    fn fields(&mut self, place: &Place<'_>, fields: &Fields, of_type: &Serde) -> Result<Shape> {
        let named = match fields {
            Fields::Named(named) => named,
            Fields::Unnamed(unnamed) if unnamed.unnamed.len() == 1 || of_type.transparent => {
                let one =
                    unnamed.unnamed.first().ok_or_else(|| anyhow!("a struct has no field"))?;
                return self.shape(place, &one.ty);
            }
            Fields::Unnamed(_) => bail!("a struct with several unnamed fields is not supported"),
            Fields::Unit => return Ok(Shape::Null),
        };
        if of_type.transparent {
            let one = named.named.first().ok_or_else(|| anyhow!("a struct has no field"))?;
            return self.shape(place, &one.ty);
        }
        let mut own = Vec::new();
        let mut flattened = Vec::new();
        for field in &named.named {
            let of_field = serde_of(&field.attrs)?;
            let key = field.ident.as_ref().map(|name| name.to_string()).unwrap_or_default();
            if of_field.skip {
                continue;
            }
            let shape =
                self.shape(place, &field.ty).with_context(|| format!("the field `{key}`"))?;
            if of_field.flatten {
                match shape {
                    Shape::Fields(fields) => own.extend(fields),
                    shape => flattened.push(shape),
                }
                continue;
            }
            let optional = of_field.maybe || is_maybe(&field.ty);
            let shape = if of_field.maybe { without_null(shape) } else { shape };
            let key = of_field.rename.unwrap_or_else(|| key.trim_start_matches("r#").to_owned());
            let doc = doc_of(&field.attrs);
            own.push(Field { key, doc, optional, nullable: false, shape, default: None });
        }
        if flattened.is_empty() {
            return Ok(Shape::Fields(own));
        }
        if !own.is_empty() {
            flattened.insert(0, Shape::Fields(own));
        }
        Ok(Shape::All(flattened))
    }

    fn variants(
        &mut self,
        place: &Place<'_>,
        of: &syn::ItemEnum,
        of_type: &Serde,
    ) -> Result<Shape> {
        let mut shapes = Vec::new();
        for variant in &of.variants {
            let of_variant = serde_of(&variant.attrs)?;
            let name = variant.ident.to_string();
            let word = of_variant
                .rename
                .clone()
                .unwrap_or_else(|| if of_type.snake_case { snake(&name) } else { name.clone() });
            let held = (!matches!(variant.fields, Fields::Unit))
                .then(|| self.fields(place, &variant.fields, &Serde::default()))
                .transpose()
                .with_context(|| format!("the variant `{name}`"))?;
            let doc = doc_of(&variant.attrs);
            shapes.push(match (&of_type.tag, held) {
                (_, Some(held)) if of_variant.untagged => held,
                (Some(tag), held) => {
                    let mark = Field {
                        key: tag.clone(),
                        doc,
                        optional: false,
                        nullable: false,
                        shape: Shape::Word(word),
                        default: None,
                    };
                    match held {
                        None => Shape::Fields(vec![mark]),
                        Some(Shape::Fields(fields)) => {
                            Shape::Fields([mark].into_iter().chain(fields).collect())
                        }
                        Some(held) => Shape::All(vec![Shape::Fields(vec![mark]), held]),
                    }
                }
                (None, Some(held)) if of_type.untagged => held,
                (None, Some(held)) => Shape::Fields(vec![Field {
                    key: word,
                    doc,
                    optional: false,
                    nullable: false,
                    shape: held,
                    default: None,
                }]),
                (None, None) if of_type.untagged => Shape::Null,
                (None, None) => Shape::Word(word),
            });
        }
        Ok(any(shapes))
    }
}

/// Returns the type of the value of an operation's rule, and the module of that type.
fn value_of(source: &Source, reader: &[String]) -> Result<(ModulePath, Type)> {
    let home: ModulePath = vec!["call".into(), "operations".into()];
    let is_type = |name: &String| name.starts_with(char::is_uppercase);
    let length = reader.iter().position(is_type).map_or(reader.len(), |at| at + 1);
    let path: Vec<String> = reader.iter().take(length).cloned().collect();
    let (module, name) = source
        .resolve(&home, &path)
        .ok_or_else(|| anyhow!("`{}` is not found", path.join("::")))?;
    let found = source.modules.get(&module).ok_or_else(|| anyhow!("a module is missing"))?;
    let same = |from: &ModulePath, name: &String| source.resolve(from, std::slice::from_ref(name));
    let wanted = Some((module.clone(), name.clone()));
    for (from, others) in &source.modules {
        for (rule, value) in &others.rules {
            if *rule == name && same(from, rule) == wanted {
                let of_itself = matches!(value, Type::Path(path) if path.path.is_ident("Self"));
                let value = if of_itself { syn::parse_str(&name)? } else { value.clone() };
                return Ok((from.clone(), value));
            }
        }
    }
    // a function that returns an immediate answer: `-> Result<Immediate<V>>`
    let answer = found.functions.get(&name).ok_or_else(|| anyhow!("`{name}` is not a rule"))?;
    let rule = argument(answer).ok_or_else(|| anyhow!("`{name}` does not return a `Result`"))?;
    let value = argument(&rule).map_or_else(|| syn::parse_str("Json"), Ok)?;
    Ok((module, value))
}

/// Returns `T` of `Name<T>`.
fn argument(of: &Type) -> Option<Type> {
    let Type::Path(path) = of else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(of) => Some(of.clone()),
        _ => None,
    })
}

fn is_maybe(of: &Type) -> bool {
    matches!(of, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Maybe"))
}

/// Removes `null` from a shape, for fields that are omitted if they are `null`.
pub(super) fn without_null(shape: Shape) -> Shape {
    match shape {
        Shape::Any(shapes) => {
            any(shapes.into_iter().filter(|shape| *shape != Shape::Null).collect())
        }
        shape => shape,
    }
}
