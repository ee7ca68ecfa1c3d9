//! Random models.

use std::collections::BTreeSet;

use super::model::{Formula, Full, Index, Model, Place, Queue, Term, Transition, Ty, Update, Var};
use crate::support::dice::Dice;

pub struct Maker {
    pub dice: Dice,
    pub vars: Vec<Var>,
    pub slot: Ty,
}

impl Maker {
    fn index(&mut self, var: usize, params: usize) -> Vec<Index> {
        let kinds = self.vars[var].index.clone();
        let mut processes: Vec<usize> = (0..params).collect();
        kinds
            .iter()
            .map(|kind| match kind {
                None => {
                    let at = self.dice.below(processes.len());
                    // The diagonal of a matrix now and then.
                    let repeated = self.dice.chance(10);
                    Index::Process(if repeated || processes.len() == 1 {
                        processes[at]
                    } else {
                        processes.remove(at)
                    })
                }
                Some(ty) => Index::Value(Box::new(self.exact(*ty, params, false))),
            })
            .collect()
    }

    /// The fields of this type that can be read with this number of processes.
    fn fields(&self, params: usize, fits: impl Fn(Ty) -> bool, flat: bool) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (at, var) in self.vars.iter().enumerate() {
            let finite = var.index.iter().any(Option::is_some);
            if var.index.contains(&None) && params == 0 || flat && (finite || var.queue.is_some()) {
                continue;
            }
            found.extend((0..var.fields.len()).filter(|it| fits(var.fields[*it].1)).map(|field| (at, field)));
        }
        found
    }

    fn read(&mut self, params: usize, fits: impl Fn(Ty) -> bool, nested: bool) -> Option<Term> {
        let fields = self.fields(params, fits, !nested);
        if fields.is_empty() {
            return None;
        }
        let (var, field) = *self.dice.pick(&fields);
        let place = if self.vars[var].queue.is_some() { Place::Head } else { Place::Cell };
        Some(Term::Read { var, index: self.index(var, params), place, field })
    }

    /// A term whose values are all of the type.
    fn exact(&mut self, ty: Ty, params: usize, nested: bool) -> Term {
        if self.dice.chance(55)
            && let Some(term) = self.read(params, |it| it == ty, nested)
        {
            return term;
        }
        let values: Vec<i64> = ty.values().collect();
        Term::Value(ty, *self.dice.pick(&values))
    }

    /// A term to assign: it may leave a range.
    fn assigned(&mut self, ty: Ty, params: usize) -> Term {
        let Ty::Range(..) = ty else { return self.exact(ty, params, true) };
        match self.dice.below(5) {
            0 | 1 => self.exact(ty, params, true),
            2 => self
                .read(params, |it| matches!(it, Ty::Range(..)), true)
                .unwrap_or_else(|| self.exact(ty, params, true)),
            _ => {
                let by = *self.dice.pick(&[1, 1, -1, -1, 2]);
                match self.read(params, |it| matches!(it, Ty::Range(..)), true) {
                    Some(term) => {
                        let sum = Term::Plus(Box::new(term), by);
                        if self.dice.chance(40) { self.remainder(sum) } else { sum }
                    }
                    None => self.exact(ty, params, true),
                }
            }
        }
    }

    /// What is left of a term where it is of a range that is enumerated; otherwise the term.
    fn remainder(&mut self, of: Term) -> Term {
        let by = *self.dice.pick(&[2, 3, 4]);
        if self.ty(&of).values().count() > 16 { of } else { Term::Remainder(Box::new(of), by) }
    }

    fn comparison(&mut self, params: usize) -> Formula {
        let queues: Vec<usize> = (0..self.vars.len())
            .filter(|&it| {
                self.vars[it].queue.is_some() && (params > 0 || !self.vars[it].index.contains(&None))
            })
            .collect();
        if self.dice.chance(25) && !queues.is_empty() {
            let var = *self.dice.pick(&queues);
            let index = self.index(var, params);
            return match self.dice.below(4) {
                0 => Formula::Empty(var, index),
                1 => Formula::Full(var, index),
                2 => Formula::Not(Box::new(Formula::Empty(var, index))),
                _ => {
                    let length = Term::Read { var, index, place: Place::Length, field: 0 };
                    Formula::Compare(self.operator(), length, Term::Value(Ty::Range(0, 2), 1))
                }
            };
        }
        let records: Vec<usize> = (0..self.vars.len())
            .filter(|&it| {
                self.vars[it].queue.is_none()
                    && self.vars[it].fields.len() > 1
                    && self.vars[it].index == [None]
            })
            .collect();
        if self.dice.chance(10) && params > 1 && !records.is_empty() {
            let var = *self.dice.pick(&records);
            return Formula::Same(
                var,
                vec![Index::Process(0)],
                vec![Index::Process(1)],
                self.dice.chance(50),
            );
        }
        let Some(left) = self.read(params, |_| true, true) else {
            return Formula::Compare("=", Term::Value(Ty::Range(0, 1), 0), Term::Value(Ty::Range(0, 1), 0));
        };
        let ty = self.ty(&left);
        if let Ty::Range(..) = ty {
            let left = if self.dice.chance(15) { Term::Plus(Box::new(left), 1) } else { left };
            let left = if self.dice.chance(15) { self.remainder(left) } else { left };
            if self.dice.chance(35)
                && let Some(right) = self.read(params, |it| matches!(it, Ty::Range(..)), true)
                && !disjoint(ty, self.ty(&right))
            {
                let op = *self.dice.pick(&["<", "<=", ">", ">="]);
                return Formula::Compare(op, left, right);
            }
            let values: Vec<i64> = ty.values().collect();
            let value = *self.dice.pick(&values);
            let op = match left {
                // Such equalities that never hold are errors.
                Term::Plus(..) | Term::Remainder(..) => *self.dice.pick(&["<", "<=", ">", ">="]),
                _ => self.operator(),
            };
            return Formula::Compare(op, left, Term::Value(ty, value));
        }
        let right = self.exact(ty, params, true);
        Formula::Compare(if self.dice.chance(70) { "=" } else { "<>" }, left, right)
    }

    fn operator(&mut self) -> &'static str {
        ["=", "<>", "<", "<=", ">", ">="][self.dice.below(6)]
    }

    fn ty(&self, term: &Term) -> Ty {
        match term {
            Term::Value(ty, _) => *ty,
            Term::Plus(term, _) | Term::Remainder(term, _) => self.ty(term),
            Term::Read { var, field, .. } => self.vars[*var].fields[*field].1,
        }
    }

    fn formula(&mut self, params: usize, quantified: bool) -> Formula {
        match self.dice.below(12) {
            0 => Formula::Not(Box::new(self.comparison(params))),
            1 | 2 => Formula::Either(Box::new(self.comparison(params)), Box::new(self.comparison(params))),
            3 if quantified => Formula::Others(self.dice.chance(60), Box::new(self.comparison(params + 1))),
            4 => Formula::Both(Box::new(self.comparison(params)), Box::new(self.comparison(params))),
            _ => self.comparison(params),
        }
    }

    fn updates(&mut self, params: usize) -> Vec<Update> {
        let mut updates = Vec::new();
        let mut written = BTreeSet::new();
        for _ in 0..=self.dice.below(3) {
            let var = self.dice.below(self.vars.len());
            let over_processes = self.vars[var].index.contains(&None);
            if over_processes && params == 0 || !written.insert(var) {
                continue;
            }
            let index = self.index(var, params);
            let fields = self.vars[var].fields.clone();
            if self.vars[var].queue.is_some() {
                let records: Vec<usize> = (0..self.vars.len())
                    .filter(|&it| {
                        let this = &self.vars[it];
                        this.queue.is_none()
                            && this.fields == fields
                            && !this.index.iter().any(Option::is_some)
                            && !(this.index.contains(&None) && params == 0)
                    })
                    .collect();
                updates.push(match self.dice.below(5) {
                    1 if !records.is_empty() => {
                        let to = *self.dice.pick(&records);
                        if !written.insert(to) {
                            continue;
                        }
                        let target = self.index(to, params);
                        Update::Take(to, target, var, index)
                    }
                    0 | 1 => Update::Receive(var, index),
                    _ => {
                        let values = fields.iter().map(|(_, ty)| self.assigned(*ty, params)).collect();
                        Update::Send(var, index, values)
                    }
                });
                continue;
            }
            let field = self.dice.below(fields.len());
            let ty = fields[field].1;
            let small = ty.values().count() < 9;
            let one_process = self.vars[var].index.iter().filter(|it| it.is_none()).count() == 1;
            let all = |index: &[Index]| {
                index
                    .iter()
                    .map(|it| if let Index::Process(_) = it { Index::Process(params) } else { it.clone() })
                    .collect::<Vec<_>>()
            };
            let update = match self.dice.below(9) {
                0 if small => Update::Any(var, index, field),
                1 if one_process => {
                    let value = self.assigned(ty, params + 1);
                    Update::Each(self.dice.chance(50), var, all(&index), field, value)
                }
                2 if one_process => {
                    let (when, value) = (self.formula(params + 1, false), self.assigned(ty, params + 1));
                    Update::Case(var, all(&index), field, when, value)
                }
                3 | 4 if fields.len() > 1 => {
                    let values = fields.iter().map(|(_, ty)| self.assigned(*ty, params)).collect();
                    Update::Assign(var, index, 0, values)
                }
                5 | 6 if self.vars[var].index == [None] && params > 1 => {
                    let first = self.assigned(ty, params);
                    updates.push(Update::Assign(var, vec![Index::Process(1)], field, vec![first]));
                    Update::Assign(var, vec![Index::Process(0)], field, vec![self.assigned(ty, params)])
                }
                _ => Update::Assign(var, index, field, vec![self.assigned(ty, params)]),
            };
            updates.push(update);
        }
        updates
    }
}

