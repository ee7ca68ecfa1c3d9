//! Obligations as plain SMT-LIB 2: one file for initiation, one for each transition, one for the property,
//! and in each one `(check-sat)` for each obligation, which must answer `unsat`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::cubes::{CubeInstance, Cubes, Refutation, orders};
use super::failure::{ProofFailure, obligation as named};
use super::ground::{Atom, CellRole, GroundCell, GroundFormula, GroundPoint, GroundSum, Reading, UNKNOWN};
use super::index::Refutations;
use super::obligation::Obligation;
use super::obligations::{ObligationCase, Obligations};
use super::text::axioms;
use cubicle_lang::list::extend_new;
use cubicle_lang::model::{Rational, Relation, System, Type, VarId};
use cubicle_run::Interrupt;

/// A script.
#[derive(Clone, Debug)]
pub struct Script {
    /// Name of its file.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The obligations that its answers are about, in order.
    pub obligations: Vec<Obligation>,
}

/// The scripts of a certificate: the obligations of `cubes` with their refutations; `subject` are the lines of its subject.
pub fn scripts(
    system: &System,
    subject: &[String],
    cubes: &Cubes,
    refutations: &[Refutations],
) -> Result<Vec<Script>, ProofFailure> {
    let mut files: BTreeMap<(u8, usize), Vec<&Refutations>> = BTreeMap::new();
    for entry in refutations {
        let file = match entry.0 {
            Obligation::Initiation(_) => (0, 0),
            Obligation::Consecution { transition, .. } => (1, transition),
            Obligation::Property(_) => (2, 0),
            Obligation::Begins => (3, 0),
        };
        files.entry(file).or_default().push(entry);
    }
    let mut out = Vec::new();
    for ((kind, number), mut entries) in files {
        entries.sort_by_key(|entry| entry.0);
        let (name, title) = match kind {
            0 => ("initiation.smt2".to_owned(), "No initial state is in a cube of the invariant.".to_owned()),
            1 => {
                let name = &system.transitions[number].name;
                let title = format!("No step of {name} leads from the invariant into one of its cubes.");
                (format!("consecution-{:03}-{name}.smt2", number + 1), title)
            }
            2 => ("property.smt2".to_owned(), "No state of the invariant is unsafe.".to_owned()),
            _ => ("begins.smt2".to_owned(), "Each initial state is one of the abstract model.".to_owned()),
        };
        out.push(ScriptWriter::new(system, subject, cubes).script(name, &title, &entries)?);
    }
    Ok(out)
}

struct ScriptWriter<'a> {
    system: &'a System,
    /// The subject of the certificate, in its own lines.
    subject: &'a [String],
    cubes: &'a Cubes,
    obligations: Obligations<'a>,
    ordered: bool,
    /// Variables that occur.
    vars: BTreeSet<VarId>,
    /// Cells that occur by their values after a step, and those that stand for no cell of the state.
    others: BTreeSet<GroundCell>,
    /// Named processes.
    procs: u8,
    /// Others that occur.
    unnamed: BTreeSet<u8>,
}

impl<'a> ScriptWriter<'a> {
    fn new(system: &'a System, subject: &'a [String], cubes: &'a Cubes) -> Self {
        Self {
            system,
            subject,
            cubes,
            obligations: Obligations::new(system, cubes, &Interrupt::default()),
            ordered: orders(system, cubes),
            vars: BTreeSet::new(),
            others: BTreeSet::new(),
            procs: 0,
            unnamed: BTreeSet::new(),
        }
    }

    fn script(mut self, name: String, title: &str, entries: &[&Refutations]) -> Result<Script, ProofFailure> {
        let mut body = String::new();
        let mut obligations = Vec::new();
        for (obligation, refutations) in entries {
            let cases = self.obligations.cases(*obligation, true)?;
            let _ = writeln!(body, "\n; {}", named(self.system, *obligation));
            if cases.is_empty() {
                body.push_str("; There are not enough processes for it, or the guard excludes it.\n");
                continue;
            }
            body.push_str("(push 1)\n(assert (or");
            for (at, case) in cases.iter().enumerate() {
                self.case(&mut body, case, &refutations.get(at).cloned().unwrap_or_default())?;
            }
            body.push_str("))\n(check-sat)\n(pop 1)\n");
            obligations.push(*obligation);
        }
        let text = format!("{}{}{body}", self.head(title), self.declarations());
        Ok(Script { name, text, obligations })
    }

    fn head(&self, title: &str) -> String {
        let trusting =
            if self.cubes.trusting { "; The invariants of the model are taken for granted.\n" } else { "" };
        let mut axioms = axioms(self.system).join("\n;   ");
        if !axioms.is_empty() {
            axioms = format!("; These axioms of the model are assumed of every state:\n;   {axioms}\n");
        }
        let subject: String = self.subject.iter().map(|it| format!("; {it}\n")).collect();
        format!(
            "; Written by cubicle. {title}\n{subject}; Every answer must be unsat: each is about processes of which nothing is said but\n; \
             that they differ, so that it holds for any number of processes.\n{axioms}{trusting}(set-logic ALL)\n"
        )
    }

