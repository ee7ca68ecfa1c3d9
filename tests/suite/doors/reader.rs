//! Reads models that the product prints, for the part of the language that the campaign's models use.

use super::ast::{
    Assigned, Claim, Formula, Index, Init, Kind, Model, NIL, Op, Quantifier, Target, Term, Transition,
    Update, Value, Var,
};

/// The model of a text; `None` when it has an unsupported construct.
pub fn read(text: &str) -> Option<Model> {
    let mut reader =
        Reader { words: words(text), at: 0, types: Vec::new(), constructors: Vec::new(), vars: Vec::new() };
    reader.model()
}

fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '#';
    let mut before = ' ';
    for c in text.chars() {
        let joins = match words.last() {
            _ if before.is_whitespace() => false,
            Some(last) => {
                is_name(c) && is_name(before)
                    || [":=", "<>", "<=", ">=", "&&", "||"].contains(&format!("{last}{c}").as_str())
            }
            None => false,
        };
        match words.last_mut() {
            Some(last) if joins => last.push(c),
            _ if c.is_whitespace() => {}
            _ => words.push(c.to_string()),
        }
        before = c;
    }
    words
}

struct Reader {
    words: Vec<String>,
    at: usize,
    types: Vec<String>,
    /// Names of constructors, their enumeration and their number.
    constructors: Vec<(String, Kind, Value)>,
    vars: Vec<(String, Var)>,
}

impl Reader {
    fn sees(&self, word: &str) -> bool {
        self.words.get(self.at).is_some_and(|it| it == word)
    }

    fn takes(&mut self, word: &str) -> bool {
        let there = self.sees(word);
        self.at += usize::from(there);
        there
    }

    fn wants(&mut self, word: &str) -> Option<()> {
        self.takes(word).then_some(())
    }

    fn word(&mut self) -> Option<String> {
        self.at += 1;
        self.words.get(self.at - 1).cloned()
    }

    /// Names up to a closing word.
    fn names(&mut self, end: &str) -> Option<Vec<String>> {
        let mut names = Vec::new();
        while !self.takes(end) {
            names.push(self.word().filter(|it| it != ",")?);
            self.takes(",");
        }
        Some(names)
    }

    fn params(&mut self) -> Option<Vec<String>> {
        if self.takes("(") { self.names(")") } else { Some(Vec::new()) }
    }

    fn model(&mut self) -> Option<Model> {
        let mut model = Model {
            number_procs: None,
            enums: Vec::new(),
            vars: Vec::new(),
            init: Init { params: 0, ways: Vec::new() },
            invariants: Vec::new(),
            unsafes: Vec::new(),
            transitions: Vec::new(),
            fairness: Vec::new(),
            runs: Vec::new(),
        };
        for (name, value) in [("False", 0), ("True", 1)] {
            self.constructors.push((name.to_owned(), Kind::Bool, value));
        }
        self.constructors.push(("nil".to_owned(), Kind::Pointer, NIL));
        while self.at < self.words.len() {
            match self.word()?.as_str() {
                "number_procs" => model.number_procs = Some(self.word()?.parse().ok()?),
                "type" => {
                    let name = self.word()?;
                    self.types.push(name);
                    self.wants("=")?;
                    let mut size = 0;
                    loop {
                        let name = self.word()?;
                        self.constructors.push((name, Kind::Enum(model.enums.len()), size));
                        size += 1;
                        if !self.takes("|") {
                            break;
                        }
                    }
                    model.enums.push(usize::try_from(size).ok()?);
                }
                word @ ("var" | "const" | "array") => self.declaration(word == "const")?,
                "init" => {
                    let scope = self.params()?;
                    let body = self.braced(&scope)?;
                    let ways = if let Formula::Or(ways) = body { ways } else { vec![body] };
                    let literals = |way| if let Formula::And(parts) = way { parts } else { vec![way] };
                    let ways: Vec<Vec<Formula>> = ways.into_iter().map(literals).collect();
                    let plain = ways.iter().flatten().all(|it| matches!(it, Formula::Compare(..)));
                    model.init = plain.then_some(Init { params: scope.len(), ways })?;
                }
                word @ ("unsafe" | "invariant") => {
                    let scope = self.params()?;
                    let claim = Claim { params: scope.len(), body: self.braced(&scope)? };
                    if word == "unsafe" { &mut model.unsafes } else { &mut model.invariants }.push(claim);
                }
                "transition" => {
                    let transition = self.transition()?;
                    model.transitions.push(transition);
                }
                _ => return None,
            }
        }
        model.vars = self.vars.iter().map(|(_, var)| var.clone()).collect();
        Some(model)
    }

    fn declaration(&mut self, constant: bool) -> Option<()> {
        let name = self.word()?;
        let arity = if self.takes("[") { self.names("]")?.len() } else { 0 };
        self.wants(":")?;
        let kind = match self.word()?.as_str() {
            "bool" => Kind::Bool,
            "int" => Kind::Int,
            "proc" if self.takes("or") && self.takes("nil") => Kind::Pointer,
            "proc" => Kind::Proc,
            other => Kind::Enum(self.types.iter().position(|it| it == other)?),
        };
        self.vars.push((name, Var { kind, arity, constant }));
        Some(())
    }

