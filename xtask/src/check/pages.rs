//! Checks that every public item of the library has a runnable example.
//!
//! The rule is in `CONTRIBUTING.md`. A module, trait, function or macro has an example on its own
//! page. Any other item has one too, or its documentation links to a page with an example that
//! names it or one of its members. The check reads the pages that rustdoc writes.

use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The kinds of items in the names of rustdoc's pages, and whether the example can be on another
/// page.
const KINDS: &[(&str, bool)] = &[
    ("constant", true),
    ("enum", true),
    ("fn", false),
    ("macro", false),
    ("mod", false),
    ("static", true),
    ("struct", true),
    ("trait", false),
    ("type", true),
    ("union", true),
];

/// The ends of the part of a page that documents the item itself.
const ENDS: &[&str] = &[
    "id=\"trait-implementations\"",
    "id=\"deref-methods",
    "id=\"synthetic-implementations\"",
    "id=\"blanket-implementations\"",
    "id=\"implementors\"",
];

const MEMBERS: &[&str] =
    &["structfield.", "variant.", "method.", "tymethod.", "associatedconstant."];

/// The page of one item.
struct Page {
    kind: &'static str,
    name: String,
    may_link: bool,
    /// The words of its examples. `None` if it has none.
    example: Option<BTreeSet<String>>,
    /// The pages that its documentation links to.
    links: BTreeSet<String>,
    members: BTreeSet<String>,
}

/// Checks the pages below a directory. Returns the number of pages.
pub fn check(pages: &Path) -> Result<String> {
    let pages = read_all(pages)?;
    let missing: Vec<String> = missing(&pages).map(|(path, page)| complaint(path, page)).collect();
    if !missing.is_empty() {
        bail!("{} public items have no example:\n{}", missing.len(), missing.join("\n"));
    }
    let own = pages.values().filter(|page| page.example.is_some()).count();
    Ok(format!("{} public items have an example, {own} of them on their own page", pages.len()))
}

/// Returns the pages of a crate by path: its modules and the items of `all.html`. Other pages are
/// from an older build.
fn read_all(root: &Path) -> Result<BTreeMap<String, Page>> {
    let read = |path: &str| {
        fs::read_to_string(root.join(path))
            .with_context(|| format!("cannot read the page `{path}`"))
    };
    let mut pages = BTreeMap::new();
    let mut modules = vec!["index.html".to_owned()];
    while let Some(path) = modules.pop() {
        let text = read(&path)?;
        let inner = after_each(&text, "<a class=\"mod\" href=\"");
        let inner = inner.filter(|link| link.ends_with("/index.html") && !link.starts_with('.'));
        modules.extend(inner.map(|link| resolve(&path, link)));
        pages.extend(read_page(&path, &text).map(|page| (path, page)));
    }
    let all = read("all.html")?;
    for path in after_each(main(&all), "href=\"") {
        if !path.starts_with('.') && !pages.contains_key(path) {
            let text = read(path)?;
            pages.extend(read_page(path, &text).map(|page| (path.to_owned(), page)));
        }
    }
    Ok(pages)
}

fn read_page(path: &str, text: &str) -> Option<Page> {
    let (directory, file) = path.rsplit_once('/').unwrap_or(("", path));
    let (kind, name) = match file.split_once('.')? {
        ("index", _) => ("mod", directory.rsplit('/').next()?),
        (kind, name) => (kind, name.strip_suffix(".html")?),
    };
    let &(kind, may_link) = KINDS.iter().find(|(known, _)| *known == kind)?;
    let body = ENDS.iter().fold(main(text), |body, end| before(body, end));
    let own = body.split_once("<details class=\"toggle top-doc\"").map_or("", |(_, rest)| rest);
    let own = before(own, "</details>");
    // the page of a module continues with the summaries of its items
    let written = if kind == "mod" { own } else { body };
    let ids = after_each(body, "id=\"");
    let members = ids.filter_map(|id| MEMBERS.iter().find_map(|member| id.strip_prefix(member)));
    Some(Page {
        kind,
        name: name.to_owned(),
        may_link,
        example: example(written),
        links: after_each(own, "href=\"").map(|link| resolve(path, link)).collect(),
        members: members.map(|member| before(member, ".").to_owned()).collect(),
    })
}

/// Returns the words of all Rust examples that are not ignored.
fn example(text: &str) -> Option<BTreeSet<String>> {
    let mut words = None;
    for wrap in text.split("<div class=\"example-wrap").skip(1) {
        let class = before(wrap, "\"");
        let code = before(wrap, "</code>");
        let Some((_, code)) = code.split_once("rust-example-rendered\"><code>") else { continue };
        if class.contains("ignore") {
            continue;
        }
        let plain: String = code.split('<').map(|piece| after(piece, ">")).collect();
        let is_separator = |character: char| !character.is_alphanumeric() && character != '_';
        let found = plain.split(is_separator).filter(|word| !word.is_empty()).map(str::to_owned);
        words.get_or_insert_with(BTreeSet::new).extend(found);
    }
    words
}

