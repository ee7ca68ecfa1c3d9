//! The layout of each construct. Walks over the tree, which determines the next tokens.

use super::lexemes::Lexemes;
use super::writer::{Blank, Sep, Writer};
use crate::syntax::ast::{
    Arg, Base, Case, Count, Expr, ExprKind, File, Item, Loc, Operand, PropertyKind, Rhs, Step, StepKind,
    Summand, SymbolKind, Term, TermKind, Transition, TypeDecl, Update, Wording,
};

/// Room for text after the last operand of a formula in its line: ` }`, `);`.
const CLOSING: usize = 3;

/// Adds the text of `file`, whose tokens are `lexemes`, to `out`.
pub fn lay_out(file: &File, lexemes: &Lexemes<'_>, eol: &'static str, out: &mut String) {
    let mut writer = Writer::new(lexemes, eol, out);
    let tall = |item: &Item| matches!(item, Item::Transition(_) | Item::Process(_));
    for (number, this) in file.items.iter().enumerate() {
        let blank = match number.checked_sub(1).map(|before| &file.items[before]) {
            Some(before) if tall(before) || tall(this) => Blank::Wanted,
            _ => Blank::Kept,
        };
        item(&mut writer, this, Sep::Line(blank));
    }
    writer.finish();
}

fn item(w: &mut Writer<'_, '_>, item: &Item, sep: Sep) {
    match item {
        Item::NumberProcs(_) => {
            w.token(sep);
            w.token(Sep::Space);
        }
        Item::Type(decl) => type_decl(w, decl, sep),
        Item::Symbol(decl) => {
            let long = decl.range.is_some() || decl.ty.without_nil().is_some();
            if long || matches!(decl.kind, SymbolKind::Number(_) | SymbolKind::Channel(_)) {
                return tokens(w, decl.loc, sep);
            }
            w.token(sep);
            w.token(Sep::Space);
            if let SymbolKind::Relation(params) = &decl.kind {
                return names(w, params.len(), Sep::Space);
            }
            if let SymbolKind::Witness(params, _) = &decl.kind {
                names(w, params.len(), Sep::Space);
            }
            if let SymbolKind::Array(index) | SymbolKind::Total(index) = &decl.kind {
                names(w, index.len(), Sep::None);
            }
            w.token(Sep::Space);
            w.token(Sep::Space);
            if let SymbolKind::Witness(_, Some(axiom)) = &decl.kind {
                block(w, Sep::Space, axiom);
            }
        }
        Item::Property(property) => {
            w.token(sep);
            if property.kind == PropertyKind::Invariant && property.wording != Wording::Kind {
                w.token(Sep::Space);
            }
            head(w, property.name.is_some(), property.params.len());
            block(w, Sep::Space, &property.body);
        }
        Item::Temporal(property) => {
            w.token(sep);
            head(w, property.name.is_some(), property.params.len());
            block(w, Sep::Space, &property.body);
            if let Some(then) = &property.then {
                w.token(Sep::Space);
                block(w, Sep::Space, then);
            }
        }
        Item::Fairness(fairness) => {
            w.token(sep);
            w.token(Sep::Space);
            if fairness.any {
                w.token(Sep::Space);
            }
        }
        Item::Predicate(predicate) => {
            w.token(sep);
            w.token(Sep::Space);
            names(w, predicate.params.len(), Sep::Space);
            block(w, Sep::Space, &predicate.body);
        }
        Item::Transition(this) => transition(w, this, sep),
        Item::Process(process) => {
            w.token(sep);
            w.token(Sep::Space);
            if w.next() == "(" {
                names(w, process.params.len(), Sep::Space);
            }
            code(w, &process.body, Sep::Space);
        }
    }
}

