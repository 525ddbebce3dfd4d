//! The end of the interpreter.

use pygpukit_device::scheduler::Scheduler;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyCFunction;
use std::sync::{Arc, Mutex, Weak};

/// Schedulers that are open. Held only for list operations.
static OPEN: Mutex<Vec<Weak<Scheduler>>> = Mutex::new(Vec::new());

/// Sees to it that no task of the scheduler starts once the interpreter ends.
/// Those that run are left behind.
pub(super) fn close_at_exit(py: Python<'_>, scheduler: &Arc<Scheduler>) -> PyResult<()> {
    static REGISTERED: PyOnceLock<()> = PyOnceLock::new();
    REGISTERED.get_or_try_init(py, || {
        let close = PyCFunction::new_closure(py, None, None, |args, _| {
            args.py().detach(close_all);
        })?;
        let atexit = py.import("atexit")?;
        atexit.call_method1("register", (close,)).map(drop)
    })?;
    // In a forked child the lock may be held for ever; its parent closes nothing here.
    if let Ok(mut open) = OPEN.try_lock() {
        open.retain(|scheduler| scheduler.strong_count() > 0);
        open.push(Arc::downgrade(scheduler));
    }
    Ok(())
}

fn close_all() {
    let open = OPEN.try_lock().map(|mut open| std::mem::take(&mut *open));
    for scheduler in open.unwrap_or_default().iter().filter_map(Weak::upgrade) {
        // In a forked child they are the parent's.
        if scheduler.shut_down(true).is_ok() {
            let _ = scheduler.end_log();
        }
    }
}
