//! Checks the order of the groups of `src/`: a lower group never imports a higher one.
//!
//! The order excludes import cycles between groups. Inside a group a cycle can have at most
//! [`MAX_CYCLE_FILES`] files. Code that only tests compile can import everything.

mod cycle;
mod imports;
mod modules;

use super::{Args, Counts};
use crate::tree;
use anyhow::{Result, bail};
use cycle::cycles;
use modules::{Import, Module, Modules};
use std::collections::BTreeSet;

/// The groups from the lowest to the highest, each with a description of its content.
const GROUPS: [(&str, &str); 14] = [
    ("value", "values without stores and rules: JSON, errors, ids, time, cards, boxes, messages"),
    ("store", "rows that a host reads and writes: reads, answers, snapshot, writes, commits"),
    (
        "rule",
        "the base of every operation: steps, outcomes, ledger, lints, merge, hashes, dialects",
    ),
    ("cards", "operations on cards and boxes"),
    ("pack", "pack_context"),
    ("render", "one card as one message"),
    ("agents", "recipes, turns, profiles, and the setup of a host"),
    ("prompt", "requests to providers from cards and layers, tokens, budgets"),
    ("handoff", "packages of paths and indexes"),
    ("run", "orchestration: queues, turns, batches"),
    ("import", "cards from the logs of other tools"),
    ("inspect", "views for people"),
    ("lock", "lockfiles of contexts"),
    ("call", "the list of operations, settings and the workspace: JSON in, JSON out"),
];

/// The binding can import every group, and no group imports it.
const BINDING: &str = "wasm";

/// The maximum number of files in an import cycle inside a group.
const MAX_CYCLE_FILES: usize = 3;

/// Checks the imports of the core.
pub fn check(_args: &Args) -> Result<Counts> {
    let modules = Modules::of_crate(&tree::root().join("src"))?;
    let errors = errors(&modules);
    if !errors.is_empty() {
        bail!("{}", errors.join("\n"));
    }
    let files = modules.all().count();
    Ok(Counts::holds(format!("{files} files, {} imports between them", modules.imports().len())))
}

fn errors(modules: &Modules) -> Vec<String> {
    let mut errors: Vec<String> = modules
        .all()
        .filter(|module| rank(group(module)).is_none())
        .map(|module| {
            let file = modules.file(module);
            format!("src/{file}: `{}` is not a group; expected one of {}", group(module), order())
        })
        .collect();
    let imports = modules.imports();
    errors.extend(
        imports.iter().filter(|import| goes_up(import)).map(|import| upward(modules, import)),
    );
    for (name, _) in GROUPS {
        let inside = |import: &&Import| group(&import.from) == name && group(&import.to) == name;
        let edges: BTreeSet<(Module, Module)> = imports
            .iter()
            .filter(inside)
            .map(|import| (import.from.clone(), import.to.clone()))
            .collect();
        for cycle in cycles(&edges).iter().filter(|cycle| cycle.len() > MAX_CYCLE_FILES) {
            let files: Vec<&str> = cycle.iter().map(|module| modules.file(module)).collect();
            let inside = imports
                .iter()
                .filter(|import| cycle.contains(&import.from) && cycle.contains(&import.to));
            let closing: Vec<String> = inside
                .map(|import| {
                    let (from, to) = (modules.file(&import.from), modules.file(&import.to));
                    format!(
                        "\n  src/{from}:{} imports src/{to} (`{}`)",
                        import.line, import.written
                    )
                })
                .collect();
            errors.push(format!(
                "{} files of `{name}` form an import cycle; expected at most \
                 {MAX_CYCLE_FILES}: {}; move their shared code into a file that imports none of them:{}",
                files.len(),
                files.join(", "),
                closing.concat()
            ));
        }
    }
    errors
}

fn group(module: &Module) -> &str {
    module.first().map_or("", String::as_str)
}

fn rank(group: &str) -> Option<usize> {
    let names = GROUPS.iter().map(|(name, _)| *name).chain([BINDING]);
    names.into_iter().position(|name| name == group)
}

fn goes_up(import: &Import) -> bool {
    match (rank(group(&import.from)), rank(group(&import.to))) {
        (Some(from), Some(to)) => from < to,
        _ => false,
    }
}

fn upward(modules: &Modules, import: &Import) -> String {
    let (low, high) = (group(&import.from), group(&import.to));
    let holds =
        |name: &str| GROUPS.iter().find(|(group, _)| *group == name).map_or("", |(_, what)| what);
    format!(
        "src/{}:{}: `{low}` imports `{high}` (`{}` in src/{}). A lower group never imports a higher one: {}. \
         Move shared code to `{low}` ({}) or below it; pass values of `{high}` ({}) as arguments",
        modules.file(&import.from),
        import.line,
        import.written,
        modules.file(&import.to),
        order(),
        holds(low),
        if high == BINDING { "the binding" } else { holds(high) },
    )
}

fn order() -> String {
    GROUPS.map(|(name, _)| name).join(" < ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors_of(files: &[(&str, &str)]) -> Vec<String> {
        let texts = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        errors(&Modules::new(texts).unwrap())
    }

    #[test]
    fn upward_import_error_names_groups_rule_and_file() {
        let found = errors_of(&[
            ("store/mod.rs", "\nuse crate::render::Message;"),
            ("render/mod.rs", "use crate::store::Reads; pub struct Message;"),
        ]);
        assert_eq!(found.len(), 1);
        for part in [
            "src/store/mod.rs:2: `store` imports `render` (`crate::render::Message` in src/render/mod.rs)",
            "A lower group never imports a higher one: value < store < rule",
            "Move shared code to `store` (rows that a host",
        ] {
            assert!(found[0].contains(part), "{part}\n{}", found[0]);
        }
    }

    #[test]
    fn upward_import_through_reexports_is_found() {
        let found = errors_of(&[
            ("lib.rs", "pub use call::Workspace;"),
            ("call/mod.rs", "pub struct Workspace;"),
            ("value/id.rs", "fn f(_: crate::Workspace) {}"),
        ]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("src/value/id.rs:1: `value` imports `call`"), "{}", found[0]);
    }

    #[test]
    fn downward_imports_and_tests_are_allowed() {
        let found = errors_of(&[
            ("value/mod.rs", "#[cfg(test)] mod tests { use crate::store::Reads; }"),
            ("store/mod.rs", "use crate::value::Id; pub struct Reads;"),
            ("wasm/mod.rs", "use crate::store::Reads;"),
        ]);
        assert!(found.is_empty(), "{found:?}");
        assert_eq!(
            errors_of(&[("value/mod.rs", "use crate::wasm::X;"), ("wasm/mod.rs", "")]).len(),
            1
        );
    }

    #[test]
    fn folder_without_a_group_is_an_error() {
        let found = errors_of(&[("helpers/mod.rs", "")]);
        assert!(
            found[0].starts_with("src/helpers/mod.rs: `helpers` is not a group"),
            "{}",
            found[0]
        );
    }

    #[test]
    fn cycle_of_three_files_is_allowed_and_of_four_is_not() {
        let three = [
            ("cards/mod.rs", ""),
            ("cards/a.rs", "use super::b::X;"),
            ("cards/b.rs", "use super::c::X;"),
            ("cards/c.rs", "use super::a::X;"),
        ];
        assert!(errors_of(&three).is_empty());
        let four = [
            &three[..3],
            &[("cards/c.rs", "use super::d::X;"), ("cards/d.rs", "use super::a::X;")],
        ];
        let found = errors_of(&four.concat());
        assert!(found[0].starts_with("4 files of `cards` form an import cycle"), "{found:?}");
    }
}