/// Code in braces. A label begins a line; where statements of one line fit into it, they stay there.
fn code(w: &mut Writer<'_, '_>, steps: &[Step], sep: Sep) {
    if steps.is_empty() {
        w.token(sep);
        semicolons(w);
        w.token_after(Sep::None, w.level + 1);
        return;
    }
    let labelled = steps.iter().any(|it| matches!(it.kind, StepKind::Label(_) | StepKind::Local(_)));
    braces(w, sep, |w| {
        semicolons(w);
        let mut below_label = false;
        for (number, this) in steps.iter().enumerate() {
            let blank = if number == 0 { Blank::NotFirst } else { Blank::Kept };
            let alone = matches!(this.kind, StepKind::Label(_) | StepKind::Local(_));
            let after_label =
                number.checked_sub(1).is_some_and(|at| matches!(steps[at].kind, StepKind::Label(_)));
            let deeper = usize::from(below_label && !alone);
            w.deeper(deeper, |w| {
                let own_line = (number == 0 && !after_label || alone && labelled) && !w.rigid;
                let sep = if own_line { Sep::Line(blank) } else { fill(w, |w| step(w, this, Sep::Space)) };
                step(w, this, sep);
                semicolons(w);
            });
            below_label |= matches!(this.kind, StepKind::Label(_));
        }
    });
}

/// The semicolons that stand here.
fn semicolons(w: &mut Writer<'_, '_>) {
    while w.next() == ";" {
        w.token(Sep::None);
    }
}

fn step(w: &mut Writer<'_, '_>, this: &Step, sep: Sep) {
    match &this.kind {
        StepKind::Label(_) => {
            w.token(sep);
            w.token(Sep::None);
        }
        StepKind::Local(_) => tokens(w, this.loc, sep),
        StepKind::Skip => w.token(sep),
        StepKind::Goto(_) => {
            w.token(sep);
            w.token(Sep::Space);
        }
        StepKind::Await(when) => {
            w.token(sep);
            w.deeper(1, |w| expr(w, when, Sep::Space));
        }
        StepKind::Assign(it) => update(w, it, sep),
        StepKind::If(when, yes, no) => {
            w.token(sep);
            w.deeper(1, |w| expr(w, when, Sep::Space));
            code(w, yes, Sep::Space);
            if w.next() == "else" {
                w.token(Sep::Space);
                match no.as_slice() {
                    [only] if w.next() == "if" => step(w, only, Sep::Space),
                    _ => code(w, no, Sep::Space),
                }
            }
        }
        StepKind::While(when, body) => {
            w.token(sep);
            w.deeper(1, |w| expr(w, when, Sep::Space));
            code(w, body, Sep::Space);
        }
        StepKind::Either(ways) => {
            for (number, way) in ways.iter().enumerate() {
                w.token(if number == 0 { sep } else { Sep::Space });
                code(w, way, Sep::Space);
            }
        }
        StepKind::With(_, body) => {
            w.token(sep);
            w.token(Sep::Space);
            sort(w);
            code(w, body, Sep::Space);
        }
    }
}

/// The name and the parameters of a property, as far as it has them.
fn head(w: &mut Writer<'_, '_>, named: bool, params: usize) {
    if named {
        w.token(Sep::Space);
    }
    if w.next() == "(" {
        names(w, params, Sep::Space);
    }
}

/// All tokens of a node in one line, unless an author did otherwise.
fn tokens(w: &mut Writer<'_, '_>, node: Loc, sep: Sep) {
    let last = w.lexemes.ending_at(node.0.end);
    let mut before = w.next();
    w.token(sep);
    w.deeper(1, |w| {
        while w.at <= last {
            let next = w.next();
            let close = matches!(next, "," | ";" | ")" | "]" | "[" | "." | ".." | "(")
                && !matches!(before, ":" | "=" | ":=" | ",");
            let between = match before {
                "(" | "[" | "." | ".." => Sep::None,
                _ if close => Sep::None,
                _ => Sep::Space,
            };
            w.token(between);
            before = next;
        }
    });
}

