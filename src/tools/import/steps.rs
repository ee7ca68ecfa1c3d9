//! Transitions: from a formula about two states to guards and updates.
//!
//! 1. Alternatives become transitions of their own ([`alternatives`](super::alternatives)).
//! 2. A constant whose new value no equation gives is a parameter: the rest of the formula says which values it may have. Parameters and new
//!    values of an enumeration are cases: a step for each value.
//! 3. What the formula says about the new values of relations and functions is read as [`equations`](super::equations). A cell that no
//!    equation is about gets any value: where that is one cell, a relation is true in one copy and false in another, and a function
//!    gets a parameter, or each value in a copy; where it is a region of cells, there are steps of their own ([`loose`](super::loose)).
//! 4. What else is said about the new state is a guard: new values are replaced by what they are.
//!    What it says for all elements by another one is noted by steps of its own ([`notes`](super::notes)).
//! 5. Terms that are arguments of others get names: parameters that equal them. Functions are total, so that there always is one.
//! 6. What is said of all elements of a sort is said where there is one.
//! 7. A copy for each way in which parameters may coincide ([`ways`](super::ways)).

use std::collections::BTreeSet;

use cubicle_lang::diagnostic::{Diagnostic, Span};

use super::alternatives::{MAX_ALTERNATIVES, alternatives, flat};
use super::decide::is_false;
use super::enumerations::Case;
use super::equations::{Branch, Equation, cases, conflict, equations, uncovered};
use super::formula::{App, Formula, SortId, SymbolId, Term, VarId, variables};
use super::resolve::Part;
use super::step::{Region, Step, Update, Witness};
use super::symbols::{Symbols, Vars};
use super::tree::{Definition, Made, refuse};
use super::universals::{MAX_BOUND, alternates, is_noted, widest};
use super::ways::{Facts, MAX_WAYS, argument, flattened, named, ways};

/// The most cases of the new value of one symbol in one step.
const MAX_BRANCHES: usize = 64;

/// What the steps of one transition are made from.
pub(super) struct Steps<'s, 'f> {
    pub symbols: &'s Symbols<'f>,
    pub vars: &'s mut Vars,
    pub facts: &'s Facts,
    /// What exists for all elements of some sorts.
    pub witnesses: &'s [Witness],
}

impl Steps<'_, '_> {
    /// The transitions that a definition stands for; their parameters may still coincide.
    ///
    /// # Errors
    /// The formula does not define the new state; it has quantifiers that the language does not have; too many copies.
    pub fn of(&mut self, definition: &Definition, case: Case) -> Made<Vec<Step>> {
        let Case { params, parts, remark } = case;
        let modified = self.symbols.modified(definition)?;
        for part in &parts {
            let other = part.formula.symbols().into_iter().find(|(id, new)| *new && !modified.contains(id));
            if let Some((id, _)) = other {
                let name = &self.symbols.get(id).name;
                let what = format!("`{name}` has a new value, but is not in `modifies`");
                return refuse("C0712", part.span, what);
            }
        }
        let Some(alternatives) = alternatives(parts) else {
            let what =
                format!("`{}` stands for more than {MAX_ALTERNATIVES} transitions", definition.name.text);
            return refuse("C0715", definition.name.span, what);
        };
        let mut all = Vec::new();
        for parts in alternatives {
            let old = parts.iter().map(|it| &it.formula).filter(|it| is_plain(it)).cloned();
            if is_false(&Formula::and(old), &[]) {
                continue;
            }
            let step = Step::new(&definition.name.text, definition.name.span, &remark, params.clone());
            all.extend(self.alternative(step, &modified, parts)?);
        }
        for step in &mut all {
            self.guards(step)?;
        }
        Ok(all)
    }

    /// Names and elements that a step needs once all its guards are known.
    ///
    /// # Errors
    /// The language cannot say what it does.
    pub fn complete(&mut self, step: &mut Step) -> Made<()> {
        self.names(step)?;
        self.populate(step);
        Ok(())
    }

    /// A variable for a value of a term.
    fn fresh(&mut self, term: &Term) -> VarId {
        fresh(self.symbols, self.vars, term)
    }

