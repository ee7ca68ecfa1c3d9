//! Seeks instances of the invariant that exclude a way to satisfy a case.

use std::collections::BTreeMap;
use std::ops::Range;

use super::facts::Numbers;
use super::formula::cell_key;
use super::read::{Reader, Sort};
use crate::cubes::{CubeInstance, Cubes};
use crate::obligation::Obligation;
use cubicle_lang::model::{Cell, Linear, Literal, ProcRef, Rational, Relation, System, Term};
use cubicle_run::interrupt::Interrupt;
use cubicle_run::verdict::Forbidden;

/// Instances added after one way was found.
const INSTANCES_AT_ONCE: usize = 4;

/// Finds the hints of a certificate.
pub struct Finder<'a> {
    /// Reads formulas.
    pub(super) reader: Reader<'a>,
    /// The system.
    pub(super) system: &'a System,
    /// The invariant.
    pub(super) cubes: &'a Cubes,
    /// Cubes that are likely to help, by obligation.
    pub(super) likely: BTreeMap<Obligation, Vec<usize>>,
    /// The literals of each cube that are about its first parameters only: none, one ..
    pub(super) levels: Vec<Vec<Vec<&'a Literal>>>,
    /// How many further processes sums may name.
    pub(super) further: u8,
    /// Asks to stop.
    pub(super) interrupt: &'a Interrupt,
}

impl Finder<'_> {
    /// Whether an instance may have this number of processes.
    pub(super) fn possible(&self, named: u8) -> bool {
        self.system.max_procs.is_none_or(|most| u32::from(named) <= most)
    }

    /// Instances whose cubes hold with these numbers; likely ones first.
    pub(super) fn violated(
        &self,
        obligation: Obligation,
        named: u8,
        numbers: &Numbers,
        usable: Range<usize>,
    ) -> Vec<CubeInstance> {
        let likely = self.likely.get(&obligation).into_iter().flatten().copied();
        let mut out = Vec::new();
        for cube in likely.chain(usable.clone()).filter(|it| usable.contains(it)) {
            self.instances(cube, named, numbers, &mut Vec::new(), &mut out);
            if out.len() >= INSTANCES_AT_ONCE {
                break;
            }
        }
        out
    }

    /// Instances of a cube that begin with these processes and hold; each literal is read as soon as its processes are chosen.
    fn instances(
        &self,
        cube: usize,
        named: u8,
        numbers: &Numbers,
        procs: &mut Vec<u8>,
        out: &mut Vec<CubeInstance>,
    ) {
        let levels = &self.levels[cube];
        let literals = levels[procs.len()].iter();
        if out.len() >= INSTANCES_AT_ONCE || !literals.into_iter().all(|it| self.holds(it, procs, numbers)) {
            return;
        }
        if procs.len() + 1 == levels.len() {
            out.push(CubeInstance { cube, procs: procs.clone() });
            return;
        }
        for p in 0..named {
            if !procs.contains(&p) {
                procs.push(p);
                self.instances(cube, named, numbers, procs, out);
                procs.pop();
            }
        }
    }

    fn holds(&self, literal: &Literal, names: &[u8], numbers: &Numbers) -> bool {
        let process = |p: ProcRef| match p {
            ProcRef::Var(i) => names[usize::from(i)],
            ProcRef::Const(k) => k,
        };
        let number = |cell: &Cell| {
            let index: Vec<u8> = cell.index.iter().map(|&p| process(p)).collect();
            let key = cell_key(false, cell.var.0, &index).expect("such keys were made before");
            match self.reader.sort(key) {
                Some(Sort::Enum(_)) => Rational::integer(numbers.constructor(key).into()),
                _ => numbers.number(key),
            }
        };
        let linear = |linear: &Linear| {
            linear
                .terms
                .iter()
                .try_fold(linear.constant, |sum, (cell, factor)| sum.add(factor.mul(number(cell))?))
        };
        let term = |term: &Term| match term {
            Term::Constructor(c) => Some(Rational::integer((*c).into())),
            Term::Proc(p) => Some(numbers.process(process(*p))),
            Term::Cell(cell) => Some(number(cell)),
            Term::Linear(sum) => linear(sum),
        };
        match literal {
            Literal::In { cell, values } => values >> number(cell).num() & 1 == 1,
            Literal::Eq { left, right, negated } => (term(left) == term(right)) != *negated,
            Literal::Less { left, right, strict } => {
                if *strict {
                    term(left) < term(right)
                } else {
                    term(left) <= term(right)
                }
            }
            Literal::Linear { expr, relation, .. } => linear(expr).is_some_and(|sum| match relation {
                Relation::Eq => sum.is_zero(),
                Relation::Ne => !sum.is_zero(),
                Relation::Le => sum.signum() <= 0,
                Relation::Lt => sum.signum() < 0,
            }),
        }
    }
}

/// The literals of a cube by the number of parameters, from the first one, that they are about.
pub fn levels(forbidden: &Forbidden) -> Vec<Vec<&Literal>> {
    let mut out = vec![Vec::new(); usize::from(forbidden.params) + 1];
    for literal in &forbidden.cube {
        let of_proc = |p: &ProcRef| match p {
            ProcRef::Var(i) => usize::from(*i) + 1,
            ProcRef::Const(_) => 0,
        };
        let of_cells = literal.cells().into_iter().flat_map(|cell| cell.index.iter().map(of_proc));
        let of_term = |term: &Term| match term {
            Term::Proc(p) => of_proc(p),
            Term::Constructor(_) | Term::Cell(_) | Term::Linear(_) => 0,
        };
        let of_terms = match literal {
            Literal::Eq { left, right, .. } | Literal::Less { left, right, .. } => {
                of_term(left).max(of_term(right))
            }
            Literal::In { .. } | Literal::Linear { .. } => 0,
        };
        out[of_cells.max().unwrap_or(0).max(of_terms)].push(literal);
    }
    out
}
