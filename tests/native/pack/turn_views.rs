//! The boxes of a running turn, and recorded views of turns.
use crate::property::times;
use tuckbox::agents::Setup;
use tuckbox::rule::{MAX_ROUNDS, Step};
use tuckbox::store::{MemoryStore, Snapshot, Store, Writes, table};
use tuckbox::value::env::Env;
use tuckbox::value::time::Timestamp;
use tuckbox::{Code, Error, Json, Result};

/// A store, and calls on it.
struct Project {
    store: MemoryStore,
    calls: u64,
    /// The number of read rounds of the last call.
    rounds: usize,
}

impl Project {
    /// Creates a project with the agents Ann and Bob, their profile, and boxes.
    fn new() -> Self {
        let mut project = Self { store: MemoryStore::new(), calls: 0, rounds: 0 };
        for call in [
            r#"{"op": "put_cards", "cards": [
                {"card_id": "prof", "type": "sys.profile", "author_id": "me", "content": {"__type__": "JsonContent", "data":
                    {"name": "Writer", "system_prompt_template": "You are {display_name}. {downstream_desc}",
                     "llm_config": {"model": "m"}, "allowed_tools": ["search"],
                     "delegation_policy": {"target_profiles": ["Writer"]}}}}]}"#,
            r#"{"op": "create_box", "box_id": "pb", "card_ids": ["prof"]}"#,
            r#"{"op": "create_box", "box_id": "ctx", "card_ids": ["c0", "c1"]}"#,
            r#"{"op": "create_box", "box_id": "out", "card_ids": ["c2"]}"#,
            r#"{"op": "create_box", "box_id": "other", "card_ids": ["c3"]}"#,
            r#"{"op": "register_profile", "name": "Writer", "profile_box_id": "pb", "tags": ["text"]}"#,
            r#"{"op": "register_agent", "agent_id": "ann", "profile_name": "Writer", "worker_target": "w"}"#,
            r#"{"op": "register_agent", "agent_id": "bob", "profile_name": "Writer", "worker_target": "w"}"#,
        ] {
            project.call(call).unwrap();
        }
        project
    }

    /// Creates a project in which Ann's turn runs on `ctx` and `out`.
    fn running() -> Self {
        let mut project = Self::new();
        project.lease("ann", "ctx", "out");
        project
    }

    fn lease(&mut self, agent: &str, context: &str, output: &str) {
        let call = format!(
            r#"{{"op": "lease", "agent_id": "{agent}", "agent_turn_id": "turn_{agent}", "profile_box_id": "pb",
                "context_box_id": "{context}", "output_box_id": "{output}"}}"#
        );
        self.call(&call).unwrap();
    }

    fn env(&mut self) -> Env {
        self.calls += 1;
        let mut entropy = [0; 32];
        entropy[..8].copy_from_slice(&self.calls.to_be_bytes());
        Env::new(Timestamp::from_millis(1_767_522_600_000 + 1000 * self.calls as i64), entropy)
    }

    fn preview_on(
        &mut self,
        snapshot: &mut Snapshot,
        call: &str,
    ) -> Result<(Json, String, Writes)> {
        let env = self.env();
        let call = Setup::default().read_call(&Json::parse(call).unwrap())?;
        for round in 0..=MAX_ROUNDS {
            match call.step(snapshot, &env)? {
                Step::Need(reads) => snapshot.absorb(&reads, self.store.read(&reads)?)?,
                Step::Done(done) => {
                    self.rounds = round;
                    let text = done.value.to_text()?;
                    return Ok((Json::parse(&text).unwrap(), text, done.writes));
                }
            }
        }
        panic!("the call reads too often")
    }

    fn preview(&mut self, call: &str) -> Result<(Json, String, Writes)> {
        self.preview_on(&mut Snapshot::new("p1".into()), call)
    }

    fn call(&mut self, call: &str) -> Result<Json> {
        let (value, _, writes) = self.preview(call)?;
        self.store.commit(&writes)?;
        Ok(value)
    }

    fn refused(&mut self, call: &str) -> Error {
        let before = format!("{:?}", self.store.tables("p1"));
        let error = self.call(call).unwrap_err();
        assert_eq!(
            format!("{:?}", self.store.tables("p1")),
            before,
            "a refused call wrote rows: {call}"
        );
        error
    }

    fn card_ids(&self, box_id: &str) -> Vec<String> {
        let mut boxes = self.store.tables("p1").unwrap().boxes();
        let card_box = boxes.find(|card_box| card_box.box_id == box_id).unwrap();
        card_box.card_ids.iter().map(str::to_owned).collect()
    }
}

