//! The memory that this process may use, and the memory that it uses.
//!
//! A process that takes more than there is gets killed without a message, or is refused memory in the middle
//! of a step. So it ends itself earlier: the engines are asked to stop at [`MemoryBudget::ask`], and a run that
//! does not is ended at [`MemoryBudget::force`]. Known on Linux only; elsewhere there is no limit.

use std::fs;

use rustix::param::page_size;
use rustix::process::{Resource, getrlimit};

/// Numbers of bytes at which to act.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryBudget {
    /// Ask the engines to stop.
    pub ask: usize,
    /// End the process.
    pub force: usize,
    /// Bytes of addresses at which to ask, when the system limits them (`ulimit -v`).
    addresses: Option<usize>,
}

/// A process whose limit leaves it no memory may still take this many bytes to end in good order.
const GOOD_ORDER: usize = 16 << 20;

impl MemoryBudget {
    /// For a process that may use `limit` bytes, and uses `resident` now.
    pub fn new(limit: usize, resident: usize) -> Self {
        let limited = getrlimit(Resource::As);
        let addresses = limited.current.into_iter().chain(limited.maximum).min();
        Self {
            ask: limit,
            force: limit.saturating_add(limit / 16).max(resident.saturating_add(GOOD_ORDER)),
            addresses: addresses.and_then(|bytes| usize::try_from(bytes / 10 * 9).ok()),
        }
    }

    /// Whether the engines are to stop, and whether the process is to end at once.
    pub fn exceeded(&self, used: Usage) -> (bool, bool) {
        let addresses = self.addresses.is_some_and(|most| used.addresses >= most);
        (addresses || used.resident >= self.ask, used.resident >= self.force)
    }
}

/// Memory of the process, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// In memory now.
    pub resident: usize,
    /// Addresses in use.
    pub addresses: usize,
}

/// What is used now; zero where the system does not report it.
pub fn used() -> Usage {
    let pages = |text: &str| {
        let mut words = text.split_whitespace().map_while(|word| word.parse::<usize>().ok());
        Some((words.next()?, words.next()?))
    };
    match fs::read_to_string("/proc/self/statm").ok().as_deref().and_then(pages) {
        Some((addresses, resident)) => {
            Usage { resident: resident * page_size(), addresses: addresses * page_size() }
        }
        None => Usage::default(),
    }
}

/// The most that was resident at a time since the process began, in bytes, where the system reports it.
pub fn peak() -> Option<usize> {
    amount("/proc/self/status", "VmHWM:")
}

/// An amount of memory that the system reports in a line of this file.
fn amount(file: &str, name: &str) -> Option<usize> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}

/// What states on a disk need besides what is used already: buffers to sort them, and the part that is read at a time.
const SPILL_BYTES: usize = 16 << 20;

/// Sizes for the user are whole multiples of this many bytes.
const ROUNDED_TO_BYTES: usize = 4 << 20;

/// The least limit with which an exploration may continue on a disk.
pub fn least_to_spill() -> usize {
    (used().resident + SPILL_BYTES).div_ceil(ROUNDED_TO_BYTES) * ROUNDED_TO_BYTES
}

/// 80 % of what the machine has, or the container that this process runs in.
pub fn most_of_it() -> Option<usize> {
    amount("/proc/meminfo", "MemTotal:").into_iter().chain(container()).min().map(|bytes| bytes / 5 * 4)
}

/// The limit of the control group, in either version of the interface.
fn container() -> Option<usize> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let limit = |line: &str| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return None,
        };
        // Inside of a container the path is the one outside, and the file stands at the root.
        let places = [format!("{root}{path}/{file}"), format!("{root}/{file}")];
        let text = places.iter().find_map(|place| fs::read_to_string(place).ok())?;
        // No limit is "max", or a number beyond all machines.
        text.trim().parse::<usize>().ok()
    };
    groups.lines().filter_map(limit).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_uses_some_memory() {
        let used = used();
        assert!(used.resident > 0 && used.resident <= used.addresses, "{used:?}");
        assert!(most_of_it().is_some_and(|most| most > used.resident));
        assert!(peak().is_some_and(|peak| peak >= used.resident / 2), "{:?}", peak());
    }

    #[test]
    fn the_end_is_forced_above_the_limit() {
        let budget = MemoryBudget::new(1 << 30, 10 << 20);
        let at = |resident| budget.exceeded(Usage { resident, addresses: 0 });
        assert_eq!(at((1 << 30) - 1), (false, false));
        assert_eq!(at(1 << 30), (true, false));
        assert_eq!(at((1 << 30) / 10 * 11), (true, true));
        let budget = MemoryBudget::new(1 << 20, 10 << 20);
        let at = |resident| budget.exceeded(Usage { resident, addresses: 0 });
        assert_eq!(at(10 << 20), (true, false));
        assert_eq!(at(30 << 20), (true, true));
    }
}
