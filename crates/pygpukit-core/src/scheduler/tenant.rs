//! Who has work done: what they asked for, and what they hold.

use super::request::{MemoryAsk, ShareAsk, check_asks, checked_weight};
use super::request_error::RequestError;
use super::time::Seat;
use crate::id::TenantId;
use crate::ledger::{Amount, Grant, Ledger, Resource, Shortage};
use crate::units::{Bytes, Share};

/// What a tenant asks for: a partition of the device, if it asks for anything
/// of its own. By default it has nothing of its own and no limit but the
/// device's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TenantSpec {
    /// Memory: its own for as long as it is there, and the most that it and its
    /// tasks may hold together.
    pub memory: Option<MemoryAsk>,
    /// Share of the multiprocessors that is its own: space.
    pub compute: Share,
    /// Share of the device's time: its own, and the most that all its tasks
    /// together may use.
    pub bandwidth: Option<ShareAsk>,
    /// The most tasks that run at once; `None` for no limit but the device's.
    pub workers: Option<u32>,
    /// Of tenants that take what is left over, larger ones go first, whatever the
    /// priorities of their tasks.
    pub priority: i32,
    /// Its part of what is left over, against other tenants of the same priority;
    /// `None` for 1.
    pub weight: Option<u32>,
}

impl TenantSpec {
    /// Nothing of its own, and no more than `memory`.
    pub fn limited(memory: Bytes) -> Self {
        Self {
            memory: Some(MemoryAsk {
                request: Bytes::ZERO,
                limit: Some(memory),
            }),
            ..Self::default()
        }
    }

    /// Memory of its own, and no more.
    #[must_use]
    pub fn own_memory(mut self, memory: Bytes) -> Self {
        self.memory = Some(MemoryAsk {
            request: memory,
            limit: Some(memory),
        });
        self
    }

    /// Checks it for contradictions.
    ///
    /// # Errors
    /// A request beyond its limit, or a limit of nothing for the time.
    pub fn check(&self) -> Result<(), RequestError> {
        if let Some(weight) = self.weight {
            checked_weight(weight.into())?;
        }
        check_asks(self.memory, self.bandwidth)
    }

    /// Its part of what is left over, against other tenants.
    pub fn weight(&self) -> u32 {
        self.weight.unwrap_or(1)
    }

    /// Whether it has multiprocessors for itself, and so all of their time.
    pub(super) fn has_multiprocessors(&self) -> bool {
        self.compute > Share::ZERO
    }

    /// What of an amount is the device's: not the time of multiprocessors that it has
    /// for itself.
    pub(super) fn of_device(&self, amount: Amount) -> Amount {
        if self.has_multiprocessors() {
            amount.bandwidth(Share::ZERO)
        } else {
            amount
        }
    }

    /// What is to be its own.
    pub fn own(&self) -> Amount {
        let memory = self.memory.map_or(Bytes::ZERO, |ask| ask.request);
        let bandwidth = self.bandwidth.map_or(Share::ZERO, |ask| ask.floor);
        let own = Amount::of_memory(memory).compute(self.compute);
        self.of_device(own.bandwidth(bandwidth))
    }

    /// The most it may have of a device of `capacity`.
    pub(super) fn most(&self, capacity: &Amount) -> Amount {
        let memory = self.memory.and_then(|ask| ask.limit);
        let memory = memory.map_or(capacity.bytes(), |limit| limit.min(capacity.bytes()));
        let workers = capacity.get(Resource::Workers);
        let workers = self
            .workers
            .map_or(workers, |limit| workers.min(limit.into()));
        // Time that is not best effort's.
        let bandwidth = capacity.share(Resource::Bandwidth);
        let bandwidth = self
            .bandwidth
            .map_or(bandwidth, |ask| ask.cap.min(bandwidth));
        Amount::of_memory(memory)
            .compute(Share::ONE)
            .bandwidth(bandwidth)
            .workers(u32::try_from(workers).unwrap_or(u32::MAX))
    }
}

/// Someone who submits tasks.
///
/// Of the device it holds, of each resource, what is its own or what it and its
/// tasks use, whichever is more.
#[derive(Debug)]
pub(super) struct Tenant {
    pub(super) id: TenantId,
    pub(super) spec: TenantSpec,
    /// Where it gets its time.
    pub(super) seat: Seat,
    /// What is used of what it may have at most.
    pub(super) quota: Ledger,
    /// What it holds of the device.
    grant: Grant,
    /// Memory used outside tasks, of its quota.
    pub(super) outside: Grant,
    pub(super) closed: bool,
    /// Tasks that wait, run or hold memory.
    pub(super) tasks: usize,
}

