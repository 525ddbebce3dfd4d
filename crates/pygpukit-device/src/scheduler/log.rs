//! The logs of a device's scheduler.

use pygpukit_core::id::TenantId;
use pygpukit_core::scheduler::{Action, Event, action_line, event_line};
use pygpukit_core::units::Nanoseconds;
use std::fmt;
use std::io::Write;

/// Where the events and decisions of a device are written, line by line.
#[derive(Default)]
pub(super) struct Logs(Vec<Log>);

struct Log {
    /// The scheduler that it was opened with.
    tenant: TenantId,
    writer: Box<dyn Write + Send>,
    /// The first failure; nothing is written after it.
    error: Option<std::io::Error>,
}

impl Logs {
    pub(super) fn add(
        &mut self,
        tenant: TenantId,
        writer: Box<dyn Write + Send>,
        opening: &[String],
    ) {
        let mut log = Log {
            tenant,
            writer,
            error: None,
        };
        for line in opening {
            log.write(line);
        }
        self.0.push(log);
    }

    /// Ends the log of a scheduler.
    ///
    /// # Errors
    /// The first failure to write it.
    pub(super) fn close(&mut self, tenant: TenantId) -> std::io::Result<()> {
        self.0
            .extract_if(.., |log| log.tenant == tenant)
            .try_for_each(|mut log| match log.error {
                Some(error) => Err(error),
                None => log.writer.flush(),
            })
    }

    /// The line of an event, if anybody wants it.
    pub(super) fn event_line(&self, now: Nanoseconds, event: &Event) -> Option<String> {
        (!self.0.is_empty()).then(|| event_line(now, event).to_string())
    }

    /// Writes the line of an event; for one that was refused, and has no line,
    /// that time has passed.
    pub(super) fn write_event(&mut self, now: Nanoseconds, line: Option<String>) {
        if !self.0.is_empty() {
            let line = line.unwrap_or_else(|| event_line(now, &Event::Tick).to_string());
            self.0.iter_mut().for_each(|log| log.write(&line));
        }
    }

    pub(super) fn write_action(&mut self, action: &Action) {
        if !self.0.is_empty() {
            let line = action_line(action).to_string();
            self.0.iter_mut().for_each(|log| log.write(&line));
        }
    }
}

impl Log {
    fn write(&mut self, line: &str) {
        if self.error.is_none() {
            self.error = writeln!(self.writer, "{line}").err();
        }
    }
}

impl fmt::Debug for Logs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Logs({})", self.0.len())
    }
}
