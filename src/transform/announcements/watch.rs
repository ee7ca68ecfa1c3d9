//! What stands for a bad cube with announcements: the ways in which setters may have set them.

use super::find::{Announcements, Setter};
use cubicle_lang::list::sequences;
use cubicle_lang::model::{
    BOOL, Cell, Conj, Literal, ProcRef, System, TransitionId, Type, Universal, VarId, fold_processes, rename,
    simplify,
};

/// Most watches of one bad cube.
const MOST_WATCHES: usize = 64;
/// Most pairs of parameters of a watch whose order is told apart.
const MOST_PAIRS: usize = 3;

/// One way in which setters may have set the announcements of a bad cube.
#[derive(Clone)]
pub struct Watch {
    pub params: u8,
    pub guard: Conj,
    /// What it asks of all other processes.
    pub universals: Vec<Universal>,
    /// For each announcement of the cube, the setter, and the parameters that are its own.
    pub setters: Vec<(TransitionId, Vec<u8>)>,
}

impl Watch {
    /// All watches for the bad cube of this number; `None` when there are too many, or numbers leave the 64-bit range.
    pub fn all(system: &System, announcements: &Announcements, bad: usize) -> Option<Vec<Self>> {
        let bad = &system.bad[bad];
        let (said, rest): (Vec<&Literal>, Vec<&Literal>) =
            bad.cube.iter().partition(|it| announcements.said(it).is_some());
        let none = Self {
            params: bad.params,
            guard: rest.into_iter().cloned().collect(),
            universals: Vec::new(),
            setters: Vec::new(),
        };
        let mut ways = vec![(none, Vec::new())];
        for (cell, setters) in said.into_iter().filter_map(|it| announcements.said(it)) {
            let mut next = Vec::new();
            for (way, chosen) in &ways {
                for setter in setters {
                    for way in way.with(system, cell, setter)? {
                        let chosen: Vec<&Setter> = [&chosen[..], &[setter]].concat();
                        next.push((way, chosen));
                    }
                }
            }
            if next.len() > MOST_WATCHES {
                return None;
            }
            ways = next;
        }
        let mut all = Vec::new();
        for (way, chosen) in ways {
            for watch in way.with_universals(&chosen)? {
                all.extend(watch.by_order(system));
            }
            if all.len() > MOST_WATCHES {
                return None;
            }
        }
        Some(all)
    }

    /// This one and a setter that has set a cell, for each way in which its further parameters are known processes or new ones.
    fn with(&self, system: &System, cell: &Cell, setter: &Setter) -> Option<Vec<Self>> {
        let own: Vec<u8> = (cell.index.iter())
            .map(|p| match p {
                ProcRef::Var(v) => *v,
                ProcRef::Const(_) => unreachable!("an announcement is asked of parameters"),
            })
            .collect();
        let mut none: Vec<Option<u8>> = vec![None; system.transition(setter.transition).arity()];
        for (param, p) in setter.index.iter().zip(&own) {
            none[usize::from(*param)] = Some(*p);
        }
        let free = (0..none.len() as u8).filter(|param| !setter.index.contains(param));
        // Those of which something is asked come first: the others may then be any processes that these are not.
        let (there, asked): (Vec<u8>, Vec<u8>) =
            free.partition(|param| is_only_there(system, setter, *param));
        let mut ways = vec![(self.params, none)];
        for param in asked.iter().chain(&there) {
            let mut next = Vec::new();
            for (params, map) in ways {
                for p in (0..=params).filter(|p| !map.contains(&Some(*p))) {
                    let mut map = map.clone();
                    map[usize::from(*param)] = Some(p);
                    // Parameters of different sorts are different; so most ways are contradictory.
                    if self.and(&setter.guard, &map)?.is_some() {
                        let is_enough =
                            there.contains(param) && self.is_of_sort(system, setter, *param, p, &map);
                        next.push((params.max(p + 1), map));
                        if is_enough {
                            break;
                        }
                    }
                }
            }
            if next.len() > MOST_WATCHES {
                return None;
            }
            ways = next;
        }
        let mut all = Vec::new();
        for (params, map) in ways {
            let Some(guard) = self.and(&setter.guard, &map)? else { continue };
            let map = map.into_iter().collect::<Option<Vec<u8>>>().expect("each parameter has a name");
            let setters = [&self.setters[..], &[(setter.transition, map)]].concat();
            all.push(Self { params, guard, universals: Vec::new(), setters });
        }
        Some(all)
    }

