//! Logs in SQLite databases: checkpoints of LangGraph, and chats in unknown tables.

use tuckbox::import::model::{Findings, Part, Session};
use tuckbox::import::{SourceFile, import};

const CHECKPOINTS: &[u8] = include_bytes!("../../imports/checkpoints.sqlite");
const CHATS: &[u8] = include_bytes!("../../imports/chats.sqlite");

fn read(bytes: &[u8]) -> Findings {
    import(&[SourceFile { name: "log.sqlite", bytes }])
}

/// Returns the messages before the answer of a request, as `role text`.
fn said(session: &Session, at: usize) -> Vec<String> {
    let messages = session.messages(session.requests[at].tail);
    let lines = messages.iter().flat_map(|message| {
        message.parts.iter().map(|part| match part {
            Part::Text(text) => format!("{:?} {text}", message.role),
            Part::Call { name, arguments, .. } => {
                format!("{:?} calls {name} {arguments:?}", message.role)
            }
            Part::Result { content, .. } => {
                format!("{:?} gives {}", message.role, content.text_form())
            }
            other => format!("{other:?}"),
        })
    });
    lines.collect()
}

#[test]
fn checkpoints_are_requests_by_thread_in_the_order_of_their_ids() {
    let found = read(CHECKPOINTS);
    assert_eq!(found.files[0].format, Some("langgraph-checkpoint"));
    let counts: Vec<(&str, usize)> = found
        .sessions
        .iter()
        .map(|session| (session.id.as_str(), session.requests.len()))
        .collect();
    // a state that repeats an answer is not a request, nor is one of a nested graph or one without
    // messages
    assert_eq!(counts, [("t", 2), ("u", 1), ("v", 1)]);
    let thread = &found.sessions[0];
    let first = &thread.requests[0];
    assert_eq!(said(thread, 0), ["User How warm is it?"]);
    assert_eq!((first.model.as_deref(), first.usage.input), (Some("m"), Some(300)));
    assert!(matches!(&first.output[..], [Part::Call { name, .. }] if name == "look_up"));
    let last = said(thread, 1);
    assert_eq!((last.len(), last[2].as_str()), (3, "Tool gives 19"));
    assert!(thread.requests[1].output.is_empty());
    assert_eq!(said(&found.sessions[1], 0), ["User as bytes"]);
    assert_eq!(said(&found.sessions[2], 0), ["User as text"]);
}

#[test]
fn rows_with_a_role_are_messages_in_any_table() {
    let found = read(CHATS);
    assert_eq!(found.files[0].format, Some("json"));
    let session = &found.sessions[0];
    let all = said(session, session.requests.len() - 1);
    assert_eq!(all.len(), 61);
    for (at, line) in all.iter().enumerate().take(60) {
        let role = if at % 2 == 0 { "User" } else { "Assistant" };
        let rest = if at == 8 { format!(" {}", "x".repeat(700)) } else { String::new() };
        assert_eq!(line, &format!("{role} t{at}{rest}"));
    }
    assert_eq!(all[60], "User kept");
}

#[test]
fn a_damaged_database_has_a_note_with_the_reason() {
    let page = |number: usize| (number - 1) * 512;
    let second_kind = CHATS[page(2)];
    assert_eq!(second_kind, 2, "the table is more than a page long");
    let cell =
        page(2) + usize::from(u16::from_be_bytes([CHATS[page(2) + 12], CHATS[page(2) + 13]]));
    for (at, bytes, why) in [
        (16, &[0, 100][..], "the page size is not one that SQLite writes"),
        (page(2), &[7], "a page has an unknown type"),
        (page(2) + 8, &[0, 0, 0, 2], "its pages form a cycle"),
        (page(2) + 8, &[0, 0, 0, 0], "a page refers to a place outside of the file"),
        (page(2) + 8, &[255; 4], "a page refers to a place outside of the file"),
        (cell + 4, &[0xff; 9], "a page refers to a place outside of the file"),
    ] {
        let mut broken = CHATS.to_vec();
        broken[at..at + bytes.len()].copy_from_slice(bytes);
        let found = read(&broken);
        let notes: Vec<&str> = found.notes.iter().map(|note| note.message.as_str()).collect();
        assert!(notes.iter().any(|note| note.contains(why)), "{notes:?} of {at}: {why}");
    }
    let cut = read(&CHATS[..CHATS.len() - 512]);
    assert!(cut.notes.iter().any(|note| note.message.contains("outside of the file")));
}
