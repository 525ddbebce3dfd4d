//! Events and actions, written as text.

use super::event::{Action, Event, Holder, Reason, Rejection};
use super::request::{MemoryAsk, Request, ShareAsk};
use super::tenant::TenantSpec;
use crate::units::{Bytes, Nanoseconds, Share};
use std::fmt::{self, Display, Formatter, Write};

impl Display for Holder {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tenant(tenant) => write!(f, "tenant={tenant}"),
            Self::Task(task) => write!(f, "task={task}"),
        }
    }
}

impl Display for Event {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { tenant, spec } => write!(f, "open tenant={tenant}{}", Size(spec)),
            Self::Resize { tenant, spec } => write!(f, "resize tenant={tenant}{}", Size(spec)),
            Self::Close {
                tenant,
                cancel_pending,
            } => write!(f, "close tenant={tenant} cancel_pending={cancel_pending}"),
            Self::Submit {
                task,
                tenant,
                request,
            } => write!(f, "submit task={task} tenant={tenant} {}", Asked(request)),
            Self::Finish { task, failed, held } => {
                write!(f, "finish task={task} failed={failed} held={}", held.get())
            }
            Self::Cancel { task } => write!(f, "cancel task={task}"),
            Self::Grow { holder, bytes } => write!(f, "grow {holder} bytes={}", bytes.get()),
            Self::Shrink { holder, bytes } => write!(f, "shrink {holder} bytes={}", bytes.get()),
            Self::Want { holder, time } => write!(f, "want {holder} time={}", time.get()),
            Self::Withdraw { holder } => write!(f, "withdraw {holder}"),
            Self::Ran { grant, used } => write!(f, "ran grant={grant} used={}", used.get()),
            Self::Tick => f.write_str("tick"),
        }
    }
}

impl Display for Action {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start {
                task,
                memory,
                bandwidth,
            } => {
                let (memory, bandwidth) = (memory.get(), bandwidth.units());
                write!(f, "start task={task} memory={memory} bandwidth={bandwidth}")
            }
            Self::Queue {
                task,
                position,
                earliest_start,
                waits_for,
            } => {
                let earliest = Maybe(earliest_start.map(Nanoseconds::get));
                write!(
                    f,
                    "queue task={task} position={position} earliest_start={earliest} \
                     waits_for={waits_for}"
                )
            }
            Self::Reject { task, rejection } => write!(f, "reject task={task} {}", No(rejection)),
            Self::Deny { tenant, rejection } => {
                write!(f, "deny tenant={tenant} {}", No(rejection))
            }
            Self::Cancel { task } => write!(f, "cancel task={task}"),
            Self::Grow { holder, bytes } => write!(f, "grow {holder} bytes={}", bytes.get()),
            Self::Run {
                holder,
                grant,
                time,
            } => write!(f, "run {holder} grant={grant} time={}", time.get()),
            Self::Refuse { holder, rejection } => write!(f, "refuse {holder} {}", No(rejection)),
        }
    }
}

/// A number, or `-`.
struct Maybe(Option<u64>);

impl Display for Maybe {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(number) => number.fmt(f),
            None => f.write_char('-'),
        }
    }
}

struct No<'a>(&'a Rejection);

impl Display for No<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Rejection {
            reason,
            asked,
            available,
            limit,
        } = self.0;
        write!(f, "reason={}", reason.name())?;
        if let Reason::QueueTimeout(resource) = reason {
            write!(f, ":{resource}")?;
        }
        write!(f, " asked={asked} available={available} limit={limit}")
    }
}

/// Only what was said: everything else has its default.
struct Asked<'a>(&'a Request);

impl Display for Asked<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let spec = self.0.spec();
        write!(f, "policy={} priority={}", self.0.policy(), spec.priority)?;
        write_asks(f, spec.memory, spec.bandwidth)?;
        if let Some(deadline) = spec.deadline {
            write!(f, " deadline={}", deadline.get())?;
        }
        if let Some(period) = spec.period {
            write!(f, " period={}", period.get())?;
        }
        if let Some(piece) = spec.piece {
            write!(f, " piece={}", piece.get())?;
        }
        if let Some(timeout) = spec.queue_timeout {
            write!(f, " queue_timeout={}", timeout.get())?;
        }
        write!(f, " weight={} on_full={}", self.0.weight(), spec.on_full)?;
        write!(f, " evictable={}", spec.evictable)?;
        if let Some(name) = &spec.name {
            f.write_str(" name=")?;
            write_escaped(f, name)?;
        }
        Ok(())
    }
}

/// Only what was said, each with a space before it.
struct Size<'a>(&'a TenantSpec);

impl Display for Size<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_asks(f, self.0.memory, self.0.bandwidth)?;
        if self.0.compute != Share::ZERO {
            write!(f, " compute={}", self.0.compute.units())?;
        }
        if let Some(workers) = self.0.workers {
            write!(f, " workers={workers}")?;
        }
        if self.0.priority != 0 {
            write!(f, " priority={}", self.0.priority)?;
        }
        if let Some(weight) = self.0.weight {
            write!(f, " weight={weight}")?;
        }
        Ok(())
    }
}

fn write_asks(
    f: &mut Formatter<'_>,
    memory: Option<MemoryAsk>,
    bandwidth: Option<ShareAsk>,
) -> fmt::Result {
    if let Some(MemoryAsk { request, limit }) = memory {
        let limit = Maybe(limit.map(Bytes::get));
        write!(f, " memory={},{limit}", request.get())?;
    }
    if let Some(ShareAsk { floor, cap }) = bandwidth {
        write!(f, " bandwidth={},{}", floor.units(), cap.units())?;
    }
    Ok(())
}

/// Letters and digits as they are, every other byte as `%xx`.
fn write_escaped(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    text.bytes().try_for_each(|byte| {
        if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
            f.write_char(char::from(byte))
        } else {
            write!(f, "%{byte:02x}")
        }
    })
}
