//! Sorts of processes: random models over two or three sorts, with relations, pointers, quantifiers and orders, against an interpreter that
//! is written from the book alone, for each number of processes of each sort.
//!
//! `CUBICLE_DOORS_SEED` and `CUBICLE_DOORS_COUNT` choose models; the ignored test takes many.
//!
//! Seeds that find each of these mistakes again, should it be made: a cell `A[G]` at a process of another sort is read (136), witnesses hold
//! processes of any sort (85), `forall_other` compares with parameters of other sorts (18), the advice about an initial bad state reads the negated property with the
//! cells of the model (5), a cell of a log may be that of a process of another sort (7 of `logs`), the name of a `let` means a pointer in other
//! declarations (1228), a step of two processes does not ask a witness at one of them (1036: a proof is refused).

pub mod logs;
mod meaning;
mod random;
mod runs;

pub use random::{text, text_of_others};

use std::fmt;

use cubicle::certificate::{self, CheckOptions, Claim, NoCertificate, ProofFailure, Subject};
use cubicle::forward::explore;
use cubicle::load::{FormulaScope, ModelSource, parse_formula};
use cubicle::model::semantics::{Layout, State as Concrete, Value};
use cubicle::model::{Conj, System};
use cubicle::transform::{Crash, with_crashes};
use cubicle::{BackwardMode, ForwardOptions, Interrupt, Report, Silent, Stop, Verdict, check};

use super::doors::small_search;
use super::support::dice::{compared, environment};
use meaning::{Found, Instance, NONE, State, brute_force, brute_force_with, tuples};
use random::{is_rich, model, sorts_of};

const SORTS: [&str; 3] = ["node", "value", "quorum"];

/// How many processes of each sort.
pub type Sizes = [usize; 3];

/// Most states of an instance that is compared.
const MOST_STATES: usize = 3000;

/// Most states of all divisions of processes among the sorts that are explored together.
const MOST_STATES_OF_ALL: usize = 50_000;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// `A`, `B` or `C`.
    Phase,
    /// A process of a sort, or none.
    Pointer(usize),
    /// A fact that never changes.
    Relation,
    /// A process of a sort that never changes.
    Witness(usize),
}

struct Var {
    name: String,
    kind: Kind,
    index: Vec<usize>,
    /// The phase that init gives it; a pointer is to no process then.
    start: Option<u8>,
    /// Whether it is a pointer that may be `nil`: the only value that is not a process.
    or_nil: bool,
}

/// A name in scope: by its place. From [`GLOBAL`] on, a variable that points to a process.
type Place = usize;

/// The place of the first variable.
const GLOBAL: Place = 1000;

/// What a pointer that may be `nil` is compared with, or gets, in place of a process.
const NIL: Place = usize::MAX;

#[derive(Clone)]
enum Literal {
    /// A cell holds a phase, or is in a relation.
    Holds(usize, Vec<Place>, u8, bool),
    /// A pointer is to a process.
    Points(usize, Vec<Place>, Place, bool),
    /// Two processes of a sort are ordered.
    Before(Place, Place),
    /// Two cells hold the same phase, or not.
    Agree([usize; 2], [Vec<Place>; 2], bool),
    /// Two processes of a sort are the same, or not.
    Same(Place, Place, bool),
    /// How many processes satisfy all of some literals, compared with a number.
    Counts(Count),
}

#[derive(Clone)]
struct Count {
    sort: usize,
    bound: Place,
    body: Vec<Literal>,
    /// `=`, `<>` or `<=`.
    op: usize,
    number: usize,
}

const OPERATORS: [&str; 3] = ["=", "<>", "<="];

