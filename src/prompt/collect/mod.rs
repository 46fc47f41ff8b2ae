//! The collector makes the composer's blocks from a state snapshot and retrieved material.
//!
//! **The collector has no templates.** A host passes rendered text, or its own template with the values
//! to fill in. Blocks of the state (`..__context`) are taken verbatim.
//! A structured `todo` of the state becomes `todo__context`, one line for each item. It replaces a
//! stored `todo__context`, and material of the host replaces it. Other keys of the state are ignored.
//!
//! ```
//! use tuckbox::prompt::collect::{CollectInput, collect};
//! use tuckbox::Json;
//!
//! let json = Json::parse(r#"{
//!     "state": {"compression__context": "They met. ", "goal": "ship", "messages": []},
//!     "retrieved": {
//!         "knowledge__context": "Ships float.",
//!         "todo__context": {"template": "Goal: {goal}"}
//!     }
//! }"#)?;
//! let collected = collect(&CollectInput::from_json(&json)?)?;
//! assert_eq!(
//!     Json::from(collected.contexts).to_string(),
//!     r#"{"compression__context":"They met.","knowledge__context":"Ships float.","todo__context":"Goal: ship"}"#
//! );
//! # Ok::<(), tuckbox::Error>(())
//! ```

pub mod operations;
mod template;
mod todo;

pub use template::fill;

use crate::prompt::compose::{Layer, LeftOut, Rule, block_lints, wrong_key};
use crate::rule::Defaults;
use crate::value::Map as IndexMap;
use crate::value::arguments::{Argument, arguments};
use crate::value::json::{Field, Json, Object, trim};
use crate::{Limits, Lint, Path, Result};
use serde::Serialize;

/// The block of a structured todo.
const TODO: &str = "todo__context";

/// The material of a host for one block.
///
/// Shown by the example of [`collect`].
#[derive(Clone, Debug, PartialEq)]
pub enum Material {
    /// Rendered text.
    Text(String),
    /// A template, [filled](fill) from `values`, or from the state without them.
    Template {
        /// The template.
        template: String,
        /// The values for its placeholders.
        values: Option<Object>,
    },
}

/// Material that the host retrieved, by the key of its block.
///
/// Shown by the example of [`collect`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Retrieved(pub IndexMap<String, Material>);

arguments! {
    /// Collects contexts from a state snapshot and retrieved material.
    ///
    /// Shown by the example of [`collect`].
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct CollectInput {
        /// A snapshot of the state.
        pub state: Object,
        /// The material for this call by the key of its block. It replaces the block of the state with
        /// the same key.
        pub retrieved: Retrieved = Retrieved::default(),
    }
}

shape! {
    pub type Retrieved = BTreeMap<ContextKey, Option<Material>>;

    /// The material of a host for one block: text or a template.
    #[serde(untagged)]
    pub enum Material {
        Text(String),
        Template {
            /// The template. `{name}` is replaced by a value.
            template: String,
            /// The values. Those of the state by default.
            values: Maybe<Object>,
        },
    }
}

arguments! {
    struct Template {
        /// The template.
        pub template: String,
        /// The values for its placeholders.
        pub values: Option<Object>,
    }
}

impl Argument for Retrieved {
    fn read(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        let mut retrieved = Self::default();
        for key in fields.json().keys() {
            if Layer::block(key).is_none() {
                return Err(wrong_key(key, fields.path().key(key)));
            }
            retrieved.0.insert(key.clone(), Material::read_member(&fields, key)?);
        }
        Ok(retrieved)
    }
}

impl Argument for Material {
    /// Reads text or a template; `null` means that no material was found.
    fn read(field: &Field<'_>) -> Result<Self> {
        match field.json() {
            Json::Null => Ok(Self::Text(String::new())),
            Json::String(text) => Ok(Self::Text(text.clone())),
            Json::Object(_) => {
                let Template { template, values } = Template::read(field)?;
                Ok(Self::Template { template, values })
            }
            Json::Bool(_) | Json::Number(_) | Json::Array(_) => {
                Err(field.expected("a string or a template"))
            }
        }
    }
}

