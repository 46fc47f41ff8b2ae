//! Generates types, schema and reference from the declarations of the crate, for TypeScript and
//! Python, and compares them with the committed files.
//!
//! `arguments!` declares arguments, and `operations!` declares operations. serde or a `shape!` next
//! to the code declares answers. All are read from the source, so the WebAssembly module does not
//! contain them.
//!
//! The recorded cases check every answer against its shape (`cargo xtask conform`).
//! `tests/node/shapes.test.mjs` compiles calls and answers of every operation against the types.

mod arguments;
mod attributes;
mod fits;
mod input;
mod json_schema;
mod macros;
mod methods;
mod names;
mod python;
mod python_types;
mod read;
mod reference;
mod shape;
mod source;
#[cfg(test)]
mod tests;
mod typescript;

use super::{Args, Counts};
use crate::tree;
use anyhow::{Context, Result, bail};
use macros::Operation;
pub use shape::Results;
use source::Source;
use std::fs;
use tuckbox::Json;
use tuckbox::value::json::Object;

/// The calls of `tests/node/shapes.test.mjs`, which writes them with `TUCKBOX_BLESS=1`.
const EXAMPLES: &str = "tests/node/examples.json";

/// The declarations of all operations.
pub struct Declarations {
    pub results: Results,
    /// The arguments that callers pass.
    pub input: Results,
    pub operations: Vec<Operation>,
    /// The parts of the WebAssembly module in order, each with a line of documentation.
    pub parts: Vec<(String, String)>,
    /// A call of each operation from the tests of the package.
    pub examples: Object,
    /// The operations that do not declare their arguments yet.
    pub pending: Vec<String>,
}

/// Reads the shapes of all answers.
pub fn read() -> Result<Results> {
    Results::of(&Source::of_crate()?)
}

fn read_all() -> Result<Declarations> {
    let source = Source::of_crate()?;
    let results = Results::of(&source)?;
    let (arguments, pending) = Results::arguments(&source)?;
    let input = arguments.as_input(&results);
    let examples = fs::read_to_string(tree::root().join(EXAMPLES))?;
    let examples = Json::parse(&examples)?.as_object().cloned().unwrap_or_default();
    let Source { operations, parts, .. } = source;
    Ok(Declarations { results, input, operations, parts, examples, pending })
}

/// Compares the committed files with the declarations of the crate.
pub fn check(_args: &Args) -> Result<Counts> {
    let declared = read_all()?;
    let count = declared.operations.len();
    let pending = declared.pending.len();
    let note = format!("{count} operations, {pending} without declared arguments");
    let mut files = vec![
        ("pkg/types/results.d.ts".to_owned(), typescript::file(&declared.results)),
        ("pkg/types/arguments.d.ts".to_owned(), typescript::arguments_file(&declared)),
        ("pkg/types/methods.d.ts".to_owned(), methods::file(&declared.operations)?),
        ("pkg/schema/operations.json".to_owned(), json_schema::file(&declared)?),
    ];
    files.extend(reference::pages(&declared)?);
    files.extend(python::files(&declared)?);
    let blesses = std::env::var_os("TUCKBOX_BLESS").is_some();
    for (name, text) in files {
        let golden = tree::root().join(&name);
        if blesses {
            fs::create_dir_all(golden.parent().context("a file has no folder")?)?;
            fs::write(&golden, &text)?;
            continue;
        }
        let found = fs::read_to_string(&golden).with_context(|| format!("cannot read `{name}`"))?;
        let found = found.replace("\r\n", "\n");
        if found != text {
            bail!(
                "`{name}` differs from the declarations of the crate:\n{}\nrun `TUCKBOX_BLESS=1 \
                 cargo xtask test --only schema` and commit the file",
                difference(&found, &text)
            );
        }
    }
    declared_once(&declared)?;
    Ok(Counts::holds(if blesses { format!("{note}, written") } else { note }))
}

/// Returns the lines from the first difference to the last.
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

/// Checks that no other file declares a generated name. If two files export a name, TypeScript
/// exports neither and reports no error.
fn declared_once(declared: &Declarations) -> Result<()> {
    let types = tree::root().join("pkg/types");
    let public = fs::read_to_string(types.join("public.d.ts"))?;
    let shared = public
        .lines()
        .filter_map(|line| line.strip_prefix("export * from \"./")?.strip_suffix(".js\";"));
    for file in shared.filter(|file| !["results", "arguments"].contains(file)) {
        let text = fs::read_to_string(types.join(format!("{file}.d.ts")))?;
        let names = text.lines().filter_map(|line| {
            let rest = line.strip_prefix("export interface ");
            let rest = rest.or_else(|| line.strip_prefix("export type "))?;
            rest.split(|letter: char| !letter.is_alphanumeric()).next()
        });
        for name in names {
            let made = [&declared.results, &declared.input];
            if made.iter().any(|results| results.types.contains_key(name)) {
                bail!(
                    "`pkg/types/{file}.d.ts` declares `{name}`, which is generated from the crate"
                );
            }
        }
    }
    Ok(())
}
