//! Random histories of memory with crashes, restores and retries, compared with a naive model.
//!
//! A client keeps a journal of changes. A host applies them, saves checkpoints, crashes and
//! restores. The client sends changes again if it does not know whether they arrived. The model
//! applies each change once and never crashes.
//!
//! After every step, memory must equal the model after the same changes. No question is repeated,
//! no message is lost or moved, and no summary is lost.

use crate::property::{Dice, hold};
use tuckbox::prompt::compose::{ComposeInput, Layer, Process, Query, compose};
use tuckbox::prompt::memory::{
    Change, Compaction, Memory, WritePolicy, enter, reduce, restore, write_back,
};
use tuckbox::value::json::{Field, Json, Object};
use tuckbox::{Code, Message};

#[test]
fn memory_equals_its_model_after_many_crashes() {
    run(
        "memory equals its model after many crashes",
        Mix { crash: 30, save: 15, resend: 15, compact: 10 },
    );
}

#[test]
fn memory_equals_its_model_after_many_compactions() {
    run(
        "memory equals its model after many compactions",
        Mix { crash: 12, save: 15, resend: 10, compact: 35 },
    );
}

#[test]
fn memory_equals_its_model_after_many_retries() {
    run(
        "memory equals its model after many retries",
        Mix { crash: 8, save: 10, resend: 45, compact: 10 },
    );
}

#[test]
fn memory_equals_its_model_with_few_saves() {
    run(
        "memory equals its model with few saves",
        Mix { crash: 20, save: 4, resend: 10, compact: 15 },
    );
}

/// Weights in percent. The rest goes to the conversation.
#[derive(Clone, Copy)]
struct Mix {
    crash: usize,
    save: usize,
    resend: usize,
    compact: usize,
}

fn run(property: &str, mix: Mix) {
    hold(property, |dice| History::new(dice, mix).play());
}

// ---- the model applies every change once and never crashes -----------------------------------

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Human,
    Final,
    Call,
    Outcome,
}

#[derive(Clone, PartialEq, Debug)]
struct Line {
    number: u64,
    kind: Kind,
    text: String,
}

/// The whole conversation, and the lines that the summary covers.
#[derive(Clone, Default)]
struct Model {
    said: Vec<Line>,
    gone: Vec<u64>,
    summary: Option<(u64, String)>,
    repeats: usize,
}

impl Model {
    fn visible(&self) -> Vec<&Line> {
        self.said.iter().filter(|line| !self.gone.contains(&line.number)).collect()
    }

    fn open(&self) -> Option<&Line> {
        let mut visible = self.visible().into_iter().rev();
        let last = visible.find(|line| matches!(line.kind, Kind::Human | Kind::Final));
        last.filter(|line| line.kind == Kind::Human)
    }
}

fn message(line: &Line) -> Message {
    let id = format!("m{}", line.number);
    match line.kind {
        Kind::Human => Message::user(line.text.as_str()).with_id(id),
        Kind::Final => Message::assistant(line.text.as_str()).with_id(id),
        Kind::Outcome => {
            Message::tool(format!("t{}", line.number - 1), line.text.as_str()).with_id(id)
        }
        Kind::Call => {
            let mut call = Message::assistant(line.text.as_str()).with_id(id);
            let id = format!("t{}", line.number);
            call.tool_calls = Some(vec![Json::from([("id", id)])]);
            call
        }
    }
}

// ---- the world has a journal, a host and a checkpoint ----------------------------------------

struct History<'a> {
    dice: &'a mut Dice,
    mix: Mix,
    /// The changes that the client sent, and the model after each of them.
    journal: Vec<Change>,
    models: Vec<Model>,
    /// The number of journal entries in the host, and in the checkpoint.
    applied: usize,
    saved: usize,
    live: Memory,
    checkpoint: String,
    policy: WritePolicy,
    number: u64,
}

impl<'a> History<'a> {
    fn new(dice: &'a mut Dice, mix: Mix) -> Self {
        Self {
            dice,
            mix,
            journal: Vec::new(),
            models: vec![Model::default()],
            applied: 0,
            saved: 0,
            live: Memory::new(),
            checkpoint: "{}".to_owned(),
            policy: WritePolicy::new().reproducible("todo__context").unwrap(),
            number: 0,
        }
    }

