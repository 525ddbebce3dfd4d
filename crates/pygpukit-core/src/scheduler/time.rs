//! Who works when: the device's time, handed out in grants.

use super::event::{Action, Actions, Holder};
use super::request::Request;
use super::tenant::TenantSpec;
use crate::collections::{Heap, IdMap, Places, Slab, Slot};
use crate::id::{GrantId, TaskId, TenantId};
use crate::timeshare::{
    ClientKey, ClientSpec, GrantKey, GroupKey, GroupSpec, TimeConfig, TimeShare, Turn,
};
use crate::units::{Nanoseconds, Share};

/// The time of the multiprocessors: of those that tenants have for themselves, and of
/// the others.
#[derive(Debug)]
pub(super) struct Time {
    config: TimeConfig,
    /// A device on which nobody is, and a group of it.
    alone: (TimeShare, GroupKey),
    regions: Slab<Region>,
    /// When somebody of a region may go who must not now.
    pub(super) wakes: Heap<(Nanoseconds, Slot)>,
    wake_places: Places,
    grant_ids: IdMap<GrantId>,
    grants: Slab<(Slot, GrantKey)>,
    next_grant: u64,
}

/// Multiprocessors whose time is shared.
#[derive(Debug)]
struct Region {
    share: TimeShare,
    /// Who the clients are.
    holders: Vec<Holder>,
    /// Grants that are out.
    grants: usize,
    is_leaving: bool,
}

/// The region of the multiprocessors that no tenant has for itself.
const COMMON: Slot = 0;

/// Where a tenant's work gets its time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    pub(super) region: Slot,
    group: GroupKey,
    /// What it does outside tasks.
    outside: ClientKey,
}

impl Seat {
    /// True if others share the time there.
    pub(super) const fn is_common(self) -> bool {
        self.region == COMMON
    }
}

impl Time {
    pub(super) fn new(config: TimeConfig) -> Self {
        let mut alone = TimeShare::new(config, Nanoseconds::ZERO);
        let group = alone.open(Nanoseconds::ZERO, GroupSpec::default());
        let Ok(group) = group else {
            unreachable!("nothing is promised to it");
        };
        let mut time = Self {
            config,
            alone: (alone, group),
            regions: Slab::default(),
            wakes: Heap::default(),
            wake_places: Places::default(),
            grant_ids: IdMap::default(),
            grants: Slab::default(),
            next_grant: 0,
        };
        let common = time.open_region(Nanoseconds::ZERO);
        debug_assert_eq!(common, COMMON);
        time
    }

    /// How many grants there have been.
    pub(super) fn granted(&self) -> u64 {
        self.next_grant
    }

    /// Goes on counting grants from there.
    pub(super) fn go_on(&mut self, granted: u64) {
        self.next_grant = granted;
    }

    /// True if nobody wants any time, and no grant is out.
    pub(super) fn is_idle(&self) -> bool {
        self.regions
            .iter()
            .all(|(_, region)| region.share.is_idle())
    }

    /// When somebody may go who must not now.
    pub(super) fn next_wake(&self) -> Option<Nanoseconds> {
        self.wakes.first().map(|((moment, _), _)| moment)
    }

    fn open_region(&mut self, now: Nanoseconds) -> Slot {
        self.regions.insert(Region {
            share: TimeShare::new(self.config, now),
            holders: Vec::new(),
            grants: 0,
            is_leaving: false,
        })
    }

    /// A seat for a tenant: in a region of its own if it has multiprocessors.
    pub(super) fn seat(
        &mut self,
        now: Nanoseconds,
        tenant: TenantId,
        spec: &TenantSpec,
    ) -> Result<Seat, NoTime> {
        let region = if spec.has_multiprocessors() {
            self.open_region(now)
        } else {
            COMMON
        };
        let seated = self.seat_in(now, region, tenant, spec);
        if seated.is_none() && region != COMMON {
            self.regions.remove(region);
        }
        seated.ok_or(NoTime)
    }

    fn seat_in(
        &mut self,
        now: Nanoseconds,
        region: Slot,
        tenant: TenantId,
        spec: &TenantSpec,
    ) -> Option<Seat> {
        let Region { share, holders, .. } = self.regions.get_mut(region)?;
        let group = share.open(now, group_spec(spec)).ok()?;
        let outside = share.join_in(now, group, ClientSpec::default()).ok()?;
        note(holders, outside, Holder::Tenant(tenant));
        Some(Seat {
            region,
            group,
            outside,
        })
    }

    /// Gives a tenant's group another size. It stays in its region.
    pub(super) fn change(
        &mut self,
        now: Nanoseconds,
        seat: Seat,
        spec: &TenantSpec,
    ) -> Result<(), NoTime> {
        let region = self.regions.get_mut(seat.region).ok_or(NoTime)?;
        let changed = region.share.change(now, seat.group, group_spec(spec));
        changed.map_err(|_| NoTime)
    }

    /// A tenant is gone.
    pub(super) fn leave(&mut self, now: Nanoseconds, seat: Seat) {
        if let Some(region) = self.regions.get_mut(seat.region) {
            region.share.leave(now, seat.outside);
            region.share.close(seat.group);
            region.is_leaving = seat.region != COMMON;
        }
        self.forget_region(seat.region);
    }

    /// Forgets a region that was left and has no grants out.
    pub(super) fn forget_region(&mut self, slot: Slot) {
        if let Some(region) = self.regions.get(slot)
            && region.is_leaving
            && region.grants == 0
        {
            self.wakes.remove(slot, &mut self.wake_places);
            self.regions.remove(slot);
        }
    }

