//! Cubes and literals as text of the model's language.

use cubicle_lang::model::{Cell, Linear, Literal, ProcRef, Rational, Relation, System, negated};
use cubicle_lang::words::LiteralWriter;
use cubicle_run::Forbidden;

/// The text of a cube as a declaration on one line; `None` when the language cannot express one of its
/// literals: a number would leave the 64-bit range there.
pub fn declaration(system: &System, cube: &Forbidden) -> Option<String> {
    let mut literals = Vec::new();
    for literal in &cube.cube {
        literals.push(literal_words(system, literal)?);
    }
    if literals.is_empty() {
        literals.push("true".to_owned());
    }
    let mut clauses = Vec::new();
    for other in &cube.others {
        clauses.push(denial(system, other, &other_name(cube.params))?);
    }
    match &clauses[..] {
        [] => {}
        [clause] => literals.push(format!("forall_other q. {clause}")),
        _ => literals.push(format!("forall_other q. ({})", clauses.join(" && "))),
    }
    let params: Vec<String> = (0..cube.params).map(|p| proc_name(ProcRef::Var(p))).collect();
    Some(format!("invariant ({}) {{ {} }}", params.join(" "), literals.join(" && ")))
}

/// The names of the processes of a cube, and of another one.
fn other_name(params: u8) -> impl Fn(ProcRef) -> String {
    move |proc| if proc == ProcRef::Var(params) { "q".to_owned() } else { proc_name(proc) }
}

/// That a conjunction does not hold, as a formula without a quantifier, in parentheses if it is a disjunction.
fn denial(system: &System, conj: &[Literal], name: &dyn Fn(ProcRef) -> String) -> Option<String> {
    let mut one_of = Vec::new();
    for literal in conj {
        match literal {
            Literal::In { cell, values } => {
                let all = system.all_values(system.var(cell.var).ty);
                one_of.extend(LiteralWriter::new(system, name).member(cell, all & !values));
            }
            other => one_of.push(words_of(system, &negated(system, other)?, name)?),
        }
    }
    Some(match one_of.len() {
        0 => "false".to_owned(),
        1 => one_of.remove(0),
        _ => format!("({})", one_of.join(" || ")),
    })
}

fn proc_name(proc: ProcRef) -> String {
    proc.named(|v| format!("p{}", v + 1))
}

/// A literal as written in such a declaration; `None` when the language cannot express it.
pub fn literal_words(system: &System, literal: &Literal) -> Option<String> {
    words_of(system, literal, &proc_name)
}

fn words_of(system: &System, literal: &Literal, name: &dyn Fn(ProcRef) -> String) -> Option<String> {
    let writer = LiteralWriter::new(system, name);
    match literal {
        Literal::In { cell, values } => match &writer.conditions(cell, *values)[..] {
            [] => Some("true".to_owned()),
            all => Some(all.join(" && ")),
        },
        Literal::Eq { .. } | Literal::Less { .. } => Some(writer.literal(literal)),
        Literal::Linear { expr, relation, integer } => linear_text(&writer, expr, *relation, *integer),
    }
}

/// Positive terms on the left, negative ones and the constant on the right. Both sides are multiplied so that
/// coefficients are whole and the constant is a decimal number: a third has no such notation.
fn linear_text(
    writer: &LiteralWriter<'_>,
    expr: &Linear,
    relation: Relation,
    integer: bool,
) -> Option<String> {
    let mut scale = Rational::ONE;
    for (_, coefficient) in &expr.terms {
        scale = scale.mul(Rational::integer(coefficient.mul(scale)?.den()))?;
    }
    let constant = expr.constant.mul(scale)?;
    if number_text(constant, integer).is_none() {
        scale = scale.mul(Rational::integer(constant.den()))?;
    }
    let scaled = |n: Rational| n.mul(scale);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (cell, coefficient) in &expr.terms {
        let n = scaled(*coefficient)?;
        if n.signum() > 0 { left.push((cell, n)) } else { right.push((cell, n.neg())) }
    }
    let constant = scaled(expr.constant)?;
    let left = side_text(writer, &left, Rational::ZERO, integer)?;
    let right = side_text(writer, &right, constant.neg(), integer)?;
    let operator = match relation {
        Relation::Eq => "=",
        Relation::Ne => "<>",
        Relation::Le => "<=",
        Relation::Lt => "<",
    };
    Some(format!("{left} {operator} {right}"))
}

/// A sum with positive coefficients: cells, then multiples, then the constant.
fn side_text(
    writer: &LiteralWriter<'_>,
    terms: &[(&Cell, Rational)],
    constant: Rational,
    integer: bool,
) -> Option<String> {
    let mut terms: Vec<_> = terms.iter().collect();
    terms.sort_by_key(|(_, n)| *n != Rational::ONE);
    let parts = terms.into_iter().map(|(cell, n)| match (writer.cell(cell), *n) {
        (cell, Rational::ONE) => cell,
        (cell, n) => format!("{} * {cell}", n.num()),
    });
    let sum = parts.collect::<Vec<_>>().join(" + ");
    match (sum.is_empty(), constant.signum()) {
        (true, _) => number_text(constant, integer),
        (false, 0) => Some(sum),
        (false, 1) => Some(format!("{sum} + {}", number_text(constant, integer)?)),
        (false, _) => Some(format!("{sum} - {}", number_text(constant.neg(), integer)?)),
    }
}

/// A number of type `int`, or of type `real` in decimal notation.
fn number_text(n: Rational, integer: bool) -> Option<String> {
    if integer {
        return n.is_integer().then(|| n.to_string());
    }
    let mut digits = 0;
    let mut scaled = n;
    while !scaled.is_integer() {
        scaled = scaled.mul(Rational::integer(10))?;
        digits += 1;
    }
    let text = scaled.num().unsigned_abs().to_string();
    let text = format!("{text:0>width$}", width = digits + 1);
    let (whole, fraction) = text.split_at(text.len() - digits);
    let sign = if n.signum() < 0 { "-" } else { "" };
    Some(format!("{sign}{whole}.{}", if fraction.is_empty() { "0" } else { fraction }))
}
