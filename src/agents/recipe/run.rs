//! Runs a recipe that a host has defined.

use super::caller::Caller;
use super::custom::CustomRecipe;
use super::delegate::one;
use super::dispatch::{Handed, Strategy};
use super::execute::Execute;
use super::task::{Message, Task};
use super::template;
use crate::agents::Setup;
use crate::agents::setup::Resolved;
use crate::pack::ToolArguments;
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::Set;
use crate::value::arguments::{OrText, arguments};
use crate::value::env::Env;
use crate::value::json::{Field, Json, Object, listed};
use crate::{Path, Result};

/// The definition of a recipe, or the name of a registered one.
type RecipeOrName = Json;

/// The definition of a recipe.
type RecipeDefinition = Json;

shape! {
    pub type RecipeOrName = Loose<RecipeSource>;

    #[serde(untagged)]
    pub enum RecipeSource {
        Definition(CustomRecipe),
        Name(String),
    }

    pub type RecipeDefinition = Loose<CustomRecipe>;
}

arguments! {
    /// Runs a recipe: a definition, or the name of one that the project was opened with.
    ///
    /// ```
    /// use tuckbox::agents::recipe::{Caller, CustomRecipe, RunRecipe};
    /// # use tuckbox::{json, value::json::Field};
    /// # let recipe = json!({"name": "brief", "arguments": [{"name": "what", "type": "text"}],
    /// #     "handover": {"target_profile_config": {"profile_name": "Writer"},
    /// #         "context_packing_config": {"pack_arguments": [{"arg_key": "what"}]}}});
    /// let recipe = CustomRecipe::from_json(&Field::root(&recipe), tuckbox::call::is_operation)?;
    /// let call = RunRecipe::new(Caller::new("ann"), recipe.clone(), &json!({"what": "Draft it."}))?;
    /// assert_eq!(call.caller.source_agent_id, "ann");
    /// let error = RunRecipe::new(Caller::new("ann"), recipe, &json!({"what": " "})).unwrap_err();
    /// assert_eq!(error.path().to_string(), "what");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct RunRecipe {
        /// The definition, or the name.
        pub recipe: OrText<RecipeOrName>,
        /// The arguments of the recipe.
        pub arguments: ToolArguments,
        shared caller: Caller,
        setting setup: Setup,
        setting prepared: Resolved<Prepared>,
    }

    /// Runs a registered recipe by its own name.
    struct HostRecipe {
        /// The arguments of the recipe.
        pub arguments: ToolArguments,
        shared caller: Caller,
    }
}

/// A recipe with its arguments, checked.
#[derive(Clone, Debug)]
pub struct Prepared {
    recipe: CustomRecipe,
    arguments: Object,
    target_ref: String,
    sources: Vec<(String, Path)>,
}

impl RunRecipe {
    /// Returns a call of a recipe with these arguments.
    ///
    /// # Errors
    /// `bad_request` with the path inside the arguments.
    pub fn new(caller: Caller, recipe: CustomRecipe, arguments: &Json) -> Result<Self> {
        let name = recipe.name.as_str().into();
        let prepared = Prepared::new(&caller, recipe, arguments)?;
        Ok(Self {
            recipe: name,
            arguments: arguments.clone().into(),
            caller,
            setup: Setup::default(),
            prepared: Resolved::new(prepared),
        })
    }

    /// Returns the call with the settings of a project.
    #[must_use]
    pub fn with_setup(self, setup: &Setup) -> Self {
        let caller = self.caller.with_defaults(&setup.defaults);
        Self { caller, setup: setup.clone(), ..self }
    }

    /// Reads a call of `run_recipe`, or of a registered recipe by its own name.
    ///
    /// # Errors
    /// `bad_request` with the path of the wrong value.
    pub(crate) fn read(json: &Json, setup: &Setup) -> Result<Self> {
        let name = json.get("op").and_then(Json::as_str);
        let Some(name) = name.filter(|name| setup.recipes.get(name).is_some()) else {
            return Ok(Self::from_json(json)?.with_setup(setup));
        };
        let HostRecipe { arguments, caller } = HostRecipe::from_json(json)?;
        let (setup_of, prepared) = (Setup::default(), Resolved::default());
        let call = Self { recipe: name.into(), arguments, caller, setup: setup_of, prepared };
        Ok(call.with_setup(setup))
    }