impl Literal {
    /// The places that are indices of cells, and whether their values matter where the cells have none: `Bad` states cannot say that.
    fn is_of_bad_states(&self, model: &[Var]) -> bool {
        let plain = |index: &[Place]| index.iter().all(|it| *it < GLOBAL);
        match self {
            Self::Holds(var, index, _, holds) => model[*var].kind != Kind::Relation || *holds || plain(index),
            Self::Points(..) | Self::Before(..) | Self::Same(..) => true,
            Self::Agree(_, [a, b], holds) => *holds || plain(a) && plain(b),
            Self::Counts(count) => count.body.iter().all(|it| match it {
                Self::Holds(_, index, ..) | Self::Points(_, index, ..) => plain(index),
                Self::Agree(_, [a, b], _) => plain(a) && plain(b),
                _ => true,
            }),
        }
    }
}

struct Quantified {
    universal: bool,
    other: bool,
    /// One sort, or two.
    sorts: Vec<usize>,
    /// One of them holds under a universal, all under an existential.
    literals: Vec<Literal>,
}

enum Update {
    Cell(usize, Vec<Place>, Option<u8>, Place),
    /// All cells where a literal holds.
    Cells(usize, Literal, u8),
    /// Any value of a global.
    Any(usize),
    /// A cell gets what another one holds.
    Copy(usize, Vec<Place>, usize, Vec<Place>),
    /// All cells of an array, or those of processes that are not parameters.
    Each(usize, bool, u8),
}

impl Update {
    /// Whether it binds names, to the processes of cells.
    const fn binds(&self) -> bool {
        matches!(self, Self::Cells(..) | Self::Each(..))
    }

    /// Whether it may be about this place.
    fn reads(&self, place: Place) -> bool {
        match self {
            Self::Cell(_, index, phase, to) => index.contains(&place) || phase.is_none() && *to == place,
            Self::Copy(_, index, _, from) => index.contains(&place) || from.contains(&place),
            Self::Cells(..) => true,
            Self::Any(_) | Self::Each(..) => false,
        }
    }
}

struct Transition {
    params: Vec<usize>,
    guard: Vec<Literal>,
    quantified: Vec<Quantified>,
    updates: Vec<Update>,
}

struct Model {
    /// How many of the sorts it has.
    sorts: usize,
    vars: Vec<Var>,
    /// What never holds of relations, for two processes of these sorts.
    axiom: Option<(Vec<usize>, Vec<Literal>)>,
    /// For all processes of these sorts, equal ones included, there is one of the last sort of which all literals hold.
    witness: Option<(Vec<usize>, Vec<Literal>)>,
    bad: Vec<(Vec<usize>, Vec<Literal>)>,
    /// Bad states of which something holds for all processes, or for some: those in which it could be fired.
    watch: Option<Transition>,
    transitions: Vec<Transition>,
    /// A run may end where all cells of this array hold a phase.
    end: Option<(usize, u8)>,
}

// The text

fn name(place: Place) -> String {
    match place {
        NIL => "nil".to_owned(),
        GLOBAL.. => format!("V{}", place - GLOBAL),
        _ => format!("p{place}"),
    }
}

fn names(sorts: &[usize], first: Place) -> String {
    let one = |(at, sort): (usize, &usize)| {
        let next = sorts.get(at + 1);
        let text = name(first + at);
        if next == Some(sort) { text } else { format!("{text} : {}", SORTS[*sort]) }
    };
    sorts.iter().enumerate().map(one).collect::<Vec<_>>().join(" ")
}

const PHASES: [&str; 3] = ["Aa", "Bb", "Cc"];

/// How the text of a model has its phases.
enum Phases {
    Names,
    /// As a range.
    Numbers,
    /// As a field of a record.
    Fields,
}

impl Phases {
    fn of(seed: u64) -> Self {
        match seed / 10 % 3 {
            0 if is_rich(seed) => Self::Numbers,
            1 if is_rich(seed) => Self::Fields,
            _ => Self::Names,
        }
    }
}

impl Model {
    fn cell(&self, var: usize, index: &[Place]) -> String {
        let places: Vec<String> = index.iter().map(|it| name(*it)).collect();
        let var = &self.vars[var];
        match (var.kind, places.is_empty()) {
            (Kind::Relation, _) => format!("{}({})", var.name, places.join(", ")),
            (_, true) => var.name.clone(),
            (_, false) => format!("{}[{}]", var.name, places.join(", ")),
        }
    }

