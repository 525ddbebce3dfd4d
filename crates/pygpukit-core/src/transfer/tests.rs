//! Transfers, one by one.

use super::Direction::{DeviceToDevice, DeviceToHost, HostToDevice};
use super::*;
use crate::id::TransferId;
use crate::units::{Bytes, Nanoseconds};
use std::num::NonZeroUsize;

fn at(nanoseconds: u64) -> Nanoseconds {
    Nanoseconds::new(nanoseconds)
}

/// So many chunks at once, of 4096 bytes at most.
fn engine(chunks: usize) -> TransferEngine<()> {
    let mut limits = Limits::new(NonZeroUsize::new(chunks).unwrap());
    for direction in Direction::ALL {
        limits = limits.within(direction, at(1), Bytes::ZERO);
    }
    TransferEngine::new(limits)
}

fn queue(
    engine: &mut TransferEngine<()>,
    direction: Direction,
    priority: i32,
    size: u64,
) -> TransferId {
    let request = Request {
        direction,
        priority,
        size: Bytes::new(size),
        payload: (),
    };
    engine.queue(at(0), request)
}

fn next(engine: &mut TransferEngine<()>) -> (TransferId, u64, u64) {
    let chunk = engine.next(at(5)).chunk().unwrap();
    (chunk.transfer, chunk.offset.get(), chunk.size.get())
}

#[test]
fn a_transfer_is_cut_and_every_byte_is_copied_once() {
    let mut engine = engine(4);
    let id = queue(&mut engine, DeviceToHost, 0, 10_000);
    assert_eq!(engine.get(id).unwrap().state(), &State::Queued);
    assert_eq!(next(&mut engine), (id, 0, 4096));
    assert_eq!(next(&mut engine), (id, 4096, 4096));
    assert!(engine.completed(at(7), id));
    assert_eq!(next(&mut engine), (id, 8192, 1808));
    assert_eq!(engine.next(at(8)), Next::Idle);
    assert_eq!(
        engine
            .in_progress(DeviceToHost)
            .map(Transfer::id)
            .collect::<Vec<_>>(),
        [id]
    );
    assert!(engine.completed(at(8), id) && engine.completed(at(9), id));
    assert!(!engine.completed(at(9), id));
    let transfer = engine.get(id).unwrap();
    let completed = State::Completed {
        started: at(5),
        at: at(9),
    };
    assert_eq!(
        (transfer.state(), transfer.copied()),
        (&completed, Bytes::new(10_000))
    );
    assert_eq!(
        (transfer.waited(), transfer.took()),
        (Some(at(5)), Some(at(4)))
    );
    assert_eq!(engine.in_progress(DeviceToHost).count(), 0);
}

#[test]
fn an_empty_transfer_is_one_empty_chunk() {
    let mut engine = engine(1);
    let id = queue(&mut engine, HostToDevice, 0, 0);
    assert_eq!(next(&mut engine), (id, 0, 0));
    assert!(engine.completed(at(6), id));
    assert_eq!(engine.stats().completed, 1);
}

#[test]
fn the_most_urgent_is_next_and_the_oldest_of_those() {
    let mut engine = engine(9);
    let ids: Vec<_> = [0, 5, 0, 9, 5]
        .map(|priority| queue(&mut engine, HostToDevice, priority, 1))
        .into();
    let order: Vec<_> = (0..5).map(|_| next(&mut engine).0).collect();
    assert_eq!(order, [ids[3], ids[1], ids[4], ids[0], ids[2]]);
}

#[test]
fn directions_take_turns() {
    let mut engine = engine(9);
    for direction in [
        HostToDevice,
        HostToDevice,
        HostToDevice,
        DeviceToHost,
        DeviceToDevice,
    ] {
        queue(&mut engine, direction, 0, 1);
    }
    let order: Vec<_> = (0..5)
        .map(|_| engine.next(at(0)).chunk().unwrap().direction)
        .collect();
    assert_eq!(
        order,
        [
            HostToDevice,
            DeviceToHost,
            DeviceToDevice,
            HostToDevice,
            HostToDevice
        ]
    );
}

#[test]
fn a_place_is_free_when_its_chunk_is_reported() {
    let mut engine = engine(1);
    let (first, second) = (
        queue(&mut engine, HostToDevice, 0, 5000),
        queue(&mut engine, HostToDevice, 1, 1),
    );
    assert!(engine.start(at(1), first).chunk().is_some());
    assert_eq!(engine.next(at(1)), Next::Full { under_way: 1 });
    assert_eq!(engine.start(at(1), second), Next::Full { under_way: 1 });
    assert_eq!(engine.start(at(1), first), Next::Idle);
    assert!(engine.completed(at(2), first));
    assert_eq!(next(&mut engine).0, second);
}

