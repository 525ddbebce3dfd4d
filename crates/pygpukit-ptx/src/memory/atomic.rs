//! Changes that no other thread can come between.

use super::plain::Plain;
use super::window::Window;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A value that can be changed atomically.
pub(crate) trait Atomic: Plain {
    /// Changes the value at that address to what `change` makes of it. The answer is the
    /// old value; `None` if the address is outside, must not be written or is misaligned.
    fn update(window: &Window, address: u64, change: impl Fn(Self) -> Self) -> Option<Self>;
}

macro_rules! atomic {
    ($($type:ty, $atomic:ty;)*) => { $(
        impl Atomic for $type {
            fn update(
                window: &Window,
                address: u64,
                change: impl Fn(Self) -> Self,
            ) -> Option<Self> {
                let pointer = window.pointer::<$type>(address)?;
                if !window.is_writable() || !pointer.is_aligned() {
                    return None;
                }
                // SAFETY: inside the window, so valid as long as its maker promised;
                // aligned as was just checked.
                let cell = unsafe { <$atomic>::from_ptr(pointer) };
                let mut old = cell.load(Ordering::Relaxed);
                loop {
                    let new = change(old);
                    match cell.compare_exchange_weak(old, new, Ordering::SeqCst, Ordering::Relaxed) {
                        Ok(old) => return Some(old),
                        Err(now) => old = now,
                    }
                }
            }
        }
    )* };
}

atomic! { u16, AtomicU16; u32, AtomicU32; u64, AtomicU64; }
