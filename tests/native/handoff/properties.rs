//! Property tests of handoff packages: no field is lost, no plan exceeds its budget, and a larger
//! budget never reads less.
use crate::property::{Dice, hold};
use std::collections::BTreeMap;
use tuckbox::handoff::{
    Depth, Excerpt, ExecuteToInit, HandoffPart, InitToExecute, Package, Plan, PlanHandoff, Report,
    example,
};
use tuckbox::prompt::tokens::Counter;
use tuckbox::value::json::{Field, Json, Object};

/// A cheap counter. The properties hold for every counter.
struct Bytes;

impl Counter for Bytes {
    fn count(&self, text: &str) -> u64 {
        text.len().div_ceil(4) as u64
    }

    fn exact(&self) -> bool {
        false
    }
}

/// The random input.
trait Things {
    fn roll(&mut self, sides: u64) -> u64;
    fn text(&mut self) -> String;
    fn json(&mut self, depth: u64) -> Json;
    fn object(&mut self, depth: u64) -> Object;
    fn package(&mut self) -> Json;
}

impl Things for Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.below(sides as usize) as u64
    }

    fn text(&mut self) -> String {
        let word =
            self.pick(&["", "a", "请假", "🙂", "\"quoted\"", "a b", "__proto__", "0", "\u{2028}"]);
        format!("{word}{}", self.roll(50))
    }

    fn json(&mut self, depth: u64) -> Json {
        match self.roll(if depth == 0 { 5 } else { 7 }) {
            0 => Json::Null,
            1 => Json::Bool(self.roll(2) == 0),
            2 => Json::parse(self.pick(&[
                "0",
                "-0.0",
                "1e300",
                "123456789012345678901234567890",
                "0.67",
            ]))
            .unwrap(),
            3 | 4 => Json::String(self.text()),
            5 => Json::Array((0..self.roll(3)).map(|_| self.json(depth - 1)).collect()),
            _ => Json::Object(self.object(depth - 1)),
        }
    }

    fn object(&mut self, depth: u64) -> Object {
        (0..self.roll(4)).map(|_| (self.text(), self.json(depth))).collect()
    }

    fn package(&mut self) -> Json {
        let mut package = Object::default();
        let known = self.roll(2);
        let mut put = |key: &str, value: Json| package.insert(key.to_owned(), value);
        put("timestamp", self.text().into());
        if self.roll(2) == 0 {
            put("version", self.pick(&["2.0", "3", ""]).into());
        }
        if self.roll(2) == 0 {
            put("metadata", Json::Object(self.object(2)));
        }
        if known == 0 {
            put("handoff_type", "init_to_execute".into());
            put("user_requirement", self.text().into());
            let artifacts = (0..self.roll(4)).map(|_| (self.text(), Json::from(self.text())));
            put("design_artifacts", Json::Object(artifacts.collect()));
            for key in ["design_rationale", "design_iterations", "known_constraints"] {
                if self.roll(3) == 0 {
                    put(key, Json::Null);
                }
            }
        } else {
            put("handoff_type", "execute_to_init".into());
            for key in ["execution_output_dir", "trigger_reason", "layer1_problems_report_path"] {
                put(key, self.text().into());
            }
            put("iteration_summary", Json::Object(self.object(2)));
            let entries = (0..self.roll(4)).map(|_| Json::Object(self.object(2))).collect();
            put("failure_samples_index", Json::Array(entries));
            let texts = (0..self.roll(6)).map(|_| Json::from(self.text())).collect();
            put("modification_suggestions_summary", Json::Array(texts));
        }
        for _ in 0..self.roll(5) {
            let key = format!("x{}", self.text());
            put(&key, self.json(3));
        }
        package.into()
    }
}

