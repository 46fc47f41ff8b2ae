//! Handing one task over: `delegate_async`, and the two recipes that are kinds of it.

use super::caller::{Caller, KEYS};
use super::dispatch::{Handed, Strategy};
use super::execute::Execute;
use super::task::{Message, Task};
use super::text;
use crate::agents::Setup;
use crate::rule::lint::Lint;
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::{Field, Fields, Json, to_json};
use crate::{Error, Path, Result};
use serde::Serialize;

/// Hands one task to another agent: `{"target_strategy", "target_ref", "instruction",
/// "context_box_id"?}`.
///
/// ```
/// use tuckbox::agents::recipe::{Caller, DelegateAsync, Strategy, TaskArguments};
/// use tuckbox::rule::preview;
/// use tuckbox::store::{Agent, MemoryStore, Profile, Snapshot};
/// use tuckbox::{Env, Timestamp, json};
///
/// let mut store = MemoryStore::new();
/// let mut lead = Profile::new("Lead", "pb_lead");
/// lead.delegation_policy = json!({"target_profiles": ["Writer"]});
/// store
///     .project("p1")
///     .add_profile(lead)
///     .add_profile(Profile::new("Writer", "pb_writer"))
///     .add_agent(Agent::new("agent_a", "pb_lead"))
///     .add_box("notes", ["c1", "c2"]);
///
/// let task = TaskArguments::new(Strategy::New, "Writer", "write it down").with_context_box("notes");
/// let rule = DelegateAsync::with_task(Caller::new("agent_a"), &task)?;
/// let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32]);
/// let outcome = preview(&rule, &mut Snapshot::new("p1".into()), &env, &store)?;
///
/// assert_eq!(outcome.value.inherit_box_ids, ["notes"]);
/// assert!(outcome.value.dispatch.target_agent_id.as_str().starts_with("pb_writer_"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DelegateAsync {
    caller: Caller,
    task: TaskArguments,
    recipe: Kind,
    lints: Vec<Lint>,
}

/// Which recipe it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Delegate,
    LaunchPrincipal,
    AskExpert { include_history: bool },
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Delegate => "delegate_async",
            Self::LaunchPrincipal => "launch_principal",
            Self::AskExpert { .. } => "ask_expert",
        }
    }
}

/// A task as its arguments say it.
///
/// Shown by the example of [`DelegateAsync`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskArguments {
    /// How the receiver is found.
    pub target_strategy: Strategy,
    /// The profile or the agent.
    pub target_ref: String,
    /// What the receiver is told.
    pub instruction: String,
    /// The box whose cards it sees.
    pub context_box_id: Option<String>,
}

impl TaskArguments {
    /// A task for whoever the strategy finds under `target_ref`.
    pub fn new(
        target_strategy: Strategy,
        target_ref: impl Into<String>,
        instruction: impl Into<String>,
    ) -> Self {
        Self {
            target_strategy,
            target_ref: target_ref.into(),
            instruction: instruction.into(),
            context_box_id: None,
        }
    }

    /// This task with a box whose cards the receiver sees.
    #[must_use]
    pub fn with_context_box(mut self, box_id: impl Into<String>) -> Self {
        self.context_box_id = Some(box_id.into());
        self
    }

    /// The keys of a task.
    pub(super) const KEYS: [&'static str; 4] =
        ["target_strategy", "target_ref", "instruction", "context_box_id"];

    /// Reads a task.
    pub(super) fn read(arguments: &Fields<'_>, lints: &mut Vec<Lint>) -> Result<Self> {
        let strategy = text::required(arguments, "target_strategy")?;
        let Some(target_strategy) = Strategy::named(&strategy) else {
            return Err(Error::bad_request(format!(
                "unknown strategy `{strategy}`; known are `new`, `reuse`, `clone`"
            ))
            .at(arguments.path().key("target_strategy")));
        };
        Ok(Self {
            target_strategy,
            target_ref: text::required(arguments, "target_ref")?,
            instruction: text::instruction(arguments, "instruction", lints)?,
            context_box_id: text::text(arguments.json().get("context_box_id")),
        })
    }

    /// The task at its place.
    pub(super) fn task(&self, path: Path) -> Task<'_> {
        let named = self.context_box_id.iter();
        Task {
            strategy: self.target_strategy,
            target_ref: self.target_ref.clone(),
            sources: named.map(|id| (id.clone(), path.key("context_box_id"))).collect(),
            history: None,
            message: Message::Instruction { text: self.instruction.clone(), key: "instruction" },
            path,
            target_key: "target_ref",
        }
    }
}

impl DelegateAsync {
    /// Who hands over.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// `delegate_async` of a task.
    ///
    /// # Errors
    /// As [`DelegateAsync::new`].
    pub fn with_task(caller: Caller, task: &TaskArguments) -> Result<Self> {
        Self::new(caller, &to_json(task)?)
    }

