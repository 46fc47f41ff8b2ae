//! The cost of an item at each level of detail.

use super::excerpt::{self, Excerpt};

/// The levels of an item. The last level is the whole item.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Detail {
    /// One level: the item cannot be cut.
    Once { tokens: u64, cut: Excerpt },
    /// A text with its tokens.
    Text { tokens: u64 },
    /// A conversation with its turns and tokens.
    Turns { turns: u64, tokens: u64 },
    /// The measured cost of each level.
    Measured { costs: Vec<u64>, is_turns: bool },
    /// The report: first the numbers, then one more problem at each level, then the whole report.
    Report { costs: Vec<u64> },
}

impl Detail {
    /// Returns the number of levels, at least 1.
    pub(super) fn levels(&self) -> u32 {
        match self {
            Self::Once { .. } => 1,
            Self::Text { tokens } => rungs(*tokens, excerpt::TEXT_TOKENS),
            Self::Turns { turns, tokens } => rungs(*turns, excerpt::TURNS)
                .max(rungs(each(*turns, *tokens), excerpt::TURN_TOKENS)),
            Self::Measured { costs, .. } | Self::Report { costs } => costs.len().max(1) as u32,
        }
    }

    /// Returns the cost of a level.
    pub(super) fn cost(&self, level: u32) -> u64 {
        let is_last = level + 1 >= self.levels();
        match self {
            Self::Once { tokens, .. } => *tokens,
            Self::Text { tokens } if is_last => *tokens,
            Self::Text { tokens } => (*tokens).min(excerpt::TEXT_TOKENS << level),
            Self::Turns { tokens, .. } if is_last => *tokens,
            Self::Turns { turns, tokens } => {
                let turn = each(*turns, *tokens).min(excerpt::TURN_TOKENS << level);
                // for the rest of the trace, and the lines that mark gaps
                let rest = turn.saturating_mul(2);
                let kept = (*turns).min(excerpt::TURNS << level);
                kept.saturating_mul(turn).saturating_add(rest).min(*tokens)
            }
            Self::Measured { costs, .. } | Self::Report { costs } => {
                let at = (level as usize).min(costs.len().saturating_sub(1));
                costs.get(at).copied().unwrap_or(0)
            }
        }
    }

    /// Returns the cost of the whole item.
    pub(super) fn whole(&self) -> u64 {
        self.cost(self.levels() - 1)
    }

    /// Returns the excerpt of a level.
    pub(super) fn cut(&self, level: u32) -> Excerpt {
        let is_last = level + 1 >= self.levels();
        match self {
            Self::Once { cut, .. } => *cut,
            Self::Report { costs } if !is_last => Excerpt::Summary {
                problems: u64::from(level),
                of: (costs.len() as u64).saturating_sub(2),
            },
            Self::Text { .. }
            | Self::Turns { .. }
            | Self::Measured { .. }
            | Self::Report { .. }
                if is_last =>
            {
                Excerpt::Whole
            }
            Self::Measured { is_turns: true, .. } | Self::Turns { .. } => Excerpt::turns(level),
            Self::Text { .. } | Self::Measured { .. } | Self::Report { .. } => Excerpt::text(level),
        }
    }
}

/// Returns the number of levels from `least` to `size`, when each level doubles.
fn rungs(size: u64, least: u64) -> u32 {
    (0..excerpt::MAX_LEVEL).find(|level| size <= least << level).unwrap_or(excerpt::MAX_LEVEL) + 1
}

fn each(turns: u64, tokens: u64) -> u64 {
    tokens.div_ceil(turns.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_rise_level_by_level_to_the_whole() {
        for detail in [
            Detail::Text { tokens: 0 },
            Detail::Text { tokens: 512 },
            Detail::Text { tokens: 5_000 },
            Detail::Turns { turns: 0, tokens: 0 },
            Detail::Turns { turns: 8, tokens: 1_200 },
            Detail::Turns { turns: 300, tokens: 900_000 },
            Detail::Turns { turns: 1, tokens: u64::MAX / 4 },
        ] {
            let costs: Vec<u64> = (0..detail.levels()).map(|level| detail.cost(level)).collect();
            assert!(costs.is_sorted(), "{detail:?} {costs:?}");
            assert_eq!(costs.last().copied(), Some(detail.whole()));
            assert_eq!(detail.cut(detail.levels() - 1), Excerpt::Whole);
        }
    }

    #[test]
    fn a_report_is_read_problem_by_problem() {
        let detail = Detail::Report { costs: vec![10, 30, 60, 200] };
        assert_eq!(detail.cut(0), Excerpt::Summary { problems: 0, of: 2 });
        assert_eq!(detail.cut(2), Excerpt::Summary { problems: 2, of: 2 });
        assert_eq!(detail.cut(3), Excerpt::Whole);
    }
}
