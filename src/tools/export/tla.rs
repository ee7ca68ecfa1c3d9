//! TLA+: a module that TLC can run; transitions are actions with parameters.

use std::fmt::Write as _;

use super::expr::{Dialect, ExportExpr, Operators, Process};
use super::initial::Initial;
use super::instance::{InstanceName, Refusal, TakenNames, others, title};
use super::read::{Others, SystemReader, bound, distinct, distinct_and, point_write, process};
use super::symbols::{SymbolNames, need_choice, refuse_reals, used_enums};
use super::values::{Values, comments};
use cubicle_lang::list::sorted;
use cubicle_lang::model::semantics::Value;
use cubicle_lang::model::{Assignment, BOOL, EnumId, System, Transition, Type, Update, VarId};

/// Reserved words of the language, names of the modules Integers and `FiniteSets`, and names that this module uses.
const RESERVED: &str = "\
    action assume assumption axiom boolean by cardinality case choose constant constants corollary def define defs \
    domain else enabled except extends false have hide if in init instance int isfiniteset lambda lemma let local \
    module nat new next obvious omitted only other pick proc proof proposition prove qed real recursive \
    sf_ spec state string subset suffices take temporal then theorem true unchanged union use variable \
    variables vars wf_ with witness";

struct Tla<'a> {
    system: &'a System,
    reader: SystemReader<'a>,
    values: Values,
    symbols: SymbolNames,
    names: TakenNames,
}

pub fn write(system: &System, instance: &InstanceName) -> Result<String, Refusal> {
    let (procs, range) = (instance.procs, instance.range);
    refuse_reals(system, "TLC")?;
    need_choice(system, range, "TLC")?;
    if system.declared().next().is_none() {
        return Err(Refusal::of_command("a module of TLA+ has variables, and the model has none"));
    }
    let values = Values::new(system, procs);
    let initial = Initial::new(system, procs, range, &values)?;
    let mut names = TakenNames::new(RESERVED);
    let module = names.fresh(&identifier(&instance.module));
    let symbols = SymbolNames::new(system, &mut names, ["FALSE", "TRUE"]);
    let counted = names.fresh("counted");
    let reader = SystemReader { system, range, procs, counted: Some(&counted) };
    let mut tla = Tla { system, reader, values, symbols, names };

    let mut lines = title(instance, "TLC");
    lines.push("A state without successors is not an error of the model: tlc -deadlock".into());
    let invariants: String = (1..=system.bad.len()).map(|n| format!(" Safe{n}")).collect();
    lines.push(format!("Its configuration: SPECIFICATION Spec INVARIANTS{invariants}"));
    let mut out = format!("---- MODULE {module} ----\n{}", comments("\\* ", lines, &tla.values, ""));
    let sets = if system.counts.is_empty() { "" } else { ", FiniteSets" };
    let _ = writeln!(out, "EXTENDS Integers{sets}\n\nProc == 1 .. {procs}");
    for id in used_enums(system) {
        let constructors = &system.enumeration(id).constructors;
        let constructors: Vec<String> = constructors.iter().map(|name| format!("\"{name}\"")).collect();
        let name = &tla.symbols.types[usize::from(id.0)];
        let _ = writeln!(out, "{name} == {{{}}}", constructors.join(", "));
    }
    let vars: Vec<&str> = system.declared().map(|(id, _)| tla.symbols.var(id)).collect();
    let vars = vars.join(", ");
    let _ = writeln!(out, "\nVARIABLES {vars}\nvars == <<{vars}>>\n");
    tla.init(&mut out, &initial);
    let actions: Vec<String> =
        system.transitions.iter().map(|transition| tla.names.fresh(&transition.name)).collect();
    let safe: Vec<String> = (1..=system.bad.len()).map(|n| tla.names.fresh(&format!("Safe{n}"))).collect();
    let mut next = String::new();
    for (transition, action) in system.transitions.iter().zip(&actions) {
        tla.action(&mut out, transition, action, &mut next);
    }
    if next.is_empty() {
        next.push_str("  FALSE\n");
    }
    let _ = write!(out, "Next ==\n{next}\nSpec == Init /\\ [][Next]_vars\n");
    for (bad, name) in system.bad.iter().zip(&safe) {
        let names = (1..=bad.params).map(|n| format!("p{n}"));
        let body = bound(&tla.names, names, false, |scope| distinct_and(scope, tla.reader.bad(bad, scope)));
        let _ = write!(out, "\n\\* Not {}.\n{name} ==\n  {}\n", bad.name, tla.write(&body.negated()));
    }
    out.push_str("====\n");
    Ok(out)
}

