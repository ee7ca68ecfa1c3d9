//! Random models: small, over the whole language, some safe and some not.

use super::dice::Dice;
use super::model::{Assigned, Formula, Model, Quantified, Transition, Update, Var};

/// How often each feature appears in a model, in percent.
#[derive(Clone, Debug)]
pub struct Weights {
    /// Globals and arrays of type proc.
    pub proc_cells: usize,
    /// Two-dimensional arrays.
    pub matrices: usize,
    /// Numbers, integer or real.
    pub numbers: usize,
    /// Abstract types.
    pub abstracts: usize,
    /// Constants.
    pub constants: usize,
    /// The order of processes.
    pub order: usize,
    /// `number_procs`, and then often process constants.
    pub bounded: usize,
    /// Universal guards, per transition.
    pub universals: usize,
    /// Universals in bad states, per formula.
    pub everywhere: usize,
    /// Disjunctions and other connectives, per formula.
    pub connectives: usize,
    /// Variables that init leaves free, per variable.
    pub free: usize,
    /// `?`, per assigned global.
    pub havoc: usize,
    /// Invariants.
    pub invariants: usize,
    /// Unassigned variables, mostly with an invariant over them: an axiom.
    pub axioms: usize,
    /// Nested cell access, quantifiers in unusual places, lets and predicates.
    pub sugar: usize,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            proc_cells: 45,
            matrices: 15,
            numbers: 20,
            abstracts: 15,
            constants: 12,
            order: 18,
            bounded: 12,
            universals: 30,
            everywhere: 0,
            connectives: 15,
            free: 12,
            havoc: 15,
            invariants: 12,
            axioms: 15,
            sugar: 12,
        }
    }
}

impl Weights {
    /// Weights for runs that end, or continue, because of the value of a proc cell.
    pub fn pointing(seed: u64) -> Self {
        let usual = Self::default();
        let (free, havoc) = ([5, 30, 60][seed as usize % 3], [15, 40][seed as usize % 2]);
        let matrices = [0, 15][usize::from(seed.is_multiple_of(4))];
        let numbers = [0, 30][usize::from(seed.is_multiple_of(10))];
        let connectives = [15, 40][usize::from(seed.is_multiple_of(5))];
        Self { proc_cells: 100, free, havoc, matrices, numbers, connectives, axioms: 5, ..usual }
    }

    /// Weights for searches that need what universals say of processes that a cube does not name.
    pub fn of_others(seed: u64) -> Self {
        let few = Self {
            universals: 80,
            everywhere: 60,
            proc_cells: 20,
            matrices: 5,
            numbers: 3,
            abstracts: 3,
            constants: 3,
            order: 3,
            bounded: 3,
            free: 3,
            invariants: 3,
            axioms: 3,
            sugar: 5,
            ..Self::default()
        };
        match seed % 6 {
            0 => Self { proc_cells: 90, havoc: 25, ..few },
            1 => Self { matrices: 70, connectives: 5, ..few },
            2 => Self { bounded: 70, order: 30, ..few },
            3 => Self { axioms: 90, sugar: 5, ..few },
            4 => Self { sugar: 70, connectives: 30, ..few },
            _ => few,
        }
    }

    /// Weights that change with the seed: the usual ones, or one or two features more often.
    pub fn varied(seed: u64) -> Self {
        let usual = Self::default();
        match seed % 7 {
            0 => Self { universals: 85, connectives: 25, ..usual },
            1 => Self { order: 80, proc_cells: 80, ..usual },
            2 => Self { numbers: 80, constants: 30, free: 6, ..usual },
            3 => Self { abstracts: 70, proc_cells: 70, matrices: 30, ..usual },
            4 => Self { bounded: 80, universals: 50, sugar: 40, ..usual },
            5 => Self { axioms: 100, proc_cells: 60, ..usual },
            _ => usual,
        }
    }
}

