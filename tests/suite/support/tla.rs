//! An interpreter for the part of TLA+ that exports are written in: junction lists by columns, functions over processes, actions that
//! give each variable its new value. What TLC refuses is an error here: values of two types that are compared, names and new values that are not known.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::judges::Answer;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Value {
    Truth(bool),
    Number(i64),
    Text(String),
    Function(BTreeMap<Vec<Value>, Value>),
    Set(Vec<Value>),
}

use Value::{Function, Number, Set, Text, Truth};

#[derive(Clone, Debug)]
enum Expr {
    Value(Value),
    Use(String, Vec<Expr>),
    New(String),
    Joined(bool, Vec<Expr>),
    Not(Box<Expr>),
    Operator(String, Box<[Expr; 2]>),
    Each(bool, Vec<(String, Expr)>, Box<Expr>),
    If(Box<[Expr; 3]>),
    Lambda(Vec<(String, Expr)>, Box<Expr>),
    Functions(Vec<Expr>, Box<Expr>),
    Except(Box<[Expr; 2]>, Vec<Expr>),
    Apply(Box<Expr>, Vec<Expr>),
    Elements(Vec<Expr>),
    Filter(String, Box<[Expr; 2]>),
    Unchanged(Vec<Expr>),
}

#[derive(Debug)]
struct Token {
    text: String,
    column: usize,
    /// Whether it is the first one of its line.
    first: bool,
}

fn tokens(text: &str) -> Vec<Token> {
    const SYMBOLS: [&str; 16] = [
        "|->", "/\\", "\\/", "\\in", "\\A", "\\E", "\\X", "==", "/=", "<=", "<<", ">>", "..", "->", "<", "=",
    ];
    let mut found = Vec::new();
    let left_out = ["\\*", "----", "====", "EXTENDS", "vars ==", "Spec =="];
    for line in text.lines().filter(|line| !left_out.iter().any(|it| line.starts_with(it))) {
        let (mut column, mut first) = (0, true);
        while let Some(c) = line[column..].chars().next() {
            let rest = &line[column..];
            let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
            let length = match SYMBOLS.iter().find(|it| rest.starts_with(**it)) {
                Some(symbol) => symbol.len(),
                None if c == '"' => 2 + rest[1..].find('"').expect("the end of a string"),
                None if is_of_name(c) => rest.find(|c| !is_of_name(c)).unwrap_or(rest.len()),
                None => 1,
            };
            if !c.is_whitespace() {
                found.push(Token { text: rest[..length].to_owned(), column, first });
                first = false;
            }
            column += length;
        }
    }
    found
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    /// The columns of the junction lists around.
    lists: Vec<usize>,
}

impl Parser {
    fn sees(&self, word: &str) -> bool {
        self.tokens.get(self.at).is_some_and(|it| it.text == word)
    }

    fn takes(&mut self, word: &str) -> bool {
        let there = self.sees(word);
        self.at += usize::from(there);
        there
    }

