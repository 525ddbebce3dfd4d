//! What comes in, and what goes out.

use super::request::Request;
use super::tenant::TenantSpec;
use crate::id::{GrantId, TaskId, TenantId};
use crate::ledger::{Resource, ResourceSet};
use crate::units::{Bytes, Nanoseconds, Share};
use std::fmt;

/// Who holds memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// What a tenant does outside tasks.
    Tenant(TenantId),
    /// A task.
    Task(TaskId),
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A tenant appears.
    Open {
        /// Its name: not that of a tenant that is there.
        tenant: TenantId,
        /// What it asks for. The answer is [`Action::Deny`] if the device has too
        /// little of what is to be its own: then there is no such tenant.
        spec: TenantSpec,
    },
    /// A tenant asks for another size. The answer is [`Action::Deny`] if the
    /// device has too little: then it stays as it was. It keeps what it uses: a
    /// limit below that is reached as tasks end.
    Resize {
        /// Which.
        tenant: TenantId,
        /// What it asks for, in all.
        spec: TenantSpec,
    },
    /// A tenant submits nothing any more, and has nothing of its own but what
    /// its tasks use; it is gone when the last of them is.
    Close {
        /// Which.
        tenant: TenantId,
        /// True if its queued tasks are cancelled.
        cancel_pending: bool,
    },
    /// A task is submitted. Its answer is one of [`Action::Start`],
    /// [`Action::Queue`] and [`Action::Reject`].
    Submit {
        /// Its name: not that of a task that is there.
        task: TaskId,
        /// Whose it is.
        tenant: TenantId,
        /// What it asks for.
        request: Box<Request>,
    },
    /// A task that was started has ended.
    Finish {
        /// Which.
        task: TaskId,
        /// True if it failed.
        failed: bool,
        /// Memory that outlives it, in arrays that it returned.
        held: Bytes,
    },
    /// A task shall not start. Has no effect on one that has.
    Cancel {
        /// Which.
        task: TaskId,
    },
    /// Somebody wants memory beyond what is theirs. The answer is
    /// [`Action::Grow`] or [`Action::Refuse`].
    Grow {
        /// Who.
        holder: Holder,
        /// How much more.
        bytes: Bytes,
    },
    /// Somebody needs less memory than they hold.
    Shrink {
        /// Who.
        holder: Holder,
        /// How much less.
        bytes: Bytes,
    },
    /// Somebody has work for that much more of the multiprocessors' time. The answers
    /// are [`Action::Run`]s, now or later.
    Want {
        /// Who: a tenant, or a task that runs.
        holder: Holder,
        /// How long the work is predicted to take.
        time: Nanoseconds,
    },
    /// Somebody has no more work than what was granted.
    Withdraw {
        /// Who: a tenant, or a task that runs.
        holder: Holder,
    },
    /// Work that was granted has ended.
    Ran {
        /// Which.
        grant: GrantId,
        /// How long it took.
        used: Nanoseconds,
    },
    /// Time has passed.
    Tick,
}

/// The answer to a task that asks to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It started at once.
    Admitted {
        /// Memory that is its own.
        memory: Bytes,
        /// Share of the time that is its own.
        bandwidth: Share,
    },
    /// It waits.
    Queued {
        /// Tasks ahead of it in policy order.
        position: usize,
        /// When it could start if it were first in line and running tasks took as
        /// long as those before them; `None` if that cannot be said, or no task that
        /// runs would help by ending.
        earliest_start: Option<Nanoseconds>,
        /// What there is too little of.
        waits_for: ResourceSet,
    },
    /// It will not run.
    Rejected(Rejection),
}

/// Why a task will not run, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}: asked for {}, {} available, the limit is {}",
    .reason.show(*.asked), .reason.show(*.available), .reason.show(*.limit))]
pub struct Rejection {
    /// What there is too little of.
    pub reason: Reason,
    /// How much it asked for, in the unit of the reason.
    pub asked: u64,
    /// How much was available to it. Asking for that would have succeeded.
    pub available: u64,
    /// How much there is in all.
    pub limit: u64,
}

