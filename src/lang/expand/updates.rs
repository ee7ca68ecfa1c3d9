//! What updates write: for each variable of the core the cells, the conditions and the values.

use std::sync::Arc;

use indexmap::IndexMap;

use super::facts::Facts;
use super::formulas::{has_value, projected};
use super::make::{self, all, any, number};
use super::substitute::{in_path, in_value, substituted};
use super::terms::{Linear, Place, Value, Way, linear};
use super::types::{Expander, Full, Index, Trouble, Type};
use super::witnesses::sort_of;
use crate::diagnostic::{Diagnostic, Span};
use crate::model::constant_assigned;
use crate::syntax::ast::{Case, Comparison, Expr, Loc, Name, Path, Quantifier, Rhs, Term, TermKind, Update};
use crate::syntax::{self, Word, negation};

/// A value that is assigned; `None`: one that is not in the range.
pub type Out = Option<Term>;

/// What a write does to its cells.
#[derive(Clone, Debug)]
pub enum Effect {
    /// The first branch that holds gives the value; without one the cell keeps its value.
    Cases(Vec<(Option<Expr>, Vec<Way<Out>>)>),
    Any,
}

/// A write of one variable of the core.
#[derive(Clone, Debug)]
pub struct Write {
    pub name: String,
    pub index: Vec<Name>,
    /// The indices among them that stand for all processes.
    pub bound: Vec<Name>,
    pub ty: Type,
    /// The conditions under which it takes place.
    pub when: Vec<Expr>,
    pub effect: Effect,
    pub at: Loc,
}

/// A step, before it is written in the core.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    pub guard: Vec<Expr>,
    /// Updates of the core, as they stand.
    pub raw: Vec<Update>,
    pub writes: Vec<Write>,
    /// Where it ends in an error instead.
    pub troubles: Vec<(Trouble, Expr)>,
    /// Whether it always does.
    pub fails: bool,
}

impl Draft {
    pub fn and(&self, other: Self) -> Self {
        let mut both = self.clone();
        both.guard.extend(other.guard);
        both.raw.extend(other.raw);
        both.writes.extend(other.writes);
        both.troubles.extend(other.troubles);
        both.fails |= other.fails;
        both
    }
}

impl Expander {
    /// The ways in which an update may happen. `None` after an error.
    pub fn options(&mut self, update: &Update, facts: &Facts, params: &[Name]) -> Option<Vec<Draft>> {
        let target = update.target.clone();
        match &update.value {
            Rhs::Send(value) => self.send(&target, value, facts, update.loc),
            Rhs::Drop => self.receive(&target, update.loc),
            Rhs::Receive(channel) => {
                self.channel(channel)?;
                let value = Rhs::Term(Term::path(channel.field("head"), channel.loc));
                let taken = self.assign(&Assigned::new(target, value, update.loc), facts)?;
                let rest = self.receive(channel, update.loc)?;
                Some(rest.into_iter().map(|it| taken.and(it)).collect())
            }
            value => {
                let mut assigned = Assigned::new(target, value.clone(), update.loc);
                if let Some((quantifier, vars)) = &update.each {
                    self.quantified(*quantifier, vars, &mut assigned, params)?;
                } else if let Rhs::Cases(_) = value {
                    // A parameter stands for itself: the `case` is for its cell.
                    let names = assigned.target.index.iter().flatten().filter_map(small_name);
                    let new = |name: &&Name| !params.iter().any(|it| it.text == name.text);
                    assigned.bound = names.filter(new).cloned().collect();
                }
                Some(vec![self.assign(&assigned, facts)?])
            }
        }
    }

