//! States and steps of a concrete model, read as those of an abstract one.

use cubicle_lang::list::are_different;
use cubicle_lang::model::semantics::{
    Env, Semantics, State, Step, StepError, Trace, Value, distinct_tuples, tuples,
};
use cubicle_lang::model::{Assignment, Branch, Cell, Literal, ProcRef, System, Term, TransitionId, VarId};
use cubicle_lang::refinement::{ArgTerm, Image, RefinementMap};
use cubicle_lang::words::{ValueNames, literal, processes, shown_cells};

/// The abstract side of a run.
#[derive(Clone, Debug)]
pub struct AbstractRun {
    /// What the map makes of the initial state, and of the state after each step.
    pub states: Vec<State>,
    /// For each step of the run that is one of the abstract model: which; `stutter` where nothing changes.
    pub steps: Vec<String>,
}

impl AbstractRun {
    /// Names for the values of its states.
    pub fn names<'a>(&self, abstraction: &'a System) -> ValueNames<'a> {
        let step =
            |after: &State| Step { transition: TransitionId(0), args: Vec::new(), after: after.clone() };
        let steps = self.states.iter().skip(1).map(step).collect();
        ValueNames::new(abstraction, &Trace { initial: self.states[0].clone(), steps, bad: None })
    }
}

/// Reads states and steps of an instance through a map.
pub struct ImageReader<'a> {
    map: &'a RefinementMap,
    concrete: Semantics<'a>,
    abstraction: Semantics<'a>,
}

impl<'a> ImageReader<'a> {
    /// For the instance of both models with `procs` processes.
    pub fn new(map: &'a RefinementMap, concrete: &'a System, abstraction: &'a System, procs: usize) -> Self {
        Self {
            map,
            concrete: Semantics::new(concrete, procs),
            abstraction: Semantics::new(abstraction, procs),
        }
    }

    /// The abstract state; `None` when a number leaves the 64-bit range.
    pub fn state(&self, state: &State) -> Option<State> {
        let mut values: Vec<Value> = Vec::with_capacity(self.abstraction.layout().len());
        for (var, branches) in self.abstraction.system().vars.iter().zip(&self.map.variables) {
            for index in tuples(state.procs, var.arity()) {
                let env = Env { layout: self.concrete.layout(), state, procs: &index };
                let mut value = None;
                for branch in branches {
                    if env.dnf(&branch.when)? {
                        value = Some(env.term(&branch.value)?);
                        break;
                    }
                }
                values.push(value?);
            }
        }
        Some(State { procs: state.procs, values })
    }

    /// The abstract states around a step, which agree at processes of other sorts than those of an array: there are no such cells.
    fn around(&self, before: &State, step: &Step) -> Option<(State, State)> {
        let (old, mut new) = (self.state(before)?, self.state(&step.after)?);
        for (at, _) in self.missing(&old).iter().enumerate().filter(|it| *it.1) {
            new.values[at] = old.values[at];
        }
        Some((old, new))
    }

    /// For each place of an abstract state, whether it is none of a cell.
    fn missing(&self, state: &State) -> Vec<bool> {
        let (system, layout) = (self.abstraction.system(), self.abstraction.layout());
        let is_of = |process: usize, sort: u8| {
            let array = system.sort_array().expect("an index has a sort");
            state.values[layout.position(array, [process])] == Value::Constructor(sort)
        };
        let mut missing = Vec::with_capacity(layout.len());
        for (id, var) in (0..).map(VarId).zip(&system.vars) {
            for index in tuples(state.procs, var.arity()) {
                let is_other = |(at, process): (usize, &usize)| {
                    system.index_sort(id, at).is_some_and(|sort| !is_of(*process, sort))
                };
                missing.push(index.iter().enumerate().any(is_other));
            }
        }
        missing
    }

    /// Whether a step is one of the abstract model, whatever it says of cells that do not exist.
    fn is_step(&self, old: &State, mut step: Step) -> Result<(), StepError> {
        let missing = self.missing(old);
        loop {
            match self.abstraction.is_step(old, &step) {
                Err(StepError::Effect(_, at, value, _)) if missing[at] => step.after.values[at] = value,
                other => return other,
            }
        }
    }

