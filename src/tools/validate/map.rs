//! Reads a map: a TOML file that says what the words of a log mean.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use cubicle_lang::model::{System, TransitionId, Type, VarId};

use super::vocabulary::{Field, Mapped, Vocabulary, When, Word, indices, unknown};

/// What is wrong with a map, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {why}")]
pub struct MapError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong.
    pub why: String,
}

const KEYS: [&str; 10] =
    ["action", "after", "before", "events", "hidden", "ignore", "processes", "procs", "unordered", "values"];

type Entries<'t> = Vec<(&'t str, Range<usize>, &'t DeValue<'t>, Range<usize>)>;

/// What is wrong at a place of the text.
type Wrong = (Range<usize>, String);

impl<'a> Vocabulary<'a> {
    /// The names of the model, and what the text of a map adds.
    ///
    /// # Errors
    /// The first thing that is wrong with the map.
    pub fn with_map(system: &'a System, text: &str) -> Result<Self, MapError> {
        let at = |(span, why): Wrong| {
            let before = text.get(..span.start).unwrap_or(text);
            let line = before.rfind('\n').map_or(before, |end| &before[end + 1..]);
            MapError { line: before.matches('\n').count() + 1, column: line.chars().count() + 1, why }
        };
        let table = DeTable::parse(text).map_err(|error| {
            at((error.span().unwrap_or(0..0), error.message().trim().replace('\n', ", ")))
        })?;
        let mut reader = MapReader { vocabulary: Self::new(system), system, params: Vec::new() };
        let mut entries = entries(table.get_ref());
        // The name of the field of actions is known before the roles of other fields.
        entries.sort_by_key(|(key, span, ..)| (*key != "action", span.start));
        for (key, span, value, place) in entries {
            reader.section(key, span, value, &place).map_err(at)?;
        }
        Ok(reader.vocabulary)
    }
}

/// The entries of a table, in the order of the text.
fn entries<'t>(table: &'t DeTable<'t>) -> Entries<'t> {
    let entry = |(key, value): (&'t toml::Spanned<_>, &'t toml::Spanned<DeValue<'t>>)| {
        let key: &'t toml::Spanned<std::borrow::Cow<'t, str>> = key;
        (key.get_ref().as_ref(), key.span(), value.get_ref(), value.span())
    };
    let mut entries: Entries<'t> = table.iter().map(entry).collect();
    entries.sort_by_key(|(_, span, ..)| span.start);
    entries
}

struct MapReader<'a> {
    vocabulary: Vocabulary<'a>,
    system: &'a System,
    /// The parameters that fields are mapped to.
    params: Vec<String>,
}

