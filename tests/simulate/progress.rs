//! The progress of a long simulation.

use std::time::Duration;

/// The end of a simulation: after a number of runs, or after a time.
#[derive(Clone, Copy)]
pub enum Goal {
    Runs(u64),
    Time(Duration),
}

/// Decides when to report progress, and formats the report.
pub struct Progress {
    goal: Goal,
    /// True for a terminal, which gets a report after a time. A log gets one after a share of the work.
    watched: bool,
    reported_at: Duration,
    reported_share: u64,
}

impl Progress {
    /// The time between two reports on a terminal.
    const PERIOD: Duration = Duration::from_secs(10);
    /// The share of the work between two reports in a log, in percent.
    const SHARE: u64 = 5;

    pub const fn new(goal: Goal, watched: bool) -> Self {
        Self { goal, watched, reported_at: Duration::ZERO, reported_share: 0 }
    }

    /// Returns the line to print when `done` runs are done after `elapsed`; nothing if it is too early.
    pub fn line(&mut self, done: u64, elapsed: Duration) -> Option<String> {
        let (part, whole) = match self.goal {
            Goal::Runs(runs) => (done, runs),
            Goal::Time(time) => (elapsed.as_secs(), time.as_secs()),
        };
        let percent = part.saturating_mul(100).checked_div(whole).unwrap_or(100).min(100);
        let share = percent / Self::SHARE;
        let is_due = match self.watched {
            true => elapsed >= self.reported_at + Self::PERIOD,
            false => share > self.reported_share,
        };
        if !is_due {
            return None;
        }
        self.reported_at = elapsed;
        self.reported_share = share;
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
