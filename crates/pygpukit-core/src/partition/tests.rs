use super::*;
use crate::id::{TaskId, TenantId};
use crate::ledger::Resource;
use crate::scheduler::{
    Action, Actions, Config, Event, MemoryAsk, Request, RequestError, Scheduler, ShareAsk,
    StepError, TaskSpec, TenantSpec,
};
use crate::units::{Bytes, Nanoseconds, Share};
use std::num::NonZeroU32;

const NOW: Nanoseconds = Nanoseconds::ZERO;
const A: TenantId = TenantId::new(1);
const B: TenantId = TenantId::new(2);

struct Device {
    scheduler: Scheduler,
    partitions: Partitions,
    actions: Actions,
}

impl Device {
    fn new(split: Split) -> Self {
        Self {
            scheduler: Scheduler::new(Config::new(Bytes::new(1000), 4)),
            partitions: Partitions::new(6, Some(split)),
            actions: Actions::new(),
        }
    }

    fn create(&mut self, id: TenantId, spec: PartitionSpec) -> Result<Change, PartitionError> {
        let (partitions, scheduler) = (&mut self.partitions, &mut self.scheduler);
        partitions.create(scheduler, NOW, id, spec, &mut self.actions)
    }

    fn resize(&mut self, id: TenantId, spec: PartitionSpec) -> Result<Change, PartitionError> {
        let (partitions, scheduler) = (&mut self.partitions, &mut self.scheduler);
        partitions.resize(scheduler, NOW, id, spec, &mut self.actions)
    }

    fn delete(&mut self, id: TenantId, cancel: bool) -> Result<Change, PartitionError> {
        let (partitions, scheduler) = (&mut self.partitions, &mut self.scheduler);
        partitions.delete(scheduler, NOW, id, cancel, &mut self.actions)
    }

    fn submit(&mut self, task: u64, tenant: TenantId, memory: u64) {
        let spec = TaskSpec {
            memory: Some(MemoryAsk {
                request: Bytes::new(memory),
                limit: None,
            }),
            ..TaskSpec::default()
        };
        let event = Event::Submit {
            task: TaskId::new(task),
            tenant,
            request: Box::new(Request::try_from(spec).unwrap()),
        };
        self.step(event);
    }

    fn step(&mut self, event: Event) {
        self.scheduler.step(NOW, event, &mut self.actions).unwrap();
    }

    fn sms(&self, id: TenantId) -> u32 {
        self.partitions.granted(id).unwrap().sms.unwrap()
    }
}

fn eights(sms: u32) -> Split {
    Split::new(sms, NonZeroU32::new(8).unwrap())
}

fn share(part: u64, whole: u64) -> Share {
    Share::from_ratio(part, whole).unwrap()
}

fn spec(compute: Share, memory: u64) -> PartitionSpec {
    PartitionSpec {
        tenant: TenantSpec::default().own_memory(Bytes::new(memory)),
        ..PartitionSpec::default()
    }
    .own_sms(compute)
}

#[test]
fn exact_fits_fit() {
    let parts = |split: Split, shares: &[Share]| split.divide(shares).unwrap();
    let tenths = [share(2, 10), share(4, 10), share(4, 10)];
    assert_eq!(parts(eights(80), &tenths), [2, 4, 4]);
    assert_eq!(parts(Split::fine(20), &tenths), [2, 4, 4]);
    assert_eq!(parts(eights(48), &[share(1, 6); 6]), [1; 6]);
    let decimals = [0.8, 0.1, 0.1].map(|part| Share::try_from(part).unwrap());
    assert_eq!(parts(eights(80), &decimals), [8, 1, 1]);
    // What is left over is in no group.
    assert_eq!(
        (
            eights(132).groups(),
            eights(132).left_over(),
            eights(132).sms_of(share(1, 6))
        ),
        (16, 4, 22)
    );
    assert_eq!(parts(eights(132), &[share(1, 6); 6]), [3, 3, 3, 3, 2, 2]);
    assert_eq!(Split::fine(132).groups(), 66);
}

