//! Ledgers as columns: one text that holds every id and path once, and one list of numbers that
//! says how the text is cut and where each entry comes from. `pkg/lib/ledger.js` reads them.
//!
//! Both cross in one run of bytes: how many numbers there are, the numbers, the text in UTF-8.
//! Lengths inside the text are counted as JavaScript counts them.

use tuckbox::rule::ledger::{BoxLedger, Cause, Columns, Inherited, Place, Source};

/// The kinds of causes, as `pkg/lib/ledger.js` numbers them.
const ARGUMENT: u32 = 0;
const INHERITED: u32 = 1;
const PARENT: u32 = 2;
const IMPORTED: u32 = 3;

struct Columned {
    text: String,
    numbers: Vec<u32>,
}

impl Columned {
    /// Adds a text, and its length to the numbers.
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.numbers.push(units(text));
    }

    /// With room for so many numbers.
    fn new(numbers: usize) -> Self {
        Self { text: String::new(), numbers: Vec::with_capacity(numbers) }
    }

    fn finish(self) -> Vec<u8> {
        let count = self.numbers.len();
        let mut bytes = Vec::with_capacity(4 * (1 + count) + self.text.len());
        bytes.extend((count as u32).to_le_bytes());
        self.numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend(self.text.as_bytes());
        bytes
    }
}

/// How long a text is in JavaScript.
fn units(text: &str) -> u32 {
    (if text.is_ascii() { text.len() } else { text.encode_utf16().count() }) as u32
}

/// The heads of accounts: `id, length, swallowed` for each.
pub fn accounts(boxes: &[BoxLedger]) -> Vec<u8> {
    let mut columns = Columned::new(3 * boxes.len());
    for account in boxes {
        columns.push(account.box_id().as_str());
        columns.numbers.extend([account.len() as u32, account.swallowed() as u32]);
    }
    columns.finish()
}

/// Entries: how many sources, entries and duplicates there are; then `kind, name, path` for each
/// source, `id, source, position` for each entry, and `entry, source, position` for each duplicate.
pub fn entries(entries: &Columns<'_>) -> Vec<u8> {
    let counts = [entries.sources.len(), entries.origins.len(), entries.swallowed.len()];
    let mut columns = Columned::new(3 * (1 + counts.iter().sum::<usize>()));
    columns.numbers.extend(counts.map(|count| count as u32));
    for source in &entries.sources {
        let (kind, name, path) = match source {
            Source::Made(Cause::Argument { arg_key, path }) => {
                (ARGUMENT, arg_key.as_str(), path.text())
            }
            Source::Made(Cause::Parent { path }) => (PARENT, "", path.text()),
            Source::Made(Cause::Inherited { box_id, path, .. })
            | Source::Inherited(Inherited { box_id, path }) => {
                (INHERITED, box_id.as_str(), path.text())
            }
            // the line is the position of the entry
            Source::Made(Cause::Imported(Place { file, pointer, .. })) => {
                (IMPORTED, file.as_str(), pointer.as_str().into())
            }
        };
        columns.numbers.push(kind);
        columns.push(name);
        columns.push(&path);
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
                units(id.unwrap_or_default())
            };
            columns.numbers.extend([length, origin.list, origin.position]);
            from = *end;
        }
    });
    for (entry, origin) in &entries.swallowed {
        columns.numbers.extend([*entry, origin.list, origin.position]);
    }
    columns.finish()
}
