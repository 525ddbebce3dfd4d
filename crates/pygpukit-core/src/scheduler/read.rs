//! Events, read from text.

use super::event::{Event, Holder};
use super::request::{MemoryAsk, Request, ShareAsk, TaskSpec};
use super::state::Config;
use super::tenant::TenantSpec;
use crate::id::{GrantId, TaskId, TenantId};
use crate::timeshare::TimeConfig;
use crate::units::{Bytes, Nanoseconds, Share};
use std::str::FromStr;

/// The `key=value` words of a line.
pub(super) struct Fields<'a>(&'a str);

impl<'a> Fields<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self(text)
    }

    fn text(&self, key: &str) -> Option<&'a str> {
        self.0
            .split_ascii_whitespace()
            .filter_map(|word| word.split_once('='))
            .find_map(|(each, value)| (each == key).then_some(value))
    }

    fn get<T: FromStr>(&self, key: &str) -> Option<T> {
        self.text(key)?.parse().ok()
    }

    fn get_or<T: FromStr>(&self, key: &str, missing: T) -> Option<T> {
        self.text(key)
            .map_or(Some(missing), |text| text.parse().ok())
    }

    /// `None` if the field is malformed, `Some(None)` if it is missing.
    #[expect(clippy::option_option, reason = "malformed and missing differ")]
    fn optional<T>(&self, key: &str, read: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
        match self.text(key) {
            None => Some(None),
            Some(text) => read(text).map(Some),
        }
    }

    fn bytes(&self, key: &str) -> Option<Bytes> {
        self.get(key).map(Bytes::new)
    }

    fn task(&self) -> Option<TaskId> {
        self.get("task").map(TaskId::new)
    }

    fn tenant(&self) -> Option<TenantId> {
        self.get("tenant").map(TenantId::new)
    }

    fn holder(&self) -> Option<Holder> {
        let tenant = || self.tenant().map(Holder::Tenant);
        self.task().map(Holder::Task).or_else(tenant)
    }
}

/// The configuration, how long tasks usually run, and how many grants of time there
/// have been.
pub(super) fn read_header(fields: &Fields<'_>) -> Option<(Config, Option<Nanoseconds>, u64)> {
    let time = |key| nanoseconds(fields.text(key)?);
    let config = Config {
        memory: fields.bytes("memory")?,
        workers: fields.get("workers")?,
        max_queued: fields.get("max_queued")?,
        longest_wait: time("longest_wait")?,
        time: TimeConfig {
            slice: time("slice")?,
            window: time("window")?,
            longest: time("longest")?,
            period: time("period")?,
            best_effort_floor: share(fields.text("best_effort_floor")?)?,
        },
    };
    let usual_run = maybe(fields.text("usual_run")?)?;
    let granted = fields.get("granted")?;
    Some((config, usual_run.map(Nanoseconds::new), granted))
}

/// The line of an event; `None` if it is none.
pub(super) fn read_event(line: &str) -> Option<(Nanoseconds, Event)> {
    let (now, rest) = line.strip_prefix("> ")?.split_once(' ')?;
    let now = now.parse().map(Nanoseconds::new).ok()?;
    let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let fields = Fields::new(rest);
    let event = match kind {
        "open" => Event::Open {
            tenant: fields.tenant()?,
            spec: read_tenant(&fields)?,
        },
        "resize" => Event::Resize {
            tenant: fields.tenant()?,
            spec: read_tenant(&fields)?,
        },
        "close" => Event::Close {
            tenant: fields.tenant()?,
            cancel_pending: fields.get("cancel_pending")?,
        },
        "submit" => Event::Submit {
            task: fields.task()?,
            tenant: fields.tenant()?,
            request: Box::new(read_request(&fields)?),
        },
        "finish" => Event::Finish {
            task: fields.task()?,
            failed: fields.get("failed")?,
            held: fields.bytes("held")?,
        },
        "cancel" => Event::Cancel {
            task: fields.task()?,
        },
        "grow" => Event::Grow {
            holder: fields.holder()?,
            bytes: fields.bytes("bytes")?,
        },
        "shrink" => Event::Shrink {
            holder: fields.holder()?,
            bytes: fields.bytes("bytes")?,
        },
        "want" => Event::Want {
            holder: fields.holder()?,
            time: fields.get("time").map(Nanoseconds::new)?,
        },
        "withdraw" => Event::Withdraw {
            holder: fields.holder()?,
        },
        "ran" => Event::Ran {
            grant: fields.get("grant").map(GrantId::new)?,
            used: fields.get("used").map(Nanoseconds::new)?,
        },
        "tick" => Event::Tick,
        _ => return None,
    };
    Some((now, event))
}

fn read_request(fields: &Fields<'_>) -> Option<Request> {
    let spec = TaskSpec {
        name: fields.optional("name", unescaped)?,
        memory: fields.optional("memory", memory)?,
        bandwidth: fields.optional("bandwidth", bandwidth)?,
        policy: Some(fields.get("policy")?),
        priority: fields.get("priority")?,
        weight: Some(fields.get("weight")?),
        deadline: fields.optional("deadline", nanoseconds)?,
        period: fields.optional("period", nanoseconds)?,
        piece: fields.optional("piece", nanoseconds)?,
        queue_timeout: fields.optional("queue_timeout", nanoseconds)?,
        on_full: fields.get("on_full")?,
        evictable: fields.get("evictable")?,
    };
    spec.try_into().ok()
}

fn read_tenant(fields: &Fields<'_>) -> Option<TenantSpec> {
    let spec = TenantSpec {
        memory: fields.optional("memory", memory)?,
        compute: fields.optional("compute", share)?.unwrap_or_default(),
        bandwidth: fields.optional("bandwidth", bandwidth)?,
        workers: fields.optional("workers", |text| text.parse().ok())?,
        priority: fields.get_or("priority", 0)?,
        weight: fields.optional("weight", |text| text.parse().ok())?,
    };
    spec.check().is_ok().then_some(spec)
}

fn memory(text: &str) -> Option<MemoryAsk> {
    let (request, limit) = text.split_once(',')?;
    Some(MemoryAsk {
        request: request.parse().map(Bytes::new).ok()?,
        limit: maybe(limit)?.map(Bytes::new),
    })
}

fn bandwidth(text: &str) -> Option<ShareAsk> {
    let (floor, cap) = text.split_once(',')?;
    Some(ShareAsk {
        floor: share(floor)?,
        cap: share(cap)?,
    })
}

fn share(text: &str) -> Option<Share> {
    Share::from_units(text.parse().ok()?)
}

fn nanoseconds(text: &str) -> Option<Nanoseconds> {
    text.parse().map(Nanoseconds::new).ok()
}

/// A number, or `-` for none; `None` if it is neither.
#[expect(clippy::option_option, reason = "malformed and missing differ")]
fn maybe(text: &str) -> Option<Option<u64>> {
    if text == "-" {
        Some(None)
    } else {
        text.parse().map(Some).ok()
    }
}

fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let value = if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
        } else {
            byte
        };
        bytes.push(value);
    }
    String::from_utf8(bytes).ok()
}
