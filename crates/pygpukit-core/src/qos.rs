//! Quality of service: what would be promised to a task, and keeping count of it.

use crate::ledger::{Amount, Grant, Ledger, Resource, Shortage};
use crate::scheduler::{Policy, Request};
use crate::units::{Bytes, Share};

/// What a task would get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an evaluation reserves nothing"]
pub enum Evaluation {
    /// All that it requests, and room up to its limits.
    Admit(Terms),
    /// All that it requests, and less room than its limits allow.
    Throttle(Terms),
    /// Nothing now: nothing is left over.
    Queue(Shortage),
    /// Not what it requests.
    Reject(Shortage),
}

/// What is promised to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Its policy.
    pub policy: Policy,
    /// What is to be its own.
    pub reserved: Amount,
    /// The most memory it can use for now.
    pub allowed_memory: Bytes,
    /// The largest share of the time it can use for now.
    pub allowed_bandwidth: Share,
}

/// Counts what is promised to tasks, by policy.
#[derive(Debug)]
pub struct QosPolicyEvaluator {
    ledger: Ledger,
    guaranteed: Grant,
    burstable: Grant,
    best_effort: Grant,
}

/// What is promised, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QosStats {
    /// What there is.
    pub total: Amount,
    /// Promised to guaranteed tasks.
    pub guaranteed: Amount,
    /// Promised to burstable tasks.
    pub burstable: Amount,
    /// Not promised.
    pub available: Amount,
}

impl QosPolicyEvaluator {
    /// That much memory and share of the time, of which nothing is promised.
    pub fn new(memory: Bytes, bandwidth: Share) -> Self {
        Self {
            ledger: Ledger::new(Amount::of_memory(memory).bandwidth(bandwidth)),
            guaranteed: Grant::default(),
            burstable: Grant::default(),
            best_effort: Grant::default(),
        }
    }

    /// What the task would get now. Reserves nothing.
    pub fn evaluate(&self, request: &Request) -> Evaluation {
        let reserved = Amount::of_memory(request.memory()).bandwidth(request.bandwidth());
        let available = self.ledger.available();
        if let Some(resource) = reserved.exceeding(&available).iter().next() {
            return Evaluation::Reject(Shortage {
                resource,
                asked: reserved.get(resource),
                available: available.get(resource),
                limit: self.ledger.capacity().get(resource),
            });
        }
        let total = self.ledger.capacity();
        let nothing_left = |resource| available.get(resource) == 0 && total.get(resource) > 0;
        if request.policy() == Policy::BestEffort {
            let used_up = [Resource::Memory, Resource::Bandwidth];
            if let Some(resource) = used_up.into_iter().find(|&each| nothing_left(each)) {
                let least = Shortage {
                    resource,
                    asked: 1,
                    available: 0,
                    limit: total.get(resource),
                };
                return Evaluation::Queue(least);
            }
        }
        let wanted_memory = request.memory_limit().unwrap_or(total.bytes());
        let wanted_bandwidth = request.bandwidth_cap();
        let terms = Terms {
            policy: request.policy(),
            reserved,
            allowed_memory: wanted_memory.min(available.bytes()),
            allowed_bandwidth: wanted_bandwidth.min(available.share(Resource::Bandwidth)),
        };
        let limited = request.memory_limit().is_some() && terms.allowed_memory < wanted_memory;
        if limited && request.policy() == Policy::Burstable {
            Evaluation::Throttle(terms)
        } else {
            Evaluation::Admit(terms)
        }
    }

    /// Keeps what an evaluation promised, if it is still there. An evaluation
    /// that promises nothing is kept with no effect.
    ///
    /// # Errors
    /// What there is too little of by now.
    pub fn reserve(&mut self, evaluation: &Evaluation) -> Result<(), Shortage> {
        match evaluation {
            Evaluation::Admit(terms) | Evaluation::Throttle(terms) => {
                let (ledger, grant) = self.grant_mut(terms.policy);
                ledger.grow(grant, terms.reserved)
            }
            Evaluation::Queue(_) | Evaluation::Reject(_) => Ok(()),
        }
    }

    /// Gives back what was promised to a task of that policy.
    ///
    /// # Errors
    /// More than is promised to such tasks.
    pub fn release(&mut self, policy: Policy, reserved: Amount) -> Result<(), Shortage> {
        let (ledger, grant) = self.grant_mut(policy);
        ledger.shrink(grant, reserved)
    }

    /// Takes back everything that was promised.
    pub fn reset(&mut self) {
        *self = Self::new(
            self.ledger.capacity().bytes(),
            self.ledger.capacity().share(Resource::Bandwidth),
        );
    }

