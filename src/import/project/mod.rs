//! A project out of what was found: one box a request, one for each answer, cards that histories
//! share, a profile for every way in which requests were made, an agent for every session.
//!
//! Ids come from content alone: the same log gives the same project, and a message that two
//! requests hold is one card in two boxes. Every card says where it was read, in `origin` of its
//! metadata.

mod cards;

pub use cards::place;

use super::model::{Findings, Message, Origin, Request, Role, Session, Tool};
use super::sums::Sums;
use crate::prompt::provider::sent;
use crate::rule::ledger::{BoxLedger, Cause, Inherited, Place};
use crate::rule::merge::{Merged, Origin as Kept};
use crate::store::{Agent, AgentState, Profile};
use crate::value::card::{Card, Content, NewCard, ToolCall};
use crate::value::json::{Json, Object};
use crate::value::str_map::StrMap;
use crate::{BoxId, CardBox, CardId, Limits, Path, ProjectId, Timestamp};
use cards::{CallIds, located, made, text_card};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Who made the cards, for audit.
const AUTHOR: &str = "import";

/// A card that was refused, and why.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Where it was read.
    pub origin: Origin,
    /// Why.
    pub message: String,
}

/// The rows of a project.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// Every card once, in the order it was first met.
    pub cards: Vec<Card>,
    /// The boxes: of profiles, of requests, of answers.
    pub boxes: Vec<CardBox>,
    /// One for each system prompt, model and list of settings.
    pub profiles: Vec<Profile>,
    /// One for each session.
    pub agents: Vec<Agent>,
    /// What a card may not hold.
    pub refused: Vec<Refused>,
    /// Why every card is in its box: where it was read, or the request before that held it too.
    pub accounts: Vec<BoxLedger>,
}

/// The names of the boxes of a session.
#[derive(Clone, Debug)]
pub struct Names {
    session: String,
    summaries: Vec<usize>,
}

impl Names {
    /// The names for a session.
    pub fn of(session: &Session) -> Self {
        Self { session: slug(session), summaries: session.summaries() }
    }

    /// The box of a request.
    pub fn request(&self, at: usize) -> String {
        format!("{}_{}", self.session, at + 1)
    }

    /// The box of a summary, which covers the boxes of the requests before it.
    pub fn summary(&self, at: usize) -> String {
        let place = self.summaries.binary_search(&at).unwrap_or_default();
        format!("{}_summary_{}", self.session, place + 1)
    }
}

fn slug(session: &Session) -> String {
    let name = format!("{}_{}", session.source, short(&[session.source, &session.id]));
    // another one under the same id
    if session.copy > 0 { format!("{name}_copy{}", session.copy) } else { name }
}

fn short(texts: &[&str]) -> String {
    hex(texts).chars().take(10).collect()
}

fn hex(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        // of one width on every machine
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes the project of everything that was found.
pub fn project(
    findings: &Findings,
    project_id: &ProjectId,
    now: Timestamp,
    limits: &Limits,
) -> Project {
    let mut maker = Maker {
        out: Project::default(),
        seen: StrMap::new(),
        before: (String::new(), StrMap::new()),
        profiles: StrMap::new(),
        summaries: StrMap::new(),
        findings,
        project_id,
        now,
        limits,
    };
    for session in &findings.sessions {
        maker.session(session);
    }
    maker.out
}

struct Maker<'a> {
    out: Project,
    /// Where every card was read.
    seen: StrMap<Place>,
    /// The box of the request before, and where its cards stand.
    before: (String, StrMap<u32>),
    profiles: StrMap<String>,
    /// The boxes of summaries that were made.
    summaries: StrMap<()>,
    findings: &'a Findings,
    project_id: &'a ProjectId,
    now: Timestamp,
    limits: &'a Limits,
}

