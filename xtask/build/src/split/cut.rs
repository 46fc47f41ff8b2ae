//! Writes the parts of a split module.

use super::graph::Graph;
use super::{Pieces, Share};
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use walrus::ir::Value;
use walrus::{
    ConstExpr, DataKind, ElementItems, ElementKind, ExportItem, FunctionBuilder, FunctionId,
    FunctionKind, GlobalKind, ImportedFunction, Module, TableId,
};

/// The name under which parts import items of the core: a function by its slot in the table, other
/// items by their export name.
const CORE: &str = "core";

/// Read-only data with smaller gaps is one segment, because a segment takes about as many bytes.
const GAP: u32 = 8;

/// Splits `wasm` by shares.
pub fn cut(
    wasm: &[u8],
    graph: &Graph,
    core: &Share,
    parts: &BTreeMap<&str, Share>,
    gates: &BTreeMap<u32, String>,
) -> Result<Pieces> {
    let whole = Whole::read(wasm)?;
    let slots = Slots::new(whole.table_size()?, graph, core, parts, gates);
    let parts = parts
        .iter()
        .map(|(name, share)| {
            let part = Whole::read(wasm)?.into_part(share, &slots, name)?;
            Ok(((*name).to_owned(), part))
        })
        .collect::<Result<_>>()?;
    let moved = beyond(&graph.all_constants(), &core.constants);
    Ok(Pieces { core: whole.into_core(core, &moved, &slots)?, parts })
}

/// The slots that the split adds to the table. The host creates an object for every export when the
/// core starts, but for a slot only on access.
struct Slots<'a> {
    /// The slot of each gate in the core, and the part that fills it.
    gates: BTreeMap<u32, (u64, &'a str)>,
    /// The slot of each core function that a part calls.
    shared: BTreeMap<u32, u64>,
    count: u64,
}

impl<'a> Slots<'a> {
    fn new(
        used: u64,
        graph: &Graph,
        core: &Share,
        parts: &BTreeMap<&str, Share>,
        gates: &'a BTreeMap<u32, String>,
    ) -> Self {
        let mut free = used..;
        let gates: BTreeMap<_, _> = gates
            .iter()
            .zip(free.by_ref())
            .map(|((gate, part), slot)| (*gate, (slot, part.as_str())))
            .collect();
        let called: BTreeSet<u32> =
            parts.values().flat_map(|part| graph.called(&part.functions)).collect();
        let in_core =
            |function: &u32| core.functions.contains(function) || gates.contains_key(function);
        let shared: BTreeMap<_, _> =
            called.into_iter().filter(in_core).zip(free.by_ref()).collect();
        let count = (gates.len() + shared.len()) as u64;
        Self { gates, shared, count }
    }
}

/// A module that becomes the core or a part.
struct Whole {
    module: Module,
    /// The functions by their index in the file.
    functions: Vec<FunctionId>,
    table: TableId,
    /// The initial content of the table.
    filled: Vec<(u64, FunctionId)>,
}

impl Whole {
    fn read(wasm: &[u8]) -> Result<Self> {
        let mut module = Module::from_buffer(wasm)?;
        for name in ["linking", "reloc.CODE", "reloc.DATA"] {
            module.customs.remove_raw(name);
        }
        let functions = module.funcs.iter().map(|function| function.id()).collect();
        let table = module.tables.main_function_table()?.context("the module has no table")?;
        let mut filled = Vec::new();
        let segments: Vec<_> = module.elements.iter().map(|segment| segment.id()).collect();
        for id in segments {
            let segment = module.elements.get(id);
            let (ElementKind::Active { offset, .. }, ElementItems::Functions(items)) =
                (&segment.kind, &segment.items)
            else {
                bail!("unsupported kind of table segment");
            };
            let start = constant(offset).context("a table segment has no offset")?;
            filled.extend((u64::from(start)..).zip(items.iter().copied()));
            module.elements.delete(id);
            module.tables.get_mut(table).elem_segments.remove(&id);
        }
        Ok(Self { module, functions, table, filled })
    }

    fn table_size(&self) -> Result<u64> {
        let table = self.module.tables.get(self.table);
        if table.maximum.is_some_and(|most| most != table.initial) {
            bail!("the table must have a fixed size");
        }
        Ok(table.initial)
    }

    fn function(&self, index: u32) -> Result<FunctionId> {
        self.functions.get(index as usize).copied().context("unknown function index")
    }

    fn functions(&self, indexes: &BTreeSet<u32>) -> Result<BTreeSet<FunctionId>> {
        indexes.iter().map(|index| self.function(*index)).collect()
    }

