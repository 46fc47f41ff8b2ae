//! The settings of a workspace.
//!
//! ```
//! use tuckbox::value::json::Field;
//! use tuckbox::{Settings, Workspace, json};
//!
//! let settings = json!({"project_id": "demo", "limits": {"max_tasks": 3}});
//! let workspace = Workspace::with_settings(Settings::from_json(&Field::root(&settings))?);
//! assert_eq!(workspace.setup().defaults.limits.max_tasks, 3);
//! # Ok::<(), tuckbox::Error>(())
//! ```

use super::entries::{check_models, read_recipes};
use crate::agents::Setup;
use crate::agents::recipe::Recipes;
use crate::rule::{AuthorityPolicy, Composer, Defaults, Dialect};
use crate::value::id::ProjectId;
use crate::value::json::{Field, ParseLimits, check_storable};
use crate::value::limits::Limits;
use crate::{Path, Result};
use std::sync::Arc;

/// The project of a workspace and the defaults of its calls.
///
/// ```
/// use tuckbox::value::json::{Field, Json};
/// use tuckbox::call::settings::Settings;
///
/// let json = Json::parse(r#"{"project_id": "p1", "dialect": "v1r4", "limits": {"max_depth": 32}}"#)?;
/// let settings = Settings::from_json(&Field::root(&json))?;
/// assert_eq!(settings.setup.defaults.dialect.name, "v1r4");
/// assert_eq!(settings.setup.defaults.limits.max_depth, 32);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The project. A workspace sees only this one.
    pub project_id: ProjectId,
    /// The defaults and recipes of its calls.
    pub setup: Setup,
    /// The limits of the rows in memory.
    pub resident: Resident,
}

/// The limits of the rows that stay in memory between calls.
///
/// ```
/// use tuckbox::Settings;
///
/// let mut settings = Settings::new("demo".into());
/// settings.resident.max_card_age_seconds = 5;
/// assert!(settings.resident.max_bytes > 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resident {
    /// The maximum bytes of answers. Above it, the next call starts with an empty snapshot.
    pub max_bytes: usize,
    /// The maximum age of a card in memory. A call reads an older card again, because another
    /// process may have deleted it.
    pub max_card_age_seconds: i64,
}

impl Default for Resident {
    /// 128 MiB and one minute.
    fn default() -> Self {
        Self { max_bytes: 128 << 20, max_card_age_seconds: 60 }
    }
}

const LIMITS: [&str; 13] = [
    "max_depth",
    "max_content_bytes",
    "max_tasks",
    "max_ids",
    "max_bytes",
    "max_values",
    "max_rows",
    "max_messages",
    "max_requests",
    "max_read_bytes",
    "max_answer_bytes",
    "max_resident_bytes",
    "max_card_age_seconds",
];

impl Settings {
    /// Creates the settings of a project with the defaults.
    pub fn new(project_id: ProjectId) -> Self {
        Self { project_id, setup: Setup::default(), resident: Resident::default() }
    }

    /// Does the same as [`Settings::new`], with an id from a caller.
    ///
    /// # Errors
    /// `bad_request` when the id is blank, `invalid_content` when a store cannot keep it.
    pub fn of_project(project_id: &str) -> Result<Self> {
        check_storable(project_id, &Path::root().key("project_id"))?;
        Ok(Self::new(Dialect::default().project_id(project_id)?))
    }

    /// Reads `{"project_id", "dialect"?, "limits"?: {..: every number of [`Limits`],
    /// "max_resident_bytes"?, "max_card_age_seconds"?}, "recipes"?: [definition, ..], "composer"?:
    /// {"enable_share_context"?, "compression"?}, "models"?: {"version", "models"}, "authority"?: {"granted_by"?,
    /// "box_ids"?}, "reference_behavior"?: bool}`.
    /// [`recipe`](crate::agents::recipe) describes a definition.
    ///
    /// # Errors
    /// `bad_request` with the path of a missing, mistyped, unknown or blank value.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&[
            "project_id",
            "dialect",
            "limits",
            "recipes",
            "composer",
            "models",
            "authority",
            "reference_behavior",
        ])?;
        let dialect = Dialect::from_json(fields.optional("dialect"))?;
        let project_id = dialect.project_id(fields.required("project_id")?.string()?)?;
        let (limits, resident) = read_limits(fields.optional("limits"))?;
        let composer = match fields.optional("composer") {
            Some(policy) => Composer::from_json(&policy)?,
            None => Composer::default(),
        };
        let authority = match fields.optional("authority") {
            Some(policy) => AuthorityPolicy::from_json(&policy)?,
            None => AuthorityPolicy::default(),
        };
        let reference_behavior = match fields.optional("reference_behavior") {
            Some(field) => field.boolean()?,
            None => false,
        };
        let recipes = match fields.optional("recipes") {
            Some(list) => read_recipes(&list)?,
            None => Recipes::default(),
        };
        let defaults = Defaults { dialect, limits, composer, authority, reference_behavior };
        let mut setup = Setup::new(defaults, recipes);
        if let Some(table) = fields.optional("models") {
            check_models(&table)?;
            setup.models = Arc::new(table.json().clone());
        }
        Ok(Self { project_id, setup, resident })
    }

    /// Returns the limits for parsing JSON text that contains cards: the allowed depth of content
    /// plus the levels around it.
    pub(crate) fn parse_limits(&self) -> ParseLimits {
        let wrapping = 32;
        let max_depth = self.setup.defaults.limits.max_depth.min(Limits::MAX_DEPTH) + wrapping;
        ParseLimits { max_depth, ..ParseLimits::default() }
    }
}

