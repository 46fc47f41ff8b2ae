//! One door for every call: JSON in, JSON out.
//!
//! A binding needs no list of functions; it hands over `{"op": "pack_context", ...}` and drives
//! whatever comes back. Adding a rule to the product is one line in `OPERATIONS`.
//!
//! ```
//! use tuckbox::door::Call;
//! use tuckbox::Json;
//!
//! let call = Json::parse(r#"{"op": "pack_contxt"}"#)?;
//! let error = Call::from_json(&call, &Default::default()).err().unwrap();
//! assert_eq!(error.path().to_string(), "op");
//! # Ok::<(), tuckbox::Error>(())
//! ```

use crate::budget::FitBudget;
use crate::diff::DiffPayloads;
use crate::env::Env;
use crate::inspect::{self, Inspect};
use crate::json::{Field, Json, read_back, to_text};
use crate::pack::PackContext;
use crate::provider::MakePayload;
use crate::render::Render;
use crate::rule::{Outcome, Rule, Step};
use crate::settings::Defaults;
use crate::store::Snapshot;
use crate::{Result, cardstore, handoff, plain, reading, recipe, tokens, turn};
use serde::Serialize;

/// A value that knows its JSON text; made only when somebody looks.
pub trait Value {
    /// The value as JSON text.
    ///
    /// # Errors
    /// When the value has no JSON form.
    fn to_text(&self) -> Result<String>;

    /// The value as JSON.
    ///
    /// # Errors
    /// As [`Value::to_text`].
    fn to_json(&self) -> Result<Json> {
        read_back(&self.to_text()?)
    }
}

impl<T: Serialize> Value for T {
    fn to_text(&self) -> Result<String> {
        to_text(self)
    }
}

/// An outcome whose type was left at the door.
pub type AnyOutcome = Outcome<Box<dyn Value>>;

trait AnyRule {
    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<AnyOutcome>>;
}

impl<R: Rule> AnyRule for R
where
    R::Value: Serialize + 'static,
{
    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<AnyOutcome>> {
        Ok(match Rule::step(self, snapshot, env)? {
            Step::Need(reads) => Step::Need(reads),
            Step::Done(outcome) => {
                Step::Done(outcome.map(|value| Box::new(value) as Box<dyn Value>))
            }
        })
    }
}

/// A call that was read and can be driven.
pub struct Call(Box<dyn AnyRule>);

type Read = fn(&Json, &Defaults) -> Result<Call>;

