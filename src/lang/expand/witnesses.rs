//! Witnesses: functions that nothing assigns, each with an axiom about its values.
//!
//! `witness common (q r : quorum) : node { f }` says that for all quorums q and r, equal ones included, there is a node n such that f holds
//! with n for `common(q, r)`, and names one. It becomes an array that holds a process in every cell (`witness Common[quorum, quorum] : node`, which
//! a model may also declare itself), and an invariant that lists what never holds: `Common[q, r] = n` where f is false, or where n is not a node.
//! Since different names are different processes, there is a case for each way in which parameters coincide.
//!
//! Sorts of values come after those of parameters: no sort leads back to itself. So a finite set of processes is part of a finite set that
//! has the values of all witnesses.

use indexmap::{IndexMap, IndexSet};

use super::make::{free, words_of};
use super::substitute::substituted;
use super::types::Expander;
use crate::diagnostic::{Diagnostic, Span};
use crate::model::SortTable;
use crate::syntax::ast::{
    Arg, Comparison, Expr, ExprKind, File, Item, Loc, Name, Path, Property, PropertyKind, Quantifier,
    SymbolDecl, SymbolKind, Term, capital,
};

impl Expander {
    /// Notes the names of relations and witnesses, and reports witnesses whose sorts lead back to themselves.
    pub fn declare_rigid(&mut self, file: &File) {
        let mut leads: IndexMap<String, IndexSet<String>> = IndexMap::new();
        let mut reported = false;
        for decl in file.symbols() {
            let from: Vec<String> = match &decl.kind {
                SymbolKind::Witness(params, _) => {
                    self.witnesses.insert(decl.name.text.clone());
                    params.iter().map(|it| sort_of(it).text).collect()
                }
                SymbolKind::Total(index) => {
                    self.rigid.insert(decl.name.text.clone(), "witness");
                    index.iter().map(|it| it.text.clone()).collect()
                }
                _ => continue,
            };
            // The core has one kind of processes, and says what follows from sorts by axioms.
            if self.sorts.is_none() && matches!(decl.kind, SymbolKind::Total(_)) {
                continue;
            }
            for sort in &from {
                leads.entry(sort.clone()).or_default().insert(decl.ty.text.clone());
            }
            let mut circles = from.iter().filter_map(|sort| way(&leads, &decl.ty.text, sort));
            if let (false, Some(path)) = (reported, circles.next()) {
                let circle: Vec<String> = path.iter().map(|it| format!("`{it}`")).collect();
                let first = format!("`{}`", path[path.len() - 1]);
                let message = format!("sorts of witnesses in a circle: {first} to {}", circle.join(" to "));
                Diagnostic::error("C0219", decl.name.span(), message)
                        .label("its values are of a sort that leads back to that of a parameter")
                        .help(
                            "a witness of a witness would have witnesses without end: use a relation, or another sort",
                        ).report(self);
                reported = true;
            }
        }
    }

    /// The array that stands for a relation or a witness with these parameters; nothing assigns it.
    pub(super) fn rigid_array(
        &mut self,
        decl: &SymbolDecl,
        params: &[Name],
        what: &'static str,
        kind: fn(Vec<Name>) -> SymbolKind,
        symbols: &mut Vec<Item>,
    ) -> Name {
        let array = Name { text: self.symbols.fresh(&capital(&decl.name.text)), ..decl.name.clone() };
        self.rigid.insert(array.text.clone(), what);
        let index: Vec<Name> = params.iter().map(sort_of).collect();
        if let Some(sorts) = &mut self.sorts {
            sorts.indices.insert(array.text.clone(), index.iter().map(|it| it.text.clone()).collect());
        }
        // What is said of arrays that never change is not said of these, which have no place of their own.
        let nowhere = Loc::default();
        let (kind, name) = (kind(index), Name { loc: nowhere, ..array.clone() });
        symbols.push(Item::Symbol(SymbolDecl { kind, name, loc: nowhere, ..decl.clone() }));
        array
    }

