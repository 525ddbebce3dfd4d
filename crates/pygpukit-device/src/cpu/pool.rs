//! The device's threads, for work that is worth several.

use crate::error::{Error, Result};
use rayon::ThreadPool;
use std::ops::Range;
use std::sync::OnceLock;

/// The most threads that the environment may ask for: more than any one machine has
/// cores. Many more would never get past starting.
const MOST_THREADS: usize = 1024;

/// The device's threads. Started when first needed, shared by all its queues.
#[derive(Debug)]
pub(super) struct Pool {
    threads: usize,
    started: OnceLock<Option<ThreadPool>>,
}

impl Pool {
    /// As many threads as `PYGPUKIT_CPU_THREADS` says, else as many as this
    /// process may use.
    pub(super) fn from_environment() -> Result<Self> {
        let threads = match std::env::var("PYGPUKIT_CPU_THREADS") {
            Ok(text) if !text.is_empty() => threads(&text)?,
            _ => super::host::cores().min(MOST_THREADS),
        };
        Ok(Self::new(threads))
    }

    pub(super) const fn new(threads: usize) -> Self {
        Self {
            threads,
            started: OnceLock::new(),
        }
    }

    pub(super) const fn threads(&self) -> usize {
        self.threads
    }

    /// Runs on the pool's threads, so that what `act` does in parallel uses them;
    /// on the caller's if the pool has one thread, or none can be started.
    pub(super) fn install<T: Send>(&self, act: impl FnOnce() -> T + Send) -> T {
        let pool = self.started.get_or_init(|| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(self.threads)
                .thread_name(|i| format!("pygpukit-cpu-{i}"))
                .build()
                .ok()
                .filter(|_| self.threads > 1)
        });
        match pool {
            Some(pool) => pool.install(act),
            None => act(),
        }
    }

    /// Splits `0..total` into ranges of at least `grain`, and runs them in any
    /// order on any thread; returns when all are done.
    pub(super) fn split(&self, total: usize, grain: usize, act: impl Fn(Range<usize>) + Sync) {
        // A few ranges a thread, so that a slow one does not leave the others idle.
        let parts = (total / grain).min(4 * self.threads);
        if parts < 2 || self.threads < 2 {
            if total > 0 {
                act(0..total);
            }
            return;
        }
        // Whole cache lines of one-byte elements: two threads never write one line.
        let length = total.div_ceil(parts).next_multiple_of(64);
        self.install(|| {
            use rayon::prelude::*;
            (0..total.div_ceil(length)).into_par_iter().for_each(|i| {
                act(i * length..total.min((i + 1) * length));
            });
        });
    }
}

/// The number that `PYGPUKIT_CPU_THREADS` names.
fn threads(text: &str) -> Result<usize> {
    match text.parse() {
        Ok(threads) if (1..=MOST_THREADS).contains(&threads) => Ok(threads),
        _ => Err(Error::Value(format!(
            "`PYGPUKIT_CPU_THREADS={text}` is not a number of threads from 1 to {MOST_THREADS}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_THREADS, Pool, threads};
    use std::sync::Mutex;

    #[test]
    fn the_number_of_threads_is_limited() {
        assert_eq!(threads("1").unwrap(), 1);
        assert_eq!(threads(&MOST_THREADS.to_string()).unwrap(), MOST_THREADS);
        for bad in [
            "0",
            "-1",
            "1025",
            "99999999999999999999",
            "many",
            "1.5",
            " 2",
        ] {
            let error = threads(bad).unwrap_err().to_string();
            assert!(error.contains(&format!("={bad}`")), "{error}");
            assert!(error.contains("from 1 to 1024"), "{error}");
        }
    }

    #[test]
    fn every_index_is_visited_once() {
        for threads in [1, 2, 3] {
            for total in [0, 1, 63, 64, 65, 1000, 4096, 4097] {
                let seen = Mutex::new(vec![0; total]);
                Pool::new(threads).split(total, 100, |range| {
                    let mut seen = seen.lock().unwrap();
                    for i in range {
                        seen[i] += 1;
                    }
                });
                assert!(seen.into_inner().unwrap().iter().all(|&count| count == 1));
            }
        }
    }
}
