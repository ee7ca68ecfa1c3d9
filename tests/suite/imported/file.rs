//! First-order models as random ones are: their text, and an interpreter that evaluates their formulas about two states directly.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

pub const SORTS: [&str; 2] = ["node", "item"];

/// Most evaluations of formulas for one instance.
pub const MOST_WORK: usize = 1_500_000;

#[derive(Clone)]
pub enum Term {
    Var(String),
    /// A symbol, its arguments, whether in the new state.
    App(usize, Vec<Term>, bool),
    If(Box<Formula>, Box<Term>, Box<Term>),
}

#[derive(Clone)]
pub enum Formula {
    True,
    Is(usize, Vec<Term>, bool),
    Equal(Term, Term),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Iff(Box<Formula>, Box<Formula>),
    If(Box<Formula>, Box<Formula>, Box<Formula>),
    Each(bool, Vec<(String, usize)>, Box<Formula>),
}

use Formula::{And, Each, Equal, Iff, Implies, Is, Not, Or, True};

pub fn not(formula: Formula) -> Formula {
    Not(Box::new(formula))
}

pub struct Symbol {
    pub name: String,
    pub mutable: bool,
    pub args: Vec<usize>,
    /// The sort of its values; `None` for a relation.
    pub result: Option<usize>,
}

pub struct Transition {
    pub params: Vec<(String, usize)>,
    pub modifies: Vec<usize>,
    pub parts: Vec<Formula>,
}

/// What a random model has besides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flavour {
    Plain,
    /// Sentences about the number of elements of a sort.
    Sizes,
    /// The second sort consists of this number of constants.
    Values(usize),
    /// At most two elements of a sort, and steps that name two.
    Named(usize),
    /// Initially there is something for all elements.
    Initial,
}

pub struct Model {
    pub flavour: Flavour,
    pub symbols: Vec<Symbol>,
    pub axioms: Vec<Formula>,
    pub init: Vec<Formula>,
    pub transitions: Vec<Transition>,
    pub safety: Vec<Formula>,
    pub names: Known,
}

// The text

/// What is known while a text is written: the sorts of variables, and definitions with their names, by their parameters and what they say.
#[derive(Default)]
pub struct Known {
    sorts: RefCell<BTreeMap<String, usize>>,
    defined: RefCell<BTreeMap<(String, String), (String, String)>>,
}

/// How the states before and after a step are told apart. In the newer convention a plain symbol is of the state before the step, and `new(..)` of that
/// after it; in the older one a plain symbol is of the state after the step, and `old(..)` of that before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Convention {
    Newer,
    Older,
}

/// Where a formula stands.
#[derive(Clone, Copy)]
enum Place<'m> {
    /// All plain symbols are of the state that is meant.
    Plain,
    /// In a transition of the newer convention.
    Newer,
    /// In a transition of the older convention, which modifies these symbols.
    Older(&'m [usize]),
}

impl Model {
    pub fn text(&self, convention: Convention) -> String {
        let mut out = String::new();
        self.names.defined.take();
        for sort in SORTS {
            writeln!(out, "sort {sort}").expect("memory");
        }
        for symbol in &self.symbols {
            let word = if symbol.mutable { "mutable" } else { "immutable" };
            let args: Vec<&str> = symbol.args.iter().map(|it| SORTS[*it]).collect();
            let (args, name) = (args.join(", "), &symbol.name);
            let line = match symbol.result {
                None => format!("{word} relation {name}({args})"),
                Some(sort) if symbol.args.is_empty() => format!("{word} constant {name}: {}", SORTS[sort]),
                Some(sort) => format!("{word} function {name}({args}): {}", SORTS[sort]),
            };
            writeln!(out, "{line}").expect("memory");
        }
        let claims = [("axiom", &self.axioms), ("init", &self.init), ("safety", &self.safety)];
        for (word, formulas) in claims {
            for formula in formulas {
                // Variables in capital letters need not be bound where an argument shows their sort.
                let text = match formula {
                    Each(true, vars, body) if self.is_sorted_by_arguments(vars, body) => {
                        self.formula(body, Place::Plain)
                    }
                    other => self.formula(other, Place::Plain),
                };
                writeln!(out, "{word} {text}").expect("memory");
            }
        }
        let mut has_old = false;
        for (at, transition) in self.transitions.iter().enumerate() {
            let place = match convention {
                Convention::Newer => Place::Newer,
                Convention::Older => Place::Older(&transition.modifies),
            };
            self.names.sorts.borrow_mut().extend(transition.params.iter().cloned());
            let params: Vec<String> = bound(&transition.params);
            let names: Vec<&str> =
                transition.modifies.iter().map(|it| self.symbols[*it].name.as_str()).collect();
            let mut parts: Vec<String> =
                transition.parts.iter().map(|it| format!("  & {}", self.formula(it, place))).collect();
            has_old |= parts.iter().any(|it| it.contains("old("));
            if convention == Convention::Older && at + 1 == self.transitions.len() && !has_old {
                parts.push("  & old(true)".to_owned());
            }
            let (params, names, parts) = (params.join(", "), names.join(", "), parts.join("\n"));
            writeln!(out, "transition step{at}({params})\n  modifies {names}\n{parts}").expect("memory");
        }
        let defined = self.names.defined.borrow();
        let of_all = defined.iter().map(|((params, said), (name, args))| {
            match name.strip_prefix("derived relation ") {
                Some(relation) if args.is_empty() => format!("{name}(): {relation}() <-> {said}"),
                Some(relation) => {
                    let sorts: Vec<&str> =
                        params.split(", ").filter_map(|it| Some(it.split_once(": ")?.1)).collect();
                    format!("{name}({}): forall {params}. {relation}({args}) <-> {said}", sorts.join(", "))
                }
                None => format!("definition {name}({params}) = {said}"),
            }
        });
        // Definitions may come after their uses.
        let of_all: Vec<String> = of_all.collect();
        out + &of_all.join("\n")
    }