fn type_decl(w: &mut Writer<'_, '_>, decl: &TypeDecl, sep: Sep) {
    if decl.range.is_some() || decl.fields.is_some() {
        return tokens(w, decl.loc, sep);
    }
    w.token(sep);
    w.token(Sep::Space);
    if decl.below.is_some() {
        w.token(Sep::Space);
        w.token(Sep::Space);
    }
    let Some(constructors) = &decl.constructors else { return };
    w.token(Sep::Space);
    w.deeper(1, |w| {
        for number in 0..constructors.len() {
            if w.next() == "|" {
                // A line breaks before the bar, wherever the author did.
                let after = w.lexemes.gap(w.at + 1).plain_breaks();
                let broken = w.gap().is_broken() || after > 0;
                let room = |w: &mut Writer<'_, '_>| {
                    w.fits(0, |w| {
                        w.token(Sep::Space);
                        w.token(Sep::Space);
                    })
                };
                let keep = w.rigid || !broken && room(w);
                w.token(if keep { Sep::Space } else { Sep::Line(Blank::Kept) });
                w.token(Sep::Space);
            } else if number == 0 && w.gap().plain_breaks() > 0 {
                w.token(Sep::Line(Blank::Never));
            } else {
                w.token(Sep::Space);
            }
        }
    });
}

/// A list in parentheses or brackets, with the commas that it has.
fn names(w: &mut Writer<'_, '_>, count: usize, sep: Sep) {
    w.token(sep);
    for number in 0..count {
        if w.next() == "," {
            w.token(Sep::None);
        }
        w.token(if number == 0 { Sep::None } else { Sep::Space });
        sort(w);
    }
    w.token(Sep::None);
}

/// The sort of a bound name, if it is written.
fn sort(w: &mut Writer<'_, '_>) {
    if w.next() == ":" {
        w.token(Sep::Space);
        w.token(Sep::Space);
    }
}

/// The names that a quantifier binds, and the point behind them.
fn bound(w: &mut Writer<'_, '_>, count: usize) {
    for number in 0..count {
        if number > 0 && w.next() == "<>" {
            w.token(Sep::Space);
        }
        w.token(Sep::Space);
        sort(w);
    }
    w.token(Sep::None);
}

fn transition(w: &mut Writer<'_, '_>, this: &Transition, sep: Sep) {
    w.token(sep);
    w.token(Sep::Space);
    names(w, this.params.len(), Sep::Space);
    if let Some(guard) = &this.requires {
        w.token(Sep::Line(Blank::Never));
        block(w, Sep::Space, guard);
    }
    let sep = Sep::Line(Blank::Never);
    if this.lets.is_empty() && this.updates.is_empty() {
        w.token(sep);
        w.token_after(Sep::None, w.level + 1);
        return;
    }
    braces(w, sep, |w| {
        let mut first = true;
        let mut start = |w: &mut Writer<'_, '_>| {
            let blank = if std::mem::take(&mut first) { Blank::NotFirst } else { Blank::Kept };
            if w.rigid { Sep::Space } else { Sep::Line(blank) }
        };
        for abbreviation in &this.lets {
            let sep = start(w);
            w.token(sep);
            w.token(Sep::Space);
            w.token(Sep::Space);
            term(w, &abbreviation.value, Sep::Space);
            w.token(Sep::Space);
        }
        for this in &this.updates {
            let sep = start(w);
            update(w, this, sep);
            if w.next() == ";" {
                w.token(Sep::None);
            }
        }
    });
}

fn block(w: &mut Writer<'_, '_>, sep: Sep, body: &Expr) {
    braces(w, sep, |w| {
        let first = if w.rigid { Sep::Space } else { Sep::Line(Blank::NotFirst) };
        expr(w, body, first);
    });
}

/// The text in braces: on their line when the author has it in one line and there is room.
fn braces(w: &mut Writer<'_, '_>, sep: Sep, mut body: impl FnMut(&mut Writer<'_, '_>)) {
    let close = w.lexemes.list.get(w.at).map_or(w.at, |lexeme| lexeme.closed_by);
    let broken = (w.at + 1..=close).any(|at| w.lexemes.gap(at).takes_lines());
    let mut all = |w: &mut Writer<'_, '_>, end: Sep| {
        w.token(sep);
        w.deeper(1, &mut body);
        w.token_after(end, w.level + 1);
    };
    if !broken && w.fits_in_one_line(|w| all(w, Sep::Space)) {
        w.flat(|w| all(w, Sep::Space));
    } else {
        all(w, Sep::Line(Blank::NotLast));
    }
}