    fn literal(&self, literal: &Literal) -> String {
        match literal {
            Literal::Holds(var, index, _, holds) if self.vars[*var].kind == Kind::Relation => {
                format!("{}{}", if *holds { "" } else { "not " }, self.cell(*var, index))
            }
            Literal::Holds(var, index, phase, true) if index.iter().any(|it| *it >= GLOBAL) => {
                let args: Vec<String> = index.iter().map(|it| name(*it)).collect();
                format!("{}_{phase}({})", self.vars[*var].name.to_lowercase(), args.join(", "))
            }
            Literal::Holds(var, index, phase, holds) => {
                let op = if *holds { "=" } else { "<>" };
                format!("{} {op} {}", self.cell(*var, index), PHASES[usize::from(*phase)])
            }
            Literal::Points(var, index, to, holds) => {
                format!("{} {} {}", self.cell(*var, index), if *holds { "=" } else { "<>" }, name(*to))
            }
            Literal::Agree([a, b], [at, of], holds) => {
                let op = if *holds { "=" } else { "<>" };
                format!("{} {op} {}", self.cell(*a, at), self.cell(*b, of))
            }
            Literal::Before(a, b) => format!("{} < {}", name(*a), name(*b)),
            Literal::Same(a, b, holds) => {
                format!("{} {} {}", name(*a), if *holds { "=" } else { "<>" }, name(*b))
            }
            Literal::Counts(Count { sort, bound, body, op, number }) => {
                let body = self.all(body, " && ");
                format!("#{{{} : {} | {body}}} {} {number}", name(*bound), SORTS[*sort], OPERATORS[*op])
            }
        }
    }

