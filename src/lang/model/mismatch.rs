//! Messages about unknown names and types that do not fit, with the relevant declarations and what was
//! probably meant.

use super::context::{Context, FormulaPlace};
use super::scope::{Scope, TermMeaning, TermType};
use super::symbols::Wanted;
use super::{Term, Type};
use crate::diagnostic::{Diagnostic, Label, Span};
use crate::spelling::nearest;
use crate::syntax::ast::Name;
use crate::syntax::{self, unsupported};

impl Context<'_> {
    /// Reports operands of different types.
    pub fn incompatible(&mut self, at: Span, left: &TermMeaning, right: &TermMeaning) {
        let (a, b) = (left.ty().name(self.symbols), right.ty().name(self.symbols));
        let mut error = Diagnostic::error("C0201", at, format!("types `{a}` and `{b}` are not compatible"))
            .label(format!("`{a}` on the left, `{b}` on the right"));
        error = self.declared_as(error, left);
        error = self.declared_as(error, right);
        if let Some(help) = self.conversion(left, right) {
            error = error.help(help);
        }
        error.report(self);
    }

    /// Adds the declaration of the variable or constructor that a value comes from.
    pub fn declared_as(&self, error: Diagnostic, value: &TermMeaning) -> Diagnostic {
        let var = match value {
            TermMeaning::Value(Term::Cell(cell), _) => cell.var,
            TermMeaning::Value(Term::Linear(number), _) => match number.terms.as_slice() {
                [(cell, _)] => cell.var,
                _ => return error,
            },
            TermMeaning::Value(Term::Constructor(number), TermType::Known(Type::Enum(id))) => {
                let decl = self.symbols.enumeration(*id);
                let Some(name) = decl.constructors.get(usize::from(*number)) else { return error };
                return match self.symbols.declaration(name) {
                    Some(span) => error.also(span, format!("`{name}` is a value of type `{}`", decl.name)),
                    None => error,
                };
            }
            _ => return error,
        };
        let Some(var) = self.symbols.vars.get(usize::from(var.0)) else { return error };
        error.also(var.span, format!("`{}` is declared here", var.name))
    }

    /// How to get from one type to the other, or what belongs there instead; `left` is the operand that is compared or
    /// assigned.
    pub fn conversion(&self, left: &TermMeaning, right: &TermMeaning) -> Option<String> {
        let types = [left, right].map(TermMeaning::ty);
        if [Type::Int, Type::Real].iter().all(|it| types.contains(&TermType::Known(*it))) {
            return Some("there is no conversion between `int` and `real`".to_owned());
        }
        // The variable has the type that is meant; the literal is wrong.
        let is_literal = |value: &TermMeaning| match value {
            TermMeaning::Value(Term::Constructor(_), _) => true,
            TermMeaning::Value(Term::Linear(number), _) => number.terms.is_empty(),
            _ => false,
        };
        let (meant, other) = if is_literal(left) { (right, left) } else { (left, right) };
        let TermType::Known(ty) = meant.ty() else { return None };
        if ty == Type::Proc && other.ty().name(self.symbols) == "int" {
            if self.counting {
                return Some("a count ranges over processes: `#{p | N[p] > 3}`, not over numbers".to_owned());
            }
            return Some(
                "a process is a parameter, a bound name, or `#1`, `#2`, .. with `number_procs`; no process is `nil`, of a pointer `proc or nil`".to_owned(),
            );
        }
        let values = self.symbols.values(ty)?;
        Some(format!("the values of type `{}` are {values}", self.symbols.type_name(ty)))
    }

    /// Reports a capitalised name without declaration.
    pub fn unknown_symbol(&mut self, name: &Name, wanted: Wanted) {
        if !self.unknown.insert((None, name.text.clone())) {
            return;
        }
        // Its declaration in small letters was reported.
        let lowered = |known: &str| known.starts_with(|c: char| c.is_ascii_lowercase());
        if self.symbols.in_other_case(&name.text).is_some_and(lowered) {
            return;
        }
        if let Some(branch) = unsupported::symbol_name(&name.text) {
            return unsupported::diagnostic(name.span(), &format!("`{}`", name.text), branch).report(self);
        }
        let what = match wanted {
            Wanted::Array => "array",
            Wanted::Target => "variable",
            Wanted::Value => "name",
        };
        let error = Diagnostic::error("C0104", name.span(), format!("unknown {what} `{}`", name.text))
            .label("not declared");
        if wanted == Wanted::Value
            && matches!(name.text.as_str(), "None" | "Nothing" | "Null" | "Nil" | "Undefined")
        {
            let help =
                "there is no empty value: a variable of type `bool` beside it says whether it has a value";
            return error.help(help).report(self);
        }
        let similar = nearest(&name.text, self.symbols.candidates(wanted));
        let help = match (similar, wanted) {
            (Some(similar), _) => return error.did_you_mean(similar).report(self),
            (None, Wanted::Array) => {
                format!("declare it: `array {}[proc] : bool`, or another type", name.text)
            }
            (None, Wanted::Target) => format!("declare it: `var {} : bool`, or another type", name.text),
            (None, Wanted::Value) => {
                format!("declare it: as a value of a `type`, or as `var {} : ..`", name.text)
            }
        };
        error.help(help).report(self);
    }

    /// Reports a name with a small letter that is bound nowhere.
    pub fn unknown_process(&mut self, name: &Name, scope: &Scope<'_>) {
        // A parameter that is a keyword or has a capital letter was reported.
        let mistaken = |known: &str| match syntax::word(known) {
            Some(syntax::Word::Keyword) => true,
            Some(syntax::Word::Capital) => known.eq_ignore_ascii_case(&name.text),
            _ => false,
        };
        if scope.names().any(mistaken) {
            return;
        }
        let error = Diagnostic::error("C0105", name.span(), format!("unknown process `{}`", name.text))
            .label("not a parameter, and not bound");
        if let Some(similar) = nearest(&name.text, scope.names()) {
            return error.did_you_mean(similar).report(self);
        }
        if name.text == "nil" {
            let help = "declare a pointer that may be `nil` so: `var X : proc or nil`";
            return error.help(help).report(self);
        }
        if self.title == Some(name.text.as_str()) {
            let help =
                format!("`{0}` is the name of this property: write `({0})` for a parameter", name.text);
            return error.help(help).report(self);
        }
        // Several in one declaration are one mistake.
        if let Some((declaration, at, names)) = &mut self.unbound
            && *declaration == self.declaration
            && let Some(first) = self.diagnostics.get_mut(*at)
            && first.code == "C0105"
        {
            names.push(name.text.clone());
            first.secondary.push(Label { span: name.span(), text: "not bound either".to_owned() });
            first.help = Some(how_to_bind(names, self.place));
            return;
        }
        let names = vec![name.text.clone()];
        let help = how_to_bind(&names, self.place);
        self.unbound = Some((self.declaration, self.diagnostics.len(), names));
        error.help(help).report(self);
    }
}

/// Advice on how to bind these process names.
fn how_to_bind(names: &[String], place: FormulaPlace) -> String {
    let name = names.last().map_or("p", String::as_str);
    let list = names.join(" ");
    match place {
        FormulaPlace::Guard => {
            format!(
                "add `{list}` to the parameters; or bind it: `forall_other {name}. ..` ranges over all other processes"
            )
        }
        FormulaPlace::Condition => format!(
            "add `{list}` to the parameters; cells of several processes are assigned by `A[c] := case | .. : .. | _ : A[c]`"
        ),
        FormulaPlace::Init => format!("add `{list}` to the parameters, which mean all processes"),
        FormulaPlace::Bad | FormulaPlace::State | FormulaPlace::Predicate => {
            format!("add `{list}` to the parameters, or write `exists {list}. ..`")
        }
    }
}
