//! Writing the pieces.

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

/// Under which name the parts import what the core exports.
const CORE: &str = "core";

/// Read-only data that lies closer together than this is one segment: a segment of its own costs
/// about as much.
const GAP: u32 = 8;

/// Cuts `wasm` as the shares say.
pub fn cut(
    wasm: &[u8],
    graph: &Graph,
    core: &Share,
    parts: &BTreeMap<&str, Share>,
    gates: &BTreeMap<u32, String>,
) -> Result<Pieces> {
    let whole = Whole::read(wasm)?;
    // behind all slots there are, one for each gate
    let slots: BTreeMap<u32, u64> = gates.keys().copied().zip(whole.table_size()?..).collect();
    let mut wanted = BTreeSet::new();
    let mut made = Vec::new();
    for (name, share) in parts {
        let part = Whole::read(wasm)?;
        let (bytes, imported) = part.into_part(share, gates, &slots, name)?;
        wanted.extend(imported);
        made.push(((*name).to_owned(), bytes));
    }
    let moved: Vec<Range<u32>> = beyond(&graph.all_constants(), &core.constants);
    let core = whole.into_core(core, &moved, &slots, &wanted)?;
    Ok(Pieces { core, parts: made })
}

/// A module on its way to become one of its pieces.
struct Whole {
    module: Module,
    /// The functions by their index in the file.
    functions: Vec<FunctionId>,
    table: TableId,
    /// What the table holds at first.
    slots: Vec<(u64, FunctionId)>,
}

impl Whole {
    fn read(wasm: &[u8]) -> Result<Self> {
        let mut module = Module::from_buffer(wasm)?;
        for name in ["linking", "reloc.CODE", "reloc.DATA"] {
            module.customs.remove_raw(name);
        }
        let functions = module.funcs.iter().map(|function| function.id()).collect();
        let table = module.tables.main_function_table()?.context("the module has no table")?;
        let mut slots = Vec::new();
        let segments: Vec<_> = module.elements.iter().map(|segment| segment.id()).collect();
        for id in segments {
            let segment = module.elements.get(id);
            let (ElementKind::Active { offset, .. }, ElementItems::Functions(items)) =
                (&segment.kind, &segment.items)
            else {
                bail!("a table segment of another kind");
            };
            let start = constant(offset).context("a table segment without a place")?;
            slots.extend((u64::from(start)..).zip(items.iter().copied()));
            module.elements.delete(id);
            module.tables.get_mut(table).elem_segments.remove(&id);
        }
        Ok(Self { module, functions, table, slots })
    }

    fn table_size(&self) -> Result<u64> {
        let table = self.module.tables.get(self.table);
        if table.maximum.is_some_and(|most| most != table.initial) {
            bail!("the table grows");
        }
        Ok(table.initial)
    }

    fn function(&self, index: u32) -> Result<FunctionId> {
        self.functions.get(index as usize).copied().context("a function that is none")
    }

