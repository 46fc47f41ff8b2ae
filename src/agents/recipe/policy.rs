//! The delegation policy of a profile: the profiles that its agents can delegate to.

use crate::value::json::{Json, listed, trim};

/// A delegation policy: `{"target_profiles": null | [name, ..], "target_tags": [tag, ..]}`.
///
/// Without `target_profiles` every profile is allowed; an empty list allows none. With
/// `target_tags`, the target needs one of them. Names are case-sensitive.
///
/// ```
/// use tuckbox::Json;
/// use tuckbox::agents::recipe::DelegationPolicy;
///
/// let policy = DelegationPolicy::read(&Json::parse(r#"{"target_tags": ["team"]}"#)?).unwrap();
/// assert!(policy.allows("Writer", &["team".to_owned()]));
/// assert!(!policy.allows("Writer", &[]));
/// // a value that is not a policy allows nothing
/// assert!(DelegationPolicy::read(&Json::Null).is_none());
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DelegationPolicy {
    /// The names of the allowed profiles; `None` allows all.
    pub target_profiles: Option<Vec<String>>,
    /// The tags of which the target needs one; empty if it needs none.
    pub target_tags: Vec<String>,
}

impl DelegationPolicy {
    /// Returns the policy, or `None` if the value is not a policy.
    pub fn read(value: &Json) -> Option<Self> {
        let policy = value.as_object()?;
        let target_profiles = match policy.get("target_profiles") {
            None | Some(Json::Null) => None,
            Some(list) => Some(names(list)?),
        };
        let target_tags = match policy.get("target_tags") {
            None | Some(Json::Null) => Vec::new(),
            Some(list) => names(list)?,
        };
        Some(Self { target_profiles, target_tags })
    }

    /// Returns true if a profile with this name and these tags is allowed.
    pub fn allows(&self, name: &str, tags: &[String]) -> bool {
        let name = trim(name);
        let named = match &self.target_profiles {
            None => true,
            Some(names) => names.iter().any(|allowed| allowed == name),
        };
        let tagged = self.target_tags.is_empty()
            || tags.iter().any(|tag| !trim(tag).is_empty() && self.target_tags.contains(tag));
        !name.is_empty() && named && tagged
    }

    /// Returns a description of the policy for messages.
    pub(super) fn describe(&self) -> String {
        let listed =
            |names: &[String]| listed(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let profiles = match self.target_profiles.as_deref() {
            None => "every profile".to_owned(),
            Some([]) => "no profile".to_owned(),
            Some(names) => format!("the profiles {}", listed(names)),
        };
        match self.target_tags.as_slice() {
            [] => profiles,
            tags => format!("{profiles} with one of the tags {}", listed(tags)),
        }
    }
}

/// Returns the names in a list, trimmed. Other values are ignored.
fn names(list: &Json) -> Option<Vec<String>> {
    let names = list.as_array()?.iter().filter_map(Json::as_str).map(trim);
    Some(names.filter(|name| !name.is_empty()).map(str::to_owned).collect())
}
