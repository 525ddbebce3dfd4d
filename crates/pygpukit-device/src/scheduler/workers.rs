//! Threads that run tasks: started when there is nothing idle, and kept.
//!
//! They do not keep the process from ending.

use super::task::TaskCell;
use crate::backend::Queue;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The workers of one device. How many tasks run at once is the core's decision.
#[derive(Debug)]
pub(super) struct Workers {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    ready: VecDeque<Arc<TaskCell>>,
    idle: usize,
    threads: usize,
    is_closed: bool,
}

impl Workers {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a task to an idle thread, or to a new one.
    ///
    /// # Errors
    /// There is no thread, and none can be started.
    pub(super) fn push(self: &Arc<Self>, cell: Arc<TaskCell>) -> std::io::Result<()> {
        let mut state = self.lock();
        state.ready.push_back(cell);
        if state.ready.len() <= state.idle {
            self.changed.notify_one();
            return Ok(());
        }
        let workers = Arc::clone(self);
        let spawned = std::thread::Builder::new()
            .name("pygpukit-worker".into())
            .spawn(move || workers.serve());
        match spawned {
            Ok(_) => state.threads += 1,
            Err(error) if state.threads == 0 => {
                state.ready.pop_back();
                return Err(error);
            }
            // One of the others takes it when it is done.
            Err(_) => {}
        }
        Ok(())
    }

    /// Lets the threads end when they have nothing to do.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn serve(&self) {
        // A lane for one task after another: making one costs more than a task.
        let mut lane: Option<Arc<dyn Queue>> = None;
        while let Some(cell) = self.next() {
            cell.run(&mut lane);
        }
    }

    fn next(&self) -> Option<Arc<TaskCell>> {
        let mut state = self.lock();
        loop {
            if let Some(cell) = state.ready.pop_front() {
                return Some(cell);
            }
            if state.is_closed {
                state.threads -= 1;
                return None;
            }
            state.idle += 1;
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}
