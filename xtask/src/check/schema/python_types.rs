//! Arguments and results as types of Python: a `TypedDict` for each object.

use super::Declarations;
use super::methods::capitalized;
use super::shape::{Field, Results, Shape, Typed, substitute};
use std::collections::BTreeMap;
use tuckbox::prompt::provider::{Change, Provider};

/// The words of Python that cannot be the name of a member in a class.
const KEYWORDS: [&str; 12] = [
    "and", "as", "async", "await", "class", "def", "from", "global", "import", "in", "lambda",
    "with",
];

/// The text between the name of an alias and its type.
const ALIAS: &str = ": _t.TypeAlias = ";

/// The maximum number of names between a type and the fields of its object.
const MAX_NAMES: usize = 6;

/// The declarations of a module, by name.
pub struct Module<'a> {
    results: &'a Results,
    input: &'a Results,
    /// The declared types, in the order of their names.
    pub declared: BTreeMap<String, String>,
    /// The objects without a name that are being declared, and their names.
    open: Vec<(Shape, String)>,
}

impl<'a> Module<'a> {
    /// Declares every type of the arguments and the answers.
    pub fn of(all: &'a Declarations) -> Self {
        let mut module = Self {
            results: &all.results,
            input: &all.input,
            declared: BTreeMap::new(),
            open: Vec::new(),
        };
        let providers = words(Provider::ALL.iter().map(|provider| provider.as_str()));
        let changes = words(Change::ALL.iter().map(|change| change.as_str()));
        for (name, words) in [("Provider", providers), ("ChangeCode", changes)] {
            module.declared.insert(name.to_owned(), format!("{name}{ALIAS}{words}\n"));
        }
        for is_input in [false, true] {
            let types = &module.side(is_input).types;
            for (name, typed) in types.iter().filter(|(_, typed)| typed.parameters.is_empty()) {
                module.declare(name, typed, is_input);
            }
        }
        module
    }

