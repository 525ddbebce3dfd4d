//! Copies from global to shared memory.

use crate::execute::{Core, Flow, NO_SLOT, Space, Step, Trouble, Value};

/// `cp.async`: `immediate` bytes from the generic address `b` to the shared address `a`,
/// which is a word if `extra` says so; behind the count `c`, zeros.
pub(crate) fn copy_lanes(core: &mut Core<'_>, step: &Step) -> Flow {
    let bytes = step.immediate;
    // How the two accesses look to the memory.
    let from = Step {
        extra: Space::Generic as u32,
        a: step.b,
        ..*step
    };
    let to = Step {
        extra: Space::Shared as u32,
        ..*step
    };
    for lane in 0..32 {
        if core.active >> lane & 1 == 0 {
            continue;
        }
        let files = core.files.again();
        let source = u64::lane(&files, step.b, lane);
        let target = match step.extra {
            0 => u64::lane(&files, step.a, lane),
            _ => u64::from(u32::lane(&files, step.a, lane)),
        };
        let count = match step.c {
            NO_SLOT => bytes,
            slot => u64::from(u32::lane(&files, slot, lane)).min(bytes),
        };
        if copy_lane(core, (&from, source), (&to, target), (count, bytes), lane).is_none() {
            return Flow::Fault;
        }
    }
    Flow::Next
}

fn copy_lane(
    core: &mut Core<'_>,
    (from, source): (&Step, u64),
    (to, target): (&Step, u64),
    (count, bytes): (u64, u64),
    lane: usize,
) -> Option<()> {
    for address in [source, target] {
        if address & (bytes - 1) != 0 {
            return core.fail(Trouble::Misaligned { address, bytes }, lane);
        }
    }
    for offset in 0..bytes {
        let byte = if offset < count {
            core.read::<u8>(from, source + offset, lane)?
        } else {
            0
        };
        core.write(to, target + offset, byte, lane)?;
    }
    Some(())
}
