//! Promela: one process that takes the steps of the instance one by one, each in one atomic move.

use std::fmt::Write as _;

use super::expr::{Dialect, Operators, Process};
use super::ground::{GroundTransition, GroundWrite, bad, cells, steps};
use super::initial::Initial;
use super::instance::{InstanceName, Refusal, TakenNames, comment, title};
use super::read::SystemReader;
use super::symbols::{SymbolNames, need_small, used_enums};
use super::values::{Values, comments};
use cubicle_lang::model::semantics::Value;
use cubicle_lang::model::{BOOL, System, Type, VarId};

/// Reserved words of the language, which constructors must avoid. (Variables begin with `v_`.)
const RESERVED: &str = "\
    active arrow assert at atomic bit bool break buffer byte c_code c_decl c_expr c_state c_track chan \
    const d_step do d_proctype else empty enabled end equals eval every exclude false fi for full \
    get_priority goto hidden if implies in include init inline int len local ltl mtype nempty never \
    nfull notrace np_ od of pc_value pid printf printm priority proctype product provided release return \
    run s_names select set_priority short show skip stronguntil timeout trace true typedef u unless \
    unsigned until v w weakuntil x xr xs";

/// The most constructors that a program can have.
const MOST_CONSTRUCTORS: usize = 255;

struct Promela<'a> {
    system: &'a System,
    reader: SystemReader<'a>,
    values: Values,
    symbols: SymbolNames,
}

pub fn write(system: &System, instance: &InstanceName) -> Result<String, Refusal> {
    let (procs, range) = (instance.procs, instance.range);
    need_small(system, procs, range, "Promela")?;
    let constructors: usize =
        used_enums(system).iter().map(|id| system.enumeration(*id).constructors.len()).sum();
    if constructors > MOST_CONSTRUCTORS {
        let what =
            format!("Promela has at most {MOST_CONSTRUCTORS} constructors, and there are {constructors}");
        return Err(Refusal::of_command(what));
    }
    let values = Values::new(system, procs);
    let initial = Initial::new(system, procs, range, &values)?;
    let symbols = SymbolNames::new(system, &mut TakenNames::new(RESERVED), ["false", "true"]);
    let promela =
        Promela { system, reader: SystemReader { system, range, procs, counted: None }, values, symbols };
    let steps = steps(promela.reader, procs)?;

    let mut choices = String::new();
    let cells = cells(system, procs);
    for group in &initial.choices {
        choices.push_str("    if\n");
        for way in &group.ways {
            let assign = |(&at, value): (&usize, &Value)| {
                let (var, index) = &cells[at];
                format!("{} = {}", promela.cell(*var, index), promela.value(*var, *value))
            };
            let assigns: Vec<String> = group.cells.iter().zip(way).map(assign).collect();
            let _ = writeln!(choices, "    :: {}", assigns.join("; "));
        }
        choices.push_str("    fi;\n");
    }
    promela.assign_fixed(&mut choices, &cells, &initial);

    let mut lines = title(instance, "SPIN");
    if !choices.is_empty() {
        lines.push("SPIN counts one state more: that before an initial state is chosen.".into());
    }
    let mut out = comments("/* ", lines, &promela.values, " */");
    promela.declarations(&mut out, &initial);
    let body: String = steps.iter().map(|step| promela.step(step)).collect();
    let hidden = (1..=most_locals(&steps)).map(|n| format!("hidden int t{n};\n"));
    let hidden: String = hidden.collect();
    let _ = write!(out, "{hidden}\nactive proctype instance() {{\n");
    if !choices.is_empty() {
        let _ = writeln!(out, "  atomic {{\n{choices}    skip\n  }};");
    }
    out.push_str("end:\n  do\n");
    for declared in &system.bad {
        let holds = promela.write(&bad(promela.reader, procs, declared)?);
        let name = comment(&declared.name);
        let _ = writeln!(out, "  /* {name} */\n  :: d_step {{ ({holds}) -> assert(false) }}");
    }
    if system.bad.is_empty() && steps.is_empty() {
        out.push_str("  :: false\n");
    }
    let _ = write!(out, "{body}  od\n}}\n");
    Ok(out)
}

/// The largest number of new values that a step stores before it assigns them.
fn most_locals(steps: &[GroundTransition]) -> usize {
    steps
        .iter()
        .map(|step| step.writes.iter().filter(|write| needs_local(step, write)).count())
        .max()
        .unwrap_or(0)
}

/// Whether a new value reads a cell that the same step may have written already: any written cell but its own.
fn needs_local(step: &GroundTransition, write: &GroundWrite) -> bool {
    let GroundWrite { var, index, value: Some(value) } = write else { return false };
    let mut reads = false;
    value.cells(&mut |read, at| {
        let itself = read == *var && at == index.as_slice();
        reads |= !itself && step.writes.iter().any(|other| other.var == read && other.index == at);
    });
    reads
}

