//! The code of a process: for each label the transitions that lead from there to the next labels, one for each path.
//!
//! All that stands on a path is one step: its conditions are the guard, in terms of the state before the step, and its assignments
//! are made one after the other, so that a later statement reads what an earlier one has written. Where the terms do not tell which cell that is, an
//! error asks for a label in between.

use indexmap::{IndexMap, IndexSet};

use super::formulas::{has_value, quantified};
use super::make::{all, any, words_of};
use super::substitute::{apart, in_path, in_term, in_value, substituted};
use super::witnesses::sort_of;
use crate::diagnostic::{Diagnostic, Reporter, Span};
use crate::syntax::ast::{
    Comparison, Expr, ExprKind, Loc, Name, Part, Path as Place, ProcessDecl, Quantifier, Rhs, Step, StepKind,
    Term, TermKind, Transition, Update, capital,
};
use crate::syntax::{Reads, negation, unsure};

/// Where a process is that has come to the end of its code.
pub const DONE: &str = "done";

/// Most cells and names in a value.
const MOST_READS: usize = 256;

/// Most paths from one label.
const MOST_PATHS: usize = 512;

/// The code of a process, and the transitions found so far.
pub struct Code<'a> {
    process: &'a ProcessDecl,
    itself: &'a Name,
    /// The array that holds labels.
    place: &'a Name,
    /// The cells that names of own cells stand for.
    own: IndexMap<String, Term>,
    predicates: &'a IndexMap<String, Reads>,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// Whether some path comes to the end.
    pub ends: bool,
    /// The paths from each label.
    pub steps: Vec<Vec<Transition>>,
    /// Whether an error was reported since the last label.
    failed: bool,
}

/// What is executed after a block.
enum Rest<'a, 'r> {
    /// Nothing: the process has come to its end.
    Nothing,
    Then(&'a [Step], &'r Self),
    /// The label of a loop.
    Back(&'a Name),
    /// The end of the block of a `with`, after which this many names of processes are known.
    Outside(usize, &'r Self),
}

/// A write of a variable in a step.
#[derive(Clone)]
struct Write {
    target: Place,
    /// Whether it may be of any cell, or is of a queue.
    is_whole: bool,
    /// The update; `None` for a queue whose message an update of another variable receives.
    update: Option<Update>,
    at: Loc,
}

impl Write {
    /// That what its value reads has a value, and what the quantifiers say that decide it: the step needs that, also if it writes another value
    /// afterwards.
    fn needed(&self, predicates: &IndexMap<String, Reads>) -> Vec<Expr> {
        let is_quantified = |it: &str| predicates.get(it).is_some_and(|it| it.quantifiers);
        let exist =
            |value: &Term| unsure(value).into_iter().map(|it| has_value(it, self.at.0)).collect::<Vec<_>>();
        match self.update.as_ref().map(|it| &it.value) {
            Some(Rhs::Term(value)) => exist(value),
            Some(Rhs::Cases(cases)) => {
                let mut before = Vec::new();
                let mut needed = Vec::new();
                for case in cases {
                    let otherwise = before.iter().cloned().chain(case.when.as_ref().map(negation));
                    let exist = exist(&case.value);
                    if !exist.is_empty() {
                        needed.push(any(otherwise.chain([all(exist, self.at.0)]).collect(), self.at.0));
                    }
                    let decide = case.when.iter().flat_map(|it| quantified(it, &is_quantified));
                    needed.extend(decide.map(|it| any(vec![it.clone(), negation(it)], self.at.0)));
                    before.extend(case.when.clone());
                }
                needed
            }
            _ => Vec::new(),
        }
    }
}

/// A path from a label to the place that was reached.
#[derive(Clone)]
struct Path {
    label: Name,
    /// The process itself, and those that `with` chose.
    params: Vec<Name>,
    /// How many of them have a name here.
    known: usize,
    guard: Vec<Expr>,
    writes: Vec<Write>,
    /// Printed cells that have been written, and their values, in terms of the state before the step.
    values: IndexMap<String, Term>,
    branches: usize,
    end: u32,
}

impl Reporter for Code<'_> {
    fn add(&mut self, diagnostic: Diagnostic) {
        self.failed = true;
        self.diagnostics.push(diagnostic);
    }
}

impl<'a> Code<'a> {
    /// The code of a process whose labels `place` holds and whose `own` cells these arrays hold.
    pub fn new(
        process: &'a ProcessDecl,
        itself: &'a Name,
        place: &'a Name,
        own: &[(String, Name)],
        predicates: &'a IndexMap<String, Reads>,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Self {
        let cell = |array: &Name| {
            let (array, index) = (array.clone(), vec![itself.plain()]);
            Term::path(Place::cell(array, index), itself.loc)
        };
        let own = own.iter().map(|(name, array)| (name.clone(), cell(array))).collect();
        let (ends, steps, failed) = (false, Vec::new(), false);
        Self { process, itself, place, own, predicates, diagnostics, ends, steps, failed }
    }

