//! Bad states of which something holds for all processes.
//!
//! `unsafe lost (s : node) { Sent[s] = True && forall n : node. Has[n] = False }` becomes a transition `lost` with this guard, which only notes that it
//! was possible, and the bad states in which that is noted. So all that is known of universal guards applies to it. The transition fires in no run of
//! a safe system, and nothing else reads the note: without bad states, steps and ends of runs are those of the text.
//!
//! Quantifiers range as in a guard: over the parameters, too. An `invariant` with a universal is the same, as a claim: what is noted then refutes it.

use indexmap::IndexSet;

use super::make::{all, free, variable};
use super::types::Expander;
use crate::diagnostic::Span;
use crate::syntax::ast::{
    Comparison, Expr, ExprKind, File, Item, Loc, Name, Part, Path, Property, PropertyKind, Quantifier, Rhs,
    Term, Transition, Update, capital,
};

impl Expander {
    /// The transition and the bad states for an `unsafe` or an `invariant` with a universal; `None` for any other property.
    pub(super) fn watched(
        &mut self,
        property: &Property,
        file: &File,
        symbols: &mut Vec<Item>,
    ) -> Option<(Transition, Property)> {
        if !matches!(property.kind, PropertyKind::Unsafe | PropertyKind::Invariant)
            || !self.is_universal(&property.body, true, &mut IndexSet::new())
        {
            return None;
        }
        let loc = property.loc;
        let unnamed = if property.kind == PropertyKind::Unsafe { "bad" } else { "lemma" };
        let wanted = property.name.as_ref().map_or(unnamed, |it| it.text.as_str());
        let title = free(wanted.to_owned(), |title| {
            file.transitions().any(|it| it.name.text == *title) || self.watches.values().any(|it| it == title)
        });
        let note = self.symbols.fresh(&format!("{}_is_seen", capital(&title)));
        self.watches.insert(note.clone(), title.clone());
        symbols.push(variable(&note, "bool"));
        let guard = all(vec![is_seen(&note, false, loc), property.body.clone()], property.body.span);
        let target = Path::of(Name::at(&note, loc));
        let truth = Rhs::Term(Term::named("True", loc));
        let transition = Transition {
            name: Name::at(title, loc),
            params: property.params.clone(),
            requires: Some(guard),
            lets: Vec::new(),
            updates: vec![Update::new(target, truth, loc)],
            part: Part::Whole,
            loc,
        };
        let property = Property { params: Vec::new(), body: is_seen(&note, true, loc), ..property.clone() };
        Some((transition, property))
    }

    /// That nothing was noted yet.
    pub(super) fn nothing_seen(&self) -> Vec<Expr> {
        self.watches.keys().map(|note| is_seen(note, false, Loc(Span::default()))).collect()
    }

    /// Whether something is said of all processes, where the formula has to hold or, if not `positive`, its negation; `seen`: the
    /// predicates that were looked at, which say nothing of all processes.
    fn is_universal<'e>(
        &'e self,
        formula: &'e Expr,
        positive: bool,
        seen: &mut IndexSet<(&'e str, bool)>,
    ) -> bool {
        match &formula.kind {
            ExprKind::Call { name, .. } => {
                let Some((predicate, _)) = self.predicates.get(&name.text) else { return false };
                seen.insert((&name.text, positive)) && self.is_universal(&predicate.body, positive, seen)
            }
            ExprKind::Quantified { quantifier, .. }
                if matches!(quantifier, Quantifier::Forall | Quantifier::ForallOther) == positive =>
            {
                true
            }
            kind => kind.signed().into_iter().any(|(part, sign)| {
                sign != Some(false) && self.is_universal(part, positive, seen)
                    || sign != Some(true) && self.is_universal(part, !positive, seen)
            }),
        }
    }
}

fn is_seen(note: &str, truth: bool, loc: Loc) -> Expr {
    let truth = if truth { "True" } else { "False" };
    Expr::compare(Term::named(note, loc), Comparison::Eq, Term::named(truth, loc), loc.0)
}
