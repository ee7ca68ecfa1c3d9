//! `import`: random first-order models over two sorts, against an interpreter that evaluates their formulas about two states directly, for
//! each small number of elements of each sort.
//!
//! `CUBICLE_DOORS_SEED` and `CUBICLE_DOORS_COUNT` choose models; the ignored test takes many.

mod file;

use cubicle::diagnostic::Diagnostic;
use cubicle::forward::explore;
use cubicle::import::{Imported, import};
use cubicle::model::semantics::{Layout, State, Value, tuples};
use cubicle::model::{System, VarId};
use cubicle::{ForwardOptions, Interrupt, Silent, Stop};

use super::support::dice::{Dice, environment};
use file::Formula::{And, Each, Equal, Iff, Implies, Is, Or, True};
use file::{Convention, Flavour, Formula, Instance, Known, Model, SORTS, Symbol, Term, Transition, not};

// Random models

struct Maker {
    dice: Dice,
    flavour: Flavour,
    symbols: Vec<Symbol>,
    fresh: usize,
}

type Scope = Vec<(String, usize)>;

impl Maker {
    fn vars(&mut self, sorts: &[usize]) -> Scope {
        let named = sorts.iter().map(|sort| {
            self.fresh += 1;
            (format!("X{}", self.fresh), *sort)
        });
        named.collect()
    }

    fn term(
        &mut self,
        sort: usize,
        scope: &[(String, usize)],
        immutable: bool,
        depth: usize,
    ) -> Option<Term> {
        let mut all: Vec<Term> = Vec::new();
        for (name, of) in scope {
            if *of == sort {
                all.extend([Term::Var(name.clone()), Term::Var(name.clone())]);
            }
        }
        for at in 0..self.symbols.len() {
            let symbol = &self.symbols[at];
            if symbol.result != Some(sort) || immutable && symbol.mutable {
                continue;
            }
            let sorts = symbol.args.clone();
            if !sorts.is_empty() && depth == 0 {
                continue;
            }
            let args: Option<Vec<Term>> =
                sorts.iter().map(|it| self.term(*it, scope, immutable, depth.saturating_sub(1))).collect();
            all.extend(args.map(|args| Term::App(at, args, false)));
        }
        if all.is_empty() { None } else { Some(self.dice.pick(&all).clone()) }
    }

    fn literal(&mut self, scope: &[(String, usize)], immutable: bool) -> Formula {
        for _ in 0..8 {
            let at = self.dice.below(self.symbols.len() + 1);
            let made = if at == self.symbols.len() || self.symbols[at].result.is_some() {
                let sort = self.dice.below(2);
                let left = self.term(sort, scope, immutable, 1);
                let right = self.term(sort, scope, immutable, 0);
                left.zip(right).map(|(left, right)| Equal(left, right))
            } else if immutable && self.symbols[at].mutable {
                None
            } else {
                let sorts = self.symbols[at].args.clone();
                let args: Option<Vec<Term>> =
                    sorts.iter().map(|it| self.term(*it, scope, immutable, 1)).collect();
                args.map(|args| Is(at, args, false))
            };
            if let Some(made) = made {
                return if self.dice.chance(40) { not(made) } else { made };
            }
        }
        True
    }

    fn plain(&mut self, scope: &[(String, usize)], immutable: bool, depth: usize) -> Formula {
        if depth == 0 || self.dice.chance(45) {
            return self.literal(scope, immutable);
        }
        let mut next = || self.plain(scope, immutable, depth - 1);
        let (one, other) = (next(), next());
        match self.dice.below(6) {
            0 | 1 => And(vec![one, other]),
            2 => Or(vec![one, other]),
            3 => Implies(Box::new(one), Box::new(other)),
            4 => Iff(Box::new(one), Box::new(other)),
            _ => not(And(vec![one, other])),
        }
    }