    fn all(&self, literals: &[Literal], separator: &str) -> String {
        let all: Vec<String> = literals.iter().map(|it| self.literal(it)).collect();
        if all.is_empty() { "true".to_owned() } else { all.join(separator) }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for sort in &SORTS[..self.sorts] {
            writeln!(f, "type {sort} < proc")?;
        }
        writeln!(f, "type phase = Aa | Bb | Cc")?;
        for var in &self.vars {
            let index: Vec<&str> = var.index.iter().map(|it| SORTS[*it]).collect();
            let ty = match var.kind {
                Kind::Phase => "phase",
                Kind::Pointer(sort) if var.or_nil => &format!("{} or nil", SORTS[sort]),
                Kind::Pointer(sort) => SORTS[sort],
                Kind::Relation => {
                    writeln!(f, "relation {} ({})", var.name, names(&var.index, 0))?;
                    continue;
                }
                Kind::Witness(sort) => {
                    writeln!(f, "witness {}[{}] : {}", var.name, index.join(", "), SORTS[sort])?;
                    continue;
                }
            };
            if index.is_empty() {
                writeln!(f, "var {} : {ty}", var.name)?;
            } else {
                writeln!(f, "array {}[{}] : {ty}", var.name, index.join(", "))?;
            }
        }
        if let Some((sorts, literals)) = &self.witness {
            let (value, params) = sorts.split_last().expect("a sort of values");
            let args: Vec<String> = (0..params.len()).map(name).collect();
            let body = self.all(literals, " && ");
            let body = body.replace(&name(params.len()), &format!("w({})", args.join(", ")));
            writeln!(f, "witness w ({}) : {} {{ {body} }}", names(params, 0), SORTS[*value])?;
        }
        // What is said of cells at pointers; the names of parameters are those of others elsewhere.
        for (at, var) in self.vars.iter().enumerate().filter(|(_, it)| it.kind == Kind::Phase) {
            let index: Vec<Place> = (0..var.index.len()).rev().collect();
            let params: Vec<String> = index.iter().map(|it| name(*it)).collect();
            for (number, phase) in PHASES.iter().enumerate().filter(|_| !index.is_empty()) {
                let (called, params) = (var.name.to_lowercase(), params.join(", "));
                writeln!(
                    f,
                    "predicate {called}_{number}({params}) {{ {} = {phase} }}",
                    self.cell(at, &index)
                )?;
            }
        }
        // Each part of init has parameters of its own.
        let (mut params, mut parts) = (Vec::new(), Vec::new());
        for var in self.vars.iter().filter(|it| it.start.is_some()) {
            let mut own = var.index.clone();
            if let Kind::Pointer(sort) = var.kind
                && !var.or_nil
            {
                own.push(sort);
            }
            let mut places = Vec::new();
            for sort in own {
                let free = |at: &usize| !places.contains(at);
                let known = (0..params.len()).find(|at| params[*at] == sort && free(at));
                places.push(known.unwrap_or_else(|| {
                    params.push(sort);
                    params.len() - 1
                }));
            }
            let (index, rest) = places.split_at(var.index.len());
            let index: Vec<String> = index.iter().map(|it| name(*it)).collect();
            let cell = if index.is_empty() {
                var.name.clone()
            } else {
                format!("{}[{}]", var.name, index.join(", "))
            };
            parts.push(match rest {
                [to] => format!("{cell} <> {}", name(*to)),
                [] if var.or_nil => format!("{cell} = nil"),
                _ => format!("{cell} = {}", PHASES[usize::from(var.start.unwrap_or(0))]),
            });
        }
        let body = if parts.is_empty() { "true".to_owned() } else { parts.join(" && ") };
        writeln!(f, "init ({}) {{ {body} }}", names(&params, 0))?;
        if let Some((params, literals)) = &self.axiom {
            writeln!(f, "invariant ({}) {{ {} }}", names(params, 0), self.all(literals, " && "))?;
        }
        for (at, t) in self.transitions.iter().enumerate() {
            writeln!(f, "transition t{at} ({})\nrequires {{ {} }}", names(&t.params, 0), self.guard(t))?;
            writeln!(f, "{{ {} }}", self.updates(t))?;
        }
        for (params, literals) in &self.bad {
            writeln!(f, "unsafe ({}) {{ {} }}", names(params, 0), self.all(literals, " && "))?;
        }
        if let Some(watch) = &self.watch {
            writeln!(f, "unsafe seen ({}) {{ {} }}", names(&watch.params, 0), self.guard(watch))?;
        }
        Ok(())
    }
}

impl Model {
    fn text(&self, seed: u64) -> String {
        self.extended(self.to_string(), seed)
    }

    /// The text with the phases in other words.
    fn extended(&self, text: String, seed: u64) -> String {
        match Phases::of(seed) {
            Phases::Numbers => {
                let declared = text.replace("Aa | Bb | Cc", "0 .. 2");
                (0..)
                    .zip(PHASES)
                    .fold(declared, |text, (number, phase)| text.replace(phase, &i32::to_string(&number)))
            }
            Phases::Fields => text.lines().map(|line| self.with_fields(line) + "\n").collect(),
            Phases::Names => text,
        }
    }

    /// A line of the text in which variables that hold phases are records.
    fn with_fields(&self, line: &str) -> String {
        if line.starts_with("type phase") {
            return format!("{line}\ntype kept = {{ phase : phase }}");
        }
        if line.starts_with("var ") || line.starts_with("array ") {
            return line.replace(" : phase", " : kept");
        }
        let mut text = String::new();
        let mut rest = line;
        while let Some(at) = rest.find('V') {
            let var = self.vars.iter().find(|it| rest[at..].starts_with(&it.name)).expect("a variable");
            let index = if var.index.is_empty() { "" } else { "]" };
            // Its index has variables that point, without an index of their own.
            let end =
                if var.kind == Kind::Phase { rest[at..].find(index).unwrap_or(0) + index.len() } else { 0 };
            let end = at + end.max(var.name.len());
            text += &rest[..end];
            text += if var.kind == Kind::Phase { ".phase" } else { "" };
            rest = &rest[end..];
        }
        text + rest
    }

