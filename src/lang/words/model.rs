//! Prints a system as a model: the result of a transformation.
//!
//! What was split on reading stays split: a guard with `||` is several transitions, and processes that a guard requires
//! are parameters. Only the cubes of an `invariant` are written as one, since it is an axiom or a claim as a whole. Process constants need `number_procs` in the language; they are written without it, too.

use std::fmt::Write as _;

use super::literals::LiteralWriter;
use crate::list::{add_least, is_part};
use crate::model::{
    Assignment, Bad, BadKind, Branch, Condition, Conj, Dnf, Init, Literal, ProcRef, System, Temporal,
    TemporalKind, Term, Transition, Type, Universal, Update, Var, VarId, VarKind,
};

/// The text of a model that means `system`.
pub fn model(system: &System) -> String {
    // Its declarations are those of the core.
    let system = &system.in_core();
    let mut text = String::new();
    if let Some(most) = system.max_procs {
        let _ = writeln!(text, "number_procs {most}\n");
    }
    for decl in system.enums.iter().filter(|it| it.name != "bool") {
        let _ = writeln!(text, "type {} = {}", decl.name, decl.constructors.join(" | "));
    }
    for name in &system.abstracts {
        let _ = writeln!(text, "type {name}");
    }
    text.push('\n');
    for (id, var) in system.declared() {
        let _ = writeln!(text, "{}", variable(system, id, var));
    }
    let names = |params: usize| (0..params).map(|p| format!("p{}", p + 1)).collect::<Vec<_>>();
    let init = names(system.init.params.into());
    let mut starts = initially(system, &init);
    // Simplification may have taken all that mentions a process constant, but instances have its process.
    let last = format!("#{}", system.proc_constants);
    if system.proc_constants > 0 && !starts.contains(&last) {
        starts = format!("({starts}) && {last} = {last}");
    }
    let _ = writeln!(text, "\ninit ({}) {{ {starts} }}", init.join(" "));
    for axioms in system.axioms.chunk_by(|a, b| a.span == b.span) {
        text += &invariant(system, axioms.iter().map(|it| (it.params, &it.cube)), None);
    }
    let together = |a: &Bad, b: &Bad| a.kind == BadKind::Invariant && a.kind == b.kind && a.span == b.span;
    for declared in system.bad.chunk_by(together) {
        let claimed = declared.first().is_some_and(|it| it.kind == BadKind::Invariant);
        let mention = (claimed && system.looks_like_axiom(declared)).then(|| mention(system));
        // Where nothing changes, there are no lemmas.
        if claimed && mention != Some(None) {
            text += &invariant(system, declared.iter().map(|it| (it.params, &it.cube)), mention.flatten());
            continue;
        }
        for Bad { name, params, cube, .. } in declared {
            let names = names((*params).into());
            let (title, cube) = (title(name), conj(system, cube, &names));
            let _ = writeln!(text, "\nunsafe {title}({}) {{ {cube} }}", names.join(" "));
        }
    }
    for it in &system.transitions {
        text += &transition(system, it);
    }
    text + &runs(system)
}

/// The formula of `init`. Where that for no process is not what it says without its literals about processes, both are written: `p <> p` is
/// about a process, and never holds.
fn initially(system: &System, names: &[String]) -> String {
    let Init { body, without_processes: none, .. } = &system.init;
    let text = dnf(system, body, names);
    let Some(one) = names.first() else { return text };
    let said = literally_without_processes(body);
    if said.0.len() == none.0.len() && said.0.iter().all(|it| none.0.contains(it)) {
        return text;
    }
    format!("({text} || {one} <> {one}) && ({})", dnf(system, none, names))
}

/// What `init` says without its literals about processes.
pub fn literally_without_processes(init: &Dnf) -> Dnf {
    let mut said: Vec<Conj> = Vec::new();
    for way in &init.0 {
        let of_none = way.iter().filter(|it| it.procs().into_iter().all(|p| p.variables() == 0));
        add_least(&mut said, of_none.cloned().collect(), |a, b| is_part(a, b));
    }
    Dnf(said)
}