    /// An array that holds a process in each cell, and the axiom about it.
    pub(super) fn witness(
        &mut self,
        decl: &SymbolDecl,
        params: &[Name],
        axiom: Option<&Expr>,
        symbols: &mut Vec<Item>,
        rest: &mut Vec<Item>,
    ) {
        let name = &decl.name;
        let array = self.rigid_array(decl, params, "witness", SymbolKind::Total, symbols);
        if let Some(sorts) = self.sorts.clone() {
            for sort in params.iter().map(sort_of).chain([decl.ty.clone()]) {
                if !sorts.values.contains_key(&sort.text) {
                    self.unknown_sort(&sort, &sorts);
                }
            }
        }
        if let Some(sorts) = &mut self.sorts {
            sorts.pointed.insert(array.text.clone(), decl.ty.text.clone());
        }
        let Some(axiom) = axiom else {
            Diagnostic::error("C0220", name.span(), format!("witness `{name}` without an axiom"))
                .label("nothing is known of its values")
                .help(format!("say it behind the sort: `: {} {{ member({name}(..), ..) }}`", decl.ty))
                .report(self);
            return;
        };
        let mut taken: IndexSet<String> = params.iter().map(|it| it.text.clone()).collect();
        taken.extend(words_of(axiom));
        let text = free(decl.ty.text.chars().take(1).collect(), |it| taken.contains(it));
        let value = Name { text, loc: name.loc, sort: Some(Box::new(decl.ty.clone())) };
        let Some(holds) = self.about_value(axiom, decl, params, &value) else { return };
        let of = |same| cases(&same, &array, &value, Some(&holds), self.sorts.as_ref(), decl.loc);
        let never = partitions(params).into_iter().flat_map(of).collect();
        let body = self.formula(&Expr::new(ExprKind::Or(never), decl.loc.0));
        let claim = Property::new(PropertyKind::Invariant, Some(name.clone()), body, decl.loc);
        rest.push(Item::Property(claim));
    }

    /// That each cell of a declared array of witnesses holds a process of its sort.
    pub(super) fn values_of_sort(&mut self, decl: &SymbolDecl, index: &[Name], rest: &mut Vec<Item>) {
        let Some(sorts) = self.sorts.clone() else { return };
        let (name, at) = (&decl.name, decl.loc);
        let bound = |number: usize, sort: &Name| Name::at(format!("p{number}"), at).of_sort(sort.clone());
        let params: Vec<Name> = (0..).zip(index).map(|(number, sort)| bound(number, sort)).collect();
        let value = bound(params.len(), &decl.ty);
        let of = |same| cases(&same, name, &value, None, Some(&sorts), at);
        let never = partitions(&params).into_iter().flat_map(of).collect();
        let body = Expr::new(ExprKind::Or(never), at.0);
        rest.push(Item::Property(Property::new(PropertyKind::Invariant, None, body, at)));
    }

    /// The axiom, with the name of the value for the witness; `None` with an error.
    fn about_value(
        &mut self,
        axiom: &Expr,
        decl: &SymbolDecl,
        params: &[Name],
        value: &Name,
    ) -> Option<Expr> {
        let mut replaced = Replaced { decl, params, value, found: 0, wrong: None };
        let holds = replaced.formula(axiom);
        let name = &decl.name;
        let shown: Vec<&str> = params.iter().map(|it| it.text.as_str()).collect();
        let shown = format!("{name}({})", shown.join(", "));
        if let Some((at, why)) = replaced.wrong {
            return Diagnostic::error("C0220", at, why)
                .help(format!("the axiom speaks of `{shown}`, as an argument of relations"))
                .refuse(self);
        }
        if replaced.found == 0 {
            let message = format!("the axiom of witness `{name}` does not mention it");
            return Diagnostic::error("C0220", axiom.span, message)
                .label("nothing is known of its values")
                .help(format!("`{shown}` is an argument of relations"))
                .refuse(self);
        }
        Some(holds)
    }

