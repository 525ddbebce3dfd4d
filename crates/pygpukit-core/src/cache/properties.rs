//! What holds for every cache, whatever is asked of it.

use super::*;
use crate::units::{Bytes, Nanoseconds};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Insert(u8, u64),
    Get(u8),
    Newest(u8),
    Remove(u8),
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let id = || 0_u8..12;
    let step = prop_oneof![
        4 => (id(), 0_u64..60).prop_map(|(id, bytes)| Step::Insert(id, bytes)),
        4 => id().prop_map(Step::Get),
        1 => id().prop_map(Step::Newest),
        1 => id().prop_map(Step::Remove),
        2 => (0_u64..40).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 0..150)
}

/// Keys of three names, all with one of two hashes.
fn key(id: u8) -> KernelKey {
    let name = format!("kernel {}", id % 3);
    let key = KernelKey::new(format!("source {id}"), name, CompileOptions::default());
    key.hashing_to(u64::from(id % 2))
}

/// The same by brute force: what is kept, the least recently used first.
#[derive(Default)]
struct Model {
    kept: Vec<Kept>,
    /// Insertion of each name that was the last.
    last: [Option<u64>; 3],
}

#[derive(Clone, Copy)]
struct Kept {
    id: u8,
    bytes: u64,
    created: u64,
    insertion: u64,
}

impl Model {
    fn expire(&mut self, now: u64, lifetime: u64) -> Vec<u64> {
        let too_old = |kept: &Kept| now - kept.created >= lifetime;
        let mut gone: Vec<_> = self.kept.iter().filter(|kept| too_old(kept)).collect();
        gone.sort_by_key(|kept| kept.insertion);
        let gone = gone.into_iter().map(|kept| kept.insertion).collect();
        self.kept.retain(|kept| !too_old(kept));
        gone
    }

    fn touch(&mut self, insertion: Option<u64>) -> Option<u64> {
        let at = self
            .kept
            .iter()
            .position(|kept| Some(kept.insertion) == insertion)?;
        let kept = self.kept.remove(at);
        self.kept.push(kept);
        insertion
    }

    fn find(&self, id: u8) -> Option<u64> {
        let kept = self.kept.iter().find(|kept| kept.id == id);
        kept.map(|kept| kept.insertion)
    }

    fn bytes(&self) -> u64 {
        self.kept.iter().map(|kept| kept.bytes).sum()
    }
}

proptest! {
    #[test]
    fn it_keeps_what_was_used_last_and_reports_the_rest(
        steps in steps(),
        entries in 0_usize..6,
        bytes in 0_u64..120,
        evict in prop::bool::weighted(0.7),
        lifetime in prop_oneof![Just(u64::MAX), 1_u64..100],
    ) {
        let limits = Limits {
            entries,
            bytes: Bytes::new(bytes),
            evict,
            lifetime: Some(Nanoseconds::new(lifetime)),
        };
        let mut cache: KernelCache<u64> = KernelCache::new(limits);
        let mut model = Model::default();
        let (mut now, mut stats) = (0, CacheStats::default());
        for (step, insertion) in steps.into_iter().zip(0_u64..) {
            let moment = Nanoseconds::new(now);
            let mut gone = Vec::new();
            let mut expected = Vec::new();
            if !matches!(step, Step::Wait(_) | Step::Remove(_)) {
                expected = model.expire(now, lifetime);
                stats.expired += expected.len() as u64;
            }
            match step {
                Step::Insert(id, size) => {
                    let inserted = cache.insert(moment, key(id), Bytes::new(size), insertion, &mut gone);
                    let others: Vec<_> = model.kept.iter().filter(|kept| kept.id != id).collect();
                    let room = others.iter().map(|kept| kept.bytes).sum::<u64>() + size;
                    let expected_answer = if entries == 0 {
                        Err(Refusal::NoEntries)
                    } else if size > bytes {
                        Err(Refusal::TooLarge { asked: Bytes::new(size), limit: limits.bytes })
                    } else if !evict && (room > bytes || others.len() >= entries) {
                        Err(Refusal::Full {
                            asked: Bytes::new(size),
                            bytes: Bytes::new(room.saturating_sub(bytes)),
                            entries: (others.len() + 1).saturating_sub(entries),
                            limits,
                        })
                    } else {
                        Ok(())
                    };
                    prop_assert_eq!(inserted, expected_answer);
                    if inserted.is_ok() {
                        expected.extend(model.find(id));
                        model.kept.retain(|kept| kept.id != id);
                        while model.bytes() + size > bytes || model.kept.len() >= entries {
                            expected.push(model.kept.remove(0).insertion);
                            stats.evicted += 1;
                        }
                        model.kept.push(Kept { id, bytes: size, created: now, insertion });
                        model.last[usize::from(id % 3)] = Some(insertion);
                    }
                }
                Step::Get(id) => {
                    let found = cache.get(moment, &key(id), &mut gone).map(|entry| *entry.value());
                    let slot = model.find(id);
                    prop_assert_eq!(found, model.touch(slot));
                    stats.hits += u64::from(found.is_some());
                    stats.misses += u64::from(found.is_none());
                }
                Step::Newest(id) => {
                    let key = key(id);
                    let found = cache.newest(moment, key.name(), &mut gone);
                    let found = found.map(|entry| *entry.value());
                    let last = model.last[usize::from(id % 3)];
                    prop_assert_eq!(found, model.touch(last));
                    stats.hits += u64::from(found.is_some());
                    stats.misses += u64::from(found.is_none());
                }
                Step::Remove(id) => {
                    let removed = cache.remove(&key(id)).map(|entry| *entry.value());
                    prop_assert_eq!(removed, model.find(id));
                    model.kept.retain(|kept| kept.id != id);
                }
                Step::Wait(time) => now += time,
            }
            let gone: Vec<_> = gone.iter().map(|gone| *gone.entry.value()).collect();
            prop_assert_eq!(gone, expected);
            stats.entries = model.kept.len();
            stats.bytes = Bytes::new(model.bytes());
            prop_assert_eq!(cache.stats(), stats);
            prop_assert!(stats.entries <= entries && stats.bytes <= limits.bytes);
        }
    }

    /// A full cache lets in exactly what it said.
    #[test]
    fn what_is_lacking_is_enough(sizes in prop::collection::vec(1_u64..30, 1..8), size in 1_u64..100) {
        let limits = Limits { entries: 4, bytes: Bytes::new(100), evict: false, lifetime: None };
        let mut cache: KernelCache<()> = KernelCache::new(limits);
        let (now, mut gone) = (Nanoseconds::ZERO, Vec::new());
        let mut kept = Vec::new();
        for (id, bytes) in (0..).zip(sizes) {
            if cache.insert(now, key(id), Bytes::new(bytes), (), &mut gone).is_ok() {
                kept.push(id);
            }
        }
        let mut insert = |cache: &mut KernelCache<()>| {
            cache.insert(now, key(99), Bytes::new(size), (), &mut gone)
        };
        if let Err(Refusal::Full { bytes, entries, .. }) = insert(&mut cache) {
            let (mut freed, mut removed) = (0, 0);
            while freed < bytes.get() || removed < entries {
                prop_assert!(insert(&mut cache).is_err());
                freed += cache.remove(&key(kept.remove(0))).unwrap().bytes().get();
                removed += 1;
            }
            prop_assert_eq!(insert(&mut cache), Ok(()));
        }
    }
}
