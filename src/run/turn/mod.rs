//! The turn of an agent: start, tools, results, and its end.

pub(super) mod complete;
pub(super) mod deliverable;
pub(super) mod expiry;
pub(super) mod finish;
pub(super) mod put_results;
pub(super) mod reads;
pub(super) mod release;
pub(super) mod result;
pub(super) mod resume;
pub(super) mod start;
pub(super) mod state;
pub(super) mod stop;
mod suspend;
pub(super) mod tool_answer;
pub(super) mod tool_results;
pub(super) mod tools;
pub(super) mod work;
