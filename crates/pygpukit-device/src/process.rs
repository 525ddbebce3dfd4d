//! Which process this is: a forked child has the parent's objects, but neither
//! its threads nor its contexts.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Forks between this process and the one that asked first.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Calls of this process into a library with locks of its own.
static CALLS: AtomicU32 = AtomicU32::new(0);

/// Such a call was under way in another thread when this process was forked: nobody
/// will ever open those locks here.
static IS_STUCK: AtomicBool = AtomicBool::new(false);

/// A call into a library with locks of its own, until it is dropped.
#[derive(Debug)]
pub(crate) struct LibraryCall(());

impl LibraryCall {
    /// Begins one; `None` if it would wait for a thread of a parent process.
    pub(crate) fn begin() -> Option<Self> {
        current();
        if IS_STUCK.load(Ordering::Relaxed) {
            return None;
        }
        CALLS.fetch_add(1, Ordering::Relaxed);
        Some(Self(()))
    }
}

impl Drop for LibraryCall {
    fn drop(&mut self) {
        CALLS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A number that a forked child does not share with its parents.
///
/// It is asked for several times an operation, so forks are counted rather than
/// the system asked who we are.
pub(crate) fn current() -> u32 {
    static IS_COUNTED: OnceLock<bool> = OnceLock::new();
    if *IS_COUNTED.get_or_init(count_forks) {
        FORKS.load(Ordering::Relaxed)
    } else {
        std::process::id()
    }
}

/// True if forks are counted from now on.
#[cfg(unix)]
fn count_forks() -> bool {
    extern "C" fn in_child() {
        FORKS.fetch_add(1, Ordering::Relaxed);
        if CALLS.load(Ordering::Relaxed) > 0 {
            IS_STUCK.store(true, Ordering::Relaxed);
        }
    }
    // SAFETY: between fork and exec the handler only changes atomic numbers.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) == 0 }
}

#[cfg(not(unix))]
fn count_forks() -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    #[test]
    fn a_child_and_its_child_are_other_processes() {
        let here = super::current();
        let forked = |parent: u32, inner: &dyn Fn(u32) -> bool| {
            // SAFETY: the child only adds, compares, forks and exits.
            let child = unsafe { libc::fork() };
            assert!(child >= 0);
            if child == 0 {
                let now = super::current();
                let is_right = now != parent && inner(now);
                // SAFETY: ends the child without its parent's destructors.
                unsafe { libc::_exit(i32::from(!is_right)) };
            }
            let mut status = -1;
            // SAFETY: stores into a live variable; the child is ours.
            unsafe { libc::waitpid(child, &raw mut status, 0) == child && status == 0 }
        };
        let grandchild = |parent| forked(parent, &|now| now != here);
        assert!(forked(here, &grandchild));
        assert_eq!(super::current(), here);
    }
}
