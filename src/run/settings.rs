//! How long, how often, how many.

use crate::value::json::Fields;
use crate::{Result, Timestamp};

macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident: $value:literal,)*) => {
        /// The times and counts of orchestration, in seconds where they are times.
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
            /// Bugs that a test switches on to see that they are found.
            #[doc(hidden)]
            pub bug: super::bugs::Bug,
        }

        impl Default for RunSettings {
            fn default() -> Self {
                Self { $($name: $value,)* bug: super::bugs::Bug::None }
            }
        }

        impl RunSettings {
            /// Reads those that a call gives; the others keep their defaults.
            ///
            /// # Errors
            /// When one is unknown, or no whole number from 0 on.
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

settings! {
    /// Turns at this depth are refused.
    max_recursion_depth: 20,
    /// A turn has at most so many steps.
    max_steps: 8,
    /// A turn waits so long for its tools.
    suspend_timeout_seconds: 30,
    /// So many rows are looked at in one go.
    fetch_limit: 20,
    /// A queue is searched so far for a turn that can run.
    queue_search: 32,
    /// A message that is worked on for longer is worked on again.
    processing_timeout_seconds: 300,
    /// A dispatched turn is rung for again after this long.
    dispatched_retry_seconds: 10,
    /// A dispatched turn that nobody starts ends after this long; 0 means never.
    dispatched_timeout_seconds: 30,
    /// A running turn that does nothing ends after this long.
    active_timeout_seconds: 300,
    /// A message that nobody took is rung for after this long.
    pending_wakeup_seconds: 5,
    /// A message without a channel is given up after this long.
    pending_skip_seconds: 300,
    /// A result is leased for so long.
    resume_lease_seconds: 10,
    /// A task is dispatched at most so often.
    dispatch_attempts: 5,
    /// The first wait between two tries.
    dispatch_retry_seconds: 2,
    /// The longest wait between two tries.
    dispatch_retry_max_seconds: 30,
    /// A task without an epoch is looked at after this long.
    reconcile_after_seconds: 2,
    /// A task without an epoch is warned about after this long.
    revert_after_seconds: 60,
    /// A watchdog looks at so many rows of a kind.
    watchdog_limit: 200,
}

/// True when `then` lies more than `seconds` before `now`.
pub(crate) fn older(then: Timestamp, now: Timestamp, seconds: i64) -> bool {
    now.as_millis().saturating_sub(then.as_millis()) > seconds.saturating_mul(1000)
}
