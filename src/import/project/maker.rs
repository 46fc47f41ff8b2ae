//! Makes the rows of a project, session by session.

use super::cards::{CallIds, DraftCard, located, made, text_card};
use super::names::{AUTHOR, Names, TextHash, request_box, slug};
use super::rows::{Project, RejectedCard};
use super::setup::LastProfile;
use super::trail::{Context, Step, Trail};
use crate::import::model::{Findings, Message, Origin, Request, Role, Session, Tool};
use crate::import::sums::Sums;
use crate::prompt::provider::sent::CardsHash;
use crate::rule::ledger::{BoxLedger, Cause, Inherited, Place};
use crate::rule::merge::{MergeResult, Origin as Kept};
use crate::store::{Agent, AgentState};
use crate::value::card::Card;
use crate::value::ids::{CardIds, Interner, Symbol};
use crate::value::str_map::StrMap;
use crate::{BoxId, CardBox, CardId, Limits, Path, ProjectId, Result, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) struct Maker<'a> {
    pub(super) out: Project,
    /// The number of every card.
    ids: Interner,
    /// The place of every card. `None` for a card that is rejected.
    seen: Vec<Option<Option<Place>>>,
    /// The number of card ids in all boxes.
    listed: usize,
    before: PreviousBox,
    frame_cards: Option<FrameCards>,
    /// The context of cards without a session; empty between uses.
    alone: Context,
    /// The cards of a request and their hash; the next request usually starts with them.
    hashed: (Vec<Symbol>, CardsHash),
    pub(super) profiles: StrMap<String>,
    pub(super) last_profile: Option<LastProfile>,
    /// The summary boxes that exist.
    summaries: StrMap<()>,
    /// The first session of every id.
    sessions: StrMap<usize>,
    pub(super) findings: &'a Findings,
    project_id: &'a ProjectId,
    now: Timestamp,
    limits: &'a Limits,
}

/// The box of the previous request.
#[derive(Default)]
struct PreviousBox {
    box_id: String,
    /// The number of the request, from 1, and for each card number the last request that has it and
    /// its position.
    request: usize,
    places: Vec<(usize, u32)>,
}

impl PreviousBox {
    fn place(&self, card: Symbol) -> Option<u32> {
        let (request, place) = self.places.get(card.index())?;
        (*request == self.request).then_some(*place)
    }

    fn set(&mut self, box_id: String, cards: &[Symbol]) {
        self.box_id = box_id;
        self.request += 1;
        for (card, place) in cards.iter().zip(0..) {
            if card.index() >= self.places.len() {
                self.places.resize(card.index() + 1, (0, 0));
            }
            if let Some(known) = self.places.get_mut(card.index()) {
                *known = (self.request, place);
            }
        }
    }
}

/// Cache of the cards of system prompt and tools; the next request usually has the same.
struct FrameCards {
    system: Arc<Vec<String>>,
    tools: Arc<Vec<Tool>>,
    cards: Vec<Symbol>,
}

impl<'a> Maker<'a> {
    pub(super) fn new(
        findings: &'a Findings,
        project_id: &'a ProjectId,
        now: Timestamp,
        limits: &'a Limits,
    ) -> Self {
        let ids = findings.sessions.iter().enumerate();
        // in reverse, so that the first session of an id remains
        let sessions = ids.rev().map(|(at, session)| (session.id.as_str(), at)).collect();
        Self {
            out: Project::default(),
            ids: Interner::default(),
            seen: Vec::new(),
            listed: 0,
            before: PreviousBox::default(),
            frame_cards: None,
            alone: Context::default(),
            hashed: <(Vec<Symbol>, CardsHash)>::default(),
            profiles: StrMap::new(),
            last_profile: None,
            summaries: StrMap::new(),
            sessions,
            findings,
            project_id,
            now,
            limits,
        }
    }

