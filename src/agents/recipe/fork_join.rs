//! Handing many tasks over at once: `fork_join`.

use super::caller::{Caller, KEYS};
use super::delegate::TaskArguments;
use super::dispatch::Handed;
use super::execute::Execute;
use super::text;
use crate::agents::Setup;
use crate::rule::lint::Lint;
use crate::rule::{Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::env::Env;
use crate::value::json::{Field, Json, to_json};
use crate::{Error, Path, Result};
use serde::Serialize;

/// How many tasks a batch may have unless the host says otherwise.
///
/// Shown by the example of [`Setup`].
pub const DEFAULT_MAX_TASKS: u64 = 8;

/// Hands many tasks over in one batch: `{"tasks": [{"target_strategy", "target_ref",
/// "instruction", "context_box_id"?}, ..], "fail_fast"?, "deadline_seconds"?}`.
///
/// Every task is checked before any context is packed; one that is refused leaves nothing behind.
/// A path names the task: `tasks[3].target_ref`.
///
/// ```
/// use tuckbox::Json;
/// use tuckbox::agents::recipe::{Caller, ForkJoin};
///
/// let arguments = Json::parse(r#"{"tasks": [
///     {"target_strategy": "new", "target_ref": "Writer", "instruction": "a"},
///     {"target_strategy": "spawn", "target_ref": "Writer", "instruction": "b"}]}"#)?;
/// let error = ForkJoin::new(Caller::new("agent_a"), &arguments).unwrap_err();
/// assert_eq!(error.path().to_string(), "tasks[1].target_strategy");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ForkJoin {
    caller: Caller,
    tasks: Vec<TaskArguments>,
    /// Whether the first failure ends the batch.
    pub fail_fast: bool,
    /// When the batch is over; absent when the tasks may take as long as they like.
    pub deadline_seconds: Option<f64>,
    /// How many tasks there may be.
    pub max_tasks: u64,
    lints: Vec<Lint>,
}

/// A batch that was handed over, ready for an orchestrator.
///
/// Shown by the [example of its module](super).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forked {
    /// Whether the first failure ends the batch.
    pub fail_fast: bool,
    /// When the batch is over.
    pub deadline_seconds: Option<f64>,
    /// How the results come back.
    pub structured_output: &'static str,
    /// The tasks, in the order of the call.
    pub tasks: Vec<ForkedTask>,
}

/// One task of a batch.
///
/// Shown by the [example of its module](super).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForkedTask {
    /// Its place in the call, counted from 0: how its result is found again.
    pub task_index: usize,
    /// How people call it.
    pub label: String,
    /// What was handed over.
    pub handed: Handed,
}

impl ForkJoin {
    /// Who hands over.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// `fork_join` of these tasks.
    ///
    /// # Errors
    /// As [`ForkJoin::new`].
    pub fn with_tasks(caller: Caller, tasks: &[TaskArguments]) -> Result<Self> {
        Self::new(caller, &Json::from([("tasks", to_json(tasks)?)]))
    }

    /// `fork_join` with these arguments.
    ///
    /// # Errors
    /// `bad_request` with the path inside the arguments.
    pub fn new(caller: Caller, arguments: &Json) -> Result<Self> {
        let arguments = text::arguments(arguments)?;
        arguments.only(&["tasks", "fail_fast", "deadline_seconds"])?;
        let field = arguments.required("tasks")?;
        let list = field.list()?;
        if list.is_empty() {
            return Err(field.error("there is no task"));
        }
        let mut lints = Vec::new();
        let mut tasks = Vec::with_capacity(list.len());
        for task in list {
            let task = task.object()?;
            task.only(&TaskArguments::KEYS)?;
            tasks.push(TaskArguments::read(&task, &mut lints)?);
        }
        Ok(Self {
            caller,
            tasks,
            fail_fast: text::switch(arguments.optional("fail_fast"))?,
            deadline_seconds: text::seconds(arguments.optional("deadline_seconds"))?,
            max_tasks: DEFAULT_MAX_TASKS,
            lints,
        })
    }

    /// Sets how many tasks there may be; zero means the default, as does less on the wire.
    #[must_use]
    pub fn with_max_tasks(mut self, max_tasks: u64) -> Self {
        self.max_tasks = if max_tasks == 0 { DEFAULT_MAX_TASKS } else { max_tasks };
        self
    }

    /// Sets the deadline for a call that names none; what is not above zero does not count.
    #[must_use]
    pub fn with_default_deadline(mut self, seconds: f64) -> Self {
        let usable = Some(seconds).filter(|seconds| *seconds > 0.0 && seconds.is_finite());
        self.deadline_seconds = self.deadline_seconds.or(usable);
        self
    }

