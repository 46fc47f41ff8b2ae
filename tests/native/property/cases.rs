//! The number of cases of each property with `--deep`.

/// The number for cheap properties and for others. A property with several kinds divides its cases
/// among them.
const CHEAP: u64 = 2_000_000;
const USUAL: u64 = 200_000;

const CASES: &[(&str, u64)] = &[
    ("a budget keeps what the slow way keeps", CHEAP),
    ("merging is what the slow way does, however grouped and whatever came before", CHEAP),
    ("packing is what the oracle says", CHEAP),
    ("the same call and env give the same bytes, whatever else was read, and write nothing", USUAL),
    ("what is committed has the hash of its preview and applies once", USUAL),
    ("a box that changed since it was read is a conflict", USUAL),
    ("a part that is written is read again as it was", USUAL),
    ("a commit succeeds only if a fresh read has the same outcome", USUAL),
    ("the receiver sees what the preview showed", USUAL),
    ("a refused task among many leaves nothing written", USUAL),
    ("the path names the first task that is wrong", USUAL),
    ("a payload is legal, its changes are told and its tokens are each in one bucket", USUAL),
    ("other limits do what they would do alone", USUAL),
    ("bar, messages and payload are equal", USUAL),
    ("a larger budget never drops what a smaller one kept", USUAL),
    ("what anthropic answers goes back byte for byte whole or streamed", USUAL / 6 + 1),
    ("what gemini answers goes back byte for byte", USUAL / 6 + 1),
    ("what openai answers goes back byte for byte", USUAL / 6 + 1),
    ("what bedrock answers goes back byte for byte whole or streamed", USUAL / 6 + 1),
    ("what mistral answers goes back byte for byte", USUAL / 6 + 1),
    ("what the ai sdk answers goes back byte for byte", USUAL / 6 + 1),
    ("a stream that is cut anywhere is read without a half call", USUAL),
    ("every field of a package survives the round trip", USUAL),
    ("no plan passes its budget, and more never reads less", USUAL),
    ("a plan and what it leaves out are the whole package", USUAL),
    ("the schema and the readers accept the same arguments", USUAL),
    ("calls do only what their operation declares", USUAL),
    ("histories with many crashes", USUAL / 4),
    ("histories with many compactions", USUAL / 4),
    ("histories with many retries", USUAL / 4),
    ("histories that save rarely", USUAL / 4),
];

pub fn of(property: &str) -> u64 {
    let found = CASES.iter().find(|(known, _)| *known == property);
    found.unwrap_or_else(|| panic!("{property}: not in the list of cases")).1
}
