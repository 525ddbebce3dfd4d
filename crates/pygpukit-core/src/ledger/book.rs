//! What is granted, and to whom it has to come back.

use super::amount::Amount;
use super::resource::{Resource, ResourceSet};

/// More than there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not enough {resource}: asked for {}, {} available of {}",
    .resource.show(*.asked), .resource.show(*.available), .resource.show(*.limit)
)]
pub struct Shortage {
    /// What there is not enough of.
    pub resource: Resource,
    /// How much was asked for, in the resource's unit.
    pub asked: u64,
    /// How much would have been granted.
    pub available: u64,
    /// How much there is in all.
    pub limit: u64,
}

/// What a device, or a part of one, has; and how much of it is granted.
///
/// What is granted is exactly the sum of the [`Grant`]s that are out. It never
/// exceeds what there is, unless the [capacity](Self::set_capacity) was lowered
/// below it: then nothing is granted until enough has come back.
#[derive(Debug)]
pub struct Ledger {
    capacity: Amount,
    granted: Amount,
}

/// A part of a ledger that is someone's own.
///
/// It cannot be copied. Whoever is done with it hands it back to the ledger it
/// came from; dropping it instead loses what it holds. By default it holds nothing.
#[derive(Debug, Default)]
#[must_use = "a grant that is dropped is lost to its ledger: hand it back"]
pub struct Grant(Amount);

impl Grant {
    /// How much it holds.
    pub const fn amount(&self) -> &Amount {
        &self.0
    }
}

impl Ledger {
    /// A ledger of which nothing is granted.
    pub const fn new(capacity: Amount) -> Self {
        Self {
            capacity,
            granted: Amount::NOTHING,
        }
    }

    /// What there is.
    pub const fn capacity(&self) -> &Amount {
        &self.capacity
    }

    /// Changes what there is. What is granted stays granted.
    pub fn set_capacity(&mut self, capacity: Amount) {
        self.capacity = capacity;
    }

    /// What is granted.
    pub const fn granted(&self) -> &Amount {
        &self.granted
    }

    /// What is not granted.
    pub fn available(&self) -> Amount {
        self.capacity.saturating_sub(&self.granted)
    }

    /// The resources of which less than `amount` is available.
    pub fn lacking(&self, amount: &Amount) -> ResourceSet {
        amount.exceeding(&self.available())
    }

    /// Whether `amount` could be granted if nothing else were.
    ///
    /// # Errors
    /// The first resource of which there is too little.
    pub fn check_ever(&self, amount: &Amount) -> Result<(), Shortage> {
        self.check(amount, &self.capacity)
    }

    /// Grants `amount`, all of it or nothing.
    ///
    /// # Errors
    /// The first resource of which too little is available.
    pub fn reserve(&mut self, amount: Amount) -> Result<Grant, Shortage> {
        let mut grant = Grant(Amount::NOTHING);
        self.grow(&mut grant, amount)?;
        Ok(grant)
    }

    /// Adds `amount` to a grant of this ledger, all of it or nothing.
    ///
    /// # Errors
    /// The first resource of which too little is available.
    pub fn grow(&mut self, grant: &mut Grant, amount: Amount) -> Result<(), Shortage> {
        self.check(&amount, &self.available())?;
        self.granted = self.granted.saturating_add(&amount);
        grant.0 = grant.0.saturating_add(&amount);
        Ok(())
    }

    /// Takes `amount` back from a grant of this ledger, all of it or nothing.
    ///
    /// # Errors
    /// The first resource of which the grant holds less.
    pub fn shrink(&mut self, grant: &mut Grant, amount: Amount) -> Result<(), Shortage> {
        self.check(&amount, &grant.0)?;
        self.granted = self.granted.saturating_sub(&amount);
        grant.0 = grant.0.saturating_sub(&amount);
        Ok(())
    }

    /// Takes a grant of this ledger back.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "so that it cannot come back twice"
    )]
    pub fn give_back(&mut self, grant: Grant) {
        self.granted = self.granted.saturating_sub(&grant.0);
    }

    fn check(&self, asked: &Amount, available: &Amount) -> Result<(), Shortage> {
        match asked.exceeding(available).iter().next() {
            None => Ok(()),
            Some(resource) => Err(Shortage {
                resource,
                asked: asked.get(resource),
                available: available.get(resource),
                limit: self.capacity.get(resource),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Step {
        Reserve(Amount),
        Grow(usize, Amount),
        Shrink(usize, Amount),
        GiveBack(usize),
    }

    fn amounts() -> impl Strategy<Value = Amount> {
        prop::array::uniform4(prop_oneof![4 => 0_u64..60, 1 => Just(u64::MAX)]).prop_map(Amount)
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            amounts().prop_map(Step::Reserve),
            (any::<usize>(), amounts()).prop_map(|(at, by)| Step::Grow(at, by)),
            (any::<usize>(), amounts()).prop_map(|(at, by)| Step::Shrink(at, by)),
            any::<usize>().prop_map(Step::GiveBack),
        ];
        prop::collection::vec(step, 0..200)
    }

    proptest! {
        #[test]
        fn what_is_granted_is_the_sum_of_the_grants(steps in steps()) {
            let mut ledger = Ledger::new(Amount([100; 4]));
            let mut grants: Vec<Grant> = Vec::new();
            for step in steps {
                let before = *ledger.granted();
                let refusal = match step {
                    Step::Reserve(amount) => {
                        ledger.reserve(amount).map(|grant| grants.push(grant)).err()
                    }
                    Step::Grow(at, by) if !grants.is_empty() => {
                        let at = at % grants.len();
                        ledger.grow(&mut grants[at], by).err()
                    }
                    Step::Shrink(at, by) if !grants.is_empty() => {
                        let at = at % grants.len();
                        ledger.shrink(&mut grants[at], by).err()
                    }
                    Step::GiveBack(at) if !grants.is_empty() => {
                        let at = at % grants.len();
                        ledger.give_back(grants.swap_remove(at));
                        None
                    }
                    Step::Grow(..) | Step::Shrink(..) | Step::GiveBack(_) => None,
                };
                if let Some(shortage) = refusal {
                    prop_assert_eq!(*ledger.granted(), before);
                    prop_assert!(shortage.asked > shortage.available);
                }
                for resource in Resource::ALL {
                    let sum: u64 = grants.iter().map(|grant| grant.amount().get(resource)).sum();
                    prop_assert_eq!(ledger.granted().get(resource), sum);
                    prop_assert!(sum <= 100);
                }
            }
        }

        #[test]
        fn the_amount_of_a_refusal_is_granted(taken in 0_u64..=100, asked in 0_u64..=300) {
            let mut ledger = Ledger::new(Amount([100; 4]));
            let first = ledger.reserve(Amount([taken; 4])).unwrap();
            if let Err(shortage) = ledger.reserve(Amount::of_memory(Bytes::new(asked))) {
                let all = ledger.reserve(Amount::of_memory(Bytes::new(shortage.available)));
                prop_assert_eq!(ledger.available().get(Resource::Memory), 0);
                ledger.give_back(all.unwrap());
            }
            ledger.give_back(first);
        }
    }
}