    /// Adds the new slots and fills the table with those of its functions that are in `here`, in
    /// few segments.
    fn fill_table(&mut self, here: &BTreeSet<FunctionId>, slots: &Slots<'_>) {
        let table = self.module.tables.get_mut(self.table);
        table.initial += slots.count;
        table.maximum = table.maximum.map(|_| table.initial);
        let mut rows: Vec<(u64, Vec<FunctionId>)> = Vec::new();
        for (slot, function) in self.filled.iter().filter(|(_, id)| here.contains(id)) {
            match rows.last_mut() {
                Some((start, row)) if *start + row.len() as u64 == *slot => row.push(*function),
                Some(_) | None => rows.push((*slot, vec![*function])),
            }
        }
        for (start, row) in rows {
            let kind = ElementKind::Active { table: self.table, offset: place(start as u32) };
            let id = self.module.elements.add(kind, ElementItems::Functions(row));
            self.module.tables.get_mut(self.table).elem_segments.insert(id);
        }
    }

    /// Returns the core: gates call their slots, and the table has the functions that parts call.
    fn into_core(
        mut self,
        share: &Share,
        moved: &[Range<u32>],
        slots: &Slots<'_>,
    ) -> Result<Vec<u8>> {
        for (gate, (slot, _)) in &slots.gates {
            self.call_slot(*gate, *slot)?;
        }
        let mut here = self.functions(&share.functions)?;
        for (index, slot) in &slots.shared {
            let id = self.function(*index)?;
            self.filled.push((*slot, id));
            here.insert(id);
        }
        self.fill_table(&here, slots);
        self.move_out(moved)?;
        let globals: Vec<_> = self.module.globals.iter().map(|global| global.id()).collect();
        for (index, id) in (0..).zip(globals) {
            self.module.exports.add(&global_name(index), ExportItem::Global(id));
        }
        self.module.exports.add("table", ExportItem::Table(self.table));
        Ok(self.module.emit_wasm())
    }

    /// Makes a gate call the function in its slot.
    fn call_slot(&mut self, gate: u32, slot: u64) -> Result<()> {
        let id = self.function(gate)?;
        let ty = self.module.funcs.get(id).ty();
        let (params, results) = {
            let ty = self.module.types.get(ty);
            (ty.params().to_vec(), ty.results().to_vec())
        };
        let args: Vec<_> = params.iter().map(|ty| self.module.locals.add(*ty)).collect();
        let mut stub = FunctionBuilder::new(&mut self.module.types, &params, &results);
        let mut body = stub.func_body();
        for arg in &args {
            body.local_get(*arg);
        }
        body.i32_const(i32::try_from(slot)?).call_indirect(ty, self.table);
        self.module.funcs.get_mut(id).kind = FunctionKind::Local(stub.local_func(args));
        Ok(())
    }

    /// Returns a part: its own functions and constants, with imports from the core.
    fn into_part(mut self, share: &Share, slots: &Slots<'_>, name: &str) -> Result<Vec<u8>> {
        let constants = self.constants(&share.constants)?;
        let data: Vec<_> = self.module.data.iter().map(|data| data.id()).collect();
        let memory = self.module.get_memory_id()?;
        for id in data {
            self.module.data.delete(id);
            self.module.memories.get_mut(memory).data_segments.remove(&id);
        }
        let exports: Vec<_> = self.module.exports.iter().map(|export| export.id()).collect();
        exports.into_iter().for_each(|id| self.module.exports.delete(id));
        self.module.start = None;
        let customs: Vec<_> = self.module.customs.iter().map(|(id, _)| id).collect();
        customs.into_iter().for_each(|id| drop(self.module.customs.delete(id)));

        for (gate, (slot, part)) in &slots.gates {
            if *part == name {
                self.filled.push((*slot, self.function(*gate)?));
            }
        }
        let here = self.functions(&share.functions)?;
        self.fill_table(&here, slots);
        for (address, value) in constants {
            let kind = DataKind::Active { memory, offset: place(address) };
            let id = self.module.data.add(kind, value);
            self.module.memories.get_mut(memory).data_segments.insert(id);
        }

        for (index, id) in (0..).zip(self.functions.clone()) {
            if !here.contains(&id) {
                // a function without a slot has no caller here and is removed below
                let slot = slots.shared.get(&index).map_or_else(String::new, u64::to_string);
                self.import_function(id, &slot);
            }
        }
        let import = self.module.imports.add(CORE, "memory", memory);
        self.module.memories.get_mut(memory).import = Some(import);
        let import = self.module.imports.add(CORE, "table", self.table);
        self.module.tables.get_mut(self.table).import = Some(import);
        let globals: Vec<_> = self.module.globals.iter().map(|global| global.id()).collect();
        for (index, id) in (0..).zip(globals) {
            let import = self.module.imports.add(CORE, &global_name(index), id);
            self.module.globals.get_mut(id).kind = GlobalKind::Import(import);
        }
        walrus::passes::gc::run(&mut self.module);
        if self.module.imports.iter().any(|import| import.name.is_empty()) {
            bail!("the part `{name}` calls a function that is neither its own nor the core's");
        }
        Ok(self.module.emit_wasm())
    }

