//! The times and counts of orchestration.

use crate::value::arguments::Argument;
use crate::value::json::{Field, Fields};
use crate::{Result, Timestamp};

macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident: $value:literal,)*) => {
        /// The times and counts of orchestration. Times are in seconds.
        ///
        /// ```
        /// use tuckbox::json;
        /// use tuckbox::run::RunSettings;
        /// use tuckbox::value::json::Field;
        ///
        /// let given = json!({"max_steps": 40});
        /// let settings = RunSettings::from_fields(&Field::root(&given).object()?)?;
        /// assert_eq!((settings.max_steps, settings.fetch_limit), (40, RunSettings::default().fetch_limit));
        /// # Ok::<(), tuckbox::Error>(())
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        pub struct RunSettings {
            $($(#[$doc])* pub $name: i64,)*
        }

        impl Default for RunSettings {
            fn default() -> Self {
                Self { $($name: $value,)* }
            }
        }

        impl RunSettings {
            /// Reads the settings of a call; the others keep their defaults.
            ///
            /// # Errors
            /// If a setting is unknown, or not a whole number from 0 on.
            pub fn from_fields(fields: &Fields<'_>) -> Result<Self> {
                fields.only(&[$(stringify!($name)),*])?;
                let mut settings = Self::default();
                $(
                    if let Some(field) = fields.optional(stringify!($name)) {
                        settings.$name = i64::try_from(field.count()?).unwrap_or(i64::MAX);
                    }
                )*
                Ok(settings)
            }
        }
    };
}

impl Argument for RunSettings {
    fn read(field: &Field<'_>) -> Result<Self> {
        Self::from_fields(&field.object()?)
    }
}

settings! {
    /// Turns at this depth are rejected.
    max_recursion_depth: 20,
    /// The maximum number of steps of a turn.
    max_steps: 8,
    /// How long a turn waits for its tools.
    suspend_timeout_seconds: 30,
    /// The number of messages of one claim.
    fetch_limit: 20,
    /// The number of messages of a queue that are searched for a turn that can run.
    queue_search: 32,
    /// A message that is processed for longer returns to its inbox; 0 means never.
    processing_timeout_seconds: 300,
    /// The worker of a dispatched turn gets another wakeup after this time.
    dispatched_retry_seconds: 10,
    /// A dispatched turn that no worker starts ends after this time; 0 means never.
    dispatched_timeout_seconds: 30,
    /// A running turn without progress ends after this time.
    active_timeout_seconds: 300,
    /// A worker renews the lease of its turn. Without a renewal within this time, another worker runs the
    /// turn again from its last recorded step; 0 means never.
    lease_seconds: 15,
    /// The number of workers that a turn can lose before it fails.
    max_attempts: 3,
    /// A message that no worker claims causes a wakeup after this time.
    pending_wakeup_seconds: 5,
    /// A message without a channel is skipped after this time.
    pending_skip_seconds: 300,
    /// How long a result is leased.
    resume_lease_seconds: 10,
    /// The maximum number of times that a task is dispatched.
    dispatch_attempts: 5,
    /// The first delay between two dispatches of a task.
    dispatch_retry_seconds: 2,
    /// The longest delay between two dispatches of a task.
    dispatch_retry_max_seconds: 30,
    /// A task without an epoch is checked after this time.
    reconcile_after_seconds: 2,
    /// A task without an epoch gets a warning after this time.
    revert_after_seconds: 60,
    /// A recorded view is deleted after this time, when its agent starts a step; 0 means never.
    view_retention_seconds: 604_800,
    /// The number of rows of a kind that a watchdog reads.
    watchdog_limit: 200,
}

/// Returns true if `then` is more than `seconds` before `now`.
pub(crate) fn older(then: Timestamp, now: Timestamp, seconds: i64) -> bool {
    now.as_millis().saturating_sub(then.as_millis()) > seconds.saturating_mul(1000)
}
