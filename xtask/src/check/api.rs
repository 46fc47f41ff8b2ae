//! Compares the public API of the crate with `tests/public_api.txt`. The file has every item that
//! users can name, with its module and signature, and the methods of public types.
//!
//! The list is made from the source, because `cargo-public-api` needs the JSON of rustdoc and so a
//! nightly compiler. A change of the API changes the file and is visible in review.
//! `TUCKBOX_BLESS=1` writes the file.

mod exports;

use super::{Args, Counts};
use crate::tree;
use anyhow::{Context, Result, anyhow, bail};
use exports::Exports;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::fs;

const GOLDEN: &str = "tests/public_api.txt";

/// Compares the public API with the golden file.
pub fn check(_args: &Args) -> Result<Counts> {
    let root = tree::root();
    let mut exports = Exports::default();
    let mut files = Vec::new();
    for file in tree::files_below(&root.join("src"), &[])? {
        let name = file.strip_prefix(root.join("src"))?.to_string_lossy().replace('\\', "/");
        let Some(stem) = name.strip_suffix(".rs") else { continue };
        if stem.ends_with("tests") {
            continue;
        }
        let module = stem.trim_end_matches("/mod").replace('/', "::");
        let module =
            if module == "lib" { "tuckbox".to_owned() } else { format!("tuckbox::{module}") };
        let text = fs::read_to_string(&file)?;
        let items = surface(&text).with_context(|| format!("`src/{name}`"))?;
        exports.add(&module, &text).with_context(|| format!("`src/{name}`"))?;
        files.push((module, items));
    }
    let public = exports.public();
    let lines: BTreeSet<String> = files
        .iter()
        .flat_map(|(module, items)| items.iter().map(move |item| (module, item)))
        .filter(|(module, item)| match &item.owner {
            Some(owner) => public.has_type(module, owner),
            None => public.has(module, &item.name),
        })
        .map(|(module, item)| format!("{module} {}", item.line))
        .collect();
    let found: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let golden = root.join(GOLDEN);
    if std::env::var_os("TUCKBOX_BLESS").is_some() {
        fs::write(&golden, &found)?;
        return Ok(Counts::holds(format!("{} items written", lines.len())));
    }
    let expected =
        fs::read_to_string(&golden).with_context(|| format!("cannot read `{GOLDEN}`"))?;
    let known: BTreeSet<&str> = expected.lines().collect();
    let new =
        lines.iter().filter(|line| !known.contains(line.as_str())).map(|line| format!("+ {line}"));
    let gone = known.iter().filter(|line| !lines.contains(**line)).map(|line| format!("- {line}"));
    let changes: Vec<String> = gone.chain(new).collect();
    if !changes.is_empty() {
        bail!(
            "the public API differs from `{GOLDEN}`:\n{}\nif the change is intended, run \
             `TUCKBOX_BLESS=1 cargo xtask test --only api` and commit the file",
            changes.join("\n")
        );
    }
    Ok(Counts::holds(format!("{} items", lines.len())))
}

/// A public item of a file.
struct Listed {
    /// Its name; empty for exports and modules.
    name: String,
    /// The type that it is a method of.
    owner: Option<String>,
    line: String,
}

/// Returns the public items of a file, without their bodies.
fn surface(text: &str) -> Result<Vec<Listed>> {
    let tokens: TokenStream = text.parse().map_err(|error| anyhow!("not valid Rust: {error}"))?;
    let mut items = Vec::new();
    read(tokens, "", &mut items);
    Ok(items)
}

/// Returns the name of the type of an `impl`.
fn type_of(head: &str) -> Option<String> {
    // the tokens of a lifetime are apart in a head
    let head = head.replace("' ", "'");
    let one: syn::ItemImpl = syn::parse_str(&format!("{head} {{}}")).ok()?;
    let syn::Type::Path(path) = *one.self_ty else { return None };
    Some(path.path.segments.last()?.ident.to_string())
}

/// Returns the name after the keywords of an item; nothing for exports and modules.
fn name_of(head: &str) -> String {
    const BEFORE_NAME: [&str; 8] =
        ["struct", "enum", "union", "trait", "fn", "type", "static", "const"];
    let is_keyword =
        |word: &&str| BEFORE_NAME.contains(word) || matches!(*word, "unsafe" | "async");
    let mut words = head.split(' ').skip_while(|word| !is_keyword(word));
    words.find(|word| !is_keyword(word)).unwrap_or_default().to_owned()
}

fn read(tokens: TokenStream, owner: &str, items: &mut Vec<Listed>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    let mut is_test = false;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                if let Some(TokenTree::Group(attribute)) = tokens.get(at) {
                    is_test |=
                        attribute.stream().to_string().replace(' ', "").starts_with("cfg(test");
                    at += 1;
                }
                continue;
            }
            TokenTree::Ident(word) if word == "impl" || word == "trait" || word == "mod" => {
                let (head, body, next) = item(&tokens, at - 1);
                at = next;
                let is_inherent = word == "impl" && !head.contains(" for ");
                if let (false, true, Some(body)) = (is_test, is_inherent, body) {
                    read(body, &head, items);
                }
            }
            TokenTree::Ident(word) if word == "pub" => {
                let is_narrow = matches!(tokens.get(at), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
                let (head, body, next) = item(&tokens, at - 1);
                at = next;
                if is_test || is_narrow {
                    is_test = false;
                    continue;
                }
                let kind = head.split(' ').nth(1).unwrap_or_default().to_owned();
                let name = name_of(&head);
                let owned = if owner.is_empty() { head } else { format!("{owner} :: {head}") };
                let line = match (kind.as_str(), body) {
                    // fields and variants are public, bodies of functions are not
                    ("struct" | "enum" | "union", Some(body)) => {
                        format!("{owned} {{ {} }}", members(body, kind == "enum"))
                    }
                    ("trait", Some(body)) => format!("{owned} {{ {} }}", plain(body)),
                    _ => owned,
                };
                items.push(Listed { name, owner: type_of(owner), line });
            }
            TokenTree::Group(_)
            | TokenTree::Ident(_)
            | TokenTree::Punct(_)
            | TokenTree::Literal(_) => {}
        }
        is_test = false;
    }
}