/// The blocks and their origins.
///
/// Shown by the example of [`collect`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Collected {
    /// The blocks by key, trimmed and not blank: the composer's `contexts`.
    pub contexts: Object,
    /// The origin of each block, in the order of `contexts`.
    pub entries: Vec<Source>,
    /// The values with the key of a block that did not become one.
    pub left_out: Vec<LeftOut>,
    /// Warnings about accepted values.
    pub lints: Vec<Lint>,
}

/// The origin of a block.
///
/// Shown by the example of [`collect`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    /// The block.
    pub layer: Layer,
    /// The path of its value in the input.
    pub from: Path,
    /// True if white space around the text was removed.
    pub trimmed: bool,
}

/// Collects the blocks.
///
/// # Errors
/// `bad_request` for retrieved material under a key that does not end in `__context`, and for a
/// template that cannot be filled.
///
/// ```
/// use tuckbox::prompt::collect::{CollectInput, Material, collect};
/// use tuckbox::json;
///
/// let mut input = CollectInput::default();
/// input.state.insert("goal".into(), json!("ship"));
/// input.state.insert("todo__context".into(), json!("old"));
/// input.retrieved.0.insert("todo__context".into(), Material::Template { template: "Goal: {goal} ".into(), values: None });
/// let collected = collect(&input)?;
/// assert_eq!(collected.contexts.get("todo__context"), Some(&json!("Goal: ship")));
/// assert!(collected.entries[0].trimmed);
/// assert_eq!(collected.left_out[0].from.to_string(), "state.todo__context", "what was retrieved goes before it");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn collect(input: &CollectInput) -> Result<Collected> {
    let limits = Limits { max_bytes: usize::MAX, ..Limits::default() };
    collect_with(input, &Defaults { limits, ..Defaults::default() })
}

/// As [`collect`], with the settings of a project: templates are filled with at most `max_bytes`.
fn collect_with(input: &CollectInput, defaults: &Defaults) -> Result<Collected> {
    let limits = &defaults.limits;
    let mut filled = 0;
    let mut found: IndexMap<&str, (String, Source)> = IndexMap::default();
    let mut collected = Collected::default();
    let state = Path::root().key("state");
    let mut blocks = Object::default();
    for (key, value) in &input.state {
        let Some(layer) = Layer::block(key) else { continue };
        blocks.insert(key.clone(), value.clone());
        let from = state.key(key);
        match value {
            // the block belongs to one call
            _ if layer == Layer::Framework && !defaults.reference_behavior => {
                collected.leave_out(layer, from, Rule::RuntimeOnly);
            }
            Json::String(text) => collected.take(&mut found, key, layer, from, text),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                collected.leave_out(layer, from, Rule::NotText);
            }
        }
    }
    block_lints(&blocks, &state, &mut collected.lints);
    if let Some(text) = input.state.get("todo").and_then(todo::render) {
        collected.take(&mut found, TODO, Layer::Todo, state.key("todo"), &text);
    }
    for (key, material) in &input.retrieved.0 {
        let from = Path::root().key("retrieved").key(key);
        let layer = Layer::block(key).ok_or_else(|| wrong_key(key, from.clone()))?;
        match material {
            Material::Text(text) => collected.take(&mut found, key, layer, from, text),
            Material::Template { template, values } => {
                let values = values.as_ref().unwrap_or(&input.state);
                let at = from.key("template");
                let text = template::fill_within(template, values, &at, &mut filled, limits)?;
                collected.take(&mut found, key, layer, from, &text);
            }
        }
    }
    for (key, (text, source)) in found {
        collected.contexts.insert(key.to_owned(), Json::from(text));
        collected.entries.push(source);
    }
    Ok(collected)
}

