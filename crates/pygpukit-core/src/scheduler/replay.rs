//! A log, played again.

use super::event::{Action, Actions};
use super::log::{LOG_FORMAT, action_line};
use super::read::read_event;
use super::state::{Scheduler, StepError};
use super::stats::Counters;
use crate::units::Nanoseconds;

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// What a log turned out to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Events taken in.
    pub events: usize,
    /// Actions that came out, each as logged.
    pub actions: usize,
    /// A hash of all actions (FNV-1a over their lines). Logs with the same decisions have
    /// the same.
    pub decisions: u64,
    /// From the first event to the last.
    pub span: Nanoseconds,
    /// Grants of the multiprocessors' time.
    pub grants: u64,
    /// How long they were together.
    pub granted: Nanoseconds,
    /// What happened to tasks.
    pub counters: Counters,
}

/// A log that is not one, or does not replay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// The first line is not that of this format.
    #[error("a log must begin with `{LOG_FORMAT}`, but it begins with `{0}`")]
    Format(String),
    /// A line that cannot be read.
    #[error("line {line}: cannot read `{text}`")]
    Malformed {
        /// Counted from 1.
        line: usize,
        /// The line.
        text: String,
    },
    /// An event that cannot have happened.
    #[error("line {line}: {error}")]
    Impossible {
        /// Counted from 1.
        line: usize,
        /// Why.
        error: StepError,
    },
    /// Another action than the one logged.
    #[error("line {line}: the log has `{logged}`, replaying it gives `{replayed}`")]
    Diverged {
        /// Counted from 1.
        line: usize,
        /// The line, or nothing where the log has no more actions for an event.
        logged: String,
        /// The action, or nothing.
        replayed: String,
    },
}

impl Replay {
    /// Plays a log, and compares each action with the one logged.
    ///
    /// # Errors
    /// The first line that cannot be read or differs.
    pub fn run<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Self, LogError> {
        let mut lines = lines
            .into_iter()
            .enumerate()
            .map(|(at, text)| (at + 1, text));
        let first = lines.next().map_or("", |(_, text)| text);
        let mut scheduler =
            Scheduler::from_header(first).ok_or_else(|| LogError::Format(first.into()))?;
        let mut actions = Actions::new();
        let mut pending = Vec::<String>::new().into_iter();
        let mut replay = Self {
            decisions: FNV_OFFSET,
            ..Self::default()
        };
        let mut begin = None;
        let mut last = 1;
        for (line, text) in lines {
            last = line;
            if text.starts_with('<') {
                replay.actions += 1;
                compare(line, text, &pending.next().unwrap_or_default())?;
                continue;
            }
            compare(line, "", &pending.next().unwrap_or_default())?;
            let (now, event) = read_event(text).ok_or_else(|| LogError::Malformed {
                line,
                text: text.into(),
            })?;
            scheduler
                .step(now, event, &mut actions)
                .map_err(|error| LogError::Impossible { line, error })?;
            replay.events += 1;
            let begin = *begin.get_or_insert(now);
            replay.span = replay.span.max(now.saturating_sub(begin));
            let shown: Vec<_> = actions
                .drain()
                .map(|action| replay.decided(&action))
                .collect();
            pending = shown.into_iter();
        }
        compare(last + 1, "", &pending.next().unwrap_or_default())?;
        replay.counters = scheduler.stats().counters;
        Ok(replay)
    }

    /// Counts an action; its line.
    fn decided(&mut self, action: &Action) -> String {
        if let Action::Run { time, .. } = action {
            self.grants += 1;
            self.granted = self.granted.saturating_add(*time);
        }
        let line = action_line(action).to_string();
        for byte in line.bytes().chain(*b"\n") {
            self.decisions = (self.decisions ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
        }
        line
    }
}

fn compare(line: usize, logged: &str, replayed: &str) -> Result<(), LogError> {
    if logged == replayed {
        return Ok(());
    }
    Err(LogError::Diverged {
        line,
        logged: logged.into(),
        replayed: replayed.into(),
    })
}
