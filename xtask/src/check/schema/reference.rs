//! The reference of operations: a page for each part, and one for the types.

use super::attributes::doc_of;
use super::macros::Operation;
use super::shape::{Field, Results, Shape, Typed};
use super::{Declarations, json_schema, methods, typescript};
use anyhow::Result;
use tuckbox::Json;

const HEAD: &str =
    "<!-- Written by `TUCKBOX_BLESS=1 cargo xtask test --only schema`: do not edit. -->\n";

/// The rule of names in JavaScript, as `pkg/README.md` states it.
const CASING: &str = "The JavaScript API uses camelCase (`projectId`); documents (arguments, results, \
    rows, recipes, limits, engine settings) keep their snake_case names (`box_id`).";

/// Returns every page: its path and its text.
pub fn pages(of: &Declarations) -> Result<Vec<(String, String)>> {
    let mut pages = vec![("docs/reference/operations.md".to_owned(), index(of)?)];
    for (part, about) in &of.parts {
        let mut text = format!("{HEAD}# Operations: {part}\n{about}\n");
        for operation in of.operations.iter().filter(|operation| operation.part == *part) {
            text.push_str(&entry(of, operation)?);
        }
        pages.push((format!("docs/reference/operations/{part}.md"), text));
    }
    pages.push(("docs/reference/operations/types.md".to_owned(), types(of)));
    Ok(pages)
}

fn index(of: &Declarations) -> Result<String> {
    let mut text = format!(
        "{HEAD}# Operations\nAn operation takes arguments and returns an answer. In JavaScript each \
         operation is a method of the project, and `project.call(op, args)` calls it by name. As JSON \
         a call is `{{\"op\": .., ..arguments}}`. In Rust it is a type with `impl Rule`.\n\n\
         {CASING}\n\nA method has the name of its operation without the noun of its namespace: \
         `fork_box` is `project.boxes.fork`. The JSON Schema of all operations is `import schema from \
         \"tuckbox/schema\"`. `null` counts as a missing argument.\n"
    );
    for (part, about) in &of.parts {
        text.push_str(&format!("\n## [{part}](operations/{part}.md)\n{about}\n\n"));
        text.push_str("| operation | method | description | writes |\n|---|---|---|---|\n");
        for operation in of.operations.iter().filter(|operation| operation.part == *part) {
            let name = &operation.name;
            let writes = if operation.facts.writes { "yes" } else { "" };
            text.push_str(&format!(
                "| [`{name}`](operations/{part}.md#{name}) | `{}` | {} | {writes} |\n",
                methods::path(operation)?,
                cell(&doc_of(&operation.doc)),
            ));
        }
    }
    Ok(text)
}

fn entry(of: &Declarations, operation: &Operation) -> Result<String> {
    let name = &operation.name;
    let mut text = format!("\n## {name}\n{}\n", doc_of(&operation.doc));
    match of.input.shape_of(name) {
        None => text.push_str("\nArguments: see the types of the package.\n"),
        Some(shape) => {
            for way in of.input.ways(shape) {
                text.push_str(&table(&way, "argument"));
            }
        }
    }
    let answer = of.results.shape_of(name).map(type_block).unwrap_or_default();
    let method = methods::path(operation)?;
    text.push_str(&format!("\n- Method: `project.{method}(args)`\n- Answer:{answer}\n"));
    let words = |words: &[String]| {
        words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
    };
    if !operation.facts.reads.is_empty() {
        text.push_str(&format!("- Reads: {}\n", words(&operation.facts.reads)));
    }
    text.push_str(&format!("- Writes: {}\n", if operation.facts.writes { "yes" } else { "no" }));
    let errors: Vec<String> =
        json_schema::errors(operation).iter().map(ToString::to_string).collect();
    text.push_str(&format!("- Errors: {}\n", words(&errors)));
    if let Some(example) = of.examples.get(name) {
        let mut call = Json::from([("op", Json::from(name.as_str()))]);
        if let (Json::Object(call), Some(example)) = (&mut call, example.as_object()) {
            call.extend(example.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        text.push_str(&format!("\n```json\n{}\n```\n", json_schema::indented(&call, 0)));
    }
    Ok(text)
}

fn types(of: &Declarations) -> String {
    let mut text = format!(
        "{HEAD}# Types\nThe types that arguments and answers are made of. In TypeScript they are \
         exported by the package under the same names.\n"
    );
    let mut all: Vec<(&String, &Typed, &Results)> = Vec::new();
    for results in [&of.input, &of.results] {
        all.extend(results.types.iter().map(|(name, typed)| (name, typed, results)));
    }
    all.sort_by_key(|(name, ..)| name.to_lowercase());
    for (name, typed, results) in all {
        text.push_str(&format!("\n## {name}\n"));
        if !typed.doc.is_empty() {
            text.push_str(&format!("{}\n", typed.doc));
        }
        match &typed.shape {
            Shape::Fields(_) | Shape::All(_) => {
                for way in results.ways(&typed.shape) {
                    text.push_str(&table(&way, "member"));
                }
            }
            shape => text.push_str(&format!("\n{}\n", type_block(shape).trim_start())),
        }
    }
    text
}

impl Results {
    /// Returns the members of an object, one list for each of its forms.
    fn ways(&self, shape: &Shape) -> Vec<Vec<Field>> {
        self.members(shape).into_iter().map(|way| way.fields).collect()
    }
}

fn table(fields: &[Field], what: &str) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let mut text = format!("\n| {what} | type | default | meaning |\n|---|---|---|---|\n");
    for field in fields {
        let default = match (&field.default, field.optional) {
            (Some(default), _) => format!("`{default}`"),
            (None, true) => "optional".into(),
            (None, false) => String::new(),
        };
        let bounds = match &field.shape {
            Shape::Whole(least, most) => match (least.filter(|least| *least != 0), most) {
                (_, Some(most)) => format!(" {} to {most}", least.unwrap_or(0)),
                (Some(least), None) => format!(" at least {least}"),
                (None, None) => String::new(),
            },
            _ => String::new(),
        };
        text.push_str(&format!(
            "| `{}` | {}{bounds} | {} | {} |\n",
            field.key,
            type_text(&field.shape),
            cell(&default),
            cell(&field.doc),
        ));
    }
    text
}

/// Maximum length of a type within a line.
const MAX_LINE: usize = 160;

/// Returns a type within a line, or in lines of its own if it is long.
fn type_block(shape: &Shape) -> String {
    let text = type_text(shape);
    if text.len() <= MAX_LINE {
        return format!(" {text}");
    }
    format!("\n\n```ts\n{}\n```\n", typescript::documented(shape).replace("readonly ", ""))
}

/// Returns a type as readers see it. Names link to the page of types.
fn type_text(shape: &Shape) -> String {
    match shape {
        Shape::Named(name, generics) if generics.is_empty() => {
            format!("[`{name}`](types.md#{})", name.to_lowercase())
        }
        Shape::List(held) if matches!(&**held, Shape::Named(..)) => {
            format!("list of {}", type_text(held))
        }
        Shape::Any(shapes) if shapes.iter().any(|shape| matches!(shape, Shape::Named(..))) => {
            shapes.iter().map(type_text).collect::<Vec<_>>().join(" or ")
        }
        shape => {
            let text = typescript::plain(shape).split_whitespace().collect::<Vec<_>>().join(" ");
            format!("`{}`", cell(&text.replace("readonly ", "")))
        }
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