    fn wants(&mut self, word: &str) {
        assert!(self.takes(word), "{word} is missing before {:?}", &self.tokens[self.at..][..6]);
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].text.clone()
    }

    fn names(&mut self) -> Vec<String> {
        let mut names = vec![self.next()];
        while self.takes(",") {
            names.push(self.next());
        }
        names
    }

    fn list(&mut self, end: &str) -> Vec<Expr> {
        let mut all = Vec::new();
        while !self.takes(end) {
            all.push(self.expr(0));
            self.takes(",");
        }
        all
    }

    /// `p \in S, q \in T`.
    fn bound(&mut self) -> Vec<(String, Expr)> {
        let mut all = Vec::new();
        loop {
            let name = self.next();
            self.wants("\\in");
            all.push((name, self.expr(5)));
            if !self.takes(",") {
                return all;
            }
        }
    }

    /// An expression whose operators bind at least as tight as this.
    fn expr(&mut self, least: u8) -> Expr {
        let mut left = self.operand();
        while let Some(token) = self.tokens.get(self.at) {
            let strength = match token.text.as_str() {
                "\\/" => 1,
                "/\\" => 2,
                "=" | "/=" | "<=" | "<" | "\\in" => 4,
                ".." => 5,
                "+" | "-" => 6,
                "*" => 7,
                _ => return left,
            };
            // What stands left of a list, or at its column, is not of its part.
            let is_outside = token.first && self.lists.last().is_some_and(|it| token.column <= *it);
            if strength < least || is_outside {
                return left;
            }
            let operator = self.next();
            let right = self.expr(strength + 1);
            left = match (operator.as_str(), left) {
                ("\\/" | "/\\", left) => Expr::Joined(operator == "/\\", vec![left, right]),
                (_, left) => Expr::Operator(operator, Box::new([left, right])),
            };
        }
        left
    }

    fn operand(&mut self) -> Expr {
        let (column, word) = (self.tokens[self.at].column, self.next());
        let mut operand = match word.as_str() {
            "/\\" | "\\/" => {
                self.lists.push(column);
                let mut parts = vec![self.expr(0)];
                while self.sees(&word) && self.tokens[self.at].first && self.tokens[self.at].column == column
                {
                    self.at += 1;
                    parts.push(self.expr(0));
                }
                self.lists.pop();
                return Expr::Joined(word == "/\\", parts);
            }
            "(" => {
                let lists = std::mem::take(&mut self.lists);
                let inner = self.expr(0);
                self.lists = lists;
                self.wants(")");
                inner
            }
            "~" => Expr::Not(Box::new(self.expr(3))),
            "-" => Expr::Operator("-".into(), Box::new([Expr::Value(Number(0)), self.expr(7)])),
            "TRUE" | "FALSE" => Expr::Value(Truth(word == "TRUE")),
            "BOOLEAN" => Expr::Value(Set(vec![Truth(false), Truth(true)])),
            "\\A" | "\\E" => {
                let bound = self.bound();
                self.wants(":");
                Expr::Each(word == "\\A", bound, Box::new(self.expr(0)))
            }
            "IF" => {
                let when = self.expr(0);
                self.wants("THEN");
                let then = self.expr(0);
                self.wants("ELSE");
                Expr::If(Box::new([when, then, self.expr(0)]))
            }
            "UNCHANGED" => {
                self.wants("<<");
                Expr::Unchanged(self.list(">>"))
            }
            "{" if self.tokens[self.at + 1].text == "\\in" => {
                let mut bound = self.bound();
                self.wants(":");
                let (name, set) = bound.remove(0);
                let body = self.expr(0);
                self.wants("}");
                Expr::Filter(name, Box::new([set, body]))
            }
            "{" => Expr::Elements(self.list("}")),
            "[" => self.function(),
            text if text.starts_with('"') => Expr::Value(Text(text.to_owned())),
            text => match text.parse() {
                Ok(number) => Expr::Value(Number(number)),
                Err(_) if self.takes("(") => Expr::Use(word.clone(), self.list(")")),
                Err(_) => Expr::Use(word.clone(), Vec::new()),
            },
        };
        if self.takes("'") {
            return Expr::New(word);
        }
        while self.takes("[") {
            operand = Expr::Apply(Box::new(operand), self.list("]"));
        }
        operand
    }

    /// After `[`: a function, a set of functions, or a function with another value.
    fn function(&mut self) -> Expr {
        if self.tokens[self.at + 1].text == "\\in" {
            let bound = self.bound();
            self.wants("|->");
            let body = self.expr(0);
            self.wants("]");
            return Expr::Lambda(bound, Box::new(body));
        }
        let mut sets = vec![self.expr(0)];
        if self.takes("EXCEPT") {
            self.wants("!");
            self.wants("[");
            let at = self.list("]");
            self.wants("=");
            let value = self.expr(0);
            self.wants("]");
            return Expr::Except(Box::new([sets.remove(0), value]), at);
        }
        while self.takes("\\X") {
            sets.push(self.expr(0));
        }
        self.wants("->");
        let values = self.expr(0);
        self.wants("]");
        Expr::Functions(sets, Box::new(values))
    }
}

/// What variables hold, as far as it is known.
type State = Vec<Option<Value>>;

type Scope = Vec<(String, Value)>;

struct Module {
    vars: Vec<String>,
    defined: BTreeMap<String, (Vec<String>, Expr)>,
    /// Whether there were too many choices.
    is_large: Cell<bool>,
}

/// Most states that variables are chosen for before something is asked of them together.
const MOST_CHOICES: usize = 3_000;

/// All ways to take a value of each set.
fn ways(sets: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let longer = |known: Vec<Vec<Value>>, set: &Vec<Value>| {
        let with = |it: &Vec<Value>| {
            set.iter().map(|value| [&it[..], std::slice::from_ref(value)].concat()).collect::<Vec<_>>()
        };
        known.iter().flat_map(with).collect()
    };
    sets.iter().fold(vec![Vec::new()], longer)
}

impl Module {
    fn of(text: &str) -> Self {
        let mut parser = Parser { tokens: tokens(text), at: 0, lists: Vec::new() };
        let mut module = Self { vars: Vec::new(), defined: BTreeMap::new(), is_large: Cell::default() };
        while parser.at < parser.tokens.len() {
            let name = parser.next();
            if name == "VARIABLES" {
                module.vars = parser.names();
                continue;
            }
            let mut params = Vec::new();
            if parser.takes("(") {
                params = parser.names();
                parser.wants(")");
            }
            parser.wants("==");
            module.defined.insert(name, (params, parser.expr(0)));
        }
        module
    }

