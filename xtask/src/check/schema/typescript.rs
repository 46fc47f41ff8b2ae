//! Writes arguments and results as TypeScript.

use super::Declarations;
use super::attributes::doc_of;
use super::shape::{Field, Results, Shape, Typed};
use std::collections::BTreeSet;

const HEAD: &str = "\
// Written by `cargo xtask test --only schema` from the declarations of the core: do not edit.
// `TUCKBOX_BLESS=1` writes it again.
";

/// Returns the text of `pkg/types/results.d.ts`.
pub fn file(results: &Results) -> String {
    let mut body = declarations(results);
    body.push_str("\n/** What every operation answers. */\nexport interface Results {\n");
    for (operation, shape) in &results.answers {
        body.push_str(&format!("  {operation}: {};\n", written(shape, 1)));
    }
    body.push_str("}\n");
    HEAD.to_owned() + &import_lines(results, &BTreeSet::new()) + &body
}

/// Returns the text of `pkg/types/arguments.d.ts`.
pub fn arguments_file(of: &Declarations) -> String {
    let mut body = declarations(&of.input);
    body.push_str("\n/** Every operation: its arguments and its answer. */\n");
    body.push_str("export interface DeclaredOperations {\n");
    for operation in &of.operations {
        let Some(shape) = of.input.shape_of(&operation.name) else { continue };
        let (name, doc) = (&operation.name, doc_of(&operation.doc));
        let arguments = written(shape, 1);
        body.push_str(&format!(
            "  /** {doc} */\n  {name}: {{ args: {arguments}; value: Results[\"{name}\"] }};\n"
        ));
    }
    body.push_str("}\n");
    body.push_str("\n/** The operations of orchestration. */\n");
    body.push_str("export type RunOperations = Pick<\n  DeclaredOperations,\n");
    for operation in of.operations.iter().filter(|operation| operation.part == "run") {
        body.push_str(&format!("  | \"{}\"\n", operation.name));
    }
    body.push_str(">;\n");
    let mut shared = shared_types(of);
    shared.insert("Results");
    HEAD.to_owned() + &import_lines(&of.input, &shared) + &body
}

/// The types that arguments and answers share.
pub fn shared_types(of: &Declarations) -> BTreeSet<&str> {
    let mut shared = BTreeSet::new();
    for shape in of.input.shapes() {
        names_in(shape, &mut |name| {
            if let Some((name, _)) = of.results.types.get_key_value(name) {
                shared.insert(name.as_str());
            }
        });
    }
    shared
}

/// Returns the types of answers that arguments have, and the types in them.
pub fn all_shared_types(of: &Declarations) -> BTreeSet<&str> {
    let mut shared = shared_types(of);
    let mut open: Vec<&str> = shared.iter().copied().collect();
    while let Some(name) = open.pop() {
        let Some(typed) = of.results.types.get(name) else { continue };
        names_in(&typed.shape, &mut |name| {
            if shared.insert(name) {
                open.push(name);
            }
        });
    }
    shared
}

fn declarations(results: &Results) -> String {
    let typed = results.types.iter();
    typed.map(|(name, typed)| format!("\n{}", results.declaration(name, typed))).collect()
}

/// Collects the names of the types in a shape.
fn names_in<'a>(shape: &'a Shape, found: &mut impl FnMut(&'a str)) {
    match shape {
        Shape::Named(name, generics) => {
            found(name);
            generics.iter().for_each(|shape| names_in(shape, found));
        }
        Shape::List(held) | Shape::Loose(held) | Shape::Map(_, held) => names_in(held, found),
        Shape::Pair(shapes) | Shape::Any(shapes) | Shape::All(shapes) => {
            shapes.iter().for_each(|shape| names_in(shape, found));
        }
        Shape::Fields(fields) => fields.iter().for_each(|field| names_in(&field.shape, found)),
        _ => {}
    }
}

fn import_lines(results: &Results, shared: &BTreeSet<&str>) -> String {
    let mut used = BTreeSet::new();
    for shape in results.shapes() {
        imports(shape, &mut used);
    }
    let mut head = String::new();
    let mut files: Vec<&str> = used.iter().map(|(file, _)| *file).collect();
    files.dedup();
    for file in files {
        let names = used.iter().filter(|(of, _)| *of == file).map(|(_, name)| *name);
        let names = names.collect::<Vec<_>>().join(", ");
        head.push_str(&format!("import type {{ {names} }} from \"./{file}.js\";\n"));
    }
    if !shared.is_empty() {
        let names = shared.iter().copied().collect::<Vec<_>>().join(", ");
        head.push_str(&format!("import type {{ {names} }} from \"./results.js\";\n"));
    }
    head
}