#[test]
fn every_field_of_a_package_is_kept_in_the_round_trip() {
    hold("every field of a package is kept in the round trip", |dice| {
        let given = dice.package();
        let package = Package::from_json(&Field::root(&given)).unwrap();
        let back = package.to_json();
        assert_eq!(back.canonical_text().unwrap(), given.canonical_text().unwrap());
        let extra: Vec<&String> = package.base().extra.keys().collect();
        let meant = given.as_object().unwrap().keys().filter(|key| key.starts_with('x'));
        assert_eq!(extra, meant.collect::<Vec<_>>());
        let dump = package.dump();
        let again = Package::from_json(&Field::root(&dump)).unwrap();
        assert_eq!(again.dump(), dump);
        for (key, value) in given.as_object().unwrap() {
            assert_eq!(dump.get(key), Some(value));
        }
    });
}

#[test]
fn the_protocols_examples_are_byte_stable() {
    let given = Json::parse(example::INIT_TO_EXECUTE).unwrap();
    let package = InitToExecute::from_json(&Field::root(&given)).unwrap();
    assert_eq!(package.to_json().canonical_text().unwrap(), given.canonical_text().unwrap());
    let given = Json::parse(example::EXECUTE_TO_INIT).unwrap();
    let package = ExecuteToInit::from_json(&Field::root(&given)).unwrap();
    assert_eq!(package.to_json().canonical_text().unwrap(), given.canonical_text().unwrap());
    let given = Json::parse(example::LAYER1_PROBLEMS_REPORT).unwrap();
    let report = Report::from_json(&Field::root(&given)).unwrap();
    assert_eq!(report.to_json().canonical_text().unwrap(), given.canonical_text().unwrap());
}

/// Returns a random index of up to 12 samples, and a report that agrees with it.
fn planning(dice: &mut Dice) -> PlanHandoff {
    let count = dice.roll(12);
    let mut package = ExecuteToInit::new("t", "out/iteration_1");
    package.trigger_reason = dice.text();
    for at in 0..count {
        let mut entry = Object::from_iter([("sample_id".to_owned(), Json::from(format!("S{at}")))]);
        for (part, dir, suffix) in [
            ("sample_path", "samples", ""),
            ("trace_path", "execution_traces", "_trace"),
            ("evaluation_path", "evaluation_results", "_eval"),
            ("attribution_path", "attribution_analysis", "_attribution"),
        ] {
            if dice.roll(5) > 0 {
                entry.insert(part.to_owned(), format!("{dir}/S{at}{suffix}.json").into());
            }
        }
        if dice.roll(4) > 0 {
            let turns = match dice.roll(4) {
                0 => dice.roll(3),
                1 => dice.roll(2_000),
                _ => dice.roll(40),
            };
            entry.insert("conversation_turns".to_owned(), turns.into());
        }
        entry.insert("priority".to_owned(), dice.pick(&["high", "medium", "low"]).into());
        package.failure_samples_index.push(entry);
    }
    let report = (dice.roll(4) > 0).then(|| report(dice, count));
    let mut planning = PlanHandoff::new(Package::ExecuteToInit(package.clone()), report);
    for entry in &package.failure_samples_index {
        for key in ["sample_path", "trace_path", "evaluation_path", "attribution_path"] {
            if let (Some(path), 0) = (entry.get(key).and_then(Json::as_str), dice.roll(3)) {
                let size = if dice.roll(20) == 0 { u64::MAX } else { dice.roll(20_000) };
                planning.sizes.insert(format!("out/iteration_1/{path}"), size);
            }
        }
    }
    planning.depth = [Depth::ReportSummary, Depth::TypicalCases, Depth::AllCases, Depth::AllCases]
        [dice.roll(4) as usize];
    planning
}

