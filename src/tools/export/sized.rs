//! An instance with certain numbers of processes of each sort: the first processes are of the first sort.

use super::instance::Range;
use cubicle_lang::model::semantics::tuples;
use cubicle_lang::model::{
    Cell, Linear, Literal, ProcRef, Rational, Relation, System, SystemParts, Type, VarId,
};

/// The system for an instance with these numbers of processes of its sorts.
///
/// Its `init` says of which sort each process is. Of cells that no formula reads, since a process of their index is of another
/// sort, it says which value these have, and a variable does not point to processes of other sorts: states would be counted
/// several times otherwise.
pub fn sized(system: &System, sizes: &[usize], range: Range) -> System {
    let of_each = (0..).zip(sizes).flat_map(|(sort, size)| std::iter::repeat_n(sort, *size));
    let sorts: Vec<u8> = of_each.collect();
    system.edited(|parts| {
        let said = said(parts, &sorts, range);
        parts.init.body.0.iter_mut().for_each(|conj| conj.extend(said.iter().cloned()));
        if let Some(known) = &mut parts.sorts {
            known.sizes = Some(sizes.to_vec());
        }
    })
}

/// Whether any formula may read a cell: its processes are of the sorts that the array has.
pub fn is_read(
    system: &SystemParts,
    var: VarId,
    at: &[usize],
    sort_of: impl Fn(usize) -> Option<u8>,
) -> bool {
    let fits = |sort, process| sort_of(process).is_none_or(|it| it == sort);
    let mut sorted = at.iter().enumerate();
    sorted.all(|(index, process)| system.index_sort(var, index).is_none_or(|sort| fits(sort, *process)))
}

/// The sort of a process, from 0, of a [`sized`] system.
pub fn sort_of(system: &System, process: usize) -> Option<u8> {
    let mut last = 0;
    let sort = system.sorts.as_ref()?.sizes.as_ref()?.iter().position(|size| {
        last += size;
        process < last
    })?;
    u8::try_from(sort).ok()
}

/// What holds in the beginning of processes of these sorts.
fn said(system: &SystemParts, sorts: &[u8], range: Range) -> Vec<Literal> {
    let process = |at: usize| ProcRef::Const(at as u8);
    let mut out = Vec::new();
    for (id, var) in (0..).map(VarId).zip(&system.vars).filter(|(id, _)| system.count_of(*id).is_none()) {
        for at in tuples(sorts.len(), var.arity()) {
            let cell = Cell { var: id, index: at.iter().map(|p| process(*p)).collect() };
            if system.sort_array() == Some(id) {
                out.push(Literal::In { cell, values: 1 << sorts[at[0]] });
                continue;
            }
            let is_read = is_read(system, id, &at, |process| sorts.get(process).copied());
            let points = |at, holds| Literal::points(cell.clone(), process(at), holds);
            match (var.ty, system.pointed_sort(id)) {
                (Type::Proc, Some(sort)) if is_read => {
                    out.extend((0..sorts.len()).filter(|p| sorts[*p] != sort).map(|p| points(p, false)));
                }
                (Type::Proc, _) if !is_read => out.push(points(0, true)),
                (Type::Enum(ty), _) if !is_read && system.enumeration(ty).constructors.len() > 1 => {
                    out.push(Literal::In { cell, values: 1 });
                }
                (Type::Int | Type::Real, _) if !is_read => {
                    let least = Rational::integer(range.map_or(0, |(low, _)| low));
                    let terms = vec![(cell, Rational::ONE)];
                    let expr = Linear { terms, constant: least.neg() };
                    out.push(Literal::Linear { expr, relation: Relation::Eq, integer: var.ty == Type::Int });
                }
                _ => {}
            }
        }
    }
    out
}
