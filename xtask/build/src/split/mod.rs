//! Splits the module into the core and the parts that are loaded on demand.
//!
//! The functions in `call::operations::gate` and `call::entries::gate` are the gates of the parts.
//! Code that is reached only through the gates of a part becomes a separate module. It shares the
//! core's memory and table. Code that two parts share and the core does not need is in both, so that
//! each part needs only the core. In the core a gate calls a slot of the table, which is empty until
//! the part is loaded.

mod cut;
mod graph;

use anyhow::{Result, bail};
use graph::{Graph, Node};
use std::collections::{BTreeMap, BTreeSet};
use wasmparser::{Validator, WasmFeatures};

/// The sources that determine the split. A change of them requires a new build.
pub const SOURCE: [&str; 3] =
    [include_str!("mod.rs"), include_str!("graph.rs"), include_str!("cut.rs")];

/// A split module.
pub struct Pieces {
    /// The core, with slots in its table for the parts.
    pub core: Vec<u8>,
    /// The other parts by name.
    pub parts: Vec<(String, Vec<u8>)>,
}

/// The content of the core or a part.
struct Share {
    functions: BTreeSet<u32>,
    constants: Vec<std::ops::Range<u32>>,
}

/// Splits a module that was linked with `--emit-relocs`.
pub fn split(wasm: &[u8]) -> Result<Pieces> {
    let graph = Graph::read(wasm)?;
    let gates = gates(&graph);
    if gates.is_empty() {
        bail!("the module has no gates; expected functions in `call::operations::gate`");
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

/// Checks that bytes are a module that uses only features of all supported runtimes.
pub fn validate(module: &[u8]) -> Result<()> {
    let features = WasmFeatures::WASM1
        | WasmFeatures::BULK_MEMORY
        | WasmFeatures::REFERENCE_TYPES
        | WasmFeatures::MULTI_VALUE
        | WasmFeatures::MUTABLE_GLOBAL
        | WasmFeatures::SATURATING_FLOAT_TO_INT
        | WasmFeatures::SIGN_EXTENSION;
    Validator::new_with_features(features).validate_all(module)?;
    Ok(())
}

fn share(graph: &Graph, nodes: BTreeSet<Node>) -> Share {
    let functions = nodes.iter().filter_map(|node| match node {
        Node::Function(index) => Some(*index),
        Node::Data(_) => None,
    });
    Share { functions: functions.collect(), constants: graph.constants(&nodes) }
}

/// Returns the gates of all parts other than the core: their functions, and the part of each.
///
/// In both mangling schemes a path is a sequence of names with their lengths.
fn gates(graph: &Graph) -> BTreeMap<u32, String> {
    let gate = |name: &str| {
        let mut modules = ["4call10operations4gate", "4call7entries4gate"].into_iter();
        let (_, rest) = modules.find_map(|module| name.split_once(module))?;
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (length, rest) = rest.split_at_checked(digits)?;
        let (name, rest) = rest.split_at_checked(length.parse().ok()?)?;
        // a closure in a gate has a longer path
        let is_gate = rest.is_empty() || rest.starts_with("17h");
        let part = name.split('_').next()?;
        (is_gate && part != "core").then(|| part.to_owned())
    };
    graph.names().filter_map(|(index, name)| Some((index, gate(name)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cargo, npm};
    use std::fs;
    use std::process::Command;

    const WORDS: &str = "only the part says this";

    /// Compiles and links the fixture.
    fn linked(name: &str, relocations: bool) -> Vec<u8> {
        cargo::need_wasm_target().unwrap();
        let dir = cargo::scratch("split").unwrap();
        let (source, module) = (dir.join("fixture.rs"), dir.join(name));
        fs::write(&source, include_str!("fixture.rs")).unwrap();
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition", "2024", "--crate-type", "cdylib", "--target", cargo::WASM]);
        rustc.args(["-C", "opt-level=s", "-C", "panic=abort", "-o"]).arg(&module).arg(&source);
        if relocations {
            rustc.args(["-C", "link-arg=--emit-relocs"]);
        }
        assert!(rustc.status().unwrap().success());
        fs::read(module).unwrap()
    }

    fn holds(module: &[u8], text: &str) -> bool {
        module.windows(text.len()).any(|bytes| bytes == text.as_bytes())
    }

    #[test]
    fn code_behind_a_gate_becomes_a_valid_module() {
        let pieces = split(&linked("whole.wasm", true)).unwrap();
        let [(name, part)] = pieces.parts.as_slice() else { panic!("{}", pieces.parts.len()) };
        assert_eq!(name, "extra");
        for module in [&pieces.core, part] {
            validate(module).unwrap();
        }
        assert!(holds(part, WORDS) && !holds(&pieces.core, WORDS));

        let dir = cargo::scratch("split").unwrap();
        fs::write(dir.join("core.wasm"), &pieces.core).unwrap();
        fs::write(dir.join("extra.wasm"), part).unwrap();
        let mut node = npm::node();
        node.args(["--eval", include_str!("fixture.js")]).current_dir(&dir);
        let output = npm::program(node).succeed("the pieces in Node").unwrap();
        let expected = i32::from(WORDS.as_bytes()[5]) + 7 * 5;
        assert_eq!(output.trim(), format!("-14 trapped {expected}"));
    }

    #[test]
    fn module_without_relocations_or_gates_is_an_error() {
        let error = split(&linked("bare.wasm", false)).err().unwrap();
        assert!(error.to_string().contains("--emit-relocs"), "{error}");
        assert!(split(b"\0asm\x01\0\0\0").is_err());
    }

    #[test]
    fn damaged_module_never_panics_the_split() {
        let whole = linked("damaged.wasm", true);
        // splitmix64
        let mut state = 1_u64;
        let mut below = |end: usize| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) % end as u64) as usize
        };
        let (mut refused, mut cut) = (0, 0);
        for _ in 0..3_000 {
            let mut damaged = whole.clone();
            for _ in 0..=below(3) {
                let (at, byte) = (below(damaged.len()), below(256) as u8);
                damaged[at] = byte;
            }
            if below(4) == 0 {
                damaged.truncate(below(damaged.len()));
            }
            match split(&damaged) {
                Ok(_) => cut += 1,
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    refused += 1;
                }
            }
        }
        assert!(refused > 1_000 && cut > 100, "{refused} refused, {cut} cut");
    }

    #[test]
    fn validate_rejects_other_bytes_and_newer_features() {
        assert!(validate(b"\0asm\x01\0\0\0").is_ok());
        assert!(validate(b"not a module").is_err());
        // one memory of 64-bit addresses
        assert!(validate(b"\0asm\x01\0\0\0\x05\x03\x01\x04\x01").is_err());
    }
}
