//! How far a long simulation is, for whoever waits for it.

use std::time::Duration;

/// What there is to do: so many runs, or as many as fit into a time.
#[derive(Clone, Copy)]
pub enum Goal {
    Runs(u64),
    Time(Duration),
}

/// Decides when to say how far the runs are, and how.
pub struct Progress {
    goal: Goal,
    /// Somebody watches: by the clock. Else it goes into a log: by the work done.
    watched: bool,
    told_at: Duration,
    told_share: u64,
}

impl Progress {
    /// Nothing is said before this much of the clock has passed, or of the work is done.
    const PERIOD: Duration = Duration::from_secs(10);
    const SHARE: u64 = 5;

    pub const fn new(goal: Goal, watched: bool) -> Self {
        Self { goal, watched, told_at: Duration::ZERO, told_share: 0 }
    }

    /// The line to print when `done` runs are done after `elapsed`; nothing where it is too early.
    pub fn line(&mut self, done: u64, elapsed: Duration) -> Option<String> {
        let (part, whole) = match self.goal {
            Goal::Runs(runs) => (done, runs),
            Goal::Time(time) => (elapsed.as_secs(), time.as_secs()),
        };
        let percent = part.saturating_mul(100).checked_div(whole).unwrap_or(100).min(100);
        let share = percent / Self::SHARE;
        let is_due = match self.watched {
            true => elapsed >= self.told_at + Self::PERIOD,
            false => share > self.told_share,
        };
        if !is_due {
            return None;
        }
        self.told_at = elapsed;
        self.told_share = share;
        Some(match self.goal {
            Goal::Runs(runs) => {
                format!("{done} of {runs} runs ({percent} %), {} s", elapsed.as_secs())
            }
            Goal::Time(time) => {
                format!("{done} runs, {} of {} s ({percent} %)", elapsed.as_secs(), time.as_secs())
            }
        })
    }
}
