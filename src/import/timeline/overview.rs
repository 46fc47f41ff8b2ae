//! The overview of a timeline: one row for each step.

use super::Timeline;
use super::answer::{
    PartKind, StepAction, StepCache, StepUsage, TimelineAgent, TimelineOverview, TimelinePrompt,
    TimelineSession, TimelineStep, TimelineTotals,
};
use super::index::{Around, Index, Member, Step, around, words_of};
use super::words::{call_words, file_name, one_line};
use crate::Timestamp;
use crate::import::cost::{cost, model_info};
use crate::import::model::{Kind, Part, Request, Role, Session, Tool};
use crate::import::project::Names;
use crate::prompt::cache::Cause;
use std::sync::Arc;

/// The maximum number of actions of a step that are listed.
const MAX_ACTIONS: usize = 4;
/// The maximum length of the target of an action, in characters.
const MAX_TARGET: usize = 48;
/// The maximum length of an error, in characters.
const MAX_ERROR: usize = 300;

/// Returns a time of a log.
pub(super) fn timestamp(micros: i64) -> Timestamp {
    Timestamp::from_millis(micros.div_euclid(1000))
}

/// Cache of the previous request's facts; the next usually shares them.
#[derive(Default)]
struct Last(Option<LastAround>);

struct LastAround {
    system: Arc<Vec<String>>,
    tools: Arc<Vec<Tool>>,
    tokens: Around,
}

impl Last {
    fn around(&mut self, request: &Request) -> Around {
        match &self.0 {
            Some(LastAround { system, tools, tokens })
                if Arc::ptr_eq(system, &request.system) && Arc::ptr_eq(tools, &request.tools) =>
            {
                *tokens
            }
            Some(_) | None => {
                let tokens = around(request);
                let (system, tools) = (Arc::clone(&request.system), Arc::clone(&request.tools));
                self.0 = Some(LastAround { system, tools, tokens });
                tokens
            }
        }
    }
}

impl Timeline {
    /// Returns the rows of all steps.
    pub(super) fn overview(&self, shown: Option<usize>, index: &Index) -> TimelineOverview {
        let sessions = self.roots.iter().filter_map(|at| self.sessions.get(*at));
        let sessions = sessions.map(|session| self.session_row(session)).collect();
        let mut last = Last::default();
        let names: Vec<Names> = index.members.iter().map(|one| Names::of(&one.session)).collect();
        let steps: Vec<TimelineStep> =
            (0..index.steps.len()).filter_map(|at| row(index, at, &names, &mut last)).collect();
        let mut called: Vec<(&str, usize)> =
            index.called.iter().map(|(name, (calls, _))| (name, *calls)).collect();
        called.sort_by_key(|(_, calls)| std::cmp::Reverse(*calls));
        let prompt =
            |(text, step): &(String, usize)| TimelinePrompt { text: text.clone(), step: *step };
        TimelineOverview {
            sessions,
            session: shown,
            kinds: PartKind::ALL.to_vec(),
            prompts: index.prompts.iter().map(prompt).collect(),
            agents: index
                .agents
                .iter()
                .map(|agent| TimelineAgent {
                    name: agent.name.clone(),
                    depth: agent.depth,
                    task: agent.task.clone(),
                    steps: agent.steps,
                })
                .collect(),
            totals: totals(&steps),
            steps,
            tools: called.into_iter().map(|(name, _)| name.to_owned()).collect(),
        }
    }

    fn session_row(&self, session: &Session) -> TimelineSession {
        let of_it = |other: &&Arc<Session>| {
            other.agent.is_some() && other.parent.as_ref() == Some(&session.id)
        };
        let subs = self.sessions.iter().filter(of_it).map(|other| other.requests.len());
        let steps = session.requests.len() + subs.sum::<usize>();
        let mut messages = session.all().map(|(message, _)| message);
        let first = messages.find_map(|message| {
            let words = words_of(message);
            (message.role == Role::User && !words.is_empty()).then_some(words)
        });
        let at = session.requests.iter().filter_map(|request| request.at).max();
        TimelineSession {
            id: session.id.clone(),
            source: session.source.to_owned(),
            title: first,
            parent: session.parent.clone().filter(|_| session.agent.is_none()),
            steps,
            at: at.map(timestamp),
        }
    }
}