    fn play(mut self) {
        let steps = 8 + self.dice.below(14);
        for _ in 0..steps {
            let dice = self.dice.below(100);
            let Mix { crash, save, resend, compact } = self.mix;
            if dice < crash {
                self.crash();
            } else if dice < crash + save {
                self.save();
            } else if dice < crash + save + resend {
                self.resend();
            } else {
                self.catch_up();
                if dice < crash + save + resend + compact { self.compact() } else { self.talk() }
            }
            self.check_id_status();
        }
        self.catch_up();
        self.check_words();
        self.check_prompt();
        if self.dice.below(4) == 0 {
            self.replay_everything();
        }
    }

    fn crash(&mut self) {
        let state = Json::parse(&self.checkpoint).unwrap();
        let restored = restore(&Field::root(&state)).unwrap();
        assert!(restored.ledger.is_empty(), "the restore changed its own checkpoint");
        self.live = restored.memory;
        self.applied = self.saved;
    }

    fn save(&mut self) {
        let mut contexts = Object::default();
        contexts.insert("framework__context".to_owned(), "f".into());
        contexts.insert("todo__context".to_owned(), "t".into());
        let written = write_back(&self.live, &contexts, &self.policy).unwrap();
        self.checkpoint = Json::from(written.state).to_string();
        self.saved = self.applied;
    }

    /// Sends a range of the journal again, in order, because the client does not know what arrived.
    fn resend(&mut self) {
        let from = self.dice.below(self.applied + 1);
        let stop = self.dice.below(self.journal.len() - from + 1) + from;
        // the last replacement applies, so the later ones must be sent again too
        let stop = stop.max(self.applied);
        for at in from..stop {
            self.deliver(at);
            self.applied = self.applied.max(at + 1);
        }
        self.check_words();
    }

    fn catch_up(&mut self) {
        for at in self.applied..self.journal.len() {
            self.deliver(at);
        }
        self.applied = self.journal.len();
    }

    fn deliver(&mut self, at: usize) {
        let live = std::mem::take(&mut self.live);
        self.live = reduce(live, &self.journal[at]).unwrap().memory;
    }

    /// Sends a new change, which can be lost.
    fn send(&mut self, change: Change, model: Model) {
        self.journal.push(change);
        self.models.push(model);
        if self.dice.below(10) > 0 {
            self.catch_up();
        }
    }

    fn model(&self) -> Model {
        self.models.last().unwrap().clone()
    }

    fn line(&mut self, kind: Kind, text: Option<String>) -> Line {
        self.number += 1;
        let number = self.number;
        Line { number, kind, text: text.unwrap_or_else(|| format!("text {number}")) }
    }

    // ---- the actions of clients ----

    fn talk(&mut self) {
        let mut model = self.model();
        let open = model.open().cloned();
        let dice = self.dice.below(12);
        let lines = match (open, dice) {
            (_, 0) => return self.replace(),
            (_, 1) => return self.check_refusals(),
            (Some(open), 2 | 3) => {
                // the client lost the answer and repeats the question with a new id
                let again = self.line(Kind::Human, Some(format!(" {} ", open.text)));
                model.repeats += 1;
                return self.send(Change::Append(vec![message(&again)]), model);
            }
            (Some(_), 4) => vec![self.line(Kind::Human, None)],
            (Some(_), 5 | 6) => vec![self.line(Kind::Call, None)],
            (Some(_), 7 | 8) => {
                vec![self.line(Kind::Call, None), self.line(Kind::Outcome, None)]
            }
            (Some(_), _) => vec![self.line(Kind::Final, None)],
            (None, 2..=4) => {
                // a question that is repeated after its answer is a new question
                let asked = model.said.iter().find(|line| line.kind == Kind::Human);
                let text = asked.map(|line| line.text.clone());
                vec![self.line(Kind::Human, text)]
            }
            (None, 5 | 6) => vec![self.line(Kind::Human, None), self.line(Kind::Final, None)],
            (None, _) => vec![self.line(Kind::Human, None)],
        };
        model.said.extend(lines.iter().cloned());
        self.send(Change::Append(lines.iter().map(message).collect()), model);
    }

    fn replace(&mut self) {
        let mut model = self.model();
        let numbers: Vec<u64> = model.visible().iter().map(|line| line.number).collect();
        if numbers.is_empty() {
            return;
        }
        let chosen = numbers[self.dice.below(numbers.len())];
        self.number += 1;
        let line = model.said.iter_mut().find(|line| line.number == chosen).unwrap();
        line.text = format!("text {}", self.number);
        let change = Change::Replace(vec![message(line)]);
        self.send(change, model);
    }

