//! Elaboration of counts: each becomes a cell of a variable that counts.
//!
//! The processes that the formula mentions, besides the counted one, are the indices of the cell, so that a count is renamed
//! as any cell is. The counted process may be any process, one of them included: it is compared with them in the formula.

use smallvec::SmallVec;

use super::context::{Context, FormulaPlace};
use super::counts::counted;
use super::formula::Formula;
use super::limits::{MAX_ARITY, MAX_VARS};
use super::scope::{Scope, TermMeaning, TermType};
use super::terms::IndexMeaning;
use super::{Cell, Conj, Dnf, Linear, Literal, ProcRef, Rational, Term, Type, rename};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{self, Comparison, Expr};

impl<'a> Context<'a> {
    pub fn count(&mut self, count: &'a ast::Count, scope: &Scope<'a>) -> TermMeaning {
        let at = count.span();
        if self.counting {
            return Diagnostic::error("C0305", at, "a count within a count")
                .label("a count is about the cells of processes and about variables")
                .help("put the inner number into a variable that the transitions keep up to date")
                .refuse(self);
        }
        let Some((name, _, body)) = count.parts() else {
            return self.number_of(SmallVec::new(), Dnf::truth(), None, at);
        };
        self.counting = true;
        if !self.may_bind(&[name], scope) {
            self.counting = false;
            return TermMeaning::Unknown;
        }
        let process = self.fresh(name.span());
        let mut scope = scope.clone();
        let within: Vec<&Expr> = body.into_iter().collect();
        let sort = self.sort(name, &within);
        scope.push_of(&name.text, TermMeaning::process(ProcRef::Var(process)), sort);
        self.loose.push(process);
        // A count has a value also where there are no processes.
        let erased = std::mem::replace(&mut self.erase_processes, false);
        let of_sort = sort.map(|sort| {
            let process = IndexMeaning::Process(ProcRef::Var(process));
            self.compared_sort(Comparison::Eq, process, sort, true, name.span())
        });
        let value = self.count_of(process, of_sort, count, &mut scope);
        self.erase_processes = erased;
        self.loose.pop();
        self.release(process);
        self.counting = false;
        value
    }

    fn count_of(
        &mut self,
        process: u8,
        of_sort: Option<Formula>,
        count: &'a ast::Count,
        scope: &mut Scope<'a>,
    ) -> TermMeaning {
        let at = count.span();
        let (summand, body) = count.parts().map_or((None, None), |(_, summand, body)| (summand, body));
        let mut parts: Vec<Formula> = of_sort.into_iter().collect();
        parts.extend(body.map(|body| self.formula(body, scope, true)));
        let formula = Formula::and(parts);
        let summand = match summand {
            None => None,
            Some(term) => {
                let value = self.term(term, scope);
                match self.numeric(value, term.span()) {
                    TermMeaning::Value(Term::Linear(number), ty) => Some((number, ty)),
                    other => return other,
                }
            }
        };
        let ty = match &summand {
            Some((_, TermType::Known(Type::Real))) => Type::Real,
            _ => Type::Int,
        };
        // What the globals used as indices name is not known yet.
        if self.named.is_empty() && !self.needed.is_empty() {
            return TermMeaning::Undefined(ty);
        }
        let formula = self.joined(formula);
        let Some(body) = self.disjuncts(&formula, at) else { return TermMeaning::Unknown };
        let nothing = Linear::number(Rational::ZERO);
        let summand = summand.map(|it| it.0);
        if body.is_empty() || summand.as_ref() == Some(&nothing) || self.place == FormulaPlace::Predicate {
            return TermMeaning::number(nothing, TermType::Known(ty));
        }
        let Some((index, body, summand)) = abstracted(process, &body, summand) else {
            return self.out_of_range(at);
        };
        match summand {
            // As often as there are such processes.
            Some(Linear { terms, constant }) if terms.is_empty() => {
                if ty == Type::Real {
                    return Diagnostic::error("C0204", at, "a constant of type `real` for each process")
                        .label("this is a multiple of a number of processes, which is of type `int`")
                        .help("there is no conversion between `int` and `real`")
                        .refuse(self);
                }
                match self.number_of(index, body, None, at) {
                    TermMeaning::Value(Term::Linear(number), of) => match number.scaled(constant) {
                        Some(number) => TermMeaning::number(number, of),
                        None => self.out_of_range(at),
                    },
                    other => other,
                }
            }
            summand => self.number_of(index, body, summand, at),
        }
    }

