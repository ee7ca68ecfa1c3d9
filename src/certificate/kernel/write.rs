//! A system and its certificate as terms of Coq.

use std::fmt::Write as _;
use std::rc::Rc;

use hashbrown::HashMap;

use super::facts::{Fact, Premise};
use super::finder::{Hint, SumHint};
use super::formula::{CountCell, Formula, Key, LinearAtom, Sum};
use super::hints::Hints;
use super::stated::Stated;
use super::text;
use crate::cubes::CubeInstance;
use cubicle_lang::model::{
    Assignment, Branch, Cell, Conj, Count, Dnf, Linear, Literal, ProcRef, Rational, Relation, System, Term,
    Transition, Type, Update, VarId, VarKind,
};
use cubicle_run::Forbidden;

/// The definitions of `written`, the text of the system, and of `model`, the system, and that the one is the other.
pub fn definition(system: &System) -> String {
    let system = &text::plain(system);
    let written: Vec<String> = text::written(system).iter().map(|it| string(it)).collect();
    let mut out = format!("Definition written := [\n{}].\n\n", written.join(";\n\n"));
    for (number, decl) in system.enums.iter().enumerate() {
        let names = list(decl.words().iter().map(|it| string(it)));
        let _ = writeln!(out, "Definition enum{number} := TEnum {} {names}.", string(&decl.name));
    }
    let _ = writeln!(out, "\nDefinition model : system := {}.\n", model(system));
    out.push_str(
        "Theorem model_is_written : print model = written.\nProof. vm_cast_no_check (eq_refl written). Qed.\n\n",
    );
    out
}

/// The counts that a proof added, in lists one after the other: what counts of a later one are about may be in an earlier one.
fn ghosts(system: &System, extended: &System) -> String {
    let mut groups: Vec<Vec<&Count>> = Vec::new();
    for added in extended.counts.iter().filter(|it| usize::from(it.var.0) >= system.vars.len()) {
        match groups.last_mut() {
            Some(group) if !group.iter().any(|it| added.reads().contains(&it.var)) => group.push(added),
            _ => groups.push(vec![added]),
        }
    }
    let one = |it: &&Count| format!("({}, {})", extended.var(it.var).arity(), count(it));
    lines(groups.iter().map(|it| lines(it.iter().map(one))))
}

pub fn theorem(Stated { system, extended, cubes }: &Stated, hints: &Hints) -> String {
    let mut out = format!(
        "(* Written by cubicle. To know what the theorem says, read `written`, Print.v and Model.v; the rest is checked. *)\n\n\
         From Cubicle Require Import Notation.\n\n{}",
        definition(system)
    );
    let _ = writeln!(out, "Definition added : list ghosts := {}.\n", ghosts(system, extended));
    let own = lines(cubes.all[..cubes.proved].iter().map(cube));
    let mut atoms = Atoms::default();
    let initial = lines(hints.initial.iter().map(|(n, it)| atoms.obligation(*n, it)));
    let steps = lines(hints.step.iter().map(|(number, by_transition)| {
        let by = by_transition.iter().map(|(n, it)| atoms.obligation(*n, it)).collect();
        format!("u {} {}", number + 1, atoms.list(by))
    }));
    let bad = lines(hints.bad.iter().map(|(n, it)| atoms.obligation(*n, it)));
    let _ = writeln!(
        out,
        "{}\nDefinition proof : certificate := Certificate\n  {own}\n  {initial}\n  {steps}\n  {bad}\n  {}.\n",
        atoms.definitions, hints.further,
    );
    out.push_str(
        "Theorem model_is_safe : safe model.\nProof. apply (sound_with model added proof). vm_cast_no_check (eq_refl true). Qed.\n\n\
         Print Assumptions model_is_safe.\n",
    );
    out
}

fn list(parts: impl Iterator<Item = String>) -> String {
    format!("[{}]", parts.collect::<Vec<_>>().join("; "))
}

fn lines(parts: impl Iterator<Item = String>) -> String {
    format!("[{}]", parts.collect::<Vec<_>>().join(";\n   "))
}