impl MapReader<'_> {
    fn section(
        &mut self,
        key: &str,
        span: Range<usize>,
        value: &DeValue<'_>,
        place: &Range<usize>,
    ) -> Result<(), Wrong> {
        match key {
            "action" => {
                let name = text(value, place)?;
                self.vocabulary.fields.remove("action");
                self.claim(name, Field::Action, place)
            }
            "unordered" => {
                let name = text(value, place)?;
                self.vocabulary.unordered = true;
                self.map_field(name, place, |mapped| {
                    mapped.owner = true;
                    mapped.is_either()
                })
            }
            "hidden" => {
                for (name, place) in texts(value, place)? {
                    let ids = self.vocabulary.transitions(name).map_err(|why| (place, why))?;
                    self.vocabulary.hidden.extend(ids);
                }
                Ok(())
            }
            "ignore" => {
                for (name, place) in texts(value, place)? {
                    if name == "*" {
                        self.vocabulary.ignores_fields = true;
                    } else if self.vocabulary.variables.contains_key(name) {
                        self.vocabulary.variables.insert(name.to_owned(), None);
                    } else {
                        self.claim(name, Field::Ignored, &place)?;
                    }
                }
                Ok(())
            }
            "events" => self.events(value, place),
            "procs" => {
                for (field, span, value, place) in table(value, place)? {
                    let param = text(value, &place)?;
                    if !self.has_param(param) {
                        return Err((place, format!("no transition has a parameter `{param}`")));
                    }
                    if self.params.iter().any(|other| other == param) {
                        return Err((place, format!("two fields are the parameter `{param}`")));
                    }
                    self.params.push(param.to_owned());
                    self.map_field(field, &span, |mapped| {
                        mapped.param = Some(param.to_owned());
                        mapped.is_either()
                    })?;
                }
                Ok(())
            }
            "before" => self.cells(When::Before, value, place),
            "after" => self.cells(When::After, value, place),
            "variables" => {
                for (name, _, value, place) in table(value, place)? {
                    let var = match value {
                        DeValue::Boolean(false) => None,
                        _ => self.vocabulary.variable(text(value, &place)?).map_err(|why| (place, why))?,
                    };
                    self.vocabulary.variables.insert(name.to_owned(), var);
                }
                Ok(())
            }
            "values" => self.values(value, place),
            "processes" => {
                for (name, _, value, place) in table(value, place)? {
                    let number = match value {
                        DeValue::Integer(n) if n.radix() == 10 => n.as_str().parse::<usize>().ok(),
                        _ => None,
                    };
                    let number = number.filter(|n| *n > 0 && *n <= u8::MAX.into());
                    let Some(process) = number.map(|n| n - 1) else {
                        return Err((place, "the number of a process is expected, from 1".to_owned()));
                    };
                    if let Some((other, _)) = self.vocabulary.processes.iter().find(|(_, p)| *p == process) {
                        return Err((place, format!("`{other}` is process {} already", process + 1)));
                    }
                    self.vocabulary.processes.push((name.to_owned(), process));
                }
                Ok(())
            }
            other => Err((span, unknown("a map has no key", other, KEYS.into_iter().chain(["variables"])))),
        }
    }

    fn events(&mut self, value: &DeValue<'_>, place: &Range<usize>) -> Result<(), Wrong> {
        for (name, _, value, place) in table(value, place)? {
            let mut ids: Option<Vec<TransitionId>> = None;
            if !matches!(value, DeValue::Boolean(false)) {
                for (name, place) in texts(value, &place)? {
                    let meant = self.vocabulary.transitions(name).map_err(|why| (place, why))?;
                    ids.get_or_insert_default().extend(meant);
                }
            }
            self.vocabulary.events.insert(name.to_owned(), ids);
        }
        Ok(())
    }

    fn cells(&mut self, when: When, value: &DeValue<'_>, place: &Range<usize>) -> Result<(), Wrong> {
        for (field, span, value, place) in table(value, place)? {
            let cell = text(value, &place)?;
            let (name, index) = named_cell(cell);
            let name = name.as_str();
            let var = self.named(name, &place)?;
            let arity = indices(self.system.var(var).kind);
            if arity != index.len() {
                let given = index.len();
                return Err((
                    place,
                    format!(
                        "`{name}` has {arity} indices, not {given}: `{name}[p]` is that of the parameter p"
                    ),
                ));
            }
            if let Some(param) = index.iter().find(|it| !self.has_param(it)) {
                return Err((place, format!("no transition has a parameter `{param}`")));
            }
            self.map_field(field, &span, |mapped| {
                if mapped.cell.is_some() {
                    return Err("the field has two meanings: it is the value of two cells".to_owned());
                }
                mapped.cell = Some((when, var, index));
                mapped.is_either()
            })?;
        }
        Ok(())
    }

    fn has_param(&self, name: &str) -> bool {
        self.system.transitions.iter().any(|it| it.params.iter().any(|param| param == name))
    }

    /// A variable that says something.
    fn named(&self, name: &str, place: &Range<usize>) -> Result<VarId, Wrong> {
        let var = self.vocabulary.variable(name).map_err(|why| (place.clone(), why))?;
        var.ok_or_else(|| (place.clone(), format!("`{name}` has two meanings: it is also ignored")))
    }

    fn values(&mut self, value: &DeValue<'_>, place: &Range<usize>) -> Result<(), Wrong> {
        let entries = table(value, place)?;
        let of_all = entries.iter().filter(|(.., value, _)| !matches!(value, DeValue::Table(_)));
        for (word, _, value, place) in of_all {
            let mut meant = false;
            for var in 0..self.system.vars.len() {
                meant |= self.word(VarId(var as u16), word, value, place, false)?;
            }
            if !meant {
                return Err((place.clone(), format!("no variable has a value that `{word}` can mean")));
            }
        }
        let of_one = entries.iter().filter(|(.., value, _)| matches!(value, DeValue::Table(_)));
        for (name, span, value, place) in of_one {
            let var = self.named(name, span)?;
            for (word, _, value, place) in table(value, place)? {
                self.word(var, word, value, &place, true)?;
            }
        }
        Ok(())
    }

    /// Gives a word a meaning as a value of a variable, where it can have it; whether it does. When `demanded`, it must.
    fn word(
        &mut self,
        var: VarId,
        word: &str,
        value: &DeValue<'_>,
        place: &Range<usize>,
        demanded: bool,
    ) -> Result<bool, Wrong> {
        let meaning = match (self.system.var(var).ty, value) {
            (Type::Proc, DeValue::Boolean(false)) => Word::NoProcess,
            (Type::Enum(ty), DeValue::String(_) | DeValue::Array(_) | DeValue::Boolean(_)) => {
                let named = match value {
                    DeValue::Boolean(true) => vec![("True", place.clone())],
                    DeValue::Boolean(false) => vec![("False", place.clone())],
                    _ => texts(value, place)?,
                };
                let constructors = &self.system.enumeration(ty).constructors;
                let mut set = 0;
                for (name, place) in named {
                    match constructors.iter().position(|it| it == name) {
                        Some(c) => set |= 1 << c,
                        None if demanded => {
                            let known = constructors.iter().map(String::as_str);
                            return Err((
                                place,
                                unknown("the type of the variable has no value", name, known),
                            ));
                        }
                        None => return Ok(false),
                    }
                }
                Word::Constructors(set)
            }
            _ if demanded => {
                return Err((place.clone(), "this is not a value of the variable".to_owned()));
            }
            _ => return Ok(false),
        };
        self.vocabulary.values[usize::from(var.0)].insert(word.to_owned(), meaning);
        Ok(true)
    }

    /// Gives a field a meaning that no other can stand beside.
    fn claim(&mut self, name: &str, field: Field, place: &Range<usize>) -> Result<(), Wrong> {
        match self.vocabulary.fields.insert(name.to_owned(), field) {
            Some(_) => Err((place.clone(), format!("the field `{name}` has two meanings"))),
            None => Ok(()),
        }
    }

    fn map_field(
        &mut self,
        name: &str,
        place: &Range<usize>,
        set: impl FnOnce(&mut Mapped) -> Result<(), String>,
    ) -> Result<(), Wrong> {
        let field = self.vocabulary.fields.entry(name.to_owned());
        match field.or_insert_with(|| Field::Mapped(Mapped::default())) {
            Field::Mapped(mapped) => set(mapped).map_err(|why| (place.clone(), why)),
            _ => Err((place.clone(), format!("the field `{name}` has two meanings"))),
        }
    }
}