impl Tenant {
    /// A tenant that holds what is its own.
    pub(super) fn open(
        id: TenantId,
        spec: TenantSpec,
        seat: Seat,
        device: &mut Ledger,
    ) -> Result<Self, Shortage> {
        Ok(Self {
            id,
            spec,
            seat,
            quota: Ledger::new(spec.most(device.capacity())),
            grant: device.reserve(spec.own())?,
            outside: Grant::default(),
            closed: false,
            tasks: 0,
        })
    }

    /// What is its own.
    pub(super) fn own(&self) -> Amount {
        self.own_by(&self.spec)
    }

    /// What would be its own by another specification. If it is closed, that is only
    /// the multiprocessors on which its tasks run.
    fn own_by(&self, spec: &TenantSpec) -> Amount {
        if self.closed {
            Amount::NOTHING.compute(spec.compute)
        } else {
            spec.own()
        }
    }

    /// What its group of the time is to be.
    pub(super) fn time_by(&self, spec: &TenantSpec) -> TenantSpec {
        let floor = if self.closed { Some(Share::ZERO) } else { None };
        TenantSpec {
            bandwidth: spec.bandwidth.map(|ask| ShareAsk {
                floor: floor.unwrap_or(ask.floor),
                ..ask
            }),
            ..*spec
        }
    }

    /// Gives the device all it holds.
    pub(super) fn release(&mut self, device: &mut Ledger) {
        device.give_back(std::mem::take(&mut self.grant));
    }

    /// What it holds of the device.
    pub(super) fn holds(&self) -> &Amount {
        self.grant.amount()
    }

    /// What more of the device it needs in order to use `amount` more.
    pub(super) fn growth(&self, amount: &Amount) -> Amount {
        let used = self.quota.granted().saturating_add(amount);
        let used = self.spec.of_device(used);
        used.saturating_sub(self.grant.amount())
    }

    /// How much more of a resource it could use.
    pub(super) fn room(&self, device: &Ledger, resource: Resource) -> u64 {
        let used = self.quota.granted().get(resource);
        let unused = self.grant.amount().get(resource).saturating_sub(used);
        let below_quota = self.quota.available().get(resource);
        if resource == Resource::Bandwidth && self.spec.has_multiprocessors() {
            return below_quota;
        }
        below_quota.min(device.available().get(resource).saturating_add(unused))
    }

    /// Grants `amount` of its quota, and what that needs of the device.
    pub(super) fn take(
        &mut self,
        device: &mut Ledger,
        grant: &mut Grant,
        amount: Amount,
    ) -> Result<(), Shortage> {
        let growth = self.growth(&amount);
        self.quota.grow(grant, amount)?;
        device.grow(&mut self.grant, growth).or_else(|shortage| {
            self.quota.shrink(grant, amount)?;
            Err(shortage)
        })
    }

    /// Takes `amount` back from a grant of its quota, and gives the device what
    /// it needs no more.
    pub(super) fn give(
        &mut self,
        device: &mut Ledger,
        grant: &mut Grant,
        amount: Amount,
    ) -> Result<(), Shortage> {
        self.quota.shrink(grant, amount)?;
        self.settle(device)
    }

    /// What is its own, or what it uses, whichever is more.
    pub(super) fn needed(&self) -> Amount {
        self.own().max(&self.spec.of_device(*self.quota.granted()))
    }

    /// Gives the device what it neither owns nor uses.
    pub(super) fn settle(&mut self, device: &mut Ledger) -> Result<(), Shortage> {
        let needed = self.needed();
        let surplus = self.grant.amount().saturating_sub(&needed);
        device.shrink(&mut self.grant, surplus)
    }

    /// Gives it another size. It keeps what it uses: a limit below that is
    /// reached as tasks end.
    pub(super) fn resize(&mut self, spec: TenantSpec, device: &mut Ledger) -> Result<(), Shortage> {
        let used = spec.of_device(*self.quota.granted());
        let needed = self.own_by(&spec).max(&used);
        let growth = needed.saturating_sub(self.grant.amount());
        device.grow(&mut self.grant, growth)?;
        self.quota.set_capacity(spec.most(device.capacity()));
        self.spec = spec;
        self.settle(device)
    }
}