    /// Whether it is more than the ledger can tell if a task may have its time: it is
    /// promised some, or has longer pieces than others.
    pub(super) fn must_fit(&self, request: &Request) -> bool {
        let is_long = |piece| piece > self.config.slice;
        request.bandwidth() > Share::ZERO || request.spec().piece.is_some_and(is_long)
    }

    /// Whether a task of a tenant could be promised its time now.
    pub(super) fn fits(&self, seat: Seat, request: &Request) -> bool {
        let Some(region) = self.regions.get(seat.region) else {
            return false;
        };
        let is_strict = request.spec().period.is_some() || region.share.is_strict();
        // Where nobody is strict, the ledger knows all there is to know.
        !is_strict
            || !self.must_fit(request)
            || region
                .share
                .check_join(seat.group, &client_spec(request))
                .is_ok()
    }

    /// The largest share that could be promised now to a task that asks for time as
    /// strictly.
    pub(super) fn room(&self, seat: Seat, request: &Request) -> Share {
        let region = self.regions.get(seat.region);
        region.map_or(Share::ZERO, |region| {
            region.share.room(seat.group, &client_spec(request))
        })
    }

    /// Whether a task could be promised its time if it were alone.
    pub(super) fn fits_alone(&self, request: &Request) -> bool {
        let (alone, group) = &self.alone;
        let is_strict = request.spec().period.is_some();
        !is_strict || alone.check_join(*group, &client_spec(request)).is_ok()
    }

    /// The largest share that could be promised to such a task if it were alone.
    pub(super) fn room_alone(&self, request: &Request) -> Share {
        let (alone, group) = &self.alone;
        alone.room(*group, &client_spec(request))
    }

    /// Lets a task in, if what it asks for can be promised.
    pub(super) fn join(
        &mut self,
        now: Nanoseconds,
        seat: Seat,
        task: TaskId,
        request: &Request,
    ) -> Option<ClientKey> {
        let Region { share, holders, .. } = self.regions.get_mut(seat.region)?;
        let client = share.join_in(now, seat.group, client_spec(request)).ok()?;
        note(holders, client, Holder::Task(task));
        Some(client)
    }

    /// A task has ended.
    pub(super) fn leave_task(&mut self, now: Nanoseconds, seat: Seat, client: ClientKey) {
        if let Some(region) = self.regions.get_mut(seat.region) {
            region.share.leave(now, client);
        }
    }

    pub(super) fn want(
        &mut self,
        now: Nanoseconds,
        seat: Seat,
        client: Option<ClientKey>,
        time: Nanoseconds,
    ) {
        if let Some(region) = self.regions.get_mut(seat.region) {
            region.share.want(now, client.unwrap_or(seat.outside), time);
        }
    }

    /// Somebody wants no more than what is granted; says what they wanted.
    pub(super) fn withdraw(
        &mut self,
        now: Nanoseconds,
        seat: Seat,
        client: Option<ClientKey>,
    ) -> Nanoseconds {
        let region = self.regions.get_mut(seat.region);
        region.map_or(Nanoseconds::ZERO, |region| {
            let client = client.unwrap_or(seat.outside);
            region.share.want_no_more(now, client)
        })
    }

    /// A grant is handed back; says of which region it was.
    pub(super) fn done(
        &mut self,
        now: Nanoseconds,
        id: GrantId,
        used: Nanoseconds,
    ) -> Option<Slot> {
        let slot = self.grant_ids.remove(&id)?;
        let (at, grant) = self.grants.remove(slot)?;
        let region = self.regions.get_mut(at)?;
        region.grants -= 1;
        region.share.done(now, grant, used);
        Some(at)
    }

    /// Hands out what there is of a region's time.
    pub(super) fn hand_out(&mut self, now: Nanoseconds, slot: Slot, actions: &mut Actions) {
        self.wakes.remove(slot, &mut self.wake_places);
        let Some(region) = self.regions.get_mut(slot) else {
            return;
        };
        loop {
            match region.share.next(now) {
                Turn::Run {
                    client,
                    grant,
                    time,
                } => {
                    let id = GrantId::new(self.next_grant);
                    self.next_grant += 1;
                    region.grants += 1;
                    self.grant_ids.insert(id, self.grants.insert((slot, grant)));
                    actions.push(Action::Run {
                        holder: region.holders[client.index()],
                        grant: id,
                        time,
                    });
                }
                Turn::NotUntil(moment) => {
                    let places = &mut self.wake_places;
                    self.wakes.insert((moment, slot), slot, places);
                    return;
                }
                Turn::Full | Turn::Idle => return,
            }
        }
    }
}

/// A promise of time that could not be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoTime;

fn note(holders: &mut Vec<Holder>, client: ClientKey, holder: Holder) {
    if holders.len() <= client.index() {
        holders.resize(client.index() + 1, holder);
    }
    holders[client.index()] = holder;
}

/// What a tenant's work gets together. One that has multiprocessors for itself has all
/// of their time.
fn group_spec(spec: &TenantSpec) -> GroupSpec {
    let (floor, cap) = spec
        .bandwidth
        .map_or((Share::ZERO, Share::ONE), |ask| (ask.floor, ask.cap));
    GroupSpec {
        priority: spec.priority,
        weight: spec.weight(),
        floor: if spec.has_multiprocessors() {
            Share::ZERO
        } else {
            floor
        },
        cap,
        period: None,
    }
}

fn client_spec(request: &Request) -> ClientSpec {
    let spec = request.spec();
    ClientSpec {
        policy: request.policy(),
        priority: spec.priority,
        weight: request.weight(),
        floor: request.bandwidth(),
        cap: request.bandwidth_cap(),
        period: spec.period,
        piece: spec.piece.unwrap_or(Nanoseconds::ZERO),
    }
}