    /// Over some variables of its own.
    fn claim(&mut self, immutable: bool, most: usize) -> Formula {
        let sorts: Vec<usize> = (0..=self.dice.below(most)).map(|_| self.dice.below(2)).collect();
        let vars = self.vars(&sorts);
        let body = self.plain(&vars, immutable, 2);
        Each(true, vars, Box::new(body))
    }

    /// For all elements of a sort, one or two of them, there is one of the other sort, or there are some.
    fn some_for_all(&mut self, immutable: bool, values: usize) -> Formula {
        let sort = self.dice.below(2);
        let sorts = vec![sort; 1 + self.dice.below(2)];
        let vars = self.vars(&sorts);
        let value = self.vars(&vec![1 - sort; values]);
        let scope = [&vars[..], &value].concat();
        let body = Each(false, value, Box::new(self.plain(&scope, immutable, 1)));
        let otherwise = self.literal(&vars, immutable);
        let body = if self.dice.chance(30) { Or(vec![otherwise, body]) } else { body };
        Each(true, vars, Box::new(body))
    }

    /// About the number of elements of a sort, by equality alone.
    fn size(&mut self) -> Formula {
        let sort = self.dice.below(2);
        let [x, y, z] = [0; 3].map(|_| self.vars(&[sort])[0].clone());
        let [one, other, third] = [&x, &y, &z].map(|it| Term::Var(it.0.clone()));
        let same = |left: &Term, right: &Term| Equal(left.clone(), right.clone());
        let each = |universal: bool, vars: &[&(String, usize)], body: Formula| {
            Each(universal, vars.iter().map(|it| (*it).clone()).collect(), Box::new(body))
        };
        match self.dice.below(7) {
            0 => each(true, &[&x, &y], same(&one, &other)),
            1 => at_most_two(&[x, y, z]),
            2 => each(false, &[&x, &y], not(same(&one, &other))),
            3 => {
                let only = each(
                    true,
                    &[&z],
                    Implies(Box::new(not(same(&third, &other))), Box::new(same(&third, &one))),
                );
                each(true, &[&x], each(false, &[&y], And(vec![not(same(&one, &other)), only])))
            }
            _ => {
                let kinds = [0; 3].map(|_| self.dice.chance(50));
                let scope = [x.clone(), y.clone(), z.clone()];
                let equality = |maker: &mut Self| {
                    let [left, right] = [0; 2].map(|_| Term::Var(maker.dice.pick(&scope).0.clone()));
                    if maker.dice.chance(50) { not(Equal(left, right)) } else { Equal(left, right) }
                };
                let [first, second, last] = [0; 3].map(|_| equality(self));
                let body = if self.dice.chance(50) {
                    Or(vec![And(vec![first, second]), last])
                } else {
                    Iff(Box::new(first), Box::new(And(vec![second, last])))
                };
                let inner = each(kinds[1], &[&y], each(kinds[2], &[&z], body));
                each(kinds[0], &[&x], inner)
            }
        }
    }

    /// New values of the cells of the first two parameters, and of no others.
    fn named(&mut self, symbol: usize, params: &[(String, usize)], parts: &mut Vec<Formula>) {
        let [first, second] = [0, 1].map(|at| Term::Var(params[at].0.clone()));
        if self.dice.chance(90) {
            parts.push(not(Equal(first.clone(), second.clone())));
        }
        for place in [first, second] {
            let keeps = self.dice.chance(40);
            let args = vec![place];
            parts.push(match self.symbols[symbol].result {
                None => {
                    let old = Is(symbol, args.clone(), false);
                    let value = if keeps { old } else { self.literal(params, false) };
                    Iff(Box::new(Is(symbol, args, true)), Box::new(value))
                }
                Some(sort) => {
                    let old = Term::App(symbol, args.clone(), false);
                    let value = if keeps { None } else { self.term(sort, params, false, 1) };
                    Equal(Term::App(symbol, args, true), value.unwrap_or(old))
                }
            });
        }
    }