    /// The labels of the process, with that of its end where it can come to it.
    pub fn labels(&self) -> Vec<Name> {
        let end = self.ends.then(|| Name::at(DONE, self.process.name.loc));
        self.process.labels().cloned().chain(end).collect()
    }

    /// Finds all paths.
    pub fn read(&mut self) {
        let process = self.process;
        self.declarations();
        self.structure(&process.body, true, false);
        if !self.failed {
            self.block(&process.body, &Rest::Nothing);
        }
        if let Some(label) = process.labels().find(|it| self.ends && it.text == DONE) {
            let message = format!("`{DONE}` is the end of the code");
            self.wrong(label.span(), message, "another place has this name", "choose another name");
        }
    }

    fn wrong(&mut self, at: Span, message: impl Into<String>, label: &str, help: impl Into<String>) {
        let help = help.into();
        let error = Diagnostic::error("C0721", at, message).label(label);
        let error = if help.is_empty() { error } else { error.help(help) };
        error.report(self);
    }

    /// Checks the names of labels and where own cells are declared.
    fn declarations(&mut self) {
        let process = self.process;
        let mut known: IndexMap<&str, &Name> = IndexMap::new();
        for label in process.labels() {
            if let Some(first) = known.get(label.text.as_str()) {
                let message = format!("label `{label}` stands twice in `{}`", process.name);
                Diagnostic::error("C0721", label.span(), message)
                    .label("stands again")
                    .also(first.span(), "it stands here")
                    .help("choose another name")
                    .report(self);
            } else {
                known.insert(&label.text, label);
            }
        }
        let first = process.body.iter().find(|it| !matches!(it.kind, StepKind::Local(_)));
        match first.map(|it| (&it.kind, it.loc.0)) {
            Some((StepKind::Label(_), _)) => {}
            Some((_, at)) => self.wrong(
                at,
                "code without a label",
                "no label stands before this statement",
                "all from one label to the next is one step: begin with a label, `start: ..`",
            ),
            None => {
                let help = "write a label and statements: `start: await ..; goto start`";
                self.wrong(process.name.span(), format!("`{}` has no code", process.name), "", help);
            }
        }
        for step in process.steps() {
            self.closed(step);
            if let StepKind::Goto(label) = &step.kind
                && !known.contains_key(label.text.as_str())
                && label.text != DONE
            {
                let error = Diagnostic::error("C0721", label.span(), format!("unknown label `{label}`"));
                let none = |it: Diagnostic| it.label("no label of this process has this name");
                error.did_you_mean_one_of(&label.text, known.keys().copied(), none).report(self);
            }
        }
    }

    /// Checks that no predicate has a name that is bound where it is called: what is bound may have another name in the step.
    fn closed(&mut self, step: &Step) {
        let mut reads = Reads::default();
        match &step.kind {
            StepKind::Await(it) | StepKind::If(it, ..) | StepKind::While(it, _) => reads.formula(it),
            StepKind::Assign(update) => reads.value(&update.value),
            _ => {}
        }
        for call in &reads.calls {
            let cells = self.predicates.get(&call.text).into_iter().flat_map(|it| &it.cells);
            let open: IndexSet<&str> = cells
                .filter(|(cell, bound)| !bound.contains(&cell.name.text))
                .map(|(cell, _)| cell.name.text.as_str())
                .collect();
            if let Some(name) = reads.names.iter().find(|it| open.contains(it.text.as_str())) {
                let message = format!("`{call}` is about the process that `{name}` is where it is called");
                Diagnostic::error("C0722", call.span(), message)
                    .label("which one is left open")
                    .also(name.span(), "this one, or another of that name")
                    .help(format!("give the predicate a parameter for `{name}`"))
                    .report(self);
            }
        }
    }

