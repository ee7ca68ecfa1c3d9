//! The signatures that a process may have: which of some counts it is part of.

use hashbrown::HashMap;

use crate::cube::{
    CellKind, Cube, CubeCell, CubeContext, CubeLiteral, Instantiation, OTHER, Reduced, Relational, low,
};
use crate::theory::{Sat, linearly_satisfiable};
use crate::tuning::MAX_SIGNATURES;
use cubicle_lang::model::{Cell, Dnf, Literal, ProcRef, Term, VarId};

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
    /// The choice of this number is 1 or 0.
    Opaque(usize, bool),
}

impl Atom {
    const fn choice(&self) -> Option<usize> {
        match self {
            Self::Constant(_) => None,
            Self::Part(at, _) | Self::Opaque(at, _) => Some(*at),
        }
    }
}

/// Something of which different values are tried.
#[derive(Clone, PartialEq, Debug)]
enum Choice<'a> {
    /// The values of a cell, as sets that no literal tells apart.
    Cell(CellAt, Vec<u64>),
    /// Whether the cells of two choices hold the same.
    Equal(usize, usize),
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
                (Atom::Opaque(_, holds), Some((at, _))) => open[at].retain(|it| (*it == 1) == *holds),
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
        let part = |at: usize| match &choices[at] {
            Choice::Cell(_, parts) => parts[value(at)],
            Choice::Equal(..) | Choice::Literal(..) => unreachable!("parts are of cells"),
        };
        let holds = |atom: &Atom| match atom {
            Atom::Constant(truth) => *truth,
            Atom::Opaque(at, truth) => (value(*at) == 1) == *truth,
            Atom::Part(at, set) => part(*at) & set != 0,
        };
        // What two cells hold says whether they may hold the same.
        let fits = |(at, choice): (usize, &Choice<'_>)| match choice {
            Choice::Equal(a, b) if value(at) == 1 => part(*a) & part(*b) != 0,
            Choice::Equal(a, b) => part(*a) != part(*b) || part(*a) == OTHER || !part(*a).is_power_of_two(),
            Choice::Cell(..) | Choice::Literal(..) => true,
        };
        let mut numbers_fit = || {
            let truths: Vec<usize> = compared.iter().map(|(at, _)| value(*at)).collect();
            truths.is_empty()
                || *possible.entry(truths).or_insert_with_key(|truths| {
                    let said = compared.iter().zip(truths).map(|((_, it), truth)| &it[*truth]);
                    let rows: Vec<Relational> = cube.relational.iter().chain(said).cloned().collect();
                    !linearly_satisfiable(&rows).is_ok_and(|it| it == Sat::No)
                })
        };
        let has_values = open.iter().all(|it| !it.is_empty());
        if has_values && choices.iter().enumerate().all(fits) && numbers_fit() {
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

/// What a choice says of numbers where it is 0 and where it is 1, if it is whether a comparison of whole numbers holds.
fn comparison(context: &CubeContext, cube: &Cube, choice: &Choice<'_>) -> Option<[Relational; 2]> {
    let Choice::Literal(literal, named) = choice else { return None };
    let Reduced::Literal(CubeLiteral::Relational(holds)) = compared(context, cube, literal, named)? else {
        return None;
    };
    Some([holds.negate().ok()?, holds])
}

/// A comparison of whole numbers at these processes. A member without a name is the process after those of the cube.
fn compared(context: &CubeContext, cube: &Cube, literal: &Literal, named: &[Option<u8>]) -> Option<Reduced> {
    let Literal::Linear { integer: true, .. } = literal else { return None };
    let vars: Vec<u8> = named.iter().map(|p| p.unwrap_or(cube.procs)).collect();
    Instantiation { context, procs: cube.procs + 1, vars: &vars }.literal(literal).ok()
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
        _ if let Some((cell, p, holds)) = literal.pointed()
            && let Some(p) = process(p) =>
        {
            let all = OTHER | low(cube.procs.max(p + 1));
            let values = if holds { 1 << p } else { all & !(1 << p) };
            Atom::Part(chosen(Choice::Cell(at(cell), Vec::new())), values)
        }
        Literal::Eq { left: Term::Cell(a), right: Term::Cell(b), negated }
            // Only of pointers: of constructors, more processes get names, and the check of such proofs was inconclusive.
            if context.kind_of(a.var) == CellKind::Proc =>
        {
            let (a, b) = (at(a), at(b));
            if let (Some(a), Some(b)) = (named(&a), named(&b)) {
                let (a, b) = (a.min(b), a.max(b));
                for (known, equal) in [(Relational::Eq(a, b), true), (Relational::Ne(a, b), false)] {
                    if cube.relational.contains(&known) {
                        return Atom::Constant(equal != *negated);
                    }
                }
            }
            let [a, b] = [a, b].map(|cell| chosen(Choice::Cell(cell, Vec::new())));
            Atom::Opaque(chosen(Choice::Equal(a.min(b), a.max(b))), !negated)
        }
        _ => {
            let mut named: Vec<Option<u8>> = index.iter().map(|p| Some(*p)).collect();
            named.push(process(ProcRef::Var(index.len() as u8)));
            match compared(context, cube, literal, &named) {
                // Of one cell with itself.
                Some(Reduced::True) => Atom::Constant(true),
                Some(Reduced::False) => Atom::Constant(false),
                _ => Atom::Opaque(chosen(Choice::Literal(literal, named)), true),
            }
        }
    }
}

/// The values that a cell may hold in a state of the cube.
fn values(context: &CubeContext, cube: &Cube, cell: &CellAt) -> u64 {
    match (named(cell), context.kind_of(VarId(cell.0))) {
        (Some(cell), _) => cube.held(context, cell),
        (None, CellKind::Enum(range)) => range,
        (None, _) => OTHER | low(cube.procs),
    }
}

/// The cell, where all its processes are named.
fn named((var, index): &CellAt) -> Option<CubeCell> {
    let index: Option<Vec<u8>> = index.iter().copied().collect();
    Some(CubeCell::of(VarId(*var), index?))
}
