//! Events and actions as lines of text.
//!
//! The first line names the format and the configuration. A line that starts
//! with `>` is an event with its time, one that starts with `<` an action that
//! the event before it caused. The same events give the same actions.

use super::event::{Action, Actions, Event, Holder};
use super::read::{Fields, read_event, read_header};
use super::state::{Config, Scheduler, StepError};
use super::task::bytes;
use super::tenant::TenantSpec;
use crate::id::TenantId;
use crate::units::{Bytes, Nanoseconds};
use std::fmt;

/// The format of the log: the number changes when its meaning does.
pub const LOG_FORMAT: &str = "pygpukit-log 2";

impl Scheduler {
    /// The first lines of a log that goes on from here, without their ends:
    /// the configuration, and how things stand. `None` while there are tasks,
    /// since a log does not tell how they came to be where they are.
    pub fn opening_lines(&self) -> Option<Vec<String>> {
        if self.tasks.len() > 0 {
            return None;
        }
        let mut lines = vec![self.header()];
        let mut tenants: Vec<_> = self.tenants.iter().map(|(_, tenant)| tenant).collect();
        tenants.sort_unstable_by_key(|tenant| tenant.id);
        for tenant in tenants {
            let (id, spec) = (tenant.id, tenant.spec);
            let event = if id == TenantId::DEFAULT {
                Event::Resize { tenant: id, spec }
            } else {
                Event::Open { tenant: id, spec }
            };
            if spec != TenantSpec::default() || id != TenantId::DEFAULT {
                lines.push(event_line(self.now, &event).to_string());
            }
            let bytes = bytes(&tenant.outside);
            if bytes > Bytes::ZERO {
                let holder = Holder::Tenant(id);
                let event = Event::Grow { holder, bytes };
                lines.push(event_line(self.now, &event).to_string());
                lines.push(action_line(&Action::Grow { holder, bytes }).to_string());
            }
            if tenant.closed {
                let event = Event::Close {
                    tenant: id,
                    cancel_pending: false,
                };
                lines.push(event_line(self.now, &event).to_string());
            }
        }
        Some(lines)
    }

    fn header(&self) -> String {
        let Config {
            memory,
            workers,
            max_queued,
            longest_wait,
        } = self.config;
        let memory = memory.get();
        let usual_run = self
            .usual_run
            .map_or_else(|| "-".into(), |run| run.get().to_string());
        format!(
            "{LOG_FORMAT} memory={memory} workers={workers} max_queued={max_queued} \
             longest_wait={} usual_run={usual_run}",
            longest_wait.get()
        )
    }

    /// The scheduler that a header describes.
    fn from_header(line: &str) -> Option<Self> {
        let fields = Fields::new(line.strip_prefix(LOG_FORMAT)?);
        let (config, usual_run) = read_header(&fields)?;
        let mut scheduler = Self::new(config);
        scheduler.usual_run = usual_run;
        Some(scheduler)
    }
}

/// A line, without its end, that says what happened.
pub fn event_line(now: Nanoseconds, event: &Event) -> impl fmt::Display {
    struct Line<'a>(Nanoseconds, &'a Event);
    impl fmt::Display for Line<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "> {} {}", self.0.get(), self.1)
        }
    }
    Line(now, event)
}

/// A line, without its end, that says what was decided.
pub fn action_line(action: &Action) -> impl fmt::Display {
    struct Line<'a>(&'a Action);
    impl fmt::Display for Line<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "< {}", self.0)
        }
    }
    Line(action)
}

/// What a log turned out to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Events taken in.
    pub events: usize,
    /// Actions that came out, each as logged.
    pub actions: usize,
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
        let mut replay = Self::default();
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
            let shown: Vec<_> = actions
                .drain()
                .map(|action| action_line(&action).to_string())
                .collect();
            pending = shown.into_iter();
        }
        compare(last + 1, "", &pending.next().unwrap_or_default())?;
        Ok(replay)
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
