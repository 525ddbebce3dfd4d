//! Kernels, one by one.

use super::*;
use crate::units::{Bytes, Nanoseconds};

type Cache = KernelCache<&'static str>;

fn at(nanoseconds: u64) -> Nanoseconds {
    Nanoseconds::new(nanoseconds)
}

fn key(source: &str, name: &str) -> KernelKey {
    KernelKey::new(source, name, CompileOptions::default())
}

fn limits(entries: usize, bytes: u64) -> Limits {
    Limits {
        entries,
        bytes: Bytes::new(bytes),
        ..Limits::default()
    }
}

/// Puts in `name`s of 10 bytes; returns what left.
fn insert(cache: &mut Cache, now: u64, names: &[&'static str]) -> Vec<(&'static str, Why)> {
    let mut gone = Vec::new();
    for name in names {
        let inserted = cache.insert(at(now), key(name, name), Bytes::new(10), *name, &mut gone);
        inserted.unwrap();
    }
    what(&gone)
}

fn what(gone: &[Gone<KernelKey, &'static str>]) -> Vec<(&'static str, Why)> {
    gone.iter()
        .map(|gone| (*gone.entry.value(), gone.why))
        .collect()
}

fn get(cache: &mut Cache, now: u64, name: &str) -> Option<&'static str> {
    let entry = cache.get(at(now), &key(name, name), &mut Vec::new());
    entry.map(|entry| *entry.value())
}

#[test]
fn the_least_recently_used_leaves_first() {
    for mut cache in [Cache::new(limits(3, 1000)), Cache::new(limits(1000, 35))] {
        assert_eq!(insert(&mut cache, 0, &["a", "b", "c"]), []);
        assert_eq!(get(&mut cache, 1, "a"), Some("a"));
        assert_eq!(
            insert(&mut cache, 2, &["d", "e"]),
            [("b", Why::Evicted), ("c", Why::Evicted)]
        );
        assert_eq!(get(&mut cache, 3, "b"), None);
        let stats = cache.stats();
        assert_eq!(
            (stats.entries, stats.bytes, stats.evicted),
            (3, Bytes::new(30), 2)
        );
        assert_eq!((stats.hits, stats.misses), (1, 1));
    }
}

#[test]
fn what_is_too_large_is_refused_and_nothing_leaves() {
    let mut cache = Cache::new(limits(3, 35));
    insert(&mut cache, 0, &["a", "b"]);
    let mut gone = Vec::new();
    let refusal = cache.insert(at(0), key("c", "c"), Bytes::new(36), "c", &mut gone);
    let refusal = refusal.unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "a kernel of 36 bytes is larger than the cache, which holds 35"
    );
    assert!(gone.is_empty() && get(&mut cache, 0, "a").is_some());
    let mut none = Cache::new(limits(0, 35));
    let refusal = none.insert(at(0), key("c", "c"), Bytes::ZERO, "c", &mut gone);
    assert_eq!(refusal, Err(Refusal::NoEntries));
}

#[test]
fn a_full_cache_that_evicts_nothing_says_what_is_lacking() {
    let mut cache = Cache::new(Limits {
        evict: false,
        ..limits(2, 35)
    });
    insert(&mut cache, 0, &["a", "b"]);
    let mut gone = Vec::new();
    let refusal = cache.insert(at(0), key("c", "c"), Bytes::new(20), "c", &mut gone);
    assert_eq!(
        refusal.unwrap_err().to_string(),
        "the cache is full and evicts nothing: a kernel of 20 bytes lacks 5 of 35 bytes and 1 of 2 entries"
    );
    // Its own room is free to what replaces it.
    cache
        .insert(at(1), key("a", "a"), Bytes::new(25), "a again", &mut gone)
        .unwrap();
    assert_eq!(what(&gone), [("a", Why::Replaced)]);
    assert_eq!(cache.stats().bytes, Bytes::new(35));
    cache.remove(&key("b", "b")).unwrap();
    cache
        .insert(at(1), key("c", "c"), Bytes::new(10), "c", &mut gone)
        .unwrap();
}

#[test]
fn age_is_counted_from_when_a_kernel_was_put_in() {
    let lifetime = Some(at(100));
    let mut cache = Cache::new(Limits {
        lifetime,
        ..limits(9, 1000)
    });
    insert(&mut cache, 0, &["a"]);
    insert(&mut cache, 50, &["b"]);
    assert_eq!(get(&mut cache, 99, "a"), Some("a"));
    assert_eq!(cache.next_expiry(), Some(at(100)));
    assert!(cache.peek(at(99), &key("a", "a")).is_some());
    assert!(cache.peek(at(100), &key("a", "a")).is_none());
    assert!(cache.value_mut(at(100), &key("a", "a")).is_none());
    let alive = |entry: &Entry<KernelKey, &'static str>| *entry.value();
    assert_eq!(cache.iter(at(100)).map(alive).collect::<Vec<_>>(), ["b"]);
    let mut gone = Vec::new();
    assert!(
        cache
            .newest(at(100), key("a", "a").name(), &mut gone)
            .is_none()
    );
    assert_eq!(what(&gone), [("a", Why::Expired)]);
    assert_eq!(
        (
            cache.expire(at(149), &mut gone),
            cache.expire(at(150), &mut gone)
        ),
        (0, 1)
    );
    let stats = cache.stats();
    assert_eq!((stats.entries, stats.expired, stats.evicted), (0, 2, 0));
    assert_eq!((stats.hits, stats.misses), (1, 1));
}

