//! From tokens to the tree.
//!
//! By hand: the language has prefix `&` and `|` that bind as the infix ones do, and quantifiers, `if` and `let` in operands that extend
//! to the right as far as they can. By precedence that is a page; a grammar without conflicts would be several, and its
//! errors would name states of a table.

use cubicle_lang::diagnostic::{Diagnostic, Span};

use super::lexer::{Kind, Token, tokens};
use super::tree::{
    Bound, Claim, ClaimKind, Definition, Expr, ExprKind, File, Made, Name, SymbolDecl, refuse,
};

/// The deepest nesting of formulas that is read; functions that recur over a tree rely on it.
pub(super) const MAX_DEPTH: usize = 200;

/// After this many errors the rest is not read.
const MAX_ERRORS: usize = 20;

/// Binding strength of operators; higher binds tighter.
const IFF: u8 = 1;
const IMPLIES: u8 = 2;
const OR: u8 = 3;
const AND: u8 = 4;
const EQUAL: u8 = 5;
const NOT: u8 = 6;

/// The declarations of a file, without those that have errors.
pub(super) fn parse(text: &str) -> (File, Vec<Diagnostic>) {
    let (tokens, errors) = tokens(text);
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0, errors, file: File::default() };
    while parser.peek().kind != Kind::End && parser.errors.len() < MAX_ERRORS {
        let before = parser.at;
        parser.depth = 0;
        if let Err(error) = parser.declaration() {
            parser.errors.push(*error);
            parser.at = parser.at.max(before + 1).min(tokens.len() - 1);
            while !parser.starts_declaration() {
                parser.at += 1;
            }
        }
    }
    (parser.file, parser.errors)
}

struct Parser<'s, 't> {
    tokens: &'s [Token<'t>],
    at: usize,
    depth: usize,
    errors: Vec<Diagnostic>,
    file: File,
}

