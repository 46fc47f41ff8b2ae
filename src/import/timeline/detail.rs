//! Everything about one step.

use super::Timeline;
use super::answer::{
    FileTokens, MessagePart, MessageRow, PartKind, StepChange, StepCompaction, StepDetail,
    StepParameter, StepTool, StepTools, StepUnknown, TokenGroup,
};
use super::index::{Index, Member, Step, tool_tokens};
use super::words::{call_words, cut, has_failed, kind_of, readable, tokens_of};
use crate::import::explain;
use crate::import::model::{Message, Part, Request, Role, UnknownSubject};
use crate::import::project::settings;
use crate::prompt::tokens::estimate_by_table;
use crate::value::json::Json;
use crate::value::str_map::StrMap;
use crate::value::{Map, Set};
use std::borrow::Cow;
use std::sync::Arc;

/// The maximum length of a text in a list, in characters.
pub(super) const MAX_EXCERPT: usize = 600;

/// What counts a part: its kind, its tool, the target of the call, and its tokens.
struct PartFacts<'a> {
    kind: PartKind,
    tool: Option<&'a str>,
    target: Option<Cow<'a, str>>,
    tokens: u64,
}

/// Returns the facts of the parts of a request: of the system prompt, and of the messages of a path.
fn facts_of<'a>(member: &'a Member, request: &'a Request, path: &[usize]) -> Vec<PartFacts<'a>> {
    let system = request.system.iter().map(|text| PartFacts {
        kind: PartKind::System,
        tool: None,
        target: None,
        tokens: estimate_by_table(text),
    });
    let mut facts: Vec<PartFacts<'a>> = system.collect();
    for at in path {
        let Some(message) = member.session.message(*at) else { continue };
        let is_summary = member.session.covered(*at).is_some();
        let first = member.node(Some(*at)).first_part;
        let tokens = member.part_tokens.get(first..).unwrap_or_default();
        facts.extend(message.parts.iter().zip(tokens).map(|(part, tokens)| {
            let (tool, target) = tool_of(member, part);
            PartFacts { kind: kind_of(part, message, is_summary), tool, target, tokens: *tokens }
        }));
    }
    facts
}

/// Returns the tool of a call or a result, and the target of the call.
fn tool_of<'a>(member: &'a Member, part: &'a Part) -> (Option<&'a str>, Option<Cow<'a, str>>) {
    match (member.call_of(part), part) {
        (Some(call), _) => (Some(&call.tool), call.words.target.as_deref().map(Cow::Borrowed)),
        (None, Part::Call { name, arguments, .. }) => {
            (Some(name), call_words(arguments).target.map(Cow::Owned))
        }
        (None, _) => (None, None),
    }
}

/// Describes a part.
pub(super) fn part_row(
    member: &Member,
    part: &Part,
    kind: PartKind,
    tokens: u64,
    max: Option<usize>,
) -> MessagePart {
    let (tool, target) = tool_of(member, part);
    let (text, cut) = cut(readable(part), max);
    let is_sealed = |text: &str| text.is_empty() && matches!(part, Part::Reasoning { .. });
    MessagePart {
        kind,
        tool: tool.map(str::to_owned),
        target: target.map(Cow::into_owned),
        tokens,
        failed: has_failed(part),
        sealed: is_sealed(&text),
        text,
        cut,
    }
}

/// Describes a message of a session.
pub(super) fn message_row(member: &Member, at: usize, max: Option<usize>) -> Option<MessageRow> {
    let message = member.session.message(at)?;
    let is_summary = member.session.covered(at).is_some();
    let first = member.node(Some(at)).first_part;
    let tokens = member.part_tokens.get(first..).unwrap_or_default();
    let parts = message.parts.iter().zip(tokens).map(|(part, tokens)| {
        part_row(member, part, kind_of(part, message, is_summary), *tokens, max)
    });
    let parts: Vec<MessagePart> = parts.collect();
    Some(MessageRow {
        id: format!("m{}", member.first_node + at),
        role: message.role.as_str(),
        tokens: parts.iter().map(|part| part.tokens).sum(),
        parts,
    })
}

/// Describes the answer of a step.
pub(super) fn answer_row(index: &Index, at: usize, max: Option<usize>) -> Option<MessageRow> {
    let step = index.steps.get(at)?;
    let (member, _) = index.request(step)?;
    let answer = index.answer(step);
    let message = Message { role: Role::Assistant, parts: Vec::new(), origin: Default::default() };
    let part =
        |part: &&Part| part_row(member, part, kind_of(part, &message, false), tokens_of(part), max);
    let parts: Vec<MessagePart> = answer.iter().map(part).collect();
    (!parts.is_empty()).then(|| MessageRow {
        id: format!("a{}", at + 1),
        role: Role::Assistant.as_str(),
        tokens: parts.iter().map(|part| part.tokens).sum(),
        parts,
    })
}