const CHANGES: [&str; 3] = [
    r#"{"op": "append_to_box", "box_id": "BOX", "card_ids": ["c9"]"#,
    r#"{"op": "replace_box", "box_id": "BOX", "card_ids": ["c9"]"#,
    r#"{"op": "delete_box", "box_id": "BOX""#,
];

fn changes(box_id: &str) -> [String; 3] {
    CHANGES.map(|change| format!("{}}}", change.replace("BOX", box_id)))
}

#[test]
fn the_input_of_a_running_turn_is_read_only() {
    let mut project = Project::running();
    for change in changes("ctx") {
        let error = project.refused(&change);
        assert_eq!((error.code(), error.path().to_string().as_str()), (Code::Conflict, "box_id"));
        assert!(
            error.message().contains("agent `ann` reads box `ctx` in a running turn"),
            "{error}"
        );
        let detail = |name: &str| error.details().get(name).and_then(Json::as_str).unwrap();
        assert_eq!([detail("agent_turn_id"), detail("as")], ["turn_ann", "context_box_id"]);
    }
}

#[test]
fn the_output_of_a_running_turn_only_grows() {
    let mut project = Project::running();
    let [append, replace, delete] = changes("out");
    project.call(&append).unwrap();
    project
        .call(
            r#"{"op": "put_cards", "cards": [{"card_id": "new", "type": "note", "author_id": "ann",
        "content": {"__type__": "TextContent", "text": "x"}}]}"#,
        )
        .unwrap();
    project.call(r#"{"op": "append_output", "agent_id": "ann", "card_ids": ["new"]}"#).unwrap();
    assert_eq!(project.card_ids("out"), ["c2", "c9", "new"]);
    for change in [replace, delete] {
        let error = project.refused(&change);
        assert_eq!(error.code(), Code::Conflict);
        assert!(error.message().contains("so it can only grow"), "{error}");
    }
}

#[test]
fn a_box_that_is_input_and_output_can_only_grow() {
    let mut project = Project::new();
    project.lease("ann", "ctx", "ctx");
    let [append, replace, _] = changes("ctx");
    project.call(&append).unwrap();
    assert_eq!(project.refused(&replace).code(), Code::Conflict);
}