    fn guard(&self, t: &Transition) -> String {
        let mut guard = vec![self.all(&t.guard, " && ")];
        for it in &t.quantified {
            let word = if it.universal { "forall" } else { "exists" };
            let word = format!("{word}{}", if it.other { "_other" } else { "" });
            let body = self.all(&it.literals, if it.universal { " || " } else { " && " });
            let bound = |(at, sort): (usize, &usize)| {
                format!("{word} {} : {}. ", name(t.params.len() + at), SORTS[*sort])
            };
            let bound: String = it.sorts.iter().enumerate().map(bound).collect();
            guard.push(format!("({bound}({body}))"));
        }
        guard.join(" && ")
    }

    /// What a transition does; indices that are pointers, and values of cells, have names, which mean something else elsewhere.
    fn updates(&self, t: &Transition) -> String {
        let read = |at: &Place| t.updates.iter().any(|it| it.reads(*at));
        let bound = t.params.len() + if t.updates.iter().any(Update::binds) { 2 } else { 0 };
        let mut free = (0..t.params.len()).filter(|at| !read(at)).chain(bound..);
        let mut lets = String::new();
        let mut named = |value: String| {
            let next = free.next().expect("names do not end");
            lets += &format!("let {} = {value} in ", name(next));
            next
        };
        let mut updates = Vec::new();
        for update in &t.updates {
            let mut given = |index: &[Place]| -> Vec<Place> {
                index.iter().map(|it| if *it < GLOBAL { *it } else { named(name(*it)) }).collect()
            };
            updates.push(match update {
                Update::Cell(var, index, phase, to) => {
                    self.update(&Update::Cell(*var, given(index), *phase, *to), 0)
                }
                Update::Copy(var, index, from, at) => {
                    let (index, at) = (given(index), given(at));
                    format!("{} := {}", self.cell(*var, &index), name(named(self.cell(*from, &at))))
                }
                _ => self.update(update, t.params.len()),
            });
        }
        lets + &updates.join("; ")
    }

    fn update(&self, update: &Update, bound: usize) -> String {
        match update {
            Update::Cell(var, index, Some(phase), _) => {
                format!("{} := {}", self.cell(*var, index), PHASES[usize::from(*phase)])
            }
            Update::Cell(var, index, None, to) => format!("{} := {}", self.cell(*var, index), name(*to)),
            Update::Cells(var, when, phase) => {
                let index: Vec<Place> = (0..self.vars[*var].index.len()).map(|it| bound + it).collect();
                let cell = self.cell(*var, &index);
                let phase = PHASES[usize::from(*phase)];
                format!("{cell} := case | {} : {phase} | _ : {cell}", self.literal(when))
            }
            Update::Any(var) => format!("{} := ?", self.vars[*var].name),
            Update::Copy(..) => unreachable!("its value has a name"),
            Update::Each(var, other, phase) => {
                let word = if *other { "forall_other" } else { "forall" };
                let sort = SORTS[self.vars[*var].index[0]];
                let phase = PHASES[usize::from(*phase)];
                format!("{word} {} : {sort}. {} := {phase}", name(bound), self.cell(*var, &[bound]))
            }
        }
    }
}

// The comparison

/// All ways to divide a number of processes among the first sorts, `sorts` of them.
fn divisions(sorts: usize, total: usize) -> Vec<Sizes> {
    let all = (0..=total)
        .flat_map(|nodes| (0..=total - nodes).map(move |values| [nodes, values, total - nodes - values]));
    all.filter(|it| sorts == 3 || it[2] == 0).collect()
}

/// All instances with at most three processes of each of the first sorts, but more than `total` in all.
fn large(sorts: usize, total: usize) -> Vec<Sizes> {
    let all = (total + 1..=3 * sorts).flat_map(|total| divisions(sorts, total));
    all.filter(|it| it.iter().all(|size| *size <= 3)).collect()
}