    /// The steps of one alternative, with all that is said of the old state in the guard.
    fn alternative(&mut self, step: Step, modified: &[SymbolId], parts: Vec<Part>) -> Made<Vec<Step>> {
        let mut open = vec![(step, parts)];
        for &id in modified {
            if self.symbols.get(id).args.is_empty() && self.symbols.get(id).result.is_some() {
                open = open.into_iter().flat_map(|(step, parts)| self.constant(id, step, parts)).collect();
                few(open.iter().map(|it| &it.0))?;
            }
        }
        let mut all = Vec::new();
        for (step, parts) in open {
            all.extend(self.cells(step, modified, parts)?);
            few(all.iter())?;
        }
        Ok(all)
    }

    /// The steps of one alternative in which constants have their new values.
    fn cells(&mut self, step: Step, modified: &[SymbolId], parts: Vec<Part>) -> Made<Vec<Step>> {
        let mut step = step;
        let mut found: Vec<Equation> = Vec::new();
        let mut others = Vec::new();
        for part in flat(parts) {
            if !part.formula.is_new() {
                step.guard.push(part);
            } else if let Some(more) = equations(&part.formula, part.span) {
                found.extend(more);
            } else {
                others.push(part);
            }
        }
        let mut steps = vec![step];
        for &id in modified {
            let symbol = self.symbols.get(id);
            if symbol.args.is_empty() && symbol.result.is_some() {
                continue;
            }
            let about: Vec<&Equation> = found.iter().filter(|it| it.symbol == id).collect();
            let mut next = Vec::new();
            for step in steps {
                next.extend(self.update(step, id, &about)?);
            }
            steps = next;
            few(steps.iter())?;
        }
        for step in &mut steps {
            for part in &others {
                let formula = self.old(&part.formula, step, part.span)?;
                step.guard.push(Part { formula, span: part.span });
            }
            step.guard = flat(std::mem::take(&mut step.guard));
        }
        Ok(steps)
    }

    /// The new value of a constant: what an equation says, or a parameter, or each value of an enumeration.
    fn constant(&mut self, id: SymbolId, step: Step, mut parts: Vec<Part>) -> Vec<(Step, Vec<Part>)> {
        let new = Term::App(App { symbol: id, args: Vec::new(), new: true });
        let given = parts.iter().position(|part| match &part.formula {
            Formula::Equal(sides) => (0..2).any(|at| sides[at] == new && !sides[1 - at].is_new()),
            _ => false,
        });
        let span = given.map_or(step.span, |at| parts[at].span);
        let mut param = None;
        let mut values: Vec<Term> = match given.map(|at| parts.remove(at).formula) {
            Some(Formula::Equal(sides)) => {
                let [left, right] = *sides;
                vec![if left == new { right } else { left }]
            }
            _ => {
                self.enumerated(id).map_or_else(Vec::new, |it| it.iter().map(|it| Term::Value(*it)).collect())
            }
        };
        let chosen = values.len() > 1;
        if values.is_empty() {
            let var = self.fresh(&new);
            param = Some(var);
            values.push(Term::Var(var));
        }
        let with = |value: Term| {
            let (mut step, mut parts) = (step.clone(), parts.clone());
            step.params.extend(param);
            for part in &mut parts {
                part.formula = part.formula.map(&mut |it| if it == new { value.clone() } else { it });
            }
            if let (true, Term::Value(value)) = (chosen, &value) {
                step.remark = joined(&step.remark, &self.becomes(id, *value, ""));
            }
            let mut branches = Vec::new();
            cases(&value, &Formula::TRUE, span, &mut branches);
            step.updates.push(Update { symbol: id, cell: Vec::new(), branches, rest: false });
            (step, parts)
        };
        values.into_iter().map(with).collect()
    }

    /// The values of the sort of a function, if that is an enumeration.
    fn enumerated(&self, id: SymbolId) -> Option<&[SymbolId]> {
        self.symbols.values(self.symbols.get(id).result?)
    }

    /// What a step makes of a symbol, as a remark.
    fn becomes(&self, id: SymbolId, value: SymbolId, place: &str) -> String {
        format!("`{}` becomes {}{place}", self.symbols.get(id).name, self.symbols.get(value).name)
    }

