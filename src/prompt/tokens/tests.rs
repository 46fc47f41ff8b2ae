use super::*;
use crate::prompt::provider::{Options, Payload, Prompt, Provider, payload};
use crate::rule::Rule;
use crate::store::Snapshot;
use crate::value::arguments::Argument;
use crate::value::json::{Field, Json, to_json};
use crate::{Env, Step, Timestamp};

fn made(json: &str, provider: Provider) -> Payload {
    let json = Json::parse(json).unwrap();
    let prompt = Prompt::read(&Field::root(&json)).unwrap();
    payload(&prompt, provider, &Options::model("m")).unwrap()
}

/// One token a character: sums can be checked by eye.
struct Letters;

impl Counter for Letters {
    fn count(&self, text: &str) -> u64 {
        text.chars().count() as u64
    }

    fn exact(&self) -> bool {
        true
    }
}

const TALK: &str = r#"{"messages":[
    {"role":"system","content":"abc"},{"role":"system","content":"de"},{"role":"user","content":"fghi"},
    {"role":"assistant","content":"","tool_calls":[{"id":"k","function":{"name":"f","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"k","content":"jklmn"}],
    "origins":[{"layer":"system_prompt"},{"layer":"todo__context"},{"card_id":"c1"},{"card_id":"c2"},{"card_id":"c2"}]}"#;

#[test]
fn every_source_has_its_bucket_and_the_sum_is_the_whole() {
    for &provider in Provider::ALL {
        let account = account(&made(TALK, provider), &Letters);
        let counts: Vec<_> = account.buckets.iter().map(|bucket| bucket.tokens).collect();
        assert_eq!(counts[..4], [3, 2, 4, 8], "{provider:?}");
        assert_eq!(counts.iter().sum::<u64>(), account.tokens);
        assert_eq!(account.buckets[3].positions, [3, 4]);
        assert_eq!(account.buckets.last().unwrap().kind, BucketKind::Framing);
        let exact: Vec<_> = account.buckets.iter().map(|bucket| bucket.exact).collect();
        assert_eq!(exact[..4], [true; 4]);
        assert!(exact[4..].iter().all(|exact| !exact), "tools and framing are estimates");
        assert!(!account.exact);
    }
}

#[test]
fn what_the_legaliser_adds_is_framing() {
    let account = account(
        &made(r#"{"messages":[{"role":"assistant","content":"x"}]}"#, Provider::Gemini),
        &Letters,
    );
    let framing = Provider::Gemini.framing();
    let added = "(start)(continue)".len() as u64;
    assert_eq!(account.buckets[1].tokens, framing.reply + 3 * framing.message + added);
    assert_eq!(account.messages, [MessageCost { position: 0, tokens: 1, exact: true }]);
}

#[test]
fn the_wire_form_names_every_bucket() {
    let json = r#"{"messages":[{"role":"user","content":"x"}],"tools":[{"name":"f"}],"origins":[{"layer":"query"}]}"#;
    let account = account(&made(json, Provider::OpenaiChat), &Letters);
    assert_eq!(
        to_json(&account).unwrap().to_string(),
        concat!(
            r#"{"provider":"openai_chat","tokens":64,"cost":null,"exact":false,"buckets":["#,
            r#"{"kind":"layer","layer":"query","tokens":1,"exact":true,"positions":[0]},"#,
            r#"{"kind":"tools","tokens":43,"exact":false},{"kind":"framing","tokens":20,"exact":false}],"#,
            r#""sections":[{"section":"system_prompt","tokens":0,"exact":true},"#,
            r#"{"section":"tools","tokens":43,"exact":false},{"section":"media","tokens":0,"exact":true},"#,
            r#"{"section":"messages","tokens":1,"exact":true},{"section":"framing","tokens":20,"exact":false}],"#,
            r#""reserve":0,"#,
            r#""messages":[{"position":0,"tokens":1,"exact":true}],"tools":[{"name":"f","tokens":43,"exact":false}]}"#
        )
    );
}

fn answer(rule: &impl Rule<Value: serde::Serialize>) -> Json {
    let env = Env::new(Timestamp::from_millis(0), [0; 32]);
    match rule.step(&Snapshot::new("p".into()), &env).unwrap() {
        Step::Done(outcome) => to_json(&outcome.value).unwrap(),
        Step::Need(_) => panic!("it brings all it needs"),
    }
}

#[test]
fn a_host_counts_the_texts_and_the_core_does_the_sums() {
    let call = |more: &str| {
        let talk = TALK.strip_suffix('}').unwrap();
        Json::parse(&format!(r#"{talk},"provider":"anthropic"{more}}}"#)).unwrap()
    };
    let texts = answer(&TokenTexts::from_json(&call("")).unwrap());
    assert_eq!(texts.to_string(), r#"{"texts":["abc","de","fghi","f","{}","jklmn"]}"#);
    let counted =
        CountTokens::from_json(&call(r#","counter":{"counts":[3,2,4,1,2,5],"exact":true}"#))
            .unwrap();
    assert!(
        answer(&counted)
            .same_value(&to_json(&account(&made(TALK, Provider::Anthropic), &Letters)).unwrap())
    );

    let short = CountTokens::from_json(&call(r#","counter":{"counts":[3]}"#)).unwrap();
    let env = Env::new(Timestamp::from_millis(0), [0; 32]);
    let error = short.step(&Snapshot::new("p".into()), &env).unwrap_err();
    assert_eq!(error.path().to_string(), "counter.counts");
}

#[test]
fn the_estimate_knows_words_numbers_signs_and_scripts() {
    for (text, exact) in [
        ("", 0),
        ("The quick brown fox jumps over the lazy dog.", 10),
        ("    return self.items[index]\n", 7),
        ("1234567890", 4),
        ("我们可以使用这个方法", 5),
    ] {
        let estimate = Estimate.count(text);
        let off = estimate.abs_diff(exact);
        assert!(off * 4 <= exact + 3, "{text:?}: {estimate} for {exact}");
    }
}
