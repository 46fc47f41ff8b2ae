//! The order of the steps of a timeline, and sums over its messages.

use super::answer::PartKind;
use super::words::{CallWords, call_words, has_failed, is_wrapped, kind_of, one_line, tokens_of};
use crate::import::explain;
use crate::import::model::{Kind, Message, Part, Request, Role, Session, Tool};
use crate::import::sums::definition;
use crate::prompt::cache::{CacheExplanation, RequestCache};
use crate::prompt::tokens::estimate_by_table;
use crate::value::str_map::{Map, StrMap};
use std::sync::Arc;

/// Tokens by kind.
pub(super) type Kinds = [u64; PartKind::ALL.len()];

/// The maximum number of messages of all requests together whose caches are explained.
const MAX_VISITS: usize = 40_000_000;

/// The sums up to a message, including it, and its use.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    pub kinds: Kinds,
    /// The number of messages.
    pub depth: usize,
    /// The position of its parts in `part_tokens`.
    pub first_part: usize,
    pub parent: Option<usize>,
    /// The last prompt of the user.
    pub prompt: Option<usize>,
    /// The last summary.
    pub summary: Option<usize>,
    /// The first message of the path.
    root: usize,
    pub first_step: Option<usize>,
    pub last_step: Option<usize>,
    /// The number of steps that send it.
    pub times: usize,
}

/// A session of a timeline: the main one, or one of a sub-agent.
pub(super) struct Member {
    pub session: Arc<Session>,
    /// The number of its first request in the report.
    pub first_request: usize,
    /// The id of its first message.
    pub first_node: usize,
    pub nodes: Vec<Node>,
    /// The tokens of all parts of all messages, in order.
    pub part_tokens: Vec<u64>,
    /// The call of each id.
    pub calls: StrMap<CallFacts>,
}

/// A tool call: its tool, its target, and whether it failed.
#[derive(Clone, Debug)]
pub(super) struct CallFacts {
    pub tool: String,
    pub words: Arc<CallWords>,
    pub failed: bool,
}

/// A request of a timeline.
#[derive(Debug)]
pub(super) struct Step {
    pub member: usize,
    pub request: usize,
    pub agent: usize,
    pub prompt: Option<usize>,
    /// The step before and after it of the same agent.
    pub before: Option<usize>,
    pub after: Option<usize>,
    pub cache: Option<RequestCache>,
    /// The step that the cache is compared with.
    pub cache_step: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Agent {
    pub name: Option<String>,
    pub depth: usize,
    pub task: Option<String>,
    pub steps: usize,
}

/// The tokens of a system prompt and of tool definitions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    pub system: u64,
    pub tools: u64,
}

/// A timeline with everything that its answers need.
#[derive(Default)]
pub(super) struct Index {
    pub members: Vec<Member>,
    pub steps: Vec<Step>,
    pub agents: Vec<Agent>,
    pub prompts: Vec<(String, usize)>,
    /// The number of calls and failed calls of each tool.
    pub called: StrMap<(usize, usize)>,
}

/// Returns the sessions that have a timeline of their own: all but those of sub-agents whose main
/// session is in the files.
pub(super) fn roots(sessions: &[Arc<Session>]) -> Vec<usize> {
    let ids: StrMap<()> = {
        let mut ids = StrMap::new();
        for session in sessions.iter().filter(|session| session.agent.is_none()) {
            ids.insert(session.id.as_str(), ());
        }
        ids
    };
    let is_root = |session: &Session| {
        let parent = session.parent.as_deref().filter(|_| session.agent.is_some());
        parent.is_none_or(|parent| !ids.contains_key(parent))
    };
    let sessions = sessions.iter().enumerate();
    sessions.filter(|(_, session)| is_root(session)).map(|(at, _)| at).collect()
}