fn of_sizes(sorts: usize, sizes: Sizes) -> ForwardOptions {
    let of_sorts = SORTS[..sorts].iter().zip(sizes).map(|(sort, size)| ((*sort).to_owned(), size)).collect();
    ForwardOptions::default().stop_at_unsafe(false).of_sorts(of_sorts)
}

/// How much of a model is compared.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    /// Instances with up to four processes, and one engine.
    Some,
    /// Those with up to three processes of each sort as well, and all engines.
    All,
}

/// Most processes of an instance of which all states are compared with every way to explore it.
const SMALL: usize = 4;

/// Whether there was something to compare; what is wrong.
fn examine(seed: u64, extent: Extent) -> Result<bool, String> {
    let model = model(seed, sorts_of(seed), is_rich(seed));
    let text = model.text(seed);
    let loaded = match cubicle::load(&text) {
        Ok(loaded) => loaded,
        // A witness without values: no instance has processes of all sorts.
        Err(why) if why.to_string().contains("C0222") => {
            let none = brute_force(&model, [1, 1, 1]).states == 0;
            return if none { Ok(true) } else { Err(format!("seed {seed}: C0222\n{text}")) };
        }
        // A formula of this size may be too large.
        Err(why) if why.diagnostics.iter().all(|it| it.code == "C0504") => return Ok(false),
        Err(why) => return Err(format!("seed {seed}: refused\n{text}\n{why}")),
    };
    let printed = cubicle::words::model(&loaded.system);
    cubicle::load(&printed)
        .map_err(|why| format!("seed {seed}: the core is refused\n{text}\n{printed}\n{why}"))?;
    let (mut unsafe_in, mut compared) = (None, false);
    // A pointer that gets any value may be to a process of another sort, which is to it as no process at all.
    let any_pointer =
        |it: &Update| matches!(it, Update::Any(var) if matches!(model.vars[*var].kind, Kind::Pointer(_)));
    // A bad state that is noted is one more state.
    let chosen = model.vars.iter().any(|it| matches!(it.kind, Kind::Witness(_)));
    let exact_counts = model.watch.is_none()
        && !chosen
        && !model.transitions.iter().flat_map(|t| &t.updates).any(any_pointer);
    let end = end(&model, &loaded.system, &text, seed);
    let explored = |sizes: Sizes, right: &Found| {
        let total = sizes.iter().sum();
        // A run to each deadlock takes most of the time in large instances.
        let deadlocks = exact_counts && total <= SMALL;
        let plain = of_sizes(model.sorts, sizes).symmetry(false).undefined_cells(false).deadlock(deadlocks);
        let mut compared = false;
        for (options, exact) in [(plain, exact_counts), (of_sizes(model.sorts, sizes), false)] {
            let found =
                explore(&loaded.system, total, &options, &Interrupt::default(), &mut Silent).exploration;
            if found.stop != Stop::Complete {
                continue;
            }
            compared = true;
            if let Some(trace) = &found.unsafe_trace {
                // What is said of the end of a run.
                let _ = cubicle::load::on_violated_property(&loaded.system, &text, trace);
            }
            let bad = found.unsafe_trace.is_some();
            let counts = (found.states, found.deadlock_states);
            let wrong_deadlocks = exact && deadlocks && found.deadlock_states != right.deadlocks;
            if let (Some(end), true) = (&end, exact && deadlocks) {
                let options = options.clone().expected_end(end.clone());
                let found = explore(&loaded.system, total, &options, &Interrupt::default(), &mut Silent);
                let unexpected = found.exploration.deadlock_states;
                if unexpected != right.unexpected {
                    let right = right.unexpected;
                    return Err(format!("seed {seed}, {sizes:?}: {unexpected} ends, right: {right}\n{text}"));
                }
            }
            if bad != right.bad || exact && found.states != right.states || wrong_deadlocks {
                return Err(format!(
                    "seed {seed}, {sizes:?}: bad {bad}, states and deadlocks {counts:?}; right: {}, {}, {}\n{text}",
                    right.bad, right.states, right.deadlocks
                ));
            }
        }
        Ok(compared)
    };
    for total in 0..=SMALL {
        let (mut any, mut all_known) = (false, true);
        for sizes in divisions(model.sorts, total) {
            let right = brute_force(&model, sizes);
            if right.bad {
                unsafe_in.get_or_insert(sizes);
                any = true;
            }
            all_known &= right.complete;
            compared |= right.complete && explored(sizes, &right)?;
        }
        let all = ForwardOptions::default().max_states(MOST_STATES_OF_ALL);
        let found = explore(&loaded.system, total, &all, &Interrupt::default(), &mut Silent).exploration;
        let bad = found.unsafe_trace.is_some();
        if all_known && bad && !any || found.stop == Stop::Complete && any && !bad {
            return Err(format!("seed {seed}, {total} processes in all: bad {bad}, right is {any}\n{text}"));
        }
    }
    failures(seed, &model, &text, &loaded.system)?;
    for sizes in large(model.sorts, SMALL).into_iter().filter(|_| extent == Extent::All) {
        let right = brute_force(&model, sizes);
        if right.bad {
            unsafe_in.get_or_insert(sizes);
        }
        if right.complete {
            explored(sizes, &right)?;
        }
    }
    let engines = [
        BackwardMode::Classic,
        BackwardMode::Brab(2),
        BackwardMode::Pdr(2),
        BackwardMode::Brab(3),
        BackwardMode::Auto,
    ];
    for (at, proof) in (0..).zip(engines) {
        if extent == Extent::All || seed % 5 == at {
            proofs(seed, &text, &loaded.system, &model, unsafe_in, proof)?;
        }
    }
    Ok(compared)
}

