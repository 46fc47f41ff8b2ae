//! Reads the tables of a SQLite file: the pages of each table in the order of row ids.
//!
//! It supports tables with row ids and tables without them, whose rows are in pages of an index. It
//! runs no query.

use crate::value::json::{Json, Number};

/// The first bytes of such a file.
pub const MAGIC: &[u8] = b"SQLite format 3\0";

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// `null`, a number or a string.
    Json(Json),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Cell {
    /// Returns the string of the cell, also if it is stored as bytes.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Json(value) => value.as_str(),
            Self::Blob(bytes) => std::str::from_utf8(bytes).ok(),
        }
    }
}

/// A table and its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The name.
    pub name: String,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// The rows in the order of their ids.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Returns the cell of a row in a column.
    pub fn cell<'a>(&self, row: &'a [Cell], column: &str) -> Option<&'a Cell> {
        let at = self.columns.iter().position(|name| name.eq_ignore_ascii_case(column))?;
        row.get(at)
    }

    /// Returns true if the table has all these columns.
    pub fn has(&self, columns: &[&str]) -> bool {
        columns
            .iter()
            .all(|column| self.columns.iter().any(|name| name.eq_ignore_ascii_case(column)))
    }
}

type Read<T> = Result<T, &'static str>;

struct Database<'a> {
    bytes: &'a [u8],
    page_size: usize,
    usable: usize,
}

const BROKEN: &str = "a page refers to a place outside of the file";

/// Returns the tables of a database file.
///
/// # Errors
/// A message about the file.
pub fn tables(bytes: &[u8]) -> Read<Vec<Table>> {
    let size = usize::from(be16(bytes, 16).ok_or("the header is cut off")?);
    let page_size = if size == 1 { 65_536 } else { size };
    let reserved = usize::from(*bytes.get(20).ok_or("the header is cut off")?);
    if page_size < 512 || !page_size.is_power_of_two() || reserved > page_size - 480 {
        return Err("the page size is not one that SQLite writes");
    }
    let database = Database { bytes, page_size, usable: page_size - reserved };
    let mut tables = Vec::new();
    for row in database.rows(1)? {
        let [kind, name, _, root, sql, ..] = row.as_slice() else { continue };
        let (Some("table"), Some(name), Some(sql)) = (kind.text(), name.text(), sql.text()) else {
            continue;
        };
        let Cell::Json(Json::Number(root)) = root else { continue };
        let Some(root) = root.as_u64().and_then(|root| u32::try_from(root).ok()) else {
            continue;
        };
        if root == 0 || name.starts_with("sqlite_") {
            continue;
        }
        let (columns, id_column) = columns(sql);
        let rows = database.rows(root)?;
        let rows = match id_column {
            Some(at) => rows.into_iter().map(|row| with_id(row, at)).collect(),
            None => rows
                .into_iter()
                .map(|mut row| {
                    row.pop();
                    row
                })
                .collect(),
        };
        tables.push(Table { name: name.to_owned(), columns, rows });
    }
    Ok(tables)
}

/// Moves the row id, which is last, to its column.
fn with_id(mut row: Vec<Cell>, at: usize) -> Vec<Cell> {
    if let Some(id) = row.pop()
        && let Some(cell) = row.get_mut(at)
        && matches!(cell, Cell::Json(Json::Null))
    {
        *cell = id;
    }
    row
}

/// Returns the columns of a `create table` in the order of rows, and the column of the row id. A
/// table without row ids has the columns of its key first.
fn columns(sql: &str) -> (Vec<String>, Option<usize>) {
    let inside = sql.split_once('(').map_or("", |(_, rest)| rest);
    let mut depth = 0_usize;
    let mut pieces = vec![String::new()];
    let mut signs = inside.chars();
    for sign in signs.by_ref() {
        match sign {
            '(' => depth += 1,
            ')' if depth == 0 => break,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                pieces.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push(sign);
        }
    }
    let bare = |name: &str| {
        let word = name.split_whitespace().next().unwrap_or("");
        word.trim_matches(['"', '`', '\'', '[', ']', ')']).to_owned()
    };
    let (mut names, mut key) = (Vec::new(), Vec::new());
    let mut id = None;
    for piece in &pieces {
        let piece = piece.trim();
        let upper = piece.to_ascii_uppercase();
        let word = upper.split_whitespace().next().unwrap_or("");
        let name_end = word.split('(').next().unwrap_or("");
        let is_key = upper.contains("PRIMARY KEY");
        if matches!(name_end, "PRIMARY" | "UNIQUE" | "CHECK" | "FOREIGN" | "CONSTRAINT" | "") {
            if is_key {
                let listed = piece.split_once('(').map_or("", |(_, rest)| rest);
                key = listed.split(',').map(bare).collect();
            }
            continue;
        }
        if is_key {
            key = vec![bare(piece)];
        }
        if upper.contains("INTEGER PRIMARY KEY") {
            id = Some(names.len());
        }
        names.push(bare(piece));
    }
    if signs.as_str().to_ascii_uppercase().contains("WITHOUT") {
        let place = |name: &String| key.iter().position(|part| part.eq_ignore_ascii_case(name));
        names.sort_by_key(|name| place(name).unwrap_or(key.len()));
        id = None;
    }
    (names, id)
}

