//! Blocks, one by one.

use super::*;
use crate::id::{PinnedId, TaskId};
use crate::units::{Bytes, Nanoseconds};

const NOW: Nanoseconds = Nanoseconds::ZERO;
const KIB: u64 = 1024;

fn pool(limit: u64) -> PinnedPool {
    PinnedPool::new(Config {
        limit: Bytes::new(limit),
        ..Config::default()
    })
}

fn allocate(pool: &mut PinnedPool, size: u64) -> Result<Allocation, Refusal> {
    pool.allocate(NOW, Bytes::new(size))
}

/// A block with memory at `address`.
fn fresh(pool: &mut PinnedPool, size: u64, address: u64) -> PinnedId {
    let Ok(Allocation::Fresh(id)) = allocate(pool, size) else {
        panic!("no fresh block")
    };
    let size = pool.get(id).unwrap().size();
    pool.register(id, address, size).unwrap();
    id
}

#[test]
fn the_newest_memory_of_a_size_is_used_first() {
    let mut pool = pool(64 * KIB);
    let ids = [0x1000, 0x2000, 0x3000].map(|address| fresh(&mut pool, 5000, address));
    for (id, address) in ids.into_iter().zip([0x1000, 0x2000, 0x3000]) {
        assert_eq!(pool.free(id), Ok(Freed::Kept(address)));
    }
    let Ok(Allocation::Reused(id)) = allocate(&mut pool, 8192) else {
        panic!("nothing is reused")
    };
    assert!(!ids.contains(&id));
    assert_eq!(pool.get(id).unwrap().address(), Some(0x3000));
    // Another size gets new memory.
    assert!(matches!(
        allocate(&mut pool, 4096),
        Ok(Allocation::Fresh(_))
    ));
    let mut unlock = Vec::new();
    assert_eq!(pool.trim(Bytes::new(1), &mut unlock), Bytes::new(8192));
    assert_eq!(unlock, [0x1000]);
}

#[test]
fn what_is_kept_counts_until_it_is_given_up() {
    let mut pool = pool(64 * KIB);
    let id = fresh(&mut pool, 64 * KIB, 0x1000);
    assert_eq!(pool.free(id), Ok(Freed::Kept(0x1000)));
    let refusal = allocate(&mut pool, 4096).unwrap_err();
    let Refusal::Kept { lacking, .. } = refusal else {
        panic!("{refusal}")
    };
    assert_eq!(lacking, Bytes::new(4096));
    assert_eq!(
        refusal.to_string(),
        "not enough pinned memory: 4096 asked, 0 available of 65536; \
         65536 are kept for reuse, of which 4096 would have to go"
    );
    assert_eq!(pool.stats().held, Bytes::new(64 * KIB));
    pool.trim(lacking, &mut Vec::new());
    assert!(allocate(&mut pool, 4096).is_ok());
}

#[test]
fn a_full_pool_reuses_what_it_keeps() {
    let mut pool = pool(8 * KIB);
    let ids = [0x1000, 0x2000].map(|address| fresh(&mut pool, 4096, address));
    assert_eq!(pool.free(ids[0]), Ok(Freed::Kept(0x1000)));
    // Nothing is available, and nothing has to be.
    let reused = allocate(&mut pool, 4096).unwrap();
    assert!(matches!(reused, Allocation::Reused(_)), "{reused:?}");
    assert_eq!(pool.stats().held, Bytes::new(8 * KIB));
}

#[test]
fn all_that_is_kept_may_have_to_go() {
    let mut pool = pool(8 * KIB);
    let ids = [0x1000, 0x2000].map(|address| fresh(&mut pool, 4096, address));
    for id in ids {
        let _ = pool.free(id).unwrap();
    }
    let refusal = allocate(&mut pool, 8192).unwrap_err();
    let Refusal::Kept { lacking, kept, .. } = refusal else {
        panic!("{refusal}")
    };
    assert_eq!((lacking, kept), (Bytes::new(8 * KIB), lacking));
    pool.trim(lacking, &mut Vec::new());
    assert!(allocate(&mut pool, 8192).is_ok());
}

