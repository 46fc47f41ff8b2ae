//! The arguments that every operation of orchestration has, and the step of a call.

use crate::Result;
use crate::rule::ledger::Ledger;
use crate::rule::{Defaults, Dialect, Outcome, Step};
use crate::run::settings::RunSettings;
use crate::run::transaction::{Run, Stop, Transaction};
use crate::store::Snapshot;
use crate::value::arguments::arguments;
use crate::value::env::Env;
use crate::value::limits::Limits;
use crate::{Error, Path};

arguments! {
    /// The arguments that every operation of orchestration has.
    ///
    /// Shown by the example of the [module](crate::run).
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct RunTerms {
        /// The project of the workspace. Another project is an error.
        pub project_id: Option<String>,
        /// Settings that differ from the defaults.
        pub settings: RunSettings = RunSettings::default(),
        setting limits: Limits,
        setting reference_behavior: bool,
        setting dialect: Dialect,
    }
}

impl RunTerms {
    /// Applies the settings of a project.
    pub(super) fn set_defaults(&mut self, defaults: &Defaults) {
        self.limits = defaults.limits;
        self.reference_behavior = defaults.reference_behavior;
        self.dialect = defaults.dialect;
    }

    /// Returns true if the call names a project without a name.
    pub(super) fn lacks_project(&self) -> bool {
        self.project_id.as_deref() == Some("")
    }

    /// Returns the state of a call.
    pub(super) fn transaction<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        env: &'a Env,
    ) -> Transaction<'a> {
        let mut tx = Transaction::new(snapshot, env, &self.settings, self.limits);
        tx.reference_behavior = self.reference_behavior;
        tx.dialect = self.dialect;
        tx
    }

    /// Performs one step of a call.
    pub(super) fn step<T>(
        &self,
        snapshot: &Snapshot,
        env: &Env,
        perform: impl FnOnce(&mut Transaction<'_>) -> Run<T>,
    ) -> Result<Step<Outcome<T>>> {
        self.check_project(snapshot)?;
        let mut tx = self.transaction(snapshot, env);
        match perform(&mut tx) {
            Ok(value) => {
                let (writes, transitions) = tx.done()?;
                let ledger = Ledger { transitions, ..Ledger::default() };
                Ok(Step::Done(Outcome { value, writes, ledger, lints: Vec::new() }))
            }
            Err(Stop::Need) => Ok(tx.need()),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    fn check_project(&self, snapshot: &Snapshot) -> Result<()> {
        match self.project_id.as_deref() {
            Some(named) if !named.is_empty() && named != snapshot.project_id().as_str() => {
                let text = format!("`{named}` is not the project of this call");
                Err(Error::bad_request(text).at(Path::root().key("project_id")))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// Declares what operations of orchestration do, and what they answer:
/// `Arguments -> Answer { |call, tx| .. }`.
macro_rules! perform {
    ($($name:ident -> $answer:ty { |$call:pat_param, $tx:ident| $body:expr })*) => {$(
        impl $name {
            /// Returns the call under the limits of a project.
            #[must_use]
            pub fn with_setup(mut self, setup: &$crate::agents::Setup) -> Self {
                self.terms.set_defaults(&setup.defaults);
                self
            }
        }

        impl $crate::rule::Rule for $name {
            type Value = $answer;

            fn step(
                &self,
                snapshot: &$crate::store::Snapshot,
                env: &$crate::Env,
            ) -> $crate::Result<$crate::rule::Step<$crate::rule::Outcome<$answer>>> {
                let $call = self;
                self.terms.step(snapshot, env, |$tx| $body)
            }
        }
    )*};
}
pub(super) use perform;
