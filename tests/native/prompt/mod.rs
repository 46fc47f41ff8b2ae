//! Prompts, requests and responses of providers.

mod budget;
mod cache_misses;
mod documents;
mod legal_table;
mod memory;
mod parts;
mod payload;
mod payload_spellings;
mod prices;
pub mod provider_rules;
mod refusals;
mod request;
mod response;
mod response_streams;
mod sources;
mod turn_request;
pub mod world;
