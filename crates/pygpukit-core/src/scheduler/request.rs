//! What a task asks for.

use super::policy::{OnFull, Policy};
use super::request_error::RequestError;
use crate::ledger::Amount;
use crate::units::{Bytes, Nanoseconds, Share};
use std::num::NonZeroU32;

/// Memory that a task asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryAsk {
    /// What is to be its own.
    pub request: Bytes,
    /// The most it may use; `None` for no limit but the device's.
    pub limit: Option<Bytes>,
}

/// Share of the device's time that a task asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShareAsk {
    /// What it gets at least.
    pub floor: Share,
    /// What it gets at most.
    pub cap: Share,
}

/// What somebody says about a task; not yet checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSpec {
    /// A name for people.
    pub name: Option<String>,
    /// The memory it needs.
    pub memory: Option<MemoryAsk>,
    /// The share of the time it needs.
    pub bandwidth: Option<ShareAsk>,
    /// What it is to be promised; `None` for the default, which is best effort
    /// if it asks for nothing, else burstable.
    pub policy: Option<Policy>,
    /// Larger is more urgent.
    pub priority: i32,
    /// Its part of what is left over, against others'; `None` for 1.
    pub weight: Option<i64>,
    /// Ends, hopefully, within this time of its submission.
    pub deadline: Option<Nanoseconds>,
    /// The floor of its bandwidth is had within each such period, not just on average.
    pub period: Option<Nanoseconds>,
    /// The longest piece of its work that cannot be interrupted.
    pub piece: Option<Nanoseconds>,
    /// Waits in the queue for this time at most.
    pub queue_timeout: Option<Nanoseconds>,
    /// What happens if it cannot start at once.
    pub on_full: OnFull,
    /// True if its idle arrays may be moved to the host.
    pub evictable: bool,
}

/// What a task asks for, without contradictions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    spec: TaskSpec,
    policy: Policy,
    weight: NonZeroU32,
}

impl TryFrom<TaskSpec> for Request {
    type Error = RequestError;

    fn try_from(spec: TaskSpec) -> Result<Self, RequestError> {
        check_ranges(&spec)?;
        let policy = checked_policy(&spec)?;
        Ok(Self {
            weight: checked_weight(spec.weight.unwrap_or(1))?,
            policy,
            spec,
        })
    }
}

fn check_ranges(spec: &TaskSpec) -> Result<(), RequestError> {
    check_asks(spec.memory, spec.bandwidth)?;
    positive("deadline", spec.deadline == Some(Nanoseconds::ZERO))?;
    positive("period", spec.period == Some(Nanoseconds::ZERO))?;
    let floor = spec.bandwidth.map_or(Share::ZERO, |ask| ask.floor);
    if spec.period.is_some() && floor == Share::ZERO {
        return Err(RequestError::PeriodOfNothing);
    }
    Ok(())
}

fn positive(option: &'static str, zero: bool) -> Result<(), RequestError> {
    if zero {
        Err(RequestError::NotPositive { option, value: 0 })
    } else {
        Ok(())
    }
}

/// Limits are more than nothing, and no less than requests.
pub(super) fn check_asks(
    memory: Option<MemoryAsk>,
    bandwidth: Option<ShareAsk>,
) -> Result<(), RequestError> {
    if let Some(MemoryAsk { request, limit }) = memory
        && let Some(limit) = limit
    {
        positive("memory", limit == Bytes::ZERO)?;
        if request > limit {
            return Err(RequestError::Inverted {
                option: "memory",
                lower: "request",
                upper: "limit",
                low: request.to_string(),
                high: limit.to_string(),
            });
        }
    }
    if let Some(ShareAsk { floor, cap }) = bandwidth {
        positive("bandwidth", cap == Share::ZERO)?;
        if floor > cap {
            return Err(RequestError::Inverted {
                option: "bandwidth",
                lower: "floor",
                upper: "cap",
                low: floor.to_string(),
                high: cap.to_string(),
            });
        }
    }
    Ok(())
}

fn checked_policy(spec: &TaskSpec) -> Result<Policy, RequestError> {
    let asked = match (spec.memory, spec.bandwidth) {
        (Some(_), _) => Some("memory"),
        (None, Some(_)) => Some("bandwidth"),
        (None, None) => None,
    };
    let policy = spec.policy.unwrap_or(match asked {
        Some(_) => Policy::Burstable,
        None => Policy::BestEffort,
    });
    match (policy, asked) {
        (Policy::BestEffort, Some(option)) => Err(RequestError::BestEffortAsks { option }),
        (Policy::Guaranteed, _) => check_guaranteed(spec).map(|()| policy),
        (Policy::BestEffort | Policy::Burstable, _) => Ok(policy),
    }
}

fn check_guaranteed(spec: &TaskSpec) -> Result<(), RequestError> {
    if let Some(MemoryAsk { request, limit }) = spec.memory
        && limit != Some(request)
    {
        return Err(RequestError::GuaranteedRange { request, limit });
    }
    let floor = spec.bandwidth.map_or(Share::ZERO, |ask| ask.floor);
    if spec.memory.is_none() && floor == Share::ZERO {
        return Err(RequestError::GuaranteesNothing);
    }
    Ok(())
}

