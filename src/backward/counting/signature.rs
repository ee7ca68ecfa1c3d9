//! The signatures that a process may have: which of some counts it is part of.

use hashbrown::HashMap;

use crate::cube::{
    CellKind, Cube, CubeCell, CubeContext, CubeLiteral, Instantiation, OTHER, Reduced, Relational, low,
};
use crate::theory::{Sat, linearly_satisfiable};
use crate::tuning::MAX_SIGNATURES;
use cubicle_lang::model::{Cell, Dnf, Literal, ProcRef, Term};

/// A formula over the processes that a cube names, one by number for each index, and a further one.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a> {
    pub body: &'a Dnf,
    /// The processes of its first variables.
    pub index: &'a [u8],
}

/// The process that a formula is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Member {
    /// One that the cube names.
    Named(u8),
    /// Another one.
    Unnamed,
}

/// A literal at some processes.
#[derive(Clone, Debug)]
enum Atom {
    /// Known, whatever the state.
    Constant(bool),
    /// The choice of this number is one of these parts of its values.
    Part(usize, u64),
    /// True or false: the choice of this number is 1 or 0.
    Opaque(usize),
}

impl Atom {
    const fn choice(&self) -> Option<usize> {
        match self {
            Self::Constant(_) => None,
            Self::Part(at, _) | Self::Opaque(at) => Some(*at),
        }
    }
}

/// Something of which different values are tried.
#[derive(Clone, PartialEq, Debug)]
enum Choice<'a> {
    /// The values of a cell, as sets that no literal tells apart.
    Cell(CellAt, Vec<u64>),
    /// Whether a literal holds.
    Literal(&'a Literal, Vec<Option<u8>>),
}

/// A cell at named processes, or (`None`) at the one that is not named.
type CellAt = (u16, Vec<Option<u8>>);

