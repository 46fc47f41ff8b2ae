//! Parses the macros of the crate.

use super::attributes::doc_of;
use super::source::Declared;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, Item, LitStr, ReturnType, Token, Type, braced, bracketed};

/// A row in a `rows!`.
#[derive(Clone)]
pub struct Row {
    pub doc: Vec<syn::Attribute>,
    pub name: Ident,
    pub columns: Vec<(Ident, Type)>,
}

/// The rows of a `rows!`.
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

/// An argument in an `arguments!`.
#[derive(Clone)]
pub struct ArgumentField {
    pub doc: Vec<syn::Attribute>,
    pub name: Ident,
    pub of: Type,
    pub bounds: Option<syn::ExprRange>,
    pub default: Option<syn::Expr>,
}

/// A struct in an `arguments!`.
#[derive(Clone)]
pub struct ArgumentStruct {
    pub doc: Vec<syn::Attribute>,
    pub name: Ident,
    pub fields: Vec<ArgumentField>,
    /// Structs whose fields are also members.
    pub shared: Vec<Type>,
}

/// The structs of an `arguments!`.
pub struct ArgumentStructs(pub Vec<ArgumentStruct>);

impl Parse for ArgumentStructs {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut found = Vec::new();
        while !input.is_empty() {
            let doc = input.call(syn::Attribute::parse_outer)?;
            input.parse::<syn::Visibility>()?;
            input.parse::<Token![struct]>()?;
            let name = input.parse()?;
            let body;
            braced!(body in input);
            let mut one = ArgumentStruct { doc, name, fields: Vec::new(), shared: Vec::new() };
            while !body.is_empty() {
                one.read_member(&body)?;
            }
            found.push(one);
        }
        Ok(Self(found))
    }
}

impl ArgumentStruct {
    fn read_member(&mut self, body: ParseStream<'_>) -> syn::Result<()> {
        let doc = body.call(syn::Attribute::parse_outer)?;
        if body.peek(Token![pub]) {
            body.parse::<Token![pub]>()?;
            let name = body.parse()?;
            body.parse::<Token![:]>()?;
            let of = body.parse()?;
            let bounds = if body.peek(syn::token::Bracket) {
                let bounds;
                bracketed!(bounds in body);
                Some(bounds.parse()?)
            } else {
                None
            };
            let default = match body.parse::<Option<Token![=]>>()? {
                Some(_) => Some(body.parse()?),
                None => None,
            };
            self.fields.push(ArgumentField { doc, name, of, bounds, default });
        } else {
            let kind: Ident = body.parse()?;
            body.parse::<Ident>()?;
            body.parse::<Token![:]>()?;
            let of: Type = body.parse()?;
            match kind.to_string().as_str() {
                "shared" => self.shared.push(of),
                "setting" => {}
                _ => {
                    return Err(syn::Error::new(
                        kind.span(),
                        "expected `pub`, `shared` or `setting`",
                    ));
                }
            }
        }
        body.parse::<Token![,]>()?;
        Ok(())
    }
}

/// The settings of orchestration: `/// doc` and `name: default, ..`. Each is a whole number from 0.
pub struct Settings(pub ArgumentStruct);

impl Parse for Settings {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut fields = Vec::new();
        while !input.is_empty() {
            let doc = input.call(syn::Attribute::parse_outer)?;
            let name = input.parse()?;
            input.parse::<Token![:]>()?;
            let default = Some(input.parse()?);
            input.parse::<Token![,]>()?;
            let of = syn::parse_quote!(u64);
            fields.push(ArgumentField { doc, name, of, bounds: None, default });
        }
        let doc = vec![
            syn::parse_quote!(#[doc = " The times and counts of orchestration. Times are in seconds."]),
        ];
        let name = syn::parse_quote!(RunSettings);
        Ok(Self(ArgumentStruct { doc, name, fields, shared: Vec::new() }))
    }
}

/// The answers of orchestration operations: `Arguments -> Answer { .. }`, any number of times.
pub struct Performed(pub Vec<(Ident, Type)>);

impl Parse for Performed {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut found = Vec::new();
        while !input.is_empty() {
            let name = input.parse()?;
            input.parse::<Token![->]>()?;
            let answer = input.parse()?;
            let body;
            braced!(body in input);
            body.parse::<TokenStream>()?;
            found.push((name, answer));
        }
        Ok(Self(found))
    }
}

/// The statuses of orchestration: `/// doc` and `Name: State = "state", ..;`.
pub struct Statuses(pub Vec<(String, Declared)>);