    fn guard(&mut self, params: &[(String, usize)]) -> Formula {
        let sort = self.dice.below(2);
        let vars = self.vars(&[sort]);
        let scope = [params, &vars].concat();
        let universal = self.dice.chance(60);
        match self.dice.below(12) {
            11 => {
                // Too many universals together, unless they are noted.
                let parts = (0..2).map(|_| {
                    let more = self.vars(&[sort, 1 - sort]);
                    let both = [&scope[..], &more].concat();
                    Each(true, more, Box::new(self.plain(&both, false, 1)))
                });
                let parts: Vec<Formula> = parts.collect();
                Each(true, vars, Box::new(Or(parts)))
            }
            10 => {
                // For all there is another one, also within something else.
                let more = self.vars(&[1 - sort]);
                let both = [&scope[..], &more].concat();
                let inner = Each(false, more, Box::new(self.plain(&both, false, 1)));
                let inner = match self.dice.below(4) {
                    0 => Or(vec![self.literal(&scope, false), inner]),
                    1 => {
                        let third = self.vars(&[sort]);
                        let all = [&scope[..], &third].concat();
                        And(vec![inner, Each(true, third, Box::new(self.literal(&all, false)))])
                    }
                    _ => inner,
                };
                let each = Each(true, vars, Box::new(inner));
                if self.dice.chance(25) { Or(vec![self.literal(params, false), each]) } else { each }
            }
            0..=4 => self.literal(params, false),
            5 => self.plain(params, false, 2),
            6 | 7 => Each(universal, vars, Box::new(self.plain(&scope, false, 1))),
            8 => {
                let quantified = Each(universal, vars, Box::new(self.plain(&scope, false, 1)));
                Or(vec![self.literal(params, false), quantified])
            }
            _ => {
                let more = self.vars(&[1 - sort]);
                let both = [&scope[..], &more].concat();
                let inner = Each(true, more, Box::new(self.plain(&both, false, 1)));
                Each(false, vars, Box::new(inner))
            }
        }
    }

    /// Formulas about the new values of a symbol.
    fn update(&mut self, symbol: usize, params: &[(String, usize)], parts: &mut Vec<Formula>) {
        let (sorts, result) = (self.symbols[symbol].args.clone(), self.symbols[symbol].result);
        if let Flavour::Named(sort) = self.flavour
            && sorts == [sort]
            && self.dice.chance(75)
        {
            return self.named(symbol, params, parts);
        }
        let vars = self.vars(&sorts);
        let places: Vec<Term> = vars.iter().map(|it| Term::Var(it.0.clone())).collect();
        let targets: Option<Vec<Term>> = sorts.iter().map(|it| self.term(*it, params, false, 0)).collect();
        let each = |body: Formula| Each(true, vars.clone(), Box::new(body));
        let Some(targets) = targets else {
            // Nothing changes.
            parts.push(each(match result {
                None => Iff(Box::new(Is(symbol, places.clone(), true)), Box::new(Is(symbol, places, false))),
                Some(_) => Equal(Term::App(symbol, places.clone(), true), Term::App(symbol, places, false)),
            }));
            return;
        };
        let pairs = places.iter().zip(&targets);
        let here = And(pairs.map(|(place, target)| Equal(place.clone(), target.clone())).collect());
        let scope = [params, &vars[..]].concat();
        if let Some(sort) = result {
            let value = self.term(sort, params, false, 1);
            let new = Term::App(symbol, places.clone(), true);
            let old = Term::App(symbol, places.clone(), false);
            let at_target = Term::App(symbol, targets, true);
            let keeps = each(Implies(Box::new(not(here.clone())), Box::new(Equal(new.clone(), old.clone()))));
            match (self.dice.below(5), value) {
                (0 | 1, Some(value)) => {
                    let chosen = Term::If(Box::new(here), Box::new(value), Box::new(old));
                    parts.push(each(Equal(new, chosen)));
                }
                (2, Some(value)) => parts.extend([keeps, Equal(at_target, value)]),
                (3, Some(value)) => {
                    let condition = self.literal(params, false);
                    let then = And(vec![keeps.clone(), Equal(at_target, value)]);
                    let other = each(Equal(new, old));
                    parts.push(Formula::If(Box::new(condition), Box::new(then), Box::new(other)));
                }
                _ => parts.push(keeps),
            }
            return;
        }
        let new = Is(symbol, places.clone(), true);
        let old = Is(symbol, places, false);
        let iff = |value: Formula| each(Iff(Box::new(new.clone()), Box::new(value)));
        let set = iff(Or(vec![old.clone(), here.clone()]));
        let clear = iff(And(vec![old.clone(), not(here.clone())]));
        let keeps = each(Implies(
            Box::new(not(here.clone())),
            Box::new(Iff(Box::new(new.clone()), Box::new(old.clone()))),
        ));
        match self.dice.below(9) {
            0 | 1 => parts.push(set),
            2 => parts.push(clear),
            3 => {
                let value = self.plain(&scope, false, 2);
                parts.push(iff(value));
            }
            4 => parts.push(keeps),
            5 => {
                let value = self.literal(params, false);
                let at_target = Is(symbol, targets, true);
                parts.extend([keeps, Iff(Box::new(at_target), Box::new(value))]);
            }
            6 => {
                let condition = self.literal(params, false);
                parts.push(Formula::If(Box::new(condition), Box::new(set), Box::new(clear)));
            }
            7 => {
                let condition = self.literal(&scope, true);
                parts.push(each(Implies(
                    Box::new(condition),
                    Box::new(Iff(Box::new(new), Box::new(Or(vec![old, here])))),
                )));
            }
            _ => {
                let wherever = self.literal(&scope, false);
                parts.push(iff(Or(vec![And(vec![old, wherever]), here])));
            }
        }
    }