    const fn side(&self, is_input: bool) -> &'a Results {
        if is_input { self.input } else { self.results }
    }

    /// Returns the type with this name, and whether it is one of the arguments.
    fn named(&self, name: &str, is_input: bool) -> Option<(&'a Typed, bool)> {
        let own = self.side(is_input).types.get(name).map(|typed| (typed, is_input));
        own.or_else(|| self.side(!is_input).types.get(name).map(|typed| (typed, !is_input)))
    }

    fn is_known(&self, name: &str) -> bool {
        self.named(name, false).is_some()
    }

    fn declare(&mut self, name: &str, typed: &Typed, is_input: bool) {
        let text = match self.objects(&typed.shape, is_input).as_deref() {
            Some([fields]) if !fields.is_empty() => self.class(name, fields, &typed.doc, is_input),
            _ => {
                let shape = self.written(&typed.shape, name, is_input);
                format!("{name}{ALIAS}{shape}\n")
            }
        };
        self.declared.insert(name.to_owned(), text);
    }

    /// Returns the fields of an object; several lists for a union of objects. Nothing for other
    /// shapes, and for objects with any other members.
    fn objects(&self, shape: &Shape, is_input: bool) -> Option<Vec<Vec<Field>>> {
        let mut kept: Vec<Vec<Field>> = Vec::new();
        for fields in self.objects_within(shape, is_input, MAX_NAMES)? {
            if !kept.iter().any(|other| covers(other, &fields)) {
                kept.push(fields);
            }
        }
        Some(kept)
    }

    /// Does the same, through at most `left` names: a type can contain itself.
    fn objects_within(
        &self,
        shape: &Shape,
        is_input: bool,
        left: usize,
    ) -> Option<Vec<Vec<Field>>> {
        match shape {
            Shape::Fields(fields) => Some(vec![fields.clone()]),
            Shape::Loose(held) => self.objects_within(held, is_input, left),
            Shape::Named(name, generics) => {
                let (typed, is_input) = self.named(name, is_input)?;
                let shape = substitute(typed.shape.clone(), &typed.parameters, generics);
                self.objects_within(&shape, is_input, left.checked_sub(1)?)
            }
            Shape::Any(shapes) => {
                let each: Option<Vec<_>> =
                    shapes.iter().map(|shape| self.objects_within(shape, is_input, left)).collect();
                Some(each?.into_iter().flatten().collect())
            }
            Shape::All(shapes) => {
                let mut whole: Vec<Vec<Field>> = vec![Vec::new()];
                for shape in shapes {
                    let ways = self.objects_within(shape, is_input, left)?;
                    let join = |before: &Vec<Field>| {
                        let joined = ways.iter().map(|way| {
                            let is_new =
                                |field: &&Field| !before.iter().any(|known| known.key == field.key);
                            before.iter().chain(way.iter().filter(is_new)).cloned().collect()
                        });
                        joined.collect::<Vec<Vec<Field>>>()
                    };
                    whole = whole.iter().flat_map(join).collect();
                }
                Some(whole)
            }
            _ => None,
        }
    }

    /// Returns the classes of a union, which keyword arguments can have; none if a part is another
    /// type.
    pub fn classes(&self, of: &str) -> Vec<String> {
        let mut found = Vec::new();
        for part in of.split(" | ") {
            let text = self.declared.get(part).map_or("", String::as_str);
            let alias = text.strip_prefix(part).and_then(|rest| rest.strip_prefix(ALIAS));
            let inside = match alias {
                Some(alias) => self.classes(alias.trim_end()),
                None if text.contains("_t.TypedDict") => vec![part.to_owned()],
                None => Vec::new(),
            };
            if inside.is_empty() {
                return Vec::new();
            }
            found.extend(inside);
        }
        found
    }

    /// Returns true for a class without required members.
    pub fn is_optional(&self, shape: &Shape) -> bool {
        let objects = self.objects(shape, true);
        objects
            .is_some_and(|ways| ways.iter().any(|fields| fields.iter().all(|field| field.optional)))
    }

    fn class(&mut self, name: &str, fields: &[Field], doc: &str, is_input: bool) -> String {
        let member = |module: &mut Self, field: &Field| {
            let inner = format!("{name}{}", pascal_case(&field.key));
            let mut of = module.written(&field.shape, &inner, is_input);
            if field.nullable && !of.ends_with("None") {
                of.push_str(" | None");
            }
            if field.optional { format!("_t.NotRequired[{of}]") } else { of }
        };
        if fields.iter().any(|field| !is_identifier(&field.key)) {
            let members: Vec<String> = fields
                .iter()
                .map(|field| format!("\"{}\": {}", field.key, member(self, field)))
                .collect();
            return format!("{name} = _t.TypedDict(\"{name}\", {{{}}})\n", members.join(", "));
        }
        let mut text = format!("class {name}(_t.TypedDict):\n");
        if !doc.is_empty() {
            text.push_str(&format!("    \"\"\"{}\"\"\"\n", docstring(doc)));
        }
        for field in fields {
            let line = format!("    {}: {}\n", field.key, member(self, field));
            text.push_str(&line);
            if !field.doc.is_empty() {
                text.push_str(&format!("    \"\"\"{}\"\"\"\n", docstring(&field.doc)));
            }
        }
        text
    }

    /// Returns a shape as a type. Objects inside it are declared under `name`.
    pub fn written(&mut self, shape: &Shape, name: &str, is_input: bool) -> String {
        let (list, map) =
            if is_input { ("_t.Sequence", "_t.Mapping") } else { ("_t.List", "_t.Dict") };
        match shape {
            Shape::Text | Shape::Base64 | Shape::Id => "str".into(),
            Shape::Number | Shape::NonNegative => "float".into(),
            Shape::Whole(..) => "int".into(),
            Shape::Bool => "bool".into(),
            Shape::Null => "None".into(),
            Shape::Is(true) => "_t.Literal[True]".into(),
            Shape::Is(false) => "_t.Literal[False]".into(),
            Shape::Word(word) => format!("_t.Literal[\"{word}\"]"),
            Shape::Json | Shape::Outside("json", "Json" | "JsonInput" | "JsonText") => {
                "_t.Any".into()
            }
            Shape::Parameter(name) => name.clone(),
            Shape::Loose(held) => self.written(held, name, is_input),
            Shape::Code("codes", known @ ("Provider" | "ChangeCode")) => (*known).to_owned(),
            Shape::Code("arguments", known) | Shape::Outside("arguments", known) => {
                (*known).to_owned()
            }
            Shape::Code(..) => "str".into(),
            Shape::Object | Shape::Outside(..) => format!("{map}[str, _t.Any]"),
            Shape::List(held) => format!("{list}[{}]", self.written(held, name, is_input)),
            Shape::Map(_, held) => format!("{map}[str, {}]", self.written(held, name, is_input)),
            Shape::Pair(parts) => {
                let parts = self.union(parts, name, is_input);
                format!("{list}[{parts}]")
            }
            Shape::Any(shapes) => self.union(shapes, name, is_input),
            Shape::Named(known, generics) if generics.is_empty() && self.is_known(known) => {
                known.clone()
            }
            Shape::Named(known, generics) if self.is_known(known) => {
                // a generic type is written out for its arguments
                let Some((typed, is_input)) = self.named(known, is_input) else {
                    return "_t.Any".into();
                };
                let names: String =
                    generics.iter().map(|shape| self.written(shape, name, is_input)).collect();
                let own = format!("{known}{}", pascal_case(&names.replace("_t.", "")));
                self.written(
                    &substitute(typed.shape.clone(), &typed.parameters, generics),
                    &own,
                    is_input,
                )
            }
            Shape::Fields(_) | Shape::All(_) | Shape::Named(..) => {
                // an object that contains itself
                if let Some((_, known)) = self.open.iter().find(|(open, _)| open == shape) {
                    return known.clone();
                }
                let ways = match self.objects(shape, is_input) {
                    Some(ways) if ways.iter().all(|fields| !fields.is_empty()) => ways,
                    Some(_) | None => return format!("{map}[str, _t.Any]"),
                };
                self.open.push((shape.clone(), name.to_owned()));
                let is_one = ways.len() == 1;
                let names = ways.into_iter().enumerate().map(|(at, fields)| {
                    let own = if is_one { name.to_owned() } else { format!("{name}{}", at + 1) };
                    self.inline(own, &fields, is_input)
                });
                let names = names.collect::<Vec<_>>().join(" | ");
                self.open.pop();
                names
            }
        }
    }

    /// Declares an object without a name, and returns the name that it gets.
    fn inline(&mut self, mut name: String, fields: &[Field], is_input: bool) -> String {
        loop {
            let text = self.class(&name, fields, "", is_input);
            let is_taken = [false, true].iter().any(|of| self.side(*of).types.contains_key(&name));
            match self.declared.get(&name) {
                Some(known) if *known == text => return name,
                None if !is_taken => {
                    self.declared.insert(name.clone(), text);
                    return name;
                }
                Some(_) | None => name.push_str("Item"),
            }
        }
    }

    fn union(&mut self, shapes: &[Shape], name: &str, is_input: bool) -> String {
        let known = shapes.iter().filter_map(|shape| match shape {
            Shape::Word(word) => Some(word.as_str()),
            _ => None,
        });
        let literal = words(known);
        let mut parts: Vec<String> = Vec::new();
        if literal != "str" {
            parts.push(literal);
        }
        for (at, shape) in shapes.iter().enumerate() {
            if matches!(shape, Shape::Word(_)) {
                continue;
            }
            let own = if at == 0 { name.to_owned() } else { format!("{name}{}", at + 1) };
            let part = self.written(shape, &own, is_input);
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        if parts.iter().any(|part| part == "_t.Any") {
            return "_t.Any".into();
        }
        parts.sort_by_key(|part| part == "None");
        parts.join(" | ")
    }
}

/// Returns true if an object with `other` fields is also one with the fields of `wide`.
fn covers(wide: &[Field], other: &[Field]) -> bool {
    let in_wide = |field: &Field| wide.iter().find(|known| known.key == field.key);
    let is_known = |field: &Field| in_wide(field).is_some_and(|known| known.shape == field.shape);
    let is_met = |field: &Field| {
        field.optional || other.iter().any(|known| known.key == field.key && !known.optional)
    };
    other.iter().all(is_known) && wide.iter().all(is_met)
}

/// Returns one of some words.
fn words<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
    if words.is_empty() { "str".into() } else { format!("_t.Literal[{}]", words.join(", ")) }
}

fn is_identifier(key: &str) -> bool {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !KEYWORDS.contains(&key)
        && key.chars().all(is_word)
        && !key.starts_with(|first: char| first.is_ascii_digit())
}

pub fn pascal_case(name: &str) -> String {
    let is_word = |letter: char| letter.is_ascii_alphanumeric();
    name.split(|letter: char| !is_word(letter)).map(capitalized).collect()
}

pub fn docstring(doc: &str) -> String {
    doc.replace('\\', "\\\\").replace("\"\"\"", "'''").trim_end_matches('"').to_owned()
}