/// Returns an item up to its body or its `;`: its head, its body, and the next index.
fn item(tokens: &[TokenTree], from: usize) -> (String, Option<TokenStream>, usize) {
    let mut head = Vec::new();
    let mut at = from;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ';' => return (join(&head), None, at),
            // a value is not part of the API and can be long
            TokenTree::Punct(punct) if punct.as_char() == '=' && is_constant(&head) => {
                let end = tokens.iter().skip(at).position(is_end);
                return (join(&head), None, end.map_or(tokens.len(), |length| at + length + 1));
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && !is_use(&head) => {
                return (join(&head), Some(group.stream()), at);
            }
            token => head.push(token.to_string()),
        }
    }
    (join(&head), None, at)
}

fn is_end(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';')
}

fn is_constant(head: &[String]) -> bool {
    head.iter().any(|word| word == "const" || word == "static")
        && !head.iter().any(|word| word == "fn")
}

fn is_use(head: &[String]) -> bool {
    head.iter().any(|word| word == "use")
}

/// Returns the public fields of a struct, or all variants of an enum.
fn members(body: TokenStream, all: bool) -> String {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let mut found = Vec::new();
    let mut depth = 0_i32;
    let mut member: Vec<String> = Vec::new();
    let mut skip = 0;
    for (at, token) in tokens.iter().enumerate() {
        if at < skip {
            continue;
        }
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => skip = at + 2,
            TokenTree::Punct(punct) if punct.as_char() == ',' && depth == 0 => {
                found.push(std::mem::take(&mut member));
            }
            token => {
                if let TokenTree::Punct(punct) = token {
                    depth += i32::from(punct.as_char() == '<') - i32::from(punct.as_char() == '>');
                }
                member.push(match token {
                    TokenTree::Group(group) => plain_group(group),
                    other => other.to_string(),
                });
            }
        }
    }
    found.push(member);
    let is_public = |member: &Vec<String>| {
        let narrow = member.get(1).is_some_and(|word| word.starts_with('('));
        all || (member.first().is_some_and(|word| word == "pub") && !narrow)
    };
    let shown = found.iter().filter(|member| !member.is_empty() && is_public(member));
    shown.map(|member| join(member)).collect::<Vec<_>>().join(", ")
}

fn plain_group(group: &proc_macro2::Group) -> String {
    let inside = plain(group.stream());
    match group.delimiter() {
        Delimiter::Parenthesis => format!("({inside})"),
        Delimiter::Brace => format!("{{ {inside} }}"),
        Delimiter::Bracket => format!("[{inside}]"),
        Delimiter::None => inside,
    }
}

/// Returns tokens without attributes and documentation.
fn plain(tokens: TokenStream) -> String {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => at += 1,
            TokenTree::Group(group) => words.push(plain_group(group)),
            other => words.push(other.to_string()),
        }
    }
    join(&words)
}

/// Joins words to one line, and characters to operators.
fn join(words: &[String]) -> String {
    let line = words.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace(": :", "::").replace("- >", "->").replace("= =", "==")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_items_have_no_bodies() {
        let text = r#"
            /// A thing.
            pub struct Thing<T> { /// Its name.
                pub name: Map<String, T>, hidden: u8, pub(crate) own: u8 }
            impl<T> Thing<T> { /// Makes one.
                pub fn new(name: &str) -> Self { todo!() } fn own() {} pub(crate) fn narrow() {} }
            impl Clone for Thing<u8> { fn clone(&self) -> Self { todo!() } }
            #[non_exhaustive] pub enum Kind { One, Two { at: usize }, Three(u8) }
            pub const ALL: [Kind; 1] = [Kind::One];
            pub use other::{A, B};
            pub trait Rule { /// Steps.
                fn step(&self) -> u8; }
            fn private() {}
            #[cfg(test)] pub fn only_in_tests() {}
            #[cfg(test)] mod tests { pub fn f() {} }
        "#;
        let lines: Vec<String> = surface(text).unwrap().into_iter().map(|item| item.line).collect();
        assert_eq!(
            lines,
            [
                "pub struct Thing < T > { pub name : Map < String , T > }",
                "impl < T > Thing < T > :: pub fn new (name : & str) -> Self",
                "pub enum Kind { One, Two { at : usize }, Three (u8) }",
                "pub const ALL : [Kind ; 1]",
                "pub use other :: { A , B }",
                "pub trait Rule { fn step (& self) -> u8 ; }",
            ]
        );
    }
}