    /// Fills the table with those of its functions that `here` holds, in as few segments as can be.
    fn fill_table(&mut self, here: &BTreeSet<FunctionId>) {
        let mut rows: Vec<(u64, Vec<FunctionId>)> = Vec::new();
        for (slot, function) in self.slots.iter().filter(|(_, function)| here.contains(function)) {
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

    /// Makes room in the table for the gates.
    fn widen_table(&mut self, gates: &BTreeMap<u32, u64>) {
        let table = self.module.tables.get_mut(self.table);
        table.initial += gates.len() as u64;
        table.maximum = table.maximum.map(|_| table.initial);
    }

    /// The core: gates call their slots, and what the parts import is exported.
    fn into_core(
        mut self,
        share: &Share,
        moved: &[Range<u32>],
        gates: &BTreeMap<u32, u64>,
        wanted: &BTreeSet<u32>,
    ) -> Result<Vec<u8>> {
        for (gate, slot) in gates {
            let id = self.function(*gate)?;
            let (params, results) = {
                let ty = self.module.types.get(self.module.funcs.get(id).ty());
                (ty.params().to_vec(), ty.results().to_vec())
            };
            let ty = self.module.types.add(&params, &results);
            let args: Vec<_> = params.iter().map(|ty| self.module.locals.add(*ty)).collect();
            let mut stub = FunctionBuilder::new(&mut self.module.types, &params, &results);
            let mut body = stub.func_body();
            for arg in &args {
                body.local_get(*arg);
            }
            body.i32_const(i32::try_from(*slot)?).call_indirect(ty, self.table);
            let stub = stub.local_func(args);
            self.module.funcs.get_mut(id).kind = FunctionKind::Local(stub);
        }
        self.widen_table(gates);
        let mut here = BTreeSet::new();
        for index in &share.functions {
            here.insert(self.function(*index)?);
        }
        self.fill_table(&here);
        self.move_out(moved)?;
        for index in wanted {
            let id = self.function(*index)?;
            self.module.exports.add(&shared_name(*index), ExportItem::Function(id));
        }
        let globals: Vec<_> = self.module.globals.iter().map(|global| global.id()).collect();
        for (index, id) in (0..).zip(globals) {
            self.module.exports.add(&global_name(index), ExportItem::Global(id));
        }
        self.module.exports.add("table", ExportItem::Table(self.table));
        Ok(self.module.emit_wasm())
    }

    /// One part: its own functions and constants, everything else imported from the core.
    fn into_part(
        mut self,
        share: &Share,
        gates: &BTreeMap<u32, String>,
        slots: &BTreeMap<u32, u64>,
        name: &str,
    ) -> Result<(Vec<u8>, BTreeSet<u32>)> {
        let bytes = self.constants(&share.constants)?;
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

        // a gate of this part fills its slot
        for (gate, slot) in slots {
            if gates.get(gate).is_some_and(|part| part == name) {
                self.slots.push((*slot, self.function(*gate)?));
            }
        }
        self.widen_table(slots);
        let mut here = BTreeSet::new();
        for index in &share.functions {
            here.insert(self.function(*index)?);
        }
        self.fill_table(&here);
        for (address, value) in bytes {
            let kind = DataKind::Active { memory, offset: place(address) };
            let id = self.module.data.add(kind, value);
            self.module.memories.get_mut(memory).data_segments.insert(id);
        }

        for (index, id) in (0..).zip(self.functions.clone()) {
            if here.contains(&id) {
                continue;
            }
            let ty = self.module.funcs.get(id).ty();
            if matches!(self.module.funcs.get(id).kind, FunctionKind::Import(_)) {
                // the core hands on what it imports itself
                self.forget_import(id);
            }
            let import = self.module.imports.add(CORE, &shared_name(index), id);
            self.module.funcs.get_mut(id).kind =
                FunctionKind::Import(ImportedFunction { import, ty });
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

        let kept: BTreeSet<FunctionId> = self.module.funcs.iter().map(|f| f.id()).collect();
        let wanted = (0..).zip(&self.functions).filter(|(_, id)| kept.contains(id));
        let wanted = wanted.filter(|(_, id)| !here.contains(id)).map(|(index, _)| index).collect();
        Ok((self.module.emit_wasm(), wanted))
    }

    fn forget_import(&mut self, id: FunctionId) {
        if let Some(import) = self.module.imports.get_imported_func(id).map(|import| import.id()) {
            self.module.imports.delete(import);
        }
    }

    /// The bytes at these addresses, close ones together.
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
                let bytes = found.context("a constant outside of the data")?;
                Ok((range.start, bytes.to_vec()))
            })
            .collect()
    }

    /// Leaves out what only the parts use: their own segments bring it.
    fn move_out(&mut self, moved: &[Range<u32>]) -> Result<()> {
        let memory = self.module.get_memory_id()?;
        let segments: Vec<_> = self.module.data.iter().map(|data| data.id()).collect();
        for id in segments {
            let data = self.module.data.get(id);
            let DataKind::Active { offset, .. } = &data.kind else { continue };
            let start = constant(offset).context("a data segment without a place")?;
            let whole = start..start + u32::try_from(data.value.len())?;
            // a hole that is not worth a segment stays filled
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

/// What of `ranges` is not in `taken`; both in order and without overlaps.
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

fn shared_name(index: u32) -> String {
    format!("f{index:x}")
}

fn global_name(index: u32) -> String {
    format!("g{index:x}")
}

#[cfg(test)]
mod tests {
    use super::beyond;
    use std::ops::Range;

    #[test]
    fn what_is_taken_is_left_out() {
        let ranges: Vec<Range<u32>> = vec![0..10, 20..30, 40..44];
        let taken = vec![2..4, 8..22, 40..50];
        assert_eq!(beyond(&ranges, &taken), [0..2, 4..8, 22..30]);
        assert_eq!(beyond(&ranges, &[]), ranges);
        assert_eq!(beyond(&ranges, &[10..20, 30..40, 44..50]), ranges);
    }
}