/// Describes the system prompt of a step.
pub(super) fn system_row(index: &Index, at: usize, max: Option<usize>) -> Option<MessageRow> {
    let (member, request) = index.request(index.steps.get(at)?)?;
    let part = |text: &String| {
        let part = Part::Text(text.clone());
        part_row(member, &part, PartKind::System, tokens_of(&part), max)
    };
    let parts: Vec<MessagePart> = request.system.iter().map(part).collect();
    (!parts.is_empty()).then(|| MessageRow {
        id: format!("s{}", at + 1),
        role: Role::System.as_str(),
        tokens: parts.iter().map(|part| part.tokens).sum(),
        parts,
    })
}

impl Timeline {
    /// Returns everything about the step with the index `at`.
    pub(super) fn detail(&self, index: &Index, at: usize, is_brief: bool) -> Option<StepDetail> {
        let step = index.steps.get(at)?;
        let (member, request) = index.request(step)?;
        let path = member.after(request.tail, None);
        let shown = path.iter().filter(|_| !is_brief);
        let system = || system_row(index, at, Some(MAX_EXCERPT)).filter(|_| !is_brief);
        let rows = shown.filter_map(|node| message_row(member, *node, Some(MAX_EXCERPT)));
        let messages = system().into_iter().chain(rows).collect();
        let facts = facts_of(member, request, &path);
        let before = step.before.and_then(|before| index.steps.get(before));
        let before_request = before.and_then(|before| index.request(before));
        let same = before_request.filter(|(other, _)| Arc::ptr_eq(&other.session, &member.session));
        let same = same.map(|(_, request)| request);
        let tools = tools(index, step, request, &facts);
        let groups = groups(&facts, &tools);
        let estimated: u64 = groups.iter().map(|group| group.tokens).sum();
        let lacks = request.unknown.iter().any(|unknown| unknown.what != UnknownSubject::Params);
        let residual = request.usage.input.filter(|_| lacks);
        let parameters = parameters(request);
        let limit = ["max_tokens", "max_output_tokens", "max_completion_tokens"];
        let body = request.body.as_deref();
        let limit = limit.iter().find_map(|key| body?.get(key)?.as_number()?.as_u64());
        let generation = || body?.get("generationConfig")?.get("maxOutputTokens");
        let limit = limit.or_else(|| generation()?.as_number()?.as_u64());
        Some(StepDetail {
            step: at + 1,
            before: step.before.map(|before| before + 1),
            changes: changes(member, same, request, step.before.is_some()),
            files: files(&facts),
            groups,
            messages,
            message_count: path.len() + usize::from(!request.system.is_empty()),
            answer: answer_row(index, at, Some(MAX_EXCERPT)),
            tools,
            parameters,
            output_limit: limit,
            cache: step.cache.clone(),
            cache_step: step.cache_step,
            compaction: same.and_then(|same| compaction(index, step, member, same, request)),
            unknown: request
                .unknown
                .iter()
                .map(|unknown| StepUnknown { what: unknown.what.as_str(), why: unknown.why })
                .collect(),
            residual: residual
                .and_then(|input| input.checked_sub(estimated))
                .filter(|rest| *rest > 0),
            origin: self.place(&request.origin),
            body: body.cloned(),
        })
    }
}

fn parameters(request: &Request) -> Vec<StepParameter> {
    let Json::Object(settings) = settings(request) else { return Vec::new() };
    let row = |(name, value): (&String, &Json)| StepParameter {
        name: name.clone(),
        value: value.spaced(),
    };
    settings.iter().map(row).collect()
}

/// Returns a change without its values.
fn change_of(change: &'static str, subject: &'static str) -> StepChange {
    StepChange { change, subject, name: None, message: None, before: None, after: None }
}

/// Returns what changed since the request before.
fn changes(
    member: &Member,
    before: Option<&Request>,
    request: &Request,
    is_later: bool,
) -> Vec<StepChange> {
    let mut changes = Vec::new();
    let is_first = before.is_none() && !is_later;
    if is_first && !request.system.is_empty() {
        let text = request.system.join("\n\n");
        changes.push(StepChange { after: Some(text), ..change_of("added", "system") });
    }
    if let Some(before) = before {
        around_changes(before, request, &mut changes);
    }
    message_changes(member, before.and_then(|before| before.tail), request, &mut changes);
    changes
}

