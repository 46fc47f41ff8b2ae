//! Planted compactions: each message of the previous request has one fate, and all counts add up.

use tuckbox::prompt::cache::{CompactionAccount, CompactionLoss, ExplainCompaction, MessageFate};
use tuckbox::rule::{Rule, Step};
use tuckbox::value::json::Json;
use tuckbox::{Env, Error, Snapshot, Timestamp, json};

fn account(requests: Vec<Json>) -> Result<CompactionAccount, Error> {
    let call = json!({"provider": "openai_chat", "requests": Json::Array(requests)});
    let call = ExplainCompaction::from_json(&call)?;
    let env = Env::new(Timestamp::from_millis(0), [7; 32]);
    let Step::Done(done) = call.step(&Snapshot::new("p1".into()), &env)? else {
        panic!("the call reads")
    };
    Ok((*done.value).clone())
}

/// Returns a body with these messages. Texts that start with `a` are from the assistant.
fn body(said: &[&str]) -> Json {
    let messages = said.iter().enumerate().map(|(at, text)| {
        let role = if text.starts_with("a") { "assistant" } else { "user" };
        assert!(at < 100);
        json!({"role": role, "content": *text})
    });
    let mut list = vec![json!({"role": "system", "content": "Be brief."})];
    list.extend(messages);
    json!({"model": "gpt-5.6-sol", "messages": Json::Array(list)})
}

fn main_request(said: &[&str]) -> Json {
    json!({"body": body(said)})
}

fn summarize(said: &[&str]) -> Json {
    json!({"body": body(said), "kind": "compaction"})
}

fn fates(account: &CompactionAccount, at: usize) -> String {
    let letter = |fate| match fate {
        MessageFate::Kept => 'k',
        MessageFate::Covered => 'c',
        MessageFate::Dropped => 'd',
        MessageFate::Unknown => '?',
    };
    account.compactions[at].messages.iter().map(|message| letter(message.fate)).collect()
}

const TALK: [&str; 6] = ["q1", "a1", "q2", "a2", "q3", "a3"];
const FIRST: &str = "Summary: they spoke of 1.";
const SECOND: &str = "Summary: they spoke of 1 to 3.";

#[test]
fn each_message_has_one_fate() {
    let after = main_request(&[FIRST, "q3", "a3", "q4"]);
    let all = account(vec![main_request(&TALK), summarize(&TALK[..4]), after.clone()]).unwrap();
    assert_eq!(fates(&all, 0), "cccckk");
    assert_eq!((all.compactions[0].before, all.compactions[0].after), (0, 2));
    assert_eq!(all.compactions[0].summaries, [1], "positions are those of the body");
    assert!(all.findings.is_empty());

    let unknown = account(vec![main_request(&TALK), after.clone()]).unwrap();
    assert_eq!(fates(&unknown, 0), "????kk");

    let Json::Object(mut bounded) = after else { panic!() };
    bounded.insert("covered".into(), json!([3, 5]));
    let bounded = account(vec![main_request(&TALK), Json::Object(bounded)]).unwrap();
    assert_eq!(fates(&bounded, 0), "ddcckk");
    assert!(bounded.findings.iter().all(|finding| finding.loss == CompactionLoss::Dropped));

    let cut = account(vec![main_request(&TALK), main_request(&["q3", "a3", "q4"])]).unwrap();
    assert_eq!(fates(&cut, 0), "ddddkk");
    assert!(cut.compactions[0].summaries.is_empty());

    for account in [all, unknown, bounded, cut] {
        let totals = account.totals;
        assert_eq!(totals.messages, TALK.len());
        assert_eq!(totals.kept + totals.covered + totals.dropped + totals.unknown, TALK.len());
    }
    let appended = account(vec![
        main_request(&TALK),
        main_request(&["q1", "a1", "q2", "a2", "q3", "a3", "q4"]),
    ]);
    assert!(appended.unwrap().compactions.is_empty());
}

#[test]
fn a_stated_summary_is_a_compaction_without_the_words_of_one() {
    let stated = |said: &[&str]| json!({"body": body(said), "covered": [1, 7], "summary": 1});
    let after = ["[text of the tool]", "q1", "a1", "q2", "a2", "q3", "a3", "q4"];
    let kept = account(vec![main_request(&TALK), stated(&after)]).unwrap();
    assert_eq!(fates(&kept, 0), "kkkkkk");
    assert_eq!(kept.compactions[0].summaries, [1]);
    let cut = ["[text of the tool]", "compacted", "q4"];
    let covered = account(vec![main_request(&TALK), stated(&cut)]).unwrap();
    assert_eq!(fates(&covered, 0), "cccccc");
    assert_eq!(covered.compactions[0].summaries, [1]);
    // the next request has the same summary
    let next = [&after[..], &["a4"]].concat();
    let later = account(vec![main_request(&TALK), stated(&after), stated(&next)]).unwrap();
    assert_eq!(later.compactions.len(), 1);
}

#[test]
fn a_second_compaction_can_lose_what_the_first_kept() {
    let requests = vec![
        main_request(&TALK),
        summarize(&TALK[..4]),
        main_request(&[FIRST, "q3", "a3", "q4", "a4", "q5"]),
        // the second summary covers only messages after the first compaction
        summarize(&["q4", "a4"]),
        main_request(&[SECOND, "q5", "a5", "q6"]),
    ];
    let found = account(requests).unwrap();
    assert_eq!((fates(&found, 0).as_str(), fates(&found, 1).as_str()), ("cccckk", "dddcck"));
    let losses: Vec<_> = found.findings.iter().map(|each| (each.loss, each.message)).collect();
    assert_eq!(
        losses,
        [
            (CompactionLoss::SummaryNotContinued, 1),
            (CompactionLoss::LostAfterSecond, 2),
            (CompactionLoss::LostAfterSecond, 3),
        ]
    );
    assert!(found.compactions[1].messages[0].summary);
}

#[test]
fn bad_input_is_an_error_with_its_path() {
    let path = |requests: Vec<Json>| account(requests).unwrap_err().path().to_string();
    assert_eq!(path(vec![json!({"body": {"contents": []}})]), "requests[0].body.contents");
    let kind = json!({"body": body(&TALK), "kind": "other"});
    assert_eq!(path(vec![kind]), "requests[0].kind");
    let place = json!({"body": body(&TALK), "summary": -1});
    assert_eq!(path(vec![place]), "requests[0].summary");
    let range = json!({"body": body(&TALK), "covered": [3, 1]});
    assert_eq!(path(vec![range]), "requests[0].covered");
}
