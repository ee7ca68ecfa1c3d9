//! Where the original Cubicle accepts quantifiers: `forall` around `init`, `exists` around `unsafe`, and in a guard one
//! universal for each way to satisfy it.

use indexmap::IndexMap;

use crate::diagnostic::Span;
use crate::syntax::ast::{Expr, ExprKind, Predicate, Quantifier};

/// A place, what is there, and what to write instead.
type Found = (Span, &'static str, &'static str);

/// Facts about the quantifiers of a formula in a guard.
#[derive(Clone, Copy, Default)]
struct Shape {
    /// The most universals in one way to satisfy it.
    universals: u32,
    /// A quantifier that is not allowed in a guard.
    misplaced: Option<Found>,
}

impl Shape {
    fn both(self, other: Self) -> Self {
        let universals = self.universals.saturating_add(other.universals);
        Self { universals, misplaced: self.misplaced.or(other.misplaced) }
    }

    fn either(self, other: Self) -> Self {
        Self {
            universals: self.universals.max(other.universals),
            misplaced: self.misplaced.or(other.misplaced),
        }
    }
}

/// The predicates declared so far: what they are in a guard, as they are and negated, and their formulas.
#[derive(Default)]
pub struct Shapes<'a> {
    known: IndexMap<&'a str, ([Shape; 2], &'a Expr)>,
}

impl<'a> Shapes<'a> {
    /// Adds a predicate; those that it uses were added before.
    pub fn declare(&mut self, predicate: &'a Predicate) {
        let shapes = [self.shape(&predicate.body, false), self.shape(&predicate.body, true)];
        self.known.insert(&predicate.name.text, (shapes, &predicate.body));
    }

    /// A quantifier that is beyond the original in a guard.
    pub fn of_guard(&self, guard: &Expr) -> Option<Found> {
        let shape = self.shape(guard, false);
        shape.misplaced.or_else(|| {
            let help = "join them: `forall_other q. (f && g)`";
            (shape.universals > 1).then_some((guard.span, "guards with several universal parts", help))
        })
    }

    /// A quantifier that is beyond the original in an `init`, or in an `unsafe` or `invariant`.
    pub fn of_property(&self, init: bool, body: &Expr) -> Option<Found> {
        let (mut at, mut negated) = (body, false);
        loop {
            match &at.kind {
                ExprKind::Not(inner) => (at, negated) = (inner, !negated),
                ExprKind::Call { name, .. } => match self.known.get(name.text.as_str()) {
                    Some((_, inner)) => at = inner,
                    None => return None,
                },
                ExprKind::Quantified { quantifier, body: inner, .. } => {
                    let universal = match quantifier {
                        Quantifier::Forall => !negated,
                        Quantifier::Exists => negated,
                        _ => break,
                    };
                    if universal != init {
                        break;
                    }
                    at = inner;
                    break;
                }
                _ => break,
            }
        }
        let help = "make its names parameters of the declaration";
        self.any(at).then_some((body.span, "such quantifiers in `init`, `unsafe` and `invariant`", help))
    }

    /// Whether a formula has a quantifier.
    fn any(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Quantified { .. } => true,
            ExprKind::Call { name, .. } => {
                let known = self.known.get(name.text.as_str());
                known.is_some_and(|(shapes, _)| shapes[0].universals > 0 || shapes[0].misplaced.is_some())
            }
            other => other.formulas().into_iter().any(|it| self.any(it)),
        }
    }

    fn shape(&self, expr: &Expr, negated: bool) -> Shape {
        let none = Shape::default();
        match &expr.kind {
            ExprKind::Bool(_) | ExprKind::Error | ExprKind::Compare { .. } => none,
            kind @ (ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Implies(..)) => {
                let all = matches!(kind, ExprKind::And(_)) != negated;
                let parts = kind.signed().into_iter();
                let shapes = parts.map(|(it, sign)| self.shape(it, (sign == Some(false)) != negated));
                shapes.fold(none, if all { Shape::both } else { Shape::either })
            }
            ExprKind::Iff(a, b) => {
                let same = self.shape(a, false).both(self.shape(b, negated));
                same.either(self.shape(a, true).both(self.shape(b, !negated)))
            }
            ExprKind::If(c, a, b) => {
                let yes = self.shape(c, false).both(self.shape(a, negated));
                yes.either(self.shape(c, true).both(self.shape(b, negated)))
            }
            ExprKind::Call { name, .. } => {
                let known = self.known.get(name.text.as_str());
                let shape = known.map_or(none, |(shapes, _)| shapes[usize::from(negated)]);
                let here = |(_, what, help)| (expr.span, what, help);
                Shape { misplaced: shape.misplaced.map(here), ..shape }
            }
            ExprKind::Quantified { quantifier, vars, body } => {
                let alone = vars.len() == 1 && !self.any(body);
                let universal = alone
                    && match quantifier {
                        Quantifier::Forall | Quantifier::ForallOther => !negated,
                        Quantifier::ExistsOther => negated,
                        Quantifier::Exists => false,
                    };
                let what = "such quantifiers in guards";
                let help = "use parameters for `exists`, and `forall_other` of one process for universals";
                let misplaced = (!universal).then_some((expr.span, what, help));
                Shape { universals: u32::from(universal), misplaced }
            }
        }
    }
}