    fn elements(&self, expr: &Expr, state: &State, scope: &Scope) -> Vec<Value> {
        let Set(all) = self.value(expr, state, scope) else { panic!("not a set: {expr:?}") };
        all
    }

    fn holds(&self, expr: &Expr, state: &State, scope: &Scope) -> bool {
        let Truth(truth) = self.value(expr, state, scope) else { panic!("not a truth value: {expr:?}") };
        truth
    }

    /// The scope for each choice of what names stand for.
    fn scopes(&self, bound: &[(String, Expr)], state: &State, scope: &Scope) -> Vec<(Vec<Value>, Scope)> {
        let sets: Vec<Vec<Value>> = bound.iter().map(|it| self.elements(&it.1, state, scope)).collect();
        let with = |values: Vec<Value>| {
            let new = bound.iter().map(|it| it.0.clone()).zip(values.iter().cloned());
            let scope = scope.iter().cloned().chain(new).collect();
            (values, scope)
        };
        ways(&sets).into_iter().map(with).collect()
    }

    fn value(&self, expr: &Expr, state: &State, scope: &Scope) -> Value {
        let of = |it: &Expr| self.value(it, state, scope);
        let number = |it: &Expr| {
            let Number(number) = of(it) else { panic!("not a number: {it:?}") };
            number
        };
        match expr {
            Expr::Value(value) => value.clone(),
            Expr::Use(name, args) if name == "Cardinality" => {
                Number(self.elements(&args[0], state, scope).len() as i64)
            }
            Expr::Use(name, args) => {
                if let Some((_, value)) = scope.iter().rev().find(|it| it.0 == *name) {
                    return value.clone();
                }
                if let Some(var) = self.vars.iter().position(|it| it == name) {
                    return state[var].clone().unwrap_or_else(|| panic!("{name} is not known"));
                }
                let (params, body) =
                    self.defined.get(name).unwrap_or_else(|| panic!("{name} is not defined"));
                let scope = params.iter().cloned().zip(args.iter().map(of)).collect();
                self.value(body, state, &scope)
            }
            Expr::Joined(true, parts) => Truth(parts.iter().all(|it| self.holds(it, state, scope))),
            Expr::Joined(false, parts) => Truth(parts.iter().any(|it| self.holds(it, state, scope))),
            Expr::Not(inner) => Truth(!self.holds(inner, state, scope)),
            Expr::Operator(operator, both) => {
                let [left, right] = &**both;
                match operator.as_str() {
                    "=" | "/=" => {
                        let (left, right) = (of(left), of(right));
                        let same_type = std::mem::discriminant(&left) == std::mem::discriminant(&right);
                        assert!(same_type, "compared: {left:?} and {right:?}");
                        Truth((left == right) == (operator == "="))
                    }
                    "<" => Truth(number(left) < number(right)),
                    "<=" => Truth(number(left) <= number(right)),
                    "+" => Number(number(left) + number(right)),
                    "-" => Number(number(left) - number(right)),
                    "*" => Number(number(left) * number(right)),
                    ".." => Set((number(left)..=number(right)).map(Number).collect()),
                    _ => Truth(self.elements(right, state, scope).contains(&of(left))),
                }
            }
            Expr::Each(all, bound, body) => {
                let mut scopes = self.scopes(bound, state, scope).into_iter();
                Truth(scopes.any(|it| self.holds(body, state, &it.1) != *all) != *all)
            }
            Expr::If(parts) => of(&parts[if self.holds(&parts[0], state, scope) { 1 } else { 2 }]),
            Expr::Lambda(bound, body) => {
                let scopes = self.scopes(bound, state, scope).into_iter();
                Function(scopes.map(|(at, inner)| (at, self.value(body, state, &inner))).collect())
            }
            Expr::Functions(sets, values) => {
                let sets: Vec<Vec<Value>> = sets.iter().map(|it| self.elements(it, state, scope)).collect();
                let (places, values) = (ways(&sets), self.elements(values, state, scope));
                if values.len().pow(places.len() as u32) > MOST_CHOICES {
                    self.is_large.set(true);
                    return Set(Vec::new());
                }
                let all = ways(&vec![values; places.len()]).into_iter();
                Set(all.map(|it| Function(places.iter().cloned().zip(it).collect())).collect())
            }
            Expr::Except(both, at) => {
                let Function(mut function) = of(&both[0]) else { panic!("not a function: {expr:?}") };
                let cell = function.get_mut(&at.iter().map(of).collect::<Vec<_>>());
                *cell.unwrap_or_else(|| panic!("no such cell: {expr:?}")) = of(&both[1]);
                Function(function)
            }
            Expr::Apply(function, at) => {
                let Function(cells) = of(function) else { panic!("not a function: {expr:?}") };
                let at: Vec<Value> = at.iter().map(of).collect();
                cells.get(&at).unwrap_or_else(|| panic!("no cell {at:?}: {expr:?}")).clone()
            }
            Expr::Elements(all) => Set(all.iter().map(of).collect::<BTreeSet<_>>().into_iter().collect()),
            Expr::Filter(name, both) => {
                let mut all = self.elements(&both[0], state, scope);
                all.retain(|it| {
                    let scope = scope.iter().cloned().chain([(name.clone(), it.clone())]).collect();
                    self.holds(&both[1], state, &scope)
                });
                Set(all)
            }
            Expr::New(_) | Expr::Unchanged(_) => panic!("a new value is read: {expr:?}"),
        }
    }

