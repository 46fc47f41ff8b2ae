//! Reads a package with any of the package models.

use super::base::ContextPackage;
use super::package::{ExecuteToInit, InitToExecute, Package};
use crate::Result;
use crate::value::arguments::{Argument, arguments, read_word};
use crate::value::json::{Field, Json};
use crate::value::sort::sort_by;
use serde::Serialize;

/// A package model.
///
/// ```
/// use tuckbox::handoff::{Model, ReadHandoff};
/// use tuckbox::json;
///
/// let call = json!({"model": "ContextPackage", "data": {"handoff_type": "init_to_execute", "timestamp": "t"}});
/// assert_eq!(ReadHandoff::from_json(&call)?.model, Some(Model::ContextPackage));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Model {
    /// The fields that every package has.
    ContextPackage,
    /// A package from the design agent to the execution agent.
    #[serde(rename = "InitToExecuteContext")]
    InitToExecute,
    /// A package from the execution agent to the design agent.
    #[serde(rename = "ExecuteToInitContext")]
    ExecuteToInit,
}

impl Argument for Model {
    fn read(field: &Field<'_>) -> Result<Self> {
        read_word(
            field,
            &[
                ("ContextPackage", Self::ContextPackage),
                ("InitToExecuteContext", Self::InitToExecute),
                ("ExecuteToInitContext", Self::ExecuteToInit),
            ],
        )
    }
}

arguments! {
    /// Reads a handoff package. An error has every wrong field in `details.errors`.
    ///
    /// ```
    /// use tuckbox::handoff::ReadHandoff;
    /// use tuckbox::json;
    ///
    /// let call = json!({"model": "ContextPackage",
    ///     "data": {"handoff_type": "init_to_execute", "timestamp": "t", "ticket": 7}});
    /// let read = ReadHandoff::from_json(&call)?.read()?;
    /// assert_eq!(read.extra_fields, ["ticket"]);
    /// assert_eq!(read.dump.get("version").unwrap().as_str(), Some("2.0"));
    /// # Ok::<(), tuckbox::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReadHandoff {
        /// The model to read it with. By default `handoff_type` chooses the model.
        pub model: Option<Model>,
        /// The package.
        pub data: Json,
    }
}

/// A package after reading.
///
/// Shown by the example of [`ReadHandoff`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadPackage {
    /// The package with every default written out.
    pub dump: Json,
    /// The names of the fields that the model does not declare, sorted.
    pub extra_fields: Vec<String>,
}

impl ReadHandoff {
    /// Reads the package.
    ///
    /// # Errors
    /// `invalid_content` with every wrong field in `details.errors`.
    pub fn read(&self) -> Result<ReadPackage> {
        let data = Field::root(&self.data);
        let (dump, base) = match self.model {
            None => {
                let package = Package::from_json(&data)?;
                (package.dump(), package.base().clone())
            }
            Some(Model::ContextPackage) => {
                let package = ContextPackage::from_json(&data)?;
                (package.dump(), package)
            }
            Some(Model::InitToExecute) => {
                let package = InitToExecute::from_json(&data)?;
                (package.dump(), package.base)
            }
            Some(Model::ExecuteToInit) => {
                let package = ExecuteToInit::from_json(&data)?;
                (package.dump(), package.base)
            }
        };
        let mut extra_fields: Vec<String> = base.extra.into_iter().map(|(key, _)| key).collect();
        sort_by(&mut extra_fields, Ord::cmp);
        Ok(ReadPackage { dump, extra_fields })
    }
}
