//! `cargo xtask tokens`: compares the token estimator with exact counts.

use crate::tree;
use anyhow::{Context, Result, bail};
use clap::Parser;
use std::process::ExitCode;
use tuckbox::Json;
use tuckbox::prompt::tokens::{Counter, Estimate};

/// Print the estimator's error against exact `o200k_base` counts over `tests/corpus`.
///
/// The estimator was finished before the texts in `tests/corpus/later` were written, so they are a
/// held-out set. `tests/corpus/README.md` lists which texts it was fitted to.
#[derive(Parser)]
pub struct Args {
    /// Also print every text with an error above this percentage
    #[arg(long, value_name = "PERCENT")]
    pub above: Option<f64>,
}

/// The promised errors, over all texts and over held-out texts.
const MEDIAN: f64 = 8.0;
const NEARLY_ALL: f64 = 20.0;

const KINDS: [&str; 4] = ["english", "chinese", "code", "json"];
/// Scripts, data and layouts other than prose and programs: `tests/corpus/kinds`.
const ODD: [&str; 22] = [
    "arabic",
    "base64",
    "compact_json",
    "escaped_json",
    "german",
    "greek",
    "hebrew",
    "hex",
    "hindi",
    "indentation",
    "japanese",
    "korean",
    "links",
    "logs",
    "markup",
    "padded_columns",
    "polish",
    "russian",
    "sql",
    "tabs",
    "ukrainian",
    "uuids",
];
/// The promised error of each of them.
const ODD_BIAS: f64 = 20.0;

/// A text with its estimated and its exact count.
struct Sample {
    text: String,
    estimate: f64,
    exact: f64,
}

impl Sample {
    /// Returns the error in percent of the exact count.
    fn error(&self) -> f64 {
        (self.estimate - self.exact) / self.exact * 100.0
    }
}

/// The errors of some texts, in percent.
struct Row {
    name: String,
    texts: usize,
    tokens: f64,
    median: f64,
    nearly_all: f64,
    bias: f64,
}