/// Appends changes of the model, the system prompt, tools and parameters.
fn around_changes(before: &Request, request: &Request, changes: &mut Vec<StepChange>) {
    // a model that is not in the log is unknown, and not another one
    if before.model.is_some() && request.model.is_some() && before.model != request.model {
        changes.push(StepChange {
            before: before.model.clone(),
            after: request.model.clone(),
            ..change_of("changed", "model")
        });
    }
    if before.system != request.system {
        changes.push(StepChange {
            before: Some(before.system.join("\n\n")),
            after: Some(request.system.join("\n\n")),
            ..change_of("changed", "system")
        });
    }
    let is_listed = |request: &Request| request.tools.iter().any(|it| tool_tokens(it).is_some());
    if !Arc::ptr_eq(&before.tools, &request.tools) && is_listed(before) && is_listed(request) {
        compare(&definitions(before), &definitions(request), |word, name, was, is| {
            changes.push(StepChange {
                name: Some(name.to_owned()),
                before: was.cloned().flatten(),
                after: is.cloned().flatten(),
                ..change_of(word, "tool")
            });
        });
    }
    let values = |request: &Request| -> StrMap<String> {
        let mut values = StrMap::new();
        for StepParameter { name, value } in parameters(request) {
            values.insert(name, value);
        }
        values
    };
    if before.body.is_some() && request.body.is_some() {
        compare(&values(before), &values(request), |word, name, was, is| {
            changes.push(StepChange {
                name: Some(name.to_owned()),
                before: was.cloned(),
                after: is.cloned(),
                ..change_of(word, "parameter")
            });
        });
    }
}

/// Returns the definitions of tools by name; `None` for a tool of which the log has only the name.
fn definitions(request: &Request) -> StrMap<Option<String>> {
    let mut tools = StrMap::new();
    for tool in request.tools.iter() {
        let is_known = tool_tokens(tool).is_some();
        tools.insert(tool.name.as_str(), is_known.then(|| crate::import::sums::definition(tool)));
    }
    tools
}

/// Appends removed and added messages. A message that a compaction keeps is in both lists, and is
/// reported as kept.
fn message_changes(
    member: &Member,
    old_tail: Option<usize>,
    request: &Request,
    changes: &mut Vec<StepChange>,
) {
    let common = member.common(old_tail, request.tail);
    let removed = member.after(old_tail, common);
    let added = member.after(request.tail, common);
    let message = |at: &usize| member.session.message(*at);
    let mut again: Set<usize> = Set::default();
    let mut kept: Set<usize> = Set::default();
    if !removed.is_empty() {
        let mut by_content: Map<String, Vec<usize>> = Map::default();
        let content = |message: &Message| format!("{:?} {:?}", message.role, message.parts);
        for at in removed.iter().rev() {
            if let Some(message) = message(at) {
                by_content.entry(content(message)).or_default().push(*at);
            }
        }
        for at in &added {
            let same = message(at).and_then(|it| by_content.get_mut(&content(it))?.pop());
            if let Some(same) = same {
                again.insert(*at);
                kept.insert(same);
            }
        }
    }
    let mut push = |word, at: &usize| {
        let message = message_row(member, *at, Some(MAX_EXCERPT));
        changes.push(StepChange { message, ..change_of(word, "message") });
    };
    for at in removed.iter().filter(|at| !kept.contains(*at)) {
        push("removed", at);
    }
    for at in &added {
        push(if again.contains(at) { "kept" } else { "added" }, at);
    }
}

/// Compares two maps: what was removed, added and changed.
fn compare<T: PartialEq>(
    old: &StrMap<T>,
    new: &StrMap<T>,
    mut found: impl FnMut(&'static str, &str, Option<&T>, Option<&T>),
) {
    for (name, was) in old.iter().filter(|(name, _)| !new.contains_key(name)) {
        found("removed", name, Some(was), None);
    }
    for (name, is) in new.iter() {
        match old.get(name) {
            None => found("added", name, None, Some(is)),
            Some(was) if was != is => found("changed", name, Some(was), Some(is)),
            Some(_) => {}
        }
    }
}

/// The kind, the tool and the file of a group.
type GroupKey<'a> = (PartKind, Option<&'a str>, Option<&'a str>);

/// Sums tokens by kind, tool and file.
fn groups(facts: &[PartFacts<'_>], tools: &StepTools) -> Vec<TokenGroup> {
    let mut sums: Map<GroupKey<'_>, (u64, usize)> = Map::default();
    let mut add = |kind, tool, file, tokens: u64| {
        let sum = sums.entry((kind, tool, file)).or_default();
        sum.0 += tokens;
        sum.1 += 1;
    };
    for tool in &tools.list {
        if let Some(tokens) = tool.tokens {
            add(PartKind::Tools, Some(tool.name.as_str()), None, tokens);
        }
    }
    for PartFacts { kind, tool, target, tokens } in facts {
        add(*kind, *tool, target.as_deref(), *tokens);
    }
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let group = |((kind, tool, file), (tokens, parts))| TokenGroup {
        kind,
        tool: owned(tool),
        file: owned(file),
        tokens,
        parts,
    };
    let mut groups: Vec<TokenGroup> = sums.into_iter().map(group).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.tokens));
    groups
}