    /// Whether no comparison is in it.
    fn is_sorted_by_arguments(&self, vars: &[(String, usize)], body: &Formula) -> bool {
        self.names.sorts.borrow_mut().extend(vars.iter().cloned());
        let said = self.said(body, Place::Plain);
        !said.contains('=') && !said.contains("distinct")
    }

    /// A formula, by a name for it now and then, which its text decides.
    fn formula(&self, formula: &Formula, place: Place<'_>) -> String {
        let said = self.said(formula, place);
        let chance = said.bytes().fold(7_u32, |sum, it| sum.wrapping_mul(31).wrapping_add(it.into())) >> 8;
        let has_parts = !matches!(formula, True | Is(..) | Not(_)) && said != "true";
        if matches!(place, Place::Older(_)) || formula.is_new() || !has_parts || !chance.is_multiple_of(6) {
            return said;
        }
        let sorts = self.names.sorts.borrow();
        let mut free = Vec::new();
        formula.free(&mut free);
        let params: Vec<(String, usize)> = free.iter().map(|it| (it.clone(), sorts[it])).collect();
        let (args, mut defined) = (free.join(", "), self.names.defined.borrow_mut());
        let changes = self.symbols.iter().any(|it| it.mutable && said.contains(&it.name));
        let word = if changes && chance.is_multiple_of(4) { "derived relation " } else { "" };
        let name = format!("{word}d{}", defined.len());
        let known = defined.entry((bound(&params).join(", "), said)).or_insert((name, args.clone()));
        format!("{}({args})", known.0.trim_start_matches("derived relation "))
    }

    fn app(&self, symbol: usize, args: &[Term], new: bool, place: Place<'_>) -> String {
        let Symbol { name, mutable, .. } = &self.symbols[symbol];
        // The word around it, and where its arguments stand.
        let (word, inner) = match place {
            Place::Plain => ("", Place::Plain),
            Place::Newer if new => ("new", Place::Plain),
            Place::Newer => ("", place),
            Place::Older(_) if new => ("", Place::Plain),
            // Of things that a step leaves alone the state need not be said.
            Place::Older(modifies) if !mutable || !modifies.contains(&symbol) && symbol.is_multiple_of(2) => {
                ("", place)
            }
            Place::Older(_) => ("old", Place::Plain),
        };
        let args: Vec<String> = args.iter().map(|it| self.term(it, inner)).collect();
        let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
        if word.is_empty() { format!("{name}{args}") } else { format!("{word}({name}{args})") }
    }

    fn term(&self, term: &Term, place: Place<'_>) -> String {
        match term {
            Term::Var(name) => name.clone(),
            Term::App(symbol, args, new) => self.app(*symbol, args, *new, place),
            Term::If(condition, then, other) => format!(
                "(if {} then {} else {})",
                self.formula(condition, place),
                self.term(then, place),
                self.term(other, place)
            ),
        }
    }

