//! The thread that notices queue timeouts. There is one only while tasks wait
//! that have a timeout.

use super::node::{Node, State};
use pygpukit_core::scheduler::Event;
use std::sync::{Arc, MutexGuard, PoisonError};

impl Node {
    /// Looks at the clock.
    pub(super) fn tick(&self) {
        self.step(Event::Tick).carry_out();
        self.timeouts.notify_one();
    }

    /// Sees to it that the next timeout is noticed.
    pub(super) fn watch_timeouts(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        if state.core.next_timeout().is_none() {
            return;
        }
        if state.has_timer {
            self.timeouts.notify_one();
            return;
        }
        let node = Arc::clone(self);
        let spawned = std::thread::Builder::new()
            .name("pygpukit-timer".into())
            .spawn(move || node.serve_timeouts());
        // Without it a timeout is noticed when anything else happens.
        state.has_timer = spawned.is_ok();
    }

    fn serve_timeouts(&self) {
        let mut state = self.lock();
        while let Some(due) = state.core.next_timeout() {
            let now = self.now();
            if due <= now {
                let orders = state.step(now, Event::Tick);
                drop(state);
                orders.carry_out();
                state = self.lock();
                continue;
            }
            let left = due.saturating_sub(now).into();
            let (guard, _) = self
                .timeouts
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner);
            state = guard;
        }
        state.has_timer = false;
    }
}