    fn transition(&mut self) -> Transition {
        let mut params: Scope =
            (0..self.dice.below(4)).map(|at| (format!("p{at}"), self.dice.below(2))).collect();
        if let Flavour::Named(sort) = self.flavour {
            params = (0..2 + self.dice.below(2)).map(|at| (format!("p{at}"), sort)).collect();
        }
        let mut parts: Vec<Formula> = (0..self.dice.below(3)).map(|_| self.guard(&params)).collect();
        let mutable: Vec<usize> = (0..self.symbols.len()).filter(|it| self.symbols[*it].mutable).collect();
        let mut modifies = Vec::new();
        for _ in 0..=self.dice.below(2) {
            let symbol = *self.dice.pick(&mutable);
            if !modifies.contains(&symbol) {
                modifies.push(symbol);
                self.update(symbol, &params, &mut parts);
            }
        }
        // A condition on the new state.
        if self.dice.chance(15) {
            let symbol = modifies[0];
            let vars = self.vars(&self.symbols[symbol].args.clone());
            let args: Vec<Term> = vars.iter().map(|it| Term::Var(it.0.clone())).collect();
            if self.symbols[symbol].result.is_none() {
                parts.push(Each(false, vars, Box::new(Is(symbol, args, true))));
            }
        }
        Transition { params, modifies, parts }
    }
}

/// That a sort has at most two elements.
fn at_most_two(vars: &[(String, usize); 3]) -> Formula {
    let of = |at: usize| Term::Var(vars[at].0.clone());
    let pairs = [(0, 1), (0, 2), (1, 2)].map(|(one, other)| Equal(of(one), of(other)));
    Each(true, vars.to_vec(), Box::new(Or(pairs.to_vec())))
}

