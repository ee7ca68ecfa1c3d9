//! What a step demanded of a count, in words that stay true while numbers grow: who was in term `Term[p]` may be in a later one by now.
//!
//! A leader of a term has the votes of more than half of the processes, `2 * #{q | Term[q] = Term[p] && Vote[q] = p} > #proc`, as long
//! as none of these goes on to another term. What lasts is that more than half of them have voted so or are in a later term. These are guesses,
//! which a search proves together with others.

use cubicle_lang::list::add_new;
use cubicle_lang::model::{
    Cell, Dnf, Linear, Literal, ProcRef, Rational, Relation, System, SystemParts, negated,
};

/// A system with the counts of processes that were counted or whose numbers are greater, and the thresholds of guards about these in place of those
/// that the guards compare.
pub fn with_lasting_counts(system: &System) -> (System, Vec<Literal>) {
    let mut parts = system.to_parts();
    let mut guesses = Vec::new();
    for literal in system.transitions.iter().flat_map(|t| &t.guard) {
        let Literal::Linear { expr, relation, integer } = literal else { continue };
        let lasting = |(cell, factor): &(Cell, Rational)| Some((lasting(&mut parts, cell)?, *factor));
        let counts = expr.terms.iter().map(lasting).collect::<Option<Vec<_>>>();
        if let Some(expr) = counts.and_then(|terms| Linear::gathered(terms, expr.constant))
            && expr.terms.iter().any(|(cell, _)| system.vars.len() <= usize::from(cell.var.0))
        {
            add_new(&mut guesses, Literal::Linear { expr, relation: *relation, integer: *integer });
        }
    }
    if guesses.is_empty() { (system.clone(), guesses) } else { (System::new(parts), guesses) }
}

/// The count that lasts in place of one, and any other cell as it is; `None` where there are too many variables.
fn lasting(parts: &mut SystemParts, cell: &Cell) -> Option<Cell> {
    let count = parts.counts.iter().find(|it| it.var == cell.var && it.summand.is_none());
    let Some(count) = count else { return Some(cell.clone()) };
    let member = ProcRef::Var(cell.index.len() as u8);
    let body = count.body.0.clone();
    let later = body.iter().flatten().filter_map(|it| greater(parts, it, member));
    let body: Vec<_> = body.iter().cloned().chain(later.map(|it| vec![it])).collect();
    let span = parts.var(cell.var).span;
    let var = parts.counted(cell.index.len() as u8, Dnf(body), None, span)?;
    Some(Cell { var, index: cell.index.clone() })
}

/// That a number of a process is greater than the one that a literal says it equals.
fn greater(parts: &SystemParts, literal: &Literal, member: ProcRef) -> Option<Literal> {
    let Literal::Linear { expr, relation: Relation::Eq, integer: true } = literal else { return None };
    let of_member = |(cell, _): &&(Cell, Rational)| cell.index.contains(&member);
    let mut own = expr.terms.iter().filter(of_member);
    let (Some((_, factor)), None) = (own.next(), own.next()) else { return None };
    let difference = if *factor > Rational::ZERO { expr.clone() } else { expr.negated()? };
    negated(parts, &Literal::Linear { expr: difference, relation: Relation::Le, integer: true })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubicle_lang::words::literal;

    #[test]
    fn who_had_a_number_may_have_a_greater_one_by_now() {
        let guess = |guard: &str| {
            let text = format!(
                "type t = Idle | Done array Term[proc] : int array S[proc] : t var N : int
                 init (p) {{ Term[p] = 0 && S[p] = Idle && N = 0 }}
                 transition t (p) requires {{ {guard} }} {{ Term[p] := Term[p] + 1; S[p] := Done; N := N + 1 }}"
            );
            let system = cubicle_lang::load(&text).expect("a correct model").system;
            let (with_counts, guesses) = with_lasting_counts(&system);
            let name = |_| "#1".to_owned();
            let text = |it: &Literal| literal(&with_counts, it, &name).replace(['(', ')'], "");
            guesses.iter().map(text).collect::<Vec<_>>()
        };
        let of_term = guess("2 * #{q | Term[q] = Term[p] && S[q] = Done} > #proc");
        let lasting = "#{p | Term[#1] = Term[p] && S[p] = Done || Term[#1] + 1 <= Term[p]}";
        assert_eq!(of_term, [format!("#proc + 1 <= 2 * {lasting}")]);
        assert_eq!(guess("#{q | N = Term[q]} > 2"), ["3 <= #{p | Term[p] = N || N + 1 <= Term[p]}"]);
        // Nothing grows, or the guard does not count.
        assert!(guess("2 * #{q | S[q] = Done} > #proc && Term[p] = N").is_empty());
    }
}
