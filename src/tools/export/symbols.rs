//! The names of a model's declarations in another language, and checks that it can represent their numbers.

use super::instance::{Range, Refusal, TakenNames};
use cubicle_lang::diagnostic::Span;
use cubicle_lang::list::sorted;
use cubicle_lang::model::{BOOL, Cell, EnumId, Linear, Literal, System, Type, VarId};

/// Names of types, constructors and variables.
#[derive(Clone, Debug)]
pub struct SymbolNames {
    pub types: Vec<String>,
    pub constructors: Vec<Vec<String>>,
    pub vars: Vec<String>,
}

impl SymbolNames {
    /// Takes names for everything but `bool`, whose constructors are called `truth`: false, true.
    pub fn new(system: &System, names: &mut TakenNames, truth: [&str; 2]) -> Self {
        let vars = system.vars.iter().map(|var| names.fresh(&var.name)).collect();
        let of_bool = (names.fresh("bool"), truth.map(str::to_owned).to_vec());
        let others = system.enums.iter().skip(1).map(|decl| {
            let constructors = decl.words().iter().map(|name| names.fresh(name)).collect();
            (names.fresh(&decl.name), constructors)
        });
        let (types, constructors) = [of_bool].into_iter().chain(others.collect::<Vec<_>>()).unzip();
        Self { types, constructors, vars }
    }

    pub fn var(&self, var: VarId) -> &str {
        &self.vars[usize::from(var.0)]
    }

    pub fn constructor(&self, ty: EnumId, constructor: u8) -> &str {
        &self.constructors[usize::from(ty.0)][usize::from(constructor)]
    }
}

/// The enums that are the type of some variable, without `bool`, in file order.
pub fn used_enums(system: &System) -> Vec<EnumId> {
    sorted(system.vars.iter().filter_map(|var| enum_of(var.ty)))
}

fn enum_of(ty: Type) -> Option<EnumId> {
    match ty {
        Type::Enum(id) if id != BOOL => Some(id),
        _ => None,
    }
}

/// Refuses reals, which `target` does not have.
pub fn refuse_reals(system: &System, target: &str) -> Result<(), Refusal> {
    match system.declared().find(|(_, var)| var.ty == Type::Real) {
        Some((_, var)) => {
            Err(Refusal::at(var.span, format!("{target} has no real numbers, and `{}` is one", var.name))
                .help("`--to smtlib` has them"))
        }
        None => Ok(()),
    }
}

/// Refuses reals, integers without bounds, and what is beyond 32 bits, which `target` would compute wrongly without an error.
pub fn need_small(system: &System, procs: usize, range: Range, target: &str) -> Result<(), Refusal> {
    refuse_reals(system, target)?;
    need_range(system, range, target)?;
    need_size(system, procs, range, target)
}

/// Refuses integers without bounds, which `target` does not have.
fn need_range(system: &System, range: Range, target: &str) -> Result<(), Refusal> {
    match system.declared().find(|(_, var)| var.ty == Type::Int) {
        Some((_, var)) if range.is_none() => {
            let what = format!("numbers of {target} have bounds, and `{}` has none", var.name);
            Err(Refusal::at(var.span, what)
                .help("give them with --abstr-num LO UP: a step that leaves them is not possible then"))
        }
        _ => Ok(()),
    }
}

/// Refuses `:= ?` of a number without bounds, which `target` cannot choose.
pub fn need_choice(system: &System, range: Range, target: &str) -> Result<(), Refusal> {
    for transition in &system.transitions {
        for var in transition.open().map(|var| system.var(var)) {
            if var.ty == Type::Int && range.is_none() {
                let what = format!(
                    "{target} cannot choose among all integers, as {} does for `{}`",
                    transition.name, var.name
                );
                return Err(Refusal::at(transition.span, what).help("bound numbers with --abstr-num LO UP"));
            }
        }
    }
    Ok(())
}

/// Refuses bounds, constants and sums beyond 32 bits.
fn need_size(system: &System, procs: usize, range: Range, target: &str) -> Result<(), Refusal> {
    let most = i32::MAX;
    // Without bounds, only counts are numbers.
    let (low, high) = range.unwrap_or((0, 0));
    let size = low.unsigned_abs().max(high.unsigned_abs());
    if size > most.unsigned_abs().into() {
        let what = format!("numbers of {target} are at most {most}, and --abstr-num says {low} {high}");
        return Err(Refusal::of_command(what));
    }
    for (linear, span) in sums(system) {
        let plain = |_: &Cell| u128::from(size);
        let of_cell = |cell: &Cell| match system.count_of(cell.var) {
            None => plain(cell),
            Some(count) => {
                let one = |it: &Linear| largest(it, &plain);
                let each = count.summand.as_ref().map_or(1, one);
                each.saturating_mul(procs as u128)
            }
        };
        if largest(linear, &of_cell) > u128::from(most.unsigned_abs()) {
            return Err(Refusal::at(span, format!("a sum may be larger than {most}, the most in {target}")));
        }
    }
    Ok(())
}

/// The most that a sum and all its parts can be, without their signs, when cells are at most `of_cell`.
fn largest(linear: &Linear, of_cell: &dyn Fn(&Cell) -> u128) -> u128 {
    let products =
        linear.terms.iter().map(|(cell, n)| of_cell(cell).saturating_mul(n.num().unsigned_abs().into()));
    products.fold(linear.constant.num().unsigned_abs().into(), u128::saturating_add)
}

/// All sums of bad states, guards and updates, with their places.
fn sums(system: &System) -> Vec<(&Linear, Span)> {
    let mut found = Vec::new();
    for bad in &system.bad {
        found.extend(bad.cube.iter().filter_map(Literal::linear).map(|sum| (sum, bad.span)));
    }
    for transition in &system.transitions {
        let values = transition.values().filter_map(|value| value.1.linear());
        let asked = transition.conjunctions().flatten().filter_map(Literal::linear);
        found.extend(asked.chain(values).map(|sum| (sum, transition.span)));
    }
    found
}
