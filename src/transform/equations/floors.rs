//! Arrays of numbers that are never negative: what each process adds to a sum then bounds it from below. Found by the greatest
//! set of numbers that holds together: initially, and after each update, because its guard or the numbers themselves say so.

use cubicle_lang::model::{
    Assignment, Cell, Conj, Equation, Linear, Literal, ProcRef, Rational, Relation, System, Term, Transition,
    Type, Var, VarId, VarKind, rename,
};

/// That arrays of integers by process are never negative in a reachable state, and globals where that follows only with them.
pub fn floors(system: &System) -> Vec<Equation> {
    let is_array = |var: &Var| var.kind == VarKind::Array(1);
    let alone = never_negative(system, &is_array);
    let with_globals = never_negative(system, &|var| is_array(var) || var.kind == VarKind::Global);
    let arrays = with_globals.iter().filter(|it| is_array(system.var(**it))).count();
    let found = if arrays > alone.len() { with_globals } else { alone };
    let floor = |var: VarId| {
        let params = system.var(var).arity() as u8;
        Equation { params, at_least: true, ..Equation::of(own(system, var)) }
    };
    found.into_iter().map(floor).collect()
}

/// The greatest set of such numbers of which steps make none negative where none is.
fn never_negative(system: &System, is_meant: &dyn Fn(&Var) -> bool) -> Vec<VarId> {
    let is_meant = |var: &Var| var.ty == Type::Int && is_meant(var);
    let mut found: Vec<VarId> = system.declared().filter(|(_, var)| is_meant(var)).map(|it| it.0).collect();
    // What no state denies.
    let mut always: Vec<Linear> = Vec::new();
    for axiom in system.axioms.iter().filter(|axiom| axiom.params == 0) {
        if let [conj] = axiom.denial.0.as_slice() {
            always.extend(not_negative(conj));
        }
    }
    loop {
        let before = found.len();
        let kept = found.clone();
        found.retain(|var| {
            let floors = Floors { kept: &kept, always: &always };
            floors.initially(system, *var) && system.transitions.iter().all(|t| floors.after(t, *var))
        });
        if found.len() == before {
            return found;
        }
    }
}

/// A global, or the cell of a process.
fn own(system: &System, var: VarId) -> Linear {
    Linear::of(Cell::at(var, (0..system.var(var).arity()).map(|p| ProcRef::Var(p as u8))))
}

/// What the linear literals of a conjunction say is not negative.
fn not_negative(conj: &Conj) -> Vec<Linear> {
    let mut found = Vec::new();
    for literal in conj {
        let Literal::Linear { expr, relation, .. } = literal else { continue };
        if *relation == Relation::Eq {
            found.push(expr.clone());
        }
        if *relation != Relation::Ne {
            found.extend(expr.scaled(Rational::ONE.neg()));
        }
    }
    found
}

/// The variables and expressions that are not negative before a step.
struct Floors<'a> {
    kept: &'a [VarId],
    always: &'a [Linear],
}

impl Floors<'_> {
    fn initially(&self, system: &System, var: VarId) -> bool {
        let init = &system.init;
        // Before the first step, only init says that a cell is not negative.
        let initially = Floors { kept: &[], always: self.always };
        let is_global = system.var(var).arity() == 0;
        let mut all = init.body.0.iter().chain(init.without_processes.0.iter().filter(|_| is_global));
        init.params > 0 && all.all(|conj| initially.bound(&own(system, var), &not_negative(conj)))
    }

    fn after(&self, t: &Transition, var: VarId) -> bool {
        let Some(assignment) = t.assignment(var) else { return true };
        let Assignment::Cases(branches) = assignment else { return false };
        branches.iter().all(|branch| {
            let Term::Linear(value) = &branch.value else { return false };
            branch.when.0.iter().all(|conj| {
                let same = conj.iter().find_map(Literal::same_processes);
                let said: Conj = t.guard.iter().chain(conj).cloned().collect();
                let known: Vec<Linear> =
                    not_negative(&said).iter().map(|known| renamed(known, same)).collect();
                self.bound(&renamed(value, same), &known)
            })
        })
    }

    /// Whether an expression is not negative where these are not.
    fn bound(&self, value: &Linear, known: &[Linear]) -> bool {
        let plain = |value: &Linear| {
            let is_kept =
                |(cell, factor): &(Cell, Rational)| *factor > Rational::ZERO && self.kept.contains(&cell.var);
            value.constant >= Rational::ZERO && value.terms.iter().all(is_kept)
        };
        let less = |known: &Linear| value.add_scaled(Rational::ONE.neg(), known);
        plain(value) || known.iter().chain(self.always).filter_map(less).any(|rest| plain(&rest))
    }
}

/// The expression, where two names are of one process.
fn renamed(value: &Linear, same: Option<[ProcRef; 2]>) -> Linear {
    let Some([a, b]) = same else { return value.clone() };
    let named = |p: ProcRef| if p == a.max(b) { a.min(b) } else { p };
    let terms = value.terms.iter().map(|(cell, factor)| (rename::cell(cell, &named), *factor)).collect();
    Linear { terms, constant: value.constant }
}