    /// Checks where statements stand: in the outermost block, or in that of a `with`.
    fn structure(&mut self, code: &'a [Step], outermost: bool, chosen: bool) {
        let begin = code.iter().take_while(|it| matches!(it.kind, StepKind::Local(_))).count();
        for (at, step) in code.iter().enumerate() {
            let span = step.loc.0;
            match &step.kind {
                StepKind::Local(_) if !outermost || at >= begin => {
                    let help = "move it to the beginning of the process";
                    self.wrong(span, "a local cell is declared within code", "comes too late", help);
                }
                StepKind::Label(_) if chosen => self.wrong(
                    span,
                    "a label within `with`",
                    "the process that `with` chose is known only within one step",
                    "keep it in a cell of type `proc`, `local it : proc`, and choose it again: `with q { await q = it; .. }`",
                ),
                StepKind::While(..) => {
                    let labelled = at.checked_sub(1).is_some_and(|at| matches!(code[at].kind, StepKind::Label(_)));
                    if !labelled {
                        self.wrong(
                            span,
                            "`while` without a label",
                            "a loop is not one step",
                            "write a label before it, `loop: while ..`: each round is a step of its own",
                        );
                    }
                }
                StepKind::Goto(_) => {
                    if let Some(next) = code.get(at + 1).filter(|it| !matches!(it.kind, StepKind::Label(_))) {
                        self.wrong(next.loc.0, "this is never executed", "stands after `goto`", "leave it out");
                    }
                }
                _ => {}
            }
            let chosen = chosen || matches!(step.kind, StepKind::With(..));
            step.kind.blocks().into_iter().for_each(|block| self.structure(block, false, chosen));
        }
    }

    /// Finds the paths from all labels in a block.
    fn block(&mut self, code: &'a [Step], rest: &Rest<'a, '_>) {
        for (at, step) in code.iter().enumerate() {
            let after = &code[at + 1..];
            match &step.kind {
                StepKind::Label(label) => {
                    let path = Path {
                        label: label.clone(),
                        params: vec![self.itself.clone()],
                        known: 1,
                        guard: vec![self.at(label)],
                        writes: Vec::new(),
                        values: IndexMap::new(),
                        branches: 0,
                        end: step.loc.0.end,
                    };
                    self.failed = false;
                    self.steps.push(Vec::new());
                    self.run(after, rest, path);
                    let paths = self.steps.last_mut().map(std::mem::take).unwrap_or_default();
                    let end = paths.iter().map(|it| it.loc.0.end).max().unwrap_or(step.loc.0.end);
                    let whole = Loc(step.loc.0.to(Span::new(end, end)));
                    let paths = paths.into_iter().map(|it| Transition { loc: whole, ..it }).collect();
                    self.steps.pop();
                    self.steps.push(paths);
                }
                StepKind::While(_, body) => {
                    let label = at.checked_sub(1).map(|at| &code[at].kind);
                    if let Some(StepKind::Label(label)) = label {
                        self.block(body, &Rest::Back(label));
                    }
                }
                StepKind::With(..) => {}
                kind => {
                    let rest = Rest::Then(after, rest);
                    kind.blocks().into_iter().for_each(|block| self.block(block, &rest));
                }
            }
        }
    }

    /// That the process is at a label.
    fn at(&self, label: &Name) -> Expr {
        let index = vec![Name { loc: label.loc, ..self.itself.plain() }];
        let cell = Term::path(Place::cell(Name::at(&self.place.text, label.loc), index), label.loc);
        Expr::compare(cell, Comparison::Eq, Term::named(capital(&label.text), label.loc), label.span())
    }

