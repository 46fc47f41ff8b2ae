//! Writes the types and the methods of the Python package.

use super::Declarations;
use super::attributes::doc_of;
use super::macros::Operation;
use super::methods::{Namespace, namespaces};
use super::python_types::{Module, docstring, pascal_case};
use anyhow::Result;

const HEAD: &str = "\
# Written by `cargo xtask test --only schema` from the declarations of the core: do not edit.
# `TUCKBOX_BLESS=1` writes it again.
";

const TYPES_HEAD: &str = "\"\"\"The arguments and the answers of every operation.\"\"\"

import typing_extensions as _t
";

const OPERATIONS_HEAD: &str = "\"\"\"The methods of a project, and the calls by name.\"\"\"

from typing import Any, overload

import typing_extensions as _t

from . import types as _a
from ._project import AsyncPreview, Entropy, Now, Preview

";

/// The types of one operation.
struct Signature<'a> {
    operation: &'a Operation,
    arguments: String,
    /// The classes that keyword arguments can have.
    classes: Vec<String>,
    /// True if the call needs no argument.
    is_optional: bool,
    answer: String,
}

/// Returns the generated files of the package.
pub fn files(of: &Declarations) -> Result<Vec<(String, String)>> {
    let mut module = Module::of(of);
    let mut signatures = Vec::new();
    for operation in &of.operations {
        signatures.push(signature(of, operation, &mut module));
    }
    let spaces = namespaces(&of.operations)?;
    let types: String = module.declared.values().map(|text| format!("\n{text}")).collect();
    let file =
        |name: &str, text: String| (format!("python/tuckbox/{name}"), HEAD.to_owned() + &text);
    Ok(vec![
        file("types.pyi", TYPES_HEAD.to_owned() + &types),
        file("_operations.pyi", operations(&spaces, &signatures)),
        file("_methods.py", methods(&spaces)),
    ])
}

fn signature<'a>(
    of: &Declarations,
    operation: &'a Operation,
    module: &mut Module<'_>,
) -> Signature<'a> {
    let name = pascal_case(&operation.name);
    let shape = of.input.shape_of(&operation.name);
    let (arguments, classes, is_optional) = match shape {
        Some(shape) => {
            let written = module.written(shape, &format!("{name}Arguments"), true);
            let classes = module.classes(&written);
            (written, classes, module.is_optional(shape))
        }
        None => ("_t.Mapping[str, _t.Any]".to_owned(), Vec::new(), true),
    };
    let answer = of.results.shape_of(&operation.name);
    let answer = answer.map_or("_t.Any".to_owned(), |shape| {
        module.written(shape, &format!("{name}Result"), false)
    });
    Signature {
        operation,
        arguments: qualified(&arguments),
        classes: classes.iter().map(|class| qualified(class)).collect(),
        is_optional,
        answer: qualified(&answer),
    }
}

/// Returns a type with the module of its names.
fn qualified(of: &str) -> String {
    let mut text = String::new();
    let mut word = String::new();
    let mut is_quoted = false;
    for letter in of.chars().chain([' ']) {
        if letter.is_ascii_alphanumeric() || letter == '_' || letter == '.' {
            word.push(letter);
            continue;
        }
        let is_own = word.starts_with(|first: char| first.is_ascii_uppercase())
            && !["None", "True", "False"].contains(&word.as_str())
            && !is_quoted;
        if is_own {
            text.push_str("_a.");
        }
        text.push_str(&word);
        word.clear();
        is_quoted ^= letter == '"';
        text.push(letter);
    }
    text.trim_end().to_owned()
}

/// The name of a namespace in Python, where `import` is a word of the language.
fn namespace_name<'n>(namespace: &Namespace<'n>) -> &'n str {
    if namespace.name == "import" { "imports" } else { namespace.name }
}