    /// The states that an action leads to, given what it has said of them so far; without a state before it, those that `Init` says.
    fn after(&self, expr: &Expr, before: Option<&State>, next: State, scope: &Scope) -> Vec<State> {
        let known = before.unwrap_or(&next);
        let var = |name: &String| self.vars.iter().position(|it| it == name).expect("a variable");
        match expr {
            Expr::Joined(true, parts) => parts.iter().fold(vec![next], |all, part| {
                if all.len() > MOST_CHOICES {
                    self.is_large.set(true);
                    return Vec::new();
                }
                all.into_iter().flat_map(|it| self.after(part, before, it, scope)).collect()
            }),
            Expr::Joined(false, parts) if before.is_some() => {
                parts.iter().flat_map(|it| self.after(it, before, next.clone(), scope)).collect()
            }
            Expr::Each(false, bound, body) if before.is_some() => {
                let scopes = self.scopes(bound, known, scope).into_iter();
                scopes.flat_map(|it| self.after(body, before, next.clone(), &it.1)).collect()
            }
            Expr::Use(name, args) if self.defined.contains_key(name) => {
                let (params, body) = &self.defined[name];
                let args = args.iter().map(|it| self.value(it, known, scope));
                let scope = params.iter().cloned().zip(args).collect();
                self.after(body, before, next, &scope)
            }
            Expr::Unchanged(all) => {
                let mut next = next;
                for it in all {
                    let Expr::Use(name, _) = it else { panic!("not a variable: {it:?}") };
                    assert!(next[var(name)].is_none(), "{name} has a new value");
                    next[var(name)].clone_from(&before.expect("a state")[var(name)]);
                }
                vec![next]
            }
            Expr::Operator(operator, both) => {
                let at = match &both[0] {
                    Expr::New(name) if before.is_some() => Some(var(name)),
                    Expr::Use(name, _) if before.is_none() => self.vars.iter().position(|it| it == name),
                    _ => None,
                };
                let Some(at) = at.filter(|it| next[*it].is_none()) else {
                    return if self.holds(expr, known, scope) { vec![next] } else { Vec::new() };
                };
                let values = match operator.as_str() {
                    "=" => vec![self.value(&both[1], known, scope)],
                    _ => self.elements(&both[1], known, scope),
                };
                let with = |value| {
                    let mut next = next.clone();
                    next[at] = Some(value);
                    next
                };
                values.into_iter().map(with).collect()
            }
            _ if self.holds(expr, known, scope) => vec![next],
            _ => Vec::new(),
        }
    }
}

/// What the module says; nothing where it has more states.
pub fn explored(text: &str, most: usize) -> Option<Answer> {
    let module = Module::of(text);
    let none: State = vec![None; module.vars.len()];
    let [init, next] = ["Init", "Next"].map(|it| &module.defined[it].1);
    let mut open = module.after(init, None, none.clone(), &Scope::new());
    let mut states: BTreeSet<State> = open.iter().cloned().collect();
    let mut safe = true;
    while let Some(state) = open.pop() {
        let claims = module.defined.iter().filter(|it| it.0.starts_with("Safe"));
        safe &= claims.into_iter().all(|it| module.holds(&it.1.1, &state, &Scope::new()));
        for next in module.after(next, Some(&state), none.clone(), &Scope::new()) {
            assert!(next.iter().all(Option::is_some), "a variable without a new value");
            if states.insert(next.clone()) {
                open.push(next);
            }
        }
        if states.len() > most {
            break;
        }
    }
    (states.len() <= most && !module.is_large.get()).then_some(Answer { states: states.len() as u64, safe })
}