    /// The cell that counts this for these processes.
    fn number_of(
        &mut self,
        index: SmallVec<[ProcRef; 2]>,
        body: Dnf,
        summand: Option<Linear>,
        at: Span,
    ) -> TermMeaning {
        if self.place == FormulaPlace::Predicate {
            return TermMeaning::number(Linear::number(Rational::ZERO), TermType::Known(Type::Int));
        }
        if index.len() > MAX_ARITY {
            let message = format!("a count that depends on {} processes", index.len());
            return Diagnostic::error("C0503", at, message)
                .label(format!("it may mention at most {MAX_ARITY}, besides the one that is counted"))
                .refuse(self);
        }
        let indices = index.len() as u8;
        let Some(var) = counted(&mut self.vars, &mut self.counts, indices, body, summand, at) else {
            let message = format!("more than {MAX_VARS} variables and counts");
            return Diagnostic::error("C0501", at, message).refuse(self);
        };
        TermMeaning::cell(Cell { var, index }, self.var(var).ty)
    }

    /// The formula with alternatives about one cell as one literal, as such a literal is printed: so the text of a count means
    /// the same count.
    fn joined(&self, formula: Formula) -> Formula {
        let all = |parts: Vec<Formula>| parts.into_iter().map(|it| self.joined(it)).collect();
        let parts: Vec<Formula> = match formula {
            Formula::Or(parts) => all(parts),
            Formula::And(parts) => return Formula::and(all(parts)),
            other => return other,
        };
        let mut kept: Vec<Formula> = Vec::with_capacity(parts.len());
        for part in parts {
            let known = kept.iter_mut().find_map(|it| match (it, &part) {
                (
                    Formula::Literal(Literal::In { cell, values }),
                    Formula::Literal(Literal::In { cell: same, values: more }),
                ) if cell == same => Some((cell.var, values, *more)),
                _ => None,
            });
            match known {
                Some((var, values, more)) => {
                    *values |= more;
                    if *values == self.symbols.all_values(self.symbols.var(var).ty) {
                        return Formula::True;
                    }
                }
                None => kept.push(part),
            }
        }
        Formula::or(kept)
    }
}

/// The processes that a formula about a counted process and a term of it mention, in order, and both over numbers of these;
/// the counted one comes last. `None` when a number leaves the 64-bit range.
fn abstracted(
    process: u8,
    body: &[Conj],
    summand: Option<Linear>,
) -> Option<(SmallVec<[ProcRef; 2]>, Dnf, Option<Linear>)> {
    let mut index: SmallVec<[ProcRef; 2]> = SmallVec::new();
    let summed = summand.iter().flat_map(|it| &it.terms).flat_map(|(cell, _)| cell.index.iter().copied());
    for p in body.iter().flatten().flat_map(Literal::procs).chain(summed) {
        if matches!(p, ProcRef::Var(v) if v != process) && !index.contains(&p) {
            index.push(p);
        }
    }
    let at = |p: ProcRef| index.iter().position(|it| *it == p).unwrap_or(index.len()) as u8;
    let map = |p: ProcRef| p.renamed(|_| ProcRef::Var(at(p)));
    let body = Dnf(rename::disjunction(body, &map)?);
    let summand = match summand {
        Some(summand) => Some(summand.map_cells(|cell| rename::cell(cell, &map))?),
        None => None,
    };
    Some((index, body, summand))
}

#[cfg(test)]
mod tests {
    use crate::model::{ProcRef, System};
    use crate::words::{cell, literal, model};

    const HEAD: &str = "type t = A | B | C | D
        var X : int var G : proc const N : int array S[proc] : t array Ack[proc, proc] : bool array Num[proc] : int
        init (p) { S[p] = A && Num[p] = 0 && X = 0 && Ack[p, p] = False }\n";

    fn system(rest: &str) -> System {
        match crate::load(&format!("{HEAD}{rest}")) {
            Ok(loaded) => loaded.system,
            Err(error) => panic!("{rest}: {error}"),
        }
    }

    /// The counts of a system, with `#1`, `#2`, .. for the processes that they depend on.
    fn counts(system: &System) -> Vec<String> {
        let name = |p: ProcRef| p.named(|v| format!("#{}", v + 1));
        let one = |count: &crate::model::Count| {
            let arity = system.var(count.var).arity() as u8;
            let index = (0..arity).map(ProcRef::Var).collect();
            cell(system, &crate::model::Cell { var: count.var, index }, &name)
        };
        system.counts.iter().map(one).collect()
    }