    /// Reports a witness outside of its axiom: its values occur there only.
    pub(super) fn elsewhere(&mut self, name: &Name) {
        Diagnostic::error("C0220", name.span(), format!("witness `{name}` outside of its axiom"))
            .label("which process it is, is not known here")
            .help("bind a process, and say of it what is meant: `exists n : node. member(n, q) && ..`")
            .report(self);
    }

    /// Reports an update of what never changes.
    pub(super) fn never_assigned(&mut self, target: &Name) {
        let Some(what) = self.rigid.get(&target.text) else { return };
        Diagnostic::error("C0221", target.span(), format!("`{target}` is assigned, but stands for a {what}"))
            .label(format!("a {what} never changes"))
            .help("declare an array for what changes: `array In[node, quorum] : bool`")
            .report(self);
    }
}

/// The sort that a parameter is declared with.
pub fn sort_of(param: &Name) -> Name {
    match &param.sort {
        Some(sort) => (**sort).clone(),
        None => Name { text: crate::model::PROC.to_owned(), ..param.clone() },
    }
}

/// The sorts on a way from one to another, both included.
fn way(leads: &IndexMap<String, IndexSet<String>>, from: &str, to: &str) -> Option<Vec<String>> {
    let mut before: IndexMap<&str, Option<usize>> = IndexMap::from([(from, None)]);
    let mut at = 0;
    while let Some((&sort, _)) = before.get_index(at) {
        if sort == to {
            let mut path = vec![sort.to_owned()];
            let mut here = before[sort];
            while let Some((&sort, &next)) = here.and_then(|it| before.get_index(it)) {
                path.push(sort.to_owned());
                here = next;
            }
            path.reverse();
            return Some(path);
        }
        for next in leads.get(sort).into_iter().flatten() {
            before.entry(next).or_insert(Some(at));
        }
        at += 1;
    }
    None
}

/// Each parameter with the first one that is the same process: all ways in which those of one sort can coincide.
type Same = Vec<(Name, Name)>;

fn partitions(params: &[Name]) -> Vec<Same> {
    params.iter().fold(vec![Vec::new()], |ways: Vec<Same>, param| {
        let longer = ways.into_iter().flat_map(|way| {
            let first = way
                .iter()
                .filter(|(it, first)| it.text == first.text && sort_of(it).text == sort_of(param).text);
            let chosen: Vec<Name> = first.map(|it| it.1.clone()).chain([param.clone()]).collect();
            let with = move |first: Name| way.iter().cloned().chain([(param.clone(), first)]).collect();
            chosen.into_iter().map(with).collect::<Vec<Same>>()
        });
        longer.collect()
    })
}

/// What never holds where parameters coincide like this, if `holds` does of each value.
fn cases(
    same: &Same,
    array: &Name,
    value: &Name,
    holds: Option<&Expr>,
    sorts: Option<&SortTable>,
    at: Loc,
) -> Vec<Expr> {
    let given: IndexMap<String, Term> =
        same.iter().map(|(param, first)| (param.text.clone(), Term::name(plain(first, at)))).collect();
    let is_value = |value: &Name| {
        let index = same.iter().map(|it| plain(&it.1, at)).collect();
        compare(cell(&array.text, index, at), Comparison::Eq, value, at)
    };
    let named: Vec<&Name> =
        same.iter().filter(|(param, first)| param.text == first.text).map(|it| &it.0).collect();
    let mut all = Vec::new();
    if let Some(holds) = holds {
        let vars = named.iter().map(|it| plain(it, at).of_sort(sort_of(it))).chain([value.clone()]);
        let fails = Expr::new(ExprKind::Not(Box::new(substituted(holds, &given))), at.0);
        all.push(exists(vars.collect(), vec![is_value(value), fails], at));
    }
    if let Some(sorts) = sorts {
        all.extend(of_other_sorts(&named, value, &is_value, sorts, at));
    }
    all
}

