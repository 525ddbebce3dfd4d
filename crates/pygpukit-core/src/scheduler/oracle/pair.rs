//! A scheduler, and the books that it is checked against.

use super::books::{Oracle, Phase};
use crate::scheduler::*;
use crate::units::{Bytes, Nanoseconds};

/// A scheduler, and the books that it is checked against.
pub(in crate::scheduler) struct Pair {
    pub(in crate::scheduler) scheduler: Scheduler,
    pub(in crate::scheduler) oracle: Oracle,
    pub(in crate::scheduler) actions: Actions,
}

impl Pair {
    pub(in crate::scheduler) fn new(config: Config) -> Self {
        Self::of(Scheduler::new(config), Oracle::new(config))
    }

    pub(in crate::scheduler) fn of(scheduler: Scheduler, oracle: Oracle) -> Self {
        Self {
            scheduler,
            oracle,
            actions: Actions::new(),
        }
    }

    /// Takes in an event after `time` has passed, and checks all that comes of it;
    /// false if it cannot have happened.
    pub(in crate::scheduler) fn step(&mut self, time: u64, event: &Event) -> bool {
        let now = Nanoseconds::new(self.oracle.now.get() + time);
        self.actions.drain().for_each(drop);
        let result = self.scheduler.step(now, event.clone(), &mut self.actions);
        self.oracle
            .hear(now, event, result, self.actions.as_slice());
        self.oracle.compare(&self.scheduler);
        result.is_ok()
    }

    /// Everybody gives back what they hold and needs nothing of their own any more:
    /// then every task ends.
    pub(in crate::scheduler) fn drain(&mut self) {
        self.release();
        while let Some(event) = self.ending() {
            assert!(self.step(0, &event));
        }
        assert!(self.oracle.tasks.is_empty(), "somebody waits for ever");
        // While tasks ran, some may have needed what is their own.
        self.release();
        let own = self.scheduler.ledger.granted().resources();
        assert!(own.is_empty(), "somebody holds {own}");
    }

    /// All tenants give back what they hold outside tasks, and ask for nothing.
    fn release(&mut self) {
        let tenants: Vec<_> = self.oracle.tenants.keys().copied().collect();
        for tenant in tenants {
            let holder = Holder::Tenant(tenant);
            let bytes = self.scheduler.held(holder);
            assert!(self.step(0, &Event::Shrink { holder, bytes }));
            // A closed tenant without tasks has gone with that.
            let spec = TenantSpec::default();
            self.step(0, &Event::Resize { tenant, spec });
        }
    }

    /// What lets go of something that a task holds.
    fn ending(&self) -> Option<Event> {
        let mut tasks = self.oracle.tasks.iter();
        tasks.find_map(|(&task, job)| match job.phase {
            Phase::Queued => None,
            Phase::Running(_) => Some(Event::Finish {
                task,
                failed: false,
                held: Bytes::ZERO,
            }),
            Phase::Ended(bytes) => Some(Event::Shrink {
                holder: Holder::Task(task),
                bytes,
            }),
        })
    }
}