#[test]
fn what_is_granted_is_reported() {
    let mut device = Device::new(eights(132));
    let asked = PartitionSpec {
        tenant: TenantSpec {
            bandwidth: Some(ShareAsk {
                floor: share(1, 4),
                cap: Share::ONE,
            }),
            workers: Some(2),
            ..TenantSpec::default().own_memory(Bytes::new(600))
        },
        band: 5,
        streams: 3,
        ..PartitionSpec::default()
    };
    device.create(A, asked.own_sms(share(1, 3))).unwrap();
    let granted = device.partitions.granted(A).unwrap();
    assert_eq!(granted.sms, Some(40));
    assert_eq!(granted.groups, [0, 1, 2, 3, 4]);
    assert_eq!(granted.own.bytes(), Bytes::new(600));
    // It has all the time of its own multiprocessors, and none of the others'.
    assert_eq!(granted.own.share(Resource::Bandwidth), Share::ZERO);
    assert_eq!(granted.own, *device.scheduler.ledger().granted());
    assert_eq!(
        (granted.workers, granted.streams, granted.band),
        (Some(2), 3, 5)
    );
    assert_eq!(granted.isolation, Isolation::Sm);
    // Without multiprocessors of its own it is told of none.
    device.create(B, PartitionSpec::default()).unwrap();
    assert_eq!(device.partitions.granted(B).unwrap().sms, None);
    // Nothing is said of what nothing enforces.
    let mut other = Device::new(eights(132));
    other.partitions = Partitions::new(1, None);
    other.create(A, spec(share(1, 100), 0)).unwrap_err();
    other.create(A, spec(share(1, 100), 1)).unwrap();
    assert_eq!(other.partitions.granted(A).unwrap().sms, None);
    assert!(other.partitions.is_active(A));
}

#[test]
fn contradictions_are_refused() {
    let mut device = Device::new(Split::fine(132));
    let half = share(1, 2);
    let plain = PartitionSpec::default();
    let own_time = TenantSpec {
        bandwidth: Some(ShareAsk {
            floor: half,
            cap: half,
        }),
        ..TenantSpec::default()
    };
    let cases = [
        (
            PartitionSpec {
                clusters: true,
                ..plain
            }
            .own_sms(half),
            "clusters",
        ),
        (PartitionSpec { band: 6, ..plain }, "band 6 of 6"),
        (
            PartitionSpec {
                streams: 0,
                ..plain
            },
            "`streams` is 0",
        ),
        (
            PartitionSpec {
                isolation: Isolation::Sm,
                ..plain
            },
            "`compute` is 0",
        ),
        (
            PartitionSpec {
                isolation: Isolation::Time,
                ..plain.own_sms(half)
            },
            "compute of its own needs isolation \"sm\", not \"time\"",
        ),
        (
            PartitionSpec {
                isolation: Isolation::None,
                tenant: own_time,
                ..plain
            },
            "bandwidth of its own needs isolation \"time\", not \"none\"",
        ),
        (
            plain.own_sms(share(1, 132)),
            "asked for 1 multiprocessors; the least is a group, 2",
        ),
        (
            PartitionSpec {
                tenant: TenantSpec::limited(Bytes::ZERO),
                ..plain
            },
            "`memory` is 0",
        ),
    ];
    for (spec, said) in cases {
        let error = device.create(A, spec).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
        assert_eq!(device.partitions.iter().count(), 0);
    }
    // Clusters run where groups are larger, or where nothing is split.
    let clusters = PartitionSpec {
        clusters: true,
        ..plain
    };
    device.create(A, clusters).unwrap();
    device = Device::new(eights(132));
    device.create(A, clusters.own_sms(half)).unwrap();
    let again = device.create(A, plain).unwrap_err();
    assert_eq!(again, PartitionError::Step(StepError::DuplicateTenant(A)));
    let unknown = PartitionError::Unknown("2".into());
    assert_eq!(device.resize(B, plain).unwrap_err(), unknown);
    assert_eq!(device.delete(B, true).unwrap_err(), unknown);
    assert_eq!(device.partitions.granted(B).unwrap_err(), unknown);
    let zero = RequestError::NotPositive {
        option: "streams",
        value: 0,
    };
    let streams = PartitionSpec {
        streams: 0,
        ..plain
    };
    assert_eq!(
        device.resize(A, streams),
        Err(PartitionError::Request(zero))
    );
}