fn string(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn number(n: Rational) -> String {
    match (n.is_integer(), n.signum() < 0) {
        (true, false) => n.num().to_string(),
        (true, true) => format!("({})", n.num()),
        (false, _) => format!("({} # {})", n.num(), n.den()),
    }
}

fn model(system: &System) -> String {
    let most = system.max_procs.map_or("None".to_owned(), |most| format!("(Some {most})"));
    let vars = (1..).zip(&system.vars).map(|(number, var)| {
        let ty = match var.ty {
            Type::Proc => "TProc".to_owned(),
            Type::Int => "TInt".to_owned(),
            Type::Real => "TReal".to_owned(),
            Type::Enum(id) => format!("enum{}", id.0),
            Type::Abstract(id) => format!("(TAbstract {})", string(&system.abstracts[usize::from(id.0)])),
        };
        let kind = match var.kind {
            VarKind::Global => "KGlobal",
            VarKind::Const => "KConst",
            VarKind::Array(_) => "KArray",
        };
        format!("Var {number} {} {kind} {} {ty}", string(&var.name), var.arity())
    });
    format!(
        "System {most} {}\n  {}\n  {}\n  {}\n  {}\n  {}\n  {}\n  {}\n  {}",
        system.proc_constants,
        lines(vars),
        lines(system.counts.iter().map(count)),
        system.init.params,
        dnf(&system.init.body),
        dnf(&system.init.without_processes),
        lines(system.axioms.iter().map(|it| cube(&it.into()))),
        lines(system.bad.iter().map(|it| cube(&it.into()))),
        lines(system.transitions.iter().map(transition)),
    )
}

fn count(count: &Count) -> String {
    format!("Count {} {} {}", var(count.var), dnf(&count.body), sum(&count.added()))
}

fn transition(t: &Transition) -> String {
    let branch = |it: &Branch| format!("Branch {} {}", dnf(&it.when), term(&it.value));
    let update = |update: &Update| {
        let value = match &update.assignment {
            Assignment::Nondet => "Anything".to_owned(),
            Assignment::Cases(branches) => format!("(Cases {})", list(branches.iter().map(branch))),
        };
        format!("Update {} {value}", var(update.var))
    };
    format!(
        "Transition {} {} {}\n     {} {}",
        string(&t.name),
        t.arity(),
        conj(&t.guard),
        list(t.universals.iter().map(|it| format!("Universal {} {}", it.bound, dnf(&it.body)))),
        lines(t.updates.iter().map(update)),
    )
}

fn cube(cube: &Forbidden) -> String {
    format!("Cube {} {}", cube.params, conj(&cube.cube))
}

fn dnf(dnf: &Dnf) -> String {
    list(dnf.0.iter().map(conj))
}

fn conj(conj: &Conj) -> String {
    list(conj.iter().map(literal))
}

fn var(var: VarId) -> u32 {
    u32::from(var.0) + 1
}

fn process(p: ProcRef) -> String {
    match p {
        ProcRef::Var(i) => format!("v {i}"),
        ProcRef::Const(k) => format!("PConst {k}"),
    }
}

fn cell(cell: &Cell) -> String {
    format!("(c {} {})", var(cell.var), list(cell.index.iter().map(|p| process(*p))))
}

fn sum(linear: &Linear) -> String {
    let term = |(place, factor): &(Cell, Rational)| format!("m {} {}", number(*factor), cell(place));
    format!("(Linear {} {})", list(linear.terms.iter().map(term)), number(linear.constant))
}

fn term(term: &Term) -> String {
    match term {
        Term::Constructor(c) => format!("(Constructor {c})"),
        Term::Proc(p) => format!("(Process ({}))", process(*p)),
        Term::Cell(place) => format!("(CellOf {})", cell(place)),
        Term::Linear(linear) => format!("(Sum {})", sum(linear)),
    }
}

fn literal(literal: &Literal) -> String {
    match literal {
        Literal::In { cell: place, values } => format!("In {} {values}", cell(place)),
        Literal::Eq { left, right, negated } => {
            format!("{} {} {}", if *negated { "Different" } else { "Equal" }, term(left), term(right))
        }
        Literal::Less { left, right, strict } => {
            format!("{} {} {}", if *strict { "Less" } else { "AtMost" }, term(left), term(right))
        }
        Literal::Linear { expr, relation: how, .. } => format!("Compare {} {}", sum(expr), relation(*how)),
    }
}

const fn relation(relation: Relation) -> &'static str {
    match relation {
        Relation::Eq => "Zero",
        Relation::Ne => "NonZero",
        Relation::Le => "NotPositive",
        Relation::Lt => "Negative",
    }
}

/// Longer lists are appended from parts with names: Coq reads a list by recursion, and its stack has an end.
const LONGEST_LIST: usize = 64;

/// Atoms, each of which has a name: most occur many times.
#[derive(Default)]
struct Atoms {
    names: HashMap<Rc<LinearAtom>, usize>,
    /// How many parts of lists have names.
    parts: usize,
    definitions: String,
}

