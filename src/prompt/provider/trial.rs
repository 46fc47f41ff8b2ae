//! A prompt that is read once and measured in parts, for budgets.

use super::legal::{self, PartOf};
use super::loss::Losses;
use super::tools::{self, Names};
use super::turn::Turn;
use super::{Model, Options, Prompt, Provider, pair, read};

/// The turns of a prompt before they are made legal.
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

    /// Returns which messages belong together: a call and its results have the position of the call, other
    /// messages their own.
    pub fn groups(&self) -> Vec<usize> {
        pair::groups(&self.turns, self.messages)
    }

    /// Returns true if turns and tools are the whole cost of a payload. Some providers define called
    /// tools, or change items again.
    pub fn turns_are_all(&self) -> bool {
        let demands = self.provider.demands();
        !(demands.called_tools || demands.items)
    }

    /// Returns the turns of the payload of some messages, if there is one.
    pub fn turns(&self, keeps: impl Fn(usize) -> bool) -> Option<Vec<Turn>> {
        let kept = self.turns.iter().filter(|turn| turn.at.is_none_or(&keeps));
        let kept = kept.cloned().collect();
        let mut losses = Losses::of(self.provider.as_str());
        let given = (self.options, &self.model);
        let mut turns = legal::legalise(kept, self.provider, given, PartOf::Start, &mut losses);
        self.names.clone().name_calls(&mut turns, &mut losses);
        (!turns.is_empty() || self.provider == Provider::Neutral).then_some(turns)
    }
}
