//! Stores and their rows.

mod cards;
mod files;
mod follow;
mod fresh_reads;
mod texts;
mod unreadable_rows;
