//! The input of the writers of bodies.

use super::choice::ToolChoice;
use super::demands::{StrictRules, Tried, WORD_64};
use super::loss::{Change, Losses};
use super::models::Model;
use super::part::Part;
use super::tools::Names;
use super::turn::Turn;
use super::{Effort, Options, Provider, Tool, strict};
use crate::value::json::{Json, Object};
use crate::value::message::Message;
use crate::{Error, Path, Result};

/// Legal turns, legal tools and settled options.
pub(crate) struct Draft<'a> {
    pub provider: Provider,
    pub options: &'a Options,
    pub turns: &'a [Turn],
    pub tools: &'a [Tool],
    /// The messages and tools of the call, for the neutral form.
    pub neutral: &'a [Message],
    pub neutral_tools: &'a [Object],
}

impl Draft<'_> {
    /// Returns the definitions of tools, if there are any.
    pub fn tools(&self) -> Option<Json> {
        let tools: Json = self.tools.iter().map(|tool| self.tool(tool)).collect();
        Some(tools).filter(Json::is_truthy)
    }

    /// Returns one definition.
    pub fn tool(&self, tool: &Tool) -> Json {
        tool.own.clone().unwrap_or_else(|| (self.provider.spec().tool)(tool))
    }
}

/// Turns, tools and options before the body is written.
pub(crate) struct Settle<'a> {
    pub options: &'a mut Options,
    pub model: &'a Model,
    pub turns: &'a mut Vec<Turn>,
    pub tools: &'a mut Vec<Tool>,
    pub losses: &'a mut Losses,
}

impl Settle<'_> {
    /// Reports an option that was dropped.
    pub fn gone(&mut self, name: &str, why: &str) {
        self.losses.whole(Change::OptionDropped, format!("`{name}` is omitted: {why}"));
    }

    /// Records an option that gets another value.
    pub fn rewritten(&mut self, name: &str, why: &str) {
        self.losses.whole(Change::OptionRewritten, format!("`{name}` is changed: {why}"));
    }

    /// Keeps the first stop strings.
    pub fn most_stops(&mut self, most: usize) {
        if self.options.stop.len() > most {
            self.rewritten("stop", &format!("at most {most} strings are allowed"));
            self.options.stop.truncate(most);
        }
    }

    /// Returns the metadata as strings. OpenAI accepts 16.
    pub fn text_metadata(&mut self) {
        let metadata = &mut self.options.metadata;
        let mut rewritten = metadata.len() > 16;
        metadata.truncate(16);
        for value in metadata.values_mut() {
            if value.as_str().is_none_or(|text| text.chars().count() > 512) {
                *value = value.text_form().chars().take(512).collect::<String>().into();
                rewritten = true;
            }
        }
        if rewritten {
            self.rewritten("metadata", "at most 16 strings of 512 characters are allowed");
        }
    }

    /// Sets `strict` of a response schema if the provider supports it.
    pub fn strict_response(&mut self, rules: StrictRules) {
        let Some(response) = &mut self.options.response_schema else { return };
        response.name = match WORD_64.allows(&response.name) {
            true => std::mem::take(&mut response.name),
            false => WORD_64.nearest(&response.name, &mut Tried::new(), |_| false),
        };
        if response.strict != Some(true) {
            return;
        }
        match strict::strict_object(&response.schema, rules) {
            Some(closed) => response.schema = closed,
            None => {
                response.strict = Some(false);
                self.rewritten(
                    "response_schema",
                    "its schema does not have what `strict` requires",
                );
            }
        }
    }
}