pub fn disjoint(a: Ty, b: Ty) -> bool {
    match (a, b) {
        (Ty::Range(a, b), Ty::Range(c, d)) => b < c || d < a,
        _ => true,
    }
}

pub fn model(seed: u64) -> Model {
    let mut dice = Dice::new(seed);
    let low = *dice.pick(&[0, 0, 1, -1]);
    let slot = Ty::Range(low, low + 1 + dice.below(2) as i64);
    let message = vec![("kind", Ty::Kind), ("num", Ty::Range(0, 2))];
    let queue = |dice: &mut Dice| {
        let full = *dice.pick(&[Full::Blocks, Full::Drops, Full::Fails]);
        Queue { capacity: 1 + dice.below(2), full, lossy: dice.chance(30), duplicating: dice.chance(20) }
    };
    let words = |queue: Queue| {
        let mut words = match queue.full {
            Full::Blocks => "blocks",
            Full::Drops => "drops",
            Full::Fails => "fails",
        }
        .to_owned();
        if queue.lossy {
            words.push_str(" lossy");
        }
        if queue.duplicating {
            words.push_str(" duplicating");
        }
        words
    };
    let wide = Ty::Range(0, 17 + dice.below(4) as i64);
    let alone = |ty| vec![("", ty)];
    let mut vars = Vec::new();
    let mut add = |dice: &mut Dice,
                   percent: usize,
                   name: &str,
                   declared: String,
                   index: Vec<Option<Ty>>,
                   fields: Vec<(&'static str, Ty)>,
                   queue: Option<Queue>| {
        if dice.chance(percent) {
            vars.push(Var { name: name.to_owned(), declared, index, fields, queue });
        }
    };
    add(&mut dice, 40, "Glob", "var Glob : kind".into(), vec![], alone(Ty::Kind), None);
    add(&mut dice, 60, "Num", "var Num : slot".into(), vec![], alone(slot), None);
    add(&mut dice, 30, "Other", "var Other : 0..3".into(), vec![], alone(Ty::Range(0, 3)), None);
    let Ty::Range(_, most) = wide else { unreachable!("a range") };
    add(&mut dice, 25, "Wide", format!("var Wide : 0..{most}"), vec![], alone(wide), None);
    add(&mut dice, 40, "Rec", "var Rec : msg".into(), vec![], message.clone(), None);
    add(&mut dice, 100, "At", "array At[proc] : kind".into(), vec![None], alone(Ty::Kind), None);
    add(&mut dice, 50, "Tick", "array Tick[proc] : slot".into(), vec![None], alone(slot), None);
    add(
        &mut dice,
        35,
        "Seen",
        "array Seen[proc, slot] : bool".into(),
        vec![None, Some(slot)],
        alone(Ty::Bool),
        None,
    );
    add(&mut dice, 30, "Table", "array Table[kind] : slot".into(), vec![Some(Ty::Kind)], alone(slot), None);
    add(&mut dice, 30, "Own", "array Own[proc] : msg".into(), vec![None], message.clone(), None);
    add(&mut dice, 20, "Pair", "array Pair[proc, proc] : slot".into(), vec![None, None], alone(slot), None);
    add(&mut dice, 10, "Far", format!("array Far[proc] : 0..{most}"), vec![None], alone(wide), None);
    let first = queue(&mut dice);
    add(
        &mut dice,
        30,
        "Box",
        format!("channel Box[proc] : msg[{}] {}", first.capacity, words(first)),
        vec![None],
        message.clone(),
        Some(first),
    );
    let second = queue(&mut dice);
    add(
        &mut dice,
        30,
        "Line",
        format!("channel Line : kind[{}] {}", second.capacity, words(second)),
        vec![],
        alone(Ty::Kind),
        Some(second),
    );
    let third = queue(&mut dice);
    add(
        &mut dice,
        15,
        "Post",
        format!("channel Post[slot] : msg[{}] {}", third.capacity, words(third)),
        vec![Some(slot)],
        message,
        Some(third),
    );
    let start = vars.iter().filter(|it| it.queue.is_none()).map(|_| dice.below(3) as i64).collect();
    let mut maker = Maker { dice, vars, slot };
    let params = 1 + maker.dice.below(2);
    let bad = (params, (0..2 + maker.dice.below(2)).map(|_| maker.comparison(params)).collect());
    let mut transitions = Vec::new();
    for _ in 0..2 + maker.dice.below(4) {
        let params = 1 + maker.dice.below(2);
        let guard = (0..=maker.dice.below(3)).map(|_| maker.formula(params, true)).collect();
        let updates = maker.updates(params);
        transitions.push(Transition { params, guard, updates });
    }
    Model { vars: maker.vars, start, slot: maker.slot, bad, transitions }
}
