//! `--ltl`: formulas of linear temporal logic, in instances.

use std::fs;

use super::ast::Formula;
use super::graph::{Shape, Temporal};
use super::instance::Failures;
use super::program::{cubicle, text};
use super::{Case, Checked, differ};

const SHAPES: &[Shape] = &[
    Shape::Always,
    Shape::Eventually,
    Shape::AgainAndAgain,
    Shape::FromSomeTimeOn,
    Shape::LeadsTo,
    Shape::LeadsTo,
    Shape::Next,
    Shape::Until,
    Shape::Arrows,
    Shape::OtherArrows,
];

pub fn formulas(case: &Case<'_>) -> Checked {
    let Some(run) = case.model.runs.first().filter(|run| run.params > 0) else { return Ok(false) };
    let shape = SHAPES[(case.seed / 8) as usize % SHAPES.len()];
    let formula = Temporal { shape, params: run.params, left: &run.when, right: &run.then };
    let words = |it: &Formula| case.model.about_constants(it, run.params);
    let (a, b) = (words(formula.left), words(formula.right));
    // `exists_other` leaves out the processes named in the same braces.
    let all_named =
        |it: &str| !it.contains("_other") || (1..=run.params).all(|k| it.contains(&format!("#{k}")));
    if !all_named(&a) || !all_named(&b) {
        return Ok(false);
    }
    let inside = case.seed.is_multiple_of(16);
    let said = match shape {
        Shape::Always => format!("G {{ {a} }}"),
        Shape::Eventually => format!("F {{ {a} }}"),
        Shape::AgainAndAgain => format!("G F {{ {a} }}"),
        Shape::FromSomeTimeOn => format!("F G {{ {a} }}"),
        Shape::LeadsTo => format!("G ({{ {a} }} => F {{ {b} }})"),
        Shape::Next => format!("G ({{ {a} }} => X {{ {b} }})"),
        Shape::Until => format!("{{ {a} }} U {{ {b} }}"),
        Shape::Arrows if inside => format!("{{ {a} => {b} <=> {a} }}"),
        Shape::OtherArrows if inside => format!("{{ {a} <=> {b} => {a} }}"),
        Shape::Arrows => format!("{{ {a} }} => {{ {b} }} <=> {{ {a} }}"),
        Shape::OtherArrows => format!("{{ {a} }} <=> {{ {b} }} => {{ {a} }}"),
    };
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("m.cub"), &case.text).expect("a model");
    let mut compared = false;
    for graph in case.graphs(Failures::None).filter(|it| it.complete) {
        let procs = graph.instance.procs;
        // The product checks #1, #2 .. only, which suffices where processes are alike.
        if procs < run.params || procs > 3 {
            continue;
        }
        let number = procs.to_string();
        let words =
            ["-q", "--only-forward", "--vacuity", "ignore", "--procs", &number, "m.cub", "--ltl", &said];
        let output = cubicle(folder.path(), &words);
        let answer = text(&output.stdout);
        let line = answer.lines().find(|line| line.starts_with("ltl: "));
        let violated = match line {
            Some(line) if line.contains("VIOLATED") => true,
            Some(line) if line.contains("holds") => false,
            _ => {
                let detail = format!("{said}\n{answer}{}", text(&output.stderr));
                return differ("a formula has no answer", detail);
            }
        };
        if violated != graph.breaks(&formula) {
            let detail = format!("{said} with {procs} processes, violated: {violated}\n{answer}");
            return differ("a formula of runs", detail);
        }
        compared = true;
    }
    Ok(compared)
}