    /// `forall q. A[q] := ..`
    fn quantified(
        &mut self,
        quantifier: Quantifier,
        vars: &[Name],
        assigned: &mut Assigned,
        params: &[Name],
    ) -> Option<()> {
        let others = match quantifier {
            Quantifier::Forall => false,
            Quantifier::ForallOther => true,
            Quantifier::Exists | Quantifier::ExistsOther => {
                let message = format!("`{quantifier}` in front of an update");
                return Diagnostic::error("C0408", assigned.at.0, message)
                    .label("an update is for all processes, or for given ones")
                    .help("add a parameter to the transition, which stands for some process")
                    .refuse(self);
            }
        };
        for var in vars {
            let indexed =
                assigned.target.index.iter().flatten().filter_map(small_name).any(|it| it.text == var.text);
            let message = if params.iter().any(|it| it.text == var.text) {
                format!("`{}` is already a parameter", var.text)
            } else if !indexed {
                format!("`{}` is not an index of `{}`", var.text, assigned.target)
            } else {
                continue;
            };
            return Diagnostic::error("C0405", var.span(), message)
                .label("the quantifier binds a new name, which stands among the indices")
                .help("write `forall q. A[q] := ..` with a new name `q`")
                .refuse(self);
        }
        for var in vars {
            let sort = self.sort_at(&assigned.target, var);
            if let (Some(said), Some(sort)) = (&var.sort, sort.filter(|it| !it.is_empty()))
                && said.text != sort
            {
                let message = format!("`{}` is indexed by a `{sort}` here", assigned.target.name);
                return Diagnostic::error("C0218", var.span(), message)
                    .label(format!("`{}` is of sort `{}`", var.text, said.text))
                    .refuse(self);
            }
        }
        assigned.bound = vars.to_vec();
        if others {
            let index = assigned.target.index.as_deref().unwrap_or_default();
            let kinds = self.symbols.variables.get(&assigned.target.name.text).map(|it| it.index.clone());
            let finite = |var: &Name| {
                let mut at = kinds.iter().flatten().zip(index);
                at.any(|(kind, term)| {
                    *kind != Index::Proc && small_name(term).is_some_and(|it| it.text == var.text)
                })
            };
            let processes: Vec<&Name> = vars.iter().filter(|var| !finite(var)).collect();
            // Parameters of other sorts are other processes.
            let comparable = |var: &Name, param: &Name| {
                self.sort_at(&assigned.target, var).is_none_or(|sort| sort == sort_of(param).text)
            };
            let pairs = processes.iter().flat_map(|var| params.iter().map(move |param| (*var, param)));
            for (var, param) in pairs.filter(|(var, param)| comparable(var, param)) {
                let (left, right) = (Term::name(var.clone()), Term::name(param.clone()));
                assigned.when.push(Expr::compare(left, Comparison::Ne, right, var.span()));
            }
        }
        Some(())
    }

    /// The sort of the processes that a name among the indices of a target stands for; `None` where it is not one, or there are no sorts.
    fn sort_at(&self, target: &Path, name: &Name) -> Option<String> {
        let sorts = self.sorts.as_ref()?;
        let variable = self.symbols.variables.get(&target.name.text)?;
        let kinds = variable.index.iter().zip(target.index.iter().flatten());
        let of_processes = kinds.filter(|(kind, _)| **kind == Index::Proc).map(|(_, term)| term);
        let at = of_processes.map(small_name).position(|it| it.is_some_and(|it| it.text == name.text))?;
        sorts.indices.get(&variable.leaves.values().next()?.0)?.get(at).cloned()
    }

    /// The places of a channel; `None`, with an error, when it is not one.
    fn channel(&mut self, path: &Path) -> Option<Vec<Way<Place>>> {
        let places = self.places(path)?;
        if places.iter().any(|it| it.it.ty.queue().is_none()) {
            return Diagnostic::error("C0216", path.loc.0, format!("`{path}` is not a channel"))
                .label("messages are sent to, and received from, a `channel`")
                .refuse(self);
        }
        Some(places)
    }

    /// That a channel holds this many messages.
    pub fn has_length(channel: &Path, length: usize) -> Expr {
        let left = Term::path(channel.field("length"), channel.loc);
        Expr::compare(left, Comparison::Eq, number(length as i64, channel.loc), channel.loc.0)
    }

