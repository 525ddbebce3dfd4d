//! Events and actions as lines of text.
//!
//! The first line names the format and the configuration. A line that starts
//! with `>` is an event with its time, one that starts with `<` an action that
//! the event before it caused. The same events give the same actions.

use super::event::{Action, Actions, Event, Holder};
use super::read::{Fields, read_event, read_header};
use super::state::{Config, Scheduler};
use super::task::bytes;
use super::tenant::TenantSpec;
use crate::id::TenantId;
use crate::units::{Bytes, Nanoseconds};
use std::fmt;

/// The format of the log: the number changes when its meaning does.
pub const LOG_FORMAT: &str = "pygpukit-log 3";

impl Scheduler {
    /// The first lines of a log that goes on from here, without their ends: the
    /// configuration, and how things stand. `None` while there are tasks or work
    /// goes on, since a log does not tell how they came to be where they are.
    ///
    /// What a log does not tell either is what anybody has had of the time so far: it is
    /// forgotten.
    pub fn open_log(&mut self) -> Option<Vec<String>> {
        if self.tasks.len() > 0 || !self.time.is_idle() {
            return None;
        }
        let lines = self.opening_lines();
        let mut anew = Self::from_header(lines.first()?)?;
        let mut actions = Actions::new();
        for line in lines.iter().filter(|line| line.starts_with('>')) {
            let (now, event) = read_event(line)?;
            anew.step(now, event, &mut actions).ok()?;
        }
        anew.counters = self.counters;
        *self = anew;
        Some(lines)
    }

    fn opening_lines(&self) -> Vec<String> {
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
        lines.push(event_line(self.now, &Event::Tick).to_string());
        lines
    }

    fn header(&self) -> String {
        let Config {
            memory,
            workers,
            max_queued,
            longest_wait,
            time,
        } = self.config;
        let memory = memory.get();
        let usual_run = self
            .usual_run
            .map_or_else(|| "-".into(), |run| run.get().to_string());
        format!(
            "{LOG_FORMAT} memory={memory} workers={workers} max_queued={max_queued} \
             longest_wait={} slice={} window={} longest={} period={} best_effort_floor={} \
             usual_run={usual_run} granted={}",
            longest_wait.get(),
            time.slice.get(),
            time.window.get(),
            time.longest.get(),
            time.period.get(),
            time.best_effort_floor.units(),
            self.time.granted(),
        )
    }

    /// The scheduler that a header describes.
    pub(super) fn from_header(line: &str) -> Option<Self> {
        let fields = Fields::new(line.strip_prefix(LOG_FORMAT)?);
        let (config, usual_run, granted) = read_header(&fields)?;
        let mut scheduler = Self::new(config);
        scheduler.usual_run = usual_run;
        scheduler.time.go_on(granted);
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
