//! Cuts the module into the core and the parts that are loaded when a call needs them.
//!
//! The core's source names its gates: the functions in `call::operations::gate`, one or more for
//! each part. What is reached only through the gates of a part becomes a module of its own that
//! shares the core's memory and table; what two parts share and the core does not need is in both,
//! so that each part stands on the core alone. In the core a gate calls a slot of the table, which
//! is empty until the part is there.

mod cut;
mod graph;

use anyhow::{Result, bail};
use graph::{Graph, Node};
use std::collections::{BTreeMap, BTreeSet};

/// What decides how a module is cut, for whoever asks whether it has to be cut again.
pub const SOURCE: [&str; 3] =
    [include_str!("mod.rs"), include_str!("graph.rs"), include_str!("cut.rs")];

/// The module in pieces.
pub struct Pieces {
    /// What is always there, with slots in its table for whatever the parts call.
    pub core: Vec<u8>,
    /// The other parts by name.
    pub parts: Vec<(String, Vec<u8>)>,
}

/// What one piece holds.
struct Share {
    functions: BTreeSet<u32>,
    constants: Vec<std::ops::Range<u32>>,
}

/// Cuts a module that was linked with `--emit-relocs`.
pub fn split(wasm: &[u8]) -> Result<Pieces> {
    let graph = Graph::read(wasm)?;
    let gates = gates(&graph);
    if gates.is_empty() {
        bail!("the module has no gates: is `call::operations::gate` still its name?");
    }
    let closed: BTreeSet<Node> = gates.keys().map(|gate| Node::Function(*gate)).collect();
    let core = graph.reach(graph.exported(), &closed);
    let names: BTreeSet<&str> = gates.values().map(String::as_str).collect();
    let parts: BTreeMap<&str, Share> = names
        .into_iter()
        .map(|name| {
            let own = gates.iter().filter(|(_, part)| *part == name).map(|(gate, _)| *gate);
            let roots: BTreeSet<Node> = own.map(Node::Function).collect();
            let others = closed.difference(&roots).copied().collect();
            let reached = graph.reach(roots, &others);
            (name, share(&graph, reached.difference(&core).copied().collect()))
        })
        .collect();
    cut::cut(wasm, &graph, &share(&graph, core), &parts, &gates)
}

fn share(graph: &Graph, nodes: BTreeSet<Node>) -> Share {
    let functions = nodes.iter().filter_map(|node| match node {
        Node::Function(index) => Some(*index),
        Node::Data(_) => None,
    });
    Share { functions: functions.collect(), constants: graph.constants(&nodes) }
}

/// The gates of all parts but the core: their functions, and the part behind each.
///
/// In both of the compiler's spellings a path is a row of names with their lengths before them.
fn gates(graph: &Graph) -> BTreeMap<u32, String> {
    let gate = |name: &str| {
        let (_, rest) = name.split_once("4call10operations4gate")?;
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (length, rest) = rest.split_at_checked(digits)?;
        let (name, rest) = rest.split_at_checked(length.parse().ok()?)?;
        // a closure in a gate goes on with its own name
        let is_gate = rest.is_empty() || rest.starts_with("17h");
        let part = name.split('_').next()?;
        (is_gate && part != "core").then(|| part.to_owned())
    };
    graph.names().filter_map(|(index, name)| Some((index, gate(name)?))).collect()
}
