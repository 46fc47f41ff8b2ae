//! Ledgers as columns: one string with every id and path once, and one list of numbers. The numbers
//! have the lengths of the ids and paths, and the source of each entry. `pkg/lib/ledger.js` reads
//! both directly from the WebAssembly memory, because a copy takes longer than reading the entries.
//!
//! Lengths inside the string are in UTF-16 code units. Numbers are in groups of 3. The first group
//! is the position of the string, its length in UTF-8 bytes, and 1 if it is ASCII.

use std::cell::Cell;
use tuckbox::Path;
use tuckbox::rule::ledger::{BoxLedger, Cause, Columns, Inherited, Place, Source};

/// The numbers of the causes in `pkg/lib/ledger.js`.
const ARGUMENT: u32 = 0;
const INHERITED: u32 = 1;
const PARENT: u32 = 2;
const IMPORTED: u32 = 3;

/// The length of most ids.
const ID_BYTES: usize = 36;

/// The maximum capacity of a buffer that is reused, in bytes.
const MAX_REUSED_BYTES: usize = 64 << 10;

thread_local! {
    /// The last columns, which the host reads from memory.
    static LAST: Cell<ColumnBuffer> = const { Cell::new(ColumnBuffer::NONE) };
}

#[derive(Default)]
struct ColumnBuffer {
    text: String,
    is_ascii: bool,
    numbers: Vec<u32>,
}

/// Frees the columns if they are large. The host no longer reads them.
pub fn free() {
    let last = LAST.take();
    if last.text.capacity() + size_of::<u32>() * last.numbers.capacity() <= MAX_REUSED_BYTES {
        LAST.set(last);
    }
}

impl ColumnBuffer {
    const NONE: Self = Self { text: String::new(), is_ascii: true, numbers: Vec::new() };

    /// Returns a buffer for `ids` ids and `rows` groups of 3 numbers.
    fn new(ids: usize, rows: usize) -> Self {
        let Self { mut text, mut numbers, .. } = LAST.take();
        text.clear();
        text.reserve(ID_BYTES * ids);
        numbers.clear();
        numbers.reserve(3 * (1 + rows));
        numbers.extend_from_slice(&[0; 3]);
        Self { text, is_ascii: true, numbers }
    }

    /// Stores the columns and returns the address of the numbers. It is valid until the next
    /// columns are stored.
    fn place(mut self) -> u32 {
        if let Some(head) = self.numbers.first_chunk_mut() {
            let at = self.text.as_ptr().addr() as u32;
            *head = [at, self.text.len() as u32, u32::from(self.is_ascii)];
        }
        let place = self.numbers.as_ptr().addr() as u32;
        LAST.set(self);
        place
    }

    /// Appends a group of 3 numbers.
    fn add(&mut self, three: [u32; 3]) {
        self.numbers.extend_from_slice(&three);
    }

    /// Appends a string and returns its length.
    fn push(&mut self, text: &str) -> u32 {
        self.text.push_str(text);
        self.units(text)
    }

    /// Appends a path and returns its length.
    fn push_path(&mut self, path: &Path) -> u32 {
        let mut text = std::mem::take(&mut self.text);
        let start = text.len();
        path.write(&mut text);
        let length = text.get(start..).map_or(0, |path| self.units(path));
        self.text = text;
        length
    }

    /// Returns the length of a string in UTF-16 code units.
    fn units(&mut self, text: &str) -> u32 {
        if text.is_ascii() {
            return text.len() as u32;
        }
        self.is_ascii = false;
        text.encode_utf16().count() as u32
    }
}

/// Returns the address of the box list: the number of boxes, then `id, length, swallowed` for each.
pub fn accounts(boxes: &[BoxLedger]) -> u32 {
    let mut columns = ColumnBuffer::new(boxes.len(), 1 + boxes.len());
    columns.add([boxes.len() as u32, 0, 0]);
    for account in boxes {
        let id = columns.push(account.box_id().as_str());
        columns.add([id, account.len() as u32, account.swallowed() as u32]);
    }
    columns.place()
}

/// Returns the address of ledger entries.
///
/// The first row has the number of sources, entries and duplicates. Then follow `kind, name, path`
/// for each source, `id, source, position` for each entry, and `entry, source, position` for each
/// duplicate.
pub fn entries(entries: &Columns<'_>) -> u32 {
    let counts = [entries.sources.len(), entries.origins.len(), entries.swallowed.len()];
    let [sources, ids, swallowed] = counts;
    let mut columns = ColumnBuffer::new(sources + ids, 1 + sources + ids + swallowed);
    columns.add(counts.map(|count| count as u32));
    for source in &entries.sources {
        let (kind, name, path) = match source {
            Source::Made(Cause::Argument { arg_key, path }) => (ARGUMENT, arg_key.as_str(), path),
            Source::Made(Cause::Parent { path }) => (PARENT, "", path),
            Source::Made(Cause::Inherited { box_id, path, .. })
            | Source::Inherited(Inherited { box_id, path }) => (INHERITED, box_id.as_str(), path),
            // the position of the entry is the line
            Source::Made(Cause::Imported(Place { file, pointer, .. })) => {
                let (file, pointer) = (columns.push(file), columns.push(pointer));
                columns.add([IMPORTED, file, pointer]);
                continue;
            }
        };
        let (name, path) = (columns.push(name), columns.push_path(path));
        columns.add([kind, name, path]);
    }
    let mut origins = entries.origins.iter();
    entries.names.pieces(entries.symbols, |text, ends, start| {
        columns.text.push_str(text);
        let is_ascii = text.is_ascii();
        let mut from = start;
        for (end, origin) in ends.iter().zip(&mut origins) {
            let length = if is_ascii {
                end - from
            } else {
                let id = text.get((from - start) as usize..(end - start) as usize);
                columns.units(id.unwrap_or_default())
            };
            columns.add([length, origin.list, origin.position]);
            from = *end;
        }
    });
    for (entry, origin) in &entries.swallowed {
        columns.add([*entry, origin.list, origin.position]);
    }
    columns.place()
}
