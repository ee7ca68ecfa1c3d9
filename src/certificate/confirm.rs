//! The check of a claim before it is said: of what an engine has shown, as it left it, without a text.
//!
//! The system is derived again from the model, as for a certificate. The cubes are those of the engine, with the numbers that their
//! variables have there: they are found by name, counts by what they count. A wrong number would make another claim, which is then shown or
//! refused as any other: that the cubes are unreachable in the derived system and exclude its bad states is all that the answer rests on.

use std::sync::Arc;

use super::abstraction::{Abstraction, sayable};
use super::claim::{Claim, Stated};
use super::cubes::Cubes;
use super::failure::NoCertificate;
use super::options::CheckOptions;
use super::prove::{FinishedProof, prove};
use super::subject::Subject;
use super::unreadable::TextError;
use cubicle_lang::model::{
    Cell, Conj, Count, Dnf, Forbidden, Linear, Literal, System, Term, Type, Var, VarId, rename,
};

/// What a check of a claim took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Confirmed {
    /// How many cubes were shown unreachable: those that the properties need.
    pub invariants: usize,
    /// How many obligations were shown.
    pub obligations: usize,
    /// Calls of Z3.
    pub solver_calls: u64,
}

/// Checks what an engine has shown of `made`, which was derived from `model` as `subject` says. From `made` only names are taken.
///
/// # Errors
/// The system cannot be derived from the model, an obligation fails, or it is not known whether it does.
pub fn confirm(
    subject: &Subject,
    model: &System,
    made: &System,
    claim: Claim<'_>,
    options: CheckOptions<'_>,
) -> Result<Confirmed, NoCertificate> {
    let stated = Stated::new(subject, model, made, claim)?;
    let basis = stated.basis;
    let abstraction = abstraction_of(&stated.subject, options.abstraction)?;
    let Some(numbers) = Numbers::new(&stated.all, &basis, claim.cubes) else {
        let why = "the engine's proof is about variables that the system derived again does not have";
        return Err(NoCertificate::NotDerived(why.to_owned()));
    };
    let out_of_range = |cube: &Forbidden| NoCertificate::Words(cube.clone(), Box::new(stated.all.clone()));
    let renamed = |cube: &Forbidden| numbers.cube(cube).ok_or_else(|| out_of_range(cube));
    let cubes = claim.cubes.iter().map(renamed).collect::<Result<Vec<_>, _>>()?;
    let subject = (stated.subject, abstraction);
    let mut cubes = Cubes::new(basis, subject, numbers.counts, cubes, options.trusting);
    let system = &cubes.system();
    let proof = prove(system, &mut cubes, None, options.timeout, options.interrupt);
    match proof {
        Ok(FinishedProof { shown, refutations, solver_calls }) => {
            Ok(Confirmed { invariants: shown.len(), obligations: refutations.len(), solver_calls })
        }
        Err(failure) => Err(NoCertificate::Failed(failure, Box::new(cubes))),
    }
}

/// The abstract model that a subject needs, if it does.
pub fn abstraction_of(
    subject: &Subject,
    abstraction: Option<&Arc<Abstraction>>,
) -> Result<Option<Arc<Abstraction>>, NoCertificate> {
    if abstraction.is_some() != subject.refines.is_some() {
        let why = if abstraction.is_some() {
            "it is not about a refinement"
        } else {
            "it is about a refinement: the abstract model is missing"
        };
        return Err(NoCertificate::Unreadable(TextError::Subject(why.to_owned())));
    }
    abstraction.map_or(Ok(()), |it| sayable(it))?;
    Ok(abstraction.cloned())
}

/// The numbers that variables of one system have in another one.
struct Numbers {
    /// `None` for those that it does not have.
    of: Vec<Option<VarId>>,
    /// The counts that it gets besides.
    counts: Vec<(Var, Count)>,
    /// Whether all are the same.
    same: bool,
}