fn imports(shape: &Shape, used: &mut BTreeSet<(&'static str, &'static str)>) {
    match shape {
        Shape::Json => {
            used.insert(("json", "Json"));
        }
        Shape::Object => {
            used.insert(("json", "JsonObject"));
        }
        Shape::Code(file, name) | Shape::Outside(file, name) => {
            used.insert((file, name));
        }
        Shape::List(held) | Shape::Loose(held) => imports(held, used),
        Shape::Map(key, held) => {
            imports(key, used);
            imports(held, used);
        }
        Shape::All(shapes) if open(shapes).is_some() => {
            let (fields, json) = open(shapes).unwrap_or_default();
            used.insert(("json", json));
            fields.iter().for_each(|field| imports(&field.shape, used));
        }
        Shape::Pair(shapes) | Shape::Any(shapes) | Shape::All(shapes) | Shape::Named(_, shapes) => {
            shapes.iter().for_each(|shape| imports(shape, used));
        }
        Shape::Fields(fields) => fields.iter().for_each(|field| imports(&field.shape, used)),
        Shape::Text
        | Shape::Base64
        | Shape::Id
        | Shape::Number
        | Shape::NonNegative
        | Shape::Whole(..)
        | Shape::Bool
        | Shape::Null
        | Shape::Word(_)
        | Shape::Is(_)
        | Shape::Parameter(_) => {}
    }
}

impl Results {
    fn declaration(&self, name: &str, typed: &Typed) -> String {
        let doc =
            if typed.doc.is_empty() { String::new() } else { format!("/** {} */\n", typed.doc) };
        let parameters = if typed.parameters.is_empty() {
            String::new()
        } else {
            format!("<{}>", typed.parameters.join(", "))
        };
        match &typed.shape {
            Shape::Loose(held) => {
                self.declaration(name, &Typed { shape: Shape::clone(held), ..typed.clone() })
            }
            Shape::Fields(fields) if !fields.is_empty() => {
                format!("{doc}export interface {name}{parameters} {{\n{}}}\n", lines(fields, 1))
            }
            Shape::All(shapes) if self.extended(shapes).is_some() => {
                let (fields, others) = self.extended(shapes).unwrap_or_default();
                let others = others.join(", ");
                format!(
                    "{doc}export interface {name}{parameters} extends {others} {{\n{}}}\n",
                    lines(fields, 1)
                )
            }
            Shape::All(shapes) if open(shapes).is_some() => {
                let (fields, json) = open(shapes).unwrap_or_default();
                let (fields, more) = (lines(fields, 1), "  readonly [key: string]: ");
                format!(
                    "{doc}export interface {name}{parameters} {{\n{fields}{more}{json} | undefined;\n}}\n"
                )
            }
            Shape::Any(shapes) if shapes.iter().any(is_object) => {
                let each = shapes.iter().map(|shape| format!("\n  | {}", written(shape, 2)));
                format!("{doc}export type {name}{parameters} ={};\n", each.collect::<String>())
            }
            shape => format!("{doc}export type {name}{parameters} = {};\n", written(shape, 0)),
        }
    }

    /// Returns fields and the types that they extend. A union cannot be extended.
    fn extended<'a>(&self, shapes: &'a [Shape]) -> Option<(&'a [Field], Vec<&'a str>)> {
        let (Shape::Fields(fields), others) = shapes.split_first()? else { return None };
        let name = |shape: &'a Shape| match shape {
            Shape::Named(name, generics) if generics.is_empty() && self.is_interface(name) => {
                Some(name.as_str())
            }
            _ => None,
        };
        let names = others.iter().map(name).collect::<Option<Vec<_>>>()?;
        if names.is_empty() { None } else { Some((fields, names)) }
    }

    fn is_interface(&self, name: &str) -> bool {
        match self.types.get(name).map(|typed| &typed.shape) {
            None | Some(Shape::Fields(_)) => true,
            Some(Shape::All(shapes)) => self.extended(shapes).is_some(),
            Some(_) => false,
        }
    }
}

/// Returns the fields of an object that can have others, and the type of the others.
fn open(shapes: &[Shape]) -> Option<(&[Field], &'static str)> {
    match shapes {
        [Shape::Fields(fields), Shape::Object] => Some((fields, "Json")),
        [Shape::Fields(fields), Shape::Outside("json", "JsonMembers" | "JsonObjectInput")] => {
            Some((fields, "JsonInput"))
        }
        _ => None,
    }
}

