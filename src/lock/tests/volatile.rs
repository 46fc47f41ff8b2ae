//! Slots that can change.

use super::*;

#[test]
fn a_volatile_slot_is_checked_for_presence_and_size() {
    let slots = json!(["/system/1"]);
    let lock = lock_of(&[entry("a", body(), slots.clone())]);
    let same = check(&lock, &[entry("a", with("11-17", "11-18"), slots.clone())], json!({}));
    assert_eq!((same.status, same.exit_code), (LockStatus::Same, 0));
    let missing = with(",{\"type\":\"text\",\"text\":\"Today is 2026-11-17.\"}", "");
    let missing = check(&lock, &[entry("a", missing, slots.clone())], json!({}));
    assert_eq!(changes_of(&missing), ["volatile_missing /system/1 system prompt"]);
    assert_eq!(missing.unmatched[0].slot, "/system/1");
    let long = with("Today is", &"Today is a day ".repeat(20));
    let long = check(&lock, &[entry("a", long, slots)], json!({}));
    assert_eq!(changes_of(&long), ["volatile_range /system/1 system prompt"]);
    let other = check(&lock, &[entry("a", body(), json!([]))], json!({}));
    assert_eq!(changes_of(&other), ["volatility_changed /system/1 system prompt"]);
}

#[test]
fn a_shared_volatile_slot_need_not_exist() {
    let call = json!({"name": "a", "volatile": ["/system/9"], "shared_volatile": ["/system/1", "/system/8"],
        "request": {"provider": "anthropic", "body": body()}});
    let made = run(&LockEntry::from_json(&call).unwrap()).unwrap();
    assert!(made.block.contains(" ~ \"system prompt\""), "{}", made.block);
    assert_eq!(made.details.unmatched, ["/system/9"]);
}

#[test]
fn volatile_text_is_cut_between_two_strings() {
    let slots =
        json!([{"slot": "/system/1", "after": "Today is ", "before": "."}, "tool_call_ids"]);
    let lock = lock_of(&[entry("a", body(), slots.clone())]);
    assert!(lock.contains("\"Today is ~.\""), "{lock}");
    let other = body().to_string().replace("11-17", "11-18").replace("\"t1\"", "\"t2\"");
    let other = Json::parse(&other).unwrap();
    let same = check(&lock, &[entry("a", other, slots.clone())], json!({}));
    assert_eq!(same.status, LockStatus::Same, "{}", same.reports[0].text);
    let edited = check(&lock, &[entry("a", with("Today is", "Now is"), slots)], json!({}));
    assert_eq!((changes_of(&edited).len(), edited.unmatched.len()), (1, 1));
}

#[test]
fn slots_that_differ_between_two_builds_are_unstable() {
    let lock = lock_of(&[entry("a", body(), json!([]))]);
    let (first, second) = (with("11-17", "11-18"), with("11-17", "11-19"));
    let mut call = LockCheck::from_json(&json!({"lock": lock, "entries": []})).unwrap();
    call.entries = vec![entry("a", first, json!([]))];
    call.again = vec![entry("a", second, json!([]))];
    let verdict = run(&call).unwrap();
    let slot = &verdict.unstable[0];
    assert_eq!((slot.slot.as_str(), slot.kind), ("/system/1", Some("date")));
    assert_eq!(slot.suggestion, r#"volatile: ["/system/1"]"#);
}