    fn import_function(&mut self, id: FunctionId, slot: &str) {
        let ty = self.module.funcs.get(id).ty();
        if let Some(import) = self.module.imports.get_imported_func(id).map(|import| import.id()) {
            self.module.imports.delete(import);
        }
        let import = self.module.imports.add(CORE, slot, id);
        self.module.funcs.get_mut(id).kind = FunctionKind::Import(ImportedFunction { import, ty });
    }

    /// Returns the bytes of these ranges, with close ones merged.
    fn constants(&self, ranges: &[Range<u32>]) -> Result<Vec<(u32, Vec<u8>)>> {
        let mut close: Vec<Range<u32>> = Vec::new();
        for range in ranges {
            match close.last_mut() {
                Some(last) if range.start - last.end <= GAP => last.end = range.end,
                Some(_) | None => close.push(range.clone()),
            }
        }
        close
            .into_iter()
            .map(|range| {
                let found = self.module.data.iter().find_map(|data| {
                    let DataKind::Active { offset, .. } = &data.kind else { return None };
                    let from = range.start.checked_sub(constant(offset)?)? as usize;
                    data.value.get(from..from + range.len())
                });
                let bytes = found.context("a constant is outside the data")?;
                Ok((range.start, bytes.to_vec()))
            })
            .collect()
    }

    /// Removes the data that only parts use, because their own segments contain it.
    fn move_out(&mut self, moved: &[Range<u32>]) -> Result<()> {
        let memory = self.module.get_memory_id()?;
        let segments: Vec<_> = self.module.data.iter().map(|data| data.id()).collect();
        for id in segments {
            let data = self.module.data.get(id);
            let DataKind::Active { offset, .. } = &data.kind else { continue };
            let start = constant(offset).context("a data segment has no offset")?;
            let whole = start..start + u32::try_from(data.value.len())?;
            // small holes stay filled
            let holes: Vec<_> =
                moved.iter().filter(|range| range.len() as u32 > GAP).cloned().collect();
            let left = beyond(&[whole], &holes);
            let pieces = self.constants(&left)?;
            self.module.data.delete(id);
            self.module.memories.get_mut(memory).data_segments.remove(&id);
            for (address, value) in pieces {
                let kind = DataKind::Active { memory, offset: place(address) };
                let id = self.module.data.add(kind, value);
                self.module.memories.get_mut(memory).data_segments.insert(id);
            }
        }
        Ok(())
    }
}

/// Returns the ranges without `taken`. Both are sorted and without overlaps.
fn beyond(ranges: &[Range<u32>], taken: &[Range<u32>]) -> Vec<Range<u32>> {
    let mut left = Vec::new();
    for range in ranges {
        let mut start = range.start;
        for hole in taken.iter().filter(|hole| hole.end > range.start && hole.start < range.end) {
            if hole.start > start {
                left.push(start..hole.start);
            }
            start = start.max(hole.end);
        }
        if start < range.end {
            left.push(start..range.end);
        }
    }
    left
}

fn place(at: u32) -> ConstExpr {
    ConstExpr::Value(Value::I32(at.cast_signed()))
}

fn constant(place: &ConstExpr) -> Option<u32> {
    match place {
        ConstExpr::Value(Value::I32(at)) => Some(at.cast_unsigned()),
        _ => None,
    }
}

fn global_name(index: u32) -> String {
    format!("g{index:x}")
}

#[cfg(test)]
mod tests {
    use super::beyond;
    use std::ops::Range;

    #[test]
    fn taken_ranges_are_removed() {
        let ranges: Vec<Range<u32>> = vec![0..10, 20..30, 40..44];
        let taken = vec![2..4, 8..22, 40..50];
        assert_eq!(beyond(&ranges, &taken), [0..2, 4..8, 22..30]);
        assert_eq!(beyond(&ranges, &[]), ranges);
        assert_eq!(beyond(&ranges, &[10..20, 30..40, 44..50]), ranges);
    }
}
