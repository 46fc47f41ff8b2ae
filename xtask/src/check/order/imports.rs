//! The paths in a Rust file that begin at the crate, at the module or at its parent.
//!
//! The file is read as tokens, so the bodies of macros count. Comments, strings and items under
//! `#[cfg(test)]` do not.

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::BTreeSet;

/// A path as written in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The segments, such as `["crate", "store", "Reads"]`. A path without `crate`, `self` or
    /// `super` begins at a name of the file.
    pub path: Vec<String>,
    pub line: usize,
    /// The number of inline modules around it.
    pub depth: usize,
}

/// A name that a `use` declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    pub name: String,
    pub to: Mention,
    /// True for `pub use`, which is an export and not an import of this file.
    pub is_export: bool,
}

/// The paths of a file.
#[derive(Debug, Default)]
pub struct Source {
    pub mentions: Vec<Mention>,
    pub aliases: Vec<Alias>,
    /// Child modules that exist only for tests.
    pub test_modules: BTreeSet<String>,
}

/// Reads the text of a file.
pub fn read(text: &str) -> Result<Source> {
    let tokens: TokenStream = text.parse().map_err(|error| anyhow!("not valid Rust: {error}"))?;
    let mut source = Source::default();
    source.read_tokens(tokens, 0);
    Ok(source)
}

impl Source {
    fn read_tokens(&mut self, tokens: TokenStream, depth: usize) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        let mut is_public = false;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    if tokens.get(at + 1).is_some_and(is_test_attribute) {
                        at = self.skip_item(&tokens, at + 2);
                    } else {
                        at += 2;
                    }
                    continue;
                }
                TokenTree::Ident(word) if word == "pub" => {
                    is_public = true;
                    // `pub(crate)`
                    at += 1 + usize::from(group(&tokens, at + 1, Delimiter::Parenthesis).is_some());
                    continue;
                }
                TokenTree::Ident(word) if word == "use" && is_path(&tokens, at + 1) => {
                    at = self.read_use(&tokens, at + 1, depth, is_public);
                }
                TokenTree::Ident(word) if word == "mod" => {
                    if let Some(body) = group(&tokens, at + 2, Delimiter::Brace) {
                        self.read_tokens(body.stream(), depth + 1);
                        at += 1;
                    }
                    at += 2;
                }
                TokenTree::Ident(word) if !follows_path(&tokens, at) => {
                    let line = word.span().start().line;
                    let (path, next) = read_path(&tokens, at);
                    self.mentions.push(Mention { path, line, depth });
                    at = next;
                }
                TokenTree::Group(inner) => {
                    self.read_tokens(inner.stream(), depth);
                    at += 1;
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => at += 1,
            }
            is_public = false;
        }
    }

    /// Skips the item after `#[cfg(test)]`, up to its `;` or its body.
    fn skip_item(&mut self, tokens: &[TokenTree], mut at: usize) -> usize {
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ';' => break,
                TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => break,
                TokenTree::Ident(word) if word == "mod" => {
                    self.test_modules.extend(tokens.get(at).map(ToString::to_string));
                }
                _ => {}
            }
        }
        at
    }

    fn read_use(
        &mut self,
        tokens: &[TokenTree],
        from: usize,
        depth: usize,
        is_export: bool,
    ) -> usize {
        let end = tokens.iter().skip(from).position(|token| is_punct(token, ';'));
        let end = end.map_or(tokens.len(), |length| from + length);
        let tree: Vec<TokenTree> = tokens.iter().take(end).skip(from).cloned().collect();
        for (path, name, line) in read_tree(&tree, &[]) {
            let to = Mention { path, line, depth };
            self.aliases.push(Alias { name, to, is_export });
        }
        end + 1
    }
}