/// The signatures that a process of a cube may have: bit n says whether formula n holds of it, and those of `required` do. `None` when
/// there are too many possibilities. All values are tried that the cube allows, and of comparisons those that its numbers allow; combinations
/// that it excludes otherwise may be among them.
pub fn signatures(
    context: &CubeContext,
    cube: &Cube,
    counted: &[Counted<'_>],
    member: Member,
    required: u64,
) -> Option<Vec<u64>> {
    let mut choices: Vec<Choice<'_>> = Vec::new();
    let mut formulas: Vec<Vec<Vec<Atom>>> = Vec::with_capacity(counted.len());
    for formula in counted {
        let literal = |literal| atom(context, cube, formula.index, member, literal, &mut choices);
        let mut read = literal;
        formulas.push(formula.body.0.iter().map(|conj| conj.iter().map(&mut read).collect()).collect());
    }
    // The values of a cell matter only as far as literals tell them apart.
    for (at, choice) in choices.iter_mut().enumerate() {
        let Choice::Cell(cell, parts) = choice else { continue };
        let mut refined = vec![values(context, cube, cell)];
        for conj in formulas.iter().flatten() {
            for atom in conj {
                if let Atom::Part(of, set) = atom
                    && *of == at
                {
                    let split = |part: u64| [part & set, part & !set];
                    refined = refined.into_iter().flat_map(split).filter(|part| *part != 0).collect();
                }
            }
        }
        *parts = refined;
    }
    let mut open: Vec<Vec<usize>> = (choices.iter())
        .map(|it| if let Choice::Cell(_, parts) = it { (0..parts.len()).collect() } else { vec![0, 1] })
        .collect();
    for (_, formula) in formulas.iter().enumerate().filter(|(n, _)| required >> n & 1 == 1) {
        let [conj] = formula.as_slice() else { continue };
        for atom in conj {
            match (atom, atom.choice().map(|at| (at, &choices[at]))) {
                (Atom::Part(_, set), Some((at, Choice::Cell(_, parts)))) => {
                    open[at].retain(|part| parts[*part] & set != 0);
                }
                (Atom::Opaque(_), Some((at, _))) => open[at].retain(|truth| *truth == 1),
                _ => {}
            }
        }
    }
    let count = open.iter().try_fold(1_usize, |all, it| all.checked_mul(it.len()));
    if count.is_none_or(|count| count > MAX_SIGNATURES) {
        return None;
    }
    let compared: Vec<(usize, [Relational; 2])> = (choices.iter().enumerate())
        .filter_map(|(at, it)| Some((at, comparison(context, cube, it)?)))
        .collect();
    let mut possible: HashMap<Vec<usize>, bool> = HashMap::new();
    let mut found = Vec::new();
    let mut chosen = vec![0; open.len()];
    loop {
        let value = |at: usize| open[at][chosen[at]];
        let holds = |atom: &Atom| match atom {
            Atom::Constant(truth) => *truth,
            Atom::Opaque(at) => value(*at) == 1,
            Atom::Part(at, set) => match &choices[*at] {
                Choice::Cell(_, parts) => parts[value(*at)] & set != 0,
                Choice::Literal(..) => unreachable!("parts are of cells"),
            },
        };
        let is_possible = open.iter().all(|it| !it.is_empty()) && {
            let truths: Vec<usize> = compared.iter().map(|(at, _)| value(*at)).collect();
            truths.is_empty()
                || *possible.entry(truths).or_insert_with_key(|truths| {
                    let said = compared.iter().zip(truths).map(|((_, it), truth)| &it[*truth]);
                    let rows: Vec<Relational> = cube.relational.iter().chain(said).cloned().collect();
                    !linearly_satisfiable(&rows).is_ok_and(|it| it == Sat::No)
                })
        };
        if is_possible {
            let mut signature = 0;
            for (n, formula) in formulas.iter().enumerate() {
                if formula.iter().any(|conj| conj.iter().all(holds)) {
                    signature |= 1 << n;
                }
            }
            if signature & required == required && !found.contains(&signature) {
                found.push(signature);
            }
        }
        let Some(k) = (0..chosen.len()).rev().find(|k| chosen[*k] + 1 < open[*k].len()) else {
            found.sort_unstable();
            return Some(found);
        };
        chosen[k] += 1;
        chosen[k + 1..].fill(0);
    }
}

/// What a choice says of numbers where it is 0 and where it is 1, if it is whether a comparison of whole numbers holds. A member without a name is the
/// process after those of the cube.
fn comparison(context: &CubeContext, cube: &Cube, choice: &Choice<'_>) -> Option<[Relational; 2]> {
    let Choice::Literal(literal @ Literal::Linear { integer: true, .. }, named) = choice else { return None };
    let vars: Vec<u8> = named.iter().map(|p| p.unwrap_or(cube.procs)).collect();
    let read = Instantiation { context, procs: cube.procs + 1, vars: &vars }.literal(literal).ok()?;
    let Reduced::Literal(CubeLiteral::Relational(holds)) = read else { return None };
    Some([holds.negate().ok()?, holds])
}

/// A literal of a formula; its first variables are the processes of `index`, the next is the member.
fn atom<'a>(
    context: &CubeContext,
    cube: &Cube,
    index: &[u8],
    member: Member,
    literal: &'a Literal,
    choices: &mut Vec<Choice<'a>>,
) -> Atom {
    // The process of a variable; `None` for the one that is not named.
    let process = |proc: ProcRef| match proc {
        ProcRef::Const(k) => Some(k),
        ProcRef::Var(v) => match (index.get(usize::from(v)), member) {
            (Some(p), _) => Some(*p),
            (None, Member::Named(p)) => Some(p),
            (None, Member::Unnamed) => None,
        },
    };
    let at = |cell: &Cell| (cell.var.0, cell.index.iter().map(|p| process(*p)).collect::<Vec<_>>());
    let mut chosen = |choice: Choice<'a>| {
        choices.iter().position(|it| *it == choice).unwrap_or_else(|| {
            choices.push(choice);
            choices.len() - 1
        })
    };
    match literal {
        Literal::In { cell, values } => Atom::Part(chosen(Choice::Cell(at(cell), Vec::new())), *values),
        Literal::Eq { left: Term::Proc(a), right: Term::Proc(b), negated } => {
            Atom::Constant((process(*a) == process(*b)) != *negated)
        }
        Literal::Eq { left: Term::Cell(cell), right: Term::Proc(p), negated }
        | Literal::Eq { left: Term::Proc(p), right: Term::Cell(cell), negated }
            if process(*p).is_some() =>
        {
            let p = process(*p).expect("a named process");
            let all = OTHER | low(cube.procs.max(p + 1));
            let values = if *negated { all & !(1 << p) } else { 1 << p };
            Atom::Part(chosen(Choice::Cell(at(cell), Vec::new())), values)
        }
        _ => {
            let mut named: Vec<Option<u8>> = index.iter().map(|p| Some(*p)).collect();
            named.push(process(ProcRef::Var(index.len() as u8)));
            debug_assert!(context.vars() > 0, "an opaque literal reads a variable");
            Atom::Opaque(chosen(Choice::Literal(literal, named)))
        }
    }
}

/// The values that a cell may hold in a state of the cube.
fn values(context: &CubeContext, cube: &Cube, (var, index): &CellAt) -> u64 {
    let named: Option<Vec<u8>> = index.iter().copied().collect();
    let var = cubicle_lang::model::VarId(*var);
    match named {
        Some(named) => {
            let cell = CubeCell::of(var, named);
            cube.held(context, cell)
        }
        None => match context.kind_of(var) {
            CellKind::Enum(range) => range,
            _ => OTHER | low(cube.procs),
        },
    }
}