/// The name of the variable of a cell, and its processes: `Chan.kind` of `Chan[p].kind`, `Seen[_, 2]` of `Seen[p, 2]`.
fn named_cell(cell: &str) -> (String, Vec<String>) {
    let parts = cell.split_once('[').and_then(|(name, rest)| Some((name, rest.split_once(']')?)));
    let Some((name, (index, fields))) = parts else { return (cell.to_owned(), Vec::new()) };
    let all: Vec<&str> = index.split(',').map(str::trim).collect();
    let is_process = |it: &&str| it.starts_with(|c: char| c.is_lowercase() || c == '#');
    let processes = all.iter().copied().filter(is_process).map(str::to_owned).collect();
    if all.iter().all(is_process) {
        return (format!("{name}{fields}"), processes);
    }
    let index: Vec<&str> = all.iter().map(|it| if is_process(it) { "_" } else { it }).collect();
    (format!("{name}[{}]{fields}", index.join(", ")), processes)
}

fn text<'t>(value: &'t DeValue<'_>, place: &Range<usize>) -> Result<&'t str, Wrong> {
    match value {
        DeValue::String(text) => Ok(text),
        _ => Err((place.clone(), "a string is expected".to_owned())),
    }
}

/// One string or several.
fn texts<'t>(value: &'t DeValue<'_>, place: &Range<usize>) -> Result<Vec<(&'t str, Range<usize>)>, Wrong> {
    match value {
        DeValue::Array(several) => {
            several.iter().map(|it| Ok((text(it.get_ref(), &it.span())?, it.span()))).collect()
        }
        one => Ok(vec![(text(one, place)?, place.clone())]),
    }
}

