//! The roster: agents are created, changed and derived.

use super::roster::{Wanted, make_ready, put_edge, put_roster};
use crate::run::rows::Roster;
use crate::run::terms::{RunTerms, perform};
use crate::run::transaction::{Run, Transaction};
use crate::run::values::{any_text, object, present};
use crate::run::wire::trace;
use crate::value::arguments::{Argument, arguments, read_word};
use crate::value::json::{Field, Json, Object};
use crate::{Error, Path};
use serde::Serialize;

/// How an agent gets its profile.
///
/// The example of [`EnsureAgent`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentKind {
    /// From its box.
    Create,
    /// By name, from another agent.
    Derived,
}

impl Argument for AgentKind {
    fn read(field: &Field<'_>) -> crate::Result<Self> {
        read_word(field, &[("create", Self::Create), ("derived", Self::Derived)])
    }
}

/// The tags of an agent, as text. The reader omits `null` and empty ones.
///
/// The example of [`EnsureAgent`] shows a similar call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(pub Vec<String>);

shape! {
    pub type Tags = Loose<Vec<String>>;
}

impl Argument for Tags {
    fn read(field: &Field<'_>) -> crate::Result<Self> {
        if field.json().as_array().is_none() {
            return Err(
                field.error(format!("`tags` must be a list, found {}", field.json().kind()))
            );
        }
        Ok(Self::of(Some(field.json())))
    }
}

impl Tags {
    /// Returns the tags of a list.
    pub(super) fn of(json: Option<&Json>) -> Self {
        let items = json.and_then(Json::as_array).unwrap_or_default();
        Self(items.iter().filter_map(any_text).filter(|tag| !tag.is_empty()).collect())
    }
}

arguments! {
    /// The properties of an agent other than its profile box and its worker.
    ///
    /// The example of [`EnsureAgent`] shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct AgentDetails {
        /// The name of its profile, for a derived agent.
        pub profile_name: Option<String>,
        /// The agent that a derived one comes from.
        pub derived_from: Option<String>,
        /// Its tags. Those of the profile by default.
        pub tags: Option<Tags>,
        /// Its name for people.
        pub display_name: Option<String>,
        /// The agent that owns it.
        pub owner_agent_id: Option<String>,
        /// More about it. Present keys that are not given stay.
        pub metadata: Object = Object::default(),
        /// The channel of a new agent.
        pub active_channel_id: Option<String>,
    }

    /// The wanted properties of an agent.
    ///
    /// The example of [`EnsureAgent`] shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct AgentSpec {
        /// The box of its profile.
        pub profile_box_id: Option<String>,
        /// The kind of worker that runs it.
        pub worker_target: Option<String>,
        shared details: AgentDetails,
    }

    /// The source of a change of the roster.
    ///
    /// The example of [`EnsureAgent`] shows it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct AgentRequest {
        /// The channel of the change.
        pub channel_id: Option<String>,
        /// The agent that asks for the change.
        pub source_agent_id: Option<String>,
        /// The step that asks for the change.
        pub parent_step_id: Option<String>,
        /// The trace of the change.
        pub trace_id: Option<String>,
    }

    /// Makes an agent ready: in the roster, with a head.
    ///
    /// ```
    /// use tuckbox::run::{AgentKind, EnsureAgent};
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = EnsureAgent::from_json(&json!({"agent_id": "ann", "kind": "derived", "spec": {"profile_name": "Writer"}}))?;
    /// assert_eq!(call.kind, AgentKind::Derived);
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let ready = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?.value;
    /// assert_eq!(ready.error_code, Some("profile_not_found"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct EnsureAgent {
        /// The agent.
        pub agent_id: String,
        /// How the agent gets its profile.
        pub kind: AgentKind = AgentKind::Create,
        /// The wanted properties.
        pub spec: AgentSpec = AgentSpec::default(),
        shared request: AgentRequest,
        shared terms: RunTerms,
    }

    /// Writes an agent into the roster with every value given, and records the action. The agent gets
    /// its head with its first turn.
    ///
    /// ```
    /// use tuckbox::run::{ProvisionIdentity, Provisioned};
    /// use tuckbox::store::{MemoryStore, Snapshot};
    /// use tuckbox::{Env, Timestamp, json, rule};
    ///
    /// let call = ProvisionIdentity::from_json(&json!({"target_agent_id": "ann", "action": "provision",
    ///     "profile_box_id": "pb", "worker_target": "generic"}))?;
    /// let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let mut snapshot = Snapshot::new("p1".into());
    /// let done = rule::preview(&call, &mut snapshot, &env, &MemoryStore::new())?;
    /// let Provisioned { target_agent_id, action, .. } = done.value;
    /// assert_eq!((target_agent_id.as_str(), action.as_str()), ("ann", "provision"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ProvisionIdentity {
        /// The agent.
        pub target_agent_id: String,
        /// The action to record, for example `provision` or `update`.
        pub action: String,
        /// The span of the change. Its trace must be `trace_id`, if both are given.
        pub traceparent: Option<String>,
        /// The box of its profile.
        pub profile_box_id: String,
        /// The kind of worker that runs it.
        pub worker_target: String,
        shared details: AgentDetails,
        shared request: AgentRequest,
        shared terms: RunTerms,
    }
}

