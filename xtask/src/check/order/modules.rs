//! Resolves paths to the files that define their items, through re-exports.

use super::imports::{self, Alias, Mention, Source};
use crate::tree;
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The path of a module from the root of the crate.
pub type Module = Vec<String>;

/// The modules of a crate and the paths in their files.
pub struct Modules {
    files: BTreeMap<Module, (String, Source)>,
}

/// An import of one file by another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    pub from: Module,
    pub to: Module,
    /// The path as written.
    pub written: String,
    pub line: usize,
}

impl Modules {
    /// Reads every file of a crate except those that only tests use.
    pub fn of_crate(src: &Path) -> Result<Self> {
        let mut files = Vec::new();
        for file in tree::files_below(src, &[])? {
            let name = file.strip_prefix(src)?.to_string_lossy().replace('\\', "/");
            if name.ends_with(".rs") {
                let text = std::fs::read_to_string(&file)
                    .with_context(|| format!("cannot read `{}`", tree::shown(&file)))?;
                files.push((name, text));
            }
        }
        Self::new(files)
    }

    /// Does the same as [`Modules::of_crate`], from file names below `src` and their text.
    pub fn new(texts: impl IntoIterator<Item = (String, String)>) -> Result<Self> {
        let mut files = BTreeMap::new();
        for (name, text) in texts {
            let source = imports::read(&text).with_context(|| format!("`{name}`"))?;
            files.insert(module_of(&name), (name, source));
        }
        let mut tests: BTreeSet<Module> = BTreeSet::new();
        for (module, (_, source)) in &files {
            tests.extend(source.test_modules.iter().map(|name| child(module, name)));
        }
        let is_test = |module: &Module| {
            (1..=module.len()).any(|length| module.get(..length).is_some_and(|m| tests.contains(m)))
        };
        files.retain(|module, _| !is_test(module));
        Ok(Self { files })
    }

    /// Returns the name of a module's file below `src`.
    pub fn file(&self, module: &Module) -> &str {
        self.files.get(module).map_or("?", |(name, _)| name)
    }

    /// Returns every module except the root of the crate.
    pub fn all(&self) -> impl Iterator<Item = &Module> {
        self.files.keys().filter(|module| !module.is_empty())
    }

    /// Returns every import between two files, once for each pair, without the root of the crate.
    pub fn imports(&self) -> Vec<Import> {
        let mut found: BTreeMap<(Module, Module), Import> = BTreeMap::new();
        for (module, (_, source)) in self.files.iter().filter(|(module, _)| !module.is_empty()) {
            let used =
                source.aliases.iter().filter(|alias| !alias.is_export || is_used(source, alias));
            let aliased = used.map(|alias| &alias.to);
            for mention in aliased.chain(&source.mentions) {
                let Some(to) =
                    self.absolute(module, source, mention).map(|path| self.resolve(&path, 0))
                else {
                    continue;
                };
                if to != *module && !to.is_empty() {
                    found.entry((module.clone(), to.clone())).or_insert_with(|| Import {
                        from: module.clone(),
                        to,
                        written: mention.path.join("::"),
                        line: mention.line,
                    });
                }
            }
        }
        found.into_values().collect()
    }

