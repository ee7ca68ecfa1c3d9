//! Guards that ask for less: of a process that a step uses for nothing else, no demand is kept.
//!
//! A guard often says that something exists: a message that was received, a view that was taken. Where the step does not use what it found, the
//! demand may restrict no run that matters, and a proof without it has fewer cubes and fewer parameters. What is asked for are variables: one that guards
//! mention only together with a parameter that the step uses for nothing else is left out, together with what assigns it.
//!
//! *Sound.* Each step of the original is one of the relaxed system, as far as the other variables go. So an invariant of the relaxed system, which does not
//! mention what is left out, is one of the original. A run of the relaxed system need not be one of the original.

use cubicle_lang::model::{
    Assignment, Conj, Dnf, Literal, ProcRef, System, Transition, Universal, VarId, rename,
};

/// A system whose guards ask for less.
#[derive(Debug)]
pub struct Relaxed {
    /// The system, with the variables of the original, and those of its transitions that still change something.
    pub system: System,
    /// The variables that nothing mentions any more.
    pub left_out: Vec<VarId>,
}

/// The relaxed system; `None` where no guard asks for anything that can be left out.
pub fn relaxed(original: &System) -> Option<Relaxed> {
    // A parameter may be a process that a constant names.
    if original.proc_constants > 0 {
        return None;
    }
    let mut left_out: Vec<VarId> =
        original.declared().map(|it| it.0).filter(|var| is_asked_only(original, *var)).collect();
    loop {
        let idle = left_out.iter().copied().filter(|var| is_idle(original, *var, &left_out)).collect();
        if idle == left_out {
            break;
        }
        left_out = idle;
    }
    let mut system = original.to_parts();
    let mut asked = false;
    let without = |t: &Transition| {
        let mut new = t.clone();
        new.updates.retain(|it| !left_out.contains(&it.var));
        asked |= leave_out(&mut new, &left_out);
        // A step that only assigned what is left out changes nothing.
        (t.updates.is_empty() || !new.updates.is_empty()).then_some(new)
    };
    system.transitions = original.transitions.iter().filter_map(without).collect();
    if !asked {
        return None;
    }
    for t in &mut system.transitions {
        let is_unused = |param: &u8| {
            !uses(original, t, *param, &[]) && t.universals.iter().all(|it| spares(original, t, it, *param))
        };
        let unused: Vec<u8> = (0..t.arity() as u8).filter(is_unused).collect();
        *t = without_parameters(t, &unused)?;
    }
    // Properties of runs name transitions.
    system.ask(original.bad.clone());
    Some(Relaxed { system: System::new(system), left_out })
}

/// Whether steps assign a variable, and only guards read it.
fn is_asked_only(system: &System, var: VarId) -> bool {
    system.transitions.iter().any(|t| t.assignment(var).is_some())
        && !system.bad.iter().flat_map(|it| &it.cube).any(|it| it.reads(var))
        && system.sort_array() != Some(var)
        && !system.witnesses.contains(&var)
        && !system.is_read_beside_guards(var)
}

/// Whether guards mention the variable only together with a parameter that the step uses for nothing else, where these are left out.
fn is_idle(system: &System, var: VarId, left_out: &[VarId]) -> bool {
    let is_left_out = |it: &Literal| it.cells().iter().all(|cell| left_out.contains(&cell.var));
    system.transitions.iter().all(|t| {
        let is_unused = |param: &ProcRef| matches!(param, ProcRef::Var(param) if usize::from(*param) < t.arity() && !uses(system, t, *param, left_out));
        t.asked().filter(|it| it.reads(var)).all(|it| is_left_out(it) && it.procs().iter().any(is_unused))
    })
}

/// Whether a transition uses a parameter otherwise than to say of which sort it is, and beside these variables.
fn uses(system: &System, t: &Transition, param: u8, beside: &[VarId]) -> bool {
    let param = ProcRef::Var(param);
    let is_beside = |it: &Literal| it.cells().iter().any(|cell| beside.contains(&cell.var));
    let of_sort = |it: &Literal| system.sorts_of(it).is_some();
    let asks = |it: &Literal| it.procs().contains(&param) && !is_beside(it);
    let branches =
        t.updates.iter().filter(|it| !beside.contains(&it.var)).flat_map(|it| it.assignment.branches());
    t.guard.iter().any(|it| asks(it) && !of_sort(it))
        || t.universals.iter().flat_map(|it| it.body.0.iter().flatten()).any(asks)
        || branches.clone().flat_map(|it| it.value.procs()).any(|it| it == param)
        || branches.flat_map(|it| it.when.0.iter().flatten()).any(asks)
}

