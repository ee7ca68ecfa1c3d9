//! Pretty-printer: a file that parses back to the same tree.

use std::fmt::{self, Write};
use std::slice;

use crate::ast::{
    Arg, Case, Comparison, Count, Expr, ExprKind, FieldDecl, File, Item, Local, Name, Path, Quantifier,
    RangeBounds, Rhs, Step, StepKind, Summand, SymbolKind, Term, TermKind, Transition, Update,
};

/// The text of a file. It parses back to an equal tree.
pub fn print(file: &File) -> String {
    let mut out = String::new();
    for item in &file.items {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{item}");
    }
    out
}

fn list<T: fmt::Display>(items: &[T], separator: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// Bound names, with the sort of each group.
fn bound(names: &[Name], separator: &str) -> String {
    let one = |(at, name): (usize, &Name)| {
        let next = names.get(at + 1).and_then(|it| it.sort.as_ref());
        match &name.sort {
            Some(sort) if next != Some(sort) => format!("{name} : {sort}"),
            _ => name.text.clone(),
        }
    };
    names.iter().enumerate().map(one).collect::<Vec<_>>().join(separator)
}

/// A name before parameters, if there is one.
fn titled(name: Option<&Name>) -> String {
    name.map_or_else(String::new, |name| format!("{name} "))
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NumberProcs(x) => writeln!(f, "number_procs {}", x.count.text),
            Self::Type(x) => match &x.constructors {
                None if x.below.is_some() => write!(f, "type {} < {}", x.name, list(x.below.as_slice(), "")),
                None => match (&x.range, &x.fields) {
                    (Some(range), _) => write!(f, "type {} = {range}", x.name),
                    (None, Some(fields)) => write!(f, "type {} = {{ {} }}", x.name, list(fields, "; ")),
                    (None, None) => write!(f, "type {}", x.name),
                },
                Some(constructors) => write!(f, "type {} = {}", x.name, list(constructors, " | ")),
            },
            Self::Symbol(x) => match &x.kind {
                SymbolKind::Var => write!(f, "var {} : {}", x.name, x.ty),
                SymbolKind::Const => write!(f, "const {} : {}", x.name, x.ty),
                SymbolKind::Array(index) => write!(f, "array {}[{}] : {}", x.name, list(index, ", "), x.ty),
                SymbolKind::Number(value) => write!(f, "const {} = {value}", x.name),
                SymbolKind::Relation(params) => write!(f, "relation {} ({})", x.name, bound(params, " ")),
                SymbolKind::Witness(params, axiom) => {
                    write!(f, "witness {} ({}) : {}", x.name, bound(params, " "), x.ty)?;
                    axiom.iter().try_for_each(|it| write!(f, " {{ {it} }}"))
                }
                SymbolKind::Total(index) => write!(f, "witness {}[{}] : {}", x.name, list(index, ", "), x.ty),
                SymbolKind::Channel(it) => {
                    write!(f, "channel {}", x.name)?;
                    if !it.index.is_empty() {
                        write!(f, "[{}]", list(&it.index, ", "))?;
                    }
                    write!(f, " : {}", x.ty)?;
                    it.capacity.iter().try_for_each(|bound| write!(f, "[{bound}]"))?;
                    it.words.iter().try_for_each(|word| write!(f, " {word}"))
                }
            },
            Self::Property(x) => {
                let (kind, name) = (x.word(), titled(x.name.as_ref()));
                write!(f, "\n{kind} {name}({}) {{ {} }}", bound(&x.params, " "), x.body)?;
                x.then.iter().try_for_each(|then| write!(f, " ~> {{ {then} }}"))?;
                writeln!(f)
            }
            Self::Fairness(x) => {
                let (kind, any) =
                    (if x.strong { "strong_fair" } else { "fair" }, if x.any { "any " } else { "" });
                write!(f, "{kind} {any}{}", x.transition)
            }
            Self::Predicate(x) => {
                writeln!(f, "\npredicate {} ({}) {{ {} }}", x.name, list(&x.params, ", "), x.body)
            }
            Self::Transition(x) => write!(f, "\n{x}"),
            Self::Process(x) => {
                write!(f, "\nprocess {} ", x.name)?;
                if !x.params.is_empty() {
                    write!(f, "({}) ", bound(&x.params, " "))?;
                }
                code(f, &x.body, 0)?;
                writeln!(f)
            }
        }
    }
}