    /// Follows code to the next label.
    fn run(&mut self, code: &'a [Step], rest: &Rest<'a, '_>, mut path: Path) {
        for (at, step) in code.iter().enumerate() {
            if self.failed {
                return;
            }
            let after = Rest::Then(&code[at + 1..], rest);
            path.end = path.end.max(step.loc.0.end);
            match &step.kind {
                StepKind::Label(label) => return self.finish(path, label),
                StepKind::Goto(label) => {
                    self.ends |= label.text == DONE;
                    return self.finish(path, label);
                }
                StepKind::Skip | StepKind::Local(_) => {}
                StepKind::Await(when) => {
                    let Some(when) = self.formula(&path, when) else { return };
                    path.guard.push(when);
                }
                StepKind::Assign(update) => {
                    if self.assign(&mut path, update).is_none() {
                        return;
                    }
                }
                StepKind::If(when, yes, no) => {
                    let Some(when) = self.formula(&path, when) else { return };
                    let not = Expr { parenthesised: true, ..negation(&when) };
                    for (condition, block) in [(when, yes), (not, no)] {
                        self.branch(block, &after, &path, Some(condition));
                    }
                    return;
                }
                StepKind::While(when, body) => {
                    let Some(when) = self.formula(&path, when) else { return };
                    let not = Expr { parenthesised: true, ..negation(&when) };
                    let label = path.label.clone();
                    let own = self.process.labels().find(|it| it.text == label.text);
                    if let Some(label) = own {
                        self.branch(body, &Rest::Back(label), &path, Some(when));
                    }
                    self.branch(&[], &after, &path, Some(not));
                    return;
                }
                StepKind::Either(ways) => {
                    for way in ways {
                        self.branch(way, &after, &path, None);
                    }
                    return;
                }
                StepKind::With(name, body) => {
                    let known = path.known;
                    if self.choose(&mut path, name).is_some() {
                        self.branch(body, &Rest::Outside(known, &after), &path, None);
                    }
                    return;
                }
            }
        }
        match rest {
            Rest::Nothing => {
                self.ends = true;
                self.finish(path, &Name::at(DONE, self.process.name.loc));
            }
            Rest::Then(code, rest) => self.run(code, rest, path),
            Rest::Back(label) => self.finish(path, label),
            Rest::Outside(known, rest) => {
                path.known = *known;
                self.run(&[], rest, path);
            }
        }
    }

    /// Follows one of several blocks.
    fn branch(&mut self, code: &'a [Step], rest: &Rest<'a, '_>, path: &Path, condition: Option<Expr>) {
        let mut path = path.clone();
        path.guard.extend(condition);
        path.branches += 1;
        // A path with as many branches is one of more paths than that.
        let found = self.steps.last().map_or(0, Vec::len);
        if path.branches > MOST_PATHS || found >= MOST_PATHS {
            let message =
                format!("more than {MOST_PATHS} paths lead from `{}` to the next labels", path.label);
            Diagnostic::error("C0506", path.label.span(), message)
                .label("each is a transition")
                .help("write labels in between")
                .report(self);
            return;
        }
        self.run(code, rest, path);
    }

    /// Chooses another process, which has this name from here on.
    fn choose(&mut self, path: &mut Path, name: &Name) -> Option<()> {
        if path.known < path.params.len() {
            return Diagnostic::error("C0722", name.span(), "two `with` in one step, one after the other")
                .label("whether this is the process that the first one chose is left open")
                .help("write a label in between, or one `with` in the other")
                .refuse(self);
        }
        if path.params.iter().any(|it| it.text == name.text) || self.own.contains_key(&name.text) {
            self.wrong(name.span(), format!("`{name}` is already a name here"), "", "choose another name");
            return None;
        }
        // What was said of others before includes this process.
        let mut found = Reads::default();
        path.guard.iter().for_each(|it| found.formula(it));
        path.writes.iter().filter_map(|it| it.update.as_ref()).for_each(|it| found.value(&it.value));
        let called = found.calls.iter().find(|it| self.predicates.get(&it.text).is_some_and(|it| it.others));
        let is_each = |it: &Update| matches!(it.each, Some((Quantifier::ForallOther, _)));
        let each = path.writes.iter().find(|it| it.update.as_ref().is_some_and(is_each));
        let place = called.map(Name::span).or(each.map(|it| it.at.0));
        if let Some(at) = place {
            return Diagnostic::error("C0722", name.span(), "`with` after a statement about all others")
                .label("that statement is about this process as well")
                .also(at, "it says something of all others")
                .help("write a label in between, or use `forall`, which leaves no process out")
                .refuse(self);
        }
        for when in &mut path.guard {
            *when = others_named(when, &path.params, std::slice::from_ref(name));
        }
        for update in path.writes.iter_mut().filter_map(|it| it.update.as_mut()) {
            if let Rhs::Cases(cases) = &mut update.value {
                for when in cases.iter_mut().filter_map(|it| it.when.as_mut()) {
                    *when = others_named(when, &path.params, std::slice::from_ref(name));
                }
            }
        }
        path.params.push(name.clone());
        path.known += 1;
        Some(())
    }