    fn grant_mut(&mut self, policy: Policy) -> (&mut Ledger, &mut Grant) {
        let grant = match policy {
            Policy::Guaranteed => &mut self.guaranteed,
            Policy::Burstable => &mut self.burstable,
            Policy::BestEffort => &mut self.best_effort,
        };
        (&mut self.ledger, grant)
    }

    /// What is promised, in numbers.
    pub fn stats(&self) -> QosStats {
        QosStats {
            total: *self.ledger.capacity(),
            guaranteed: *self.guaranteed.amount(),
            burstable: *self.burstable.amount(),
            available: self.ledger.available(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::{MemoryAsk, TaskSpec};

    fn request(policy: Policy, memory: Option<(u64, u64)>) -> Request {
        Request::try_from(TaskSpec {
            policy: Some(policy),
            memory: memory.map(|(request, limit)| MemoryAsk {
                request: Bytes::new(request),
                limit: Some(Bytes::new(limit)),
            }),
            ..TaskSpec::default()
        })
        .unwrap()
    }

    fn evaluator() -> QosPolicyEvaluator {
        QosPolicyEvaluator::new(Bytes::new(1000), Share::ONE)
    }

    #[test]
    fn guaranteed_tasks_reserve_what_they_request_and_no_more() {
        let mut evaluator = evaluator();
        for _ in 0..2 {
            let evaluation = evaluator.evaluate(&request(Policy::Guaranteed, Some((400, 400))));
            let Evaluation::Admit(terms) = evaluation else {
                panic!("{evaluation:?}");
            };
            assert_eq!(terms.reserved, Amount::of_memory(Bytes::new(400)));
            evaluator.reserve(&evaluation).unwrap();
        }
        let stats = evaluator.stats();
        assert_eq!(stats.guaranteed.bytes(), Bytes::new(800));
        assert_eq!(stats.available.share(Resource::Bandwidth), Share::ONE);
        let best_effort = evaluator.evaluate(&request(Policy::BestEffort, None));
        assert!(matches!(best_effort, Evaluation::Admit(_)));
        let third = evaluator.evaluate(&request(Policy::Guaranteed, Some((201, 201))));
        let Evaluation::Reject(shortage) = third else {
            panic!("{third:?}");
        };
        assert_eq!(
            (shortage.asked, shortage.available, shortage.limit),
            (201, 200, 1000)
        );
        let fits = request(Policy::Guaranteed, Some((200, 200)));
        assert!(matches!(evaluator.evaluate(&fits), Evaluation::Admit(_)));
    }

    #[test]
    fn throttled_tasks_are_counted() {
        let mut evaluator = evaluator();
        let burst = request(Policy::Burstable, Some((600, 1200)));
        let first = evaluator.evaluate(&burst);
        let Evaluation::Throttle(terms) = first else {
            panic!("{first:?}");
        };
        assert_eq!(terms.allowed_memory, Bytes::new(1000));
        evaluator.reserve(&first).unwrap();
        assert_eq!(evaluator.stats().burstable.bytes(), Bytes::new(600));
        assert!(matches!(evaluator.evaluate(&burst), Evaluation::Reject(_)));
        // An evaluation that is out of date is refused, not over-committed.
        assert!(evaluator.reserve(&first).is_err());
        assert_eq!(evaluator.stats().burstable.bytes(), Bytes::new(600));
    }

    #[test]
    fn what_was_reserved_is_released_once() {
        let mut evaluator = evaluator();
        let all = request(Policy::Guaranteed, Some((1000, 1000)));
        let evaluation = evaluator.evaluate(&all);
        evaluator.reserve(&evaluation).unwrap();
        let none = evaluator.evaluate(&request(Policy::BestEffort, None));
        assert!(matches!(none, Evaluation::Queue(_)));
        let amount = Amount::of_memory(Bytes::new(1000));
        assert!(evaluator.release(Policy::BestEffort, amount).is_err());
        evaluator.release(Policy::Guaranteed, amount).unwrap();
        assert!(evaluator.release(Policy::Guaranteed, amount).is_err());
        assert_eq!(evaluator.stats().available, evaluator.stats().total);
        evaluator.reserve(&evaluation).unwrap();
        evaluator.reset();
        assert_eq!(evaluator.stats().available, evaluator.stats().total);
        assert_eq!(evaluator.stats().total.bytes(), Bytes::new(1000));
        assert!(evaluator.release(Policy::Guaranteed, amount).is_err());
    }
}