    fn transition(&mut self) -> Option<Transition> {
        let name = self.word()?;
        let scope = self.params()?;
        let guard = if self.takes("requires") { self.braced(&scope)? } else { super::ast::TRUE };
        self.wants("{")?;
        let mut updates = Vec::new();
        while !self.takes("}") {
            updates.push(self.update(&scope)?);
            self.takes(";");
        }
        Some(Transition { name, params: scope.len(), guard, updates })
    }

    fn update(&mut self, params: &[String]) -> Option<Update> {
        let name = self.word()?;
        let var = self.vars.iter().position(|(it, _)| *it == name)?;
        let index = if self.takes("[") { self.names("]")? } else { Vec::new() };
        self.wants(":=")?;
        let mut scope = params.to_vec();
        let known: Option<Vec<usize>> =
            index.iter().map(|it| params.iter().position(|param| param == it)).collect();
        let target = match known {
            Some(known) if known.is_empty() => Target::Global,
            Some(known) => Target::One(known),
            None => {
                scope.extend(index);
                Target::All
            }
        };
        let value = if self.takes("?") {
            Assigned::Any
        } else if self.takes("case") {
            let (mut branches, mut rest) = (Vec::new(), None);
            while self.takes("|") {
                if self.takes("_") {
                    self.wants(":")?;
                    rest = Some(self.term(&scope)?);
                } else {
                    let when = self.formula(&scope)?;
                    self.wants(":")?;
                    branches.push((when, self.term(&scope)?));
                }
            }
            Assigned::Case(branches, rest)
        } else {
            Assigned::Term(self.term(&scope)?)
        };
        Some(Update { var, target, value })
    }

    fn braced(&mut self, scope: &[String]) -> Option<Formula> {
        self.wants("{")?;
        let formula = self.formula(scope)?;
        self.wants("}")?;
        Some(formula)
    }

    fn formula(&mut self, scope: &[String]) -> Option<Formula> {
        let mut ways = vec![self.conjunction(scope)?];
        while self.takes("||") {
            ways.push(self.conjunction(scope)?);
        }
        Some(if ways.len() == 1 { ways.remove(0) } else { Formula::Or(ways) })
    }

    fn conjunction(&mut self, scope: &[String]) -> Option<Formula> {
        let mut parts = vec![self.atom(scope)?];
        while self.takes("&&") {
            parts.push(self.atom(scope)?);
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Formula::And(parts) })
    }

    fn atom(&mut self, scope: &[String]) -> Option<Formula> {
        if self.takes("(") {
            let inner = self.formula(scope)?;
            self.wants(")")?;
            return Some(inner);
        }
        if self.takes("not") {
            return Some(Formula::Not(Box::new(self.atom(scope)?)));
        }
        for (word, truth) in [("true", super::ast::TRUE), ("false", Formula::Or(Vec::new()))] {
            if self.takes(word) {
                return Some(truth);
            }
        }
        for (universal, other) in [(true, true), (true, false), (false, true), (false, false)] {
            let word = format!(
                "{}{}",
                if universal { "forall" } else { "exists" },
                if other { "_other" } else { "" }
            );
            if self.takes(&word) {
                // These models only have one process at a time.
                let mut inner = scope.to_vec();
                inner.push(self.word()?);
                self.wants(".")?;
                let body = Box::new(self.formula(&inner)?);
                return Some(Formula::Quantified(Quantifier { universal, other }, body));
            }
        }
        let left = self.term(scope)?;
        let op = match self.word()?.as_str() {
            "=" => Op::Eq,
            "<>" => Op::Ne,
            "<=" => Op::Le,
            _ => return None,
        };
        Some(Formula::Compare(op, left, self.term(scope)?))
    }

    fn term(&mut self, scope: &[String]) -> Option<Term> {
        let word = self.word()?;
        if let Some((_, kind, value)) = self.constructors.iter().find(|(name, ..)| *name == word) {
            return Some(Term::Const(*kind, *value));
        }
        if let Some(depth) = scope.iter().position(|it| *it == word) {
            return Some(Term::Bound(depth));
        }
        if let Ok(number) = word.parse() {
            return Some(Term::Const(Kind::Int, number));
        }
        let place = |name: &String, vars: &[(String, Var)]| vars.iter().position(|(it, _)| it == name);
        let var = place(&word, &self.vars)?;
        let index = if self.takes("[") { self.names("]")? } else { Vec::new() };
        let index = index.iter().map(|it| match scope.iter().position(|bound| bound == it) {
            Some(depth) => Some(Index::Bound(depth)),
            None => place(it, &self.vars).map(Index::Global),
        });
        let index = index.collect::<Option<_>>()?;
        Some(if self.takes("+") {
            Term::Sum(var, index, self.word()?.parse().ok()?)
        } else {
            Term::Cell(var, index)
        })
    }
}
