//! Which modules and names of the crate its users can reach.

use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use syn::{Item, UseTree, Visibility};

/// The declarations of all modules that decide what is public.
#[derive(Default)]
pub struct Exports(BTreeMap<String, Module>);

#[derive(Default)]
struct Module {
    /// The modules in it, and whether they are public.
    children: BTreeMap<String, bool>,
    /// The types that it declares outside of macros, and whether they are public.
    types: BTreeMap<String, bool>,
    /// The names that it exports again, and their paths.
    exports: Vec<(String, Vec<String>)>,
}

/// What users can reach.
pub struct Public<'a> {
    modules: &'a BTreeMap<String, Module>,
    reachable: BTreeSet<&'a str>,
    /// Names of modules that are not reachable, which a reachable one exports.
    exported: BTreeSet<(String, String)>,
}

impl Exports {
    /// Adds the source of a module.
    pub fn add(&mut self, name: &str, text: &str) -> Result<()> {
        let module = self.0.entry(name.to_owned()).or_default();
        for item in syn::parse_file(text)?.items {
            match item {
                Item::Mod(one) => {
                    module.children.insert(one.ident.to_string(), is_public(&one.vis));
                }
                Item::Struct(one) => {
                    module.types.insert(one.ident.to_string(), is_public(&one.vis));
                }
                Item::Enum(one) => {
                    module.types.insert(one.ident.to_string(), is_public(&one.vis));
                }
                Item::Use(one) if is_public(&one.vis) => {
                    flatten(&one.tree, &mut Vec::new(), &mut module.exports);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns what users can reach.
    pub fn public(&self) -> Public<'_> {
        let is_reachable = |name: &&str| {
            let mut at = *name;
            while let Some((parent, child)) = at.rsplit_once("::") {
                let parent_module = self.0.get(parent);
                if parent_module.and_then(|module| module.children.get(child)) != Some(&true) {
                    return false;
                }
                at = parent;
            }
            true
        };
        let reachable: BTreeSet<&str> =
            self.0.keys().map(String::as_str).filter(is_reachable).collect();
        let mut exported = BTreeSet::new();
        let of = |name: &str| self.0.get(name).map_or(&[][..], |module| &module.exports);
        let mut pending: Vec<(String, String)> = reachable
            .iter()
            .flat_map(|name| of(name).iter().filter_map(|(_, path)| self.resolve(name, path)))
            .collect();
        while let Some((module, name)) = pending.pop() {
            let again = of(&module).iter().filter(|(known, _)| *known == name);
            pending.extend(again.filter_map(|(_, path)| self.resolve(&module, path)));
            exported.insert((module, name));
        }
        Public { modules: &self.0, reachable, exported }
    }

    /// Returns the module and the name that a path in a module refers to.
    fn resolve(&self, from: &str, path: &[String]) -> Option<(String, String)> {
        let (name, path) = path.split_last()?;
        let mut module = from.to_owned();
        for step in path {
            match step.as_str() {
                "crate" => module = "tuckbox".to_owned(),
                "self" => {}
                "super" => module = module.rsplit_once("::")?.0.to_owned(),
                step if self.0.get(&module).is_some_and(|of| of.children.contains_key(step)) => {
                    module = format!("{module}::{step}");
                }
                // another crate
                _ => return None,
            }
        }
        Some((module, name.clone()))
    }
}

impl Public<'_> {
    /// Returns whether users can name an item of a module. Items without a name belong to the module.
    pub fn has(&self, module: &str, name: &str) -> bool {
        self.reachable.contains(module)
            || self.exported.contains(&(module.to_owned(), name.to_owned()))
    }

    /// Returns whether users can name the type of an `impl` in a module.
    pub fn has_type(&self, module: &str, name: &str) -> bool {
        let declared = |of: &str| self.modules.get(of)?.types.get(name).copied();
        if let Some(is_public) = declared(module) {
            return is_public && self.has(module, name);
        }
        let mut homes = self.modules.keys().filter_map(|of| Some((of, declared(of)?))).peekable();
        // a macro declares the type, or another module
        match homes.peek() {
            None => self.has(module, name),
            Some(_) => homes.any(|(of, is_public)| is_public && self.has(of, name)),
        }
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn flatten(tree: &UseTree, path: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    let mut push = |name: String, last: String| {
        found.push((name, path.iter().cloned().chain([last]).collect()));
    };
    match tree {
        UseTree::Name(one) => push(one.ident.to_string(), one.ident.to_string()),
        UseTree::Rename(one) => push(one.rename.to_string(), one.ident.to_string()),
        UseTree::Glob(_) => {}
        UseTree::Path(one) => {
            path.push(one.ident.to_string());
            flatten(&one.tree, path, found);
            path.pop();
        }
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| flatten(tree, path, found));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_users_can_write_are_public() {
        let mut exports = Exports::default();
        for (module, text) in [
            ("tuckbox", "pub mod open; mod own; pub use own::Shown;"),
            ("tuckbox::open", "pub struct Thing; struct Hidden; pub use deep::Deep; mod deep;"),
            ("tuckbox::open::deep", "pub use super::super::own::Deep;"),
            ("tuckbox::own", "pub struct Shown; pub struct Deep; pub struct Kept;"),
        ] {
            exports.add(module, text).unwrap();
        }
        let public = exports.public();
        assert!(public.has("tuckbox::open", "Thing") && public.has("tuckbox::own", "Shown"));
        assert!(public.has("tuckbox::own", "Deep"), "exported in two steps");
        assert!(!public.has("tuckbox::own", "Kept") && !public.has("tuckbox::own", ""));
        assert!(!public.has_type("tuckbox::open", "Hidden"), "a private type of a public module");
        assert!(public.has_type("tuckbox::open::deep", "Shown"), "declared elsewhere");
        assert!(!public.has_type("tuckbox::open", "Kept"));
    }
}