fn model(seed: u64) -> Model {
    let mut dice = Dice::new(seed);
    let flavour = match dice.below(10) {
        0 | 1 => Flavour::Sizes,
        2 => Flavour::Values(2 + dice.below(2)),
        3 => Flavour::Named(dice.below(2)),
        4 => Flavour::Initial,
        _ => Flavour::Plain,
    };
    let mut maker = Maker { dice, flavour, symbols: Vec::new(), fresh: 0 };
    let dice = &mut maker.dice;
    for at in 0..2 + dice.below(3) {
        let arity = *dice.pick(&[0, 1, 1, 1, 2]);
        let mut args: Vec<usize> = (0..arity).map(|_| dice.below(2)).collect();
        let result = dice.chance(30).then(|| dice.below(2));
        if result.is_some() {
            args.truncate(1);
        }
        match flavour {
            // A sort of values is rarely one of arguments.
            Flavour::Values(_) if dice.chance(93) => args.fill(0),
            Flavour::Named(sort) if dice.chance(80) => args = vec![sort],
            _ => {}
        }
        let mutable = at == 0 || dice.chance(70);
        let name = format!("{}{at}", if mutable { "m" } else { "k" });
        maker.symbols.push(Symbol { name, mutable, args, result });
    }
    let mut axioms = Vec::new();
    match flavour {
        Flavour::Values(count) => {
            let first = maker.symbols.len();
            for at in 0..count {
                let (name, args, result) = (format!("e{at}"), Vec::new(), Some(1));
                maker.symbols.push(Symbol { name, mutable: false, args, result });
            }
            let value = |at: usize| Term::App(first + at, Vec::new(), false);
            let pairs = (0..count).flat_map(|at| (0..at).map(move |other| [at, other]));
            axioms.extend(pairs.map(|it| not(Equal(value(it[0]), value(it[1])))));
            let vars = maker.vars(&[1]);
            let is = |at: usize| Equal(Term::Var(vars[0].0.clone()), value(at));
            axioms.push(Each(true, vars.clone(), Box::new(Or((0..count).map(is).collect()))));
        }
        Flavour::Named(sort) if maker.dice.chance(90) => {
            axioms.push(at_most_two(&[0; 3].map(|_| maker.vars(&[sort])[0].clone())));
        }
        Flavour::Sizes => axioms.extend((0..=maker.dice.below(2)).map(|_| maker.size())),
        _ => {}
    }
    let has_fact = maker.symbols.iter().any(|it| !it.mutable);
    if has_fact && maker.dice.chance(50) {
        axioms.push(maker.claim(true, 2));
    }
    let mut init = Vec::new();
    if flavour == Flavour::Sizes && maker.dice.chance(20) {
        init.push(maker.size());
    }
    if flavour == Flavour::Initial {
        init.extend((0..=maker.dice.below(2)).map(|_| {
            let values = 1 + maker.dice.below(2);
            maker.some_for_all(false, values)
        }));
    }
    for at in 0..maker.symbols.len() {
        let left_open = if flavour == Flavour::Initial { 60 } else { 10 };
        if !maker.symbols[at].mutable || maker.dice.chance(left_open) {
            continue;
        }
        let vars = maker.vars(&maker.symbols[at].args.clone());
        let args: Vec<Term> = vars.iter().map(|it| Term::Var(it.0.clone())).collect();
        let body = match maker.symbols[at].result {
            None if maker.dice.chance(70) => not(Is(at, args, false)),
            None => {
                let value = maker.plain(&vars, true, 1);
                Iff(Box::new(Is(at, args, false)), Box::new(value))
            }
            Some(sort) => match maker.term(sort, &vars, true, 1) {
                Some(value) => Equal(Term::App(at, args, false), value),
                None => continue,
            },
        };
        init.push(Each(true, vars, Box::new(body)));
    }
    let mut safety: Vec<Formula> = (0..=maker.dice.below(2)).map(|_| maker.claim(false, 3)).collect();
    let transitions = (0..=maker.dice.below(3)).map(|_| maker.transition()).collect();
    if has_fact && maker.dice.chance(35) {
        axioms.push(maker.some_for_all(true, 1));
    }
    if maker.dice.chance(25) {
        safety.push(maker.some_for_all(false, 1));
    }
    Model { flavour, symbols: maker.symbols, axioms, init, transitions, safety, names: Known::default() }
}

// The comparison

/// What became of a model.
#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    Refused,
    /// Nothing was small enough.
    Open,
    Safe,
    Unsafe,
}