perform! {
    EnsureAgent -> Ready {
        |call, tx| make_ready(tx, &call.agent_id, &call.request, call.kind, &call.spec)
    }
    ProvisionIdentity -> Provisioned { |call, tx| call.run(tx) }
}

impl ProvisionIdentity {
    fn run(&self, tx: &mut Transaction<'_>) -> Run<Provisioned> {
        let project = if self.terms.lacks_project() { "" } else { "given" };
        for (key, text) in [
            ("project_id", project),
            ("target_agent_id", &self.target_agent_id),
            ("action", &self.action),
            ("profile_box_id", &self.profile_box_id),
            ("worker_target", &self.worker_target),
        ] {
            if text.is_empty() {
                let error = Error::bad_request(format!("`{key}` is empty"));
                return Err(error.at(Path::root().key(key)).into());
            }
        }
        let trace_id = self.trace_id(tx)?;
        let agent = self.target_agent_id.as_str();
        tx.want::<Roster>(&[agent]);
        let profile = tx.profile_of_box(&self.profile_box_id)?;
        let before = tx.get::<Roster>(&[agent])?;
        let mut metadata =
            before.as_ref().map(|before| before.metadata.clone()).unwrap_or_default();
        metadata.extend(self.details.metadata.clone());
        if let Some(profile) = profile {
            metadata.insert("profile_name".into(), profile.name.into());
        }
        let known_name = before.as_ref().and_then(|before| before.display_name.clone());
        let wanted = Wanted {
            profile_box_id: self.profile_box_id.clone(),
            worker_target: self.worker_target.clone(),
            tags: self.details.tags.clone().unwrap_or_default().0,
            display_name: self.details.display_name.clone().or(known_name),
            owner_agent_id: self.details.owner_agent_id.clone(),
            metadata,
        };
        put_roster(tx, agent, before, &wanted)?;
        // the edge has what the caller gave
        let given = Wanted {
            display_name: self.details.display_name.clone(),
            metadata: self.details.metadata.clone(),
            ..wanted
        };
        let request = AgentRequest { trace_id: trace_id.clone(), ..self.request.clone() };
        let edge_id = put_edge(tx, agent, &request, &self.action, given)?;
        Ok(Provisioned {
            edge_id,
            target_agent_id: self.target_agent_id.clone(),
            action: self.action.clone(),
            trace_id,
        })
    }

    /// Returns the trace of the change: that of the span, or the given one.
    fn trace_id(&self, tx: &mut Transaction<'_>) -> Run<Option<String>> {
        let given = trace::optional_trace_id(self.request.trace_id.as_deref())?;
        let Some(traceparent) = present(self.traceparent.as_deref()) else { return Ok(given) };
        let headers = object! { "traceparent" => traceparent };
        match trace::ensure(tx, &headers, given.as_deref()) {
            Ok(trace) => Ok(Some(trace.trace_id)),
            Err(_) => {
                let text = format!("`{traceparent}` is not a span of the trace of this call");
                Err(Error::bad_request(text).at(Path::root().key("traceparent")).into())
            }
        }
    }
}

/// The record of a change of the roster.
///
/// The example of [`ProvisionIdentity`] shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Provisioned {
    /// The record.
    pub edge_id: String,
    /// The agent.
    pub target_agent_id: String,
    /// The action.
    pub action: String,
    /// The trace of the change.
    pub trace_id: Option<String>,
}

/// The answer to a change of the roster.
///
/// ```
/// use tuckbox::run::Ready;
/// use tuckbox::value::json::to_text;
///
/// // an answer of `ensure_agent`
/// let ready = Ready { roster_updated: false, error_code: Some("profile_not_found") };
/// assert_eq!(to_text(&ready)?, r#"{"roster_updated":false,"error_code":"profile_not_found"}"#);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ready {
    /// True if the roster changed.
    pub roster_updated: bool,
    /// The stable code of a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<&'static str>,
}

shape! {
    /// Whether the roster changed, or why not.
    pub struct Ready {
        pub roster_updated: bool,
        pub error_code: Maybe<Word<
            "missing_profile_name",
            "missing_derived_profile_name",
            "profile_box_missing",
            "profile_not_found",
            "profile_mismatch",
            "derived_agent_conflict",
            "worker_target_missing",
        >>,
    }
}

impl Ready {
    pub(super) const UNCHANGED: Self = Self { roster_updated: false, error_code: None };

    pub(super) fn refused(code: &'static str) -> Self {
        Self { error_code: Some(code), ..Self::UNCHANGED }
    }
}