/// Expands `a::b::{c, d as e}` to its paths and their names.
fn read_tree(tokens: &[TokenTree], before: &[String]) -> Vec<(Vec<String>, String, usize)> {
    let mut found = Vec::new();
    for branch in tokens.split(|token| is_punct(token, ',')) {
        let mut path = before.to_vec();
        let mut renamed = None;
        let mut line = 0;
        let mut nested = None;
        let mut words = branch.iter();
        while let Some(token) = words.next() {
            match token {
                TokenTree::Ident(word) if word == "as" => {
                    renamed = words.next().map(ToString::to_string);
                }
                TokenTree::Ident(word) => {
                    line = word.span().start().line;
                    // `{self, b}` names the module itself
                    if word != "self" || path.is_empty() {
                        path.push(word.to_string());
                    }
                }
                TokenTree::Group(inner) => nested = Some(inner.stream()),
                TokenTree::Punct(punct) if punct.as_char() == '*' => path.push("*".to_owned()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
        match nested {
            Some(inner) => {
                let inner: Vec<TokenTree> = inner.into_iter().collect();
                found.extend(read_tree(&inner, &path));
            }
            None => {
                if let Some(last) = path.last() {
                    let name = renamed.unwrap_or_else(|| last.clone());
                    found.push((path, name, line));
                }
            }
        }
    }
    found
}

/// Returns the path that begins at a word, and the index after it.
fn read_path(tokens: &[TokenTree], from: usize) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    let mut at = from;
    while let Some(TokenTree::Ident(word)) = tokens.get(at) {
        path.push(word.to_string());
        at += 1;
        if !is_separator(tokens, at) {
            break;
        }
        at += 2;
    }
    (path, at)
}

/// Returns true for a word inside a path, or for the name of a field or method.
fn follows_path(tokens: &[TokenTree], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| tokens.get(at));
    let is_range = at.checked_sub(2).and_then(|at| tokens.get(at));
    match before {
        Some(token) if is_punct(token, '.') => !is_range.is_some_and(|token| is_punct(token, '.')),
        Some(token) => is_punct(token, ':') && at >= 2 && is_separator(tokens, at - 2),
        None => false,
    }
}

fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    [at, at + 1].iter().all(|at| tokens.get(*at).is_some_and(|token| is_punct(token, ':')))
}

fn is_path(tokens: &[TokenTree], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| matches!(token, TokenTree::Ident(_)) || is_punct(token, ':'))
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

fn group(tokens: &[TokenTree], at: usize, delimiter: Delimiter) -> Option<&Group> {
    match tokens.get(at) {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

/// Returns true for `[cfg(test)]` and `[cfg(doctest)]`, also inside `all(..)`.
fn is_test_attribute(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else {
        return false;
    };
    let text: String = group.stream().to_string().split_whitespace().collect();
    let Some(condition) = text.strip_prefix("cfg(") else {
        return false;
    };
    let condition = condition.strip_prefix("all(").unwrap_or(condition);
    condition.split([',', ')']).any(|one| one == "test" || one == "doctest")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let source = read(text).unwrap();
        let aliases = source.aliases.iter().map(|alias| &alias.to);
        aliases
            .chain(&source.mentions)
            .filter(|mention| mention.path.len() > 1)
            .map(|mention| mention.path.join("::"))
            .collect()
    }

    #[test]
    fn use_tree_expands_to_paths() {
        assert_eq!(
            paths("use crate::{Error, store::{self, Reads as R, row::*}};"),
            ["crate::Error", "crate::store", "crate::store::Reads", "crate::store::row::*"]
        );
    }

    #[test]
    fn code_and_macros_have_paths_but_fields_do_not() {
        assert_eq!(paths("fn f() { a.crate_name; crate::b::C::new(super::d) }").len(), 2);
        assert_eq!(
            paths("macro_rules! m { () => { crate::x::Y } } m!(crate::z::W);"),
            ["crate::x::Y", "crate::z::W"]
        );
    }

    #[test]
    fn comments_strings_and_tests_have_no_paths() {
        let text = r#"
            //! [`crate::a::B`]
            /* crate::c::D */
            const TEXT: &str = "crate::e::F";
            #[cfg(test)] use crate::g::H;
            #[cfg(all(test, not(miri)))] mod tests { use crate::i::J; }
            #[cfg(test)] mod other;
            #[cfg(target_os = "none")] use crate::k::L;
        "#;
        assert_eq!(paths(text), ["crate::k::L"]);
        assert!(read(text).unwrap().test_modules.contains("other"));
    }

    #[test]
    fn exports_imports_and_lines_are_distinguished() {
        let source =
            read("pub(crate) use a::B;\nuse super::c::D;\nmod e { use super::F; }").unwrap();
        let seen: Vec<_> =
            source.aliases.iter().map(|a| (a.is_export, a.to.line, a.to.depth)).collect();
        assert_eq!(seen, [(true, 1, 0), (false, 2, 0), (false, 3, 1)]);
    }

    #[test]
    fn invalid_rust_is_an_error() {
        assert!(read("fn f( {").is_err());
    }
}
