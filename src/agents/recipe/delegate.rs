//! Delegation of one task: `delegate_async`, `launch_principal` and `ask_expert`.

use super::caller::Caller;
use super::dispatch::{Handed, Strategy};
use super::execute::Execute;
use super::task::Task;
use super::text;
use crate::rule::lint::Lint;
use crate::rule::{Defaults, Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::arguments::{Argument, Loose, OrText, arguments};
use crate::value::env::Env;
use crate::value::json::{Field, Fields};
use crate::{Error, Path, Result};
use serde::Serialize;

arguments! {
    /// Delegates one task to a new, a reused or a cloned agent.
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
    /// let rule = DelegateAsync::new(Caller::new("agent_a"), task);
    /// let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32]);
    /// let outcome = preview(&rule, &mut Snapshot::new("p1".into()), &env, &store)?;
    ///
    /// assert_eq!(outcome.value.inherit_box_ids, ["notes"]);
    /// assert!(outcome.value.dispatch.target_agent_id.as_str().starts_with("pb_writer_"));
    ///
    /// // a model can write a number where a string belongs
    /// let call = DelegateAsync::from_json(&json!({"source_agent_id": "agent_a", "arguments": {
    ///     "target_strategy": "NEW", "target_ref": "Writer", "instruction": 42}}))?;
    /// assert_eq!(call.arguments.instruction, "42");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct DelegateAsync {
        /// The task, as a model wrote it.
        pub arguments: OrText<Loose<TaskArguments>>,
        shared caller: Caller,
    }

    /// Delegates to a new agent with a profile: a form of `delegate_async`.
    ///
    /// ```
    /// use tuckbox::agents::recipe::LaunchPrincipal;
    /// use tuckbox::json;
    ///
    /// let call = LaunchPrincipal::from_json(&json!({"source_agent_id": "ann",
    ///     "arguments": {"profile_name": "Writer", "instruction": "Draft it."}}))?;
    /// assert_eq!(call.arguments.profile_name, "Writer");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct LaunchPrincipal {
        /// The task, as a model wrote it.
        pub arguments: OrText<Loose<PrincipalTask>>,
        shared caller: Caller,
    }

    /// Asks a new agent with an expert profile: a form of `delegate_async`.
    ///
    /// ```
    /// use tuckbox::agents::recipe::AskExpert;
    /// use tuckbox::json;
    ///
    /// let call = AskExpert::from_json(&json!({"source_agent_id": "ann",
    ///     "arguments": {"expert_profile": "Lawyer", "question": "May we?", "include_history": true}}))?;
    /// assert!(call.arguments.include_history);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct AskExpert {
        /// The question, as a model wrote it.
        pub arguments: OrText<Loose<ExpertQuestion>>,
        shared caller: Caller,
    }
}

/// One task.
///
/// Shown by the example of [`DelegateAsync`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TaskArguments {
    /// How the receiver is found.
    pub target_strategy: Strategy,
    /// The profile or the agent.
    pub target_ref: String,
    /// The instruction for the receiver.
    pub instruction: String,
    /// The box whose cards the receiver sees.
    pub context_box_id: Option<String>,
    #[serde(skip)]
    lints: Vec<Lint>,
}

/// The arguments of [`LaunchPrincipal`].
///
/// Shown by its example.
#[derive(Clone, Debug, PartialEq)]
pub struct PrincipalTask {
    /// The profile of the new agent.
    pub profile_name: String,
    /// The instruction for the agent.
    pub instruction: String,
    lints: Vec<Lint>,
}

/// The arguments of [`AskExpert`].
///
/// Shown by its example.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpertQuestion {
    /// The profile of the expert.
    pub expert_profile: String,
    /// The question.
    pub question: String,
    /// Passes the output of the asking agent on to the expert.
    pub include_history: bool,
    lints: Vec<Lint>,
}

shape! {
    /// One task.
    #[input]
    pub struct TaskArguments {
        /// How the receiver is found.
        pub target_strategy: Loose<Strategy>,
        /// The profile or the agent.
        pub target_ref: Loose<String>,
        /// The instruction for the receiver.
        pub instruction: Loose<String>,
        /// The box whose cards the receiver sees.
        pub context_box_id: Maybe<Loose<String>>,
    }

    /// The arguments of a `launch_principal` tool.
    pub struct PrincipalTask {
        /// The profile of the new agent.
        pub profile_name: String,
        /// The instruction for the agent.
        pub instruction: String,
    }

    /// The arguments of an `ask_expert` tool.
    pub struct ExpertQuestion {
        /// The profile of the expert.
        pub expert_profile: String,
        /// The question.
        pub question: String,
        /// Passes the output of the asking agent on to the expert. `false` by default.
        pub include_history: Maybe<bool>,
    }
}