    fn send(&mut self, channel: &Path, value: &Term, facts: &Facts, at: Loc) -> Option<Vec<Draft>> {
        let places = self.channel(channel)?;
        let owner = places.first()?.it.owner.clone();
        let queue = places.first()?.it.ty.queue()?;
        let is_full = Self::has_length(channel, queue.capacity);
        let mut sent = Draft::default();
        for length in 0..queue.capacity {
            let here = vec![Self::has_length(channel, length)];
            let (place, value) = (channel.field(&length.to_string()), Rhs::Term(value.clone()));
            let message = Assigned { when: here, ..Assigned::inside(place, value, at) };
            sent = sent.and(self.assign(&message, facts)?);
        }
        let cases = (0..queue.capacity).map(|length| Case {
            when: Some(Self::has_length(channel, length)),
            value: number(length as i64 + 1, at),
            loc: at,
        });
        let longer = Assigned::inside(channel.field("length"), Rhs::Cases(cases.collect()), at);
        sent = sent.and(self.assign(&longer, facts)?);
        let full = self.formula(&is_full);
        let mut lost = Draft::default();
        if queue.full != Full::Drops {
            sent.guard.push(negation(&full));
            lost.guard.push(negation(&full));
        }
        let mut ways = vec![sent];
        if queue.lossy {
            ways.push(lost);
        }
        if queue.full == Full::Fails {
            ways.push(Draft {
                guard: vec![full.clone()],
                troubles: vec![(Trouble { owner, overflows: true }, full)],
                fails: true,
                ..Draft::default()
            });
        }
        // A message has a value, also one that is lost.
        let message = self.type_of(&channel.field("0"));
        for value in self.leaves(message.as_ref(), value)? {
            let meant = self.meant(&value, at.0)?;
            for way in &mut ways {
                way.guard.extend(meant.clone());
            }
        }
        Some(ways)
    }

    fn receive(&mut self, channel: &Path, at: Loc) -> Option<Vec<Draft>> {
        let places = self.channel(channel)?;
        let queue = places.first()?.it.ty.queue()?;
        // Nothing is received either where the index is a variable that does not hold a process.
        let length = Term::path(channel.field("length"), channel.loc);
        let some = Expr::compare(length, Comparison::Ne, number(0, channel.loc), channel.loc.0);
        let waiting = self.formula(&some);
        let mut taken = Draft { guard: vec![waiting.clone()], ..Draft::default() };
        let facts = Facts::default();
        for place in 0..queue.capacity {
            let target = channel.field(&place.to_string());
            let draft = if place + 1 < queue.capacity {
                let value = Rhs::Term(Term::path(channel.field(&(place + 1).to_string()), at));
                self.assign(&Assigned::inside(target, value, at), &facts)?
            } else {
                self.cleared(&target, at)?
            };
            taken = taken.and(draft);
        }
        let cases = (1..=queue.capacity).map(|length| Case {
            when: Some(Self::has_length(channel, length)),
            value: number(length as i64 - 1, at),
            loc: at,
        });
        let shorter = Assigned::inside(channel.field("length"), Rhs::Cases(cases.collect()), at);
        taken = taken.and(self.assign(&shorter, &facts)?);
        let mut ways = vec![taken];
        if queue.duplicating {
            ways.push(Draft { guard: vec![waiting], ..Draft::default() });
        }
        Some(ways)
    }

    /// Gives the last place of a queue the value of places that hold no message.
    fn cleared(&mut self, target: &Path, at: Loc) -> Option<Draft> {
        let mut draft = Draft::default();
        // The types are the same at all places.
        if let Some(way) = self.places(target)?.first() {
            for (path, ty) in leaves(target, &way.it.ty) {
                let process = way.it.index.first().filter(|_| ty == Type::Proc).cloned().map(Term::name);
                let Some(value) = Self::nothing(&ty).or(process) else { continue };
                let nothing = Assigned::inside(path, Rhs::Term(Term { loc: at, ..value }), at);
                draft = draft.and(self.assign(&nothing, &Facts::default())?);
            }
        }
        Some(draft)
    }

    /// The value of a place of a queue that holds no message; a process is that of the channel instead.
    pub fn nothing(ty: &Type) -> Option<Term> {
        match ty {
            Type::Finite(values) => Some(values.written(0, Loc::default())),
            Type::Wide(low, _) => Some(number(*low, Loc::default())),
            Type::Int => Some(number(0, Loc::default())),
            Type::Proc | Type::Core(_) | Type::Record(_) => None,
        }
    }