/// The name of a property before its parameters, if a model gave it.
fn title(name: &str) -> String {
    if name.is_empty() || name.contains(' ') { String::new() } else { format!("{name} ") }
}

/// An `invariant` of these cubes, each over a number of processes. It is an axiom or a claim as a whole, so that its cubes stay
/// together. A claim about what never changes mentions something that does.
fn invariant<'s>(
    system: &System,
    cubes: impl Iterator<Item = (u8, &'s Conj)> + Clone,
    mention: Option<String>,
) -> String {
    let least = cubes.clone().map(|(params, _)| params).min().unwrap_or(0);
    let names: Vec<String> = (1..=least).map(|p| format!("p{p}")).collect();
    let cubes: Vec<String> = cubes
        .map(|(params, cube)| {
            let mut scope = names.clone();
            scope.extend(fresh(&names, (params - least).into(), 'e'));
            let text = conj(system, cube, &scope);
            match scope[names.len()..].join(" ") {
                others if others.is_empty() => text,
                others => format!("exists_other {others}. ({text})"),
            }
        })
        .collect();
    let mut body = one_of(&cubes);
    if let Some(mention) = mention {
        body = format!("({body}) && {mention}");
    }
    format!("\ninvariant ({}) {{ {body} }}\n", names.join(" "))
}

/// A formula that always holds, about a variable that some transition assigns.
fn mention(system: &System) -> Option<String> {
    let assigned = system.transitions.iter().flat_map(|it| &it.updates).map(|it| system.var(it.var));
    let var = assigned.into_iter().next()?;
    Some(match vec!["c"; var.arity()].join(", ") {
        index if index.is_empty() => format!("{0} = {0}", var.name),
        index => format!("#{{c | {0}[{index}] = {0}[{index}]}} >= 0", var.name),
    })
}

/// A formula over the processes of these names.
pub fn formula(system: &System, formula: &Dnf, names: &[String]) -> String {
    dnf(&system.in_core(), formula, names)
}

fn variable(system: &System, id: VarId, var: &Var) -> String {
    let ty = system.type_name(var.ty);
    match var.kind {
        VarKind::Global => format!("var {} : {ty}", var.name),
        VarKind::Const => format!("const {} : {ty}", var.name),
        VarKind::Array(arity) => {
            let word = if system.witnesses.contains(&id) { "witness" } else { "array" };
            format!("{word} {}[{}] : {ty}", var.name, vec!["proc"; usize::from(arity)].join(", "))
        }
    }
}

fn name(names: &[String], proc: ProcRef) -> String {
    proc.named(|v| names[usize::from(v)].clone())
}

fn conj(system: &System, cube: &Conj, names: &[String]) -> String {
    let writer = LiteralWriter { system, name: &|p| name(names, p), taken: names };
    let parts: Vec<String> = cube
        .iter()
        .map(|it| match it {
            // Alternatives would be read as several conjunctions.
            Literal::In { cell, values } => writer.conditions(cell, *values).join(" && "),
            other => writer.literal(other),
        })
        .collect();
    if parts.is_empty() { "true".to_owned() } else { parts.join(" && ") }
}

fn dnf(system: &System, formula: &Dnf, names: &[String]) -> String {
    one_of(&formula.0.iter().map(|it| conj(system, it, names)).collect::<Vec<_>>())
}

/// A disjunction.
fn one_of(parts: &[String]) -> String {
    match parts {
        [] => "false".to_owned(),
        [one] => one.clone(),
        several => several.iter().map(|it| format!("({it})")).collect::<Vec<_>>().join(" || "),
    }
}

/// Names for further processes, none of which is in `taken`.
fn fresh(taken: &[String], count: usize, letter: char) -> Vec<String> {
    (1..).map(|n| format!("{letter}{n}")).filter(|name| !taken.contains(name)).take(count).collect()
}

/// A condition on all processes that have no name.
fn universal(system: &System, Universal { bound, body, .. }: &Universal, names: &[String]) -> String {
    let mut scope = names.to_vec();
    scope.extend(fresh(names, (*bound).into(), 'q'));
    let bound = scope[names.len()..].join(" ");
    format!("(forall_other {bound}. ({}))", dnf(system, body, &scope))
}

