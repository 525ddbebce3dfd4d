//! What holds for every engine, whatever happens to its transfers.

use super::*;
use crate::id::TransferId;
use crate::units::{Bytes, Nanoseconds};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::num::NonZeroUsize;

const CHUNKS: usize = 3;
const CHUNK: u64 = 4096;

#[derive(Clone, Debug)]
enum Step {
    Queue(usize, i32, u64),
    Next,
    NextOf(usize),
    Start(u64),
    Completed(u64),
    Failed(u64),
    Cancel(u64),
    Forget,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let id = || 1_u64..30;
    let step = prop_oneof![
        4 => (0_usize..3, -1_i32..2, 0_u64..20_000).prop_map(|(direction, priority, size)| {
            Step::Queue(direction, priority, size)
        }),
        4 => Just(Step::Next),
        3 => (0_usize..3).prop_map(Step::NextOf),
        1 => id().prop_map(Step::Start),
        5 => id().prop_map(Step::Completed),
        1 => id().prop_map(Step::Failed),
        1 => id().prop_map(Step::Cancel),
        1 => Just(Step::Forget),
    ];
    prop::collection::vec(step, 0..200)
}

fn limits() -> Limits {
    let limits = Limits::new(NonZeroUsize::new(CHUNKS).unwrap());
    Direction::ALL
        .into_iter()
        .fold(limits, |limits, direction| {
            limits.within(direction, Nanoseconds::ZERO, Bytes::ZERO)
        })
}

/// An engine, and beside it what was asked of it.
struct Model {
    engine: TransferEngine<()>,
    now: Nanoseconds,
    /// What is still to be handed out: the bytes of each, by order.
    waiting: BTreeMap<(Number, i32, TransferId), (u64, u64)>,
    /// Bytes of the chunks under way of each, the oldest first.
    under_way: BTreeMap<TransferId, (Direction, VecDeque<u64>)>,
    copied: [u64; 3],
    queued: BTreeSet<TransferId>,
    passed_over: [usize; 3],
}

/// Of a direction.
type Number = usize;

impl Model {
    fn new() -> Self {
        Self {
            engine: TransferEngine::new(limits()),
            now: Nanoseconds::ZERO,
            waiting: BTreeMap::new(),
            under_way: BTreeMap::new(),
            copied: [0; 3],
            queued: BTreeSet::new(),
            passed_over: [0; 3],
        }
    }

    fn chunks_under_way(&self, direction: Direction) -> usize {
        let chunks = self.under_way.values();
        let here = chunks.filter(|(each, _)| *each == direction);
        here.map(|(_, chunks)| chunks.len()).sum()
    }

    /// Who must be next in a direction: the first by priority, then by age.
    fn first(&self, direction: Direction) -> Option<TransferId> {
        let here = self
            .waiting
            .keys()
            .filter(|key| key.0 == direction as usize);
        here.map(|key| key.2).next()
    }

    fn ready(&self, direction: Direction) -> bool {
        self.first(direction).is_some() && self.chunks_under_way(direction) < CHUNKS
    }

    fn handed_out(&mut self, chunk: Option<Chunk>) {
        let Some(chunk) = chunk else { return };
        let key = self.waiting.keys().find(|key| key.2 == chunk.transfer);
        let key = *key.expect("it waits");
        let (size, offset) = self.waiting[&key];
        assert_eq!(chunk.offset.get(), offset, "no gap and no overlap");
        assert_eq!(chunk.size.get(), CHUNK.min(size - offset));
        let end = offset + chunk.size.get();
        if end == size {
            self.waiting.remove(&key);
        } else {
            self.waiting.insert(key, (size, end));
        }
        let chunks = self.under_way.entry(chunk.transfer);
        let chunks = chunks.or_insert((chunk.direction, VecDeque::new()));
        chunks.1.push_back(chunk.size.get());
    }