/// The model of a seed.
pub fn generate(seed: u64, weights: &Weights) -> Model {
    let mut dice = Dice::new(seed);
    let ordered = dice.chance(weights.order);
    let mut maker = Maker {
        dice,
        weights,
        model: Model::default(),
        ordered,
        constants: Vec::new(),
        names: 0,
        pointers: true,
        denials: true,
    };
    maker.declarations();
    // Separate dice, so that systems without axioms do not change.
    let usual = std::mem::replace(&mut maker.dice, Dice::new(seed ^ 0xa810));
    let frozen = maker.dice.chance(weights.axioms);
    if frozen {
        maker.parameters_of_the_system();
    }
    let other = std::mem::replace(&mut maker.dice, usual);
    maker.init();
    maker.predicates();
    maker.transitions();
    maker.forbidden();
    maker.dice = other;
    if frozen {
        maker.axioms();
    }
    maker.model
}

struct Maker<'a> {
    dice: Dice,
    weights: &'a Weights,
    model: Model,
    /// Whether processes may be compared by `<`.
    ordered: bool,
    /// Process constants that formulas may name.
    constants: Vec<String>,
    /// Bound names given so far.
    names: usize,
    /// Whether an array may be indexed by a global here.
    pointers: bool,
    /// Whether that is also allowed under a negation.
    denials: bool,
}

