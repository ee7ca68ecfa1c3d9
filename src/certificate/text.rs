//! Cubes as declarations `invariant (p1 p2) { .. }` of the model's language, and back.

use std::fmt::Write;

use super::added::NotDerived;
use super::failure::NoCertificate;
use super::subject::Subject;
use super::unreadable::{LineError, TextError};
use cubicle_lang::diagnostic::Diagnostic;
use cubicle_lang::load::{ModelSource, parse_claims_with_counts};
use cubicle_lang::model::{
    Cell, Count, Linear, Literal, ProcRef, Rational, Relation, System, Term, Type, Var, negated,
};
use cubicle_lang::words;
use cubicle_run::verdict::Forbidden;

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
                let Type::Enum(id) = system.var(cell.var).ty else { return None };
                let text = words::cell(system, cell, name);
                let values_of = |among: u64| {
                    let all = system.enumeration(id).constructors.iter().enumerate();
                    all.filter(move |(c, _)| among >> c & 1 == 1).map(|it| it.1)
                };
                let left = system.enumeration(id).all() & !values;
                if !left.is_power_of_two() && values.is_power_of_two() {
                    one_of.extend(values_of(*values).map(|it| format!("{text} <> {it}")));
                } else {
                    one_of.extend(values_of(left).map(|it| format!("{text} = {it}")));
                }
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
    match proc {
        ProcRef::Var(i) => format!("p{}", i + 1),
        ProcRef::Const(k) => format!("#{}", k + 1),
    }
}

fn term_text(system: &System, term: &Term, name: &dyn Fn(ProcRef) -> String) -> Option<String> {
    match term {
        Term::Proc(p) => Some(name(*p)),
        Term::Cell(cell) => Some(words::cell(system, cell, name)),
        Term::Constructor(_) | Term::Linear(_) => None,
    }
}

/// A literal as written in such a declaration; `None` when the language cannot express it.
pub fn literal_words(system: &System, literal: &Literal) -> Option<String> {
    words_of(system, literal, &proc_name)
}

fn words_of(system: &System, literal: &Literal, name: &dyn Fn(ProcRef) -> String) -> Option<String> {
    match literal {
        Literal::In { cell, values } => {
            let Type::Enum(id) = system.var(cell.var).ty else { return None };
            let names = &system.enumeration(id).constructors;
            let cell = words::cell(system, cell, name);
            let member = |&(c, _): &(usize, &String)| values >> c & 1 == 1;
            let mut members = names.iter().enumerate().filter(member);
            if values.is_power_of_two() {
                return Some(format!("{cell} = {}", members.next()?.1));
            }
            let others = names.iter().enumerate().filter(|name| !member(name));
            let others: Vec<String> = others.map(|(_, name)| format!("{cell} <> {name}")).collect();
            Some(if others.is_empty() { "true".to_owned() } else { others.join(" && ") })
        }
        Literal::Eq { left, right, negated } => {
            let (left, right) = (term_text(system, left, name)?, term_text(system, right, name)?);
            Some(format!("{left} {} {right}", if *negated { "<>" } else { "=" }))
        }
        Literal::Less { left, right, strict } => {
            let (left, right) = (term_text(system, left, name)?, term_text(system, right, name)?);
            Some(format!("{left} {} {right}", if *strict { "<" } else { "<=" }))
        }
        Literal::Linear { expr, relation, integer } => {
            let cell = |it: &Cell| words::cell(system, it, name);
            linear_text(&cell, expr, *relation, *integer)
        }
    }
}

/// Positive terms on the left, negative ones and the constant on the right. Both sides are multiplied so that
/// coefficients are whole and the constant is a decimal number: a third has no such notation.
fn linear_text(
    cell_text: &dyn Fn(&Cell) -> String,
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
    let left = side_text(cell_text, &left, Rational::ZERO, integer)?;
    let right = side_text(cell_text, &right, constant.neg(), integer)?;
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
    cell_text: &dyn Fn(&Cell) -> String,
    terms: &[(&Cell, Rational)],
    constant: Rational,
    integer: bool,
) -> Option<String> {
    let mut terms: Vec<_> = terms.iter().collect();
    terms.sort_by_key(|(_, n)| *n != Rational::ONE);
    let parts = terms.into_iter().map(|(cell, n)| match (cell_text(cell), *n) {
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

/// The axioms of a model, one declaration each.
pub fn axioms(system: &System) -> Vec<String> {
    let cubes = system.axioms.iter().map(Forbidden::from);
    cubes.map(|cube| declaration(system, &cube).unwrap_or_else(|| "(not expressible)".into())).collect()
}

/// The file `invariants.cub` of a certificate for a model; the first `system` is derived from it, as `subject` says, and
/// the second one has counts besides, which `cubes` may mention.
pub fn file(
    model: &System,
    subject: &Subject,
    (system, all): (&System, &System),
    cubes: &[Forbidden],
    trusting: bool,
) -> Result<String, usize> {
    let mut out = String::from(
        "(* An inductive invariant: no reachable state is in any of these cubes, for any number of\n   \
         processes. `cubicle check-certificate MODEL DIR` checks that. *)\n",
    );
    if trusting {
        out.push_str("(* It takes the invariants of the model for granted (--trust-invariants). *)\n");
    }
    let axioms = axioms(system);
    if !axioms.is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "(* It rests on the axioms of the model:\n   {} *)", axioms.join("\n   "));
    }
    for line in subject.lines(model) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{line}");
    }
    for (number, cube) in cubes.iter().enumerate() {
        let line = declaration(all, cube).ok_or(number)?;
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{line}");
    }
    Ok(out)
}