/// Every operation by its name on the wire.
const OPERATIONS: &[(&str, Read)] = &[
    ("pack_context", |json, defaults| call(PackContext::from_json_with(json, defaults)?)),
    ("pack_context_with_instruction", |json, defaults| {
        call(recipe::PackWithInstruction::from_json(json, defaults)?)
    }),
    ("delegate_async", |json, defaults| call(recipe::DelegateAsync::from_json(json, defaults)?)),
    ("launch_principal", |json, defaults| {
        call(recipe::DelegateAsync::launch_principal_from_json(json, defaults)?)
    }),
    ("ask_expert", |json, defaults| {
        call(recipe::DelegateAsync::ask_expert_from_json(json, defaults)?)
    }),
    ("fork_join", |json, defaults| call(recipe::ForkJoin::from_json(json, defaults)?)),
    ("fork_join_args", |json, _| call(recipe::ForkJoinArguments::from_json(json)?)),
    ("run_recipe", |json, defaults| call(recipe::RunRecipe::from_json(json, defaults)?)),
    ("check_recipe", |json, _| call(recipe::CheckRecipe::from_json(json)?)),
    ("preview_handover", |json, defaults| {
        call(recipe::PreviewHandover::from_json(json, defaults)?)
    }),
    ("resolve_current_output_box_id", |json, _| call(recipe::ResolveOutputBox::from_json(json)?)),
    ("validate_box_ids_exist", |json, defaults| {
        call(recipe::ValidateBoxes::from_json(json, defaults)?)
    }),
    ("turn_view", |json, defaults| match json.get("after") {
        Some(after) if !after.is_null() => call(turn::TurnAfter::from_json(json, defaults)?),
        Some(_) | None => call(turn::TurnView::from_json(json, defaults)?),
    }),
    ("turn_boxes", |json, defaults| call(turn::TurnBoxes::from_json(json, defaults)?)),
    ("put_cards", |json, defaults| {
        call(cardstore::PutCards::from_json(json)?.with_limits(defaults.limits))
    }),
    ("create_box", |json, _| call(cardstore::CreateBox::from_json(json)?)),
    ("append_to_box", |json, _| call(cardstore::AppendToBox::from_json(json)?)),
    ("replace_box", |json, _| call(cardstore::ReplaceBox::from_json(json)?)),
    ("fork_box", |json, _| call(cardstore::ForkBox::from_json(json)?)),
    ("concat_boxes", |json, _| call(cardstore::ConcatBoxes::from_json(json)?)),
    ("delete_cards", |json, _| call(cardstore::DeleteCards::from_json(json)?)),
    ("delete_box", |json, _| call(cardstore::DeleteBox::from_json(json)?)),
    ("get_cards", |json, _| call(cardstore::GetCards::from_json(json)?)),
    ("get_boxes", |json, _| call(cardstore::GetBoxes::from_json(json)?)),
    ("get_box_cards", |json, _| call(cardstore::GetBoxCards::from_json(json)?)),
    ("inspect", |json, defaults| call(Inspect::from_json_with(json, defaults)?)),
    ("compare", |json, defaults| call(inspect::Compare::from_json(json, defaults)?)),
    ("find_cards", |json, _| call(inspect::FindCards::from_json(json)?)),
    ("render", |json, _| call(Render::from_json(json)?)),
    ("payload", |json, defaults| call(MakePayload::from_json_with(json, defaults)?)),
    ("token_texts", |json, defaults| call(tokens::TokenTexts::from_json_with(json, defaults)?)),
    ("count_tokens", |json, defaults| call(tokens::CountTokens::from_json_with(json, defaults)?)),
    ("budget", |json, defaults| call(FitBudget::from_json_with(json, defaults)?)),
    ("diff_payloads", |json, defaults| call(DiffPayloads::from_json_with(json, defaults)?)),
    ("compose", |json, _| call(plain::compose(json)?)),
    ("collect_contexts", |json, _| call(plain::collect_contexts(json)?)),
    ("allowed_contexts", |json, _| call(plain::allowed_contexts(json)?)),
    ("prompt_tables", |json, _| call(plain::prompt_tables(json)?)),
    ("change_memory", |json, _| call(plain::change_memory(json)?)),
    ("enter_query", |json, _| call(plain::enter_query(json)?)),
    ("write_back", |json, _| call(plain::write_back(json)?)),
    ("read_handoff", |json, _| call(handoff::Reading::from_json(&Field::root(json))?)),
    ("check_handoff", |json, _| call(handoff::Checking::from_json(&Field::root(json))?)),
    ("build_handoff", |json, _| call(handoff::Iteration::from_json(&Field::root(json))?)),
    ("store_handoff", |json, _| call(handoff::Persist::from_json(&Field::root(json))?)),
    ("audit_handoff", |json, _| call(handoff::Audit::from_json(&Field::root(json))?)),
    ("plan_handoff", |json, _| call(handoff::Planning::from_json(&Field::root(json))?)),
    ("load_handoff", |json, _| call(handoff::Load::from_json(&Field::root(json))?)),
    ("make_handoff_cards", |json, defaults| {
        let cards = handoff::ToCards::from_json(&Field::root(json))?;
        call(handoff::ToCards { limits: defaults.limits, ..cards })
    }),
    ("text_form", |json, _| call(reading::text_form(json)?)),
    ("read_content", |json, defaults| call(reading::read_content(json, &defaults.limits)?)),
    ("read_card", |json, _| call(reading::ReadCard::from_json(json)?)),
    ("read_box", |json, _| call(reading::read_box(json)?)),
];

fn call(rule: impl Rule<Value: Serialize + 'static> + 'static) -> Result<Call> {
    Ok(Call(Box::new(rule)))
}

impl Call {
    /// Reads a call. Every call is an object with an `op`; what it leaves open comes from
    /// `defaults`.
    ///
    /// # Errors
    /// `bad_request` for an unknown operation, or when the call does not fit it.
    pub fn from_json(json: &Json, defaults: &Defaults) -> Result<Self> {
        let op = Field::root(json).object()?.required("op")?;
        let name = op.string()?;
        match OPERATIONS.iter().find(|(known, _)| *known == name) {
            Some((_, read)) => read(json, defaults),
            None if defaults.recipes.get(name).is_some() => {
                call(recipe::RunRecipe::from_json(json, defaults)?)
            }
            None => {
                let known = OPERATIONS.iter().map(|(known, _)| *known);
                let known = known.chain(defaults.recipes.names());
                let known = known.map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ");
                Err(op.error(format!("unknown operation `{name}`; known are {known}")))
            }
        }
    }

    /// The next step of the call.
    ///
    /// # Errors
    /// Whatever the rule says.
    pub fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<AnyOutcome>> {
        self.0.step(snapshot, env)
    }
}

/// The names of all operations.
pub fn operations() -> impl Iterator<Item = &'static str> {
    OPERATIONS.iter().map(|(name, _)| *name)
}