    /// The step with an update of one symbol, by all that is said about it; two where a cell of a relation gets any value.
    fn update(&mut self, step: Step, id: SymbolId, about: &[&Equation]) -> Made<Vec<Step>> {
        let symbol = self.symbols.get(id);
        let span = about.first().map_or(step.span, |it| it.span);
        let cell: Vec<VarId> =
            symbol.args.iter().map(|sort| element(self.symbols, self.vars, *sort, symbol.span)).collect();
        let mut branches = Vec::new();
        for equation in about {
            branches.extend(equation.about(&cell).map_err(|var| {
                let name = self.vars.name(var);
                let what =
                    format!("no argument of `{}` determines `{name}`, and its value does", symbol.name);
                Box::new(Diagnostic::error("C0713", equation.span, what))
            })?);
        }
        if branches.len() > MAX_BRANCHES {
            let what = format!("more than {MAX_BRANCHES} cases of a new value of `{}`", symbol.name);
            return refuse("C0715", span, what);
        }
        let guard = Formula::and(step.guard.iter().map(|it| it.formula.clone()).filter(is_plain));
        let excluded = |condition: Formula| {
            self.facts.exclude(&Formula::and([condition, guard.clone()]), &cell, self.vars, &[])
        };
        if let Some((one, other)) = conflict(&branches, &excluded) {
            let what = format!("two new values of one cell of `{}`", symbol.name);
            let error = Diagnostic::error("C0713", other.span, what).also(one.span, "the other one");
            let help = "make the conditions exclude each other, or say in the formula what differs";
            return Err(Box::new(error.help(help)));
        }
        let Some(open) = uncovered(&branches, &excluded) else {
            // Cells that keep their value are the rest.
            let own = App::old(id, variables(&cell));
            let keeps =
                |it: &Branch| matches!(&it.value, Formula::Is(app) | Formula::App(app) if *app == own);
            let rest = branches.iter().any(keeps);
            branches.retain(|it| !keeps(it));
            return Ok(vec![with(step, Update { symbol: id, cell, branches, rest })]);
        };
        if !is_one_cell(&open, &cell) {
            let region = Region { symbol: id, cell: cell.clone(), condition: open };
            if region.is_fixed(self.symbols) {
                let mut step = with(step, Update { symbol: id, cell, branches, rest: true });
                step.open.push(region);
                return Ok(vec![step]);
            }
            let what = format!("the new values of several cells of `{}` are not said", symbol.name);
            let help = "say what they are: `new(..) <-> ..` for all cells";
            return Err(Box::new(Diagnostic::error("C0713", span, what).help(help)));
        }
        let value = |value: Formula| Branch { condition: open.clone(), value, span };
        let mut all = Vec::new();
        if let Some(values) = self.enumerated(id) {
            for one in values {
                let mut step = step.clone();
                step.remark = joined(&step.remark, &self.becomes(id, *one, " at one place"));
                let branches = branches.iter().cloned().chain([value(Term::Value(*one))]).collect();
                all.push(with(step, Update { symbol: id, cell: cell.clone(), branches, rest: false }));
            }
        } else if symbol.result.is_some() {
            let param = self.fresh(&Term::App(App { symbol: id, args: variables(&cell), new: true }));
            let mut step = step;
            step.params.push(param);
            branches.push(value(Term::Var(param)));
            all.push(with(step, Update { symbol: id, cell, branches, rest: false }));
        } else {
            for truth in [Formula::TRUE, Formula::FALSE] {
                let mut step = step.clone();
                let word = if truth == Formula::TRUE { "becomes true" } else { "becomes false" };
                step.remark = joined(&step.remark, &format!("`{}` {word} at one place", symbol.name));
                let branches = branches.iter().cloned().chain([value(truth)]).collect();
                all.push(with(step, Update { symbol: id, cell: cell.clone(), branches, rest: false }));
            }
        }
        Ok(all)
    }