#[test]
fn an_append_to_a_box_that_another_turn_reads_is_a_conflict() {
    let mut project = Project::running();
    project
        .call(r#"{"op": "move_pointers", "agent_id": "bob", "last_output_box_id": "ctx"}"#)
        .unwrap();
    project
        .call(
            r#"{"op": "put_cards", "cards": [{"card_id": "new", "type": "note", "author_id": "bob",
        "content": {"__type__": "TextContent", "text": "x"}}]}"#,
        )
        .unwrap();
    let append = r#"{"op": "append_output", "agent_id": "bob", "card_ids": ["new"]"#;
    let error = project.refused(&format!("{append}}}"));
    assert_eq!((error.code(), error.path().to_string().as_str()), (Code::Conflict, "agent_id"));
    project.call(&format!(r#"{append}, "even_during_turn": true}}"#)).unwrap();
}

#[test]
fn even_during_turn_allows_a_change() {
    for box_id in ["ctx", "out"] {
        for change in CHANGES {
            let change = change.replace("BOX", box_id);
            let mut project = Project::running();
            project.call(&format!(r#"{change}, "even_during_turn": true}}"#)).unwrap();
            let error = project.refused(&format!(r#"{change}, "even_during_turn": 1}}"#));
            assert_eq!(error.path().to_string(), "even_during_turn");
        }
    }
}

#[test]
fn boxes_are_locked_only_while_a_turn_points_to_them() {
    let mut project = Project::new();
    // a pointer of an idle agent does not lock its box
    project.call(r#"{"op": "move_pointers", "agent_id": "ann", "context_box_id": "ctx"}"#).unwrap();
    project.call(&changes("ctx")[0]).unwrap();
    project.lease("ann", "ctx", "out");
    project.refused(&changes("ctx")[0]);
    // the pointer moves to another box, which is then locked
    project
        .call(r#"{"op": "move_pointers", "agent_id": "ann", "context_box_id": "other"}"#)
        .unwrap();
    project.call(&changes("ctx")[0]).unwrap();
    project.refused(&changes("other")[0]);
    project.call(r#"{"op": "finish_idle", "agent_id": "ann", "expect_agent_turn_id": "turn_ann", "expect_turn_epoch": 1}"#).unwrap();
    for change in changes("other") {
        project.call(&change).unwrap();
    }
}

#[test]
fn a_turn_that_starts_after_the_preview_is_a_conflict() {
    for change in changes("ctx") {
        // the preview is made before the turn starts, the commit after it
        let mut project = Project::new();
        let (_, _, writes) = project.preview(&change).unwrap();
        assert_eq!(project.rounds, 1, "the preview reads in one round");
        project.lease("ann", "ctx", "out");
        let error = project.store.commit(&writes).unwrap_err();
        assert_eq!(error.code(), Code::Conflict, "{change}: {error}");
        // a running turn moves its pointer to the box
        let mut project = Project::running();
        let (_, _, writes) = project.preview(&change.replace("ctx", "other")).unwrap();
        project
            .call(r#"{"op": "move_pointers", "agent_id": "ann", "context_box_id": "other"}"#)
            .unwrap();
        assert_eq!(project.store.commit(&writes).unwrap_err().code(), Code::Conflict, "{change}");
    }
    // an append with `any_version` does not check the version of the box
    let mut project = Project::new();
    let append =
        r#"{"op": "append_to_box", "box_id": "ctx", "card_ids": ["c9"], "any_version": true}"#;
    let (_, _, writes) = project.preview(append).unwrap();
    project.lease("ann", "ctx", "out");
    assert_eq!(project.store.commit(&writes).unwrap_err().code(), Code::Conflict);
}

#[test]
fn a_running_turn_is_found_among_many_idle_agents() {
    let mut project = Project::new();
    for at in 0..120 {
        let head =
            format!(r#"{{"agent_id": "a{at:03}", "status": "idle", "context_box_id": "ctx"}}"#);
        let Json::Object(head) = Json::parse(&head).unwrap() else { panic!() };
        project.store.project("p1").add_row(&table::HEADS, head);
    }
    project.call(&changes("ctx")[0]).unwrap();
    project.lease("ann", "ctx", "out");
    let Json::Object(last) =
        Json::parse(r#"{"agent_id": "zoe", "status": "suspended", "context_box_id": "other"}"#)
            .unwrap()
    else {
        panic!()
    };
    project.store.project("p1").add_row(&table::HEADS, last);
    assert!(project.refused(&changes("ctx")[0]).message().contains("`ann`"));
    assert!(project.refused(&changes("other")[0]).message().contains("`zoe`"));
}

/// A small random generator. The same seed gives the same numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    fn of<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn card_ids(&mut self) -> String {
        let ids: Vec<_> = (0..self.below(6)).map(|_| format!(r#""c{}""#, self.below(14))).collect();
        format!("[{}]", ids.join(","))
    }

    /// Returns a card of any kind that turns have.
    fn card(&mut self, at: usize) -> String {
        let (kind, role, content, more) = match self.below(7) {
            0 => {
                ("task.instruction", "user", r#"{"__type__": "TextContent", "text": "do it"}"#, "")
            }
            1 => (
                "agent.thought",
                "assistant",
                r#"{"__type__": "TextContent", "text": "hm"}"#,
                r#", "tool_calls": [{"id": "k", "type": "function", "function": {"name": "search", "arguments": "{}"}}]"#,
            ),
            2 => (
                "tool.call",
                "assistant",
                r#"{"__type__": "ToolCallContent", "tool_name": "search", "arguments": {}, "status": "called"}"#,
                r#", "tool_call_id": "k""#,
            ),
            3 => (
                "tool.result",
                "tool",
                r#"{"__type__": "ToolResultContent", "status": "success", "after_execution": "suspend", "result": 1}"#,
                r#", "tool_call_id": "k""#,
            ),
            4 => (
                "task.result_fields",
                "system",
                r#"{"__type__": "FieldsSchemaContent", "fields": [{"name": "sum", "description": "all"}]}"#,
                "",
            ),
            5 => ("note", "user", r#"{"__type__": "JsonContent", "data": {"a": [1, null]}}"#, ""),
            _ => (
                "note",
                "user",
                r#"{"__type__": "TextContent", "text": "soon over"}"#,
                r#", "ttl_seconds": 20"#,
            ),
        };
        format!(
            r#"{{"card_id": "c{at}", "type": "{kind}", "author_id": "me", "content": {content}, "metadata": {{"role": "{role}"}}{more}}}"#
        )
    }

    /// Returns a call that records a view.
    fn view(&mut self) -> String {
        let mut parts = vec![r#""op": "turn_view", "record": true"#.to_owned()];
        parts.push(format!(r#""dialect": "{}""#, self.of(&["v1r3", "v1r4", "v1r4_hotfix"])));
        match self.below(3) {
            0 => parts.push(r#""agent_id": "ann""#.to_owned()),
            1 => parts.push(format!(
                r#""agent_id": "bob", "context_box_id": "{}""#,
                self.of(&["ctx", "out", "none"])
            )),
            _ => {
                let boxes = [self.of(&["ctx", "other", "none"]), self.of(&["ctx", "out", "none"])];
                parts.push(format!(
                    r#""context_box_id": "{}", "output_box_id": "{}""#,
                    boxes[0], boxes[1]
                ));
            }
        }
        for part in [
            r#""tools": [{"type": "function", "function": {"name": "search"}}, {"type": "function", "function": {"name": "rm"}}]"#,
            r#""system_append": "Be brief.""#,
            r#""display_name": "Wendy""#,
            r#""downstream_desc": "nobody""#,
        ] {
            if self.below(2) == 0 {
                parts.push(part.to_owned());
            }
        }
        format!("{{{}}}", parts.join(", "))
    }

    /// Returns a call that changes the project.
    fn change(&mut self) -> String {
        let box_id = self.of(&["ctx", "out", "other", "pb"]);
        match self.below(10) {
            0 => format!(
                r#"{{"op": "append_to_box", "box_id": "{box_id}", "card_ids": {}, "even_during_turn": true}}"#,
                self.card_ids()
            ),
            1 | 2 => format!(
                r#"{{"op": "replace_box", "box_id": "{box_id}", "card_ids": {}, "even_during_turn": true}}"#,
                self.card_ids()
            ),
            3 => {
                format!(r#"{{"op": "delete_box", "box_id": "{box_id}", "even_during_turn": true}}"#)
            }
            4 => format!(
                r#"{{"op": "create_box", "box_id": "{}", "card_ids": {}}}"#,
                self.of(&["none", "ctx"]),
                self.card_ids()
            ),
            5 => format!(
                r#"{{"op": "delete_cards", "card_ids": ["c{}", "{}"]}}"#,
                self.below(14),
                self.of(&["prof", "c1"])
            ),
            6 => {
                let at = self.below(14);
                format!(r#"{{"op": "put_cards", "cards": [{}]}}"#, self.card(at))
            }
            7 => format!(
                r#"{{"op": "update_agent", "agent_id": "{}", "display_name": "N{}"}}"#,
                self.of(&["ann", "bob"]),
                self.below(9)
            ),
            8 => format!(
                r#"{{"op": "update_profile", "name": "Writer", "tags": ["t{}"]}}"#,
                self.below(9)
            ),
            _ => format!(
                r#"{{"op": "move_pointers", "agent_id": "ann", "context_box_id": "{box_id}", "output_box_id": "{}"}}"#,
                self.of(&["out", "other"])
            ),
        }
    }
}

#[test]
fn a_recorded_view_has_the_same_bytes_after_any_changes() {
    let (mut views, mut gone) = (0, 0);
    let seeds = times(30, 150);
    for seed in 1..=seeds {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut project = Project::new();
        let mut resident = Snapshot::new("p1".into());
        for at in 0..10 {
            let card = random.card(at);
            project.call(&format!(r#"{{"op": "put_cards", "cards": [{card}]}}"#)).unwrap();
        }
        project.lease("ann", "ctx", "out");
        let mut seen: Vec<(String, String)> = Vec::new();
        for _ in 0..12 {
            if random.below(3) == 0 {
                let (value, text, writes) = project.preview(&random.view()).unwrap();
                project.store.commit(&writes).unwrap();
                seen.push((value.get("view_id").and_then(Json::as_str).unwrap().to_owned(), text));
                views += 1;
            } else {
                let change = random.change();
                // a refused change, for instance of a deleted box, changes nothing
                if let Ok((_, _, writes)) = project.preview(&change) {
                    project.store.commit(&writes).unwrap();
                }
            }
            for (view_id, text) in &seen {
                let call = format!(r#"{{"op": "turn_view", "recorded": "{view_id}"}}"#);
                let (_, again, writes) = project.preview(&call).unwrap();
                assert_eq!(&again, text, "seed {seed}");
                assert!(project.rounds <= 2, "more than two rounds of reads");
                assert!(writes.is_empty());
                let (_, again, _) = project.preview_on(&mut resident, &call).unwrap();
                assert_eq!(&again, text, "seed {seed}, from memory");
            }
        }
        gone += seen.iter().filter(|(_, text)| text.contains(r#""missing""#)).count();
    }
    let enough = views > 2 * seeds && gone as u64 > seeds / 2;
    assert!(enough, "{views} views, {gone} with missing cards");
}

#[test]
fn recorded_views_are_listed_by_agent_and_turn_and_belong_to_their_project() {
    let mut project = Project::running();
    let view = project.call(r#"{"op": "turn_view", "agent_id": "ann", "record": true}"#).unwrap();
    let view_id = view.get("view_id").and_then(Json::as_str).unwrap().to_owned();
    for selection in [r#""agent_id": "ann""#, r#""agent_turn_id": "turn_ann""#, r#""limit": 5"#] {
        let listed = project.call(&format!(r#"{{"op": "list_turn_views", {selection}}}"#)).unwrap();
        let [row] = listed.get("rows").unwrap().as_array().unwrap() else { panic!("{listed}") };
        let text = |name: &str| row.get(name).and_then(Json::as_str).unwrap();
        assert_eq!([text("view_id"), text("context_box_id")], [view_id.as_str(), "ctx"]);
        assert_eq!(row.get("context_version").map(Json::to_string).as_deref(), Some("1"));
    }
    let replay = format!(r#"{{"op": "turn_view", "recorded": "{view_id}"}}"#);
    let elsewhere = Setup::default().read_call(&Json::parse(&replay).unwrap()).unwrap();
    let mut snapshot = Snapshot::new("p2".into());
    let env = project.env();
    let error = loop {
        match elsewhere.step(&snapshot, &env) {
            Ok(Step::Need(reads)) => {
                snapshot.absorb(&reads, project.store.read(&reads).unwrap()).unwrap()
            }
            Ok(Step::Done(_)) => panic!("the call returns a view of another project"),
            Err(error) => break error,
        }
    };
    assert_eq!((error.code(), error.path().to_string().as_str()), (Code::NotFound, "recorded"));
    for (more, path) in [
        (r#""agent_id": "ann""#, "agent_id"),
        (r#""record": true"#, "record"),
        (r#""after": {"op": "get_boxes", "box_ids": []}"#, "after"),
    ] {
        let call = format!(r#"{{"op": "turn_view", "recorded": "{view_id}", {more}}}"#);
        let error = project.refused(&call);
        assert_eq!((error.code(), error.path().to_string().as_str()), (Code::BadRequest, path));
    }
}

#[test]
fn a_recorded_view_without_its_cards_is_an_error() {
    let mut project = Project::running();
    project
        .call(
            r#"{"op": "put_cards", "cards": [{"card_id": "c0", "type": "note", "author_id": "me",
        "content": {"__type__": "TextContent", "text": "first"}, "metadata": {"role": "user"}}]}"#,
        )
        .unwrap();
    let view = project.call(r#"{"op": "turn_view", "agent_id": "ann", "record": true}"#).unwrap();
    let view_id = view.get("view_id").and_then(Json::as_str).unwrap().to_owned();
    let replay = format!(r#"{{"op": "turn_view", "recorded": "{view_id}"}}"#);
    project.call(&replay).unwrap();
    // the store overwrites a card, which no operation does
    let cards = project.store.tables("p1").unwrap().cards().cloned().collect::<Vec<_>>();
    let mut card = cards.into_iter().find(|card| card.card_id == "c0").unwrap();
    card.content = tuckbox::value::card::Content::text("second");
    project.store.project("p1").add_card(card);
    let error = project.refused(&replay);
    assert_eq!((error.code(), error.path().to_string().as_str()), (Code::Conflict, "recorded"));
}

#[test]
fn requests_and_views_of_a_recorded_turn_do_not_change() {
    let mut project = Project::running();
    let card = |id: &str, text: &str| {
        format!(
            r#"{{"card_id": "{id}", "type": "note", "author_id": "me",
            "content": {{"__type__": "TextContent", "text": "{text}"}}, "metadata": {{"role": "user"}}}}"#
        )
    };
    let cards = [card("c0", "first"), card("c1", "later")].join(",");
    project.call(&format!(r#"{{"op": "put_cards", "cards": [{cards}]}}"#)).unwrap();
    let replace = |ids: &str| {
        format!(
            r#"{{"op": "replace_box", "box_id": "ctx", "card_ids": {ids}, "even_during_turn": true}}"#
        )
    };
    project.call(&replace(r#"["c0"]"#)).unwrap();
    let view = project.call(r#"{"op": "turn_view", "agent_id": "ann", "record": true}"#).unwrap();
    let view_id = view.get("view_id").and_then(Json::as_str).unwrap().to_owned();
    let recorded = format!(r#"{{"recorded": "{view_id}"}}"#);
    let now = r#"{"agent_id": "ann"}"#;
    let of = |turn: &str| {
        [
            format!(
                r#"{{"op": "payload", "turn": {turn}, "provider": "anthropic", "model": "m"}}"#
            ),
            format!(r#"{{"op": "inspect", "turn": {turn}}}"#),
        ]
    };
    let texts = |project: &mut Project, turn: &str| {
        of(turn).map(|call| {
            let (_, text, writes) = project.preview(&call).unwrap();
            assert!(writes.is_empty());
            text
        })
    };
    let before = texts(&mut project, &recorded);
    project.call(&replace(r#"["c0", "c1"]"#)).unwrap();
    assert_eq!(texts(&mut project, &recorded), before);
    let after = texts(&mut project, now);
    assert!(after.iter().zip(&before).all(|(after, before)| after != before));
    assert!(after[0].contains("later") && !before[0].contains("later"));
    let compare = format!(
        r#"{{"op": "compare", "left": {{"turn": {recorded}}}, "right": {{"turn": {now}}}}}"#
    );
    let (compared, text, _) = project.preview(&compare).unwrap();
    let runs = compared.get("runs").and_then(Json::as_array).unwrap();
    let changes: Vec<_> = runs.iter().map(|run| run.get("change").and_then(Json::as_str)).collect();
    // both sides have the same prompt, and the right side has one new card
    assert_eq!(changes, [Some("kept"), Some("added"), Some("kept")], "{text}");
    let error = project.refused(r#"{"op": "inspect", "turn": {"recorded": "nobody"}}"#);
    assert_eq!(error.code(), Code::NotFound);
    assert_eq!(error.path().to_string(), "turn.recorded");
}
