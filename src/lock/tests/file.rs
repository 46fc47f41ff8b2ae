//! The text of a lockfile: what is written is read, and nothing else.

use super::*;

#[test]
fn a_lockfile_has_one_line_for_each_position() {
    let lock = lock_of(&[entry("a", body(), json!([]))]);
    let expected = r#"entry "a"
  provider anthropic "claude-opus-5-5"
  parameter "max_tokens" 1000
  parameter "temperature" 0.5
"#;
    assert!(lock.contains(expected), "{lock}");
    let lines: Vec<&str> = lock.lines().filter(|line| line.starts_with("  message")).collect();
    assert_eq!(lines.len(), 5, "{lock}");
    assert!(lines[1].starts_with("  message tool_call assistant "), "{}", lines[1]);
    assert!(lines[1].ends_with(r#" "tool call" "search {\"q\": \"tides\"}""#), "{}", lines[1]);
    assert!(lock.contains(r#""system prompt" cache "You write reports.""#), "{lock}");
    assert!(lock.ends_with("\n\n# end\n"));
    // the tools and the marked block
    let file = run(&LockRead { lock: lock.clone() }).unwrap();
    let tokens = file.entries[0].tokens;
    assert!(tokens.prefix > tokens.tools && tokens.prefix < tokens.tools + tokens.system);
    assert_eq!(tokens.all, tokens.tools + tokens.system + tokens.messages);
}

#[test]
fn reading_and_writing_are_inverse() {
    let names = ["b", "a\"quote", "ü/\u{202e}x", "c d"];
    let entries = names.map(|name| entry(name, body(), json!(["/messages/0"])));
    let lock = lock_of(&entries);
    let mut call = LockUpdate::from_json(&json!({"lock": lock.clone(), "entries": []})).unwrap();
    assert_eq!(run(&call).unwrap().lock, lock);
    call.entries = entries.to_vec();
    let again = run(&call).unwrap();
    assert_eq!((again.lock, again.changed), (lock.clone(), Vec::<String>::new()));
    assert!(!lock.contains('\u{202e}'), "hidden characters are escaped");
    // line ends of Windows
    assert_eq!(run(&LockRead { lock: lock.replace('\n', "\r\n") }).unwrap().entries.len(), 4);
}

#[test]
fn a_broken_lockfile_is_an_error_with_its_line() {
    let lock = lock_of(&[entry("a", body(), json!([])), entry("b", body(), json!([]))]);
    let second = lock.find("entry \"b\"").unwrap();
    let (first, last) = lock.split_at(second);
    let cases = [
        (String::new(), 1, "the first line must start with"),
        (lock.replacen("v1", "v2", 1), 1, "unsupported version `2`"),
        (lock.replacen("# end\n", "", 1), lock.lines().count(), "truncated"),
        (first.to_owned(), first.lines().count() + 1, "truncated"),
        (lock.get(..second + 40).unwrap().to_owned(), first.lines().count() + 1, "has no `end`"),
        (format!("{first}<<<<<<< HEAD\n{last}"), first.lines().count() + 1, "merge conflict"),
        (format!("{first}=======\n{last}"), first.lines().count() + 1, "merge conflict"),
        (lock.replacen("You write", "We write", 1), 3, "edited by hand"),
        (
            lock.replacen("entry \"b\"", "entry \"a\"", 1),
            first.lines().count() + 1,
            "edited by hand",
        ),
        (lock.replacen("# end", "note\n# end", 1), lock.lines().count(), "unexpected text `note`"),
        (format!("{lock}more\n"), lock.lines().count() + 1, "after `# end`"),
        (
            format!("{first}{}{last}", first.get(first.find("entry").unwrap()..).unwrap()),
            first.lines().count() + 1,
            "two entries have the name `a`",
        ),
    ];
    for (text, line, message) in cases {
        let error = run(&LockRead { lock: text }).unwrap_err();
        assert!(error.message().contains(message), "{message}: {error}");
        assert_eq!(error.details().get("line"), Some(&Json::from(line)), "{error}");
        assert_eq!(
            (error.code(), error.path().to_string().as_str()),
            (crate::Code::InvalidContent, "lock")
        );
    }
}

#[test]
fn no_cut_or_edited_character_of_a_lockfile_is_read() {
    let all = [entry("a", body(), json!(["/messages/0"])), entry("b", body(), json!([]))];
    let lock = lock_of(&all);
    let read = |text: &str| run(&LockRead { lock: text.to_owned() });
    for end in (0..lock.trim_end().len()).filter(|end| lock.is_char_boundary(*end)) {
        assert!(read(lock.get(..end).unwrap()).is_err(), "the first {end} bytes were read");
    }
    let hint = lock.find("v1").unwrap() + 2..lock.find("\n\n").unwrap();
    for (at, c) in lock.char_indices().filter(|(at, _)| !hint.contains(at)) {
        let (head, tail) = lock.split_at(at);
        let rest = tail.get(c.len_utf8()..).unwrap();
        for text in [format!("{head}{rest}"), format!("{head}x{tail}"), format!("{head}#{rest}")] {
            // a blank line more or less between two entries is no edit of one
            let is_same = |file: LockFile| {
                let blocks: Vec<String> = file.entries.into_iter().map(|each| each.block).collect();
                assert_eq!(blocks, all.each_ref().map(|entry| entry.block.clone()), "{text}");
            };
            _ = read(&text).map(is_same);
        }
    }
}