/// The model in both conventions: where both are accepted, they become one model.
fn examine(seed: u64) -> Result<Outcome, String> {
    let model = model(seed);
    let [newer, older] = [Convention::Newer, Convention::Older].map(|it| {
        let text = model.text(it);
        let imported = import(&text, "random.pyv", false);
        (text, imported)
    });
    match (&newer.1, &older.1) {
        (Ok(left), Ok(right)) if without_comments(&left.model) == without_comments(&right.model) => {
            examine_as(seed, &model, newer)
        }
        (Ok(left), Ok(right)) => {
            Err(format!("seed {seed}: two models\n{}\n{}\n{}\n{}", newer.0, left.model, older.0, right.model))
        }
        // Only in the newer one is a new value of what is not modified a mistake.
        (Err(errors), Ok(_)) if errors.iter().all(|it| it.message.contains("is not in `modifies`")) => {
            examine_as(seed, &model, older)
        }
        (Err(_), Err(_)) => examine_as(seed, &model, older).and(examine_as(seed, &model, newer)),
        (Ok(_), Err(_)) => examine_as(seed, &model, older),
        (Err(errors), Ok(_)) => {
            let all: String = errors.iter().map(|it| it.render("random.pyv", &newer.0, false)).collect();
            Err(format!("seed {seed}: only the newer convention is refused: {all}\n{}", newer.0))
        }
    }
}

/// Comments name lines of the text.
fn without_comments(model: &str) -> String {
    model.split("(*").map(|it| it.split_once("*)").map_or(it, |(_, rest)| rest)).collect()
}

fn examine_as(
    seed: u64,
    model: &Model,
    (text, imported): (String, Result<Imported, Vec<Diagnostic>>),
) -> Result<Outcome, String> {
    let small = [[1, 1], [2, 1], [1, 2], [2, 2]];
    let larger: &[[usize; 2]] =
        if matches!(model.flavour, Flavour::Plain | Flavour::Initial) { &[] } else { &[[3, 1], [1, 3]] };
    let sizes = [&small[..], larger].concat();
    let imported = match imported {
        Ok(imported) => imported.model,
        Err(errors) => {
            // A symbol that is not modified has no new value, as an argument within `new(..)` would.
            let refused = |it: &&Diagnostic| {
                matches!(it.code, "C0713" | "C0714" | "C0715")
                    || it.message.contains("nothing satisfies")
                    || it.message.contains("is not in `modifies`")
            };
            if errors.iter().any(|it| it.message.contains("nothing satisfies"))
                && sizes.iter().any(|it| Instance::new(model, *it).is_unsafe() == Some(true))
            {
                return Err(format!("seed {seed}: something satisfies the axioms\n{text}"));
            }
            let wrong = errors.iter().find(|it| !refused(it));
            return match wrong {
                Some(error) => {
                    Err(format!("seed {seed}: {}\n{text}", error.render("random.pyv", &text, false)))
                }
                None => Ok(Outcome::Refused),
            };
        }
    };
    let loaded = match cubicle::load(&imported) {
        Ok(loaded) => loaded,
        // No structure satisfies the axioms.
        Err(why) if why.to_string().contains("C0222") => {
            let none = sizes.iter().all(|it| Instance::new(model, *it).is_unsafe() != Some(true));
            return if none { Ok(Outcome::Refused) } else { Err(format!("seed {seed}: C0222\n{text}")) };
        }
        // Too large a formula.
        Err(why) if why.to_string().contains("C0504") => return Ok(Outcome::Refused),
        Err(why) => return Err(format!("seed {seed}: the import is refused\n{text}\n{imported}\n{why}")),
    };
    let mut outcome = Outcome::Open;
    // How many values a sort has that became an enumerated type.
    let values = SORTS.map(|sort| {
        let (_, rest) = imported.split_once(&format!("type {sort} ="))?;
        Some(rest.lines().next().unwrap_or_default().split('|').count())
    });
    for sizes in sizes {
        let Some(right) = Instance::new(model, sizes).is_unsafe() else { continue };
        if values.iter().zip(sizes).any(|(values, size)| values.is_some_and(|it| it != size)) {
            assert!(!right, "seed {seed}, {sizes:?}: there are {values:?} values");
            continue;
        }
        let processes = || SORTS.iter().zip(sizes).zip(values).filter(|it| it.1.is_none()).map(|it| it.0);
        let of_sorts = processes().map(|(sort, size)| ((*sort).to_owned(), size)).collect();
        let options = ForwardOptions::default().of_sorts(of_sorts);
        let total = processes().map(|it| it.1).sum();
        let found = explore(&loaded.system, total, &options, &Interrupt::default(), &mut Silent).exploration;
        let trace = found.unsafe_trace.as_ref();
        if trace.is_none() && found.stop != Stop::Complete {
            continue;
        }
        // A run from a cell whose value is not a process is one that the file does not have.
        let outside = trace.is_some_and(|it| has_outside(&loaded.system, &it.initial));
        if trace.is_some() != right && !outside {
            return Err(format!(
                "seed {seed}, {sizes:?}: unsafe {}, right is {right}\n{text}\n{imported}",
                trace.is_some()
            ));
        }
        if right && trace.is_none() {
            return Err(format!("seed {seed}, {sizes:?}: a bad state is missed\n{text}\n{imported}"));
        }
        if !outside && outcome != Outcome::Unsafe {
            outcome = if right { Outcome::Unsafe } else { Outcome::Safe };
        }
    }
    Ok(outcome)
}