const fn is_object(shape: &Shape) -> bool {
    matches!(shape, Shape::Fields(_) | Shape::All(_))
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

/// Returns fields, one in each line.
fn lines(fields: &[Field], depth: usize) -> String {
    let line = |field: &Field| {
        let space = indent(depth);
        let default = field.default.as_ref().map(|default| format!(" Default: `{default}`."));
        let doc = match field.doc.as_str() {
            "" => String::new(),
            doc => format!("{space}/** {doc}{} */\n", default.unwrap_or_default()),
        };
        format!("{doc}{space}{};\n", member(field, depth))
    };
    fields.iter().map(line).collect()
}

fn member(field: &Field, depth: usize) -> String {
    let mark = if field.optional { "?" } else { "" };
    format!("readonly {}{mark}: {}", field.key, written(&field.shape, depth))
}

/// Returns a shape without comments.
pub fn plain(shape: &Shape) -> String {
    written(&without_docs(shape), 0)
}

/// Returns a shape with its documentation, in lines.
pub fn documented(shape: &Shape) -> String {
    written(shape, 0)
}

fn without_docs(shape: &Shape) -> Shape {
    let each = |shapes: &[Shape]| shapes.iter().map(without_docs).collect();
    match shape {
        Shape::List(held) => Shape::List(Box::new(without_docs(held))),
        Shape::Map(key, held) => Shape::Map(key.clone(), Box::new(without_docs(held))),
        Shape::Pair(shapes) => Shape::Pair(each(shapes)),
        Shape::Any(shapes) => Shape::Any(each(shapes)),
        Shape::All(shapes) => Shape::All(each(shapes)),
        Shape::Fields(fields) => {
            let plain = |field: &Field| Field {
                doc: String::new(),
                shape: without_docs(&field.shape),
                ..field.clone()
            };
            Shape::Fields(fields.iter().map(plain).collect())
        }
        shape => shape.clone(),
    }
}

/// Returns a shape inside a declaration at this depth.
fn written(shape: &Shape, depth: usize) -> String {
    match shape {
        Shape::Text | Shape::Base64 | Shape::Id => "string".into(),
        Shape::Number | Shape::NonNegative | Shape::Whole(..) => "number".into(),
        Shape::Bool => "boolean".into(),
        Shape::Null => "null".into(),
        Shape::Json => "Json".into(),
        Shape::Object => "JsonObject".into(),
        Shape::Is(is) => is.to_string(),
        Shape::Loose(held) => written(held, depth),
        Shape::Code(_, name) | Shape::Outside(_, name) => (*name).into(),
        Shape::Word(word) => format!("\"{word}\""),
        Shape::Parameter(name) => name.clone(),
        Shape::Named(name, generics) if generics.is_empty() => name.clone(),
        Shape::Named(name, generics) => {
            let generics = generics.iter().map(|shape| written(shape, depth));
            format!("{name}<{}>", generics.collect::<Vec<_>>().join(", "))
        }
        Shape::List(held) => match &**held {
            Shape::Any(_) | Shape::All(_) => format!("readonly ({})[]", written(held, depth)),
            Shape::List(_) | Shape::Pair(_) => format!("readonly ({})[]", written(held, depth)),
            held => format!("readonly {}[]", written(held, depth)),
        },
        Shape::Map(key, held) => {
            format!("{{ readonly [key: {}]: {} }}", written(key, depth), written(held, depth))
        }
        Shape::Pair(parts) => {
            let parts = parts.iter().map(|part| written(part, depth));
            format!("readonly [{}]", parts.collect::<Vec<_>>().join(", "))
        }
        Shape::Fields(fields) if fields.is_empty() => "{ readonly [key: string]: never }".into(),
        Shape::Fields(fields) => {
            let whole = fields.iter().map(|field| member(field, depth)).collect::<Vec<_>>();
            let whole = format!("{{ {} }}", whole.join("; "));
            // fields with documentation are in separate lines
            if whole.contains('\n') || fields.iter().any(|field| !field.doc.is_empty()) {
                return format!("{{\n{}{}}}", lines(fields, depth + 1), indent(depth));
            }
            whole
        }
        Shape::Any(shapes) => {
            let each = shapes.iter().map(|shape| match shape {
                Shape::All(_) => format!("({})", written(shape, depth)),
                shape => written(shape, depth),
            });
            each.collect::<Vec<_>>().join(" | ")
        }
        Shape::All(shapes) if open(shapes).is_some() => {
            let (fields, json) = open(shapes).unwrap_or_default();
            let more =
                format!("{}readonly [key: string]: {json} | undefined;\n", indent(depth + 1));
            format!("{{\n{}{more}{}}}", lines(fields, depth + 1), indent(depth))
        }
        Shape::All(shapes) => {
            let each = shapes.iter().map(|shape| match shape {
                Shape::Any(_) => format!("({})", written(shape, depth)),
                shape => written(shape, depth),
            });
            each.collect::<Vec<_>>().join(" & ")
        }
    }
}