impl Parse for Statuses {
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

/// The content of a `shape!`: items, and `fn operation(arguments: Arguments) -> Answer;`, where either
/// can be missing.
pub struct ShapeItems {
    pub items: Vec<Item>,
    pub answers: Vec<(String, Type)>,
    pub arguments: Vec<(String, Type)>,
}

impl Parse for ShapeItems {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut found = Self { items: Vec::new(), answers: Vec::new(), arguments: Vec::new() };
        while !input.is_empty() {
            if input.peek(Token![fn]) {
                let signature = input.parse::<syn::Signature>()?;
                input.parse::<Token![;]>()?;
                if let Some(syn::FnArg::Typed(one)) = signature.inputs.first() {
                    found.arguments.push((signature.ident.to_string(), (*one.ty).clone()));
                }
                if let ReturnType::Type(_, answer) = signature.output {
                    found.answers.push((signature.ident.to_string(), *answer));
                }
            } else {
                found.items.push(input.parse()?);
            }
        }
        Ok(found)
    }
}

/// Returns the name after the keyword `enum`.
pub fn enum_name(tokens: TokenStream) -> Option<String> {
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        if matches!(&token, TokenTree::Ident(word) if word == "enum") {
            return tokens.next().map(|name| name.to_string());
        }
    }
    None
}

/// An operation of the list in `call/operations.rs`.
#[derive(Clone)]
pub struct Operation {
    pub name: String,
    pub part: String,
    pub doc: Vec<syn::Attribute>,
    /// The path of the type or function that reads its call.
    pub reader: Vec<String>,
    pub facts: Facts,
}

/// What the list states about an operation: `[in boxes; as name; reads cards boxes; writes; errors
/// conflict]`.
#[derive(Clone, Default)]
pub struct Facts {
    /// The namespace of its method. Its part by default.
    pub namespace: Option<String>,
    /// The name of its method, if it does not follow the rule.
    pub method: Option<String>,
    /// The kinds of rows that it reads.
    pub reads: Vec<String>,
    pub writes: bool,
    /// The error codes besides those of every operation.
    pub errors: Vec<String>,
}

/// The list of operations: `/// doc` and `Part = gate { /// doc "name" [facts] => reader, .. }`,
/// any number of times.
pub struct Operations {
    pub operations: Vec<Operation>,
    pub parts: Vec<(String, String)>,
}

impl Parse for Operations {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut found = Self { operations: Vec::new(), parts: Vec::new() };
        while !input.is_empty() {
            let about = input.call(syn::Attribute::parse_outer)?;
            input.parse::<Ident>()?;
            input.parse::<Token![=]>()?;
            let part = input.parse::<Ident>()?.to_string();
            found.parts.push((part.clone(), doc_of(&about)));
            let body;
            braced!(body in input);
            while !body.is_empty() {
                let doc = body.call(syn::Attribute::parse_outer)?;
                let name = body.parse::<LitStr>()?.value();
                let facts = if body.peek(syn::token::Bracket) {
                    let facts;
                    bracketed!(facts in body);
                    facts.parse()?
                } else {
                    Facts::default()
                };
                body.parse::<Token![=>]>()?;
                let reader = reader_of(body.parse::<syn::Expr>()?);
                body.parse::<Token![,]>()?;
                found.operations.push(Operation { name, part: part.clone(), doc, reader, facts });
            }
        }
        Ok(found)
    }
}

impl Parse for Facts {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut facts = Self::default();
        while !input.is_empty() {
            let fact = input.call(Ident::parse_any)?;
            let mut words = Vec::new();
            while !input.is_empty() && !input.peek(Token![;]) {
                words.push(input.call(Ident::parse_any)?.to_string());
            }
            input.parse::<Option<Token![;]>>()?;
            match fact.to_string().as_str() {
                "in" => facts.namespace = words.pop(),
                "as" => facts.method = words.pop(),
                "reads" => facts.reads = words,
                "writes" => facts.writes = true,
                "errors" => facts.errors = words,
                _ => {
                    return Err(syn::Error::new(
                        fact.span(),
                        "expected `in`, `as`, `reads`, `writes` or `errors`",
                    ));
                }
            }
        }
        Ok(facts)
    }
}

/// Returns the first path inside `Call::new(..)`, or the path of the reader function.
fn reader_of(expression: syn::Expr) -> Vec<String> {
    let tokens = expression.to_token_stream();
    called(tokens.clone()).unwrap_or_else(|| leading_path(tokens))
}

/// Returns the path after `Call::new(` anywhere in an expression.
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
