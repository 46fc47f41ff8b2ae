//! The decisions of commits on JSON text, for stores in other languages.

use super::decide::{Effects, Operation, decide, parse_limits, touched};
use super::rows::{List, TableRow};
use super::{Answers, Lookup, Receipt, Snapshot, Writes, store_error};
use crate::value::json::{Field, Json, Object, to_json, to_text};
use crate::{Code, Result};

/// Returns the reads that a batch needs, from JSON text to JSON text; see [`touched`].
///
/// # Errors
/// Returns `store` if the text is not a batch.
///
/// ```
/// use tuckbox::store::decide::touched_text;
///
/// let batch = br#"{"project_id": "p1", "operation_id": "op_1", "at": "2026-01-01T00:00:00Z",
///     "delete_cards": ["c1"]}"#;
/// assert_eq!(touched_text(batch)?, r#"{"project_id":"p1","cards":["c1"]}"#);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn touched_text(batch: &[u8]) -> Result<String> {
    to_text(&touched(&read_batch(batch)?))
}

fn read_batch(batch: &[u8]) -> Result<Writes> {
    let json = Json::parse_bytes(batch, &parse_limits());
    let writes = json.and_then(|json| Writes::from_json(&json));
    writes.map_err(|error| store_error(error, "writes"))
}

/// Selects the rows of a list from all rows of its table, in order.
///
/// For stores that cannot select and sort. The list is the JSON text of `{"table", "index", "of",
/// "limit"}`, the rows are `[{"key", "version", "row"}, ..]`.
///
/// # Errors
/// Returns `store` if `list` is not a list or `rows` are not rows.
///
/// ```
/// use tuckbox::store::decide::select_text;
///
/// let list = br#"{"table": "heads", "index": "by_context", "of": ["notes"], "limit": 1}"#;
/// let rows = br#"[
///     {"key": ["a2"], "version": "op_1", "row": {"agent_id": "a2", "context_box_id": "notes"}},
///     {"key": ["a1"], "version": "op_1", "row": {"agent_id": "a1", "context_box_id": "notes"}}]"#;
/// assert!(select_text(list, rows)?.contains("a1"), "the first row in the order of the index");
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn select_text(list: &[u8], rows: &[u8]) -> Result<String> {
    let parse = |text, name| {
        Json::parse_bytes(text, &parse_limits()).map_err(|error| store_error(error, name))
    };
    let (list, rows) = (parse(list, "list")?, parse(rows, "rows")?);
    let list = List::from_json(&Field::new(&list, Code::Store).object()?)?;
    let rows: Vec<TableRow> = Field::new(&rows, Code::Store)
        .list()?
        .iter()
        .map(|row| TableRow::from_json(&row.object()?))
        .collect::<Result<_>>()?;
    to_text(&list.select(rows.iter()))
}

/// Decides a commit on JSON text; see [`decide`].
///
/// `rows` has the [answers](Answers) to [`touched_text`]. If the store has the operation,
/// `operation` is its `{"batch_hash", "receipt"}`. The result is `{"puts": [put, ..], "receipt",
/// "batch_hash"}`. A put is `{"table", "key": [..]}` with one of these keys:
///
/// - `row`: the whole new row, or `null` to delete it. Rows of declared tables and agents also have
///   a `version`.
/// - `set`: the columns to replace in the existing row.
///
/// # Errors
/// Returns the errors of [`decide`], and `store` if the text is not a batch or not answers.
///
/// ```
/// use tuckbox::store::decide::decide_text;
///
/// let batch = br#"{"project_id": "p1", "operation_id": "op_1", "at": "2026-01-01T00:00:00Z",
///     "boxes": [{"change": "append", "box_id": "b1", "card_ids": ["c2"], "version": 3}]}"#;
/// let rows = br#"{"boxes": [{"box_id": "b1", "card_ids": ["c1"], "version": 4}]}"#;
/// let error = decide_text(batch, rows).unwrap_err();
/// assert_eq!(error.code(), tuckbox::Code::Conflict, "the box is at version 4");
/// ```
pub fn decide_text(batch: &[u8], rows: &[u8]) -> Result<String> {
    let writes = read_batch(batch)?;
    let reads = touched(&writes);
    let mut there = Snapshot::new(writes.project_id.clone());
    let rows =
        Json::parse_bytes(rows, &parse_limits()).map_err(|error| store_error(error, "answers"))?;
    let answers = Answers::from_json(&rows, &reads)?;
    there.absorb(&reads, answers)?;
    let applied = Field::new(&rows, Code::Store).object()?.optional("operation");
    let applied = applied.map(|field| read_operation(&field)).transpose()?;
    let decision = decide(&writes, &there, applied.as_ref())?;
    let puts = decision.effects.as_ref().map_or(Ok(Vec::new()), |effects| puts(effects, &there))?;
    Ok(Json::from([
        ("puts", Json::Array(puts)),
        ("receipt", to_json(&decision.receipt)?),
        ("batch_hash", decision.batch_hash.into()),
    ])
    .to_string())
}

fn read_operation(field: &Field<'_>) -> Result<Operation> {
    let fields = field.object()?;
    let receipt = Receipt::from_row(&fields.required("receipt")?)?;
    Ok(Operation { batch_hash: fields.required("batch_hash")?.string()?.to_owned(), receipt })
}

fn puts(effects: &Effects<'_>, there: &Snapshot) -> Result<Vec<Json>> {
    let put = |table: &str, key: &[&str], how: &str, row: Json| {
        let key: Json = key.iter().copied().collect();
        Json::from([("table", Json::from(table)), ("key", key), (how, row)])
    };
    let mut puts = Vec::new();
    for card in &effects.cards {
        puts.push(put("cards", &[card.card_id.as_str()], "row", card.row()));
    }
    for card_id in &effects.deleted_cards {
        let deleted = Json::from([("deleted_at", Json::from(effects.at))]);
        puts.push(put("cards", &[card_id.as_str()], "set", deleted));
    }
    for file in &effects.files {
        puts.push(put("files", &[&file.path], "row", to_json(file)?));
    }
    for agent in effects.agents {
        let mut row = put("agents", &[agent.agent_id.as_str()], "row", to_json(agent)?);
        versioned(&mut row, effects.version);
        puts.push(row);
    }
    for card_box in &effects.boxes {
        let box_id = card_box.box_id.as_str();
        let Lookup::Present(before) = there.card_box_row(box_id) else {
            puts.push(put("boxes", &[box_id], "row", card_box.row()));
            continue;
        };
        let mut set = Object::default();
        if card_box.card_ids != before.card_ids {
            set.insert("card_ids".into(), to_json(&card_box.card_ids)?);
        }
        set.insert("version".into(), card_box.version.into());
        if card_box.deleted_at != before.deleted_at {
            set.insert("deleted_at".into(), card_box.deleted_at.into());
        }
        puts.push(put("boxes", &[box_id], "set", Json::Object(set)));
    }
    for change in effects.rows {
        let key: Vec<&str> = change.of.key.iter().map(String::as_str).collect();
        let row = change.row.clone().map_or(Json::Null, |row| Json::Object(row.into_object()));
        let mut row = put(change.of.table.name, &key, "row", row);
        versioned(&mut row, effects.version);
        puts.push(row);
    }
    Ok(puts)
}

fn versioned(put: &mut Json, version: &str) {
    if let Json::Object(put) = put {
        put.insert("version".into(), version.into());
    }
}
