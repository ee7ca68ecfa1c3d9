//! The model as a text. Each declaration, conjunct and update says in a comment from which line it comes.

use cubicle_lang::diagnostic::{Lines, Span};

use super::claims::{Initially, Never};
use super::formula::{App, Formula, SortId, SymbolId, Term, VarId, variables};
use super::names::{Locals, Names};
use super::step::{Step, Update, Witness};
use super::symbols::{Symbols, Vars};
use super::ways::apart;

/// Writes a model.
pub(super) struct Printer<'p> {
    symbols: &'p Symbols<'p>,
    vars: &'p Vars,
    names: Names,
    lines: Lines<'p>,
    out: String,
}

impl<'p> Printer<'p> {
    pub fn new(symbols: &'p Symbols<'p>, vars: &'p Vars, text: &'p str, file: &str) -> Self {
        let (names, lines) = (Names::new(symbols), Lines::new(text));
        // Nothing in a comment ends it.
        let file = file.replace("*)", "* )").replace("(*", "( *");
        let out = format!("(* {file}, by cubicle import. Numbers in comments are lines of that file. *)\n");
        Self { symbols, vars, names, lines, out }
    }

    pub fn finish(self) -> String {
        self.out
    }

    fn line(&self, span: Span) -> String {
        format!("(* {} *)", self.lines.line(span.start))
    }

    /// Sorts, variables, arrays and relations.
    pub fn declarations(&mut self) {
        self.out.push('\n');
        for (at, (_, span)) in self.symbols.sorts.iter().enumerate() {
            let name = self.names.sort(SortId(at));
            let meaning = match self.symbols.values(SortId(at)) {
                Some(values) => {
                    let values: Vec<&str> = values.iter().map(|it| self.names.symbol(*it)).collect();
                    format!("= {}", values.join(" | "))
                }
                None => "< proc".to_owned(),
            };
            self.out += &format!("type {name} {meaning} {}\n", self.line(*span));
        }
        self.out.push('\n');
        for (at, symbol) in self.symbols.all.iter().enumerate() {
            if symbol.derived || self.symbols.is_value(SymbolId(at)) {
                continue;
            }
            let name = self.names.symbol(SymbolId(at));
            let result = symbol.result.map_or("bool", |sort| self.names.sort(sort));
            let sorts: Vec<&str> = symbol.args.iter().map(|it| self.names.sort(*it)).collect();
            let decl = if sorts.is_empty() {
                format!("{} {name} : {result}", if symbol.mutable { "var" } else { "const" })
            } else if symbol.mutable || symbol.result.is_some() {
                format!("array {name}[{}] : {result}", sorts.join(", "))
            } else {
                let params = sorts.iter().enumerate().map(|(at, sort)| format!("x{} : {sort}", at + 1));
                format!("relation {name} ({})", params.collect::<Vec<_>>().join(" "))
            };
            self.out += &format!("{decl} {}\n", self.line(symbol.span));
        }
    }

    /// Witnesses, after all relations.
    pub fn witnesses(&mut self, all: &[Witness]) {
        for one in all {
            let mut of: Vec<&str> =
                one.params.iter().map(|it| self.names.sort(self.vars.known(*it))).collect();
            of.dedup();
            let sort = self.names.sort(self.vars.known(one.value)).to_owned();
            let name = format!("{sort}_of_{}", of.join("_"));
            let name = self.names.unique(&name);
            let mut locals = self.names.locals(&one.params, self.vars);
            let args: Vec<&str> = one.params.iter().map(|it| locals.get(*it)).collect();
            let value = format!("{name}({})", args.join(", "));
            let params = self.params(&one.params, &locals, true);
            locals.add_text(one.value, value);
            let formula = self.formula(&one.formula, &mut locals, 0);
            let line = self.line(one.span);
            self.out += &format!("witness {name} {params}: {sort} {{ {formula} }} {line}\n");
        }
    }