    fn stop(&mut self, id: TransferId) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|key, _| key.2 != id);
        self.waiting.len() < before
    }

    fn chunk_ends(&mut self, id: TransferId) -> Option<(Direction, u64)> {
        let (direction, chunks) = self.under_way.get_mut(&id)?;
        let chunk = chunks.pop_front()?;
        Some((*direction, chunk))
    }

    fn apply(&mut self, step: &Step) {
        self.now = self.now.saturating_add(Nanoseconds::new(1));
        let now = self.now;
        match *step {
            Step::Queue(direction, priority, size) => {
                let request = Request {
                    direction: Direction::ALL[direction],
                    priority,
                    size: Bytes::new(size),
                    payload: (),
                };
                let id = self.engine.queue(now, request);
                assert!(self.queued.insert(id));
                self.waiting.insert((direction, -priority, id), (size, 0));
            }
            Step::Next => self.next(),
            Step::NextOf(direction) => {
                let direction = Direction::ALL[direction];
                let expected = self.first(direction).filter(|_| self.ready(direction));
                let chunk = self.engine.next_of(now, direction).chunk();
                assert_eq!(chunk.map(|chunk| chunk.transfer), expected);
                self.handed_out(chunk);
            }
            Step::Start(id) => {
                let chunk = self.engine.start(now, TransferId::new(id)).chunk();
                self.handed_out(chunk);
            }
            Step::Completed(id) => {
                let id = TransferId::new(id);
                let chunk = self.chunk_ends(id);
                assert_eq!(self.engine.completed(now, id), chunk.is_some());
                if let Some((direction, bytes)) = chunk {
                    self.copied[direction as usize] += bytes;
                }
            }
            Step::Failed(id) => {
                let id = TransferId::new(id);
                let had_chunk = self.chunk_ends(id).is_some();
                let stopped = self.stop(id);
                assert_eq!(
                    self.engine.failed(now, id, "lost".into()),
                    had_chunk || stopped
                );
            }
            Step::Cancel(id) => {
                let id = TransferId::new(id);
                assert_eq!(self.engine.cancel(now, id), self.stop(id));
            }
            Step::Forget => {
                let before = self.engine.stats();
                self.engine.forget_ended();
                assert_eq!(self.engine.stats(), before);
            }
        }
        self.check();
    }

    /// The next of any direction; none that is ready is passed over for more than two.
    fn next(&mut self) {
        let ready = Direction::ALL.map(|direction| self.ready(direction));
        let chunk = self.engine.next(self.now).chunk();
        assert_eq!(chunk.is_some(), ready.contains(&true));
        let Some(next) = chunk else { return };
        assert_eq!(Some(next.transfer), self.first(next.direction));
        for direction in Direction::ALL {
            let passed_over = &mut self.passed_over[direction as usize];
            let waits_on = ready[direction as usize] && direction != next.direction;
            *passed_over = if waits_on { *passed_over + 1 } else { 0 };
            assert!(*passed_over <= 2, "{direction:?} starves");
        }
        self.handed_out(chunk);
    }

    fn check(&self) {
        let stats = self.engine.stats();
        let ended = stats.completed + stats.failed + stats.cancelled;
        let open: BTreeSet<_> = self.waiting.keys().map(|key| key.2).collect();
        let open = self
            .under_way
            .iter()
            .fold(open, |mut open, (id, (_, chunks))| {
                if !chunks.is_empty() {
                    open.insert(*id);
                }
                open
            });
        assert_eq!(ended + open.len() as u64, self.queued.len() as u64);
        assert_eq!(
            stats.pending() + stats.in_progress as u64,
            open.len() as u64
        );
        for direction in Direction::ALL {
            assert_eq!(
                self.engine.under_way(direction),
                self.chunks_under_way(direction)
            );
            assert!(self.engine.under_way(direction) <= CHUNKS);
            assert_eq!(
                stats.bytes[direction].get(),
                self.copied[direction as usize]
            );
        }
    }

    /// Hands out and completes all that is left.
    fn finish(&mut self) {
        while self.engine.stats().is_busy() {
            self.apply(&Step::Next);
            let id = self
                .under_way
                .iter()
                .find(|(_, (_, chunks))| !chunks.is_empty());
            let id = *id.expect("something is under way").0;
            self.apply(&Step::Completed(id.get()));
        }
    }
}

proptest! {
    #[test]
    fn slots_and_bytes_are_conserved_and_every_transfer_ends(steps in steps()) {
        let mut model = Model::new();
        for step in &steps {
            model.apply(step);
        }
        model.finish();
    }

    #[test]
    fn an_urgent_copy_waits_for_one_chunk_at_most(steps in steps(), direction in 0_usize..3) {
        let mut model = Model::new();
        for step in &steps {
            model.apply(step);
        }
        model.apply(&Step::Queue(direction, 9, 100));
        let urgent = *model.queued.last().unwrap();
        let direction = Direction::ALL[direction];
        let mut answer = model.engine.next_of(model.now, direction);
        if let Next::Full { under_way } = answer {
            prop_assert_eq!(under_way, CHUNKS);
            let busy = model.under_way.iter().find(|(_, (each, chunks))| {
                *each == direction && !chunks.is_empty()
            });
            prop_assert!(model.engine.completed(model.now, *busy.unwrap().0));
            answer = model.engine.next_of(model.now, direction);
        }
        prop_assert_eq!(answer.chunk().map(|chunk| chunk.transfer), Some(urgent));
    }
}
