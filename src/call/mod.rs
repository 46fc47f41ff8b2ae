//! Calls as JSON: `{"op": "pack_context", ...}` in, JSON out.
//!
//! A binding needs no list of functions. It passes a call and drives the returned run. An operation
//! is one entry in `operations`.
//!
//! ```
//! use tuckbox::agents::Setup;
//! use tuckbox::Json;
//!
//! let call = Json::parse(r#"{"op": "pack_contxt"}"#)?;
//! let error = Setup::default().read_call(&call).err().unwrap();
//! assert_eq!(error.path().to_string(), "op");
//! # Ok::<(), tuckbox::Error>(())
//! ```

mod declare;
mod entries;
mod operations;
mod parts;
pub mod settings;
pub mod workspace;

pub use entries::{
    after, committed, decide, import_stream, refused, resident_body, select_rows, text_part,
    timeline, touched,
};
pub use operations::Part;
pub use parts::{Parts, parts};

use crate::Result;
use crate::agents::recipe::Recipes;
use crate::agents::{Operations, Setup};
use crate::rule::{Call, Defaults};
use crate::value::json::{Field, Json, listed};
use operations::OPERATIONS;
use std::sync::Arc;

impl Setup {
    /// Creates a setup with these defaults and recipes.
    pub fn new(defaults: Defaults, recipes: Recipes) -> Self {
        let operations = Operations { take, is_operation };
        Self { defaults, recipes, models: Arc::default(), operations }
    }
}

impl Default for Setup {
    fn default() -> Self {
        Self::new(Defaults::default(), Recipes::default())
    }
}

/// Reads a call. Every call is an object with an `op`. Missing values come from `setup`.
fn take(json: &mut Json, setup: &Setup) -> Result<Call> {
    let name = Field::root(json).object()?.required("op")?.string()?;
    let found = parts::operation(name, setup);
    let taken = found.and_then(|(known, part)| part.take(known, json, setup));
    taken.unwrap_or_else(|| unknown(json, setup))
}

#[cold]
fn unknown(json: &Json, setup: &Setup) -> Result<Call> {
    let op = Field::root(json).object()?.required("op")?;
    let known = OPERATIONS.iter().map(|(name, _)| *name).chain(setup.recipes.names());
    let known = listed(&known.collect::<Vec<_>>());
    Err(op.error(format!("unknown operation `{}`; expected one of {known}", op.string()?)))
}

#[cold]
fn excluded(json: &Json) -> Result<Call> {
    let op = Field::root(json).object()?.required("op")?;
    Err(op.error(format!(
        "this build lacks the operation `{}`: enable the feature `logs`, or use `tuckbox-full.component.wasm`",
        op.string()?
    )))
}

/// Returns true for the name of an operation.
///
/// ```
/// assert!(tuckbox::call::is_operation("pack_context"));
/// assert!(!tuckbox::call::is_operation("pack_contxt"));
/// ```
pub fn is_operation(name: &str) -> bool {
    operations().any(|known| known == name)
}

/// Returns the names of all operations.
///
/// ```
/// // the routes of a server
/// let names: Vec<_> = tuckbox::call::operations().collect();
/// assert!(names.contains(&"fork_join") && names.contains(&"enqueue"));
/// ```
pub fn operations() -> impl Iterator<Item = &'static str> {
    OPERATIONS.iter().map(|(name, _)| *name)
}
