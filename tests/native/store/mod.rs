//! Stores and the rows they hold.

mod cards;
mod files;
mod follow;
mod fresh_reads;
mod texts;
mod unreadable_rows;
