//! Launches queued by lane, handed out once, followed to their end.

use super::lane::{Lane, Limits, Waiting};
use super::launch::{Launch, Stage};
use super::stats::DispatchStats;
use crate::id::{LaneId, LaunchId};
use crate::units::Nanoseconds;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};

/// What a launch asks for.
#[derive(Clone, Debug)]
pub struct Request<T> {
    /// Where it runs.
    pub lane: LaneId,
    /// More is more urgent.
    pub priority: i32,
    /// How long it is predicted to take.
    pub predicted: Nanoseconds,
    /// What its owner needs to carry it out.
    pub payload: T,
}

/// Hands out launches lane by lane, the most urgent first, the oldest of those; never one
/// twice, and never more than [`Limits`] allow. Who waits for a place is not overtaken by
/// something less urgent that would fit.
///
/// ```
/// use pygpukit_core::dispatch::{Dispatcher, Limits, Request};
/// use pygpukit_core::id::LaneId;
/// use pygpukit_core::units::Nanoseconds;
///
/// let (lane, now) = (LaneId::new(0), Nanoseconds::new);
/// let mut dispatcher = Dispatcher::new(Limits { time: now(1000), ..Limits::default() });
/// for (priority, predicted, payload) in [(0, 800, "bulk"), (9, 300, "urgent")] {
///     let predicted = now(predicted);
///     dispatcher.queue(now(0), Request { lane, priority, predicted, payload });
/// }
/// let urgent = dispatcher.next_of(lane).unwrap();
/// assert_eq!(*urgent.payload(), "urgent");
/// // 300 + 800 ns would be more than may be under way.
/// assert!(dispatcher.next_of(lane).is_none());
/// ```
#[derive(Debug)]
pub struct Dispatcher<T> {
    limits: Limits,
    lanes: BTreeMap<LaneId, Lane>,
    /// Looked up only: hashed alike in every process.
    launches: HashMap<LaunchId, Launch<T>, BuildHasherDefault<DefaultHasher>>,
    next: u64,
    stats: DispatchStats,
}

