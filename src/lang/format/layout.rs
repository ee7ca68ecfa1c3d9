//! The layout of each construct. Walks over the tree, which determines the next tokens.

use super::lexemes::Lexemes;
use super::writer::{Blank, Sep, Writer};
use crate::syntax::ast::{
    Arg, Case, Count, Expr, ExprKind, File, Item, Loc, Rhs, Step, StepKind, SymbolKind, Term, TermKind,
    Transition, TypeDecl, Update,
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
        Item::NumberProcs(_) | Item::Fairness(_) => through(w, item.span().end, sep),
        Item::Type(decl) => type_decl(w, decl, sep),
        Item::Symbol(decl) => {
            let long = decl.range.is_some() || decl.ty.without_nil().is_some();
            if long || matches!(decl.kind, SymbolKind::Number(_) | SymbolKind::Channel(_)) {
                return tokens(w, decl.loc, sep);
            }
            let has_params = matches!(decl.kind, SymbolKind::Relation(_) | SymbolKind::Witness(..));
            if has_params {
                head(w, sep);
            }
            let sep = if has_params { Sep::Space } else { sep };
            if let SymbolKind::Witness(_, Some(axiom)) = &decl.kind {
                until(w, &["{"], sep);
                block(w, Sep::Space, axiom);
            } else {
                through(w, decl.loc.0.end, sep);
            }
        }
        Item::Property(_) | Item::Predicate(_) => {
            head(w, sep);
            for (number, body) in item.formulas().enumerate() {
                if number > 0 {
                    w.token(Sep::Space);
                }
                block(w, Sep::Space, body);
            }
        }
        Item::Transition(this) => transition(w, this, sep),
        Item::Process(process) => {
            head(w, sep);
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
        StepKind::Assign(it) => update(w, it, sep),
        StepKind::Await(when) | StepKind::If(when, ..) | StepKind::While(when, _) => {
            w.token(sep);
            w.deeper(1, |w| expr(w, when, Sep::Space));
            match &this.kind {
                StepKind::If(_, yes, no) => {
                    code(w, yes, Sep::Space);
                    if w.next() == "else" {
                        w.token(Sep::Space);
                        match no.as_slice() {
                            [only] if w.next() == "if" => step(w, only, Sep::Space),
                            _ => code(w, no, Sep::Space),
                        }
                    }
                }
                StepKind::While(_, body) => code(w, body, Sep::Space),
                _ => {}
            }
        }
        StepKind::Either(ways) => {
            for (number, way) in ways.iter().enumerate() {
                w.token(if number == 0 { sep } else { Sep::Space });
                code(w, way, Sep::Space);
            }
        }
        StepKind::With(_, body) => {
            until(w, &["{"], sep);
            code(w, body, Sep::Space);
        }
    }
}

/// The words of a declaration before its formula, and the list in parentheses, where it has one.
fn head(w: &mut Writer<'_, '_>, sep: Sep) {
    until(w, &["(", "{"], sep);
    if w.next() == "(" {
        until(w, &[")"], Sep::Space);
        w.token(Sep::None);
    }
}

/// Tokens in one line up to one of these, which is not written.
fn until(w: &mut Writer<'_, '_>, stop: &[&str], sep: Sep) {
    in_line(w, sep, |w| stop.contains(&w.next()));
}

/// Tokens in one line up to the one that ends at a byte, which is written.
fn through(w: &mut Writer<'_, '_>, end: u32, sep: Sep) {
    let last = w.lexemes.ending_at(end);
    in_line(w, sep, |w| w.at > last);
}

/// Tokens in one line, as long as this does not hold. Returns what separates the next one from them.
fn in_line(w: &mut Writer<'_, '_>, sep: Sep, ends: impl Fn(&Writer<'_, '_>) -> bool) -> Sep {
    let mut between = sep;
    while !ends(w) && !w.next().is_empty() {
        between = token(w, between);
    }
    between
}

/// Writes a token. Returns what separates the next one from it within a line.
fn token(w: &mut Writer<'_, '_>, sep: Sep) -> Sep {
    let before = w.next();
    w.token(sep);
    let opens = matches!(before, "(" | "[" | "." | "..");
    let separates = matches!(before, ":" | "=" | ":=" | ",");
    let closes = matches!(w.next(), "," | ";" | ")" | "]" | "[" | "." | ".." | "(");
    if opens || closes && !separates { Sep::None } else { Sep::Space }
}

/// All tokens of a node in one line, unless an author did otherwise.
fn tokens(w: &mut Writer<'_, '_>, node: Loc, sep: Sep) {
    let sep = token(w, sep);
    w.deeper(1, |w| through(w, node.0.end, sep));
}

fn type_decl(w: &mut Writer<'_, '_>, decl: &TypeDecl, sep: Sep) {
    if decl.range.is_some() || decl.fields.is_some() {
        return tokens(w, decl.loc, sep);
    }
    let Some(constructors) = &decl.constructors else { return through(w, decl.loc.0.end, sep) };
    until(w, &["="], sep);
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

/// A quantifier with the names that it binds, and the point behind them.
fn bound(w: &mut Writer<'_, '_>, sep: Sep) {
    until(w, &["."], sep);
    w.token(Sep::None);
}

fn transition(w: &mut Writer<'_, '_>, this: &Transition, sep: Sep) {
    head(w, sep);
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
    if this.each.is_some() {
        bound(w, sep);
    }
    let sep = if this.each.is_some() { Sep::Space } else { sep };
    match this.target.names() {
        Some(_) => until(w, &[":="], sep),
        None => tokens(w, this.target.loc, sep),
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
        ExprKind::Quantified { body, .. } => {
            bound(w, sep);
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
    let whole = match &this.kind {
        TermKind::Path(path) => path.names().is_none(),
        kind => matches!(kind, TermKind::Record(_)),
    };
    if whole {
        return tokens(w, this.loc, sep);
    }
    let mut sep = sep;
    for it in this.counts() {
        let at = w.lexemes.ending_at(it.span().start + 1);
        sep = in_line(w, sep, |w| w.at >= at);
        count(w, it, sep);
        sep = Sep::Space;
    }
    through(w, this.span().end, sep);
}

fn count(w: &mut Writer<'_, '_>, this: &Count, sep: Sep) {
    w.token(sep);
    let Some((_, summand, body)) = this.parts() else { return };
    if summand.is_some() {
        w.token(Sep::None);
    }
    until(w, &["|"], Sep::None);
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
