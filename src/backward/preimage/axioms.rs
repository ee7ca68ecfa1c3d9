//! Witnesses as pre-images need them: arrays that always hold processes, and what axioms say of these.

use crate::cube::{CubeBuilder, CubeCell, CubeLiteral, Instantiation, Overflow, Reduced};
use cubicle_lang::list::are_different;
use cubicle_lang::model::{Cell, Conj, Literal, ProcRef, System, VarId};

/// An array each of whose cells holds a process, in every state.
#[derive(Clone, Debug)]
pub struct Witness {
    pub var: VarId,
    /// The sorts of its indices; `None`: any.
    pub sorts: Vec<Option<u8>>,
    rules: Vec<Rule>,
}

/// States that an axiom excludes: some cell of a witness holds a process, and these literals hold.
#[derive(Clone, Debug)]
struct Rule {
    params: u8,
    index: Vec<ProcRef>,
    value: ProcRef,
    others: Conj,
}

pub fn witnesses(system: &System) -> Vec<Witness> {
    let of = |var: &VarId| Witness {
        var: *var,
        sorts: (0..system.var(*var).arity()).map(|at| system.index_sort(*var, at)).collect(),
        rules: system.axioms.iter().filter_map(|axiom| rule(*var, axiom.params, &axiom.cube)).collect(),
    };
    system.witnesses.iter().map(of).collect()
}

fn rule(var: VarId, params: u8, cube: &Conj) -> Option<Rule> {
    let holds = |literal: &Literal| {
        let (cell, p, holds) = literal.pointed()?;
        (holds && cell.var == var).then(|| (cell.index.to_vec(), p))
    };
    let (index, value) = cube.iter().find_map(holds)?;
    let others: Conj = cube.iter().filter(|it| holds(it).is_none()).cloned().collect();
    let own = |cell: &&Cell| cell.var == var;
    let is_simple =
        others.iter().flat_map(Literal::cells).find(own).is_none() && others.len() + 1 == cube.len();
    is_simple.then_some(Rule { params, index, value, others })
}

impl Witness {
    /// Requires of a cube what follows where the cell of these processes holds the process `value`, not that it does: that
    /// a process is the value of such a cell is not said in cubes. False when it cannot hold.
    pub fn require(&self, b: &mut CubeBuilder<'_>, index: &[u8], value: u8) -> Result<bool, Overflow> {
        // What one axiom says of the sort of the value may be what another asks for.
        for _ in 0..2 {
            for rule in &self.rules {
                if !rule.require(b, index, value)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

impl Rule {
    fn require(&self, b: &mut CubeBuilder<'_>, index: &[u8], value: u8) -> Result<bool, Overflow> {
        let mut vars: Vec<Option<u8>> = vec![None; usize::from(self.params)];
        for (p, process) in self.index.iter().chain([&self.value]).zip(index.iter().chain([&value])) {
            let ProcRef::Var(v) = p else { return Ok(true) };
            let slot = &mut vars[usize::from(*v)];
            if slot.is_some_and(|known| known != *process) {
                return Ok(true);
            }
            *slot = Some(*process);
        }
        // It is about different processes, and about no others than these.
        let Some(vars) = vars.into_iter().collect::<Option<Vec<u8>>>() else { return Ok(true) };
        if !are_different(&vars) {
            return Ok(true);
        }
        let env = Instantiation { context: b.context, procs: b.procs, vars: &vars };
        let mut open: Vec<(CubeCell, u64)> = Vec::new();
        for literal in &self.others {
            match env.literal(literal)? {
                Reduced::True => {}
                Reduced::False | Reduced::Literal(CubeLiteral::Relational(_)) => return Ok(true),
                Reduced::Literal(CubeLiteral::Mask(cell, mask)) => match b.mask(cell) {
                    held if held & mask == 0 => return Ok(true),
                    held if held & !mask == 0 => {}
                    _ => open.push((cell, mask)),
                },
            }
        }
        Ok(match open[..] {
            [] => false,
            [(cell, mask)] => b.restrict(cell, !mask),
            _ => true,
        })
    }
}