fn update(w: &mut Writer<'_, '_>, this: &Update, sep: Sep) {
    if matches!(this.value, Rhs::Send(_) | Rhs::Drop | Rhs::Receive(_)) {
        return tokens(w, this.loc, sep);
    }
    match &this.each {
        Some((_, vars)) => {
            w.token(sep);
            bound(w, vars.len());
            target(w, this, Sep::Space);
        }
        None => target(w, this, sep),
    }
    w.token(Sep::Space);
    match &this.value {
        Rhs::Send(_) | Rhs::Drop | Rhs::Receive(_) => {}
        Rhs::Term(value) => term(w, value, Sep::Space),
        Rhs::Nondet => w.token(Sep::Space),
        Rhs::Cases(cases) => {
            w.token(Sep::Space);
            let end = w.lexemes.ending_at(this.loc.0.end);
            let broken = (w.at..=end).any(|at| w.lexemes.gap(at).takes_lines());
            let all = |w: &mut Writer<'_, '_>| cases.iter().for_each(|it| case(w, it, Sep::Space));
            if w.rigid || !broken && w.fits(1, all) {
                w.flat(all);
            } else {
                w.deeper(1, |w| cases.iter().for_each(|it| case(w, it, Sep::Line(Blank::Kept))));
            }
        }
    }
}

fn target(w: &mut Writer<'_, '_>, this: &Update, sep: Sep) {
    if let Some(path) = &this.path {
        return tokens(w, path.loc, sep);
    }
    w.token(sep);
    if let Some(index) = &this.index {
        names(w, index.len(), Sep::None);
    }
}

fn case(w: &mut Writer<'_, '_>, this: &Case, sep: Sep) {
    w.token(sep);
    w.deeper(1, |w| match &this.when {
        Some(when) => expr(w, when, Sep::Space),
        None => w.token(Sep::Space),
    });
    w.token(Sep::Space);
    term(w, &this.value, Sep::Space);
}

fn expr(w: &mut Writer<'_, '_>, this: &Expr, sep: Sep) {
    if !this.parenthesised {
        bare(w, this, sep);
        return;
    }
    // `((a))` is one node.
    let closed_by = |w: &Writer<'_, '_>, at: usize| w.lexemes.list.get(at).map_or(0, |l| l.closed_by);
    let close = closed_by(w, w.at);
    let mut pairs = 1;
    while close > pairs && closed_by(w, w.at + pairs) == close - pairs {
        pairs += 1;
    }
    for pair in 0..pairs {
        w.token(if pair == 0 { sep } else { Sep::None });
    }
    w.deeper(1, |w| bare(w, this, Sep::None));
    for _ in 0..pairs {
        w.token_after(Sep::None, w.level + 1);
    }
}

fn bare(w: &mut Writer<'_, '_>, this: &Expr, sep: Sep) {
    match &this.kind {
        ExprKind::Bool(_) | ExprKind::Error => w.token(sep),
        ExprKind::Compare { left, right, .. } => {
            term(w, left, sep);
            w.token(Sep::Space);
            term(w, right, Sep::Space);
        }
        ExprKind::Not(a) => {
            w.token(sep);
            expr(w, a, Sep::Space);
        }
        ExprKind::And(list) | ExprKind::Or(list) => chain(w, list.iter(), sep),
        ExprKind::Implies(a, b) | ExprKind::Iff(a, b) => chain(w, [a.as_ref(), b.as_ref()].into_iter(), sep),
        ExprKind::If(condition, yes, no) => {
            w.token(sep);
            w.deeper(1, |w| {
                expr(w, condition, Sep::Space);
                for part in [yes, no] {
                    let sep = fill(w, |w| {
                        w.token(Sep::Space);
                        expr(w, part, Sep::Space);
                    });
                    w.token(sep);
                    expr(w, part, Sep::Space);
                }
            });
        }
        ExprKind::Quantified { vars, body, .. } => {
            w.token(sep);
            bound(w, vars.len());
            w.deeper(1, |w| {
                let sep = fill(w, |w| expr(w, body, Sep::Space));
                expr(w, body, sep);
            });
        }
        ExprKind::Call { args, .. } => {
            w.token(sep);
            w.token(Sep::None);
            for (number, arg) in args.iter().enumerate() {
                let sep = if number == 0 { Sep::None } else { Sep::Space };
                match arg {
                    Arg::Term(this) => term(w, this, sep),
                    Arg::Formula(this) => expr(w, this, sep),
                }
                if w.next() == "," {
                    w.token(Sep::None);
                }
            }
            w.token(Sep::None);
        }
    }
}

