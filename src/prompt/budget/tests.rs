use super::*;
use crate::prompt::tokens::Estimate;
use crate::value::arguments::Argument;
use crate::value::json::Field;
use crate::value::message::Message;
use crate::{Code, Json};

fn prompt(json: &str) -> Prompt {
    let json = Json::parse(json).unwrap();
    Prompt::read(&Field::root(&json)).unwrap()
}

fn fitted(prompt: &Prompt, limit: u64) -> Result<Fitted> {
    fit(prompt, Provider::OpenaiChat, &Options::model("gpt-5"), &Budget::new(limit), &Estimate)
}

fn layered() -> Prompt {
    let layers = [
        ("system_prompt", "You review."),
        ("framework__context", "House rules apply."),
        ("knowledge__context", "The bridge was built in 1912."),
        ("team__context", "Ann and Bo."),
        ("checkpoint_messages", "an old question"),
        ("checkpoint_messages", "a newer question"),
        ("query", "And now?"),
    ];
    let messages = layers.iter().map(|(layer, text)| match *layer {
        "checkpoint_messages" | "query" => Message::user(*text),
        _ => Message::system(*text),
    });
    let origin = |(layer, _): &(&str, &str)| Origin::layer(*layer);
    Prompt {
        messages: messages.collect(),
        origins: layers.iter().map(origin).collect(),
        tools: Vec::new(),
    }
}

#[test]
fn layers_go_by_priority_and_history_oldest_first() {
    let prompt = layered();
    let least = fitted(&prompt, 0).unwrap_err().details()["protected_tokens"].clone();
    let least: u64 = least.to_string().parse().unwrap();
    let all = fitted(&prompt, least).unwrap();
    assert_eq!(all.kept, [0, 6]);
    let order: Vec<_> = all.dropped.iter().map(|dropped| dropped.position).collect();
    assert_eq!(order, [3, 4, 5, 2, 1]);
    assert_eq!(all.account.tokens, least);
    assert_eq!(fitted(&prompt, 1_000).unwrap().dropped, []);
}

#[test]
fn a_call_and_its_results_go_together_and_the_ledger_says_so() {
    let prompt = prompt(
        r#"{"messages":[{"role":"system","content":"s"},
        {"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"a","content":"some words that cost a few tokens"},
        {"role":"user","content":"a question in between"},
        {"role":"tool","tool_call_id":"b","content":"more words that cost a few tokens"},
        {"role":"user","content":"q"}],
        "origins":[null,{"card_id":"c1"}]}"#,
    );
    let whole = fitted(&prompt, 1_000).unwrap().account.tokens;
    let less = fitted(&prompt, whole - 1).unwrap();
    assert_eq!(less.kept, [0, 3, 5]);
    let reasons: Vec<_> =
        less.dropped.iter().map(|dropped| (dropped.position, dropped.reason)).collect();
    let with = Reason::WithItsCall { first: 1 };
    assert_eq!(reasons, [(1, Reason::OverBudget), (2, with), (4, with)]);
    assert_eq!(less.dropped[0].card_id.as_ref().unwrap(), &"c1");
}

#[test]
fn a_budget_below_the_protected_part_is_an_error_that_names_it() {
    let error = fitted(&layered(), 5).unwrap_err();
    assert_eq!(error.code(), Code::Limit);
    assert_eq!(error.path().to_string(), "limit");
    assert_eq!(error.details()["protected_positions"].to_string(), "[0,6]");
}

#[test]
fn a_host_can_say_what_is_dear() {
    let mut prompt = layered();
    prompt.origins[3].priority = Some(99);
    prompt.origins[4].protected = true;
    let error = fitted(&prompt, 0).unwrap_err();
    assert_eq!(error.details()["protected_positions"].to_string(), "[0,4,6]");
    let priorities = Priorities::default().with("knowledge__context", 1);
    let budget = Budget { priorities, ..Budget::new(60) };
    let fitted =
        fit(&prompt, Provider::Anthropic, &Options::model("m"), &budget, &Estimate).unwrap();
    assert!(fitted.account.tokens <= 60);
    let json = Json::parse(r#"{"priorities":{"system_prompt":1}}"#).unwrap();
    let priorities = Field::root(&json).object().unwrap().required("priorities").unwrap();
    let error = Priorities::read(&priorities).unwrap_err();
    assert_eq!(error.path().to_string(), "priorities.system_prompt");
}

#[test]
fn a_larger_budget_keeps_what_a_smaller_one_kept() {
    let prompt = layered();
    let mut kept: Option<Vec<usize>> = None;
    for limit in 0..120 {
        match fitted(&prompt, limit) {
            Err(_) => assert!(kept.is_none()),
            Ok(fitted) => {
                assert!(fitted.account.tokens <= limit);
                assert!(kept.iter().flatten().all(|position| fitted.kept.contains(position)));
                kept = Some(fitted.kept);
            }
        }
    }
    assert_eq!(kept.unwrap().len(), 7);
}

#[test]
fn other_limits_are_reported_as_numbers_and_refused_when_they_are_too_many() {
    let prompt = layered();
    let whole = fitted(&prompt, 1_000).unwrap();
    let tokens = whole.account.tokens;
    let also = |also: Vec<u64>| {
        let budget = Budget { also, ..Budget::new(1_000) };
        fit(&prompt, Provider::OpenaiChat, &Options::model("gpt-5"), &budget, &Estimate)
    };
    let counted = also(vec![tokens, tokens - 1, 0]).unwrap();
    let less = fitted(&prompt, tokens - 1).unwrap();
    let fit = |limit, less: &Fitted| {
        let Account { tokens, cost, .. } = less.account;
        Some(Fit { limit, dropped: less.dropped.len(), tokens, cost })
    };
    let (first, second) = (fit(tokens, &whole), fit(tokens - 1, &less));
    let [larger, smaller] = [&whole, &less].map(|fitted| fitted.account.cost.unwrap());
    assert!(smaller < larger, "{smaller} {larger}");
    assert_eq!(counted.also, [first, second, None]);
    assert_eq!(Fitted { also: Vec::new(), ..counted }, whole);
    let error = also(vec![0; MAX_LIMITS_TIMES_MESSAGES]).unwrap_err();
    assert_eq!((error.code(), error.path().to_string()), (Code::Limit, "also".to_owned()));
    assert_eq!(error.details()["also"].to_string(), (MAX_LIMITS_TIMES_MESSAGES / 7).to_string());
}