    fn assign(&mut self, this: &Assigned, facts: &Facts) -> Option<Draft> {
        if let Some(drafts) = self.every_value(this, facts) {
            return drafts;
        }
        let owner = self.symbols.variables.get(&this.target.name.text);
        if owner.is_some_and(|it| it.ty.queue().is_some()) && !this.internal {
            let what = if this.target.fields.is_empty() { "channel " } else { "" };
            return Diagnostic::error("C0216", this.at.0, format!("{what}`{}` is assigned", this.target))
                .label("`send` and `receive` change a channel")
                .help("write `send(C, value)` or `receive(C)`")
                .refuse(self);
        }
        if let Some(Type::Record(record)) = self.type_of(&this.target) {
            let mut draft = Draft::default();
            for (field, _) in &record.fields {
                let value = match &this.value {
                    Rhs::Term(term) => Rhs::Term(self.field_of(term, field, &record.fields)?),
                    Rhs::Cases(cases) => {
                        let part = |case: &Case| {
                            let value = self.field_of(&case.value, field, &record.fields)?;
                            Some(Case { value, ..case.clone() })
                        };
                        Rhs::Cases(cases.iter().map(part).collect::<Option<_>>()?)
                    }
                    other => other.clone(),
                };
                let target = this.target.field(field);
                draft = draft.and(self.assign(&Assigned { target, value, ..this.clone() }, facts)?);
            }
            return Some(draft);
        }
        let mut draft = if this.internal { Draft::default() } else { self.read(this)? };
        for way in self.places(&this.target)? {
            let owner = self.symbols.variables.get(&way.it.owner).filter(|it| it.constant);
            if let Some(owner) = owner.cloned() {
                return constant_assigned(&this.target.name).also(owner.span, "declared here").refuse(self);
            }
            let written = self.written(this, way, facts)?;
            draft = draft.and(written);
        }
        Some(draft)
    }

    /// An assignment with names for indices of finite types: one for each value of these.
    fn every_value(&mut self, this: &Assigned, facts: &Facts) -> Option<Option<Draft>> {
        let variable = self.symbols.variables.get(&this.target.name.text)?;
        let index = this.target.index.as_deref().unwrap_or_default();
        let mut finite = variable.index.iter().zip(index).filter_map(|(kind, term)| match kind {
            Index::Finite(values) => Some((small_name(term)?.clone(), Arc::clone(values))),
            Index::Proc => None,
        });
        let (name, values) = finite.find(|(name, _)| this.bound.iter().any(|it| it.text == name.text))?;
        let mut draft = Draft::default();
        for at in 0..values.names.len() {
            let given = IndexMap::from([(name.text.clone(), values.written(at, name.loc))]);
            let target = in_path(this.target.clone(), &given);
            let value = in_value(&this.value, &given);
            let bound = this.bound.iter().filter(|it| it.text != name.text).cloned().collect();
            let when = this.when.iter().map(|it| substituted(it, &given)).collect();
            let one = Assigned { target, bound, when, value, ..this.clone() };
            match self.assign(&one, facts) {
                Some(it) => draft = draft.and(it),
                None => return Some(None),
            }
        }
        Some(Some(draft))
    }

    /// A value, or what the fields of a record hold.
    fn leaves(&mut self, ty: Option<&Type>, value: &Term) -> Option<Vec<Term>> {
        let Some(Type::Record(record)) = ty else { return Some(vec![value.clone()]) };
        let mut leaves = Vec::new();
        for (field, ty) in &record.fields {
            let value = self.field_of(value, field, &record.fields)?;
            leaves.extend(self.leaves(Some(ty), &value)?);
        }
        Some(leaves)
    }

    /// A field of a value that is a record.
    fn field_of(&mut self, term: &Term, field: &str, fields: &[(String, Type)]) -> Option<Term> {
        let given = if let TermKind::Record(given) = &term.kind { given.as_slice() } else { &[] };
        for (at, (name, _)) in given.iter().enumerate() {
            let twice = given[..at].iter().any(|(other, _)| other.text == name.text);
            let odd = !fields.iter().any(|(it, _)| *it == name.text);
            if twice || odd {
                let what = if twice { "twice" } else { "not a field of this record" };
                return Diagnostic::error("C0214", name.span(), format!("`{}` is {what}", name.text))
                    .label("each field of the record stands here once")
                    .help(format!("the fields are {}", listed(fields)))
                    .refuse(self);
            }
        }
        if self.fields(term).is_some_and(|known| known.iter().any(|it| it == field)) {
            return Some(projected(term, field));
        }
        let message = if matches!(term.kind, TermKind::Record(_)) {
            format!("the field `{field}` is missing")
        } else {
            format!("`{term}` is not a record with the field `{field}`")
        };
        Diagnostic::error("C0214", term.span(), message)
            .label(format!("a record with the fields {} is expected", listed(fields)))
            .help("to change one field, write `X.field := value`")
            .refuse(self)
    }

