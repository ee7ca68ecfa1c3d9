//! Names in the language for those of a `.pyv` file: variables and arrays begin with a capital letter, all others with a small one, and
//! none is a keyword.

use std::collections::{BTreeMap, HashSet};

use cubicle_lang::syntax::{Word, word};

use super::formula::{SortId, SymbolId, VarId};
use super::symbols::{Symbols, Vars};

/// Words that mean something in places, and names that are made for a model.
const TAKEN: [&str; 16] = [
    "proc", "bool", "int", "real", "type", "relation", "witness", "any", "sum", "send", "receive", "channel",
    "Sort", "True", "False", "Trouble",
];

/// The names of sorts, symbols, transitions and properties.
#[derive(Debug)]
pub(super) struct Names {
    sorts: Vec<String>,
    symbols: Vec<String>,
    taken: HashSet<String>,
}

impl Names {
    pub fn new(symbols: &Symbols<'_>) -> Self {
        let taken = TAKEN.iter().map(|it| (*it).to_owned()).collect();
        let mut this = Self { sorts: Vec::new(), symbols: Vec::new(), taken };
        for (name, _) in &symbols.sorts {
            let name = this.unique(&small(name));
            // States show the sort of a process by a value of this name.
            this.taken.insert(capital(&name));
            this.sorts.push(name);
        }
        for symbol in &symbols.all {
            let is_relation = !symbol.mutable && symbol.result.is_none() && !symbol.args.is_empty();
            let name = if is_relation { small(&symbol.name) } else { capital(&symbol.name) };
            let name = this.unique(&name);
            this.symbols.push(name);
        }
        this
    }

    pub fn sort(&self, id: SortId) -> &str {
        &self.sorts[id.0]
    }

    pub fn symbol(&self, id: SymbolId) -> &str {
        &self.symbols[id.0]
    }

    /// A name like this one that nothing has yet.
    pub fn unique(&mut self, name: &str) -> String {
        let found = free(name, |it| self.taken.contains(it));
        self.taken.insert(found.clone());
        found
    }

    /// A name of a transition or a property.
    pub fn action(&mut self, name: &str) -> String {
        self.unique(&small(name))
    }

    /// Names for these variables of one declaration, each like it is named in the file.
    pub fn locals(&self, of: &[VarId], vars: &Vars) -> Locals<'_> {
        let mut locals = Locals { names: self, known: BTreeMap::new() };
        for var in of {
            locals.add(*var, vars);
        }
        locals
    }
}

/// The names of variables in one declaration.
#[derive(Clone, Debug)]
pub(super) struct Locals<'n> {
    names: &'n Names,
    known: BTreeMap<VarId, String>,
}

impl Locals<'_> {
    /// Names a variable like it is named in the file.
    pub fn add(&mut self, var: VarId, vars: &Vars) {
        self.add_as(var, vars.name(var));
    }

    /// Names a variable like this.
    pub fn add_as(&mut self, var: VarId, like: &str) {
        if self.known.contains_key(&var) {
            return;
        }
        let taken = |it: &str| self.names.taken.contains(it) || self.known.values().any(|known| known == it);
        let name = free(&small(&like.to_ascii_lowercase()), taken);
        self.known.insert(var, name);
    }

    pub fn add_text(&mut self, var: VarId, text: String) {
        self.known.insert(var, text);
    }

    /// The name of a variable that has one.
    pub fn get(&self, var: VarId) -> &str {
        self.known.get(&var).map_or("_", String::as_str)
    }
}

/// The first name like this one that is free.
fn free(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let usable = |it: &str| !taken(it) && word(it) != Some(Word::Keyword);
    if usable(name) {
        return name.to_owned();
    }
    let between = if name.ends_with(|it: char| it.is_ascii_digit()) { "_" } else { "" };
    (2..=u32::MAX).map(|number| format!("{name}{between}{number}")).find(|it| usable(it)).unwrap_or_default()
}

fn small(name: &str) -> String {
    initial(name, 'x', |it| it.to_ascii_lowercase())
}

fn capital(name: &str) -> String {
    initial(name, 'X', |it| it.to_ascii_uppercase())
}

/// With another first letter; one in front where there is none.
fn initial(name: &str, otherwise: char, change: impl Fn(char) -> char) -> String {
    let mut letters = name.chars();
    match letters.next() {
        Some(first) if first.is_ascii_alphabetic() => format!("{}{}", change(first), letters.as_str()),
        _ => format!("{otherwise}{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_right_first_letter_and_are_no_keywords() {
        assert_eq!((small("Node").as_str(), capital("vote").as_str()), ("node", "Vote"));
        assert_eq!((small("_a").as_str(), capital("_a").as_str()), ("x_a", "X_a"));
        assert_eq!(free("case", |_| false), "case2");
        assert_eq!(free("n1", |it| it == "n1"), "n1_2");
        assert_eq!(free("n", |it| it == "n" || it == "n2"), "n3");
    }
}