impl Index {
    /// Builds the timeline of a session and its sub-agents.
    pub fn of(sessions: &[Arc<Session>], root: usize) -> Self {
        let mut index = Self::default();
        let Some(main) = sessions.get(root) else { return index };
        let (mut first_request, mut first_node) = (0, 0);
        let mut members = Vec::new();
        for (at, session) in sessions.iter().enumerate() {
            let is_sub = session.agent.is_some() && session.parent.as_ref() == Some(&main.id);
            if at == root || is_sub {
                members.push((at != root, session, first_request));
            }
            first_request += session.requests.len();
        }
        members.sort_by_key(|(is_sub, ..)| *is_sub);
        for (_, session, first_request) in members {
            let member = Member::of(Arc::clone(session), first_request, first_node);
            first_node += member.nodes.len();
            index.members.push(member);
        }
        index.order();
        index.use_messages();
        index.explain();
        index.count_calls();
        index
    }

    pub fn request(&self, step: &Step) -> Option<(&Member, &Request)> {
        let member = self.members.get(step.member)?;
        Some((member, member.session.requests.get(step.request)?))
    }

    /// Returns the requests of all members by time: member and request. A request without a time
    /// follows the one before.
    fn by_time(&self) -> Vec<(usize, usize)> {
        let mut all: Vec<(Option<i64>, usize, usize)> = Vec::new();
        for (member, found) in self.members.iter().enumerate() {
            let mut last = None;
            for (request, sent) in found.session.requests.iter().enumerate() {
                last = sent.at.max(last);
                all.push((last, member, request));
            }
        }
        all.sort_by_key(|(at, ..)| *at);
        all.into_iter().map(|(_, member, request)| (member, request)).collect()
    }

    /// Orders the requests of all members by time, and finds agents, prompts and neighbors.
    fn order(&mut self) {
        // the agent of each thread, and the last step of it
        let mut threads: Map<(usize, usize), (usize, Option<usize>)> = Map::default();
        let mut main_before = None;
        let mut prompt: Option<usize> = None;
        for (member, request) in self.by_time() {
            let number = self.steps.len();
            let Some(found) = self.members.get(member) else { continue };
            let Some(sent) = found.session.requests.get(request) else { continue };
            let node = sent.tail.and_then(|at| found.nodes.get(at));
            let is_sub = sent.kind == Kind::Sub || member > 0;
            let is_main = !is_sub;
            let root = node.filter(|_| sent.kind == Kind::Sub && member == 0);
            let key = (member, root.map_or(usize::MAX, |node| node.root));
            let known = threads.get(&key).copied();
            let (agent, mut before) = known.unwrap_or_else(|| {
                let first = node.and_then(|node| found.session.message(node.root));
                self.agents.push(Agent {
                    name: sent.agent.clone().or_else(|| found.session.agent.clone()),
                    depth: usize::from(is_sub),
                    task: first.filter(|_| is_sub).map(words_of).filter(|text| !text.is_empty()),
                    steps: 0,
                });
                (self.agents.len() - 1, None)
            });
            if let Some(agent) = self.agents.get_mut(agent) {
                agent.steps += 1;
            }
            let is_aside = matches!(sent.kind, Kind::Compaction | Kind::Side);
            if is_aside {
                before = before.or(main_before);
                if known.is_none() {
                    threads.insert(key, (agent, None));
                }
            } else {
                threads.insert(key, (agent, Some(number)));
                if let Some(earlier) = before.and_then(|earlier| self.steps.get_mut(earlier)) {
                    earlier.after = Some(number);
                }
            }
            if is_main && !is_aside {
                let asked = node.and_then(|node| node.prompt);
                let asked = asked.and_then(|at| found.session.message(at)).map(words_of);
                let last = prompt.and_then(|at| self.prompts.get(at)).map(|(text, _)| text);
                if let Some(asked) = asked.filter(|asked| last != Some(asked)) {
                    self.prompts.push((asked, number + 1));
                    prompt = Some(self.prompts.len() - 1);
                }
                main_before = Some(number);
            }
            self.steps.push(Step {
                member,
                request,
                agent,
                prompt,
                before,
                after: None,
                cache: None,
                cache_step: None,
            });
        }
    }

