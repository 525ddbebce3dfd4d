//! Waiting for the device without blocking in the driver.
//!
//! A driver call that blocks can neither be interrupted nor time out; asking
//! again and again can. Short waits spin, long ones sleep.

use crate::error::Result;
use std::time::{Duration, Instant};

/// How long to ask without a pause: a launch is seen on the host after about 8 us.
const SPIN: Duration = Duration::from_micros(30);
const SHORTEST_SLEEP: Duration = Duration::from_micros(10);
const LONGEST_SLEEP: Duration = Duration::from_micros(500);

/// Asks `is_done` until it says true or the time is over; returns its last answer.
pub(super) fn until(timeout: Duration, mut is_done: impl FnMut() -> Result<bool>) -> Result<bool> {
    let start = Instant::now();
    let mut sleep = SHORTEST_SLEEP;
    loop {
        if is_done()? {
            return Ok(true);
        }
        let waited = start.elapsed();
        if waited >= timeout {
            return Ok(false);
        }
        if waited < SPIN {
            std::hint::spin_loop();
        } else {
            std::thread::sleep(sleep.min(timeout.saturating_sub(waited)));
            sleep = (sleep * 2).min(LONGEST_SLEEP);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_at_least_once_and_stops_at_the_first_yes() {
        assert!(until(Duration::ZERO, || Ok(true)).unwrap());
        assert!(!until(Duration::ZERO, || Ok(false)).unwrap());
        let mut asked = 0;
        let done = until(Duration::MAX, || {
            asked += 1;
            Ok(asked == 5)
        });
        assert!(done.unwrap());
        assert_eq!(asked, 5);
    }
}
