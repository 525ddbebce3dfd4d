//! What the next launch of a kernel will cost.

use super::recent::Recent;
use crate::id::KernelId;
use crate::units::SmNanoseconds;

/// How many of the last launches a prediction looks at: odd, so that there is a
/// middle one, and a few outliers do not move it.
pub const SAMPLES: usize = 5;

/// A class of launches of one kernel that cost about the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeClass(u64);

impl ShapeClass {
    /// A class that the caller numbers.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Launches of about that many blocks: the largest of a class has at most a
    /// quarter more than the smallest, up to 4 each number is a class of its own.
    pub const fn of_blocks(blocks: u64) -> Self {
        if blocks < 8 {
            return Self(blocks);
        }
        // The position of the highest bit, and the two bits behind it.
        let exponent = blocks.ilog2() as u64;
        Self((exponent << 2) + ((blocks >> (exponent - 2)) & 3) - 4)
    }
}

/// Predicts what launches cost, from what the last ones of their kind did cost.
///
/// A kind is a kernel and a class of shapes. The prediction is the median of its last
/// [`SAMPLES`] launches, the larger of the middle two while their number is even. A kind
/// that has not been seen, or not for long, is predicted to cost the first guess: make
/// that a large one, since who took too much gets it back when the launch has ended.
#[derive(Clone, Debug)]
pub struct Predictor {
    first_guess: SmNanoseconds,
    kinds: Recent<(KernelId, ShapeClass), Samples>,
}

/// The costs of the last launches, in a ring.
#[derive(Clone, Copy, Debug, Default)]
struct Samples {
    costs: [SmNanoseconds; SAMPLES],
    count: usize,
    next: usize,
}

impl Predictor {
    /// Predicts from nothing. It remembers at most `kinds` kinds, at least one, and
    /// forgets the one of which no launch has ended for longest.
    pub fn new(first_guess: SmNanoseconds, kinds: usize) -> Self {
        Self {
            first_guess,
            kinds: Recent::new(kinds),
        }
    }

    /// How many kinds it knows.
    pub fn kinds(&self) -> usize {
        self.kinds.len()
    }

    /// What a launch of that kind will cost.
    pub fn predict(&self, kernel: KernelId, shape: ShapeClass) -> SmNanoseconds {
        self.kinds
            .get(&(kernel, shape))
            .map_or(self.first_guess, Samples::median)
    }

    /// Learns what a launch of that kind did cost.
    pub fn observe(&mut self, kernel: KernelId, shape: ShapeClass, cost: SmNanoseconds) {
        let samples = self.kinds.use_or_insert((kernel, shape), Samples::default);
        samples.push(cost);
    }
}

impl Samples {
    fn push(&mut self, cost: SmNanoseconds) {
        self.costs[self.next] = cost;
        self.next = (self.next + 1) % SAMPLES;
        self.count = (self.count + 1).min(SAMPLES);
    }

    fn median(&self) -> SmNanoseconds {
        let mut sorted = self.costs;
        let sorted = &mut sorted[..self.count];
        sorted.sort_unstable();
        sorted[self.count / 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KERNEL: KernelId = KernelId::new(1);
    const SHAPE: ShapeClass = ShapeClass::new(0);

    fn work(cost: u64) -> SmNanoseconds {
        SmNanoseconds::new(cost)
    }

    #[test]
    fn the_first_guess_holds_until_a_launch_has_ended() {
        let mut predictor = Predictor::new(work(1000), 8);
        assert_eq!(predictor.predict(KERNEL, SHAPE), work(1000));
        predictor.observe(KERNEL, SHAPE, work(10));
        assert_eq!(predictor.predict(KERNEL, SHAPE), work(10));
        // Other shapes and kernels have their own.
        assert_eq!(predictor.predict(KERNEL, ShapeClass::new(1)), work(1000));
        assert_eq!(predictor.predict(KernelId::new(2), SHAPE), work(1000));
        // Of two, the larger.
        predictor.observe(KERNEL, SHAPE, work(30));
        assert_eq!(predictor.predict(KERNEL, SHAPE), work(30));
    }

    #[test]
    fn two_outliers_do_not_move_it_and_three_do() {
        let mut predictor = Predictor::new(work(1000), 8);
        for cost in [10, 10, 10, 900, 900] {
            predictor.observe(KERNEL, SHAPE, work(cost));
        }
        assert_eq!(predictor.predict(KERNEL, SHAPE), work(10));
        predictor.observe(KERNEL, SHAPE, work(900));
        assert_eq!(predictor.predict(KERNEL, SHAPE), work(900));
    }

    #[test]
    fn the_kind_that_ended_longest_ago_is_forgotten() {
        let mut predictor = Predictor::new(work(1000), 2);
        for (kernel, cost) in [(1, 10), (2, 20), (1, 10), (3, 30)] {
            predictor.observe(KernelId::new(kernel), SHAPE, work(cost));
        }
        let predicted = [1, 2, 3].map(|kernel| predictor.predict(KernelId::new(kernel), SHAPE));
        assert_eq!(predicted, [work(10), work(1000), work(30)]);
        assert_eq!(predictor.kinds(), 2);
    }

    proptest! {
        #[test]
        fn it_is_the_median_of_the_last(costs in prop::collection::vec(0_u64..50, 1..40)) {
            let mut predictor = Predictor::new(work(1000), 1);
            for (at, &cost) in costs.iter().enumerate() {
                predictor.observe(KERNEL, SHAPE, work(cost));
                let mut last = costs[(at + 1).saturating_sub(SAMPLES)..=at].to_vec();
                last.sort_unstable();
                let median = last[last.len() / 2];
                prop_assert_eq!(predictor.predict(KERNEL, SHAPE), work(median));
            }
        }

        #[test]
        fn classes_are_in_order_and_narrow(blocks in 1_u64..=u64::MAX / 2, more in 0_u64..1000) {
            let larger = blocks.saturating_add(more);
            prop_assert!(ShapeClass::of_blocks(blocks) <= ShapeClass::of_blocks(larger));
            if ShapeClass::of_blocks(blocks) == ShapeClass::of_blocks(larger) {
                prop_assert!(u128::from(larger) * 4 < u128::from(blocks) * 5);
            }
            let beyond = blocks + blocks.div_ceil(4);
            prop_assert!(ShapeClass::of_blocks(blocks) < ShapeClass::of_blocks(beyond));
        }
    }
}