fn report(dice: &mut Dice, count: u64) -> Report {
    let problems = (0..dice.roll(4)).map(|at| {
        let samples: Vec<Json> =
            (0..count).filter(|_| dice.roll(2) == 0).map(|at| format!("S{at}").into()).collect();
        let typical = samples.first().cloned().unwrap_or_else(|| "".into());
        Json::from([
            ("problem_id", Json::from(format!("P{at}"))),
            ("problem_type", "t".into()),
            ("severity", dice.pick(&["critical", "high", "medium", "low"]).into()),
            ("title", dice.text().into()),
            ("description", dice.text().into()),
            ("affected_count", samples.len().into()),
            ("affected_samples", Json::Array(samples)),
            ("evidence_summary", dice.text().into()),
            ("typical_case_id", typical),
            (
                "suggested_fix",
                Json::from([
                    ("target", "a"),
                    ("section", "b"),
                    ("modification", "c"),
                    ("rationale", "d"),
                ]),
            ),
        ])
    });
    let problems: Vec<Json> = problems.collect();
    let report = Json::from([
        ("report_version", Json::from("1.0")),
        ("generated_at", "t".into()),
        ("iteration", 1_u64.into()),
        ("total_samples", count.into()),
        ("failed_samples", count.into()),
        ("failure_rate", u64::from(count > 0).into()),
        ("layer1_problems", Json::Array(problems)),
        ("modification_priority", Json::Array(Vec::new())),
    ]);
    Report::from_json(&Field::root(&report)).unwrap()
}

/// Returns how much of each item a plan reads.
fn read(plan: &Plan) -> BTreeMap<(String, String), (u64, Excerpt)> {
    let name = |what: HandoffPart, name: &Option<String>| {
        (format!("{what:?}"), name.clone().unwrap_or_default())
    };
    plan.steps.iter().map(|step| (name(step.read, &step.name), (step.tokens, step.cut))).collect()
}

fn keeps_at_least(more: Excerpt, less: Excerpt) -> bool {
    match (more, less) {
        (Excerpt::Whole, _) => true,
        (Excerpt::Summary { problems: more, .. }, Excerpt::Summary { problems: less, .. })
        | (Excerpt::HeadAndTail { tokens: more }, Excerpt::HeadAndTail { tokens: less }) => {
            more >= less
        }
        (
            Excerpt::Turns { head, tail, key, turn_tokens },
            Excerpt::Turns { head: h, tail: t, key: k, turn_tokens: tt },
        ) => head >= h && tail >= t && key >= k && turn_tokens >= tt,
        (more, less) => more == less,
    }
}

/// The number of budgets for each index.
const SHARED: usize = 4;

#[test]
fn no_plan_exceeds_its_budget_and_a_larger_budget_never_reads_less() {
    hold("no plan exceeds its budget, and a larger budget never reads less", |dice| {
        let mut planning = planning(dice);
        let most = if dice.percent(50) { 60_000 } else { 3_000 };
        planning.budget = dice.roll(most);
        let small = within_budget(&planning);
        if dice.percent(10) {
            assert_eq!(within_budget(&planning), small);
        }
        let mut less = read(&small);
        for _ in 0..SHARED {
            planning.budget += dice.roll(20_000);
            let more = read(&within_budget(&planning));
            for (what, (tokens, cut)) in less {
                let (more_tokens, more_cut) = more[&what];
                assert!(more_tokens >= tokens, "{what:?}");
                assert!(keeps_at_least(more_cut, cut), "{what:?}: {cut:?} became {more_cut:?}");
            }
            less = more;
        }
        SHARED
    });
}

fn within_budget(planning: &PlanHandoff) -> Plan {
    let plan = planning.plan(&Bytes).unwrap();
    assert!(plan.spent <= plan.budget);
    assert_eq!(plan.steps.iter().map(|step| step.tokens).sum::<u64>(), plan.spent);
    plan
}

#[test]
fn a_plan_and_its_omissions_are_the_whole_package() {
    hold("a plan and its omissions are the whole package", |dice| {
        let mut planning = planning(dice);
        let mut all = planning.clone();
        all.budget = u64::MAX;
        all.depth = Depth::AllCases;
        all.sizes.clear();
        let whole = all.plan(&Bytes).unwrap();
        assert!(whole.left_out.is_empty());
        assert!(whole.steps.iter().all(|step| matches!(step.cut, Excerpt::Whole | Excerpt::Head)));
        for _ in 0..SHARED {
            planning.budget = dice.roll(8_000);
            let plan = planning.plan(&Bytes).unwrap();
            let left: usize = plan.left_out.iter().map(|left| left.parts.len()).sum();
            assert_eq!(plan.steps.len() + left, whole.steps.len());
        }
        SHARED
    });
}