/// Code in braces, at this depth.
fn code(f: &mut fmt::Formatter<'_>, steps: &[Step], depth: usize) -> fmt::Result {
    let indent = "  ".repeat(depth + 1);
    writeln!(f, "{{")?;
    for step in steps {
        f.write_str(&indent)?;
        match &step.kind {
            StepKind::Label(name) => write!(f, "{name}:")?,
            StepKind::Local(Local { name, ty, start, .. }) => {
                write!(f, "local {name} : {ty}")?;
                start.iter().try_for_each(|it| write!(f, " = {it}"))?;
            }
            StepKind::Skip => f.write_str("skip")?,
            StepKind::Goto(label) => write!(f, "goto {label}")?,
            StepKind::Await(when) => write!(f, "await {when}")?,
            StepKind::Assign(update) => write!(f, "{update}")?,
            StepKind::If(when, yes, no) => {
                write!(f, "if {when} ")?;
                code(f, yes, depth + 1)?;
                if !no.is_empty() {
                    f.write_str(" else ")?;
                    code(f, no, depth + 1)?;
                }
            }
            StepKind::While(when, body) => {
                write!(f, "while {when} ")?;
                code(f, body, depth + 1)?;
            }
            StepKind::Either(ways) => {
                for (at, way) in ways.iter().enumerate() {
                    f.write_str(if at == 0 { "either " } else { " or " })?;
                    code(f, way, depth + 1)?;
                }
            }
            StepKind::With(name, body) => {
                write!(f, "with {} ", bound(slice::from_ref(name), ""))?;
                code(f, body, depth + 1)?;
            }
        }
        f.write_str(if matches!(step.kind, StepKind::Label(_)) { "\n" } else { ";\n" })?;
    }
    write!(f, "{}}}", "  ".repeat(depth))
}

impl fmt::Display for Transition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "transition {} ({})", self.name, bound(&self.params, " "))?;
        if let Some(guard) = &self.requires {
            writeln!(f, "requires {{ {guard} }}")?;
        }
        writeln!(f, "{{")?;
        for abbreviation in &self.lets {
            writeln!(f, "  let {} = {} in", abbreviation.name, abbreviation.value)?;
        }
        for update in &self.updates {
            writeln!(f, "  {update};")?;
        }
        writeln!(f, "}}")
    }
}

impl fmt::Display for RangeBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.low, self.high)
    }
}

impl fmt::Display for FieldDecl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} : {}", self.name, self.ty)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if let Some(index) = &self.index {
            write!(f, "[{}]", list(index, ", "))?;
        }
        self.fields.iter().try_for_each(|field| write!(f, ".{field}"))
    }
}