/// Returns the items that break the rule.
fn missing(pages: &BTreeMap<String, Page>) -> impl Iterator<Item = (&str, &Page)> {
    let is_named = |page: &Page, link: &String| {
        let words = pages.get(link).and_then(|other| other.example.as_ref());
        words.is_some_and(|words| words.contains(&page.name) || !words.is_disjoint(&page.members))
    };
    let is_shown = move |page: &Page| {
        page.example.is_some()
            || (page.may_link && page.links.iter().any(|link| is_named(page, link)))
    };
    let all = pages.iter().filter(move |(_, page)| !is_shown(page));
    all.map(|(path, page)| (path.as_str(), page))
}

fn complaint(path: &str, page: &Page) -> String {
    let module = path.rsplit_once('/').map_or("", |(module, _)| module).replace('/', "::");
    let full = match page.kind {
        "mod" => format!("tuckbox::{module}"),
        _ if module.is_empty() => format!("tuckbox::{}", page.name),
        _ => format!("tuckbox::{module}::{}", page.name),
    };
    let or = if page.may_link {
        ", or a link to an item whose example names it or one of its members"
    } else {
        ""
    };
    format!("`{full}` ({}): add a runnable example to its documentation{or}", page.kind)
}

fn main(text: &str) -> &str {
    text.split_once("id=\"main-content\"").map_or("", |(_, rest)| rest)
}

fn before<'a>(text: &'a str, end: &str) -> &'a str {
    text.split_once(end).map_or(text, |(before, _)| before)
}

fn after<'a>(text: &'a str, start: &str) -> &'a str {
    text.split_once(start).map_or(text, |(_, after)| after)
}

/// Returns the text after each `start`, up to the next `"`.
fn after_each<'a>(text: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(start).skip(1).map(|rest| before(rest, "\""))
}

/// Returns the page that a link leads to.
fn resolve(page: &str, link: &str) -> String {
    let mut path: Vec<&str> = page.split('/').collect();
    path.pop();
    for part in before(link, "#").split('/') {
        match part {
            ".." => drop(path.pop()),
            "." => {}
            part => path.push(part),
        }
    }
    path.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNS: &str = "<div class=\"example-wrap\"><pre class=\"rust rust-example-rendered\"><code>\
        <span class=\"kw\">let </span>made = make();\nassert_eq!(made.<span>size</span>, 1);\
        </code></pre></div>";

    fn page(doc: &str, rest: &str) -> String {
        format!(
            "<section id=\"main-content\"><details class=\"toggle top-doc\" open>{doc}</details>\
             {rest}<h2 id=\"trait-implementations\">{RUNS}</h2></section>"
        )
    }

    /// Returns the paths of the pages that break the rule.
    fn refused(pages: &[(&str, String)]) -> Vec<String> {
        let read = pages
            .iter()
            .filter_map(|(path, text)| Some(((*path).to_owned(), read_page(path, text)?)));
        let read = read.collect();
        missing(&read).map(|(path, page)| complaint(path, page)).collect()
    }

    #[test]
    fn item_without_an_example_is_reported() {
        let function = |doc: &str| refused(&[("cards/fn.make.html", page(doc, ""))]);
        assert!(function(RUNS).is_empty());
        assert_eq!(
            function("Makes a card."),
            ["`tuckbox::cards::make` (fn): add a runnable example to its documentation"]
        );
        let ignored = RUNS.replace("example-wrap", "example-wrap ignore");
        assert_eq!(function(&ignored).len(), 1);
    }

    #[test]
    fn type_can_link_to_an_example() {
        let field = "<span id=\"structfield.size\"></span>";
        let linked = "<a href=\"../cards/fn.make.html#examples\">make</a>";
        let made = |maker: &str, doc: &str, field: &str| {
            refused(&[
                ("cards/fn.make.html", page(maker, "")),
                ("rule/struct.Made.html", page(doc, field)),
            ])
        };
        assert!(made(RUNS, linked, field).is_empty());
        // without the link, the member or the example the item is reported
        let why = "`tuckbox::rule::Made` (struct): add a runnable example to its documentation, or a \
                   link to an item whose example names it or one of its members";
        assert_eq!(made(RUNS, "No link.", field), [why]);
        assert_eq!(made(RUNS, linked, "<span id=\"structfield.other\"></span>"), [why]);
        assert_eq!(made("", linked, field).len(), 2);
    }

    #[test]
    fn method_example_counts_for_its_type_but_item_example_not_for_its_module() {
        let shown = |path, rest: &str| refused(&[(path, page("Text.", rest))]).is_empty();
        assert!(shown("cards/struct.Card.html", RUNS));
        assert!(!shown("cards/index.html", RUNS));
        let module = [("cards/index.html", page("", ""))];
        assert_eq!(
            refused(&module),
            ["`tuckbox::cards` (mod): add a runnable example to its documentation"]
        );
    }
}
