//! Which `invariant`s are axioms: assumptions about what never changes, not claims about runs.
//!
//! An invariant over cells that no transition assigns cannot be proved by looking at runs. Either the
//! initial states imply it, and then it is a lemma with a short proof, or it says for which parameters the
//! system is meant: which matrices are a topology, which processes are of which kind. Whether init implies
//! it is decided by a cheap procedure (see [`super::initially`]) that need not know: then it is an axiom
//! all the same, which assumes only what is true, and is reported.
//!
//! A declaration is an axiom as a whole. One that mentions no cell at all (`invariant (p q) { true }`, "there
//! are not two processes") stays a lemma: `number_procs` is the way to say that. So does one whose text mentions a
//! cell that the text of some transition assigns, even with its own value, and also where the formula does not depend on it.

use super::initially::Initially;
use super::linear::negated;
use super::{Axiom, Bad, BadKind, Conj, Dnf, Literal, SystemParts, VarId};
use crate::diagnostic::Span;

/// What the text of a model says, whatever becomes of it.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// The variables that each `invariant` mentions.
    pub mentioned: Vec<(Span, Vec<VarId>)>,
    /// The variables that transitions assign, also those that never fire.
    pub assigned: Vec<VarId>,
}

impl Texts {
    fn mentioned(&self, invariant: Span) -> &[VarId] {
        self.mentioned.iter().find(|it| it.0 == invariant).map_or(&[][..], |it| &it.1)
    }

    /// Whether the invariant at this place says something of variables, and no transition assigns one of them, or another one that it
    /// mentions.
    pub fn is_about_parameters(&self, invariant: Span, said: &[VarId]) -> bool {
        !said.is_empty()
            && !said.iter().chain(self.mentioned(invariant)).any(|var| self.assigned.contains(var))
    }
}

/// Moves the axioms among the invariants in `system.bad` to `system.axioms`.
pub(super) fn separate(system: &mut SystemParts, texts: &Texts) {
    let mut axioms = Vec::new();
    for cubes in invariants(&system.bad) {
        let mentioned = texts.mentioned(cubes[0].span);
        let changes = mentioned.iter().any(|var| texts.assigned.contains(var));
        if changes
            || !cubes.iter().all(|bad| is_about_parameters(system, &bad.cube, mentioned))
            || implied(system, cubes)
        {
            continue;
        }
        let these: Option<Vec<Axiom>> = cubes.iter().map(|bad| axiom(system, bad, mentioned)).collect();
        // A negation has numbers beyond 64 bits: left to the proof.
        axioms.extend(these.unwrap_or_default());
    }
    system.bad.retain(|bad| {
        bad.kind != BadKind::Invariant || !axioms.iter().any(|axiom: &Axiom| axiom.span == bad.span)
    });
    system.axioms = axioms;
}

/// The cubes of each `invariant`, which are neighbours.
pub fn invariants(bad: &[Bad]) -> impl Iterator<Item = &[Bad]> {
    bad.chunk_by(|a, b| a.span == b.span).filter(|it| it[0].kind == BadKind::Invariant)
}

/// Whether the cube has cells, and no transition assigns any of them or of what its declaration mentions besides.
pub(super) fn is_about_parameters(system: &SystemParts, cube: &Conj, mentioned: &[VarId]) -> bool {
    let assigned = |var: &VarId| system.changes(*var);
    let vars: Vec<VarId> = cube.iter().flat_map(Literal::vars).collect();
    !vars.is_empty() && !vars.iter().chain(mentioned).any(assigned)
}

impl SystemParts {
    /// Whether these cubes of an `invariant` would be an axiom if its text mentioned nothing else.
    pub fn looks_like_axiom(&self, cubes: &[Bad]) -> bool {
        let constant = |bad: &Bad| is_about_parameters(self, &bad.cube, &[]);
        cubes.iter().all(constant) && !implied(self, cubes)
    }
}

impl Axiom {
    /// Whether no transition assigns anything that it is about, so that it may be assumed.
    pub fn is_constant(&self, system: &SystemParts) -> bool {
        is_about_parameters(system, &self.cube, &self.reads)
    }
}

/// Whether init surely excludes all cubes.
fn implied(system: &SystemParts, cubes: &[Bad]) -> bool {
    let initially = Initially::without_axioms(system);
    cubes.iter().all(|bad| initially.satisfies(bad.params, &bad.cube) == Some(false))
}

fn axiom(system: &SystemParts, bad: &Bad, mentioned: &[VarId]) -> Option<Axiom> {
    let denied: Option<Vec<Conj>> =
        bad.cube.iter().map(|literal| Some(vec![negated(system, literal)?])).collect();
    let (name, number) = (bad.name.clone(), bad.number);
    Some(Axiom {
        name,
        number,
        params: bad.params,
        cube: bad.cube.clone(),
        denial: Dnf(denied?),
        reads: mentioned.to_vec(),
        span: bad.span,
    })
}
