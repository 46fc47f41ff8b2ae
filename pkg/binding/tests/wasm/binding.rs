//! Tests of the binding with the calls that JavaScript makes.

use js_sys::Reflect;
use tuckbox::{Json, json};
use tuckbox_binding::{Exception, Run, Workspace, linked};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

const NOW: f64 = 1_767_522_600_000.0;

const CALL: &str = r#"{"op": "pack_context", "tool_suffix": "demo", "source_agent_id": "agent_a",
    "arguments": {"profile_name": "w", "instruction": "go", "boxes": ["b1"]},
    "handover": {"context_packing_config": {"pack_arguments": [{"arg_key": "instruction"}],
        "inherit_context": {"include_boxes_from_args": ["boxes"], "include_parent": true}}}}"#;

const ANSWERS: &str = r#"{"profiles": [{"name": "W", "profile_box_id": "pb"}],
    "boxes": [{"box_id": "b1", "card_ids": ["c1", "c2", "c1"], "version": 3}]}"#;

fn workspace() -> Workspace {
    linked(&names(&["pack", "commit"]));
    Workspace::new(r#"{"project_id": "p1"}"#).unwrap()
}

/// Starts a call and returns its run and its reads.
fn start(workspace: &mut Workspace, call: &str) -> Result<(Run, Option<String>), Exception> {
    let mut run = Run::new();
    let reads = workspace.start(&mut run, "", call.as_bytes(), NOW, &[7; 32])?;
    Ok((run, reads))
}

const READS: &str = r#"{"project_id":"p1","profiles":["w"],"boxes":["b1"]}"#;

fn packed(workspace: &mut Workspace) -> Run {
    let (mut run, reads) = start(workspace, CALL).unwrap();
    assert_eq!(reads.as_deref(), Some(READS));
    workspace.answer(&mut run, ANSWERS.as_bytes()).unwrap();
    assert_eq!(workspace.step(&mut run).unwrap(), None);
    run
}

/// Returns the error that JavaScript catches, as JSON text.
fn thrown<T>(result: Result<T, Exception>) -> String {
    let thrown: js_sys::Error = JsValue::from(result.err().unwrap()).dyn_into().unwrap();
    assert_eq!(thrown.name(), "TuckboxError");
    let fields = js_sys::Object::new();
    for key in ["code", "path", "message", "details"] {
        let field = Reflect::get(&thrown, &key.into()).unwrap();
        Reflect::set(&fields, &key.into(), &field).unwrap();
    }
    json(&fields)
}

/// Returns the names of the parts that JavaScript catches.
fn missing<T>(result: Result<T, Exception>) -> String {
    let thrown: js_sys::Array = JsValue::from(result.err().unwrap()).dyn_into().unwrap();
    json(&thrown)
}

fn text(result: Result<JsValue, Exception>) -> String {
    result.ok().unwrap().as_string().unwrap()
}

fn parsed(result: Result<JsValue, Exception>) -> Json {
    Json::parse(&text(result)).unwrap()
}

fn json(value: &JsValue) -> String {
    js_sys::JSON::stringify(value).unwrap().into()
}

fn names(names: &[&str]) -> js_sys::Array {
    names.iter().map(|name| JsValue::from_str(name)).collect()
}

/// Returns the string of columns and `count` of their numbers.
fn columns(place: Result<u32, Exception>, count: u32) -> String {
    let read = "const head = new Uint32Array(memory.buffer, place);
        const text = new TextDecoder().decode(new Uint8Array(memory.buffer, head[0], head[1]));
        if (head[2] !== Number(head[1] === text.length)) throw new Error(`${text} is ASCII: ${head[2]}`);
        return JSON.stringify([text, ...head.subarray(3, 3 + count)]);";
    let read = js_sys::Function::new_with_args("memory, place, count", read);
    let (place, count) = (place.ok().unwrap().into(), count.into());
    read.call3(&JsValue::NULL, &wasm_bindgen::memory(), &place, &count)
        .unwrap()
        .as_string()
        .unwrap()
}

#[wasm_bindgen_test]
fn call_is_driven_inspected_and_committed() {
    let mut workspace = workspace();
    let run = packed(&mut workspace);
    let value = parsed(run.value());
    let box_id = value.get("context_box_id").and_then(Json::as_str).unwrap().to_owned();
    assert_eq!(value.get("attached_card_ids").and_then(Json::as_array).unwrap().len(), 4);
    assert_eq!(json(&run.lints().unwrap()), "[]");
    assert_eq!(columns(run.accounts(), 6), format!(r#"["{box_id}",1,0,0,36,4,1]"#));
    assert_eq!(json(&run.dropped().unwrap()), "[]");
    let audit = parsed(run.audit());
    let audited = audit.as_array().unwrap();
    assert_eq!(audited[0].get("context_box_id").and_then(Json::as_str), Some(box_id.as_str()));
    let entries = columns(run.entries(0, 1, 3), 15);
    let (counts, source) = ("1,2,1", "1,2,18");
    let (cards, swallowed) = ("2,0,0,2,0,1", "0,0,2");
    let numbers = format!("{counts},{source},{cards},{swallowed}");
    assert_eq!(entries, format!(r#"["b1arguments.boxes[0]c1c2",{numbers}]"#));
    assert!(!run.writes_nothing().unwrap());

    let before = run.content_hash().unwrap();
    let writes = parsed(run.writes());
    let operation_id = writes.get("operation_id").unwrap();
    let receipt = format!(
        r#"{{"operation_id":{operation_id},"repeated":false,"boxes":[{{"box_id":"{box_id}","version":1}}]}}"#
    );
    assert_eq!(json(&workspace.committed(&run, &receipt).unwrap()), receipt);
    assert_eq!(run.content_hash().unwrap(), before);
    let stats = Json::parse(&json(&workspace.stats().unwrap())).unwrap();
    assert_eq!(stats.get("boxes").unwrap().to_string(), "2");
    assert!(stats.get("memory_bytes").is_some());
}

#[wasm_bindgen_test]
fn reused_run_has_no_state_of_the_previous_call() {
    let mut workspace = workspace();
    let mut run = packed(&mut workspace);
    run.clear();
    assert!(thrown(run.value()).contains("no call was started"));
    let look = r#"{"op": "replaced", "box_ids": ["b1"]}"#;
    assert_eq!(
        workspace.start(&mut run, "get_boxes", look.as_bytes(), NOW, &[7; 32]).unwrap(),
        None
    );
    assert!(text(run.value()).contains(r#""version":3"#));
    assert!(thrown(workspace.start(&mut run, "", b"{", NOW, &[7; 32])).contains("invalid_content"));
}

#[wasm_bindgen_test]
fn same_call_and_env_return_the_same_bytes() {
    let first = text(packed(&mut workspace()).writes());
    let second = text(packed(&mut workspace()).writes());
    assert_eq!(first, second);
    assert!(first.contains(r#""at":"2026-01-04T10:30:00"#));
}

#[wasm_bindgen_test]
fn failed_call_throws_an_error_and_the_workspace_stays_usable() {
    assert_eq!(
        thrown(Workspace::new("{}")),
        r#"{"code":"bad_request","path":"project_id","message":"`project_id` is missing","details":{}}"#
    );
    let mut workspace = workspace();
    let mut run = Run::new();
    assert!(
        thrown(workspace.start(&mut run, "", CALL.as_bytes(), NOW, &[7; 31])).contains("32 bytes")
    );
    assert!(thrown(run.value()).contains("no call was started"));
    assert!(thrown(workspace.answer(&mut run, b"{}")).contains("no call was started"));
    assert!(thrown(start(&mut workspace, "{")).starts_with(r#"{"code":"invalid_content""#));
    let deep = format!(r#"{{"op":{}"#, "[".repeat(100_000));
    assert!(thrown(start(&mut workspace, &deep)).starts_with(r#"{"code":"limit""#));
    let (mut run, _) = start(&mut workspace, CALL).unwrap();
    assert!(thrown(run.value()).contains("not done yet"));
    assert!(thrown(workspace.answer(&mut run, &[0xff])).contains(r#""code":"store""#));
    assert!(thrown(workspace.answer(&mut run, b"{}")).contains("no pending reads"));
    let run = packed(&mut workspace);
    assert!(thrown(run.entries(1, 0, 9)).contains("no box 1"));
    assert!(thrown(workspace.committed(&run, "{}")).contains("receipt.operation_id"));
}

#[wasm_bindgen_test]
fn view_sees_uncommitted_writes_and_refusal_discards_stale_rows() {
    let mut workspace = workspace();
    let run = packed(&mut workspace);
    let value = parsed(run.value());
    let look =
        format!(r#"{{"op": "get_boxes", "box_ids": [{}]}}"#, value.get("context_box_id").unwrap());
    let mut view = workspace.after(&run).unwrap();
    let (_, reads) = start(&mut view, &look).unwrap();
    assert_eq!(reads, None, "no reads are needed");

    workspace.refused(&run).unwrap();
    assert_eq!(start(&mut workspace, CALL).unwrap().1.as_deref(), Some(READS));
    workspace.refresh();
    assert!(start(&mut workspace, CALL).unwrap().1.unwrap().contains("profiles"));
}

#[wasm_bindgen_test]
fn call_throws_the_parts_that_are_not_linked() {
    let mut workspace = workspace();
    let call = r#"{"op": "turn_view", "after": {"op": "budget"}}"#;
    assert_eq!(missing(start(&mut workspace, call)), r#"["agents","prompt"]"#);
    linked(&names(&["agents"]));
    assert_eq!(missing(start(&mut workspace, call)), r#"["prompt"]"#);
    let settings = r#"{"project_id": "p1", "recipes": []}"#;
    assert!(Workspace::new(settings).is_ok());
    linked(&names(&[]));
    assert_eq!(missing(Workspace::new(settings)), r#"["agents"]"#);
    assert_eq!(missing(start(&mut workspace, CALL)), r#"["pack"]"#);
    let look = r#"{"op": "get_boxes", "box_ids": ["b1"]}"#;
    let (run, _) = start(&mut workspace, look).unwrap();
    assert_eq!(missing(workspace.after(&run)), r#"["commit"]"#);
    assert_eq!(missing(workspace.refused(&run)), r#"["commit"]"#);
    assert_eq!(missing(workspace.committed(&run, "{}")), r#"["commit"]"#);
}

#[wasm_bindgen_test]
fn large_integer_keeps_its_digits() {
    let mut workspace = workspace();
    let call = r#"{"op": "delete_box", "box_id": "b1"}"#;
    let (mut run, reads) = start(&mut workspace, call).unwrap();
    let reads = Json::parse(&reads.unwrap()).unwrap();
    // no turn uses the box
    let lists: Vec<Json> = (reads.get("lists").and_then(Json::as_array).unwrap().iter())
        .map(|list| {
            let mut list = list.as_object().unwrap().clone();
            list.insert("rows".to_owned(), json!([]));
            Json::Object(list)
        })
        .collect();
    let answers = json!({
        "boxes": [{"box_id": "b1", "card_ids": [], "version": 9_007_199_254_740_992_u64}],
        "missing_rows": reads.get("rows").unwrap().clone(),
        "lists": lists
    });
    workspace.answer(&mut run, answers.to_string().as_bytes()).unwrap();
    assert_eq!(workspace.step(&mut run).unwrap(), None);
    let writes = parsed(run.writes());
    let operation_id = writes.get("operation_id").unwrap();
    let receipt = format!(
        r#"{{"operation_id":{operation_id},"repeated":false,"boxes":[{{"box_id":"b1","version":9007199254740993}}]}}"#
    );
    assert_eq!(workspace.committed(&run, &receipt).unwrap().as_string(), Some(receipt));
}
