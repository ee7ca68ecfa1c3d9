//! Literals, terms and conjunctions as text, with names for processes given by the caller.

use std::fmt::Write;

use super::{Cell, Conj, EnumId, Linear, Literal, ProcRef, Rational, Relation, System, Term, Type};

/// Gives a process its name, such as `#1`.
pub type ProcNames<'a> = dyn Fn(ProcRef) -> String + 'a;

/// `#1`, `#2`, .. for process variables in order, and for process constants.
pub fn numbered(p: ProcRef) -> String {
    match p {
        ProcRef::Var(i) | ProcRef::Const(i) => format!("#{}", u32::from(i) + 1),
    }
}

/// A cell: `Turn`, `S[#1]`, `M[#1,#2]`.
pub fn cell_text(system: &System, cell: &Cell, names: &ProcNames<'_>) -> String {
    let mut text = system.var(cell.var).name.clone();
    for (i, &p) in cell.index.iter().enumerate() {
        text.push(if i == 0 { '[' } else { ',' });
        text += &names(p);
    }
    if !cell.index.is_empty() {
        text.push(']');
    }
    text
}

/// A constructor: `True`, `Crit`.
pub fn constructor_text(system: &System, id: EnumId, number: u8) -> &str {
    &system.enumeration(id).constructors[usize::from(number)]
}

/// A term of type `ty`: `Crit`, `#1`, `Turn`, `N + 1`.
pub fn term_text(system: &System, term: &Term, ty: Type, names: &ProcNames<'_>) -> String {
    match (term, ty) {
        (Term::Constructor(c), Type::Enum(id)) => constructor_text(system, id, *c).to_owned(),
        (Term::Constructor(c), _) => c.to_string(),
        (Term::Proc(p), _) => names(*p),
        (Term::Cell(cell), _) => cell_text(system, cell, names),
        (Term::Linear(linear), _) => sum_text(system, &linear.terms, linear.constant, names),
    }
}

/// A literal: `S[#1] = Crit`, `Turn <> #2`, `#1 < #2`, `N + 1 <= M`, `S[#1] in {A, B}`.
pub fn literal_text(system: &System, literal: &Literal, names: &ProcNames<'_>) -> String {
    match literal {
        Literal::In { cell, values } => {
            let left = cell_text(system, cell, names);
            let Type::Enum(id) = system.var(cell.var).ty else { return left };
            let decl = system.enumeration(id);
            let name = |set: u64| decl.constructors[set.trailing_zeros() as usize].as_str();
            let missing = decl.all() & !values;
            if values.is_power_of_two() {
                format!("{left} = {}", name(*values))
            } else if missing.is_power_of_two() {
                format!("{left} <> {}", name(missing))
            } else {
                let chosen = decl.constructors.iter().enumerate().filter(|(c, _)| values >> c & 1 == 1);
                let chosen: Vec<&str> = chosen.map(|(_, name)| name.as_str()).collect();
                format!("{left} in {{{}}}", chosen.join(", "))
            }
        }
        Literal::Eq { left, right, negated } => {
            let op = if *negated { "<>" } else { "=" };
            // Only cells and processes are compared, whose text does not depend on the type.
            let text = |t: &Term| term_text(system, t, Type::Proc, names);
            format!("{} {op} {}", text(left), text(right))
        }
        Literal::Less { left, right, strict } => {
            let op = if *strict { "<" } else { "<=" };
            let text = |t: &Term| term_text(system, t, Type::Proc, names);
            format!("{} {op} {}", text(left), text(right))
        }
        Literal::Linear { expr, relation, .. } => linear_text(system, expr, *relation, names),
    }
}

/// The literals of a conjunction joined by ` && `; `true` when there are none.
pub fn conj_text(system: &System, conj: &Conj, names: &ProcNames<'_>) -> String {
    if conj.is_empty() {
        return "true".to_owned();
    }
    conj.iter().map(|l| literal_text(system, l, names)).collect::<Vec<_>>().join(" && ")
}

/// `expr relation 0` with every summand on the side where it is positive.
fn linear_text(system: &System, expr: &Linear, relation: Relation, names: &ProcNames<'_>) -> String {
    let (left, right): (Vec<_>, Vec<_>) = expr.terms.iter().cloned().partition(|(_, a)| a.signum() > 0);
    let right: Vec<_> = right.into_iter().map(|(cell, a)| (cell, a.neg())).collect();
    let (mut on_left, mut on_right) = (Rational::ZERO, Rational::ZERO);
    // A number alone on a side carries the sign; otherwise it stands where it is positive.
    if left.is_empty() || (!right.is_empty() && expr.constant.signum() > 0) {
        on_left = expr.constant;
    } else {
        on_right = expr.constant.neg();
    }
    let op = match relation {
        Relation::Eq => "=",
        Relation::Ne => "<>",
        Relation::Le => "<=",
        Relation::Lt => "<",
    };
    format!("{} {op} {}", sum_text(system, &left, on_left, names), sum_text(system, &right, on_right, names))
}

fn sum_text(
    system: &System,
    terms: &[(Cell, Rational)],
    constant: Rational,
    names: &ProcNames<'_>,
) -> String {
    let mut text = String::new();
    for (cell, factor) in terms {
        let negative = factor.signum() < 0;
        match (text.is_empty(), negative) {
            (true, true) => text.push('-'),
            (true, false) => {}
            (false, true) => text += " - ",
            (false, false) => text += " + ",
        }
        let size = if negative { factor.neg() } else { *factor };
        if size != Rational::ONE {
            // Writing to a string cannot fail.
            let _ = write!(text, "{} * ", rational_text(size));
        }
        text += &cell_text(system, cell, names);
    }
    if text.is_empty() {
        return rational_text(constant);
    }
    match constant.signum() {
        1 => text + " + " + &rational_text(constant),
        -1 => text + " - " + &rational_text(constant.neg()),
        _ => text,
    }
}

/// A rational as a decimal when it has a finite one, else as a fraction: `3`, `0.5`, `1/3`.
pub fn rational_text(r: Rational) -> String {
    let mut rest = r.den();
    let mut digits = 0u32;
    let (mut twos, mut fives) = (0, 0);
    while rest % 2 == 0 {
        rest /= 2;
        twos += 1;
    }
    while rest % 5 == 0 {
        rest /= 5;
        fives += 1;
    }
    digits = digits.max(twos).max(fives);
    let scaled = 10i128.checked_pow(digits).and_then(|p| p.checked_mul(i128::from(r.num())));
    match scaled {
        Some(scaled) if rest == 1 && digits > 0 => {
            let scaled = scaled / i128::from(r.den());
            let sign = if scaled < 0 { "-" } else { "" };
            let text = format!("{:0>width$}", scaled.unsigned_abs(), width = digits as usize + 1);
            let (whole, fraction) = text.split_at(text.len() - digits as usize);
            format!("{sign}{whole}.{fraction}")
        }
        _ => r.to_string(),
    }
}