fn row(index: &Index, at: usize, names: &[Names], last: &mut Last) -> Option<TimelineStep> {
    let step = index.steps.get(at)?;
    let (member, request) = index.request(step)?;
    let node = member.node(request.tail);
    let mut kinds = node.kinds;
    let Around { system, tools } = last.around(request);
    for (kind, tokens) in [(PartKind::System, system), (PartKind::Tools, tools)] {
        if let Some(sum) = kinds.get_mut(kind as usize) {
            *sum += tokens;
        }
    }
    let (added, removed, compacted) = moved(index, step, member, request);
    let info = model_info(&member.session, request);
    let usage = request.usage;
    let answer = index.answer(step);
    let did = actions(&answer, member);
    let compacted = compacted.or_else(|| {
        let cache = step.cache.as_ref().filter(|cache| cache.cause == Cause::ContextCompacted)?;
        cache.at.found.and_then(|found| usize::try_from(found).ok())
    });
    Some(TimelineStep {
        step: at + 1,
        request: member.first_request + step.request,
        box_id: names.get(step.member)?.request(step.request),
        kind: request.kind.as_str(),
        agent: step.agent,
        prompt: step.prompt,
        at: request.at.map(timestamp),
        provider: request.api,
        model: request.model.clone(),
        window: info.as_ref().and_then(|info| info.context_window),
        failed: request.error.is_some() || did.iter().any(|action| action.failed),
        error: request.error.as_deref().map(|error| one_line(error, MAX_ERROR)),
        did,
        unanswered: answer.is_empty(),
        retries: request.retries,
        messages: node.depth,
        recorded: StepUsage {
            input: usage.input,
            output: usage.output,
            cached: usage.cached,
            written: usage.written,
        },
        estimated: kinds.iter().sum(),
        tokens_by_kind: kinds.to_vec(),
        added,
        removed,
        cost: cost(info.as_deref(), &usage),
        cache: step.cache.as_ref().map(|cache| {
            let read = usage.input.filter(|input| *input > 0).zip(usage.cached);
            let is_money = cache.price.currency == "USD";
            // a loss that only an estimate predicts is not stated
            let is_known = cache.sure || cache.recorded.is_some();
            let lost_tokens = if is_known { cache.lost_tokens } else { 0 };
            StepCache {
                cause: cache.cause,
                sure: cache.sure,
                share: read.map(|(input, read)| read as f64 / input as f64),
                lost_tokens,
                lost_cost: cache.price.lost.filter(|_| is_money && is_known),
                is_break: lost_tokens > 0,
            }
        }),
        compacted,
    })
}

/// Returns the tokens that came and went since the step before, and the number of messages that a
/// summary replaced.
fn moved(
    index: &Index,
    step: &Step,
    member: &Member,
    request: &Request,
) -> (u64, u64, Option<usize>) {
    let sum = |tail: Option<usize>| member.node(tail).kinds.iter().sum::<u64>();
    let before = step.before.and_then(|before| index.steps.get(before));
    let before = before.and_then(|before| index.request(before));
    let before = before.filter(|(other, _)| Arc::ptr_eq(&other.session, &member.session));
    let Some((_, before)) = before else { return (sum(request.tail), 0, None) };
    let common = member.common(before.tail, request.tail);
    let went = member.node(before.tail).depth - member.node(common).depth;
    let is_new = |node: &usize| member.node(common).summary != Some(*node);
    let summary = member.node(request.tail).summary.filter(is_new);
    let is_own = matches!(request.kind, Kind::Main | Kind::Sub);
    let compacted = summary.filter(|_| went > 0 && is_own).map(|_| went);
    (sum(request.tail) - sum(common), sum(before.tail) - sum(common), compacted)
}

