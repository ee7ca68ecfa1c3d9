//! The formulas of a file before they are translated: resolved, and without what is about enumerations and numbers of elements.

use cubicle_lang::diagnostic::{Checked, Diagnostic, Diagnostics};

use super::alternatives::flat;
use super::enumerations::{Case, cases, enumerations, expanded};
use super::resolve::{Part, Resolver, States};
use super::sizes::Sizes;
use super::symbols::{Global, Symbols, Vars};
use super::tree::{Claim, ClaimKind, Definition, File, Made};

/// What is wrong, and what is left out.
pub(super) struct Found {
    pub errors: Diagnostics,
    pub left_out: Vec<Diagnostic>,
}

impl Found {
    /// The result, or nothing after its error is noted.
    pub fn keep<T>(&mut self, result: Made<T>) -> Option<T> {
        result.map_err(|error| self.errors.push(*error)).ok()
    }

    pub fn checked(&mut self) -> Checked<()> {
        if self.errors.is_empty() { Ok(()) } else { Err(std::mem::take(&mut self.errors).into_vec()) }
    }
}

pub(super) struct Read<'f> {
    pub vars: Vars,
    pub claims: Vec<(&'f Claim, Vec<Part>)>,
    pub transitions: Vec<(&'f Definition, Case)>,
}

pub(super) fn read<'f>(symbols: &Symbols<'f>, found: &mut Found) -> Read<'f> {
    let mut resolver = Resolver::new(symbols);
    let (mut claims, mut transitions) = (Vec::new(), Vec::new());
    for claim in &symbols.file.claims {
        let states = if claim.kind == ClaimKind::Axiom { States::None } else { States::One };
        if let Some((_, parts)) = found.keep(resolver.formula(&claim.body, &[], states)) {
            claims.push((claim, parts));
        }
    }
    for definition in &symbols.file.transitions {
        let read = resolver.transition(definition);
        if let Some((params, parts)) = found.keep(read) {
            found.keep(says_new(definition, &resolver));
            transitions.push((definition, Case { params, parts, remark: String::new() }));
        }
    }
    Read { vars: resolver.vars, claims, transitions }
}

/// Checks that a file is of one convention.
pub(super) fn one_convention(file: &File) -> Made<()> {
    let (Some(new), Some(old)) = (file.first_new, file.first_old) else { return Ok(()) };
    let what = "`new(..)` and `old(..)` in one file";
    let error = Diagnostic::error("C0717", old, what).also(new, "the first new state");
    let help = "in a file with `new(..)` a plain name is the state before the step, in one with `old(..)` the state after it";
    Err(Box::new(error.help(help)))
}

/// Checks that a transition says of the new state of what it modifies what it says, and not of the old state by mistake: without any `new(..)` and `old(..)`,
/// a plain name may be meant in either convention.
fn says_new(definition: &Definition, resolver: &Resolver<'_, '_>) -> Made<()> {
    for name in &definition.modifies {
        let Some(Global::Symbol(id)) = resolver.symbols.lookup(&name.text) else { continue };
        if let (false, Some([Some(plain), None])) = (resolver.is_older(), resolver.mentioned.get(&id)) {
            let what = format!(
                "`{}` is modified, and nothing says whether it means the new or the old state",
                name.text
            );
            let error = Diagnostic::error("C0717", *plain, what).also(name.span, "modified here");
            let help = format!(
                "write `new({0})` for the state after the step; `new({0}) = new({0})` where it gets any value",
                name.text
            );
            return Err(Box::new(error.help(help)));
        }
    }
    Ok(())
}

/// Finds the sorts that are enumerations, and leaves no variables of them.
pub(super) fn unfold(read: &mut Read<'_>, symbols: &mut Symbols<'_>, found: &mut Found) {
    let axioms = read.claims.iter().filter(|it| it.0.kind == ClaimKind::Axiom);
    let axioms: Vec<Part> = axioms.flat_map(|it| it.1.clone()).collect();
    symbols.enumerations = enumerations(&axioms, symbols);
    for (_, parts) in &mut read.claims {
        let made = expanded(std::mem::take(parts), symbols, &read.vars);
        *parts = found.keep(made).unwrap_or_default();
    }
    for (definition, case) in std::mem::take(&mut read.transitions) {
        let made = expanded(case.parts, symbols, &read.vars).and_then(|parts| {
            cases(&definition.name.text, definition.name.span, case.params, parts, symbols, &read.vars)
        });
        let made = found.keep(made).unwrap_or_default();
        read.transitions.extend(made.into_iter().map(|it| (definition, it)));
    }
}

/// Takes what axioms and `init` say of the number of elements of a sort out of them.
pub(super) fn sizes(read: &mut Read<'_>, symbols: &Symbols<'_>, found: &mut Found) -> Sizes {
    let mut sizes = Sizes::default();
    for (claim, parts) in &mut read.claims {
        if matches!(claim.kind, ClaimKind::Axiom | ClaimKind::Init) {
            *parts = flat(std::mem::take(parts));
            parts.retain(|part| found.keep(sizes.note(part, &read.vars)) == Some(false));
        }
    }
    found.keep(sizes.checked(symbols));
    sizes
}