impl Row {
    fn of<'a>(name: &str, samples: impl IntoIterator<Item = &'a Sample>) -> Self {
        let samples: Vec<&Sample> = samples.into_iter().collect();
        let mut errors: Vec<f64> = samples.iter().map(|sample| sample.error().abs()).collect();
        errors.sort_by(f64::total_cmp);
        let at = |share: f64| {
            // round up to the next text
            let index = (errors.len().saturating_sub(1) as f64 * share).ceil() as usize;
            errors.get(index).copied().unwrap_or(f64::INFINITY)
        };
        let sum = |of: fn(&Sample) -> f64| samples.iter().map(|sample| of(sample)).sum::<f64>();
        let tokens = sum(|sample| sample.exact);
        Self {
            name: name.to_owned(),
            texts: samples.len(),
            tokens,
            median: at(0.5),
            nearly_all: at(0.95),
            bias: (sum(|sample| sample.estimate) / tokens - 1.0) * 100.0,
        }
    }

    fn holds(&self) -> bool {
        self.median <= MEDIAN && self.nearly_all <= NEARLY_ALL
    }

    fn print(&self) {
        let Self { name, texts, tokens, median, nearly_all, bias } = self;
        println!(
            "{name:<20}  {texts:>5}  {tokens:>6}  {median:>5.1} %  {nearly_all:>5.1} %  {bias:>+5.1} %"
        );
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitCode> {
    let corpus = corpus()?;
    println!("kind                  texts  tokens   median     95 %     bias");
    for (kind, samples) in &corpus {
        Row::of(kind, samples).print();
    }
    let odd = odd_rows(&corpus);
    let within = odd.iter().filter(|row| row.bias.abs() <= ODD_BIAS).count();
    println!("kinds within {ODD_BIAS} %: {within} of {}", odd.len());
    let promised = promised(&corpus);
    for row in &promised {
        row.print();
    }
    for (kind, sample) in corpus.iter().flat_map(|(kind, all)| all.iter().map(move |s| (kind, s))) {
        if args.above.is_some_and(|above| sample.error().abs() > above) {
            let head: String = sample.text.chars().take(60).collect();
            let (error, estimate, exact) = (sample.error(), sample.estimate, sample.exact);
            println!("{error:+7.1} %  {estimate} for {exact}  {kind}  {head:?}");
        }
    }
    let holds = promised.iter().all(Row::holds) && within == odd.len();
    let verdict = if holds { "holds" } else { "does not hold" };
    println!(
        "promise for both: median at most {MEDIAN} %, 95 % of texts within {NEARLY_ALL} %: {verdict}"
    );
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

type Corpus = Vec<(String, Vec<Sample>)>;

/// Returns the two rows of the promise.
fn promised(corpus: &Corpus) -> [Row; 2] {
    let of = |name: &str, later: bool| {
        let usual = corpus.iter().filter(|(kind, _)| !kind.starts_with("kind_"));
        let kinds = usual.filter(|(kind, _)| !later || kind.starts_with("later_"));
        Row::of(name, kinds.flat_map(|(_, samples)| samples))
    };
    [of("later", true), of("all", false)]
}

/// Returns one row for every kind of text with its own file.
fn odd_rows(corpus: &Corpus) -> Vec<Row> {
    let odd = corpus.iter().filter(|(kind, _)| kind.starts_with("kind_"));
    odd.map(|(kind, samples)| Row::of(kind, samples)).collect()
}

fn corpus() -> Result<Corpus> {
    let mut kinds: Vec<(String, Vec<String>)> = Vec::new();
    for kind in KINDS {
        kinds.push((kind.to_owned(), texts(kind)?));
    }
    let pick = |at: usize, i: usize| kinds.get(at).and_then(|(_, texts)| texts.get(i));
    let pair = |i: usize| match i % 2 {
        0 => Some((pick(0, i)?, pick(3, i)?)),
        _ => Some((pick(1, i)?, pick(2, i)?)),
    };
    let mixed = (0..).map_while(pair).map(|(first, second)| format!("{first}\n\n{second}"));
    kinds.push(("mixed".to_owned(), mixed.collect()));
    for kind in KINDS {
        kinds.push((format!("later_{kind}"), texts(&format!("later/{kind}"))?));
    }
    for kind in ODD {
        kinds.push((format!("kind_{kind}"), texts(&format!("kinds/{kind}"))?));
    }
    let exact = Json::parse(&read("exact.json")?)?;
    let mut corpus = Vec::new();
    for (kind, texts) in kinds {
        let counts = exact.get(&kind).and_then(Json::as_array).unwrap_or_default();
        if counts.len() != texts.len() {
            bail!("`exact.json` has {} counts for {} texts of `{kind}`", counts.len(), texts.len());
        }
        let sample = |(text, exact): (String, &Json)| -> Result<Sample> {
            let exact = exact.to_string().parse().context("a count is not a number")?;
            Ok(Sample { estimate: Estimate.count(&text) as f64, exact, text })
        };
        let samples = texts.into_iter().zip(counts).map(sample).collect::<Result<_>>()?;
        corpus.push((kind, samples));
    }
    Ok(corpus)
}

fn texts(name: &str) -> Result<Vec<String>> {
    let file = read(&format!("{name}.txt"))?;
    Ok(file.trim_end_matches('\n').split("\n%%\n").map(str::to_owned).collect())
}

fn read(name: &str) -> Result<String> {
    let path = tree::root().join("tests/corpus").join(name);
    std::fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", tree::shown(&path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_keep_the_promised_error() {
        let corpus = corpus().unwrap();
        let all: usize = corpus.iter().map(|(_, samples)| samples.len()).sum();
        assert!(all >= 240, "{all} texts");
        for row in promised(&corpus) {
            assert!(row.holds(), "{}: {:.1} %, {:.1} %", row.name, row.median, row.nearly_all);
        }
        // each kind must be within the limits
        for (kind, samples) in corpus.iter().filter(|(kind, _)| !kind.starts_with("kind_")) {
            let row = Row::of(kind, samples);
            assert!(row.median <= MEDIAN, "{kind}: {:.1} %", row.median);
            assert!(row.bias.abs() <= MEDIAN, "{kind}: bias {:.1} %", row.bias);
        }
    }

    #[test]
    fn every_kind_of_text_is_within_20_percent() {
        let rows = odd_rows(&corpus().unwrap());
        assert!(rows.len() >= 20, "{} kinds", rows.len());
        for row in rows {
            assert!(row.bias.abs() <= ODD_BIAS, "{}: {:+.1} %", row.name, row.bias);
        }
    }

    #[test]
    fn percentiles_round_up() {
        let sample = |estimate| Sample { text: String::new(), estimate, exact: 100.0 };
        let samples: Vec<_> = [100.0, 90.0, 130.0, 104.0].map(sample).into();
        let row = Row::of("x", &samples);
        let Row { median, nearly_all, bias, .. } = &row;
        assert_eq!(format!("{median:.1} {nearly_all:.1} {bias:+.1}"), "10.0 30.0 +6.0");
        assert!(!row.holds());
    }
}
