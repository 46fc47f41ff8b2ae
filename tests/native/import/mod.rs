//! Imports of other tools' logs.

mod dialects;
mod formats;
mod parts;
mod projects;
pub mod properties;
mod stream;
mod tables;
mod traces;