/// Reads the limits of a project, and those of its resident data.
fn read_limits(given: Option<Field<'_>>) -> Result<(Limits, Resident)> {
    let mut limits = Limits::default();
    let mut resident = Resident::default();
    let Some(given) = given else { return Ok((limits, resident)) };
    let given = given.object()?;
    given.only(&LIMITS)?;
    // in the order of their names
    let numbers = [
        &mut limits.max_depth,
        &mut limits.max_content_bytes,
        &mut limits.max_tasks,
        &mut limits.max_ids,
        &mut limits.max_bytes,
        &mut limits.max_values,
        &mut limits.max_rows,
        &mut limits.max_messages,
        &mut limits.max_requests,
        &mut limits.max_read_bytes,
        &mut limits.max_answer_bytes,
        &mut resident.max_bytes,
    ];
    for (name, number) in LIMITS.iter().zip(numbers) {
        if let Some(given) = given.optional(name) {
            *number = usize::try_from(given.count()?).unwrap_or(usize::MAX);
        }
    }
    if let Some(age) = given.optional("max_card_age_seconds") {
        resident.max_card_age_seconds = i64::try_from(age.count()?).unwrap_or(i64::MAX);
    }
    Ok((limits, resident))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Json;

    fn read(text: &str) -> Result<Settings> {
        Settings::from_json(&Field::root(&Json::parse(text).unwrap()))
    }

    #[test]
    fn errors_name_the_setting() {
        for (given, shown) in [
            ("[]", "bad_request: expected an object, found a list"),
            ("{}", "bad_request at `project_id`: `project_id` is missing"),
            (
                r#"{"project_id": ""}"#,
                "bad_request at `project_id`: `project_id` must not be blank",
            ),
            (
                r#"{"project_id": " ", "dialect": "v1r4"}"#,
                "bad_request at `project_id`: `project_id` must not be blank",
            ),
            (
                r#"{"project_id": "p", "limits": {"max_depth": -1}}"#,
                "bad_request at `limits.max_depth`: expected a whole number that is not negative, found a number",
            ),
        ] {
            assert_eq!(read(given).unwrap_err().to_string(), shown);
        }
        let error = read(r#"{"project_id": "p", "dialect": "v9"}"#).unwrap_err();
        assert_eq!(error.path().to_string(), "dialect");
        let error = read(r#"{"project_id": "p", "composer": {"compression": "behind"}}"#);
        assert_eq!(error.unwrap_err().path().to_string(), "composer.compression");
        let error = read(r#"{"project_id": "p", "composer": {"enable_share_context": 1}}"#);
        assert_eq!(error.unwrap_err().path().to_string(), "composer.enable_share_context");
        let error = read(r#"{"project_id": "p", "authority": {"granted_by": "model"}}"#);
        assert_eq!(error.unwrap_err().path().to_string(), "authority.granted_by");
    }

    #[test]
    fn calls_cannot_override_the_composer() {
        let settings = read(
            r#"{"project_id": "p", "composer": {"enable_share_context": false, "compression": "after_checkpoint"}}"#,
        )
        .unwrap();
        let composed = |more: &str| {
            let call = format!(
                r#"{{"op": "compose", "process": "react", "system_prompt": "s", "query": "q",
                    "contexts": {{"framework__context": "F"}} {more}}}"#
            );
            settings.setup.read_call(&Json::parse(&call).unwrap()).map(|call| {
                let env = crate::Env::new(crate::Timestamp::from_millis(0), [7; 32]);
                match call.step(&crate::Snapshot::new("p".into()), &env).unwrap() {
                    crate::Step::Done(outcome) => outcome.value.to_json().unwrap().to_string(),
                    crate::Step::Need(_) => String::new(),
                }
            })
        };
        assert!(composed("").unwrap().contains("sharing_off"));
        for key in ["enable_share_context", "composer"] {
            let error = composed(&format!(r#", "{key}": true"#)).err().unwrap();
            assert_eq!(error.path().to_string(), key);
            assert!(error.message().contains("setting of the project"), "{error}");
        }
    }

    #[test]
    fn parse_depth_follows_the_limits_and_has_a_maximum() {
        let settings = read(r#"{"project_id": "p", "limits": {"max_depth": 99999999}}"#).unwrap();
        assert_eq!(settings.parse_limits().max_depth, 544);
        let usual = Settings::new("p".into()).parse_limits();
        assert_eq!(usual.max_depth, ParseLimits::default().max_depth);
    }
}