    /// Returns a path from the root of the crate, or `None` if it is outside.
    fn absolute(&self, module: &Module, source: &Source, mention: &Mention) -> Option<Vec<String>> {
        let (first, rest) = mention.path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" | "super" => {
                let ups = mention.path.iter().take_while(|word| *word == "super").count();
                let own = ups.saturating_sub(mention.depth);
                let base = module.get(..module.len().checked_sub(own)?)?;
                let rest = mention.path.get(ups.max(1)..)?;
                // inside an inline module `super::x` is a name of the file
                Some(base.iter().chain(rest).cloned().collect())
            }
            // a child module by its name; names of a `use` are counted at the `use`
            name if rest.is_empty() || source.aliases.iter().any(|alias| alias.name == name) => {
                None
            }
            name => {
                let path = child(module, name);
                self.files
                    .contains_key(&path)
                    .then(|| path.into_iter().chain(rest.iter().cloned()).collect())
            }
        }
    }

    /// Returns the module that defines the last name of a path.
    fn resolve(&self, path: &[String], hops: usize) -> Module {
        let mut module: Module = Vec::new();
        let mut rest = path.iter();
        for name in rest.by_ref() {
            let next = child(&module, name);
            if self.files.contains_key(&next) {
                module = next;
                continue;
            }
            let Some((_, source)) = self.files.get(&module) else { break };
            let Some(alias) = source.aliases.iter().find(|alias| alias.name == *name) else {
                break;
            };
            let to = self.absolute_alias(&module, alias);
            return match to {
                Some(to) if hops < 16 => {
                    let onward: Vec<String> = to.into_iter().chain(rest.cloned()).collect();
                    self.resolve(&onward, hops + 1)
                }
                _ => module,
            };
        }
        module
    }

    fn absolute_alias(&self, module: &Module, alias: &Alias) -> Option<Vec<String>> {
        let (first, rest) = alias.to.path.split_first()?;
        if ["crate", "self", "super"].contains(&first.as_str()) {
            let (_, source) = self.files.get(module)?;
            return self.absolute(module, source, &alias.to);
        }
        let path = child(module, first);
        self.files
            .contains_key(&path)
            .then(|| path.into_iter().chain(rest.iter().cloned()).collect())
    }
}

/// Returns true if the file uses the name that it exports.
fn is_used(source: &Source, alias: &Alias) -> bool {
    source.mentions.iter().any(|mention| mention.path.first() == Some(&alias.name))
}

fn child(module: &Module, name: &str) -> Module {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

/// Returns the module of a file: `store/mod.rs` is `store`, `store/row.rs` is `store::row`,
/// `lib.rs` is the root.
fn module_of(name: &str) -> Module {
    let stem = name.strip_suffix(".rs").unwrap_or(name);
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    if stem == "lib" { Vec::new() } else { stem.split('/').map(str::to_owned).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(files: &[(&str, &str)]) -> Vec<String> {
        let texts = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let found = Modules::new(texts).unwrap().imports();
        found.iter().map(|i| format!("{} -> {}", i.from.join("::"), i.to.join("::"))).collect()
    }

    #[test]
    fn names_resolve_to_the_defining_file() {
        let files = [
            ("lib.rs", "pub mod a; pub mod b; pub use a::Thing;"),
            ("a/mod.rs", "mod deep; pub use deep::Thing;"),
            ("a/deep.rs", "pub struct Thing;"),
            ("b.rs", "use crate::Thing; fn f(_: Thing) -> crate::a::Thing { todo!() }"),
        ];
        assert_eq!(imports(&files), ["b -> a::deep"]);
    }

    #[test]
    fn export_counts_if_its_own_file_uses_it() {
        let child = ("a/deep.rs", "pub struct Thing;");
        assert!(imports(&[("lib.rs", ""), ("a/mod.rs", "pub use deep::Thing;"), child]).is_empty());
        let used = ("a/mod.rs", "pub use deep::Thing; fn f(_: Thing) {}");
        assert_eq!(imports(&[("lib.rs", ""), used, child]), ["a -> a::deep"]);
    }

    #[test]
    fn parents_children_and_inline_modules_resolve() {
        let files = [
            ("lib.rs", ""),
            ("a/mod.rs", "mod b; mod c; const X: u8 = b::Y;"),
            ("a/b.rs", "use super::c::Z; mod inner { use super::super::W; use super::V; }"),
            ("a/c.rs", "use std::fmt; use other::a::b;"),
        ];
        assert_eq!(imports(&files), ["a -> a::b", "a::b -> a", "a::b -> a::c"]);
    }

    #[test]
    fn test_files_are_ignored() {
        let files = [
            ("lib.rs", ""),
            ("a/mod.rs", "#[cfg(test)] mod tests;"),
            ("a/tests.rs", "use crate::b::C;"),
            ("b.rs", ""),
        ];
        assert!(imports(&files).is_empty());
    }
}