/// The contents of a certificate's file.
#[derive(Debug)]
pub struct CertificateText {
    /// Its subject.
    pub subject: Subject,
    /// The system of the subject.
    pub basis: System,
    /// Counts that the cubes mention, after the variables of the system.
    pub counts: Vec<(Var, Count)>,
    /// The cubes, over all these variables.
    pub cubes: Vec<Forbidden>,
}

/// Reads the subject of a certificate for a model, and its invariants in the names and types of its system.
pub fn read(model: ModelSource<'_>, text: &str) -> Result<CertificateText, NoCertificate> {
    let system = model.system;
    let (subject, text) = Subject::read(model, text).map_err(NoCertificate::Unreadable)?;
    let basis = subject.derived(system).map_err(|why| match why {
        NotDerived::Unfit(why) => NoCertificate::Unreadable(TextError::Subject(why)),
        NotDerived::TooHard(why) => NoCertificate::NotDerived(why),
    })?;
    let (all, invariants) = (&basis, text);
    let is_value = |name: &str| all.enums.iter().any(|it| it.constructors.iter().any(|it| it == name));
    let is_taken = |at: usize, name: &str| all.vars[..at].iter().any(|it| it.name == name) || is_value(name);
    let further = all.vars.iter().enumerate().skip(system.vars.len());
    if let Some((_, var)) = further.into_iter().find(|(at, var)| is_taken(*at, &var.name)) {
        return Err(NoCertificate::Unreadable(TextError::NameInUse(var.name.clone())));
    }
    let found = parse_claims_with_counts(ModelSource { system: all, ..model }, &invariants);
    let (counting, found) = found.map_err(|errors| {
        let (line, why) = located(&invariants, &errors[0]);
        NoCertificate::Unreadable(TextError::Line(line, why))
    })?;
    let counts = counting.counts[all.counts.len()..].iter();
    let counts = counts.map(|count| (counting.var(count.var).clone(), count.clone())).collect();
    Ok(CertificateText { subject, basis, counts, cubes: found })
}

/// A file of cubes that a later run may begin with, one declaration on each line, and how many are left out: those that
/// mention ghost arrays or counts that the model does not have, and those that the language cannot express. First come the states that
/// equations exclude, over the counts of `all` besides, which the later run finds again.
pub fn lemmas(
    system: &System,
    all: &System,
    excluded: &[Forbidden],
    cubes: &[Forbidden],
) -> (String, LeftOut) {
    let mut out = String::from(
        "(* Cubes for `cubicle --lemmas-in`, which trusts none of them: each is proved again, or dropped. *)\n",
    );
    let known =
        |literal: &Literal| literal.cells().iter().all(|cell| usize::from(cell.var.0) < system.vars.len());
    let mut left_out = LeftOut::default();
    let others = cubes.iter().filter(|cube| !excluded.contains(cube));
    for cube in excluded.iter().chain(others) {
        if !excluded.contains(cube) && !cube.literals().all(known) {
            left_out.of_counts += 1;
        } else if let Some(line) = declaration(all, cube) {
            out.push_str(&line);
            out.push('\n');
        } else {
            left_out.too_large += 1;
        }
    }
    (out, left_out)
}

/// How many cubes a file of lemmas leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LeftOut {
    /// They mention a ghost array, or a count that the model does not mention.
    pub of_counts: usize,
    /// One of their numbers leaves the 64-bit range where it is written.
    pub too_large: usize,
}

/// The contents of such a file.
#[derive(Clone, Debug)]
pub struct Lemmas {
    /// The model with the counts that the cubes mention besides its own.
    pub system: System,
    /// The cubes, over these variables.
    pub cubes: Vec<Forbidden>,
    /// The errors of lines that do not fit the model.
    pub wrong: Vec<TextError>,
}

/// Reads such a file.
///
/// # Errors
/// No line fits: the first error.
pub fn read_lemmas(model: ModelSource<'_>, text: &str) -> Result<Lemmas, TextError> {
    if let Ok((system, found)) = parse_claims_with_counts(model, text) {
        return Ok(Lemmas { system, cubes: found, wrong: Vec::new() });
    }
    let mut read = Lemmas { system: model.system.clone(), cubes: Vec::new(), wrong: Vec::new() };
    for (number, line) in (1..).zip(text.lines()) {
        match parse_claims_with_counts(ModelSource { system: &read.system, ..model }, line) {
            // Whatever kind of `invariant` it would be in the model, here it has to be shown.
            Ok((system, found)) => {
                read.system = system;
                read.cubes.extend(found);
            }
            // It is about the only line of this text.
            Err(errors) => read.wrong.push(TextError::Line(number, located(line, &errors[0]).1)),
        }
    }
    match read.wrong.first() {
        Some(first) if read.cubes.is_empty() => Err(first.clone()),
        _ => Ok(read),
    }
}

/// An error with its line in the invariants.
fn located(invariants: &str, error: &Diagnostic) -> (usize, LineError) {
    let at = (error.primary.span.start as usize).min(invariants.len());
    let line = invariants.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
    (line, LineError::Cube(error.message.clone()))
}
