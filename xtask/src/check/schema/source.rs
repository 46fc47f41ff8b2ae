//! Reads the declarations of the crate: structs, enums, the values of rules, and `shape!`.

use super::macros::{
    ArgumentStruct, ArgumentStructs, Operation, Operations, Performed, Row, Rows, Settings,
    ShapeItems, Statuses, enum_name,
};
use crate::tree;
use anyhow::{Context, Result, anyhow, bail};
use proc_macro2::TokenStream;
use std::collections::BTreeMap;
use syn::{Item, ReturnType, Type, UseTree};

/// The path of a module from the root of the crate.
pub type ModulePath = Vec<String>;

/// The declaration of an item.
#[derive(Clone)]
pub enum Declared {
    /// A plain item. serde writes it if it derives `Serialize`.
    Item(Item),
    /// An item in a `shape!` of this module. It declares the form of a value with its own
    /// serializer.
    Shape(Item, ModulePath),
    /// A row of a table of orchestration. Columns that are `null` are omitted.
    Row(Row),
    /// A struct of an `arguments!`.
    Arguments(ArgumentStruct),
    /// A list of words.
    Words(Vec<syn::Attribute>, Vec<String>),
    /// A list of codes. `codes.d.ts` declares them.
    Codes,
}

#[derive(Default)]
pub struct Module {
    /// The full paths of imported names.
    uses: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    pub items: BTreeMap<String, Declared>,
    /// The types with `#[input]` in a `shape!`: their form as arguments, if answers have another
    /// form.
    pub inputs: BTreeMap<String, Declared>,
    /// The value of each `impl Rule for Name`.
    pub rules: BTreeMap<String, Type>,
    /// The return types of functions.
    pub functions: BTreeMap<String, Type>,
    /// The values of constants. Defaults and bounds of arguments can name them.
    pub constants: BTreeMap<String, syn::Expr>,
}

/// All modules.
pub struct Source {
    pub modules: BTreeMap<ModulePath, Module>,
    /// The answers of operations that a `shape!` declares.
    pub answers: BTreeMap<String, (ModulePath, Type)>,
    /// The operations in their order.
    pub operations: Vec<Operation>,
    /// The parts of the WebAssembly module in order, each with a line of documentation.
    pub parts: Vec<(String, String)>,
    /// The arguments of operations that a `shape!` declares.
    pub arguments: BTreeMap<String, (ModulePath, Type)>,
}

impl Source {
    /// Reads every file of the crate except tests.
    pub fn of_crate() -> Result<Self> {
        let src = tree::root().join("src");
        let mut texts = Vec::new();
        for file in tree::files_below(&src, &["tests"])? {
            let name = file.strip_prefix(&src)?.to_string_lossy().replace('\\', "/");
            if name.ends_with(".rs") && !name.ends_with("tests.rs") {
                texts.push((name, std::fs::read_to_string(&file)?));
            }
        }
        Self::new(texts)
    }

    /// Does the same as [`Source::of_crate`], from file names below `src` and their text.
    pub fn new(texts: impl IntoIterator<Item = (String, String)>) -> Result<Self> {
        let mut source = Self {
            modules: BTreeMap::new(),
            answers: BTreeMap::new(),
            operations: Vec::new(),
            parts: Vec::new(),
            arguments: BTreeMap::new(),
        };
        for (name, text) in texts {
            source.read(&name, &text).with_context(|| format!("`src/{name}`"))?;
        }
        source.move_shapes();
        Ok(source)
    }

    /// Moves the shape of an imported type to the module of the type.
    fn move_shapes(&mut self) {
        let mut moved = Vec::new();
        for (path, module) in &self.modules {
            for (name, declared) in &module.items {
                let Some(whole) = module.uses.get(name) else { continue };
                if matches!(declared, Declared::Shape(..))
                    && let Some(home) = self.resolve(path, whole)
                {
                    moved.push((home, declared.clone()));
                }
            }
        }
        for ((module, name), declared) in moved {
            if let Some(module) = self.modules.get_mut(&module) {
                module.items.insert(name, declared);
            }
        }
    }

