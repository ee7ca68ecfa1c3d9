//! SMT-LIB: the instance as constrained Horn clauses over a relation that holds for all reachable states.

use std::fmt::Write as _;

use super::expr::{ExportComparison, ExportExpr, Process};
use super::ground::{GroundWrite, bad, cells, numbers, steps};
use super::instance::{InstanceName, Refusal, title};
use super::read::SystemReader;
use super::sized::{is_read, sort_of};
use super::symbols::used_enums;
use super::values::Values;
use cubicle_lang::model::semantics::{distinct_tuples, tuples};
use cubicle_lang::model::{BOOL, Rational, System, Type, VarId};

/// The most instances of init that are written out.
const MOST_INSTANCES: usize = 50_000;

struct SmtLib<'a> {
    system: &'a System,
    /// Values of proc type can lie between processes: they are reals.
    ordered: bool,
    cells: Vec<(VarId, Vec<Process>)>,
}

/// The instance as Horn clauses.
pub fn write(system: &System, instance: &InstanceName) -> Result<String, Refusal> {
    let procs = instance.procs;
    if instance.range.is_some() {
        return Err(Refusal::of_command("numbers of SMT-LIB need no bounds: leave --abstr-num out"));
    }
    let reader = SystemReader { system, range: None, procs, counted: None };
    let ordered = Values::new(system, procs).is_ordered();
    let mut cells = cells(system, procs);
    cells.retain(|(var, index)| system.count_of(*var).is_none() && says_something(system, *var, index));
    let smt = SmtLib { system, ordered, cells };
    let lines = title(instance, "solvers of Horn clauses").into_iter();
    let mut out: String = lines.map(|line| format!("; {line}\n")).collect();
    out.push_str("; sat: no bad state is reachable in this instance. unsat: one is.\n");
    out.push_str("; Processes are the numbers from 1 on; any other number in a cell is not a process.\n");
    out.push_str("(set-logic HORN)\n");
    for id in used_enums(system) {
        let decl = system.enumeration(id);
        let constructors: Vec<String> = decl.words().iter().map(|name| format!("(|{name}|)")).collect();
        let _ = writeln!(out, "(declare-datatypes ((|{}| 0)) (({})))", decl.name, constructors.join(" "));
    }
    let sorts: Vec<String> = smt.cells.iter().map(|(var, _)| smt.sort(*var)).collect();
    let _ = writeln!(out, "(declare-fun reachable ({}) Bool)", sorts.join(" "));
    let state: Vec<String> = smt.cells.iter().map(|(var, index)| smt.cell(*var, index)).collect();
    let before: Vec<(String, String)> = state.iter().cloned().zip(sorts).collect();
    let holds = relation(&state);

    let _ = writeln!(out, "\n; init");
    clause(&mut out, &before, &smt.init(reader, procs)?, &holds);
    for step in steps(reader, procs)? {
        let _ = writeln!(out, "; {}", step.name);
        let mut bound = before.clone();
        let mut after = state.clone();
        for GroundWrite { var, index, value } in &step.writes {
            let cell = (*var, index.clone());
            let Some(at) = smt.cells.iter().position(|other| *other == cell) else { continue };
            after[at] = if let Some(value) = value {
                smt.term(value, system.var(*var).ty == Type::Real)
            } else {
                let chosen = format!("|{}'|", system.var(*var).name);
                bound.push((chosen.clone(), smt.sort(*var)));
                chosen
            };
        }
        let body = format!("(and {holds} {})", smt.term(&step.guard, false));
        clause(&mut out, &bound, &body, &relation(&after));
    }
    for declared in &system.bad {
        let _ = writeln!(out, "; {}", declared.name);
        let body = format!("(and {holds} {})", smt.term(&bad(reader, procs, declared)?, false));
        clause(&mut out, &before, &body, "false");
    }
    out.push_str("(check-sat)\n");
    Ok(out)
}

/// Whether a cell is part of a state: where the sorts of processes are known, those that say so are not, nor are those that no
/// formula reads.
fn says_something(system: &System, var: VarId, index: &[Process]) -> bool {
    let at: Vec<usize> = index.iter().map(|process| process.number() - 1).collect();
    let sized = system.sorts.as_ref().is_some_and(|sorts| sorts.sizes.is_some());
    !(sized && system.sort_array() == Some(var))
        && is_read(system, var, &at, |process| sort_of(system, process))
}

/// `(reachable x y ..)`.
fn relation(values: &[String]) -> String {
    if values.is_empty() { "reachable".to_owned() } else { format!("(reachable {})", values.join(" ")) }
}

/// `body` implies `head`, for all values of the bound variables.
fn clause(out: &mut String, bound: &[(String, String)], body: &str, head: &str) {
    if bound.is_empty() {
        let _ = writeln!(out, "(assert (=> {body} {head}))");
        return;
    }
    let bound: Vec<String> = bound.iter().map(|(name, sort)| format!("({name} {sort})")).collect();
    let _ = writeln!(out, "(assert (forall ({})\n  (=> {body}\n      {head})))", bound.join(" "));
}