impl Numbers {
    /// Those of the variables of `from` in `to`, with further counts that the cubes mention; `None` when `to` lacks another variable of theirs.
    fn new(from: &System, to: &System, cubes: &[Forbidden]) -> Option<Self> {
        let ids = |system: &System| (0..system.vars.len()).map(|id| VarId(id as u16));
        let is_same = |id: VarId, other: VarId| {
            let (var, known) = (from.var(id), to.var(other));
            var.name == known.name && var.kind == known.kind && same_type((from, var.ty), (to, known.ty))
        };
        let is_plain = |system: &System, id: VarId| system.count_of(id).is_none();
        let named = |id: VarId| {
            let mut fitting =
                std::iter::once(id).filter(|id| usize::from(id.0) < to.vars.len()).chain(ids(to));
            fitting.find(|other| is_plain(to, *other) && is_same(id, *other))
        };
        let of = ids(from).map(|id| if is_plain(from, id) { named(id) } else { None }).collect();
        let mut numbers = Self { of, counts: Vec::new(), same: false };
        let mut mentioned = vec![false; from.vars.len()];
        for cell in cubes.iter().flat_map(Forbidden::literals).flat_map(Literal::cells) {
            mentioned[usize::from(cell.var.0)] = true;
        }
        for count in from.counts.iter().filter(|it| mentioned[usize::from(it.var.0)]) {
            let declared = from.var(count.var);
            let body = Dnf(count.body.0.iter().map(|it| numbers.conj(it)).collect::<Option<_>>()?);
            let summand = match &count.summand {
                Some(summand) => Some(numbers.linear(summand)?),
                None => None,
            };
            let known = to.counts.iter().find(|it| {
                let arity = to.var(it.var).arity();
                it.body == body && it.summand == summand && arity == declared.arity()
            });
            let var = if let Some(known) = known {
                known.var
            } else {
                let var = VarId::new(to.vars.len() + numbers.counts.len())?;
                numbers.counts.push((declared.clone(), Count { var, body, summand }));
                var
            };
            numbers.of[usize::from(count.var.0)] = Some(var);
        }
        let mut used = numbers.of.iter().zip(ids(from)).zip(&mentioned).filter(|(_, used)| **used);
        numbers.same = used.all(|((to, from), _)| *to == Some(from));
        let has = |(number, used): (&Option<VarId>, &bool)| !used || number.is_some();
        numbers.of.iter().zip(&mentioned).all(has).then_some(numbers)
    }

    /// The cube with these numbers; `None` when a number leaves the 64-bit range, or a conjunction is false everywhere.
    fn cube(&self, it: &Forbidden) -> Option<Forbidden> {
        if self.same {
            return Some(it.clone());
        }
        let others = it.others.iter().map(|other| self.conj(other)).collect::<Option<_>>()?;
        Some(Forbidden { params: it.params, cube: self.conj(&it.cube)?, others })
    }

    fn cell(&self, it: &Cell) -> Option<Cell> {
        Some(Cell { var: self.of.get(usize::from(it.var.0)).copied()??, index: it.index.clone() })
    }

    fn linear(&self, it: &Linear) -> Option<Linear> {
        let terms = it.terms.iter().map(|(cell, factor)| Some((self.cell(cell)?, *factor)));
        Linear::gathered(terms.collect::<Option<_>>()?, it.constant)
    }

    fn term(&self, it: &Term) -> Option<Term> {
        Some(match it {
            Term::Cell(cell) => Term::Cell(self.cell(cell)?),
            Term::Linear(expr) => Term::Linear(self.linear(expr)?),
            Term::Constructor(_) | Term::Proc(_) => it.clone(),
        })
    }

    /// In normal form, which depends on the numbers.
    fn conj(&self, it: &Conj) -> Option<Conj> {
        let literal = |literal: &Literal| {
            Some(match literal {
                Literal::In { cell, values } => Literal::In { cell: self.cell(cell)?, values: *values },
                Literal::Eq { left, right, negated } => {
                    Literal::Eq { left: self.term(left)?, right: self.term(right)?, negated: *negated }
                }
                Literal::Less { left, right, strict } => {
                    Literal::Less { left: self.term(left)?, right: self.term(right)?, strict: *strict }
                }
                Literal::Linear { expr, relation, integer } => {
                    let expr = self.linear(expr)?;
                    Literal::Linear { expr, relation: *relation, integer: *integer }
                }
            })
        };
        rename::conj(&it.iter().map(literal).collect::<Option<Conj>>()?, &|process| process)?
    }
}

/// Whether two types of two systems are the same.
fn same_type((one, a): (&System, Type), (other, b): (&System, Type)) -> bool {
    match (a, b) {
        (Type::Enum(a), Type::Enum(b)) => {
            one.enumeration(a).constructors == other.enumeration(b).constructors
        }
        (Type::Abstract(a), Type::Abstract(b)) => {
            one.abstracts[usize::from(a.0)] == other.abstracts[usize::from(b.0)]
        }
        _ => a == b,
    }
}