    /// The processes that an update binds.
    fn bound(&self, this: &Assigned) -> Vec<Name> {
        let names = this.target.index.iter().flatten().filter_map(small_name).filter(|it| this.binds(it));
        let with_sort = |it: &Name| match self.sort_at(&this.target, it) {
            Some(sort) => it.plain().of_sort(Name::at(sort, it.loc)),
            None => it.clone(),
        };
        names.map(with_sort).collect()
    }

    /// The step is not possible where a value that is read has no meaning, whatever it is assigned to.
    fn read(&mut self, this: &Assigned) -> Option<Draft> {
        let (mut draft, at) = (Draft::default(), this.at.0);
        let mut before: Vec<Expr> = this.when.iter().map(|it| self.formula(it)).collect();
        for case in this.cases() {
            let condition = case.when.as_ref().map(|it| self.formula(it));
            if let Some(meant) = self.meant(&case.value, at)? {
                let parts =
                    before.iter().cloned().chain(condition.clone()).chain([negation(&meant)]).collect();
                let none = self.for_some(&self.bound(this), all(parts, at), at)?;
                draft.guard.push(negation(&none));
            }
            before.extend(condition.as_ref().map(negation));
        }
        Some(draft)
    }

    fn written(&mut self, this: &Assigned, way: Way<Place>, facts: &Facts) -> Option<Draft> {
        let at = this.at.0;
        let mut draft = Draft::default();
        let mut when = way.conditions(at);
        when.extend(this.when.iter().map(|it| self.formula(it)));
        let bound: Vec<Name> = way.it.index.iter().filter(|it| this.binds(it)).cloned().collect();
        let some = self.bound(this);
        let mut branches = Vec::new();
        let mut before: Vec<Expr> = when.clone();
        for case in &this.cases() {
            let condition = case.when.as_ref().map(|it| self.formula(it));
            let here: Vec<Expr> = before.iter().cloned().chain(condition.clone()).collect();
            let mut facts = facts.clone();
            for it in &here {
                facts.add(it);
            }
            let mut values = self.assigned(&way.it.ty, &case.value, &facts)?;
            let outside = values.iter().filter(|it| it.it.is_none());
            let leaves: Vec<Expr> = outside.map(|it| all(it.conditions(at), at)).collect();
            if !leaves.is_empty() {
                let mut parts = here.clone();
                parts.push(any(leaves, at));
                // Nothing is written where the cell does not exist.
                let cell = self.core_path(&way.it);
                parts.extend((!cell.has_cell()).then(|| has_value(&cell, at)));
                let owner = way.it.owner.clone();
                let condition = self.for_some(&some, all(parts, at), at)?;
                draft.troubles.push((Trouble { owner, overflows: false }, condition));
            }
            if !self.is_core_term(&case.value)
                && let [only] = self.value(&case.value)?.as_slice()
            {
                // The guard says so.
                for value in &mut values {
                    value.needs.retain(|it| !only.needs.contains(it));
                }
            }
            before.extend(condition.as_ref().map(negation));
            branches.push((condition, values));
        }
        if this.value == Rhs::Nondet && !bound.is_empty() {
            return Diagnostic::error("C0408", at, "any value for each of all cells")
                .label("`?` chooses a value for one cell")
                .help("give the cells their values one by one, each in a step of its process")
                .refuse(self);
        }
        let effect = if this.value == Rhs::Nondet { Effect::Any } else { Effect::Cases(branches) };
        if let (Effect::Any, Type::Wide(low, high)) = (&effect, &way.it.ty) {
            return Diagnostic::error("C0212", at, format!("any value of the range {low}..{high}"))
                .label("`?` chooses among at most 64 values")
                .help("use a smaller range, or `int`")
                .refuse(self);
        }
        let name = self.core_path(&way.it).name.text;
        let Place { index, ty, .. } = way.it;
        draft.writes.push(Write { name, index, bound, ty, when, effect, at: this.at });
        Some(draft)
    }