    /// Whether it is known, without this parameter of a setter, that a process is of the sort of the parameter.
    fn is_of_sort(
        &self,
        system: &System,
        setter: &Setter,
        param: u8,
        process: u8,
        map: &[Option<u8>],
    ) -> bool {
        let others = map.iter().enumerate().map(|(at, it)| it.filter(|_| at != usize::from(param)));
        let known = self.and(&setter.guard, &others.collect::<Vec<_>>()).flatten();
        let wanted = sort_said(system, &setter.guard, ProcRef::Var(param));
        let said = known.and_then(|it| sort_said(system, &it, ProcRef::Var(process)));
        wanted.zip(said).is_some_and(|(wanted, said)| said & !wanted == 0)
    }

    /// The guard and those of the literals that are about parameters with a name; `None` inside when it is never true, and at all when
    /// a number leaves the 64-bit range.
    fn and(&self, literals: &Conj, map: &[Option<u8>]) -> Option<Option<Conj>> {
        let name = |p: ProcRef| match p {
            ProcRef::Var(v) => map[usize::from(v)].map(ProcRef::Var),
            constant @ ProcRef::Const(_) => Some(constant),
        };
        let is_named = |it: &&Literal| it.procs().into_iter().all(|p| name(p).is_some());
        let named: Conj = literals.iter().filter(is_named).cloned().collect();
        let renamed = rename::conj(&named, &|p| name(p).unwrap_or(p))?;
        Some(renamed.and_then(|it| consistent([&self.guard[..], &it].concat())))
    }

    /// With what the guards of the setters say of all processes that are not their parameters: those that are parameters here, and all others.
    fn with_universals(self, chosen: &[&Setter]) -> Option<Vec<Self>> {
        let mut all = vec![self];
        for (at, setter) in chosen.iter().enumerate() {
            for universal in &setter.universals {
                let mut next = Vec::new();
                for way in all {
                    next.extend(way.with_universal(at, universal)?);
                    if next.len() > MOST_WATCHES {
                        return None;
                    }
                }
                all = next;
            }
        }
        Some(all)
    }

    fn with_universal(self, at: usize, universal: &Universal) -> Option<Vec<Self>> {
        let own = self.setters[at].1.clone();
        let others: Vec<u8> = (0..self.params).filter(|p| !own.contains(p)).collect();
        let mut all = vec![self];
        // For each bound process, a parameter or none.
        let next = |known: &[Option<u8>]| {
            let free = others.iter().map(|p| Some(*p)).filter(|p| !known.contains(p));
            free.chain([None]).collect()
        };
        for tuple in sequences(universal.bound.into(), next) {
            let params = all.first()?.params;
            let mut free = params..;
            let bound: Vec<u8> = tuple.iter().map(|p| p.or_else(|| free.next())).collect::<Option<_>>()?;
            let names = [&own[..], &bound].concat();
            let of = |p: ProcRef| p.renamed(|v| ProcRef::Var(names[usize::from(v)]));
            let body = rename::disjunction(&universal.body.0, &of)?;
            let of_free = tuple.iter().filter(|p| p.is_none()).count() as u8;
            if of_free > 0 {
                let span = universal.spans.iter().flatten().next().copied().unwrap_or_default();
                let new = Universal::derived(of_free, body, span);
                for way in &mut all {
                    way.universals.push(new.clone());
                }
                continue;
            }
            let mut next = Vec::new();
            for way in all {
                let implied = |conj: &Conj| conj.iter().all(|it| follows(it, &way.guard));
                if body.iter().any(implied) {
                    next.push(way);
                    continue;
                }
                for conj in &body {
                    let guard = consistent([&way.guard[..], conj].concat());
                    next.extend(guard.map(|guard| Self { guard, ..way.clone() }));
                }
            }
            if next.is_empty() {
                return Some(next);
            }
            all = next;
        }
        Some(all)
    }