/// Sums the results of each file.
fn files(facts: &[PartFacts<'_>]) -> Vec<FileTokens> {
    let mut sums: Map<&str, (usize, u64)> = Map::default();
    for part in facts.iter().filter(|part| part.kind == PartKind::ToolResult) {
        let Some(target) = part.target.as_deref().filter(|target| is_path(target)) else {
            continue;
        };
        let sum = sums.entry(target).or_default();
        sum.0 += 1;
        sum.1 += part.tokens;
    }
    let row = |(file, (times, tokens)): (&str, (usize, u64))| FileTokens {
        file: file.to_owned(),
        times,
        tokens,
    };
    let mut files: Vec<FileTokens> = sums.into_iter().map(row).collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.tokens));
    files
}

/// Returns true for the target of a call that is a path: one word with a name that has an ending.
fn is_path(target: &str) -> bool {
    !target.contains(char::is_whitespace) && super::words::file_name(target).contains('.')
}

/// Returns the tools of a request, with their use in the session.
fn tools(index: &Index, step: &Step, request: &Request, facts: &[PartFacts<'_>]) -> StepTools {
    let mut results: StrMap<u64> = StrMap::new();
    for part in facts.iter().filter(|part| part.kind == PartKind::ToolResult) {
        let Some(tool) = part.tool else { continue };
        let sum = results.get(tool).copied().unwrap_or_default();
        results.insert(tool, sum + part.tokens);
    }
    let row = |tool: &crate::import::model::Tool| {
        let (calls, failed) = index.called.get(&tool.name).copied().unwrap_or_default();
        StepTool {
            name: tool.name.clone(),
            description: tool.description.clone(),
            tokens: tool_tokens(tool),
            calls,
            failed,
            result_tokens: results.get(&tool.name).copied().unwrap_or_default(),
        }
    };
    let mut list: Vec<StepTool> = request.tools.iter().map(row).collect();
    list.sort_by_key(|tool| std::cmp::Reverse((tool.tokens, tool.calls)));
    let unused = || list.iter().filter(|tool| tool.calls == 0);
    let unused_tokens = unused().filter_map(|tool| tool.tokens).sum::<u64>();
    let of_agent = index.steps.iter().filter(|other| other.agent == step.agent).count() as u64;
    let is_unknown =
        |subject: UnknownSubject| request.unknown.iter().any(|unknown| unknown.what == subject);
    StepTools {
        known: !is_unknown(UnknownSubject::Tools),
        unused: unused().count(),
        unused_tokens,
        unused_tokens_in_all: unused_tokens * of_agent,
        list,
    }
}

/// Returns the account of the compaction before a step.
fn compaction(
    index: &Index,
    step: &Step,
    member: &Member,
    before: &Request,
    request: &Request,
) -> Option<StepCompaction> {
    let common = member.common(before.tail, request.tail);
    let went = member.node(before.tail).depth - member.node(common).depth;
    if went == 0 {
        return None;
    }
    let earlier = index.steps.get(step.before?)?.request;
    let (_, account) = explain::account(&member.session, &[earlier, step.request]).ok()?;
    let account = account.compactions.first()?.clone();
    // positions of messages are those of the path
    let (old, new) = (member.after(before.tail, None), member.after(request.tail, None));
    let row = |path: &[usize], at: usize| message_row(member, *path.get(at)?, Some(MAX_EXCERPT));
    let summaries = account.summaries.iter().filter_map(|at| row(&new, *at)).collect();
    let left = account.messages.iter().filter(|message| message.kept_at.is_none());
    let replaced = left.filter_map(|message| row(&old, message.message)).collect();
    Some(StepCompaction { summaries, replaced, account })
}
