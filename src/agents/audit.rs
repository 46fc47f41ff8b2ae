//! The audit of refused calls.

use super::Setup;
use super::setup::{AnyCall, Resolved};
use crate::Result;
use crate::rule::refusal::Refusal;
use crate::rule::{Call, Outcome, Rule, Step, ready};
use crate::store::Snapshot;
use crate::value::arguments::{OrText, arguments};
use crate::value::env::Env;
use serde::Serialize;

arguments! {
    /// Stores an audit entry about a call that a policy refuses. Nothing else of the call is written.
    ///
    /// The call is decided again. If it is not refused, nothing is written.
    ///
    /// ```
    /// use tuckbox::agents::{AuditRefusal, Setup};
    /// use tuckbox::json;
    /// # use tuckbox::store::{Agent, MemoryStore, Profile, Snapshot};
    /// # use tuckbox::{Env, Timestamp, rule};
    /// # let mut store = MemoryStore::new();
    /// # let mut lead = Profile::new("Lead", "pb_lead");
    /// # lead.delegation_policy = json!({"target_profiles": []});
    /// # store.project("p1").add_profile(lead).add_profile(Profile::new("Writer", "pb_writer"));
    /// # store.project("p1").add_agent(Agent::new("ann", "pb_lead"));
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let call = json!({"op": "launch_principal", "source_agent_id": "ann",
    ///     "arguments": {"profile_name": "Writer", "instruction": "Draft it."}});
    /// let audit = AuditRefusal::from_json(&json!({"call": call}))?.with_setup(&Setup::default());
    /// let preview = rule::preview(&audit, &mut Snapshot::new("p1".into()), &env, &store)?;
    /// assert_eq!(preview.value.refusal.unwrap().subject, "Writer");
    /// assert_eq!((preview.writes.rows.len(), preview.writes.boxes.len()), (1, 0));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    pub struct AuditRefusal {
        /// The refused call.
        pub call: OrText<AnyCall>,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
        setting setup: Setup,
        setting read: Resolved<Call>,
    }
}

/// The result of `audit_refusal`.
///
/// Shown by the example of [`AuditRefusal`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditedRefusal {
    /// The stored refusal. Null if the call is not refused.
    pub refusal: Option<Refusal>,
}

impl AuditRefusal {
    /// Returns the call with the settings of a project.
    #[must_use]
    pub fn with_setup(self, setup: &Setup) -> Self {
        Self { setup: setup.clone(), ..self }
    }
}

impl Rule for AuditRefusal {
    type Value = AuditedRefusal;

    fn step(&self, snapshot: &Snapshot, env: &Env) -> Result<Step<Outcome<AuditedRefusal>>> {
        let call = self.read.get_or_make(|| self.setup.read_call(&self.call));
        let refusal = match call.and_then(|call| call.step(snapshot, env)) {
            Ok(step) => {
                ready!(step);
                None
            }
            Err(error) => match Refusal::of(&self.call, &error) {
                Some(refusal) => Some(refusal),
                None => return Err(error.under("call")),
            },
        };
        let value = AuditedRefusal { refusal };
        let mut outcome = Outcome::answer(value, Vec::new(), snapshot, env);
        if let Some(operation_id) = &self.operation_id {
            outcome.writes.operation_id = operation_id.as_str().into();
        }
        if let Some(refusal) = &outcome.value.refusal {
            refusal.keep(&mut outcome.writes);
        }
        Ok(Step::Done(outcome))
    }
}
