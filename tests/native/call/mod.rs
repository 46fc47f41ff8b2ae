//! Calls: arguments, errors, limits and schemas.

mod code_tables;
mod error_codes;
mod json;
mod schema;
pub mod work_limits;
mod workspace;
