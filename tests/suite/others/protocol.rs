//! Random models whose steps ask and change what all other processes do.

use crate::support::dice::Dice;

/// The values of cells.
const VALUES: [&str; 3] = ["A", "B", "C"];

struct Writer<'d>(&'d mut Dice);

impl Writer<'_> {
    fn value(&mut self) -> &'static str {
        VALUES[self.0.below(VALUES.len())]
    }

    fn relation(&mut self) -> &'static str {
        if self.0.chance(70) { "=" } else { "<>" }
    }

    /// A condition on one process, and perhaps on its relation to another one.
    fn of(&mut self, p: &str, other: Option<&str>) -> String {
        let (value, relation) = (self.value(), self.relation());
        match (self.0.below(10), other) {
            (0 | 1, _) => format!("P {relation} {p}"),
            (2, Some(other)) => format!("M[{p}, {other}] {relation} True"),
            (3, Some(other)) => format!("M[{other}, {p}] {relation} True"),
            (4, Some(other)) => format!("S[{p}] {relation} S[{other}]"),
            (5, _) => format!("S[{p}] {relation} G"),
            _ => format!("S[{p}] {relation} {value}"),
        }
    }

    fn guard(&mut self, params: &[&str]) -> String {
        let mut parts = vec!["true".to_owned()];
        for (at, p) in params.iter().enumerate() {
            parts.push(self.of(p, params[..at].last().copied()));
        }
        if self.0.chance(60) {
            parts.push(format!("G {} {}", self.relation(), self.value()));
        }
        if self.0.chance(60) {
            let first = params.first().copied();
            let clause: Vec<String> = (0..=self.0.below(2)).map(|_| self.of("z", first)).collect();
            let word = if self.0.chance(80) { "forall_other" } else { "forall" };
            parts.push(format!("({word} z. ({}))", clause.join(" || ")));
        }
        parts.join(" && ")
    }

    fn updates(&mut self, params: &[&str]) -> String {
        let mut all = Vec::new();
        let (p, last) = (params.first().copied(), params.last().copied());
        if self.0.chance(40) {
            let value = if self.0.chance(15) { "?" } else { self.value() };
            all.push(format!("G := {value}"));
        }
        if let (Some(p), Some(last)) = (p, last) {
            if self.0.chance(25) {
                all.push(format!("P := {last}"));
            }
            if self.0.chance(25) {
                all.push(format!("M[{p}, {last}] := {}", if self.0.chance(70) { "True" } else { "False" }));
            } else if self.0.chance(15) {
                all.push(format!("M[i, j] := case | i = {p} : False | _ : M[i, j]"));
            }
        }
        let (from, to, own) = (self.value(), self.value(), self.value());
        match (self.0.below(10), p) {
            (0..=5, Some(p)) => all.push(format!("S[{p}] := {own}")),
            (6 | 7, Some(p)) => {
                all.push(format!("S[j] := case | j = {p} : {own} | S[j] = {from} : {to} | _ : S[j]"));
            }
            (8, _) => all.push(format!("S[j] := case | S[j] = {from} && P <> j : {to} | _ : S[j]")),
            (9, _) if self.0.chance(20) => all.push("S[j] := ?".to_owned()),
            _ => {}
        }
        all.join("; ")
    }
}

/// A model with arrays `S` and `M`, a global `G` and a pointer `P`.
pub fn protocol(dice: &mut Dice) -> String {
    let mut text =
        "type s = A | B | C\nvar G : s\nvar P : proc\narray S[proc] : s\narray M[proc, proc] : bool\n\
        init (p q) { G = A && S[p] = A && M[p, q] = False }\n"
            .to_owned();
    let mut writer = Writer(dice);
    for number in 0..3 + writer.0.below(3) {
        let params = &["p", "q"][..[1, 1, 1, 2, 0][writer.0.below(5)]];
        let (guard, updates) = (writer.guard(params), writer.updates(params));
        text +=
            &format!("transition t{number} ({}) requires {{ {guard} }} {{ {updates} }}\n", params.join(" "));
    }
    text
}