impl fmt::Display for Update {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((quantifier, vars)) = &self.each {
            write!(f, "{quantifier} {}. ", bound(vars, " <> "))?;
        }
        let target = &self.target;
        match &self.value {
            Rhs::Term(term) => write!(f, "{target} := {term}"),
            Rhs::Nondet => write!(f, "{target} := ?"),
            Rhs::Send(value) => write!(f, "send({target}, {value})"),
            Rhs::Drop => write!(f, "receive({target})"),
            Rhs::Receive(channel) => write!(f, "{target} := receive({channel})"),
            Rhs::Cases(cases) => {
                write!(f, "{target} := case")?;
                for Case { when, value, .. } in cases {
                    match when {
                        Some(when) => write!(f, "\n    | {when} : {value}")?,
                        None => write!(f, "\n    | _ : {value}")?,
                    }
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            TermKind::Path(path) => write!(f, "{path}"),
            TermKind::Number(number) => f.write_str(&number.text),
            TermKind::Count(count) => write!(f, "{count}"),
            TermKind::Remainder(of, by) => match of.kind {
                TermKind::Sum(_) | TermKind::Remainder(..) => write!(f, "({of}) % {}", by.text),
                _ => write!(f, "{of} % {}", by.text),
            },
            TermKind::Record(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                write!(f, "{{ {} }}", fields.join("; "))
            }
            TermKind::Sum(summands) => {
                for (number, summand) in summands.iter().enumerate() {
                    let sign = match (number, summand.negative) {
                        (0, false) => "",
                        (0, true) => "- ",
                        (_, false) => " + ",
                        (_, true) => " - ",
                    };
                    write!(f, "{sign}{summand}")?;
                }
                Ok(())
            }
        }
    }
}

/// Without its sign.
impl fmt::Display for Summand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(factor) = &self.factor {
            write!(f, "{} * ", factor.text)?;
        }
        match self.operand.kind {
            TermKind::Sum(_) => write!(f, "({})", self.operand),
            TermKind::Remainder(..) if self.factor.is_some() => write!(f, "({})", self.operand),
            _ => write!(f, "{}", self.operand),
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((var, summand, body)) = self.parts() else { return f.write_str("#proc") };
        write!(f, "{}{{{} | ", if summand.is_some() { "sum" } else { "#" }, bound(slice::from_ref(var), ""))?;
        summand.iter().try_for_each(|it| write!(f, "{it}"))?;
        f.write_str(if summand.is_some() && body.is_some() { " if " } else { "" })?;
        body.iter().try_for_each(|it| write!(f, "{it}"))?;
        f.write_str("}")
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Eq => "=",
            Self::Ne => "<>",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        })
    }
}

impl fmt::Display for Quantifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Forall => "forall",
            Self::Exists => "exists",
            Self::ForallOther => "forall_other",
            Self::ExistsOther => "exists_other",
        })
    }
}

/// A formula, with the parentheses that it needs.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Bool(true) | ExprKind::Error => f.write_str("true"),
            ExprKind::Bool(false) => f.write_str("false"),
            ExprKind::Compare { op, left, right } => write!(f, "{left} {op} {right}"),
            ExprKind::Not(a) => {
                f.write_str("not ")?;
                operand(f, a, 3)
            }
            ExprKind::And(list) => chain(f, list, " && ", 3),
            ExprKind::Or(list) => chain(f, list, " || ", 2),
            ExprKind::Implies(a, b) | ExprKind::Iff(a, b) => {
                operand(f, a, 1)?;
                f.write_str(if matches!(self.kind, ExprKind::Iff(..)) { " <=> " } else { " => " })?;
                operand(f, b, 1)
            }
            ExprKind::If(c, a, b) => {
                write!(f, "if {c} then {a} else ")?;
                operand(f, b, 3)
            }
            ExprKind::Quantified { quantifier, vars, body } => {
                write!(f, "{quantifier} {}. {body}", bound(vars, " <> "))
            }
            ExprKind::Call { name, args } => {
                write!(f, "{name}(")?;
                for (i, arg) in args.iter().enumerate() {
                    let separator = if i == 0 { "" } else { ", " };
                    match arg {
                        Arg::Term(term) => write!(f, "{separator}{term}")?,
                        Arg::Formula(formula) => write!(f, "{separator}{formula}")?,
                    }
                }
                f.write_str(")")
            }
        }
    }
}

/// How tightly the outermost connective binds; an open quantifier or `if` counts as loosest.
const fn binding(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Implies(..) | ExprKind::Iff(..) | ExprKind::Quantified { .. } | ExprKind::If(..) => 0,
        ExprKind::Or(_) => 1,
        ExprKind::And(_) => 2,
        _ => 3,
    }
}

fn operand(f: &mut fmt::Formatter<'_>, expr: &Expr, at_least: u8) -> fmt::Result {
    if binding(&expr.kind) < at_least { write!(f, "({expr})") } else { write!(f, "{expr}") }
}

fn chain(f: &mut fmt::Formatter<'_>, list: &[Expr], separator: &str, at_least: u8) -> fmt::Result {
    for (i, expr) in list.iter().enumerate() {
        if i > 0 {
            f.write_str(separator)?;
        }
        operand(f, expr, at_least)?;
    }
    Ok(())
}
