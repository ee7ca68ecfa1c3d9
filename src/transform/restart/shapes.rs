//! The disjuncts of `init` at the tuples that contain the process that restarts.

use super::own::{P, Restarts, refusal};
use cubicle_lang::diagnostic::{Diagnostic, Span};
use cubicle_lang::model::rename::{self, Truth};
use cubicle_lang::model::{Literal, ProcRef};

/// A literal and where it stands.
pub type Said = (Literal, Span);

/// The most parameters of `init`.
const MOST_PARAMS: u8 = 4;

/// The disjuncts of `init` that count at the tuples of one shape.
pub struct Shape {
    /// The number of other processes, `Var(1)`, `Var(2)`, ..
    pub others: u8,
    pub disjuncts: Vec<Vec<Said>>,
}

/// The shapes at which `init` restricts own cells. At most one has no other processes: it is the conjunction of all
/// conditions on the process alone.
pub fn shapes(restarts: &Restarts<'_>, constant: Option<u8>) -> Result<Vec<Shape>, Box<Diagnostic>> {
    let init = &restarts.system.init;
    if init.params > MOST_PARAMS {
        let text = format!("`--crash restart`: `init` has more than {MOST_PARAMS} parameters");
        return Err(Box::new(refusal(init.span, text)));
    }
    let is_fixed = |literal: &Literal| !literal.cells().iter().any(|cell| restarts.is_assigned(cell.var));
    let in_all = |literal: &&Literal| is_fixed(literal) && init.body.0.iter().all(|it| it.contains(literal));
    let everywhere: Vec<&Literal> = init.body.0.iter().take(1).flatten().filter(in_all).collect();
    let mut body: Vec<Vec<Said>> = Vec::new();
    for conj in &init.body.0 {
        let literals = conj.iter().filter(|it| !everywhere.contains(it));
        body.push(literals.map(|it| (it.clone(), init.place(it))).collect());
    }
    let mut found: Vec<Shape> = Vec::new();
    for tuple in tuples(init.params) {
        if constant.is_none() && !tuple.contains(&0) {
            continue;
        }
        let named = |p: ProcRef| match p {
            ProcRef::Var(v) => ProcRef::Var(tuple[usize::from(v)]),
            ProcRef::Const(c) if Some(c) == constant => P,
            ProcRef::Const(_) => p,
        };
        let mut disjuncts = Vec::new();
        let mut counts = false;
        for conj in &body {
            let mut said = Some(Vec::new());
            for (literal, span) in conj {
                let own = literal.cells().iter().any(|cell| restarts.is_own(&rename::cell(cell, &named)));
                counts |= own;
                if !own && !is_fixed(literal) {
                    continue;
                }
                let renamed = rename::literal(literal, &named).ok_or_else(|| restarts.out_of_range())?;
                let known = match &renamed {
                    Truth::Literal(it) => restarts.says_of_sort(it).map(Truth::Constant),
                    Truth::Constant(_) => None,
                };
                match known.unwrap_or(renamed) {
                    Truth::Constant(true) => {}
                    Truth::Constant(false) => said = None,
                    Truth::Literal(literal) => said = said.map(|it| [it, vec![(literal, *span)]].concat()),
                }
            }
            disjuncts.extend(said);
        }
        let others = tuple.iter().copied().max().unwrap_or(0);
        if counts {
            found.push(Shape { others, disjuncts });
        }
    }
    Ok(found)
}

/// The tuples of a length, up to the names of the other processes: 0 is the process that restarts.
fn tuples(length: u8) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = vec![Vec::new()];
    for _ in 0..length {
        let longer = |tuple: &Vec<u8>| {
            let next = tuple.iter().copied().max().unwrap_or(0) + 1;
            (0..=next).map(|p| [&tuple[..], &[p]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