/// Returns what an answer does: calls of the same tool together, or its words.
fn actions(answer: &[&Part], member: &Member) -> Vec<StepAction> {
    let mut actions: Vec<StepAction> = Vec::new();
    let mut more = 0;
    for part in answer {
        let Part::Call { name, arguments, .. } = part else { continue };
        let facts = member.call_of(part);
        let failed = facts.is_some_and(|facts| facts.failed);
        let words =
            facts.map_or_else(|| Arc::new(call_words(arguments)), |facts| Arc::clone(&facts.words));
        let target = match &words.file {
            Some(file) => Some(file_name(file).to_owned()),
            None => words.target.clone(),
        };
        let target = target.map(|target| one_line(&target, MAX_TARGET));
        let count = actions.len();
        let same = actions.iter_mut().find(|action| action.tool.as_ref() == Some(name));
        match same {
            Some(action) => {
                action.count += 1;
                action.failed |= failed;
                if action.target != target {
                    action.target = None;
                }
            }
            None if count < MAX_ACTIONS => {
                let tool = Some(name.clone());
                actions.push(StepAction { tool, target, count: 1, failed });
            }
            None => more += 1,
        }
    }
    if more > 0 {
        actions.push(StepAction { tool: None, target: None, count: more, failed: false });
    }
    if !actions.is_empty() {
        return actions;
    }
    let texts = answer.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let words = texts.map(|text| one_line(text, MAX_TARGET * 2)).find(|text| !text.is_empty());
    words
        .map(|words| StepAction { tool: None, target: Some(words), count: 1, failed: false })
        .into_iter()
        .collect()
}

fn totals(steps: &[TimelineStep]) -> TimelineTotals {
    let mut sum = TimelineTotals {
        steps: steps.len(),
        recorded: true,
        all_costs: true,
        ..TimelineTotals::default()
    };
    let mut known = 0;
    let mut most: Option<(f64, usize)> = None;
    let has_cost = steps.iter().any(|step| step.cost.is_some());
    for step in steps {
        let input = step.recorded.input.unwrap_or(step.estimated);
        sum.input += input;
        sum.recorded &= step.recorded.input.is_some();
        known += step.recorded.input.unwrap_or(0);
        sum.output += step.recorded.output.unwrap_or(0);
        sum.cached += step.recorded.cached.unwrap_or(0);
        sum.all_costs &= step.cost.is_some();
        sum.cost = match (sum.cost, step.cost) {
            (Some(sum), Some(cost)) => Some(sum + cost),
            (sum, cost) => sum.or(cost),
        };
        if let Some(cache) = &step.cache {
            sum.lost_tokens += cache.lost_tokens;
            sum.breaks += usize::from(cache.is_break);
            sum.lost_cost = match (sum.lost_cost, cache.lost_cost) {
                (Some(sum), Some(cost)) => Some(sum + cost),
                (sum, cost) => sum.or(cost),
            };
        }
        sum.compactions += usize::from(step.compacted.is_some());
        sum.failed += usize::from(step.failed);
        let weight = if has_cost { step.cost.unwrap_or(0.0) } else { input as f64 };
        if most.is_none_or(|(most, _)| weight > most) {
            most = Some((weight, step.step));
        }
    }
    sum.share = (known > 0).then(|| sum.cached as f64 / known as f64);
    sum.most_expensive = most.map(|(_, step)| step);
    let times = || steps.iter().filter_map(|step| step.at).map(Timestamp::as_millis);
    let span = times().min().zip(times().max()).map(|(first, last)| last - first);
    sum.seconds = span.and_then(|span| u64::try_from(span / 1000).ok());
    sum
}
