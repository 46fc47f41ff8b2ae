//! The tests and laws of the core as its users see it: one program, because each of them would be
//! compiled with the whole core again. `cargo test --test native pack_laws` runs one suite.
//!
//! Folders next to this file hold what several suites share.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "a test panics to say what went wrong"
)]

mod handover_world;
mod law;
mod oracle;
mod payload_world;
mod provider_rules;
mod sim;

mod budget_laws;
mod card_store;
mod code_tables;
mod error_codes;
mod follow_laws;
mod fresh_read_law;
mod handoff_flow;
mod handoff_laws;
mod handoff_refusals;
mod handover_laws;
mod handover_preview;
mod import_dialects;
mod import_formats;
mod import_laws;
mod import_parts;
mod import_projects;
mod import_stream;
mod import_tables;
mod import_traces;
mod json_elsewhere;
mod legal_table;
mod memory_laws;
mod merge_laws;
mod pack_laws;
mod part_laws;
mod payload_laws;
mod payload_spellings;
mod prompt_refusals;
mod prompt_sources;
mod recipe_errors;
mod registry;
mod request_laws;
mod response_laws;
mod response_streams;
mod run_limits;
mod run_progress;
mod run_reads;
mod run_recipes;
mod run_simulator;
mod schema_properties;
mod store_files;
mod store_texts;
mod turn_laws;
mod unreadable_rows;
mod work_limits;
mod workspace_rules;
