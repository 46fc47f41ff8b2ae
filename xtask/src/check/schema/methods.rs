//! The method of each operation on a project in JavaScript: `fork_box` is `project.boxes.fork`.

use super::attributes::doc_of;
use super::macros::Operation;
use anyhow::{Result, bail};
use std::collections::BTreeMap;

/// The namespace of methods of the project itself.
const FRONT: &str = "project";

/// The namespaces in order, with the noun that method names omit and a description.
const NAMESPACES: &[(&str, &str, &str)] = &[
    (FRONT, "", "The operations that most callers need."),
    ("cards", "card", "Cards: store, read, search and check them."),
    ("boxes", "box", "Boxes: create, read and change them."),
    ("prompt", "prompt", "Requests to models and their answers: inspect, compare and read them."),
    ("cache", "cache", "What the caches of providers read, and why."),
    ("lock", "lock", "Lockfiles of contexts: make entries, update, read and check them."),
    ("memory", "memory", "Memory states: contexts, changes and what to persist."),
    ("recipes", "recipe", "Delegation by recipes, and the recipes of the host."),
    ("handoff", "handoff", "Handoff packages: build, check, store and load them."),
    ("profiles", "profile", "The profiles of the registry."),
    ("agents", "agent", "The agents of the roster, their boxes and turn views."),
    ("tools", "tool", "The tools of the registry."),
    ("run", "run", "Orchestration: queues, turns, batches and what is due."),
    ("import", "import", "Logs of other tools."),
];

/// The method of one operation.
pub struct Method<'a> {
    pub name: String,
    /// The name in Python.
    pub snake_name: String,
    pub operation: &'a Operation,
}

/// A namespace and its methods.
pub struct Namespace<'a> {
    pub name: &'static str,
    pub about: &'static str,
    pub methods: Vec<Method<'a>>,
}

impl Namespace<'_> {
    /// True for the methods of the project itself.
    pub fn is_front(&self) -> bool {
        self.name == FRONT
    }

    /// Returns the name of the interface of its methods.
    pub fn interface(&self) -> String {
        capitalized(self.name) + "Methods"
    }
}

/// Returns the namespaces and their methods, in order.
///
/// # Errors
/// An operation has an unknown namespace, or two operations have one method.
pub fn namespaces(operations: &[Operation]) -> Result<Vec<Namespace<'_>>> {
    let mut found: Vec<Namespace<'_>> = NAMESPACES
        .iter()
        .map(|(name, _, about)| Namespace { name, about, methods: Vec::new() })
        .collect();
    let mut known = BTreeMap::new();
    for operation in operations {
        let (space, snake_name) = parts_of(operation)?;
        let name = camel_case(&snake_name);
        let Some(namespace) = found.iter_mut().find(|found| found.name == space) else { continue };
        if let Some(other) = known.insert((space, name.clone()), &operation.name) {
            bail!("`{other}` and `{}` are both `{space}.{name}`; add `as`", operation.name);
        }
        namespace.methods.push(Method { name, snake_name, operation });
    }
    Ok(found)
}

/// Returns the path of a method below the project: `pack`, or `boxes.fork`.
pub fn path(operation: &Operation) -> Result<String> {
    let (space, name) = parts_of(operation)?;
    let name = camel_case(&name);
    Ok(if space == FRONT { name } else { format!("{space}.{name}") })
}

fn parts_of(operation: &Operation) -> Result<(&'static str, String)> {
    let facts = &operation.facts;
    let wanted = facts.namespace.as_ref().unwrap_or(&operation.part);
    let Some((space, noun, _)) = NAMESPACES.iter().find(|(name, ..)| name == wanted) else {
        let name = &operation.name;
        bail!("`{name}` is in the namespace `{wanted}`, which does not exist; add `in`");
    };
    let name = match &facts.method {
        Some(name) => name.clone(),
        None => without(&operation.name, space, noun),
    };
    if name.is_empty() {
        bail!("the method of `{}` has no name; add `as`", operation.name);
    }
    Ok((space, name))
}

/// Returns a name without the noun of its namespace, and without the `to` that the noun leaves at
/// the end.
fn without(name: &str, space: &str, noun: &str) -> String {
    let mut words: Vec<&str> =
        name.split('_').filter(|word| *word != noun && *word != space).collect();
    if words.last() == Some(&"to") {
        words.pop();
    }
    words.join("_")
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &capitalized(word))
}

pub fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
        .unwrap_or_default()
}

const HEAD: &str = "\
// Written by `cargo xtask test --only schema` from the declarations of the core: do not edit.
// `TUCKBOX_BLESS=1` writes it again.
import type { HostMethods } from \"./custom.js\";
import type { Method } from \"./workspace.js\";
";

/// Returns the text of `pkg/types/methods.d.ts`.
pub fn file(operations: &[Operation]) -> Result<String> {
    let all = namespaces(operations)?;
    let mut text = HEAD.to_owned();
    for namespace in &all {
        text.push_str(&format!("\n/** {} */\n", namespace.about));
        text.push_str(&format!("export interface {} {{\n", namespace.interface()));
        for Method { name, operation, .. } in &namespace.methods {
            let doc = doc_of(&operation.doc);
            text.push_str(&format!("  /** {doc} */\n  {name}: Method<\"{}\">;\n", operation.name));
        }
        if namespace.is_front() {
            for other in all.iter().filter(|other| !other.is_front()) {
                let host = if other.name == "recipes" { " & HostMethods" } else { "" };
                text.push_str(&format!("  /** {} */\n", other.about));
                text.push_str(&format!(
                    "  readonly {}: {}{host};\n",
                    other.name,
                    other.interface()
                ));
            }
        }
        text.push_str("}\n");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_omit_the_noun_of_their_namespace() {
        for (name, space, noun, method) in [
            ("get_cards", "cards", "card", "get"),
            ("read_new_card", "cards", "card", "readNew"),
            ("append_to_box", "boxes", "box", "append"),
            ("get_box_cards", "boxes", "box", "getCards"),
            ("run_state", "run", "run", "state"),
            ("turn_view", "project", "", "turnView"),
        ] {
            assert_eq!(camel_case(&without(name, space, noun)), method);
        }
    }
}
