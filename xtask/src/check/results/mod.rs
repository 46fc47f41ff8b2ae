//! The TypeScript types of results, made from the declarations of the crate and held against
//! `pkg/types/results.d.ts`.
//!
//! What derives `Serialize` says by itself what it looks like; what writes itself says it in a
//! `shape!` beside the code that writes. Both are read from the source, so that nothing of them is in
//! the module. A `shape!` could lie, and so could what is read of serde here: the recorded cases hold
//! every answer against the shapes (`cargo xtask conform`), and `tests/node/shapes.test.mjs` compiles
//! answers of every operation against the types.

mod attributes;
mod fits;
mod macros;
mod names;
mod read;
mod shape;
mod source;
#[cfg(test)]
mod tests;
mod typescript;

use super::{Args, Counts};
use crate::tree;
use anyhow::{Context, Result, bail};
pub use shape::Results;
use source::Source;
use std::fs;

const GOLDEN: &str = "pkg/types/results.d.ts";

/// The shapes of all results, as the source says them.
pub fn read() -> Result<Results> {
    Results::of(&Source::of_crate()?)
}

/// Compares the types on record with the crate.
pub fn check(_args: &Args) -> Result<Counts> {
    let results = read()?;
    let text = typescript::file(&results);
    let golden = tree::root().join(GOLDEN);
    let note = format!("{} operations, {} types", results.answers.len(), results.types.len());
    if std::env::var_os("TUCKBOX_BLESS").is_some() {
        fs::write(&golden, &text)?;
        return Ok(Counts::holds(format!("{note}, written")));
    }
    let found = fs::read_to_string(&golden).with_context(|| format!("cannot read `{GOLDEN}`"))?;
    let found = found.replace("\r\n", "\n");
    if found != text {
        bail!(
            "`{GOLDEN}` is not what the crate says:\n{}\nrun `TUCKBOX_BLESS=1 cargo xtask test \
             --only results` and commit the file",
            difference(&found, &text)
        );
    }
    declared_once(&results)?;
    Ok(Counts::holds(note))
}

/// The lines from the first to the last that differ.
fn difference(before: &str, after: &str) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.lines().collect(), after.lines().collect());
    let same = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let rest = before.len().min(after.len()) - same;
    let ends = before.iter().rev().zip(after.iter().rev());
    let end = ends.take(rest).take_while(|(one, other)| one == other).count();
    let part = |lines: &[&str], mark: &str| {
        let length = lines.len() - same - end;
        let shown = lines.iter().skip(same).take(length.min(20));
        let more = if length > 20 { format!("{mark} ...\n") } else { String::new() };
        shown.map(|line| format!("{mark} {line}\n")).collect::<String>() + &more
    };
    format!("from line {}:\n{}{}", same + 1, part(&before, "-"), part(&after, "+"))
}

/// A name that two files export is exported by neither: the compiler leaves it out in silence.
fn declared_once(results: &Results) -> Result<()> {
    let types = tree::root().join("pkg/types");
    let index = fs::read_to_string(types.join("index.d.ts"))?;
    let shared = index
        .lines()
        .filter_map(|line| line.strip_prefix("export * from \"./")?.strip_suffix(".js\";"));
    for file in shared.filter(|file| *file != "results") {
        let text = fs::read_to_string(types.join(format!("{file}.d.ts")))?;
        let declared = text.lines().filter_map(|line| {
            let rest = line.strip_prefix("export interface ");
            let rest = rest.or_else(|| line.strip_prefix("export type "))?;
            rest.split(|letter: char| !letter.is_alphanumeric()).next()
        });
        for name in declared {
            if results.types.contains_key(name) {
                bail!("`pkg/types/{file}.d.ts` declares `{name}`, which is made from the crate");
            }
        }
    }
    Ok(())
}
