//! Literals and cells of the model as a user writes them, and the violation that a run ends in.

use std::fmt::Write as _;

use super::values::{constant, processes};
use crate::diagnostic::Span;
use crate::model::semantics::{Trace, satisfies};
use crate::model::{
    Cell, Count, Dnf, Equation, Linear, Literal, ProcRef, Rational, Relation, System, Tail, Term, VarKind,
};

/// Processes are written as `name` says.
pub fn literal(system: &System, literal: &Literal, name: &dyn Fn(ProcRef) -> String) -> String {
    LiteralWriter::new(system, name).literal(literal)
}

/// A cell; of a count, its formula. Processes are written as `name` says.
pub fn cell(system: &System, cell: &Cell, name: &dyn Fn(ProcRef) -> String) -> String {
    LiteralWriter::new(system, name).cell(cell)
}

/// What a tail says: `forall n : node. Member[n, a] = False || Vote[n, b] = True`, for constants a, b, .. and bound processes n, o, .., which
/// are different.
pub fn tail(system: &System, tail: &Tail) -> String {
    let name = |p: ProcRef| match p {
        ProcRef::Var(v) if v >= tail.constants => char::from(b'n' + (v - tail.constants) % 13).to_string(),
        ProcRef::Var(v) => char::from(b'a' + v % 13).to_string(),
        ProcRef::Const(k) => format!("#{}", k + 1),
    };
    let literal = |it: &Literal| {
        let Literal::In { cell: of, values } = it else { return String::new() };
        let names = (0..).zip(system.constructors(of));
        let allowed: Vec<&str> =
            names.filter(|(c, _)| values >> c & 1 == 0).map(|(_, name)| name.as_str()).collect();
        format!("{} = {}", cell(system, of, &name), allowed.join(" | "))
    };
    // The sort of a bound process stands at its quantifier.
    let sort_said = |it: &Literal| {
        system.sort_of(it).filter(|(process, _)| tail.bound_processes().any(|bound| bound == *process))
    };
    let clause = tail.denial.iter().filter(|it| sort_said(it).is_none()).map(literal);
    let sorts: Vec<Option<&str>> = (tail.bound_processes())
        .map(|process| tail.denial.iter().filter_map(sort_said).find(|it| it.0 == process).map(|it| it.1))
        .collect();
    let quantifiers = tail.bound_processes().zip(&sorts).map(|(process, sort)| {
        let sort = sort.map(|sort| format!(" : {sort}")).unwrap_or_default();
        format!("forall {}{sort}. ", name(process))
    });
    // Processes of different sorts differ.
    let pairs = (1..sorts.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let alike = pairs.filter(|(a, b)| sorts[*a].is_none() || sorts[*b].is_none() || sorts[*a] == sorts[*b]);
    let bound = |at: usize| name(ProcRef::Var(tail.constants + at as u8));
    let same = alike.map(|(a, b)| format!("{} = {}", bound(a), bound(b)));
    format!("{}{}", quantifiers.collect::<String>(), same.chain(clause).collect::<Vec<_>>().join(" || "))
}

/// An equation: `Readers = #{p | S[p] = Reading}`; `[Busy = True]` is 1 where that holds, else 0.
pub fn equation(system: &System, equation: &Equation) -> String {
    // The parameters, by letters that are not words of the language.
    let letters: Vec<String> =
        ('p'..='z').map(String::from).filter(|it| crate::syntax::word(it).is_some()).collect();
    let name = |p: ProcRef| match p {
        ProcRef::Var(v) => letters.get(usize::from(v)).cloned().unwrap_or_default(),
        ProcRef::Const(_) => String::new(),
    };
    let writer = LiteralWriter::new(system, &name);
    let is_count = |cell: &Cell| system.count_of(cell.var).is_some();
    let is_constant = |cell: &Cell| system.var(cell.var).kind == VarKind::Const;
    let mut terms: Vec<(u8, String, Rational)> = Vec::new();
    for (cell, factor) in &equation.number.terms {
        let rank = if is_count(cell) { 1 } else { u8::from(is_constant(cell)) * 2 };
        terms.push((rank, writer.cell(cell), *factor));
    }
    for (cell, values, factor) in &equation.indicators {
        terms.push((1, format!("[{}]", writer.member(cell, *values).join(" || ")), *factor));
    }
    terms.sort_by_key(|it| it.0);
    let sign = terms.first().map_or(1, |it| it.2.signum());
    let one_side = |positive: bool| {
        let here = terms.iter().filter(|it| (it.2.signum() == sign) == positive);
        let its_constant = (equation.number.constant.signum() == sign) == positive;
        let constant = if its_constant { equation.number.constant } else { Rational::ZERO };
        side(here.map(|(_, text, factor)| (text.clone(), *factor)), constant)
    };
    let relation = match (equation.at_least, sign) {
        (false, _) => "=",
        (true, 1) => ">=",
        (true, _) => "<=",
    };
    let said = match (equation.number.terms.as_slice(), equation.indicators.as_slice()) {
        ([], []) => "false".to_owned(),
        ([], [(cell, values, _)]) if equation.number.constant.is_zero() => {
            let all = system.all_values(system.var(cell.var).ty);
            writer.member(cell, all & !values).join(" || ")
        }
        _ => format!("{} {relation} {}", one_side(true), one_side(false)),
    };
    let mut when: Vec<String> = equation.when.iter().map(|it| writer.literal(it)).collect();
    if let Some((count, some)) = equation.occupied {
        let count = writer.cell(&Cell::global(count));
        when.push(format!("{count} {} 0", if some { ">" } else { "=" }));
    }
    if when.is_empty() { said } else { format!("{} => {said}", when.join(" && ")) }
}

/// Writes formulas of a system.
pub struct LiteralWriter<'a> {
    pub(super) system: &'a System,
    pub(super) name: &'a dyn Fn(ProcRef) -> String,
    /// Names that are in use, besides those of the processes that a count mentions: a counted process has another one.
    pub(super) taken: &'a [String],
}