impl Maker<'_> {
    fn session(&mut self, session: &Session) {
        let names = Names::of(session);
        let agent_id = names.session.clone();
        let mut agent: Option<Agent> = None;
        let sums = Sums::of_ways(session);
        let covers = covered(session);
        let mut last_summary = None;
        for (at, request) in session.requests.iter().enumerate() {
            let id = names.request(at);
            let moment = request
                .at
                .map_or(self.now, |micros| Timestamp::from_millis(micros.div_euclid(1000)));
            let mut cards: Vec<CardId> = Vec::new();
            let mut counts: StrMap<usize> = StrMap::new();
            for words in request.system.iter() {
                let new = text_card("system", words, &request.origin, self.findings);
                cards.extend(self.card(
                    new,
                    "import.system",
                    &format!("s:{words}"),
                    &mut counts,
                    moment,
                    &request.origin,
                ));
            }
            cards.extend(self.tools(&request.tools, request, moment, &mut counts));
            let mut ids = CallIds::default();
            for message in session.messages(request.tail) {
                self.message(message, moment, &mut counts, &mut ids, &mut cards);
            }
            cards.extend(self.sent(request, &cards, moment));
            let profile = self.profile(request, moment);
            let mut parents: Vec<BoxId> = Vec::new();
            let summary = sums.summary(request.tail).filter(|at| last_summary != Some(*at));
            if let Some(summary) = summary {
                last_summary = Some(summary);
                let over = covers.get(&summary).map_or(&[][..], Vec::as_slice);
                parents.push(self.summary(session, &names, summary, over, moment));
            } else if let Some(before) = at.checked_sub(1) {
                parents.push(BoxId::from(names.request(before)));
            } else if let Some(above) =
                session.parent.as_deref().and_then(|parent| self.above(parent, request.at))
            {
                parents.push(BoxId::from(above));
            }
            let card_box = CardBox::new(id.as_str(), cards.iter().map(CardId::as_str).collect());
            self.put(card_box.with_parents(parents));
            self.before =
                (id.clone(), cards.iter().zip(0..).map(|(card, at)| (card.as_str(), at)).collect());
            let mut output = None;
            if !request.output.is_empty() {
                let said = Message {
                    role: Role::Assistant,
                    parts: request.output.clone(),
                    origin: request.origin.clone(),
                };
                let mut answer = Vec::new();
                self.message(&said, moment, &mut counts, &mut ids, &mut answer);
                let answer_id = format!("{id}_answer");
                let answer =
                    CardBox::new(answer_id.as_str(), answer.iter().map(CardId::as_str).collect());
                self.put(answer.with_parents(vec![BoxId::from(id.as_str())]));
                output = Some(BoxId::from(answer_id));
            }
            let state = AgentState {
                status: "idle".to_owned(),
                profile_box_id: Some(BoxId::from(profile.as_str())),
                context_box_id: Some(BoxId::from(id)),
                output_box_id: output,
            };
            let mut new = Agent::new(agent_id.as_str(), profile.as_str());
            new.display_name = session.agent.clone().or_else(|| request.agent.clone());
            new.tags = vec![session.source.to_owned()];
            new.state = Some(state);
            agent = Some(new);
        }
        self.out.agents.extend(agent);
    }

    /// A box with its account: cards that the request before held too come from there, the others
    /// from where they were read.
    fn put(&mut self, card_box: CardBox) {
        let mut account = BoxLedger::new(card_box.box_id.clone(), card_box.card_ids.clone());
        let mut made: Vec<Cause> = Vec::new();
        let mut kept: Vec<Kept> = Vec::new();
        let (before, places) = &self.before;
        let source = || Inherited { box_id: before.as_str().into(), path: Path::root() };
        for card_id in card_box.card_ids.iter() {
            match places.get(card_id) {
                Some(position) => {
                    if !made.is_empty() {
                        account.made(std::mem::take(&mut made));
                    }
                    kept.push((0, *position).into());
                }
                None => {
                    if !kept.is_empty() {
                        account.merged(vec![source()], merged(std::mem::take(&mut kept)));
                    }
                    let place = self.seen.get(card_id).cloned().unwrap_or_default();
                    made.push(Cause::Imported(place));
                }
            }
        }
        if !made.is_empty() {
            account.made(made);
        }
        if !kept.is_empty() {
            account.merged(vec![source()], merged(kept));
        }
        self.out.accounts.push(account);
        self.out.boxes.push(card_box);
    }

    /// The box of a summary: what it says, over the boxes of the requests that it stands for.
    fn summary(
        &mut self,
        session: &Session,
        names: &Names,
        at: usize,
        covers: &[usize],
        moment: Timestamp,
    ) -> BoxId {
        let mut cards: Vec<CardId> = Vec::new();
        if let Some(message) = session.message(at) {
            let (mut counts, mut ids) = (StrMap::new(), CallIds::default());
            self.message(message, moment, &mut counts, &mut ids, &mut cards);
        }
        let id = names.summary(at);
        let parents = covers.iter().map(|at| BoxId::from(names.request(*at))).collect();
        let card_box = CardBox::new(id.as_str(), cards.iter().map(CardId::as_str).collect());
        if self.summaries.insert(id.as_str(), ()).is_none() {
            self.put(card_box.with_parents(parents));
        }
        BoxId::from(id)
    }

    /// The last request of the parent before a moment.
    fn above(&self, parent: &str, at: Option<i64>) -> Option<String> {
        let session = self.findings.sessions.iter().find(|session| session.id == parent)?;
        let before = session.requests.iter().rposition(|request| request.at <= at);
        Some(Names::of(session).request(before.unwrap_or(0)))
    }

    /// Makes a card once; nothing when it may not be kept.
    fn card(
        &mut self,
        mut new: NewCard,
        kind: &str,
        key: &str,
        counts: &mut StrMap<usize>,
        moment: Timestamp,
        origin: &Origin,
    ) -> Option<CardId> {
        let nth = counts.get(key).copied().unwrap_or(0);
        counts.insert(key, nth + 1);
        let id =
            CardId::from(hex(&[kind, key, &nth.to_string()]).chars().take(32).collect::<String>());
        if self.seen.contains_key(id.as_str()) {
            return Some(id);
        }
        new.card_type = kind.to_owned();
        new.author_id = AUTHOR.to_owned();
        match Card::make(new, self.project_id, id.clone(), moment, self.limits) {
            Ok(card) => {
                self.seen.insert(id.as_str(), located(origin, self.findings));
                self.out.cards.push(card);
                Some(id)
            }
            Err(error) => {
                self.out
                    .refused
                    .push(Refused { origin: origin.clone(), message: error.to_string() });
                None
            }
        }
    }

    /// The definitions of the tools; tools of which only a name is known are none.
    fn tools(
        &mut self,
        tools: &[Tool],
        request: &Request,
        moment: Timestamp,
        counts: &mut StrMap<usize>,
    ) -> Option<CardId> {
        let defined: Vec<Object> = tools
            .iter()
            .filter(|tool| tool.schema.is_some() || tool.description.is_some())
            .map(definition)
            .collect();
        if defined.is_empty() {
            return None;
        }
        let key = Json::from(defined.clone()).to_string();
        let mut new = NewCard::new("", "", Content::Tools(defined));
        new.metadata.insert("origin".into(), place(&request.origin, self.findings));
        self.card(new, "import.tools", &key, counts, moment, &request.origin)
    }

    /// The record of a request whose body is known: it goes to its own provider as it was sent.
    fn sent(&mut self, request: &Request, cards: &[CardId], moment: Timestamp) -> Option<CardId> {
        let (body, api) = (request.body.as_deref()?, request.api?);
        let ids = cards.iter().map(CardId::as_str);
        let arguments = sent::record(api, body, ids);
        let key = Json::Object(arguments.clone()).to_string();
        let call = ToolCall {
            tool_name: "model_request".to_owned(),
            arguments,
            status: "sent".to_owned(),
            target_subject: None,
        };
        let mut new = NewCard::new("", "", Content::ToolCall(call));
        new.metadata.insert("origin".into(), place(&request.origin, self.findings));
        self.card(new, sent::CARD_TYPE, &key, &mut StrMap::new(), moment, &request.origin)
    }

    /// The box of the profile that a request was made with.
    fn profile(&mut self, request: &Request, moment: Timestamp) -> String {
        let settings = settings(request);
        // a profile holds a template: braces of the prompt are doubled
        let prompt = request.system.join("\n\n").replace('{', "{{").replace('}', "}}");
        let config = Json::from([
            ("model", Json::from(request.model.as_deref())),
            ("provider", Json::from(request.api)),
            ("settings", settings),
        ]);
        let name = request
            .agent
            .clone()
            .or_else(|| request.model.clone())
            .unwrap_or_else(|| "imported".to_owned());
        let said = Json::from([
            ("name", Json::from(name.as_str())),
            ("system_prompt", Json::from(prompt)),
            ("llm_config", config),
        ]);
        let key = said.to_string();
        if let Some(known) = self.profiles.get(&key) {
            return known.clone();
        }
        let hash = short(&["profile", &key]);
        let box_id = format!("profile_{hash}");
        self.profiles.insert(key.as_str(), box_id.clone());
        let mut new = NewCard::new("", "", Content::Json(said));
        new.metadata.insert("origin".into(), place(&request.origin, self.findings));
        let card = self.card(new, "sys.profile", &key, &mut StrMap::new(), moment, &request.origin);
        let cards = card.iter().map(CardId::as_str).collect();
        self.put(CardBox::new(box_id.as_str(), cards));
        let mut profile = Profile::new(format!("{name} {hash}"), box_id.as_str());
        profile.tags = vec!["imported".to_owned()];
        self.out.profiles.push(profile);
        box_id
    }

    fn message(
        &mut self,
        message: &Message,
        moment: Timestamp,
        counts: &mut StrMap<usize>,
        ids: &mut CallIds,
        cards: &mut Vec<CardId>,
    ) {
        for (kind, key, new) in made(message, self.findings, ids) {
            cards.extend(self.card(new, kind, &key, counts, moment, &message.origin));
        }
    }
}

