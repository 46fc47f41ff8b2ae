//! The references of a linked module, from the relocations of the linker.
//!
//! A function is reached by a call, or by a table slot whose number is in code or data (a vtable).
//! Only relocations show which numbers are references.

use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use wasmparser::{
    DataKind, ExternalKind, KnownCustom, Linking, Operator, Parser, Payload, RelocationEntry,
    RelocationType, SymbolInfo, TypeRef,
};

/// A node that can refer to others: a function by its index, or a data symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    /// A function.
    Function(u32),
    /// A data symbol.
    Data(u32),
}

/// The references of a module.
pub struct Graph {
    edges: BTreeMap<Node, Vec<Node>>,
    /// The addresses of each symbol in the read-only data.
    constants: BTreeMap<u32, Range<u32>>,
    exported: Vec<u32>,
    names: BTreeMap<u32, String>,
}

/// A section with relocations: its start and its index among the sections of the file.
struct Section {
    start: usize,
    index: u32,
}

#[derive(Default)]
struct Found<'a> {
    imported: u32,
    exported: Vec<u32>,
    code: Option<Section>,
    data: Option<Section>,
    /// The range of each function body in the file.
    bodies: Vec<Range<usize>>,
    /// The range of each data segment in the file, and its address.
    segments: Vec<(Range<usize>, u32)>,
    segment_names: Vec<&'a str>,
    symbols: Vec<SymbolInfo<'a>>,
    relocations: Vec<(u32, Vec<RelocationEntry>)>,
    names: BTreeMap<u32, String>,
}

impl Graph {
    /// Reads a module that was linked with `--emit-relocs`.
    pub fn read(wasm: &[u8]) -> Result<Self> {
        let found = Found::read(wasm)?;
        if found.symbols.is_empty() || found.relocations.is_empty() {
            bail!("the module has no relocations; link it with `--emit-relocs`");
        }
        let code = found.targets(&found.code, "code")?;
        let data = found.targets(&found.data, "data")?;
        let mut edges: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
        for (index, body) in (found.imported..).zip(&found.bodies) {
            let targets = code.range(body.clone()).map(|(_, target)| *target);
            edges.insert(Node::Function(index), targets.collect());
        }
        let mut constants = BTreeMap::new();
        for (symbol, info) in (0..).zip(&found.symbols) {
            let SymbolInfo::Data { symbol: Some(place), .. } = info else { continue };
            let segment = place.index as usize;
            let (bytes, address) =
                found.segments.get(segment).context("a symbol has no segment")?;
            let start = bytes.start + place.offset as usize;
            let targets = data.range(start..start + place.size as usize).map(|(_, target)| *target);
            edges.insert(Node::Data(symbol), targets.collect());
            if found.segment_names.get(segment).is_some_and(|name| name.starts_with(".rodata")) {
                let address = address + place.offset;
                constants.insert(symbol, address..address + place.size);
            }
        }
        Ok(Self { edges, constants, exported: found.exported, names: found.names })
    }

    /// Returns the functions that a host can call.
    pub fn exported(&self) -> impl Iterator<Item = Node> {
        self.exported.iter().map(|index| Node::Function(*index))
    }

    /// Returns the functions and their names.
    pub fn names(&self) -> impl Iterator<Item = (u32, &str)> {
        self.names.iter().map(|(index, name)| (*index, name.as_str()))
    }

    /// Returns all nodes that `roots` reach without entering one of `closed`.
    pub fn reach(
        &self,
        roots: impl IntoIterator<Item = Node>,
        closed: &BTreeSet<Node>,
    ) -> BTreeSet<Node> {
        let mut reached = BTreeSet::new();
        let mut waiting: Vec<Node> = roots.into_iter().collect();
        while let Some(node) = waiting.pop() {
            if !closed.contains(&node) && reached.insert(node) {
                waiting.extend(self.edges.get(&node).into_iter().flatten());
            }
        }
        reached
    }

    /// Returns the functions that these functions refer to.
    pub fn called(&self, functions: &BTreeSet<u32>) -> BTreeSet<u32> {
        let targets = functions.iter().flat_map(|index| self.edges.get(&Node::Function(*index)));
        let called = targets.flatten().filter_map(|node| match node {
            Node::Function(index) => Some(*index),
            Node::Data(_) => None,
        });
        called.collect()
    }