/// The pages that are still to be read.
enum Ahead {
    Page(u32),
    Row(Vec<Cell>),
}

impl Database<'_> {
    /// Returns the rows of the tree below a page. The row id is after the columns of each.
    fn rows(&self, root: u32) -> Read<Vec<Vec<Cell>>> {
        let mut rows = Vec::new();
        let mut ahead = vec![Ahead::Page(root)];
        let mut seen = 0_usize;
        while let Some(next) = ahead.pop() {
            match next {
                Ahead::Row(row) => rows.push(row),
                Ahead::Page(page) => {
                    seen += 1;
                    if seen > self.bytes.len() / self.page_size + 1 {
                        return Err("its pages form a cycle");
                    }
                    ahead.extend(self.page(page)?.into_iter().rev());
                }
            }
        }
        Ok(rows)
    }

    fn bytes_of(&self, page: u32) -> Read<&[u8]> {
        let before = usize::try_from(page).ok().and_then(|page| page.checked_sub(1));
        let start = before.and_then(|before| before.checked_mul(self.page_size)).ok_or(BROKEN)?;
        let rest = self.bytes.get(start..).ok_or(BROKEN)?;
        rest.get(..self.page_size).ok_or(BROKEN)
    }

    /// Returns the content of a page in order. Types 5 and 13 are tables with row ids, whose inner
    /// pages have no rows. Types 2 and 10 are indexes, which tables without row ids use.
    fn page(&self, page: u32) -> Read<Vec<Ahead>> {
        let bytes = self.bytes_of(page)?;
        let header = if page == 1 { 100 } else { 0 };
        let kind = *bytes.get(header).ok_or(BROKEN)?;
        let (inner, has_ids) = match kind {
            2 => (true, false),
            5 => (true, true),
            10 => (false, false),
            13 => (false, true),
            _ => return Err("a page has an unknown type"),
        };
        let most = if has_ids { self.usable - 35 } else { (self.usable - 12) * 64 / 255 - 23 };
        let pointers = header + if inner { 12 } else { 8 };
        let mut found = Vec::new();
        for cell in 0..usize::from(be16(bytes, header + 3).ok_or(BROKEN)?) {
            let mut at = usize::from(be16(bytes, pointers + cell * 2).ok_or(BROKEN)?);
            if inner {
                found.push(Ahead::Page(be32(bytes, at).ok_or(BROKEN)?));
                at += 4;
            }
            if inner && has_ids {
                continue;
            }
            let (size, mut body) = varint(bytes, at).ok_or(BROKEN)?;
            let mut id = Json::Null;
            if has_ids {
                let (number, after) = varint(bytes, body).ok_or(BROKEN)?;
                (id, body) = (Json::from(number), after);
            }
            let mut row = record(&self.payload(bytes, body, size, most)?)?;
            row.push(Cell::Json(id));
            found.push(Ahead::Row(row));
        }
        if inner {
            found.push(Ahead::Page(be32(bytes, header + 8).ok_or(BROKEN)?));
        }
        Ok(found)
    }

    /// Returns the bytes of a row, with those on overflow pages.
    fn payload(&self, page: &[u8], at: usize, size: i64, most: usize) -> Read<Vec<u8>> {
        let size = usize::try_from(size).map_err(|_| BROKEN)?;
        if size > self.bytes.len() {
            return Err(BROKEN);
        }
        if size <= most {
            return page.get(at..at + size).map(<[u8]>::to_vec).ok_or(BROKEN);
        }
        let least = (self.usable - 12) * 32 / 255 - 23;
        let spill = least + (size - least) % (self.usable - 4);
        let here = if spill <= most { spill } else { least };
        let mut out = page.get(at..at + here).ok_or(BROKEN)?.to_vec();
        let mut next = be32(page, at + here).ok_or(BROKEN)?;
        while out.len() < size && next != 0 {
            let page = self.bytes_of(next)?;
            next = be32(page, 0).ok_or(BROKEN)?;
            let length = (size - out.len()).min(self.usable - 4);
            out.extend_from_slice(page.get(4..4 + length).ok_or(BROKEN)?);
        }
        if out.len() == size { Ok(out) } else { Err("a row is cut off") }
    }
}

