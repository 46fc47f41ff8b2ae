//! Running a recipe that a host has defined, like a built-in.

use super::caller::{Caller, KEYS};
use super::custom::CustomRecipe;
use super::delegate::one;
use super::dispatch::{Handed, Strategy};
use super::execute::Execute;
use super::task::{Message, Task};
use super::template;
use crate::agents::Setup;
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::Set;
use crate::value::env::Env;
use crate::value::json::{Field, Json, Object};
use crate::{Error, Path, Result};

/// Runs a recipe that a host has defined.
///
/// ```
/// use tuckbox::agents::recipe::{Caller, CustomRecipe, RunRecipe};
/// # use tuckbox::{json, value::json::Field};
/// # let recipe = json!({"name": "brief", "arguments": [{"name": "what", "type": "text"}],
/// #     "handover": {"target_profile_config": {"profile_name": "Writer"},
/// #         "context_packing_config": {"pack_arguments": [{"arg_key": "what"}]}}});
/// let recipe = CustomRecipe::from_json(&Field::root(&recipe), tuckbox::call::is_operation)?;
/// let call = RunRecipe::new(Caller::new("ann"), recipe.clone(), &json!({"what": "Draft it."}))?;
/// assert_eq!(call.caller().source_agent_id, "ann");
/// let error = RunRecipe::new(Caller::new("ann"), recipe, &json!({"what": " "})).unwrap_err();
/// assert_eq!(error.path().to_string(), "what");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecipe {
    caller: Caller,
    recipe: CustomRecipe,
    arguments: Object,
    target_ref: String,
    sources: Vec<(String, Path)>,
}

impl RunRecipe {
    /// Who hands over.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// A recipe with these arguments.
    ///
    /// # Errors
    /// `bad_request` with the path inside the arguments.
    pub fn new(caller: Caller, recipe: CustomRecipe, arguments: &Json) -> Result<Self> {
        let given = super::text::arguments(arguments)?;
        let known: Set<&str> = recipe.arguments.iter().map(|known| known.name.as_str()).collect();
        // only the refusal goes through the list of names for every key
        if given.json().keys().any(|key| !known.contains(key.as_str())) {
            given.only(&known.into_iter().collect::<Vec<_>>())?;
        }
        let mut arguments = Object::default();
        for argument in &recipe.arguments {
            match given.optional(&argument.name) {
                Some(field) => {
                    argument.kind.check(&field)?;
                    arguments.insert(argument.name.clone(), field.json().clone());
                }
                None if argument.required => {
                    return Err(Error::bad_request(format!("`{}` is required", argument.name))
                        .at(Path::root().key(&argument.name)));
                }
                None => {}
            }
        }
        let target_ref = match arguments.get("profile_name").and_then(Json::as_str) {
            Some(name) => name.to_owned(),
            None => recipe.configured_profile().unwrap_or_default().to_owned(),
        };
        let mut sources = Vec::new();
        for name in recipe.inherits() {
            let path = Path::root().key(name);
            match arguments.get(name) {
                Some(Json::Array(items)) => {
                    caller.limits.check_values(sources.len() + items.len(), &path)?;
                    let items = items.iter().enumerate();
                    sources.extend(items.map(|(at, item)| (item.text_form(), path.index(at))));
                }
                Some(value) => sources.push((value.text_form(), path)),
                None => {}
            }
        }
        Ok(Self { caller, arguments, target_ref, sources, recipe })
    }

    /// Reads a call: the caller's part, `"arguments"`, and for `run_recipe` the `"recipe"`: a
    /// definition, or the name of one that is registered.
    ///
    /// # Errors
    /// `bad_request` with the path of what is wrong; inside `arguments` it starts there.
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&[&KEYS[..], &["arguments", "recipe"]].concat())?;
        let recipe = match call.optional("recipe") {
            Some(field) => match field.json() {
                Json::String(name) => registered(name, setup, &field)?,
                _ => CustomRecipe::from_json(&field, setup.operations.is_operation)?,
            },
            None => {
                let op = call.required("op")?;
                if op.string()? == "run_recipe" {
                    call.required("recipe")?;
                }
                registered(op.string()?, setup, &op)?
            }
        };
        Caller::check_tool_name(&call, &recipe.name)?;
        let caller = Caller::read(&call, setup)?;
        Self::new(caller, recipe, call.required("arguments")?.json())
    }
}

fn registered(name: &str, setup: &Setup, field: &Field<'_>) -> Result<CustomRecipe> {
    setup.recipes.get(name).cloned().ok_or_else(|| {
        let known: Vec<String> = setup.recipes.names().map(|known| format!("`{known}`")).collect();
        let known = if known.is_empty() { "there are none".into() } else { known.join(", ") };
        field.error(format!("no recipe `{name}` is registered; known are: {known}"))
    })
}

impl Rule for RunRecipe {
    type Value = Handed;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Handed>>> {
        let message =
            Message::Handover { arguments: &self.arguments, handover: &self.recipe.handover };
        let execute = Execute {
            caller: &self.caller,
            recipe: &self.recipe.name,
            author: &self.recipe.name,
            tasks: vec![Task {
                strategy: Strategy::New,
                target_ref: self.target_ref.clone(),
                sources: self.sources.clone(),
                history: None,
                message,
                path: Path::root(),
                target_key: "profile_name",
            }],
            lints: Vec::new(),
        };
        one(ready!(execute.step(snapshot, env)?)).map(Step::Done)
    }
}

/// Checks a definition and gives it back as it was understood.
///
/// ```
/// use tuckbox::agents::Setup;
/// use tuckbox::agents::recipe::{ArgumentType, CheckRecipe};
/// # use tuckbox::rule::{Rule, Step};
/// # use tuckbox::{Env, Snapshot, Timestamp, json};
/// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
/// let recipe = json!({"name": "brief", "arguments": [{"name": "what", "type": "text"}, {"name": "unused", "type": "any"}],
///     "handover": {"target_profile_config": {"profile_name": "Writer"},
///         "context_packing_config": {"pack_arguments": [{"arg_key": "what"}]}}});
/// let call = CheckRecipe::from_json(&json!({"recipe": recipe}), &Setup::default())?;
/// let Step::Done(checked) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
/// let argument = &checked.value.arguments[0];
/// assert!(argument.required && argument.kind == ArgumentType::Text);
/// assert_eq!(checked.lints[0].code.as_str(), "unused_argument");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CheckRecipe {
    recipe: CustomRecipe,
}

impl CheckRecipe {
    /// Reads `{"recipe"}`.
    ///
    /// # Errors
    /// As [`CustomRecipe::from_json`].
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "recipe"])?;
        let recipe =
            CustomRecipe::from_json(&call.required("recipe")?, setup.operations.is_operation)?;
        Ok(Self { recipe })
    }
}

impl Rule for CheckRecipe {
    type Value = CustomRecipe;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<CustomRecipe>>> {
        let lints = template::lints(&self.recipe);
        Ok(Step::Done(Outcome::answer(self.recipe.clone(), lints, snapshot, env)))
    }
}