/// A name of a module: letters, digits and underscores, a letter first.
fn identifier(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if plain.starts_with(|c: char| c.is_ascii_alphabetic()) { plain } else { format!("M_{plain}") }
}

/// `[Proc -> T]` for an array.
fn function(arity: usize, cell: &str) -> String {
    match arity {
        0 => cell.to_owned(),
        n => format!("[{} -> {cell}]", vec!["Proc"; n].join(" \\X ")),
    }
}

impl Tla<'_> {
    /// The set of values of a cell.
    fn type_of(&self, var: VarId) -> String {
        match self.system.var(var).ty {
            Type::Enum(BOOL) => "BOOLEAN".to_owned(),
            Type::Enum(id) => self.symbols.types[usize::from(id.0)].clone(),
            Type::Proc | Type::Abstract(_) => {
                let (low, high) = self.values.bounds(self.system, var);
                format!("{low} .. {high}")
            }
            Type::Int | Type::Real => match self.reader.range {
                Some((low, high)) => format!("({low}) .. ({high})"),
                None => "Int".to_owned(),
            },
        }
    }

    fn init(&self, out: &mut String, initial: &Initial) {
        let mut domains: Vec<Vec<Value>> =
            initial.fixed.iter().map(|it| it.iter().copied().collect()).collect();
        let mut related = false;
        for group in &initial.choices {
            related |= group.cells.len() > 1;
            for (at, &cell) in group.cells.iter().enumerate() {
                domains[cell] = group.ways.iter().map(|way| way[at]).collect();
                domains[cell].sort_unstable();
                domains[cell].dedup();
            }
        }
        out.push_str("Init ==\n");
        for (id, var) in self.system.declared() {
            let all = sorted(domains[initial.cells(id, var)].iter().cloned());
            related |= all.len() > 1;
            let values: Vec<Value> = sorted(all.concat());
            let name = self.symbols.var(id);
            if let [value] = values.as_slice() {
                let index = index_names(&self.names, var.arity());
                let value = lambda(&index, &self.value(id, *value));
                let _ = writeln!(out, "  /\\ {name} = {value}");
            } else {
                let values: Vec<String> = values.into_iter().map(|value| self.value(id, value)).collect();
                let set = function(var.arity(), &format!("{{{}}}", values.join(", ")));
                let _ = writeln!(out, "  /\\ {name} \\in {set}");
            }
            // Formulas do not say of which sort a certain process is.
            let is_sort = self.system.sort_array() == Some(id);
            for (process, known) in (1..).zip(&domains[initial.cells(id, var)]).filter(|_| is_sort) {
                if let [sort] = known.as_slice() {
                    let _ = writeln!(out, "  /\\ {name}[{process}] = {}", self.value(id, *sort));
                }
            }
        }
        if related {
            let init = &self.system.init;
            let params = |count: u8| (0..count).map(|_| "p".to_owned());
            let body =
                bound(&self.names, params(init.params), true, |scope| self.reader.dnf(&init.body, scope));
            let _ = writeln!(out, "  /\\ {}", self.operand(&body));
            for axiom in &self.system.axioms {
                let body = bound(&self.names, params(axiom.params), true, |scope| {
                    distinct_and(scope, self.reader.conj(&axiom.cube, scope)).negated()
                });
                let _ = writeln!(out, "  /\\ {}", self.operand(&body));
            }
        }
        out.push('\n');
    }

    fn action(&self, out: &mut String, transition: &Transition, action: &str, next: &mut String) {
        let mut names = self.names.clone();
        let mut params: Vec<String> = transition.params.iter().map(|name| names.fresh(name)).collect();
        params.extend((0..transition.hidden).map(|_| names.fresh("another")));
        let args: Vec<Process> = params.iter().cloned().map(Process::Named).collect();
        let list = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
        let _ = writeln!(out, "{action}{list} ==");
        let others = others(&names, transition);
        let guard = self.reader.guard(transition, &args, &Others::Bound(&others));
        let mut parts = vec![distinct(&args), guard];
        parts.extend(transition.updates.iter().map(|update| {
            let index = index_names(&names, self.system.var(update.var).arity());
            self.reader.bounds(update, &args, &index)
        }));
        for part in parts.into_iter().flat_map(|part| match part {
            ExportExpr::All(parts) => parts,
            other => vec![other],
        }) {
            let _ = writeln!(out, "  /\\ {}", self.operand(&part));
        }
        for update in &transition.updates {
            let _ = writeln!(out, "  /\\ {}", self.update(update, &args, &names));
        }
        let kept: Vec<&str> = (self.system.declared())
            .map(|(id, _)| id)
            .filter(|id| transition.updates.iter().all(|update| update.var != *id))
            .map(|id| self.symbols.var(id))
            .collect();
        if !kept.is_empty() {
            let _ = writeln!(out, "  /\\ UNCHANGED <<{}>>", kept.join(", "));
        }
        out.push('\n');
        let bound: Vec<String> = params.iter().map(|name| format!("{name} \\in Proc")).collect();
        let quantifier =
            if bound.is_empty() { String::new() } else { format!("\\E {} : ", bound.join(", ")) };
        let _ = writeln!(next, "  \\/ {quantifier}{action}{list}");
    }

    fn update(&self, update: &Update, args: &[Process], names: &TakenNames) -> String {
        let var = update.var;
        let arity = self.system.var(var).arity();
        let name = self.symbols.var(var);
        if update.assignment == Assignment::Nondet {
            return format!("{name}' \\in {}", self.type_of(var));
        }
        if let Some((index, value)) = point_write(update, arity, args.len()) {
            let value = self.write(&self.reader.value(value, var, args));
            let at: Vec<String> = index.into_iter().map(|p| process(p, args).to_string()).collect();
            return if at.is_empty() {
                format!("{name}' = {value}")
            } else {
                format!("{name}' = [{name} EXCEPT ![{}] = {value}]", at.join(", "))
            };
        }
        let index = index_names(names, arity);
        let value = self.reader.new_value(update, args, &index).expect("`:= ?` is dealt with");
        format!("{name}' = {}", lambda(&index, &self.write(&value)))
    }
}