impl Promela<'_> {
    fn declarations(&self, out: &mut String, initial: &Initial) {
        out.push('\n');
        let constructors: Vec<&str> = used_enums(self.system)
            .iter()
            .flat_map(|id| &self.symbols.constructors[usize::from(id.0)])
            .map(String::as_str)
            .collect();
        if !constructors.is_empty() {
            let _ = writeln!(out, "mtype = {{ {} }};", constructors.join(", "));
        }
        for (id, var) in self.system.declared() {
            let ty = match var.ty {
                Type::Enum(BOOL) => "bool",
                Type::Enum(_) => "mtype",
                Type::Int | Type::Real => "int",
                Type::Proc | Type::Abstract(_) => "short",
            };
            let size = match var.arity() {
                0 => String::new(),
                // There is no process 0.
                1 => format!("[{}]", self.reader.procs + 1),
                n => format!("[{}]", self.reader.procs.pow(n as u32)),
            };
            let value = initial.value(id, var);
            let value = value.map_or_else(String::new, |value| format!(" = {}", self.value(id, value)));
            let note = match (var.ty, var.arity()) {
                (_, 2..) => " /* the cells row by row */",
                (Type::Proc, _) => " /* other numbers are not processes */",
                _ => "",
            };
            let _ = writeln!(out, "{ty} {}{size}{value};{note}", self.name(id));
        }
    }

    /// Cells with one initial value, in arrays that have several.
    fn assign_fixed(&self, out: &mut String, cells: &[(VarId, Vec<Process>)], initial: &Initial) {
        for ((var, index), value) in cells.iter().zip(&initial.fixed) {
            if let Some(value) = *value
                && initial.value(*var, self.system.var(*var)).is_none()
            {
                let _ = writeln!(out, "    {} = {};", self.cell(*var, index), self.value(*var, value));
            }
        }
    }

    fn name(&self, var: VarId) -> String {
        format!("v_{}", self.system.var(var).name)
    }

    /// All values that `:= ?` may choose for a variable.
    fn any(&self, var: VarId) -> Vec<String> {
        match self.system.var(var).ty {
            Type::Enum(id) => self.symbols.constructors[usize::from(id.0)].clone(),
            Type::Proc | Type::Abstract(_) => {
                let (low, high) = self.values.bounds(self.system, var);
                (low..=high).map(|n| n.to_string()).collect()
            }
            Type::Int | Type::Real => Vec::new(),
        }
    }

    fn step(&self, step: &GroundTransition) -> String {
        let (mut before, mut after) = (String::new(), String::new());
        let mut locals = 0;
        let mut chooses = false;
        for write in &step.writes {
            let GroundWrite { var, index, value } = write;
            let cell = self.cell(*var, index);
            let Some(value) = value else {
                chooses = true;
                let choice =
                    if let (Type::Int, Some((low, high))) = (self.system.var(*var).ty, self.reader.range) {
                        format!("select({cell} : {low} .. {high})")
                    } else {
                        let ways = self.any(*var).into_iter().map(|value| format!(":: {cell} = {value} "));
                        format!("if {}fi", ways.collect::<String>())
                    };
                let _ = write!(after, "; {choice}");
                continue;
            };
            let text = self.inner(value);
            if needs_local(step, write) {
                locals += 1;
                let _ = write!(before, "; t{locals} = {text}");
                let _ = write!(after, "; {cell} = t{locals}");
            } else {
                // It can be assigned directly: it reads no other cell that this step writes.
                let _ = write!(after, "; {cell} = {text}");
            }
        }
        let keyword = if chooses { "atomic" } else { "d_step" };
        let guard = self.write(&step.guard);
        let name = comment(&step.name);
        format!("  /* {name} */\n  :: {keyword} {{ ({guard}) -> skip{before}{after} }}\n")
    }
}

impl Dialect for Promela<'_> {
    const OPERATORS: Operators = Operators {
        truth: ["true", "false"],
        and: "&&",
        or: "||",
        not: "!",
        compare: ["==", "!=", "<=", "<"],
        choice: ["", " -> ", " : "],
    };

    fn instance(&self) -> (&System, &SymbolNames, &Values) {
        (self.system, &self.symbols, &self.values)
    }

    fn cell(&self, var: VarId, index: &[Process]) -> String {
        let name = self.name(var);
        match index {
            [] => name,
            [process] => format!("{name}[{}]", process.number()),
            several => {
                let at = several.iter().fold(0, |at, process| at * self.reader.procs + process.number() - 1);
                format!("{name}[{at}]")
            }
        }
    }

    fn each(&self, _all: bool, name: &str, _body: &str) -> String {
        unreachable!("an instance has no quantifiers: {name}")
    }
}
