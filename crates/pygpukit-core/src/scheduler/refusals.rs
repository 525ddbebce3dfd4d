//! What a refusal names works: that amount is granted, at that moment it goes on.

use super::oracle::Phase;
use super::soak::Soak;
use super::*;
use crate::id::{TaskId, TenantId};
use crate::ledger::{Resource, ResourceSet};
use crate::units::{Bytes, Share};
use proptest::prelude::*;

/// A seed, and how many events there were.
fn past() -> impl Strategy<Value = (u64, u64)> {
    (1_u64.., 20_u64..200)
}

/// A scheduler to which some things have happened.
fn soaked((seed, events): (u64, u64)) -> Soak {
    let mut soak = Soak::new(seed);
    soak.play(events);
    soak
}

/// Submits a task; the answer.
fn submit(soak: &mut Soak, tenant: TenantId, spec: &TaskSpec) -> (TaskId, Option<Admission>) {
    let task = soak.name();
    let request = Box::new(spec.clone().try_into().unwrap());
    let event = Event::Submit {
        task,
        tenant,
        request,
    };
    soak.pair.step(0, &event);
    (task, soak.pair.actions.admission_of(task))
}

/// The same, but asking for no more of a resource.
fn ask_for(spec: &mut TaskSpec, resource: Resource, amount: u64) {
    match resource {
        Resource::Memory => {
            spec.memory = Some(MemoryAsk {
                request: Bytes::new(amount),
                limit: None,
            });
        }
        Resource::Bandwidth => {
            spec.bandwidth = Some(ShareAsk {
                floor: Share::from_units(amount).unwrap(),
                cap: Share::ONE,
            });
        }
        Resource::Compute | Resource::Workers => panic!("no task asks for more {resource}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// A task that was rejected is let in when it asks for what was available of each
    /// resource that it was rejected for.
    #[test]
    fn a_rejected_task_that_asks_for_what_is_available_starts(past in past()) {
        let mut soak = soaked(past);
        let tenant = soak.tenant();
        // Less of a guarantee might be none: a task of another policy has another place.
        let mut spec = TaskSpec {
            policy: Some(Policy::Burstable),
            on_full: OnFull::Reject,
            ..soak.request().spec().clone()
        };
        let mut reduced = ResourceSet::EMPTY;
        loop {
            let no = match submit(&mut soak, tenant, &spec).1 {
                Some(Admission::Rejected(no)) => no,
                Some(Admission::Admitted { .. }) => break,
                // There is no such tenant.
                None => return Ok(()),
                Some(queued) => panic!("{queued:?}"),
            };
            let Reason::Resource(resource) = no.reason else {
                prop_assert_eq!(no.reason, Reason::Closed);
                return Ok(());
            };
            if resource == Resource::Workers {
                prop_assert_eq!(no.available, 0);
                return Ok(());
            }
            prop_assert!(!reduced.contains(resource), "{no}");
            reduced = reduced.with(resource);
            ask_for(&mut spec, resource, no.available);
        }
    }

    /// So is a tenant.
    #[test]
    fn a_denied_tenant_that_asks_for_what_is_available_is_let_in(past in past()) {
        let mut soak = soaked(past);
        let tenant = TenantId::new(1000);
        let mut spec = soak.tenant_spec();
        let mut reduced = ResourceSet::EMPTY;
        loop {
            soak.pair.step(0, &Event::Open { tenant, spec });
            let Some(&Action::Deny { rejection: no, .. }) = soak.pair.actions.as_slice().first()
            else {
                break;
            };
            let Reason::Resource(resource) = no.reason else {
                panic!("{no}");
            };
            prop_assert!(!reduced.contains(resource), "{no}");
            reduced = reduced.with(resource);
            match (resource, &mut spec) {
                (Resource::Memory, TenantSpec { memory: Some(ask), .. }) => {
                    ask.request = Bytes::new(no.available);
                }
                (Resource::Bandwidth, TenantSpec { bandwidth: Some(ask), .. }) => {
                    ask.floor = Share::from_units(no.available).unwrap();
                }
                (Resource::Compute, TenantSpec { compute, .. }) => {
                    *compute = Share::from_units(no.available).unwrap();
                }
                _ => panic!("it did not ask for {resource}"),
            }
        }
        prop_assert!(soak.pair.oracle.tenants.contains_key(&tenant));
    }

    /// Whoever is first in line starts exactly when it was told, if running tasks take
    /// the usual time.
    #[test]
    fn the_earliest_start_is_exact(past in past()) {
        let mut soak = soaked(past);
        for task in soak.pair.oracle.tasks.keys().copied().collect::<Vec<_>>() {
            soak.pair.step(0, &Event::Cancel { task });
        }
        let spec = TaskSpec {
            on_full: OnFull::Queue,
            queue_timeout: None,
            ..soak.request().spec().clone()
        };
        let tenant = soak.tenant();
        let (task, answer) = submit(&mut soak, tenant, &spec);
        let Some(Admission::Queued { position, earliest_start, .. }) = answer else {
            return Ok(());
        };
        prop_assert_eq!(position, 0);
        let Some(usual) = soak.pair.scheduler.usual_run else {
            return Ok(());
        };
        let mut started = None;
        while soak.pair.oracle.tasks[&task].phase == Phase::Queued {
            let scheduler = &soak.pair.scheduler;
            let Some(slot) = scheduler.running.first() else {
                break;
            };
            let first = scheduler.tasks.get(slot).unwrap();
            let super::task::Stage::Running { since, .. } = first.stage else {
                panic!("it runs");
            };
            let end = since.saturating_add(usual).max(scheduler.now);
            let pass = end.saturating_sub(scheduler.now).get();
            let event = Event::Finish { task: first.id, failed: false, held: Bytes::ZERO };
            soak.pair.step(pass, &Event::Tick);
            soak.pair.step(0, &event);
            started = Some(end);
        }
        let is_running = soak.pair.oracle.tasks[&task].phase != Phase::Queued;
        prop_assert_eq!(earliest_start, started.filter(|_| is_running));
    }

    /// Nothing happens before the next timeout, and something then.
    #[test]
    fn the_next_timeout_is_exact(past in past()) {
        let mut soak = soaked(past);
        while let Some(moment) = soak.pair.scheduler.next_timeout() {
            let left = moment.saturating_sub(soak.pair.scheduler.now).get();
            if let Some(before) = left.checked_sub(1) {
                soak.pair.step(before, &Event::Tick);
                prop_assert!(soak.pair.actions.as_slice().is_empty());
                prop_assert_eq!(soak.pair.scheduler.next_timeout(), Some(moment));
                soak.pair.step(1, &Event::Tick);
            } else {
                soak.pair.step(0, &Event::Tick);
            }
            prop_assert!(soak.pair.scheduler.next_timeout() > Some(moment)
                || soak.pair.scheduler.next_timeout().is_none()
                || soak.pair.scheduler.next_timeout() == Some(moment) && left == 0);
        }
    }
}
