//! Ledgers as columns: one text that holds every id and path once, and one list of numbers that
//! says how the text is cut and where each entry comes from. `pkg/lib/ledger.js` reads them where
//! they lie: a copy for JavaScript would be a buffer of its own, which costs more than its entries.
//!
//! Lengths inside the text are counted as JavaScript counts them.

use tuckbox::Path;
use tuckbox::rule::ledger::{BoxLedger, Cause, Columns, Inherited, Place, Source};
use wasm_bindgen::prelude::*;

/// The kinds of causes, as `pkg/lib/ledger.js` numbers them.
const ARGUMENT: u32 = 0;
const INHERITED: u32 = 1;
const PARENT: u32 = 2;
const IMPORTED: u32 = 3;

#[wasm_bindgen]
extern "C" {
    /// Makes a value of columns: of numbers, and of a text in UTF-8. It is told where both are in this
    /// memory and how long they are; they are gone when it returns. Views of them would cost more than
    /// reading them.
    pub type Reader;

    #[wasm_bindgen(method)]
    fn read(
        this: &Reader,
        numbers: *const u32,
        count: usize,
        text: *const u8,
        length: usize,
        is_ascii: bool,
    ) -> JsValue;
}

/// How long most ids are.
const ID_BYTES: usize = 36;

struct Columned {
    text: String,
    is_ascii: bool,
    numbers: Vec<u32>,
}

impl Columned {
    /// With room for so many ids, and for so many rows of three numbers.
    fn new(ids: usize, rows: usize) -> Self {
        let text = String::with_capacity(ID_BYTES * ids);
        Self { text, is_ascii: true, numbers: Vec::with_capacity(3 * rows) }
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

    fn read(&self, reader: &Reader) -> JsValue {
        let Self { text, is_ascii, numbers } = self;
        reader.read(numbers.as_ptr(), numbers.len(), text.as_ptr(), text.len(), *is_ascii)
    }
}

/// The heads of accounts: `id, length, swallowed` for each.
pub fn accounts(boxes: &[BoxLedger], reader: &Reader) -> JsValue {
    let mut columns = Columned::new(boxes.len(), boxes.len());
    for account in boxes {
        let id = columns.push(account.box_id().as_str());
        columns.add([id, account.len() as u32, account.swallowed() as u32]);
    }
    columns.read(reader)
}

/// Entries: how many sources, entries and duplicates there are; then `kind, name, path` for each
/// source, `id, source, position` for each entry, and `entry, source, position` for each duplicate.
pub fn entries(entries: &Columns<'_>, reader: &Reader) -> JsValue {
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
    columns.read(reader)
}