    /// A formula at this place, in terms of the state before the step.
    fn formula(&mut self, path: &Path, formula: &Expr) -> Option<Expr> {
        let formula = substituted(formula, &self.own);
        let mut reads = Reads::default();
        reads.formula(&formula);
        self.readable(path, &reads)?;
        let formula = substituted(&formula, &path.values);
        Some(of_known(path, formula))
    }

    /// Checks that the values of all that is read are known.
    fn readable(&mut self, path: &Path, reads: &Reads) -> Option<()> {
        let gone = path.params[path.known..].iter().map(|it| it.text.as_str());
        let gone: IndexSet<&str> = gone.collect();
        for (cell, bound) in &reads.cells {
            let names = index_names(cell).chain((cell.index.is_none()).then_some(&cell.name));
            if let Some(name) =
                names.clone().find(|it| gone.contains(it.text.as_str()) && !bound.contains(&it.text))
            {
                return Diagnostic::error("C0105", name.span(), format!("unknown process `{name}`"))
                    .label(format!("`with {name}` is the block before"))
                    .help("move the statement into the block")
                    .refuse(self);
            }
            for write in path.writes.iter().filter(|it| it.target.name.text == cell.name.text) {
                let mut index = Reads::default();
                cell.index.iter().flatten().for_each(|it| index.term(it));
                let moved = |it: &str| path.writes.iter().any(|write| write.target.name.text == it);
                let is_bound = index_names(cell).any(|it| bound.contains(&it.text))
                    || index.cells.iter().any(|it| moved(&it.0.name.text));
                // Itself, or a field of a record.
                let rest = cell.to_string().strip_prefix(&write.target.to_string()).map(str::to_owned);
                let is_in = rest.is_some_and(|it| it.is_empty() || it.starts_with('.'));
                let same = is_in && !is_bound && !write.is_whole;
                if same && cell.has_cell() && path.values.contains_key(&write.target.to_string())
                    || !write.is_whole && !is_bound && surely_differ(path, cell, &write.target)
                {
                    continue;
                }
                let label = if same && !cell.has_cell() {
                    "nothing was written where its index does not hold a process"
                } else if same {
                    "it has one of several values here"
                } else {
                    "whether this is the cell that was written is left open"
                };
                let message = format!("`{cell}` is read after `{}` was written", write.target);
                return Diagnostic::error("C0722", cell.loc.0, message)
                    .label(label)
                    .also(write.at.0, "written in the same step")
                    .help("write a label in between, or read it first")
                    .refuse(self);
            }
        }
        for call in &reads.calls {
            let Some(inner) = self.predicates.get(&call.text) else { continue };
            if inner.others && path.known < path.params.len() {
                return Diagnostic::error("C0722", call.span(), format!("`{call}` after `with` in one step"))
                    .label("it is about the process that was chosen as well")
                    .help("write a label in between, or the formula of the predicate")
                    .refuse(self);
            }
            let written =
                |write: &&Write| inner.cells.iter().any(|it| it.0.name.text == write.target.name.text);
            if let Some(write) = path.writes.iter().find(written) {
                let at = write.at.0;
                let message = format!("`{call}` reads `{}`, which was written", write.target.name);
                return Diagnostic::error("C0722", call.span(), message)
                    .label("a predicate reads the state before the step")
                    .also(at, "written in the same step")
                    .help("write a label in between, or the formula of the predicate")
                    .refuse(self);
            }
        }
        Some(())
    }

