//! A prompt that is read once and tried out in parts: what a budget does.

use super::loss::Losses;
use super::tools::{self, Names};
use super::turn::Turn;
use super::{Model, Options, Prompt, Provider, legal, pair, read};

/// The turns of a prompt before anything is made legal.
pub(crate) struct Trial<'a> {
    provider: Provider,
    options: &'a Options,
    model: Model,
    turns: Vec<Turn>,
    messages: usize,
    names: Names,
}

impl<'a> Trial<'a> {
    /// Reads a prompt.
    pub fn of(prompt: &Prompt, provider: Provider, options: &'a Options) -> Self {
        let mut losses = Losses::of(provider.as_str());
        let turns = read::read(&prompt.shown().messages, &mut losses);
        let (_, names) = tools::define(&prompt.tools, provider, &mut losses);
        let model = options.known_model(provider);
        Self { provider, options, model, turns, messages: prompt.messages.len(), names }
    }

    /// Which messages belong together: a call and its results carry the position of the call,
    /// every other message its own.
    pub fn groups(&self) -> Vec<usize> {
        pair::groups(&self.turns, self.messages)
    }

    /// Returns true if turns and tools are the whole cost of a payload. Some providers define called
    /// tools, or change items again.
    pub fn turns_are_all(&self) -> bool {
        let demands = self.provider.demands();
        !(demands.called_tools || demands.items)
    }

    /// The turns of the payload that a part of the messages makes; nothing where it makes none.
    pub fn turns(&self, keeps: impl Fn(usize) -> bool) -> Option<Vec<Turn>> {
        let kept = self.turns.iter().filter(|turn| turn.at.is_none_or(&keeps));
        let kept = kept.cloned().collect();
        let mut losses = Losses::of(self.provider.as_str());
        let mut turns =
            legal::legalise(kept, self.provider, self.options, &self.model, &mut losses);
        self.names.clone().name_calls(&mut turns, &mut losses);
        (!turns.is_empty() || self.provider == Provider::Neutral).then_some(turns)
    }
}