/// What there is too little of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A resource of the device: more than there is, or, for tasks that do not
    /// queue, more than is available now.
    Resource(Resource),
    /// Room in the queue, in tasks.
    QueueFull,
    /// Time in the queue, waiting for that resource.
    QueueTimeout(Resource),
    /// Its tenant submits nothing any more.
    Closed,
}

impl Reason {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resource(resource) => resource.name(),
            Self::QueueFull => "queue_full",
            Self::QueueTimeout(_) => "queue_timeout",
            Self::Closed => "closed",
        }
    }

    fn show(self, amount: u64) -> impl fmt::Display {
        struct Shown(Reason, u64);
        impl fmt::Display for Shown {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.0 {
                    Reason::Resource(resource) | Reason::QueueTimeout(resource) => {
                        resource.show(self.1).fmt(f)
                    }
                    Reason::QueueFull | Reason::Closed => write!(f, "{} tasks", self.1),
                }
            }
        }
        Shown(self, amount)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resource(resource) => write!(f, "not enough {resource}"),
            Self::QueueFull => f.write_str("the queue is full"),
            Self::QueueTimeout(resource) => write!(f, "waited too long for {resource}"),
            Self::Closed => f.write_str("the scheduler is closed"),
        }
    }
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A task starts, now.
    Start {
        /// Which.
        task: TaskId,
        /// Memory that is its own.
        memory: Bytes,
        /// Share of the time that is its own.
        bandwidth: Share,
    },
    /// A submitted task waits. What it says is [`Admission::Queued`]'s.
    Queue {
        /// Which.
        task: TaskId,
        /// Tasks ahead of it.
        position: usize,
        /// When it could start, at the earliest.
        earliest_start: Option<Nanoseconds>,
        /// What there is too little of.
        waits_for: ResourceSet,
    },
    /// A task will not run: it never could, or has waited long enough.
    Reject {
        /// Which.
        task: TaskId,
        /// Why.
        rejection: Rejection,
    },
    /// A tenant does not get what it asked for.
    Deny {
        /// Which.
        tenant: TenantId,
        /// What there is too little of.
        rejection: Rejection,
    },
    /// A queued task was cancelled.
    Cancel {
        /// Which.
        task: TaskId,
    },
    /// The memory asked for is granted.
    Grow {
        /// Whom.
        holder: Holder,
        /// How much more.
        bytes: Bytes,
    },
    /// Somebody works for that time, after all that was granted before.
    Run {
        /// Who.
        holder: Holder,
        /// To be handed back by [`Event::Ran`].
        grant: GrantId,
        /// For how long.
        time: Nanoseconds,
    },
    /// The memory asked for is not granted.
    Refuse {
        /// Whom.
        holder: Holder,
        /// Too much, and how much there is.
        rejection: Rejection,
    },
}

/// What is to be done, in order. Kept by the caller, so that it is allocated once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actions(Vec<Action>);

impl Actions {
    /// Nothing to do.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// What is to be done.
    pub fn as_slice(&self) -> &[Action] {
        &self.0
    }

    /// Takes out what is to be done, and keeps the room.
    pub fn drain(&mut self) -> impl Iterator<Item = Action> + '_ {
        self.0.drain(..)
    }

    pub(super) fn push(&mut self, action: Action) {
        self.0.push(action);
    }

    /// The answer to a task that was submitted in this step.
    pub fn admission_of(&self, wanted: TaskId) -> Option<Admission> {
        self.0.iter().find_map(|action| match *action {
            Action::Start {
                task,
                memory,
                bandwidth,
            } if task == wanted => Some(Admission::Admitted { memory, bandwidth }),
            Action::Queue {
                task,
                position,
                earliest_start,
                waits_for,
            } if task == wanted => Some(Admission::Queued {
                position,
                earliest_start,
                waits_for,
            }),
            Action::Reject { task, rejection } if task == wanted => {
                Some(Admission::Rejected(rejection))
            }
            Action::Start { .. }
            | Action::Queue { .. }
            | Action::Reject { .. }
            | Action::Deny { .. }
            | Action::Cancel { .. }
            | Action::Grow { .. }
            | Action::Run { .. }
            | Action::Refuse { .. } => None,
        })
    }
}