fn transition(system: &System, it: &Transition) -> String {
    let mut names = it.params.clone();
    names.extend(fresh(&names, it.hidden.into(), 'h'));
    let mut guard: Vec<String> = Vec::new();
    if !it.guard.is_empty() {
        guard.push(conj(system, &it.guard, &names));
    }
    guard.extend(it.universals.iter().map(|it| universal(system, it, &names)));
    let mut text = format!("\ntransition {} ({})\n", it.name, names.join(" "));
    if !guard.is_empty() {
        let _ = writeln!(text, "requires {{ {} }}", guard.join(" && "));
    }
    let updates: Vec<String> = it.updates.iter().map(|it| update(system, it, &names)).collect();
    let _ = writeln!(text, "{{ {} }}", updates.join(";\n  "));
    text
}

fn update(system: &System, it: &Update, names: &[String]) -> String {
    let var = system.var(it.var);
    let index = fresh(names, var.arity(), 'j');
    let target =
        if index.is_empty() { var.name.clone() } else { format!("{}[{}]", var.name, index.join(", ")) };
    let mut scope = names.to_vec();
    scope.extend(index.iter().cloned());
    match &it.assignment {
        Assignment::Nondet => format!("{target} := ?"),
        Assignment::Cases(branches) => match branches.as_slice() {
            [Branch { when, value }] if index.is_empty() && when.is_true() => {
                format!("{target} := {}", term(system, value, var.ty, &scope))
            }
            branches => {
                let mut text = format!("{target} := case");
                for Branch { when, value } in branches {
                    let value = term(system, value, var.ty, &scope);
                    let when = if when.is_true() { "_".to_owned() } else { dnf(system, when, &scope) };
                    let _ = write!(text, "\n    | {when} : {value}");
                }
                text
            }
        },
    }
}

fn term(system: &System, it: &Term, ty: Type, names: &[String]) -> String {
    match it {
        Term::Constructor(c) => {
            let Type::Enum(id) = ty else { unreachable!("only enums have constructors") };
            system.enumeration(id).constructors[usize::from(*c)].clone()
        }
        other => LiteralWriter { system, name: &|p| name(names, p), taken: names }.term(other),
    }
}

/// Fairness and properties of runs.
fn runs(system: &System) -> String {
    let mut text = String::new();
    let mut before = None;
    for it in &system.fairness {
        let (word, any) = (if it.strong { "strong_fair" } else { "fair" }, if it.any { "any " } else { "" });
        // A declaration may have been split by the numbers of parameters.
        let line = format!("\n{word} {any}{}\n", system.name_of(it));
        if before.replace(it.span) != Some(it.span) || !text.ends_with(&line) {
            text.push_str(&line);
        }
    }
    for it in &system.temporal {
        let head = format!("\n{} {}({})", it.kind.word(), title(&it.name), it.params.join(" "));
        let _ = write!(text, "{head} {{ {} }}", condition(system, it, &it.first));
        // A condition that never holds is `false`, which must be written as well.
        if it.kind == TemporalKind::Response {
            let _ = write!(text, " ~> {{ {} }}", condition(system, it, &it.then));
        }
        text.push('\n');
    }
    text
}