/// What processes have at the end of a run that is expected to end.
fn end(model: &Model, system: &System, text: &str, seed: u64) -> Option<Conj> {
    let (var, phase) = model.end?;
    let formula = format!("{}[p] = {}", model.vars[var].name, PHASES[usize::from(phase)]);
    let formula = model.extended(formula, seed);
    let read =
        parse_formula(ModelSource::new(system, text), FormulaScope::Parameters(&["p"]), formula.trim());
    let read = read.unwrap_or_else(|why| panic!("{formula}: {why:?}\n{text}"));
    Some(read.0[0].cube.clone())
}

/// Processes that fail, in instances with up to three processes: they restart, where the arrays of phases that change have first values, or they crash.
fn failures(seed: u64, model: &Model, text: &str, system: &System) -> Result<(), String> {
    let instance = Instance::new(model, [0; 3]);
    let given = |var: &usize| {
        let Var { kind, index, start, .. } = &model.vars[*var];
        index.is_empty() || *kind == Kind::Phase && start.is_some()
    };
    let mut ways = Vec::new();
    if model.watch.is_none() && instance.assigned().iter().all(given) {
        ways.push(Crash::Restart);
    }
    ways.push(Crash::Stop(if seed.is_multiple_of(2) { None } else { Some(1) }));
    for crash in ways {
        let failing = match with_crashes(system, crash) {
            Ok(failing) => failing,
            // There are limits.
            Err(why) if why.message.contains("more than") => continue,
            Err(why) => return Err(format!("seed {seed}: no {crash}: {}\n{text}", why.message)),
        };
        for sizes in (0..=3).flat_map(|total| divisions(model.sorts, total)) {
            let right = brute_force_with(model, sizes, Some(crash));
            if !right.complete {
                continue;
            }
            let (options, total) = (of_sizes(model.sorts, sizes), sizes.iter().sum());
            let found = explore(&failing, total, &options, &Interrupt::default(), &mut Silent).exploration;
            let bad = found.unsafe_trace.is_some();
            if found.stop == Stop::Complete && bad != right.bad {
                let right = right.bad;
                return Err(format!("seed {seed}, {sizes:?}, {crash}: bad {bad}, right: {right}\n{text}"));
            }
        }
    }
    Ok(())
}

