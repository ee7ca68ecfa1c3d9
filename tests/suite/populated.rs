//! Sizes without an initial state: reports about them, compared with explorations of these sizes.

use cubicle::forward::explore;
use cubicle::model::semantics::{Point, Semantics, State, Value, tuples};
use cubicle::model::{System, Type};
use cubicle::{ForwardOptions, Interrupt, Lack, Options, Silent, Stop, Unpopulated, Vacuous};

/// The largest size that is checked for the models here: one more than `unsafe` has parameters.
const LARGEST: usize = 4;

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }

    fn several(&mut self, most: usize, between: &str, make: &mut dyn FnMut(&mut Self) -> String) -> String {
        let count = 1 + self.below(most);
        (0..count).map(|_| make(self)).collect::<Vec<_>>().join(between)
    }
}

const LITERALS: [&str; 16] = [
    "S[p] = A",
    "S[p] <> A",
    "S[q] = B",
    "S[p] = S[q]",
    "S[p] <> S[q]",
    "T = p",
    "T <> p",
    "T = q",
    "G = True",
    "G = False",
    "C[p] = True",
    "C[p] = C[q]",
    "C[q] <> C[p]",
    "p = q",
    "p <> q",
    "N[p] = T",
];

const CUBES: [&str; 5] =
    ["D[p] = D[q]", "D[p] = X && D[q] = X", "D[p] = X", "D[p] = Y && D[q] <> Y", "D[p] <> D[q] && D[p] = X"];

fn model(random: &mut Random) -> String {
    let init = random.several(3, " || ", &mut |random| {
        let conj = random.several(3, " && ", &mut |random| random.one(&LITERALS).to_owned());
        format!("({conj})")
    });
    let axioms = if random.below(2) == 0 {
        String::new()
    } else {
        random.several(2, "\n", &mut |random| format!("invariant (p q) {{ {} }}", random.one(&CUBES)))
    };
    format!(
        "type t = A | B | Z\ntype d = X | Y\nvar T : proc\nvar G : bool\narray S[proc] : t\narray C[proc] : bool\n\
         array N[proc] : proc\narray D[proc] : d\ninit (p q) {{ {init} }}\n{axioms}\n\
         unsafe (p q r) {{ S[p] = A && S[q] = A && S[r] = A && G = True && C[p] = True }}\n\
         transition go (p) requires {{ C[p] = True }} {{ S[p] := B; T := p; N[p] := T; G := False }}\n\
         transition no (p) {{ C[p] := False }}\n"
    )
}

/// Whether a size has an initial state; `None` where explorations do not decide it.
fn has_state(system: &System, procs: usize) -> Option<bool> {
    let limits = ForwardOptions::default().max_states(1);
    let seen = explore(system, procs, &limits, &Interrupt::default(), &mut Silent).exploration;
    match seen.stop {
        Stop::TooLarge => None,
        Stop::Complete | Stop::States | Stop::Unsafe => Some(seen.states > 0),
        other => panic!("{other:?}"),
    }
}

/// Whether one of all states of a size is initial, by the reference semantics.
fn some_state_is_initial(system: &System, procs: usize) -> bool {
    let semantics = Semantics::new(system, procs);
    let types = system.vars.iter().flat_map(|var| tuples(procs, var.arity()).map(|_| var.ty));
    let domains: Vec<Vec<Value>> = types
        .map(|ty| match ty {
            Type::Enum(id) => {
                (0..system.enumeration(id).constructors.len()).map(|c| Value::Constructor(c as u8)).collect()
            }
            // One value that is not a process: the others behave alike.
            Type::Proc => (0..=procs).map(|p| Value::Proc(Point::process(p))).collect(),
            other => unreachable!("no model here has {other:?}"),
        })
        .collect();
    let states: usize = domains.iter().map(Vec::len).product();
    (0..states).any(|mut number| {
        let mut values = Vec::with_capacity(domains.len());
        for domain in &domains {
            values.push(domain[number % domain.len()]);
            number /= domain.len();
        }
        semantics.initial(&State { procs, values })
    })
}

#[test]
fn empty_sizes_are_those_that_explorations_find_empty() {
    let mut random = Random(5);
    let mut counts = [0; LARGEST + 2];
    for number in 0..400 {
        let text = model(&mut random);
        // Models that are refused at once are skipped.
        let Ok(cubicle::Loaded { system, .. }) = cubicle::load(&text) else { continue };
        let sizes: Option<Vec<bool>> = (0..=LARGEST).map(|procs| has_state(&system, procs)).collect();
        let Some(sizes) = sizes else { continue };
        // Two processes have some thousand states.
        let most = if number % 10 == 0 { 2 } else { 1 };
        for (procs, populated) in sizes.iter().enumerate().take(most + 1) {
            assert_eq!(*populated, some_state_is_initial(&system, procs), "{procs}\n{text}");
        }
        let empty: Vec<usize> = (0..=LARGEST).filter(|&procs| !sizes[procs]).collect();
        let first = empty.first().copied();
        // If a size has no initial state, neither has any larger one.
        assert_eq!(empty.len(), first.map_or(0, |first| LARGEST + 1 - first), "{empty:?}\n{text}");
        let report = cubicle::check(&system, &Options::explore(1), &Interrupt::default(), &mut Silent);
        let report = report.expect("no bug");
        let nothing = report.vacuous.iter().any(|it| matches!(it, Vacuous::NoInitialState(_)));
        let never = report.vacuous.iter().find_map(|it| match it {
            // An `invariant` that is not an axiom is a claim, too.
            Vacuous::NeverApplies(claim, Lack::States(from, _)) if claim.name.starts_with("unsafe") => {
                Some((claim.procs, *from))
            }
            _ => None,
        });
        let from = match report.unpopulated {
            Some(Unpopulated::From(from, _)) => Some(from),
            Some(Unpopulated::NotKnown(procs)) => panic!("not known with {procs}\n{text}"),
            None => None,
        };
        let expected = match first {
            Some(0 | 1) => (true, None, None),
            Some(first @ (2 | 3)) => (false, Some((3, first)), None),
            other => (false, None, other),
        };
        assert_eq!((nothing, never, from), expected, "{empty:?}\n{text}");
        counts[first.unwrap_or(LARGEST + 1)] += 1;
    }
    assert!(counts[1] > 5 && counts[2] > 5 && counts[3] > 0 && counts[LARGEST + 1] > 5, "{counts:?}");
}