impl<'a> LiteralWriter<'a> {
    /// Writes processes as `name` says.
    pub const fn new(system: &'a System, name: &'a dyn Fn(ProcRef) -> String) -> Self {
        Self { system, name, taken: &[] }
    }

    /// A literal.
    pub fn literal(&self, literal: &Literal) -> String {
        match literal {
            Literal::In { cell, values } => {
                let alternatives = self.member(cell, *values);
                if alternatives.len() == 1 {
                    alternatives.concat()
                } else {
                    format!("({})", alternatives.join(" || "))
                }
            }
            Literal::Eq { left, right, negated } => {
                let relation = if *negated { "<>" } else { "=" };
                format!("{} {relation} {}", self.term(left), self.term(right))
            }
            Literal::Less { left, right, strict } => {
                let relation = if *strict { "<" } else { "<=" };
                format!("{} {relation} {}", self.term(left), self.term(right))
            }
            Literal::Linear { expr, relation, .. } => self.linear(expr, *relation),
        }
    }

    /// A cell; of a count, its formula.
    pub fn cell(&self, cell: &Cell) -> String {
        let index: Vec<String> = cell.index.iter().map(|&p| (self.name)(p)).collect();
        if let Some(count) = self.system.count_of(cell.var) {
            return self.count(count, &index);
        }
        self.system.families.cell(&self.system.var(cell.var).name, &index)
    }

    /// `#{p | ..}`, `sum{p | .. if ..}` or `#proc`, for the processes of these names.
    fn count(&self, count: &Count, index: &[String]) -> String {
        if count.summand.is_none() && count.body.is_true() {
            return "#proc".to_owned();
        }
        let letters = ('p'..='z').map(String::from).chain((1..).map(|n| format!("p{n}")));
        let bound = letters
            .filter(|it| !index.contains(it) && !self.taken.contains(it))
            .find(|it| crate::syntax::word(it).is_some())
            .unwrap_or_default();
        let name = |p: ProcRef| match p {
            ProcRef::Var(v) => index.get(usize::from(v)).unwrap_or(&bound).clone(),
            constant @ ProcRef::Const(_) => (self.name)(constant),
        };
        let inner = LiteralWriter { name: &name, ..*self };
        let body = inner.formula(&count.body);
        match &count.summand {
            None => format!("#{{{bound} | {body}}}"),
            Some(summand) if count.body.is_true() => format!("sum{{{bound} | {}}}", inner.sum(summand)),
            Some(summand) => format!("sum{{{bound} | {} if {body}}}", inner.sum(summand)),
        }
    }

    /// A disjunction, without parentheses around it.
    fn formula(&self, formula: &Dnf) -> String {
        match formula.0.as_slice() {
            [] => "false".to_owned(),
            [conj] => match conj.as_slice() {
                [] => "true".to_owned(),
                [Literal::In { cell, values }] => self.member(cell, *values).join(" || "),
                literals => literals.iter().map(|it| self.literal(it)).collect::<Vec<_>>().join(" && "),
            },
            several => {
                let one = |conj: &Vec<Literal>| format!("({})", self.formula(&Dnf(vec![conj.clone()])));
                several.iter().map(one).collect::<Vec<_>>().join(" || ")
            }
        }
    }

