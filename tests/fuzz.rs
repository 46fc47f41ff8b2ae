//! Runs the fuzz targets on a stable compiler: a bounded number of cases with a fixed seed. With
//! `TUCKBOX_FUZZ_SECONDS`, each target runs for that time, from the seed `TUCKBOX_FUZZ_SEED`.
//!
//! Seeds are recorded inputs and texts that caused errors before. Cases change bytes and JSON
//! tokens of seeds. `fuzz/crashes/TARGET/` has inputs that crashed before, which run first.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a target that fails must stop the test; the environment sets the duration"
)]

mod fuzz_bodies;

use fuzz_bodies::BODIES;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tuckbox::Json;

/// The number of cases of each target if neither `TUCKBOX_DEEP` nor `TUCKBOX_CASES` is set.
const USUAL_CASES: u64 = 2_000;

/// The number of cases of each target with `TUCKBOX_DEEP`: more than 100,000 in total.
const CASES: [(&str, u64); 6] = [
    ("call", 30_000),
    ("answers", 20_000),
    ("receipt", 10_000),
    ("json", 40_000),
    ("handoff_path", 20_000),
    ("template", 20_000),
];

/// A small random generator (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        from.get(self.below(from.len())).unwrap()
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the files of a folder, sorted by name. A missing folder has none.
fn files(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Returns recorded inputs as calls, if they name an operation.
fn recorded() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for file in files(&root().join("tests/vectors")) {
        if file.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let whole = Json::parse(&fs::read_to_string(&file).unwrap()).unwrap();
        let cases = whole.get("cases").and_then(Json::as_array).unwrap_or_default();
        for case in cases.iter().step_by(7) {
            let Some(input) = case.get("input").and_then(Json::as_object) else { continue };
            let mut call = input.clone();
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            let op = match (name.as_str(), input.get("op").and_then(Json::as_str)) {
                ("pack", _) => "pack_context",
                ("render", _) => "render",
                ("handoff", _) => "read_handoff",
                ("turn_view", Some("merge")) => "turn_boxes",
                (_, Some("content")) => "read_content",
                (_, Some("card")) => "read_card",
                (_, Some("box")) => "read_box",
                (_, Some("compose_agent")) => "compose",
                (_, Some(op)) => op,
                (_, None) => continue,
            };
            call.insert("op".to_owned(), op.into());
            for key in ["world", "project_id", "profiles", "boxes", "other_projects"] {
                call.remove(key);
            }
            if name == "recipes" {
                call.insert("source_agent_id".to_owned(), "agent_parent".into());
            }
            seeds.push(Json::Object(call).to_string().into_bytes());
        }
    }
    assert!(seeds.len() > 100, "too few recorded cases are seeds");
    seeds
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let texts: &[&str] = match target {
        "call" => {
            let mut calls = recorded();
            for op in tuckbox::call::operations() {
                calls.push(format!(r#"{{"op": "{op}", "agent_id": "agent_a", "source_agent_id": "agent_a", "box_id": "b1", "card_ids": ["c1"]}}"#).into_bytes());
            }
            return calls;
        }
        "answers" => &[
            r#"{"boxes": [{"box_id": "b1", "card_ids": ["c1", "c2"], "version": 3}]}"#,
            r#"{"missing_boxes": ["b1"]}"#,
            r#"{"cards": [{"card_id": "c1", "metadata": {"role": "user"}, "content": {"__type__": "TextContent", "text": "x"}}], "missing_cards": ["c2"]}"#,
            r#"{"failed": [{"kind": "boxes", "key": "b1", "error": "down"}]}"#,
        ],
        "receipt" => &[
            r#"{"operation_id": "op1", "repeated": false, "boxes": [{"box_id": "n", "version": 1}]}"#,
            r#"{"operation_id": "op1", "repeated": true, "boxes": []}"#,
        ],
        "json" => &[
            r#"{"a": [1, -2.5e+10, 1e400, 0.1], "é\u00e9\ud83d\ude00": null, "b": {"c": [true, false, ""]}}"#,
            r#"[1.7976931348623157e308, 5e-324, 123456789012345678901234567890, -0, 0.0]"#,
            r#"{"a":1,"a":2}"#,
            r#""\u0000\ud800\t\/""#,
        ],
        "handoff_path" => &[
            "a/b.json",
            "../a",
            "a/../b",
            "/etc/x",
            "C:\\x",
            "a%2e%2e/b",
            "a/\u{2025}/b",
            "x%3a/y",
            "\u{ff0e}\u{ff0e}/a",
            "a//b",
            "./a",
            "a/\u{202e}b",
            "file://x",
            "~/x",
            "a\\..\\b",
        ],
        "template" => &["{a} and {b}", "{{a}}", "{", "}", "{goal}{", "é{a}é", "{ a}", "{}"],
        other => panic!("no seeds for `{other}`"),
    };
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Strings that often break parsers.
const PIECES: [&str; 34] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "null",
    "true",
    "0",
    "-1",
    "1e999",
    "1.5",
    "\"\"",
    "\\u0000",
    "\\ud800",
    "\u{0}",
    "\u{feff}",
    "\u{202e}",
    "..",
    "/",
    "%2e",
    "%3a",
    "\u{2025}",
    "{a}",
    "}}",
    "{{",
    "99999999999999999999",
    "\"op\":",
    "__type__",
    "é",
    "\u{1f642}",
    " ",
];

fn mutate(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut data = random.pick(seeds).clone();
    for _ in 0..=random.below(6) {
        let at = random.below(data.len() + 1);
        match random.below(7) {
            0 if at < data.len() => data[at] ^= 1 << random.below(8),
            1 => drop(data.drain(at..(at + random.below(8)).min(data.len()))),
            2 | 3 => {
                let piece = random.pick(&PIECES).as_bytes();
                drop(data.splice(at..at, piece.iter().copied()));
            }
            4 => {
                let end = (at + random.below(24)).min(data.len());
                let copy = data[at..end].to_vec();
                let to = random.below(data.len() + 1);
                drop(data.splice(to..to, copy));
            }
            5 => {
                let other = random.pick(seeds);
                let from = random.below(other.len() + 1);
                let end = (from + random.below(40)).min(other.len());
                let part = other[from..end].to_vec();
                drop(data.splice(at..at, part));
            }
            _ => {
                // replaces one JSON value by another
                let commas: Vec<usize> =
                    (0..data.len()).filter(|at| matches!(data[*at], b':' | b',')).collect();
                if let Some(from) = commas.get(random.below(commas.len())).copied() {
                    let end = data[from + 1..]
                        .iter()
                        .position(|byte| matches!(byte, b',' | b'}' | b']'))
                        .map_or(data.len(), |length| from + 1 + length);
                    let piece = random.pick(&PIECES).as_bytes();
                    drop(data.splice(from + 1..end, piece.iter().copied()));
                }
            }
        }
    }
    data
}

fn run(target: &str) {
    let body = BODIES.iter().find(|(name, _)| *name == target).unwrap().1;
    for crash in files(&root().join("fuzz/crashes").join(target)) {
        body(&fs::read(crash).unwrap());
    }
    let seeds = seeds(target);
    seeds.iter().for_each(|seed| body(seed));
    let given = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let time = given("TUCKBOX_FUZZ_SECONDS").map(Duration::from_secs);
    let cases = CASES.iter().find(|(name, _)| *name == target).unwrap().1;
    let is_deep = std::env::var_os("TUCKBOX_DEEP").is_some();
    let usual = if is_deep { u64::MAX } else { USUAL_CASES };
    let cases = cases.min(given("TUCKBOX_CASES").unwrap_or(usual));
    let mut random = Random(given("TUCKBOX_FUZZ_SEED").unwrap_or(1));
    let begun = Instant::now();
    let mut done = 0_u64;
    while time.map_or(done < cases, |time| begun.elapsed() < time) {
        let data = mutate(&mut random, &seeds);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| body(&data))) {
            let dir = root().join("target/fuzz").join(target);
            fs::create_dir_all(&dir).unwrap();
            let file = dir.join(format!("case_{done}"));
            fs::write(&file, &data).unwrap();
            eprintln!("`{target}` fails on {}: {}", file.display(), data.escape_ascii());
            std::panic::resume_unwind(panic);
        }
        done += 1;
    }
    println!("fuzz {target}: {done} cases in {:.1} s", begun.elapsed().as_secs_f64());
}

#[test]
fn every_target_has_cases_and_all_have_at_least_100_000() {
    assert!(BODIES.iter().all(|(name, _)| CASES.iter().any(|(known, _)| known == name)));
    assert!(CASES.iter().map(|(_, cases)| cases).sum::<u64>() >= 100_000);
}

#[test]
fn any_bytes_as_a_call_give_an_answer_or_an_error() {
    run("call");
}

#[test]
fn any_bytes_as_store_answers_are_accepted_or_refused() {
    run("answers");
}

#[test]
fn any_bytes_as_a_receipt_are_accepted_or_refused() {
    run("receipt");
}

#[test]
fn any_bytes_as_json_are_read_like_serde_json() {
    run("json");
}

#[test]
fn a_handoff_path_stays_below_its_root_or_is_refused() {
    run("handoff_path");
}

#[test]
fn a_template_is_filled_once_or_refused() {
    run("template");
}