/// That the value at parameters of their sorts is not of its own: some other process, or one of them.
fn of_other_sorts(
    named: &[&Name],
    value: &Name,
    is_value: &dyn Fn(&Name) -> Expr,
    sorts: &SortTable,
    at: Loc,
) -> Vec<Expr> {
    let of_sort = |it: &Name, op, sort: &Name| {
        let value = sorts.values.get(&sort.text)?;
        let value = Name::at(value, at);
        Some(compare(cell(&sorts.array, vec![plain(it, at)], at), op, &value, at))
    };
    // No text has such a sort: any process.
    let any = |it: &Name| plain(it, at).of_sort(Name::at("", at));
    let sort = sort_of(value);
    let of_their_sorts: Vec<Expr> =
        named.iter().filter_map(|it| of_sort(it, Comparison::Eq, &sort_of(it))).collect();
    let vars: Vec<Name> = named.iter().map(|it| any(it)).collect();
    let parts = of_their_sorts.iter().cloned().chain([is_value(value)]);
    let parts = parts.chain(of_sort(value, Comparison::Ne, &sort)).collect();
    let mut all = vec![exists(vars.iter().cloned().chain([any(value)]).collect(), parts, at)];
    for own in named.iter().filter(|it| sort_of(it).text != sort.text) {
        let parts = of_their_sorts.iter().cloned().chain([is_value(own)]).collect();
        all.push(exists(vars.clone(), parts, at));
    }
    all
}

fn plain(it: &Name, at: Loc) -> Name {
    Name::at(&it.text, at)
}

fn cell(array: &str, index: Vec<Name>, at: Loc) -> Term {
    Term::path(Path::cell(Name::at(array, at), index), at)
}

fn compare(left: Term, op: Comparison, right: &Name, at: Loc) -> Expr {
    Expr::compare(left, op, Term::named(&right.text, at), at.0)
}

fn exists(vars: Vec<Name>, parts: Vec<Expr>, at: Loc) -> Expr {
    Expr::quantified(Quantifier::ExistsOther, vars, Expr::new(ExprKind::And(parts), at.0), at.0)
}

/// Replaces a witness by the name of its value.
struct Replaced<'a> {
    decl: &'a SymbolDecl,
    params: &'a [Name],
    value: &'a Name,
    found: usize,
    wrong: Option<(Span, String)>,
}

impl Replaced<'_> {
    fn formula(&mut self, formula: &Expr) -> Expr {
        match &formula.kind {
            ExprKind::Quantified { .. } => {
                self.refuse(formula.span, "a quantifier in the axiom of a witness");
                formula.clone()
            }
            ExprKind::Call { name, args } => {
                let args = args.iter().map(|it| self.argument(it)).collect();
                formula.rebuilt(ExprKind::Call { name: name.clone(), args })
            }
            _ => formula.with_operands(&mut |it| self.formula(it)),
        }
    }

    fn argument(&mut self, argument: &Arg) -> Arg {
        let Arg::Formula(formula) = argument else { return argument.clone() };
        let ExprKind::Call { name, args } = &formula.kind else { return argument.clone() };
        if name.text != self.decl.name.text {
            return argument.clone();
        }
        self.found += 1;
        let is_own = |(arg, param): (&Arg, &Name)| matches!(arg, Arg::Term(term) if term.alone().is_some_and(|it| it.text == param.text));
        if args.len() != self.params.len() || !args.iter().zip(self.params).all(is_own) {
            self.refuse(formula.span, "a witness of other processes than its parameters");
        }
        Arg::Term(Term::named(&self.value.text, Loc(formula.span)))
    }

    fn refuse(&mut self, at: Span, why: &str) {
        self.wrong.get_or_insert_with(|| (at, why.to_owned()));
    }
}
