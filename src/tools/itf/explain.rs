//! Why a formula does not hold in a state: which of its literals fail, where they stand, and the values of
//! their cells.

use cubicle_lang::diagnostic::{Source, Span};
use cubicle_lang::model::semantics::{Env, Layout, State, Step, Value, other_tuples, tuples};
use cubicle_lang::model::{Cell, Conj, Dnf, Literal, ProcRef, System, Var};
use cubicle_lang::words::{ValueNames, literal, processes};
use cubicle_run::Trace;

const MOST_LITERALS: usize = 4;

pub(crate) struct Explainer<'a> {
    system: &'a System,
    source: &'a Source<'a>,
    names: ValueNames<'a>,
    layout: Layout,
    /// Names of processes, when they are not `#1`, `#2`, ..
    pub(crate) procs: Option<&'a [String]>,
}

impl<'a> Explainer<'a> {
    pub fn new(system: &'a System, source: &'a Source<'a>, trace: &Trace) -> Self {
        let layout = Layout::new(system, trace.initial.procs);
        Self { system, source, names: ValueNames::new(system, trace), layout, procs: None }
    }

    /// Writes processes with these names.
    pub fn naming(self, procs: &'a [String]) -> Self {
        Self { procs: Some(procs), ..self }
    }

    /// `#1` for process 0, or its name.
    pub fn process(&self, process: usize) -> String {
        let named = self.procs.and_then(|names| names.get(process));
        named.cloned().unwrap_or_else(|| processes(&[process]))
    }

    /// A value that a cell of this variable holds.
    pub fn value_of(&self, var: &Var, value: Value) -> String {
        match value {
            Value::Proc(point) if let Some(process) = point.as_process(self.layout.procs) => {
                self.process(process)
            }
            _ => self.names.value(var, value),
        }
    }

    /// `At[#1]`.
    pub fn cell(&self, var: &Var, index: &[usize]) -> String {
        let index: Vec<String> = index.iter().map(|p| self.process(*p)).collect();
        self.system.families.cell(&var.name, &index)
    }

    fn env<'b>(&'b self, state: &'b State, procs: &'b [usize]) -> Env<'b> {
        Env { layout: &self.layout, state, procs }
    }

    /// Why the state is not initial; `None` when it is.
    pub fn init(&self, state: &State) -> Option<String> {
        let init = &self.system.init;
        if state.procs == 0 {
            return self.dnf(&self.env(state, &[]), &init.without_processes, &[], init.span);
        }
        tuples(state.procs, usize::from(init.params))
            .find_map(|procs| self.dnf(&self.env(state, &procs), &init.body, &[], init.span))
    }

    /// Why bad cube number `bad` does not hold for these processes; `None` when it does.
    pub fn bad(&self, state: &State, bad: usize, procs: &[usize]) -> Option<String> {
        let bad = &self.system.bad[bad];
        let failing = self.conj(&self.env(state, procs), &bad.cube, &bad.spans, bad.span);
        (!failing.is_empty()).then(|| failing.join("; "))
    }

    /// The literals of bad cube number `bad` at these processes.
    pub fn literals_of_bad(&self, bad: usize, procs: &[usize]) -> Vec<String> {
        let name = |p| self.reference(procs, p);
        self.system.bad[bad].cube.iter().map(|l| literal(self.system, l, &name)).collect()
    }

    /// Why the guard of a step does not hold; `None` when it does. Names the literals of its plain part, or
    /// the first universal part that fails and a process for which it does.
    pub fn guard(&self, before: &State, step: &Step) -> Option<String> {
        let transition = self.system.transition(step.transition);
        let failing =
            self.conj(&self.env(before, &step.args), &transition.guard, &transition.spans, transition.span);
        if !failing.is_empty() {
            return Some(failing.join("; "));
        }
        let failing = transition.universals.iter().filter_map(|universal| {
            other_tuples(before.procs, &step.args, universal.bound.into()).find_map(|scope| {
                let env = self.env(before, &scope);
                let why = self.dnf(&env, &universal.body, &universal.spans, transition.span)?;
                Some((scope[step.args.len()..].to_vec(), why))
            })
        });
        let (others, why) = failing.min_by(|(a, _), (b, _)| a.cmp(b))?;
        let others: Vec<String> = others.iter().map(|other| self.process(*other)).collect();
        Some(format!("its condition on all other processes fails for {}: {why}", others.join(" and ")))
    }

    /// How far the guard of a step is from holding: the number of literals and universal parts that fail.
    pub fn distance(&self, before: &State, step: &Step) -> usize {
        let transition = self.system.transition(step.transition);
        let env = self.env(before, &step.args);
        let plain = transition.guard.iter().filter(|literal| env.literal(literal) != Some(true)).count();
        let others = transition.universals.iter().map(|u| {
            let scopes = other_tuples(before.procs, &step.args, u.bound.into());
            scopes.filter(|scope| self.env(before, scope).dnf(&u.body) != Some(true)).count()
        });
        plain + others.sum::<usize>()
    }

    /// The literals that fail, each with its place and the values of its cells.
    fn conj(&self, env: &Env<'_>, conj: &Conj, spans: &[Span], declaration: Span) -> Vec<String> {
        let spans = spans.iter().copied().chain(std::iter::repeat(declaration));
        let failing = conj.iter().zip(spans).filter(|(literal, _)| env.literal(literal) != Some(true));
        failing.take(MOST_LITERALS).map(|(literal, span)| self.literal(env, literal, span)).collect()
    }

    /// Why a disjunction fails: one literal of each disjunct.
    fn dnf(&self, env: &Env<'_>, dnf: &Dnf, spans: &[Vec<Span>], declaration: Span) -> Option<String> {
        if env.dnf(dnf) == Some(true) {
            return None;
        }
        let spans = spans.iter().map(Vec::as_slice).chain(std::iter::repeat(&[][..]));
        let failing = dnf.0.iter().zip(spans).filter_map(|(conj, spans)| {
            let failing = self.conj(env, conj, spans, declaration);
            failing.into_iter().next()
        });
        let failing: Vec<String> = failing.take(MOST_LITERALS).collect();
        Some(if failing.is_empty() { "it is never true".to_owned() } else { failing.join("; ") })
    }

    /// `At[#1] = Idle (model.cub:12:10) is false, At[#1] is Busy`.
    fn literal(&self, env: &Env<'_>, of: &Literal, span: Span) -> String {
        let text = literal(self.system, of, &|p| self.reference(env.procs, p));
        let place = self.source.place(span);
        if env.literal(of).is_none() {
            return format!("{text} ({place}) leaves the 64-bit range");
        }
        let values: Vec<String> = of.cells().into_iter().map(|cell| self.value(env, cell)).collect();
        let values = if values.is_empty() { String::new() } else { format!(", {}", values.join(", ")) };
        format!("{text} ({place}) is false{values}")
    }

    /// `At[#1] is Busy`.
    fn value(&self, env: &Env<'_>, cell: &Cell) -> String {
        let var = self.system.var(cell.var);
        let index: Vec<usize> = cell.index.iter().map(|p| p.of(env.procs)).collect();
        format!("{} is {}", self.cell(var, &index), self.value_of(var, env.cell(cell)))
    }

    /// The name of the process that a reference means.
    fn reference(&self, procs: &[usize], proc: ProcRef) -> String {
        self.process(proc.of(procs))
    }
}
