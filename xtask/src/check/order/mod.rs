//! The order of the groups of `src/`: a lower group never imports a higher one.
//!
//! The order itself proves that no import circle between groups exists. Inside a group files may
//! know each other, but no circle holds more than [`LARGEST_CIRCLE`] of them. Code that only tests
//! compile may import what it likes.

mod circle;
mod imports;
mod modules;

use super::{Args, Counts};
use crate::tree;
use anyhow::{Result, bail};
use circle::circles;
use modules::{Import, Module, Modules};
use std::collections::BTreeSet;

/// The groups from the lowest to the highest, each with what belongs there.
const GROUPS: [(&str, &str); 13] = [
    (
        "value",
        "values that know no store and no rule: JSON, errors, ids, time, cards, boxes, messages",
    ),
    ("store", "what is read from and written to a host: reads, answers, snapshot, writes, commits"),
    (
        "rule",
        "the spine of every operation: steps, outcomes, ledger, lints, merge, hashes, dialects",
    ),
    ("cards", "operations on cards and boxes"),
    ("pack", "pack_context"),
    ("render", "one card as one message"),
    ("agents", "recipes, turns, profiles, and the setup of a host"),
    ("prompt", "from cards and layers to a provider's request, its tokens and its budget"),
    ("handoff", "packages of paths and indexes"),
    ("run", "orchestration: queues, turns, batches as state machines"),
    ("import", "cards made from other systems' records"),
    ("inspect", "views for people over everything below"),
    ("call", "the list of operations, settings and the workspace: JSON in, JSON out"),
];

/// The binding may import everything, and nothing imports it.
const BINDING: &str = "wasm";

/// The most files that may import each other in a circle, inside one group.
const LARGEST_CIRCLE: usize = 3;

/// Checks the imports of the core.
pub fn check(_args: &Args) -> Result<Counts> {
    let modules = Modules::of_crate(&tree::root().join("src"))?;
    let faults = faults(&modules);
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    let files = modules.all().count();
    Ok(Counts::holds(format!("{files} files, {} imports between them", modules.imports().len())))
}

fn faults(modules: &Modules) -> Vec<String> {
    let mut faults: Vec<String> = modules
        .all()
        .filter(|module| rank(group(module)).is_none())
        .map(|module| {
            let file = modules.file(module);
            format!("src/{file}: `{}` is no group; the groups are {}", group(module), order())
        })
        .collect();
    let imports = modules.imports();
    faults.extend(
        imports.iter().filter(|import| goes_up(import)).map(|import| upward(modules, import)),
    );
    for (name, _) in GROUPS {
        let inside = |import: &&Import| group(&import.from) == name && group(&import.to) == name;
        let edges: BTreeSet<(Module, Module)> = imports
            .iter()
            .filter(inside)
            .map(|import| (import.from.clone(), import.to.clone()))
            .collect();
        for circle in circles(&edges).iter().filter(|circle| circle.len() > LARGEST_CIRCLE) {
            let files: Vec<&str> = circle.iter().map(|module| modules.file(module)).collect();
            let inside = imports
                .iter()
                .filter(|import| circle.contains(&import.from) && circle.contains(&import.to));
            let closing: Vec<String> = inside
                .map(|import| {
                    let (from, to) = (modules.file(&import.from), modules.file(&import.to));
                    format!(
                        "\n  src/{from}:{} imports src/{to} (`{}`)",
                        import.line, import.written
                    )
                })
                .collect();
            faults.push(format!(
                "{} files of `{name}` import each other in a circle, and {LARGEST_CIRCLE} is the \
                 most: {}; move what they share into a file that imports none of them:{}",
                files.len(),
                files.join(", "),
                closing.concat()
            ));
        }
    }
    faults
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
         What both need belongs in `{low}` ({}) or below it; what only `{high}` ({}) can know is handed in as an argument",
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

    fn faults_of(files: &[(&str, &str)]) -> Vec<String> {
        let texts = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        faults(&Modules::new(texts).unwrap())
    }

    #[test]
    fn an_upward_import_names_both_groups_the_rule_and_the_place_of_the_thing() {
        let found = faults_of(&[
            ("store/mod.rs", "\nuse crate::render::Message;"),
            ("render/mod.rs", "use crate::store::Reads; pub struct Message;"),
        ]);
        assert_eq!(found.len(), 1);
        for part in [
            "src/store/mod.rs:2: `store` imports `render` (`crate::render::Message` in src/render/mod.rs)",
            "A lower group never imports a higher one: value < store < rule",
            "What both need belongs in `store` (what is read from",
        ] {
            assert!(found[0].contains(part), "{part}\n{}", found[0]);
        }
    }

    #[test]
    fn an_upward_import_through_the_names_of_the_crate_is_found() {
        let found = faults_of(&[
            ("lib.rs", "pub use call::Workspace;"),
            ("call/mod.rs", "pub struct Workspace;"),
            ("value/id.rs", "fn f(_: crate::Workspace) {}"),
        ]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("src/value/id.rs:1: `value` imports `call`"), "{}", found[0]);
    }

    #[test]
    fn downward_imports_and_tests_are_fine() {
        let found = faults_of(&[
            ("value/mod.rs", "#[cfg(test)] mod tests { use crate::store::Reads; }"),
            ("store/mod.rs", "use crate::value::Id; pub struct Reads;"),
            ("wasm/mod.rs", "use crate::store::Reads;"),
        ]);
        assert!(found.is_empty(), "{found:?}");
        assert_eq!(
            faults_of(&[("value/mod.rs", "use crate::wasm::X;"), ("wasm/mod.rs", "")]).len(),
            1
        );
    }

    #[test]
    fn a_new_folder_has_to_be_put_into_the_order() {
        let found = faults_of(&[("helpers/mod.rs", "")]);
        assert!(found[0].starts_with("src/helpers/mod.rs: `helpers` is no group"), "{}", found[0]);
    }

    #[test]
    fn three_files_may_know_each_other_and_four_may_not() {
        let three = [
            ("cards/mod.rs", ""),
            ("cards/a.rs", "use super::b::X;"),
            ("cards/b.rs", "use super::c::X;"),
            ("cards/c.rs", "use super::a::X;"),
        ];
        assert!(faults_of(&three).is_empty());
        let four = [
            &three[..3],
            &[("cards/c.rs", "use super::d::X;"), ("cards/d.rs", "use super::a::X;")],
        ];
        let found = faults_of(&four.concat());
        assert!(
            found[0].starts_with("4 files of `cards` import each other in a circle"),
            "{found:?}"
        );
    }
}
