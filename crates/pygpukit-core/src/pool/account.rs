//! Who pays for blocks.

use super::error::PoolError;
use super::memory_pool::MemoryPool;
use super::policy::Overcommit;
use super::slab::{Index, Slab};
use crate::id::TenantId;
use crate::ledger::{Amount, Grant, Ledger};
use crate::units::Bytes;
use std::fmt;

/// An account of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId(u64);

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What tenants may take, and what they have taken, in bytes asked for.
#[derive(Debug)]
pub(super) struct Accounts {
    /// The quotas of all accounts.
    promised: Ledger,
    accounts: Slab<Account>,
}

#[derive(Debug, Default)]
struct Account {
    tenant: TenantId,
    quota: u64,
    /// Bytes asked for in its blocks.
    used: u64,
    promise: Grant,
}

impl Accounts {
    pub(super) fn new(capacity: Bytes, overcommit: Overcommit) -> Self {
        let limit = overcommit.limit(capacity);
        Self {
            promised: Ledger::new(Amount::of_memory(limit)),
            accounts: Slab::default(),
        }
    }

    /// An account that is promised nothing, and limited by the pool alone.
    pub(super) fn open(&mut self, tenant: TenantId) -> AccountId {
        self.insert(tenant, Bytes::new(u64::MAX), Grant::default())
    }

    pub(super) fn open_limited(
        &mut self,
        tenant: TenantId,
        quota: Bytes,
    ) -> Result<AccountId, PoolError> {
        let promise = self.promised.reserve(Amount::of_memory(quota));
        let promise = promise.map_err(PoolError::OverPromised)?;
        Ok(self.insert(tenant, quota, promise))
    }

    fn insert(&mut self, tenant: TenantId, quota: Bytes, promise: Grant) -> AccountId {
        let index = self.accounts.insert(Account {
            tenant,
            quota: quota.get(),
            used: 0,
            promise,
        });
        AccountId(self.accounts.name(index))
    }

    pub(super) fn close(&mut self, id: AccountId) -> Result<(), PoolError> {
        let index = self.find(id)?;
        let used = self.used(index);
        if used > Bytes::ZERO {
            return Err(PoolError::AccountInUse { account: id, used });
        }
        let account = self.accounts.remove(index);
        self.promised.give_back(account.promise);
        Ok(())
    }

    #[inline]
    pub(super) fn find(&self, id: AccountId) -> Result<Index, PoolError> {
        let found = self.accounts.find(id.0);
        found.ok_or(PoolError::UnknownAccount(id))
    }

    /// Whether an account may have `asked` bytes more.
    #[inline]
    pub(super) fn check(&self, account: Index, asked: Bytes) -> Result<(), PoolError> {
        let account = &self.accounts[account];
        let available = account.quota - account.used;
        if asked.get() <= available {
            return Ok(());
        }
        Err(PoolError::OverQuota {
            tenant: account.tenant,
            asked,
            available: Bytes::new(available),
            limit: Bytes::new(account.quota),
        })
    }

    /// Charges what was checked.
    #[inline]
    pub(super) fn charge(&mut self, account: Index, asked: Bytes) {
        self.accounts[account].used += asked.get();
    }

    #[inline]
    pub(super) fn release(&mut self, account: Index, asked: Bytes) {
        self.accounts[account].used -= asked.get();
    }

    pub(super) fn used(&self, account: Index) -> Bytes {
        Bytes::new(self.accounts[account].used)
    }

    pub(super) fn promised(&self) -> Bytes {
        self.promised.granted().bytes()
    }

    /// What all have taken.
    pub(super) fn asked(&self) -> Bytes {
        let asked = self
            .accounts
            .iter()
            .map(|(index, _)| self.used(index).get());
        Bytes::new(asked.sum())
    }
}

impl<T: Default> MemoryPool<T> {
    /// An account for a tenant's blocks, limited by the pool alone.
    pub fn open_account(&mut self, tenant: TenantId) -> AccountId {
        self.accounts.open(tenant)
    }

    /// An account for a tenant's blocks, limited by a quota in bytes asked for.
    ///
    /// # Errors
    /// [`PoolError::OverPromised`] with how large a quota could be.
    pub fn open_limited_account(
        &mut self,
        tenant: TenantId,
        quota: Bytes,
    ) -> Result<AccountId, PoolError> {
        self.accounts.open_limited(tenant, quota)
    }

    /// Ends an account, and what it was promised.
    ///
    /// # Errors
    /// [`PoolError::AccountInUse`] while it has blocks.
    pub fn close_account(&mut self, account: AccountId) -> Result<(), PoolError> {
        self.accounts.close(account)
    }

    /// What an account's blocks take of its quota.
    ///
    /// # Errors
    /// [`PoolError::UnknownAccount`].
    pub fn account_used(&self, account: AccountId) -> Result<Bytes, PoolError> {
        let account = self.accounts.find(account)?;
        Ok(self.accounts.used(account))
    }
}
