//! Streams that share the time of a device.

use super::paced_stream::{PacedStream, StreamPacingStats};
use super::predictor::{Predictor, ShapeClass};
use crate::id::{KernelId, LaneId};
use crate::ledger::{Amount, Ledger, Resource, Shortage};
use crate::units::{Nanoseconds, Share, SmNanoseconds};
use std::collections::BTreeMap;

/// How streams are paced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacingConfig {
    /// The share of the device's time that streams may have together.
    pub total: Share,
    /// A stream may save up its share of that much time. At least a nanosecond.
    pub window: Nanoseconds,
    /// Launches of a stream are at least so far apart. A launch whose duration is not
    /// known is taken to last as long.
    pub min_interval: Nanoseconds,
    /// Whether the durations of launches that have ended are used to predict the next.
    pub adaptive: bool,
}

impl PacingConfig {
    /// How long a launch is taken to last of which nothing is known. Never no time:
    /// such launches could not be shared out.
    pub(super) fn guess(&self) -> Nanoseconds {
        self.min_interval.max(Nanoseconds::new(1))
    }
}

impl Default for PacingConfig {
    fn default() -> Self {
        Self {
            total: Share::ONE,
            window: Nanoseconds::new(100_000_000),
            min_interval: Nanoseconds::new(100_000),
            adaptive: true,
        }
    }
}

/// Whether a stream may launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a stream may only launch after `Launch`"]
pub enum PacingDecision {
    /// It may.
    Launch,
    /// Its last launch was just now; it may at that moment.
    Wait {
        /// The moment.
        until: Nanoseconds,
    },
    /// Its share of the time is used up.
    Throttle {
        /// When it may launch; `None` if it has no share of the time.
        until: Option<Nanoseconds>,
    },
}

/// All streams in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacingStats {
    /// Streams that have a share.
    pub streams: usize,
    /// What they have together.
    pub used: Share,
    /// What is left.
    pub available: Share,
    /// Launches recorded.
    pub launches: u64,
    /// Throttled launches recorded.
    pub throttled: u64,
    /// Waits recorded.
    pub waited: u64,
}

/// Gives each stream its share of a device's time.
///
/// A launch is charged the time that it is predicted to take when it is recorded, and
/// corrected when it is known to have ended: a stream whose kernels take longer
/// launches fewer. A stream that has no share is not paced.
#[derive(Debug)]
pub struct PacingEngine {
    config: PacingConfig,
    ledger: Ledger,
    streams: BTreeMap<LaneId, PacedStream>,
    durations: Predictor,
    launches: u64,
    throttled: u64,
    waited: u64,
}

impl PacingEngine {
    /// Of a device of which no stream has a share.
    pub fn new(config: PacingConfig) -> Self {
        let window = config.window.max(Nanoseconds::new(1));
        let config = PacingConfig { window, ..config };
        Self {
            config,
            ledger: Ledger::new(Amount::NOTHING.bandwidth(config.total)),
            streams: BTreeMap::new(),
            durations: Predictor::new(SmNanoseconds::of(1, config.guess()), 1024),
            launches: 0,
            throttled: 0,
            waited: 0,
        }
    }

    /// Gives a stream a share of the time, in place of what it had.
    ///
    /// # Errors
    /// [`Shortage`] where the others leave less, and nothing has changed.
    pub fn allocate(
        &mut self,
        now: Nanoseconds,
        stream: LaneId,
        bandwidth: Share,
    ) -> Result<(), Shortage> {
        if let Some(known) = self.streams.get_mut(&stream) {
            return known.change(now, bandwidth, &mut self.ledger, &self.config);
        }
        let grant = self.ledger.reserve(Amount::NOTHING.bandwidth(bandwidth))?;
        let fresh = PacedStream::new(now, grant, &self.config);
        self.streams.insert(stream, fresh);
        Ok(())
    }

    /// Takes a stream's share back. False if it has none.
    pub fn release(&mut self, stream: LaneId) -> bool {
        match self.streams.remove(&stream) {
            Some(paced) => {
                self.ledger.give_back(paced.into_grant());
                true
            }
            None => false,
        }
    }

    /// Whether a stream may launch at the moment `now`. Charges nothing.
    pub fn decide(&self, now: Nanoseconds, stream: LaneId) -> PacingDecision {
        match self.streams.get(&stream) {
            Some(paced) => paced.decide(now, self.predict(stream), &self.config),
            None => PacingDecision::Launch,
        }
    }

    /// A stream launches at the moment `now`: charges what that is predicted to take.
    /// False for a stream without a share.
    pub fn launch(&mut self, now: Nanoseconds, stream: LaneId) -> bool {
        let cost = self.predict(stream);
        match self.streams.get_mut(&stream) {
            Some(paced) => {
                paced.launch(now, cost, &self.config);
                self.launches += 1;
                true
            }
            None => false,
        }
    }

    /// The longest running launch of a stream has ended, and took `actual`. False if
    /// none is known to run.
    pub fn complete(&mut self, now: Nanoseconds, stream: LaneId, actual: Nanoseconds) -> bool {
        let settled = match self.streams.get_mut(&stream) {
            Some(paced) => paced.complete(now, actual),
            None => false,
        };
        if settled && self.config.adaptive {
            let (kernel, shape) = kind(stream);
            let cost = SmNanoseconds::of(1, actual);
            self.durations.observe(kernel, shape, cost);
        }
        settled
    }

    /// Counts a launch that was throttled. False for a stream without a share.
    pub fn throttle(&mut self, stream: LaneId) -> bool {
        match self.streams.get_mut(&stream) {
            Some(paced) => {
                paced.throttle();
                self.throttled += 1;
                true
            }
            None => false,
        }
    }

    /// Counts a wait.
    pub fn wait(&mut self) {
        self.waited += 1;
    }

    /// A stream in numbers; `None` if it has no share.
    pub fn stream_stats(&self, now: Nanoseconds, stream: LaneId) -> Option<StreamPacingStats> {
        let paced = self.streams.get(&stream)?;
        Some(paced.stats(now, &self.config))
    }

    /// All streams in numbers.
    pub fn stats(&self) -> PacingStats {
        PacingStats {
            streams: self.streams.len(),
            used: self.ledger.granted().share(Resource::Bandwidth),
            available: self.ledger.available().share(Resource::Bandwidth),
            launches: self.launches,
            throttled: self.throttled,
            waited: self.waited,
        }
    }

    fn predict(&self, stream: LaneId) -> Nanoseconds {
        let (kernel, shape) = kind(stream);
        Nanoseconds::new(self.durations.predict(kernel, shape).get())
    }
}

/// Launches of one stream are taken to be alike: their kernels are not known here.
fn kind(stream: LaneId) -> (KernelId, ShapeClass) {
    (KernelId::new(stream.get()), ShapeClass::default())
}