#[test]
fn what_is_cancelled_frees_its_places() {
    let mut engine = engine(2);
    let ids = [(); 2].map(|()| queue(&mut engine, HostToDevice, 0, 1));
    assert!(ids.iter().all(|&id| engine.cancel(at(1), id)));
    assert!(!engine.cancel(at(1), ids[0]));
    assert_eq!(
        engine.get(ids[0]).unwrap().state(),
        &State::Cancelled {
            started: None,
            at: at(1)
        }
    );
    assert_eq!(engine.under_way(HostToDevice), 0);
    let bulk = queue(&mut engine, HostToDevice, 0, 100_000);
    assert!(next(&mut engine).0 == bulk && next(&mut engine).0 == bulk);
    assert!(engine.cancel(at(6), bulk));
    let stopping = State::Stopping {
        started: at(5),
        end: Stop::Cancelled,
    };
    assert_eq!(engine.get(bulk).unwrap().state(), &stopping);
    assert_eq!(engine.next(at(6)), Next::Idle);
    assert!(engine.completed(at(7), bulk) && engine.completed(at(8), bulk));
    let cancelled = State::Cancelled {
        started: Some(at(5)),
        at: at(8),
    };
    let transfer = engine.get(bulk).unwrap();
    assert_eq!(
        (transfer.state(), transfer.copied()),
        (&cancelled, Bytes::new(8192))
    );
    // Nothing is left of this that could be kept from being copied.
    let whole = queue(&mut engine, HostToDevice, 0, 1);
    assert_eq!(next(&mut engine).0, whole);
    assert!(!engine.cancel(at(9), whole));
}

#[test]
fn what_fails_ends_when_its_chunks_have() {
    let mut engine = engine(2);
    let id = queue(&mut engine, DeviceToHost, 0, 100_000);
    assert!(next(&mut engine).0 == id && next(&mut engine).0 == id);
    assert!(engine.failed(at(6), id, "lost".into()));
    assert_eq!(engine.get(id).unwrap().state().error(), Some("lost"));
    assert_eq!(engine.next(at(6)), Next::Idle);
    assert!(engine.failed(at(7), id, "also lost".into()));
    let failed = State::Failed {
        started: Some(at(5)),
        at: at(7),
        error: "lost".into(),
    };
    assert_eq!(engine.get(id).unwrap().state(), &failed);
    assert!(!engine.failed(at(8), id, "late".into()));
    assert_eq!(
        (engine.under_way(DeviceToHost), engine.stats().failed),
        (0, 1)
    );
    let queued = queue(&mut engine, DeviceToHost, 0, 1);
    assert!(engine.failed(at(9), queued, "no such memory".into()));
    assert_eq!(engine.next(at(9)), Next::Idle);
}

#[test]
fn bandwidth_is_of_the_time_in_which_anything_was_under_way() {
    let mut engine = engine(2);
    let ids = [(); 2].map(|()| queue(&mut engine, DeviceToDevice, 0, 4000));
    for now in [100, 200] {
        assert!(engine.next(at(now)).chunk().is_some());
    }
    assert!(engine.completed(at(300), ids[0]) && engine.completed(at(500), ids[1]));
    let later = queue(&mut engine, DeviceToDevice, 0, 2000);
    assert!(engine.next(at(1000)).chunk().is_some());
    assert!(engine.completed(at(1100), later));
    let stats = engine.stats();
    assert_eq!(stats.busy[DeviceToDevice], at(500));
    assert_eq!(stats.bandwidth(DeviceToDevice), Bytes::new(20_000_000_000));
    assert_eq!(stats.bandwidth(HostToDevice), Bytes::ZERO);
    assert_eq!(stats.total_bytes(), Bytes::new(10_000));
}

#[test]
fn what_has_ended_is_forgotten_and_stays_counted() {
    let mut engine = engine(4);
    let ids = [(); 3].map(|()| queue(&mut engine, HostToDevice, 0, 1));
    assert!(engine.cancel(at(1), ids[0]) && engine.cancel(at(1), ids[1]));
    assert!(engine.forget(ids[2]).is_none());
    assert_eq!(engine.forget(ids[1]).unwrap().id(), ids[1]);
    assert_eq!((engine.forget_ended(), engine.forget_ended()), (1, 0));
    assert!(engine.get(ids[0]).is_none() && engine.forget(ids[0]).is_none());
    let stats = engine.stats();
    assert_eq!((stats.queued, stats.cancelled, stats.pending()), (3, 2, 1));
    assert!(stats.is_busy());
    engine.clear();
    assert_eq!(
        (engine.stats(), engine.next(at(2))),
        (TransferStats::default(), Next::Idle)
    );
    assert_eq!(queue(&mut engine, HostToDevice, 0, 1), TransferId::new(4));
}
