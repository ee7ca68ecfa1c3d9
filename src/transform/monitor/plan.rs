//! The declarations of a monitor: its phases, copies of variables, and how fairness is tracked.

use super::literals::{absent, blank, declare, silent};
use crate::taken::{fresh_name, truth_values};
use cubicle_lang::model::{
    Assignment, Branch, Conj, Dnf, EnumDecl, EnumId, Fairness, FollowedFairness, MonitorPlan, System,
    SystemParts, Temporal, TemporalKind, Term, Transition, Type, Update, Var, VarId, VarKind,
};

/// How one declaration of fairness is tracked.
pub struct Track<'a> {
    pub fairness: &'a Fairness,
    /// Its number among those of the model.
    pub number: usize,
    pub strong: bool,
    /// For each process, or for all together.
    pub each: bool,
    /// Whether its step was taken, or not possible.
    pub done: VarId,
    /// Of strong fairness: whether its step is never to be possible.
    pub never: Option<VarId>,
    /// For each observed process.
    pub hindered: Vec<Hindered>,
}

/// Another process that blocked a step of an observed process when the step was found not possible, where one may.
/// Only closing reads it, which states for this process separately what holds of all.
#[derive(Clone, Copy)]
pub struct Hindered {
    /// Whether there was one.
    pub at_all: VarId,
    pub by: VarId,
}

impl Track<'_> {
    /// Whether it tracks a transition.
    pub fn is_about(&self, transition: &Transition) -> bool {
        self.fairness.is_about(transition)
    }
}

/// A monitor that is being made.
pub struct Monitor<'a> {
    pub original: &'a System,
    pub property: &'a Temporal,
    pub system: SystemParts,
    pub phase: VarId,
    /// Variables that change, each with its copy.
    pub copies: Vec<(VarId, VarId)>,
    pub tracks: Vec<Track<'a>>,
    /// The ways for the promise not to hold.
    pub silent: Vec<Conj>,
    /// For each case of the promise with one further process, the ways for it not to hold of process `Var(0)`.
    pub absent: Vec<Vec<Conj>>,
}

impl<'a> Monitor<'a> {
    /// Declares the variables of the monitor of a property; `None` when there are too many.
    pub fn new(original: &'a System, property: &'a Temporal) -> Option<Self> {
        let mut system = original.to_parts();
        let truth = truth_values(&mut system)?;
        let ty = EnumId(u16::try_from(system.enums.len()).ok()?);
        let prefix = fresh_name(&system, "Phase");
        let constructors = ["Run", "Waits", "Saved", "Looped"].map(|it| format!("{prefix}_{it}")).to_vec();
        system.enums.push(EnumDecl { name: prefix.to_lowercase(), constructors, words: Vec::new() });
        let phase = declare(&mut system, &prefix, VarKind::Global, Type::Enum(ty))?;
        let changes =
            |var: VarId| original.transitions.iter().any(|it| it.updates.iter().any(|u| u.var == var));
        let mut copies = Vec::new();
        for var in (0..original.vars.len() as u16).map(VarId).filter(|var| changes(*var)) {
            if original.var(var).arity() > 1 {
                continue;
            }
            let Var { name, kind, ty, .. } = original.var(var).clone();
            let name = fresh_name(&system, &format!("{name}_0"));
            copies.push((var, declare(&mut system, &name, kind, ty)?));
        }
        let mut tracks = Vec::new();
        for (number, fairness) in original.fairness.iter().enumerate() {
            let of = original.asked_by(fairness).next()?;
            let each = !fairness.any && !of.params.is_empty();
            if each && of.params.len() > 1 {
                continue;
            }
            let kind = if each { VarKind::Array(1) } else { VarKind::Global };
            let mut flag = |word: &str| {
                let name = fresh_name(&system, &format!("{word}_{}", of.name));
                declare(&mut system, &name, kind, Type::Enum(truth))
            };
            let done = flag("Done")?;
            let never = if fairness.strong { Some(flag("Never")?) } else { None };
            let mut parts = original.asked_by(fairness);
            let others = each && !fairness.strong && parts.any(|it| !it.universals.is_empty());
            let mut hindered = Vec::new();
            for p in 0..if others { property.params.len() } else { 0 } {
                let mut global = |word: &str, ty| {
                    let name = fresh_name(&system, &format!("{word}_{}_{}", of.name, p + 1));
                    declare(&mut system, &name, VarKind::Global, ty)
                };
                let at_all = global("Hindered", Type::Enum(truth))?;
                hindered.push(Hindered { at_all, by: global("By", Type::Proc)? });
            }
            tracks.push(Track { fairness, number, strong: fairness.strong, each, done, never, hindered });
        }
        let promised = match property.kind {
            TemporalKind::Response => &property.then,
            _ => &property.first,
        };
        let (silent, absent) = (silent(original, property, promised), absent(original, property, promised));
        Some(Self { original, property, system, phase, copies, tracks, silent, absent })
    }

    /// The names of what it adds.
    pub fn plan(&self) -> MonitorPlan {
        let name = |var: VarId| self.system.var(var).name.clone();
        let followed = |track: &Track<'_>| FollowedFairness {
            fairness: track.number,
            done: name(track.done),
            never: track.never.map(name),
            hindered: track.hindered.iter().map(|it| (name(it.at_all), name(it.by))).collect(),
        };
        MonitorPlan {
            property: self.property.name.clone(),
            phase: name(self.phase),
            copies: self.copies.iter().map(|(var, copy)| (name(*copy), name(*var))).collect(),
            followed: self.tracks.iter().map(followed).collect(),
        }
    }

    /// A step of the monitor itself, to a phase.
    pub fn moves(&self, name: &str, params: usize, guard: Conj, to: u8) -> Transition {
        let value = Term::Constructor(to);
        let branch = Branch { when: Dnf::truth(), value };
        let updates = vec![Update { var: self.phase, assignment: Assignment::Cases(vec![branch]) }];
        blank(name, params, guard, updates, self.property.span)
    }
}