    /// A formula about the new state as one about the old state.
    fn old(&self, formula: &Formula, step: &Step, span: Span) -> Made<Formula> {
        let mut formula = formula.clone();
        // A value may be about other new values, but those are about the old state only.
        while formula.is_new() {
            let open = |(id, new): &(SymbolId, bool)| *new && step.open.iter().any(|it| it.symbol == *id);
            if let Some((id, _)) = formula.symbols().iter().find(|it| open(it)) {
                let name = &self.symbols.get(*id).name;
                let what = format!("the new values of several cells of `{name}` are only related to others");
                let help = "say what they are: `new(..) <-> ..` for all cells";
                return Err(Box::new(Diagnostic::error("C0713", span, what).help(help)));
            }
            let terms = formula.map(&mut |term| match &term {
                Term::App(app) if app.new && !app.args.iter().any(Term::is_new) => {
                    let update = step.updates.iter().find(|it| it.symbol == app.symbol);
                    update.and_then(|it| it.term(&app.args)).unwrap_or(term)
                }
                _ => term,
            });
            let next = terms.map_literals(&mut |literal| match literal {
                Formula::Is(app) if app.new && !app.args.iter().any(Term::is_new) => {
                    step.updates.iter().find(|it| it.symbol == app.symbol).map(|it| it.truth(&app.args))
                }
                _ => None,
            });
            if next == formula || next.size() > super::resolve::MAX_PARTS {
                let what = "this does not define the new state";
                let help = "state each new value by itself: `new(r(X)) <-> ..`, `new(c) = ..`";
                return Err(Box::new(Diagnostic::error("C0713", span, what).help(help)));
            }
            formula = next;
        }
        Ok(formula)
    }

    /// Makes guards that the language has: a parameter for what exists such that all of something hold.
    ///
    /// # Errors
    /// The language does not have one of them.
    pub fn guards(&mut self, step: &mut Step) -> Made<()> {
        let mut open = flat(std::mem::take(&mut step.guard));
        open.reverse();
        while let Some(Part { formula, span }) = open.pop() {
            match formula {
                Formula::Each { universal: false, vars, body } if body.has(true) => {
                    // Another quantifier may bind the same variables elsewhere.
                    let (copies, formula) = self.vars.renewed(&vars, &body);
                    step.params.extend(copies);
                    let mut parts = flat(vec![Part { formula, span }]);
                    parts.reverse();
                    open.extend(parts);
                }
                formula if is_noted(&formula) => step.deferred.push(Part { formula, span }),
                formula => {
                    if alternates(&formula, None) {
                        let what = "within a disjunction, there is an element such that all ..: a guard that is not supported";
                        return refuse("C0714", span, what);
                    }
                    step.guard.push(Part { formula, span });
                }
            }
        }
        Ok(())
    }

    /// Gives names to the terms that are arguments.
    fn names(&mut self, step: &mut Step) -> Made<()> {
        for update in &mut step.updates {
            let Update { cell, branches, .. } = update;
            for branch in branches {
                branch.condition = branch.condition.normal().propagated(cell);
                if !branch.value.is_term() {
                    branch.value = branch.value.normal().propagated(cell);
                }
            }
        }
        loop {
            let of_params = |term: &Term| term.free().iter().any(|it| !step.params.contains(it));
            // A cell of an enumerated type has a value in any case.
            let has_values =
                |term: &Term| matches!(term, Term::App(app) if self.enumerated(app.symbol).is_some());
            let in_guard = step.guard.iter().find_map(|it| argument(&it.formula, &of_params));
            let found = in_guard.or_else(|| {
                step.updates.iter().find_map(|update| {
                    update.branches.iter().find_map(|branch| {
                        argument(&branch.condition, &of_params)
                            .or_else(|| argument(&update.stated(branch), &of_params))
                            .or_else(|| compared(branch, &|term| of_params(term) || has_values(term)))
                    })
                })
            });
            let Some(term) = found else { break };
            let var = self.fresh(&term);
            for part in &mut step.guard {
                part.formula = named(&part.formula, &term, var);
            }
            for branch in step.updates.iter_mut().flat_map(|it| &mut it.branches) {
                branch.condition = named(&branch.condition, &term, var);
                branch.value = named(&branch.value, &term, var);
            }
            step.params.push(var);
            let formula = Formula::equal(Term::Var(var), term);
            step.guard.push(Part { formula, span: step.span });
        }
        // What is left is about bound variables.
        for part in &mut step.guard {
            let span = part.span;
            part.formula = bound_names(&part.formula, None, &mut |term| fresh(self.symbols, self.vars, term));
            let widest = widest(&part.formula);
            if widest > MAX_BOUND {
                let what =
                    format!("a guard about {widest} elements at once; at most {MAX_BOUND} are supported");
                return refuse("C0715", span, what);
            }
        }
        for update in &step.updates {
            for branch in &update.branches {
                let left = argument(&branch.condition, &|_| false)
                    .or_else(|| argument(&update.stated(branch), &|_| false));
                let quantified =
                    [&branch.condition, &update.stated(branch)].iter().any(|it| depends(it, &update.cell));
                if left.is_some() || quantified {
                    let name = &self.symbols.get(update.symbol).name;
                    let what = if quantified {
                        format!(
                            "the new value of a cell of `{name}` depends on all elements, or on whether there is one"
                        )
                    } else {
                        format!(
                            "the new value of a cell of `{name}` needs the value of a function of that cell as an argument"
                        )
                    };
                    return refuse("C0714", branch.span, what);
                }
            }
        }
        Ok(())
    }

