//! Delegation of many tasks at once: `fork_join`.

use super::caller::Caller;
use super::delegate::{TaskArguments, agents};
use super::dispatch::Handed;
use super::execute::Execute;
use super::text;
use crate::rule::{Defaults, Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::arguments::{Argument, OrText, arguments};
use crate::value::env::Env;
use crate::value::json::{Field, Json};
use crate::{Error, Path, Result};
use serde::Serialize;

/// The number of tasks that a batch can have, unless the host sets another.
///
/// Shown by the example of [`Setup`](crate::agents::Setup).
pub const DEFAULT_MAX_TASKS: u64 = 8;

arguments! {
    /// Delegates many tasks in one batch.
    ///
    /// Every task is checked before any context is packed. If one is rejected, nothing is written. A
    /// path names the task: `tasks[3].target_ref`.
    ///
    /// ```
    /// use tuckbox::agents::recipe::ForkJoin;
    /// use tuckbox::json;
    ///
    /// let error = ForkJoin::from_json(&json!({"source_agent_id": "agent_a", "arguments": {"tasks": [
    ///     {"target_strategy": "new", "target_ref": "Writer", "instruction": "a"},
    ///     {"target_strategy": "spawn", "target_ref": "Writer", "instruction": "b"}]}})).unwrap_err();
    /// assert_eq!(error.path().to_string(), "tasks[1].target_strategy");
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ForkJoin {
        /// The tasks, as a model wrote them.
        pub arguments: OrText<ForkJoinArguments>,
        /// The number of tasks that the batch can have. 8 by default, also for a number below 1.
        pub max_tasks: Option<i64>,
        /// The deadline of a batch whose arguments have none. A number below or equal to 0 counts as
        /// missing.
        pub default_deadline_seconds: Option<f64>,
        shared caller: Caller,
    }

    /// Reads the arguments of a `fork_join` without running it.
    ///
    /// ```
    /// use tuckbox::agents::recipe::ReadForkJoin;
    /// use tuckbox::json;
    ///
    /// let call = ReadForkJoin::from_json(&json!({"arguments": {"fail_fast": "yes", "tasks": [
    ///     {"target_strategy": "reuse", "target_ref": "agent_b", "instruction": "Go on."}]}}))?;
    /// assert!(call.arguments.fail_fast);
    /// assert_eq!(call.arguments.tasks[0].target_ref, "agent_b");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReadForkJoin {
        /// The tasks, as a model wrote them.
        pub arguments: OrText<ForkJoinArguments>,
    }
}

/// The arguments of a `fork_join`.
///
/// Shown by the example of [`ReadForkJoin`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForkJoinArguments {
    /// The tasks, in the order of the call.
    pub tasks: Vec<TaskArguments>,
    /// Ends the batch at the first failure.
    pub fail_fast: bool,
    /// The deadline of the batch, if it has one.
    pub deadline_seconds: Option<f64>,
}

shape! {
    /// The arguments of a `fork_join` tool.
    #[input]
    pub struct ForkJoinArguments {
        /// The tasks: at least one, at most `max_tasks`. An agent can be reused once.
        pub tasks: Vec<TaskArguments>,
        /// Ends the batch at the first failure. `false` by default.
        pub fail_fast: Maybe<Loose<bool>>,
        /// The deadline of the batch, greater than 0. No deadline by default.
        pub deadline_seconds: Maybe<Loose<f64>>,
    }
}

impl ForkJoinArguments {
    /// Reads the arguments of a tool.
    ///
    /// # Errors
    /// `bad_request` with the path inside the arguments.
    pub fn from_json(json: &Json) -> Result<Self> {
        Self::read(&Field::root(json))
    }

    /// Rejects a batch without a task or with a deadline that cannot be met.
    fn check(&self) -> Result<()> {
        if self.tasks.is_empty() {
            let message = "`tasks` must have at least one task";
            return Err(Error::bad_request(message).at(Path::root().key("tasks")));
        }
        match self.deadline_seconds {
            Some(seconds) if seconds <= 0.0 || !seconds.is_finite() => {
                Err(Error::bad_request(format!(
                    "`deadline_seconds` must be a finite number greater than 0, found `{seconds}`"
                ))
                .at(Path::root().key("deadline_seconds")))
            }
            Some(_) | None => Ok(()),
        }
    }
}

// the paths start at the arguments of the tool, as in the reference systems
impl Argument for ForkJoinArguments {
    fn read(field: &Field<'_>) -> Result<Self> {
        let arguments = text::arguments(field.json())?;
        arguments.only(&["tasks", "fail_fast", "deadline_seconds"])?;
        let tasks = arguments.required("tasks")?;
        Ok(Self {
            tasks: tasks.list()?.iter().map(TaskArguments::read_strictly).collect::<Result<_>>()?,
            fail_fast: text::switch(arguments.optional("fail_fast"))?,
            deadline_seconds: text::seconds(arguments.optional("deadline_seconds"))?,
        })
    }
}