/// The places of the cards that the box before held too.
fn merged(origins: Vec<Kept>) -> Merged {
    Merged { origins, ..Merged::default() }
}

/// The requests that every summary of a session stands for.
fn covered(session: &Session) -> BTreeMap<usize, Vec<usize>> {
    let mut owners: BTreeMap<usize, usize> = BTreeMap::new();
    for summary in session.summaries() {
        // what an earlier summary stands for is behind that one
        let mut next = session.covered(summary);
        while let Some(at) = next
            && !owners.contains_key(&at)
        {
            owners.insert(at, summary);
            next = session.parent(at);
        }
    }
    let mut covers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, request) in session.requests.iter().enumerate() {
        if let Some(summary) = request.tail.and_then(|tail| owners.get(&tail)) {
            covers.entry(*summary).or_default().push(at);
        }
    }
    covers
}

/// The settings of a request: its body without what became cards.
fn settings(request: &Request) -> Json {
    let Some(Json::Object(body)) = request.body.as_deref() else { return Json::Null };
    let cards = [
        "messages",
        "contents",
        "input",
        "system",
        "systemInstruction",
        "system_instruction",
        "instructions",
        "tools",
        "model",
    ];
    Json::Object(
        body.iter()
            .filter(|(key, _)| !cards.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    )
}

fn definition(tool: &Tool) -> Object {
    let mut function = Object::default();
    function.insert("name".into(), tool.name.as_str().into());
    if let Some(description) = &tool.description {
        function.insert("description".into(), description.as_str().into());
    }
    if let Some(schema) = &tool.schema {
        function.insert("parameters".into(), schema.clone());
    }
    let mut out = Object::default();
    out.insert("type".into(), "function".into());
    out.insert("function".into(), Json::Object(function));
    out
}

impl Project {
    /// The project as a snapshot that every store takes.
    pub fn snapshot(&self, project_id: &ProjectId) -> Json {
        let rows = |rows: Vec<Json>| Json::Array(rows);
        let json = |value: crate::Result<Json>| value.unwrap_or_default();
        let project = Json::from([
            ("project_id", Json::from(project_id)),
            ("cards", rows(self.cards.iter().map(Card::row).collect())),
            ("boxes", rows(self.boxes.iter().map(CardBox::row).collect())),
            (
                "profiles",
                rows(
                    self.profiles
                        .iter()
                        .map(|row| json(crate::value::json::to_json(row)))
                        .collect(),
                ),
            ),
            (
                "agents",
                rows(
                    self.agents.iter().map(|row| json(crate::value::json::to_json(row))).collect(),
                ),
            ),
        ]);
        Json::from([("projects", Json::Array(vec![project]))])
    }
}