impl TaskArguments {
    const KEYS: [&'static str; 4] =
        ["target_strategy", "target_ref", "instruction", "context_box_id"];

    /// Returns a task for the profile or agent `target_ref`.
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
            lints: Vec::new(),
        }
    }

    /// Returns the task with a box whose cards the receiver sees.
    #[must_use]
    pub fn with_context_box(mut self, box_id: impl Into<String>) -> Self {
        self.context_box_id = Some(box_id.into());
        self
    }

    /// Reads a task that has no other keys.
    pub(super) fn read_strictly(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&Self::KEYS)?;
        Self::from_fields(&fields, Vec::new())
    }

    fn from_fields(arguments: &Fields<'_>, mut lints: Vec<Lint>) -> Result<Self> {
        let strategy = text::required(arguments, "target_strategy")?;
        let Some(target_strategy) = Strategy::named(&strategy) else {
            return Err(Error::bad_request(format!(
                "unknown strategy `{strategy}`; expected one of `new`, `reuse`, `clone`"
            ))
            .at(arguments.path().key("target_strategy")));
        };
        Ok(Self {
            target_strategy,
            target_ref: text::required(arguments, "target_ref")?,
            instruction: text::instruction(arguments, "instruction", &mut lints)?,
            context_box_id: text::text(arguments.json().get("context_box_id")),
            lints,
        })
    }

    /// Returns the lints of reading the task.
    pub(super) fn lints(&self) -> &[Lint] {
        &self.lints
    }

    /// Returns the task at a path.
    pub(super) fn task(&self, path: Path) -> Result<Task<'_>> {
        let sources = self.context_box_id.iter();
        let sources = sources.map(|id| (id.clone(), path.key("context_box_id"))).collect();
        let names = ["target_ref", "instruction"];
        let task =
            Task::new(self.target_strategy, names, &self.target_ref, &self.instruction, path)?;
        Ok(Task { sources, ..task })
    }
}

// the paths of these start at the arguments of the tool, as in the reference systems
impl Argument for TaskArguments {
    fn read(field: &Field<'_>) -> Result<Self> {
        let arguments = text::arguments(field.json())?;
        let lints = text::unknown(&arguments, &Self::KEYS).collect();
        Self::from_fields(&arguments, lints)
    }
}

impl Argument for PrincipalTask {
    fn read(field: &Field<'_>) -> Result<Self> {
        let arguments = text::arguments(field.json())?;
        let mut lints = text::unknown(&arguments, &["profile_name", "instruction"]).collect();
        Ok(Self {
            profile_name: text::required(&arguments, "profile_name")?,
            instruction: text::instruction(&arguments, "instruction", &mut lints)?,
            lints,
        })
    }
}

impl Argument for ExpertQuestion {
    fn read(field: &Field<'_>) -> Result<Self> {
        let arguments = text::arguments(field.json())?;
        let known = ["expert_profile", "question", "include_history"];
        let mut lints = text::unknown(&arguments, &known).collect();
        Ok(Self {
            expert_profile: text::required(&arguments, "expert_profile")?,
            question: text::instruction(&arguments, "question", &mut lints)?,
            include_history: text::truth(arguments.optional("include_history"), &mut lints),
            lints,
        })
    }
}

impl DelegateAsync {
    /// Returns a call for a task.
    pub fn new(caller: Caller, task: TaskArguments) -> Self {
        Self { arguments: task, caller }
    }

    /// Returns the agents that the call names: the sender, and an agent that it reuses or clones.
    pub(crate) fn agents(&self) -> Vec<&str> {
        agents(&self.caller, std::slice::from_ref(&self.arguments))
    }
}

/// Returns the sender, and the agents that these tasks reuse or clone.
pub(super) fn agents<'a>(caller: &'a Caller, tasks: &'a [TaskArguments]) -> Vec<&'a str> {
    let named = tasks.iter().filter(|task| task.target_strategy != Strategy::New);
    let ids = named.map(|task| caller.dialect().id(&task.target_ref, "target_ref"));
    std::iter::once(caller.agent_id()).chain(ids).filter_map(Result::ok).collect()
}

macro_rules! delegations {
    ($($name:ident = $recipe:literal: |$arguments:ident| $task:expr;)*) => {$(
        impl $name {
            /// Returns the call with the limits of a project, and with its dialect where the call
            /// has none.
            #[must_use]
            pub fn with_defaults(self, defaults: &Defaults) -> Self {
                Self { caller: self.caller.with_defaults(defaults), ..self }
            }
        }

        impl Rule for $name {
            type Value = Handed;

            fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Handed>>> {
                self.caller.check_tool_name($recipe)?;
                let $arguments = &self.arguments;
                let execute = Execute {
                    caller: &self.caller,
                    recipe: $recipe,
                    author: "delegate_async",
                    tasks: vec![$task?],
                    lints: self.arguments.lints.clone(),
                };
                one(ready!(execute.step(snapshot, env)?)).map(Step::Done)
            }
        }
    )*};
}

shape! {
    fn delegate_async() -> Handed;
    fn launch_principal() -> Handed;
    fn ask_expert() -> Handed;
}

delegations! {
    DelegateAsync = "delegate_async": |task| task.task(Path::root());
    LaunchPrincipal = "launch_principal": |task| Task::new(
        Strategy::New, ["profile_name", "instruction"], &task.profile_name, &task.instruction,
        Path::root(),
    );
    AskExpert = "ask_expert": |asked| Task::new(
        Strategy::New, ["expert_profile", "question"], &asked.expert_profile, &asked.question,
        Path::root(),
    ).map(|task| Task {
        history: asked.include_history.then(|| Path::root().key("include_history")),
        ..task
    });
}

/// Returns the only context of an outcome.
pub(super) fn one(outcome: Outcome<Vec<Handed>>) -> Result<Outcome<Handed>> {
    let Outcome { value, writes, ledger, lints } = outcome;
    match value.into_iter().next() {
        Some(value) => Ok(Outcome { value, writes, ledger, lints }),
        None => Err(Error::bad_request("nothing to delegate: the call has no task")),
    }
}