    /// A number as a sum of cells and a constant.
    fn sum(&self, it: &Linear) -> String {
        let mut text = String::new();
        let mut add = |n: Rational, part: String| {
            let sign = match (text.is_empty(), n.signum() < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let _ = write!(text, "{sign}{part}");
        };
        for (of, n) in &it.terms {
            let (of, size) = (self.cell(of), if n.signum() < 0 { n.neg() } else { *n });
            add(*n, if size == Rational::ONE { of } else { format!("{size} * {of}") });
        }
        if it.terms.is_empty() || !it.constant.is_zero() {
            let n = it.constant;
            add(n, constant(if n.signum() < 0 { n.neg() } else { n }));
        }
        text
    }

    /// A value that is not a constructor: literals over enums have forms of their own.
    pub(super) fn term(&self, term: &Term) -> String {
        match term {
            Term::Proc(p) => (self.name)(*p),
            Term::Cell(cell) => self.cell(cell),
            Term::Linear(number) => self.sum(number),
            Term::Constructor(_) => unreachable!("the type of a constructor is not known here"),
        }
    }

    /// Conditions all of which hold where the cell has one of the values: `X = A`, or `X <> A`, `X <> B`.
    pub fn conditions(&self, cell: &Cell, values: u64) -> Vec<String> {
        if values.is_power_of_two() {
            return self.member(cell, values);
        }
        let others = self.system.constructors(cell).iter().enumerate();
        let others = others.filter(|(c, _)| values >> c & 1 == 0);
        others.map(|(_, other)| format!("{} <> {other}", self.cell(cell))).collect()
    }

    /// Conditions one of which holds where the cell has one of the values: `X = A`, `X <> A`, or `X = A`, `X = B`.
    pub fn member(&self, cell: &Cell, values: u64) -> Vec<String> {
        let (constructors, cell) = (self.system.constructors(cell), self.cell(cell));
        let (inside, outside): (Vec<_>, Vec<_>) =
            constructors.iter().enumerate().partition(|(c, _)| values >> c & 1 == 1);
        match (inside.as_slice(), outside.as_slice()) {
            ([(_, one)], _) => vec![format!("{cell} = {one}")],
            (_, [(_, one)]) => vec![format!("{cell} <> {one}")],
            (several, _) => several.iter().map(|(_, value)| format!("{cell} = {value}")).collect(),
        }
    }

    /// Added terms on the left, subtracted ones on the right.
    fn linear(&self, expr: &Linear, relation: Relation) -> String {
        let relation = match relation {
            Relation::Eq => "=",
            Relation::Ne => "<>",
            Relation::Le => "<=",
            Relation::Lt => "<",
        };
        let one_side = |negative: bool| {
            let here = expr.terms.iter().filter(|(_, k)| (k.signum() < 0) == negative);
            let constant =
                if (expr.constant.signum() < 0) == negative { expr.constant } else { Rational::ZERO };
            side(here.map(|(cell, k)| (self.cell(cell), *k)), constant)
        };
        format!("{} {relation} {}", one_side(false), one_side(true))
    }
}

/// A sum of multiples, whatever their signs, and a constant.
fn side(terms: impl Iterator<Item = (String, Rational)>, number: Rational) -> String {
    let size = |n: Rational| if n.signum() < 0 { n.neg() } else { n };
    let one = |(text, factor): (String, Rational)| match size(factor) {
        Rational::ONE => text,
        factor => format!("{factor} * {text}"),
    };
    let mut parts: Vec<String> = terms.map(one).collect();
    if !number.is_zero() || parts.is_empty() {
        parts.push(constant(size(number)));
    }
    parts.join(" + ")
}

/// The name of the bad cube that the run ends in, or `deadlock`.
pub fn ending<'s>(system: &'s System, trace: &Trace) -> &'s str {
    trace.bad.map_or("deadlock", |bad| &system.bad[bad].name)
}

/// The bad cube that a run ends in.
pub struct Violation {
    /// The processes that it holds for.
    pub witnesses: Vec<usize>,
    /// Its literals at these processes, and the comparisons that they come from.
    pub literals: Vec<(String, Span)>,
}

/// The violation that a run ends in; `None` for a deadlock.
pub fn violated(system: &System, trace: &Trace) -> Option<Violation> {
    let bad = &system.bad[trace.bad?];
    let last = trace.last();
    let witnesses = satisfies(system, last, trace.bad?)?;
    let name = |p: ProcRef| processes(&[p.of(&witnesses)]);
    let spans = bad.spans.iter().copied().chain(std::iter::repeat(bad.span));
    let literals = bad.cube.iter().zip(spans).map(|(l, span)| (literal(system, l, &name), span)).collect();
    Some(Violation { witnesses, literals })
}
