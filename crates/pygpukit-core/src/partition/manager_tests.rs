use super::*;
use crate::ledger::{Resource, Shortage};
use crate::scheduler::Reason;
use crate::units::{Bytes, Share};
use std::num::NonZeroU32;

fn limits(memory: u64, compute: f64) -> PartitionLimits {
    PartitionLimits {
        memory: Some(Bytes::new(memory)),
        compute: Some(compute.try_into().unwrap()),
        ..PartitionLimits::default()
    }
}

fn manager(memory: u64) -> PartitionManager {
    PartitionManager::new(ManagerConfig::new(Bytes::new(memory)))
}

#[test]
fn two_halves_make_a_whole() {
    let mut manager = manager(8 << 30);
    let half = limits(4 << 30, 0.5);
    manager.create("inference", "Inference", half).unwrap();
    manager.create("training", "Training", half).unwrap();
    let granted = manager.get("training").unwrap().granted.own;
    assert_eq!(granted, half.spec().tenant.own());
    assert_eq!(granted.bytes(), Bytes::new(4 << 30));
    let available = manager.ledger().available();
    assert_eq!(available.bytes(), Bytes::ZERO);
    // Nobody asked for a share of the time.
    assert_eq!(available.share(Resource::Bandwidth), Share::ONE);
    let error = manager.create("more", "More", limits(1, 0.0)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot create partition `more`: not enough memory: asked for 1 bytes, \
         0 bytes available, the limit is 8589934592 bytes"
    );
    manager.delete("inference").unwrap();
    manager.create("more", "More", half).unwrap();
}

#[test]
fn shares_that_add_up_to_one_fit() {
    let mut manager = manager(1000);
    for (id, share) in [("a", 0.8), ("b", 0.1), ("c", 0.1)] {
        manager.create(id, id, limits(0, share)).unwrap();
    }
    assert!(manager.create("d", "d", limits(0, 0.1)).is_err());
    let available = manager.ledger().available();
    assert_eq!(available.share(Resource::Compute), Share::ZERO);
}

#[test]
fn ids_are_used_once_and_known() {
    let mut manager = manager(1000);
    manager.create("a", "A", limits(600, 0.1)).unwrap();
    let again = manager.create("a", "B", limits(1, 0.1)).unwrap_err();
    assert_eq!(again, PartitionError::Exists("a".into()));
    assert_eq!(manager.ledger().granted().bytes(), Bytes::new(600));
    assert_eq!(manager.get("a").unwrap().name, "A");
    let unknown = PartitionError::Unknown("b".into());
    assert_eq!(manager.delete("b").unwrap_err(), unknown);
    assert_eq!(manager.get("b").unwrap_err(), unknown);
    assert_eq!(manager.set_default("b").unwrap_err(), unknown);
    assert_eq!(manager.assign("task", "b").unwrap_err(), unknown);
    assert_eq!(manager.ids().collect::<Vec<_>>(), ["a"]);
}

#[test]
fn over_commitment_has_a_limit_and_no_partition_is_larger_than_the_device() {
    let config = ManagerConfig::new(Bytes::new(1000));
    let mut manager = PartitionManager::new(config.overcommitted(1.5).unwrap());
    let error = manager.create("a", "A", limits(1001, 0.1)).unwrap_err();
    let PartitionError::Insufficient { rejection, .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!(rejection.reason, Reason::Resource(Resource::Memory));
    assert_eq!(
        (rejection.asked, rejection.available, rejection.limit),
        (1001, 1000, 1000)
    );
    manager.create("a", "A", limits(1000, 0.1)).unwrap();
    let error = manager.create("b", "B", limits(501, 0.1)).unwrap_err();
    let PartitionError::Insufficient { rejection, .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!((rejection.asked, rejection.available), (501, 500));
    manager.create("b", "B", limits(500, 0.1)).unwrap();
    for ratio in [0.5, f64::NAN, -1.0, f64::INFINITY] {
        assert!(config.overcommitted(ratio).is_err(), "{ratio}");
    }
}

#[test]
fn the_default_is_the_first_and_then_the_oldest() {
    let mut manager = manager(1000);
    assert_eq!(manager.default_partition(), None);
    for id in ["c", "b", "a"] {
        manager.create(id, id, PartitionLimits::default()).unwrap();
    }
    let default = |manager: &PartitionManager| manager.default_partition().map(|it| it.id);
    assert_eq!(default(&manager).as_deref(), Some("c"));
    manager.assign("task", "c").unwrap();
    assert_eq!(manager.get("c").unwrap().tasks, ["task"]);
    assert_eq!(manager.delete("c").unwrap().tasks, ["task"]);
    assert_eq!(default(&manager).as_deref(), Some("b"));
    assert_eq!(manager.of_task("task").unwrap().id, "b");
    manager.set_default("a").unwrap();
    manager.delete("b").unwrap();
    assert_eq!(default(&manager).as_deref(), Some("a"));
    manager.assign("task", "a").unwrap();
    assert!(manager.unassign("task"));
    assert!(!manager.unassign("task"));
    manager.clear();
    assert_eq!(manager.of_task("task"), None);
    assert_eq!(manager.ledger().available(), *manager.ledger().capacity());
}

#[test]
fn multiprocessors_are_granted_in_groups() {
    let split = Split::new(132, NonZeroU32::new(8).unwrap());
    let mut manager = PartitionManager::new(ManagerConfig {
        split: Some(split),
        ..ManagerConfig::new(Bytes::new(1000))
    });
    for index in 0..6 {
        let sixth = PartitionLimits {
            compute: Some(Share::from_ratio(1, 6).unwrap()),
            ..PartitionLimits::default()
        };
        manager.create(&format!("{index}"), "", sixth).unwrap();
    }
    let sms = |index: u32| manager.get(&index.to_string()).unwrap().granted.sms;
    assert_eq!((0..6).filter_map(sms).sum::<u32>(), 128);
    assert!((0..6).all(|index| sms(index) >= Some(16)));
    let error = manager.create("a", "", limits(0, 0.01)).unwrap_err();
    assert_eq!(
        error,
        PartitionError::BelowGroup { asked: 1, group: 8 },
        "{error}"
    );
}

#[test]
fn more_than_the_whole_is_not_divided() {
    let half = Share::from_ratio(1, 2).unwrap();
    let split = Split::fine(8);
    assert_eq!(split.divide(&[half, half]), Ok(vec![2, 2]));
    let shortage = split.divide(&[half, Share::ONE]).unwrap_err();
    assert_eq!(
        shortage,
        Shortage {
            resource: Resource::Compute,
            asked: Share::ONE.units(),
            available: half.units(),
            limit: Share::ONE.units(),
        }
    );
}
