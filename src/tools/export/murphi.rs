//! Murphi: parameters are rulesets, new values are computed before any is assigned.
//!
//! Where processes are alike, they are a `scalarset`, so that a checker need explore one of the states only that differ in their
//! names. A cell of type proc is of that type then, and undefined while it holds a value that is not a process.

use std::fmt::Write as _;

use super::expr::{Dialect, ExportComparison, ExportExpr, Operators, Process};
use super::ground::cells;
use super::initial::Initial;
use super::instance::{InstanceName, Refusal, TakenNames, others, title};
use super::read::{Others, SystemReader, bound, distinct, distinct_and, point_write, process};
use super::symbols::{SymbolNames, need_small, used_enums};
use super::values::{Values, comments};
use cubicle_lang::model::semantics::Value;
use cubicle_lang::model::{BOOL, Bad, System, Transition, Type, Update, VarId};

/// Reserved words of the language, and names that this module uses.
const RESERVED: &str = "\
    alias array assert assume begin boolean by case clear const cover do else elsif end endalias \
    endexists endfor endforall endfunction endif endprocedure endrecord endrule endruleset endstartstate \
    endswitch endwhile enum error exists false for forall function if import in int interleaved \
    invariant isundefined ismember isundef liveness multiset multisetadd multisetcount multisetremove \
    multisetremovepred of procedure process procs program put real record return rule ruleset scalarset \
    startstate switch then to traceuntil true type undefine union var while";

struct Murphi<'a> {
    system: &'a System,
    reader: SystemReader<'a>,
    values: Values,
    symbols: SymbolNames,
    names: TakenNames,
    /// Whether processes are a scalarset.
    alike: bool,
}

pub fn write(system: &System, instance: &InstanceName) -> Result<String, Refusal> {
    let (procs, range) = (instance.procs, instance.range);
    need_small(system, procs, range, "Murphi")?;
    let values = Values::new(system, procs);
    let initial = Initial::new(system, procs, range, &values)?;
    let mut names = TakenNames::new(RESERVED);
    let symbols = SymbolNames::new(system, &mut names, ["false", "true"]);
    let murphi = Murphi {
        system,
        reader: SystemReader { system, range, procs, counted: None },
        values,
        symbols,
        names,
        alike: false,
    };
    let murphi = Murphi { alike: murphi.are_alike(procs, &initial), ..murphi };
    let mut lines = title(instance, "Murphi");
    lines.push(
        "A state without successors is not an error of the model: rumur --deadlock-detection off".into(),
    );
    if murphi.alike {
        lines.push(
            "To count states that differ in the names of processes apart: rumur --symmetry-reduction off"
                .into(),
        );
    }
    let mut out = comments("-- ", lines, &murphi.values, "");
    murphi.declarations(&mut out, procs);
    murphi.start(&mut out, procs, &initial);
    for transition in &system.transitions {
        murphi.rule(&mut out, transition);
    }
    for bad in &system.bad {
        murphi.invariant(&mut out, bad);
    }
    Ok(out)
}