    /// Gives the step a parameter of each sort of which it says something of all elements, or those with which a witness shows that there
    /// is one, if it has some of these already: a member of a quorum may be known by another quorum.
    fn populate(&mut self, step: &mut Step) {
        let conditions = step.updates.iter().flat_map(|it| &it.branches).map(|it| &it.condition);
        let formulas = step.guard.iter().map(|it| &it.formula).chain(conditions);
        for sort in unshown_sorts(formulas, &step.params, self.vars) {
            let has = |sort: SortId| step.params.iter().any(|it| self.vars.known(*it) == sort);
            // What lacks for a witness of what there is to show that there is one.
            let lacking = |it: &Witness| {
                let of: Vec<SortId> = it.params.iter().map(|it| self.vars.known(*it)).collect();
                let mut lacking: Vec<SortId> = of.iter().copied().filter(|it| !has(*it)).collect();
                lacking.dedup();
                (self.vars.known(it.value) == sort && of.iter().any(|it| has(*it))).then_some(lacking)
            };
            let fewest = self.witnesses.iter().filter_map(lacking).min_by_key(Vec::len);
            for sort in fewest.unwrap_or_else(|| vec![sort]) {
                step.params.push(element(self.symbols, self.vars, sort, step.span));
            }
        }
    }

    /// A copy for each way in which parameters coincide.
    ///
    /// # Errors
    /// There are too many.
    pub fn copies(&self, step: &Step) -> Made<Vec<Step>> {
        let Some(ways) = ways(&step.params, self.vars) else {
            let what = format!("the parameters of `{}` coincide in more than {MAX_WAYS} ways", step.name);
            return refuse("C0715", step.span, what);
        };
        let mut all = Vec::new();
        for way in ways {
            let mut copy = step.clone();
            for part in &mut copy.guard {
                part.formula = way.of(&part.formula);
            }
            if way.excluded_by(copy.guard.iter().map(|it| &it.formula), self.facts, self.vars) {
                continue;
            }
            let mut said: Vec<Formula> = vec![Formula::TRUE];
            copy.guard.retain(|part| {
                let new = !said.contains(&part.formula);
                said.push(part.formula.clone());
                new
            });
            for branch in copy.updates.iter_mut().flat_map(|it| &mut it.branches) {
                branch.condition = way.of(&branch.condition);
                branch.value = way.of(&branch.value);
            }
            copy.params = way.params();
            copy.remark = joined(&step.remark, &way.remark(self.vars));
            all.push(copy);
        }
        Ok(all)
    }
}

/// Checks that these are not too many steps of one transition.
fn few<'a>(mut steps: impl ExactSizeIterator<Item = &'a Step>) -> Made<()> {
    if steps.len() <= MAX_ALTERNATIVES {
        return Ok(());
    }
    let (name, span) = steps.next().map_or(("", Span::default()), |it| (&it.name, it.span));
    refuse("C0715", span, format!("`{name}` stands for more than {MAX_ALTERNATIVES} transitions"))
}

