//! One door to all package models: a model's name and a value in, the complete package out.

use super::base::ContextPackage;
use super::package::{ExecuteToInit, InitToExecute, Package};
use crate::Result;
use crate::value::json::{Field, Json};
use crate::value::sort::sort_by;
use serde::Serialize;

/// Which model reads the value.
///
/// ```
/// use tuckbox::handoff::{Model, Reading};
/// use tuckbox::json;
/// use tuckbox::value::json::Field;
///
/// let call = json!({"model": "ContextPackage", "data": {"handoff_type": "init_to_execute", "timestamp": "t"}});
/// assert_eq!(Reading::from_json(&Field::root(&call))?.model, Model::ContextPackage);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// The one that `handoff_type` names.
    #[default]
    Named,
    /// What every package has.
    ContextPackage,
    /// From the designing to the running agent.
    InitToExecute,
    /// From the running back to the designing agent.
    ExecuteToInit,
}

/// A value and the model to read it with.
///
/// ```
/// use tuckbox::handoff::Reading;
/// use tuckbox::value::json::{Field, Json, to_json};
///
/// let call = Json::parse(r#"{"model": "ContextPackage",
///   "data": {"handoff_type": "init_to_execute", "timestamp": "t", "ticket": 7}}"#)?;
/// let read = Reading::from_json(&Field::root(&call))?.read()?;
/// assert_eq!(read.extra_fields, ["ticket"]);
/// assert_eq!(read.dump.get("version").unwrap().as_str(), Some("2.0"));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Which model reads it.
    pub model: Model,
    /// What is read.
    pub data: Json,
}

/// A package that was read.
///
/// Shown by the example of [`Reading`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadPackage {
    /// The package with every default written out.
    pub dump: Json,
    /// The names of the fields that the model does not know, sorted.
    pub extra_fields: Vec<String>,
}

impl Reading {
    /// Reads `{model?, data}`; the model is `ContextPackage`, `InitToExecuteContext` or
    /// `ExecuteToInitContext`, and the one that `handoff_type` names unless given.
    ///
    /// # Errors
    /// `bad_request` for another model or an unknown key.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&["op", "model", "data"])?;
        let model = match fields.optional("model") {
            None => Model::Named,
            Some(model) => match model.string()? {
                "ContextPackage" => Model::ContextPackage,
                "InitToExecuteContext" => Model::InitToExecute,
                "ExecuteToInitContext" => Model::ExecuteToInit,
                other => return Err(model.error(format!("there is no model `{other}`"))),
            },
        };
        Ok(Self { model, data: fields.required("data")?.json().clone() })
    }

    /// Reads the package.
    ///
    /// # Errors
    /// `invalid_content` with every wrong field in `details.errors`.
    pub fn read(&self) -> Result<ReadPackage> {
        let data = Field::root(&self.data);
        let (dump, base) = match self.model {
            Model::Named => {
                let package = Package::from_json(&data)?;
                (package.dump(), package.base().clone())
            }
            Model::ContextPackage => {
                let package = ContextPackage::from_json(&data)?;
                (package.dump(), package)
            }
            Model::InitToExecute => {
                let package = InitToExecute::from_json(&data)?;
                (package.dump(), package.base)
            }
            Model::ExecuteToInit => {
                let package = ExecuteToInit::from_json(&data)?;
                (package.dump(), package.base)
            }
        };
        let mut extra_fields: Vec<String> = base.extra.into_iter().map(|(key, _)| key).collect();
        sort_by(&mut extra_fields, Ord::cmp);
        Ok(ReadPackage { dump, extra_fields })
    }
}
