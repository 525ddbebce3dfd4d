//! Whether a scheduler did what it had to do.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test names the case it is about"
)]

use super::books::{Job, Oracle, Party, Phase};
use crate::id::{TaskId, TenantId};
use crate::ledger::{Amount, Resource};
use crate::scheduler::*;
use crate::units::{Bytes, Nanoseconds};
use std::rc::Rc;

impl Oracle {
    /// Takes in an event with all that came of it, and checks both.
    pub(in crate::scheduler) fn hear(
        &mut self,
        now: Nanoseconds,
        event: &Event,
        result: Result<(), StepError>,
        actions: &[Action],
    ) {
        assert!(now == self.now || *event == Event::Tick);
        self.now = now;
        assert_eq!(result.is_ok(), self.allows(event), "{event}: {result:?}");
        if result.is_ok() {
            self.before_actions(event, actions);
        }
        for action in actions {
            self.act(event, action);
        }
        if let (Event::Submit { task, .. }, Ok(())) = (event, result) {
            let answers = actions.iter().filter(|action| match action {
                Action::Start { task: other, .. }
                | Action::Queue { task: other, .. }
                | Action::Reject { task: other, .. } => other == task,
                _ => false,
            });
            assert_eq!(answers.count(), 1, "{event}: {actions:?}");
        }
        self.forget();
        if let Some(first) = self.queued().min_by_key(|job| self.rank(job)) {
            let amount = first.request.amount();
            assert!(
                self.lacking(first.tenant, &amount).is_some(),
                "{amount:?} fits"
            );
            let due = first.request.spec().queue_timeout;
            let due = due.map(|most| first.submitted.saturating_add(most));
            assert!(due.is_none_or(|due| due > self.now), "waited too long");
        }
    }

    fn before_actions(&mut self, event: &Event, actions: &[Action]) {
        match event {
            Event::Open { tenant, spec } | Event::Resize { tenant, spec } => {
                self.size(*tenant, spec, actions);
            }
            Event::Close { tenant, .. } => {
                self.tenants.get_mut(tenant).expect("it is there").is_closed = true;
            }
            Event::Submit {
                task,
                tenant,
                request,
            } => {
                let job = Job {
                    tenant: *tenant,
                    request: Rc::new(request.as_ref().clone()),
                    submitted: self.now,
                    arrival: self.arrivals,
                    phase: Phase::Queued,
                };
                self.arrivals += 1;
                self.tasks.insert(*task, job);
            }
            Event::Finish { task, held, .. } => {
                self.tasks.get_mut(task).expect("it is there").phase = Phase::Ended(*held);
            }
            Event::Grow { holder, bytes } => {
                let (available, limit) = self.may_take(*holder);
                let granted = Action::Grow {
                    holder: *holder,
                    bytes: *bytes,
                };
                let rejection = Rejection {
                    reason: Reason::Resource(Resource::Memory),
                    asked: bytes.get(),
                    available,
                    limit,
                };
                let refused = Action::Refuse {
                    holder: *holder,
                    rejection,
                };
                let fits = bytes.get() <= available;
                assert_eq!(actions[0], if fits { granted } else { refused });
            }
            Event::Shrink { holder, bytes } => {
                let held = self.memory_of(*holder);
                *held = Bytes::new(held.get() - bytes.get());
            }
            Event::Cancel { .. }
            | Event::Want { .. }
            | Event::Withdraw { .. }
            | Event::Ran { .. }
            | Event::Tick => {}
        }
    }

    /// A tenant gets what it asks for exactly if the device has it.
    fn size(&mut self, id: TenantId, spec: &TenantSpec, actions: &[Action]) {
        let free = self.config.capacity().saturating_sub(&self.granted());
        // By what it asks for, of which time comes with multiprocessors.
        let (holds, needs) = match self.tenants.get(&id) {
            Some(party) => {
                let party = Party {
                    spec: *spec,
                    ..party.clone()
                };
                (self.holds(id), party.holds(self.used(id)))
            }
            None => (Amount::NOTHING, spec.own()),
        };
        let growth = needs.saturating_sub(&holds);
        let lacking = growth.exceeding(&free).iter().next();
        let denied = actions.iter().find_map(|action| match action {
            Action::Deny { tenant, rejection } if *tenant == id => Some(*rejection),
            _ => None,
        });
        assert_eq!(denied.map(|no| no.reason), lacking.map(Reason::Resource));
        if let (Some(resource), Some(no)) = (lacking, denied) {
            let numbers = (growth.get(resource), free.get(resource));
            assert_eq!((no.asked, no.available), numbers, "{no}");
            return;
        }
        let party = self.tenants.entry(id).or_insert(Party {
            spec: *spec,
            outside: Bytes::ZERO,
            is_closed: false,
        });
        party.spec = *spec;
    }