fn condition(system: &System, property: &Temporal, of: &Condition) -> String {
    let mut cases = Vec::new();
    for case in &of.0 {
        let mut names = property.params.clone();
        let hidden = fresh(&names, case.hidden.into(), 'h');
        names.extend(hidden.iter().cloned());
        let all = std::iter::once(conj(system, &case.cube, &names))
            .filter(|it| it != "true" || case.universals.is_empty());
        let all = all.chain(case.universals.iter().map(|it| universal(system, it, &names)));
        let all = all.collect::<Vec<_>>().join(" && ");
        cases.push(match hidden.as_slice() {
            [] => format!("({all})"),
            hidden => format!("(exists_other {}. {all})", hidden.join(" <> ")),
        });
    }
    if cases.is_empty() { "false".to_owned() } else { cases.join(" || ") }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_holds_nowhere_reads_back() {
        let load = |text: &str| crate::load(text).expect("a model").system;
        let text = "var X : bool init (p) { X = True && p <> p } response r () { X = True } ~> { X = True && X = False }";
        let system = load(text);
        let again = load(&super::model(&system));
        assert_eq!(again.init.without_processes, system.init.without_processes);
        assert_eq!(
            (&again.temporal[0].first, &again.temporal[0].then),
            (&system.temporal[0].first, &system.temporal[0].then)
        );
        assert!(again.temporal[0].then.0.is_empty());
        // Instances have the process of `#2`.
        let text = "number_procs 2 var X : bool init () { X = True } unsafe () { X = False && #2 = #2 }";
        assert_eq!(load(&super::model(&load(text))).proc_constants, 2);
        // The lemma is not an assumption where the only step that changes what it says is gone.
        let system = load(
            "var X : bool init () { X = True } invariant () { X = True } transition t () requires { X = True && X = False } { X := False }",
        );
        let again = load(&super::model(&system));
        assert_eq!((again.bad.len(), again.axioms.len()), (1, 0));
    }

    #[test]
    fn sums_read_back() {
        let text = "
            const K : int
            var N : int
            var R : real
            array A[proc] : int
            array B[proc] : real
            init (p) { N = K - 1 && A[p] = 2 * N - 3 && R = -0.5 && B[p] = R + 1.25 }
            unsafe (p q) { A[p] + A[q] * 2 - N > 3 && B[p] - B[q] - R <> - 0.75 }
            transition t (p)
            requires { N - A[p] <= - 2 * K && forall_other q. R + B[q] < 2.5 - B[p] }
            { N := - N + 2 - A[p]; A[q] := case | q = p : -4 | A[q] - N = 1 : 0 - A[p] - 3 * K | _ : A[q];
              R := R - B[p] - 0.05; B[p] := - B[p] - B[p] + 10 }";
        let load = |text: &str| crate::load(text).expect("a model").system;
        let system = load(text);
        let again = load(&super::model(&system));
        assert_eq!(again.init.body, system.init.body);
        assert_eq!(again.bad[0].cube, system.bad[0].cube);
        let [it, other] = [&system.transitions[0], &again.transitions[0]];
        assert_eq!((&it.guard, &it.updates), (&other.guard, &other.updates));
        assert_eq!(it.universals[0].body, other.universals[0].body);
    }

    #[test]
    fn an_invariant_is_printed_as_one_declaration() {
        let text = |invariant: &str| {
            format!(
                "const K : bool var X : bool array S[proc] : bool
                 init (p) {{ X = False && S[p] = False }} invariant {invariant}
                 transition t (p) {{ X := True; S[p] := True }}"
            )
        };
        // One cube of each of the first three is about what never changes; none of these is an axiom.
        for (invariant, cubes, axioms) in [
            ("() { exists_other p. (X = True || K = False) }", 2, 0),
            ("() { K = True || exists_other p. (S[p] = True) }", 2, 0),
            ("(p) { K = True || exists_other q. (S[p] = True && S[q] = True) || X = True }", 3, 0),
            ("() { K = True }", 0, 1),
            ("(p) { S[p] = True }", 1, 0),
        ] {
            let load = |text: &str| crate::load(text).expect("a model").system;
            let system = load(&text(invariant));
            let printed = super::model(&system);
            let again = load(&printed);
            // The cubes of a declaration may come in another order.
            let facts = |it: &crate::model::System| {
                let bad = it.bad.iter().map(|bad| format!("bad: {} {:?}", bad.params, bad.cube));
                let axioms =
                    it.axioms.iter().map(|axiom| format!("axiom: {} {:?}", axiom.params, axiom.cube));
                bad.chain(axioms).collect::<std::collections::BTreeSet<_>>()
            };
            assert_eq!((system.bad.len(), system.axioms.len()), (cubes, axioms), "{invariant}");
            assert_eq!(facts(&again), facts(&system), "{printed}");
        }
    }
}
