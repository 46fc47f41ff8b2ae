//! What reports show, and what they never show.

use super::*;

#[test]
fn a_shared_edit_is_one_group_of_few_lines() {
    let name = |at: usize| format!("writer/{at:03}");
    let entries = |system: &str| -> Vec<LockedContext> {
        let named = |at: usize| {
            let body = with("Shorter.", &format!("Question {at}."));
            let body = body.to_string().replacen("You write reports.", system, 1);
            entry(&name(at), Json::parse(&body).unwrap(), json!([]))
        };
        (0..100).map(named).collect()
    };
    let lock = lock_of(&entries("You write reports."));
    let verdict = check(&lock, &entries("You write short reports for a board."), json!({}));
    assert_eq!((verdict.groups.len(), verdict.entries.len()), (1, 100));
    let group = &verdict.groups[0];
    assert_eq!((group.entries.len(), group.cause.as_str()), (100, "system prompt"));
    assert!(group.price_per_1000.unwrap() > 0.0);
    let start = "system prompt edited: 100 contexts, +";
    assert!(group.title.starts_with(start), "{}", group.title);
    assert!(group.title.contains(", prefix lost from /system/0 ("), "{}", group.title);
    assert!(group.title.contains(" tokens, too few for a cache)"), "{}", group.title);
    assert!(group.title.contains(" per 1,000 turns"), "{}", group.title);
    let [text, markdown, junit, annotations] =
        [0, 1, 2, 3].map(|at| verdict.reports[at].text.as_str());
    assert!(markdown.lines().count() <= 40, "{markdown}");
    assert!(text.contains("short reports"), "{text}");
    assert!(junit.contains("tests=\"100\" failures=\"100\" errors=\"0\""), "{junit}");
    assert_eq!(annotations.lines().count(), 1);
    assert!(annotations.starts_with("::warning file=tuckbox.lock,line=3,title=Context::"));
    let sarif = Json::parse(&verdict.reports[4].text).unwrap();
    let run = sarif.get("runs").and_then(Json::as_array).unwrap()[0].clone();
    let results = run.get("results").and_then(Json::as_array).unwrap().to_vec();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].get("ruleId"), Some(&json!("edited")));
    assert!(results[0].to_string().contains(r#""startLine":3"#), "{}", results[0]);
}

#[test]
fn no_report_and_no_cache_has_the_text_of_a_secret() {
    let secret = "sk-abcdefghij0123456789xyz";
    let plain = entry("a", body(), json!([]));
    let keyed = entry("a", with("Shorter.", &format!("Shorter {secret}.")), json!([]));
    assert_eq!(keyed.details.hashes.last().unwrap(), "");
    for [before, after] in [[&plain, &keyed], [&keyed, &plain]] {
        let verdict =
            check(&lock_of(std::slice::from_ref(before)), std::slice::from_ref(after), json!({}));
        assert_eq!(changes_of(&verdict), ["edited /messages/4 user message"]);
        let report = |report: &LockReport| assert!(!report.text.contains("sk-"), "{}", report.text);
        verdict.reports.iter().for_each(report);
        assert!(verdict.reports[0].text.contains("[secret]"), "{}", verdict.reports[0].text);
    }
    // and with `redact`, none has any text
    let redacted = |text: &str| {
        let call = json!({"name": "a", "redact": true,
            "request": {"provider": "anthropic", "body": with("Shorter.", text)}});
        run(&LockEntry::from_json(&call).unwrap()).unwrap()
    };
    let (before, after) = (redacted("Shorter."), redacted("Longer."));
    assert!(before.details.hashes.iter().all(String::is_empty));
    let verdict = check(&lock_of(&[before]), &[after], json!({}));
    assert_eq!(changes_of(&verdict), ["edited /messages/4 user message"]);
    assert!(!verdict.reports.iter().any(|report| report.text.contains("Longer")));
}

#[test]
fn the_words_after_an_excerpt_need_the_locked_text() {
    let long = |end: &str| {
        with("Write about tides.", &format!("{} {end}", "Write about tides.".repeat(9)))
    };
    let context = entry("a", long("Be brief."), json!([]));
    let lock = lock_of(std::slice::from_ref(&context));
    let edited = entry("a", long("Be long."), json!([]));
    let words = |more: Json| {
        check(&lock, std::slice::from_ref(&edited), more).entries[0].changes[0].words.clone()
    };
    assert_eq!(words(json!({})), None);
    let texts =
        Json::from([(context.details.hashes[2].as_str(), context.details.texts[2].as_str())]);
    assert_eq!(words(Json::from([("texts", texts)])).unwrap().after, "long.");
}

#[test]
fn reports_escape_what_contexts_contain() {
    let name = "x\n::error::boom <b> `@team` %";
    let context = entry(name, body(), json!([]));
    let lock = lock_of(std::slice::from_ref(&context));
    let edited = entry(name, with("Shorter.", "Longer `@team` <script>"), json!([]));
    let verdict =
        check(&lock, &[edited], json!({"errors": [{"name": "y", "message": "a\n::error::b"}]}));
    let [text, markdown, junit, annotations] =
        [0, 1, 2, 3].map(|at| verdict.reports[at].text.as_str());
    for report in [text, annotations, markdown] {
        assert!(!report.contains("\n::error::b"), "{report}");
    }
    assert!(!markdown.contains("`@team`"), "{markdown}");
    assert!(!junit.contains("<b>") && !junit.contains("<script>"), "{junit}");
}

#[test]
fn redacted_entries_have_no_text() {
    let call =
        json!({"name": "a", "redact": true, "request": {"provider": "anthropic", "body": body()}});
    let made = run(&LockEntry::from_json(&call).unwrap()).unwrap();
    assert!(!made.block.contains("tides") && !made.block.contains("reports"), "{}", made.block);
    assert_eq!(check(&lock_of(std::slice::from_ref(&made)), &[made], json!({})).exit_code, 0);
}

#[test]
fn secrets_of_tools_and_parameters_are_found() {
    let secret = "sk-abcdefghij0123456789xyz";
    for (from, slot) in
        [("Finds pages.", "/tools/search"), ("\"max_tokens\":1000", "/parameters/user")]
    {
        let to = if slot == "/parameters/user" {
            format!("\"user\":\"{secret}\"")
        } else {
            secret.to_owned()
        };
        let context = entry("a", with(from, &to), json!([]));
        assert!(!context.block.contains(secret), "{}", context.block);
        let assertions = json!({"assertions": [{"excludes": [{"secret": true}]}]});
        let verdict = check(&lock_of(std::slice::from_ref(&context)), &[context], assertions);
        let [failure] = verdict.failures.as_slice() else { panic!("{:?}", verdict.failures) };
        assert_eq!((failure.assertion, failure.slot.as_deref()), ("excludes", Some(slot)));
    }
}