    /// Everything that the body mentions.
    fn declarations(&self) -> String {
        let mut out = String::new();
        let system = self.system;
        out.push_str(if self.ordered { "(define-sort Proc () Int)\n" } else { "(declare-sort Proc 0)\n" });
        let used = self.vars.iter().map(|&var| system.var(var).ty);
        let used = used.chain(self.others.iter().map(|cell| cell.ty(system)));
        let mut types: Vec<Type> = Vec::new();
        extend_new(&mut types, used);
        for ty in types {
            match ty {
                Type::Enum(id) => {
                    let decl = system.enumeration(id);
                    let constructors: Vec<String> =
                        decl.words().iter().map(|name| format!("({name})")).collect();
                    let _ = writeln!(
                        out,
                        "(declare-datatypes (({} 0)) (({})))",
                        self.sort(ty),
                        constructors.join(" ")
                    );
                }
                Type::Abstract(_) => {
                    let _ = writeln!(out, "(declare-sort {} 0)", self.sort(ty));
                }
                Type::Proc | Type::Int | Type::Real => {}
            }
        }
        for &var in &self.vars {
            let decl = system.var(var);
            let index = vec!["Proc"; decl.arity()].join(" ");
            let _ = writeln!(out, "(declare-fun {} ({index}) {})", self.symbol(var), self.sort(decl.ty));
        }
        for cell in &self.others {
            let _ = writeln!(out, "(declare-fun {} () {})", self.constant(cell), self.sort(cell.ty(system)));
        }
        let names: Vec<String> = (0..self.procs).map(|p| self.process(p)).collect();
        let unnamed: Vec<String> = self.unnamed.iter().map(|&p| self.process(p)).collect();
        for name in names.iter().chain(&unnamed) {
            let _ = writeln!(out, "(declare-fun {name} () Proc)");
        }
        if names.len() > 1 {
            let _ = writeln!(out, "(assert (distinct {}))", names.join(" "));
        }
        if self.ordered {
            for p in 1..self.system.proc_constants.min(self.procs) {
                let _ = writeln!(out, "(assert (< {} {}))", self.process(p - 1), self.process(p));
            }
        }
        out
    }

    fn sort(&self, ty: Type) -> String {
        match ty {
            Type::Proc => "Proc".to_owned(),
            Type::Int => "Int".to_owned(),
            Type::Real => "Real".to_owned(),
            Type::Enum(id) => format!("|{}|", self.system.enumeration(id).name),
            Type::Abstract(id) => format!("|{}|", self.system.abstracts[usize::from(id.0)]),
        }
    }

    fn process(&self, p: u8) -> String {
        let rigid = self.system.proc_constants;
        match p.checked_sub(self.obligations.unnamed.first) {
            Some(further) => format!("q{}", further + 1),
            None if p < rigid => format!("const{}", p + 1),
            None => format!("p{}", p - rigid + 1),
        }
    }

    /// The function of a variable. No name in a model is that of a count.
    fn symbol(&self, var: VarId) -> String {
        let name = &self.system.var(var).name;
        if self.system.count_of(var).is_some() { format!("|{name}|") } else { name.clone() }
    }

    /// The constant for what is not a cell of the state.
    fn constant(&self, cell: &GroundCell) -> String {
        let index = match &cell.index[..] {
            index if cell.var == UNKNOWN => format!("{index:?}"),
            [] => String::new(),
            index => format!("[{}]", self.processes(index, ", ")),
        };
        format!("|{}|", cell.name(self.system, &index))
    }

    fn processes(&self, all: &[u8], between: &str) -> String {
        all.iter().map(|&p| self.process(p)).collect::<Vec<_>>().join(between)
    }

    /// One way in which the obligation could fail, and the instances that exclude it.
    fn case(
        &mut self,
        out: &mut String,
        case: &ObligationCase<'_>,
        Refutation { instances, defined }: &Refutation,
    ) -> Result<(), ProofFailure> {
        self.procs = self.procs.max(case.procs);
        out.push_str("\n  (and");
        let rigid = self.system.proc_constants;
        if self.ordered && rigid > 0 {
            for p in rigid..case.procs {
                let _ = write!(out, "\n    (< {} {})", self.process(rigid - 1), self.process(p));
            }
        }
        for part in case.formula.conjuncts() {
            out.push_str("\n    ");
            self.formula(out, part);
        }
        let mut at_unnamed = Vec::new();
        for instance in instances {
            extend_new(&mut at_unnamed, self.obligations.counts_at_unnamed(instance)?);
        }
        for part in &self.obligations.definitions(case, *defined, &at_unnamed)?.facts {
            out.push_str("\n    ");
            self.formula(out, part);
        }
        for instance in instances {
            let CubeInstance { cube, procs, .. } = instance;
            out.push_str("\n    ");
            let generic = procs.iter().any(|p| self.obligations.is_unnamed(*p));
            if generic || self.cubes.has_others(*cube) {
                let formula = self.obligations.excluded(case.procs, instance)?;
                self.formula(out, &formula);
            } else {
                let literals = &self.cubes.all[*cube].cube;
                let formula = self.obligations.reader.conj(literals, procs, Reading::Now)?;
                out.push_str("(not ");
                self.formula(out, &formula);
                out.push(')');
            }
            let _ = write!(out, " ; invariant {} ({})", cube + 1, self.processes(procs, " "));
        }
        if case.formula.conjuncts().is_empty() && instances.is_empty() {
            out.push_str(" true");
        }
        out.push_str("\n  )");
        // An instance excludes nothing where a process that the case does not name is what it says that no other process is.
        for instance in instances.iter().filter(|it| self.cubes.has_others(it.cube)) {
            if let Some((_, beyond)) = self.obligations.beyond(case, instance)? {
                let _ = write!(out, "\n  ; {} is one of the others", self.process(case.procs));
                self.case(out, &beyond, &instance.beyond)?;
            }
        }
        Ok(())
    }