    /// Reads a call: as [`DelegateAsync::from_json`](super::DelegateAsync::from_json), and
    /// `"max_tasks"?`, `"default_deadline_seconds"?`.
    ///
    /// # Errors
    /// `bad_request` with the path of what is wrong; inside `arguments` it starts there.
    pub fn from_json(json: &Json, setup: &Setup) -> Result<Self> {
        let call = Field::root(json).object()?;
        let own = ["arguments", "max_tasks", "default_deadline_seconds"];
        call.only(&[&KEYS[..], &own].concat())?;
        Caller::check_tool_name(&call, "fork_join")?;
        let mut rule = Self::new(Caller::read(&call, setup)?, call.required("arguments")?.json())?;
        if let Some(max_tasks) = call.optional("max_tasks") {
            let number = max_tasks.json().as_number().and_then(|number| number.whole());
            let number = number.ok_or_else(|| max_tasks.expected("a whole number"))?;
            rule = rule.with_max_tasks(u64::try_from(number).unwrap_or(0));
        }
        if let Some(field) = call.optional("default_deadline_seconds") {
            let number = field.json().as_number().ok_or_else(|| field.expected("a number"))?;
            rule = rule.with_default_deadline(number.as_f64());
        }
        Ok(rule)
    }

    /// The arguments as they were understood.
    pub fn arguments(&self) -> ForkJoinArguments {
        ForkJoinArguments {
            tasks: self.tasks.clone(),
            fail_fast: self.fail_fast,
            deadline_seconds: self.deadline_seconds,
        }
    }
}

/// The arguments of a `fork_join` as they were understood: what a form can show before anything is
/// looked up.
///
/// ```
/// use tuckbox::agents::recipe::{Caller, ForkJoin};
/// use tuckbox::json;
///
/// let arguments = json!({"fail_fast": true, "tasks": [
///     {"target_strategy": "reuse", "target_ref": "agent_b", "instruction": "Go on."}]});
/// let understood = ForkJoin::new(Caller::new("ann"), &arguments)?.arguments();
/// assert!(understood.fail_fast);
/// assert_eq!(understood.tasks[0].target_ref, "agent_b");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForkJoinArguments {
    /// The tasks, in the order of the call.
    pub tasks: Vec<TaskArguments>,
    /// Whether the first failure ends the batch.
    pub fail_fast: bool,
    /// When the batch is over.
    pub deadline_seconds: Option<f64>,
}

impl ForkJoinArguments {
    /// Reads `{"arguments"}`.
    ///
    /// # Errors
    /// `bad_request` with the path inside the arguments.
    pub fn from_json(json: &Json) -> Result<Self> {
        let call = Field::root(json).object()?;
        call.only(&["op", "arguments"])?;
        let rule = ForkJoin::new(Caller::new(""), call.required("arguments")?.json())?;
        Ok(rule.arguments())
    }
}

impl Rule for ForkJoinArguments {
    type Value = Self;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Self>>> {
        Ok(Step::Done(Outcome::answer(self.clone(), Vec::new(), snapshot, env)))
    }
}

impl Rule for ForkJoin {
    type Value = Forked;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<Forked>>> {
        let path = Path::root().key("tasks");
        self.caller.limits.check_tasks(self.tasks.len(), &path)?;
        if self.tasks.len() as u64 > self.max_tasks {
            return Err(Error::bad_request(format!(
                "there are {} tasks, but a batch may have {}: split it, or raise `max_tasks`",
                self.tasks.len(),
                self.max_tasks
            ))
            .at(path)
            .detail("tasks", self.tasks.len())
            .detail("max_tasks", self.max_tasks));
        }
        let places = self.tasks.iter().enumerate();
        let execute = Execute {
            caller: &self.caller,
            recipe: "fork_join",
            author: "fork_join",
            tasks: places.map(|(index, task)| task.task(path.index(index))).collect(),
            lints: self.lints.clone(),
        };
        let outcome = ready!(execute.step(snapshot, env)?);
        Ok(Step::Done(outcome.map(|handed| {
            Forked {
                fail_fast: self.fail_fast,
                deadline_seconds: self.deadline_seconds,
                structured_output: "digest",
                tasks: handed
                    .into_iter()
                    .enumerate()
                    .map(|(task_index, handed)| ForkedTask {
                        task_index,
                        label: format!("task_{}", task_index + 1),
                        handed,
                    })
                    .collect(),
            }
        })))
    }
}