#[test]
fn a_refusal_changes_nothing_and_its_amount_is_granted() {
    let mut device = Device::new(eights(80));
    device.create(A, spec(share(1, 2), 600)).unwrap();
    let before = *device.scheduler.ledger().granted();
    let error = device.create(B, spec(share(1, 2), 401)).unwrap_err();
    let PartitionError::Denied(rejection) = error else {
        panic!("{error}");
    };
    assert_eq!((rejection.asked, rejection.available), (401, 400));
    let error = device.resize(A, spec(share(1, 2), 1001)).unwrap_err();
    assert!(matches!(error, PartitionError::Denied(_)), "{error}");
    assert_eq!(*device.scheduler.ledger().granted(), before);
    assert_eq!(device.partitions.iter().count(), 1);
    assert_eq!(device.sms(A), 40);
    device.create(B, spec(share(1, 2), 400)).unwrap();
    assert_eq!((device.sms(A), device.sms(B)), (40, 40));
}

#[test]
fn a_partition_is_active_once_its_groups_have_drained() {
    let mut device = Device::new(eights(80));
    let created = device.create(A, spec(share(1, 2), 1)).unwrap();
    assert!(!device.partitions.is_active(A));
    // What B had is no matter, and neither is what was lost later than that.
    device.partitions.drained(B, created);
    device
        .partitions
        .drained(TenantId::DEFAULT, Change::default());
    assert!(!device.partitions.is_active(A));
    device.partitions.drained(TenantId::DEFAULT, created);
    assert!(device.partitions.is_active(A));
    // The same size again moves nothing.
    let same = device.resize(A, spec(share(1, 2), 2)).unwrap();
    assert_eq!(same, created);
    assert_eq!(device.partitions.latest_change(), created);
    // Groups that come back have only its own work on them.
    let smaller = device.resize(A, spec(share(1, 10), 1)).unwrap();
    assert!(smaller > created);
    device.resize(A, spec(share(1, 2), 1)).unwrap();
    assert!(!device.partitions.is_active(A));
    let latest = device.partitions.latest_change();
    device.partitions.drained(TenantId::DEFAULT, latest);
    assert!(device.partitions.is_active(A));
}

#[test]
fn whoever_is_deleted_or_shrinks_keeps_what_runs() {
    let mut device = Device::new(eights(80));
    device.create(A, spec(share(1, 2), 600)).unwrap();
    device.submit(1, A, 500);
    device.submit(2, A, 100);
    device.submit(3, A, 50);
    // Two run on what is its own, the third waits for the limit.
    assert_eq!(device.scheduler.running(), 2);
    assert_eq!(device.scheduler.waiting(), 1);
    device.resize(A, spec(share(1, 5), 550)).unwrap();
    assert_eq!(device.sms(A), 16);
    let ledger = *device.scheduler.ledger().granted();
    assert_eq!(ledger.bytes(), Bytes::new(600));
    device.delete(A, true).unwrap();
    let cancelled = Action::Cancel {
        task: TaskId::new(3),
    };
    assert!(device.actions.as_slice().contains(&cancelled));
    assert_eq!(device.scheduler.running(), 2);
    let granted = device.scheduler.ledger().granted().bytes();
    assert_eq!(granted, Bytes::new(600));
    assert_eq!(device.sms(A), 16);
    assert_eq!(device.resize(A, spec(share(1, 5), 1)), Err(unknown(A)));
    // Its groups are nobody else's before its last task has ended.
    let error = device.create(B, spec(Share::ONE, 400)).unwrap_err();
    assert!(matches!(error, PartitionError::Denied(_)), "{error}");
    let created = device.create(B, spec(share(1, 2), 400)).unwrap();
    assert_eq!(
        device.partitions.granted(B).unwrap().groups,
        [2, 3, 4, 5, 6]
    );
    for task in [1, 2] {
        assert_eq!(device.partitions.settle(&device.scheduler), created);
        device.step(Event::Finish {
            task: TaskId::new(task),
            failed: false,
            held: Bytes::ZERO,
        });
    }
    assert!(device.partitions.settle(&device.scheduler) > created);
    assert_eq!(device.partitions.granted(A), Err(unknown(A)));
    let grown = device.resize(B, spec(Share::ONE, 400)).unwrap();
    assert_eq!(device.sms(B), 80);
    // Of what was A's nothing runs any more; the rest is still to drain.
    assert!(!device.partitions.is_active(B));
    device.partitions.drained(TenantId::DEFAULT, grown);
    assert!(device.partitions.is_active(B));
    assert_eq!(device.scheduler.ledger().granted().bytes(), Bytes::new(400));
}

fn unknown(tenant: TenantId) -> PartitionError {
    PartitionError::Unknown(tenant.to_string())
}
