//! Tasks by id, for as long as anybody holds them.

use super::task::TaskCell;
use pygpukit_core::id::TaskId;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// Tasks by id. Those that nobody holds are forgotten now and then, so that
/// adding one takes constant time on average.
#[derive(Debug, Default)]
pub(super) struct Known {
    tasks: BTreeMap<TaskId, Weak<TaskCell>>,
    tidy_at: usize,
}

impl Known {
    pub(super) fn add(&mut self, cell: &Arc<TaskCell>) {
        if self.tasks.len() >= self.tidy_at {
            self.tasks.retain(|_, cell| cell.strong_count() > 0);
            self.tidy_at = (2 * self.tasks.len()).max(1024);
        }
        self.tasks.insert(cell.id, Arc::downgrade(cell));
    }

    pub(super) fn get(&self, id: TaskId) -> Option<Arc<TaskCell>> {
        self.tasks.get(&id)?.upgrade()
    }
}
