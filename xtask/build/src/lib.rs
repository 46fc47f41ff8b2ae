//! Functions to build and serve the npm package and the page.
#![forbid(unsafe_code)]

mod alike;
pub mod cargo;
pub mod component;
pub mod inspect;
pub mod npm;
pub mod package;
pub mod process;
pub mod serve;
mod split;
pub mod tree;