    fn formula(&mut self, out: &mut String, formula: &GroundFormula) {
        match formula {
            GroundFormula::Literal(atom, true) => self.atom(out, atom),
            GroundFormula::Literal(atom, false) => {
                out.push_str("(not ");
                self.atom(out, atom);
                out.push(')');
            }
            GroundFormula::All(parts) => self.list(out, "and", "true", parts),
            GroundFormula::Any(parts) => self.list(out, "or", "false", parts),
        }
    }

    fn list(&mut self, out: &mut String, connective: &str, empty: &str, parts: &[GroundFormula]) {
        if parts.is_empty() {
            out.push_str(empty);
            return;
        }
        let _ = write!(out, "({connective}");
        for part in parts {
            out.push(' ');
            self.formula(out, part);
        }
        out.push(')');
    }

    fn atom(&mut self, out: &mut String, atom: &Atom) {
        match atom {
            Atom::In(place, values) => {
                let Type::Enum(id) = self.system.var(place.var).ty else { unreachable!("an enum cell") };
                let system = self.system;
                let names = system.enumeration(id).words();
                let all = system.enumeration(id).all();
                let few = values.count_ones() * 2 <= all.count_ones();
                let shown = if few { *values } else { all & !values };
                let cell = self.place(place);
                let equal = |c: usize| format!("(= {cell} {})", names[c]);
                let parts: Vec<String> =
                    (0..names.len()).filter(|c| shown >> c & 1 == 1).map(equal).collect();
                let any =
                    if parts.len() == 1 { parts[0].clone() } else { format!("(or {})", parts.join(" ")) };
                out.push_str(&if few { any } else { format!("(not {any})") });
            }
            Atom::Equal(a, b) => {
                let _ = write!(out, "(= {} {})", self.point(a), self.point(b));
            }
            Atom::Less(a, b) => {
                let _ = write!(out, "(< {} {})", self.point(a), self.point(b));
            }
            Atom::Linear { sum, relation, integer } => {
                let operator = match relation {
                    Relation::Eq => "=",
                    Relation::Ne => "distinct",
                    Relation::Le => "<=",
                    Relation::Lt => "<",
                };
                let sum = self.sum(sum, *integer);
                let _ = write!(out, "({operator} {sum} {})", Rational::ZERO.smtlib(!integer));
            }
        }
    }

    fn sum(&mut self, sum: &GroundSum, integer: bool) -> String {
        let mut parts: Vec<String> = Vec::new();
        for (place, coefficient) in &sum.terms {
            let mut cell = self.place(place);
            if !integer && place.ty(self.system) == Type::Int {
                cell = format!("(to_real {cell})");
            }
            parts.push(if *coefficient == Rational::ONE {
                cell
            } else {
                format!("(* {} {cell})", coefficient.smtlib(!integer))
            });
        }
        if !sum.constant.is_zero() {
            parts.push(sum.constant.smtlib(!integer));
        }
        if parts.len() == 1 { parts.remove(0) } else { format!("(+ {})", parts.join(" ")) }
    }

    fn point(&mut self, point: &GroundPoint) -> String {
        match point {
            GroundPoint::Process(p) => {
                self.mention(*p);
                self.process(*p)
            }
            GroundPoint::Place(place) => self.place(place),
        }
    }

    fn mention(&mut self, p: u8) {
        if p >= self.obligations.unnamed.first {
            self.unnamed.insert(p);
        } else {
            self.procs = self.procs.max(p + 1);
        }
    }

    fn place(&mut self, place: &GroundCell) -> String {
        if place.role != CellRole::Held {
            self.others.insert(place.clone());
            return self.constant(place);
        }
        self.vars.insert(place.var);
        if place.index.is_empty() {
            return self.symbol(place.var);
        }
        place.index.iter().for_each(|p| self.mention(*p));
        format!("({} {})", self.symbol(place.var), self.processes(&place.index, " "))
    }
}
