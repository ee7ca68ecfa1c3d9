//! What to say about names that nobody knows and types that do not fit: with the declarations that matter, and
//! what was probably meant.

use super::Type;
use super::context::{Context, Place};
use super::number::TermType;
use super::scope::{Scope, Value};
use super::symbols::Wanted;
use crate::diagnostic::{Diagnostic, Span};
use crate::spelling::nearest;
use crate::syntax::ast::Name;
use crate::syntax::unsupported;

impl Context<'_> {
    /// Reports operands of different types.
    pub fn incompatible(&mut self, at: Span, left: &Value, right: &Value) {
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
    pub fn declared_as(&self, error: Diagnostic, value: &Value) -> Diagnostic {
        let var = match value {
            Value::Cell(cell, _) => cell.var,
            Value::Number(number) => match number.linear.terms.as_slice() {
                [(cell, _)] => cell.var,
                _ => return error,
            },
            Value::Constructor(id, number) => {
                let decl = self.symbols.enumeration(*id);
                let Some(name) = decl.constructors.get(usize::from(*number)) else { return error };
                return match self.symbols.declaration(name) {
                    Some(span) => error.also(span, format!("`{name}` is a value of type `{}`", decl.name)),
                    None => error,
                };
            }
            Value::Proc(_) | Value::Undefined(_) | Value::Unknown => return error,
        };
        let var = self.symbols.var(var);
        error.also(var.span, format!("`{}` is declared here", var.name))
    }

    /// How to get from one type to the other, or what belongs there instead; `left` is what is compared or
    /// assigned.
    pub fn conversion(&self, left: &Value, right: &Value) -> Option<String> {
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

    fn values_wanted(&self, left: &Value, right: &Value) -> Option<String> {
        // What is read from a variable has the type that is meant; a literal is what is wrong.
        let is_literal = |value: &Value| match value {
            Value::Constructor(..) => true,
            Value::Number(number) => number.linear.terms.is_empty(),
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
            (None, Place::Guard) => format!(
                "bind it: `forall_other {name}. ..` is about all other processes; or add `{name}` to the parameters"
            ),
            (None, Place::Condition) => format!(
                "add `{name}` to the parameters; cells of several processes are assigned by `A[c] := case | .. : .. | _ : A[c]`"
            ),
            (None, Place::Init) => {
                format!("bind it: add `{name}` to the parameters, which mean all processes")
            }
            (None, _) => format!("bind it: add `{name}` to the parameters, or write `exists {name}. ..`"),
        };
        self.push(error.help(help));
    }
}
