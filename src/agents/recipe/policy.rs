//! Whom an agent may hand over to: the delegation policy of its profile.

use crate::value::json::{Json, listed, trim};

/// A delegation policy: `{"target_profiles": null | [name, ..], "target_tags": [tag, ..]}`.
///
/// Without `target_profiles` every profile is allowed, with an empty list none. Tags limit further:
/// the target needs one of them. Names count letter by letter.
///
/// ```
/// use tuckbox::Json;
/// use tuckbox::agents::recipe::DelegationPolicy;
///
/// let policy = DelegationPolicy::read(&Json::parse(r#"{"target_tags": ["team"]}"#)?).unwrap();
/// assert!(policy.allows("Writer", &["team".to_owned()]));
/// assert!(!policy.allows("Writer", &[]));
/// // what is no policy allows nothing
/// assert!(DelegationPolicy::read(&Json::Null).is_none());
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DelegationPolicy {
    /// The names of the profiles that are allowed; `None` allows all.
    pub target_profiles: Option<Vec<String>>,
    /// The tags of which a target needs one; empty when tags do not count.
    pub target_tags: Vec<String>,
}

impl DelegationPolicy {
    /// Reads a policy; nothing when the value is none.
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

    /// Whether a profile of this name and with these tags may be chosen.
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

    /// The policy in words, for messages.
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

/// The names in a list, trimmed; what is no name does not count.
fn names(list: &Json) -> Option<Vec<String>> {
    let names = list.as_array()?.iter().filter_map(Json::as_str).map(trim);
    Some(names.filter(|name| !name.is_empty()).map(str::to_owned).collect())
}
