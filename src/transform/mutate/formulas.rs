//! Mistakes in formulas: guards, conditions of branches, init.

use super::candidate::{CandidateCollector, Operator};
use crate::edit::with_connective;
use cubicle_lang::diagnostic::Span;
use cubicle_lang::syntax;
use cubicle_lang::syntax::ast::{Comparison, Counted, Expr, ExprKind, Quantifier, Term, TermKind};

impl CandidateCollector<'_> {
    /// Mistakes in a guard or in the condition of a branch.
    pub(super) fn condition(&mut self, expr: &Expr) {
        self.dropped(expr, expr.span, true);
        self.formula(expr);
    }

    /// Mistakes inside of a formula.
    fn formula(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Compare { op, left, right } => self.comparison(expr, *op, left, right),
            ExprKind::Call { .. } => {
                self.replace(Operator::NegateLiteral, expr.span, format!("not {}", self.at(expr.span)));
                expr.kind.terms().into_iter().for_each(|it| self.term(it));
            }
            ExprKind::And(list) | ExprKind::Or(list) => {
                for (at, part) in list.iter().enumerate() {
                    self.dropped(part, with_connective(list, at), false);
                    self.formula(part);
                }
            }
            ExprKind::Quantified { quantifier, vars, body } => {
                self.quantifier(expr, *quantifier, vars.first().map_or("", |name| &name.text), body);
                self.formula(body);
            }
            other => other.formulas().into_iter().for_each(|it| self.formula(it)),
        }
    }

    /// A part is left out: `span` with it, or, when it is `alone`, put as true.
    fn dropped(&mut self, part: &Expr, span: Span, alone: bool) {
        let operator = match &part.kind {
            ExprKind::Quantified { quantifier: Quantifier::Forall | Quantifier::ForallOther, .. } => {
                Operator::DropUniversal
            }
            // Of these the parts are left out, one by one.
            ExprKind::And(_) | ExprKind::Or(_) if alone => return,
            _ => Operator::DropLiteral,
        };
        self.replace(operator, span, if alone { "true" } else { "" });
    }

    fn comparison(&mut self, expr: &Expr, op: Comparison, left: &Term, right: &Term) {
        let between = Span::new(left.span().end, right.span().start);
        let opposite = match &syntax::negation(expr).kind {
            ExprKind::Compare { op, .. } => *op,
            _ => op,
        };
        self.replace(Operator::NegateLiteral, between, format!(" {opposite} "));
        let ordered = !matches!(op, Comparison::Eq | Comparison::Ne)
            || self.names.is_number(left)
            || self.names.is_number(right);
        if ordered {
            for other in others(op) {
                if *other != opposite {
                    self.replace(Operator::Comparison, between, format!(" {other} "));
                }
            }
        }
        self.term(left);
        self.term(right);
    }

    /// Mistakes in a term: another constructor, another number, exchanged indices.
    pub(super) fn term(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Path(path) => match (path.alone(), path.names()) {
                (Some(name), _) => {
                    for other in self.names.siblings(&name.text) {
                        self.replace(Operator::Constructor, name.span(), other);
                    }
                }
                (None, Some(index)) => self.indices(&index),
                (None, None) => path.index.iter().flatten().for_each(|it| self.term(it)),
            },
            TermKind::Record(fields) => fields.iter().for_each(|(_, value)| self.term(value)),
            TermKind::Number(number) => self.number(number.loc.0),
            TermKind::Count(_) => {
                term.counted().flat_map(Counted::terms).for_each(|it| self.term(it));
                term.counted().flat_map(Counted::formulas).for_each(|it| self.formula(it));
            }
            TermKind::Remainder(of, by) => {
                self.term(of);
                self.number(by.loc.0);
            }
            TermKind::Sum(summands) => {
                for summand in summands {
                    if let Some(factor) = &summand.factor {
                        self.number(factor.loc.0);
                    }
                    match &summand.operand.kind {
                        TermKind::Path(path) if path.alone().is_some() || path.names().is_none() => {}
                        _ => self.term(&summand.operand),
                    }
                }
            }
        }
    }

    fn indices(&mut self, index: &[&syntax::ast::Name]) {
        if let [first, second] = index
            && first.text != second.text
        {
            let span = first.span().to(second.span());
            self.replace(Operator::SwapParameters, span, format!("{second}, {first}"));
        }
    }

    fn number(&mut self, span: Span) {
        let text = self.at(span);
        let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
        // A sign apart from its digits, or more digits than a number may have.
        let Ok(whole) = whole.parse::<i64>() else { return };
        for other in [whole.checked_add(1), whole.checked_sub(1)].into_iter().flatten() {
            self.replace(Operator::Number, span, format!("{other}{rest}"));
        }
    }

    fn quantifier(&mut self, expr: &Expr, quantifier: Quantifier, bound: &str, body: &Expr) {
        let (word, other) = match quantifier {
            Quantifier::Forall => ("forall", "exists"),
            Quantifier::Exists => ("exists", "forall"),
            Quantifier::ForallOther => ("forall_other", "exists_other"),
            Quantifier::ExistsOther => ("exists_other", "forall_other"),
        };
        if let Some(at) = self.at(expr.span).find(word) {
            let start = expr.span.start + at as u32;
            let keyword = Span::new(start, start + word.len() as u32);
            self.replace(Operator::FlipUniversal, keyword, other);
        }
        let universal = matches!(quantifier, Quantifier::Forall | Quantifier::ForallOther);
        if let (true, Some(first)) = (universal, self.params.first()) {
            let narrowed = format!("({bound} > {first} || {})", self.at(body.span));
            self.replace(Operator::NarrowUniversal, body.span, narrowed);
        }
    }

    pub(super) fn initially(&mut self, expr: &Expr) {
        let ExprKind::And(list) = &expr.kind else {
            self.replace(Operator::WidenInit, expr.span, "true");
            return self.merged(expr);
        };
        for (at, part) in list.iter().enumerate() {
            if !matches!(part.kind, ExprKind::And(_)) {
                self.replace(Operator::WidenInit, with_connective(list, at), "");
            }
            self.merged(part);
        }
    }

    fn merged(&mut self, part: &Expr) {
        match &part.kind {
            ExprKind::And(_) => self.initially(part),
            ExprKind::Compare { op: Comparison::Eq, left, right } => {
                let Some(name) = right.alone() else { return };
                for other in self.names.siblings(&name.text) {
                    let (this, left) = (self.at(part.span), self.at(left.span()));
                    self.replace(Operator::MergeInit, part.span, format!("({this} || {left} = {other})"));
                }
            }
            _ => {}
        }
    }
}

/// The weaker and stronger forms of a comparison of numbers.
const fn others(op: Comparison) -> &'static [Comparison] {
    match op {
        Comparison::Eq => &[Comparison::Le, Comparison::Ge],
        Comparison::Ne => &[Comparison::Lt, Comparison::Gt],
        Comparison::Lt => &[Comparison::Le, Comparison::Ne],
        Comparison::Le => &[Comparison::Lt, Comparison::Eq],
        Comparison::Gt => &[Comparison::Ge, Comparison::Ne],
        Comparison::Ge => &[Comparison::Gt, Comparison::Eq],
    }
}
