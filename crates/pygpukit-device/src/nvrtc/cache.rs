//! What was compiled in this process.

use super::arch::Arch;
use super::program::Image;
use super::source::Source;
use crate::error::Result;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// All that decides what a compilation gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) source: Source,
    pub(super) expression: String,
    pub(super) options: Vec<String>,
    pub(super) arch: Arch,
    pub(super) compiler: (u32, u32),
}

impl Key {
    /// False if the result also depends on files: what was included may have changed.
    pub(super) fn is_complete(&self) -> bool {
        let names_a_file = |text: &String| text.contains("include") || text.starts_with('@');
        !self.source.text().contains("include") && !self.options.iter().any(names_a_file)
    }
}

/// Locked while its key is compiled; other keys are not affected.
type Cell = Arc<Mutex<Option<Arc<Image>>>>;

/// A bounded number of images, the least recently asked for dropped first.
#[derive(Debug)]
pub(super) struct Cache {
    capacity: usize,
    /// Held only to find a cell, never while compiling.
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    cells: HashMap<Key, (Cell, u64)>,
    clock: u64,
}

impl Cache {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            entries: Mutex::default(),
        }
    }

    /// The image of `key`. Callers with the same key wait for the first one's
    /// compilation; a failure is not kept.
    pub(super) fn get_or_compile(
        &self,
        key: &Key,
        compile: impl FnOnce(&Key) -> Result<Image>,
    ) -> Result<Arc<Image>> {
        let cell = self.cell(key);
        let mut image = cell.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(image) = &*image {
            return Ok(Arc::clone(image));
        }
        let compiled = Arc::new(compile(key)?);
        *image = Some(Arc::clone(&compiled));
        Ok(compiled)
    }

    fn cell(&self, key: &Key) -> Cell {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.clock += 1;
        let now = entries.clock;
        if let Some((cell, used)) = entries.cells.get_mut(key) {
            *used = now;
            return Arc::clone(cell);
        }
        if entries.cells.len() >= self.capacity {
            let stalest = entries.cells.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(stalest) = stalest.map(|(key, _)| key.clone()) {
                entries.cells.remove(&stalest);
            }
        }
        let cell = Cell::default();
        entries.cells.insert(key.clone(), (Arc::clone(&cell), now));
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn key(text: &str) -> Key {
        Key {
            source: Source::from_text(text, "k.cu"),
            expression: "k".into(),
            options: Vec::new(),
            arch: Arch::DEFAULT,
            compiler: (13, 0),
        }
    }

    fn image(key: &Key) -> Image {
        Image {
            arch: key.arch,
            compiler: key.compiler,
            entry: key.expression.clone(),
            ptx: key.source.text().into(),
            cubin: None,
            diagnostics: Vec::new(),
            log: String::new(),
        }
    }

    #[test]
    fn one_compilation_per_key_under_concurrency() {
        let cache = Cache::new(8);
        let count = AtomicUsize::new(0);
        let start = Barrier::new(8);
        std::thread::scope(|scope| {
            for i in 0..8 {
                let (cache, count, start) = (&cache, &count, &start);
                scope.spawn(move || {
                    start.wait();
                    let text = ["a", "b"][i % 2];
                    let found = cache.get_or_compile(&key(text), |key| {
                        count.fetch_add(1, Ordering::Relaxed);
                        Ok(image(key))
                    });
                    assert_eq!(found.unwrap().ptx, text);
                });
            }
        });
        assert_eq!(count.into_inner(), 2);
    }

    /// Each of two compilations begins before either ends.
    #[test]
    fn keys_do_not_wait_for_each_other() {
        let cache = Cache::new(8);
        let both = Barrier::new(2);
        std::thread::scope(|scope| {
            for text in ["a", "b"] {
                let (cache, both) = (&cache, &both);
                scope.spawn(move || {
                    let compile = |key: &Key| {
                        both.wait();
                        Ok(image(key))
                    };
                    cache.get_or_compile(&key(text), compile).unwrap();
                });
            }
        });
    }

    #[test]
    fn failures_are_not_kept_and_the_stalest_goes() {
        let cache = Cache::new(2);
        let fail = |_: &Key| Err(Error::Unsupported("no".into()));
        assert!(cache.get_or_compile(&key("a"), fail).is_err());
        let good = |key: &Key| Ok(image(key));
        for text in ["a", "b", "a", "c"] {
            cache.get_or_compile(&key(text), good).unwrap();
        }
        // `a` was asked for after `b`, so `c` took the place of `b`.
        assert!(cache.get_or_compile(&key("a"), fail).is_ok());
        assert!(cache.get_or_compile(&key("b"), fail).is_err());
    }

    #[test]
    fn every_part_of_the_key_counts() {
        let first = key("a");
        let options = vec!["-G".to_owned()];
        let different = [
            Key {
                source: Source::from_text("b", "k.cu"),
                ..first.clone()
            },
            Key {
                expression: "l".into(),
                ..first.clone()
            },
            Key {
                options,
                ..first.clone()
            },
            Key {
                arch: "sm_80".parse().unwrap(),
                ..first.clone()
            },
            Key {
                compiler: (13, 1),
                ..first.clone()
            },
        ];
        let cache = Cache::new(16);
        cache.get_or_compile(&first, |key| Ok(image(key))).unwrap();
        for key in different {
            let missed = cache.get_or_compile(&key, |_| Err(Error::Unsupported("miss".into())));
            assert_eq!(missed.unwrap_err().to_string(), "miss");
        }
        assert!(key("int x;").is_complete());
        assert!(!key("#include \"x.h\"").is_complete());
    }
}
