//! The sorts of the processes of an instance.

use cubicle_lang::model::{Cell, System, VarId};

/// The sorts of the processes of an instance in which they are the same in all states.
#[derive(Clone, Debug)]
pub struct FixedSorts {
    /// The array that says them.
    pub array: VarId,
    /// The sort of each process.
    pub of: Vec<u8>,
    /// How many processes are of each, by name.
    pub sizes: Vec<(String, usize)>,
}

impl FixedSorts {
    /// Those of the instance with `procs` processes, where the system says how many there are of each sort.
    pub fn new(system: &System, procs: usize) -> Option<Self> {
        let sorts = system.sorts.as_ref()?;
        let sizes = sorts.names.iter().cloned().zip(sorts.sizes.iter().flatten().copied());
        let of = sorts.sizes.as_ref().and_then(|_| sorts.divisions(procs).pop())?;
        Some(Self { array: system.sort_array()?, of, sizes: sizes.collect() })
    }

    /// The sorts that have processes.
    pub fn present(&self) -> Vec<u8> {
        let mut present = self.of.clone();
        present.dedup();
        present
    }

    /// The sort of each process; empty where they are not known.
    pub fn of(sorts: Option<&Self>) -> &[u8] {
        sorts.map_or(&[], |it| &it.of)
    }

    /// Whether a literal about the sort of a process holds; `None` for other literals.
    pub fn decides(&self, cell: &Cell, values: u64, env: &[usize]) -> Option<bool> {
        let sort = || self.of.get(cell.index[0].of(env));
        (cell.var == self.array).then(|| sort().is_some_and(|sort| values >> sort & 1 == 1))
    }
}
