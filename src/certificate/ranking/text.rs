//! A ranking as lines of a certificate, and in words.

use super::super::declaration::literal_words;
use super::super::unreadable::LineError;
use cubicle_lang::list::extend_new;
use cubicle_lang::load::{ModelSource, parse_claims_with_counts};
use cubicle_lang::model::{
    Conj, Fairness, Helper, Least, Linear, Literal, Measure, Measured, Progress, Ranking, Relation, System,
};

pub fn lines(model: &System, ranking: &Ranking, declared: &dyn Fn(&Fairness) -> String) -> Vec<String> {
    let mut lines = vec![format!("ranking of {} with {}", ranking.property, ranking.failed)];
    lines.extend(parts(model, ranking.params(model), &ranking.progress, declared));
    lines
}

/// The lines of what is awaited for this number of processes.
fn parts(
    model: &System,
    observed: u8,
    progress: &Progress,
    declared: &dyn Fn(&Fairness) -> String,
) -> Vec<String> {
    let mut lines = vec![format!("waits {}", formula(model, observed, &progress.waits))];
    for Measure { level, of } in &progress.measures {
        lines.push(match of {
            Measured::Tuples { further, body } => {
                format!("level {level} {}", formula(model, observed + further, body))
            }
            Measured::Number(number) => {
                format!("level {level} falls {}", formula(model, observed, &[vec![not_negative(number)]]))
            }
        });
    }
    for Helper { fairness, further, args, when, again } in &progress.helpers {
        let what = model.fairness.get(*fairness).map_or_else(String::new, declared);
        let when = formula(model, observed + further, when);
        lines.push(format!("helps {} ({what}) with {} where {when}", fairness + 1, names(args)));
        let again = again.iter().flat_map(|it| parts(model, observed + further, it, declared));
        lines.extend(again.map(|it| format!("again {it}")));
    }
    if let Some(Least { among, before }) = &progress.least {
        let (among, before) = (formula(model, observed + 1, among), formula(model, 2, before));
        lines.push(format!("least {among} by {before}"));
    }
    lines
}

/// Why the property holds, in the words of the model, line by line.
pub fn words(model: &System, ranking: &Ranking) -> Vec<String> {
    reasons(model, ranking.params(model), &ranking.progress)
}

fn reasons(model: &System, observed: u8, progress: &Progress) -> Vec<String> {
    let process = format!("p{}", observed + 1);
    let of = |measure: &Measure| match &measure.of {
        Measured::Tuples { further: 0, body } => format!("  whether {}", inner(model, body)),
        Measured::Tuples { body, .. } => format!("  the processes {process} with {}", inner(model, body)),
        Measured::Number(number) => {
            format!("  the distance between both sides of {}", inner(model, &[vec![not_negative(number)]]))
        }
    };
    let name = |it: &Helper| model.fairness.get(it.fairness).map_or("", |it| model.name_of(it));
    let mut steps: Vec<&str> = Vec::new();
    extend_new(&mut steps, progress.helpers.iter().map(name));
    let waits = inner(model, &progress.waits);
    if progress.helpers.is_empty() {
        return vec!["nothing is ever awaited".to_owned()];
    }
    let mut lines = if progress.measures.is_empty() {
        vec![format!("while {waits}, one of these fair steps ends that: {}", steps.join(", "))]
    } else {
        let mut lines = vec![format!("while {waits}, no step adds to the first of these that it changes:")];
        lines.extend(progress.measures.iter().map(of));
        lines.push(format!("and fair steps take from one: {}", steps.join(", ")));
        lines
    };
    for helper in &progress.helpers {
        if let Some(progress) = &helper.again {
            lines.push(format!("and {} is possible again and again:", name(helper)));
            lines.extend(
                reasons(model, observed + helper.further, progress).iter().map(|it| format!("  {it}")),
            );
        }
    }
    lines
}

fn not_negative(number: &Linear) -> Literal {
    Literal::Linear { expr: negated(number), relation: Relation::Le, integer: true }
}

fn negated(number: &Linear) -> Linear {
    number.negated().expect("the negation of a number is one")
}

fn names(processes: &[u8]) -> String {
    let names: Vec<String> = processes.iter().map(|it| format!("p{}", it + 1)).collect();
    format!("({})", names.join(" "))
}

fn inner(model: &System, body: &[Conj]) -> String {
    let word = |it: &Literal| literal_words(model, it).unwrap_or_else(|| "(not expressible)".to_owned());
    let conj = |it: &Conj| match &it[..] {
        [] => "true".to_owned(),
        it => it.iter().map(word).collect::<Vec<_>>().join(" && "),
    };
    match body {
        [] => "false".to_owned(),
        [one] => conj(one),
        _ => body.iter().map(|it| format!("({})", conj(it))).collect::<Vec<_>>().join(" || "),
    }
}