/// Returns the values of a record.
fn record(bytes: &[u8]) -> Read<Vec<Cell>> {
    const CUT: &str = "a row is cut off";
    let (header, mut at) = varint(bytes, 0).ok_or(CUT)?;
    let header = usize::try_from(header).map_err(|_| CUT)?;
    let mut body = header;
    let mut row = Vec::new();
    while at < header {
        let (kind, next) = varint(bytes, at).ok_or(CUT)?;
        at = next;
        let length = match kind {
            0 | 8 | 9 => 0,
            1..=4 => kind as usize,
            5 => 6,
            6 | 7 => 8,
            _ => usize::try_from((kind - 12) / 2).map_err(|_| CUT)?,
        };
        let value = bytes.get(body..body + length).ok_or(CUT)?;
        body += length;
        row.push(match kind {
            0 => Cell::Json(Json::Null),
            1..=6 => Cell::Json(Json::from(whole(value))),
            7 => {
                let bits = value.iter().fold(0_u64, |all, byte| (all << 8) | u64::from(*byte));
                Cell::Json(Number::from_f64(f64::from_bits(bits)).map_or(Json::Null, Json::Number))
            }
            8 => Cell::Json(Json::from(0_i64)),
            9 => Cell::Json(Json::from(1_i64)),
            _ if kind % 2 == 0 => Cell::Blob(value.to_vec()),
            _ => Cell::Json(Json::from(String::from_utf8_lossy(value).into_owned())),
        });
    }
    Ok(row)
}

fn whole(bytes: &[u8]) -> i64 {
    let negative = bytes.first().is_some_and(|byte| *byte >= 128);
    let start = if negative { -1_i64 } else { 0 };
    bytes.iter().fold(start, |all, byte| (all << 8) | i64::from(*byte))
}

fn varint(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    let mut value = 0_u64;
    for step in 0..9 {
        let byte = *bytes.get(at + step)?;
        if step == 8 {
            return Some((((value << 8) | u64::from(byte)) as i64, at + 9));
        }
        value = (value << 7) | u64::from(byte & 127);
        if byte < 128 {
            return Some((value as i64, at + step + 1));
        }
    }
    None
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at + 2)?;
    Some(u16::from_be_bytes(pair.try_into().ok()?))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_a_kind_for_every_length_of_number() {
        let header = [15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 14, 15, 12, 13];
        let mut bytes = header.to_vec();
        bytes.extend([0xff, 0xff, 0x38, 0x7f, 0xff, 0xff, 0x80, 0, 0, 0]);
        bytes.extend([1, 0, 0, 0, 0, 0]);
        bytes.extend((-1_i64 << 62).to_be_bytes());
        bytes.extend(0.5_f64.to_be_bytes());
        bytes.extend([0xfe, b'a']);
        let row = record(&bytes).unwrap_or_default();
        let cells: Vec<String> = row.iter().map(|cell| format!("{cell:?}")).collect();
        let json = |text: &str| format!("{:?}", Cell::Json(Json::parse(text).unwrap_or_default()));
        let blob = |bytes: &[u8]| format!("{:?}", Cell::Blob(bytes.to_vec()));
        let mut expected: Vec<String> = [
            "null",
            "-1",
            "-200",
            "8388607",
            "-2147483648",
            "1099511627776",
            "-4611686018427387904",
            "0.5",
            "0",
            "1",
        ]
        .map(json)
        .into();
        expected.extend([blob(&[0xfe]), json("\"a\""), blob(&[]), json("\"\"")]);
        assert_eq!(cells, expected);
        for cut in 0..bytes.len() {
            assert!(record(bytes.get(..cut).unwrap_or_default()).is_err(), "{cut}");
        }
    }

    #[test]
    fn a_length_has_up_to_nine_bytes() {
        for (bytes, value) in [
            (&[0x7f][..], Some((127, 1))),
            (&[0x81, 0x00], Some((128, 2))),
            (&[0xff; 9], Some((-1, 9))),
            (&[0xff; 8], None),
        ] {
            assert_eq!(varint(bytes, 0), value);
        }
    }

    #[test]
    fn the_columns_of_a_table_stand_as_its_rows_have_them() {
        for (sql, names, id) in [
            (
                "create table t (a, `id` integer primary key, \"c\" text check (c in ('x', 'y')), unique (a, c))",
                "a id c",
                Some(1),
            ),
            ("create table t ([a] text primary key, b)", "a b", None),
            (
                "create table t (a, B text, c, constraint k primary key (c, b)) without rowid",
                "c B a",
                None,
            ),
            ("create table t (a, b integer primary key) WITHOUT ROWID", "b a", None),
        ] {
            let (found, at) = columns(sql);
            assert_eq!((found.join(" ").as_str(), at), (names, id), "{sql}");
        }
    }
}
