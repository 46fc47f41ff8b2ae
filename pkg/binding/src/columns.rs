//! Ledgers as columns: one text that holds every id and path once, and one list of numbers that
//! says how the text is cut and where each entry comes from. `pkg/lib/ledger.js` reads them.
//!
//! Lengths are counted as JavaScript counts them.

use js_sys::{Array, JsString, Uint32Array};
use tuckbox::rule::ledger::{BoxLedger, Cause, Columns, Inherited, Source};

/// The kinds of causes, as `pkg/lib/ledger.js` numbers them.
const ARGUMENT: u32 = 0;
const INHERITED: u32 = 1;
const PARENT: u32 = 2;

#[derive(Default)]
struct Columned {
    text: String,
    numbers: Vec<u32>,
}

impl Columned {
    /// Adds a text, and its length to the numbers.
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        let length = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
        self.numbers.push(length as u32);
    }

    fn finish(self) -> Array {
        let text = JsString::from(self.text);
        Array::of2(&text, &Uint32Array::from(self.numbers.as_slice()))
    }
}

/// The heads of accounts: `id, length, swallowed` for each.
pub fn accounts(boxes: &[BoxLedger]) -> Array {
    let mut columns = Columned::default();
    for account in boxes {
        columns.push(account.box_id().as_str());
        columns.numbers.extend([account.len() as u32, account.swallowed() as u32]);
    }
    columns.finish()
}

/// Entries: how many sources, entries and duplicates there are; then `kind, name, path` for each
/// source, `id, source, position` for each entry, and `entry, source, position` for each duplicate.
pub fn entries(entries: &Columns<'_>) -> Array {
    let mut columns = Columned::default();
    columns.numbers.reserve(
        3 * (1 + entries.sources.len() + entries.card_ids.len() + entries.swallowed.len()),
    );
    for count in [entries.sources.len(), entries.card_ids.len(), entries.swallowed.len()] {
        columns.numbers.push(count as u32);
    }
    for source in &entries.sources {
        let (kind, name, path) = match source {
            Source::Made(Cause::Argument { arg_key, path }) => (ARGUMENT, arg_key.as_str(), path),
            Source::Made(Cause::Parent { path }) => (PARENT, "", path),
            Source::Made(Cause::Inherited { box_id, path, .. })
            | Source::Inherited(Inherited { box_id, path }) => (INHERITED, box_id.as_str(), path),
        };
        columns.numbers.push(kind);
        columns.push(name);
        columns.push(&path.to_string());
    }
    for (card_id, origin) in entries.card_ids.iter().zip(&entries.origins) {
        columns.push(card_id);
        columns.numbers.extend([origin.list, origin.position]);
    }
    for (entry, origin) in &entries.swallowed {
        columns.numbers.extend([*entry, origin.list, origin.position]);
    }
    columns.finish()
}