/// Operands with an operator between them. Lines break after the operator, where the author did and where there is
/// no room.
fn chain<'e>(w: &mut Writer<'_, '_>, operands: impl Iterator<Item = &'e Expr>, sep: Sep) {
    for (number, operand) in operands.enumerate() {
        if number == 0 {
            expr(w, operand, sep);
            continue;
        }
        // A line that the author broke before the operator breaks behind it.
        let before = w.gap().plain_breaks();
        w.token(Sep::Space);
        let sep = match before {
            0 => fill(w, |w| expr(w, operand, Sep::Space)),
            1 => Sep::Line(Blank::Kept),
            _ => Sep::Line(Blank::Wanted),
        };
        expr(w, operand, sep);
    }
}

/// A blank where the following text fits into the line, else a new line.
fn fill(w: &mut Writer<'_, '_>, next: impl FnOnce(&mut Writer<'_, '_>)) -> Sep {
    if w.gap().is_broken() {
        Sep::Line(Blank::Kept)
    } else if w.fits(CLOSING, next) {
        Sep::Space
    } else {
        Sep::Line(Blank::Never)
    }
}

fn term(w: &mut Writer<'_, '_>, this: &Term, sep: Sep) {
    match &this.kind {
        TermKind::Base(it) => base(w, it, sep),
        TermKind::Number(_) => w.token(sep),
        TermKind::Count(it) => count(w, it, sep),
        TermKind::Record(_) => tokens(w, this.loc, sep),
        TermKind::Remainder(of, _) => {
            let is_sum = matches!(of.kind, TermKind::Sum(_));
            if is_sum {
                w.token(sep);
            }
            term(w, of, if is_sum { Sep::None } else { sep });
            if is_sum {
                w.token(Sep::None);
            }
            w.token(Sep::Space);
            w.token(Sep::Space);
        }
        TermKind::Sum(summands) => {
            for (number, it) in summands.iter().enumerate() {
                let signed = number > 0 || it.negative;
                let before = if number == 0 { sep } else { Sep::Space };
                if signed {
                    w.token(before);
                }
                summand(w, it, if signed { Sep::Space } else { before });
            }
        }
    }
}

/// Without its sign. The factor stands where the author put it.
fn summand(w: &mut Writer<'_, '_>, this: &Summand, sep: Sep) {
    let multiply = |w: &mut Writer<'_, '_>, sep| {
        w.token(sep);
        w.token(Sep::Space);
    };
    let operand = |w: &mut Writer<'_, '_>, sep| match &this.operand {
        Operand::Base(it) => base(w, it, sep),
        Operand::Number(_) => w.token(sep),
        Operand::Count(it) => count(w, it, sep),
    };
    match &this.factor {
        None => operand(w, sep),
        Some(_) if !w.next().starts_with(|c: char| c.is_ascii_alphabetic() || c == '#') => {
            multiply(w, sep);
            operand(w, Sep::Space);
        }
        Some(_) => {
            operand(w, sep);
            multiply(w, Sep::Space);
        }
    }
}

fn count(w: &mut Writer<'_, '_>, this: &Count, sep: Sep) {
    w.token(sep);
    let Some((_, summand, body)) = this.parts() else { return };
    if summand.is_some() {
        w.token(Sep::None);
    }
    w.token(Sep::None);
    sort(w);
    w.token(Sep::Space);
    w.deeper(1, |w| {
        if let Some(summand) = summand {
            term(w, summand, Sep::Space);
            if body.is_some() {
                w.token(Sep::Space);
            }
        }
        if let Some(body) = body {
            expr(w, body, Sep::Space);
        }
    });
    w.token_after(Sep::None, w.level + 1);
}

fn base(w: &mut Writer<'_, '_>, this: &Base, sep: Sep) {
    if let Base::Path(path) = this {
        return tokens(w, path.loc, sep);
    }
    w.token(sep);
    if let Base::Cell { index, .. } = this {
        names(w, index.len(), Sep::None);
    }
}