#[test]
fn a_block_that_never_got_memory_leaves_nothing_behind() {
    let mut pool = pool(4096);
    let id = allocate(&mut pool, 1).unwrap().id();
    assert_eq!(pool.get(id).unwrap().state(), State::Awaited);
    assert_eq!(pool.free(id), Ok(Freed::Nothing));
    assert_eq!(pool.free(id), Err(UnknownBlock(id)));
    assert_eq!(pool.stats().held, Bytes::ZERO);
    assert!(allocate(&mut pool, 4096).is_ok());
}

#[test]
fn a_refusal_is_the_one_that_was_foretold() {
    let mut pool = pool(5000);
    for size in [0, 1, 4096, 4097, 5000, 5001, u64::MAX] {
        let foretold = pool.check(Bytes::new(size));
        let allocation = allocate(&mut pool, size);
        assert_eq!(allocation.map(drop), foretold);
        if let Ok(id) = allocation {
            assert_eq!(pool.free(id.id()), Ok(Freed::Nothing));
        }
    }
    let refusal = pool.check(Bytes::new(4097)).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "a pinned block for 4097 bytes is larger than the quota of 5000"
    );
}

#[test]
fn memory_is_checked_when_it_is_registered() {
    let mut pool = pool(64 * KIB);
    let id = allocate(&mut pool, 5000).unwrap().id();
    let size = Bytes::new(8192);
    let mut register =
        |id, address, size| pool.register(id, address, size).unwrap_err().to_string();
    assert_eq!(
        register(PinnedId::new(9), 0x1000, size),
        "there is no pinned block `9`"
    );
    assert_eq!(register(id, 0, size), "nothing is at address 0");
    assert_eq!(
        register(id, 0x1080, size),
        "address 0x1080 is not a multiple of the alignment 256"
    );
    assert_eq!(
        register(id, 0x1000, Bytes::new(5000)),
        "pinned block `1` has 8192 bytes, and 5000 are too few"
    );
    pool.register(id, 0x1000, size).unwrap();
    let again = pool.register(id, 0x2000, size).unwrap_err().to_string();
    assert_eq!(again, "pinned block `1` has its memory at 0x1000 already");
}

#[test]
fn nothing_is_kept_unless_it_is_to_be() {
    let mut pool: PinnedPool = PinnedPool::new(Config {
        keep: false,
        ..Config::default()
    });
    let id = fresh(&mut pool, 1, 0x1000);
    assert_eq!(pool.free(id), Ok(Freed::Unlock(0x1000)));
    let stats = pool.stats();
    assert_eq!(
        (stats.held, stats.peak_in_use),
        (Bytes::ZERO, Bytes::new(4096))
    );
}

#[test]
fn blocks_of_an_owner_go_together() {
    let mut pool = pool(64 * KIB);
    let (mine, yours) = (TaskId::new(1), TaskId::new(2));
    let ids = [0x1000, 0x2000, 0x3000].map(|address| fresh(&mut pool, 1, address));
    for id in ids {
        pool.assign(id, mine).unwrap();
    }
    pool.assign(ids[1], yours).unwrap();
    assert_eq!(pool.blocks_of(&mine).collect::<Vec<_>>(), [ids[0], ids[2]]);
    assert_eq!(pool.get(ids[1]).unwrap().owner(), Some(&yours));
    assert_eq!(
        pool.free_all_of(&mine),
        [Freed::Kept(0x1000), Freed::Kept(0x3000)]
    );
    assert_eq!(pool.free_all_of(&mine), []);
    let mut unlock = Vec::new();
    pool.clear(&mut unlock);
    assert_eq!(unlock, [0x1000, 0x3000, 0x2000]);
    assert_eq!(pool.stats(), PinnedStats::default());
    assert_eq!(allocate(&mut pool, 1).unwrap().id(), PinnedId::new(4));
}

#[test]
fn uses_are_noted() {
    let mut pool = pool(4096);
    let id = allocate(&mut pool, 1).unwrap().id();
    pool.touch(Nanoseconds::new(7), id).unwrap();
    let block = pool.get(id).unwrap();
    assert_eq!(
        (block.allocated(), block.last_used()),
        (NOW, Nanoseconds::new(7))
    );
    assert!(pool.touch(NOW, PinnedId::new(5)).is_err());
}