    /// `delegate_async` with these arguments.
    ///
    /// # Errors
    /// `bad_request` with the path inside the arguments.
    pub fn new(caller: Caller, arguments: &Json) -> Result<Self> {
        let arguments = text::arguments(arguments)?;
        let mut lints = text::unknown(&arguments, &TaskArguments::KEYS).collect();
        let task = TaskArguments::read(&arguments, &mut lints)?;
        Ok(Self { caller, task, recipe: Kind::Delegate, lints })
    }

    /// `launch_principal`: a new agent of `profile_name`, told `instruction`.
    ///
    /// # Errors
    /// `bad_request` with the path inside the arguments.
    pub fn launch_principal(caller: Caller, arguments: &Json) -> Result<Self> {
        let arguments = text::arguments(arguments)?;
        let mut lints = text::unknown(&arguments, &["profile_name", "instruction"]).collect();
        let task = TaskArguments {
            target_strategy: Strategy::New,
            target_ref: text::required(&arguments, "profile_name")?,
            instruction: text::instruction(&arguments, "instruction", &mut lints)?,
            context_box_id: None,
        };
        Ok(Self { caller, task, recipe: Kind::LaunchPrincipal, lints })
    }

    /// `ask_expert`: a new agent of `expert_profile`, asked `question`; with `include_history` it
    /// also sees what the asking agent has put out.
    ///
    /// # Errors
    /// `bad_request` with the path inside the arguments.
    pub fn ask_expert(caller: Caller, arguments: &Json) -> Result<Self> {
        let arguments = text::arguments(arguments)?;
        let known = ["expert_profile", "question", "include_history"];
        let mut lints = text::unknown(&arguments, &known).collect();
        let task = TaskArguments {
            target_strategy: Strategy::New,
            target_ref: text::required(&arguments, "expert_profile")?,
            instruction: text::instruction(&arguments, "question", &mut lints)?,
            context_box_id: None,
        };
        let include_history = text::truth(arguments.optional("include_history"), &mut lints);
        Ok(Self { caller, task, recipe: Kind::AskExpert { include_history }, lints })
    }

    /// Reads a call of `delegate_async`: `{"source_agent_id", "arguments", "tool_name"?,
    /// "tool_suffix"?, "dialect"?, "recursion_depth"?, "check_liveness"?, "operation_id"?}`.
    ///
    /// # Errors
    /// `bad_request` with the path of what is wrong; inside `arguments` it starts there.
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        call(json, setup, Kind::Delegate.name(), Self::new)
    }

    /// Reads a call of `launch_principal`.
    ///
    /// # Errors
    /// As [`DelegateAsync::from_json`].
    pub fn launch_principal_from_json(json: &Json, setup: &Setup) -> Result<Self> {
        call(json, setup, Kind::LaunchPrincipal.name(), Self::launch_principal)
    }

    /// Reads a call of `ask_expert`.
    ///
    /// # Errors
    /// As [`DelegateAsync::from_json`].
    pub fn ask_expert_from_json(json: &Json, setup: &Setup) -> Result<Self> {
        call(json, setup, "ask_expert", Self::ask_expert)
    }
}

/// Reads a call of nothing but a caller and arguments.
fn call<T>(
    json: &Json,
    setup: &Setup,
    recipe: &str,
    make: impl FnOnce(Caller, &Json) -> Result<T>,
) -> Result<T> {
    let call = Field::root(json).object()?;
    call.only(&[&KEYS[..], &["arguments"]].concat())?;
    Caller::check_tool_name(&call, recipe)?;
    make(Caller::read(&call, setup)?, call.required("arguments")?.json())
}

impl Rule for DelegateAsync {
    type Value = Handed;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Handed>>> {
        let mut task = self.task.task(Path::root());
        match self.recipe {
            Kind::Delegate => {}
            Kind::LaunchPrincipal => task.target_key = "profile_name",
            Kind::AskExpert { include_history } => {
                task.target_key = "expert_profile";
                task.message =
                    Message::Instruction { text: self.task.instruction.clone(), key: "question" };
                task.history = include_history.then(|| Path::root().key("include_history"));
            }
        }
        let execute = Execute {
            caller: &self.caller,
            recipe: self.recipe.name(),
            author: Kind::Delegate.name(),
            tasks: vec![task],
            lints: self.lints.clone(),
        };
        one(ready!(execute.step(snapshot, env)?)).map(Step::Done)
    }
}

/// The only context of an outcome.
pub(super) fn one(outcome: Outcome<Vec<Handed>>) -> Result<Outcome<Handed>> {
    let Outcome { value, writes, ledger, lints } = outcome;
    match value.into_iter().next() {
        Some(value) => Ok(Outcome { value, writes, ledger, lints }),
        None => Err(Error::bad_request("there is nothing to hand over")),
    }
}
