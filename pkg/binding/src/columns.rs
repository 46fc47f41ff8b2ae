//! Ledgers as columns: one text that holds every id and path once, and one list of numbers that
//! says how the text is cut and where each entry comes from. `pkg/lib/ledger.js` reads them where
//! they lie: a copy for JavaScript would be a buffer of its own, which costs more than its entries.
//!
//! Lengths inside the text are counted as JavaScript counts them. Numbers come in threes; the first
//! three say where the text is, how many bytes of UTF-8 it has, and 1 where all are ASCII.

use std::cell::Cell;
use tuckbox::Path;
use tuckbox::rule::ledger::{BoxLedger, Cause, Columns, Inherited, Place, Source};

/// The kinds of causes, as `pkg/lib/ledger.js` numbers them.
const ARGUMENT: u32 = 0;
const INHERITED: u32 = 1;
const PARENT: u32 = 2;
const IMPORTED: u32 = 3;

/// How long most ids are.
const ID_BYTES: usize = 36;

/// How much room for columns is kept, in bytes.
const KEPT: usize = 64 << 10;

thread_local! {
    /// The columns that were made last, where their host reads them.
    static LAST: Cell<Columned> = const { Cell::new(Columned::NONE) };
}

#[derive(Default)]
struct Columned {
    text: String,
    is_ascii: bool,
    numbers: Vec<u32>,
}

/// Gives back the room of columns that nobody reads any more.
pub fn forget() {
    let last = LAST.take();
    if last.text.capacity() + size_of::<u32>() * last.numbers.capacity() <= KEPT {
        LAST.set(last);
    }
}

impl Columned {
    const NONE: Self = Self { text: String::new(), is_ascii: true, numbers: Vec::new() };

    /// With room for so many ids, and for so many rows of three numbers.
    fn new(ids: usize, rows: usize) -> Self {
        let Self { mut text, mut numbers, .. } = LAST.take();
        text.clear();
        text.reserve(ID_BYTES * ids);
        numbers.clear();
        numbers.reserve(3 * (1 + rows));
        numbers.extend_from_slice(&[0; 3]);
        Self { text, is_ascii: true, numbers }
    }

    /// Where the numbers are; they stay there until the next columns are made.
    fn place(mut self) -> u32 {
        if let Some(head) = self.numbers.first_chunk_mut() {
            let at = self.text.as_ptr().addr() as u32;
            *head = [at, self.text.len() as u32, u32::from(self.is_ascii)];
        }
        let place = self.numbers.as_ptr().addr() as u32;
        LAST.set(self);
        place
    }

    /// Adds three numbers: they always come in threes.
    fn add(&mut self, three: [u32; 3]) {
        self.numbers.extend_from_slice(&three);
    }

    /// Adds a text, and gives its length.
    fn push(&mut self, text: &str) -> u32 {
        self.text.push_str(text);
        self.units(text)
    }

    /// Adds a path, and gives its length.
    fn push_path(&mut self, path: &Path) -> u32 {
        let mut text = std::mem::take(&mut self.text);
        let start = text.len();
        path.write(&mut text);
        let length = text.get(start..).map_or(0, |path| self.units(path));
        self.text = text;
        length
    }

    /// How long a text is in JavaScript.
    fn units(&mut self, text: &str) -> u32 {
        if text.is_ascii() {
            return text.len() as u32;
        }
        self.is_ascii = false;
        text.encode_utf16().count() as u32
    }
}

/// Where the heads of accounts are: how many there are, and `id, length, swallowed` for each.
pub fn accounts(boxes: &[BoxLedger]) -> u32 {
    let mut columns = Columned::new(boxes.len(), 1 + boxes.len());
    columns.add([boxes.len() as u32, 0, 0]);
    for account in boxes {
        let id = columns.push(account.box_id().as_str());
        columns.add([id, account.len() as u32, account.swallowed() as u32]);
    }
    columns.place()
}

/// Where entries are: how many sources, entries and duplicates there are; then `kind, name, path` for
/// each source, `id, source, position` for each entry, and `entry, source, position` for each
/// duplicate.
pub fn entries(entries: &Columns<'_>) -> u32 {
    let counts = [entries.sources.len(), entries.origins.len(), entries.swallowed.len()];
    let [sources, ids, swallowed] = counts;
    let mut columns = Columned::new(sources + ids, 1 + sources + ids + swallowed);
    columns.add(counts.map(|count| count as u32));
    for source in &entries.sources {
        let (kind, name, path) = match source {
            Source::Made(Cause::Argument { arg_key, path }) => (ARGUMENT, arg_key.as_str(), path),
            Source::Made(Cause::Parent { path }) => (PARENT, "", path),
            Source::Made(Cause::Inherited { box_id, path, .. })
            | Source::Inherited(Inherited { box_id, path }) => (INHERITED, box_id.as_str(), path),
            // the line is the position of the entry
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
