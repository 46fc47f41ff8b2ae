//! The pages of the library teach: every public item is shown by an example that runs.
//!
//! The rule, as `CONTRIBUTING.md` says it: a module, trait, function or macro has an example on its
//! own page; any other item has one too, or its documentation links to a page whose example names
//! it or one of its members. The pages are read as rustdoc wrote them, so that what is public, and
//! where a link leads, is what rustdoc says.

use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Kinds of items, as rustdoc names their pages, and whether an example may stand on another page.
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

/// Where the part of a page ends that was written for this item.
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
    /// The words of its examples; `None` where it has none.
    example: Option<BTreeSet<String>>,
    /// The pages that the documentation of the item links to.
    links: BTreeSet<String>,
    members: BTreeSet<String>,
}

/// Holds the pages below a directory to the rule; says how many they are.
pub fn check(pages: &Path) -> Result<String> {
    let pages = read_all(pages)?;
    let missing: Vec<String> = missing(&pages).map(|(path, page)| complaint(path, page)).collect();
    if !missing.is_empty() {
        bail!(
            "{} public items are not shown by an example:\n{}",
            missing.len(),
            missing.join("\n")
        );
    }
    let own = pages.values().filter(|page| page.example.is_some()).count();
    Ok(format!("{} public items are shown, {own} of them on their own page", pages.len()))
}

/// The pages of a crate by their path: its modules, and what `all.html` lists. Others are left from
/// an older build.
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
    // the page of a module goes on with the summaries of what is in it
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

/// The words of all examples in Rust that are not ignored.
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
        let is_sign = |letter: char| !letter.is_alphanumeric() && letter != '_';
        let found = plain.split(is_sign).filter(|word| !word.is_empty()).map(str::to_owned);
        words.get_or_insert_with(BTreeSet::new).extend(found);
    }
    words
}

/// The items that the rule does not allow.
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
    format!("`{full}` ({}): give its documentation an example that runs{or}", page.kind)
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

/// What stands after each start, up to the next `"`.
fn after_each<'a>(text: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(start).skip(1).map(|rest| before(rest, "\""))
}

/// The page that a link on a page leads to.
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

    /// The paths of the pages that the rule does not allow.
    fn refused(pages: &[(&str, String)]) -> Vec<String> {
        let read = pages
            .iter()
            .filter_map(|(path, text)| Some(((*path).to_owned(), read_page(path, text)?)));
        let read = read.collect();
        missing(&read).map(|(path, page)| complaint(path, page)).collect()
    }

    #[test]
    fn an_item_without_its_example_is_named() {
        let function = |doc: &str| refused(&[("cards/fn.make.html", page(doc, ""))]);
        assert!(function(RUNS).is_empty());
        assert_eq!(
            function("Makes a card."),
            ["`tuckbox::cards::make` (fn): give its documentation an example that runs"]
        );
        let ignored = RUNS.replace("example-wrap", "example-wrap ignore");
        assert_eq!(function(&ignored).len(), 1);
    }

    #[test]
    fn a_type_may_be_shown_by_the_example_that_it_links_to() {
        let field = "<span id=\"structfield.size\"></span>";
        let linked = "<a href=\"../cards/fn.make.html#examples\">make</a>";
        let made = |maker: &str, doc: &str, field: &str| {
            refused(&[
                ("cards/fn.make.html", page(maker, "")),
                ("rule/struct.Made.html", page(doc, field)),
            ])
        };
        assert!(made(RUNS, linked, field).is_empty());
        // the link, what it names, or the example: without one of them nothing is shown
        let why = "`tuckbox::rule::Made` (struct): give its documentation an example that runs, or a \
                   link to an item whose example names it or one of its members";
        assert_eq!(made(RUNS, "No link.", field), [why]);
        assert_eq!(made(RUNS, linked, "<span id=\"structfield.other\"></span>"), [why]);
        assert_eq!(made("", linked, field).len(), 2);
    }

    #[test]
    fn the_example_of_a_method_shows_its_type_but_that_of_an_item_not_its_module() {
        let shown = |path, rest: &str| refused(&[(path, page("Text.", rest))]).is_empty();
        assert!(shown("cards/struct.Card.html", RUNS));
        assert!(!shown("cards/index.html", RUNS));
        let module = [("cards/index.html", page("", ""))];
        assert_eq!(
            refused(&module),
            ["`tuckbox::cards` (mod): give its documentation an example that runs"]
        );
    }
}
