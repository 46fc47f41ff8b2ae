use super::shape::Results;
use super::source::Source;
use super::typescript;
use tuckbox::Json;

/// A crate of one operation, whose answer these files declare.
fn results(files: &[(&str, &str)]) -> anyhow::Result<Results> {
    let operations = r#"
        use crate::things::Look;
        operations! { Core = core { "look" => |json, _| Ok(Call::new(Look::from_json(json)?)), } }
    "#;
    let call = [("call/operations.rs", operations), ("call/mod.rs", ""), ("lib.rs", "")];
    let files = call.iter().chain(files);
    let source = Source::new(files.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())))?;
    let mut results = Results::default();
    results.read_answers(&source)?;
    Ok(results)
}

fn things(text: &str) -> anyhow::Result<Results> {
    let rule = "impl Rule for Look { type Value = Seen; }\n#[derive(Clone)] pub struct Look;\n";
    results(&[("things.rs", &format!("{rule}{text}"))])
}

fn answer(results: &Results) -> String {
    let file = typescript::file(results);
    let line = file.split("  look: ").nth(1).unwrap_or_default();
    line.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches(" }").to_owned()
}

fn mismatch(results: &Results, answer: &str) -> Option<String> {
    results.misfit("look", &Json::parse(answer).unwrap())
}

#[test]
fn derived_types_have_the_form_that_serde_writes() {
    let results = things(
        r#"
        #[derive(Serialize)]
        pub struct Seen {
            pub id: CardId,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub model: Option<String>,
            pub at: Option<u64>,
            #[serde(rename = "type")]
            pub kind: Kind,
            #[serde(skip)]
            pub hidden: bool,
            #[serde(flatten)]
            pub place: Place,
            pub rest: Vec<(String, Json)>,
        }
        #[derive(Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Kind { One, TwoWords }
        #[derive(Serialize)]
        #[serde(tag = "is", rename_all = "snake_case")]
        pub enum Place { Here, There { steps: usize } }
        "#,
    )
    .unwrap();
    assert_eq!(
        answer(&results),
        "{ readonly id: string; readonly model?: string; readonly at: number | null; readonly type: \
         \"one\" | \"two_words\"; readonly rest: readonly (readonly [string, Json])[] } & \
         ({ readonly is: \"here\" } | { readonly is: \"there\"; readonly steps: number });"
    );
    let good = r#"{"id": "c", "at": null, "type": "two_words", "rest": [["a", 1]], "is": "here"}"#;
    assert_eq!(mismatch(&results, good), None);
    let there = r#"{"id": "c", "model": "m", "at": 2, "type": "one", "rest": [], "is": "there", "steps": 3}"#;
    assert_eq!(mismatch(&results, there), None);
    for (bad, expected) in [
        (
            r#"{"id": 1, "at": null, "type": "one", "rest": [], "is": "here"}"#,
            "`look.id` is not a string",
        ),
        (r#"{"at": null, "type": "one", "rest": [], "is": "here"}"#, "`look.id` is missing"),
        (
            r#"{"id": "c", "at": null, "type": "two", "rest": [], "is": "here"}"#,
            "`look.type` is not",
        ),
        (
            r#"{"id": "c", "at": null, "type": "one", "rest": [], "is": "here", "more": 1}"#,
            "`look.more` is not declared",
        ),
        (
            r#"{"id": "c", "model": null, "at": 1, "type": "one", "rest": [], "is": "here"}"#,
            "`look.model`",
        ),
    ] {
        let mismatch = mismatch(&results, bad).unwrap_or_default();
        assert!(mismatch.contains(expected), "{bad}: {mismatch}");
    }
}

#[test]
fn a_type_with_its_own_serializer_needs_a_shape() {
    let error = things("pub struct Seen { pub id: String }").err().unwrap().to_string();
    assert!(error.contains("`things::Seen` has its own serializer"), "{error}");

    let results = things(
        r#"
        pub struct Seen { pub id: String }
        shape! {
            pub struct Seen { pub id: Maybe<String>, pub is: Word<"a", "b">, pub done: Word<true> }
        }
        "#,
    )
    .unwrap();
    assert_eq!(
        answer(&results),
        "{ readonly id?: string; readonly is: \"a\" | \"b\"; readonly done: true };"
    );
    assert_eq!(mismatch(&results, r#"{"is": "b", "done": true}"#), None);
    assert!(mismatch(&results, r#"{"is": "b", "done": false}"#).is_some());
}

#[test]
fn untyped_json_needs_a_shape_for_its_operation() {
    let error = things("use crate::value::Json;\ntype Seen = Json;").err().unwrap().to_string();
    assert!(error.contains("the answer of `look`"), "{error}");
    let results = things("type Seen = Json; shape! { fn look() -> Vec<String>; }").unwrap();
    assert_eq!(answer(&results), "readonly string[];");
    let error = things("type Seen = Json; shape! { fn look() -> bool; fn gone() -> bool; }");
    assert!(error.err().unwrap().to_string().contains("`gone`"));
}

#[test]
fn a_shape_of_an_imported_type_moves_to_the_type() {
    let results = results(&[
        ("things.rs", "mod wire;\npub struct Look; pub struct Seen { x: u8 }\nimpl Rule for Look { type Value = Seen; }"),
        ("things/wire.rs", "use super::Seen;\nuse crate::other::Side;\nshape! { pub struct Seen { pub side: Side } }"),
        ("other.rs", "#[derive(Serialize)] pub enum Side { Left, Right }"),
    ])
    .unwrap();
    assert_eq!(answer(&results), "{ readonly side: \"Left\" | \"Right\" };");
}

#[test]
fn unsupported_declarations_are_refused() {
    for (declared, expected) in [
        (
            "#[derive(Serialize)] #[serde(rename_all = \"camelCase\")] pub struct Seen { a: u8 }",
            "snake_case",
        ),
        ("#[derive(Serialize)] pub struct Seen { #[serde(with = \"x\")] a: u8 }", "`with`"),
        ("#[derive(Serialize)] pub struct Seen { a: Unheard }", "`Unheard`"),
        ("#[derive(Serialize)] pub struct Seen { a: Vec<Seen> }", "contains itself"),
    ] {
        let mismatch = things(declared).err().unwrap().to_string();
        assert!(mismatch.contains(expected), "{declared}: {mismatch}");
    }
}