impl Atoms {
    fn obligation(&mut self, at: usize, hints: &[Hint]) -> String {
        let hints = hints.iter().map(|it| self.hint(it)).collect();
        format!("o {} {}", at + 1, self.list(hints))
    }

    fn list(&mut self, mut elements: Vec<String>) -> String {
        if elements.len() <= LONGEST_LIST {
            return list(elements.into_iter());
        }
        let rest = elements.split_off(LONGEST_LIST);
        self.parts += 1;
        let name = format!("y{}", self.parts);
        let _ = writeln!(self.definitions, "Definition {name} := {}.", list(elements.into_iter()));
        let rest = self.list(rest);
        self.parts += 1;
        let _ = writeln!(self.definitions, "Definition y{} := app {name} {rest}.", self.parts);
        format!("y{}", self.parts)
    }

    fn hint(&mut self, hint: &Hint) -> String {
        if hint.is_empty() {
            return "_0".to_owned();
        }
        let instance = |it: &CubeInstance| format!("i {} {}", it.cube + 1, numbers(&it.procs));
        let instances = self.list(hint.instances.iter().map(instance).collect());
        let facts = hint.facts.iter().map(|it| self.fact(it)).collect();
        let facts = self.list(facts);
        if hint.sums.is_empty() {
            return format!("h {instances} {facts}");
        }
        let sums = hint.sums.iter().map(|it| self.sum_hint(it)).collect();
        let sums = self.list(sums);
        format!("Hint {instances} {facts} {sums}")
    }

    fn sum_hint(&mut self, sum: &SumHint) -> String {
        let assumed = list(sum.assumed.iter().map(|it| self.assumption(it)));
        let cell = |it: &(Rational, CountCell)| format!("q {} {}", number(it.0), count_cell(&it.1));
        format!("SumHint {assumed} {} ({})", list(sum.cells.iter().map(cell)), self.hint(&sum.hint))
    }

    fn assumption(&mut self, formula: &Formula) -> String {
        match formula {
            Formula::In(key, places) => format!("GIn {key} {places}"),
            Formula::Linear(it, holds) => format!("GLin {} {holds}", self.atom(it)),
            Formula::True | Formula::False | Formula::And(_) | Formula::Or(_) => "GT".to_owned(),
        }
    }

    fn fact(&mut self, fact: &Fact) -> String {
        match fact {
            Fact::Sum(premises) => {
                let premise =
                    |(it, n): &(Premise, Rational)| format!("s {} {}", self.premise(it), number(*n));
                format!("FSum {}", list(premises.iter().map(premise)))
            }
            Fact::Split(it) => format!("FSplit {}", key_sum(it)),
            Fact::Apart(p, q) => format!("FApart {p} {q}"),
            Fact::Place(key, p) => format!("FPlace {key} {p}"),
            Fact::Held(key, p) => format!("FHeld {key} {p}"),
            Fact::Named(key, _) => format!("FNamed {key}"),
            Fact::Part(at, p) => format!("FPart {} {p}", count_cell(at)),
            Fact::Either(it) => format!("FEither {}", self.atom(it)),
        }
    }

    fn premise(&mut self, premise: &Premise) -> String {
        match premise {
            Premise::Atom(it, holds) => format!("(PAtom {} {holds})", self.atom(it)),
            Premise::Holds(key, p) => format!("(PHolds {key} {p})"),
            Premise::Fixed(p) => format!("(PFixed {p})"),
            Premise::Above(p) => format!("(PAbove {p})"),
        }
    }

    fn atom(&mut self, atom: &Rc<LinearAtom>) -> String {
        let next = self.names.len() + 1;
        let number = *self.names.entry_ref(atom).or_insert_with(|| {
            let LinearAtom { relation: how, sum, .. } = &**atom;
            let _ =
                writeln!(self.definitions, "Definition x{next} := a {} {}.", relation(*how), key_sum(sum));
            next
        });
        format!("x{number}")
    }
}

fn numbers(all: &[u8]) -> String {
    list(all.iter().map(u8::to_string))
}

fn count_cell(cell: &CountCell) -> String {
    format!("{} {} {}", cell.after, u32::from(cell.var) + 1, numbers(&cell.index))
}

fn key_sum(sum: &Sum) -> String {
    let term = |(key, factor): &(Key, Rational)| format!("t {key} {}", number(*factor));
    format!("(Lexp {} {})", list(sum.terms.iter().map(term)), number(sum.constant))
}