    /// Returns the addresses of read-only data in `nodes`, sorted and without overlaps.
    pub fn constants(&self, nodes: &BTreeSet<Node>) -> Vec<Range<u32>> {
        let mut ranges: Vec<_> = nodes
            .iter()
            .filter_map(|node| match node {
                Node::Data(symbol) => self.constants.get(symbol).cloned(),
                Node::Function(_) => None,
            })
            .collect();
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut merged: Vec<Range<u32>> = Vec::new();
        for range in ranges {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                Some(_) | None => merged.push(range),
            }
        }
        merged
    }

    /// Returns all addresses of read-only data with a symbol.
    pub fn all_constants(&self) -> Vec<Range<u32>> {
        self.constants(&self.constants.keys().map(|symbol| Node::Data(*symbol)).collect())
    }
}

impl<'a> Found<'a> {
    fn read(wasm: &'a [u8]) -> Result<Self> {
        let mut found = Self::default();
        let mut index = 0;
        for payload in Parser::new(0).parse_all(wasm) {
            let payload = payload?;
            let is_section = payload.as_section().is_some();
            found.take(payload, index)?;
            index += u32::from(is_section);
        }
        Ok(found)
    }

    fn take(&mut self, payload: Payload<'a>, index: u32) -> Result<()> {
        match payload {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    self.imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    if export.kind == ExternalKind::Func {
                        self.exported.push(export.index);
                    }
                }
            }
            Payload::CodeSectionStart { range, .. } => {
                self.code = Some(Section { start: range.start, index });
            }
            Payload::CodeSectionEntry(body) => self.bodies.push(body.range()),
            Payload::DataSection(segments) => {
                self.data = Some(Section { start: segments.range().start, index });
                for segment in segments {
                    let segment = segment?;
                    let DataKind::Active { offset_expr, .. } = segment.kind else {
                        bail!("a data segment has no address");
                    };
                    let Operator::I32Const { value } = offset_expr.get_operators_reader().read()?
                    else {
                        bail!("the address of a data segment is not a constant");
                    };
                    let start = segment.range.end - segment.data.len();
                    self.segments.push((start..segment.range.end, value.cast_unsigned()));
                }
            }
            Payload::CustomSection(custom) => match custom.as_known() {
                KnownCustom::Linking(linking) => {
                    for part in linking.subsections() {
                        match part? {
                            Linking::SymbolTable(symbols) => {
                                self.symbols = symbols.into_iter().collect::<Result<_, _>>()?;
                            }
                            Linking::SegmentInfo(segments) => {
                                for segment in segments {
                                    self.segment_names.push(segment?.name);
                                }
                            }
                            _ => {}
                        }
                    }
                }
                KnownCustom::Reloc(section) => {
                    let entries = section.entries().into_iter().collect::<Result<_, _>>()?;
                    self.relocations.push((section.section_index(), entries));
                }
                KnownCustom::Name(names) => {
                    for part in names {
                        let wasmparser::Name::Function(functions) = part? else { continue };
                        for naming in functions {
                            let naming = naming?;
                            self.names.insert(naming.index, naming.name.to_owned());
                        }
                    }
                }
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }

    /// Returns the targets of a section's relocations, by their position in the file.
    fn targets(&self, section: &Option<Section>, name: &str) -> Result<BTreeMap<usize, Node>> {
        let Section { start, index } =
            section.as_ref().with_context(|| format!("the module has no {name}"))?;
        let entries = self.relocations.iter().filter(|(of, _)| of == index);
        let mut targets = BTreeMap::new();
        for entry in entries.flat_map(|(_, entries)| entries) {
            // this kind counts types, not symbols
            if entry.ty == RelocationType::TypeIndexLeb {
                continue;
            }
            let symbol = self.symbols.get(entry.index as usize).context("unknown symbol index")?;
            let node = match symbol {
                SymbolInfo::Func { index, .. } => Node::Function(*index),
                SymbolInfo::Data { .. } => Node::Data(entry.index),
                _ => continue,
            };
            targets.insert(start + entry.offset as usize, node);
        }
        Ok(targets)
    }
}