#[test]
fn the_last_that_was_put_in_has_the_name() {
    let mut cache = Cache::new(limits(9, 1000));
    let (old, new) = (key("old", "k"), key("new", "k"));
    let mut gone = Vec::new();
    for (key, value) in [(&old, "old"), (&new, "new")] {
        cache
            .insert(at(0), key.clone(), Bytes::new(1), value, &mut gone)
            .unwrap();
    }
    let newest = |cache: &mut Cache| {
        let entry = cache.newest(at(1), old.name(), &mut Vec::new());
        entry.map(|entry| *entry.value())
    };
    assert_eq!(newest(&mut cache), Some("new"));
    // The other is still there, but not what the name means.
    assert_eq!(cache.remove(&new).map(|entry| *entry.value()), Some("new"));
    assert_eq!(newest(&mut cache), None);
    assert!(cache.get(at(1), &old, &mut gone).is_some());
    assert_eq!((cache.stats().hits, cache.stats().misses), (2, 1));
}

#[test]
fn keys_that_hash_alike_are_two_keys() {
    let mut cache = Cache::new(limits(9, 1000));
    let [first, second, third] =
        ["first", "second", "third"].map(|source| key(source, source).hashing_to(7));
    let mut gone = Vec::new();
    cache
        .insert(at(0), first.clone(), Bytes::new(1), "first", &mut gone)
        .unwrap();
    assert!(cache.get(at(0), &second, &mut gone).is_none());
    cache
        .insert(at(0), second.clone(), Bytes::new(1), "second", &mut gone)
        .unwrap();
    for (key, value) in [(&first, "first"), (&second, "second")] {
        assert_eq!(
            cache.get(at(0), key, &mut gone).map(|entry| *entry.value()),
            Some(value)
        );
    }
    assert!(cache.remove(&third).is_none() && gone.is_empty());
}

#[test]
fn every_part_of_a_key_counts() {
    let options = CompileOptions::default;
    let keys = [
        key("a", "k"),
        key("b", "k"),
        key("a", "l"),
        KernelKey::new("a", "k", CompileOptions::new("sm_90")),
        KernelKey::new("a", "k", options().flag("-G")),
        KernelKey::new("a", "k", options().flag("-G").flag("-w")),
        KernelKey::new("a", "k", options().flag("-w").flag("-G")),
        KernelKey::new("a", "k", options().define("N", "1")),
        KernelKey::new("a", "k", options().define("N", "2")),
        KernelKey::new("a", "k", options().include("x")),
    ];
    for (at, key) in keys.iter().enumerate() {
        for (other_at, other) in keys.iter().enumerate() {
            assert_eq!(key == other, at == other_at);
            assert_eq!(key.hash64() == other.hash64(), at == other_at);
        }
    }
    let order = |names: [&str; 2]| {
        let options = names
            .into_iter()
            .fold(options(), |options, name| options.define(name, ""));
        KernelKey::new("a", "k", options)
    };
    assert_eq!(order(["M", "N"]), order(["N", "M"]));
    assert_eq!(hash_source("a"), hash_source("a"));
    assert_ne!(hash_source("a"), hash_source("b"));
}

#[test]
fn all_that_is_cleared_is_reported() {
    let mut cache = Cache::new(limits(9, 1000));
    insert(&mut cache, 0, &["a", "b"]);
    *cache.value_mut(at(0), &key("a", "a")).unwrap() = "loaded";
    let mut gone = Vec::new();
    cache.clear(&mut gone);
    assert_eq!(what(&gone), [("loaded", Why::Cleared), ("b", Why::Cleared)]);
    assert_eq!(cache.stats(), CacheStats::default());
}

#[test]
fn sizes_do_not_overflow() {
    let mut cache = Cache::new(limits(9, u64::MAX));
    let mut gone = Vec::new();
    for name in ["a", "b"] {
        let size = Bytes::new(u64::MAX);
        cache
            .insert(at(0), key(name, name), size, name, &mut gone)
            .unwrap();
    }
    assert_eq!(what(&gone), [("a", Why::Evicted)]);
}