    /// That a value has a meaning, if that is not certain.
    fn meant(&mut self, value: &Term, at: Span) -> Option<Option<Expr>> {
        if self.is_core_term(value) && value.paths().all(Path::has_cell) {
            return Some(None);
        }
        let meanings = self.value(value)?;
        let open = |way: &Way<Value>| -> Vec<Path> {
            way.it.cells().into_iter().filter(|it| !it.has_cell()).collect()
        };
        let is_open = |way: &Way<Value>| {
            !way.needs.is_empty() || !open(way).is_empty() || way.fixed.iter().any(|it| !it.cell.has_cell())
        };
        let conditions = |way: &Way<Value>| {
            let exist = open(way).into_iter().map(|cell| has_value(&cell, at));
            all(way.conditions(at).into_iter().chain(exist).collect(), at)
        };
        Some(meanings.iter().any(is_open).then(|| any(meanings.iter().map(conditions).collect(), at)))
    }

    /// That a formula holds for some processes of these names and sorts, equal ones included.
    fn for_some(&mut self, bound: &[Name], formula: Expr, at: Span) -> Option<Expr> {
        let exists =
            |vars: &[Name], body: Expr| Expr::quantified(Quantifier::Exists, vars.to_vec(), body, at);
        match bound {
            [] => Some(formula),
            [_] => Some(exists(bound, formula)),
            [a, b] => {
                let equal = IndexMap::from([(b.text.clone(), Term::name(a.plain()))]);
                let same = (sort_of(a).text == sort_of(b).text)
                    .then(|| exists(std::slice::from_ref(a), substituted(&formula, &equal)));
                Some(any(std::iter::once(exists(bound, formula)).chain(same).collect(), at))
            }
            _ => Diagnostic::error("C0506", at, "a value of more than two processes may leave its range")
                .label("this update is for all cells with three or more indices")
                .help("assign values that are in the range whatever the cells hold")
                .refuse(self),
        }
    }

    /// The values that a term gives a cell of this type.
    fn assigned(&mut self, ty: &Type, term: &Term, facts: &Facts) -> Option<Vec<Way<Out>>> {
        let at = term.span();
        let mut found = Vec::new();
        for way in self.value(term)? {
            let sum = linear(&way.it);
            match (ty, &way.it, sum) {
                (Type::Finite(values), Value::Cell(cell, of), _) if of == values => {
                    let to = Some(Term::path(cell.clone(), term.loc));
                    found.push(way.with(to));
                }
                (Type::Finite(_) | Type::Wide(..) | Type::Int, _, Some(sum))
                    if ty.is_number() && (!sum.cells.is_empty() || *ty != Type::Int) =>
                {
                    for one in self.combinations(&sum, at)? {
                        if one.fixed.iter().any(|it| facts.excludes(it)) {
                            continue;
                        }
                        let alone = sum.cells.is_empty() && way.fixed.is_empty();
                        let Some(here) = way.and(&one, |_, _| ()) else { continue };
                        self.number_to(ty, &sum.beside(one.it), &here, alone, facts, term, &mut found)?;
                    }
                }
                (_, it, _) => {
                    let to = Some(Self::core_term(it, term.loc));
                    found.push(way.with(to));
                }
            }
        }
        self.few(found, at)
    }