/// Returns the text of `_methods.py`: the operation of each method.
fn methods(spaces: &[Namespace<'_>]) -> String {
    let mut text = "\"\"\"The operation of each method, by namespace.\"\"\"\n\n".to_owned();
    text.push_str("METHODS: dict[str, dict[str, str]] = {\n");
    for space in spaces {
        let name = if space.is_front() { "" } else { namespace_name(space) };
        text.push_str(&format!("    \"{name}\": {{\n"));
        for method in &space.methods {
            let (name, op) = (&method.snake_name, &method.operation.name);
            text.push_str(&format!("        \"{name}\": \"{op}\",\n"));
        }
        text.push_str("    },\n");
    }
    text + "}\n"
}

/// Returns the text of `_operations.pyi`: synchronous methods, then those for `asyncio`.
fn operations(spaces: &[Namespace<'_>], signatures: &[Signature<'_>]) -> String {
    let mut text = OPERATIONS_HEAD.to_owned();
    for is_async in [false, true] {
        let prefix = if is_async { "Async" } else { "" };
        for space in spaces {
            text.push_str(&format!("class {prefix}{}:\n", space.interface()));
            text.push_str(&format!("    \"\"\"{}\"\"\"\n", docstring(space.about)));
            for method in &space.methods {
                let signature =
                    signatures.iter().find(|of| of.operation.name == method.operation.name);
                if let Some(signature) = signature {
                    text.push_str(&method_text(&method.snake_name, signature, is_async));
                }
            }
            if space.is_front() {
                for other in spaces.iter().filter(|other| !other.is_front()) {
                    let (name, of) = (namespace_name(other), other.interface());
                    text.push_str(&format!(
                        "    @property\n    def {name}(self) -> {prefix}{of}: ...\n"
                    ));
                }
                for name in ["preview", "call"] {
                    let each = signatures.iter().map(|of| call_text(name, of, is_async));
                    text.extend(each);
                    text.push_str(&any_call(name, is_async));
                }
            }
            if space.name == "recipes" {
                text.push_str("    def __getattr__(self, name: str) -> Any: ...\n");
            }
            text.push('\n');
        }
    }
    text.trim_end().to_owned() + "\n"
}

fn method_text(name: &str, of: &Signature<'_>, is_async: bool) -> String {
    let define = if is_async { "async def" } else { "def" };
    let (arguments, answer) = (&of.arguments, &of.answer);
    let default = if of.is_optional { " = ..." } else { "" };
    let doc = docstring(&doc_of(&of.operation.doc));
    let positional = format!("{define} {name}(self, args: {arguments}{default}, /) -> {answer}:");
    if of.classes.is_empty() {
        return format!("    {positional}\n        \"\"\"{doc}\"\"\"\n        ...\n");
    }
    let mut text =
        format!("    @overload\n    {positional}\n        \"\"\"{doc}\"\"\"\n        ...\n");
    for class in &of.classes {
        text.push_str(&format!(
            "    @overload\n    {define} {name}(self, **args: _t.Unpack[{class}]) -> {answer}: ...\n"
        ));
    }
    text
}

/// The options of one call.
const OPTIONS: &str = "*, now: Now | None = ..., entropy: Entropy | None = ...";

fn call_text(name: &str, of: &Signature<'_>, is_async: bool) -> String {
    let define = if is_async { "async def" } else { "def" };
    let (op, arguments) = (&of.operation.name, &of.arguments);
    let default = if of.is_optional { " = ..." } else { "" };
    let answer = returned(name, &of.answer, is_async);
    format!(
        "    @overload\n    {define} {name}(self, op: _t.Literal[\"{op}\"], args: {arguments}{default}, \
         /, {OPTIONS}) -> {answer}: ...\n"
    )
}

/// Returns the overload for a call with its `op`: its answer has no type.
fn any_call(name: &str, is_async: bool) -> String {
    let define = if is_async { "async def" } else { "def" };
    let answer = returned(name, "Any", is_async);
    format!(
        "    @overload\n    {define} {name}(self, call: _t.Mapping[str, Any], /, {OPTIONS}) -> {answer}: ...\n"
    )
}

fn returned(name: &str, answer: &str, is_async: bool) -> String {
    match (name, is_async) {
        ("preview", false) => format!("Preview[{answer}]"),
        ("preview", true) => format!("AsyncPreview[{answer}]"),
        (_, _) => answer.to_owned(),
    }
}