    pub fn init(&mut self, all: &[Initially]) {
        // One variable stands for those of several conjuncts.
        let mut pool: Vec<VarId> = Vec::new();
        let mut shared: Vec<(VarId, VarId)> = Vec::new();
        for one in all {
            let mut used: Vec<VarId> = Vec::new();
            for &param in &one.params {
                let sort = self.vars.known(param);
                let known =
                    pool.iter().copied().find(|it| self.vars.known(*it) == sort && !used.contains(it));
                let stands = known.unwrap_or_else(|| {
                    pool.push(param);
                    param
                });
                used.push(stands);
                shared.push((param, stands));
            }
        }
        pool.sort_by_key(|it| self.vars.known(*it));
        let locals = self.names.locals(&pool, self.vars);
        let mut text = format!("\ninit {}{{\n", self.params(&pool, &locals, false));
        if all.is_empty() {
            text += "  true\n";
        }
        let stands = |var: VarId| shared.iter().find(|it| it.0 == var).map(|it| Term::Var(it.1));
        text += &self.conjuncts(all.iter().map(|it| (it.formula.substitute(&stands), it.span)), &locals);
        self.out += &text;
        self.out += "}\n";
    }

    /// The lines of a conjunction.
    fn conjuncts(&self, all: impl Iterator<Item = (Formula, Span)>, locals: &Locals<'_>) -> String {
        let line = |(at, (formula, span)): (usize, (Formula, Span))| {
            let and = if at == 0 { "" } else { "&& " };
            format!("  {and}{} {}\n", self.formula(&formula, &mut locals.clone(), 1), self.line(span))
        };
        all.enumerate().map(line).collect()
    }

    /// What never is: as an `unsafe` or an `invariant`, of which each has a name where one is given.
    pub fn never(&mut self, word: &str, name: Option<&str>, all: &[Never]) {
        for one in all {
            let name = name.map(|it| format!("{} ", self.names.action(it))).unwrap_or_default();
            let mut locals = self.names.locals(&one.params, self.vars);
            let params = self.params(&one.params, &locals, true);
            let remark = self.remark(one.span, &one.remark);
            let formula = self.formula(&one.formula, &mut locals, 0);
            self.out += &format!("\n{remark}\n{word} {name}{params}{{ {formula} }}\n");
        }
    }

    fn remark(&self, span: Span, remark: &str) -> String {
        let line = self.lines.line(span.start);
        if remark.is_empty() { format!("(* {line} *)") } else { format!("(* {line}, where {remark} *)") }
    }

    /// `(n m : node v : value) `.
    fn params(&self, params: &[VarId], locals: &Locals<'_>, always: bool) -> String {
        if params.is_empty() {
            return if always { "() ".to_owned() } else { String::new() };
        }
        let mut text = String::new();
        for (at, &param) in params.iter().enumerate() {
            let sort = self.vars.known(param);
            text += if at == 0 { "" } else { " " };
            text += locals.get(param);
            if params.get(at + 1).is_none_or(|next| self.vars.known(*next) != sort) {
                text += &format!(" : {}", self.names.sort(sort));
            }
        }
        format!("({text}) ")
    }

    /// A transition, whose name it returns.
    pub fn step(&mut self, step: &Step) -> String {
        let name = self.names.action(&step.name);
        let mut params = step.params.clone();
        params.sort_by_key(|it| self.vars.known(*it));
        let locals = self.names.locals(&params, self.vars);
        let head = self.params(&params, &locals, true);
        let head = head.trim_end();
        let mut text = format!("\n{}\ntransition {name} {head}", self.remark(step.span, &step.remark));
        if !step.guard.is_empty() {
            text += "\nrequires {\n";
            text += &self.conjuncts(step.guard.iter().map(|it| (it.formula.clone(), it.span)), &locals);
            text.push('}');
        }
        text += "\n{\n";
        for update in &step.updates {
            if let Some(update) = self.update(update, &step.params, locals.clone()) {
                text += &format!("  {update}\n");
            }
        }
        self.out += &text;
        self.out += "}\n";
        name
    }