/// Whether what is said of other processes is plainly true of a parameter, since it is of another sort. It would be asked of this process, too, were it not a parameter.
fn spares(system: &System, t: &Transition, universal: &Universal, param: u8) -> bool {
    let said = system.sorts_said(&t.guard, t.arity())[usize::from(param)];
    let is_of_another = |conj: &Conj, bound: u8| match (&conj[..], said) {
        ([it], Some(sort)) => {
            system.sorts_of(it).is_some_and(|(p, sorts)| p == ProcRef::Var(bound) && sorts >> sort & 1 == 1)
        }
        _ => false,
    };
    let arity = t.arity() as u8;
    (arity..arity + universal.bound).all(|bound| universal.body.0.iter().any(|it| is_of_another(it, bound)))
}

/// Leaves out what the guard asks of variables; whether it asked for anything.
fn leave_out(t: &mut Transition, left_out: &[VarId]) -> bool {
    let reads = |it: &Literal| it.cells().iter().any(|cell| left_out.contains(&cell.var));
    let asked = t.conjunctions().flatten().any(reads);
    let kept: Vec<bool> = t.guard.iter().map(|it| !reads(it)).collect();
    let (mut of_guard, mut of_spans) = (kept.iter(), kept.iter());
    t.guard.retain(|_| of_guard.next() == Some(&true));
    t.spans.retain(|_| of_spans.next() == Some(&true));
    for universal in &mut t.universals {
        universal.body.0.iter_mut().for_each(|conj| conj.retain(|it| !reads(it)));
    }
    t.universals.retain(|it| !it.body.0.iter().any(Conj::is_empty));
    asked
}

/// The transition without parameters that it does not use; `None` where a number leaves the 64-bit range.
fn without_parameters(t: &Transition, unused: &[u8]) -> Option<Transition> {
    let map = |p: ProcRef| p.renamed(|v| ProcRef::Var(v - unused.iter().filter(|it| **it < v).count() as u8));
    let is_kept = |it: &Literal| !it.procs().iter().any(|p| unused.iter().any(|it| *p == ProcRef::Var(*it)));
    let mut new = t.clone();
    let kept: Vec<(Literal, _)> =
        t.guard.iter().cloned().zip(t.spans.iter().copied()).filter(|it| is_kept(&it.0)).collect();
    let (guard, spans): (Conj, Vec<_>) = kept.into_iter().unzip();
    (new.guard, new.spans) = (rename::conj(&guard, &map)??, spans);
    for universal in &mut new.universals {
        universal.body = Dnf(rename::disjunction(&universal.body.0, &map)?);
    }
    for update in &mut new.updates {
        if let Assignment::Cases(branches) = &mut update.assignment {
            for branch in branches {
                branch.when = Dnf(rename::disjunction(&branch.when.0, &map)?);
                branch.value = rename::term(&branch.value, &map)?;
            }
        }
    }
    let named = t.params.len();
    new.params = (0..).zip(&t.params).filter(|it| !unused.contains(&it.0)).map(|it| it.1.clone()).collect();
    new.hidden -= unused.iter().filter(|it| usize::from(**it) >= named).count() as u8;
    Some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of what is left out, and of the transitions with their numbers of parameters.
    fn names(text: &str) -> Option<(Vec<String>, Vec<(String, usize)>)> {
        let system = cubicle_lang::load(text).expect("a correct model").system;
        let found = relaxed(&system)?;
        let left_out = found.left_out.iter().map(|var| system.var(*var).name.clone()).collect();
        Some((left_out, found.system.transitions.iter().map(|t| (t.name.clone(), t.arity())).collect()))
    }

    #[test]
    fn what_is_asked_of_a_process_that_a_step_does_not_use_is_left_out() {
        let text = "array X[proc] : bool array Seen[proc] : bool array Note[proc, proc] : bool
            init (p q) { X[p] = False && Seen[p] = False && Note[p, q] = False }
            unsafe (p q) { X[p] = True && X[q] = True }
            transition see (p) { Seen[p] := True }
            transition go (p q) requires { X[p] = False && Seen[q] = True && forall_other r. Note[q, r] = False }
            { X[p] := True; Note[p, q] := True }";
        let one = |name: &str, params| (name.to_owned(), params);
        let all = (vec!["Seen".to_owned(), "Note".to_owned()], vec![one("go", 1)]);
        assert_eq!(names(text), Some(all));
        // The step uses the process.
        assert_eq!(names(&text.replace("X[p] := True;", "X[q] := True;")), None);
        // A bad state is about it.
        assert_eq!(names(&text.replace("&& X[q] = True }", "&& Seen[q] = True }")), None);
        let about_notes = text.replace("&& X[q] = True }", "&& Note[p, q] = True }");
        assert_eq!(names(&about_notes), None, "`q` is the process of a note, and both are asked of it");
    }
}