/// A formula over this number of processes.
fn formula(model: &System, params: u8, body: &[Conj]) -> String {
    format!("{} {{ {} }}", names(&(0..params).collect::<Vec<u8>>()), inner(model, body))
}

const FORM: LineError = LineError::Form(
    "`waits (p1) { F }`, `level N (p1 ..) { F }`, `level N falls (p1) { NUMBER <= NUMBER }`, \
     `helps N (FAIRNESS) with (ARGUMENTS) where (p1 ..) { F }`, `least (p1 p2) { F } by (p1 p2) { F }`, or one of these after `again`",
);

/// Reads a line after `ranking of ..`, about what is awaited for this number of processes.
pub fn read(
    model: ModelSource<'_>,
    observed: u8,
    progress: &mut Progress,
    first: &str,
    words: &str,
    declared: &dyn Fn(&Fairness) -> String,
) -> Result<(), LineError> {
    let level = |it: &str| it.trim().parse::<u8>().map_err(|_| FORM);
    match first {
        "waits" => progress.waits = parsed(model, words)?.1,
        "again" if !words.trim_start().starts_with("again again ") => {
            let helper = progress.helpers.last_mut().ok_or(FORM)?;
            let (first, words) = words.trim().split_once(' ').ok_or(FORM)?;
            let progress = helper.again.get_or_insert_default();
            read(model, observed + helper.further, progress, first, words, declared)?;
        }
        "level" => {
            let (number, rest) = words.split_once(' ').ok_or(FORM)?;
            let of = if let Some(number) = rest.strip_prefix("falls ") {
                let (params, body) = parsed(model, number)?;
                let [conj] = &body[..] else { return Err(FORM) };
                let [Literal::Linear { expr, relation: Relation::Le, integer: true }] = &conj[..] else {
                    return Err(FORM);
                };
                if params != observed {
                    return Err(FORM);
                }
                Measured::Number(negated(expr))
            } else {
                let (params, body) = parsed(model, rest)?;
                Measured::Tuples { further: params.checked_sub(observed).ok_or(FORM)?, body }
            };
            progress.measures.push(Measure { level: level(number)?, of });
        }
        "helps" => {
            let (what, rest) = words.split_once(" with ").ok_or(FORM)?;
            let (args, when) = rest.split_once(" where ").ok_or(FORM)?;
            let (number, what) = what.trim().split_once(' ').ok_or(FORM)?;
            let fairness = number.parse::<usize>().ok().and_then(|it| it.checked_sub(1)).ok_or(FORM)?;
            let known = model.system.fairness.get(fairness).ok_or(FORM)?;
            if what.trim() != format!("({})", declared(known)) {
                return Err(FORM);
            }
            let (params, when) = parsed(model, when)?;
            let further = params.checked_sub(observed).ok_or(FORM)?;
            let args = processes(args)?;
            progress.helpers.push(Helper { fairness, further, args, when, again: None });
        }
        "least" => {
            let (among, before) = words.split_once(" by ").ok_or(FORM)?;
            let ((params, among), (two, before)) = (parsed(model, among)?, parsed(model, before)?);
            if params != observed + 1 || two != 2 || progress.least.is_some() {
                return Err(FORM);
            }
            progress.least = Some(Least { among, before });
        }
        _ => return Err(FORM),
    }
    Ok(())
}

/// `(p1 p2)`, as numbers from 0.
fn processes(text: &str) -> Result<Vec<u8>, LineError> {
    let inner = text.trim().strip_prefix('(').and_then(|it| it.strip_suffix(')')).ok_or(FORM)?;
    let number = |it: &str| it.strip_prefix('p')?.parse::<u8>().ok()?.checked_sub(1);
    inner.split_whitespace().map(|it| number(it).ok_or(FORM)).collect()
}

/// `(p1 p2) { F }`: how many processes, and the formula.
fn parsed(model: ModelSource<'_>, text: &str) -> Result<(u8, Vec<Conj>), LineError> {
    let (params, body) = text.trim().split_once('{').ok_or(FORM)?;
    let params = processes(params)?;
    let count = u8::try_from(params.len()).map_err(|_| FORM)?;
    if params != (0..count).collect::<Vec<u8>>() {
        return Err(FORM);
    }
    let claim = format!("invariant {} {{ {body}", names(&params));
    let found = parse_claims_with_counts(model, &claim);
    let (system, found) = found.map_err(|errors| LineError::Cube(errors[0].message.clone()))?;
    let plain = found.iter().all(|it| it.params == count && it.others.is_empty());
    if !plain || system.counts.len() != model.system.counts.len() {
        return Err(FORM);
    }
    Ok((count, found.into_iter().map(|it| it.cube).collect()))
}