    /// An update; `None` when nothing changes.
    fn update(&self, update: &Update, params: &[VarId], mut locals: Locals<'_>) -> Option<String> {
        let name = self.names.symbol(update.symbol);
        let own = App::old(update.symbol, variables(&update.cell));
        let (same, (branches, rest)) = match self.symbols.get(update.symbol).result {
            None => (Formula::Is(own.clone()), truths(update, &own, params)),
            Some(_) => (Term::App(own.clone()), terms(update, own)),
        };
        if branches.is_empty() && rest == same {
            return None;
        }
        let line = self.line(update.branches.first().map_or(Span::default(), |it| it.span));
        if let (Some(args), true) = (one_cell(&branches, &update.cell), rest == same) {
            let args: Vec<&str> = args.iter().map(|it| locals.get(*it)).collect();
            let value = self.value(&branches[0].1, &locals);
            return Some(format!("{name}[{}] := {value}; {line}", args.join(", ")));
        }
        for (var, sort) in update.cell.iter().zip(&self.symbols.get(update.symbol).args) {
            locals.add_as(*var, &self.names.sort(*sort)[..1]);
        }
        let args: Vec<&str> = update.cell.iter().map(|it| locals.get(*it)).collect();
        let target = if args.is_empty() { name.to_owned() } else { format!("{name}[{}]", args.join(", ")) };
        let last = self.value(&rest, &locals);
        if branches.is_empty() && args.is_empty() {
            return Some(format!("{target} := {last}; {line}"));
        }
        let mut text = format!("{target} := case");
        for (condition, value) in &branches {
            let value = self.value(value, &locals);
            let condition = self.formula(condition, &mut locals.clone(), 0);
            text += &format!(" | {condition} : {value}");
        }
        Some(format!("{text} | _ : {last}; {line}"))
    }

    fn value(&self, value: &Formula, locals: &Locals<'_>) -> String {
        match value {
            Formula::Bool(true) => "True".to_owned(),
            Formula::Bool(false) => "False".to_owned(),
            Formula::Is(app) => self.cell(app, locals),
            term => self.term(term, locals),
        }
    }

    fn term(&self, term: &Term, locals: &Locals<'_>) -> String {
        match term {
            Term::Var(var) => locals.get(*var).to_owned(),
            Term::Value(id) => self.names.symbol(*id).to_owned(),
            Term::App(app) => self.cell(app, locals),
            // Conditions were moved to formulas and branches.
            _ => "_".to_owned(),
        }
    }

    fn cell(&self, app: &App, locals: &Locals<'_>) -> String {
        let name = self.names.symbol(app.symbol);
        let args: Vec<String> = app.args.iter().map(|it| self.term(it, locals)).collect();
        if args.is_empty() { name.to_owned() } else { format!("{name}[{}]", args.join(", ")) }
    }

    /// A formula in normal form. `level`: 0 where it stands alone, 1 within a conjunction, 2 within a disjunction.
    fn formula(&self, formula: &Formula, locals: &mut Locals<'_>, level: u8) -> String {
        let wrap = |text: String, own: u8| if level > own { format!("({text})") } else { text };
        match formula {
            Formula::Var(_) | Formula::Value(_) | Formula::App(_) => self.term(formula, locals),
            Formula::Bool(truth) => truth.to_string(),
            Formula::Is(app) => self.relation(app, true, locals),
            Formula::Equal(sides) => self.comparison(sides, "=", locals),
            Formula::Not(inner) => match &**inner {
                Formula::Is(app) => self.relation(app, false, locals),
                Formula::Equal(sides) => self.comparison(sides, "<>", locals),
                other => format!("not ({})", self.formula(other, locals, 0)),
            },
            Formula::And(parts) => {
                let parts = parts.iter().map(|it| self.formula(it, &mut locals.clone(), 1));
                wrap(parts.collect::<Vec<_>>().join(" && "), 1)
            }
            Formula::Or(parts) => {
                let parts = parts.iter().map(|it| self.formula(it, &mut locals.clone(), 2));
                wrap(parts.collect::<Vec<_>>().join(" || "), 0)
            }
            Formula::Iff(sides) => {
                let [left, right] = [0, 1].map(|at| self.formula(&sides[at], &mut locals.clone(), 2));
                format!("({left} <=> {right})")
            }
            Formula::If(parts) => {
                let [condition, then, otherwise] =
                    [0, 1, 2].map(|at| self.formula(&parts[at], &mut locals.clone(), 0));
                format!("(if ({condition}) then ({then}) else ({otherwise}))")
            }
            Formula::Each { universal, vars, body } => {
                let word = if *universal { "forall" } else { "exists" };
                let mut text = String::new();
                for var in vars {
                    locals.add(*var, self.vars);
                    // One after the other: names in one quantifier are different processes.
                    let (name, sort) = (locals.get(*var), self.names.sort(self.vars.known(*var)));
                    text += &format!("{word} {name} : {sort}. ");
                }
                text += &self.formula(body, locals, 2);
                wrap(text, 0)
            }
        }
    }