/// Names for the indices of an array.
fn index_names(names: &TakenNames, arity: usize) -> Vec<Process> {
    let mut names = names.clone();
    (0..arity).map(|_| Process::Named(names.fresh("j"))).collect()
}

/// `[j \in Proc |-> value]` for an array.
fn lambda(index: &[Process], value: &str) -> String {
    if index.is_empty() {
        return value.to_owned();
    }
    let bound: Vec<String> = index.iter().map(|name| format!("{name} \\in Proc")).collect();
    format!("[{} |-> {value}]", bound.join(", "))
}

impl Dialect for Tla<'_> {
    const OPERATORS: Operators = Operators {
        truth: ["TRUE", "FALSE"],
        and: "/\\",
        or: "\\/",
        not: "~",
        compare: ["=", "/=", "<=", "<"],
        choice: ["IF ", " THEN ", " ELSE "],
    };

    fn instance(&self) -> (&System, &SymbolNames, &Values) {
        (self.system, &self.symbols, &self.values)
    }

    fn cell(&self, var: VarId, index: &[Process]) -> String {
        let index: Vec<String> = index.iter().map(ToString::to_string).collect();
        let name = self.symbols.var(var);
        if index.is_empty() { name.to_owned() } else { format!("{name}[{}]", index.join(", ")) }
    }

    fn constructor(&self, ty: EnumId, constructor: u8) -> String {
        match ty {
            BOOL => self.symbols.constructor(ty, constructor).to_owned(),
            _ => format!("\"{}\"", self.system.enumeration(ty).constructors[usize::from(constructor)]),
        }
    }

    fn count(&self, name: &str, body: &str) -> String {
        format!("Cardinality({{{name} \\in Proc : {body}}})")
    }

    fn each(&self, all: bool, name: &str, body: &str) -> String {
        format!("{} {name} \\in Proc : {body}", if all { "\\A" } else { "\\E" })
    }
}