    fn said(&self, formula: &Formula, place: Place<'_>) -> String {
        let list = |parts: &[Formula], word: &str| {
            let parts: Vec<String> = parts.iter().map(|it| self.formula(it, place)).collect();
            format!("({})", parts.join(word))
        };
        if let (Or(_) | Equal(..), Place::Older(_)) = (formula, place)
            && !formula.is_new()
        {
            return format!("old({})", self.formula(formula, Place::Plain));
        }
        match formula {
            True => "true".to_owned(),
            Is(symbol, args, new) => self.app(*symbol, args, *new, place),
            Equal(left, right) => format!("({} = {})", self.term(left, place), self.term(right, place)),
            Not(inner) => match &**inner {
                Equal(left, right) => {
                    let [left, right] = [left, right].map(|it| self.term(it, place));
                    if left.len() == 3 {
                        format!("distinct({left}, {right})")
                    } else {
                        format!("({left} != {right})")
                    }
                }
                other => format!("!({})", self.formula(other, place)),
            },
            And(parts) if parts.is_empty() => "true".to_owned(),
            And(parts) => list(parts, " & "),
            Or(parts) => list(parts, " | "),
            Implies(left, right) => {
                format!("({} -> {})", self.formula(left, place), self.formula(right, place))
            }
            Iff(left, right) => format!("({} <-> {})", self.formula(left, place), self.formula(right, place)),
            Formula::If(condition, then, other) => format!(
                "(if {} then {} else {})",
                self.formula(condition, place),
                self.formula(then, place),
                self.formula(other, place)
            ),
            Each(_, vars, body) if vars.is_empty() => self.formula(body, place),
            Each(universal, vars, body) => {
                self.names.sorts.borrow_mut().extend(vars.iter().cloned());
                let word = if *universal { "forall" } else { "exists" };
                format!("({word} {}. {})", bound(vars).join(", "), self.formula(body, place))
            }
        }
    }
}

impl Term {
    fn is_new(&self) -> bool {
        match self {
            Self::Var(_) => false,
            Self::App(_, args, new) => *new || args.iter().any(Self::is_new),
            Self::If(condition, then, other) => condition.is_new() || then.is_new() || other.is_new(),
        }
    }
}

impl Term {
    /// Adds the variables in it.
    fn free(&self, found: &mut Vec<String>) {
        match self {
            Self::Var(name) if found.contains(name) => {}
            Self::Var(name) => found.push(name.clone()),
            Self::App(_, args, _) => args.iter().for_each(|it| it.free(found)),
            Self::If(condition, then, other) => {
                condition.free(found);
                then.free(found);
                other.free(found);
            }
        }
    }
}

impl Formula {
    /// Adds the variables that are bound outside of it.
    fn free(&self, found: &mut Vec<String>) {
        match self {
            True => {}
            Is(_, args, _) => args.iter().for_each(|it| it.free(found)),
            Equal(left, right) => [left, right].into_iter().for_each(|it| it.free(found)),
            Not(inner) => inner.free(found),
            And(parts) | Or(parts) => parts.iter().for_each(|it| it.free(found)),
            Implies(left, right) | Iff(left, right) => {
                left.free(found);
                right.free(found);
            }
            Self::If(condition, then, other) => {
                condition.free(found);
                then.free(found);
                other.free(found);
            }
            Each(_, vars, body) => {
                let mut inner = Vec::new();
                body.free(&mut inner);
                inner.retain(|it| !vars.iter().any(|var| var.0 == *it) && !found.contains(it));
                found.append(&mut inner);
            }
        }
    }

    /// Whether it is about the state after a step.
    fn is_new(&self) -> bool {
        match self {
            True => false,
            Is(_, args, new) => *new || args.iter().any(Term::is_new),
            Equal(left, right) => left.is_new() || right.is_new(),
            Not(inner) | Each(_, _, inner) => inner.is_new(),
            And(parts) | Or(parts) => parts.iter().any(Self::is_new),
            Implies(left, right) | Iff(left, right) => left.is_new() || right.is_new(),
            Self::If(condition, then, other) => condition.is_new() || then.is_new() || other.is_new(),
        }
    }
}

pub fn bound(vars: &[(String, usize)]) -> Vec<String> {
    vars.iter().map(|(name, sort)| format!("{name}: {}", SORTS[*sort])).collect()
}

// The meaning

pub type Cells = Vec<u8>;
pub type Names = Vec<(String, u8)>;

pub struct Instance<'m> {
    pub model: &'m Model,
    pub sizes: [usize; 2],
    /// Where the cells of each symbol begin.
    pub first: Vec<usize>,
    /// How many values each cell may have.
    pub values: Vec<u8>,
    pub work: usize,
}

impl<'m> Instance<'m> {
    pub fn new(model: &'m Model, sizes: [usize; 2]) -> Self {
        let (mut first, mut values) = (Vec::new(), Vec::new());
        for symbol in &model.symbols {
            first.push(values.len());
            let cells: usize = symbol.args.iter().map(|it| sizes[*it]).product();
            let of_each = symbol.result.map_or(2, |sort| sizes[sort]) as u8;
            values.extend(std::iter::repeat_n(of_each, cells));
        }
        Self { model, sizes, first, values, work: 0 }
    }

    pub fn cells(&self, symbol: usize) -> std::ops::Range<usize> {
        let end = self.first.get(symbol + 1).copied().unwrap_or(self.values.len());
        self.first[symbol]..end
    }