impl<T> Dispatcher<T> {
    /// Without launches. The first id is 1.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            lanes: BTreeMap::new(),
            launches: HashMap::default(),
            next: 1,
            stats: DispatchStats::default(),
        }
    }

    /// How much may be under way on a lane.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Queues a launch.
    pub fn queue(&mut self, now: Nanoseconds, request: Request<T>) -> LaunchId {
        let id = LaunchId::new(self.next);
        self.next += 1;
        self.stats.queued += 1;
        let waiting = Waiting {
            priority: request.priority,
            id: Reverse(id),
        };
        let lane = self.lanes.entry(request.lane).or_default();
        lane.waiting.push(waiting);
        let launch = Launch {
            id,
            lane: request.lane,
            priority: request.priority,
            predicted: request.predicted,
            queued: now,
            stage: Stage::Queued,
            payload: request.payload,
        };
        self.launches.insert(id, launch);
        id
    }

    /// Hands out the next launch of a lane, and a place with it; `None` if nothing waits
    /// or there is no room.
    pub fn next_of(&mut self, lane: LaneId) -> Option<&Launch<T>> {
        let id = self.peek(lane)?.id.0;
        self.hand_out(id)
    }

    /// Hands out the next launches of all lanes that have room, at most `most`: the most
    /// urgent first, whatever their lane.
    pub fn next(&mut self, most: usize) -> Vec<LaunchId> {
        let lanes: Vec<LaneId> = self.lanes.keys().copied().collect();
        let mut heads: BinaryHeap<(Waiting, LaneId)> = BinaryHeap::new();
        for lane in lanes {
            heads.extend(self.peek(lane).map(|head| (head, lane)));
        }
        let mut handed_out = Vec::new();
        while handed_out.len() < most
            && let Some((head, lane)) = heads.pop()
        {
            let id = head.id.0;
            handed_out.extend(self.hand_out(id).map(Launch::id));
            heads.extend(self.peek(lane).map(|head| (head, lane)));
        }
        handed_out
    }

    /// A launch has been launched: one that was handed out, or one that waits for a lane
    /// that has room. False if it is neither.
    pub fn launched(&mut self, now: Nanoseconds, id: LaunchId) -> bool {
        let waits = matches!(self.stage(id), Some(Stage::Queued));
        if waits && !self.has_room(id) {
            return false;
        }
        if waits && self.hand_out(id).is_none() {
            return false;
        }
        let Some(launch) = self.launches.get_mut(&id) else {
            return false;
        };
        if launch.stage != Stage::HandedOut {
            return false;
        }
        launch.stage = Stage::Launched { at: now };
        self.stats.running += 1;
        if let Some(lane) = self.lanes.get_mut(&launch.lane) {
            lane.launched += 1;
        }
        true
    }

    /// A launch has run. False if it was not launched.
    pub fn completed(&mut self, now: Nanoseconds, id: LaunchId) -> bool {
        let Some(&Stage::Launched { at: launched }) = self.stage(id) else {
            return false;
        };
        self.stats.completed += 1;
        let took = now.saturating_sub(launched);
        self.stats.run_time = self.stats.run_time.saturating_add(took);
        self.end(id, Stage::Completed { launched, at: now })
    }

    /// A launch failed. False if it has ended already, or there is none.
    pub fn failed(&mut self, now: Nanoseconds, id: LaunchId, error: String) -> bool {
        let Some(stage) = self.stage(id).filter(|stage| !stage.is_terminal()) else {
            return false;
        };
        let failed = Stage::Failed {
            launched: stage.launched(),
            at: now,
            error,
        };
        self.stats.failed += 1;
        self.end(id, failed)
    }

    /// A launch is not to run. False if it runs or has ended already, or there is none.
    pub fn cancel(&mut self, now: Nanoseconds, id: LaunchId) -> bool {
        if !matches!(self.stage(id), Some(Stage::Queued | Stage::HandedOut)) {
            return false;
        }
        self.stats.cancelled += 1;
        self.end(id, Stage::Cancelled { at: now })
    }

    /// A launch; `None` if it never was, or was forgotten.
    pub fn get(&self, id: LaunchId) -> Option<&Launch<T>> {
        self.launches.get(&id)
    }

    /// The launches that fulfil a condition, in the order in which they were queued.
    pub fn select(&self, condition: impl Fn(&Launch<T>) -> bool) -> Vec<&Launch<T>> {
        let all = self.launches.values();
        let mut selected: Vec<_> = all.filter(|launch| condition(launch)).collect();
        selected.sort_unstable_by_key(|launch| launch.id);
        selected
    }

    /// Forgets the launches that have ended; returns how many those were. Statistics stay.
    pub fn forget_ended(&mut self) -> usize {
        let before = self.launches.len();
        self.launches
            .retain(|_, launch| !launch.stage.is_terminal());
        before - self.launches.len()
    }

    /// Forgets all launches, however far they have come, and begins to count anew. No id
    /// is used again.
    pub fn clear(&mut self) {
        self.lanes.clear();
        self.launches.clear();
        self.stats = DispatchStats::default();
    }

    /// The dispatcher in numbers.
    pub const fn stats(&self) -> DispatchStats {
        self.stats
    }

    /// How many launches of each lane were ever launched, in the order of lanes.
    pub fn launched_by_lane(&self) -> impl Iterator<Item = (LaneId, u64)> {
        self.lanes
            .iter()
            .map(|(&lane, state)| (lane, state.launched))
    }

    /// How long what is under way on a lane is predicted to take.
    pub fn under_way(&self, lane: LaneId) -> Nanoseconds {
        let time = self.lanes.get(&lane).map_or(0, |state| state.time);
        Nanoseconds::new(u64::try_from(time).unwrap_or(u64::MAX))
    }

    fn stage(&self, id: LaunchId) -> Option<&Stage> {
        self.launches.get(&id).map(Launch::stage)
    }

    /// Who is next on a lane, if there is room. Forgets those that do not wait any more.
    fn peek(&mut self, lane: LaneId) -> Option<Waiting> {
        loop {
            let state = self.lanes.get_mut(&lane)?;
            let head = *state.waiting.peek()?;
            let id = head.id.0;
            let waits = self
                .launches
                .get(&id)
                .is_some_and(|launch| launch.stage == Stage::Queued);
            if waits {
                return self.has_room(id).then_some(head);
            }
            state.waiting.pop();
        }
    }

    fn has_room(&self, id: LaunchId) -> bool {
        self.launches.get(&id).is_some_and(|launch| {
            self.lanes
                .get(&launch.lane)
                .is_some_and(|lane| lane.has_room(launch.predicted, &self.limits))
        })
    }

    fn hand_out(&mut self, id: LaunchId) -> Option<&Launch<T>> {
        let launch = self.launches.get_mut(&id)?;
        let lane = self.lanes.get_mut(&launch.lane)?;
        lane.take_place(launch.predicted);
        launch.stage = Stage::HandedOut;
        Some(launch)
    }

    /// Puts a launch to its end, which frees its place.
    fn end(&mut self, id: LaunchId, end: Stage) -> bool {
        let Some(launch) = self.launches.get_mut(&id) else {
            return false;
        };
        let before = std::mem::replace(&mut launch.stage, end);
        let ran = matches!(before, Stage::Launched { .. });
        self.stats.running -= usize::from(ran);
        if let Some(lane) = self.lanes.get_mut(&launch.lane)
            && before != Stage::Queued
        {
            lane.leave_place(launch.predicted);
        }
        true
    }
}