/// Returns the options that not every provider has, by name.
pub(super) fn unsupported(options: &mut Options, supported: &[&str], losses: &mut Losses) {
    let mut drop = |name: &str, is_said: bool| -> bool {
        let gone = is_said && !supported.contains(&name);
        if gone {
            let reason = format!("`{}` has no `{name}`", losses.provider());
            losses.whole(Change::OptionDropped, reason);
        }
        gone
    };
    if drop("tool_choice", options.tool_choice.is_some()) {
        options.tool_choice = None;
    }
    if drop("parallel_tool_calls", options.parallel_tool_calls.is_some()) {
        options.parallel_tool_calls = None;
    }
    if drop("temperature", options.temperature.is_some()) {
        options.temperature = None;
    }
    if drop("top_p", options.top_p.is_some()) {
        options.top_p = None;
    }
    if drop("stop", !options.stop.is_empty()) {
        options.stop.clear();
    }
    if drop("response_schema", options.response_schema.is_some()) {
        options.response_schema = None;
    }
    if drop("effort", options.effort.is_some()) {
        options.effort = None;
    }
    if drop("thinking_tokens", options.thinking_tokens.is_some()) {
        options.thinking_tokens = None;
    }
    if drop("previous_response_id", options.previous_response_id.is_some()) {
        options.previous_response_id = None;
    }
    if drop("metadata", !options.metadata.is_empty()) {
        options.metadata = Object::new();
    }
}

/// Renames the chosen tool as in the payload.
pub(super) fn choose(
    options: &mut Options,
    names: &Names,
    has_tools: bool,
    losses: &mut Losses,
) -> Result<()> {
    if !has_tools {
        if options.parallel_tool_calls.take().is_some() {
            let reason = "`parallel_tool_calls` has no effect without tools";
            losses.whole(Change::OptionDropped, reason);
        }
        match options.tool_choice.take() {
            None => {}
            Some(ToolChoice::Auto | ToolChoice::None) => {
                losses.whole(Change::OptionDropped, "`tool_choice` has no effect without tools");
            }
            Some(ToolChoice::Required | ToolChoice::Tool(_)) => {
                return Err(Error::bad_request(
                    "`tool_choice` requires a call, but the payload has no tools",
                )
                .at(Path::root().key("tool_choice")));
            }
        }
        return Ok(());
    }
    if let Some(ToolChoice::Tool(name)) = &mut options.tool_choice {
        match names.of_tool(name) {
            Some(sent) => *name = sent.to_owned(),
            None => {
                return Err(Error::bad_request(format!(
                    "`tool_choice` names `{name}`, which is not a tool of the payload"
                ))
                .at(Path::root().key("tool_choice")));
            }
        }
    }
    Ok(())
}

/// Drops options that the model does not accept, by the table of models.
pub(super) fn suit_model(options: &mut Options, model: &Model, losses: &mut Losses) {
    let named = options.model.clone().unwrap_or_default();
    let mut gone = |name: &str| {
        losses
            .whole(Change::OptionDropped, format!("the model `{named}` does not accept `{name}`"));
    };
    if !model.temperature {
        if options.temperature.take().is_some() {
            gone("temperature");
        }
        if options.top_p.take().is_some() {
            gone("top_p");
        }
    }
    if !model.thinks() {
        if options.effort.is_some_and(|effort| effort != Effort::None) {
            gone("effort");
        }
        options.effort = None;
        if options.thinking_tokens.take().is_some() {
            gone("thinking_tokens");
        }
    }
    if let (Some(limit), Some(most)) = (options.max_output_tokens, model.output_limit)
        && limit > most
    {
        let reason = format!("the model `{named}` returns at most {most} tokens");
        losses.whole(Change::OptionRewritten, reason);
        options.max_output_tokens = Some(most);
    }
}

/// Returns true if the conversation ends between calls and their results.
pub(super) fn is_in_tool_loop(turns: &[Turn]) -> bool {
    turns.last().is_some_and(|turn| {
        turn.blocks.last().is_some_and(|block| matches!(block.item.part, Part::ToolResult(_)))
    })
}

/// Returns an object with these entries.
pub(super) fn object<const N: usize>(entries: [(&str, Json); N]) -> Object {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
