//! The number of cases of each property with `--deep`.

/// The numbers of cases for cheap and for usual properties. A property with several kinds divides
/// its cases among them.
const CHEAP: u64 = 2_000_000;
const USUAL: u64 = 200_000;

const CASES: &[(&str, u64)] = &[
    ("a budget keeps what the naive algorithm keeps", CHEAP),
    ("merging equals the naive merge for all groups and earlier merges", CHEAP),
    ("packing equals the oracle", CHEAP),
    ("the same call and env give the same bytes and write nothing", USUAL),
    ("a commit has the hash of its preview and applies once", USUAL),
    ("a box that changed after it was read is a conflict", USUAL),
    ("a part is unchanged after it is written and read", USUAL),
    ("a commit succeeds only if a fresh read has the same outcome", USUAL),
    ("the receiver sees what the preview shows", USUAL),
    ("a batch with a refused task writes nothing", USUAL),
    ("the path names the first invalid task", USUAL),
    ("a payload is legal, reports its changes and counts each token once", USUAL),
    ("a resident body equals the payload of all its messages", USUAL),
    ("additional limits have the same result as single limits", USUAL),
    ("view, messages and payload have the same cost", USUAL),
    ("no call inherits a box that its project does not grant", USUAL),
    ("what a running turn reads does not change", USUAL / 10),
    ("a card of a standard type has its role or a lint", CHEAP),
    ("a larger budget never drops what a smaller one kept", USUAL),
    ("an anthropic answer is sent back byte for byte, whole or streamed", USUAL / 6 + 1),
    ("a gemini answer is sent back byte for byte", USUAL / 6 + 1),
    ("an openai answer is sent back byte for byte", USUAL / 6 + 1),
    ("a bedrock answer is sent back byte for byte, whole or streamed", USUAL / 6 + 1),
    ("a mistral answer is sent back byte for byte", USUAL / 6 + 1),
    ("an ai sdk answer is sent back byte for byte", USUAL / 6 + 1),
    ("a truncated stream gives no partial call", USUAL),
    ("every field of a package is kept in the round trip", USUAL),
    ("no plan exceeds its budget, and a larger budget never reads less", USUAL),
    ("a plan and its omissions are the whole package", USUAL),
    ("the schema and the readers accept the same arguments", USUAL),
    ("calls do only what their operation declares", USUAL),
    ("memory equals its model after many crashes", USUAL / 4),
    ("memory equals its model after many compactions", USUAL / 4),
    ("memory equals its model after many retries", USUAL / 4),
    ("memory equals its model with few saves", USUAL / 4),
];

pub fn of(property: &str) -> u64 {
    let found = CASES.iter().find(|(known, _)| *known == property);
    found.unwrap_or_else(|| panic!("`{property}` is not in the list of cases")).1
}

/// Properties whose cases assemble whole requests or projects.
const COSTLY: [&str; 3] = [
    "view, messages and payload have the same cost",
    "the receiver sees what the preview shows",
    "a resident body equals the payload of all its messages",
];

/// Returns true for a property whose cases take milliseconds.
pub fn is_costly(property: &str) -> bool {
    COSTLY.contains(&property)
}