    #[test]
    fn a_formula_is_one_count_wherever_it_stands() {
        let system = system(
            "predicate quorum (i, v) { 2 * #{q | Ack[i, q] = True && S[q] = v} > #proc }
            unsafe (z) { quorum(z, B) && X <> #{p | S[p] = B || S[p] = C} }
            unsafe () { exists w. quorum(w, B) }
            transition t (i j) requires { quorum(j, B) && forall_other k. quorum(k, B) }
              { X := sum{p | 2 * Num[p] if p <> i && not (S[p] = A)} + #{ q | S[q] = C || S[q] = B };
                S[c] := case | #{p | Ack[c, p] = True} > 0 : B | _ : S[c] }
            transition u (i) requires { #{q | S[q] = C || S[q] = B || S[q] = D} > #{p | Ack[i, p] = False || Ack[i, p] = True} }
              { Ack[i, i] := True }",
        );
        assert_eq!(
            counts(&system),
            [
                "#{p | Ack[#1, p] = True && S[p] = B}",
                "#proc",
                "#{p | S[p] = B || S[p] = C}",
                "sum{p | 2 * Num[p] if #1 <> p && S[p] <> A}",
                "#{p | Ack[#1, p] = True}",
                "#{p | S[p] <> A}",
            ]
        );
        // The printed system means the same: counts are told apart by their formulas only.
        let printed = model(&system);
        let again = crate::load(&printed).unwrap_or_else(|error| panic!("{printed}\n{error}")).system;
        assert_eq!(counts(&again).len(), counts(&system).len(), "{printed}");
        assert_eq!(model(&again), printed);
    }

    #[test]
    fn what_no_process_or_every_process_satisfies_is_no_count() {
        let system = system(
            "unsafe () { #{p | S[p] = A && S[p] = B} > X }
            unsafe () { sum{p | 2 if S[p] = B} + sum{p | 0} > 2 * #{p | true} + 1 }
            transition t (i) { S[i] := B }",
        );
        assert_eq!(counts(&system), ["#{p | S[p] = B}", "#proc"]);
        let text: Vec<String> =
            system.bad.iter().map(|bad| literal(&system, &bad.cube[0], &|_| String::new())).collect();
        assert_eq!(text, ["X + 1 <= 0", "#proc + 1 <= #{p | S[p] = B}"]);
    }

    #[test]
    fn a_global_as_an_index_names_a_process_of_the_count() {
        let system = system(
            "unsafe () { X > 0 }
            transition t () requires { #{p | Num[p] < Num[G]} > 0 } { X := 1 }",
        );
        // It names a process, or none: then no comparison with its cell holds.
        assert_eq!(counts(&system), ["#{p | Num[p] + 1 <= Num[#1]}"]);
        assert_eq!(system.transitions.len(), 1);
        assert_eq!(system.transitions[0].hidden, 1);
        let guard = &system.transitions[0].guard;
        let name = |p: ProcRef| format!("{p:?}");
        let guard: Vec<String> = guard.iter().map(|it| literal(&system, it, &name)).collect();
        assert_eq!(guard, ["G = Var(0)", "1 <= #{p | Num[p] + 1 <= Num[Var(0)]}"]);
    }

    #[test]
    fn init_may_count_also_where_there_are_no_processes() {
        let text = "var X : int array S[proc] : bool array M[proc, proc] : bool
            init (p) { S[p] = False && #{q | S[q] = True} = 0 && #{q | M[p, q] = True} = 0 }
            unsafe () { X > 0 } transition t (i) { S[i] := True; M[i, i] := True; X := X + 1 }";
        let loaded = crate::load(text).expect("a model");
        let system = &loaded.system;
        let without: Vec<String> = system.init.without_processes.0[0]
            .iter()
            .map(|it| literal(system, it, &|_| String::new()))
            .collect();
        assert_eq!(without, ["#{p | S[p] = True} = 0"]);
        let warned: Vec<&str> = loaded.warnings.iter().map(|it| it.message.as_str()).collect();
        assert_eq!(warned, ["`X` is not initialised", "`S` is never read", "`M` is never read"]);
    }
}