    fn prepared(&self) -> Result<&Prepared> {
        self.prepared.get_or_make(|| {
            let recipe = resolve(&self.recipe, &self.setup)?;
            self.caller.check_tool_name(&recipe.name)?;
            Prepared::new(&self.caller, recipe, self.arguments.json())
        })
    }
}

impl Prepared {
    fn new(caller: &Caller, recipe: CustomRecipe, arguments: &Json) -> Result<Self> {
        let given = super::text::arguments(arguments)?;
        let known: Set<&str> = recipe.arguments.iter().map(|known| known.name.as_str()).collect();
        // the search in the list of names is for the error only
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
                    return Err(super::text::missing(&Path::root(), &argument.name));
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
        Ok(Self { recipe, arguments, target_ref, sources })
    }
}

/// Returns the recipe that a call defines or names.
fn resolve(recipe: &Json, setup: &Setup) -> Result<CustomRecipe> {
    let whole = Json::from([("recipe", recipe.clone())]);
    let field = Field::root(&whole).object()?.required("recipe")?;
    match field.json() {
        Json::String(name) => registered(name, setup, &field),
        _ => CustomRecipe::from_json(&field, setup.operations.is_operation),
    }
}

fn registered(name: &str, setup: &Setup, field: &Field<'_>) -> Result<CustomRecipe> {
    setup.recipes.get(name).cloned().ok_or_else(|| {
        let known = listed(&setup.recipes.names().collect::<Vec<_>>());
        field.error(match known.as_str() {
            "" => format!("unknown recipe `{name}`; the project has no recipes"),
            known => format!("unknown recipe `{name}`; expected one of {known}"),
        })
    })
}

impl Rule for RunRecipe {
    type Value = Handed;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Handed>>> {
        let Prepared { recipe, arguments, target_ref, sources } = self.prepared()?;
        let execute = Execute {
            caller: &self.caller,
            recipe: &recipe.name,
            author: &recipe.name,
            tasks: vec![Task {
                strategy: Strategy::New,
                target_ref: target_ref.clone(),
                sources: sources.clone(),
                history: None,
                message: Message::Handover { arguments, handover: &recipe.handover },
                path: Path::root(),
                target_key: "profile_name",
            }],
            lints: Vec::new(),
        };
        one(ready!(execute.step(snapshot, env)?)).map(Step::Done)
    }
}

arguments! {
    /// Checks the definition of a recipe and returns it with its defaults.
    ///
    /// ```
    /// use tuckbox::agents::recipe::{ArgumentType, CheckRecipe};
    /// # use tuckbox::rule::{Rule, Step};
    /// # use tuckbox::{Env, Snapshot, Timestamp, json};
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let recipe = json!({"name": "brief", "arguments": [{"name": "what", "type": "text"}, {"name": "unused", "type": "any"}],
    ///     "handover": {"target_profile_config": {"profile_name": "Writer"},
    ///         "context_packing_config": {"pack_arguments": [{"arg_key": "what"}]}}});
    /// let call = CheckRecipe::from_json(&json!({"recipe": recipe}))?;
    /// let Step::Done(checked) = call.step(&Snapshot::new("p1".into()), &env)? else { panic!() };
    /// let argument = &checked.value.arguments[0];
    /// assert!(argument.required && argument.kind == ArgumentType::Text);
    /// assert_eq!(checked.lints[0].code.as_str(), "unused_argument");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct CheckRecipe {
        /// The definition.
        pub recipe: OrText<RecipeDefinition>,
        setting setup: Setup,
    }
}

impl CheckRecipe {
    /// Returns the call with the settings of a project.
    #[must_use]
    pub fn with_setup(self, setup: &Setup) -> Self {
        Self { setup: setup.clone(), ..self }
    }
}

impl Rule for CheckRecipe {
    type Value = CustomRecipe;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<CustomRecipe>>> {
        let whole = Json::from([("recipe", self.recipe.clone())]);
        let field = Field::root(&whole).object()?.required("recipe")?;
        let recipe = CustomRecipe::from_json(&field, self.setup.operations.is_operation)?;
        let lints = template::lints(&recipe);
        Ok(Step::Done(Outcome::answer(recipe, lints, snapshot, env)))
    }
}