    /// In each order of its parameters: for each relation that is total on a sort and that no step changes.
    fn by_order(self, system: &System) -> Vec<Self> {
        let sort = |p: u8| {
            let said = self.guard.iter().filter_map(|it| system.sort_of(it));
            said.into_iter().find(|it| it.0 == ProcRef::Var(p)).map(|it| it.1)
        };
        let mut pairs = Vec::new();
        for (relation, of) in total_relations(system) {
            let ordered: Vec<u8> = (0..self.params).filter(|p| sort(*p) == of).collect();
            let later = |(at, a): (usize, &u8)| {
                ordered[at + 1..].iter().map(|b| (relation, *a, *b)).collect::<Vec<_>>()
            };
            pairs.extend(ordered.iter().enumerate().flat_map(later));
        }
        let mut all = vec![self];
        if pairs.len() <= MOST_PAIRS {
            for (relation, a, b) in pairs {
                let split = |it: &Self| {
                    let cell = Cell::at(relation, [a, b].map(ProcRef::Var));
                    let said = [true, false].map(|truth| Literal::is(cell.clone(), truth));
                    let with = |said| consistent([&it.guard[..], &[said]].concat());
                    said.into_iter()
                        .filter_map(with)
                        .map(|guard| Self { guard, ..it.clone() })
                        .collect::<Vec<_>>()
                };
                all = all.iter().flat_map(split).collect();
            }
        }
        all
    }
}

/// The relations, cells of `bool`, of two processes of a sort of which an axiom says that one of any two is before the other, with the name of the sort.
fn total_relations(system: &System) -> Vec<(VarId, Option<&str>)> {
    let mut found: Vec<(VarId, Option<&str>)> = Vec::new();
    for axiom in &system.axioms {
        let sorts = axiom.cube.iter().filter_map(|it| system.sort_of(it)).map(|it| it.1);
        let mut sorts: Vec<&str> = sorts.collect();
        sorts.dedup();
        let rest = axiom.cube.iter().filter(|it| system.sort_of(it).is_none());
        let denied: Option<Vec<&Cell>> = rest
            .map(|it| match it {
                Literal::In { cell, values: 1 } if cell.index.len() == 2 => Some(cell),
                _ => None,
            })
            .collect();
        let (Some(denied), 0..=1) = (denied, sorts.len()) else { continue };
        if let [a, b] = denied[..]
            && (a.var, a.index[0], a.index[1]) == (b.var, b.index[1], b.index[0])
            && a.index[0] != a.index[1]
            && system.var(a.var).ty == Type::Enum(BOOL)
            && !system.changes(a.var)
            && found.iter().all(|it| it.1 != sorts.first().copied())
        {
            found.push((a.var, sorts.first().copied()));
        }
    }
    found
}

fn sort_said(system: &System, literals: &Conj, process: ProcRef) -> Option<u64> {
    literals.iter().filter_map(|it| system.sorts_of(it)).find(|it| it.0 == process).map(|it| it.1)
}

/// Whether a setter has seen nothing of a parameter but its sort, and says nothing of processes of that sort.
fn is_only_there(system: &System, setter: &Setter, param: u8) -> bool {
    let one = sort_said(system, &setter.guard, ProcRef::Var(param)).filter(|it| it.is_power_of_two());
    let Some(sort) = one else { return false };
    let mentions = |it: &Literal| it.procs().contains(&ProcRef::Var(param));
    let said = setter.guard.iter().filter(|it| system.sort_of(it).is_none());
    let of_all = setter.universals.iter().flat_map(|it| it.body.0.iter().flatten());
    // A disjunct that is true of each process of the sort.
    let excludes = |universal: &Universal, bound: ProcRef| {
        universal.body.0.iter().any(|conj| {
            matches!(&conj[..], [it] if system.sorts_of(it).is_some_and(|(p, sorts)| p == bound && sort & !sorts == 0))
        })
    };
    let arity = system.transition(setter.transition).arity() as u8;
    let is_silent = |it: &Universal| (arity..arity + it.bound).all(|bound| excludes(it, ProcRef::Var(bound)));
    !said.chain(of_all).any(mentions) && setter.universals.iter().all(is_silent)
}

fn apart(a: ProcRef, b: ProcRef) -> Option<bool> {
    Some(a == b)
}

/// The conjunction, with different processes for its parameters; `None` when it is never true.
fn consistent(literals: Conj) -> Option<Conj> {
    simplify(fold_processes(literals, &apart)?, &apart)
}

/// Whether a literal is one of these, or follows from one.
fn follows(literal: &Literal, known: &Conj) -> bool {
    known.iter().any(|it| it.implies(literal))
}