    pub(super) fn session(&mut self, session: &Session) -> Result<()> {
        let names = Names::of(session);
        let agent_id = names.session.clone();
        let mut agent: Option<Agent> = None;
        let sums = Sums::of_ways(session);
        let covers = covered(session);
        let mut last_summary = None;
        let mut trail = Trail::default();
        for (at, request) in session.requests.iter().enumerate() {
            let id = names.request(at);
            let created_at = request
                .at
                .map_or(self.now, |micros| Timestamp::from_millis(micros.div_euclid(1000)));
            let mut cards = self.frame_cards(request, created_at);
            for at in trail.go(session, request.tail) {
                if let Some(message) = session.message(at) {
                    let step = self.message(message, created_at, &mut trail.context);
                    trail.push(at, step);
                }
            }
            cards.extend(&trail.cards);
            cards.extend(self.sent(request, &cards, created_at));
            let profile = self.profile(request, created_at)?;
            let mut parents: Vec<BoxId> = Vec::new();
            let summary = sums.summary(request.tail).filter(|at| last_summary != Some(*at));
            if let Some(summary) = summary {
                last_summary = Some(summary);
                let over = covers.get(&summary).map_or(&[][..], Vec::as_slice);
                parents.push(self.summary(session, &names, summary, over, created_at)?);
            } else if let Some(before) = at.checked_sub(1) {
                parents.push(BoxId::from(names.request(before)));
            } else if let Some(above) =
                session.parent.as_deref().and_then(|parent| self.above(parent, request.at))
            {
                parents.push(BoxId::from(above));
            }
            self.put(&id, &cards, parents)?;
            self.before.set(id.clone(), &cards);
            let output = self.answer(&id, request, created_at, &mut trail)?;
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
        Ok(())
    }

    /// Puts the answer to a request into a box. Returns nothing if the log has no answer.
    fn answer(
        &mut self,
        id: &str,
        request: &Request,
        created_at: Timestamp,
        trail: &mut Trail,
    ) -> Result<Option<BoxId>> {
        if request.output.is_empty() {
            return Ok(None);
        }
        let message = Message {
            role: Role::Assistant,
            parts: request.output.clone(),
            origin: request.origin.clone(),
        };
        let answer = self.message(&message, created_at, &mut trail.context);
        trail.context.leave(&answer);
        let answer_id = format!("{id}_answer");
        self.put(&answer_id, &answer.cards, vec![BoxId::from(id)])?;
        Ok(Some(BoxId::from(answer_id)))
    }

    /// Returns the cards of the system prompt and the tools.
    fn frame_cards(&mut self, request: &Request, created_at: Timestamp) -> Vec<Symbol> {
        match &self.frame_cards {
            Some(FrameCards { system, tools, cards })
                if Arc::ptr_eq(system, &request.system) && Arc::ptr_eq(tools, &request.tools) =>
            {
                cards.clone()
            }
            Some(_) | None => {
                let texts = request.system.iter().map(|words| {
                    let new = text_card("system", words, &request.origin, self.findings);
                    ("import.system", format!("s:{words}"), new)
                });
                let mut cards = self.alone(texts.collect(), created_at, &request.origin);
                cards.extend(self.tools(&request.tools, request, created_at));
                let (system, tools) = (Arc::clone(&request.system), Arc::clone(&request.tools));
                self.frame_cards = Some(FrameCards { system, tools, cards: cards.clone() });
                cards
            }
        }
    }

    /// Makes a box with its ledger. Cards of the previous request come from its box, the others
    /// from the log.
    pub(super) fn put(
        &mut self,
        box_id: &str,
        cards: &[Symbol],
        parents: Vec<BoxId>,
    ) -> Result<()> {
        self.listed += cards.len();
        self.limits.check_ids(self.listed, &Path::root().key("files"))?;
        let ids = CardIds::new(self.ids.names().clone(), cards);
        let mut account = BoxLedger::new(BoxId::from(box_id), ids.clone());
        let mut made: Vec<Cause> = Vec::new();
        let mut kept: Vec<Kept> = Vec::new();
        let PreviousBox { box_id: before, .. } = &self.before;
        let source = || Inherited { box_id: before.as_str().into(), path: Path::root() };
        for card in cards {
            match self.before.place(*card) {
                Some(position) => {
                    if !made.is_empty() {
                        account.made(std::mem::take(&mut made));
                    }
                    kept.push((0, position).into());
                }
                None => {
                    if !kept.is_empty() {
                        account.merged(vec![source()], merged(std::mem::take(&mut kept)));
                    }
                    let place = self.seen.get(card.index()).cloned().flatten().flatten();
                    made.push(Cause::Imported(place.unwrap_or_default()));
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
        self.out.boxes.push(CardBox::new(box_id, ids).with_parents(parents));
        Ok(())
    }

    /// Makes the box of a summary: its text, and the boxes of the requests that it covers.
    fn summary(
        &mut self,
        session: &Session,
        names: &Names,
        at: usize,
        covers: &[usize],
        created_at: Timestamp,
    ) -> Result<BoxId> {
        let id = names.summary(at);
        if self.summaries.insert(id.as_str(), ()).is_none() {
            let cards = session.message(at).map(|message| {
                let made = made(message, self.findings, &mut CallIds::default());
                self.alone(made, created_at, &message.origin)
            });
            let parents = covers.iter().map(|at| BoxId::from(names.request(*at))).collect();
            self.put(&id, &cards.unwrap_or_default(), parents)?;
        }
        Ok(BoxId::from(id))
    }

    /// Returns the last request of the parent before a time.
    fn above(&self, parent: &str, at: Option<i64>) -> Option<String> {
        let session = self.findings.sessions.get(*self.sessions.get(parent)?)?;
        let before = session.requests.iter().rposition(|request| request.at <= at);
        Some(request_box(&slug(session), before.unwrap_or(0)))
    }

    /// Makes a card once. Returns its symbol, and its number if it is kept.
    fn card(
        &mut self,
        (kind, key, mut new): DraftCard,
        context: &mut Context,
        created_at: Timestamp,
        origin: &Origin,
    ) -> (Symbol, Option<Symbol>) {
        let hash = TextHash::of(&[kind, &key]);
        let id = |nth: usize| hash.clone().with(&nth.to_string()).hex(16);
        let mut text = id(0);
        let first = self.ids.intern(&text);
        let mut card = first;
        let nth = context.count(first);
        if nth > 0 {
            text = id(nth);
            card = self.ids.intern(&text);
        }
        if card.index() >= self.seen.len() {
            self.seen.resize(card.index() + 1, None);
        }
        let Some(seen) = self.seen.get_mut(card.index()) else { return (first, None) };
        if let Some(place) = seen {
            return (first, place.is_some().then_some(card));
        }
        new.card_type = kind.to_owned();
        new.author_id = AUTHOR.to_owned();
        let made = Card::make(new, self.project_id, CardId::from(text), created_at, self.limits);
        *seen = Some(made.is_ok().then(|| located(origin, self.findings)));
        match made {
            Ok(made) => {
                self.out.cards.push(made);
                (first, Some(card))
            }
            Err(error) => {
                let message = error.to_string();
                self.out.refused.push(RejectedCard { origin: origin.clone(), message });
                (first, None)
            }
        }
    }

    /// Returns the hash of the cards of a request.
    pub(super) fn hashed(&mut self, cards: &[Symbol]) -> CardsHash {
        let names = self.ids.names();
        let (before, hash) = std::mem::take(&mut self.hashed);
        let (hash, more) = match cards.strip_prefix(before.as_slice()) {
            Some(more) => (hash, more),
            None => (CardsHash::default(), cards),
        };
        let hash = hash.with(more.iter().map(|card| names.get(*card)));
        self.hashed = (cards.to_vec(), hash.clone());
        hash
    }

    /// Returns the cards of a message in a context.
    fn message(&mut self, message: &Message, created_at: Timestamp, context: &mut Context) -> Step {
        let before = context.ids;
        let made = made(message, self.findings, &mut context.ids);
        let step = self.step(made, created_at, &message.origin, context);
        Step { ids: (before, context.ids), ..step }
    }

    fn step(
        &mut self,
        made: Vec<DraftCard>,
        created_at: Timestamp,
        origin: &Origin,
        context: &mut Context,
    ) -> Step {
        let mut step = Step::default();
        for made in made {
            let (first, card) = self.card(made, context, created_at, origin);
            step.firsts.push(first);
            step.cards.extend(card);
        }
        step
    }

    /// Returns cards without a context.
    pub(super) fn alone(
        &mut self,
        made: Vec<DraftCard>,
        created_at: Timestamp,
        origin: &Origin,
    ) -> Vec<Symbol> {
        let mut context = std::mem::take(&mut self.alone);
        let step = self.step(made, created_at, origin, &mut context);
        context.leave(&step);
        self.alone = context;
        step.cards
    }
}

/// Returns the positions of the cards that the previous box has too.
fn merged(origins: Vec<Kept>) -> MergeResult {
    MergeResult { origins, ..MergeResult::default() }
}

/// Returns the requests that each summary of a session covers.
fn covered(session: &Session) -> BTreeMap<usize, Vec<usize>> {
    let mut owners: BTreeMap<usize, usize> = BTreeMap::new();
    for summary in session.summaries() {
        // requests that an earlier summary covers belong to that one
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
