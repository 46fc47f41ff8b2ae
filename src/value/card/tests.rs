use super::*;
use crate::value::json::Field;
use crate::{Code, Env, Error};

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

fn object(text: &str) -> Object {
    json(text).as_object().unwrap().clone()
}

fn content(text: &str) -> Result<Content> {
    let value = json(text);
    Content::from_wire(&Field::root(&value))
        .map_err(|error| error.within(&Path::root().key("content")))
}

fn make(new: NewCard) -> Result<Card> {
    let (project, id) = (ProjectId::from("p1"), CardId::from("c1"));
    Card::make(new, &project, id, Timestamp::from_millis(1000), &Limits::default())
}

fn text_card() -> NewCard {
    NewCard::new("task.instruction", "a1", Content::text("hi"))
}

fn place(error: &Error) -> (Code, String) {
    (error.code(), error.path().to_string())
}

#[test]
fn every_error_has_the_exact_path() {
    for (wire, path, message) in [
        ("5", "content", "expected an object, found a number"),
        (r#"{"text": "x"}"#, "content.__type__", "`__type__` is missing"),
        (r#"{"__type__": "Nope"}"#, "content.__type__", "`Nope` is not a content type"),
        (
            r#"{"__type__": "TextContent", "text": "x", "size": 1}"#,
            "content.size",
            "unknown key `size`; expected one of `__type__`, `text`",
        ),
        (
            r#"{"__type__": "JsonContent", "data": "{}"}"#,
            "content.data",
            "expected an object or a list, found a string",
        ),
        (
            r#"{"__type__": "FieldsSchemaContent", "fields": [{"name": "a"}, {"name": "b"}, {"name": " "}]}"#,
            "content.fields[2].name",
            "`name` must not be blank",
        ),
        (
            r#"{"__type__": "FieldsSchemaContent", "fields": [{"name": "a", "description": null}]}"#,
            "content.fields[0].description",
            "expected a string, found null",
        ),
        (
            r#"{"__type__": "ToolContent", "tools": [{}, "x"]}"#,
            "content.tools[1]",
            "expected an object, found a string",
        ),
        (
            r#"{"__type__": "ToolCallContent", "tool_name": "t", "arguments": [], "status": "s"}"#,
            "content.arguments",
            "expected an object, found a list",
        ),
        (
            r#"{"__type__": "ToolResultContent", "status": " ", "after_execution": "suspend"}"#,
            "content.status",
            "`status` must not be blank",
        ),
        (
            r#"{"__type__": "ToolResultContent", "status": "success", "after_execution": "stop"}"#,
            "content.after_execution",
            "`after_execution` must be `suspend` or `terminate`, found `stop`",
        ),
        (
            r#"{"__type__": "ToolResultContent", "status": "success", "after_execution": "suspend", "error": {}}"#,
            "content.error",
            "a result with status `success` must not have `error`",
        ),
        (
            r#"{"__type__": "ToolResultContent", "status": "failed", "after_execution": "suspend"}"#,
            "content.error",
            "`error` is missing",
        ),
        (
            r#"{"__type__": "ToolResultContent", "status": "failed", "after_execution": "suspend", "error": {"code": "c", "message": ""}}"#,
            "content.error.message",
            "`message` of the error must not be empty",
        ),
        (
            r#"{"__type__": "FileContent", "uri": "http://h/p", "checksum": "c"}"#,
            "content.uri",
            "the URI `http://h/p` has an unknown scheme; expected `s3` or `https`",
        ),
        (
            r#"{"__type__": "FileContent", "uri": "s3://b/k", "checksum": ""}"#,
            "content.checksum",
            "`checksum` must not be empty",
        ),
        (
            r#"{"__type__": "FileContent", "uri": "s3://b/k", "checksum": "c", "size": -1}"#,
            "content.size",
            "`size` must not be negative, found `-1`",
        ),
        (
            r#"{"__type__": "FileContent", "uri": "s3://b/k", "checksum": "c", "size": "abc"}"#,
            "content.size",
            "expected a whole number, found the string `abc`",
        ),
        (
            r#"{"__type__": "FileContent", "uri": "s3://b/k", "checksum": "c", "expires_at": "soon"}"#,
            "content.expires_at",
            "`soon` is not a date and time",
        ),
        (
            r#"{"__type__": "FileContent", "uri": "s3://b/k", "checksum": "c", "expires_at": 1e300}"#,
            "content.expires_at",
            "`1e300` is outside the years 1 to 9999",
        ),
        (
            r#"{"__type__": "FileContent", "uri": "s3://b/k", "checksum": "c", "expires_at": true}"#,
            "content.expires_at",
            "expected a date and time, found a boolean",
        ),
        (
            r#"{"__type__": "FileContent", "uri": "s3://b/k", "checksum": "c", "preview": {"uri": "https://h/p", "source_frame_ts": -1}}"#,
            "content.preview.source_frame_ts",
            "`source_frame_ts` must not be negative, found `-1`",
        ),
        (
            r#"{"__type__": "ImageFileContent", "uri": "s3://b/k", "checksum": "c", "width": 0}"#,
            "content.width",
            "`width` must be greater than 0, found `0`",
        ),
        (
            r#"{"__type__": "VideoFileContent", "uri": "s3://b/k", "checksum": "c", "duration_seconds": "0"}"#,
            "content.duration_seconds",
            "`duration_seconds` must be greater than 0, found `0`",
        ),
        (
            r#"{"__type__": "AudioFileContent", "uri": "s3://b/k", "checksum": "c", "duration_seconds": "inf"}"#,
            "content.duration_seconds",
            "expected a finite number, found the string `inf`",
        ),
        (
            r#"{"__type__": "MultiFileContent", "files": []}"#,
            "content.files",
            "`files` must not be empty",
        ),
        (
            r#"{"__type__": "MultiFileContent", "files": [{"__type__": "TextContent", "text": "x"}]}"#,
            "content.files[0].__type__",
            "`TextContent` is not a file type; expected one of `FileContent`, `ImageFileContent`, `PdfFileContent`, `TextFileContent`, `VideoFileContent`, `AudioFileContent`",
        ),
    ] {
        let error = content(wire).unwrap_err();
        let found = (error.code(), error.path().to_string(), error.message().to_owned());
        assert_eq!(found, (Code::InvalidContent, path.to_owned(), message.to_owned()), "{wire}");
    }
}

/// One example of each type, with free-form JSON whose keys are out of order.
const EACH: [&str; 13] = [
    r#"{"__type__": "TextContent", "text": " x "}"#,
    r#"{"__type__": "JsonContent", "data": {"total": 1e2, "a": [{"bb": 1, "a": -0.0}]}}"#,
    r#"{"__type__": "FieldsSchemaContent", "fields": [{"description": " d ", "name": " n "}]}"#,
    r#"{"__type__": "FileContent", "uri": "s3://b/k", "checksum": "c", "preview": {"uri": "https://h/p", "source_frame_ts": 1e22}}"#,
    r#"{"__type__": "ImageFileContent", "uri": "s3://b/k", "checksum": "c", "width": "3", "expires_at": "2026-01-02T08:00:00.5+08:00"}"#,
    r#"{"__type__": "PdfFileContent", "uri": "s3://b/k", "checksum": "c", "page_count": 2.0}"#,
    r#"{"__type__": "TextFileContent", "uri": "s3://b/k", "checksum": "c", "size": 99999999999999999999}"#,
    r#"{"__type__": "VideoFileContent", "uri": "s3://b/k", "checksum": "c", "duration_seconds": 1e-7}"#,
    r#"{"__type__": "AudioFileContent", "uri": "s3://b/k", "checksum": "c", "bitrate": true}"#,
    r#"{"__type__": "MultiFileContent", "files": [{"__type__": "FileContent", "uri": "s3://b/k", "checksum": "c"}]}"#,
    r#"{"__type__": "ToolContent", "tools": [{"name": "t", "a": {"bb": 1, "c": 2}}]}"#,
    r#"{"__type__": "ToolCallContent", "tool_name": "t", "arguments": {"bb": 1, "a": 2}, "status": ""}"#,
    r#"{"__type__": "ToolResultContent", "status": "failed ", "after_execution": "suspend", "result": {"bb": 1, "a": 2}, "error": {"message": "m", "code": 5, "a": 1}}"#,
];

#[test]
fn new_content_is_canonical_and_conversion_is_idempotent() {
    for wire in EACH {
        let made = content(wire).unwrap().into_canonical(&Limits::default()).unwrap();
        let out = made.to_wire();
        assert_eq!(out.canonical().unwrap().to_string(), out.to_string(), "{wire}");
        assert_eq!(Content::from_wire(&Field::root(&out)).unwrap(), made, "{wire}");
        assert_eq!(made.clone().into_canonical(&Limits::default()).unwrap(), made, "{wire}");
        assert_eq!(out.get("__type__").and_then(Json::as_str), Some(made.type_name()));
    }
}

#[test]
fn stored_content_keeps_its_key_order() {
    let stored = content(r#"{"__type__": "JsonContent", "data": {"bb": 1, "a": 2.50}}"#).unwrap();
    assert_eq!(stored.text_view(), r#"{"bb": 1, "a": 2.5}"#);
    let made = stored.into_canonical(&Limits::default()).unwrap();
    assert_eq!(made.text_view(), r#"{"a": 2.5, "bb": 1}"#);
}

#[test]
fn u0000_is_an_error_in_every_part() {
    let nul = |wire: &str| {
        let mut content = content(wire).unwrap();
        // the parser rejects U+0000, but values created in code can contain it
        put_nul(&mut content);
        place(&content.into_canonical(&Limits::default()).unwrap_err())
    };
    for (wire, path) in [
        (EACH[0], "text"),
        (EACH[1], "data.a[0].bb"),
        (EACH[2], "fields[0].name"),
        (EACH[3], "checksum"),
        (EACH[9], "files[0].checksum"),
        (EACH[10], "tools[0].name"),
        (EACH[11], "tool_name"),
        (EACH[12], "result"),
    ] {
        assert_eq!(nul(wire), (Code::InvalidContent, path.to_owned()));
    }
}

fn put_nul(content: &mut Content) {
    let nul = "a\0b".to_owned();
    match content {
        Content::Text(text) => *text = nul,
        Content::Json(data) => {
            *data = Json::from([("a", Json::from(vec![Json::from([("bb", nul)])]))]);
        }
        Content::Fields(fields) => fields[0].name = nul,
        Content::File(file) => file.checksum = nul,
        Content::Files(files) => files[0].checksum = nul,
        Content::Tools(tools) => {
            tools[0].insert("name".into(), nul.into());
        }
        Content::ToolCall(call) => call.tool_name = nul,
        Content::ToolResult(result) => result.result = nul.into(),
    }
}

#[test]
fn limits_apply_to_every_part_of_a_card() {
    let deep = (0..129).fold(json("[]"), |inner, _| Json::from(vec![inner]));
    let long = "x".repeat(1 << 20);
    let numbers = json(&format!("[{}1]", "1e131000,".repeat(9)));
    for (new, path) in [
        (NewCard { content: Content::text(long.clone()), ..text_card() }, "content.text"),
        (
            NewCard { content: Content::Json(deep.clone()), ..text_card() },
            "content.data[0][0][0][0][0][0][0][0]",
        ),
        (NewCard { content: Content::Json(numbers), ..text_card() }, "content.data"),
        (
            NewCard {
                metadata: Object::from_iter([("note".to_owned(), long.clone().into())]),
                ..text_card()
            },
            "metadata",
        ),
        (
            NewCard {
                tool_calls: Some(vec![Object::from_iter([("a".to_owned(), deep)])]),
                ..text_card()
            },
            "tool_calls[0].a[0][0][0][0][0][0]",
        ),
        (NewCard { tool_call_id: Some(long), ..text_card() }, "tool_call_id"),
    ] {
        assert_eq!(place(&make(new).unwrap_err()), (Code::Limit, path.to_owned()));
    }
    let nul = NewCard { tool_call_id: Some("\0".into()), ..text_card() };
    assert_eq!(place(&make(nul).unwrap_err()).1, "tool_call_id");
}

#[test]
fn reserved_metadata_is_overwritten() {
    let metadata = object(
        r#"{"role": "user", "type": "evil", "author_id": 5, "project_id": null, "created_at": "1999"}"#,
    );
    let card = make(NewCard { metadata, ..text_card() }).unwrap();
    assert_eq!(
        Json::from(card.metadata.clone()).to_string(),
        r#"{"role":"user","type":"task.instruction","author_id":"a1","created_at":"1970-01-01T00:00:01.000Z","project_id":"p1"}"#
    );
    assert_eq!((card.role(), card.author()), (Some("user"), "a1"));
    assert!(RESERVED.iter().all(|key| card.metadata.contains_key(key)));
}

#[test]
fn a_card_lives_until_it_expires_or_is_deleted() {
    let now = Timestamp::from_millis(1000);
    let card = make(NewCard { ttl_seconds: Some(2), ..text_card() }).unwrap();
    assert_eq!(card.liveness(Timestamp::from_millis(2999)), Liveness::Live);
    assert_eq!(card.liveness(Timestamp::from_millis(3000)), Liveness::Expired);
    let deleted = Card { deleted_at: Some(now), ..card };
    assert_eq!(deleted.liveness(Timestamp::from_millis(9000)), Liveness::Deleted);
    let at_once = make(NewCard { ttl_seconds: Some(0), ..text_card() }).unwrap();
    assert_eq!(at_once.liveness(now), Liveness::Expired);
    assert_eq!(make(text_card()).unwrap().liveness(Timestamp::MAX), Liveness::Live);
}

#[test]
fn a_card_survives_a_round_trip_through_its_row() {
    let new = NewCard {
        tool_calls: Some(vec![object(r#"{"id": "x"}"#)]),
        tool_call_id: Some(String::new()),
        ttl_seconds: Some(-5),
        ..text_card()
    };
    let card = make(new).unwrap();
    let row = card.row();
    assert_eq!(Card::from_row(&Field::root(&row)).unwrap(), card);
    assert_eq!(crate::value::json::to_json(&card).unwrap(), row);
}

#[test]
fn rows_of_older_stores_are_readable() {
    let row = json(
        r#"{"card_id": "c1", "tenant_id": "p1", "content": {"__type__": "TextContent", "text": "x"},
            "metadata": {"created_at": "2026-01-04T10:30:00+00:00"}, "ttl_seconds": 60,
            "expires_at": null, "created_at": "2026-01-04T10:30:00Z", "shard": 7}"#,
    );
    let card = Card::from_row(&Field::root(&row)).unwrap();
    assert_eq!(card.expires_at, Timestamp::parse("2026-01-04T10:31:00Z"));
    let bare = json(
        r#"{"card_id": "c1", "metadata": null, "content": {"__type__": "TextContent", "text": ""}}"#,
    );
    assert!(Card::from_row(&Field::root(&bare)).unwrap().metadata.is_empty());
}

#[test]
fn invalid_rows_are_errors_with_their_path() {
    for (row, code, path) in [
        (r#"{"content": {}}"#, Code::Store, "card_id"),
        (r#"{"card_id": "c1"}"#, Code::Store, "content"),
        (r#"{"card_id": "c1", "content": {}}"#, Code::InvalidContent, "content.__type__"),
        (
            r#"{"card_id": "c1", "content": {"__type__": "TextContent", "text": ""}, "deleted_at": "soon"}"#,
            Code::Store,
            "deleted_at",
        ),
        (
            r#"{"card_id": "c1", "content": {"__type__": "TextContent", "text": ""}, "ttl_seconds": 9e18}"#,
            Code::Store,
            "",
        ),
    ] {
        let row = json(row);
        match Card::from_row(&Field::new(&row, Code::Store)) {
            Err(error) => assert_eq!(place(&error), (code, path.to_owned())),
            Ok(card) => assert!(path.is_empty() && card.ttl_seconds == Some(9 * 10_i64.pow(18))),
        }
    }
}

#[test]
fn cards_without_an_id_get_a_new_one() {
    let env = Env::new(Timestamp::from_millis(0), [1; 32]);
    let wire = json(r#"{"content": {"__type__": "TextContent", "text": "x"}}"#);
    let card = Card::from_wire(&Field::root(&wire), &mut env.minter()).unwrap();
    assert_eq!(card.card_id, env.minter().card_id());
    assert_eq!(
        card.to_wire().to_string(),
        format!(
            r#"{{"card_id":"{}","content":{{"text":"x","__type__":"TextContent"}},"metadata":{{}},"tool_calls":null,"tool_call_id":null,"ttl_seconds":null}}"#,
            card.card_id
        )
    );
    let far = json(
        r#"{"content": {"__type__": "TextContent", "text": "x"}, "ttl_seconds": "99999999999999999999"}"#,
    );
    let error = Card::from_wire(&Field::root(&far), &mut env.minter()).unwrap_err();
    assert_eq!(
        error.message(),
        "the lifetime `99999999999999999999` is too long; it must fit into 64 bits"
    );
}

#[test]
fn a_call_cannot_create_cards_of_files_or_tool_definitions() {
    for wire in EACH {
        let new = Json::from([
            ("type", Json::from("t")),
            ("author_id", Json::from("a")),
            ("content", json(wire)),
        ]);
        let files = wire.contains("FileContent") || wire.contains("ToolContent");
        match NewCard::from_wire(&Field::root(&new)) {
            Ok(_) => assert!(!files, "{wire}"),
            Err(error) => {
                assert!(files, "{wire}");
                assert_eq!(place(&error), (Code::InvalidContent, "content".to_owned()));
            }
        }
    }
}

#[test]
fn a_null_project_is_an_error_and_an_empty_one_is_public() {
    let row = |project: &str| {
        let text = format!(
            r#"{{"card_id": "c1", "metadata": {{"project_id": {project}}},
                "content": {{"__type__": "TextContent", "text": "x"}}}}"#
        );
        Card::from_row(&Field::root(&Json::parse(&text).unwrap()))
    };
    assert_eq!(row(r#""""#).unwrap().project(), "public");
    assert_eq!(row(r#""p1""#).unwrap().project(), "p1");
    for given in ["null", "5"] {
        let error = row(given).unwrap_err();
        assert_eq!(error.code(), crate::Code::InvalidContent);
        assert_eq!(error.path().to_string(), "metadata.project_id");
    }
}

#[test]
fn creation_time_and_deletion_are_not_content() {
    let card = |more: &str| {
        let text = format!(
            r#"{{"card_id": "c1", "content": {{"__type__": "TextContent", "text": "x"}} {more}}}"#
        );
        Card::from_row(&Field::root(&Json::parse(&text).unwrap())).unwrap()
    };
    let plain = card("");
    assert!(plain.same_content(&card(r#", "deleted_at": "2026-01-04T10:30:00Z""#)));
    for other in [
        r#", "tool_calls": [{"id": "k"}]"#,
        r#", "tool_call_id": "k""#,
        r#", "ttl_seconds": 5"#,
        r#", "metadata": {"role": "user"}"#,
    ] {
        assert!(!plain.same_content(&card(other)), "{other}");
        assert!(card(other).same_content(&card(other)), "{other}");
    }
}