    fn read(&mut self, name: &str, text: &str) -> Result<()> {
        let path = module_of(name);
        let mut module = Module::default();
        for item in syn::parse_file(text)?.items {
            if is_test(&item) {
                continue;
            }
            self.read_item(&path, &mut module, item)?;
        }
        self.modules.insert(path, module);
        Ok(())
    }

    fn read_item(&mut self, path: &ModulePath, module: &mut Module, item: Item) -> Result<()> {
        match item {
            Item::Use(found) => read_use(&found.tree, Vec::new(), module),
            Item::Struct(_) | Item::Enum(_) | Item::Type(_) => {
                if let Some(name) = name_of(&item) {
                    module.items.entry(name).or_insert(Declared::Item(item));
                }
            }
            Item::Const(found) => {
                module.constants.insert(found.ident.to_string(), *found.expr);
            }
            Item::Fn(found) => {
                if let ReturnType::Type(_, answer) = found.sig.output {
                    module.functions.insert(found.sig.ident.to_string(), *answer);
                }
            }
            Item::Impl(found) => {
                let Some((_, of, _)) = &found.trait_ else { return Ok(()) };
                if of.segments.last().is_none_or(|last| last.ident != "Rule") {
                    return Ok(());
                }
                let Type::Path(who) = &*found.self_ty else { return Ok(()) };
                let Some(who) = who.path.segments.last() else { return Ok(()) };
                for part in found.items {
                    if let syn::ImplItem::Type(value) = part {
                        module.rules.insert(who.ident.to_string(), value.ty);
                    }
                }
            }
            Item::Macro(found) => {
                let called = found.mac.path.segments.last().map(|last| last.ident.to_string());
                let tokens = found.mac.tokens;
                match called.as_deref() {
                    Some("shape") => self.read_shape(path, module, tokens)?,
                    Some("rows") if path.join("::") == "run::rows" => {
                        for row in syn::parse2::<Rows>(tokens)?.0 {
                            module.items.insert(row.name.to_string(), Declared::Row(row));
                        }
                    }
                    Some("arguments") => {
                        for one in syn::parse2::<ArgumentStructs>(tokens)?.0 {
                            module.items.insert(one.name.to_string(), Declared::Arguments(one));
                        }
                    }
                    Some("settings") if path.join("::") == "run::settings" => {
                        let Settings(one) = syn::parse2(tokens)?;
                        module.items.insert(one.name.to_string(), Declared::Arguments(one));
                    }
                    Some("perform") => {
                        let found = syn::parse2::<Performed>(tokens)?.0.into_iter();
                        module.rules.extend(found.map(|(who, answer)| (who.to_string(), answer)));
                    }
                    Some("statuses") => {
                        module.items.extend(syn::parse2::<Statuses>(tokens)?.0);
                    }
                    Some("codes" | "lint_codes" | "changes") => {
                        if let Some(name) = enum_name(tokens) {
                            module.items.insert(name, Declared::Codes);
                        }
                    }
                    Some("operations") if path.join("::") == "call::operations" => {
                        let list = syn::parse2::<Operations>(tokens)?;
                        self.operations = list.operations;
                        self.parts = list.parts;
                    }
                    Some(_) | None => {}
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn read_shape(
        &mut self,
        path: &ModulePath,
        module: &mut Module,
        tokens: TokenStream,
    ) -> Result<()> {
        let found: ShapeItems = syn::parse2(tokens).context("a `shape!`")?;
        for item in found.items {
            let name =
                name_of(&item).ok_or_else(|| anyhow!("a `shape!` can contain only types"))?;
            let items = if is_input(&item) { &mut module.inputs } else { &mut module.items };
            items.insert(name, Declared::Shape(item, path.clone()));
        }
        for (operation, of) in found.arguments {
            if self.arguments.insert(operation.clone(), (path.clone(), of)).is_some() {
                bail!("two shapes declare the arguments of `{operation}`");
            }
        }
        for (operation, answer) in found.answers {
            if self.answers.insert(operation.clone(), (path.clone(), answer)).is_some() {
                bail!("two shapes declare the answer of `{operation}`");
            }
        }
        Ok(())
    }

    /// Returns the value of a constant, as a module sees it.
    pub fn constant(&self, from: &ModulePath, path: &syn::Path) -> Option<&syn::Expr> {
        let path: Vec<String> = path.segments.iter().map(|of| of.ident.to_string()).collect();
        let (module, name) = self.resolve(from, &path)?;
        self.modules.get(&module)?.constants.get(&name)
    }

    /// Resolves a path in a module to its module and name.
    pub fn resolve(&self, from: &ModulePath, path: &[String]) -> Option<(ModulePath, String)> {
        self.find(from, path, 24)
    }

    fn find(
        &self,
        from: &ModulePath,
        path: &[String],
        left: usize,
    ) -> Option<(ModulePath, String)> {
        let left = left.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => return self.find(&Vec::new(), rest, left),
            "self" => return self.find(from, rest, left),
            "super" => return self.find(&parent(from)?, rest, left),
            _ => {}
        }
        let module = self.modules.get(from)?;
        let is_here = module.items.contains_key(first)
            || module.functions.contains_key(first)
            || module.constants.contains_key(first);
        if rest.is_empty() && is_here {
            return Some((from.clone(), first.clone()));
        }
        let below = child(from, first);
        if !rest.is_empty() && self.modules.contains_key(&below) {
            return self.find(&below, rest, left);
        }
        if let Some(whole) = module.uses.get(first) {
            let whole: Vec<String> = whole.iter().chain(rest).cloned().collect();
            return self.find(from, &whole, left);
        }
        module.globs.iter().find_map(|glob| {
            let whole: Vec<String> = glob.iter().chain(path).cloned().collect();
            self.find(from, &whole, left)
        })
    }
}

fn module_of(name: &str) -> ModulePath {
    let stem = name.trim_end_matches(".rs");
    let stem = stem.trim_end_matches("/mod");
    if stem == "lib" { Vec::new() } else { stem.split('/').map(str::to_owned).collect() }
}

fn parent(module: &ModulePath) -> Option<ModulePath> {
    module.split_last().map(|(_, above)| above.to_vec())
}

fn child(module: &ModulePath, name: &str) -> ModulePath {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

fn is_test(item: &Item) -> bool {
    let attributes = match item {
        Item::Use(found) => &found.attrs,
        Item::Struct(found) => &found.attrs,
        Item::Enum(found) => &found.attrs,
        Item::Fn(found) => &found.attrs,
        Item::Impl(found) => &found.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            list.tokens.to_string().contains("test")
        }
        _ => false,
    })
}

/// Returns true for an item of a `shape!` with `#[input]`.
fn is_input(item: &Item) -> bool {
    let attributes = match item {
        Item::Struct(found) => &found.attrs,
        Item::Enum(found) => &found.attrs,
        Item::Type(found) => &found.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| attribute.path().is_ident("input"))
}

fn name_of(item: &Item) -> Option<String> {
    match item {
        Item::Struct(found) => Some(found.ident.to_string()),
        Item::Enum(found) => Some(found.ident.to_string()),
        Item::Type(found) => Some(found.ident.to_string()),
        _ => None,
    }
}

fn read_use(tree: &UseTree, before: Vec<String>, module: &mut Module) {
    match tree {
        UseTree::Path(path) => {
            let before = child(&before, &path.ident.to_string());
            read_use(&path.tree, before, module);
        }
        UseTree::Name(name) if name.ident == "self" => {
            if let Some(last) = before.last().cloned() {
                module.uses.insert(last, before);
            }
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            module.uses.insert(name.clone(), child(&before, &name));
        }
        UseTree::Rename(name) => {
            module.uses.insert(name.rename.to_string(), child(&before, &name.ident.to_string()));
        }
        UseTree::Glob(_) => module.globs.push(before),
        UseTree::Group(group) => {
            for tree in &group.items {
                read_use(tree, before.clone(), module);
            }
        }
    }
}