impl<'t> Parser<'_, 't> {
    fn peek(&self) -> Token<'t> {
        self.tokens[self.at]
    }

    fn next(&mut self) -> Token<'t> {
        let token = self.peek();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    /// Whether the next token is this keyword or symbol.
    fn is(&self, text: &str) -> bool {
        let token = self.peek();
        matches!(token.kind, Kind::Keyword | Kind::Symbol) && token.text == text
    }

    /// Passes over this keyword or symbol.
    fn skip(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.at += 1;
        }
        found
    }

    fn unexpected(&self, wanted: &str) -> Box<Diagnostic> {
        let token = self.peek();
        let found = match token.kind {
            Kind::End => "the end of the file".to_owned(),
            _ => format!("`{}`", token.text),
        };
        Box::new(Diagnostic::error("C0711", token.span, format!("{found} instead of {wanted}")))
    }

    fn expect(&mut self, text: &str) -> Made<Span> {
        let span = self.peek().span;
        if self.skip(text) { Ok(span) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    fn name(&mut self) -> Made<Name> {
        let token = self.peek();
        if token.kind != Kind::Name {
            return Err(self.unexpected("a name"));
        }
        self.at += 1;
        Ok(Name { text: token.text.to_owned(), span: token.span })
    }

    fn sort(&mut self) -> Made<Name> {
        let token = self.peek();
        if token.kind == Kind::Keyword && matches!(token.text, "bool" | "int") {
            let what = format!("sort `{}` is not supported", token.text);
            let help = "a relation is a function to `bool`; numbers are not supported";
            return Err(Box::new(Diagnostic::error("C0714", token.span, what).help(help)));
        }
        self.name()
    }

    /// `( item, .. )`, with `item` at least once unless `empty`.
    fn list<T>(&mut self, empty: bool, item: impl Fn(&mut Self) -> Made<T>) -> Made<Vec<T>> {
        self.expect("(")?;
        let mut all = Vec::new();
        if empty && self.skip(")") {
            return Ok(all);
        }
        loop {
            all.push(item(self)?);
            if !self.skip(",") {
                self.expect(")")?;
                return Ok(all);
            }
        }
    }

    fn annotations(&mut self) -> Made<()> {
        while self.peek().kind == Kind::Annotation {
            self.at += 1;
            if self.is("(") {
                self.list(false, Self::name)?;
            }
        }
        Ok(())
    }

    /// Whether the next token starts a declaration, or is the end. `transition` and `init` also stand in traces.
    fn starts_declaration(&self) -> bool {
        let token = self.peek();
        let starts = "sort mutable immutable derived axiom init safety invariant sketch transition definition \
                      zerostate onestate twostate theorem sat unsat automaton";
        token.kind == Kind::End || token.kind == Kind::Keyword && starts.split(' ').any(|it| it == token.text)
    }

    fn declaration(&mut self) -> Made<()> {
        let token = self.next();
        let start = token.span;
        match token.text {
            _ if token.kind != Kind::Keyword => {
                self.at -= usize::from(token.kind != Kind::End);
                return Err(self.unexpected("a declaration"));
            }
            "sort" => {
                let name = self.name()?;
                self.annotations()?;
                self.file.sorts.push(name);
            }
            "mutable" | "immutable" => self.symbol(token.text == "mutable")?,
            "derived" => {
                self.expect("relation")?;
                let name = self.name()?;
                let args = if self.is("(") { self.list(true, Self::sort)? } else { Vec::new() };
                self.annotations()?;
                self.expect(":")?;
                let derived = Some(self.expr(0)?);
                self.file.symbols.push(SymbolDecl { mutable: true, name, args, result: None, derived });
            }
            "axiom" => self.claim(ClaimKind::Axiom, start)?,
            "init" => self.claim(ClaimKind::Init, start)?,
            "safety" => self.claim(ClaimKind::Safety, start)?,
            "invariant" => self.claim(ClaimKind::Invariant, start)?,
            "sketch" => {
                self.expect("invariant")?;
                self.claim(ClaimKind::Invariant, start)?;
            }
            "transition" => {
                let definition = self.definition(start)?;
                self.file.transitions.push(definition);
            }
            "zerostate" | "onestate" | "twostate" | "definition" | "theorem" => {
                let word = if matches!(token.text, "definition" | "theorem") { token } else { self.next() };
                match word.text {
                    "definition" => {
                        let definition = self.definition(start)?;
                        self.file.definitions.push(definition);
                    }
                    // It follows from the rest, or does not hold: nothing that the system has to know.
                    "theorem" => {
                        self.claim_name()?;
                        self.expr(0)?;
                    }
                    _ => {
                        self.at -= usize::from(word.kind != Kind::End);
                        return Err(self.unexpected("`definition` or `theorem`"));
                    }
                }
            }
            "sat" | "unsat" => self.trace()?,
            "automaton" => {
                let what = "`automaton` is not supported";
                let help = "leave it out: its phases are invariants of the same transitions";
                return Err(Box::new(Diagnostic::error("C0714", start, what).help(help)));
            }
            _ => {
                self.at -= 1;
                return Err(self.unexpected("a declaration"));
            }
        }
        Ok(())
    }

    /// A trace is a test of the model for another program.
    fn trace(&mut self) -> Made<()> {
        self.expect("trace")?;
        self.expect("{")?;
        let mut open = 1;
        while open > 0 {
            let token = self.next();
            match (token.kind, token.text) {
                (Kind::End, _) => return Err(self.unexpected("`}`")),
                (Kind::Symbol, "{") => open += 1,
                (Kind::Symbol, "}") => open -= 1,
                _ => {}
            }
        }
        Ok(())
    }

    fn symbol(&mut self, mutable: bool) -> Made<()> {
        let word = self.next();
        let name = self.name()?;
        let (args, result) = match word.text {
            "relation" => (if self.is("(") { self.list(true, Self::sort)? } else { Vec::new() }, None),
            "constant" => {
                self.expect(":")?;
                (Vec::new(), Some(self.sort()?))
            }
            "function" => {
                let args = self.list(false, Self::sort)?;
                self.expect(":")?;
                (args, Some(self.sort()?))
            }
            _ => {
                self.at -= 2;
                return Err(self.unexpected("`relation`, `constant` or `function`"));
            }
        };
        self.annotations()?;
        self.file.symbols.push(SymbolDecl { mutable, name, args, result, derived: None });
        Ok(())
    }

    fn claim_name(&mut self) -> Made<Option<Name>> {
        if !self.skip("[") {
            return Ok(None);
        }
        let name = self.name()?;
        self.expect("]")?;
        Ok(Some(name))
    }

    fn claim(&mut self, kind: ClaimKind, start: Span) -> Made<()> {
        let name = self.claim_name()?;
        let body = self.expr(0)?;
        let span = start.to(body.span);
        self.file.claims.push(Claim { kind, name, body, span });
        Ok(())
    }

    /// A transition or a definition, after its first word.
    fn definition(&mut self, start: Span) -> Made<Definition> {
        let name = self.name()?;
        let params = self.list(true, Self::bound)?;
        let mut modifies = Vec::new();
        if self.skip("modifies") {
            modifies.push(self.name()?);
            while self.skip(",") {
                modifies.push(self.name()?);
            }
        } else if self.is("{") {
            let what = "a body of statements is not supported";
            let error = Diagnostic::error("C0714", self.peek().span, what);
            return Err(Box::new(error.help("write `modifies ..` and a formula with `new(..)`")));
        } else {
            self.expect("=")?;
        }
        let body = self.expr(0)?;
        let span = start.to(body.span);
        Ok(Definition { name, params, modifies, body, span })
    }

    fn bound(&mut self) -> Made<Bound> {
        let name = self.name()?;
        let sort = if self.skip(":") { Some(self.sort()?) } else { None };
        Ok(Bound { name, sort })
    }

    /// An expression whose operators bind at least as tight as `least`.
    fn expr(&mut self, least: u8) -> Made<Expr> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return refuse("C0711", self.peek().span, format!("formulas nested more than {MAX_DEPTH} deep"));
        }
        let mut left = self.operand()?;
        while let Some((operator, strength)) = self.operator() {
            if strength < least {
                break;
            }
            self.at += 1;
            // `->` groups to the right; comparisons and `<->` do not group.
            let right = self.expr(if strength == IMPLIES { strength } else { strength + 1 })?;
            left = join(operator, left, right);
            if matches!(strength, EQUAL | IFF) && self.operator().is_some_and(|(_, next)| next == strength) {
                let what = format!("`{operator}` after `{operator}` needs parentheses");
                return refuse("C0711", self.peek().span, what);
            }
        }
        self.depth -= 1;
        Ok(left)
    }

    /// The next token as an operator between expressions, and how tight it binds.
    fn operator(&self) -> Option<(&'t str, u8)> {
        let token = self.peek();
        let strength = match (token.kind, token.text) {
            (Kind::Symbol, "<->") => IFF,
            (Kind::Symbol, "->") => IMPLIES,
            (Kind::Symbol, "|") => OR,
            (Kind::Symbol, "&") => AND,
            (Kind::Symbol, "=" | "!=" | "~=") => EQUAL,
            _ => return None,
        };
        Some((token.text, strength))
    }

    /// An expression that no infix operator ends.
    fn operand(&mut self) -> Made<Expr> {
        let token = self.peek();
        let start = token.span;
        let taken = usize::from(matches!(token.kind, Kind::Keyword | Kind::Symbol));
        self.at += taken;
        match (token.kind, token.text) {
            (Kind::Name, _) => self.usage(),
            (Kind::Keyword, "true" | "false") => {
                Ok(Expr { kind: ExprKind::Bool(token.text == "true"), span: start })
            }
            (Kind::Symbol, "(") => {
                let inner = self.expr(0)?;
                let end = self.expect(")")?;
                Ok(Expr { span: start.to(end), ..inner })
            }
            (Kind::Symbol, "!" | "~") => {
                let inner = self.expr(NOT)?;
                Ok(Expr { span: start.to(inner.span), kind: ExprKind::Not(Box::new(inner)) })
            }
            // As the infix operators, with nothing on the left.
            (Kind::Symbol, "&" | "|") => self.expr(if token.text == "&" { EQUAL } else { AND }),
            (Kind::Keyword, "forall" | "exists") => {
                let mut vars = vec![self.bound()?];
                while self.skip(",") {
                    vars.push(self.bound()?);
                }
                self.expect(".")?;
                let body = Box::new(self.expr(0)?);
                let span = start.to(body.span);
                Ok(Expr {
                    kind: ExprKind::Quantified { universal: token.text == "forall", vars, body },
                    span,
                })
            }
            (Kind::Keyword, "if") => {
                let condition = self.expr(0)?;
                self.expect("then")?;
                let then = self.expr(0)?;
                self.expect("else")?;
                let otherwise = self.expr(0)?;
                let span = start.to(otherwise.span);
                Ok(Expr { kind: ExprKind::If(Box::new([condition, then, otherwise])), span })
            }
            (Kind::Keyword, "let") => {
                let var = self.bound()?;
                self.expect("=")?;
                // The value ends at `in`, whatever it is.
                let value = Box::new(self.expr(0)?);
                self.expect("in")?;
                let body = Box::new(self.expr(0)?);
                let span = start.to(body.span);
                Ok(Expr { kind: ExprKind::Let { var, value, body }, span })
            }
            (Kind::Keyword, "new" | "old") => {
                self.expect("(")?;
                let inner = Box::new(self.expr(0)?);
                let span = start.to(self.expect(")")?);
                let (first, kind) = match token.text {
                    "new" => (&mut self.file.first_new, ExprKind::New(inner)),
                    _ => (&mut self.file.first_old, ExprKind::Old(inner)),
                };
                first.get_or_insert(span);
                Ok(Expr { kind, span })
            }
            (Kind::Keyword, "distinct") => {
                let all = self.list(false, |parser| parser.expr(0))?;
                let span = start.to(self.tokens[self.at - 1].span);
                Ok(Expr { kind: ExprKind::Distinct(all), span })
            }
            (Kind::Number, _) => refuse("C0714", start, "numbers are not supported"),
            _ => {
                self.at -= taken;
                Err(self.unexpected("a formula"))
            }
        }
    }

    /// A name, primed or not, with its arguments.
    fn usage(&mut self) -> Made<Expr> {
        let name = self.name()?;
        let primed = self.skip("'");
        let args = if self.is("(") { Some(self.list(true, |parser| parser.expr(0))?) } else { None };
        let span = name.span.to(self.tokens[self.at - 1].span);
        if primed {
            self.file.first_new.get_or_insert(span);
        }
        Ok(Expr { kind: ExprKind::Use { name, primed, args }, span })
    }
}

/// Two operands and their operator. Chains of one operator are one node, so that a long one is not deep.
fn join(operator: &str, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    let boxed = |left, right| (Box::new(left), Box::new(right));
    let kind = match (operator, left.kind) {
        ("&", ExprKind::And(mut all)) => {
            all.push(right);
            ExprKind::And(all)
        }
        ("|", ExprKind::Or(mut all)) => {
            all.push(right);
            ExprKind::Or(all)
        }
        (operator, kind) => {
            let left = Expr { kind, span: left.span };
            if operator == "&" {
                ExprKind::And(vec![left, right])
            } else if operator == "|" {
                ExprKind::Or(vec![left, right])
            } else {
                let (left, right) = boxed(left, right);
                match operator {
                    "->" => ExprKind::Implies(left, right),
                    "<->" => ExprKind::Iff(left, right),
                    _ => ExprKind::Equal { left, right, negated: operator != "=" },
                }
            }
        }
    };
    Expr { kind, span }
}
