//! The arguments of the operations that change profiles, agents and tools.

use crate::value::arguments::{Nullable, arguments};
use crate::value::json::Json;

arguments! {
    /// Adds a profile to the registry.
    ///
    /// ```
    /// use tuckbox::agents::registry::RegisterProfile;
    /// use tuckbox::json;
    ///
    /// let call = RegisterProfile::from_json(&json!({"name": "Writer", "profile_box_id": "pb_writer"}))?;
    /// assert_eq!((call.name.as_str(), call.profile_box_id.as_str()), ("Writer", "pb_writer"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct RegisterProfile {
        /// The name. Calls find it in any case.
        pub name: String,
        /// The box with the cards of the profile. It must exist.
        pub profile_box_id: String,
        shared columns: ProfileColumns,
    }

    /// Changes a profile of the registry. Missing arguments keep their value.
    ///
    /// ```
    /// use tuckbox::agents::registry::UpdateProfile;
    /// use tuckbox::json;
    /// use tuckbox::value::arguments::Nullable;
    ///
    /// let call = UpdateProfile::from_json(&json!({"name": "Writer", "tags": ["text"]}))?;
    /// assert_eq!(call.columns.tags, Nullable::Value(vec!["text".to_owned()]));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct UpdateProfile {
        /// The name, in any case.
        pub name: String,
        /// The box with the cards of the profile. It must exist.
        pub profile_box_id: Nullable<String>,
        shared columns: ProfileColumns,
    }

    /// Removes a profile from the registry. Its box stays.
    ///
    /// ```
    /// use tuckbox::agents::registry::RemoveProfile;
    /// use tuckbox::json;
    ///
    /// assert_eq!(RemoveProfile::from_json(&json!({"name": "Writer"}))?.name, "Writer");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct RemoveProfile {
        /// The name, in any case.
        pub name: String,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
    }

    /// The optional columns of a profile.
    ///
    /// Shown by the example of [`UpdateProfile`].
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct ProfileColumns {
        /// The tags that delegation policies can require.
        pub tags: Nullable<Vec<String>>,
        /// The subject of the worker that runs its agents.
        pub worker_target: Nullable<String>,
        /// The profiles that its agents can delegate to. A policy in the `sys.profile` card applies
        /// only if this is `null`.
        pub delegation_policy: Nullable<Json>,
        /// The compiled system prompt.
        pub system_prompt_compiled: Nullable<String>,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
    }

    /// Adds an agent to the roster. Either `profile_box_id` or `profile_name` is required.
    ///
    /// ```
    /// use tuckbox::agents::registry::RegisterAgent;
    /// use tuckbox::json;
    ///
    /// let call = RegisterAgent::from_json(&json!({"agent_id": "ann", "profile_name": "Writer"}))?;
    /// assert_eq!(call.profile_name.as_deref(), Some("Writer"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct RegisterAgent {
        /// The id.
        pub agent_id: String,
        /// The box of a registered profile.
        pub profile_box_id: Nullable<String>,
        /// The name of a registered profile. It excludes `profile_box_id`.
        pub profile_name: Option<String>,
        shared columns: AgentColumns,
    }

    /// Changes an agent of the roster. Missing arguments keep their value.
    ///
    /// ```
    /// use tuckbox::agents::registry::UpdateAgent;
    /// use tuckbox::json;
    /// use tuckbox::value::arguments::Nullable;
    ///
    /// let call = UpdateAgent::from_json(&json!({"agent_id": "ann", "display_name": null}))?;
    /// assert_eq!(call.columns.display_name, Nullable::Null);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct UpdateAgent {
        /// The id.
        pub agent_id: String,
        /// The box of a registered profile.
        pub profile_box_id: Nullable<String>,
        /// The name of a registered profile. It excludes `profile_box_id`.
        pub profile_name: Option<String>,
        shared columns: AgentColumns,
    }

    /// Removes an agent from the roster. Its boxes, cards and turns stay.
    ///
    /// ```
    /// use tuckbox::agents::registry::RemoveAgent;
    /// use tuckbox::json;
    ///
    /// assert_eq!(RemoveAgent::from_json(&json!({"agent_id": "ann"}))?.agent_id, "ann");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct RemoveAgent {
        /// The id.
        pub agent_id: String,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
    }

    /// The optional columns of an agent.
    ///
    /// Shown by the example of [`UpdateAgent`].
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct AgentColumns {
        /// The display name.
        pub display_name: Nullable<String>,
        /// The tags.
        pub tags: Nullable<Vec<String>>,
        /// The subject of the worker that runs it.
        pub worker_target: Nullable<String>,
        /// The agent that owns it.
        pub owner_agent_id: Nullable<String>,
        /// The status in the roster. `active` for a new agent.
        pub status: Nullable<String>,
        /// Data of the host.
        pub metadata: Nullable<Json>,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
    }

    /// Adds a tool to the registry.
    ///
    /// ```
    /// use tuckbox::agents::registry::RegisterTool;
    /// # use tuckbox::store::{MemoryStore, Snapshot};
    /// # use tuckbox::{Env, Timestamp, json, rule};
    /// # let store = MemoryStore::new();
    /// # let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    /// let tool = json!({"tool_name": "search", "target_subject": "tools.search"});
    /// let call = RegisterTool::from_json(&tool)?;
    /// let changed = rule::preview(&call, &mut Snapshot::new("p1".into()), &env, &store)?.value;
    /// assert_eq!(changed.key, "search");
    /// assert!(changed.row.is_some());
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct RegisterTool {
        /// The name.
        pub tool_name: String,
        shared columns: ToolColumns,
    }

    /// Changes a tool of the registry. Missing arguments keep their value.
    ///
    /// ```
    /// use tuckbox::agents::registry::UpdateTool;
    /// use tuckbox::json;
    /// use tuckbox::value::arguments::Nullable;
    ///
    /// let call = UpdateTool::from_json(&json!({"tool_name": "search", "options": null}))?;
    /// assert_eq!(call.columns.options, Nullable::Null);
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct UpdateTool {
        /// The name.
        pub tool_name: String,
        shared columns: ToolColumns,
    }

    /// Removes a tool from the registry.
    ///
    /// ```
    /// use tuckbox::agents::registry::RemoveTool;
    /// use tuckbox::json;
    ///
    /// assert_eq!(RemoveTool::from_json(&json!({"tool_name": "search"}))?.tool_name, "search");
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct RemoveTool {
        /// The name.
        pub tool_name: String,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
    }

    /// The optional columns of a tool.
    ///
    /// Shown by the example of [`UpdateTool`].
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct ToolColumns {
        /// The description for the model.
        pub description: Nullable<String>,
        /// The JSON Schema of the parameters.
        pub parameters: Nullable<Json>,
        /// The subject of the worker that runs it.
        pub target_subject: Nullable<String>,
        /// What happens to the turn after a call: `suspend` or `terminate`.
        pub after_execution: Nullable<String>,
        /// Options of the host.
        pub options: Nullable<Json>,
        /// The id under which the commit applies once. A new id by default.
        pub operation_id: Option<String>,
    }
}

/// The JSON of columns by name; missing ones are `None`.
macro_rules! columns {
    ($of:expr; $($name:ident),*) => {
        vec![$((stringify!($name), $of.$name.json()),)*]
    };
}

pub(super) type Columns = Vec<(&'static str, Option<Json>)>;

impl ProfileColumns {
    pub(super) fn columns(&self) -> Columns {
        columns!(self; tags, worker_target, delegation_policy, system_prompt_compiled)
    }
}

impl AgentColumns {
    pub(super) fn columns(&self) -> Columns {
        columns!(self; display_name, tags, worker_target, owner_agent_id, status, metadata)
    }
}

impl ToolColumns {
    pub(super) fn columns(&self) -> Columns {
        columns!(self; description, parameters, target_subject, after_execution, options)
    }
}