    /// Counts the steps that send each message.
    fn use_messages(&mut self) {
        for (at, step) in self.steps.iter().enumerate() {
            let Some(member) = self.members.get_mut(step.member) else { continue };
            let request = member.session.requests.get(step.request);
            let tail = request.and_then(|request| request.tail);
            let Some(node) = tail.and_then(|tail| member.nodes.get_mut(tail)) else { continue };
            node.times += 1;
            node.first_step = node.first_step.or(Some(at + 1));
            node.last_step = Some(at + 1);
        }
        // a message comes after its parent
        for member in &mut self.members {
            for at in (0..member.nodes.len()).rev() {
                let Some(node) = member.nodes.get(at).copied() else { continue };
                let Some(parent) = node.parent.and_then(|at| member.nodes.get_mut(at)) else {
                    continue;
                };
                parent.times += node.times;
                parent.first_step = least(parent.first_step, node.first_step);
                parent.last_step = parent.last_step.max(node.last_step);
            }
        }
    }

    /// Explains the caches of all members.
    fn explain(&mut self) {
        let mut steps: Map<(usize, usize), usize> = Map::default();
        for (at, step) in self.steps.iter().enumerate() {
            steps.insert((step.member, step.request), at);
        }
        for (at, member) in self.members.iter().enumerate() {
            let requests = member.session.requests.iter();
            let visits: usize = requests.map(|request| member.node(request.tail).depth).sum();
            if visits > MAX_VISITS {
                continue;
            }
            let Ok((numbers, explained)) = explain::session_cache(&member.session) else {
                continue;
            };
            let CacheExplanation { requests, .. } = explained;
            for (number, cache) in numbers.iter().zip(requests) {
                let compared = cache.compared_with.and_then(|at| numbers.get(at));
                let compared = compared.and_then(|number| steps.get(&(at, *number))).copied();
                let step = steps.get(&(at, *number)).and_then(|step| self.steps.get_mut(*step));
                if let Some(step) = step {
                    step.cache = Some(cache);
                    step.cache_step = compared.map(|at| at + 1);
                }
            }
        }
    }

    fn count_calls(&mut self) {
        for member in &self.members {
            for (_, call) in member.calls.iter() {
                let (calls, failed) = self.called.get(&call.tool).copied().unwrap_or_default();
                let counts = (calls + 1, failed + usize::from(call.failed));
                self.called.insert(call.tool.as_str(), counts);
            }
        }
    }

    /// Returns the answer of a step: as recorded, or as the next step repeats it.
    pub fn answer(&self, step: &Step) -> Vec<&Part> {
        let Some((member, request)) = self.request(step) else { return Vec::new() };
        if !request.output.is_empty() {
            return request.output.iter().collect();
        }
        let next = step.after.and_then(|at| self.steps.get(at));
        let Some((next_member, next)) = next.and_then(|next| self.request(next)) else {
            return Vec::new();
        };
        if !Arc::ptr_eq(&member.session, &next_member.session) {
            return Vec::new();
        }
        let shared = member.common(request.tail, next.tail);
        let path = member.after(next.tail, shared);
        let messages = path.iter().filter_map(|at| member.session.message(*at));
        let answers = messages.take_while(|message| message.role == Role::Assistant);
        answers.flat_map(|message| &message.parts).collect()
    }
}

fn least(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Returns the first words of a message.
pub(super) fn words_of(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text(text) if !is_wrapped(text) => Some(text.as_str()),
        _ => None,
    });
    one_line(&texts.collect::<Vec<_>>().join(" "), 200)
}

/// Returns true for a message that a person wrote.
fn is_prompt(message: &Message) -> bool {
    message.role == Role::User && !words_of(message).is_empty()
}