impl Murphi<'_> {
    /// Whether the program can be written without a process by number: nothing orders or names them, and each begins like the others.
    fn are_alike(&self, procs: usize, initial: &Initial) -> bool {
        let system = self.system;
        let told_apart = system.orders_processes || system.proc_constants > 0 || !system.counts.is_empty();
        if procs < 2 || told_apart || self.values.names_matter {
            return false;
        }
        let variables: Vec<VarId> = cells(system, procs).into_iter().map(|(id, _)| id).collect();
        let of_proc = |at: usize| system.var(variables[at]).ty == Type::Proc;
        for group in &initial.choices {
            let global = |at: usize| system.var(variables[at]).arity() == 0;
            let any_process = match group.cells[..] {
                [at] => group.ways.len() as u64 == self.size_of(variables[at]),
                _ => false,
            };
            if !group.cells.iter().all(|&at| global(at) && (any_process || !of_proc(at))) {
                return false;
            }
        }
        let is_process = |value: &Value| matches!(value, Value::Proc(p) if p.as_process(procs).is_some());
        system.declared().all(|(id, var)| {
            let all = &initial.fixed[initial.cells(id, var)];
            all.iter().all(|it| *it == all[0] && !it.as_ref().is_some_and(is_process))
        })
    }

    /// Whether cells of a variable are undefined while they do not hold a process.
    fn may_be_undefined(&self, var: VarId) -> bool {
        self.alike && self.system.var(var).ty == Type::Proc
    }

    fn declarations(&self, out: &mut String, procs: usize) {
        let _ = writeln!(
            out,
            "\nconst\n  procs: {procs};\n\ntype\n  process: {};",
            if self.alike { "scalarset(procs)" } else { "1 .. procs" }
        );
        for id in used_enums(self.system) {
            let constructors = self.symbols.constructors[usize::from(id.0)].join(", ");
            let _ = writeln!(out, "  {}: enum {{ {constructors} }};", self.symbols.types[usize::from(id.0)]);
        }
        if self.system.declared().next().is_none() {
            return;
        }
        out.push_str("\nvar\n");
        for (id, var) in self.system.declared() {
            let _ = write!(out, "  {}: {};", self.symbols.var(id), self.type_of(id));
            match var.ty {
                Type::Proc if self.values.is_ordered() => {
                    let _ = write!(
                        out,
                        " -- process p is p * {}; other numbers are not processes",
                        self.values.stride
                    );
                }
                Type::Proc if self.alike => out.push_str(" -- undefined while it is not a process"),
                Type::Proc => out.push_str(" -- a process; numbers above procs are not processes"),
                _ => {}
            }
            out.push('\n');
        }
    }

    fn type_of(&self, var: VarId) -> String {
        let arrays = "array [process] of ".repeat(self.system.var(var).arity());
        format!("{arrays}{}", self.cell_type(var))
    }

    fn cell_type(&self, var: VarId) -> String {
        match self.system.var(var).ty {
            Type::Enum(BOOL) => "boolean".to_owned(),
            Type::Enum(id) => self.symbols.types[usize::from(id.0)].clone(),
            Type::Proc if self.alike => "process".to_owned(),
            _ => {
                let (low, high) = self.bounds(var);
                format!("{low} .. {high}")
            }
        }
    }

    /// The least and the greatest number that a cell holds.
    fn bounds(&self, var: VarId) -> (i64, i64) {
        if self.system.var(var).ty.is_numeric() {
            return self.reader.range.expect("without one there are no numbers");
        }
        let (low, high) = self.values.bounds(self.system, var);
        (low as i64, high as i64)
    }

    /// How many values the type of a cell has.
    fn size_of(&self, var: VarId) -> u64 {
        if let Type::Enum(id) = self.system.var(var).ty {
            return self.system.enumeration(id).constructors.len() as u64;
        }
        let (low, high) = self.bounds(var);
        low.abs_diff(high) + 1
    }

    fn start(&self, out: &mut String, procs: usize, initial: &Initial) {
        let mut names = self.names.clone();
        let cells: Vec<(VarId, String)> =
            cells(self.system, procs).into_iter().map(|(id, index)| (id, self.cell(id, &index))).collect();
        let (mut rulesets, mut body) = (Vec::new(), String::new());
        for group in &initial.choices {
            let choice = names.fresh("choice");
            let (var, cell) = &cells[group.cells[0]];
            if group.cells.len() == 1 && group.ways.len() as u64 == self.size_of(*var) {
                let (of_any, statement) = self.any(cell, *var, choice, &mut names);
                rulesets.extend(of_any);
                let _ = writeln!(body, "  {statement}");
                continue;
            }
            rulesets.push(format!("{choice}: 1 .. {}", group.ways.len()));
            for (number, way) in group.ways.iter().enumerate() {
                let keyword = if number == 0 { "if" } else { "elsif" };
                let _ = writeln!(body, "  {keyword} {choice} = {} then", number + 1);
                for (&at, value) in group.cells.iter().zip(way) {
                    let _ = writeln!(body, "    {}", self.set(&cells[at].1, cells[at].0, *value));
                }
            }
            body.push_str("  end;\n");
        }
        let fixed = self.fixed(&cells, initial);
        within(out, &rulesets, &format!("startstate \"init\"\nbegin\n{fixed}{body}end;\n"));
    }

    /// Assignments to the cells that have one initial value; an array of one value in a loop.
    fn fixed(&self, cells: &[(VarId, String)], initial: &Initial) -> String {
        let mut out = String::new();
        for (id, var) in self.system.declared() {
            let all = initial.cells(id, var);
            match initial.value(id, var) {
                Some(value) if all.len() > 1 => {
                    let (index, loops) = loops(&self.names, var.arity());
                    let cell = self.cell(id, &index);
                    let _ = writeln!(
                        out,
                        "  {loops}{}{}",
                        self.set(&cell, id, value),
                        " end;".repeat(var.arity())
                    );
                }
                _ => {
                    for at in all {
                        if let Some(value) = initial.fixed[at] {
                            let _ = writeln!(out, "  {}", self.set(&cells[at].1, id, value));
                        }
                    }
                }
            }
        }
        out
    }

    /// The statement that gives a cell an initial value; where processes are alike, it is not one of them.
    fn set(&self, cell: &str, var: VarId, value: Value) -> String {
        let value = if self.may_be_undefined(var) { None } else { Some(self.value(var, value)) };
        assigned(cell, value.as_deref())
    }

    /// Parameters for each value of a cell, the first with this name, and the statement that gives it to the cell.
    fn any(&self, cell: &str, var: VarId, name: String, names: &mut TakenNames) -> (Vec<String>, String) {
        let mut parameters = vec![format!("{name}: {}", self.cell_type(var))];
        let mut statement = assigned(cell, Some(&name));
        if self.may_be_undefined(var) {
            let is_process = names.fresh(&format!("{name}_is_process"));
            statement = format!("if {is_process} then {statement} else {} end;", assigned(cell, None));
            parameters.push(format!("{is_process}: boolean"));
        }
        (parameters, statement)
    }

    /// The statement that gives a cell a new value.
    fn assign(&self, cell: &str, var: VarId, value: &ExportExpr) -> String {
        match value {
            ExportExpr::If(condition, then, otherwise) if self.may_be_undefined(var) => {
                let (then, otherwise) = (self.assign(cell, var, then), self.assign(cell, var, otherwise));
                format!("if {} then {then} else {otherwise} end;", self.write(condition))
            }
            ExportExpr::Cell(..) => self.copied(cell, var, &self.write(value)),
            _ => assigned(cell, Some(&self.write(value))),
        }
    }

    /// The statement that gives a cell what another one of the same type holds.
    fn copied(&self, cell: &str, var: VarId, from: &str) -> String {
        let (same, none) = (assigned(cell, Some(from)), assigned(cell, None));
        if self.may_be_undefined(var) {
            format!("if isundefined({from}) then {none} else {same} end;")
        } else {
            same
        }
    }

    fn rule(&self, out: &mut String, transition: &Transition) {
        let mut names = self.names.clone();
        let mut params: Vec<String> = transition.params.iter().map(|name| names.fresh(name)).collect();
        params.extend((0..transition.hidden).map(|_| names.fresh("other")));
        let args: Vec<Process> = params.iter().cloned().map(Process::Named).collect();
        let mut rulesets: Vec<String> = params.iter().map(|name| format!("{name}: process")).collect();
        let others = others(&names, transition);
        let mut guard = vec![distinct(&args), self.reader.guard(transition, &args, &Others::Bound(&others))];
        let mut writes = Writes::default();
        for update in &transition.updates {
            let index = loops(&names, self.system.var(update.var).arity()).0;
            guard.push(self.reader.bounds(update, &args, &index));
            let alone = transition.updates.len() == 1;
            rulesets.extend(self.update(&mut writes, update, &args, &mut names, alone));
        }
        let guard = self.write(&ExportExpr::all(guard));
        let Writes { locals, before, after } = writes;
        let locals = if locals.is_empty() { locals } else { format!("var\n{locals}") };
        let head = format!("rule \"{}({})\"", transition.name, transition.params.join(", "));
        within(out, &rulesets, &format!("{head}\n  {guard}\n==>\n{locals}begin\n{before}{after}end;\n"));
    }

    /// Adds the write of one variable; the parameters that choose its value, for `:= ?`.
    fn update(
        &self,
        writes: &mut Writes,
        update: &Update,
        args: &[Process],
        names: &mut TakenNames,
        alone: bool,
    ) -> Vec<String> {
        let var = update.var;
        let arity = self.system.var(var).arity();
        let name = self.symbols.var(var);
        if let Some((index, value)) = point_write(update, arity, args.len()) {
            let index: Vec<Process> = index.into_iter().map(|p| process(p, args)).collect();
            let value = self.reader.value(value, var, args);
            let mut reads = false;
            value.cells(&mut |_, _| reads = true);
            let cell = self.cell(var, &index);
            if alone || !reads {
                let _ = writeln!(writes.after, "  {}", self.assign(&cell, var, &value));
                return Vec::new();
            }
            let next = names.fresh(&format!("next_{name}"));
            let _ = writeln!(writes.locals, "  {next}: {};", self.cell_type(var));
            let _ = writeln!(writes.before, "  {}", self.assign(&next, var, &value));
            let _ = writeln!(writes.after, "  {}", self.copied(&cell, var, &next));
            return Vec::new();
        }
        let (index, loops) = loops(names, arity);
        let Some(value) = self.reader.new_value(update, args, &index) else {
            let any = names.fresh(&format!("any_{name}"));
            let (parameters, statement) = self.any(name, var, any, names);
            let _ = writeln!(writes.after, "  {statement}");
            return parameters;
        };
        let next = names.fresh(&format!("next_{name}"));
        let _ = writeln!(writes.locals, "  {next}: {};", self.type_of(var));
        let cells: String = index.iter().map(|p| format!("[{p}]")).collect();
        let ends = " end;".repeat(arity);
        let statement = self.assign(&format!("{next}{cells}"), var, &value);
        let _ = writeln!(writes.before, "  {loops}{statement}{ends}");
        let whole = if arity == 0 { self.copied(name, var, &next) } else { assigned(name, Some(&next)) };
        let _ = writeln!(writes.after, "  {whole}");
        Vec::new()
    }

    fn invariant(&self, out: &mut String, bad: &Bad) {
        let names = (1..=bad.params).map(|n| format!("p{n}"));
        let body = bound(&self.names, names, false, |scope| distinct_and(scope, self.reader.bad(bad, scope)));
        let _ = writeln!(out, "\ninvariant \"{}\"\n  {};", bad.name, self.write(&body.negated()));
    }
}

