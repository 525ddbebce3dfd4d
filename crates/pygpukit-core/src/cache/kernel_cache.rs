//! Kernels by key, the least recently asked for leaving first.

use super::entry::{Entry, Gone, Why};
use super::key::{KernelKey, Key};
use super::limits::{Limits, Refusal};
use super::stats::CacheStats;
use crate::collections::{IdMap, List, Slab, Slot};
use crate::units::{Bytes, Nanoseconds};

/// Kernels by key, within [`Limits`].
///
/// What leaves is added to the `gone` of the call that it leaves in, but for what
/// [`remove`](Self::remove) returns.
///
/// ```
/// use pygpukit_core::cache::{CompileOptions, KernelCache, KernelKey, Limits};
/// use pygpukit_core::units::{Bytes, Nanoseconds};
///
/// let now = Nanoseconds::ZERO;
/// let mut cache = KernelCache::new(Limits { entries: 1, ..Limits::default() });
/// let key = |name| KernelKey::new("void f() {} void g() {}", name, CompileOptions::default());
/// let mut gone = Vec::new();
/// cache.insert(now, key("f"), Bytes::new(3000), "loaded f", &mut gone)?;
/// cache.insert(now, key("g"), Bytes::new(3000), "loaded g", &mut gone)?;
/// assert_eq!(*gone[0].entry.value(), "loaded f");
/// assert!(cache.get(now, &key("f"), &mut gone).is_none());
/// assert_eq!(*cache.get(now, &key("g"), &mut gone).unwrap().value(), "loaded g");
/// # Ok::<(), pygpukit_core::cache::Refusal>(())
/// ```
#[derive(Debug)]
pub struct KernelCache<V, K: Key = KernelKey> {
    limits: Limits,
    entries: Slab<Entry<K, V>>,
    by_key: IdMap<K>,
    /// The last that was put in under each name, while it is kept.
    by_name: IdMap<K::Name>,
    /// The least recently used first.
    by_use: List,
    /// The oldest first.
    by_age: List,
    bytes: u64,
    /// Counters of events.
    counted: CacheStats,
}