/// A value of a function that an update compares. Functions of mypyvy have a value everywhere, cells need not: the step asks for it.
fn compared(branch: &Branch, skip: &dyn Fn(&Term) -> bool) -> Option<Term> {
    let mut found = None;
    let said = (!branch.value.is_term()).then_some(&branch.value);
    for formula in std::iter::once(&branch.condition).chain(said) {
        formula.visit(&mut |part| {
            if let Formula::Equal(sides) = part {
                let function = |side: &&Term| matches!(side, Term::App(app) if !app.args.is_empty());
                let applied = sides.iter().find(|side| function(side) && !skip(side));
                found = found.take().or_else(|| applied.cloned());
            }
        });
    }
    found
}

/// A variable for a value of an application.
pub(super) fn fresh(symbols: &Symbols<'_>, vars: &mut Vars, term: &Term) -> VarId {
    let Term::App(app) = term else { return vars.new_var("x", Span::default(), None) };
    let symbol = symbols.get(app.symbol);
    vars.new_var(&symbol.name, symbol.span, symbol.result)
}

/// The sorts of which these formulas say something of all elements, and no parameter is one. Domains of mypyvy are not empty, sorts may be:
/// where something is said of all elements of a sort, there has to be one.
pub(super) fn unshown_sorts<'f>(
    formulas: impl Iterator<Item = &'f Formula>,
    params: &[VarId],
    vars: &Vars,
) -> BTreeSet<SortId> {
    let mut sorts = BTreeSet::new();
    for formula in formulas {
        formula.visit(&mut |part| {
            if let Formula::Each { vars: bound, .. } = part {
                sorts.extend(bound.iter().map(|var| vars.known(*var)));
            }
        });
    }
    sorts.retain(|sort| params.iter().all(|it| vars.known(*it) != *sort));
    sorts
}

/// A further variable of a sort.
pub(super) fn element(symbols: &Symbols<'_>, vars: &mut Vars, sort: SortId, span: Span) -> VarId {
    vars.new_var(initial(symbols, sort), span, Some(sort))
}

/// The first letter of a sort, as a name for one of its elements.
fn initial<'s>(symbols: &'s Symbols<'_>, sort: SortId) -> &'s str {
    symbols.sorts[sort.0].0.get(..1).unwrap_or("x")
}

fn with(mut step: Step, update: Update) -> Step {
    step.updates.push(update);
    step
}

fn joined(left: &str, right: &str) -> String {
    if left.is_empty() || right.is_empty() { format!("{left}{right}") } else { format!("{left}; {right}") }
}

fn is_plain(formula: &Formula) -> bool {
    !formula.is_new() && !formula.has(true) && !formula.has(false)
}

/// Whether at most one cell satisfies a formula in normal form: it says what each variable equals.
fn is_one_cell(formula: &Formula, cell: &[VarId]) -> bool {
    let parts: Vec<&Formula> = match formula {
        Formula::And(parts) => parts.iter().collect(),
        one => vec![one],
    };
    cell.iter().all(|var| parts.iter().any(|part| part.determined(cell).is_some_and(|it| it.0 == *var)))
}

/// Arguments that are applications of bound variables get bound names, by a quantifier of the kind around them.
fn bound_names(formula: &Formula, kind: Option<bool>, fresh: &mut dyn FnMut(&Term) -> VarId) -> Formula {
    match formula {
        Formula::And(_) | Formula::Or(_) => formula.rebuilt(&mut |it| bound_names(it, kind, fresh)),
        Formula::Each { universal, .. } => {
            formula.rebuilt(&mut |it| bound_names(it, Some(*universal), fresh))
        }
        literal => {
            let Some(universal) = kind else { return literal.clone() };
            let (vars, body) = flattened(literal, universal, fresh);
            Formula::each(universal, &vars, body)
        }
    }
}

/// Whether a quantified part is about the cell.
fn depends(formula: &Formula, cell: &[VarId]) -> bool {
    let mut found = false;
    formula.visit(&mut |part| {
        if let Formula::Each { .. } = part {
            found |= part.free().iter().any(|var| cell.contains(var));
        }
    });
    found
}
