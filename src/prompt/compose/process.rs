//! The table of what each kind of process sees.

use super::layer::Layer;
use crate::Result;
use crate::value::arguments::Argument;
use crate::value::json::{Field, listed};
use serde::Serialize;

/// The kind of process that runs the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Process {
    /// One agent after the other.
    Sequential,
    /// Agents delegate to each other freely.
    Dynamic,
    /// A manager assigns tasks.
    Hierarchical,
    /// Plan, act, reflect.
    React,
    /// Works on one part of a split task.
    MapreduceWorker,
    /// Splits the task.
    MapreducePlanner,
    /// Joins the parts.
    MapreduceReducer,
}

impl Process {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::Sequential,
        Self::Dynamic,
        Self::Hierarchical,
        Self::React,
        Self::MapreduceWorker,
        Self::MapreducePlanner,
        Self::MapreduceReducer,
    ];

    /// Returns the name of the kind on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Dynamic => "dynamic",
            Self::Hierarchical => "hierarchical",
            Self::React => "react",
            Self::MapreduceWorker => "mapreduce_worker",
            Self::MapreducePlanner => "mapreduce_planner",
            Self::MapreduceReducer => "mapreduce_reducer",
        }
    }

    /// Returns the row of this kind.
    ///
    /// ```
    /// use tuckbox::prompt::compose::Process;
    ///
    /// let worker = Process::MapreduceWorker.rule();
    /// assert!(!worker.checkpoint && !worker.share_by_default);
    /// ```
    pub const fn rule(self) -> ProcessRule {
        match self {
            Self::Sequential | Self::Dynamic | Self::Hierarchical | Self::React => ProcessRule {
                process: self,
                checkpoint: true,
                share_by_default: true,
                always: &[],
                when_sharing: &Layer::NAMED_BLOCKS,
                other_blocks: true,
                needs_query: matches!(self, Self::Sequential),
                follows_switch: true,
            },
            Self::MapreduceWorker => ProcessRule {
                process: self,
                checkpoint: false,
                share_by_default: false,
                always: &[Layer::Framework, Layer::Knowledge],
                when_sharing: &[],
                other_blocks: false,
                needs_query: true,
                follows_switch: false,
            },
            Self::MapreducePlanner | Self::MapreduceReducer => ProcessRule {
                process: self,
                checkpoint: false,
                share_by_default: true,
                always: &[Layer::Framework],
                when_sharing: &[Layer::Experience, Layer::Knowledge],
                other_blocks: false,
                needs_query: true,
                follows_switch: true,
            },
        }
    }
}

impl Argument for Process {
    fn read(field: &Field<'_>) -> Result<Self> {
        let name = field.string()?;
        Self::ALL.into_iter().find(|process| process.as_str() == name).ok_or_else(|| {
            let known = listed(&Self::ALL.map(Self::as_str));
            field.error(format!("unknown process `{name}`; expected one of {known}"))
        })
    }
}

/// A row of the process table. A block that a row allows is injected if the caller passes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ProcessRule {
    /// The kind of process.
    pub process: Process,
    /// Whether the remembered conversation is injected.
    pub checkpoint: bool,
    /// The default of `enable_share_context`.
    pub share_by_default: bool,
    /// The blocks that it always sees.
    pub always: &'static [Layer],
    /// The blocks that it sees while sharing.
    pub when_sharing: &'static [Layer],
    /// True if it sees blocks without a fixed position while sharing.
    pub other_blocks: bool,
    /// True if a prompt must have a query. An agent that continues from its memory, after a handover or a
    /// tool's result, needs none.
    pub needs_query: bool,
    /// True if the switch of the project changes what it sees. A worker always sees only its part of the
    /// task.
    pub follows_switch: bool,
}

/// Returns why a row excludes a block, or nothing if it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    Allowed,
    SharingOff,
    NotInProcess,
}

impl ProcessRule {
    /// Returns the named blocks that the row allows, in the order of the composer.
    ///
    /// ```
    /// use tuckbox::prompt::compose::{Layer, Process};
    ///
    /// let planner = Process::MapreducePlanner.rule();
    /// assert_eq!(planner.allowed_contexts(false), [Layer::Framework]);
    /// ```
    pub fn allowed_contexts(&self, share: bool) -> Vec<Layer> {
        Layer::NAMED_BLOCKS
            .into_iter()
            .filter(|layer| self.admits(layer, share) == Admission::Allowed)
            .collect()
    }

    /// Returns true if shared blocks are allowed with a setting of the switch.
    ///
    /// ```
    /// use tuckbox::prompt::compose::Process;
    ///
    /// assert!(!Process::React.rule().shares(Some(false)));
    /// assert!(!Process::MapreduceWorker.rule().shares(Some(true)));
    /// ```
    pub fn shares(&self, switch: Option<bool>) -> bool {
        switch.filter(|_| self.follows_switch).unwrap_or(self.share_by_default)
    }

    pub(super) fn admits(&self, block: &Layer, share: bool) -> Admission {
        let shared = match block {
            Layer::Other(_) => self.other_blocks,
            named => self.when_sharing.contains(named),
        };
        if self.always.contains(block) || (shared && share) {
            Admission::Allowed
        } else if shared {
            Admission::SharingOff
        } else {
            Admission::NotInProcess
        }
    }
}
