//! Counts mean in a system what they mean in its text: random formulas, evaluated on the syntax tree and in the system.

use cubicle::syntax;

use crate::support::dice::Dice;
use crate::support::direct::{random_state, state_agrees};

const HEAD: &str = "type t = A | B | C
var X : int
var G : proc
array S[proc] : t
array N[proc] : int
array P[proc] : proc
array M[proc, proc] : bool
predicate some (p, v) { S[p] = v || N[p] > #{r | S[r] = v && r <> p} }
predicate plain (p, v) { S[p] = v && N[p] > X || M[p, p] = True }
";

/// Writes formulas over processes in scope.
struct Writer {
    dice: Dice,
    /// Whether a global may be an index.
    globals: bool,
    /// Whether it writes a count.
    inside: bool,
}

impl Writer {
    fn pick(&mut self, texts: &[&str]) -> String {
        (*self.dice.pick(texts)).to_owned()
    }

    /// A process as an index.
    fn index(&mut self, scope: &[&str]) -> String {
        if scope.is_empty() || self.globals && self.dice.chance(10) {
            "G".to_owned()
        } else {
            self.pick(scope)
        }
    }

    fn literal(&mut self, scope: &[&str]) -> String {
        let (p, q) = (self.index(scope), self.index(scope));
        let (value, other) = (self.pick(&["A", "B", "C"]), self.pick(&["=", "<>"]));
        let order = self.pick(&["=", "<>", "<", "<=", ">", ">="]);
        match self.dice.below(if self.inside { 8 } else { 11 }) {
            0 | 1 => format!("S[{p}] {other} {value}"),
            2 => format!("S[{p}] {other} S[{q}]"),
            3 => format!("M[{p}, {q}] = True"),
            4 => format!("{p} {order} {q}"),
            5 => format!("G {order} {p}"),
            6 => format!("P[{p}] {other} {q}"),
            7 => {
                let (left, right) = (self.number(scope), self.number(scope));
                format!("{left} {order} {right}")
            }
            _ => {
                let (left, right) = (self.count(scope), self.number(scope));
                format!("{left} {order} {right}")
            }
        }
    }

    fn number(&mut self, scope: &[&str]) -> String {
        let p = self.index(scope);
        match self.dice.below(if self.inside { 4 } else { 6 }) {
            0 => self.pick(&["0", "1", "2"]),
            1 => format!("N[{p}]"),
            2 => "X + 1".to_owned(),
            3 => format!("2 * N[{p}] - X"),
            _ => self.count(scope),
        }
    }

    fn formula(&mut self, scope: &[&str], depth: usize) -> String {
        if depth == 0 {
            return self.literal(scope);
        }
        let (a, b) = (self.formula(scope, depth - 1), self.formula(scope, depth - 1));
        match self.dice.below(6) {
            0 => format!("({a} && {b})"),
            1 => format!("({a} || {b})"),
            2 => format!("not ({a})"),
            3 => format!("({a} <=> {b})"),
            4 if !scope.is_empty() => {
                let (p, value) = (self.pick(scope), self.pick(&["A", "B"]));
                let name = if self.inside { "plain" } else { "some" };
                format!("({name}({p}, {value}) => {b})")
            }
            _ => a,
        }
    }

    fn count(&mut self, scope: &[&str]) -> String {
        let outside = std::mem::replace(&mut self.inside, true);
        // Now and then a name that is bound already.
        let name = if self.dice.chance(90) { "c".to_owned() } else { self.pick(&["p", "q", "j"]) };
        let mut names: Vec<&str> = scope.iter().copied().filter(|it| *it != name).collect();
        names.extend([name.as_str(), name.as_str()]);
        let depth = self.dice.below(3);
        let (body, term) = (self.formula(&names, depth), self.number(&names));
        self.inside = outside;
        match self.dice.below(7) {
            0 => "#proc".to_owned(),
            1 => format!("sum{{{name} | {term}}}"),
            2 => format!("sum{{{name} | {term} if {body}}}"),
            3 => format!("2 * #{{{name} | {body}}}"),
            _ => format!("#{{{name} | {body}}}"),
        }
    }

    fn model(&mut self) -> String {
        self.globals = false;
        let init = [self.literal(&["p", "q"]), self.formula(&["p"], 1)];
        let bad = [self.formula(&["p", "q"], 1), self.formula(&[], 0), self.formula(&["p", "e"], 0)];
        self.globals = true;
        let guard =
            [self.formula(&["p", "q"], 2), self.formula(&["p", "q", "j"], 1), self.formula(&["e", "p"], 0)];
        let values = [self.count(&["p", "q"]), self.count(&["p", "j"]), self.formula(&["p", "j"], 1)];
        let again = [self.formula(&["p"], 1), self.formula(&["j", "k"], 0)];
        let [own, others, some] = guard;
        format!(
            "{HEAD}init (p q) {{ {} && {} }}
unsafe (p q) {{ {} }}
unsafe () {{ {} }}
unsafe (p) {{ exists_other e. {} }}
transition t (p q)
requires {{ ({own}) && (forall_other j. {others}) && (exists_other e. {some}) }}
{{ X := {}; N[j] := case | {} : {} | _ : N[j]; S[p] := C }}
transition u () requires {{ exists p. ({}) && X < 9 }} {{ M[j, k] := case | {} : True | _ : M[j, k]; G := ? }}
",
            init[0], init[1], bad[0], bad[1], bad[2], values[0], values[2], values[1], again[0], again[1],
        )
    }
}

#[test]
fn counts_mean_what_their_text_says() {
    let count = std::env::var("CUBICLE_RANDOM_COUNT").ok().map_or(60, |it| it.parse().expect("a number"));
    let mut examined = 0;
    for seed in 0..count {
        let mut writer = Writer { dice: Dice::new(seed), globals: false, inside: false };
        let text = writer.model();
        let loaded = match cubicle::load(&text) {
            Ok(loaded) => loaded,
            // Formulas of this size may be too large, or name processes where that cannot be said.
            Err(error)
                if error.diagnostics.iter().all(|it| matches!(it.code, "C0504" | "C0304" | "C0303")) =>
            {
                continue;
            }
            Err(error) => panic!("seed {seed}: {text}{error}"),
        };
        let printed = cubicle::words::model(&loaded.system);
        let again =
            cubicle::load(&printed).unwrap_or_else(|error| panic!("seed {seed}: {text}{printed}{error}"));
        for procs in 1..4 {
            for _ in 0..12 {
                let state = random_state(&loaded.system, procs, &mut writer.dice);
                if let Err((what, detail)) = state_agrees(&loaded.file, &loaded.system, &state) {
                    panic!("seed {seed}: {text}{what}: {detail}");
                }
                // The printed system means the same; its counts may have other numbers.
                let declared = |system: &cubicle::model::System| system.vars.len() - system.counts.len();
                assert_eq!(declared(&again.system), declared(&loaded.system), "seed {seed}: {printed}");
                let cells = random_state(&again.system, procs, &mut writer.dice);
                let (file, errors) = syntax::parse(&printed);
                assert!(errors.is_empty());
                if let Err((what, detail)) = state_agrees(&file, &again.system, &cells) {
                    panic!("seed {seed}: {printed}{what}: {detail}");
                }
            }
        }
        examined += 1;
    }
    assert!(examined * 2 > count, "only {examined} of {count} models were examined");
}
