//! The statuses of rows.

use crate::Result;
use crate::run::rows::Column;
use crate::value::arguments::{Argument, read_word};
use crate::value::json::{Field, Json};

macro_rules! statuses {
    ($($(#[$doc:meta])* $name:ident: $first:ident = $first_word:literal $(, $state:ident = $word:literal)*;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum $name {
                #[default]
                #[doc = concat!("`", $first_word, "`.")]
                $first,
                $(
                    #[doc = concat!("`", $word, "`.")]
                    $state,
                )*
            }

            impl $name {
                /// Returns the word of the status.
                pub const fn as_str(self) -> &'static str {
                    match self {
                        Self::$first => $first_word,
                        $(Self::$state => $word,)*
                    }
                }

                /// Returns the status of a word.
                pub fn named(word: &str) -> Option<Self> {
                    match word {
                        $first_word => Some(Self::$first),
                        $($word => Some(Self::$state),)*
                        _ => None,
                    }
                }
            }

            impl Argument for $name {
                fn read(field: &Field<'_>) -> Result<Self> {
                    read_word(field, &[($first_word, Self::$first), $(($word, Self::$state),)*])
                }
            }

            impl Column for $name {
                fn read(json: &Json) -> Option<Self> {
                    if json.is_null() { Some(Self::default()) } else { Self::named(json.as_str()?) }
                }
                fn write(&self) -> Json {
                    self.as_str().into()
                }
            }
        )*
    };
}

statuses! {
    /// The status of an agent.
    ///
    /// The example of [`StateUpdate`](crate::run::StateUpdate) shows it.
    HeadStatus: Idle = "idle", Dispatched = "dispatched", Running = "running", Suspended = "suspended";
    /// The status of a message to an agent.
    ///
    /// The example of [`SetInboxStatus`](crate::run::SetInboxStatus) shows it.
    InboxStatus: Pending = "pending", Queued = "queued", Processing = "processing",
        Consumed = "consumed", Error = "error", Skipped = "skipped", Deferred = "deferred";
    /// The status of a tool call that a turn waits for.
    WaitStatus: Waiting = "waiting", Received = "received", Applied = "applied",
        Expired = "expired", Dropped = "dropped";
    /// The status of a result that arrived.
    LedgerStatus: Pending = "pending", Processing = "processing", Applied = "applied",
        Dropped = "dropped";
    /// The status of a step.
    StepStatus: Started = "started", ToolDispatched = "tool_dispatched", Suspended = "suspended",
        Completed = "completed", Failed = "failed";
    /// The status of a batch.
    BatchStatus: Running = "running", Success = "success", Failed = "failed",
        Timeout = "timeout", Partial = "partial";
    /// The status of a task of a batch.
    TaskStatus: Pending = "pending", Dispatched = "dispatched", Success = "success",
        Failed = "failed", Canceled = "canceled", Timeout = "timeout", Partial = "partial";
}

impl TaskStatus {
    /// Returns true if the task ended.
    pub const fn is_final(self) -> bool {
        match self {
            Self::Pending | Self::Dispatched => false,
            Self::Success | Self::Failed | Self::Canceled | Self::Timeout | Self::Partial => true,
        }
    }
}