    /// An assignment, or another update.
    fn assign(&mut self, path: &mut Path, update: &Update) -> Option<()> {
        let at = update.loc;
        let target = in_path(update.target.clone(), &self.own);
        let mut reads = Reads::default();
        let bound: Vec<Name> = match (&update.each, &update.value) {
            (Some((_, vars)), _) => vars.clone(),
            // The names that a `case` binds.
            (None, Rhs::Cases(_)) => {
                let own = |it: &&Name| !path.params.iter().any(|param| param.text == it.text);
                index_names(&target).filter(own).filter(|it| it.is_small()).cloned().collect()
            }
            _ => Vec::new(),
        };
        let value = in_value(&update.value, &self.own);
        for index in target.index.iter().flatten() {
            reads.term(index);
        }
        reads.value(&value);
        for (_, inner) in &mut reads.cells {
            inner.extend(bound.iter().map(|it| it.text.clone()));
        }
        self.readable(path, &reads)?;
        let index = target.index.map(|index| index.iter().map(|it| in_term(it, &path.values)).collect());
        let target = Place { index, ..target };
        let mut value = in_value(&value, &path.values);
        if let Rhs::Cases(cases) = &mut value {
            for when in cases.iter_mut().filter_map(|it| it.when.as_mut()) {
                *when = of_known(path, when.clone());
            }
        }
        if let (Some((Quantifier::ForallOther, _)), true) = (&update.each, path.known < path.params.len()) {
            return Diagnostic::error("C0722", at.0, "`forall_other` after `with` in one step")
                .label("the process that was chosen is one of the others here")
                .help("write a label in between")
                .refuse(self);
        }
        let mut size = Reads::default();
        size.value(&value);
        if size.cells.len() > MOST_READS {
            let message = format!(
                "the value of `{target}` has more than {MOST_READS} parts in terms of the state before the step"
            );
            return Diagnostic::error("C0722", at.0, message)
                .label("it is made of values that were assigned before")
                .help("write a label in between")
                .refuse(self);
        }
        let own = Update { each: update.each.clone(), ..Update::new(target.clone(), value.clone(), at) };
        let is_queue = matches!(value, Rhs::Send(_) | Rhs::Drop);
        let of_target =
            Write { target: target.clone(), is_whole: is_queue || !bound.is_empty(), update: Some(own), at };
        let received = if let Rhs::Receive(channel) = &value { Some((**channel).clone()) } else { None };
        let of_queue = received.map(|target| Write { target, is_whole: true, update: None, at });
        for write in std::iter::once(of_target).chain(of_queue) {
            self.write(path, write)?;
        }
        if let (Rhs::Term(term), true) = (&value, bound.is_empty()) {
            path.values.insert(target.to_string(), term.clone());
        }
        Some(())
    }

    /// Makes a write, in place of one of the same cell.
    fn write(&mut self, path: &mut Path, write: Write) -> Option<()> {
        self.apart_from_all(path, &write)?;
        let key = write.target.to_string();
        let (earlier, kept): (Vec<_>, Vec<_>) =
            path.writes.drain(..).partition(|it| it.target.to_string() == key);
        path.writes = kept;
        path.guard.extend(earlier.iter().flat_map(|it| it.needed(self.predicates)));
        path.values.shift_remove(&key);
        path.writes.push(write);
        Some(())
    }

    /// Checks that a write is of another cell than all before it, or of the same as one.
    fn apart_from_all(&mut self, path: &Path, write: &Write) -> Option<()> {
        let of_name = |it: &&Write| it.target.name.text == write.target.name.text;
        let unclear = path.writes.iter().filter(of_name).find(|earlier| {
            let whole = earlier.is_whole || write.is_whole;
            whole
                || earlier.target.to_string() != write.target.to_string()
                    && !surely_differ(path, &earlier.target, &write.target)
                || earlier.update.as_ref().is_some_and(|it| matches!(it.value, Rhs::Receive(_)))
        });
        let Some(other) = unclear else { return Some(()) };
        let at = other.at.0;
        let message = format!("`{}` may be written twice in one step", write.target.name);
        Diagnostic::error("C0722", write.at.0, message)
            .label("this may write the same cell")
            .also(at, "as this does")
            .help("write a label in between")
            .refuse(self)
    }