/// Adds a rule with these parameters.
fn within(out: &mut String, rulesets: &[String], rule: &str) {
    let _ = match rulesets {
        [] => write!(out, "\n{rule}"),
        some => write!(out, "\nruleset {} do\n{rule}end;\n", some.join("; ")),
    };
}

/// What a rule does.
#[derive(Default)]
struct Writes {
    locals: String,
    /// Computes new values.
    before: String,
    /// Assigns them.
    after: String,
}

/// The statement that gives a cell a value, or makes it undefined.
fn assigned(cell: &str, value: Option<&str>) -> String {
    value.map_or_else(|| format!("undefine {cell};"), |value| format!("{cell} := {value};"))
}

/// Index names, and the loops that bind them.
fn loops(names: &TakenNames, arity: usize) -> (Vec<Process>, String) {
    let mut names = names.clone();
    let index: Vec<String> = (0..arity).map(|_| names.fresh("j")).collect();
    let loops = index.iter().map(|name| format!("for {name}: process do ")).collect();
    (index.into_iter().map(Process::Named).collect(), loops)
}

impl Dialect for Murphi<'_> {
    const OPERATORS: Operators = Operators {
        truth: ["true", "false"],
        and: "&",
        or: "|",
        not: "!",
        compare: ["=", "!=", "<=", "<"],
        choice: ["", " ? ", " : "],
    };

    fn instance(&self) -> (&System, &SymbolNames, &Values) {
        (self.system, &self.symbols, &self.values)
    }

    fn cell(&self, var: VarId, index: &[Process]) -> String {
        let index: String = index.iter().map(|p| format!("[{p}]")).collect();
        format!("{}{index}", self.symbols.var(var))
    }

    /// Two cells that may be undefined are never compared where processes are alike: what they hold would have a name.
    fn comparison(&self, how: ExportComparison, left: &ExportExpr, right: &ExportExpr) -> Option<String> {
        let open =
            |expr: &&ExportExpr| matches!(expr, ExportExpr::Cell(var, _) if self.may_be_undefined(*var));
        let cell = self.write([left, right].into_iter().find(open)?);
        let (a, b) = (self.write(left), self.write(right));
        Some(match how {
            ExportComparison::Different => format!("(isundefined({cell}) | {a} != {b})"),
            _ => format!("(!isundefined({cell}) & {a} = {b})"),
        })
    }

    fn each(&self, all: bool, name: &str, body: &str) -> String {
        let quantifier = if all { "forall" } else { "exists" };
        format!("{quantifier} {name}: process do {body} end")
    }
}
