//! The parts of a model that may be left out.

use crate::edit::{Edit, with_connective, with_semicolon};
use cubicle_lang::diagnostic::Span;
use cubicle_lang::syntax::ast::{
    Case, Counted, Expr, ExprKind, File, Item, Name, Rhs, Step, StepKind, SymbolKind, Term, Transition,
    Update,
};

/// The declarations, first those on which others depend less.
pub fn declarations(file: &File) -> Vec<Span> {
    let rank = |item: &Item| match item {
        Item::Transition(_) | Item::Process(_) => 0,
        Item::Property(_) | Item::Fairness(_) => 1,
        Item::Predicate(_) => 2,
        Item::Symbol(_) => 3,
        Item::Type(_) => 4,
        Item::NumberProcs(_) => 5,
    };
    let mut items: Vec<&Item> = file.items.iter().collect();
    items.sort_by_key(|item| rank(item));
    items.into_iter().map(Item::span).collect()
}

/// The smaller steps, coarse ones first.
pub fn details(file: &File, text: &str) -> Vec<Edit> {
    let mut parts = Parts { text, found: Vec::new() };
    for item in &file.items {
        match item {
            Item::Transition(transition) => parts.transition(transition),
            Item::Process(process) => parts.code(&process.body),
            Item::Property(_) | Item::Predicate(_) => {
                item.formulas().for_each(|it| parts.formula(it));
            }
            Item::Type(decl) => parts.list(decl.constructors.as_deref().unwrap_or_default()),
            Item::Symbol(decl) => {
                if let SymbolKind::Array(index) = &decl.kind {
                    parts.list(index);
                }
            }
            Item::NumberProcs(_) | Item::Fairness(_) => {}
        }
    }
    let params = file.items.iter().flat_map(Item::params);
    parts.found.extend(params.map(|it| Edit::remove(it.span())));
    parts.found
}

struct Parts<'t> {
    text: &'t str,
    found: Vec<Edit>,
}

impl Parts<'_> {
    fn remove(&mut self, span: Span) {
        self.found.push(Edit::remove(span));
    }

    /// Replaces the text at `span` by `inner`.
    fn lift(&mut self, span: Span, inner: Span) {
        let inner = self.text[inner.start as usize..inner.end as usize].to_owned();
        self.found.push(Edit::replace(span, inner));
    }

    fn transition(&mut self, transition: &Transition) {
        if let Some(guard) = &transition.requires {
            if guard.kind != ExprKind::Bool(true) {
                self.found.push(Edit::replace(guard.span, "true"));
            }
            self.guard(transition, guard);
        }
        for update in &transition.updates {
            self.update(update);
        }
        for abbreviation in &transition.lets {
            // From `let` to `in`.
            let (name, value) = (abbreviation.name.span(), abbreviation.value.span());
            let start = self.text[..name.start as usize].rfind("let");
            let end = self.text[value.end as usize..].find("in").map(|at| value.end as usize + at + 2);
            if let (Some(start), Some(end)) = (start, end) {
                self.remove(Span::new(start as u32, end as u32));
            }
        }
    }

    /// Statements; labels stay, since others may lead to them.
    fn code(&mut self, code: &[Step]) {
        for step in code {
            match &step.kind {
                StepKind::Label(_) => continue,
                StepKind::Assign(update) => self.update(update),
                StepKind::Await(when) | StepKind::If(when, ..) | StepKind::While(when, _) => {
                    self.remove(step.loc.0);
                    self.formula(when);
                }
                _ => self.remove(step.loc.0),
            }
            step.kind.blocks().into_iter().for_each(|block| self.code(block));
        }
    }

    /// A trivial guard is left out with its keyword.
    fn guard(&mut self, transition: &Transition, guard: &Expr) {
        let before = &self.text[transition.loc.0.start as usize..guard.span.start as usize];
        let after = &self.text[guard.span.end as usize..];
        if let (Some(word), Some(brace), ExprKind::Bool(true)) =
            (before.rfind("requires"), after.find('}'), &guard.kind)
        {
            let start = transition.loc.0.start + word as u32;
            self.remove(Span::new(start, guard.span.end + brace as u32 + 1));
        }
        self.formula(guard);
    }

    fn update(&mut self, update: &Update) {
        self.remove(with_semicolon(self.text, update.loc.0));
        let Rhs::Cases(cases) = &update.value else { return };
        let (Some(first), Some(last)) = (cases.first(), cases.last()) else { return };
        let word = self.text[..first.loc.0.start as usize].rfind("case").map(|at| at as u32);
        for Case { when, value, loc } in cases {
            if let Some(start) = word {
                self.lift(Span::new(start, last.loc.0.end), value.span());
            }
            if cases.len() > 1 {
                self.remove(loc.0);
            }
            if let Some(when) = when {
                self.formula(when);
            }
        }
    }

    /// Parts of a formula, and possible replacements of it.
    fn formula(&mut self, expr: &Expr) {
        if let ExprKind::Quantified { .. } | ExprKind::Compare { .. } | ExprKind::Call { .. } = &expr.kind {
            self.found.push(Edit::replace(expr.span, "true"));
        }
        let parts = match &expr.kind {
            ExprKind::Call { .. } => return,
            ExprKind::Compare { left, right, .. } => {
                let counted = [left, right].into_iter().flat_map(Term::counted);
                return counted.flat_map(Counted::formulas).for_each(|it| self.formula(it));
            }
            kind => kind.formulas(),
        };
        for part in &parts {
            self.lift(expr.span, part.span);
        }
        if let ExprKind::And(list) | ExprKind::Or(list) = &expr.kind {
            for at in 0..list.len() {
                self.remove(with_connective(list, at));
            }
        }
        for part in parts {
            self.formula(part);
        }
    }

    /// Members of a list with something between them.
    fn list(&mut self, names: &[Name]) {
        for (at, name) in names.iter().enumerate() {
            match (at.checked_sub(1), names.get(at + 1)) {
                (Some(before), _) => self.remove(Span::new(names[before].span().end, name.span().end)),
                (None, Some(next)) => self.remove(Span::new(name.span().start, next.span().start)),
                (None, None) => {}
            }
        }
    }
}