    /// A path that ends at a label.
    fn finish(&mut self, mut path: Path, next: &Name) {
        let loc = Loc(Span::new(path.end, path.end));
        let place = Place::cell(Name::at(&self.place.text, next.loc), vec![self.itself.plain()]);
        let target = Place { loc, ..place };
        let update =
            Update::new(target.clone(), Rhs::Term(Term::named(capital(&next.text), next.loc)), next.loc);
        let write = Write { target, is_whole: false, update: Some(update), at: next.loc };
        if self.write(&mut path, write).is_none() {
            return;
        }
        // Where the process stays, what was assigned before does not hold either.
        if next.text == path.label.text {
            path.writes.pop();
        }
        let transition = Transition {
            name: path.label.clone(),
            params: path.params,
            requires: Some(all(path.guard, path.label.span())),
            lets: Vec::new(),
            updates: path.writes.into_iter().filter_map(|it| it.update).collect(),
            part: Part::Whole,
            loc: Loc(path.label.span().to(Span::new(path.end, path.end))),
        };
        if let Some(paths) = self.steps.last_mut() {
            paths.push(transition);
        }
    }
}

/// What is said of all others leaves out those that have a name here.
fn of_known(path: &Path, formula: Expr) -> Expr {
    let (known, gone) = path.params.split_at(path.known);
    if gone.is_empty() { formula } else { others_named(&formula, known, gone) }
}

/// The names among the indices of a cell.
fn index_names(cell: &Place) -> impl Iterator<Item = &Name> + Clone {
    cell.index.iter().flatten().filter_map(Term::alone)
}

/// Whether two places of a variable surely are different cells.
fn surely_differ(path: &Path, a: &Place, b: &Place) -> bool {
    let process =
        |it: &Term| it.alone().is_some_and(|name| path.params.iter().any(|param| param.text == name.text));
    let number = |it: &Term| matches!(it.kind, TermKind::Number(_));
    let differ = |a: &Term, b: &Term| a != b && (process(a) && process(b) || number(a) && number(b));
    let mut pairs = a.index.iter().flatten().zip(b.index.iter().flatten());
    let mut fields = a.fields.iter().zip(&b.fields);
    pairs.any(|(a, b)| differ(a, b)) || fields.any(|(a, b)| a.text != b.text)
}

/// A formula that says the same of all processes but these, without `forall_other` and `exists_other`: it means that whatever the parameters are.
/// The further ones have no name in it, though parameters of the step.
fn others_named(formula: &Expr, params: &[Name], further: &[Name]) -> Expr {
    let ExprKind::Quantified { quantifier, vars, body } = &formula.kind else {
        return formula.with_operands(&mut |it| others_named(it, params, further));
    };
    let at = formula.span;
    // The names of these processes may be hidden here.
    let taken = params.iter().chain(further).map(|it| it.text.clone()).collect();
    let (vars, renamed) = apart(vars, &taken, words_of(body));
    let body = substituted(body, &renamed);
    let inner: Vec<Name> = params.iter().chain(&vars).cloned().collect();
    let body = others_named(&body, &inner, further);
    let among = |op| {
        let pairs = vars.iter().flat_map(|var| params.iter().map(move |param| (var, param)));
        let pairs = pairs.filter(|(var, param)| sort_of(var).text == sort_of(param).text);
        let compared = pairs
            .map(|(var, param)| Expr::compare(Term::name(var.plain()), op, Term::name(param.plain()), at));
        compared.collect::<Vec<_>>()
    };
    let (quantifier, body) = match quantifier {
        Quantifier::ForallOther => {
            let parts = among(Comparison::Eq).into_iter().chain([body]).collect();
            (Quantifier::Forall, any(parts, at))
        }
        Quantifier::ExistsOther => {
            let parts = among(Comparison::Ne).into_iter().chain([body]).collect();
            (Quantifier::Exists, all(parts, at))
        }
        kept => (*kept, body),
    };
    formula.rebuilt(ExprKind::Quantified { quantifier, vars, body: Box::new(body) })
}
