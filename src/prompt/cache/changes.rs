//! What changed between two requests, in the order in which a provider evaluates it.

use super::answer::{CachePlace, Cause};
use super::body::{Kind, Parameter, Parsed, Region, Unit};
use super::given::Given;
use super::hash::{Hash, tool_name};
use super::messages;
use super::policy::CacheRules;
use super::words::describe;

/// A cause and its position.
pub(super) struct Found {
    pub cause: Cause,
    pub at: CachePlace,
    /// The number of units of the earlier request that are still a prefix.
    pub kept: usize,
    pub sure: bool,
}

impl Found {
    pub fn new(cause: Cause, kept: usize) -> Self {
        Self { cause, at: CachePlace::default(), kept, sure: true }
    }

    pub fn parameter(mut self, name: &'static str) -> Self {
        self.at.parameter = Some(name);
        self
    }
}

/// Parameters that come first at OpenAI: all is lost.
const OPENAI: [(Parameter, Cause, &str); 5] = [
    (Parameter::Effort, Cause::ReasoningEffortChanged, "reasoning_effort"),
    (Parameter::Format, Cause::TextFormatChanged, "text_format"),
    (Parameter::Verbosity, Cause::VerbosityChanged, "verbosity"),
    (Parameter::Parallel, Cause::ParallelToolCallsChanged, "parallel_tool_calls"),
    (Parameter::ContextManagement, Cause::ContextManagementChanged, "context_management"),
];

/// Parameters that Anthropic writes into the system prompt.
const ANTHROPIC_SYSTEM: [(Parameter, &str); 3] = [
    (Parameter::WebSearch, "web_search"),
    (Parameter::Citations, "citations"),
    (Parameter::Speed, "speed"),
];

/// Parameters that lose the messages at Anthropic.
const ANTHROPIC_MESSAGES: [(Parameter, Cause, &str); 4] = [
    (Parameter::ToolChoice, Cause::ToolChoiceChanged, "tool_choice"),
    (Parameter::Thinking, Cause::EffortChanged, "thinking"),
    (Parameter::Effort, Cause::EffortChanged, "output_config.effort"),
    (Parameter::Images, Cause::ImagesChanged, "images"),
];

/// Returns true if the rules of Anthropic's regions hold.
pub(super) fn has_regions(rules: &CacheRules) -> bool {
    // models without marks on tools are not Claude
    matches!(rules.family, "anthropic" | "bedrock") && rules.marks_tools != Some(false)
}

/// Hashes the parameters that belong before a region.
pub(super) fn parameters_before(region: Region, parsed: &Parsed<'_>, rules: &CacheRules) -> u64 {
    let mut hash = Hash::new();
    match region {
        Region::Tools if rules.family == "openai" => {
            for (parameter, ..) in OPENAI {
                hash.number(parsed.parameter(parameter));
            }
        }
        Region::System if has_regions(rules) => {
            for (parameter, _) in ANTHROPIC_SYSTEM {
                hash.number(parsed.parameter(parameter));
            }
        }
        Region::Messages if has_regions(rules) => {
            for (parameter, ..) in ANTHROPIC_MESSAGES {
                hash.number(parsed.parameter(parameter));
            }
        }
        _ => {}
    }
    hash.finish()
}

/// Returns the changes of content and of parameters, in order.
pub(super) fn changes(was: &Given<'_>, is: &Given<'_>, rules: &CacheRules) -> Vec<Found> {
    let (before, after) = (&was.parsed, &is.parsed);
    let changed = |parameter| before.parameter(parameter) != after.parameter(parameter);
    // a region that one of the logs does not have is not a change
    let is_hidden = |region: Region, name: &str| {
        [was, is].iter().any(|each| each.lacks(name) && each.parsed.region(region).is_empty())
    };
    let mut found = Vec::new();
    if !is_hidden(Region::Tools, "tools") {
        found.extend(tools(before, after));
    }
    if rules.family == "openai" {
        let all = OPENAI.iter().filter(|(parameter, ..)| changed(*parameter));
        found.extend(all.map(|(_, cause, name)| Found::new(*cause, 0).parameter(name)));
    }
    let is_claude = has_regions(rules);
    let toggled = |parameter: Parameter| match parameter {
        Parameter::WebSearch => {
            (before.parameter(parameter) == 0) != (after.parameter(parameter) == 0)
        }
        parameter => changed(parameter),
    };
    if is_claude && let Some((_, name)) = ANTHROPIC_SYSTEM.iter().find(|(each, _)| toggled(*each)) {
        found.push(Found::new(Cause::SystemChanged, before.tools).parameter(name));
    } else if !is_hidden(Region::System, "system") {
        found.extend(system(before, after));
    }
    if is_claude {
        for (parameter, cause, name) in ANTHROPIC_MESSAGES {
            if !changed(parameter) || found.iter().any(|known| known.cause == cause) {
                continue;
            }
            let mut change = Found::new(cause, before.system).parameter(name);
            // the documentation does not state whether a further image counts
            let both = parameter == Parameter::Images
                && before.parameter(parameter) > 0
                && after.parameter(parameter) > 0;
            change.sure = rules.family == "anthropic" && !both;
            if cause == Cause::ImagesChanged {
                let image = |unit: &&Unit<'_>| unit.kind == Kind::Image;
                let place = after.region(Region::Messages).iter().rfind(image);
                change.at.message = place.map(|unit| unit.item);
                change.at.block = place.map(|unit| unit.block);
                change.at.found = Some(after.parameter(parameter));
            }
            found.push(change);
        }
        found.extend(stripped(before, after, rules));
    }
    if !after.is_stored() && !found.iter().any(|each| each.cause == Cause::ThinkingStripped) {
        found.extend(messages::changed(before, after, is_claude));
    }
    found
}

