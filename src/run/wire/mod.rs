//! What a call sends: messages, events, the outbox and trace headers.

pub(super) mod events;
pub(super) mod message;
pub(super) mod outbox;
pub(super) mod trace;
