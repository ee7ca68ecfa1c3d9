//! Stronger properties: bad states with one demand less, so that more states are forbidden.
//!
//! In: the states that a system forbids. Out: [`StrongerClaim`]s, of which some are true and some are not: engines decide.

use cubicle_lang::model::Forbidden;
use cubicle_lang::model::{
    BOOL, Conj, Linear, Literal, ProcRef, Relation, System, Type, forbids_all_of, negated, rename,
};
use cubicle_lang::named;

named! {
    /// How a property is made stronger.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum PropertyOperator {
        /// A parameter is left out, with all literals that mention it.
        DropParameter = "drop-parameter",
        /// A literal is left out.
        DropLiteral = "drop-literal",
        /// A constant becomes one of several: one more constructor, a bound instead of a number, any process instead of `#1`.
        Generalise = "generalise",
        /// A literal becomes its opposite: together with the property itself, this is as if it were left out.
        NegateLiteral = "negate-literal",
    }
}

/// A property that may be true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrongerClaim {
    /// The change.
    pub operator: PropertyOperator,
    /// The states that it forbids.
    pub claim: Forbidden,
    /// Those of them that the property it comes from does not forbid, where that is a cube.
    pub new: Option<Forbidden>,
}

/// All properties that are one step stronger than one.
pub fn stronger(system: &System, claim: &Forbidden) -> Vec<StrongerClaim> {
    let mut found: Vec<StrongerClaim> = Vec::new();
    if !claim.others.is_empty() {
        return found;
    }
    let mut add = |operator, params, cube: Conj, new: Option<Conj>| {
        let claim = Forbidden::new(params, cube);
        let new = new.map(|cube| Forbidden::new(params, cube));
        let known = |it: &StrongerClaim| equivalent(&it.claim, &claim);
        // Without literals it forbids all states with at least this many processes.
        if !claim.cube.is_empty() && !found.iter().any(known) {
            found.push(StrongerClaim { operator, claim, new });
        }
    };
    for param in 0..claim.params {
        if let Some(cube) = without_parameter(claim, param) {
            add(PropertyOperator::DropParameter, claim.params - 1, cube, None);
        }
    }
    let with = |at: usize, literal: Option<Literal>| {
        let mut cube = claim.cube.clone();
        match literal {
            Some(literal) => cube[at] = literal,
            None => drop(cube.remove(at)),
        }
        cube
    };
    for (at, literal) in claim.cube.iter().enumerate() {
        let opposite = negated(system, literal).map(|opposite| with(at, Some(opposite)));
        add(PropertyOperator::DropLiteral, claim.params, with(at, None), opposite);
    }
    for (at, literal) in claim.cube.iter().enumerate() {
        for wider in wider(system, literal) {
            let new = added(literal, &wider).map(|literal| with(at, Some(literal)));
            add(PropertyOperator::Generalise, claim.params, with(at, Some(wider)), new);
        }
    }
    for constant in 0..system.proc_constants {
        if let Some(cube) = any_process(claim, constant) {
            add(PropertyOperator::Generalise, 1, cube, None);
        }
    }
    for (at, literal) in claim.cube.iter().enumerate() {
        if let Some(opposite) = negated(system, literal) {
            let cube = with(at, Some(opposite));
            add(PropertyOperator::NegateLiteral, claim.params, cube.clone(), Some(cube));
        }
    }
    found
}

/// Whether two properties forbid the same states, by their literals.
pub fn equivalent(a: &Forbidden, b: &Forbidden) -> bool {
    forbids_all_of(a, b) && forbids_all_of(b, a)
}

/// The demands of a property on bad states, in bits: one that forbids more demands less. A process counts as much as a
/// literal of two values.
pub fn demand(system: &System, claim: &Forbidden) -> f64 {
    let literal = |literal: &Literal| match literal {
        Literal::In { cell, values } => {
            let Type::Enum(id) = system.var(cell.var).ty else { return 1.0 };
            let all = f64::from(system.enumeration(id).all().count_ones());
            (all / f64::from(values.count_ones().max(1))).log2()
        }
        Literal::Eq { negated: false, .. } | Literal::Linear { relation: Relation::Eq, .. } => 2.0,
        Literal::Eq { .. } | Literal::Linear { relation: Relation::Ne, .. } => 0.5,
        Literal::Less { strict: false, .. } => 0.75,
        Literal::Less { .. } | Literal::Linear { .. } => 1.0,
    };
    f64::from(claim.params) + claim.cube.iter().map(literal).sum::<f64>()
}

/// The claim without a parameter; later ones move up. `None` when a number leaves the 64-bit range.
fn without_parameter(claim: &Forbidden, param: u8) -> Option<Conj> {
    let speaks = |literal: &&Literal| !literal.procs().contains(&ProcRef::Var(param));
    let moved = |proc: ProcRef| proc.renamed(|p| ProcRef::Var(p - u8::from(p > param)));
    let kept: Vec<Literal> = claim.cube.iter().filter(speaks).cloned().collect();
    rename::conj(&kept, &moved)?
}

/// Any process instead of a constant, where no other process is mentioned: otherwise a process that differs from
/// the constant might become equal to the new one.
fn any_process(claim: &Forbidden, constant: u8) -> Option<Conj> {
    let this = ProcRef::Const(constant);
    if claim.params > 0 || !claim.cube.iter().any(|literal| literal.procs().contains(&this)) {
        return None;
    }
    rename::conj(&claim.cube, &|proc| if proc == this { ProcRef::Var(0) } else { proc })?
}

/// The literals that hold where this one does, and a little more often.
fn wider(system: &System, literal: &Literal) -> Vec<Literal> {
    match literal {
        Literal::In { cell, values } => {
            let var = system.var(cell.var);
            let Type::Enum(id) = var.ty else { return Vec::new() };
            let all = system.enumeration(id).all();
            let more = (0..64).map(|c| 1_u64 << c).filter(|c| all & !values & c != 0 && var.range & c != 0);
            // All values: the same as leaving it out, which is another operator.
            let more = more.filter(|c| id != BOOL && (values | c) & all != all && values.is_power_of_two());
            more.map(|c| Literal::In { cell: cell.clone(), values: values | c }).collect()
        }
        Literal::Linear { expr, relation: Relation::Eq, integer } => {
            let le = |expr: Linear| Literal::Linear { expr, relation: Relation::Le, integer: *integer };
            std::iter::once(expr.clone()).chain(expr.negated()).map(le).collect()
        }
        Literal::Eq { .. } | Literal::Less { .. } | Literal::Linear { .. } => Vec::new(),
    }
}

/// The values that the wider of two literals allows and the other does not, where that is a literal.
fn added(literal: &Literal, wider: &Literal) -> Option<Literal> {
    match (literal, wider) {
        (Literal::In { cell, values }, Literal::In { values: all, .. }) => {
            Some(Literal::In { cell: cell.clone(), values: all & !values })
        }
        _ => None,
    }
}