impl From<Vec<TaskArguments>> for ForkJoinArguments {
    fn from(tasks: Vec<TaskArguments>) -> Self {
        Self { tasks, fail_fast: false, deadline_seconds: None }
    }
}

/// A batch for an orchestrator.
///
/// Shown by the [example of its module](super).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forked {
    /// Ends the batch at the first failure.
    pub fail_fast: bool,
    /// The deadline of the batch, if it has one.
    pub deadline_seconds: Option<f64>,
    /// The form of the results.
    pub structured_output: &'static str,
    /// The tasks, in the order of the call.
    pub tasks: Vec<ForkedTask>,
}

/// One task of a batch.
///
/// Shown by the [example of its module](super).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForkedTask {
    /// Its index in the call, from 0. Its result has the same index.
    pub task_index: usize,
    /// Its label for people.
    pub label: String,
    /// The delegated context.
    pub handed: Handed,
}

impl ForkJoin {
    /// Returns a call for these tasks.
    pub fn new(caller: Caller, arguments: impl Into<ForkJoinArguments>) -> Self {
        let arguments = arguments.into();
        Self { arguments, max_tasks: None, default_deadline_seconds: None, caller }
    }

    /// Returns the agents that the call names: the sender, and the agents that it reuses or clones.
    pub(crate) fn agents(&self) -> Vec<&str> {
        agents(&self.caller, &self.arguments.tasks)
    }

    /// Returns the call with the limits of a project, and with its dialect where the call has none.
    #[must_use]
    pub fn with_defaults(self, defaults: &Defaults) -> Self {
        Self { caller: self.caller.with_defaults(defaults), ..self }
    }

    /// Returns the call with another number of tasks that the batch can have.
    #[must_use]
    pub fn with_max_tasks(self, max_tasks: u64) -> Self {
        Self { max_tasks: Some(i64::try_from(max_tasks).unwrap_or(i64::MAX)), ..self }
    }

    /// Returns the call with a deadline for arguments that have none.
    #[must_use]
    pub fn with_default_deadline(self, seconds: f64) -> Self {
        Self { default_deadline_seconds: Some(seconds), ..self }
    }

    /// Returns the number of tasks that the batch can have.
    pub fn max_tasks(&self) -> u64 {
        let given = self.max_tasks.and_then(|given| u64::try_from(given).ok());
        given.filter(|given| *given > 0).unwrap_or(DEFAULT_MAX_TASKS)
    }

    fn deadline_seconds(&self) -> Option<f64> {
        let usable = |seconds: &f64| *seconds > 0.0 && seconds.is_finite();
        self.arguments.deadline_seconds.or(self.default_deadline_seconds.filter(usable))
    }
}

impl Rule for ReadForkJoin {
    type Value = ForkJoinArguments;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<ForkJoinArguments>>> {
        self.arguments.check()?;
        Ok(Step::Done(Outcome::answer(self.arguments.clone(), Vec::new(), snapshot, env)))
    }
}

impl Rule for ForkJoin {
    type Value = Forked;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Forked>>> {
        self.caller.check_tool_name("fork_join")?;
        self.arguments.check()?;
        let path = Path::root().key("tasks");
        let tasks = &self.arguments.tasks;
        let (count, max_tasks) = (tasks.len(), self.max_tasks());
        self.caller.limits.check_tasks(count, &path)?;
        if count as u64 > max_tasks {
            return Err(Error::bad_request(format!(
                "expected at most {max_tasks} tasks, found {count}; split the batch, or raise \
                 `max_tasks`"
            ))
            .at(path)
            .detail("tasks", count)
            .detail("max_tasks", max_tasks));
        }
        let each = tasks.iter().enumerate();
        let execute = Execute {
            caller: &self.caller,
            recipe: "fork_join",
            author: "fork_join",
            tasks: each.map(|(index, task)| task.task(path.index(index))).collect::<Result<_>>()?,
            lints: tasks.iter().flat_map(TaskArguments::lints).cloned().collect(),
        };
        let outcome = ready!(execute.step(snapshot, env)?);
        let task = |(task_index, handed)| ForkedTask {
            task_index,
            label: format!("task_{}", task_index + 1),
            handed,
        };
        Ok(Step::Done(outcome.map(|handed| Forked {
            fail_fast: self.arguments.fail_fast,
            deadline_seconds: self.deadline_seconds(),
            structured_output: "digest",
            tasks: handed.into_iter().enumerate().map(task).collect(),
        })))
    }
}
