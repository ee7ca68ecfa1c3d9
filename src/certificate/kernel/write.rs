//! A system and its certificate as terms of Coq.

use std::fmt::Write as _;
use std::rc::Rc;

use hashbrown::HashMap;

use super::facts::{Fact, Premise};
use super::formula::{CountCell, Formula, LinearAtom, Sum};
use super::hint::{Hint, SumHint};
use super::hints::Hints;
use super::stated::Stated;
use super::text;
use cubicle_lang::model::{
    Assignment, Cell, Conj, Count, Dnf, Linear, Literal, ProcRef, Rational, Relation, System, Term,
    Transition, Type, VarId, VarKind,
};
use cubicle_run::Forbidden;

/// The definitions of `written`, the text of the system, and of `model`, the system, and that the one is the other.
pub fn definition(system: &System) -> String {
    let system = &text::plain(system);
    let written: Vec<String> = text::written(system).iter().map(|it| string(it)).collect();
    let mut out = format!("Definition written := [\n{}].\n\n", written.join(";\n\n"));
    for (number, decl) in system.enums.iter().enumerate() {
        let names: Vec<String> = decl.words().iter().map(|it| string(it)).collect();
        let _ = writeln!(out, "Definition enum{number} := TEnum {} {}.", string(&decl.name), list(&names));
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
    let group = |it: &Vec<&Count>| lines(&it.iter().map(one).collect::<Vec<_>>());
    lines(&groups.iter().map(group).collect::<Vec<_>>())
}

/// The file with the theorem.
pub fn theorem(Stated { system, extended, cubes }: &Stated, hints: &Hints) -> String {
    let mut out = format!(
        "(* Written by cubicle. To know what the theorem says, read `written`, Print.v and Model.v; the rest is checked. *)\n\n\
         From Cubicle Require Import Notation.\n\n{}",
        definition(system)
    );
    let _ = writeln!(out, "Definition added : list ghosts := {}.\n", ghosts(system, extended));
    let own: Vec<String> = cubes.all[..cubes.proved].iter().map(cube).collect();
    let mut atoms = Atoms::default();
    let initial: Vec<String> = hints.initial.iter().map(|(n, it)| atoms.obligation(*n, it)).collect();
    let mut proof = format!("  {}\n", lines(&initial));
    let steps: Vec<String> = (hints.step.iter())
        .map(|(number, by_transition)| {
            let by: Vec<String> = by_transition.iter().map(|(n, it)| atoms.obligation(*n, it)).collect();
            format!("u {} {}", number + 1, list(&by))
        })
        .collect();
    let _ = writeln!(proof, "  {}", lines(&steps));
    let bad: Vec<String> = hints.bad.iter().map(|(n, it)| atoms.obligation(*n, it)).collect();
    let _ = writeln!(proof, "  {}\n  {}.\n", lines(&bad), hints.further);
    let _ = writeln!(
        out,
        "{}\nDefinition proof : certificate := Certificate\n  {}",
        atoms.definitions,
        lines(&own)
    );
    out.push_str(&proof);
    out.push_str(
        "Theorem model_is_safe : safe model.\nProof. apply (sound_with model added proof). vm_cast_no_check (eq_refl true). Qed.\n\n\
         Print Assumptions model_is_safe.\n",
    );
    out
}

fn list(parts: &[String]) -> String {
    format!("[{}]", parts.join("; "))
}

fn lines(parts: &[String]) -> String {
    format!("[{}]", parts.join(";\n   "))
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
    let vars: Vec<String> = (1..)
        .zip(&system.vars)
        .map(|(number, var)| {
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
        })
        .collect();
    let counts: Vec<String> = system.counts.iter().map(count).collect();
    let axioms: Vec<String> = system.axioms.iter().map(|it| cube(&it.into())).collect();
    let bad: Vec<String> = system.bad.iter().map(|it| cube(&it.into())).collect();
    let transitions: Vec<String> = system.transitions.iter().map(transition).collect();
    format!(
        "System {most} {}\n  {}\n  {}\n  {}\n  {}\n  {}\n  {}\n  {}\n  {}",
        system.proc_constants,
        lines(&vars),
        lines(&counts),
        system.init.params,
        dnf(&system.init.body),
        dnf(&system.init.without_processes),
        lines(&axioms),
        lines(&bad),
        lines(&transitions),
    )
}

fn count(count: &Count) -> String {
    let one = Linear { terms: Vec::new(), constant: Rational::ONE };
    let summand = sum(count.summand.as_ref().unwrap_or(&one));
    format!("Count {} {} {summand}", var(count.var), dnf(&count.body))
}

fn transition(t: &Transition) -> String {
    let universals: Vec<String> =
        t.universals.iter().map(|it| format!("Universal {} {}", it.bound, dnf(&it.body))).collect();
    let updates: Vec<String> = t
        .updates
        .iter()
        .map(|update| {
            let value = match &update.assignment {
                Assignment::Nondet => "Anything".to_owned(),
                Assignment::Cases(branches) => {
                    let branches: Vec<String> = branches
                        .iter()
                        .map(|it| format!("Branch {} {}", dnf(&it.when), term(&it.value)))
                        .collect();
                    format!("(Cases {})", list(&branches))
                }
            };
            format!("Update {} {value}", var(update.var))
        })
        .collect();
    format!(
        "Transition {} {} {}\n     {} {}",
        string(&t.name),
        t.arity(),
        conj(&t.guard),
        list(&universals),
        lines(&updates),
    )
}

fn cube(cube: &Forbidden) -> String {
    format!("Cube {} {}", cube.params, conj(&cube.cube))
}

fn dnf(dnf: &Dnf) -> String {
    list(&dnf.0.iter().map(conj).collect::<Vec<_>>())
}

fn conj(conj: &Conj) -> String {
    list(&conj.iter().map(literal).collect::<Vec<_>>())
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
    let index: Vec<String> = cell.index.iter().map(|p| process(*p)).collect();
    format!("(c {} {})", var(cell.var), list(&index))
}

fn sum(linear: &Linear) -> String {
    let terms: Vec<String> =
        linear.terms.iter().map(|(place, factor)| format!("m {} {}", number(*factor), cell(place))).collect();
    format!("(Linear {} {})", list(&terms), number(linear.constant))
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

/// Atoms, each of which has a name: most occur many times.
#[derive(Default)]
struct Atoms {
    names: HashMap<Rc<LinearAtom>, usize>,
    definitions: String,
}

impl Atoms {
    fn obligation(&mut self, at: usize, hints: &[Hint]) -> String {
        let hints: Vec<String> = hints.iter().map(|it| self.hint(it)).collect();
        format!("o {} {}", at + 1, list(&hints))
    }

    fn hint(&mut self, hint: &Hint) -> String {
        if hint.is_empty() {
            return "_0".to_owned();
        }
        let instances: Vec<String> = (hint.instances.iter())
            .map(|it| {
                let procs: Vec<String> = it.procs.iter().map(u8::to_string).collect();
                format!("i {} {}", it.cube + 1, list(&procs))
            })
            .collect();
        let facts: Vec<String> = hint.facts.iter().map(|it| self.fact(it)).collect();
        if hint.sums.is_empty() {
            return format!("h {} {}", list(&instances), list(&facts));
        }
        let sums: Vec<String> = hint.sums.iter().map(|it| self.sum_hint(it)).collect();
        format!("Hint {} {} {}", list(&instances), list(&facts), list(&sums))
    }

    fn sum_hint(&mut self, sum: &SumHint) -> String {
        let assumed: Vec<String> = sum.assumed.iter().map(|it| self.assumption(it)).collect();
        let cells: Vec<String> = sum
            .cells
            .iter()
            .map(|(factor, it)| format!("q {} {}", number(*factor), count_cell(it)))
            .collect();
        format!("SumHint {} {} ({})", list(&assumed), list(&cells), self.hint(&sum.hint))
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
                let premises: Vec<String> = premises
                    .iter()
                    .map(|(it, factor)| format!("s {} {}", self.premise(it), number(*factor)))
                    .collect();
                format!("FSum {}", list(&premises))
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

    /// The name of an atom.
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

fn count_cell(cell: &CountCell) -> String {
    let index: Vec<String> = cell.index.iter().map(u8::to_string).collect();
    format!("{} {} {}", cell.after, u32::from(cell.var) + 1, list(&index))
}

fn key_sum(sum: &Sum) -> String {
    let terms: Vec<String> =
        sum.terms.iter().map(|(key, factor)| format!("t {key} {}", number(*factor))).collect();
    format!("(Lexp {} {})", list(&terms), number(sum.constant))
}
