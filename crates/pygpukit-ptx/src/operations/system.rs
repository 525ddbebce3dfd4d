//! Functions that the device's system has: `vprintf`, `__assertfail`.

use super::format::{Source, write};
use crate::execute::{Core, Flow, Step, Trouble};
use crate::memory::Plain;

/// A string of a kernel ends here at the latest.
const LONGEST: usize = 1 << 16;

impl Core<'_> {
    /// The value at a generic address of a lane; a fault if there is none.
    fn fetch<T: Plain>(&mut self, address: u64, lane: usize) -> Option<T> {
        let bytes = size_of::<T>() as u64;
        let found = self.generic(address, lane);
        if let Some(value) = found.and_then(|window| window.read(address)) {
            return Some(value);
        }
        let trouble = Trouble::OutOfBounds {
            address,
            bytes,
            write: false,
            nearest: found.map(|window| (window.start(), window.bytes())),
            space: "global",
        };
        self.fail(trouble, lane)
    }

    /// The characters up to a zero.
    fn string(&mut self, address: u64, lane: usize) -> Option<Vec<u8>> {
        let mut found = Vec::new();
        while found.len() < LONGEST {
            match self.fetch::<u8>(address.wrapping_add(found.len() as u64), lane)? {
                0 => break,
                byte => found.push(byte),
            }
        }
        Some(found)
    }

    /// An argument of a call; they lie in local memory.
    fn argument<T: Plain>(&mut self, step: &Step, index: usize, lane: usize) -> Option<T> {
        let list = self.arguments.get(step.extra as usize);
        let offset = list
            .and_then(|list| list.get(index))
            .copied()
            .unwrap_or(u32::MAX);
        self.fetch(crate::execute::LOCAL_BASE + u64::from(offset), lane)
    }
}

/// Arguments of `printf`, one after another in memory.
struct Arguments<'c, 'l> {
    core: &'c mut Core<'l>,
    at: u64,
    lane: usize,
    count: u32,
}

impl Source for Arguments<'_, '_> {
    fn int(&mut self) -> Option<u32> {
        let value = self.core.fetch(self.at, self.lane)?;
        self.at += 4;
        self.count += 1;
        Some(value)
    }

    fn long(&mut self) -> Option<u64> {
        self.at = self.at.next_multiple_of(8);
        let value = self.core.fetch(self.at, self.lane)?;
        self.at += 8;
        self.count += 1;
        Some(value)
    }

    fn string(&mut self, address: u64) -> Option<Vec<u8>> {
        self.core.string(address, self.lane)
    }
}

/// `vprintf(format, arguments)`: how many arguments were written.
pub(crate) fn print(core: &mut Core<'_>, step: &Step) -> Flow {
    for lane in (0..32)
        .filter(|lane| core.active >> lane & 1 == 1)
        .collect::<Vec<_>>()
    {
        if print_lane(core, step, lane).is_none() {
            return Flow::Fault;
        }
    }
    Flow::Next
}

fn print_lane(core: &mut Core<'_>, step: &Step, lane: usize) -> Option<()> {
    let format = core.argument::<u64>(step, 0, lane)?;
    let at = core.argument::<u64>(step, 1, lane)?;
    let format = core.string(format, lane)?;
    let mut arguments = Arguments {
        core,
        at,
        lane,
        count: 0,
    };
    let mut text = Vec::new();
    write(&format, &mut arguments, &mut text)?;
    let count = arguments.count;
    core.output.extend_from_slice(&text);
    // Where the answer goes, if anywhere.
    let list = core.arguments.get(step.extra as usize);
    if let Some(&offset) = list.and_then(|list| list.get(2)) {
        let address = crate::execute::LOCAL_BASE + u64::from(offset);
        let written = core
            .generic(address, lane)
            .is_some_and(|it| it.write(address, count));
        debug_assert!(written, "the frame holds what it declares");
    }
    Some(())
}

/// `__assertfail(expression, file, line, function, size)`.
pub(crate) fn fail_assertion(core: &mut Core<'_>, step: &Step) -> Flow {
    let lane = super::control::first(core.active);
    let mut text = |index: usize| {
        let address = core.argument::<u64>(step, index, lane)?;
        let bytes = core.string(address, lane)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let (expression, file, function) = (text(0), text(1), text(3));
    let line = core.argument::<u32>(step, 2, lane);
    if let (Some(expression), Some(file), Some(function), Some(line)) =
        (expression, file, function, line)
    {
        let what = format!("{file}:{line}: {function}: `{expression}`");
        core.trouble = Some((Trouble::Assertion(what), lane));
    }
    Flow::Fault
}
