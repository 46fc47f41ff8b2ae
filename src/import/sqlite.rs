//! Reading the tables of a SQLite file: the pages of each table in order of its row ids.
//!
//! Only what an import needs: tables with row ids, and tables without them as they lie in their
//! index pages. No query is run, nothing is executed.

use crate::value::json::{Json, Number};

/// How every such file begins.
pub const MAGIC: &[u8] = b"SQLite format 3\0";

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing, a number or text.
    Json(Json),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Cell {
    /// The text of the cell, also where it is kept as bytes.
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
    /// Its name.
    pub name: String,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// The rows in order of their ids.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// The cell of a row under a column.
    pub fn cell<'a>(&self, row: &'a [Cell], column: &str) -> Option<&'a Cell> {
        let at = self.columns.iter().position(|name| name.eq_ignore_ascii_case(column))?;
        row.get(at)
    }

    /// True when the table has all these columns.
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

const BROKEN: &str = "a page points outside of the file";

/// The tables of a database file.
///
/// # Errors
/// What is wrong with the file, in words.
pub fn tables(bytes: &[u8]) -> Read<Vec<Table>> {
    let size = usize::from(be16(bytes, 16).ok_or("the header is cut off")?);
    let page_size = if size == 1 { 65_536 } else { size };
    let reserved = usize::from(*bytes.get(20).ok_or("the header is cut off")?);
    if page_size < 512 || !page_size.is_power_of_two() || reserved > page_size - 480 {
        return Err("the page size is none that SQLite writes");
    }
    let database = Database { bytes, page_size, usable: page_size - reserved };
    let mut tables = Vec::new();
    for row in database.rows(1)? {
        let [kind, name, _, root, sql, ..] = row.as_slice() else { continue };
        let (Some("table"), Some(name), Some(sql)) = (kind.text(), name.text(), sql.text()) else {
            continue;
        };
        let Cell::Json(Json::Number(root)) = root else { continue };
        let Some(root) = root.as_u64().and_then(|root| usize::try_from(root).ok()) else {
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

/// Puts the row id, which stands last, where its column is.
fn with_id(mut row: Vec<Cell>, at: usize) -> Vec<Cell> {
    if let Some(id) = row.pop()
        && let Some(cell) = row.get_mut(at)
        && matches!(cell, Cell::Json(Json::Null))
    {
        *cell = id;
    }
    row
}

/// The names of the columns in a `create table`, and which of them is the row id.
fn columns(sql: &str) -> (Vec<String>, Option<usize>) {
    let inside = sql.split_once('(').map_or("", |(_, rest)| rest);
    let mut depth = 0_usize;
    let mut pieces = vec![String::new()];
    for sign in inside.chars() {
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
    let mut names = Vec::new();
    let mut id = None;
    for piece in &pieces {
        let piece = piece.trim();
        let word = piece.split_whitespace().next().unwrap_or("");
        let upper = word.to_ascii_uppercase();
        let name_end = upper.split('(').next().unwrap_or("");
        if matches!(name_end, "PRIMARY" | "UNIQUE" | "CHECK" | "FOREIGN" | "CONSTRAINT" | "") {
            continue;
        }
        let all = piece.to_ascii_uppercase();
        if all.contains("INTEGER PRIMARY KEY") {
            id = Some(names.len());
        }
        names.push(word.trim_matches(['"', '`', '\'', '[', ']']).to_owned());
    }
    (names, id)
}

impl Database<'_> {
    /// The rows of the tree under a page; the row id stands behind the columns of each.
    fn rows(&self, root: usize) -> Read<Vec<Vec<Cell>>> {
        let mut rows = Vec::new();
        let mut pages = vec![root];
        let mut seen = 0_usize;
        while let Some(page) = pages.pop() {
            seen += 1;
            if seen > self.bytes.len() / self.page_size + 1 {
                return Err("its pages go in a circle");
            }
            self.page(page, &mut rows, &mut pages)?;
        }
        Ok(rows)
    }

    fn page(&self, page: usize, rows: &mut Vec<Vec<Cell>>, pages: &mut Vec<usize>) -> Read<()> {
        let start = page.checked_sub(1).ok_or(BROKEN)? * self.page_size;
        let bytes = self.bytes.get(start..start + self.page_size).ok_or(BROKEN)?;
        let header = if page == 1 { 100 } else { 0 };
        let kind = *bytes.get(header).ok_or(BROKEN)?;
        let cells = usize::from(be16(bytes, header + 3).ok_or(BROKEN)?);
        let inner = kind == 2 || kind == 5;
        let pointers = header + if inner { 12 } else { 8 };
        let mut below = Vec::new();
        for cell in 0..cells {
            let at = usize::from(be16(bytes, pointers + cell * 2).ok_or(BROKEN)?);
            match kind {
                5 => below.push(be32(bytes, at).ok_or(BROKEN)?),
                2 => below.push(be32(bytes, at).ok_or(BROKEN)?),
                13 => {
                    let (size, next) = varint(bytes, at).ok_or(BROKEN)?;
                    let (id, body) = varint(bytes, next).ok_or(BROKEN)?;
                    let payload = self.payload(bytes, body, size, self.usable - 35)?;
                    let mut row = record(&payload)?;
                    row.push(Cell::Json(Json::from(id)));
                    rows.push(row);
                }
                10 => {
                    let (size, body) = varint(bytes, at).ok_or(BROKEN)?;
                    let most = (self.usable - 12) * 64 / 255 - 23;
                    let payload = self.payload(bytes, body, size, most)?;
                    let mut row = record(&payload)?;
                    row.push(Cell::Json(Json::Null));
                    rows.push(row);
                }
                _ => return Err("a page is of a kind that no table has"),
            }
        }
        if inner {
            below.push(be32(bytes, header + 8).ok_or(BROKEN)?);
        }
        pages.extend(below.into_iter().rev().filter_map(|page| usize::try_from(page).ok()));
        Ok(())
    }

    /// The bytes of a row, with those that overflow into other pages.
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
            let start = usize::try_from(next).map_err(|_| BROKEN)?.checked_sub(1).ok_or(BROKEN)?
                * self.page_size;
            let page = self.bytes.get(start..start + self.page_size).ok_or(BROKEN)?;
            next = be32(page, 0).ok_or(BROKEN)?;
            let length = (size - out.len()).min(self.usable - 4);
            out.extend_from_slice(page.get(4..4 + length).ok_or(BROKEN)?);
        }
        if out.len() == size { Ok(out) } else { Err("a row is cut off") }
    }
}

/// The values of a record.
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
