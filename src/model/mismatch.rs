//! What to say about names that nobody knows and types that do not fit: with the declarations that matter, and
//! what was probably meant.

use super::Type;
use super::context::{Context, FormulaPlace};
use super::number::TermType;
use super::scope::{Scope, TermMeaning};
use super::symbols::Wanted;
use crate::diagnostic::{Diagnostic, Span};
use crate::spelling::nearest;
use crate::syntax::ast::Name;
use crate::syntax::unsupported;

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
        self.push(error);
    }

    /// Adds where what a value is read from is declared.
    pub fn declared_as(&self, error: Diagnostic, value: &TermMeaning) -> Diagnostic {
        let var = match value {
            TermMeaning::Cell(cell, _) => cell.var,
            TermMeaning::Number(number) => match number.linear.terms.as_slice() {
                [(cell, _)] => cell.var,
                _ => return error,
            },
            TermMeaning::Constructor(id, number) => {
                let decl = self.symbols.enumeration(*id);
                let Some(name) = decl.constructors.get(usize::from(*number)) else { return error };
                return match self.symbols.declaration(name) {
                    Some(span) => error.also(span, format!("`{name}` is a value of type `{}`", decl.name)),
                    None => error,
                };
            }
            TermMeaning::Proc(_) | TermMeaning::Undefined(_) | TermMeaning::Unknown => return error,
        };
        let var = self.symbols.var(var);
        error.also(var.span, format!("`{}` is declared here", var.name))
    }

    /// How to get from one type to the other, or what belongs there instead; `left` is what is compared or
    /// assigned.
    pub fn conversion(&self, left: &TermMeaning, right: &TermMeaning) -> Option<String> {
        let (TermType::Known(a), TermType::Known(b)) = (left.ty(), right.ty()) else {
            return self.values_wanted(left, right);
        };
        match (a, b) {
            (Type::Int, Type::Real) | (Type::Real, Type::Int) => {
                Some("there is no conversion between `int` and `real`".to_owned())
            }
            _ => self.values_wanted(left, right),
        }
    }

    fn values_wanted(&self, left: &TermMeaning, right: &TermMeaning) -> Option<String> {
        // What is read from a variable has the type that is meant; a literal is what is wrong.
        let is_literal = |value: &TermMeaning| match value {
            TermMeaning::Constructor(..) => true,
            TermMeaning::Number(number) => number.linear.terms.is_empty(),
            _ => false,
        };
        let (meant, other) = if is_literal(left) { (right, left) } else { (left, right) };
        let TermType::Known(ty) = meant.ty() else { return None };
        if ty == Type::Proc && other.ty().name(self.symbols) == "int" {
            return Some(
                "a process is a parameter, a bound name, or `#1`, `#2`, .. with `number_procs`".to_owned(),
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
        if let Some(branch) = unsupported::symbol_name(&name.text) {
            let error = unsupported::diagnostic(name.span(), &format!("`{}`", name.text), branch);
            self.push(error);
            return;
        }
        let what = match wanted {
            Wanted::Array => "array",
            Wanted::Target => "variable",
            Wanted::Value => "name",
        };
        let error = Diagnostic::error("C0104", name.span(), format!("unknown {what} `{}`", name.text))
            .label("not declared");
        let similar = nearest(&name.text, self.symbols.candidates(wanted));
        let help = match (similar, wanted) {
            (Some(similar), _) => return self.push(error.did_you_mean(similar)),
            (None, Wanted::Array) => {
                format!("declare it: `array {}[proc] : bool`, or another type", name.text)
            }
            (None, Wanted::Target) => format!("declare it: `var {} : bool`, or another type", name.text),
            (None, Wanted::Value) => {
                format!("declare it: as a value of a `type`, or as `var {} : ..`", name.text)
            }
        };
        self.push(error.help(help));
    }

    /// Reports a name with a small letter that is bound nowhere.
    pub fn unknown_process(&mut self, name: &Name, scope: &Scope<'_>) {
        let error = Diagnostic::error("C0105", name.span(), format!("unknown process `{}`", name.text))
            .label("no parameter, and not bound");
        let name = &name.text;
        let help = match (nearest(name, scope.names()), self.place) {
            (Some(similar), _) => return self.push(error.did_you_mean(similar)),
            (None, FormulaPlace::Guard) => format!(
                "bind it: `forall_other {name}. ..` is about all other processes; or add `{name}` to the parameters"
            ),
            (None, FormulaPlace::Condition) => format!(
                "add `{name}` to the parameters; cells of several processes are assigned by `A[c] := case | .. : .. | _ : A[c]`"
            ),
            (None, FormulaPlace::Init) => {
                format!("bind it: add `{name}` to the parameters, which mean all processes")
            }
            (None, _) => format!("bind it: add `{name}` to the parameters, or write `exists {name}. ..`"),
        };
        self.push(error.help(help));
    }
}