fn atom(text: String) -> Formula {
    Formula::Atom(text)
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

impl Maker<'_> {
    fn declarations(&mut self) {
        if self.dice.chance(self.weights.bounded) {
            let max = 1 + self.dice.below(3);
            self.model.max_procs = Some(max as u32);
            if self.dice.chance(60) {
                self.constants = (1..=1 + self.dice.below(max.min(2))).map(|k| format!("#{k}")).collect();
            }
        }
        self.model.enums.push(("t".into(), names(&["A", "B", "C", "D"][..2 + self.dice.below(3)])));
        if self.dice.chance(25) {
            self.model.enums.push(("u".into(), names(&["U", "V", "W"][..2 + self.dice.below(2)])));
        }
        self.declare("S", 1, "t");
        if self.dice.chance(40) {
            self.declare("G", 0, "t");
        }
        if self.dice.chance(45) {
            self.declare("F", 0, "bool");
        }
        if self.dice.chance(25) {
            self.declare("X", 1, "bool");
        }
        if self.model.enums.len() > 1 {
            let arity = self.dice.below(2);
            self.declare("E", arity, "u");
        }
        if self.dice.chance(self.weights.proc_cells) {
            self.declare("P", 0, "proc");
            if self.dice.chance(30) {
                self.declare("Q", 0, "proc");
            }
            if self.dice.chance(30) {
                self.declare("L", 1, "proc");
            }
        }
        if self.dice.chance(self.weights.matrices) {
            let ty = if self.dice.chance(70) { "bool" } else { "t" };
            self.declare("M", 2, ty);
        }
        if self.dice.chance(self.weights.numbers) {
            let ty = if self.dice.chance(75) { "int" } else { "real" };
            self.declare("N", 0, ty);
            if self.dice.chance(30) {
                self.declare("K", 0, ty);
            }
            if self.dice.chance(30) {
                self.declare("I", 1, ty);
            }
        }
        if self.dice.chance(self.weights.abstracts) {
            self.model.abstracts.push("d".into());
            self.declare("Y", 0, "d");
            if self.dice.chance(50) {
                self.declare("Z", 0, "d");
            }
            if self.dice.chance(50) {
                self.declare("R", 1, "d");
            }
        }
        if self.dice.chance(self.weights.constants) {
            let types: Vec<String> = self.model.vars.iter().map(|v| v.ty.clone()).collect();
            let ty = self.dice.pick(&types).clone();
            self.model.vars.push(Var { name: "Cst".into(), constant: true, arity: 0, ty });
        }
    }

    /// Variables that no transition assigns.
    fn parameters_of_the_system(&mut self) {
        let mut frozen: Vec<(&str, usize, &str)> =
            vec![("Kind", 1, "t"), ("Flag", 1, "bool"), ("Home", 0, "proc"), ("Mode", 0, "t")];
        if self.dice.chance(30) {
            frozen.push(("Adj", 2, "bool"));
        }
        if self.dice.chance(30) {
            frozen.push(("Rank", 0, "int"));
        }
        if self.dice.chance(30) {
            frozen.push(("Next", 1, "proc"));
        }
        for _ in 0..=self.dice.below(2) {
            let (name, arity, ty) = frozen.remove(self.dice.below(frozen.len()));
            self.model.vars.push(Var { name: name.into(), constant: true, arity, ty: ty.into() });
        }
    }

    /// Invariants over unassigned variables.
    fn axioms(&mut self) {
        self.denials = false;
        let all = self.model.vars.clone();
        self.model.vars.retain(|var| var.constant);
        for _ in 0..=usize::from(self.dice.chance(30)) {
            let params = self.params("x", &[20, 40, 35, 5]);
            let size = 1 + self.dice.below(2);
            let body = self.formula(&params, size);
            self.model.invariants.push(Quantified { params, body });
        }
        self.model.vars = all;
    }

    fn declare(&mut self, name: &str, arity: usize, ty: &str) {
        self.model.vars.push(Var { name: name.into(), constant: false, arity, ty: ty.into() });
    }

    /// A new bound name.
    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn constructors(&self, ty: &str) -> Vec<String> {
        if ty == "bool" {
            return names(&["True", "False"]);
        }
        self.model.enums.iter().find(|(name, _)| name == ty).expect("a declared enum").1.clone()
    }

    /// Processes that a formula with these names in scope can index by.
    fn indices(&self, scope: &[String]) -> Vec<String> {
        scope.iter().chain(&self.constants).cloned().collect()
    }

    /// A cell of type `ty` (any when empty), with indices from `scope`.
    fn cell(&mut self, ty: &str, scope: &[String]) -> Option<(String, String)> {
        let indices = self.indices(scope);
        let vars: Vec<Var> = (self.model.vars.iter())
            .filter(|v| (ty.is_empty() || v.ty == ty) && (v.arity == 0 || !indices.is_empty()))
            .cloned()
            .collect();
        if vars.is_empty() {
            return None;
        }
        let var = self.dice.pick(&vars).clone();
        Some((self.access(&var, &indices), var.ty))
    }

    fn access(&mut self, var: &Var, indices: &[String]) -> String {
        if var.arity == 0 {
            return var.name.clone();
        }
        let pointers: Vec<String> = (self.model.vars.iter())
            .filter(|v| v.ty == "proc" && v.arity == 0 && !v.constant)
            .map(|v| v.name.clone())
            .collect();
        let index: Vec<String> = (0..var.arity)
            .map(|_| {
                let nested =
                    self.pointers && !pointers.is_empty() && self.dice.chance(self.weights.sugar / 3);
                self.dice.pick(if nested { &pointers } else { indices }).clone()
            })
            .collect();
        format!("{}[{}]", var.name, index.join(", "))
    }

    fn number(&mut self, ty: &str) -> String {
        let n = self.dice.below(4) as i64 - i64::from(self.dice.chance(10));
        match ty {
            "int" => n.to_string(),
            _ if self.dice.chance(30) => format!("{n}.5"),
            _ => format!("{n}.0"),
        }
    }

    /// A value of type `ty`: a constructor, a process, a number or a cell.
    fn value(&mut self, ty: &str, scope: &[String]) -> String {
        let copy = self.dice.chance(20);
        if let (true, Some((cell, _))) = (copy || ty == "d", self.cell(ty, scope)) {
            return cell;
        }
        match ty {
            "int" | "real" => self.number(ty),
            "proc" => {
                let all = self.indices(scope);
                if all.is_empty() {
                    return self.cell("proc", scope).expect("some cell has this type").0;
                }
                self.dice.pick(&all).clone()
            }
            "d" => unreachable!("a cell of the abstract type is always in scope: the global Y"),
            _ => {
                let all = self.constructors(ty);
                self.dice.pick(&all).clone()
            }
        }
    }

    /// A summand for a cell of type `ty`: a number, or other cells.
    fn addend(&mut self, ty: &str, scope: &[String]) -> String {
        let one = if ty == "int" { "1" } else { "0.5" };
        let shape = self.dice.below(5);
        match (shape, self.cell(ty, scope)) {
            (2, Some((cell, _))) => cell,
            (3, Some((cell, _))) => format!("2 * {cell} - {one}"),
            (4, Some((cell, _))) => {
                let (other, _) = self.cell(ty, scope).expect("the one before, at least");
                format!("{cell} - {other} * 2")
            }
            _ => one.to_owned(),
        }
    }

    /// A literal; one about processes alone when nothing else fits.
    fn literal(&mut self, scope: &[String]) -> Formula {
        let indices = self.indices(scope);
        if self.ordered && indices.len() > 1 && self.dice.chance(15) {
            let op = *self.dice.pick(&["<", "<=", "<", ">"]);
            return atom(format!("{} {op} {}", self.dice.pick(&indices), self.dice.pick(&indices)));
        }
        let Some((cell, ty)) = self.cell("", scope) else { return Formula::default() };
        self.about(&cell, &ty, scope)
    }

    /// A literal about a cell.
    fn about(&mut self, cell: &str, ty: &str, scope: &[String]) -> Formula {
        let mut value = self.value(ty, scope);
        if value == cell {
            // Try again: `X = X` is useless.
            value = self.value(ty, scope);
        }
        let op = match ty {
            "int" | "real" => {
                if self.dice.chance(20) {
                    let sign = *self.dice.pick(&["+", "-"]);
                    if value.starts_with(|c: char| c.is_ascii_uppercase()) {
                        value = format!("{value} {sign} {}", self.addend(ty, scope));
                    }
                }
                *self.dice.pick(&["=", "=", "<", "<=", ">", ">=", "<>"])
            }
            "proc" if self.ordered => *self.dice.pick(&["=", "=", "<>", "<", "<=", ">"]),
            _ => *self.dice.pick(&["=", "=", "=", "<>"]),
        };
        atom(format!("{cell} {op} {value}"))
    }

    /// A quantifier-free formula with about `size` literals.
    fn formula(&mut self, scope: &[String], size: usize) -> Formula {
        let mut parts = Vec::new();
        while parts.len() < size {
            let part = if self.dice.chance(self.weights.connectives) {
                self.connective(scope)
            } else {
                self.literal(scope)
            };
            parts.push(part);
        }
        Formula::And(parts)
    }

    fn connective(&mut self, scope: &[String]) -> Formula {
        // Bad states may not negate a condition on the cell of a pointer.
        let pointers = self.pointers;
        self.pointers &= self.denials;
        let formula = self.connected(scope);
        self.pointers = pointers;
        formula
    }

    fn connected(&mut self, scope: &[String]) -> Formula {
        let (a, b) = (self.literal(scope), self.literal(scope));
        match self.dice.below(8) {
            0 => Formula::Not(Box::new(Formula::And(vec![a, b]))),
            1 => Formula::Arrow("=>", Box::new(a), Box::new(b)),
            2 => Formula::Arrow("<=>", Box::new(a), Box::new(b)),
            3 => Formula::If(Box::new([a, b, self.literal(scope)])),
            4 => Formula::Or(vec![Formula::And(vec![a, b]), self.literal(scope)]),
            5 => Formula::Not(Box::new(a)),
            _ => Formula::Or(vec![a, b]),
        }
    }

    fn params(&mut self, stem: &str, odds: &[usize]) -> Vec<String> {
        let mut pick = self.dice.below(odds.iter().sum());
        let count = odds.iter().position(|&w| {
            let here = pick < w;
            pick = pick.saturating_sub(w);
            here
        });
        (0..count.expect("below the sum")).map(|_| self.fresh(stem)).collect()
    }

    fn init(&mut self) {
        self.pointers = false;
        let matrix = self.model.vars.iter().any(|v| v.arity == 2);
        let params: Vec<String> = if matrix { names(&["a", "b"]) } else { names(&["a"]) };
        let body = if self.dice.chance(12) {
            Formula::Or(vec![self.initial_values(&params), self.initial_values(&params)])
        } else {
            self.initial_values(&params)
        };
        self.model.init = Quantified { params, body };
        self.pointers = true;
    }

    fn initial_values(&mut self, params: &[String]) -> Formula {
        let mut parts = Vec::new();
        for var in self.model.vars.clone() {
            let numeric = matches!(var.ty.as_str(), "int" | "real");
            let free = match var.ty.as_str() {
                "proc" => 55,
                "d" => 60,
                _ if var.constant => 60,
                // A number that init leaves free cannot be enumerated.
                _ if numeric => self.weights.free / 3,
                _ => self.weights.free,
            };
            if self.dice.chance(free) {
                continue;
            }
            let cell = format!(
                "{}{}",
                var.name,
                match var.arity {
                    0 => String::new(),
                    1 => format!("[{}]", params[0]),
                    _ => format!("[{}, {}]", params[0], params[1]),
                }
            );
            let literal = match var.ty.as_str() {
                "proc" if var.arity == 0 && self.dice.chance(50) => format!("{cell} <> {}", params[0]),
                "proc" if self.dice.chance(50) => {
                    let other = self.cell("proc", params).expect("this cell, at least").0;
                    format!("{cell} = {other}")
                }
                "proc" if self.dice.chance(50) => format!("{cell} <> {}", self.value("proc", params)),
                "proc" if var.arity == 1 => format!("{cell} = {}", params[0]),
                "proc" => continue,
                "d" => format!("{cell} {} {}", self.dice.pick(&["=", "=", "<>"]), self.value("d", params)),
                "int" | "real" => format!("{cell} = {}", self.number(&var.ty)),
                ty => {
                    let all = self.constructors(ty);
                    // The first constructors are the usual initial ones, so that later ones are reached later.
                    let c = if self.dice.chance(75) {
                        all.last().filter(|_| ty == "bool").or(all.first())
                    } else {
                        None
                    };
                    let value = c.cloned().unwrap_or_else(|| self.value(ty, params));
                    format!("{cell} {} {value}", if self.dice.chance(6) { "<>" } else { "=" })
                }
            };
            parts.push(atom(literal));
        }
        if self.dice.chance(self.weights.connectives / 3) {
            parts.push(self.connective(params));
        }
        Formula::And(parts)
    }

    fn predicates(&mut self) {
        if self.dice.chance(self.weights.sugar) {
            self.pointers = false;
            let params = names(&["x"]);
            let body = self.formula(&params, 2);
            self.model.predicates.push(("pred".into(), params, body));
            self.pointers = true;
        }
    }

    fn transitions(&mut self) {
        let count = 2 + self.dice.below(4);
        for number in 0..count {
            let params = self.params("i", &[20, 55, 22, 3]);
            let params: Vec<String> = match self.model.max_procs {
                // More parameters than processes: the transition never fires, which is legal.
                Some(_) if self.dice.chance(10) => params,
                Some(max) => params.into_iter().take(max as usize).collect(),
                None => params,
            };
            let guard = self.guard(&params);
            let (mut updates, mut lets) = (Vec::new(), Vec::new());
            let mut targets: Vec<Var> = self.model.vars.iter().filter(|v| !v.constant).cloned().collect();
            for _ in 0..1 + self.dice.below(2) + usize::from(self.dice.chance(20)) {
                if !targets.is_empty() {
                    let at = if self.dice.chance(35) { 0 } else { self.dice.below(targets.len()) };
                    let target = targets.remove(at);
                    updates.extend(self.update(&target, &params, &mut lets));
                }
            }
            let name = if number > 0 && self.dice.chance(5) { "t0".into() } else { format!("t{number}") };
            self.model.transitions.push(Transition { name, params, guard, lets, updates });
        }
    }

    fn guard(&mut self, params: &[String]) -> Formula {
        let mut parts = Vec::new();
        if let (Some(i), true) = (params.first(), self.dice.chance(75)) {
            let all = self.constructors("t");
            parts.push(atom(format!("S[{i}] = {}", self.dice.pick(&all))));
        }
        let size = self.dice.below(3);
        if let Formula::And(more) = self.formula(params, size) {
            parts.extend(more);
        }
        if self.dice.chance(self.weights.universals) {
            parts.push(self.universal(params));
            if self.dice.chance(10) {
                parts.push(self.universal(params));
            }
        }
        if self.dice.chance(self.weights.sugar / 2) {
            parts.push(self.existential(params));
        }
        if let Some((name, ..)) = self.model.predicates.first()
            && let Some(first) = params.first()
            && self.dice.chance(40)
        {
            parts.push(atom(format!("{name}({first})")));
        }
        Formula::And(parts)
    }

    fn universal(&mut self, params: &[String]) -> Formula {
        self.pointers = false;
        let nested = self.dice.chance(self.weights.sugar / 2);
        let body = self.universal_of(params, nested);
        self.pointers = true;
        body
    }

    /// A universal, with another one in it when `nested`, or of two processes.
    fn universal_of(&mut self, around: &[String], nested: bool) -> Formula {
        let mut bound = vec![self.fresh("j")];
        let inside = nested && self.dice.chance(70);
        if nested && !inside {
            bound.push(self.fresh("j"));
        }
        let scope: Vec<String> = around.iter().chain(&bound).cloned().collect();
        let mut parts = Vec::new();
        let vars: Vec<Var> = self.model.vars.iter().filter(|v| v.arity == 1).cloned().collect();
        for _ in 0..=usize::from(nested || self.dice.chance(30)) {
            let (var, at) = (self.dice.pick(&vars).clone(), self.dice.pick(&bound).clone());
            let mut literal = self.about(&format!("{}[{at}]", var.name), &var.ty, &scope);
            if self.dice.chance(15) {
                literal = self.literal(&scope);
            }
            parts.push(literal);
        }
        if inside {
            parts.pop();
            parts.push(self.universal_of(&scope, false));
            if self.dice.chance(30) {
                parts.push(self.universal_of(&scope, false));
            }
        }
        let body = if self.dice.chance(40) { Formula::Or(parts) } else { Formula::And(parts) };
        let quantifier = if self.dice.chance(self.weights.sugar) { "forall" } else { "forall_other" };
        Formula::Quantifier(format!("{quantifier} {}", bound.join(" ")), Box::new(body))
    }

    fn existential(&mut self, params: &[String]) -> Formula {
        let bound = self.fresh("e");
        let scope: Vec<String> = params.iter().cloned().chain([bound.clone()]).collect();
        self.pointers = false;
        let body = Formula::And(vec![self.literal(&scope), self.literal(&scope)]);
        self.pointers = true;
        match self.dice.below(3) {
            0 => Formula::Quantifier(format!("exists {bound}"), Box::new(body)),
            1 => Formula::Quantifier(format!("exists_other {bound}"), Box::new(body)),
            _ => Formula::Not(Box::new(Formula::Quantifier(format!("exists_other {bound}"), Box::new(body)))),
        }
    }

    fn update(
        &mut self,
        target: &Var,
        params: &[String],
        lets: &mut Vec<(String, String)>,
    ) -> Option<Update> {
        let all_indices = self.indices(params);
        if target.arity == 0 {
            let havoc = self.weights.havoc;
            let value = match self.dice.below(100) {
                at if at < havoc => Assigned::Term(self.dice.pick(&["?", "."]).to_string()),
                at if at < havoc + 15 => {
                    let branches = self.branches(&target.ty, params);
                    let default = self.dice.chance(70).then(|| target.name.clone());
                    Assigned::Case(branches, default)
                }
                _ => Assigned::Term(self.assigned(target, &target.name, params, lets)),
            };
            // A number assigned `?` cannot be enumerated: rare.
            let havoc = matches!(&value, Assigned::Term(t) if t == "?" || t == ".");
            if havoc && matches!(target.ty.as_str(), "int" | "real") && !self.dice.chance(15) {
                return None;
            }
            return Some(Update { target: target.name.clone(), value });
        }
        if !all_indices.is_empty() && self.dice.chance(65) {
            let left = self.access(target, &all_indices);
            let value = self.assigned(target, &left, params, lets);
            return Some(Update { target: left, value: Assigned::Term(value) });
        }
        let bound: Vec<String> = (0..target.arity).map(|_| self.fresh("c")).collect();
        let cell = format!("{}[{}]", target.name, bound.join(", "));
        let scope: Vec<String> = params.iter().chain(&bound).cloned().collect();
        let branches = self.branches(&target.ty, &scope);
        let default = match self.dice.below(10) {
            0..7 => Some(cell.clone()),
            7..9 => Some(self.value(&target.ty, &scope)),
            _ => None,
        };
        Some(Update { target: cell, value: Assigned::Case(branches, default) })
    }

    fn branches(&mut self, ty: &str, scope: &[String]) -> Vec<(Formula, String)> {
        (0..1 + self.dice.below(2) + usize::from(self.dice.chance(15)))
            .map(|_| {
                let [first, .., last] = scope else { return (self.formula(scope, 1), self.value(ty, scope)) };
                let when = match self.dice.below(4) {
                    0 | 1 => atom(format!("{last} = {first}")),
                    2 => Formula::And(vec![atom(format!("{last} <> {first}")), self.literal(scope)]),
                    _ => self.formula(scope, 1),
                };
                (when, self.value(ty, scope))
            })
            .collect()
    }

    fn assigned(
        &mut self,
        target: &Var,
        left: &str,
        params: &[String],
        lets: &mut Vec<(String, String)>,
    ) -> String {
        let numeric = match target.ty.as_str() {
            "int" => Some("1"),
            "real" => Some("0.5"),
            _ => None,
        };
        let value = match numeric {
            // An endless counter is not decided quickly.
            Some(one) if !left.contains('[') && self.dice.chance(60) => {
                format!("{left} {} {one}", self.dice.pick(&["+", "-"]))
            }
            Some(_) if self.dice.chance(30) => match self.cell(&target.ty, params) {
                Some((cell, _)) => {
                    let sign = *self.dice.pick(&["+", "-"]);
                    format!("{cell} {sign} {}", self.addend(&target.ty, params))
                }
                None => self.value(&target.ty, params),
            },
            _ => self.value(&target.ty, params),
        };
        if self.dice.chance(self.weights.sugar / 3) {
            let name = self.fresh("v");
            lets.push((name.clone(), value));
            return name;
        }
        value
    }

    fn forbidden(&mut self) {
        self.denials = false;
        for _ in 0..=usize::from(self.dice.chance(25)) {
            let q = self.forbidden_states();
            self.model.unsafes.push(q);
        }
        if self.dice.chance(self.weights.invariants) {
            let q = self.forbidden_states();
            self.model.invariants.push(q);
        }
    }

    fn forbidden_states(&mut self) -> Quantified {
        let params = self.params("z", &[12, 38, 45, 5]);
        let mut parts = Vec::new();
        for z in &params {
            if self.dice.chance(80) {
                let all = self.constructors("t");
                // Late constructors are reached late.
                let c = if self.dice.chance(60) {
                    all.last().expect("one").clone()
                } else {
                    self.dice.pick(&all).clone()
                };
                parts.push(atom(format!("S[{z}] = {c}")));
            }
        }
        let more = usize::from(parts.len() < 2) + usize::from(self.dice.chance(40));
        if let Formula::And(rest) = self.formula(&params, more) {
            parts.extend(rest);
        }
        if self.dice.chance(self.weights.sugar / 3) {
            let bound = self.fresh("e");
            let scope: Vec<String> = params.iter().cloned().chain([bound.clone()]).collect();
            let body = self.formula(&scope, 1);
            parts.push(Formula::Quantifier(format!("exists {bound}"), Box::new(body)));
        }
        if self.weights.everywhere > 0 && self.dice.chance(self.weights.everywhere) {
            parts.push(self.universal(&params));
        }
        Quantified { params, body: Formula::And(parts) }
    }
}