    pub fn read(
        &mut self,
        symbol: usize,
        args: &[Term],
        new: bool,
        states: [&Cells; 2],
        names: &mut Names,
    ) -> u8 {
        // What is within `new(..)` is of the new state.
        let inner = if new { [states[1], states[1]] } else { states };
        let mut at = 0;
        for (arg, sort) in args.iter().zip(&self.model.symbols[symbol].args) {
            at = at * self.sizes[*sort] + usize::from(self.term(arg, inner, names));
        }
        let state = if self.model.symbols[symbol].mutable { inner[0] } else { states[0] };
        state[self.first[symbol] + at]
    }

    pub fn term(&mut self, term: &Term, states: [&Cells; 2], names: &mut Names) -> u8 {
        match term {
            Term::Var(name) => names.iter().rev().find(|it| it.0 == *name).expect("it is bound").1,
            Term::App(symbol, args, new) => self.read(*symbol, args, *new, states, names),
            Term::If(condition, then, other) => {
                let chosen = if self.holds(condition, states, names) { then } else { other };
                self.term(chosen, states, names)
            }
        }
    }

    pub fn holds(&mut self, formula: &Formula, states: [&Cells; 2], names: &mut Names) -> bool {
        self.work += 1;
        match formula {
            True => true,
            Is(symbol, args, new) => self.read(*symbol, args, *new, states, names) == 1,
            Equal(left, right) => self.term(left, states, names) == self.term(right, states, names),
            Not(inner) => !self.holds(inner, states, names),
            And(parts) => parts.iter().all(|it| self.holds(it, states, names)),
            Or(parts) => parts.iter().any(|it| self.holds(it, states, names)),
            Implies(left, right) => !self.holds(left, states, names) || self.holds(right, states, names),
            Iff(left, right) => self.holds(left, states, names) == self.holds(right, states, names),
            Formula::If(condition, then, other) => {
                let chosen = if self.holds(condition, states, names) { then } else { other };
                self.holds(chosen, states, names)
            }
            Each(universal, vars, body) => {
                let sizes: Vec<u8> = vars.iter().map(|it| self.sizes[it.1] as u8).collect();
                let mark = names.len();
                let found = choices(&sizes).into_iter().any(|values| {
                    names.truncate(mark);
                    names.extend(vars.iter().zip(values).map(|((name, _), value)| (name.clone(), value)));
                    self.holds(body, states, names) != *universal
                });
                names.truncate(mark);
                found != *universal
            }
        }
    }

    pub fn all_hold(&mut self, formulas: &[Formula], states: [&Cells; 2], names: &mut Names) -> bool {
        formulas.iter().all(|it| self.holds(it, states, names))
    }

    /// Whether a state that violates a property is reached; `None` when that is too much work.
    pub fn is_unsafe(&mut self) -> Option<bool> {
        let total: usize = self
            .values
            .iter()
            .map(|it| usize::from(*it))
            .try_fold(1, |product: usize, it| product.checked_mul(it).filter(|it| *it < 1 << 13))?;
        let model = self.model;
        let mut open = Vec::new();
        let mut known = HashSet::new();
        for state in choices(&self.values) {
            debug_assert!(total > 0);
            let both = [&state, &state];
            if self.all_hold(&model.axioms, both, &mut Vec::new())
                && self.all_hold(&model.init, both, &mut Vec::new())
            {
                known.insert(state.clone());
                open.push(state);
            }
        }
        let mut found = false;
        while let Some(state) = open.pop() {
            found |= !self.all_hold(&model.safety, [&state, &state], &mut Vec::new());
            if found {
                return Some(true);
            }
            for transition in &model.transitions {
                let free: Vec<usize> = transition.modifies.iter().flat_map(|it| self.cells(*it)).collect();
                let sizes: Vec<u8> = transition.params.iter().map(|it| self.sizes[it.1] as u8).collect();
                let values: Vec<u8> = free.iter().map(|it| self.values[*it]).collect();
                let news = choices(&values);
                for args in choices(&sizes) {
                    let mut names: Names = transition
                        .params
                        .iter()
                        .zip(&args)
                        .map(|((name, _), it)| (name.clone(), *it))
                        .collect();
                    for new in &news {
                        let mut next = state.clone();
                        free.iter().zip(new).for_each(|(at, value)| next[*at] = *value);
                        if self.all_hold(&transition.parts, [&state, &next], &mut names)
                            && known.insert(next.clone())
                        {
                            open.push(next);
                        }
                    }
                    if self.work > MOST_WORK {
                        return None;
                    }
                }
            }
        }
        Some(false)
    }
}

/// All tuples of numbers below these.
pub fn choices(sizes: &[u8]) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for size in sizes {
        all = all
            .into_iter()
            .flat_map(|it| {
                (0..*size).map(move |value| {
                    let mut longer = it.clone();
                    longer.push(value);
                    longer
                })
            })
            .collect();
    }
    all
}