/// Whether a cell of a sort holds a value that is not a process.
fn has_outside(system: &System, state: &State) -> bool {
    let layout = Layout::new(system, state.procs);
    let array = system.sort_array().expect("there are sorts");
    let sort_of = |process: usize| match state.values[layout.position(array, [process])] {
        Value::Constructor(sort) => sort,
        _ => u8::MAX,
    };
    (0..system.vars.len()).filter_map(VarId::new).any(|var| {
        let meant = |args: &[usize]| {
            args.iter()
                .enumerate()
                .all(|(at, it)| system.index_sort(var, at).is_none_or(|sort| sort == sort_of(*it)))
        };
        tuples(state.procs, system.var(var).arity()).filter(|it| meant(it)).any(|args| {
            let value = state.values[layout.position(var, args.iter().copied())];
            matches!(value, Value::Proc(point) if point.as_process(state.procs).is_none())
        })
    })
}

#[allow(clippy::print_stdout, reason = "shows the numbers")]
fn campaign(first: u64, count: u64) {
    let mut outcomes = Vec::new();
    let mut wrong = Vec::new();
    for seed in first..first + count {
        match examine(seed) {
            Ok(outcome) => outcomes.push((model(seed).flavour, outcome)),
            Err(why) => wrong.push(why),
        }
        assert!(wrong.len() < 4, "{}", wrong.join("\n\n"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let number =
        |is: &dyn Fn(&(Flavour, Outcome)) -> bool| outcomes.iter().filter(|it| is(it)).count() as u64;
    for flavour in ["Plain", "Sizes", "Values", "Named", "Initial"] {
        let of =
            |outcome: Outcome| number(&|it| format!("{:?}", it.0).starts_with(flavour) && it.1 == outcome);
        let (safe, violated, refused) = (of(Outcome::Safe), of(Outcome::Unsafe), of(Outcome::Refused));
        println!("{flavour}: {safe} safe, {violated} unsafe, {refused} refused, {} open", of(Outcome::Open));
    }
    let of = |outcome: Outcome| number(&|it| it.1 == outcome);
    let (safe, violated, refused) = (of(Outcome::Safe), of(Outcome::Unsafe), of(Outcome::Refused));
    let said = format!("{safe} safe, {violated} unsafe, {refused} refused of {count}");
    assert!(safe * 8 > count && violated * 8 > count && refused * 2 < count, "{said}");
}

#[test]
fn imported_models_have_the_same_bad_states() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 80));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_imported_models() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 10_000));
}