    fn act(&mut self, event: &Event, action: &Action) {
        match action {
            Action::Start {
                task,
                memory,
                bandwidth,
            } => {
                let job = &self.tasks[task];
                let amount = job.request.amount();
                assert_eq!(job.phase, Phase::Queued, "{action}");
                assert_eq!(self.lacking(job.tenant, &amount), None, "{action}");
                assert_eq!(
                    (*memory, *bandwidth),
                    (job.request.memory(), job.request.bandwidth())
                );
                self.tasks.get_mut(task).expect("it is there").phase = Phase::Running(*memory);
            }
            Action::Queue {
                task,
                position,
                waits_for,
                ..
            } => {
                let job = &self.tasks[task];
                assert_eq!(*position, self.ahead_of(job), "{action}");
                assert!(!waits_for.is_empty());
                assert_eq!(job.request.spec().on_full, OnFull::Queue);
                assert_eq!(self.hopeless(job), None, "{action}");
                assert!(self.queued().count() <= self.config.max_queued);
            }
            Action::Reject { task, rejection } => {
                self.check_rejection(event, *task, rejection);
                self.tasks.remove(task);
            }
            Action::Cancel { task } => {
                let job = self.tasks.remove(task);
                assert_eq!(job.map(|job| job.phase), Some(Phase::Queued), "{action}");
            }
            Action::Grow { holder, bytes } => {
                let held = self.memory_of(*holder);
                *held = Bytes::new(held.get() + bytes.get());
            }
            Action::Deny { .. } | Action::Refuse { .. } | Action::Run { .. } => {}
        }
    }

    /// Nobody is rejected without a reason, and the numbers are right.
    fn check_rejection(&self, event: &Event, id: TaskId, no: &Rejection) {
        let job = &self.tasks[&id];
        assert_eq!(job.phase, Phase::Queued);
        let is_new = matches!(event, Event::Submit { task, .. } if *task == id);
        match no.reason {
            Reason::Closed => assert!(is_new && self.tenants[&job.tenant].is_closed),
            Reason::QueueFull => {
                assert!(is_new);
                assert_eq!(self.queued().count(), self.config.max_queued + 1);
            }
            Reason::QueueTimeout(resource) => {
                let most = job.request.spec().queue_timeout.expect("it has one");
                assert!(job.submitted.saturating_add(most) <= self.now);
                self.check_shortfall(job, resource, no);
            }
            Reason::Resource(resource) => {
                let hopeless = self.hopeless(job);
                let does_not_wait = is_new && job.request.spec().on_full == OnFull::Reject;
                assert!(hopeless == Some(resource) || does_not_wait, "{no}");
                self.check_shortfall(job, resource, no);
            }
        }
    }

    /// All that there is room for was available, or nothing, to one who stood behind
    /// others.
    fn check_shortfall(&self, job: &Job, resource: Resource, no: &Rejection) {
        let room = self.room(job.tenant, resource);
        assert_eq!(no.asked, job.request.amount().get(resource));
        assert!(no.asked > no.available, "{no}");
        // Its own wait may just have become too long, which counts after timeouts.
        let is_alone = self.queued().count() == 1;
        assert!(
            no.available == room || no.available == 0 && !is_alone,
            "{no}: there is room for {room}"
        );
    }

    /// The scheduler's books say the same.
    pub(in crate::scheduler) fn compare(&self, scheduler: &Scheduler) {
        assert_eq!(scheduler.ledger.granted(), &self.granted());
        let over = self.granted().exceeding(&self.config.capacity());
        assert!(over.is_empty(), "{over} over-committed");
        assert_eq!(scheduler.tenants.len(), self.tenants.len());
        for (_, tenant) in scheduler.tenants.iter() {
            assert_eq!(tenant.quota.granted(), &self.used(tenant.id));
            assert_eq!(tenant.holds(), &self.holds(tenant.id));
        }
        assert_eq!(scheduler.tasks.len(), self.tasks.len());
        assert_eq!(scheduler.queue.len(), self.queued().count());
        let mut running = 0;
        for (slot, task) in scheduler.tasks.iter() {
            let job = &self.tasks[&task.id];
            let held = task.held().map_or(Amount::NOTHING, |held| *held.amount());
            assert_eq!(held, job.holds(), "{}", task.id);
            match job.phase {
                Phase::Queued => {
                    let waits = scheduler.kept_from(slot).0;
                    assert!(!waits.is_empty(), "{} waits for nothing", task.id);
                }
                Phase::Running(memory) => {
                    running += 1;
                    // Whoever was promised memory has it.
                    assert!(memory >= job.request.memory(), "{}", task.id);
                }
                Phase::Ended(_) => {}
            }
        }
        assert_eq!(scheduler.running.len(), running);
    }
}