    fn compact(&mut self) {
        let mut model = self.model();
        let open = model.open().map(|line| line.number);
        let mut covers: Vec<u64> = model.visible().iter().map(|line| line.number).collect();
        if self.dice.below(3) > 0 {
            covers.truncate(self.dice.below(covers.len() + 1));
        } else {
            covers.retain(|_| self.dice.below(2) == 0);
        }
        covers.retain(|number| Some(*number) != open);
        if covers.is_empty() {
            return;
        }
        self.number += 1;
        let compaction = Compaction {
            id: format!("c{}", self.number),
            covers: covers.iter().map(|number| format!("m{number}")).collect(),
            replaces: model.summary.as_ref().map(|(number, _)| format!("c{number}")),
            summary: format!("summary {}", self.number),
        };
        model.summary = Some((self.number, compaction.summary.clone()));
        model.gone.extend(covers);
        self.send(Change::Compact(compaction), model);
    }

    /// Checks that invalid changes are refused.
    fn check_refusals(&mut self) {
        self.catch_up();
        let model = self.model();
        let refused = |change: Change| reduce(self.live.clone(), &change).unwrap_err().code();
        if let Some(open) = model.open() {
            let mut covering = Compaction::new("cx", [format!("m{}", open.number)], "s");
            covering.replaces = model.summary.as_ref().map(|(number, _)| format!("c{number}"));
            assert_eq!(refused(Change::Compact(covering)), Code::BadRequest);
        }
        if let (Some(_), Some(line)) = (&model.summary, model.visible().first()) {
            let incomplete = Compaction::new("cx", [format!("m{}", line.number)], "s");
            assert_eq!(refused(Change::Compact(incomplete)), Code::Conflict);
        }
        let system = Message::system("private").with_id("mx");
        assert_eq!(refused(Change::Append(vec![system])), Code::BadRequest);
    }

    // ---- the properties ----

    /// Checks that no message is repeated, lost or moved, and that the summary covers all removed
    /// messages.
    fn check_id_status(&self) {
        let model = &self.models[self.applied];
        let visible: Vec<String> =
            model.visible().iter().map(|line| format!("m{}", line.number)).collect();
        let remembered: Vec<&str> =
            self.live.messages().map(|message| message.id.as_deref().unwrap()).collect();
        assert_eq!(remembered, visible);
        assert_eq!(self.live.summary(), model.summary.as_ref().map(|(_, text)| text.as_str()));
        assert_eq!(self.live.repeats().len(), model.repeats);
        let covered: usize = self.live.compactions().map(|(_, made)| made.covers.len()).sum();
        assert_eq!(covered, model.gone.len());
        for number in &model.gone {
            assert!(self.live.covered_by(&format!("m{number}")).is_some());
        }
    }

    /// Checks that every message has the text of its last version.
    fn check_words(&self) {
        let model = &self.models[self.applied];
        for (remembered, line) in self.live.messages().zip(model.visible()) {
            assert_eq!(*remembered, message(line));
        }
    }

    /// Checks that the prompt has the open query once and the summary once.
    fn check_prompt(&mut self) {
        let model = self.model();
        let Some(open) = model.open() else { return };
        let again = Message::user(open.text.as_str()).with_id("retry");
        let entered = enter(self.live.clone(), again).unwrap();
        assert_eq!(entered.query, Query::InCheckpoint(Some(format!("m{}", open.number))));
        let mut input = ComposeInput::new(Process::React, "system", entered.query)
            .with_checkpoint(entered.memory.messages().cloned().collect());
        if let Some(summary) = entered.memory.summary() {
            input = input.with_context("compression__context", summary);
        }
        let composed = compose(&input).unwrap();
        let queries: Vec<_> =
            composed.ledger.entries.iter().filter(|entry| entry.is_query).collect();
        assert_eq!(queries.len(), 1);
        assert_eq!(composed.messages[queries[0].position], message(open));
        let summaries: Vec<_> = composed.of_layer(&Layer::Compression).collect();
        assert_eq!(summaries.len(), usize::from(model.summary.is_some()));
        input.query = Query::Runtime(open.text.clone());
        assert_eq!(compose(&input).unwrap_err().code(), Code::BadRequest);
    }

    /// Checks that the journal gives the same memory a second time, and from an empty memory.
    fn replay_everything(&mut self) {
        for at in 0..self.journal.len() {
            self.deliver(at);
        }
        self.check_id_status();
        self.check_words();
        self.live = Memory::new();
        self.applied = 0;
        self.catch_up();
        self.check_id_status();
        self.check_words();
    }
}
