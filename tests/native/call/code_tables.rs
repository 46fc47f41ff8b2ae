//! Checks the generated lists of codes and providers: `docs/reference/errors-and-lints.md`,
//! `pkg/types/codes.d.ts` and `pkg/lib/providers.js`. The test writes them from the enums if
//! `TUCKBOX_BLESS=1` is set.

use std::path::{Path, PathBuf};
use tuckbox::agents::AgentLint;
use tuckbox::cards::CardLint;
use tuckbox::handoff::Kind;
use tuckbox::import::ImportLint;
use tuckbox::pack::PackLint;
use tuckbox::prompt::PromptLint;
use tuckbox::prompt::provider::{Change, Provider};
use tuckbox::render::RenderLint;
use tuckbox::rule::ledger::DropReason;

/// The codes of one enum.
struct Table {
    title: &'static str,
    /// The name of the union in TypeScript, and whether its codes are codes of lints.
    union: &'static str,
    is_lint: bool,
    rows: Vec<(&'static str, &'static str)>,
}

macro_rules! table {
    ($title:literal, $union:literal, $is_lint:literal, $codes:ident) => {
        Table {
            title: $title,
            union: $union,
            is_lint: $is_lint,
            rows: $codes::ALL.iter().map(|code| (code.as_str(), code.meaning())).collect(),
        }
    };
}

fn tables() -> Vec<Table> {
    vec![
        table!("Lints of cards", "CardLintCode", true, CardLint),
        table!("Lints of packing", "PackLintCode", true, PackLint),
        table!("Lints of rendering", "RenderLintCode", true, RenderLint),
        table!("Lints of recipes, previews and turns", "AgentLintCode", true, AgentLint),
        table!("Lints of prompts, memory and payloads", "PromptLintCode", true, PromptLint),
        table!("Findings of handoff packages", "FindingType", true, Kind),
        table!("Lints of imports", "ImportLintCode", true, ImportLint),
        table!("Values dropped from a context", "DropReason", false, DropReason),
        table!("Conversion changes", "ChangeCode", false, Change),
    ]
}

const BEGIN: &str = "<!-- written by tests/native/call/code_tables.rs from the enums -->\n";

fn markdown() -> String {
    let mut page = String::from(BEGIN);
    for table in tables() {
        page.push_str(&format!("\n## {}\n| code | meaning |\n|---|---|\n", table.title));
        for (code, meaning) in table.rows {
            page.push_str(&format!("| `{code}` | {meaning} |\n"));
        }
    }
    page
}

fn typescript() -> String {
    let mut file = String::from(
        "// Written by tests/native/call/code_tables.rs from the enums of the core: do not edit.\n",
    );
    let mut lints = String::new();
    let providers = table!("The format of a payload", "Provider", false, Provider);
    for table in tables().into_iter().chain([providers]) {
        file.push_str(&format!("\n/** {}. */\nexport type {} =", table.title, table.union));
        for (code, meaning) in table.rows {
            file.push_str(&format!("\n  /** {meaning} */\n  | \"{code}\""));
        }
        file.push_str(";\n");
        if table.is_lint {
            lints.push_str(&format!("\n  | {}", table.union));
        }
    }
    file.push_str(&format!("\n/** The code of any lint. */\nexport type LintCode ={lints};\n"));
    file
}

fn javascript() -> String {
    let names: Vec<_> =
        Provider::ALL.iter().map(|provider| format!("  \"{}\",\n", provider.as_str())).collect();
    format!(
        "// Written by tests/native/call/code_tables.rs from the enum of the core: do not edit.\n\n\
         /** The names of all providers. */\nexport const PROVIDERS = [\n{}];\n",
        names.concat()
    )
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn check(file: &str, expected: impl FnOnce(&str) -> String) {
    let path = root().join(file);
    let found = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    let expected = expected(&found);
    if std::env::var_os("TUCKBOX_BLESS").is_some() {
        std::fs::write(&path, expected).unwrap();
    } else {
        assert!(
            found == expected,
            "{file} differs from the enums; run `TUCKBOX_BLESS=1 cargo test --test native code_tables` \
             and commit the file"
        );
    }
}

#[test]
fn the_reference_documents_every_code() {
    check("docs/reference/errors-and-lints.md", |found| {
        let intro = found.split_once(BEGIN).map_or(found, |(intro, _)| intro);
        format!("{}\n\n{}", intro.trim_end(), markdown())
    });
}

#[test]
fn typescript_has_every_code() {
    check("pkg/types/codes.d.ts", |_| typescript());
}

#[test]
fn javascript_has_every_provider() {
    check("pkg/lib/providers.js", |_| javascript());
}

#[test]
fn codes_are_unique_in_a_table_and_every_enum_has_a_table() {
    for table in tables() {
        let mut codes: Vec<_> = table.rows.iter().map(|(code, _)| *code).collect();
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count, "{}", table.title);
        for (code, meaning) in table.rows {
            assert!(meaning.ends_with('.'), "`{code}`: {meaning}");
        }
    }
    let declared = declarations(&root().join("src"));
    assert_eq!(declared, tables().len(), "an enum of codes has no table here");
}

/// Counts the enums of codes in the sources.
fn declarations(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| match path.extension() {
            None => declarations(&path),
            Some(_) => {
                let text = std::fs::read_to_string(&path).unwrap();
                text.lines().filter(|line| line.trim().ends_with("codes! {")).count()
            }
        })
        .sum()
}
