//! Replaces short memory copies.
//!
//! V8 leaves the module for every `memory.copy`, which takes 26 ns for any length. Most copies here
//! are keys, marks and short strings. Every copy therefore calls one function of the module, which
//! makes short copies itself in 7 to 20 ns.

use anyhow::{Context, Result};
use walrus::ir::{BinaryOp, Call, Instr, InstrSeqId, LoadKind, MemArg, StoreKind, VisitorMut};
use walrus::{
    FunctionBuilder, FunctionId, InstrSeqBuilder, LocalId, MemoryId, Module, ValType, ir,
};

/// The source that determines the copies. A change of it requires a new build.
pub const SOURCE: &str = include_str!("copies.rs");

/// The longest copy that the function makes itself. The engine is faster for longer ones.
const SHORT: i32 = 128;

/// Replaces every copy of a module by a call of one function. A module without copies is unchanged.
pub fn shorten(wasm: &[u8]) -> Result<Vec<u8>> {
    let mut module = Module::from_buffer(wasm).context("cannot read the module")?;
    let callers: Vec<FunctionId> = module.funcs.iter_local().map(|(id, _)| id).collect();
    let memory = module.memories.iter().next().map(|memory| memory.id());
    let Some(memory) = memory else { return Ok(wasm.to_vec()) };
    let mut copies = Copies { copy: copy(&mut module, memory), found: 0 };
    for caller in callers {
        let function = module.funcs.get_mut(caller).kind.unwrap_local_mut();
        let entry = function.entry_block();
        ir::dfs_pre_order_mut(&mut copies, function, entry);
    }
    match copies.found {
        0 => Ok(wasm.to_vec()),
        _ => Ok(module.emit_wasm()),
    }
}

/// Replaces every copy by a call.
struct Copies {
    copy: FunctionId,
    found: usize,
}

impl VisitorMut for Copies {
    fn visit_instr_mut(&mut self, instr: &mut Instr, _: &mut ir::InstrLocId) {
        if matches!(instr, Instr::MemoryCopy(_)) {
            *instr = Instr::Call(Call { func: self.copy });
            self.found += 1;
        }
    }
}

/// Adds the function `copy(to, from, length)`.
fn copy(module: &mut Module, memory: MemoryId) -> FunctionId {
    let [to, from, length] = [(); 3].map(|()| module.locals.add(ValType::I32));
    let mut function = FunctionBuilder::new(&mut module.types, &[ValType::I32; 3], &[]);
    let place = Place { memory, to, from };
    let mut body = function.func_body();
    let whole = body.id();
    // the engine makes copies onto bytes that are still to be read
    body.block(None, |long| {
        let out = long.id();
        long.local_get(length).i32_const(SHORT).binop(BinaryOp::I32GtU).br_if(out);
        long.local_get(to).local_get(from).binop(BinaryOp::I32Sub).local_get(length);
        long.binop(BinaryOp::I32LtU).br_if(out);
        words(long, &place, length);
        for (bit, load, store) in [
            (4, LoadKind::I32 { atomic: false }, StoreKind::I32 { atomic: false }),
            (
                2,
                LoadKind::I32_16 { kind: ir::ExtendedLoad::ZeroExtend },
                StoreKind::I32_16 { atomic: false },
            ),
            (
                1,
                LoadKind::I32_8 { kind: ir::ExtendedLoad::ZeroExtend },
                StoreKind::I32_8 { atomic: false },
            ),
        ] {
            long.block(None, |rest| {
                let none = rest.id();
                rest.local_get(length).i32_const(bit).binop(BinaryOp::I32And);
                rest.unop(ir::UnaryOp::I32Eqz).br_if(none);
                place.step(rest, bit, load, store);
            });
        }
        long.br(whole);
    });
    body.local_get(to).local_get(from).local_get(length).memory_copy(memory, memory);
    function.finish(vec![to, from, length], &mut module.funcs)
}

/// Copies 8 bytes at a time while at least 8 remain.
fn words(body: &mut InstrSeqBuilder<'_>, place: &Place, length: LocalId) {
    body.block(None, |done| {
        let out = done.id();
        done.loop_(None, |again: &mut InstrSeqBuilder<'_>| {
            let next: InstrSeqId = again.id();
            again.local_get(length).i32_const(8).binop(BinaryOp::I32LtU).br_if(out);
            place.step(again, 8, LoadKind::I64 { atomic: false }, StoreKind::I64 { atomic: false });
            again.local_get(length).i32_const(8).binop(BinaryOp::I32Sub).local_set(length);
            again.br(next);
        });
    });
}

/// The position of a copy.
struct Place {
    memory: MemoryId,
    to: LocalId,
    from: LocalId,
}

impl Place {
    /// Copies `bytes` bytes and advances both positions.
    fn step(&self, body: &mut InstrSeqBuilder<'_>, bytes: i32, load: LoadKind, store: StoreKind) {
        let at = MemArg { align: 1, offset: 0 };
        body.local_get(self.to).local_get(self.from).load(self.memory, load, at);
        body.store(self.memory, store, at);
        for side in [self.to, self.from] {
            body.local_get(side).i32_const(bytes).binop(BinaryOp::I32Add).local_set(side);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cargo, npm};
    use std::fs;

    /// Returns a module that exports a function that copies in its memory.
    fn copying() -> Vec<u8> {
        let mut module = Module::default();
        let memory = module.memories.add_local(false, false, 1, None, None);
        let parameters = [(); 3].map(|()| module.locals.add(ValType::I32));
        let mut function = FunctionBuilder::new(&mut module.types, &[ValType::I32; 3], &[]);
        let mut body = function.func_body();
        parameters.iter().for_each(|parameter| _ = body.local_get(*parameter));
        body.memory_copy(memory, memory);
        let function = function.finish(parameters.to_vec(), &mut module.funcs);
        module.exports.add("copy", function);
        module.exports.add("memory", memory);
        module.emit_wasm()
    }

    #[test]
    fn copies_of_every_length_and_overlap_equal_those_of_the_engine() {
        let shortened = shorten(&copying()).unwrap();
        crate::split::validate(&shortened).unwrap();
        assert!(shortened.len() > copying().len(), "the module calls the function");
        let dir = cargo::scratch("copies").unwrap();
        fs::write(dir.join("copies.wasm"), shortened).unwrap();
        let mut node = npm::node();
        let script = r#"
            const bytes = require("node:fs").readFileSync("copies.wasm");
            const { copy, memory } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
            const ours = new Uint8Array(memory.buffer, 0, 1000);
            const theirs = ours.map((_, at) => (at * 37) % 251);
            ours.set(theirs);
            let cases = 0;
            for (let length = 0; length < 300; length += 1) {
                for (const shift of [-200, -length, -9, -8, -3, -1, 0, 1, 3, 8, 9, length, 200]) {
                    const [to, from] = [350 + shift, 350];
                    copy(to, from, length);
                    theirs.copyWithin(to, from, from + length);
                    if (ours.some((byte, at) => byte !== theirs[at])) throw new Error(`${length} by ${shift}`);
                    cases += 1;
                }
            }
            console.log(cases);
        "#;
        node.args(["--eval", script]).current_dir(&dir);
        assert_eq!(npm::program(node).succeed("the module in Node").unwrap().trim(), "3900");
    }

    #[test]
    fn module_without_copies_is_unchanged() {
        let empty = b"\0asm\x01\0\0\0";
        assert_eq!(shorten(empty).unwrap(), empty);
        assert!(shorten(b"not a module").is_err());
    }
}
