//! Parts that are written in the neutral form and read again are unchanged.
use crate::property::{Dice, hold};
use tuckbox::prompt::provider::part::{
    Arguments, CacheMark, CallPart, Citations, FileSource, IdOwner, Item, Media, Own, Part,
    PartMetadata, Proof, Reasoning, ResultPart,
};
use tuckbox::prompt::provider::{Provider, read_parts};
use tuckbox::value::json::Json;
use tuckbox::value::message::{Message, Role};

fn one<T: Copy>(of: &[T], dice: &mut Dice) -> T {
    of[dice.below(of.len())]
}

fn maybe<T>(dice: &mut Dice, make: impl FnOnce(&mut Dice) -> T) -> Option<T> {
    dice.percent(50).then(|| make(dice))
}

fn words(dice: &mut Dice) -> String {
    let words = ["otters", "\"quoted\"", "\\n", "请假", "", "data:", "://"];
    format!("{} {}", dice.pick(&words), dice.below(100))
}

fn json(dice: &mut Dice) -> Json {
    let texts = ["[1]", r#"{"a":{"b":1e400}}"#, r#"[{"type":"text","text":"t"}]"#];
    Json::parse(dice.pick(&texts)).unwrap()
}

fn media(dice: &mut Dice) -> Media {
    let mimes = ["image/png", "image/*", "audio/wav", "video/mp4", "application/pdf", "text/csv"];
    let owners = [IdOwner::Openai, IdOwner::Anthropic, IdOwner::Unknown];
    let source = match dice.below(5) {
        0 => FileSource::Url(format!("https://h/{}.png", dice.below(9))),
        1 => FileSource::Data(dice.pick(&["AAAA", "SGVsbG8=", "_!"]).to_owned()),
        2 => FileSource::Text(words(dice)),
        3 => {
            let id = dice.pick(&["file-1", "a.b/c"]).to_owned();
            FileSource::Id { of: one(&owners, dice), id }
        }
        _ => FileSource::Opaque { encoding: "hex".into(), content: words(dice) },
    };
    let source = match source {
        // invalid base64 is read as invalid base64
        FileSource::Data(data) if data == "_!" => {
            FileSource::Opaque { encoding: "base64".into(), content: data }
        }
        other => other,
    };
    let mut media = Media::new(Some(dice.pick(&mimes)), source);
    media.name = maybe(dice, words);
    for key in ["title", "context", "detail"] {
        if let Some(words) = maybe(dice, words) {
            media.about.insert(key.to_owned(), words.into());
        }
    }
    media
}

fn own(dice: &mut Dice) -> Own {
    let kinds = ["server_tool_use", "web_search_tool_result", "web_search_call", "poem"];
    let value = Json::from([("type", Json::from(dice.pick(&kinds))), ("id", "s1".into())]);
    Own { provider: one(Provider::ALL, dice), value }
}

fn reasoning(dice: &mut Dice) -> Reasoning {
    let text = words(dice);
    let proof = match dice.below(6) {
        0 => Proof::Signature(words(dice)),
        1 => Proof::Redacted(words(dice)),
        2 => {
            let summary = Json::Array(vec![Json::from([("text", text.as_str())])]);
            Proof::Item(Json::from([("type", Json::from("reasoning")), ("summary", summary)]))
        }
        3 => Proof::Thought,
        4 => {
            let texts = Json::Array(vec![Json::from([("text", text.as_str())])]);
            Proof::Chunk(Json::from([("type", Json::from("thinking")), ("thinking", texts)]))
        }
        _ => Proof::None,
    };
    Reasoning { text: text.into(), proof }
}

/// Returns a part that a result can have.
fn plain(dice: &mut Dice) -> Part {
    match dice.below(3) {
        0 => Part::Text(words(dice).into()),
        1 => Part::from(media(dice)),
        _ => Part::Own(Box::new(own(dice))),
    }
}

fn result(dice: &mut Dice) -> Part {
    Part::ToolResult(ResultPart {
        call_id: format!("k{}", dice.below(9)),
        tool_name: dice.pick(&["", "search"]).to_owned(),
        parts: (0..dice.below(4)).map(|_| plain(dice)).collect(),
        failed: dice.percent(50),
    })
}

/// Returns a part that a message of an assistant can have.
fn said(dice: &mut Dice) -> Part {
    match dice.below(4) {
        0 => Part::ToolCall(CallPart {
            id: format!("k{}", dice.below(9)),
            name: "search".into(),
            arguments: Arguments::Text(dice.pick(&["{}", "{\"q\": 1}", "not json"]).into()),
        }),
        1 => Part::Reasoning(reasoning(dice)),
        2 => Part::Refusal(words(dice).into()),
        _ => plain(dice),
    }
}

fn item(part: Part, dice: &mut Dice) -> Item {
    let mut item = Item::from(part);
    // these parts are kept verbatim, so they have no metadata
    let whole = matches!(
        &item.part,
        Part::Reasoning(Reasoning { proof: Proof::Item(_) | Proof::Chunk(_), .. })
    );
    if whole || dice.percent(50) {
        return item;
    }
    let mut metadata = PartMetadata {
        cache: maybe(dice, |dice| one(&[CacheMark::Default, CacheMark::Hour], dice)),
        signature: maybe(dice, words),
        options: maybe(dice, |_| Json::from([("acme", Json::from([("a", 1_u64)]))])),
        citations: None,
    };
    if matches!(item.part, Part::Text(_)) {
        let of = one(&[Provider::Anthropic, Provider::OpenaiResponses], dice);
        metadata.citations = maybe(dice, |dice| Citations { of, list: json(dice) });
    }
    if metadata != PartMetadata::default() {
        item.metadata = Some(Box::new(metadata));
    }
    item
}

#[test]
fn a_part_is_unchanged_after_it_is_written_and_read() {
    hold("a part is unchanged after it is written and read", |dice| {
        let (role, make): (_, fn(&mut Dice) -> Part) =
            if dice.percent(50) { (Role::Assistant, said) } else { (Role::User, result) };
        let mut items = Vec::new();
        for _ in 0..=dice.below(4) {
            let part = make(dice);
            items.push(item(part, dice));
        }
        let message = Message::new(role, items.clone());
        let (read, losses) = read_parts(&message);
        let written = tuckbox::value::json::to_json(&message).unwrap();
        assert_eq!(read, items, "{written}");
        assert!(losses.is_empty(), "{written}: {losses:?}");
    });
}