impl Collected {
    fn take<'a>(
        &mut self,
        found: &mut IndexMap<&'a str, (String, Source)>,
        key: &'a str,
        layer: Layer,
        from: Path,
        given: &str,
    ) {
        let text = trim(given);
        if text.is_empty() {
            return self.leave_out(layer, from, Rule::Blank);
        }
        let source = Source { layer, from, trimmed: text.len() < given.len() };
        if let Some((_, older)) = found.insert(key, (text.to_owned(), source)) {
            self.leave_out(older.layer, older.from, Rule::Overridden);
        }
    }

    fn leave_out(&mut self, layer: Layer, from: Path, rule: Rule) {
        self.left_out.push(LeftOut { layer, from, message_id: None, rule });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::to_json;

    fn collected(text: &str) -> Result<Collected> {
        collect(&CollectInput::from_json(&Json::parse(text).unwrap())?)
    }

    #[test]
    fn blocks_of_the_state_are_taken_and_the_rest_is_not_looked_at() {
        let answer = collected(
            r#"{"state": {"messages": [], "todo__context": " x ", "n__context": 5, "gone__context": null,
                "todo": {"a": 1}, "todo_context": "one", "b__context": " "}}"#,
        )
        .unwrap();
        assert_eq!(
            to_json(&answer).unwrap().to_string(),
            concat!(
                r#"{"contexts":{"todo__context":"x"},"#,
                r#""entries":[{"layer":"todo__context","from":"state.todo__context","trimmed":true}],"#,
                r#""left_out":[{"layer":"n__context","from":"state.n__context","rule":"not_text"},"#,
                r#"{"layer":"gone__context","from":"state.gone__context","rule":"not_text"},"#,
                r#"{"layer":"b__context","from":"state.b__context","rule":"blank"}],"#,
                r#""lints":[{"code":"block_not_text","path":"state.n__context","#,
                r#""message":"expected a string, found a number; the block is omitted"}]}"#
            )
        );
    }

    #[test]
    fn retrieved_material_goes_before_the_state_unless_it_is_blank() {
        let answer = collected(
            r#"{"state": {"todo__context": "old", "knowledge__context": "kept"},
                "retrieved": {"todo__context": "new", "knowledge__context": null}}"#,
        )
        .unwrap();
        assert_eq!(
            Json::from(answer.contexts).to_string(),
            r#"{"todo__context":"new","knowledge__context":"kept"}"#
        );
        let rules: Vec<_> =
            answer.left_out.iter().map(|left| (left.from.to_string(), left.rule)).collect();
        assert_eq!(
            rules,
            [
                ("state.todo__context".to_owned(), Rule::Overridden),
                ("retrieved.knowledge__context".to_owned(), Rule::Blank)
            ]
        );
    }

    #[test]
    fn a_structured_todo_replaces_a_stored_block_and_material_replaces_both() {
        let todo = r#"[{"title": "read", "status": "completed"}, "write"]"#;
        let contexts = |state: &str, retrieved: &str| {
            let answer = collected(&format!(
                r#"{{"state": {{"todo": {todo} {state}}}, "retrieved": {{{retrieved}}}}}"#
            ));
            Json::from(answer.unwrap().contexts).to_string()
        };
        assert_eq!(contexts("", ""), r#"{"todo__context":"- [x] read\n- [ ] write"}"#);
        let live = r#"{"todo__context":"- [x] read\n- [ ] write"}"#;
        assert_eq!(contexts(r#", "todo__context": "mine""#, ""), live);
        assert_eq!(contexts("", r#""todo__context": "new""#), r#"{"todo__context":"new"}"#);
    }

    #[test]
    fn bad_material_is_refused_at_its_place() {
        for (text, error) in [
            (
                r#"{"state": {}, "retrieved": {"memory": "x"}}"#,
                "bad_request at `retrieved.memory`: the key `memory` must end in `__context`",
            ),
            (
                r#"{"state": {}, "retrieved": {"a__context": 5}}"#,
                "bad_request at `retrieved.a__context`: expected a string or a template, found a number",
            ),
            (
                r#"{"state": {}, "retrieved": {"a__context": {"template": "{x}", "values": {}}}}"#,
                "bad_request at `retrieved.a__context.template`: unknown placeholder `{x}`; there are no values",
            ),
            (r#"{"retrieved": {}}"#, "bad_request at `state`: `state` is missing"),
            (
                r#"{"state": {}, "templates": {}}"#,
                "bad_request at `templates`: unknown key `templates`; expected one of `op`, `state`, `retrieved`",
            ),
        ] {
            assert_eq!(collected(text).unwrap_err().to_string(), error);
        }
    }
}