    /// The values that a number gives a cell: to a range only those in it.
    #[expect(clippy::too_many_arguments, reason = "the parts of one step of `assigned`")]
    fn number_to(
        &mut self,
        ty: &Type,
        sum: &Linear,
        here: &Way<()>,
        alone: bool,
        facts: &Facts,
        term: &Term,
        found: &mut Vec<Way<Out>>,
    ) -> Option<()> {
        let (at, loc) = (term.span(), term.loc);
        let Some((low, high)) = ty.range() else {
            found.push(here.clone().with(Some(sum.term(loc))));
            return Some(());
        };
        let value = |number: i64| match ty {
            Type::Finite(values) => {
                Term::named(&values.names[usize::try_from(number - low).unwrap_or(0)], loc)
            }
            _ => make::number(number, loc),
        };
        if sum.rest.is_empty() {
            let number = sum.constant;
            if (low..=high).contains(&number) {
                found.push(here.clone().with(Some(value(number))));
            } else if alone && !facts.contradict {
                return Diagnostic::error("C0213", at, format!("{number} is not in the range {low}..{high}"))
                    .label("the target never holds this value")
                    .refuse(self);
            } else {
                found.push(here.clone().with(None));
            }
            return Some(());
        }
        let compared = |this: &mut Self, op, bound: i64| {
            let mut sum = sum.clone();
            match sum.constant.checked_sub(bound) {
                Some(constant) => sum.constant = constant,
                None => return this.large(at),
            }
            this.compare_number(op, &sum, loc, at, false)
        };
        let (least, most) = self.interval(sum, facts);
        let mut outside = Vec::new();
        if least.is_none_or(|it| it < low) {
            outside.push(compared(self, Comparison::Lt, low)?);
        }
        if most.is_none_or(|it| it > high) {
            outside.push(compared(self, Comparison::Gt, high)?);
        }
        if !outside.is_empty() {
            let mut way = here.clone().with(None);
            way.needs.push(any(outside, at));
            found.push(way);
        }
        if let Type::Finite(_) = ty {
            for number in low..=high {
                let mut way = here.clone().with(Some(value(number)));
                way.needs.push(compared(self, Comparison::Eq, number)?);
                found.push(way);
            }
        } else {
            found.push(here.clone().with(Some(sum.term(loc))));
        }
        Some(())
    }

    /// Bounds of a sum whose cells have bounds.
    fn interval(&self, sum: &Linear, facts: &Facts) -> (Option<i64>, Option<i64>) {
        let (mut least, mut most) = (Some(sum.constant), Some(sum.constant));
        for (factor, operand) in &sum.rest {
            let range = match &operand.kind {
                TermKind::Path(path) => {
                    let known = self.symbols.variables.get(&path.name.text).and_then(|it| it.ty.range());
                    let (low, high) = known.unzip();
                    facts.bounds(path, low, high)
                }
                _ => (None, None),
            };
            let times = |bound: Option<i64>| bound.and_then(|it| it.checked_mul(*factor));
            let (a, b) = (times(range.0), times(range.1));
            let (a, b) = if *factor < 0 { (b, a) } else { (a, b) };
            least = least.zip(a).and_then(|(x, y)| x.checked_add(y));
            most = most.zip(b).and_then(|(x, y)| x.checked_add(y));
        }
        (least, most)
    }
}

/// An assignment that is not a core's.
#[derive(Clone)]
struct Assigned {
    target: Path,
    /// Names among the indices that stand for all values.
    bound: Vec<Name>,
    /// Further conditions, in the extended language.
    when: Vec<Expr>,
    value: Rhs,
    /// Whether the parts of a queue may be written.
    internal: bool,
    at: Loc,
}

impl Assigned {
    const fn new(target: Path, value: Rhs, at: Loc) -> Self {
        Self { target, bound: Vec::new(), when: Vec::new(), value, internal: false, at }
    }

    /// Whether a name stands for all values.
    fn binds(&self, name: &Name) -> bool {
        self.bound.iter().any(|it| it.text == name.text)
    }

    /// What is assigned, as branches.
    fn cases(&self) -> Vec<Case> {
        match &self.value {
            Rhs::Term(value) => vec![Case { when: None, value: value.clone(), loc: self.at }],
            Rhs::Cases(cases) => cases.clone(),
            _ => Vec::new(),
        }
    }

    /// Of a part of a queue.
    fn inside(target: Path, value: Rhs, at: Loc) -> Self {
        Self { internal: true, ..Self::new(target, value, at) }
    }
}

/// The paths to the parts of a value of this type that are not records.
fn leaves(path: &Path, ty: &Type) -> Vec<(Path, Type)> {
    let Type::Record(record) = ty else { return vec![(path.clone(), ty.clone())] };
    record.fields.iter().flat_map(|(field, ty)| leaves(&path.field(field), ty)).collect()
}

fn small_name(term: &Term) -> Option<&Name> {
    term.alone().filter(|name| syntax::word(&name.text) == Some(Word::Small))
}

fn listed(fields: &[(String, Type)]) -> String {
    fields.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