impl<V, K: Key> KernelCache<V, K> {
    /// Without kernels.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            entries: Slab::default(),
            by_key: IdMap::default(),
            by_name: IdMap::default(),
            by_use: List::default(),
            by_age: List::default(),
            bytes: 0,
            counted: CacheStats::default(),
        }
    }

    /// How much is kept, and for how long.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The kernel of a key; a hit, or a miss.
    pub fn get(
        &mut self,
        now: Nanoseconds,
        key: &K,
        gone: &mut Vec<Gone<K, V>>,
    ) -> Option<&Entry<K, V>> {
        self.expire(now, gone);
        self.ask(now, self.by_key.get(key))
    }

    /// The kernel that was put in last under a name; a hit, or a miss. Once that has left,
    /// there is none, so that an older source is never taken for it.
    pub fn newest(
        &mut self,
        now: Nanoseconds,
        name: &K::Name,
        gone: &mut Vec<Gone<K, V>>,
    ) -> Option<&Entry<K, V>> {
        self.expire(now, gone);
        self.ask(now, self.by_name.get(name))
    }

    /// The kernel of a key, neither a hit nor a miss; `None` if it is too old.
    pub fn peek(&self, now: Nanoseconds, key: &K) -> Option<&Entry<K, V>> {
        let entry = self.entries.get(self.by_key.get(key)?)?;
        self.is_alive(entry, now).then_some(entry)
    }

    /// What is kept for a key, to be changed; `None` if it is too old.
    pub fn value_mut(&mut self, now: Nanoseconds, key: &K) -> Option<&mut V> {
        self.peek(now, key)?;
        let entry = self.entries.get_mut(self.by_key.get(key)?)?;
        Some(&mut entry.value)
    }

    /// Keeps a kernel, which counts for so many bytes, instead of what was kept for its key.
    ///
    /// # Errors
    /// If it cannot be kept. Nothing leaves then, but for what is too old.
    pub fn insert(
        &mut self,
        now: Nanoseconds,
        key: K,
        bytes: Bytes,
        value: V,
        gone: &mut Vec<Gone<K, V>>,
    ) -> Result<(), Refusal> {
        self.expire(now, gone);
        let replaced = self.by_key.get(&key);
        self.check(bytes, replaced)?;
        if let Some(slot) = replaced {
            self.take(slot, Why::Replaced, gone);
        }
        while bytes.get() > self.limits.bytes.get() - self.bytes
            || self.entries.len() >= self.limits.entries
        {
            let Some(slot) = self.by_use.first() else {
                break;
            };
            self.counted.evicted += 1;
            self.take(slot, Why::Evicted, gone);
        }
        self.put(Entry {
            key,
            value,
            bytes,
            created: now,
            used: now,
            uses: 1,
        });
        Ok(())
    }

    /// Takes a kernel out, however old it is.
    pub fn remove(&mut self, key: &K) -> Option<Entry<K, V>> {
        let slot = self.by_key.get(key)?;
        self.remove_slot(slot)
    }

    /// Takes all out that are too old; returns how many those were.
    pub fn expire(&mut self, now: Nanoseconds, gone: &mut Vec<Gone<K, V>>) -> usize {
        let mut many = 0;
        while let Some(slot) = self.by_age.first()
            && let Some(oldest) = self.entries.get(slot)
            && !self.is_alive(oldest, now)
        {
            many += 1;
            self.counted.expired += 1;
            self.take(slot, Why::Expired, gone);
        }
        many
    }

    /// When the next kernel will be too old.
    pub fn next_expiry(&self) -> Option<Nanoseconds> {
        let oldest = self.entries.get(self.by_age.first()?)?;
        Some(oldest.created.saturating_add(self.limits.lifetime?))
    }

    /// Takes all out, and begins to count anew.
    pub fn clear(&mut self, gone: &mut Vec<Gone<K, V>>) {
        while let Some(slot) = self.by_age.first() {
            self.take(slot, Why::Cleared, gone);
        }
        self.counted = CacheStats::default();
    }

    /// The kernels that are not too old, in the order in which they were put in.
    pub fn iter(&self, now: Nanoseconds) -> impl Iterator<Item = &Entry<K, V>> {
        let entries = self.by_age.iter().filter_map(|slot| self.entries.get(slot));
        entries.filter(move |entry| self.is_alive(entry, now))
    }

    /// The cache in numbers. What is too old counts until it is taken out.
    pub fn stats(&self) -> CacheStats {
        CacheStats {
            entries: self.entries.len(),
            bytes: Bytes::new(self.bytes),
            ..self.counted
        }
    }

    fn is_alive(&self, entry: &Entry<K, V>, now: Nanoseconds) -> bool {
        let age = now.saturating_sub(entry.created);
        self.limits.lifetime.is_none_or(|lifetime| age < lifetime)
    }

    /// A hit, or a miss.
    fn ask(&mut self, now: Nanoseconds, slot: Option<Slot>) -> Option<&Entry<K, V>> {
        let Some(slot) = slot else {
            self.counted.misses += 1;
            return None;
        };
        self.counted.hits += 1;
        self.by_use.remove(slot);
        self.by_use.push(slot);
        let entry = self.entries.get_mut(slot)?;
        entry.used = now;
        entry.uses += 1;
        Some(entry)
    }

    /// Whether there is room for so many bytes, or can be made.
    fn check(&self, asked: Bytes, replaced: Option<Slot>) -> Result<(), Refusal> {
        let limits = self.limits;
        if limits.entries == 0 {
            return Err(Refusal::NoEntries);
        }
        if asked > limits.bytes {
            let limit = limits.bytes;
            return Err(Refusal::TooLarge { asked, limit });
        }
        let replaced = replaced.and_then(|slot| self.entries.get(slot));
        let others = self.bytes - replaced.map_or(0, |entry| entry.bytes.get());
        let bytes = asked.get().saturating_sub(limits.bytes.get() - others);
        let others = self.entries.len() - usize::from(replaced.is_some());
        let entries = (others + 1).saturating_sub(limits.entries);
        if limits.evict || (bytes == 0 && entries == 0) {
            return Ok(());
        }
        Err(Refusal::Full {
            asked,
            bytes: Bytes::new(bytes),
            entries,
            limits,
        })
    }

    fn put(&mut self, entry: Entry<K, V>) {
        let (key, name) = (entry.key.clone(), entry.key.name().clone());
        self.bytes += entry.bytes.get();
        let slot = self.entries.insert(entry);
        self.by_key.insert(key, slot);
        self.by_name.insert(name, slot);
        self.by_use.push(slot);
        self.by_age.push(slot);
    }

    fn take(&mut self, slot: Slot, why: Why, gone: &mut Vec<Gone<K, V>>) {
        let entry = self.remove_slot(slot);
        gone.extend(entry.map(|entry| Gone { entry, why }));
    }

    fn remove_slot(&mut self, slot: Slot) -> Option<Entry<K, V>> {
        let entry = self.entries.remove(slot)?;
        self.bytes -= entry.bytes.get();
        self.by_key.remove(&entry.key);
        if self.by_name.get(entry.key.name()) == Some(slot) {
            self.by_name.remove(entry.key.name());
        }
        self.by_use.remove(slot);
        self.by_age.remove(slot);
        Some(entry)
    }
}