/// Returns the number of equal units at the start.
pub(super) fn common(before: &[Unit<'_>], after: &[Unit<'_>]) -> usize {
    // of one list, as where a request extends another
    if std::ptr::eq(before.as_ptr(), after.as_ptr()) {
        return before.len().min(after.len());
    }
    before.iter().zip(after).take_while(|(old, new)| old.hash == new.hash).count()
}

fn tools(before: &Parsed<'_>, after: &Parsed<'_>) -> Option<Found> {
    let (old, new) = (before.region(Region::Tools), after.region(Region::Tools));
    let same = common(old, new);
    if same == old.len() && same == new.len() {
        return edited_search(before, after);
    }
    let mut found = Found::new(Cause::ToolsChanged, same);
    let sorted = |units: &[Unit<'_>]| {
        let mut hashes: Vec<u64> = units.iter().map(|unit| unit.hash).collect();
        hashes.sort_unstable();
        hashes
    };
    let name = |unit: &Unit<'_>| tool_name(&unit.content);
    let (was, is) = (old.get(same), new.get(same));
    let names = |units: &[Unit<'_>], wanted: &Option<String>| {
        units.iter().any(|unit| name(unit) == *wanted)
    };
    let at = &mut found.at;
    at.tool_index = Some(same);
    at.tool = is.or(was).and_then(name);
    at.change = match (was, is) {
        (Some(_), Some(_)) if sorted(old) == sorted(new) => Some("reordered"),
        (Some(was), Some(is)) if name(was) == name(is) => {
            describe(&was.content, &is.content, at);
            let path = at.path.clone().unwrap_or_default();
            let is_schema =
                ["schema", "parameters", "Schema"].iter().any(|part| path.contains(part));
            at.change.or(Some(if is_schema { "schema" } else { "text" }))
        }
        (_, Some(is)) if !names(old, &name(is)) => Some("added"),
        (Some(was), _) if !names(new, &name(was)) => {
            at.tool = name(was);
            Some("removed")
        }
        (_, _) => Some("reordered"),
    };
    Some(found)
}

/// A web search with another definition. One that is added or removed changes the system prompt.
fn edited_search(before: &Parsed<'_>, after: &Parsed<'_>) -> Option<Found> {
    let [was, is] = [before, after].map(|parsed| parsed.parameter(Parameter::WebSearch));
    if was == is || was == 0 || is == 0 {
        return None;
    }
    let mut found = Found::new(Cause::ToolsChanged, 0);
    found.at.tool = Some("web_search".to_owned());
    found.at.change = Some("text");
    Some(found)
}

fn system(before: &Parsed<'_>, after: &Parsed<'_>) -> Option<Found> {
    let (old, new) = (before.region(Region::System), after.region(Region::System));
    let same = common(old, new);
    if same == old.len() && same == new.len() {
        return None;
    }
    let mut found = Found::new(Cause::SystemChanged, before.tools + same);
    let at = &mut found.at;
    match (old.get(same), new.get(same)) {
        (Some(was), Some(is)) => {
            describe(&was.content, &is.content, at);
            at.change = at.change.or(Some("edited"));
        }
        (None, _) => at.change = Some("added"),
        (_, None) => at.change = Some("removed"),
    }
    at.block = Some(same);
    Some(found)
}

/// Earlier thinking that a model drops when the user speaks again.
fn stripped(before: &Parsed<'_>, after: &Parsed<'_>, rules: &CacheRules) -> Option<Found> {
    let (old, new) = (before.region(Region::Messages), after.region(Region::Messages));
    let thinks = |unit: &&Unit<'_>| unit.kind == Kind::Thinking;
    let speaks = |unit: &Unit<'_>| unit.role == "user" && unit.kind != Kind::ToolResult;
    let place = |mut found: Found, unit: &Unit<'_>| {
        found.at.message = Some(unit.item);
        found.at.block = Some(unit.block);
        found
    };
    let same = common(old, new);
    if same == old.len() {
        let more = new.get(old.len()..).unwrap_or_default();
        if rules.strips_thinking != Some(true) || !more.iter().any(speaks) {
            return None;
        }
        let from = old.iter().rposition(speaks).map_or(0, |at| at + 1);
        let (at, unit) = old.iter().enumerate().skip(from).find(|(_, unit)| thinks(unit))?;
        return Some(place(Found::new(Cause::ThinkingStripped, before.system + at), unit));
    }
    // thinking that the caller omitted
    let unit = old.get(same).filter(thinks)?;
    let spoken = |units: &[Unit<'_>]| -> Vec<u64> {
        units.iter().filter(|unit| !thinks(unit)).map(|unit| unit.hash).collect()
    };
    let is_prefix = spoken(new).starts_with(&spoken(old));
    is_prefix.then(|| place(Found::new(Cause::ThinkingStripped, before.system + same), unit))
}