/// How many processes of each sort a state has.
pub fn sizes_of(system: &System, state: &Concrete) -> Sizes {
    let array = system.sort_array().expect("the model has sorts");
    let layout = Layout::new(system, state.procs);
    let mut sizes = [0; 3];
    for process in 0..state.procs {
        if let Value::Constructor(sort) = state.values[layout.position(array, [process])] {
            sizes[usize::from(sort)] += 1;
        }
    }
    sizes
}

/// Whether a proof has a certificate that the checker accepts, if there is time enough; why not.
pub fn certified(system: &System, text: &str, report: &Report) -> Result<(), String> {
    let interrupt = Interrupt::default();
    let how = CheckOptions::new(std::time::Duration::from_secs(10), &interrupt);
    let certified = certificate::certify(system, text, Claim::of(report), how);
    let plain = &Subject::default();
    let accepted = || certificate::confirm(plain, system, system, Claim::of(report), how);
    match certified.and_then(|_| accepted()) {
        Ok(_) | Err(NoCertificate::Failed(ProofFailure::Stopped(_), _)) => Ok(()),
        Err(why) => Err(certificate::explain(&why)),
    }
}

fn proofs(
    seed: u64,
    text: &str,
    system: &System,
    model: &Model,
    unsafe_in: Option<Sizes>,
    proof: BackwardMode,
) -> Result<(), String> {
    let options = small_search(proof);
    let report = check(system, &options, &Interrupt::default(), &mut Silent);
    let report = report.map_err(|why| format!("seed {seed}: internal error {why}\n{text}"))?;
    match &report.verdict {
        Some(Verdict::Safe) => {
            if let Some(sizes) = unsafe_in {
                return Err(format!("seed {seed}, {proof:?}: safe, but unsafe with {sizes:?}\n{text}"));
            }
            certified(system, text, &report)
                .map_err(|why| format!("seed {seed}, {proof:?}: not certified: {why}\n{text}"))?;
        }
        Some(Verdict::Unsafe(trace)) => {
            let _ = cubicle::load::on_violated_property(system, text, trace);
            let sizes = sizes_of(system, &trace.initial);
            let right = brute_force(model, sizes);
            if right.complete && !right.bad {
                return Err(format!("seed {seed}, {proof:?}: unsafe with {sizes:?}, but it is not\n{text}"));
            }
        }
        _ => {}
    }
    Ok(())
}

fn campaign(first: u64, count: u64, extent: Extent) {
    let compared = compared(first, count, |seed| examine(seed, extent).map(usize::from));
    assert!(compared * 2 > count, "only {compared} of {count} models were compared");
}

#[test]
fn models_with_sorts_mean_what_the_book_says() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 60), Extent::Some);
}

/// Processes without a name are in several partitions, the index of a count, or of other sorts than a cell.
#[test]
fn proofs_of_traps_are_accepted() {
    for (trap, text) in [
        ("T32", include_str!("../traps/T32.cub")),
        ("T33", include_str!("../traps/T33.cub")),
        ("T34", include_str!("../traps/T34.cub")),
    ] {
        let system = cubicle::load(text).expect("a model").system;
        let options = small_search(BackwardMode::Classic);
        let report = check(&system, &options, &Interrupt::default(), &mut Silent).expect("no internal error");
        assert_eq!(report.verdict, Some(Verdict::Safe), "{trap}");
        assert_eq!(certified(&system, text, &report), Ok(()), "{trap}");
    }
}

#[test]
#[ignore = "takes long"]
fn campaign_of_models_with_sorts() {
    campaign(
        environment("CUBICLE_DOORS_SEED", 1_000),
        environment("CUBICLE_DOORS_COUNT", 10_000),
        Extent::All,
    );
}