impl SmtLib<'_> {
    fn sort(&self, var: VarId) -> String {
        match self.system.var(var).ty {
            Type::Enum(BOOL) => "Bool".to_owned(),
            Type::Enum(id) => format!("|{}|", self.system.enumeration(id).name),
            Type::Proc if self.ordered => "Real".to_owned(),
            Type::Real => "Real".to_owned(),
            // Values of an abstract type are only equal or not, and there are infinitely many.
            Type::Proc | Type::Int | Type::Abstract(_) => "Int".to_owned(),
        }
    }

    /// The variable of a clause that stands for a cell. One that is not part of a state is only read where a branch does not apply: any
    /// value stands for it.
    fn cell(&self, var: VarId, index: &[Process]) -> String {
        if !says_something(self.system, var, index) {
            return match self.system.var(var).ty {
                Type::Enum(id) => self.term(&ExportExpr::Constructor(id, 0), false),
                _ if self.sort(var) == "Real" => "0.0".to_owned(),
                _ => "0".to_owned(),
            };
        }
        let name = &self.system.var(var).name;
        let index: Vec<String> = index.iter().map(|process| process.number().to_string()).collect();
        if index.is_empty() { format!("|{name}|") } else { format!("|{name}[{}]|", index.join(",")) }
    }

    fn init(&self, reader: SystemReader<'_>, procs: usize) -> Result<String, Refusal> {
        let init = &self.system.init;
        let count = |params: u8| procs.checked_pow(u32::from(params)).filter(|n| *n <= MOST_INSTANCES);
        let params = self.system.axioms.iter().map(|axiom| axiom.params).chain([init.params]);
        if params.map(count).any(|n| n.is_none()) {
            let what = format!("init has more than {MOST_INSTANCES} instances with {procs} processes");
            return Err(Refusal::at(init.span, what));
        }
        let mut parts: Vec<ExportExpr> = Vec::new();
        let bodies = tuples(procs, usize::from(init.params)).map(|p| reader.dnf(&init.body, &numbers(&p)));
        let axioms = self.system.axioms.iter().flat_map(|axiom| {
            distinct_tuples(procs, usize::from(axiom.params))
                .map(move |p| reader.dnf(&axiom.denial, &numbers(&p)))
        });
        for part in bodies.chain(axioms).flat_map(|part| match part {
            ExportExpr::All(parts) => parts,
            other => vec![other],
        }) {
            let mut known = true;
            part.cells(&mut |var, index| known &= says_something(self.system, var, index));
            if known && !parts.contains(&part) {
                parts.push(part);
            }
        }
        Ok(self.term(&ExportExpr::all(parts), false))
    }

    /// Whether a term is a real, as far as its cells tell.
    fn is_real(&self, term: &ExportExpr) -> bool {
        match term {
            ExportExpr::Cell(var, _) => self.system.var(*var).ty == Type::Real,
            ExportExpr::Sum(terms, _) => terms.iter().any(|(_, term)| self.is_real(term)),
            ExportExpr::If(_, then, otherwise) => self.is_real(then) || self.is_real(otherwise),
            _ => false,
        }
    }

    /// A formula or a term; `real`: numbers in it are reals.
    fn term(&self, expr: &ExportExpr, real: bool) -> String {
        let list = |operator: &str, parts: &[ExportExpr]| {
            let parts: Vec<String> = parts.iter().map(|part| self.term(part, real)).collect();
            format!("({operator} {})", parts.join(" "))
        };
        match expr {
            ExportExpr::All(parts) if parts.is_empty() => "true".to_owned(),
            ExportExpr::Any(parts) if parts.is_empty() => "false".to_owned(),
            ExportExpr::All(parts) => list("and", parts),
            ExportExpr::Any(parts) => list("or", parts),
            ExportExpr::Not(inner) => format!("(not {})", self.term(inner, real)),
            ExportExpr::Compare(how, left, right) => {
                let real = self.is_real(left) || self.is_real(right);
                let (left, right) = (self.term(left, real), self.term(right, real));
                match how {
                    ExportComparison::Equal => format!("(= {left} {right})"),
                    ExportComparison::Different => format!("(not (= {left} {right}))"),
                    ExportComparison::AtMost => format!("(<= {left} {right})"),
                    ExportComparison::Less => format!("(< {left} {right})"),
                }
            }
            ExportExpr::If(condition, then, otherwise) => {
                let condition = self.term(condition, false);
                format!("(ite {condition} {} {})", self.term(then, real), self.term(otherwise, real))
            }
            ExportExpr::Cell(var, index) => self.cell(*var, index),
            ExportExpr::Process(Process::Number(n)) if self.ordered => format!("{n}.0"),
            ExportExpr::Process(Process::Number(n)) => n.to_string(),
            ExportExpr::Constructor(BOOL, c) => if *c == 1 { "true" } else { "false" }.to_owned(),
            ExportExpr::Constructor(ty, c) => {
                format!("|{}|", self.system.enumeration(*ty).words()[usize::from(*c)])
            }
            ExportExpr::Sum(terms, constant) => {
                let mut parts: Vec<String> = (terms.iter())
                    .map(|(factor, cell)| {
                        let cell = self.term(cell, real);
                        if *factor == Rational::ONE {
                            cell
                        } else {
                            format!("(* {} {cell})", factor.smtlib(real))
                        }
                    })
                    .collect();
                if parts.is_empty() || !constant.is_zero() {
                    parts.push(constant.smtlib(real));
                }
                if parts.len() == 1 { parts.remove(0) } else { format!("(+ {})", parts.join(" ")) }
            }
            ExportExpr::Each(..) | ExportExpr::Count(..) | ExportExpr::Process(Process::Named(_)) => {
                unreachable!("an instance has neither quantifiers nor named processes")
            }
        }
    }
}
