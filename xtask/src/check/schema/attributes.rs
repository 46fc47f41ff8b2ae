//! Reads the attributes of a declaration: serde and documentation.

use anyhow::Result;
use syn::{Attribute, Item};

/// The serde attributes of a type, a field or a variant.
#[derive(Default)]
pub struct Serde {
    pub rename: Option<String>,
    pub snake_case: bool,
    pub tag: Option<String>,
    pub untagged: bool,
    pub transparent: bool,
    pub flatten: bool,
    pub skip: bool,
    pub maybe: bool,
}

/// Returns true if the item derives `Serialize`.
pub fn derives_serialize(item: &Item) -> bool {
    let attributes = match item {
        Item::Struct(found) => &found.attrs,
        Item::Enum(found) => &found.attrs,
        Item::Type(_) => return true,
        _ => return false,
    };
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("derive") => {
            list.tokens.to_string().split(&[',', ' ', ':'][..]).any(|word| word == "Serialize")
        }
        _ => false,
    })
}

/// Reads serde attributes. Refuses unsupported ones.
pub fn serde_of(attributes: &[Attribute]) -> Result<Serde> {
    let mut serde = Serde::default();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        attribute.parse_nested_meta(|meta| {
            let text = || meta.value()?.parse::<syn::LitStr>().map(|text| text.value());
            match meta.path.require_ident()?.to_string().as_str() {
                "rename" => serde.rename = Some(text()?),
                "rename_all" => {
                    let case = text()?;
                    if case != "snake_case" {
                        return Err(meta.error("only `snake_case` is supported"));
                    }
                    serde.snake_case = true;
                }
                "tag" => serde.tag = Some(text()?),
                "untagged" => serde.untagged = true,
                "transparent" => serde.transparent = true,
                "flatten" => serde.flatten = true,
                "skip" | "skip_serializing" => serde.skip = true,
                "skip_serializing_if" => {
                    text()?;
                    serde.maybe = true;
                }
                "serialize_with" => {
                    // the function writes the same value faster, which the recorded cases check
                    text()?;
                }
                other => return Err(meta.error(format!("`{other}` is not supported"))),
            }
            Ok(())
        })?;
    }
    Ok(serde)
}

/// Converts `TwoWords` to `two_words`.
pub fn snake(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

/// Returns the first paragraph of the documentation without links.
pub fn doc_of(attributes: &[Attribute]) -> String {
    let mut words = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        let syn::Meta::NameValue(pair) = &attribute.meta else { continue };
        let syn::Expr::Lit(literal) = &pair.value else { continue };
        let syn::Lit::Str(line) = &literal.lit else { continue };
        let line = line.value();
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        words.push(line.to_owned());
    }
    without_links(&words.join(" "))
}

/// Replaces `[text](target)` and `` [`Name`] `` by their text.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        let Some((inside, tail)) = after.split_once(']') else {
            out.push('[');
            rest = after;
            continue;
        };
        let target = tail.strip_prefix('(').and_then(|target| target.split_once(')'));
        let is_link = target.is_some() || (inside.starts_with('`') && inside.ends_with('`'));
        if !is_link {
            out.push('[');
            rest = after;
            continue;
        }
        out.push_str(inside);
        rest = target.map_or(tail, |(_, tail)| tail);
    }
    out.push_str(rest);
    out
}
