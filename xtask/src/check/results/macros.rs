//! What macros of the crate declare.

use super::source::Declared;
use anyhow::{Result, bail};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{Ident, Item, LitStr, ReturnType, Token, Type, braced};

/// One row that a `rows!` declares.
#[derive(Clone)]
pub struct Row {
    pub doc: Vec<syn::Attribute>,
    pub name: Ident,
    pub columns: Vec<(Ident, Type)>,
}

/// The rows that a `rows!` declares.
pub struct Rows(pub Vec<Row>);

impl Parse for Rows {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut rows = Vec::new();
        while !input.is_empty() {
            let doc = input.call(syn::Attribute::parse_outer)?;
            let name: Ident = input.parse()?;
            input.parse::<Token![in]>()?;
            input.parse::<Ident>()?;
            let body;
            braced!(body in input);
            let mut columns = Vec::new();
            while !body.is_empty() {
                let column: Ident = body.parse()?;
                body.parse::<Token![:]>()?;
                columns.push((column, body.parse()?));
                body.parse::<Option<Token![,]>>()?;
            }
            rows.push(Row { doc, name, columns });
        }
        Ok(Self(rows))
    }
}

/// `/// doc` and `Name: State = "state", ..;`
pub struct Words(pub Vec<(String, Declared)>);

impl Parse for Words {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut found = Vec::new();
        while !input.is_empty() {
            let doc = input.call(syn::Attribute::parse_outer)?;
            let name: Ident = input.parse()?;
            input.parse::<Token![:]>()?;
            let mut words = Vec::new();
            while !input.peek(Token![;]) {
                input.parse::<Ident>()?;
                input.parse::<Token![=]>()?;
                words.push(input.parse::<LitStr>()?.value());
                input.parse::<Option<Token![,]>>()?;
            }
            input.parse::<Token![;]>()?;
            found.push((name.to_string(), Declared::Words(doc, words)));
        }
        Ok(Self(found))
    }
}

/// What stands in a `shape!`: items, and `fn operation() -> Answer;`.
pub struct Said {
    pub items: Vec<Item>,
    pub answers: Vec<(String, Type)>,
}

impl Parse for Said {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut said = Self { items: Vec::new(), answers: Vec::new() };
        while !input.is_empty() {
            if input.peek(Token![fn]) {
                let signature = input.parse::<syn::Signature>()?;
                input.parse::<Token![;]>()?;
                if let ReturnType::Type(_, answer) = signature.output {
                    said.answers.push((signature.ident.to_string(), *answer));
                }
            } else {
                said.items.push(input.parse()?);
            }
        }
        Ok(said)
    }
}

/// The name behind the word `enum`, or the first of a macro that makes one under a fixed name.
pub fn enum_name(tokens: TokenStream) -> Option<String> {
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        if matches!(&token, TokenTree::Ident(word) if word == "enum") {
            return tokens.next().map(|name| name.to_string());
        }
    }
    None
}

/// `Part = gate { "name" => |..| .., "other" => reader, }`: the names, and the first path inside
/// `Call::new(..)` or the function that reads.
pub fn read_operations(tokens: TokenStream) -> Result<Vec<(String, Vec<String>)>> {
    let mut found = Vec::new();
    for token in tokens {
        let TokenTree::Group(part) = token else { continue };
        if part.delimiter() != Delimiter::Brace {
            continue;
        }
        let mut name = None;
        let mut reader = None;
        let mut follows_arrow = false;
        for token in part.stream().into_iter().chain([TokenTree::Punct(end())]) {
            let is_first = std::mem::take(&mut follows_arrow);
            match token {
                TokenTree::Ident(word) if is_first => reader = Some(vec![word.to_string()]),
                TokenTree::Punct(mark) if mark.as_char() == '>' => follows_arrow = true,
                TokenTree::Literal(literal) => {
                    name = Some(literal.to_string().trim_matches('"').to_owned());
                }
                // the comma behind the expression, not the one between the names that it takes
                TokenTree::Punct(mark) if mark.as_char() == ',' && reader.is_some() => {
                    if let (Some(name), Some(reader)) = (name.take(), reader.take()) {
                        found.push((name, reader));
                    }
                }
                TokenTree::Group(group) => {
                    reader = reader.or_else(|| called(group.stream()));
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
    if found.is_empty() {
        bail!("`operations!` lists no operation");
    }
    Ok(found)
}

fn end() -> proc_macro2::Punct {
    proc_macro2::Punct::new(',', proc_macro2::Spacing::Alone)
}

/// The path that `Call::new(` is followed by, wherever it stands in an expression.
fn called(tokens: TokenStream) -> Option<Vec<String>> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let before = |back: usize, word: &str| {
            at.checked_sub(back)
                .and_then(|at| tokens.get(at))
                .is_some_and(|token| token.to_string() == word)
        };
        if before(1, "new") && before(4, "Call") {
            return Some(leading_path(group.stream()));
        }
        if let Some(found) = called(group.stream()) {
            return Some(found);
        }
    }
    None
}

fn leading_path(tokens: TokenStream) -> Vec<String> {
    let mut path = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(word) => path.push(word.to_string()),
            TokenTree::Punct(mark) if mark.as_char() == ':' => {}
            TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => break,
        }
    }
    path
}