    fn relation(&self, app: &App, holds: bool, locals: &Locals<'_>) -> String {
        let symbol = self.symbols.get(app.symbol);
        if symbol.mutable || symbol.args.is_empty() {
            let value = if holds { "True" } else { "False" };
            return format!("{} = {value}", self.cell(app, locals));
        }
        let args: Vec<String> = app.args.iter().map(|it| self.term(it, locals)).collect();
        let not = if holds { "" } else { "not " };
        format!("{not}{}({})", self.names.symbol(app.symbol), args.join(", "))
    }

    fn comparison(&self, sides: &[Term; 2], operator: &str, locals: &Locals<'_>) -> String {
        let [left, right] = [0, 1].map(|at| self.term(&sides[at], locals));
        format!("{left} {operator} {right}")
    }
}

/// Conditions with values, and the value where none holds.
type Cases = (Vec<(Formula, Formula)>, Formula);

/// The new value of a relation: where it becomes true, where it becomes false, and that it stays elsewhere, if that says it all.
fn truths(update: &Update, own: &App, params: &[VarId]) -> Cases {
    let simple = |formula: Formula| apart(&formula.normal().propagated(&update.cell), params);
    let whole = simple(update.whole());
    let with = |truth: bool| {
        let set = whole.map_literals(&mut |it| match it {
            Formula::Is(app) if app == own => Some(Formula::Bool(truth)),
            _ => None,
        });
        simple(set)
    };
    let (kept, made) = (with(true), with(false));
    if kept == made {
        return match made {
            Formula::Bool(_) => (Vec::new(), made),
            _ => (vec![(made, Formula::TRUE)], Formula::FALSE),
        };
    }
    let lost = simple(kept.clone().not());
    // Where it becomes true, it must not be lost.
    if super::decide::is_false(&Formula::and([made.clone(), lost.clone()]), params) {
        let branches = [(made, Formula::TRUE), (lost, Formula::FALSE)];
        let applies = |it: &(Formula, Formula)| !super::decide::is_false(&it.0, params);
        return (branches.into_iter().filter(applies).collect(), Formula::Is(own.clone()));
    }
    (vec![(whole, Formula::TRUE)], Formula::FALSE)
}

/// The new value of a function.
fn terms(update: &Update, own: App) -> Cases {
    let same = Term::App(own);
    let mut branches = Vec::new();
    let mut stays = update.rest;
    for branch in &update.branches {
        if branch.value == same {
            stays = true;
        } else if branch.condition != Formula::FALSE {
            branches.push((branch.condition.clone(), branch.value.clone()));
        }
    }
    // They cover all cells.
    let last = if stays { None } else { branches.pop() };
    (branches, last.map_or(same, |it| it.1))
}

/// The arguments of the only cell that changes, if they are parameters.
fn one_cell(branches: &[(Formula, Formula)], cell: &[VarId]) -> Option<Vec<VarId>> {
    let [(condition, value)] = branches else { return None };
    let parts = match condition {
        Formula::And(parts) => &parts[..],
        one => std::slice::from_ref(one),
    };
    if cell.is_empty() || parts.len() != cell.len() || value.free().iter().any(|it| cell.contains(it)) {
        return None;
    }
    let given = |var: &VarId| match parts.iter().filter_map(|it| it.determined(cell)).find(|it| it.0 == *var)
    {
        Some((_, Term::Var(param))) => Some(param),
        _ => None,
    };
    cell.iter().map(given).collect()
}
