//! Results as TypeScript.

use super::shape::{Field, Results, Shape, Typed};
use std::collections::BTreeSet;

const HEAD: &str = "\
// Written by `cargo xtask test --only results` from the declarations of the core: do not edit.
// `TUCKBOX_BLESS=1` writes it anew.
";

/// The whole file.
pub fn file(results: &Results) -> String {
    let mut body = String::new();
    for (name, typed) in &results.types {
        body.push('\n');
        body.push_str(&declaration(name, typed));
    }
    body.push_str("\n/** What every operation answers. */\nexport interface Results {\n");
    for (operation, shape) in &results.answers {
        body.push_str(&format!("  {operation}: {};\n", written(shape, 1)));
    }
    body.push_str("}\n");
    let shapes = results.types.values().map(|typed| &typed.shape);
    let mut used = BTreeSet::new();
    for shape in shapes.chain(results.answers.iter().map(|(_, shape)| shape)) {
        imports(shape, &mut used);
    }
    let mut head = HEAD.to_owned();
    let mut files: Vec<&str> = used.iter().map(|(file, _)| *file).collect();
    files.dedup();
    for file in files {
        let names = used.iter().filter(|(of, _)| *of == file).map(|(_, name)| *name);
        let names = names.collect::<Vec<_>>().join(", ");
        head.push_str(&format!("import type {{ {names} }} from \"./{file}.js\";\n"));
    }
    head + &body
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
        Shape::List(held) => imports(held, used),
        Shape::Map(key, held) => {
            imports(key, used);
            imports(held, used);
        }
        Shape::All(shapes) if shapes.contains(&Shape::Object) => {
            used.insert(("json", "Json"));
            let others = shapes.iter().filter(|shape| **shape != Shape::Object);
            others.for_each(|shape| imports(shape, used));
        }
        Shape::Pair(shapes) | Shape::Any(shapes) | Shape::All(shapes) | Shape::Named(_, shapes) => {
            shapes.iter().for_each(|shape| imports(shape, used));
        }
        Shape::Fields(fields) => fields.iter().for_each(|field| imports(&field.shape, used)),
        Shape::Text
        | Shape::Number
        | Shape::Bool
        | Shape::Null
        | Shape::Word(_)
        | Shape::Is(_)
        | Shape::Told(_) => {}
    }
}

fn declaration(name: &str, typed: &Typed) -> String {
    let doc = if typed.doc.is_empty() { String::new() } else { format!("/** {} */\n", typed.doc) };
    let told =
        if typed.told.is_empty() { String::new() } else { format!("<{}>", typed.told.join(", ")) };
    match &typed.shape {
        Shape::Fields(fields) => {
            format!("{doc}export interface {name}{told} {{\n{}}}\n", lines(fields, 1))
        }
        Shape::All(shapes) if matches!(shapes.as_slice(), [Shape::Fields(_), Shape::Object]) => {
            let fields = match shapes.first() {
                Some(Shape::Fields(fields)) => lines(fields, 1),
                _ => String::new(),
            };
            let more = "  readonly [key: string]: Json | undefined;\n";
            format!("{doc}export interface {name}{told} {{\n{fields}{more}}}\n")
        }
        Shape::Any(shapes) if shapes.iter().any(is_object) => {
            let each = shapes.iter().map(|shape| format!("\n  | {}", written(shape, 2)));
            format!("{doc}export type {name}{told} ={};\n", each.collect::<String>())
        }
        shape => format!("{doc}export type {name}{told} = {};\n", written(shape, 0)),
    }
}

const fn is_object(shape: &Shape) -> bool {
    matches!(shape, Shape::Fields(_) | Shape::All(_))
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

/// Fields, one in a line.
fn lines(fields: &[Field], depth: usize) -> String {
    let line = |field: &Field| {
        let space = indent(depth);
        let doc = match field.doc.as_str() {
            "" => String::new(),
            doc => format!("{space}/** {doc} */\n"),
        };
        format!("{doc}{space}{};\n", member(field, depth))
    };
    fields.iter().map(line).collect()
}

fn member(field: &Field, depth: usize) -> String {
    let mark = if field.optional { "?" } else { "" };
    format!("readonly {}{mark}: {}", field.key, written(&field.shape, depth))
}

/// A shape inside a declaration that stands this deep.
fn written(shape: &Shape, depth: usize) -> String {
    match shape {
        Shape::Text => "string".into(),
        Shape::Number => "number".into(),
        Shape::Bool => "boolean".into(),
        Shape::Null => "null".into(),
        Shape::Json => "Json".into(),
        Shape::Object => "JsonObject".into(),
        Shape::Is(is) => is.to_string(),
        Shape::Code(_, name) | Shape::Outside(_, name) => (*name).into(),
        Shape::Word(word) => format!("\"{word}\""),
        Shape::Told(name) => name.clone(),
        Shape::Named(name, told) if told.is_empty() => name.clone(),
        Shape::Named(name, told) => {
            let told = told.iter().map(|shape| written(shape, depth));
            format!("{name}<{}>", told.collect::<Vec<_>>().join(", "))
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
        Shape::Fields(fields) if fields.is_empty() => "{}".into(),
        Shape::Fields(fields) => {
            let whole = fields.iter().map(|field| member(field, depth)).collect::<Vec<_>>();
            let whole = format!("{{ {} }}", whole.join("; "));
            // what is explained stands in lines of its own
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
        Shape::All(shapes) => {
            let each = shapes.iter().map(|shape| match shape {
                Shape::Any(_) => format!("({})", written(shape, depth)),
                shape => written(shape, depth),
            });
            each.collect::<Vec<_>>().join(" & ")
        }
    }
}