fn table<'t>(value: &'t DeValue<'t>, place: &Range<usize>) -> Result<Entries<'t>, Wrong> {
    match value {
        DeValue::Table(table) => Ok(entries(table)),
        _ => Err((place.clone(), "a table is expected".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "type st = Idle | Busy\nvar Owner : proc\nvar Free : bool\narray S[proc] : st\n\
        init (p) { S[p] = Idle && Free = True }\nunsafe (p q) { S[p] = Busy && S[q] = Busy }\n\
        transition take (p) requires { Free = True } { Free := False; Owner := p; S[p] := Busy }\n";

    fn system() -> System {
        cubicle_lang::load(MODEL).unwrap().system
    }

    #[test]
    fn words_get_the_meanings_that_a_map_gives_them() {
        let system = system();
        let map = "action = 'msg'\nhidden = ['take']\nignore = ['ts', 'Free']\nunordered = 'who'\n\
            [events]\ngot = 'take'\ntick = []\n[procs]\nwho = 'p'\n[after]\nhow = 'S[p]'\n\
            [values]\nidle = 'Idle'\nany = ['Idle', 'Busy']\n[values.Owner]\nnobody = false\n[processes]\na = 2\n";
        let words = Vocabulary::with_map(&system, map).unwrap();
        assert_eq!(words.events["got"], words.events["take"]);
        assert!(words.events["tick"].is_none() && words.unordered && words.hidden.len() == 1);
        let who = Mapped { owner: true, param: Some("p".to_owned()), cell: None };
        assert_eq!(words.fields["who"], Field::Mapped(who));
        assert!(words.fields["msg"] == Field::Action && !words.fields.contains_key("action"));
        let var = |name: &str| words.variable(name).unwrap();
        assert_eq!(var("Free"), None);
        assert_eq!(words.value(var("S").unwrap(), "any"), Ok(Word::Constructors(3)));
        assert_eq!(words.value(var("Owner").unwrap(), "nobody"), Ok(Word::NoProcess));
        assert_eq!(words.processes, [("a".to_owned(), 1)]);
    }

    #[test]
    fn a_map_with_two_meanings_or_none_is_refused_at_its_place() {
        let system = system();
        for (map, line, column, why) in [
            ("action = 'x'\naction = 'y'\n", 2, 1, "duplicate key"),
            ("[after]\nhow = 'S[p]'\n[before]\nhow = 'Free'", 4, 1, "two cells"),
            ("[procs]\nwho = 'p'\n[after]\nwho = 'S[p]'", 4, 1, "two meanings"),
            ("[before]\nwho = 'Owner'\n[procs]\nwho = 'p'", 4, 1, "two meanings"),
            ("unordered = 'who'\n[after]\nwho = 'Owner'", 3, 1, "two meanings"),
            ("ignore = ['ts']\n[procs]\nts = 'p'", 3, 1, "two meanings"),
            ("[procs]\na = 'p'\nb = 'p'", 3, 5, "two fields"),
            ("[events]\nx = 'tkae'", 2, 5, "did you mean `take`"),
            ("  hiden = []", 1, 3, "did you mean `hidden`"),
            ("[after]\nx = 'S'", 2, 5, "1 indices"),
            ("[values.S]\nx = 'Ilde'", 2, 5, "did you mean `Idle`"),
            ("[values]\nx = 'Red'", 2, 5, "no variable"),
            ("[processes]\na = 1\nb = 1", 3, 5, "already"),
            ("[procs]\nx = 'q'", 2, 5, "no transition has a parameter `q`"),
            ("[procs]\naction = 'p'", 2, 1, "two meanings"),
            ("x = [", 1, 6, ""),
        ] {
            let error = Vocabulary::with_map(&system, map).err().unwrap_or_else(|| panic!("accepted: {map}"));
            assert!(error.why.contains(why), "{map}: {error}");
            assert_eq!((error.line, error.column), (line, column), "{map}: {error}");
        }
    }
}