pub(super) fn checked_weight(weight: i64) -> Result<NonZeroU32, RequestError> {
    const LARGEST: i64 = 1_000_000;
    if weight > LARGEST {
        return Err(RequestError::TooLarge {
            option: "weight",
            value: weight,
            limit: LARGEST,
        });
    }
    u32::try_from(weight)
        .ok()
        .and_then(NonZeroU32::new)
        .ok_or(RequestError::NotPositive {
            option: "weight",
            value: weight,
        })
}

impl Request {
    /// What was said.
    pub fn spec(&self) -> &TaskSpec {
        &self.spec
    }

    /// What it is promised.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Its part of what is left over, against others'.
    pub fn weight(&self) -> u32 {
        self.weight.get()
    }

    /// The name for people.
    pub fn name(&self) -> Option<&str> {
        self.spec.name.as_deref()
    }

    /// The memory that is to be its own.
    pub fn memory(&self) -> Bytes {
        self.spec.memory.map_or(Bytes::ZERO, |ask| ask.request)
    }

    /// The most memory it may use; `None` for no limit but the device's.
    pub fn memory_limit(&self) -> Option<Bytes> {
        self.spec.memory.and_then(|ask| ask.limit)
    }

    /// The share of the time that is to be its own.
    pub fn bandwidth(&self) -> Share {
        self.spec.bandwidth.map_or(Share::ZERO, |ask| ask.floor)
    }

    /// The largest share of the time it may use.
    pub fn bandwidth_cap(&self) -> Share {
        self.spec.bandwidth.map_or(Share::ONE, |ask| ask.cap)
    }

    /// What must be granted for it to start: what is to be its own, and a worker.
    pub fn amount(&self) -> Amount {
        Amount::of_memory(self.memory())
            .bandwidth(self.bandwidth())
            .workers(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(request: u64, limit: u64) -> TaskSpec {
        TaskSpec {
            memory: Some(MemoryAsk {
                request: Bytes::new(request),
                limit: Some(Bytes::new(limit)),
            }),
            ..TaskSpec::default()
        }
    }

    fn bandwidth(floor: u64, cap: u64) -> TaskSpec {
        TaskSpec {
            bandwidth: Some(ShareAsk {
                floor: Share::from_units(floor).unwrap(),
                cap: Share::from_units(cap).unwrap(),
            }),
            ..TaskSpec::default()
        }
    }

    fn with_policy(policy: Policy, spec: TaskSpec) -> Result<Request, RequestError> {
        Request::try_from(TaskSpec {
            policy: Some(policy),
            ..spec
        })
    }

    #[test]
    fn the_default_policy_depends_on_what_is_asked() {
        let policy = |spec| Request::try_from(spec).unwrap().policy();
        assert_eq!(policy(TaskSpec::default()), Policy::BestEffort);
        assert_eq!(policy(memory(1, 1)), Policy::Burstable);
        assert_eq!(policy(bandwidth(1, 2)), Policy::Burstable);
    }

    #[test]
    fn contradictions_are_refused() {
        use Policy::{BestEffort, Guaranteed};
        let said = |result: Result<Request, RequestError>| result.unwrap_err().to_string();
        assert!(said(with_policy(BestEffort, memory(1, 1))).contains("`memory`"));
        assert!(said(with_policy(BestEffort, bandwidth(1, 1))).contains("`bandwidth`"));
        assert!(said(with_policy(Guaranteed, TaskSpec::default())).contains("must ask"));
        assert!(said(with_policy(Guaranteed, bandwidth(0, 1))).contains("must ask"));
        let range = said(with_policy(Guaranteed, memory(5, 7)));
        assert!(
            range.contains("5 bytes") && range.contains("7 bytes"),
            "{range}"
        );
        let inverted = said(Request::try_from(memory(9, 4)));
        assert!(inverted.contains("9 bytes") && inverted.contains("4 bytes"));
        assert!(said(Request::try_from(bandwidth(500_000_000, 200_000_000))).contains("0.5"));
        assert!(said(Request::try_from(memory(0, 0))).contains("more than 0"));
        assert!(said(Request::try_from(bandwidth(0, 0))).contains("more than 0"));
    }

    #[test]
    fn weights_and_deadlines_are_positive() {
        for weight in [0, -1, i64::MIN, 1_000_001, i64::MAX] {
            let spec = TaskSpec {
                weight: Some(weight),
                ..TaskSpec::default()
            };
            let said = Request::try_from(spec).unwrap_err().to_string();
            assert!(said.contains(&weight.to_string()), "{said}");
        }
        let spec = TaskSpec {
            deadline: Some(Nanoseconds::ZERO),
            ..TaskSpec::default()
        };
        assert!(Request::try_from(spec).is_err());
    }

    #[test]
    fn words() {
        for policy in [Policy::Guaranteed, Policy::Burstable, Policy::BestEffort] {
            assert_eq!(policy.name().parse(), Ok(policy));
        }
        let said = "garanteed".parse::<Policy>().unwrap_err().to_string();
        assert!(
            said.contains("`garanteed`") && said.contains("best_effort"),
            "{said}"
        );
        assert_eq!("reject".parse(), Ok(OnFull::Reject));
    }
}