impl Member {
    fn of(session: Arc<Session>, first_request: usize, first_node: usize) -> Self {
        let mut nodes: Vec<Node> = Vec::new();
        let mut part_tokens = Vec::new();
        let mut calls: StrMap<CallFacts> = StrMap::new();
        for (at, (message, parent)) in session.all().enumerate() {
            let before = parent.and_then(|at| nodes.get(at)).copied().unwrap_or_default();
            let is_summary = session.covered(at).is_some();
            let mut node = Node {
                depth: before.depth + 1,
                first_part: part_tokens.len(),
                parent,
                prompt: if !is_summary && is_prompt(message) { Some(at) } else { before.prompt },
                summary: if is_summary { Some(at) } else { before.summary },
                root: if parent.is_some() { before.root } else { at },
                kinds: before.kinds,
                first_step: None,
                last_step: None,
                times: 0,
            };
            for part in &message.parts {
                let (kind, tokens) = (kind_of(part, message, is_summary), tokens_of(part));
                part_tokens.push(tokens);
                if let Some(sum) = node.kinds.get_mut(kind as usize) {
                    *sum += tokens;
                }
                note_call(part, &mut calls);
            }
            nodes.push(node);
        }
        // the last answers are not in a later request
        for part in session.requests.iter().flat_map(|request| &request.output) {
            note_call(part, &mut calls);
        }
        Self { session, first_request, first_node, nodes, part_tokens, calls }
    }

    pub fn node(&self, tail: Option<usize>) -> Node {
        tail.and_then(|at| self.nodes.get(at)).copied().unwrap_or_default()
    }

    /// Returns the last message that two paths share.
    pub fn common(&self, a: Option<usize>, b: Option<usize>) -> Option<usize> {
        let (mut a, mut b) = (a, b);
        while a != b {
            // the longer path steps back
            if self.node(a).depth >= self.node(b).depth {
                a = self.node(a).parent;
            } else {
                b = self.node(b).parent;
            }
        }
        a
    }

    /// Returns the messages up to `tail` that follow `start`, in order.
    pub fn after(&self, tail: Option<usize>, start: Option<usize>) -> Vec<usize> {
        let mut path = Vec::new();
        let mut next = tail;
        while let Some(at) = next.filter(|_| next != start) {
            path.push(at);
            next = self.node(next).parent;
        }
        path.reverse();
        path
    }

    /// Returns the call that a part is or answers.
    pub fn call_of(&self, part: &Part) -> Option<&CallFacts> {
        match part {
            Part::Call { id: Some(id), .. } | Part::Result { id: Some(id), .. } => {
                self.calls.get(id)
            }
            _ => None,
        }
    }
}

/// Records a call, or that it failed.
fn note_call(part: &Part, calls: &mut StrMap<CallFacts>) {
    match part {
        Part::Call { id: Some(id), name, arguments } if !calls.contains_key(id) => {
            let words = Arc::new(call_words(arguments));
            calls.insert(id.as_str(), CallFacts { tool: name.clone(), words, failed: false });
        }
        Part::Result { id: Some(id), .. } if has_failed(part) => {
            if let Some(call) = calls.get_mut(id) {
                call.failed = true;
            }
        }
        _ => {}
    }
}

/// Estimates the system prompt and the tool definitions of a request.
pub(super) fn around(request: &Request) -> Around {
    Around {
        system: request.system.iter().map(|text| estimate_by_table(text)).sum(),
        tools: request.tools.iter().filter_map(tool_tokens).sum(),
    }
}

/// Estimates the definition of a tool. `None` if the log has only its name.
pub(super) fn tool_tokens(tool: &Tool) -> Option<u64> {
    let is_defined = tool.schema.is_some() || tool.description.is_some();
    is_defined.then(|| estimate_by_table(&definition(tool)))
}