    /// The abstract steps, by their names, that a concrete step is.
    pub fn images(&self, before: &State, step: &Step) -> Vec<String> {
        let Some((old, new)) = self.around(before, step) else { return Vec::new() };
        let possible = |image: &&Image| match image {
            Image::Stutter => old == new,
            Image::Step { origin, args } => self.arguments(before, step, args).is_some_and(|args| {
                self.ways(*origin, &args).any(|(transition, args)| {
                    let step = Step { transition, args, after: new.clone() };
                    self.is_step(&old, step).is_ok()
                })
            }),
        };
        let images = self.declared(step).iter().filter(possible);
        images.map(|image| self.name(before, step, image)).collect()
    }

    /// The steps that the map gives for a concrete one; none for an error that the abstract model does not have.
    fn declared(&self, step: &Step) -> &'a [Image] {
        let it = self.concrete.system().transition(step.transition);
        let value = |branch: &Branch, value| branch.value == Term::Constructor(value);
        self.map.images(it.origin, &|var, error| match it.assignment(var) {
            Some(Assignment::Cases(branches)) => branches.iter().any(|it| value(it, error)),
            _ => false,
        })
    }

    /// The parts of an abstract transition, each with all arguments that begin with these.
    fn ways<'b>(
        &'b self,
        origin: u16,
        args: &'b [usize],
    ) -> impl Iterator<Item = (TransitionId, Vec<usize>)> + 'b {
        let system = self.abstraction.system();
        let parts =
            (0..).map(TransitionId).zip(&system.transitions).filter(move |(_, it)| it.origin == origin);
        parts.flat_map(move |(id, it)| {
            let all = distinct_tuples(self.abstraction.layout().procs, it.arity());
            all.filter(move |all| all.starts_with(args)).map(move |args| (id, args))
        })
    }

    /// The arguments of an abstract step; `None` when one is not a process.
    fn arguments(&self, before: &State, step: &Step, args: &[ArgTerm]) -> Option<Vec<usize>> {
        let value = |arg: &ArgTerm| match arg {
            ArgTerm::Param(p) => Some(step.args[usize::from(*p)]),
            ArgTerm::Cell(cell) => match self.held(before, step, cell) {
                Value::Proc(point) => point.as_process(before.procs),
                _ => None,
            },
        };
        args.iter().map(value).collect()
    }

    fn held(&self, state: &State, step: &Step, cell: &Cell) -> Value {
        Env { layout: self.concrete.layout(), state, procs: &step.args }.cell(cell)
    }

    fn name(&self, before: &State, step: &Step, image: &Image) -> String {
        let Image::Step { origin, args } = image else { return "stutter".to_owned() };
        let system = self.abstraction.system();
        let name =
            system.transitions.iter().find(|it| it.origin == *origin).map_or("", |it| it.name.as_str());
        let args = args.iter().map(|arg| match self.arguments(before, step, std::slice::from_ref(arg)) {
            Some(args) => processes(&args),
            None => "a value that is not a process".to_owned(),
        });
        format!("{name}({})", args.collect::<Vec<_>>().join(", "))
    }

    /// The abstract run beside a concrete one, whose last step need not be an abstract one.
    ///
    /// # Errors
    /// An earlier step is not an abstract one either, or a number leaves the 64-bit range.
    pub fn beside(&self, run: &Trace) -> Result<AbstractRun, String> {
        let mut before = &run.initial;
        let state = |state: &State| self.state(state).ok_or("a number leaves the 64-bit range");
        let mut found = AbstractRun { states: vec![state(before)?], steps: Vec::new() };
        for (number, step) in (1..).zip(&run.steps) {
            found.states.push(state(&step.after)?);
            match self.images(before, step).into_iter().next() {
                Some(image) => found.steps.push(image),
                None if number == run.steps.len() => {}
                None => return Err(format!("step {number} is not one of the abstract model either")),
            }
            before = &step.after;
        }
        Ok(found)
    }

    /// Why a step is none of those that the map gives: a line for each. Empty when it is one.
    pub fn why_not(&self, before: &State, step: &Step, names: &ValueNames<'_>) -> Vec<String> {
        let Some((old, new)) = self.around(before, step) else { return Vec::new() };
        if !self.images(before, step).is_empty() {
            return Vec::new();
        }
        let why = |image: &Image| {
            let name = self.name(before, step, image);
            let Image::Step { origin, args } = image else {
                return format!("{name}: {}", self.differs(&old, &new, names));
            };
            let Some(args) = self.arguments(before, step, args) else {
                return format!("{name} is not possible");
            };
            if !are_different(&args) {
                return format!("{name} is not possible: its arguments must be different");
            }
            let steps: Vec<Step> = self
                .ways(*origin, &args)
                .map(|(transition, args)| Step { transition, args, after: new.clone() })
                .collect();
            for step in &steps {
                if let Err(StepError::Effect(_, at, value, _)) = self.is_step(&old, step.clone()) {
                    let mut wanted = new.clone();
                    wanted.values[at] = value;
                    return format!("{name}: {}", self.differs(&wanted, &new, names));
                }
            }
            let why = steps.iter().find_map(|step| self.disabled(&old, step));
            format!("{name} is not possible{}", why.map_or_else(String::new, |why| format!(": {why}")))
        };
        let declared = self.declared(step);
        if declared.is_empty() {
            return vec!["it leaves a range, or a queue overflows".to_owned()];
        }
        declared.iter().map(why).collect()
    }

    /// The first cell that differs, with its value in `wanted` and in `held`.
    fn differs(&self, wanted: &State, held: &State, names: &ValueNames<'_>) -> String {
        let all = shown_cells(self.abstraction.system(), held.procs);
        let found = all.iter().find(|cell| cell.differs(wanted, held));
        found.map_or_else(String::new, |cell| {
            let [wanted, held] = [wanted, held].map(|state| names.shown(cell, state));
            format!("{} should be {wanted} and is {held}", cell.name)
        })
    }

    /// What of the guard does not hold.
    fn disabled(&self, old: &State, step: &Step) -> Option<String> {
        let system = self.abstraction.system();
        let it = system.transition(step.transition);
        let env = Env { layout: self.abstraction.layout(), state: old, procs: &step.args };
        if let Some(wrong) = it.guard.iter().find(|literal| env.literal(literal) == Some(false)) {
            let name = |p: ProcRef| format!("#{}", p.of(&step.args) + 1);
            return Some(format!("{} does not hold", literal(system, wrong, &name)));
        }
        let other = self.abstraction.excluded(old, step.transition, &step.args)?;
        Some(format!("its guard does not hold of #{}", other + 1))
    }

    /// Why a state is not initial in the abstract model; `None` when it is.
    pub fn not_initial(&self, state: &State) -> Option<Vec<String>> {
        let state = self.state(state)?;
        if self.abstraction.initial(&state) {
            return None;
        }
        let system = self.abstraction.system();
        let mut lines = Vec::new();
        for procs in tuples(state.procs, usize::from(system.init.params)) {
            let env = Env { layout: self.abstraction.layout(), state: &state, procs: &procs };
            let fails = |it: &Literal| env.literal(it) == Some(false);
            // That a process is of another sort is how `init` says nothing of it.
            let of_sort = |it: &Literal| {
                it.cells().iter().any(|cell| Some(cell.var) == system.sort_array()) && fails(it)
            };
            if system.init.body.0.iter().any(|conj| !conj.iter().any(fails)) {
                continue;
            }
            for conj in system.init.body.0.iter().filter(|conj| !conj.iter().any(of_sort)) {
                let wrong = conj.iter().filter(|it| fails(it));
                let name = |p: ProcRef| format!("#{}", p.of(&procs) + 1);
                lines.extend(wrong.map(|it| format!("{} does not hold", literal(system, it, &name))));
            }
        }
        lines.dedup();
        lines.truncate(1);
        if lines.is_empty() {
            lines.push("`init` or an `invariant` about what never changes does not hold".to_owned());
        }
        Some(lines)
    }
}
