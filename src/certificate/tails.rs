//! Tails in a certificate: ghost arrays that its cubes may mention, as text.
//!
//! `tail NAME over 2: Member[p3, p1] = True && Vote[p3, p2] = False` adds an array NAME of `bool` with two indices. It is false at p1, p2 only where
//! these literals hold of some process p3, which we call a *gap* there; p3 may be p1 or p2. Where literals are about p4, too, a gap is a pair of different
//! processes, and so on. After `over 0` the array is a global. The transform of tails ([`with_tails`](cubicle_transform::with_tails))
//! makes the array, its updates and what guards say of it from that line and the model; it takes any such line, since the derived system has the runs of the model
//! whatever the line says.

use cubicle_lang::model::{Cell, Conj, Literal, ProcRef, System, Tail, Type, VarId};

/// The name of a tail's array, and the words of its line after the name.
pub type NamedTail = (String, String);

/// The words of a tail of a system, or of one with further variables.
pub fn words(system: &System, tail: &Tail) -> String {
    let literals: Vec<String> = tail.denial.iter().map(|it| literal_text(system, it)).collect();
    format!("over {}: {}", tail.constants, literals.join(" && "))
}

fn literal_text(system: &System, literal: &Literal) -> String {
    let Literal::In { cell, values } = literal else { return String::new() };
    let var = system.var(cell.var);
    let Type::Enum(id) = var.ty else { return String::new() };
    let names = (0..).zip(&system.enumeration(id).constructors);
    let held: Vec<&str> = names.filter(|(c, _)| values >> c & 1 == 1).map(|(_, it)| it.as_str()).collect();
    let index: Vec<String> = (cell.index.iter()).map(|p| p.named(|v| format!("p{}", v + 1))).collect();
    let index = if index.is_empty() { String::new() } else { format!("[{}]", index.join(", ")) };
    format!("{}{index} = {}", var.name, held.join(" | "))
}

/// The tail that such words say, which may not be a clause; `None` when they are not in the words of the system.
pub fn read(system: &System, words: &str) -> Option<Tail> {
    let (constants, literals) = words.trim().strip_prefix("over ")?.split_once(':')?;
    let constants: u8 = constants.trim().parse().ok()?;
    let process = |text: &str| {
        let number: u8 = text.trim().strip_prefix('p')?.parse().ok()?;
        (1..=16).contains(&number).then(|| ProcRef::Var(number - 1))
    };
    let literal = |text: &str| {
        let (left, right) = text.split_once('=')?;
        let (name, index) = match left.trim().strip_suffix(']') {
            Some(left) => left.split_once('[').map(|(name, index)| (name, Some(index)))?,
            None => (left.trim(), None),
        };
        let index: Vec<ProcRef> =
            index.into_iter().flat_map(|it| it.split(',')).map(process).collect::<Option<_>>()?;
        let var = system.vars.iter().position(|it| it.name == name.trim())?;
        let Type::Enum(id) = system.vars[var].ty else { return None };
        let names = &system.enumeration(id).constructors;
        let mut values = 0;
        for value in right.split('|') {
            values |= 1_u64 << names.iter().position(|it| it == value.trim())?;
        }
        Some(Literal::In {
            cell: Cell { var: VarId(var as u16), index: index.into_iter().collect() },
            values,
        })
    };
    let denial: Conj = literals.split("&&").map(literal).collect::<Option<_>>()?;
    let named = |p: &ProcRef| denial.iter().any(|it| it.procs().contains(p));
    let bound = (constants..16).map(ProcRef::Var).take_while(named).count() as u8;
    Some(Tail { constants, bound, denial })
}
