//! Orchestration: turns that run, batches that join, nothing lost.
//!
//! Every operation is a [rule](crate::rule): a call and a snapshot of rows in, a value, one atomic
//! batch and the messages to send out. Messages are rows of the outbox in the same batch, so that
//! nothing is sent that was not committed, and nothing committed is forgotten. What is due is a
//! question too (`due`); nothing here has a timer.

mod answers;
mod args;
mod batch;
mod bugs;
mod deliverable;
mod desk;
mod dispatch;
mod due;
mod follows;
mod give_back;
mod hand_out;
mod identity;
mod inbox;
mod keys;
mod l0;
mod message;
mod operations;
mod resume;
mod rows;
mod selections;
mod settings;
pub mod sim;
mod state;
mod tools;
mod trace;
mod turn;
mod watch;
mod words;
mod work;

pub use bugs::Bug;
pub use dispatch::Dispatched;
pub use hand_out::HandOut;
pub use identity::Ready;
pub use l0::Answer;
pub use message::Message;
pub use operations::{OPERATIONS, RunCall};
pub use settings::RunSettings;
